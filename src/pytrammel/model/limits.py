"""Bounds and tolerances of parameters: how they are said, checked and shown."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from pytrammel._util.checks import checked_number
from pytrammel._util.messages import apart, short, unlike
from pytrammel.errors import ExpressionError, ModelError
from pytrammel.expressions.expression import parse
from pytrammel.units import Dimension, in_words, read_measured

Bounds = tuple[float, float]
Tolerance = tuple[float, float]
EVERYTHING: Bounds = (-math.inf, math.inf)


class Stated(NamedTuple):
    """What was said about a parameter.

    Attributes:
        value: A number, a number with a unit, or a formula of other parameters.
        note: What it is for.
        bounds: The least and the greatest value, or None.
        tolerance: By how much it may differ, or None.
    """

    value: Any
    note: str = ""
    bounds: Any = None
    tolerance: Any = None


def kept_as(given: Any) -> Any:
    """A list as a tuple, so that nobody can change it afterwards."""
    if isinstance(given, np.ndarray):
        given = given.tolist()
    return tuple(given) if isinstance(given, list) else given


def read_bounds(given: Any, what: str, dimension: Dimension | None) -> Bounds:
    """The least and the greatest value that may be had; infinite where None was said.

    Args:
        given: Two numbers or numbers with units, either of them None; or None.
        what: Whose they are, as it should stand in an error message.
        dimension: What they must measure, where that is known.
    """
    if given is None:
        return EVERYTHING
    if not isinstance(given, tuple) or len(given) != 2:
        raise ModelError(f"bounds of {what} must be two numbers (least, greatest), but they are {short(given)}.")
    found = tuple(
        end if item is None else _number(item, f"the {which} bound of {what}", dimension, infinite=True)
        for item, end, which in zip(given, EVERYTHING, ("lower", "upper"), strict=True)
    )
    low, high = found
    if low == high:
        raise ModelError(f"bounds of {what} are both {low:g}; leave the parameter as a number if it must not change.")
    if not low < high:
        texts = unlike(low, high, digits=6)
        raise ModelError(
            f"bounds of {what} are the wrong way round: {texts[0]} and {texts[1]}; give the least value first."
        )
    return low, high


def read_tolerance(given: Any, value: float, what: str, dimension: Dimension | None) -> Tolerance | None:
    """By how much a value may be smaller and greater; one number stands for both, a percentage is one of the value."""
    if given is None:
        return None
    listed = given if isinstance(given, tuple) else (given, given)
    if len(listed) != 2:
        raise ModelError(f"tolerance of {what} must be a number or two (minus, plus), but it is {short(given)}.")
    minus, plus = (_margin(item, value, f"tolerance of {what}", dimension) for item in listed)
    if value == 0.0 and all(map(_is_share, listed)):
        return None  # a share of nothing: values may pass through 0
    if minus == plus == 0.0:
        raise ModelError(f"tolerance of {what} is 0; leave it out if the value is exact.")
    return minus, plus


def check_within(value: float, bounds: Bounds, what: str) -> None:
    """Refuse a value beyond its bounds."""
    low, high = bounds
    if not low <= value <= high:
        side, end = ("below its lower", low) if value < low else ("above its upper", high)
        shown, limit = apart(value, end)
        raise ModelError(f"{what} is {shown}, {side} bound {limit}; give a value within its bounds, or wider bounds.")


def shown_limits(bounds: Bounds, tolerance: Tolerance | None) -> tuple[str, str]:
    """Bounds and tolerance for tables, SI: "0.1 … 0.5", "± 0.001"; empty where there are none."""
    low, high = bounds
    span = ""
    if math.isfinite(low) or math.isfinite(high):
        span = (
            f"{low:.6g} … {high:.6g}"
            if math.isfinite(high - low)
            else f"≥ {low:.6g}"
            if low > -math.inf
            else f"≤ {high:.6g}"
        )
    if tolerance is None:
        return span, ""
    minus, plus = tolerance
    return span, f"± {plus:.6g}" if minus == plus else f"- {minus:.6g} + {plus:.6g}"


def _is_share(given: Any) -> bool:
    """Return True if a tolerance is a percentage of the value."""
    return isinstance(given, str) and given.rstrip().endswith("%")


def _margin(given: Any, value: float, what: str, dimension: Dimension | None) -> float:
    share = _is_share(given)
    number = _number(given, what, None if share else dimension)
    if number < 0.0:
        raise ModelError(
            f"{what} is {short(given)}; it must not be negative: a lower limit is (minus, plus), both as sizes."
        )
    return abs(value) * number if share else number


def _number(given: Any, what: str, dimension: Dimension | None, *, infinite: bool = False) -> float:
    if isinstance(given, str):
        measured = read_measured(given, what)
        if measured is not None:
            if dimension is not None and measured.dimension != dimension:
                raise ModelError(
                    f"{what} is {given!r}, {in_words(measured.dimension)}; it must be {in_words(dimension)}."
                )
            return measured.value
        try:
            constant = parse(given).constant
        except ExpressionError:
            constant = None
        if constant is None:
            raise ModelError(f"{what} must be a number, alone or with a unit, but it is {short(given)}.")
        return constant
    if infinite and isinstance(given, float) and math.isinf(given):
        return float(given)
    return checked_number(given, what)
