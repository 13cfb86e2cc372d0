"""Runs that make no progress: steps far shorter than the motion needs, and what they are short for."""

from __future__ import annotations

import math
from collections import deque
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from pytrammel._util.messages import in_degrees
from pytrammel.analysis.at_state import StateValues, evaluate_state
from pytrammel.analysis.freedom.rank import measure_of
from pytrammel.analysis.positions.assembly import row_targets
from pytrammel.analysis.runs.runaway import Growth, far_and_growing, growth_rate
from pytrammel.kernels import run as rk
from pytrammel.kernels import step_control
from pytrammel.system.lowering import System
from pytrammel.system.positions import moved

if TYPE_CHECKING:
    from pytrammel.analysis.runs.simulation import Simulation

Array = NDArray[np.float64]
BETWEEN_LOOKS = 400  # steps
LOOKS = 10  # that must agree
NEEDED = 1e-3  # change within a step, of the model's size or of the fastest speed: motion that is worth a step
QUICKER = 2.0  # steps that grow by this between the first look and the last may get somewhere
CLOSE = 0.05  # share of the largest singularity measure below which a position is nearly singular
MOST_COLUMNS = 300  # of models that are searched for what is stiff
NEAR_END = 1e-3  # distance from the end to its singular position, as a fraction of the time since the start
A_MOMENT = 1e-6  # of the rest of a run
NUDGE = 1e-7  # of a column's scale
SLOW = 1e3  # steps: what answers within so many or more did not shorten them
LIGHTEST = 1e-9  # of a run's duration: who answers faster than this has no mass to speak of


class Pace:
    """Looks at a run every few hundred steps: where it was, and when."""

    def __init__(self) -> None:
        self._looks: deque[tuple[float, float, float, float, float, float]] = deque(maxlen=LOOKS + 1)
        self._steps = 0.0
        self.stuck = False
        self.growth, self.growing = Growth(), False
        self.predicted = 0.0

    def look(self, run: Simulation) -> None:
        """Remember the present state, if it is time for that, and judge."""
        steps = float(run.counters[rk.N_STEPS])
        if steps - self._steps < BETWEEN_LOOKS:
            return
        self._steps = steps
        scales = run.system.column_scales()
        speed = float(np.abs(run.v / scales).max(initial=0.0))
        together = speed * float(np.linalg.norm(run.v / scales / speed)) if 0.0 < speed < math.inf else speed
        accelerations = _accelerations(run, run.q, run.v)
        change = np.abs(accelerations)  # where it is not a number, nothing can be said
        largest = float(change[np.isfinite(change)].max(initial=0.0))
        self._looks.append((float(run.clock[0]), steps, speed, largest, growth_rate(run, accelerations), together))
        self.growth.look(float(run.clock[0]), speed)
        self.growing = len(self._looks) > LOOKS and self._runs_away(run)
        self.stuck = self.growing or (len(self._looks) > LOOKS and self._no_progress(run))

    @property
    def rates(self) -> list[tuple[float, float]]:
        """Time and relative growth of the speeds at each look [s, 1/s]."""
        return [(look[0], look[4]) for look in self._looks]

    @property
    def mean_rate(self) -> float:
        """Relative growth of all speeds together between the first look and the last [1/s]; 0 where it is not known."""
        if len(self._looks) <= LOOKS or not self.growing:
            return 0.0
        (t0, *_, v0), (t1, *_, v1) = self._looks[0], self._looks[-1]
        return math.log(v1 / v0) / (t1 - t0) if t1 > t0 and v0 > 0.0 and v1 < math.inf else 0.0

    @property
    def span(self) -> tuple[float, int]:
        """Time [s] and steps between the first look and the last."""
        (t0, n0, *_), (t1, n1, *_) = self._looks[0], self._looks[-1]
        return t1 - t0, int(n1 - n0)

    def _runs_away(self, run: Simulation) -> bool:
        """Return True if the motion grows so fast that no number of steps reaches the end."""
        if run.options.method.fixed:
            return False
        time, steps = self.span
        left = float(run.instants[-1] - run.clock[0])
        pace = steps / max(time, 1e-300)
        if self._steps + pace * left <= run.options.max_steps:
            return False
        self.predicted = left * pace
        if ending_driver(run):
            return False
        return self.growth.hopeless(left, pace, run.options.max_steps) or (
            self.growth.still(self._looks[0][0]) and far_and_growing(run, left)
        )

    def _no_progress(self, run: Simulation) -> bool:
        """Return True if the rest would need more steps than allowed, although the motion does not need them."""
        if run.options.method.fixed:
            return False
        (time, steps), times = self.span, [look[0] for look in self._looks]
        left = float(run.instants[-1]) - times[-1]
        self.predicted = left / max(time, 1e-300) * steps
        if self._steps + self.predicted <= run.options.max_steps:
            return False
        if times[-1] - times[-2] > QUICKER * (times[1] - times[0]):
            return False
        # what the motion changes within a step: positions against the model's size, velocities against the fastest
        step = time / steps
        speed = max(1e-3, *(look[2] for look in self._looks))
        change = max(look[3] for look in self._looks)
        return step * max(speed, change / speed) < NEEDED


def no_progress(run: Simulation) -> str:
    """The sentence for a run that makes no progress: how slow it is, what is stiff or singular, and what to do."""
    time, steps = run.pace.span
    text = (
        f"it makes no progress: the last {steps} steps advanced the time by only {time:.2g} s, less than the motion allows, and the rest "
        f"would take about {run.pace.predicted:.0e} steps. "
    )
    return text + (
        ending_driver(run)
        or singular_sentence(run)
        or _stiff(run, SLOW * time / steps)
        or (self_locking(run.system) if _rubs(run) else "")
        or f"Loosen rtol = {run.options.rtol:g} or look for stiff forces."
    )


def ending_driver(run: Simulation) -> str:
    """A sentence about a driver whose formula has no value a moment later, as sqrt(1 - t) at t = 1; empty if there is none."""
    t, end = float(run.clock[0]), float(run.instants[-1])
    later = row_targets(run.system, t + A_MOMENT * (end - t))
    for k in run.active:
        if not np.isfinite(later[k]):
            name = run.system.rows[k].owner
            return f"Driver {name!r} has no value a moment later; check its formula, or end the run before."
    return ""


def _asking(system: System) -> list[int]:
    """Places of the forces that depend on reactions."""
    return [k for k, f in enumerate(system.forces) if any(given.kind == "reaction" for given in f.use.inputs.values())]


def _rubs(run: Simulation) -> bool:
    """Return True if a force that depends on reactions acts now, or cannot be found."""
    forces = _state(run, run.q, run.v).forces[_asking(run.system)]
    return bool((forces != 0.0).any())


def self_locking(system: System) -> str:
    """What to say where forces that depend on reactions find no agreement with them; empty where there are none."""
    asking = [system.forces[k].owner for k in _asking(system)]
    if not asking:
        return ""
    return (
        f"{', '.join(map(repr, dict.fromkeys(asking)))} and the reactions that they depend on do not settle: a change of one comes back "
        "larger through the other (self-locking), so that none agree or several do, or the position is singular. Lower the coefficient of "
        "friction, or lengthen the guide or bearing."
    )


def singular_sentence(run: Simulation) -> str:
    """A sentence about the singular position that is near, if one is."""
    now = measure_of(run.system, run.q, float(run.clock[0]), run.active) if run.active else 1.0
    if now > CLOSE * float(run.control[step_control.REFERENCE]):
        return ""
    return (
        f"The mechanism is close to a singular position there (a change point or dead point, measure {now:.2g}), where its motion is "
        "hardly determined. End the run before, begin it elsewhere, or add what decides the motion there."
    )


def dead_point(run: Simulation) -> str:
    """Message about the dead point that ends a fully driven motion, noted in the run; empty if there is none."""
    if len(run.active) < run.system.n_columns:
        return ""
    t = float(run.clock[0])
    near = NEAR_END * (t - float(run.instants[0]))
    if singular_sentence(run):
        time, measure = t, measure_of(run.system, run.q, t, run.active)
    else:  # steps beyond it led nowhere
        passed = run.crossing.last(t - near)
        if passed is None:
            return ""
        time, measure = passed
    run.crossing.ends_at(time, measure, near)
    acting = {run.system.rows[k].owner for k in run.active}
    driven = ", ".join(
        f"{name} = {in_degrees(motion.evaluate({'t': time}), unit)}"
        for constraint in run.model.constraints.values()
        if constraint.name in acting
        for name, (motion, unit) in constraint.motions.items()
    )
    return (
        f"the mechanism reaches a dead point at t = {time:.6g} s{f' ({driven})' if driven else ''} and cannot follow its drivers any "
        "further. Stop before, turn the driver round, or drive another coordinate."
    )


def _state(run: Simulation, q: Array, v: Array) -> StateValues:
    """The equations of motion, solved at a state, now."""
    first = run.system.n_coordinates + run.system.n_columns
    inner = run.y[first : run.y.size - len(run.system.forces) - 1]
    return evaluate_state(run.system, run.floats, run.pattern, float(run.clock[0]), q, v, inner.copy())


def _accelerations(run: Simulation, q: Array, v: Array) -> Array:
    """Accelerations in column scales at a state, now."""
    return np.asarray(_state(run, q, v).accelerations / run.system.column_scales())


def _stiff(run: Simulation, slow: float) -> str:
    """Which coordinate answers fastest to the forces, and whose they are; empty where it takes longer than `slow` [s]."""
    n, scales = run.system.n_columns, run.system.column_scales()
    if not 0 < n <= MOST_COLUMNS:
        return ""
    flow = np.zeros((2 * n, 2 * n))
    flow[:n, n:] = np.eye(n)
    here = _accelerations(run, run.q, run.v)
    for k in range(n):
        nudge = np.zeros(n)
        nudge[k] = NUDGE * scales[k]
        flow[n:, k] = (_accelerations(run, moved(run.system, run.q, nudge), run.v) - here) / NUDGE
        flow[n:, n + k] = (_accelerations(run, run.q, run.v + nudge) - here) / NUDGE
        if not np.isfinite(flow).all():
            return _culprit(run, k, None)
    values, vectors = np.linalg.eig(flow)
    fastest = int(np.argmax(np.abs(values)))
    column = int(np.argmax(np.abs(vectors[:n, fastest]) + np.abs(vectors[n:, fastest])))
    within = 1.0 / max(float(abs(values[fastest])), 1e-300)
    return _culprit(run, column, within) if within < slow else ""


def _culprit(run: Simulation, column: int, within: float | None) -> str:
    """A sentence about the coordinate that is too light for the forces upon it; `within`: the time in which it answers [s]."""
    name = run.system.columns[column]
    body = name.rpartition(".")[0]
    forces = ", ".join(repr(f.name) for f in run.model.forces.values() if body in f.bodies)
    if not forces or body not in run.model.bodies:
        return ""
    if within is None or (
        within < LIGHTEST * float(run.instants[-1] - run.instants[0]) and run.model.bodies[body].massless
    ):
        return (
            f"Body {body!r} has no mass along {name}: only the balance of {forces} places it there, which is no equation of motion. "
            "Give it a mass, or tie it to another body."
        )
    return (
        f"What is stiff: {name} answers to {forces} within {within:.1g} s, so that body {body!r} has too little mass or inertia for "
        "such forces. Give it more, tie it to another body, or make the forces softer."
    )
