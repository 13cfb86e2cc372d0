"""Rates backwards by machine code: what pulls at the rates of a state pulls at the state and at the numbers of the model.

It is written out once for a structure and the numbers in which runs differ (`kernels.structure.reverse`), and kept.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from pytrammel.analysis.runs.straight import MOST_INTEGERS, rates_piece
from pytrammel.kernels import engine as places
from pytrammel.kernels.jit import HAVE_JIT

if TYPE_CHECKING:
    from pytrammel.analysis.gradients.track import Stretch
    from pytrammel.analysis.runs.engine import Table
    from pytrammel.kernels.structure.as_llvm import MachineCode

Array = NDArray[np.float64]
Ints = NDArray[np.int64]
MOST_OPERATIONS = 100_000  # more take longer to compile than differences take to be found
MOST_KEPT = 32  # structures

_known: dict[tuple[bytes, ...], MachineCode | str] = {}  # or why there is none


@dataclass(frozen=True)
class Pulling:
    """How rates are gone back over.

    Attributes:
        code: Machine code, or why there is none, so that it is done by differences.
        varying: Places of the numbers that it pulls at, among those of the model.
    """

    code: MachineCode | str
    varying: Ints

    @property
    def address(self) -> int:
        """Of the code; 0 without one."""
        return 0 if isinstance(self.code, str) else self.code.address


def pulling(stretches: Sequence[Stretch]) -> Pulling:
    """How to go back over stretches with the same equations, which may differ in numbers."""
    table = stretches[0].table
    assert table is not None
    varies = (np.array([s.floats for s in stretches]) != stretches[0].floats).any(axis=0)
    for stretch in stretches:
        varies |= stretch.numbers.any(axis=0)
    varying = np.flatnonzero(varies)
    held = np.where(varies, 0.0, stretches[0].floats)
    key = tuple(part.tobytes() for part in (table.data[places.INTS], table.data[places.PATTERN], varying, held))
    if key not in _known:
        _known[key] = _written_out(table, varying)
        while len(_known) > MOST_KEPT:
            del _known[next(iter(_known))]
    return Pulling(_known[key], varying)


def _written_out(table: Table, varying: Ints) -> MachineCode | str:
    """Machine code, or why there is none."""
    if not HAVE_JIT:
        return "Numba is not there"
    if table.data[places.INTS].size + table.data[places.PATTERN].size > MOST_INTEGERS:
        return "the model is large"
    from pytrammel.kernels.structure.as_llvm import MachineCode
    from pytrammel.kernels.structure.reverse import reverse_piece

    rates = rates_piece(table, varying.tolist())
    if isinstance(rates, str):
        return rates
    back = reverse_piece(rates, int(table.entries[places.SIZE]))
    count = back.block.count()
    return (
        MachineCode(back, in_place=True, soon=True)
        if count <= MOST_OPERATIONS
        else f"they are {count} operations backwards"
    )
