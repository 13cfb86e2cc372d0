"""Constraints on accelerations: put right after each step, stabilised, or left."""

from __future__ import annotations

from pytrammel.analysis.treatments import GAINS, Treatment, treatment


@treatment
def projection() -> Treatment:
    return Treatment(
        "Positions and velocities are moved onto the constraints after every step, by the smallest motion in the mass metric; the default.",
        project=True,
        remedy="look for a singular position",
    )


@treatment
def baumgarte() -> Treatment:
    return Treatment(
        "Constraint stabilisation CS-1 after Baumgarte: errors die away like those of an oscillator with the gains `alpha` and `beta`.",
        takes=GAINS,
    )


@treatment
def none() -> Treatment:
    return Treatment(
        'Direct integration DI-4 (without constraints DI-1, in space DI-3, or DI-2 with `rotations="rates"`): nothing is put right, '
        "and joints drift apart."
    )
