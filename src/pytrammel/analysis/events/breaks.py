"""Times that a run knows beforehand: corners and jumps of all formulas of time."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pytrammel.errors import ModelError
from pytrammel.expressions.breakpoints import breakpoints, pulses
from pytrammel.expressions.expression import Expression
from pytrammel.model.base import Model
from pytrammel.model.quantities.quantity import Quantity

Array = NDArray[np.float64]
ULPS = 8  # a break is passed at this distance, so that formulas evaluated with rounding are on the right side of it
MERGED = 1e-13  # of the time: breaks that differ by rounding only are one
SAME = 1e-9  # relative size of a jump that is rounding


@dataclass(frozen=True)
class Breaks:
    """Breaks of a run in time.

    Attributes:
        table: Per break the last instant before it, the first after it [s], and 1 where velocities may jump; shape (k, 3).
        times: When each break is, the start itself if it is there to rounding [s]; shape (k,).
    """

    table: Array
    times: Array

    def start(self, time: float) -> float:
        """Where to begin: after a break that coincides with the start."""
        k = self.after(time)
        inside = k < len(self.table) and self.table[k, 0] <= time
        return float(self.table[k, 1]) if inside else time

    def told(self, clock: float) -> float:
        """What people call the time of a clock that has just passed a break: the time of that break."""
        k = self.after(clock) - 1
        return float(self.times[k]) if k >= 0 and self.table[k, 1] == clock else clock

    def after(self, clock: float) -> int:
        """Number of the first break that is not yet passed."""
        return int(np.searchsorted(self.table[:, 1], clock, side="right"))


def jump_sentence(what: str, size: str, time: float, unit: str = "") -> str:
    """Why a driver that jumps is refused."""
    growing = " An angle that goes round need not come back: let it grow." if unit == "rad" else ""
    return (
        f"{what} jumps {size} at t = {time:.6g} s, and no body can be in two places at once. Let it get there in a finite time, for "
        f"instance with rise(...) or a table, or push with a force instead.{growing}"
    )


def find_breaks(
    model: Model,
    start: float,
    end: float,
    watched: Iterable[tuple[str, Expression]] = (),
    more: Iterable[tuple[float, bool]] = (),
    short: Array | None = None,
) -> Breaks:
    """All breaks of a model's formulas, and of watched ones, from start to end [s].

    Args:
        watched: Names and formulas whose sign matters; the zeros of those that depend on t alone are breaks too.
        more: Other times, and whether the run must come back there.
        short: Times of short pulses; found here by default.
    """
    found: list[tuple[float, bool]] = [one for one in more if one[0] > start]
    short = pulses_of(model, start, end, watched := list(watched)) if short is None else short
    found += [(t, False) for t in short.tolist() if t > start]
    for what, goal, _ in _goals(model):
        times, before, after = _sides(goal, what, start, end)
        jumps = _jumps(goal, before, after) | _jumps(goal.derivative("t"), before, after)
        found += [(float(t), bool(k)) for t, k in zip(times, jumps, strict=True)]
    for what, formula, rigid in _formulas(model):
        found += [(float(t), rigid) for t in breakpoints(formula, start, end, what)]
    for name, formula in watched:
        found += [(float(t), False) for t in breakpoints(formula, start, end, name, zeros=formula.names == {"t"})]
    return merged_breaks(found, start, end)


def pulses_of(model: Model, start: float, end: float, watched: Iterable[tuple[str, Expression]] = ()) -> Array:
    """Times of short pulses of a model's formulas of time, and of watched ones, from start to end [s]."""
    formulas = [*(goal for _, goal, _ in _goals(model)), *(f for _, f, _ in _formulas(model)), *(f for _, f in watched)]
    return np.concatenate([np.zeros(0), *(pulses(formula, start, end) for formula in formulas)])


def merged_breaks(found: Iterable[tuple[float, bool]], start: float, end: float) -> Breaks:
    """Breaks at the given times, each with whether velocities may jump there; those that differ by rounding only are one."""
    margin = _margin(start, end)
    rows: list[list[float]] = []
    told: list[float] = []
    for t, impulsive in sorted(found):
        if rows and t - rows[-1][1] <= max(2.0 * margin, MERGED * abs(t)):
            rows[-1][1] = t + margin
            rows[-1][2] = max(rows[-1][2], float(impulsive))
        else:
            rows.append([t - margin, t + margin, float(impulsive)])
            told.append(start if abs(t - start) <= margin else t)
    return Breaks(np.array(rows).reshape(-1, 3), np.array(told))


def refuse_jumps(model: Model, start: float, end: float, prescribed: Mapping[str, Expression] | None = None) -> None:
    """Refuse drivers that jump from one position to another after the start.

    Args:
        prescribed: Motions of coordinates that take the place of the drivers.
    """
    if prescribed is None and model.phases:
        return  # the run notices whether the driver acts when it jumps
    goals = _goals(model) if prescribed is None else [(f"motion of {k!r}", f, _unit(k)) for k, f in prescribed.items()]
    for what, goal, unit in goals:
        sentence = _first_jump(what, goal, unit, start, end)
        if sentence:
            raise ModelError(sentence)


def jump_between(model: Model, low: float, high: float) -> str | None:
    """The sentence about the first driver that jumps between two times [s], if one does."""
    return next(filter(None, (_first_jump(*goal, low, high) for goal in _goals(model))), None)


def _first_jump(what: str, goal: Expression, unit: str, start: float, end: float) -> str | None:
    if not unit:
        return None
    times, before, after = _sides(goal, what, start, end)
    for k in np.flatnonzero(_jumps(goal, before, after) & (before >= start)):
        # a value that is rounding reads as zero
        low, high = (round(float(goal.evaluate({"t": t[k]})), 12) + 0.0 for t in (before, after))
        return jump_sentence(what, f"from {low:.6g} {unit} to {high:.6g} {unit}", float(times[k]), unit)
    return None


def _unit(coordinate: str) -> str:
    return "rad" if coordinate.endswith((".phi", ".angle")) else "m"


def _margin(start: float, end: float) -> float:
    return float(ULPS * np.spacing(max(abs(start), abs(end))))


def _sides(goal: Expression, what: str, start: float, end: float) -> tuple[Array, Array, Array]:
    """Breaks of one formula of time, and the times just before and after them."""
    times = breakpoints(goal, start, end, what)
    return times, times - _margin(start, end), times + _margin(start, end)


def _jumps(formula: Expression, before: Array, after: Array) -> NDArray[np.bool_]:
    """Where a formula of time jumps by more than rounding, or than a steep but continuous function goes meanwhile."""
    with np.errstate(all="ignore"):
        low, high = (np.asarray(formula.evaluate({"t": t})) + 0.0 * t for t in (before, after))
        slope = formula.derivative("t")
        steep = sum(np.abs(np.asarray(slope.evaluate({"t": t})) + 0.0 * t) for t in (before, after)) * (after - before)
        return np.asarray(np.abs(high - low) > SAME * np.maximum(np.abs(low), np.abs(high)) + 1e-12 + 2.0 * steep)


def _goals(model: Model) -> Iterator[tuple[str, Expression, str]]:
    """Targets that depend on time: whose, the formula, and its unit, none where only the rate counts."""
    for c in model.constraints.values():
        for block in c.blocks:
            for goal, unit in zip(block.targets, block.quantity.units, strict=False):
                if isinstance(goal, Expression) and "t" in goal.names:
                    yield f"{c.kind} {c.name!r}", goal, unit if block.quantity.has_value else ""


def _formulas(model: Model) -> Iterator[tuple[str, Expression, bool]]:
    """Other formulas that may depend on time: whose, the formula, and whether it restrains velocities."""
    for c in model.constraints.values():
        what = f"{c.kind} {c.name!r}"
        for block in c.blocks:
            for formula in _inside(block.quantity):
                yield what, formula, True
    for force in model.forces.values():
        what = f"{force.kind} {force.name!r}"
        for use in force.uses:
            if use.law is not None and "t" in use.inputs and use.inputs["t"].kind == "time":
                yield what, use.law, False
            for quantity in [use.along, *(given.quantity for given in use.inputs.values())]:
                for formula in _inside(quantity):
                    yield what, formula, False


def _inside(quantity: Quantity | None) -> Iterator[Expression]:
    if quantity is None:
        return
    if quantity.formula is not None:
        yield quantity.formula
    for inner in quantity.inputs.values():
        yield from _inside(inner)
