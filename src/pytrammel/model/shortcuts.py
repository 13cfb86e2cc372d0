"""What people build every day in one line: bars, discs and beams, made of bodies, joints and springs like any others."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from pytrammel._util import traced_numbers
from pytrammel._util.checks import checked_number
from pytrammel._util.messages import in_sentences, short, units_from
from pytrammel.errors import ModelError
from pytrammel.expressions.expression import Expression, parse
from pytrammel.expressions.functions import atan2, sqrt
from pytrammel.joints.constraint import check_positive
from pytrammel.model.arguments.signatures import unit_of_named
from pytrammel.model.bodies import GROUND
from pytrammel.model.parameters import numbers_of
from pytrammel.units import LENGTH, read_measured

if TYPE_CHECKING:
    from pytrammel.model.argument_types import Length, Mass, Place, Scalar, VectorLike
    from pytrammel.model.base import Model

MOST_PARTS = 1000
SLENDER = 0.05  # radius of a bar in space over its length, where none is given


Said = float | Expression


class _Numbers:
    """Numbers as they were said, formulas of parameters among them, and what they are now."""

    def __init__(self, model: Model, builder: Callable[..., Any]) -> None:
        self.model, self.now = model, numbers_of(model)
        self.unit_of = partial(unit_of_named, builder)

    def said(self, given: Any, what: str) -> Said:
        if isinstance(given, str) and read_measured(given, what) is None:
            given = parse(given)
        return (
            given
            if isinstance(given, Expression)
            else traced_numbers.plain(checked_number(self.now(given, what, ()), what))
        )

    def positive(self, given: Any, what: str) -> Said:
        """A number that is greater than zero now."""
        with units_from(self.unit_of):
            said = self.said(given, what)
            check_positive(checked_number(self.now(said, what, ()), what), what)
        return said

    def end(self, given: Any, what: str) -> list[Said]:
        """A place of the drawing: coordinates, a point, or the name of one."""
        model = self.model
        if isinstance(given, str) and given in model.points:
            given = model.points[given]
        if hasattr(given, "local"):
            drawn = model.body_of(given).again(given).drawn
            if not any(map(traced_numbers.is_varied, drawn)):
                return list(drawn)
            told = model._said.get(given.name)
            if told is None or given.body != GROUND:
                raise ModelError(
                    f"an end of {what} is {given.label}, whose place depends on parameters; give its coordinates as formulas of them."
                )
            given = next(told.arguments[key] for key in ("at", "local") if told.arguments.get(key) is not None)
        if isinstance(given, str):
            raise model._unknown(given, f"point (in {what})", model.points)
        model.vector(self.now(given, f"an end of {what}", (LENGTH,)), f"an end of {what}")
        return [self.said(item, f"an end of {what}") for item in given]

    def apart(self, p: list[Said], q: list[Said], what: str) -> Said:
        """Distance of two places, which must not be the same one."""
        squares = [(b - a) * (b - a) for a, b in zip(p, q, strict=True)]
        total = sum(squares[1:], squares[0])
        length: Said = (
            sqrt(total)
            if isinstance(total, Expression)
            else traced_numbers.hypot(*(b - a for a, b in zip(p, q, strict=True)))
        )
        if not self.now(length, what, ()) > 0.0:
            raise ModelError(f"{what} has no length: both ends are at {tuple(map(float, self.now(p, what, ())))}.")
        return length


@in_sentences
def bar(
    model: Model,
    name: str,
    start: Place | VectorLike,
    end: Place | VectorLike,
    *,
    mass: Mass | None = None,
    radius: Length | None = None,
) -> Any:
    """Add a slender uniform bar between two places: a body in its middle with the points "a" and "b" at its ends.

    Args:
        start, end: Ends of the bar: global coordinates in the design configuration [m], points, or names of points.
        mass: Mass of the whole bar [kg]; the moment of inertia is m l²/12. Not needed for kinematics.
        radius: In space its radius [m]; by default a twentieth of its length.
    """
    what, numbers = f"bar {name!r}", _Numbers(model, bar)
    p, q = numbers.end(start, what), numbers.end(end, what)
    length = numbers.apart(p, q, what)
    m = None if mass is None else numbers.positive(mass, f"mass of {what}")
    middle = tuple(0.5 * (a + b) for a, b in zip(p, q, strict=True))
    half = 0.5 * length
    if len(p) == 2:
        if radius is not None:
            raise ModelError(f"{what}: radius= is for bars in space; leave it out.")
        dx, dy = q[0] - p[0], q[1] - p[1]
        plain = isinstance(dx, float) and isinstance(dy, float)
        angle = math.atan2(dy, dx) if plain else atan2(dy, dx)  # type: ignore[arg-type]
        ends = {"a": (-half, 0.0), "b": (half, 0.0)}
        inertia = None if m is None else m * (length * length) / 12.0
        return model.body(name, position=middle, angle=angle, mass=m, inertia=inertia, points=ends)
    from pytrammel.model.spatial_bodies import frame_on_axis

    r = SLENDER * length if radius is None else numbers.positive(radius, f"radius of {what}")
    if any(isinstance(x, Expression) for x in (*p, *q)):
        raise ModelError(
            f"{what}: the ends of a bar in space must be numbers, because its axes are read off them; use m.body."
        )
    way = tuple((b - a) / length for a, b in zip(p, q, strict=True))
    frame = frame_on_axis(way, None, what)  # type: ignore[arg-type]  # its z axis is the bar
    ends3 = {"a": (0.0, 0.0, -half), "b": (0.0, 0.0, half)}
    moments: tuple[Said, ...] | None = None
    if m is not None:
        across = m * (3.0 * r**2 + length**2) / 12.0
        moments = (across, across, 0.5 * m * r**2)
    return model.body(name, position=middle, rotation=np.array(frame).tolist(), mass=m, inertia=moments, points=ends3)


@in_sentences
def disc(model: Model, name: str, center: Place | VectorLike, *, radius: Length, mass: Mass) -> Any:
    """Add a uniform disc in the plane: a body at its centre with the moment of inertia m r²/2.

    Args:
        center: Global coordinates in the design configuration [m], a point, or its name.
        radius: Radius of the disc [m].
        mass: Mass of the disc [kg].
    """
    what = f"disc {name!r}"
    if model.space.dimension != 2:
        raise ModelError(
            f"{what}: discs are made in the plane; in space give a body its inertia (tm.inertia.cylinder)."
        )
    numbers = _Numbers(model, disc)
    at = numbers.end(center, what)
    r, m = (numbers.positive(value, f"{key} of {what}") for key, value in (("radius", radius), ("mass", mass)))
    return model.body(name, position=tuple(at), mass=m, inertia=0.5 * m * r**2)


def beam(
    model: Model, name: str, start: Place | VectorLike, end: Place | VectorLike, *, EI: Scalar, mass: Mass,
    parts: int = 5, root: Place | None = "ground",
    damping: Scalar = 0.0,
) -> tuple[str, ...]:  # fmt: skip
    """An elastic beam in the plane as a chain of links and torsion springs (Nikravesh, problem 9.12).

    A load at the end of a clamped beam of n links bends it by F l³ / 3EI whatever n, with springs k = 3EI/l (n + 1)(2n + 1)/(6n).

    Args:
        start, end: Its ends: global coordinates in the drawn pose [m], points, or names of points.
        EI: Bending stiffness [N m²].
        mass: Of the whole beam [kg].
        parts: Number of links.
        root: Body in which its start is clamped; None leaves it free.
        damping: Of each spring [N m s/rad].

    Returns:
        Names of the links, "beam1" and so on; each has the points "a" and "b". Joints are "beam_j1", springs "beam_k1", from the start on.
    """
    what = f"beam {name!r}"
    if model.space.dimension != 2:
        raise ModelError(f"{what}: beams are made in the plane; in space use bars and bushings.")
    if not isinstance(parts, int) or isinstance(parts, bool) or not 1 <= parts <= MOST_PARTS:
        raise ModelError(f"parts of {what} is {short(parts)}; it must be a whole number from 1 to {MOST_PARTS}.")
    numbers = _Numbers(model, beam)
    stiffness, whole = (numbers.positive(value, f"{key} of {what}") for key, value in (("EI", EI), ("mass", mass)))
    p, q = numbers.end(start, what), numbers.end(end, what)
    length = numbers.apart(p, q, what)
    places = [tuple(a + (b - a) * k / parts for a, b in zip(p, q, strict=True)) for k in range(parts + 1)]
    if damping is None:
        raise ModelError(f"damping of {what} is None; it must be a number of at least 0.")
    damper = None if isinstance(damping, float | int) and damping == 0.0 else damping
    spring = 3.0 * stiffness / length * (parts + 1) * (2 * parts + 1) / (6 * parts)
    names = tuple(f"{name}{k + 1}" for k in range(parts))
    joined: Any = model  # in the plane or in space
    for k, link in enumerate(names):
        bar(model, link, places[k], places[k + 1], mass=whole / parts)
        before = root if k == 0 else names[k - 1]
        if before is not None:
            joined.revolute(f"{name}_j{k + 1}", before, link, at=places[k])
            joined.torsion_spring(f"{name}_k{k + 1}", first=before, second=link, stiffness=spring, damping=damper)
    return names
