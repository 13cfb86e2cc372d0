"""Gear trains against brute force; counterweights, springs and flywheels against dynamics of the built model."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest

import pytrammel as tm
from pytrammel import synthesis

pytestmark = pytest.mark.search

# gears -----------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("ratio", [math.pi, -math.e, 0.731, 1.4142])
@pytest.mark.parametrize("stages", [1, 2, 3])
def test_the_best_gear_train_of_a_small_range_is_the_one_found_by_trying_all(ratio, stages):
    low, high = 12, {1: 40, 2: 24, 3: 16}[stages]
    if not (low / high) ** stages <= abs(ratio) <= (high / low) ** stages:
        with pytest.raises(tm.ModelError, match="out of reach"):
            synthesis.gear_trains(ratio, stages=stages, teeth=(low, high))
        return
    single = {Fraction(b, a) for a in range(low, high + 1) for b in range(low, high + 1)}
    products = {math.prod(each) for each in itertools.combinations_with_replacement(sorted(single), stages)}
    errors = sorted(abs(float(each) / abs(ratio) - 1) for each in products)
    found = synthesis.gear_trains(ratio, stages=stages, teeth=(low, high), count=3)
    assert found[0].error == pytest.approx(errors[0], abs=1e-14)
    assert math.copysign(1, found[0].ratio) == math.copysign(1, ratio)


@pytest.mark.parametrize("stages", [1, 2, 3])
@pytest.mark.parametrize("teeth", [(17, 30), (20, 25)])
def test_the_ratios_at_the_ends_of_the_reach_are_met(teeth, stages):
    low, high = teeth
    for end, beyond in ((Fraction(low, high), -1e-9), (Fraction(high, low), 1e-9)):
        best = synthesis.gear_trains(float(end) ** stages, stages=stages, teeth=teeth, count=1)[0]
        assert best.fraction == (-1) ** (stages + best.idler) * end**stages
        with pytest.raises(tm.ModelError, match="out of reach"):
            synthesis.gear_trains(float(end) ** stages * (1.0 + beyond), stages=stages, teeth=teeth)


@pytest.mark.parametrize("ratio, stages", [(-3.5, 1), (3.5, 1), (12.3, 2), (-12.3, 2), (40.0, 3)])
def test_gears_turn_with_the_ratio_in_kinematics(ratio, stages):
    train = synthesis.gear_trains(ratio, stages=stages, teeth=(17, 80), count=1)[0]
    k = train.model().kinematics(0.1, samples=3, progress=False)
    assert k[f"shaft{stages}"].omega[-1] == pytest.approx(k["shaft0"].omega[-1] / train.ratio, rel=1e-10)
    assert train.ratio == pytest.approx(ratio, rel=1e-2)


def test_planetary_trains_are_the_best_of_all_and_turn_with_their_ratio():
    for ratio in (4.4, -2.7, 1.3, 0.24):
        best = synthesis.planetary_trains(ratio, teeth=(15, 90), count=1)[0]
        brute = math.inf
        for sun, planet in itertools.product(range(15, 91), repeat=2):
            ring = sun + 2 * planet
            if ring > 90 or (sun + ring) % 3 or (sun + planet) * math.sin(math.pi / 3) <= planet + 2:
                continue
            q = ring / sun
            for value in (1 + q, 1 / (1 + q), 1 + 1 / q, 1 / (1 + 1 / q), -q, -1 / q):
                brute = min(brute, abs(value / ratio - 1))
        assert best.error == pytest.approx(brute, abs=1e-14)
        k = best.model().kinematics(0.1, samples=3, progress=False)
        assert k[best.driving].omega[-1] / k[best.driven].omega[-1] == pytest.approx(best.ratio, rel=1e-10)


@pytest.mark.parametrize("low, high, planets", [(5, 15, 1), (5, 16, 2), (6, 24, 3), (5, 25, 4), (4, 30, 5), (3, 9, 3)])
def test_every_planetary_train_of_a_range_is_found_once(low, high, planets):
    """All that can be built: gears and ring within the range, whole spacing, planets with tips (radius z + 2) apart."""
    pairs = set()
    for sun, planet in itertools.product(range(1, 2 * high), repeat=2):
        places = np.exp(2j * np.pi * np.arange(planets) / planets) * (sun + planet)
        apart = planets == 1 or abs(places[1] - places[0]) > 2 * (planet + 2) * (1 + 1e-12)
        within = all(low <= teeth <= high for teeth in (sun, planet, sun + 2 * planet))
        if within and apart and (2 * sun + 2 * planet) % planets == 0:
            pairs.add((sun, planet))
    assert any(sun + 2 * planet == high for sun, planet in pairs)  # the ends of the range are met
    ratios = {pair: 1 + (pair[0] + 2 * pair[1]) / pair[0] for pair in pairs}  # sun drives, ring is fixed
    aim = min(ratios.values())
    found = synthesis.planetary_trains(aim, teeth=(low, high), planets=planets, count=10**6)
    driven = [(train.sun, train.planet) for train in found if (train.driving, train.driven) == ("sun", "carrier")]
    assert len(driven) == len(set(driven))
    assert set(driven) == pairs


# shaking forces --------------------------------------------------------------------------------------------------------------

BAR = synthesis.FourBar((0, 0), (0, 0.04), (0.08, 0.082), (0.12, 0))
LINKS = {
    "crank": synthesis.LinkMass(0.3, (0.002, 0.02), 1e-4),
    "coupler": synthesis.LinkMass(0.5, (0.05, 0.08), 4e-4),
    "rocker": synthesis.LinkMass(0.4, (0.1, 0.045), 3e-4),
}


def shaking(balance: synthesis.Balance, balanced: bool) -> np.ndarray:
    """Force and moment about the origin on the frame [N, N m] at 60 rad/s."""
    return (
        balance.model(balanced=balanced, speed=60.0).inverse_dynamics(0.1, samples=41, progress=False).ground_reaction
    )


def test_counterweights_take_the_shaking_force_of_a_four_bar_to_rounding():
    balance = synthesis.balance(BAR, LINKS, radius=0.03)
    before, after = (np.abs(shaking(balance, each)[:, :2]).max() for each in (False, True))
    assert before > 10.0 and after < 1e-9 * before
    assert set(balance.counterweights) == {"crank", "rocker"}


def test_counterweights_take_the_shaking_force_of_a_slider_crank_to_rounding():
    design = synthesis.SliderCrank((0, 0), (0.04, 0), (0.18, 0.01))
    links = {
        "crank": synthesis.LinkMass(0.8, (0.015, 0.004), 4e-4),
        "rod": synthesis.LinkMass(0.3, (0.09, 0.01), 6e-4),
        "slider": synthesis.LinkMass(0.5, (0.18, 0.02), 1e-4),
    }
    balance = synthesis.balance(design, links, radius=0.05)
    before, after = (np.abs(shaking(balance, each)[:, :2]).max() for each in (False, True))
    assert before > 10.0 and after < 1e-9 * before


def test_wheels_take_the_shaking_moment_as_well():
    b, c = np.array(BAR.B), np.array(BAR.C)
    links = {**LINKS, "coupler": synthesis.LinkMass(0.5, b + 0.4 * (c - b), 2e-4)}
    balance = synthesis.balance(BAR, links, radius=0.03, moments=True)
    before, after = (np.abs(shaking(balance, each)).max(axis=0) for each in (False, True))
    assert np.all(after < 1e-9 * before)
    assert before[2] > 0.1 and balance.added_inertia > 0


# springs ---------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "given",
    [
        {"anchor": 0.2, "attachment": 0.15},
        {"stiffness": 900.0, "anchor": 0.2},
        {"stiffness": 900.0, "attachment": 0.1},
    ],
)
def test_a_spring_without_free_length_holds_a_link_wherever_it_is_left(given):
    design = synthesis.spring_balance(3.0, 0.25, **given)
    m = design.model(start=-1.2)
    m.driver("hand", m["O"].angle, "-1.2 + t")
    d = m.inverse_dynamics(2.4, samples=25, progress=False)
    assert np.abs(d.effort("hand")).max() < 1e-11 * 3.0 * 9.81 * 0.25 + 1e-12
    assert design.residual < 1e-14


def test_the_torque_left_by_a_spring_with_free_length_is_that_of_the_model_and_the_least():
    design = synthesis.spring_balance(3.0, 0.25, anchor=0.3, attachment=0.2, free_length=0.05)
    m = design.model(start=-1.0)
    m.driver("hand", m["O"].angle, "-1 + t")
    d = m.inverse_dynamics(2.0, samples=21, progress=False)
    assert np.allclose(-d.effort("hand"), design.torque(-1.0 + d.times), rtol=0, atol=1e-10)
    angles = np.linspace(*design.span, 181)
    left = np.sum(design.torque(angles) ** 2)
    for factor in (0.99, 1.01):
        other = synthesis.SpringBalance(3.0, 0.25, 0.3, 0.2, factor * design.stiffness, 0.05, design.span)
        assert np.sum(other.torque(angles) ** 2) > left


@pytest.mark.parametrize("stiffness", [0.0, 100.0, 245.25])
@pytest.mark.parametrize(("mass", "arm"), [(3.0, 0.25), (0.5, 1.5)])
def test_the_residual_of_a_spring_is_its_share_of_the_torque_of_the_weight(mass, arm, stiffness):
    """Without free length the spring takes the same share of the torque of the weight at every angle."""
    share = stiffness * 0.3 * 0.2 / (mass * 9.81 * arm)
    design = synthesis.SpringBalance(mass, arm, 0.3, 0.2, stiffness, 0.0, (-1.0, 1.0))
    assert design.residual == pytest.approx(abs(1.0 - share), abs=1e-12)


# flywheels -------------------------------------------------------------------------------------------------------------------


def test_a_press_with_its_flywheel_keeps_the_asked_steadiness():
    """A shaft driven by the mean torque against a load of 80 (1 + sin(angle))² N m."""
    angles = np.linspace(0, math.tau, 20001)
    design = synthesis.flywheel(angles, 80 * (1 + np.sin(angles)) ** 2, speed=20.0, fluctuation=0.05, existing=0.1)
    assert design.mean_torque == pytest.approx(120.0, rel=1e-9)  # mean of (1 + sin)² is 3/2
    m = tm.PlanarModel("press", gravity=(0, 0))
    m.body("shaft", mass=1.0, inertia=design.inertia + 0.1, omega=20.0)
    m.revolute("S", m.ground, "shaft", at=(0, 0))
    m.torque("load", "shaft", torque=f"{design.mean_torque} - 80*(1 + sin(S.angle))^2")
    d = m.simulate(1.5, samples=6001, rtol=1e-10, progress=False)
    speed = d["shaft"].omega
    # the work between the extremes does not depend on the speed: J (w1² - w2²) / 2
    high, low = speed.max(), speed.min()
    assert 0.5 * (design.inertia + 0.1) * (high**2 - low**2) == pytest.approx(design.energy, rel=1e-6)
    mean = 0.5 * (high + low)
    assert (high - low) / mean == pytest.approx(0.05 * (20.0 / mean) ** 2, rel=1e-6)
    assert math.cos(d["S"].angle[np.argmax(speed)] - design.fastest) == pytest.approx(1.0, abs=1e-4)


def test_the_flywheel_of_a_stepped_torque_is_that_of_the_closed_form():
    """Punching: 300 N m for a quarter of a turn, else nothing; mean 75 N m, swing 75 × 3/4 turn = 353.4 J."""
    quarter = math.pi / 2
    angles = [0, 1e-9, quarter, quarter + 1e-9, math.tau]
    design = synthesis.flywheel(angles, [0, 300, 300, 0, 0], speed=10.0, fluctuation=0.1)
    assert design.energy == pytest.approx(75 * 0.75 * math.tau, rel=1e-6)
    assert design.inertia == pytest.approx(design.energy / (0.1 * 100), rel=1e-12)
    assert design.disc(0.5) == pytest.approx(8 * design.inertia)


def test_the_flywheel_of_a_triangular_torque_is_that_of_the_closed_form():
    """0 to 100 N m at half a turn and back: above the mean of 50 N m from a quarter to three quarters, a triangle of 50 N m by π."""
    design = synthesis.flywheel([0, math.pi, math.tau], [0, 100, 0], speed=10.0, fluctuation=0.1)
    assert design.mean_torque == pytest.approx(50.0, rel=1e-12)
    assert design.energy == pytest.approx(0.5 * 50.0 * math.pi, rel=1e-12)
    assert (design.fastest, design.slowest) == pytest.approx((0.5 * math.pi, 1.5 * math.pi), rel=1e-12)


@pytest.mark.parametrize("seed", range(3))
def test_a_flywheel_does_not_depend_on_further_points_of_the_same_torque(seed):
    random = np.random.default_rng(seed)
    angles = np.concatenate([[0.0], np.sort(random.uniform(0.0, math.tau, 7)), [math.tau]])
    torque = random.uniform(-100.0, 200.0, 9)
    torque[-1] = torque[0]
    coarse = synthesis.flywheel(angles, torque, speed=10.0, fluctuation=0.1)
    finer = np.union1d(angles, np.linspace(0.0, math.tau, 5001))
    fine = synthesis.flywheel(finer, np.interp(finer, angles, torque), speed=10.0, fluctuation=0.1)
    assert (fine.energy, fine.inertia, fine.mean_torque) == pytest.approx(
        (coarse.energy, coarse.inertia, coarse.mean_torque), rel=1e-11
    )
    assert (fine.fastest, fine.slowest) == pytest.approx((coarse.fastest, coarse.slowest), abs=1e-9)


# bad input -------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "ask, words",
    [
        (lambda: synthesis.gear_trains(0), "is 0"),
        (lambda: synthesis.gear_trains(3, teeth=(40, 20)), "lower bound 40 is above the upper bound 20"),
        (lambda: synthesis.gear_trains(3, teeth=(2, 20)), "at least 3"),
        (lambda: synthesis.gear_trains(300), "out of reach"),
        (lambda: synthesis.gear_trains(3, stages=4), "stages must be"),
        (lambda: synthesis.gear_trains(3, count=0), "count must be"),
        (lambda: synthesis.planetary_trains(40), "out of reach"),
        (lambda: synthesis.planetary_trains(4, planets=0), "planets must be"),
        (lambda: synthesis.balance(BAR, {"crank": LINKS["crank"]}, radius=0.1), "for each of crank, coupler, rocker"),
        (lambda: synthesis.balance(BAR, LINKS, radius=-1), "greater than 0"),
        (lambda: synthesis.balance(BAR, LINKS, radius=0.1, moments=True), "off the line"),
        (lambda: synthesis.balance("bar", LINKS, radius=0.1), "FourBar or a SliderCrank"),
        (lambda: synthesis.LinkMass(-1, (0, 0)), "greater than 0"),
        (lambda: synthesis.spring_balance(1, 1), "give two of"),
        (lambda: synthesis.spring_balance(1, 1, stiffness=1, anchor=1, free_length=0.1), "the stiffness is found"),
        (lambda: synthesis.spring_balance(1, 1, anchor=1, attachment=1, span=(1, 0)), "exchange them"),
        (lambda: synthesis.spring_balance(1, 1, anchor=0.1, attachment=0.1, free_length=5), "slack or pushes"),
        (lambda: synthesis.flywheel([0, 1, 2], [1, 2, 3], speed=1, fluctuation=0.1), "end as it begins"),
        (lambda: synthesis.flywheel([0, 2, 1], [1, 2, 1], speed=1, fluctuation=0.1), "must increase"),
        (lambda: synthesis.flywheel([0, 1, 2], [1, 2, 1], speed=1, fluctuation=3), "would stop"),
        (lambda: synthesis.flywheel([0, 1, 2], [1, 2, 1], speed=0, fluctuation=0.1), "greater than 0"),
    ],
)  # fmt: skip
def test_bad_input_is_answered_in_sentences(ask, words):
    with pytest.raises(tm.ModelError, match=words):
        ask()
