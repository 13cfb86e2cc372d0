"""Worst cases of quantities with many local extremes inside the tolerances, against extremes that other means find exactly."""

from __future__ import annotations

import re
import warnings

import numpy as np
import pytest

import pytrammel as tm

GRID = np.linspace(-1.0, 1.0, 401)


def chained(seed, count):
    """A sum of sines of single parameters and products of neighbours: formula, and both extremes on a grid by dynamic programming."""
    rng = np.random.default_rng(seed)
    sines = rng.uniform([0.5, 2.0, 0.0], [1.5, 7.0, 6.3], (count, 3)).tolist()
    pairs = rng.uniform(-1.5, 1.5, count - 1).tolist()
    text = " + ".join(f"{a!r}*sin({w!r}*p{k} + {f!r})" for k, (a, w, f) in enumerate(sines))
    text += "".join(f" + ({c!r})*p{k}*p{k + 1}" for k, c in enumerate(pairs))
    found = []
    for sign in (-1.0, 1.0):
        # best[j]: extreme over all parameters so far where the last one is GRID[j]
        best = np.zeros(GRID.size)
        for k, (a, w, f) in enumerate(sines):
            own = sign * a * np.sin(w * GRID + f)
            best = own + ((best[:, None] + sign * pairs[k - 1] * np.outer(GRID, GRID)).max(axis=0) if k else 0.0)
        found.append(sign * float(best.max()))
    return text, tuple(found)


def worst_case(text, count):
    m = tm.PlanarModel("given")
    for k in range(count):
        m.parameter(f"p{k}", 0.0)
    m.body("b")
    m.constrain("cy", "b.y")
    m.constrain("cp", "b.phi")
    m.driver("d", "b.x", text)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = m.tolerances("b.x[end]", times=[0.0, 1.0], tolerance={f"p{k}": 1.0 for k in range(count)})
    return found.worst_case


@pytest.mark.sampled(3)
@pytest.mark.parametrize("count", [2, 3, 4, 5])
def test_the_extremes_of_many_are_found(count, complete):
    for seed in range(4 if complete else 1):
        text, (low, high) = chained(100 * count + seed, count)
        found = worst_case(text, count)
        # points of the grid lie within the tolerances: the true extremes are at least as far out
        assert found.low <= low + 1e-9
        assert found.high >= high - 1e-9


def test_the_statement_counts_searches_and_local_extremes():
    found = worst_case(chained(7, 2)[0], 2)
    assert found.maxima[0] == pytest.approx(found.high, rel=1e-9)
    assert found.minima[0] == pytest.approx(found.low, rel=1e-9)
    assert list(found.maxima) == sorted(found.maxima, reverse=True)
    assert found.reached_high >= 1
    assert found.scanned > 0
    numbers = [int(x) for x in re.findall(r"(\d+) (?:corner|interior|point|start|local)", found.searched)]
    for number in (found.corners, found.samples, found.scanned, found.starts, len(found.minima), len(found.maxima)):
        assert number in numbers


def test_there_are_at_most_twelve_searches_for_each_end():
    """The documented limit (docs/uncertainty.md), where a sum of waves and a slope has more extremes than that."""
    found = worst_case("sin(12*p0 + 0.3) + 0.3*p0 + 1.1*sin(12*p1 + 1.3)", 2)
    p = np.linspace(-1.0, 1.0, 200_001)
    first = np.sin(12.0 * p + 0.3) + 0.3 * p
    # between points of the grid the waves rise by at most 144 (5e-6)²/2 = 2e-9
    assert found.high == pytest.approx(first.max() + 1.1, abs=1e-8)
    assert found.low == pytest.approx(first.min() - 1.1, abs=1e-8)
    assert found.starts <= 2 * 12


def test_quantities_without_turning_derivatives_are_not_scanned():
    found = worst_case("p0 + 0.1*p0^3 + 2*p1", 2)
    assert (found.low, found.high) == pytest.approx((-3.1, 3.1))
    assert found.scanned == 0
    assert found.turning == ()
