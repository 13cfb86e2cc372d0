"""Worked numbers of chapter 11 of Nikravesh (1988) and of Haug, and of Nikravesh's chapter 8.

[N8] book_ch6_8.md section 3.5, [N11] book_ch11_14.md section 3, [H] haug_kamman_attia.md section A.4: digests of the
books whose numbers were recomputed there, in two or three ways, independently of this code. Printed digits set the tolerances.
"""

from __future__ import annotations

import math

import numpy as np
import pytest

import trammel as tm
from spatial_models import HAUG_INERTIA, HAUG_RHO, G, Z, haug_pendulum, heavy_top, turn
from trammel.analysis.at_state import evaluate_state
from trammel.analysis.ready import make_ready
from trammel.analysis.start.initial import drawn_velocity
from trammel.system.lowering import lower
from trammel.system.pattern import pattern

QUIET = {"progress": False}
TIGHT = {"rtol": 1e-12, "atol": 1e-13, "max_steps": 50_000, **QUIET}


def push(m, name, point, vector):
    """Force at a point, global components, as forces along its coordinates."""
    for axis, value in zip("xyz", vector, strict=True):
        if value:
            m.user_force(f"{name}_{axis}", getattr(point, axis), value)


def twist(m, name, body, vector, frame="body"):
    """Couple on a body, as forces along its rotations."""
    for axis, value in zip("xyz", vector, strict=True):
        if value:
            m.user_force(f"{name}_{axis}", body.spin(axis, frame=frame), value)


# --- Nikravesh, chapter 8 ------------------------------------------------------------------------------------------------


def test_one_body_with_a_torque():
    """[N8] J' = diag(2, 3, 4), p = (.5, .7, -.5, .1), w' = (1, -2, .5), n' = (.3, -.1, .2)."""
    m = tm.SpatialModel("body", gravity=(0, 0, 0))
    b = m.body("b", rotation=(0.5, 0.7, -0.5, 0.1), mass=1.0, inertia=(2, 3, 4), omega=(1, -2, 0.5))
    twist(m, "n", b, (0.3, -0.1, 0.2))
    r = m.simulate(times=[0.0], **QUIET)
    np.testing.assert_allclose(r["b"].alpha_body[0], [0.65, 0.3, 0.55], atol=1e-14)
    np.testing.assert_allclose(r["b"].alpha[0], [-0.126, -0.83, 0.332], atol=1e-14)
    np.testing.assert_allclose(r["b"].spin_momentum[0], [5.04, -2.8, -3.28], atol=1e-14)
    np.testing.assert_allclose(r.angular_momentum[0], [5.04, -2.8, -3.28], atol=1e-14)
    assert r.energy.kinetic[0] == pytest.approx(7.5, abs=1e-14)
    pddot = tm.rotations.parameter_acceleration(r["b"].parameters[0], r["b"].omega_body[0], r["b"].alpha_body[0])
    np.testing.assert_allclose(pddot, [-0.83625, -0.90875, 0.57125, 0.27375], atol=1e-14)


def test_the_same_torque_in_global_components():
    """[N8] n = (.152, -.34, .036) is the same couple."""
    m = tm.SpatialModel("body", gravity=(0, 0, 0))
    b = m.body("b", rotation=(0.5, 0.7, -0.5, 0.1), mass=1.0, inertia=(2, 3, 4), omega=(1, -2, 0.5))
    twist(m, "n", b, (0.152, -0.34, 0.036), frame="space")
    r = m.simulate(times=[0.0], **QUIET)
    np.testing.assert_allclose(r["b"].alpha_body[0], [0.65, 0.3, 0.55], atol=1e-14)


def test_bearing_moments_of_an_unbalanced_rotor():
    """[N8] j_xz = -.2, j_yz = .1, j_zz = 1.5 at 10 rad/s and 3 rad/s²: n' = (-10.6, -19.7, 4.5)."""
    m = tm.SpatialModel("rotor", gravity=(0, 0, 0))
    m.body("rotor", mass=1.0, inertia=[[1.2, 0, -0.2], [0, 1.2, 0.1], [-0.2, 0.1, 1.5]])
    m.revolute("A", m.ground.marker(x="x"), m["rotor"].marker(x="x"))
    m.driver("motor", "A.angle", "10*t + 1.5*t^2")
    r = m.inverse_dynamics(times=[0.0, 0.7], **QUIET)
    reaction = r.reaction("A", on="rotor")
    np.testing.assert_allclose(reaction.moment_in_joint_frame[0], [-10.6, -19.7, 0.0], atol=1e-13)
    np.testing.assert_allclose(reaction.force, 0.0, atol=1e-13)
    assert r.effort("motor")[0] == pytest.approx(4.5, abs=1e-13)
    speed = 10 + 3 * 0.7  # the moment turns with the rotor: j_xz a - j_yz w², j_yz a + j_xz w²
    want = [-0.2 * 3 - 0.1 * speed**2, 0.1 * 3 - 0.2 * speed**2, 0.0]
    np.testing.assert_allclose(reaction.moment_in_joint_frame[1], want, atol=1e-12)


@pytest.mark.parametrize("spin, pull", [((0, 0, 0), (0, 0, 14.715)), ((0, 0, 2), (-24, 0, 14.715))])
def test_rod_on_a_ball_starts_to_fall(spin, pull):
    """[N8] 6 kg, 2 m, horizontal, J' = diag(.01, 2, 2): w'dot = (0, 7.3575, 0), force m g / 4 upwards on the rod."""
    m = tm.SpatialModel("rod")
    m.body("rod", position=(1, 0, 0), mass=6.0, inertia=(0.01, 2, 2), omega=spin, velocity=np.cross(spin, (1, 0, 0)))
    m.spherical("O", m.ground.at(0, 0, 0), m["rod"].at(-1, 0, 0))
    r = m.simulate(times=[0.0], **QUIET)
    np.testing.assert_allclose(r["rod"].alpha_body[0], [0, 7.3575, 0], atol=1e-13)
    assert r["rod"].acceleration[0, 2] == pytest.approx(-7.3575, abs=1e-13)
    np.testing.assert_allclose(r.reaction("O", on="rod").force[0], pull, atol=1e-12)


def test_torque_free_axisymmetric_body():
    """[N8] J' = diag(2, 2, 3), w'(0) = (.3, 0, 4): w_xi = .3 cos 2t, w_eta = .3 sin 2t, period pi."""
    m = tm.SpatialModel("top", gravity=(0, 0, 0))
    m.body("b", mass=1.0, inertia=(2, 2, 3), omega=(0.3, 0, 4))
    r = m.simulate(times=[0.0, 1.0, math.pi, 10.0], **TIGHT)
    t = r.times
    # rtol 1e-12 over some hundred steps
    want = np.column_stack([0.3 * np.cos(2 * t), 0.3 * np.sin(2 * t), np.full_like(t, 4.0)])
    np.testing.assert_allclose(r["b"].omega_body, want, atol=1e-10)
    np.testing.assert_allclose(r["b"].omega_body[1], [-0.124844, 0.272789, 4], atol=6e-7)


# --- Nikravesh, chapter 11 -----------------------------------------------------------------------------------------------


def two_bodies():
    """[N11] O-3: problem 11.7 with the digest's data."""
    m = tm.SpatialModel("two bodies")
    one = m.body("one", mass=2.0, inertia=(0.2, 0.3, 0.4), velocity=(0.3, 0, 0.1), omega=(0.1, 0.2, -0.3))
    two = m.body(
        "two", position=(0.612, 0.384, -0.1), rotation=(0.8, 0, 0, 0.6), mass=3.0, inertia=(0.1, 0.5, 0.6),
        velocity=(0.958, -0.394, -0.2), omega=(1, 0.5, -2),
    )  # fmt: skip
    m.spherical("S", one.at(0.5, 0, 0), two.at(-0.4, 0, 0.1))
    push(m, "f", one.at(0, 0, 0.25), (0, 5, 0))
    twist(m, "n1", one, (1, 0, 2), frame="space")
    twist(m, "n2", two, (0, -1, 0.5), frame="space")
    return m


O3 = {
    "a1": (-0.0685474206, 1.26474241, -9.8480520578), "w1": (-1.22, 0.1068401927, 1.9068560251),
    "a2": (0.0456982804, 0.82350506, -9.7846319615), "w2": (-9.1601332029, -2.0171004818, 0.1265778647),
    "force": (-0.1370948411, -2.4705151799, -0.0761041156),
}  # fmt: skip


def test_two_bodies_on_a_ball_joint_by_evaluation_of_one_state():
    m = two_bodies()
    make_ready(m, ["state_run"], forces=True)
    system = lower(m, dynamics=True)
    rows = pattern(system, range(len(system.rows)))
    found = evaluate_state(system, system.floats, rows, 0.0, system.start, drawn_velocity(system))
    want = np.concatenate([O3["a1"], O3["w1"], O3["a2"], O3["w2"]])
    np.testing.assert_allclose(found.accelerations, want, atol=6e-9)  # eight to ten printed digits
    assert sorted(found.multipliers) == pytest.approx(sorted(O3["force"]), abs=6e-11)


def test_two_bodies_on_a_ball_joint():
    r = two_bodies().simulate(times=[0.0], **QUIET)
    assert r.dynamics.changed == ()  # the given velocities are consistent
    for body, key in (("one", "1"), ("two", "2")):
        np.testing.assert_allclose(r[body].acceleration[0], O3[f"a{key}"], atol=6e-9)
        np.testing.assert_allclose(r[body].alpha_body[0], O3[f"w{key}"], atol=6e-9)
        np.testing.assert_allclose(r.reaction("S", on=body).moment, 0.0, atol=1e-13)
    np.testing.assert_allclose(r.reaction("S", on="one").force[0], O3["force"], atol=6e-11)
    np.testing.assert_allclose(r.reaction("S", on="two").force[0], np.negative(O3["force"]), atol=6e-11)
    # reaction moments about the mass centres, body components
    for body, want in (("one", (0, 0.0380520578, -1.23525759)), ("two", (-0.0560133203, 0.2714497591, -0.2240532812))):
        moment = r.reaction("S", on=body).moment_about(r[body].position)[0]
        np.testing.assert_allclose(r[body].matrix[0].T @ moment, want, atol=6e-9)


def test_hinge_in_space_reproduces_the_planar_pendulum():
    """[N11] O-5: m = 2, J' = diag(.3, .4, .5), d = 1, phi = .4, phidot = 1.7, gravity -y."""
    m = tm.SpatialModel("pendulum", gravity=(0, -G, 0))
    place = turn(Z, 0.4) @ (1, 0, 0)
    m.body(
        "b", position=place, rotation=turn(Z, 0.4), mass=2.0, inertia=(0.3, 0.4, 0.5), omega=(0, 0, 1.7),
        velocity=1.7 * np.cross(Z, place),
    )  # fmt: skip
    m.revolute("O", m.ground, "b", at=(0, 0, 0), axis="z")
    r = m.simulate(times=[0.0], **QUIET)
    np.testing.assert_allclose(r["b"].acceleration[0], [0.153039028, -7.7832961368, 0], atol=6e-10)
    np.testing.assert_allclose(r["b"].alpha_body[0], [0, 0, -7.2284866809], atol=6e-11)
    assert r["b"].alpha_body[0, 2] == pytest.approx(-2 * G * math.cos(0.4) / (0.5 + 2), rel=1e-14)
    np.testing.assert_allclose(r.reaction("O", on="b").force[0], [0.306078056, 4.0534077265, 0], atol=6e-10)
    np.testing.assert_allclose(r.reaction("O", on="b").moment[0], 0.0, atol=1e-13)


# [N11] O-10: t: r, p, w' (and v at t = 1)
O10 = {
    1: ((-0.0186403225, 4.9738949744, 4.1081953909), (0.6216197941, 0.6231059266, -0.4642612753, 0.0989409118),
        (3.062346462, -1.7889272456, 0.7592037592)),
    2: ((-0.0507547572, 4.8289807685, 4.236637955), (-0.6512534927, -0.5957778098, 0.0035536388, 0.4700053843),
        (6.1507718168, 2.0112224375, 0.9074807062)),
    5: ((-0.1114033439, 4.2668171941, 4.6247030224), None, (14.879955464, -0.3855471745, 1.5816341202)),
}  # fmt: skip


def test_box_under_a_thrust_that_turns_with_it():
    """[N11] O-10: a corner thruster of 12 N along the box's own zeta axis (problem 13.2)."""
    m = tm.SpatialModel("box", gravity=(0, 0, 0))
    J = 50 / 12 * np.array([0.4**2 + 0.2**2, 0.6**2 + 0.2**2, 0.6**2 + 0.4**2])
    b = m.body("b", position=(0, 5, 4), mass=50.0, inertia=J)
    m.user_force("thrust", b.at(0.3, 0.2, 0.1).drift("z", frame="body"), 12.0)
    r = m.simulate(times=[0.0, *O10], **TIGHT)
    np.testing.assert_allclose(J, [0.8333333, 1.6666667, 2.1666667], atol=5e-8)
    np.testing.assert_allclose(J * r["b"].alpha_body[0], [2.4, -3.6, 0], atol=1e-13)  # n'
    for k, (place, p, w) in enumerate(O10.values(), start=1):
        np.testing.assert_allclose(r["b"].position[k], place, atol=1e-9)
        np.testing.assert_allclose(r["b"].omega_body[k], w, atol=1e-8)
        if p is not None:
            got = r["b"].parameters[k]
            np.testing.assert_allclose(got * np.sign(got @ p), p, atol=1e-9)
    np.testing.assert_allclose(r["b"].velocity[1], [-0.0635476313, -0.094348561, 0.1735753541], atol=1e-9)


def test_orientation_of_a_torque_free_symmetric_top():
    """[N11] O-11: J' = diag(1, 1, 2), w'(0) = (.1, 0, 1): Exp(H t / A) Exp(-Omega t e_z) with Omega = 1."""
    m = tm.SpatialModel("top", gravity=(0, 0, 0))
    m.body("b", mass=1.0, inertia=(1, 1, 2), omega=(0.1, 0, 1))
    r = m.simulate(times=[0.0, 3.0, 40.0], **TIGHT)
    H = np.array([0.1, 0, 2])
    for k, t in enumerate(r.times):
        want = turn(H / np.linalg.norm(H), np.linalg.norm(H) * t) @ turn(Z, -t)
        np.testing.assert_allclose(r["b"].matrix[k], want, atol=1e-10)
        np.testing.assert_allclose(r["b"].omega_body[k], [0.1 * math.cos(t), 0.1 * math.sin(t), 1], atol=1e-10)
    want = [0.0668274322, 0.0004853896, 0.0068446825, 0.9977409529]
    np.testing.assert_allclose(r["b"].parameters[1], want, atol=1e-10)


# --- Haug ----------------------------------------------------------------------------------------------------------------


def on_a_sphere(kind):
    """[H] example 11.1.1, H1: the point (0, 0, 1) of the body stays at distance 1 from the origin."""
    m = tm.SpatialModel("point on a sphere")
    b = m.body(
        "b", position=(math.sin(0.5), 0, -math.cos(0.5) - 1), mass=2.0, inertia=(0.3, 0.4, 0.2), velocity=(-1, 0.8, 0),
        omega=(0.5, 1, 2),
    )  # fmt: skip
    m.point("P", b, local=(0, 0, 1))
    if kind == "link":
        m.link("hold", m.ground.at(0, 0, 0), "P", length=1.0)
    else:
        m.equation("hold", "P.x^2 + P.y^2 + P.z^2 - 1")
    return m


# t: r, p, w', lambda of Haug's row d'd - 1 with his sign, M q̈ + Phi_q' lambda = Q
H1 = {
    0: ((math.sin(0.5), 0, -math.cos(0.5) - 1), (1, 0, 0, 0), (0.5, 1, 2), 4.725210900),
    0.5: ((-0.2280420985, 0.3132060519, -1.9200338249), (0.8717532222, 0.0801555117, -0.0875763119, 0.4753438788),
          (1.893471245, 0.847341478, 1.918092026), 6.945313556),
    1: ((-0.6699463278, 0.2651311929, -1.8612772426), (0.5831080701, 0.1474343309, 0.0367985102, 0.7980563679),
        (-1.848836582, -1.711459377, 1.456093909), 23.613520273),
    2: ((0.3091608129, -0.2825123971, -1.8890245071), (-0.13071847, 0.0051803758, 0.1871927511, 0.973573171),
        (1.142589909, 1.365291387, 1.387388371), 5.002091575),
}  # fmt: skip


@pytest.mark.parametrize("kind", ["link", "equation"])
def test_point_of_a_body_on_a_sphere(kind):
    r = on_a_sphere(kind).simulate(times=list(H1), **TIGHT)
    assert r.dynamics.changed == ()
    d = r.point("P").position
    for k, (place, p, w, multiplier) in enumerate(H1.values()):
        np.testing.assert_allclose(r["b"].position[k], place, atol=1e-8)  # "use tolerance 1e-8"
        np.testing.assert_allclose(r["b"].omega_body[k], w, atol=1e-8)
        got = r["b"].parameters[k]
        np.testing.assert_allclose(got * np.sign(got @ p), p, atol=1e-8)
        np.testing.assert_allclose(r.reaction("hold", on="b").force[k], -2 * multiplier * d[k], atol=1e-7)
    np.testing.assert_allclose(r["b"].acceleration[0], [-2.265386781, 0, -5.663237313], atol=6e-10)
    np.testing.assert_allclose(r["b"].alpha_body[0], [1.333333333, -11.576933905, -0.25], atol=6e-10)
    np.testing.assert_allclose(r.energy.total, -34.560669864, atol=1e-8)
    np.testing.assert_allclose(r.angular_momentum[:, 2], 1.167080862, atol=1e-8)
    np.testing.assert_allclose(np.linalg.norm(d, axis=1), 1.0, atol=1e-13)
    if kind == "equation":
        np.testing.assert_allclose(-r.effort("hold"), [row[3] for row in H1.values()], atol=1e-7)


# [H] example 11.1.2, H2: t, phi, rate, second, T_x'', T_z'', F''
H2 = np.array([
    (0, 0, 1, 2.4940677966, 6.0562372881, 0.7133983051, -4.0411016949, 0, 30.181779661),
    (0.5, 0.5134086537, 0.4842031142, -3.9522769867, 5.3485431804, 1.8331680343, -8.5964438892, 0, 27.173111499),
    (1, 0.2697026143, -1.1947643007, -0.9187494563, 6.0953867816, 1.3773302866, -6.8915851878, 0, 30.782928114),
    (2, 0.2616278153, 1.2006131684, -0.8162993035, 6.1075501116, 1.3596914795, -6.8201596999, 0, 30.8356012856),
])  # fmt: skip


def test_inertia_of_haugs_pendulum_about_its_pin():
    """[H] J'' by the parallel-axis theorem: what the builder gives the code as J_c is what the book calls J''."""
    shifted = HAUG_INERTIA + 3 * (HAUG_RHO @ HAUG_RHO * np.eye(3) - np.outer(HAUG_RHO, HAUG_RHO))
    np.testing.assert_allclose(shifted, [[1.17, -0.04, 0.16], [-0.04, 1.18, 0.27], [0.16, 0.27, 0.40]], atol=1e-15)


def test_pendulum_with_products_of_inertia_and_its_bearing():
    r = haug_pendulum().simulate(times=H2[:, 0], **TIGHT)
    angle = r.measure("J.angle")
    np.testing.assert_allclose(angle.value, H2[:, 1], atol=1e-9)
    np.testing.assert_allclose(angle.rate, H2[:, 2], atol=1e-9)
    np.testing.assert_allclose(angle.second, H2[:, 3], atol=1e-8)
    reaction = r.reaction("J", on="b")
    # the book's joint frame is the body's: x, y = hinge, z; ours has z along the hinge, so that its y is the book's -z
    moment, force = reaction.moment_in_joint_frame, reaction.in_joint_frame
    np.testing.assert_allclose(moment[:, 0], H2[:, 4], atol=1e-8)
    np.testing.assert_allclose(-moment[:, 1], H2[:, 5], atol=1e-8)
    np.testing.assert_allclose(moment[:, 2], 0.0, atol=1e-12)
    np.testing.assert_allclose(np.column_stack([force[:, 0], force[:, 2], -force[:, 1]]), H2[:, 6:], atol=1e-8)


def test_rest_and_frequency_of_haugs_pendulum():
    found = haug_pendulum().equilibrium()
    assert found.stable
    axis, angle = tm.rotations.axis_angle(np.array(found.pose("b")[3:]))
    assert axis[1] * angle == pytest.approx(0.1973955598, abs=1e-10)  # atan(.2)
    assert found.frequencies == pytest.approx([3.5661324096], rel=1e-7)  # stiffness by differences


def test_torque_that_swings_haugs_pendulum():
    """[H] H5: phi = .5 sin 2t."""
    r = haug_pendulum(drive="0.5*sin(2*t)").inverse_dynamics(times=[0, 0.3, 0.7], **QUIET)
    np.testing.assert_allclose(r.effort("motor"), [-2.943, -0.0596577259, 2.0420293015], atol=6e-11)
    phi = 0.5 * np.sin(2 * r.times)
    by_hand = 1.18 * -4 * phi - 3 * G * (-0.5 * np.sin(phi) + 0.1 * np.cos(phi))
    np.testing.assert_allclose(r.effort("motor"), by_hand, atol=1e-12)


def test_haugs_pendulum_that_may_slide_along_its_axis():
    """[H] problem 11.1.4: at phi = .7, phidot = 1.1, s = .3, sdot = .4 the slide is free: phi'' = -6.1260446699, s'' = 0."""
    m = haug_pendulum(joint="cylindrical", phi=0.7, phi_rate=1.1, slide=0.3, slide_rate=0.4)
    r = m.simulate(times=[0.0, 1.0], **TIGHT)
    assert r.dynamics.changed == ()
    turned, slid = r.measure("J.angle"), r.measure("J.distance")
    assert (turned.value[0], turned.rate[0], slid.value[0], slid.rate[0]) == pytest.approx(
        (0.7, 1.1, 0.3, 0.4), abs=1e-14
    )
    assert turned.second[0] == pytest.approx(-6.1260446699, abs=6e-11)
    np.testing.assert_allclose(slid.second, 0.0, atol=1e-12)
    assert slid.value[1] == pytest.approx(0.7, abs=1e-11)


SLOW, FAST = 5.2882182078, 8.5681882528  # [H] H3: roots of J_t cos Ω² - J_s w3 Ω + m g l = 0
TILT = math.pi / 6


@pytest.mark.parametrize("frame", ["tip", "centroid"])
@pytest.mark.parametrize("rate", [SLOW, FAST])
def test_heavy_top_precesses_steadily(rate, frame):
    assert 0.05 * math.cos(TILT) * rate**2 - 0.01 * 60 * rate + G * 0.2 == pytest.approx(0, abs=1e-8)
    r = heavy_top((0, rate * math.sin(TILT), 60), frame=frame).simulate(1.0, samples=11, **TIGHT)
    axis = r["top"].matrix[:, :, 2]
    # ten printed digits of the rate: 1e-10 rad after a second, and the nutation they start
    np.testing.assert_allclose(np.arccos(axis[:, 2]), 0.5235987756, atol=1e-9)
    turned = rate * r.times
    want = np.column_stack(
        [math.sin(TILT) * np.sin(turned), -math.sin(TILT) * np.cos(turned), np.full_like(turned, math.cos(TILT))]
    )
    np.testing.assert_allclose(axis, want, atol=1e-8)
    if rate == SLOW:
        np.testing.assert_allclose(axis[-1], [-0.4193705256, -0.2722652424, 0.8660254038], atol=1e-9)
        np.testing.assert_allclose(r.angular_momentum[:, 2], 0.58571797, atol=6e-9)
        np.testing.assert_allclose(r.energy.total, 19.873924666, atol=1e-9)


@pytest.mark.parametrize("frame", ["tip", "centroid"])
def test_heavy_top_nutates_between_its_limits(frame):
    r = heavy_top((0, 0, 60), frame=frame).simulate(2.0, samples=401, **TIGHT)
    tilt = np.arccos(r["top"].matrix[:, 2, 2])
    for t, want in {0.1: 0.6139170253, 0.5: 1.0654803046, 1.0: 0.7841716879, 2.0: 1.1266957810}.items():
        assert tilt[int(np.argmin(abs(r.times - t)))] == pytest.approx(want, abs=1e-9)
    size = (0.01 * 60) ** 2 / (4 * 0.05 * G * 0.2)
    low = math.acos(size - math.sqrt(1 - 2 * size * math.cos(TILT) + size**2))
    assert low == pytest.approx(1.1430781894, abs=1e-10)
    assert tilt.min() >= TILT - 1e-9 and tilt.max() <= low + 1e-9
    assert tilt.max() == pytest.approx(low, abs=1e-3)  # 401 samples meet the limit to (w dt)² / 8
    np.testing.assert_allclose(r["top"].omega_body[:, 2], 60.0, atol=1e-9)  # no moment about the axis of symmetry
