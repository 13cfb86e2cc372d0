"""Any quantity of a result at given states: the names of results, for states that no run has recorded."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from pytrammel.analysis.events.holds import report_held
from pytrammel.analysis.freedom.sharing import smallest_multipliers
from pytrammel.analysis.runs.engine import Cartesian, Table
from pytrammel.kernels import engine as places
from pytrammel.kernels import layout as L
from pytrammel.kernels.equations import cartesian
from pytrammel.kernels.recording import routine_run
from pytrammel.model.base import Model
from pytrammel.results.forces.dynamics import DynamicsData, StepStatistics
from pytrammel.results.result import Result
from pytrammel.results.segments import Segment
from pytrammel.system.lowering import System
from pytrammel.system.pattern import pattern
from pytrammel.system.positions import moved

Array = NDArray[np.float64]
NEEDS = ("routine_run", *Cartesian.needs, "reactions_run", "measures_run")
NO_STEPS = StepStatistics(0, 0, 0, 0.0, 0.0, 1.0)


class AtStates:
    """States of a system with the active equations, evaluated as a run records its output times.

    Args:
        model: Model in force.
        system: The same, lowered for dynamics.
        floats: Numbers of the system as used.
        active: Independent equations that act.
        acting: All active equations; redundant ones share the load.
    """

    def __init__(
        self, model: Model, system: System, floats: Array, active: Sequence[int], acting: Sequence[int] | None = None
    ) -> None:
        self.model, self.system, self.floats = model, system, floats
        self.active, self.acting = list(active), list(active if acting is None else acting)
        self.pattern = pattern(system, self.active, sorted(set(self.acting) - set(self.active)) if self._asked else ())
        inner = int(system.ints[L.N_STATES])
        ends = [system.n_coordinates, system.n_columns, inner, len(system.forces) + 1]
        self.ends = np.cumsum(ends)  # of coordinates, velocities, inner states and works in the integrated vector

    @property
    def _asked(self) -> bool:
        """True if forces depend on reactions, so that redundant equations count in the motion itself."""
        return int(self.system.ints[L.N_REACTIONS]) > 0

    def vector(self, q: Array, v: Array, z: Array) -> Array:
        """Integrated vector of a state; no work has been done."""
        return np.concatenate([q, v, z, np.zeros(len(self.system.forces) + 1)])

    @cached_property
    def _table(self) -> Table:
        """Equations of motion, constraints held at the level of accelerations, in a workspace of their own."""
        table, ints = Table(), self.system.ints
        sizes = cartesian.cartesian_begin(ints, self.pattern, np.zeros(0), ints, np.zeros(0))
        work, unused = (np.zeros(int(size)) for size in sizes)
        cartesian.cartesian_begin(ints, self.pattern, work, ints, unused)
        table.put_routines(places.RATES, Cartesian.routines, cartesian.__name__)
        for place, data in (
            (places.INTS, ints), (places.FLOATS, self.floats), (places.PATTERN, self.pattern), (places.WORKSPACE, work),
        ):  # fmt: skip
            table.put_data(place, data)
        return table

    def rates(self, time: float, y: Array) -> Array:
        """Derivative of the integrated vector."""
        out = np.zeros(y.size)
        routine_run(self._table.entries, places.RATES, time, np.ascontiguousarray(y), out)
        return out

    def later(self, time: float, y: Array, dt: float) -> Array:
        """Integrated vector a short time later, to second order in the coordinates."""
        nq, nv = self.ends[:2]
        rates = self.rates(time, y)
        out = y + dt * rates
        out[:nq] = moved(self.system, y[:nq], dt * y[nq:nv] + 0.5 * dt * dt * rates[nq:nv])
        return out

    def record(self, times: Array, Y: Array) -> Result:
        """States as output times of a run, to read any quantity by its name."""
        system, n = self.system, times.size
        _nq, _nv, _nz, nw = (int(end) for end in self.ends)
        forces = 2 * len(system.forces)
        rows = np.zeros((n, nw + system.n_columns + forces + 2 + len(self.active)))
        for k in range(n):
            routine_run(self._table.entries, places.RECORD, float(times[k]), Y[k].copy(), rows[k])
        a, outputs, energies, lam = np.split(rows[:, nw:], np.cumsum([system.n_columns, forces, 2]), axis=1)
        return self.result(times, Y, a.copy(), self.all_multipliers(times, Y, lam), outputs.copy(), energies)

    def all_multipliers(self, times: Array, Y: Array, lam: Array) -> Array:
        """Multipliers of all rows from those of the active ones in elimination order."""
        out = np.zeros((times.size, len(self.system.rows)))
        order = self.pattern[int(self.pattern[L.P_AT_ROWS]) :][: len(self.active)]
        out[:, order] = lam
        if len(self.acting) > len(self.active):
            q = np.ascontiguousarray(Y[:, : self.ends[0]])
            out[:, self.acting] = smallest_multipliers(self.system, self.acting, order, times, q, out)
        return out

    def result(self, times: Array, Y: Array, a: Array, multipliers: Array, outputs: Array, energies: Array) -> Result:
        """States with what was found there as a result."""
        nq, nv, nz, nw = (int(end) for end in self.ends)
        shared = self.pattern if len(self.acting) == len(self.active) else pattern(self.system, self.acting)
        segment = Segment(0, times.size, self.model, self.system, tuple(self.acting), self.floats, shared)
        report_held([segment], multipliers, outputs)
        data = DynamicsData(
            multipliers=multipliers, outputs=outputs, work=Y[:, nz:nw].copy(), inner_states=Y[:, nv:nz].copy(),
            kinetic=energies[:, 0].copy(), gravity=energies[:, 1].copy(), events=(), changed=(), statistics=NO_STEPS,
        )  # fmt: skip
        return Result(
            model=self.model, _system=self.system, times=times, q=Y[:, :nq].copy(), v=Y[:, nq:nv].copy(), a=a,
            _notes=np.zeros((times.size, 4)), _segments=(segment,), dynamics=data,
        )  # fmt: skip
