"""Motions in space that can be written down: spinning bodies, tops, pendulums on balls, rolling balls and discs."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.optimize import brentq

import pytrammel as tm
from spatial_models import G, Y, Z, heavy_top, turn

QUIET = {"progress": False}
TIGHT = {"rtol": 1e-12, "atol": 1e-13, **QUIET}


# --- free bodies -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("centroid", [(0, 0, 0), (0.3, -0.2, 0.1)])
def test_a_thrown_body_flies_along_a_parabola_and_tumbles_as_if_alone(centroid):
    """Weight acts at the centre of mass wherever the frame stands: the orientation is that of the torque-free body."""
    spin, pose = np.array([0.4, 3.0, 0.2]), turn((0.6, 0.0, 0.8), 0.7)
    m = tm.SpatialModel("thrown")
    start = np.array([1.0, 2.0, 3.0])  # velocity of the centre of mass
    speed = start - pose @ np.cross(spin, centroid)
    m.body("b", rotation=pose, mass=2.0, inertia=(0.1, 0.2, 0.25), centroid=centroid, velocity=speed, omega=spin)
    r = m.simulate(2.0, samples=9, **TIGHT)
    t = r.times[:, None]
    want = pose @ np.array(centroid) + start * t - 0.5 * G * Z * t**2
    np.testing.assert_allclose(r["b"].centroid, want, atol=1e-11)  # rtol 1e-12 of a few metres
    alone = tm.SpatialModel("alone", gravity=(0, 0, 0))
    alone.body("b", rotation=pose, mass=2.0, inertia=(0.1, 0.2, 0.25), omega=spin)
    np.testing.assert_allclose(r["b"].omega_body, alone.simulate(2.0, samples=9, **TIGHT)["b"].omega_body, atol=1e-9)


@pytest.mark.parametrize("axis, stable", [(0, True), (1, False), (2, True)])
def test_only_the_middle_axis_of_inertia_is_unstable(axis, stable):
    """A spin about axis i with a disturbance of 1e-3: bounded by a few 1e-3, or a flip to the other side."""
    omega = np.full(3, 1e-3)
    omega[axis] = 2.0
    m = tm.SpatialModel("racket", gravity=(0, 0, 0))
    m.body("b", mass=1.0, inertia=(1, 2, 3), omega=omega)
    spin = m.simulate(20.0, samples=401, **QUIET)["b"].omega_body
    others = np.delete(spin, axis, axis=1)
    # linear theory: w_j grows to at most sqrt of the ratio of inertia differences, here below 2.5, times the disturbance
    assert (np.abs(others).max() < 5e-3) == stable
    assert (spin[:, axis].min() < -1.9) == (not stable)


# --- one fixed point -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("omega", [(0.3, 1.0, 30.0), (2.0, -1.0, 8.0)])
def test_top_with_its_frame_at_the_tip_and_at_the_centroid(omega):
    """One motion, two descriptions of it: the same orientations, and the same force in the tip."""
    tip, centre = (heavy_top(omega, frame=f).simulate(1.0, samples=21, **TIGHT) for f in ("tip", "centroid"))
    assert centre.dynamics.changed == ()
    np.testing.assert_allclose(tip["top"].matrix, centre["top"].matrix, atol=1e-9)
    np.testing.assert_allclose(tip["top"].omega_body, centre["top"].omega_body, atol=1e-8)
    np.testing.assert_allclose(tip["top"].alpha_body, centre["top"].alpha_body, atol=1e-7)  # alpha of some 100 rad/s²
    np.testing.assert_allclose(tip["top"].centroid, centre["top"].position, atol=1e-9)
    np.testing.assert_allclose(tip.reaction("O").force, centre.reaction("O").force, atol=1e-7)
    np.testing.assert_allclose(tip.energy.total, centre.energy.total, atol=1e-9)


@pytest.mark.parametrize("omega", [(0.3, 1.0, 30.0), (2.0, -1.0, 8.0)])
def test_top_keeps_the_three_integrals_of_lagrange(omega):
    r = heavy_top(omega).simulate(2.0, samples=41, **TIGHT)
    np.testing.assert_allclose(r.energy.total, r.energy.total[0], atol=1e-9)
    np.testing.assert_allclose(r.angular_momentum[:, 2], r.angular_momentum[0, 2], atol=1e-10)
    np.testing.assert_allclose(r["top"].omega_body[:, 2], omega[2], atol=1e-9)


def test_sleeping_top_wakes_below_the_critical_spin():
    """An upright top is stable above (C n)² = 4 A m g l: 44.3 rad/s for diag(.05, .05, .01), 0.2 m, 1 kg."""
    critical = math.sqrt(4 * 0.05 * G * 0.2) / 0.01
    tilts = {}
    for factor in (0.9, 1.1):
        r = heavy_top((1e-3, 0, factor * critical), tilt=0.0).simulate(10.0, samples=501, **QUIET)
        tilts[factor] = np.arccos(np.clip(r["top"].matrix[:, 2, 2], -1, 1)).max()
    assert tilts[0.9] > 0.3  # falls far
    assert tilts[1.1] < 1e-3  # linear theory: the kick over A times the smallest frequency difference


@pytest.mark.parametrize("kind", ["link", "ball"])
def test_spherical_pendulum_between_its_turning_heights(kind):
    """1 kg on 1 m: z'² = 2 (e - g z)(1 - z²) - h², periodic between two roots; the period is a quadrature.

    On a link the bob is a point mass. On a ball joint its inertia j (the same about all axes) turns with it: without spin about
    its arm it moves as a point mass under g / (1 + j).
    """
    start, speed = np.array([math.sin(1.0), 0.0, -math.cos(1.0)]), 1.5
    j = 0.0 if kind == "link" else 0.1
    m = tm.SpatialModel("spherical pendulum")
    spin = (0, 0, 0) if kind == "link" else np.cross(start, (0, speed, 0))
    m.body("bob", position=start, mass=1.0, inertia=0.1, velocity=(0, speed, 0), omega=spin)
    if kind == "link":
        m.link("rod", m.ground.at(0, 0, 0), m["bob"].at(0, 0, 0))
    else:
        m.spherical("rod", m.ground, "bob", at=(0, 0, 0))
    g = G / (1 + j)
    e, h = 0.5 * speed**2 + g * start[2], speed * start[0]

    def square(z):
        return 2 * (e - g * z) * (1 - z * z) - h * h

    low, high = brentq(square, -1, start[2] - 1e-6, xtol=1e-15), start[2]
    if square(start[2] + 1e-6) > 0:
        low, high = start[2], brentq(square, start[2] + 1e-6, 1, xtol=1e-15)
    middle, half = (high + low) / 2, (high - low) / 2
    # z = middle + half sin u takes the square roots away from the ends
    period = 2 * quad(
        lambda u: half * math.cos(u) / math.sqrt(max(square(middle + half * math.sin(u)), 1e-300)),
        -math.pi / 2 + 1e-9, math.pi / 2 - 1e-9, epsabs=1e-11, epsrel=1e-11,
    )[0]  # fmt: skip
    r = m.simulate(times=[0, period / 2, period, 3 * period], **TIGHT)
    z = r["bob"].position[:, 2]
    other = low if abs(start[2] - high) < 1e-9 else high
    # turning points: an error of the period counts quadratically
    np.testing.assert_allclose(z, [start[2], other, start[2], start[2]], atol=1e-9)
    np.testing.assert_allclose(r.angular_momentum[:, 2], (1 + j) * h, atol=1e-10)
    np.testing.assert_allclose(r.energy.total, (1 + j) * e, atol=1e-9)


# --- rolling ---------------------------------------------------------------------------------------------------------------


def ball_on(normal, *, radius=0.2, share=0.4, mass=3.0, **more):
    m = tm.SpatialModel("ball")
    normal = np.asarray(normal, float)
    m.body("ball", position=radius * normal, mass=mass, inertia=share * mass * radius**2, **more)
    m.rolling_sphere("roll", m.ground, "ball", radius=radius, at=(0, 0, 0), axis=normal)
    return m


@pytest.mark.parametrize("share", [0.4, 2 / 3], ids=["solid", "hollow"])
def test_ball_rolls_down_a_slope(share):
    """g sin a / (1 + k): 5/7 for a solid ball, 3/5 for a hollow one; friction m g sin a · k / (1 + k), normal m g cos a."""
    slope, mass = 0.3, 3.0
    normal, down = np.array([math.sin(slope), 0, math.cos(slope)]), np.array([math.cos(slope), 0, -math.sin(slope)])
    r = ball_on(normal, share=share).simulate(2.0, samples=5, **TIGHT)
    a = G * math.sin(slope) / (1 + share)
    t = r.times[:, None]
    np.testing.assert_allclose(r["ball"].position, 0.2 * normal + 0.5 * a * t**2 * down, atol=1e-10)
    np.testing.assert_allclose(r["ball"].omega, t * a / 0.2 * np.cross(normal, down), atol=1e-10)
    force = r.reaction("roll", on="ball").force
    want = mass * G * (math.cos(slope) * normal - math.sin(slope) * share / (1 + share) * down)
    np.testing.assert_allclose(force, np.tile(want, (5, 1)), atol=1e-10)
    np.testing.assert_allclose(r.energy.total, r.energy.total[0], atol=1e-10)  # rolling friction does no work


def test_ball_on_a_level_plane_keeps_its_spin_about_the_vertical():
    m = ball_on(Z, velocity=(0.5, 0.2, 0), omega=(None, None, 7.0))
    r = m.simulate(3.0, samples=4, **TIGHT)
    np.testing.assert_allclose(r["ball"].position[-1], [1.5, 0.6, 0.2], atol=1e-10)
    np.testing.assert_allclose(r["ball"].omega, np.tile([-0.2 / 0.2, 0.5 / 0.2, 7.0], (4, 1)), atol=1e-10)


DISC = {"mass": 2.0, "radius": 0.3}
A_DISC, C_DISC = 0.25 * 2.0 * 0.09, 0.5 * 2.0 * 0.09


def disc(lean, spin, precession, tip=0.0):
    """Thin disc whose axis leans `lean` from the vertical, spinning at w3 about it while the plane of its lean turns at Ω."""
    e3 = np.array([math.sin(lean), 0, math.cos(lean)])
    e1 = Y
    e2 = np.cross(e3, e1)  # up the disc
    omega = spin * e3 + precession * math.sin(lean) * e2 + tip * e1
    r = DISC["radius"]
    m = tm.SpatialModel("disc")
    pose = np.column_stack([e1, e2, e3])
    m.body(
        "disc", position=(0, 0, r * math.sin(lean)), rotation=pose, mass=DISC["mass"], inertia=(A_DISC, A_DISC, C_DISC),
        omega=pose.T @ omega, velocity=np.cross(omega, r * e2),
    )  # fmt: skip
    m.rolling_disc("roll", m.ground.marker(), m["disc"].marker(), radius=r)
    return m


@pytest.mark.parametrize("lean, precession", [(1.2, 1.5), (0.9, -2.0), (math.pi / 2, 2.0), (2.0, 4.0)])
def test_disc_rolls_round_in_a_circle(lean, precession):
    """Steady rolling: Ω sin θ (C + m r²) w3 = A Ω² sin θ cos θ - m g r cos θ.

    From dH/dt = Ω z x H = e1 Ω (C w3 sin θ - A Ω sin θ cos θ) and the moment of the contact force m (a + g z) about the centre,
    with a = r w3 Ω towards the axis of the circle.
    """
    m_, r_ = DISC["mass"], DISC["radius"]
    s, c = math.sin(lean), math.cos(lean)
    if abs(c) < 1e-12:
        spin, precession = 5.0, 0.0  # upright: straight on, at any speed
    else:
        spin = (A_DISC * precession**2 * s * c - m_ * G * r_ * c) / (precession * s * (C_DISC + m_ * r_**2))
    m = disc(lean, spin, precession)
    period = 2 * math.pi / abs(precession) if precession else 1.0
    run = m.simulate(period, samples=9, **TIGHT)
    assert run.dynamics.changed == ()
    found = run["disc"]
    # an upright disc at 5 rad/s is stable (w3² > m g r A / (C (C + m r²))); a leaning steady motion may be unstable,
    # so that rounding grows by a few digits in a turn
    np.testing.assert_allclose(np.arccos(found.matrix[:, 2, 2]), lean, atol=1e-7)
    speed = -r_ * spin
    if precession:
        centre = np.array([-speed / precession, 0, r_ * s])
        want = np.array([centre + turn(Z, precession * t) @ (-centre * (1, 1, 0)) for t in run.times])
        np.testing.assert_allclose(found.position, want, atol=1e-7)
        force = run.reaction("roll", on="disc").force
        inwards = np.array([turn(Z, precession * t) @ (m_ * r_ * spin * precession, 0, m_ * G) for t in run.times])
        np.testing.assert_allclose(force, inwards, atol=1e-5)
    else:
        np.testing.assert_allclose(found.position[:, 1], speed * run.times, atol=1e-9)
    np.testing.assert_allclose(run.energy.total, run.energy.total[0], atol=1e-9)


def test_disc_that_wobbles_keeps_its_energy_and_does_not_slip():
    run = disc(1.0, 8.0, 2.0, tip=1.5).simulate(3.0, samples=61, **TIGHT)
    np.testing.assert_allclose(run.energy.total, run.energy.total[0], atol=1e-8)
    found = run["disc"]
    assert np.ptp(found.matrix[:, 2, 2]) > 0.1  # it does wobble
    e3 = found.matrix[:, :, 2]
    up = Z - e3 * e3[:, 2:]
    up /= np.linalg.norm(up, axis=1)[:, None]
    contact = found.position - DISC["radius"] * up
    np.testing.assert_allclose(contact[:, 2], 0.0, atol=1e-13)
    slip = found.velocity + np.cross(found.omega, contact - found.position)
    np.testing.assert_allclose(slip, 0.0, atol=1e-11)  # all three rows at velocity level, projected after each step


def test_upright_disc_falls_below_the_critical_speed():
    """Straight rolling is stable for w3² > m g r A / (C (C + m r²)) = g / (3 r) for a thin disc."""
    m_, r_ = DISC["mass"], DISC["radius"]
    critical = math.sqrt(m_ * G * r_ * A_DISC / (C_DISC * (C_DISC + m_ * r_**2)))
    assert critical == pytest.approx(math.sqrt(G / (3 * r_)), rel=1e-12)  # the textbook's g / 3 r
    for factor, stands in ((0.8, False), (1.2, True)):
        run = disc(math.pi / 2 + 1e-5, factor * critical, 0.0).simulate(3.0, samples=301, **QUIET)
        lean = np.abs(np.arccos(run["disc"].matrix[:, 2, 2]) - math.pi / 2)
        assert (lean.max() < 1e-4) == stands


# --- screws, slides, springs -------------------------------------------------------------------------------------------------


def test_nut_runs_down_a_screw():
    """(m + J (2 pi / lead)²) z'' = -m g."""
    lead, J, mass = 0.05, 2e-4, 0.5
    m = tm.SpatialModel("nut")
    m.body("nut", mass=mass, inertia=(1e-4, 1e-4, J))
    m.screw("S", m.ground, "nut", lead=lead, at=(0, 0, 0), axis="z")
    r = m.simulate(1.0, samples=5, **TIGHT)
    a = -mass * G / (mass + J * (2 * math.pi / lead) ** 2)
    np.testing.assert_allclose(r["nut"].position[:, 2], 0.5 * a * r.times**2, atol=1e-11)
    np.testing.assert_allclose(r.series("S.angle").value, 0.5 * a * r.times**2 * 2 * math.pi / lead, atol=1e-9)
    # the thread's moment turns the nut: J angle''
    np.testing.assert_allclose(r.reaction("S", on="nut").moment[:, 2], J * a * 2 * math.pi / lead, atol=1e-10)
    np.testing.assert_allclose(r.reaction("S", on="nut").force[:, 2], mass * (a + G), atol=1e-10)


def test_bifilar_pendulum_twists_at_its_frequency():
    """A bar on two strings of length l at ±b: small twists at w² = m g b² / (J l); swings at g / l."""
    mass, b, length = 2.0, 0.4, 1.5
    J = mass * (1.0**2) / 12
    m = tm.SpatialModel("bifilar")
    m.body("bar", mass=mass, inertia=(1e-3, J, J))
    for side in (-1, 1):
        m.link(f"string{side + 1}", m.ground.at(side * b, 0, length), m["bar"].at(side * b, 0, 0))
    found = m.equilibrium()
    twisting, swinging = math.sqrt(mass * G * b**2 / (J * length)), math.sqrt(G / length)
    have = np.asarray(found.frequencies)
    for want in (twisting, swinging):
        assert np.abs(have - want).min() < 1e-6 * want  # stiffness by differences
    assert found.stable


def test_cardan_suspension_swings_in_both_directions():
    """A bob on a universal joint: (J + m l²) w² = m g l about either arm."""
    mass, length = 1.5, 0.8
    m = tm.SpatialModel("cardan")
    m.body("bob", position=(0, 0, -length), mass=mass, inertia=(0.02, 0.05, 0.04))
    m.universal("U", m.ground, "bob", at=(0, 0, 0), axis="x", second_axis="y")
    want = [math.sqrt(mass * G * length / (J + mass * length**2)) for J in (0.05, 0.02)]
    assert m.equilibrium().frequencies == pytest.approx(want, rel=1e-7)
