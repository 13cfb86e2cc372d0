"""Links that are fixed to each other: which they are, and the mass properties that they have together."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np

from pytrammel.errors import TrammelError
from pytrammel.inertia import check_inertia
from pytrammel.inertia.properties import steiner
from pytrammel.io.robots.poses import Array, Pose
from pytrammel.io.robots.robot import WORLD, Robot

Part = tuple[float, Array, Array]  # mass, centroid, inertia about it


def fixed_group(robot: Robot, name: str) -> set[str]:
    """A link and all that are fixed to it, directly or by way of others; the ground is one of them where one stands on it."""
    around: dict[str, list[str]] = {}
    for joint in robot.joints.values():
        if joint.kind == "fixed" and not joint.closing:
            around.setdefault(joint.parent, []).append(joint.child)
            around.setdefault(joint.child, []).append(joint.parent)
    group, waiting = {name}, [name]
    while waiting:
        new = set(around.get(waiting.pop(), ())) - group
        group |= new
        waiting += new - {WORLD}
    return group


def moved_part(part: Part, step: Pose) -> Part:
    """Mass properties given in a frame, seen from where the frame is seen."""
    mass, centroid, inertia = part
    turned = step.rotation @ inertia @ step.rotation.T
    return mass, step.at(centroid), 0.5 * (turned + turned.T)


def together(one: Part, two: Part) -> Part:
    """Mass properties of two parts fixed to each other, in the same frame, whether or not each could be a body (eqs. 11.2.18-11.2.20).

    A part without mass adds its inertia alone.
    """
    mass = one[0] + two[0]
    if one[0] == 0.0 or two[0] == 0.0:
        return mass, (two if one[0] == 0.0 else one)[1], one[2] + two[2]
    centroid = one[1] + two[0] * (two[1] - one[1]) / mass
    inertia = (one[2] + steiner(one[0], one[1] - centroid)) + (two[2] + steiner(two[0], two[1] - centroid))
    return mass, centroid, 0.5 * (inertia + inertia.T)


def sum_problem(robot: Robot, group: Collection[str]) -> str | None:
    """Why no body can have the mass properties of a group of links; None if one can."""
    total: Part = (0.0, np.zeros(3), np.zeros((3, 3)))
    for name in group:
        if name != WORLD:
            link = robot.links[name]
            total = together(total, moved_part((link.mass, link.centroid, link.inertia), link.pose))
    try:
        check_inertia(total[2], total[0] or None, f"the inertia of {', '.join(map(repr, sorted(group)))}")
    except TrammelError as error:
        return str(error)
    return None
