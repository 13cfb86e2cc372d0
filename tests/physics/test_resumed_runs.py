"""A run that was cut goes on from any of its checkpoints with the numbers of one that never stopped, to the last bit.

The file as it is after a checkpoint is what a kill leaves: it is copied there, resumed, and compared with a run without a store.
"""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np
import pytest

import dynamic_models as plane
import formulation_models as mixed
import pytrammel as tm
import spatial_models as space
from pytrammel.analysis.runs import simulation
from pytrammel.io.results import run_store
from pytrammel.io.results.result_file import described, segment_words

METHODS = {name: method for name, method in tm.methods.items() if method.back_end is None}
RIGID = {"at": (0, 0), "axis": (1, 0), "law": "rigid"}


@pytest.fixture(autouse=True)
def few_steps(monkeypatch):
    """Kernels come back often, and each time a checkpoint is taken."""
    monkeypatch.setattr(simulation, "CHUNK", 7)
    monkeypatch.setattr(simulation, "SLOW_CHUNK", 7)
    monkeypatch.setattr(run_store, "EVERY", 0.0)
    monkeypatch.setattr(run_store, "SHARE", 1e9)


def facts(result):
    """Everything that a result holds, but for the time that it took."""
    arrays, models = {}, [result.model]
    words = described(result, arrays)
    words["segments"] = [segment_words(segment, models) for segment in result._segments]
    arrays |= {
        f"targets.{k}": segment.targets[: len(segment.system.rows)] for k, segment in enumerate(result._segments)
    }
    return {k: v for k, v in words.items() if k != "seconds"}, arrays


def check_same(found, wanted, *, said=True):
    words, arrays = facts(found)
    other, numbers = facts(wanted)
    assert arrays.keys() == numbers.keys()
    for name in arrays:
        if not name.startswith("targets."):  # rows that are only watched come last, and are not stored
            np.testing.assert_array_equal(arrays[name], numbers[name], err_msg=name)
    if said:
        assert words == other


def streamed(build, path, monkeypatch, **options):
    """A run with a store, and the file after each of its checkpoints."""
    files, keep = [], run_store.RunStore._keep

    def keeping(self, *given, **more):
        keep(self, *given, **more)
        files.append(Path(path).read_bytes())

    monkeypatch.setattr(run_store.RunStore, "_keep", keeping)
    result = build().simulate(store=path, **options)
    monkeypatch.setattr(run_store.RunStore, "_keep", keep)
    return result, files


def check_cuts(build, tmp_path, monkeypatch, *, cuts=(0.02, 0.4, 0.8), **options):
    options = {"progress": False, **options}
    path = tmp_path / "run.trammel"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", tm.RunWarning)
        whole = build().simulate(**options)
        result, files = streamed(build, path, monkeypatch, **options)
        check_same(result, whole)
        check_same(tm.load_result(path), whole)
        unfinished = files[:-1]  # the last one is complete
        assert len(unfinished) > 2
        for cut in cuts:
            path.write_bytes(unfinished[round(cut * (len(unfinished) - 1))])
            partial = tm.load_result(path)
            assert partial.interrupted and len(partial) < len(whole)
            np.testing.assert_array_equal(partial.q, whole.q[: len(partial)])
            np.testing.assert_array_equal(partial.dynamics.multipliers, whole.dynamics.multipliers[: len(partial)])
            check_same(tm.resume(path, progress=False), whole)
            check_same(tm.load_result(path), whole)
    return whole


def step(name):
    fixed = METHODS[name].fixed and not METHODS[name].can_control
    return {"method": tm.methods[name](step=2e-3)} if fixed else {"method": name, "rtol": 1e-6, "atol": 1e-8}


@pytest.mark.parametrize("name", METHODS)
def test_every_method_goes_on_with_the_same_numbers(name, tmp_path, monkeypatch):
    check_cuts(mixed.slider_crank, tmp_path, monkeypatch, duration=0.3, samples=61, **step(name))


@pytest.mark.parametrize("name", ["dop853", "adams", "bdf", "radau5", "abm4", "generalized_alpha", "rattle"])
def test_methods_in_space(name, tmp_path, monkeypatch):
    check_cuts(mixed.all_sorts, tmp_path, monkeypatch, duration=0.3, samples=31, **step(name))


def test_methods_made_for_the_occasion(tmp_path, monkeypatch):
    made = [
        tm.methods.generalized_alpha(rho=0.7),
        tm.methods.hht(alpha=-0.2),
        tm.methods.multistep(a=[1], b=[0, "3/2", "-1/2"], name="mine"),
    ]
    for method in made:
        more = {"starter": "heun"} if method.name == "mine" else {}
        check_cuts(
            mixed.slider_crank,
            tmp_path,
            monkeypatch,
            cuts=[0.5],
            duration=0.1,
            samples=11,
            method=method(step=1e-3, **more),
        )


def ball():
    m = tm.PlanarModel("ball")
    m.body("b", position=(0, 1.1), velocity=(0.5, 0), omega=3.0, mass=0.5, inertia=0.002)
    m.contact_line("floor", "b", "ground", radius=0.1, restitution=0.6, friction=0.3, **RIGID)
    return m


def block_on_a_slope():
    """It sticks, is pulled, slides and sticks again."""
    m = tm.PlanarModel("block", gravity=(0, -9.81))
    m.body("block", position=(0, 0), mass=1.0, inertia=0.1)
    m.prismatic("T", "ground", "block", at=(0, 0), axis=(1, 0))
    m.force("pull", "block", ("8*sin(6*t)", 0))
    m.joint_friction("rub", "T", friction=0.4)
    return m


def spinning():
    return space.heavy_top((1.0, 2.0, 60.0))


CASES = {
    "contact": (mixed.bouncing, {"duration": 1.0}),
    "rigid contact with friction": (ball, {"duration": 1.5}),
    "sticking": (block_on_a_slope, {"duration": 1.0}),
    "redundant in space": (space.door, {"duration": 1.0}),
    "redundant and singular": (plane.double_parallel_crank, {"duration": 0.5}),
    "bricard": (space.bricard, {"duration": 1.0}),
    "phases": (mixed.caught, {"duration": 1.0}),
    "friction by what a pin carries": (mixed.rubbing, {"duration": 0.3}),
    "driven": (mixed.driven_crank, {"duration": 1.0}),
    "curves": (mixed.cam_and_follower, {"duration": 0.5}),
    "auto": (lambda: mixed.slider_crank().copy(changes={"s": {"stiffness": 2e6, "damping": 2e4}}), {"duration": 0.5, "method": "auto"}),
    "partitioning": (plane.dap_four_bar, {"duration": 0.5, "constraints": "partitioning"}),
    "given partition": (mixed.slider_crank, {"duration": 0.3, "constraints": tm.enforcement.partitioning(coordinates=["A.angle"])}),
    "hybrid": (plane.dap_four_bar, {"duration": 0.5, "constraints": "hybrid"}),
    "baumgarte": (plane.dap_four_bar, {"duration": 0.3, "constraints": "baumgarte"}),
    "penalty": (plane.dap_four_bar, {"duration": 0.2, "constraints": "penalty"}),
    "augmented": (plane.dap_four_bar, {"duration": 0.2, "constraints": "augmented"}),
    "joint coordinates": (space.rssr, {"duration": 0.3, "formulation": "joint"}),
    "joint coordinates of redundant loops": (space.bricard, {"duration": 0.4, "formulation": "joint"}),
    "partitioned joint coordinates": (space.rssr, {"duration": 0.3, "formulation": "joint", "constraints": "partitioning"}),
    "joint coordinates in contact": (mixed.bouncing, {"duration": 1.0, "formulation": "joint"}),
    "points": (mixed.slider_crank, {"duration": 0.3, "formulation": "points"}),
    "relative": (mixed.all_sorts, {"duration": 0.5, "formulation": "relative"}),
    "relative angles": (spinning, {"duration": 0.3, "formulation": tm.formulations.relative(rotations="angles")}),
    "implicit joint coordinates": (space.rssr, {"duration": 0.3, "formulation": "joint", "method": "bdf"}),
    "euler parameters as rates": (spinning, {"duration": 0.2, "formulation": tm.formulations.cartesian(rotations="rates")}),
    "partitioned euler parameters": (
        spinning, {"duration": 0.4, "formulation": tm.formulations.cartesian(rotations="rates", normalize="partitioning")}
    ),
    "formulation I": (spinning, {"duration": 0.2, "formulation": "I"}),
    "a start as drawn": (mixed.slider_crank, {"duration": 0.2, "initial": tm.InitialConditions(correct=False)}),
    "a given start": (mixed.slider_crank, {"duration": 0.2, "initial": {"A.angle": 0.9, "A.angle.rate": 3.0}}),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_every_kind_of_run_goes_on_with_the_same_numbers(case, tmp_path, monkeypatch):
    build, options = CASES[case]
    check_cuts(build, tmp_path, monkeypatch, samples=61, **options)


def test_what_events_have_changed_stays_changed(tmp_path, monkeypatch):
    events = [
        tm.Event("stiffer", "t - 0.1", change={"s": {"stiffness": 900.0}}),
        tm.Event("heavier", "t - 0.2", change={"piston": {"mass": 0.9}}),
        tm.Event("blow", "t - 0.25", impulse=[("piston", (0.3, 0.0))]),
        tm.Event("top", "piston.vx", direction=1),
        tm.Event("end", "t - 0.45", stop=True),
    ]
    whole = check_cuts(
        mixed.slider_crank,
        tmp_path,
        monkeypatch,
        cuts=(0.1, 0.3, 0.5, 0.7, 1.0),
        duration=0.6,
        samples=121,
        events=events,
    )
    assert {"stiffer", "heavier", "blow", "end"} <= {event.name for event in whole.events}


def test_a_joint_that_lets_go_stays_open(tmp_path, monkeypatch):
    events = [tm.Event("break", "t - 0.1", release=["C"])]
    check_cuts(mixed.slider_crank, tmp_path, monkeypatch, duration=0.3, samples=61, events=events)


def test_methods_of_others_begin_anew(tmp_path, monkeypatch):
    """They go through to the end in one call: a run that was cut has nothing to go on from but its start."""
    options = {"duration": 0.3, "samples": 31, "method": "scipy_dop853", "progress": False}
    path = tmp_path / "run.trammel"
    whole = mixed.slider_crank().simulate(**options)
    result, files = streamed(mixed.slider_crank, path, monkeypatch, **options)
    check_same(result, whole)
    path.write_bytes(files[0])
    check_same(tm.resume(path, progress=False), whole)
