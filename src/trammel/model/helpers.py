"""What people build every day in one line: bars, discs and beams, made of bodies, joints and springs like any others."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from trammel.errors import ModelError
from trammel.model.body import checked_number
from trammel.model.constraint import check_positive
from trammel.sentences import short

if TYPE_CHECKING:
    from trammel.model.base import Model, Place

MOST_PARTS = 1000
SLENDER = 0.05  # radius of a bar in space over its length, where none is given


def _end(model: Model, given: Any, what: str) -> np.ndarray:
    """A place of the drawing: coordinates, a point, or the name of one."""
    if isinstance(given, str) and given in model.points:
        given = model.points[given]
    if hasattr(given, "local"):
        return np.array(model.body_of(given).again(given).drawn)
    if isinstance(given, str):
        raise model._unknown(given, f"point (in {what})", model.points)
    return np.array(model.vector(given, f"an end of {what}"))


def bar(model: Model, name: str, start: Any, end: Any, *, mass: float, radius: float | None = None) -> Any:
    """A slender uniform bar between two places: a body in its middle with the points "a" and "b" at its ends.

    Args:
        start, end: Its ends: global coordinates in the drawn pose [m], points, or names of points.
        mass: Of the whole bar [kg]; the moment of inertia is m l²/12.
        radius: In space its radius [m]; by default a twentieth of its length.
    """
    what = f"bar {name!r}"
    p, q = _end(model, start, what), _end(model, end, what)
    length = float(np.linalg.norm(q - p))
    if not length > 0.0:
        raise ModelError(f"{what} has no length: both ends are at {tuple(map(float, p))}.")
    m = check_positive(checked_number(mass, f"mass of {what}"), f"mass of {what}")
    middle = tuple(map(float, 0.5 * (p + q)))
    half = 0.5 * length
    if len(p) == 2:
        if radius is not None:
            raise ModelError(f"{what}: radius= is for bars in space; leave it out.")
        angle = math.atan2(q[1] - p[1], q[0] - p[0])
        ends = {"a": (-half, 0.0), "b": (half, 0.0)}
        return model.body(name, position=middle, angle=angle, mass=m, inertia=m * length**2 / 12.0, points=ends)
    from trammel.model.spatial.body import frame_on_axis

    r = (
        SLENDER * length
        if radius is None
        else check_positive(checked_number(radius, f"radius of {what}"), f"radius of {what}")
    )
    frame = frame_on_axis(tuple((q - p) / length), None, what)  # its z axis is the bar
    across = m * (3.0 * r**2 + length**2) / 12.0
    ends3 = {"a": (0.0, 0.0, -half), "b": (0.0, 0.0, half)}
    inertia = (across, across, 0.5 * m * r**2)
    return model.body(name, position=middle, rotation=np.array(frame).tolist(), mass=m, inertia=inertia, points=ends3)


def disc(model: Model, name: str, centre: Any, *, radius: float, mass: float) -> Any:
    """A uniform disc in the plane: a body at its centre with the moment of inertia m r²/2.

    Args:
        centre: Global coordinates in the drawn pose [m], a point, or its name.
        radius: [m].
        mass: [kg].
    """
    what = f"disc {name!r}"
    if model.space.dimension != 2:
        raise ModelError(
            f"{what}: discs are made in the plane; in space give a body its inertia (tm.inertia.cylinder)."
        )
    at = _end(model, centre, what)
    r, m = (
        check_positive(checked_number(value, f"{key} of {what}"), f"{key} of {what}")
        for key, value in (("radius", radius), ("mass", mass))
    )
    return model.body(name, position=tuple(map(float, at)), mass=m, inertia=0.5 * m * r**2)


def beam(
    model: Model, name: str, start: Any, end: Any, *, EI: float, mass: float, parts: int = 5, root: Place | None = "ground",
    damping: float = 0.0,
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
    stiffness = check_positive(checked_number(EI, f"EI of {what}"), f"EI of {what}")
    whole = check_positive(checked_number(mass, f"mass of {what}"), f"mass of {what}")
    p, q = _end(model, start, what), _end(model, end, what)
    length = float(np.linalg.norm(q - p))
    if not length > 0.0:
        raise ModelError(f"{what} has no length: both ends are at {tuple(map(float, p))}.")
    places = [tuple(map(float, p + (q - p) * k / parts)) for k in range(parts + 1)]
    spring = 3.0 * stiffness / length * (parts + 1) * (2 * parts + 1) / (6 * parts)
    names = tuple(f"{name}{k + 1}" for k in range(parts))
    for k, link in enumerate(names):
        bar(model, link, places[k], places[k + 1], mass=whole / parts)
        before = root if k == 0 else names[k - 1]
        if before is not None:
            model.revolute(f"{name}_j{k + 1}", before, link, at=places[k])
            model.torsion_spring(f"{name}_k{k + 1}", before, link, stiffness=spring, damping=damping or None)
    return names
