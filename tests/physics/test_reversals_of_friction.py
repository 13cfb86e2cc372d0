"""Speeds that reverse under regularised joint friction: no method with error control may step over the thin layer where it changes."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import pytrammel as tm

CONTROLLED = [
    name for name, m in tm.methods.items() if not m.fixed and m.back_end is None and name not in ("auto", "default")
]
LOOSE = {"bs32": 1e-6, "trbdf2": 1e-6, "esdirk43": 1e-8}  # methods of order 2 to 4
END = 1.0
TIMES = np.linspace(0.0, END, 21)


def driven(rng, kind):
    """A body on a line or a pin under a load that swings, and its motion by another program from one equation."""
    mass, mu, radius, small = (
        rng.uniform(0.5, 3.0),
        rng.uniform(0.05, 0.3),
        rng.uniform(0.02, 0.1),
        10.0 ** rng.uniform(-4, -2.5),
    )
    amplitude, frequency, phase, viscous = (
        rng.uniform(5.0, 15.0),
        rng.uniform(6.0, 20.0),
        rng.uniform(0, 6.0),
        rng.uniform(0, 0.2),
    )
    mass, mu, radius, small, amplitude, frequency, phase, viscous = map(
        float, (mass, mu, radius, small, amplitude, frequency, phase, viscous)
    )
    start = float(rng.uniform(-1.0, 1.0))
    m = tm.PlanarModel(kind)
    inertia = 0.5 * mass
    load = f"{amplitude!r}*sin({frequency!r}*t + {phase!r})"
    if kind == "line":
        m.body("b", mass=mass, inertia=1.0, velocity=(start, 0.0))
        m.prismatic("A", "ground", "b", at=(0, 0), axis=(1, 0))
        m.joint_friction("F", "A", friction=mu, viscous=viscous, stick_speed=small)
        m.force("P", m["b"].at(0, 0), (load, "0"))
    else:
        m.body("b", mass=mass, inertia=inertia, omega=start)
        m.revolute("A", "ground", "b", at=(0, 0))
        m.joint_friction("F", "A", friction=mu, radius=radius, viscous=viscous, stick_speed=small)
        m.motor("P", first="ground", second="b", torque=load)
    limit = mu * mass * 9.81 * (1.0 if kind == "line" else radius)
    inert = mass if kind == "line" else inertia

    def rates(t, y):
        friction = limit * math.tanh(y[1] / small) + viscous * y[1]
        return [y[1], (amplitude * math.sin(frequency * t + phase) - friction) / inert]

    found = solve_ivp(
        rates, (0.0, END), [0.0, start], "DOP853", t_eval=TIMES, rtol=1e-11, atol=1e-13, max_step=0.3 * small * inert / amplitude
    )  # fmt: skip
    return m, found.y


@pytest.mark.parametrize("kind", ["line", "pin"])
def test_a_driven_body_reverses_as_its_equation_does(kind, complete):
    rng = np.random.default_rng(31)
    for _ in range(4 if complete else 2):
        m, (place, speed) = driven(rng, kind)
        for method in CONTROLLED:
            r = m.simulate(times=TIMES, method=method, rtol=LOOSE.get(method, 1e-9), atol=1e-10, progress=False)
            moved, rate = (r["b"].x, r["b"].vx) if kind == "line" else (r["b"].phi, r["b"].omega)
            # tolerances of all steps may add up, and some hundred of them are taken
            allowed = 1e3 * LOOSE.get(method, 1e-9) * max(1.0, np.abs(speed).max())
            assert np.abs(moved - place).max() < allowed, method
            assert np.abs(rate - speed).max() < 10.0 * allowed, method


def arm(rng):
    """Two links on pins with friction, driven at the first and held by a spring."""
    m = tm.PlanarModel("arm")
    b = m.body("b", mass=2.0, inertia=0.3, position=(0.5, 0))
    m.revolute("A", m.ground, b, at=(0, 0))
    c = m.body("c", mass=1.0, inertia=0.1, position=(1.4, 0))
    m.revolute("B", b, c, at=(1.0, 0))
    static = float(rng.uniform(0.05, 0.4))
    m.joint_friction("F", "A", friction=(static, float(rng.uniform(0.5, 1.0)) * static), radius=0.05)
    if rng.uniform() < 0.5:
        m.joint_friction("E", "B", friction=static, radius=0.02)
    if rng.uniform() < 0.7:  # else it swings freely
        m.motor(
            "M", first="ground", second="b", torque=f"{float(rng.uniform(1, 6))!r}*sin({float(rng.uniform(2, 9))!r}*t)"
        )
    stiffness = float(rng.uniform(20, 120))
    m.spring("S", m.ground.at(0, 1), b.at(0.3, 0), stiffness=stiffness, free_length=0.5, damping=2.0)
    return m


@pytest.mark.parametrize("formulation", ["cartesian", "joint"])
def test_extrapolated_steps_do_not_miss_reversals_of_linked_bodies(formulation, complete):
    rng = np.random.default_rng(0)
    times = np.linspace(0.0, 2.0, 21)
    for _ in range(40 if complete else 6):
        m = arm(rng)
        truth = m.simulate(times=times, rtol=1e-12, atol=1e-13, progress=False)
        near = m.simulate(times=times, rtol=1e-10, atol=1e-11, progress=False)
        r = m.simulate(times=times, method="gbs12", formulation=formulation, rtol=1e-9, atol=1e-10, progress=False)
        # ten times the tolerance of the second run, whose own error shows how sensitive the motion is
        allowed = 1e-6 + 1e2 * np.abs(near["b"].phi - truth["b"].phi).max()
        assert np.abs(r["b"].phi - truth["b"].phi).max() < allowed


def test_extrapolated_steps_without_friction_stay_as_they_are():
    """A pendulum whose joint friction is viscous has no layer: nothing more is evaluated than for a torque of the same formula."""
    runs = []
    for friction in (True, False):
        m = tm.PlanarModel("pendulum")
        m.body("b", mass=1.0, inertia=0.1, position=(0.4, 0.0))
        m.revolute("A", "ground", "b", at=(0, 0))
        if friction:
            m.joint_friction("F", "A", viscous=0.3)
        else:
            m.motor("F", first="ground", second="b", torque="-0.3*A.angle.rate")
        runs.append(m.simulate(1.0, samples=5, method="gbs12", rtol=1e-9, progress=False))
    assert runs[0].dynamics.statistics.evaluations == runs[1].dynamics.statistics.evaluations
    assert runs[0]["b"].phi[-1] == pytest.approx(runs[1]["b"].phi[-1], abs=1e-13)


def slid(seed):
    """A block on a table that gives way, pushed against its speed with or without effect; its speed and way by another program."""
    g = np.random.default_rng(seed)
    mass, mu, small = g.uniform(0.5, 3.0), g.uniform(0.1, 0.8), 10.0 ** g.uniform(-4.0, -2.0)
    speed, push = g.uniform(0.5, 3.0), -g.choice([0.0, 0.5, 1.5]) * mu * 9.81 * mass
    m = tm.PlanarModel("block", gravity=(0.0, -9.81))
    m.body("b", position=(0.0, -mass * 9.81 / 1e5), mass=mass, inertia=0.1, velocity=(speed, 0.0))
    m.constrain("upright", "b.phi")
    m.contact_line("c", "b", m.ground, at=(0.0, 0.0), axis=(1.0, 0.0), stiffness=1e5, friction=mu, stick_speed=small)
    m.force("push", m["b"], (push, 0.0))

    def rates(_t, y):
        return [y[1], push / mass - mu * 9.81 * math.tanh(2.0 * y[1] / small)]

    found = solve_ivp(rates, (0.0, 1.2), [0.0, speed], "Radau", rtol=1e-9, atol=1e-12, max_step=0.01)
    return m, found.y[:, -1]


@pytest.mark.parametrize("rtol", [1e-5, 1e-6, 1e-7, 1e-8])
@pytest.mark.parametrize("method", ["gbs12", "default", "dopri5", "radau5"])
@pytest.mark.parametrize("seed", range(3))
def test_friction_of_contacts_reverses_or_stops_as_accurately_as_elsewhere(seed, method, rtol):
    m, (place, speed) = slid(seed)
    r = m.simulate(1.2, samples=7, method=method, rtol=rtol, atol=0.1 * rtol, progress=False)
    assert r["b"].x[-1] == pytest.approx(place, abs=100.0 * rtol)  # errors of some 100 steps add up
    assert r["b"].vx[-1] == pytest.approx(speed, abs=100.0 * rtol)
    assert r.warnings == ()


@pytest.mark.parametrize("law, friction, rtol", [
    ("linear", 0.2, 1e-5), ("linear", 0.5, 3e-6), ("linear", 0.5, 1e-8), ("hunt_crossley", 0.3, 1e-6), ("hunt_crossley", 0.5, 1e-5),
])  # fmt: skip
def test_extrapolated_steps_follow_a_ball_that_grips_while_it_bounces(law, friction, rtol):
    """Against `dop853`. Ends of steps that begin just before the layer did not depend on the rates where they begin."""

    def ball():
        m = tm.PlanarModel("ball")
        m.body("b", position=(0.0, 0.5), mass=1.0, inertia=0.01, velocity=(2.0, 0.0))
        more = {} if law == "linear" else {"restitution": 0.7}
        m.contact_line(
            "c", "b", m.ground, radius=0.1, at=(0.0, 0.0), axis=(1.0, 0.0), stiffness=1e5, law=law, friction=friction, **more
        )  # fmt: skip
        return m

    times = np.linspace(0.0, 1.5, 16)
    truth = ball().simulate(times=times, rtol=1e-11, atol=1e-12, progress=False)
    found = ball().simulate(times=times, rtol=rtol, atol=0.1 * rtol, method="gbs12", progress=False)
    np.testing.assert_allclose(
        found.q, truth.q, rtol=0, atol=300.0 * rtol
    )  # some thousand steps that the layer holds short
    assert np.abs(found.energy.balance).max() < 300.0 * rtol * 10.0  # J
