"""Stewart platform: six telescopic legs carry a platform that heaves and tilts, and must push this hard.

The drivers give the motion of the platform; the work is done by the legs. Each leg is a barrel on a universal joint, a rod that slides
in it, and a ball under the platform.
"""

import math

import numpy as np

import pytrammel as tm

HEIGHT, BASE, TOP = 0.9, 0.8, 0.5
TRACES = ("centre", "edge")
PLOTS = (*(f"leg{k}.effort" for k in range(1, 7)), *(f"slide{k}.distance" for k in range(1, 7)))


def ring(radius: float, height: float, spread: float) -> list[tuple[float, float, float]]:
    """Three pairs of points on a circle, the points of a pair `spread` degrees apart."""
    angles = [math.radians(120 * (k // 2) + (0.5 if k % 2 else -0.5) * spread) for k in range(6)]
    return [(radius * math.cos(a), radius * math.sin(a), height) for a in angles]


def build() -> tm.SpatialModel:
    m = tm.SpatialModel("Stewart platform")
    plate = tm.Cylinder((0, 0, 0.04), (0, 0, 0.08), 1.1 * TOP)
    platform = m.body("platform", position=(0, 0, HEIGHT), shape=plate, density=2700.0)
    for k, (foot, head) in enumerate(zip(ring(BASE, 0.0, 30), ring(TOP, HEIGHT, 90), strict=True), 1):
        way = np.subtract(head, foot)
        along = tuple(way / np.linalg.norm(way))
        barrel = tm.Cylinder((0, 0, 0), tuple(0.55 * way), 0.03)
        rod = tm.Cylinder(tuple(-0.6 * way), (0, 0, 0), 0.018)
        lower = m.body(f"barrel{k}", position=foot, shape=barrel, density=7850.0)
        upper = m.body(f"rod{k}", position=head, shape=rod, density=7850.0)
        level = np.cross(along, (0, 0, 1))
        level /= np.linalg.norm(level)
        m.universal(
            f"foot{k}", m.ground, lower, at=foot, axis=tuple(np.cross(level, (0, 0, 1))), second_axis=tuple(level)
        )
        m.prismatic(f"slide{k}", lower, upper, at=tuple(np.add(foot, 0.55 * way)), axis=along)
        m.spherical(f"head{k}", upper, platform, at=head)
    m.point("centre", platform, local=(0, 0, 0.08))
    m.point("edge", platform, local=(1.1 * TOP, 0, 0.08))
    m.driver("sway", platform.x, "0.08*sin(2*pi*t)")
    m.driver("drift", platform.y, "0.08*(1 - cos(2*pi*t))")
    m.driver("heave", platform.z, f"{HEIGHT} + 0.1*sin(4*pi*t)")
    m.orientation_driver("tilt", platform, ("0.2*sin(2*pi*t)", "0.2*sin(4*pi*t)", "0.15*sin(2*pi*t)"))
    return m


def run() -> tm.results.Result:
    m = build()
    legs = {f"leg{k}": m[f"slide{k}"].distance for k in range(1, 7)}
    return m.inverse_dynamics(duration=1.0, samples=121, actuators=legs)
