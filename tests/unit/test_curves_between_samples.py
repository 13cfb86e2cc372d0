"""Quantities between samples: exact polynomials, turning points, sides of events."""

from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.polynomial import Polynomial

from pytrammel.results.formulas.extremes import _beyond, _Curve, _series, _sides, _turning

TIMES = np.array([0.0, 0.3, 0.8, 1.0, 1.7, 2.2, 2.4, 3.0])


def curve_of(f, rates=0, times=TIMES, broken=(), breaks=()):
    """A series of a polynomial with known rates up to an order; intervals that are not smooth."""
    out = _Curve.__new__(_Curve)
    out.times, out.values, out.unit = times, f(times), "m"
    out.rate = f.deriv()(times) if rates > 0 else None
    out.second = f.deriv(2)(times) if rates > 1 else None
    out.smooth = np.array([k not in broken for k in range(times.size - 1)])
    out.corners, out.breaks = np.zeros_like(out.smooth), np.array(breaks)
    return out


F = Polynomial([0.3, -2.0, 1.1, 0.7, -0.9, 0.2])
AT = np.linspace(0.0, 3.0, 61)


@pytest.mark.parametrize(("degree", "rates"), [(5, 2), (5, 1), (4, 0)])
def test_polynomials_are_exact_to_the_order_of_what_is_known(degree, rates):
    """Values and both rates at two samples determine a quintic; five samples of a rate, or of the values, a quartic of theirs."""
    f = Polynomial(F.coef[: degree + 1])
    np.testing.assert_allclose(curve_of(f, rates).evaluate(AT), f(AT), atol=1e-12)


def test_cubics_are_the_lower_order():
    f = Polynomial(F.coef[:4])
    found = curve_of(f, 1)
    for i, t in enumerate(0.5 * (TIMES[1:] + TIMES[:-1])):
        assert found.at(i, found.lower[i], float(t)) == pytest.approx(f(t), abs=1e-13)
    g = Polynomial(F.coef[:3])
    found = curve_of(g)  # without rates: parabolas through three samples
    for i, t in enumerate(0.5 * (TIMES[1:] + TIMES[:-1])):
        assert found.at(i, found.lower[i], float(t)) == pytest.approx(g(t), abs=1e-13)


def test_lines_join_samples_where_the_motion_is_not_smooth():
    found = curve_of(F, 2, broken=(3,))
    inside = (AT > 1.0) & (AT < 1.7)
    np.testing.assert_allclose(found.evaluate(AT[~inside]), F(AT[~inside]), atol=1e-12)
    np.testing.assert_allclose(found.evaluate(AT[inside]), np.interp(AT[inside], TIMES, F(TIMES)), atol=1e-12)
    # estimates do not look across it: three samples on one side determine a parabola
    g = Polynomial([0.1, 0.5, -0.8])
    short = curve_of(g, broken=(2,))
    np.testing.assert_allclose(short.evaluate(AT[AT <= 0.8]), g(AT[AT <= 0.8]), atol=1e-12)
    twice = curve_of(g, times=np.array([0.0, 0.5, 1.0, 1.0, 1.5, 2.0]))  # an event stands twice
    np.testing.assert_allclose(
        twice.evaluate(np.array([0.2, 0.9, 1.2, 1.9])), g(np.array([0.2, 0.9, 1.2, 1.9])), atol=1e-12
    )


@pytest.mark.parametrize("rates", [0, 1, 2])
def test_turning_points_are_zeros_of_the_slope(rates):
    f = Polynomial([0.5, -3.0, 3.8, -1.8, 0.28])
    found = _turning(curve_of(f, rates))
    zeros = sorted(float(r.real) for r in f.deriv().roots() if abs(r.imag) < 1e-9 and 0.0 < r.real < 3.0)
    assert [t for t, *_ in found] == pytest.approx(zeros, abs=1e-9) and zeros
    for t, value, error in found:
        assert value == pytest.approx(f(t), abs=1e-12) and error >= 0.0
    flat = curve_of(Polynomial([1.0, 2.0]), rates)
    assert _turning(flat) == []


def test_sizes_pass_near_nil_as_roots_of_smooth_squares():
    """The distance from a point that a straight path passes at 0.01: its square is a parabola."""
    path = Polynomial([1.3**2 + 0.01**2, -2.6, 1.0])
    found = curve_of(Polynomial([0.0]))
    found.values = np.sqrt(path(TIMES))
    lows = [(t, value) for t, value, _ in _turning(found) if value < 0.1]
    assert lows == [(pytest.approx(1.3, abs=1e-9), pytest.approx(0.01, abs=1e-9))]


def test_pairs_of_turning_points_that_differ_by_rounding_are_removed():
    points = [(0.1, 1.0), (0.2, 3.0), (0.3, 3.0 - 1e-9), (0.4, 3.0 + 5e-9), (0.5, 0.0)]
    assert _beyond(points, 3.0, 1e-8) == [(0.1, 1.0), (0.4, 3.0 + 5e-9), (0.5, 0.0)]
    assert _beyond(points, 3.0, 1e-10) == points
    assert _beyond(points, 1e-8, 1e-8) == [] and _beyond(points[:2], 3.0, 2.0) == []


@pytest.mark.parametrize("k", [0, 3, 7])
def test_series_continue_a_side_to_the_time_of_an_event(k):
    f = Polynomial([0.3, -2.0, 1.1, 0.7])
    time = float(TIMES[k]) + 0.05
    value, error = _series(curve_of(f, 2), k, time)  # value, both known rates and the third one by five samples
    assert value == pytest.approx(f(time), abs=1e-13) and error > 0.0


def test_both_sides_of_an_event_are_known_at_its_time():
    f = Polynomial([0.3, -2.0, 1.1, 0.7])
    known, possible = _sides(curve_of(f, 2, broken=(3,), breaks=(1.1, 1.5)))
    assert [t for t, *_ in known] == [1.1, 1.5] and possible == []  # before the first one, after the last one
    assert [x for _, x, _ in known] == pytest.approx([f(1.1), f(1.5)], abs=1e-12)
    known, possible = _sides(curve_of(f, 2, broken=(3,)))
    assert known == [] and [pair[1:] for pair in possible] == [(1.0, 1.7)] * 2
    assert [x for x, *_ in possible] == pytest.approx([f(1.7), f(1.0)], abs=1e-12)
    ends = _sides(curve_of(f, 2, broken=(3,), breaks=(1.0, 1.7)))[0]
    assert [t for t, *_ in ends] == [1.7, 1.7]  # an event at the first sample belongs to the interval before
    assert math.isfinite(ends[0][1])
