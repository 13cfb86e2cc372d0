"""Drawings and films at times between the samples of a run: what they show is where the mechanism is."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

import pytrammel as tm
from pytrammel.results.interpolation import inserted
from pytrammel.view.stills.film import film_times, pauses


def swing() -> tm.PlanarModel:
    """A pendulum that is driven by 0.8 sin(3 t), with a load and a traced point at its tip."""
    m = tm.PlanarModel("swing", display_unit="mm")
    m.body("arm", position=(0.0, 0.0), mass=2.0, inertia=0.02, centroid=(0.1, 0.0))
    m.revolute("A", m.ground, "arm", at=(0, 0))
    m.point("P", "arm", at=(0.2, 0.0))
    m.force("push", m["arm"].at(0.2, 0.0), ("50*cos(2*t)", 0))
    m.driver("motor", m["A"].angle, "0.8*sin(3*t)")
    return m


def bouncing() -> tm.results.Result:
    """A ball under gravity that gets a spin and another mass at 0.5 s."""
    m = tm.PlanarModel("ball")
    m.body("ball", position=(0.0, 0.0), mass=1.0, inertia=0.01)
    kick = tm.Event("kick", "t - 0.5", impulse=[("ball", 0.05)], change={"ball": {"mass": 2.0}})
    return m.simulate(1.0, samples=12, events=[kick], progress=False)


RUNS = {
    "kinematics": lambda: swing().kinematics(1.0, samples=11, progress=False),
    "positions": lambda: swing().kinematics(1.0, samples=11, level="position", progress=False),
    "inverse dynamics": lambda: swing().inverse_dynamics(1.0, samples=11, progress=False),
    "event": bouncing,
    "one sample": lambda: swing().kinematics(0.0, samples=1, progress=False),
}


@pytest.mark.parametrize("kind", RUNS)
def test_rows_come_between_rows_and_change_none_of_them(kind: str) -> None:
    run = RUNS[kind]()
    asked = np.sort(
        np.append(np.random.default_rng(5).uniform(run.times[0], run.times[-1], 7), run.times[[0, len(run) // 2, -1]])
    )
    denser, rows = inserted(run, asked)
    np.testing.assert_array_equal(denser.times[rows], asked)
    assert (np.diff(denser.times) >= 0.0).all()
    own = np.setdiff1d(np.arange(len(denser)), rows[~np.isin(asked, run.times)])
    for name in ("times", "q", "v", "a"):
        if getattr(run, name) is not None:
            np.testing.assert_array_equal(getattr(denser, name)[own], getattr(run, name))
    at = run.resample(asked)
    np.testing.assert_array_equal(denser.q[rows], at.q)
    assert [s.last for s in denser._segments[:-1]] == [s.first for s in denser._segments[1:]]
    assert len(denser._segments) == len(run._segments) == (2 if kind == "event" else 1)
    assert (denser._segments[0].first, denser._segments[-1].last) == (0, len(denser))
    if run.dynamics is not None:
        assert denser.dynamics is not None and at.dynamics is not None
        np.testing.assert_array_equal(denser.dynamics.multipliers[own], run.dynamics.multipliers)
        np.testing.assert_array_equal(denser.dynamics.multipliers[rows], at.dynamics.multipliers)


def points(ax: object) -> NDArray[np.float64]:
    """Corners of all patches that are drawn in mm, in the order of drawing."""
    patches = [p for p in ax.patches if p.get_transform().contains_branch(ax.transData)]  # type: ignore[attr-defined]
    return np.vstack([p.get_patch_transform().transform(p.get_path().vertices) for p in patches])


@pytest.mark.parametrize("time", [0.05, 0.333, 0.97])
def test_a_drawing_between_samples_shows_where_bodies_and_arrows_are(time: float) -> None:
    """Against a run that has the time as a sample; both have the same extreme positions, so that pictures are as large."""
    kinds = ["load", "reaction", "velocity"]
    coarse, exact = (
        swing().inverse_dynamics(times=t, progress=False)
        for t in (np.linspace(0.0, 1.0, 21), np.unique([*np.linspace(0.0, 1.0, 21), time]))
    )
    one, two = (run.draw(time=time, arrows=kinds) for run in (coarse, exact))
    # quintics over 50 ms of motion at 3 rad/s err by 1e-6, cubics through forces by 1e-3 of the longest arrow (some 70 mm)
    np.testing.assert_allclose(points(one), points(two), atol=0.1)
    labels = [[t.get_text() for t in ax.texts if " N" in t.get_text() or "m/s" in t.get_text()] for ax in (one, two)]
    for a, b in zip(*labels, strict=True):
        assert float(a.split()[0]) == pytest.approx(float(b.split()[0]), rel=0.01) and a.split()[1:] == b.split()[1:]
    tip = next(line for ax in (one,) for line in ax.lines if line.get_marker() == "o")
    angle = 0.8 * np.sin(3.0 * time)
    np.testing.assert_allclose(np.ravel(tip.get_xydata()), [200.0 * np.cos(angle), 200.0 * np.sin(angle)], atol=1e-2)


def test_a_drawing_in_space_shows_bodies_between_samples() -> None:
    m = tm.SpatialModel("arm")
    m.body("arm", position=(0.0, 0.0, 0.0), mass=1.0, inertia=(0.1, 0.1, 0.1))
    m.revolute("A", m.ground, "arm", at=(0, 0, 0), axis=(0, 0, 1))
    m.point("P", "arm", at=(1.0, 0.0, 0.0))
    m.driver("motor", m["A"].angle, "2*t")
    run = m.kinematics(1.0, samples=11, progress=False)
    denser, (row,) = inserted(run, [0.234])
    np.testing.assert_allclose(denser.point("P").position[row], [np.cos(0.468), np.sin(0.468), 0.0], atol=1e-9)
    run.draw(time=0.234)


def test_bodies_that_spin_freely_are_interpolated_as_they_turn() -> None:
    """Balls keep their angular velocity: the rotation after t is the one about it by w t, for any number of bodies."""
    m = tm.SpatialModel("balls", gravity=(0.0, 0.0, 0.0))
    spins = {"a": (1.0, -2.0, 0.5), "b": (0.3, 0.2, 3.0), "c": (0.0, -1.0, 0.0), "d": (2.0, 2.0, -1.0)}
    for k, (name, w) in enumerate(spins.items()):
        m.body(
            name,
            position=(float(k), 0.0, 0.0),
            velocity=(0.0, 0.1 * k, -0.3),
            omega=w,
            mass=1.0,
            inertia=(0.1, 0.1, 0.1),
        )
    run = m.simulate(1.0, samples=21, rtol=1e-11, progress=False)
    denser, rows = inserted(run, [0.02, 0.234, 0.777])
    for row, time in zip(rows, (0.02, 0.234, 0.777), strict=True):
        for k, (name, w) in enumerate(spins.items()):
            state, size = denser[name], float(np.linalg.norm(w))
            turned = tm.rotations.matrix(tm.rotations.from_axis_angle(np.array(w) / size, size * time))
            np.testing.assert_allclose(state.matrix[row], turned, atol=1e-8)
            np.testing.assert_allclose(state.position[row], [k, 0.1 * k * time, -0.3 * time], atol=1e-9)
            np.testing.assert_allclose(state.omega[row], w, atol=1e-5)


@pytest.mark.parametrize("uneven", [False, True])
@pytest.mark.parametrize(("count", "span"), [(4, 1.0), (31, 2.0), (2001, 7.0), (800, 60.0), (500, 0.01)])
def test_pictures_of_a_film_are_spread_evenly_over_time(count: int, span: float, uneven: bool) -> None:
    times = 3.0 + span * np.linspace(0.0, 1.0, count) ** (3 if uneven else 1)
    shown = film_times(times, None)
    assert (shown[0], shown[-1]) == (times[0], times[-1]) and 2 <= len(shown) <= count
    np.testing.assert_allclose(np.diff(shown), span / (len(shown) - 1), rtol=1e-6)
    if not uneven and count < 32:
        np.testing.assert_array_equal(shown, times)  # samples are shown as they are


@pytest.mark.parametrize("number", [1, 2, 7, 30, 31, 149, 150])
@pytest.mark.parametrize("shown", [2.0, 3.7, 10.0, 20.0])
def test_a_film_is_as_long_as_its_run_and_its_pictures_come_in_time(number: int, shown: float) -> None:
    found = np.array(pauses(number, shown))
    assert len(found) == number and found.min() >= 20 and (found % 10 == 0).all()
    if shown * 15.0 >= number:
        assert found.sum() == round(1000.0 * shown)
        centers = (np.arange(1, number - 1)) / max(number - 1, 1) * 1000.0 * shown
        begins = found.cumsum()[:-1]
        np.testing.assert_allclose(0.5 * (begins[:-1] + begins[1:]), centers, atol=10.0)  # a hundredth of a second


def test_a_film_of_a_run_with_uneven_samples_is_true_to_time(tmp_path: Path) -> None:
    """Samples crowd at the end; a run of 0.5 s is shown in 2 s, and says so."""
    from PIL import Image

    run = swing().kinematics(times=0.5 * np.linspace(0.0, 1.0, 5) ** 0.3, progress=False)
    lengths = []
    with Image.open(run.animate(tmp_path / "x.gif")) as film:
        for k in range(getattr(film, "n_frames", 1)):
            film.seek(k)
            lengths.append(film.info["duration"])
    assert lengths == [250, 500, 500, 500, 250]
