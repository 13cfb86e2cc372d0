"""Bottoms of dips of the singularity measure: searches on curves whose minima and roots are known."""

import math
from types import SimpleNamespace

import numpy as np
import pytest

from pytrammel.analysis.driven.trouble import CREEPING, MANY, SINGULAR, _bottom, _joined, _root_between, _sharpened


class Curve:
    """A measure that is a function of time, for a mechanism with a given speed."""

    def __init__(self, measure, speed=1.0, scales=(1.0, 1.0)):
        self.measure = measure
        self.run = SimpleNamespace(system=SimpleNamespace(column_scales=lambda: np.array(scales)))
        self.at = np.array([[0.0, 0.0, 0.0], [0.0, speed, 99.0], [0.0, 0.0, 0.0]])


@pytest.mark.parametrize("bottom", [3.05, 3.31, 3.5, 3.67])
@pytest.mark.parametrize("floor", [0.01, 0.3])
def test_the_bottom_of_a_smooth_dip_is_found(bottom, floor):
    looks = []

    def measure(t):
        looks.append(t)
        return floor + (t - bottom) ** 2

    time, value = _bottom(Curve(measure), 3.0, 3.7)
    assert min(looks) >= 3.0 and max(looks) <= 3.7
    assert time == pytest.approx(bottom, abs=1e-4)  # where a square of 1e-8 is rounding of the floor, and 0.618^30
    assert value == pytest.approx(floor, abs=1e-8)
    assert value == min(floor + (t - bottom) ** 2 for t in looks)


@pytest.mark.parametrize("bottom", [3.05, 3.31, 3.5, 3.67])
def test_a_singular_position_is_found_to_rounding(bottom):
    """The measure is |s|; the cubic through four points follows s far better than the golden section does."""
    s = lambda t: math.sin(t - bottom) + 0.2 * (t - bottom) ** 2  # noqa: E731
    time, value = _bottom(Curve(lambda t: abs(s(t))), 3.0, 3.7)
    assert time == pytest.approx(bottom, abs=1e-9)
    assert value <= 1e-5


@pytest.mark.parametrize(("floor", "sharpened"), [(0.9 * SINGULAR, True), (1.1 * SINGULAR, False)])
def test_dips_above_the_limit_are_not_sharpened(floor, sharpened):
    """Of a measure with a floor, only values below 1e-3 may belong to a root."""
    calls = []

    def measure(t):
        calls.append(t)
        return floor + abs(t - 0.4)

    _bottom(Curve(measure), 0.0, 1.0)
    assert (len(calls) > 2 + 2 + 30) is sharpened


@pytest.mark.parametrize(("height", "flat"), [(0.5e-6, True), (2e-6, False)])
def test_a_measure_that_changes_by_rounding_has_no_bottom(height, flat):
    time, value = _bottom(Curve(lambda t: 0.5 * (1.0 + height * (t - 0.382) / 0.618)), 0.0, 1.0)
    assert math.isinf(value) is flat
    assert time == pytest.approx(1.0 - 0.5 * (math.sqrt(5.0) - 1.0) if flat else 0.0, abs=1e-5)


@pytest.mark.parametrize(
    ("speed", "scales", "longest", "reach"),
    [
        (1.0, (1.0, 1.0), 10.0, 0.06),
        (3.0, (1.0, 1.0), 10.0, 0.02),
        (3.0, (1.0, 6.0), 10.0, 0.12),
        (1.0, (1.0, 1.0), 0.01, 0.04),
        (0.0, (1.0, 1.0), 0.01, 0.04),
        (0.05, (1.0, 1.0), 10.0, 1.2),
    ],
)
def test_roots_are_sharpened_within_a_short_distance(speed, scales, longest, reach):
    """The first points are 0.03 scales of motion apart, or twice the width of the dip; then four tenths of that."""
    looks = []

    def measure(t):
        looks.append(t)
        return abs(math.sinh(t - 2.0))

    assert _sharpened(Curve(measure, speed, scales), 2.0 + 0.2 * reach, longest) == pytest.approx(2.0, abs=1e-9)
    assert (looks[:4] - (2.0 + 0.2 * reach * np.ones(4))) / (0.5 * reach) == pytest.approx([-2.0, -1.0, 1.0, 2.0])
    assert len(looks) == 16
    widths = np.ptp(np.reshape(looks[: 4 * (len(looks) // 4)], (-1, 4)), axis=1)
    assert widths[:4] == pytest.approx(2.0 * reach * 0.4 ** np.arange(len(widths[:4])), rel=1e-9)


def test_a_dip_without_a_root_is_left_where_it_was():
    assert _sharpened(Curve(lambda t: 0.1 + 0.0 * t), 2.0, 1.0) == 2.0
    assert _sharpened(Curve(lambda t: 0.0 * t), 2.0, 1.0) == 2.0


def test_the_root_of_a_cubic_inverse_is_exact():
    times = lambda s: 3.0 - 2.0 * s + 0.5 * s**2 + 0.25 * s**3  # noqa: E731
    s = np.array([-2.0, -0.5, 1.0, 3.0])
    assert _root_between(times(s), s) == pytest.approx(3.0, rel=1e-14)


@pytest.mark.parametrize(("count", "joined"), [(MANY, False), (MANY + 1, True)])
def test_many_dips_side_by_side_become_one(count, joined):
    """Dips of 1/2 s, 2.5 s apart, and gaps of less and of more than ten widths of the dip that follows."""
    begin = 3.0 * np.arange(count)
    begin[50:] += 0.98 * 0.5 * CREEPING - 2.5
    begin[100:] += 1.02 * 0.5 * CREEPING - 2.5
    dips = np.column_stack([begin, begin + 0.5])
    found = _joined(dips)
    if not joined:
        assert np.array_equal(found, dips)
    else:
        assert found.tolist() == [[0.0, dips[99, 1]], [dips[100, 0], dips[-1, 1]]]
