"""Names and units of the coordinates of a body, in the plane and in space."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Coordinates:
    """How a body's position and velocity are described.

    Attributes:
        dimension: 2 or 3.
        positions: Names of its coordinates q.
        columns: Names of its velocities v and of small motions, after the coordinate they change: rotations in space are about the
            body's own axes.
        units: Units of small motions.
        rates: Names of velocities and the column each stands for.
        accelerations: Likewise for accelerations.
    """

    dimension: int
    positions: tuple[str, ...]
    columns: tuple[str, ...]
    units: tuple[str, ...]
    rates: Mapping[str, str]
    accelerations: Mapping[str, str]

    @property
    def axes(self) -> tuple[str, ...]:
        """Names of the coordinates of a point."""
        return self.positions[: self.dimension]


PLANE = Coordinates(
    2,
    ("x", "y", "phi"),
    ("x", "y", "phi"),
    ("m", "m", "rad"),
    {"vx": "x", "vy": "y", "omega": "phi"},
    {"ax": "x", "ay": "y", "alpha": "phi"},
)
SPACE = Coordinates(
    3,
    ("x", "y", "z", "e0", "e1", "e2", "e3"),
    ("x", "y", "z", "rx", "ry", "rz"),
    ("m", "m", "m", "rad", "rad", "rad"),
    {"vx": "x", "vy": "y", "vz": "z", "wx": "rx", "wy": "ry", "wz": "rz"},
    {"ax": "x", "ay": "y", "az": "z", "alpha_x": "rx", "alpha_y": "ry", "alpha_z": "rz"},
)
