"""Rise laws against the cam literature, splines against SciPy and the book, motion programs."""

from __future__ import annotations

import math
from math import cos, pi, sin

import numpy as np
import pytest
from scipy.interpolate import CubicSpline

import pytrammel as tm
from pytrammel import opcodes
from pytrammel.errors import ModelError
from pytrammel.expressions.expression import parse, time, variable
from pytrammel.expressions.profiles import constant_acceleration, dwell, fall, harmonic_motion, motion, polynomial, rise
from pytrammel.expressions.rise_laws import LAWS
from pytrammel.expressions.tables import Table, spline

# peak velocity and acceleration, in rise/duration and rise/duration^2: Norton, Cam Design and Manufacturing Handbook,
# tables of double-dwell functions; closed forms for the first four
PEAKS = {
    "uniform": (1.0, 0.0),
    "poly23": (1.5, 6.0),
    "harmonic": (pi / 2, pi**2 / 2),
    "cycloidal": (2.0, 2 * pi),
    "poly345": (1.875, 10 / math.sqrt(3)),
    "poly4567": (2.1875, 7.5132),
    "modified_sine": (1.7596, 5.5280),
    "modified_trapezoid": (2.0, 4.8881),
}


def modified_sine(u: float) -> float:
    # Chen, Mechanics and Design of Cam Mechanisms, section 2.9
    if u < 1 / 8:
        return (pi * u - sin(4 * pi * u) / 4) / (4 + pi)
    if u < 7 / 8:
        return (2 + pi * u - 9 / 4 * sin((4 * pi * u + pi) / 3)) / (4 + pi)
    return (4 + pi * u - sin(4 * pi * u) / 4) / (4 + pi)


def modified_trapezoid(u: float) -> float:
    # Chen, section 2.8; the second half is the first one turned about the middle
    if u > 0.5:
        return 1 - modified_trapezoid(1 - u)
    scale = 1 / (2 + pi)
    if u < 1 / 8:
        return scale * (2 * u - sin(4 * pi * u) / (2 * pi))
    if u < 3 / 8:
        return scale * (1 / 4 - 1 / (2 * pi) + 2 * (u - 1 / 8) + 4 * pi * (u - 1 / 8) ** 2)
    h = u - 3 / 8
    # the sine piece again integrated from the constant one: value, slope and acceleration continue
    value = scale * (1 / 4 - 1 / (2 * pi) + 1 / 2 + pi / 4)
    return value + scale * (2 + 2 * pi) * h + scale / (2 * pi) * (1 - cos(4 * pi * h))


CLOSED_FORMS = {
    "uniform": lambda u: u,
    "poly23": lambda u: 3 * u**2 - 2 * u**3,
    "harmonic": lambda u: (1 - cos(pi * u)) / 2,
    "cycloidal": lambda u: u - sin(2 * pi * u) / (2 * pi),
    "poly345": lambda u: 10 * u**3 - 15 * u**4 + 6 * u**5,
    "poly4567": lambda u: 35 * u**4 - 84 * u**5 + 70 * u**6 - 20 * u**7,
    "modified_sine": modified_sine,
    "modified_trapezoid": modified_trapezoid,
}


@pytest.mark.parametrize("name", opcodes.LAW_NAMES)
def test_laws_match_their_closed_forms_and_peaks(name: str) -> None:
    u = np.linspace(0.0, 1.0, 2000, endpoint=False)
    law = LAWS[name].pieces
    exact = [CLOSED_FORMS[name](value) for value in u]
    assert law.evaluate(u) == pytest.approx(exact, abs=5e-14)  # coefficients up to 84, each product rounded twice
    velocity, acceleration = np.max(law.evaluate(u, 1)), np.max(np.abs(law.evaluate(u, 2)))
    # sources print five figures; the samples miss a peak by less than (1/4000)^2 times its curvature
    assert velocity == pytest.approx(PEAKS[name][0], rel=3e-5)
    assert acceleration == pytest.approx(PEAKS[name][1], rel=3e-5)


@pytest.mark.parametrize("name", opcodes.LAW_NAMES)
def test_laws_rest_outside(name: str) -> None:
    law = LAWS[name].pieces
    assert list(law.evaluate([-3.0, -1e-9, 0.0])) == [0.0, 0.0, 0.0]
    assert list(law.evaluate([1.0, 1.5, 2.0, 7.0])) == [1.0, 1.0, 1.0, 1.0]
    for order in (1, 2, 3):
        assert list(law.evaluate([-3.0, -1e-9, 1.0, 1.5, 2.0, 7.0], order)) == [0.0] * 6


# derivatives that are continuous everywhere, ends included (Norton, section 3: cycloidal, 3-4-5, modified laws have
# continuous acceleration, 4-5-6-7 has continuous jerk)
SMOOTHNESS = {"uniform": 0, "poly23": 1, "harmonic": 1, "cycloidal": 2, "poly345": 2, "poly4567": 3, "modified_sine": 2,
              "modified_trapezoid": 2}  # fmt: skip


@pytest.mark.parametrize("name", opcodes.LAW_NAMES)
def test_laws_are_as_smooth_as_they_should_be(name: str) -> None:
    law = LAWS[name].pieces
    gap = 1e-9
    for order in range(SMOOTHNESS[name] + 2):
        jumps = [
            abs(float(law.evaluate(u + gap, order) - law.evaluate(u - gap, order))) for u in (0.0, *law.breaks, 1.0)
        ]
        if order <= SMOOTHNESS[name]:
            # over the gap a continuous derivative moves by the next one, at most a few thousand, times the gap
            assert max(jumps) < 1e-5
        else:
            assert max(jumps) > 0.9  # and the next one does jump: by 1 for the uniform law, by more for the others


# Nikravesh, Computer-Aided Analysis of Mechanical Systems, Table 4.1: angle [deg], radius [cm]
NIKRAVESH = [
    (0, 3.70), (30, 4.55), (60, 6.80), (70, 8.38), (80, 10.65), (90, 12.46), (100, 11.10), (110, 8.65), (120, 7.04),
    (150, 4.63), (180, 3.80), (225, 3.62), (270, 3.80), (315, 3.62), (360, 3.70),
]  # fmt: skip
# periodic cubic spline through them (project oracle, six decimals): angle [deg], s, ds/dtheta, d2s/dtheta2
NIKRAVESH_SPLINE = [
    (0, 3.700000, 0.868137, 2.827453), (15, 4.025156, 1.619626, 2.913499), (45, 5.352637, 4.017618, 9.40672),
    (65, 7.506634, 8.964303, 21.893924), (85, 11.827585, 11.530975, -71.587427), (90, 12.46, 1.802477, -151.373337),
    (95, 12.119778, -8.696004, -89.23412), (105, 9.840802, -14.562172, 8.981255), (135, 5.536645, -4.445134, 8.706158),
    (200, 3.620691, -0.247037, 1.348786), (250, 3.738375, 0.275934, -0.30693), (300, 3.705764, -0.316019, -0.232176),
    (345, 3.559609, 0.242598, 1.951311),
]  # fmt: skip


def test_nikravesh_cam_outline() -> None:
    theta, radius = np.radians([row[0] for row in NIKRAVESH]), [row[1] for row in NIKRAVESH]
    outline = spline(theta, radius, kind="periodic", name="cam")
    for degrees, *expected in NIKRAVESH_SPLINE:
        got = [float(outline.pieces.evaluate(math.radians(degrees), order)) for order in range(3)]
        assert got == pytest.approx(expected, abs=6e-7)  # half of the last printed decimal


SCIPY_ENDS = {"cubic": "not-a-knot", "natural": "natural", "clamped": "clamped", "periodic": "periodic"}


@pytest.mark.parametrize("kind", SCIPY_ENDS)
@pytest.mark.parametrize("n", [3, 4, 5, 12])
def test_splines_match_scipy(kind: str, n: int) -> None:
    rng = np.random.default_rng(n)
    x, y = np.cumsum(rng.uniform(0.2, 1.0, n)), rng.normal(size=n)
    if kind == "periodic":
        y[-1] = y[0]
    table = spline(x, y, kind=kind)  # type: ignore[arg-type]
    reference = CubicSpline(x, y, bc_type=SCIPY_ENDS[kind])
    at = np.linspace(x[0], x[-1], 101)[:-1]
    for order in range(4):
        exact = reference(at, order)
        # two eliminations of well-conditioned systems; third derivatives divide by cubes of lengths above 0.2
        assert table.pieces.evaluate(at, order) == pytest.approx(
            exact, rel=1e-10, abs=1e-11 * np.max(np.abs(exact)) + 1e-12
        )


def test_outside_the_points() -> None:
    x, y = [0.0, 1.0, 2.0, 4.0], [0.0, 1.0, 0.0, 3.0]
    table = spline(x, y)
    value, slope = table(4.0), float(table.pieces.evaluate(4.0, 1))
    assert table(6.0) == pytest.approx(value + 2 * slope, rel=1e-14)  # straight on; one rounding
    assert float(table.pieces.evaluate(6.0, 1)) == pytest.approx(slope, rel=1e-14)
    assert float(table.pieces.evaluate(6.0, 2)) == 0.0
    assert Table("held", x, y, outside="hold")(6.0) == pytest.approx(3.0, rel=1e-14)
    wave = spline([0.0, 1.0, 3.0], [0.0, 1.0, 0.0], kind="periodic")
    # wrapping an argument near 30 loses a few units in the last place
    assert wave(0.7 - 3 * 10) == pytest.approx(wave(0.7), rel=1e-13)


def test_few_points_lower_the_degree() -> None:
    assert spline([0.0, 2.0], [1.0, 5.0])(0.5) == 2.0  # a line
    parabola = spline([0.0, 1.0, 3.0], [0.0, 1.0, 9.0])  # through x^2
    assert parabola(2.0) == pytest.approx(4.0, rel=1e-15)


@pytest.mark.parametrize(
    ("x", "y", "kind", "sentence"),
    [
        ([0, 0.1, 0.3, 0.2], [1, 2, 3, 4], "cubic",
         r"table 'lift': x must increase, but x\[3\] = 0.2 is not greater than x\[2\] = 0.3; sort the rows or remove"),
        ([0, 1, 1], [1, 2, 3], "linear", r"x\[2\] = 1 is not greater than x\[1\] = 1"),
        ([0, 1, 2], [1, math.nan, 3], "cubic", r"y\[1\] = nan is not a number"),
        ([0, math.inf, 2], [1, 2, 3], "cubic", r"x\[1\] = inf"),
        ([0, 1, 2], [1, 2], "cubic", "x has 3 numbers and y has 2"),
        ([0], [1], "cubic", "1 points given, a cubic table needs at least 2"),
        ([0, 1], [1, 1], "periodic", "at least 3"),
        ([0, 1, 2], [1, 2, 3], "periodic", r"y\[0\] = 1 and y\[2\] = 3; make them equal"),
        ([0, 1], [1, 2], "quintic", "'quintic' is not one of cubic, natural"),
        ([[0, 1]], [1, 2], "cubic", "must be one list"),
        ("abc", [1, 2], "cubic", "must be a list of numbers"),
    ],
)  # fmt: skip
def test_bad_tables_are_explained(x: list[float], y: list[float], kind: str, sentence: str) -> None:
    with pytest.raises(ModelError, match=sentence):
        Table("lift", x, y, kind=kind)  # type: ignore[arg-type]


def test_table_names_must_be_readable_in_formulas() -> None:
    for name in ("sin", "pi", "my table"):
        with pytest.raises(ModelError, match="by this name"):
            Table(name, [0, 1], [0, 1])


def test_motion_program() -> None:
    lift = motion(0.01, [dwell(0.5), rise(0.03, 1.0, law="poly345"), dwell(0.5), fall(0.01, 2.0)], repeat=True)
    at = {"dwell": 0.2, "middle of rise": 1.0, "top": 1.7, "middle of fall": 3.0, "next turn": 5.0, "before": -3.0}
    # symmetric laws are half way at half time; the period is 4 s
    expected = {
        "dwell": 0.01,
        "middle of rise": 0.02,
        "top": 0.03,
        "middle of fall": 0.02,
        "next turn": 0.02,
        "before": 0.02,
    }
    for moment, value in expected.items():
        assert lift.evaluate({"t": at[moment]}) == pytest.approx(value, rel=1e-14), moment
    # peak velocity of the 3-4-5 law: 1.875 rise / duration
    assert lift.derivative("t").evaluate({"t": 1.0}) == pytest.approx(1.875 * 0.02, rel=1e-14)
    assert lift.names == {"t"}


@pytest.mark.parametrize("law", ["cycloidal", "poly345", "modified_sine"])
@pytest.mark.parametrize(("start", "to"), [(0.0, 0.3), (1.0, -0.25), (0.1, 0.1 + 2 * pi / 6)])
def test_a_repeated_motion_that_ends_elsewhere_advances(law: str, start: float, to: float) -> None:
    # an index drive: after n periods the program has moved by n steps, and half a step in the middle of a rise
    index = motion(start, [rise(to, 0.4, law=law), dwell(0.3)], repeat=True)
    for n in (0, 1, 7, 1000, -3):
        at = {moment: index.evaluate({"t": 0.7 * n + moment}) for moment in (0.2, 0.55)}
        assert at[0.2] == pytest.approx(start + (n + 0.5) * (to - start), rel=1e-12)
        assert at[0.55] == pytest.approx(start + (n + 1) * (to - start), rel=1e-12)
        assert index.derivative("t").evaluate({"t": 0.7 * n + 0.55}) == pytest.approx(0.0, abs=1e-12)
    for n in range(1, 50):  # no jump at the seam, whichever side rounding takes
        seam = [index.evaluate({"t": t}) for t in (np.nextafter(0.7 * n, 0), 0.7 * n, np.nextafter(0.7 * n, 99))]
        assert np.ptp(seam) < 1e-12 * n


def test_motion_of_another_variable_stays_at_its_end() -> None:
    lift = motion(0.0, [rise(2.0, pi)], variable=variable("cam.phi"))
    assert lift.names == {"cam.phi"}
    assert lift.evaluate({"cam.phi": 10.0}) == 2.0 and lift.evaluate({"cam.phi": -1.0}) == 0.0


def test_motion_mistakes() -> None:
    with pytest.raises(ModelError, match="no segments"):
        motion(0.0, [])
    with pytest.raises(ModelError, match="duration must be greater than 0, not -1"):
        rise(1.0, -1.0)
    with pytest.raises(ModelError, match=r"no law 'cycloid'.*Did you mean 'cycloidal'"):
        rise(1.0, 1.0, law="cycloid")


def test_motions_in_closed_form() -> None:
    assert polynomial(1.0, 2.0, 3.0).evaluate({"t": 2.0}) == 17.0  # 1 + 4 + 12
    assert polynomial(1.0) == parse("1")
    assert constant_acceleration(1.0, 2.0, 3.0).evaluate({"t": 2.0}) == 11.0  # 1 + 4 + 6
    swing = harmonic_motion(0.1, 2.0, phase=pi / 2, mean=1.0)
    assert swing.evaluate({"t": 0.25}) == pytest.approx(0.9, rel=1e-15)  # half a period later: the other extreme
    assert swing.derivative("t").derivative("t").evaluate({"t": 0.0}) == pytest.approx(-0.1 * (4 * pi) ** 2, rel=1e-15)
    assert str(constant_acceleration(0.0, 1.0, 4.0)) == "t*(1 + 2*t)"
    assert time == parse("t")


@pytest.mark.parametrize("law", ["lift(t)*scale", "sin(t/scale) + lift(t)", "lift'(scale*t)"])
def test_parameters_beside_a_table_are_used(law):
    m = tm.PlanarModel("lifted")
    m.parameter("scale", 0.2)
    m.parameter("top", 2.0)
    m.parameter("idle", 1.0)
    m.define_table("lift", {"x": [0.0, 1.0, 2.0], "y": [0.0, "top", 0.0]})
    m.body("a", mass=1.0, inertia=1.0)
    m.torque("push", "a", torque=law)
    assert m.unused_parameters == ("idle",)
