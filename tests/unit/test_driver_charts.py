"""Drivers that readers of a page move one by one: positions computed beforehand, and what the page makes of them."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import pytrammel as tm
from browser import NO_BROWSER, Browser, find_browser
from pytrammel.view.animation.driver_charts import SEEN, charts_of
from pytrammel.view.result_views import write_animation

CRANK, ROD, BASE = math.hypot(0.1, 0.2), math.hypot(0.25, 0.3), 0.5


def five_bar(swing: float = 0.5, right: str = "-sin(4*pi*t)") -> tm.results.Result:
    """Two cranks on the ground, two rods that meet in P; each crank is driven."""
    m = tm.PlanarModel("five-bar")
    places = {"A": (0.0, 0.0), "B": (0.1, 0.2), "C": (0.35, 0.5), "D": (0.6, 0.2), "E": (BASE, 0.0)}
    for name, start, end in (("a", "A", "B"), ("b", "B", "C"), ("c", "C", "D"), ("d", "D", "E")):
        m.body(name, position=tuple(0.5 * (p + q) for p, q in zip(places[start], places[end], strict=True)))
    ends = {"A": (m.ground, "a"), "B": ("a", "b"), "C": ("b", "c"), "D": ("c", "d"), "E": (m.ground, "d")}
    for name, bodies in ends.items():
        m.revolute(name, *bodies, at=places[name])
    m.point("P", "b", at=places["C"])
    m.driver("left", m["A"].angle, f"{swing}*sin(2*pi*t)")
    m.driver("right", m["E"].angle, f"{swing}*({right})")
    return m.kinematics(1.0, samples=21)


def meeting_point(left: float, right: float) -> np.ndarray:
    """Where the rods of the five-bar meet, above the line of the cranks' tips: two circles, by hand."""
    b = CRANK * np.array([math.cos(left + math.atan2(0.2, 0.1)), math.sin(left + math.atan2(0.2, 0.1))])
    d = [BASE, 0.0] + CRANK * np.array([math.cos(right + math.atan2(0.2, 0.1)), math.sin(right + math.atan2(0.2, 0.1))])
    middle, way = 0.5 * (b + d), d - b
    span = math.hypot(*way)
    return middle + math.sqrt(ROD**2 - 0.25 * span**2) * np.array([-way[1], way[0]]) / span


def test_two_drivers_get_all_combinations_of_their_values() -> None:
    result = five_bar()
    found = charts_of(result)
    assert found is not None
    (chart,) = found.charts
    assert chart.good.all() and 0.0 < found.error < SEEN * result._system.length
    index = list(result.model.bodies).index("b") - 1
    local = np.array(result.model.point("P").local)
    for i, j in ((0, 0), (3, 7), (12, 2)):
        x, y, phi = chart.q[i, j, 3 * index : 3 * index + 3]
        c, s = math.cos(phi), math.sin(phi)
        tip = np.array([x + c * local[0] - s * local[1], y + s * local[0] + c * local[1]])
        assert tip == pytest.approx(meeting_point(chart.axes[0][i], chart.axes[1][j]), abs=1e-9)


def test_what_does_not_close_is_left_out() -> None:
    # side by side the cranks swing far; away from each other their tips get farther apart than the rods reach
    found = charts_of(five_bar(1.2, "sin(2*pi*t)"))
    assert found is not None
    (chart,) = found.charts
    lacking = np.isnan(chart.q[..., 0])
    assert 0.0 < lacking.mean() < 0.5 and not chart.good[lacking[:-1, :-1]].any()
    assert found.error < SEEN * 0.7


def arm(n: int = 3) -> tm.results.Result:
    """An open chain of links of 1 m, each joint driven."""
    m = tm.PlanarModel("arm")
    for k in range(n):
        m.body(f"l{k}", position=(k + 0.5, 0.0))
        m.revolute(f"J{k}", f"l{k - 1}" if k else m.ground, f"l{k}", at=(k, 0))
        m.driver(f"d{k}", m[f"J{k}"].angle, f"{k + 1}*t")
    return m.kinematics(1.0, samples=11)


def test_of_more_drivers_each_is_moved_alone_from_instants_of_the_run() -> None:
    result = arm()
    found = charts_of(result)
    assert found is not None and {chart.drivers for chart in found.charts} == {(0,), (1,), (2,)}
    for chart in found.charts:
        (k,) = chart.drivers
        for value, q in zip(chart.axes[0], chart.q, strict=True):
            angles = chart.base.copy()
            angles[k] = value
            assert q[2::3] == pytest.approx(np.cumsum(angles), abs=1e-9)  # directions of the links
        assert chart.base == pytest.approx(chart.time * np.array([1.0, 2.0, 3.0]))


def test_other_drivers_stay_where_they_are_at_that_instant() -> None:
    m = tm.SpatialModel("table")
    m.body("table", position=(0, 0, 0))
    for axis in "xyz":
        m.driver(axis, getattr(m["table"], axis), f"0.1*sin({2 * 'xyz'.index(axis) + 1}*t)")
    m.orientation_driver("tilt", "table", ("0.3*t", "0", "0"))
    found = charts_of(m.kinematics(1.0, samples=11))
    assert found is not None
    for chart in found.charts:
        assert chart.q[:, 3] == pytest.approx(math.cos(0.15 * chart.time), abs=1e-9)


def test_where_one_driver_or_forces_make_the_motion_there_is_nothing_to_move_alone() -> None:
    assert charts_of(arm(1)) is None
    m = tm.PlanarModel("falling")
    m.body("a", position=(0.0, 0.0), mass=1.0, inertia=1.0)
    assert charts_of(m.simulate(0.1, samples=3)) is None


def test_a_driver_that_stands_still_has_no_slider_of_its_own() -> None:
    m = tm.PlanarModel("table")
    m.body("table", position=(0.0, 0.0))
    m.driver("still", m["table"].y, "0.3 + 1e-12*t")
    m.driver("x", m["table"].x, "0.1*t")
    m.driver("turn", m["table"].phi, "t")
    found = charts_of(m.kinematics(1.0, samples=5))
    assert found is not None and found.names == ("x", "turn") and len(found.charts) == 1


# ---- the page


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    program = find_browser()
    if program is None:
        pytest.skip(NO_BROWSER)
    with Browser(program) as it:
        yield it


def slide(browser: Browser, number: int, value: float) -> None:
    browser.run(
        f"(s => {{ s.value = {value}; s.dispatchEvent(new Event('input')); }})(document.querySelectorAll('#drivers input')[{number}])"
    )
    browser.settle()


def shown(browser: Browser, name: str) -> str:
    return str(browser.run(f"document.getElementById('{name}').textContent"))


@pytest.mark.browser
def test_each_slider_of_a_page_moves_its_own_driver(browser: Browser, tmp_path: Path) -> None:
    result = five_bar()
    page = write_animation(result, tmp_path / "five.html", traces=None, duration=None)
    browser.open(f"{page.as_uri()}#frame=0", still=True)
    for left, right in ((10.3, -7.7), (-21.1, 13.9)):  # degrees, between computed positions
        slide(browser, 0, left)
        slide(browser, 1, right)
        poses = browser.run("running.poses()")
        names = browser.run("JSON.parse(document.getElementById('scene').textContent).bodies.map(b => b.name)")
        x, y, phi = poses[names.index("b")]
        local, (c, s) = result.model.point("P").local, (math.cos(phi), math.sin(phi))
        tip = np.array([x + c * local[0] - s * local[1], y + s * local[0] + c * local[1]])
        values = browser.run("[...document.querySelectorAll('#drivers input')].map(s => +s.value)")
        # the page says how much it may be off
        assert tip == pytest.approx(meeting_point(*np.radians(values)), abs=1e-4)
    assert "moved by hand" in shown(browser, "time") and "off by at most" in shown(browser, "status")
    browser.key("ArrowRight")  # back on the run
    assert shown(browser, "time").startswith("t =") and browser.console == []
