"""SciPy, imported where something of it is used: most runs need nothing of it, and importing it takes longer than they do."""

from __future__ import annotations

import importlib
from typing import Any


class Later:
    """A module that is imported when the first of its names is asked for."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, name: str) -> Any:
        return getattr(importlib.import_module(self._name), name)


linalg = Later("scipy.linalg")
optimize = Later("scipy.optimize")
sparse = Later("scipy.sparse")
sparse_linalg = Later("scipy.sparse.linalg")
