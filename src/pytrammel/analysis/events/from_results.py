"""Events on anything that a result has: reactions, accelerations, forces of elements, energies, states.

Compiled code evaluates formulas of measured quantities and their rates. Others take the accelerations and multipliers at the watched
state, and their names from the result of that state.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from pytrammel.analysis.at_states import AtStates
from pytrammel.errors import ModelError
from pytrammel.expressions.expression import Expression
from pytrammel.results.quantities import formula_values

if TYPE_CHECKING:
    from pytrammel.analysis.runs.simulation import Simulation
    from pytrammel.results.result import Result
    from pytrammel.system.lowering import System

Array = NDArray[np.float64]
EPS = float(np.finfo(float).eps)
BITS = 16  # of rounding in every coordinate and velocity
ROUNDINGS = 30.0  # changes by the last bits, times this, are not a crossing


class FromResults:
    """Formulas of a run that are evaluated through the result of a state.

    Args:
        run: The run in its present state; its rows and numbers are those of the piece that begins.
        formulas: Formulas by their number among all that is watched, with the user for messages.
    """

    def __init__(self, run: Simulation, formulas: Mapping[int, tuple[str, Expression]]) -> None:
        self.run, self.formulas = run, dict(formulas)
        self.places = tuple(self.formulas)
        self._at: AtStates | None = None
        self._made_for: tuple[object, ...] = ()
        self._noise: Array | None = None
        self._largest = 0.0  # accelerations and multipliers for which the noise was computed

    def watch_noise(self, noise: Array) -> None:
        """Raise the values that count as zero, in place, where accelerations and multipliers grow along the run."""
        self._noise = noise

    @property
    def at(self) -> AtStates:
        """States with the active equations now."""
        run = self.run
        now = (run.system, run.floats, run.active)
        if self._at is None or any(one is not other for one, other in zip(now, self._made_for, strict=True)):
            self._at = AtStates(run.model, run.system, run.floats, run.active, run.acting_rows)
            self._made_for = now
        return self._at

    def values(self, times: Array, Y: Array) -> Array:
        """Values at some states, shape (states, formulas)."""
        return self._of(self.at.record(times, Y))

    def _of(self, found: Result) -> Array:
        out = np.empty((len(found), len(self.formulas)))
        for k, (user, formula) in enumerate(self.formulas.values()):
            try:
                out[:, k] = formula_values(found, formula)
            except ModelError as error:
                raise ModelError(f"{user}: its formula has no value here: {error}") from None
        return out

    def value(self, time: float, y: Array) -> Array:
        """Values at one state, shape (formulas,)."""
        found = self.at.record(np.array([time]), y[None].copy())
        if self._noise is not None and (size := max(_sizes(found, self.at.system))) > 2.0 * self._largest:
            self._largest = size
            own = list(self.places)
            self._noise[own] = np.fmax(self._noise[own], ROUNDINGS * self.rounding(time, y))
        return np.asarray(self._of(found)[0])

    def rounding(self, time: float, y: Array) -> Array:
        """Change of each formula with the last bits of the state, of accelerations and of multipliers."""
        size = int(self.at.ends[2])
        x = np.concatenate([[time], y])
        nudge = BITS * EPS * np.maximum(np.abs(x[: 1 + size]), 1.0)
        nudged = np.repeat(x[None], 2 + size, axis=0)
        nudged[1:, : 1 + size] += np.diag(nudge)
        values = self.values(nudged[:, 0].copy(), nudged[:, 1:].copy())
        return np.asarray(np.nansum(np.abs(values[1:] - values[0]), axis=0)) + self._rounding_of_loads(time, y)

    def _rounding_of_loads(self, time: float, y: Array) -> Array:
        """Likewise with the last bits of the largest acceleration and multiplier: zeros are differences of such numbers."""
        at, system = self.at, self.at.system
        here = at.record(np.array([time]), y[None].copy())
        data = here.dynamics
        assert data is not None
        assert here.a is not None
        of_columns, of_rows = (BITS * EPS * size for size in _sizes(here, system))
        n, m = system.n_columns, len(system.rows)
        count = 1 + n + m
        a, multipliers, outputs, Y = (
            np.repeat(part, count, axis=0) for part in (here.a, data.multipliers, data.outputs, y[None])
        )
        a[1 : 1 + n] += np.diag(of_columns * system.column_scales())
        multipliers[1 + n :, at.acting] += of_rows * np.eye(m)[:, at.acting]
        energies = np.repeat(np.column_stack([data.kinetic, data.gravity]), count, axis=0)
        values = self._of(at.result(np.full(count, time), Y, a, multipliers, outputs, energies))
        return np.asarray(np.nansum(np.abs(values[1:] - values[0]), axis=0))


def _sizes(found: Result, system: System) -> tuple[float, float]:
    """Largest acceleration relative to the scale of its column, and largest multiplier, of one state."""
    assert found.a is not None
    assert found.dynamics is not None
    a = np.nan_to_num(np.abs(found.a[0] / system.column_scales()))
    return float(a.max(initial=0.0)), float(np.nan_to_num(np.abs(found.dynamics.multipliers[0])).max(initial=0.0))
