"""Pictures: the scene's arithmetic, the animation file and the plots."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pytrammel.errors import ModelError
from pytrammel.view.animation.planar import scene_data, write_html
from pytrammel.view.plots.numbers import plot_paths, plot_series
from pytrammel.view.scene.planar import Mark, Rod, Scene, SceneBody, Shape, Trace, to_global
from pytrammel.view.scene.symbols import mark_kinds, mark_parts, shape_parts
from pytrammel.view.stills.planar import draw

CRANK, COUPLER, ROCKER, BASE = 0.04, 0.12, 0.10, 0.13
POINT = (0.06, 0.05)


def four_bar(n: int = 61, name: str = "coupler", **changes: Any) -> Scene:
    """A crank-rocker in closed form: C is where the circles about B and D meet."""
    times = np.linspace(0.0, 1.0, n)
    theta = 2.0 * np.pi * times
    zero = np.zeros(n)
    b = CRANK * np.column_stack((np.cos(theta), np.sin(theta)))
    d = np.array([BASE, 0.0])
    gap = d - b
    dist = np.hypot(*gap.T)
    along = (COUPLER**2 - ROCKER**2 + dist**2) / (2.0 * dist)
    height = np.sqrt(COUPLER**2 - along**2)
    unit = gap / dist[:, None]
    c = b + along[:, None] * unit + height[:, None] * np.column_stack((-unit[:, 1], unit[:, 0]))
    phi, psi = np.arctan2(*(c - b).T[::-1]), np.arctan2(*(c - d).T[::-1])
    coupler = SceneBody(
        name, (Shape("polygon", ((0.0, 0.0), (COUPLER, 0.0), POINT), role="link"),), np.column_stack((b, phi))
    )
    bodies = (
        SceneBody("ground", (), np.zeros((n, 3)), is_ground=True),
        SceneBody("crank", (_link(CRANK),), np.column_stack((zero, zero, theta))),
        coupler,
        SceneBody("rocker", (_link(ROCKER),), np.column_stack((zero + BASE, zero, psi))),
    )
    marks = (
        Mark("fixed-pin", 0, (0.0, 0.0), label="A"),
        Mark("pin", 1, (CRANK, 0.0), label="B"),
        Mark("pin", 2, (COUPLER, 0.0), label="C"),
        Mark("fixed-pin", 0, (BASE, 0.0), label="D"),
    )
    scene = Scene("four-bar", times, bodies, marks, (Trace("P", to_global(coupler.poses, POINT)),), (), "mm", 1000.0)
    return replace(scene, **changes)


def _link(length: float) -> Shape:
    return Shape("polyline", ((0.0, 0.0), (length, 0.0)), role="link")


def embedded(page: str) -> Any:
    found = re.search(r'<script type="application/json" id="scene">(.*?)</script>', page, re.DOTALL)
    assert found
    return json.loads(found[1])


# ---- scene


def test_bounds_of_a_turning_crank_are_its_circle() -> None:
    n = 361  # whole degrees hit the four extremes exactly
    poses = np.column_stack((np.zeros((n, 2)), np.linspace(0.0, 2.0 * np.pi, n)))
    scene = Scene("crank", np.arange(n) / n, (SceneBody("crank", (_link(0.5),), poses),))
    assert scene.bounds() == pytest.approx((-0.5, -0.5, 0.5, 0.5), abs=1e-14)


def test_bounds_of_a_disc_include_its_radius() -> None:
    body = SceneBody("roller", (Shape("disc", ((1.0, 2.0),), radius=0.25),), np.zeros((1, 3)))
    assert Scene("disc", np.zeros(1), (body,)).bounds() == pytest.approx((0.75, 1.75, 1.25, 2.25))


def test_bounds_include_traces_and_rods() -> None:
    bodies = tuple(SceneBody(str(x), (), np.array([[x, 0.0, 0.0]])) for x in (0.0, 3.0))
    scene = Scene("t", np.zeros(1), bodies, (), (Trace("p", np.array([[1.0, 2.0]])),), (Rod(0, (0, -1), 1, (0, 0)),))
    assert scene.bounds() == pytest.approx((0.0, -1.0, 3.0, 2.0))


@pytest.mark.parametrize("bodies", [(), (SceneBody("p", (Shape("polyline", ((5.0, 5.0),)),), np.zeros((1, 3))),)])
def test_bounds_of_nothing_and_of_one_point_are_one_display_unit(bodies: tuple[SceneBody, ...]) -> None:
    x0, y0, x1, y1 = Scene("point", np.zeros(1), bodies, length_factor=1000.0).bounds()
    assert (x1 - x0, y1 - y0) == pytest.approx((1e-3, 1e-3))


def test_bounds_of_a_flat_motion_have_height() -> None:
    body = SceneBody("slider", (Shape("polyline", ((0.0, 0.0), (1.0, 0.0))),), np.zeros((1, 3)))
    assert Scene("flat", np.zeros(1), (body,)).bounds() == pytest.approx((0.0, -0.1, 1.0, 0.1))


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"times": np.array([])}, "times"),
        ({"times": -np.linspace(0.0, 1.0, 61)}, "never decrease"),
        ({"traces": (Trace("Q", np.zeros((3, 2))),)}, "trace 'Q'"),
        ({"traces": (Trace("Q", np.full((61, 2), np.nan)),)}, "frame 0"),
        ({"marks": (Mark("pin", 9, (0.0, 0.0), label="X"),)}, "mark 'X' is on body 9"),
        ({"rods": (Rod(0, (0, 0), 7, (0, 0), "r"),)}, "rod 'r' is on body 7"),
        ({"length_factor": 0.0}, "length_factor"),
    ],
)
def test_a_scene_that_cannot_be_drawn_says_why(changes: dict[str, Any], words: str) -> None:
    with pytest.raises(ModelError, match=words):
        four_bar(**changes)


@pytest.mark.parametrize("kind", mark_kinds())
def test_marks_turn_and_move_with_position_and_angle(kind: Any) -> None:
    here, there = mark_parts(Mark(kind, 0, (0.0, 0.0)), 0.1), mark_parts(Mark(kind, 0, (3.0, 4.0), np.pi / 2), 0.1)
    assert here
    for a, b in zip(here, there, strict=True):
        turned = [(3.0 - y, 4.0 + x) for x, y in a.points]
        np.testing.assert_allclose(b.points, turned, atol=1e-14)  # a few roundings of numbers below 5


@pytest.mark.parametrize("kind", ["slider", "point-on-line"])
def test_a_size_sets_the_length_of_a_mark(kind: Any) -> None:
    long = max(x for part in mark_parts(Mark(kind, 0, (0.0, 0.0), size=2.0), 0.01) for x, _ in part.points)
    cap = 1.45 * 0.01 if kind == "point-on-line" else 0.0  # a slot has round ends
    assert long == pytest.approx(1.0 + cap)


def test_a_ground_line_is_hatched_on_its_right() -> None:
    line = Shape("polyline", ((0.0, 0.0), (1.0, 0.0)))
    hatch = [part for part in shape_parts(line, 0.05, on_ground=True) if part.style == "hatch"]
    assert hatch and all(y <= 0.0 for part in hatch for _, y in part.points)


# ---- animation


def test_animation_is_one_file_that_asks_for_nothing(tmp_path: Path) -> None:
    page = write_html(four_bar(), tmp_path / "run.html").read_text(encoding="utf-8")
    assert not re.findall(r"https?://(?!www\.w3\.org/2000/svg)", page)
    assert not re.findall(r"(?:src|href)\s*=\s*[\"'](?!data:)|@import|url\(|fetch\(", page)
    assert "default-src 'none'" in page


def test_animation_holds_the_poses_in_display_units(tmp_path: Path) -> None:
    scene = four_bar()
    data = embedded(write_html(scene, tmp_path / "run.html").read_text(encoding="utf-8"))
    coupler, poses = data["bodies"][2], scene.bodies[2].poses
    size = 1000.0 * max(np.subtract(scene.bounds()[2:], scene.bounds()[:2]))
    np.testing.assert_allclose(coupler["x"], 1000.0 * poses[:, 0], atol=1e-6 * size)
    np.testing.assert_allclose(coupler["y"], 1000.0 * poses[:, 1], atol=1e-6 * size)
    np.testing.assert_allclose(coupler["phi"], poses[:, 2], atol=1e-6)
    np.testing.assert_allclose(data["traces"][0]["x"], 1000.0 * scene.traces[0].xy[:, 0], atol=1e-6 * size)
    np.testing.assert_allclose(data["times"], scene.times, atol=1e-6)
    assert data["unit"] == "mm"
    assert data["bodies"][0]["x"] == [0.0]  # what stands still is stored once


@pytest.mark.parametrize(
    "name", ['</script><script>alert("x")</script>', "<!-- <script>", 'it\'s "B" & \u2028 {{DATA}}']
)
def test_animation_is_safe_with_any_name(tmp_path: Path, name: str) -> None:
    plain = write_html(four_bar(), tmp_path / "plain.html").read_text(encoding="utf-8")
    scene = four_bar(name=name, title=name, length_unit=name, traces=(Trace(name, np.ones((61, 2))),))
    page = write_html(scene, tmp_path / "run.html").read_text(encoding="utf-8")
    data = embedded(page)
    assert data["bodies"][2]["name"] == data["title"] == data["unit"] == data["traces"][0]["name"] == name
    for tag in ("<script", "</script", "<!--"):
        assert page.count(tag) == plain.count(tag)


def test_animation_thins_long_runs_and_keeps_both_ends() -> None:
    scene = four_bar(n=5001)
    data = scene_data(scene)
    assert len(data["times"]) == len(data["bodies"][2]["x"]) == len(data["traces"][0]["x"]) == 1500
    assert (data["times"][0], data["times"][-1]) == (0.0, 1.0)
    assert data["bodies"][1]["phi"][-1] == pytest.approx(2.0 * np.pi, abs=1e-6)


def test_animation_does_not_spin_back_when_angles_were_wrapped() -> None:
    phi = np.linspace(0.0, 4.0 * np.pi, 101)
    wrapped = np.column_stack((np.zeros((101, 2)), np.arctan2(np.sin(phi), np.cos(phi))))
    scene = Scene("wheel", phi, (SceneBody("wheel", (Shape("circle", ((0.0, 0.0),), 1.0, "gear"),), wrapped),))
    np.testing.assert_allclose(scene_data(scene)["bodies"][0]["phi"], phi, atol=1e-6)


@pytest.mark.parametrize(("span", "shown"), [(0.01, 2.0), (7.0, 7.0), (900.0, 20.0)])
def test_animation_plays_in_real_time_within_limits(tmp_path: Path, span: float, shown: float) -> None:
    page = write_html(four_bar(times=np.linspace(0.0, span, 61)), tmp_path / "run.html").read_text(encoding="utf-8")
    assert embedded(page)["duration"] == pytest.approx(shown)


def test_animation_takes_a_single_frame_and_tiny_or_far_scenes(tmp_path: Path) -> None:
    still = Scene("still", np.zeros(1), (SceneBody("b", (_link(1e-7),), np.array([[1e3, 0.0, 0.0]])),))
    data = embedded(write_html(still, tmp_path / "still.html").read_text(encoding="utf-8"))
    assert data["box"][2] > data["box"][0]
    assert data["duration"] == 2.0


def test_animation_refuses_a_speed_of_zero(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="fps is 0"):
        write_html(four_bar(), tmp_path / "run.html", fps=0)


# ---- matplotlib


def test_drawing_has_equal_scales_and_units(tmp_path: Path) -> None:
    from matplotlib.figure import Figure

    ax = draw(four_bar(), frame=-1, ghosts=4)
    assert isinstance(ax.figure, Figure)
    ax.figure.savefig(tmp_path / "bar.png")
    assert ax.get_aspect() == 1.0
    assert ax.get_xlabel() == "x [mm]"
    assert (tmp_path / "bar.png").stat().st_size > 5000


def test_drawing_uses_the_axes_it_is_given() -> None:
    from matplotlib.figure import Figure

    given = Figure().add_subplot()
    assert draw(four_bar(title="cost $5 and $6", name="_x $y$"), given, traces=False) is given


def test_drawing_names_a_frame_that_does_not_exist() -> None:
    with pytest.raises(IndexError, match="frames 0 to 60"):
        draw(four_bar(), frame=61)


@pytest.mark.parametrize("suffix", ["png", "svg", "pdf"])
def test_series_of_one_unit_share_axes(tmp_path: Path, suffix: str) -> None:
    t = np.linspace(0.0, 1.0, 50)
    series = [("a.x", "m", t), ("A.force", "N", t**2), ("_b.x $", "m", np.sin(t))]
    first, second = plot_series(t, series, title="run", path=tmp_path / f"run.{suffix}")
    assert [len(ax.lines) for ax in (first, second)] == [2, 1]
    assert (first.get_ylabel(), second.get_ylabel(), second.get_xlabel()) == ("[m]", "A.force [N]", "time [s]")
    assert (tmp_path / f"run.{suffix}").stat().st_size > 1000


def test_plots_leave_the_backend_of_the_user_alone() -> None:
    code = (
        "import sys; from pytrammel.view.plots.numbers import plot_series; assert 'matplotlib' not in sys.modules\n"
        "ax = plot_series([0.0], [('x', 'm', [1.0])], title='one instant')\n"
        "print(type(ax.figure.canvas).__name__, 'matplotlib.pyplot' in sys.modules)"  # pyplot is what holds the backend
    )
    done = subprocess.run([sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, check=False)
    assert (done.stdout.split(), done.stderr) == (["FigureCanvasAgg", "False"], "")


def test_paths_have_equal_scales(tmp_path: Path) -> None:
    ax = plot_paths([("P", four_bar().traces[0].xy)], "m", title="coupler", path=tmp_path / "p.png")
    assert ax.get_aspect() == 1.0
    assert (tmp_path / "p.png").stat().st_size > 5000


def test_plots_refuse_values_of_the_wrong_length() -> None:
    with pytest.raises(ModelError, match="series 'x' has shape"):
        plot_series(np.zeros(3), [("x", "m", np.zeros(4))], title="")
    with pytest.raises(ModelError, match="path 'P'"):
        plot_paths([("P", np.zeros(3))], "m")
