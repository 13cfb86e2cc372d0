"""Straight lines: symmetric four-bars whose coupler point runs along a line, as those of Chebyshev and Roberts."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from pytrammel._util.checks import checked, checked_bool
from pytrammel._util.messages import in_sentences, short
from pytrammel.design.synthesis.argument_checks import Complexes, Floats, place, whole_number
from pytrammel.design.synthesis.cranked import worth
from pytrammel.design.synthesis.four_bar import FourBar, moved_pins
from pytrammel.design.synthesis.generation.fitting import Moved, fitted
from pytrammel.design.synthesis.generation.paths import GOAL
from pytrammel.errors import ModelError

POINTS = 21  # of the line
LONGEST = 10.0  # of the ground: arms may be as long as this


@checked
@in_sentences
def straight_line_four_bars(
    start: Sequence[float], end: Sequence[float], *, fixed: Sequence[Sequence[float]], triangle: bool = False,
    starts: int = 30, seed: int = 0,
) -> tuple[FourBar, ...]:  # fmt: skip
    """Symmetric four-bars whose coupler point P runs along a line, straightest first.

    Both arms have the same length, and P lies on the middle of the coupler or, with `triangle`, above or below it. They are fitted to
    points of the line from random starts. With the line as far from the fixed pivots as these from each other that is Chebyshev's linkage,
    along the line through the pivots with a triangle Roberts'.

    Args:
        start: First point of the line (x, y) [m].
        end: Last point (x, y) [m].
        fixed: Fixed pivots A and D, opposite to each other across the middle of the line [m].
        triangle: Whether P may stand off the coupler.
        starts: How many random starts.
        seed: Of the random starts; the same seed gives the same designs.
    """
    checked_bool(triangle, "triangle")
    if isinstance(fixed, str) or not isinstance(fixed, Sequence | np.ndarray) or len(fixed) != 2:
        raise ModelError(f"fixed must be the two fixed pivots (A, D), but it is {short(fixed)}.")
    a, d = (place(each, f"the fixed pivot {name}") for each, name in zip(fixed, "AD", strict=True))
    if a == d:
        raise ModelError("both fixed pivots are the same point; give two.")
    # in axes with A at 0 and D at 1
    ends = np.array(
        [(place(each, f"the {word} of the line") - a) / (d - a) for each, word in ((start, "start"), (end, "end"))]
    )
    if abs(ends[0] - ends[1]) < 1e-9:
        raise ModelError("start and end of the line are the same point.")
    if abs(ends.mean().real - 0.5) > 1e-9 or abs(np.ptp(ends.imag)) > 1e-9:
        raise ModelError(
            "the line must be parallel to the line of the fixed pivots and have its middle across theirs; move one of them, or use "
            "path_four_bars for linkages that are not symmetric."
        )
    wanted = np.linspace(ends[0], ends[1], POINTS)
    count, random = whole_number(starts, "starts"), np.random.default_rng(seed)
    found: list[FourBar] = []
    for bar in (_straightened(wanted, triangle, random, a, d) for _ in range(count)):
        if bar is not None and not any(np.allclose(bar.lengths, other.lengths, rtol=1e-3) for other in found):
            found.append(bar)
    if not found:
        raise ModelError(
            f"no symmetric four-bar near this line was found; move the fixed pivots, or raise starts={starts}."
        )
    return tuple(sorted(found, key=worth))


def _drawing(x: Floats) -> Complexes:
    """A, B, C, D, P in the middle of the line, of arms, half the coupler (negative where they do not cross) and height of P."""
    arm, half, height = x[..., 0], x[..., 1], x[..., 2] if x.shape[-1] > 2 else 0.0 * x[..., 0]
    out = 0.5 + half
    up = np.sqrt(np.maximum(arm**2 - out**2, 1e-9))
    zero = 0.0 * arm
    return np.stack([zero + 0j, out + 1j * up, 1.0 - out + 1j * up, zero + 1.0 + 0j, 0.5 + 1j * (up + height)], axis=-1)


def _straightened(
    wanted: Complexes, triangle: bool, random: np.random.Generator, a: complex, d: complex
) -> FourBar | None:
    middle = POINTS // 2
    order = np.r_[middle, 0:middle, middle + 1 : POINTS]  # the drawn position comes first in a fit
    goal = wanted[order]

    def moved(x: Floats, turns: Floats) -> Moved:
        return moved_pins(_drawing(x), turns)

    def error(x: Floats, at: Moved) -> Floats:
        gap = at["P"] - goal
        return np.concatenate([gap.real, gap.imag, np.maximum(0.0, np.abs(x[..., :1]) - LONGEST)], axis=-1)

    x = np.array(
        [random.uniform(0.5, 2.3), random.choice([-1.0, 1.0]) * random.uniform(0.05, 0.75), random.uniform(-2.0, 0.5)]
    )
    x = x if triangle else x[:2]
    swept = np.linspace(-1.2, 1.2, 97)
    away = np.abs(moved(x, swept)["P"][:, None] - goal)
    turns = swept[np.argmin(np.where(np.isfinite(away), away, np.inf), axis=0)]
    x, turns, worst = fitted(moved, error, x, turns - turns[0], timed=False, quick=False)
    if not worst < 0.2 * abs(wanted[-1] - wanted[0]) or abs(x[1]) < 1e-3:
        return None
    back = np.argsort(order)
    at = {name: z[back] * (d - a) + a for name, z in moved(x, turns).items()}
    bar = FourBar.drawn(np.array([a, at["B"][0], at["C"][0], d, at["P"][0]]))
    reached = float(np.max(np.abs(at["P"] - (wanted * (d - a) + a))))
    if not math.isfinite(reached):
        return None
    return bar.visiting(list(zip(at["B"].tolist(), at["C"].tolist(), strict=True)), reached, GOAL)
