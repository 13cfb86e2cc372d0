"""How a check fails: with type, quantity, value and limit."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np


class CheckFailedError(AssertionError):
    """A check of `pytrammel.testing` failed; the message states type, quantity, value and limit."""


def require(condition: bool, subject: object, text: str) -> None:
    """Raise `CheckFailedError` with a text about a type if a condition is not met."""
    if not condition:
        raise CheckFailedError(f"{subject}: {text}")


def require_close(
    subject: object, quantity: str, labels: Sequence[str], found: Any, expected: Any, limit: Any, reference: str
) -> None:
    """Raise `CheckFailedError` about the worst entry if two arrays differ by more than a limit.

    Args:
        subject: The checked type.
        quantity: Name of what is compared, e.g. "rate".
        labels: Names of the entries.
        found, expected: Values, shape (n,).
        limit: Largest difference, a number or one for each entry.
        reference: Origin of `expected`, e.g. "differences of the value".
    """
    found, expected = np.atleast_1d(found), np.atleast_1d(expected)
    if found.shape != expected.shape:
        raise CheckFailedError(f"{subject}: {quantity} has the shape {found.shape}, but {reference} {expected.shape}.")
    limits = np.broadcast_to(limit, found.shape)
    off = np.abs(found - expected)
    wrong = ~(off <= limits)  # also where a value is not a number
    if wrong.any():
        k = int(np.argmax(np.where(wrong, np.nan_to_num(off / limits, nan=np.inf, posinf=np.inf), -1.0)))
        raise CheckFailedError(
            f"{subject}: {quantity} of {labels[k]} is {found[k]:.12g}, but {reference} is {expected[k]:.12g}. "
            f"The difference {off[k]:.3g} exceeds the limit {limits[k]:.3g}."
        )


@contextlib.contextmanager
def no_error(subject: object, quantity: str) -> Iterator[None]:
    """Convert any error into a `CheckFailedError` about a type."""
    try:
        yield
    except CheckFailedError:
        raise
    except Exception as error:
        raise CheckFailedError(f"{subject}: {quantity} raises {type(error).__name__}: {error}") from error
