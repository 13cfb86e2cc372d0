"""What writers of all formats share: XML as text, coordinates that begin at zero, joints split into simple ones."""

from __future__ import annotations

import itertools
import json
import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from xml.sax.saxutils import escape, quoteattr

import numpy as np

from pytrammel.errors import ModelError
from pytrammel.inertia import Mesh
from pytrammel.io.robots.checks import free_name
from pytrammel.io.robots.conversion_report import ConversionReport
from pytrammel.io.robots.poses import Pose, on_axis, shift, turn
from pytrammel.io.robots.robot import WORLD, Actuator, Axis, Joint, Link, Relation, Robot

Z = (0.0, 0.0, 1.0)


def text(values: object) -> str:
    """Numbers with all their digits."""
    return " ".join(repr(float(v) + 0.0) for v in np.atleast_1d(np.asarray(values, dtype=float)))


@dataclass
class Tag:
    """An element that is being written."""

    name: str
    attributes: dict[str, str] = field(default_factory=dict)
    children: list[Tag] = field(default_factory=list)
    content: str = ""

    def add(self, name: str, content: object = None, /, **attributes: object) -> Tag:
        """A child; numbers are written with all their digits, None is left out."""
        said = {key.rstrip("_"): _said(value) for key, value in attributes.items() if value is not None}
        child = Tag(name, said, content="" if content is None else _said(content))
        self.children.append(child)
        return child

    def lines(self, indent: int = 0) -> list[str]:
        """Its text, line by line."""
        start = (
            "  " * indent
            + "<"
            + " ".join([self.name, *(f"{key}={quoteattr(value)}" for key, value in self.attributes.items())])
        )
        if self.content:
            return [f"{start}>{escape(self.content)}</{self.name}>"]
        if not self.children:
            return [f"{start}/>"]
        inner = [line for child in self.children for line in child.lines(indent + 1)]
        return [f"{start}>", *inner, "  " * indent + f"</{self.name}>"]

    def document(self) -> str:
        return '<?xml version="1.0"?>\n' + "\n".join(self.lines()) + "\n"


def _said(value: object) -> str:
    return value if isinstance(value, str) else text(value)


@dataclass
class LoopsText:
    """What goes into the YAML file: pairs of frames with their types, motors, and joints of another type than in the URDF file."""

    pairs: list[tuple[str, str]] = field(default_factory=list)
    types: list[str] = field(default_factory=list)
    motors: list[str] = field(default_factory=list)
    joints: dict[str, str] = field(default_factory=dict)

    def __str__(self) -> str:
        pairs = "".join(f"\n  - {_listed(pair)}" for pair in self.pairs) or " []"
        lines = [f"closed_loop:{pairs}", f"type: {_listed(self.types)}", f"name_mot: {_listed(self.motors)}"]
        if self.joints:
            lines += [f"joint_name: {_listed(self.joints)}", f"joint_type: {_listed(self.joints.values())}"]
        return "\n".join(lines) + "\n"


def _listed(words: object) -> str:
    return json.dumps(list(words), ensure_ascii=False)  # type: ignore[call-overload]


LONGEST_STEM = 60  # letters of a link's name in the name of its mesh file


@dataclass
class Sink:
    """Where a robot is written to: its file, the meshes beside it, and the report of what the format cannot represent."""

    path: Path
    report: ConversionReport = field(default_factory=ConversionReport)
    refused: list[str] = field(default_factory=list)
    loops: LoopsText | None = None  # content of the YAML file for loops, if there is one
    mesh_files: set[str] = field(default_factory=set)  # names in lower case: some systems take A and a for one file

    def left_out(self, what: str, why: str, *, matters: bool = True) -> None:
        """Tell something that acts and is not written."""
        self.report.add("ignored", what, why, matters=matters)

    def refuse(self, sentence: str) -> None:
        """A constraint that cannot be written: the robot would move otherwise."""
        self.refused.append(sentence)

    def check(self) -> None:
        if self.refused:
            raise ModelError(f"{self.path.name} cannot be written: " + "; ".join(self.refused[:10]) + ".")

    def mesh(self, link: str, k: int, mesh: Mesh) -> str:
        """Write a mesh beside the file; its name as the file says it."""
        folder = self.path.with_name(f"{self.path.stem}_meshes")
        folder.mkdir(exist_ok=True)
        stem = f"{re.sub(r'[^A-Za-z0-9]', '_', link)[:LONGEST_STEM]}_{k}"
        copies = itertools.chain([""], (f"_{n}" for n in itertools.count(2)))
        name = next(n for n in (f"{stem}{copy}.stl" for copy in copies) if n.lower() not in self.mesh_files)
        self.mesh_files.add(name.lower())
        mesh.write_stl(folder / name)
        return f"{folder.name}/{name}"


# --- coordinates that begin at zero ---


def zeroed(robot: Robot, sink: Sink) -> Robot:
    """The same robot, drawn with all coordinates zero: formats that know no other start."""
    begins = {joint.name: joint.values for joint in robot.joints.values()}
    moved = [name for name, values in begins.items() if any(values)]
    if moved:
        shown = ", ".join(map(repr, moved[:5]))
        sink.report.add(
            "approximated",
            f"zero of {len(moved)} joints",
            f"the format draws a robot with all coordinates zero, so those of {shown} count from the drawn pose",
        )
    joints = {name: _from_zero(joint) for name, joint in robot.joints.items()}
    relations = {name: _shifted(relation, begins) for name, relation in robot.relations.items()}
    actuators = {}
    for name, a in robot.actuators.items():
        value = _drawn(robot, a, begins)
        actuators[name] = replace(a, bias=(a.bias[0] + a.bias[1] * a.gear * value, *a.bias[1:]))
    tendons = {}
    for name, t in robot.tendons.items():
        length = math.fsum(factor * begins[joint][axis] for factor, joint, axis in t.parts)
        tendons[name] = replace(t, low=t.low - length, high=t.high - length)
    return replace(robot, joints=joints, relations=relations, actuators=actuators, tendons=tendons)


def _drawn(robot: Robot, actuator: Actuator, begins: dict[str, tuple[float, ...]]) -> float:
    """Part of an actuator's length that is counted from the drawn pose."""
    if actuator.tendon:
        parts = robot.tendons[actuator.tendon].parts
        return math.fsum(factor * begins[joint][axis] for factor, joint, axis in parts)
    return begins[actuator.joint][actuator.axis] if begins.get(actuator.joint) else 0.0


def _from_zero(joint: Joint) -> Joint:
    values = joint.values
    if joint.kind == "ball":
        return replace(joint, on_parent=joint.on_parent @ joint.moved(()), start=(1.0, 0.0, 0.0, 0.0))
    if not any(values):
        return joint
    axes = tuple(
        replace(a, value=0.0, low=a.low - a.value, high=a.high - a.value, rest=a.rest - a.value if a.stiffness else 0.0)
        for a in joint.axes
    )
    if joint.kind == "planar":
        return replace(
            joint, axes=axes, on_parent=joint.on_parent @ shift(values[0], values[1], 0.0),
            on_child=joint.on_child @ Pose(np.zeros(3), turn(Z, -values[2])),
        )  # fmt: skip
    if joint.kind == "universal":
        return replace(
            joint, axes=axes, on_parent=joint.on_parent @ Pose(np.zeros(3), turn(Z, values[0])),
            on_child=joint.on_child @ Pose(np.zeros(3), turn(Z, -values[1])),
        )  # fmt: skip
    return replace(joint, axes=axes, on_parent=joint.on_parent @ joint.moved(values))


def _shifted(relation: Relation, begins: dict[str, tuple[float, ...]]) -> Relation:
    def at(parts: tuple[tuple[float, str, int], ...]) -> float:
        return math.fsum(factor * begins[joint][axis] for factor, joint, axis in parts)

    return replace(relation, left0=relation.left0 - at(relation.left), right0=relation.right0 - at(relation.right))


def as_mimic(relation: Relation) -> tuple[str, int, str, int, float, float] | None:
    """Follower, its axis, leader, its axis, multiplier and offset of a relation that is a mimic; None if it is none."""
    if len(relation.left) != 1 or len(relation.right) != 1 or any(relation.coefficients[2:]):
        return None
    (c, follower, k), (d, leader, m) = relation.left[0], relation.right[0]
    a0, a1 = (*relation.coefficients, 0.0, 0.0)[:2]
    if c == 0.0:
        return None
    return follower, k, leader, m, a1 * d / c, (relation.left0 + a0 - a1 * relation.right0) / c


# --- joints of several coordinates as several joints ---


def split(robot: Robot, kinds: Sequence[str]) -> Robot:
    """The same robot with joints of some kinds as hinges and slides, links without mass between them."""
    links, joints, renamed = dict(robot.links), {}, {}
    for joint in robot.joints.values():
        if joint.kind not in kinds or joint.closing:
            joints[joint.name] = joint
            continue
        steps = _steps(joint)
        parent, on_parent = joint.parent, joint.on_parent
        for k, (kind, axis_turn, axis) in enumerate(steps):
            last = k == len(steps) - 1
            name = joint.name if last else free_name(f"{joint.name}_{k + 1}", {**robot.joints, **joints})
            renamed[joint.name, joint.axes.index(axis) if joint.kind == "planar" else 1 - k] = name
            frame = Pose(np.zeros(3), axis_turn)
            one = Joint(name, kind, parent, "", on_parent @ frame, frame, (axis,), line=joint.line)  # type: ignore[arg-type]
            if last:
                joints[name] = replace(one, child=joint.child, on_child=joint.on_child @ frame)
                break
            middle = free_name(f"{joint.name}_frame_{k + 1}", links)
            here = robot.pose_of(parent) if parent in robot.links or parent == WORLD else links[parent].pose
            links[middle] = Link(
                middle, here @ on_parent @ frame @ one.moved((axis.value,)) @ frame.inverse, line=joint.line
            )
            joints[name] = replace(one, child=middle)
            parent, on_parent = middle, Pose()

    def told(parts: tuple[tuple[float, str, int], ...]) -> tuple[tuple[float, str, int], ...]:
        return tuple((f, renamed.get((j, k), j), 0 if (j, k) in renamed else k) for f, j, k in parts)

    relations = {n: replace(r, left=told(r.left), right=told(r.right)) for n, r in robot.relations.items()}
    actuators = {
        n: replace(a, joint=renamed.get((a.joint, a.axis), a.joint), axis=0 if (a.joint, a.axis) in renamed else a.axis)
        for n, a in robot.actuators.items()
    }
    tendons = {n: replace(t, parts=told(t.parts)) for n, t in robot.tendons.items()}
    return replace(robot, links=links, joints=joints, relations=relations, actuators=actuators, tendons=tendons)


def _steps(joint: Joint) -> list[tuple[str, np.ndarray, Axis]]:
    """Simple joints that follow each other: kind, the z axis in the joint's frame, coordinate. The last one carries the child."""
    x, y, z = on_axis((1.0, 0.0, 0.0)), on_axis((0.0, 1.0, 0.0)), np.eye(3)
    if joint.kind == "planar":
        return [("prismatic", x, joint.axes[0]), ("prismatic", y, joint.axes[1]), ("revolute", z, joint.axes[2])]
    if joint.kind == "cylindrical":
        return [("prismatic", z, joint.axes[1]), ("revolute", z, joint.axes[0])]
    raise AssertionError(joint.kind)


def on_axis_line(joint: Joint) -> bool:
    """The child's origin lies on the axis of the joint."""
    across = np.cross(joint.on_child.rotation[:, 2], joint.on_child.position)
    return bool(np.linalg.norm(across) <= 1e-12 * (1.0 + np.linalg.norm(joint.on_child.position)))
