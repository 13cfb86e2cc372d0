"""Velocities of an end effector for velocities of the actuators."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pytrammel._util.checks import checked
from pytrammel._util.messages import brief
from pytrammel.model.base import Model
from pytrammel.results.robotics.modes import States

Array = NDArray[np.float64]


@brief
@dataclass(frozen=True, eq=False)
class Manipulability(States):
    """How fast the actuators move an end effector, at one or several positions.

    Attributes:
        model: The model.
        place: Name of the end effector.
        components: Components of its velocity.
        coordinates, units: Names and units of the joint coordinates.
        q: Joint coordinates, shape (n, coordinates).
        actuators: Names of the actuators.
        jacobian: Velocity of the end effector for velocities of the actuators, SI units, shape (n, components, actuators).
        index: Manipulability sqrt(det(J J')) of Yoshikawa, SI units, shape (n,); zero at singularities.
        conditioning: Smallest over largest singular value of J, lengths relative to the model's length.
        serial: Conditioning of the end effector's motion (zero: singularity of type 1).
        parallel: Conditioning of the actuators (zero: singularity of type 2).
        velocities: Half axes of the ellipsoid of the linear velocity for actuator velocities of norm 1, longest first, shape (n, 2 or 3).
        directions: Their directions, global, shape (n, 2 or 3, 2 or 3): one per row.
        positions: Positions of the end effector [m].
    """

    model: Model = field(repr=False)
    place: str
    components: tuple[str, ...]
    coordinates: tuple[str, ...] = field(repr=False)
    units: tuple[str, ...] = field(repr=False)
    q: Array = field(repr=False)
    actuators: tuple[str, ...] = field(repr=False)
    jacobian: Array = field(repr=False)
    index: Array
    conditioning: Array
    serial: Array = field(repr=False)
    parallel: Array = field(repr=False)
    velocities: Array = field(repr=False)
    directions: Array = field(repr=False)
    positions: Array = field(repr=False)
    bodies: Array = field(repr=False)

    @property
    def forces(self) -> Array:
        """Half axes of the ellipsoid of forces held by actuator efforts of norm 1, along `directions`; infinite where a velocity is 0."""
        with np.errstate(divide="ignore"):
            return np.asarray(1.0 / self.velocities)

    @checked
    def plot(self, path: str | Path | None = None, *, ax: Any = None) -> Any:
        """Draw the mechanism with the ellipsoid of velocities; of several positions, plot index and conditioning.

        Args:
            path: File to write (png, svg, pdf).
            ax: Axes to draw on; for several positions one set for the index and one for the conditioning.
        """
        from pytrammel.view.plots.robots import plot_manipulability

        return plot_manipulability(self, ax=ax, path=path)

    def __str__(self) -> str:
        lines = [
            f"manipulability of {self.place!r} in {self.model.name!r} ({', '.join(self.components)}) by {', '.join(self.actuators)}"
        ]
        for k in range(min(len(self), 8)):
            axes = ", ".join(f"{x:.4g}" for x in self.velocities[k])
            lines.append(f"  {k}: index {self.index[k]:.6g}, conditioning {self.conditioning[k]:.4g}, half axes {axes}")
        return "\n".join([*lines, *(["  …"] if len(self) > 8 else [])])
