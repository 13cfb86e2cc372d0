"""The spatial model: what a person says about a mechanism that moves in space."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Literal

import numpy as np

from pytrammel._util.checks import checked, with_checked_names
from pytrammel.errors import ModelError
from pytrammel.expressions.expression import filled
from pytrammel.inertia import MassProperties
from pytrammel.joints.spatial.frames import angle_about, axis_direction
from pytrammel.model.argument_types import Place
from pytrammel.model.base import Model, attach_builders, body_method
from pytrammel.model.bodies import GROUND, checked_frame
from pytrammel.model.quantities.coordinates import SPACE
from pytrammel.model.quantities.quantity import LENGTH, NUMBER, Quantity
from pytrammel.model.quantities.spatial_design_configuration import drawn_value
from pytrammel.model.spatial_bodies import Marker, SpatialBody, frame_on_axis, make_spatial_body
from pytrammel.model.spatial_registries import follow_spatial_constraint_types, follow_spatial_force_types

if TYPE_CHECKING:
    from pytrammel.geometry.shapes import Shape
    from pytrammel.model.argument_types import Components, Direction, MatrixLike, Scalars, Value, VectorLike
    from pytrammel.model.typed_methods import SpatialElements, SpatialPart, giving
else:
    SpatialElements = object


@with_checked_names
class SpatialModel(Model, SpatialElements):
    """Bodies, joints and drivers of a spatial mechanism.

    Every joint type is a method (``m.revolute(...)``, ``m.universal(...)``); `pytrammel.spatial_constraint_types()` lists them.

    Args:
        name: Title of the model.
        gravity: Acceleration of gravity [m/s²]; z is up by default.
        display_unit: Length unit of printed tables and pictures.
        closure_tolerance: Gap that redundant rows of a closed loop may keep [m], for data that were rounded; rows that measure angles
            may keep it divided by the model's size. Such loops must close exactly where it is 0.
    """

    space = SPACE
    _dimension = 3

    if TYPE_CHECKING:  # what the base class leaves open between plane and space
        ground: SpatialBody
        bodies: Mapping[str, SpatialBody]
        points: Mapping[str, Marker]
        point = giving(Marker, Model.point)
        bar = giving(SpatialBody, Model.bar)
        disc = giving(SpatialBody, Model.disc)

        def __getitem__(self, name: str) -> SpatialPart: ...

    @checked
    def __init__(
        self,
        name: str = "model",
        *,
        gravity: Scalars = (0.0, 0.0, -9.81),
        display_unit: str = "m",
        closure_tolerance: float | str = 0.0,
    ) -> None:
        super().__init__(name, gravity, display_unit, SpatialBody(GROUND), closure_tolerance=closure_tolerance)

    @body_method
    def body(
        self,
        name: str,
        *,
        position: VectorLike = (0.0, 0.0, 0.0),
        rotation: MatrixLike = (1.0, 0.0, 0.0, 0.0),
        mass: Value | None = None,
        inertia: Value | MatrixLike | None = None,
        centroid: VectorLike | None = None,
        properties: MassProperties | None = None,
        shape: Shape | Sequence[Shape] | None = None,
        density: Value | None = None,
        points: Mapping[str, Scalars] | None = None,
        velocity: Components | None = None,
        omega: Components | None = None,
        massless: bool = False,
        armature: bool = False,
        color: str | None = None,
    ) -> SpatialBody:
        """Add a body.

        Args:
            name: Unique name.
            position: Origin of the body frame in the drawn pose, global [m].
            rotation: Orientation of the body frame in the drawn pose: Euler parameters (scalar first) or a rotation matrix;
                ``tm.rotations`` makes them from an axis and an angle or from three angles.
            mass: Mass [kg]. Not needed for kinematics.
            inertia: Inertia matrix about the centroid in body axes [kg m²]: 3x3, three principal moments, or one number.
            centroid: Centre of mass in body coordinates [m]; the frame's origin by default.
            properties: Mass, centroid and inertia at once, from ``tm.inertia``.
            shape: What it looks like: `Box`, `Sphere`, `Cylinder`, `Solid`, a mesh file ("part.stl", in metres), or a list of them.
            density: Density of the shape [kg/m³], from which mass, centroid and inertia follow.
            points: Named points in body coordinates [m].
            velocity: Velocity of the frame's origin at the start of a simulation, global [m/s]. What is not given, in whole or for a
                component (``(None, None, 1.0)``), is free: it follows from the joints and from what is given, with the least kinetic
                energy.
            omega: Angular velocity at the start of a simulation, body components [rad/s]; free where it is not given.
            massless: The body has no mass on purpose (a light intermediate link); it may have moments of inertia.
            armature: The body stands for the inertia of a rotor that turns with a joint. It has kinetic energy, and is left out of mass,
                centre of mass, momentum and angular momentum of the system.
            color: Colour in pictures, "#rrggbb" or a name such as "tab:orange"; the next one of the theme by default.
        """
        return make_spatial_body(
            name, position=position, rotation=rotation, mass=mass, inertia=inertia, centroid=centroid, properties=properties, shape=shape,
            density=density, points={} if points is None else points, velocity=velocity, omega=omega, massless=massless,
            armature=armature, color=color,
        )  # fmt: skip

    # --- measured quantities -----------------------------------------------------------------------------------------

    @checked
    def distance(self, first: Place, second: Place, label: str = "") -> Quantity:
        """Distance between two points [m]."""
        p = self.place(first, None, "first point", origin=True)
        q = self.place(second, None, "second point", origin=True)
        label = label or f"distance({p.label},{q.label})"
        return Quantity("point_distance", (p.body, q.body), (*p.local, *q.local), (LENGTH,), label)

    @checked
    def difference(
        self, first: Place, second: Place, axis: Direction, *, frame: Literal["space", "body"] = "body"
    ) -> Quantity:
        """Component along a direction of the vector from the first point to the second [m].

        Args:
            first, second: Points (a body alone: its origin).
            axis: Direction, global, design configuration.
            frame: "body": the direction turns with the first body. "space": it keeps its global components, as it does by default in the
                plane.
        """
        p = self.place(first, None, "first point", origin=True)
        q = self.place(second, None, "second point", origin=True)
        if checked_frame(frame, f"difference({p.label},{q.label})") == "space":
            fixed = self.ground.local_direction(axis, "the direction of a difference")
            inputs = {"first": p.along(fixed), "second": q.along(fixed)}
            return Quantity(
                "expression", tuple(dict.fromkeys((p.body, q.body))), (1.0,), (LENGTH,), f"difference({p.label},{q.label}) in space",
                formula=filled("second - first"), inputs=inputs,
            )  # fmt: skip
        u = self.bodies[p.body].local_direction(axis, "the direction of a difference")
        return Quantity(
            "axis_offset", (p.body, q.body), (*u, *p.local, *q.local), (LENGTH,), f"difference({p.label},{q.label})"
        )

    @checked
    def cosine(self, first: Place, first_axis: Direction, second: Place, second_axis: Direction) -> Quantity:
        """Cosine of the angle between directions of two bodies, given globally in the drawn pose."""
        i, j = self.body_of(first), self.body_of(second)
        u, w = i.local_direction(first_axis, "the first axis"), j.local_direction(second_axis, "the second axis")
        return Quantity("axis_dot", (i.name, j.name), (*u, *w), (NUMBER,), f"cosine({i.name},{j.name})")

    @checked
    def angle_between(self, first: Place, second: Place, axis: Direction, *, label: str = "") -> Quantity:
        """Angle by which the second body is turned against the first about an axis of the first, counted through all turns [rad].

        The axis is given globally in the drawn pose, where the angle is zero.
        """
        i, j = self.body_of(first), self.body_of(second)
        frame = frame_on_axis(axis_direction(self, axis, "the axis of an angle"), None, "the axis of an angle")
        label = label or f"angle({i.name},{j.name},{tuple(np.round(np.array(frame, dtype=float), 6)[:, 2])})"
        origin = i.position
        quantity = angle_about(self, i.marker_global(origin, frame), j.marker_global(origin, frame), label)
        assert quantity.turn is not None
        if self._turns.setdefault(label, quantity.turn) != quantity.turn:
            raise ModelError(f"the label {label!r} is that of another angle already; give a different label=.")
        return quantity

    @checked
    def relative_parameters(self, first: Place, second: Place) -> Quantity:
        """Four relative Euler parameters: the first body's frame seen from the second's."""
        i, j = self.body_of(first).name, self.body_of(second).name
        return Quantity("relative_parameters", (i, j), (), (NUMBER,) * 4, f"parameters({i},{j})")

    @checked
    def relative_parameter(self, first: Place, second: Place, which: int) -> Quantity:
        """One relative Euler parameter e0 to e3 of the first body's frame seen from the second's; in formulas "first.second.e1"."""
        if which not in (0, 1, 2, 3) or isinstance(which, bool):
            raise ModelError(
                f"which= must be 0, 1, 2 or 3, the number of a relative Euler parameter, but it is {which!r}."
            )
        i, j = self.body_of(first).name, self.body_of(second).name
        return Quantity("relative_parameter", (i, j), (float(which),), (NUMBER,), f"{i}.{j}.e{which}")

    def _measures_of(self, owner: str) -> Mapping[str, Quantity] | None:
        found = super()._measures_of(owner)
        pieces = owner.split(".")
        for k in range(1, len(pieces) if found is None else 0):
            i, j = ".".join(pieces[:k]), ".".join(pieces[k:])
            if i in self._bodies and j in self._bodies:
                return {f"e{n}": self.relative_parameter(i, j, n) for n in range(4)}
        return found

    def drawn_value(self, quantity: Quantity) -> float:
        """Value of a scalar quantity in the drawn pose."""
        return drawn_value(self._bodies, quantity)

    def oriented(self, place: Place) -> Marker | None:
        """An oriented marker as it stands on its body now, or None if the place is not one."""
        if isinstance(place, Marker) and place.oriented:
            marker: Marker = self.body_of(place).again(place)
            return marker
        return None


attach_builders(SpatialModel, follow_spatial_constraint_types, follow_spatial_force_types)
