"""Eccentric disc under a flat follower: the lift is exactly harmonic, whatever the disc's size.

Radius 40 mm, eccentricity 12 mm: the face stands at 40 + 12 sin(angle), and its contact wanders 12 mm to both sides.
"""

import math

import pytrammel as tm

RADIUS, ECCENTRIC = tm.mm((40, 12))
TRACES = ()
PLOTS = ("follower.y", "follower.vy", "follower.ay")


def build() -> tm.PlanarModel:
    m = tm.PlanarModel("eccentric with flat follower", display_unit="mm")
    disc = tm.curves.analytic(
        f"{ECCENTRIC} + {RADIUS}*cos(u)", f"{RADIUS}*sin(u)", 0.0, 2 * math.pi, closed=True, name="disc"
    )
    w = tm.mm(30)
    m.body("cam")
    m.body(
        "follower",
        position=(0, RADIUS),
        outline=[
            (-w, 0),
            (w, 0),
            (w, w / 6),
            (w / 6, w / 6),
            (w / 6, 2 * w),
            (-w / 6, 2 * w),
            (-w / 6, w / 6),
            (-w, w / 6),
        ],
    )
    m.revolute("shaft", m.ground, "cam", at=(0, 0))
    m.prismatic("guide", m.ground, "follower", at=(0, RADIUS + w), axis=(0, 1))
    m.cam_flat("contact", "cam", "follower", curve=disc, at=(0, RADIUS), axis=(1, 0))
    m.driver("motor", m["shaft"].angle, "2*pi*t")
    return m


def run() -> tm.results.Result:
    return build().kinematics(duration=1.0, samples=241)
