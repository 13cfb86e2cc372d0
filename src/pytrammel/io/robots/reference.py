"""Inertia along coordinates and lengths of tendons in the initial configuration, to which laws of MJCF refer."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from pytrammel.io.robots.poses import Array
from pytrammel.io.robots.robot import Joint, Robot, Tendon, in_order

SIZES = {"revolute": 1, "prismatic": 1, "ball": 3, "floating": 6}  # columns of a joint
Sum = Sequence[tuple[float, str, int]]


class Mobility:
    """Inverse of the mass matrix of the tree in the initial configuration: accelerations per effort, all coordinates free.

    Loops are open, armature is included. Joints are hinges, slides, balls and free ones.
    """

    def __init__(self, robot: Robot) -> None:
        self.columns: dict[str, int] = {}
        count = 0
        order = [joint for joint in in_order(robot) if joint.kind in SIZES]
        for joint in order:
            self.columns[joint.name] = count
            count += SIZES[joint.kind]
        motions = self._motions(robot, count)
        M = np.zeros((count, count))
        for name, link in robot.links.items():
            turning, moving = motions[name]
            pose = link.pose
            arm = pose.rotation @ link.centroid
            at = moving - _skew(arm) @ turning
            inertia = pose.rotation @ link.inertia @ pose.rotation.T
            M += link.mass * at.T @ at + turning.T @ inertia @ turning
        for joint in order:
            start = self.columns[joint.name]
            armature = joint.axes[0].armature if joint.axes else joint.ball.armature
            M[range(start, start + SIZES[joint.kind]), range(start, start + SIZES[joint.kind])] += armature
        for tendon in robot.tendons.values():
            if tendon.armature and tendon.parts:
                row = self._row(tendon.parts, count)
                M += tendon.armature * np.outer(row, row)
        self.inverse = np.linalg.pinv(M, hermitian=True)

    def _motions(self, robot: Robot, count: int) -> dict[str, tuple[Array, Array]]:
        """Angular velocity and velocity of the origin of each link per rate of the coordinates, in global axes."""
        still = np.zeros((3, count)), np.zeros((3, count))
        out: dict[str, tuple[Array, Array]] = {}
        for joint in in_order(robot):
            turning, moving = out.get(joint.parent, still)
            parent, child = robot.pose_of(joint.parent), robot.pose_of(joint.child)
            turning, moving = turning.copy(), moving - _skew(child.position - parent.position) @ turning
            if joint.kind in SIZES:
                own = slice(self.columns[joint.name], self.columns[joint.name] + SIZES[joint.kind])
                _add(joint, turning, moving, own, child.rotation, child.position, robot)
            out[joint.child] = turning, moving
        return {name: out.get(name, still) for name in robot.links}

    def _row(self, parts: Sum, count: int) -> Array:
        row = np.zeros(count)
        for factor, joint, _ in parts:
            row[self.columns[joint]] += factor
        return row

    def inertia_along(self, parts: Sum) -> float:
        """Inertia that an effort along a sum of coordinates moves [kg m² or kg]."""
        row = self._row(parts, len(self.inverse))
        return float(1.0 / (row @ self.inverse @ row))

    def inertia_at(self, joint: Joint) -> float:
        """Inertia that an effort at a joint moves, of a ball joint by the mean of its inverse about three axes [kg m² or kg]."""
        at, size = self.columns[joint.name], SIZES[joint.kind]
        return size / float(np.trace(self.inverse[at : at + size, at : at + size]))


def _add(joint: Joint, turning: Array, moving: Array, own: slice, axes: Array, origin: Array, robot: Robot) -> None:
    """Columns of a joint in the motion of its child."""
    frame = robot.pose_of(joint.child) @ joint.on_child
    z = frame.rotation[:, 2]
    if joint.kind == "prismatic":
        moving[:, own.start] = z
    elif joint.kind == "revolute":
        turning[:, own.start] = z
        moving[:, own.start] = np.cross(z, origin - frame.position)
    elif joint.kind == "ball":
        turning[:, own] = axes
        moving[:, own] = -_skew(origin - frame.position) @ axes
    else:
        moving[:, own.start : own.start + 3] = np.eye(3)
        turning[:, own.start + 3 : own.stop] = axes


def _skew(a: Array) -> Array:
    """Matrix of a cross product."""
    return np.array([[0.0, -a[2], a[1]], [a[2], 0.0, -a[0]], [-a[1], a[0], 0.0]])


def length_of(robot: Robot, tendon: Tendon) -> float:
    """Length of a tendon in the initial configuration."""
    if not tendon.strands:
        return math.fsum(factor * robot.joints[name].axes[axis].value for factor, name, axis in tendon.parts)
    return math.fsum(
        strand.share
        * float(
            np.linalg.norm(
                robot.pose_of(strand.first).at(strand.at_first) - robot.pose_of(strand.second).at(strand.at_second)
            )
        )
        for strand in tendon.strands
    )
