"""Systems in a band: factors against NumPy, and orders of unknowns that keep the band of a machine narrow."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

from pytrammel.kernels import layout as L
from pytrammel.kernels.banded import band_factor, band_solve
from pytrammel.system.band import band
from pytrammel.system.coupling import coupling
from pytrammel.system.lowering import lower
from pytrammel.system.pattern import pattern

sys.path.insert(0, str(Path(__file__).parents[1]))
import dynamic_models
import spatial_models


def stored(A: np.ndarray, below: int, above: int) -> np.ndarray:
    out = np.zeros((len(A), 2 * below + above + 1), A.dtype)
    for i, j in zip(*np.nonzero(A), strict=True):
        out[i, j - i + below] = A[i, j]
    return out


@pytest.mark.parametrize("kind", [float, complex])
@pytest.mark.parametrize(("size", "below", "above"), [(1, 0, 0), (2, 1, 0), (9, 2, 3), (40, 5, 2), (25, 24, 24)])
def test_a_solution_satisfies_its_system(size, below, above, kind):
    rng = np.random.default_rng(size)
    A = rng.normal(size=(size, size)) + (1j * rng.normal(size=(size, size)) if kind is complex else 0.0)
    A = np.triu(np.tril(A, above), -below)
    A[rng.random(A.shape) < 0.3] = 0.0  # also on the diagonal, as constraints have it
    A += 1e-3 * np.diag(np.arange(size) % 2 + (size < 3)) + 1e-3 * np.eye(size, k=-1 if below else 0)
    x = rng.normal(size=size).astype(kind)
    b, factors, order = A @ x, stored(A, below, above), np.zeros(3 * size)
    assert band_factor(factors, below, above, order)
    band_solve(factors, below, order, b)
    # backward stable: a few roundings, grown by the pivots
    assert np.abs(A @ b - A @ x).max() < 1e-12 * np.abs(A).max() * max(1.0, np.abs(b).max())


def test_a_singular_system_has_no_factors():
    assert not band_factor(stored(np.array([[1.0, 2.0], [2.0, 4.0]]), 1, 1), 1, 1, np.zeros(6))


MACHINES = {
    "chain": (lambda: spatial_models.chain(40), 20),
    "loop": (spatial_models.bricard, 20),
    "many loops": (dynamic_models.andrews, 14),
    "star": (spatial_models.stewart_with_legs, None),
}


@pytest.mark.parametrize("name", MACHINES)
def test_every_entry_of_a_machine_lies_in_its_band(name):
    build, widest = MACHINES[name]
    system = lower(build(), dynamics=True)
    rows = pattern(system, range(len(system.rows)))
    below, above, *places = band(system, rows).tolist()
    n = system.n_columns
    assert sorted(places) == list(range(n + len(system.rows)))
    found = coupling(system)
    pairs = list(zip(found.rows.tolist(), found.columns.tolist(), strict=True))
    first = int(rows[L.P_AT_ROWS])
    order = rows[first : first + len(system.rows)].tolist()
    for k, row in enumerate(order):
        for c in system.row_columns[row]:
            if c >= 0:
                pairs += [(n + k, c), (c, n + k)]
    apart = [places[j] - places[i] for i, j in pairs]
    assert max(apart) <= above and -min(apart) <= below
    assert widest is None or below <= widest  # a chain's band does not grow with its length
