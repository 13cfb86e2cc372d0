"""Data of other sources in tests/data: origin, licence, and the content of the wheel."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
DATA = ROOT / "tests" / "data"
FOLDERS = sorted(path.name for path in DATA.iterdir() if path.is_dir())
LICENSED = {
    "parallel_robots": "BSD 3-Clause License",
    "reference_fmus": "2-Clause BSD license",
    "siconos": "Apache License",
}
# results of Dymola without a licence, roots of equations, work of a government, and files written for these tests
WITHOUT = {"modelica", "nine_point", "nasa", "robots", "formats"}


@pytest.mark.parametrize("name", FOLDERS)
def test_every_folder_of_data_states_its_origin_and_its_licence(name: str) -> None:
    text = (DATA / name / "README.md").read_text(encoding="utf-8")
    if name in LICENSED:
        assert "see `LICENSE`" in text and "https://" in text
        assert LICENSED[name] in (DATA / name / "LICENSE").read_text(encoding="utf-8")
    else:
        assert name in WITHOUT


def test_results_without_a_licence_are_sampled() -> None:
    for path in (DATA / "modelica").glob("*.json"):
        for name, result in json.loads(path.read_text(encoding="utf-8")).items():
            assert len(result["times"]) <= 21, name
            assert result["file"].endswith(".csv")


def test_the_wheel_contains_only_the_package() -> None:
    build = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["hatch"]["build"]
    assert build["targets"]["wheel"] == {"packages": ["src/pytrammel"]}
    assert not [path for path in (ROOT / "src").rglob("*") if path.is_symlink()]
    stored = {
        path.name
        for path in DATA.rglob("*.*")
        if path.suffix in (".json", ".urdf", ".yaml") and path.parent.name != "formats"
    }
    assert not stored & {path.name for path in (ROOT / "src" / "pytrammel").rglob("*") if path.is_file()}
