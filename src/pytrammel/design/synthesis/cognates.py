"""Roberts-Chebyshev cognates: other four-bars and slider-cranks that trace the same coupler curve, and parallel motion along it."""

from __future__ import annotations

import cmath
import math
from typing import overload

from pytrammel._util.checks import checked
from pytrammel._util.messages import in_sentences, short
from pytrammel.design.synthesis.argument_checks import SAME, pair
from pytrammel.design.synthesis.four_bar import FourBar
from pytrammel.design.synthesis.six_bar import SixBar
from pytrammel.design.synthesis.slider_crank import SliderCrank
from pytrammel.errors import ModelError


@overload
def cognates(design: FourBar) -> tuple[FourBar, FourBar]: ...


@overload
def cognates(design: SliderCrank) -> tuple[SliderCrank]: ...


@checked
@in_sentences
def cognates(design: FourBar | SliderCrank) -> tuple[FourBar, FourBar] | tuple[SliderCrank]:
    """The two cognates of a four-bar with a coupler point P, or the one of a slider-crank; all draw the same curve.

    The third fixed pivot E makes the triangle A, D, E similar to B, C, P. The first cognate of a four-bar stands on E and D; its crank
    turns as the crank of the given one, so P is at the same place at the same angle. The second stands on A and E; its crank turns as
    the coupler of the given one. Of a slider-crank, whose D and E are at infinity, this one is left; its slide is turned by the angle
    between BC and BP.

    Args:
        design: Design with a coupler point away from both pins B and C.
    """
    if isinstance(design, SliderCrank):
        a, b, c, p = _rod_points(design)
        k = (p - b) / (c - b)
        turned = math.remainder(design.direction + cmath.phase(k), math.tau)
        return (SliderCrank(design.A, pair(a + p - b), pair(a + k * (c - a)), turned, design.P),)
    a, b, c, d, p = _traced(design, "a cognate")
    k = (p - b) / (c - b)
    e = a + k * (d - a)
    with_crank = FourBar(pair(e), pair(e + (1 - k) * (b - a)), pair(d + p - c), design.D, design.P)
    with_coupler = FourBar(design.A, pair(a + p - b), pair(a + p - b + k * (b - a)), pair(e), design.P)
    return with_crank, with_coupler


@checked("four_bar")
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
        _refuse_pin(abs(p - pin), sum(four_bar.lengths), name, "circle")
    return a, b, c, d, p


def _rod_points(slider: SliderCrank) -> tuple[complex, complex, complex, complex]:
    """A, B, C, P of a slider-crank whose point draws more than a circle or a line."""
    if slider.P is None:
        raise ModelError("this slider-crank has no point P of its rod, so it draws no curve; give P.")
    a, b, c, p = (complex(*each) for each in (slider.A, slider.B, slider.C, slider.P))
    _refuse_pin(abs(p - b), slider.crank + slider.rod, "B", "circle")
    _refuse_pin(abs(p - c), slider.crank + slider.rod, "C", "line")
    return a, b, c, p


def _refuse_pin(gap: float, size: float, name: str, curve: str) -> None:
    if gap <= SAME * size:
        raise ModelError(f"the coupler point P is the pin {name}: its curve is a {curve}, which has no cognates.")
