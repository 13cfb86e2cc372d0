"""The closed set of force elements, one file each.

An element writes the force it exerts (`FORCE`), the rate of its inner state if it has one (`STATE_RATE`) and the power it gives to
the bodies (`POWER`), and fills its block of generalised forces: one number per column it acts on. Laws are tapes, so that
springs, dampers, motors and user formulas share one element; only forces with a geometry of their own have another.

A file in this folder that calls `force_element` is found by itself.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Mapping
from functools import cache

from pytrammel.kernels.jit import Element, element

_registry: dict[str, Element] = {}


def force_element(function: Callable[..., None]) -> Element:
    """Register the decorated function under its own name."""
    compiled = element(function)
    _registry[function.__name__] = compiled
    return compiled


def force_elements() -> Mapping[str, Element]:
    """All force elements by name, those of other packages included as soon as their modules are imported."""
    _import_own()
    return _registry


@cache
def _import_own() -> None:
    for module in pkgutil.iter_modules(__path__):
        if not module.name.startswith("_"):
            importlib.import_module(f"{__name__}.{module.name}")
