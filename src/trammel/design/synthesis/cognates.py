"""Roberts-Chebyshev cognates: the two other four-bars that trace the same coupler curve."""

from __future__ import annotations

from trammel.design.synthesis.four_bar import FourBar
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
    if not isinstance(four_bar, FourBar):
        raise ModelError(f"cognates are those of a FourBar, but {short(four_bar)} was given.")
    if four_bar.P is None:
        raise ModelError("this four-bar has no coupler point P, so it draws no curve; give P.")
    a, b, c, d, p = four_bar.complex_points
    for pin, name in ((b, "B"), (c, "C")):
        if abs(p - pin) <= SAME * sum(four_bar.lengths):
            raise ModelError(f"the coupler point P is the pin {name}: its curve is a circle, which has no cognates.")
    k = (p - b) / (c - b)
    e = a + k * (d - a)
    with_crank = FourBar(pair(e), pair(e + (1 - k) * (b - a)), pair(d + p - c), four_bar.D, four_bar.P)
    with_coupler = FourBar(four_bar.A, pair(a + p - b), pair(a + p - b + k * (b - a)), pair(e), four_bar.P)
    return with_crank, with_coupler
