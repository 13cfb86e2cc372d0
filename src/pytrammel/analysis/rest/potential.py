"""Potential energy of a model in a position: weight, springs, constant forces and moments, and its gradient."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from pytrammel import rotations
from pytrammel._util.messages import brief
from pytrammel.analysis.at_state import evaluate_state, measured_value, mechanical_energy
from pytrammel.analysis.freedom.rank import jacobian
from pytrammel.analysis.options import verb
from pytrammel.analysis.positions.assembly import assembled
from pytrammel.analysis.positions.phase_at import system_at
from pytrammel.analysis.ready import make_ready
from pytrammel.errors import ModelError
from pytrammel.forces.force import ForceUse
from pytrammel.model.base import Model
from pytrammel.model.quantities.quantity import Quantity
from pytrammel.results.forces.stored_energy import energy_inputs, has_potential, stored_energy
from pytrammel.system.lowering import System, lower, lower_measures
from pytrammel.system.pattern import pattern
from pytrammel.system.positions import coordinates_of

Array = NDArray[np.float64]


@brief
@dataclass(frozen=True, eq=False)
class Potential:
    """Potential energy in a position.

    Attributes:
        value: The energy [J]: of the weight zero at the global origin, of springs zero where they are slack, of constant forces and moments
            zero where their quantity is.
        parts: The same by part: "gravity", and forces by name.
        gradient: Derivative by small motions of the columns, minus the generalised forces, shape (n_columns,).
        columns: Names of the columns.
        without: Forces that act at rest and have no potential, or none that is known (followers, contacts, laws of several quantities):
            they are not in the value, and not in the gradient.
    """

    value: float
    parts: Mapping[str, float]
    gradient: Array = field(repr=False)
    columns: tuple[str, ...] = field(repr=False)
    without: tuple[str, ...] = ()

    def __str__(self) -> str:
        lines = [f"potential energy {self.value:.9g} J"] + [
            f"  {name}: {part:.9g} J" for name, part in self.parts.items()
        ]
        return "\n".join(lines + ([f"  without: {', '.join(self.without)}"] if self.without else []))


@verb
def potential_energy(model: Model, *, time: float = 0.0) -> Potential:
    """Potential energy in the drawn pose, closed, and its gradient.

    Args:
        model: The model.
        time: Time at which drivers and loads are read [s]; loads that change with it are taken as they are then.
    """
    make_ready(model, ["state_run", "assemble_run", "jacobian_run", "rates_run", "measures_run"], forces=True)
    system = system_at(model, time, "potential_energy", dynamics=True)
    return PotentialEnergy(system, time).at(assembled(model, time=time, system=system).q)


class PotentialEnergy:
    """Potential energy of a system as a function of its position."""

    def __init__(self, system: System, time: float) -> None:
        self.system, self.time = system, time
        self.uses = [(force.owner, force.use) for force in system.forces if has_potential(force.use)]
        # dampers and friction have none either, but do not act at rest
        lost = [f.owner for f in system.forces if not has_potential(f.use) and f.use.role != "damping"]
        self.without = tuple(dict.fromkeys(lost))
        self.conservative = self._without_losses() if lost else system

    def _without_losses(self) -> System:
        """The system without forces that have no potential; kept with the system for the next time."""
        kept = self.system.kept
        if "conservative" not in kept:
            kept["conservative"] = lower(self.system.model.copy(without=self.without), dynamics=True)
        found: System = kept["conservative"]
        return found

    def parts(self, q: Array) -> dict[str, float]:
        still = np.zeros(self.system.n_columns)
        out = {"gravity": mechanical_energy(self.system, q, still)}
        for owner, use in self.uses:
            out[owner] = out.get(owner, 0.0) + self._energy(use, q, still)
        return out

    def value(self, q: Array) -> float:
        """V(q) [J]."""
        return sum(self.parts(q).values())

    def trial(self, q: Array) -> float:
        """V(q) [J]; infinite where energy or forces are not finite, for line searches."""
        try:
            found = self.value(q)
        except ModelError:
            return math.inf
        return found if np.isfinite(self.gradient(q)).all() else math.inf

    def gradient(self, q: Array) -> Array:
        """dV by small motions of the columns."""
        still, system = np.zeros(self.system.n_columns), self.conservative
        found = -evaluate_state(system, system.floats, pattern(system, ()), self.time, q, still).generalised
        mixed = [(owner, use) for owner, use in self.uses if owner in self.without and use.along is not None]
        if mixed:  # a spring with an actuator beside it
            state = evaluate_state(self.system, self.system.floats, pattern(self.system, ()), self.time, q, still)
            values = {id(f.use): x for f, x in zip(self.system.forces, state.forces, strict=True)}
            for _, use in mixed:
                assert use.along is not None
                small = lower_measures(self.system.model, [use.along])
                row = jacobian(small, q, self.time, [0])[0] * small.row_scales()[0] / small.column_scales()
                found -= values[id(use)] * row
        return np.asarray(found)

    def at(self, q: Array) -> Potential:
        parts = self.parts(q)
        return Potential(sum(parts.values()), parts, self.gradient(q), self.system.columns, self.without)

    def _energy(self, use: ForceUse, q: Array, still: Array) -> float:
        model = self.system.model
        inputs = energy_inputs(use)
        if not inputs and use.stored is None:  # a constant force along a direction in space
            assert use.along is not None and use.law is not None
            return -float(use.law.evaluate({"t": self.time})) * _height(self.system, use.along, q)
        values = {key: measured_value(model, quantity, self.time, q, still)[0] for key, quantity in inputs.items()}
        found = float(stored_energy(use, values, time=self.time))
        if not math.isfinite(found):
            raise ModelError(
                f"the potential energy of {use.label!r} is not a number here: its law is none somewhere between this position and where it "
                "stores nothing."
            )
        return found


def _height(system: System, drift: Quantity, q: Array) -> float:
    """Displacement of a point along a direction fixed in space."""
    own = coordinates_of(system, q, drift.bodies[0])
    return float(np.dot(drift.data[3:6], own[:3] + rotations.matrix(own[3:]) @ np.array(drift.data[:3])))
