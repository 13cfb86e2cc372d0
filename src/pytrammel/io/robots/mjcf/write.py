"""Writing MJCF: loops as equalities."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from pytrammel.geometry.shapes import Box, Cylinder, Sphere
from pytrammel.io.robots.checks import free_name
from pytrammel.io.robots.description.tree import spanned
from pytrammel.io.robots.mjcf.keys import write_keys
from pytrammel.io.robots.mjcf.write_actuators import write_actuators
from pytrammel.io.robots.poses import Pose, to_quaternion
from pytrammel.io.robots.robot import WORLD, Axis, Joint, Link, Relation, Robot, Tendon
from pytrammel.io.robots.urdf.write import cylinder_pose
from pytrammel.io.robots.xml_output import Sink, Tag, text

CUT = ("revolute", "ball", "fixed", "rod")  # joints that an equality can say; the others are better in the tree
ALONE = {"ball", "floating"}  # joints that share a body with no other rotation
Z = (0.0, 0.0, 1.0)
LEAST = 1e-12  # mass [kg] and moments of inertia [kg m²] of links without any
TINY = 1e-14  # moment of inertia that MuJoCo 4.0.0 accepts, which requires more than 1e-15


def write(robot: Robot, sink: Sink) -> str:
    """A robot as MJCF."""
    return _Writer(_cut_well(robot), sink).document()


def _cut_well(robot: Robot) -> Robot:
    """The same robot with loops cut at hinges and balls, where equalities can close them."""
    if all(joint.kind in CUT for joint in robot.loops):
        return robot
    order = sorted(robot.joints.values(), key=lambda joint: joint.kind in CUT)
    plain = [replace(joint, closing=False, axes=_drawn_axes(robot, joint)) for joint in order]
    return replace(robot, joints={joint.name: joint for joint in spanned(plain)})


def _drawn_axes(robot: Robot, joint: Joint) -> tuple[Axis, ...]:
    """Coordinates as drawn; those of a joint that closed a loop were not known."""
    if not joint.closing or not joint.axes:
        return joint.axes
    step = (robot.pose_of(joint.parent) @ joint.on_parent).inverse @ robot.pose_of(joint.child) @ joint.on_child
    x, y, z = step.position
    R = step.rotation
    angle = math.atan2(R[1, 0], R[0, 0])
    values = {
        "revolute": (angle,), "prismatic": (z,), "screw": (angle,), "cylindrical": (angle, z), "planar": (x, y, angle),
        "universal": (math.atan2(R[1, 2], R[0, 2]), math.atan2(-R[2, 1], R[2, 0])),
    }[joint.kind]  # fmt: skip
    return tuple(replace(axis, value=float(value)) for axis, value in zip(joint.axes, values, strict=True))


class _Writer:
    def __init__(self, robot: Robot, sink: Sink) -> None:
        self.robot, self.sink = robot, sink
        self.root = Tag("mujoco", {"model": robot.name})
        self.root.add("compiler", angle="radian", autolimits="true")
        self.root.add("option", gravity=robot.gravity)
        self.asset = self.root.add("asset")
        self.world = self.root.add("worldbody")
        self.tendon, self.equality, self.actuator = (Tag(name) for name in ("tendon", "equality", "actuator"))
        self.bodies: dict[str, Tag] = {WORLD: self.world}
        self.ropes: dict[str, str] = {}  # tendons as they are called in the file
        self.names: dict[tuple[str, int], str] = {}  # coordinates: the MJCF joint that has them
        self.threads: dict[str, str] = {}  # screws by their slides in the file
        self.taken = {*robot.frames, *robot.links, *robot.joints}
        self.incoming = {joint.child: joint for joint in robot.joints.values() if not joint.closing}
        self.outgoing: dict[str, list[Joint]] = {}
        for joint in self.incoming.values():
            self.outgoing.setdefault(joint.parent, []).append(joint)

    def document(self) -> str:
        roots = [name for name in self.robot.links if name not in self.incoming]
        for name in roots:
            self.body(self.world, Pose(), name, []).children.insert(
                0, Tag("freejoint", {"name": self.free(f"{name}_free")})
            )
        self.children(WORLD, self.world)
        for name, (owner, pose) in self.robot.frames.items():
            self.site(owner, pose, name)
        for link in self.robot.links.values():
            for name, point in link.points.items():
                self.site(link.name, Pose(point), self.free(name))
        for joint in self.robot.loops:
            self.loop(joint)
        for relation in self.robot.relations.values():
            self.relation(relation)
        self.elastic()
        write_actuators(self.robot, self.actuator, self.names, self.ropes, self.sink)
        self.sink.check()
        for section in (self.tendon, self.equality, self.actuator):
            if section.children:
                self.root.children.append(section)
        write_keys(self.robot, self.root, self.world, self.actuator, self.names, self.threads, self.sink)
        self.root.children = [child for child in self.root.children if child is not self.asset or child.children]
        return self.root.document()

    def free(self, name: str) -> str:
        found = free_name(name, self.taken)
        self.taken.add(found)
        return found

    # --- bodies and joints ---

    def children(self, link: str, tag: Tag) -> None:
        for joint in self.outgoing.get(link, []):
            chain, end = [joint], joint.child
            while self.between(end) and not {chain[-1].kind, self.outgoing[end][0].kind} & ALONE:
                # a link without mass between two joints: both are joints of the next body
                chain.append(self.outgoing[end][0])
                end = chain[-1].child
            self.body(tag, self.robot.pose_of(link), end, chain)

    def between(self, name: str) -> bool:
        link, out = self.robot.links[name], self.outgoing.get(name, [])
        used = any(owner == name for owner, _ in self.robot.frames.values()) or link.points or link.looks
        looped = any(name in (joint.parent, joint.child) for joint in self.robot.loops)
        return link.mass == 0.0 and len(out) == 1 and out[0].kind != "fixed" and not used and not looped

    def body(self, tag: Tag, parent: Pose, name: str, chain: list[Joint]) -> Tag:
        link = self.robot.links[name]
        step = parent.inverse @ link.pose
        body = tag.add(
            "body", name=name, pos=step.position, quat=to_quaternion(step.rotation), gravcomp=link.lift or None
        )
        self.bodies[name] = body
        mass, J = self.inertial(link, chain)
        if mass > 0.0:
            full = (J[0, 0], J[1, 1], J[2, 2], J[0, 1], J[0, 2], J[1, 2])
            body.add("inertial", pos=link.centroid, mass=mass, fullinertia=full)
        for joint in chain:
            self.joint(body, joint, link)
        self.looks(body, link)
        self.children(name, body)
        return body

    def inertial(self, link: Link, chain: list[Joint]) -> tuple[float, np.ndarray]:
        """Mass and inertia; the least that MuJoCo accepts where a body that moves has none."""
        least = float(np.linalg.eigvalsh(link.inertia)[0])
        rigid = [
            self.robot.links[joint.child].mass for joint in self.outgoing.get(link.name, []) if joint.kind == "fixed"
        ]
        still = bool(chain) and all(joint.kind == "fixed" for joint in chain)
        if (link.mass > 0.0 and least > TINY) or still or (link.mass == 0.0 and any(rigid)):
            return link.mass, link.inertia
        self.sink.report.add(
            "approximated", f"mass and inertia of {link.name!r}",
            f"MuJoCo accepts no body without them that moves, so that {LEAST:g} kg or {LEAST:g} kg m² are added",
        )  # fmt: skip
        return link.mass or LEAST, link.inertia + LEAST * np.eye(3)

    def joint(self, body: Tag, joint: Joint, link: Link) -> None:
        """A joint as hinges and slides in the axes of the body, as drawn."""
        here = link.pose.inverse
        child = here @ self.robot.pose_of(joint.child) @ joint.on_child
        parent = here @ self.robot.pose_of(joint.parent) @ joint.on_parent
        z, axes, name = child.rotation[:, 2], joint.axes, joint.name
        if joint.kind == "floating":
            damped = {"type": "free", "damping": text(joint.ball.damping)} if joint.ball.damping else {}
            body.children.insert(0, Tag("joint" if damped else "freejoint", {"name": name, **damped}))
        elif joint.kind == "revolute":
            self.one(body, joint, 0, "hinge", name, z, child.position)
        elif joint.kind == "prismatic":
            self.one(body, joint, 0, "slide", name, z, child.position)
        elif joint.kind == "cylindrical":
            self.one(body, joint, 1, "slide", self.free(f"{name}_slide"), parent.rotation[:, 2], child.position)
            self.one(body, joint, 0, "hinge", name, z, child.position)
        elif joint.kind == "planar":
            self.one(body, joint, 0, "slide", self.free(f"{name}_x"), parent.rotation[:, 0], child.position)
            self.one(body, joint, 1, "slide", self.free(f"{name}_y"), parent.rotation[:, 1], child.position)
            self.one(body, joint, 2, "hinge", name, z, child.position)
        elif joint.kind == "universal":
            self.one(body, joint, 0, "hinge", name, parent.rotation[:, 2], child.position)
            self.one(body, joint, 1, "hinge", self.free(f"{name}_2"), z, child.position)
        elif joint.kind == "screw":
            pitch = joint.lead / (2.0 * math.pi)
            along = self.free(f"{name}_slide")
            self.threads[along] = name
            slide = replace(joint, axes=(Axis(value=pitch * axes[0].value),))
            self.one(body, slide, 0, "slide", along, parent.rotation[:, 2], child.position)
            self.one(body, joint, 0, "hinge", name, z, child.position)
            self.equality.add(
                "joint",
                name=self.free(f"{name}_thread"),
                joint1=along,
                joint2=name,
                polycoef=(0.0, pitch, 0.0, 0.0, 0.0),
            )
        elif joint.kind == "ball":
            ball = joint.ball
            body.add(
                "joint",
                name=name,
                type="ball",
                pos=child.position,
                damping=ball.damping or None,
                stiffness=ball.stiffness or None,
            )

    def one(self, body: Tag, joint: Joint, k: int, kind: str, name: str, z: np.ndarray, at: np.ndarray) -> None:
        axis = joint.axes[k]
        self.names[joint.name, k] = name
        limits = (max(axis.low, -1e9), min(axis.high, 1e9))
        drive = (axis.drive_low, axis.drive_high)
        damping, stiffness = _coefficients(axis)
        body.add(
            "joint", name=name, type=kind, pos=at, axis=z, ref=axis.value or None, damping=damping,
            stiffness=stiffness, springref=axis.rest if stiffness else None, frictionloss=axis.friction or None,
            armature=axis.armature or None, range=limits if limits != (-1e9, 1e9) else None,
            actuatorfrcrange=drive if math.isfinite(sum(drive)) else None,
            actuatorgravcomp="true" if axis.drive_lifts else None,
        )  # fmt: skip

    def looks(self, body: Tag, link: Link) -> None:
        seen: dict[str, object] = {"mass": "0", "contype": "0", "conaffinity": "0", "group": "2"}
        for k, look in enumerate(link.looks):
            shape = look.shape
            if isinstance(shape, Box):
                turned = np.eye(3) if shape.rotation is None else np.array(shape.rotation)
                half = 0.5 * np.array(shape.size)
                body.add("geom", type="box", pos=shape.center, quat=to_quaternion(turned), size=half, **seen)
            elif isinstance(shape, Sphere):
                body.add("geom", type="sphere", pos=shape.center, size=shape.radius, **seen)
            elif isinstance(shape, Cylinder):
                frame, length = cylinder_pose(shape)
                size = (shape.radius, 0.5 * length)
                body.add(
                    "geom", type="cylinder", pos=frame.position, quat=to_quaternion(frame.rotation), size=size, **seen
                )
            else:
                name = self.free(f"{link.name}_mesh_{k}")
                self.asset.add("mesh", name=name, file=self.sink.mesh(link.name, k, shape.mesh))
                body.add("geom", type="mesh", mesh=name, **seen)

    def site(self, link: str, pose: Pose, name: str) -> str:
        owner = self.bodies.get(link)
        if owner is None:
            raise AssertionError(link)
        owner.add("site", name=name, pos=pose.position, quat=to_quaternion(pose.rotation))
        return name

    # --- what connects beside the tree ---

    def loop(self, joint: Joint) -> None:
        name = joint.name
        ends = ((joint.parent, joint.on_parent, "a"), (joint.child, joint.on_child, "b"))
        if joint.kind == "revolute":
            for number, z in (("", 0.0), ("_2", 0.5)):  # a hinge is two common points of its axis
                sites = [
                    self.site(link, pose @ Pose(np.array([0.0, 0.0, z])), self.free(f"{name}_{side}{number}"))
                    for link, pose, side in ends
                ]
                self.equality.add(
                    "connect", name=name if not number else self.free(f"{name}{number}"), site1=sites[0], site2=sites[1]
                )
        elif joint.kind in ("ball", "fixed", "rod"):
            one, two = (self.site(link, pose, self.free(f"{name}_{side}")) for link, pose, side in ends)
            if joint.kind == "rod":
                rope = self.rope(f"{name}_rod", one, two)
                drawn = [self.robot.pose_of(link).at(pose.position) for link, pose, _ in ends]
                offset = joint.lead - float(np.linalg.norm(drawn[0] - drawn[1]))
                self.equality.add(
                    "tendon", name=name, tendon1=rope.attributes["name"], polycoef=(offset, 0.0, 0.0, 0.0, 0.0)
                )
            else:
                self.equality.add("connect" if joint.kind == "ball" else "weld", name=name, site1=one, site2=two)
        else:
            self.sink.refuse(f"no equality of MJCF closes the loop joint {name!r} ({joint.kind})")
        if any(axis != Axis(value=axis.value) for axis in joint.axes):
            self.sink.left_out(
                f"what acts in the loop joint {name!r}", "an equality carries no damping, spring or range"
            )

    def rope(self, name: str, one: str, two: str, **attributes: object) -> Tag:
        rope = self.tendon.add("spatial", name=self.free(name), **attributes)
        for site in (one, two):
            rope.add("site", site=site)
        return rope

    def relation(self, relation: Relation) -> None:
        """left - left0 = P(right - right0), told from the drawn values as MuJoCo counts."""
        sides = [relation.left, relation.right]
        values = [math.fsum(f * self.robot.joints[j].axes[k].value for f, j, k in parts) for parts in sides]
        if any((j, k) not in self.names for parts in sides for _, j, k in parts):
            self.sink.refuse(f"the relation {relation.name!r} is between coordinates that are no joints in MJCF")
            return
        single = all(len(parts) <= 1 for parts in sides)
        scale = [parts[0][0] if single and parts else 1.0 for parts in sides]
        shift = np.polynomial.Polynomial([values[1] - relation.right0, scale[1]])
        poly = (
            np.polynomial.Polynomial(relation.coefficients)(shift)
            if relation.right
            else np.polynomial.Polynomial(relation.coefficients[:1])
        )
        terms = np.zeros(max(5, len(poly.coef)))
        terms[: len(poly.coef)] = poly.coef
        terms[0] += relation.left0 - values[0]
        if any(terms[5:]):
            self.sink.refuse(f"the relation {relation.name!r} is a polynomial above degree 4")
            return
        if single:
            right = self.names[relation.right[0][1:]] if relation.right else None
            self.equality.add(
                "joint",
                name=relation.name,
                joint1=self.names[relation.left[0][1:]],
                joint2=right,
                polycoef=terms[:5] / scale[0],
            )
            return
        ropes = []
        for parts in sides:
            if parts:
                rope = self.tendon.add("fixed", name=self.free(f"{relation.name}_sum"))
                for factor, joint, k in parts:
                    rope.add("joint", joint=self.names[joint, k], coef=factor)
                ropes.append(rope.attributes["name"])
        self.equality.add(
            "tendon",
            name=relation.name,
            tendon1=ropes[0],
            tendon2=ropes[1] if len(ropes) > 1 else None,
            polycoef=terms[:5],
        )

    def elastic(self) -> None:
        for spring in self.robot.springs.values():
            ends = ((spring.first, spring.at_first, "a"), (spring.second, spring.at_second, "b"))
            one, two = (self.site(link, Pose(at), self.free(f"{spring.name}_{side}")) for link, at, side in ends)
            self.rope(
                spring.name, one, two, stiffness=spring.stiffness, damping=spring.damping, springlength=spring.rest
            )
        for tendon in self.robot.tendons.values():
            self.sinew(tendon)
        for name in self.robot.bushings:
            self.sink.left_out(f"bushing {name!r}", "MJCF has no springs in six directions")

    def sinew(self, tendon: Tendon) -> None:
        """A tendon, with what acts along it."""
        if any((joint, k) not in self.names for _, joint, k in tendon.parts):
            self.sink.left_out(f"tendon {tendon.name!r}", "one of its coordinates is no joint in MJCF")
            return
        drive = (tendon.drive_low, tendon.drive_high)
        damping, stiffness = _coefficients(tendon)
        slack = (tendon.low, tendon.high) if stiffness else None
        span = self.robot.tendon_ranges.get(tendon.name)
        rope = self.tendon.add(
            "spatial" if tendon.strands else "fixed", name=self.free(tendon.name), stiffness=stiffness,
            damping=damping, springlength=slack, frictionloss=tendon.friction or None,
            armature=tendon.armature or None, actuatorfrcrange=drive if math.isfinite(sum(drive)) else None, range=span,
        )  # fmt: skip
        self.ropes[tendon.name] = rope.attributes["name"]
        for factor, joint, k in tendon.parts:
            rope.add("joint", joint=self.names[joint, k], coef=factor)
        for k, strand in enumerate(tendon.strands):
            if k or strand.share != 1.0:
                rope.add("pulley", divisor=1.0 / strand.share)
            for link, at in ((strand.first, strand.at_first), (strand.second, strand.at_second)):
                rope.add("site", site=self.site(link, Pose(at), self.free(f"{tendon.name}_hook")))


def _coefficients(part: Axis | Tendon) -> tuple[object, object]:
    """Damping and stiffness as attributes: all coefficients, the linear one where the others are zero, None where all are."""
    every = ((part.damping, *part.more_damping), (part.stiffness, *part.more_stiffness))
    damping, stiffness = (None if not any(terms) else terms if any(terms[1:]) else terms[0] for terms in every)
    return damping, stiffness
