"""Independent coordinates of a run by partitioning: chosen, looked after, and chosen anew where that helps."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from trammel import linear
from trammel.analysis.plain_newton import row_names
from trammel.analysis.rank import TOLERANCE, jacobian
from trammel.errors import ModelError, RunWarning
from trammel.kernels import layout as L
from trammel.kernels.equations import partitioned as places
from trammel.system.lowering import System

Array = NDArray[np.float64]
WORTH_CHANGING = 2.0  # by what factor the measure must grow for another partition: less would go to and fro
DOUBTFUL = 1e-3  # measure of a given partition below which errors grow a thousandfold in the dependent coordinates


class Independent:
    """The partition of a run.

    Args:
        wanted: Name of a way to choose, see `tm.linear.METHODS`, or names of the coordinates, which then stay.
        bound: Opening of the joints, in row scales, above which dependent coordinates are put right; 0 for at once.
    """

    def __init__(self, wanted: str | tuple[str, ...], bound: float) -> None:
        self.wanted, self.bound = wanted, bound
        self.columns: tuple[int, ...] = ()
        self.history: list[tuple[float, tuple[str, ...]]] = []
        self.numbers = np.zeros(0)
        self._rows: tuple[int, ...] | None = None

    @property
    def given(self) -> bool:
        return not isinstance(self.wanted, str)

    @property
    def switches(self) -> int:
        return max(0, len(self.history) - 1)

    def choose(self, system: System, rows: tuple[int, ...], q: Array, time: float) -> None:
        """Independent coordinates for these rows, if they have none yet."""
        if rows != self._rows:
            self._take(system, rows, time, self._chosen(system, rows, q, time))

    def choose_anew(self, system: System, rows: tuple[int, ...], q: Array, time: float) -> bool:
        """Others that are clearly better here, if there are any."""
        if self.given or not rows:
            return False
        matrix = _scaled(system, rows, q, time)
        found = self._chosen(system, rows, q, time)
        if _measure(matrix, found) < WORTH_CHANGING * _measure(matrix, self.columns):
            self.numbers[places.LEAST] *= places.WEAKENED
            return False
        self._take(system, rows, time, found)
        return True

    def _chosen(self, system: System, rows: tuple[int, ...], q: Array, time: float) -> tuple[int, ...]:
        matrix = _scaled(system, rows, q, time)
        if isinstance(self.wanted, str):
            return tuple(sorted(linear.choose_columns(matrix, self.wanted, tolerance=TOLERANCE).independent))
        unknown = [name for name in self.wanted if name not in system.columns]
        if unknown:
            raise ModelError(
                f"partition: {unknown[0]!r} is no coordinate that can be integrated by itself; use some of: {', '.join(system.columns)}."
            )
        found = linear.partition(
            matrix,
            independent=self.wanted,
            names=system.columns,
            row_names=row_names(system, list(rows)),
            tolerance=TOLERANCE,
        )
        return tuple(sorted(found.choice.independent))

    def _take(self, system: System, rows: tuple[int, ...], time: float, columns: tuple[int, ...]) -> None:
        names = tuple(system.columns[c] for c in columns)
        if not self.history or self.history[-1][1] != names:
            self.history.append((time, names))
        smallest, corrections = self.numbers[[places.SMALLEST, places.CORRECTIONS]] if self.numbers.size else (1.0, 0.0)
        weights = system.column_scales() ** 2
        weights[list(columns)] = 0.0
        size = int(system.ints[[L.N_COORDINATES, L.N_COLUMNS, L.N_STATES, L.N_FORCES]].sum()) + 1
        self.numbers = np.concatenate([np.zeros(places.WEIGHTS), weights, np.zeros(size)])
        self.numbers[places.LEAST] = 0.0 if self.given else np.finfo(float).tiny
        self.numbers[[places.MEASURE, places.SMALLEST, places.BOUND, places.CORRECTIONS]] = (
            1.0,
            smallest,
            self.bound,
            corrections,
        )
        self.columns, self._rows = columns, rows

    def trouble(self, system: System, rows: tuple[int, ...], q: Array, time: float) -> str:
        """What to say where a run stops and the partition is to blame; empty if it is not."""
        if not rows or not self.columns:
            return ""
        matrix = _scaled(system, rows, q, time)
        best = _measure(matrix, linear.choose_columns(matrix, "lu-full", tolerance=TOLERANCE).independent)
        if _measure(matrix, self.columns) > 0.05 * best:
            return ""
        names = ", ".join(map(repr, self.history[-1][1]))
        return (
            f"the other coordinates do not follow from {names} there: the partition is singular, though the mechanism is not. "
            "Leave out partition=, so that others are chosen in time, or name others."
        )

    def doubts(self) -> list[RunWarning]:
        """A given partition that came close to a singular one."""
        smallest = float(self.numbers[places.SMALLEST]) if self.numbers.size else 1.0
        if not self.given or smallest > DOUBTFUL:
            return []
        names = ", ".join(map(repr, self.wanted))
        return [
            RunWarning(
                "partition",
                f"errors of the independent coordinates {names} grew about {1.0 / smallest:.1g}-fold in the others; leave out "
                "partition=, so that others are chosen in time.",
            )
        ]


def _scaled(system: System, rows: Sequence[int], q: Array, time: float) -> Array:
    """Jacobian with columns in units of their scales and rows of length one: units do not change the choice."""
    matrix = jacobian(system, q, time, list(rows))
    lengths = np.linalg.norm(matrix, axis=1)
    return np.asarray(matrix / np.where(lengths > 0.0, lengths, 1.0)[:, None])


def _measure(matrix: Array, independent: Sequence[int]) -> float:
    """How well the dependent columns are determined: the smallest singular value of their part."""
    part = np.delete(matrix, list(independent), axis=1)
    return float(np.linalg.svd(part, compute_uv=False).min(initial=1.0))
