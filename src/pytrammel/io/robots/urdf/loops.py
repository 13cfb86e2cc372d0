"""Loops in URDF files: the <constraint> that is proposed for URDF, <loop_joint>, Drake's tags, and joints in Gazebo's tag."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from pytrammel.io.robots.checks import axis_frame, check_ends, free_name
from pytrammel.io.robots.poses import Pose, from_rpy
from pytrammel.io.robots.robot import WORLD, Axis, Bushing, Joint, JointKind, Relation, Robot, Spring
from pytrammel.io.robots.sdf.joints import sdf_joint
from pytrammel.io.robots.xml_tree import Element

KINDS: dict[str, JointKind] = {
    "fixed": "fixed", "weld": "fixed", "revolute": "revolute", "continuous": "revolute", "prismatic": "prismatic", "planar": "planar",
    "spherical": "ball", "ball": "ball", "universal": "universal", "cylindrical": "cylindrical", "distance": "rod", "rod": "rod",
    "link": "rod",
}  # fmt: skip
ON_AXIS = ("revolute", "prismatic", "planar", "cylindrical", "universal")


def read_loops(root: Element, robot: Robot) -> None:
    """Add everything that closes loops beside the joints."""
    for tag, read in READERS.items():
        for element in root.all(tag):
            read(element, robot)
    for relation in robot.relations.values():
        for _, name, axis in (*relation.left, *relation.right):
            if name not in robot.joints or axis >= len(robot.joints[name].axes):
                root.complain(
                    f"relation {relation.name!r} (line {relation.line}) names {name!r}, which is no joint with a coordinate"
                )


def _constraint(element: Element, robot: Robot) -> None:
    """<constraint name type> with parent, parent_origin, parent_axis, child, child_origin, child_axis."""
    name = element.get("name") or free_name("constraint", robot.joints)
    said = element.need("type")
    if said not in KINDS:
        element.complain(f"constraint {name!r} has the type {said!r}; use one of: {', '.join(KINDS)}")
        return
    kind = KINDS[said]
    ends, frames, axes = [], [], []
    for side in ("parent", "child"):
        end, origin, axis = element.child(side), element.child(f"{side}_origin"), element.child(f"{side}_axis")
        ends.append("" if end is None else end.need("link"))
        if end is None:
            element.complain(f'constraint {name!r} has no <{side} link="…"/>')
        frames.append(Pose() if origin is None else from_rpy(origin.vector("xyz"), origin.vector("rpy")))
        axes.append(None if axis is None else (axis, axis.vector("xyz", 3, (1.0, 0.0, 0.0))))
    if kind in ON_AXIS:
        default = (element, (1.0, 0.0, 0.0))
        own = [axes[0] or default, axes[1] or axes[0] or default]
        frames = [frame @ Pose(np.zeros(3), axis_frame(*axis)) for frame, axis in zip(frames, own, strict=True)]
    length = element.number("length") if kind == "rod" else 0.0
    if kind == "rod" and length <= 0.0:
        element.complain(f'constraint {name!r} keeps a distance: give length="…", greater than 0 m')
    count = {"revolute": 1, "prismatic": 1, "cylindrical": 2, "universal": 2, "planar": 3}.get(kind, 0)
    _add(
        element,
        robot,
        Joint(name, kind, ends[0], ends[1], frames[0], frames[1], (Axis(),) * count, length, line=element.line),
    )


def _loop_joint(element: Element, robot: Robot) -> None:
    """<loop_joint name type> with link1 and link2 (link, xyz, rpy) and axis."""
    name = element.get("name") or free_name("loop_joint", robot.joints)
    said = element.need("type")
    if said not in KINDS or KINDS[said] == "rod":
        element.complain(
            f"loop joint {name!r} has the type {said!r}; use one of: {', '.join(k for k in KINDS if KINDS[k] != 'rod')}"
        )
        return
    kind = KINDS[said]
    sides = element.all("link1", "link2")
    if len(sides) != 2:
        element.complain(f"loop joint {name!r} needs <link1> and <link2>")
        return
    frames = [from_rpy(side.vector("xyz"), side.vector("rpy")) for side in sides]
    axis = element.child("axis")
    if kind in ON_AXIS:
        turn = axis_frame(axis or element, (1.0, 0.0, 0.0) if axis is None else axis.vector("xyz", 3, (1.0, 0.0, 0.0)))
        frames = [frame @ Pose(np.zeros(3), turn) for frame in frames]
    count = {"revolute": 1, "prismatic": 1, "cylindrical": 2, "universal": 2, "planar": 3}.get(kind, 0)
    ends = [side.need("link") for side in sides]
    _add(
        element, robot, Joint(name, kind, ends[0], ends[1], frames[0], frames[1], (Axis(),) * count, line=element.line)
    )


def _add(element: Element, robot: Robot, joint: Joint) -> None:
    one, two = robot.spot(joint.parent), robot.spot(joint.child)
    for end, spot in ((joint.parent, one), (joint.child, two)):
        if end and spot is None:
            element.complain(f"{joint.name!r} names {end!r}, which is neither a link nor a frame")
    if one is None or two is None:
        return
    (parent, before), (child, after) = one, two
    joint = replace(
        joint, parent=parent, child=child, on_parent=before @ joint.on_parent, on_child=after @ joint.on_child
    )
    name = free_name(joint.name, robot.joints)
    if check_ends(element, robot, joint):
        robot.joints[name] = replace(joint, name=name, closing=True)


# --- Drake ---


def drake_text(element: Element, tag: str, key: str) -> str:
    """What a tag of Drake's says: in an attribute (URDF) or as text (SDF)."""
    child = element.child(tag)
    if child is None:
        element.complain(f"<{tag}> is missing in it")
        return ""
    return (child.get(key) or child.text).strip()


def _drake_numbers(element: Element, tag: str, size: int) -> tuple[float, ...]:
    text = drake_text(element, tag, "value")
    return element.numbers(text, size, (0.0,) * size, f"{tag} {text!r}", False)


def _drake_spot(element: Element, robot: Robot, tag: str) -> tuple[str, Pose]:
    name = drake_text(element, tag, "name")
    spot = robot.spot(name)
    if spot is None:
        element.complain(f"{tag} names {name!r}, which is neither a link nor a frame")
        return WORLD, Pose()
    return spot


def _ball_constraint(element: Element, robot: Robot) -> None:
    head = "drake:ball_constraint_"
    ends = [_drake_spot(element, robot, f"{head}body_{side}") for side in "AB"]
    points = [_drake_numbers(element, f"{head}{at}", 3) for at in ("p_AP", "p_BQ")]
    frames = [frame @ Pose(np.array(point)) for (_, frame), point in zip(ends, points, strict=True)]
    name = free_name(element.get("name") or "ball_constraint", robot.joints)
    _add(element, robot, Joint(name, "ball", ends[0][0], ends[1][0], frames[0], frames[1], line=element.line))


def _weld_constraint(element: Element, robot: Robot) -> None:
    ends = []
    for tag in ("parent", "child"):
        name = drake_text(element, tag, "name")
        spot = robot.spot(name)
        if spot is None:
            element.complain(f"it names {name!r}, which is neither a link nor a frame")
            return
        ends.append(spot)
    name = free_name(element.get("name") or "weld_constraint", robot.joints)
    _add(element, robot, Joint(name, "fixed", ends[0][0], ends[1][0], ends[0][1], ends[1][1], line=element.line))


def _bushing(element: Element, robot: Robot) -> None:
    head = "drake:bushing_"
    (first, on_first), (second, on_second) = (_drake_spot(element, robot, f"{head}frame{side}") for side in "AC")
    numbers = [
        _drake_numbers(element, f"{head}{what}", 3)
        for what in ("force_stiffness", "force_damping", "torque_stiffness", "torque_damping")
    ]
    name = free_name("linear_bushing_rpy", robot.bushings)
    k, c, kr, cr = ((x, y, z) for x, y, z in numbers)
    robot.bushings[name] = Bushing(name, first, second, on_first, on_second, k, c, kr, cr, line=element.line)
    element.note_approximated(
        "torques follow the rotation vector instead of roll, pitch and yaw: the same for small angles"
    )


def _spring_damper(element: Element, robot: Robot) -> None:
    head = "drake:linear_spring_damper_"
    (first, on_first), (second, on_second) = (_drake_spot(element, robot, f"{head}body_{side}") for side in "AB")
    p, q = (_drake_numbers(element, f"{head}{at}", 3) for at in ("p_AP", "p_BQ"))
    rest, stiffness, damping = (
        _drake_numbers(element, f"{head}{what}", 1)[0] for what in ("free_length", "stiffness", "damping")
    )
    name = free_name("linear_spring_damper", robot.springs)
    robot.springs[name] = Spring(
        name, first, second, on_first.at(p), on_second.at(q), stiffness, damping, rest, line=element.line
    )


def _tendon_constraint(element: Element, robot: Robot) -> None:
    """A tendon of equal limits and no stiffness is a relation; others are springs that are not taken over."""
    head = "drake:tendon_constraint_"
    parts = tuple((joint.number("a", 1.0), joint.need("name"), 0) for joint in element.all(f"{head}joint"))
    low, high = element.child(f"{head}lower_limit"), element.child(f"{head}upper_limit")
    offset = element.child(f"{head}offset")
    if low is None or high is None or low.number("value") != high.number("value") or not parts:
        element.note_ignored("a tendon whose length may vary")
        return
    element.skip()
    zero = 0.0 if offset is None else offset.number("value")
    name = free_name("tendon_constraint", robot.relations)
    robot.relations[name] = Relation(name, parts, (), (low.number("value") - zero,), line=element.line)


# --- Gazebo ---


def _gazebo(element: Element, robot: Robot) -> None:
    """Joints in <gazebo> close loops; with reference= it adds to a joint or link."""
    target = element.get("reference")
    for joint in element.all("joint"):
        made = sdf_joint(joint, robot, "1.7")
        if made is not None:
            robot.joints[made.name] = replace(made, closing=True)
    if target in robot.joints and len(robot.joints[target].axes) == 1:
        axis = robot.joints[target].axes[0]
        axis = replace(
            axis,
            stiffness=element.value("springStiffness", axis.stiffness),
            rest=element.value("springReference", axis.rest),
        )
        robot.joints[target] = replace(robot.joints[target], axes=(axis,))
    off = element.said("turnGravityOff").lower() in ("true", "1") or element.said("gravity").lower() in ("false", "0")
    if target in robot.links and off:
        robot.links[target] = replace(robot.links[target], lift=1.0)
    for child in element.children:
        if not child.seen:
            child.note_ignored("settings of Gazebo's own: pictures, contacts, sensors, plugins", matters=False)


READERS: dict[str, Callable[[Element, Robot], None]] = {
    "constraint": _constraint,
    "loop_joint": _loop_joint,
    "drake:ball_constraint": _ball_constraint,
    "drake:weld_constraint": _weld_constraint,
    "drake:linear_bushing_rpy": _bushing,
    "drake:linear_spring_damper": _spring_damper,
    "drake:tendon_constraint": _tendon_constraint,
    "gazebo": _gazebo,
}
