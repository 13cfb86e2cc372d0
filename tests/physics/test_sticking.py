"""Friction that truly sticks: no creep below the static limit, break-away at it, whatever the settings."""

from __future__ import annotations

import math

import numpy as np
import pytest

import pytrammel as tm

G = 9.81
SETTINGS = [
    {}, {"stick_speed": 0.1}, {"stick_speed": 1e-5}, {"bristle_stiffness": 1e4}, {"bristle_stiffness": 1e5, "stick_speed": 1e-5},
    {"bristle_stiffness": 2e3, "bristle_damping": 20.0, "stick_speed": 1e-4},
]  # fmt: skip


def pulled(pull, *, normal=10.0, coefficients=(0.5, 0.3), mass=2.0, **settings):
    """A block on a slide, pulled by a force that is a formula of t."""
    m = tm.PlanarModel("pulled", gravity=(0.0, 0.0))
    m.body("b", mass=mass, inertia=1.0)
    m.prismatic("T", "ground", "b", at=(0, 0), axis=(1, 0))
    m.user_force("pull", "T.distance", law=pull)
    m.stick_slip("f", "T.distance", normal=normal, friction=coefficients, **settings)
    return m


@pytest.mark.parametrize("settings", SETTINGS, ids=str)
@pytest.mark.parametrize("rate", [0.5, 20.0])
def test_it_breaks_away_at_the_static_limit(settings, rate):
    """A ramp reaches mu_s N = 5 N at t = 5/rate. Bristles bend by F/k before, and swing about that by a share of rate/k, so that theirs
    reaches the limit a little earlier."""
    due = 5.0 / rate
    r = pulled(f"{rate}*t", **settings).simulate(times=np.array([0.0, 0.5, 0.9, 0.998, 1.02]) * due, rtol=1e-7)
    k = settings.get("bristle_stiffness", math.inf)
    bent, swing = r.force("f.limit") * r.times / due / k, 2.0 * rate / k * math.sqrt(2.0 / k) if k < math.inf else 0.0
    np.testing.assert_allclose(r["b"].x[:3], bent[:3], atol=swing + 1e-12)
    if k == math.inf:
        assert r.force("f.force")[3] == pytest.approx(-4.99, rel=1e-9)
        # then sliding friction: 2 x" = F - mu(x') N with mu falling from 0.5 to 0.3 by x'
        assert r["b"].x[-1] > 0.0
    assert np.abs(r.force("f.force")).max() <= 5.0 * (1.0 + 1e-6)


@pytest.mark.parametrize("settings", [*SETTINGS[:3], {"bristle_stiffness": 1e4, "bristle_damping": 600.0}], ids=str)
def test_it_breaks_away_where_the_normal_force_falls(settings):
    """Held with 4 N; the limit mu_s N(t) passes 4 N at t = 2 s, not before."""
    r = pulled("4", normal="10 - t", **settings).simulate(times=[0.0, 1.0, 1.9, 1.95, 2.2], rtol=1e-7)
    k = settings.get("bristle_stiffness", math.inf)
    # a bristle loaded at once swings to twice its bend
    np.testing.assert_allclose(r["b"].x[:4], 0.0, atol=1e-12 + 8.0 / k)
    if k == math.inf:
        assert r["b"].x[-1] > 3e-4  # 2 x" = 4 - N mu(x') from t = 2 s on takes it to 3.36e-4 m or further


def test_a_block_on_an_incline_stays_for_a_thousand_seconds():
    tilt = math.atan(0.49)
    m = tm.PlanarModel("incline", gravity=(G * math.sin(tilt), -G * math.cos(tilt)))
    m.body("b", mass=2.0, inertia=1.0)
    m.prismatic("T", "ground", "b", at=(0, 0), axis=(1, 0))
    m.stick_slip("f", "T.distance", normal="T.reaction", friction=(0.5, 0.3))
    r = m.simulate(1000.0, samples=5)
    np.testing.assert_allclose(r.q[:, 0], 0.0, atol=1e-14)
    assert r.force("f.force")[-1] == pytest.approx(-2.0 * G * math.sin(tilt), rel=1e-12)
    assert r.dynamics.statistics.steps < 2000


def test_an_oscillating_load_below_the_limit_moves_nothing():
    r = pulled("4.99*sin(3*t)").simulate(20.0, samples=50)
    np.testing.assert_allclose(r["b"].x, 0.0, atol=1e-14)


def test_it_sticks_again_where_it_stops():
    """Thrown at 2 m/s against mu_d N (mu_s = mu_d): stops after v/(mu g) at v²/(2 mu g) and stays there."""
    m = tm.PlanarModel("thrown")
    m.body("b", mass=2.0, inertia=1.0, velocity=(2.0, 0.0))
    m.prismatic("T", "ground", "b", at=(0, 0), axis=(1, 0))
    m.stick_slip("f", "T.distance", normal="T.reaction", friction=(0.3, 0.3), stick_speed=1e-4)
    stop = 2.0 / (0.3 * G)
    r = m.simulate(times=[0.0, 0.5 * stop, 2.0 * stop, 300.0])
    assert r["b"].x[1] == pytest.approx(2.0 * 0.5 * stop - 0.15 * G * (0.5 * stop) ** 2, rel=1e-6)
    np.testing.assert_allclose(r["b"].x[2:], 4.0 / (0.6 * G), rtol=1e-6)
    assert r["b"].x[3] == r["b"].x[2]
    assert np.abs(r.energy.balance).max() < 1e-6


@pytest.mark.parametrize("kind", ["slide", "soft", "rigid"])
@pytest.mark.parametrize("share", [0.8, 0.99])
def test_no_load_below_the_limit_keeps_what_slides_creeping(kind, share):
    """Thrown down a slope of that share of the angle of friction: it comes to stand, and then stays."""
    mu, fast = 0.3, 0.02
    tilt = math.atan(share * mu)
    m = tm.PlanarModel("slope", gravity=(G * math.sin(tilt), -G * math.cos(tilt)))
    m.body("b", mass=2.0, inertia=1.0, velocity=(fast, 0.0))
    if kind == "slide":
        m.prismatic("T", "ground", "b", at=(0, 0), axis=(1, 0))
        m.stick_slip("f", "T.distance", normal="T.reaction", friction=mu)
    else:
        law = (
            {"law": "rigid", "restitution": 0.0}
            if kind == "rigid"
            else {"stiffness": 1e5, "damping": 1e3, "stick": True}
        )
        m.contact_line("c", "b", "ground", at=(0, 0), axis=(1, 0), friction=mu, **law)
    stop = fast / (G * (mu * math.cos(tilt) - math.sin(tilt)))
    r = m.simulate(times=[0.0, 1.5 * stop, 3.0 * stop])
    assert r["b"].vx[1] == 0.0
    assert r["b"].x[2] == r["b"].x[1]


def test_pin_friction_holds_a_pendulum_up_to_its_limit():
    """Held at an angle while m g a sin(s) < mu r m g; a larger torque moves it."""
    for arm, holds in ((0.0009, True), (0.0011, False)):
        m = tm.PlanarModel("pendulum")
        m.body("p", position=(arm, 0.0), mass=5.0, inertia=0.1)
        m.revolute("A", "ground", "p", at=(0, 0))
        m.joint_friction("f", "A", friction=0.05, radius=0.02, stick=True)
        r = m.simulate(100.0 if holds else 5.0, samples=3)
        assert (abs(r.q[-1, 2]) < 1e-14) == holds
        if holds:
            assert r.force("f.force")[-1] == pytest.approx(5.0 * G * arm, rel=1e-9)
            assert r.force("f.limit")[-1] == pytest.approx(0.001 * 5.0 * G, rel=1e-9)


@pytest.mark.parametrize(
    "law", [{"law": "linear", "damping": 2e3}, {"law": "rigid", "restitution": 0.2}], ids=["soft", "rigid"]
)
def test_a_point_on_a_slope_sticks_where_contacts_would_creep(law):
    tilt = math.atan(0.4)
    m = tm.PlanarModel("slope", gravity=(G * math.sin(tilt), -G * math.cos(tilt)))
    m.body("b", position=(0.0, -1e-5 if law["law"] == "linear" else 0.0), mass=1.0, inertia=1.0)
    given = {**law, "stiffness": 1e6} if law["law"] == "linear" else law
    m.contact_line("c", "b", "ground", at=(0, 0), axis=(1, 0), friction=0.45, stick=True, **given)
    r = m.simulate(times=[0.0, 1.0, 20.0])
    assert abs(r.q[2, 0] - r.q[1, 0]) < 1e-13
    assert abs(r.q[2, 0]) < 1e-6
    assert r.force("c.normal")[-1] == pytest.approx(G * math.cos(tilt), rel=1e-9)


def test_a_blow_loosens_what_sticks():
    """An impulse is not friction's to bear: the block starts with p/m and slides to a stop."""
    m = pulled("0", coefficients=(0.5, 0.5))
    r = m.simulate(times=[0.0, 1.0, 10.0], events=[tm.Event("kick", "t - 0.5", impulse=[("b", (4.0, 0.0))])])
    assert r["b"].x[-1] == pytest.approx(2.0**2 / (2.0 * 2.5), rel=1e-4)
    assert r["b"].vx[-1] == 0.0


def test_bristles_that_cannot_bend_are_refused():
    with pytest.raises(tm.ModelError, match="bristle_damping= needs bristle_stiffness="):
        pulled("t", bristle_damping=1.0)


@pytest.mark.parametrize("verb", ["equilibrium", "statics"])
def test_balances_at_rest_say_that_friction_does_not_hold_there(verb):
    """A block on a slope of 17 degrees with a coefficient of 0.5 stands, but only a simulation lets friction stick."""
    m = tm.PlanarModel("slope", gravity=(9.81 * math.sin(0.3), -9.81 * math.cos(0.3)))
    m.body("b", mass=1.0, inertia=0.1)
    m.prismatic("T", "ground", "b", at=(0, 0), axis=(1, 0))
    m.joint_friction("f", "T", friction=0.5, stick=True)
    with pytest.raises(tm.TrammelError, match=r"rigid contacts \('f'\) hold only in simulate"):
        getattr(m, verb)()
    assert m.simulate(1.0, samples=2)["b.x"][-1] == pytest.approx(0.0, abs=1e-12)
