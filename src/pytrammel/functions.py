"""Functions for formulas written in Python: ``tm.functions.cycloidal(tm.time / 2)``.

Each takes formulas or numbers; numbers alone give a number. NumPy's functions do the same where they exist: ``np.sin(3 * tm.time)``,
``np.hypot(x, y)``, ``np.remainder(tm.time, 2.0)``.

* Trigonometry: `sin`, `cos`, `tan`, `asin`, `acos`, `atan`, `atan2`, `sinh`, `cosh`, `tanh`.
* Powers and logarithms: `sqrt`, `exp`, `log`.
* Pieces: `abs`, `sign`, `step`, `floor`, `mod`, `min`, `max`, `where`.
* Rise laws, from 0 at u = 0 to 1 at u = 1: `uniform`, `harmonic`, `cycloidal`, `poly23`, `poly345`, `poly4567`, `modified_sine`,
  `modified_trapezoid`.
* Functions through points: `spline`, `Table`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytrammel._util.messages import absent_from_module
from pytrammel.expressions.functions import (
    abs,
    acos,
    asin,
    atan,
    atan2,
    cos,
    cosh,
    cycloidal,
    exp,
    floor,
    harmonic,
    log,
    max,
    min,
    mod,
    modified_sine,
    modified_trapezoid,
    poly23,
    poly345,
    poly4567,
    sign,
    sin,
    sinh,
    sqrt,
    step,
    tan,
    tanh,
    uniform,
    where,
)
from pytrammel.expressions.tables import Table, spline

__all__ = [
    "Table",
    "abs",
    "acos",
    "asin",
    "atan",
    "atan2",
    "cos",
    "cosh",
    "cycloidal",
    "exp",
    "floor",
    "harmonic",
    "log",
    "max",
    "min",
    "mod",
    "modified_sine",
    "modified_trapezoid",
    "poly23",
    "poly345",
    "poly4567",
    "sign",
    "sin",
    "sinh",
    "spline",
    "sqrt",
    "step",
    "tan",
    "tanh",
    "uniform",
    "where",
]

if not TYPE_CHECKING:

    def __getattr__(name):
        raise AttributeError(absent_from_module(__name__, name, __all__), name=name)
