"""Robot files where model files are taken: `tm.load`-like readers, and ``trammel convert``."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import trammel as tm
from robot_files import ARM, FOUR_BARS, MJCF_FOUR_BAR, furthest, loaded, state, urdf, urdf_link, written
from trammel.cli import main
from trammel.files.any_file import read_model

RATES = {"A.angle.rate": 2.0}


def test_one_command_converts_between_all_formats(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source = written(tmp_path, ARM, "arm.urdf")
    before = state(loaded(tmp_path, ARM))
    for name in ("arm.xml", "arm.sdf", "again.urdf", "arm.toml"):
        assert main(["convert", str(source), str(tmp_path / name), "--force"]) == 0
        assert "written:" in capsys.readouterr().out
        if not name.endswith(".toml"):
            source = tmp_path / name
        assert furthest(before, state(read_model(tmp_path / name))) < 1e-9
    kept = tm.read_robot(tmp_path / "again.urdf").joints["shoulder"].axes[0]
    assert (kept.low, kept.high) == (-3.0, 3.0)  # ranges survive all formats, although models do not enforce them


def test_load_and_save_take_robots_too(tmp_path: Path) -> None:
    m = tm.load(written(tmp_path, FOUR_BARS["constraint"], "bar.urdf"))
    assert m.mobility().dof == 1
    m.assemble().model().save(tmp_path / "bar.sdf")
    assert furthest(state(m, RATES), state(tm.load(tmp_path / "bar.sdf"), RATES)) < 1e-9


def test_the_account_is_printed_with_lines(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source = written(tmp_path, ARM.replace("</robot>", '<magnet strength="3"/></robot>'), "arm.urdf")
    assert main(["convert", str(source), str(tmp_path / "arm.xml"), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert any("<magnet> in <robot> ignored" in note and "line 14" in note for note in told["account"])


def test_a_loop_survives_the_way_through_a_model_file(tmp_path: Path) -> None:
    source = written(tmp_path, FOUR_BARS["constraint"], "bar.urdf")
    assert main(["convert", str(source), str(tmp_path / "bar.toml"), "--quiet"]) == 0
    assert main(["convert", str(source), str(tmp_path / "bar.xml"), "--quiet"]) == 0
    hand = state(loaded(tmp_path, MJCF_FOUR_BAR, "hand.xml"), RATES)
    for name in ("bar.toml", "bar.xml"):
        assert furthest(hand, state(read_model(tmp_path / name), RATES)) < 1e-9


def test_meshes_go_along(tmp_path: Path) -> None:
    tm.inertia.box_mesh(0.1, 0.2, 0.3).write_stl(tmp_path / "part.stl")
    text = urdf(
        urdf_link("part", extra='<visual><geometry><mesh filename="part.stl" scale="2 1 1"/></geometry></visual>')
    )
    source = written(tmp_path, text, "part.urdf")
    for name in ("part.xml", "part.sdf", "copy.urdf"):
        assert main(["convert", str(source), str(tmp_path / name), "--quiet"]) == 0
        shape = read_model(tmp_path / name).bodies["part"].shapes[0]
        assert shape.mesh.bounds[1] == pytest.approx([0.1, 0.1, 0.15], rel=1e-6)
    assert main(["convert", str(source), str(tmp_path / "part.toml"), "--quiet"]) == 0
    assert read_model(tmp_path / "part.toml").bodies["part"].mass == 1.0
