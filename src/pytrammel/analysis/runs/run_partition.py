"""Independent coordinates of a run by partitioning: chosen, looked after, and chosen anew where that helps."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from pytrammel._util.messages import short
from pytrammel.analysis import column_partition
from pytrammel.analysis.freedom.rank import TOLERANCE, jacobian
from pytrammel.analysis.positions.plain_newton import row_names
from pytrammel.analysis.runs.engine import Table
from pytrammel.errors import ModelError, RunWarning
from pytrammel.kernels import engine as seam
from pytrammel.kernels import layout as L
from pytrammel.kernels.equations import cartesian
from pytrammel.kernels.equations import partitioned as places
from pytrammel.kernels.jit import address_of
from pytrammel.model.base import Model
from pytrammel.model.bodies import GROUND
from pytrammel.model.quantities.quantity import ANGLE, LENGTH, Quantity
from pytrammel.system.lowering import System, column_names
from pytrammel.system.pattern import pattern
from pytrammel.system.tree import Tree, scales

if TYPE_CHECKING:
    from pytrammel.analysis.runs.options import Options

Array = NDArray[np.float64]
Ints = NDArray[np.int64]
WORTH_CHANGING = 2.0  # by what factor the measure must grow for another partition: less would go to and fro
DOUBTFUL = 1e-3  # measure of a given partition below which errors grow a thousandfold in the dependent coordinates


def independent_of(
    model: Model, wanted: str | tuple[str | Quantity, ...]
) -> tuple[str | tuple[str, ...], tuple[Quantity, ...]]:
    """What a run by partitioning integrates: names of columns and of measured quantities, and those quantities."""
    if isinstance(wanted, str):
        return wanted, ()
    columns = column_names(model)
    names: list[str] = []
    measured: list[Quantity] = []
    for item in wanted:
        owner, _, what = str(item).rpartition(".")
        of_body = owner in model.bodies and owner != GROUND
        if str(item) in columns:
            names.append(str(item))
        elif of_body and what == "angle" and f"{owner}.phi" in columns:
            names.append(f"{owner}.phi")
        elif of_body and what == "orientation" and f"{owner}.rx" in columns:
            names += [f"{owner}.{axis}" for axis in ("rx", "ry", "rz")]
        elif of_body and what in ("e0", "e1", "e2", "e3"):
            raise ModelError(
                f"partition: {str(item)!r} alone does not turn a body; name turns about its own axes, "
                f"{', '.join(repr(f'{owner}.{axis}') for axis in ('rx', 'ry', 'rz'))}, or a joint angle."
            )
        else:
            measured.append(_quantity(model, item))
            names.append(str(measured[-1]))
    return tuple(names), tuple(measured)


def _quantity(model: Model, item: str | Quantity) -> Quantity:
    try:
        return model.scalar(item, "partition", valued=True)
    except ModelError as error:
        raise ModelError(
            f"partition: {short(item)} cannot be integrated by itself. Name coordinates such as {column_names(model)[-1]!r}, or "
            f"measured quantities of one number, such as a joint's angle. ({error})"
        ) from None


class Independent:
    """The partition of a run.

    Args:
        wanted: Name of a way to choose, see `tm.textbook.linear.METHODS`, or names of the coordinates, which then stay.
        bound: Opening of the joints, in row scales, above which dependent coordinates are put right; 0 for at once.
        measured: Those of the names that are measured quantities; their rows are the last ones of the system.
    """

    def __init__(self, wanted: str | tuple[str, ...], bound: float, measured: tuple[Quantity, ...] = ()) -> None:
        self.wanted, self.bound, self.measured = wanted, bound, measured
        self._addresses: tuple[NDArray[np.generic], ...] = ()
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
        matrix = self._scaled(system, rows, q, time)
        found = self._chosen(system, rows, q, time)
        if _measure(matrix, found) < WORTH_CHANGING * _measure(matrix, self.columns):
            self.numbers[places.LEAST] *= places.WEAKENED
            return False
        self._take(system, rows, time, found)
        return True

    def _chosen(self, system: System, rows: tuple[int, ...], q: Array, time: float) -> tuple[int, ...]:
        matrix = self._scaled(system, rows, q, time)
        if isinstance(self.wanted, str):
            return tuple(sorted(column_partition.choose_columns(matrix, self.wanted, tolerance=TOLERANCE).independent))
        found = column_partition.partition(
            matrix,
            independent=self.wanted,
            names=self._names(system),
            row_names=row_names(system, [*rows, *self._measuring(system)]),
            tolerance=TOLERANCE,
        )
        return tuple(sorted(found.choice.independent))

    def _take(self, system: System, rows: tuple[int, ...], time: float, columns: tuple[int, ...]) -> None:
        known = self._names(system)
        names = tuple(known[c] for c in columns)
        if not self.history or self.history[-1][1] != names:
            self.history.append((time, names))
        smallest, corrections = self.numbers[[places.SMALLEST, places.CORRECTIONS]] if self.numbers.size else (1.0, 0.0)
        weights, size = self._scales(system) ** 2, self._size(system)
        weights[[c for c in columns if c < weights.size]] = 0.0
        periods = [2.0 * np.pi if quantity.unit == ANGLE else 0.0 for quantity in self.measured]
        kept = np.zeros(2 * len(self.measured))
        self.numbers = np.concatenate([np.zeros(places.WEIGHTS), weights, np.zeros(size), periods, kept])
        first = len(system.rows) - len(self.measured)
        self.numbers[[places.FIRST_MEASURED, places.MEASURED]] = first, len(self.measured)
        self.numbers[places.LEAST] = 0.0 if self.given else np.finfo(float).tiny
        self.numbers[[places.MEASURE, places.SMALLEST, places.BOUND, places.CORRECTIONS]] = (
            1.0,
            smallest,
            self.bound,
            corrections,
        )
        self.columns, self._rows = columns, rows

    def enter(self, table: Table, ints: Ints, system: System, rows: tuple[int, ...]) -> None:
        """Put the partition into the table of a run, with rows for what is measured beside those that act."""
        at = [int(table.entries[place]) for place in (seam.PATTERN, seam.WORKSPACE)]
        kept: tuple[NDArray[np.generic], ...] = (self.numbers,)
        if self.measured:
            whole = pattern(system, [*rows, *self._measuring(system)])
            begin, nothing = cartesian.cartesian_begin, np.zeros(0)
            work, watch = (np.zeros(int(size)) for size in begin(ints, whole, nothing, ints, nothing))
            begin(ints, whole, work, ints, watch)
            at, kept = [address_of(whole), address_of(work)], (self.numbers, whole, work)
        self._addresses = kept
        table.put_data(seam.TREATMENT, np.array([address_of(self.numbers), *at], dtype=np.int64))

    def _scales(self, system: System) -> Array:
        """What counts as one for each column."""
        return system.column_scales()

    def _size(self, system: System) -> int:
        """Entries of the integrated vector."""
        return int(system.ints[[L.N_COORDINATES, L.N_COLUMNS, L.N_STATES, L.N_FORCES]].sum()) + 1

    def _measuring(self, system: System) -> list[int]:
        return list(range(len(system.rows) - len(self.measured), len(system.rows)))

    def _names(self, system: System) -> tuple[str, ...]:
        return (*system.columns, *map(str, self.measured))

    def _scaled(self, system: System, rows: Sequence[int], q: Array, time: float) -> Array:
        """Jacobian with columns in units of their scales and rows of length one: units do not change the choice.

        What is measured is a column of its own, with a row that says what it is.
        """
        matrix = jacobian(system, q, time, [*rows, *self._measuring(system)])
        if self.measured:
            own = np.zeros((len(matrix), len(self.measured)))
            scales = system.row_scales()[self._measuring(system)]
            sizes = [system.length if quantity.unit == LENGTH else 1.0 for quantity in self.measured]
            own[len(rows) :] = -np.diag(np.array(sizes) / scales)
            matrix = np.hstack([matrix, own])
        lengths = np.linalg.norm(matrix, axis=1)
        return np.asarray(matrix / np.where(lengths > 0.0, lengths, 1.0)[:, None])

    def trouble(self, system: System, rows: tuple[int, ...], q: Array, time: float) -> str:
        """What to say where a run stops and the partition is to blame; empty if it is not."""
        if not rows or not self.columns:
            return ""
        matrix = self._scaled(system, rows, q, time)
        best = _measure(matrix, column_partition.choose_columns(matrix, "lu-full", tolerance=TOLERANCE).independent)
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


class IndependentJoints(Independent):
    """The partition of a run in joint coordinates: among the freedoms of its tree, by the rows that this leaves."""

    _tree: Tree
    _loops: tuple[int, ...] = ()

    def look_at(self, tree: Tree, loops: Sequence[int]) -> None:
        """The tree and the rows beside it from now on."""
        known = getattr(self, "_tree", None)  # none at the start, or where a run that was cut goes on
        if self._loops != tuple(loops) or (known is not None and known.topology != tree.topology):
            self._rows = None
        self._tree, self._loops = tree, tuple(loops)

    def choose(self, system: System, rows: tuple[int, ...], q: Array, time: float) -> None:
        """Independent freedoms for the rows beside the tree, if there are none yet."""
        unknown = [name for name in self.wanted if name not in self._names(system)] if self.given else []
        if unknown:
            raise ModelError(
                f"partition: {unknown[0]!r} is no coordinate of this tree; it has: {', '.join(self._names(system))}. Name one of these, or "
                "use formulation='cartesian'."
            )
        super().choose(system, self._loops, q, time)

    def choose_anew(self, system: System, rows: tuple[int, ...], q: Array, time: float) -> bool:
        """Others that are clearly better here, if there are any."""
        return super().choose_anew(system, self._loops, q, time)

    def trouble(self, system: System, rows: tuple[int, ...], q: Array, time: float) -> str:
        """What to say where a run stops and the partition is to blame; empty if it is not."""
        return super().trouble(system, self._loops, q, time)

    def _scales(self, system: System) -> Array:
        return np.array([*scales(self._tree)[1], *(extra.scale for extra in system.extras)], dtype=float)

    def _size(self, system: System) -> int:
        carried = 2 * len(system.extras) + len(system.model.turns)
        more = int(system.ints[[L.N_STATES, L.N_FORCES]].sum()) + 1
        return self._tree.n_positions + self._tree.n_speeds + carried + more

    def _names(self, system: System) -> tuple[str, ...]:
        return (*self._tree.speeds, *system.columns[len(system.columns) - len(system.extras) :])

    def _scaled(self, system: System, rows: Sequence[int], q: Array, time: float) -> Array:
        from pytrammel.analysis.small_motions.reduced import State
        from pytrammel.analysis.study.joints import transformation

        still = State(system, system.floats, tuple(rows), time, q, np.zeros(system.n_columns), np.zeros(0))
        along = jacobian(system, q, time, rows) / system.column_scales() @ transformation(self._tree, still)[0]
        matrix = along * self._scales(system)
        lengths = np.linalg.norm(matrix, axis=1)
        return np.asarray(matrix / np.where(lengths > 0.0, lengths, 1.0)[:, None])


def partition_for(model: Model, options: Options) -> Independent:
    """The partition of a run, among the coordinates of its formulation."""
    if options.formulation.in_bodies:
        named, measured = independent_of(model, options.partition)
        return Independent(named, options.bound, measured)
    wanted = options.partition
    return IndependentJoints(wanted if isinstance(wanted, str) else tuple(map(str, wanted)), options.bound)


def _measure(matrix: Array, independent: Sequence[int]) -> float:
    """How well the dependent columns are determined: the smallest singular value of their part."""
    part = np.delete(matrix, list(independent), axis=1)
    return float(np.linalg.svd(part, compute_uv=False).min(initial=1.0))
