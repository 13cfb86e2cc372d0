"""Loads in space: forces at points, torques, motors and drag."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from pytrammel.errors import ModelError
from pytrammel.expressions.expression import Expression
from pytrammel.forces.force import Force, ForceUse, Input
from pytrammel.forces.loads import component_laws, drag_factor
from pytrammel.joints.constraint import Symbol
from pytrammel.model.spatial_bodies import AXES, UNIT, space_vector
from pytrammel.model.spatial_registries import spatial_force_type

if TYPE_CHECKING:
    from pytrammel.model.argument_types import Laws, Place, Scalar, Scalars
    from pytrammel.model.spatial import SpatialModel

Frame = Literal["space", "body"]


def components(
    model: SpatialModel, what: str, vector: Laws, frame: str, key: str = "vector"
) -> list[tuple[Expression, dict[str, Input]]]:
    """The laws of the three components of a load, with their inputs."""
    if not isinstance(frame, str) or frame not in ("space", "body"):
        raise ModelError(f"{what}: frame {frame!r} is not known; use 'space' or 'body'.")
    return component_laws(model, what, vector, key)


@spatial_force_type(sample=lambda a, b, c: {"point": a.at(0.3, 0.2, -0.1), "vector": (2.0, "3*cos(t)", f"{b.name}.vx")})
def force(model: SpatialModel, name: str, point: Place, vector: Laws, *, frame: Frame = "space") -> Force:
    """Force at a point, fixed in space or turning with the body.

    Args:
        point: Point of a body (a body alone: its origin).
        vector: Three components [N]: numbers, tables of t, or formulas of t and measured quantities.
        frame: "space" for global components, "body" for components in the body's frame (a follower force).
    """
    p = model.place(point, None, f"the point of force {name!r}", origin=True)
    laws = components(model, f"force {name!r}", vector, frame)
    uses = tuple(
        ForceUse("law_force", "input", p.velocity_along(axis, frame=frame), law, inputs=inputs, label=f"{name}.f{key}")
        for (law, inputs), axis, key in zip(laws, UNIT, AXES, strict=True)
    )
    given = {"point": p, "vector": tuple(vector), "frame": frame}
    return Force("force", name, given, (p.body,), uses, symbols=(Symbol("load", p.body, p.local),))


@spatial_force_type(sample=lambda a, b, c: {"body": a, "torque": (0.5, "2*t", -1.0), "frame": "body", "reaction_on": b})
def torque(
    model: SpatialModel,
    name: str,
    body: Place,
    torque: Laws,
    *,
    frame: Frame = "space",
    reaction_on: Place | None = None,
) -> Force:
    """Pure torque on a body.

    Args:
        body: Body it acts on.
        torque: Three components [N m]: numbers, tables of t, or formulas of t and measured quantities.
        frame: "space" for global components, "body" for components in the body's frame.
        reaction_on: Body that feels the opposite torque (a reaction wheel's carrier); none by default.
    """
    b = model.body_of(body)
    laws = components(model, f"torque {name!r}", torque, frame, "torque")
    other = None if reaction_on is None else model.body_of(reaction_on).name
    if other is not None:
        model.different_bodies(name, b.name, other, "torque")
    uses = []
    for (law, inputs), axis, key in zip(laws, UNIT, AXES, strict=True):
        label = f"{name}.t{key}"
        if other is None:
            uses.append(
                ForceUse(
                    "law_force", "input", b.angular_velocity_about(axis, frame=frame), law, inputs=inputs, label=label
                )
            )
        else:
            data = (*axis, float(frame == "body"))
            pair = (b.name, other)
            uses.append(
                ForceUse(
                    "space_couple", "input", law=law, inputs=inputs, bodies=pair, data=data, label=label, unit="N m"
                )
            )
    given = {"body": b.name, "torque": tuple(torque), "frame": frame, "reaction_on": other}
    return Force("torque", name, given, (b.name,) if other is None else (b.name, other), tuple(uses))


@spatial_force_type(
    sample=lambda a, b, c: {
        "body": a,
        "coefficient": 0.5,
        "area": 0.2,
        "center": (0.1, 0.05, -0.2),
        "wind": (1.0, 0.0, 0.5),
    }
)
def drag(
    model: SpatialModel,
    name: str,
    body: Place,
    *,
    coefficient: Scalar,
    area: Scalar,
    density: Scalar = 1.225,
    center: Scalars = (0.0, 0.0, 0.0),
    wind: Scalars = (0.0, 0.0, 0.0),
) -> Force:
    """Aerodynamic drag: half c_d rho A v², against the velocity relative to the wind.

    Args:
        body: Body.
        coefficient: Drag coefficient c_d.
        area: Reference area [m²].
        density: Density of the medium [kg/m³]; air by default.
        center: Centre of pressure in body coordinates [m]; off the centroid it makes a moment.
        wind: Velocity of the medium, global [m/s].
    """
    b = model.body_of(body)
    at, flow = space_vector(center, f"center of drag {name!r}"), space_vector(wind, f"wind of drag {name!r}")
    data = (*at, drag_factor(name, coefficient, area, density), *flow)
    use = ForceUse("space_drag", "damping", bodies=(b.name,), data=data, label=f"{name}.drag")
    given: dict[str, Any] = {
        "body": b.name, "coefficient": coefficient, "area": area, "density": density, "center": at, "wind": flow,
    }  # fmt: skip
    return Force("drag", name, given, (b.name,), (use,))
