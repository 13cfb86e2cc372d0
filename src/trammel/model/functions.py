"""The functions of formulas, for use in Python: ``2 * pi * time + 0.1 * sin(3 * time)``.

Each takes expressions or numbers; numbers alone give a float, anything else an `Expression`.
"""

from __future__ import annotations

from typing import SupportsFloat, overload

from trammel import opcodes
from trammel.errors import ExpressionError
from trammel.model.expression import Expression, call, call_piecewise, number
from trammel.model.laws import LAWS


class Unary:
    """A function of one argument."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __repr__(self) -> str:
        return f"<trammel function {self.name}>"

    @overload
    def __call__(self, x: Expression) -> Expression: ...
    @overload
    def __call__(self, x: float) -> float: ...
    def __call__(self, x: Expression | float) -> Expression | float:
        _check_kind(self.name, x)
        argument = x if isinstance(x, Expression) else number(x)
        if self.name in LAWS:
            result = call_piecewise(LAWS[self.name], argument)
        else:
            result = call(self.name, argument)
        return result if isinstance(x, Expression) else _float(result)


class Binary:
    """A function of two arguments."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __repr__(self) -> str:
        return f"<trammel function {self.name}>"

    @overload
    def __call__(self, a: Expression, b: Expression | float) -> Expression: ...
    @overload
    def __call__(self, a: float, b: Expression) -> Expression: ...
    @overload
    def __call__(self, a: float, b: float) -> float: ...
    def __call__(self, a: Expression | float, b: Expression | float) -> Expression | float:
        _check_kind(self.name, a)
        _check_kind(self.name, b)
        result = call(self.name, a, b)
        return result if isinstance(a, Expression) or isinstance(b, Expression) else _float(result)


def _check_kind(name: str, argument: object) -> None:
    if isinstance(argument, str):
        raise ExpressionError(f"{name}() takes expressions and numbers, not the text {argument!r}; use parse().")
    if not isinstance(argument, (Expression, SupportsFloat)):
        kind = type(argument).__name__
        raise ExpressionError(f"{name}() takes expressions and numbers, not {kind} {argument!r}.")


def _float(result: Expression) -> float:
    value = result.constant
    assert value is not None  # functions of numbers are folded
    return value


sin = Unary("sin")
cos = Unary("cos")
tan = Unary("tan")
asin = Unary("asin")
acos = Unary("acos")
atan = Unary("atan")
sinh = Unary("sinh")
cosh = Unary("cosh")
tanh = Unary("tanh")
sqrt = Unary("sqrt")
exp = Unary("exp")
log = Unary("log")
abs = Unary("abs")
sign = Unary("sign")
step = Unary("step")
floor = Unary("floor")

atan2 = Binary("atan2")
"""atan2(y, x): angle of the point (x, y) [rad]."""
min = Binary("min")
max = Binary("max")
mod = Binary("mod")
"""mod(x, period): x less whole periods, between 0 and the period."""

# rise laws: 0 before u = 0, 1 after u = 1
uniform = Unary("uniform")
harmonic = Unary("harmonic")
cycloidal = Unary("cycloidal")
poly345 = Unary("poly345")
poly4567 = Unary("poly4567")
modified_sine = Unary("modified_sine")
modified_trapezoid = Unary("modified_trapezoid")

__all__ = sorted([*opcodes.FUNCTIONS, *opcodes.LAW_NAMES])
