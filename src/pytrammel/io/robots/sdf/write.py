"""Writing SDF: loops are joints like others there."""

from __future__ import annotations

import math

import numpy as np

from pytrammel.geometry.shapes import Box, Cylinder, Sphere
from pytrammel.io.robots.poses import Pose, to_rpy
from pytrammel.io.robots.robot import Axis, Joint, Link, Robot, in_order
from pytrammel.io.robots.urdf.write import cylinder_pose, drake_elastic
from pytrammel.io.robots.xml_output import Sink, Tag, as_mimic, split, zeroed

NO_LIMIT = 1e16
VERSION = "1.11"


def write(robot: Robot, sink: Sink) -> str:
    """A robot as SDF."""
    robot = split(zeroed(robot, sink), ("cylindrical", "planar"))
    root = Tag("sdf", {"version": VERSION, "xmlns:drake": "http://drake.mit.edu"})
    world = root.add("world", name=robot.name)
    world.add("gravity", robot.gravity)
    model = world.add("model", name=robot.name)
    for link in robot.links.values():
        _link(model, link, sink)
    for name, (owner, pose) in robot.frames.items():
        model.add("frame", name=name, attached_to=owner).add("pose", _numbers(pose))
    for joint in [*in_order(robot), *robot.loops]:
        _joint(model, robot, joint, sink)
    for relation in robot.relations.values():
        if as_mimic(relation) is None:
            sink.refuse(f"the relation {relation.name!r} is no mimic of one joint by another; write MJCF instead")
    drake_elastic(model, robot, attributes=False)
    for name in robot.tendons:
        sink.left_out(f"tendon {name!r}", "SDF has no springs along several joints")
    for name in robot.keys:
        sink.left_out(f"state {name!r}", "SDF has no named states", matters=False)
    if robot.actuators:
        sink.left_out(
            f"{len(robot.actuators)} actuators",
            "SDF leaves motors to plugins",
            matters=any(any(a.bias) for a in robot.actuators.values()),
        )
    sink.check()
    return root.document()


def _numbers(pose: Pose) -> tuple[float, ...]:
    return (*pose.position, *to_rpy(pose.rotation))


def _link(model: Tag, link: Link, sink: Sink) -> None:
    tag = model.add("link", name=link.name)
    tag.add("pose", _numbers(link.pose))
    inertial = tag.add("inertial")
    inertial.add("pose", (*link.centroid, 0.0, 0.0, 0.0))
    inertial.add("mass", link.mass)
    inertia = inertial.add("inertia")
    for key, i, k in (("ixx", 0, 0), ("iyy", 1, 1), ("izz", 2, 2), ("ixy", 0, 1), ("ixz", 0, 2), ("iyz", 1, 2)):
        inertia.add(key, link.inertia[i, k])
    if link.lift == 1.0:
        tag.add("gravity", "false")
    elif link.lift:
        sink.left_out(f"compensated weight of {link.name!r}", "SDF cannot say a part of it")
    for k, look in enumerate(link.looks):
        visual = tag.add("visual", name=f"visual_{k}")
        shape = look.shape
        if isinstance(shape, Box):
            frame = Pose(np.array(shape.center), np.eye(3) if shape.rotation is None else np.array(shape.rotation))
            visual.add("pose", _numbers(frame))
            visual.add("geometry").add("box").add("size", shape.size)
        elif isinstance(shape, Sphere):
            visual.add("pose", (*shape.center, 0.0, 0.0, 0.0))
            visual.add("geometry").add("sphere").add("radius", shape.radius)
        elif isinstance(shape, Cylinder):
            frame, length = cylinder_pose(shape)
            visual.add("pose", _numbers(frame))
            cylinder = visual.add("geometry").add("cylinder")
            cylinder.add("radius", shape.radius)
            cylinder.add("length", length)
        else:
            visual.add("geometry").add("mesh").add("uri", sink.mesh(link.name, k, shape.mesh))
    for name, point in link.points.items():
        model.add("frame", name=name, attached_to=link.name).add("pose", (*point, 0.0, 0.0, 0.0))


def _joint(model: Tag, robot: Robot, joint: Joint, sink: Sink) -> None:
    if joint.kind == "floating":
        return
    if joint.kind in ("rod", "no_turning", "planar", "cylindrical"):
        sink.refuse(
            f"the loop joint {joint.name!r} ({joint.kind}) has no counterpart in SDF; write MJCF or URDF instead"
        )
        return
    if not _closed(robot, joint):
        sink.refuse(
            f"the loop joint {joint.name!r} is open as drawn, and SDF places a joint once for both links; draw the robot closed first "
            "(m.copy of m.assemble().model)"
        )
        return
    tag = model.add("joint", name=joint.name, type=joint.kind)
    tag.add("parent", joint.parent)
    tag.add("child", joint.child)
    # of the child's frame and the parent's only z matters for an axis; the parent's is drawn on the child
    frame = robot.pose_of(joint.child).inverse @ robot.pose_of(joint.parent) @ joint.on_parent
    tag.add("pose", _numbers(frame))
    if joint.kind == "screw":
        tag.add("screw_thread_pitch", joint.lead)
    directions = [(0.0, 0.0, 1.0), (1.0, 0.0, 0.0)]
    for k, axis in enumerate(joint.axes):
        _axis(tag, robot, joint, k, axis, directions[k])
    if joint.ball.damping or joint.ball.stiffness:
        sink.left_out(f"damping and spring of ball joint {joint.name!r}", "SDF cannot say them")
    if any(axis.armature for axis in joint.axes):
        if len(joint.axes) == 1:
            tag.add("drake:rotor_inertia", joint.axes[0].armature)
        else:
            sink.left_out(f"armature of joint {joint.name!r}", "SDF has one for joints with one coordinate only")


def _closed(robot: Robot, joint: Joint) -> bool:
    if not joint.closing:
        return True
    one, two = robot.pose_of(joint.parent) @ joint.on_parent, robot.pose_of(joint.child) @ joint.on_child
    gap = float(np.linalg.norm(one.position - two.position))
    if joint.kind == "prismatic":
        gap = float(np.linalg.norm(np.cross(one.rotation[:, 2], two.position - one.position)))
    tilt = (
        0.0
        if joint.kind in ("ball", "universal")
        else float(np.linalg.norm(np.cross(one.rotation[:, 2], two.rotation[:, 2])))
    )
    return gap < 1e-9 and tilt < 1e-9


def _axis(tag: Tag, robot: Robot, joint: Joint, k: int, axis: Axis, direction: tuple[float, ...]) -> None:
    one = tag.add("axis" if k == 0 else "axis2")
    one.add("xyz", direction)
    limit = one.add("limit")
    limit.add("lower", max(axis.low, -NO_LIMIT))
    limit.add("upper", min(axis.high, NO_LIMIT))
    if math.isfinite(axis.effort):
        limit.add("effort", axis.effort)
    if math.isfinite(axis.speed):
        limit.add("velocity", axis.speed)
    dynamics = one.add("dynamics")
    for key, value in (
        ("damping", axis.damping), ("friction", axis.friction), ("spring_stiffness", axis.stiffness), ("spring_reference", axis.rest),
    ):  # fmt: skip
        dynamics.add(key, value)
    for relation in robot.relations.values():
        mimic = as_mimic(relation)
        if mimic is not None and mimic[:2] == (joint.name, k):
            follow = one.add("mimic", joint=mimic[2], axis="axis2" if mimic[3] else "axis")
            follow.add("multiplier", mimic[4])
            follow.add("offset", mimic[5])
            follow.add("reference", 0.0)
