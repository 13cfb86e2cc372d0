"""Kinematics of Nikravesh, chapters 1 to 3 and problems of chapter 5, recomputed where the print has two or three digits."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

import pytrammel as tm
from book_mechanisms import chebyshev_reversing, example_3_2, lambda_linkage
from mechanisms import elliptic_trammel, four_bar, geneva, pantograph, peaucellier, slider_crank, turned, turning
from verification.case import Row, case
from verification.cases.book.kap import BOOK

AREA = "Nikravesh: kinematics"
DIGITS = "half a unit of the last digit given"
EXACT = "a few hundred roundings of numbers of order one to ten"
ROUNDING = 1e-12
QUIET = {"progress": False}
CRANK_AXIS = "crank angle [deg]"


def last(digits: int) -> float:
    """Half a unit of the last of some decimals, with rounding."""
    return 0.51 * 10.0**-digits


@case("Slider-crank of section 1.2", area=AREA, source=f"{BOOK}, section 1.2, recomputed with six digits", reason=DIGITS,
      uses="revolute, prismatic, driver; kinematics")  # fmt: skip
def section_1_2() -> Iterator[Row]:
    k = slider_crank(0.1, 0.2, crank=math.radians(30), motion="pi/6 - t").kinematics(times=[0.0], **QUIET)
    pin = k.point(k.model["crank"].at(0.05, 0)).velocity[0]
    relative = k["slider"].velocity[0] - pin
    yield Row("angle of the rod below the slide", "deg", 14.4775, -math.degrees(k["rod"].phi[0]), last(4))
    yield Row("position of the slider", "m", 0.280252, k["slider"].x[0], last(6))
    yield Row("speed of the rod, -1/√5", "rad/s", -0.447214, -k["rod"].omega[0], last(6))
    yield Row("speed of the slider", "m/s", 0.0723607, k["slider"].vx[0], last(7))
    yield Row("speed of the rod's end relative to the crank pin", "m/s", 0.0894427, math.hypot(*relative), last(7))
    size = np.linalg.norm(relative)
    between = np.degrees(np.arccos(-pin @ relative / np.linalg.norm(pin) / size))
    yield Row(
        "angles of the velocity polygon",
        "deg",
        [44.48, 75.52],
        [between, np.degrees(np.arccos(abs(relative[0]) / size))],
        last(2),
    )


# number of 9-degree steps after phi1 = 2.36: phi2, phi3, phi2d, phi3d, phi2dd, phi3dd
FOUR_BAR_TABLE = {
    0: (0.5700, 2.1145, 0.7637, 4.0900, 6.6192, -5.3867),
    1: (0.5912, 2.2149, 0.9362, 3.9330, 7.2071, -7.1733),
    2: (0.6170, 2.3108, 1.1251, 3.7312, 7.9136, -8.9743),
    3: (0.6476, 2.4011, 1.3322, 3.4845, 8.6561, -10.7446),
    10: (1.0241, 2.8027, 2.9012, 0.9963, 6.1060, -14.4805),
    20: (1.6913, 2.5939, 0.9276, -3.3085, -34.2420, -33.4859),
    30: (0.6293, 1.1801, -2.2870, 1.2744, 41.0618, 60.3300),
    39: (0.5529, 2.0108, 0.6038, 4.2024, 6.2112, -3.6096),
    40: (0.5700, 2.1145, 0.7637, 4.0900, 6.6192, -5.3867),
}
LOOP = ["0.2*cos(p1) + 0.4*cos(p2) - 0.3*cos(p3) - 0.35", "0.2*sin(p1) + 0.4*sin(p2) - 0.3*sin(p3) - 0.1"]


@case("Examples 3.2 and 3.4, four-bar through a revolution", area=AREA, source=f"{BOOK}, ex. 3.2 and 3.4, recomputed with four decimals",
      reason=DIGITS, uses="bodies and pins, equations of bodies, or tm.textbook.solve on formulas; kinematics")  # fmt: skip
def example_3_2_and_3_4() -> Iterator[Row]:
    steps, table = np.array(list(FOUR_BAR_TABLE)), np.array(list(FOUR_BAR_TABLE.values()))
    r = example_3_2().kinematics(1.0, output_step=0.025, **QUIET)
    pins = np.column_stack([getattr(r[b], q) for q in ("phi", "omega", "alpha") for b in ("coupler", "rocker")])
    s = tm.textbook.solve(LOOP, {"p2": 0.57, "p3": 2.11}, given={"p1": "2.36 + 2*pi*t"}, times=0.025 * np.arange(41))
    formulas = np.hstack([s.x, s.v, s.a])
    names = [
        (f"{q} of {b}", u)
        for q, u in (("angle", "rad"), ("speed", "rad/s"), ("acceleration", "rad/s²"))
        for b in ("coupler", "rocker")
    ]
    for model, found in (("bodies and pins", pins), ("formulas", formulas)):
        for k, (name, unit) in enumerate(names):
            yield Row(
                f"{name} ({model})",
                unit,
                table[:, k],
                found[steps, k],
                last(4),
                at=steps * 9.0,
                axis="crank turned by [deg]",
            )
    other = example_3_2(side=-1).kinematics(times=[0.0], **QUIET)
    yield Row(
        "angles of the other branch",
        "rad",
        [-0.7358, -2.2803],
        [other[b].phi[0] for b in ("coupler", "rocker")],
        last(4),
    )


@case("Example 3.13, disk and plane", area=AREA, source=f"{BOOK}, ex. 3.13: table of iterations, recomputed with six digits; closed form",
      reason=DIGITS, uses="tm.textbook.solve with Newton's method; slider-crank")  # fmt: skip
def example_3_13() -> Iterator[Row]:
    table = [
        (5.585054, 10.000000, 0.192343, -0.285575, 0.186396, 0.431969),
        (5.771450, 10.431969, -0.027923, 0.020617, -0.011823, -0.039503),
        (5.759626, 10.392466, -0.000122, 0.0000689, -0.0000398, -0.000161),
    ]
    formulas = ["2*cos(p2) - d + 10*cos(p1)", "2*sin(p2) - 4 + 10*sin(p1)"]
    exact = [11 * math.pi / 6, 12 * math.cos(math.radians(30))]
    for newton in ("damped", "full"):
        s = tm.textbook.solve(
            formulas, {"p2": math.radians(320), "d": 10}, given={"p1": math.radians(30)}, newton=newton
        )
        name, h = "with damping" if newton == "damped" else "without damping", s.history
        found = np.hstack([h.values, h.residuals, h.corrections])[:3]
        yield Row(f"unknowns, residuals and corrections of three iterations ({name})", "", table, found, last(6))
        yield Row(f"solution ({name})", "rad, m", exact, [s["p2"], s["d"]], 1e-8)
    found = slider_crank(10.0, 2.0, offset=4.0, crank=math.pi / 6).assemble().pose("slider")[0]
    yield Row("position of the slider of the mechanism", "m", exact[1], found, ROUNDING)


@case("Problem 3.3, slider-crank with either driver", area=AREA, source=f"{BOOK}, prob. 3.3, recomputed with six digits", reason=DIGITS,
      uses="driver on the crank or on the slider; bodies and pins, or tm.textbook.solve on formulas")  # fmt: skip
def problem_3_3() -> Iterator[Row]:
    formulas = ["1.2*cos(phi1) + 2.6*cos(phi2) - d", "1.2*sin(phi1) + 2.6*sin(phi2)"]
    k = slider_crank(1.2, 2.6, crank=0.8, motion=turning(0.8, 0.1)).kinematics(times=[0.0], **QUIET)
    rod, slider = k["rod"], k["slider"]
    s = tm.textbook.solve(formulas, {"phi2": -0.3, "d": 3.0}, given={"phi1": "0.8 + 0.1*t"})
    pins = [[rod.phi[0], slider.x[0]], [rod.omega[0], slider.vx[0]], [rod.alpha[0], slider.ax[0]]]
    solved = [[s["phi2"], s["d"]], list(s.velocities.values()), list(s.accelerations.values())]
    for model, found in (("bodies and pins", pins), ("formulas", solved)):
        yield Row(f"crank drives: rod and slider ({model})", "rad, m", [-0.337456, 3.289408], found[0], last(6))
        yield Row(f"crank drives: speeds ({model})", "rad/s, m/s", [-0.0340777, -0.115418], found[1], last(6))
        yield Row(
            f"crank drives: accelerations ({model})", "rad/s², m/s²", [0.00310130, -0.00853985], found[2], last(8)
        )
    k = slider_crank(1.2, 2.6, crank=1.4, drive="slider.x", motion="2.5 - 0.2*t - 0.03*t^2").kinematics(
        times=[0.0], **QUIET
    )
    s = tm.textbook.solve(formulas, {"phi1": 1.4, "phi2": -0.4}, given={"d": "2.5 - 0.2*t - 0.03*t^2"})
    crank, rod = k["crank"], k["rod"]
    pins = [[b.phi[0] for b in (crank, rod)], [b.omega[0] for b in (crank, rod)], [b.alpha[0] for b in (crank, rod)]]
    solved = [[s["phi1"], s["phi2"]], list(s.velocities.values()), list(s.accelerations.values())]
    for model, found in (("bodies and pins", pins), ("formulas", solved)):
        yield Row(f"slider drives: crank and rod ({model})", "rad", [1.415169, -0.473451], found[0], last(6))
        yield Row(f"slider drives: speeds ({model})", "rad/s", [0.156154, -0.012552], found[1], last(6))
        yield Row(f"slider drives: accelerations ({model})", "rad/s²", [0.054509, 0.008030], found[2], last(6))


@case("Points of bodies", area=AREA, source=f"{BOOK}, ex. 4.1, prob. 4.2 and 4.4, recomputed with five and six digits", reason=DIGITS,
      uses="Body.at, Body.at_global")  # fmt: skip
def points() -> Iterator[Row]:
    B = tm.Body("three", (1.2, 2.5), 5.67).at(-1.8, 1.3)
    yield Row("ex. 4.1, global coordinates", "m", [0.47604, 4.59902], [B.x0, B.y0], last(5))
    Q = tm.Body("two", (5, 2), math.radians(30)).at_global(6, 1.5)
    yield Row("prob. 4.2, local coordinates", "m", [0.616025, -0.933013], [Q.xi, Q.eta], last(6))
    body = tm.Body("i", (3.2, 2.8), math.radians(80))
    A, B, C = body.at(-1.1, -0.4), body.at(1.9, 2.3), body.at_global(5.3, 4.0)
    yield Row("prob. 4.4, point A", "m", [3.40291, 1.64725], [A.x0, A.y0], last(5))
    yield Row("prob. 4.4, vector to B", "m", [-1.935126, 2.270526], [B.x0 - 3.2, B.y0 - 2.8], last(6))
    yield Row("prob. 4.4, local coordinates of C", "m", [1.54643, -1.85972], [C.xi, C.eta], last(5))


# crank angle [deg]: phi3, phi4, speed and acceleration of the follower; unit speed, open branch
DOUBLE_CRANK = {
    90: (0.26492, 1.32043, 0.89584, -0.11268), 180: (1.04720, 2.57952, 0.70000, -0.12124),
    270: (2.59673, 3.65224, 0.79382, 0.38672), 360: (5.51439, 5.84106, 1.75000, -1.35683),
}  # fmt: skip
ROCKER_CRANK = {
    60: (0.44008, 1.69618, 0.29998, 0.48348), 150: (0.31940, 2.41794, 0.43211, -0.26449),
    240: (0.77465, 2.63519, -0.14045, -0.28024), 330: (1.04267, 2.05793, -0.58849, -0.12467),
}  # fmt: skip


@case("Problems 5.1 to 5.3, four-bars", area=AREA, source=f"{BOOK}, prob. 5.1 to 5.3, recomputed with five digits; triangles",
      reason=f"{DIGITS}; extremes of 7201 samples", uses="revolute, driver on crank or coupler; kinematics")  # fmt: skip
def four_bars() -> Iterator[Row]:
    names = [
        ("angle of the coupler", "rad"),
        ("angle of the rocker", "rad"),
        ("speed of the rocker", "rad/s"),
        ("its acceleration", "rad/s²"),
    ]
    double, rocker = four_bar(2.1, 1.6, 2.6, 0.9), four_bar(0.8, 2.1, 1.6, 2.5, crank=math.pi / 3)
    for title, m, table in (("double crank", double, DOUBLE_CRANK), ("rocker-crank", rocker, ROCKER_CRANK)):
        k = m.kinematics(1.5 * math.pi, samples=4, **QUIET)
        found = np.column_stack([k["coupler"].phi, k["rocker"].phi, k["rocker"].omega, k["rocker"].alpha])
        for j, (name, unit) in enumerate(names):
            want = np.array(list(table.values()))[:, j]
            yield Row(
                f"{title}: {name}", unit, want, found[:, j], last(5), at=np.array(list(table), float), axis=CRANK_AXIS
            )
    k = double.kinematics(math.tau, samples=5, **QUIET)
    yield Row(
        "double crank: turn of the follower in a turn of the crank",
        "rad",
        math.tau,
        float(np.ptp(k["rocker"].phi)),
        ROUNDING,
    )
    limits = [27.1268, 87.1340]
    swing = 180.0 - np.degrees(four_bar(0.8, 2.1, 1.6, 2.5).kinematics(math.tau, samples=7201, **QUIET)["rocker"].phi)
    yield Row("rocker-crank: limits of the angle A-D-C", "deg", limits, [swing.min(), swing.max()], 6e-5)
    m = four_bar(2.1, 0.8, 2.5, 1.6, drive=None)
    m.driver("motor", "coupler.phi", turning(m["coupler"].angle))
    k = m.kinematics(math.tau, samples=7201, **QUIET)
    crank, swing = np.degrees(k["crank"].phi), 180.0 - np.degrees(k["rocker"].phi)
    yield Row("double rocker: limits of the crank", "deg", [52.6168, 125.6853], [crank.min(), crank.max()], 6.5e-5)
    yield Row("double rocker: limits of the angle A-D-C", "deg", limits, [swing.min(), swing.max()], 6.5e-5)


@case("Problem 5.7, change points of a parallelogram", area=AREA, source=f"{BOOK}, prob. 5.5 to 5.7; at 0° and 180° of the crank",
      reason="located as the lowest point of a V-shaped measure, to a millionth of a turn",
      uses="revolute; kinematics through singular positions")  # fmt: skip
def change_points() -> Iterator[Row]:
    for side, name in ((1, "parallelogram"), (-1, "antiparallelogram")):
        k = four_bar(1, 2, 1, 2, crank=math.pi / 3, side=side).kinematics(2 * math.tau, samples=37, **QUIET)
        exact = [n * math.pi - math.pi / 3 for n in (1, 2, 3, 4)]
        yield Row(f"times of the change points ({name})", "s", exact, [p.time for p in k.singularities], 1e-5)
    for name, sides, start, side, turns in (
        ("5.5", (1.2, 1.4, 1.6, 1.0), math.pi / 2, 1, 2.0), ("5.6 Galloway", (1.0, 1.5, 1.5, 1.0), math.pi / 2, 1, 1.0),
        ("5.7 parallelogram", (1.0, 2.0, 1.0, 2.0), math.pi / 3, 1, 2.0),
        ("5.7 antiparallelogram", (1.0, 2.0, 1.0, 2.0), math.pi / 3, -1, -2.0),
    ):  # fmt: skip
        k = four_bar(*sides, crank=start, side=side).kinematics(2 * math.tau, samples=101, **QUIET)
        yield Row(
            f"turns of the follower in two turns of the crank ({name})",
            "",
            turns,
            float(k["rocker"].phi[-1] - k["rocker"].phi[0]) / math.tau,
            1e-11,
        )


@case("Problem 5.23, elliptic trammel", area=AREA, source=f"{BOOK}, prob. 5.23: ellipses with the distances to both sliders as half axes",
      reason=EXACT, uses="sliders, revolute; kinematics")  # fmt: skip
def trammel() -> Iterator[Row]:
    m = elliptic_trammel(1.5)
    k = m.kinematics(math.tau, samples=37, **QUIET)
    for to_K in (-0.4, 0.3, 0.75, 1.2, 2.0):
        P = k.point(m["bar"].at(to_K, 0)).position
        yield Row(
            f"x²/q² + y²/p² of the point {to_K:g} m from K",
            "",
            np.ones(37),
            (P[:, 0] / (1.5 - to_K)) ** 2 + (P[:, 1] / to_K) ** 2,
            ROUNDING,
        )


@case("Problem 5.27, pantographs", area=AREA, source=f"{BOOK}, prob. 5.27: similar paths",
reason=EXACT, uses="revolute, drivers of a point; kinematics")  # fmt: skip
def pantographs() -> Iterator[Row]:
    x, y = "2.2 + (0.4 + 0.1*cos(3*t))*cos(t)", "0.3 + (0.4 + 0.1*cos(3*t))*sin(t)"
    t = np.linspace(0, math.tau, 61)
    r = 0.4 + 0.1 * np.cos(3 * t)
    outline = np.column_stack([2.2 + r * np.cos(t), 0.3 + r * np.sin(t)])
    m = pantograph(1.5, 1.6, 2.5, complex(2.7, 0.3), x=x, y=y)
    k = m.kinematics(times=t, level="position", **QUIET)
    yield Row("enlarging: drawn path", "m", 2.5 * outline, k.point("D").position, ROUNDING)
    m = pantograph(1.5, 1.6, 1.25, complex(2.7, 0.3) / 1.25, x=x, y=y, driven="D")
    k = m.kinematics(times=t, level="position", **QUIET)
    yield Row("reducing: drawn path", "m", outline / 1.25, k.point("T").position, ROUNDING)


# crank angle [deg]: y, vy, ay of S at unit crank speed
STRAIGHT_LINE = {
    20: (0.517226, 1.512267, 0.26665), 40: (1.067646, 1.660962, 0.60454), 60: (1.693561, 1.955556, 1.12904),
    80: (2.461359, 2.499329, 2.09719),
}  # fmt: skip


@case("Problems 5.30 and 5.31, Peaucellier's inversor", area=AREA,
      source=f"{BOOK}, prob. 5.30 and 5.31, recomputed with six digits; inversion",
      reason=f"{DIGITS}; {EXACT}", uses="eight bodies, ten pins; kinematics")  # fmt: skip
def inversor() -> Iterator[Row]:
    degrees, table = np.array(list(STRAIGHT_LINE), float), np.array(list(STRAIGHT_LINE.values()))
    k = peaucellier(1.2, 1.2, 3.0, 1.4, angle=0.0, motion="t").kinematics(times=np.radians([0, *degrees]), **QUIET)
    S = k.point("S")
    for j, (name, unit, found, digits) in enumerate(
        [("y", "m", S.y, 6), ("vy", "m/s", S.vy, 6), ("ay", "m/s²", S.ay, 5)]
    ):
        yield Row(f"{name} of S on its line", unit, table[:, j], found[1:], last(digits), at=degrees, axis=CRANK_AXIS)
    line = (3.0**2 - 1.4**2) / (2 * 1.2)
    k = peaucellier(1.2, 1.2, 3.0, 1.4, angle=0.0, motion="1.65*sin(t)").kinematics(math.tau, samples=101, **QUIET)
    yield Row("x of S on its line", "m", np.full(101, line), k.point("S").x, ROUNDING)
    yield Row("y of S by inversion", "m", line * np.tan(1.65 * np.sin(k.times) / 2), k.point("S").y, 4 * ROUNDING)
    S = peaucellier(0.8, 1.4, 2.0, 1.6).kinematics(math.tau, samples=73, **QUIET).point("S").position
    radius = np.hypot(S[:, 0] + 0.8 * (2.0**2 - 1.6**2) / (1.4**2 - 0.8**2), S[:, 1])
    yield Row("radius of the circle of problem 5.31", "m", np.full(73, 1.527273), radius, last(6))


@case("Problem 5.33, Chebyshev's reversing linkage", area=AREA, source=f"{BOOK}, prob. 5.33, recomputed with four and six digits",
      reason=f"{DIGITS}; extremes of 7201 samples", uses="revolute; kinematics")  # fmt: skip
def reversing() -> Iterator[Row]:
    k = chebyshev_reversing().kinematics(1.5 * math.pi, samples=4, **QUIET)
    want, degrees = [156.8946, 51.3397, -36.6631, -107.1233], np.array([0.0, 90.0, 180.0, 270.0])
    yield Row("angle of the reversed crank", "deg", want, np.degrees(k["KJ"].phi), last(4), at=degrees, axis=CRANK_AXIS)
    k = chebyshev_reversing().kinematics(math.tau, samples=7201, **QUIET)
    yield Row("turn of the reversed crank", "rad", -math.tau, float(k["KJ"].phi[-1] - k["KJ"].phi[0]), ROUNDING)
    away = np.hypot(*(k.point("I").position - [2.66, 2.78]).T)
    yield Row("limits of the distance I-K", "m", [0.894724, 1.361409], [away.min(), away.max()], 1.5e-6)


# slots: largest speed ratio, acceleration at engagement, largest acceleration, crank angle of it [deg]
GENEVA = {4: (2.414214, 1.0, 5.406981, 11.466), 6: (1.0, 0.577350, 1.349637, 22.9)}


def geneva_wheel(n: int, phi: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Wheel angle from the line of centres, speed and acceleration at unit crank speed (wheel counted against the crank)."""
    m = 1 / math.sin(math.pi / n)
    below = 1 + m**2 - 2 * m * np.cos(phi)
    return (
        np.arctan2(np.sin(phi), m - np.cos(phi)), (m * np.cos(phi) - 1) / below, m * (1 - m**2) * np.sin(phi) / below**2,
    )  # fmt: skip


@case("Problem 5.37, Geneva wheel", area=AREA, source=f"{BOOK}, prob. 5.37, recomputed with six digits; closed form",
      reason="switches located to 1e-12; digits given", uses="slots with phases; kinematics")  # fmt: skip
def geneva_drive() -> Iterator[Row]:
    for n, (speed, jump, acceleration, where) in GENEVA.items():
        beta, limit = math.pi / n, math.pi / 2 - math.pi / n
        k = geneva(n).kinematics(3 * math.tau, samples=3 * 191 + 1, **QUIET)  # a prime per turn avoids the switches
        phi = turned(math.pi + k.times)  # crank angle from the line of centres
        psi, rate, second = geneva_wheel(n, phi)
        engaged = np.abs(phi) < limit
        done = 2 * beta * (np.floor(k.times / math.tau) + np.where(k.times % math.tau > math.pi, 1, 0))
        angle = -np.where(engaged, 2 * beta * np.floor(k.times / math.tau) + psi + beta, done)
        wheel = k["wheel"]
        yield Row(f"angle of the wheel ({n} slots)", "rad", angle, wheel.phi, 1e-9, at=k.times)
        yield Row(
            f"speed of the wheel ({n} slots)", "rad/s", np.where(engaged, -rate, 0.0), wheel.omega, 1e-9, at=k.times
        )
        yield Row(
            f"acceleration of the wheel ({n} slots)",
            "rad/s²",
            np.where(engaged, -second, 0.0),
            wheel.alpha,
            1e-9,
            at=k.times,
        )
        times = [math.tau * turn + math.pi + s * limit for turn in range(3) for s in (-1, 1)]
        yield Row(f"times of the switches ({n} slots)", "s", times, [s.time for s in k.events], 1e-9)
        yield Row(
            f"jumps of the acceleration ({n} slots)",
            "rad/s²",
            [jump] * 6,
            [s.acceleration_jump for s in k.events],
            last(6),
        )
        k = geneva(n).kinematics(times=[0.0, math.pi - math.radians(where), math.pi], **QUIET)
        found = [abs(k["wheel"].omega[2]), abs(k["wheel"].alpha[1])]
        yield Row(f"largest speed and acceleration ({n} slots)", "rad/s, rad/s²", [speed, acceleration], found, 5e-6)


@case("Problem 5.38, foot of the walking machine", area=AREA, source=f"{BOOK}, prob. 5.38, recomputed with five and six digits",
      reason=f"{DIGITS}; extremes of 3601 samples", uses="revolute; kinematics")  # fmt: skip
def walking_foot() -> Iterator[Row]:
    k = lambda_linkage().kinematics(math.pi, samples=3601, **QUIET)
    P = k.point("foot").position
    yield Row(
        "lowest and highest place of the straight half turn",
        "m",
        [-1.644644, -1.643289],
        [P[:, 1].min(), P[:, 1].max()],
        1.5e-6,
    )
    yield Row("first and last place along the ground", "m", [0.04128, 1.52872], [P[0, 0], P[-1, 0]], last(5))
