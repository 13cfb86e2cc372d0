"""What comes in becomes a matrix or a right side of finite numbers, or a sentence."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pytrammel._util.messages import short
from pytrammel.errors import ModelError

Floats = NDArray[np.float64]
TOLERANCE = 1e-12  # of the largest entry: what is smaller counts as zero


def as_matrix(values: ArrayLike, what: str = "the matrix", *, fewest_rows: int = 1) -> Floats:
    """A matrix of finite numbers, shape (rows, columns)."""
    array = _numbers(values, what)
    if array.ndim != 2 or array.shape[0] < fewest_rows or array.shape[1] < 1:
        raise ModelError(f"{what} must be a list of rows, shape (rows, columns), but its shape is {array.shape}.")
    return array


def as_right_side(values: ArrayLike, rows: int) -> Floats:
    """One right side, shape (rows,), or several as columns, shape (rows, n)."""
    array = _numbers(values, "the right side")
    if array.ndim not in (1, 2) or array.shape[0] != rows or array.size == 0:
        raise ModelError(
            f"the right side has the shape {array.shape}, but there are {rows} equations: give one number for each, or columns of them."
        )
    return array


def as_tolerance(value: Any, largest: float) -> float:
    """The size below which an entry counts as zero, from a share of the largest entry."""
    if isinstance(value, bool) or not isinstance(value, int | float | np.floating) or not 0.0 <= value < 1.0:
        raise ModelError(
            f"tolerance is {short(value)}; it must be a share of the largest entry, at least 0 and below 1."
        )
    return float(value) * largest


def chosen(value: Any, known: Sequence[str], what: str) -> str:
    """One of several words."""
    if not isinstance(value, str) or value not in known:
        raise ModelError(f"{what} is {short(value)}; use one of: {', '.join(map(repr, known))}.")
    return value


def as_names(names: Any, count: int, letter: str, what: str) -> tuple[str, ...]:
    """Names for the columns or rows; x1, x2 ... by default."""
    if names is None:
        return tuple(f"{letter}{k + 1}" for k in range(count))
    if isinstance(names, str) or not hasattr(names, "__iter__"):
        raise ModelError(f"{what} must be a list of {count} names, but it is {short(names)}.")
    listed = tuple(names)
    if len(listed) != count or any(not isinstance(name, str) for name in listed):
        raise ModelError(f"{what} must be {count} names, but they are {short(listed)}.")
    return listed


def check_finite(*arrays: Floats) -> None:
    """Numbers near the largest that a computer knows overflow on the way; that must not pass for an answer."""
    if not all(np.isfinite(array).all() for array in arrays):
        raise ModelError("the numbers overflow on the way; divide the matrix by its largest entry first.")


def pivoting_text(pivoting: str) -> str:
    return "without pivoting" if pivoting == "none" else f"{pivoting} pivoting"


def first_largest(values: Floats) -> int:
    """Place of the largest size; of equal ones, rounding aside, the first."""
    sizes = np.abs(values)
    return int(np.argmax(sizes >= (1.0 - 1e-9) * sizes.max()))


def _numbers(values: ArrayLike, what: str) -> Floats:
    try:
        array = np.asarray(values)
        if array.dtype.kind not in "iuf":  # complex numbers, truths, texts, ragged lists
            raise TypeError
    except (TypeError, ValueError):
        raise ModelError(f"{what} must be real numbers, but it is {short(values)}.") from None
    numbers = array.astype(np.float64)
    if not np.isfinite(numbers).all():
        raise ModelError(f"{what} holds a number that is not finite; all entries must be.")
    return numbers
