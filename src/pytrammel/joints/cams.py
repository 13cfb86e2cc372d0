"""Cams with point, roller and flat-faced followers, and pins in curved slots.

The same three constraints serve translating and oscillating followers, disc cams and translating cams: which it is, the
other joints of the two bodies decide.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from pytrammel._util import traced_numbers
from pytrammel._util.checks import checked_number
from pytrammel._util.messages import number_of
from pytrammel.errors import ModelError, ModelWarning
from pytrammel.geometry.curves import Curve, analytic, check_curve
from pytrammel.geometry.nearest import farthest
from pytrammel.joints.constraint import (
    Block,
    Constraint,
    ExtraCoordinate,
    Presses,
    Seat,
    Symbol,
    check_positive,
    constraint_type,
)
from pytrammel.model.bodies import Body, Point
from pytrammel.model.quantities.quantity import LENGTH, NUMBER, Quantity

if TYPE_CHECKING:
    from pytrammel.model.argument_types import Direction, Length, Place, Position
    from pytrammel.model.planar import PlanarModel


SAMPLES = 721  # of an outline that a flat face is laid on


@cache
def _egg() -> Curve:
    """A smooth convex outline without symmetry, for samples."""
    radius = "(1 + 0.1*cos(u) + 0.05*sin(2*u))"
    return analytic(f"{radius}*cos(u)", f"{radius}*sin(u)", 0.0, 2.0 * traced_numbers.pi, closed=True, name="egg")


@constraint_type(sample=lambda a, b, c: {"cam": a, "follower": b.at(0.2, -0.1), "curve": _egg()})
def cam_point(
    model: PlanarModel, name: str, cam: Place, follower: Place, *, curve: Curve, at: Position | None = None
) -> Constraint:
    """Point (knife-edge) follower: a point of the follower stays on the cam's outline (2 rows, 1 curve coordinate).

    Args:
        cam: Body that carries the outline.
        follower: Point of the follower, or its body with `at`.
        curve: Outline in cam body coordinates [m].
        at: Follower point, global, design configuration.

    Measures: ``parameter`` of the curve at the contact.
    """
    return _pin_on_curve(model, "cam_point", name, cam, follower, curve, at, 0.0)


@constraint_type(
    sample=lambda a, b, c: {"slotted": a, "pin": b.at(0.2, -0.1), "curve": analytic("u", "0.3*u^2", -1.0, 1.0)}
)
def slot(
    model: PlanarModel, name: str, slotted: Place, pin: Place, *, curve: Curve, at: Position | None = None
) -> Constraint:
    """Pin in a curved slot (2 rows, 1 curve coordinate). The pin must stay between the ends of an open slot.

    Args:
        slotted: Body that carries the slot's centre line.
        pin: Point that is the pin, or its body with `at`.
        curve: Centre line in the slotted body's coordinates [m].
        at: Pin, global, design configuration.

    Measures: ``parameter`` of the curve at the contact.
    """
    return _pin_on_curve(model, "slot", name, slotted, pin, curve, at, 0.0)


@constraint_type(sample=lambda a, b, c: {"cam": a, "follower": b.at(0.2, -0.1), "curve": _egg(), "radius": 0.2})
def cam_roller(
    model: PlanarModel,
    name: str,
    cam: Place,
    follower: Place,
    *,
    curve: Curve,
    radius: Length,
    at: Position | None = None,
) -> Constraint:
    """Roller follower: the roller's centre stays on the pitch curve, the outline's parallel (2 rows, 1 curve coordinate).

    Args:
        cam: Body that carries the outline.
        follower: Roller centre on the follower, or its body with `at`.
        curve: Outline in cam body coordinates [m]. For an open outline the roller is on the side where it is drawn.
        radius: Roller radius [m].
        at: Roller centre, global, design configuration.

    Measures: ``parameter`` of the curve at the contact.
    """
    rho = check_positive(checked_number(radius, f"radius of roller {name!r}"), f"radius of roller {name!r}")
    return _pin_on_curve(model, "cam_roller", name, cam, follower, curve, at, rho)


@dataclass(frozen=True)
class _Nearest:
    """Parameter of the point of a curve nearest to a place."""

    curve: Curve

    def __call__(self, x: float, y: float) -> float:
        return float(self.curve.nearest((x, y)))


@dataclass(frozen=True)
class _Farthest:
    """Parameter of the point of a curve that is farthest along a direction."""

    curve: Curve

    def __call__(self, x: float, y: float) -> float:
        return float(farthest(self.curve, (x, y)))


@dataclass(frozen=True)
class _Towards:
    """Which way along the normal of a direction an outline reaches to a place: 1 or -1."""

    curve: Curve

    def __call__(self, ux: float, uy: float, x: float, y: float) -> float:
        points = np.asarray(self.curve.sample(SAMPLES))
        reach = -uy * (points[:, 0] - x) + ux * (points[:, 1] - y)
        return -1.0 if abs(reach.max()) > abs(reach.min()) else 1.0


@dataclass(frozen=True)
class _Outward:
    """Sign of the right-hand normal at a parameter that points to the side on which a roller is."""

    curve: Curve

    def __call__(self, u: float, x: float, y: float) -> float:
        if self.curve.closed:
            return float(self.curve.orientation())
        foot = np.asarray(self.curve.point(u), dtype=float)
        tangent = np.asarray(self.curve.tangent(u), dtype=float)
        return 1.0 if tangent[1] * (x - foot[0]) - tangent[0] * (y - foot[1]) >= 0.0 else -1.0


def _pin_on_curve(
    model: PlanarModel, kind: str, name: str, cam: Place, follower: Place, curve: Curve, at: object, radius: float
) -> Constraint:
    body = model.body_of(cam)
    model.check_at(at, f"{kind} {name!r}", follower)
    pin = model.place(follower, at, f"the follower point of {name!r}")
    model.different_bodies(name, body.name, pin.body)
    _report_crossings(kind, name, curve)
    local = body.at_global(pin.x0, pin.y0)
    start = traced_numbers.found(_Nearest(curve), local.xi, local.eta)
    offset = 0.0
    if radius > 0.0:
        offset = radius * traced_numbers.found(_Outward(curve), start, local.xi, local.eta)
        _report_undercut(name, curve, traced_numbers.plain(radius), traced_numbers.plain(offset))
    extra = _curve_coordinate(name, curve, start)
    gap = Quantity(
        "pin_on_curve", (pin.body, body.name), (pin.xi, pin.eta, offset), (LENGTH, LENGTH), f"gap of {name}",
        curve=curve, extra=extra.name,
    )  # fmt: skip
    symbols = [Symbol("groove" if kind == "slot" else "cam", body.name, (0.0, 0.0), curve=curve)]
    if radius > 0.0:
        symbols.append(Symbol("disc", pin.body, (pin.xi, pin.eta), radius=radius))
    else:
        symbols.append(Symbol("point-on-line", pin.body, (pin.xi, pin.eta)))
    parameters = {
        "slotted" if kind == "slot" else "cam": body.name,
        "pin" if kind == "slot" else "follower": pin,
        "curve": curve,
    }
    if radius > 0.0:
        parameters["radius"] = radius
    return Constraint(
        kind,
        name,
        parameters,
        (body.name, pin.body),
        (Block(gap, (0.0, 0.0)),),
        _parameter(name, extra),
        extras=(extra,),
        symbols=tuple(symbols),
        seats=(Seat(body.name, (0.0, 0.0)), Seat(pin.body, pin.local, radius=radius)),
        presses=None if kind == "slot" else _pushed(model, curve, start, body, pin, radius),
    )


def _pushed(model: PlanarModel, curve: Curve, start: float, cam: Body, pin: Point, radius: float) -> Presses | None:
    """Out of a closed outline, to the roller's side of an open one; a knife edge is on the side where its body is drawn."""
    side = 0.0
    if curve.closed or radius > 0.0:
        local = cam.at_global(pin.x0, pin.y0)
        side = _Outward(curve)(*map(traced_numbers.plain, (start, local.xi, local.eta)))
    else:
        carrier = model.bodies[pin.body]
        tangent, foot = (
            np.asarray(find(traced_numbers.plain(start)), dtype=float) for find in (curve.tangent, curve.point)
        )
        for point in (carrier.at(*carrier.centroid), carrier.at(0.0, 0.0)):
            own = cam.at_global(point.x0, point.y0)
            dx, dy = traced_numbers.plain(own.xi) - foot[0], traced_numbers.plain(own.eta) - foot[1]
            height = tangent[1] * dx - tangent[0] * dy
            if abs(height) > 1e-9 * float(np.hypot(dx, dy)) > 0.0:
                side = 1.0 if height > 0.0 else -1.0
                break
    return Presses(pin.body, cam.name, side=side) if side else None


@constraint_type(sample=lambda a, b, c: {"cam": a, "follower": b.at(0.2, -0.1), "curve": _egg(), "axis": (1.0, 0.3)})
def cam_flat(
    model: PlanarModel, name: str, cam: Place, follower: Place, *, curve: Curve, axis: Direction | None = None,
    at: Position | None = None, face: tuple[Point, Point] | None = None,
) -> Constraint:  # fmt: skip
    """Flat-faced follower: a straight face of the follower stays tangent to the outline (2 rows, 1 curve coordinate).

    Args:
        cam: Body that carries the outline.
        follower: Body that carries the face, or a point of the face.
        curve: Outline in cam body coordinates [m].
        axis: Direction along the face, global, design configuration.
        at: A point of the face, global, design configuration.
        face: Instead of `at` and `axis`: two points of the follower's face.

    Measures: ``parameter`` of the curve at the contact.
    """
    body = model.body_of(cam)
    if face is None:
        model.check_at(at, f"cam_flat {name!r}", follower)
    elif at is not None or axis is not None or not isinstance(face, list | tuple) or len(face) != 2:
        raise ModelError(f"cam_flat {name!r}: give either face=(P, Q) with two points, or at= and axis=.")
    if face is not None:
        q = model.place(follower, face[0], f"the face of {name!r}")
        tip = model.place(follower, face[1], f"the face of {name!r}")
        axis = (tip.x0 - q.x0, tip.y0 - q.y0)
    else:
        q = model.place(follower, at, f"the face of {name!r}")
    if axis is None:
        raise ModelError(
            f"cam_flat {name!r}: the direction of the flat face is missing. Use axis=(dx, dy) along the face."
        )
    model.different_bodies(name, body.name, q.body)
    _report_crossings("cam_flat", name, curve)
    carrier = model.bodies[q.body]
    tx, ty = carrier.local_direction(axis, f"axis of the face of {name!r}")
    # the face touches the outline where the outline reaches farthest towards the follower
    ux, uy = body.local_direction(axis, f"axis of the face of {name!r}")
    local = body.at_global(q.x0, q.y0)
    towards = traced_numbers.found(_Towards(curve), ux, uy, local.xi, local.eta)
    parameters = np.linspace(curve.start, curve.end, SAMPLES)
    start = traced_numbers.found(_Farthest(curve), -towards * uy, towards * ux)
    bend = np.asarray(curve.curvature(parameters))
    if curve.closed and (bend * curve.orientation() < -1e-9 * np.abs(bend).max()).any():
        worst = parameters[np.argmin(bend * curve.orientation())]
        warnings.warn(
            f"cam {name!r}: the outline {curve.name!r} is hollow near u = {worst:.4g}; a flat face cannot touch it there "
            "and bridges the hollow. Make the outline convex or use a roller.",
            ModelWarning,
            stacklevel=4,
        )
    extra = _curve_coordinate(name, curve, start)
    touch = Quantity(
        "flat_on_curve", (body.name, q.body), (q.xi, q.eta, -ty, tx), (NUMBER, LENGTH), f"contact of {name}",
        curve=curve, extra=extra.name,
    )  # fmt: skip
    return Constraint(
        "cam_flat", name,
        {"cam": body.name, "follower": q.body, "curve": curve, "face": (q, carrier.at(q.xi + tx, q.eta + ty))},
        (body.name, q.body), (Block(touch, (0.0, 0.0)),), _parameter(name, extra), extras=(extra,),
        symbols=(Symbol("cam", body.name, (0.0, 0.0), curve=curve), Symbol("face", q.body, (q.xi, q.eta), traced_numbers.atan2(ty, tx))),
        seats=(Seat(body.name, (0.0, 0.0)), Seat(q.body, q.local, (tx, ty))),
        presses=Presses(q.body, q.body, (-towards * ty, towards * tx)),
    )  # fmt: skip


def _curve_coordinate(name: str, curve: Curve, start: float) -> ExtraCoordinate:
    low, high = (-traced_numbers.inf, traced_numbers.inf) if curve.closed else (curve.start, curve.end)
    # one "unit" of the parameter: a radian's worth of a closed curve, the whole of an open one
    span = abs(curve.end - curve.start)
    return ExtraCoordinate(f"{name}.u", start, span / (2.0 * traced_numbers.pi) if curve.closed else span, low, high)


def _parameter(name: str, extra: ExtraCoordinate) -> dict[str, Quantity]:
    return {"parameter": Quantity("parameter", (), (), (NUMBER,), f"{name}.parameter", extra=extra.name)}


def _report_crossings(kind: str, name: str, curve: Curve) -> None:
    check_curve(curve, f"{kind} {name!r}")
    crossings = curve.self_crossings()
    if crossings and kind != "slot":
        u1, u2, x, y = crossings[0]
        warnings.warn(
            f"{kind} {name!r}: the outline {curve.name!r} crosses itself {number_of(len(crossings), 'time')}, first at "
            f"({x:.4g}, {y:.4g}) for u = {u1:.4g} and {u2:.4g}; no real cam has this outline. Check the table.",
            ModelWarning,
            stacklevel=5,
        )


def _report_undercut(name: str, curve: Curve, radius: float, offset: float) -> None:
    # curves count offsets from the outside where they are closed, from the right-hand side where they are open
    distance = radius if curve.closed else offset
    places = curve.undercut(distance)
    if places:
        u = np.linspace(*places[0], 101)
        factor = np.asarray(curve.offset_factor(u, distance))
        worst = float(u[np.argmin(factor)])
        tightest = radius / (1.0 - float(factor.min()))
        warnings.warn(
            f"cam {name!r}: a roller of radius {radius:g} m undercuts the outline {curve.name!r} near u = {worst:.4g}, where "
            f"its hollow has radius {tightest:.4g} m; use a smaller roller.",
            ModelWarning,
            stacklevel=5,
        )
