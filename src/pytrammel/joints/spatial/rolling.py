"""Rolling without slip: a sphere or a thin disc on a plane. The no-slip rows restrain velocities only (non-holonomic)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytrammel._util.checks import checked_number
from pytrammel._util.messages import unlike
from pytrammel.errors import ModelError
from pytrammel.expressions.expression import filled
from pytrammel.geometry import vectors
from pytrammel.joints.constraint import Block, Constraint, Presses, Symbol, check_positive
from pytrammel.joints.rack_and_rolling import friction_limit
from pytrammel.joints.spatial.frames import X, Y, Z, dot, marker_on_axis, offset
from pytrammel.joints.spatial.markers_and_rows import seat
from pytrammel.model.quantities.quantity import LENGTH, Quantity
from pytrammel.model.spatial_registries import spatial_constraint_type

if TYPE_CHECKING:
    from pytrammel.model.argument_types import Direction, Length, Place, Position, Scalar
    from pytrammel.model.spatial import SpatialModel

FLAT = 1e-3  # sine of the angle between a disc's axis and the normal below which it lies flat


@spatial_constraint_type(
    sample=lambda a, b, c: {"plane": a.marker((0.1, 0.2, 0.3), axis="y"), "sphere": b.at(0.1, 0.0, 0.2), "radius": 0.3}
)
def rolling_sphere(
    model: SpatialModel,
    name: str,
    plane: Place,
    sphere: Place,
    *,
    radius: Length,
    at: Position | None = None,
    axis: Direction | None = None,
    friction: Scalar | None = None,
) -> Constraint:
    """Sphere that rolls on a plane without slipping (3 rows: height, and two of velocities only).

    Args:
        plane: Body that carries the plane (with `at` and `axis`), or an oriented marker whose z axis is the normal.
        sphere: Centre of the sphere on its body (a body alone: its origin).
        radius: Radius [m].
        at: A point of the plane, global, design configuration [m].
        axis: Normal of the plane towards the sphere, global, design configuration, as a vector or by two points.
        friction: Coefficient of friction that rolling must not exceed; a run that would says so.

    Measures: ``x``, ``y`` of the centre in the plane, ``height`` [m].
    """
    model.check_at(at, f"rolling sphere {name!r}", plane)
    i = marker_on_axis(model, plane, at, axis, f"rolling sphere {name!r}")
    j = model.place(sphere, None, f"the centre of rolling sphere {name!r}", origin=True)
    model.different_bodies(name, i.body, j.body)
    r = check_positive(
        checked_number(radius, f"radius of rolling sphere {name!r}"), f"radius of rolling sphere {name!r}"
    )
    height = offset(i, Z, j, f"{name}.height")
    slip = Quantity(
        "sphere_slip",
        (j.body, i.body),
        (*j.local, r, *i.axis(Z), *i.axis(X), *i.axis(Y)),
        (LENGTH,) * 2,
        f"slip of {name}",
        rate_only=True,
    )
    return Constraint(
        "rolling_sphere", name, {"plane": i, "sphere": j, "radius": r, "friction": friction}, (i.body, j.body),
        (Block(height, (r,)), Block(slip, (0.0, 0.0))),
        {"x": offset(i, X, j, f"{name}.x"), "y": offset(i, Y, j, f"{name}.y"), "height": height},
        symbols=(Symbol("ball", j.body, j.local, radius=r),), seats=(seat(i), seat(j, radius=r)),
        presses=Presses(j.body, i.body, i.axis(Z), friction=friction_limit(friction, name)),
    )  # fmt: skip


@spatial_constraint_type(
    sample=lambda a, b, c: {
        "plane": a.marker((0.1, 0.2, 0.3), axis="y"),
        "disc": b.marker((0.1, 0.0, 0.2), axis="x"),
        "radius": 0.3,
    }
)
def rolling_disc(
    model: SpatialModel, name: str, plane: Place, disc: Place, *, radius: Length, at: Position | None = None, axis: Direction | None = None,
    disc_axis: Direction | None = None, friction: Scalar | None = None,
) -> Constraint:  # fmt: skip
    """Thin disc that rolls on a plane without slipping (3 rows: height, and two of velocities only).

    Args:
        plane: Body that carries the plane (with `at` and `axis`), or an oriented marker whose z axis is the normal.
        disc: Centre of the disc on its body (with `disc_axis`), or an oriented marker whose z axis is the disc's.
        radius: Radius [m].
        at: A point of the plane, global, design configuration [m].
        axis: Normal of the plane towards the disc, global, design configuration, as a vector or by two points.
        disc_axis: Axis of the disc, global, design configuration; not along the normal.
        friction: Coefficient of friction that rolling must not exceed; a run that would says so.

    Measures: ``x``, ``y`` of the centre in the plane, ``height`` [m], ``lean``: cosine of the angle between axis and normal.
    """
    model.check_at(at, f"rolling disc {name!r}", plane)
    i = marker_on_axis(model, plane, at, axis, f"rolling disc {name!r}")
    if disc_axis is not None and model.is_body(disc):
        disc = model.body_of(disc).at(0.0, 0.0, 0.0)
    j = marker_on_axis(model, disc, None, disc_axis, f"the disc of rolling disc {name!r}")
    model.different_bodies(name, i.body, j.body)
    r = check_positive(checked_number(radius, f"radius of rolling disc {name!r}"), f"radius of rolling disc {name!r}")
    tilt = vectors.length(vectors.cross(i.drawn_axis(Z), j.drawn_axis(Z)))
    if tilt < FLAT:
        texts = unlike(tilt, FLAT, digits=2)
        raise ModelError(
            f"rolling disc {name!r} lies flat on its plane as drawn, so that it touches along its rim: its axis is {texts[0]} rad off the "
            f"normal and must be {texts[1]} rad at least. Tilt its axis."
        )
    lean, height = dot(i, Z, j, Z, f"{name}.lean"), offset(i, Z, j, f"{name}.height")
    rim = Quantity(
        "expression", (i.body, j.body), (1.0,), (LENGTH,), f"contact of {name}", formula=filled("h - radius*sqrt(1 - c^2)", radius=r),
        inputs={"h": height, "c": lean},
    )  # fmt: skip
    data = (*j.local, r, *i.axis(Z), *i.axis(X), *i.axis(Y), *j.axis(Z))
    slip = Quantity("disc_slip", (j.body, i.body), data, (LENGTH,) * 2, f"slip of {name}", rate_only=True)
    return Constraint(
        "rolling_disc", name, {"plane": i, "disc": j, "radius": r, "friction": friction}, (i.body, j.body),
        (Block(rim, (0.0,)), Block(slip, (0.0, 0.0))),
        {"x": offset(i, X, j, f"{name}.x"), "y": offset(i, Y, j, f"{name}.y"), "height": height, "lean": lean},
        symbols=(Symbol("disc", j.body, j.local, radius=r, axis=j.axis(Z)),), seats=(seat(i), seat(j, radius=r)),
        presses=Presses(j.body, i.body, i.axis(Z), friction=friction_limit(friction, name)),
    )  # fmt: skip
