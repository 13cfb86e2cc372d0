"""Roberts-Chebyshev cognates: the two other four-bars that trace the same coupler curve, and parallel motion along it."""

from __future__ import annotations

from trammel.design.synthesis.four_bar import FourBar
from trammel.design.synthesis.six_bar import SixBar
from trammel.design.synthesis.wishes import SAME, pair
from trammel.errors import ModelError
from trammel.sentences import in_sentences, short


@in_sentences
def cognates(four_bar: FourBar) -> tuple[FourBar, FourBar]:
    """The two cognates of a four-bar with a coupler point P; all three draw the same curve.

    The third fixed pivot E makes the triangle A, D, E similar to B, C, P. The first cognate stands on E and D; its crank turns as the
    crank of the given one, so P is at the same place at the same angle. The second stands on A and E; its crank turns as the
    coupler of the given one.

    Args:
        four_bar: Design with a coupler point away from both pins B and C.
    """
    a, b, c, d, p = _traced(four_bar, "a cognate")
    k = (p - b) / (c - b)
    e = a + k * (d - a)
    with_crank = FourBar(pair(e), pair(e + (1 - k) * (b - a)), pair(d + p - c), four_bar.D, four_bar.P)
    with_coupler = FourBar(four_bar.A, pair(a + p - b), pair(a + p - b + k * (b - a)), pair(e), four_bar.P)
    return with_crank, with_coupler


@in_sentences
def parallel_six_bar(four_bar: FourBar) -> SixBar:
    """A Watt I six-bar whose link EF does not turn while E draws the coupler curve of a four-bar.

    The cognate whose crank turns as the given one is moved until it shares its pivot; its coupler, which turns as the rocker, then
    carries a point that stays at a fixed distance and direction from P.

    Args:
        four_bar: Design with a coupler point away from both pins B and C.
    """
    a, b, c, d, p = _traced(four_bar, "a parallel motion")
    k = (p - b) / (c - b)
    shift = -k * (d - a)  # from the third fixed pivot of the cognates, a + k (d - a), to A
    pin = a + (1 - k) * (b - a)
    return SixBar(four_bar, "Watt I at the crank", pair(p), pair(p + shift), pair(pin), pair(p), goal=four_bar.goal)


def _traced(four_bar: object, what: str) -> tuple[complex, complex, complex, complex, complex]:
    """Points of a four-bar with a coupler point that draws more than a circle."""
    if not isinstance(four_bar, FourBar):
        raise ModelError(f"{what} is that of a FourBar, but {short(four_bar)} was given.")
    if four_bar.P is None:
        raise ModelError("this four-bar has no coupler point P, so it draws no curve; give P.")
    a, b, c, d, p = four_bar.complex_points
    for pin, name in ((b, "B"), (c, "C")):
        if abs(p - pin) <= SAME * sum(four_bar.lengths):
            raise ModelError(f"the coupler point P is the pin {name}: its curve is a circle, which has no cognates.")
    return a, b, c, d, p
