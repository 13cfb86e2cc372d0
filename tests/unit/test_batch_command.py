"""``pytrammel batch``: one row per variant."""

import csv
from pathlib import Path

import pytest

from pytrammel.cli.main import main

MODEL = """\
format = 1
model = "planar"
name = "crank"

[parameters]
r = {value = "100 mm", bounds = ["50 mm", "200 mm"]}

[bodies.arm]
mass = 1
inertia = 0.1

[points.P]
body = "arm"
local = ["r", 0]

[constraints.A]
type = "revolute"
first = "ground"
second = "arm"
at = [0, 0]

[constraints.motor]
type = "driver"
quantity = "A.angle"
motion = "2*pi*t"

[[analysis]]
type = "kinematics"
duration = "1 s"
samples = 5
"""


@pytest.fixture
def model(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "crank.toml"
    path.write_text(MODEL, encoding="utf-8")
    return str(path)


def rows(path):
    with Path(path).open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def test_a_table_of_values_becomes_a_table_of_results(model, tmp_path, capsys):
    (tmp_path / "values.csv").write_text("r\n80 mm\n0.1\n", encoding="utf-8")
    assert main(["batch", model, "--table", "values.csv", "--reduce", "top=max(P.y)"]) == 0
    found = rows("crank_batch.csv")
    assert [float(row["r"]) for row in found] == [0.08, 0.1]
    assert [float(row["top"]) for row in found] == pytest.approx([0.08, 0.1], rel=1e-12)  # at a quarter turn
    assert "2 variants" in capsys.readouterr().out


def test_series_of_samples(model):
    assert main(["batch", model, "--sample", "3", "--keep", "P.x", "--out", "s.csv", "--quiet"]) == 0
    found = rows("s.csv")
    assert len(found) == 15 and float(found[0]["P.x"]) == float(found[0]["r"])


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        (["--reduce", "top=max(P.y)"], "--table FILE or --sample N"),
        (["--sample", "3"], "say what to write"),
        (["--table", "no.csv", "--keep", "P.x"], "cannot be read"),
        (["--sample", "3", "--keep", "P.x", "--do", "statics"], "kinematics, simulate or equilibrium"),
        (["--sample", "0", "--keep", "P.x"], "at least 1"),
        (["--sample", "3", "--table", "t.csv", "--keep", "P.x"], "one of them"),
        (["--sample", "3", "--reduce", "max(P.y)"], "peak=max(P.y)"),
        (["--sample", "3", "--reduce", "top=max(P.q)"], "no quantity 'P.q'"),
        (["--sample", "3", "--reduce", "top=max(motor.effort)"], "has no forces"),
        (["--sample", "3", "--keep", "P.x", "--out", "t.xlsx"], "ends in .csv"),
    ],
)
def test_what_cannot_be_is_said(model, capsys, given, sentence):
    assert main(["batch", model, *given]) == 2
    assert sentence in capsys.readouterr().err


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("r\n", "a line for each variant"),
        ("r\n1,2\n", "has 2 values, but the first line has 1 name"),
        ("r,r\n1,2\n", "twice"),
    ],
)
def test_tables_that_cannot_be_read_are_refused(model, tmp_path, capsys, text, sentence):
    (tmp_path / "values.csv").write_text(text, encoding="utf-8")
    assert main(["batch", model, "--table", "values.csv", "--keep", "P.x"]) == 2
    assert sentence in capsys.readouterr().err
