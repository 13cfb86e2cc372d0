"""Fronts of designs: ranks and room by their definitions, moves of the genetic algorithm by their densities, designs that are kept."""

from __future__ import annotations

import math
from types import SimpleNamespace

import numpy as np
import pytest

import pytrammel as tm
from pytrammel.design.optimization.front import _children, _front, _gaps, _room, _sorted, _worth
from pytrammel.errors import RunWarning


def dominates(one, other):
    """Objectives and missed limits of two designs (Deb's constrained domination)."""
    if one[1] <= 0.0 and other[1] <= 0.0:
        return all(a <= b for a, b in zip(one[0], other[0], strict=True)) and any(
            a < b for a, b in zip(one[0], other[0], strict=True)
        )
    return one[1] < other[1]


@pytest.mark.parametrize("seed", range(4))
def test_ranks_are_fronts_that_remain_when_earlier_ones_are_removed(seed):
    rng = np.random.default_rng(seed)
    worth, missed = rng.integers(0, 5, (24, 2)).astype(float), rng.integers(-1, 3, 24).astype(float)
    ranks, _ = _sorted(worth, missed)
    left, rank = list(range(24)), 0
    while left:
        front = [
            k for k in left if not any(dominates((worth[j], missed[j]), (worth[k], missed[k])) for j in left if j != k)
        ]
        assert front and [ranks[k] for k in front] == [rank] * len(front)
        left, rank = [k for k in left if k not in front], rank + 1


def test_room_is_the_distance_of_both_neighbours_in_ranges_of_the_objectives():
    worth = np.array([[0.0, 8.0], [1.0, 4.0], [4.0, 3.0], [5.0, 0.0]])
    assert _room(worth).tolist() == [math.inf, 4 / 5 + 5 / 8, 4 / 5 + 4 / 8, math.inf]
    assert _room(np.array([[2.0, 1.0], [2.0, 5.0], [2.0, 3.0]])).tolist() == [math.inf, math.inf, math.inf]
    flat = _room(np.array([[1.0, 2.0], [1.0, 3.0], [1.0, 4.0], [1.0, 6.0]]))
    assert flat.tolist() == [math.inf, 0.5, 0.75, math.inf]  # an objective without range gives no room
    _, room = _sorted(worth, np.array([0.0, 0.0, 0.0, 0.5]))
    assert room.tolist() == [math.inf, 4 / 4 + 5 / 5, math.inf, math.inf]  # the last one is in another front


def test_spread_of_children_has_the_density_of_a_simulated_binary_crossover():
    """With the index 15, half of the spreads b are at most 1, and P(b <= x) = x^16 / 2, or 1 - x^-16 / 2 above."""
    rng = np.random.default_rng(5)
    count, n = 400, 200  # one variable of 200 is changed by mutation
    people = np.where(rng.random((count, 1)) < 0.5, 0.49, 0.51) * np.ones((1, n))
    children = _children(people, np.zeros(count, dtype=int), np.ones(count), rng)
    spread = np.abs(children - 0.5) / 0.01  # equal parents and variables that are not crossed have the spread 1
    spread = spread[np.abs(spread - 1.0) > 1e-9]
    inner, outer = spread[spread < 1.0], spread[spread > 1.0]
    assert len(inner) / len(spread) == pytest.approx(0.5, abs=0.03)
    for q in (0.25, 0.5, 0.75):
        assert np.quantile(inner, q) == pytest.approx(q ** (1 / 16), abs=0.015)
        assert np.quantile(outer, q) == pytest.approx((1 - q) ** (-1 / 16), abs=0.015)


def test_mutations_have_the_density_of_a_polynomial_mutation():
    """With the index 20, a change d from the middle has P(d <= x) = (1 + x)^21 / 2 below 0, and is symmetric."""
    rng = np.random.default_rng(6)
    count, n = 6000, 8
    people = np.full((count, n), 0.5)
    change = _children(people, np.zeros(count, dtype=int), np.ones(count), rng) - 0.5
    change = change[np.abs(change) > 1e-12]
    assert change.size / (count * n) == pytest.approx(1 / n, abs=0.01)
    for sign in (1.0, -1.0):
        sizes = (sign * change)[sign * change > 0.0]
        assert sizes.size / change.size == pytest.approx(0.5, abs=0.03)
        for q in (0.25, 0.5, 0.75):
            assert np.quantile(sizes, q) == pytest.approx(1 - (1 - q) ** (1 / 21), abs=0.003)


def test_parents_are_winners_by_rank_and_then_by_room():
    rng = np.random.default_rng(7)
    people = np.linspace(0.1, 0.9, 4)[:, None] * np.ones((1, 40))
    people = np.repeat(people, 250, axis=0)
    ranks, room = np.repeat([0, 0, 1, 1], 250), np.tile([1.0, 2.0], 500)
    low = np.median(_children(people, ranks, room, rng), axis=1)
    # of two designs by chance both have the second rank in a quarter of all pairs
    mean = 0.75 * (0.1 + 0.3667) / 2 + 0.25 * (0.6333 + 0.9) / 2
    assert low.mean() == pytest.approx(mean, abs=0.03)
    people = np.where(np.arange(1000) % 2 == 0, 0.2, 0.8)[:, None] * np.ones((1, 40))
    wide = np.median(_children(people, np.zeros(1000, dtype=int), room, rng), axis=1)
    assert wide.mean() == pytest.approx(0.75 * 0.8 + 0.25 * 0.2, abs=0.04)


def test_missed_limits_of_a_design():
    limits = [SimpleNamespace(equal=False), SimpleNamespace(equal=True), SimpleNamespace(equal=False)]
    trial = SimpleNamespace(ok=True, values=[3.0, np.array([0.2, 0.5]), np.array([-0.25]), np.array([-1.0, -2.0])])
    assert _gaps(trial, 1, limits) == pytest.approx([0.5, 0.25 - 1e-6, 0.0], abs=1e-15)
    trial.values[2] = np.array([0.9e-6])
    assert _gaps(trial, 1, limits) == [0.5, 0.0, 0.0]
    assert _worth(trial, 1).tolist() == [3.0]
    lost = SimpleNamespace(ok=False, values=[])
    assert _gaps(lost, 1, limits) == [math.inf] and _worth(lost, 2).tolist() == [math.inf, math.inf]


def front_of(*found):
    model = tm.PlanarModel("m")
    designs = [
        (np.array([float(k)]), np.array(worth, dtype=float), tuple(told)) for k, (worth, *told) in enumerate(found)
    ]
    return _front(model, ["a", "b"], ["x"], designs, "by hand", 7)


def test_a_front_keeps_each_design_that_no_other_dominates_once():
    front = front_of(([3, 1],), ([1, 3],), ([2, 2],), ([2, 2 + 1e-10],), ([2, 2.5],), ([3, 3],))
    np.testing.assert_allclose(front.objectives, [[1, 3], [2, 2], [3, 1]], atol=1e-9)
    assert front.values["x"][[0, 2]].tolist() == [1.0, 0.0] and front.runs == 7 and len(front) == 3
    assert front.knee == 1
    # differences below 1e-9 of the largest value are no improvement
    assert len(front_of(([1, 4],), ([1 - 4e-9, 4 - 4e-9],))) == 1
    assert len(front_of(([1, 4],), ([1 + 4e-9, 4 - 1e-8],))) == 2
    with pytest.raises(tm.TrammelError, match="no design was found"):
        front_of()


def test_warnings_of_a_front_are_counted_by_kind():
    mesh, gap = RunWarning("mesh", "the wheel loses its mesh."), RunWarning("gap", "the gap is wide.")
    with pytest.warns(RunWarning):
        front = front_of(([1, 3], mesh, gap), ([2, 2], mesh, mesh), ([3, 1],), ([4, 4], gap))
    texts = sorted(map(str, front.warnings))
    assert len(texts) == 2 and "1 of 3" in texts[0] + texts[1] and "2 of 3" in texts[0] + texts[1]
