"""Guidance of bodies and points: designs against kinematics of their models, Burmester's points against known linkages."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

import pytrammel as tm
from pytrammel import synthesis
from pytrammel.design.synthesis.four_bar import moved_pins
from pytrammel.design.synthesis.generation.fitting import undrawn
from pytrammel.design.synthesis.generation.path_starts import random_four_bars, random_slider_cranks
from pytrammel.design.synthesis.slider_crank import moved_rod

pytestmark = pytest.mark.search

POSES = [(0, 0, 0), (1, 0.2, 0.3), (1.8, 0.9, 0.7), (2.1, 1.8, 1.2), (2.0, 2.6, 1.5)]
CHOICES = {
    2: {"moving": [(0, -1), (1, -0.5)], "reach": (1.0, 2.0)},
    3: {"moving": [(0, -1), (1, -0.5)]},
    4: {},
    5: {},
}
TIMING = np.array([0.0, 0.4, 0.9, 1.5, 2.2])


def random_crank_rocker(rng: np.random.Generator) -> synthesis.FourBar:
    while True:
        bar = synthesis.FourBar(
            (0, 0), rng.normal(size=2), 2 * rng.normal(size=2), 2 * rng.normal(size=2), 2 * rng.normal(size=2)
        )
        if bar.grashof == "crank-rocker" and bar.transmission_worst > 0.3:
            return bar


def poses_of(bar, cranks: np.ndarray) -> list[tuple[float, float, float]]:
    moved = bar.complex_at(cranks)
    return [(p.real, p.imag, a) for p, a in zip(moved["P"], np.angle(moved["C"] - moved["B"]))]


def confirmed(design) -> tuple[np.ndarray, np.ndarray]:
    """Places of P and turns of the coupler in the wanted positions, by kinematics of the model."""
    speed = math.copysign(1.0, design.turns[-1])
    k = design.model(speed=speed).kinematics(times=np.abs(design.turns), progress=False)
    return np.column_stack([k["P"].x, k["P"].y]), k["coupler"].angle


@pytest.mark.parametrize("count", [2, 3, 4, 5])
def test_guided_bodies_stand_in_their_poses(count):
    poses = np.array(POSES[:count])
    designs = synthesis.motion_four_bars(POSES[:count], **CHOICES[count])
    assert designs
    for design in designs:
        assert design.residual < 1e-11  # 1e-12 of the longest link, of up to 100 sizes
    for design in [each for each in designs if not each.defects][:2]:
        places, turned = confirmed(design)
        assert np.allclose(places, poses[:, :2], rtol=0, atol=1e-10)
        assert np.allclose(np.exp(1j * turned), np.exp(1j * (poses[:, 2] - poses[0, 2])), rtol=0, atol=1e-10)


def test_the_links_of_known_four_bars_are_among_the_burmester_points():
    rng = np.random.default_rng(4)
    for _ in range(40):
        bar = random_crank_rocker(rng)
        cranks = np.sort(rng.uniform(0, math.tau, 5))
        if np.min(np.diff(cranks)) < 0.3:
            continue
        found = synthesis.dyads(poses_of(bar, cranks))
        moved = bar.at(cranks[0])
        assert len(found) in (2, 4)  # real roots of a quartic, two of which are known
        for fixed, moving in ((bar.A, moved["B"]), (bar.D, moved["C"])):
            assert any(
                each.fixed is not None
                and math.dist(each.fixed, fixed) + math.dist(each.moving, moving) < 1e-7 * sum(bar.lengths)
                for each in found
            )


def test_all_burmester_points_lie_where_the_curves_of_two_sets_of_four_poses_meet():
    """Brute force: a fine grid of the body, cubic curves of poses 1-2-3-4 and 1-2-3-5, real crossings counted by refinement."""
    from scipy.optimize import fsolve

    from pytrammel.design.synthesis.dyads import forms

    table = np.array(POSES)
    n = forms(np.exp(1j * table[:, 2]), table[:, 0] + 1j * table[:, 1])

    def both(b):
        m = np.einsum("jkl,l->jk", n, np.array([*b, 1.0]))
        return np.linalg.det(m[[0, 1, 2]]), np.linalg.det(m[[0, 1, 3]])

    crossings = set()
    for start in np.stack(np.meshgrid(np.linspace(-4, 4, 17), np.linspace(-4, 4, 17)), -1).reshape(-1, 2):
        root, _, ok, _ = fsolve(both, start, full_output=True, xtol=1e-13)
        m = np.einsum("jkl,l->jk", n, np.array([*root, 1.0]))
        if ok == 1 and np.linalg.svd(m, compute_uv=False)[-1] < 1e-9:
            crossings.add(tuple(np.round(root, 5)))
    moving = {tuple(np.round(each.moving, 5)) for each in synthesis.dyads(POSES)}
    assert crossings == moving and len(moving) == 4


def test_every_pair_of_the_curves_of_four_poses_is_a_link():
    moving, fixed = synthesis.burmester_curves(POSES[:4], samples=90)
    poses = np.array(POSES[:4])
    turn = np.exp(1j * poses[:, 2])
    track = turn[:, None] * (moving[:, 0] + 1j * moving[:, 1]) + (poses[:, 0] + 1j * poses[:, 1])[:, None]
    lengths = np.abs(track - (fixed[:, 0] + 1j * fixed[:, 1]))
    assert len(moving) > 30
    assert np.max(np.ptp(lengths, axis=0) / lengths[0]) < 1e-11


def test_a_slider_crank_is_recognised_in_its_own_poses():
    slider = synthesis.SliderCrank((0, 0), (0.3, 0.4), (1.5, 0.2), 0.1, (0.7, 0.8))
    cranks = np.array([0.9, 1.2, 1.6, 2.1, 2.5])
    designs = [
        each for each in synthesis.motion_four_bars(poses_of(slider, cranks)) if isinstance(each, synthesis.SliderCrank)
    ]
    assert any(
        each.crank == pytest.approx(0.5, abs=1e-9) and each.offset == pytest.approx(slider.offset, abs=1e-9)
        for each in designs
    )
    assert all(each.residual < 1e-12 for each in designs)


def test_three_places_in_a_line_make_a_slide():
    (dyad,) = synthesis.dyads([(0, 0, 0), (1, 0, 0.3), (2.5, 0, 0.9)], moving=(0, 0))
    assert dyad.fixed is None and dyad.direction == pytest.approx(0.0)


def test_a_fixed_pivot_and_the_moving_pivot_found_for_it_belong_together():
    (there,) = synthesis.dyads(POSES[:3], fixed=(0.5, -1))
    (back,) = synthesis.dyads(POSES[:3], moving=there.moving)
    assert back.fixed == pytest.approx((0.5, -1), abs=1e-12)


# paths -----------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("count", [3, 4, 5])
def test_paths_with_timing_are_met_at_the_asked_turns(count):
    points = np.array(POSES)[:count, :2]
    designs = synthesis.path_four_bars(points, timing=TIMING[:count], fixed=[(0, -2), (3, -2)] if count == 3 else None)
    assert designs
    for design in designs:
        assert design.residual < 1e-11
        turned = np.array(design.cranks) - design.cranks[0]
        assert np.allclose(np.exp(1j * turned), np.exp(1j * TIMING[:count]), rtol=0, atol=1e-11)
    good = [each for each in designs if not each.defects]
    places, _ = confirmed(good[0])
    assert np.allclose(places, points, rtol=0, atol=1e-10)


def test_a_known_four_bar_is_found_from_five_points_of_its_path_with_timing():
    rng = np.random.default_rng(9)
    for _ in range(12):
        bar = random_crank_rocker(rng)
        points = bar.at(bar.crank_angle + TIMING)["P"]
        found = synthesis.path_four_bars(points, timing=TIMING)
        assert any(np.allclose(each.lengths, bar.lengths, rtol=1e-6) for each in found)
        # Roberts: the cognate with the same crank turns is a solution as well
        other = synthesis.cognates(bar)[0]
        if max(other.lengths) < 50 * np.max(np.abs(points - points[0])) and min(other.lengths) > 1e-3:
            assert any(np.allclose(each.lengths, other.lengths, rtol=1e-6) for each in found)


@pytest.mark.parametrize("count", [4, 7, 9])
def test_paths_without_timing_are_met(count):
    bar = synthesis.FourBar((0, 0), (0, 0.04), (0.08, 0.082), (0.12, 0), (0.099, 0.024))
    points = bar.at(bar.crank_angle + np.linspace(0, 5, count))["P"]
    designs = synthesis.path_four_bars(points, starts=25)
    for design in designs:
        assert design.residual < 1e-12
        assert np.allclose(design.at(design.cranks, side=design.sides)["P"], points, rtol=0, atol=1e-12)


def test_many_points_of_a_coupler_curve_lead_back_to_it_or_its_cognate():
    bar = synthesis.FourBar((0, 0), (0, 0.04), (0.08, 0.082), (0.12, 0), (0.099, 0.024))
    turns = np.linspace(0, 6, 15)
    best = synthesis.path_four_bars(bar.at(bar.crank_angle + turns)["P"], timing=turns)[0]
    cousins = [bar, synthesis.cognates(bar)[0]]
    assert best.residual < 1e-10 and any(np.allclose(best.lengths, each.lengths, rtol=1e-6) for each in cousins)


@pytest.mark.parametrize("timed", [False, True])
def test_the_poses_of_a_coupler_lead_back_to_its_four_bar(timed):
    bar = synthesis.FourBar((0, 0), (0.3, 0.95), (3.2, 2.1), (4, 0), (1.5, 3.2))
    turns = np.linspace(0, 4, 9)
    poses = poses_of(bar, bar.crank_angle + turns)
    found = synthesis.motion_four_bars(poses, timing=turns if timed else None, starts=2)
    assert found[0].residual < 1e-11 and any(np.allclose(each.lengths, bar.lengths, rtol=1e-6) for each in found)


@pytest.mark.parametrize("count", [3, 4, 5])
def test_poses_with_timing_are_met_at_the_asked_turns(count):
    bar = synthesis.FourBar((0, 0), (0.3, 0.95), (3.2, 2.1), (4, 0), (1.5, 3.2))
    turns = np.linspace(0, 2, count)
    best = synthesis.motion_four_bars(poses_of(bar, bar.crank_angle + turns), timing=turns, starts=2)[0]
    assert best.residual < 1e-11
    assert np.allclose(np.unwrap(np.array(best.cranks) - best.cranks[0]), turns, rtol=0, atol=1e-11)


@pytest.mark.parametrize("timed", [False, True])
def test_points_of_a_rod_lead_back_to_its_slider_crank(timed):
    slider = synthesis.SliderCrank((0, 0), (0.3, 0.4), (1.5, 0.2), 0.1, (0.7, 0.8))
    turns = np.linspace(0, 5.5, 12)
    points = slider.at(0.9 + turns)["P"]
    best = synthesis.path_slider_cranks(points, timing=turns if timed else None, starts=40, full_turn=True)[0]
    assert best.residual < 1e-9 and best.full_turn and best.defects == ()
    assert (best.crank, best.rod, abs(best.offset)) == pytest.approx(
        (slider.crank, slider.rod, abs(slider.offset)), rel=1e-6
    )


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize(
    ("starts", "path_of"),
    [
        (random_four_bars, lambda x, turns: moved_pins(undrawn(x), turns)["P"]),
        (random_slider_cranks, lambda x, turns: moved_rod(undrawn(x[:8]), x[8], turns)["P"]),
    ],
)
def test_random_linkages_are_laid_nearest_to_the_wanted_points(starts, path_of, seed):
    """No shift, turn or change of scale brings the path of the drawn linkage nearer: the normal equations of least squares."""
    rng = np.random.default_rng(seed)
    turns = np.linspace(0.0, 2.0, 6)
    wanted = rng.normal(size=6) + 1j * rng.normal(size=6)
    found = list(starts(wanted, turns, 16, rng))
    assert len(found) == 4
    for x, at in found:
        assert at == pytest.approx(turns, abs=1e-12)
        path = path_of(x, turns)
        gap = wanted - path
        assert abs(gap.mean()) < 1e-9
        assert abs((gap * path.conj()).mean()) < 1e-9


def test_the_transmission_angle_of_a_slider_crank_is_the_least_on_its_way():
    """Brute force over the travel; a crank that does not go round counts between its wanted positions only."""
    rng = np.random.default_rng(4)
    seen = set()
    for _ in range(30):
        slider = synthesis.SliderCrank((0, 0), *rng.normal(size=(2, 2)), rng.uniform(-3, 3))
        cranks = slider.cranks[0] + np.linspace(0, rng.uniform(0.2, 1.0), 4)
        moved = slider.complex_at(cranks)
        if np.all(np.isfinite(moved["C"])):
            slider = slider.visiting(
                list(zip(moved["B"].tolist(), moved["C"].tolist(), strict=True)), 0.0, "stroke [m]"
            )
        if slider.defects:
            continue
        swept = slider.complex_at(np.linspace(*slider.travel, 4001)[1:-1])
        lean = (swept["C"] - swept["B"]) * np.exp(-1j * slider.direction)
        # cosines, as the angle itself has a steep root at a dead point
        assert math.cos(slider.transmission_worst) == pytest.approx(np.nanmax(np.abs(lean.imag)) / slider.rod, abs=2e-3)
        seen.add((slider.full_turn, len(slider.cranks)))
    assert len(seen) > 2


# bad input -------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "ask, words",
    [
        (lambda: synthesis.dyads([(0, 0, 0)]), "poses: 1 given, but at least 2"),
        (lambda: synthesis.dyads([*POSES, (3, 3, 2)]), "at most 5"),
        (lambda: synthesis.dyads([POSES[0], POSES[0], POSES[1]], moving=(0, 0)), "poses 0 and 1 are the same"),
        (lambda: synthesis.dyads(POSES[:2]), "give moving="),
        (lambda: synthesis.dyads(POSES[:3], turn=1.0), "leave no choice of turn="),
        (lambda: synthesis.dyads(POSES, moving=(0, 0)), "5 poses leave no choice of moving="),
        (lambda: synthesis.dyads([(0, 0), (1, 1)]), "three numbers"),
        (lambda: synthesis.motion_four_bars(POSES[:3], moving=[(0, 0)]), "for both links"),
        (lambda: synthesis.motion_four_bars([(0, 0, 0), (1, 0, 0), (2, 0, 0), (3, 0.5, 0), (4, 0, 0)]), "no four-bar guides"),
        (lambda: synthesis.path_four_bars([(0, 0), (1, 1)]), "at least 3"),
        (lambda: synthesis.path_four_bars([(0, 0), (1, 1), (0, 0)]), "entries 0 and 2 are the same"),
        (lambda: synthesis.path_four_bars(np.array(POSES)[:, :2], timing=[0, 1]), "timing: 2 given"),
        (lambda: synthesis.path_four_bars(np.array(POSES)[:, :2], timing=[0, 1, 2]), "one turn for each point"),
        (lambda: synthesis.path_four_bars(np.array(POSES)[:, :2], timing=[1, 2, 3, 4, 5]), "begin with 0"),
        (lambda: synthesis.path_four_bars(np.array(POSES)[:3, :2], timing=[0, 1, 2]), "give fixed="),
        (lambda: synthesis.path_four_bars(np.array(POSES)[:, :2], starts=0), "starts must be"),
        (lambda: synthesis.burmester_curves(POSES), "at most 4"),
        (lambda: synthesis.motion_four_bars(POSES, timing=[0, 1]), "one turn for each pose"),
        (lambda: synthesis.motion_four_bars(POSES, timing=[1, 2, 3, 4, 5]), "begin with 0"),
        (lambda: synthesis.motion_four_bars([*POSES, (3, 3, 2)], moving=[(0, 0), (1, 1)]), "moving= is for up to five poses"),
        (lambda: synthesis.straight_line_four_bars((0, 1), (1, 2), fixed=[(0, 0), (1, 0)]), "parallel to the line of the fixed pivots"),
        (lambda: synthesis.straight_line_four_bars((0, 1), (1, 1), fixed=[(0, 0), (0, 0)]), "the same point"),
        (lambda: synthesis.straight_line_four_bars((0, 1), (1, 1), fixed=[(0, 0)]), "the two fixed pivots"),
    ],
)  # fmt: skip
def test_bad_input_is_answered_in_sentences(ask, words):
    with pytest.raises(tm.ModelError, match=words):
        ask()


@pytest.mark.parametrize("way", [[(1, 0), (2, 1)], [(0.5, 0.8), (-0.3, 1.1)]])
def test_a_parallelogram_is_never_taken_apart(way):
    # poses that do not turn: both links are equal and parallel, and all positions lie on the one way of the parallelogram
    poses = [(0, 0, 0), *((x, y, 0) for x, y in way)]
    for bar in tm.synthesis.motion_four_bars(poses, moving=[(0, 1), (1, 0)]):
        assert bar.grashof == "change point" and bar.residual < 1e-12
        assert not any("circuit defect" in each for each in bar.defects)
        assert all("change point, behind which chance decides" in each for each in bar.defects if "branch" in each)


@pytest.mark.parametrize("clockwise", [False, True])
@pytest.mark.parametrize("case", range(4))
def test_a_rocking_crank_travels_from_its_first_wanted_position_to_its_last(case, clockwise):
    """Between its ends, whichever comes first: of directions inside the range of a crank that cannot go round."""
    rng = np.random.default_rng(case)
    crank, coupler, rocker = rng.uniform(2.5, 3.0, 3)  # the ground is too long for a turn
    b = crank * np.exp(1j * 0.3)
    away = abs(6.0 - b)
    along = (away**2 + coupler**2 - rocker**2) / (2 * away)
    c = b + (6.0 - b) / away * complex(along, math.sqrt(coupler**2 - along**2))
    bar = synthesis.FourBar((0, 0), (b.real, b.imag), (c.real, c.imag), (6, 0))
    ((low, high),) = bar.crank_ranges
    assert not bar.full_turn and bar.travel == (low, high)
    cranks = tuple(float(x) for x in np.sort(rng.uniform(low, high, 4))[:: -1 if clockwise else 1])
    asked = replace(bar, cranks=cranks, sides=(1,) * 4)
    assert asked.travel == pytest.approx((min(cranks), max(cranks)), abs=1e-12)


def test_burmester_curves_try_even_turns_of_the_link() -> None:
    """The turn of each link from the first pose to the second is one of 40 parts of a turn, and every pivot keeps its distance."""
    poses = [(0.0, 0.0, 0.1), (1.0, 0.4, 0.6), (1.7, 1.2, 1.3), (1.9, 2.3, 1.8)]
    moving, fixed = synthesis.burmester_curves(poses, samples=40)
    where = np.array([complex(x, y) for x, y, _ in poses])
    spin = np.exp(1j * np.array([angle for *_, angle in poses]))
    body = (moving[:, 0] + 1j * moving[:, 1] - where[0]) / spin[0]
    arms = where + body[:, None] * spin - (fixed[:, 0] + 1j * fixed[:, 1])[:, None]
    assert len(arms) > 20
    np.testing.assert_allclose(abs(arms), np.tile(abs(arms[:, :1]), (1, 4)), rtol=1e-6)
    parts = np.angle(arms[:, 1] / arms[:, 0]) / math.tau * 40
    np.testing.assert_allclose(parts, np.round(parts), atol=1e-6)
    assert not (np.round(parts) % 40 == 0).any()


@pytest.mark.parametrize(("count", "kept"), [(24, 24), (25, 13), (48, 24), (49, 17)])
def test_at_most_24_evenly_spread_links_of_a_curve_are_joined(monkeypatch, count: int, kept: int) -> None:
    from pytrammel.design.synthesis.generation import motions

    pairs = []
    monkeypatch.setattr(motions, "dyads", lambda poses, **_: list(range(count)))
    monkeypatch.setattr(motions, "_joined", lambda one, two, *_: pairs.append((one, two)) or (one, two))
    spin = np.exp(1j * np.arange(4.0))
    motions._exact(POSES[:4], spin, spin, None, None, (1.0, 1.0), None)
    used = sorted({one for one, _ in pairs})
    assert len(used) == kept and len(pairs) == kept * (kept - 1) and len(set(np.diff(used).tolist())) == 1
