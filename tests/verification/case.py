"""Reference case of the verification manual and its rows."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np

CASES: dict[str, Case] = {}


@dataclass(frozen=True)
class Row:
    """Comparison of one quantity with its reference.

    Attributes:
        quantity: Name of the quantity, e.g. "angle of the coupler at 0.1 s".
        unit: Unit of the values, "" for a pure number.
        reference: Reference value or values.
        computed: Value or values of Trammel, same shape.
        tolerance: Largest accepted error.
        scale: Divisor of the error: 1 for an absolute error, else the size of the reference.
    """

    quantity: str
    unit: str
    reference: float | np.ndarray
    computed: float | np.ndarray
    tolerance: float
    scale: float = 1.0

    @property
    def error(self) -> float:
        """Largest difference, divided by `scale`; infinite if a value is not finite."""
        difference = np.abs(np.asarray(self.computed, float) - np.asarray(self.reference, float)) / self.scale
        return float(difference.max()) if np.isfinite(difference).all() else np.inf

    @property
    def passed(self) -> bool:
        """True if the error is at most the tolerance."""
        return self.error <= self.tolerance


@dataclass(frozen=True)
class Case:
    """Reference case: a function that computes rows, and where its references come from.

    Attributes:
        name: Identifier, e.g. "modelica/Pendulum".
        area: Page of the manual, e.g. "Modelica mechanics library".
        source: Publication, file or closed form of the references.
        reason: Reason of the tolerance.
        compute: Function that returns the rows.
        uses: Formulations, methods and elements in use.
    """

    name: str
    area: str
    source: str
    reason: str
    compute: Callable[[], Iterable[Row]]
    uses: str = ""


def case(
    name: str, *, area: str, source: str, reason: str, uses: str = ""
) -> Callable[[Callable[[], Iterable[Row]]], Callable[[], Iterable[Row]]]:
    """Register a function as a reference case."""

    def register(compute: Callable[[], Iterable[Row]]) -> Callable[[], Iterable[Row]]:
        if name in CASES:
            raise ValueError(f"reference case {name!r} is registered twice")
        CASES[name] = Case(name, area, source, reason, compute, uses)
        return compute

    return register
