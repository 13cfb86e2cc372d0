"""Joints of SDF, which URDF files may carry too, in Gazebo's tag."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from pytrammel._util.messages import unlike
from pytrammel.io.robots.checks import axis_frame, check_ends, free_name
from pytrammel.io.robots.poses import Pose, from_quaternion, from_rpy
from pytrammel.io.robots.robot import Axis, Joint, JointKind, Link, Relation, Robot
from pytrammel.io.robots.xml_tree import Element

KINDS: dict[str, JointKind] = {
    "fixed": "fixed", "revolute": "revolute", "continuous": "revolute", "hinge": "revolute", "prismatic": "prismatic",
    "ball": "ball", "screw": "screw", "universal": "universal", "revolute2": "universal", "planar": "planar",
}  # fmt: skip
HUGE = 1e15  # SDF writes 1e16 where there is no limit
SQUARE = 1e-9  # cosine between the axes of a universal joint

Spot = Callable[[str], tuple[str, Pose] | None]
Place = Callable[[str], Pose | None]


def sdf_pose(element: Element | None) -> Pose:
    """What a <pose> says, in the frame it is relative to."""
    if element is None or not element.text.strip():
        return Pose()
    if element.get("rotation_format", "euler_rpy") == "quat_xyzw":
        x, y, z, *q = element.numbers(element.text, 7, (0.0,) * 6 + (1.0,), "the pose", False)
        if not any(q):
            element.complain("the quaternion is zero; write x y z w of a rotation")
            return Pose(np.array([x, y, z]))
        return Pose(np.array([x, y, z]), from_quaternion((q[3], q[0], q[1], q[2])))
    degrees = element.flag("degrees")
    numbers = element.numbers(element.text, 6, (0.0,) * 6, "the pose", False)
    return from_rpy(numbers[:3], np.radians(numbers[3:]) if degrees else numbers[3:])


def sdf_joint(
    element: Element,
    robot: Robot,
    version: str,
    *,
    spot: Spot | None = None,
    place: Place | None = None,
    scope: str = "",
) -> Joint | None:
    """A joint as SDF says it, between links that stand where they are drawn.

    Args:
        element: The joint.
        robot: The robot, with its links.
        version: Version of SDF.
        spot: Link and place of a name.
        place: World pose of a name.
        scope: What names of joints begin with.
    """
    spot = spot or robot.spot
    name = free_name(scope + (element.need("name") or "joint"), robot.joints)
    said = element.get("type") or element.get("drake:type") or ""
    if said == "gearbox":
        _gearbox(element, robot, name, spot)
        return None
    if said not in KINDS:
        element.complain(f"joint {name!r} has the type {said!r}; use one of: {', '.join([*KINDS, 'gearbox'])}")
        return None
    ends = []
    for tag in ("parent", "child"):
        given = element.child(tag, f"drake:{tag}")
        text = "" if given is None else (given.text.strip() or (given.get("link") or ""))
        found = spot(text) if text else None
        if found is None:
            element.complain(f"joint {name!r}: its {tag} {text!r} is neither a link nor a frame")
            return None
        ends.append(found)
    (parent, _), (child, at_child) = ends
    here = element.child("pose")
    frame = robot.pose_of(child) @ at_child
    relative = None if here is None else here.get("relative_to") or here.get("frame")
    if relative and place is not None:
        other = place(relative)
        if other is None:
            element.complain(f"joint {name!r}: its pose is relative to {relative!r}, which is no frame")
        else:
            frame = other
    frame = frame @ sdf_pose(here)
    turns, axes = _axes(element, frame, version, place)
    joint = Joint(name, KINDS[said], parent, child, axes=axes, line=element.line)
    return _finished(element, robot, joint, frame, turns)


def _axes(
    element: Element, frame: Pose, version: str, place: Place | None
) -> tuple[list[np.ndarray], tuple[Axis, ...]]:
    """Directions in the joint's frame, and coordinates, of <axis> and <axis2>."""
    turns, axes = [], []
    for tag in ("axis", "axis2"):
        given = element.child(tag)
        if given is None:
            continue
        direction = np.array(given.values("xyz", 3, (0.0, 0.0, 1.0)))
        xyz = given.child("xyz")
        inside = None if xyz is None else xyz.get("expressed_in")
        old = given.said("use_parent_model_frame").lower() in ("true", "1") or version in (
            "1.0",
            "1.1",
            "1.2",
            "1.3",
            "1.4",
        )
        if inside and place is not None:
            other = place(inside)
            if other is None:
                given.complain(f"the axis is expressed in {inside!r}, which is no frame")
            else:
                direction = frame.rotation.T @ other.rotation @ direction
        elif old:
            direction = frame.rotation.T @ direction
        turns.append(direction)
        axes.append(_axis(given))
    return turns, tuple(axes)


def _axis(element: Element) -> Axis:
    axis = Axis()
    limit, dynamics = element.child("limit"), element.child("dynamics")
    if limit is not None:
        low, high = limit.value("lower", -math.inf, infinite=True), limit.value("upper", math.inf, infinite=True)
        effort, speed = limit.value("effort", -1.0, infinite=True), limit.value("velocity", -1.0, infinite=True)
        for tag in ("stiffness", "dissipation", "drake:acceleration"):
            limit.child(tag)
        if low > high:
            limit.complain(
                "the range is from {} to {}; the lower end must not be above the upper".format(*unlike(low, high))
            )
        axis = replace(
            axis, low=low if low > -HUGE else -math.inf, high=high if high < HUGE else math.inf,
            effort=effort if effort >= 0.0 else math.inf, speed=speed if speed >= 0.0 else math.inf,
        )  # fmt: skip
    if dynamics is not None:
        axis = replace(
            axis, damping=dynamics.value("damping"), friction=dynamics.value("friction"),
            stiffness=dynamics.value("spring_stiffness"), rest=dynamics.value("spring_reference"),
        )  # fmt: skip
        for key in ("damping", "friction"):
            if getattr(axis, key) < 0.0:
                dynamics.complain(f"{key} is {getattr(axis, key):g}; it must not be negative")
    return axis


def _finished(element: Element, robot: Robot, joint: Joint, frame: Pose, turns: list[np.ndarray]) -> Joint | None:
    if joint.kind in ("fixed", "ball"):
        turned = [np.eye(3)] * 2
        joint = replace(joint, axes=())
    elif joint.kind == "universal":
        if len(turns) < 2:
            element.complain(f"joint {joint.name!r} needs <axis> and <axis2>")
            return None
        units = [t / np.linalg.norm(t) if np.any(t) else np.array([0.0, 0.0, 1.0]) for t in turns]
        if abs(float(units[0] @ units[1])) > SQUARE:
            return _two_hinges(element, robot, joint, frame, units)
        turned = [axis_frame(element, tuple(turns[0]), turns[1]), axis_frame(element, tuple(turns[1]), turns[0])]
    else:
        if not turns:
            turns = [np.array([0.0, 0.0, 1.0])]
            joint = replace(joint, axes=(Axis(),))
        turned = [axis_frame(element, tuple(turns[0]))] * 2
    if joint.kind == "planar":
        joint = replace(joint, axes=(joint.axes[:1] or (Axis(),)) * 3)
    if joint.kind in ("revolute", "prismatic", "screw"):
        joint = replace(joint, axes=joint.axes[:1])
    if joint.kind == "screw":
        joint = replace(joint, lead=_lead(element))
    rotor, gear = element.child("drake:rotor_inertia"), element.child("drake:gear_ratio")
    if rotor is not None and len(joint.axes) == 1:
        ratio = 1.0 if gear is None else element.value("drake:gear_ratio", 1.0)
        armature = element.value("drake:rotor_inertia") * ratio**2
        joint = replace(joint, axes=(replace(joint.axes[0], armature=armature),))
    made = _between(robot, joint, frame, turned)
    _mimics(element, robot, made)
    return made if check_ends(element, robot, made) else None


def _between(robot: Robot, joint: Joint, frame: Pose, turned: list[np.ndarray]) -> Joint:
    sides = [
        robot.pose_of(end).inverse @ frame @ Pose(np.zeros(3), turn)
        for end, turn in zip((joint.parent, joint.child), turned, strict=True)
    ]
    return replace(joint, on_parent=sides[0], on_child=sides[1])


def _two_hinges(element: Element, robot: Robot, joint: Joint, frame: Pose, units: list[np.ndarray]) -> Joint:
    """Axes that are not square: a link without mass between two hinges."""
    middle = free_name(f"{joint.name}_cross", robot.links)
    robot.links[middle] = Link(middle, frame, line=joint.line)
    first = replace(
        joint, name=free_name(f"{joint.name}_1", robot.joints), kind="revolute", child=middle, axes=joint.axes[:1]
    )
    second = replace(joint, kind="revolute", parent=middle, axes=joint.axes[1:2])
    robot.joints[first.name] = _between(robot, first, frame, [axis_frame(element, tuple(units[0]))] * 2)
    return _between(robot, second, frame, [axis_frame(element, tuple(units[1]))] * 2)


def _lead(element: Element) -> float:
    """Advance per turn [m]; the older tag counts radians per metre, positive for a left-hand thread."""
    if element.child("screw_thread_pitch") is not None:
        return element.value("screw_thread_pitch", 1.0)
    pitch = element.value("thread_pitch", 1.0)
    if pitch == 0.0:
        element.complain("thread_pitch is 0; use <screw_thread_pitch> in m per turn")
        return 1.0
    return -2.0 * math.pi / pitch


def _mimics(element: Element, robot: Robot, joint: Joint) -> None:
    scope = joint.name.rpartition("::")[0]
    for k, axis in enumerate(element.all("axis", "axis2")):
        for mimic in axis.all("mimic"):
            other, factor = mimic.need("joint"), mimic.value("multiplier", 1.0)
            number = 1 if mimic.get("axis", "axis") == "axis2" else 0
            terms = (mimic.value("offset") - factor * mimic.value("reference"), factor)
            _relate(robot, joint.name, k, f"{scope}::{other}" if scope else other, number, terms, mimic.line)
    for mimic in element.all("drake:mimic"):
        other = mimic.need("joint")
        terms = (mimic.number("offset"), mimic.number("multiplier", 1.0))
        _relate(robot, joint.name, 0, f"{scope}::{other}" if scope else other, 0, terms, mimic.line)


def _relate(robot: Robot, joint: str, axis: int, other: str, number: int, terms: tuple[float, ...], line: int) -> None:
    name = free_name(f"{joint}_mimic", robot.relations)
    robot.relations[name] = Relation(name, ((1.0, joint, axis),), ((1.0, other, number),), terms, line=line)


def _gearbox(element: Element, robot: Robot, name: str, spot: Spot) -> None:
    """Angles of parent and child on the reference body: child = -ratio * parent, along the joints that they turn on."""
    element.skip()
    ratio = element.value("gearbox_ratio", 1.0)
    base = spot(element.said("gearbox_reference_body"))
    found = []
    for tag, axis in (("parent", "axis"), ("child", "axis2")):
        end = spot(element.said(tag))
        direction = element.child(axis)
        for joint in robot.joints.values():
            if base and end and joint.kind == "revolute" and {joint.parent, joint.child} == {base[0], end[0]}:
                z = (
                    robot.pose_of(end[0]).rotation.T
                    @ robot.pose_of(joint.parent).rotation
                    @ joint.on_parent.rotation[:, 2]
                )
                said = z if direction is None else np.array(direction.values("xyz", 3, (0.0, 0.0, 1.0)))
                sense = float(np.sign(said @ z)) * (1.0 if joint.child == end[0] else -1.0)
                found.append((sense, joint.name, 0))
                break
    if len(found) != 2 or not all(sense for sense, _, _ in found):
        element.note_ignored(
            "its parent and child must turn on the reference body in revolute joints that stand before it"
        )
        return
    robot.relations[name] = Relation(name, (found[1],), (found[0],), (0.0, -ratio), line=element.line)
