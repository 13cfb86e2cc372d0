"""Messages about given motions (drivers, independent coordinates) that do not fit the degrees of freedom."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from pytrammel._util.messages import number_of
from pytrammel.analysis.freedom.mobility import rank_around
from pytrammel.analysis.freedom.rank import Rank, rank_at
from pytrammel.analysis.positions.assembly import active_rows, assembled
from pytrammel.analysis.positions.tolerant import rounded_loop
from pytrammel.errors import AssemblyError, MobilityError, SingularError
from pytrammel.system.lowering import lower

if TYPE_CHECKING:
    from pytrammel.analysis.driven.kinematics import Run

Array = NDArray[np.float64]


def too_many_motions(run: Run, time: float) -> MobilityError | None:
    """The error to show if assembly failed only because more motions are given than the mechanism has."""
    drivers = [run.system.rows[k].owner for k in run.rows_in_force() if run.system.rows[k].is_driver]
    given = drivers + [run.system.columns[k] for k in run.system.prescribed]
    free = lower(run.model)
    rows = active_rows(free, drivers=False, phase=run.phase)
    try:
        q = assembled(run.model, time=time, system=free, rows=rows).q
    except AssemblyError:
        return None
    dof = free.n_columns - rank_at(free, q, time, rows).rank
    if len(given) <= dof:
        return None
    return MobilityError(
        f"model {run.model.name!r} has {number_of(dof, 'degree of freedom')} but {number_of(len(given), 'given motion')} "
        f"({', '.join(map(repr, given))}), and they contradict each other at t = {time:g} s. Remove {len(given) - dof}."
        + rounded_loop(free, rows, q, time)
    )


def too_few_motions(
    run: Run, rows: Sequence[int], free: NDArray[np.bool_], q: Array, time: float, found: Rank
) -> MobilityError | SingularError:
    """The error for rows that do not determine the motion of the free columns."""
    system, n_free = run.system, int(free.sum())
    constraints = [k for k in rows if not system.rows[k].is_driver]
    drivers = [k for k in rows if system.rows[k].is_driver]
    own = rank_at(system, q, time, constraints, free)
    best = rank_around(system, constraints, drivers, q, time, own) if free.all() else found
    # the drivers suffice in general, so it is this very position that is special
    if best.rank == n_free or (not free.all() and n_free - own.rank <= len(drivers)):
        return SingularError(
            f"at t = {time:g} s model {run.model.name!r} is in a singular position (a change point or dead point): the drivers do not "
            f"determine its motion there ({number_of(n_free - found.rank, 'direction')} undetermined). "
            "Start the run elsewhere, or drive another coordinate."
        )
    missing = n_free - best.rank
    names = np.array(system.columns)[free][best.motions.moving(1e-6)]
    moving = f"{', '.join(names[:6])}{' …' if len(names) > 6 else ''}"
    if system.prescribed:
        chosen = ", ".join(system.columns[k] for k in system.prescribed)
        return MobilityError(
            f"prescribing {chosen} does not determine the motion of model {run.model.name!r} at t = {time:g} s: "
            f"{number_of(missing, 'motion')} left free ({moving}). Choose other independent coordinates, or more of them."
        )
    dof = n_free - sum(k < len(constraints) for k in best.independent)
    dependent = [
        repr(system.rows[drivers[k - len(constraints)]].owner) for k in best.redundant if k >= len(constraints)
    ]
    counted, remedy = "driver", f"Add {number_of(missing, 'driver')} or as many constraints."
    if dependent:
        listed = f"{', '.join(dependent[:6])}{' …' if len(dependent) > 6 else ''}"
        counted = "independent driver"
        remedy = f"The motions of {listed} follow from the other drivers. Use drivers that do not depend on each other."
    return MobilityError(
        f"model {run.model.name!r} has {number_of(dof, 'degree of freedom')} but {number_of(len(drivers) - len(dependent), counted)}, "
        f"which leaves {number_of(missing, 'motion')} free ({moving}). {remedy}"
    )
