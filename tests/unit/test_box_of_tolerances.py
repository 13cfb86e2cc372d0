"""The box of tolerances, its samples and its best points; output times that open where a series may exceed its samples."""

from __future__ import annotations

import math
from types import SimpleNamespace

import numpy as np
import pytest

from pytrammel.design.optimization.refinement import SHARES, _open, _peaks
from pytrammel.design.synthesis.argument_checks import distinct
from pytrammel.design.uncertainty.worst_case import SAME_PLACE, Box, _all_seen, _interior, _is_new, _Search
from pytrammel.errors import ModelError

GIVEN = {"a": (0.1, 0.3), "b": (0.2, 0.0), "c": (0.0, 0.0)}


class Pin(SimpleNamespace):
    """A pin whose directions are angles in its plane."""

    def spread(self, unit):
        angle = 2.0 * math.pi * unit[:, 0]
        return np.column_stack([np.cos(angle), np.sin(angle)])


class Stub:
    """Variants whose quantity is a formula of their parameters and of a pin's offsets."""

    def __init__(self, quantity, pins=1):
        self.start = np.array([1.0, 2.0, 3.0, *([0.0] * 2 * pins)])
        self.pins = [Pin(name=f"P{k}", radius=0.05 * (k + 1), ways=(0, 1)) for k in range(pins)]
        self.quantity, self.asked = quantity, []

    def places(self):
        return [(pin, slice(3 + 2 * k, 5 + 2 * k)) for k, pin in enumerate(self.pins)]

    def at(self, x):
        self.asked.append(x)
        value = self.quantity(x)
        return SimpleNamespace(x=np.array(x), ok=np.isfinite(value), values=[value])

    def many(self, table):
        return [self.at(x) for x in table]


def test_ends_of_the_box_are_the_ends_of_the_tolerances():
    box = Box(Stub(sum), GIVEN)
    assert box.values(np.array([-1.0, -1.0, -1.0, 0.0, 0.0])).tolist() == [1.0 - 0.1, 2.0 - 0.2, 3.0, 0.0, 0.0]
    assert box.values(np.array([1.0, 1.0, 1.0, 0.0, 0.0])).tolist() == [1.0 + 0.3, 2.0, 3.0, 0.0, 0.0]
    assert box.values(np.array([0.5, 7.0, 0.0, 3.0, 4.0])) == pytest.approx(
        [1.2, 2.0, 3.0, 0.05 / math.sqrt(2), 0.05 / math.sqrt(2)]
    )
    inside = np.array([0.4, -0.3, 0.0, 0.6, -0.7])
    assert (
        box.scaled(box.values(inside)) == pytest.approx(inside, abs=1e-14)
        and box.inside(inside).tolist() == inside.tolist()
    )
    assert box.holds(box.values(inside)) and not box.holds(box.values(inside) + [0.0, 0.2, 0.0, 0.0, 0.0])
    assert not box.holds(np.array([1.0, 2.0, 3.0, 0.04, 0.04]))
    lean = np.array([2.0, -1.0, 0.0, 3.0, -4.0])
    assert box.corner(lean).tolist() == [1.0, -1.0, -1.0, 0.6, -0.8]
    assert box.corner(np.zeros(5)).tolist() == [-1.0, -1.0, -1.0, 0.0, 0.0]


@pytest.mark.parametrize("pins", [0, 1, 2])
def test_samples_fill_the_box_with_pins_at_their_edge_or_halfway(pins):
    trials = Stub(sum, pins)
    search = _Search(Box(trials, GIVEN))
    _interior(search, 3)
    x = np.array(trials.asked)
    assert search.samples == len(x) == (4 if pins else 16) * (3 + 2 * pins)
    z = np.array([search.box.scaled(row) for row in x])
    assert np.abs(z[:, :2]).max() <= 1.0
    for k in (0, 1):  # evenly: each quarter of the range has its share
        assert np.histogram(z[:, k], 4, (-1.0, 1.0))[0] / len(x) == pytest.approx([0.25] * 4, abs=0.12)
    for pin, own in trials.places():
        size = np.linalg.norm(x[:, own], axis=1) / pin.radius
        assert size[::2] == pytest.approx(np.ones(len(size[::2]))) and size[1::2] == pytest.approx(
            0.5 * np.ones(len(size[1::2]))
        )
        angles = np.arctan2(x[:, own][:, 1], x[:, own][:, 0])
        assert np.histogram(angles, 4, (-math.pi, math.pi))[0].min() > 0
    if pins == 2:  # directions of two pins do not go together
        turned = [np.arctan2(x[:, own][:, 1], x[:, own][:, 0]) for _, own in trials.places()]
        assert abs(np.mean(np.exp(1j * (turned[0] - turned[1])))) < 0.6


def test_best_points_are_not_next_to_each_other():
    search = _Search(Box(Stub(lambda x: 10.0 * x[0]), GIVEN))
    for z in (0.9, 0.66, 0.64, 0.3, -0.9):  # half the range is 0.2: steps of 0.24, 0.26
        search.value(np.array([z, 0.0, 0.0, 0.0, 0.0]))
    assert [round(float(z[0]), 9) for z in search.best(1.0, 3)] == [0.9, 0.64, 0.3]
    assert [round(float(z[0]), 9) for z in search.best(-1.0, 2)] == [-0.9, 0.3]
    assert search.reached == pytest.approx((10 * (1.1 - 0.18), 10 * (1.1 + 0.18)))
    assert search.value(np.array([0.9, 0.0, 0.0, 0.0, 0.0])) is not None and len(search.good) == 5  # the same variant


def test_searches_that_end_next_to_each_other_have_found_the_same_extreme():
    place = np.array([0.2, -0.4])
    for factor, new in ((0.98, False), (1.02, True)):
        assert _is_new(place, [(1.0, place + [0.0, factor * SAME_PLACE])]) is new
    assert _is_new(place, [])


def test_extremes_that_remain_unseen_by_boender_and_rinnooy_kan():
    """After n searches with w different ends, w (n - 1)/(n - w - 2) are expected in all."""
    for n in range(1, 40):
        for w in range(1, n + 1):
            expected = w * (n - 1) / (n - w - 2) - w if n > w + 2 else math.inf
            assert _all_seen(w, n) is (expected <= 0.5)


def test_entries_are_the_same_relative_to_the_size_of_all():
    row = np.array([1.0 + 1.0j, 5.0 + 4.0j, 1.0 + 1.0j + 1.02 * 5e-12])
    distinct(row, "points")
    row[2] = 1.0 + 1.0j + 0.98 * 5e-12
    with pytest.raises(ModelError, match="points: entries 0 and 2 are the same"):
        distinct(row, "points")
    with pytest.raises(ModelError, match="angles: entries 0 and 1 are the same"):
        distinct(np.zeros(2), "angles")
    distinct(np.array([0.02, 0.09]), "angles")
    distinct(np.zeros(0), "angles")


def test_times_open_where_a_parabola_exceeds_its_limit_between_samples():
    t = np.array([0.0, 1.0, 2.0, 3.0, 4.0])
    peak = 0.2 - (t - 1.5) ** 2  # the samples next to it are below 0
    opened = _open(t, peak, 1.0, False)
    assert sorted(opened[(opened > 1.0) & (opened < 2.0)]) == pytest.approx(sorted(1.0 + np.array(SHARES)))
    assert not _open(t, peak - 3.0, 1.0, False).size  # far from the limit
    uneven = np.array([0.0, 0.5, 2.0, 3.5, 4.0])
    assert not _open(uneven, 0.3 * uneven - 0.2, 1.0, False).size  # straight lines exceed no samples
    assert set(_open(uneven, 0.2 - (uneven - 1.5) ** 2, 1.0, True)) > set(
        0.5 + 1.5 * np.array(SHARES)
    )  # the largest value
    for short in (t[:2], np.array(3.0)):
        assert not _open(t[:2], short, 1.0, False).size
    assert not _open(t, np.array([0.0, 1.0, np.nan, 1.0, 0.0]), 1.0, False).size


def test_peaks_are_samples_above_both_neighbours_near_the_limit():
    v = np.array([-0.5, -1.0, -0.2, -0.2, -3.0, -0.4, -2.0, -0.1])
    assert _peaks(v, False, 0.3).tolist() == [3, 7]
    assert _peaks(v, False, 0.6).tolist() == [0, 3, 5, 7]
    assert _peaks(v, True, 0.35).tolist() == [3, 5, 7] and _peaks(np.array(1.0), True, 1.0).size == 0
