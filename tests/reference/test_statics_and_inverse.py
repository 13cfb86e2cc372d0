"""Structures, static balance, inverse dynamics and equilibria against the book's cases and closed forms.

Numbers marked [D] come from the digest of Nikravesh chapters 9-10, which recomputed them independently of this code.
"""

from __future__ import annotations

import math

import numpy as np
import pytest

import trammel as tm


def bar(m, name, p, q, mass=None, inertia=None, **more):
    """Straight bar from p to q with its frame in the middle; uniform unless an inertia is given."""
    length = math.dist(p, q)
    if mass is not None and inertia is None:
        inertia = mass * length**2 / 12
    middle = ((p[0] + q[0]) / 2, (p[1] + q[1]) / 2)
    return m.body(name, position=middle, angle=math.atan2(q[1] - p[1], q[0] - p[0]), mass=mass, inertia=inertia, **more)


# --- structures -----------------------------------------------------------------------------------------------------


def test_two_bar_truss_carries_its_load_in_compression():
    """[D] section 3.5: bars (0,0)-(1,1)-(2,0), load 100 N down at the apex of bar 1."""
    m = tm.PlanarModel("truss", gravity=(0, 0))
    one, two = bar(m, "one", (0, 0), (1, 1), massless=True), bar(m, "two", (1, 1), (2, 0), massless=True)
    m.revolute("left", m.ground, one, at=(0, 0))
    m.revolute("apex", one, two, at=(1, 1))
    m.revolute("right", m.ground, two, at=(2, 0))
    m.force("load", one.at(math.sqrt(2) / 2, 0), (0.0, -100.0))
    s = m.statics()
    # rounding of forces of 100 N
    np.testing.assert_allclose(s.reaction("left", on="one").force[0], [50, 50], atol=1e-11)
    np.testing.assert_allclose(s.reaction("apex", on="two").force[0], [50, -50], atol=1e-11)
    np.testing.assert_allclose(s.reaction("right", on="two").force[0], [-50, 50], atol=1e-11)
    np.testing.assert_allclose(s.reaction("left", on="ground").force[0], [-50, -50], atol=1e-11)
    np.testing.assert_allclose(s.reaction("apex", on="one").moment, 0.0, atol=1e-11)  # a pin carries no moment
    assert s.reaction("left").size[0] == pytest.approx(70.7107, abs=5e-5)
    # [D]: the ground holds the truss with [0, 100] and the moment 100 about the origin; the truss presses back
    np.testing.assert_allclose(s.ground_reaction[0], [0.0, -100.0, -100.0], atol=1e-11)


def test_reaction_of_a_slide_in_its_own_frame_is_normal_to_it():
    """Block on a smooth incline of 25 degrees: no force along the slide, m g cos 25° across it, on either body."""
    m = tm.PlanarModel("incline")
    slope = math.radians(25)
    block = m.body("block", mass=2.0, inertia=0.1, angle=slope)
    m.translational("T", m.ground, block, at=(0, 0), direction=(math.cos(slope), math.sin(slope)))
    s = m.simulate(1.0, samples=3)
    normal = 2.0 * 9.81 * math.cos(slope)
    np.testing.assert_allclose(s.reaction("T", on="block").in_joint_frame, [[0.0, normal]] * 3, atol=1e-12)
    np.testing.assert_allclose(s.reaction("T", on="ground").in_joint_frame, [[0.0, -normal]] * 3, atol=1e-12)


def test_a_redundant_structure_shares_its_load_with_the_smallest_sum_of_squares():
    """A beam on three equal vertical supports: statics alone does not tell, the least-squares answer is by symmetry."""
    m = tm.PlanarModel("beam")
    beam = m.body("beam", mass=3.0, inertia=1.0)
    m.constrain("side", beam.x)
    for name, x in (("a", -1.0), ("b", 0.0), ("c", 1.0)):
        m.constrain(name, beam.at(x, 0.0).y)
    s = m.statics()
    assert s.redundant == ("c",)
    for name in "abc":
        assert s.effort(name)[0] == pytest.approx(9.81, abs=1e-10)  # 3 kg over three supports


def test_what_can_move_is_refused_with_the_missing_degrees_of_freedom():
    m = tm.PlanarModel("pendulum")
    b = m.body("b", position=(0.5, 0.0), mass=1.0, inertia=0.1)
    m.revolute("A", m.ground, b, at=(0, 0))
    with pytest.raises(tm.MobilityError, match="cannot be held: nobody acts along 1 degree of freedom"):
        m.statics()


# --- static balance -------------------------------------------------------------------------------------------------


def four_bar():
    """Sec. 10.3.1 with exact assembly at phi2 = 60 degrees."""
    m = tm.PlanarModel("four-bar")
    b2 = m.body("b2", position=(0.5, 0.866), angle=1.047, mass=1, inertia=0.3)
    b3 = m.body("b3", position=(2.824, 2.553), angle=0.423, mass=2.25, inertia=2)
    b4 = m.body("b4", position=(3.574, 1.687), angle=1.004, mass=2, inertia=1.35)
    m.revolute("r1", m.ground.at(0, 0), b2.at(-1, 0))
    m.revolute("r2", b2.at(1, 0), b3.at(-2, 0))
    m.revolute("r3", b3.at(2, 0), b4.at(2, 0))
    m.revolute("r4", b4.at(-2, 0), m.ground.at(2.5, 0))
    m.driver("motor", b2.phi, "pi/3 + 2*pi*t")
    return m


def test_holding_torque_of_the_four_bar():
    assert four_bar().statics().effort("motor")[0] == pytest.approx(39.76453, abs=5e-6)  # [D] section 3.1, = dV/dphi2


def dump_truck():
    """Sec. 10.3.3: load on a double linkage, held by a strut from the ground to D; masses and points from [D]."""
    m = tm.PlanarModel("dump truck")
    poses = {
        "b2": (-0.2, 0.08, -0.38),
        "b3": (0.6, 0.3, 0.15),
        "b4": (0.6, 0.4, -0.2),
        "b5": (-0.15, 0.6, 0.25),
        "b6": (0.9, 0.95, -0.15),
    }
    masses = {"b2": (0.4, 0.005), "b3": (2, 0.7), "b4": (2, 0.7), "b5": (0.4, 0.005), "b6": (100, 27)}
    b = {n: m.body(n, position=p[:2], angle=p[2], mass=masses[n][0], inertia=masses[n][1]) for n, p in poses.items()}
    g = m.ground
    m.revolute("r1", g.at(0, 0), b["b2"].at(0.2, 0))
    m.revolute("r2", g.at(1.6, 0.2), b["b4"].at(1, 0))
    m.revolute("r3", b["b2"].at(-0.2, 0), b["b3"].at(-1, 0))
    m.revolute("r4", b["b3"].at(0.3, 0), b["b4"].at(0.3, 0))
    m.revolute("r5", b["b3"].at(1, 0), b["b6"].at(0.8, -0.4))
    m.revolute("r6", b["b4"].at(-1, 0), b["b5"].at(-0.2, 0))
    m.revolute("r7", b["b5"].at(0.2, 0), b["b6"].at(-0.8, -0.4))
    m.driver("pose", b["b2"].phi, -0.38)
    return m


def test_strut_force_of_the_dump_truck():
    """Exactly assembled, the strut carries 3920.1811 N in compression ([D], three independent ways); the book's 3916 is rounded."""
    m = dump_truck()
    strut = m.distance(m.ground.at(0, 0), m["b3"].at(0.3, 0))
    s = m.statics(actuators={"strut": strut})
    assert s.effort("strut")[0] == pytest.approx(3920.1811, abs=1e-4)  # pushes apart: positive along the length
    assert s.measure(strut).value[0] == pytest.approx(0.975614, abs=5e-7)  # |AD| [D]


# --- inverse dynamics -----------------------------------------------------------------------------------------------


def test_motor_torque_of_the_driven_four_bar():
    """[D] section 3.1: driver phi2 = pi/3 + 2 pi t, torque on body 2 reacted on the ground."""
    s = four_bar().inverse_dynamics(times=[0, 0.025, 0.05, 0.25, 0.5, 0.75, 1])
    expected = [214.0073, 136.8211, 78.3161, -138.1192, -94.9074, 1165.885, 214.0073]
    np.testing.assert_allclose(s.effort("motor"), expected, rtol=5e-7)  # half a unit of the printed digits


def test_slider_crank_torque_at_constant_speed():
    """Published benchmark (planar_slider_crank_inverse): r = 0.1, l = 0.3 m, 1, 2, 3 kg, 20 rad/s; high-precision torques."""
    r, length = 0.1, 0.3
    m = tm.PlanarModel("slider-crank")
    crank, rod = bar(m, "crank", (0, 0), (r, 0), 1.0), bar(m, "rod", (r, 0), (r + length, 0), 2.0)
    slider = m.body("slider", position=(r + length, 0), mass=3.0, inertia=0.01)
    m.revolute("O", m.ground, crank, at=(0, 0))
    m.revolute("A", crank, rod, at=(r, 0))
    m.revolute("B", rod, slider, at=(r + length, 0))
    m.translational("T", m.ground, slider, at=(r + length, 0), direction=(1, 0))
    m.driver("motor", crank.phi, "20*t")
    torque = {
        0: 1.4715, 30: 12.5969393274410353, 60: 6.77749389333441446, 90: -5.6568542494923802, 120: -8.97030367208178626,
        150: -5.71979842039299181, 180: -1.4715, 210: 3.17108565705538887,
    }  # fmt: skip
    s = m.inverse_dynamics(times=[math.radians(a) / 20 for a in torque])
    # double precision of numbers of size 10
    np.testing.assert_allclose(s.effort("motor"), list(torque.values()), atol=1e-12)


def robot():
    """3R arm of [D] section 3.5: links 1, .8, .4 m; 4, 3, 1 kg; the hand moves on a line and keeps its angle."""
    m = tm.PlanarModel("3R")
    angles, lengths, masses = [0.879328, -1.297506, 0.523599], [1.0, 0.8, 0.4], [4.0, 3.0, 1.0]
    p = (0.0, 0.0)
    previous = m.ground.at(0, 0)
    for k, (angle, length, mass) in enumerate(zip(angles, lengths, masses, strict=True)):
        q = (p[0] + length * math.cos(angle), p[1] + length * math.sin(angle))
        link = bar(m, f"link{k}", p, q, mass)
        m.revolute("ABC"[k], previous, link.at(-length / 2, 0))
        previous, p = link.at(length / 2, 0), q
    m.point("hand", previous.body, local=(previous.xi, 0))
    m.driver("along_x", "hand.x", "1.2 - 0.3*t")
    m.driver("along_y", "hand.y", "0.2 + 0.4*t")
    m.driver("level", "link2.phi", "pi/6")
    return m


MOTORS = {"shoulder": "A.angle", "elbow": "B.angle", "wrist": "C.angle"}


def test_robot_torques_where_drivers_are_not_the_actuators():
    s = robot().inverse_dynamics(times=[0, 0.25, 0.5, 0.75, 1], actuators=MOTORS)
    # [D]
    np.testing.assert_allclose(s.effort("shoulder"), [44.92277, 39.000581, 32.146795, 24.345337, 15.872512], atol=5e-6)
    np.testing.assert_allclose(s.effort("elbow"), [6.845073, 7.940542, 9.635339, 11.903604, 14.548274], atol=5e-7)
    np.testing.assert_allclose(s.effort("wrist"), 1.699142, atol=5e-7)


def test_static_balance_of_the_robot():
    cases = {
        0.0: (44.527799, 6.994600, 1.699142),
        0.5: (31.734868, 9.825979, 1.699142),
        1.0: (16.103754, 14.684631, 1.699142),
    }
    for t, expected in cases.items():
        s = robot().statics(time=t, actuators=MOTORS)
        np.testing.assert_allclose([s.effort(k)[0] for k in MOTORS], expected, atol=5e-7)  # [D] section 3.5


def test_driver_efforts_of_the_robot_are_forces_on_the_hand_not_torques():
    s = robot().inverse_dynamics(times=[0.0])
    assert abs(s.effort("along_y")[0] - 44.92277) > 1.0
    # power is the same whoever gives it
    motors = robot().inverse_dynamics(times=[0.0], actuators=MOTORS)
    by_drivers = s.effort("along_x")[0] * -0.3 + s.effort("along_y")[0] * 0.4
    rates = [motors[j].angle_rate[0] for j in "ABC"]
    by_motors = sum(motors.effort(k)[0] * w for k, w in zip(MOTORS, rates, strict=True))
    assert by_drivers == pytest.approx(by_motors, abs=1e-10)


def test_more_actuators_than_needed_share_with_the_smallest_sum_of_squares():
    """Two equal motors on the same joint each do half."""
    m = robot()
    s = m.inverse_dynamics(times=[0.0, 0.5], actuators={**MOTORS, "helper": "A.angle"})
    np.testing.assert_allclose(s.effort("shoulder"), s.effort("helper"), rtol=1e-9)
    np.testing.assert_allclose(s.effort("shoulder") + s.effort("helper"), [44.92277, 32.146795], atol=5e-6)


def test_too_few_actuators_are_refused():
    with pytest.raises(
        tm.MobilityError, match=r"nobody acts along 1 degree of freedom \(acting: 'elbow', 'shoulder'\)"
    ):
        robot().inverse_dynamics(times=[0.0], actuators={k: MOTORS[k] for k in ("shoulder", "elbow")})


def test_actuators_in_a_singular_position_are_refused():
    """A slider cannot be pushed along its crank's dead centre: the crank needs a torque there that the slider cannot give."""
    m = tm.PlanarModel("dead centre")
    crank, rod = bar(m, "crank", (0, 0), (1, 0), 1.0), bar(m, "rod", (1, 0), (3, 0), 1.0)
    slider = m.body("slider", position=(3, 0), mass=1.0, inertia=0.1)
    m.revolute("O", m.ground, crank, at=(0, 0))
    m.revolute("A", crank, rod, at=(1, 0))
    m.revolute("B", rod, slider, at=(3, 0))
    m.translational("T", m.ground, slider, at=(3, 0), direction=(1, 0))
    m.driver("motor", crank.phi, 0.0)
    with pytest.raises(tm.MobilityError, match="cannot"):
        m.statics(actuators={"piston": "T.distance"})


def test_forward_and_inverse_dynamics_invert_each_other():
    """Drive a linkage, take the torque as a table of time, and let it move the free linkage: the same motion comes back."""
    driven = four_bar().copy(without=["motor"])
    driven.driver("motor", "b2.phi", "pi/3 + 0.5*t^2")
    times = np.linspace(0.0, 1.0, 401)
    inverse = driven.inverse_dynamics(times=times)
    free = driven.assemble().model().copy(without=["motor"])
    free.motor("torque", free.ground, "b2", tm.spline(times, inverse.effort("motor"), name="torque"))
    forward = free.simulate(times=times[::50], rtol=1e-10)
    # a cubic spline through 401 torques is good to (1/400)^4 of their fourth derivative
    np.testing.assert_allclose(forward["b2"].phi, math.pi / 3 + 0.5 * times[::50] ** 2, atol=1e-7)


# --- equilibrium ----------------------------------------------------------------------------------------------------


def platform(angle):
    """Sec. 10.3.2: platform on two legs with one spring, drawn with the legs at an angle."""
    m = tm.PlanarModel("platform")
    x, y = -0.5 * math.sin(angle), 0.5 * math.cos(angle)
    left = m.body("left", position=(-0.25 + x / 2, y / 2), angle=angle, mass=0.6, inertia=0.1)
    top = m.body("top", position=(x, y), mass=1.5, inertia=0.2)
    right = m.body("right", position=(0.25 + x / 2, y / 2), angle=angle, mass=0.6, inertia=0.1)
    m.revolute("r1", m.ground.at(-0.25, 0), left.at(0, -0.25))
    m.revolute("r2", left.at(0, 0.25), top.at(-0.25, 0))
    m.revolute("r3", top.at(0.25, 0), right.at(0, 0.25))
    m.revolute("r4", right.at(0, -0.25), m.ground.at(0.25, 0))
    m.spring("spring", m.ground.at(0.25, 0), top.at(-0.25, 0), stiffness=700, damping=50, free_length=0.6)
    return m


def test_platform_finds_its_stable_rest():
    """[D] section 3.2: phi = -0.31155471, y3 = .47592907, omega = 12.7501 rad/s."""
    found = platform(math.radians(20)).equilibrium()
    assert found.stable
    assert found.pose("left")[2] == pytest.approx(-0.31155471, abs=5e-9)
    assert found.pose("top")[1] == pytest.approx(0.47592907, abs=5e-9)
    assert found.frequencies[0] == pytest.approx(12.7501, abs=5e-5)
    assert found.step_advice == pytest.approx(2 * math.pi / 12.7501 / 20, rel=1e-5)
    # at rest the spring carries what the digest says
    length = found.model.drawn_value(found.model["spring"].length)
    assert 700 * (length - 0.6) == pytest.approx(-7.813177, abs=5e-6)


def test_an_unstable_rest_is_called_unstable():
    """[D]: second root phi = 1.42411012; Newton's method goes there from nearby."""
    found = platform(1.4).equilibrium(nearest=True)
    assert not found.stable
    assert found.pose("left")[2] == pytest.approx(1.42411012, abs=1e-7)


def test_a_pendulum_hangs_down():
    m = tm.PlanarModel("pendulum")
    b = bar(m, "b", (0, 0), (1, 0), 1.0)
    m.revolute("A", m.ground, b, at=(0, 0))
    found = m.equilibrium()
    assert found.stable
    assert math.cos(found.pose("b")[2] + math.pi / 2) == pytest.approx(1.0, abs=1e-12)
    # [D] section 3.4: small period 1.6379466 s of a uniform rod of 1 m
    assert 2 * math.pi / found.frequencies[0] == pytest.approx(1.6379466, abs=5e-7)


def test_a_cart_on_springs_is_stable_and_free_to_roll():
    """Mass on two vertical springs that ride on a rail: it bounces at sqrt(2 k / m) and may stand anywhere along the rail."""
    m = tm.PlanarModel("cart")
    rail = m.body("rail", mass=1.0, inertia=1.0)
    cart = m.body("cart", position=(0.0, 0.5), mass=4.0, inertia=1.0)
    m.translational("along", m.ground, rail, at=(0, 0), direction=(1, 0))
    m.translational("up", rail, cart, at=(0, 0.5), direction=(0, 1))
    for x in (-0.5, 0.5):
        m.spring(f"s{'lr'[x > 0]}", rail.at(x, 0), cart.at(x, 0), stiffness=200.0, free_length=0.5)
    found = m.equilibrium()
    assert found.stable and found.neutral == 1
    assert found.pose("cart")[1] == pytest.approx(0.5 - 4.0 * 9.81 / 400.0, abs=1e-12)
    np.testing.assert_allclose(found.frequencies, [0.0, 10.0], atol=1e-6)  # differences of step 1e-5
    assert "neutral in 1 direction" in str(found)


def test_nothing_to_hold_it_is_reported():
    m = tm.PlanarModel("falling")
    m.body("stone", mass=1.0, inertia=0.1)
    with pytest.raises(tm.ConvergenceError, match="no equilibrium of model 'falling'"):
        m.equilibrium()
