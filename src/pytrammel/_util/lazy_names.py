"""Public names of a package that are imported when they are first used."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Mapping
from importlib.util import find_spec
from typing import Any


def lazy_names(
    package: str, homes: Mapping[str, str], modules: Mapping[str, str], absent: Callable[[str], str]
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """Return ``__getattr__`` and ``__dir__`` for a package whose public names live in other modules.

        __getattr__, __dir__ = lazy_names(__name__, _HOMES, {}, absent)

    Args:
        package: Name of the package.
        homes: Module that holds each name.
        modules: Public modules by name.
        absent: Message about an unknown name.
    """

    def load(name: str) -> Any:
        if name in modules:
            value = importlib.import_module(modules[name])
        elif name in homes:
            value = getattr(importlib.import_module(homes[name]), name)
        else:
            raise AttributeError(_unknown(package, name, absent), name=name, obj=sys.modules[package])
        setattr(sys.modules[package], name, value)
        return value

    def names() -> list[str]:
        return sorted({*vars(sys.modules[package]), *homes, *modules})

    return load, names


def _unknown(package: str, name: str, absent: Callable[[str], str]) -> str:
    return f"module {package!r} has no attribute {name!r}" if is_inner(package, name) else absent(name)


def is_inner(module: str, name: str) -> bool:
    """Return True if Python itself looks a name up: a dunder, or a submodule before its import."""
    is_package = "__path__" in vars(sys.modules[module])
    return name.startswith("_") or (is_package and find_spec(f"{module}.{name}") is not None)
