"""Joints of spatial models: motion against closed forms."""

from __future__ import annotations

import math

import numpy as np
import pytest

from pytrammel import rotations as rot
from pytrammel.geometry.space_curves import helix
from pytrammel.model.spatial import SpatialModel
from spatial_directions import AXES, TURN, across, random_pose, unit

# --- angles through many turns --------------------------------------------------------------------------------------------

# closed forms: positions are solved to 1e-13 of the model's size, angles of tens of radians carry some more rounding
CLOSED_FORM = 1e-10
AXIS = unit(1, 2, -2)


def close(found, expected, tolerance=CLOSED_FORM):
    np.testing.assert_allclose(found, expected, rtol=0, atol=tolerance)


def hinge(angle=0.0, *, axis=AXIS, kind="revolute", **given):
    m = SpatialModel("hinge")
    m.body("b", position=(0.2, 0.5, -0.3), rotation=rot.normalised([0.4, -0.2, 0.7, 0.3]))
    getattr(m, kind)("A", m.ground, "b", at=(0.1, 0.4, -0.2), axis=axis, angle=angle, **given)
    return m


def smooth_turns(start, turns):
    """Formula of an angle that leaves `start` at rest and makes so many turns in one second; value, rate, second rate."""
    text = f"{start!r} + {TURN * turns!r}*(t - sin(2*pi*t)/(2*pi))"
    value = lambda t: start + TURN * turns * (t - np.sin(TURN * t) / TURN)  # noqa: E731
    rate = lambda t: TURN * turns * (1 - np.cos(TURN * t))  # noqa: E731
    return text, value, rate, lambda t: TURN * turns * TURN * np.sin(TURN * t)


@pytest.mark.parametrize("start", [0.0, math.pi, -math.pi, 7.0, -20.0])
@pytest.mark.parametrize("turns", [3, -3])
def test_a_hinge_is_driven_through_three_turns_from_any_angle(start, turns):
    text, value, rate, second = smooth_turns(start, turns)
    m = hinge(start)
    drawn = m["b"].rotation
    m.driver("D", "A.angle", text)
    for model in (m, m.copy(), m.assemble().model()):
        r = model.kinematics(1.0, samples=121)
        angle = r.series("A.angle")
        close(angle.value, value(r.times))
        close(angle.rate, rate(r.times), 1e-9)  # the rate is 38 rad/s at most
        close(angle.acceleration, second(r.times), 1e-7)  # and 118 rad/s² the second rate, from rates squared
        assert not r.singularities  # neither 0 nor pi is a singular position
        for k in (0, 40, 80, 120):
            turned = rot.product(rot.from_axis_angle(AXIS, value(r.times[k]) - start), np.array(drawn))
            close(rot.matrix(r.q[k, 3:7]), rot.matrix(turned))


@pytest.mark.parametrize("angle", [0.0, math.pi / 2, math.pi, -math.pi, 7.0])
def test_an_angle_can_be_held_at_any_value(angle):
    m = hinge(angle)
    c = m.constrain("hold", "A.angle")
    assert abs(c.blocks[0].targets[0] - angle) < 1e-14 * (1 + abs(angle))  # drawn there, on the turn that was told
    assert m.mobility().dof == 0 and not m.mobility().singular
    assert m.copy()["hold"].blocks[0].targets == c.blocks[0].targets


@pytest.mark.parametrize("kind", ["revolute", "cylindrical", "planar", "screw"])
def test_angle_of_a_joint_drawn_at_an_angle(kind):
    """The given value is what the measure shows in the drawn pose, whatever its turn."""
    for angle in (0.3, -2.0, math.pi, 7.0, -30.0):
        m = hinge(angle, kind=kind, **({"lead": 0.1} if kind == "screw" else {}))
        assert abs(m.drawn_value(m["A"].angle) - angle) < 1e-13 * (1 + abs(angle))
        assert abs(m.copy().drawn_value(m.copy()["A"].angle) - angle) < 1e-13 * (1 + abs(angle))


@pytest.mark.parametrize("angle", [math.pi, -math.pi, 3 * math.pi])
def test_half_a_turn_keeps_its_sign_in_a_copy(angle):
    """Rounding decides on which side of the cut the drawn angle is found, so the copy must be told: many poses, both sides."""
    for seed in range(20):
        m = SpatialModel("half a turn")
        m.body("b", **random_pose(np.random.default_rng(seed)))
        m.revolute("A", m.ground, "b", at=(0.1, 0.2, 0.3), axis=unit(*AXES[seed % len(AXES)]), angle=angle)
        for twin in (m, m.copy(), m.copy().copy(), m.assemble().model()):
            assert abs(twin.turns["A.angle"].start - angle) < 1e-13 * (1 + abs(angle))


def test_angle_between_bodies_counts_turns_without_a_joint_of_its_own():
    m = hinge()
    q = m.angle_between(m.ground, "b", AXIS, label="turned")
    m.driver("D", "A.angle", "8*pi*t")
    r = m.kinematics(1.0, samples=33)
    close(r.series(q).value, 8 * math.pi * r.times)


@pytest.mark.parametrize("lead", [0.05, -0.02])
@pytest.mark.parametrize("angle", [0.0, math.pi, 7.0])
def test_a_screw_advances_by_its_lead_per_turn(lead, angle):
    m = hinge(angle, kind="screw", lead=lead)
    text, value, rate, _ = smooth_turns(angle, 6)
    m.driver("D", "A.angle", text)
    r = m.kinematics(1.0, samples=61)
    distance = r.series("A.distance")
    close(distance.value, lead / TURN * (value(r.times) - angle))
    close(distance.rate, lead / TURN * rate(r.times))
    close(r.q[-1, :3] - r.q[0, :3], 6 * lead * AXIS)


def test_a_screw_can_be_told_where_it_starts():
    m = hinge(kind="screw", lead=0.1, start=0.02)
    m.driver("D", "A.angle", "2*pi*t")
    r = m.kinematics(2.0, samples=9)
    close(r.series("A.distance").value, 0.02 + 0.1 * r.times)


# --- gears, worms, racks ---------------------------------------------------------------------------------------------------


def train(second_axis="z", *, angle=0.0):
    m = SpatialModel("train")
    m.body("one")
    m.body("two", position=(0.5, 0, 0))
    m.revolute("A", m.ground, "one", at=(0, 0, 0), axis="z", angle=angle)
    m.revolute("B", m.ground, "two", at=(0.5, 0, 0), axis=second_axis)
    return m


@pytest.mark.parametrize("second_axis", ["z", "-z", (0.6, 0, 0.8)], ids=["spur", "turned round", "bevel at 37 degrees"])
@pytest.mark.parametrize("angle", [0.0, 7.0])
def test_gears_turn_in_the_inverse_ratio_of_their_radii(second_axis, angle):
    m = train(second_axis, angle=angle)
    m.gear("G", "A", "B", radii=(0.2, 0.3))
    text, value, rate, _ = smooth_turns(angle, 5)
    m.driver("D", "A.angle", text)
    for model in (m, m.copy()):
        r = model.kinematics(1.0, samples=61)
        sign = 1.0 if second_axis == "-z" else -1.0  # about an axis turned round the same motion counts the other way
        close(r.series("B.angle").value, sign * 0.2 / 0.3 * (value(r.times) - angle))
        close(r.series("B.angle").rate, sign * 0.2 / 0.3 * rate(r.times), 1e-9)  # rates up to 63 rad/s


def test_a_ring_gear_turns_with_its_pinion():
    m = train()
    gear = m.gear("G", "A", "B", radii=(0.2, 0.7), internal=True)
    assert [(symbol.kind, symbol.body) for symbol in gear.symbols] == [("disc", "one"), ("ring", "two")]
    m.driver("D", "A.angle", "9*t")
    r = m.kinematics(1.0, samples=11)
    close(r.series("B.angle").value, 0.2 / 0.7 * 9 * r.times)


def test_a_planet_on_a_moving_carrier():
    """Sun at rest, carrier turns by c: against the carrier the sun turns by -c, so the planet by c r_s/r_p, in space by c (1 + r_s/r_p)."""
    m = SpatialModel("planets")
    m.body("carrier")
    m.body("sun")
    m.body("planet", position=(0.5, 0, 0))
    m.revolute("C", m.ground, "carrier", at=(0, 0, 0), axis="z")
    m.revolute("S", "carrier", "sun", at=(0, 0, 0), axis="z")
    m.revolute("P", "carrier", "planet", at=(0.5, 0, 0), axis="z")
    m.gear("G", "S", "P", radii=(0.3, 0.2))
    m.constrain("rest", m.angle_between(m.ground, "sun", "z"), value=0.0)
    seen = m.angle_between(m.ground, "planet", "z")
    m.driver("D", "C.angle", "6*pi*t")
    r = m.kinematics(1.0, samples=41)
    c = 6 * math.pi * r.times
    close(r.series("S.angle").value, -c)
    close(r.series("P.angle").value, c * 0.3 / 0.2)
    close(r.series(seen).value, c * (1 + 0.3 / 0.2))


@pytest.mark.parametrize("ratio", [20.0, -8.0])
def test_a_worm_turns_its_wheel(ratio):
    """Right-hand thread, wheel beyond +y: the thread moves down (-z) where they touch, so the wheel turns about +x."""
    m = SpatialModel("worm")
    m.body("one")
    m.body("two", position=(0, 0.5, 0))
    m.revolute("A", m.ground, "one", at=(0, 0, 0), axis="z")
    m.revolute("B", m.ground, "two", at=(0, 0.5, 0), axis="x")
    m.worm("W", "A", "B", ratio=ratio)
    m.driver("D", "A.angle", "16*pi*t")
    r = m.kinematics(1.0, samples=41)
    close(r.series("B.angle").value, 16 * math.pi * r.times / ratio)


@pytest.mark.parametrize("below", [True, False])
def test_a_rack_moves_by_the_pitch_radius_times_the_angle(below):
    m = SpatialModel("rack")
    y = -0.1 if below else 0.1
    m.body("pinion")
    m.body("bar", position=(0.0, y, 0.0))
    m.revolute("A", m.ground, "pinion", at=(0, 0, 0), axis="z", angle=7.0)
    m.prismatic("S", m.ground, "bar", at=(0, y, 0), axis="x")
    m.rack_and_pinion("R", pinion="A", rack="S", radius=0.1)
    m.driver("D", "A.angle", "7 + 8*pi*t")
    r = m.kinematics(1.0, samples=41)
    close(r.series("S.distance").value, -y * 8 * math.pi * r.times)
    close(r.q[:, 7], -y * 8 * math.pi * r.times)


# --- shafts ------------------------------------------------------------------------------------------------------------------


def shafts(joint, beta):
    """Digest of Nikravesh 6-8, section 3.4: two shafts that meet in the origin, the second one held by a parallel axis only."""
    second = np.array([math.sin(beta), 0.0, math.cos(beta)])
    m = SpatialModel("shafts")
    m.body("one", position=(0, 0, -1))
    m.body("two", position=tuple(second))
    m.revolute("A", m.ground, "one", at=(0, 0, -1), axis="z")
    m.parallel_axes("B", m.ground, "two", axis=second)
    if joint == "universal":
        m.universal("U", "one", "two", at=(0, 0, 0), axis="x", second_axis="y")
    else:
        m.constant_velocity("U", "one", "two", at=(0, 0, 0), axis="z", second_axis=second)
    return m


@pytest.mark.parametrize("degrees", [0.0, 30.0, 60.0])
def test_universal_joint_against_its_closed_form(degrees):
    """tan th2 = tan th1 / cos b; with w1 = 1: w2 = cos b / (1 - sin²b cos²th1), and its derivative."""
    b = math.radians(degrees)
    m = shafts("universal", b)
    m.driver("D", "A.angle", "t")
    r = m.kinematics(2 * TURN, samples=241)
    th1 = r.times
    th2 = np.unwrap(np.arctan2(np.sin(th1), np.cos(th1) * math.cos(b)))
    below = 1 - math.sin(b) ** 2 * np.cos(th1) ** 2
    angle = r.series("B.angle")
    close(angle.value, th2)
    close(angle.rate, math.cos(b) / below)
    # differences of terms up to ten
    close(angle.acceleration, -math.cos(b) * math.sin(b) ** 2 * np.sin(2 * th1) / below**2, 1e-9)
    assert not r.redundant and not r.singularities


def test_universal_joint_has_the_digests_numbers():
    m = shafts("universal", math.radians(30))
    m.driver("D", "A.angle", "t")
    table = {20: (22.795877, 1.1113655, -0.2291874), 45: (49.106605, 0.9897433, -0.2827838)}
    table |= {80: (81.317796, 0.8726035, -0.0751787), 130: (126.005215, 0.9657852, 0.2651685)}
    r = m.kinematics(times=np.radians([0, *table]))
    angle = r.series("B.angle")
    for k, (degrees, rate, second) in enumerate(table.values(), start=1):
        close(math.degrees(angle.value[k]), degrees, 1e-6)  # six and seven printed decimals
        close(angle.rate[k], rate, 1e-7)
        close(angle.acceleration[k], second, 1e-7)


def test_a_second_bearing_makes_three_rows_redundant():
    b = math.radians(30)
    m = shafts("universal", b).copy(without=["B"])
    m.revolute("B", m.ground, "two", at=m["two"].position, axis=(math.sin(b), 0.0, math.cos(b)))
    mobility = m.mobility()
    assert (mobility.count, mobility.dof, len(mobility.redundant)) == (-2, 1, 3)


@pytest.mark.parametrize("degrees", [0.0, 20.0, 90.0])
def test_constant_velocity_joint_transmits_equal_speeds(degrees):
    m = shafts("constant_velocity", math.radians(degrees))
    text, value, rate, second = smooth_turns(0.0, 3)
    m.driver("D", "A.angle", text)
    r = m.kinematics(1.0, samples=121)
    angle = r.series("B.angle")
    close(angle.value, value(r.times))
    close(angle.rate, rate(r.times), 1e-9)  # up to 38 rad/s
    close(angle.acceleration, second(r.times), 1e-7)  # up to 118 rad/s²
    close(r.series("U.bend").value, math.cos(math.radians(degrees)))


def test_the_measured_angles_of_a_universal_joint_are_zero_as_drawn_and_turn_about_the_arms():
    m = SpatialModel("cross")
    m.body("one", rotation=rot.normalised([0.9, 0.1, -0.3, 0.2]))
    m.body("two")
    u, (w, _) = AXIS, across(AXIS)
    m.fix("F", "one")
    m.universal("U", "one", "two", at=(0.1, 0.2, 0.3), axis=u, second_axis=w)
    m.driver("D1", "U.angle", "2*pi*t")
    m.driver("D2", "U.second_angle", "-4*pi*t")
    r = m.kinematics(1.0, samples=33)
    close([r.series("U.angle").value[0], r.series("U.second_angle").value[0]], 0.0)
    for k in range(33):
        # first about the arm in space, then about the other arm, which that has turned
        t = r.times[k]
        turn = rot.product(rot.from_axis_angle(u, TURN * t), rot.from_axis_angle(w, -2 * TURN * t))
        close(rot.matrix(r.q[k, 10:14]), rot.matrix(turn))


# --- orientation drivers, curves, rolling --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "sequence, middle",
    [("xyz", "pi/2"), ("zxz", "0"), ("xyz", "0.3 + t"), ("zyx", "pi/2 + 0.2*sin(t)"), ("yxy", "2*t")],
)
def test_an_orientation_is_driven_through_gimbal_lock(sequence, middle):
    """The rows compare matrices, so the positions in which the angles themselves are not unique are nothing special."""
    angle = {"pi/2": lambda t: math.pi / 2, "0": lambda t: 0.0, "0.3 + t": lambda t: 0.3 + t, "2*t": lambda t: 2 * t}
    angle["pi/2 + 0.2*sin(t)"] = lambda t: math.pi / 2 + 0.2 * math.sin(t)
    m = SpatialModel("gimbals")
    m.body("b", rotation=rot.from_angles([0.1, angle[middle](0.0), -0.4], sequence))
    m.spherical("S", m.ground, "b", at=(0.2, 0.1, 0.0))
    m.orientation_driver("D", "b", ("0.1 + 3*t", middle, "2*t - 0.4"), sequence=sequence)
    r = m.kinematics(3.0, samples=31)
    assert not r.singularities
    for k, t in enumerate(r.times):
        close(
            rot.matrix(r.q[k, 3:7]), rot.matrix(rot.from_angles([0.1 + 3 * t, angle[middle](t), 2 * t - 0.4], sequence))
        )


def test_a_bead_on_a_helix_of_a_turned_body():
    m = SpatialModel("helix")
    m.body("frame", position=(0.3, -0.2, 0.5), rotation=rot.normalised([0.7, 0.1, -0.5, 0.4]))
    frame = m["frame"]
    m.fix("F", "frame")
    radius, lead = 0.5, 0.2
    curve = helix(radius, lead, turns=3)
    m.body("bead", position=frame.at(radius, 0.02, 0.01).drawn)
    m.point_on_curve("C", "frame", "bead", curve=curve)
    m.orientation_driver("O", "bead", (0.0, 0.0, 0.0))
    m.driver("D", "C.u", "0.1 + 5*t + 2*t^2")
    r = m.kinematics(1.5, samples=31)
    t = r.times
    u, du, ddu = 0.1 + 5 * t + 2 * t**2, 5 + 4 * t, 4.0
    close(r.series("C.u").value, u)
    rise = lead / TURN
    place = np.column_stack([radius * np.cos(u), radius * np.sin(u), rise * u])
    tangent = np.column_stack([-radius * np.sin(u), radius * np.cos(u), rise + 0 * u])
    normal = np.column_stack([-radius * np.cos(u), -radius * np.sin(u), 0 * u])
    A = frame.matrix
    close(r.q[:, 7:10], np.array(frame.position) + place @ A.T)
    close(r.v[:, 6:9], (tangent * du[:, None]) @ A.T)
    close(r.a[:, 6:9], (normal * du[:, None] ** 2 + tangent * ddu) @ A.T, 1e-9)  # up to 60 m/s²


def contact_velocity(r, body, local_centre, to_contact):
    """Velocity of the body's material at the contact point over a plane at rest, at every instant."""
    out = []
    for q, v in zip(r.q, r.v, strict=True):
        k = list(r.model.bodies).index(body) - 1
        A = rot.matrix(q[7 * k + 3 : 7 * k + 7])
        s = A @ local_centre + to_contact(A)
        out.append(v[6 * k : 6 * k + 3] + np.cross(A @ v[6 * k + 3 : 6 * k + 6], s))
    return np.array(out)


# velocities are projected onto the rows after every step, to rounding of speeds of a few m/s
NO_SLIP = 1e-10


def test_a_sphere_rolls_down_a_slope_without_slipping():
    """Acceleration 5/7 g sin(slope) for a homogeneous ball, whatever it spins about."""
    slope, radius, g = 0.3, 0.25, 9.81
    normal, down = np.array([math.sin(slope), 0, math.cos(slope)]), np.array([math.cos(slope), 0, -math.sin(slope)])
    m = SpatialModel("ball", gravity=(0, 0, -g))
    speed = np.array([0.0, 0.4, 0.0])
    omega = np.cross(normal, speed) / radius + 1.5 * normal  # rolling sideways and spinning about the normal
    m.body(
        "ball", position=tuple(radius * normal), mass=2.0, inertia=0.4 * 2.0 * radius**2, velocity=speed, omega=omega
    )
    m.rolling_sphere("R", m.ground, "ball", radius=radius, at=(0, 0, 0), axis=normal)
    r = m.simulate(1.0, samples=21)
    close(contact_velocity(r, "ball", np.zeros(3), lambda A: -radius * normal), 0.0, NO_SLIP)
    path = radius * normal + np.outer(r.times, speed) + np.outer(5 / 14 * g * math.sin(slope) * r.times**2, down)
    close(r.q[:, :3], path, 1e-7)  # default tolerance of the integrator, 1e-8 or so, over a metre
    close(r.series("R.height").value, radius)


def test_a_disc_rolls_and_wobbles_without_slipping_and_keeps_its_energy():
    radius, mass = 0.3, 1.5
    m = SpatialModel("coin")
    lean = rot.from_axis_angle([1, 0, 0], -math.pi / 2 + 0.3)  # disc axis is body z, 0.3 rad from horizontal
    axis = rot.matrix(lean)[:, 2]
    up = np.array([0.0, 0.0, 1.0]) - axis[2] * axis
    up /= np.linalg.norm(up)
    spin = np.array([0.2, 0.5, 6.0])  # body components
    velocity = np.cross(rot.matrix(lean) @ spin, radius * up)  # of the centre, with the contact point at rest
    m.body(
        "coin", position=(0, 0, radius * up[2]), rotation=lean, mass=mass,
        inertia=(mass * radius**2 / 4, mass * radius**2 / 4, mass * radius**2 / 2), velocity=velocity, omega=spin,
    )  # fmt: skip
    m.rolling_disc("R", m.ground, "coin", radius=radius, at=(0, 0, 0), axis="z", disc_axis=axis)
    r = m.simulate(1.0, samples=41)

    def to_contact(A):
        w = np.array([0.0, 0.0, 1.0]) - A[2, 2] * A[:, 2]
        return -radius * w / np.linalg.norm(w)

    close(contact_velocity(r, "coin", np.zeros(3), to_contact), 0.0, NO_SLIP)
    lowest = [q[2] + to_contact(rot.matrix(q[3:7]))[2] for q in r.q]
    close(lowest, 0.0)  # the rim stays on the plane
    assert np.ptp(r.series("R.lean").value) > 0.05  # it does wobble
    omega = r.v[:, 3:6]
    inertia = mass * radius**2 * np.array([0.25, 0.25, 0.5])
    energy = 0.5 * mass * (r.v[:, :3] ** 2).sum(1) + 0.5 * (omega**2 @ inertia) + mass * 9.81 * r.q[:, 2]
    close(energy, energy[0], 1e-6 * energy[0])  # no force does work; the integrator's tolerance over one second
