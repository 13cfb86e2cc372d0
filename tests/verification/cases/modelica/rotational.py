"""Modelica.Mechanics.Rotational.Examples: springs, gears, backlash, brakes without sticking."""

from __future__ import annotations

import numpy as np

from .train import Train, spring, train

PLACE = "Rotational.Examples."


def rotors(*names: str) -> dict[str, str]:
    """Columns of rotors."""
    return {f"{n}.{x}": f"{n}.{y}" for n in names for x, y in (("phi", "phi"), ("w", "omega"))}


def backlash(width: float, stiffness: float, damping: float) -> str:
    """Law of Modelica's ElastoBacklash: a spring with a damper beyond half the backlash, which never pulls."""
    over = f"max({{s}} - {width / 2!r}, 0)"
    under = f"min({{s}} + {width / 2!r}, 0)"
    push = f"max({stiffness!r}*{over} + min({stiffness!r}*{over}, {damping!r}*{{v}}), 0)"
    back = f"min({stiffness!r}*{under} + max({stiffness!r}*{under}, {damping!r}*{{v}}), 0)"
    return f"if({{s}} > 0, {push}, {back})"


def two_springs(t: Train) -> None:
    t.rotor("inertia1", 5, np.pi / 2)
    t.rotor("inertia2", 5, np.pi / 2)
    t.between("springDamper", "0", "inertia1.phi", spring(20e3, 0.0, 50))
    t.between("elastoBacklash", "0", "inertia2.phi", backlash(np.pi / 4, 20e3, 50.0))


train(
    "rotational",
    PLACE + "Backlash",
    two_springs,
    {
        f"{e}.{c}": f"inertia{k}.{q}"
        for k, e in ((1, "springDamper"), (2, "elastoBacklash"))
        for c, q in (("phi_rel", "phi"), ("w_rel", "omega"))
    },
)


def eddy(speed: str, temperature: str) -> str:
    """Force of Modelica's eddy current brake, whose conductor warms up (copper, 3.93e-3/K at 20 °C)."""
    normal = f"({speed}/(10*(1 + {0.00393!r}*({temperature} - 293.15))))"
    return f"2*100*min(max((t - 0.1)/0.1, 0), 1)^2*{normal}/(1 + {normal}^2)"


def braked(t: Train) -> None:
    t.rotor("inertia", 1, w=20)
    t.m.state("warmth", f"{eddy('inertia.omega', 'warmth')}*inertia.omega", initial=293.15)
    t.m.user_force("eddyCurrentTorque", "inertia.phi", f"-{eddy('inertia.omega', 'warmth')}")


train(
    "rotational",
    PLACE + "EddyCurrentBrake",
    braked,
    {
        "eddyCurrentTorque.lossPower": f"{eddy('inertia.omega', 'warmth')}*inertia.omega",
        "inertia.phi": "inertia.phi",
        "heatCapacitor.T": "warmth",
    },
)


def elastic_bearing(t: Train) -> None:
    t.rotor("shaft", 1, torque="100*min(t/5, 1)")
    t.rotor("load", 50)
    t.rotor("housing", 5)
    t.m.body("wheel", mass=1.0, inertia=1e-9)  # the slow flange of the gear has no inertia
    t.m.revolute("wheel_pin", t.m.ground, "wheel", at=(0, 0))
    t.m.equation("gear", "shaft.phi - housing.phi - 3*(wheel.phi - housing.phi)", unit="rad")
    t.between("spring", "wheel.phi", "load.phi", spring(1e3))
    t.between("springDamper", "0", "housing.phi", spring(1e5, 0.0, 5))


train(
    "rotational",
    PLACE + "ElasticBearing",
    elastic_bearing,
    rotors("shaft", "load") | {"springDamper.phi_rel": "housing.phi", "springDamper.w_rel": "housing.omega"},
)


def first(t: Train) -> None:
    t.rotor("inertia1", 0.1, torque="10*sin(2*pi*5*t)")
    t.rotor("inertia2", 2, torque="-10*inertia2.omega")
    t.rotor("inertia3", 2)
    t.m.equation("idealGear", "inertia1.phi - 10*inertia2.phi", unit="rad")
    t.between("spring", "inertia2.phi", "inertia3.phi", spring(1e4))


for name in ("First", "FirstGrounded"):
    train(
        "rotational",
        PLACE + name,
        first,
        rotors("inertia3") | {"damper.phi_rel": "-inertia2.phi", "damper.w_rel": "-inertia2.omega"},
    )


def exchanged(t: Train) -> None:
    drive = "10*sin(2*pi*2*t)"
    t.rotor("direct", 1.1 + 2.2, torque=drive)
    for k, damping in ((2, 100.0), (3, 0.0)):
        t.rotor(f"inertia{k}a", 1.1, torque=drive)
        t.rotor(f"inertia{k}b", 2.2)
        t.between(f"spring{k}", f"inertia{k}a.phi", f"inertia{k}b.phi", spring(1e4, 0.0, damping))


train(
    "rotational",
    PLACE + "GenerationOfFMUs",
    exchanged,
    rotors("inertia2a", "inertia2b", "inertia3a", "inertia3b")
    | {"directInertia.inertia.phi": "direct.phi", "directInertia.inertia.w": "direct.omega"},
)


def rolling(t: Train) -> None:
    t.rotor("inertia", 1, torque="10*step(t - 0.1)")
    t.mass("mass", 1, force="-10*(mass.vx/5)^2")
    t.m.equation("wheel", "inertia.phi - mass.x", unit="rad")


train("rotational", PLACE + "RollingWheel", rolling, rotors("inertia"))
