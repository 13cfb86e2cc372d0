"""Motions that follow from constraints and drivers alone: positions, velocities and accelerations by implicit differentiation.

Along a direction (a dot), with all rows Phi(q, t, p) = 0 and small motions s in columns,

    J s = -Phi_p,   J v. = -(J v - nu).,   J a. = -(J a - gamma).,

where each dot on the right holds what is solved for. Backwards the same with J transposed, from accelerations to positions.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pytrammel.analysis.freedom.rank import jacobian_places
from pytrammel.analysis.gradients.directions import CENTRAL, STEP, Direction, Variant
from pytrammel.analysis.gradients.lines import Line, state_columns
from pytrammel.analysis.gradients.problem import OnlyForwards
from pytrammel.errors import ModelError, SingularError
from pytrammel.kernels import layout as L
from pytrammel.kernels.closure import closure_run
from pytrammel.kernels.instant import NOTE_BRIDGED
from pytrammel.model.base import Model
from pytrammel.results.result import Result
from pytrammel.results.segments import Segment
from pytrammel.system.lowering import System
from pytrammel.system.pattern import pattern
from pytrammel.system.positions import coordinate_steps

Array = NDArray[np.float64]
LEVELS = 3


@dataclass(frozen=True)
class Span:
    """Times that share a set of rows, as many as there are columns."""

    instants: slice
    rows: tuple[int, ...]


@dataclass
class Motion:
    """A motion, its rows, and how quantities follow from both.

    Attributes:
        system: The system whose rows give the motion.
        times, q, v, a: The motion, tables of one row per time.
        spans: The rows in force.
        lowered: The system of a variant.
        look: The result of a variant with a given motion.
        names: Quantities that are wanted.
        levels: 1 for positions alone, 2 with velocities, 3 with accelerations.
    """

    system: System
    times: Array
    q: Array
    v: Array
    a: Array
    spans: Sequence[Span]
    lowered: Callable[[Model], System]
    look: Callable[[Model, Array, Array, Array], Result]
    names: tuple[str, ...]
    levels: int = LEVELS
    _inverse: list[Array] = field(default_factory=list)

    # --- one evaluation --------------------------------------------------------------------------------------------------

    def series(self, model: Model, q: Array, v: Array, a: Array) -> Array:
        """The wanted quantities along a given motion of a variant, shape (names, n)."""
        if not self.names:
            return np.zeros((0, self.times.size))
        return np.array([values for values, _unit in self.look(model, q, v, a)._columns(self.names)])

    def gaps(self, span: Span, system: System, q: Array, v: Array, a: Array) -> tuple[Array, Array, Array, Array]:
        """By how much the rows of a span are open in position, velocity and acceleration, shape (n, rows); stored entries of J."""
        if len(system.rows) != len(self.system.rows) or system.columns != self.system.columns:
            raise ModelError(
                f"model {system.model.name!r} has other joints for other values of a parameter, so that there is no derivative."
            )
        times = self.times[span.instants]
        tables = [np.zeros((times.size, w)) for w in (len(span.rows),) * 3 + (int(system.ints[L.N_JACOBIAN]) + 1,)]
        motion = [np.ascontiguousarray(table[span.instants]) for table in (q, v, a)]
        closure_run(system.ints, system.floats[None, :], pattern(system, span.rows), times, *motion, *tables)
        order, own = _order(self.system, span.rows), _order(system, span.rows)
        if order != own:  # other terms in a row may lead to another order of elimination
            tables[:3] = [table[:, [own.index(row) for row in order]] for table in tables[:3]]
        return tables[0], tables[1], tables[2], tables[3]

    def inverses(self) -> list[Array]:
        """Inverses of the rows' Jacobians per span, shape (n, columns, rows)."""
        if not self._inverse:
            scales = self.system.column_scales()
            for span in self.spans:
                entries = self.gaps(span, self.system, self.q, self.v, self.a)[3]
                order = _order(self.system, span.rows)
                row, column, entry = jacobian_places(self.system, order)
                J = np.zeros((len(entries), len(order), self.system.n_columns))
                np.add.at(J.swapaxes(0, 2).swapaxes(0, 1), (row, column), entries[:, entry].T)
                if J.shape[1] != J.shape[2]:
                    raise OnlyForwards(
                        f"the motion of model {self.system.model.name!r} does not follow from its constraints and drivers alone."
                    )
                try:
                    self._inverse.append(scales[:, None] * np.linalg.inv(J * scales))
                except np.linalg.LinAlgError:
                    raise SingularError(
                        f"model {self.system.model.name!r} is in a singular position at one of the instants, where its motion has no "
                        "derivative; leave that instant out."
                    ) from None
        return self._inverse

    # --- forwards --------------------------------------------------------------------------------------------------------

    def tangent(self, direction: Direction, line: Line | None = None) -> list[Array]:
        """How coordinates, velocities and accelerations change along a direction, tables like those of the motion; `line` is how the
        system does, where that is known."""
        along = direction if line is None else line.along
        changes = [np.zeros_like(self.q), np.zeros_like(self.v), np.zeros_like(self.a)]
        for span, inverse in zip(self.spans, self.inverses(), strict=True):
            for level in range(self.levels):

                def gap(variant: Variant, span: Span = span, level: int = level) -> Array:
                    moved = self._moved(variant.offset, changes)
                    return self.gaps(span, self._system_of(variant, line), *moved)[level]

                steps = -np.einsum("kcr,kr->kc", inverse, along.slope(gap))
                if level == 0:
                    steps = coordinate_steps(self.system, self.q[span.instants], steps)
                changes[level][span.instants] = steps
        return changes

    def _system_of(self, variant: Variant, line: Line | None) -> System:
        if line is None:
            return self.lowered(variant.model)
        return replace(self.system, floats=self.system.floats + variant.offset * line.floats)

    def _moved(self, offset: float, changes: Sequence[Array]) -> tuple[Array, Array, Array]:
        return self.q + offset * changes[0], self.v + offset * changes[1], self.a + offset * changes[2]

    def along(self, direction: Direction, line: Line | None = None) -> Array:
        """How the wanted quantities change along a direction, shape (names, n)."""
        changes = self.tangent(direction, line)
        columns = state_columns(self.system, self.names)
        if columns is not None:
            return np.array([changes[level][:, c] for level, c in columns]).reshape(-1, self.times.size)
        return direction.slope(lambda variant: self.series(variant.model, *self._moved(variant.offset, changes)))

    # --- backwards -------------------------------------------------------------------------------------------------------

    def pulled(self, weights: Array) -> list[Array]:
        """Multipliers of the rows at all three levels for a weighted sum of the wanted quantities, weights of shape (names, n).

        Raises:
            ModelError: A quantity depends on other times than its own.
        """
        pulls = self._pulls(lambda q, v, a: (weights * self.series(self.system.model, q, v, a)).sum(axis=0))
        self._refuse_memory(weights, pulls)
        out = [np.zeros((self.times.size, self.system.n_columns)) for _ in range(LEVELS)]
        for span, inverse in zip(self.spans, self.inverses(), strict=True):
            for level in reversed(range(self.levels)):
                own = np.einsum("kcr,kc->kr", inverse, pulls[level][span.instants])
                out[level][span.instants] = own
                if level == 0:
                    break

                def work(
                    q: Array, v: Array, a: Array, span: Span = span, own: Array = own, level: int = level
                ) -> Array:
                    found = np.zeros(self.times.size)
                    found[span.instants] = (own * self.gaps(span, self.system, q, v, a)[level]).sum(axis=1)
                    return found

                for pull, more in zip(pulls[:level], self._pulls(work, level), strict=True):
                    pull[span.instants] -= more[span.instants]
        return out

    def pull(
        self, direction: Direction, weights: Array, multipliers: Sequence[Array], line: Line | None = None
    ) -> float:
        """Derivative of the weighted sum along a direction, from the multipliers of `pulled`: one number, nothing is solved."""

        plain = line is not None and state_columns(self.system, self.names) is not None
        own = line if plain else None

        def lagrangian(variant: Variant) -> Array:
            # entries of the motion, which is held, do not change
            total = 0.0 if plain else (weights * self.series(variant.model, self.q, self.v, self.a)).sum()
            system = self._system_of(variant, own)
            for span in self.spans:
                found = self.gaps(span, system, self.q, self.v, self.a)
                for level in range(self.levels):
                    total -= (multipliers[level][span.instants] * found[level]).sum()
            return np.array([total])

        return float((direction if own is None else own.along).slope(lagrangian)[0])

    def _pulls(self, evaluate: Callable[[Array, Array, Array], Array], levels: int | None = None) -> list[Array]:
        """Derivatives of a number per time by small motions, velocities and accelerations of that time, shape (n, columns)."""
        scales, n = self.system.column_scales(), self.system.n_columns
        speed = max(1.0, float(np.abs(self.v / scales).max(initial=0.0)))
        faster = max(1.0, float(np.abs(self.a / scales).max(initial=0.0)))
        out = []
        for level, size in enumerate((1.0, speed, faster)[: self.levels if levels is None else levels]):
            table = np.zeros((self.times.size, n))
            for c in range(n):
                step = STEP * size * scales[c]
                motion = [self.q, self.v, self.a]
                way = np.zeros((1, n))
                way[0, c] = 1.0
                change = (
                    coordinate_steps(self.system, self.q, np.repeat(way, self.times.size, axis=0))
                    if level == 0
                    else way
                )
                for k, w in CENTRAL.sixth.items():
                    moved = [x + k * step * change if j == level else x for j, x in enumerate(motion)]
                    table[:, c] += w / step * evaluate(*moved)
            out.append(table)
        return out

    def _refuse_memory(self, weights: Array, pulls: Sequence[Array]) -> None:
        """Moving all times at once by the same step must do what moving each by itself does."""
        rng = np.random.default_rng(1)
        way = [
            rng.uniform(-1.0, 1.0, (self.times.size, self.system.n_columns)) * self.system.column_scales()
            for _ in pulls
        ]
        changes = [
            coordinate_steps(self.system, self.q, way[0]),
            *way[1:],
            *(np.zeros_like(self.v) for _ in range(LEVELS - len(way))),
        ]
        step, total = 1e-4, 0.0
        for k, w in CENTRAL.sixth.items():
            total += w / step * float((weights * self.series(self.system.model, *self._moved(k * step, changes))).sum())
        expected = [(pull * own) for pull, own in zip(pulls, way, strict=True)]
        size = float(sum(np.abs(x).sum() for x in expected))
        if abs(total - sum(float(x.sum()) for x in expected)) > 1e-6 * size + 1e-9 * float(
            np.abs(weights).max(initial=0.0)
        ):
            raise OnlyForwards(
                f"one of the quantities {', '.join(map(repr, self.names))} depends on other instants than its own, or is not smooth near "
                "the motion (a magnitude close to zero), which method='adjoint' cannot follow back; use method='direct'."
            )


def _order(system: System, rows: Sequence[int]) -> tuple[int, ...]:
    """Rows in the order of their pattern."""
    P = pattern(system, rows)
    return tuple(int(k) for k in P[int(P[L.P_AT_ROWS]) :][: int(P[L.P_ROWS])])


def refuse_later_phase(system: System) -> None:
    """Raise if the phase that acts is not the first one of the model: when it began, and what it holds, depends on parameters."""
    if system.phase is not None:
        raise ModelError(
            f"model {system.model.name!r} is in phase {system.phase!r} at this time, after a switch, and derivatives there are not "
            "supported; choose an earlier time, or keep only the constraints that act then."
        )


def driven_motion(
    result: Result, names: tuple[str, ...], lowered: Callable[[Model], System], look: Any = None
) -> Motion:
    """The motion of a kinematic run.

    Args:
        result: The run.
        names: Wanted quantities.
        lowered: The system of a variant, as the run has it.
        look: The result of a variant with a given motion; the same run with other numbers by default.
    """
    if result._switches or any(not np.array_equal(s.floats, s.system.floats) for s in result._segments):
        raise ModelError(
            f"the run of model {result.model.name!r} changes its phase and has no derivative. End it before the change, or use one phase."
        )
    bridged = np.flatnonzero(result._notes[:, NOTE_BRIDGED]) if result._notes.shape[1] > NOTE_BRIDGED else np.zeros(0)
    if bridged.size and result.dynamics is None:
        raise SingularError(
            f"model {result.model.name!r} passes a singular position at t = {result.times[int(bridged[0])]:.6g} s, where its motion has no "
            "derivative; leave that instant out."
        )
    zeros = np.zeros((len(result), result._system.n_columns))
    spans = [Span(slice(s.first, s.last), _followed_rows(result, s)) for s in result._segments]
    return Motion(
        result._system, result.times, result.q, zeros if result.v is None else result.v, zeros if result.a is None else result.a,
        spans, lowered, look or (lambda *motion: _moved_result(result, lowered, *motion)), names, result._levels,
    )  # fmt: skip


def _followed_rows(result: Result, segment: Segment) -> tuple[int, ...]:
    """Rows that the motion was solved from: where some are redundant, the independent ones."""
    P = segment.pattern
    if not result.redundant or P is None:
        return segment.rows
    return tuple(sorted(int(k) for k in P[int(P[L.P_AT_ROWS]) :][: int(P[L.P_ROWS])]))


def _moved_result(
    result: Result, lowered: Callable[[Model], System], model: Model, q: Array, v: Array, a: Array
) -> Result:
    """A run with other numbers."""
    system = lowered(model)
    segments = tuple(replace(s, model=model, system=system, floats=system.floats) for s in result._segments)
    return replace(
        result,
        model=model,
        _system=system,
        q=q,
        v=None if result.v is None else v,
        a=None if result.a is None else a,
        _segments=segments,
    )
