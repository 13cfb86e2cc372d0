"""Growth of motions: doubling times, steps that the rest would need, and times of escape, against closed forms."""

import math
from types import SimpleNamespace

import numpy as np
import pytest

from pytrammel.analysis.runs.runaway import Growth, _growing, _rate_of, escape_time
from pytrammel.expressions.expression import parse


def doubled(times, first=0):
    """A motion whose speed reaches the next power of two at each of these times."""
    growth = Growth()
    for k, time in enumerate(times):
        growth.look(float(time), 1.5 * 2.0 ** (first + k))
    return growth


def test_only_the_first_time_at_each_power_of_two_is_kept():
    growth = Growth()
    for time, speed in enumerate((0.05, 1.9, 2.0, 3.9, 1.0, 3.0, 17.0, 0.0, math.inf, math.nan, 16.0)):
        growth.look(float(time), speed)
    assert list(growth._doublings) == [(-5, 0.0), (0, 1.0), (1, 2.0), (4, 6.0)]


@pytest.mark.parametrize(
    ("count", "since", "expected"), [(6, 0.0, False), (7, 0.0, True), (7, 5.9, True), (7, 6.0, False), (30, 28.5, True)]
)
def test_growth_continues_after_six_doublings(count, since, expected):
    for begin in (0.0, 50.0):
        for first in (-9, 0, 5):
            assert doubled(begin + np.arange(float(count)), first).still(begin + since) is expected


@pytest.mark.parametrize(("level", "expected"), [(29, False), (30, True)])
def test_a_speed_above_all_sizes_grows_still(level, expected):
    """The limit is 1e9, between 2^29 and 2^30."""
    growth = doubled(np.arange(7.0), first=level - 6)
    assert growth.still(since=100.0) is expected


def test_nothing_has_doubled_at_the_start():
    assert not Growth().still(0.0) and not Growth().hopeless(1e9, 1e9, 1.0)


@pytest.mark.parametrize("rate", [0.5, 3.0, 30.0])
@pytest.mark.parametrize("frequency", [10.0, 1e4])
def test_a_rest_is_hopeless_where_its_steps_exceed_a_hundred_times_those_allowed(rate, frequency):
    """Steps per second grow by exp(rate t): together frequency (exp(rate left) - 1) / rate."""
    growth, left = doubled(np.arange(7.0) * math.log(2.0) / rate), 4.0
    steps = frequency * math.expm1(rate * left) / rate
    assert growth.hopeless(left, frequency, 0.999 * steps / 100.0)
    assert not growth.hopeless(left, frequency, 1.001 * steps / 100.0)
    assert not doubled(np.arange(6.0) * math.log(2.0) / rate).hopeless(left, frequency, 0.0)


@pytest.mark.parametrize(("ratio", "expected"), [(1.24, True), (1.26, False), (0.5, True)])
def test_doubling_times_that_grow_are_no_reason_to_stop(ratio, expected):
    times = np.cumsum([0.0, 1.0, *np.cumprod(np.r_[1.0, np.full(4, 1.0), ratio])])[:8]
    assert doubled(times).hopeless(1e3, 1.0, 1.0) is expected


def test_the_last_doubling_counts_for_the_rest():
    """Seven doublings, the last within half the time of the others: the rate is ln 2 / 0.5 s."""
    growth, rate = doubled([*np.arange(7.0), 6.5]), math.log(2.0) / 0.5
    steps = 10.0 * math.expm1(rate * 4.0) / rate
    assert growth.hopeless(4.0, 10.0, 0.999 * steps / 100.0)
    assert not growth.hopeless(4.0, 10.0, 1.001 * steps / 100.0)


def test_speeds_that_skip_powers_count_them():
    """Two powers of two within two seconds are as fast as one within one."""
    growth = Growth()
    for level in (0, 1, 3, 4, 6, 7, 8):
        growth.look(float(level), 1.5 * 2.0**level)
    assert growth.hopeless(1e3, 1.0, 1.0)


def test_a_rest_beyond_all_numbers_is_hopeless():
    with np.errstate(all="raise"):
        assert doubled(np.arange(7.0) * 1e-9).hopeless(1e9, 1e3, 1e6)
        assert not doubled(np.full(7, 1.0)).hopeless(1.0, 1e3, 1e6)  # all at the same time: no folding


@pytest.mark.parametrize(("growth", "named"), [(1.11, False), (1.13, True)])
def test_an_escape_needs_a_rate_that_grows(growth, named):
    """1 / rate falls along a line that ends at t = 10 s; the rate itself grows by a factor between the first look and the last."""
    last = 10.0 - 10.0 / growth
    looks = [(t, 2.0 / (10.0 - t)) for t in (0.0, 0.5 * last, last)]
    assert math.isfinite(escape_time(looks)) is named
    if named:
        assert escape_time(looks) == pytest.approx(10.0, rel=1e-9)


@pytest.mark.parametrize(("bend", "named"), [(0.04, True), (0.06, False)])
def test_an_escape_needs_two_estimates_that_agree(bend, named):
    """The first half of the looks leads to 10 s, the second to a later time, by a share of what remains."""
    rest = 2.0
    later = 10.0 + bend * rest / (1.0 - bend)  # bend (later - last) = later - 10 for last = 8
    slope = 4.0 / (later - 6.0)
    points = [(2.0, 8.0), (4.0, 6.0), (6.0, 4.0), (7.0, 4.0 - slope), (8.0, 4.0 - 2.0 * slope)]
    found = escape_time([(t, 1.0 / inverse) for t, inverse in points])
    assert math.isfinite(found) is named
    if named:
        assert found == pytest.approx(later, rel=1e-9)


def test_an_escape_needs_three_looks_with_growth():
    looks = [(t, 1.0 / (1.0 - t)) for t in (0.0, 0.4, 0.8)]
    assert escape_time(looks) == pytest.approx(1.0)
    assert math.isnan(escape_time(looks[1:]))
    for idle in (0.0, -1.0, math.inf, math.nan):
        assert math.isnan(escape_time([looks[0], (0.4, idle), looks[2]]))
        assert escape_time([*looks[:2], (0.6, idle), looks[2]]) == pytest.approx(1.0)


def run_at(time, begin=0.0):
    """Clock of a run."""
    return SimpleNamespace(clock=np.array([time]), instants=np.array([begin, 100.0]))


@pytest.mark.parametrize(
    ("rate", "mean", "text"),
    [
        (4.0, 0.0, ", which grows by a factor of e within 0.25 s. "),
        (4.0, 2.0, ", which grows by a factor of e within 0.5 s. "),
        (4.0, 0.05, ", which grows by a factor of e within 20 s. "),
        (0.05, 0.0, ", which grows by a factor of e within 20 s. "),
        (4.0, -2.0, ", which grows by a factor of e within 0.25 s. "),
        (-4.0, 0.0, ", beyond what numbers can follow. "),
        (0.0, 0.0, ", beyond what numbers can follow. "),
        (math.nan, 0.0, ", beyond what numbers can follow. "),
        (math.inf, 0.0, ", beyond what numbers can follow. "),
        (math.nan, 2.0, ", which grows by a factor of e within 0.5 s. "),
    ],
)
def test_the_rate_of_growth_is_reported_as_a_folding_time(rate, mean, text):
    assert _growing(run_at(2.0), rate, mean=mean) == text


@pytest.mark.parametrize(
    ("begin", "rate", "escapes"), [(0.0, 0.9e6, False), (0.0, 1.1e6, True), (0.5, 1.1e6, False), (0.5, 2.1e6, True)]
)
def test_a_growth_a_million_times_faster_than_the_run_is_an_escape(begin, rate, escapes):
    """The limit is 1e-6 of the time since the start, 1 s or 0.5 s here."""
    text = _growing(run_at(1.0, begin), rate)
    assert ("escapes to infinity in a finite time, near t = 1 s" in text) is escapes


@pytest.mark.parametrize(
    ("end", "now", "shown"), [(12.3456789, 12.3, "12.35"), (12.3456789, 6.0, "12"), (12.3456789, 12.3456, "12.3457")]
)
def test_the_time_of_an_escape_has_as_many_digits_as_it_is_near(end, now, shown):
    """A time that is 4e-3 away in parts of itself has four digits, and never fewer than two or more than six."""
    looks = [(t, 1.0 / (end - t)) for t in (0.1 * now, 0.5 * now, 0.99 * now)]
    assert f"near t = {shown} s. " in _growing(run_at(now), 1.0, looks)


def test_an_escape_before_the_present_time_has_six_digits():
    looks = [(t, 1.0 / (12.3456789 - t)) for t in (1.0, 6.0, 12.0)]
    assert "near t = 12.3457 s. " in _growing(run_at(12.4), 1.0, looks)


def test_the_time_of_an_escape_that_rounding_hides_follows_from_the_rate():
    """One second after the start, at 1 ms, a rate of 1.25e6 1/s ends 0.8 microseconds later."""
    assert "near t = 0.0010008 s. " in _growing(run_at(1e-3, -0.999), 1.25e6)


def test_the_rate_of_a_state_is_evaluated_from_states_with_the_time():
    law = parse("2*z - w + t")
    assert _rate_of(law, {"z": 3.0, "w": 1.0}, 0.5) == 5.5
    assert math.isnan(_rate_of(law, {"z": 3.0}, 0.5))
    assert math.isnan(_rate_of(3.0, {"z": 0.0}, 0.0))
