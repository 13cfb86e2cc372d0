"""Models on which formulations are compared: in the plane and in space, open, closed, driven, floating, redundant, with gears and cams."""

from __future__ import annotations

import math

import numpy as np

import dynamic_models as plane
import pytrammel as tm
import spatial_models as space

TIGHT = {"rtol": 1e-12, "atol": 1e-13, "progress": False}


def slider_crank():
    m = tm.PlanarModel("slider-crank", gravity=(0, -9.81))
    m.body("crank", position=(0.1, 0.1), angle=math.pi / 4, mass=1.0, inertia=0.01)
    m.body("rod", position=(0.45, 0.1), mass=0.7, inertia=0.02, centroid=(0.05, 0.01))
    m.body("piston", position=(0.7, 0.0), mass=0.5, inertia=0.001)
    m.revolute("A", "ground", "crank", at=(0, 0))
    m.revolute("B", "crank", "rod", at=(0.2, 0.2))
    m.revolute("C", "rod", "piston", at=(0.7, 0.0))
    m.prismatic("D", "ground", "piston", at=(0.7, 0), axis=(1, 0))
    m.spring("s", m.ground.at(1.2, 0.0), "piston", stiffness=200.0, free_length=0.4, damping=1.0)
    return m


def driven_crank():
    m = slider_crank()
    m.driver("motor", "A.angle", "pi/4 + 6*t")
    return m


def floating_chain():
    m = tm.PlanarModel("floating", gravity=(0, 0))
    before = None
    for k in range(4):
        body = m.body(f"b{k}", position=(k + 0.5, 0.0), mass=1.0 + k, inertia=0.1, omega=0.5 * (-1) ** k)
        if before is not None:
            m.revolute(f"J{k}", before, body, at=(float(k), 0.0))
        before = body
    return m


def geared_arms():
    m = tm.PlanarModel("gears", gravity=(0, -9.81))
    m.body("one", position=(0.0, 0.0), mass=2.0, inertia=0.1, centroid=(0.1, 0.0))
    m.body("two", position=(0.5, 0.0), mass=1.0, inertia=0.05, omega=1.0)
    m.revolute("A", "ground", "one", at=(0, 0))
    m.revolute("B", "ground", "two", at=(0.5, 0))
    m.gear("G", "one", "two", radii=(0.3, 0.2))
    return m


def bouncing():
    m = tm.PlanarModel("bouncing", gravity=(0, -9.81))
    m.body("arm", position=(0.5, 0.4), angle=0.0, mass=1.0, inertia=0.1)
    m.body("tip", position=(1.2, 0.4), mass=0.5, inertia=0.02)
    m.revolute("A", "ground", "arm", at=(0, 0.4))
    m.revolute("B", "arm", "tip", at=(1.0, 0.4))
    m.contact_line("c", "tip", "ground", radius=0.05, at=(0, 0), axis=(1, 0), stiffness=5000.0)
    return m


def linked():
    """A platform on two massless links, and a pin in a slot."""
    m = tm.PlanarModel("linked", gravity=(0, -9.81))
    m.body("plate", position=(0.5, 1.0), mass=2.0, inertia=0.2)
    m.body("bob", position=(0.5, 0.5), mass=1.0, inertia=0.05)
    m.link("L1", m.ground.at(0.0, 0.0), m["plate"].at(-0.5, 0.0))
    m.point_on_line("slot", "plate", "bob", at=(0.5, 0.5), axis=(1, 0.2))
    return m


def robot_on_a_floating_trunk():
    m = tm.SpatialModel("robot", gravity=(0, 0, -9.81))
    trunk = m.body("trunk", position=(0, 0, 1), mass=8.0, inertia=(0.3, 0.4, 0.5), omega=(0.3, -0.2, 0.5))
    for k, x in enumerate((-0.3, 0.3)):
        upper = m.body(f"upper{k}", position=(x, 0.3, 1.0), mass=1.0, inertia=(0.02, 0.001, 0.02))
        lower_leg = m.body(f"lower{k}", position=(x, 0.6, 0.8), mass=0.5, inertia=(0.01, 0.01, 0.001))
        m.universal(f"hip{k}", trunk, upper, at=(x, 0.1, 1.0), axis="x", second_axis="z")
        m.revolute(f"knee{k}", upper, lower_leg, at=(x, 0.5, 1.0), axis="x")
    return m


def all_sorts():
    """A chain of a cylindrical, a ball, a planar, a screw and a prismatic joint, ending on a spring."""
    m = tm.SpatialModel("all sorts", gravity=(0, 0, -9.81))
    at = [np.array([0.3 * k, 0.05 * k * k, 0.1 * (-1) ** k]) for k in range(6)]
    bodies = [m.ground] + [
        m.body(f"b{k}", position=at[k] + [0.15, 0.02, 0.0], mass=1.0 + 0.2 * k, inertia=(0.02, 0.03, 0.04))
        for k in range(5)
    ]
    m.cylindrical("C", bodies[0], bodies[1], at=at[0], axis=(0.6, 0.8, 0))
    m.spherical("S", bodies[1], bodies[2], at=at[1])
    m.planar("P", bodies[2], bodies[3], at=at[2], axis=(0, 0.6, 0.8))
    m.screw("H", bodies[3], bodies[4], at=at[3], axis=(0.8, 0, 0.6), lead=0.2)
    m.prismatic("T", bodies[4], bodies[5], at=at[4], axis=(-0.6, 0.8, 0))
    m.spring("s", m.ground.at(1.5, 0.5, 0.0), "b4", stiffness=40.0, free_length=0.3)
    m.spring("s2", "b1", "b3", stiffness=30.0, free_length=0.5)
    return m


def cam_and_follower():
    """A turning cam lifts a follower against a spring; its place on the outline is a coordinate without mass."""
    m = tm.PlanarModel("cam", gravity=(0, -9.81))
    m.body("cam", mass=2.0, inertia=0.05, omega=8.0)
    m.body("follower", position=(0.0, 0.35), mass=0.5, inertia=0.01)
    m.revolute("axle", "ground", "cam", at=(0, 0))
    m.prismatic("guide", "ground", "follower", at=(0, 0.35), axis=(0, 1))
    outline = tm.curves.analytic(
        "(0.25 + 0.04*cos(2*u))*cos(u)", "(0.25 + 0.04*cos(2*u))*sin(u)", 0.0, 2 * math.pi, closed=True
    )
    m.cam_point("contact", "cam", m["follower"].at(0, -0.1), curve=outline)
    m.spring("s", m.ground.at(0, 1.0), "follower", stiffness=400.0, free_length=0.9)
    return m


def rubbing():
    """Friction in a pin, which depends on what the pin carries."""
    m = slider_crank()
    m.joint_friction("rub", "B", friction=0.1, radius=0.02)
    return m


def caught():
    """An arm that is caught by a bolt on its way down."""
    m = tm.PlanarModel("caught", gravity=(0, -9.81))
    m.body("arm", position=(0.5, 0.0), mass=1.0, inertia=0.1)
    m.body("bob", position=(1.3, 0.0), mass=0.5, inertia=0.02)
    m.revolute("A", "ground", "arm", at=(0, 0))
    m.revolute("B", "arm", "bob", at=(1.0, 0.0))
    m.constrain("bolt", "A.angle")
    m.phase("free", active=[])
    m.phase("held", active=[], hold=["bolt"])
    m.switch("catch", "free", "held", when="A.angle + 0.6")
    return m


MODELS = {
    "double pendulum": (lambda: plane.chain([0.3, 1.0]), 1.0),
    "chain of 6": (lambda: plane.chain([0.2 * k for k in range(6)]), 0.6),
    "four-bar": (lambda: plane.n_four_bar(1), 0.3),
    "four-bars": (lambda: plane.n_four_bar(3), 0.3),
    "slider-crank with a spring": (slider_crank, 0.6),
    "driven crank": (driven_crank, 0.7),
    "Andrews": (plane.andrews, 0.02),
    "redundant parallel cranks": (plane.double_parallel_crank, 0.5),
    "floating chain": (floating_chain, 1.0),
    "gears": (geared_arms, 0.8),
    "contact": (bouncing, 0.6),
    "links and slots": (linked, 0.5),
    "cam": (cam_and_follower, 0.3),
    "friction by reactions": (rubbing, 0.15),
    "phases": (caught, 0.6),
    "spatial chain": (lambda: space.chain(5), 0.5),
    "Bricard": (space.bricard, 1.0),
    "Bennett": (lambda: space.bennett(2.0), 1.0),
    "RSSR": (lambda: space.rssr(0.3), 0.4),
    "heavy top": (lambda: space.heavy_top((1.0, 0.5, 20.0)), 0.3),
    "floating robot": (robot_on_a_floating_trunk, 0.5),
    "every joint": (all_sorts, 0.4),
    "Sarrus": (lambda: space.sarrus(1.2), 0.3),
}
