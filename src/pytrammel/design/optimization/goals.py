"""What a design should be: objectives and limits, formulas over results; smooth forms of them for methods that follow slopes."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pytrammel._util.messages import short
from pytrammel.design.analysis import VariantAnalysis
from pytrammel.errors import ExpressionError, ModelError
from pytrammel.expressions.expression import Call, Expression, Number
from pytrammel.model.base import Model
from pytrammel.results.formulas.reductions import Reduction
from pytrammel.results.formulas.series_functions import Reduced
from pytrammel.units import Dimension, Measured, read_measured

Array = NDArray[np.float64]
_SIGN = re.compile(r"<=|>=|==|<|>|=|≤|≥")
_SAME = {"<": "<=", ">": ">=", "=": "==", "≤": "<=", "≥": ">="}
UNIT = re.compile(r"\s*[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?\s*[A-Za-z°%µ].*")


@dataclass(frozen=True)
class Words:
    """What formulas over results may be made of.

    Attributes:
        model: Whose quantities and parameters they are.
        data: Given arrays by name.
        analysis: What is run; of rest it has one instant, and modes.
    """

    model: Model
    data: Mapping[str, Any] | None
    analysis: VariantAnalysis

    def read(self, formula: object) -> Reduction:
        """A formula as it is."""
        return Reduction.parse(formula, self.model, data=self.data, also=self.analysis.owners)


@dataclass(frozen=True)
class Limit:
    """Something that must hold.

    Attributes:
        text: As it was written.
        sign: "<=", ">=" or "==".
        left, right: Its sides, as they were written.
        parts: Formulas that must not be positive (or must be nil), each a number or a series that holds at every instant.
        unit: Of a side that is a number with a unit, what it measures; None without.
    """

    text: str
    sign: str
    left: Reduction
    right: Reduction
    parts: tuple[Reduction, ...]
    unit: Dimension | None = None

    @property
    def equal(self) -> bool:
        return self.sign == "=="


@dataclass(frozen=True)
class Objective:
    """What should be as small as possible.

    Attributes:
        text: As it was written.
        formula: Its value, as the user reads it.
        sign: -1 if it should be as large as possible.
        tops: Series whose largest sample it is; empty if it is no maximum.
        squared: Whether its square is smooth where it is nil: a root mean square.
    """

    text: str
    formula: Reduction
    sign: float = 1.0
    tops: tuple[Reduction, ...] = ()
    squared: bool = False

    @property
    def verb(self) -> str:
        return "minimum" if self.sign > 0 else "maximum"


def read_formula(words: Words, text: object, what: str) -> Reduction:
    """A formula over results, with the option that it was given by in sentences about it."""
    if isinstance(text, str) and not text.strip():
        raise ModelError(f"{what} has an empty formula; write one over results, such as 'max(P.x)'.")
    try:
        measured = _measured(text, what)
        return words.read(text if measured is None else measured.value)
    except ExpressionError as error:
        raise ExpressionError(f"{what}: {error}") from None
    except ModelError as error:
        raise ModelError(f"{what}: {error}") from None


def _measured(text: object, what: str) -> Measured | None:
    """A number with a unit; None for anything else."""
    return read_measured(text, what) if isinstance(text, str) and UNIT.fullmatch(text) else None


def read_number(words: Words, text: object, what: str) -> Reduction:
    """A formula that is one number, and can change."""
    formula = read_formula(words, text, what)
    if formula.is_series and words.analysis.at_rest:
        formula = replace(words.read(f"sum({text})"), text=formula.text)  # one instant only
    if formula.is_series:
        raise ModelError(
            f"{what}: {short(formula.text)} has a value at every instant; say what counts, as in {formula.text}[end]."
        )
    refuse_constant(formula, what)
    return formula


def refuse_constant(formula: Reduction, what: str) -> None:
    if not formula.quantities and not formula.parameters:
        raise ModelError(
            f"{what}: {short(formula.text)} is always the same; name a quantity of results or a parameter."
        )


def read_objective(words: Words, text: object, *, sign: float = 1.0) -> Objective:
    """What is to be as small as possible, or as large as possible (sign = -1)."""
    formula = read_number(words, text, "minimize" if sign > 0 else "maximize")
    top = formula.expression
    inner = _largest(top if sign > 0 else -top)
    tops = tuple(map(words.read, inner))
    squared = sign > 0 and isinstance(top, Reduced) and top.window is None and top.label[0] in ("rms", "deviation")
    return Objective(str(formula.text), formula, sign, tops, squared)


def read_limits(words: Words, text: object) -> list[Limit]:
    """A wish as limits: one, or two for "0.1 <= P.x <= 0.2"."""
    if not isinstance(text, str):
        raise ModelError(f"subject_to: a limit must be a text such as 'max(P.x) <= 0.3', but it is {short(text)}.")
    pieces, signs = _split(text)
    if not signs or len(signs) > 2:
        raise ModelError(
            f"subject_to: {short(text)} must compare two formulas by <=, >= or ==, as in 'max(P.x) <= 0.3' or '0.1 <= P.x <= 0.2'."
        )
    if any(not piece.strip() for piece in pieces):
        raise ModelError(f"subject_to: one side of {short(text)} is empty; write a formula or a number there.")
    sides = [read_formula(words, piece.strip(), "subject_to") for piece in pieces]
    units = [
        None if found is None else found.dimension for found in (_measured(p.strip(), "subject_to") for p in pieces)
    ]
    return [_limit(words, sides[k], signs[k], sides[k + 1], units[k] or units[k + 1]) for k in range(len(signs))]


def _limit(words: Words, left: Reduction, sign: str, right: Reduction, unit: Dimension | None) -> Limit:
    text = f"{left.text} {sign} {right.text}"
    if not any(side.quantities or side.parameters for side in (left, right)):
        raise ModelError(
            f"subject_to: both sides of {short(text)} are numbers; name a quantity of results or a parameter."
        )
    if sign == "==":
        wanted = [left.expression - right.expression]
    else:
        less, more = (left, right) if sign == "<=" else (right, left)
        whole = less.is_series or more.is_series
        low = [] if whole else _largest(less.expression)
        # all samples of one side only: not each with its own partner
        high = [] if whole or low else _smallest(more.expression)
        low, high = low or [less.expression], high or [more.expression]
        wanted = [a - b for a in low for b in high]
    return Limit(text, sign, left, right, tuple(map(words.read, wanted)), unit)


def _largest(top: Expression) -> list[Expression]:
    """Series whose largest sample a formula is: x of max(x), x and -x of max(abs(x)); none if it is something else."""
    if isinstance(top, Call) and top.function == "neg":
        return [-each for each in _smallest(top.children[0])]
    if not isinstance(top, Reduced) or top.label[0] != "max" or top.window is not None:
        return []
    inner = top.children[0]
    if isinstance(inner, Call) and inner.function == "abs":
        return [inner.children[0], -inner.children[0]]
    return [inner]


def _smallest(top: Expression) -> list[Expression]:
    """The series whose smallest sample a formula is."""
    whole = isinstance(top, Reduced) and top.window is None
    if whole and top.label[0] == "min" and not isinstance(top.children[0], Number):
        return [top.children[0]]
    return []


def _split(text: str) -> tuple[list[str], list[str]]:
    """Sides and signs of comparisons that stand outside of brackets."""
    pieces, signs, depth, last, k = [], [], 0, 0, 0
    while k < len(text):
        depth += (text[k] in "([") - (text[k] in ")]")
        match = _SIGN.match(text, k) if depth == 0 else None
        if match is None:
            k += 1
            continue
        pieces.append(text[last:k])
        signs.append(_SAME.get(match[0], match[0]))
        k = last = match.end()
    return [*pieces, text[last:]], signs
