"""Derivatives of runs in which friction catches and lets go, against closed forms and differences of whole runs."""

import numpy as np
import pytest

import pytrammel as tm
from run_differences import differences

G = 9.81


def thrown(kind, stick_speed=1e-3):
    """A block that slides until friction stops it."""
    space = kind.startswith("space")
    m = (tm.SpatialModel if space else tm.PlanarModel)("thrown")
    m.parameter("v", 1.5)
    m.parameter("mu", 0.3)
    m.parameter("g", G)
    rest = (0.0,) if space else ()
    m.gravity = (0.0, "-g", *rest)
    m.body("b", mass=2.0, inertia=(0.1, 0.2, 0.3) if space else 1.0, velocity=("v", 0.0, *rest))
    rigid = {"law": "rigid", "restitution": 0.0, "friction": "mu", "stick_speed": stick_speed}
    if kind == "contact":
        m.contact_line("f", "b", "ground", at=(0, 0), axis=(1, 0), **rigid)
    elif kind == "space contact":
        m.contact_sphere_plane("f", "b", "ground", at=(0, 0, 0), normal=(0, 1, 0), **rigid)
    else:
        along = (
            m.prismatic("T", "ground", "b", at=(0, 0, 0), axis=(1, 0, 0))
            if space
            else m.prismatic("T", "ground", "b", at=(0, 0), axis=(1, 0))
        )
        if kind.endswith("slide"):
            m.stick_slip("f", along.distance, normal="T.reaction", friction="mu", stick_speed=stick_speed)
        else:
            m.joint_friction("f", along, friction="mu", stick_speed=stick_speed, stick=True)
    return m


@pytest.mark.parametrize("kind", ["slide", "joint", "contact", "space slide", "space joint", "space contact"])
def test_the_way_to_a_stop_changes_as_its_closed_form(kind):
    """x = v² / (2 mu g); what is caught is slower than a tenth of the stick speed, the square of which is left out: some 1e-9 of v²."""
    v, mu, g = 1.5, 0.3, G
    found = thrown(kind).gradient("b.x[end]", times=[0.0, 0.3, 1.0], wrt=["v", "mu", "g"])
    way = v * v / (2 * mu * g)
    assert found.value == pytest.approx(way, rel=1e-8)
    np.testing.assert_allclose(found.array, [2 * way / v, -way / mu, -way / g], rtol=1e-8)
    assert found.warnings == ()


@pytest.mark.parametrize("space", [False, True])
def test_a_ball_that_begins_to_roll_changes_as_its_closed_form(space):
    """It rolls from T = v k / (mu g (1 + k)) on, k = J/(m r²), with v / (1 + k); the slip that is caught is 1e-4 m/s of 2 m/s."""
    v, mu, k = 2.0, 0.2, 0.4
    m = (tm.SpatialModel if space else tm.PlanarModel)("ball", gravity=(0.0, -G, 0.0) if space else (0.0, -G))
    for name, value in (("v", v), ("mu", mu), ("k", k)):
        m.parameter(name, value)
    law = {"radius": 0.1, "law": "rigid", "restitution": 0.0, "friction": "mu"}
    if space:
        m.body("b", mass=1.0, inertia=("0.01*k",) * 3, position=(0.0, 0.1, 0.0), velocity=("v", 0.0, 0.0))
        m.contact_sphere_plane("c", "b", "ground", at=(0, 0, 0), normal=(0, 1, 0), **law)
    else:
        m.body("b", mass=1.0, inertia="0.01*k", position=(0.0, 0.1), velocity=("v", 0.0))
        m.contact_line("c", "b", "ground", at=(0, 0), axis=(1, 0), **law)
    # x = v t - mu g (t - T)²... = v T - mu g T²/2 + v (t - T) / (1 + k)
    T, t = v * k / (mu * G * (1 + k)), 0.8
    by_T = v - mu * G * T - v / (1 + k)  # nil: the velocity does not jump
    assert by_T == pytest.approx(0.0, abs=1e-12)
    truth = [T + (t - T) / (1 + k), -G * T * T / 2, -v * (t - T) / (1 + k) ** 2]
    found = m.gradient(["b.x[end]", "b.vx[end]"], times=[0.0, 0.2, t])
    np.testing.assert_allclose(found[0].array, truth, rtol=1e-7)
    np.testing.assert_allclose(found[1].array, [1 / (1 + k), 0.0, -v / (1 + k) ** 2], atol=1e-7)


# --- whole runs --------------------------------------------------------------------------------------------------------------


def slide(*, speed=0.0, **friction):
    """A block on a rail, or on a belt that runs."""
    m = tm.PlanarModel("slide", gravity=(0.0, 0.0))
    m.parameter("mu", 0.3)
    m.parameter("normal", 10.0)
    m.body("b", mass=2.0, inertia=1.0, velocity=(speed, 0.0))
    m.prismatic("T", "ground", "b", at=(0, 0), axis=(1, 0))
    m.stick_slip("f", "T.distance", normal="normal", **{"friction": "mu", **friction})
    return m


def broken_away():
    """A ramp breaks it away, where friction falls."""
    m = slide(friction=("mu", "0.8*mu"), stick_speed=0.01)
    m.parameter("ramp", 6.0)
    m.user_force("pull", "T.distance", law="ramp*t")
    return m, ["ramp", "mu"], [0.0, 0.25, 1.0], ["b.x[end]", "f.force[1]", "f.force[end]"]


def bristled():
    m = slide(speed=0.5, bristle_stiffness=2000.0, bristle_damping=20.0)
    return m, ["mu"], [0.0, 0.1, 0.6], ["b.x[end]", "b.vx[1]", "f.force[end]"]


def on_a_belt():
    """It is carried along, breaks away and is caught again."""
    m = tm.PlanarModel("belt", gravity=(0.0, -G))
    for name, value in (("k", 200.0), ("speed", 0.3), ("static", 0.5), ("dynamic", 0.3)):
        m.parameter(name, value)
    m.body("belt", mass=5.0, inertia=1.0)
    m.body("b", mass=1.0, inertia=1.0, position=(0.0, 0.1))
    m.prismatic("S", "ground", "belt", at=(0, 0), axis=(1, 0))
    m.driver("d", "belt.x", "speed*t")
    m.prismatic("T", "belt", "b", at=(0, 0.1), axis=(1, 0))
    m.spring("s", m.ground.at(-1.0, 0.1), "b", stiffness="k", free_length=1.0)
    m.stick_slip("f", "T.distance", normal=9.81, friction=("static", "dynamic"), stick_speed=0.02)
    return m, ["speed", "dynamic"], [0.0, 0.5, 0.7], ["b.x[end]", "f.force[1]", "d.effort[1]"]


def left_behind():
    """The belt starts at once, at an instant that bends with its parameter, and slips away under what stuck to it."""
    m = tm.PlanarModel("belt", gravity=(0.0, -G))
    m.parameter("pull", 0.5)
    m.parameter("begin", 0.09)
    m.body("belt", mass=5.0, inertia=1.0)
    m.body("b", mass=1.0, inertia=1.0, position=(0.0, 0.1))
    m.prismatic("S", "ground", "belt", at=(0, 0), axis=(1, 0))
    m.driver("d", "belt.x", "pull*max(0, t - sqrt(begin))")
    m.prismatic("T", "belt", "b", at=(0, 0.1), axis=(1, 0))
    m.stick_slip("f", "T.distance", normal="T.reaction", friction=0.2)
    return m, ["pull", "begin"], [0.0, 0.4, 1.0], ["b.x[end]", "b.vx[1]"]


def in_a_guide():
    """A guide in space: couples press, too."""
    m = tm.SpatialModel("guide", gravity=(0.2, 0.1, -G))
    m.parameter("v", 1.0)
    m.parameter("mu", 0.3)
    m.parameter("length", 0.2)
    m.body("b", mass=1.0, inertia=(0.01, 0.02, 0.03), velocity=("v", 0, 0), centroid=(0.05, 0.02, 0.1))
    m.prismatic("T", "ground", "b", at=(0, 0, 0), axis=(1, 0, 0))
    m.joint_friction("f", "T", friction="mu", length="length", radius=0.1, stick=True)
    return m, ["v", "length"], [0.0, 0.1, 0.6], ["b.x[end]", "T.reaction[end]", "f.limit[end]", "f.force[end]"]


def in_a_bearing():
    m = tm.SpatialModel("bearing", gravity=(0.0, 0.0, -G))
    m.parameter("turn", 3.0)
    m.parameter("mu", 0.3)
    m.parameter("r", 0.1)
    m.body("b", mass=1.0, inertia=(0.01, 0.02, 0.03), omega=(0, 0, "turn"), centroid=(0.1, 0, 0))
    m.revolute("T", "ground", "b", at=(0, 0, 0), axis=(0, 0, 1))
    m.joint_friction("f", "T", friction="mu", radius="r", length=0.2, stick=True)
    return m, ["turn", "r"], [0.0, 0.1, 0.6], ["T.angle[end]", "T.reaction[end]", "b.x[end]"]


def pendulum():
    """It swings back at least once before its pin holds it."""
    m = tm.PlanarModel("pendulum", gravity=(0.0, -G))
    m.parameter("arm", 0.3)
    m.body("b", mass=2.0, inertia=0.05, centroid=("arm", 0), angle=-0.9)
    m.revolute("A", "ground", "b", at=(0, 0))
    m.joint_friction("f", "A", friction=0.3, radius=0.1, stick=True)
    return m, ["arm"], [0.0, 0.5, 2.0], ["b.phi[end]", "A.reaction[1]", "f.force[end]"]


@pytest.mark.parametrize("build", [broken_away, bristled, on_a_belt, left_behind, in_a_guide, in_a_bearing, pendulum])
def test_whole_runs_change_as_the_derivatives_say(build):
    """Whole runs are good to some 1e-11 here, which steps of 1e-3 make 1e-8; where a motion turns without being caught friction falls
    from limit to limit within 2e-5 m/s, which leaves 1e-7."""
    model, names, times, what = build()
    found = model.gradient(what, wrt=names, analysis=tm.Analysis("simulate", times=times, rtol=1e-11, atol=1e-13))
    slopes = np.array([one.array for one in found])
    seen = np.array(differences(model, what, names, times, 1e-3, {})).T
    for one, other in zip(slopes, seen, strict=True):
        np.testing.assert_allclose(one, other, rtol=0, atol=3e-7 * max(np.abs(other).max(), 0.1))


@pytest.mark.parametrize("duration", [1.0, 1.1, 1.2])
def test_steep_friction_is_followed_back_as_forwards(duration):
    """Friction changes its side within 2e-5 m/s; the adjoint has no machine code where friction depends on reactions."""
    m = tm.PlanarModel("shaken block", gravity=(0.0, -G))
    m.parameter("mu", 0.2)
    m.body("b", mass=1.0, inertia=0.1)
    m.prismatic("T", "ground", "b", at=(0, 0), axis=(1, 0.3))
    m.joint_friction("f", "T", friction="mu", stick=True)
    m.force("F", "b", ("12*sin(5*t)", 0.0))
    times = np.linspace(0.0, duration, 5)
    forwards, back = (
        m.gradient("b.vx[end]", method=way, analysis=tm.Analysis("simulate", times=times, rtol=1e-11))
        for way in ("direct", "adjoint")
    )
    assert back["mu"] == pytest.approx(forwards["mu"], rel=3e-7)


# --- what is refused -----------------------------------------------------------------------------------------------------------


def test_two_that_are_caught_at_once_are_refused_where_either_may_be_first():
    m = tm.PlanarModel("two", gravity=(0.0, 0.0))
    m.parameter("one", 0.3)
    m.parameter("other", 0.3)
    for name, mu, y in (("b", "one", 0.0), ("c", "other", 1.0)):
        m.body(name, mass=1.0, inertia=1.0, position=(0.0, y), velocity=(1.0, 0.0))
        m.prismatic(f"T{name}", "ground", name, at=(0, y), axis=(1, 0))
        m.stick_slip(f"f{name}", f"T{name}.distance", normal=10.0, friction=mu)
    with pytest.raises(tm.ModelError, match=r"'fb.stick' and 'fc.stick' come at the same instant"):
        m.gradient("b.x[end]", times=[0.0, 0.1, 0.6])


def test_what_sticks_at_the_start_stays_whatever_small_speed_it_is_given():
    """x = v |v| / (2 mu g) has the slope 0 there."""
    assert slide().gradient("b.x[end]", times=[0.0, 0.1], wrt=["T.distance.rate"]).array == pytest.approx(
        0.0, abs=1e-12
    )
