"""Arguments of functions of a model: finite arrays of states and times, and their leading axes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pytrammel._util.checks import checked_number
from pytrammel._util.messages import short
from pytrammel.errors import ModelError

Array = NDArray[np.float64]


def numbers(value: Any, where: str) -> Array:
    """Return an array of floats; `where` names the argument in messages."""
    try:
        if np.iscomplexobj(value):
            raise ModelError(f"{where} must be real, but it is complex. Pass its real part.")
        array = np.asarray(value)
        if array.dtype.kind not in "iufO":
            raise TypeError
        return array.astype(float)
    except (TypeError, ValueError, OverflowError):
        raise ModelError(f"{where} must be an array of numbers, but it is {short(value)}.") from None


def finite(array: Array, name: str, where: str) -> Array:
    """Return the array, or raise `ModelError` with the first entry that is not finite."""
    if not np.isfinite(array).all():
        bad = np.argwhere(~np.isfinite(array))[0]
        place = f"{name}[{', '.join(map(str, bad))}]" if array.ndim else name
        raise ModelError(f"{where} is not finite: {place} is {array[tuple(bad)]}. Pass finite numbers.")
    return array


def checked_times(t: Any, where: str) -> Array:
    """Return a time as an array without axes, or times as an array with the leading axes of the states."""
    if isinstance(t, list | tuple) or (isinstance(t, np.ndarray) and t.ndim):
        return finite(numbers(t, where), "t", where)
    return np.asarray(checked_number(t, where))


def leading_axes(arrays: Mapping[str, Array], times: Array, where: str) -> tuple[int, ...]:
    """Return the leading axes that arrays of states and times have together."""
    try:
        return np.broadcast_shapes(times.shape, *(array.shape[:-1] for array in arrays.values()))
    except ValueError:
        shapes = [f"{name} {array.shape}" for name, array in arrays.items()] + [f"t {times.shape}"] * bool(times.ndim)
        raise ModelError(
            f"{where}: leading axes of {', '.join(shapes)} do not agree. Pass one state, or the same number of states."
        ) from None
