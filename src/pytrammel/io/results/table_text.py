"""Tables of numbers as lines of text: each the shortest decimal that reads back as the same number."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray

from pytrammel.errors import ModelError
from pytrammel.kernels.decimals import WIDEST, decimals_run, powers_of_ten
from pytrammel.kernels.jit import HAVE_JIT, prepare

BLOCK = 100_000  # numbers written at a time
MANY = 500_000  # numbers from which on the compiled writer is worth waiting for


MOST_DIGITS = 17  # significant digits of a double


def write_lines(file: BinaryIO, columns: Sequence[NDArray[np.float64]], digits: int | None = None) -> None:
    """Write columns of equal length as lines with commas, as `csv` does with the repr of each number, or with so many digits."""
    if digits is not None and not 1 <= digits <= MOST_DIGITS:
        raise ModelError(f"digits of a table are {digits}; use 1 to {MOST_DIGITS}.")
    count, rows = len(columns), len(columns[0])
    many = HAVE_JIT and rows * count >= MANY and digits is None
    if many:
        prepare(["decimals_run"])
    size = max(1, BLOCK // count)
    for begin in range(0, rows, size):
        block = np.column_stack([values[begin : begin + size] for values in columns]).astype(np.float64, copy=False)
        file.write(_compiled(block) if many else _plain(block, repr if digits is None else f"{{:.{digits}g}}".format))


def _plain(block: NDArray[np.float64], text: Callable[[float], str]) -> bytes:
    return "".join(",".join(map(text, row)) + "\r\n" for row in block.tolist()).encode()


def _compiled(block: NDArray[np.float64]) -> bytes:
    out = np.empty(WIDEST * block.size, dtype=np.uint8)
    size = int(decimals_run(block.view(np.int64).ravel(), block.shape[1], _powers(), out))
    return out[:size].tobytes()


@functools.cache
def _powers() -> NDArray[np.int64]:
    return np.asarray(powers_of_ten())
