"""Notes on areas of the verification manual."""

from __future__ import annotations

import importlib
import pkgutil


def area_notes() -> dict[str, str]:
    """Return the texts `NOTES` of all modules of the package `cases`, by area; functions are called for their text."""
    from verification import cases

    found: dict[str, str] = {}
    for module in pkgutil.walk_packages(cases.__path__, f"{cases.__name__}."):
        notes = getattr(importlib.import_module(module.name), "NOTES", {})
        found.update({area: text() if callable(text) else text for area, text in notes.items()})
    return found
