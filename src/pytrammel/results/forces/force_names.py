"""Columns and sentences about forces, for tables, plots and summaries."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from pytrammel._util.messages import number_of
from pytrammel.joints.constraint import Constraint
from pytrammel.results.forces.dynamics import dynamics_data, energy_of, reaction_of
from pytrammel.results.forces.unilateral import NOTHING, forces_at_work

if TYPE_CHECKING:
    from pytrammel.results.forces.dynamics import Energy
    from pytrammel.results.result import Result

Array = NDArray[np.float64]
ROUNDED = 1e-14  # share of the largest energy that is rounding
SMALL = 1e-6  # largest error of the balance, as a share of the largest energy, below which a total is not told from 0
ENERGIES = ("kinetic", "gravity", "stored", "dissipated", "input", "total", "balance")
_PLANE_REACTIONS = {"reaction": "N", "fx": "N", "fy": "N", "moment": "N m"}
_SPACE_REACTIONS = {"reaction": "N", "fx": "N", "fy": "N", "fz": "N", "mx": "N m", "my": "N m", "mz": "N m"}


def _reactions(result: Result) -> dict[str, str]:
    """Columns that a joint's reaction has, and their units."""
    return _PLANE_REACTIONS if result.model.space.dimension == 2 else _SPACE_REACTIONS


def dynamics_column(
    result: Result, name: str, reaction: Callable[[Result, Constraint, str], Any] = reaction_of
) -> tuple[Array, str] | None:
    """Values and unit of "A.reaction", "A.fx", "A.moment", "motor.effort", "s.spring", "energy.kinetic"; None if it is none of them."""
    owner, _, what = name.rpartition(".")
    if owner == "energy" and what in ENERGIES:
        return np.asarray(getattr(energy_of(result), what)), "J"
    joint = result.model.constraints.get(owner)
    if joint is not None and what == "effort" and joint.n_rows == 1:
        angular = joint.blocks[0].quantity.unit == "rad"
        return result.effort(owner), "N m" if angular else "N"
    if joint is not None and what in _reactions(result) and what not in joint.measures:
        found = reaction(result, joint, joint.second)
        if what == "reaction":
            return found.magnitude, "N"
        table = found.force if what.startswith("f") else found.moment
        values = table if table.ndim == 1 else table[:, "xyz".index(what[1])]
        return values, _reactions(result)[what]
    for k, force in enumerate(result._system.forces):
        if force.use.label == name:
            along = force.use.along
            unit = force.use.unit or ("N m" if along is not None and along.unit == "rad" else "N")
            return force.use.sign * dynamics_data(result).outputs[:, 2 * k], unit
    return None


def dynamics_columns(result: Result) -> list[str]:
    """Names of the columns about forces."""
    names = []
    for joint in result.model.constraints.values():
        if joint.is_driver and joint.n_rows == 1:
            names.append(f"{joint.name}.effort")
        elif joint.seats:
            names += [f"{joint.name}.{what}" for what in _reactions(result) if what != "reaction"]
    names += [force.use.label for force in result._system.forces]
    integrated = np.isfinite(dynamics_data(result).work).all()  # statics and inverse dynamics know no work
    return names + [f"energy.{what}" for what in (ENERGIES if integrated else ENERGIES[:2])]


def _largest(result: Result, values: Array, unit: str, nothing: float) -> str:
    """The value of the largest size and its time, or 0 where all are rounding."""
    k = int(np.abs(values).argmax())
    if abs(values[k]) <= nothing:
        return f"0 {unit}"
    return f"{values[k]:.4g} {unit} at t = {result.times[k]:.4g} s"


def _total(energy: Energy, k: int) -> float:
    """Mechanical energy at an output time [J]; 0 where it is less than the error of the energies at work."""
    with np.errstate(all="ignore"):
        parts = (energy.kinetic, energy.gravity, energy.stored)
        size = max(float(np.abs(part).max(initial=0.0)) for part in parts)
        error = max(ROUNDED * size, min(float(np.abs(energy.balance).max(initial=0.0)), SMALL * size))
        value = float(energy.total[k])
    return 0.0 if abs(value) <= error else value


def dynamics_notes(result: Result) -> list[str]:
    """Sentences about the start, events, reactions and the energy balance of a simulation."""
    data = dynamics_data(result)
    out = []
    if data.changed:
        shown = "; ".join(data.changed[:4]) + (f"; and {len(data.changed) - 4} more" if len(data.changed) > 4 else "")
        out.append(f"start made consistent: {shown}")
    out += [str(event) for event in data.events]
    if len(result):
        joints = result.model.constraints.values()
        reactions = {
            joint.name: reaction_of(result, joint, joint.second).magnitude
            for joint in joints
            if joint.seats and joint.n_rows and not joint.is_driver
        }
        nothing = NOTHING * max(
            [forces_at_work(result), *(float(np.nan_to_num(size).max()) for size in reactions.values())]
        )
        for joint in joints:
            if joint.name in reactions:
                out.append(f"{joint.name}: largest reaction {_largest(result, reactions[joint.name], 'N', nothing)}")
            elif joint.is_driver and joint.n_rows == 1:
                effort, unit = dynamics_column(result, f"{joint.name}.effort") or (np.zeros(1), "")
                least = nothing * (result._system.length if unit == "N m" else 1.0)
                out.append(f"{joint.name}: largest effort {_largest(result, effort, unit, least)}")
    s = data.statistics
    if s.steps:
        energy = energy_of(result)
        out.append(
            f"energy: {_total(energy, 0):.6g} J at the start, {_total(energy, -1):.6g} J at the end, "
            f"balance within {np.abs(energy.balance).max():.2g} J"
        )
        out.append(
            f"{number_of(s.steps, 'step')} ({s.rejected} rejected), {number_of(s.evaluations, 'evaluation')}, "
            f"joints closed to {s.position_violation:.1g} before projection"
        )
    if data.formulation != "cartesian":
        out.append(f"coordinates: {data.formulation}")
    if len(data.methods) > 1:
        out += ["methods:", *(f"  {use}" for use in data.methods)]
    if s.partitions:
        times = f", chosen anew {len(s.partitions) - 1} times" if len(s.partitions) > 1 else ""
        out.append(f"independent coordinates: {', '.join(s.partitions[-1][1]) or 'none'}{times}")
    if data.parameters is not None and len(result):
        off, rate = np.abs(data.parameters[:, ::2]).max(), np.abs(data.parameters[:, 1::2]).max()
        out.append(f"Euler parameters: p'p = 1 to {off:.1g}, p.p' = 0 to {rate:.1g} 1/s")
    if s.dependent_parameters:
        times = f", chosen anew {len(s.dependent_parameters) - 1} times" if len(s.dependent_parameters) > 1 else ""
        out.append(f"dependent parameters: {', '.join(s.dependent_parameters[-1][1])}{times}")
    return out
