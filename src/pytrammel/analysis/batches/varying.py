"""Which constants of a model vary in a batch, and kernels that were written out for the others."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from threading import Lock
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from pytrammel.kernels.structure.constants import Structure, varying_in
from pytrammel.system.parameter_map import ParameterMap

Array = NDArray[np.float64]
T = TypeVar("T")
PROBE = 1e-3  # by how much parameters are changed to see which constants follow them
MOST_KNOWN = 8  # kernels of the last batches that are kept


class Varying:
    """Systems of a batch with the constants that vary; where variants show more of them, these are remembered."""

    def __init__(self, maps: Sequence[ParameterMap], names: Sequence[str]) -> None:
        self._maps = maps
        self._varying = [varying_of(each, names) for each in maps]

    def structures(self, *tables: Array) -> list[Structure]:
        """One per system, for variants with these constants (variants × constants)."""
        found = []
        for k, (each, table) in enumerate(zip(self._maps, tables, strict=True)):
            known = Structure(each.system.ints, each.system.floats, self._varying[k])
            if not known.holds(table):
                more = varying_in(np.vstack([each.system.floats, table]))
                self._varying[k] = tuple(sorted({*self._varying[k], *more}))
                known = Structure(each.system.ints, each.system.floats, self._varying[k])
            found.append(known)
        return found


def varying_of(parameters: ParameterMap, names: Sequence[str]) -> tuple[int, ...]:
    """Constants that follow some parameters, as far as small changes show."""
    places = [parameters.names.index(name) for name in names]
    table = np.tile(parameters.values, (1 + 2 * len(places), 1))
    for k, place in enumerate(places):
        change = PROBE * (abs(table[0, place]) or 1.0)
        table[1 + 2 * k, place] += change
        table[2 + 2 * k, place] -= change
    found = parameters.at(table, bounded=False)
    return varying_in(found.floats[found.fits])


_known: dict[tuple[Any, ...], Any] = {}  # latest last
_lock = Lock()


def key_of(pattern: NDArray[np.int64], *structures: Structure | None) -> tuple[Any, ...]:
    """What tells kernels that were written out for these from others."""
    return pattern.tobytes(), *(each and each.key for each in structures)


def is_known(key: tuple[Any, ...]) -> bool:
    """Return True if there are such kernels already."""
    return key in _known


def shared(key: tuple[Any, ...], make: Callable[[], T]) -> T:
    """Kernels from an earlier batch or chunk, or new ones."""
    with _lock:
        made: T = _known.pop(key) if key in _known else make()
        while len(_known) >= MOST_KNOWN:
            del _known[next(iter(_known))]
        _known[key] = made
    return made
