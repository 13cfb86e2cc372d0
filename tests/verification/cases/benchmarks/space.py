"""Published benchmarks and closed forms in space."""

from __future__ import annotations

import math
from collections.abc import Iterator

import mpmath
import numpy as np

import pytrammel as tm
from mechanisms import derivatives
from spatial_benchmark_tables import (
    BENNETT,
    BOOK_RSSR,
    BOOK_RSSR_OTHER,
    BRICARD,
    CHAIN_TIP,
    HOOKE,
    LEG_FORCES,
    LEGS,
    PERIOD,
    RSSR,
    TUMBLE,
    bennett_closed_form,
    book_rssr,
    book_rssr_form,
    free_body,
    hooke,
    hooke_form,
    near,
)
from spatial_models import (
    STEWART_PLACE,
    STEWART_TURN,
    bennett,
    bricard,
    chain,
    rssr,
    stewart,
    stewart_points,
    stewart_with_legs,
    turn,
)
from verification.case import Row, case

AREA = "Published benchmarks in space"
QUIET = {"progress": False}
TIGHT = {"rtol": 1e-12, "atol": 1e-13, **QUIET}
DEGREES = "crank angle [deg]"
NIKRAVESH = "Nikravesh, Computer-Aided Analysis of Mechanical Systems"


def angle_row(
    name: str, want: np.ndarray, found: np.ndarray, tolerance: float, at: np.ndarray, axis: str = "time [s]"
) -> Row:
    """Compare angles [rad] without whole turns."""
    return Row(name, "rad", want, want + near(found, want), tolerance, at=at, axis=axis)


@case(
    "Bennett linkage, assembly", area=AREA, source="Closed form with 20 digits; a = 1, α = 30°, b = 1.5",
    reason="rounding of angles of a few radians", uses="four revolutes, three redundant rows; assembly from 0.15 rad away",
)  # fmt: skip
def bennett_assembly() -> Iterator[Row]:
    degrees = np.array(list(BENNETT), float)
    found = []
    for theta in np.radians(degrees):
        k = bennett(theta + 0.15, drive=repr(float(theta))).kinematics(times=[0.0], **QUIET)
        found.append([k.series(f"J{joint}.angle").value[0] for joint in "1234"])
    second = np.radians(list(BENNETT.values()))
    first = np.radians(degrees)
    mobility = bennett(1.0).mobility()
    yield Row("degrees of freedom", "", 1, mobility.dof, 0.5)
    yield Row("count of Kutzbach", "", 6 * 3 - 5 * 4, mobility.coordinates - mobility.constraints, 0.5)
    yield Row("redundant equations", "", 3, len(mobility.redundant), 0.5)
    for joint, want in enumerate((first, second, -first, -second)):
        yield angle_row(f"angle of joint {joint + 1}", want, np.array(found)[:, joint], 1e-12, degrees, DEGREES)


@case(
    "Bennett linkage, one turn", area=AREA, source="Closed form, differentiated with 30 digits",
    reason="rounding times the condition of 20 velocity equations", uses="four revolutes; kinematics",
)  # fmt: skip
def bennett_turn() -> Iterator[Row]:
    times = np.linspace(0.0, 2 * np.pi, 61)
    k = bennett(2.0, drive="2 + t").kinematics(times=times, **QUIET)
    value, rate, acceleration = derivatives(lambda t: bennett_closed_form(2 + t), times)
    second = k.series("J2.angle")
    yield angle_row("angle of joint 2", value, second.value, 1e-12, times)
    yield Row("speed of joint 2", "rad/s", rate, second.rate, 1e-11, at=times)
    yield Row("acceleration of joint 2", "rad/s²", acceleration, second.acceleration, 1e-10, at=times)
    yield angle_row("angle of joint 3", -(2 + times), k.series("J3.angle").value, 1e-12, times)
    yield angle_row("angle of joint 4", -value, k.series("J4.angle").value, 1e-12, times)


@case(
    "RSSR four-bar", area=AREA, source="Closed form with 20 digits", reason="a few hundred roundings",
    uses="revolutes and a link; kinematics on both assembly branches",
)  # fmt: skip
def rssr_turn() -> Iterator[Row]:
    degrees, table = np.array(list(RSSR), float), np.array(list(RSSR.values()))
    for branch, column in ((1, 0), (-1, 1)):
        psi = rssr(0.0, branch, drive="t").kinematics(times=np.radians(degrees), **QUIET).series("D.angle")
        yield angle_row(f"rocker angle, branch {branch:+d}", table[:, column], psi.value, 1e-13, degrees, DEGREES)
        if branch == 1:
            yield Row("rate of the rocker", "rad/s", table[:, 2], psi.rate, 1e-13, at=degrees, axis=DEGREES)


def nikravesh_rssr(branch: int) -> None:
    @case(
        f"RSSR four-bar of the textbook, branch {branch:+d}", area=AREA,
        source=f"{NIKRAVESH}, ch. 7, solved with its tables 7.2 (7 digits); closed form with 30 digits",
        reason="printed digits; rounding for the closed form", uses="revolutes and a link; kinematics",
    )  # fmt: skip
    def compute() -> Iterator[Row]:
        rows = np.array(BOOK_RSSR if branch == -1 else [BOOK_RSSR_OTHER])
        start, degrees = float(np.radians(rows[0, 0])), rows[:, 0]
        k = book_rssr(start, np.radians(rows[0, 1])).kinematics(times=np.radians(degrees) - start, **QUIET)
        phi = k.series("D.angle")
        yield Row("rocker angle, printed", "deg", rows[:, 1], np.degrees(phi.value), 6e-7)
        yield Row("rocker speed, printed", "rad/s", rows[:, 2], phi.rate, 6e-7)
        yield Row("rocker acceleration, printed", "rad/s²", rows[:, 3], phi.acceleration, 6e-7)
        value, rate, acceleration = derivatives(lambda t: book_rssr_form(t, branch), np.radians(degrees))
        yield angle_row("rocker angle", value, phi.value, 1e-13, degrees, DEGREES)
        yield Row("rocker speed", "rad/s", rate, phi.rate, 1e-12, at=degrees, axis=DEGREES)
        yield Row("rocker acceleration", "rad/s²", acceleration, phi.acceleration, 1e-11, at=degrees, axis=DEGREES)


def hookes_joint(second: str) -> None:
    @case(
        f"Hooke's joint, second bearing {second}", area=AREA,
        source=f"tan θ₂ = tan θ₁ / cos β, with 30 digits; {NIKRAVESH}, ch. 7, solved with its tables",
        reason="printed digits; rounding for the closed form", uses=f"universal, revolute, {second}; kinematics",
    )  # fmt: skip
    def compute() -> Iterator[Row]:
        m = hooke(math.radians(20), second=second)
        m.driver("motor", "A.angle", f"{math.radians(20)!r} + t")
        rows = np.array(HOOKE)
        angle = m.kinematics(times=np.radians(rows[:, 0] - 20), **QUIET).series("B.angle")
        yield Row("angle of shaft 2, printed", "deg", rows[:, 1], np.degrees(angle.value), 6e-7)
        yield Row("speed of shaft 2, printed", "rad/s", rows[:, 2], angle.rate, 6e-8)
        yield Row("acceleration of shaft 2, printed", "rad/s²", rows[:, 3], angle.acceleration, 6e-8)
        times = np.linspace(0.0, 6.28, 41)
        angle = m.kinematics(times=times, **QUIET).series("B.angle")
        value, rate, acceleration = derivatives(lambda t: hooke_form(mpmath.radians(20) + t), times)
        yield angle_row("angle of shaft 2", value, angle.value, 1e-13, times)
        yield Row("speed of shaft 2", "rad/s", rate, angle.rate, 1e-12, at=times)
        yield Row("acceleration of shaft 2", "rad/s²", acceleration, angle.acceleration, 1e-11, at=times)


for _branch in (-1, 1):
    nikravesh_rssr(_branch)
for _second in ("parallel_axes", "revolute"):
    hookes_joint(_second)


def driven_legs(
    place: np.ndarray = STEWART_PLACE, pose: np.ndarray = STEWART_TURN, weight: float = 1.0
) -> tm.SpatialModel:
    """Platform on universal, prismatic and ball joints with driven legs, whose masses can be scaled."""
    m = stewart_with_legs(place, pose)
    if weight != 1.0:
        light = {"mass": weight, "inertia": (weight,) * 3}
        m = m.copy(changes={f"{part}{n}": light for part in ("foot", "rod") for n in range(6)})
    for n, length in enumerate(LEGS):
        m.driver(f"leg{n}", f"P{n}.distance", length)
    return m


@case(
    "Stewart-Gough platform, inverse kinematics", area=AREA, source="Distances of the joints, with 20 digits",
    reason="rounding of lengths of 1 m", uses="distances and fix; universal, prismatic and ball joints with an orientation_driver",
)  # fmt: skip
def leg_lengths() -> Iterator[Row]:
    m = stewart()
    m.fix("hold", "platform")
    k = m.kinematics(times=[0.0], **QUIET)
    ends = zip(*stewart_points(), strict=True)
    found = [k.series(m.distance(m.ground.at(*p), m["platform"].at(*q))).value[0] for p, q in ends]
    yield Row("lengths of massless legs", "m", np.array(LEGS), np.array(found), 1e-14)
    m = stewart_with_legs()
    for axis, place in zip("xyz", STEWART_PLACE, strict=True):
        m.driver(f"to_{axis}", f"platform.{axis}", place)
    # Rz(.2) Ry(-.15) Rx(.1) read from right to left about turned axes
    m.orientation_driver("facing", "platform", (0.2, -0.15, 0.1), sequence="zyx")
    k = m.kinematics(times=[0.0], **QUIET)
    found = [k.series(f"P{n}.distance").value[0] for n in range(6)]
    yield Row("lengths of legs of two bodies", "m", np.array(LEGS), np.array(found), 1e-12)


@case(
    "Stewart-Gough platform, forward kinematics", area=AREA, source="The pose whose legs are given, with 20 digits",
    reason="rounding of the lengths times the condition of the Jacobian (determinant -0.65)",
    uses="assembly from 0.15 m and 20° away, among 40 solutions; massless legs and legs of two bodies",
)  # fmt: skip
def pose() -> Iterator[Row]:
    rough, askew = STEWART_PLACE + (-0.1, 0.1, 0.08), turn((0.6, 0.0, 0.8), 0.35) @ STEWART_TURN
    for legs, m in (("massless legs", stewart(rough, askew, LEGS)), ("legs of two bodies", driven_legs(rough, askew))):
        found = np.array(m.assemble().pose("platform"))
        yield Row(f"place of the platform ({legs})", "m", STEWART_PLACE, found[:3], 1e-12)
        yield Row(f"rotation matrix ({legs})", "", STEWART_TURN, tm.rotations.matrix(found[3:]), 1e-12)


@case(
    "Stewart-Gough platform, leg forces", area=AREA, source="Equilibrium of the platform with 20 digits",
    reason="rounding times the condition of the Jacobian; legs of 1e-9 kg weigh 1e-8 N",
    uses="six links; universal, prismatic and ball joints; statics and inverse_dynamics",
)  # fmt: skip
def leg_forces() -> Iterator[Row]:
    m = stewart(lengths=LEGS)
    wrenches = []
    for k in range(
        6
    ):  # forces of the legs by a unit force or torque: columns of the inverse of the transposed Jacobian
        unit = stewart(lengths=LEGS).copy(gravity=(0, 0, 0))
        unit.force("F", "platform", np.eye(3)[k]) if k < 3 else unit.torque("F", "platform", np.eye(3)[k - 3])
        wrenches.append([unit.statics().effort(f"leg{n}")[0] for n in range(6)])
    size = abs(1.0 / float(np.linalg.det(wrenches)))
    yield Row("size of the determinant of the Jacobian", "", 0.65168583552270372, size, 1e-12)
    for verb, found in (("statics", m.statics()), ("inverse_dynamics", m.inverse_dynamics(times=[0.0, 1.0], **QUIET))):
        efforts = np.array([found.effort(f"leg{n}")[0] for n in range(6)])
        yield Row(f"forces of the legs by {verb}", "N", np.array(LEG_FORCES), efforts, 1e-12, max(LEG_FORCES))
    s = driven_legs(weight=1e-9).statics()
    efforts = np.array([s.effort(f"leg{n}")[0] for n in range(6)])
    yield Row("forces of legs of two bodies of 1e-9 kg", "N", np.array(LEG_FORCES), efforts, 1e-7)
    balls = np.array([float(s.reaction(f"S{n}", on="platform").magnitude[0]) for n in range(6)])
    yield Row("reactions of their ball joints", "N", np.array(LEG_FORCES), balls, 1e-7)
    yield Row("weight on the ground", "N", [0.0, 0.0, -98.1], s.ground_reaction[0, :3], 1e-6)


@case(
    "Dzhanibekov's wing nut", area=AREA, source="Elliptic functions with 40 digits",
    reason="rtol 1e-12 in some 200 steps; the unstable middle axis amplifies errors tenfold between flips",
    uses="free body; dop853 at rtol 1e-12",
)  # fmt: skip
def wing_nut() -> Iterator[Row]:
    r = free_body((1, 2, 3), (0.1, 2.0, 0.1)).simulate(times=sorted([0.0, *TUMBLE, PERIOD]), **TIGHT)
    times, table = np.array(list(TUMBLE), float), np.array(list(TUMBLE.values()))
    rows = np.searchsorted(r.times, times)
    p = r["b"].parameters[rows]
    p *= np.sign((p * table[:, :4]).sum(axis=1))[:, None]  # p and -p are one orientation
    for k in range(4):
        yield Row(f"Euler parameter e{k}", "", table[:, k], p[:, k], 1e-11, at=times)
    for k, axis in enumerate("xyz"):
        yield Row(
            f"angular velocity about {axis} of the body",
            "rad/s",
            table[:, 4 + k],
            r["b"].omega_body[rows, k],
            1e-11,
            at=times,
        )
    after = r["b"].omega_body[np.searchsorted(r.times, PERIOD)]
    yield Row("angular velocity after one period", "rad/s", np.array([0.1, 2.0, 0.1]), after, 1e-9)
    yield Row("twice the kinetic energy", "J", np.full(len(r), 8.04), 2 * r.energy.kinetic, 1e-11, 8.04)
    squared = (r.angular_momentum**2).sum(axis=1)
    yield Row("square of the angular momentum", "kg²m⁴/s²", np.full(len(r), 16.10), squared, 1e-11, 16.10)
    for k, want in enumerate((0.1, 4.0, 0.3)):
        yield Row(
            f"angular momentum about {'xyz'[k]}", "kg m²/s", np.full(len(r), want), r.angular_momentum[:, k], 1e-10
        )


@case(
    "Tumbling body of the textbook", area=AREA, source=f"{NIKRAVESH}, ch. 11, recomputed with ten digits",
    reason="printed digits", uses="free body; dop853 at rtol 1e-12",
)  # fmt: skip
def tumbling() -> Iterator[Row]:
    r = free_body((1, 2, 3), (0.01, 1.0, 0.01)).simulate(times=[0, 10, 20], **TIGHT)
    for row, want in (
        (1, (-0.8745734379, 0.4849961873, 0.5050012205)),
        (2, (-0.005813837, -1.0000330991, 0.008827999)),
    ):
        yield Row(f"angular velocity at {r.times[row]:g} s", "rad/s", np.array(want), r["b"].omega_body[row], 1e-9)
    yield Row("twice the kinetic energy", "J", np.full(3, 2.0004), 2 * r.energy.kinetic, 1e-11, 2.0004)
    squared = (r.angular_momentum**2).sum(axis=1)
    yield Row("square of the angular momentum", "kg²m⁴/s²", np.full(3, 4.001), squared, 1e-11, 4.001)


@case(
    "A04 Bricard mechanism", area=AREA, source="IFToMM library of multibody benchmarks, A04; two independent codes at 1e-13",
    reason="errors of 1e-11 per step, some 600 steps", uses="six revolutes, one redundant row; dop853 at rtol 1e-11",
)  # fmt: skip
def bricard_swing() -> Iterator[Row]:
    times = np.arange(11.0)
    r = bricard().simulate(times=times, **{**TIGHT, "rtol": 1e-11})
    for k, axis in enumerate("xyz"):
        yield Row(f"{axis} of P3", "m", np.array(BRICARD)[:, k], r.point("P3").position[1:, k], 1e-10, at=times[1:])
    yield Row("total energy", "J", np.full(11, -3 * 9.81), r.energy.total, 1e-9)
    yield Row("closure of the loop", "m", 0.0, r.constraint_violation(), 1e-12)


@case(
    "Falling chain of ten boxes", area=AREA, source="Two independent codes at 1e-13",
    reason="a chaotic fall: 1e-13 per step grows by some four digits in one second", uses="universal joints; dop853 at rtol 1e-12",
)  # fmt: skip
def falling_chain() -> Iterator[Row]:
    m = chain(10)
    r = m.simulate(times=[0.0, 1.0], **{**TIGHT, "atol": 1e-14})
    yield Row("position of the tip after 1 s", "m", np.array(CHAIN_TIP), r.point("tip").position[-1], 1e-10)
    weights = 0.1 * 9.81 * sum(m[f"c{k}"].position[2] for k in range(10))  # the chain starts at rest
    yield Row("total energy", "J", [weights, weights], r.energy.total, 1e-10)
