"""From a robot to a model: links become bodies, joints joints, and what acts along coordinates forces."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from trammel.errors import ModelError
from trammel.files.robots.account import Account
from trammel.files.robots.fold import fold, share_inertias
from trammel.files.robots.parts import free_name, nearest
from trammel.files.robots.poses import Pose
from trammel.files.robots.rigid import fixed_group
from trammel.files.robots.robot import COORDINATES, WORLD, Actuator, Axis, Link, Relation, Robot, free_bases
from trammel.files.robots.shapes import vector
from trammel.inertia import check_inertia
from trammel.model.spatial.body import Marker
from trammel.model.spatial.model import SpatialModel
from trammel.sentences import number_of, short
from trammel.visible import visible

KINDS = {"fixed": "weld", "ball": "spherical"}  # all others are called the same


def build_model(
    robot: Robot,
    *,
    floating: bool = False,
    pose: Mapping[str, object] | None = None,
    stops: float | None = None,
    friction: bool = True,
    controls: Mapping[str, object] | None = None,
    merge: bool = True,
    closure_tolerance: float = 0.0,
) -> SpatialModel:
    """The robot as a model.

    Args:
        robot: The robot.
        floating: Links that the file leaves without a parent float freely, and a root link called "world" with what is fixed to it;
            by default a URDF robot stands on the ground.
        pose: Values of coordinates by joint in which it is drawn [rad, m]; several numbers for joints with several coordinates.
        stops: Stiffness of end stops at the ends of all ranges [N m/rad or N/m]; without it ranges are not enforced.
        friction: Take over dry friction.
        controls: Controls of actuators by name: numbers or formulas of t and measured quantities; zero where not given. Joints
            without an actuator may be named too: then it is the effort.
        merge: Links that are fixed to another become part of it, and their origins points; otherwise all are bodies.
        closure_tolerance: Gap that redundant rows of closed loops may keep [m]; see `SpatialModel`.
    """
    placed = replace(
        robot, joints=dict(robot.joints), links=dict(robot.links), frames=dict(robot.frames),
        account=Account(list(robot.account.notes)),
    )  # fmt: skip
    if floating:
        _let_go(placed)
    if pose:
        placed.place(_pose_values(placed, pose))
    placed = fold(placed) if merge else share_inertias(placed)
    builder = _Builder(placed)
    builder.model.closure_tolerance = closure_tolerance
    builder.bodies()
    builder.joints()
    builder.relations()
    builder.elastic()
    builder.along_coordinates(stops, friction)
    builder.actuators(dict(controls or {}))
    builder.model.account = placed.account
    return builder.model


def _let_go(robot: Robot) -> None:
    """Leave out joints that fix a root to the ground where the file itself did not state so; a root called "world" becomes a link."""
    on_ground = {name: joint for name, joint in robot.joints.items() if joint.parent == WORLD and not joint.closing}
    implied = [name for name, joint in on_ground.items() if joint.kind == "fixed" and joint.line == 0]
    for name in implied:
        del robot.joints[name]
    explicit = [name for name in on_ground if name not in implied]
    if implied or all(on_ground[name].kind == "floating" for name in explicit):
        return
    if robot.world is None:
        raise ModelError(
            f"floating=True: robot {robot.name!r} has no root to let go: joint {explicit[0]!r} of the file connects it to the ground. "
            "Leave floating out, or remove that joint."
        )
    root = free_name(f"{WORLD}_link", robot.links)
    robot.links = {root: replace(robot.world, name=root), **robot.links}
    for name, joint in list(robot.joints.items()):
        if joint.kind != "floating":
            parent, child = (root if end == WORLD else end for end in (joint.parent, joint.child))
            robot.joints[name] = replace(joint, parent=parent, child=child)
    robot.frames = {key: (root if link == WORLD else link, pose) for key, (link, pose) in robot.frames.items()}
    if not any(robot.links[name].mass > 0.0 for name in fixed_group(robot, root)):
        moving = [name for name in explicit if on_ground[name].kind not in ("fixed", "floating")]
        raise ModelError(
            f"floating=True: the root link 'world' of robot {robot.name!r} has no mass (0 kg), and joint {moving[0]!r} moves against it, "
            "so that nothing holds it. Fix a link with mass to it, or leave floating out."
        )


def _pose_values(robot: Robot, pose: Mapping[str, object]) -> dict[str, tuple[float, ...]]:
    out: dict[str, tuple[float, ...]] = {}
    for name, value in pose.items():
        if name not in robot.joints or not robot.joints[name].axes or robot.joints[name].closing:
            known = ", ".join(key for key, joint in robot.joints.items() if joint.axes and not joint.closing)
            raise ModelError(
                f"pose names {short(name)}, which is no joint with a coordinate in the tree; there are: {known[:400]}."
            )
        numbers = np.atleast_1d(np.asarray(value, dtype=float))
        if numbers.shape != (len(robot.joints[name].axes),) or not np.isfinite(numbers).all():
            raise ModelError(
                f"pose of joint {name!r} is {short(value)}; it must be {number_of(len(robot.joints[name].axes), 'finite number')}."
            )
        out[name] = tuple(float(v) for v in numbers)
    return out


class _Builder:
    def __init__(self, robot: Robot) -> None:
        self.robot = robot
        self.file = robot.path.name if robot.path else ""
        self.model = SpatialModel(visible(" ".join(robot.name.split())), gravity=robot.gravity)
        self.taken: dict[tuple[str, str], str] = {("link", WORLD): "ground"}
        self.used = {"ground"}
        names = (
            [("link", k) for k in robot.links]
            + [("joint", k) for k in robot.joints]
            + [("frame", k) for k in robot.frames]
        )
        names += [("relation", k) for k in robot.relations] + [("force", k) for k in [*robot.springs, *robot.bushings]]
        names += [("actuator", k) for k in robot.actuators]
        for kind, name in names:
            implied = kind == "joint" and robot.joints[name].line == 0
            self.taken[kind, name] = self.new_name(name, kind, tell=not implied)

    def new_name(self, name: str, kind: str, *, tell: bool = True) -> str:
        """A name that formulas can read and that nothing else has."""
        plain = re.sub(r"\W", "_", name, flags=re.ASCII) or kind
        plain = plain if re.match(r"[A-Za-z_]", plain) else f"{kind}_{plain}"
        free, count = plain, 1
        while free in self.used:
            free = f"{plain}_{kind}" if count == 1 else f"{plain}_{kind}{count}"
            count += 1
        self.used.add(free)
        if tell and free != name:
            self.robot.account.add("renamed", f"{kind} {name!r}", f"it is {free!r} in the model", file=self.file)
        return free

    def marker(self, link: str, pose: Pose) -> Marker:
        body = self.model.bodies[self.taken["link", link]]
        made: Marker = body.marker(
            vector(pose.position), axis=vector(pose.rotation[:, 2]), x=vector(pose.rotation[:, 0])
        )
        return made

    def coordinate(self, joint: str, axis: int) -> str:
        """A joint's coordinate as formulas of the model call it."""
        return f"{self.taken['joint', joint]}.{COORDINATES[self.robot.joints[joint].kind][axis]}"

    # --- what there is ---

    def bodies(self) -> None:
        bases = free_bases(self.robot)
        for link in self.robot.links.values():
            about = self.mass_properties(link)
            if link.name in bases:  # rates given to joints would set it moving as well
                about |= {"velocity": (0.0, 0.0, 0.0), "omega": (0.0, 0.0, 0.0)}
            self.model.body(
                self.taken["link", link.name], position=vector(link.pose.position), rotation=link.pose.rotation,
                shape=[look.shape for look in link.looks] or None, **about,
            )  # fmt: skip
            for key, point in link.points.items():
                name = self.new_name(key, "point")
                self.model.point(name, self.taken["link", link.name], local=vector(point))
            if link.lift and any(self.robot.gravity):
                name = self.new_name(f"{link.name}_lift", "force", tell=False)
                push = tuple(-link.lift * link.mass * g for g in self.robot.gravity)
                body = self.model.bodies[self.taken["link", link.name]]
                self.model.force(name, body.at(*vector(link.centroid)), push)
        for key, (owner, pose) in self.robot.frames.items():
            self.model.point(self.taken["frame", key], self.taken["link", owner], local=vector(pose.position))

    def mass_properties(self, link: Link) -> dict[str, Any]:
        stands = WORLD in fixed_group(self.robot, link.name)
        if link.mass == 0.0:
            if link.inertia.any() and not stands:
                self.robot.account.add(
                    "ignored", f"the inertia of {link.name!r}", "its mass is 0 kg, and no link with mass is fixed to it",
                    line=link.line, file=self.file, matters=True,
                )  # fmt: skip
            return {"massless": True}
        inertia = link.inertia
        try:
            check_inertia(inertia, link.mass, f"inertia of link {link.name!r}")
        except ModelError as error:
            if not stands:
                remedy = "" if len(fixed_group(self.robot, link.name)) == 1 else "merge links with merge=True, or "
                raise ModelError(
                    f"{str(error).rstrip('.')}, or {remedy}take the nearest that can be with repair=True."
                ) from None
            inertia = nearest(inertia)
        return {"mass": link.mass, "inertia": inertia, "centroid": vector(link.centroid)}

    def joints(self) -> None:
        for joint in self.robot.joints.values():
            if joint.kind == "floating":
                continue
            name = self.taken["joint", joint.name]
            i, j = self.marker(joint.parent, joint.on_parent), self.marker(joint.child, joint.on_child)
            given: dict[str, Any] = {}
            keys = COORDINATES[joint.kind]
            if not joint.closing:  # counted turns; a loop's closing joint shows its angle only once it is closed
                given = {key: axis.value for key, axis in zip(keys, joint.axes, strict=True) if "angle" in key}
            if joint.kind == "screw":
                given.update(lead=joint.lead, start=0.0)
            if joint.kind == "no_turning":
                self.no_turning(name, i, j)
            elif joint.kind == "rod":
                p, q = (self.model.bodies[m.body].at(*m.local) for m in (i, j))
                self.model.link(name, p, q, length=joint.lead)
            elif joint.kind == "ball":
                p, q = (self.model.bodies[m.body].at(*m.local) for m in (i, j))
                self.model.spherical(name, p, q)
            else:
                getattr(self.model, KINDS.get(joint.kind, joint.kind))(name, i, j, **given)

    def no_turning(self, name: str, i: Marker, j: Marker) -> None:
        """Two axes that stay parallel, and no twist about them: orientation alone."""
        self.model.parallel_axes(name, i, j)
        self.model.constrain(self.new_name(f"{name}_twist", "joint", tell=False), f"{name}.angle", value=0.0)

    def relations(self) -> None:
        for relation in self.robot.relations.values():
            name = self.taken["relation", relation.name]
            first = relation.left[0]
            turning = "angle" in self.coordinate(first[1], first[2])
            self.model.equation(name, self._formula(relation), unit="rad" if turning else "m")

    def _formula(self, relation: Relation) -> str:
        left = self._sum(relation.left)
        right = f"({self._sum(relation.right)} - ({relation.right0!r}))" if relation.right else "0"
        terms = [
            f"({c!r})*{right}^{k}" if k > 1 else f"({c!r})*{right}" if k else f"({c!r})"
            for k, c in enumerate(relation.coefficients)
        ]
        kept = [term for term, c in zip(terms, relation.coefficients, strict=True) if c] or ["0"]
        return f"{left} - ({relation.left0!r}) - ({' + '.join(kept)})"

    def _sum(self, parts: tuple[tuple[float, str, int], ...]) -> str:
        return "(" + " + ".join(f"({factor!r})*{self.coordinate(joint, axis)}" for factor, joint, axis in parts) + ")"

    # --- what acts ---

    def elastic(self) -> None:
        for spring in self.robot.springs.values():
            p, q = (
                self.model.bodies[self.taken["link", link]].at(*vector(at))
                for link, at in ((spring.first, spring.at_first), (spring.second, spring.at_second))
            )
            self.model.spring(
                self.taken["force", spring.name],
                p,
                q,
                stiffness=spring.stiffness,
                free_length=spring.rest,
                damping=spring.damping,
            )
        for bushing in self.robot.bushings.values():
            self.model.bushing(
                self.taken["force", bushing.name],
                self.marker(bushing.first, bushing.on_first),
                self.marker(bushing.second, bushing.on_second),
                stiffness=bushing.stiffness,
                damping=bushing.damping,
                rotational_stiffness=bushing.turning_stiffness,
                rotational_damping=bushing.turning_damping,
            )

        for tendon in self.robot.tendons.values():
            length = self._sum(tendon.parts)
            rate = " + ".join(
                f"({factor!r})*{self.coordinate(joint, axis)}.rate" for factor, joint, axis in tendon.parts
            )
            pull = (
                f"({tendon.stiffness!r})*(max({length} - ({tendon.high!r}), 0) + min({length} - ({tendon.low!r}), 0))"
            )
            if tendon.low == tendon.high:
                pull = f"({tendon.stiffness!r})*({length} - ({tendon.low!r}))"
            for k, (factor, joint, axis) in enumerate(tendon.parts, start=1):
                name = self.new_name(f"{tendon.name}_{k}", "force", tell=False)
                law = f"-({factor!r})*({pull} + ({tendon.damping!r})*({rate}))"
                self.model.user_force(name, self.coordinate(joint, axis), law)

    def along_coordinates(self, stops: float | None, friction: bool) -> None:
        ranged = 0
        for joint in self.robot.joints.values():
            for k, axis in enumerate(joint.axes):
                place = f"{self.taken['joint', joint.name]}{f'_{k + 1}' if len(joint.axes) > 1 else ''}"
                quantity = self.coordinate(joint.name, k)
                self._spring(place, quantity, axis)
                if axis.friction > 0.0 and friction:
                    name = self.new_name(f"{place}_friction", "force", tell=False)
                    self.model.stick_slip(name, quantity, normal=axis.friction, coefficients=1.0)
                if axis.armature > 0.0:
                    self._rotor(place, quantity, axis)
                limits = {key: value for key, value in (("low", axis.low), ("high", axis.high)) if math.isfinite(value)}
                ranged += bool(limits)
                if limits and stops is not None:
                    self.model.stop(
                        self.new_name(f"{place}_stop", "force", tell=False), quantity, stiffness=stops, **limits
                    )
            if joint.kind == "ball" and (joint.ball.damping or joint.ball.stiffness):
                self.model.bushing(
                    self.new_name(f"{self.taken['joint', joint.name]}_bushing", "force", tell=False),
                    self.marker(joint.parent, joint.on_parent),
                    self.marker(joint.child, joint.on_child),
                    rotational_stiffness=joint.ball.stiffness,
                    rotational_damping=joint.ball.damping,
                )
        if ranged and stops is None:
            self.robot.account.add(
                "ignored", f"ranges of {ranged} coordinates", "they are not enforced; stops=1e4 puts end stops of that stiffness there",
                file=self.file,
            )  # fmt: skip

    def _spring(self, place: str, quantity: str, axis: Axis) -> None:
        if not (axis.stiffness or axis.damping):
            return
        name = self.new_name(f"{place}_spring", "force", tell=False)
        if "angle" in quantity:
            self.model.torsion_spring(
                name, self.model.measure(quantity), stiffness=axis.stiffness, free_angle=axis.rest, damping=axis.damping
            )
        else:
            law = f"-({axis.stiffness!r})*({quantity} - ({axis.rest!r})) - ({axis.damping!r})*{quantity}.rate"
            self.model.user_force(name, quantity, law)

    def _rotor(self, place: str, quantity: str, axis: Axis) -> None:
        """A flywheel on the ground that turns by the coordinate: it adds its inertia to the coordinate and nothing else."""
        name = self.new_name(f"{place}_rotor", "link", tell=False)
        hinge = self.new_name(f"{place}_rotor_axle", "joint", tell=False)
        rotor = self.model.body(name, mass=axis.armature, inertia=(axis.armature,) * 3, armature=True)
        self.model.revolute(hinge, "ground", rotor, at=(0.0, 0.0, 0.0), axis=self._level(), angle=0.0)
        self.model.equation(
            self.new_name(f"{place}_rotor_drive", "relation", tell=False),
            f"{quantity} - ({axis.value!r}) - {hinge}.angle",
            unit="rad",
        )
        self.robot.account.add(
            "approximated", f"armature of {place!r}", f"exact: a flywheel {name!r} of that inertia, on the ground, turns by the coordinate",
            file=self.file,
        )  # fmt: skip

    def _level(self) -> tuple[float, float, float]:
        """Axis of flywheels: along gravity, so that their bearings carry no bending."""
        g = np.array(self.robot.gravity)
        return (0.0, 0.0, 1.0) if not g.any() else vector(-g / np.linalg.norm(g))

    def actuators(self, controls: dict[str, object]) -> None:
        for actuator in self.robot.actuators.values():
            name = self.taken["actuator", actuator.name]
            given = controls.pop(actuator.name, controls.pop(name, None) if name != actuator.name else None)
            law = self._law(actuator, given)
            if law is not None:
                self.model.user_force(name, self.coordinate(actuator.joint, actuator.axis), law)
        for key, given in controls.items():
            found = [
                k
                for k in self.robot.joints
                if key in (k, self.taken["joint", k]) and len(self.robot.joints[k].axes) == 1
            ]
            if not found:
                known = ", ".join([*self.robot.actuators, *self.robot.joints])
                raise ModelError(
                    f"controls name {short(key)}, which is neither an actuator nor a joint with one coordinate; there are: {known[:400]}."
                )
            name = self.new_name(f"{self.taken['joint', found[0]]}_motor", "actuator", tell=False)
            self.model.motor(name, self.coordinate(found[0], 0), given)

    def _law(self, actuator: Actuator, control: object) -> str | None:
        control = 0.0 if control is None else control
        if isinstance(control, float | int):
            control = min(max(float(control), actuator.control_low), actuator.control_high)
        if control == 0.0 and not any(actuator.bias):
            return None
        signal = _clipped(f"({control})", actuator.control_low, actuator.control_high)
        q = self.coordinate(actuator.joint, actuator.axis)
        b0, b1, b2 = actuator.bias
        gear = actuator.gear
        terms = [f"({actuator.gain!r})*{signal}"] if control != 0.0 else []
        terms += [f"({b0!r})"] if b0 else []
        terms += [f"({b1 * gear!r})*{q}"] if b1 else []
        terms += [f"({b2 * gear!r})*{q}.rate"] if b2 else []
        inner = _clipped(f"({' + '.join(terms)})", actuator.low, actuator.high)
        return f"({gear!r})*{inner}"


def _clipped(text: str, low: float, high: float) -> str:
    if math.isfinite(low):
        text = f"max({low!r}, {text})"
    return f"min({high!r}, {text})" if math.isfinite(high) else text
