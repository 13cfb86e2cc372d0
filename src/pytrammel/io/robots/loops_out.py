"""Writing loops, motors and joints without a word in URDF to a YAML file next to it, as `loops_file` reads them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from pytrammel.io.robots.checks import free_name
from pytrammel.io.robots.poses import Pose, on_axis
from pytrammel.io.robots.robot import Axis, Joint, Link, Robot
from pytrammel.io.robots.xml_output import Sink

TYPES = {"fixed": "6d", "ball": "3d"}


def cut_at_frames(robot: Robot, sink: Sink) -> Robot:
    """Robot whose loops are closed by common frames or points only.

    Any other joint goes into the tree, on a link without mass whose frame is the child's: a rod as a universal joint with the point at its
    end, since a ball would let it spin.
    """
    out = replace(robot, links=dict(robot.links), joints=dict(robot.joints), relations=dict(robot.relations))
    for joint in robot.loops:
        if joint.kind in TYPES:
            continue
        if joint.kind in ("no_turning", "screw"):
            text = f"the loop joint {joint.name!r} is {joint.kind}, which a file of loops with 3d and 6d cannot express"
            sink.refuse(text)
            continue
        link = free_name(f"{joint.name}_end", {*out.links, *out.frames})
        closing = free_name(f"{joint.name}_loop", out.joints)
        here = robot.pose_of(joint.parent) @ joint.on_parent
        there = robot.pose_of(joint.child) @ joint.on_child
        if joint.kind == "rod":
            along = here.rotation.T @ (there.position - here.position)
            x, y, z = on_axis(along).T
            middle = Pose(
                np.zeros(3), np.column_stack([x, z, -y])
            )  # both axes of the joint across the rod, which lies along y
            out.links[link] = Link(link, here @ middle, line=joint.line)
            swap = Joint("", "universal", "", "", axes=(Axis(), Axis())).moved((0.0, 0.0))
            out.joints[joint.name] = replace(
                joint, kind="universal", child=link, on_parent=joint.on_parent @ middle, on_child=swap, axes=(Axis(), Axis()),
                closing=False,
            )  # fmt: skip
            end = Pose(np.array([0.0, joint.lead, 0.0]))
            out.joints[closing] = Joint(
                closing, "ball", link, joint.child, end, joint.on_child, closing=True, line=joint.line
            )
            continue
        values = tuple(_value(joint, here.inverse @ there))
        axes = tuple(replace(axis, value=value) for axis, value in zip(joint.axes, values, strict=True))
        out.links[link] = Link(link, here @ joint.moved(values), line=joint.line)
        out.joints[joint.name] = replace(joint, child=link, on_child=Pose(), axes=axes, closing=False)
        out.joints[closing] = Joint(
            closing, "fixed", link, joint.child, Pose(), joint.on_child, closing=True, line=joint.line
        )
    return out


def _value(joint: Joint, inner: Pose) -> list[float]:
    """Coordinates of a joint whose child's frame is `inner` in its parent's frame."""
    turned = float(np.arctan2(inner.rotation[1, 0], inner.rotation[0, 0]))
    if joint.kind == "revolute":
        return [turned]
    if joint.kind == "prismatic":
        return [float(inner.position[2])]
    if joint.kind == "cylindrical":
        return [turned, float(inner.position[2])]
    if joint.kind == "planar":
        return [*map(float, inner.position[:2]), turned]
    # universal: z of the child is x of the parent turned about z of the parent; x of the child is z of the parent turned back about it
    z = inner.rotation[:, 2]
    first = float(np.arctan2(z[1], z[0]))
    back = inner.rotation.T @ np.array([0.0, 0.0, 1.0])
    return [first, float(np.arctan2(-back[1], back[0]))]
