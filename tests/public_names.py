"""Public names of the package and its namespaces, for tests that go through all of them."""

from __future__ import annotations

from collections.abc import Iterator
from types import ModuleType
from typing import Any

import pytrammel as tm


def namespaces() -> dict[str, ModuleType]:
    """Public modules by the name that users write after ``tm.``."""
    return {name: getattr(tm, name) for name in tm._MODULES} | {"textbook.linear": tm.textbook.linear}


def public() -> Iterator[tuple[str, Any]]:
    """Every public object by the name that users write after ``tm.``, without modules."""
    spaces = namespaces()
    for name in tm.__all__:
        if name not in spaces:
            yield name, getattr(tm, name)
    for space, module in spaces.items():
        for name in module.__all__:
            if f"{space}.{name}" not in spaces:
                yield f"{space}.{name}", getattr(module, name)
