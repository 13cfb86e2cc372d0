"""Linear equations as on paper, with the steps shown; and which unknowns of a matrix depend on which.

    from pytrammel.textbook import linear
    print(linear.gauss([[2, 1], [1, 3]], [3, 5]))
    linear.lu([[2, 1], [1, 3]], pivoting="full").solve([3, 5])
    linear.partition([[1, -1, 0.5]], names=["x", "y", "phi"])

Matrices are lists of rows; they need not be square. Results say how they came about: `print` them. In sentences rows, columns and
unknowns are counted from 1, as on paper; attributes count from 0, as Python does.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytrammel._util.messages import absent_from_module
from pytrammel._util.worked_steps import Step
from pytrammel.analysis.column_partition import METHODS, Choice, Partition, Pick, choose_columns, partition
from pytrammel.textbook.linear.gauss import Reduction, gauss, gauss_jordan
from pytrammel.textbook.linear.lu import LU, lu
from pytrammel.textbook.linear.qr import QR, qr

__all__ = [
    "LU",
    "METHODS",
    "QR",
    "Choice",
    "Partition",
    "Pick",
    "Reduction",
    "Step",
    "choose_columns",
    "gauss",
    "gauss_jordan",
    "lu",
    "partition",
    "qr",
]

if not TYPE_CHECKING:

    def __getattr__(name):
        raise AttributeError(absent_from_module(__name__, name, __all__), name=name)
