"""Quick returns: crank-rockers for a swing and slider-cranks for a stroke that take longer one way than back.

In the dead centres crank and coupler are in line: C1 - A = u has the length b + a, and C2 - A = k e^{i alpha} u the length b - a. The crank
turns through pi + alpha from one to the other, so that u = (C2 - C1) / (k e^{i alpha} - 1); k = (b - a) / (b + a) is free, between 0 and 1.
"""

from __future__ import annotations

import cmath
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Generic, TypeVar

import numpy as np

from pytrammel._util.checks import checked, checked_number
from pytrammel._util.messages import in_sentences, unlike
from pytrammel.design.synthesis.argument_checks import degrees, pair, positive
from pytrammel.design.synthesis.four_bar import FourBar, meet
from pytrammel.design.synthesis.slider_crank import SliderCrank
from pytrammel.errors import ModelError

MET = 1e-9  # error of a design that stands on the wanted circuit
TRIED = np.linspace(-12.0, 14.0, 261).tolist()  # logits of k

Design = TypeVar("Design", FourBar, SliderCrank)


@checked
@in_sentences
def quick_return_four_bars(
    swing: float, *, time_ratio: float | None = None, imbalance: float | None = None, ground: float | None = None,
    crank: float | None = None, coupler: float | None = None, rocker: float | None = None,
) -> tuple[FourBar, ...]:  # fmt: skip
    """Crank-rockers whose rocker swings through an angle, slowly one way and quickly back, best transmission angle first.

    One length says how large they are (by default the ground, 1 m); a second one chooses among the crank-rockers that have these dead
    centres. Without it they are those with the best transmission angle: one that begins its slow stroke stretched out, one folded, for a
    crank that turns counterclockwise. Designs are drawn where that stroke begins.

    Args:
        swing: Angle between the ends of the rocker's motion [rad].
        time_ratio: Duration of the slow stroke over that of the quick one, at least 1.
        imbalance: Instead of it, by how much the crank turns more than half a turn in the slow stroke [rad].
        ground, crank, coupler, rocker: Lengths, at most two of them [m].
    """
    wide, lean = checked_number(swing, "the swing of the rocker"), _imbalance(time_ratio, imbalance)
    if not 0.0 < wide < math.pi:
        raise ModelError(f"the swing of the rocker must lie between 0 and 180°, but it is {degrees(wide)}.")
    _refuse_more("crank-rocker of this swing", lean, (math.pi + wide) / 2)
    lengths = _given("four-bar", {"ground": ground, "crank": crank, "coupler": coupler, "rocker": rocker}, 2)
    size, value = lengths.popitem() if lengths else ("ground", 1.0)

    def made(lean: float, k: float) -> FourBar | None:
        outer, inner = cmath.exp(-0.5j * wide), cmath.exp(0.5j * wide)  # C about D, the rocker of length 1
        u = (inner - outer) / (k * cmath.exp(1j * lean) - 1.0)
        long = abs(u)
        drawn = {
            "ground": abs(outer - u),
            "crank": (1.0 - k) / 2 * long,
            "coupler": (1.0 + k) / 2 * long,
            "rocker": 1.0,
        }
        d, a, b, c = (length * value / drawn[size] for length in drawn.values())
        at = complex(meet(0j, d + 0j, a + b, c, 1.0))
        if not (cmath.isfinite(at) and a < d):
            return None
        bar = FourBar((0.0, 0.0), pair(at * a / abs(at)), pair(at), (d, 0.0))
        return _met(bar, "swing", abs((bar.swing or 0.0) - wide), lean)

    def length(bar: FourBar, name: str) -> float:
        return bar.lengths[("ground", "crank", "coupler", "rocker").index(name)]

    return _Family(made, length, "crank-rocker", "coupler", "two lengths, such as ground= and coupler=").chosen(
        lean, lengths
    )


@checked
@in_sentences
def quick_return_slider_cranks(
    stroke: float, *, time_ratio: float | None = None, imbalance: float | None = None, crank: float | None = None,
    rod: float | None = None, offset: float | None = None,
) -> tuple[SliderCrank, ...]:  # fmt: skip
    """Slider-cranks of a stroke, slow one way and quick back, best transmission angle first.

    A length chooses among those that have these dead centres; without it the transmission angle is the best. The slide lies left or right
    of A: with a crank that turns counterclockwise one is slow on its way back, the other on its way out. The slide runs along x, A is
    the origin. Designs are drawn where the slow stroke begins.

    Args:
        stroke: Way of the slider between the dead centres [m].
        time_ratio: Duration of the slow stroke over that of the quick one, at least 1.
        imbalance: Instead of it, by how much the crank turns more than half a turn in the slow stroke [rad].
        crank, rod, offset: Lengths, at most one of them [m]; the offset to either side.
    """
    way, lean = positive(stroke, "the stroke of the slider"), _imbalance(time_ratio, imbalance)
    _refuse_more("slider-crank", lean, math.pi / 2)
    lengths = _given("slider-crank", {"crank": crank, "rod": rod, "offset": offset}, 1)

    def made(lean: float, k: float) -> SliderCrank | None:
        u = way / (1.0 - k * cmath.exp(1j * lean))
        slider = SliderCrank((0.0, 0.0), pair((1.0 - k) / 2 * u), pair(u))
        return _met(slider, "relative stroke", abs((slider.stroke_length or 0.0) / way - 1.0), lean)

    def length(slider: SliderCrank, name: str) -> float:
        return abs(float(getattr(slider, name)))

    return _Family(made, length, "slider-crank", "rod", "rod=").chosen(lean, lengths)


def _imbalance(time_ratio: object, imbalance: object) -> float:
    """By how much the crank turns more than half a turn in the slow stroke [rad]."""
    if (time_ratio is None) == (imbalance is None):
        raise ModelError("give time_ratio= or imbalance=, one of them.")
    if time_ratio is None:
        angle = checked_number(imbalance, "imbalance")
        if not 0.0 <= angle < math.pi:
            raise ModelError(
                f"imbalance must be at least 0 and below 180°, but it is {unlike(math.degrees(angle), 180.0)[0]}°."
            )
        return angle
    ratio = checked_number(time_ratio, "time_ratio")
    if ratio < 1.0:
        hint = f"; the slow stroke over the quick one is {1.0 / ratio:.6g}" if ratio > 0.0 else ""
        raise ModelError(f"time_ratio must be at least 1, but it is {unlike(ratio, 1.0)[0]}{hint}.")
    return math.pi * (ratio - 1.0) / (ratio + 1.0)


def _refuse_more(what: str, lean: float, most: float) -> None:
    if lean >= most:
        raise ModelError(
            f"no {what} has an imbalance of {degrees(lean)}; it must be below {degrees(most)}, "
            f"which is a time ratio of {(math.pi + most) / (math.pi - most):.4g}."
        )


def _given(what: str, lengths: Mapping[str, object], most: int) -> dict[str, float]:
    """Lengths that were given, no more than there are choices; the last one says how large a four-bar is."""
    found = {name: positive(value, f"the {name} of the {what}") for name, value in lengths.items() if value is not None}
    if len(found) > most:
        raise ModelError(f"{' and '.join(found)} are given; at most {most} of the lengths can be chosen.")
    return found


def _met(design: Design, what: str, gap: float, lean: float) -> Design | None:
    """The design where its slow stroke begins, with its true error; None if it has other dead centres."""
    centres = design.dead_centres
    if centres is None:
        return None
    error = max(gap, abs(centres[1] - centres[0] - math.pi - abs(lean)))
    if not error < MET:
        return None
    at = design.complex_at(centres)
    pins = list(zip(at["B"].tolist(), at["C"].tolist(), strict=True))
    moved = replace(design, B=pair(pins[0][0]), C=pair(pins[0][1]))
    return moved.visiting(pins, error, f"{what} and imbalance")


@dataclass(frozen=True)
class _Family(Generic[Design]):
    """Designs with the same dead centres: made(imbalance, k), where there is one; what is said of them."""

    made: Callable[[float, float], Design | None]
    length: Callable[[Design, str], float]
    word: str
    long: str
    choice: str

    def chosen(self, lean: float, wanted: Mapping[str, float]) -> tuple[Design, ...]:
        """Those with a wanted length, or the best of both ways to lean."""
        if not wanted and lean == 0.0:
            raise ModelError(
                f"with strokes of equal duration the transmission angle gets better with the {self.long} without end; give {self.choice}."
            )
        leans = (lean, -lean) if lean else (lean,)
        families = {each: [self._at(each, logit) for logit in TRIED] for each in leans}
        pick = self._of_length if wanted else self._best
        found = [design for each, tried in families.items() for design in pick(each, tried, wanted)]
        if not found:
            raise ModelError(
                self._missing(wanted, [each for tried in families.values() for each in tried if each is not None])
            )
        return tuple(sorted(found, key=lambda each: -each.transmission_worst))

    def _missing(self, wanted: Mapping[str, float], tried: Sequence[Design]) -> str:
        """Why there is none."""
        if not tried or not wanted:
            return f"no {self.word} with these dead centres was found that moves at all; lower the time ratio."
        ((name, value),) = wanted.items()
        sizes = [self.length(each, name) for each in tried]
        if max(sizes) - min(sizes) <= MET * max(sizes):
            return f"every {self.word} with these dead centres has a {name} of {sizes[0]:.6g} m, which chooses none; give the {self.long}."
        return f"no {self.word} with these dead centres has a {name} of {value:.6g} m; it goes from {min(sizes):.4g} to {max(sizes):.4g} m."

    def _at(self, lean: float, logit: float) -> Design | None:
        return self.made(lean, 1.0 / (1.0 + math.exp(-logit)))

    def _best(self, lean: float, tried: Sequence[Design | None], _: Mapping[str, float]) -> Iterator[Design]:
        from scipy.optimize import minimize_scalar

        def worst(logit: float) -> float:
            found = self._at(lean, logit)
            return 0.0 if found is None else -found.transmission_worst

        k = int(np.argmin([0.0 if each is None else -each.transmission_worst for each in tried]))
        around = TRIED[max(k - 1, 0)], TRIED[min(k + 1, len(TRIED) - 1)]
        best = minimize_scalar(worst, bounds=around, method="bounded", options={"xatol": 1e-9})
        made = [each for each in (tried[k], self._at(lean, float(best.x))) if each is not None]
        if made:
            yield max(made, key=lambda each: each.transmission_worst)

    def _of_length(self, lean: float, tried: Sequence[Design | None], wanted: Mapping[str, float]) -> Iterator[Design]:
        from scipy.optimize import brentq

        ((name, value),) = wanted.items()

        def away(logit: float) -> float:
            found = self._at(lean, logit)
            return math.nan if found is None else self.length(found, name) / value - 1.0

        gaps = np.array([math.nan if each is None else self.length(each, name) / value - 1.0 for each in tried])
        if np.nanmax(gaps, initial=-1.0) - np.nanmin(gaps, initial=1.0) <= MET:
            return  # all of them have this length
        for k in np.flatnonzero(gaps[:-1] * gaps[1:] <= 0.0):
            found = self._at(lean, brentq(away, TRIED[k], TRIED[k + 1], xtol=1e-15, rtol=1e-15))
            if found is not None:
                yield found
