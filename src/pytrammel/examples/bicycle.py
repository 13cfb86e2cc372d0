"""Bicycle without a rider's hands: pushed at 5 m/s it rights itself after a knock.

Wheels that roll without slip and the parameters of the benchmark by Meijaard, Papadopoulos, Ruina and Schwab (2007), which is stable by
itself between 4.292 and 6.024 m/s. x forwards, y to the left, z up.
"""

import math

import pytrammel as tm

BASE, TRAIL, TILT, SPEED, LEAN_RATE = 1.02, 0.08, math.pi / 10, 5.0, 0.1
REAR, FRONT = 0.3, 0.35
TRACES = ("rear_hub", "front_hub")
PLOTS = ("frame.wx", "steer.angle", "rear_hub.y", "energy.total")


def build() -> tm.SpatialModel:
    m = tm.SpatialModel("bicycle")
    axis = (-math.sin(TILT), 0.0, math.cos(TILT))  # of the steering: it meets the road TRAIL ahead of the front contact
    hubs = {"rear": (0.0, 0.0, REAR), "front": (BASE, 0.0, FRONT)}
    wheels = {"rear": (REAR, 2.0, (0.0603, 0.12, 0.0603)), "front": (FRONT, 3.0, (0.1405, 0.28, 0.1405))}
    # products of inertia change sign with z, which the benchmark counts downwards
    frame = (85.0, ((9.2, 0, -2.4), (0, 11.0, 0), (-2.4, 0, 2.8)))
    fork = (4.0, ((0.05892, 0, 0.00756), (0, 0.06, 0), (0.00756, 0, 0.00708)))
    tube = tm.Cylinder((0.5, 0, -0.2), (-0.3, 0, REAR - 0.9), 0.02)
    leg = tm.Cylinder((-0.03, 0, 0.1), (BASE - 0.9, 0, FRONT - 0.7), 0.015)
    # the knock: everything leans about the line of the contacts
    for name, place, (load, tensor), shape in (
        ("frame", (0.3, 0, 0.9), frame, tube),
        ("fork", (0.9, 0, 0.7), fork, leg),
    ):
        m.body(
            name, position=place, mass=load, inertia=tensor, shape=shape, velocity=(SPEED, -LEAN_RATE * place[2], 0),
            omega=(LEAN_RATE, 0, 0),
        )  # fmt: skip
    for name, (radius, mass, inertia) in wheels.items():
        hub = hubs[name]
        rim = tm.Cylinder((0, -0.01, 0), (0, 0.01, 0), radius)
        spin = (LEAN_RATE, SPEED / radius, 0)
        m.body(
            name, position=hub, mass=mass, inertia=inertia, shape=rim, velocity=(SPEED, -LEAN_RATE * radius, 0), omega=spin
        )  # fmt: skip
        m.revolute(f"{name}_axle", "frame" if name == "rear" else "fork", name, at=hub, axis="y")
        m.rolling_disc(f"{name}_roll", m.ground, name, radius=radius, at=(0, 0, 0), axis="z", disc_axis="y")
        m.point(f"{name}_hub", name, local=(0, 0, 0))
    m.revolute("steer", "frame", "fork", at=(BASE + TRAIL, 0, 0), axis=axis)
    return m


def run() -> tm.results.Result:
    return build().simulate(duration=4.0, samples=401)
