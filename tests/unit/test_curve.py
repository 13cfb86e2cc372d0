"""Plane curves: shape, nearest points, crossings, undercut."""

from __future__ import annotations

import math

import numpy as np
import pytest

import pytrammel as tm
from pytrammel.errors import ExpressionError, ModelError
from pytrammel.geometry.curves import Curve, analytic, cartesian_table, circle, line, polar_table

ELLIPSE = analytic("3*cos(u)", "2*sin(u)", 0.0, math.tau, closed=True, name="ellipse")
PARABOLA = analytic("u", "u^2/2", -2.0, 2.0, name="parabola")
EIGHT = analytic("sin(u)", "sin(2*u)", 0.0, math.tau, closed=True, name="eight")
# a heart-like cam with a hollow at u = pi: r = 2 + cos u, curvature there (r^2 + 2 r'^2 - r r'')/r^3 = (1 - 1)/1 = 0;
# with 1.5 + cos u it is (0.25 - 0.5)/0.125 = -2
HOLLOW = analytic("(1.5 + cos(u))*cos(u)", "(1.5 + cos(u))*sin(u)", 0.0, math.tau, closed=True, name="hollow")


def test_ellipse_in_closed_form() -> None:
    u = np.linspace(0.0, 6.0, 7)
    assert ELLIPSE.point(u) == pytest.approx(np.stack([3 * np.cos(u), 2 * np.sin(u)], axis=1), abs=1e-15)
    # curvature of an ellipse a b / (a^2 sin^2 + b^2 cos^2)^(3/2); a few roundings
    exact = 6 / (9 * np.sin(u) ** 2 + 4 * np.cos(u) ** 2) ** 1.5
    assert ELLIPSE.curvature(u) == pytest.approx(exact, rel=1e-14)
    assert ELLIPSE.tangent(0.0) == pytest.approx([0.0, 1.0], abs=1e-15)
    assert ELLIPSE.orientation() == 1
    assert ELLIPSE.sample(5).shape == (5, 2)
    assert ELLIPSE.check(1.0) == []


def test_clockwise_and_far_from_the_origin() -> None:
    away = analytic("1e6 + cos(-u)", "1e6 + sin(-u)", 0.0, math.tau, closed=True)
    assert away.orientation() == -1
    with pytest.raises(ModelError, match="is open"):
        PARABOLA.orientation()


def test_circle_and_line() -> None:
    round_one = circle(2.0, (1.0, -1.0))
    assert round_one.curvature(0.3) == pytest.approx(0.5, rel=1e-15)
    straight = line((1.0, 1.0), (4.0, 5.0))
    assert straight.end == 5.0 and not straight.closed  # 3-4-5 triangle
    assert straight.point(5.0) == pytest.approx([4.0, 5.0], rel=1e-15)
    assert straight.curvature(np.array([1.0, 2.0])) == pytest.approx([0.0, 0.0], abs=0.0)
    assert straight.nearest((1.0, 6.0)) == pytest.approx(4.0, rel=1e-12)  # foot of the perpendicular: (0, 5).(3, 4)/5
    assert straight.nearest((0.0, 0.0)) == 0.0
    with pytest.raises(ModelError, match="two different points"):
        line((1.0, 1.0), (1.0, 1.0))
    with pytest.raises(ModelError, match="radius must be greater than 0, not -1"):
        circle(-1.0)


def test_nearest_point() -> None:
    # from a point outside a circle the nearest point lies in its direction
    for angle in np.linspace(0.0, 6.0, 13):
        point = (1.0 + 5 * math.cos(angle), -1.0 + 5 * math.sin(angle))
        # the distance is flat at its minimum, but the condition solved is its derivative: roundings of order eps
        assert circle(2.0, (1.0, -1.0)).nearest(point) == pytest.approx(angle, abs=1e-13)
    # y = u^2/2 seen from (0, 2): u^2/2 = 1, two equal answers
    assert abs(PARABOLA.nearest((0.0, 2.0))) == pytest.approx(math.sqrt(2.0), rel=1e-12)
    assert PARABOLA.nearest((0.0, 0.5)) == pytest.approx(0.0, abs=1e-12)
    # both branches of the eight pass the origin; the nearer one counts: a point of the curve finds itself
    for u in (0.05, math.pi + 0.05, 3.0):
        assert EIGHT.nearest(EIGHT.point(u)) == pytest.approx(u, abs=1e-12)
    # a table with one sharp bump: the global minimum must win over the round remainder
    bump = polar_table(np.linspace(0, math.tau, 25), [1.0] * 12 + [1.5] + [1.0] * 12)
    assert bump.nearest((-5.0, 0.0)) == pytest.approx(math.pi, abs=1e-10)


def test_self_crossings() -> None:
    assert ELLIPSE.self_crossings() == [] and PARABOLA.self_crossings() == [] and HOLLOW.self_crossings() == []
    ((u1, u2, x, y),) = EIGHT.self_crossings()
    assert (u1, u2, x, y) == pytest.approx((0.0, math.pi, 0.0, 0.0), abs=1e-12)
    # folium-like open loop x = u^2 - 1, y = u^3 - u crosses itself at the origin for u = -1 and 1
    loop = analytic("u^2 - 1", "u^3 - u", -1.7, 1.6, name="loop")
    ((u1, u2, x, y),) = loop.self_crossings()
    assert (u1, u2, x, y) == pytest.approx((-1.0, 1.0, 0.0, 0.0), abs=1e-12)
    assert "crosses itself at" in loop.check()[0]
    # limacon r = 1/2 + cos u: its node is the pole, where cos u = -1/2
    inner = analytic("(0.5 + cos(u))*cos(u)", "(0.5 + cos(u))*sin(u)", 0.0, math.tau, closed=True)
    ((u1, u2, _, _),) = inner.self_crossings()
    assert (u1, u2) == pytest.approx((math.tau / 3, 2 * math.tau / 3), abs=1e-12)
    # three-leaved Lissajous figure x = sin 3u, y = sin 2u: (2 a b - a - b) = 7 nodes
    figure = analytic("sin(3*u)", "sin(2*u)", 0.0, math.tau, closed=True)
    assert len(figure.self_crossings()) == 7


@pytest.mark.parametrize("size", [1e-6, 1.0, 1e6])
@pytest.mark.parametrize("w", [1e-6, 1.0, 1e6])
@pytest.mark.parametrize("seam", [0.0, 0.3, 1.0, 3.0])
def test_self_crossings_in_any_unit(size: float, w: float, seam: float) -> None:
    """A figure of eight passes its node at 0 and pi, also where its parameter begins there."""
    phase = f"({w!r}*u + {seam!r}*acos(-1))"
    eight = analytic(f"{size!r}*sin({phase})", f"{size!r}*sin(2*{phase})", 0.0, math.tau / w, closed=True)
    ((u1, u2, x, y),) = eight.self_crossings()
    first = -seam * math.pi % math.pi if seam % 1.0 else 0.0
    assert (u1 * w, u2 * w) == pytest.approx((first, first + math.pi), abs=1e-11)
    assert (x / size, y / size) == pytest.approx((0.0, 0.0), abs=1e-11)


def test_undercut_of_an_open_curve() -> None:
    # curvature (1 + u^2)^(-3/2); the hollow side is on the left, so the offset is negative:
    # 1 - 2 (1 + u^2)^(-3/2) = 0 at u^2 = 2^(2/3) - 1
    edge = math.sqrt(2 ** (2 / 3) - 1)
    ((low, high),) = PARABOLA.undercut(-2.0)
    assert (low, high) == pytest.approx((-edge, edge), rel=1e-10)  # the margin 1e-12 of the limit moves the edge
    assert PARABOLA.undercut(2.0) == [] and PARABOLA.undercut(-0.99) == []
    ((low, high),) = PARABOLA.undercut(-1.0)  # only touches the limit, at u = 0
    assert abs(low) < 1e-5 and abs(high) < 1e-5  # square root of the margin


@pytest.mark.parametrize(("begin", "end"), [(-2.0, 0.1), (-0.1, 2.0), (-0.1, 0.3), (-2.0, 0.766)])
def test_undercut_reaches_the_ends_of_an_open_curve(begin: float, end: float) -> None:
    """The interval of a parabola between -e and e, cut off where the curve begins or ends inside it."""
    edge = math.sqrt(2 ** (2 / 3) - 1)
    assert edge > 0.766
    ((low, high),) = analytic("u", "u^2/2", begin, end).undercut(-2.0)
    assert (low, high) == pytest.approx((max(begin, -edge), min(end, edge)), rel=1e-10)


@pytest.mark.parametrize("more", [1e-6, 1e-7, 1e-8])
@pytest.mark.parametrize("middle", [0.0, 0.0013, -0.0021])
def test_undercut_narrower_than_the_search_is_found(more: float, middle: float) -> None:
    """1 - (1 + e) (1 + w²)^(-3/2) is not positive where w² <= (1 + e)^(2/3) - 1: w is at most 1/7 of the distance of samples."""
    curve = analytic(f"u - {middle!r}", f"(u - {middle!r})^2/2", -2.0, 2.1)
    edge = math.sqrt(math.expm1(2 / 3 * math.log1p(more)))
    u = curve.search_parameters
    assert np.abs(u - middle).min() > edge
    ((low, high),) = curve.undercut(-1.0 - more)
    # the factor is e - 3/2 w² there, so that its margin of 1e-12 and roundings of 1e-15 move the edges by some 1e-12/e of their distance
    assert (low - middle, high - middle) == pytest.approx((-edge, edge), rel=1e-12 / more)
    assert curve.undercut(-1.0 + more) == []


def test_undercut_of_closed_curves() -> None:
    assert circle(2.0).undercut(10.0) == []  # rolling outside a circle never undercuts
    assert circle(2.0).undercut(-2.0) == [(0.0, math.tau)]  # a roller inside of just the same radius
    # hollow of radius 1/2 at u = pi, symmetric
    assert HOLLOW.curvature(math.pi) == pytest.approx(-2.0, rel=1e-12)
    assert HOLLOW.undercut(0.49) == []
    ((low, high),) = HOLLOW.undercut(0.6)
    assert low < math.pi < high and low + high == pytest.approx(math.tau, rel=1e-12)
    assert HOLLOW.offset_factor(low, 0.6) == pytest.approx(0.0, abs=1e-11)
    assert "undercuts between" in HOLLOW.check(0.6)[0] and "falls to 0.5;" in HOLLOW.check(0.6)[0]
    # the same curve run clockwise, with the seam in the hollow: one interval across the seam
    turned = analytic("-(1.5 - cos(u))*cos(u)", "(1.5 - cos(u))*sin(u)", 0.0, math.tau, closed=True)
    assert turned.orientation() == -1
    ((low, high),) = turned.undercut(0.6)
    assert low < math.tau < high and low + high == pytest.approx(2 * math.tau, rel=1e-12)
    with pytest.raises(ModelError, match="use a smaller roller"):
        HOLLOW.check(0.6, raise_error=True)


def test_polar_table_is_smooth_all_round() -> None:
    theta = np.linspace(0.0, math.tau, 13)
    radius = 2.0 + 0.3 * np.cos(theta)
    radius[-1] = radius[0]
    cam = polar_table(theta, radius, origin=(1.0, 2.0), name="cam 1")
    assert cam.point(theta) == pytest.approx(
        np.stack([1 + radius * np.cos(theta), 2 + radius * np.sin(theta)], axis=1), rel=1e-14
    )
    # many turns later the same point, up to the rounding of the angle
    assert cam.point(0.7 + 5 * math.tau) == pytest.approx(cam.point(0.7), rel=1e-13)
    assert cam.curvature(1e-9) == pytest.approx(cam.curvature(math.tau - 1e-9), rel=1e-6)
    assert cam.check() == []


def test_cartesian_table_goes_through_its_points() -> None:
    angle = np.linspace(0.0, math.tau, 40, endpoint=False)
    loop = cartesian_table(np.cos(angle), np.sin(angle), closed=True)
    assert loop.closed and loop.orientation() == 1
    # a cubic spline through 40 points of a circle: error of curvature about step^2/12 of the fourth derivative
    assert loop.curvature(np.linspace(0, loop.end, 50)) == pytest.approx(np.ones(50), abs=5e-3)
    rail = cartesian_table([0.0, 1.0, 3.0, 4.0], [0.0, 1.0, 1.0, 0.0])
    assert rail.point(rail.end) == pytest.approx([4.0, 0.0], abs=1e-14)
    assert rail.end == pytest.approx(2 + 2 * math.sqrt(2), rel=1e-15)


def test_closed_formulas_that_do_not_repeat_are_wrapped() -> None:
    # half circle and back along cosine laws: closed, but u beyond the end would leave the curve
    drop = analytic("u*(2 - u)", "u*(1 - u)*(2 - u)", 0.0, 2.0, closed=True)
    assert drop.point(2.5) == pytest.approx(drop.point(0.5), rel=1e-15)
    assert "corner" in drop.check()[0]  # tangents (2, 2) and (-2, 2) at the seam


@pytest.mark.parametrize(("start", "length"), [(1.0, 2.0), (-3.0, 0.5)])
def test_curves_are_wrapped_wherever_their_parameter_starts(start: float, length: float) -> None:
    u = f"(2*(u - {start})/{length})"
    drop = analytic(f"{u}*(2 - {u})", f"{u}*(1 - {u})*(2 - {u})", start, start + length, closed=True)
    inside = start + np.linspace(0.05, 0.95, 7) * length
    for turns in (-2, 1, 3):
        assert drop.point(inside + turns * length) == pytest.approx(drop.point(inside), rel=1e-12)
    s = 2 * (inside - start) / length
    assert drop.point(inside) == pytest.approx(np.column_stack([s * (2 - s), s * (1 - s) * (2 - s)]), rel=1e-12)


@pytest.mark.parametrize("size", [1e-3, 1.0, 1e3])
def test_the_scale_of_a_parameter_does_not_depend_on_units(size: float) -> None:
    """Along a straight line of any length all of the parameter; round a flat circle √8 r of 2 π r."""
    line = tm.curves.space_analytic(f"{size}*u", f"2*{size}*u", f"-3*{size}*u", start=-1.0, end=3.0)
    assert line.scale == pytest.approx(4.0, rel=1e-12)
    ring = tm.curves.space_analytic(f"{size}*cos(u)", f"{size}*sin(u)", "0*u", end=2 * math.pi, closed=True)
    assert ring.scale == pytest.approx(math.sqrt(8.0), rel=1e-3)


def test_bad_curves_are_explained() -> None:
    theta = np.linspace(0.0, math.tau, 5)
    with pytest.raises(ModelError, match="must span one turn"):
        polar_table(theta[:-1], [1, 2, 3, 1])
    with pytest.raises(ModelError, match="convert degrees to radians"):
        polar_table([0, 90, 180, 270, 360], [1, 2, 3, 2, 1])
    with pytest.raises(ModelError, match=r"radius\[0\] = 1 and radius\[4\] = 1.5"):
        polar_table(theta, [1, 2, 3, 2, 1.5])
    with pytest.raises(ModelError, match="points 1 and 2 are the same"):
        cartesian_table([0, 1, 1, 2], [0, 1, 1, 0])
    with pytest.raises(ModelError, match="the ends are 4 m apart"):
        analytic("u", "0", -2.0, 2.0, closed=True)
    with pytest.raises(ModelError, match="u runs from 2 to 1"):
        analytic("u", "0", 2.0, 1.0)
    with pytest.raises(ExpressionError, match="may use only the parameter u, but uses t"):
        analytic("u*t", "0", 0.0, 1.0)
    assert "stands still at u = 0" in analytic("u^3", "u^2", -1.0, 1.0).check()[0]
    assert isinstance(circle(1.0), Curve) and hash(circle(1.0)) == hash(circle(1.0))
