"""Chains in relative coordinates after Kamman: accelerations, motions and joint loads."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np

import pytrammel as tm
from kamman_models import I1, K1, K2, K5, chain
from verification.case import Row, case
from verification.variants import TIGHT

AREA = "Kamman: relative coordinates"
KAMMAN = "Kamman, notes on inter-body joints"
OWN = "integrated at 1e-12 by an independent program, which agrees with absolute coordinates"
DIGITS = "nine digits are given"


def rates(found: object) -> list[float]:
    return [found.rates[found.names.index(name)] for name in found.unknown]


def speeds(found: object) -> list[float]:
    return [found.y[found.names.index(name)] for name in found.unknown]


def loads(when: str, found: object, table: dict[str, Sequence[float]], tolerance: float) -> Iterator[Row]:
    """Rows of joint loads; a key is the joint and the attribute."""
    for key, want in table.items():
        joint, attribute = key.split(".")
        unit = "N" if attribute.startswith("force") else "N m"
        yield Row(
            f"{attribute.replace('_', ', ')} components, joint {joint}, {when}",
            unit,
            want,
            getattr(found.loads[joint], attribute),
            tolerance,
        )


def simulated(m: tm.SpatialModel, times: Sequence[float]) -> Iterator[tuple[str, tm.results.Result]]:
    """Yield runs in relative coordinates with angles or Euler parameters, and in the coordinates of bodies and joints."""
    for name, formulation in (
        ("relative, angles", tm.formulations.relative(rotations="angles")),
        ("relative, Euler parameters", tm.formulations.relative(rotations="parameters")),
        ("cartesian", "cartesian"), ("joint", "joint"),
    ):  # fmt: skip
        yield name, m.simulate(times=[0.0, *times], formulation=formulation, **TIGHT)


@case("K1, two hinged rods", area=AREA, source=f"{KAMMAN}; at 0 s by hand; {OWN}", reason=DIGITS,
      uses="relative_equations; formulations relative, cartesian, joint")  # fmt: skip
def two_rods() -> Iterator[Row]:
    m = K1()
    found = tm.textbook.relative_equations(m)
    yield Row("accelerations of the angles at 0 s", "rad/s²", [-8.266095449, 4.289068422], rates(found), 1e-9)
    at_start = {"A.force_lower": [0, -6.199571586, 6.893513514], "B.force_lower": [0, -1.492489456, 3.910743243]}
    yield from loads("0 s", found, at_start, 1e-9)
    for name, r in simulated(m, [0.5, 1.0]):
        half, end = (tm.textbook.relative_equations(m, result=r, time=t) for t in (0.5, 1.0))
        for when, now, angles, speed in (
            ("0.5 s", half, [0.393258461, 0.078971603], [-1.482013632, -4.031065254]),
            ("1 s", end, [-0.988664489, 0.217188314], [-1.650599052, -0.453031954]),
        ):
            yield Row(f"angles at {when} ({name})", "rad", angles, [now.coordinates[n] for n in now.unknown], 2e-9)
            yield Row(f"rates at {when} ({name})", "rad/s", speed, speeds(now), 2e-9)
    yield Row("accelerations of the angles at 1 s", "rad/s²", [13.24738908, -23.273057062], rates(end), 2e-8)
    yield from loads("0.5 s", half, {"A.force_lower": [0, -12.463533932, 34.226598257]}, 2e-8)
    at_end = {"A.force_lower": [0, 12.287864039, 10.349849724], "B.force_lower": [0, -0.318686883, 9.198534028]}
    yield from loads("1 s", end, at_end, 2e-8)


@case("K2, hinge, universal joint and ball joint", area=AREA, source=f"{KAMMAN}; {OWN}", reason=DIGITS,
      uses="relative_equations; formulations relative, cartesian, joint")  # fmt: skip
def three_bodies() -> Iterator[Row]:
    m = K2()
    found = tm.textbook.relative_equations(m)
    want = [-8.69622946, 10.650789975, 6.35749708, -8.357628493, -4.454825274, 1.5783812]
    yield Row("accelerations of the angles at 0 s", "rad/s²", want, rates(found), 1e-8)
    at_start = {
        "A.force_lower": [-4.969388493, -11.581071766, 25.485815692], "A.moment_lower": [0, -0.338966491, 0.456685319],
        "A.moment_body": [0, -0.078524477, 0.563288265], "B.force_lower": [-4.969388493, 0.010908589, 19.443895537],
        "B.moment_lower": [0, -0.161378378, 0.521692426], "B.moment_body": [0.212654496, 0, 0.502975182],
        "C.force_lower": [-0.092144098, 1.600333737, 6.876483366], "C.moment_lower": [0, 0, 0],
    }  # fmt: skip
    yield from loads("0 s", found, at_start, 1e-8)
    angles = [-0.287148314, -0.056441797, 0.052816129, -0.671002543, 0.139630783, 1.588176099]
    turning = [-1.2771948, 0.206047412, -1.509910926, -1.08980003, -0.411699517, 3.144153748]
    at_end = {
        "A.force_lower": [0.031652025, 7.471709202, 33.033535963], "A.moment_lower": [0, -3.32674956, 0.868963012],
        "B.moment_lower": [0, 0.006656604, 0.117812237], "C.force_lower": [0.05736427, 1.984802516, 8.895315642],
    }  # fmt: skip
    for name, r in simulated(m, [1.0]):
        end = tm.textbook.relative_equations(m, result=r, time=1.0, formulation=tm.formulations.relative)
        yield Row(f"angles at 1 s ({name})", "rad", angles, [end.coordinates[n] for n in end.unknown], 2e-9)
        yield Row(f"rates at 1 s ({name})", "rad/s", turning, speeds(end), 5e-9)
        yield from loads(f"1 s ({name})", end, at_end, 5e-8)


@case("K5, everything locked", area=AREA, source=f"{KAMMAN}; statics by hand",
reason=DIGITS, uses="weld; relative_equations, statics")  # fmt: skip
def locked() -> Iterator[Row]:
    table = {
        "A.force_lower": [0, 0, 24.525], "A.moment_lower": [3.624431807, -2.010078793, 0],
        "B.force_lower": [0, 4.348579841, 14.057776437], "B.moment_lower": [-0.323024614, 0.422661122, -0.130744406],
    }  # fmt: skip
    m = K5()
    yield from loads("locked", tm.textbook.relative_equations(m), table, 1e-9)
    s = m.statics()
    yield Row("force of weld A by statics", "N", table["A.force_lower"], s.reaction("A", on="one").force[0], 1e-9)


# moments from multipliers for angles locked at zero, (39)-(75): components of the lower body and of the body
CLOSED_FORMS = {
    (2, 3): lambda c, s, m: ([m[0], 0, -s[1] / c[1] * m[0]], [c[2] / c[1] * m[0], -s[2] / c[1] * m[0], 0]),
    (1, 3): lambda c, s, m: ([0, c[0] * m[1], s[0] * m[1]], [s[2] * m[1], c[2] * m[1], 0]),
    (1, 2): lambda c, s, m: ([0, -s[0] / c[1] * m[2], c[0] / c[1] * m[2]], [-s[1] / c[1] * m[2], 0, m[2]]),
    (1,): lambda c, s, m: ([0, c[0] * m[1] - s[0] * m[2], s[0] * m[1] + c[0] * m[2]], [0, m[1], m[2]]),
    (2,): lambda c, s, m: ([m[0], 0, (m[2] - s[1] * m[0]) / c[1]], [(m[0] - s[1] * m[2]) / c[1], 0, m[2]]),
    (3,): lambda c, s, m: ([m[0], m[1], 0], [c[2] * m[0] + s[2] * m[1], -s[2] * m[0] + c[2] * m[1], 0]),
    (): lambda c, s, m: (list(m), list(m)),
}


@case("Moments of each joint from multipliers", area=AREA, source=f"{KAMMAN}, equations 39 to 75", reason="rounding",
      uses="revolute, universal and prismatic joints with frames along the bodies; relative_equations")  # fmt: skip
def moments() -> Iterator[Row]:
    for free, form in CLOSED_FORMS.items():
        theta = [0.7 if k + 1 in free else 0.0 for k in range(3)]
        if len(free) == 2:
            theta[free[1] - 1] = -0.5
        turning = [0.9 if k + 1 in free else 0.0 for k in range(3)]
        m, at = chain([("one", 1.0, I1, (0.1, 0.05, -0.3), (0, 0, 0), theta, turning)])
        if len(free) == 2:
            m.universal(
                "A", "ground", "one", at=(0, 0, 0), axis="xyz"[free[0] - 1], second_axis=at[0][1][:, free[1] - 1]
            )
        elif free:
            m.revolute("A", "ground", "one", at=(0, 0, 0), axis="xyz"[free[0] - 1])
        else:
            m.prismatic("A", "ground", "one", at=(0, 0, 0), axis="y")
        found = tm.textbook.relative_equations(m)
        multipliers = [found.multipliers.get(f"one.theta{k}", 0.0) for k in (1, 2, 3)]
        lower, body = form(np.cos(theta), np.sin(theta), multipliers)
        name = f"{found.joints[0].split(chr(39))[0].strip()}"
        yield Row(f"{name}: moment in the lower body", "N m", lower, found.loads["A"].moment_lower, 1e-12)
        yield Row(f"{name}: moment in the body", "N m", body, found.loads["A"].moment_body, 1e-12)
        forces = [found.multipliers.get(f"one.s{k}", 0.0) for k in (1, 2, 3)]
        yield Row(f"{name}: force", "N", forces, found.loads["A"].force_lower, 1e-12)


@case("Hinge about the second axis at 90°", area=AREA, source=f"{KAMMAN}: m = 1, r = (.1, .05, -.3), rate .7; the multipliers coincide",
      reason="six digits are given", uses="revolute; relative_equations")  # fmt: skip
def upright() -> Iterator[Row]:
    m, _ = chain([("one", 1.0, I1, (0.1, 0.05, -0.3), (0, 0, 0), (0, math.pi / 2, 0), (0, 0.7, 0))])
    m.revolute("A", "ground", "one", at=(0, 0, 0), axis="y")
    found = tm.textbook.relative_equations(m)
    yield Row("angular acceleration", "rad/s²", -14.715, found.rates[1], 5e-4)
    yield Row(
        "multipliers of both locked angles",
        "N m",
        [0.414475] * 2,
        [found.multipliers[f"one.theta{k}"] for k in (1, 3)],
        1e-6,
    )
    yield Row("moment in the body", "N m", [-0.071125, 0, 0.414475], found.loads["A"].moment_body, 1e-6)
