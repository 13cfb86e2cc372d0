"""Extrapolated midpoint steps (Gragg, Bulirsch and Stoer), for reference runs: one explicit Runge–Kutta method of high order."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from fractions import Fraction
from math import comb, factorial

import numpy as np

from pytrammel.analysis.methods import Array, Method, method
from pytrammel.analysis.methods.explicit import explicit

SUBSTEPS = (2, 4, 6, 8, 10, 12)  # of the rows; each adds two orders
CENTRED = (
    2,
    6,
    10,
    14,
    18,
    22,
)  # rows that have an odd substep in the middle, for the interpolant; the last three are for it alone
DERIVATIVES = 7  # in the middle of the step, that the interpolant meets

Weights = dict[int, Fraction]  # of the rates at stages, in a state y + h (sum of weights times rates)


def _sum(*terms: tuple[Fraction, Weights]) -> Weights:
    out: Weights = {}
    for factor, weights in terms:
        for stage, weight in weights.items():
            out[stage] = out.get(stage, Fraction(0)) + factor * weight
    return out


@dataclass
class _Rows:
    """Midpoint steps: rates at their beginnings, `first` on, and the states after them."""

    first: int
    stages: list[Weights] = field(default_factory=list)
    places: dict[int, list[int]] = field(default_factory=dict)
    states: dict[int, list[Weights]] = field(default_factory=dict)

    def add(self, n: int) -> None:
        """One row of n steps; the rates at the beginning of all are stage 0."""
        at, states = [0], [{}, {0: Fraction(1, n)}]
        for _ in range(n - 1):
            at.append(self.first + len(self.stages))
            self.stages.append(states[-1])
            states.append(_sum((Fraction(1), states[-2]), (Fraction(2, n), {at[-1]: Fraction(1)})))
        self.places[n], self.states[n] = at, states


def _to_zero(rows: dict[int, Weights]) -> Weights:
    """What rows lead to as 1/n² goes to zero."""
    terms = []
    for n, weights in rows.items():
        share = Fraction(1)
        for m in rows:
            if m != n:
                share *= Fraction(n * n, n * n - m * m)
        terms.append((share, weights))
    return _sum(*terms)


def _in_the_middle(rows: dict[int, tuple[list[int], list[Weights]]], order: int) -> Weights:
    """h^order times a derivative of the solution in the middle of the step, from differences of rates (Hairer and Ostermann)."""
    if order == 0:
        return _to_zero({n: states[n // 2] for n, (_, states) in rows.items()})
    found = {}
    for n, (at, _) in rows.items():
        if n // 2 >= order:  # differences reach so far to both sides; rates at the very end are not at hand
            found[n] = {
                at[n // 2 + order - 1 - 2 * i]: Fraction((-1) ** i * comb(order - 1, i)) * Fraction(n, 2) ** (order - 1)
                for i in range(order)
            }
    return _to_zero(found)


def _interpolant(middle: list[Weights], end: Weights, last: int) -> list[Weights]:
    """Coefficients of 1, x, x², … about the middle: derivatives there, states and rates at both ends; `last` are the rates at the end."""
    known = [_sum((Fraction(1, factorial(k)), weights)) for k, weights in enumerate(middle)]
    half = Fraction(1, 2)

    def missing(side: Fraction, slope: bool, wanted: Weights) -> Weights:
        terms = [(Fraction(1), wanted)]
        for k, weights in enumerate(known):
            if slope and k == 0:
                continue
            terms.append((-k * side ** (k - 1) if slope else -(side**k), weights))
        return _sum(*terms)

    ends = [missing(-half, False, {}), missing(half, False, end), missing(-half, True, {0: Fraction(1)})]
    ends.append(missing(half, True, {last: Fraction(1)}))
    n = len(known)  # even: of the four powers that are left, two are even and two odd
    out = list(known)
    for power, other in ((n, n + 2), (n + 1, n + 3)):
        sign = 1 if power % 2 == 0 else -1
        value = _sum((half, ends[1]), (sign * half, ends[0]))
        slope = _sum((half, ends[3]), (-sign * half, ends[2]))
        # a half^power + b half^other = value, and the slopes of these
        second = _sum((Fraction(1, 2), slope), (Fraction(-power), value))  # = b half^other (other - power)
        b = _sum((1 / (half**other * (other - power)), second))
        out.append(_sum((1 / half**power, value), (-(half ** (other - power)), b)))
        out.append(b)
    out[n + 1], out[n + 2] = out[n + 2], out[n + 1]
    return out


@method
def gbs12() -> Method:
    rows = _Rows(1)
    for n in SUBSTEPS:
        rows.add(n)
    ends = {n: rows.states[n][n] for n in SUBSTEPS}
    stages: list[Weights] = [{}, *rows.stages, *ends.values()]  # the first stands at the beginning
    count = len(stages)
    # the error of an end is a series in 1/n²; each row takes off one term
    best, next_best = _to_zero(ends), _to_zero({n: ends[n] for n in SUBSTEPS[1:]})
    # ends of an even number of midpoint steps do not depend on the rates where the step begins; Gragg's means of both sequences do
    means = {
        n: _sum(
            (Fraction(1, 2), ends[n]),
            (Fraction(1, 2), rows.states[n][n - 1]),
            (Fraction(1, 2 * n), {rows.first + len(rows.stages) + k: Fraction(1)}),
        )
        for k, n in enumerate(SUBSTEPS)
    }
    more = _Rows(count + 1)  # behind the rates at the end
    for n in CENTRED:
        if n not in SUBSTEPS:
            more.add(n)
    total = count + 1 + len(more.stages)
    places, states = {**rows.places, **more.places}, {**rows.states, **more.states}
    centred = {n: (places[n], states[n]) for n in CENTRED}
    middle = [_in_the_middle(centred, order) for order in range(DERIVATIVES + 1)]
    dense = _interpolant(middle, best, count)

    def row(weights: Weights, width: int = count) -> Array:
        return np.array([float(weights.get(k, 0)) for k in range(width)])

    def times(all_weights: list[Weights]) -> Array:
        return np.array([float(sum(weights.values())) for weights in all_weights])

    b = row(best)
    error = np.append(row(_sum((Fraction(1), _to_zero(means)), (Fraction(-1), next_best))), 0.0)
    about = "Midpoint steps extrapolated to order 12, for reference runs. Needs tight tolerances to pay."
    built = explicit(
        about, 12, np.array([row(weights) for weights in stages]), b, times(stages),
        np.array([row(weights, total) for weights in dense]).T.copy(), error=error,
        a_extra=np.array([row(weights, total) for weights in more.stages]), c_extra=times(more.stages), centre=0.5,
    )  # fmt: skip
    # its long steps land too close to singular positions, and none of their stages may lie where friction reverses
    return replace(built, control_order=11, passes=False, ends_at_layers=True)
