"""From actuators to forces of a model: laws as formulas, along coordinates, tendons, or at sites."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from pytrammel._util.messages import short
from pytrammel.errors import ModelError
from pytrammel.io.robots.description.source import Owner
from pytrammel.io.robots.geometry.shapes import vector
from pytrammel.io.robots.robot import WORLD, Actuator, Axis, Joint, Strand, Tendon

if TYPE_CHECKING:
    from pytrammel.forces.spatial.loads import Frame
    from pytrammel.io.robots.build import Builder
    from pytrammel.model.argument_types import Law
    from pytrammel.model.spatial_bodies import SpatialBody

Place = tuple[str, int]  # joint and number of its coordinate


class Drives:
    """Actuators of a robot as forces of its model.

    Efforts along one coordinate are added where the coordinate limits their sum; otherwise each actuator is one force.
    """

    def __init__(self, builder: Builder, controls: dict[str, Law], states: dict[str, float]) -> None:
        self.builder, self.model, self.robot = builder, builder.model, builder.robot
        self.controls, self.states = controls, states
        self.limited: dict[
            Place, list[tuple[str, str, tuple[Owner, ...]]]
        ] = {}  # actuators and efforts along coordinates with limits
        self.shared: dict[
            str, list[tuple[str, float, str, Owner]]
        ] = {}  # actuators, gears and efforts along tendons with limits
        self.shares: dict[
            Place, list[tuple[str, tuple[Owner, ...]]]
        ] = {}  # efforts of other forces along such coordinates
        self.lengths: dict[str, str] = {}  # formulas of tendons' lengths by tendon

    def add(self) -> None:
        """Make the forces of all actuators, and of controls that name joints."""
        for actuator in self.robot.actuators.values():
            name = self.builder.taken["actuator", actuator.name]
            given = self.controls.pop(actuator.name, self.controls.pop(name, None) if name != actuator.name else None)
            if given is not None and given != 0.0:
                self.builder.made.controls[actuator.name] = given
            with self.builder.made.by(self.model, ("actuator", actuator.name)):
                self._actuator(actuator, name, given)
        self._shared()
        self._add_indirect()
        for (joint, k), efforts in self.limited.items():
            axis = self.robot.joints[joint].axes[k]
            name = efforts[0][0]
            if len(efforts) > 1:
                name = self.builder.new_name(f"{self.builder.taken['joint', joint]}_actuators", "force", tell=False)
            indirect = [lifted] if axis.drive_lifts and (lifted := self._lifted(joint)) else []
            indirect += [share for share, _ in self.shares.get((joint, k), ())]
            law = clipped(
                "(" + " + ".join([*(effort for _, effort, _ in efforts), *indirect]) + ")",
                axis.drive_low,
                axis.drive_high,
            )
            law += "".join(f" - {one}" for one in indirect)  # they act on their bodies in full
            owned = [owners for *_, owners in (*efforts, *self.shares.get((joint, k), ()))]
            with self.builder.made.by(self.model, *dict.fromkeys(owner for owners in owned for owner in owners)):
                self.model.user_force(name, self.builder.coordinate(joint, k), law)
        for key, given in self.controls.items():
            self._motor(key, given)

    def _motor(self, key: str, given: Law) -> None:
        """An effort along a joint that has no actuator of that name."""
        taken = self.builder.taken
        found = [k for k, j in self.robot.joints.items() if key in (k, taken["joint", k]) and len(j.axes) == 1]
        if not found:
            known = ", ".join([*self.robot.actuators, *self.robot.joints])
            raise ModelError(
                f"controls name {short(key)}, which is neither an actuator nor a joint with one coordinate; there are: {known[:400]}."
            )
        name = self.builder.new_name(f"{taken['joint', found[0]]}_motor", "actuator", tell=False)
        self.model.motor(name, self.builder.coordinate(found[0], 0), given)

    def _add_indirect(self) -> None:
        """List coordinates without actuators on which compensated weights or actuators elsewhere act within limits."""
        for joint in self.robot.joints.values():
            place = (joint.name, 0)
            lifts = bool(joint.axes) and joint.axes[0].drive_lifts and bool(self._lifted(joint.name))
            if place not in self.limited and (lifts or place in self.shares):
                kind = "lift" if lifts else "limit"
                name = self.builder.new_name(f"{self.builder.taken['joint', joint.name]}_{kind}", "force", tell=False)
                self.limited[place] = [(name, "0", ())]

    def _lifted(self, name: str) -> str:
        """Formula of the effort of lifts along a hinge or slide; "" where nothing that moves with it is lifted."""
        joint = self.robot.joints[name]
        carried, lifts = [joint.child], list[tuple[float, str]]()
        for link in carried:
            carried += [one.child for one in self.robot.joints.values() if one.parent == link and not one.closing]
            own = self.robot.links[link]
            if own.lift * own.mass:
                lifts.append((own.lift * own.mass, self.point(link, own.centroid)))
        up = [-float(g) for g in self.robot.gravity]
        if not lifts or not any(up):
            return ""
        p, axis = self._axis(joint)
        if joint.kind == "prismatic":
            total = sum(size for size, _ in lifts)
            return "(" + " + ".join(f"({total * u!r})*{a}" for u, a in zip(up, axis, strict=True) if u) + ")"
        terms = []
        for k, x in enumerate("xyz"):
            i, j = (k + 1) % 3, (k + 2) % 3  # (up × axis)_k times the moment of the lifts along x
            cross = [f"({up[i]!r})*{axis[j]}"] * bool(up[i]) + [f"({-up[j]!r})*{axis[i]}"] * bool(up[j])
            if cross:
                moment = " + ".join(f"({size!r})*({c}.{x} - {p}.{x})" for size, c in lifts)
                terms.append(f"({' + '.join(cross)})*({moment})")
        return f"({' + '.join(terms)})"

    def _axis(self, joint: Joint) -> tuple[str, list[str]]:
        """Point on the axis of a hinge or slide, and formulas of the axis, global components."""
        tip = joint.on_child.position + joint.on_child.rotation[:, 2]
        p, q = self.point(joint.child, joint.on_child.position), self.point(joint.child, tip)
        return p, [f"({q}.{x} - {p}.{x})" for x in "xyz"]

    def _limited_above(self, link: str) -> list[Joint]:
        """Joints that carry a link and limit what actuators exert along them."""
        above = {joint.child: joint for joint in self.robot.joints.values() if not joint.closing}
        found = []
        while link in above:
            joint = above[link]
            found += [joint] if any(map(limits_drive, joint.axes)) else []
            link = joint.parent
        return found

    def _share(self, joint: Joint, at: Sequence[str], force: Sequence[str], torque: Sequence[str]) -> str:
        """Formula of the effort along a hinge or slide of a force at a point and a torque, by global components; "" is zero."""
        p, axis = self._axis(joint)
        terms = []
        for k, along in enumerate(axis):
            i, j = (k + 1) % 3, (k + 2) % 3
            own = [force[k]] if joint.kind == "prismatic" else [torque[k]]
            if joint.kind == "revolute":
                own += [f"({at[i]} - {p}.{'xyz'[i]})*{force[j]}"] * bool(force[j])
                own += [f"({p}.{'xyz'[j]} - {at[j]})*{force[i]}"] * bool(force[i])
            if any(own):
                terms.append(f"{along}*({' + '.join(filter(None, own))})")
        return f"({' + '.join(terms)})" if terms else ""

    def _note_share(self, joint: Joint, effort: str, share: str, owners: tuple[Owner, ...]) -> None:
        if share:
            self.shares.setdefault((joint.name, 0), []).append((f"{effort}*{share}", owners))

    # --- laws ---

    def _actuator(self, actuator: Actuator, name: str, control: object) -> None:
        length, rate = self._length(actuator, name)
        effort = self._effort(actuator, name, control, length, rate)
        if effort is None:
            return
        owner = ("actuator", actuator.name)
        if actuator.tendon:
            tendon = self.robot.tendons[actuator.tendon]
            if limits_drive(tendon):
                self.shared.setdefault(tendon.name, []).append((name, actuator.gear, effort, owner))
            else:
                self._along_tendon(tendon, name, f"({actuator.gear!r})*{effort}", (owner,))
        elif actuator.site:
            self._at_site(actuator, name, effort, length)
            self._share_of_site(actuator, effort)
        elif actuator.wrench:
            self._at_joint(actuator, name, effort)
        else:
            self._along(actuator.joint, actuator.axis, name, f"({actuator.gear!r})*{effort}", (owner,))

    def _along(self, joint: str, k: int, name: str, law: str, owners: tuple[Owner, ...]) -> None:
        if limits_drive(self.robot.joints[joint].axes[k]):
            self.limited.setdefault((joint, k), []).append((name, law, owners))
        else:
            self.model.user_force(name, self.builder.coordinate(joint, k), law)

    def _length(self, actuator: Actuator, name: str) -> tuple[str, str]:
        """Formulas of the length along which an actuator acts, and of its rate; "" where it has none."""
        if actuator.tendon:
            tendon = self.robot.tendons[actuator.tendon]
            return self.sum_of(tendon) if not tendon.strands else (own := self.tendon(actuator.tendon), f"{own}.rate")
        if actuator.reference and not any(actuator.wrench[3:]):
            length = f"{name}_length"
            self.model.define(self.builder.new_name(length, "force", tell=False), self._place(actuator))
            return length, f"{length}.rate"
        if actuator.site or actuator.wrench:
            return "", ""
        q = self.builder.coordinate(actuator.joint, actuator.axis)
        return q, f"{q}.rate"

    def sum_of(self, tendon: Tendon) -> tuple[str, str]:
        """Formulas of a sum of coordinates and of its rate."""
        names = [(factor, self.builder.coordinate(joint, axis)) for factor, joint, axis in tendon.parts]
        sums = [" + ".join(f"({factor!r})*{q}{end}" for factor, q in names) for end in ("", ".rate")]
        return f"({sums[0]})", f"({sums[1]})"

    def _effort(self, actuator: Actuator, name: str, control: object, length: str, rate: str) -> str | None:
        """Formula of the effort before the gear; None if it is always zero."""
        control = 0.0 if control is None else control
        if isinstance(control, float | int):
            control = min(max(float(control), actuator.control_low), actuator.control_high)
        lag = actuator.lag
        start = 0.0 if lag is None else self.states.get(actuator.name, lag.start)
        silent = control == 0.0 and start == 0.0
        if silent and not any(actuator.bias):
            return None
        signal = clipped(f"({control})", actuator.control_low, actuator.control_high)
        if lag is not None and not silent:
            state = self.builder.new_name(f"{name}_act", "force", tell=False)
            law = signal if lag.kind == "integrator" else f"({signal} - {state})/({lag.time!r})"
            self.model.state(state, law, initial=start)
            signal = clipped(state, lag.low, lag.high)
        gear = actuator.gear
        b0, b1, b2 = actuator.bias
        g1, g2 = actuator.slopes
        gain = [f"({actuator.gain!r})"] if actuator.gain or not any(actuator.slopes) else []
        gain += [f"({g1 * gear!r})*{length}"] if g1 else []
        gain += [f"({g2 * gear!r})*{rate}"] if g2 else []
        terms = [f"({' + '.join(gain)})*{signal}"] if not silent else []
        terms += [f"({b0!r})"] if b0 else []
        terms += [f"({b1 * gear!r})*{length}"] if b1 else []
        terms += [f"({b2 * gear!r})*{rate}"] if b2 else []
        return clipped(f"({' + '.join(terms)})", actuator.low, actuator.high)

    # --- what transmits ---

    def tendon(self, name: str) -> str:
        """Name of the formula of a tendon's length, which is defined once."""
        if name not in self.lengths:
            tendon = self.robot.tendons[name]
            formula = " + ".join(map(self._strand, tendon.strands)) if tendon.strands else self.sum_of(tendon)[0]
            defined = self.builder.new_name(f"{name}_length", "force", tell=False)
            self.model.define(defined, formula)
            self.lengths[name] = defined
        return self.lengths[name]

    def _strand(self, strand: Strand) -> str:
        ends = ((strand.first, strand.at_first), (strand.second, strand.at_second))
        if strand.first == strand.second:
            return repr(strand.share * float(np.linalg.norm(strand.at_first - strand.at_second)))
        if WORLD in (strand.first, strand.second):
            (_, still), (link, at) = ends if strand.first == WORLD else ends[::-1]
            p = self.point(link, at)
            terms = [f"({p}.{axis} - ({float(x)!r}))^2" for axis, x in zip("xyz", still, strict=True)]
        else:
            p, q = (self.point(link, at) for link, at in ends)
            terms = [f"({p}.{axis} - {q}.{axis})^2" for axis in "xyz"]
        return f"({strand.share!r})*sqrt({' + '.join(terms)})"

    def point(self, link: str, at: np.ndarray) -> str:
        """Name of a point of a link, which is made where the robot has none there."""
        body = self.builder.taken["link", link]
        for name, known in self.model.points.items():
            if known.body == body and known.local == vector(at):
                return str(name)
        name = self.builder.new_name(f"{body}_hook", "point", tell=False)
        self.model.point(name, body, local=vector(at))
        return name

    def _along_tendon(self, tendon: Tendon, name: str, law: str, owners: tuple[Owner, ...]) -> None:
        """A force along a tendon: part by part where one of its coordinates limits the sum of efforts."""
        axes = [self.robot.joints[joint].axes[k] for _, joint, k in tendon.parts]
        if len(axes) == 1 or any(limits_drive(axis) for axis in axes):
            for number, (factor, joint, k) in enumerate(tendon.parts, start=1):
                one = name if number == 1 else self.builder.new_name(f"{name}_{number}", "force", tell=False)
                self._along(joint, k, one, f"({factor!r})*{law}", owners)
        else:
            self.model.user_force(name, self.tendon(tendon.name), law)
            for strand in tendon.strands:
                self._share_of_strand(strand, f"({law})", owners)

    def _share_of_strand(self, strand: Strand, law: str, owners: tuple[Owner, ...]) -> None:
        """Efforts of a pull along a strand, on coordinates that limit what actuators exert."""
        links, places = (strand.first, strand.second), (strand.at_first, strand.at_second)
        carriers = [self._limited_above(link) for link in links]
        p, q = (
            [repr(float(x)) for x in at] if link == WORLD else [f"{self.point(link, at)}.{x}" for x in "xyz"]
            for link, at in zip(links, places, strict=True)
        )
        length = f"sqrt({' + '.join(f'({a} - ({b}))^2' for a, b in zip(q, p, strict=True))})"
        for (mine, opposite), at, sign in ((carriers, p, -strand.share), (carriers[::-1], q, strand.share)):
            force = [f"({a} - ({b}))" for a, b in zip(q, p, strict=True)]
            for joint in mine:
                if joint not in opposite:
                    share = self._share(joint, at, force, ("", "", ""))
                    self._note_share(joint, f"({sign!r})*{law}/{length}", share, owners)

    def _shared(self) -> None:
        """Efforts along tendons that limit their sum, which MuJoCo takes before the gears."""
        for tendon, efforts in self.shared.items():
            low, high = self.robot.tendons[tendon].drive_low, self.robot.tendons[tendon].drive_high
            gears = {gear for _, gear, *_ in efforts}
            if len(gears) > 1:
                self.robot.conversion_report.add(
                    "approximated", f"actuatorfrcrange= of tendon {tendon!r}", "it limits each of its actuators, whose gears differ",
                    file=self.builder.file, matters=True,
                )  # fmt: skip
                groups = [[one] for one in efforts]
            else:
                groups = [efforts]
            for group in groups:
                name, gear, *_ = group[0]
                law = clipped("(" + " + ".join(effort for *_, effort, _ in group) + ")", low, high)
                owners = tuple(owner for *_, owner in group)
                with self.builder.made.by(self.model, *owners):
                    self._along_tendon(self.robot.tendons[tendon], name, f"({gear!r})*{law}", owners)

    def _place(self, actuator: Actuator) -> str:
        """Formula of a site's place along the force's direction, which is fixed in a frame on the ground."""
        frame, (link, pose) = self.robot.frames[actuator.reference][1], self.robot.frames[actuator.site]
        direction = frame.rotation @ np.array(actuator.wrench[:3])
        point = self.point(link, pose.position)
        terms = [
            f"({float(c)!r})*({point}.{axis} - ({float(x)!r}))"
            for axis, c, x in zip("xyz", direction, frame.position, strict=True)
            if c
        ]
        return " + ".join(terms) or "0"

    def _at_site(self, actuator: Actuator, name: str, effort: str, length: str) -> None:
        if length:
            self.model.user_force(name, length, effort)
            return
        link, pose = self.robot.frames[actuator.site]
        if link == WORLD:
            return
        fixed = bool(actuator.reference)
        turn = self.robot.frames[actuator.reference][1].rotation if fixed else pose.rotation
        body = self.model.bodies[self.builder.taken["link", link]]
        frame: Frame = "space" if fixed else "body"
        self._wrench(name, body, vector(pose.position), turn, actuator.wrench, effort, (frame, frame))

    def _share_of_site(self, actuator: Actuator, effort: str) -> None:
        """Efforts of an actuator at a site, on coordinates that limit what actuators exert."""
        link, pose = self.robot.frames[actuator.site]
        joints = self._limited_above(link)
        if not joints:
            return
        p = self.point(link, pose.position)
        parts = []
        for part in (actuator.wrench[:3], actuator.wrench[3:]):
            if actuator.reference:
                turned = self.robot.frames[actuator.reference][1].rotation @ np.array(part)
                parts.append([f"({float(c)!r})" if c else "" for c in turned])
            elif any(part):
                tip = self.point(link, pose.position + pose.rotation @ np.array(part))
                parts.append([f"({tip}.{x} - {p}.{x})" for x in "xyz"])
            else:
                parts.append(["", "", ""])
        for joint in joints:
            share = self._share(joint, [f"{p}.{x}" for x in "xyz"], parts[0], parts[1])
            self._note_share(joint, effort, share, (("actuator", actuator.name),))

    def _wrench(
        self, name: str, body: SpatialBody, at: tuple[float, float, float], turn: np.ndarray, wrench: Sequence[float], effort: str,
        frames: tuple[Frame, Frame],
    ) -> None:  # fmt: skip
        force, torque = turn @ np.array(wrench[:3]), turn @ np.array(wrench[3:])
        if force.any():
            self.model.force(name, body.at(*at), scaled(force, effort), frame=frames[0])
        if torque.any():
            name = self.builder.new_name(f"{name}_torque", "force", tell=False) if force.any() else name
            self.model.torque(name, body, scaled(torque, effort), frame=frames[1])

    def _at_joint(self, actuator: Actuator, name: str, effort: str) -> None:
        """A torque between the links of a ball joint, or a force and a torque on a link that floats."""
        joint = self.robot.joints[actuator.joint]
        parent, child = (self.model.bodies[self.builder.taken["link", link]] for link in (joint.parent, joint.child))
        if joint.kind == "floating":
            frames: tuple[Frame, Frame] = ("space", "space" if actuator.in_parent else "body")
            self._wrench(name, child, (0.0, 0.0, 0.0), np.eye(3), actuator.wrench, effort, frames)
            return
        torque = np.array(actuator.wrench)
        other = None if joint.parent == WORLD else parent
        if not actuator.in_parent:
            turned = joint.on_child.rotation @ torque
            self.model.torque(name, child, scaled(turned, effort), frame="body", reaction_on=other)
        elif other is None:
            self.model.torque(name, child, scaled(joint.on_parent.rotation @ torque, effort), frame="space")
        else:
            turned = joint.on_parent.rotation @ torque
            self.model.torque(name, parent, scaled(-turned, effort), frame="body", reaction_on=child)


def limits_drive(part: Axis | Tendon) -> bool:
    """Return True if a coordinate or a tendon limits what actuators exert together."""
    return math.isfinite(part.drive_low) or math.isfinite(part.drive_high)


def scaled(direction: np.ndarray, effort: str) -> tuple[Law, ...]:
    """Components of a vector that an effort scales."""
    return tuple(f"({float(c)!r})*{effort}" if c else 0.0 for c in direction)


def clipped(text: str, low: float, high: float) -> str:
    """Formula of a value within limits; infinite limits are none."""
    if math.isfinite(low):
        text = f"max({low!r}, {text})"
    return f"min({high!r}, {text})" if math.isfinite(high) else text
