"""Extrapolated midpoint steps (Gragg, Bulirsch and Stoer), for reference runs: one explicit Runge–Kutta method of high order."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np

from trammel.analysis.methods import Method, method
from trammel.analysis.methods.explicit import explicit, hermite

SUBSTEPS = (2, 4, 6, 8, 10, 12)  # of the rows; each adds two orders

Weights = dict[int, Fraction]  # of the rates at stages, in a state y + h (sum of weights times rates)


def _sum(*terms: tuple[Fraction, Weights]) -> Weights:
    out: Weights = {}
    for factor, weights in terms:
        for stage, weight in weights.items():
            out[stage] = out.get(stage, Fraction(0)) + factor * weight
    return out


@method
def gbs12() -> Method:
    stages: list[Weights] = [{}]  # the first stands at the beginning
    ends: list[Weights] = []
    for n in SUBSTEPS:
        before: Weights = {}
        now: Weights = {0: Fraction(1, n)}
        for _ in range(n - 1):
            stages.append(now)
            before, now = now, _sum((Fraction(1), before), (Fraction(2, n), {len(stages) - 1: Fraction(1)}))
        ends.append(now)
    # the error of an end is a series in 1/n²: Aitken and Neville's scheme takes off one term after another
    columns = [ends]
    for k in range(1, len(SUBSTEPS)):
        column = []
        for j in range(k, len(SUBSTEPS)):
            ratio = Fraction(SUBSTEPS[j] ** 2, SUBSTEPS[j - k] ** 2) - 1
            better, worse = columns[-1][j - k + 1], columns[-1][j - k]
            column.append(_sum((1 + 1 / ratio, better), (-1 / ratio, worse)))
        columns.append(column)
    best, next_best = columns[-1][0], columns[-2][-1]
    count = len(stages)

    def row(weights: Weights) -> np.ndarray:
        return np.array([float(weights.get(k, 0)) for k in range(count)])

    a = np.array([row(weights) for weights in stages])
    c = np.array([float(sum(weights.values())) for weights in stages])
    b = row(best)
    error = np.append(row(_sum((Fraction(1), best), (Fraction(-1), next_best))), 0.0)
    about = "Midpoint steps extrapolated to order 12, for reference runs: steps end at output instants. Needs tight tolerances to pay."
    built = explicit(about, 12, a, b, c, hermite(b), error=error)
    return replace(built, control_order=11, lands=True)
