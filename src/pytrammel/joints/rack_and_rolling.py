"""Rack and pinion, and wheels that roll on straight lines."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytrammel._util import traced_numbers
from pytrammel._util.checks import checked_number
from pytrammel.errors import ModelError
from pytrammel.joints.constraint import (
    PRESSURE,
    Block,
    Constraint,
    Presses,
    Seat,
    Symbol,
    check_positive,
    constraint_type,
    pressure_tangent,
)
from pytrammel.joints.prismatic import line_on_body
from pytrammel.model.bodies import Body, Point
from pytrammel.model.quantities.quantity import LENGTH, Quantity

if TYPE_CHECKING:
    from pytrammel.model.argument_types import Angle, Direction, Length, Place, Position, Scalar
    from pytrammel.model.planar import PlanarModel


def _side(model: PlanarModel, i: str, line: tuple[float, float], u: tuple[float, float], centre: Point) -> float:
    """+1 if the wheel's drawn centre lies to the left of the line, -1 if to the right."""
    start = model.bodies[i].at(*line)
    tip = model.bodies[i].at(line[0] + u[0], line[1] + u[1])
    ux, uy = tip.x0 - start.x0, tip.y0 - start.y0
    return 1.0 if ux * (centre.y0 - start.y0) - uy * (centre.x0 - start.x0) >= 0.0 else -1.0


def _check_line(model: PlanarModel, what: str, carrier: Place, at: object, line: object) -> None:
    if line is not None and at is not None:
        raise ModelError(f"{what}: give either line=(P, Q) with two points, or at= and axis=.")
    model.check_at(at, what, carrier)


def _two_points(body: Body, start: tuple[float, float], u: tuple[float, float]) -> tuple[Point, Point]:
    return body.at(*start), body.at(start[0] + u[0], start[1] + u[1])


@constraint_type(sample=lambda a, b, c: {"rack": a, "pinion": b.at(0.1, 0.2), "radius": 0.3, "axis": (1.0, 0.5)})
def rack_and_pinion(
    model: PlanarModel,
    name: str,
    *,
    rack: Place,
    pinion: Place,
    radius: Length,
    at: Position | None = None,
    axis: Direction | None = None,
    line: Direction | None = None,
    pressure_angle: Angle = PRESSURE,
) -> Constraint:
    """Pinion that rolls on a rack of any direction, fixed or moving (1 row).

    The row couples rolling and sliding only; other joints hold the pinion's centre at its distance from the rack.

    Args:
        rack: Body that carries the pitch line.
        pinion: Pinion body (its origin is the centre) or the point that is its centre.
        radius: Pitch radius [m].
        at, axis: Point (default: the rack's origin) and direction of the pitch line, global, design configuration.
        line: Two points of the rack, instead.
        pressure_angle: Angle between the tooth force and the rack [rad]; 20° by default, 0 allowed.

    Measures: ``travel`` of the pinion along the rack [m].
    """
    _check_line(model, f"rack_and_pinion {name!r}", rack, at, line)
    if at is None and line is None and model.is_body(rack):
        at = model.body_of(rack).position
    i, start, u = line_on_body(model, name, rack, at, axis, line)
    c = model.place(pinion, None, f"the centre of the pinion of {name!r}", origin=True)
    model.different_bodies(name, i, c.body)
    rho = check_positive(checked_number(radius, f"radius of {name!r}"), f"radius of {name!r}")
    signed = rho * _side(model, i, start, u, c)
    roll = Quantity("along", (c.body, i), (c.xi, c.eta, *start, *u, signed), (LENGTH,), f"roll of {name}")
    side = traced_numbers.copysign(1.0, signed)
    off = Quantity(
        "along", (c.body, i), (c.xi, c.eta, *start, -side * u[1], side * u[0], 0.0), (LENGTH,), f"separation of {name}"
    )
    alpha = checked_number(pressure_angle, f"pressure angle of {name!r}")
    travel = Quantity("along", (c.body, i), (c.xi, c.eta, *start, *u, 0.0), (LENGTH,), f"{name}.travel")
    carrier = model.bodies[i]
    return Constraint(
        "rack_and_pinion", name,
        {"rack": carrier.at(*start), "pinion": c, "radius": rho, "line": _two_points(carrier, start, u),
         "pressure_angle": alpha},
        (i, c.body), (Block(roll, (model.drawn_value(roll),)),), {"travel": travel},
        symbols=(
            Symbol("rack", i, start, traced_numbers.atan2(u[1], u[0]), rho, other_body=c.body, other_position=c.local),
            Symbol("gear", c.body, c.local, radius=rho),
        ),
        seats=(Seat(i, start, u), Seat(c.body, c.local, radius=rho)),
        held=(off,), separation=(off, pressure_tangent(alpha, f"rack {name!r}")),
    )  # fmt: skip


def friction_limit(friction: Scalar | None, name: str) -> float | None:
    """Coefficient of friction that rolling must not exceed, checked."""
    what = f"friction of rolling {name!r}"
    return None if friction is None else check_positive(checked_number(friction, what), what)


@constraint_type(sample=lambda a, b, c: {"wheel": b, "track": a, "radius": 0.3, "at": (0.1, 0.2), "axis": (1.0, 0.5)})
def rolling(
    model: PlanarModel,
    name: str,
    *,
    wheel: Place,
    track: Place,
    radius: Length,
    at: Position | None = None,
    axis: Direction | None = None,
    line: Direction | None = None,
    friction: Scalar | None = None,
) -> Constraint:
    """Wheel that stays on a straight track and rolls without slip (2 rows: contact and no slip).

    Args:
        wheel: Wheel body (its origin is the centre) or the point that is its centre.
        track: Body that carries the track, e.g. the ground.
        radius: Wheel radius [m].
        at, axis: A point of the track and its direction, global, design configuration.
        line: Two points of the track body, instead.
        friction: Coefficient of friction that rolling must not exceed; a run that would says so.

    Measures: ``travel`` along the track [m].
    """
    _check_line(model, f"rolling {name!r}", track, at, line)
    i, start, u = line_on_body(model, name, track, at, axis, line)
    c = model.place(wheel, None, f"the centre of the wheel of {name!r}", origin=True)
    model.different_bodies(name, i, c.body)
    rho = check_positive(checked_number(radius, f"radius of {name!r}"), f"radius of {name!r}")
    side = _side(model, i, start, u, c)
    height = Quantity(
        "along", (c.body, i), (c.xi, c.eta, *start, -u[1] * side, u[0] * side, 0.0), (LENGTH,), f"height of {name}"
    )
    roll = Quantity("along", (c.body, i), (c.xi, c.eta, *start, *u, rho * side), (LENGTH,), f"roll of {name}")
    travel = Quantity("along", (c.body, i), (c.xi, c.eta, *start, *u, 0.0), (LENGTH,), f"{name}.travel")
    carrier = model.bodies[i]
    return Constraint(
        "rolling", name,
        {"wheel": c, "track": carrier.at(*start), "radius": rho, "line": _two_points(carrier, start, u), "friction": friction},
        (i, c.body), (Block(height, (rho,)), Block(roll, (model.drawn_value(roll),))),
        {"travel": travel},
        symbols=(
            Symbol("track", i, start, traced_numbers.atan2(u[1], u[0]), rho, other_body=c.body, other_position=c.local),
            Symbol("wheel", c.body, c.local, radius=rho),
        ),
        seats=(Seat(i, start, u), Seat(c.body, c.local, radius=rho)),
        presses=Presses(c.body, i, (-u[1] * side, u[0] * side), friction=friction_limit(friction, name)),
    )  # fmt: skip
