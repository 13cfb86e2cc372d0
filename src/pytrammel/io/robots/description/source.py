"""From a model back to the parts of its robot file that a model alone does not hold: actuators, tendons, ranges, named states."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

from pytrammel._util.messages import brief
from pytrammel.forces.force import Force
from pytrammel.io.robots.poses import Pose, from_quaternion, to_quaternion
from pytrammel.io.robots.robot import COORDINATES, WORLD, Actuator, Axis, Joint, Key, Robot, Strand, Tendon
from pytrammel.model.spatial import SpatialModel

Names = Mapping[str, tuple[str, int]]
ROUNDING = 1e-12  # of coordinates [rad or m]
Owner = tuple[str, str]  # kind of part ("actuator", "tendon", "joint") and its name in the file


@brief
@dataclass
class Made:
    """Forces that represent parts of a robot file.

    Attributes:
        owners: Parts that a force, body or constraint represents, by its name.
        forces: Unchanged forces by name.
        controls: Controls of actuators that differ from zero.
    """

    owners: dict[str, tuple[Owner, ...]] = field(default_factory=dict)
    forces: dict[str, Force] = field(default_factory=dict)
    controls: dict[str, object] = field(default_factory=dict)

    @contextmanager
    def by(self, model: SpatialModel, *owners: Owner) -> Iterator[None]:
        """Note all that is added to a model meanwhile as made for some parts."""
        before = {*model.forces, *model.constraints, *model.bodies}
        yield
        for name in [*model.forces, *model.constraints, *model.bodies]:
            if name not in before:
                self.owners[name] = owners
                if name in model.forces:
                    self.forces[name] = model.forces[name]


def restore(model: SpatialModel, robot: Robot, names: Names) -> set[str]:
    """Add parts of the robot file that a model was made from, as far as their forces are unchanged.

    Args:
        model: The model.
        robot: Its description, with links and joints.
        names: Coordinates of the robot as formulas of the model call them.

    Returns:
        Forces, bodies and constraints of the model that these parts represent.
    """
    source = getattr(model.conversion_report, "source", None)
    if source is None:
        return set()
    return _Restorer(model, robot, names, source, model.conversion_report.made).restored()


class _Restorer:
    def __init__(self, model: SpatialModel, robot: Robot, names: Names, source: Robot, made: Made) -> None:
        self.model, self.robot, self.coordinates, self.source, self.made = model, robot, names, source, made
        self.called: Mapping[tuple[str, str], str] = model.conversion_report.names
        self.changed = {
            owner for name, force in made.forces.items() if not self._same(name, force) for owner in made.owners[name]
        }
        self.kept: set[Owner] = set()

    def _same(self, name: str, force: Force) -> bool:
        now = self.model.forces.get(name)
        return now is not None and now.kind == force.kind and _law(now) == _law(force)

    def restored(self) -> set[str]:
        self._free()
        self._axes()
        for key, (link, pose) in self.source.frames.items():
            name, body = self.called.get(("frame", key), key), self._link(link)
            if name in self.model.points and body is not None and name in self.robot.frames:
                self.robot.frames[name] = (body, pose)
        for tendon in self.source.tendons.values():
            self._tendon(tendon)
        for actuator in self.source.actuators.values():
            self._actuator(actuator)
        self.robot.tendon_ranges = {k: v for k, v in self.source.tendon_ranges.items() if k in self.robot.tendons}
        for label, state in self.source.keys.items():
            self.robot.keys[label] = self._key(state)
        return {name for name, owners in self.made.owners.items() if set(owners) <= self.kept}

    def _link(self, name: str) -> str | None:
        link = WORLD if name == WORLD else self.called.get(("link", name), "")
        return link if link == WORLD or link in self.robot.links else None

    def _place(self, joint: str, k: int) -> tuple[str, int] | None:
        """A coordinate of the file as the description has it."""
        called = self.called.get(("joint", joint), "")
        keys = COORDINATES[self.source.joints[joint].kind]
        return self.coordinates.get(f"{called}.{keys[k]}") if k < len(keys) else None

    def _free(self) -> None:
        """Free joints, which a model does not have, by the names of the file."""
        carried = {joint.child for joint in self.robot.joints.values() if not joint.closing}
        for joint in self.source.joints.values():
            link = self._link(joint.child)
            if joint.kind != "floating" or link is None or link in carried:
                continue
            name, owner = self.called.get(("joint", joint.name), joint.name), ("joint", joint.name)
            damper = joint.ball if owner not in self.changed else Axis()
            self.kept.add(owner)
            pose = self.robot.pose_of(link)
            self.robot.joints[name] = replace(
                joint, name=name, parent=WORLD, child=link, on_parent=pose, on_child=Pose(), ball=damper
            )

    def _axes(self) -> None:
        """Ranges and limits of coordinates, and springs that are polynomials."""
        for joint in self.source.joints.values():
            for k, axis in enumerate(joint.axes):
                place = self._place(joint.name, k)
                if place is None:
                    continue
                own = self.robot.joints[place[0]]
                changes = {
                    key: getattr(axis, key)
                    for key in ("low", "high", "effort", "speed", "drive_low", "drive_high", "drive_lifts")
                }
                if ("joint", joint.name) not in self.changed and (any(axis.more_stiffness) or any(axis.more_damping)):
                    keys = ("stiffness", "damping", "rest", "more_stiffness", "more_damping")
                    changes |= {key: getattr(axis, key) for key in keys}
                    self.kept.add(("joint", joint.name))
                axes = tuple(replace(one, **changes) if i == place[1] else one for i, one in enumerate(own.axes))
                self.robot.joints[own.name] = replace(own, axes=axes)

    def _tendon(self, tendon: Tendon) -> None:
        owner = ("tendon", tendon.name)
        parts = [(factor, self._place(joint, k)) for factor, joint, k in tendon.parts]
        ends = [(self._link(strand.first), self._link(strand.second)) for strand in tendon.strands]
        if owner in self.changed or any(place is None for _, place in parts) or any(None in pair for pair in ends):
            return
        strands = tuple(
            Strand(str(first), str(second), strand.at_first, strand.at_second, strand.share)
            for strand, (first, second) in zip(tendon.strands, ends, strict=True)
        )
        sums = tuple((factor, *place) for factor, place in parts if place is not None)
        self.robot.tendons[tendon.name] = replace(tendon, parts=sums, strands=strands)
        self.kept.add(owner)

    def _actuator(self, actuator: Actuator) -> None:
        owner = ("actuator", actuator.name)
        if owner in self.changed:
            return
        name = self.called.get(owner, actuator.name)
        made = replace(actuator, name=name)
        if actuator.tendon and actuator.tendon not in self.robot.tendons:
            return
        if actuator.joint:
            place = (self.called.get(("joint", actuator.joint), ""), 0)
            if not actuator.wrench:
                place = self._place(actuator.joint, actuator.axis) or ("", 0)
            if place[0] not in self.robot.joints:
                return
            made = replace(made, joint=place[0], axis=place[1])
        frames = [self.called.get(("frame", frame), frame) for frame in (actuator.site, actuator.reference)]
        if any(frame and frame not in self.robot.frames for frame in frames):
            return
        made = replace(made, site=frames[0], reference=frames[1])
        self.robot.actuators[name] = made
        self.kept.add(owner)
        if actuator.name in self.made.controls:
            self.robot.conversion_report.add(
                "ignored", f"control of actuator {name!r}", f"robot files have no controls; pass controls= with "
                f"{self.made.controls[actuator.name]!r} to load_robot", matters=True,
            )  # fmt: skip

    def _key(self, key: Key) -> Key:
        def drives(values: Mapping[str, float]) -> dict[str, float]:
            return {self.called.get(("actuator", name), name): value for name, value in values.items()}

        values, rates = self._moved(key.values, rates=False), self._moved(key.rates, rates=True)
        return Key(values, rates, drives(key.controls), drives(key.states))

    def _moved(self, given: Mapping[str, tuple[float, ...]], *, rates: bool) -> dict[str, tuple[float, ...]]:
        """Values or rates by joint of the file as those of the description; joints that the model does not have keep their names."""
        out: dict[str, tuple[float, ...]] = {}
        for name, numbers in given.items():
            source, called = self.source.joints.get(name), self.called.get(("joint", name), name)
            own = self.robot.joints.get(called)
            if source is None or own is None:
                out[called] = numbers
            elif source.kind == "ball" and not rates:
                out[called] = _ball(source, own, numbers)
            elif source.kind in ("ball", "floating"):
                out[called] = numbers
            else:
                for k, (axis, number) in enumerate(zip(source.axes, numbers, strict=True)):
                    place = self._place(name, k)
                    if place is None:
                        out[called] = numbers
                        continue
                    axes = self.robot.joints[place[0]].axes
                    drawn = tuple(0.0 if rates else one.value for one in axes)
                    whole = list(out.get(place[0], drawn))
                    shifted = axes[place[1]].value - axis.value  # another zero
                    whole[place[1]] = number + (shifted if abs(shifted) > ROUNDING and not rates else 0.0)
                    out[place[0]] = tuple(whole)
        return out


def _ball(source: Joint, own: Joint, numbers: tuple[float, ...]) -> tuple[float, ...]:
    """Quaternion of a ball joint between the same links with the frames of the description."""
    turned = source.on_parent.rotation @ from_quaternion(numbers) @ source.on_child.rotation.T
    quaternion = to_quaternion(own.on_parent.rotation.T @ turned @ own.on_child.rotation)
    return tuple(float(x) for x in quaternion)


def _law(force: Force) -> str:
    """Laws of a force as text, which shows changes."""
    return "; ".join(str(use.law) for use in force.uses)
