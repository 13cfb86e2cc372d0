"""Mass properties from integrals: moments of simplices, and of second moments about the centroid."""

from __future__ import annotations

import numpy as np

from pytrammel.inertia._checks import Array
from pytrammel.inertia.properties import MassProperties


def from_second_moments(
    mass: float, centroid: tuple[float, float, float], second: tuple[float, float, float]
) -> MassProperties:
    """A body without products of inertia, from ∫x², ∫y², ∫z² by the mass [m²], about the centroid."""
    xx, yy, zz = second
    return MassProperties(mass, centroid, mass * np.array([yy + zz, zz + xx, xx + yy]))


def simplex_moments(corners: Array, measures: Array) -> tuple[float, Array, Array]:
    """Exact integrals of 1, s and s sᵀ over straight simplices (segments, triangles or tetrahedra).

    With k corners c and their sum Σ, ∫ s = V Σ/k and ∫ s sᵀ = V (Σ Σᵀ + ∑ c cᵀ) / (k (k + 1)).

    Args:
        corners: Corners [m], shape (n, k, 3).
        measures: Signed lengths, areas or volumes [m, m², m³], shape (n,).
    """
    k = corners.shape[1]
    sums = corners.sum(axis=1)
    weighted = measures[:, None] * sums
    second = weighted.T @ sums
    for corner in range(k):
        second += (measures[:, None] * corners[:, corner]).T @ corners[:, corner]
    return float(measures.sum()), weighted.sum(axis=0) / k, second / (k * (k + 1))


def from_moments(mass: float, origin: Array, measure: float, first: Array, second: Array) -> MassProperties:
    """A homogeneous body from its integrals of 1, s and s sᵀ, with s measured from ``origin``."""
    offset = first / measure
    spread = second / measure - np.outer(offset, offset)
    return MassProperties(mass, origin + offset, mass * (np.trace(spread) * np.eye(3) - spread))
