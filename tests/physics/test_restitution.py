"""Laws of contacts and stops that lose energy: what they return, against closed forms and published factors."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.optimize import brentq

import pytrammel as tm

G = 9.81
TIGHT = {"rtol": 1e-10, "atol": 1e-12}


def rebound(speed, factor):
    """Speed after an impact with F = k d^p (1 + factor d'): m v dv / (1 + c v) = -k d^p dd, whatever k and p."""
    potential = lambda v: v / factor - math.log1p(factor * v) / factor**2  # noqa: E731
    return brentq(lambda u: potential(-u) - potential(speed), 1e-9, min(speed, 1.0 / factor - 1e-12), xtol=1e-14)


def strike(speed, mass=0.5, stiffness=1e6, **law):
    m = tm.PlanarModel("strike", gravity=(0.0, 0.0))
    m.body("b", position=(0.0, 0.11), velocity=(0.3, -speed), mass=mass, inertia=1.0)
    m.contact_line("c", "b", "ground", radius=0.1, at=(0, 0), axis=(1, 0), stiffness=stiffness, **law)
    away = 0.2 / (speed * law.get("restitution", 1.0))  # as far as the way in, many times the penetration
    r = m.simulate(0.01 / speed + away, samples=2, **TIGHT)
    assert r.series("c.gap").value[-1] > 0.0
    return float(r["b"].vy[-1])


@pytest.mark.parametrize("speed", [0.5, 1.0, 3.0])
def test_hunt_crossley_gives_its_own_rebound(speed):
    got = strike(speed, law="hunt_crossley", damping=0.2)
    assert got == pytest.approx(rebound(speed, 0.2), rel=1e-7)  # error control of 1e-10 over some 30 steps


@pytest.mark.parametrize("law", ["hunt_crossley", "lankarani_nikravesh"])
@pytest.mark.parametrize("e", [0.001, 0.02, 0.1, 0.5, 0.8, 0.95, 0.9995, 1.0])
def test_the_restitution_typed_comes_out(law, e):
    """Whatever the speed, the stiffness, the exponent and the mass; error control of 1e-10 over some 100 steps."""
    rng = np.random.default_rng(int(1e4 * e))
    for _ in range(3):
        speed, exponent = 10.0 ** rng.uniform(-1.5, 1.0), rng.uniform(1.0, 3.0)
        stiffness, mass = 10.0 ** rng.uniform(5.0, 7.0), 10.0 ** rng.uniform(-1.0, 1.0)
        got = strike(speed, law=law, restitution=e, exponent=exponent, stiffness=stiffness, mass=mass)
        assert got / speed == pytest.approx(e, rel=1e-5, abs=1e-7)


@pytest.mark.parametrize("speed", [0.3, 3.0])
@pytest.mark.parametrize("e", [0.9, 0.5])
@pytest.mark.parametrize(
    ("law", "factor"),
    [
        ("classic_lankarani_nikravesh", lambda e: 0.75 * (1.0 - e**2)),
        ("classic_hunt_crossley", lambda e: 1.5 * (1.0 - e)),
    ],
)
def test_the_classic_laws_keep_their_published_factors(speed, e, law, factor):
    """3/4 (1 - e²) / v0 and 3/2 (1 - e) / v0 with the actual v0: the rebound is proportional to the speed."""
    got = strike(speed, law=law, restitution=e)
    c = factor(e) / speed
    assert got == pytest.approx(rebound(speed, c), rel=1e-7)

    # and once more by integrating the law with another program
    def motion(_, s):
        return [s[1], -1e6 * max(s[0], 0.0) ** 1.5 * (1.0 + c * s[1]) / 0.5]

    left = lambda _, s: s[0] + 1e-15  # noqa: E731
    left.terminal, left.direction = True, -1
    other = solve_ivp(motion, (0.0, 0.1), [0.0, speed], events=left, rtol=1e-10, atol=1e-14, max_step=1e-4)
    assert got == pytest.approx(-other.y[1, -1], rel=1e-6)


def test_the_speed_is_read_anew_at_every_bounce():
    """Each bounce multiplies the speed by the same factor."""
    e = 0.8
    m = tm.PlanarModel("bounces")
    m.body("b", position=(0.0, 0.6), mass=0.5, inertia=1.0)
    m.contact_line(
        "c", "b", "ground", radius=0.1, at=(0, 0), axis=(1, 0), stiffness=1e8, law="lankarani_nikravesh",
        restitution=e,
    )  # fmt: skip
    r = m.simulate(1.2, samples=1201, **TIGHT)
    height = r["b"].y - 0.1 + r["b"].vy ** 2 / (2.0 * G)
    free = r["b"].y > 0.11
    levels = np.unique(np.round(height[free], 4))
    # with k = 1e8 gravity during the impact changes the speed by some 1e-3 of itself
    np.testing.assert_allclose(levels[::-1][:3], 0.5 * e ** np.array([0.0, 2.0, 4.0]), rtol=6e-3)


@pytest.mark.parametrize("offset", [0.0, 0.15, -0.3])
def test_two_discs_part_with_the_restitution_typed(offset):
    """Head-on and oblique: along the line of centres as typed, across it as before. With k = 1e11 it turns by 4e-4."""
    e = 0.4
    m = tm.PlanarModel("pair", gravity=(0.0, 0.0))
    m.body("one", velocity=(1.5, 0.2), mass=1.0, inertia=1.0)
    m.body("two", position=(0.5, offset), mass=3.0, inertia=1.0)
    m.contact_discs("c", "one", "two", radii=(0.2, 0.2), stiffness=1e11, law="hunt_crossley", restitution=e)
    r = m.simulate(0.4, samples=2, **TIGHT)
    apart, before = np.array([0.5, offset]), np.array([-1.5, -0.2])
    # first touch: |apart + before t| = 0.4
    late = np.roots([before @ before, 2.0 * apart @ before, apart @ apart - 0.16]).min()
    line = (apart + late * before) / 0.4
    after = r.v[-1, 3:5] - r.v[-1, :2]
    assert after @ line == pytest.approx(-e * (before @ line), rel=5e-3)
    np.testing.assert_allclose(r.v[-1, :2] + 3.0 * r.v[-1, 3:5], [1.5, 0.2], rtol=1e-8)


@pytest.mark.parametrize("speed", [0.4, 4.0])
def test_a_curve_returns_the_restitution_typed(speed):
    """A disc falls on the top of a circle, a corner of a curve and a flat stretch."""
    arch = tm.curves.circle(0.7)
    m = tm.PlanarModel("arch", gravity=(0.0, 0.0))
    m.body("b", position=(0.0, 0.85), velocity=(0.0, -speed), mass=0.5, inertia=1.0)
    m.contact_curve(
        "c", "b", "ground", curve=arch, radius=0.1, side="right", stiffness=1e7, law="hunt_crossley", restitution=0.6
    )
    r = m.simulate(0.1 / speed + 0.02, samples=3, **TIGHT)
    assert r.series("c.gap").value[0] == pytest.approx(0.05, abs=1e-12)
    assert r["b"].vy[-1] == pytest.approx(0.6 * speed, rel=1e-6)


def test_a_run_that_begins_with_an_impact_knows_its_speed():
    m = tm.PlanarModel("touching", gravity=(0.0, 0.0))
    m.body("b", position=(0.0, 0.1), velocity=(0.0, -2.5), mass=0.5, inertia=1.0)
    m.contact_line(
        "c", "b", "ground", radius=0.1, at=(0, 0), axis=(1, 0), stiffness=1e6, law="hunt_crossley", restitution=0.3
    )
    assert m.simulate(0.05, samples=2, **TIGHT)["b"].vy[-1] == pytest.approx(0.75, rel=1e-5)


def test_friction_of_a_contact_is_the_published_curve():
    """-(mu_d + (mu_s - mu_d) exp(-(v/2v_s)²)) tanh(2v/v_s) N - b v, below, at and far above the stick speed."""
    mu_s, mu_d, v_s, b, k, depth = 0.6, 0.35, 0.02, 0.7, 1e4, 0.003
    for v in (1e-3, 0.013, 0.02, 0.045, 0.3, -0.01):
        m = tm.PlanarModel("rub", gravity=(0.0, 0.0))
        m.body("b", position=(0.0, 0.1 - depth), velocity=(v, 0.0), mass=1.0, inertia=1e9)
        m.contact_line("c", "b", "ground", radius=0.1, at=(0, 0), axis=(1, 0), stiffness=k, friction=(mu_s, mu_d), stick_speed=v_s,
            viscous=b)  # fmt: skip
        mu = mu_d + (mu_s - mu_d) * math.exp(-((v / (2 * v_s)) ** 2))
        expected = -mu * math.tanh(2 * v / v_s) * k * depth - b * v
        r = m.simulate(1e-9, samples=2)
        assert r.a[0, 0] == pytest.approx(expected, rel=1e-12)


# --- stops ------------------------------------------------------------------------------------------------------------


def slider(velocity, **stop):
    m = tm.PlanarModel("stop", gravity=(0.0, 0.0))
    m.body("b", mass=2.0, inertia=1.0, velocity=(velocity, 0.0))
    m.prismatic("T", "ground", "b", at=(0, 0), axis=(1, 0))
    m.end_stop("S", "b.x", **stop)
    return m


def test_stop_without_damping_gives_the_energy_back():
    """Between two stops: there and back takes pi sqrt(m/k) at each and the free way between."""
    k, v = 1e4, 1.5
    m = slider(v, low=-0.3, high=0.2, stiffness=k)
    touch = math.pi * math.sqrt(2.0 / k)
    period = 2.0 * touch + 2.0 * 0.5 / v
    # instants with the slider free: before, between and after both bounces
    times = np.array([0.0, 0.2 / v + touch + 0.1, period, 2.0 * period])
    r = m.simulate(times=times, **TIGHT)
    np.testing.assert_allclose(r["b"].vx, [v, -v, v, v], atol=1e-7)
    np.testing.assert_allclose(r["b"].x[2:], 0.0, atol=1e-7)
    np.testing.assert_allclose(r.energy.kinetic, v**2, rtol=1e-7)


def test_stop_with_damping_rebounds_as_its_law_says():
    """F = k d (1 + c d'): the rebound of Hunt and Crossley's equation."""
    m = slider(1.5, high=0.2, stiffness=1e4, damping=0.4)
    r = m.simulate(0.5, samples=2, **TIGHT)
    assert r["b"].vx[-1] == pytest.approx(-rebound(1.5, 0.4), rel=1e-7)


def test_stop_of_an_angle_and_of_negative_limits():
    m = tm.PlanarModel("gate", gravity=(0.0, 0.0))
    m.body("gate", mass=1.0, inertia=0.5, omega=-2.0)
    m.revolute("A", "ground", "gate", at=(0, 0))
    m.end_stop("S", "A.angle", low=-0.5, high=-0.1 + 1.0, stiffness=1e4)
    r = m.simulate(0.5, samples=2, **TIGHT)
    assert r["gate"].omega[-1] == pytest.approx(2.0, rel=1e-7)


LAWS = ["hunt_crossley", "lankarani_nikravesh", "classic_hunt_crossley", "classic_lankarani_nikravesh"]


def bouncing(kind, law):
    """A ball that meets the floor several times, at another speed each time."""
    c = {"stiffness": 1e4, "law": law, "restitution": 0.7, "friction": 0.2}
    if kind in ("sphere_plane", "sphere_sphere"):
        m = tm.SpatialModel(kind)
        m.body("b", position=(0.01, 0, 0.2), mass=0.5, inertia=2e-4, omega=(3, 5, 0))
        if kind == "sphere_plane":
            m.contact_sphere_plane("c", "b", m.ground, radius=0.05, at=(0, 0, 0), normal=(0.1, 0, 1), **c)
        else:
            m.contact_sphere_sphere("c", "b", m.ground.at(0, 0, -1.0), radii=(0.05, 1.0), **c)
        return m
    m = tm.PlanarModel(kind)
    m.body("b", position=(0.01, 0.2), mass=0.5, inertia=2e-4, omega=5)
    if kind == "line":
        m.contact_line("c", "b", m.ground, radius=0.05, at=(0, 0), axis=(1, 0.1), **c)
    elif kind == "discs":
        m.contact_discs("c", "b", m.ground.at(0, -1.0), radii=(0.05, 1.0), **c)
    else:
        bowl = tm.curves.analytic("u", "0.2*u^2", -3.0, 3.0)
        m.contact_curve("c", "b", m.ground, curve=bowl, radius=0.05, **c)
    return m


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("kind", ["line", "discs", "curve", "sphere_plane", "sphere_sphere"])
def test_loads_of_every_bounce_are_mass_times_acceleration(kind, law, tmp_path):
    """Loads on bodies depend on the speed at each first touch, also when a result is stored and read again."""
    m = bouncing(kind, law)
    r = m.simulate(1.0, samples=1501)
    acceleration = np.stack([r[f"b.com.a{x}"] for x in ("xy" if m.space.dimension == 2 else "xyz")], axis=1)
    load = 0.5 * (acceleration - np.array(m.gravity))
    touching = load[:, -1] > 1e-6
    assert np.count_nonzero(touching[1:] & ~touching[:-1]) > 1
    assert len({s.impact_speeds["c"] for s in r._segments}) > 2
    r.save(tmp_path / "bounces.trammel")
    for result in (r, tm.load_result(tmp_path / "bounces.trammel")):
        np.testing.assert_allclose(result.force_on("c", "b").force, load, atol=1e-10 * load.max())
        np.testing.assert_allclose(result.resultant("b").force, 0.5 * acceleration, atol=1e-10 * load.max())


def test_new_speeds_of_first_touch_do_not_break_the_motion():
    """Between samples the motion of bounces is interpolated as one smooth motion, on both sides of a first touch."""
    m = bouncing("line", "hunt_crossley")
    r = m.simulate(0.5, samples=4001, **TIGHT)
    times = 0.5 * (r.times[1:] + r.times[:-1])
    fine = m.simulate(times=np.concatenate([[0.0], times]), **TIGHT)
    between = r.resample(times)
    assert between.warnings == r.warnings
    # a sixteenth of the error of the cubic part at a corner of the force: jerk times h^3 = 2e7 * 2e-12 / 16
    np.testing.assert_allclose(between["b.y"], fine["b.y"][1:], atol=1e-8)
