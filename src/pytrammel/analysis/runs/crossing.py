"""Singular positions on the way of a simulation: which runs pass them by themselves, which change to others there, and where they were.

A change point divides what a state is off the constraints by the distance from it. Explicit Runge–Kutta methods with controlled error pass
it in body coordinates, with their stages put onto the constraints. Every other run changes to them near a singular position and back
behind it; positions, velocities, inner states and works are the same in both, as at an event.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from pytrammel.analysis.formulations import formulation
from pytrammel.analysis.freedom.rank import measure_of
from pytrammel.analysis.methods import Method, method_named
from pytrammel.analysis.runs.automatic import ENOUGH, Choice
from pytrammel.analysis.runs.engine import Cartesian
from pytrammel.analysis.runs.rotations import is_usual
from pytrammel.kernels import engine as seam
from pytrammel.kernels import passing, step_control
from pytrammel.kernels import run as rk
from pytrammel.kernels.equations import cartesian
from pytrammel.kernels.jit import prepare
from pytrammel.kernels.sweep import settle_run
from pytrammel.results.events import Singularity
from pytrammel.results.forces.dynamics import MethodUse

if TYPE_CHECKING:
    from pytrammel.analysis.runs.engine import Table
    from pytrammel.analysis.runs.options import Options
    from pytrammel.analysis.runs.simulation import Simulation

Array = NDArray[np.float64]
HELPER = "dop853"  # method that passes singular positions for others
LOOKS = 20  # computed output times at which the largest singularity measure in body coordinates is looked for
SAME = 1e-9  # of the run's duration: two passages closer than this are one, found from both sides
SHARP = (
    1e-6  # measure at a passage: the root of a pivot's rounding is 1e-8, a search that did not end there has found none
)
HELD_UP = 101  # status of a run whose change does not come across
SWAPPED = ("options", "equations", "independent", "choice", "control", "sizes")


def passes(options: Options, method: Method) -> bool:
    """Return True if a run passes singular positions by itself."""
    return bool(
        method.passes
        and options.formulation.in_bodies
        and options.formulation.variant == "III"
        and options.treatment.project
        and is_usual(options)
    )


class Crossing:
    """The change to equations and a method that pass a singular position, and back.

    Attributes:
        active: Whether the run is changed now.
        own: Its equations, method and step control meanwhile, or those of the change when it is not active.
        persists: Whether the run goes through the present singular position by itself, because the change did not come across.
        dead_point: Time and singularity measure at the dead point that ended the run.
    """

    def __init__(self) -> None:
        self.active = False
        self.own: dict[str, Any] = {}
        self.persists = False
        self.since = -1.0
        self.passages: list[tuple[float, float]] = []
        self.dead_point: tuple[float, float] | None = None

    def enter(self, run: Simulation, table: Table, method: Method) -> None:
        """Tell the kernels what to do where a singular position is near."""
        if self.active:
            role = passing.HELPS_OUT
        elif not run.hands_over or passes(run.options, method) or not run.active:
            role = passing.PASSES
        else:
            role = passing.PERSISTS if self.persists else passing.GIVES_WAY
        table.entries[seam.CROSSING] = role

    def begin(self, run: Simulation) -> None:
        """Change to body coordinates and an explicit method."""
        now = float(run.clock[0])
        self.persists = False
        self.change(run)
        self.since = now
        kept = self.own["control"]
        run.control[:] = kept
        run.control[step_control.REFERENCE] = self._largest(run)
        run.control[step_control.WEAK] = rk.WEAKENED * run.control[step_control.REFERENCE] if run.redundant else 0.0
        run.equations.counted[cartesian.ENERGY_MET] = self.own["equations"].counted[cartesian.ENERGY_MET]
        run.control[step_control.NATURAL] = run.control[step_control.TRIES] = run.control[step_control.HOP] = 0.0
        run.control[step_control.LAST_NORM] = 1e-2
        run.control[step_control.NEXT] = run._first_step(float(run.instants[-1] - run.instants[0]))
        run.choice.uses = self.own["choice"].uses
        run.choice.stiff_steps = ENOUGH if self.own["choice"].method.implicit else 0
        why = "a singular position is near, which it passes in body coordinates with constraints='projection'"
        run.choice.uses.append(MethodUse(now, HELPER, why))

    def end(self, run: Simulation, *, persists: bool = False) -> None:
        """Change back behind the singular position, or before it if the change does not come across."""
        kept = run.control
        self.change(run)
        self.persists = persists
        run.control[step_control.WEAK] = kept[step_control.WEAK]
        run.control[step_control.TOUCHED] = 1.0
        run.control[step_control.TRIES] = 0.0
        why = "steps across were held short by what is stiff" if persists else "the singular position lies behind"
        run.choice.go_on(run, why)

    def is_held_up(self, run: Simulation) -> bool:
        """Return True if the change takes short steps because the motion is stiff, where the own method is made for that."""
        stiff = run.method_numbers[seam.STIFF_STEPS]
        return bool(self.active and run.choice.stiff_steps and stiff >= run.choice.stiff_steps)

    def settle(self, run: Simulation, table: Table) -> None:
        """Bring the state onto the constraints, from which other treatments may have drifted."""
        if self.active and self.since == float(run.clock[0]):
            prepare(["settle_run"])
            settle_run(table.entries, self.since, run.y)

    def note(self, run: Simulation) -> None:
        """Take over passages that the kernel has found."""
        noted = run.counters[rk.N_COUNTERS :]
        for k in range(int(noted[0])):
            self.passages.append((float(noted[1 + 2 * k]), float(noted[2 + 2 * k])))
        noted[0] = 0.0

    def found(self, duration: float) -> tuple[Singularity, ...]:
        """Singular positions that were passed, and the dead point that ended the run."""
        out: list[Singularity] = []
        for time, measure in self.passages:
            if measure > SHARP:
                continue
            if out and time - out[-1].time <= SAME * duration:
                out[-1] = min(out[-1], Singularity(time, measure, "change point", False), key=lambda p: p.measure)
            else:
                out.append(Singularity(time, measure, "change point", False))
        return tuple(out) if self.dead_point is None else (*out, Singularity(*self.dead_point, "dead point", False))

    def ends_at(self, time: float, measure: float, near: float) -> None:
        """Note the dead point that ended the run; singular positions within `near` [s] of it were not passed."""
        self.passages = [each for each in self.passages if each[0] < time - near]
        self.dead_point = time, measure

    def last(self, since: float) -> tuple[float, float] | None:
        """Sharpest singular position after a time: its time and measure."""
        return min((p for p in self.passages if p[0] >= since and p[1] <= SHARP), key=lambda p: p[1], default=None)

    def _helper(self, run: Simulation) -> dict[str, Any]:
        method = method_named(HELPER)
        options = replace(
            run.options, method=method, formulation=formulation("cartesian"), constraints="projection", rotations="velocities",
            euler_parameters="corrected",
        )  # fmt: skip
        prepare([*Cartesian.needs, *method.routines, "rates_on_constraints", "settle_run"])
        equations = Cartesian(options)
        return {
            "options": options, "equations": equations, "independent": None, "choice": Choice(method),
            "control": np.zeros(step_control.CONTROL_SIZE), "sizes": run.sizes,
        }  # fmt: skip

    def prepared(self, run: Simulation) -> dict[str, Any]:
        """Equations, method and step control that are not in use."""
        if not self.own:
            self.own = self._helper(run)
        return self.own

    def change(self, run: Simulation) -> None:
        """Exchange what is in use and what is not."""
        self.prepared(run)
        self.active = not self.active
        for name in SWAPPED:
            own = getattr(run, name)
            setattr(run, name, self.own[name])
            self.own[name] = own
        run.equations.take_over(run.system, run.whole)

    def _largest(self, run: Simulation) -> float:
        """Largest singularity measure in body coordinates met so far, at the start and at computed output times."""
        few = np.unique(np.linspace(0, run.done - 1, LOOKS).astype(int)).tolist() if run.done else []
        places = [(float(run.instants[0]), run.begin.q)] + [
            (float(run.instants[k]), run.Y[k, : run.system.n_coordinates]) for k in few
        ]
        places.append((float(run.clock[0]), run.q))
        return max(measure_of(run.system, q.copy(), time, run.active) for time, q in places)
