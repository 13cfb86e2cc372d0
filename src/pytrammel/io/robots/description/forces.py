"""Forces of a model as what robots have: springs, dampers, friction and servos along coordinates, springs between points."""

from __future__ import annotations

from collections.abc import Container
from dataclasses import replace
from typing import Any

import numpy as np

from pytrammel.forces.force import Force, ForceUse
from pytrammel.io.robots.poses import Pose
from pytrammel.io.robots.robot import WORLD, Actuator, Bushing, Robot, Spring
from pytrammel.model.bodies import GROUND
from pytrammel.model.spatial import SpatialModel
from pytrammel.model.spatial_bodies import Marker

Names = dict[str, tuple[str, int]]


def describe_forces(model: SpatialModel, robot: Robot, names: Names, known: Container[str] = ()) -> None:
    """Add the forces of a model to a robot; forces without a counterpart are noted.

    Args:
        model: The model.
        robot: The robot.
        names: Coordinates of the robot as formulas of the model call them.
        known: Forces that parts of the robot represent already.
    """
    for force in model.forces.values():
        if force.name not in known and not _told(model, robot, names, force):
            robot.conversion_report.add(
                "ignored", f"{force.kind} {force.name!r}", "robot files have no such force", matters=True
            )


def _told(model: SpatialModel, robot: Robot, names: Names, force: Force) -> bool:
    given = force.parameters
    if force.kind == "spring":
        return _spring(robot, force)
    if force.kind == "bushing":
        return _bushing(robot, force)
    if force.kind == "force":
        return _lift(model, robot, force)
    if force.kind == "stick_slip" and _label(given["quantity"]) in names:
        size = np.atleast_1d(np.asarray(given["coefficients"], dtype=float))
        if isinstance(given["normal"], int | float) and given.get("bristle_stiffness") is None:
            return _on_axis(robot, names[_label(given["quantity"])], friction=float(given["normal"]) * float(size[0]))
        return False
    if force.kind == "end_stop" and _label(given["quantity"]) in names:
        robot.conversion_report.add(
            "approximated",
            f"stop {force.name!r}",
            "written as the range of its joint, without its stiffness",
            matters=True,
        )
        limits = {key: float(given[key]) for key in ("low", "high") if given.get(key) is not None}
        return _on_axis(robot, names[_label(given["quantity"])], **limits)
    if force.kind == "motor":
        return _motor(robot, names, force)
    laws = [_linear(use, names) for use in force.uses]
    if not laws or any(law is None for law in laws):
        return False
    where = {law[0] for law in laws if law is not None}
    b0, b1, b2 = (sum(law[1][k] for law in laws if law is not None) for k in range(3))
    joint, axis = where.pop()
    if where:
        return False
    before = robot.joints[joint].axes[axis]
    if b1 <= 0.0 and b2 <= 0.0 and (b0 == 0.0 or b1 < 0.0) and not (before.stiffness or before.damping):
        return _on_axis(robot, (joint, axis), stiffness=-b1, damping=-b2, rest=-b0 / b1 if b1 else 0.0)
    robot.actuators[force.name] = Actuator(force.name, joint, axis, gain=0.0, bias=(b0, b1, b2))
    return True


def _motor(robot: Robot, names: Names, force: Force) -> bool:
    """A motor along a coordinate is an actuator; what drives it is a control, which robot files do not have."""
    label = _label(force.uses[0].along)
    if label not in names:
        return False
    joint, axis = names[label]
    robot.actuators[force.name] = Actuator(force.name, joint, axis)
    robot.conversion_report.add(
        "ignored", f"control of actuator {force.name!r}",
        f"robot files have no controls; pass controls= with {force.parameters['torque']!r} to load_robot", matters=True,
    )  # fmt: skip
    return True


def _label(quantity: object) -> str:
    return quantity if isinstance(quantity, str) else str(getattr(quantity, "label", ""))


def _on_axis(robot: Robot, place: tuple[str, int], **changes: Any) -> bool:
    name, k = place
    joint = robot.joints[name]
    axes = tuple(replace(axis, **changes) if i == k else axis for i, axis in enumerate(joint.axes))
    robot.joints[name] = replace(joint, axes=axes)
    return True


def _linear(use: ForceUse, names: Names) -> tuple[tuple[str, int], tuple[float, float, float]] | None:
    """Coordinate, and constant, per value and per rate of a law that is linear in that coordinate; None if it is not."""
    if use.element != "law_force" or use.along is None or use.law is None or use.along.label not in names:
        return None
    terms = [0.0, 0.0, 0.0]
    for key in use.law.names:
        slope, source = use.law.derivative(key).constant, use.inputs[key]
        if (
            slope is None
            or source.kind not in ("value", "rate")
            or source.quantity is None
            or source.quantity.label != use.along.label
        ):
            return None
        terms[1 if source.kind == "value" else 2] += slope
    terms[0] = float(use.law.evaluate(dict.fromkeys(use.law.names, 0.0)))
    return names[use.along.label], (terms[0], terms[1], terms[2])


def _link(body: str) -> str:
    return WORLD if body == GROUND else body


def _spring(robot: Robot, force: Force) -> bool:
    given = force.parameters
    numbers = [given["stiffness"], given["damping"]]
    if given["force"] is not None or any(value is not None and not isinstance(value, int | float) for value in numbers):
        return False
    p, q = given["first"], given["second"]
    robot.springs[force.name] = Spring(
        force.name, _link(p.body), _link(q.body), np.array(p.local), np.array(q.local), float(numbers[0] or 0.0), float(numbers[1] or 0.0),
        float(given["free_length"]),
    )  # fmt: skip
    return True


def _bushing(robot: Robot, force: Force) -> bool:
    given = force.parameters
    matrices = []
    for key in ("stiffness", "damping", "rotational_stiffness", "rotational_damping"):
        value = np.asarray(0.0 if given.get(key) is None else given[key], dtype=float)
        if value.shape == (3, 3):
            if np.any(value - np.diag(np.diag(value))):
                return False
            value = np.diag(value)
        x, y, z = (float(v) for v in np.broadcast_to(value, (3,)))
        matrices.append((x, y, z))
    i, j = given["first"], given["second"]
    if not isinstance(i, Marker) or not isinstance(j, Marker):
        return False
    frames = [Pose(np.array(m.local), np.array(m.axes)) for m in (i, j)]
    k, c, kr, cr = matrices
    for joint in robot.joints.values():
        same = {joint.parent, joint.child} == {_link(i.body), _link(j.body)} and joint.kind == "ball"
        if same and not any((*k, *c)) and len(set(kr)) == 1 and len(set(cr)) == 1:
            robot.joints[joint.name] = replace(joint, ball=replace(joint.ball, stiffness=kr[0], damping=cr[0]))
            return True
    robot.bushings[force.name] = Bushing(force.name, _link(i.body), _link(j.body), frames[0], frames[1], k, c, kr, cr)
    return True


def _lift(model: SpatialModel, robot: Robot, force: Force) -> bool:
    """A constant force at the centroid against gravity is compensated weight."""
    given = force.parameters
    point, vector = given.get("point"), given.get("vector")
    if not isinstance(point, Marker) or point.body not in robot.links or given.get("frame", "space") != "space":
        return False
    link = robot.links[point.body]
    try:
        push = np.array([float(str(value)) for value in vector])  # type: ignore[union-attr]
    except (TypeError, ValueError):
        return False
    weight = link.mass * np.array(model.gravity)
    if not weight.any() or np.abs(np.array(point.local) - link.centroid).max() > 0.0:
        return False
    part = -float(push @ weight) / float(weight @ weight)
    if np.abs(push + part * weight).max() > 1e-12 * np.abs(weight).max():
        return False
    robot.links[point.body] = replace(link, lift=link.lift + part)
    return True
