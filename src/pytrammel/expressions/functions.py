"""The functions of formulas, for use in Python: ``2 * pi * time + 0.1 * sin(3 * time)``.

Each takes expressions or numbers; numbers alone give a float, anything else an `Expression`.
"""

from __future__ import annotations

from inspect import Parameter, Signature
from typing import Any, SupportsFloat, overload

from pytrammel import opcodes
from pytrammel._util.checks import checked
from pytrammel._util.messages import number_of, short
from pytrammel._util.not_numbers import NotNumber, OperandError
from pytrammel.errors import ExpressionError
from pytrammel.expressions.expression import Expression, call, call_piecewise, number
from pytrammel.expressions.rise_laws import LAWS


def _signature(*keys: str) -> Signature:
    """Signature for `help` and editors; calls check their arguments themselves."""
    return Signature(
        [
            Parameter(key.lstrip("*"), Parameter.VAR_POSITIONAL if key[0] == "*" else Parameter.POSITIONAL_OR_KEYWORD)
            for key in keys
        ]
    )


class Unary:
    """A function of one argument."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.__signature__ = _signature("x", "*steps") if isinstance(self, Step) else _signature("x")

    def __repr__(self) -> str:
        return f"<pytrammel function {self.name}>"

    @overload
    def __call__(self, x: Expression) -> Expression: ...
    @overload
    def __call__(self, x: float) -> float: ...
    def __call__(self, *values: Any, **named: Any) -> Expression | float:
        (x,) = _operands(self.name, ("x",), values, named)
        argument = x if isinstance(x, Expression) else number(x)
        if self.name in LAWS:
            result = call_piecewise(LAWS[self.name], argument)
        else:
            result = call(self.name, argument)
        return result if isinstance(x, Expression) else _float(result)


class Step(Unary):
    """step(x) is 1 from x = 0 on; step(x, x0, h0, x1, h1) goes from h0 at x0 to h1 at x1 by a cubic and is constant outside."""

    def __call__(self, *given: Any, **named: Any) -> Any:
        if named or len(given) == 1:
            return super().__call__(*given, **named)
        if len(given) != opcodes.SMOOTH_STEP:
            raise ExpressionError(f"step() takes x, or x, x0, h0, x1, h1, but {len(given)} arguments are given.")
        for argument in given:
            _check_kind("step", argument)
        result = call("step", *given)
        return result if any(isinstance(argument, Expression) for argument in given) else _float(result)


class Binary:
    """A function of two arguments."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.__signature__ = _signature("a", "b")

    def __repr__(self) -> str:
        return f"<pytrammel function {self.name}>"

    @overload
    def __call__(self, a: Expression, b: Expression | float) -> Expression: ...
    @overload
    def __call__(self, a: float, b: Expression) -> Expression: ...
    @overload
    def __call__(self, a: float, b: float) -> float: ...
    def __call__(self, *values: Any, **named: Any) -> Expression | float:
        a, b = _operands(self.name, ("a", "b"), values, named)
        result = call(self.name, a, b)
        return result if isinstance(a, Expression) or isinstance(b, Expression) else _float(result)


def _operands(name: str, keys: tuple[str, ...], values: tuple[Any, ...], named: dict[str, Any]) -> list[Any]:
    """Arguments of a function in order."""
    given = dict(zip(keys, values, strict=False)) | named
    if len(values) + len(named) != len(keys) or given.keys() != set(keys):
        texts = [*map(short, values), *(f"{key}={short(value)}" for key, value in named.items())]
        raise OperandError(
            f"{name}() must have {number_of(len(keys), 'argument')} ({', '.join(keys)}), but it is {name}({', '.join(texts)}). "
            f"Use {name}({', '.join(keys)})."
        )
    for argument in given.values():
        _check_kind(name, argument)
    return [given[key] for key in keys]


def _check_kind(name: str, argument: object) -> None:
    if isinstance(argument, str):
        raise ExpressionError(f"{name}() takes expressions and numbers, not the text {argument!r}; use parse().")
    if isinstance(argument, NotNumber):
        raise OperandError(
            f"{name}() takes expressions and numbers, not {argument._title()}. {argument._formula_remedy('')}"
        )
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
step = Step("step")
floor = Unary("floor")

atan2 = Binary("atan2")
"""atan2(y, x): angle of the point (x, y) [rad]."""
min = Binary("min")
max = Binary("max")
mod = Binary("mod")
"""mod(x, period): x less whole periods, between 0 and the period."""


@checked("condition", "a", "b")
def where(condition: Expression | float, a: Expression | float, b: Expression | float) -> Expression | float:
    """a where the condition holds (is not zero), else b: ``where(time < 2, 5, 0)``; in texts ``if(t < 2, 5, 0)``."""
    for argument in (condition, a, b):
        _check_kind("where", argument)
    result = call("if", condition, a, b)
    return result if any(isinstance(x, Expression) for x in (condition, a, b)) else _float(result)


# rise laws: 0 before u = 0, 1 after u = 1
uniform = Unary("uniform")
poly23 = Unary("poly23")
harmonic = Unary("harmonic")
cycloidal = Unary("cycloidal")
poly345 = Unary("poly345")
poly4567 = Unary("poly4567")
modified_sine = Unary("modified_sine")
modified_trapezoid = Unary("modified_trapezoid")

__all__ = sorted({*opcodes.FUNCTIONS, *opcodes.LAW_NAMES, "where"} - {"if"})
