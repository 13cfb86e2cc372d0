"""Nikravesh (1988), chapter 1: the kinds of systems and of programs that the text has in view."""

from __future__ import annotations

from .page import Section, rows

INTRODUCTION = Section(
    "Chapter 1: systems, programs and pictures",
    setup="""
from pathlib import Path

import numpy as np
import pytrammel as tm
from pytrammel.examples import find


def antenna():
    m = tm.PlanarModel("deployable antenna")  # six four-bars in cascade
    places = {f"{name}{k}": (x, float(k)) for k in range(7) for name, x in (("A", 0.0), ("B", 0.5))}
    bars = {"ground": ["A0", "B0"]}
    for k in range(6):
        bars |= {
            f"left{k}": [f"A{k}", f"A{k + 1}"],
            f"right{k}": [f"B{k}", f"B{k + 1}"],
            f"plate{k + 1}": [f"A{k + 1}", f"B{k + 1}"],
        }
    m.linkage(places, bars)
    for k in range(6):  # one after the other
        m.driver(f"motor{k}", f"left{k}.phi", f"pi/2 - 1.2 + 1.2*step(t, {k}, 0, {k + 1}, 1)")
    return m


def heavy(m):
    return m.copy(changes={name: {"mass": 1.0, "inertia": 0.1} for name in m.bodies if name != "ground"})


def five_bar():
    m = tm.SpatialModel("spatial five-bar")
    for name, place in (("a", (0, 0, 0)), ("b", (1, 0, 0)), ("c", (2, 1, 0.5)), ("d", (3, 0, 0))):
        m.body(name, position=place)
    m.revolute("A", m.ground, "a", at=(0, 0, 0), axis="z")
    m.universal("B", "a", "b", at=(1, 0, 0), axis="z", second_axis=(0.4, -0.8, 0))
    m.revolute("C", "b", "c", at=(2, 1, 0.5), axis=(0.3, 0.1, 1))
    m.spherical("D", "c", "d", at=(3, 0, 0.5))
    m.revolute("E", m.ground, "d", at=(4, 0, 0), axis="y")
    return m
""",
    rows=rows(
        (
            "deployable antenna: four-bars in cascade, unfolded in sequence",
            "1.2; figs. 1.4, 1.5",
            "k = antenna().kinematics(6.0)",
            "near(k['plate6'].y[-1] - k['plate6'].y[0], 6*(1 - np.cos(1.2)))",
        ),
        (
            "the unfolded antenna as a truss",
            "1.2; fig. 1.5",
            "s = heavy(antenna()).statics(time=6.0)",
            "near(s.ground_reaction[0][1], -18*9.81)",
        ),
        ("robot on a fixed base", "1.2; fig. 1.6", 'r = find("robot_arm").run()'),
        (
            "robot on a movable base",
            "1.2; fig. 1.6",
            'm = tm.PlanarModel("satellite", gravity=(0, 0)); m.body("base", mass=50, inertia=5); m.body("arm", position=(1, 0), mass=2, inertia=0.2); m.revolute("J", "base", "arm", at=(0.5, 0)); '
            'm.motor("M", first="base", second="arm", torque=0.3); r = m.simulate(1.0)',
            "near(r.angular_momentum, 0)",
        ),
        (
            "spatial five-bar with two input angles",
            "1.3; fig. 1.11",
            'm = five_bar(); m.driver("first", "A.angle", "0.1*t"); m.driver("second", "E.angle", "0.05*t"); m.kinematics(0.2)',
            "five_bar().mobility().dof == 2",
        ),
        ("double wishbone with steering", "1.4; fig. 1.15", 'm = find("suspension").build(); m.assemble()'),
        ("kinds of input of a general program", "1.4.2; fig. 1.16", "pytrammel schema > model.schema.json"),
        (
            "input from files, with a template to begin with",
            "1.4.2",
            "pytrammel new four_bar --force --out four_bar.toml",
        ),
        ("vehicle on rough terrain", "1.4; fig. 1.17", 'm = find("vehicle").build(); r = m.simulate(0.05)'),
        (
            "pictures in space from points and connectivity",
            "1.4.2",
            'm = find("rssr").build(); m.draw(path="rssr.png")',
        ),
        ("animation", "1.4.2", 'find("rssr").build().kinematics(0.5, samples=21).animate("rssr.html")'),
        (
            "unequal numbers of coordinates and constraints",
            "1.4; 5.1.2",
            "m = antenna(); m.mobility().dof",
            "m.mobility().dof == 6",
        ),
        (
            "positions that do not exist",
            "3.4, 5.1.2",
            'm = tm.PlanarModel(); m.body("a"); m.revolute("A", m.ground, "a", at=(0, 0)); m.link("L", m["a"].at(1, 0), m.ground.at(5, 0), length=2.0)',
            "raises(tm.AssemblyError, lambda: m.assemble())",
        ),
        (
            "singular matrices",
            "3.3, 5.1.2",
            "solve = lambda: tm.textbook.linear.gauss([[1, 2], [2, 4]], [1, 1])",
            "raises(tm.SingularError, lambda: solve().solution)",
        ),
    ),
)
