"""Contacts with friction, and tyres, against closed forms and conservation laws."""

from __future__ import annotations

import math

import numpy as np
import pytest

import pytrammel as tm

G = 9.81
TIGHT = {"rtol": 1e-10, "atol": 1e-12}
STIFF = 1e6  # contact stiffness for limits "infinitely hard": a kilogram sinks in by 1e-5 m


# --- the ball of problem 10.21 -------------------------------------------------------------------------------------------


def ball(**law):
    m = tm.PlanarModel("ball")
    m.body("ball", position=(0.0, 1.0), mass=0.1, inertia=1e-4)
    m.contact_line("floor", "ball", "ground", radius=0.05, at=(0, 0), axis=(1, 0), stiffness=5000.0, **law)
    return m


def test_damped_ball_leaves_with_the_speed_of_the_clipped_law():
    """Digest §3.7: d = 5 both ways, clipped at zero: leaving speed 3.092210, apex .537348."""
    r = ball(damping=5.0).simulate(0.7, samples=701, **TIGHT)
    y, v = r["ball"].y, r["ball"].vy
    after = r.times > 0.47
    # six printed decimals
    assert math.sqrt(v[-1] ** 2 + 2.0 * G * (y[-1] - 0.05)) == pytest.approx(3.092210, abs=2e-6)
    assert (y + v**2 / (2.0 * G))[after] == pytest.approx(0.537348, abs=1e-6)
    assert r.force("floor.normal").min() >= 0.0  # it never pulls


@pytest.mark.parametrize("method", ["dop853", "dopri5"])
def test_both_methods_bounce_alike(method):
    """Energy is kept over three bounces; each of six kinks costs a few times the tolerance."""
    r = ball().simulate(2.5, samples=26, method=method, **TIGHT)
    free = r["ball"].y > 0.05
    energy = (r["ball"].y + r["ball"].vy ** 2 / (2.0 * G))[free]
    np.testing.assert_allclose(energy, 1.0, atol=1e-7)


# --- Newton's cradle ----------------------------------------------------------------------------------------------------


def cradle(n, incoming, law="linear", gap=0.0, k=1e4):
    """Balls of 1 kg in a row; gap in units of v0 sqrt(m/k)."""
    m = tm.PlanarModel("cradle", gravity=(0.0, 0.0))
    pitch = 0.2 + gap / math.sqrt(k)
    for i in range(n):
        m.body(f"b{i}", position=(i * pitch, 0.0), mass=1.0, inertia=1.0, velocity=(float(i < incoming), 0.0))
    for i in range(n - 1):
        m.contact_discs(f"c{i}", f"b{i}", f"b{i + 1}", radii=(0.1, 0.1), stiffness=k, law=law)
    return m


CRADLES = [
    # digest §3.7, six decimals; "result independent of m, k"
    (2, 1, "linear", 0.0, [0.0, 1.0]),
    (3, 1, "linear", 0.0, [-0.130262, 0.150230, 0.980032]),
    (5, 1, "linear", 0.0, [-0.132279, -0.075329, -0.031011, 0.296218, 0.942402]),
    (5, 2, "linear", 0.0, [-0.170900, -0.049201, 0.382027, 0.660995, 1.177078]),
    (5, 1, "hertz", 0.0, [-0.071085, -0.030274, -0.014464, 0.127045, 0.988777]),
]


@pytest.mark.parametrize("n, incoming, law, gap, speeds", CRADLES)
def test_touching_balls_of_a_cradle_part_with_the_digest_speeds(n, incoming, law, gap, speeds):
    r = cradle(n, incoming, law, gap).simulate(0.5, samples=26, **TIGHT)
    v = r.v[:, ::3]
    np.testing.assert_allclose(v[-1], speeds, atol=2e-6)
    np.testing.assert_allclose(v.sum(axis=1), incoming, atol=1e-11)  # momentum: equal and opposite forces
    assert (v[-1] ** 2).sum() == pytest.approx(incoming, abs=1e-7)  # energy, once all have parted


@pytest.mark.parametrize("gap, last, first", [(0.1, 0.98616, -0.08016), (0.5, 0.99995, -0.00716), (2.0, 1.0, 0.0)])
def test_gaps_restore_one_in_one_out(gap, last, first):
    """Digest §3.7, five decimals."""
    r = cradle(5, 1, gap=gap).simulate(0.5, samples=2, **TIGHT)
    assert r.v[-1, 12] == pytest.approx(last, abs=6e-6)
    assert r.v[-1, 0] == pytest.approx(first, abs=6e-6)


# --- discs ----------------------------------------------------------------------------------------------------------------


def test_unequal_discs_head_on():
    """Elastic: v1 = (m1 - m2) / (m1 + m2), v2 = 2 m1 / (m1 + m2); contact lasts pi sqrt(m12 / k)."""
    m = tm.PlanarModel("head on", gravity=(0.0, 0.0))
    m.body("one", velocity=(1.0, 0.0), mass=3.0, inertia=1.0)
    m.body("two", position=(0.5, 0.0), mass=1.0, inertia=1.0)
    m.contact_discs("c", "one", "two", radii=(0.2, 0.2), stiffness=1e4)
    end = 0.1 + math.pi * math.sqrt(0.75 / 1e4)
    r = m.simulate(times=[0.0, 0.0999999, 0.1 + 0.5 * (end - 0.1), end + 1e-7, 0.2], **TIGHT)
    np.testing.assert_allclose(r.v[-1, ::3], [0.5, 1.5], atol=1e-8)
    np.testing.assert_allclose(r.v[3, ::3], [0.5, 1.5], atol=1e-8)
    # half way through both move with the centre of mass, and the spring holds all the relative energy
    np.testing.assert_allclose(r.v[2, ::3], [0.75, 0.75], atol=1e-8)
    assert r.force("c.normal")[2] == pytest.approx(math.sqrt(0.75 * 1e4), rel=1e-8)


def test_oblique_collision_with_friction_keeps_momentum_and_angular_momentum():
    m = tm.PlanarModel("oblique", gravity=(0.0, 0.0))
    m.body("one", velocity=(2.0, 0.3), omega=4.0, mass=3.0, inertia=0.06)
    m.body("two", position=(0.5, 0.1), omega=-9.0, mass=1.0, inertia=0.02)
    m.contact_discs("c", "one", "two", radii=(0.2, 0.2), stiffness=1e4, friction=0.3)
    r = m.simulate(0.3, samples=31, **TIGHT)
    assert abs(r.v[-1, 4]) > 0.1  # they did meet
    mass, inertia = np.array([3.0, 1.0]), np.array([0.06, 0.02])
    x, y, vx, vy, w = r.q[:, ::3], r.q[:, 1::3], r.v[:, ::3], r.v[:, 1::3], r.v[:, 2::3]
    # exact for equal and opposite forces at one point: only rounding and the quadrature of the work
    for total in (vx @ mass, vy @ mass, (x * vy - y * vx) @ mass + w @ inertia):
        np.testing.assert_allclose(total, total[0], atol=2e-9)
    assert np.abs(r.energy.balance).max() < 1e-6
    assert r.energy.dissipated[-1] > 0.01


# --- inclines and profiles ------------------------------------------------------------------------------------------------


def on_incline(angle, *, radius, inertia=0.004, speed=0.0, spin=0.0, stiffness=STIFF, **law):
    """Disc (or point) of 1 kg on a plane that falls to the right, already sunk in by its weight."""
    c, s = math.cos(angle), math.sin(angle)
    m = tm.PlanarModel("incline")
    off = radius - G * c / stiffness
    m.body("b", position=(off * s, off * c), mass=1.0, inertia=inertia, velocity=(speed * c, -speed * s), omega=spin)
    m.contact_line("c", "b", "ground", radius=radius, at=(0, 0), axis=(c, -s), stiffness=stiffness, **law)
    return m, off


def down(r, angle):
    return r["b"].x * math.cos(angle) - r["b"].y * math.sin(angle)


@pytest.mark.parametrize("radius", [0.1, 0.0])
def test_frictionless_disc_or_point_slides_down(radius):
    angle = tm.deg(25)
    m, _ = on_incline(angle, radius=radius)
    r = m.simulate(1.0, samples=11, **TIGHT)
    np.testing.assert_allclose(down(r, angle), 0.5 * G * math.sin(angle) * r.times**2, atol=1e-8)
    np.testing.assert_allclose(r.force("c.normal"), G * math.cos(angle), rtol=1e-6)
    assert np.abs(r["b"].phi).max() < 1e-12


def test_point_slides_with_friction():
    """a = g (sin - mu cos); 1 m/s is a thousand stick speeds, so the regularised law is saturated."""
    angle, mu = tm.deg(30), 0.3
    m, _ = on_incline(angle, radius=0.0, speed=1.0, friction=mu)
    r = m.simulate(1.0, samples=11, **TIGHT)
    a = G * (math.sin(angle) - mu * math.cos(angle))
    np.testing.assert_allclose(down(r, angle), r.times + 0.5 * a * r.times**2, atol=1e-7)
    # all the energy that is missing is friction: mu N times the way
    way = r.times + 0.5 * a * r.times**2
    np.testing.assert_allclose(r.energy.dissipated, mu * G * math.cos(angle) * way, atol=1e-6)


def test_disc_rolls_down():
    """a = g sin / (1 + J / m r^2); r is the deformed radius. The creep needed for friction is below the stick speed."""
    angle, radius, J = tm.deg(20), 0.1, 0.004
    m, arm = on_incline(angle, radius=radius, inertia=J, friction=0.5, stick_speed=1e-4)
    r = m.simulate(1.0, samples=11)
    a = G * math.sin(angle) / (1.0 + J / arm**2)
    np.testing.assert_allclose(down(r, angle), 0.5 * a * r.times**2, atol=1e-4)  # creep of 1e-4 m/s for 1 s
    np.testing.assert_allclose(-r["b"].omega * arm, a * r.times, atol=2e-4)


@pytest.mark.parametrize("factor, share", [(0.4, 5 / 7), (0.5, 2 / 3)], ids=["ball 5/7", "disc 2/3"])
def test_sliding_wheel_comes_to_roll(factor, share):
    """v = v0 / (1 + J/mr^2) after t = v0 / (mu g (1 + mr^2/J)): 5/7 v0 for a ball, 2/3 v0 for a disc."""
    radius, mu, v0 = 0.1, 0.2, 2.0
    arm = radius - G / STIFF
    m, _ = on_incline(0.0, radius=radius, inertia=factor * arm**2, speed=v0, friction=mu)
    t_roll = v0 / (mu * G * (1.0 + 1.0 / factor))
    r = m.simulate(times=[0.0, 0.5 * t_roll, 0.98 * t_roll, 1.5 * t_roll])
    vx, w = r["b"].vx, r["b"].omega
    # while it slides friction is constant; the law is rounded off below the stick speed of 1e-3
    np.testing.assert_allclose(vx[1:3], v0 - mu * G * r.times[1:3], atol=1e-6)
    np.testing.assert_allclose(w[1:3], -mu * G * r.times[1:3] / (factor * arm), rtol=1e-6)
    assert vx[3] == pytest.approx(share * v0, abs=1e-3 * share)
    assert vx[3] + w[3] * arm == pytest.approx(0.0, abs=1e-3)


def test_tyre_slip_is_linear_up_to_saturation():
    """Slip v: v' = -(1/m + r^2/J) min(beta v, mu N): constant, then exponential (digest §2.2.9)."""
    radius, mu, beta, J, v0 = 0.3, 0.5, 20.0, 0.06, 3.0
    arm = radius - G / STIFF
    m, _ = on_incline(0.0, radius=radius, inertia=J, speed=v0, friction=mu, slip_slope=beta)
    rate = 1.0 + arm**2 / J
    knee = mu * G / beta
    t_knee = (v0 - knee) / (rate * mu * G)
    r = m.simulate(t_knee + 0.1, samples=41, **TIGHT)
    slip = r["b"].vx + arm * r["b"].omega
    t = r.times
    expected = np.where(t < t_knee, v0 - rate * mu * G * t, knee * np.exp(-rate * beta * (t - t_knee)))
    np.testing.assert_allclose(slip, expected, atol=1e-7)


def bowl(radius, R, friction, offset, J):
    """Disc inside a circle whose seam (where its parameter starts over) is at the bottom."""
    m = tm.PlanarModel("bowl")
    m.body("bowl", angle=-0.5 * math.pi)
    m.fix("F", "bowl")
    reach = R - radius + G / STIFF
    m.body("b", position=(reach * math.sin(offset), -reach * math.cos(offset)), mass=1.0, inertia=J)
    m.contact_curve(
        "c", "b", "bowl", curve=tm.curves.circle(R), radius=radius, stiffness=STIFF, side="left", friction=friction,
        stick_speed=3e-3,
    )  # fmt: skip
    return m


def test_disc_at_rest_on_the_seam_of_a_closed_curve_touches_once():
    r = bowl(0.1, 1.0, 0.0, 0.0, 0.004).simulate(0.1, samples=11)
    np.testing.assert_allclose(r.force("c.normal"), G, rtol=1e-6)
    assert np.abs(r.a).max() < 1e-6


def test_disc_slides_and_rolls_in_a_bowl_like_a_pendulum():
    """Sliding: length R - r. Rolling: w^2 = g / ((R - r)(1 + J / m r^2)). Small swings of 0.01 rad: 6e-6 relative."""
    radius, R, J = 0.1, 1.0, 0.004
    reach = R - radius + G / STIFF
    slide = 2.0 * math.pi * math.sqrt(reach / G)
    r = bowl(radius, R, 0.0, 0.01, J).simulate(slide, samples=41)
    np.testing.assert_allclose(r["b"].x, reach * 0.01 * np.cos(2 * math.pi * r.times / slide), atol=2e-6)
    roll = slide * math.sqrt(1.0 + J / radius**2)
    r = bowl(radius, R, 0.8, 0.01, J).simulate(roll, samples=41)
    # creep: friction of 0.03 N against mu N = 7.8 N takes 6e-6 m/s of slip, 2e-4 of the speed
    np.testing.assert_allclose(r["b"].x, reach * 0.01 * np.cos(2 * math.pi * r.times / roll), atol=1e-5)


def test_large_disc_in_a_parabola_touches_in_two_places():
    """Nearest points of y = a x^2 to (0, h), h > 1/2a: x = ±c with h = a c^2 + 1/2a, distance sqrt(c^2 + 1/4a^2)."""
    a, c, depth, k, mass = 2.0, 0.3, 0.004, 1e4, 2.0
    distance = math.hypot(c, 0.5 / a)
    m = tm.PlanarModel("parabola")
    m.body("b", position=(0.0, a * c**2 + 0.5 / a), mass=mass, inertia=0.1)
    m.contact_curve(
        "c", "b", "ground", curve=tm.curves.analytic("u", f"{a}*u^2", -1.0, 1.0), radius=distance + depth, stiffness=k
    )
    r = m.simulate(1e-4, samples=2)
    assert r.force("c.normal")[0] == pytest.approx(2.0 * k * depth, rel=1e-10)
    # vertical parts of two normals that lean by ±x; the sideways parts cancel
    expected = 2.0 * k * depth * (0.5 / a) / distance / mass - G
    np.testing.assert_allclose(r.a[0], [0.0, expected, 0.0], atol=1e-9)


def test_disc_in_a_skew_valley_rests_on_both_sides():
    """Slopes alpha (left) and beta (right): N_left = W sin(beta) / sin(alpha + beta), N_right with alpha."""
    alpha, beta, radius, k, W = tm.deg(35), tm.deg(50), 0.2, 1e5, 3.0 * G
    left, right = W * math.sin(beta) / math.sin(alpha + beta), W * math.sin(alpha) / math.sin(alpha + beta)
    # centre at the distances radius - N/k from both flanks, whose normals are (sin a, cos a) and (-sin b, cos b)
    normals = np.array([[math.sin(alpha), math.cos(alpha)], [-math.sin(beta), math.cos(beta)]])
    centre = np.linalg.solve(normals, radius - np.array([left, right]) / k)
    m = tm.PlanarModel("valley")
    m.body("b", position=tuple(centre), mass=3.0, inertia=0.1)
    flank = f"max(-u*{math.tan(alpha)!r}, u*{math.tan(beta)!r})"
    m.contact_curve("c", "b", "ground", curve=tm.curves.analytic("u", flank, -1.0, 1.0), radius=radius, stiffness=k)
    r = m.simulate(0.5, samples=6)
    assert r.force("c.normal")[0] == pytest.approx(left + right, rel=1e-9)
    np.testing.assert_allclose(r.q, r.q[:1].repeat(6, axis=0), atol=1e-9)


def test_disc_leaves_the_end_of_a_terrain():
    """Sliding off a table: once past the corner by its radius nothing holds the disc, and it falls with g."""
    m = tm.PlanarModel("table")
    m.body("b", position=(0.5, 0.1 - G / STIFF), velocity=(4.0, 0.0), mass=1.0, inertia=0.01)
    m.contact_curve("c", "b", "ground", curve=tm.curves.line((0, 0), (1, 0)), radius=0.1, stiffness=STIFF)
    r = m.simulate(0.3, samples=301)
    b = r["b"]
    # positions are good to 1e-9 m here, and each metre weighs 1e6 N
    np.testing.assert_allclose(r.force("c.normal")[b.x < 0.999], G, rtol=1e-4)
    past = b.x > 1.1
    assert past.any()
    assert np.abs(r.force("c.normal")[past]).max() == 0.0
    np.testing.assert_allclose(b.ay[past], -G, rtol=1e-12)
    # the corner is a point without friction: it takes no energy (deflections store 5e-5 J at most)
    energy = 0.5 * (b.vx**2 + b.vy**2) + G * b.y
    assert energy[-1] == pytest.approx(energy[0], abs=1e-4)
