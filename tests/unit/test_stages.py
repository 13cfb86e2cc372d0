"""Stages of a motion in one picture, and one quantity over another from the command line."""

import re
from pathlib import Path

import numpy as np
import pytest

import pytrammel as tm
from pytrammel.cli.main import main
from pytrammel.errors import ModelError
from pytrammel.examples import find
from pytrammel.io.decks.kap_deck import read_kap
from pytrammel.view.result_views import build_scene
from pytrammel.view.scene.planar import to_global

pytest.importorskip("matplotlib")
pytestmark = pytest.mark.filterwarnings("ignore:the given starting velocities contradict")


@pytest.fixture(autouse=True)
def _here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


@pytest.fixture(scope="module")
def turning():
    """A crank of 1 m that turns by t, its tip traced."""
    m = tm.PlanarModel("crank")
    m.body("b", position=(0, 0))
    m.revolute("A", m.ground, "b", at=(0, 0))
    m.driver("D", "A.angle", "t")
    m.point("P", "b", local=(1.0, 0.0))
    return m.kinematics(3.0, samples=31, progress=False)


def dots(axes):
    """Place of the trace's dot in each panel."""
    found = []
    for ax in np.ravel(axes):
        (line,) = [line for line in ax.lines if line.get_marker() == "o" and len(line.get_xdata()) == 1]
        found.append((line.get_xdata()[0], line.get_ydata()[0]))
    return np.array(found)


@pytest.mark.parametrize("stages, times", [
    (1, [0.0]), (2, [0.0, 3.0]), (6, np.linspace(0, 3, 6)), (7, np.linspace(0, 3, 7)), ([0.05, 1.234, 2.99], [0.05, 1.234, 2.99]),
    (np.array([0.1, 0.33]), [0.1, 0.33]), (np.int64(2), [0.0, 3.0]), ((0.7,), [0.7]),
])  # fmt: skip
def test_each_panel_shows_the_position_at_its_time(turning, stages, times):
    axes = np.atleast_1d(turning.draw_stages(stages))
    assert len(axes) == len(times)
    # between samples positions are interpolated with velocities and accelerations: the error is far below 1e-5
    np.testing.assert_allclose(dots(axes), np.column_stack([np.cos(times), np.sin(times)]), atol=1e-5)
    assert [float(ax.get_title().split()[2]) for ax in axes] == pytest.approx(list(times), rel=1e-5)
    assert len({(*ax.get_xlim(), *ax.get_ylim()) for ax in axes}) == 1


@pytest.mark.parametrize("stages, message", [
    (0, "stages is 0"), (61, "from 1 to 60"), ([], "increasing times"), ([1.0, 1.0], "increasing times"), ([2.0, 1.0], "increasing times"),
    ([0.0, 4.0], "t = 4 s lies outside"), ([-1.0], "t = -1 s lies outside"), ([float("nan")], "finite|number"),
])  # fmt: skip
def test_wrong_stages_are_named(turning, stages, message):
    with pytest.raises(ModelError, match=message):
        turning.draw_stages(stages)


def test_one_time_has_one_stage(turning):
    still = turning.model.kinematics(times=[0.5])
    assert still.draw_stages(1) is not None
    with pytest.raises(ModelError, match=r"stages is 3, but this result has one time, 0\.5 s"):
        still.draw_stages(3)


def test_a_motion_in_space_has_stages():
    m = tm.SpatialModel("swing", gravity=(0, 0, -9.81))
    m.body("b", position=(0.5, 0, 0), mass=1.0, inertia=(0.01, 0.1, 0.1))
    m.revolute("A", m.ground, "b", at=(0, 0, 0), axis=(0, 1, 0))
    axes = m.simulate(0.5, samples=11, progress=False).draw_stages(3)
    assert [ax.name for ax in axes] == ["3d"] * 3


def drive_places(result):
    """Global places of the arrow of the only driver."""
    scene = build_scene(result)
    (mark,) = [mark for mark in scene.marks if mark.kind == "drive-turn"]
    return to_global(scene.bodies[mark.body].poses, mark.position)


def test_the_arrow_of_a_driven_crank_is_at_its_pin_on_a_grounded_body():
    """Section 5.2.2: the crank, body 3, turns about the origin on body 1, which ground constraints hold."""
    places = drive_places(read_kap(find("kap_slider_crank").source()).run())
    np.testing.assert_allclose(places, np.zeros_like(places), rtol=0, atol=1e-9)


def test_the_arrow_of_a_driven_coupler_moves_with_it():
    m = tm.PlanarModel("double rocker")
    places = {"A": 0j, "B": 0.5 + 2.04j, "D": 1.6}
    places["C"] = tm.meet(places["B"], places["D"], 0.8, 2.5, -1)
    m.linkage(places, {"ground": "AD", "one": "AB", "coupler": "BC", "two": "DC"})
    m.driver("motor", "coupler.phi", f"{m['coupler'].angle!r} + 0.3*t")
    k = m.kinematics(0.5, samples=5)
    np.testing.assert_allclose(drive_places(k), k["coupler"].position, rtol=0, atol=1e-12)


def words_in(path):
    return re.findall(r">([^<>]+)</text>", Path(path).read_text(encoding="utf-8"))


def test_the_unloading_of_the_dump_truck_in_one_picture():
    """Fig. 10.7."""
    Path("truck.dap").write_text(find("dap_dump_truck").source(), encoding="utf-8")
    assert main(["dap", "truck.dap", "--quiet", "--draw", "stages.svg", "--stages", "6"]) == 0
    assert [word for word in words_in("stages.svg") if word.startswith("t = ")] == [
        f"t = {t} s" for t in ("0", "0.3", "0.6", "0.9", "1.2", "1.5")
    ]


def test_one_quantity_over_another_from_a_deck():
    """Problem 5.5: acceleration of a link over its angle; Fig. 5.3: path of the coupler point."""
    Path("four_bar.kap").write_text(find("kap_four_bar").source(), encoding="utf-8")
    assert (
        main(
            [
                "kap",
                "four_bar.kap",
                "--quiet",
                "--plot",
                "a.svg",
                "--of",
                "body4.alpha",
                "--over",
                "body4.phi",
                "--draw",
                "d.png",
            ]
        )
        == 0
    )
    said = " ".join(words_in("a.svg"))
    assert "body4.alpha" in said
    assert "body4.phi" in said
    assert "time" not in said
    assert Path("d.png").read_bytes().startswith(b"\x89PNG")
    assert main(["kap", "four_bar.kap", "--quiet", "--plot", "p.svg", "--of", "P1"]) == 0
    assert "x [m]" in words_in("p.svg")


def test_one_quantity_over_another_from_a_model_file(capsys):
    Path("deck.kap").write_text(find("kap_four_bar").source(), encoding="utf-8")
    assert main(["plot", "deck.kap", "body4.alpha", "--over", "body4.phi", "--out", "a.svg", "--quiet"]) == 0
    assert any("body4.phi" in word for word in words_in("a.svg"))
    assert main(["plot", "deck.kap", "P1", "--out", "p.svg", "--quiet"]) == 0
    assert "x [m]" in words_in("p.svg")
    assert main(["plot", "deck.kap", "P1.x", "--over", "nonsense", "--out", "n.svg", "--quiet"]) == 2
    assert "nonsense" in capsys.readouterr().err
    assert not Path("n.svg").exists()


def test_stages_of_a_model_file():
    Path("deck.kap").write_text(find("kap_four_bar").source(), encoding="utf-8")
    assert main(["view", "deck.kap", "--no-open", "--quiet", "--stages", "4", "--out", "s.svg"]) == 0
    assert sum(word.startswith("t = ") for word in words_in("s.svg")) == 4
