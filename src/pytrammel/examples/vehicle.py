"""Vehicle that drives over two bumps: tyres that push, slip and never pull, and a driven rear wheel.

Chassis 600 kg, wheels 20 kg, tyres 175 kN/m and 7 kN s/m (Nikravesh 1988, problem 10.31). The wheels are pinned to the chassis;
tyre friction grows with the slip speed and saturates at the coefficient of friction times the normal force.
"""

import pytrammel as tm

RADIUS, BASE, SAG = 0.3, 2.4, 0.018
TRACES = ("driver",)
PLOTS = ("chassis.vx", "rear.omega", "chassis.phi", "tyre_rear.normal", "tyre_front.normal", "energy.dissipated")


def build() -> tm.PlanarModel:
    m = tm.PlanarModel("vehicle on bumps")
    road = tm.curves.analytic("u", "0.12*(exp(-4*(u - 6)^2) + exp(-4*(u - 9)^2))", -3.0, 17.0, name="road")
    axle = RADIUS - SAG
    m.body(
        "chassis", position=(0, axle + 0.3), mass=600.0, inertia=1200.0, velocity=(3, 0),
        outline=[(-1.7, -0.15), (1.7, -0.15), (1.7, 0.15), (0.9, 0.2), (0.5, 0.6), (-0.9, 0.6), (-1.2, 0.2), (-1.7, 0.15)],
    )  # fmt: skip
    m.point("driver", "chassis", local=(0, 0.3))
    for name, x in (("rear", -BASE / 2), ("front", BASE / 2)):
        m.body(name, position=(x, axle), mass=20.0, inertia=5.0, velocity=(3, 0), omega=-3 / RADIUS)
        m.revolute(f"axle_{name}", "chassis", name, at=(x, axle))
        m.contact_curve(
            f"tyre_{name}", name, m.ground, curve=road, radius=RADIUS, stiffness=175e3, damping=7e3,
            friction=0.8, slip_slope=3000.0,
        )  # fmt: skip
    m.motor("engine", first="chassis", second="rear", torque=-150.0)
    return m


def run() -> tm.results.Result:
    return build().simulate(duration=3.6, samples=361)
