"""Dimensions of formulas: terms with units that measure something else than their place in a formula or an argument.

A number without a unit, a parameter without a unit, a state, a reaction and a table have an unknown dimension, and so has every product
with one of them. Only terms with a unit can be wrong: "10 deg + t" and "P.x + A.angle" have coefficients of 1 in SI.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import NamedTuple

from pytrammel import opcodes
from pytrammel._util.messages import short
from pytrammel.errors import ExpressionError, ModelError
from pytrammel.expressions.expression import Call, Expression, Name, Number, PiecewiseCall
from pytrammel.expressions.parser import Parser, Token
from pytrammel.expressions.piecewise import PiecewiseFunction
from pytrammel.expressions.rise_laws import LAWS
from pytrammel.units import BASE, Dimension, in_words, read_unit, unit_text

Powers = tuple[Fraction, ...]  # powers of m, kg, s and rad

MAY_HAVE_UNITS = re.compile(r"(?<![\w.])(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?\s*[A-Za-zµ°%]")
SMALLEST_ROOT = 100  # largest denominator of an exponent
LARGEST_EXPONENT = 100
_NUMBER: Powers = (Fraction(0),) * len(BASE)
_TIME: Powers = (Fraction(0), Fraction(0), Fraction(1), Fraction(0))
_OF_NUMBERS = frozenset(("sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "exp"))
_SIMILAR = frozenset(("+", "-", "min", "max", "mod"))  # functions that return what their arguments measure


class UnitName(Name):
    """A number with its unit, in the user's spelling."""

    __slots__ = ()


class UnitParser(Parser):
    """Parser that keeps units and every operation, without folding numbers."""

    def _number(self, token: Token, unit: str) -> Expression:
        return UnitName((f"{token.text} {unit}", unit), ()) if unit else Number((float(token.text),), ())

    def _apply(self, sign: Token, function: str, *arguments: Expression) -> Expression:
        return Call((function,), arguments)


class Measure(NamedTuple):
    """Dimension of a part of a formula.

    Attributes:
        powers: Powers of m, kg, s and rad; None where they are unknown.
        term: Term with a unit that determines them, if any.
        loose: Terms of measured quantities without units, and their dimensions.
    """

    powers: Powers | None
    term: Expression | None = None
    loose: tuple[tuple[Powers, Expression], ...] = ()


UNKNOWN = Measure(None)
TIME = Measure(_TIME)
MeasureOf = Callable[[Name], Measure]


def measure_stated(dimension: Dimension | None, node: Expression) -> Measure:
    """Measure of a name with a unit."""
    return UNKNOWN if dimension is None else Measure(tuple(map(Fraction, dimension)), node)


def measure_read(dimension: Dimension | None, node: Expression) -> Measure:
    """Measure of a measured quantity."""
    if dimension is None:
        return UNKNOWN
    powers = tuple(map(Fraction, dimension))
    return Measure(powers, None, ((powers, node),))


def unknown_names(node: Name) -> Measure:
    """Return UNKNOWN for every name."""
    return UNKNOWN


def check_needed(found: Measure, label: str, needed: Dimension | None) -> None:
    """Raise `ModelError` if a formula has a term with a unit that measures something else than it must.

    Args:
        found: Dimension of the formula.
        label: Owner of the formula in messages.
        needed: Dimension that the formula must have; None if any is possible.
    """
    if needed is None or found.powers is None or found.term is None:
        return
    required = tuple(map(Fraction, needed))
    if not _equal(found.powers, required):
        raise ModelError(
            f"{label}: the term {short(Quoted(found.term))} is {in_words(found.powers)}; it must be {in_words(needed)}. Check the units, "
            f"or multiply the term by a number in {_unit(required, found.powers)}."
        )


def measure_of(
    formula: str | Expression, measure_name: MeasureOf, tables: Mapping[str, PiecewiseFunction] | None = None
) -> Measure:
    """Dimension of a formula; UNKNOWN if its text cannot be read.

    Raises:
        ExpressionError: Terms with units of different dimensions are added or compared.
    """
    if isinstance(formula, str):
        try:
            formula = UnitParser(formula, tables or {}).parse()
        except ExpressionError:
            return UNKNOWN  # the reader of the formula explains the mistake
    results: dict[int, Measure] = {}
    for node in formula.nodes():
        parts = [results[id(child)] for child in node.children]
        results[id(node)] = _call(node, parts) if isinstance(node, Call) else _leaf(node, measure_name)
    return results[id(formula)]


def _leaf(node: Expression, measure_name: MeasureOf) -> Measure:
    if isinstance(node, UnitName):
        return measure_stated(read_unit(node.label[1])[1], node)
    if isinstance(node, Name):
        return TIME if node.name == "t" else measure_name(node)
    is_law = isinstance(node, PiecewiseCall) and node.function in LAWS.values()
    return Measure(_NUMBER) if is_law else UNKNOWN


def _call(node: Call, parts: list[Measure]) -> Measure:
    function = node.function
    if function in _SIMILAR:
        return _similar(parts)
    if function in ("*", "/"):
        return _product(node, parts, -1 if function == "/" else 1)
    if function in ("^", "sqrt"):
        return _power(node, parts[0])
    if function == "neg":
        return parts[0]
    if function == "abs":
        return _again(parts[0].powers, node, parts)
    if function == "if":
        return _similar(parts[1:])
    if function == "step" and len(parts) == opcodes.SMOOTH_STEP:
        _similar([parts[0], parts[1], parts[3]])
        return _similar([parts[2], parts[4]])
    if function == "atan2":
        _similar(parts)
    elif function in opcodes.COMPARISONS:
        _similar([_compared(part, child) for part, child in zip(parts, node.children, strict=True)])
    elif function in _OF_NUMBERS:
        _check_number(node, parts[0])
    elif function in ("floor", "log"):
        return UNKNOWN
    return Measure(_NUMBER)  # functions of numbers, conditions and signs


def _similar(parts: list[Measure]) -> Measure:
    """Measure of a sum, or of anything else whose parts measure the same."""
    determined = [part for part in parts if part.term is not None]
    loose = dict(pair for part in parts for pair in part.loose)
    if not determined:
        known = {part.powers for part in parts}
        return Measure(known.pop() if len(known) == 1 else None, None, tuple(loose.items()))
    first = determined[0]
    others = [(part.powers, part.term) for part in determined[1:]]
    for powers, term in [*others, *loose.items()]:
        if first.powers is not None and powers is not None and not _equal(powers, first.powers):
            raise ExpressionError(
                f"the terms {short(Quoted(first.term))}, {in_words(first.powers)}, and {short(Quoted(term))}, "
                f"{in_words(powers)}, cannot be added or compared. Check the units, or multiply the second term by a number in "
                f"{_unit(first.powers, powers)}."
            )
    return first


def _compared(part: Measure, node: Expression) -> Measure:
    """Measure of one side of a comparison, where t has no coefficient: "t < 3 mm" is wrong."""
    if part.powers is None or part.term is not None or part.loose or not any(part.powers):
        return part
    return part._replace(loose=((part.powers, node),))


def _product(node: Expression, parts: list[Measure], sign: int) -> Measure:
    a, b = parts
    if a.powers is None or b.powers is None:
        return UNKNOWN
    return _again(tuple(p + sign * q for p, q in zip(a.powers, b.powers, strict=True)), node, parts)


def _power(node: Call, base: Measure) -> Measure:
    exponent: float | None = 0.5 if node.function == "sqrt" else _constant(node.children[1])
    if base.powers is None or exponent is None or abs(exponent) > LARGEST_EXPONENT:
        return UNKNOWN
    exact = Fraction(exponent).limit_denominator(SMALLEST_ROOT)
    return _again(tuple(p * exact for p in base.powers), node, [base])


def _constant(node: Expression) -> float | None:
    if node.names:
        return None
    try:
        value = float(node.evaluate())
    except ArithmeticError:
        return None
    return value if math.isfinite(value) else None


def _again(powers: Powers | None, node: Expression, parts: list[Measure]) -> Measure:
    """Measure of a product of terms: a term with a unit if one of them has a unit."""
    if powers is None:
        return UNKNOWN
    if any(part.term is not None for part in parts):
        return Measure(powers, node)
    return Measure(powers, None, ((powers, node),) if any(part.loose for part in parts) else ())


def _check_number(node: Call, argument: Measure) -> None:
    """Raise `ModelError` if the argument of sin, exp, ... has a unit; a time may stand for itself, as in "sin(t - 1 s)"."""
    powers = argument.powers
    if argument.term is None or powers is None or _equal(powers, _NUMBER) or not (powers[0] or powers[1]):
        return
    raise ExpressionError(
        f"{short(Quoted(argument.term))} in {node.function}(...) is {in_words(powers)}; it must be a plain number or an angle. "
        f"Check the units, or multiply the term by a number in {_unit(_NUMBER, powers)}."
    )


def _equal(a: Powers, b: Powers) -> bool:
    """Return True if dimensions are equal; angles are plain numbers."""
    return a[:-1] == b[:-1]


def _unit(required: Powers, found: Powers) -> str:
    """Unit of a factor between two dimensions, without angles."""
    return unit_text((*(w - f for w, f in zip(required[:-1], found[:-1], strict=True)), Fraction(0)))


class Quoted:
    """A term whose repr is its text."""

    def __init__(self, term: Expression | None) -> None:
        self.term = term

    def __repr__(self) -> str:
        return f"'{self.term}'"
