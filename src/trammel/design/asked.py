"""Arguments of design functions as they should be, or a sentence about them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from trammel.errors import ModelError
from trammel.sentences import short


def listed(given: Any, key: str) -> list[Any]:
    """A list; a text alone is a list of one."""
    if isinstance(given, str):
        return [given]
    if isinstance(given, Mapping) or not isinstance(given, Iterable):
        raise ModelError(f"{key}= must be a list of texts, but it is {short(given)}.")
    return list(given)


def by_name(given: Any, key: str, what: str) -> dict[str, Any]:
    """Values by name; nothing if None was said."""
    if given is not None and not isinstance(given, Mapping):
        raise ModelError(f"{key}= must give {what} by name, but it is {short(given)}.")
    return dict(given or {})


def whole(given: Any, key: str, least: int) -> int:
    """A whole number that is large enough."""
    if isinstance(given, bool) or not isinstance(given, int) or given < least:
        raise ModelError(f"{key} is {short(given)}; it must be a whole number of at least {least}.")
    return given


def small(given: Any, key: str) -> float:
    """A tolerance."""
    if isinstance(given, bool) or not isinstance(given, float | int) or not 0.0 < given < 1.0:
        raise ModelError(f"{key} is {short(given)}; it must be between 0 and 1.")
    return float(given)
