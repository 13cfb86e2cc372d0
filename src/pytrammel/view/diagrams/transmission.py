"""Transmission angle: how well a coupler passes its force on to the follower."""

from __future__ import annotations

from dataclasses import dataclass, field
from os import PathLike
from typing import Any

import numpy as np

from pytrammel._util.checks import checked
from pytrammel._util.messages import brief
from pytrammel.errors import ModelError
from pytrammel.joints.constraint import Constraint
from pytrammel.model.bodies import GROUND
from pytrammel.results.result import Result
from pytrammel.view.diagrams.planar import Array, cross, motion, need_plane
from pytrammel.view.plots.panels import Line, Panel, draw_panels
from pytrammel.view.plots.quantities import Shown
from pytrammel.view.theme import current

GOOD = (40.0, 140.0)  # the range that textbooks ask for [deg]


@brief
@dataclass(frozen=True, eq=False)
class TransmissionAngle:
    """Angle between the coupler and the line along which the follower gives way least.

    Attributes:
        joint: The pin between coupler and follower.
        coupler, follower: The bodies.
        times: Instants [s], shape (n,).
        angle: [rad], 0 to pi; pi/2 is best, 0 and pi pass no force on; shape (n,).
    """

    joint: str
    coupler: str
    follower: str
    times: Array
    angle: Array = field(repr=False)
    _result: Result = field(repr=False, compare=False)

    @property
    def deviation(self) -> Array:
        """Distance from a right angle [rad], shape (n,)."""
        return np.abs(self.angle - 0.5 * np.pi)

    @property
    def worst(self) -> tuple[float, float]:
        """The angle farthest from a right one [rad], and when [s]."""
        k = int(np.argmax(self.deviation))
        return float(self.angle[k]), float(self.times[k])

    def __str__(self) -> str:
        angle, time = self.worst
        low, high = np.degrees([self.angle.min(), self.angle.max()])
        return (
            f"transmission angle at {self.joint} ({self.coupler} – {self.follower}): {low:.4g}° … {high:.4g}°, "
            f"worst {np.degrees(angle):.4g}° at t = {time:.4g} s"
        )

    @checked
    def plot(
        self, *, x: Any = None, turns: int | None = None, ax: Any = None, path: str | PathLike[str] | None = None
    ) -> Any:
        """Draw the angle, with the range of 40° to 140° that is held to be good.

        Args:
            x: Quantity for the x axis, e.g. "A.angle"; time by default.
            turns: Fold an angle on the x axis into this many turns.
            ax: Axes to draw on; a figure of its own by default.
            path: File to write (png, svg, pdf).

        Returns:
            The axes.
        """
        from pytrammel.view.figure import saved
        from pytrammel.view.plots.results import folded

        across = Shown(None, self._result).column(self._result, "t" if x is None else x)
        xs, ys = across.values, np.degrees(self.angle)
        if turns is not None:
            xs, ys = folded(across, ys, turns)
        lines = [Line("", xs, ys)]
        label = f"{across.label} [{across.unit or '–'}]".strip()
        axes = draw_panels(
            [Panel(label, f"transmission angle at {self.joint} [°]", lines)], ax=ax, title=self._result.model.name
        )
        axes.axhspan(*GOOD, color=current().good, alpha=0.10, lw=0.0, zorder=0)
        saved(axes.figure, path)
        return axes


def transmission_angle(
    result: Result, joint: Any, coupler: Any = None, *, start: Any = None, end: Any = None
) -> TransmissionAngle:
    """Transmission angle at a pin; see `Diagrams.transmission_angle`."""
    need_plane(result, "transmission angles", "in space compare reactions with velocities.")
    model = result.model
    pin = model.joint(getattr(joint, "name", joint), "transmission angle")
    if not pin.turning or len(pin.bodies) != 2:
        raise ModelError(
            f"{pin.kind} {pin.name!r} is no pin between two bodies; give the pin between coupler and follower."
        )
    guides = {body: _guide(model.constraints.values(), body, pin) for body in pin.bodies}
    link = _coupler(pin, coupler, guides)
    follower = next(body for body in pin.bodies if body != link)
    guide = _named(model, end) if end is not None else guides[follower]
    if guide is None:
        raise ModelError(
            f"the follower {follower!r} has no pin or guide on the ground, so that its way is not clear; name the joint that "
            "guides it with end=."
        )
    driven = _named(model, start) if start is not None else _other_pin(model.constraints.values(), link, pin)
    if driven is None:
        raise ModelError(f"the coupler {link!r} has not just one other pin; name the one that drives it with start=.")
    for each, body in ((driven, link), (guide, follower)):
        if each.seat_on(body) is None:
            raise ModelError(
                f"{each.kind} {each.name!r} does not stand on {body!r}; it connects {', '.join(each.bodies)}."
            )
    place = _place(result, pin, link)
    along = _place(result, driven, link) - place
    free = _free_line(result, guide, follower, place)
    angle = np.abs(np.arctan2(cross(along, free), (along * free).sum(axis=1)))
    return TransmissionAngle(pin.name, link, follower, result.times, np.asarray(angle), result)


def _named(model: Any, joint: Any) -> Constraint:
    found: Constraint = model.joint(getattr(joint, "name", joint), "transmission angle")
    return found


def _coupler(pin: Constraint, given: Any, guides: dict[str, Constraint | None]) -> str:
    """Which of the pin's bodies is the coupler: the one that is not guided by the ground."""
    if given is not None:
        name = str(getattr(given, "name", given))
        if name not in pin.bodies:
            raise ModelError(f"coupler={name!r} is not one of the bodies of {pin.name!r}: {', '.join(pin.bodies)}.")
        return name
    if GROUND in pin.bodies:
        raise ModelError(f"{pin.name!r} is a pin on the ground; give the pin between coupler and follower.")
    floating = [body for body in pin.bodies if guides[body] is None]
    if len(floating) != 1:
        raise ModelError(
            f"which of {' and '.join(pin.bodies)} is the coupler is not clear: {'none' if not floating else 'each'} of them floats between "
            "other bodies; say it with coupler=."
        )
    return floating[0]


def _guide(joints: Any, body: str, pin: Constraint) -> Constraint | None:
    """The joint by which a body is guided on the ground."""
    return next(
        (c for c in joints if c is not pin and body in c.bodies and GROUND in c.bodies and (c.turning or c.sliding)),
        None,
    )


def _other_pin(joints: Any, body: str, pin: Constraint) -> Constraint | None:
    found = [c for c in joints if c is not pin and body in c.bodies and c.seat_on(body) is not None and c.turning]
    return found[0] if len(found) == 1 else None


def _place(result: Result, joint: Constraint, body: str) -> Array:
    seat = joint.seat_on(body)
    assert seat is not None
    return motion(result, body).place(seat.point)


def _free_line(result: Result, guide: Constraint, follower: str, place: Array) -> Array:
    """Direction across the motion of the follower's pin: to its centre of rotation, or across its guide."""
    if guide.turning:
        return _place(result, guide, follower) - place
    seat = guide.seats[0]
    carrier = motion(result, seat.body)
    c, s = np.cos(carrier.phi), np.sin(carrier.phi)
    x, y = seat.axis
    return np.column_stack([-(s * x + c * y), c * x - s * y])
