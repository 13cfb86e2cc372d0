"""Planar models put into space with full hinges and slides: over-constrained there, and yet the same motion and the same forces.

Every model of the shared builders and every example is converted, constraint by constraint. A model with a kind of constraint or
force that has no converter (cams, contacts, phases …) is left out by that rule, never by name.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import pytrammel as tm
from dynamic_models import (
    andrews,
    chain,
    dap_four_bar,
    double_parallel_crank,
    double_pendulum,
    dump_truck,
    four_bar_release,
    light_cart_pole,
    n_four_bar,
    pendulum,
    platform,
    simple_pendulum,
    slider_crank_release,
)
from mechanisms import BUILDERS
from pytrammel import examples

QUIET = {"progress": False}
SAME = 1e-10  # of the size of what is compared


class NoConverterError(Exception):
    """The model has something that this file does not know how to put into space."""


@functools.cache
def released() -> dict[str, Callable[[], tm.PlanarModel]]:
    """Planar models that move by themselves."""
    return {
        "pendulum": lambda: pendulum(0.3, spin=1.0),
        "simple pendulum on a link": simple_pendulum,
        "simple pendulum on a pin": lambda: simple_pendulum(kind="pin"),
        "simple pendulum on a massless arm": lambda: simple_pendulum(kind="massless"),
        "chain": lambda: chain([0.3, -0.2, 0.8]),
        "double pendulum of rods": lambda: double_pendulum("rods", (1.0, 2.0)),
        "double pendulum of points": lambda: double_pendulum("point", (1.0, 2.0)),
        "double pendulum of links": lambda: double_pendulum("links", (1.0, 2.0)),
        "cart-pole": lambda: light_cart_pole(cart=0.5),
        "cart-pole on a pin": lambda: light_cart_pole(cart=0.5, kind="pin"),
        "falling four-bar": lambda: dap_four_bar(exact=True),
        "platform": lambda: platform(exact=True),
        "dump truck": lambda: dump_truck(force=-4000.0),
        "slider-crank": slider_crank_release,
        "four-bar": four_bar_release,
        "n-four-bar": lambda: n_four_bar(2),
        "Andrews": andrews,
        "double parallel crank": double_parallel_crank,
        **{f"example {n}": examples.find(n).build for n in examples.names() if not drives(n)},
    }


@functools.cache
def driven() -> dict[str, Callable[[], tm.PlanarModel]]:
    """Planar models that are moved by drivers."""
    return {
        **{name: build for name, (build, _) in BUILDERS.items()},
        **{f"example {n}": examples.find(n).build for n in examples.names() if drives(n)},
    }


@functools.cache
def drives(example: str) -> bool:
    m = examples.find(example).build()
    return any(c.is_driver for c in m.constraints.values())


# --- converters --------------------------------------------------------------------------------------------------------------


def flat(vector: Any) -> tuple[float, float, float]:
    return float(vector[0]), float(vector[1]), 0.0


class Embedding:
    """A planar model in the plane z = 0 of a spatial one, under the same names."""

    def __init__(self, plane: tm.PlanarModel) -> None:
        if not isinstance(plane, tm.PlanarModel) or plane.phases:
            raise NoConverterError("phases" if isinstance(plane, tm.PlanarModel) else "not planar")
        self.plane = plane
        self.m = tm.SpatialModel(plane.name, gravity=flat(plane.gravity))
        for body in list(plane.bodies.values())[1:]:
            self.body(body)
        for name, point in plane.points.items():
            if name not in self.m.points:
                self.m.point(name, point.body, local=flat(point.local))
        groups = {name: {name} for name in plane.bodies}
        for c in plane.constraints.values():
            self.convert(c)
            if c.kind in ("revolute", "prismatic", "weld", "fix"):
                ends = c.bodies if len(c.bodies) == 2 else (c.bodies[0], "ground")
                joined = groups[ends[0]] | groups[ends[1]]
                for name in joined:
                    groups[name] = joined
        for f in plane.forces.values():
            self.convert(f)
        # what neither hinge nor slide nor weld keeps in the plane rests on it
        for name in plane.bodies:
            if "ground" not in groups[name]:
                self.m.planar(f"rests_{name}", self.m.ground.marker(), self.m[name].marker())
                joined = groups[name] | groups["ground"]
                for other in joined:
                    groups[other] = joined

    def body(self, b: Any) -> None:
        tensor = None
        if b.inertia is not None:
            across = max(b.inertia, 0.1 * (b.mass or 0.0))  # of no consequence in the plane; a real body's, though
            tensor = (across, across, b.inertia)
        self.m.body(
            b.name, position=flat(b.position), rotation=tm.rotations.from_axis_angle([0, 0, 1], b.angle), mass=b.mass, inertia=tensor,
            centroid=flat(b.centroid), velocity=None if b.velocity is None else (*b.velocity, 0), omega=(0, 0, b.omega),
            massless=b.massless, points={key: flat(place) for key, place in b.points.items()},
        )  # fmt: skip

    def convert(self, thing: Any) -> None:
        converter = getattr(self, f"to_{thing.kind}", None)
        if converter is None:
            raise NoConverterError(thing.kind)
        converter(thing.name, **thing.parameters)

    def point(self, p: Any) -> Any:
        return self.m[p.body].at(*flat(p.local))

    def hinge(self, p: Any, *, back: float = 0.0) -> Any:
        """Marker across the plane, its x axis turned back by an angle."""
        return self.m[p.body].marker(flat(p.local), x=(math.cos(back), -math.sin(back), 0.0))

    def between(self, first: Any, second: Any) -> float:
        return self.plane.bodies[second].angle - self.plane.bodies[first].angle

    def to_revolute(self, name: str, first: Any, second: Any) -> None:
        self.m.revolute(name, self.hinge(first), self.hinge(second), angle=self.between(first.body, second.body))

    def to_weld(self, name: str, first: Any, second: Any, angle: float) -> None:
        self.m.weld(name, self.hinge(first), self.hinge(second, back=angle))

    def to_fix(self, name: str, body: str) -> None:
        self.m.fix(name, body)

    def line(self, first: Any, line: Any) -> tuple[Any, np.ndarray]:
        u = np.subtract(line[1].local, line[0].local)
        u = u / np.linalg.norm(u)
        return self.m[first.body].marker(flat(line[0].local), axis=flat(u), x="z"), u

    def to_prismatic(self, name: str, first: Any, second: Any, line: Any, angle: float) -> None:
        track, u = self.line(first, line)
        c, s = math.cos(angle), math.sin(angle)
        own = (c * u[0] + s * u[1], -s * u[0] + c * u[1], 0.0)  # the line's direction on the sliding body
        self.m.prismatic(name, track, self.m[second.body].marker(flat(second.local), axis=own, x="z"))

    def to_point_on_line(self, name: str, first: Any, second: Any, line: Any) -> None:
        self.m.point_on_line(name, self.line(first, line)[0], self.point(second))

    def to_link(self, name: str, first: Any, second: Any, length: float) -> None:
        self.m.link(name, self.point(first), self.point(second), length=length)

    def quantity(self, quantity: Any) -> tuple[Any, float]:
        """The same quantity in space, and what the planar one is more."""
        if isinstance(quantity, str):
            owner, _, what = quantity.rpartition(".")
            if owner in self.plane.bodies and what == "phi":
                return self.m.angle_between(self.m.ground, owner, "z"), self.plane.bodies[owner].angle
            try:
                return self.m.measure(quantity), 0.0
            except tm.ModelError as error:
                raise NoConverterError(f"quantity {quantity}") from error
        if quantity.primitive == "distance":
            a, b, c, d = quantity.data
            first, second = quantity.bodies
            return self.m.distance(self.m[first].at(a, b, 0), self.m[second].at(c, d, 0)), 0.0
        raise NoConverterError(f"quantity {quantity.primitive}")

    def to_driver(self, name: str, quantity: Any, motion: Any) -> None:
        along, more = self.quantity(quantity)
        self.m.driver(name, along, motion - more)

    def to_constrain(self, name: str, quantity: Any, value: float) -> None:
        along, more = self.quantity(quantity)
        self.m.constrain(name, along, value=value - more)

    def to_spring(self, name: str, first: Any, second: Any, **given: Any) -> None:
        self.m.spring(name, self.point(first), self.point(second), **given)

    def law(self, law: Any) -> Any:
        if isinstance(law, str) or hasattr(law, "names"):
            for key in getattr(law, "names", ()):
                try:
                    self.m.law_input(key, "law")
                except tm.ModelError as error:
                    raise NoConverterError(f"law of {key}") from error
        return law

    def to_motor(self, name: str, first: str, second: str, torque: Any) -> None:
        self.m.user_force(name, self.m.angle_between(first, second, "z"), self.law(torque))

    def to_force(self, name: str, point: Any, vector: Any, frame: str = "space") -> None:
        self.m.force(name, self.point(point), (*(self.law(x) for x in vector), 0.0), frame=frame)

    def to_torque(self, name: str, body: str, torque: Any) -> None:
        self.m.user_force(name, self.m.angle_between(self.m.ground, body, "z"), self.law(torque))


def embedded(plane: tm.PlanarModel) -> tm.SpatialModel | None:
    """The model in space, or None if it has something without a converter."""
    try:
        return Embedding(plane).m
    except NoConverterError:
        return None


def consistent(plane: tm.PlanarModel) -> tm.PlanarModel:
    """The planar model drawn closed and with the velocities its constraints allow, so that both models start alike."""
    r = plane.simulate(times=[0.0], **QUIET)
    changes = {
        b: {
            "position": tuple(r[b].position[0]), "angle": float(r[b].phi[0]),
            "velocity": tuple(r[b].velocity[0]), "omega": float(r[b].omega[0]),
        }
        for b in list(plane.bodies)[1:]
    }  # fmt: skip
    return plane.copy(changes=changes)


def with_masses(plane: tm.PlanarModel) -> tm.PlanarModel:
    """Some mass for every body that has none, its inertia that of a disc of the model's size, its centroid off the frame."""
    places = [b.position for b in list(plane.bodies.values())[1:]]
    size = max(0.1, float(np.ptp(places, axis=0).max()))
    changes = {}
    for k, b in enumerate(list(plane.bodies.values())[1:]):
        if b.mass is None:
            changes[b.name] = {"mass": 1.0 + 0.3 * k, "inertia": 0.02 * (1 + k) * size**2, "centroid": (0.05 * size, 0.02 * k * size),
                               "massless": False}  # fmt: skip
    return plane.copy(changes=changes)


# --- comparison ----------------------------------------------------------------------------------------------------------------


def close(got: Any, want: Any, share: float, what: str, least: float = 1.0) -> None:
    """Equal but for a share of the largest value (or of `least`)."""
    scale = max(least, float(np.abs(want).max(initial=0.0)))
    np.testing.assert_allclose(got, want, rtol=0, atol=share * scale, err_msg=what)


def same_motion(space: tm.results.Result, plane: tm.results.Result, shares: tuple[float, float, float]) -> None:
    """Positions, velocities and accelerations of every body; each level against the largest value of the whole model."""
    sizes = [max(1.0, float(np.abs(table).max())) for table in (plane.q, plane.v, plane.a)]
    zero = np.zeros(len(plane))
    for body in list(plane.model.bodies)[1:]:
        s, p = space[body], plane[body]
        close(s.position, np.column_stack([p.x, p.y, zero]), shares[0], f"position of {body}", sizes[0])
        turned = np.arctan2(s.matrix[:, 1, 0], s.matrix[:, 0, 0]) - p.phi
        close(turned - 2 * np.pi * np.round(turned / (2 * np.pi)), zero, shares[0], f"angle of {body}", sizes[0])
        close(s.matrix[:, 2, 2], zero + 1, shares[0], f"tilt of {body}")
        close(s.velocity, np.column_stack([p.vx, p.vy, zero]), shares[1], f"velocity of {body}", sizes[1])
        close(s.omega, np.column_stack([zero, zero, p.omega]), shares[1], f"angular velocity of {body}", sizes[1])
        close(s.acceleration, np.column_stack([p.ax, p.ay, zero]), shares[2], f"acceleration of {body}", sizes[2])
        close(s.alpha, np.column_stack([zero, zero, p.alpha]), shares[2], f"angular acceleration of {body}", sizes[2])


def same_forces(space: tm.results.Result, plane: tm.results.Result, share: float) -> None:
    """Driver efforts, and in-plane reactions of joints whose load sharing is not a matter of choice in the plane."""
    if plane.redundant:
        return
    reactions = {c.name: plane.reaction(c.name, on=c.bodies[-1]) for c in plane.model.constraints.values()}
    largest = max([1.0, *(float(np.abs(r.force).max()) for r in reactions.values())])
    for c in plane.model.constraints.values():
        if c.kind in ("driver", "constrain"):
            close(space.effort(c.name), plane.effort(c.name), share, f"effort of {c.name}", largest)
        elif c.kind != "fix":
            got, want = space.reaction(c.name, on=c.bodies[-1]), reactions[c.name]
            close(got.force[:, :2], want.force, share, f"reaction of {c.name}", largest)
            close(got.moment[:, 2], want.moment_about(got.point[:, :2]), share, f"moment of {c.name}", largest)


def test_most_models_have_a_converter_for_everything():
    """The rule leaves out cams, gears, contacts, phases, formulas of planar coordinates, and what is spatial already; but no linkages."""
    names = {**released(), **driven()}
    without = []
    for name, build in names.items():
        m = build()
        if isinstance(m, tm.PlanarModel):
            kinds = {x.kind for x in (*m.constraints.values(), *m.forces.values())}
            if embedded(m) is None:
                special = {k for k in kinds if k.startswith(("cam", "gear", "rack", "contact", "equation"))}
                assert special or m.phases, f"{name} was left out although it has only {kinds}"
                without.append(name)
    assert len(without) < len(names) / 3


@pytest.mark.parametrize("name", [n for n, build in driven().items() if embedded(build()) is not None])
def test_driven_models_move_and_load_their_joints_alike(name):
    plane = with_masses(driven()[name]())
    # a stretch without singular positions: the builders' own, the first 0.2 s of an example
    duration = BUILDERS[name][1] if name in BUILDERS else 0.2
    times = np.linspace(0.0, duration, 15)
    want = plane.inverse_dynamics(times=times, **QUIET)
    space = embedded(plane)
    got = space.inverse_dynamics(times=times, **QUIET)
    same_motion(got, want, (SAME, SAME, SAME))
    same_forces(got, want, SAME)
    assert (
        space.kinematics(times=times, **QUIET).singularities
        == plane.kinematics(times=times, **QUIET).singularities
        == ()
    )
    loops, flat_loops = space.mobility(), plane.mobility()
    assert loops.dof == flat_loops.dof
    # only out-of-plane rows are new
    assert len(loops.redundant) - len(flat_loops.redundant) == flat_loops.count - loops.count


@pytest.mark.filterwarnings("ignore:the given starting velocities contradict")  # the platform's deck has three digits
@pytest.mark.parametrize("name", [n for n, build in released().items() if embedded(build()) is not None])
def test_released_models_move_and_load_their_joints_alike(name):
    plane = consistent(with_masses(released()[name]()))
    tight = {"rtol": 1e-12, "atol": 1e-14, **QUIET}
    duration = 0.005 if "ndrews" in name else 0.4
    times = np.linspace(0.0, duration, 5)
    want = plane.simulate(times=times, **tight)
    got = embedded(plane).simulate(times=times, **tight)
    assert got.dynamics.changed == ()
    # two integrations with different steps: rtol 1e-12 in some hundred steps, one digit more per time derivative
    same_motion(got, want, (SAME, 10 * SAME, 100 * SAME))
    same_forces(got, want, 100 * SAME)
    # at the start both solve the same equations, without any integration
    same_forces(*(r.simulate(times=[0.0], **tight) for r in (embedded(plane), plane)), SAME)
    close(got.energy.total - got.energy.total[0], want.energy.total - want.energy.total[0], 1e-8, "energy")
