"""What friction in joints is proportional to: the reactions that are reported, with bearing moments, slide couples and thrust."""

from __future__ import annotations

import math

import numpy as np
import pytest

import trammel as tm

G = 9.81
MU = 0.1
FAST = 5.0  # far above the stick rate: Coulomb friction in full


def slide(couple=0.0, across=0.0, *, first="ground", **friction):
    """Block of 2 kg on a guide along x; its own weight off, a force across and a couple on it."""
    m = tm.PlanarModel("slide", gravity=(0.0, 0.0))
    m.body("b", position=(0.3, 0.2), velocity=(FAST, 0.0), mass=2.0, inertia=0.5)
    ends = ("ground", "b") if first == "ground" else ("b", "ground")
    m.translational("T", *ends, at=(0.3, 0.2), direction=(1, 0))
    m.force("across", "b", (0.0, across))
    m.couple("couple", "b", couple)
    m.joint_friction("f", "T", coefficient=MU, **friction)
    return m


@pytest.mark.parametrize("first", ["ground", "b"])
@pytest.mark.parametrize(("couple", "across"), [(0.0, 30.0), (6.0, 0.0), (6.0, 30.0), (-1.0, 30.0), (6.0, -30.0)])
def test_a_guide_carries_a_couple_by_forces_at_its_ends(couple, across, first):
    """N = |F/2 + M/L| + |F/2 - M/L| with L = 0.4 m, in simulation and in inverse dynamics; which body comes first does not matter."""
    pressed = abs(across / 2 + couple / 0.4) + abs(across / 2 - couple / 0.4)
    r = slide(couple, across, first=first, length=0.4).simulate(1e-4, samples=2)
    assert r.a[0, 0] == pytest.approx(-MU * pressed / 2.0, rel=1e-9)
    m = slide(couple, across, length=0.4)
    m.driver("push", "b.x", f"0.3 + {FAST}*t")
    assert m.inverse_dynamics(times=[0.0]).effort("push")[0] == pytest.approx(MU * pressed, rel=1e-9)


def test_a_couple_that_friction_does_not_see_is_told():
    with pytest.warns(
        tm.RunWarning, match=r"friction 'f' leaves out the couple of joint 'T', 6 N m at t = 0 s: .* Give length="
    ):
        slide(6.0, 30.0).simulate(1e-4, samples=2)


def overhung(arm, **friction):
    """A rotor of 3 kg on a horizontal axis whose weight hangs `arm` beyond the middle of its bearing."""
    m = tm.SpatialModel("rotor", gravity=(0.0, 0.0, -G))
    m.body("r", position=(arm, 0.0, 0.0), mass=3.0, inertia=(0.2, 0.1, 0.1), omega=(FAST, 0.0, 0.0))
    m.revolute("A", "ground", "r", at=(0, 0, 0), axis=(1, 0, 0))
    m.joint_friction("f", "A", coefficient=MU, radius=0.02, **friction)
    return m


@pytest.mark.parametrize("arm", [0.0, 0.03, 0.2, -0.2])
def test_an_overhung_rotor_presses_both_ends_of_its_bearing(arm):
    """Journals at ±L/2 carry W/2 ± W a/L."""
    weight, length = 3.0 * G, 0.1
    pressed = abs(weight / 2 + weight * arm / length) + abs(weight / 2 - weight * arm / length)
    r = overhung(arm, length=length).simulate(1e-4, samples=2)
    assert r.force("f.force")[0] == pytest.approx(-MU * 0.02 * pressed, rel=1e-9)
    assert r.a[0, 3] == pytest.approx(-MU * 0.02 * pressed / 0.2, rel=1e-9)


def test_a_bearing_moment_without_a_length_is_told():
    with pytest.warns(tm.RunWarning, match="leaves out the couple of joint 'A'"):
        overhung(0.2).simulate(1e-4, samples=2)


def test_thrust_rubs_too():
    m = tm.SpatialModel("thrust", gravity=(0.0, 0.0, -G))
    m.body("r", mass=3.0, inertia=(0.1, 0.1, 0.2), omega=(0.0, 0.0, FAST))
    m.revolute("A", "ground", "r", at=(0, 0, 0), axis=(0, 0, 1))
    m.joint_friction("f", "A", coefficient=MU, radius=0.02, length=0.1)
    assert m.simulate(1e-4, samples=2).force("f.force")[0] == pytest.approx(-MU * 0.02 * 3.0 * G, rel=1e-9)


def test_a_guide_in_space_carries_couples_about_all_axes():
    """Force across (0, -20, 10), couples across (0, 3, 4) over the length, 1.5 about the axis over the radius."""
    m = tm.SpatialModel("guide", gravity=(0, 0, 0))
    m.body("b", position=(0.1, 0.2, 0.3), mass=2.0, inertia=(0.1, 0.1, 0.1), velocity=(FAST, 0.0, 0.0))
    m.prismatic("T", "ground", "b", at=(0.1, 0.2, 0.3), axis=(1, 0, 0))
    m.force("f0", "b", (0.0, 20.0, -10.0))
    m.torque("t0", "b", (1.5, 3.0, 4.0))
    m.joint_friction("f", "T", coefficient=MU, length=0.5, radius=0.05)
    force, couple = np.array([0.0, -20.0, 10.0]), np.array([0.0, -3.0, -4.0])
    edge = np.cross(couple, [1.0, 0.0, 0.0]) / 0.5
    pressed = np.linalg.norm(force / 2 + edge) + np.linalg.norm(force / 2 - edge) + 1.5 / 0.05
    assert m.simulate(1e-4, samples=2).force("f.force")[0] == pytest.approx(-MU * pressed, rel=1e-9)


def door(hinges=(0.2, 1.1, 1.7)):
    """A door on hinges in one line: each after the first is redundant but for what it shares."""
    m = tm.SpatialModel("door", gravity=(0.0, 0.0, -G))
    m.body("d", position=(0.4, 0.0, 1.0), mass=20.0, inertia=(3.0, 4.0, 1.5), omega=(0.0, 0.0, FAST))
    for k, z in enumerate(hinges):
        m.revolute(f"H{k}", "ground", "d", at=(0, 0, z), axis=(0, 0, 1))
        m.joint_friction(f"f{k}", f"H{k}", coefficient=MU, radius=0.01, length=0.05)
    return m


def expected_friction(r, k, joint):
    """From the reported reaction: journals, thrust."""
    reaction = r.reaction(joint, "d")
    force, moment = reaction.force[k], reaction.moment[k]
    across, couple = force * [1, 1, 0], moment * [1, 1, 0]
    edge = np.cross(couple, [0, 0, 1]) / 0.05
    return MU * 0.01 * (np.linalg.norm(across / 2 + edge) + np.linalg.norm(across / 2 - edge) + abs(force[2]))


def test_redundant_hinges_rub_by_the_reactions_that_are_reported():
    r = door().simulate(0.2, samples=5)
    assert r.redundant
    for joint in range(3):
        for k in range(len(r)):
            expected = -expected_friction(r, k, f"H{joint}")
            assert r.force(f"f{joint}.force")[k] == pytest.approx(expected, rel=1e-6)
    total = sum(r.reaction(f"H{j}", "d").force[0] for j in range(3))
    assert total[2] == pytest.approx(20.0 * G, rel=1e-9)


def test_inverse_dynamics_of_redundant_hinges_agrees_with_simulation():
    m = door()
    sim = m.simulate(1e-6, samples=2)
    m.driver("turn", "H0.angle", f"{FAST}*t + {float(0.5 * sim.a[0, 5])!r}*t^2")
    inv = m.inverse_dynamics(times=[0.0])
    assert inv.effort("turn")[0] == pytest.approx(0.0, abs=1e-6)
    for j in range(3):
        assert inv.force(f"f{j}.force")[0] == pytest.approx(sim.force(f"f{j}.force")[0], rel=1e-6)


def test_redundant_pins_of_a_plane_frame_rub_by_the_reported_reactions():
    """Three equal cranks carry a bar: one pin more than needed."""
    m = tm.PlanarModel("three cranks", gravity=(0.0, -G))
    m.body("bar", position=(0.3, 0.2), mass=5.0, inertia=0.1, velocity=(-0.2 * FAST, 0.0))
    for k in range(3):
        m.body(
            f"c{k}",
            position=(0.3 * k, 0.1),
            angle=math.pi / 2,
            mass=1.0,
            inertia=0.01,
            velocity=(-0.1 * FAST, 0.0),
            spin=FAST,
        )
        m.revolute(f"A{k}", m.ground, f"c{k}", at=(0.3 * k, 0.0))
        m.revolute(f"B{k}", f"c{k}", "bar", at=(0.3 * k, 0.2))
        m.joint_friction(f"f{k}", f"A{k}", coefficient=MU, radius=0.01)
    r = m.simulate(0.1, samples=3)
    for j in range(3):
        np.testing.assert_allclose(r.force(f"f{j}.force"), -MU * 0.01 * r.reaction(f"A{j}", f"c{j}").size, rtol=1e-6)


def test_a_jammed_guide_stops_with_a_sentence():
    """Pulled off its axis by h > L/(2 mu), a guide locks itself: friction grows with the reaction that it causes."""
    m = tm.PlanarModel("drawer", gravity=(0.0, 0.0))
    m.body("d", velocity=(-0.1, 0.0), mass=1.0, inertia=0.2)
    m.translational("T", "ground", m["d"].at(0.0, 2.0), at=(0.0, 2.0), direction=(1, 0))
    # beside the centroid: the couple presses with 2 (2 f + 0.3)/L, so that f = 0.9 (40 f + 6), which no f > 0 satisfies
    m.force("push", m["d"].at(0.0, 0.3), (1.0, 0.0))
    m.joint_friction("f", "T", coefficient=0.9, length=0.1)
    with pytest.raises(
        tm.ConvergenceError, match=r"'f' and the reactions that they depend on do not settle.*self-locking"
    ):
        m.simulate(1.0, samples=3)


@pytest.mark.parametrize(
    ("joint", "given", "sentence"),
    [
        ("A", {"radius": 0.1, "length": 0.2}, "length= says nothing about a revolute joint in the plane"),
        ("T", {"radius": 0.1}, "radius= says nothing about a translational joint in the plane"),
        ("T", {"length": 0.0}, "length of friction 'f' is 0; it must be greater than 0"),
        ("T", {"coefficient": (0.1, 0.2)}, "the dynamic coefficient 0.2 is larger than the static one 0.1"),
    ],
)
def test_sizes_that_mean_nothing_are_refused(joint, given, sentence):
    m = tm.PlanarModel("bad")
    for name in "ab":
        m.body(name, mass=1.0, inertia=1.0)
    m.revolute("A", "ground", "a", at=(0, 0))
    m.translational("T", "ground", "b", at=(0, 0), direction=(1, 0))
    with pytest.raises(tm.ModelError, match=sentence):
        m.joint_friction("f", joint, **{"coefficient": 0.1, **given})
