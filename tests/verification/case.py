"""Reference case of the verification manual and its rows."""

from __future__ import annotations

import functools
import importlib
import pkgutil
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from importlib import metadata

import numpy as np
from numpy.typing import ArrayLike

CASES: dict[str, Case] = {}


@dataclass(frozen=True)
class Row:
    """Comparison of one quantity with its reference.

    Attributes:
        quantity: Name of the quantity, e.g. "angle of the coupler at 0.1 s".
        unit: Unit of the values, "" for a pure number.
        reference: Reference value or values, kept as an array.
        computed: Value or values of Trammel, same shape.
        tolerance: Largest accepted error.
        scale: Divisor of the error: 1 for an absolute error, else the size of the reference.
        at: Abscissa of the values for the picture of the case, None for no curve.
        axis: Name and unit of the abscissa.
        curve: Abscissa and values of Trammel between the compared values, for the picture.
    """

    quantity: str
    unit: str
    reference: ArrayLike
    computed: ArrayLike
    tolerance: float
    scale: float = 1.0
    at: np.ndarray | None = None
    axis: str = "time [s]"
    curve: tuple[np.ndarray, np.ndarray] | None = None

    def __post_init__(self) -> None:
        for name in ("reference", "computed"):
            object.__setattr__(self, name, np.asarray(getattr(self, name), float))
        reference, computed = np.shape(self.reference), np.shape(self.computed)
        if reference != computed:
            raise ValueError(f"{self.quantity}: {computed} values are compared with {reference} references")
        if np.size(self.reference) == 0 or not np.isfinite(self.reference).all():
            raise ValueError(f"{self.quantity}: the reference is empty or not finite")
        if not (0 < self.tolerance < np.inf and 0 < self.scale < np.inf):
            raise ValueError(f"{self.quantity}: tolerance and scale must be positive numbers")

    @property
    def error(self) -> float:
        """Largest difference, divided by `scale`; infinite if a value is not finite."""
        difference = np.abs(np.asarray(self.computed, float) - np.asarray(self.reference, float)) / self.scale
        return float(difference.max()) if np.isfinite(difference).all() else np.inf

    @property
    def passed(self) -> bool:
        """True if the error is at most the tolerance."""
        return self.error <= self.tolerance


def installed_version(package: str) -> str | None:
    """Return the version of a package, None if it is not installed."""
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None


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
        needs: Packages of other programs without which the case does not run, e.g. "mujoco".
    """

    name: str
    area: str
    source: str
    reason: str
    compute: Callable[[], Iterable[Row]]
    uses: str = ""
    needs: tuple[str, ...] = ()

    @property
    def missing(self) -> list[str]:
        """Packages in `needs` that are not installed."""
        return [name for name in self.needs if installed_version(name) is None]

    @functools.cached_property
    def rows(self) -> list[Row]:
        """Rows of the case, computed on first use."""
        return list(self.compute())


def case(
    name: str, *, area: str, source: str, reason: str, uses: str, needs: tuple[str, ...] = ()
) -> Callable[[Callable[[], Iterable[Row]]], Callable[[], Iterable[Row]]]:
    """Register a function as a reference case."""

    def register(compute: Callable[[], Iterable[Row]]) -> Callable[[], Iterable[Row]]:
        if name in CASES:
            raise ValueError(f"reference case {name!r} is registered twice")
        CASES[name] = Case(name, area, source, reason, compute, uses, needs)
        return compute

    return register


def all_cases() -> Mapping[str, Case]:
    """Return all cases of the package `cases`, by name."""
    from verification import cases

    for module in pkgutil.walk_packages(cases.__path__, f"{cases.__name__}."):
        importlib.import_module(module.name)
    return CASES


def areas(cases: Mapping[str, Case]) -> dict[str, list[Case]]:
    """Return the cases of each area, areas and cases in alphabetical order."""
    found: dict[str, list[Case]] = {}
    for name in sorted(cases):
        found.setdefault(cases[name].area, []).append(cases[name])
    return dict(sorted(found.items()))
