"""The planar model: what a person says about a mechanism that moves in a plane."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Literal

from pytrammel._util import traced_numbers
from pytrammel._util.checks import checked, with_checked_names
from pytrammel.forces.force import follow_force_types
from pytrammel.joints.constraint import follow_constraint_types
from pytrammel.model.argument_types import Place
from pytrammel.model.base import Model, attach_builders, body_method
from pytrammel.model.bodies import GROUND, Body, Point, checked_frame, make_body, unit_vector
from pytrammel.model.linkages import linkage
from pytrammel.model.quantities.coordinates import PLANE
from pytrammel.model.quantities.design_configuration import drawn_value
from pytrammel.model.quantities.quantity import ANGLE, LENGTH, Quantity, linear

if TYPE_CHECKING:
    from pytrammel.model.argument_types import Components, Outline, Scalars, Value, VectorLike
    from pytrammel.model.typed_methods import PlanarElements, PlanarPart, giving
else:
    PlanarElements = object


@with_checked_names
class PlanarModel(Model, PlanarElements):
    """Bodies, joints and drivers of a planar mechanism.

    Every joint type is a method (``m.revolute(...)``, ``m.cam_roller(...)``); `pytrammel.constraint_types()` lists them.

    Args:
        name: Title of the model.
        gravity: Acceleration of gravity [m/s²].
        display_unit: Length unit of printed tables and pictures: "m", "cm", "mm", "in", "ft". Numbers going in and arrays
            coming out are SI; the helpers `mm`, `cm`, `inch`, `deg` and `rpm` convert at the border.
        closure_tolerance: Gap that redundant rows of a closed loop may keep [m], for data that were rounded; rows that measure angles
            may keep it divided by the model's size. Such loops must close exactly where it is 0.
    """

    space = PLANE

    if TYPE_CHECKING:  # what the base class leaves open between plane and space
        ground: Body
        bodies: Mapping[str, Body]
        points: Mapping[str, Point]
        point = giving(Point, Model.point)
        bar = giving(Body, Model.bar)
        disc = giving(Body, Model.disc)

        def __getitem__(self, name: str) -> PlanarPart: ...

    @checked
    def __init__(
        self,
        name: str = "model",
        *,
        gravity: Scalars = (0.0, -9.81),
        display_unit: str = "m",
        closure_tolerance: float | str = 0.0,
    ) -> None:
        super().__init__(name, gravity, display_unit, Body(GROUND), closure_tolerance=closure_tolerance)

    @body_method
    def body(
        self,
        name: str,
        *,
        position: VectorLike = (0.0, 0.0),
        angle: Value = 0.0,
        mass: Value | None = None,
        inertia: Value | None = None,
        outline: Outline = (),
        points: Mapping[str, Scalars] | None = None,
        centroid: VectorLike = (0.0, 0.0),
        velocity: Components | None = None,
        omega: Value | None = None,
        massless: bool = False,
        color: str | None = None,
    ) -> Body:
        """Add a body.

        Args:
            name: Unique name.
            position: Origin of the body frame in the drawn pose (the centroid, unless you have reasons) [m].
            angle: Angle of the body frame in the drawn pose [rad]; use ``tm.deg(30)`` for degrees.
            mass: Mass [kg]. Not needed for kinematics.
            inertia: Moment of inertia about the centroid [kg m²].
            outline: Corners in body coordinates, for pictures [m]; a list of such lists for several closed lines.
            points: Named points in body coordinates [m].
            centroid: Centre of mass in body coordinates [m]; the frame's origin by default.
            velocity: Velocity of the frame's origin at the start of a simulation [m/s]. What is not given, in whole or for a component
                (``(2.0, None)``), is free: it follows from the joints and from what is given, with the least kinetic energy.
            omega: Angular velocity at the start of a simulation [rad/s]; free if it is not given.
            massless: The body has no mass on purpose (a light intermediate link); it may have a moment of inertia.
            color: Colour in pictures, "#rrggbb" or a name such as "tab:orange"; the next one of the theme by default.
        """
        return make_body(
            name,
            position=position,
            angle=angle,
            mass=mass,
            inertia=inertia,
            outline=outline,
            points={} if points is None else points,
            centroid=centroid,
            velocity=velocity,
            omega=omega,
            massless=massless,
            color=color,
        )

    linkage = linkage

    @checked
    def angle_between(self, first: Place, second: Place) -> Quantity:
        """Angle of the second body minus that of the first [rad]."""
        i, j = self.body_of(first).name, self.body_of(second).name
        return linear({j: (0, 0, 1.0), i: (0, 0, -1.0)}, ANGLE, f"angle({i},{j})")

    @checked
    def distance(self, first: Place, second: Place, label: str = "") -> Quantity:
        """Distance between two points [m]."""
        p = self.place(first, None, "first point", origin=True)
        q = self.place(second, None, "second point", origin=True)
        label = label or f"distance({p.label},{q.label})"
        return Quantity("distance", (p.body, q.body), (*p.local, *q.local), (LENGTH,), label)

    @checked
    def difference(
        self, first: Place, second: Place, axis: Scalars, *, frame: Literal["space", "body"] = "space"
    ) -> Quantity:
        """Component along a direction of the vector from the first point to the second [m].

        Args:
            first, second: Points (a body alone: its origin).
            axis: Direction, global, design configuration.
            frame: "space": the direction keeps its global components. "body": it turns with the first body, as it does by default in
                space.
        """
        p = self.place(first, None, "first point", origin=True)
        q = self.place(second, None, "second point", origin=True)
        ux, uy = unit_vector(axis, "the axis of a difference")
        label = f"difference({p.label},{q.label})"
        if checked_frame(frame, label) == "space":
            return Quantity("projection", (q.body, p.body), (*q.local, *p.local, ux, uy), (LENGTH,), label)
        angle = self.bodies[p.body].angle
        c, s = traced_numbers.cos(angle), traced_numbers.sin(angle)
        own = (c * ux + s * uy, -s * ux + c * uy)
        return Quantity("along", (q.body, p.body), (*q.local, *p.local, *own, 0.0), (LENGTH,), f"{label} in {p.body}")

    def drawn_value(self, quantity: Quantity) -> float:
        """Value of a scalar quantity in the drawn pose."""
        return drawn_value(self._bodies, quantity)

    def measure(self, quantity: Quantity | str, user: str = "") -> Quantity:
        """Measured quantity by name: "crank.x", "crank.phi" (or "crank.angle"), "P.y", "A.angle", "T.distance"."""
        if (
            isinstance(quantity, str)
            and quantity.endswith(".angle")
            and quantity.removesuffix(".angle") in self._bodies
        ):
            quantity = quantity.removesuffix(".angle") + ".phi"
        return super().measure(quantity, user)


attach_builders(PlanarModel, follow_constraint_types, follow_force_types)
