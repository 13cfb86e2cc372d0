"""Circuits, branches and order: which wanted positions of a four-bar can be reached from each other.

The positions of a four-bar form a double cover of the directions in which its crank can stand: C left or right of the way from B
to D. Both sheets meet where B, C and D are in line, at the ends of a range. A crank that goes round has no such ends: two circuits.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from pytrammel.design.synthesis.argument_checks import Floats, degrees, wrapped

Range = tuple[float, float]


def crank_ranges(lengths: tuple[float, float, float, float], zero: float) -> tuple[Range, ...]:
    """Directions of the crank in which a four-bar closes [rad].

    Args:
        lengths: Ground, crank, coupler, rocker [m].
        zero: Direction from A to D [rad].
    """
    ground, crank, coupler, rocker = lengths
    sum2, product = ground**2 + crank**2, 2.0 * ground * crank
    lowest = (sum2 - (coupler + rocker) ** 2) / product  # of the cosine
    highest = (sum2 - (coupler - rocker) ** 2) / product
    near, far = highest >= 1.0 - 1e-12, lowest <= -1.0 + 1e-12  # whether B can stand nearest to D, and farthest from it
    inner = math.acos(min(1.0, max(-1.0, highest)))
    outer = math.acos(min(1.0, max(-1.0, lowest)))
    if near and far:
        return ((zero - math.pi, zero + math.pi),)
    if far:
        return ((zero + inner, zero + math.tau - inner),)
    if near:
        return ((zero - outer, zero + outer),)
    return (zero + inner, zero + outer), (zero - outer, zero - inner)


def located(ranges: Sequence[Range], crank: float) -> tuple[int, float]:
    """Number of the range that holds a direction (the nearest one), and the direction counted from its middle [rad]."""
    middles = [0.5 * (low + high) for low, high in ranges]
    offsets = [float(wrapped(crank - middle)) for middle in middles]
    beyond = [abs(off) - 0.5 * (high - low) for off, (low, high) in zip(offsets, ranges, strict=True)]
    best = int(np.argmin(beyond))
    return best, offsets[best]


def goes_round(ranges: Sequence[Range]) -> bool:
    """Return True if the crank can make full turns."""
    return ranges[0][1] - ranges[0][0] >= math.tau * (1.0 - 1e-15)


def ordered_turns(ranges: Sequence[Range], cranks: Sequence[float], sides: Sequence[int]) -> Floats | None:
    """Turns of the crank from the first position to each, growing or falling all the time; None if there are none such."""
    found = [located(ranges, crank) for crank in cranks]
    if len({number for number, _ in found}) > 1 or len(set(sides)) > 1:
        return None
    offsets = np.array([offset for _, offset in found])
    if not goes_round(ranges):
        steps = np.diff(offsets)
        return offsets - offsets[0] if np.all(steps > 0.0) or np.all(steps < 0.0) or len(offsets) < 2 else None
    for direction in (1.0, -1.0):
        steps = np.mod(direction * np.diff(offsets), math.tau)
        if np.sum(steps) < math.tau and np.all(steps > 0.0):
            forward = np.concatenate([[0.0], np.cumsum(steps)])
            if direction < 0.0 or len(cranks) > 2 or forward[-1] <= math.pi:
                return np.asarray(direction * forward, dtype=float)
    return None


def found_defects(
    ranges: Sequence[Range], cranks: Sequence[float], sides: Sequence[int], *, flat: bool = False
) -> tuple[str, ...]:
    """Circuit, branch and order defects as sentences; `flat` linkages can lie in line, where their circuits meet."""
    found = [located(ranges, crank) for crank in cranks]
    two = goes_round(ranges) and not flat
    circuits = [(number, side if two else 0) for (number, _), side in zip(found, sides, strict=True)]
    if len(set(circuits)) > 1:
        others = [k + 1 for k, circuit in enumerate(circuits) if circuit != circuits[0]]
        return (
            f"circuit defect: {_listed(others)} on another circuit than position 1; the linkage must be taken apart to get there.",
        )
    if len(set(sides)) > 1:
        others = [k + 1 for k, side in enumerate(sides) if side != sides[0]]
        if flat and goes_round(ranges):
            why = "between them lies a change point, behind which chance decides how the linkage goes on."
        else:
            why = "the crank cannot drive the linkage through the dead point between them."
        return (f"branch defect: {_listed(others)} on the other branch than position 1; {why}",)
    if ordered_turns(ranges, cranks, sides) is None:
        order = np.argsort([offset for _, offset in found])
        return (
            f"order defect: a crank that turns one way passes the positions in the order {', '.join(str(k + 1) for k in order)} "
            f"(directions {', '.join(degrees(cranks[k]) for k in order)}).",
        )
    return ()


def _listed(positions: Sequence[int]) -> str:
    if len(positions) == 1:
        return f"position {positions[0]} is"
    return f"positions {', '.join(map(str, positions[:-1]))} and {positions[-1]} are"
