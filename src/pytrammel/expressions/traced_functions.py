"""Python functions of users as formulas: called once with names instead of numbers, and checked with numbers."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from pytrammel._util.messages import short
from pytrammel.errors import ModelError
from pytrammel.expressions.expression import Expression, as_expression, variable

PLACES = 5  # at which the formula is compared with the function
AGREED = 1e-9  # relative
STEP = 1e-30  # complex steps lose nothing to cancellation


def traced(function: Callable[..., Any], inputs: Sequence[str], what: str) -> Expression:
    """The formula that a function of its inputs is.

    Values at several places, and derivatives by complex step where the function takes complex numbers, must agree with the formula.

    Raises:
        ModelError: It branches by its values, calls something that knows no formulas, or is none.
    """
    if not inputs or len(set(inputs)) < len(inputs):
        raise ModelError(f"{what}: a Python function needs inputs=, the names of what it is called with, each once.")
    called = getattr(function, "__qualname__", short(function))
    try:
        made = as_expression(function(*(variable(name) for name in inputs)), what)
    except Exception as error:
        reason = str(error).rstrip(".") or type(error).__name__
        raise ModelError(
            f"{what}: the function {called} cannot be read as a formula ({reason}). It may use arithmetic, functions of NumPy or Trammel, "
            "and tm.functions.where(condition, a, b) instead of if."
        ) from error
    _check(function, made, inputs, f"{what}: the function {called}")
    return made


def _check(function: Callable[..., Any], made: Expression, inputs: Sequence[str], what: str) -> None:
    rng = np.random.default_rng(0)
    slopes = [made.derivative(name) for name in inputs]
    for _ in range(PLACES):
        at = rng.uniform(0.2, 0.9, len(inputs))
        values = dict(zip(inputs, map(float, at), strict=True))
        with np.errstate(all="ignore"):
            pairs = [(_number(function, at), made.evaluate(values))]
            for k, slope in enumerate(slopes):
                ahead = at.astype(complex)
                ahead[k] += 1j * STEP
                pairs.append((_number(function, ahead).imag / STEP, slope.evaluate(values)))
        for own, formula in pairs:
            if (
                math.isfinite(abs(own))
                and math.isfinite(abs(formula))
                and abs(own - formula) > AGREED * (1.0 + abs(formula))
            ):
                raise ModelError(
                    f"{what} gives {own:.6g} for numbers where the formula that was read from it ({short(str(made))}) gives {formula:.6g}; "
                    "it must not branch by its values. Use tm.functions.where(condition, a, b)."
                )


def _number(function: Callable[..., Any], at: Any) -> complex:
    """Value at numbers; not a number where the function cannot be called with them."""
    try:
        return complex(function(*(x.item() for x in at)))
    except Exception:
        return complex(math.nan)
