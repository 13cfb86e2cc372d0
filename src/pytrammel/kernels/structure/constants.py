"""A system for which kernels are written out, and which of its constants vary."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True)
class Structure:
    """Integers of a system, the constants of one variant, and which of them vary.

    Attributes:
        ints: Integers.
        floats: Constants of one variant, shape (n,).
        varying: Places of the constants that other variants may have otherwise.
    """

    ints: Ints
    floats: Array
    varying: tuple[int, ...]

    @property
    def key(self) -> tuple[bytes, bytes, tuple[int, ...]]:
        """What tells structures apart: their integers and the constants that do not vary."""
        fixed = self.floats.copy()
        fixed[list(self.varying)] = 0.0
        return self.ints.tobytes(), fixed.tobytes(), self.varying

    def holds(self, floats: Array) -> bool:
        """Whether variants (variants × constants) differ in nothing else."""
        fixed = np.ones(self.floats.size, dtype=bool)
        fixed[list(self.varying)] = False
        return bool((floats[:, fixed] == self.floats[fixed]).all())

    def by_variant(self, floats: Array) -> Array:
        """Varying constants (constants × variants), at least one row."""
        found = floats[:, list(self.varying)] if self.varying else np.zeros((len(floats), 1))
        return np.ascontiguousarray(found.T)


def varying_in(floats: Array) -> tuple[int, ...]:
    """Constants that are not the same for all variants (variants × constants)."""
    return tuple(int(k) for k in np.flatnonzero((floats != floats[0]).any(axis=0)))
