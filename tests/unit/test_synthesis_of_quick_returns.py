"""Crank-rockers and slider-cranks for a time ratio, against the dead centres of the built models and against brute force."""

from __future__ import annotations

import math

import numpy as np
import pytest

import pytrammel as tm
from pytrammel import synthesis

pytestmark = pytest.mark.search

RNG = np.random.default_rng(4)
WISHES = [(float(RNG.uniform(0.2, 2.2)), float(RNG.uniform(1.02, 1.6))) for _ in range(5)]


def at_dead_centres(design: synthesis.FourBar | synthesis.SliderCrank) -> tm.results.Result:
    """The built model where its slow stroke begins, where it ends, and after a turn of a crank of 1 rad/s."""
    begin, end = design.dead_centres
    return design.model(speed=1.0).kinematics(times=[0.0, end - begin, math.tau], progress=False)


@pytest.mark.parametrize(("swing", "ratio"), WISHES)
def test_the_built_crank_rocker_turns_back_where_it_should(swing: float, ratio: float) -> None:
    for bar in synthesis.quick_return_four_bars(swing, time_ratio=ratio):
        k = at_dead_centres(bar)
        assert abs(k["rocker"].omega).max() < 1e-12
        assert abs(k["D"].angle[1]) == pytest.approx(swing, abs=1e-12)
        assert k.times[1] / (math.tau - k.times[1]) == pytest.approx(ratio, abs=1e-12)
        assert bar.residual < 1e-12 and bar.defects == () and bar.grashof == "crank-rocker"
        assert (bar.swing, bar.time_ratio) == pytest.approx((swing, ratio), abs=1e-12)


@pytest.mark.parametrize("ratio", [ratio for _, ratio in WISHES])
def test_the_built_slider_crank_turns_back_where_it_should(ratio: float) -> None:
    out, back = synthesis.quick_return_slider_cranks(0.3, time_ratio=ratio)
    for slider in (out, back):
        k = at_dead_centres(slider)
        assert abs(k["slider"].vx).max() < 1e-12
        assert abs(k["slider"].x[1] - k["slider"].x[0]) == pytest.approx(0.3, abs=1e-12)
        assert k.times[1] / (math.tau - k.times[1]) == pytest.approx(ratio, abs=1e-12)
        assert slider.residual < 1e-12 and slider.defects == () and slider.full_turn
    assert out.offset == pytest.approx(-back.offset, rel=1e-6)  # mirror images: one is slow on its way out


def by_law_of_cosines(ground: float, crank: float, coupler: float) -> tuple[float, float]:
    """Swing and imbalance of a crank-rocker whose rocker has the length 1."""

    def corner(near: float, side: float, opposite: float) -> float:
        return math.acos((near**2 + side**2 - opposite**2) / (2 * near * side))

    outer, inner = coupler + crank, coupler - crank
    swing = corner(ground, 1.0, outer) - corner(ground, 1.0, inner)
    return swing, corner(ground, inner, 1.0) - corner(ground, outer, 1.0)


def test_no_crank_rocker_with_these_dead_centres_transmits_better() -> None:
    """Neighbours with other grounds, their cranks and couplers by Newton's method on the law of cosines."""
    from scipy.optimize import fsolve

    swing, lean = 0.9, 0.25
    best = synthesis.quick_return_four_bars(swing, imbalance=lean, rocker=1.0)
    for sign, design in ((1, best[0]), (-1, best[1])):
        ground, *start = design.lengths[:3]
        assert by_law_of_cosines(ground, *start) == pytest.approx((swing, sign * lean), abs=1e-12)
        for other in ground * np.array([0.99, 0.999, 1.001, 1.01]):
            crank, coupler = fsolve(
                lambda x, g=other, s=sign: np.subtract(by_law_of_cosines(g, *x), (swing, s * lean)), start, xtol=1e-13
            )
            angles = [math.acos((coupler**2 + 1 - (other + d) ** 2) / (2 * coupler)) for d in (-crank, crank)]
            assert design.transmission_worst > min(angles[0], math.pi - angles[1])


def test_a_length_chooses_among_the_designs() -> None:
    for bar in synthesis.quick_return_four_bars(0.8, time_ratio=1.2, ground=2.0, crank=0.4):
        assert bar.lengths[:2] == pytest.approx((2.0, 0.4), rel=1e-12)
        assert (bar.swing, bar.time_ratio) == pytest.approx((0.8, 1.2), abs=1e-12)
    central = synthesis.quick_return_four_bars(0.8, time_ratio=1.0, rocker=1.0, coupler=3.0)[0]
    ground, crank, coupler, rocker = central.lengths
    assert crank == pytest.approx(math.sin(0.4), rel=1e-12)
    assert ground**2 + crank**2 == pytest.approx(coupler**2 + rocker**2, rel=1e-12)
    for slider in synthesis.quick_return_slider_cranks(0.3, time_ratio=1.2, offset=0.1):
        assert abs(slider.offset) == pytest.approx(0.1, rel=1e-12)


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        (lambda: synthesis.quick_return_four_bars(1.0), "give time_ratio= or imbalance="),
        (lambda: synthesis.quick_return_four_bars(1.0, time_ratio=1.2, imbalance=0.2), "give time_ratio= or imbalance="),
        (lambda: synthesis.quick_return_four_bars(1.0, time_ratio=0.8), "but it is 0.8; the slow stroke over the quick one is 1.25"),
        (lambda: synthesis.quick_return_four_bars(4.0, time_ratio=1.2), "between 0 and 180°, but it is 229.2°"),
        (lambda: synthesis.quick_return_four_bars(1.0, time_ratio=9.0), "it must be below 118.6°, which is a time ratio of 4.868"),
        (lambda: synthesis.quick_return_slider_cranks(1.0, time_ratio=3.1), "it must be below 90°, which is a time ratio of 3"),
        (lambda: synthesis.quick_return_four_bars(1.0, time_ratio=1.0, coupler=2.0), "give two lengths, such as ground= and coupler="),
        (lambda: synthesis.quick_return_four_bars(1.0, time_ratio=1.2, ground=1.0, crank=0.9), "has a ground of 1 m; it goes from"),
        (lambda: synthesis.quick_return_four_bars(1.0, time_ratio=1.2, ground=1, crank=1, rocker=1), "at most 2 of the lengths"),
        (lambda: synthesis.quick_return_slider_cranks(1.0, time_ratio=1.0, crank=0.5), "0.5 m, which chooses none; give the rod"),
        (lambda: synthesis.quick_return_slider_cranks(-1.0, time_ratio=1.2), "the stroke of the slider must be greater than 0"),
    ],
)  # fmt: skip
def test_what_cannot_be_is_said(asked: object, told: str) -> None:
    with pytest.raises(tm.ModelError) as caught:
        asked()  # type: ignore[operator]
    assert told in str(caught.value)
