"""Newton's method on a mechanism, iteration by iteration: the plain method, and what assembly did."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from pytrammel._util.messages import number_of
from pytrammel.analysis.freedom.rank import jacobian
from pytrammel.analysis.positions.assembly import TOLERANCE, Way, residuals
from pytrammel.analysis.positions.newton import Ending, Equations, Outcome, diverges, iterate, sequence
from pytrammel.kernels import layout as L
from pytrammel.kernels.assembly import assemble_run
from pytrammel.results.studies.newton import NewtonHistory
from pytrammel.system.lowering import System
from pytrammel.system.pattern import pattern
from pytrammel.system.positions import difference, moved

Array = NDArray[np.float64]
LIMIT = 50  # iterations of the plain method


def row_names(system: System, rows: Sequence[int]) -> tuple[str, ...]:
    """Names of rows: that of the joint, numbered where it has several."""
    counts: dict[str, int] = {}
    numbered = []
    for row in system.rows:
        counts[row.owner] = counts.get(row.owner, 0) + 1
        numbered.append((row.owner, counts[row.owner]))
    return tuple(
        owner if counts[owner] == 1 else f"{owner} row {place}" for owner, place in (numbered[k] for k in rows)
    )


def plain_newton(system: System, rows: Sequence[int], time: float, start: Array) -> Outcome:
    """The plain method from a start: full corrections, the smallest ones that the linearised rows ask for."""
    rows = list(rows)
    row_scales, column_scales = system.row_scales()[rows], system.column_scales()
    begin = settled(system, start, time)

    def evaluate(q: Array) -> tuple[Array, Array]:
        if not np.isfinite(q).all():
            return np.full(len(rows), np.nan), np.full((len(rows), system.n_columns), np.nan)
        J = jacobian(system, q, time, rows) * row_scales[:, None] / column_scales
        J[:, list(system.prescribed)] = 0.0
        return residuals(system, q, time)[rows], J

    def is_solution(q: Array, phi: Array, J: Array) -> bool:
        return bool(np.abs(phi / row_scales).max(initial=0.0) < TOLERANCE)

    equations = Equations(
        system.coordinates, row_names(system, rows), system.columns, evaluate,
        lambda q, J, seen: (row_scales, column_scales), is_solution, column_scales,
        lambda q, step: settled(system, moved(system, q, step), time), lambda to, q: difference(system, to, q),
    )  # fmt: skip
    return iterate(equations, begin, damping=False, limit=LIMIT)


def settled(system: System, q: Array, time: float) -> Array:
    """The same position with prescribed coordinates at their values, and with turns counted: an assembly without rows."""
    out = q.copy()
    assemble_run(system.ints, system.floats, pattern(system, []), float(time), out, 1, TOLERANCE, np.zeros(3))
    return out


def failure(outcome: Outcome, time: float, advice: str) -> str:
    """What became of the plain method, as a sentence with what to do about it."""
    history = outcome.history
    count, worst = history.iterations, int(np.nan_to_num(np.abs(history.residuals[-1]), nan=np.inf).argmax())
    way = f"the largest residuals were {sequence(history.sizes)} of the model's size"
    head = f"Newton's method without damping, at t = {time:g} s"
    if outcome.ending is Ending.STUCK or (outcome.ending is Ending.SINGULAR and not diverges(history)):
        return (
            f"{head}: after {number_of(count, 'iteration')} the rows are dependent, in a singular position or by contradicting each other, "
            f"and no small motion corrects {history.equations[worst]}; {way}. {advice}"
        )
    if outcome.ending is Ending.CYCLE:
        return (
            f"{head}, goes round in circles: the position after {count} iterations is that of {outcome.period} iterations before; {way}. "
            f"{advice}"
        )
    how = "diverges" if outcome.ending is Ending.NOT_FINITE or diverges(history) else "does not converge"
    return f"{head}, {how}: after {count} iterations {history.equations[worst]} is still open; {way}. {advice}"


def seen_again(way: Way) -> NewtonHistory:
    """The iterations of an assembly: the same run once more, stopped after each of them."""
    system, rows = way.system, list(way.rows)
    row_scales, column_scales = system.row_scales()[rows], system.column_scales()
    p, report = pattern(system, rows), np.zeros(3)
    places = [settled(system, way.start, way.time)]
    for count in range(1, way.iterations + 1):
        q = way.start.copy()
        status = assemble_run(system.ints, system.floats, p, way.time, q, count, TOLERANCE, report)
        places.append(q)
        if status != L.NOT_CONVERGED and int(report[0]) < count:
            break
    phi = np.array([residuals(system, q, way.time)[rows] for q in places])
    steps = np.array([difference(system, b, a) for a, b in itertools.pairwise(places)])
    steps = np.vstack([steps.reshape(-1, system.n_columns), np.full(system.n_columns, np.nan)])
    factors = np.where(np.abs(steps).max(axis=1) > 0.0, 1.0, 0.0)
    factors[-1] = np.nan
    return NewtonHistory(
        system.coordinates, row_names(system, rows), system.columns, np.array(places), phi, steps, factors,
        np.abs(phi / row_scales).max(axis=1, initial=0.0), np.abs(steps / column_scales).max(axis=1),
    )  # fmt: skip
