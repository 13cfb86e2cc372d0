"""What each operator and function of a formula is worth, and how it changes with each argument.

The partial derivatives are written with the operators of the expressions they are given, so this file needs to know
nothing about trees; functions are called through `_f`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from pytrammel.expressions.expression import Expression


class Rule(NamedTuple):
    """Value with NumPy and one partial derivative per argument."""

    evaluate: Callable[..., Any]
    partials: tuple[Callable[..., Any], ...] = ()
    whole: Callable[..., Any] | None = None
    """Derivative from the arguments and their derivatives, where partial derivatives would meet what is not chosen."""


def _f(name: str, *arguments: Any) -> Expression:
    from pytrammel.expressions.expression import call  # the tree imports this file

    return call(name, *arguments)


def _zero(*arguments: Any) -> float:
    return 0.0


def _squares(y: Any, x: Any) -> Any:
    return x**2 + y**2


def _power(a: Any, b: Any) -> Any:
    return np.power(a, b)


def _compared(a: Any, b: Any, holds: Callable[[Any], Any]) -> Any:
    """1 or 0 by the sign of a difference; what is not a number stays so."""
    difference = np.real(np.subtract(a, b))
    return np.where(np.isnan(difference), np.nan, np.where(holds(difference), 1.0, 0.0))


def _chosen(c: Any, a: Any, b: Any) -> Any:
    return np.where(np.isnan(c), np.nan, np.where(np.real(c) != 0.0, a, b))


# at corners the branch is the one that the kernels take: the first argument wins a tie, a step is up at zero
RULES: dict[str, Rule] = {
    "+": Rule(lambda a, b: a + b, (lambda a, b: 1.0, lambda a, b: 1.0)),
    "-": Rule(lambda a, b: a - b, (lambda a, b: 1.0, lambda a, b: -1.0)),
    "*": Rule(lambda a, b: a * b, (lambda a, b: b, lambda a, b: a)),
    "/": Rule(lambda a, b: a / b, (lambda a, b: 1 / b, lambda a, b: -a / b**2)),
    "^": Rule(_power, (lambda a, b: b * a ** (b - 1), lambda a, b: a**b * _f("log", a))),
    "neg": Rule(lambda a: -a, (lambda a: -1.0,)),
    "sin": Rule(np.sin, (lambda a: _f("cos", a),)),
    "cos": Rule(np.cos, (lambda a: -_f("sin", a),)),
    "tan": Rule(np.tan, (lambda a: 1 + _f("tan", a) ** 2,)),
    "asin": Rule(np.arcsin, (lambda a: 1 / _f("sqrt", 1 - a**2),)),
    "acos": Rule(np.arccos, (lambda a: -1 / _f("sqrt", 1 - a**2),)),
    "atan": Rule(np.arctan, (lambda a: 1 / (1 + a**2),)),
    "atan2": Rule(np.arctan2, (lambda y, x: x / _squares(y, x), lambda y, x: -y / _squares(y, x))),
    "sinh": Rule(np.sinh, (lambda a: _f("cosh", a),)),
    "cosh": Rule(np.cosh, (lambda a: _f("sinh", a),)),
    "tanh": Rule(np.tanh, (lambda a: 1 - _f("tanh", a) ** 2,)),
    "sqrt": Rule(np.sqrt, (lambda a: 0.5 / _f("sqrt", a),)),
    "exp": Rule(np.exp, (lambda a: _f("exp", a),)),
    "log": Rule(np.log, (lambda a: 1 / a,)),
    "abs": Rule(np.abs, (lambda a: _f("sign", a),)),
    "sign": Rule(np.sign, (_zero,)),
    "min": Rule(np.minimum, (lambda a, b: _f("step", b - a), lambda a, b: 1 - _f("step", b - a))),
    "max": Rule(np.maximum, (lambda a, b: _f("step", a - b), lambda a, b: 1 - _f("step", a - b))),
    "mod": Rule(lambda a, b: a - b * np.floor(a / b), (lambda a, b: 1.0, lambda a, b: -_f("floor", a / b))),
    "step": Rule(lambda a: np.where(a >= 0.0, 1.0, 0.0), (_zero,)),
    "floor": Rule(np.floor, (_zero,)),
    "if": Rule(_chosen, whole=lambda c, a, b, dc, da, db: _f("if", c, da, db)),
    "<": Rule(lambda a, b: _compared(a, b, lambda d: d < 0.0), (_zero, _zero)),
    "<=": Rule(lambda a, b: _compared(a, b, lambda d: d <= 0.0), (_zero, _zero)),
    ">": Rule(lambda a, b: _compared(a, b, lambda d: d > 0.0), (_zero, _zero)),
    ">=": Rule(lambda a, b: _compared(a, b, lambda d: d >= 0.0), (_zero, _zero)),
    "==": Rule(lambda a, b: _compared(a, b, lambda d: d == 0.0), (_zero, _zero)),
    "!=": Rule(lambda a, b: _compared(a, b, lambda d: d != 0.0), (_zero, _zero)),
    # of truth values, which are 0 or 1
    "and": Rule(lambda a, b: a * b, (_zero, _zero)),
    "or": Rule(lambda a, b: a + b - a * b, (_zero, _zero)),
    "not": Rule(lambda a: 1.0 - a, (_zero,)),
}
