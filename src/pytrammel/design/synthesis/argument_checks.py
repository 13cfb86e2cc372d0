"""What users ask for, checked: counts, coincident points, bounds the wrong way; and the complex numbers it is turned into."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pytrammel._util.checks import checked_number, checked_numbers
from pytrammel._util.messages import short, unlike
from pytrammel.errors import ModelError

Floats: TypeAlias = NDArray[np.float64]
Complexes: TypeAlias = NDArray[np.complex128]
Pair: TypeAlias = tuple[float, float]

SAME = 1e-12  # of the size of what is given: nearer points, poses or angles count as the same
MOST = 2**31  # of counts


def numbers(values: object, what: str, *, least: int = 1, most: int | None = None) -> Floats:
    """A row of finite numbers, as many as are allowed."""
    if isinstance(values, str) or not isinstance(values, Sequence | np.ndarray):
        raise ModelError(f"{what} must be a row of numbers, but it is {short(values)}.")
    row = np.array([checked_number(value, f"{what}[{k}]") for k, value in enumerate(values)])
    counted(len(row), what, least, most)
    return row


def counted(count: int, what: str, least: int, most: int | None = None) -> None:
    """Refuse too few and too many."""
    if count < least:
        raise ModelError(f"{what}: {count} given, but at least {least} are needed.")
    if most is not None and count > most:
        raise ModelError(f"{what}: {count} given, but at most {most} can be met exactly.")


def place(value: object, what: str) -> complex:
    """A point (x, y) [m] as a complex number."""
    return complex(*checked_numbers(value, what, ("x", "y")))


def places(values: object, what: str, *, least: int = 1, most: int | None = None) -> Complexes:
    """Points (x, y) [m] that differ from each other."""
    if isinstance(values, str) or not isinstance(values, Sequence | np.ndarray):
        raise ModelError(f"{what} must be a row of points (x, y), but it is {short(values)}.")
    row = np.array([place(value, f"{what}[{k}]") for k, value in enumerate(values)], dtype=complex)
    counted(len(row), what, least, most)
    distinct(row, what)
    return row


def distinct(row: Complexes | Floats, what: str) -> None:
    """Refuse neighbours or others that coincide."""
    size = float(np.max(np.abs(row - row[0]))) if len(row) else 0.0
    for i in range(len(row)):
        for j in range(i):
            if abs(row[i] - row[j]) <= SAME * size or size == 0.0:
                raise ModelError(f"{what}: entries {j} and {i} are the same; leave one of them out.")


def positive(value: object, what: str) -> float:
    """A number above 0."""
    found = checked_number(value, what)
    if not found > 0.0:
        raise ModelError(f"{what} must be greater than 0, but it is {found:g}.")
    return found


def whole_number(value: object, what: str) -> int:
    """A whole number of at least 1."""
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or not 1 <= value < MOST:
        raise ModelError(f"{what} must be a whole number of at least 1 and less than 2**31, but it is {short(value)}.")
    return int(value)


def bounds(value: object, what: str) -> Pair:
    """A lower and an upper bound, in this order."""
    low, high = checked_numbers(value, what, ("lower", "upper"))
    if low > high:
        texts = unlike(low, high, digits=6)
        raise ModelError(f"{what}: the lower bound {texts[0]} is above the upper bound {texts[1]}; exchange them.")
    return low, high


def wrapped(angle: ArrayLike) -> Floats:
    """The same angles between -pi and pi."""
    return np.asarray(np.angle(np.exp(1j * np.asarray(angle, dtype=float))), dtype=float)


def pair(z: complex) -> Pair:
    """A complex number as a point (x, y)."""
    return float(z.real), float(z.imag)


def degrees(angle: float) -> str:
    """An angle in words."""
    return f"{math.degrees(angle):.4g}°"


def told_error(error: float) -> str:
    """An error in words; what is left by rounding has no digits worth showing."""
    return "error below 1e-12" if error < 1e-12 else f"error {error:.2g}"
