"""Random bodies and rotations, quadrature, and the comparison of mass properties, for several test files."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from pytrammel import inertia
from pytrammel.inertia import MassProperties

# a few roundings of a few dozen operations
ROUNDING = 1e-13

STEEL = 7850.0


def rotation(axis: Any, angle: float) -> np.ndarray:
    """Rodrigues' formula."""
    u = np.asarray(axis, dtype=float) / np.linalg.norm(axis)
    K = np.array([[0, -u[2], u[1]], [u[2], 0, -u[0]], [-u[1], u[0], 0]])
    return np.eye(3) + math.sin(angle) * K + (1 - math.cos(angle)) * K @ K


TURN = rotation((1.0, -2.0, 0.5), 0.7)


def same(a: MassProperties, b: MassProperties, rel: float = ROUNDING) -> bool:
    size = math.sqrt(np.trace(b.inertia) / b.mass) + float(np.linalg.norm(b.centroid))
    return bool(
        abs(a.mass - b.mass) <= rel * b.mass
        and np.abs(a.centroid - b.centroid).max() <= rel * size
        and np.abs(a.inertia - b.inertia).max() <= rel * np.trace(b.inertia)
    )


Chart = Callable[..., tuple[Any, Any]]  # parameters -> point (x, y, z), stretch of length, area or volume


def integrate(chart: Chart, *ranges: tuple[float, float]) -> MassProperties:
    """∫dm, ∫s dm, ∫(sᵀs 1 - s sᵀ) dm of unit density by 24 Gauss points per parameter.

    The integrands are polynomials and products of sines up to the fourth power: 24 points leave rounding only.
    """
    nodes, weights = np.polynomial.legendre.leggauss(24)
    grids, factors = [], []
    for low, high in ranges:
        grids.append(0.5 * (low + high) + 0.5 * (high - low) * nodes)
        factors.append(0.5 * (high - low) * weights)
    mesh = np.meshgrid(*grids, indexing="ij")
    dm = np.prod(np.meshgrid(*factors, indexing="ij"), axis=0)
    point, stretch = chart(*mesh)
    dm = (dm * stretch).ravel()
    s = np.stack([np.broadcast_to(c, mesh[0].shape).ravel() for c in point], axis=1)
    mass = dm.sum()
    centroid = dm @ s / mass
    s = s - centroid
    J = np.einsum("n,nij->ij", dm, np.einsum("nk,nk->n", s, s)[:, None, None] * np.eye(3) - s[:, :, None] * s[:, None])
    return MassProperties(mass, centroid, J)


def brick(x: Any, y: Any, z: Any) -> tuple[Any, Any]:
    return (x, y, z), 1.0


TAU, PI = math.tau, math.pi
CORNERS3 = [(0.3, -0.2, 1.0), (1.5, 0.1, 0.8), (0.4, 1.3, 1.1), (0.6, 0.5, 2.4)]
# an L: two rectangles 3 x 1 and 1 x 2, described also as such
ELL = [(0, 0), (3, 0), (3, 1), (1, 1), (1, 3), (0, 3)]


def ell(depth: tuple[float, float] | None) -> MassProperties:
    if depth is None:
        flat = [integrate(lambda x, y: ((x, y, 0.0), 1.0), (0, a), (b, c)) for a, b, c in ((3, 0, 1), (1, 1, 3))]
        return flat[0] + flat[1]
    return integrate(brick, (0, 3), (0, 1), depth) + integrate(brick, (0, 1), (1, 3), depth)


finite = st.floats(-10, 10, allow_subnormal=False)
points3 = arrays(np.float64, 3, elements=finite)


@st.composite
def rotations(draw: st.DrawFn) -> np.ndarray:
    axis = draw(points3.filter(lambda v: np.linalg.norm(v) > 1e-3))
    return rotation(axis, draw(st.floats(-4, 4)))


bodies = st.builds(
    lambda edges, mass, shift, turn: inertia.box(*edges, mass=mass).moved(shift, turn),
    arrays(np.float64, 3, elements=st.floats(0.1, 5)),
    st.floats(0.1, 10),
    points3,
    rotations(),
)

# coordinates up to 10 m and masses up to 10 kg: moments up to some 1e4, of which 1e-16 times a few operations remain
LOOSE = 1e-10
