"""What readers of all formats check alike: masses, names, directions."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from pytrammel.errors import TrammelError
from pytrammel.inertia import check_inertia
from pytrammel.io.robots.poses import on_axis
from pytrammel.io.robots.rigid import fixed_group, sum_problem
from pytrammel.io.robots.robot import WORLD, Joint, Robot
from pytrammel.io.robots.xml_tree import Document, Element

Array = NDArray[np.float64]
TINY = 1e-9  # m²: a body whose gyration radius is below 0.03 mm is a point
UNIT = 1e-3  # how far from 1 the length of a direction may be before it is told


def checked_mass(element: Element, name: str, mass: float, inertia: Array) -> tuple[float, Array]:
    """Mass and central inertia of a link; a negative mass is a mistake, an inertia that no body can have is kept and doubted.

    Whether a doubtful inertia matters is known when all links are (`settle_doubts`).
    """
    if mass < 0.0:
        element.complain(f"the mass of {name!r} is {mass:g} kg; it must not be negative")
        return 0.0, np.zeros((3, 3))
    try:
        return mass, np.asarray(check_inertia(inertia, mass or None, f"the inertia of {name!r}"))
    except TrammelError as error:
        tiny = float(np.abs(inertia).max()) < TINY * mass
        if tiny or element.document.repair:
            element.note_approximated(f"{str(error).rstrip('.')}; the nearest that can be is taken", matters=not tiny)
            return mass, nearest(inertia)
        element.document.doubts[name] = (element, str(error).rstrip("."))
        return mass, 0.5 * (inertia + inertia.T)


def settle_doubts(document: Document, robot: Robot) -> None:
    """Complain about inertias that no body can have where they matter; note them where they do not.

    They do not on what stands on the ground, and where the links that are fixed to each other have one together that a body can have:
    then only the sum counts, which is taken as it is.
    """
    for name, (element, text) in document.doubts.items():
        if name not in robot.links:
            continue
        group = fixed_group(robot, name)
        if WORLD in group:
            element.note_approximated(f"{text}; it stands on the ground, where it matters only if the robot floats")
        elif sum_problem(robot, group) is None:
            others = ", ".join(map(repr, sorted(group - {name})))
            element.note_approximated(f"{text}; it is fixed to {others}, and their sum is one that a body can have")
        else:
            element.complain(f"{text}, or take the nearest that can be with repair=True")
            robot.links[name] = replace(robot.links[name], inertia=np.zeros((3, 3)))


def nearest(inertia: Array) -> Array:
    """The nearest inertia that a body can have: no moment below zero, none above the sum of the others."""
    moments, axes = np.linalg.eigh(0.5 * (inertia + inertia.T))
    moments = np.maximum(moments, 0.0)
    over = max(0.0, moments[2] - moments[0] - moments[1]) / 3.0
    return np.asarray((axes * (moments + np.array([over, over, -over]))) @ axes.T, dtype=np.float64)


def inertia_matrix(xx: float, yy: float, zz: float, xy: float, xz: float, yz: float) -> Array:
    """Symmetric matrix from its six numbers."""
    return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])


def axis_frame(element: Element, axis: tuple[float, ...], x: Array | None = None) -> Array:
    """Rotation with z along a given direction; one of length zero is complained about."""
    length = float(np.linalg.norm(axis))
    if length == 0.0:
        element.complain('the axis is (0, 0, 0), which has no direction; give a unit vector such as "0 0 1"')
        return np.eye(3)
    if abs(length - 1.0) > UNIT:
        element.note_approximated(f"the axis has length {length:g}; its direction is taken", matters=False)
    return on_axis(axis, x)


def fresh(element: Element, name: str, known: object, what: str) -> str:
    """A name that is not taken yet; a taken one is complained about."""
    if name and name in known:  # type: ignore[operator]
        element.complain(f"there are two of the {what} {name!r}; names must be unique")
    return name or f"{what}_line_{element.line}"


def free_name(base: str, known: object) -> str:
    """A name like the given one that is not taken: with the next number, found in few steps among many."""
    if base not in known:  # type: ignore[operator]
        return base
    taken, free = 1, 2
    while f"{base}_{free}" in known:  # type: ignore[operator]
        taken, free = free, 2 * free
    while free - taken > 1:
        middle = (taken + free) // 2
        if f"{base}_{middle}" in known:  # type: ignore[operator]
            taken = middle
        else:
            free = middle
    return f"{base}_{free}"


def check_ends(element: Element, robot: Robot, joint: Joint) -> bool:
    """Both links of a joint exist and are not the same one."""
    for end in (joint.parent, joint.child):
        if end != WORLD and end not in robot.links:
            element.complain(f"joint {joint.name!r} names the link {end!r}, which does not exist")
            return False
    if joint.parent == joint.child:
        element.complain(f"joint {joint.name!r} connects {joint.child!r} with itself; name two different links")
        return False
    return True
