"""Instants at which a formula has a corner or a jump because of time alone: known before any run.

A `step`, `abs`, `min`, `floor`, rise law or table whose argument depends on nothing but t passes from one branch to the next at
instants that can be computed. Between those of its own argument an argument is smooth, so its crossings are found without
sampling: directly where it is a straight line, otherwise by halving intervals until interval arithmetic shows that nothing, or
one monotone crossing, is left.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pytrammel import opcodes
from pytrammel.errors import ModelError
from pytrammel.expressions.expression import Call, Expression, Name, Number, PiecewiseCall, call
from pytrammel.expressions.intervals import bounds

Array = NDArray[np.float64]
Levels = Callable[[float, float], Array]
"""The values between two numbers at which an argument passes a corner."""

MOST = 200_000  # breakpoints of one formula
# looked at in the search for the corners of one function; then only changes of sign are looked for
MOST_INTERVALS = 100_000
NARROW = 1e-13  # of the span: a level that is only touched is not looked at more closely
PULSE_SAMPLES = 2001  # of a run, with which short pulses are looked for
PULSE_BEND = 4e-4  # second difference of samples, in ranges of the values, that a pulse exceeds
PULSE_STRAIGHT = 1e-6  # fraction of the largest second difference below which values are straight
PULSE_APART = 20  # samples in which the values are straight before and behind a pulse
PULSE_TURNS = 9  # extremes of a pulse up to which all are stopped at
PULSE_MOST = 300  # pulses of a formula; more are passed by steps that stay short anyway
FLAT = 1e-13  # of its size: an argument that varies less is constant


@dataclass(frozen=True)
class Corner:
    """An argument and the values of it at which a function has a corner.

    Attributes:
        argument: The argument.
        levels: The values between two numbers.
        listed: All values, where they can be listed.
        sharp: The function has a corner or jump there, not just a pole or an infinite slope.
    """

    argument: Expression
    levels: Levels
    listed: tuple[float, ...] = (0.0,)
    sharp: bool = True

    def zeros(self, most: int) -> list[Expression]:
        """Formulas that are zero at the corners; none if there are more than `most`."""
        if self.levels is _integers:
            return [call("sin", math.pi * self.argument)]
        return [self.argument - level for level in self.listed] if len(self.listed) <= most else []


def _zero(low: float, high: float) -> Array:
    return np.zeros(1) if low <= 0.0 <= high else np.zeros(0)


def _integers(low: float, high: float) -> Array:
    if not high - low < MOST:
        raise _TooMany
    return np.arange(math.ceil(low), math.floor(high) + 1, dtype=float)


class _TooMany(Exception):
    pass


def _power_corner(a: Expression, b: Expression) -> list[Corner]:
    whole = b.constant is not None and b.constant == math.floor(b.constant) and b.constant > 0.0
    return [] if whole else [Corner(a, _zero, sharp=False)]


CORNERS: dict[str, Callable[..., list[Corner]]] = {
    "abs": lambda a: [Corner(a, _zero)],
    "sign": lambda a: [Corner(a, _zero)],
    "step": lambda a: [Corner(a, _zero)],
    "min": lambda a, b: [] if a == b else [Corner(a - b, _zero)],
    "max": lambda a, b: [] if a == b else [Corner(a - b, _zero)],
    "floor": lambda a: [Corner(a, _integers)],
    "mod": lambda a, b: [Corner(a / b, _integers)],
    **dict.fromkeys(opcodes.COMPARISONS, lambda a, b: [Corner(a - b, _zero)]),
    # no corners by themselves, but where their slope is infinite, or at a pole or branch cut
    "sqrt": lambda a: [Corner(a, _zero, sharp=False)],
    "asin": lambda a: [Corner(a - 1.0, _zero, sharp=False), Corner(a + 1.0, _zero, sharp=False)],
    "acos": lambda a: [Corner(a - 1.0, _zero, sharp=False), Corner(a + 1.0, _zero, sharp=False)],
    "tan": lambda a: [Corner(a / math.pi - 0.5, _integers, sharp=False)],
    "atan2": lambda y, x: [Corner(y, _zero, sharp=False)],
    "/": lambda a, b: [Corner(b, _zero, sharp=False)],
    "^": _power_corner,
}


def corners_of(node: Expression) -> list[Corner]:
    """Arguments of a node that decide on which branch it is; none for smooth functions."""
    if isinstance(node, PiecewiseCall):
        pieces = node.function.pieces
        listed = () if pieces.outside == opcodes.OUTSIDE_PERIODIC else pieces.corners
        return [Corner(node.children[0], pieces.corners_between, listed)]
    if isinstance(node, Call) and node.function in CORNERS:
        return CORNERS[node.function](*node.children)
    return []


def breakpoints(formula: Expression, low: float, high: float, what: str = "a formula", *, zeros: bool = False) -> Array:
    """Instants from low to high [s] at which some part of a formula that depends on t alone has a corner or a jump, increasing.

    Args:
        formula: The formula; parts with other names are left out of account.
        low, high: Span of time [s].
        what: Whose formula it is, for the message that it has too many.
        zeros: Also the instants at which the formula itself passes zero.
    """
    if "t" not in formula.names:
        return np.zeros(0)
    try:
        return _Search(low, high).of(formula, zeros)
    except _TooMany:
        raise ModelError(
            f"{what}: the formula has more than {MOST} corners or jumps between t = {low:g} s and {high:g} s, and every one of them is "
            "an instant to stop at; shorten the run, or use a smooth formula."
        ) from None


def pulses(formula: Expression, low: float, high: float) -> Array:
    """Times of short pulses of the parts of a formula that depend on t alone: begin, extremes and end of each [s], increasing.

    A pulse bends between two parts of the span in which the formula is straight, such as ``exp(-((t - 0.7)/0.01)^2)``. Steps that grow
    while nothing happens would pass it. Oscillations have no straight parts; shapes as long as the span bend too little to count.
    """
    parts = _of_time_alone(formula)
    if not parts or not high > low:
        return np.zeros(0)
    times = np.linspace(low, high, PULSE_SAMPLES)
    with np.errstate(all="ignore"):
        found = [_pulses_between(times, np.asarray(part.evaluate({"t": times})) + 0.0 * times) for part in parts]
    return _merge(found, low, high)


def _of_time_alone(formula: Expression) -> list[Expression]:
    """The largest parts of a formula that depend on t, on no other name, and are not straight lines."""
    if "t" not in formula.names:
        return []
    if formula.names != {"t"}:
        return [part for child in formula.children for part in _of_time_alone(child)]
    return [] if _line(formula) is not None else [formula]


def _pulses_between(times: Array, values: Array) -> Array:
    """Times at which sampled values bend shortly, between stretches in which they are straight."""
    if not np.isfinite(values).all() or not np.ptp(values) > 0.0:
        return np.zeros(0)
    bends = np.zeros(times.size + 2, dtype=bool)
    bend = np.abs(np.diff(values, 2))
    if not bend.max() > PULSE_BEND * np.ptp(values):
        return np.zeros(0)
    bends[2:-2] = bend > PULSE_STRAIGHT * bend.max()  # oscillations are straight for no longer than their inflections
    edges = np.flatnonzero(np.diff(bends.astype(np.int8)))
    begins, ends = edges[0::2], edges[1::2] - 1  # samples of the first and the last bend
    apart = begins[1:] - ends[:-1] >= PULSE_APART
    begins, ends = begins[np.concatenate([[True], apart])], ends[np.concatenate([apart, [True]])]
    rising = np.sign(np.diff(values))
    found: list[float] = []
    for first, last in zip(begins.tolist(), ends.tolist(), strict=True):
        if first < PULSE_APART:
            continue  # the run starts in it
        turns = first + np.flatnonzero(rising[first:last] * rising[first - 1 : last - 1] < 0.0)
        if turns.size > PULSE_TURNS:
            turns = turns[[0, int(np.argmax(np.abs(values[turns] - values[first]))), -1]]
        found += times[[first - 1, *turns.tolist(), min(last + 1, times.size - 1)]].tolist()
    return np.array(found[: 3 * PULSE_MOST])


class _Search:
    def __init__(self, low: float, high: float) -> None:
        self.low, self.high = low, high
        self.loose = np.zeros(0)  # of parts that stand in formulas of more than t

    def of(self, formula: Expression, zeros: bool) -> Array:
        found: dict[int, Array | None] = {}  # per node its breakpoints, or None if it depends on more than t
        straight: dict[int, tuple[float, float] | None] = {}
        for node in formula.nodes():
            inner = [found[id(child)] for child in node.children]
            straight[id(node)] = _straight(node, [straight[id(child)] for child in node.children])
            own = [x for x in inner if x is not None]
            if isinstance(node, Name) and node.name != "t":
                found[id(node)] = None
                continue
            merged = _merge(own, self.low, self.high)
            timed = all(x is not None for x in inner)
            if timed and straight[id(node)] is None:
                for corner in corners_of(node):
                    merged = _merge([merged, self._crossings(corner, merged)], self.low, self.high)
            elif not timed:
                self.loose = _merge([self.loose, merged], self.low, self.high)
            found[id(node)] = merged if timed else None
        whole = found[id(formula)]
        if whole is None:
            return self.loose
        if zeros:
            whole = _merge([whole, self._crossings(Corner(formula, _zero), whole)], self.low, self.high)
        return whole

    def _crossings(self, corner: Corner, smooth_between: Array) -> Array:
        line = _line(corner.argument)
        if line is not None:
            slope, offset = line
            if slope == 0.0:
                return np.zeros(0)
            ends = sorted((slope * self.low + offset, slope * self.high + offset))
            room = 1e-12 * max(abs(e) for e in ends)
            levels = corner.levels(ends[0] - room, ends[1] + room)
            return _counted((levels - offset) / slope)
        edges = np.unique(np.concatenate([[self.low], smooth_between, [self.high]]))
        return self._halve(corner, edges[:-1], edges[1:])

    def _halve(self, corner: Corner, low: Array, high: Array) -> Array:
        """Crossings by halving intervals until each holds none or one."""
        g, rate = corner.argument, corner.argument.derivative("t")
        out = [np.zeros(0)]
        narrow = NARROW * max(abs(self.low), abs(self.high), self.high - self.low)
        looked_at, largest = 0, 0.0
        while low.size:
            looked_at += low.size
            if looked_at > MOST_INTERVALS:
                out.append(_monotone_crossings(corner, low, high, least=FLAT * largest))
                break
            middle = 0.5 * (low + high)
            g_low, g_middle, g_high = bounds(g, {"t": (low, middle, high)})
            r_low, _, r_high = bounds(rate, {"t": (low, middle, high)})
            # the mean value theorem is sharper where the formula names t more than once
            reach = 0.5 * (high - low) * np.maximum(np.abs(r_low), np.abs(r_high))
            g_low, g_high = np.fmax(g_low, g_middle - reach), np.fmin(g_high, g_middle + reach)
            size = np.maximum(np.abs(g_low), np.abs(g_high))
            largest = max(largest, float(size.max(initial=0.0, where=np.isfinite(size))))
            flat = ((r_low == 0.0) & (r_high == 0.0)) | (g_high - g_low <= FLAT * size)
            hit = ~flat & _any_level(corner.levels, g_low, g_high)
            monotone = hit & ((r_low > 0.0) | (r_high < 0.0))
            out.append(_monotone_crossings(corner, low[monotone], high[monotone]))
            touched = hit & ~monotone & (high - low <= narrow)
            out.append(middle[touched])
            split = hit & ~monotone & ~touched
            low, high = (
                np.concatenate([low[split], middle[split]]),
                np.concatenate([middle[split], high[split]]),
            )
        return _counted(np.concatenate(out))


def _any_level(levels: Levels, low: Array, high: Array) -> NDArray[np.bool_]:
    if levels is _integers:
        return np.asarray(np.floor(high) >= np.ceil(low))
    if levels is _zero:
        return np.asarray((low <= 0.0) & (high >= 0.0))
    unbounded = ~(np.isfinite(low) & np.isfinite(high))
    some = [bool(b > a and levels(a, b).size) for a, b in zip(low, high, strict=True)]
    return np.asarray(unbounded | np.array(some, dtype=bool))


def _monotone_crossings(corner: Corner, low: Array, high: Array, least: float = 0.0) -> Array:
    """One instant per interval and level passed in it, by bisection to the last bit; changes up to `least` are rounding."""
    if not low.size:
        return low
    inside = 1e-9 * (high - low)  # the ends may belong to the next branch of a part of the argument
    first, last = (np.asarray(corner.argument.evaluate({"t": t})) for t in (low + inside, high - inside))
    room = 1e-8 * np.abs(last - first)
    floor, top = np.minimum(first, last) - room, np.maximum(first, last) + room
    passed = [
        corner.levels(float(a), float(b)) if b - a > least else np.zeros(0) for a, b in zip(floor, top, strict=True)
    ]
    which = np.repeat(np.arange(low.size), [p.size for p in passed])
    levels = np.concatenate([np.zeros(0), *passed])
    sign = np.where(last > first, 1.0, -1.0)[which]
    a, b = low[which], high[which]
    for _ in range(64 if levels.size else 0):
        middle = 0.5 * (a + b)
        beyond = sign * (np.asarray(corner.argument.evaluate({"t": middle})) - levels) >= 0.0
        a, b = np.where(beyond, a, middle), np.where(beyond, middle, b)
    return b


def _counted(found: Array) -> Array:
    if found.size > MOST:
        raise _TooMany
    return found


def _merge(parts: Iterable[Array], low: float, high: float) -> Array:
    joined = np.concatenate([np.zeros(0), *parts])
    inside = joined[(joined >= low) & (joined <= high)]
    return _counted(np.unique(inside) if inside.size else inside)  # `unique` imports masked arrays, which takes time


def _line(formula: Expression) -> tuple[float, float] | None:
    found: dict[int, tuple[float, float] | None] = {}
    for node in formula.nodes():
        found[id(node)] = _straight(node, [found[id(child)] for child in node.children])
    return found[id(formula)]


def _straight(node: Expression, inner: list[tuple[float, float] | None]) -> tuple[float, float] | None:
    """Slope and offset of a node that is a straight line in t, else None."""
    if isinstance(node, Number):
        return 0.0, node.value
    if isinstance(node, Name):
        return (1.0, 0.0) if node.name == "t" else None
    if not isinstance(node, Call) or any(x is None for x in inner):
        return None
    (a, b), (c, d) = inner[0] or (0.0, 0.0), (inner[1] if len(inner) > 1 else None) or (0.0, 0.0)
    match node.function:
        case "+":
            return a + c, b + d
        case "-":
            return a - c, b - d
        case "neg":
            return -a, -b
        case "*" if c == 0.0:
            return a * d, b * d
        case "*" if a == 0.0:
            return c * b, d * b
        case "/" if c == 0.0:
            return a / d, b / d
    return None
