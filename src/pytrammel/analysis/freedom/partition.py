"""Partition: which coordinates are independent in a position, why, and how the others follow from them (App. C)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pytrammel._util.checks import checked
from pytrammel._util.messages import brief, short
from pytrammel.analysis import column_partition
from pytrammel.analysis.freedom.rank import dependence, jacobian
from pytrammel.analysis.options import verb
from pytrammel.analysis.positions.assembly import active_rows, assembled
from pytrammel.analysis.positions.phase_at import system_at
from pytrammel.analysis.positions.plain_newton import row_names
from pytrammel.analysis.ready import make_ready
from pytrammel.errors import ModelError
from pytrammel.model.base import Model
from pytrammel.model.quantities.quantity import LENGTH, Quantity
from pytrammel.system.lowering import System, lower_measures

Array = NDArray[np.float64]


@brief
@dataclass(frozen=True, eq=False)
class CoordinatePartition:
    """Independent and dependent coordinates of a model in one position: small motions obey du = H dv, velocities u' = H v'.

    Attributes:
        model: The model.
        time: Time at which it was placed [s].
        q: The position.
        found: The partition of the scaled Jacobian, with the reasons and the amplification of errors.
        units: Unit of every coordinate by name.
        velocity_only: Joints whose rows restrain velocities only; positions have more freedom than is counted here.
    """

    model: Model
    time: float
    q: Array = field(repr=False)
    found: column_partition.Partition = field(repr=False)
    units: Mapping[str, str] = field(repr=False)
    velocity_only: tuple[str, ...] = ()

    @property
    def method(self) -> str:
        """How they were chosen."""
        return self.found.method

    @property
    def independent(self) -> tuple[str, ...]:
        """Names of the independent coordinates."""
        return self.found.independent

    @property
    def dependent(self) -> tuple[str, ...]:
        """Names of the coordinates that follow from them."""
        return self.found.dependent

    @property
    def redundant(self) -> tuple[str, ...]:
        """Rows that say nothing new."""
        return self.found.redundant

    @property
    def rank(self) -> int:
        """Number of independent equations."""
        return self.found.rank

    @property
    def dof(self) -> int:
        """Number of independent coordinates."""
        return self.found.dof

    @property
    def H(self) -> Array:
        """Influence matrix, shape (dependent, independent) [m, rad]."""
        return self.found.H

    @property
    def amplification(self) -> float:
        """By how much errors of the independent coordinates grow in the others; lengths count in units of the model's size."""
        return self.found.amplification

    @property
    def worst(self) -> tuple[str, str, float] | None:
        """The largest influence: dependent name, independent name, value in units of the scales."""
        return self.found.worst

    @checked
    def influence(self, dependent: str, independent: str) -> float:
        """One entry of H by names."""
        return self.found.influence(dependent, independent)

    def reasons(self) -> list[str]:
        """Why, as sentences; pivots are those of rows of length one."""
        return self.found.reasons()

    def to_dict(self) -> dict[str, dict[str, float]]:
        """H as a table: for every independent coordinate, the dependent ones with their influence."""
        return {
            v: {u: float(self.H[i, j]) for i, u in enumerate(self.dependent)} for j, v in enumerate(self.independent)
        }

    def __str__(self) -> str:
        lines = [f"model {self.model.name!r} at t = {self.time:g} s", str(self.found)]
        if self.worst is not None:
            u, v, value = self.worst
            factor = self.influence(u, v)
            lines.append(
                f"largest: {u} [{self.units[u]}] changes by {factor:.4g} per {v} [{self.units[v]}], {abs(value):.4g} in units of the scales"
            )
        if self.velocity_only:
            lines.append(f"{', '.join(self.velocity_only)}: velocities only; positions are freer than this")
        return "\n".join(lines)


@verb
def partition(
    model: Model,
    *,
    method: str | None = None,
    time: float = 0.0,
    at: Mapping[str, Any] | Array | None = None,
    coordinates: Sequence[str | Quantity] | None = None,
    drivers: bool = False,
) -> CoordinatePartition:
    """Choose independent coordinates in a position, and say why and how the others follow from them.

    Columns count in units of the model's size or radians and rows are brought to length one before the choice, so that units do not
    change it. In space rotations are small turns about the body's own axes (``body.rx``, ``ry``, ``rz``).

    Args:
        model: The model.
        method: "lu-full" (default), "lu-column", "gauss", "gauss-full", "gram-schmidt", "qr" or "svd".
        time: Time at which the drivers place the mechanism [s].
        at: Another position: values of measured quantities as in ``assemble(initial=…)``, without drivers, or a row of ``result.q``.
        coordinates: Coordinates and measured quantities (joint angles) that are to be the independent ones, to look at a choice of
            one's own.
        drivers: Count drivers as constraints.

    Raises:
        SingularError: The coordinates given cannot be independent here.
    """
    if method is not None and method not in column_partition.METHODS:
        raise ModelError(
            f"method {method!r} is not known; use one of: {', '.join(map(repr, column_partition.METHODS))}."
        )
    make_ready(model, ["assemble_run", "jacobian_run", "rates_run", "measures_run"])
    system = system_at(model, time, "partition")
    q = _position(model, system, time, at)
    rows = active_rows(system, drivers=drivers)
    names, units, scales = list(system.columns), list(system.column_units), list(system.column_scales())
    matrix = jacobian(system, q, time, rows)  # columns in scaled units
    labels = list(row_names(system, rows))
    for quantity in _measured(model, names, coordinates or ()):
        # a quantity becomes a coordinate of its own, with a row that says what it is
        own, size = lower_measures(model, [quantity]), system.length if quantity.unit == LENGTH else 1.0
        row = np.zeros(matrix.shape[1] + 1)
        row[: system.n_columns] = jacobian(own, q, time, [0])[0] * own.row_scales()[0] / size
        row[-1] = -1.0
        matrix = np.vstack([np.hstack([matrix, np.zeros((len(matrix), 1))]), row])
        names.append(str(quantity))
        units.append(quantity.unit)
        scales.append(size)
        labels.append(f"what {quantity} is")
    chosen = None if coordinates is None else [str(name) for name in coordinates]
    found = column_partition.partition(
        matrix / scales,
        method=method,
        independent=chosen,
        names=names,
        row_names=labels,
        scales=scales,
        tolerance=dependence(system),
    )
    rolling = tuple(dict.fromkeys(system.rows[k].owner for k in rows if system.rows[k].velocity_only))
    return CoordinatePartition(model, time, q, found, dict(zip(names, units, strict=True)), rolling)


def _position(model: Model, system: System, time: float, at: Any) -> Array:
    if at is None:
        return assembled(model, time=time, system=system).q
    if isinstance(at, Mapping):
        return assembled(model, time=time, system=system, drivers=False, initial=at).q
    try:
        q = np.asarray(at, dtype=float)
    except (TypeError, ValueError, OverflowError):
        q = np.zeros(0)
    if q.shape != (system.n_coordinates,) or not np.isfinite(q).all():
        raise ModelError(
            f"at= must give values by name, {{'A.angle': 0.3}}, or be a row of result.q with {system.n_coordinates} numbers, but it is "
            f"{short(at)}."
        )
    return q


def _measured(model: Model, columns: Sequence[str], wanted: Sequence[str | Quantity]) -> list[Quantity]:
    """The names that are not coordinates, as quantities of one number."""
    return [model.scalar(name, "partition") for name in wanted if str(name) not in columns]
