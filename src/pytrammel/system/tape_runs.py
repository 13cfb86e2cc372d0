"""Tapes of traced numbers, evaluated for many values at once and differentiated.

The operations of a tape are written down as the text of a Python function, one line each, and compiled by Python. Called with arrays it
serves many variants at once; called with numbers, one. Sums, products and comparisons have the same bits either way; other functions are
those that the builders called, number by number, because NumPy's own sine has other last bits than that of `math`.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Sequence
from functools import cached_property
from itertools import repeat
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pytrammel._util.traced_numbers import Guard, Node, Place, Tape, larger, larger_number, larger_slopes

Array = NDArray[np.float64]
CHUNK = 2048  # variants at once: the numbers of a tape stay in the processor's cache
FEW = 8  # variants for which arrays do not pay
STEP = 6e-3  # of searches, relative, for differences of the sixth order
WEIGHTS = ((1, 45.0 / 60.0), (2, -9.0 / 60.0), (3, 1.0 / 60.0))
INFIX = {"+", "-", "*", "/"}
SIGNS = {"<", "<=", ">", ">=", "==", "!="}

_NUMPY_NAMES = (
    "sin", "cos", "tan", "sinh", "cosh", "tanh", "exp", "log", "arcsin", "arccos", "arctan", "power", "arctan2",
    "hypot",
)  # fmt: skip
ONE_BY_ONE: dict[str, Callable[..., float]] = {
    **{name: getattr(math, name) for name in (
        "sin", "cos", "tan", "asin", "acos", "atan", "exp", "log", "degrees", "radians", "atan2", "hypot")},
    **{f"np.{name}": getattr(np, name) for name in _NUMPY_NAMES},
    "**": operator.pow, "%": operator.mod,
    "dist": lambda *given: math.dist(given[: len(given) // 2], given[len(given) // 2 :]),
}  # fmt: skip
# these have the same bits for arrays as for numbers: an array's function, and a number's
EXACT: dict[str, tuple[Callable[..., Any], Callable[..., Any]]] = {
    "sqrt": (np.sqrt, math.sqrt), "abs": (np.abs, abs), "neg": (operator.neg, operator.neg),
    "rint": (np.rint, lambda x: float(round(x))), "floor": (np.floor, lambda x: float(math.floor(x))),
    **{f"np.{name}": (getattr(np, name), getattr(np, name)) for name in ("sqrt", "floor", "sign")},
    "max": (np.maximum, max), "min": (np.minimum, min), "larger": (larger, larger_number),
    "if": (lambda c, a, b: np.where(c != 0.0, a, b), lambda c, a, b: a if c != 0.0 else b),
    **{f"is{sign}": (lambda a, b, f=f: f(a, b) * 1.0, lambda a, b, f=f: float(f(a, b))) for sign, f in (
        ("<", operator.lt), ("<=", operator.le), (">", operator.gt), (">=", operator.ge), ("==", operator.eq), ("!=", operator.ne))},
}  # fmt: skip
STUMBLES = (ArithmeticError, ValueError, TypeError)


class TapeRun:
    """A tape that can be evaluated for other inputs.

    Args:
        tape: The tape.
        outputs: What is wanted: traced numbers by their places, and plain ones.
    """

    def __init__(self, tape: Tape, outputs: Sequence[Place | float]) -> None:
        self.tape = tape
        self.n_inputs = sum(node.operation == "input" for node in tape.nodes)
        self.constants = np.array([np.nan if isinstance(out, Place) else out for out in outputs])
        self.moving = [(k, out.at) for k, out in enumerate(outputs) if isinstance(out, Place)]
        self._needed = self._what_matters()

    @cached_property
    def _many(self) -> Callable[..., Any]:
        return self._compiled(many=True)

    @cached_property
    def _one(self) -> Callable[..., Any]:
        return self._compiled(many=False)

    def at(self, table: Array) -> tuple[Array, NDArray[np.bool_]]:
        """Outputs for each row of inputs, and whether all guards came out as they did when the tape was written.

        Args:
            table: Inputs, shape (N, n_inputs).
        """
        rows = np.empty((len(table), len(self.constants)))
        rows[:] = self.constants
        sound = np.ones(len(table), dtype=bool)
        with np.errstate(all="ignore"):
            if len(table) <= FEW:
                for k, row in enumerate(table.tolist()):
                    sound[k] = self._fill_one(rows[k], row)
            else:
                for first in range(0, len(table), CHUNK):
                    part = slice(first, min(first + CHUNK, len(table)))
                    sound[part] = self._fill_many(rows[part], np.ascontiguousarray(table[part].T))
        return rows, sound

    def _fill_one(self, out: Array, row: list[float]) -> bool:
        try:
            found = self._one(row)
        except STUMBLES:
            return False
        if found is None or not all(map(math.isfinite, found)):
            return False
        out[[k for k, _ in self.moving]] = found
        return True

    def _fill_many(self, out: Array, columns: Array) -> NDArray[np.bool_]:
        bad = ~np.isfinite(columns).all(axis=0)
        for (k, _), value in zip(self.moving, self._many(columns, bad), strict=True):
            out[:, k] = value
        places = [k for k, _ in self.moving]
        return np.asarray(~bad & np.isfinite(out[:, places]).all(axis=1))

    def derivatives(self, inputs: Array) -> Array | None:
        """Derivatives of the outputs at one set of inputs, shape (n_outputs, n_inputs); None where the tape does not hold."""
        with np.errstate(all="ignore"):
            try:
                if self._one(inputs.tolist()) is None:
                    return None
                slopes = self._forward(inputs.tolist())
            except STUMBLES:
                return None
        out = np.zeros((len(self.constants), self.n_inputs))
        for k, at in self.moving:
            out[k] = slopes[at]
        return out if np.isfinite(out).all() else None

    def _forward(self, inputs: list[float]) -> Array:
        slopes = np.zeros((len(self.tape.nodes), self.n_inputs))
        values: list[float] = [math.nan] * len(self.tape.nodes)
        given = iter(range(self.n_inputs))
        for k, node in enumerate(self.tape.nodes):
            if node.operation == "input":
                which = next(given)
                values[k], slopes[k, which] = inputs[which], 1.0
            elif k in self._needed:
                arguments = [values[a.at] if isinstance(a, Place) else a for a in node.arguments]
                values[k] = _value(node, arguments)
                for a, slope in zip(node.arguments, _slopes(node, arguments, values[k]), strict=True):
                    if isinstance(a, Place) and slope != 0.0:
                        slopes[k] += slope * slopes[a.at]
        return slopes

    def _what_matters(self) -> set[int]:
        """Nodes on which outputs and guards depend."""
        guarded = [p.at for g in self.tape.guards for p in (g.first, g.second) if isinstance(p, Place)]
        waiting = [at for _, at in self.moving] + guarded
        needed: set[int] = set()
        while waiting:
            at = waiting.pop()
            if at not in needed:
                needed.add(at)
                waiting += [a.at for a in self.tape.nodes[at].arguments if isinstance(a, Place)]
        return needed

    def _compiled(self, *, many: bool) -> Callable[..., Any]:
        names: dict[str, str] = {}
        scope: dict[str, Any] = {"inf": math.inf, "nan": math.nan, "isfinite": np.isfinite, "trunc": np.trunc}
        lines = ["def run(given, bad):" if many else "def run(given):"]
        inputs = 0
        for k, node in enumerate(self.tape.nodes):
            if node.operation == "input":
                lines.append(f"    v{k} = given[{inputs}]")
                inputs += 1
            elif k in self._needed:
                lines.append(f"    v{k} = {self._step(k, node, names, scope, many)}")
                if many and node.operation not in (*INFIX, *EXACT):
                    lines.append(f"    bad |= ~isfinite(v{k})")
                elif many and node.operation in ("sqrt", "np.sqrt"):
                    lines.append(f"    bad |= ~(v{k} >= 0.0)")
        for guard in self.tape.guards:
            holds = _condition(guard)
            if many:
                lines.append(f"    bad |= {'~' if guard.outcome else ''}({holds})")
            else:
                lines.append(f"    if {'not ' if guard.outcome else ''}({holds}): return None")
        lines.append(f"    return ({''.join(f'v{at}, ' for _, at in self.moving)})")
        exec("\n".join(lines), scope)  # our own text: places, signs and numbers
        return scope["run"]  # type: ignore[no-any-return]

    def _step(self, k: int, node: Node, names: dict[str, str], scope: dict[str, Any], many: bool) -> str:
        given = [_text(a) for a in node.arguments]
        if node.operation in INFIX:
            return f"{given[0]} {node.operation} {given[1]}"
        if node.operation == "search":
            scope[f"s{k}"] = _each(node.extra) if many else node.extra
            return f"s{k}({', '.join(given)})"
        if node.operation not in names:
            names[node.operation] = name = f"f{len(names)}"
            if node.operation in EXACT:
                scope[name] = EXACT[node.operation][0 if many else 1]
            else:
                scope[name] = _each(ONE_BY_ONE[node.operation]) if many else ONE_BY_ONE[node.operation]
        return f"{names[node.operation]}({', '.join(given)})"


def _text(argument: Place | float) -> str:
    return f"v{argument.at}" if isinstance(argument, Place) else f"({argument!r})"


def _condition(guard: Guard) -> str:
    a, b = _text(guard.first), _text(guard.second)
    if guard.comparison in SIGNS:
        return f"{a} {guard.comparison} {b}"
    return f"trunc({a}) == {a if guard.comparison == 'whole' else b}"  # a whole number, or this one with anything behind its point


def _each(function: Callable[..., Any]) -> Callable[..., Array]:
    """A function of numbers for arrays, number by number; NaN where it stumbles."""

    def careful(*given: float) -> float:
        try:
            value = function(*given)
        except STUMBLES:
            return math.nan
        return math.nan if isinstance(value, complex) else value

    def apply(*given: Any) -> Array:
        lists = [x.tolist() if isinstance(x, np.ndarray) else repeat(x) for x in given]
        try:
            return np.array(list(map(function, *lists)), dtype=float)
        except STUMBLES:
            lists = [x.tolist() if isinstance(x, np.ndarray) else repeat(x) for x in given]
            return np.array(list(map(careful, *lists)), dtype=float)

    return apply


def _value(node: Node, x: Sequence[float]) -> float:
    name = node.operation
    if name in INFIX:
        a, b = x
        return a + b if name == "+" else a - b if name == "-" else a * b if name == "*" else a / b
    if name == "search":
        return float(node.extra(*x))
    return float(EXACT[name][1](*x) if name in EXACT else ONE_BY_ONE[name](*x))


def _slopes(node: Node, x: Sequence[float], value: float) -> Sequence[float]:
    """Partial derivatives of a node; at a corner those of the side that was taken."""
    name = node.operation
    if name == "search":
        return [_difference(node.extra, x, k) if isinstance(a, Place) else 0.0 for k, a in enumerate(node.arguments)]
    if name.startswith("is"):
        return (0.0, 0.0)
    return _PARTIALS[name.removeprefix("np.")](value, *x)


def _difference(function: Callable[..., float], x: Sequence[float], k: int) -> float:
    step = STEP * (abs(x[k]) or 1.0)
    total = 0.0
    for ahead, weight in WEIGHTS:
        for sign in (1.0, -1.0):
            total += sign * weight * function(*x[:k], x[k] + sign * ahead * step, *x[k + 1 :])
    return total / step


def _power(v: float, a: float, b: float) -> tuple[float, float]:
    return (b * a ** (b - 1.0) if b else 0.0), (v * math.log(a) if a > 0.0 else 0.0)


def _length(v: float, *parts: float) -> tuple[float, ...]:
    return tuple(part / v if v else 0.0 for part in parts)


def _distance(v: float, *ends: float) -> tuple[float, ...]:
    half = len(ends) // 2
    share = [(p - q) / v if v else 0.0 for p, q in zip(ends[:half], ends[half:], strict=True)]
    return (*share, *(-part for part in share))


def _angle(v: float, y: float, x: float) -> tuple[float, float]:
    square = x * x + y * y
    return x / square, -y / square


def _nothing(v: float, *given: float) -> tuple[float, ...]:
    return (0.0,) * len(given)


_PARTIALS: dict[str, Callable[..., tuple[float, ...]]] = {
    "+": lambda v, a, b: (1.0, 1.0), "-": lambda v, a, b: (1.0, -1.0), "*": lambda v, a, b: (b, a),
    "/": lambda v, a, b: (1.0 / b, -v / b), "**": _power, "power": _power, "%": lambda v, a, b: (1.0, -math.floor(a / b)),
    "neg": lambda v, a: (-1.0,), "abs": lambda v, a: (math.copysign(1.0, a),),
    "rint": _nothing, "floor": _nothing, "sign": _nothing,
    "sin": lambda v, a: (math.cos(a),), "cos": lambda v, a: (-math.sin(a),), "tan": lambda v, a: (1.0 + v * v,),
    "asin": lambda v, a: (1.0 / math.sqrt(1.0 - a * a),), "acos": lambda v, a: (-1.0 / math.sqrt(1.0 - a * a),),
    "atan": lambda v, a: (1.0 / (1.0 + a * a),),
    "sinh": lambda v, a: (math.cosh(a),), "cosh": lambda v, a: (math.sinh(a),), "tanh": lambda v, a: (1.0 - v * v,),
    "sqrt": lambda v, a: (0.5 / v,), "exp": lambda v, a: (v,), "log": lambda v, a: (1.0 / a,),
    "degrees": lambda v, a: (180.0 / math.pi,), "radians": lambda v, a: (math.pi / 180.0,),
    "atan2": _angle, "hypot": _length, "dist": _distance,
    "max": lambda v, a, b: (1.0, 0.0) if a >= b else (0.0, 1.0), "min": lambda v, a, b: (1.0, 0.0) if a <= b else (0.0, 1.0),
    "larger": lambda v, a, b, size: larger_slopes(a, b, size),
    "if": lambda v, c, a, b: (0.0, 1.0, 0.0) if c != 0.0 else (0.0, 0.0, 1.0),
}  # fmt: skip
for _name, _real in (("arcsin", "asin"), ("arccos", "acos"), ("arctan", "atan"), ("arctan2", "atan2")):
    _PARTIALS[_name] = _PARTIALS[_real]
