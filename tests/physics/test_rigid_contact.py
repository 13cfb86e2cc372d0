"""Impacts of rigid bodies and what follows: bounces that end, rest, rolling, sliding, lifting off. Closed forms throughout."""

from __future__ import annotations

import math

import numpy as np
import pytest

import pytrammel as tm
from pytrammel.analysis.events.impacts import Touching, admittance, after_impact

G = 9.81
FLOOR = {"at": (0, 0), "axis": (1, 0), "law": "rigid"}


def ball(e, *, height=1.0, spin=0.0, vx=0.0, mass=0.5, inertia=0.002, **law):
    m = tm.PlanarModel("ball")
    m.body("b", position=(0, 0.1 + height), velocity=(vx, 0), omega=spin, mass=mass, inertia=inertia)
    m.contact_line("floor", "b", "ground", radius=0.1, restitution=e, **FLOOR, **law)
    return m


@pytest.mark.parametrize("impact", ["newton", "poisson"])
@pytest.mark.parametrize("e", [0.9, 0.6, 0.2, 0.0])
def test_a_ball_bounces_as_typed_and_comes_to_rest_in_time(e, impact):
    """Flights shorten by e each; they end at t* = sqrt(2h/g) (1 + e)/(1 - e), and the ball stays."""
    fall = math.sqrt(2.0 / G)
    end = fall * (1.0 + e) / (1.0 - e)
    times = np.linspace(0.0, 1.2 * end + 1.0, 41)
    r = ball(e, impact=impact).simulate(times=times)
    expected = np.zeros(times.size)
    touch, speed = fall, math.sqrt(2.0 * G)
    expected[times <= touch] = 1.0 - 0.5 * G * times[times <= touch] ** 2
    while e > 0.0 and speed > 1e-9:
        speed *= e
        flight = (times > touch) & (times <= touch + 2.0 * speed / G)
        expected[flight] = speed * (times[flight] - touch) - 0.5 * G * (times[flight] - touch) ** 2
        touch += 2.0 * speed / G
    # the last bounces, lower than 1e-9 of the model, are left out
    np.testing.assert_allclose(r["b"].y - 0.1, expected, atol=1e-8)
    still = times > end + 1e-5
    np.testing.assert_allclose(r["b"].y[still], 0.1, atol=1e-14)
    np.testing.assert_allclose(r.force("floor.normal")[still], 0.5 * G, rtol=1e-12)
    np.testing.assert_allclose(r.force("floor.normal")[times < end - 1e-5], 0.0)
    # the height at which it comes to rest is known to 1e-8 m, as above: so is what it lost, and the balance, to m g times that
    assert r.energy.dissipated[-1] == pytest.approx(0.5 * G, abs=0.5 * G * 1e-8)
    assert np.abs(r.energy.balance).max() < 0.5 * G * 1e-8


def test_a_sliding_ball_comes_to_roll_and_a_rolling_one_goes_on():
    """Thrown along the floor: mu g slows it until v = 5/7 v0, then it rolls for ever."""
    m = ball(0.0, height=0.0, vx=2.0, friction=0.3)
    roll = (2.0 / 7.0) * 2.0 / (0.3 * G)
    r = m.simulate(times=[0.0, 0.5 * roll, 0.9 * roll, 2.0 * roll, 50.0])
    b = r["b"]
    np.testing.assert_allclose(b.vx[:3], 2.0 - 0.3 * G * r.times[:3], rtol=1e-5)
    np.testing.assert_allclose(b.vx[3:], 10.0 / 7.0, rtol=1e-5)
    np.testing.assert_allclose(b.omega[3:] * 0.1, -b.vx[3:], rtol=1e-10)
    assert r.force("floor.friction")[1] == pytest.approx(-0.3 * 0.5 * G, rel=1e-6)
    assert r.force("floor.friction")[-1] == pytest.approx(0.0, abs=1e-10)


def row_of_discs(n, gap=0.0, **law):
    m = tm.PlanarModel("row", gravity=(0.0, 0.0))
    for k in range(n):
        x = -1.0 if k == 0 else k * (0.2 + gap)
        m.body(f"d{k}", position=(x, 0.0), velocity=(1.5 if k == 0 else 0.0, 0.0), mass=1.0, inertia=1.0)
        if k:
            m.contact_discs(f"c{k}", f"d{k - 1}", f"d{k}", radii=(0.1, 0.1), law="rigid", **law)
    return m


def test_one_in_one_out_along_a_row_of_touching_discs():
    r = row_of_discs(5, restitution=1.0).simulate(2.0, samples=3)
    np.testing.assert_allclose(r.v[-1, ::3], [0, 0, 0, 0, 1.5], atol=1e-12)


@pytest.mark.parametrize("impact", ["newton", "poisson"])
@pytest.mark.parametrize("e", [0.0, 0.3, 1.0])
def test_unequal_discs_keep_momentum_and_part_as_typed(e, impact):
    m = tm.PlanarModel("pair", gravity=(0.0, 0.0))
    m.body("one", velocity=(2.0, 1.0), mass=1.0, inertia=0.01)
    m.body("two", position=(1.0, 0.1), velocity=(-1.0, 0.0), mass=3.0, inertia=0.05)
    m.contact_discs("c", "one", "two", radii=(0.2, 0.3), law="rigid", restitution=e, impact=impact)
    r = m.simulate(1.0, samples=2)
    apart, before = np.array([1.0, 0.1]), np.array([-3.0, -1.0])
    late = np.roots([before @ before, 2.0 * apart @ before, apart @ apart - 0.25]).min()
    line = (apart + late * before) / 0.5
    after = r.v[-1, 3:5] - r.v[-1, :2]
    assert after @ line == pytest.approx(-e * (before @ line), abs=1e-9)
    assert after @ [-line[1], line[0]] == pytest.approx(before @ [-line[1], line[0]], abs=1e-9)
    np.testing.assert_allclose(r.v[-1, :2] + 3.0 * r.v[-1, 3:5], [-1.0, 1.0], atol=1e-12)


def test_spin_goes_over_by_friction_between_discs_and_angular_momentum_stays():
    m = tm.PlanarModel("pair", gravity=(0.0, 0.0))
    m.body("one", velocity=(2.0, 0.0), omega=5.0, mass=1.0, inertia=0.02)
    m.body("two", position=(1.0, 0.1), mass=3.0, inertia=0.05)
    m.contact_discs("c", "one", "two", radii=(0.2, 0.3), law="rigid", restitution=0.5, friction=0.2)
    r = m.simulate(1.0, samples=2)

    def about_origin(k):
        q, v = r.q[k], r.v[k]
        return sum(
            mass * (q[i] * v[i + 1] - q[i + 1] * v[i]) + inertia * v[i + 2]
            for i, mass, inertia in ((0, 1.0, 0.02), (3, 3.0, 0.05))
        )

    assert abs(r.v[-1, 5]) > 0.1
    assert about_origin(-1) == pytest.approx(about_origin(0), abs=1e-10)
    assert r.energy.kinetic[-1] < r.energy.kinetic[0]


def test_a_rod_that_falls_on_its_end_turns_by_the_blow():
    """Rod of length 2a, tilt s, falling with v: P = (1 + e) v / (1/m + a² cos²(s)/I), w = P a cos(s)/I."""
    mass, a, inertia, tilt, e = 2.0, 0.4, 2.0 * 0.64 / 12.0, 0.3, 0.7
    m = tm.PlanarModel("rod")
    drop = 0.5
    centre = a * math.sin(tilt) + drop
    m.body("rod", position=(0.0, centre), angle=tilt, mass=mass, inertia=inertia)
    m.contact_line("left", m["rod"].at(-a, 0.0), "ground", restitution=e, **FLOOR)
    m.contact_line("right", m["rod"].at(a, 0.0), "ground", restitution=e, **FLOOR)
    fall = math.sqrt(2 * drop / G)
    v = G * fall
    r = m.simulate(times=[0.0, fall + 1e-4])
    blow = (1 + e) * v / (1 / mass + (a * math.cos(tilt)) ** 2 / inertia)
    assert r["rod"].omega[-1] == pytest.approx(-blow * a * math.cos(tilt) / inertia, rel=1e-6)
    assert r["rod"].vy[-1] == pytest.approx(-v + blow / mass - G * 1e-4, rel=1e-6)


@pytest.mark.parametrize("impact", ["newton", "poisson"])
@pytest.mark.parametrize(("friction", "e"), [(0.001, 0.4), (0.1, 0.4), (0.3, 0.0)])
def test_a_tip_that_slides_too_fast_to_stick_receives_a_blow(friction, e, impact):
    """Rod at 45° whose tip slides at 10 m/s: sticking would lift the tip, the blow of sliding friction acts along n + μ t."""
    inertia, arm = 1.0 / 12.0, 0.5 * math.sqrt(0.5)  # [kg m²], components of the way from the centre to the tip [m]
    m = tm.PlanarModel("rod", gravity=(0, 0))
    m.body("rod", position=(0, arm + 0.1), velocity=(-10.0, -0.5), angle=-math.pi / 4, mass=1.0, inertia=inertia)
    m.contact_line("floor", m["rod"].at(0.5, 0.0), "ground", restitution=e, friction=friction, impact=impact, **FLOOR)
    r = m.simulate(times=[0.0, 0.25])["rod"]
    blow = (1.0 + e) * 0.5 / (1.0 + (arm**2 + friction * arm**2) / inertia)
    assert r.vy[-1] == pytest.approx(-0.5 + blow, abs=1e-10)
    assert r.vx[-1] == pytest.approx(-10.0 + friction * blow, abs=1e-10)
    assert r.omega[-1] == pytest.approx((arm + friction * arm) * blow / inertia, abs=1e-10)


def test_a_plank_comes_to_rest_on_both_ends():
    m = tm.PlanarModel("plank")
    m.body("p", position=(0.0, 0.3), angle=0.1, mass=2.0, inertia=0.1)
    for name, x in (("left", -0.4), ("right", 0.5)):
        m.contact_line(name, m["p"].at(x, 0.0), "ground", restitution=0.3, friction=0.5, **FLOOR)
    r = m.simulate(4.0, samples=9)
    np.testing.assert_allclose(
        [r.force("left.normal")[-1], r.force("right.normal")[-1]], [2 * G * 5 / 9, 2 * G * 4 / 9], rtol=1e-9
    )
    np.testing.assert_allclose(r.v[-1], 0.0, atol=1e-12)
    assert r.q[-1, 2] == pytest.approx(0.0, abs=1e-12)
    assert np.abs(r.energy.balance).max() < 1e-8


def test_a_pendulum_strikes_a_wall_with_its_joint_acting():
    """The hinge takes its share of the blow: the angular velocity changes sign and shrinks by e, energy by e²."""
    m = tm.PlanarModel("pendulum")
    m.body("p", position=(0.3, 0.0), mass=2.0, inertia=0.05)
    m.revolute("A", "ground", "p", at=(0, 0))
    m.contact_line("wall", m["p"].at(0.2, 0.0), "ground", at=(0, 0), axis=(0, -1), law="rigid", restitution=0.6)
    m.contact_line("other", m["p"].at(0.2, 0.0), "ground", at=(0, -5.0), axis=(1, 0), law="rigid", restitution=0.6)
    r = m.simulate(1.0, samples=401)
    swing = 0.05 + 2.0 * 0.09
    w = math.sqrt(2 * 2.0 * G * 0.3 / swing)
    k = int(np.argmax(r["p"].omega > 0.0))
    assert k > 0
    energy = 0.5 * swing * r["p"].omega[k] ** 2 + 2.0 * G * (r["p"].y[k] + 0.3)
    assert energy == pytest.approx(0.36 * 0.5 * swing * w**2, rel=1e-8)


def test_a_block_leaves_a_platform_that_falls_faster_than_gravity():
    """Platform y = A sin(w t): the block lifts off where A w² sin(w t) = g, then flies freely."""
    amplitude, w = 0.2, 10.0
    m = tm.PlanarModel("shaker")
    m.body("table", mass=1.0, inertia=1.0)
    m.prismatic("T", "ground", "table", at=(0, 0), axis=(0, 1))
    m.driver("shake", "table.y", f"{amplitude}*sin({w}*t)")
    m.body("block", position=(0.0, 0.0), velocity=(0.0, amplitude * w), mass=0.7, inertia=1.0)
    m.contact_line("c", "block", "table", restitution=0.0, **FLOOR)
    off = math.asin(G / (amplitude * w**2)) / w
    flight = 0.02
    r = m.simulate(times=[0.0, 0.5 * off, off + flight])
    assert r.force("c.normal")[1] == pytest.approx(0.7 * (G - amplitude * w**2 * math.sin(w * 0.5 * off)), rel=1e-9)
    y0, v0 = amplitude * math.sin(w * off), amplitude * w * math.cos(w * off)
    assert r["block"].y[-1] == pytest.approx(y0 + v0 * flight - 0.5 * G * flight**2, abs=1e-10)
    assert r.force("c.normal")[-1] == 0.0


def test_a_disc_in_a_symmetric_groove_stays_on_its_axis():
    m = tm.PlanarModel("groove")
    m.body("d", position=(0.0, 1.0), mass=1.0, inertia=0.01)
    m.contact_line("left", "d", "ground", radius=0.1, at=(0, 0), axis=(1, -1), law="rigid", restitution=0.5)
    m.contact_line("right", "d", "ground", radius=0.1, at=(0, 0), axis=(1, 1), law="rigid", restitution=0.5)
    r = m.simulate(3.0, samples=31)
    np.testing.assert_allclose(r["d"].x, 0.0, atol=1e-10)
    assert r["d"].y[-1] == pytest.approx(0.1 * math.sqrt(2), abs=1e-9)
    assert r.force("left.normal")[-1] == pytest.approx(G / math.sqrt(2), rel=1e-9)


@pytest.mark.parametrize("radius", [0.01, 0.1, 1.0])
@pytest.mark.parametrize("e", [0.1, 0.3, 0.5, 0.7])
def test_balls_of_any_size_come_to_rest_however_low_their_last_bounces(e, radius):
    """Bounces end after sqrt(2 h / g) (1 + e) / (1 - e). The last ones are so low that a step may end a rounding short of the floor."""
    for height in (0.1, 0.7):
        m = tm.PlanarModel("ball")
        m.body("b", position=(0.0, radius + height), mass=0.5, inertia=1.0)
        m.contact_line("floor", "b", "ground", radius=radius, at=(0, 0), axis=(1, 0), law="rigid", restitution=e)
        end = math.sqrt(2 * height / G) * (1 + e) / (1 - e)
        r = m.simulate(times=[0.0, 1.001 * end, 2 * end], progress=False)
        assert np.abs(r["b"].y[1:] - radius).max() < 1e-8 * (radius + height)
        assert np.abs(r["b"].vy[1:]).max() < 1e-12
        assert r.force("floor.normal")[-1] == pytest.approx(0.5 * G, rel=1e-9)


def test_a_disc_bounces_on_a_rigid_curve():
    m = tm.PlanarModel("arch", gravity=(0.0, 0.0))
    m.body("b", position=(0.0, 0.85), velocity=(0.0, -2.0), mass=0.5, inertia=1.0)
    m.contact_curve(
        "c", "b", "ground", curve=tm.curves.circle(0.7), radius=0.1, side="right", law="rigid", restitution=0.6
    )
    assert m.simulate(0.1, samples=2)["b"].vy[-1] == pytest.approx(1.2, rel=1e-12)


def sphere(e, velocity, omega=(0.0, 0.0, 0.0), height=0.5, **law):
    m = tm.SpatialModel("sphere")
    m.body("b", position=(0, 0, 0.1 + height), velocity=velocity, omega=omega, mass=0.5, inertia=(0.002,) * 3)
    m.contact_sphere_plane(
        "floor", "b", "ground", radius=0.1, at=(0, 0, 0), normal=(0, 0, 1), law="rigid", restitution=e, **law
    )
    return m


@pytest.mark.parametrize("mu", [0.05, 0.5])
def test_a_sphere_bounces_obliquely_on_a_plane(mu):
    """In space the slip is a vector: friction opposes it, and stops it if the coefficient allows."""
    velocity, omega = np.array([1.0, -2.0, 0.0]), np.array([3.0, 4.0, 0.5])
    r = sphere(0.8, tuple(velocity), tuple(omega), friction=mu).simulate(times=[0.0, 0.4])
    slip = velocity[:2] + np.cross(omega, [0, 0, -0.1])[:2]
    blow = 0.5 * 1.8 * math.sqrt(G)
    push = -slip * min(mu * blow / np.linalg.norm(slip), 0.5 * 2.0 / 7.0)
    np.testing.assert_allclose(r.v[-1, :2], velocity[:2] + push / 0.5, rtol=1e-9)
    spin = omega + np.cross([0, 0, -0.1], [*push, 0.0]) / 0.002
    np.testing.assert_allclose(r["b"].omega[-1], spin, rtol=1e-9)


def test_a_sphere_comes_to_roll_in_space():
    r = sphere(0.0, (1.0, -2.0, 0.0), height=0.0, friction=0.3).simulate(times=[0.0, 5.0, 20.0])
    np.testing.assert_allclose(r.v[1:, :2], np.array([[5.0, -10.0]] * 2) / 7.0, rtol=1e-5)
    assert r.force("floor.normal")[-1] == pytest.approx(0.5 * G, rel=1e-10)


def test_spheres_collide_in_space():
    m = tm.SpatialModel("pair", gravity=(0, 0, 0))
    m.body("one", velocity=(1.0, 0.0, 0.0), mass=1.0, inertia=(0.01,) * 3)
    m.body("two", position=(1.0, 0.1, -0.1), mass=2.0, inertia=(0.01,) * 3)
    m.contact_sphere_sphere("c", "one", "two", radii=(0.2, 0.2), law="rigid", restitution=0.4)
    r = m.simulate(2.0, samples=2)
    late = 1.0 - math.sqrt(0.16 - 0.02)
    line = np.array([1.0 - late, 0.1, -0.1]) / 0.4
    blow = 1.4 * line[0] / 1.5
    np.testing.assert_allclose(r.v[-1, :3], np.array([1.0, 0, 0]) - blow * line, atol=1e-9)
    np.testing.assert_allclose(r.v[-1, 6:9], blow / 2.0 * line, atol=1e-9)


@pytest.mark.parametrize("poisson", [False, True])
def test_blows_never_gain_energy_without_friction_or_at_a_central_point(poisson):
    """Random bodies struck at random points without friction, and under their centres with it."""
    rng = np.random.default_rng(7)
    for central in (False, True):
        for _ in range(100):
            mass = np.diag(rng.uniform(0.1, 2.0, size=3))
            mass[1, 1] = mass[0, 0]
            arm = np.array([0.0, -abs(rng.normal())]) if central else rng.normal(size=2)
            normal, tangent = np.array([0.0, 1.0, arm[0]]), np.array([[1.0, 0.0, -arm[1]]])
            v = rng.normal(size=3)
            if normal @ v >= 0.0:
                v = -v
            e = rng.uniform()
            place = Touching(normal, tangent, e, rng.uniform() if central else 0.0, poisson)
            after, *_ = after_impact(v, admittance(mass, np.zeros((0, 3))), [place])
            assert normal @ after == pytest.approx(-e * (normal @ v), rel=1e-9)
            assert after @ mass @ after <= v @ mass @ v * (1.0 + 1e-12)


def test_rigid_bodies_that_overlap_as_drawn_are_refused():
    m = ball(0.5, height=-0.02)
    with pytest.raises(tm.ModelError, match=r"'floor' overlap by 0\.02 m at t = 0 s \(limit"):
        m.simulate(1.0)


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({}, "the law 'rigid' needs restitution="),
        ({"restitution": 1.5}, "restitution of contact 'c' is 1.5; it must be between 0 and 1"),
        ({"restitution": 0.5, "stiffness": 1e5}, "stiffness= does not belong to the law 'rigid'"),
        ({"restitution": 0.5, "impact": "stronge"}, "impact 'stronge' is not known; use 'newton' or 'poisson'"),
        ({"law": "hertz", "stiffness": 1e5, "impact": "newton"}, "impact= belongs to the law 'rigid', not to 'hertz'"),
        ({"law": "hertz"}, "the law 'hertz' needs stiffness="),
        ({"law": "hertz", "stiffness": 1e5, "stick": True}, "stick=True needs friction="),
    ],
)
def test_bad_input_is_refused(given, sentence):
    m = tm.PlanarModel("bad")
    m.body("b", mass=1.0, inertia=1.0)
    with pytest.raises(tm.ModelError, match=sentence):
        m.contact_line("c", "b", "ground", **{**FLOOR, **given})


def test_friction_that_is_not_offered_is_refused():
    m = tm.PlanarModel("bad")
    m.body("b", mass=1.0, inertia=1.0)
    with pytest.raises(tm.ModelError, match="contact_curve with the law 'rigid' has no friction"):
        m.contact_curve(
            "c", "b", "ground", curve=tm.curves.circle(1.0), radius=0.1, law="rigid", restitution=0.5, friction=0.3
        )


@pytest.mark.parametrize("e", [0.0, 0.3, 0.9])
def test_restitution_of_poisson_keeps_a_tip_that_sticks_from_slipping(e):
    """The tip of a slanting rod: compression stops both its speeds, restitution gives e times the normal impulse back, without slip."""
    gain = np.diag([1 / 2.0, 1 / 2.0, 1 / 0.1])
    x, y = -0.3, -0.4
    normal, tangent = np.array([0.0, 1.0, x]), np.array([1.0, 0.0, -y])
    before = np.array([0.2, -1.0, 0.5])
    after, *_ = after_impact(before, gain, [Touching(normal, tangent[None], e, 50.0, poisson=True)])
    both = np.array([normal, tangent])
    W = both @ gain @ both.T
    first = np.linalg.solve(W, -both @ before)
    assert first[0] > 0.0
    assert tangent @ after == pytest.approx(0.0, abs=1e-14)
    assert normal @ after == pytest.approx((W[0, 0] - W[0, 1] ** 2 / W[1, 1]) * e * first[0], abs=1e-14)


@pytest.mark.parametrize("e", [0.3, 0.8, 1.0])
@pytest.mark.parametrize("share", [0.2, 0.6, 1.05, 1.4, 1.9, 2.5, 6.0])
@pytest.mark.parametrize("smooth_too", [False, True])
def test_poisson_friction_acts_in_compression_and_restitution_apart(e, share, smooth_too):
    """A disc with slip s: friction takes min(mu P, s/a) in compression, P = m v, and min(mu e P, what is left of s/a) in restitution."""
    mass, inertia, radius, mu, speed = 2.0, 0.03, 0.2, 0.15, 3.0
    a = 1.0 / mass + radius**2 / inertia  # slip stopped per impulse
    compression = mass * speed
    # so that `share` of the second limit is needed to stop what compression leaves
    slip = a * (mu * compression + share * e * mu * compression)
    gain = np.diag([1.0 / mass, 1.0 / mass, 1.0 / inertia])
    floor = Touching(np.array([0.0, 1.0, 0.0]), np.array([[1.0, 0.0, radius]]), e, mu, poisson=True)
    ice = Touching(np.array([0.0, 1.0, 0.0]), np.array([[1.0, 0.0, radius]]), e, 0.0, poisson=True)
    v, *_ = after_impact(np.array([slip, -speed, 0.0]), gain, [floor, ice] if smooth_too else [floor])
    assert v[1] == pytest.approx(e * speed, rel=1e-9)
    if smooth_too:  # both carry half of the blow, and one of them has no friction
        taken = min(0.5 * mu * compression * (1.0 + e), slip / a)
    else:
        taken = mu * compression + min(1.0, share) * e * mu * compression
    assert v[0] == pytest.approx(slip - taken / mass, rel=1e-9)
    assert v[2] == pytest.approx(-taken * radius / inertia, rel=1e-9)


@pytest.mark.parametrize("size", [1e-4, 1.0, 1e4])
def test_bounces_do_not_depend_on_the_unit_of_length(size):
    """All lengths and gravity times a factor: the same times, and heights times the factor."""
    m = tm.PlanarModel("ball", gravity=(0.0, -G * size))
    m.body("b", position=(0, 1.1 * size), mass=0.5, inertia=0.002 * size**2)
    m.contact_line("floor", "b", "ground", radius=0.1 * size, restitution=0.5, **FLOOR)
    fall = math.sqrt(2.0 / G)
    times = np.array([0.5, 1.5, 2.2, 2.6, 4.0]) * fall  # touches are at 1, 2, 2.5, 2.75 ... 3 falls, where it rests
    r = m.simulate(times=np.r_[0.0, times])
    flights = ((1, 0.5), (2, 0.2), (3, 0.1))  # number of the bounce, and falls since
    heights = [1.0 - 0.25, *(2.0 * 0.5**n * x - x**2 for n, x in flights), 0.0]
    np.testing.assert_allclose(r["b"].y[1:] / size - 0.1, heights, rtol=0, atol=1e-8)


@pytest.mark.parametrize(("e", "impact"), [(0.6, "newton"), (1.0, "newton"), (0.3, "poisson"), (0.0, "newton")])
def test_what_a_driven_bat_gives_a_ball_is_work_of_its_driver(e, impact):
    speed, mass, drop = 3.0, 0.2, 0.5
    m = tm.PlanarModel("bat")
    bat = m.body("bat", position=(0, -speed * math.sqrt(2 * drop / G)), mass=5.0, inertia=1.0)
    m.prismatic("T", m.ground, bat, at=(0, 0), axis=(0, 1))
    m.driver("lift", "bat.y", f"{speed} * (t - {math.sqrt(2 * drop / G)})")
    m.body("ball", position=(0, drop), mass=mass, inertia=1e-3)
    m.contact_line("C", "ball", bat, at=bat.position, axis=(1, 0), law="rigid", restitution=e, impact=impact)
    r = m.simulate(duration=0.45, samples=10)  # it meets the bat at y = 0, after 0.32 s
    relative = speed + math.sqrt(2 * G * drop)
    assert r.warnings == ()
    assert r.energy.dissipated[-1] == pytest.approx(0.5 * mass * (1 - e**2) * relative**2, rel=1e-9, abs=1e-12)
    # the driver lifts the bat, gives the ball's impulse at the bat's speed, and lifts a ball that stays
    given = (1 + e) * mass * relative * speed + 5.0 * G * speed * 0.45
    given += mass * G * speed * (0.45 - math.sqrt(2 * drop / G)) if e == 0.0 else 0.0
    assert r.energy.input[-1] == pytest.approx(given, rel=1e-9)
    assert np.abs(r.energy.balance).max() < 1e-9


def test_the_top_of_a_bounce_is_an_event():
    """The blow turns the velocity the other way than is watched for: e² of the fall is where it turns by itself."""
    r = ball(0.8, height=0.4).simulate(1.0, events=[tm.Event("top", "b.y.rate", -1)])
    assert [event.name for event in r.events][1:2] == ["top"]  # the first is the start, at rest
    top = [event.time for event in r.events][1]
    assert top == pytest.approx(math.sqrt(0.8 / G) * 1.8, rel=1e-9)


@pytest.mark.parametrize("units", [(1e-6, 1e-9, 1e-3), (1e-3, 1e-3, 1.0), (440.0, 158.0, 0.13), (1e3, 1e6, 1e-3)])
def test_a_rod_on_a_pin_turns_back_at_a_wall_in_any_units_beside_any_dust(units):
    length, mass, time = units
    m = tm.PlanarModel("rod", gravity=(0, 0))
    m.body("rod", position=(0, -0.5 * length), mass=mass, inertia=mass * length**2 / 12, omega=2.0 / time)
    m.body("dust", position=(5 * length, 0), mass=1e-6 * mass, inertia=1e-9 * mass * length**2)
    m.revolute("A", m.ground, "rod", at=(0, 0))
    wall = {"at": (length * math.sin(0.4), 0), "axis": (0, 1), "law": "rigid", "restitution": 0.5}
    m.contact_line("wall", m["rod"].at(0, -0.5 * length), m.ground, **wall)
    r = m.simulate(duration=0.5 * time, samples=6)
    assert r["rod"].omega[-1] * time == pytest.approx(-1.0, rel=1e-9)


@pytest.mark.parametrize("e", [0.0, 0.5])
@pytest.mark.parametrize("pinched", [False, True])
def test_a_driver_that_pushes_on_into_a_wall_is_named_at_once(e, pinched):
    """A press that comes down upon the floor, or upon a ball that lies there."""
    m = tm.PlanarModel("press")
    m.body("press", position=(0, 1), mass=1.0, inertia=0.1)
    m.prismatic("T", m.ground, "press", at=(0, 0), axis=(0, 1))
    m.driver("down", "press.y", "1 - 0.5*t")
    if pinched:
        m.body("ball", position=(0, 0.1), mass=0.1, inertia=1e-3)
        m.contact_line("floor", "ball", "ground", radius=0.1, restitution=e, **FLOOR)
        m.contact_line("met", "ball", "press", radius=0.1, at=(0, 1), axis=(-1, 0), law="rigid", restitution=e)
    else:
        m.contact_line("met", "press", "ground", restitution=e, **FLOOR)
    with pytest.raises(tm.ConvergenceError, match=r"meet at 'met' cannot yield, because joints and drivers") as stopped:
        m.simulate(duration=3.0)
    assert stopped.value.partial.times[-1] == pytest.approx(1.6 if pinched else 2.0, abs=0.02)


@pytest.mark.parametrize("speeds", [(1, 0, 0, 0, -1), (1, 0, 0, 0, 0), (2, 0, 0, 0, -1)])
def test_discs_that_lie_between_two_blows_let_them_pass(speeds):
    """Equal discs hand their speeds on, whatever comes from the other side at the same time."""
    m = tm.PlanarModel("row", gravity=(0, 0))
    for k, (x, speed) in enumerate(zip((-speeds[0], 0.0, 0.1, 0.2, 0.2 - (speeds[4] or -1)), speeds, strict=True)):
        m.body(f"b{k}", position=(x, 0), mass=1.0, inertia=1e-3, velocity=(speed, 0))
    for k in range(4):
        m.contact_discs(f"c{k}", f"b{k}", f"b{k + 1}", radii=(0.05, 0.05), law="rigid", restitution=1.0)
    r = m.simulate(2.0, samples=4)
    after = [float(r[f"b{k}"].vx[-1]) for k in range(5)]
    assert after == pytest.approx(speeds[::-1], abs=1e-9)


@pytest.mark.parametrize(
    ("a", "w", "rtol"),
    [(0.25, 9.3, 1e-6), (0.3, 9.3, 1e-8), (0.35, 9.3, 1e-8), (0.4, 8.0, 1e-6), (0.5, 8.0, 1e-6), (0.5, 9.3, 1e-10), (0.4, 7.0, 1e-8)],
)  # fmt: skip
def test_a_body_leaves_a_shaken_table_where_that_falls_faster(a, w, rtol):
    """Table at a (1 - cos w t): let go where a w² cos(w t) = -g, with gap and its first two rates zero; then free flight."""
    m = tm.PlanarModel("shaken table", gravity=(0.0, -9.81))
    m.body("table", mass=1.0, inertia=1.0)
    m.body("b", position=(0.0, 0.1), mass=0.5, inertia=0.01)
    m.prismatic("guide", m.ground, "table", at=(0, 0), axis=(0, 1))
    m.driver("shaker", "table.y", f"{a}*(1 - cos({w}*t))")
    m.contact_line("c", "b", "table", radius=0.1, at=(0, 0), axis=(1, 0), law="rigid", restitution=0.0)
    end = 1.1 * math.pi / w
    r = m.simulate(end, samples=11, rtol=rtol, atol=1e-2 * rtol)
    go = math.acos(-9.81 / (a * w**2)) / w
    flown = end - go
    height = 0.1 + a * (1.0 - math.cos(w * go)) + a * w * math.sin(w * go) * flown - 0.5 * 9.81 * flown**2
    # the instant of release is off by what the tolerance leaves; the motion is smooth across it, so that errors stay of that size
    assert r["b"].y[-1] == pytest.approx(height, abs=100.0 * rtol)


@pytest.mark.parametrize("moved", [0.0, -700.0, 1e4, 1e6])
@pytest.mark.parametrize("space", [False, True])
def test_a_ball_bounces_to_rest_as_far_from_the_origin_as_one_likes(moved, space):
    """Bounces that halve end at 3 t1, t1 = sqrt(2 h/g), and the ball rolls on at its speed: x = 2 m/s t throughout, without friction."""
    h, radius = 1.0, 0.1
    track = {"radius": radius, "law": "rigid", "restitution": 0.5}
    if space:
        m = tm.SpatialModel("ball", gravity=(0, 0, -9.81))
        m.body("b", position=(0, 0, moved + h + radius), velocity=(2, 0, 0), mass=1.0, inertia=(0.004,) * 3)
        m.contact_sphere_plane("c", "b", "ground", at=(0, 0, moved), normal=(0, 0, 1), **track)
    else:
        m = tm.PlanarModel("ball", gravity=(0, -9.81))
        m.body("b", position=(0, moved + h + radius), velocity=(2, 0), mass=1.0, inertia=0.004)
        m.contact_line("c", "b", "ground", at=(0, moved), axis=(1, 0), **track)
    end = 3.0 * math.sqrt(2.0 * h / 9.81)
    r = m.simulate(times=[0.0, end / 3.0 + 0.1, 1.1 * end])
    height = (r["b"].z if space else r["b"].y) - moved - radius
    # the first rebound at half the speed; a gap counts as closed within 1e-9 of the model's size
    assert height[1] == pytest.approx(0.05 * math.sqrt(2.0 * 9.81) - 0.5 * 9.81 * 0.01, abs=1e-6 + 1e-8 * abs(moved))
    assert height[2] == pytest.approx(0.0, abs=1e-8 * (1.0 + abs(moved)))
    assert r["b"].x == pytest.approx(2.0 * r.times, abs=1e-6)


@pytest.mark.parametrize("angle", [0.3, 0.7, 1.2, -0.3, -0.7, -1.2])
@pytest.mark.parametrize("friction", [0.02, 0.1, 5.0])
def test_friction_opposes_slip_that_begins_in_the_impact(angle, friction):
    """A slanted rod falls without turning: its tip has no slip before the impact, so friction opposes the slip after it.

    Closed form at the tip, (x, y) from the centroid: the impulse (s, p) changes the tip's velocity by
    (s (1/m + y²/I) - p x y/I, p (1/m + x²/I) - s x y/I). It sticks if |x y/I| <= mu (1/m + y²/I), else s = mu p sign(x y).
    """
    check_begun_slip(angle, friction)


@pytest.mark.parametrize("slip", [-1e-10, 1e-10])
@pytest.mark.parametrize(("angle", "friction"), [(0.7, 0.1), (-0.7, 0.1), (0.7, 5.0)])
def test_slip_by_rounding_of_a_fast_impact_has_no_direction(angle, friction, slip):
    check_begun_slip(angle, friction, speed=1000.0, slip=slip)


def check_begun_slip(angle, friction, speed=2.0, slip=0.0):
    mass, half, e = 0.8, 0.5, 0.6
    inertia = mass * half**2 / 3.0
    x, y = half * math.sin(angle), -half * math.cos(angle)
    m = tm.PlanarModel("rod", gravity=(0.0, 0.0))
    m.body("rod", position=(0.0, -y + 0.1), angle=angle, velocity=(slip, -speed), mass=mass, inertia=inertia)
    m.contact_line("floor", m["rod"].at(0.0, -half), "ground", radius=0.0, restitution=e, friction=friction, **FLOOR)
    r = m.simulate(times=[0.0, 0.1 / speed + 1e-6])
    slope = x * y / inertia / (1.0 / mass + y**2 / inertia)  # s/p that holds the tip
    slope = math.copysign(min(abs(slope), friction), slope)
    normal = (1.0 + e) * speed / (1.0 / mass + x**2 / inertia - slope * x * y / inertia)
    rod = r["rod"]
    assert rod.vx[-1] == pytest.approx(slope * normal / mass, rel=1e-9, abs=1e-12)
    assert rod.vy[-1] == pytest.approx(normal / mass - speed, rel=1e-9)
    assert rod.omega[-1] == pytest.approx((x - y * slope) * normal / inertia, rel=1e-9)


# --- works of contacts that are struck together ---------------------------------------------------------------------------


@pytest.mark.parametrize("impact", ["newton", "poisson"])
@pytest.mark.parametrize("e", [0.0, 0.5, 0.9])
def test_each_contact_of_a_row_of_balls_books_its_own_loss(e, impact):
    """Balls that touch are struck one after the other: the blows between two bodies lose m/4 (1 - e^2) of the closing speed squared."""
    m = tm.PlanarModel("balls", gravity=(0.0, 0.0))
    for k, (x, v) in enumerate(((0.0, 2.0), (1.0, 0.0), (1.2, 0.0))):
        m.body(f"b{k}", position=(x, 0.0), mass=1.0, inertia=0.01, velocity=(v, 0.0))
    for k in range(2):
        law = {"law": "rigid", "restitution": e, "impact": impact}
        m.contact_discs(f"c{k}", f"b{k}", f"b{k + 1}", radii=(0.1, 0.1), **law)
    r = m.simulate(0.5, samples=2)
    v, lost = [2.0, 0.0, 0.0], [0.0, 0.0]
    while max(v[0] - v[1], v[1] - v[2]) > 1e-13:
        k = 0 if v[0] - v[1] > v[1] - v[2] else 1
        closing, mean = v[k] - v[k + 1], 0.5 * (v[k] + v[k + 1])
        lost[k] += 0.25 * (1.0 - e * e) * closing**2
        v[k], v[k + 1] = mean - 0.5 * e * closing, mean + 0.5 * e * closing
    assert [r[f"b{k}.vx"][-1] for k in range(3)] == pytest.approx(v, abs=1e-9)
    assert [-r[f"c{k}.work"][-1] for k in range(2)] == pytest.approx(lost, abs=1e-9)


def test_a_contact_that_is_not_struck_books_nothing():
    """A ball that rests on the floor is hit from the side without friction: the floor does no work."""
    m = tm.PlanarModel("on the floor")
    m.body("hit", position=(1.0, 0.1), mass=1.0, inertia=0.004)
    m.body("hitting", position=(0.0, 0.1), mass=1.0, inertia=0.004, velocity=(2.0, 0.0))
    for name in ("hit", "hitting"):
        m.contact_line(
            f"floor_{name}", name, m.ground, radius=0.1, at=(0, 0), axis=(1, 0), law="rigid", restitution=0.0
        )
    m.contact_discs("blow", "hitting", "hit", radii=(0.1, 0.1), law="rigid", restitution=0.5)
    r = m.simulate(0.5, samples=2)
    assert r["blow.work"][-1] == pytest.approx(r.energy.kinetic[-1] - r.energy.kinetic[0], abs=1e-9)
    assert r["floor_hit.work"][-1] == pytest.approx(0.0, abs=1e-9)
