"""Where a frame is: position and rotation, and how they combine."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pytrammel import rotations
from pytrammel._util.messages import brief
from pytrammel.model.spatial_bodies import perpendicular

Array = NDArray[np.float64]


@brief
@dataclass(frozen=True, eq=False)
class Pose:
    """A frame seen from another one.

    Attributes:
        position: Its origin [m], shape (3,).
        rotation: Its axes as columns, shape (3, 3).
    """

    position: Array = field(default_factory=lambda: np.zeros(3))
    rotation: Array = field(default_factory=lambda: np.eye(3))

    def __matmul__(self, inner: Pose) -> Pose:
        """A frame given in this one, seen from where this one is seen."""
        return Pose(self.position + self.rotation @ inner.position, self.rotation @ inner.rotation)

    @property
    def inverse(self) -> Pose:
        """The way back."""
        return Pose(-self.rotation.T @ self.position, self.rotation.T.copy())

    def at(self, point: ArrayLike) -> Array:
        """A point given in this frame."""
        return np.asarray(self.position + self.rotation @ np.asarray(point, dtype=float), dtype=np.float64)

    def near(self, other: Pose, tolerance: float = 1e-12) -> bool:
        """The same up to rounding."""
        return bool(
            np.abs(self.position - other.position).max() <= tolerance * (1.0 + np.abs(self.position).max())
            and np.abs(self.rotation - other.rotation).max() <= tolerance
        )


def shift(*position: float) -> Pose:
    """A frame moved only."""
    return Pose(np.array(position, dtype=float))


def from_rpy(xyz: ArrayLike, rpy: ArrayLike) -> Pose:
    """A frame from a position and roll, pitch, yaw about fixed x, y, z [rad]."""
    r, p, y = np.asarray(rpy, dtype=float)
    return Pose(np.array(xyz, dtype=float), about("z", y) @ about("y", p) @ about("x", r))


def to_rpy(rotation: Array) -> tuple[float, float, float]:
    """Roll, pitch, yaw [rad] of a rotation."""
    pitch = float(np.arctan2(-rotation[2, 0], np.hypot(rotation[0, 0], rotation[1, 0])))
    if np.hypot(rotation[0, 0], rotation[1, 0]) < 1e-9:  # looking up or down: roll and yaw turn about the same axis
        return float(np.arctan2(-rotation[1, 2], rotation[1, 1])), pitch, 0.0
    return float(np.arctan2(rotation[2, 1], rotation[2, 2])), pitch, float(np.arctan2(rotation[1, 0], rotation[0, 0]))


def from_quaternion(q: ArrayLike) -> Array:
    """Rotation matrix of a quaternion, scalar first, of any length but zero."""
    p = np.asarray(q, dtype=float)
    return np.asarray(rotations.matrix(p / np.linalg.norm(p)), dtype=np.float64)


def to_quaternion(rotation: Array) -> Array:
    """Unit quaternion, scalar first."""
    return np.asarray(rotations.parameters(rotation), dtype=np.float64)


def about(axis: str, angle: float) -> Array:
    """Rotation about x, y or z [rad]."""
    return turn(np.eye(3)["xyz".index(axis)], angle)


def turn(axis: ArrayLike, angle: float) -> Array:
    """Rotation about a unit vector [rad]; exact for angle 0."""
    u = np.asarray(axis, dtype=float)
    skew = np.array([[0.0, -u[2], u[1]], [u[2], 0.0, -u[0]], [-u[1], u[0], 0.0]])
    half = np.sin(0.5 * angle)
    return np.asarray(np.eye(3) + np.sin(angle) * skew + 2.0 * half * half * (skew @ skew), dtype=np.float64)


def on_axis(axis: ArrayLike, x: ArrayLike | None = None) -> Array:
    """Rotation matrix whose z column lies along a direction of any length, its x column as near to `x` as can be."""
    z = np.asarray(axis, dtype=float)
    z = z / np.linalg.norm(z)
    start = np.array(perpendicular(z)) if x is None else np.asarray(x, dtype=float)
    across = start - z * (z @ start)
    if np.linalg.norm(across) < 1e-9 * np.linalg.norm(start):
        across = np.array(perpendicular(z))
    across = across / np.linalg.norm(across)
    return np.column_stack([across, np.cross(z, across), z])
