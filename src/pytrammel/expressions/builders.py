"""How operators and functions become nodes: what has no effect is dropped, signs move to the front, where sums absorb them."""

from __future__ import annotations

from collections.abc import Callable

from pytrammel import opcodes
from pytrammel._util import traced_numbers
from pytrammel.errors import ExpressionError
from pytrammel.expressions.expression import (
    ONE,
    ZERO,
    Call,
    Expression,
    Number,
    call,
    call_piecewise,
    number,
    plain_call,
)


def _opposite(a: Expression) -> Expression | None:
    """The expression -a when a visibly carries a minus sign, so that sums can be written as differences."""
    if isinstance(a, Number):
        return number(-a.value) if a.is_negative else None
    if isinstance(a, Call) and a.function == "neg":
        return a.children[0]
    if isinstance(a, Call) and a.function in "*/":
        left, right = a.children
        if isinstance(left, Number) and left.is_negative:
            return call(a.function, number(-left.value), right)
    return None


def _add(a: Expression, b: Expression) -> Expression:
    if a is ZERO:
        return b
    return _sum("+", "-", a, b)


def _subtract(a: Expression, b: Expression) -> Expression:
    if a is ZERO:
        return _negate(b)
    return _sum("-", "+", a, b)


def _sum(sign: str, other_sign: str, a: Expression, b: Expression) -> Expression:
    if b is ZERO:
        return a
    opposite = _opposite(b)
    return plain_call(sign, a, b) if opposite is None else plain_call(other_sign, a, opposite)


def _multiply(a: Expression, b: Expression) -> Expression:
    if a is ZERO or b is ZERO:
        return ZERO
    if a is ONE:
        return b
    if b is ONE:
        return a
    if _is_minus_one(a):
        return _negate(b)
    if _is_minus_one(b):
        return _negate(a)
    if isinstance(b, Number):  # numbers read best in front
        a, b = b, a
    return _signed_call("*", a, b)


def _divide(a: Expression, b: Expression) -> Expression:
    if b is ZERO:
        raise ExpressionError("Division by zero.")
    if a is ZERO:
        return ZERO
    if b is ONE:
        return a
    if _is_minus_one(b):
        return _negate(a)
    return _signed_call("/", a, b)


def _is_minus_one(a: Expression) -> bool:
    return isinstance(a, Number) and traced_numbers.always(a.value, -1.0)


def _signed_call(function: str, a: Expression, b: Expression) -> Expression:
    # minus signs move to the front, where sums can absorb them
    if isinstance(a, Call) and a.function == "neg":
        return _negate(call(function, a.children[0], b))
    if isinstance(b, Call) and b.function == "neg":
        return _negate(call(function, a, b.children[0]))
    return plain_call(function, a, b)


def _power(a: Expression, b: Expression) -> Expression:
    if b is ZERO:
        return ONE
    if b is ONE:
        return a
    return plain_call("^", a, b)


def _negate(a: Expression) -> Expression:
    if isinstance(a, Number):
        return number(-a.value)
    if isinstance(a, Call):
        if a.function == "neg":
            return a.children[0]
        if a.function in "*/" and isinstance(a.children[0], Number):
            return call(a.function, number(-a.children[0].value), a.children[1])
    return plain_call("neg", a)


def _truth(a: Expression) -> Expression:
    """A formula that is 0 or 1: comparisons as they are, anything else by whether it is zero."""
    if isinstance(a, Call) and (a.function in opcodes.COMPARISONS or a.function in opcodes.LOGIC):
        return a
    return a if a is ZERO or a is ONE else plain_call("!=", a, ZERO)


def _both(a: Expression, b: Expression) -> Expression:
    return plain_call("and", _truth(a), _truth(b))


def _either(a: Expression, b: Expression) -> Expression:
    return plain_call("or", _truth(a), _truth(b))


def _deny(a: Expression) -> Expression:
    return plain_call("not", _truth(a))


def _choose(condition: Expression, a: Expression, b: Expression) -> Expression:
    """a where the condition is not zero, else b."""
    condition = _truth(condition)
    if condition is ZERO or condition is ONE:
        return b if condition is ZERO else a
    return a if a == b else plain_call("if", condition, a, b)


def _step_function(x: Expression, *steps: Expression) -> Expression:
    """step(x), which is 1 from x = 0 on, or step(x, x0, h0, x1, h1): from h0 at x0 to h1 at x1 by a cubic, constant outside."""
    if not steps:
        return plain_call("step", x)
    from pytrammel.expressions.rise_laws import LAWS

    x0, h0, x1, h1 = steps
    if x0 == x1:
        raise ExpressionError(f"step(x, x0, h0, x1, h1) begins and ends at x0 = x1 = {x0}; give two places.")
    return h0 + (h1 - h0) * call_piecewise(LAWS["poly23"], (x - x0) / (x1 - x0))


# by the names of `pytrammel.opcodes`
BUILDERS: dict[str, Callable[..., Expression]] = {
    "+": _add, "-": _subtract, "*": _multiply, "/": _divide, "^": _power, "neg": _negate,
    "and": _both, "or": _either, "not": _deny, "if": _choose, "step": _step_function,
}  # fmt: skip
