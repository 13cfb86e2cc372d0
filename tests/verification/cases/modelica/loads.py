"""Forces of Modelica.Mechanics.MultiBody.Forces and one-dimensional rotors on frames."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from .joints import label, middle_mass
from .network import Network, Part, turned
from .parts import ORIGIN, Numbers
from .rotations import UNIT, about, perpendicular, unit

Formulas = Sequence[str | float]


def push(
    net: Network, name: str, frame: str, force: Formulas, torque: Formulas, resolve: str, sign: float = 1.0
) -> None:
    """Add a force at a frame's origin and a torque, given in the axes of another frame ("world" or a frame's name)."""
    body, place = net.body(frame), net.frames[frame]
    if place.body == "ground":
        return
    if resolve == "world" or net.frames[resolve].body == "ground":
        axes, kind = (UNIT if resolve == "world" else net.frames[resolve].axes), "space"
    elif net.frames[resolve].body == place.body:
        axes, kind = net.frames[resolve].axes, "body"
    else:
        raise ValueError(f"{name}: {resolve} turns with neither the world nor the loaded body")
    for vector, add, what in ((force, net.model.force, "force"), (torque, net.model.torque, "torque")):
        if any(v not in (0, 0.0, "0") for v in vector):
            on = net.point(frame) if what == "force" else body
            add(f"{label(name)}_{what}", on, turned(sign * axes, vector), frame=kind)


@dataclass
class WorldForceAndTorque(Part):
    """Force and torque on frame_b from the world, given in the world, frame_b, or frame_resolve."""

    force: Formulas = ORIGIN
    torque: Formulas = ORIGIN
    resolve: str = "world"
    frames = ("frame_b", "frame_resolve")

    def build(self, net, name):
        resolve = self.resolve if self.resolve == "world" else f"{name}.{self.resolve}"
        push(net, name, f"{name}.frame_b", self.force, self.torque, resolve)


def WorldForce(force: Formulas = ORIGIN, resolve: str = "world") -> WorldForceAndTorque:
    """Return a force from the world."""
    return WorldForceAndTorque(force=force, resolve=resolve)


def WorldTorque(torque: Formulas = ORIGIN, resolve: str = "world") -> WorldForceAndTorque:
    """Return a torque from the world."""
    return WorldForceAndTorque(torque=torque, resolve=resolve)


@dataclass
class ForceAndTorque(Part):
    """Force and torque on frame_b, and the opposite on frame_a along the same line of action."""

    force: Formulas = ORIGIN
    torque: Formulas = ORIGIN
    resolve: str = "frame_b"
    frames = ("frame_a", "frame_b", "frame_resolve")

    def build(self, net, name):
        resolve = self.resolve if self.resolve == "world" else f"{name}.{self.resolve}"
        a, b = (net.frames[f"{name}.{f}"].body for f in self.frames[:2])
        if a == "ground":
            return push(net, name, f"{name}.frame_b", self.force, self.torque, resolve)
        if any(v not in (0, 0.0, "0") for v in self.force):
            raise ValueError(f"{name}: the reaction of a force on a moving frame_a is not built")
        c = net.frames.get(resolve)
        body, sign = (a, -1.0) if c is not None and c.body == a else (b, 1.0)
        axes, kind = (UNIT, "space") if c is None else (c.axes, "space" if c.body == "ground" else "body")
        if kind == "body" and c.body not in (a, b):
            raise ValueError(f"{name}: {resolve} turns with neither the world nor a loaded body")
        vector, other = turned(sign * axes, self.torque), b if body == a else a
        return net.model.torque(f"{label(name)}_torque", body, vector, frame=kind, reaction_on=other)


def Force(force: Formulas = ORIGIN, resolve: str = "frame_b") -> ForceAndTorque:
    """Return a force between two frames."""
    return ForceAndTorque(force=force, resolve=resolve)


def Torque(torque: Formulas = ORIGIN, resolve: str = "frame_b") -> ForceAndTorque:
    """Return a torque between two frames."""
    return ForceAndTorque(torque=torque, resolve=resolve)


@dataclass
class Spring(Part):
    """Spring and damper along the line between two frames, with a point mass on it."""

    c: float | None = None
    s_unstretched: float = 0.0
    d: float | None = None
    m: float = 0.0
    lengthFraction: float = 0.5

    def build(self, net, name):
        ends = [net.point(f"{name}.{f}") for f in self.frames]
        options = {} if self.d is None else {"damping": self.d}
        if self.c is not None:
            options |= {"stiffness": self.c, "free_length": self.s_unstretched}
        net.model.spring(label(name), *ends, **options)
        if self.m:
            middle_mass(net, name, ends, self.m, self.lengthFraction)


@dataclass
class SpringDamperSeries(Part):
    """Spring in series with a damper; s_damper is the damper's length."""

    c: float = 1.0
    d: float = 1.0
    s_unstretched: float = 0.0
    s_damper: float = 0.0

    def build(self, net, name):
        m, key = net.model, label(name)
        ends = [net.point(f"{name}.{f}") for f in self.frames]
        for end, point in zip("ab", ends, strict=True):
            m.point(f"{key}_{end}", point.body, local=point.local)
        length = "sqrt(" + " + ".join(f"({key}_b.{x} - {key}_a.{x})^2" for x in "xyz") + ")"
        force = f"{self.c!r}*({length} - {self.s_unstretched!r} - {key}_s_damper)"
        m.state(f"{key}_s_damper", f"({force})/{self.d!r}", initial=self.s_damper)
        m.spring(key, *ends, force=force)


@dataclass
class LineForceWithTwoMasses(Part):
    """Point masses on a line between two frames, at L_a and L_b from its ends; `d` is a damper between them.

    Two massless rods carry the masses: a cross at frame_a, a slide between the rods, and a ball at frame_b.
    """

    L_a: float = 0.0
    L_b: float = 0.0
    m_a: float = 0.0
    m_b: float = 0.0
    d: float | None = None

    def build(self, net, name):
        m, key = net.model, label(name)
        ends = [net.point(f"{name}.{f}") for f in self.frames]
        places = [net.poses[e.body].of_point(e.local) for e in ends]
        e = unit(places[1] - places[0])
        x = perpendicular(e)
        axes = np.column_stack([x, np.cross(e, x), e])
        for end, mass, place, along in (("a", self.m_a, places[0], self.L_a), ("b", self.m_b, places[1], -self.L_b)):
            m.body(f"{key}_{end}", position=tuple(place), rotation=axes, mass=mass, inertia=0.0, centroid=(0, 0, along))
        a, b = m.bodies[f"{key}_a"], m.bodies[f"{key}_b"]
        m.universal(f"{key}_cross", ends[0], a.at(0, 0, 0), axis=tuple(x), second_axis=tuple(axes[:, 1]))
        m.prismatic(f"{key}_slide", a.marker((0, 0, 0), axis=(0, 0, 1)), b.marker((0, 0, 0), axis=(0, 0, 1)))
        m.spherical(f"{key}_ball", b.at(0, 0, 0), ends[1])
        if self.d is not None:
            m.spring(f"{key}_damper", *ends, damping=self.d)


def axial(moment: float, e: np.ndarray) -> np.ndarray:
    """Inertia of a thin disc with a moment about its axis: half of it across."""
    return moment / 2 * (UNIT + np.outer(e, e))


@dataclass
class Rotor1D(Part):
    """Rotor with inertia J about an axis n fixed in frame_a, which turns by phi against it.

    Modelica's rotor adds to a body that holds its inertia as if it were locked: `locked` names that body's frame. Without it
    the frame must be fixed or led, as the rotor's inertia across its axis is not Modelica's (0).
    """

    J: float = 1.0
    n: Numbers = (1.0, 0.0, 0.0)
    phi: float = 0.0
    w: float = 0.0
    locked: str | None = None
    tau: str | None = None
    mounted: bool = True
    frames = ("frame_a",)

    def masses(self):
        if self.locked is None:
            return []
        e = unit(self.n)
        return [(self.locked, 0.0, np.zeros(3), -axial(self.J, e))]

    def build(self, net, name):
        m, key = net.model, label(name)
        place = net.frames[f"{name}.frame_a"]
        start = net.poses[place.body].of(place)
        e = unit(self.n)
        axes = start.axes @ about(e, self.phi)
        inertia = axial(self.J, e)
        options = {}
        if not (net.closed or net.free):
            omega = start.omega + start.axes @ e * self.w
            options = {"velocity": tuple(start.velocity), "omega": tuple(axes.T @ omega)}
        m.body(
            f"{key}_rotor",
            position=tuple(start.at),
            rotation=axes,
            mass=1e-9,
            inertia=inertia,
            armature=True,
            **options,
        )
        inner = m.bodies[f"{key}_rotor"]
        x = perpendicular(e)
        m.revolute(
            key, net.marker(f"{name}.frame_a", e, x), inner.marker((0, 0, 0), axis=tuple(e), x=tuple(x)), angle=self.phi
        )
        if self.tau is not None:
            if self.mounted:
                m.motor(f"{key}_motor", key, self.tau)
            else:
                m.torque(f"{key}_motor", f"{key}_rotor", turned(UNIT, [f"{c!r}*({self.tau})" for c in e]), frame="body")


@dataclass
class Inertia(Part):
    """One-dimensional rotor on the ground."""

    J: float = 1.0
    phi: float = 0.0
    w: float = 0.0
    tau: str | None = None
    fixed: str = ""
    frames = ()

    def build(self, net, name):
        m, key = net.model, label(name)
        options = {} if net.closed or net.free else {"omega": (self.w, 0.0, 0.0)}
        body = m.body(f"{key}_rotor", mass=1e-9, inertia=(self.J, self.J / 2, self.J / 2), armature=True, **options)
        axes = {"axis": (1, 0, 0), "x": (0, 1, 0)}
        m.revolute(key, m.ground.marker((0, 0, 0), **axes), body.marker((0, 0, 0), **axes))
        if self.tau is not None:
            m.motor(f"{key}_motor", key, self.tau)
        for word, quantity, value in (("phi", "angle", self.phi), ("w", "angle.rate", self.w)):
            if word in self.fixed.split():
                net.initial[f"{key}.{quantity}"] = value
