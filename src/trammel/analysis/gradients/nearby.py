"""Whole runs a little to both sides, with which derivatives are compared: where these disagree, nothing is smooth."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from trammel.analysis.gradients.directions import Direction, Variant, together
from trammel.errors import RunWarning, TrammelError
from trammel.model.base import Model

Array = NDArray[np.float64]
SAME = 1e-3  # share by which whole runs may differ from what derivatives say
ROUNDING = 1e-12  # of the largest quantity
NEARBY = 1e-4  # how far they are, in sizes of what is varied


class Nearby:
    """Two runs along all directions at once, each with a share of its own.

    Args:
        model: The model.
        directions: Along which derivatives were found.
        run_at: The quantities of a whole run of a variant, shape (names, n).
    """

    def __init__(self, model: Model, directions: Sequence[Direction], run_at: Callable[[Variant], Array]) -> None:
        rng = np.random.default_rng(len(directions))
        shares = rng.uniform(0.5, 1.0, len(directions)) * rng.choice([-1.0, 1.0], len(directions))
        self._along = np.array([share * d.size for share, d in zip(shares, directions, strict=True)])
        both = together(model, directions, shares)
        self._text, self._ends, self._failed = both.name, [], ""
        try:
            self._ends = [run_at(both.at(sign * NEARBY)) for sign in (1.0, -1.0)]
        except TrammelError as error:
            self._failed = str(error)

    def doubts(
        self, names: Sequence[str], values: Array, found: Sequence[Array], rtol: float, weights: Array | None = None
    ) -> list[RunWarning]:
        """What runs nearby say against derivatives.

        Args:
            names, values: Quantities of the run itself, shape (names, n).
            found: Derivatives along each direction, of all quantities, shape (names, n), or of a sum of them, shape (1,).
            rtol: Tolerance of the runs.
            weights: Of that sum, shape (names, n).
        """
        if self._failed:
            text = f"a run nearby fails, so that the derivatives could not be compared with it: {self._failed}"
            return [RunWarning("gradient", text)]
        if not all(end.shape == values.shape for end in self._ends):
            return []  # the end passes over an instant: what is alike is not told apart
        seen = (self._ends[0] - self._ends[1]) / (2.0 * NEARBY)
        slope = np.tensordot(self._along, np.array(found), 1)
        labels, size = [repr(name) for name in names], float(np.abs(values).max(initial=0.0))
        if weights is not None:
            labels, size = [f"what is asked of {', '.join(labels)}"], size * float(np.abs(weights).sum())
            seen, values = np.array([(weights * seen).sum()]), np.array([np.abs(weights * values).sum()])
        out = []
        for label, one, other, value in zip(labels, slope, seen, values, strict=True):
            noise = (1e3 * rtol * float(np.abs(value).max(initial=0.0)) + ROUNDING * size) / NEARBY
            off = float(np.abs(one - other).max(initial=0.0))
            if not off <= SAME * float(np.abs(one).max(initial=0.0)) + noise:
                text = (
                    f"derivatives say that {label} changes by {float(np.abs(one).max()):.6g} at most along {self._text}, but runs nearby "
                    f"differ from that by {off:.3g}: the motion is not smooth in it (dry friction, chaos)."
                )
                out.append(RunWarning("gradient", text))
        return out
