"""Random mechanisms through every analysis, judged without any derivative of ours; `make fuzz` runs many more.

A failure prints its seed and a script that shows it.
"""

from __future__ import annotations

import dataclasses
from collections import Counter

import numpy as np
import pytest

from fuzzing.check import Report, check, make
from fuzzing.motion import BodyMotion, Motion, motion_of
from fuzzing.oracles import (
    Violation,
    books_are_true,
    clusters,
    joints_hold,
    newton_and_euler,
    rates_are_differences,
    same_motion,
)

BLOCK = 5
moved_starts = pytest.mark.filterwarnings(
    "ignore::trammel.errors.RunWarning"
)  # random velocities contradict the joints


@pytest.mark.parametrize("first", range(0, 20, BLOCK))
@pytest.mark.parametrize("space", ["plane", "space"])
def test_random_mechanisms_are_analysed_or_refused_but_never_wrong(space, first):
    reports = [check(seed, space) for seed in range(first, first + BLOCK)]
    failures = [text for report in reports for text in report.failures]
    assert not failures, "\n\n".join(failures)
    # a fuzz that refuses everything would pass everything
    assert 2 * _count(reports, "simulation", "done") > BLOCK


def _count(reports: list[Report], analysis: str, said: str) -> int:
    counts: Counter = Counter()
    for report in reports:
        report.tally(counts)
    return sum(n for (_, name, what), n in counts.items() if (name, what) == (analysis, said))


# --- the oracles see what they are there for ------------------------------------------------------------------------------


def _changed(motion: Motion, name: str, **factors: float) -> Motion:
    b = motion.bodies[name]
    wrong: BodyMotion = dataclasses.replace(b, **{what: factor * getattr(b, what) for what, factor in factors.items()})
    return Motion(motion.t, {**{k: v for k, v in motion.bodies.items() if k != "ground"}, name: wrong})


ORACLES = {
    "r": lambda case, r, m: joints_hold(case, m),
    "v": lambda case, r, m: rates_are_differences(case, m, 0.01, tolerance=1e-4),
    "w": lambda case, r, m: books_are_true(case, r, m),
    "a": lambda case, r, m: newton_and_euler(case, r, m),
    "alpha": lambda case, r, m: newton_and_euler(case, r, m),
}


@moved_starts
@pytest.mark.parametrize("what", ORACLES)
@pytest.mark.parametrize("space", ["plane", "space"])
def test_a_motion_that_is_off_by_a_thousandth_is_noticed(space, what):
    seed = 4  # bodies that all move
    case = make(seed, space)
    r = case.model.simulate(times=clusters(case), rtol=1e-9, progress=False)
    motion, last = motion_of(r, planar=case.planar), list(case.bodies)[-1]
    ORACLES[what](case, r, motion)
    with pytest.raises(Violation):
        ORACLES[what](case, r, _changed(motion, last, **{what: 1.001}))


@moved_starts
def test_a_body_that_ends_elsewhere_is_noticed():
    case = make(4, "plane")
    motion = motion_of(case.model.simulate(times=clusters(case), progress=False), planar=True)
    with pytest.raises(Violation, match="b0 differs by"):
        same_motion(case, motion, _changed(motion, "b0", r=1.01), tolerance=1e-4, what="twin")


def test_the_lines_of_a_case_make_it_again_in_any_order():
    case = make(3, "plane")
    order = case.permuted(np.random.default_rng(0))
    assert [line.name for line in order] != [line.name for line in case.lines]
    assert set(case.built(order).constraints) == set(case.model.constraints)
