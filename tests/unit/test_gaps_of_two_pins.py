"""A plate on two pins further apart than its holes: gaps of redundant equations, tolerances and adjacent positions in closed form."""

import math

import numpy as np
import pytest

import pytrammel as tm
from pytrammel.analysis.freedom.mobility import FELL_BACK, NUDGES, _adjacent_positions, _nudged, truly_redundant
from pytrammel.analysis.freedom.rank import rank_at
from pytrammel.analysis.positions.assembly import active_rows
from pytrammel.analysis.positions.residuals import residuals
from pytrammel.analysis.positions.tolerant import _approach, _largest, close_within, gap_left_by, gaps_at, too_open
from pytrammel.kernels import layout as L
from pytrammel.system.lowering import lower
from pytrammel.system.positions import difference

HOLES = 2.0  # m


def plate(gap, tolerance=0.0):
    m = tm.PlanarModel("plate", closure_tolerance=tolerance)
    b = m.body("b")
    m.revolute("A", m.ground.at(0.0, 0.0), b.at(0.0, 0.0))
    m.revolute("B", m.ground.at(HOLES + gap, 0.0), b.at(HOLES, 0.0))
    system = lower(m)
    return system, active_rows(system)


@pytest.mark.parametrize("gap", [1e-4, -1e-4])
def test_the_gap_of_redundant_pins_is_the_difference_of_their_distances(gap):
    system, rows = plate(gap, tolerance=1e-3)
    q = np.array([0.1, -0.2, 0.3])
    report = np.zeros(3)
    status, exact = close_within(system, rows, 0.0, q, report)
    assert status == L.OK and len(exact) == 3 and set(exact) < set(rows)
    assert report[1] == pytest.approx(abs(gap) / system.length, rel=1e-3) and report[0] > 0
    (found,) = gaps_at(system, rows, q, 0.0, exact)
    assert found.size == pytest.approx(abs(gap), rel=1e-3)
    assert found.constraint in ("A", "B") and (found.unit, found.time) == ("m", 0.0)
    assert found.limit == pytest.approx(1e-3, rel=1e-12)


@pytest.mark.parametrize(("gap", "left"), [(5e-4, 5e-4), (0.5, 0.25)])
def test_pins_that_stay_open_are_reported_with_the_remaining_gap(gap, left):
    """A small gap is collected by the redundant equation, a large one is shared by both pins."""
    system, rows = plate(gap, tolerance=1e-5)
    q, report = np.zeros(3), np.full(3, -1.0)
    status, acting = close_within(system, rows, 0.0, q, report)
    assert status == L.NOT_CONVERGED and acting == tuple(rows)
    assert report[0] > 0 and report[1] == pytest.approx(left / system.length, rel=1e-3) and report[2] == 0.0
    assert _largest(system, rows, q, 0.0) == pytest.approx(report[1], rel=1e-9)


def test_gaps_are_those_of_the_rows_that_are_not_exact():
    system, rows = plate(1e-4, tolerance=1e-3)
    q = np.zeros(3)
    assert [(g.constraint, g.size) for g in gaps_at(system, rows, q, 0.0)] == [("B", pytest.approx(1e-4, rel=1e-3))]
    assert [g.constraint for g in gaps_at(system, rows, q, 0.0, rows[1:])] == []  # row 0 holds here
    assert gaps_at(system, rows, q, 0.0, rows) == ()


@pytest.mark.parametrize(("tolerance", "closes"), [(0.9e-4, False), (1.1e-4, True)])
def test_pins_close_where_the_tolerance_exceeds_their_gap(tolerance, closes):
    system, rows = plate(1e-4, tolerance)
    assert (close_within(system, rows, 0.0, np.zeros(3), np.zeros(3))[0] == L.OK) is closes


def test_models_without_tolerance_have_no_gaps():
    system, rows = plate(0.0)
    assert gaps_at(system, rows, np.zeros(3), 0.0) == ()


@pytest.mark.parametrize(
    ("tolerances", "expected"), [((), 0.0), ((1e-5,), 0.0), ((1e-5, 1e-3), 1e-4), ((1e-3, 1e-5), 1e-4)]
)
def test_the_gap_is_that_of_the_first_tolerance_within_which_the_pins_close(tolerances, expected):
    system, rows = plate(1e-4)
    q = np.zeros(3)
    assert gap_left_by(system, rows, 0.0, q, tolerances) == pytest.approx(expected, rel=1e-3)
    assert not q.any()
    assert system.model.closure_tolerance == 0.0


def test_the_largest_residual_is_in_row_scales():
    system, rows = plate(0.5)
    assert system.length != 1.0
    assert _largest(system, rows, np.zeros(3), 0.0) == pytest.approx(0.5 / system.length, rel=1e-12)
    assert _largest(system, rows[:2], np.zeros(3), 0.0) == 0.0
    assert _largest(system, [], np.zeros(3), 0.0) == 0.0
    assert math.isnan(_largest(system, rows, np.array([0.0, math.nan, 0.0]), 0.0))


def test_an_approach_ends_at_the_compromise_or_where_it_is_near_enough():
    """Least squares place the plate in the middle: half of the gap remains at each pin."""
    system, rows = plate(0.02)
    q = np.array([0.3, 0.2, 0.4])
    assert _approach(system, rows, 0.0, q, 0.0) > 0
    assert _largest(system, rows, q, 0.0) == pytest.approx(0.01 / system.length, rel=1e-3)
    there = q.copy()
    assert _approach(system, rows, 0.0, there, 0.011 / system.length) == 0
    assert np.array_equal(there, q)


@pytest.mark.parametrize(
    ("gap", "parts"),
    [
        (
            2e-3,
            (
                "opens: gap 0.002 m at revolute 'B' at t = 1.5 s",
                "closure_tolerance accepts 0.001 m",
                "closure_tolerance of 0.0022 m or more",
            ),
        ),
        (0.5, ("gap 0.5 m", "of 0.55 m or more")),
    ],
)
def test_a_gap_that_is_too_large_names_the_tolerance_needed(gap, parts):
    system, rows = plate(2e-3, tolerance=1e-3)
    text = too_open(system, rows[-1], gap, 1.5)
    for part in parts:
        assert part in text


def cranks(angle=math.pi / 2):
    """Parallelogram of cranks of 2 m with a coupler of 4 m; at angle 0 all are on one line."""
    m = tm.PlanarModel("cranks")
    tip = 2.0 * np.array([math.cos(angle), math.sin(angle)])
    for k, x in enumerate((0.0, 4.0)):
        m.body(f"crank{k}", position=(x, 0.0), angle=angle)
        m.revolute(f"G{k}", m.ground, f"crank{k}", at=(x, 0.0))
    m.body("coupler", position=tuple(tip))
    for k, x in enumerate((0.0, 4.0)):
        m.revolute(f"T{k}", f"crank{k}", "coupler", at=(x + tip[0], tip[1]))
    system = lower(m)
    return system, active_rows(system), np.asarray(system.start, dtype=float)


def test_a_nudge_moves_the_fastest_column_by_its_size_in_scales():
    system, _, q = cranks()
    direction = np.array([0.1, 0.0, 0.0, 0.02, -0.4, 0.3, 0.0, 0.0, 0.2])
    away = difference(system, _nudged(system, q, direction, -0.05), q)
    assert system.column_scales()[0] != 1.0
    assert away / system.column_scales() == pytest.approx(-0.05 * direction / 0.4, rel=1e-12)
    assert np.array_equal(_nudged(system, q, np.zeros(9), 0.05), q)


@pytest.mark.parametrize("angle", [0.0, 0.7])
def test_adjacent_positions_are_closed_and_neither_back_nor_far(angle):
    system, rows, q = cranks(angle)
    found = rank_at(system, q, 0.0, rows)
    adjacent = list(_adjacent_positions(system, rows, q, 0.0, found))
    assert len(adjacent) >= 2
    for near in adjacent:
        assert np.abs(residuals(system, near, 0.0)[rows]).max() < 1e-9
        off = np.abs(difference(system, near, q) / system.column_scales()).max()
        assert FELL_BACK * NUDGES[0] <= off <= 5.0 * NUDGES[0]  # longer ways only where the shortest lead back
    turns = sorted(np.sign([difference(system, near, q)[system.columns.index("crank0.phi")] for near in adjacent]))
    assert turns[0] == -1.0 and turns[-1] == 1.0


def test_equations_of_a_change_point_are_not_redundant():
    system, rows, q = cranks(0.0)
    assert not truly_redundant(system, rows, rank_at(system, q, 0.0, rows), q, 0.0)
    pins, own = plate(0.0)
    q = np.zeros(3)
    assert truly_redundant(pins, own, rank_at(pins, q, 0.0, own), q, 0.0)
