"""More actuators than degrees of freedom: the efforts are least, not all multipliers, and the reactions follow."""

from __future__ import annotations

import math

import numpy as np
import pytest

import pytrammel as tm

G = 9.81


def least(required, rates, weights):
    """Efforts u with sum(u * rates) = required and the smallest sum(w u²), by Lagrange's multiplier."""
    pull = rates / weights
    return pull * (required / (rates * pull).sum(axis=0))


def four_bar(scale=1.0):
    """Crank, coupler, rocker on the ground, driven at the crank; `scale` changes the length unit only in numbers."""
    m = tm.PlanarModel("four-bar", gravity=(0.0, -G))
    a, b, c, d = (scale * x for x in (0.1, 0.3, 0.25, 0.35))
    top = a * 1j
    r = abs(d - top)
    along = (b**2 - c**2 + r**2) / (2 * r)
    joint = top + (along + 1j * math.sqrt(b**2 - along**2)) * (d - top) / r
    for name, p, q in (("crank", 0j, top), ("coupler", top, joint), ("rocker", complex(d), joint)):
        middle = (p + q) / 2
        m.body(
            name,
            position=(middle.real, middle.imag),
            angle=math.atan2((q - p).imag, (q - p).real),
            mass=2.0,
            inertia=0.01,
        )
    m.revolute("A", m.ground, "crank", at=(0.0, 0.0))
    m.revolute("B", "crank", "coupler", at=(top.real, top.imag))
    m.revolute("C", "coupler", "rocker", at=(joint.real, joint.imag))
    m.revolute("D", m.ground, "rocker", at=(d, 0.0))
    m.driver("motor", "A.angle", "pi/2 + 3*t + 0.2*sin(5*t)")
    return m


@pytest.mark.parametrize("scale", [1.0, 10.0])
@pytest.mark.parametrize("weights", [None, {"first": 1.0, "second": 4.0}, {"second": 1e-3}])
def test_two_motors_of_a_four_bar_share_by_virtual_work(scale, weights):
    """The power of the efforts is that of the single motor; in between the least sum of squares, whatever the model's size."""
    m = four_bar(scale)
    alone = m.inverse_dynamics(1.0, samples=21)
    both = m.inverse_dynamics(1.0, samples=21, actuators={"first": "A.angle", "second": "D.angle"}, weights=weights)
    rates = np.array([alone["A"].angle_rate, alone["D"].angle_rate])
    cost = np.array([[(weights or {}).get(k, 1.0)] for k in ("first", "second")])
    expected = least(alone.effort("motor") * rates[0], rates, cost)
    size = np.abs(expected).max()
    np.testing.assert_allclose(both.effort("first"), expected[0], atol=1e-9 * size)
    np.testing.assert_allclose(both.effort("second"), expected[1], atol=1e-9 * size)


def test_reactions_follow_from_the_efforts():
    """Newton for the crank: the bearing A carries what B, weight and motion leave over, and B does the same for the coupler."""
    m = four_bar()
    r = m.inverse_dynamics(1.0, samples=11, actuators={"first": "A.angle", "second": "D.angle"})
    for body, joints in (("crank", "AB"), ("coupler", "BC"), ("rocker", "CD")):
        force = sum(r.reaction(j, body).force for j in joints)
        inertia = 2.0 * np.column_stack([r[body].ax, r[body].ay + G])
        np.testing.assert_allclose(force, inertia, atol=1e-9 * np.abs(inertia).max())


def test_four_cables_of_a_planar_platform_pull_with_the_least_efforts():
    rng = np.random.default_rng(3)
    m = tm.PlanarModel("platform", gravity=(0.0, -G))
    body = m.body("p", position=(0.0, 0.0), mass=3.0, inertia=0.2)
    m.driver("x", "p.x", "0.2*sin(2*t)")
    m.driver("y", "p.y", "0.1*t")
    m.driver("turn", "p.phi", "0.3*t")
    own, feet = rng.normal(scale=0.3, size=(4, 2)), rng.normal(scale=2.0, size=(4, 2))
    legs = {f"leg{k}": m.distance(m.ground.at(*feet[k]), body.at(*own[k])) for k in range(4)}
    r = m.inverse_dynamics(1.0, samples=7, actuators=legs)
    for k, t in enumerate(r.times):
        phi, centre = 0.3 * t, np.array([0.2 * math.sin(2 * t), 0.1 * t])
        turn = np.array([[math.cos(phi), -math.sin(phi)], [math.sin(phi), math.cos(phi)]])
        arms = own @ turn.T
        rods = centre + arms - feet
        units = rods / np.linalg.norm(rods, axis=1)[:, None]
        matrix = np.vstack([units.T, arms[:, 0] * units[:, 1] - arms[:, 1] * units[:, 0]])
        wrench = np.array([3.0 * -0.8 * math.sin(2 * t), 3.0 * G, 0.0])
        efforts, *_ = np.linalg.lstsq(matrix, wrench, rcond=None)
        np.testing.assert_allclose([r.effort(name)[k] for name in legs], efforts, atol=1e-10 * np.abs(efforts).max())


@pytest.mark.parametrize("heavy", [1.0, 50.0])
def test_seven_legs_of_a_platform_in_space_hold_it_with_the_least_efforts(heavy):
    rng = np.random.default_rng(5)
    m = tm.SpatialModel("platform", gravity=(0.0, 0.0, -G))
    body = m.body("p", position=(0.1, 0.0, 1.0), mass=4.0, inertia=(0.1, 0.1, 0.2))
    own, feet = rng.normal(scale=0.3, size=(7, 3)), rng.normal(scale=1.0, size=(7, 3))
    legs = {f"leg{k}": m.distance(m.ground.at(*feet[k]), body.at(*own[k])) for k in range(7)}
    r = m.statics(actuators=legs, weights={"leg0": heavy})
    rods = np.array([0.1, 0.0, 1.0]) + own - feet
    units = rods / np.linalg.norm(rods, axis=1)[:, None]
    cost = np.array([heavy, *[1.0] * 6])
    matrix = np.hstack([units, np.cross(own, units)]).T / np.sqrt(cost)
    efforts, *_ = np.linalg.lstsq(matrix, np.array([0.0, 0.0, 4.0 * G, 0.0, 0.0, 0.0]), rcond=None)
    got = [r.effort(name)[0] for name in legs]
    np.testing.assert_allclose(got, efforts / np.sqrt(cost), atol=1e-10 * np.abs(efforts).max())


def test_redundant_joints_beside_redundant_motors():
    """A parallelogram with three equal cranks and two motors: each motor half the torque, each joint row the least share."""
    m = tm.PlanarModel("three cranks", gravity=(0.0, -G))
    m.body("bar", position=(0.3, 0.2), mass=5.0, inertia=0.1)
    for k in range(3):
        m.body(f"c{k}", position=(0.3 * k, 0.1), angle=math.pi / 2, mass=1.0, inertia=0.01)
        m.revolute(f"A{k}", m.ground, f"c{k}", at=(0.3 * k, 0.0))
        m.revolute(f"B{k}", f"c{k}", "bar", at=(0.3 * k, 0.2))
    m.driver("motor", "A0.angle", "pi/2 + 2*t")
    alone = m.inverse_dynamics(times=[0.1, 0.3])
    both = m.inverse_dynamics(times=[0.1, 0.3], actuators={"one": "A0.angle", "two": "A2.angle"})
    np.testing.assert_allclose(both.effort("one"), alone.effort("motor") / 2, rtol=1e-9)
    np.testing.assert_allclose(both.effort("two"), alone.effort("motor") / 2, rtol=1e-9)
    total = sum(both.reaction(f"A{k}", f"c{k}").force for k in range(3))
    inertia = sum(
        mass * np.column_stack([both[b].ax, both[b].ay + G])
        for b, mass in (("bar", 5.0), *((f"c{k}", 1.0) for k in range(3)))
    )
    np.testing.assert_allclose(total, inertia, rtol=1e-9)


def test_bad_weights_and_undetermined_friction_are_refused():
    m = four_bar()
    acting = {"first": "A.angle", "second": "D.angle"}
    with pytest.raises(tm.ModelError, match="weights: there is no actuator 'third'; there are: 'first', 'second'"):
        m.inverse_dynamics(times=[0.0], actuators=acting, weights={"third": 1.0})
    with pytest.raises(tm.ModelError, match="weight of actuator 'first' is 0; it must be greater than 0"):
        m.inverse_dynamics(times=[0.0], actuators=acting, weights={"first": 0.0})
    m.joint_friction("rub", "B", friction=0.1, radius=0.01)
    with pytest.raises(
        tm.ModelError, match=r"'second' could share the work in many ways, and its joint friction depends on which"
    ):
        m.inverse_dynamics(times=[0.0], actuators=acting)
