"""Frames that pages and glTF files keep of long runs: between them, every dropped sample is where the film shows it."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from test_player_modules import needs_node, run

from pytrammel.view.animation.gltf import gltf_bytes
from pytrammel.view.animation.page import ARROW_SEEN, FRAMES, MAX_FRAMES, SEEN
from pytrammel.view.animation.planar import scene_data, write_html
from pytrammel.view.animation.series import packed
from pytrammel.view.animation.thinning import Between, Moving, faithful_frames, kept_frames
from pytrammel.view.scene.planar import Arrow, Scene, SceneBody, Shape
from pytrammel.view.scene.spatial import SpaceBody, SpaceScene


def bar(turns: np.ndarray, times: np.ndarray, force: np.ndarray) -> Scene:
    """A bar of 1 m that turns about its end, with a force at its tip."""
    poses = np.column_stack((np.zeros((len(times), 2)), turns))
    body = SceneBody("bar", (Shape("polyline", ((0.0, 0.0), (1.0, 0.0)), role="link"),), poses)
    return Scene(
        "bar", times, (body,), arrows=(Arrow("f", "load", 0, (1.0, 0.0), np.column_stack((force, 0.0 * force)), "N"),)
    )


@needs_node
@pytest.mark.parametrize("seed", [1, 2])
def test_the_page_interpolates_as_frames_are_chosen(seed: int) -> None:
    """Uneven times, some of them twice: the cubics of the page and of the choice are the same."""
    random = np.random.default_rng(seed)
    times = np.sort(np.round(random.uniform(0.0, 3.0, 120), 1 + seed))
    values = random.normal(size=120).cumsum()
    rows = np.unique(np.append(random.choice(120, 40), [0, 119]))
    found = Between(times, rows).interpolated(values)
    t = times[rows]
    code = (
        """(([T, V, places]) => { const clock = m.makeClock(T); return places.map(([i, s]) => clock.at(V, i, s)); })"""
    )
    place = np.repeat(np.arange(len(rows) - 1), np.diff(rows))
    length = np.diff(t)[place]
    share = np.divide(times[:-1] - t[place], length, out=np.zeros(119), where=length > 0.0)
    given = json.dumps([t.tolist(), values[rows].tolist(), np.column_stack((place, share)).tolist()])
    shown = run(f"{code}({given})")
    np.testing.assert_allclose(shown, found, rtol=0.0, atol=1e-12 * np.abs(values).max())


def test_cubics_between_uneven_frames_are_exact_for_parabolas_and_stop_at_jumps() -> None:
    times = np.sort(np.append(np.random.default_rng(4).uniform(0.0, 1.0, 60), [0.0, 0.5, 0.5, 1.0]))
    second = np.arange(64) >= np.flatnonzero(times == 0.5)[1]
    values = np.where(second, 7.0 - times + 3.0 * times**2, 2.0 + times - 5.0 * times**2)
    jump = np.flatnonzero(times == 0.5)
    rows = np.unique(np.concatenate([[0, 63], jump, np.arange(0, 64, 5)]))
    np.testing.assert_allclose(Between(times, rows).interpolated(values), values[:-1], atol=1e-12)


@pytest.mark.parametrize("rate", [0.3, 5.0, 37.0, 60.1, 149.9])
def test_motions_of_every_rate_are_met_within_the_error(rate: float) -> None:
    t = np.linspace(0.0, 10.0, 20_001)
    series = [Moving(np.sin(2.0 * np.pi * rate * t), 2e-3), Moving(np.exp(-(((t - 6.1) / 0.01) ** 2)), 1e-2)]
    rows, met = faithful_frames(t, series, FRAMES, MAX_FRAMES)
    between = Between(t, rows)
    off = [np.abs(between.interpolated(it.values) - it.values[:-1]).max() / it.error for it in series]
    assert met == (max(off) <= 1.0) and len(rows) <= MAX_FRAMES
    # slopes of parabolas are off by theta^2/6 where theta is the phase between frames, values by theta^3/6 times s(1 - s)(1 - 2s) < 0.0963
    theta = 2.0 * np.pi * rate * 10.0 / MAX_FRAMES
    assert met == (0.0963 / 6.0 * theta**3 < 2e-3)
    even = kept_frames(len(t), FRAMES)
    assert np.isin(even, rows).all()
    if rate < 1.0:
        assert off[1] <= 1.0 and len(rows) < FRAMES + 50  # the bell alone needs more


def test_slow_runs_keep_their_even_frames() -> None:
    t = np.linspace(0.0, 10.0, 8001)
    data = scene_data(bar(0.5 * t, t, np.cos(t)))
    assert len(data["times"]) == FRAMES and data["note"] == ""


def test_the_page_shows_the_peak_of_a_force() -> None:
    t = np.linspace(0.0, 10.0, 40_001)
    force = 100.0 + 96.5 * np.exp(-(((t - 6.1237) / 0.002) ** 2))
    data = scene_data(bar(0.5 * t, t, force))
    kept = np.searchsorted(t, np.array(data["times"]) - 1e-9)
    assert data["arrows"][0]["v"][0] == packed(force[kept]) and data["note"] == ""
    off = np.abs(Between(t, kept).interpolated(force) - force[:-1])
    assert off.max() <= ARROW_SEEN * force.max() and len(kept) < FRAMES + 50


def test_a_motion_too_fast_for_a_page_is_noted(tmp_path: Path) -> None:
    t = np.linspace(0.0, 10.0, 40_001)
    scene = bar(np.sin(2.0 * np.pi * 400.0 * t), t, np.ones(len(t)))
    data = scene_data(scene)
    assert len(data["times"]) == MAX_FRAMES and f"{MAX_FRAMES} of 40001" in data["note"]
    assert f"{MAX_FRAMES} of 40001" in write_html(scene, tmp_path / "x.html").read_text(encoding="utf-8")
    assert len(scene_data(scene, max_frames=10)["times"]) == 10


def test_a_gltf_file_keeps_what_straight_lines_need() -> None:
    """A body on a circle of 1 m, 100 turns in 10 s: a chord of 2000 frames is off by 1 - cos(pi/20) = 1.2e-2, too much."""
    t = np.linspace(0.0, 10.0, 20_001)
    angle = 20.0 * np.pi * t
    places = np.column_stack((np.cos(angle), np.sin(angle), 0.0 * t))
    still = np.tile([1.0, 0.0, 0.0, 0.0], (len(t), 1))
    scene = SpaceScene("circle", t, (SpaceBody("b", (), places, still),))
    text = json.loads(gltf_bytes(scene, binary=False))
    frames = next(a["count"] for a in text["accessors"] if a["type"] == "SCALAR")
    # circle: the picture is 2 m wide, SEEN of that remains: acos(1 - 4e-3) = 0.089 rad to either side of a frame's middle
    assert 100 * 2.0 * np.pi / (2.0 * np.arccos(1.0 - 2.0 * SEEN)) < frames <= 8000
