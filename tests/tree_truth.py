"""Accelerations of a tree of links by Kane's equations, written for the tests, without any solver of the package."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from pytrammel.io.robots.robot import WORLD, Robot, in_order


class TreeTruth:
    """A robot in its drawn pose, with rates of its joints; free bases are at rest.

    Attributes:
        H: Mass matrix along the joints' coordinates (six for a free base), shape (n, n).
        accelerations: Per link the acceleration of its origin and its angular acceleration, global.
        rates: Per link the velocity of its origin and its angular velocity, global.
    """

    def __init__(self, robot: Robot, speeds: Mapping[str, float]) -> None:
        joints, g = in_order(robot), np.array(robot.gravity)
        freedoms = {joint.name: {"floating": 6, "fixed": 0}.get(joint.kind, 1) for joint in joints}
        n = sum(freedoms.values())
        # per link: point, v, w, a, alpha without joint accelerations, and how v and w follow the speeds
        none = np.zeros(3)
        known = {WORLD: (none, none, none, none, none, np.zeros((3, n)), np.zeros((3, n)))}
        at = 0
        armature = np.zeros(n)
        for joint in joints:
            r, v, w, a, alpha, V, W = known[joint.parent]
            frame = robot.pose_of(joint.parent) @ joint.on_parent
            p, z = frame.position, frame.rotation[:, 2]
            arm = p - r
            v, a = v + np.cross(w, arm), a + np.cross(alpha, arm) + np.cross(w, np.cross(w, arm))
            V, W = V - np.cross(arm, W, axisb=0, axisc=0), W.copy()
            if joint.kind == "floating":
                p, v, w, a, alpha = robot.links[joint.child].pose.position, none, none, none, none
                V, W = np.zeros((3, n)), np.zeros((3, n))
                V[:, at : at + 3], W[:, at + 3 : at + 6] = np.eye(3), np.eye(3)
            elif joint.kind != "fixed":
                speed = speeds.get(joint.name, 0.0)
                armature[at] = joint.axes[0].armature
                if joint.kind == "revolute":
                    alpha, w = alpha + np.cross(w, z) * speed, w + z * speed
                    W[:, at] = z
                else:
                    v, a = v + z * speed, a + 2.0 * np.cross(w, z) * speed
                    V[:, at] = z
            at += freedoms[joint.name]
            known[joint.child] = (p, v, w, a, alpha, V, W)
        H, rhs = np.diag(armature), np.zeros(n)
        for link in robot.links.values():
            r, v, w, a, alpha, V, W = known[link.name]
            turn = link.pose.rotation
            J = turn @ link.inertia @ turn.T
            arm = link.pose.at(link.centroid) - r
            bias = a + np.cross(alpha, arm) + np.cross(w, np.cross(w, arm))
            C = V - np.cross(arm, W, axisb=0, axisc=0)
            H += link.mass * C.T @ C + W.T @ J @ W
            rhs += C.T @ (link.mass * (g - bias)) - W.T @ (J @ alpha + np.cross(w, J @ w))
        self.H = H
        found = np.linalg.solve(H, rhs) if n else rhs
        self.accelerations, self.rates = {}, {}
        for link in robot.links.values():
            r, v, w, a, alpha, V, W = known[link.name]
            arm = link.pose.position - r
            turning = alpha + W @ found
            self.rates[link.name] = (v + np.cross(w, arm), w)
            self.accelerations[link.name] = (
                a + V @ found + np.cross(turning, arm) + np.cross(w, np.cross(w, arm)),
                turning,
            )
