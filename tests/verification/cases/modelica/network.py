"""Networks of parts with frames, as Modelica's multibody library describes them, lowered to Trammel's public model.

Frames that are connected, or joined by rigid parts, belong to one body; joints and forces stand between frames.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

import pytrammel as tm

from .rotations import UNIT, perpendicular, skew, unit

GRAVITY = 9.80665  # Modelica.Constants.g_n


@dataclass
class Frame:
    """Place of a frame: on which body, and its pose in the body's axes."""

    body: str
    at: np.ndarray
    axes: np.ndarray


@dataclass
class Pose:
    """Pose and motion of a body at the start, global, also the angular velocity."""

    at: np.ndarray = field(default_factory=lambda: np.zeros(3))
    axes: np.ndarray = field(default_factory=lambda: UNIT)
    velocity: np.ndarray = field(default_factory=lambda: np.zeros(3))
    omega: np.ndarray = field(default_factory=lambda: np.zeros(3))

    def of(self, frame: Frame) -> Pose:
        """Pose and motion of a frame on the body."""
        arm = self.axes @ frame.at
        return Pose(
            self.at + arm, self.axes @ frame.axes, self.velocity + np.cross(self.omega, arm), np.array(self.omega)
        )

    def of_point(self, local: Sequence[float]) -> np.ndarray:
        """Place of a point given in the body's axes."""
        return self.at + self.axes @ np.asarray(local, float)

    def body_with(self, frame: Frame) -> Pose:
        """Pose and motion of the body whose given frame has this pose."""
        axes = self.axes @ frame.axes.T
        arm = axes @ frame.at
        return Pose(self.at - arm, axes, self.velocity - np.cross(self.omega, arm), np.array(self.omega))


class Part:
    """Part of a network; a kind overrides what it has."""

    frames: tuple[str, ...] = ("frame_a", "frame_b")
    closes = False  # restrains, and leads no body at the start

    def expand(self) -> tuple[dict[str, Part], str] | None:
        """Parts and connections that this one stands for, or None; names begin with a dot."""
        return None

    def rigid(self) -> Sequence[tuple[str, str, np.ndarray, np.ndarray]]:
        """Rigid pairs of frames: the second one's position and axes in the first."""
        return ()

    def masses(self) -> Sequence[tuple[str, float, np.ndarray, np.ndarray]]:
        """Masses: frame, mass [kg], centre of mass in the frame [m], inertia about it [kg m²]."""
        return ()

    def placed(self) -> Pose | None:
        """Start of `frame_a` in the world, where the part gives one."""
        return None

    def relative(self) -> Pose | None:
        """Start of `frame_b` seen from `frame_a`, its motion in the axes of `frame_a`, if the part leads one by the other."""
        return None

    def build(self, net: Network, name: str) -> None:
        """Add what acts between the frames to the model."""


class Network:
    """Parts, their connections, and the Trammel model of both.

    Args:
        name: Name of the model.
        parts: Parts by name; the world is added automatically.
        connections: Connected frames, connections separated by semicolons: "rod.b ball.a; ball.b body.a".
        gravity: Acceleration of gravity, global [m/s²].
        extra: Called with the network at the end, for elements that are not parts.
        loose: Joints of closed loops, which lead no body at the start.
        initial: Values that quantities must have at the start, in addition to the values of joints.
        free: Bodies get no velocities at the start: drivers move them.
    """

    def __init__(
        self,
        name: str,
        parts: Mapping[str, Part],
        connections: str,
        *,
        gravity: Sequence[float] = (0.0, -GRAVITY, 0.0),
        extra: Callable[[Network], None] | None = None,
        loose: Sequence[str] = (),
        initial: Mapping[str, float] | None = None,
        free: bool = False,
    ) -> None:
        self.free = free
        self.parts, lines = self._expanded(parts, connections)
        self.frames = self._grouped(lines)
        self.poses, self.closed = self._started(loose)
        self.initial: dict[str, float] = {}
        self.model = tm.SpatialModel(name, gravity=tuple(gravity))
        self._bodies()
        for key, part in self.parts.items():
            part.build(self, key)
        if extra:
            extra(self)
        if not (self.closed or self.free):
            self.initial = {}
        self.initial.update(initial or {})

    @staticmethod
    def _expanded(parts: Mapping[str, Part], connections: str) -> tuple[dict[str, Part], list[list[str]]]:
        out: dict[str, Part] = {}
        lines = [[long_name(end) for end in line.split()] for line in connections.split(";")]
        lines = [line for line in lines if line]
        todo = list(parts.items())
        while todo:
            name, part = todo.pop(0)
            inside = part.expand()
            if inside is None:
                out[name] = part
                continue
            todo = [(name + key, inner) for key, inner in inside[0].items()] + todo
            lines += [
                [name + end if end.startswith(".") else f"{name}.{end}" for end in line.split()]
                for line in inside[1].split(";")
            ]
        return out, lines

    def _grouped(self, lines: list[list[str]]) -> dict[str, Frame]:
        """Frames on bodies: connected components over connections and rigid parts."""
        links: dict[str, list[tuple[str, np.ndarray, np.ndarray]]] = {"world.frame_b": []}
        for name, part in self.parts.items():
            for frame in part.frames:
                links[f"{name}.{frame}"] = []
        zero = np.zeros(3)

        def join(first: str, second: str, at: np.ndarray, axes: np.ndarray) -> None:
            links.setdefault(first, []).append((second, at, axes))
            links.setdefault(second, []).append((first, -axes.T @ at, axes.T))

        for name, part in self.parts.items():
            for first, second, at, axes in part.rigid():
                first = first if "." in first else f"{name}.{first}"
                join(first, f"{name}.{second}", np.asarray(at, float), axes)
        for line in lines:
            for other in line[1:]:
                join(line[0], other, zero, UNIT)
        frames: dict[str, Frame] = {}
        for root in links:
            if root in frames:
                continue
            body = "ground" if root == "world.frame_b" else f"{root.replace('.frame_', '_').replace('.', '_')}_body"
            frames[root] = Frame(body, zero, UNIT)
            todo = [root]
            while todo:
                here = todo.pop()
                base = frames[here]
                for other, at, axes in links[here]:
                    if other not in frames:
                        frames[other] = Frame(body, base.at + base.axes @ at, base.axes @ axes)
                        todo.append(other)
        return frames

    def _started(self, loose: Sequence[str]) -> tuple[dict[str, Pose], list[str]]:
        poses = {"ground": Pose()}
        left = {n: p for n, p in self.parts.items() if len(p.frames) > 1 and p.relative() is not None}
        closed: list[str] = [n for n in left if n in loose]
        waiting = {n: p for n, p in left.items() if n not in loose}
        placed = {n: p for n, p in self.parts.items() if p.placed() is not None}
        while waiting or placed:
            moved = False
            for name, part in list(waiting.items()):
                a, b = self.frames[f"{name}.frame_a"], self.frames[f"{name}.frame_b"]
                if a.body in poses and b.body in poses:
                    closed.append(name)
                elif a.body in poses:
                    start, rel = poses[a.body].of(a), part.relative()
                    arm = start.axes @ rel.at
                    poses[b.body] = Pose(
                        start.at + arm,
                        start.axes @ rel.axes,
                        start.velocity + np.cross(start.omega, arm) + start.axes @ rel.velocity,
                        start.omega + start.axes @ rel.omega,
                    ).body_with(b)
                elif b.body in poses:
                    start, rel = poses[b.body].of(b), part.relative()
                    axes = start.axes @ rel.axes.T
                    omega = start.omega - axes @ rel.omega
                    arm = axes @ rel.at
                    poses[a.body] = Pose(
                        start.at - arm, axes, start.velocity - np.cross(omega, arm) - axes @ rel.velocity, omega
                    ).body_with(a)
                else:
                    continue
                del waiting[name]
                moved = True
            if moved:
                continue
            name = next((n for n in placed if self.frames[f"{n}.frame_a"].body not in poses), None)
            if name is None:
                placed = {}
                if waiting:
                    name, part = next(iter(waiting.items()))
                    poses.setdefault(self.frames[f"{name}.frame_a"].body, Pose())
                continue
            frame = self.frames[f"{name}.frame_a"]
            poses[frame.body] = self.parts[name].placed().body_with(frame)
            del placed[name]
        for frame in self.frames.values():
            poses.setdefault(frame.body, Pose())
        return poses, closed + [name for name, part in self.parts.items() if part.closes]

    def _bodies(self) -> None:
        held: dict[str, list[tuple[float, np.ndarray, np.ndarray]]] = {}
        for name, part in self.parts.items():
            for frame, mass, centre, inertia in part.masses():
                place = self.frames[frame if "." in frame else f"{name}.{frame}"]
                turned = place.axes @ np.asarray(inertia, float) @ place.axes.T
                held.setdefault(place.body, []).append((mass, place.at + place.axes @ np.asarray(centre), turned))
        used = (frame.body for name, frame in self.frames.items() if not name.endswith(".frame_resolve"))
        for body in dict.fromkeys(used):
            if body == "ground":
                continue
            pose, lumps = self.poses[body], held.get(body, [])
            mass = sum(m for m, _, _ in lumps)
            options: dict[str, object] = {}
            if lumps:
                centre = sum(m * r for m, r, _ in lumps) / mass if mass else np.zeros(3)
                inertia = np.zeros((3, 3))
                for m, r, i in lumps:
                    d = skew(r - centre)
                    inertia += i - m * d @ d
                options = {"mass": max(mass, 1e-9), "inertia": inertia, "centroid": tuple(centre)}
            if not lumps or (not mass and not np.any(inertia)):
                options = {"massless": True}
            if not (self.closed or self.free):
                options.update(velocity=tuple(pose.velocity), omega=tuple(pose.axes.T @ pose.omega))
            self.model.body(body, position=tuple(pose.at), rotation=pose.axes, **options)

    # --- for parts --------------------------------------------------------------------------------------------------

    def body(self, frame: str) -> object:
        """Trammel's body of a frame."""
        name = self.frames[frame].body
        return self.model.ground if name == "ground" else self.model.bodies[name]

    def point(self, frame: str, at: Sequence[float] = (0.0, 0.0, 0.0)) -> object:
        """Point given in a frame."""
        place = self.frames[frame]
        return self.body(frame).at(*(place.at + place.axes @ np.asarray(at, float)))

    def marker(self, frame: str, axis: Sequence[float], x: Sequence[float] | None = None) -> object:
        """Oriented marker at a frame: its z axis and x axis in the frame's axes."""
        place = self.frames[frame]
        axis = unit(axis)
        x = perpendicular(axis) if x is None else unit(np.asarray(x) - axis * (np.asarray(x) @ axis))
        return self.body(frame).marker(tuple(place.at), axis=tuple(place.axes @ axis), x=tuple(place.axes @ x))

    def components(self, frame: str, vector: Sequence[str | float]) -> tuple[str, ...]:
        """Formulas of the components in the body's axes of a vector given in a frame."""
        return turned(self.frames[frame].axes, vector)


SHORT = ("a", "b", "ia", "ib", "im", "resolve")


def long_name(frame: str) -> str:
    """Full name of a frame: "rod.b" is "rod.frame_b"."""
    part, _, last = frame.rpartition(".")
    return f"{part}.frame_{last}" if last in SHORT else frame


def turned(axes: np.ndarray, vector: Sequence[str | float]) -> tuple[str, ...]:
    """Return formulas of the components of a matrix times a vector of formulas."""
    rows = []
    for row in axes:
        terms = [
            f"({c!r})*({v})"
            for c, v in zip(row.tolist(), vector, strict=True)
            if abs(c) > 1e-15 and v not in (0, 0.0, "0")
        ]
        rows.append(" + ".join(terms) or "0")
    return tuple(rows)
