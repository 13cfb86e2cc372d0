"""Modes, shapes and stiffnesses of pencils M s² + C s + K in any coordinates and units, against their closed forms."""

from __future__ import annotations

import math

import numpy as np
import pytest

from pytrammel.analysis.small_motions.small_motions import Pencil, with_shapes


def in_turned_coordinates(M, C, K, seed=0):
    """The same pencil in other orthonormal coordinates: zeros become rounding."""
    Q, _ = np.linalg.qr(np.random.default_rng(seed).normal(size=M.shape))
    return Q.T @ M @ Q, Q.T @ C @ Q, Q.T @ K @ Q


SIZES = [(1.0, 1.0), (1e-7, 1.0), (1e9, 1.0), (1.0, 1e-3), (1e4, 30.0)]  # of forces and of time


@pytest.mark.parametrize(("force", "time"), SIZES)
@pytest.mark.parametrize("damped", [False, True], ids=["held", "damped"])
def test_pencils_with_a_direction_without_mass_have_their_roots_in_any_units(damped, force, time):
    """Masses 2 and 3, a node without mass between them that springs hold and a damper may hold, too."""
    c = 4.0 if damped else 0.0
    M, C = np.diag([2.0, 3.0, 0.0]), np.array([[0.7, 0.0, 0.0], [0.0, c, -c], [0.0, -c, c]])
    K = np.array([[90.0, 0.0, -50.0], [0.0, 120.0, -80.0], [-50.0, -80.0, 130.0]])
    # det of M s^2 + C s + K, entry by entry
    a, b, d = (np.array([M[k, k], C[k, k], K[k, k]]) for k in range(3))
    e, f = np.array([C[1, 2], K[1, 2]]), K[0, 2]
    det = np.polysub(np.polymul(np.polymul(a, b), d), np.polymul(a, np.polymul(e, e)))
    roots = np.roots(np.trim_zeros(np.polysub(det, f * f * b), "f")) / time
    blurred = 1e-14 * force * np.abs(K).max()
    pencil = Pencil(*in_turned_coordinates(force * time**2 * M, force * time * C, force * K), blurred, blurred * time)
    modes = with_shapes(pencil)
    want = sorted((s for s in roots if s.imag >= 0.0), key=abs)
    assert sorted((m.eigenvalue for m in modes), key=abs) == pytest.approx(want, rel=1e-7)
    for mode in modes:
        s = mode.eigenvalue
        whole = pencil.mass * s * s + pencil.damping * s + pencil.stiffness
        assert np.abs(whole @ mode.shape).max() < 1e-6 * np.abs(whole).max()


@pytest.mark.parametrize(("force", "time"), SIZES)
@pytest.mark.parametrize("damping", [0.0, 1.3])
def test_a_threefold_eigenvalue_has_three_shapes_across_each_other(damping, force, time):
    M, K = np.eye(5), np.diag([7.0, 7.0, 7.0, 31.0, 2.0])
    pencil = Pencil(*in_turned_coordinates(force * time**2 * M, force * time * damping * M, force * K))
    own = [m for m in with_shapes(pencil) if abs(m.eigenvalue) * time == pytest.approx(math.sqrt(7.0), rel=1e-6)]
    shapes = np.array([m.shape / np.linalg.norm(m.shape) for m in own])
    assert len(own) == 3
    np.testing.assert_allclose(np.abs(shapes.conj() @ shapes.T), np.eye(3), atol=1e-6)
    assert {m.kind for m in own} == {"oscillation"}
    hertz = math.sqrt(7.0) / time / math.tau
    assert all(f"{hertz:.6g} Hz" in str(m) for m in own)


@pytest.mark.parametrize(("force", "time"), SIZES)
@pytest.mark.parametrize("circulating", [0.0, 5.0])
def test_eigenvalues_of_a_stiffness_are_its_own(circulating, force, time):
    """diag(11, -3, 0) and forces across, which no energy has: eigenvalues 4 ± sqrt(49 - circulating²)."""
    K = np.array([[11.0, circulating, 0.0], [-circulating, -3.0, 0.0], [0.0, 0.0, 0.0]])
    M, C, K = in_turned_coordinates(np.diag([2.0, 5.0, 3.0]), np.zeros((3, 3)), K)
    values, neutral = Pencil(force * time**2 * M, C, force * K, 1e-15 * force).stiffnesses()
    apart = math.sqrt(49.0 - circulating**2)
    assert neutral == 1
    assert values.real / force == pytest.approx([4.0 - apart, 0.0, 4.0 + apart], abs=1e-12)
    assert values.imag == pytest.approx(0.0)


@pytest.mark.parametrize(("force", "time"), SIZES)
def test_a_critically_damped_mode_has_one_shape(force, time):
    """(s + 2)² in one direction, two other eigenvalues in the other one: both modes at -2 move along the first."""
    pencil = Pencil(*in_turned_coordinates(*(size * part for size, part in zip(
        (force * time**2, force * time, force), (np.eye(2), np.diag([4.0, 0.5]), np.diag([4.0, 9.0])), strict=True
    ))))  # fmt: skip
    for mode in with_shapes(pencil):
        s, x = mode.eigenvalue, mode.shape
        whole = pencil.mass * s * s + pencil.damping * s + pencil.stiffness
        assert np.abs(whole @ x).max() < 1e-6 * np.abs(pencil.stiffness).max()
