"""Nine-point path synthesis, problem 3 of Wampler, Morgan and Sommese."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from pytrammel import synthesis
from verification.case import Row, case

DATA = Path(__file__).parents[3] / "data" / "nine_point" / "solutions.json"
ZOOMS = 9  # each narrows the range of the crank angle 25 times


def problem() -> tuple[np.ndarray, list[list[complex]]]:
    """Return the nine points and the solutions (x, a, y, b) as places in the plane."""
    data = json.loads(DATA.read_text(encoding="utf-8"))
    points = np.array(data["points"]) @ [1, 1j]
    return points, [[complex(*z) + points[0] for z in solution] for solution in data["solutions"]]


def distance(bar: synthesis.FourBar, point: complex, side: int) -> float:
    """Smallest distance of one branch of the coupler curve from a point."""
    centre, half, best = math.pi, math.pi, math.inf
    count = 2001
    for _ in range(ZOOMS):
        cranks = np.linspace(centre - half, centre + half, count)
        away = np.abs(bar.complex_at(cranks, side=side)["P"] - point)
        if np.isnan(away).all():
            return best
        nearest = int(np.nanargmin(away))
        best, centre, half, count = min(best, float(away[nearest])), float(cranks[nearest]), 2.5 * half / count, 125
    return best


def largest_miss(solution: list[complex], points: np.ndarray) -> float:
    """Largest distance of the nine points from the curve, with the pivot as crank that meets each point best."""
    x, a, y, b = solution
    found = np.full(len(points), math.inf)
    for A, B, C, D in ((a, x, y, b), (b, y, x, a)):
        bar = synthesis.FourBar(*((z.real, z.imag) for z in (A, B, C, D, points[0])))
        for side in (1, -1):
            found = np.minimum(found, [distance(bar, point, side) for point in points])
    return float(found.max())


@case(
    "Nine-point problem 3", area="Published benchmarks in the plane",
    source="Wampler, Morgan and Sommese 1992, problem 3: every fourth of its 64 real solutions (netlib toms/921)",
    reason="solutions are good to 1e-11; near a dead centre of the crank the curve moves by its square root",
    uses="synthesis.FourBar, both branches, either side as crank",
)  # fmt: skip
def solutions() -> Iterator[Row]:
    points, found = problem()
    misses = np.array([largest_miss(solution, points) for solution in found])
    yield Row("distance of nine points from the coupler curve", "m", np.zeros(len(found)), misses, 1e-7)
