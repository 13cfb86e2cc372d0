"""The closed set of constraint primitives, one file each: those of the plane here, those of space in `spatial_primitives`.

A primitive is a function of the coordinates with one to three scalar outputs. Its compiled element writes, for each
output, the value, the row of first derivatives and the quadratic term (the second time derivative with all
accelerations zero). Constraints, drivers and measured quantities are all uses of primitives: a row is
``value - target(t) = 0``, so every primitive can be driven.

A file in either folder that calls `primitive(...)` is found by itself; nothing else needs to be edited.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache

from pytrammel.kernels.jit import Element, element


@dataclass(frozen=True)
class Primitive:
    """What lowering and the tests must know of a primitive.

    Attributes:
        name: Name used in descriptions.
        element: Compiled function.
        n_bodies: Number of bodies, or None for any number.
        n_outputs: Scalar outputs.
        n_data: Constants per use, or None if that depends on the number of bodies.
        n_extras: Extra (curve) coordinates, or None for any number.
        n_tapes: Tapes it evaluates.
        smooth_in_complex: The code also runs on complex states, so that tests can differentiate it by complex step.
        spatial: It works on bodies in space: six Jacobian entries per body instead of three.
        touched: Per output, which of a body's columns can be nonzero; None for all.
        velocity_only: Its outputs restrain velocities, not positions: the value is always zero (rolling without slip).
        curved: Which of a body's columns its second derivatives can have; None for all. Linearisation leaves out the others.
    """

    name: str
    element: Element
    n_bodies: int | None
    n_outputs: int
    n_data: int | None
    n_extras: int | None = 0
    n_tapes: int = 0
    smooth_in_complex: bool = True
    spatial: bool = False
    touched: tuple[tuple[int, ...], ...] | None = None
    velocity_only: bool = False
    curved: tuple[int, ...] | None = None


_registry: dict[str, Primitive] = {}


def primitive(
    *,
    n_bodies: int | None,
    n_outputs: int,
    n_data: int | None,
    n_extras: int | None = 0,
    n_tapes: int = 0,
    smooth_in_complex: bool = True,
    spatial: bool = False,
    touched: tuple[tuple[int, ...], ...] | None = None,
    velocity_only: bool = False,
    curved: tuple[int, ...] | None = None,
) -> Callable[[Callable[..., None]], Element]:
    """Register the decorated function under its own name."""

    def decorate(function: Callable[..., None]) -> Element:
        compiled = element(function)
        name = function.__name__
        _registry[name] = Primitive(
            name,
            compiled,
            n_bodies,
            n_outputs,
            n_data,
            n_extras,
            n_tapes,
            smooth_in_complex,
            spatial,
            touched,
            velocity_only,
            curved,
        )
        return compiled

    return decorate


def primitives() -> Mapping[str, Primitive]:
    """All primitives by name, those of other packages included as soon as their modules are imported."""
    _import_own()
    return _registry


@cache
def _import_own() -> None:
    from pytrammel.kernels import spatial_primitives

    for package, path in ((__name__, __path__), (spatial_primitives.__name__, spatial_primitives.__path__)):
        for module in pkgutil.iter_modules(path):
            if not module.name.startswith("_"):
                importlib.import_module(f"{package}.{module.name}")
