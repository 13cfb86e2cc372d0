"""Methods that use derivatives of the rates along the motion."""

from __future__ import annotations

import numpy as np

from pytrammel.analysis.methods import Array, Method, method
from pytrammel.kernels.methods import taylor as kernels


@method
def taylor2() -> Method:
    def numbers(size: int) -> tuple[Array, list[int]]:
        ends = np.cumsum([kernels.FIRST_FREE, size, 3 * size, size])
        return np.zeros(int(ends[-1])), [int(place) for place in ends[:-1]]

    about = "Taylor series to the second order (book, eq. 12.11), fixed steps."
    return Method(about=about, order=2, family="taylor", fixed=True, numbers=numbers)
