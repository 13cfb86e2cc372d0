"""Random mechanisms through every analysis, judged without any derivative of ours; `make fuzz` runs many more.

A failure prints its seed and a script that shows it.
"""

from __future__ import annotations

import dataclasses
import os
import re
import time

import numpy as np
import pytest

from fuzzing.check import Report, check, make
from fuzzing.laws import Bushing, Contact, Grip, JointFriction
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
from fuzzing.planar import PLANE
from fuzzing.seeds import line_to_keep, mark_of, read_seeds
from fuzzing.spatial import SPACE
from fuzzing.worker import Worker

# few and quick, but with every part that mechanisms are made of (which a test below makes sure of)
SEEDS = {
    "plane": (1, 4, 8, 10, 13, 14, 20, 75, 84, 86, 88),
    "space": (3, 20, 25, 32, 45, 47, 51, 52, 58, 72, 74, 75, 76, 80),
}
EVERY_PART = {
    "plane": {*PLANE.joints, "gear", "rack_and_pinion", "contact_line", "contact_discs"},
    "space": {
        *SPACE.joints,
        "gear",
        "worm",
        "rack_and_pinion",
        "contact_sphere_plane",
        "contact_sphere_sphere",
        "bushing",
    }
    - {"helix"},
}
SHARED = {
    "spring",
    "torsion_spring",
    "force",
    "drag",
    "motor",
    "joint_friction",
    "end_stop",
    "driver",
    "motion",
    "spline",
    "switch",
}
# random velocities contradict the joints
moved_starts = pytest.mark.filterwarnings("ignore::pytrammel.errors.RunWarning")


@pytest.mark.sampled(4)
@pytest.mark.parametrize("part", range(4))
@pytest.mark.parametrize("space", SEEDS)
def test_random_mechanisms_are_analysed_or_refused_but_never_wrong(space, part):
    seeds = SEEDS[space][part::4]
    reports = [check(seed, space) for seed in seeds]
    failures = [text for report in reports for text in report.failures]
    assert not failures, "\n\n".join(failures)
    # a fuzz that refuses everything would pass everything
    assert 2 * sum(report.outcome["simulation"] == "done" for report in reports) > len(seeds)


@pytest.mark.parametrize("space", SEEDS)
def test_the_mechanisms_of_the_suite_use_every_part(space):
    text = "\n".join(make(seed, space).script() for seed in SEEDS[space])
    assert set(re.findall(r"(?:m|functions|profiles)\.(\w+)\(", text)) >= EVERY_PART[space] | SHARED


# --- seeds that failed once ------------------------------------------------------------------------------------------------

KEPT = read_seeds()


@pytest.mark.sampled(4)
@pytest.mark.parametrize("kept", KEPT, ids=[f"{kept.space}-{kept.seed}" for kept in KEPT])
def test_seeds_that_failed_once_stay_right(kept):
    report = check(kept.seed, kept.space)
    assert not report.failures, f"{kept}\n\n" + "\n\n".join(report.failures)


def test_kept_seeds_draw_the_mechanisms_that_failed():
    changed = [str(kept) for kept in KEPT if mark_of(kept.seed, kept.space) != kept.mark]
    assert not changed, "the generator draws other mechanisms now; keep these as scripts and drop their lines: " + str(
        changed
    )
    assert len({(kept.space, kept.seed) for kept in KEPT}) == len(KEPT)


def test_a_failure_becomes_a_line_that_is_read_again(tmp_path):
    text = "seed 8 (plane), simulation: the energy balance is off by 0.1\nagain: python -m fuzzing\n--- script ---"
    kept = line_to_keep(Report(8, "plane", failures=[text]))
    assert kept.reason == "simulation: the energy balance is off by 0.1"
    file = tmp_path / "seeds.txt"
    file.write_text(f"# head\n{kept}\n", encoding="utf-8")
    assert read_seeds(file) == [kept]
    assert mark_of(8, "plane") == kept.mark != mark_of(9, "plane")


# --- a case that never ends ------------------------------------------------------------------------------------------------


def stubborn(seed: int, space: str) -> Report:
    """Ends, hangs, dies or fails, by its seed."""
    if seed == 1:
        time.sleep(1000.0)
    if seed == 2:
        os._exit(3)
    return Report(seed, space, {"assembly": "done"}, [f"seed {seed} is wrong"] if seed == 3 else [])


def test_a_case_that_hangs_or_dies_is_reported_with_its_seed_and_the_next_goes_on():
    worker = Worker(stubborn, hangs=3.0)
    reports = list(worker.reports(iter(range(5)), ("plane",)))
    assert [report.seed for report in reports] == [0, 1, 2, 3, 4]
    assert [len(report.failures) for report in reports] == [0, 1, 1, 1, 0]
    assert (
        reports[1]
        .failures[0]
        .startswith("seed 1 (plane): no end after 3 s\nagain: python -m fuzzing --space plane --seed 1")
    )
    assert reports[2].failures[0].startswith("seed 2 (plane): the process died")
    assert not worker.process.is_alive()


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
@pytest.mark.parametrize("space, seed", [("plane", 8), ("space", 3)])  # bodies that all move
def test_a_motion_that_is_off_by_a_thousandth_is_noticed(space, seed, what):
    case = make(seed, space)
    r = case.model.simulate(times=clusters(case), rtol=1e-9, progress=False)
    motion, last = motion_of(r, planar=case.planar), list(case.bodies)[-1]
    ORACLES[what](case, r, motion)
    with pytest.raises(Violation):
        ORACLES[what](case, r, _changed(motion, last, **{what: 1.001}))


@moved_starts
@pytest.mark.parametrize(
    "space, seed, kind, change",
    [
        ("plane", 13, JointFriction, lambda law: {"radius": 1.01 * law.radius}),
        ("space", 20, JointFriction, lambda law: {"length": 1.05 * law.length}),
        ("space", 3, Bushing, lambda law: {"twist": 1.01 * law.twist}),
        ("plane", 136, Contact, lambda law: {"grip": Grip()}),
    ],
)
def test_a_force_that_is_off_by_a_hundredth_or_without_friction_is_noticed(space, seed, kind, change):
    case = make(seed, space)
    r = case.model.simulate(times=clusters(case), rtol=1e-9, progress=False)
    motion = motion_of(r, planar=case.planar)
    newton_and_euler(case, r, motion)
    case.laws[:] = [dataclasses.replace(law, **change(law)) if isinstance(law, kind) else law for law in case.laws]
    with pytest.raises(Violation, match="unexplained"):
        newton_and_euler(case, r, motion)


@moved_starts
def test_a_body_that_ends_elsewhere_is_noticed():
    case = make(8, "plane")
    motion = motion_of(case.model.simulate(times=clusters(case), progress=False), planar=True)
    with pytest.raises(Violation, match="b0 differs by"):
        same_motion(case, motion, _changed(motion, "b0", r=1.01), tolerance=1e-4, what="twin")


def test_the_lines_of_a_case_make_it_again_in_any_order():
    case = make(3, "plane")
    order = case.permuted(np.random.default_rng(0))
    assert [line.name for line in order] != [line.name for line in case.lines]
    assert set(case.built(order).constraints) == set(case.model.constraints)
