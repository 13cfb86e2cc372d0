"""Exact derivatives of the equations of motion against differences of the whole residual."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pytrammel.analysis.small_motions.linear_terms import left_over, linear_terms
from pytrammel.kernels import layout as L
from pytrammel.kernels.measures import measures_run
from pytrammel.system.lowering import lower
from pytrammel.system.pattern import pattern
from pytrammel.system.positions import moved
from pytrammel.testing.failures import require
from pytrammel.testing.samples import Type, moving_sample

Array = NDArray[np.float64]
# rounding of the differences: 1e-16 over their shortest useful step, times the largest terms
CLOSE = 1e-9


class State:
    """A random state of a model, on its constraints or not: the derivatives hold everywhere."""

    def __init__(self, model: Any, seed: int = 0, q: Array | None = None, v: Array | None = None) -> None:
        rng = np.random.default_rng(seed)
        self.system = system = lower(model, dynamics=True)
        n, self.t = system.n_columns, 0.3
        self.pattern = pattern(system, range(len(system.rows)))
        self.order = self.pattern[int(self.pattern[L.P_AT_ROWS]) :][: len(system.rows)]
        self.q = system.start.copy() if q is None else q
        self.v = rng.normal(size=n) if v is None else v
        self.a, self.lam = rng.normal(size=n), rng.normal(size=len(system.rows))
        self.z = 0.1 * rng.normal(size=int(system.ints[L.N_STATES]))

    def terms(self, **options: Any) -> Any:
        return linear_terms(self.system, self.pattern, self.t, self.q, self.v, self.a, self.lam, z=self.z, **options)

    def left(self, q: Any = None, v: Any = None, z: Any = None, lam: Any = None) -> Array:
        """Residual of the equations of motion and rates of inner states."""
        q, v, z, lam = (own if given is None else given for own, given in
                        zip((self.q, self.v, self.z, self.lam), (q, v, z, lam), strict=True))  # fmt: skip
        return np.concatenate(left_over(self.system, self.pattern, self.t, q, v, self.a, lam, z=z))

    def rows(self, q: Any = None, v: Any = None) -> Array:
        """J v and J a + quadratic term of all rows, in elimination order."""
        q, v, n = self.q if q is None else q, self.v if v is None else v, len(self.system.rows)
        values, rates, seconds = (np.zeros((1, n)) for _ in range(3))
        measures_run(self.system.ints, self.system.floats, np.array([self.t]), q.reshape(1, -1).copy(), v.reshape(1, -1).copy(),
                     self.a.reshape(1, -1).copy(), values, rates, seconds)  # fmt: skip
        return np.concatenate([rates[0, self.order], seconds[0, self.order]])

    def by_position(self, f: Callable[..., Any]) -> Array:
        scales = self.system.column_scales()
        steps = [s * e for s, e in zip(scales, np.eye(scales.size), strict=True)]
        columns = [slope(lambda h, e=e: f(q=moved(self.system, self.q, h * e))) / e.max() for e in steps]  # type: ignore[misc]
        return np.array(columns).T

    def by_velocity(self, f: Callable[..., Any]) -> Array:
        return np.array([slope(lambda h, e=e: f(v=self.v + h * e)) for e in np.eye(self.v.size)]).T  # type: ignore[misc]


def slope(f: Callable[[float], Any], longest: float = 1e-2, rows: int = 5) -> Any:
    """Central differences extrapolated; the column of the table that agrees best with its neighbours."""
    table: list[list[Any]] = []
    best, error = None, math.inf
    for k in range(rows):
        h = longest / 4.0**k
        row = [(f(h) - f(-h)) / (2.0 * h)]
        for j, older in enumerate(table[-1] if table else []):
            row.append(row[j] + (row[j] - older) / (16.0 ** (j + 1) - 1.0))
            off = max(np.abs(row[-1] - other).max(initial=0.0) for other in (row[j], older))
            if off <= error:
                best, error = row[-1], off
        table.append(row)
    return best


def off(found: Array, true: Array) -> float:
    """Largest difference relative to the largest entry, which counts as 1 at least."""
    return float(np.abs(found - true).max(initial=0.0) / max(1.0, np.abs(true).max(initial=0.0)))


def check_derivatives(kind: Type) -> None:
    """Compare stiffness, damping, derivatives of inner states and of rows with differences of the whole residual."""
    state = State(moving_sample(kind, 0)[0])
    terms, n, m = state.terms(accelerations=True), state.system.n_columns, len(state.system.rows)
    by_q, by_v = state.by_position(state.left), state.by_velocity(state.left)
    pairs = {
        "stiffness": (terms.stiffness, by_q[:n]), "damping": (terms.damping, by_v[:n]),
        "slope of the inner states by position": (terms.state_q, by_q[n:]),
        "slope of the inner states by velocity": (terms.state_v, by_v[n:]),
    }  # fmt: skip
    if state.z.size:
        by_z = np.array([slope(lambda h, e=e: state.left(z=state.z + h * e)) for e in np.eye(state.z.size)]).T  # type: ignore[misc]
        pairs["slope by the inner states"] = -terms.by_state, by_z[:n]
        pairs["slope of the inner states by themselves"] = terms.state_z, by_z[n:]
    if m:
        rows_q, rows_v = state.by_position(state.rows), state.by_velocity(state.rows)
        by_lam = np.array([slope(lambda h, e=e: state.left(lam=state.lam + h * e))[:n] for e in np.eye(m)]).T  # type: ignore[misc]
        pairs["slope of the rates of rows"] = terms.rate_rows, rows_q[:m]
        pairs["slope of the second rates of rows by position"] = terms.second_rows[0], rows_q[m:]
        pairs["slope of the second rates of rows by velocity"] = terms.second_rows[1], rows_v[m:]
        pairs["reaction"] = -terms.reaction_columns, by_lam
    for quantity, (exact, differences) in pairs.items():
        relative = off(exact, differences)
        require(
            relative < CLOSE, kind,
            f"{quantity} differs from the differences of the residual by {relative:.3g} of its size; the limit is {CLOSE:g}.",
        )  # fmt: skip
