"""Kamman's notes on inter-body joints: relative coordinates, the partition into known and unknown, joint loads by eliminated equations.

The notes hold no numbers. K1, K2 and K5 are the cases of our digest of them, integrated by DOP853 at 1e-12 in a program of its own and
checked against absolute coordinates there: K1 by hand at the start, K2 in motion and all loads, K5 statically.
"""

from __future__ import annotations

import math

import numpy as np
import pytest

import trammel as tm
from trammel.analysis.study.relative_equations import speeds_of_angles

TIGHT = {"rtol": 1e-12, "atol": 1e-13, "progress": False}
I1 = [[0.12, 0.01, 0.02], [0.01, 0.10, -0.01], [0.02, -0.01, 0.05]]
I2 = [[0.2, -0.02, 0.01], [-0.02, 0.15, 0.03], [0.01, 0.03, 0.1]]
I3 = [[0.08, 0.01, 0.0], [0.01, 0.09, 0.02], [0.0, 0.02, 0.06]]
ROD = np.diag([1 / 12, 1 / 12, 1e-3])


def turn(axis, angle):
    c, s = math.cos(angle), math.sin(angle)
    out = np.eye(3)
    i, j = (axis + 1) % 3, (axis + 2) % 3
    out[i, i], out[i, j], out[j, i], out[j, j] = c, -s, s, c
    return out


def chain(parts):
    """Bodies one after another: name, mass, inertia, centre r, point q on the lower body, angles and their rates."""
    m = tm.SpatialModel("chain", gravity=(0, 0, -9.81))
    A, at, v, w = np.eye(3), np.zeros(3), np.zeros(3), np.zeros(3)
    points = []
    for name, mass, inertia, r, q, theta, rates in parts:
        arm = A @ q
        at, v = at + arm, v + np.cross(w, arm)
        for axis in range(3):
            w = w + A[:, axis] * rates[axis]
            A = A @ turn(axis, theta[axis])
        p = tm.rotations.parameters(A)
        m.body(name, position=at, rotation=p, mass=mass, inertia=inertia, centroid=r, velocity=v, omega=A.T @ w)
        points.append((at.copy(), A.copy()))
    return m, points


def K1():
    rest = (0, 0, 0)
    m, at = chain([
        ("one", 1.0, ROD, (0, 0, -0.5), (0, 0, 0), (math.pi / 3, 0, 0), rest),
        ("two", 1.0, ROD, (0, 0, -0.5), (0, 0, -1), (math.pi / 6, 0, 0), rest),
    ])  # fmt: skip
    m.revolute("A", "ground", "one", at=at[0][0], axis="x")
    m.revolute("B", "one", "two", at=at[1][0], axis="x")
    return m


def bodies_of_K2(theta1, theta2, rates1=(0, 0, 0), rates2=(0, 0, 0)):
    return [
        ("one", 1.0, I1, (0.1, 0.05, -0.3), (0, 0, 0), theta1, rates1),
        ("two", 1.5, I2, (0.02, -0.1, -0.25), (0.1, 0, -0.6), theta2, rates2),
    ]


def K2():
    m, at = chain([
        *bodies_of_K2((0.5, 0, 0), (0.3, -0.4, 0), (1.0, 0, 0), (-0.5, 0.7, 0)),
        ("three", 0.8, I3, (0.05, 0, -0.2), (0, -0.1, -0.5), (0.2, 0.3, -0.1), (0.4, -0.6, 2.0)),
    ])  # fmt: skip
    m.revolute("A", "ground", "one", at=at[0][0], axis="x")
    m.universal("B", "one", "two", at=at[1][0], axis=at[0][1][:, 0], second_axis=at[1][1][:, 1])
    m.spherical("C", "two", "three", at=at[2][0])
    return m


def K5():
    m, at = chain(bodies_of_K2((0.3, 0, 0), (0, 0.2, 0)))
    m.weld("A", "ground", "one", at=at[0][0])
    m.weld("B", "one", "two", at=at[1][0])
    return m


UNKNOWN = ("one.theta1", "two.theta1", "two.theta2", "three.theta1", "three.theta2", "three.theta3")


def values(table, names):
    return [table[name] for name in names]


def rates_of(found):
    return [found.rates[found.names.index(name)] for name in found.unknown]


def speeds_of(found):
    return [found.y[found.names.index(name)] for name in found.unknown]


def test_K1_at_the_start_and_on_its_way():
    m = K1()
    found = tm.relative_equations(m)
    assert found.lower == (0, 1)
    assert found.joints == ("hinge 1 'A'", "hinge 1 'B'")
    assert found.unknown == ("one.theta1", "two.theta1")
    assert rates_of(found) == pytest.approx([-8.266095449, 4.289068422], abs=1e-9)
    assert found.loads["A"].force_lower == pytest.approx([0, -6.199571586, 6.893513514], abs=1e-9)
    assert found.loads["B"].force_lower == pytest.approx([0, -1.492489456, 3.910743243], abs=1e-9)
    r = m.simulate(times=[0.0, 0.5, 1.0], formulation="relative", **TIGHT)
    half, end = (tm.relative_equations(m, result=r, time=t) for t in (0.5, 1.0))
    # nine digits are printed
    assert values(half.coordinates, half.unknown) == pytest.approx([0.393258461, 0.078971603], abs=2e-9)
    assert speeds_of(half) == pytest.approx([-1.482013632, -4.031065254], abs=2e-9)
    assert half.loads["A"].force_lower == pytest.approx([0, -12.463533932, 34.226598257], abs=2e-8)
    assert values(end.coordinates, end.unknown) == pytest.approx([-0.988664489, 0.217188314], abs=2e-9)
    assert speeds_of(end) == pytest.approx([-1.650599052, -0.453031954], abs=2e-9)
    assert rates_of(end) == pytest.approx([13.24738908, -23.273057062], abs=2e-8)
    assert end.loads["A"].force_lower == pytest.approx([0, 12.287864039, 10.349849724], abs=2e-8)
    assert end.loads["B"].force_lower == pytest.approx([0, -0.318686883, 9.198534028], abs=2e-8)


def test_K2_at_the_start():
    found = tm.relative_equations(K2())
    assert found.joints == ("hinge 1 'A'", "universal 1-2 'B'", "spherical 'C'")
    assert found.unknown == UNKNOWN
    expected = [-8.69622946, 10.650789975, 6.35749708, -8.357628493, -4.454825274, 1.5783812]
    assert rates_of(found) == pytest.approx(expected, abs=1e-8)
    a, b, c = (found.loads[name] for name in "ABC")
    assert a.force_lower == pytest.approx([-4.969388493, -11.581071766, 25.485815692], abs=1e-8)
    assert a.moment_lower == pytest.approx([0, -0.338966491, 0.456685319], abs=1e-8)
    assert a.moment_body == pytest.approx([0, -0.078524477, 0.563288265], abs=1e-8)
    assert b.force_lower == pytest.approx([-4.969388493, 0.010908589, 19.443895537], abs=1e-8)
    assert b.moment_lower == pytest.approx([0, -0.161378378, 0.521692426], abs=1e-8)
    assert b.moment_body == pytest.approx([0.212654496, 0, 0.502975182], abs=1e-8)
    assert c.force_lower == pytest.approx([-0.092144098, 1.600333737, 6.876483366], abs=1e-8)
    assert c.moment_lower == pytest.approx([0, 0, 0], abs=1e-12)


@pytest.mark.parametrize("rotations", ["angles", "parameters"])
def test_K2_after_a_second(rotations):
    m = K2()
    chosen = tm.formulation("relative", rotations=rotations)
    r = m.simulate(times=[0.0, 1.0], formulation=chosen, **TIGHT)
    found = tm.relative_equations(m, result=r, time=1.0, formulation=tm.formulation("relative"))
    x = [-0.287148314, -0.056441797, 0.052816129, -0.671002543, 0.139630783, 1.588176099]
    y = [-1.2771948, 0.206047412, -1.509910926, -1.08980003, -0.411699517, 3.144153748]
    assert values(found.coordinates, found.unknown) == pytest.approx(x, abs=2e-9)
    assert speeds_of(found) == pytest.approx(y, abs=5e-9)
    assert found.loads["A"].force_lower == pytest.approx([0.031652025, 7.471709202, 33.033535963], abs=5e-8)
    assert found.loads["A"].moment_lower == pytest.approx([0, -3.32674956, 0.868963012], abs=5e-8)
    assert found.loads["B"].moment_lower == pytest.approx([0, 0.006656604, 0.117812237], abs=5e-8)
    assert found.loads["C"].force_lower == pytest.approx([0.05736427, 1.984802516, 8.895315642], abs=5e-8)


def test_K5_everything_locked():
    found = tm.relative_equations(K5())
    assert found.unknown == ()
    assert len(found.known) == 12
    assert found.loads["A"].force_lower == pytest.approx([0, 0, 24.525], abs=1e-9)
    assert found.loads["A"].moment_lower == pytest.approx([3.624431807, -2.010078793, 0], abs=1e-9)
    assert found.loads["B"].force_lower == pytest.approx([0, 4.348579841, 14.057776437], abs=1e-9)
    assert found.loads["B"].moment_lower == pytest.approx([-0.323024614, 0.422661122, -0.130744406], abs=1e-9)


def test_the_generalised_mass_matrix_is_that_of_partial_velocities_and_twice_the_kinetic_energy():
    """(3): A = sum of m V'V + W'I W, with partial velocities of centres and of rotations in body components."""
    m = K2()
    found = tm.relative_equations(m)
    A = sum(
        body.mass * found.linear[name].T @ found.linear[name] + found.angular[name].T @ np.array(body.inertia) @ found.angular[name]
        for name, body in list(m.bodies.items())[1:]
    )  # fmt: skip
    assert np.abs(found.A - A).max() < 1e-13
    assert found.part("u", "k").shape == (6, 12)
    energy = m.simulate(times=[0.0], progress=False).energy.kinetic[0]
    assert found.y @ found.A @ found.y == pytest.approx(2.0 * energy, rel=1e-12)


# moments from multipliers for angles locked at zero, the closed forms of (39)-(75): lower components, body components
CLOSED_FORMS = {
    (2, 3): lambda c, s, m: ([m[0], 0, -s[1] / c[1] * m[0]], [c[2] / c[1] * m[0], -s[2] / c[1] * m[0], 0]),
    (1, 3): lambda c, s, m: ([0, c[0] * m[1], s[0] * m[1]], [s[2] * m[1], c[2] * m[1], 0]),
    (1, 2): lambda c, s, m: ([0, -s[0] / c[1] * m[2], c[0] / c[1] * m[2]], [-s[1] / c[1] * m[2], 0, m[2]]),
    (1,): lambda c, s, m: ([0, c[0] * m[1] - s[0] * m[2], s[0] * m[1] + c[0] * m[2]], [0, m[1], m[2]]),
    (2,): lambda c, s, m: ([m[0], 0, (m[2] - s[1] * m[0]) / c[1]], [(m[0] - s[1] * m[2]) / c[1], 0, m[2]]),
    (3,): lambda c, s, m: ([m[0], m[1], 0], [c[2] * m[0] + s[2] * m[1], -s[2] * m[0] + c[2] * m[1], 0]),
    (): lambda c, s, m: (list(m), list(m)),
}


@pytest.mark.parametrize("free", CLOSED_FORMS)
def test_moments_from_multipliers_are_the_closed_forms_of_each_joint(free):
    """Hinges about each axis, universal joints with each angle locked, and a slide, with frames along the bodies'."""
    theta = [0.7 if k + 1 in free else 0.0 for k in range(3)]
    if len(free) == 2:
        theta[free[1] - 1] = -0.5
    rates = [0.9 if k + 1 in free else 0.0 for k in range(3)]
    m, at = chain([("one", 1.0, I1, (0.1, 0.05, -0.3), (0, 0, 0), theta, rates)])
    if len(free) == 2:
        m.universal("A", "ground", "one", at=(0, 0, 0), axis="xyz"[free[0] - 1], second_axis=at[0][1][:, free[1] - 1])
    elif free:
        m.revolute("A", "ground", "one", at=(0, 0, 0), axis="xyz"[free[0] - 1])
    else:
        m.prismatic("A", "ground", "one", at=(0, 0, 0), axis="y")
    found = tm.relative_equations(m)
    kind = {2: "universal ", 1: "hinge ", 0: "prismatic 2"}[len(free)] + "-".join(map(str, free))
    assert found.joints == (f"{kind} 'A'",)
    lam = [found.multipliers.get(f"one.theta{k}", 0.0) for k in (1, 2, 3)]
    lower, body = CLOSED_FORMS[free](np.cos(theta), np.sin(theta), lam)
    load = found.loads["A"]
    assert np.abs(load.moment_body).max() > 0.01
    assert load.moment_lower == pytest.approx(lower, abs=1e-12)
    assert load.moment_body == pytest.approx(body, abs=1e-12)
    forces = [found.multipliers.get(f"one.s{k}", 0.0) for k in (1, 2, 3)]
    assert load.force_lower == pytest.approx(forces, abs=1e-12)


def test_a_hinge_about_the_second_axis_at_90_degrees_keeps_its_moment():
    """Digest: m = 1, I1, r = (.1, .05, -.3), theta2 = 90°, rate .7: the multipliers are equal and cannot tell the moment, which is
    (-0.071125, 0, 0.414475) in the body; the acceleration is -14.715."""
    m, _ = chain([("one", 1.0, I1, (0.1, 0.05, -0.3), (0, 0, 0), (0, math.pi / 2, 0), (0, 0.7, 0))])
    m.revolute("A", "ground", "one", at=(0, 0, 0), axis="y")
    found = tm.relative_equations(m)
    assert found.joints == ("hinge 2 'A'",)
    assert found.rates[1] == pytest.approx(-14.715, abs=5e-4)
    assert found.multipliers["one.theta1"] == pytest.approx(0.414475, abs=1e-6)
    assert found.multipliers["one.theta3"] == pytest.approx(0.414475, abs=1e-6)
    assert found.loads["A"].moment_body == pytest.approx([-0.071125, 0, 0.414475], abs=1e-6)
    assert "theta2" in found.notes[0]
    assert "axes=" in found.notes[0]


def test_angular_velocity_from_rates_of_angles_is_as_printed():
    """(19): W = [[C2C3, S3, 0], [-C2S3, C3, 0], [S2, 0, 1]]."""
    t = np.array([0.3, -0.7, 1.1])
    (_, c2, c3), (_, s2, s3) = np.cos(t), np.sin(t)
    expected = [[c2 * c3, s3, 0], [-c2 * s3, c3, 0], [s2, 0, 1]]
    assert speeds_of_angles(t) == pytest.approx(np.array(expected), abs=1e-15)


def test_euler_parameters_give_the_same_multipliers_in_the_body():
    """Locked speeds of rotation have the moments in the body for multipliers; loads are the same either way."""
    one = tm.relative_equations(K2())
    two = tm.relative_equations(K2(), formulation=tm.formulation("relative", rotations="parameters"))
    assert two.names[12:15] == ("three.omega1", "three.omega2", "three.omega3")
    turning = speeds_of_angles(np.array([0.2, 0.3, -0.1]))
    assert two.y[12:15] == pytest.approx(turning @ one.y[12:15], abs=1e-12)
    for name in "ABC":
        assert two.loads[name].force_lower == pytest.approx(one.loads[name].force_lower, abs=1e-11)
        assert two.loads[name].moment_lower == pytest.approx(one.loads[name].moment_lower, abs=1e-11)
