"""Rigid parts of Modelica.Mechanics.MultiBody.Parts, with its defaults."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from .network import Part, Pose
from .rotations import UNIT, about, from_nxy, in_turn, unit

STEEL = 7700.0  # default density of boxes and cylinders [kg/m³]
FRACTION = 20.0  # World.defaultWidthFraction: default width of a part of length 1
Numbers = Sequence[float]
ORIGIN, X = (0.0, 0.0, 0.0), (1.0, 0.0, 0.0)


@dataclass
class Fixed(Part):
    """Frame fixed in the world."""

    r: Numbers = ORIGIN
    frames = ("frame_b",)

    def rigid(self):
        return [("world.frame_b", "frame_b", np.asarray(self.r, float), UNIT)]


@dataclass
class FixedTranslation(Part):
    """Two frames at a fixed distance."""

    r: Numbers = ORIGIN

    def rigid(self):
        return [("frame_a", "frame_b", np.asarray(self.r, float), UNIT)]


@dataclass
class FixedRotation(Part):
    """Two frames, the second moved and turned against the first; angles in degrees."""

    r: Numbers = ORIGIN
    n: Numbers = (1.0, 0.0, 0.0)
    angle: float = 0.0
    angles: Numbers | None = None
    n_x: Numbers | None = None
    n_y: Numbers = (0.0, 1.0, 0.0)
    sequence: Sequence[int] = (1, 2, 3)

    def rigid(self):
        if self.angles is not None:
            axes = in_turn(self.sequence, np.radians(self.angles))
        elif self.n_x is not None:
            axes = from_nxy(self.n_x, self.n_y)
        else:
            axes = about(self.n, np.radians(self.angle))
        return [("frame_a", "frame_b", np.asarray(self.r, float), axes)]


@dataclass(kw_only=True)
class Start:
    """Start of a part's `frame_a` in the world: `w` in the world, angles in a sequence of own axes."""

    r_0: Numbers | None = None
    v_0: Numbers = ORIGIN
    angles: Numbers = ORIGIN
    w_0: Numbers = ORIGIN

    def placed(self):
        if self.r_0 is None:
            return None
        axes = in_turn((1, 2, 3), self.angles)
        return Pose(np.asarray(self.r_0, float), axes, np.asarray(self.v_0, float), np.asarray(self.w_0, float))


@dataclass
class Body(Start, Part):
    """Mass with inertia (moments 11, 22, 33 and products 21, 31, 32 about the centre of mass)."""

    m: float = 1.0
    r_CM: Numbers = ORIGIN
    I: Numbers = (0.001, 0.001, 0.001)  # noqa: E741 (Modelica's name)
    products: Numbers = ORIGIN
    frames = ("frame_a",)

    def masses(self):
        i11, i22, i33 = self.I
        i21, i31, i32 = self.products
        inertia = np.array([[i11, i21, i31], [i21, i22, i32], [i31, i32, i33]])
        return [("frame_a", self.m, np.asarray(self.r_CM, float), inertia)]


@dataclass
class BodyShape(Body):
    """Mass with inertia and a second frame."""

    r: Numbers = ORIGIN
    frames = ("frame_a", "frame_b")

    def rigid(self):
        return [("frame_a", "frame_b", np.asarray(self.r, float), UNIT)]


@dataclass
class BodyBox(Start, Part):
    """Box between two frames, perhaps hollow; `across` is the direction of its width."""

    r: Numbers = (0.1, 0.0, 0.0)
    length: float | None = None
    width: float | None = None
    height: float | None = None
    inner: Numbers = (0.0, 0.0)
    density: float = STEEL
    r_shape: Numbers = ORIGIN
    direction: Numbers | None = None
    across: Numbers = (0.0, 1.0, 0.0)

    def rigid(self):
        return [("frame_a", "frame_b", np.asarray(self.r, float), UNIT)]

    def masses(self):
        along = np.asarray(self.r, float) - np.asarray(self.r_shape, float)
        length = np.linalg.norm(along) if self.length is None else self.length
        width = length / FRACTION if self.width is None else self.width
        height = width if self.height is None else self.height
        inner_width, inner_height = self.inner
        outer, inner = (self.density * length * w * h for w, h in ((width, height), (inner_width, inner_height)))
        moments = [
            outer * (a * a + b * b) - inner * (c * c + d * d)
            for a, b, c, d in (
                (width, height, inner_width, inner_height),
                (length, height, length, inner_height),
                (length, width, length, inner_width),
            )
        ]
        axes = from_nxy(self.r, self.across)
        centre = (
            np.asarray(self.r_shape, float) + unit(along if self.direction is None else self.direction) * length / 2
        )
        return [("frame_a", outer - inner, centre, axes @ np.diag(moments) @ axes.T / 12)]


@dataclass
class BodyCylinder(Start, Part):
    """Cylinder between two frames, perhaps hollow."""

    r: Numbers = (0.1, 0.0, 0.0)
    length: float | None = None
    diameter: float | None = None
    inner: float = 0.0
    density: float = STEEL
    r_shape: Numbers = ORIGIN
    direction: Numbers | None = None

    def rigid(self):
        return [("frame_a", "frame_b", np.asarray(self.r, float), UNIT)]

    def masses(self):
        along = np.asarray(self.r, float) - np.asarray(self.r_shape, float)
        length = np.linalg.norm(along) if self.length is None else self.length
        radius = (length / FRACTION if self.diameter is None else self.diameter) / 2
        hole = self.inner / 2
        outer, inner = (self.density * np.pi * length * x * x for x in (radius, hole))
        across = (outer * (length**2 + 3 * radius**2) - inner * (length**2 + 3 * hole**2)) / 12
        axes = from_nxy(self.r, (0, 1, 0))
        inertia = np.diag([(outer * radius**2 - inner * hole**2) / 2, across, across])
        centre = (
            np.asarray(self.r_shape, float) + unit(along if self.direction is None else self.direction) * length / 2
        )
        return [("frame_a", outer - inner, centre, axes @ inertia @ axes.T)]

    @property
    def axial(self) -> float:
        """Moment of inertia about the first axis [kg m²]."""
        return float(self.masses()[0][3][0, 0])


@dataclass
class PointMass(Start, Part):
    """Mass of a point. Alone it gets an inertia, which no force reaches."""

    m: float = 1.0
    alone: bool = False
    frames = ("frame_a",)

    def masses(self):
        return [("frame_a", self.m, np.zeros(3), UNIT * (self.m if self.alone else 0.0))]


@dataclass
class Sensor(Part):
    """Absolute sensor of frame_a, its vectors in the axes of `resolve`."""

    resolve: str = "frame_a"
    frames = ("frame_a", "frame_resolve")


@dataclass
class Distance(Part):
    """Distance of two frames."""
