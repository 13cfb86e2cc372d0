"""From a model to a robot: the tree that its joints span, and the loops that are left."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np

from pytrammel.errors import ModelError
from pytrammel.expressions.expression import Expression
from pytrammel.io.robots.checks import free_name
from pytrammel.io.robots.conversion_report import ConversionReport
from pytrammel.io.robots.description.forces import describe_forces
from pytrammel.io.robots.description.rotors import describe_rotors
from pytrammel.io.robots.description.source import restore
from pytrammel.io.robots.poses import Pose
from pytrammel.io.robots.robot import COORDINATES, WORLD, Axis, Joint, JointKind, Link, Look, Relation, Robot
from pytrammel.joints.constraint import Constraint
from pytrammel.model.bodies import GROUND
from pytrammel.model.spatial import SpatialModel

KINDS: dict[str, JointKind] = {
    "fix": "fixed", "weld": "fixed", "revolute": "revolute", "prismatic": "prismatic", "cylindrical": "cylindrical", "screw": "screw",
    "universal": "universal", "planar": "planar", "spherical": "ball", "link": "rod",
}  # fmt: skip
CLOSED = 1e-9  # m and rad by which a joint may be open as drawn
# turns a joint's frames so that a coordinate keeps its sign when the bodies change places
FLIP_Z = np.diag([1.0, -1.0, -1.0])
FLIP_XZ = np.diag([-1.0, 1.0, -1.0])


def describe(model: SpatialModel, report: ConversionReport) -> Robot:
    """A model as a robot.

    Args:
        model: The model, drawn with its joints closed.
        report: Where notes go about what robots cannot have.
    """
    robot = Robot(model.name, gravity=tuple(model.gravity), conversion_report=report)  # type: ignore[arg-type]
    if model.closure_tolerance:
        text = "robot files have none; pass closure_tolerance= to load_robot"
        report.add("ignored", f"closure_tolerance {model.closure_tolerance:g} m", text, matters=True)
    for body in list(model.bodies.values())[1:]:
        mass = body.mass or 0.0
        if body.mass is None and not body.massless:
            raise ModelError(
                f"body {body.name!r} has no mass, which a robot needs; give mass= and inertia=, or massless=True."
            )
        inertia = np.zeros((3, 3)) if body.inertia is None else np.array(body.inertia)
        pose = Pose(np.array(body.position), body.matrix)
        looks = tuple(Look(shape) for shape in body.shapes)
        robot.links[body.name] = Link(body.name, pose, mass, np.array(body.centroid), inertia, looks)
    for name, point in model.points.items():
        plain = name.replace(".", "_")
        robot.frames[free_name(plain, {*robot.frames, *robot.links})] = (_link(point.body), Pose(np.array(point.local)))
    refused: list[str] = []
    joints, rows = [], []
    for constraint in model.constraints.values():
        if constraint.kind in KINDS:
            joints.append(_joint(model, constraint))
        elif constraint.kind == "driver" or constraint.is_driver:
            report.add("ignored", f"driver {constraint.name!r}", "robot files say no motions", matters=True)
        elif constraint.kind in ("equation", "constrain"):
            rows.append(constraint)
        elif constraint.kind != "free":
            refused.append(f"{constraint.kind} {constraint.name!r}")
    if model.phases:
        refused.append("phases")
    for joint in spanned(joints):
        robot.joints[joint.name] = joint
    _check_closed(robot)
    names = _coordinates(model, robot)
    known = restore(model, robot, names)
    for name in known:
        robot.links.pop(name, None), robot.joints.pop(name, None)
    for constraint in rows:
        if constraint.name in known:
            continue
        relation = _relation(constraint, names)
        if relation is None:
            refused.append(f"{constraint.kind} {constraint.name!r}")
        else:
            robot.relations[relation.name] = relation
    if refused:
        raise ModelError(
            f"model {model.name!r} cannot be written as a robot: it has {', '.join(refused[:8])}. Robots have joints "
            f"({', '.join(KINDS)}) and equations between coordinates of two joints; say the others in these words, or use m.save."
        )
    describe_forces(model, robot, names, known)
    describe_rotors(model, robot)
    return robot


def _link(body: str) -> str:
    return WORLD if body == GROUND else body


def _joint(model: SpatialModel, constraint: Constraint) -> Joint:
    kind = KINDS[constraint.kind]
    given = constraint.parameters
    if constraint.kind == "fix":
        body = model.bodies[given["body"]]
        return Joint(constraint.name, kind, WORLD, body.name, Pose(np.array(body.position), body.matrix))
    i, j = given["first"], given["second"]
    frames = [Pose(np.array(m.local), np.array(m.axes) if m.oriented else np.eye(3)) for m in (i, j)]
    if kind in ("ball", "rod"):  # they have no axes of their own: those of the drawing
        frames[1] = Pose(frames[1].position, model.bodies[j.body].matrix.T @ model.bodies[i.body].matrix)
    lead = float(given.get("lead", given.get("length", 0.0)) or 0.0)
    if kind == "screw":
        frames[0] = frames[0] @ Pose(np.array([0.0, 0.0, float(given["start"])]))
    axes = tuple(Axis(value=_drawn(model, constraint, key)) for key in COORDINATES[kind])
    return Joint(constraint.name, kind, _link(i.body), _link(j.body), frames[0], frames[1], axes, lead)


def _drawn(model: SpatialModel, constraint: Constraint, key: str) -> float:
    quantity = constraint.measures[key]
    return float(quantity.turn.start) if quantity.turn is not None else float(model.drawn_value(quantity))


def spanned(joints: list[Joint]) -> list[Joint]:
    """Joints with the tree that they span from the ground: turned round where it needs that, the others closing loops."""
    reached = {WORLD}
    waiting = [joint for joint in joints if joint.kind != "rod"]
    out: dict[str, Joint] = {}
    while waiting:
        step = next((joint for joint in waiting if joint.parent in reached and joint.child not in reached), None)
        if step is None:
            back = next((joint for joint in waiting if joint.child in reached and joint.parent not in reached), None)
            step = None if back is None else back
        if step is None:
            # nothing hangs on what was reached: what is left are loops, or parts that float
            loose = next((joint for joint in waiting if joint.parent not in reached), None)
            if loose is None:
                break
            reached.add(loose.parent)
            continue
        waiting.remove(step)
        step = step if step.child not in reached else reversed_joint(step)
        reached.add(step.child)
        out[step.name] = step
    for joint in joints:
        out.setdefault(joint.name, replace(joint, closing=True))
    return [out[joint.name] for joint in joints]


def reversed_joint(joint: Joint) -> Joint:
    """The same joint seen from its child, with the same coordinates."""
    axes = joint.axes
    flip = Pose(np.zeros(3), FLIP_XZ if joint.kind == "universal" else FLIP_Z)
    on_parent, on_child = joint.on_child @ flip, joint.on_parent @ flip
    if joint.kind == "universal":
        axes = axes[::-1]
    if joint.kind == "planar":
        x, y, angle = joint.values
        c, s = math.cos(angle), math.sin(angle)
        axes = (Axis(value=-(c * x + s * y)), Axis(value=-(s * x - c * y)), axes[2])
    return replace(joint, parent=joint.child, child=joint.parent, on_parent=on_parent, on_child=on_child, axes=axes)


def _check_closed(robot: Robot) -> None:
    for joint in robot.joints.values():
        if joint.closing or joint.kind == "ball":
            continue
        drawn = (robot.pose_of(joint.parent) @ joint.on_parent).inverse @ robot.pose_of(joint.child) @ joint.on_child
        if not drawn.near(joint.moved(joint.values), CLOSED):
            raise ModelError(
                f"joint {joint.name!r} is open as drawn, and a robot file is written as drawn; write m.assemble().model() instead."
            )


def _coordinates(model: SpatialModel, robot: Robot) -> dict[str, tuple[str, int]]:
    """Coordinates of the robot by the name that formulas of the model give them."""
    out = {}
    for joint in robot.joints.values():
        keys = COORDINATES[joint.kind]
        turned_round = joint.kind == "universal" and _link(model.constraints[joint.name].bodies[0]) != joint.parent
        if joint.kind == "planar" and _link(model.constraints[joint.name].bodies[0]) != joint.parent:
            keys = ("", "", "angle")  # x and y count in the other body's axes now
        for k, key in enumerate(keys):
            if key:
                out[f"{joint.name}.{key}"] = (joint.name, len(keys) - 1 - k if turned_round else k)
    return out


def _relation(constraint: Constraint, names: dict[str, tuple[str, int]]) -> Relation | None:
    """An equation between coordinates that is linear, or a polynomial of one of two; None if it is not."""
    if constraint.kind == "constrain":
        quantity = constraint.parameters["quantity"]
        label = quantity if isinstance(quantity, str) else quantity.label
        if label not in names:
            return None
        joint, axis = names[label]
        return Relation(constraint.name, ((1.0, joint, axis),), (), (float(constraint.blocks[0].targets[0]),))  # type: ignore[arg-type]
    formula: Expression = constraint.parameters["formula"]
    keys = sorted(formula.names)
    if not keys or any(key not in names for key in keys):
        return None
    zero = dict.fromkeys(keys, 0.0)
    slopes = [formula.derivative(key).constant for key in keys]
    base = -float(formula.evaluate(zero))
    if all(slope is not None for slope in slopes):
        parts = tuple((float(slope), *names[key]) for slope, key in zip(slopes, keys, strict=True) if slope)
        if len(parts) == 2:
            (a, *left), (b, *right) = parts
            return Relation(constraint.name, ((1.0, *left),), ((1.0, *right),), (base / a, -b / a))  # type: ignore[arg-type]
        return Relation(constraint.name, parts, (), (base,)) if parts else None
    return _polynomial(constraint.name, formula, keys, slopes, names) if len(keys) == 2 else None


def _polynomial(
    name: str, formula: Expression, keys: list[str], slopes: list[Any], names: dict[str, tuple[str, int]]
) -> Relation | None:
    for k in (0, 1):
        slope, left, right = slopes[k], keys[k], keys[1 - k]
        if slope is None or not slope:
            continue
        xs = np.array([-2.0, -1.0, 0.0, 1.0, 2.0])
        ys = np.array([-float(formula.evaluate({left: 0.0, right: x})) / slope for x in xs])
        terms = np.linalg.solve(np.vander(xs, increasing=True), ys)
        for x in (0.37, -1.61, 3.3):
            exact = -float(formula.evaluate({left: 0.0, right: x})) / slope
            if abs(np.polynomial.polynomial.polyval(x, terms) - exact) > 1e-10 * (1.0 + abs(exact)):
                return None
        terms[np.abs(terms) < 1e-14 * np.abs(terms).max()] = 0.0
        return Relation(name, ((1.0, *names[left]),), ((1.0, *names[right]),), tuple(map(float, terms)))
    return None
