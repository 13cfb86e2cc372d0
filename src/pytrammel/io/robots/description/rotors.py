"""From flywheels that represent armature back to the coordinates that they turn with."""

from __future__ import annotations

from dataclasses import replace

from pytrammel.io.robots.robot import WORLD, Joint, Robot
from pytrammel.model.spatial import SpatialModel


def describe_rotors(model: SpatialModel, robot: Robot) -> None:
    """Make every flywheel that represents armature the armature of the coordinate that turns it; note those that stay links."""
    for body in model.bodies.values():
        if body.armature and not _folded(robot, body.name):
            robot.conversion_report.add(
                "approximated", f"armature {body.name!r}",
                "it is written as a link, whose mass counts; armature is a flywheel on a hinge of the ground that one coordinate turns",
                matters=True,
            )  # fmt: skip


def _folded(robot: Robot, name: str) -> bool:
    """Replace a flywheel by armature; return False where it stands elsewhere than on the ground, or something else uses it."""
    hinges = [joint for joint in robot.joints.values() if name in (joint.parent, joint.child)]
    if len(hinges) != 1 or hinges[0].kind != "revolute" or (hinges[0].parent, hinges[0].child) != (WORLD, name):
        return False
    hinge = hinges[0]
    drives = [
        relation
        for relation in robot.relations.values()
        if any(j == hinge.name for _, j, _ in (*relation.left, *relation.right))
    ]
    if len(drives) != 1 or _used(robot, name, hinge):
        return False
    drive = drives[0]
    if len(drive.left) != 1 or len(drive.right) != 1 or len(drive.coefficients) != 2 or not drive.coefficients[1]:
        return False
    (left, first, _), (right, *_) = drive.left[0], drive.right[0]
    slope = drive.coefficients[1] * right / left  # of the left coordinate by the right one
    turns, (_, turned, place) = (slope, drive.right[0]) if first == hinge.name else (1.0 / slope, drive.left[0])
    if turned == hinge.name:
        return False
    link, axis = robot.links[name], hinge.on_child.rotation[:, 2]
    arm = link.centroid - hinge.on_child.position
    about = float(axis @ link.inertia @ axis) + link.mass * float(arm @ arm - (axis @ arm) ** 2)
    joint = robot.joints[turned]
    axes = list(joint.axes)
    axes[place] = replace(axes[place], armature=axes[place].armature + about * turns**2)
    robot.joints[turned] = replace(joint, axes=tuple(axes))
    del robot.links[name], robot.joints[hinge.name], robot.relations[drive.name]
    return True


def _used(robot: Robot, name: str, hinge: Joint) -> bool:
    """Return True if a frame or a force is on a flywheel or its hinge."""
    own = hinge.axes[0]
    return (
        any((own.stiffness, own.damping, own.friction, own.armature))
        or any(link == name for link, _ in robot.frames.values())
        or any(actuator.joint == hinge.name for actuator in robot.actuators.values())
        or any(name in (spring.first, spring.second) for spring in robot.springs.values())
        or any(name in (bushing.first, bushing.second) for bushing in robot.bushings.values())
    )
