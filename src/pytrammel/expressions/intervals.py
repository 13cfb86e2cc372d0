"""Between which values a formula stays while its names run through intervals: interval arithmetic on whole arrays of intervals.

A range is (low, middle, high): the bounds, and the value in the middle of the interval. Where a function has corners or jumps
(`floor`, `min`, a table), the bounds hold for intervals that contain none of its corners: the middle tells which branch acts.
Rounding is not directed outwards; who asks must leave room for it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

import numpy as np
from numpy.typing import NDArray

from pytrammel import opcodes
from pytrammel.expressions.derivatives import RULES
from pytrammel.expressions.expression import Call, Expression, Name, Number, PiecewiseCall

Array = NDArray[np.float64]
Range = tuple[Array, Array, Array]
Pair = tuple[Array, Array]


def bounds(formula: Expression, ranges: Mapping[str, Range]) -> Range:
    """Range of a formula for given ranges of its names."""
    found: dict[int, Range] = {}
    like = next(iter(ranges.values()))[1]
    with np.errstate(all="ignore"):
        for node in formula.nodes():
            found[id(node)] = _range(node, [found[id(child)] for child in node.children], ranges, like)
    return found[id(formula)]


def _range(node: Expression, inner: list[Range], ranges: Mapping[str, Range], like: Array) -> Range:
    if isinstance(node, Number):
        value = np.full_like(like, node.value)
        return value, value, value
    if isinstance(node, Name):
        return ranges[node.name]
    if isinstance(node, PiecewiseCall):
        middle = np.asarray(node.function.pieces.evaluate(inner[0][1], node.order), dtype=float)
        low, high = _piecewise(node, inner[0])
    else:
        assert isinstance(node, Call)
        middle = np.asarray(RULES[node.function].evaluate(*(x[1] for x in inner)), dtype=float) + 0.0 * like
        low, high = BOUNDS[node.function](*inner)
    lost = np.isnan(low) | np.isnan(high)
    return np.where(lost, -np.inf, np.minimum(low, middle)), middle, np.where(lost, np.inf, np.maximum(high, middle))


def _piecewise(node: PiecewiseCall, x: Range) -> Pair:
    """The piece that holds the middle, at the whole interval."""
    pieces = node.function.pieces
    at, h_middle, inside = pieces.locate(x[1])
    low, high = h_middle + (x[0] - x[1]), h_middle + (x[2] - x[1])
    rows = np.array(pieces.coefficients)
    total: Pair = (np.zeros_like(low), np.zeros_like(low))
    for power in range(pieces.degree, node.order - 1, -1):  # Horner's scheme
        factor = rows[at, power] * math.perm(power, node.order)
        a, b = _multiply((total[0], low, total[1]), (low, low, high))
        total = (a + factor, b + factor)
    if pieces.sines:
        amplitude, frequency, phase = np.array(pieces.sines).T
        turn = phase[at] + node.order * math.pi / 2
        size = amplitude[at] * frequency[at] ** node.order
        s0, s1 = _sin((frequency[at] * low + turn, low, frequency[at] * high + turn))
        total = (total[0] + np.minimum(size * s0, size * s1), total[1] + np.maximum(size * s0, size * s1))
    value = pieces.evaluate(x[1], node.order)
    slope = pieces.evaluate(x[1], node.order + 1)
    ends = (value + slope * (x[0] - x[1]), value + slope * (x[2] - x[1]))  # beyond the breaks it is straight
    return (
        np.where(inside, total[0], np.minimum(*ends)),
        np.where(inside, total[1], np.maximum(*ends)),
    )


def _monotone(function: Callable[[Array], Array]) -> Callable[[Range], Pair]:
    return lambda x: (function(x[0]), function(x[2]))


def _branch(function: str) -> Callable[..., Pair]:
    """Constant between its corners."""

    def value(*x: Range) -> Pair:
        middle = np.asarray(RULES[function].evaluate(*(r[1] for r in x)), dtype=float)
        return middle, middle

    return value


def _multiply(a: Range, b: Range) -> Pair:
    products = np.array([a[0] * b[0], a[0] * b[2], a[2] * b[0], a[2] * b[2]])
    return products.min(axis=0), products.max(axis=0)


def _divide(a: Range, b: Range) -> Pair:
    low, high = _multiply(a, (1.0 / b[2], b[1], 1.0 / b[0]))
    pole = (b[0] <= 0.0) & (b[2] >= 0.0)
    return np.where(pole, -np.inf, low), np.where(pole, np.inf, high)


def _sin(x: Range) -> Pair:
    ends = np.sin(x[0]), np.sin(x[2])
    up = np.floor((x[2] - math.pi / 2) / math.tau) >= np.ceil((x[0] - math.pi / 2) / math.tau)
    down = np.floor((x[2] + math.pi / 2) / math.tau) >= np.ceil((x[0] + math.pi / 2) / math.tau)
    return np.where(down, -1.0, np.minimum(*ends)), np.where(up, 1.0, np.maximum(*ends))


def _cos(x: Range) -> Pair:
    return _sin((x[0] + math.pi / 2, x[1], x[2] + math.pi / 2))


def _tan(x: Range) -> Pair:
    pole = np.floor((x[2] + math.pi / 2) / math.pi) != np.floor((x[0] + math.pi / 2) / math.pi)
    return np.where(pole, -np.inf, np.tan(x[0])), np.where(pole, np.inf, np.tan(x[2]))


def _even(x: Range, function: Callable[[Array], Array]) -> Pair:
    """A function that grows with the size of its argument."""
    nearest = np.where((x[0] <= 0.0) & (x[2] >= 0.0), 0.0, np.minimum(np.abs(x[0]), np.abs(x[2])))
    return function(nearest), function(np.maximum(np.abs(x[0]), np.abs(x[2])))


def _power(a: Range, b: Range) -> Pair:
    exponent = b[0]
    if not (np.all(b[0] == b[2]) and exponent.size and np.all(exponent == exponent.flat[0])):
        low, high = _multiply(b, (np.log(a[0]), a[1], np.log(a[2])))
        return np.exp(low), np.exp(high)
    p = float(exponent.flat[0])
    whole = p == math.floor(p)
    if p < 0.0:
        one = np.ones_like(a[1])
        low, high = _power(a, (-exponent, -exponent, -exponent))
        return _divide((one, one, one), (low, low, high))
    if whole and p % 2 == 0:
        return _even(a, lambda x: x**p)
    return np.where(whole | (a[0] >= 0.0), a[0], 0.0) ** p, a[2] ** p


def _by_sign(function: Callable[[Array], Array], outside: float) -> Callable[[Range], Pair]:
    """A growing function that is defined only in a part of the numbers: below, its least value."""
    return lambda x: (np.where(np.isnan(function(x[0])), outside, function(x[0])), function(x[2]))


BOUNDS: dict[str, Callable[..., Pair]] = {
    "+": lambda a, b: (a[0] + b[0], a[2] + b[2]),
    "-": lambda a, b: (a[0] - b[2], a[2] - b[0]),
    "*": _multiply,
    "/": _divide,
    "^": _power,
    "neg": lambda a: (-a[2], -a[0]),
    "sin": _sin,
    "cos": _cos,
    "tan": _tan,
    "asin": _by_sign(np.arcsin, -math.pi / 2),
    "acos": lambda x: (np.arccos(x[2]), np.where(np.isnan(np.arccos(x[0])), math.pi, np.arccos(x[0]))),
    "atan": _monotone(np.arctan),
    "atan2": lambda y, x: (np.full_like(y[1], -math.pi), np.full_like(y[1], math.pi)),
    "sinh": _monotone(np.sinh),
    "cosh": lambda x: _even(x, np.cosh),
    "tanh": _monotone(np.tanh),
    "sqrt": _by_sign(np.sqrt, 0.0),
    "exp": _monotone(np.exp),
    "log": _by_sign(np.log, -math.inf),
    "abs": lambda x: _even(x, lambda size: size),
    "sign": _branch("sign"),
    "min": lambda a, b: (np.minimum(a[0], b[0]), np.minimum(a[2], b[2])),
    "max": lambda a, b: (np.maximum(a[0], b[0]), np.maximum(a[2], b[2])),
    "mod": lambda a, b: _mod(a, b),
    "step": _branch("step"),
    "floor": _branch("floor"),
    "if": lambda c, a, b: (np.where(c[1] != 0.0, a[0], b[0]), np.where(c[1] != 0.0, a[2], b[2])),
    **{name: _branch(name) for name in (*opcodes.COMPARISONS, *opcodes.LOGIC)},
}


def _mod(a: Range, b: Range) -> Pair:
    """a - b floor(a/b), with the number of turns that the middle has."""
    turns = np.floor(a[1] / b[1])
    low, high = _multiply((turns, turns, turns), b)
    return a[0] - high, a[2] - low
