"""The equations of motion of one formulation at one state, written out with names: for study."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from pytrammel._util.checks import checked
from pytrammel._util.messages import brief
from pytrammel.errors import ModelError

Array = NDArray[np.float64]
WIDEST = 16  # columns of a matrix that is printed
TALLEST = 60  # rows of one
RANK = 1e-11  # of the largest entry: what counts as nothing when equations are solved


@brief
@dataclass(frozen=True, eq=False)
class Labelled:
    """A matrix or a vector with names.

    Attributes:
        symbol: Its letter.
        about: What it is.
        values: Numbers, shape (rows, columns), or (rows,) for a vector.
        rows, columns: What each row and each column belongs to; a vector has no columns.
    """

    symbol: str
    about: str
    values: Array
    rows: tuple[str, ...]
    columns: tuple[str, ...] = ()

    def __array__(self, dtype: object = None, copy: object = None) -> Array:
        return self.values.copy()

    @checked
    def of(self, row: str, column: str | None = None) -> float | Array:
        """The entry of a row and a column, or a whole row."""
        at = _place(row, self.rows, self.symbol)
        if column is None:
            return float(self.values[at]) if self.values.ndim == 1 else np.array(self.values[at])
        return float(self.values[at, _place(column, self.columns, self.symbol)])

    def table(self) -> str:
        """One line per row."""
        if len(self.columns) > WIDEST or len(self.rows) > TALLEST:
            return f"  ({' x '.join(map(str, self.values.shape))} numbers, too many to print)"
        if not self.values.size:
            return "  (empty)"
        grid = self.values if self.values.ndim == 2 else self.values[:, None]
        floor = 1e-14 * float(np.abs(grid).max(initial=0.0))  # rounding is not worth a column of digits
        lines = [["", *self.columns]] if self.columns else []
        lines += [[name, *(_number(x, floor) for x in row)] for name, row in zip(self.rows, grid, strict=True)]
        first = max(len(line[0]) for line in lines)
        widths = [max(len(line[c]) for line in lines) for c in range(1, len(lines[0]))]
        return "\n".join(
            "  "
            + "  ".join(
                [line[0].ljust(first), *(cell.rjust(w) for cell, w in zip(line[1:], widths, strict=True))]
            ).rstrip()
            for line in lines
        )

    def __str__(self) -> str:
        return f"{self.symbol}: {self.about}\n{self.table()}"


@brief
@dataclass(frozen=True, eq=False)
class Solvability:
    """Solvability of equations of motion: accelerations are determined where no motion that joints allow lacks kinetic energy.

    Multipliers are determined as well where the constraints are independent (Haug, section 11.3).

    Attributes:
        size, rank: Number of equations and rank of their matrix.
        idle: Motions that joints allow without kinetic energy, one per column, shape (columns of the bodies, number).
        bodies: Columns of the bodies: the rows of `idle`.
        dependent: Multipliers that are not determined, by name: constraints that depend on others.
    """

    size: int
    rank: int
    idle: Array = field(repr=False)
    bodies: tuple[str, ...] = field(repr=False)
    dependent: tuple[str, ...]

    @property
    def accelerations(self) -> bool:
        """Return True if forces determine all accelerations."""
        return not self.idle.size

    @property
    def multipliers(self) -> bool:
        """Return True if forces determine all multipliers."""
        return not self.dependent

    def __str__(self) -> str:
        lines = [f"{self.size} equations of rank {self.rank}"]
        for motion in self.idle.T:
            parts = [name for name, x in zip(self.bodies, motion, strict=True) if abs(x) > 1e-6 * np.abs(motion).max()]
            lines.append(f"  no kinetic energy along {', '.join(parts)}: the acceleration there is not determined")
        if self.dependent:
            lines.append(f"  dependent constraints: {', '.join(self.dependent)} are not determined one by one")
        return "\n".join(lines if len(lines) > 1 else [f"{lines[0]}: all unknowns are determined"])


@brief
@dataclass(frozen=True, eq=False)
class Matrices:
    """The equations of motion of one formulation at one state: matrix · unknowns = right.

    ``matrices["M"]`` is one of its parts, a `Labelled`; print the whole to see all of them.

    Attributes:
        model: Name of the model.
        formulation: The formulation, with its options.
        time: Time of the state [s].
        parts: What the equations are made of.
        equations: What each equation is: a balance along a coordinate or speed, or a row.
        unknowns: What each unknown is: the acceleration of a coordinate or speed, then multipliers.
        matrix, right: The equations as a whole, shape (n, n) and (n,).
        bodies: Columns of the bodies.
        to_bodies, bias: Accelerations of the bodies are ``to_bodies @ (the first unknowns) + bias``.
    """

    model: str
    formulation: str
    time: float
    parts: tuple[Labelled, ...]
    equations: tuple[str, ...]
    unknowns: tuple[str, ...]
    matrix: Array = field(repr=False)
    right: Array = field(repr=False)
    bodies: tuple[str, ...] = field(repr=False)
    to_bodies: Array = field(repr=False)
    bias: Array = field(repr=False)

    def __getitem__(self, symbol: str) -> Labelled:
        found = [part for part in self.parts if isinstance(symbol, str) and part.symbol == symbol]
        if not found:
            raise ModelError(
                f"formulation {self.formulation} has no matrix {symbol!r}; it has: {', '.join(p.symbol for p in self.parts)}."
            )
        return found[0]

    @cached_property
    def solution(self) -> Array:
        """The unknowns; those that redundant rows leave undetermined are as small as can be."""
        rows = 1.0 / np.maximum(np.abs(self.matrix).max(axis=1, initial=0.0), 1e-300)
        scaled = self.matrix * rows[:, None]
        columns = 1.0 / np.maximum(np.abs(scaled).max(axis=0, initial=0.0), 1e-300)
        found = np.linalg.lstsq(scaled * columns, self.right * rows, rcond=RANK)[0] * columns
        again = np.linalg.lstsq(scaled * columns, (self.right - self.matrix @ found) * rows, rcond=RANK)[0] * columns
        return np.asarray(found + again)

    @property
    def accelerations(self) -> Array:
        """Accelerations of the bodies along their columns [m/s², rad/s²], as a run would find them."""
        return np.asarray(self.to_bodies @ self.solution[: self.to_bodies.shape[1]] + self.bias)

    @property
    def multipliers(self) -> dict[str, float]:
        """Multipliers by name."""
        first = self.to_bodies.shape[1]
        return dict(zip(self.unknowns[first:], map(float, self.solution[first:]), strict=True))

    @cached_property
    def solvability(self) -> Solvability:
        """Rank of the equations, with the accelerations and multipliers that they leave undetermined."""
        scaled, columns = _balanced(self.matrix)
        sizes, vectors = np.linalg.svd(scaled)[1:] if scaled.size else (np.zeros(0), np.zeros((0, 0)))
        rank = int(np.sum(sizes > RANK * sizes.max(initial=1.0)))
        null = vectors[rank:].T * columns[:, None]
        n = self.to_bodies.shape[1]
        moving, turn = np.linalg.svd(null[:n], full_matrices=True)[1:] if null.size else (np.zeros(0), np.zeros((0, 0)))
        count = int(np.sum(moving > RANK * np.abs(null).max(initial=1.0)))
        idle = self.to_bodies @ null[:n] @ turn[:count].T
        loads = np.abs(null[n:] @ turn[count:].T).max(axis=1, initial=0.0)
        names = [name for name, x in zip(self.unknowns[n:], loads, strict=True) if x > 1e-9 * loads.max(initial=0.0)]
        sign = np.where(idle.max(axis=0, initial=0.0) < -idle.min(axis=0, initial=0.0), -1.0, 1.0)
        largest = np.abs(idle).max(axis=0, initial=0.0)
        return Solvability(
            len(self.unknowns), rank, sign * idle / np.where(largest > 0.0, largest, 1.0), self.bodies, tuple(names)
        )

    def to_dict(self) -> dict[str, Array]:
        """The parts by symbol, as arrays."""
        return {part.symbol: part.values.copy() for part in self.parts}

    def __str__(self) -> str:
        head = f"{self.model}, formulation {self.formulation}, t = {self.time:g} s: {len(self.unknowns)} equations"
        return "\n\n".join([head, *map(str, self.parts)])


def bordered(mass: Array, rows: Array, forces: Array, gamma: Array) -> tuple[Array, Array]:
    """[M -J'; J 0] and [g; gamma]."""
    m = len(rows)
    return np.block([[mass, -rows.T], [rows, np.zeros((m, m))]]), np.concatenate([forces, gamma])


def _balanced(matrix: Array) -> tuple[Array, Array]:
    """Matrix with rows and columns of largest entry one, and the factors of its columns."""
    largest = np.abs(matrix).max(axis=1, initial=0.0)
    rows = matrix / np.where(largest > 0.0, largest, 1.0)[:, None]
    largest = np.abs(rows).max(axis=0, initial=0.0)
    columns = 1.0 / np.where(largest > 0.0, largest, 1.0)
    return rows * columns, columns


def _place(name: str, names: Sequence[str], symbol: str) -> int:
    if name not in names:
        raise ModelError(f"{symbol} has no {name!r}; it has: {', '.join(names)}.")
    return names.index(name)


def _number(x: float, floor: float) -> str:
    return "." if abs(x) <= floor else f"{x:.5g}"
