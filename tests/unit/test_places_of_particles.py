"""Places of particles that stand for a body: distances, completion, shares of forces and couples, by plane and solid geometry."""

import math
from itertools import combinations

import numpy as np
import pytest

from pytrammel.analysis.runs.short_contacts import _down, steps_needed
from pytrammel.errors import ModelError
from pytrammel.system.particles import (
    BodyParticles,
    Inertia,
    _chosen,
    _completed_in_the_plane,
    _masses_of_the_user,
    _of_the_user,
    _off_span,
    equivalent,
)


def place(*numbers):
    return np.array(numbers, dtype=float)


def body(d=2, *, mass=2.0, centroid=None, gyration=0.5):
    """Mass properties with the same radius of gyration about every axis through the centroid."""
    G = np.zeros(d) if centroid is None else np.array(centroid, dtype=float)
    per_axis = gyration**2 / 2.0
    return Inertia(mass, G, mass * (per_axis * np.eye(d) + np.outer(G, G)))


def test_distances_from_points_lines_and_planes():
    a, b, c = place(1, 0, 0), place(1, 2, 0), place(4, 1, 0)
    assert _off_span([], a) == math.inf
    assert _off_span([a], place(1, 3, 4)) == pytest.approx(5.0)
    assert _off_span([a, b], place(4, 7, 4)) == pytest.approx(5.0)
    assert _off_span([a, b, c], place(-3, 7, -2)) == pytest.approx(2.0)


def test_two_halves_stand_for_a_body_without_joints():
    one, two = _completed_in_the_plane([], place(3, 1), 0.5)
    assert one.tolist() == [2.5, 1.0] and two.tolist() == [3.5, 1.0]


@pytest.mark.parametrize(
    ("far", "radius", "beyond"),
    [
        (1.0, 0.8, 0.64),  # the centre of percussion: r² / far
        (1.0, 0.6, 0.5),  # lower limit: half of the way again
        (1.0, 1.5, 2.25),
        (0.1, 1.5, 3.0),  # upper limit: twice the radius
        (2.0, 3.0, 4.5),
        (1.0, 1.9, 3.61),
        (1.0, 2.1, 4.2),
    ],
)
def test_the_second_particle_of_a_rod_is_at_its_centre_of_percussion(far, radius, beyond):
    direction = place(0.6, 0.8)
    joint = place(1, 2)
    first, second = _completed_in_the_plane([joint], joint + far * direction, radius)
    assert np.array_equal(first, joint)
    assert second == pytest.approx(joint + (far + beyond) * direction, rel=1e-12)


@pytest.mark.parametrize(("share", "at_joint"), [(0.9, True), (1.1, False)])
def test_a_body_hinged_at_its_centroid_has_its_second_particle_along_x(share, at_joint):
    joint, radius = place(1, 2), 0.5
    second = _completed_in_the_plane([joint], joint + place(0.0, share * 1e-9 * radius), radius)[1]
    assert (second - joint)[0] == pytest.approx(radius if at_joint else 0.0, abs=1e-9)


@pytest.mark.parametrize(("off", "count"), [(0.0, 2), (0.9e-9, 2), (1.1e-9, 3), (-1.1e-9, 3), (0.7, 3), (-0.7, 3)])
def test_a_centroid_off_the_line_needs_a_third_particle_on_its_side(off, count):
    one, two = place(1, 1), place(1, 4)
    points = _completed_in_the_plane([one, two], place(1 - 3.0 * off, 2), 0.5)
    assert len(points) == count
    if count == 3:  # an equilateral triangle
        sides = [np.linalg.norm(a - b) for a, b in combinations(points, 2)]
        assert sides == pytest.approx([3.0] * 3, rel=1e-12)
        assert bool(points[2][0] < 1.0) is (off > 0.0)


@pytest.mark.parametrize(("share", "count"), [(0.9, 1), (1.1, 2)])
def test_joints_nearer_than_a_tenth_of_the_radius_have_one_particle(share, count):
    inertia = body(centroid=(0, 0), gyration=2.0)
    size = inertia.gyration
    common = [place(3, 0), place(3, share * 0.1 * size)]
    points = _chosen(common, inertia, 2, 7.0)
    kept = sum(any(np.array_equal(p, c) for c in common) for p in points)
    assert kept == count


def test_a_body_without_extension_is_measured_by_its_joints():
    inertia = body(gyration=0.0)
    assert _chosen([], inertia, 2, 7.0)[1] == pytest.approx((0.3 * 7.0, 0.0))
    assert len(_chosen([place(2, 0), place(2, 0.19)], inertia, 2, 7.0)) == 2
    second = _chosen([place(2, 0), place(2, 0.19)], inertia, 2, 7.0)[1]
    assert second == pytest.approx((-(2.0**2 + 0.19**2) / 2.0, 0.0))  # r² / far beyond the centroid


def test_particles_in_space_stand_at_right_angles():
    inertia = body(3, centroid=(0.1, 0.2, 0.3), gyration=0.4)
    points = np.array(_chosen([], inertia, 3, 5.0))
    arms = points[1:] - points[0]
    assert points[0] == pytest.approx(inertia.centroid)
    assert arms @ arms.T == pytest.approx(inertia.gyration**2 * np.eye(3), abs=1e-12)
    joints = [place(1, 0, 0), place(3, 0, 0)]
    points = np.array(_chosen(joints, inertia, 3, 5.0))
    arms = points[1:] - points[0]
    assert points[:2].tolist() == [[1, 0, 0], [3, 0, 0]]
    assert arms @ arms.T == pytest.approx(4.0 * np.eye(3), abs=1e-12)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ([(0, 0)], r"give two \(a rod\), three or up to 8 points of it, 2 body coordinates"),
        ([(k, k * k) for k in range(9)], "up to 8 points"),
        ("ab", "up to 8 points"),
        ([(0, 0, 0), (1, 0, 0)], "up to 8 points"),
        ([(0, 0), (math.nan, 0)], "must be finite"),
        ([(0, 0), (0, 0), (1, 1)], "lie at one place; move one of the first 3 off it"),
        ([(0, 0), (1, 1), (2, 2)], "lie on one line; move one of the first 3 off it"),
        ([(0, 0), (1, 0), (0, 1), (1, 0)], "particle 3 of body 'b' is where another one is"),
        ([(0, 0.1), (1, 0.1)], r"cannot be a rod of two particles: its centroid is 0\.1 m off their line"),
    ],
)
def test_particles_that_cannot_stand_for_a_body_are_reported(given, message):
    with pytest.raises(ModelError, match=message):
        _of_the_user("b", given, 2, body())


def test_particles_in_space_must_span_it():
    flat = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (1, 1, 0)]
    with pytest.raises(ModelError, match="lie in one plane; move one of the first 4 off it"):
        _of_the_user("b", flat, 3, body(3))
    with pytest.raises(ModelError, match="give four or up to 8 points of it, 3 body coordinates"):
        _of_the_user("b", flat[:3], 3, body(3))
    assert len(_of_the_user("b", [*flat[:3], (0, 0, 1)], 3, body(3))) == 4


@pytest.mark.parametrize(("share", "fits"), [(1.1, True), (0.9, False)])
def test_particles_are_apart_by_a_millionth_of_their_size(share, fits):
    """The size is the largest coordinate from the mean: 1/2 for the line, 3/4 for the triangle with a doubled corner."""
    line = [(0, 0), (1, 0), (0.5, share * 1e-6 * 0.5)]
    double = [(0, 0), (1, 0), (0.5, 1.5), (0.5, 1.5 + share * 1e-6 * 0.75)]  # mean height 3/4
    for points, message in ((line, "on one line"), (double, "is where another one is")):
        if fits:
            assert len(_of_the_user("b", points, 2, body())) == len(points)
        else:
            with pytest.raises(ModelError, match=message):
                _of_the_user("b", points, 2, body())


def test_masses_are_chosen_for_as_many_particles_as_are_free():
    assert _masses_of_the_user("b", [None, None, None, 0.2], 4, 2) == [None, None, None, 0.2]
    assert _masses_of_the_user("b", (None, 0.1, None, None, 0.2), 5, 2) == [None, 0.1, None, None, 0.2]
    assert _masses_of_the_user("b", [None, None], 2, 2) == [None, None]
    for given in ([None] * 4, [0.1, 0.2, None, None], [None, None, 0.2], "abcd", 0.2):
        with pytest.raises(ModelError, match=r"give 4 entries, 1 of them numbers \[kg\] and the others None"):
            _masses_of_the_user("b", given, 4, 2)


@pytest.mark.parametrize("further", [[], [(1.5, 1.0)], [(1.5, 1.0), (3.0, 2.0)]])
def test_forces_on_particles_have_the_resultant_and_moment_of_a_force_with_a_couple(further):
    points = np.array([(1.0, 0.5), (3.0, -0.5), *further])
    own = BodyParticles("b", points, (), np.ones(len(points)))
    force, at, couple = place(3, -2), place(0.7, 0.4), 1.7
    forces = own.forces(force, at, couple)
    assert forces.sum(axis=0) == pytest.approx(force, abs=1e-12)
    moment = sum(float(p[0] * f[1] - p[1] * f[0]) for p, f in zip(own.points, forces, strict=True))
    assert moment == pytest.approx(couple + at[0] * force[1] - at[1] * force[0], rel=1e-12)
    assert not forces[3:].any()
    if not further:  # two opposite forces across the rod, in addition to the shares along it
        assert own.shares(np.array((2.0, 0.0))) == pytest.approx([0.5, 0.5], rel=1e-12)


def test_forces_on_particles_in_space_are_those_of_a_force_with_a_couple():
    points = np.array([(0, 0, 0), (1, 0.2, 0), (0.1, 1.5, 0.2), (0, 0.3, 2.0), (1, 1, 1)], dtype=float)
    own = BodyParticles("b", points, (), np.ones(5))
    force, at, couple = place(3, -2, 1), place(0.7, 0.4, -0.3), place(0.5, 0.6, -1.7)
    forces = own.forces(force, at, couple)
    assert forces.sum(axis=0) == pytest.approx(force, abs=1e-12)
    assert np.cross(points, forces).sum(axis=0) == pytest.approx(couple + np.cross(at, force), abs=1e-12)
    assert not forces[4].any()
    assert own.shares(at) @ points == pytest.approx(at, abs=1e-12)


@pytest.mark.parametrize("d", [2, 3])
def test_mass_properties_of_a_body_are_those_of_its_particles(d):
    rng = np.random.default_rng(4)
    points = rng.normal(size=(d + 1, d))
    root = rng.normal(size=(d, d))
    G = rng.normal(size=d)
    inertia = Inertia(3.0, G, root @ root.T + 3.0 * np.outer(G, G))
    own = equivalent("b", points, inertia, [])
    assert own.masses.sum() == pytest.approx(3.0, rel=1e-9)
    assert own.masses @ own.places == pytest.approx(3.0 * G, rel=1e-9)
    moments = np.einsum("k,ki,kj->ij", own.masses, own.places, own.places)
    if d == 2:  # the polar moment of inertia alone counts
        assert np.trace(moments) == pytest.approx(np.trace(inertia.moments), rel=1e-9)
    else:
        assert moments == pytest.approx(inertia.moments, rel=1e-9)
    # the mass matrix of the primary particles gives the kinetic energy of any rigid motion
    turn = rng.normal(size=(d, d))
    turn -= turn.T
    speeds = own.points @ turn.T + rng.normal(size=d)
    every = np.vstack([speeds, *(0.5 * (speeds[i] + speeds[j]) for i, j in own.pairs)])
    assert np.einsum("ki,kl,li->", speeds, own.mass_matrix, speeds) == pytest.approx(
        own.masses @ (every**2).sum(axis=1), rel=1e-9
    )


def test_the_radius_of_gyration_is_about_the_centroid():
    """Moments m g²/2 along every axis: the trace is g² in the plane and 3 g²/2 in space."""
    assert body(2, centroid=(3, -1), gyration=0.4).gyration == pytest.approx(0.4, rel=1e-9)
    assert body(3, centroid=(0.1, 2, 0.3), gyration=0.4).gyration == pytest.approx(0.4 * math.sqrt(1.5), rel=1e-9)
    assert body(2, mass=0.0, centroid=(3, -1)).gyration == 0.0


def test_a_rod_has_three_masses_on_its_line():
    """Ends x = 1 and 5 on the line y = 2 with the middle at 3: ∫ (x - 3)² dm = 4 (m1 + m2) on the trace of the moments."""
    points, G = np.array([(1.0, 2.0), (5.0, 2.0)]), place(3.5, 2.0)
    own = equivalent("b", points, body(2, mass=2.0, centroid=G, gyration=0.5), [])
    ends = 2.0 * (0.5**2 + 0.5**2) / 4.0
    difference = 2.0 * 0.5 / 2.0
    assert own.masses == pytest.approx([0.5 * (ends - difference), 0.5 * (ends + difference), 2.0 - ends], rel=1e-9)


def test_given_masses_stay_while_free_masses_balance_them():
    points = np.array([(0.0, 0.0), (2.0, 0.0), (0.5, 1.0), (1.5, 1.5)])
    inertia = body(2, mass=3.0, centroid=(0.6, 0.4), gyration=0.8)
    own = equivalent("b", points, inertia, [None, None, None, 0.7])
    assert own.masses[3] == 0.7
    assert own.masses.sum() == pytest.approx(3.0, rel=1e-9)
    assert own.masses @ own.places == pytest.approx(3.0 * inertia.centroid, rel=1e-9)
    assert own.masses @ (own.places**2).sum(axis=1) == pytest.approx(np.trace(inertia.moments), rel=1e-9)
    assert equivalent("b", points, inertia).masses[3] == 0.0


@pytest.mark.parametrize(("d", "count", "pairs"), [(2, 2, 1), (2, 3, 3), (2, 5, 7), (3, 4, 6), (3, 6, 12)])
def test_held_distances_make_a_body_rigid(d, count, pairs):
    """Rows of the distances have the rank of all motions but the rigid ones."""
    points = np.random.default_rng(count).normal(size=(count, d))
    own = BodyParticles("b", points, (), np.ones(count))
    rows = []
    for i, j in own.held_pairs:
        row = np.zeros((count, d))
        row[i], row[j] = points[i] - points[j], points[j] - points[i]
        rows.append(row.ravel())
    assert len(rows) == pairs == np.linalg.matrix_rank(np.array(rows)) == d * count - d * (d + 1) // 2


@pytest.mark.parametrize(("order", "expected"), [(1, 494), (2, 23), (3, 8), (4, 8), (8, 8)])
def test_steps_in_a_half_swing_follow_from_the_error_of_a_method(order, expected):
    """The first term of the error is (π / n)^order π / (order + 1)!: one per cent, and never fewer than eight steps."""
    count = math.ceil((math.pi ** (order + 1) / math.factorial(order + 1) / 0.01) ** (1 / order))
    assert steps_needed(order) == expected == max(8, count)


@pytest.mark.parametrize(
    ("value", "expected"), [(0.0129, 0.012), (0.99, 0.99), (1.0, 1.0), (3.47e-7, 3.4e-7), (456.0, 450.0)]
)
def test_steps_are_advised_with_two_digits_and_not_longer(value, expected):
    assert _down(value) == pytest.approx(expected, rel=1e-12)
