"""The closed set of planar constraint primitives, one file each.

A primitive is a function of the coordinates with one or two scalar outputs. Its compiled element writes, for each
output, the value, the row of first derivatives and the quadratic term (the second time derivative with all
accelerations zero). Constraints, drivers and measured quantities are all uses of primitives: a row is
``value - target(t) = 0``, so every primitive can be driven.

A file in this folder that calls `primitive(...)` is found by itself; nothing else needs to be edited.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

from trammel.kernels.jit import Element, element


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
    """

    name: str
    element: Element
    n_bodies: int | None
    n_outputs: int
    n_data: int | None
    n_extras: int | None = 0
    n_tapes: int = 0
    smooth_in_complex: bool = True


_registry: dict[str, Primitive] = {}


def primitive(
    *,
    n_bodies: int | None,
    n_outputs: int,
    n_data: int | None,
    n_extras: int | None = 0,
    n_tapes: int = 0,
    smooth_in_complex: bool = True,
) -> Callable[[Callable[..., None]], Element]:
    """Register the decorated function under its own name."""

    def decorate(function: Callable[..., None]) -> Element:
        compiled = element(function)
        name = function.__name__
        _registry[name] = Primitive(name, compiled, n_bodies, n_outputs, n_data, n_extras, n_tapes, smooth_in_complex)
        return compiled

    return decorate


@cache
def primitives() -> dict[str, Primitive]:
    """All primitives by name."""
    for module in pkgutil.iter_modules(__path__):
        if not module.name.startswith("_"):
            importlib.import_module(f"{__name__}.{module.name}")
    return dict(_registry)
