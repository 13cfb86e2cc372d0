"""The result of a run, or of what it has computed so far."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from pytrammel.analysis.events.holds import report_held
from pytrammel.analysis.freedom.sharing import smallest_multipliers
from pytrammel.kernels import engine as seam
from pytrammel.kernels import layout as L
from pytrammel.kernels import run as rk
from pytrammel.results.forces.dynamics import DynamicsData, StepStatistics
from pytrammel.results.result import Result
from pytrammel.system.pattern import pattern

if TYPE_CHECKING:
    from pytrammel.analysis.runs.simulation import Simulation


def computed_by(run: Simulation, first: int, hurry: bool) -> Result:
    """What was computed from a time on, as it is: nothing is said about doubts."""
    span = slice(first, run.done)
    nq, n = run.system.n_coordinates, run.system.n_columns
    counters, counted = run.counters, np.array([each.counted[: seam.N_SHARED] for each in run.all_equations])
    _share(run, hurry)
    report_held(run.segments, run.LAM, run.OUTS)
    data = DynamicsData(
        multipliers=run.LAM[span].copy(),
        outputs=run.OUTS[span].copy(),
        work=run.Y[span, run.y.size - len(run.system.forces) - 1 :].copy(),
        inner_states=run.Y[span, nq + n : run.y.size - len(run.system.forces) - 1].copy(),
        kinetic=run.ENERGIES[span, 0].copy(),
        gravity=run.ENERGIES[span, 1].copy(),
        events=tuple(run.reports),
        changed=tuple(run.changed),
        statistics=StepStatistics(
            int(counters[rk.N_STEPS]), int(counters[rk.N_REJECTED]), int(counted[:, seam.EVALUATIONS].sum()),
            float(counted[:, seam.LARGEST_PHI].max()), float(counted[:, seam.LARGEST_RATE].max()), float(counters[rk.SMALLEST_ANGLE]),
            int(counters[rk.N_FORCED]), () if run.independent is None else tuple(run.independent.history),
            tuple(run.equations.history), *run.sizes,
        ),
        interrupted=run.interrupted,
        methods=tuple(run.choice.uses),
        formulation=run.asked_options.said_formulation,
        parameters=run.kept_rows[span].copy() if run.kept_rows.size else None,
    )  # fmt: skip
    return Result(
        model=run.given,
        _system=run.first_system,
        times=run.instants[span].copy(),
        q=run.Y[span, :nq].copy(),
        v=run.Y[span, nq : nq + n].copy(),
        a=run.A[span].copy(),
        _notes=np.zeros((run.done - first, 4)),
        singularities=run.crossing.found(float(np.ptp(run.instants))),
        redundant=tuple(dict.fromkeys(run.system.rows[r].owner for r in run.redundant)),
        wall_time=run.seconds,
        _segments=tuple(run.segments),
        dynamics=data,
        interrupted=run.interrupted,
    )


def _share(run: Simulation, hurry: bool) -> None:
    """Redundant equations share the load with the smallest sum of squares; the motion does not depend on how."""
    for k, segment in enumerate(run.segments):
        used = segment.pattern
        assert used is not None
        active, chosen = used[int(used[L.P_AT_ROWS]) :][: int(used[L.P_ROWS])], list(segment.rows)
        if len(active) == len(chosen):
            continue
        span = slice(segment.first, segment.last)
        q = run.Y[span, : run.system.n_coordinates]
        run.LAM[span, chosen] = np.nan if hurry else smallest_multipliers(
            segment.system, chosen, active, run.instants[span], q, run.LAM[span]
        )  # fmt: skip
        run.segments[k] = replace(segment, pattern=pattern(segment.system, segment.rows))
