"""Positions of a mechanism that share the values of actuators or the pose of an end effector."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pytrammel._util.checks import checked
from pytrammel._util.messages import brief, short
from pytrammel.errors import ModelError, RunWarning
from pytrammel.model.base import Model

Array = NDArray[np.float64]


class States:
    """Positions in joint coordinates, by name; for classes with fields model, coordinates, units, q and bodies."""

    model: Model
    coordinates: tuple[str, ...]
    units: tuple[str, ...]
    q: Array
    bodies: Array

    def __len__(self) -> int:
        return len(self.q)

    def __getitem__(self, name: str) -> Array:
        """Values of a coordinate, shape (n,)."""
        if name not in self.coordinates:
            raise ModelError(
                f"{short(name)} is not a coordinate of this result. Use one of: {', '.join(self.coordinates)}."
            )
        return self.q[:, self.coordinates.index(name)]

    def _checked_number(self, k: int) -> int:
        if not -len(self) <= k < len(self):
            raise ModelError(f"position {k} does not exist: there are {len(self)}, numbered from 0.")
        return k % len(self)

    def _model_at(self, k: int) -> Model:
        k = self._checked_number(k)
        per = self.bodies.shape[1] // (len(self.model.bodies) - 1)
        places = self.bodies[k].reshape(-1, per)
        listed = list(self.model.bodies.values())[1:]
        return self.model.copy(
            changes={body.name: body.placed_at(tuple(map(float, p))) for body, p in zip(listed, places, strict=True)}
        )


@brief
@dataclass(frozen=True, eq=False)
class Modes(States):
    """All positions found with the same values of actuators (assembly modes) or pose of an end effector (working modes).

    Attributes:
        kind: "assembly modes" or "working modes".
        model: The model.
        coordinates, units: Names and units of the joint coordinates.
        q: Joint coordinates, shape (n, coordinates).
        given: Prescribed values by name: of actuators, or of components of the end effector [m, rad].
        hits: Number of starts that led to each position, shape (n,).
        starts: Number of starts.
        conditioning: Smallest over largest singular value of the equations at each position, zero where positions merge, shape (n,).
        residual: Largest residual of the equations, in model lengths and radians.
        place: Name of the end effector; "" where none is given.
        positions: Positions of the end effector [m], shape (n, 2 or 3); without columns where none is given.
        warnings: Positions that may be missing or are singular.
    """

    kind: str
    model: Model = field(repr=False)
    coordinates: tuple[str, ...] = field(repr=False)
    units: tuple[str, ...] = field(repr=False)
    q: Array
    given: dict[str, float]
    hits: NDArray[np.int64] = field(repr=False)
    starts: int
    conditioning: Array = field(repr=False)
    residual: float
    place: str = ""
    positions: Array = field(default_factory=lambda: np.zeros((0, 0)), repr=False)
    bodies: Array = field(default_factory=lambda: np.zeros((0, 0)), repr=False)
    warnings: tuple[RunWarning, ...] = ()

    @checked
    def drawn(self, k: int) -> Model:
        """Copy of the model with position k as its design configuration."""
        return self._model_at(k)

    @checked
    def plot(self, path: str | Path | None = None, *, most: int = 12) -> Any:
        """Draw the mechanism in each position, and return the figure.

        Args:
            path: File to write (png, svg, pdf).
            most: Largest number of positions drawn.
        """
        from pytrammel.view.plots.robots import plot_modes

        return plot_modes(self, most=most, path=path)

    def __str__(self) -> str:
        values = ", ".join(f"{name} = {value:.6g}" for name, value in self.given.items())
        lines = [f"{len(self)} {self.kind} of {self.model.name!r}" + (f" at {values}" if values else "")]
        for k in range(len(self)):
            shown = [
                f"{name} {math.degrees(x):.3f}°" if unit == "rad" else f"{name} {x:.6g}"
                for name, unit, x in list(zip(self.coordinates, self.units, self.q[k], strict=True))[:8]
            ]
            lines.append(f"  {k}: {', '.join(shown)}{', …' if len(self.coordinates) > 8 else ''}")
        return "\n".join([*lines, *(f"  warning: {warning}" for warning in self.warnings)])
