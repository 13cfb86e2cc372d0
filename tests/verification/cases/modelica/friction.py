"""Modelica.Mechanics.Rotational.Examples and Translational.Examples: clutches, brakes and friction that sticks."""

from __future__ import annotations

import numpy as np

import pytrammel as tm

from .reference import REASON
from .rotational import rotors
from .train import Train, spring, train
from .translational import gap, masses

ROTATIONAL, TRANSLATIONAL = "Rotational.Examples.", "Translational.Examples."
USES = "revolute and prismatic joints, stick_slip; default method"


def relative(*names: str) -> dict[str, str]:
    """Columns of clutches: their named angles and rates."""
    return {f"{n}.{x}": f"{n}{y}" for n in names for x, y in (("phi_rel", ""), ("w_rel", ".rate"))}


def coupled(t: Train) -> None:
    drive = "10*sin(2*pi*5*t)"
    for k in (1, 2, 3, 4):
        t.rotor(f"J{k}", 1, w=10 if k == 1 else 0, torque=drive if k == 1 else None)
    pressed = ("20*max(cos(2*pi*0.2*t), 0)", "20*step(t - 0.4)", "20*step(t - 0.9)")
    for k, normal in enumerate(pressed, 1):
        t.clutch(f"clutch{k}", f"J{k}.phi", f"J{k + 1}.phi", normal, (0.55, 0.5))


train(
    "rotational",
    ROTATIONAL + "CoupledClutches",
    coupled,
    rotors("J1") | relative("clutch1", "clutch2", "clutch3"),
    uses=USES,
)


def clutch_and_brake(t: Train) -> None:
    t.rotor("inertia3", 1, w=100, torque="200*sin(100*t)*(1 - step(t - 0.5))")
    t.rotor("inertia2", 0.05, w=90)
    t.rotor("inertia1", 1, w=90)
    t.relative("spring", "inertia2.phi", "inertia1.phi")
    t.between("springDamper", "inertia2.phi", "inertia1.phi", "160*{s} + {v}")
    t.clutch("clutch", "inertia3.phi", "inertia2.phi", "160", 0.5)
    t.m.stick_slip("brake", "inertia1.phi", normal="1600*step(t - 0.5)", friction=0.5)


train(
    "rotational",
    ROTATIONAL + "Friction",
    clutch_and_brake,
    rotors("inertia3") | relative("clutch", "spring"),
    uses=USES,
)


def gear_shift(t: Train) -> None:
    t.rotor("engine", 1, torque="20*step(t - 0.5)")
    t.rotor("load", 10, torque="-20*(load.omega/10.471975511966)^2")
    ring = "(2.5*load.phi - engine.phi)/1.5"  # the planetary gear: (1 + 75/50) carrier = sun + 75/50 ring
    engaged = "min(max((t - 2)/0.1, 0), 1)"
    t.clutch("clutch", "engine.phi", ring, f"200*{engaged}", 0.5)
    t.clutch("brake", "0", ring, f"200*(1 - {engaged})", 0.5)


train(
    "rotational",
    ROTATIONAL + "SimpleGearShift",
    gear_shift,
    rotors("engine", "load") | relative("clutch"),
    uses=USES,
)


def freewheel(t: Train, engaged: str) -> None:
    """Add a freewheel, whose torque is 1e6 N m s/rad times the speed it blocks, and a clutch in parallel."""
    t.between("freewheel", "inertiaIn.phi", "inertiaOut.phi", "1e6*min({v}, 0)")
    if engaged:
        t.clutch("oneWayClutch", "inertiaIn.phi", "inertiaOut.phi", f"3*{engaged}", (12.5, 0.5))
    else:
        t.relative("oneWayClutch", "inertiaIn.phi", "inertiaOut.phi")


def overrunning(t: Train) -> None:
    t.rotor("inertiaIn", 1, w=-0.5, torque="10*sin(2*pi*3*t)")
    t.rotor("inertiaOut", 1)
    released = "min(max((0.95 - t)/1e-5 + 1, 0), 1)"  # within 1e-5 s: a limit that jumps to 0 is not supported
    freewheel(t, f"(step(t - 0.3)*{released} + step(t - 1.6))")


def disengaged(t: Train) -> None:
    t.rotor("inertiaIn", 1, w=-0.5, torque="0.3 + 10*sin(2*pi*2*t)")
    t.rotor("inertiaOut", 1, torque="-0.3")
    freewheel(t, "")


for name, build in (("OneWayClutch", overrunning), ("OneWayClutchDisengaged", disengaged)):
    train(
        "rotational",
        ROTATIONAL + name,
        build,
        rotors("inertiaIn") | relative("oneWayClutch"),
        run={"method": "radau5", "rtol": 1e-8},
        reason=f"{REASON}. The freewheel is a damper of 1e6 N m s/rad in one direction",
        uses="revolute joints, stick_slip, user_force; radau5",
    )


def brakes(t: Train) -> None:
    for k in (1, 2):
        t.mass(f"mass{k}", 1, v=1)
        t.m.stick_slip(f"brake{k}", f"mass{k}.x", normal="2*step(t - 0.1)", friction=0.5)


train("translational", TRANSLATIONAL + "Brake", brakes, masses("mass1", "mass2"), uses=USES)


def stribeck(coulomb: float, peak: float, v: str) -> str:
    """Friction of a mass with stops: it falls from static to sliding over 0.5 m/s [N]."""
    return f"{coulomb!r} + {peak!r}*exp(-2*abs({v}))"


def rubbing(t: Train) -> None:
    drive, v = "25*sin(2*pi*0.25*t)", 12 * np.arange(50) / 49
    t.m.define_table("rubs", tm.functions.Table("rubs", v, 5 + v + 10 * np.exp(-2 * v), kind="linear"))
    t.mass("mass", 1, force=drive)
    t.m.stick_slip("support", "mass.x", normal="rubs(abs(mass.vx))", friction=1.0)
    t.mass("stop1", 1, force=f"{drive} - stop1.vx")
    t.m.stick_slip("friction1", "stop1.x", normal=stribeck(5, 10, "stop1.vx"), friction=1.0)
    t.mass("stop2", 1, v=-5, force="-stop2.vx")
    t.m.stick_slip("friction2", "stop2.x", normal=stribeck(3, 5, "stop2.vx"), friction=1.0)
    t.m.end_stop("stops2", "stop2.x", low=-0.4, high=0.4, stiffness=1e7, damping=1e3)
    t.between("spring", "-1.75", "stop2.x - 0.5", spring(500, 1))


train(
    "translational",
    TRANSLATIONAL + "Friction",
    rubbing,
    masses("mass", "stop1", "stop2"),
    run={"method": "radau5", "rtol": 1e-8},
    uses="prismatic joints, stick_slip, end_stop, define_table; radau5",
)


def losses(t: Train) -> None:
    t.mass("mass1", 1, force="20*sin(2*pi*t) - 10*mass1.vx")
    t.mass("mass2", 1, 0.1)
    t.mass("mass3", 1, 0.2)
    t.mass("last", 1, 0.3, force="-0.5*last.vx")
    t.between("elastoGap", "0", "mass1.x - 0.05", gap(100.0, -0.02, 20.0))
    t.between("springDamper", "mass1.x + 0.05", "mass2.x - 0.05", spring(100, 0, 10))
    t.between("spring", "mass2.x + 0.05", "mass3.x - 0.05", spring(100))
    t.between("springDamper1", "mass3.x + 0.05", "last.x - 0.05", spring(1e4, 0, 1e3))
    t.m.stick_slip("support", "mass2.x", normal="1", friction=1.0)
    t.m.stick_slip("brake", "mass3.x", normal="100*max(sin(2*pi*2*t), 0)", friction=0.5)
    t.m.stick_slip("friction", "last.x", normal=stribeck(1, 2, "last.vx"), friction=1.0)
    t.m.end_stop("stops", "last.x", low=0.05, high=0.35, stiffness=1e8, damping=1e6)


def stopped(t: Train, times: np.ndarray, **settings: object) -> tm.results.Result:
    """Simulate with the hard stops of Modelica: a stop takes the speed of the last mass from that mass and from mass3.

    Modelica's states are the speed of the last mass and the relative speed of mass3; its stop sets the first to 0 and keeps the second.
    A run to each stop gives the impulses of the next run.
    """
    hits: list[tuple[float, float]] = []
    while True:
        events = [
            tm.Event(f"hit{k}", f"t - {at!r}", impulse=[("mass3", (-speed, 0.0)), ("last", (-speed, 0.0))])
            for k, (at, speed) in enumerate(hits)
        ]
        parted = hits[-1][0] + 0.7 if hits else 0.0
        events.append(tm.Event("reached", f"if(t > {parted!r}, last.x - 0.35, -1)", direction=1, stop=True))
        result = t.m.simulate(times=times, events=events, **settings)
        if result.times[-1] == times[-1]:
            return result
        hits.append((float(result.times[-1]), float(result["last.vx"][-1])))


train(
    "translational",
    TRANSLATIONAL + "HeatLosses",
    losses,
    {
        "damper.s_rel": "0.05 - mass1.x",
        "damper.v_rel": "-mass1.vx",
        "massWithStopAndFriction.s": "last.x",
        "massWithStopAndFriction.v": "last.vx",
        "springDamper.s_rel": "mass2.x - mass1.x - 0.1",
        "springDamper.v_rel": "mass2.vx - mass1.vx",
        "springDamper1.s_rel": "last.x - mass3.x - 0.1",
        "springDamper1.v_rel": "last.vx - mass3.vx",
    },
    run={"method": "radau5", "rtol": 1e-6},
    simulate=stopped,
    reason=f"{REASON}. Where the last mass meets a stop, Modelica subtracts its speed from mass3 also, whose state is "
    "relative; so do the impulses here",
    uses="prismatic joints, stick_slip, end_stop, user_force, Event with impulses; radau5",
)


def lossy_gear(t: Train, more: str) -> None:
    """Add rotors with a gear of the ratio 2 and of the efficiency 1/2 in both directions; `more` is friction of bearings.

    With the tooth force R of the second gear, losses are up to (1/0.5 - 1) R where the first drives and (1 - 0.5) R where the second
    does: R/4 and sticking friction up to 3 R/4. Meshing gears turn against each other, so the second angle has the other sign.
    """
    t.rotor("Inertia1", 1, torque="10*sin(2*pi*t)")
    t.rotor("Inertia2", 1.5, at=(3, 0), torque="10 - 2.5*t")
    t.m.gear("gear", "Inertia1", "Inertia2", radii=(1, 2), pressure_angle=0.0)
    t.m.user_force("teeth", "Inertia1.phi", "-0.25*gear.reaction")
    t.m.stick_slip("losses", "Inertia1.phi", normal=f"0.75*gear.reaction + {more}", friction=1.0, stick_speed=1e-6)


for number, bearing in ((1, "0"), (2, "0.5 + 0.5*abs(Inertia1.omega)")):
    train(
        "rotational",
        f"{ROTATIONAL}LossyGearDemo{number}",
        lambda t, bearing=bearing: lossy_gear(t, bearing),
        {"Inertia2.phi": "-Inertia2.phi", "Inertia2.w": "-Inertia2.omega"},
        run={"rtol": 1e-8},
        uses="revolute joints, gear, stick_slip, user_force; default method",
    )
