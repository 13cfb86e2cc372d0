"""Newton's method on a few equations, plain or damped, with every iteration kept (algorithm NR-I)."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import Enum

import numpy as np
from numpy.typing import NDArray

from pytrammel._util.least_norm import smallest_solution
from pytrammel.results.studies.newton import NewtonHistory

Array = NDArray[np.float64]
NOTHING = 1e-15  # corrections below this, in units of the unknowns' scales, change nothing
HALVINGS = 40  # of a step, before it is said that none helps
REPEATED = 1e-9  # iterates this near in all unknowns, in units of their scales, are the same
SHOWN = 6  # numbers of a sequence in a sentence


class Ending(Enum):
    """How an iteration ended."""

    CONVERGED = "converged"
    SINGULAR = "singular"
    NOT_FINITE = "not finite"
    CYCLE = "cycle"
    STUCK = "stuck"
    LIMIT = "limit"


@dataclass(frozen=True)
class Equations:
    """What Newton's method needs to know.

    Attributes:
        unknowns, names, columns: Names of the unknowns, of the equations, and of the corrections.
        evaluate: Residuals and Jacobian at x, shapes (m,) and (m, n).
        scales: What counts as one in each equation and in each correction at x, given the Jacobian and the iterates so far.
        is_solution: True if the residuals at x are as small as they must be.
        sizes: Weights of the corrections where the smallest is taken, because the Jacobian leaves freedom; None if that is singular.
        move: The position after a correction; addition by default.
        between: The correction that leads to the first place from the second; the difference by default.
    """

    unknowns: tuple[str, ...]
    names: tuple[str, ...]
    columns: tuple[str, ...]
    evaluate: Callable[[Array], tuple[Array, Array]]
    scales: Callable[[Array, Array, list[Array]], tuple[Array, Array]]
    is_solution: Callable[[Array, Array, Array], bool]
    sizes: Array | None = None
    move: Callable[[Array, Array], Array] = field(default=lambda x, step: x + step)
    between: Callable[[Array, Array], Array] = field(default=lambda to, start: to - start)


@dataclass(frozen=True)
class Outcome:
    """Where an iteration ended, and how it got there; `period` is that of a cycle."""

    ending: Ending
    x: Array
    history: NewtonHistory
    period: int = 0


def iterate(equations: Equations, start: Array, *, damping: bool, limit: int) -> Outcome:
    """Newton's method from a start. With damping, a step that does not lower the residuals is halved until it does."""
    log = _Log(equations)
    x = np.array(start, dtype=float)
    with np.errstate(all="ignore"):
        phi, J = equations.evaluate(x)
        for _ in range(limit + 1):
            if not (np.isfinite(phi).all() and np.isfinite(J).all()):
                log.add(x, phi, J, None, math.nan)
                return log.outcome(Ending.NOT_FINITE, x)
            if equations.is_solution(x, phi, J):
                log.add(x, phi, J, None, math.nan)
                return log.outcome(Ending.CONVERGED, x)
            period = 0 if damping else log.repeated(x, phi, J)
            if period:
                log.add(x, phi, J, None, math.nan)
                return log.outcome(Ending.CYCLE, x, period)
            step = _correction(equations, phi, J)
            if step is None or len(log.x) == limit:
                log.add(x, phi, J, step, math.nan)
                return log.outcome(Ending.SINGULAR if step is None else Ending.LIMIT, x)
            if log.is_nothing(step, x, J):  # at rounding level, or where dependent equations contradict each other
                log.add(x, phi, J, step, math.nan)
                return log.outcome(Ending.CONVERGED if equations.sizes is None else Ending.STUCK, x)
            share, there = _taken(equations, log, x, phi, J, step) if damping else (1.0, None)
            log.add(x, phi, J, step, share)
            if share == 0.0:
                return log.outcome(Ending.STUCK, x)
            x = equations.move(x, share * step)
            phi, J = there if there is not None else equations.evaluate(x)
    raise AssertionError  # the limit ends the loop


def _correction(equations: Equations, phi: Array, J: Array) -> Array | None:
    """The step that the linear equations ask for; None if they have none."""
    if equations.sizes is None:
        return smallest_solution(J, -phi, unique=True)
    scaled = smallest_solution(J * equations.sizes, -phi, unique=False)
    return None if scaled is None else np.asarray(equations.sizes * scaled)


def _taken(
    equations: Equations, log: _Log, x: Array, phi: Array, J: Array, step: Array
) -> tuple[float, tuple[Array, Array] | None]:
    """The largest share, 1, 1/2, 1/4 ..., with which a step lowers the residuals; 0 if none does."""
    scale, _ = equations.scales(x, J, log.x)
    here = float(((phi / scale) ** 2).sum())
    share = 1.0
    for _ in range(HALVINGS):
        there = equations.evaluate(equations.move(x, share * step))
        squares = float(((there[0] / scale) ** 2).sum())
        if math.isfinite(squares) and np.isfinite(there[1]).all() and squares < (1.0 - 1e-4 * share) * here:
            return share, there
        share *= 0.5
    return 0.0, None


class _Log:
    """The iterations so far."""

    def __init__(self, equations: Equations) -> None:
        self.equations = equations
        self.x: list[Array] = []
        self.rows: list[tuple[Array, Array, Array, float, float, float]] = []

    def add(self, x: Array, phi: Array, J: Array, step: Array | None, share: float) -> None:
        row_scales, column_scales = self.equations.scales(x, J, [*self.x, x])
        made = np.full(len(self.equations.columns), np.nan) if step is None else step
        size = float(np.abs(phi / row_scales).max(initial=0.0))
        length = float(np.abs(made / column_scales).max(initial=0.0))
        self.x.append(x)
        self.rows.append((x, phi, made, share, size, length))

    def is_nothing(self, step: Array, x: Array, J: Array) -> bool:
        """True for a correction that is lost in rounding."""
        _, scales = self.equations.scales(x, J, [*self.x, x])
        return bool((np.abs(step) <= NOTHING * scales).all())

    def repeated(self, x: Array, phi: Array, J: Array) -> int:
        """Number of iterations since the same place was visited with residuals no larger; 0 if never."""
        row_scales, scales = self.equations.scales(x, J, [*self.x, x])
        size = float(np.abs(phi / row_scales).max(initial=0.0))
        for ago in range(2, len(self.x) + 1):
            same = (np.abs(self.equations.between(x, self.x[-ago])) <= REPEATED * scales).all()
            if same and size > 0.5 * self.rows[-ago][4]:
                return ago
        return 0

    def outcome(self, ending: Ending, x: Array, period: int = 0) -> Outcome:
        values, residuals, corrections, factors, sizes, lengths = zip(*self.rows, strict=True)
        names = self.equations.unknowns, self.equations.names, self.equations.columns
        history = NewtonHistory(*names, *map(np.array, (values, residuals, corrections, factors, sizes, lengths)))
        return Outcome(ending, x, history, period)


def sequence(numbers: Array) -> str:
    """The first and last numbers of a sequence, as they stand in a sentence."""
    texts = [f"{v:.4g}" for v in numbers]
    return ", ".join(texts if len(texts) <= SHOWN else [*texts[: SHOWN - 2], "…", *texts[-2:]])


def diverges(history: NewtonHistory) -> bool:
    """True if the corrections grow instead of shrinking."""
    lengths = history.lengths[np.isfinite(history.lengths)]
    return len(lengths) > 2 and float(lengths[-1]) > 2.0 * float(np.median(lengths[: len(lengths) // 2 + 1]))
