"""A robot as data: links, joints, loops, relations, actuators. Every reader makes one, every writer writes one."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from pytrammel._util.checks import checked
from pytrammel._util.messages import brief
from pytrammel.errors import ModelError
from pytrammel.geometry.shapes import Shape
from pytrammel.io.robots.conversion_report import ConversionReport
from pytrammel.io.robots.poses import Pose, from_quaternion, shift, turn

if TYPE_CHECKING:
    from pytrammel.model.argument_types import Law
    from pytrammel.model.spatial import SpatialModel

Array = NDArray[np.float64]
WORLD = "world"  # the ground: what is not a link
JointKind = Literal[
    "fixed",
    "revolute",
    "prismatic",
    "screw",
    "cylindrical",
    "universal",
    "planar",
    "ball",
    "floating",
    "rod",
    "no_turning",
]

# measures of the model's joint that a joint's axes are, in their order
COORDINATES: Mapping[str, tuple[str, ...]] = {
    "fixed": (), "revolute": ("angle",), "prismatic": ("distance",), "screw": ("angle",), "cylindrical": ("angle", "distance"),
    "universal": ("angle", "second_angle"), "planar": ("x", "y", "angle"), "ball": (), "floating": (), "rod": (), "no_turning": (),
}  # fmt: skip


@dataclass(frozen=True, eq=False)
class Look:
    """What a link looks like.

    Attributes:
        shape: Shape in link coordinates.
        mesh_file: File that a mesh was read from, or "".
    """

    shape: Shape
    mesh_file: str = ""


@brief
@dataclass(frozen=True, eq=False)
class Link:
    """A rigid part.

    Attributes:
        name: Name in the file.
        pose: Its frame in the drawn pose, in the world.
        mass: Mass [kg]; 0 if it has none.
        centroid: Centre of mass, link coordinates [m].
        inertia: Inertia about the centroid in link axes [kg m²].
        looks: What it looks like.
        points: Named points (sites), link coordinates [m].
        lift: Part of its weight that is compensated (gravcomp).
        line: Line of the file.
    """

    name: str
    pose: Pose = field(default_factory=Pose)
    mass: float = 0.0
    centroid: Array = field(default_factory=lambda: np.zeros(3))
    inertia: Array = field(default_factory=lambda: np.zeros((3, 3)))
    looks: tuple[Look, ...] = ()
    points: Mapping[str, Array] = field(default_factory=dict)
    lift: float = 0.0
    line: int = 0


@dataclass(frozen=True)
class Axis:
    """One coordinate of a joint: an angle [rad] or a distance [m].

    Attributes:
        value: Its value in the drawn pose.
        low, high: Range; infinite where there is none.
        effort, speed: Largest effort [N m or N] and rate; infinite where there is none.
        damping: [N m s/rad or N s/m].
        friction: Dry friction [N m or N].
        stiffness: Spring [N m/rad or N/m].
        rest: Value at which the spring is slack.
        armature: Inertia that turns with the coordinate (rotor, reflected) [kg m² or kg].
        drive_low, drive_high: Limits of the sum of actuator efforts along the coordinate [N m or N]; enforced.
        drive_lifts: Whether the compensated weight belongs to that sum.
        more_stiffness: Spring effort per square and cube of the distance from rest.
        more_damping: Damping per rate times its size, and per cube of the rate.
    """

    value: float = 0.0
    low: float = -math.inf
    high: float = math.inf
    effort: float = math.inf
    speed: float = math.inf
    damping: float = 0.0
    friction: float = 0.0
    stiffness: float = 0.0
    rest: float = 0.0
    armature: float = 0.0
    drive_low: float = -math.inf
    drive_high: float = math.inf
    drive_lifts: bool = False
    more_stiffness: tuple[float, float] = (0.0, 0.0)
    more_damping: tuple[float, float] = (0.0, 0.0)


@dataclass(frozen=True, eq=False)
class Joint:
    """A connection of two links. Its frames coincide where all its coordinates are zero.

    The z axis of both frames is the axis of a revolute, prismatic, screw or cylindrical joint and the normal of a planar one. A
    universal joint turns about z of the parent's frame and z of the child's frame, which is the parent's x at zero.

    Attributes:
        name: Name in the file.
        kind: Kind; "rod" keeps the distance of the two origins, "no_turning" the orientation only.
        parent, child: Links, or "world".
        on_parent, on_child: Its frames in the links' coordinates.
        axes: Its coordinates.
        lead: Advance per turn of a screw [m]; length of a rod [m].
        closing: It closes a loop: the child has its place from another joint.
        ball: Damping, stiffness of a ball joint, the same about all axes.
        line: Line of the file.
        start: Initial orientation of a ball joint: a unit quaternion, scalar first.
    """

    name: str
    kind: JointKind
    parent: str
    child: str
    on_parent: Pose = field(default_factory=Pose)
    on_child: Pose = field(default_factory=Pose)
    axes: tuple[Axis, ...] = ()
    lead: float = 0.0
    closing: bool = False
    ball: Axis = field(default_factory=Axis)
    line: int = 0
    start: tuple[float, ...] = (1.0, 0.0, 0.0, 0.0)

    def moved(self, values: tuple[float, ...]) -> Pose:
        """The child's frame seen from the parent's frame, both of the joint, for values of its coordinates."""
        z = (0.0, 0.0, 1.0)
        if self.kind == "revolute":
            return Pose(np.zeros(3), turn(z, values[0]))
        if self.kind == "prismatic":
            return shift(0.0, 0.0, values[0])
        if self.kind == "screw":
            return Pose(np.array([0.0, 0.0, self.lead * values[0] / (2.0 * math.pi)]), turn(z, values[0]))
        if self.kind == "cylindrical":
            return Pose(np.array([0.0, 0.0, values[1]]), turn(z, values[0]))
        if self.kind == "planar":
            return Pose(np.array([values[0], values[1], 0.0]), turn(z, values[2]))
        if self.kind == "universal":
            # the child's z is the parent's x at zero, its x the parent's z: a half turn about the line between them
            swap = np.array([[0.0, 0.0, 1.0], [0.0, -1.0, 0.0], [1.0, 0.0, 0.0]])
            return Pose(np.zeros(3), turn(z, values[0]) @ turn((1.0, 0.0, 0.0), values[1]) @ swap)
        if self.kind == "ball" and self.start != (1.0, 0.0, 0.0, 0.0):
            return Pose(np.zeros(3), from_quaternion(self.start))
        return Pose()

    @property
    def values(self) -> tuple[float, ...]:
        """Values of its axes in the drawn pose [m, rad]."""
        return tuple(axis.value for axis in self.axes)


@dataclass(frozen=True)
class Relation:
    """Coordinates that depend on each other: left - left0 is a polynomial of right - right0.

    Attributes:
        name: Name.
        left, right: Sums of coordinates: factor, joint, number of the axis. Nothing on the right is zero.
        coefficients: Of the polynomial, the constant first.
        left0, right0: Where it is centred.
        line: Line of the file.
    """

    name: str
    left: tuple[tuple[float, str, int], ...]
    right: tuple[tuple[float, str, int], ...]
    coefficients: tuple[float, ...]
    left0: float = 0.0
    right0: float = 0.0
    line: int = 0


@brief
@dataclass(frozen=True, eq=False)
class Spring:
    """Spring and damper between two points of links [N/m, N s/m, m]."""

    name: str
    first: str
    second: str
    at_first: Array
    at_second: Array
    stiffness: float
    damping: float
    rest: float
    line: int = 0


@brief
@dataclass(frozen=True, eq=False)
class Strand:
    """Straight piece of a tendon between points of two links; its length is multiplied by `share` (pulleys)."""

    first: str
    second: str
    at_first: Array
    at_second: Array
    share: float = 1.0


@dataclass(frozen=True, eq=False)
class Tendon:
    """Length that is a sum of coordinates or of straight strands, with the forces along it.

    Attributes:
        name: Name.
        parts: Coordinates: factor, joint, number of the axis.
        stiffness, damping: Spring and damper along the length [N/m, N s/m].
        low, high: Lengths between which the spring is slack.
        line: Line of the file.
        strands: Straight strands; `parts` is empty then.
        armature: Inertia that moves with the length [kg].
        friction: Dry friction along the length [N].
        drive_low, drive_high: Limits of the sum of actuator efforts along it.
        more_stiffness, more_damping: Coefficients of higher powers, as of `Axis`.
    """

    name: str
    parts: tuple[tuple[float, str, int], ...]
    stiffness: float = 0.0
    damping: float = 0.0
    low: float = 0.0
    high: float = 0.0
    line: int = 0
    strands: tuple[Strand, ...] = ()
    armature: float = 0.0
    friction: float = 0.0
    drive_low: float = -math.inf
    drive_high: float = math.inf
    more_stiffness: tuple[float, float] = (0.0, 0.0)
    more_damping: tuple[float, float] = (0.0, 0.0)

    @property
    def is_elastic(self) -> bool:
        """True if a spring or a damper acts along it."""
        return any((self.stiffness, *self.more_stiffness, self.damping, *self.more_damping))


@dataclass(frozen=True, eq=False)
class Bushing:
    """Springs and dampers in six directions between frames of two links."""

    name: str
    first: str
    second: str
    on_first: Pose
    on_second: Pose
    stiffness: tuple[float, float, float]
    damping: tuple[float, float, float]
    turning_stiffness: tuple[float, float, float]
    turning_damping: tuple[float, float, float]
    line: int = 0


@dataclass(frozen=True)
class Lag:
    """Dynamics between the control of an actuator and the input of its gain.

    Attributes:
        kind: "integrator" (the rate is the control) or "filter" (the control is followed with the time constant).
        time: Time constant [s].
        start: Value at the start.
        low, high: Limits of the value.
    """

    kind: Literal["integrator", "filter"]
    time: float = 1.0
    start: float = 0.0
    low: float = -math.inf
    high: float = math.inf


@dataclass(frozen=True)
class Actuator:
    """Effort along a length: gear * (gain * control + bias[0] + bias[1] * gear * q + bias[2] * gear * q'), within limits.

    The length q is a coordinate of a joint, a tendon, or a place of a site on the ground's axes; at a site, a ball or a free joint
    the effort is a force and a torque.

    Attributes:
        name: Name.
        joint, axis: The coordinate; the joint is "" where a tendon or a site transmits.
        gear: Transmission.
        gain: Effort per control.
        bias: What acts without control: constant, per position, per rate.
        low, high: Limits of the effort before the gear.
        control_low, control_high: Limits of the control.
        line: Line of the file.
        tendon: Tendon that transmits, or "".
        site, reference: Frame at which it acts, and frame on the ground in whose axes; "" if there is none.
        wrench: Force and torque per effort at a site, a ball (torque only) or a free joint.
        in_parent: The torque of a ball or free joint has the axes of the parent link.
        slopes: Change of the gain per position and per rate.
        lag: Dynamics of the control.
    """

    name: str
    joint: str = ""
    axis: int = 0
    gear: float = 1.0
    gain: float = 1.0
    bias: tuple[float, float, float] = (0.0, 0.0, 0.0)
    low: float = -math.inf
    high: float = math.inf
    control_low: float = -math.inf
    control_high: float = math.inf
    line: int = 0
    tendon: str = ""
    site: str = ""
    reference: str = ""
    wrench: tuple[float, ...] = ()
    in_parent: bool = False
    slopes: tuple[float, float] = (0.0, 0.0)
    lag: Lag | None = None


@brief
@dataclass(frozen=True)
class Key:
    """Named state of a robot.

    Attributes:
        values: Coordinates by joint: one number per axis [m, rad], four of a ball joint (a quaternion, scalar first), seven of a free
            joint (position and quaternion).
        rates: Rates by joint, six of a free joint, three of a ball joint.
        controls: Controls by actuator.
        states: Values of actuators with dynamics, by actuator.
    """

    values: Mapping[str, tuple[float, ...]] = field(default_factory=dict)
    rates: Mapping[str, tuple[float, ...]] = field(default_factory=dict)
    controls: Mapping[str, float] = field(default_factory=dict)
    states: Mapping[str, float] = field(default_factory=dict)


@brief
@dataclass
class Robot:
    """What a robot file says, whatever its format.

    Attributes:
        name: Its name.
        links: Links by name, in the order of the file.
        joints: Joints by name; those that close loops have ``closing`` set.
        relations: Mimics, couplings and tendons.
        springs, bushings, tendons: Elastic connections beside the joints.
        actuators: By name.
        frames: Named frames: link and pose on it.
        keys: Named states.
        tendon_ranges: Ranges of tendons by name, which servos may inherit.
        unsupported: Reasons why tendons were not taken over, by name.
        gravity: Acceleration of gravity [m/s²].
        conversion_report: What was not taken over as it stands.
        path: The file, or None.
        world: The root link if it is called "world": it is the ground unless the robot floats (URDF).
        loops_file: The YAML file that its loops come from, or None.
    """

    name: str = "robot"
    links: dict[str, Link] = field(default_factory=dict)
    joints: dict[str, Joint] = field(default_factory=dict)
    relations: dict[str, Relation] = field(default_factory=dict)
    springs: dict[str, Spring] = field(default_factory=dict)
    bushings: dict[str, Bushing] = field(default_factory=dict)
    tendons: dict[str, Tendon] = field(default_factory=dict)
    actuators: dict[str, Actuator] = field(default_factory=dict)
    frames: dict[str, tuple[str, Pose]] = field(default_factory=dict)
    keys: dict[str, Key] = field(default_factory=dict)
    tendon_ranges: dict[str, tuple[float, float]] = field(default_factory=dict)
    unsupported: dict[str, str] = field(default_factory=dict)
    gravity: tuple[float, float, float] = (0.0, 0.0, -9.81)
    conversion_report: ConversionReport = field(default_factory=ConversionReport)
    path: Path | None = None
    world: Link | None = None
    loops_file: Path | None = None

    @property
    def mass(self) -> float:
        """Mass of all links [kg]."""
        return math.fsum(link.mass for link in self.links.values())

    @property
    def loops(self) -> tuple[Joint, ...]:
        """Joints that close loops."""
        return tuple(joint for joint in self.joints.values() if joint.closing)

    def _unknown(self, kind: str, name: str, known: Mapping[str, object]) -> ModelError:
        listed = ", ".join(list(known)[:20]) or "none"
        return ModelError(f"robot {self.name!r} has no {kind} {name!r}; it has: {listed}.")

    @checked
    def pose_of(self, link: str) -> Pose:
        """A link in the drawn pose."""
        if link != WORLD and link not in self.links:
            raise self._unknown("link", link, self.links)
        return Pose() if link == WORLD else self.links[link].pose

    @checked
    def spot(self, name: str) -> tuple[str, Pose] | None:
        """The link that a link or frame is on, and where on it; None if there is nothing of that name."""
        if name == WORLD or name in self.links:
            return name, Pose()
        return self.frames.get(name)

    @checked
    def place(self, values: Mapping[str, tuple[float, ...]] | None = None) -> None:
        """Draw the links again along the tree, from the roots on, with coordinates as they are or as given by joint.

        A ball joint takes a quaternion (scalar first), a free joint a position and a quaternion.
        """
        unknown = [name for name in values or {} if name not in self.joints]
        if unknown:
            raise self._unknown("joint", unknown[0], self.joints)
        for joint in in_order(self):
            given = tuple((values or {}).get(joint.name, joint.values))
            if joint.kind in ("ball", "floating") and given:
                joint, given = _turned(joint, given), ()
            axes = tuple(replace(axis, value=value) for axis, value in zip(joint.axes, given, strict=True))
            self.joints[joint.name] = replace(joint, axes=axes)
            frame = self.pose_of(joint.parent) @ joint.on_parent @ joint.moved(given) @ joint.on_child.inverse
            self.links[joint.child] = replace(self.links[joint.child], pose=frame)

    @checked
    def model(
        self,
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
        """The robot as a model; see `pytrammel.load_robot` for the options."""
        from pytrammel.io.robots.build import build_model

        return build_model(
            self, floating_base=floating_base, pose=pose, stops=stops, friction=friction, controls=controls, motions=motions,
            merge_fixed=merge_fixed, close_loops=close_loops, closure_tolerance=closure_tolerance,
        )  # fmt: skip


def _turned(joint: Joint, given: tuple[float, ...]) -> Joint:
    """A ball joint with another orientation, or a free joint with another place of its link."""
    if joint.kind == "ball":
        return replace(joint, start=tuple(float(x) for x in np.array(given) / np.linalg.norm(given)))
    return replace(joint, on_parent=Pose(np.array(given[:3]), from_quaternion(given[3:])) @ joint.on_child)


def in_order(robot: Robot) -> list[Joint]:
    """Joints of the tree, each after the joint that places its parent."""
    waiting: dict[str, list[Joint]] = {}
    for joint in robot.joints.values():
        if not joint.closing:
            waiting.setdefault(joint.parent, []).append(joint)
    children = {joint.child for joint in robot.joints.values() if not joint.closing}
    ready = [WORLD, *(name for name in robot.links if name not in children)]
    out: list[Joint] = []
    for name in ready:  # grows while it is walked
        for joint in waiting.pop(name, []):
            out.append(joint)
            ready.append(joint.child)
    return out


def free_bases(robot: Robot) -> set[str]:
    """Links that carry parts of the robot which no joint connects to the ground, not even one that closes a loop."""
    around: dict[str, list[str]] = {}
    for joint in robot.joints.values():
        if joint.kind != "floating":
            around.setdefault(joint.parent, []).append(joint.child)
            around.setdefault(joint.child, []).append(joint.parent)
    standing, waiting = {WORLD}, [WORLD]
    while waiting:
        new = set(around.get(waiting.pop(), ())) - standing
        standing |= new
        waiting += new
    carried = {joint.child for joint in robot.joints.values() if not joint.closing and joint.kind != "floating"}
    return set(robot.links) - carried - standing


def _root(link: str, placed: dict[str, str]) -> str:
    """Root of the tree of a link; links on the way are placed at it, which makes the next search short."""
    way = []
    while link in placed:
        way.append(link)
        link = placed[link]
    placed.update(dict.fromkeys(way, link))
    return link


def span_tree(joints: list[Joint]) -> list[Joint]:
    """Joints with those marked as closing that would give a link a second place, or lead round in a circle."""
    placed: dict[str, str] = {}  # a link nearer to the root, by link
    out = []
    for joint in joints:
        closing = joint.closing or joint.kind in ("rod", "no_turning") or joint.child in placed or joint.child == WORLD
        # a child without a place is the root of a tree: the joint leads round if its parent is in that tree
        if not closing:
            closing = _root(joint.parent, placed) == joint.child
        if not closing:
            placed[joint.child] = joint.parent
        out.append(replace(joint, closing=closing))
    return out
