"""Modelica.Mechanics.MultiBody.Examples.Loops: the two V6 engines."""

from __future__ import annotations

import math

import numpy as np

from .columns import Columns
from .joints import PlanarCut, Prismatic, Revolute, RodsOnHinges
from .loops import gas
from .network import Network, Part
from .parts import Body, BodyBox, BodyCylinder, BodyShape, FixedRotation, FixedTranslation, X
from .reference import define
from .train import Train, train

CRANKS, BANKS = (
    (-30, 90, 210, 210, 90, -30),
    (-30, 30, -30, 30, -30, 30),
)  # crank angles and inclinations of the cylinders [degrees]
FILTER = float(2 * np.pi * 5.0 / np.sqrt(np.sqrt(2.0) - 1.0))  # critical damping of second order, 5 Hz
ROUNDS = {"load.phi": lambda c: c.result["bearing.angle"], "load.w": lambda c: c.result["bearing.angle.rate"]}


def loaded(net: Network) -> None:
    """Brake the shaft with the square of its speed, and filter the torque on the load, J w' + brake.

    The first filter x' = f (J w' + brake - x) is integrated as y = x - f J w, whose rate needs no acceleration.
    """
    m = net.model
    rate = "bearing.angle.rate"
    brake = f"100*{rate}*abs({rate})/40000"
    m.motor("load2", "bearing", f"-{brake}")
    start = m.simulate(times=[0.0, 1e-6], initial=net.initial, progress=False)
    torque = float(start["bearing.angle.acceleration"][0]) + 100 * 10.0**2 / 40000
    m.state("first", f"{FILTER!r}*({brake} - first - {FILTER!r}*{rate})", initial=torque - FILTER * 10.0)
    m.state("second", f"{FILTER!r}*(first + {FILTER!r}*{rate} - second)", initial=torque)


def first_filter(c: Columns) -> np.ndarray:
    """State of the first filter."""
    return c.result["first"] + FILTER * c.result["bearing.angle.rate"]


FILTERED = {"filter.x[1]": first_filter, "filter.x[2]": lambda c: c.result["second"]}


def tilt(degrees: float) -> tuple[float, float, float]:
    """Direction of the y axis turned about x."""
    return (0.0, float(np.cos(np.radians(degrees))), float(np.sin(np.radians(degrees))))


def cylinder(k: int, crank: float, bank: float) -> tuple[dict[str, Part], str]:
    """Return parts and connections of a cylinder of basic joints."""
    c = f"cylinder{k}"
    key = f"{c}_cylinder.distance"
    parts = {
        "piston": BodyCylinder(diameter=0.1, r=(0, 0.1, 0)),
        "connectingRod": BodyBox(across=X, height=0.06, width=0.02, r_shape=(0, -0.02, 0), r=(0, 0.2, 0)),
        "b1": PlanarCut(n=X),
        "b2": Revolute(n=X),
        "crank4": BodyBox(height=0.05, across=X, width=0.02, r=(0, -0.1, 0)),
        "crank3": BodyCylinder(r_shape=(-0.01, 0, 0), length=0.12, diameter=0.03, r=(0.1, 0, 0)),
        "crank1": BodyCylinder(diameter=0.05, r_shape=(-0.01, 0, 0), length=0.12, r=(0.1, 0, 0)),
        "crank2": BodyBox(height=0.05, across=X, width=0.02, r=(0, 0.1, 0)),
        "mid": FixedTranslation(r=(0.05, 0, 0)),
        "cylinder": Prismatic((0, -1, 0), s=0.1, f=gas(key, f"{key}.rate", 0.42 - (0.1 + 0.2 - 0.1))),
        "mounting": FixedTranslation(r=(0.2, 0, 0)),
        "cylinderInclination": FixedRotation(r=(0.15, 0, 0), n_x=X, n_y=tilt(bank)),
        "crankAngle1": FixedRotation(n_x=X, n_y=tilt(crank)),
        "crankAngle2": FixedRotation(n_x=X, n_y=tilt(-crank)),
        "cylinderTop": FixedTranslation(r=(0, 0.42, 0)),
    }
    inner = """
        b1.a mid.b; connectingRod.a b1.b; cylinder.b piston.b; crank1.a crankAngle1.b; b2.a piston.a; connectingRod.b b2.b;
        crank4.b crankAngle2.a; cylinderInclination.b cylinderTop.a; crank1.b crank2.a; crank3.b crank4.a; crank3.a crank2.b mid.a;
        cylinderTop.b cylinder.a; cylinderInclination.a mounting.a
    """
    lines = "; ".join(" ".join(f"{c}.{end}" for end in line.split()) for line in inner.split(";"))
    before = "world.b" if k == 1 else f"cylinder{k - 1}.mounting.b"
    shaft = "bearing.b" if k == 1 else f"cylinder{k - 1}.crankAngle2.b"
    lines += f"; {before} {c}.mounting.a; {shaft} {c}.crankAngle1.a"
    return {f"{c}.{name}": part for name, part in parts.items()}, lines


def assembled(k: int, crank: float, bank: float) -> tuple[dict[str, Part], str]:
    """Return parts and connections of a cylinder with a compound joint (CylinderBase)."""
    c = f"cylinder{k}"
    key = f"{c}_jointRRP_guide.distance"
    parts = {
        "mid": FixedTranslation(r=(0.09, 0.05, 0)),
        "mounting": FixedTranslation(r=(0.14, 0, 0)),
        "cylinderInclination": FixedRotation(r=(0.09, 0, 0), n=X, angle=bank),
        "crankAngle": FixedRotation(n=X, angle=crank),
        "jointRRP": RodsOnHinges(
            Prismatic((0, -1, 0), s=-0.3, f=gas(f"{key} + 0.42", f"{key}.rate", 0.42 - (0.1 + 0.175 - 0.05))),
            rRod1_ia=(0, 0.175, 0),
            rRod2_ib=(0, -0.1, 0),
            n=X,
            phi=float(np.radians(bank - crank)),
        ),
        "connectingRod": BodyShape(m=1, r_CM=(0, 0.0875, 0), I=(0.006, 0.0005, 0.006), r=(0, 0.175, 0)),
        "piston": BodyShape(m=6, r_CM=(0, 0.05, 0), I=(0.0088, 0.0076, 0.0088), r=(0, 0.1, 0)),
        "crank": FixedTranslation(r=(0.14, 0, 0)),
    }
    inner = """
        jointRRP.ia connectingRod.a; mid.b jointRRP.a; jointRRP.ib piston.b; jointRRP.b cylinderInclination.b; crankAngle.b mid.a;
        cylinderInclination.a mounting.a; crankAngle.a crank.a
    """
    lines = "; ".join(" ".join(f"{c}.{end}" for end in line.split()) for line in inner.split(";"))
    before = "world.b" if k == 1 else f"cylinder{k - 1}.mounting.b"
    shaft = "crank.b" if k == 1 else f"cylinder{k - 1}.crank.b"
    lines += f"; {before} {c}.mounting.a; {shaft} {c}.crank.a"
    return {f"{c}.{name}": part for name, part in parts.items()}, lines


for name, make, crank in (
    ("EngineV6", cylinder, {}),
    ("EngineV6_analytic", assembled, {"crank": BodyShape(m=180, r_CM=(0.3, 0, 0), I=(0.1, 1e-5, 1e-5))}),
):
    made = [make(k, *angles) for k, angles in enumerate(zip(CRANKS, BANKS, strict=True), start=1)]
    define(
        "loops",
        f"Loops.{name}",
        {"bearing": Revolute(n=X, w=10, fixed="phi w"), "load": Body(m=0, I=(1, 1, 1))}
        | crank
        | {key: part for parts, _ in made for key, part in parts.items()},
        "; ".join(
            ["world.b bearing.a; bearing.b load.a" + (" crank.a" if crank else ""), *(lines for _, lines in made)]
        ),
        extra=loaded,
        more=ROUNDS | FILTERED,
        uses="Revolute, Prismatic, point_on_line, user_force, state; default method",
    )


def piston(t: Train) -> None:
    t.mass("mass", 1, 0.1, 2 * math.pi * 0.0999999)
    t.m.driver("position", "mass.x", "0.1 + 0.0999999*sin(2*pi*t)")
    t.m.user_force("gas", "mass.x", PUSH)


PUSH = gas("mass.x", "mass.vx", 0.2)
AREA, VOLUME = math.pi * 0.1**2 / 4, "(0.01 + 1.1*mass.x/0.2)"

train(
    "forces",
    "Forces.EngineGasForce",
    piston,
    {
        "gasForce.f": "-gas.force",
        "gasForce.press": f"gas.force/{AREA!r}",
        "gasForce.V": VOLUME,
        "gasForce.T": f"gas.force/{AREA!r}*{VOLUME}/1.08",
        "gasForce.dens": f"1.08/{8.314462618 / 0.0289651159!r}/{VOLUME}",  # density of air
        "gasForce.v_rel": "mass.vx",
    },
    uses="prismatic joint, driver, user_force; default method",
)
