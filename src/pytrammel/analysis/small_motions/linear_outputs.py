"""Outputs of a linear model that results name: accelerations, reactions, efforts, forces of elements, energies, states.

Their rows are differences of the results of neighbouring states, accelerations and multipliers solved at each. Inputs act on them at
once through accelerations and multipliers, which follow from the linear equations of motion.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from pytrammel.analysis.at_states import AtStates
from pytrammel.analysis.small_motions.linear_signals import Inputs
from pytrammel.analysis.small_motions.reduced import Reduced
from pytrammel.errors import ModelError, RunWarning
from pytrammel.kernels import layout as L
from pytrammel.results.quantities import history_of
from pytrammel.results.result import Result
from pytrammel.system.positions import moved

Array = NDArray[np.float64]
STEPS = (
    1e-3,
    1e-4,
    1e-5,
    1e-6,
)  # of differences in scales of what varies; the one that agrees best with its half counts
SHRINKS = 0.1  # share of the difference of both sides that remains at the smallest step where there is a kink
ROUNDING = 1e-9  # such a difference, relative to values and loads, that is rounding


class ResultOutputs:
    """Outputs by the names of a result, at the state of a linear model.

    Args:
        found: Small motions about the state.
        names: Names of the outputs.
    """

    def __init__(self, found: Reduced, names: Sequence[str]) -> None:
        state = found.state
        self.found, self.names, self.warnings = found, tuple(names), list[RunWarning]()
        model = state.system.model
        for name in names:
            reason = history_of(model, name) or ("does not depend on the state" if name in ("t", "time") else "")
            if reason:
                raise ModelError(f"outputs: {name!r} cannot be linearised, because it {reason}.")
        P = found.terms.pattern
        self.order = [int(k) for k in P[int(P[L.P_AT_ROWS]) :][: int(P[L.P_ROWS])]]
        self.at = AtStates(model, state.system, state.floats, self.order, state.rows)
        self.y = self.at.vector(state.q, state.v, state.z)
        self.here = self._values(self.at.record(np.array([state.time]), self.y[None]))[0]
        self._refuse_works()

    def _values(self, result: Result) -> Array:
        return np.column_stack([values for values, _ in result._columns(list(self.names))])

    def _refuse_works(self) -> None:
        """Works are integrals over time, which no state determines."""
        # far more than the rounding of forces that are found by iteration
        more = 1.0 + float(np.abs(self.here[np.isfinite(self.here)]).max(initial=0.0))
        later = self.y.copy()
        later[self.at.ends[2] :] += more
        other = self._values(self.at.record(np.array([self.found.state.time]), later[None]))[0]
        for name, before, after in zip(self.names, self.here, other, strict=True):
            if not abs(after - before) <= 1e-3 * more:
                raise ModelError(
                    f"outputs: {name!r} cannot be linearised, because it is integrated along a run. Use the power."
                )

    # --- what states do ------------------------------------------------------------------------------------------------------

    def rows(self) -> Array:
        """C: slopes by the states (y, s, z), shape (outputs, states)."""
        found, state = self.found, self.found.state
        scales = state.system.column_scales()
        place = found.axes @ found.basis
        turned = found.axes @ found.drifting + place @ found.drift
        speed = place @ found.freedom
        none = np.zeros(scales.size)
        columns = [self._slope(place[:, k], turned[:, k], _size(place[:, k], scales)) for k in range(place.shape[1])]
        columns += [self._slope(none, speed[:, k], _size(speed[:, k], scales)) for k in range(speed.shape[1])]
        first = int(self.at.ends[1])
        columns += [self._slope_by_state(first + k) for k in range(state.z.size)]
        return np.array(columns).reshape(len(columns), len(self.names)).T

    def by_columns(self) -> Array:
        """Slopes by the position of every column, for outputs that depend on positions only."""
        scales = self.found.state.system.column_scales()
        none = np.zeros(scales.size)
        units = [np.eye(scales.size)[c] for c in range(scales.size)]
        return np.array([self._slope(unit, none, scales[c]) for c, unit in enumerate(units)]).T

    def _slope(self, place: Array, speed: Array, size: float) -> Array:
        """Slope along a motion of all columns and a change of their speeds."""
        state, (nq, nv) = self.found.state, self.at.ends[:2]

        def vector(h: float) -> Array:
            y = self.y.copy()
            y[:nq] = moved(state.system, state.q, h * size * place)
            y[nq:nv] += h * size * speed
            return y

        return self._differences(vector) / size

    def _slope_by_state(self, k: int) -> Array:
        size = max(1.0, abs(float(self.y[k])))
        unit = np.eye(self.y.size)[k]
        return self._differences(lambda h: self.y + h * size * unit) / size

    def _differences(self, vector: Callable[[float], Array]) -> Array:
        hs = np.array([side * h for step in STEPS for h in (step, 0.5 * step) for side in (1.0, -1.0)])
        states = np.array([vector(h) for h in hs])
        found = self._values(self.at.record(np.full(hs.size, self.found.state.time), states))
        return self._best(found.reshape(len(STEPS), 2, 2, -1))

    def _best(self, values: Array) -> Array:
        """Slopes from values at steps and their halves, ahead and behind, shape (steps, 2, 2, outputs)."""
        widths = np.array([[step, 0.5 * step] for step in STEPS])[:, :, None]
        slopes = (values[:, :, 0] - values[:, :, 1]) / (2.0 * widths)
        off = np.abs(slopes[:, 1] - slopes[:, 0])
        rounding = 4.0 * np.finfo(float).eps * np.abs(values).max(axis=(1, 2)) / widths[:, 1]
        best = np.nanargmin(np.where(np.isnan(off), np.inf, off + rounding), axis=0)
        every = np.arange(best.size)
        out = np.asarray((4.0 * slopes[best, 1, every] - slopes[best, 0, every]) / 3.0)
        self._look_for_kinks(values, widths)
        return out

    def _look_for_kinks(self, values: Array, widths: Array) -> None:
        """Warn of outputs whose slopes on both sides differ by an amount that does not shrink with the step."""
        bends = np.abs(values.sum(axis=2) - 2.0 * self.here).reshape(-1, len(self.names)) / (
            2.0 * widths.reshape(-1, 1)
        )
        least, rounding = bends.min(axis=0), ROUNDING * (self._size_of_loads + np.abs(self.here))
        known = {str(warning) for warning in self.warnings}
        for k in np.flatnonzero((least > SHRINKS * bends[0]) & (least > rounding)):
            text = (
                f"output {self.names[k]!r} has a kink here, where its slopes on both sides differ: its row is their mean. Use components "
                "instead of a magnitude, or another state."
            )
            if text not in known:
                self.warnings.append(RunWarning("kink", text, time=self.found.state.time))

    # --- what inputs do at once -----------------------------------------------------------------------------------------------

    def feedthrough(self, inputs: Inputs) -> Array:
        """D: what unit inputs do at once through accelerations and multipliers, shape (outputs, inputs).

        An input that is a force of the model changes its value, too.
        """
        forces = inputs.forces
        terms, n = self.found.terms, forces.shape[0]
        if not forces.size:
            return np.zeros((len(self.names), forces.shape[1]))
        m = len(self.order)
        scales = self.found.state.system.column_scales()
        J = terms.jacobian * scales
        whole = np.zeros((n + m, n + m))
        whole[:n, :n] = scales[:, None] * terms.mass * scales
        whole[:n, n:], whole[n:, :n] = -scales[:, None] * terms.reaction_columns, J
        given = np.vstack([scales[:, None] * forces, np.zeros((m, forces.shape[1]))])
        solved = np.linalg.lstsq(whole, given, rcond=None)[0]
        slopes = [
            self.by_loads(scales * x[:n], x[n:], self._element(name), forces[:, k])
            for k, (name, x) in enumerate(zip(inputs.names, solved.T, strict=True))
        ]
        self._refuse_friction()
        return np.array(slopes).reshape(forces.shape[1], len(self.names)).T

    def _element(self, name: str) -> int | None:
        """Number of the first element of a force of the model; None for other inputs."""
        own = (k for k, f in enumerate(self.found.state.system.forces) if f.owner == name and f.use.along is not None)
        return next(own, None)

    def by_loads(
        self, accelerations: Array, multipliers: Array, element: int | None = None, along: Array | None = None
    ) -> Array:
        """Slopes along changes of accelerations and multipliers at the state, and of one element's value."""
        step = self._size_of_loads / max(
            float(np.abs(accelerations).max(initial=0.0)), float(np.abs(multipliers).max(initial=0.0)), 1e-300
        )
        hs = np.array([side * h for base in STEPS for h in (base, 0.5 * base) for side in (1.0, -1.0)]) * step
        a = self.found.a + hs[:, None] * accelerations
        lam = self.found.lam + hs[:, None] * multipliers
        values = self._with(a, lam, self._outputs(hs, element, along)).reshape(len(STEPS), 2, 2, -1)
        return self._best(values) / step

    @property
    def _size_of_loads(self) -> float:
        both = (self.found.a, self.found.lam)
        return max(1.0, *(float(np.abs(part).max(initial=0.0)) for part in both))

    def _outputs(self, changes: Array, element: int | None = None, along: Array | None = None) -> Array:
        """Values and powers of all elements at the state, one of them changed."""
        here = self.at.record(np.array([self.found.state.time]), self.y[None]).dynamics
        assert here is not None
        out = np.repeat(here.outputs, changes.size, axis=0)
        if element is not None and along is not None:
            out[:, 2 * element] += changes
            out[:, 2 * element + 1] += changes * float(along @ self.found.state.v)
        return out

    def _with(self, a: Array, lam: Array, outputs: Array) -> Array:
        """Values with other accelerations, multipliers and forces of elements at the state."""
        times = np.full(len(a), self.found.state.time)
        Y = np.repeat(self.y[None], len(a), axis=0)
        here = self.at.record(times[:1], Y[:1]).dynamics
        assert here is not None
        energies = np.repeat(np.column_stack([here.kinetic, here.gravity]), len(a), axis=0)
        every = self.at.all_multipliers(times, Y, lam)
        return self._values(self.at.result(times, Y, np.ascontiguousarray(a), every, outputs, energies))

    def by_everything(self) -> Array:
        """Largest slope of each output by any acceleration or multiplier; zero for those that states determine alone."""
        n, m = self.found.a.size, self.found.lam.size
        slopes = [self.by_loads(np.eye(n)[c], np.zeros(m)) for c in range(n)]
        slopes += [self.by_loads(np.zeros(n), np.eye(m)[k]) for k in range(m)]
        return np.asarray(np.abs(np.array(slopes).reshape(n + m, len(self.names))).max(axis=0, initial=0.0))

    def _refuse_friction(self) -> None:
        """Forces that depend on reactions follow inputs at once, which the equations of motion count but element values do not."""
        forces = self.found.state.system.forces
        loads = [k for k, f in enumerate(forces) if any(given.kind == "reaction" for given in f.use.inputs.values())]
        if not loads:
            return
        own = self._outputs(np.zeros(1))
        a, lam = self.found.a[None], self.found.lam[None]
        before = self._with(a, lam, own.copy())[0]
        for k in loads:
            changed = own.copy()
            changed[:, 2 * k : 2 * k + 2] += 1.0
            for name, one, other in zip(self.names, before, self._with(a, lam, changed)[0], strict=True):
                if one != other:
                    raise ModelError(
                        f"outputs: {name!r} with inputs= is not supported, because force {forces[k].owner!r} depends on reactions, "
                        "which follow inputs at once. Use outputs without this force, or omit inputs=."
                    )


def _size(motion: Array, scales: Array) -> float:
    """Amount of a motion that moves the fastest column by its scale."""
    largest = float(np.abs(motion / scales).max(initial=0.0))
    return 1.0 / largest if largest > 0.0 else 1.0
