"""The environments of `make test-elsewhere`: what they cover, and what is reported of them."""

from __future__ import annotations

import itertools
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / ".ci"))
import elsewhere


def test_environments_cover_processors_threads_seeds_orders_and_pythons():
    places = elsewhere.environments()

    def values(name):
        return {place.variables[name] for place in places if name in place.variables}

    assert {"SkylakeX", "Haswell", "Zen", "Nehalem"} <= values("OPENBLAS_CORETYPE")
    assert values("OPENBLAS_NUM_THREADS") == {"1", "2"} and len(values("PYTHONHASHSEED")) == 3
    assert values("NUMBA_CPU_NAME") == {"generic"} and len(values("TRAMMEL_TEST_ORDER")) == 2
    assert elsewhere.supported()[0] in {place.python for place in places}
    assert len({place.name for place in places}) == len(places)


def test_failed_tests_are_reported_per_environment(monkeypatch, capsys):
    output = ".F\nFAILED tests/unit/test_a.py::test_b[1] - AssertionError: x\nERROR tests/unit/test_c.py\n1 failed\n"
    runs = []

    def run(command, **options):
        runs.append((command, options["env"].get("OPENBLAS_CORETYPE")))
        return SimpleNamespace(
            returncode=int(command[-1] == "search"), stdout=output if command[-1] == "search" else ""
        )

    monkeypatch.setattr(subprocess, "run", run)
    monkeypatch.setattr(elsewhere, "features", lambda: {"AVX2": True})
    monkeypatch.setattr(elsewhere, "environments", lambda: [
        elsewhere.Elsewhere("haswell", {"OPENBLAS_CORETYPE": "Haswell"}, "AVX2"),
        elsewhere.Elsewhere("skylakex", {"OPENBLAS_CORETYPE": "SkylakeX"}, "AVX512F"),
    ])  # fmt: skip
    monkeypatch.setattr(sys, "argv", ["elsewhere.py"])
    assert elsewhere.main() == 1
    assert [(command[-1], core) for command, core in runs] == [("check", "Haswell"), ("search", "Haswell")]
    said = capsys.readouterr().out
    summary = said[said.index("haswell: failed") :]
    assert "test_a.py::test_b[1]" in summary and "test_c.py" in summary
    assert "skylakex: not run" in summary and "AVX512F" in summary


def test_the_order_of_tests_is_shuffled_and_repeatable(monkeypatch):
    import conftest

    def ordered(seed):
        monkeypatch.setenv("TRAMMEL_TEST_ORDER", seed)
        items = [SimpleNamespace(path=f"f{k % 3}", nodeid=f"f{k % 3}::t{k}") for k in range(30)]
        conftest.pytest_collection_modifyitems(items)
        return [item.nodeid for item in items]

    first, plain = ordered("1"), ordered("")
    assert ordered("1") == first != ordered("2") and sorted(first) == sorted(plain)
    files = [each.split("::")[0] for each in first]
    assert sum(a != b for a, b in itertools.pairwise(files)) == 2  # shared fixtures are made once


def test_an_unknown_environment_is_answered_with_the_known_ones(monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["elsewhere.py", "z80"])
    with pytest.raises(SystemExit):
        elsewhere.main()
    assert "z80" in capsys.readouterr().err


def test_every_make_target_has_a_plain_command():
    root = Path(__file__).parents[2]
    phony = next(
        line for line in (root / "Makefile").read_text(encoding="utf-8").splitlines() if line.startswith(".PHONY:")
    )
    table = (
        (root / "CONTRIBUTING.md")
        .read_text(encoding="utf-8")
        .partition("| target | plain command |")[2]
        .partition("\n\n")[0]
    )
    first = " ".join(row.split("|")[1] for row in table.splitlines() if row.count("|") > 2)
    assert {target for target in phony.split()[1:] if f"`{target}`" not in first} == set()


@pytest.mark.parametrize(
    ("system", "missing"), [("darwin", "MAP_NORESERVE"), ("win32", "madvise"), ("linux", "MAP_NORESERVE")]
)
def test_tables_of_long_runs_work_without_names_of_linux(system, missing, monkeypatch):
    """Other systems give the number of MAP_NORESERVE another meaning, and Windows forgets no pages."""
    import mmap

    from trammel.files.run_arrays import Buffer

    class Mapped(mmap.mmap):
        def __new__(cls, number, length, flags=0):
            asked.append(flags)
            return super().__new__(cls, number, length)

    asked: list[int] = []
    if missing == "madvise":
        monkeypatch.setattr(mmap, "mmap", object)
    else:
        monkeypatch.delattr(mmap, missing, raising=False)
        monkeypatch.setattr(mmap, "mmap", Mapped)
    monkeypatch.setattr(sys, "platform", system)
    buffer = Buffer(3000, 4)
    buffer.table[:] = 1.0
    buffer.release(2000)
    assert (buffer.table[buffer.released :] == 1.0).all()
    assert bool(asked and asked[0] & 0x4000) == (system == "linux")
