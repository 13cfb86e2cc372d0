"""From a robot to a model: links become bodies, joints joints, and what acts along coordinates forces."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from pytrammel._util.messages import number_of, short
from pytrammel._util.terminal_text import visible
from pytrammel.errors import ModelError
from pytrammel.inertia import check_inertia
from pytrammel.io.robots.checks import free_name, nearest
from pytrammel.io.robots.closing import drawn_closed
from pytrammel.io.robots.conversion_report import ConversionReport
from pytrammel.io.robots.description.source import Made
from pytrammel.io.robots.drives import Drives
from pytrammel.io.robots.geometry.shapes import vector
from pytrammel.io.robots.merge_fixed import fold, share_inertias
from pytrammel.io.robots.poses import Pose
from pytrammel.io.robots.reference import length_of
from pytrammel.io.robots.rigid import fixed_group
from pytrammel.io.robots.robot import COORDINATES, WORLD, Axis, Joint, Key, Link, Relation, Robot, Tendon, free_bases
from pytrammel.model.argument_types import Law
from pytrammel.model.contents import RESERVED
from pytrammel.model.spatial import SpatialModel
from pytrammel.model.spatial_bodies import Marker

KINDS = {"fixed": "weld", "ball": "spherical"}  # all others are called the same


def build_model(
    robot: Robot,
    *,
    floating_base: bool = False,
    pose: Mapping[str, object] | str | None = None,
    stops: float | None = None,
    friction: bool = True,
    controls: Mapping[str, Law] | None = None,
    motions: Mapping[str, Law] | None = None,
    merge_fixed: bool = True,
    close_loops: bool | None = None,
    closure_tolerance: float = 0.0,
) -> SpatialModel:
    """The robot as a model.

    Args:
        robot: The robot.
        floating_base: Links that the file leaves without a parent float freely, and a root link called "world" with what is fixed to it;
            by default a URDF robot stands on the ground.
        pose: Values of coordinates by joint in which it is drawn [rad, m]; several numbers for joints with several coordinates, a
            quaternion for a ball joint, a position and a quaternion for a free joint. A text is the name of a state in the file; its
            controls act where `controls` does not name others.
        stops: Stiffness of end stops at the ends of all ranges [N m/rad or N/m]; without it ranges are not enforced.
        friction: Take over dry friction.
        controls: Controls of actuators by name: numbers or formulas of t and measured quantities; zero where not given. Joints
            without an actuator may be named too: then it is the effort.
        motions: Motions of joints with one coordinate, by name; see `pytrammel.load_robot`.
        merge_fixed: Links that are fixed to another become part of it, and their origins points; otherwise all are bodies.
        close_loops: Move joints so that the loops close as drawn; see `pytrammel.load_robot`.
        closure_tolerance: Gap that redundant rows of closed loops may keep [m]; see `SpatialModel`.
    """
    key = _key(robot, pose) if isinstance(pose, str) else None
    placed = replace(
        robot, joints=dict(robot.joints), links=dict(robot.links), frames=dict(robot.frames),
        conversion_report=ConversionReport(list(robot.conversion_report.notes)),
    )  # fmt: skip
    if floating_base:
        _let_go(placed)
    if key is not None:
        placed.place({name: value for name, value in key.values.items() if name in placed.joints})
        controls = {**key.controls, **(controls or {})}
        _note_rates(placed, key, str(pose))
    elif pose:
        placed.place(_pose_values(placed, pose))  # type: ignore[arg-type]
    placed = fold(placed) if merge_fixed else share_inertias(placed)
    welded = any(joint.kind == "fixed" for joint in placed.loops)
    if close_loops or (close_loops is None and (welded or placed.loops_file is not None)):
        posed = key.values if key is not None else pose or {}
        placed = drawn_closed(placed, tuple(posed), closure_tolerance)
    builder = Builder(placed, dict(controls or {}), {} if key is None else dict(key.states), friction=friction)
    builder.model.closure_tolerance = closure_tolerance
    builder.bodies()
    builder.joints()
    builder.relations()
    builder.elastic()
    builder.along_coordinates(stops, friction)
    builder.drives.add()
    builder.motions(motions or {})
    placed.conversion_report.source, placed.conversion_report.names, placed.conversion_report.made = (
        placed,
        builder.taken,
        builder.made,
    )
    builder.model.conversion_report = placed.conversion_report
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
            f"floating_base=True: robot {robot.name!r} has no root to let go: joint {explicit[0]!r} of the file connects it to the ground. "
            "Remove floating_base= or remove that joint."
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
            f"floating_base=True: the root link 'world' of robot {robot.name!r} has no mass (0 kg), and joint {moving[0]!r} moves against "
            "it, so that nothing holds it. Fix a link with mass to it, or remove floating_base=."
        )


def _key(robot: Robot, name: str) -> Key:
    """Named state of a robot."""
    if name not in robot.keys:
        known = ", ".join(map(repr, robot.keys)) or "none"
        raise ModelError(
            f"robot {robot.name!r}: pose={short(name)} is not a named state of the file, which has: {known}. Pass values by joint."
        )
    return robot.keys[name]


def _note_rates(robot: Robot, key: Key, name: str) -> None:
    if key.rates:
        file = robot.path.name if robot.path else ""
        text = "a model is drawn at rest; pass initial= to simulate"
        robot.conversion_report.add("ignored", f"rates of state {name!r}", text, file=file, matters=True)


def _pose_values(robot: Robot, pose: Mapping[str, object]) -> dict[str, tuple[float, ...]]:
    out: dict[str, tuple[float, ...]] = {}
    for name, value in pose.items():
        size = 0 if name not in robot.joints or robot.joints[name].closing else _size(robot.joints[name])
        if not size:
            known = ", ".join(key for key, joint in robot.joints.items() if _size(joint) and not joint.closing)
            raise ModelError(
                f"pose names {short(name)}, which is no joint with a coordinate in the tree; there are: {known[:400]}."
            )
        numbers = np.atleast_1d(np.asarray(value, dtype=float))
        quaternion = numbers[-4:] if size in (4, 7) else np.ones(1)
        if numbers.shape != (size,) or not np.isfinite(numbers).all() or not quaternion.any():
            more = ", the last four a quaternion" if size in (4, 7) else ""
            raise ModelError(
                f"pose of joint {name!r} is {short(value)}; it must be {number_of(size, 'finite number')}{more}."
            )
        out[name] = tuple(float(v) for v in numbers)
    return out


def _size(joint: Joint) -> int:
    """Number of coordinates that place a joint, quaternions with four."""
    return {"ball": 4, "floating": 7}.get(joint.kind, len(joint.axes))


class Builder:
    """Makes a model of a robot."""

    def __init__(
        self, robot: Robot, controls: dict[str, Law], states: dict[str, float], *, friction: bool = True
    ) -> None:
        self.robot, self.friction = robot, friction
        self.file = robot.path.name if robot.path else ""
        self.model = SpatialModel(visible(" ".join(robot.name.split())), gravity=robot.gravity)
        self.taken: dict[tuple[str, str], str] = {("link", WORLD): "ground"}
        self.used = {"ground", *RESERVED}
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
        self.made = Made()
        self.drives = Drives(self, controls, states)

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
            self.robot.conversion_report.add(
                "renamed", f"{kind} {name!r}", f"it is {free!r} in the model", file=self.file
            )
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

    def turns(self, joint: str, axis: int) -> bool:
        """Return True if a coordinate is an angle."""
        return "angle" in COORDINATES[self.robot.joints[joint].kind][axis]

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
                self.robot.conversion_report.add(
                    "ignored", f"the inertia of {link.name!r}", "its mass is 0 kg, and no link with mass is fixed to it",
                    line=link.line, file=self.file, matters=True,
                )  # fmt: skip
            return {"massless": True}
        inertia = link.inertia
        try:
            check_inertia(inertia, link.mass, f"inertia of link {link.name!r}")
        except ModelError as error:
            if not stands:
                remedy = (
                    "" if len(fixed_group(self.robot, link.name)) == 1 else "merge links with merge_fixed=True, or "
                )
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
            turning = self.turns(first[1], first[2])
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
            with self.made.by(self.model, ("tendon", tendon.name)):
                self._tendon(tendon)

    def _tendon(self, tendon: Tendon) -> None:
        """What acts along a tendon: a spring with play, a damper, friction, inertia."""
        if not (tendon.is_elastic or tendon.friction or tendon.armature):
            return
        length = self.drives.tendon(tendon.name)
        name = self.new_name(tendon.name, "force", tell=False)
        if tendon.is_elastic:
            low, high = f"({tendon.low!r})", f"({tendon.high!r})"
            longer = f"(max({length} - {high}, 0) + min({length} - {low}, 0))"
            if tendon.low == tendon.high:
                longer = f"({length} - {low})"
            law = _elastic(
                (tendon.stiffness, *tendon.more_stiffness),
                (tendon.damping, *tendon.more_damping),
                longer,
                f"{length}.rate",
            )
            self.model.user_force(name, length, law)
        if tendon.friction and self.friction:
            name = self.new_name(f"{tendon.name}_friction", "force", tell=False)
            self.model.stick_slip(name, length, normal=tendon.friction, friction=1.0)
        if tendon.armature:
            self._rotor(tendon.name, length, tendon.armature, length_of(self.robot, tendon))

    def along_coordinates(self, stops: float | None, friction: bool) -> None:
        ranged = 0
        for joint in self.robot.joints.values():
            for k, axis in enumerate(joint.axes):
                place = f"{self.taken['joint', joint.name]}{f'_{k + 1}' if len(joint.axes) > 1 else ''}"
                quantity = self.coordinate(joint.name, k)
                with self.made.by(self.model, ("joint", joint.name)):
                    self._spring(place, quantity, axis, self.turns(joint.name, k))
                if axis.friction > 0.0 and friction:
                    name = self.new_name(f"{place}_friction", "force", tell=False)
                    self.model.stick_slip(name, quantity, normal=axis.friction, friction=1.0)
                if axis.armature > 0.0:
                    self._rotor(place, quantity, axis.armature, axis.value)
                limits = {key: value for key, value in (("low", axis.low), ("high", axis.high)) if math.isfinite(value)}
                ranged += bool(limits)
                if limits and stops is not None:
                    self.model.end_stop(
                        self.new_name(f"{place}_stop", "force", tell=False), quantity, stiffness=stops, **limits
                    )
            if joint.kind == "floating" and joint.ball.damping:
                with self.made.by(self.model, ("joint", joint.name)):
                    self._damped(joint)
            if joint.kind == "ball" and (joint.ball.damping or joint.ball.stiffness):
                self.model.bushing(
                    self.new_name(f"{self.taken['joint', joint.name]}_bushing", "force", tell=False),
                    self.marker(joint.parent, joint.on_parent),
                    self.marker(joint.child, joint.on_child),
                    rotational_stiffness=joint.ball.stiffness,
                    rotational_damping=joint.ball.damping,
                )
        if ranged and stops is None:
            self.robot.conversion_report.add(
                "ignored", f"ranges of {ranged} coordinates", "they are not enforced; stops=1e4 puts end stops of that stiffness there",
                file=self.file,
            )  # fmt: skip

    def _damped(self, joint: Joint) -> None:
        """Damping of a link that floats, in all directions."""
        ground, link = self.marker(WORLD, self.robot.pose_of(joint.child)), self.marker(joint.child, Pose())
        name = self.new_name(f"{joint.child}_damper", "force", tell=False)
        self.model.bushing(name, ground, link, damping=joint.ball.damping, rotational_damping=joint.ball.damping)

    def _spring(self, place: str, quantity: str, axis: Axis, turning: bool) -> None:
        more = (*axis.more_stiffness, *axis.more_damping)
        if not (axis.stiffness or axis.damping or any(more)):
            return
        name = self.new_name(f"{place}_spring", "force", tell=False)
        if any(more):
            stiffness, damping = (axis.stiffness, *axis.more_stiffness), (axis.damping, *axis.more_damping)
            law = _elastic(stiffness, damping, f"({quantity} - ({axis.rest!r}))", f"{quantity}.rate")
            self.model.user_force(name, quantity, law)
            return
        if turning:
            self.model.torsion_spring(
                name, self.model.measure(quantity), stiffness=axis.stiffness, free_angle=axis.rest, damping=axis.damping
            )
        else:
            law = _elastic((axis.stiffness,), (axis.damping,), f"({quantity} - ({axis.rest!r}))", f"{quantity}.rate")
            self.model.user_force(name, quantity, law)

    def _rotor(self, place: str, quantity: str, armature: float, value: float) -> None:
        """A flywheel on the ground that turns by the coordinate: it adds its inertia to the coordinate and nothing else."""
        name = self.new_name(f"{place}_rotor", "link", tell=False)
        hinge = self.new_name(f"{place}_rotor_axle", "joint", tell=False)
        rotor = self.model.body(name, mass=armature, inertia=(armature,) * 3, armature=True)
        self.model.revolute(hinge, "ground", rotor, at=(0.0, 0.0, 0.0), axis=self._level(), angle=0.0)
        self.model.equation(
            self.new_name(f"{place}_rotor_drive", "relation", tell=False),
            f"{quantity} - ({value!r}) - {hinge}.angle",
            unit="rad",
        )
        self.robot.conversion_report.add(
            "approximated", f"armature of {place!r}", f"exact: a flywheel {name!r} of that inertia, on the ground, turns by the coordinate",
            file=self.file,
        )  # fmt: skip

    def _level(self) -> tuple[float, float, float]:
        """Axis of flywheels: along gravity, so that their bearings carry no bending."""
        g = np.array(self.robot.gravity)
        return (0.0, 0.0, 1.0) if not g.any() else vector(-g / np.linalg.norm(g))

    def motions(self, motions: Mapping[str, Law]) -> None:
        """Drivers of joints, and the list of coordinates with a motor."""
        joints = self.robot.joints
        driven = [
            (motor.joint, motor.axis)
            for motor in self.robot.actuators.values()
            if motor.joint in joints and motor.axis < len(joints[motor.joint].axes)
        ]
        self.model.motors = tuple(dict.fromkeys(self.coordinate(*one) for one in driven))
        for key, motion in motions.items():
            joint = next((k for k in self.robot.joints if key in (k, self.taken["joint", k])), None)
            if joint is None or len(self.robot.joints[joint].axes) != 1:
                motors = ", ".join(dict.fromkeys(name for name, _ in driven))
                known = motors or ", ".join(k for k, one in self.robot.joints.items() if len(one.axes) == 1)
                what = "motors are" if motors else "joints with one coordinate are"
                raise ModelError(
                    f"motions names {short(key)}, which is not a joint with one coordinate; {what}: {known[:400]}."
                )
            name = self.new_name(f"{self.taken['joint', joint]}_drive", "driver", tell=False)
            self.model.driver(name, self.coordinate(joint, 0), motion)


def _elastic(stiffness: Sequence[float], damping: Sequence[float], x: str, v: str) -> str:
    """Formula of a spring and a damper whose coefficients are polynomials of the displacement x and of the size of the rate v."""
    k = " + ".join(f"({c!r}){power}" for c, power in zip(stiffness, ("", f"*{x}", f"*{x}^2"), strict=False))
    d = " + ".join(f"({c!r}){power}" for c, power in zip(damping, ("", f"*abs({v})", f"*{v}^2"), strict=False))
    return f"-({k})*{x} - ({d})*{v}"
