"""Coin that rolls and leans: it runs in a curve towards the side it leans to and never slips.

Rolling restrains velocities but not positions (it is non-holonomic). Nothing is lost: kinetic and potential energy add up to what they
were.
"""

import math

import pytrammel as tm

RADIUS, LEAN, SPEED = 0.012, tm.deg(15), 0.5
TRACES = ("centre", "rim")
PLOTS = ("coin.x", "coin.y", "coin.z", "roll.lean", "energy.kinetic", "energy.gravity", "energy.total")


def build() -> tm.SpatialModel:
    m = tm.SpatialModel("rolling coin", display_unit="mm")
    axis = (0.0, -math.cos(LEAN), math.sin(LEAN))
    # the coin's own z axis is its axis; it starts along x
    coin = m.body(
        "coin", position=(0, 0, RADIUS * math.cos(LEAN)), rotation=tm.rotations.from_axis_angle((1, 0, 0), math.pi / 2 - LEAN),
        shape=tm.Cylinder((0, 0, -0.001), (0, 0, 0.001), RADIUS), density=8900.0,
        velocity=(SPEED, 0, 0), omega=(0, 0, -SPEED / RADIUS),
    )  # fmt: skip
    m.rolling_disc("roll", m.ground, coin, radius=RADIUS, at=(0, 0, 0), axis="z", disc_axis=axis)
    m.point("centre", coin, local=(0, 0, 0))
    m.point("rim", coin, local=(RADIUS, 0, 0))
    return m


def run() -> tm.results.Result:
    return build().simulate(duration=2.0, samples=601)
