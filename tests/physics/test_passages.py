"""Change points passed on the way are found where they are, once each, and looking for them takes no longer than the run did."""

from __future__ import annotations

import math
import time

import numpy as np
import pytest

import pytrammel as tm
from mechanisms import four_bar

START = 0.5  # crank angle [rad]; a parallelogram passes change points at whole half turns
TURN = 2.0 * math.pi


def parallelogram(motion) -> tm.PlanarModel:
    return four_bar(1.0, 2.0, 1.0, 2.0, crank=START, motion=motion)


def angles(result: tm.results.Result) -> np.ndarray:
    """Crank angles of the passages [half turns]."""
    motion = result.model["motor"].parameters["motion"]
    return np.sort([float(motion.evaluate({"t": p.time})) / math.pi for p in result.singularities])


@pytest.mark.parametrize(
    "instants",
    [
        pytest.param(np.linspace(0.0, 8.0, 81), id="many instants"),
        pytest.param([0.0, 0.3, 0.8, 8.0], id="the last instant before the passage is at rest"),
        pytest.param([0.0, 8.0], id="two instants"),
    ],
)
@pytest.mark.parametrize("law", ["harmonic", "cycloidal", "modified_sine"])
@pytest.mark.parametrize("to", [6.0, -4.0, 2.9, 10.0])
def test_a_passage_after_a_dwell_is_found_where_it_is(to, law, instants):
    motion = tm.profiles.motion(START, [tm.profiles.dwell(1.0), tm.profiles.rise(to, 5.0, law), tm.profiles.dwell(2.0)])
    r = parallelogram(motion).kinematics(times=instants)
    low, high = sorted((START, to))
    expected = np.arange(math.ceil(low / math.pi), math.floor(high / math.pi) + 1)
    # the root of a cubic through four points 0.03 rad apart, sharpened four times
    np.testing.assert_allclose(angles(r), expected, rtol=0.0, atol=1e-9)


@pytest.mark.parametrize("short", [1e-2, 3e-4, 5e-5])  # rad before the change point
@pytest.mark.parametrize("samples", [3, 2001])
def test_nothing_is_passed_in_a_dwell_however_near_to_a_change_point_it_stands(short, samples):
    motion = tm.profiles.motion(
        START, [tm.profiles.dwell(1.0), tm.profiles.rise(math.pi - short, 5.0, "harmonic"), tm.profiles.dwell(200.0)]
    )
    r = parallelogram(motion).kinematics(200.0, samples=samples)
    np.testing.assert_allclose(r.series("crank.phi").value[-1], math.pi - short, rtol=1e-12)
    # very near, it may be said once that it comes there, and that the run ends there
    assert [round(p.time) for p in r.singularities] in ([], [200], [6, 200])


@pytest.mark.parametrize("turns, samples", [(100, 2), (100, 3), (100, 1001), (40, 20_001)])
def test_looking_for_passages_is_no_work_without_end(turns, samples):
    """Every half turn has one; each was once followed to from the instant before, however far back that lay."""
    m = parallelogram(f"{START} + {TURN!r}*t")
    m.kinematics(0.1)  # compiled
    before = time.process_time()
    r = m.kinematics(float(turns), samples=samples)
    np.testing.assert_allclose(angles(r), np.arange(1, 2 * turns + 1), rtol=0.0, atol=1e-9)
    assert time.process_time() - before < 60.0  # takes 1 s; minutes when the way was followed again and again
