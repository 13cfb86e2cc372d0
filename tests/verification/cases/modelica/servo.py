"""Axes of Modelica's robot r3: reference motion, cascade controller, motor with its current loop, and gears with friction."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

import pytrammel as tm


def point_to_point(
    start: Sequence[float], end: Sequence[float], speed: Sequence[float], acceleration: Sequence[float]
) -> list[tuple[str, str]]:
    """Return formulas of angle and rate of each axis: the fastest motion with common times, Modelica's KinematicPTP2."""
    way = np.subtract(end, start)
    top, rise = (1 / np.max(np.abs(way / np.asarray(limit))) for limit in (speed, acceleration))
    ramp = min(top / rise, 1 / np.sqrt(rise))
    braking = max(1 / top, ramp)
    corners = ((0.0, 1), (ramp, -1), (braking, -1), (braking + ramp, 1))

    def path(power: int) -> str:
        return " + ".join(f"{sign}*max(t - {float(at)!r}, 0)^{power}" for at, sign in corners)

    return [
        (f"{float(a)!r} + {float(d * rise / 2)!r}*({path(2)})", f"{float(d * rise)!r}*({path(1)})")
        for a, d in zip(start, way, strict=True)
    ]


@dataclass(frozen=True)
class Axis:
    """Axis of the robot; numbers have Modelica's names and defaults.

    Attributes:
        ratio: Motor angle over axis angle.
        w, D, k, J: Motor: its time constant, damping, gain and inertia.
        c, cd: Stiffness and damping between motor and gear, None for a rigid gear.
        Rv0, Rv1, peak: Friction: at rest, its slope over the speed, and static over sliding.
        kp, ks, Ts: Controller.
    """

    ratio: float
    w: float
    Rv0: float
    Rv1: float
    c: float | None = None
    cd: float = 0.0
    k: float = 1.1616
    D: float = 0.6
    J: float = 0.0013
    peak: float = 1.0
    kp: float = 5.0
    ks: float = 0.5
    Ts: float = 0.05

    def drive(
        self,
        model: tm.PlanarModel | tm.SpatialModel,
        name: str,
        motor: str,
        rate: str,
        reference: tuple[str, str],
        current: float = 0.0,
        twist: float = 0.0,
    ) -> str:
        """Add controller and current loop in equilibrium with a motor current, and return the formula of the motor's torque.

        The operational amplifiers are ideal: the voltage of the capacitor C integrates the current's error, and five times it drives
        the motor.
        """
        position, speed = reference
        ratio = repr(self.ratio)
        error = f"({ratio}*({speed}) + {self.kp!r}*({ratio}*({position}) - {motor}) - {rate})"
        integral, voltage, flow = f"{name}_PI_x", f"{name}_C_v", f"{name}_La_i"
        model.state(integral, f"{error}/{self.Ts!r}", initial=current / self.ks - self.kp * twist)
        asked = f"{self.ks!r}*({integral} + {error})"
        capacity, inductance = 0.004 * self.D / self.w, 250 / (2 * self.D * self.w)
        model.state(voltage, f"({flow} - {asked})/{10 * capacity!r}", initial=-50.0 * current)
        model.state(flow, f"(-5*{voltage} - 250*{flow} - {self.k!r}*{rate})/{inductance!r}", initial=current)
        return f"{self.k!r}*{flow}"

    def friction(self, model: tm.PlanarModel | tm.SpatialModel, name: str, along: str, rate: str) -> None:
        """Add the friction of the bearing, which sticks; motors are a hundred times as fast as axes with a rigid gear."""
        normal = f"{self.Rv0!r} + {self.Rv1!r}*abs({rate})"
        speed = 1e-4 if self.c is None else 1e-3
        model.stick_slip(f"{name}_friction", along, normal=normal, friction=(self.peak, 1.0), stick_speed=speed)
