"""Flat integer and float buffers that grow while a model is lowered."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from pytrammel._util import traced_numbers
from pytrammel.expressions.expression import Expression
from pytrammel.kernels import layout as L


class Buffers:
    """The buffers ``I`` and ``F`` of `pytrammel.kernels.layout` under construction."""

    def __init__(self) -> None:
        self.ints: list[int] = [0] * L.HEADER_SIZE
        self.floats: list[float] = []
        self.work = 0

    def add_ints(self, values: Iterable[int]) -> int:
        """Append and return the offset."""
        at = len(self.ints)
        self.ints.extend(int(v) for v in values)
        return at

    def add_floats(self, values: Iterable[float]) -> int:
        at = len(self.floats)
        self.floats.extend([v if type(v) is float else traced_numbers.real(v) for v in values])
        return at

    def add_tape(self, expression: Expression, inputs: Sequence[str], scratch: int = 0) -> int:
        """Append the tape of an expression; `scratch` numbers are kept free before its slots."""
        tape = expression.tape(inputs)
        at = self.add_ints(tape.ints)
        self.ints[at + 2] = self.add_floats(tape.floats)
        self.work = max(self.work, scratch + 4 * tape.n_slots)
        return at

    def arrays(self) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        self.ints[L.N_WORK] = self.work + 8
        # one spare number keeps an empty buffer addressable
        return np.array(self.ints, dtype=np.int64), traced_numbers.array([*self.floats, 0.0])
