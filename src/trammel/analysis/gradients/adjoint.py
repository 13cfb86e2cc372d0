"""Simulated motions backwards: one solution for any number of parameters.

For a sum of samples w h(y_k) the multipliers psi obey psi' = -f_y' psi and take w h_y on at every instant, from the last to the first; then

    d/dp = w h_p + psi(0) y_p(0) + integral of psi f_F F_p.

The states that the run recorded are the checkpoints: between two of them the motion is found again when it is needed, so that memory
does not grow with the steps.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from trammel.analysis.gradients.directions import CENTRAL, STEP, Direction, Variant
from trammel.errors import ConvergenceError, ModelError

if TYPE_CHECKING:
    from trammel.analysis.gradients.runs import OfRun

Array = NDArray[np.float64]
FOURTH = ((1, 2 / 3), (-1, -2 / 3), (2, -1 / 12), (-2, 1 / 12))
SMALL = 1e-3  # step of differences of the fourth order, in scales
STANDING = 1e-9  # share of the run by which an instant may move by rounding
REMEMBERS = 1e-6  # share by which moving all instants at once may differ from moving each


class Backwards:
    """Multipliers of a run's equations for one weighted sum, and the derivatives that follow from them."""

    def __init__(self, run: OfRun, weights: Array, scales: Array, rtol: float) -> None:
        self.run, self.weights, self.scales, self.rtol = run, weights, scales, rtol
        self.size = run.states.shape[1]
        turns = len(run.model.turns)
        counted = self.size - len(run.result.system.forces) - 1
        self.active = np.array([c for c in range(counted) if not run.nq - turns <= c < run.nq])

    def along(self, directions: Sequence[Direction]) -> list[float]:
        """Derivatives of the sum along directions."""
        run = self.run
        first = run.result.segments[0]
        data = run.result.dynamics
        assert data is not None
        if data.events or any(s.model is not first.model or s.floats is not first.floats for s in run.result.segments):
            raise ModelError("events change the run, which way='adjoint' cannot follow back; use way='direct'.")
        _, moving = run.breaks(directions)
        sizes = np.array([d.size for d in directions])
        if np.abs(moving * sizes).max(initial=0.0) > STANDING * float(np.ptp(run.times)):
            raise ModelError(
                "forces set in at instants that move with a parameter, which way='adjoint' cannot follow; use way='direct'."
            )
        start, numbers = run.begun(directions)
        psi, integrals = self._follow(numbers, sizes)
        out = []
        for k, direction in enumerate(directions):
            explicit = direction.slope(self._sum_of(run.states))[0]
            out.append(float(explicit + psi @ start[k] + integrals[k]))
        return out

    def _sum_of(self, states: Array) -> Callable[[Variant], Array]:
        return lambda variant: np.array([(self.weights * self.run.look(variant, states, self.run.times)).sum()])

    def _pulls(self) -> Array:
        """How the sum changes with each entry of the state at each instant, shape (n, size)."""
        run, here = self.run, Variant(0.0, self.run.model)
        out = np.zeros_like(run.states)
        for c in range(self.size):
            if run.nq - len(run.model.turns) <= c < run.nq:
                continue
            step = STEP * self.scales[c]
            way = np.zeros(self.size)
            way[c] = step
            for k, w in CENTRAL.sixth.items():
                out[:, c] += w / step * (self.weights * run.look(here, run.states + k * way, run.times)).sum(axis=0)
        way = (
            np.random.default_rng(2).uniform(-1.0, 1.0, run.states.shape)
            * self.scales
            * (np.abs(out).max(axis=0) > 0.0)
        )
        seen = sum(
            w / 1e-4 * (self.weights * run.look(here, run.states + k * 1e-4 * way, run.times)).sum()
            for k, w in CENTRAL.sixth.items()
        )
        if abs(seen - (out * way).sum()) > REMEMBERS * np.abs(out * way).sum():
            raise ModelError(
                f"one of the quantities {', '.join(map(repr, run.names))} depends on other instants than its own, which way='adjoint' "
                "cannot follow back; use way='direct'."
            )
        return out

    def _follow(self, numbers: Array, sizes: Array) -> tuple[Array, Array]:
        """Multipliers at the start, and the integrals along every direction."""
        from scipy.integrate import solve_ivp

        run, times, p = self.run, self.run.times, len(numbers)
        pulls = self._pulls()
        psi, integrals = pulls[-1].copy(), np.zeros(p)
        table, _ = run.breaks(())
        for k in range(times.size - 2, -1, -1):
            evaluation = run.evaluation_at(k + 1)
            inside = table[(table[:, 0] > times[k]) & (table[:, 1] < times[k + 1])]
            edges = [float(times[k]), *inside[:, :2].ravel(), float(times[k + 1])]
            paths, y = [], run.states[k]
            for begin, end in zip(edges[::2], edges[1::2], strict=True):
                path = solve_ivp(
                    lambda t, y: evaluation.rates(np.array([t]), y[None, :].copy(), evaluation.floats[None, :])[0],  # noqa: B023
                    (begin, end), y, "DOP853", dense_output=True, rtol=self.rtol, atol=0.1 * self.rtol * self.scales,
                )  # fmt: skip
                if not path.success:
                    raise ConvergenceError(
                        f"the motion cannot be followed again after t = {begin:.6g} s: {path.message}"
                    )
                paths.append((begin, end, path.sol))
                y = path.y[:, -1]
            for begin, end, between in reversed(paths):
                rates = _Rates(self, evaluation, numbers, sizes, between)
                largest = max(float(np.abs(psi * self.scales).max()), 1e-300)
                allowed = 0.1 * self.rtol * largest * np.concatenate([1.0 / self.scales, 1.0 / sizes])
                found = solve_ivp(
                    rates, (end, begin), np.concatenate([psi, integrals]), "DOP853", rtol=self.rtol, atol=allowed
                )
                if not found.success:
                    raise ConvergenceError(
                        f"the multipliers cannot be followed back from t = {end:.6g} s: {found.message}"
                    )
                psi, integrals = found.y[: self.size, -1], found.y[self.size :, -1]
            psi = psi + pulls[k]
        return psi, integrals


class _Rates:
    """Rates of multipliers and integrals, by differences of one evaluation along every entry of the state and every direction."""

    def __init__(
        self, whole: Backwards, evaluation: object, numbers: Array, sizes: Array, between: Callable[[float], Array]
    ) -> None:
        self.active, self.size, self.evaluation, self.between = whole.active, whole.size, evaluation, between
        base = whole.run.floats
        n, p = self.active.size, len(numbers)
        self.steps = np.concatenate([SMALL * whole.scales[self.active], SMALL * sizes])
        self.shift = np.zeros((4 * (n + p), self.size))
        self.floats = np.tile(base, (4 * (n + p), 1))
        for k, (ahead, _) in enumerate(FOURTH):
            for j, c in enumerate(self.active):
                self.shift[4 * j + k, c] = ahead * self.steps[j]
            self.floats[4 * n + k :: 4] = base + ahead * self.steps[n:, None] * numbers

    def __call__(self, t: float, whole: Array) -> Array:
        psi = whole[: self.size]
        states = self.between(t) + self.shift
        found = self.evaluation.rates(np.full(len(states), t), states, self.floats)  # type: ignore[attr-defined]
        slopes = sum(w * found[k::4] for k, (_, w) in enumerate(FOURTH)) / self.steps[:, None]
        pulled = slopes @ psi
        out = np.zeros_like(whole)
        out[self.active] = -pulled[: self.active.size]
        out[self.size :] = -pulled[self.active.size :]
        return out
