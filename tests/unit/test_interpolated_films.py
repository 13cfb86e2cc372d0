"""Interpolation of films: parabolas between uneven frames are exact, jumps stay jumps; thinned series on both sides of limits."""

from __future__ import annotations

import numpy as np
import pytest

from pytrammel.view.animation.thinning import SMOOTH, Between, extreme_rows, is_coarse, kept_frames


def parabola(t):
    return 0.7 - 1.3 * t + 0.9 * t * t


def test_parabolas_between_uneven_frames_are_exact():
    t = np.linspace(0.0, 2.0, 41) ** 1.5
    rows = np.array([0, 3, 11, 12, 26, 40])
    np.testing.assert_allclose(Between(t, rows).interpolated(parabola(t)), parabola(t[:-1]), atol=1e-14)


def test_linear_series_and_two_frames_give_straight_lines():
    t = np.array([0.0, 0.1, 0.4, 0.5, 1.0])
    for linear, rows in ((True, [0, 3, 4]), (False, [0, 4])):
        kept = np.array(rows)
        expected = np.interp(t, t[kept], parabola(t[kept]))[:-1]
        np.testing.assert_allclose(Between(t, kept).interpolated(parabola(t), linear=linear), expected, atol=1e-15)


def test_frames_at_one_time_are_a_jump_that_no_slope_crosses():
    half = np.linspace(0.0, 1.0, 11)
    t = np.concatenate([half, 1.0 + half])
    before, after = parabola(half), 5.0 - 2.0 * parabola(half)
    x = np.concatenate([before, after])
    rows = np.array([0, 5, 10, 11, 16, 21])
    np.testing.assert_allclose(Between(t, rows).interpolated(x), x[:-1], atol=1e-14)
    # a single stretch next to a jump is a straight line
    rows = np.array([0, 10, 11, 16, 21])
    straight = np.interp(half, [0.0, 1.0], before[[0, -1]])
    np.testing.assert_allclose(Between(t, rows).interpolated(x)[:10], straight[:10], atol=1e-14)
    np.testing.assert_allclose(Between(t, rows).interpolated(x)[11:], x[11:-1], atol=1e-14)


@pytest.mark.parametrize(("bump", "visible"), [(0.98, False), (1.02, True)])
def test_samples_off_the_line_are_visible_from_a_share_of_the_range(bump, visible):
    t = np.array([0.0, 1.0, 3.0, 4.0, 6.0])
    x = 2.0 + 4.0 * t
    x[2] += bump * SMOOTH * 24.0  # the range is 24
    assert is_coarse(t, x, np.array([0, 1, 3, 4])) is visible
    assert is_coarse(t, 2.0 * x - 60.0, np.array([0, 1, 3, 4])) is visible
    assert not is_coarse(t, x, np.arange(5))


def test_parts_are_kept_from_the_first_number_of_samples_beyond_them():
    for n, count in ((8, 8), (9, 8)):
        values = np.arange(2.0 * n).reshape(2, n)
        assert extreme_rows(np.arange(float(n)), values, 3).shape == (2, count)
    # three parts of two seconds, the middle one without samples: it repeats the row before it
    t = np.array([0.0, 0.5, 1.0, 1.5, 4.5, 4.7, 5.0, 5.5, 6.0])
    x = np.array([[0.0, 3.0, -1.0, 2.0, 5.0, 9.0, 4.0, -7.0, 1.0]])
    assert extreme_rows(t, x, 3).tolist() == [[0, 1, 2, 3, 3, 5, 7, 8]]


def test_frames_are_spread_evenly_with_both_ends():
    assert kept_frames(0, 5).tolist() == [] and kept_frames(1, 5).tolist() == [0]
    assert kept_frames(11, 3).tolist() == [0, 5, 10] and kept_frames(11, 1).tolist() == [0, 10]
    assert kept_frames(4, 9).tolist() == [0, 1, 2, 3]
