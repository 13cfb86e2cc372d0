"""The end effector: which components of its position and orientation are prescribed, residuals and Jacobians."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pytrammel import rotations
from pytrammel._util.messages import short
from pytrammel.analysis.functions.model_functions import ModelFunctions
from pytrammel.errors import ModelError

Array = NDArray[np.float64]
POSITIONS = ("x", "y", "z")
TURNS = {2: ("angle",), 3: ("rx", "ry", "rz")}
ORTHONORMAL = 1e-6  # deviation of a rotation matrix from orthonormal columns


@dataclass(frozen=True)
class Target:
    """Values of the components, shape (n, k), and orientations: angles (n,), matrices (n, 3, 3), or None."""

    values: Array
    orientation: Array | None = None

    def __len__(self) -> int:
        return len(self.values)

    def take(self, at: Any) -> Target:
        """The targets with given numbers."""
        return Target(self.values[at], None if self.orientation is None else self.orientation[at])

    def between(self, other: Target, part: float) -> Target:
        """Targets on the way to others: straight lines, and rotations about fixed axes."""
        values = self.values + part * (other.values - self.values)
        if self.orientation is None or other.orientation is None:
            return Target(values)
        if self.orientation.ndim == 1:
            return Target(values, self.orientation + part * (other.orientation - self.orientation))
        way = rotation_vectors(other.orientation @ np.swapaxes(self.orientation, -1, -2))
        return Target(values, rotations_about(part * way) @ self.orientation)


class Task:
    """Components of the position of a place and, where given, of its body's orientation.

    Attributes:
        place: Name of the point or body.
        components: Names of the rows: "x", "y", "z", "angle", "rx", "ry", "rz".
        units: Their units.
    """

    def __init__(self, f: ModelFunctions, place: Any, components: Sequence[str]) -> None:
        self.f, self.place = f, place
        self.dimension = f.model.space.dimension
        known = (*POSITIONS[: self.dimension], *TURNS[self.dimension])
        for name in components:
            if name not in known:
                raise ModelError(f"components of {label_of(place)}: {short(name)} is not one of {', '.join(known)}.")
        if len(set(components)) < len(components):
            raise ModelError(f"components of {label_of(place)}: a name is given twice in {', '.join(components)}.")
        self.components = tuple(name for name in known if name in components)
        self.rows = [known.index(name) for name in self.components]
        self.positions = [row for row in self.rows if row < self.dimension]
        self.turns = [row - self.dimension for row in self.rows if row >= self.dimension]
        self.units = tuple("m" if row < self.dimension else "rad" for row in self.rows)
        f._place(place)  # names the place in a message if it is unknown

    @property
    def whole_orientation(self) -> bool:
        """Return True if the orientation is prescribed completely."""
        return len(self.turns) == len(TURNS[self.dimension])

    def scales(self, length: float) -> Array:
        """Scale of each row."""
        return np.array([length if unit == "m" else 1.0 for unit in self.units])

    def now(self, q: Array) -> Target:
        """Values at given coordinates, shape (n, nq)."""
        r, turn = self.f.pose(self.place, q)
        return Target(r[..., self.positions], turn if self.turns else None)

    def residual(self, q: Array, target: Target) -> Array:
        """Differences from the targets; rotations as rotation vectors in global components, shape (n, rows)."""
        r, turn = self.f.pose(self.place, q)
        parts = [r[..., self.positions] - target.values]
        if self.turns and target.orientation is not None:
            if self.dimension == 2:
                away = turn - target.orientation
                parts.append((away - 2.0 * np.pi * np.round(away / (2.0 * np.pi)))[:, None])
            else:
                between = rotation_vectors(turn @ np.swapaxes(target.orientation, -1, -2))
                parts.append(between[:, self.turns])
        return np.concatenate(parts, axis=-1)

    def jacobian(self, q: Array) -> Array:
        """Rows along the velocities, shape (..., rows, velocities)."""
        return self.f.jacobian(self.place, q)[..., self.rows, :]


def label_of(place: Any) -> str:
    """Name of a point or body."""
    return repr(place) if isinstance(place, str) else repr(getattr(place, "name", None) or "the end effector")


def rotation_vectors(matrices: Array) -> Array:
    """Rotation vectors of rotation matrices, shape (n, 3), at most half a turn long."""
    return np.asarray(rotations.log(rotations.parameters(matrices)))


def rotations_about(vectors: Array) -> Array:
    """Rotation matrices of rotation vectors, shape (n, 3, 3)."""
    return np.asarray(rotations.matrix(rotations.exp(vectors)))


def default_components(dimension: int, freedoms: int, place: Any) -> tuple[str, ...]:
    """Components that as many degrees of freedom can move.

    Raises:
        ModelError: The choice is not unique.
    """
    names = (*POSITIONS[:dimension], *TURNS[dimension])
    if freedoms == dimension:
        return names[:dimension]
    if freedoms >= len(names):
        return names
    raise ModelError(
        f"components of {label_of(place)} are not unique with {freedoms} degrees of freedom. Pass components= with at most {freedoms} of: "
        f"{', '.join(names)}."
    )


def read_target(task_place: Any, targets: Any, size: int, names: Sequence[str]) -> tuple[Array, bool]:
    """Targets of positions, shape (n, size), and whether a single one was given.

    Raises:
        ModelError: A wrong shape or numbers that are not finite.
    """
    label = f"targets of {label_of(task_place)}"
    try:
        values = np.asarray(targets, dtype=float)
    except (TypeError, ValueError, OverflowError):
        raise ModelError(f"{label} must be an array of numbers, but they are {short(targets)}.") from None
    if values.ndim not in (1, 2) or values.shape[-1] != size or not values.size:
        raise ModelError(
            f"{label} have shape {values.shape}, but must be ({size},) or (n, {size}): {', '.join(names)} [m] of each target."
        )
    if not np.isfinite(values).all():
        bad = tuple(int(k) for k in np.argwhere(~np.isfinite(values))[0])
        raise ModelError(f"{label} are not finite: entry {bad} is {values[bad]}. Pass finite numbers.")
    return np.atleast_2d(values), values.ndim == 1


def read_orientation(task_place: Any, orientation: Any, count: int, dimension: int) -> Array:
    """Orientations per target: angles (n,), or rotation matrices (n, 3, 3).

    Raises:
        ModelError: A wrong shape, numbers that are not finite, or a matrix that is not a rotation.
    """
    label = f"orientation of {label_of(task_place)}"
    try:
        given = np.asarray(orientation, dtype=float)
    except (TypeError, ValueError, OverflowError):
        raise ModelError(f"{label} must be an array of numbers, but it is {short(orientation)}.") from None
    one = () if dimension == 2 else (3, 3)
    if given.shape not in (one, (count, *one)):
        kind = (
            "one angle [rad] or one per target"
            if dimension == 2
            else "one rotation matrix (3, 3) or one per target (n, 3, 3)"
        )
        raise ModelError(f"{label} has shape {given.shape}, but must be {kind}; there are {count} targets.")
    if not np.isfinite(given).all():
        raise ModelError(f"{label} is not finite. Pass finite numbers.")
    found = np.broadcast_to(given, (count, *one)).copy()
    if dimension == 3:
        off = np.abs(np.swapaxes(found, -1, -2) @ found - np.eye(3)).max()
        if off > ORTHONORMAL or np.linalg.det(found).min() < 0.0:
            raise ModelError(
                f"{label} is not a rotation matrix: its columns deviate from orthonormal, right-handed axes by {off:.3g} (limit "
                f"{ORTHONORMAL:g}). Pass a matrix of `pytrammel.rotations`."
            )
    return found
