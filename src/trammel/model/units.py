"""Explicit conversions at the border. Inside, everything is SI and radians."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from trammel.checks import checked_array, checked_number

LENGTH_UNITS = {"m": 1.0, "cm": 1e-2, "mm": 1e-3, "in": 0.0254, "ft": 0.3048}


def _scaled(value: Any, factor: float) -> Any:
    if isinstance(value, list | tuple):
        return type(value)(_scaled(v, factor) for v in value)
    if isinstance(value, np.ndarray) and value.ndim:
        return checked_array(value, "value") * factor
    return checked_number(value, "value") * factor


def deg(value: Any) -> Any:
    """Degrees to radians; a number, a tuple, a list or an array."""
    return _scaled(value, math.pi / 180.0)


def rpm(value: Any) -> Any:
    """Revolutions per minute to rad/s."""
    return _scaled(value, math.pi / 30.0)


def mm(value: Any) -> Any:
    """Millimetres to metres; a number, a tuple, a list or an array."""
    return _scaled(value, LENGTH_UNITS["mm"])


def cm(value: Any) -> Any:
    """Centimetres to metres."""
    return _scaled(value, LENGTH_UNITS["cm"])


def inch(value: Any) -> Any:
    """Inches to metres."""
    return _scaled(value, LENGTH_UNITS["in"])
