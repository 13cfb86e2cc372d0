"""Fastest motion along a path."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pytrammel._util.checks import checked
from pytrammel._util.messages import brief, short
from pytrammel.errors import ModelError
from pytrammel.model.base import Model
from pytrammel.results.robotics.modes import States

Array = NDArray[np.float64]
AT_LIMIT = 1e-4  # distance of an effort from its limit, relative to the range, at which it is active


@brief
@dataclass(frozen=True, eq=False)
class TimeOptimal(States):
    """Fastest motion along a path within limits of efforts and rates.

    Attributes:
        model: The model.
        coordinates, units: Names and units of the joint coordinates.
        velocities: Names of the joint velocities.
        actuators: Names of the actuators.
        times: Times at both ends of the path and in the middles of its intervals [s], shape (n,).
        s: Path parameter from 0 to 1.
        rate, acceleration: First and second time derivative of the path parameter [1/s, 1/s²].
        largest_rate: Largest rate of the path parameter that the limits allow at each point with any acceleration.
        q: Joint coordinates, shape (n, coordinates).
        v, a: Joint velocities and accelerations, shape (n, velocities).
        efforts: Efforts of the actuators [N, N m], shape (n, actuators).
        lower, upper: Limits of the efforts, shape (actuators,).
    """

    model: Model = field(repr=False)
    coordinates: tuple[str, ...] = field(repr=False)
    units: tuple[str, ...] = field(repr=False)
    velocities: tuple[str, ...] = field(repr=False)
    actuators: tuple[str, ...]
    times: Array = field(repr=False)
    s: Array = field(repr=False)
    rate: Array = field(repr=False)
    acceleration: Array = field(repr=False)
    largest_rate: Array = field(repr=False)
    q: Array = field(repr=False)
    v: Array = field(repr=False)
    a: Array = field(repr=False)
    efforts: Array = field(repr=False)
    lower: Array = field(repr=False)
    upper: Array = field(repr=False)
    bodies: Array = field(repr=False)

    @property
    def duration(self) -> float:
        """Time from the first to the last position [s]."""
        return float(self.times[-1])

    @checked
    def effort(self, name: str) -> Array:
        """Effort of an actuator at all times [N, N m], shape (n,)."""
        if name not in self.actuators:
            raise ModelError(
                f"{short(name)} is not an actuator of this result. Use one of: {', '.join(self.actuators)}."
            )
        return self.efforts[:, self.actuators.index(name)]

    @property
    def active(self) -> NDArray[np.bool_]:
        """Whether each effort is at a limit, shape (n, actuators)."""
        span = np.where(np.isfinite(self.upper - self.lower), self.upper - self.lower, np.inf)
        near = np.minimum(np.abs(self.efforts - self.lower), np.abs(self.upper - self.efforts))
        return np.asarray(near <= AT_LIMIT * np.where(np.isfinite(span), span, np.maximum(np.abs(self.efforts), 1.0)))

    @checked
    def drawn(self, k: int) -> Model:
        """Copy of the model with position k of the path as its design configuration."""
        return self._model_at(k)

    @checked
    def plot(self, path: str | Path | None = None, *, ax: Any = None) -> Any:
        """Plot the rate along the path, efforts with their limits, and rates of the actuators, and return the axes.

        Args:
            path: File to write (png, svg, pdf).
            ax: Three sets of axes to draw on.
        """
        from pytrammel.view.plots.robots import plot_time_optimal

        return plot_time_optimal(self, ax=ax, path=path)

    def __str__(self) -> str:
        lines = [f"time-optimal motion of {self.model.name!r}: {self.duration:.6g} s, {len(self)} points"]
        active = self.active[:-1]
        for k, name in enumerate(self.actuators):
            share = 100.0 * float(active[:, k] @ np.diff(self.times)) / self.duration
            tau = self.efforts[:, k]
            lines.append(
                f"  {name}: {tau.min():.6g} … {tau.max():.6g} (limits {self.lower[k]:g}, {self.upper[k]:g}), at a limit {share:.3g} % of "
                "the time"
            )
        return "\n".join(lines)
