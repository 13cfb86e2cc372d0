"""Models of statics and inverse dynamics of Nikravesh, chapter 10, for tests and for the verification manual."""

from __future__ import annotations

import math

import pytrammel as tm

MOTORS = {"shoulder": "A.angle", "elbow": "B.angle", "wrist": "C.angle"}


def bar(m, name, p, q, mass=None, inertia=None, **more):
    """Straight bar from p to q with its frame in the middle; uniform unless an inertia is given."""
    length = math.dist(p, q)
    if mass is not None and inertia is None:
        inertia = mass * length**2 / 12
    middle = ((p[0] + q[0]) / 2, (p[1] + q[1]) / 2)
    return m.body(name, position=middle, angle=math.atan2(q[1] - p[1], q[0] - p[0]), mass=mass, inertia=inertia, **more)


def four_bar():
    """Sec. 10.3.1 with exact assembly at phi2 = 60 degrees."""
    m = tm.PlanarModel("four-bar")
    b2 = m.body("b2", position=(0.5, 0.866), angle=1.047, mass=1, inertia=0.3)
    b3 = m.body("b3", position=(2.824, 2.553), angle=0.423, mass=2.25, inertia=2)
    b4 = m.body("b4", position=(3.574, 1.687), angle=1.004, mass=2, inertia=1.35)
    m.revolute("r1", m.ground.at(0, 0), b2.at(-1, 0))
    m.revolute("r2", b2.at(1, 0), b3.at(-2, 0))
    m.revolute("r3", b3.at(2, 0), b4.at(2, 0))
    m.revolute("r4", b4.at(-2, 0), m.ground.at(2.5, 0))
    m.driver("motor", b2.phi, "pi/3 + 2*pi*t")
    return m


def dump_truck():
    """Sec. 10.3.3: load on a double linkage, held by a strut from the ground to D."""
    m = tm.PlanarModel("dump truck")
    poses = {
        "b2": (-0.2, 0.08, -0.38),
        "b3": (0.6, 0.3, 0.15),
        "b4": (0.6, 0.4, -0.2),
        "b5": (-0.15, 0.6, 0.25),
        "b6": (0.9, 0.95, -0.15),
    }
    masses = {"b2": (0.4, 0.005), "b3": (2, 0.7), "b4": (2, 0.7), "b5": (0.4, 0.005), "b6": (100, 27)}
    b = {n: m.body(n, position=p[:2], angle=p[2], mass=masses[n][0], inertia=masses[n][1]) for n, p in poses.items()}
    g = m.ground
    m.revolute("r1", g.at(0, 0), b["b2"].at(0.2, 0))
    m.revolute("r2", g.at(1.6, 0.2), b["b4"].at(1, 0))
    m.revolute("r3", b["b2"].at(-0.2, 0), b["b3"].at(-1, 0))
    m.revolute("r4", b["b3"].at(0.3, 0), b["b4"].at(0.3, 0))
    m.revolute("r5", b["b3"].at(1, 0), b["b6"].at(0.8, -0.4))
    m.revolute("r6", b["b4"].at(-1, 0), b["b5"].at(-0.2, 0))
    m.revolute("r7", b["b5"].at(0.2, 0), b["b6"].at(-0.8, -0.4))
    m.driver("pose", b["b2"].phi, -0.38)
    return m


def robot():
    """3R arm of links 1, .8, .4 m; 4, 3, 1 kg; the hand moves on a line and keeps its angle."""
    m = tm.PlanarModel("3R")
    angles, lengths, masses = [0.879328, -1.297506, 0.523599], [1.0, 0.8, 0.4], [4.0, 3.0, 1.0]
    p = (0.0, 0.0)
    previous = m.ground.at(0, 0)
    for k, (angle, length, mass) in enumerate(zip(angles, lengths, masses, strict=True)):
        q = (p[0] + length * math.cos(angle), p[1] + length * math.sin(angle))
        link = bar(m, f"link{k}", p, q, mass)
        m.revolute("ABC"[k], previous, link.at(-length / 2, 0))
        previous, p = link.at(length / 2, 0), q
    m.point("hand", previous.body, local=(previous.xi, 0))
    m.driver("along_x", "hand.x", "1.2 - 0.3*t")
    m.driver("along_y", "hand.y", "0.2 + 0.4*t")
    m.driver("level", "link2.phi", "pi/6")
    return m


def platform(angle):
    """Sec. 10.3.2: platform on two legs with one spring, drawn with the legs at an angle."""
    m = tm.PlanarModel("platform")
    x, y = -0.5 * math.sin(angle), 0.5 * math.cos(angle)
    left = m.body("left", position=(-0.25 + x / 2, y / 2), angle=angle, mass=0.6, inertia=0.1)
    top = m.body("top", position=(x, y), mass=1.5, inertia=0.2)
    right = m.body("right", position=(0.25 + x / 2, y / 2), angle=angle, mass=0.6, inertia=0.1)
    m.revolute("r1", m.ground.at(-0.25, 0), left.at(0, -0.25))
    m.revolute("r2", left.at(0, 0.25), top.at(-0.25, 0))
    m.revolute("r3", top.at(0.25, 0), right.at(0, 0.25))
    m.revolute("r4", right.at(0, -0.25), m.ground.at(0.25, 0))
    m.spring("spring", m.ground.at(0.25, 0), top.at(-0.25, 0), stiffness=700, damping=50, free_length=0.6)
    return m
