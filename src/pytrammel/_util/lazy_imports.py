"""SciPy, imported where something of it is used: most runs need nothing of it, and importing it takes longer than they do."""

from __future__ import annotations

import importlib
import sys
from functools import cache
from importlib.machinery import PathFinder
from importlib.util import find_spec, module_from_spec
from typing import Any

import numpy as np
from numpy.typing import NDArray

LAPACK = "scipy.linalg._flapack"


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


@cache
def _lapack() -> Any:
    """SciPy's bare LAPACK; all of `scipy.linalg` takes twenty times as long to import."""
    package = find_spec("scipy.linalg")
    spec = PathFinder.find_spec(LAPACK, package.submodule_search_locations) if package else None
    if LAPACK in sys.modules or spec is None or spec.loader is None:
        return importlib.import_module("scipy.linalg.lapack")
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def pivoted_columns(matrix: NDArray[np.float64]) -> NDArray[np.int64]:
    """Columns of a matrix in the order of QR with pivoting: each is the one that sticks out most of those before it."""
    if not matrix.size:
        return np.arange(matrix.shape[1])
    *_, work, _ = _lapack().dgeqp3(np.asarray_chkfinite(matrix), lwork=-1)
    _, order, *_ = _lapack().dgeqp3(matrix, lwork=int(work[0]))
    return np.asarray(order, dtype=np.int64) - 1
