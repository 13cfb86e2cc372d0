"""Joints of Modelica.Mechanics.MultiBody.Joints with their coordinates and starts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from .network import Network, Part, Pose
from .parts import ORIGIN, FixedTranslation, Numbers, X
from .rotations import UNIT, about, in_turn, unit

Y, Z = (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)


def label(name: str) -> str:
    """Name of a constraint: the name of the part without dots."""
    return name.replace(".", "_")


class Joint(Part):
    """Joint whose coordinates may be given at the start; `fixed` names those that closed loops must keep."""

    fixed = ""

    def keep(self, net: Network, measures: Sequence[tuple[str, str, str, str]], name: str) -> None:
        """Note starts that are fixed: (coordinate, rate, Trammel's measure, "")."""
        for coordinate, rate, measure, _ in measures:
            quantity = f"{label(name)}.{measure}"
            if coordinate in self.fixed.split():
                net.initial[quantity] = getattr(self, coordinate)
            if rate in self.fixed.split():
                net.initial[f"{quantity}.rate"] = getattr(self, rate)


@dataclass
class Revolute(Joint):
    """Hinge about n, the angle phi from frame_a to frame_b; `d` and `tau`: damper and torque between its flanges."""

    n: Numbers = Z
    phi: float = 0.0
    w: float = 0.0
    fixed: str = ""
    d: float | None = None
    tau: str | None = None

    def relative(self):
        return Pose(np.zeros(3), about(self.n, self.phi), np.zeros(3), unit(self.n) * self.w)

    def build(self, net, name):
        m = net.model
        a, b = (net.marker(f"{name}.{f}", self.n) for f in self.frames)
        m.revolute(label(name), a, b, **({} if name in net.closed else {"angle": self.phi}))
        if self.d is not None:
            m.torsion_spring(f"{label(name)}_damper", label(name), damping=self.d)
        if self.tau is not None:
            m.motor(f"{label(name)}_motor", label(name), self.tau)
        self.keep(net, [("phi", "w", "angle", "")], name)


@dataclass
class Prismatic(Joint):
    """Slide along n, the distance s from frame_a to frame_b; `spring` is (stiffness, free length), `d` a damper, `f` a force."""

    n: Numbers = X
    s: float = 0.0
    v: float = 0.0
    fixed: str = ""
    spring: tuple[float, float] | None = None
    d: float | None = None
    f: str | None = None

    def relative(self):
        return Pose(unit(self.n) * self.s, UNIT, unit(self.n) * self.v)

    def build(self, net, name):
        m, key = net.model, label(name)
        m.prismatic(key, *(net.marker(f"{name}.{f}", self.n) for f in self.frames))
        terms = []
        if self.spring is not None:
            terms.append(f"-({self.spring[0]!r})*({key}.distance - ({self.spring[1]!r}))")
        if self.d is not None:
            terms.append(f"-({self.d!r})*{key}.distance.rate")
        if self.f is not None:
            terms.append(f"({self.f})")
        if terms:
            m.user_force(f"{key}_force", f"{key}.distance", " + ".join(terms))
        self.keep(net, [("s", "v", "distance", "")], name)


@dataclass
class Cylindrical(Joint):
    """Turning and sliding along n."""

    n: Numbers = X
    phi: float = 0.0
    w: float = 0.0
    s: float = 0.0
    v: float = 0.0
    fixed: str = ""

    def relative(self):
        e = unit(self.n)
        return Pose(e * self.s, about(self.n, self.phi), e * self.v, e * self.w)

    def build(self, net, name):
        net.model.cylindrical(label(name), *(net.marker(f"{name}.{f}", self.n) for f in self.frames))
        self.keep(net, [("phi", "w", "angle", ""), ("s", "v", "distance", "")], name)


@dataclass
class Universal(Joint):
    """Cross with one arm n_a on frame_a, the other n_b on frame_b."""

    n_a: Numbers = X
    n_b: Numbers = Y
    phi_a: float = 0.0
    phi_b: float = 0.0
    w_a: float = 0.0
    w_b: float = 0.0
    fixed: str = ""

    def relative(self):
        first = about(self.n_a, self.phi_a)
        omega = unit(self.n_a) * self.w_a + first @ unit(self.n_b) * self.w_b
        return Pose(np.zeros(3), first @ about(self.n_b, self.phi_b), np.zeros(3), omega)

    def build(self, net, name):
        a, b = net.marker(f"{name}.frame_a", self.n_a, self.n_b), net.marker(f"{name}.frame_b", self.n_b, self.n_a)
        turns = {} if name in net.closed else {"angle": self.phi_a, "second_angle": self.phi_b}
        net.model.universal(label(name), a, b, **turns)
        self.keep(net, [("phi_a", "w_a", "angle", ""), ("phi_b", "w_b", "second_angle", "")], name)


@dataclass
class Planar(Joint):
    """Plane on plane with the normal n; s_x counts along n_x."""

    n: Numbers = Z
    n_x: Numbers = X
    s_x: float = 0.0
    s_y: float = 0.0
    phi: float = 0.0
    v_x: float = 0.0
    v_y: float = 0.0
    w: float = 0.0
    fixed: str = ""

    def relative(self):
        e, x = unit(self.n), unit(self.n_x)
        y = np.cross(e, x)
        return Pose(x * self.s_x + y * self.s_y, about(e, self.phi), x * self.v_x + y * self.v_y, e * self.w)

    def build(self, net, name):
        net.model.planar(label(name), *(net.marker(f"{name}.{f}", self.n, self.n_x) for f in self.frames))
        measures = [("s_x", "v_x", "x", ""), ("s_y", "v_y", "y", ""), ("phi", "w", "angle", "")]
        self.keep(net, measures, name)


@dataclass
class Spherical(Joint):
    """Ball joint; start of the relative orientation by angles in a sequence of own axes, w_rel in frame_a."""

    angles: Numbers = ORIGIN
    w_rel: Numbers = ORIGIN

    def relative(self):
        return Pose(np.zeros(3), in_turn((1, 2, 3), self.angles), np.zeros(3), np.asarray(self.w_rel, float))

    def build(self, net, name):
        net.model.spherical(label(name), net.point(f"{name}.frame_a"), net.point(f"{name}.frame_b"))


@dataclass
class FreeMotion(Joint):
    """No restraint: start of frame_b seen from frame_a, in its axes; turns by angles or by their rates."""

    r: Numbers = ORIGIN
    v: Numbers = ORIGIN
    angles: Numbers = ORIGIN
    w: Numbers = ORIGIN

    def relative(self):
        vectors = (np.asarray(x, float) for x in (self.v, self.w))
        return Pose(np.asarray(self.r, float), in_turn((1, 2, 3), self.angles), *vectors)


@dataclass
class Weld(Joint):
    """Rigid joint whose reaction is required: a sensor of the cut force and torque, or a fixed frame.

    `resolve` names the frame in whose axes they are given, or "world".
    """

    resolve: str = "frame_a"
    positiveSign: bool = True
    frames = ("frame_a", "frame_b", "frame_resolve")

    def relative(self):
        return Pose()

    def build(self, net, name):
        a, b = (net.marker(f"{name}.{f}", Z, X) for f in self.frames[:2])
        net.model.weld(label(name), a, b)


@dataclass
class SphericalSpherical(Joint):
    """Rod with balls at both ends, its mass in the middle."""

    m: float = 0.0
    length: float | None = None
    closes = True

    def build(self, net, name):
        ends = [net.point(f"{name}.{f}") for f in self.frames]
        net.model.link(label(name), *ends, length=self.length)
        if self.m:
            middle_mass(net, name, ends, self.m, 0.5)


def middle_mass(net: Network, name: str, ends: Sequence[object], mass: float, fraction: float) -> None:
    """Add a point mass on the straight line between two points, at a fraction of their distance."""
    m, key = net.model, label(name)
    places = [net.poses[e.body].of_point(e.local) for e in ends]
    for end, point in zip("ab", ends, strict=True):
        m.point(f"{key}_{end}", point.body, local=point.local)
    at = (1 - fraction) * places[0] + fraction * places[1]
    m.body(f"{key}_mass", position=tuple(at), mass=mass, inertia=mass)
    for axis in "xyz":
        formula = f"{key}_mass.{axis} - {1 - fraction!r}*{key}_a.{axis} - {fraction!r}*{key}_b.{axis}"
        m.equation(f"{key}_mass_{axis}", formula)


@dataclass
class UniversalSpherical(Joint):
    """Rod with a cross at frame_a (first arm n1_a, start phi) and a ball at frame_b; frame_ia lies on the rod at frame_a."""

    n1_a: Numbers = Z
    rRod_ia: Numbers = X
    length: float | None = None
    phi: tuple[float, float] = (0.0, 0.0)
    frames = ("frame_a", "frame_b", "frame_ia")

    def expand(self):
        rod = np.asarray(self.rRod_ia, float)
        if self.length is not None:
            rod = unit(rod) * self.length
        cross = unit(np.cross(self.n1_a, unit(rod)))
        parts = {
            ".universal": Universal(n_a=self.n1_a, n_b=cross, phi_a=self.phi[0], phi_b=self.phi[1]),
            ".rod": FixedTranslation(r=rod),
            ".ball": Spherical(),
        }
        return (
            parts,
            """
            frame_a .universal.frame_a;
            .universal.frame_b .rod.frame_a frame_ia;
            .rod.frame_b .ball.frame_a;
            .ball.frame_b frame_b
        """,
        )


@dataclass
class RodAndGuide(Joint):
    """JointUSP, JointUSR, JointSSR, JointSSP: a rod from frame_a to a second rod on a slide or hinge at frame_b."""

    guide: Joint | None = None
    rRod1_ia: Numbers = X
    rRod2_ib: Numbers = (-1.0, 0.0, 0.0)
    n1_a: Numbers = Z
    rod1Length: float | None = None
    rod1Mass: float = 0.0
    universal: bool = True
    phi: tuple[float, float] = (0.0, 0.0)

    def expand(self):
        rod = (
            UniversalSpherical(self.n1_a, self.rRod1_ia, phi=self.phi)
            if self.universal
            else SphericalSpherical(self.rod1Mass, self.rod1Length)
        )
        key = ".revolute" if isinstance(self.guide, Revolute) else ".prismatic"
        parts = {key: self.guide, ".rod2": FixedTranslation(self.rRod2_ib), ".rod1": rod}
        inner = f"""
            frame_b {key}.frame_a;
            {key}.frame_b .rod2.frame_a frame_ib;
            .rod2.frame_b .rod1.frame_b frame_im;
            .rod1.frame_a frame_a
        """
        return parts, inner + ("; .rod1.frame_ia frame_ia" if self.universal else "")


@dataclass
class PlanarCut(Joint):
    """RevolutePlanarLoopConstraint: a hinge about n in a planar loop, of which only the two rows in the plane are needed."""

    n: Numbers = Z
    closes = True

    def build(self, net, name):
        net.model.point_on_line(label(name), net.marker(f"{name}.frame_a", self.n), net.point(f"{name}.frame_b"))


@dataclass
class RodsOnHinges(Joint):
    """JointRRR and JointRRP: a hinge at frame_a, two rods with a hinge between them, and a hinge or slide at frame_b."""

    guide: Joint | None = None
    rRod1_ia: Numbers = X
    rRod2_ib: Numbers = (-1.0, 0.0, 0.0)
    n: Numbers = Z
    phi: float = 0.0

    def expand(self):
        parts = {
            ".hinge": Revolute(self.n, phi=self.phi),
            ".rod1": FixedTranslation(self.rRod1_ia),
            ".middle": PlanarCut(self.n),
            ".rod2": FixedTranslation(self.rRod2_ib),
            ".guide": self.guide,
        }
        return (
            parts,
            """
            frame_a .hinge.frame_a;
            .hinge.frame_b .rod1.frame_a frame_ia;
            .rod1.frame_b .middle.frame_b frame_im;
            .middle.frame_a .rod2.frame_b;
            frame_b .guide.frame_a;
            .guide.frame_b .rod2.frame_a frame_ib
        """,
        )


@dataclass
class JointUPS(Joint):
    """Cross at frame_a (first arm n1_a), slide along nAxis_ia, ball at frame_b."""

    n1_a: Numbers = Z
    nAxis_ia: Numbers = X
    s: float = 1.0
    spring: tuple[float, float] | None = None
    d: float | None = None
    f: str | None = None

    def expand(self):
        cross = unit(np.cross(self.n1_a, unit(self.nAxis_ia)))
        parts = {
            ".universal": Universal(n_a=self.n1_a, n_b=cross),
            ".prismatic": Prismatic(self.nAxis_ia, s=self.s, spring=self.spring, d=self.d, f=self.f),
            ".ball": Spherical(),
        }
        return (
            parts,
            """
            frame_a .universal.frame_a;
            .universal.frame_b .prismatic.frame_a frame_ia;
            .prismatic.frame_b .ball.frame_a frame_ib;
            .ball.frame_b frame_b
        """,
        )


@dataclass
class ParallelFrames(Joint):
    """Constraints.Prismatic: frames that do not turn against each other and slide along the free axes of frame_a."""

    free: str = "x"

    def relative(self):
        return Pose()

    def build(self, net, name):
        a, b = (net.marker(f"{name}.{f}", Z, X) for f in self.frames)
        net.model.parallel_frames(label(name), a, b)
        ends = [net.point(f"{name}.{f}") for f in self.frames]
        for axis, direction in zip("xyz", np.eye(3), strict=True):
            if axis not in self.free.split():
                place = net.frames[f"{name}.frame_a"]
                along = net.poses[place.body].axes @ place.axes @ direction
                net.model.constrain(f"{label(name)}_{axis}", net.model.difference(*ends, tuple(along)), value=0.0)


@dataclass
class GearConstraint(Joint):
    """Two shafts with bearings on one carrier: phi_a = ratio phi_b."""

    ratio: float = 2.0
    n_a: Numbers = X
    n_b: Numbers = X
    r_a: Numbers = ORIGIN
    r_b: Numbers = ORIGIN
    phi_b: float = 0.0
    w_b: float = 0.0

    def expand(self):
        parts = {
            ".a": Revolute(self.n_a, phi=self.ratio * self.phi_b, w=self.ratio * self.w_b),
            ".actuatedRevolute_b": Revolute(self.n_b, phi=self.phi_b, w=self.w_b),
            ".at_a": FixedTranslation(self.r_a),
            ".at_b": FixedTranslation(self.r_b),
            ".ratio": Ratio(self.ratio),
        }
        return (
            parts,
            """
            bearing .at_a.frame_a .at_b.frame_a;
            .at_a.frame_b .a.frame_a;
            .at_b.frame_b .actuatedRevolute_b.frame_a;
            .a.frame_b frame_a;
            .actuatedRevolute_b.frame_b frame_b
        """,
        )


@dataclass
class Ratio(Part):
    """Ratio of the angles of the two hinges of a gear."""

    ratio: float
    frames = ()

    def build(self, net, name):
        gear = label(name.rsplit(".", 1)[0])
        net.model.equation(
            f"{gear}_ratio", f"{gear}_a.angle - {self.ratio!r}*{gear}_actuatedRevolute_b.angle", unit="rad"
        )
