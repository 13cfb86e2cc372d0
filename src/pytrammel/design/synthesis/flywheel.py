"""Flywheels for a wanted steadiness of speed."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from pytrammel._util.checks import checked, checked_number
from pytrammel._util.messages import in_sentences, unlike
from pytrammel.design.synthesis.argument_checks import degrees, numbers, positive
from pytrammel.errors import ModelError


@dataclass(frozen=True)
class Flywheel:
    """A flywheel for a torque that changes over a turn of the shaft.

    Attributes:
        inertia: Moment of inertia that must be added [kg m²].
        mean_torque: Constant torque of the motor that keeps the speed [N m].
        energy: Work that the wheel takes up and gives back in a turn [J].
        speed: Mean of highest and lowest speed [rad/s].
        fluctuation: Highest less lowest speed, over `speed`.
        fastest: Angle of the shaft where it turns fastest [rad].
        slowest: Angle of the shaft where it turns slowest [rad].
    """

    inertia: float
    mean_torque: float
    energy: float
    speed: float
    fluctuation: float
    fastest: float
    slowest: float

    @checked
    def disc(self, radius: float) -> float:
        """Mass of a solid disc of a radius [m] with this inertia [kg]."""
        size = positive(radius, "the radius of the disc")
        mass = 2.0 * self.inertia / size / size
        if not math.isfinite(mass):
            raise ModelError(
                f"the radius of the disc is {size:.3g} m: its mass is too large for a number. Use a larger radius."
            )
        return mass

    def __str__(self) -> str:
        return (
            f"flywheel of {self.inertia:.6g} kg m²: takes up {self.energy:.6g} J, "
            f"speed {self.speed:.6g} rad/s within {100 * self.fluctuation:.4g} %, motor torque {self.mean_torque:.6g} N m; "
            f"fastest at {degrees(self.fastest)}, slowest at {degrees(self.slowest)}"
        )


@checked
@in_sentences
def flywheel(
    angles: ArrayLike, torque: ArrayLike, *, speed: float, fluctuation: float, existing: float = 0.0
) -> Flywheel:
    """The flywheel that holds a shaft's speed within a share of its mean, while a constant torque drives it against a changing load.

    Exact for the piecewise linear torque through the points: J fluctuation speed² is the work between the extremes of speed.

    Args:
        angles: Angles of the shaft over one period, increasing, first and last included [rad].
        torque: Torque that the load takes at these angles [N m], e.g. ``result.effort("motor")`` of inverse dynamics; first and last equal.
        speed: Mean of highest and lowest speed [rad/s].
        fluctuation: Highest less lowest speed, over the mean.
        existing: Inertia that turns with the shaft anyway [kg m²].
    """
    x, y = numbers(angles, "angles", least=3), numbers(torque, "torque", least=3)
    if len(x) != len(y):
        raise ModelError(f"angles has {len(x)} values and torque has {len(y)}; give one torque for each angle.")
    if np.any(np.diff(x) <= 0.0):
        at_fault = int(np.argmax(np.diff(x) <= 0.0))
        texts = unlike(x[at_fault], x[at_fault + 1], digits=6)
        raise ModelError(f"angles must increase, but angles[{at_fault}] = {texts[0]} is followed by {texts[1]}.")
    scale = float(np.max(np.abs(y))) or 1.0
    if abs(y[0] - y[-1]) > 1e-6 * scale:
        texts = unlike(y[0], y[-1], digits=6)
        raise ModelError(
            f"the torque must end as it begins, one period on, but it goes from {texts[0]} to {texts[1]} N m."
        )
    w = positive(abs(checked_number(speed, "the speed")), "the speed")
    share = positive(fluctuation, "the fluctuation")
    if share >= 2.0:
        raise ModelError(f"the fluctuation is {share:g}; from 2 on the shaft would stop within a turn.")
    have = checked_number(existing, "the existing inertia")
    if have < 0.0:
        raise ModelError(f"the existing inertia is {have:g} kg m²; it cannot be negative.")
    work = np.concatenate([[0.0], np.cumsum(0.5 * (y[1:] + y[:-1]) * np.diff(x))])
    mean = float(work[-1] / (x[-1] - x[0]))
    # energy of the wheel: what the motor gave less what the load took, also between points, where the torque passes its mean
    places, level = [x], [mean * (x - x[0]) - work]
    for k in np.flatnonzero((y[:-1] - mean) * (y[1:] - mean) < 0.0).tolist():
        part = (mean - y[k]) / (y[k + 1] - y[k])
        reach = part * (x[k + 1] - x[k])
        places.append(np.array([x[k] + reach]))
        level.append(np.array([mean * (x[k] + reach - x[0]) - work[k] - 0.5 * (y[k] + mean) * reach]))
    at, energy = np.concatenate(places), np.concatenate(level)
    swing = float(np.ptp(energy))
    needed = max(0.0, swing / (share * w * w) - have)
    return Flywheel(needed, mean, swing, w, share, float(at[np.argmax(energy)]), float(at[np.argmin(energy)]))
