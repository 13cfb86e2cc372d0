"""Shapes of coupler curves: closed forms of circles, polygons and trigonometric curves, similarities, and shifts."""

from __future__ import annotations

import cmath
import math

import numpy as np
import pytest

from pytrammel.design.synthesis.atlas.shapes import (
    HARMONICS,
    best_shift,
    between,
    closed_shape,
    evenly,
    lay,
    open_shape,
    slid,
    smooth,
    spots,
)

RNG = np.random.default_rng(3)
U = np.linspace(0.0, math.tau, 64, endpoint=False)


def harmonic(**orders):
    """A closed curve of 64 points from its Fourier coefficients: p2=0.3 is the order 2, m1=0.2 the order -1."""
    sign = {"p": 1, "m": -1}
    return sum(c * np.exp(1j * sign[name[0]] * int(name[1]) * U) for name, c in orders.items())[None]


def test_steps_of_arc_length_along_polygons():
    square = np.array([[0.0, 1.0, 1.0 + 1.0j, 1.0j]])
    points, place = evenly(square, 8, closed=True)
    assert points[0].tolist() == pytest.approx([0, 0.5, 1, 1 + 0.5j, 1 + 1j, 0.5 + 1j, 1j, 0.5j])
    assert place[0].tolist() == pytest.approx(np.arange(8) / 2)
    bent = np.array([[0.0, 3.0, 3.0 + 1.0j], [1.0j, 2.0j, 5.0j]])
    points, place = evenly(bent, 5, closed=False)
    np.testing.assert_allclose(points, [[0, 1, 2, 3, 3 + 1j], [1j, 2j, 3j, 4j, 5j]], atol=1e-14)
    np.testing.assert_allclose(place, [[0, 1 / 3, 2 / 3, 1, 2], [0, 1, 4 / 3, 5 / 3, 2]], atol=1e-14)
    np.testing.assert_allclose(spots(bent, np.array([0.125, 0.875])), [[1 / 6, 1.5], [0.5, 11 / 6]], atol=1e-14)
    np.testing.assert_allclose(between(bent[0], np.array([0.25, 1.5, 2.0])), [0.75, 3 + 0.5j, 3 + 1j])


def test_smooth_curves_pass_through_their_points():
    circle = np.exp(1j * np.linspace(0.0, math.tau, 16, endpoint=False))
    round_curve = smooth(circle, closed=True, count=64)
    assert round_curve[::4] == pytest.approx(circle, abs=1e-12)
    assert abs(round_curve) == pytest.approx(np.ones(64), abs=1e-3)
    arc = smooth(circle[:9], closed=False, count=33)
    assert arc[::4] == pytest.approx(circle[:9], abs=1e-12) and len(smooth(circle, closed=True)) == 256
    assert abs(arc) == pytest.approx(np.ones(33), abs=1e-3)


def test_descriptors_of_trigonometric_curves_are_their_coefficients():
    c = {"m6": 0.01j, "m2": 0.06, "m1": 0.25, "p1": 0.5, "p2": 0.1j, "p3": -0.04, "p4": 0.02j, "p6": 0.03}
    found = closed_shape(harmonic(**c))[0]
    ratio = {int(name[1]) * (1 if name[0] == "p" else -1): value / 0.5 for name, value in c.items()}
    sizes = [abs(ratio.get(k, 0.0)) for k in range(-HARMONICS, HARMONICS + 1) if k not in (0, 1)]
    assert found[: len(sizes)] == pytest.approx(sizes, abs=1e-14)
    phases = []
    for product, root in ((ratio[3] * ratio[-1], 2), (ratio[4] * ratio[-2], 2), (ratio[2] ** 2 * ratio[-1], 3)):
        phase = cmath.rect(abs(product) ** (1 / root), cmath.phase(product))
        phases += [phase.real, phase.imag]
    assert found[len(sizes) :] == pytest.approx(phases, abs=1e-14)


def test_descriptors_depend_neither_on_place_size_turn_start_nor_direction():
    curve = harmonic(m2=0.06, m1=0.25, p1=0.5, p2=0.1j, p3=-0.04 + 0.1j, p4=0.02j)
    other = 3.0 + 1.0j + 2.5 * cmath.exp(0.7j) * np.roll(curve, 11, axis=1)
    np.testing.assert_allclose(closed_shape(other), closed_shape(curve), atol=1e-13)
    np.testing.assert_allclose(closed_shape(other[:, ::-1]), closed_shape(curve), atol=1e-13)
    np.testing.assert_allclose(closed_shape(harmonic(p1=2.0)), 0.0, atol=1e-14)  # a circle has no other coefficients


def test_directions_of_open_curves_turn_like_their_tangents():
    arc = np.exp(1j * np.linspace(3.0, 3.0 + 1.6, 17))[None]  # across the cut of the angle
    step = 1.6 / 16
    np.testing.assert_allclose(open_shape(arc)[0], step * (np.arange(16) - 7.5), atol=1e-13)
    np.testing.assert_allclose(open_shape(2.0j * arc + 1.0), open_shape(arc), atol=1e-13)


def test_similarities_lay_curves_on_each_other():
    curve = RNG.normal(size=(2, 9)) + 1j * RNG.normal(size=(2, 9))
    turn, corner = 0.8 - 0.3j, 2.0 + 5.0j
    wanted = corner + turn * curve[0]
    turns, corners, left = lay(curve, wanted)
    assert (turns[0], corners[0]) == (pytest.approx(turn, abs=1e-13), pytest.approx(corner, abs=1e-13))
    assert left[0] == pytest.approx(0.0, abs=1e-25)
    # the second one by the normal equations of a linear fit
    A = np.column_stack([curve[1], np.ones(9)])
    best, residual, *_ = np.linalg.lstsq(A, wanted, rcond=None)
    assert [turns[1], corners[1]] == pytest.approx(best.tolist(), abs=1e-12)
    assert left[1] == pytest.approx(float(residual[0].real) / 9, rel=1e-12)


def test_shifts_of_closed_curves_by_trying_them_all():
    wanted = harmonic(p1=1.0, m1=0.3, p2=0.2j)[0] + 4.0
    curves = np.vstack([2.0j * np.roll(wanted, 5) - 1.0, harmonic(p1=0.7, m2=0.2, p3=0.1j)])
    shift, error = best_shift(curves, wanted)
    for k, curve in enumerate(curves):
        tried = np.array([lay(np.roll(curve, -s)[None], wanted)[2][0] for s in range(64)])
        assert tried[shift[k]] == pytest.approx(tried.min(), abs=1e-14)
        assert error[k] == pytest.approx(tried.min(), abs=1e-13)
    assert shift[0] == 5
    assert best_shift(np.ones((1, 64)), wanted)[1].tolist() == [math.inf]  # a point cannot be laid on a curve


def test_a_ring_slides_along_itself_until_its_gaps_across_vanish():
    """A circle a little too small and beside its place: three points that it shall pass are met after a few steps."""
    ring = np.exp(1j * np.linspace(0.0, math.tau, 721))
    at = np.array([10.0, 130.0, 250.0, 400.0, 600.0])
    wanted = 0.3 - 0.2j + 1.2 * np.exp(1j * np.array([0.2, 1.1, 2.4, 3.3, 5.1]))
    turn, corner = 1.0 + 0.0j, 0.0j
    for _ in range(60):
        angles = np.angle((wanted - corner) / turn) % math.tau
        turn, corner = slid(ring, angles / math.tau * 720.0, turn, corner, wanted)
    assert abs(turn) == pytest.approx(1.2, abs=1e-4) and corner == pytest.approx(0.3 - 0.2j, abs=1e-4)
    assert slid(ring, at, turn, corner, 5.0 * wanted) == (turn, corner)  # too far for one step
