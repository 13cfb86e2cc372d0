"""Newton's method on a few equations, plain or damped, with every iteration kept (algorithm NR-I)."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import Enum

import numpy as np
from numpy.typing import NDArray

from trammel.linear.smallest import smallest_solution
from trammel.results.newton import NewtonHistory

Array = NDArray[np.float64]
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
        unknowns, names: Names of the unknowns and equations.
        evaluate: Residuals and Jacobian at x, shapes (m,) and (m, n).
        scales: What counts as one in each equation and in each number of x there, given the Jacobian and the iterates so far.
        is_solution: True if the residuals at x are as small as they must be.
        unique: A Jacobian that leaves freedom is singular; else the smallest correction is taken.
        move: The position after a correction; addition by default.
        shown: The numbers that the table shows for x; x itself by default.
    """

    unknowns: tuple[str, ...]
    names: tuple[str, ...]
    evaluate: Callable[[Array], tuple[Array, Array]]
    scales: Callable[[Array, Array, list[Array]], tuple[Array, Array]]
    is_solution: Callable[[Array, Array, Array], bool]
    unique: bool = True
    move: Callable[[Array, Array], Array] = field(default=lambda x, step: x + step)
    shown: Callable[[Array], Array] = field(default=lambda x: x)


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
            step = smallest_solution(J, -phi, unique=equations.unique)
            if step is None or len(log.x) == limit:
                log.add(x, phi, J, step, math.nan)
                return log.outcome(Ending.SINGULAR if step is None else Ending.LIMIT, x)
            share, there = _taken(equations, log, x, phi, J, step) if damping else (1.0, None)
            log.add(x, phi, J, step, share)
            if share == 0.0:
                return log.outcome(Ending.STUCK, x)
            x = equations.move(x, share * step)
            phi, J = there if there is not None else equations.evaluate(x)
    raise AssertionError  # the limit ends the loop


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
        made = np.full(len(self.equations.unknowns), np.nan) if step is None else step
        size = float(np.abs(phi / row_scales).max(initial=0.0))
        length = float(np.abs(made / column_scales).max(initial=0.0))
        self.x.append(x)
        self.rows.append((self.equations.shown(x), phi, made, share, size, length))

    def repeated(self, x: Array, phi: Array, J: Array) -> int:
        """How many iterations ago the same place was visited with residuals no larger; 0 if never."""
        row_scales, scales = self.equations.scales(x, J, [*self.x, x])
        size = float(np.abs(phi / row_scales).max(initial=0.0))
        for ago in range(2, len(self.x) + 1):
            same = (np.abs(self.x[-ago] - x) <= REPEATED * scales).all()
            if same and size > 0.5 * self.rows[-ago][4]:
                return ago
        return 0

    def outcome(self, ending: Ending, x: Array, period: int = 0) -> Outcome:
        values, residuals, corrections, factors, sizes, lengths = zip(*self.rows, strict=True)
        history = NewtonHistory(
            self.equations.unknowns, self.equations.names, np.array(values), np.array(residuals), np.array(corrections),
            np.array(factors), np.array(sizes), np.array(lengths),
        )  # fmt: skip
        return Outcome(ending, x, history, period)


def sequence(numbers: Array) -> str:
    """The first and last numbers of a sequence, as they stand in a sentence."""
    texts = [f"{v:.4g}" for v in numbers]
    return ", ".join(texts if len(texts) <= SHOWN else [*texts[: SHOWN - 2], "…", *texts[-2:]])


def diverges(history: NewtonHistory) -> bool:
    """True if the corrections grow instead of shrinking."""
    lengths = history.lengths[np.isfinite(history.lengths)]
    return len(lengths) > 2 and float(lengths[-1]) > 2.0 * float(np.median(lengths[: len(lengths) // 2 + 1]))
