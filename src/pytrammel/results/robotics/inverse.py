"""Joint coordinates along targets of an end effector."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pytrammel._util.checks import checked
from pytrammel._util.messages import brief
from pytrammel.errors import RunWarning
from pytrammel.model.base import Model
from pytrammel.results.robotics.modes import States

Array = NDArray[np.float64]


@brief
@dataclass(frozen=True, eq=False)
class InverseKinematics(States):
    """Joint coordinates that put an end effector at targets, on one branch.

    Attributes:
        model: The model.
        place: Name of the end effector.
        components: Prescribed components of its position and orientation.
        coordinates, units: Names and units of the joint coordinates.
        q: Joint coordinates at the targets, shape (n, coordinates).
        targets: Prescribed positions [m], shape (n, position components).
        positions: Positions reached [m], shape (n, 2 or 3).
        residual: Largest residual of loops and targets, in model lengths and radians.
        serial: Conditioning of the end effector's motion at the targets (zero: singularity of type 1), shape (n,).
        parallel: Conditioning of the actuators at the targets (zero: singularity of type 2), shape (n,).
        actuators: Names of the actuators that `parallel` refers to.
        steps: Continuation steps, at least one per target.
        warnings: Singularities of type 2 that the path crosses.
    """

    model: Model = field(repr=False)
    place: str
    components: tuple[str, ...]
    coordinates: tuple[str, ...] = field(repr=False)
    units: tuple[str, ...] = field(repr=False)
    q: Array
    targets: Array = field(repr=False)
    positions: Array = field(repr=False)
    residual: float
    serial: Array = field(repr=False)
    parallel: Array = field(repr=False)
    actuators: tuple[str, ...] = field(repr=False)
    steps: int = field(repr=False)
    bodies: Array = field(repr=False)
    warnings: tuple[RunWarning, ...] = ()

    @checked
    def drawn(self, k: int) -> Model:
        """Copy of the model with the position at target k as its design configuration."""
        return self._model_at(k)

    @checked
    def plot(self, path: str | Path | None = None, *, ax: Any = None) -> Any:
        """Plot joint coordinates and conditioning over the targets, and return the axes.

        Args:
            path: File to write (png, svg, pdf).
            ax: Axes to draw on, one set per unit and one for the conditioning.
        """
        from pytrammel.view.plots.robots import plot_inverse

        return plot_inverse(self, ax=ax, path=path)

    def __str__(self) -> str:
        worst = int(np.argmin(self.serial))
        lines = [
            f"inverse kinematics of {self.place!r} in {self.model.name!r}: {len(self)} targets ({', '.join(self.components)}), residual "
            f"{self.residual:.1e}",
            f"  worst conditioning: {self.serial[worst]:.3g} at target {worst} (type 1), {self.parallel.min():.3g} at target "
            f"{int(np.argmin(self.parallel))} (type 2, actuators {', '.join(self.actuators)})",
        ]
        for name, unit, values in zip(self.coordinates, self.units, self.q.T, strict=True):
            lines.append(f"  {name}: {values.min():.6g} … {values.max():.6g} {unit}".rstrip())
        return "\n".join([*lines, *(f"  warning: {warning}" for warning in self.warnings)])
