"""Branches of equilibria along a parameter."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pytrammel._util.checks import checked
from pytrammel._util.messages import brief
from pytrammel.errors import ModelError
from pytrammel.system.lowering import System

Array = NDArray[np.float64]


@brief
@dataclass(frozen=True, eq=False)
class Special:
    """A place on a branch where its stability changes.

    Attributes:
        kind: "limit point" (the parameter turns back) or "bifurcation" (another branch crosses).
        value: Value of the parameter.
        q: The position there.
    """

    kind: str
    value: float
    q: Array = field(repr=False)

    def __str__(self) -> str:
        return f"{self.kind} at {self.value:.9g}"


@brief
@dataclass(frozen=True, eq=False)
class Branch:
    """Positions of rest along a parameter.

    Attributes:
        name: Name of the parameter.
        unit: Its unit; "" where the model gives it as a number without a unit.
        values: Its values, in the order of the branch, shape (n,).
        q: Positions, shape (n, n_coordinates).
        stable: Whether the stiffness is positive there (energy at a minimum), shape (n,).
        min_stiffness: Smallest eigenvalue of the stiffness in scaled coordinates, shape (n,).
        critical_points: Limit points and bifurcations, in order.
        system: The model at the first value, lowered: names of the coordinates are ``system.coordinates``.
    """

    name: str
    unit: str
    values: Array
    q: Array = field(repr=False)
    stable: NDArray[np.bool_] = field(repr=False)
    min_stiffness: Array = field(repr=False)
    critical_points: tuple[Special, ...]
    system: System = field(repr=False)

    @checked
    def coordinate(self, name: str) -> Array:
        """A coordinate along the branch: "b.phi", "b.x"."""
        if name not in self.system.coordinates:
            raise ModelError(f"there is no coordinate {name!r}; there are: {', '.join(self.system.coordinates)}.")
        return self.q[:, self.system.coordinates.index(name)]

    @property
    def limit_points(self) -> tuple[Special, ...]:
        """Where the parameter turns round."""
        return tuple(s for s in self.critical_points if s.kind == "limit point")

    @property
    def bifurcations(self) -> tuple[Special, ...]:
        """Where another branch crosses."""
        return tuple(s for s in self.critical_points if s.kind == "bifurcation")

    @checked
    def plot(self, coordinate: str, path: str | Path | None = None, *, ax: Any = None) -> Any:
        """A coordinate over the parameter; unstable parts dashed, limit points and bifurcations marked; returns the axes.

        Args:
            coordinate: Its name, e.g. "b.y".
            path: File to write (png, svg, pdf).
            ax: Axes to draw on; a figure of its own by default.
        """
        from pytrammel.view.plots.linear import plot_branch

        k = self.system.coordinates.index(coordinate) if coordinate in self.system.coordinates else -1
        marks = [(s.kind, s.value, float(s.q[k])) for s in self.critical_points]
        unit = {"x": " [m]", "y": " [m]", "z": " [m]", "phi": " [rad]"}.get(coordinate.rpartition(".")[2], "")
        return plot_branch(
            f"{self.name} [{self.unit}]" if self.unit else self.name,
            coordinate + unit,
            self.values,
            self.coordinate(coordinate),
            self.stable,
            marks,
            ax=ax,
            path=path,
        )
