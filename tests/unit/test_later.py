"""SciPy's LAPACK without the rest of it: the same order of columns, bit for bit, and an import that costs next to nothing."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import scipy.linalg

import pytrammel
from pytrammel._util.lazy_imports import pivoted_columns

CUBE = np.array([[1.0, 0, 0, 1, 1, 0], [0, 1, 0, 1, 0, 1], [0, 0, 1, 0, 1, 1]])  # many columns of one length


@pytest.mark.parametrize("shape", [(1, 1), (3, 7), (7, 3), (12, 30), (40, 70)])
def test_columns_come_in_the_order_of_scipy(shape):
    matrix = np.random.default_rng(5).standard_normal(shape)
    for each in (matrix, np.ascontiguousarray(matrix.T).T, np.round(matrix), matrix[:, :1] @ matrix[:1]):
        _, order = scipy.linalg.qr(each, mode="r", pivoting=True)
        assert pivoted_columns(each).tolist() == order.tolist()


def test_equal_columns_come_in_the_order_of_scipy_too():
    _, order = scipy.linalg.qr(CUBE, mode="r", pivoting=True)
    assert pivoted_columns(CUBE).tolist() == order.tolist()


def test_without_rows_columns_stay_as_they_are_and_what_is_no_number_is_an_error():
    assert pivoted_columns(np.zeros((0, 3))).tolist() == [0, 1, 2]
    assert pivoted_columns(np.zeros((3, 0))).tolist() == []
    with pytest.raises(ValueError, match="infs or NaNs"):
        pivoted_columns(np.array([[1.0, np.nan]]))


def test_the_rest_of_scipy_can_be_imported_afterwards_or_before():
    code = """
import sys, numpy as np
{first}
from pytrammel._util.lazy_imports import pivoted_columns
a = np.random.default_rng(1).standard_normal((5, 9))
order = pivoted_columns(a)
print("scipy.linalg" in sys.modules, end=" ")
import scipy.linalg
print(np.array_equal(order, scipy.linalg.qr(a, pivoting=True)[2]))
"""
    env = {**os.environ, "PYTHONPATH": str(Path(pytrammel.__file__).parents[1])}
    for first, said in (("", "False True"), ("import scipy.linalg", "True True")):
        words = [sys.executable, "-c", code.format(first=first)]
        done = subprocess.run(words, env=env, capture_output=True, text=True, check=False)
        assert done.stdout.strip() == said, done.stderr
