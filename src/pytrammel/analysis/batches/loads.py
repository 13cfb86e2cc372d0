"""Forces among the quantities of a batch: efforts, reactions, what force elements do, energies."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Self

import numpy as np
from numpy.typing import NDArray

from pytrammel.analysis.batches.columns import Motion
from pytrammel.joints.constraint import Constraint
from pytrammel.model.bodies import GROUND
from pytrammel.results.quantities import in_unit, split_unit
from pytrammel.system.lowering import System

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Loads(Motion):
    """What was computed of some variants under forces.

    Attributes:
        multipliers: Shape (N, n, rows).
        outputs: Value and power of each force element, shape (N, n, 2 elements).
        energies: Kinetic energy and that of gravity, shape (N, n, 2).
        entries: What each row does along each entry of its Jacobian, shape (N, n, entries); empty if nobody asks for reactions.
    """

    multipliers: Array
    outputs: Array
    energies: Array
    entries: Array

    def only(self, chosen: NDArray[np.bool_]) -> Self:
        """What was computed of some of these."""
        if chosen.all():
            return self
        q, v, a = (table[chosen] for table in self.tables)
        value, rate, second = (table[chosen] for table in self.measured)
        return replace(
            self, tables=(q, v, a), measured=(value, rate, second), multipliers=self.multipliers[chosen], outputs=self.outputs[chosen],
            energies=self.energies[chosen], entries=self.entries[chosen],
        )  # fmt: skip


@dataclass(frozen=True)
class LoadColumn:
    """Where a load of a variant is found; see `Column`."""

    name: str
    unit: str
    take: Callable[[Loads], Array]
    reaction: bool = False
    shown_in: str = ""
    measures: tuple[str, ...] = ()

    def of(self, motion: Motion, measured: list[str]) -> Array:
        """Values for all variants, shape (N, n)."""
        assert isinstance(motion, Loads)
        values = self.take(motion)
        return in_unit(self.name, (values, self.unit), self.shown_in)[0] if self.shown_in else values

    @property
    def shown(self) -> str:
        """The unit in which it is asked for."""
        return self.shown_in or self.unit


def load_column(system: System, name: str) -> LoadColumn | None:
    """Where a load is found, or None if it is none, or takes more than numbers of the run."""
    plain, shown_in = split_unit(name)
    found = _load_column(system, plain)
    return None if found is None else replace(found, shown_in=shown_in)


def _load_column(system: System, name: str) -> LoadColumn | None:
    owner, _, what = name.rpartition(".")
    model = system.model
    if owner == "energy" and what in ("kinetic", "gravity"):
        k = ("kinetic", "gravity").index(what)
        return LoadColumn(name, "J", lambda loads: loads.energies[:, :, k])
    joint = model.constraints.get(owner)
    if joint is not None and what == "effort" and joint.n_rows == 1:
        row = system.rows_of([owner])[0]
        unit = "N m" if joint.blocks[0].quantity.unit == "rad" else "N"
        return LoadColumn(name, unit, lambda loads: loads.multipliers[:, :, row])
    axes = model.space.axes
    parts = {"reaction": -1, **{f"f{a}": k for k, a in enumerate(axes)}}
    if joint is not None and what in parts and what not in joint.measures and joint.second:
        return LoadColumn(name, "N", _reaction(system, joint, parts[what]), reaction=True)
    joint_name, _, kind = owner.rpartition(".")
    if kind == "reaction" and joint_name in model.constraints and what in (*axes, "magnitude"):
        joint = model.constraints[joint_name]
        part = -1 if what == "magnitude" else axes.index(what)
        return LoadColumn(name, "N", _reaction(system, joint, part), reaction=True) if joint.second else None
    for k, force in enumerate(system.forces):
        if force.use.label == name:
            along, sign = force.use.along, force.use.sign
            unit = force.use.unit or ("N m" if along is not None and along.unit == "rad" else "N")
            return LoadColumn(name, unit, _output(2 * k, sign))
    return None


def _output(place: int, sign: float) -> Callable[[Loads], Array]:
    """Value of a force element."""
    return lambda loads: sign * loads.outputs[:, :, place]


def _reaction(system: System, joint: Constraint, part: int) -> Callable[[Loads], Array]:
    """A component of the force of a joint on its second body, or its size; added up in the order of `joint_forces`."""
    size, body = system.per_body, joint.second
    names = list(system.model.bodies)
    terms: list[list[tuple[int, int]]] = []  # per row: which component gets which entry
    row = system.rows_of([joint.name])[0] if joint.n_rows else 0
    for block in joint.blocks:
        quantity = block.quantity
        direct = bool(joint.seats) and quantity.primitive != "expression" and GROUND in quantity.bodies
        for _ in block.targets:
            at, own = system.row_entries[row], []
            if direct:
                for i, name in enumerate(quantity.bodies):
                    if name == body:
                        own += [(c, at + size * i + c) for c in range(size)]
            else:
                for e, column in enumerate(system.row_columns[row]):
                    if 0 <= column < size * (len(names) - 1) and names[column // size + 1] == body:
                        own.append((column % size, at + e))
            terms.append(own)
            row += 1
    dimension = system.model.space.dimension

    def take(loads: Loads) -> Array:
        total = np.zeros((*loads.entries.shape[:2], size))
        for own in terms:
            force = np.zeros_like(total)
            for component, entry in own:
                force[:, :, component] += loads.entries[:, :, entry]
            total = total + force
        if part >= 0:
            return total[:, :, part]
        if dimension == 2:
            return np.asarray(np.hypot(total[:, :, 0], total[:, :, 1]))
        return np.asarray(np.linalg.norm(total[:, :, :3], axis=2))

    return take
