"""Impulses at points that touch: closed forms of a particle, Schur complements, and both sides of the cone of friction."""

import math

import numpy as np
import pytest

from pytrammel.analysis.events.impacts import (
    IMMOVABLE,
    SLACK,
    Touching,
    _given_normals,
    _impulse_and_normals,
    admittance,
    after_impact,
    balancing,
    solved,
)

FLOOR = np.array([0.0, 1.0])
ALONG = np.array([[1.0, 0.0]])


def struck(v, e, friction, *, poisson=False, mass=1.0):
    """Velocity of a particle after an impact with a floor."""
    place = Touching(FLOOR, ALONG, e, friction, poisson)
    return after_impact(np.array(v), np.eye(2) / mass, [place])[0]


@pytest.mark.parametrize("mass", [0.2, 5.0])
@pytest.mark.parametrize("slip", [0.74, 0.76, 2.0, -0.74, -0.76])
def test_a_particle_sticks_within_the_cone_of_friction(slip, mass):
    """Newton: the normal impulse is m (1 + e) v, and friction at most μ times as much: 0.5 · 1.5 · 1 m/s = 0.75 m/s."""
    expected = (math.copysign(max(0.0, abs(slip) - 0.75), slip), 0.5)
    assert struck((slip, -1.0), 0.5, 0.5, mass=mass) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("slip", [0.4, 0.7, 0.89, 0.91, 1.5])
def test_poisson_lets_friction_act_in_both_phases(slip):
    """Friction removes up to μ v in the compression and up to μ e v in the restitution: 0.5 m/s + 0.4 m/s here."""
    expected = (max(0.0, slip - 0.9), 0.8)
    assert struck((slip, -1.0), 0.8, 0.5, poisson=True) == pytest.approx(expected, abs=1e-12)


def test_a_point_that_slides_in_space_keeps_its_direction():
    normal, tangents = np.array([0.0, 0.0, 1.0]), np.eye(3)[:2]
    v, total, works = after_impact(np.array([3.0, 4.0, -2.0]), np.eye(3), [Touching(normal, tangents, 0.0, 0.5)])
    assert v == pytest.approx((2.4, 3.2, 0.0), abs=1e-12)  # the slip of 5 m/s loses 0.5 · 2 m/s
    assert total == pytest.approx((-0.6, -0.8, 2.0), abs=1e-12)
    assert works == pytest.approx([0.5 * (2.4**2 + 3.2**2 - 29.0)], abs=1e-12)


@pytest.mark.parametrize(
    ("share", "slides"), [(1.0 - 10 * SLACK, False), (1.0 + 0.5 * SLACK, False), (1.0 + 10 * SLACK, True)]
)
@pytest.mark.parametrize("phase", ["both", "restitution"])
def test_the_cone_of_friction_has_a_slack_for_rounding(share, slides, phase):
    """A tangential impulse at most 1e-9 above the limit sticks completely; above, some slip remains."""
    place, v = Touching(FLOOR, ALONG, 1.0, 0.5), np.array([0.5 * share, -1.0])
    if phase == "both":
        impulse = _impulse_and_normals(v, np.eye(2), [place], goals=np.zeros(1))[0]
    else:
        impulse = _given_normals(v, np.eye(2), [place], np.ones(1))
    left = (v + impulse.sum(axis=0))[0]
    assert bool(abs(left) < 1e-14) is not slides
    if slides:
        assert left == pytest.approx(0.5 * (share - 1.0), rel=1e-6)


def test_given_normal_impulses_slide_at_one_point_while_another_sticks():
    """Two particles with the same slip and normal impulses, one on ice: friction acts at the other alone."""
    normals, tangents = np.eye(4)[[1, 3]], np.eye(4)[[0, 2]]
    places = [Touching(n, t[None], 1.0, mu) for n, t, mu in zip(normals, tangents, (0.5, 0.1), strict=True)]
    impulses = _given_normals(np.array([0.4, 0.0, 0.4, 0.0]), np.eye(4), places, np.ones(2))
    assert impulses == pytest.approx(np.array([[-0.4, 1.0, 0.0, 0.0], [0.0, 0.0, -0.1, 1.0]]), abs=1e-12)


def test_normal_parts_of_impulses_are_returned_for_each_point():
    normals, tangents = np.eye(4)[[1, 3]], np.eye(4)[[0, 2]]
    places = [Touching(n, t[None], 1.0, mu) for n, t, mu in zip(normals, tangents, (0.5, 0.1), strict=True)]
    v = np.array([0.4, -1.0, 0.4, -2.0])
    gain = np.diag([1.0, 1.0, 0.5, 0.5])  # masses of 1 kg and 2 kg
    impulses, sizes = _impulse_and_normals(v, gain, places, goals=np.array([0.5, 0.0]))
    assert sizes == pytest.approx([1.5, 4.0], abs=1e-12)
    assert impulses == pytest.approx(np.array([[-0.4, 1.5, 0.0, 0.0], [0.0, 0.0, -0.4, 4.0]]), abs=1e-12)


def test_a_point_that_opens_already_is_not_struck():
    v, total, works = after_impact(np.array([1.0, 1e-3]), np.eye(2), [Touching(FLOOR, ALONG, 0.5, 0.5)])
    assert np.array_equal(v, (1.0, 1e-3)) and not total.any() and not works.any()


@pytest.mark.parametrize(("speed", "struck_too"), [(0.5e-12, False), (2e-12, True)])
def test_points_that_close_by_rounding_only_are_not_struck(speed, struck_too):
    """The threshold is 1e-12 of the fastest approach, 3 m/s here."""
    places = [Touching(n, np.zeros((0, 2)), 0.0, 0.0) for n in np.eye(2)]
    v = after_impact(np.array([-3.0, -3.0 * speed]), np.eye(2), places)[0]
    assert v[0] == 0.0 and bool(v[1] == 0.0) is struck_too


def test_admittance_is_the_inverse_mass_on_free_motions():
    """M⁻¹ - M⁻¹ Jᵀ (J M⁻¹ Jᵀ)⁻¹ J M⁻¹, with masses of 1 g to 1 t; a dependent constraint equation has no effect."""
    rng = np.random.default_rng(3)
    mass = np.diag([1e-3, 1.0, 20.0, 1e3])
    joints = rng.normal(size=(2, 4))
    weak = np.linalg.inv(mass)
    expected = weak - weak @ joints.T @ np.linalg.solve(joints @ weak @ joints.T, joints @ weak)
    for rows in (joints, np.vstack([joints, joints.sum(axis=0)])):
        assert admittance(mass, rows) == pytest.approx(expected, rel=1e-7, abs=1e-9 * abs(expected).max())


def test_admittance_of_held_motions_is_exactly_zero():
    gain = admittance(np.diag([2.0, 3.0]), np.array([[1.0, 0.0]]))
    assert not gain[0].any() and not gain[:, 0].any()
    assert gain[1, 1] == pytest.approx(1.0 / 3.0, rel=1e-12)


def test_balanced_matrices_have_largest_entries_near_one():
    rng = np.random.default_rng(5)
    sizes = 10.0 ** rng.uniform(-6.0, 6.0, 6)
    matrix = np.outer(sizes, sizes) * rng.normal(size=(6, 6))
    matrix += matrix.T
    matrix[4], matrix[:, 4] = 0.0, 0.0
    factors = balancing(matrix)
    largest = np.abs(matrix * np.outer(factors, factors)).max(axis=1)
    assert factors[4] == 1.0 and largest[4] == 0.0
    assert np.delete(largest, 4) == pytest.approx(np.ones(5), abs=0.1)


def test_a_matrix_that_is_balanced_keeps_its_scales():
    assert np.array_equal(balancing(np.diag([1.09, 1.0])), (1.0, 1.0))
    assert balancing(np.diag([1.11, 1.0]))[0] == pytest.approx(1.11**-0.5, rel=1e-12)


def test_impulses_reach_given_rates_at_light_or_heavy_bodies():
    mobility, rows = np.array([1e9, 1e-6, 1.0]), np.diag([1.0, 2.0, 3.0])
    gain = np.diag(mobility)
    columns = rows + 0.1 * np.sqrt(np.divide.outer(mobility, mobility))  # about as strong in every rate
    wanted = np.array([1.0, -2.0, 3.0]) * np.sqrt(mobility)
    sizes = solved(rows, gain, columns, wanted)
    assert rows @ gain @ columns.T @ sizes == pytest.approx(wanted, rel=1e-9)


@pytest.mark.parametrize(("share", "moves"), [(0.5, False), (2.0, True)])
def test_impulses_cannot_move_held_coordinates(share, moves):
    """Along (1, 1) the gain is 2 + 2 c, which falls short of 1e-13 of the diagonal where c is near -1."""
    c = -1.0 + share * IMMOVABLE
    size = solved(np.array([[1.0, 1.0]]), np.array([[1.0, c], [c, 1.0]]), np.array([[1.0, 1.0]]), np.ones(1))[0]
    assert bool(size) is moves


@pytest.mark.parametrize("friction", [0.1, 0.2])
def test_slip_that_begins_in_space_is_opposed_by_friction(friction):
    """A normal impulse p makes a point without slip slide by p (0.3, -0.4) m/s: friction acts against that with p times μ."""
    gain = np.array([[1.0, 0.0, 0.3], [0.0, 1.0, -0.4], [0.3, -0.4, 2.0]])
    place = Touching(np.array([0.0, 0.0, 1.0]), np.eye(3)[:2], 0.0, friction)
    v, total, _ = after_impact(np.array([0.0, 0.0, -1.0]), gain, [place])
    direction = np.array([0.6, -0.8])
    normal = 1.0 / (2.0 - friction * 0.5)  # of (0.3, -0.4) along the direction: 0.5
    assert total == pytest.approx([*(-friction * normal * direction), normal], abs=1e-12)
    assert v == pytest.approx([*((0.5 - friction) * normal * direction), 0.0], abs=1e-12)


@pytest.mark.parametrize("seed", range(3))
def test_given_normal_impulses_stop_all_slip_where_friction_is_large(seed):
    rng = np.random.default_rng(seed)
    root, rows = rng.normal(size=(6, 6)), rng.normal(size=(6, 6))
    gain, v, sizes = root @ root.T, rng.normal(size=6), np.array([1.0, 2.0])
    places = [Touching(rows[3 * k], rows[3 * k + 1 : 3 * k + 3], 0.5, 1e6) for k in range(2)]
    impulses = _given_normals(v, gain, places, sizes)
    after = v + gain @ impulses.sum(axis=0)
    assert np.vstack([c.tangents for c in places]) @ after == pytest.approx(np.zeros(4), abs=1e-9)
    for c, impulse, size in zip(places, impulses, sizes, strict=True):
        parts = np.linalg.lstsq(np.column_stack([c.normal, c.tangents.T]), impulse, rcond=None)[0]
        assert parts[0] == pytest.approx(size, rel=1e-9)


@pytest.mark.parametrize("friction", [0.5, 2.0])
def test_a_point_that_sticking_would_pull_slides(friction):
    """To stop the slip of -3 m/s, the floor would have to pull; while the point slides, p (1 + 0.9 μ) = 1.5 m/s."""
    gain = np.array([[1.0, 0.9], [0.9, 1.0]])  # slip and approach
    place = Touching(FLOOR, ALONG, 0.5, friction)
    v, total, _ = after_impact(np.array([-3.0, -1.0]), gain, [place])
    normal = 1.5 / (1.0 + 0.9 * friction)
    assert total == pytest.approx([friction * normal, normal], rel=1e-12)
    assert v == pytest.approx([-3.0 + normal * (friction + 0.9), 0.5], rel=1e-12)


def test_a_smooth_point_that_another_lifts_is_not_struck():
    """The impulse at the first point lifts the second faster than its restitution requires."""
    gain = np.array([[1.0, 0.9], [0.9, 1.0]])
    places = [Touching(n, np.zeros((0, 2)), 0.0, 0.0) for n in np.eye(2)]
    v, total, _ = after_impact(np.array([-1.0, -0.1]), gain, places)
    assert total == pytest.approx([1.0, 0.0], abs=1e-12) and v == pytest.approx([0.0, 0.8], abs=1e-12)
