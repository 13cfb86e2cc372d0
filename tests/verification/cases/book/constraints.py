"""Constraints of Nikravesh: redundancy, Jacobians and right sides in the plane and in space, and a cam drawn by points."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
from scipy.interpolate import CubicSpline

import pytrammel as tm
from book_primitives import BLOCKS, O4, ORACLE, STATE, STATE_O4, At
from mechanisms import cam, circles_meet, double_parallel_crank, four_bar, quick_return, slider_crank, xy
from verification.case import Row, case
from verification.cases.book.kap import BOOK
from verification.cases.book.kinematics import DIGITS, QUIET, ROUNDING, last

AREA = "Nikravesh: constraints"


def carriers(name: str, **numbers: float) -> tm.PlanarModel:
    """Return a model whose bodies carry one unknown number each, as their angle."""
    m = tm.PlanarModel(name)
    for key, value in numbers.items():
        m.body(key, angle=value)
        m.constrain(f"{key}_at_x", f"{key}.x")
        m.constrain(f"{key}_at_y", f"{key}.y")
    return m


@case("Redundant rows of example 3.1 and of the double parallel crank", area=AREA,
      source=f"{BOOK}, ex. 3.1 (Φ1 = Φ3 + Φ5, Φ2 = Φ4 + Φ6), fig. 3.8 and section 3.1.5", reason="counts",
      uses="equation, revolute, prismatic; mobility")  # fmt: skip
def redundant() -> Iterator[Row]:
    m = carriers("example 3.1", l1=3.0, phi1=0.5, l2=5.0, phi2=0.1, l3=3.0)
    for name, formula in {
        "phi1": "6*cos(phi1.phi) - l2.phi", "phi2": "6*sin(phi1.phi) - l3.phi",
        "phi3": "l1.phi*cos(phi1.phi) - 2*cos(phi2.phi)", "phi4": "l1.phi*sin(phi1.phi) - 2*sin(phi2.phi) - l3.phi + 3",
        "phi5": "2*cos(phi2.phi) + (6 - l1.phi)*cos(phi1.phi) - l2.phi",
        "phi6": "2*sin(phi2.phi) + (6 - l1.phi)*sin(phi1.phi) - 3",
    }.items():  # fmt: skip
        m.equation(f"row_{name}", formula, unit="1")
    found = m.mobility()
    yield Row("example 3.1, redundant rows and degrees of freedom", "", [2, 1], [len(found.redundant), found.dof], 0.5)
    found = double_parallel_crank().mobility()
    counts = [found.coordinates, found.constraints, found.rank, found.count, found.dof]
    yield Row("double parallel crank: coordinates, rows, rank, count, freedoms", "", [12, 12, 11, 0, 1], counts, 0.5)
    # without the ground's own three coordinates and rows: 12 - 11, 12 - 11 and 18 - 17 in the book
    for name, m, coordinates, rows in (
        ("four-bar", four_bar(1, 3, 3, 3), 9, 8), ("slider-crank", slider_crank(1, 3), 9, 8),
        ("quick-return", quick_return(0.1, 0.25, 0.5, 0.2, 0.55), 15, 14),
    ):  # fmt: skip
        found = m.mobility()
        counts = [found.coordinates, found.constraints, found.dof]
        yield Row(f"{name}: coordinates, rows, freedoms", "", [coordinates, rows, 1], counts, 0.5)


@case("Examples 3.3 and 3.5, Jacobians and accelerations of general equations", area=AREA, source=f"{BOOK}, ex. 3.3 and 3.5",
      reason="a few hundred roundings of numbers of order one to ten", uses="equation, driver; kinematics")  # fmt: skip
def general_equations() -> Iterator[Row]:
    m = carriers("example 3.3", p1=0.5, p2=-1.0, p3=1.0, p4=2.0)
    body = "2*{f}(p1.phi) + 3*{f}(p1.phi - p2.phi) - 2*{f}(p3.phi + p4.phi) - 4*{f}(p4.phi) - {c}"
    m.equation("with_cos", body.format(f="cos", c=5), unit="1")
    m.equation("with_sin", body.format(f="sin", c=1), unit="1")
    m.driver("first", "p1.phi", "0.5 + 0.3*t + 0.1*t^2")
    m.driver("third", "p3.phi", "1.0 - 0.2*t")
    k = m.kinematics(1.0, samples=5, **QUIET)
    p, w, a = (np.array([getattr(k[f"p{n}"], part) for n in range(1, 5)]) for part in ("phi", "omega", "alpha"))
    arguments = p[0], p[0] - p[1], p[2] + p[3], p[3]
    (s1, s12, s34, s4), (c1, c12, c34, c4) = np.sin(arguments), np.cos(arguments)
    # Phi_q of the book, by columns; the second row is -cos where the first is sin
    first = np.array([-2 * s1 - 3 * s12, 3 * s12, 2 * s34, 2 * s34 + 4 * s4])
    second = np.array([2 * c1 + 3 * c12, -3 * c12, -2 * c34, -2 * c34 - 4 * c4])
    squares = 2 * w[0] ** 2, 3 * (w[0] - w[1]) ** 2, -2 * (w[2] + w[3]) ** 2, -4 * w[3] ** 2
    gammas = [sum(x * y for x, y in zip(f, squares, strict=True)) for f in ((c1, c12, c34, c4), (s1, s12, s34, s4))]
    for name, row, gamma in (("first", first, gammas[0]), ("second", second, gammas[1])):
        yield Row(f"example 3.3, {name} row: Φ_q q'", "", np.zeros(5), (row * w).sum(axis=0), ROUNDING)
        yield Row(f"example 3.3, {name} row: Φ_q q''", "1/s²", gamma, (row * a).sum(axis=0), ROUNDING)
    m = carriers("example 3.5", x1=0.0, x2=0.2, x3=0.0, x4=-0.5)
    m.equation("first", "x1.phi^2 + 2*x2.phi*x3.phi - x1.phi*x4.phi", unit="1")
    m.equation("second", "3*x1.phi*x2.phi - x2.phi^2 + x3.phi*x4.phi - x3.phi", unit="1")
    m.driver("drive2", "x2.phi", "0.2*t")
    m.driver("drive4", "x4.phi", "-0.5*t + 0.03*t^2")
    k = m.kinematics(1.0, samples=6, start_time=1.0, **QUIET)  # at 0 s the equations are singular
    x, v, a = (np.array([getattr(k[f"x{n}"], part) for n in range(1, 5)]) for part in ("phi", "omega", "alpha"))
    rows = [[2 * x[0] - x[3], 2 * x[2], 2 * x[1], -x[0]], [3 * x[1], 3 * x[0] - 2 * x[1], x[3] - 1, x[2]]]
    gammas = [
        -(2 * v[0] ** 2 + 4 * v[1] * v[2] - 2 * v[0] * v[3]), -(6 * v[0] * v[1] - 2 * v[1] ** 2 + 2 * v[2] * v[3])
    ]  # fmt: skip
    for name, row, gamma in zip(("first", "second"), rows, gammas, strict=True):
        yield Row(f"example 3.5, {name} row: Φ_q q'", "", np.zeros(6), (np.array(row) * v).sum(axis=0), ROUNDING)
        yield Row(f"example 3.5, {name} row: Φ_q q''", "1/s²", gamma, (np.array(row) * a).sum(axis=0), ROUNDING)


@case("Tables 7.1 and 7.2, basic constraints in space", area=AREA,
      source=f"{BOOK}, tables 7.1 and 7.2 at a state of two bodies with rational rotation matrices, recomputed independently",
      reason="short decimals: rounding of sums of a few dozen products up to 100; the last constraint has ten decimals",
      uses="axis_dot, axis_offset, point_offset, point_distance, relative_parameters")  # fmt: skip
def tables_7() -> Iterator[Row]:
    at = At(STATE)
    parts = {"phi": "value", "rate": "rate", "jacobian": "Jacobian", "gamma": "right side of accelerations"}
    for name, numbers in ORACLE.items():
        rows = at.rows(name)
        for part, title in parts.items():
            tolerance = 1e-9 if name == "th18" else ROUNDING
            yield Row(f"{name}, {title}", "", numbers[part], getattr(rows, part), tolerance)


@case("Table 11.1, basic constraints with angular velocities", area=AREA,
      source=f"{BOOK}, table 11.1 at a state of two bodies, recomputed with six decimals", reason="six decimals",
      uses="axis_dot, axis_offset, point_offset, point_distance")  # fmt: skip
def table_11_1() -> Iterator[Row]:
    at = At(STATE_O4)
    for name, numbers in O4.items():
        rows = at.rows(name)
        for part, expected in numbers.items():
            found = rows.jacobian[:, BLOCKS[part]] if part in BLOCKS else getattr(rows, part)
            yield Row(f"{name}, {part.replace('_', ' of ')}", "", expected, found, 1.5e-6)


# theta [deg]: radius [cm] of the outline, and its periodic cubic spline at other angles: s, s', s''
TABLE_4_1 = {
    0: 3.70, 30: 4.55, 60: 6.80, 70: 8.38, 80: 10.65, 90: 12.46, 100: 11.10, 110: 8.65, 120: 7.04, 150: 4.63, 180: 3.80,
    225: 3.62, 270: 3.80, 315: 3.62, 360: 3.70,
}  # fmt: skip
SPLINE_4_1 = {
    0: (3.700000, 0.868137, 2.827453), 15: (4.025156, 1.619626, 2.913499), 45: (5.352637, 4.017618, 9.40672),
    65: (7.506634, 8.964303, 21.893924), 85: (11.827585, 11.530975, -71.587427), 90: (12.46, 1.802477, -151.373337),
    95: (12.119778, -8.696004, -89.23412), 105: (9.840802, -14.562172, 8.981255), 135: (5.536645, -4.445134, 8.706158),
    200: (3.620691, -0.247037, 1.348786), 250: (3.738375, 0.275934, -0.30693), 300: (3.705764, -0.316019, -0.232176),
    345: (3.559609, 0.242598, 1.951311),
}  # fmt: skip


@case("Table 4.1, outline of a cam", area=AREA, source=f"{BOOK}, table 4.1 and eq. 4.23; periodic cubic spline with six decimals",
      reason=DIGITS, uses="polar_table, cam_point; kinematics")  # fmt: skip
def outline() -> Iterator[Row]:
    angles, radii = np.radians(list(TABLE_4_1)), np.array(list(TABLE_4_1.values()))
    curve = tm.curves.polar_table(angles, radii, name="Table 4.1")
    degrees, table = np.array(list(SPLINE_4_1), float), np.array(list(SPLINE_4_1.values()))
    # a cam that turns backwards at 1 rad/s under a point on the y axis shows y = s(t) with its derivatives
    m = cam("point", curve, start=math.pi / 2, rate=-1.0, height=3.7)
    k = m.kinematics(times=np.radians(degrees), **QUIET)["follower"]
    axis = "angle of the outline [deg]"
    for j, (name, unit, found) in enumerate(
        [("radius", "cm", k.y), ("slope", "cm/rad", k.vy), ("second derivative", "cm/rad²", k.ay)]
    ):
        yield Row(f"{name} between the points", unit, table[:, j], found, last(6), at=degrees, axis=axis)
    dense = np.radians(np.linspace(1, 359, 180))
    k = m.kinematics(times=[0.0, *dense], **QUIET)["follower"]
    exact = CubicSpline(angles, radii, bc_type="periodic")(dense)
    yield Row("radius, SciPy's spline", "cm", exact, k.y[1:], 1e-11, at=np.degrees(dense), axis=axis)


@case("Problems 4.9 and 4.10, products of vectors and violated joints", area=AREA,
      source=f"{BOOK}, prob. 4.9 (2.16) and 4.10, recomputed with six decimals", reason=DIGITS,
      uses="point, revolute; measures of the drawn pose")  # fmt: skip
def products() -> Iterator[Row]:
    m = tm.PlanarModel("problem 4.9")
    m.body("one", position=(6.2, 1.0), angle=math.radians(30))
    m.body("two", position=(-1.9, 2.3), angle=math.radians(45))
    P, Q = m["one"].at(1.2, -0.5), m["two"].at(-0.3, 0.8)
    one, two = (np.array([x.x0, x.y0]) for x in (m["one"].at(0, 0), m["two"].at(0, 0)))
    s1, s2 = np.array([P.x0, P.y0]) - one, np.array([Q.x0, Q.y0]) - two
    yield Row("s1 · s2, s1 · d, s1 × d", "m²", [-0.943747, -10.225683, 3.028597],
              [s1 @ s2, s1 @ (two - one), s1[0] * (two - one)[1] - s1[1] * (two - one)[0]], last(6))  # fmt: skip
    m = tm.PlanarModel("problem 4.10")
    m.body("one", position=(-2, 2.5), angle=math.radians(-12))
    m.body("two", position=(0.5, 3.6), angle=math.radians(-8))
    m.body("three", position=(1.6, 1.7), angle=math.radians(56))
    ends = [(m["one"].at(0, 1.5), m["two"].at(-2.2, 0)), (m["two"].at(2.2, 0), m["three"].at(2, 0))]
    gaps = [[a.x0 - b.x0, a.y0 - b.y0] for a, b in ends]
    yield Row("gaps of the joints A and B", "m", [[-0.009543, 0.061041], [-0.039796, -0.064256]], gaps, last(6))


@case("Problems 5.5 and 5.6, two turns through change points", area=AREA,
      source=f"{BOOK}, prob. 5.5 and 5.6: the other assembly after one turn; Galloway's linkage turns once for two turns",
      reason="rounding, amplified twentyfold near the change points", uses="revolute; kinematics through singular positions")  # fmt: skip
def two_turns() -> Iterator[Row]:
    k = four_bar(1.2, 1.4, 1.6, 1.0).kinematics(2 * math.tau, samples=3, **QUIET)
    C = k.point(k.model["coupler"].at(0.7, 0)).position
    yield Row("prob. 5.5, pin C after one turn", "m", xy(circles_meet(1.2j, 1.0 + 0j, 1.4, 1.6, -1)), C[1], 1e-11)
    yield Row("prob. 5.5, pin C after two turns", "m", xy(circles_meet(1.2j, 1.0 + 0j, 1.4, 1.6, 1)), C[2], 1e-11)
    k = four_bar(1.0, 1.5, 1.5, 1.0).kinematics(2 * math.tau, samples=361, **QUIET)
    turn = float(k["rocker"].phi[-1] - k["rocker"].phi[0])
    yield Row("prob. 5.6, turn of the long crank", "rad", math.tau, turn, 1e-11)
