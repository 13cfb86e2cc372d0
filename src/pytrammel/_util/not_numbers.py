"""Arithmetic and conversions that quantities, parts of models and formulas do not have: errors with the remedy."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NoReturn

from pytrammel._util.messages import short
from pytrammel.errors import ExpressionError

SIGNS = {
    "add": "+", "sub": "-", "mul": "*", "truediv": "/", "pow": "**", "floordiv": "//", "mod": "%", "matmul": "@",
    "lt": "<", "le": "<=", "gt": ">", "ge": ">=",
}  # fmt: skip
_ORDERS = ("lt", "le", "gt", "ge")
_SINGLE = ("neg", "pos", "abs")
_CONVERSIONS = ("float", "int", "complex", "round", "floor", "ceil", "trunc")
_WITHOUT_RULE = {
    "mod": "tm.functions.mod(x, period)",
    "floordiv": "tm.functions.floor(x/y)",
    "matmul": "*",
}  # operators that formulas have as functions


class OperandError(ExpressionError, TypeError):
    """An operand of an operator or function is of a kind that formulas do not have."""


class NotNumber:
    """A quantity or part of a model, which has no value before a run."""

    __slots__ = ()
    __array_ufunc__ = None

    def _title(self) -> str:
        """Name for messages."""
        return short(self)

    def _formula_remedy(self, sign: str) -> str:
        """Remedy for a message about an operator, or about a conversion to a number if there is none."""
        return "Use the name of a quantity that it measures in the text of a formula."


class Unconverted:
    """A formula, which has no value before a run."""

    __slots__ = ()

    def _title(self) -> str:
        """Name for messages."""
        return short(self)

    def _formula_remedy(self, sign: str) -> str:
        if sign in _WITHOUT_RULE.values():
            return f"Use {sign}."
        return "Use evaluate({'t': 0.5}) for its value, and functions of pytrammel or NumPy, such as tm.functions.sin, in formulas."


def operand(value: object, sign: str) -> OperandError:
    """Error about an operand that is not a formula or number."""
    return OperandError(
        f"{sign} of a formula and {short(value)}: an operand must be a formula or a number. Use tm.parse(...) for a text."
    )


def _refuse(sign: str, verb: str) -> Callable[..., Any]:
    def method(self: Any, *others: object) -> NoReturn:
        raise OperandError(f"{self._title()} is not a number and {verb}. {self._formula_remedy(sign)}")

    return method


def _give(cls: type, operators: tuple[str, ...], single: tuple[str, ...]) -> None:
    for name in operators:
        sides = ("",) if name in _ORDERS else ("", "r")
        sign = SIGNS[name] if cls is NotNumber else _WITHOUT_RULE[name]
        for side in sides:
            setattr(cls, f"__{side}{name}__", _refuse(sign, f"has no operator {SIGNS[name]}"))
    for name in (*single, *_CONVERSIONS):
        verb = "has no value before a run" if name in _CONVERSIONS else f"has no operator {name}"
        setattr(cls, f"__{name}__", _refuse("", verb))


if not TYPE_CHECKING:  # type checkers report such operands
    _give(NotNumber, tuple(SIGNS), _SINGLE)
    _give(Unconverted, tuple(_WITHOUT_RULE), ())
