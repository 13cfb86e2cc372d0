"""Disc cam with a roller follower: rise, dwell, return, dwell."""

import math

import pytrammel as tm

TRACES = ()
PLOTS = ("follower.y", "follower.vy", "follower.ay")


def build() -> tm.PlanarModel:
    m = tm.PlanarModel("disc cam with roller follower", display_unit="mm")
    u = tm.parse("u")
    program = [
        tm.profiles.rise(0.050, 2.0),
        tm.profiles.dwell(0.9),
        tm.profiles.fall(0.035, 2.0),
        tm.profiles.dwell(2 * math.pi - 4.9),
    ]
    radius = tm.profiles.motion(0.035, program, repeat=True, variable=u)
    outline = tm.curves.analytic(
        radius * tm.functions.cos(u), radius * tm.functions.sin(u), 0.0, 2 * math.pi, closed=True, name="cam"
    )
    roller = tm.mm(10)
    height = 0.050 + roller
    cam = m.body("cam")
    follower = m.body("follower", position=(0, height))
    m.revolute("shaft", m.ground, cam, at=(0, 0))
    m.prismatic("guide", m.ground, follower, at=(0, height + tm.mm(45)), axis=(0, 1))
    m.cam_roller("contact", cam, follower, curve=outline, radius=roller, at=(0, height))
    m.driver("motor", m["shaft"].angle, "2*pi*t")
    return m


def run() -> tm.results.Result:
    return build().kinematics(duration=2.0, samples=361)
