"""Gears, worms, racks: teeth between bodies on joints. The drawing decides which way they turn each other."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytrammel._util.checks import checked_number, checked_numbers
from pytrammel.errors import ModelError
from pytrammel.joints.constraint import PRESSURE, Block, Constraint, Seat, Symbol, check_positive, pressure_tangent
from pytrammel.joints.spatial.gear_mesh import (
    Mesh,
    Shaft,
    drawn_roll,
    rack_mesh,
    relative_motion,
    shafts,
    spur_or_bevel,
    worm_mesh,
)
from pytrammel.model.spatial_registries import spatial_constraint_type

if TYPE_CHECKING:
    from pytrammel.model.argument_types import Angle, Axle, Length, Scalar, Scalars
    from pytrammel.model.spatial import SpatialModel


def _hinge(
    joint: str, a: object, b: object, at: tuple[float, ...] = (0.1, 0.0, 0.2), axis: str = "z"
) -> tuple[str, str, dict[str, object]]:
    """A joint to be made first, for samples: name, kind, arguments."""
    kind = "prismatic" if joint == "slide" else "revolute"
    first = a.marker(at, axis=axis)  # type: ignore[attr-defined]
    return joint, kind, {"first": first, "second": b.marker((0.0, 0.3, 0.1))}  # type: ignore[attr-defined]


def _teeth(
    model: SpatialModel, kind: str, name: str, given: dict[str, object], one: Shaft, two: Shaft, mesh: Mesh, value: Length | None,
    pressure_angle: Angle, radius: float, drawn: tuple[Symbol, ...],
) -> Constraint:  # fmt: skip
    """The row of a mesh: no slip at the pitch point along the line of action, so that its multiplier is the force there."""
    roll = relative_motion(name, "roll", one, two, mesh.at, mesh.along)
    off = relative_motion(name, "separation", one, two, mesh.at, mesh.apart)
    start = drawn_roll(model, one, two, mesh) if value is None else checked_number(value, f"value of {kind} {name!r}")
    alpha = checked_number(pressure_angle, f"pressure angle of {kind} {name!r}")
    return Constraint(
        kind, name, {**given, "value": start, "pressure_angle": alpha}, roll.bodies, (Block(roll, (start,)),),
        symbols=drawn, seats=(Seat(one.carrier.body, mesh.at, radius=radius),),
        separation=(off, pressure_tangent(alpha, f"{kind} {name!r}")),
    )  # fmt: skip


@spatial_constraint_type(
    sample=lambda a, b, c: {
        "first": _hinge("A", c, a),
        "second": _hinge("B", c, b, (0.6, 0.0, 0.2)),
        "radii": (0.2, 0.3),
    }
)
def gear(
    model: SpatialModel, name: str, first: Axle, second: Axle, *, radii: Scalars, internal: bool = False,
    value: Length | None = None, pressure_angle: Angle = PRESSURE,
) -> Constraint:  # fmt: skip
    """Meshing gears: spur, bevel or on a moving carrier (1 row).

    The gears' own joints say what they turn on: two joints to the same body make a simple train on that body, which may be the
    ground or a moving carrier; the axes may be parallel (spur) or meet (bevel). Where the axes are decides how the gears touch and
    which way they turn each other; which way the axes point does not. The teeth push at the pitch point.

    Args:
        first, second: Joints of the two gears; the body common to both is the carrier.
        radii: Pitch radii [m]; they must fit the distance of parallel axes.
        internal: One gear runs inside the other.
        value: Value of the row, the way rolled at the pitch point [m]; defaults to the initial value.
        pressure_angle: Angle between the tooth force and the pitch surfaces [rad]; 20° by default, 0 allowed.
    """
    what = f"gear {name!r}"
    r1, r2 = (
        check_positive(r, f"radii of {what}") for r in checked_numbers(radii, f"radii of {what}", ("first", "second"))
    )
    one, two = shafts(model, what, first, second, ("angle", "angle"))
    mesh = spur_or_bevel(what, one, two, (r1, r2), internal)
    given = {"first": one.joint.name, "second": two.joint.name, "radii": (r1, r2), "internal": internal}
    wheels = tuple(s.pitch_disc(mesh.at, ring=internal and r == max(r1, r2)) for s, r in ((one, r1), (two, r2)))
    return _teeth(model, "gear", name, given, one, two, mesh, value, pressure_angle, max(r1, r2), wheels)


@spatial_constraint_type(
    sample=lambda a, b, c: {"worm": _hinge("A", c, a), "wheel": _hinge("B", c, b, (0.5, 0.0, 0.2), "y"), "ratio": 20.0}
)
def worm(
    model: SpatialModel, name: str, worm: Axle, wheel: Axle, *, ratio: Scalar, radius: Length | None = None,
    value: Length | None = None, pressure_angle: Angle = PRESSURE,
) -> Constraint:  # fmt: skip
    """Worm and wheel (1 row). The hand of the thread and the side on which the wheel lies decide which way it turns.

    Args:
        worm, wheel: Joints of the worm and of the wheel; the body common to both carries them. The axes cross.
        ratio: Turns of the worm per turn of the wheel; negative for a left-hand worm.
        radius: Pitch radius of the worm [m], for the tooth force; by default a fifth of the distance of the axes.
        value: Value of the row; defaults to the initial value [m].
        pressure_angle: Normal pressure angle [rad]; 20° by default, 0 allowed.
    """
    what = f"worm {name!r}"
    i = checked_number(ratio, f"ratio of {what}")
    if i == 0.0:
        raise ModelError(f"ratio of {what} is 0; it must not be 0.")
    one, two = shafts(model, what, worm, wheel, ("angle", "angle"))
    mesh, r1 = worm_mesh(what, one, two, i, None if radius is None else checked_number(radius, f"radius of {what}"))
    given = {"worm": one.joint.name, "wheel": two.joint.name, "ratio": i, "radius": r1}
    return _teeth(
        model,
        "worm",
        name,
        given,
        one,
        two,
        mesh,
        value,
        pressure_angle,
        r1,
        (one.pitch_disc(mesh.at), two.pitch_disc(mesh.at)),
    )


@spatial_constraint_type(
    sample=lambda a, b, c: {
        "rack": _hinge("slide", c, b, (0.1, -0.1, 0.2), "x"),
        "pinion": _hinge("A", c, a),
        "radius": 0.1,
    }
)
def rack_and_pinion(
    model: SpatialModel, name: str, *, rack: Axle, pinion: Axle, radius: Length, value: Length | None = None,
    pressure_angle: Angle = PRESSURE,
) -> Constraint:  # fmt: skip
    """Rack and pinion (1 row): the rack moves by the pitch radius times the pinion's angle, as the drawing says on which side it lies.

    Args:
        rack: Joint of the rack, which measures a distance, across the pinion's axis; the body common to both carries them.
        pinion: Joint of the pinion, which measures an angle.
        radius: Pitch radius [m].
        value: Value of the row [m]; defaults to the initial value.
        pressure_angle: Angle between the tooth force and the rack [rad]; 20° by default, 0 allowed.
    """
    what = f"rack_and_pinion {name!r}"
    one, two = shafts(model, what, pinion, rack, ("angle", "distance"))
    r = check_positive(checked_number(radius, f"radius of {what}"), f"radius of {what}")
    mesh = rack_mesh(what, one, two, r)
    given = {"rack": two.joint.name, "pinion": one.joint.name, "radius": r}
    return _teeth(
        model, "rack_and_pinion", name, given, one, two, mesh, value, pressure_angle, r, (one.pitch_disc(mesh.at),)
    )
