"""Explicit conversions at the border. Inside, everything is SI and radians."""

from __future__ import annotations

import math
from decimal import Decimal
from typing import Any

import numpy as np

from pytrammel._util.checks import checked_array, checked_names, checked_number

LENGTH_UNITS = {"m": 1.0, "cm": 1e-2, "mm": 1e-3, "in": 0.0254, "ft": 0.3048}
DECIMAL_DIGITS = 15  # most digits of a factor that is an exact decimal number; pi/180 has more


def is_decimal(factor: float) -> bool:
    """Return True if a factor stands for a short decimal number, such as 0.0254, and not for one such as pi/180."""
    return len(repr(factor).partition("e")[0].replace(".", "").strip("0")) <= DECIMAL_DIGITS


def to_si(value: float | str, factor: float) -> float:
    """Return a number in SI: 43 mm and "43" mm are the double nearest to 0.043, not the rounded product 43 * 0.001.

    Args:
        value: Number as written by a person: a text, or a float, which stands for its shortest decimal.
        factor: Size of the unit in SI. A factor that is not a short decimal, such as pi/180, is multiplied.
    """
    if factor == 1.0 or not is_decimal(factor) or not math.isfinite(float(value)):
        return float(value) * factor
    written = value if isinstance(value, str) else repr(float(value))
    return float(Decimal(written) * Decimal(repr(factor)))


def _scaled(value: Any, factor: float) -> Any:
    if isinstance(value, list | tuple):
        return type(value)(_scaled(v, factor) for v in value)
    if isinstance(value, np.ndarray) and value.ndim:
        numbers = checked_array(value, "value")
        return np.array([to_si(float(v), factor) for v in numbers.flat]).reshape(numbers.shape)
    number = checked_number(value, "value")
    return to_si(number, factor) if type(number) is float else number * factor


@checked_names
def deg(value: Any) -> Any:
    """Degrees to radians; a number, a tuple, a list or an array."""
    return _scaled(value, math.pi / 180.0)


@checked_names
def rpm(value: Any) -> Any:
    """Revolutions per minute to rad/s."""
    return _scaled(value, math.pi / 30.0)


@checked_names
def mm(value: Any) -> Any:
    """Millimetres to metres; a number, a tuple, a list or an array."""
    return _scaled(value, LENGTH_UNITS["mm"])


@checked_names
def cm(value: Any) -> Any:
    """Centimetres to metres."""
    return _scaled(value, LENGTH_UNITS["cm"])


@checked_names
def inch(value: Any) -> Any:
    """Inches to metres."""
    return _scaled(value, LENGTH_UNITS["in"])
