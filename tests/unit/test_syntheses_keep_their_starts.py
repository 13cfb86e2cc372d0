"""Syntheses are at least as good as the designs they begin from, wherever rounding or a short effort leads their fits."""

from __future__ import annotations

import numpy as np
import pytest

from pytrammel import synthesis
from pytrammel.design.synthesis.cranked import worth
from pytrammel.design.synthesis.generation import functions, motions, paths, six_bars

pytestmark = pytest.mark.search
BAR = synthesis.FourBar((0, 0), (0.3, 0.95), (3.2, 2.1), (4, 0), (1.5, 3.2))


TURNS = np.linspace(0, 1.5, 7)  # so far that no pair of two links has to pass its dead point


def poses(seed: int) -> np.ndarray:
    """The coupler's own poses, shaken a little."""
    at = BAR.complex_at(BAR.crank_angle + TURNS)
    turn = np.angle((at["C"] - at["B"]) / (at["C"][0] - at["B"][0]))
    out = np.column_stack([at["P"].real, at["P"].imag, turn])
    out[1:] += 0.02 * np.random.default_rng(seed).normal(size=(6, 3))
    return out


@pytest.fixture
def astray(monkeypatch):
    """Fits that end anywhere near their start: what another rounding may do to them, and worse."""
    random = np.random.default_rng(4)

    def fitted(moved, error, start, turns, *, timed, effort=100, quick=True):
        x = start + 0.3 * random.normal(size=start.size)
        with np.errstate(all="ignore"):
            away = np.abs(error(x, moved(x, turns)))
        return x, turns, float(np.max(away)) if np.all(np.isfinite(away)) else np.inf

    for module in (six_bars, motions, paths):
        monkeypatch.setattr(module, "fitted", fitted)


@pytest.mark.parametrize("kind", ["Watt I", "Watt I at the crank", "Stephenson I", "Stephenson III"])
@pytest.mark.parametrize("seed", [2, 3])
def test_a_guided_link_is_as_near_as_the_four_bar_it_is_fastened_to(kind, seed, astray, monkeypatch):
    four = paths._as_given(BAR.visiting(_pins(BAR, TURNS), 0.0, ""), _path(poses(seed)), None)
    monkeypatch.setattr(six_bars, "motion_four_bars", lambda *_, **__: (four,))
    six = synthesis.motion_six_bars(poses(seed), kind=kind, starts=1)[0]
    assert six.defects == ()
    size = float(np.max(np.abs(_path(poses(seed)) - _path(poses(seed))[0])))
    coupler = BAR.complex_at(BAR.crank_angle + TURNS)
    turned = np.angle((coupler["C"] - coupler["B"]) / (coupler["C"][0] - coupler["B"][0])) - poses(seed)[:, 2]
    assert six.residual <= max(four.residual, size * float(np.max(np.abs(turned)))) * (1 + 1e-9)


def _path(table):
    return table[:, 0] + 1j * table[:, 1]


def _pins(bar, turns, first=BAR.crank_angle):
    at = bar.complex_at(first + turns)
    return list(zip(at["B"].tolist(), at["C"].tolist(), strict=True))


@pytest.mark.parametrize("kind", ["Watt I", "Watt I at the crank", "Stephenson III"])
def test_the_path_of_a_six_bar_is_as_near_as_that_of_its_four_bar(kind, astray, monkeypatch):
    four = paths._as_given(BAR.visiting(_pins(BAR, TURNS), 0.0, ""), _path(poses(5)), None)
    monkeypatch.setattr(six_bars, "path_four_bars", lambda *_, **__: (four,))
    six = synthesis.path_six_bars(poses(5)[:, :2], kind=kind, starts=1)[0]
    assert six.defects == () and six.residual <= four.residual * (1 + 1e-9)


@pytest.mark.parametrize("kind", ["Watt II", "Stephenson III"])
def test_the_function_of_a_six_bar_is_as_near_as_that_of_its_four_bar(kind, astray):
    x = np.linspace(0.0, 1.0, 12)
    inputs, outputs = 1.2 * x, 0.8 * x + 0.1 * x**2
    four = synthesis.function_four_bars(inputs, outputs, free=("input", "output"))[0]
    at = four.complex_at(four.cranks, side=four.sides)
    moved = np.angle((at["C"] - complex(*four.D)) / (at["C"][0] - complex(*four.D))) - (outputs - outputs[0])
    six = synthesis.function_six_bars(inputs, outputs, kind=kind, starts=1)[0]
    assert six.defects == () and six.residual <= float(np.max(np.abs(moved))) * (1 + 1e-9)


@pytest.mark.parametrize("timed", [False, True])
def test_a_given_design_stands_where_no_fit_is_as_good(timed, astray):
    turns = np.linspace(0, 2.5, 12)
    at = BAR.complex_at(BAR.crank_angle + turns)
    points = np.column_stack([at["P"].real, at["P"].imag]) + 1e-3
    given = BAR.visiting(_pins(BAR, turns), 0.0, "")
    found = synthesis.path_four_bars(points, timing=turns if timed else None, starts=[given])
    assert found[0].defects == () and found[0].residual == pytest.approx(1e-3 * np.sqrt(2.0), rel=1e-9)
    slider = synthesis.SliderCrank((0, 0), (0.5, 0.8), (3.0, 0.2), 0.0, (1.0, 1.5))
    at = slider.complex_at(slider.cranks[0] + turns)
    points = np.column_stack([at["P"].real, at["P"].imag]) + 1e-3
    given = slider.visiting(_pins(slider, turns, slider.cranks[0]), 0.0, "")
    found = synthesis.path_slider_cranks(points, timing=turns if timed else None, starts=[given])
    assert found[0].residual == pytest.approx(1e-3 * np.sqrt(2.0), rel=1e-9)


def test_a_fitted_design_is_never_worse_than_the_design_it_is_given():
    turns = np.linspace(0, 2.5, 12)
    at = BAR.complex_at(BAR.crank_angle + turns)
    for seed in range(3):
        points = np.column_stack([at["P"].real, at["P"].imag]) + 0.01 * np.random.default_rng(seed).normal(size=(12, 2))
        given = BAR.visiting(_pins(BAR, turns), 0.0, "")
        before = paths._as_given(given, _path(points), None)
        assert worth(synthesis.path_four_bars(points, starts=[given])[0]) <= worth(before)


def test_guided_couplers_without_defects_are_kept_from_the_start(monkeypatch):
    """A fit of which every design has a defect does not hide a start without one."""
    fits = motions.fitted

    def spoiled(moved, error, start, turns, **options):
        x, at, worst = fits(moved, error, start, turns, **options)
        return x, at[::-1].copy() if options["timed"] is False else at, worst  # another order of the positions

    honest = synthesis.motion_four_bars(poses(2), starts=4)
    assert len(honest) > 1 and len({bar.lengths for bar in honest}) == len(honest)  # every fit, each once
    before = honest[0]
    monkeypatch.setattr(motions, "fitted", spoiled)
    found = synthesis.motion_four_bars(poses(2), starts=4)[0]
    assert before.defects == () == found.defects


def test_functions_without_defects_are_kept_from_the_start(monkeypatch):
    x = np.linspace(0.0, 1.0, 12)
    monkeypatch.setattr(functions, "_least_squares", lambda *_: iter(()))
    found = synthesis.function_four_bars(1.2 * x, 0.9 * x**2, free=("input", "output"))[0]
    assert found.defects == () and found.residual < 0.02  # exact in five of the twelve points


def test_the_best_quick_return_is_as_good_as_the_best_one_tried(monkeypatch):
    import scipy.optimize

    class Astray:
        x = 3.0

    honest = synthesis.quick_return_four_bars(0.9, time_ratio=1.2)[0]
    monkeypatch.setattr(scipy.optimize, "minimize_scalar", lambda *_, **__: Astray)
    found = synthesis.quick_return_four_bars(0.9, time_ratio=1.2)[0]
    assert found.transmission_worst == pytest.approx(honest.transmission_worst, rel=0.05)  # the step of those tried


def test_the_best_quick_return_is_refined_between_the_neighbours_of_the_best_one_tried(monkeypatch):
    import scipy.optimize

    brackets = []
    search = scipy.optimize.minimize_scalar

    def noted(f, *, bounds, **options):
        found = search(f, bounds=bounds, **options)
        brackets.append((*bounds, float(found.x)))
        return found

    monkeypatch.setattr(scipy.optimize, "minimize_scalar", noted)
    synthesis.quick_return_four_bars(0.9, time_ratio=1.2)
    step = 26.0 / 260  # those tried are spaced evenly from -12 to 14
    assert len(brackets) == 2
    for low, high, best in brackets:
        assert high - low == pytest.approx(2 * step, rel=1e-12)
        assert abs(best - 0.5 * (low + high)) <= 0.5 * step * (
            1 + 1e-6
        )  # nearer to the one tried than to its neighbours
