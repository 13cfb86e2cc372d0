"""Motions that grow without bound: exponentially, or to infinity within a finite time."""

from __future__ import annotations

import itertools
import math
from collections import deque
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from pytrammel.analysis.at_state import evaluate_state
from pytrammel.system.positions import moved

if TYPE_CHECKING:
    from pytrammel.analysis.at_state import StateValues
    from pytrammel.analysis.runs.simulation import Simulation

Array = NDArray[np.float64]
DOUBLINGS = 6  # of the fastest speed that must follow each other as fast or faster
STEADY = 1.25  # ratio of successive doubling times; constant acceleration has 2, a speed of t^3 1.26
HOPELESS = 100.0  # times more steps than allowed that the rest would need
FAR, LOST = (
    1e4,
    1e9,
)  # scales (sizes of the model, radians) or scales per second, beyond which a stopped motion is a runaway
FOLDINGS = 30.0  # factors of e that a runaway has before it, where digits are not lost yet
FINITE = 1e-6  # e-folding time, as a share of the time since the start, that marks an escape in finite time
QUICKENED = 1.12  # growth of the rate of growth that marks an escape in finite time; above (1 + STRAIGHT)^2
STRAIGHT = 0.05  # share of the rest by which two estimates of its end may differ
NEAR = 0.1  # share of the fastest speed
REMEDY = "Tolerances and steps do not matter. Check the signs of forces, motors and feedback, or end the run before."
ESCAPE = (
    "If a run with a shorter step stops near the same time, the motion escapes to infinity there: check the signs of forces, motors "
    "and feedback."
)
MOST = 700.0  # exponents that floating-point numbers can hold
RESOLVED = 0.2  # ratio of time step and time of change of the velocity, above which the step can cause the growth
POLE = 10.0  # growth of a law, at least, each time its end comes nearer by a factor of BEFORE
BEFORE = (1e-3, 1e-6, 1e-9)  # times before the end at which laws are compared, as shares of the time since the start


class Growth:
    """Times at which the fastest speed has doubled."""

    def __init__(self) -> None:
        self._doublings: deque[tuple[int, float]] = deque(maxlen=DOUBLINGS + 1)

    def look(self, time: float, speed: float) -> None:
        """Note the time if the speed has reached the next power of two."""
        if not 0.0 < speed < math.inf:
            return
        level = math.floor(math.log2(speed))
        if not self._doublings or level > self._doublings[-1][0]:
            self._doublings.append((level, time))

    def still(self, since: float) -> bool:
        """Return True if the speed has doubled several times, and since a given time again."""
        if not self._doublings or self._doublings[-1][0] - self._doublings[0][0] < DOUBLINGS:
            return False
        return self._doublings[-1][1] > since or self._doublings[-1][0] > math.log2(LOST)

    def hopeless(self, left: float, pace: float, allowed: float) -> bool:
        """Return True if the speed doubles as fast as ever, and the rest would need far more steps than allowed.

        Args:
            left: Rest of the run [s].
            pace: Steps per second now, which grow like the speed.
            allowed: Steps that are allowed.
        """
        if len(self._doublings) <= DOUBLINGS:
            return False
        marks = list(self._doublings)
        each = [(t1 - t0) / (n1 - n0) for (n0, t0), (n1, t1) in itertools.pairwise(marks)]
        if any(later > STEADY * earlier for earlier, later in itertools.pairwise(each)):
            return False
        folding = each[-1] / math.log(2.0)
        return pace * folding * math.expm1(min(MOST, left / max(folding, 1e-300))) > HOPELESS * allowed


def growth_rate(run: Simulation, accelerations: Array | None = None) -> float:
    """Relative growth of all speeds together [1/s]: without the turning of velocities, which a spin makes as fast as one likes.

    Args:
        run: The run, as it is now.
        accelerations: In column scales, if they are known.
    """
    with np.errstate(all="ignore"):
        scales = run.system.column_scales()
        v, a = run.v / scales, _state(run).accelerations / scales if accelerations is None else accelerations
        size = float(np.abs(v).max(initial=0.0))
        return float((v / size) @ (a / size)) / float((v / size) @ (v / size)) if 0.0 < size < math.inf else math.nan


def far_and_growing(run: Simulation, left: float) -> bool:
    """Return True if the fastest coordinate is far beyond the model's size and will grow by many factors of e in the rest [s]."""
    fastest = float(np.abs(run.v / run.system.column_scales()).max(initial=0.0))
    return bool(fastest > FAR and growth_rate(run) * left > (FOLDINGS if fastest < LOST else 1.0))


def is_resolved(run: Simulation) -> bool:
    """Return True if a fixed step is short against the time in which the velocity changes, so that the motion itself grows."""
    with np.errstate(all="ignore"):
        scales = run.system.column_scales()
        speed, change = (float(np.abs(x / scales).max(initial=0.0)) for x in (run.v, _state(run).accelerations))
        return bool(run.options.time_step * change < RESOLVED * speed)


def is_outrun(run: Simulation) -> bool:
    """Return True if a fixed step is so long that the fastest coordinate passes a share of the model's size in one step."""
    if not run.options.method.fixed or is_resolved(run):
        return False
    with np.errstate(all="ignore"):
        path = run.options.time_step * float(np.abs(run.v / run.system.column_scales()).max(initial=0.0))
    return not path <= RESOLVED


def pole_message(run: Simulation) -> str:
    """Return a message about the law of a force or state that grows without limit towards the end of the run; empty if none does."""
    with np.errstate(all="ignore"):
        time = float(run.clock[0])
        inner = run.y[run.inner_at : run.y.size - len(run.system.forces) - 1].copy()
        values = []
        for share in BEFORE:
            back = share * (time - float(run.instants[0]))
            place = moved(run.system, run.q, -back * run.v)
            state = evaluate_state(run.system, run.floats, run.pattern, time - back, place, run.v, inner)
            values.append(np.abs(state.forces))
        far, near, last = values
        grows = (far > 0.0) & (near > POLE * far) & (last > POLE * near) & np.isfinite(last)
    # a law of reactions grows with them, as in singular positions
    grows &= np.array(
        [all(i.kind != "reaction" for i in force.use.inputs.values()) for force in run.system.forces], dtype=bool
    )
    if not grows.any():
        return ""
    k = int(np.argmax(np.where(grows, last / far, 0.0)))
    force = run.system.forces[k]
    what = f"the rate of state {force.use.state!r}" if force.use.state else f"force {force.owner!r}"
    sizes = " to ".join(f"{value:.3g}" for value in (far[k], last[k]))
    times = " to ".join(f"{share * (time - float(run.instants[0])):.3g}" for share in (BEFORE[0], BEFORE[-1]))
    return (
        f"{what} grows without limit there (from {sizes} in SI units, from {times} s before): its law has a pole. "
        "Tolerances and steps do not matter. Check the law, or end the run before."
    )


def escape_time(looks: Sequence[tuple[float, float]]) -> float:
    """Time at which a motion reaches infinity, from times and relative rates of growth; nan if the rate does not grow in that way.

    Where x' is a power of x, the inverse of the rate falls along a straight line that ends there.
    """
    points = [(t, 1.0 / r) for t, r in looks if 0.0 < r < math.inf]
    if len(points) < 3 or points[0][1] < QUICKENED * points[-1][1]:
        return math.nan
    first, middle, last = points[0], points[len(points) // 2], points[-1]
    ends = [b[0] + b[1] * (b[0] - a[0]) / (a[1] - b[1]) for a, b in ((first, middle), (middle, last)) if a[1] > b[1]]
    if len(ends) < 2 or not abs(ends[1] - ends[0]) <= STRAIGHT * (ends[1] - last[0]):
        return math.nan
    return ends[1]


def runaway_sentence(run: Simulation) -> str:
    """A sentence about the coordinate or the state that runs away; empty if none does."""
    with np.errstate(all="ignore"):
        return _of_coordinates(run) or _of_states(run)


def _of_coordinates(run: Simulation) -> str:
    speeds = np.abs(run.v / run.system.column_scales())
    fastest = float(np.where(np.isfinite(speeds), speeds, np.inf).max(initial=0.0))
    if not (fastest > FAR or run.pace.growing):
        return ""
    time = float(run.clock[0] - run.instants[0])
    now = growth_rate(run)
    if not run.pace.growing and not (math.isfinite(now) and now * max(time, 1e-300) > 1.0) and fastest < 1e100:
        return ""
    k = _fastest(run, speeds, now)
    column, unit = run.system.columns[k], run.system.column_units[k]
    place = f" = {run.q[run.system.coordinates.index(column)]:.3g} {unit}" if column in run.system.coordinates else ""
    text = f"the motion runs away: {column}{place} with a rate of {float(run.v[k]):.3g} {unit}/s"
    return text + _growing(run, now, run.pace.rates, run.pace.mean_rate) + REMEDY


def fastest_column(run: Simulation) -> tuple[str, str]:
    """The fastest column in scales, and its unit."""
    k = int(np.argmax(np.abs(run.v / run.system.column_scales())))
    return run.system.columns[k], run.system.column_units[k]


def _fastest(run: Simulation, speeds: Array, rate: float) -> int:
    """Of the columns that are about as fast as the fastest one, that which grows as all together do, and does not just turn."""
    if not np.isfinite(speeds).all() or not math.isfinite(rate):
        return int(np.argmax(np.where(np.isfinite(speeds), speeds, np.inf)))
    near = np.flatnonzero(speeds > NEAR * speeds.max())
    own = _state(run).accelerations[near] / run.v[near]
    off = np.abs(own - rate) / (np.abs(own) + abs(rate))
    return int(near[np.lexsort((-speeds[near], np.round(off, 1)))[0]])


def _of_states(run: Simulation) -> str:
    """A state of the user that has no bound."""
    places = run.system.state_places
    values = {name: float(run.y[run.inner_at + place]) for name, place in places.items()}
    for use in (force.use for force in run.system.forces if force.use.state in places):
        value, rate = values[use.state], _rate_of(use.law, values, float(run.clock[0]))
        known = math.isfinite(rate)
        if max(abs(value), abs(rate) if known else 0.0) < LOST * (use.scale or 1.0) or (known and value * rate < 0.0):
            continue
        text = f"the state {use.state!r} runs away: {value:.3g}"
        if not known or not value:
            return f"{text}. {REMEDY}"
        return f"{text} with a rate of {rate:.3g} 1/s{_growing(run, rate / value)}{REMEDY}"
    return ""


def _rate_of(law: object, values: Mapping[str, float], time: float) -> float:
    """Rate of a state by its formula where that has only states and the time in it, else nan."""
    from pytrammel.expressions.expression import Expression

    known = {**values, "t": time}
    if not isinstance(law, Expression) or not set(law.names) <= known.keys():
        return math.nan
    try:
        return float(law.evaluate(known))
    except (ArithmeticError, ValueError):
        return math.nan


def _growing(run: Simulation, rate: float, looks: Sequence[tuple[float, float]] = (), mean: float = 0.0) -> str:
    """How fast something grows, now and on the mean [1/s], and when it reaches infinity if it does."""
    time, clock = float(run.clock[0] - run.instants[0]), float(run.clock[0])
    end = escape_time(looks)
    if math.isfinite(rate) and rate * time * FINITE > 1.0:  # it is there but for rounding
        end = clock + 1.0 / rate
    if math.isfinite(end):
        digits = 6 if end <= clock else min(6, max(2, math.ceil(-math.log10((end - clock) / abs(end))) + 1))
        return f", which grows ever faster: it escapes to infinity in a finite time, near t = {end:.{digits}g} s. "
    steady = mean if mean > 0.0 else rate
    if not math.isfinite(steady) or steady <= 0.0:
        return ", beyond what numbers can follow. "
    return f", which grows by a factor of e within {1.0 / steady:.3g} s. "


def _state(run: Simulation) -> StateValues:
    from pytrammel.analysis.runs.pace import _state

    return _state(run, run.q, run.v)
