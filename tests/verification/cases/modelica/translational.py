"""Modelica.Mechanics.Translational.Examples: springs, dampers, gaps, and given forces."""

from __future__ import annotations

from .reference import REASON, up_to
from .rotational import eddy
from .train import Train, spring, train

PLACE = "Translational.Examples."
UNDAMPED = up_to(0.5, "an oscillation without damping, which the reference's BDF method damps by 1e-3 in 1 s")


def masses(*names: str) -> dict[str, str]:
    """Columns of masses."""
    return {f"{n}.{x}": f"{n}.{y}" for n in names for x, y in (("s", "x"), ("v", "vx"))}


def accelerated(t: Train) -> None:
    t.mass("mass", 1.0)
    t.m.driver("accelerate", "mass.x", "t^2/2")
    t.initial["mass.x.rate"] = 0.0


train("translational", PLACE + "Accelerate", accelerated, {"accelerate.s": "mass.x", "accelerate.v": "mass.vx"})


def dampers(t: Train) -> None:
    for k in (1, 2, 3):
        t.mass(f"mass{k}", 1, 3, 10)
        t.between(f"damper{k}", f"mass{k}.x + 0.5", "4.5", "25*{v}" if k == 1 else spring(1, 1, 25))


train(
    "translational",
    PLACE + "Damper",
    dampers,
    {f"{e}.s_rel": f"4 - mass{k}.x" for k, e in enumerate(("damper1", "damper2", "springDamper3"), 1)}
    | {f"{e}.v_rel": f"-mass{k}.vx" for k, e in enumerate(("damper1", "damper2", "springDamper3"), 1)},
)


def braked(t: Train) -> None:
    t.mass("mass", 1, v=20)
    t.m.state("warmth", f"{eddy('mass.vx', 'warmth')}*mass.vx", initial=293.15)
    t.m.user_force("eddyCurrentForce", "mass.x", f"-{eddy('mass.vx', 'warmth')}")


train(
    "translational",
    PLACE + "EddyCurrentBrake",
    braked,
    {
        "eddyCurrentForce.lossPower": f"{eddy('mass.vx', 'warmth')}*mass.vx",
        "mass.s": "mass.x",
        "heatCapacitor.T": "warmth",
    },
)


def gap(stiffness: float, free: float, damping: float) -> str:
    """Law of Modelica's ElastoGap: a spring with a damper in contact, whose damper is never stronger than its spring."""
    pull = f"min({stiffness!r}*({{s}} - {free!r}), 0)"
    return f"{pull} + min(max({damping!r}*{{v}}, {pull}), -{pull})"


def gaps(t: Train) -> None:
    for k, law in ((1, spring(10, 1, 1.5)), (2, gap(10.0, 1.5, 1.5))):
        t.mass(f"mass{k}", 1, 2)
        t.between(f"left{k}", "-2", f"mass{k}.x", law)
        t.between(f"right{k}", f"mass{k}.x", "2", law)


train(
    "translational",
    PLACE + "ElastoGap",
    gaps,
    {
        "elastoGap1.v_rel": "mass2.vx",
        "elastoGap2.s_rel": "2 - mass2.x",
        "springDamper1.v_rel": "mass1.vx",
        "springDamper2.s_rel": "2 - mass1.x",
    },
)


def exchanged(t: Train) -> None:
    drive = "10*sin(2*pi*2*t)"
    t.mass("direct", 1.1 + 2.2, force=drive)
    for k, damping in ((2, 100.0), (3, 0.0)):
        t.mass(f"mass{k}a", 1.1, force=drive)
        t.mass(f"mass{k}b", 2.2)
        t.between(f"spring{k}", f"mass{k}a.x", f"mass{k}b.x", spring(1e4, 0.0, damping))


train(
    "translational",
    PLACE + "GenerationOfFMUs",
    exchanged,
    masses("mass2a", "mass2b", "mass3a", "mass3b")
    | {"directMass.mass.s": "direct.x", "directMass.mass.v": "direct.vx"},
)


def at_rest(t: Train) -> None:
    # m1 at its spring's start 0.5 from -1; m2 one metre further; m3 and m4 as given
    t.mass("m1", 1, -1 + 0.5 + 0.5)
    t.mass("m2", 1, 0.5 + 1.0 + 1.0)
    t.mass("m3", 1, 4.5)
    t.mass("m4", 1, 12.5)
    t.between("s1", "-1", "m1.x - 0.5", spring(1e3, 1))
    t.between("sd1", "m1.x + 0.5", "m2.x - 1", spring(111, 1, 1))
    t.between("s2", "1", "m3.x - 1.5", spring(1e3, 2))
    t.between("sd2", "m3.x + 1.5", "m4.x - 2.5", spring(111, 4, 1))


train(
    "translational",
    PLACE + "InitialConditions",
    at_rest,
    masses("m1", "m3")
    | {
        "sd1.s_rel": "m2.x - m1.x - 1.5",
        "sd1.v_rel": "m2.vx - m1.vx",
        "sd2.s_rel": "m4.x - m3.x - 4",
        "sd2.v_rel": "m4.vx - m3.vx",
    },
)


def oscillators(t: Train) -> None:
    for k, damping in ((1, 0.0), (2, 10.0)):
        t.mass(f"mass{k}", 1, -0.5, force="sin(2*pi*15.9155*t)")
        t.between(f"spring{k}", f"mass{k}.x + 0.5", "1", spring(1e4, 1, damping))


train(
    "translational",
    PLACE + "Oscillator",
    oscillators,
    masses("mass1") | {"damper1.s_rel": "0.5 - mass2.x", "damper1.v_rel": "-mass2.vx"},
    reason=UNDAMPED,
)


def rounded(stiffness: float, free: float, damping: float) -> str:
    """Law of ElastoGap with corners rounded by 0.1 N (1e-7 m of a gap), which keeps the number of steps small."""

    def positive(x: str) -> str:
        return f"(0.5*({x} + sqrt(({x})^2 + 0.01)))"

    push = positive(f"{stiffness!r}*({free!r} - {{s}})")
    below = f"({damping!r}*{{v}} + {positive(f'-{push} - {damping!r}*{{v}}')})"  # the larger of d v and -push
    return f"-{push} + {below} - {positive(f'{below} - {push}')}"


def preloaded(t: Train) -> None:
    t.mass("spool", 0.150, 0.01475, force="150*sin(2*pi*0.01*t) - 2500*spool.vx")
    t.mass("plateA", 10e-3, -0.093)
    t.mass("plateB", 10e-3, -0.06925)
    t.between("spring", "plateA.x + 0.001", "plateB.x - 0.001", spring(20e3, 0.025))
    outer, inner = rounded(1000e3, 0.0015, 250.0), rounded(1000e3, 0.001, 250.0)
    t.between("outerA", "-0.0955", "plateA.x - 0.001", outer)
    t.between("outerB", "plateB.x + 0.001", "-0.065", outer)
    t.between("innerA", "spool.x - 0.10075", "plateA.x + 0.008", inner)
    t.between("innerB", "plateB.x - 0.008", "spool.x - 0.08925", inner)


train(
    "translational",
    PLACE + "PreLoad",
    preloaded,
    {
        "friction.v_rel": "spool.vx",
        "innerContactA.s_rel": "plateA.x + 0.008 - spool.x + 0.10075",
        "innerContactB.s_rel": "spool.x - 0.08925 - plateB.x + 0.008",
        "outerContactA.v_rel": "plateA.vx",
        "outerContactB.s_rel": "-0.065 - plateB.x - 0.001",
        "outerContactB.v_rel": "-plateB.vx",
    },
    run={"method": "radau5", "rtol": 1e-8},
    reason=f"{REASON}. Between compared times, speeds differ by more for some 0.1 s after a contact opens or closes",
    uses="prismatic joints, user_force; radau5",
)


train(
    "translational",
    PLACE + "Sensors",
    lambda t: t.mass("mass", 1, force="10*sin(2*pi*4*t)"),
    masses("mass"),
)


def pushed(t: Train) -> None:
    for k in (1, 2, 3):
        t.mass(f"mass{k}", 1, force="1")


train("translational", PLACE + "SignConvention", pushed, masses("mass1", "mass2", "mass3"))

# the nominal torque is that of a density of 1.18 kg/m³, the drag has the default of Vehicle, 1.2 kg/m³; torque over the nominal one
# and inclination are from the table of the model, whose steps are at 5, 10.8, 20, 25, 50 and 55 s
NOMINAL = f"{(0.5 * 1.18 * (25 / 3.5) ** 2 / 2 + 0.01 * 100 * 9.80665) * 0.25!r}"
TORQUE = "if(t < 5, 0, if(t < 10.8, 5.6, if(t < 20, 1, if(t < 25, 2.8, if(t < 50, 1, if(t < 55, -5, 0))))))"
SLOPE = "if(t > 20 and t < 25, 0.05, 0)"


def resisting(v: str) -> str:
    """Drag, rolling resistance and weight of one vehicle."""
    rolling = f"9.80665*cos(atan({SLOPE}))*min(max({v}/1e-3, -1), 1)"
    return f"-({0.5 * 1.2 / 2!r}*{v}*abs({v}) + {rolling} + 980.665*sin(atan({SLOPE})))"


def vehicles(t: Train) -> None:
    t.mass("vehicle", 100, force=f"{NOMINAL}*({TORQUE})/0.25 + {resisting('vehicle.vx')}")
    t.mass("vehicle1", 200, force=f"2*{NOMINAL}*({TORQUE})/0.25 + 2*({resisting('vehicle1.vx')})")


train(
    "translational",
    PLACE + "Vehicle",
    vehicles,
    masses("vehicle", "vehicle1") | {"trailer.s": "vehicle1.x", "trailer.v": "vehicle1.vx"},
    run={"method": "radau5", "max_step": 0.5},
    uses="prismatic joints, user_force; radau5",
)


def arrows(t: Train) -> None:
    t.mass("mass1", 1)
    t.mass("inertia2", 1)
    for k, name in ((1, "mass1"), (2, "inertia2")):
        t.between(f"spring{k}", "-1.9", f"{name}.x + 1", spring(11, 2))


train("translational", PLACE + "WhyArrows", arrows, masses("mass1", "inertia2"))
