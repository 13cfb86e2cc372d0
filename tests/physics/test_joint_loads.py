"""What friction in joints is proportional to: the reactions that are reported, with bearing moments, slide couples and thrust."""

from __future__ import annotations

import math

import numpy as np
import pytest

import pytrammel as tm

G = 9.81
MU = 0.1
FAST = 5.0  # far above the stick rate: Coulomb friction in full


def slide(couple=0.0, across=0.0, *, first="ground", **friction):
    """Block of 2 kg on a guide along x; its own weight off, a force across and a couple on it."""
    m = tm.PlanarModel("slide", gravity=(0.0, 0.0))
    m.body("b", position=(0.3, 0.2), velocity=(FAST, 0.0), mass=2.0, inertia=0.5)
    ends = ("ground", "b") if first == "ground" else ("b", "ground")
    m.prismatic("T", *ends, at=(0.3, 0.2), axis=(1, 0))
    m.force("across", "b", (0.0, across))
    m.torque("couple", "b", couple)
    m.joint_friction("f", "T", friction=MU, **friction)
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
    m.joint_friction("f", "A", friction=MU, radius=0.02, **friction)
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
    m.joint_friction("f", "A", friction=MU, radius=0.02, length=0.1)
    assert m.simulate(1e-4, samples=2).force("f.force")[0] == pytest.approx(-MU * 0.02 * 3.0 * G, rel=1e-9)


def test_a_guide_in_space_carries_couples_about_all_axes():
    """Force across (0, -20, 10), couples across (0, 3, 4) over the length, 1.5 about the axis over the radius."""
    m = tm.SpatialModel("guide", gravity=(0, 0, 0))
    m.body("b", position=(0.1, 0.2, 0.3), mass=2.0, inertia=(0.1, 0.1, 0.1), velocity=(FAST, 0.0, 0.0))
    m.prismatic("T", "ground", "b", at=(0.1, 0.2, 0.3), axis=(1, 0, 0))
    m.force("f0", "b", (0.0, 20.0, -10.0))
    m.torque("t0", "b", (1.5, 3.0, 4.0))
    m.joint_friction("f", "T", friction=MU, length=0.5, radius=0.05)
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
        m.joint_friction(f"f{k}", f"H{k}", friction=MU, radius=0.01, length=0.05)
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
            omega=FAST,
        )
        m.revolute(f"A{k}", m.ground, f"c{k}", at=(0.3 * k, 0.0))
        m.revolute(f"B{k}", f"c{k}", "bar", at=(0.3 * k, 0.2))
        m.joint_friction(f"f{k}", f"A{k}", friction=MU, radius=0.01)
    r = m.simulate(0.1, samples=3)
    for j in range(3):
        np.testing.assert_allclose(
            r.force(f"f{j}.force"), -MU * 0.01 * r.reaction(f"A{j}", f"c{j}").magnitude, rtol=1e-6
        )


LOCKED = r"'f.*' and the reactions that they depend on do not settle.*self-locking"
NEAR = [0.3, 0.9, 0.98, 0.999, 1 - 1e-6, 1 + 1e-6, 1.001, 1.3, 4.0]  # of the coefficient at which a guide locks itself


def drawer(share, *, space, across=0.0, turn=0.4, moved=7.0):
    """A drawer whose centre is c = 2 m off its guide of L = 0.1 m, pushed with 1 N 0.3 m beyond its centre.

    The couple of the guide is 0.3 N m + c mu N, the normal forces are N = max(across, 2/L times that): N = (6 N)/(1 - share).
    """
    c, L = 2.0, 0.1
    mu = share * L / (2.0 * c)
    x, y = (math.cos(turn), math.sin(turn)), (-math.sin(turn), math.cos(turn))

    def along(u, w):
        return tuple(u * a + w * b for a, b in zip(x, y, strict=True)) + (() if not space else (0.0,))

    m = tm.SpatialModel("drawer", gravity=(0, 0, 0)) if space else tm.PlanarModel("drawer", gravity=(0, 0))
    place, to = np.array(along(moved, c)), np.array(along(moved, 0.0))
    m.body("d", position=place, velocity=along(0.1, 0.0), mass=1.0, inertia=(0.2, 0.2, 0.2) if space else 0.2)
    if space:
        m.prismatic("T", "ground", m["d"].at(*(to - place)), at=to, axis=along(1.0, 0.0))
    else:
        m.prismatic("T", "ground", m["d"].at(*(to - place)), at=to, axis=along(1.0, 0.0))
    m.force("push", m["d"].at(*along(0.0, 0.3)), along(1.0, 0.0))
    m.force("across", "d", along(0.0, across))
    m.joint_friction("f", "T", friction=mu, length=L)
    return m, mu * max(across, 6.0 / (1.0 - share)) if share < 1.0 else math.nan


@pytest.mark.parametrize("space", [False, True])
@pytest.mark.parametrize("across", [0.0, 50.0])
@pytest.mark.parametrize("share", NEAR)
def test_a_drawer_slides_until_its_guide_locks_itself(share, across, space):
    """Friction is right up to a millionth before the coefficient at which it grows without limit, and refused from there on."""
    m, friction = drawer(share, space=space, across=across)
    if share > 1.0:
        with pytest.raises(tm.ConvergenceError, match=LOCKED):
            m.simulate(1e-4, samples=2)
        return
    found = m.simulate(1e-9, samples=2).force("f.force")[0]
    # loads that a pass changes by less than 1e-12 are taken; what is off comes back 1/(1 - share) times
    assert found == pytest.approx(-friction, rel=1e-12 / (1.0 - share))


@pytest.mark.parametrize("share", [0.9, 0.999, 1.001, 2.0])
def test_inverse_dynamics_of_a_drawer_knows_its_limit_too(share):
    m, friction = drawer(share, space=False, turn=0.0)
    m.driver("pusher", "d.x", "7 + 0.1*t + 0.25*t^2")
    if share > 1.0:
        with pytest.raises(tm.ConvergenceError, match=LOCKED):
            m.inverse_dynamics(times=[0.0])
        return
    assert m.inverse_dynamics(times=[0.0]).effort("pusher")[0] == pytest.approx(0.5 - 1.0 + friction, rel=1e-9)


def wedge(guide, *, slope=math.radians(60), first=False):
    """Wedge A of 2 kg driven along x by 300 N lifts B of 1 kg in an upright guide; friction in all three slides."""
    base, face, push, load = 0.1, 0.3, 300.0, 5.0
    m = tm.PlanarModel("wedge", gravity=(0.0, -G))
    bodies = {"A": ((0.0, 0.0), (0.2, 0.0), 2.0), "B": ((0.0, 0.3), (0.0, 0.2 * math.tan(slope)), 1.0)}
    for name in sorted(bodies, reverse=first):
        position, velocity, mass = bodies[name]
        m.body(name, position=position, velocity=velocity, mass=mass, inertia=0.1)
    m.prismatic("base", "ground", "A", at=(0, 0), axis=(1, 0))
    m.prismatic("upright", "ground", "B", at=(0, 0.3), axis=(0, 1))
    m.prismatic("face", *(("B", "A") if first else ("A", "B")), at=(0, 0.2), axis=(math.cos(slope), -math.sin(slope)))
    m.force("push", "A", (push, 0.0))
    m.force("load", "B", (0.0, -load))
    for joint, mu in (("base", base), ("face", face), ("upright", guide)):
        m.joint_friction(f"f_{joint}", joint, friction=mu)
    # N of the face pushes A back by N s and down by N c; B's guide carries N s
    s, c = math.sin(slope) + face * math.cos(slope), math.cos(slope) - face * math.sin(slope)
    lifts = 0.5 * math.tan(slope)  # of B per newton that drives A
    rest = c - guide * s + lifts * (s + base * c)
    pressed = (load + G + lifts * (push - base * 2.0 * G)) / rest
    return m, rest, (push - pressed * s - base * (2.0 * G + pressed * c)) / 2.0


@pytest.mark.filterwarnings("ignore:friction .* leaves out the couple")  # so does the closed form
@pytest.mark.parametrize("first", [False, True])
@pytest.mark.parametrize("guide", [0.1, 1.0, 1.1, 1.12, 1.13, 1.2, 3.0])
def test_a_wedge_lifts_until_its_guide_locks_it(guide, first):
    m, rest, expected = wedge(guide, first=first)
    if rest < 0.0:
        with pytest.raises(tm.ConvergenceError, match=LOCKED):
            m.simulate(1e-4, samples=2)
        return
    assert m.simulate(1e-9, samples=2)["A"].ax[0] == pytest.approx(expected, rel=1e-11)


@pytest.mark.parametrize(
    ("joint", "given", "sentence"),
    [
        ("A", {"radius": 0.1, "length": 0.2}, "length= says nothing about a revolute joint in the plane"),
        ("T", {"radius": 0.1}, "radius= says nothing about a prismatic joint in the plane"),
        ("T", {"length": 0.0}, "length of friction 'f' is 0 m; it must be greater than 0"),
        ("T", {"friction": (0.1, 0.2)}, "the dynamic coefficient 0.2 is larger than the static one 0.1"),
    ],
)
def test_sizes_that_mean_nothing_are_refused(joint, given, sentence):
    m = tm.PlanarModel("bad")
    for name in "ab":
        m.body(name, mass=1.0, inertia=1.0)
    m.revolute("A", "ground", "a", at=(0, 0))
    m.prismatic("T", "ground", "b", at=(0, 0), axis=(1, 0))
    with pytest.raises(tm.ModelError, match=sentence):
        m.joint_friction("f", joint, **{"friction": 0.1, **given})
