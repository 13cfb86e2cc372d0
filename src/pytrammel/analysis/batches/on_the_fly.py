"""Reductions in two: series that straight kernels reduce while they run, and a formula of what is left of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pytrammel.expressions.expression import Expression, Name, variable
from pytrammel.results.formulas.reductions import Reduction
from pytrammel.results.formulas.series_functions import Reduced

Array = NDArray[np.float64]

# of what kernels leave of a series: largest, smallest, mean, mean square, first, last
LEFT: dict[str, Callable[[Array], Array]] = {
    "max": lambda x: x[..., 0],
    "min": lambda x: x[..., 1],
    "range": lambda x: x[..., 0] - x[..., 1],
    "mean": lambda x: x[..., 2],
    "rms": lambda x: np.sqrt(x[..., 3]),
    "start": lambda x: x[..., 4],
    "last": lambda x: x[..., 5],
}


@dataclass(frozen=True)
class Split:
    """A reduction in two.

    Attributes:
        parts: The series, as formulas of quantities.
        kinds: What is made of each.
        outer: Formula of the numbers r0, r1, …
    """

    parts: tuple[Expression, ...]
    kinds: tuple[str, ...]
    outer: Expression

    def of(self, left: Array) -> Array:
        """Values for all variants from what is left of the parts, shape (variants, parts, 6)."""
        numbers = {f"r{k}": LEFT[kind](left[:, k]) for k, kind in enumerate(self.kinds)}
        with np.errstate(all="ignore"):
            return np.broadcast_to(np.asarray(self.outer.evaluate(numbers), dtype=float), (len(left),))


def split(reduction: Reduction) -> Split | None:
    """A reduction in two, or None if kernels cannot do their share of it."""
    # units and numbers of other kinds are the business of whole series
    if reduction.parameters or reduction.data or reduction.is_series or any("[" in q for q in reduction.quantities):
        return None
    parts: list[Expression] = []
    kinds: list[str] = []

    def outside(node: Expression) -> Expression | None:
        if isinstance(node, Reduced):
            inner = node.children[0]
            if (
                node.window is not None
                or node.label[0] not in LEFT
                or any(isinstance(each, Reduced) for each in inner.nodes())
            ):
                return None
            parts.append(inner)
            kinds.append(str(node.label[0]))
            return variable(f"r{len(parts) - 1}")
        if isinstance(node, Name):
            return None
        children = [outside(child) for child in node.children]
        if any(child is None for child in children):
            return None
        return node.of(*(child for child in children if child is not None)) if children else node

    whole = outside(reduction.expression)
    return None if whole is None or not parts else Split(tuple(parts), tuple(kinds), whole)
