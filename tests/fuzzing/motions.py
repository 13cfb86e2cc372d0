"""Drivers: motions as text for the script and as functions for the check."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from fuzzing.case import Case, number
from fuzzing.mobility import free_directions
from fuzzing.motion import Array

Function = Callable[[Array], Array]
GAPS = (
    (0.12, 0.28),
    (0.42, 0.58),
    (0.72, 0.88),
)  # of a run, between the instants that are looked at: corners belong there
RISES: dict[str, Function] = {
    "uniform": lambda s: s,
    "harmonic": lambda s: 0.5 * (1.0 - np.cos(np.pi * s)),
    "cycloidal": lambda s: s - np.sin(2.0 * np.pi * s) / (2.0 * np.pi),
    "poly345": lambda s: s**3 * (10.0 - 15.0 * s + 6.0 * s**2),
}


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
        start, size = case.start(quantity), case.unit(quantity)
        stroke = size * case.rng.uniform(0.1, 0.5) * case.rng.choice([-1.0, 1.0])
        motion, text = MOTIONS[int(case.rng.integers(len(MOTIONS)))](case, start, stroke)
        case.drive(quantity, motion, text)


def sine(case: Case, start: float, stroke: float) -> tuple[Function, str]:
    rate = case.rng.uniform(1.0, 4.0) / case.scale.time
    text = f'"{number(start)} + {number(stroke)}*sin({number(rate)}*t)"'
    return lambda t: start + stroke * np.sin(rate * t), text


def steady(case: Case, start: float, stroke: float) -> tuple[Function, str]:
    rate = stroke / case.scale.time
    return lambda t: start + rate * t, f'"{number(start)} + {number(rate)}*t"'


def polynomial(case: Case, start: float, stroke: float) -> tuple[Function, str]:
    T = case.scale.time
    bend = stroke * case.rng.uniform(-1.0, 1.0) / T**2
    text = f"tm.profiles.polynomial({number(start)}, {number(stroke / T)}, {number(bend)})"
    return lambda t: start + stroke * t / T + bend * t**2, text


def harmonic(case: Case, start: float, stroke: float) -> tuple[Function, str]:
    f = case.rng.uniform(0.2, 0.6) / case.scale.time
    text = f"tm.profiles.harmonic_motion({number(stroke)}, {number(f)}, mean={number(start)})"
    return lambda t: start + stroke * np.sin(2.0 * np.pi * f * t), text


def still(case: Case, start: float, stroke: float) -> tuple[Function, str]:
    return lambda t: start + 0.0 * t, number(start)


def programme(case: Case, start: float, stroke: float) -> tuple[Function, str]:
    """Dwell, rise, dwell and half-way back; the uniform law begins and ends with a jerk in velocity."""
    rng, T = case.rng, case.scale.time
    law = str(rng.choice(list(RISES)))
    a, b, c = (T * rng.uniform(*gap) for gap in GAPS)
    there, back = start + stroke, start + 0.5 * stroke
    parts = (
        f"tm.profiles.dwell({number(a)})", f'tm.profiles.rise({number(there)}, {number(b - a)}, "{law}")',
        f"tm.profiles.dwell({number(c - b)})",
        f'tm.profiles.fall({number(back)}, {number(T)}, "{law}")',
    )  # fmt: skip

    def value(t: Array) -> Array:
        up, down = (RISES[law](np.clip((t - begin) / long, 0.0, 1.0)) for begin, long in ((a, b - a), (c, T)))
        return start + stroke * up + (back - there) * down

    return value, f"tm.profiles.motion({number(start)}, [{', '.join(parts)}])"


def table(case: Case, start: float, stroke: float) -> tuple[Function, str]:
    """Points joined by straight lines, or by the cubic spline without curvature at its ends."""
    rng, T = case.rng, case.scale.time
    x = T * np.array([0.0, *(rng.uniform(*gap) for gap in GAPS), 1.2])
    y = start + stroke * np.array([0.0, *rng.uniform(-1.0, 1.0, 4)])
    kind = str(rng.choice(["linear", "natural"]))
    text = f'tm.functions.spline({[*map(float, x)]}, {[*map(float, y)]}, kind="{kind}")(tm.time)'
    if kind == "linear":
        return lambda t: np.interp(t, x, y), text
    h, n = np.diff(x), len(x)
    matrix, right = np.eye(n), np.zeros(n)  # for the second derivatives at the points
    for k in range(1, n - 1):
        matrix[k, k - 1 : k + 2] = h[k - 1], 2.0 * (h[k - 1] + h[k]), h[k]
        right[k] = 6.0 * ((y[k + 1] - y[k]) / h[k] - (y[k] - y[k - 1]) / h[k - 1])
    bend = np.linalg.solve(matrix, right)

    def value(t: Array) -> Array:
        k = np.clip(np.searchsorted(x, t, side="right") - 1, 0, n - 2)
        r, s, d = x[k + 1] - t, t - x[k], h[k]
        curved = ((r**3 - d**2 * r) * bend[k] + (s**3 - d**2 * s) * bend[k + 1]) / (6.0 * d)
        return (y[k] * r + y[k + 1] * s) / d + curved

    return value, text


def late(case: Case, start: float, stroke: float) -> tuple[Function, str]:
    """Nothing, then a power of the time since: a jump in velocity, acceleration or jerk."""
    T, power = case.scale.time, int(case.rng.integers(1, 4))
    at, factor = T * case.rng.uniform(*GAPS[int(case.rng.integers(3))]), stroke / T**power
    text = f'"{number(start)} + {number(factor)}*step(t - {number(at)})*(t - {number(at)})^{power}"'
    return lambda t: start + factor * np.maximum(0.0, t - at) ** power, text


MOTIONS = (sine, steady, polynomial, harmonic, still, programme, programme, table, late)
