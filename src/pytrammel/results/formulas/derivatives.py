"""Derivatives of formulas over series, node by node: forwards from what changes, backwards from the value."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import Any

import numpy as np

from pytrammel.expressions.derivatives import RULES
from pytrammel.expressions.expression import Call, Expression, Number, PiecewiseCall, as_expression, variable
from pytrammel.results.formulas.series_functions import Array, Reduced, sum_over_time, whole

MOVED = 1e-3  # of the shortest time between instants: differences of the fourth order as these move


def values_of(expression: Expression, values: Mapping[str, Any]) -> dict[int, Any]:
    """Value of every node."""
    known: dict[int, Any] = {}
    for node in expression.nodes():
        known[id(node)] = node._evaluate(values, [known[id(child)] for child in node.children])
    return known


@functools.lru_cache(maxsize=256)
def _partial(function: str, arity: int, place: int) -> Expression:
    """Derivative of a function with respect to one of its arguments, which are called x0, x1, …"""
    names = [variable(f"x{k}") for k in range(arity)]
    rule = RULES[function]
    if rule.whole is not None:
        return as_expression(rule.whole(*names, *(1.0 if k == place else 0.0 for k in range(arity))), function)
    return as_expression(rule.partials[place](*names), function)


def _slope(node: Expression, place: int, known: Mapping[int, Any]) -> Any:
    """How a node changes with one of its arguments."""
    arguments = [known[id(child)] for child in node.children]
    if isinstance(node, PiecewiseCall):
        return node.function.pieces.evaluate(arguments[0], node.order + 1)
    assert isinstance(node, Call)
    return _partial(node.function, len(arguments), place).evaluate({f"x{k}": x for k, x in enumerate(arguments)})


def forwards(
    node: Expression, known: Mapping[int, Any], slopes: Mapping[int, Any], times: Array, shift: Array | None = None
) -> Any:
    """How a node changes with its arguments, and with the instants where these move by `shift`."""
    if isinstance(node, Reduced):
        change = slopes[id(node.children[0])]
        series = whole(known[id(node.children[0])], times)
        later = 0.0 if shift is None or not shift.any() else _by_instants(node, series, times, shift)
        if np.ndim(change) == 0:
            return later
        return later + sum_over_time(whole(change, times) * node.function.weights(series, times, *node.given))
    total: Any = 0.0
    for place, child in enumerate(node.children):
        change = slopes[id(child)]
        if np.ndim(change):  # what does not change is the number 0, and its slope (a logarithm, say) is never asked for
            total = total + _slope(node, place, known) * change
    return total


def _by_instants(node: Reduced, series: Array, times: Array, shift: Array) -> Array:
    """How a function of a series changes when its instants move and its samples stay, shape (..., 1)."""
    if shift.ndim > 1:
        return np.stack([_by_instants(node, series, times, own) for own in shift])
    step = MOVED * float(np.diff(times).min(initial=np.inf)) / max(float(np.abs(shift).max()), 1e-300)
    values = {k: node.function.value(series, times + k * step * shift, *node.given) for k in (-2, -1, 1, 2)}
    return np.asarray((8.0 * (values[1] - values[-1]) - (values[2] - values[-2])) / (12.0 * step))


def backwards(node: Expression, known: Mapping[int, Any], pulls: dict[int, Any], times: Array) -> None:
    """Hand what pulls at a node on to its arguments."""
    pull = pulls[id(node)]
    if isinstance(node, Reduced):
        series = whole(known[id(node.children[0])], times)
        _add(pulls, node.children[0], known, pull * node.function.weights(series, times, *node.given))
        return
    for place, child in enumerate(node.children):
        if not isinstance(child, Number):
            _add(pulls, child, known, pull * _slope(node, place, known))


def _add(pulls: dict[int, Any], child: Expression, known: Mapping[int, Any], pull: Any) -> None:
    """Add to what pulls at an argument; one number for the whole series collects what all samples pull."""
    if np.shape(known[id(child)])[-1:] == (1,) and np.ndim(pull):
        pull = sum_over_time(np.asarray(pull))
    pulls[id(child)] = pulls[id(child)] + pull
