"""Units as decimals, formulas with π, linkages by places, bars without mass, traces at joints."""

from __future__ import annotations

import math
from decimal import Decimal

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import pytrammel as tm
from pytrammel.expressions.expression import number
from pytrammel.units import read_measured, read_unit
from pytrammel.view.result_views import build_scene
from pytrammel.view.scene.still import still
from pytrammel.view.scene.traces import default_traces

# --- units: the double nearest to the decimal that a person writes -----------------------------------------------------

decimals = st.builds(
    lambda whole, digits, fraction: f"{whole}.{fraction:0{digits}d}" if digits else str(whole),
    st.integers(-9999, 9999), st.integers(0, 4), st.integers(0, 9999).map(lambda n: n % 10),
)  # fmt: skip


@given(decimals)
def test_lengths_are_the_doubles_nearest_to_their_decimals(written):
    for make, unit, factor in ((tm.mm, "mm", "0.001"), (tm.cm, "cm", "0.01"), (tm.inch, "in", "0.0254")):
        want = float(Decimal(written) * Decimal(factor))
        assert make(float(written)) == want
        measured = read_measured(f"{written} {unit}", "length")
        assert measured is not None
        assert measured.value == want
        assert tm.parse(f"({written} {unit})").evaluate({}) == want


def test_a_list_and_an_array_of_lengths_equal_single_lengths():
    given_mm = [43, 12.7, 0.1, -3.3]
    want = [0.043, 0.0127, 0.0001, -0.0033]
    assert tm.mm(given_mm) == want
    assert tm.mm(tuple(given_mm)) == tuple(want)
    assert tm.mm(np.array(given_mm)).tolist() == want
    assert tm.mm(np.array([given_mm, given_mm])).shape == (2, 4)


@pytest.mark.parametrize(
    ("unit", "factor"),
    [
        ("g/cm^3", 1000.0),
        ("N/mm", 1000.0),
        ("N/mm^2", 1e6),
        ("kg/dm^3", 1000.0),
        ("mJ/mm", 1.0),
        ("kN/mm", 1e6),
        ("mm^2", 1e-6),
    ],
)
def test_products_of_decimal_units_are_exact(unit, factor):
    assert read_unit(unit)[0] == factor


def test_angles_keep_their_factor():
    assert tm.deg(180) == math.pi
    measured = read_measured("30 deg", "angle")
    assert measured is not None
    assert measured.value == tm.deg(30)


# --- formulas keep multiples of π --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("typed", "shown"),
    [
        ("4*pi*t", "4*pi*t"), ("2*pi*t", "2*pi*t"), ("pi/3 + 2*pi*t", "pi/3 + 2*pi*t"), ("0.1*sin(2*pi*3*t)", "0.1*sin(6*pi*t)"),
        ("t/(2*pi)", "t/(2*pi)"), ("t^(2*pi)", "t^(2*pi)"), ("-4*pi*t", "-4*pi*t"), ("t - 3*pi/2", "t - 3*pi/2"), ("60 rpm*t", "2*pi*t"),
        ("-e + t", "-e + t"), ("3.14*t", "3.14*t"), ("1/3*t", "1/3*t"), ("t^(2/3)", "t^(2/3)"), ("-7/9*t", "-7/9*t"),
        ("t - 1/7", "t - 1/7"),
        ("t/(1/3)", "t/(1/3)"), ("sqrt(2)*t", "sqrt(2)*t"), ("t^sqrt(3)", "t^sqrt(3)"), ("-sqrt(2)*t", "-sqrt(2)*t"), ("0.1*t", "0.1*t"),
        ("2*sqrt(3)*t", "2*sqrt(3)*t"), ("sqrt(3)/2*t", "sqrt(3)/2*t"), ("t/sqrt(2)", "t/sqrt(2)"),
        ("1/sqrt(2)*t", "1/sqrt(2)*t"), ("-5*sqrt(7)/4*t", "-5*sqrt(7)/4*t"),
        ("4*pi^2*t", "4*pi^2*t"), ("-(2*pi)^2/3*t", "-4*pi^2/3*t"), ("(pi^2)^t", "(pi^2)^t"), ("t^(pi^2)", "t^pi^2"),
        ("t/(pi^2)", "t/pi^2"),
        ("(0.1 + 0.2)*t", "0.30000000000000004*t"), ("0.3333333333333*t", "0.3333333333333*t"),
    ],
)  # fmt: skip
def test_multiples_of_pi_fractions_and_roots_are_written_as_such(typed, shown):
    assert str(tm.parse(typed)) == shown


@given(
    st.one_of(
        st.floats(-1e4, 1e4),
        st.builds(lambda n, d: n * math.pi / d, st.integers(-2000, 2000), st.sampled_from([1, 2, 3, 4, 6, 12, 180])),
        st.builds(lambda n, d: n / d, st.integers(-2000, 2000), st.integers(1, 200)),
        st.builds(lambda n, sign: sign * math.sqrt(n), st.integers(0, 120), st.sampled_from([1, -1])),
        st.builds(lambda n, s, d: n * math.sqrt(s) / d, st.integers(-30, 30), st.integers(2, 99), st.integers(1, 30)),
        st.builds(lambda n, s: n / math.sqrt(s), st.integers(-30, 30), st.integers(2, 99)),
        st.builds(lambda n, d: n * math.pi**2 / d, st.integers(-30, 30), st.integers(1, 30)),
    )
)
def test_a_formula_with_any_number_is_read_back_equal(value):
    t = tm.time
    for formula in (
        number(value) * t,
        t - number(value),
        t ** number(abs(value)),
        1 / (t + number(value)),
        tm.functions.sin(number(value) * t),
    ):
        assert tm.parse(str(formula)) == formula


def test_a_driver_shows_its_formula():
    m = tm.PlanarModel("crank")
    m.body("a")
    m.revolute("A", m.ground, "a", at=(0, 0))
    m.driver("motor", "A.angle", "4*pi*t")
    assert "A.angle = 4*pi*t" in str(m)


# --- linkages by places ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("unit, factor", [("mm", 1e-3), ("cm", 1e-2), ("m", 1.0), ("in", 0.0254)])
def test_places_and_distances_may_have_units(unit, factor):
    place = tm.meet((f"0 {unit}", 0), (f"60 {unit}", f"0 {unit}"), f"50 {unit}", 50 * factor)
    assert place == pytest.approx((30 * factor, 40 * factor), rel=1e-14)
    m = tm.PlanarModel("bars")
    m.linkage({"A": (0, 0), "B": (f"60 {unit}", 0), "C": place}, {"ground": "AB", "left": "AC", "right": ["B", "C"]})
    assert m["right"].position == pytest.approx((60 * factor, 0.0), rel=1e-15)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ("5 kg", "a mass [kg]"),
        ("3 s", "a time [s]"),
        ("L", "number with a unit"),
        ("2*L", "number with a unit"),
        ("60 mn", "mn"),
    ],
)
def test_texts_that_are_not_lengths_are_rejected(given, words):
    for call in (lambda: tm.meet((0, 0), (1, 0), given, 1.0), lambda: tm.meet((given, 0), (1, 0), 1.0, 1.0)):
        with pytest.raises(tm.ModelError) as caught:
            call()
        assert words in str(caught.value) and repr(given)[:3] in str(caught.value)


@given(st.floats(-1, 1), st.floats(-1, 1), st.floats(0.1, 2), st.floats(0.1, 2), st.sampled_from([1, -1]))
def test_places_meet_at_their_distances(x, y, a, b, side):
    p, q = (0.3, -0.2), (0.3 + x, -0.2 + y)
    gap = math.hypot(x, y)
    if gap < 1e-3 or not abs(a - b) < 0.999 * gap < 0.998 * (a + b):
        return
    place = tm.meet(p, q, a, b, side)
    # the distance across is a root of a difference: rounding grows near the ends of the reach
    assert math.dist(place, p) == pytest.approx(a, rel=1e-9)
    assert math.dist(place, q) == pytest.approx(b, rel=1e-9)
    across = x * (place[1] - p[1]) - y * (place[0] - p[0])
    assert across * side > 0
    assert tm.meet(complex(*p), complex(*q), a, b, side) == complex(*place)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (((0, 0), (6, 0), 2, 3), ["2 m", "3 m", "6 m"]), (((0, 0), (1, 0), 5, 1), ["5 m", "1 m"]), (((0, 0), (0, 0), 1, 1), ["differ"]),
        (((0, 0), (1, 0), -1, 1), ["a is -1"]), (((0, 0), (1, 0), 1, 1, 0), ["side is 0"]), (((0, 0, 0), (1, 0), 1, 1), ["first"]),
    ],
)  # fmt: skip
def test_places_that_cannot_meet_are_reported(arguments, words):
    with pytest.raises(tm.ModelError) as caught:
        tm.meet(*arguments)
    assert all(word in str(caught.value) for word in words)


@pytest.mark.parametrize("kind", [int, float, np.float64, np.int64])
def test_real_numbers_among_places_without_pairs_lie_on_the_x_axis(kind):
    D = kind(6)
    assert tm.meet(0j, D, 5, 5) == tm.meet(kind(0), 6 + 0j, 5, 5) == tm.meet(kind(0), D, 5, 5) == 3 + 4j
    m = tm.PlanarModel("four-bar")
    m.linkage(
        {"A": kind(0), "B": 1j, "C": 6 + 2j, "D": D},
        {"ground": "AD", "crank": "AB", "coupler": "BC", "rocker": "DC"},
    )
    assert (m["rocker"].position, m["crank"].position) == ((6.0, 0.0), (0.0, 0.0))
    for places in (((0, 0), 6), (0, (6, 0)), (True, (6, 0)), (True, 6j)):
        with pytest.raises(tm.ModelError, match=r"meet: (first|second)"):
            tm.meet(*places, 5, 5)


def test_a_linkage_is_the_four_bar_of_its_places():
    A, B, D = (0.0, 0.0), (0.03, 0.02), (0.1, 0.0)
    places = {"A": A, "B": B, "C": tm.meet(B, D, 0.09, 0.06), "D": D, "P": (0.02, 0.07)}
    m = tm.PlanarModel("four-bar")
    m.linkage(places, {"ground": ["A", "D"], "crank": "AB", "coupler": "BCP", "rocker": "CD"})
    m.driver("motor", "A.angle", f"{math.atan2(*B[::-1])!r} + 2*pi*t")
    k = m.kinematics(1.0, samples=13)
    assert list(m.points) == ["P"]
    C = k.point(m["rocker"].at(0, 0)).position  # origin of the rocker: its first place
    assert C[0] == pytest.approx(places["C"], abs=1e-12)
    crank = np.hypot(*(k.point(m["coupler"].at(0, 0)).position - A).T)
    assert crank == pytest.approx(np.full(13, math.dist(A, B)), abs=1e-12)
    assert np.hypot(*(C - D).T) == pytest.approx(np.full(13, 0.06), abs=1e-12)


@pytest.mark.parametrize(
    ("places", "bars", "words"),
    [
        ({"A": (0, 0), "B": (1, 0)}, {"bar": "AX"}, ["'bar'", "'X'"]),
        ({"A": (0, 0), "B": (1, 0)}, {"bar": "A"}, ["'bar'", "at least 2"]),
        ({"A": (0, 0), "B": (1, 0)}, {"bar": "ABA"}, ["'bar'", "twice"]),
        ({"A": (0, 0), "B": (0, 0)}, {"bar": "AB"}, ["'bar'", "coincide"]),
        ({"A": (0, "x"), "B": (0, 0)}, {"bar": "AB"}, ["'A'"]),
        ({}, {"bar": "AB"}, ["places"]),
        ({"A": (0, 0), "B": (1, 0)}, {"bar": 3}, ["'bar'"]),
    ],
)
def test_wrong_linkages_are_reported_and_leave_the_model_empty(places, bars, words):
    m = tm.PlanarModel("wrong")
    with pytest.raises(tm.ModelError) as caught:
        m.linkage(places, bars)
    assert all(word in str(caught.value) for word in words)
    assert list(m.bodies) == ["ground"]


# --- bars without mass, and traces ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("space", [False, True])
def test_a_bar_needs_a_mass_in_dynamics_only(space):
    m = tm.SpatialModel("pendulum") if space else tm.PlanarModel("pendulum")
    end = (0.3, 0.4, 0.0) if space else (0.3, 0.4)
    bar = m.bar("bar", (0.0,) * len(end), end)
    axis = {"axis": "z"} if space else {}
    m.revolute("A", m.ground, bar, at=(0.0,) * len(end), **axis)
    m.driver("motor", "A.angle", "t")
    k = m.kinematics(2.0, samples=5)
    tip = k.point(bar["b"]).position
    assert np.linalg.norm(tip, axis=1) == pytest.approx(np.full(5, 0.5), abs=1e-12)
    with pytest.raises(tm.ModelError, match="'bar' has no mass"):
        m.simulate(0.1)


@pytest.mark.parametrize("space", [False, True])
def test_ends_of_bars_at_joints_leave_no_traces(space):
    m = tm.SpatialModel("double pendulum") if space else tm.PlanarModel("double pendulum")
    place = (lambda x: (x, 0.0, 0.0)) if space else (lambda x: (x, 0.0))
    axis = {"axis": "z"} if space else {}
    m.bar("one", place(0.0), place(1.0), mass=1.0)
    m.bar("two", place(1.0), place(2.0), mass=1.0)
    m.revolute("A", m.ground, "one", at=place(0.0), **axis)
    m.revolute("B", "one", "two", at=place(1.0), **axis)
    m.point("at_pin", "two", at=place(1.0))
    assert default_traces(m) == ["two.b", "at_pin"]
    assert set(m.points) == {"one.a", "one.b", "two.a", "two.b", "at_pin"}


# --- bodies with slots ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("slots", [1, 2])
def test_a_body_with_slots_is_a_plate_round_them(slots):
    m = tm.PlanarModel("lever")
    crank, lever = m.body("crank"), m.body("lever", position=(0, -0.3), angle=math.pi / 2)
    m.revolute("O", m.ground, crank, at=(0, 0))
    m.revolute("L", m.ground, lever, at=(0, -0.3))
    pin = m.point("p", crank, local=(0.1, 0))
    for k in range(slots):
        m.point_on_line(f"S{k}", lever, pin, line=(lever.at(0, 0), lever.at(1, 0.2 * k)))
    shapes = next(body for body in build_scene(still(m)).bodies if body.name == "lever").shapes
    plate = next(shape for shape in shapes if shape.kind == "polygon")
    for groove in (shape for shape in shapes if shape.role == "groove"):
        for x, y in groove.points:
            assert inside(plate.points, x, y)


def inside(corners, x, y):
    """Return True if a convex polygon, counter-clockwise or clockwise, contains a place."""
    sides = [
        (x2 - x1) * (y - y1) - (y2 - y1) * (x - x1)
        for (x1, y1), (x2, y2) in zip(corners, [*corners[1:], corners[0]], strict=True)
    ]
    return min(sides) > 0 or max(sides) < 0


def test_a_slot_reaches_as_far_as_its_pin_while_it_is_active():
    m = tm.PlanarModel("Geneva wheel")
    crank, wheel = m.body("crank", angle=math.pi), m.body("wheel", position=(math.sqrt(2), 0))
    m.revolute("O", m.ground, crank, at=(0, 0))
    m.revolute("W", m.ground, wheel, at=(math.sqrt(2), 0))
    pin = m.point("pin", crank, local=(1, 0))
    m.driver("motor", "O.angle", "pi + 2*pi*t")
    m.point_on_line("slot", wheel, pin, line=(wheel.at(0, 0), wheel.at(1, 1)))
    m.constrain("lock", wheel.phi)
    m.phase("rest", active=["lock"], hold=["lock"])
    m.phase("turn", active=["slot"])
    m.switch("enter", "rest", "turn", when="cos(crank.phi) - cos(pi/4)", direction=1)
    m.switch("leave", "turn", "rest", when="cos(crank.phi) - cos(pi/4)", direction=-1)
    scene = build_scene(m.kinematics(0.6, samples=121))
    wheel_shapes = next(body for body in scene.bodies if body.name == "wheel").shapes
    groove = next(shape for shape in wheel_shapes if shape.role == "groove")
    reach = max(math.hypot(*p) for p in groove.points)
    assert 1.0 < reach < 1.3  # the pin enters at the radius 1; while the wheel is locked it lies up to 2.4 away
