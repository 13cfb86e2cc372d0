"""Runge–Kutta methods from given coefficients: the second-order family, and any explicit tableau with its order found from rooted trees."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np

from pytrammel._util.checks import checked, checked_number, listed
from pytrammel._util.messages import short
from pytrammel.analysis.methods import Array, Method
from pytrammel.analysis.methods.explicit import explicit, hermite
from pytrammel.analysis.methods.multistep import fractions
from pytrammel.errors import ModelError

HIGHEST = 8  # highest order that is checked: 200 rooted trees
MET = 1e-11  # largest error of an order condition, relative to the sum of its absolute terms
SMALLEST, LARGEST = 1e-6, 1e6  # parameter of the second-order family

Tree = tuple[Any, ...]


@checked("a", "b", "embedded")
def runge_kutta(
    a: Sequence[Any], b: Sequence[Any], *, embedded: Sequence[Any] | None = None, name: str = "runge_kutta"
) -> Method:
    """Make an explicit Runge–Kutta method from its tableau, for ``method=``.

        k[i] = f(t + c[i] h, y + h (a[i][0] k[0] + … + a[i][i-1] k[i-1])),  y_new = y + h (b[0] k[0] + … + b[s-1] k[s-1])

        tm.methods.runge_kutta(a=[[], ["1/3"], [0, "2/3"]], b=["1/4", 0, "3/4"]).order  # 3: Heun's

    Args:
        a: Rows of the tableau; zeros at their ends may be omitted. Numbers, fractions or texts such as "2/3". The times c are the sums
            of the rows.
        b: Weights of the solution.
        embedded: Weights of a solution of another order. The difference controls the error; without it steps are fixed.
        name: Name in results.

    The order is found from the conditions of all rooted trees up to 8. Raises a `ModelError` for an implicit tableau or an order below 1.
    """
    if not isinstance(name, str):
        raise ModelError(f"name must be a text, but it is {short(name)}.")
    rows = [fractions(row, f"a[{k}]") if len(listed(row, f"a[{k}]")) else () for k, row in enumerate(listed(a, "a"))]
    weights = fractions(b, "b")
    second = None if embedded is None else fractions(embedded, "embedded")
    stages = len(weights)
    if len(rows) != stages:
        raise ModelError(
            f"Runge–Kutta method {name!r}: a has {len(rows)} rows and b {stages} weights; give one row per weight."
        )
    if second is not None and len(second) != stages:
        raise ModelError(
            f"Runge–Kutta method {name!r}: embedded has {len(second)} weights and b {stages}; give as many."
        )
    table = np.zeros((stages, stages))
    for i, row in enumerate(rows):
        if any(row[i:]):
            j = next(j for j in range(i, len(row)) if row[j])
            raise ModelError(
                f"Runge–Kutta method {name!r} is implicit: a[{i}][{j}] = {row[j]}; row {i} may have {i} entries. Use 'radau5', 'esdirk43' "
                "or 'trbdf2', or an explicit tableau."
            )
        table[i, : min(i, len(row))] = [float(x) for x in row[:i]]
    B = np.array([float(x) for x in weights])
    order = order_of(table, B)
    if order < 1:
        raise ModelError(
            f"Runge–Kutta method {name!r} is not consistent: the sum of b is {float(sum(weights, Fraction(0))):g}; it must be 1."
        )
    recipe = {"a": [[str(x) for x in row] for row in rows], "b": [str(x) for x in weights], "name": name}
    about = f"Given explicit Runge–Kutta method of {stages} stages and order {order}."
    times = table.sum(axis=1)
    if second is None:
        made = explicit(about, order, table, B, times, hermite(B))
        return replace(made, name=name, recipe=("runge_kutta", recipe))
    other = np.array([float(x) for x in second])
    lower = order_of(table, other)
    if np.array_equal(other, B) or lower < 1:
        why = (
            "it equals b"
            if np.array_equal(other, B)
            else f"the sum of its weights is {float(sum(second, Fraction(0))):g}, not 1"
        )
        raise ModelError(
            f"Runge–Kutta method {name!r}: embedded estimates no error, because {why}. Give weights of another order."
        )
    made = explicit(about, order, table, B, times, hermite(B), error=np.append(B - other, 0.0))
    recipe["embedded"] = [str(x) for x in second]
    return replace(made, name=name, control_order=min(order, lower) + 1, recipe=("runge_kutta", recipe))


@checked("a")
def rk2(a: float | str) -> Method:
    """Make a method of the second-order family (Nikravesh, eq. 12.14): y + h [(1 - a) f(y, t) + a f(y + h/(2a) f, t + h/(2a))].

    Args:
        a: Parameter, a number or a text such as "3/4", not 0: 1/2 is the modified trapezoid method, 1 the midpoint method, 3/4 Ralston's.
    """
    share = (
        fractions([a], "a")[0]
        if isinstance(a, str | Fraction)
        else Fraction(checked_number(a, "a")).limit_denominator(10**9)
    )
    if not SMALLEST <= abs(share) <= LARGEST:
        raise ModelError(
            f"a of rk2 is {short(a)}; its size must be from {SMALLEST:g} to {LARGEST:g}. Use 0.5, 0.75 or 1."
        )
    made = runge_kutta([[], [1 / (2 * share)]], [1 - share, share], name=f"rk2({float(share):g})")
    return replace(made, about=f"Second-order family with a = {share}, fixed steps.", recipe=("rk2", {"a": str(share)}))


def order_of(a: Array, b: Array) -> int:
    """Return the order of a tableau: the conditions of all rooted trees up to it are met."""
    for order in range(1, HIGHEST + 1):
        for tree in trees(order):
            stages, scale = _stages(tree, a), _stages(tree, np.abs(a))
            if not abs(b @ stages - 1.0 / _density(tree)) <= MET * max(1.0, float(np.abs(b) @ scale)):
                return order - 1
    return HIGHEST


@cache
def trees(order: int) -> tuple[Tree, ...]:
    """Rooted trees with a number of vertices, as sorted tuples of their branches."""
    if order == 1:
        return ((),)
    return tuple(dict.fromkeys(tuple(sorted(found)) for found in _forests(order - 1, order - 1)))


def _forests(vertices: int, largest: int) -> Iterator[Tree]:
    """Groups of trees with a number of vertices in all, none larger than a given size."""
    if vertices == 0:
        yield ()
        return
    for size in range(min(vertices, largest), 0, -1):
        for tree in trees(size):
            for rest in _forests(vertices - size, size):
                yield (tree, *rest)


@cache
def _vertices(tree: Tree) -> int:
    return 1 + sum(map(_vertices, tree))


@cache
def _density(tree: Tree) -> int:
    product = _vertices(tree)
    for branch in tree:
        product *= _density(branch)
    return product


def _stages(tree: Tree, a: Array) -> Array:
    """Elementary weight of a tree at every stage."""
    out = np.ones(len(a))
    for branch in tree:
        out = out * (a @ _stages(branch, a))
    return out
