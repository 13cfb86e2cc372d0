"""Gears, worms and racks: the drawing decides which way they turn each other, and teeth push at the pitch point."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

import pytrammel as tm
from moving_samples import check_newton_euler
from pytrammel.errors import ModelError, RunWarning

ALPHA = math.radians(20.0)


def pair(alpha, *, turned=0.0, internal=False):
    """Two gears at rest on pins of the ground, 1.0 and 1.5 N m on radii 0.04 and 0.06 m."""
    m = tm.PlanarModel("pair", gravity=(0, 0))
    d = 0.02 if internal else 0.1
    there = (d * math.cos(turned), d * math.sin(turned))
    a = m.body("a", mass=1.0, inertia=0.01)
    b = m.body("b", position=there, mass=1.0, inertia=0.02)
    m.revolute("A", m.ground, a, at=(0, 0))
    m.revolute("B", m.ground, b, at=there)
    m.gear("G", a, b, radii=(0.04, 0.06), internal=internal, pressure_angle=alpha)
    m.torque("T1", a, 1.0)
    m.torque("T2", b, -1.5 if internal else 1.5)
    return m


@pytest.mark.parametrize("alpha", [0.0, ALPHA, 0.3])
@pytest.mark.parametrize("internal", [False, True])
@pytest.mark.parametrize("turned", [0.0, 1.0, 4.0])
def test_a_pair_at_rest_loads_its_bearings_with_the_tooth_force(alpha, internal, turned):
    s = pair(alpha, turned=turned, internal=internal).simulate(0.01, samples=2, progress=False)
    assert s["a"].omega == pytest.approx(0.0, abs=1e-12)
    for name in "AB":
        assert s.reaction(name).magnitude == pytest.approx(25.0 / math.cos(alpha), rel=1e-12)
    assert s.reaction("G").force == pytest.approx(s.reaction("G", "b").force)
    assert s.reaction("G", "a").magnitude == pytest.approx(25.0 / math.cos(alpha), rel=1e-12)
    check_newton_euler(s, loads=[("a", 1.0), ("b", -1.5 if internal else 1.5)])
    # the frame feels the couples that come from outside and nothing else
    assert s.ground_reaction[0] == pytest.approx([0.0, 0.0, -0.5 if internal else 2.5], abs=1e-9)


def test_teeth_push_gears_apart_and_a_pinion_into_its_ring_towards_its_centre():
    s = pair(ALPHA).simulate(0.01, samples=2, progress=False)
    assert s.reaction("G", "a").force[0, 0] == pytest.approx(-25.0 * math.tan(ALPHA), rel=1e-12)
    s = pair(ALPHA, internal=True).simulate(0.01, samples=2, progress=False)
    # they touch at x = -0.04
    assert s.reaction("G", "a").force[0, 0] == pytest.approx(25.0 * math.tan(ALPHA), rel=1e-12)


def test_a_planetary_train_loads_its_carrier():
    m = tm.PlanarModel("planet", gravity=(0, 0))
    arm = m.body("arm", mass=1.0, inertia=0.1)
    sun = m.body("sun", mass=1.0, inertia=0.05)
    planet = m.body("planet", position=(0.3, 0.0), mass=0.5, inertia=0.01)
    m.revolute("C", m.ground, arm, at=(0, 0))
    m.revolute("S", m.ground, sun, at=(0, 0))
    m.revolute("P", arm, planet, at=(0.3, 0))
    m.gear("inner", sun, planet, radii=(0.2, 0.1), carrier=arm)
    m.gear("outer", planet, m.ground.at(0, 0), radii=(0.1, 0.4), carrier=arm, internal=True)
    m.torque("drive", sun, 2.0)
    s = m.simulate(0.5, samples=6, progress=False)
    check_newton_euler(s, loads=[("sun", 2.0)])
    assert s["sun"].omega == pytest.approx(3.0 * s["arm"].omega, abs=1e-9)  # 1 + ring/sun
    assert np.abs(s.reaction("P").magnitude).min() > 1.0


def test_a_rack_pushes_its_pinion_off():
    m = tm.PlanarModel("rack", gravity=(0, 0))
    bar = m.body("bar", mass=1.0, inertia=0.1)
    pinion = m.body("pinion", position=(0.0, 0.1), mass=1.0, inertia=0.01)
    m.prismatic("guide", m.ground, bar, at=(0, 0), axis=(1, 0))
    m.revolute("A", m.ground, pinion, at=(0, 0.1))
    m.rack_and_pinion("mesh", rack=bar, pinion=pinion, radius=0.1, axis=(1, 0))
    m.torque("T", pinion, 2.0)
    m.constrain("stop", "bar.x")
    s = m.simulate(0.01, samples=2, progress=False)
    assert s.reaction("A").force[0] == pytest.approx([s.reaction("A").force[0, 0], -20.0 * math.tan(ALPHA)], rel=1e-9)
    assert abs(s.reaction("A").force[0, 0]) == pytest.approx(20.0, rel=1e-9)
    check_newton_euler(s, loads=[("pinion", 2.0)])


def test_gears_whose_centres_move_against_the_carrier_are_warned_about():
    """A planet on an arm that is not named as its carrier: the ratio would be that of centres at rest."""
    m = tm.PlanarModel("planet")
    arm, planet = m.body("arm"), m.body("planet", position=(0.3, 0.0))
    m.revolute("C", m.ground, arm, at=(0, 0))
    m.revolute("P", arm, planet, at=(0.3, 0))
    sun = m.body("sun")
    m.revolute("S", m.ground, sun, at=(0, 0))
    m.gear("forgot", sun, planet, radii=(0.2, 0.1))
    m.driver("turn", "C.angle", "t")
    m.driver("hold", "S.angle", 0.0)
    with pytest.warns(RunWarning, match="loses its mesh"):
        (warning,) = m.kinematics(1.0, samples=11).warnings
    assert warning.kind == "mesh" and "'forgot' loses its mesh" in str(warning)
    assert 0.0 < warning.time <= 0.1  # 0.002 m on an arm of 0.3 m
    fine = m.copy(changes={"forgot": {"carrier": "arm"}})
    assert not fine.kinematics(1.0, samples=11).warnings


# --- space: the drawing decides -----------------------------------------------------------------------------------------


def train(kind, flips, swaps, *, second_axis=None):
    """A driven shaft and a second one on the ground; each joint with its axis reversed or its bodies swapped if asked for."""
    m = tm.SpatialModel(kind, gravity=(0, 0, 0))
    where = {
        "spur": ((0, 0, 0), "z", (0.5, 0, 0), "z"),
        "ring": ((0, 0, 0), "z", (0.1, 0, 0), "z"),
        "bevel": ((0, 0, 0.3), "z", (0.2, 0, 0), "x"),
        "worm": ((0, 0, 0), "z", (0, 0.5, 0), "x"),
        "rack": ((0, 0, 0), "z", (0, -0.1, 0), "x"),
    }[kind]
    for k, name in enumerate(("one", "two")):
        at, axis = where[2 * k], where[2 * k + 1]
        body = m.body(name, position=at, mass=1.0, inertia=(0.02, 0.03, 0.025))
        ends = (body, m.ground) if swaps[k] else (m.ground, body)
        joint = m.prismatic if kind == "rack" and k else m.revolute
        joint("AB"[k], *ends, at=at, axis=f"-{axis}" if flips[k] else axis)
    if kind in ("spur", "bevel", "ring"):
        m.gear("G", "A", "B", radii=(0.2, 0.3), internal=kind == "ring")
    elif kind == "worm":
        m.worm("G", "A", "B", ratio=20.0, radius=0.1)
    else:
        m.rack_and_pinion("G", pinion="A", rack="B", radius=0.1)
    return m


TOUCH = {"spur": (0.2, 0, 0), "ring": (-0.2, 0, 0), "bevel": (0.2, 0, 0.3), "worm": (0, 0.1, 0), "rack": (0, -0.1, 0)}
# bodies' velocity per unit spin of the first about z, by hand: opposite spins of a spur pair, a ring turns with its pinion, a bevel
# pair rolls at (0.2, 0, 0.3), the thread of a right-hand worm moves down its axis, a rack below its pinion moves to the right
SECOND = {
    "spur": ("omega", (0, 0, -2 / 3)), "ring": ("omega", (0, 0, 2 / 3)), "bevel": ("omega", (-2 / 3, 0, 0)),
    "worm": ("omega", (1 / 20, 0, 0)), "rack": ("velocity", (0.1, 0, 0)),
}  # fmt: skip
VARIANTS = list(itertools.product((False, True), repeat=4))


@pytest.mark.parametrize("kind", SECOND)
def test_neither_the_axes_ways_nor_the_order_of_bodies_turn_the_machine_round(kind):
    for a, b, c, d in VARIANTS:
        m = train(kind, (a, b), (c, d))
        m.driver("D", "A.angle", f"{-1.0 if a != c else 1.0}*2*t")
        r = m.kinematics(1.0, samples=3)
        what, expected = SECOND[kind]
        assert r["one"].omega[-1] == pytest.approx([0, 0, 2.0], abs=1e-9)
        assert getattr(r["two"], what)[-1] == pytest.approx(2.0 * np.array(expected), abs=1e-9)


@pytest.mark.parametrize("kind", SECOND)
@pytest.mark.parametrize("variant", [VARIANTS[0], VARIANTS[6], VARIANTS[15]])
def test_tooth_forces_act_at_the_pitch_point_and_newton_euler_holds(kind, variant):
    a, b, c, d = variant
    m = train(kind, (a, b), (c, d))
    m.torque("T", "one", (0, 0, 1.0))
    s = m.simulate(0.1, samples=3, progress=False)
    check_newton_euler(s, loads=[("one", np.array([0, 0, 1.0]))])
    on_one, on_two = s.reaction("G", "one"), s.reaction("G", "two")
    assert on_one.force == pytest.approx(-on_two.force, rel=1e-9, abs=1e-9)
    at = np.array(TOUCH[kind])
    # a single force at the pitch point: no moment is left about it, and it is inclined by the pressure angle
    assert on_one.moment_about(at) == pytest.approx(0.0, abs=1e-9)
    assert on_two.moment_about(at) == pytest.approx(0.0, abs=1e-9)
    assert np.abs(on_one.force).max() > 0.01


def test_a_worm_pushes_as_its_lead_angle_says():
    """Ratio 20, worm radius 0.1, wheel radius 0.4: lead angle atan(0.4/(20 0.1)) = atan(0.2)."""
    m = train("worm", (False, False), (False, False))
    m.constrain("brake", "B.angle")
    m.torque("T", "one", (0, 0, 1.0))
    s = m.simulate(0.01, samples=2, progress=False)
    fx, fy, fz = s.reaction("G", "one").force[0]
    assert abs(fx) == pytest.approx(10.0, rel=1e-9)  # 1 N m on 0.1 m
    assert abs(fz) == pytest.approx(10.0 / 0.2, rel=1e-9)
    assert fy == pytest.approx(-math.hypot(fx, fz) * math.tan(ALPHA), rel=1e-9)


@pytest.mark.parametrize(
    ("build", "says"),
    [
        (lambda m: m.gear("G", "A", "B", radii=(0.2, 0.4)), r"axes are drawn 0\.5 m apart, .* touch at 0\.2 \+ 0\.4 = 0\.6 m"),
        (lambda m: m.gear("G", "A", "B", radii=(0.2, 0.3), pressure_angle=20), r"pressure angle .* 20 rad; it must be at least 0"),
        (lambda m: m.gear("G", "A", "C", radii=(0.2, 0.3)), r"neither are parallel nor meet \(they pass 1 m from each other\)"),
        (lambda m: m.gear("G", "A", "E", radii=(0.2, 0.3)), r"does not say on which side its bevel gear meshes"),
        (lambda m: m.worm("G", "A", "E", ratio=5), r"meet; a worm passes its wheel"),
        (lambda m: m.worm("G", "A", "C", ratio=5, radius=2.0), r"must be greater than 0 and less than the 1 m"),
        (lambda m: m.worm("G", "A", "O", ratio=5, radius=0.71), r"radius is 0\.71 m; .* less than the 0\.7 m between the axes"),
        (lambda m: m.gear("G", "A", "O", radii=(0.2, 0.3)), r"neither are parallel nor meet \(they pass 0\.7 m from each other\)"),
        (lambda m: m.rack_and_pinion("G", pinion="A", rack="S", radius=-0.1), r"radius of rack_and_pinion 'G' is -0\.1 m; it must be gr"),
        (lambda m: m.rack_and_pinion("G", pinion="A", rack="U", radius=0.1), r"the rack must slide across the pinion's axis"),
    ],
)  # fmt: skip
def test_a_mesh_that_contradicts_the_drawing_gets_a_sentence(build, says):
    m = tm.SpatialModel("wrong")
    for name in "abcesuo":
        m.body(name)
    m.revolute("A", m.ground, "a", at=(0, 0, 0), axis="z")
    m.revolute("B", m.ground, "b", at=(0.5, 0, 0), axis="z")
    m.revolute("C", m.ground, "c", at=(0, 1, 0), axis="x")
    m.revolute("E", m.ground, "e", at=(0.4, 0, 0), axis="x")
    m.revolute("O", m.ground, "o", at=(0.7, 1, 2), axis=(0, 0.6, 0.8))  # oblique to the first: x is across both
    m.prismatic("S", m.ground, "s", at=(0, -0.1, 0), axis="x")
    m.prismatic("U", m.ground, "u", at=(0, -0.1, 0), axis="z")
    with pytest.raises(ModelError, match=says):
        build(m)


@pytest.mark.parametrize("alpha", [0.0, ALPHA, 0.4])
@pytest.mark.parametrize("kind", ["plane", "space"])
def test_friction_in_the_bearings_of_gears_sees_the_whole_tooth_force(kind, alpha):
    """Steady turning under 1 N m on 0.04 m: each bearing carries 25 N / cos(alpha), also in its friction."""
    mu, pin = 0.2, 0.01
    if kind == "plane":
        m = pair(alpha)
        m.driver("turn", "A.angle", "3*t")
        m.joint_friction("F", "B", friction=mu, radius=pin, stick_speed=1e-3)
    else:
        m = tm.SpatialModel("pair", gravity=(0, 0, 0))
        for name, x, torque in (("a", 0.0, 1.0), ("b", 0.1, 1.5)):
            m.body(name, position=(x, 0, 0), mass=1.0, inertia=0.01)
            m.revolute(name.upper(), m.ground, name, at=(x, 0, 0), axis="z")
            m.torque(f"T{name}", name, (0, 0, torque))
        m.gear("G", "A", "B", radii=(0.04, 0.06), pressure_angle=alpha)
        m.driver("turn", "A.angle", "3*t")
        m.joint_friction("F", "B", friction=mu, radius=pin, length=0.1, stick_speed=1e-3)
    for r in (m.simulate(0.1, samples=3, progress=False), m.inverse_dynamics(0.1, samples=3)):
        force, bearing = r.force("F"), r.reaction("B").magnitude
        assert np.abs(force) == pytest.approx(mu * pin * bearing, rel=1e-9)
        # the teeth bear the second couple and the friction against it
        teeth = (1.5 + np.abs(force)) / 0.06
        assert bearing == pytest.approx(teeth / math.cos(alpha), rel=1e-9)
