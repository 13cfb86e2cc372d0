"""Springs, bushings, loads, drag, contacts and friction in space against closed forms."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.optimize import brentq
from scipy.spatial.transform import Rotation

from pytrammel.analysis.events.events import Event
from pytrammel.model.spatial import SpatialModel

G = 9.81
TIGHT = {"rtol": 1e-11, "atol": 1e-13}
# the error control allows 1e-11 of the model's size per step; tens to a few hundred steps add up to at most this
CLOSE = 2e-8
WEIGHTLESS = (0.0, 0.0, 0.0)
TILTED = (0.6, 0.0, 0.8)
TURN = tuple(map(tuple, Rotation.from_rotvec([0.3, -0.5, 0.8]).as_matrix()))


def rotations_of(r, body=0):
    return Rotation.from_quat(r.q[:, 7 * body + 3 : 7 * body + 7], scalar_first=True)


def omega_of(r, body=0):
    """Angular velocity, global."""
    return rotations_of(r, body).apply(r.v[:, 6 * body + 3 : 6 * body + 6])


# --- springs ----------------------------------------------------------------------------------------------------------


def test_spring_pendulum_in_space_keeps_energy_and_vertical_angular_momentum():
    k, l0, mass = 80.0, 0.5, 1.5
    m = SpatialModel("spring pendulum")
    m.body("b", position=(0.4, 0.1, -0.6), mass=mass, inertia=0.1, velocity=(0.3, 1.2, 0.0))
    m.spring("s", "ground", "b", stiffness=k, free_length=l0)
    r = m.simulate(5.0, samples=101, **TIGHT)
    p, v = r.q[:, :3], r.v[:, :3]
    length = np.linalg.norm(p, axis=1)

    # the same motion by another program
    def motion(_, s):
        d = np.linalg.norm(s[:3])
        return [*s[3:], *(-k / mass * (d - l0) / d * s[:3] + [0.0, 0.0, -G])]

    other = solve_ivp(motion, (0.0, 5.0), [*p[0], *v[0]], method="DOP853", t_eval=r.times, rtol=1e-12, atol=1e-13)
    np.testing.assert_allclose(p, other.y[:3].T, atol=10 * CLOSE)  # errors grow along with the swings
    energy = 0.5 * mass * (v**2).sum(axis=1) + mass * G * p[:, 2] + 0.5 * k * (length - l0) ** 2
    np.testing.assert_allclose(energy, energy[0], atol=10 * CLOSE)
    np.testing.assert_allclose(r.energy.stored, 0.5 * k * (length - l0) ** 2, atol=10 * CLOSE)
    np.testing.assert_allclose(np.cross(p, v)[:, 2], np.cross(p[0], v[0])[2], atol=10 * CLOSE)
    np.testing.assert_allclose(r.force("s.spring"), k * (length - l0), atol=k * CLOSE)  # tension is positive


def test_spring_and_damper_pass_through_zero_length():
    """With free length 0 the pull is k d + c d' in vectors, whatever the direction: a damped oscillator through the origin."""
    k, c, mass, start = 40.0, 0.6, 2.0, np.array([0.3, -0.4, 0.5])
    m = SpatialModel("through zero", gravity=WEIGHTLESS)
    m.body("b", position=tuple(start), mass=mass, inertia=0.1)
    m.spring("s", "ground", "b", stiffness=k, damping=c, free_length=0.0)
    decay = c / (2.0 * mass)
    w = math.sqrt(k / mass - decay**2)
    r = m.simulate(4.0, samples=81, **TIGHT)
    amplitude = np.exp(-decay * r.times) * (np.cos(w * r.times) + decay / w * np.sin(w * r.times))
    assert (np.diff(np.sign(amplitude)) != 0).sum() >= 5  # zero length is passed several times
    np.testing.assert_allclose(r.q[:, :3], amplitude[:, None] * start, atol=CLOSE)
    assert np.abs(r.energy.balance).max() < 10 * CLOSE


def hinged(kind="revolute", *, gravity=WEIGHTLESS, spin=0.0, **joint):
    """A turned body on a tilted axis through its centroid; returns the model and its inertia about the axis."""
    m = SpatialModel("hinged", gravity=gravity)
    inertia = np.diag([0.2, 0.3, 0.45])
    axis = np.array(TURN).T @ TILTED
    m.body("b", position=(1.0, 2.0, 3.0), rotation=TURN, mass=2.0, inertia=inertia, omega=tuple(spin * axis))
    getattr(m, kind)("A", "ground", "b", at=(1.0, 2.0, 3.0), axis=TILTED, **joint)
    return m, float(axis @ inertia @ axis)


def test_torsion_spring_swings_through_several_turns():
    """Slack three turns back: theta = -6 pi + 6 pi cos(w t), which only a counted angle can do."""
    m, J = hinged()
    m.torsion_spring("s", "A", stiffness=1.7, free_angle=-6.0 * math.pi)
    w = math.sqrt(1.7 / J)
    r = m.simulate(4.0 * math.pi / w, samples=201, **TIGHT)
    expected = 6.0 * math.pi * (np.cos(w * r.times) - 1.0)
    # an angle of 40 rad is that much larger than one
    np.testing.assert_allclose(r.series("s.angle").value, expected, atol=40 * CLOSE)
    np.testing.assert_allclose(r.force("s.spring"), 1.7 * (expected + 6.0 * math.pi), atol=100 * CLOSE)
    np.testing.assert_allclose(r.energy.stored, 0.5 * 1.7 * (expected + 6.0 * math.pi) ** 2, atol=1000 * CLOSE)


def test_torsion_damper_takes_energy_out():
    """Haug's corrected sign (A.2): thetadot grows with the second body's rotation, so that the damper brakes."""
    k, c = 1.7, 0.08
    m, J = hinged(spin=12.0)
    m.torsion_spring("s", m["A"], stiffness=k, damping=c)
    decay = c / (2.0 * J)
    w = math.sqrt(k / J - decay**2)
    r = m.simulate(6.0, samples=121, **TIGHT)
    expected = 12.0 / w * np.exp(-decay * r.times) * np.sin(w * r.times)
    assert expected.max() > math.pi  # more than half a turn
    np.testing.assert_allclose(r.series("A.angle").value, expected, atol=10 * CLOSE)
    assert np.all(np.diff(r.energy.dissipated) > -1e-12)  # rounding
    assert np.abs(r.energy.balance).max() < 100 * CLOSE


@pytest.mark.parametrize("kind, lead", [("cylindrical", 0.0), ("screw", 0.3)])
def test_torsion_spring_of_other_joints(kind, lead):
    """On a screw the mass rides along: (J + m h²) theta'' = -k theta with h = lead / 2 pi."""
    joint = {"lead": lead} if kind == "screw" else {}
    m, J = hinged(kind, **joint)
    m.torsion_spring("s", "A", stiffness=2.0, free_angle=1.0)
    w = math.sqrt(2.0 / (J + 2.0 * (lead / (2.0 * math.pi)) ** 2))
    r = m.simulate(4.0, samples=41, **TIGHT)
    np.testing.assert_allclose(r.series("A.angle").value, 1.0 - np.cos(w * r.times), atol=CLOSE)
    np.testing.assert_allclose(
        r.series("A.distance").value, lead / (2.0 * math.pi) * (1.0 - np.cos(w * r.times)), atol=CLOSE
    )


def test_torsion_spring_of_a_measured_angle():
    m = SpatialModel("angle", gravity=WEIGHTLESS)
    m.body("b", mass=1.0, inertia=0.4)
    m.torsion_spring("s", m.angle_between("ground", "b", "y"), stiffness=3.0, free_angle=0.5)
    r = m.simulate(3.0, samples=31, **TIGHT)
    expected = 0.5 * (1.0 - np.cos(math.sqrt(3.0 / 0.4) * r.times))
    np.testing.assert_allclose(r.series("s.angle").value, expected, atol=CLOSE)
    np.testing.assert_allclose(rotations_of(r).as_rotvec()[:, 1], expected, atol=CLOSE)


# --- bushings -----------------------------------------------------------------------------------------------------------

STIFF6 = (40.0, 90.0, 160.0, 2.0, 5.0, 9.0)
DAMP6 = (1.0, 0.5, 2.0, 0.04, 0.1, 0.2)
MASS6 = (2.0, 2.0, 2.0, 0.2, 0.3, 0.4)


def on_bushing(**changes):
    """A body at rest in a bushing whose axes are its own principal axes, all turned in space."""
    m = SpatialModel("bushing", gravity=WEIGHTLESS)
    given = {"position": (0.2, 0.1, -0.3), "rotation": TURN, "mass": MASS6[0], "inertia": MASS6[3:], **changes}
    m.body("b", **given)
    z, x = np.array(TURN)[:, 2], np.array(TURN)[:, 0]
    i = m.ground.marker((0.2, 0.1, -0.3), axis=tuple(z), x=tuple(x))
    return m, i, m["b"].marker(axis="z", x="x")


@pytest.mark.parametrize("k", range(6))
@pytest.mark.parametrize("damped", [False, True])
def test_bushing_swings_in_each_of_six_directions(k, damped):
    """Along a principal direction the motion is linear at any amplitude below half a turn: 2.4 rad here."""
    kick = {"velocity": tuple(0.7 * np.array(TURN)[:, k])} if k < 3 else {"omega": tuple(7.5 * np.eye(3)[k - 3])}
    m, i, j = on_bushing(**kick)
    c = DAMP6[k] if damped else 0.0
    dampers = {"damping": DAMP6[:3], "rotational_damping": DAMP6[3:]} if damped else {}
    m.bushing("B", i, j, stiffness=STIFF6[:3], rotational_stiffness=STIFF6[3:], **dampers)
    decay = c / (2.0 * MASS6[k])
    w = math.sqrt(STIFF6[k] / MASS6[k] - decay**2)
    r = m.simulate(3.0, samples=61, **TIGHT)
    speed = 0.7 if k < 3 else 7.5
    expected = speed / w * np.exp(-decay * r.times) * np.sin(w * r.times)
    if k < 3:
        got = np.column_stack([r.series(f"B.{key}").value for key in "xyz"])
        np.testing.assert_allclose(r.force("B.spring"), STIFF6[k] * np.abs(expected), atol=1e-5)  # k times CLOSE, twice
    else:
        got = (Rotation.from_matrix(TURN).inv() * rotations_of(r)).as_rotvec()
        assert np.abs(expected).max() < math.pi
    np.testing.assert_allclose(got, np.outer(expected, np.eye(3)[k % 3]), atol=10 * CLOSE)
    assert np.abs(r.energy.balance).max() < 100 * CLOSE


def test_bushing_with_anisotropic_stiffness_keeps_energy_at_large_rotations():
    """Two free bodies: energy from an independent rotation vector, momentum and angular momentum."""
    K = np.array([[60.0, 10.0, -5.0], [10.0, 40.0, 8.0], [-5.0, 8.0, 90.0]])
    Kr = np.array([[4.0, 1.5, 0.0], [1.5, 7.0, -1.0], [0.0, -1.0, 2.0]])
    m = SpatialModel("two bodies", gravity=WEIGHTLESS)
    a = m.body("a", mass=1.0, inertia=(0.6, 0.8, 1.0), omega=(0.5, -1.0, 0.8), velocity=(0.2, 0.0, 0.1))
    b = m.body("b", position=(0.5, 0.1, 0.0), rotation=TURN, mass=2.0, inertia=(1.0, 0.7, 0.9), omega=(-1.5, 0.6, 1.0))
    i, j = a.marker((0.3, 0.0, 0.1), axis=TILTED), b.marker((-0.2, 0.1, 0.0), axis="y")
    m.bushing("B", i, j, stiffness=K, rotational_stiffness=Kr)
    r = m.simulate(6.0, samples=201, **TIGHT)
    A, B = rotations_of(r, 0).as_matrix(), rotations_of(r, 1).as_matrix()
    pa, pb = r.q[:, :3], r.q[:, 7:10]
    axes = A @ np.array(i.axes)
    u = np.einsum("nji,nj->ni", axes, pb + B @ j.local - pa - A @ i.local)
    theta = Rotation.from_matrix(np.swapaxes(axes, 1, 2) @ B @ np.array(j.axes)).as_rotvec()
    assert 2.0 < np.linalg.norm(theta, axis=1).max() < 3.1  # large, but the short way round stays the same
    stored = 0.5 * np.einsum("ni,ij,nj->n", u, K, u) + 0.5 * np.einsum("ni,ij,nj->n", theta, Kr, theta)
    va, wa, vb, wb = r.v[:, :3], r.v[:, 3:6], r.v[:, 6:9], r.v[:, 9:12]
    Ja, Jb = np.array([0.6, 0.8, 1.0]), np.array([1.0, 0.7, 0.9])
    kinetic = 0.5 * (va**2).sum(1) + (vb**2).sum(1) + 0.5 * (wa**2 @ Ja) + 0.5 * (wb**2 @ Jb)
    # energies of some 30 J
    np.testing.assert_allclose(r.energy.stored, stored, atol=100 * CLOSE)
    np.testing.assert_allclose(kinetic + stored, kinetic[0] + stored[0], atol=100 * CLOSE)
    np.testing.assert_allclose(va + 2.0 * vb, np.tile(va[0] + 2.0 * vb[0], (len(r), 1)), atol=10 * CLOSE)
    spin = np.cross(pa, va) + np.cross(pb, 2.0 * vb)
    spin += np.einsum("nij,nj->ni", A, wa * Ja) + np.einsum("nij,nj->ni", B, wb * Jb)
    np.testing.assert_allclose(spin, np.tile(spin[0], (len(r), 1)), atol=100 * CLOSE)


def test_stiffening_a_bushing_during_the_run_is_booked_as_work_put_in():
    """Stiffness from 40 to 160 N/m at the first turning point: the frequency doubles, the amplitude stays."""
    m, i, j = on_bushing(velocity=tuple(0.7 * np.array(TURN)[:, 0]))
    m.bushing("B", i, j, stiffness=40.0, rotational_stiffness=2.0)
    w = math.sqrt(40.0 / MASS6[0])
    turning = 0.5 * math.pi / w
    event = Event("stiffer", f"t - {turning!r}", change={"B": {"stiffness": 160.0}})
    r = m.simulate(times=[0.0, 0.5 * turning, 1.5 * turning, 2.0 * turning], events=[event], **TIGHT)
    expected = 0.7 / w * np.array([0.0, math.sin(0.25 * math.pi), math.cos(0.5 * math.pi), math.cos(math.pi)])
    np.testing.assert_allclose(r.series("B.x").value, expected, atol=CLOSE)
    np.testing.assert_allclose(
        r.energy.stored, 0.5 * np.array([40.0, 40.0, 160.0, 160.0]) * expected**2, atol=10 * CLOSE
    )
    assert r.energy.input[-1] == pytest.approx(0.5 * 120.0 * (0.7 / w) ** 2, abs=10 * CLOSE)
    assert np.abs(r.energy.balance).max() < 10 * CLOSE


# --- loads --------------------------------------------------------------------------------------------------------------


def test_follower_force_drives_a_spinning_body_in_a_circle():
    """Thrust along the body's x, spin w about its z: with the right start a circle of radius F / (m w²)."""
    F, mass, w = 3.0, 2.0, 4.0
    A = np.array(TURN)
    m = SpatialModel("thruster", gravity=WEIGHTLESS)
    m.body("b", rotation=TURN, mass=mass, inertia=0.5, velocity=tuple(-F / (mass * w) * A[:, 1]), omega=(0.0, 0.0, w))
    m.force("F", "b", (F, 0.0, 0.0), frame="body")
    r = m.simulate(3.0, samples=61, **TIGHT)
    radius = F / (mass * w**2)
    circle = radius * np.outer(1.0 - np.cos(w * r.times), A[:, 0]) - radius * np.outer(np.sin(w * r.times), A[:, 1])
    np.testing.assert_allclose(r.q[:, :3], circle, atol=CLOSE)
    np.testing.assert_allclose(r.energy.input, 0.0, atol=CLOSE)  # always across the velocity


def test_force_in_space_with_formulas():
    """m x'' = a t, m y'' = -k y, m z'' = -c z'."""
    m = SpatialModel("formulas", gravity=WEIGHTLESS)
    m.body("b", position=(0.0, 0.5, 0.0), mass=2.0, inertia=1.0, velocity=(0.0, 0.0, 3.0))
    m.force("F", "b", ("6*t", "-18*b.y", "-4*b.vz"))
    r = m.simulate(2.0, samples=21, **TIGHT)
    t = r.times
    np.testing.assert_allclose(
        r.q[:, :3], np.column_stack([0.5 * t**3, 0.5 * np.cos(3.0 * t), 1.5 * (1.0 - np.exp(-2.0 * t))]), atol=CLOSE
    )


def test_force_off_the_centroid_turns_the_body():
    m = SpatialModel("lever", gravity=WEIGHTLESS)
    body = m.body("b", mass=2.0, inertia=(0.5, 0.6, 0.7))
    m.force("F", body.at(0.2, 0.0, 0.0), (0.0, 1.0, 0.0), frame="body")
    r = m.simulate(1.0, samples=11, **TIGHT)
    np.testing.assert_allclose(r.v[:, 3:], np.outer(0.2 / 0.7 * r.times, [0.0, 0.0, 1.0]), atol=CLOSE)


@pytest.mark.parametrize("frame", ["space", "body"])
def test_constant_torque_spins_a_ball_up(frame):
    """Equal moments of inertia: w = N t / J about a direction that is fixed in space and, starting from rest, in the body."""
    m = SpatialModel("spin-up", gravity=WEIGHTLESS)
    m.body("b", rotation=TURN, mass=1.0, inertia=0.4)
    N = np.array([0.3, -0.5, 0.2])
    m.torque("T", "b", tuple(N), frame=frame)
    r = m.simulate(4.0, samples=21, **TIGHT)
    direction = N if frame == "space" else np.array(TURN) @ N
    np.testing.assert_allclose(omega_of(r), np.outer(r.times / 0.4, direction), atol=10 * CLOSE)
    np.testing.assert_allclose(r.energy.input, 0.5 / 0.4 * (N @ N) * r.times**2, atol=10 * CLOSE)


@pytest.mark.parametrize("frame", ["space", "body"])
def test_torque_with_a_reaction_leaves_the_angular_momentum_alone(frame):
    m = SpatialModel("wheel", gravity=WEIGHTLESS)
    m.body("carrier", position=(0.0, 0.0, 1.0), mass=1.0, inertia=(0.4, 0.5, 0.6))
    m.body("wheel", rotation=TURN, mass=1.0, inertia=(0.1, 0.1, 0.15), omega=(1.0, 0.5, 2.0))
    m.torque("T", "wheel", (0.05, "0.1*sin(t)", 0.2), frame=frame, reaction_on="carrier")
    r = m.simulate(3.0, samples=31, **TIGHT)
    L = rotations_of(r, 0).apply(r.v[:, 3:6] * [0.4, 0.5, 0.6])
    L += rotations_of(r, 1).apply(r.v[:, 9:12] * [0.1, 0.1, 0.15])
    np.testing.assert_allclose(L, np.tile(L[0], (len(r), 1)), atol=10 * CLOSE)
    assert np.linalg.norm(r.v[-1, 3:6]) > 0.3  # something happens
    assert np.abs(r.energy.balance).max() < 10 * CLOSE


def test_motor_with_a_falling_torque_speed_curve():
    """J w' = T - c w: w = T/c (1 - exp(-c t / J))."""
    m, J = hinged()
    m.motor("M", "A", "5 - 0.4*A.angle.rate")
    r = m.simulate(4.0, samples=41, **TIGHT)
    speed = 5.0 / 0.4 * (1.0 - np.exp(-0.4 / J * r.times))
    np.testing.assert_allclose(r.series("A.angle").rate, speed, atol=10 * CLOSE)
    angle = 5.0 / 0.4 * (r.times - J / 0.4 * (1.0 - np.exp(-0.4 / J * r.times)))
    np.testing.assert_allclose(r.series("M.angle").value, angle, atol=100 * CLOSE)  # some 40 rad
    np.testing.assert_allclose(r.force("M.torque"), 5.0 - 0.4 * speed, atol=10 * CLOSE)


def test_motor_of_a_slide_pushes():
    m, _ = hinged("prismatic")
    m.motor("M", "A", 3.0)
    r = m.simulate(2.0, samples=11, **TIGHT)
    np.testing.assert_allclose(r.series("A.distance").value, 0.5 * 3.0 / 2.0 * r.times**2, atol=CLOSE)
    np.testing.assert_allclose(r.force("M.force"), 3.0, rtol=0.0)


def test_motor_turns_a_screw():
    """(J + m h²) theta'' = T, h = lead / 2 pi."""
    m, J = hinged("screw", lead=0.5)
    m.motor("M", "A", 1.5)
    h = 0.5 / (2.0 * math.pi)
    r = m.simulate(2.0, samples=11, **TIGHT)
    np.testing.assert_allclose(r.series("A.angle").value, 0.5 * 1.5 / (J + 2.0 * h**2) * r.times**2, atol=10 * CLOSE)


def test_falling_body_reaches_its_terminal_speed():
    """v = v_t tanh(g t / v_t), v_t² = 2 m g / (c_d rho A)."""
    m = SpatialModel("parachute")
    m.body("b", mass=80.0, inertia=10.0)
    m.drag("D", "b", coefficient=1.2, area=25.0)
    vt = math.sqrt(2.0 * 80.0 * G / (1.2 * 1.225 * 25.0))
    r = m.simulate(6.0, samples=61, **TIGHT)
    np.testing.assert_allclose(r.v[:, 2], -vt * np.tanh(G * r.times / vt), atol=10 * CLOSE)
    assert r.force("D")[-1] == pytest.approx(80.0 * G, rel=4.0 * math.exp(-2.0 * G * 6.0 / vt) + 1e-8)
    assert np.abs(r.energy.balance).max() < 1e-4  # of 20 kJ


def test_wind_carries_a_body_along():
    """Velocity relative to the wind: |w| = w0 / (1 + k w0 t / m), its direction stays."""
    mass, wind = 0.5, np.array([3.0, -1.0, 2.0])
    k = 0.5 * 0.47 * 1.225 * 0.3
    m = SpatialModel("leaf", gravity=WEIGHTLESS)
    m.body("b", mass=mass, inertia=0.1, velocity=(0.0, 1.0, 0.0))
    m.drag("D", "b", coefficient=0.47, area=0.3, wind=tuple(wind))
    r = m.simulate(5.0, samples=51, **TIGHT)
    start = np.array([0.0, 1.0, 0.0]) - wind
    share = 1.0 / (1.0 + k * np.linalg.norm(start) * r.times / mass)
    np.testing.assert_allclose(r.v[:, :3], wind + np.outer(share, start), atol=CLOSE)


# --- contacts -----------------------------------------------------------------------------------------------------------


def ball(height, *, mass=0.5, radius=0.1, normal=(0.0, 0.0, 1.0), gravity=(0.0, 0.0, -G), **given):
    """A solid ball whose centre is at a height along the normal of a plane through the origin."""
    m = SpatialModel("ball", gravity=gravity)
    body = {"mass": mass, "inertia": 0.4 * mass * radius**2, **given.pop("body", {})}
    m.body("b", position=tuple(height * np.array(normal)), **body)
    m.contact_sphere_plane("c", "b", "ground", radius=radius, at=(0.0, 0.0, 0.0), normal=normal, **given)
    return m


@pytest.mark.parametrize("law", ["linear", "hertz"])
def test_elastic_ball_comes_back_to_its_height(law):
    m = ball(0.6, stiffness=1e5 if law == "linear" else 1e6, law=law)
    r = m.simulate(2.0, samples=2001, **TIGHT)
    gap = r.series("c.gap").value
    np.testing.assert_allclose(gap, r.q[:, 2] - 0.1, atol=1e-15)
    free = gap > 0.0
    bounces = (np.diff(np.sign(r.v[:, 2])) > 0).sum()
    assert bounces >= 2
    energy = 0.5 * r.v[:, 2] ** 2 + G * r.q[:, 2]
    np.testing.assert_allclose(energy[free], G * 0.6, atol=10 * CLOSE)
    assert np.all(r.force("c.normal")[free] == 0.0)


def rebound(speed, factor):
    """Speed after an impact with F = k d^p (1 + factor d'): m v dv / (1 + c v) = -k d^p dd, whatever k and p."""
    potential = lambda v: v / factor - math.log1p(factor * v) / factor**2  # noqa: E731
    return brentq(lambda u: potential(-u) - potential(speed), 1e-9, min(speed, 1.0 / factor - 1e-12), xtol=1e-14)


def strike(speed, **law):
    """Speed along a tilted normal after an impact along it."""
    n = np.array(TILTED)
    m = ball(0.11, normal=TILTED, gravity=WEIGHTLESS, body={"velocity": tuple(-speed * n)}, stiffness=1e6, **law)
    r = m.simulate(0.01 / speed + 0.05, samples=2, **TIGHT)
    np.testing.assert_allclose(np.cross(r.v[-1, :3], n), 0.0, atol=1e-9)
    return float(r.v[-1, :3] @ n)


def test_hunt_crossley_gives_its_own_rebound():
    got = strike(2.0, law="hunt_crossley", damping=0.2)
    assert got == pytest.approx(rebound(2.0, 0.2), rel=1e-7)  # error control of 1e-11 over some 50 steps


@pytest.mark.parametrize("speed", [0.3, 3.0])
@pytest.mark.parametrize("e", [0.2, 0.8])
def test_the_restitution_typed_comes_out(speed, e):
    for law in ("lankarani_nikravesh", "hunt_crossley"):
        assert strike(speed, law=law, restitution=e) == pytest.approx(e * speed, rel=1e-6)
    classic = strike(speed, law="classic_lankarani_nikravesh", restitution=e)
    assert classic == pytest.approx(rebound(speed, 0.75 * (1.0 - e**2) / speed), rel=1e-7)


ROLL = {"stiffness": 2e5, "friction": 0.3, "stick_speed": 1e-3}


def thrown(velocity, omega=(0.0, 0.0, 0.0)):
    """A ball that slides on the ground, sunk in by its weight so that it does not hop; its arm from centre to ground."""
    arm = 0.1 - 0.5 * G / ROLL["stiffness"]
    return ball(arm, body={"velocity": velocity, "omega": omega}, **ROLL), arm


def test_ball_thrown_sliding_comes_to_roll_with_five_sevenths_of_its_speed():
    v0 = np.array([1.6, 1.2, 0.0])
    m, arm = thrown(tuple(v0))
    stops_sliding = 2.0 / 7.0 * 2.0 / (0.3 * G)
    r = m.simulate(times=[0.0, 0.5 * stops_sliding, 0.9 * stops_sliding, 1.5 * stops_sliding], **TIGHT)
    # while it slides: mu g against the velocity; tanh(2 slip / stick speed) differs from 1 by less than 1e-100
    sliding = 1.0 - 0.3 * G * r.times[1:3] / 2.0
    np.testing.assert_allclose(r.v[1:3, :3], np.outer(sliding, v0), atol=10 * CLOSE)
    # angular momentum about the contact is kept; the arm is shorter than the radius by the sinking in
    share = 1.0 / (1.0 + 0.4 * (0.1 / arm) ** 2)
    assert share == pytest.approx(5.0 / 7.0, rel=2e-4)  # 0.25 promille of sinking in
    np.testing.assert_allclose(r.v[-1, :3], share * v0, atol=1e-6)
    slip = r.v[-1, :3] + np.cross(omega_of(r)[-1], [0.0, 0.0, -arm])
    np.testing.assert_allclose(slip, 0.0, atol=1e-6)
    assert np.abs(r.energy.balance).max() < 10 * CLOSE


def test_ball_with_side_spin_curves_and_then_rolls_straight():
    """v_f (J/a + m a) = m a v0 + J w0 x n, whatever friction does in between (moment about the contact)."""
    v0, w0 = np.array([1.5, 0.0, 0.0]), np.array([20.0, 5.0, 7.0])
    m, arm = thrown(tuple(v0), tuple(w0))
    r = m.simulate(1.5, samples=31, **TIGHT)
    J = 0.4 * 0.5 * 0.1**2
    final = (0.5 * arm * v0 + J * np.cross(w0, [0.0, 0.0, 1.0])) / (J / arm + 0.5 * arm)
    np.testing.assert_allclose(r.v[-1, :3], final, atol=1e-6)  # the slip dies away exponentially
    np.testing.assert_allclose(omega_of(r)[:, 2], 7.0, atol=10 * CLOSE)  # nothing turns it about the normal
    heading = np.arctan2(r.v[:, 1], r.v[:, 0])
    assert abs(heading[-1] - heading[0]) > 0.1


def spheres(first, second, *, law, offset=0.0, **given):
    m = SpatialModel("spheres", gravity=WEIGHTLESS)
    u, w = np.array(TILTED), np.array([-0.8, 0.0, 0.6])
    m.body("one", position=tuple(offset * w), mass=first[0], inertia=0.004, velocity=tuple(first[1] * u))
    m.body("two", position=tuple(0.5 * u), mass=second[0], inertia=0.01, velocity=tuple(second[1] * u))
    m.contact_sphere_sphere("c", "one", "two", radii=(0.1, 0.2), stiffness=1e6, law=law, **given)
    return m, u


def test_elastic_spheres_exchange_momentum():
    """u1' = ((m1 - m2) u1 + 2 m2 u2) / (m1 + m2)."""
    m, u = spheres((1.0, 2.0), (3.0, -0.5), law="hertz")
    r = m.simulate(0.3, samples=4, **TIGHT)
    assert r.series("c.gap").value[0] == pytest.approx(0.2, abs=1e-15)
    np.testing.assert_allclose(r.v[-1, :3], ((1.0 - 3.0) * 2.0 - 3.0) / 4.0 * u, atol=10 * CLOSE)
    np.testing.assert_allclose(r.v[-1, 6:9], ((3.0 - 1.0) * -0.5 + 4.0) / 4.0 * u, atol=10 * CLOSE)
    assert r.energy.kinetic[-1] == pytest.approx(r.energy.kinetic[0], rel=1e-7)


def test_spheres_part_with_the_restitution_typed():
    """The relative speed comes back e times as large; momentum is kept."""
    e, approach = 0.7, 2.5
    m, u = spheres((1.0, 2.0), (3.0, -0.5), law="lankarani_nikravesh", restitution=e)
    r = m.simulate(0.3, samples=2, **TIGHT)
    out = e * approach
    one, two = r.v[-1, :3], r.v[-1, 6:9]
    # error control of 1e-11 over some 50 steps of stiff contact
    np.testing.assert_allclose(two - one, out * u, atol=1e-6)
    np.testing.assert_allclose(one + 3.0 * two, (2.0 - 1.5) * u, atol=10 * CLOSE)
    lost = 0.5 * 0.75 * (approach**2 - out**2)
    assert r.energy.kinetic[0] - r.energy.kinetic[-1] == pytest.approx(lost, rel=1e-6)
    assert r.energy.dissipated[-1] == pytest.approx(lost, rel=1e-6)


def test_oblique_collision_with_friction_keeps_momentum_and_angular_momentum():
    m, _ = spheres((1.0, 2.0), (3.0, -0.5), law="hertz", offset=0.1, friction=0.2)
    r = m.simulate(0.4, samples=5, **TIGHT)
    momentum = r.v[:, :3] + 3.0 * r.v[:, 6:9]
    spin = np.cross(r.q[:, :3], r.v[:, :3]) + np.cross(r.q[:, 7:10], 3.0 * r.v[:, 6:9])
    spin += 0.004 * omega_of(r, 0) + 0.01 * omega_of(r, 1)
    np.testing.assert_allclose(momentum, np.tile(momentum[0], (5, 1)), atol=10 * CLOSE)
    np.testing.assert_allclose(spin, np.tile(spin[0], (5, 1)), atol=10 * CLOSE)
    assert np.linalg.norm(omega_of(r, 0)[-1]) > 1.0  # friction made it spin
    assert r.energy.dissipated[-1] > 0.01
    assert np.abs(r.energy.balance).max() < 10 * CLOSE


# --- friction in joints, stops --------------------------------------------------------------------------------------------


def test_pin_friction_spins_a_wheel_down():
    """Horizontal axis through the centroid: pin load m g, torque mu r m g, then it stands."""
    m = SpatialModel("wheel")
    m.body("b", mass=5.0, inertia=(0.1, 0.05, 0.05), omega=(10.0, 0.0, 0.0))
    m.revolute("A", "ground", "b", at=(0.0, 0.0, 0.0), axis="x")
    m.joint_friction("f", "A", friction=0.15, radius=0.02)
    rate = 0.15 * 0.02 * 5.0 * G / 0.1
    stop = 10.0 / rate
    r = m.simulate(times=[0.0, 0.5 * stop, 0.99 * stop, 1.2 * stop])
    # default tolerances of 1e-8 over some ten rad/s
    np.testing.assert_allclose(r.v[:3, 3], 10.0 - rate * r.times[:3], atol=1e-6)
    assert abs(r.v[3, 3]) < 1e-3  # the stick rate
    np.testing.assert_allclose(r.force("f")[:3], -rate * 0.1, rtol=1e-6)


def test_axial_load_counts_in_pin_friction():
    """Upright axis: the reaction is all axial and just as large."""
    m = SpatialModel("turntable")
    m.body("b", mass=5.0, inertia=(0.05, 0.05, 0.1), omega=(0.0, 0.0, 10.0))
    m.revolute("A", "ground", "b", at=(0.0, 0.0, 0.0), axis="z")
    m.joint_friction("f", "A", friction=0.15, radius=0.02)
    r = m.simulate(1.0, samples=11)
    np.testing.assert_allclose(r.v[:, 5], 10.0 - 0.15 * 0.02 * 5.0 * G / 0.1 * r.times, atol=1e-6)


def test_slide_friction_decelerates_with_mu_g():
    """On a slope of angle a the normal force is m g cos a."""
    m = SpatialModel("slide")
    m.body("b", mass=3.0, inertia=0.1, velocity=(2.0 * 0.8, 0.0, -2.0 * 0.6))
    m.prismatic("T", "ground", "b", at=(0.0, 0.0, 0.0), axis=(0.8, 0.0, -0.6))
    m.joint_friction("f", "T", friction=0.9)
    slowing = (0.9 * 0.8 - 0.6) * G
    r = m.simulate(times=[0.0, 0.5, 1.0, 1.5])
    np.testing.assert_allclose(r.series("T.distance").rate, 2.0 - slowing * r.times, atol=1e-6)


def test_viscous_joint_friction_decays_exponentially():
    m, J = hinged(spin=5.0)
    m.joint_friction("f", "A", viscous=0.4)
    r = m.simulate(1.0, samples=11, **TIGHT)
    np.testing.assert_allclose(r.series("A.angle").rate, 5.0 * np.exp(-0.4 / J * r.times), atol=CLOSE)


def test_stop_of_an_angle_beyond_one_turn():
    """Free to 7 rad, more than a turn, then back with the same speed; with damping as its law says."""
    for damping, out in ((0.0, 6.0), (0.05, rebound(6.0, 0.05))):
        m, J = hinged(spin=6.0)
        m.end_stop("S", "A.angle", high=7.0, stiffness=4e3, damping=damping)
        reach = 6.0 * math.sqrt(J / 4e3)
        r = m.simulate(2.0, samples=401, **TIGHT)
        angle = r.series("A.angle")
        before = angle.value < 7.0
        np.testing.assert_allclose(np.abs(angle.rate[before & (r.times < 1.1)]), 6.0, atol=10 * CLOSE)
        assert angle.rate[-1] == pytest.approx(-out, rel=1e-7)  # error control of 1e-11 over some 50 steps
        assert 7.0 < angle.value.max() < 7.0 + reach


def test_stick_slip_holds_a_slide_on_a_slope():
    """Below the friction angle a bristle holds the load, bent by load over stiffness."""
    m = SpatialModel("hold")
    m.body("b", mass=1.0, inertia=0.1)
    m.prismatic("T", "ground", "b", at=(0.0, 0.0, 0.0), axis=(0.8, 0.0, -0.6))
    m.stick_slip(
        "f", "T.distance", normal="T.reaction", friction=(0.9, 0.9), bristle_stiffness=1e4, bristle_damping=1e3
    )
    r = m.simulate(2.0, samples=11)
    # over-damped: it settles with the rate 1e4/1e3 = 10/s, e^-20 after 2 s
    assert r.force("f")[-1] == pytest.approx(-0.6 * G, rel=1e-6)
    assert r.series("T.distance").value[-1] == pytest.approx(0.6 * G / 1e4, rel=1e-6)
    assert abs(r.series("T.distance").rate[-1]) < 1e-9
