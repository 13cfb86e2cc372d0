"""When a run meets an event, and how that time moves along directions: tau = -(g_y X + g_p) / g' where g(t, y, p) = 0.

g is the formula of an event, what a row in play has left before it lets go, or by how much something slides before it is caught.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from pytrammel.analysis.events.watching import Watched
from pytrammel.analysis.gradients.directions import CENTRAL, Variant
from pytrammel.errors import ModelError

if TYPE_CHECKING:
    from pytrammel.analysis.gradients.followed import FollowedRun

Array = NDArray[np.float64]
A_MOMENT = 1e-7  # of the time in which the motion gets anywhere: so far beside an event laws are on their side of it
GRAZING = 1e-6  # share of the fastest rate of an event's formula below which it is not passed, but touched
TOGETHER = 1e-6  # share of the run by which times of events at the same time may move apart
NEAR = 1e3  # of what counts as zero: another event so near comes at the same time
ROOM = 1e-6  # of the forces at work: what a row has left where it lets go
JUST = 1e-6  # of the speed that counts as standing: what is caught has just reached it
SHARE = 1e-3  # of scales: steps of differences of an event's formula

Formula = Callable[[Variant | None, int, float, Array], float]
"""Of a variant (None: the run itself) along a direction by its number, at an instant, in a state."""


@dataclass(frozen=True)
class Meeting:
    """An event or break as the motion meets it.

    Attributes:
        time, state, rates: When, in which state, and the rates of that before it.
        tau: How the time moves along each direction.
        value, rate: What is zero there and its rate; None where the time is known.
    """

    time: float
    state: Array
    rates: Array
    tau: Array
    value: Formula | None = None
    rate: float = 0.0


def met(run: FollowedRun, value: Formula, at: Meeting, X: Array, name: str) -> Meeting:
    """How the time moves at which a formula is zero, the changes of the state being X.

    Raises:
        ModelError: The formula is touched, not passed.
    """
    t, y = at.time, at.state
    step = SHARE * run.moment / A_MOMENT
    rate = sum(w * value(None, 0, t + k * step, y + k * step * at.rates) for k, w in CENTRAL.sixth.items()) / step
    fastest = 0.0
    for c in range(run.system.n_coordinates + run.system.n_columns):
        shift = np.zeros(y.size)
        shift[c] = SHARE * run.scales[c]
        fastest = max(fastest, abs(value(None, 0, t, y + shift) - value(None, 0, t, y - shift)) / (2.0 * SHARE))
    if not abs(rate) > GRAZING * run.speed * fastest:
        raise ModelError(
            f"{name!r} is only touched at t = {t:.6g} s: its formula is zero there and hardly changes, so that it happens or does not "
            "happen with the values that are varied, and there is no derivative beyond. End the run before, or change the values."
        )
    slopes = [
        d.slope(lambda variant, i=i: np.array([value(variant, i, t, y + variant.offset * X[i])]))[0]  # type: ignore[misc]
        for i, d in enumerate(run.directions)
    ]
    return replace(at, tau=-np.array(slopes) / rate, value=value, rate=rate)


def watched_formula(run: FollowedRun, index: int, watch: Watched) -> Formula:
    """What is zero at an event, by its number."""
    if watch.others is not None and index in watch.others.places:
        return run.formula_of_results(index, watch)
    numbers = watch.system.floats
    return lambda variant, i, t, y: float(
        run._values(t, y, numbers if variant is None else numbers + variant.offset * run.watched[i])[index]
    )


def refuse_together(run: FollowedRun, index: int, watch: Watched, meeting: Meeting, X: Array) -> None:
    """Two events at one time may come one after the other nearby, in either order."""
    values = np.abs(watch.values(meeting.time, meeting.state))
    for k in np.flatnonzero(values[: len(watch.events)] <= NEAR * watch.noise[: len(watch.events)]):
        if k == index:
            continue
        try:
            other = met(run, watched_formula(run, int(k), watch), meeting, X, watch.events[k].name)
        except ModelError:
            continue  # it stays at zero
        _refuse_apart(run, meeting, other, watch.events[index].name, watch.events[k].name)


def _refuse_apart(run: FollowedRun, one: Meeting, other: Meeting, *names: str) -> None:
    span = max(float(np.ptp(run.instants)), 1e-300)
    if np.abs((other.tau - one.tau) * run.reach).max(initial=0.0) > TOGETHER * span:
        raise run.apart(one.time, " and ".join(map(repr, names)))


# --- rows that come into play and let go -----------------------------------------------------------------------------------------


def changing(run: FollowedRun, on: frozenset[str], at: Meeting, X: Array) -> Meeting:
    """How the time moves at which a row lets go or something is caught, so that `on` hold then; it stays where bounces end that are
    too low to see."""
    holds = run.holds
    carried = holds._carried() if holds.on else None
    left = {} if carried is None else {n: x for n, x in carried.margins.items() if x < ROOM * carried.size}
    if not left and any(holds.rigid[name].rest not in holds.on for name in holds._closed()):
        return at
    caught = [] if left else [name for name in on - holds.on if abs(holds.haste(name)) < JUST]
    formulas = {name: _room(run, name) for name in sorted(left, key=lambda name: left[name])}
    formulas |= {name: _slip(run, name) for name in sorted(caught)}
    if not formulas:
        raise ModelError(
            f"at t = {at.time:.6g} s {', '.join(map(repr, sorted(on - holds.on)))} comes to hold what had stood before without being held, "
            "at an instant that does not move smoothly, so that there is no derivative beyond. End the run before, or change the values."
        )
    (first, meeting), *others = [(name, met(run, value, at, X, name)) for name, value in formulas.items()]
    for name, other in others:
        _refuse_apart(run, meeting, other, first, name)
    return meeting


def _room(run: FollowedRun, name: str) -> Formula:
    """What a row has left up to its limit."""
    return lambda variant, i, t, y: float(run._twin(variant, i, t, y).holds._carried().margins[name])


def _slip(run: FollowedRun, name: str) -> Formula:
    """By how much something slides faster than what counts as standing, in the direction in which it slides."""
    rows = run.holds._rows_of(name)
    rates = run.holds._measured()[1][rows]
    way = rates / np.linalg.norm(rates)

    def value(variant: Variant | None, i: int, t: float, y: Array) -> float:
        holds = run._twin(variant, i, t, y).holds
        return float(way @ holds._measured()[1][rows]) - holds.all[name].slow

    return value
