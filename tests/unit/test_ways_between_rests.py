"""Ways between equilibria: distances without whole turns, repulsion of known equilibria, curves of positions and neutral walks."""

import math

import numpy as np
import pytest

import pytrammel as tm
from pytrammel.analysis.positions.assembly import active_rows
from pytrammel.analysis.rest.at_rest import ROUNDED, STEADY, STILL, TOLERANCE, Balance, Standstill, vanish
from pytrammel.analysis.rest.equilibria import _beside, _leads_to, _neutral_directions, _new, _rise
from pytrammel.analysis.rest.rest_curve import Curve, distance, one_way, wound
from pytrammel.system.lowering import lower

TAU = math.tau


def free_body(dimension=2):
    """A body without joints, and a size of the model other than 1 m."""
    m = (tm.PlanarModel if dimension == 2 else tm.SpatialModel)("free", gravity=(0.0,) * dimension)
    b = m.body("b", position=(3.0, *(0.0,) * (dimension - 1)), mass=1.0, inertia=0.5)
    m.spring("s", m.ground.at(*(0.0,) * dimension), b.at(*(0.1,) * dimension), stiffness=10.0, free_length=2.0)
    return balance_of(m)


def balance_of(m):
    system = lower(m, dynamics=True)
    return Balance(system, active_rows(system), 0.0)


def ball(k1=1.0, k2=4.0):
    """A particle that slides on a plane between springs of stiffness k1 along x and k2 along y, at rest in the origin."""
    m = tm.PlanarModel("plane", gravity=(0, 0))
    b = m.body("b", mass=1.0, inertia=0.5)
    m.user_force("X", b.x, f"-{k1}*b.x")
    m.user_force("Y", b.y, f"-{k2}*b.y")
    m.user_force("T", b.phi, "-3*b.phi")
    return balance_of(m)


@pytest.mark.parametrize("turn", [0.3, -2.0, 3.1, 3.3, -3.3, TAU + 0.4, 5 * TAU - 0.4])
def test_ways_in_the_plane_have_no_whole_turns(turn):
    problem = free_body()
    q = problem.system.start.copy()
    other = q + (0.2, -0.4, turn)
    size = problem.scales[0]
    short = math.remainder(turn, TAU)
    assert problem.scales == pytest.approx([size, size, 1.0]) and size != 1.0
    assert wound(problem, other, q) == pytest.approx([0.2 / size, -0.4 / size, short], abs=1e-12)
    assert distance(problem, other, q) == pytest.approx(max(0.4 / size, abs(short)), abs=1e-12)


@pytest.mark.parametrize("dimension", [2, 3])
@pytest.mark.parametrize("seed", range(4))
def test_repulsion_is_the_slope_of_its_logarithm(dimension, seed):
    """ln(1 / d² + 1) along a step by central differences; in the plane the distance of an angle is the chord 2 sin(angle / 2)."""
    problem, rng = free_body(dimension), np.random.default_rng(seed)
    n = problem.scales.size
    way, step = rng.uniform(-1.5, 1.5, (2, n)) * problem.scales
    if dimension == 3:
        way[3:], step[3:] = 0.0, 0.0  # rotations do not add up
    root = problem.system.start.copy()

    def placed(move):
        q = root.copy()
        q[: 3 if dimension == 3 else n] += move[: 3 if dimension == 3 else n]
        return q

    def height(share):
        off = (way + share * step) / problem.scales
        if dimension == 2:
            off[2] = 2.0 * math.sin(off[2] / 2.0)
        return math.log(1.0 / (off @ off) + 1.0)

    h = 1e-5
    expected = (height(h) - height(-h)) / (2.0 * h)
    assert _rise(problem, placed(way), root, step) == pytest.approx(expected, rel=1e-7)


def test_a_known_rest_repels_without_bound():
    problem = free_body()
    q = problem.system.start.copy()
    step = np.array([1e-9, 0.0, 0.0]) * problem.scales
    assert _rise(problem, q, q, step) == 0.0
    assert _rise(problem, q + 1e-6 * problem.scales * (1, 0, 0), q, step) == pytest.approx(-2e-3, rel=1e-6)


@pytest.mark.parametrize(("off", "new"), [(0.5e-6, False), (2e-6, True), (-2e-6, True)])
def test_rests_a_millionth_apart_are_one(off, new):
    problem = ball()
    q = np.zeros(3)
    assert _new(problem, q, [])
    assert _new(problem, q + (off * problem.scales[0], 0.0, 0.0), [q]) is new
    assert not _new(problem, q, [q + 1.0, q])


def test_directions_without_stiffness_are_neutral():
    problem = ball(k2=0.0)
    along = _neutral_directions(problem, np.zeros(3))
    assert along.shape == (3, 1)
    assert np.abs(along[:, 0]) / np.abs(along).max() == pytest.approx([0.0, 1.0, 0.0], abs=1e-9)
    assert _neutral_directions(ball(), np.zeros(3)).shape == (3, 0)
    for share, count in ((0.9, 1), (1.1, 0)):  # limit 1e-8 times the largest stiffness, 3 N m/rad
        assert _neutral_directions(ball(k2=share * 3e-8), np.zeros(3)).shape[1] == count


def test_starts_beside_a_rest_are_on_both_sides_of_its_softest_directions():
    problem = ball(k1=1.0, k2=400.0)
    starts = np.array(_beside(problem, np.zeros(3)))
    here = problem.at(np.zeros(3))
    assert len(starts) == 8
    sizes = np.abs(starts / problem.scales).max(axis=1)
    assert sorted(sizes / sizes.max()) == pytest.approx([0.1] * 4 + [1.0] * 4, rel=1e-6)
    assert starts.sum(axis=0) == pytest.approx(np.zeros(3), abs=1e-12)
    assert np.abs(starts[:, 1]).max() < 1e-9  # the stiff direction is none of the two softest
    assert here.stiffness.shape == (3, 3)
    assert not _beside(ball(k2=0.0), np.zeros(3))


def test_a_walk_along_a_neutral_direction_reaches_places_on_it():
    problem = ball(k2=0.0)
    reach = problem.scales[1]
    assert _leads_to(problem, np.zeros(3), np.array([0.0, 3.0 * reach, 0.0]))
    assert _leads_to(problem, np.zeros(3), np.array([0.0, -3.0 * reach, 0.0]))
    assert not _leads_to(problem, np.zeros(3), np.array([0.5 * reach, 3.0 * reach, 0.0]))


def test_a_walk_on_a_plane_without_forces_reaches_every_place():
    problem = ball(k1=0.0, k2=0.0)
    assert _leads_to(problem, np.zeros(3), np.array([1.1, -0.7, 0.0]) * problem.scales)
    assert not _leads_to(problem, np.zeros(3), np.array([0.5, 0.0, 1.0]) * problem.scales)


def slider(force):
    m = tm.PlanarModel("slider", gravity=(0, 0))
    b = m.body("b", mass=1.0, inertia=1.0)
    m.prismatic("T", m.ground, b, at=(0, 0), axis=(1, 0))
    m.user_force("F", b.x, force)
    return balance_of(m)


def test_a_curve_of_positions_is_walked_through_once():
    """A moment sin(2 φ) - 1/2 vanishes at 15° and 75°, and half a turn further; all are on the one closed curve."""
    m = tm.PlanarModel("crank", gravity=(0, 0))
    m.body("b", mass=1.0, inertia=1.0)
    m.revolute("J", m.ground, "b", at=(0, 0))
    m.user_force("F", "J.angle", "sin(2*J.angle) - 0.5")
    problem = balance_of(m)
    curve = Curve(problem)
    assert one_way(problem, np.zeros(3)) and not one_way(ball(), np.zeros(3))
    assert not curve.knows(np.zeros(3))
    rests = sorted(float(q[2]) % TAU for q in curve.rests(np.array([0.0, 0.0, 1.0])))
    assert rests == pytest.approx(np.radians([15.0, 75.0, 195.0, 255.0]), abs=1e-9)
    for angle in (0.0, 2.0, -3.0, 9.0):
        assert curve.knows(np.array([0.0, 0.0, angle]))
    assert not curve.knows(np.array([0.0, 0.1 * problem.scales[0], 0.0]))


def test_the_pull_is_the_force_along_the_curve_against_the_forces_at_work():
    problem = slider("2*b.x - 7")
    curve = Curve(problem)
    t = curve._direction(np.zeros(3))
    assert np.abs(t) == pytest.approx([1.0, 0.0, 0.0], abs=1e-12)
    force, size = problem.forces(np.zeros(3))
    assert force[0] == pytest.approx(-7.0) and size > 0.0
    assert curve._pull(np.zeros(3), t) == pytest.approx(-7.0 * problem.scales[0] * t[0] / size, rel=1e-12)
    assert curve._pull(np.zeros(3), -t) == -curve._pull(np.zeros(3), t)


@pytest.mark.parametrize(
    ("before", "after", "changes"),
    [(1, -1, True), (-1, 1, True), (1, 1, False), (-1, -1, False), (0, 1, True), (1, 0, True), (0, 0, False),
     (0.9 * TOLERANCE, -0.9 * TOLERANCE, False), (0.9 * TOLERANCE, -1.1 * TOLERANCE, True)],
)  # fmt: skip
def test_a_rest_lies_where_the_force_changes_its_sign(before, after, changes):
    assert Curve._changes(before, after) is changes


def test_a_search_that_moves_by_rounding_stands_still_after_some_steps():
    still = Standstill(np.array([2.0, 1.0]))
    small, large = np.array([1.9, -0.9]) * STILL, np.array([0.0, 1.1]) * STILL
    assert [still.reached(small) for _ in range(STEADY)] == [False] * (STEADY - 1) + [True]
    assert not still.reached(large)
    assert [still.reached(small) for _ in range(STEADY - 1)] == [False] * (STEADY - 1)
    assert not still.reached(small, vanishing=False) and not still.reached(small)
    assert STEADY == 5


@pytest.mark.parametrize(("share", "expected"), [(0.9, True), (1.1, False)])
@pytest.mark.parametrize(("stiffness", "size"), [(3.0, 0.0), (0.0, 7.0), (3.0, 7.0)])
def test_forces_vanish_within_the_rounding_of_positions_or_of_forces(stiffness, size, share, expected):
    limit = 1e-13 * stiffness + 1e-11 * size
    K = np.array([[0.5 * stiffness, 0.0], [-stiffness, 0.0]])
    assert vanish(np.array([0.0, -share * limit]), K, size) is expected
    assert (ROUNDED, TOLERANCE) == (1e-13, 1e-11)
