"""Elimination, symbolic and dense, against brute force and NumPy."""

from __future__ import annotations

import math

import numpy as np
import pytest

from plain_source import plain
from pytrammel.kernels.elimination import eliminate
from pytrammel.system.pattern import _fill

solve_in_place = plain(eliminate)


def filled_by_elimination(lower_rows):
    """Where L has entries, by eliminating on sets: every pivot joins the rows below it that have an entry in its column."""
    rows = [set(own) for own in lower_rows]
    for j in range(len(rows)):
        below = [i for i in range(j + 1, len(rows)) if j in rows[i]]
        for i in below:
            rows[i] |= {k for k in below if k < i}
    return [sorted(own) for own in rows]


@pytest.mark.parametrize("density", [0.05, 0.15, 0.4])
@pytest.mark.parametrize("seed", range(5))
def test_the_fill_of_a_factor_is_that_of_elimination(density, seed):
    rng = np.random.default_rng(seed)
    for size in (0, 1, 2, 5, 12, 30):
        lower = [[j for j in range(i) if rng.random() < density] for i in range(size)]
        assert _fill(lower) == filled_by_elimination(lower)


def solved(A, b):
    size = len(b)
    K = np.column_stack([A, b]).ravel()
    solve_in_place(K, size)
    return K[:size].copy()


@pytest.mark.parametrize("size", [1, 2, 3, 6, 10])
@pytest.mark.parametrize("spread", [0.0, 8.0])
def test_a_dense_system_is_solved_however_its_rows_are_scaled(size, spread):
    rng = np.random.default_rng(size)
    for _ in range(10):
        A, x = rng.normal(size=(size, size)) + 2.0 * np.eye(size)[rng.permutation(size)], rng.normal(size=size)
        rows = 10.0 ** rng.uniform(-spread, spread, size=size)
        found = solved(rows[:, None] * A, rows * (A @ x))
        np.testing.assert_allclose(found, x, rtol=0, atol=1e-13 * np.linalg.cond(A) * np.abs(x).max())


@pytest.mark.parametrize("size, rank", [(2, 1), (4, 3), (6, 3), (6, 5)])
def test_a_singular_system_is_solved_where_it_can_be_and_not_otherwise(size, rank):
    """Consistent right sides get one of the solutions; those that contradict the rows get no number."""
    rng = np.random.default_rng(10 * size + rank)
    for _ in range(10):
        left, right = rng.normal(size=(size, rank)), rng.normal(size=(rank, size))
        A = left @ right
        b = A @ rng.normal(size=size)
        np.testing.assert_allclose(A @ solved(A, b), b, atol=1e-9 * np.abs(b).max())
        outside = np.linalg.svd(A)[0][:, -1]  # no combination of the columns
        assert any(math.isnan(x) for x in solved(A, b + outside * np.abs(b).max()))


def test_a_system_of_zeros_has_the_solution_zero_or_none():
    assert (solved(np.zeros((3, 3)), np.zeros(3)) == 0.0).all()
