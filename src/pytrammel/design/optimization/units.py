"""Units in limits: a number with a unit is compared with something that is measured in such units."""

from __future__ import annotations

from collections.abc import Mapping

from pytrammel._util.messages import short
from pytrammel.design.optimization.goals import Limit
from pytrammel.errors import ModelError
from pytrammel.expressions.expression import Call, Expression, Name
from pytrammel.model.parameters import Parameter
from pytrammel.results.formulas.series_functions import Reduced
from pytrammel.units import Dimension, in_words, read_unit

KEPT = (
    "max",
    "min",
    "range",
    "mean",
    "rms",
    "deviation",
    "start",
    "last",
    "sample",
    "at",
)  # functions over time that keep units
Measure = tuple[float, Dimension]  # factor to SI, and what is measured


def refuse_other_units(limit: Limit, units: Mapping[str, str], parameters: Mapping[str, Parameter]) -> None:
    """Refuse "range(P.x) >= 100 g", and "max(P.x[mm]) <= 100 mm", whose left side is in mm already."""
    if limit.unit is None:
        return
    for side in (limit.left, limit.right):
        found = _measure(side.expression, units, parameters)
        if found is None:
            continue
        factor, dimension = found
        if dimension != limit.unit:
            raise ModelError(
                f"subject_to: {short(limit.text)} compares {in_words(dimension)} with {in_words(limit.unit)}; give it in other units."
            )
        if factor != 1.0:
            raise ModelError(
                f"subject_to: {short(side.text)} is a plain number in its own unit; compare it with a number without a unit."
            )


def _measure(top: Expression, units: Mapping[str, str], parameters: Mapping[str, Parameter]) -> Measure | None:
    """What a formula measures, where that can be told."""
    if isinstance(top, Name):
        if top.name in units:
            try:
                return read_unit(units[top.name])
            except ModelError:
                return None  # no unit, such as that of slip
        known = parameters[top.name].dimension if top.name in parameters else None
        return None if known is None else (1.0, known)
    if isinstance(top, Reduced) and top.label[0] in KEPT:
        return _measure(top.children[0], units, parameters)
    if isinstance(top, Call) and top.function in ("neg", "abs", "+", "-"):
        found = {_measure(child, units, parameters) for child in top.children}
        return found.pop() if len(found) == 1 else None
    return None
