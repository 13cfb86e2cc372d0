"""States outside a run: what `RECORD` keeps of them, their rates, and watched formulas that Python evaluates.

Formulas of reactions, accelerations and energies need the names of a result, which kernels do not have. Their routine `WATCH` is a
function of Python; runs without such formulas never reach this module.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pytrammel.kernels import jit
from pytrammel.kernels.jit import FLOAT, FLOAT_ARRAY, INT, INT_ARRAY, call_routine, kernel

Array = NDArray[np.float64]


@kernel(INT_ARRAY, INT, FLOAT, FLOAT_ARRAY, FLOAT_ARRAY, seconds=0.5)
def routine_run(E, which, t, y, out):
    """Call one routine of the equations: RECORD fills a row of `out`, RATES the derivative of y."""
    return call_routine(E[which], E, t, 0.0, y, out, out)


class PythonWatch:
    """`WATCH` with some formulas evaluated in Python.

    Args:
        size: Entries of the integrated vector.
        places: Numbers of the formulas that Python evaluates.
        values: Function of time and vector that returns their values.
        own: Address of the routine that evaluates the others.
    """

    def __init__(self, size: int, places: Sequence[int], values: Callable[[float, Array], Array], own: int) -> None:
        self._y = np.zeros(size)
        self._places, self._values, self._own = tuple(places), values, own
        if not jit.HAVE_JIT:
            jit._python_elements.append(self._plain)  # type: ignore[arg-type]
            self.address = len(jit._python_elements) - 1
            return
        double, pointer = ctypes.c_double, ctypes.c_void_p
        kind = ctypes.CFUNCTYPE(double, pointer, double, double, pointer, pointer, pointer)
        self._native = kind(own)
        self._kept = kind(self._called)
        self.address = int(ctypes.cast(self._kept, pointer).value or 0)
        jit.expect_callbacks()

    def _called(self, E: int, t: float, h: float, y: int, values: int, unused: int) -> float:
        self._native(E, t, h, y, values, unused)
        ctypes.memmove(self._y.ctypes.data, y, 8 * self._y.size)
        for place, value in zip(self._places, self._found(t), strict=True):
            ctypes.c_double.from_address(values + 8 * place).value = value
        return 0.0

    def _plain(self, E: Any, t: float, h: float, y: Any, values: Any, unused: Any) -> float:
        call_routine(self._own, E, t, h, y, values, unused)
        self._y[:] = y[: self._y.size]
        for place, value in zip(self._places, self._found(t), strict=True):
            values[place] = value
        return 0.0

    def _found(self, t: float) -> list[float]:
        """Values of the formulas; what Python raises is raised again when the kernel returns."""
        if jit.raised.error is None:
            try:
                return [float(x) for x in self._values(t, self._y)]
            except BaseException as error:
                if not jit.HAVE_JIT:
                    raise
                jit.raised.error = error
        return [np.nan] * len(self._places)
