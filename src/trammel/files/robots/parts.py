"""What readers of all formats check alike: masses, names, directions."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from trammel.errors import TrammelError
from trammel.files.robots.poses import on_axis
from trammel.files.robots.robot import WORLD, Joint, Robot
from trammel.files.robots.xml_tree import Element
from trammel.inertia import check_inertia

Array = NDArray[np.float64]
TINY = 1e-9  # m²: a body whose gyration radius is below 0.03 mm is a point
UNIT = 1e-3  # how far from 1 the length of a direction may be before it is told


def checked_mass(element: Element, name: str, mass: float, inertia: Array) -> tuple[float, Array]:
    """Mass and central inertia of a body that can exist; complaints otherwise."""
    if mass < 0.0:
        element.complain(f"the mass of {name!r} is {mass:g} kg; it must not be negative")
        return 0.0, np.zeros((3, 3))
    if mass == 0.0:
        if np.any(inertia):
            element.note_ignored(f"the inertia of {name!r}: its mass is 0 kg")
        return 0.0, np.zeros((3, 3))
    try:
        return mass, np.asarray(check_inertia(inertia, mass, f"the inertia of {name!r}"))
    except TrammelError as error:
        tiny = float(np.abs(inertia).max()) < TINY * mass
        if tiny or element.document.repair:
            element.note_approximated(f"{str(error).rstrip('.')}; the nearest that can be is taken", matters=not tiny)
            return mass, _nearest(inertia)
        element.complain(f"{str(error).rstrip('.')}, or take the nearest that can be with repair=True")
        return mass, np.zeros((3, 3))


def _nearest(inertia: Array) -> Array:
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
    """A name like the given one that is not taken."""
    name, k = base, 2
    while name in known:  # type: ignore[operator]
        name, k = f"{base}_{k}", k + 1
    return name


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
