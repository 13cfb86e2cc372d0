"""Impulses in space, jumps that are reported, changes that change nothing, bristles that take over, and motion inside a step."""

from __future__ import annotations

import math

import numpy as np
import pytest

import pytrammel as tm
from pytrammel.analysis.events import impulses
from pytrammel.analysis.events.breaks import merged_breaks
from pytrammel.analysis.events.lapses import weights
from pytrammel.system.lowering import lower

SIZES = [(1.0, 1.0), (1e-3, 1e3), (200.0, 1e-2)]  # of lengths and of masses


@pytest.mark.parametrize(("length", "mass"), SIZES)
@pytest.mark.parametrize("dense", [True, False], ids=["dense", "sparse"])
def test_a_blow_in_space_changes_momenta_by_itself_and_its_arm(dense, length, mass, monkeypatch):
    """A turned body with three moments of inertia, struck off its centre by a force and a couple in global components."""
    if not dense:
        monkeypatch.setattr(impulses, "DENSE", 0)
    axis = np.array([1.0, -2.0, 0.5]) / np.linalg.norm([1.0, -2.0, 0.5])
    A = tm.rotations.matrix(tm.rotations.from_axis_angle(axis, 0.8))
    J = mass * length**2 * np.array([0.3, 0.7, 0.9])
    m = tm.SpatialModel("struck", gravity=(0, 0, 0))
    omega, v = np.array([0.3, -0.2, 0.5]), length * np.array([1.0, 2.0, -0.5])
    for name in ("other", "body"):  # not the first one
        m.body(name, position=tuple(length * np.array([0.4, -0.3, 0.9])), mass=3.0 * mass, inertia=tuple(J), rotation=A)
    arm = length * np.array([0.2, 0.5, -0.4])
    force, couple = mass * length * np.array([0.7, -1.1, 0.6]), mass * length**2 * np.array([-0.2, 0.8, 0.5])
    system = lower(m, dynamics=True)
    q = m.assemble().q
    before = np.concatenate([np.zeros(6), v, omega])
    found = impulses.velocities_after(system, [], 0.0, q, before, [(m["body"].at(*arm), [*force, *couple])])
    turned = omega + (A.T @ couple + np.cross(arm, A.T @ force)) / J  # of the body's own axes
    np.testing.assert_allclose(found[6:], np.concatenate([v + force / (3.0 * mass), turned]), rtol=1e-9)
    assert not found[:6].any()


@pytest.mark.parametrize("dense", [True, False], ids=["dense", "sparse"])
def test_a_blow_on_a_hinged_body_leaves_the_turning_it_can_have(dense, monkeypatch):
    """In space about a skew hinge: n . (r x P) over the moment of inertia about it."""
    if not dense:
        monkeypatch.setattr(impulses, "DENSE", 0)
    m = tm.SpatialModel("door", gravity=(0, 0, 0))
    center, n = np.array([0.5, 0.2, -0.1]), np.array([1.0, 2.0, 2.0]) / 3.0
    m.body("door", position=tuple(center), mass=3.0, inertia=(0.3, 0.7, 0.9))
    m.revolute("H", "ground", "door", at=(0, 0, 0), axis=tuple(n))
    P, at = np.array([0.7, -1.1, 0.6]), np.array([0.2, 0.5, -0.4])
    hit = tm.Event("hit", "t - 0.1", impulse=[(m["door"].at(*at), P)])
    run = m.simulate(0.1 + 1e-9, samples=2, events=[hit], progress=False)
    inertia = n @ np.diag([0.3, 0.7, 0.9]) @ n + 3.0 * (center @ center - (n @ center) ** 2)
    assert run["H.angle.rate"][-1] == pytest.approx(n @ np.cross(center + at, P) / inertia, rel=1e-9)


@pytest.mark.parametrize(("length", "of"), [(0.01, "bar.x"), (100.0, "bar.phi")])
def test_the_largest_jump_is_that_against_the_size_of_the_model(length, of):
    """A blow gives 1.5 lengths per second or 0.015, and 1.2 rad/s; angles count as they are, places in lengths of the model."""
    m = tm.PlanarModel("bar", gravity=(0, 0))
    m.body("bar", mass=2.0, inertia=0.5)
    m.body("far", position=(length, 0), mass=1.0, inertia=1.0)
    speed = 1.5 * 0.01 if length < 1.0 else 1.5
    blow = tm.Event(
        "blow", "t - 0.1", impulse=[("bar", (2.0 * speed, 0.0)), ("bar", 0.5 * (1.2 if length > 1.0 else 0.12))]
    )
    (event,) = m.simulate(0.2, samples=3, events=[blow], progress=False).events
    assert event.jump_of == of
    assert event.velocity_jump == pytest.approx(speed if of == "bar.x" else 1.2, rel=1e-9)


@pytest.mark.parametrize("restitution", [0.3, 0.8])
def test_a_change_of_nothing_during_a_blow_changes_nothing(restitution):
    """The speed at first touch, on which damping depends, stays known to each contact; they touch with different speeds."""
    m = tm.PlanarModel("two balls")
    for k, height in enumerate((0.30, 0.11)):
        m.body(f"b{k}", position=(2.0 * k, height), mass=1.0, inertia=0.1)
        m.contact_line(
            f"c{k}", f"b{k}", "ground", radius=0.1, at=(0, 0), axis=(1, 0), law="hunt_crossley", stiffness=2e4,
            restitution=restitution,
        )  # fmt: skip
    m.user_force("idle", "b0.x", "0")
    nothing = [tm.Event(f"e{k}", f"0.0999 - b{k}.y", change={"idle": {"law": "0"}}) for k in range(2)]
    plain, changed = (
        m.simulate(0.5, samples=26, events=events, rtol=1e-10, progress=False) for events in ((), nothing)
    )
    assert {e.name for e in changed.events} >= {"e0", "e1"}
    for k in range(2):
        np.testing.assert_allclose(changed[f"b{k}.y"], plain[f"b{k}.y"], atol=1e-7)


@pytest.mark.parametrize("stiffness", [300.0, 9000.0])
def test_a_bristle_takes_over_the_force_of_sliding(stiffness):
    """A block slides to rest: then the bristle pulls as friction did, F, and the block springs back by 2 F / k and swings on."""
    m, normal, mass = tm.PlanarModel("block", gravity=(0, 0)), 10.0, 2.0
    for k in range(2):
        m.body(f"b{k}", mass=mass, inertia=0.1)
        m.prismatic(f"T{k}", "ground", f"b{k}", at=(0, 0), axis=(1, 0))
        m.stick_slip(f"F{k}", f"b{k}.x", friction=0.3, normal=normal, bristle_stiffness=stiffness)
    force, speed = 0.3 * normal, 0.8
    stop, place = mass * speed / force, 0.5 * mass * speed**2 / force
    period = math.tau * math.sqrt(mass / stiffness)
    times = np.concatenate([[0.0], stop + period * np.array([0.01, 0.25, 0.5, 0.75, 1.0, 1.5])])
    run = m.simulate(times=times, initial={"b0.vx": 0.0, "b1.vx": speed}, rtol=1e-10, atol=1e-12, progress=False)
    swing = force / stiffness * (1.0 - np.cos(math.tau * (times[1:] - stop) / period))
    # sliding ends at a small speed, from which the rest follows
    np.testing.assert_allclose(run["b1.x"][1:], place - swing, atol=0.02 * force / stiffness)
    np.testing.assert_allclose(run["b0.x"], 0.0, atol=1e-12)


# --- pieces ---------------------------------------------------------------------------------------------------------------------


def test_weights_inside_a_step_are_exact_for_cubic_speeds():
    """Speeds of third order follow from those at both ends and accelerations there, and so do their integrals."""
    theta = np.array([0.0, 0.13, 0.5, 0.71, 1.0])
    now, since, until = weights(theta)
    for coefficients in np.random.default_rng(0).normal(size=(4, 4)):
        v = np.polynomial.Polynomial(coefficients)
        a, x = v.deriv(), v.integ()
        ends = np.array([v(0.0), v(1.0), a(0.0), a(1.0)])
        np.testing.assert_allclose(now @ ends, v(theta), atol=1e-14)
        np.testing.assert_allclose(since @ ends, x(theta) - x(0.0), atol=1e-14)
        np.testing.assert_allclose(until @ ends, x(1.0) - x(theta), atol=1e-14)


@pytest.mark.parametrize("unit", [1.0, 1e-15, 1e9])
def test_breaks_that_differ_by_rounding_are_one_in_any_unit(unit):
    times = [(0.1 + 0.2, False), (0.3, True), (0.7, False), (1.1, False), (0.1 + 1.0, False), (1.1001, True)]
    found = merged_breaks([(unit * t, jumps) for t, jumps in times], 0.0, 2.0 * unit)
    np.testing.assert_allclose(found.times, unit * np.array([0.3, 0.7, 1.1, 1.1001]), rtol=1e-12)
    np.testing.assert_array_equal(found.table[:, 2], [1.0, 0.0, 0.0, 1.0])
    for t, _ in times:
        assert ((found.table[:, 0] < unit * t) & (unit * t < found.table[:, 1])).sum() == 1
