"""Every registered joint, driver and force goes through every output: pictures, pages, diagrams, files, tables, command line."""

from __future__ import annotations

import contextlib
import io
import warnings
from functools import cache

import pytest

import pytrammel as tm
from pytrammel.cli import main
from pytrammel.errors import ModelWarning, RunWarning, TrammelError
from pytrammel.geometry.curves import analytic
from pytrammel.testing.pictures import PAGES, STILLS, short_run
from registry_samples import TYPES

plt = pytest.importorskip("matplotlib.pyplot")


@cache
def moving(kind):
    """A short simulation of the sample, with masses on its bodies."""
    # the pin of the sample's slot is drawn beyond the end of its curve
    return short_run(kind, {"curve": analytic("u", "0.3*u^2", -4.0, 4.0)} if kind.kind == "slot" else None)


def commands(result, folder):
    """`check`, `run` and `view` of the model's file, with all pictures and the report."""
    file = result.model.save(folder / "model.toml")
    text = file.read_text(encoding="utf-8")
    job = '\n[[analysis]]\ntype = "simulate"\nduration = 1e-4\nsamples = 3\n'
    file.write_text(text + job, encoding="utf-8")
    for arguments in (
        ["check", str(file)],
        ["run", str(file), "--out", str(folder / "out"), "--quiet"],
        ["report", str(file), "--no-open", "--out", str(folder / "report.html")],
        ["view", str(file), "--no-open", "--out", str(folder / "view.html")],
    ):
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()) as said:
            code = main.main(arguments)
        assert code in (0, 1) and "Traceback" not in said.getvalue(), (arguments[0], code, said.getvalue())


OUTPUTS = {
    **STILLS, **PAGES,
    "save and load": lambda r, p: tm.load_result(r.save(p / "result.trammel")).summary(),
    "model file": lambda r, p: tm.load(r.model.save(p / "again.toml")),
    "csv": lambda r, p: r.to_csv(p / "result.csv"),
    "table": lambda r, p: r.to_dataframe(),
    "dict": lambda r, p: r.to_dict(),
    "summary": lambda r, p: (r.summary(), str(r.model), repr(r)),
    "command line": commands,
}  # fmt: skip


SAVED = (
    "save and load",
    "model file",
    "command line",
)  # a Python function cannot be written: opening files runs no code


@pytest.mark.sampled(40)
@pytest.mark.parametrize("output", OUTPUTS)
@pytest.mark.parametrize("kind", TYPES, ids=str)
def test_every_type_goes_through_every_output(kind, output, tmp_path):
    result = moving(kind)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RunWarning)
        warnings.simplefilter("ignore", ModelWarning)
        if output in SAVED and kind.kind == "controller":
            with pytest.raises(TrammelError, match="function"):
                OUTPUTS[output](result, tmp_path)
        else:
            OUTPUTS[output](result, tmp_path)
    plt.close("all")
    for file in tmp_path.rglob("*.*"):
        assert file.is_dir() or file.stat().st_size > 0, file.name
