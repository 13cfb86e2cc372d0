"""What is pinned, for every version of Python that Trammel says it supports."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / ".ci"))

import check_constraints
import lowest
import test_pythons as every_python
from pythons import supported

from pytrammel.kernels import compiler


def test_versions_begin_with_the_oldest_allowed_and_have_no_gap():
    oldest = check_constraints.project()["project"]["requires-python"]
    assert oldest == f">={supported()[0]}"
    minors = [int(version.partition(".")[2]) for version in supported()]
    assert minors == list(range(minors[0], minors[-1] + 1))
    assert f"3.{sys.version_info.minor}" in supported()


@pytest.mark.parametrize("python", supported())
def test_everything_asked_for_is_pinned_once_on_every_python(python):
    pins = check_constraints.pins(python)  # raises if one is pinned twice
    for line in check_constraints.wanted(python):
        asked = check_constraints.Requirement(line)
        pin = pins[check_constraints.normal(asked.name)]
        assert pin.startswith("==") and asked.specifier.contains(pin[2:]), line


def test_the_python_that_runs_this_is_found_and_others_are_not_made_up(monkeypatch, tmp_path):
    here = f"{sys.version_info.major}.{sys.version_info.minor}"
    (tmp_path / "3.99.1" / "bin").mkdir(parents=True)
    broken = tmp_path / "3.99.1" / "bin" / "python3.99"
    broken.write_text(
        "#!/bin/sh\nexit 127\n", encoding="utf-8"
    )  # like a shim of pyenv for a version that is not chosen
    broken.chmod(0o755)
    monkeypatch.setattr(every_python, "candidates", lambda version: iter([broken, Path(sys.executable)]))
    assert every_python.interpreter(here) == Path(sys.executable)
    assert every_python.interpreter("3.99") is None


def test_the_suite_runs_on_each_python_found_and_says_which_are_missing(monkeypatch, capsys):
    ran = []

    class Done:
        returncode = 0

    monkeypatch.setattr(every_python, "interpreter", lambda v: Path(f"/opt/python{v}") if v != "3.98" else None)
    monkeypatch.setattr(every_python.subprocess, "run", lambda command, **_: ran.append(command) or Done)
    monkeypatch.setattr(every_python, "environment", lambda v, python: Path(f"/own/{v}/python"))
    assert every_python.main(["3.97", "3.98", "3.99"]) == 0
    assert [command[:3] for command in ran] == [[f"/own/{v}/python", "-m", "pytest"] for v in ("3.97", "3.99")]
    said = capsys.readouterr().out
    assert "Python 3.97: passed" in said and "Python 3.98: not found on this machine" in said
    Done.returncode = 2
    assert every_python.main(["3.97"]) == 1
    assert every_python.main(["3.98"]) == 1  # nothing was tested at all
    Done.returncode = 0
    monkeypatch.setattr(every_python, "environment", lambda v, python: None)
    assert every_python.main(["3.97"]) == 1
    assert "Python 3.97: failed (no environment)" in capsys.readouterr().out


def test_the_upper_bound_of_numba_admits_the_pinned_version_and_is_the_one_in_messages():
    asked = [check_constraints.Requirement(line) for line in check_constraints.project()["project"]["dependencies"]]
    (numba,) = (each for each in asked if each.name == "numba")
    (bound,) = (each.version for each in numba.specifier if each.operator == "<")
    assert check_constraints.Requirement(compiler.SUITABLE).specifier == numba.specifier
    for python in supported():
        pin = check_constraints.pins(python)["numba"].removeprefix("==")
        major, minor, *_ = (int(part) for part in pin.split("."))
        assert bound == f"{major}.{minor + 1}"  # versions after the pinned one have not been tested


def test_every_requirement_has_a_lower_bound_that_the_lowest_environment_pins() -> None:
    pins = lowest.lowest_pins(check_constraints.project()["project"])
    assert {pin.partition("==")[0] for pin in pins} >= {"numpy", "scipy", "numba", "matplotlib", "pytest"}
    assert all(re.fullmatch(r"[\w.-]+==[\d.]+\.\*", pin) for pin in pins)


def test_a_requirement_without_a_lower_bound_is_named() -> None:
    with pytest.raises(SystemExit, match="'numpy' has no lower bound"):
        lowest.lowest_pins({"dependencies": ["numpy"], "optional-dependencies": {"view": [], "table": [], "test": []}})
