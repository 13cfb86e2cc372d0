"""What all equations in fewer coordinates than those of the bodies have in common: the way between both, and what they refuse."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from pytrammel._util.messages import apart
from pytrammel.analysis.freedom.rank import slack, weakened
from pytrammel.analysis.runs.engine import Cartesian, Table
from pytrammel.errors import ModelError
from pytrammel.kernels import engine as places
from pytrammel.kernels import layout as L
from pytrammel.kernels import run as rk
from pytrammel.kernels import step_control
from pytrammel.system.lowering import System

if TYPE_CHECKING:
    from pytrammel.analysis.methods import Method
    from pytrammel.analysis.runs.options import Options
    from pytrammel.analysis.runs.simulation import Simulation
    from pytrammel.analysis.runs.steps import Positions

Array = NDArray[np.float64]
Ints = NDArray[np.int64]

TREATMENTS = ("projection", "baumgarte", "none")
OPEN = 10.0  # times the slack of a model with closure_tolerance: other rows may be the exact ones along joints
FITS = 1e-7  # of the model's size: how far bodies may be from where the coordinates put them


def refusal(options: Options, held: str, treatments: tuple[str, ...] = TREATMENTS) -> str:
    """Why fewer coordinates cannot be had with the options of a run, and what can; empty if they can.

    Args:
        options: Options of the run.
        held: What the treatment of constraints is for: "loops are closed".
        treatments: Those that are offered.
    """
    if options.constraints not in treatments:
        offered = ", ".join(map(repr, treatments))
        return (
            f"{held} by constraints={offered} here, not by {options.constraints!r}; take one of these, or 'cartesian'"
        )
    if not options.corrected:
        return "it needs a start in which the joints are closed; leave out correct=False, or use 'cartesian'"
    return ""


class FewerCoordinates(Cartesian, ABC):
    """Motion in fewer coordinates; the equations in body coordinates keep the books."""

    named: str  # the formulation
    misfit = "along its joints"  # where a body is that they cannot show
    offers: str  # how its routines for methods that treat the constraints themselves are called

    def __init__(self, options: Options) -> None:
        super().__init__(options)
        # bodies only keep the books: what the treatment of loops does is not repeated there
        plain = options if options.constraints in TREATMENTS else replace(options, constraints="none")
        self.inner = Cartesian(plain)
        self._table: Table | None = None
        self._y = np.zeros(0)
        self._bodies = np.zeros(0)

    @abstractmethod
    def _reduced(self, run: Simulation) -> Array:
        """The vector in these coordinates of the state that the run is in."""

    @abstractmethod
    def _show(self, table: Table, time: float) -> None:
        """Put the bodies where the vector has them."""

    @abstractmethod
    def _measure(self, table: Table, time: float) -> float:
        """How far the rows are from being dependent."""

    @abstractmethod
    def positions(self, system: System) -> Positions:
        """How positions in the vector follow its speeds."""

    def put_steps(self, table: Table, system: System, method: Method) -> None:
        """Enter what a method asks for that treats the constraints itself."""
        from pytrammel.analysis.runs.steps import put_steps

        distances = self.n_rows(table) - int(table.data[places.PATTERN][L.P_ROWS])
        put_steps(table, self.positions(system), method, self.offers, distances)

    def vector(self, run: Simulation) -> Array:
        """What is integrated, in the state that the run is in."""
        assert self._table is not None
        if self._bodies.size and np.array_equal(run.y, self._bodies):
            return self._y
        time = float(run.clock[0])
        self._y = self._reduced(run)
        self._bodies = np.zeros(run.y.size)
        self._show(self._table, time)
        self._refuse_misfit(run)
        if run.redundant:  # when to choose other rows: these need not be those of the equations in body coordinates
            weak = weakened(run.system, rk.WEAKENED) * self._measure(self._table, time)
            run.control[step_control.WEAK] = math.copysign(weak, run.control[step_control.WEAK])
        return self._y

    def give_back(self, run: Simulation) -> None:
        """Tell the run the state that an integration has come to."""
        assert self._table is not None
        self._show(self._table, self._ended(run))
        run.y[:] = self._bodies
        inner = self.inner.counted
        self.counted[places.LARGEST_RATE] = max(self.counted[places.LARGEST_RATE], inner[places.LARGEST_RATE])

    def keep(self) -> tuple[Array, Array]:
        """The integrated vector and the bodies that it shows."""
        return self._y.copy(), self._bodies.copy()

    def restore(self, kept: tuple[Array, Array]) -> None:
        """Go back to a vector of `keep`: made again from the bodies, it would count from another pose than a method's history."""
        self._y, self._bodies = (own.copy() for own in kept)

    def _ended(self, run: Simulation) -> float:
        """When the state is that an integration has come to."""
        return float(run.clock[0])

    def _refuse_misfit(self, run: Simulation) -> None:
        """The coordinates must show the very motion of the bodies; else a joint is open, or not what it says it is."""
        system = run.system
        nq, n = system.n_coordinates, system.n_columns
        at = int(system.ints[L.AT_COORDINATE_SCALES])
        of = np.concatenate([np.minimum(system.floats[at : at + nq], 1e3), system.column_scales()])
        of[nq:] *= max(1.0, float(np.abs(run.v / system.column_scales()).max(initial=0.0)))
        off = np.abs(run.y[: nq + n] - self._bodies[: nq + n]) / of
        worst = int(np.argmax(off)) if off.size else 0
        if off.size and not off[worst] <= FITS + OPEN * slack(system):
            name = (*system.coordinates, *system.columns)[worst]
            names = dict(zip(system.columns, system.column_units, strict=True))
            unit = names.get(name, "") if worst < nq else f"{names[name]}/s"
            value, limit = apart(off[worst] * of[worst], FITS * of[worst])
            what = name if worst < nq else f"the velocity along {name}"
            raise ModelError(
                f"formulation={self.named!r} cannot follow this motion: {what} differs by {value} {unit} (limit {limit} {unit}) "
                f"{self.misfit}. Close the joints first (assemble), or use formulation='cartesian'."
            )

    def matrices(self, system: System, ints: Ints) -> tuple[str, ...]:
        """Matrices of implicit methods come from differences."""
        return self.differenced

    def put_matrices(self, table: Table, system: System, ints: Ints, pattern: Ints) -> None:
        """Differences do."""
