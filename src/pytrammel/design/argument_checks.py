"""Arguments of design functions as they should be, or a sentence about them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from pytrammel._util.messages import short
from pytrammel.errors import ModelError

MOST = 2**31  # of counts in compiled searches


def listed(given: Any, key: str) -> list[Any]:
    """A list; a text alone is a list of one."""
    if isinstance(given, str):
        return [given]
    if (
        isinstance(given, Mapping | bytes)
        or not isinstance(given, Iterable)
        or (isinstance(given, np.ndarray) and not given.ndim)
    ):
        raise ModelError(f"{key}= must be a list of texts, but it is {short(given)}.")
    return list(given)


def names(given: Any, key: str) -> list[str]:
    """A list of names; one alone is a list of one."""
    found = listed(given, key)
    for each in found:
        if not isinstance(each, str):
            raise ModelError(f"{key}= must be a list of names, but it holds {short(each)}.")
    return found


def by_name(given: Any, key: str, what: str) -> dict[str, Any]:
    """Values by name; nothing if None was said."""
    if given is not None and (not isinstance(given, Mapping) or not all(isinstance(name, str) for name in given)):
        raise ModelError(f"{key}= must give {what} by name, but it is {short(given)}.")
    return dict(given or {})


def whole(given: Any, key: str, least: int) -> int:
    """A whole number that is large enough."""
    if not is_whole(given) or not least <= given < MOST:
        raise ModelError(f"{key} is {short(given)}; it must be a whole number of at least {least} and less than 2**31.")
    return int(given)


def is_whole(given: Any) -> bool:
    """Return True for an integer of Python or NumPy, and for 5.0."""
    return is_real(given) and (isinstance(given, int) or float(given).is_integer())


def is_real(given: Any) -> bool:
    """Return True for a real number of Python or NumPy."""
    return isinstance(given, int | float | np.integer | np.floating) and not isinstance(given, bool)


def lies_within(given: Any, low: float, high: float) -> bool:
    """Return True for a real number within limits; an int of any length, and a short float of NumPy, which limits would overflow."""
    return is_real(given) and low <= (given if isinstance(given, int) else float(given)) <= high


def small(given: Any, key: str) -> float:
    """A tolerance."""
    if not is_real(given) or not 0.0 < given < 1.0:
        raise ModelError(f"{key} is {short(given)}; it must be between 0 and 1.")
    return float(given)
