"""Models, systems and results travel: pickled, deep-copied, into other processes; and every repr fits on a screen."""

import copy
import multiprocessing
import pickle
import sys

import numpy as np
import pytest

import pytrammel as tm
from pytrammel._util.progress import Progress
from pytrammel.examples import find, names
from pytrammel.system.lowering import lower
from pytrammel.testing.copies import WAYS, check_travel
from pytrammel.testing.samples import plain_model
from registry_samples import TYPES, build

LONGEST = 300  # letters


def pull(x):
    return -3.0 * x


def swing(law="-3*b.x"):
    m = tm.PlanarModel("swing")
    b = m.body("b", position=(0.1, 0.0), mass=1.0, inertia=0.01, points={"tip": (0.1, 0.0)})
    m.revolute("A", "ground", "b", at=(0.0, 0.0))
    m.user_force("F", b.x, law, **({"inputs": ["b.x"]} if callable(law) else {}))
    return m


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("kind", TYPES, ids=str)
def test_every_joint_and_force_travels(kind, way):
    check_travel(kind, way)


@pytest.mark.sampled(20)
@pytest.mark.parametrize("name", names())
def test_models_of_all_examples_travel(name):
    model = find(name).build()
    for way in WAYS.values():
        assert plain_model(way(model)) == plain_model(model)


def test_a_function_travels_by_name_or_is_refused_with_a_sentence():
    assert pickle.loads(pickle.dumps(swing(pull)))["F"].uses[0].function is pull
    with pytest.raises(
        tm.ModelError, match=r"force 'F' cannot be pickled with its Python function .*<lambda>.*top of a module"
    ):
        pickle.dumps(swing(lambda x: -x))
    assert copy.deepcopy(swing(lambda x: -x))["F"].uses[0].function is not None


@pytest.mark.parametrize("way", ["a pickled copy", "copy.deepcopy"])
def test_a_system_is_lowered_again_where_it_arrives(way):
    system = lower(swing(), dynamics=True)
    twin = WAYS[way](system)
    assert twin.columns == system.columns and twin.rows == system.rows
    np.testing.assert_array_equal(twin.floats, system.floats)
    assert system.ints.tobytes() not in pickle.dumps(system)  # addresses stay at home


@pytest.mark.parametrize("way", ["a pickled copy", "copy.deepcopy"])
def test_a_result_answers_as_before(way):
    run = swing().simulate(0.2, samples=5)
    twin = WAYS[way](run)
    np.testing.assert_array_equal(twin.q, run.q)
    np.testing.assert_array_equal(twin["A"].angle, run["A"].angle)
    np.testing.assert_array_equal(twin.energy.balance, run.energy.balance)
    np.testing.assert_array_equal(twin.reaction("A").force, run.reaction("A").force)
    assert twin.summary() == run.summary()


def in_another_process(channel, package):
    run = pickle.loads(package)
    again = run.model.simulate(0.2, samples=5, progress=False)
    channel.send((run["A"].angle, float(np.abs(again.q - run.q).max()), pickle.dumps(again)))


def test_a_result_travels_to_a_new_process_and_back():
    run = swing(pull).simulate(0.2, samples=5)
    here, there = multiprocessing.Pipe()
    context = multiprocessing.get_context("spawn")
    other = context.Process(target=in_another_process, args=(there, pickle.dumps(run)))
    other.start()
    assert here.poll(240), "the other process did not answer"
    angle, difference, package = here.recv()
    other.join()
    np.testing.assert_array_equal(angle, run["A"].angle)
    assert difference == 0.0
    np.testing.assert_array_equal(pickle.loads(package).q, run.q)


# --- short texts -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", TYPES, ids=str)
def test_reprs_of_joints_forces_and_their_parts_are_short(kind):
    model, part = build(kind)
    inside = [*getattr(part, "blocks", ()), *getattr(part, "uses", ()), *part.symbols, *part.measures.values()]
    for thing in (model, part, *inside, *model.bodies.values(), *model.turns.values()):
        assert len(repr(thing)) < LONGEST and "\n" not in repr(thing)


def test_reprs_of_results_and_their_parts_are_short():
    model = swing()
    run = model.simulate(0.2, samples=501)
    things = [
        run, run.energy, run.reaction("A"), run.series("A.angle"), run["b"], run["A"], run._system, run.dynamics, *run._segments,
        model.mobility(), model.equilibrium(), model.assemble(), tm.Event("e", "t - 1", change={"F": {"law": "0" * 5000}}),
        tm.curves.circle(1.0), tm.curves.helix(1.0, 0.1), tm.parse("+".join(["t"] * 20_000)),
        tm.functions.spline(np.arange(500.0), np.arange(500.0)),
        tm.inertia.sphere_mesh(1.0), tm.inertia.box(1, 1, 1, mass=1.0), tm.Solid(tm.inertia.sphere_mesh(1.0)), tm.PlanarModel("x" * 5000),
    ]  # fmt: skip
    for thing in things:
        assert len(repr(thing)) < LONGEST and "\n" not in repr(thing), type(thing)


# --- progress ----------------------------------------------------------------------------------------------------------


def test_a_progress_bar_in_a_log_writes_a_few_lines_however_long_it_takes(monkeypatch, capsys):
    now = [0.0]
    monkeypatch.setattr("pytrammel._util.progress.time.perf_counter", lambda: now[0])
    with Progress("work") as bar:
        for k in range(10_001):
            now[0] = 36.0 * k  # a hundred hours
            bar.update(k / 10_000)
    assert 1 <= capsys.readouterr().err.count("\n") <= 4


def test_a_progress_bar_without_standard_error_is_silent(monkeypatch):
    monkeypatch.setattr(sys, "stderr", None)
    with Progress("work") as bar:
        bar.update(0.5)
