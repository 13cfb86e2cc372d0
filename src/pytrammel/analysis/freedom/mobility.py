"""Mobility: how many degrees of freedom there really are, and which rows are redundant."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from pytrammel._util.messages import brief, number_of
from pytrammel.analysis.driven.velocity_equations import nonholonomic_rows, velocity_rows
from pytrammel.analysis.freedom.rank import DENSE, Rank, rank_at, slack, sparse_jacobian, surely_independent
from pytrammel.analysis.options import verb
from pytrammel.analysis.positions.assembly import active_rows, assembled, closed_from, residuals
from pytrammel.analysis.positions.phase_at import system_at
from pytrammel.analysis.positions.tolerant import gaps_at, rounded_loop
from pytrammel.analysis.ready import make_ready
from pytrammel.errors import AssemblyError
from pytrammel.kernels.rates import rates_run
from pytrammel.model.base import Model
from pytrammel.results.forces.gaps import Gap
from pytrammel.system.lowering import System
from pytrammel.system.pattern import pattern
from pytrammel.system.positions import difference, moved

NUDGE = 1e-2  # finite motion, in column scales, by which a singular position is told from a redundant constraint
NUDGES = (NUDGE, 0.1, 0.5)  # longer ones for positions from which the shorter do not lead away
# share of a nudge: closer to the start, the joints have closed in the same position, to their tolerance only
FELL_BACK = 0.02
LEFT = 1e-6  # share of a mixture of dependent equations that rounding may leave


@brief
@dataclass(frozen=True)
class Mobility:
    """Degrees of freedom of a model in its assembled position.

    Attributes:
        coordinates: Number of coordinates n.
        constraints: Number of constraint equations m, drivers not counted.
        count: Grübler's count n - m.
        rank: True rank of the constraint Jacobian here.
        dof: True degrees of freedom here, n - rank.
        drivers: Number of driver rows.
        redundant: Redundant equations as (constraint name, what the row measures).
        singular: True if the rank here is smaller than in neighbouring positions.
        generic_dof: Degrees of freedom in neighbouring positions.
        free: Coordinates that can move, by name, when no driver acts.
        gaps: Redundant constraints that stay open within closure_tolerance.
        hint: For a model without freedom: the loop that could move if dimensions had more digits.
        integrable: Constraints on velocities that follow from a relation between positions, by name: holonomic ones.
        nonholonomic: Constraints on velocities that do not, by name.
    """

    coordinates: int
    constraints: int
    rank: int
    drivers: int
    redundant: tuple[tuple[str, str], ...]
    singular: bool
    generic_dof: int
    free: tuple[str, ...]
    gaps: tuple[Gap, ...] = ()
    hint: str = ""
    integrable: tuple[str, ...] = ()
    nonholonomic: tuple[str, ...] = ()

    @property
    def count(self) -> int:
        return self.coordinates - self.constraints

    @property
    def dof(self) -> int:
        return self.coordinates - self.rank

    @property
    def redundant_joints(self) -> tuple[str, ...]:
        """Names of the joints with redundant equations."""
        return tuple(dict.fromkeys(name for name, _ in self.redundant))

    def __str__(self) -> str:
        lines = [
            f"{self.coordinates} coordinates, {self.constraints} constraint rows: Grübler count {self.count}",
            f"rank {self.rank}: {number_of(self.dof, 'degree of freedom')}, {number_of(self.drivers, 'driver')}",
        ]
        for name, what in self.redundant:
            lines.append(f"  redundant: a row of {name!r} ({what})")
        lines += [f"  {gap}" for gap in self.gaps]
        if self.singular:
            lines.append(
                "  this position is singular (a change or dead point): nearby the mechanism has "
                f"{number_of(self.generic_dof, 'degree of freedom')}"
            )
        lines += [f"  {name!r} restrains velocities and is integrable: holonomic" for name in self.integrable]
        lines += [f"  {name!r} restrains velocities and is not integrable: nonholonomic" for name in self.nonholonomic]
        if self.hint:
            lines.append(f" {self.hint}")
        return "\n".join(lines)


@verb
def mobility(model: Model, *, time: float = 0.0) -> Mobility:
    """Count degrees of freedom in the assembled position.

    Args:
        model: The model; drivers are counted but do not act on the count.
        time: Time at which the drivers place the mechanism [s], in the phase that acts then.
    """
    make_ready(model, ["assemble_run", "jacobian_run", "rates_run", "measures_run"])
    system = system_at(model, time, "mobility")
    try:
        q = assembled(model, time=time, system=system).q
    except AssemblyError:
        q = assembled(model, time=time, system=system, rows=active_rows(system, drivers=False)).q
    rows = active_rows(system, drivers=False)
    found = _counted(system, rows, q, time)
    slipping = velocity_rows(system, rows)
    curved = {system.rows[k].owner for k in nonholonomic_rows(system, rows, q, time)}
    names = dict.fromkeys(system.rows[k].owner for k in slipping)
    return replace(
        found,
        integrable=tuple(name for name in names if name not in curved),
        nonholonomic=tuple(name for name in names if name in curved),
    )


def _counted(system: System, rows: list[int], q: NDArray[np.float64], time: float) -> Mobility:
    """Count degrees of freedom at a position."""
    if surely_independent(system, q, time, rows):
        return _without_redundancy(system, rows, q, time)
    found = rank_at(system, q, time, rows)
    generic = generic_rank(system, rows, q, time, found)
    # in a singular position rows look dependent that are not: blame only those that stay dependent nearby
    redundant = found.redundant
    singular = generic > found.rank
    if singular:
        redundant = found.redundant[: len(rows) - generic]
    elif redundant and not truly_redundant(system, rows, found, q, time):
        singular, redundant, generic = True, (), min(len(rows), system.n_columns)
    drivers = [k for k in active_rows(system) if system.rows[k].is_driver]
    moving = found.motions.moving(1e-9)
    return Mobility(
        coordinates=system.n_columns,
        constraints=len(rows),
        rank=found.rank,
        drivers=len(drivers),
        redundant=tuple((system.rows[rows[k]].owner, system.rows[rows[k]].label) for k in redundant),
        singular=singular,
        generic_dof=system.n_columns - generic,
        free=tuple(name for name, free in zip(system.columns, moving, strict=True) if free),
        gaps=gaps_at(system, rows, q, time),
        hint="" if system.n_columns > generic else rounded_loop(system, rows, q, time),
    )


def _without_redundancy(system: System, rows: list[int], q: NDArray[np.float64], time: float) -> Mobility:
    """The count of a model whose rows are independent beyond doubt, at a cost that grows with its size only.

    A random motion made to fit the rows moves every coordinate that can move.
    """
    random = np.random.default_rng(5)
    motion = random.normal(size=system.n_columns) * system.column_scales()
    forced = np.zeros(system.n_columns)  # by rows that depend on time
    for v in (motion, forced):
        rates_run(system.ints, system.floats, pattern(system, rows), float(time), q, v)
    moving = np.abs((motion - forced) / system.column_scales()) > 1e-9
    freedom = system.n_columns - len(rows)
    return Mobility(
        coordinates=system.n_columns,
        constraints=len(rows),
        rank=len(rows),
        drivers=sum(system.rows[k].is_driver for k in active_rows(system)),
        redundant=(),
        singular=False,
        generic_dof=freedom,
        free=tuple(name for name, free in zip(system.columns, moving, strict=True) if free) if freedom else (),
    )


def truly_redundant(system: System, rows: list[int], found: Rank, q: NDArray[np.float64], time: float) -> bool:
    """True if the dependent equations hold by themselves when the mechanism moves a little with only the others acting.

    In a singular position rows are dependent too, but there the motion that the others allow breaks them.
    """
    kept = [rows[k] for k in found.independent]
    left_out = [rows[k] for k in found.redundant]
    for direction in found.motions.directions(np.random.default_rng(11), 2):
        for sign in (1.0, -1.0):
            start = _nudged(system, q, direction, sign * NUDGE)
            # these rows are independent, so that plain steps nearly always do
            near = closed_from(system, kept, time, start)
            if near is None:
                near = _closed(system, kept, time, start)
            if near is None:
                continue
            gap = np.abs(residuals(system, near, time) - residuals(system, q, time)) / system.row_scales()
            if gap[left_out].max() > max(1e-3 * NUDGE * NUDGE, 2.0 * slack(system)):
                return False
    return True


def generic_rank(system: System, rows: list[int], q: NDArray[np.float64], time: float, found: Rank) -> int:
    """Largest rank found a small finite motion away from q, where it is that of `found`.

    Every free direction, and mixtures of them, is followed a little and the joints closed again. That may lead back into a position
    where several branches meet; then a longer way is tried. In large models only mixtures are followed: they move all parts at once.
    """
    best = found.rank
    full = min(len(rows), system.n_columns)
    if best == full:
        return best
    for near in _adjacent_positions(system, rows, q, time, found):
        if _still_dependent(system, rows, found, near, time):
            continue
        best = max(best, rank_at(system, near, time, rows).rank)
        if best == full:
            break
    return best


def rank_around(
    system: System, rows: list[int], extra: list[int], q: NDArray[np.float64], time: float, found: Rank
) -> Rank:
    """Return the rank of rows and extra rows, the largest at q and at some nearby positions.

    Args:
        system: The lowered model.
        rows: Rows of joints.
        extra: Rows whose values are free, such as drivers.
        q, time: Position and time.
        found: Rank of `rows` at q.
    """
    everything = [*rows, *extra]
    full = min(len(everything), system.n_columns)
    best = rank_at(system, q, time, everything)
    if best.rank == full:
        return best
    for near in _adjacent_positions(system, rows, q, time, found):
        best = max(best, rank_at(system, near, time, everything), key=lambda one: one.rank)
        if best.rank == full:
            break
    return best


def _adjacent_positions(
    system: System, rows: list[int], q: NDArray[np.float64], time: float, found: Rank
) -> Iterator[NDArray[np.float64]]:
    """Positions that the rows allow a small finite motion away from q, in which their rank is that of `found`."""
    directions = found.motions.directions(np.random.default_rng(7), 4)
    for length in NUDGES:
        away = False
        for direction, sign in itertools.product(directions, (1.0, -1.0)):
            near = _closed(system, rows, time, _nudged(system, q, direction, sign * length))
            if near is None:
                continue
            far = float(np.abs(difference(system, near, q) / system.column_scales()).max())
            if far > math.pi or far < FELL_BACK * length:
                continue
            away = True
            yield near
        if away:
            return


def _nudged(system: System, q: NDArray[np.float64], direction: NDArray[np.float64], size: float) -> NDArray[np.float64]:
    """A little off in a direction, by `size` in the column that moves most."""
    step = size * direction / max(1e-300, float(np.abs(direction).max())) * system.column_scales()
    return moved(system, q, step)


def _closed(system: System, rows: list[int], time: float, start: NDArray[np.float64]) -> NDArray[np.float64] | None:
    """The position in which the joints close, from nearby; none if they do not."""
    if system.n_columns > DENSE:  # no wild guesses, which would take long
        return closed_from(system, rows, time, start)
    try:
        return assembled(system.model, time=time, system=system, rows=rows, start=start).q
    except AssemblyError:
        return None


def _still_dependent(system: System, rows: list[int], found: Rank, q: NDArray[np.float64], time: float) -> bool:
    """Return True if the redundant equations of a large model are combinations of the others at another position, too.

    A random mixture of them is, if they all are; what the others leave of it is found by one sparse factorisation.
    """
    if system.n_columns <= DENSE:
        return False  # small models are decomposed
    redundant = sparse_jacobian(system, q, time, [rows[k] for k in found.redundant])
    sizes = np.sqrt(np.asarray(redundant.multiply(redundant).sum(axis=1)).ravel())
    weights = np.random.default_rng(13).normal(size=sizes.size) / np.maximum(sizes, 1e-300)
    mixture = (redundant.T @ weights) * system.column_scales()
    left, forced = mixture.copy(), np.zeros(system.n_columns)  # the second: by rows that depend on time
    kept = pattern(system, [rows[k] for k in found.independent])
    for v in (left, forced):
        rates_run(system.ints, system.floats, kept, float(time), q, v)
    scales = system.column_scales()
    return bool(np.abs((left - forced) / scales).max() <= LEFT * np.abs(mixture / scales).max())
