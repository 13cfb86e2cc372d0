"""Drivers: motions as text for the script and as functions for the check."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from fuzzing.case import Case, number
from fuzzing.conditions import Angle
from fuzzing.mobility import free_directions
from fuzzing.motion import Array


def add_drivers(case: Case, *, all_freedoms: bool) -> None:
    """Drive joint measures: as many as are free, or none."""
    joints = [q for q in case.measures if q.partition(".")[0] not in case.bodies]
    bodies = [q for q in case.measures if q.partition(".")[0] in case.bodies]
    case.rng.shuffle(joints)
    case.rng.shuffle(bodies)
    free = [*joints, *bodies] if case.rng.random() < 0.8 else [*bodies, *joints]
    if not all_freedoms:
        return
    left = case.freedom = free_directions(case)
    for quantity in free:  # coordinates of bodies where joints have too few measures
        if left == 0:
            return
        if free_directions(case, [*case.drivers_on, quantity]) == left:
            continue  # nothing of it is free any more
        left -= 1
        part = case.measures[quantity]
        motion, text = random_motion(case, case.start(quantity), 1.0 if isinstance(part, Angle) else case.size)
        case.drive(quantity, motion, text)


def random_motion(case: Case, start: float, size: float) -> tuple[Callable[[Array], Array], str]:
    rng, T = case.rng, case.scale.time
    stroke = size * rng.uniform(0.1, 0.5) * rng.choice([-1.0, 1.0])
    kind = rng.integers(5)
    if kind == 0:
        rate = rng.uniform(1.0, 4.0) / T
        return (
            lambda t: start + stroke * np.sin(rate * t),
            f'"{number(start)} + {number(stroke)}*sin({number(rate)}*t)"',
        )
    if kind == 1:
        return lambda t: start + stroke * t / T, f'"{number(start)} + {number(stroke / T)}*t"'
    if kind == 2:
        bend = stroke * rng.uniform(-1.0, 1.0) / T**2
        return (
            lambda t: start + stroke * t / T + bend * t**2,
            f"tm.polynomial({number(start)}, {number(stroke / T)}, {number(bend)})",
        )
    if kind == 3:
        f = rng.uniform(0.2, 0.6) / T
        return (
            lambda t: start + stroke * np.sin(2.0 * np.pi * f * t),
            f"tm.harmonic_motion({number(stroke)}, {number(f)}, mean={number(start)})",
        )
    return lambda t: start + 0.0 * t, number(start)
