"""Simulations by rates written out for the model give the numbers of the general kernels, to the last bit."""

import numpy as np
import pytest

import dynamic_models as plane
import pytrammel as tm
import spatial_models as space
from pytrammel.analysis.methods import method_named
from pytrammel.analysis.runs import straight
from pytrammel.analysis.runs.options import Options
from pytrammel.analysis.runs.simulation import Simulation
from pytrammel.kernels.equations.repeat import rates_repeat_run
from pytrammel.kernels.jit import HAVE_JIT

pytestmark = pytest.mark.skipif(not HAVE_JIT, reason="there is nothing to write out without Numba")
NEVER = 10**15


@pytest.fixture(autouse=True)
def nothing_known(monkeypatch):
    monkeypatch.setattr(straight, "_made", {})
    monkeypatch.setattr(straight, "_evaluations", {})


def numbers(result):
    """Everything that a run says in numbers, as bytes."""
    data = result.dynamics
    arrays = [x for owner in (result, data) for x in vars(owner).values() if isinstance(x, np.ndarray)]
    counts = data.statistics
    return [np.asarray(x).tobytes() for x in arrays], (counts.steps, counts.rejected, counts.evaluations)


def both_ways(monkeypatch, model, *given, **options):
    """A run by the general kernels, and one that writes its rates out before the first step."""
    monkeypatch.setattr(straight, "PAYS", NEVER)
    general = model.simulate(*given, progress=False, **options)
    assert not straight._made
    monkeypatch.setattr(straight, "PAYS", 0)
    written = model.simulate(*given, progress=False, **options)
    assert any(not isinstance(code, str) for code in straight._made.values())
    return general, written


def sprung_slider_crank():
    """A slider-crank with every common kind of force, and formulas of time and motion."""
    m = plane.slider_crank_release()
    m.spring("spring", m.ground.at(-1.0, 0.5), m["rod"].at(0.1, 0.0), stiffness=40.0, damping=0.3, free_length=0.4)
    m.force("wind", m["rod"].at(0.0, 0.0), vector=("sin(3*t) - 0.1*rod.vx", "if(rod.y > 0.1, 1, -1)"))
    return m


MODELS = {
    "four-bar": (plane.four_bar_release, 1.0),
    "Andrews": (plane.andrews, 0.01),
    "Bricard": (space.bricard, 0.5),
    "forces and formulas": (sprung_slider_crank, 0.5),
}


@pytest.mark.parametrize("name", MODELS)
def test_a_run_by_rates_written_out_is_the_same_to_the_last_bit(name, monkeypatch):
    build, duration = MODELS[name]
    general, written = both_ways(monkeypatch, build(), duration, samples=23)
    assert numbers(general) == numbers(written)


@pytest.mark.parametrize("method", ["rk4", "adams", "gbs12", "bdf", "radau5", "esdirk43"])
def test_so_it_is_with_methods_of_every_family(method, monkeypatch):
    method = tm.methods.rk4(step=0.002) if method == "rk4" else method
    general, written = both_ways(monkeypatch, plane.four_bar_release(), 0.2, samples=7, method=method)
    assert numbers(general) == numbers(written)


def test_so_it_is_through_singular_positions(monkeypatch):
    general, written = both_ways(monkeypatch, plane.n_four_bar(2), 2.0, samples=11)
    assert general.dynamics.statistics.singularity < 0.1
    assert numbers(general) == numbers(written)


def test_rates_are_chosen_anew_when_numbers_of_the_model_change_on_the_way(monkeypatch):
    """The law of a contact with restitution has the speed of the last touch among its numbers."""
    m = tm.PlanarModel("ball")
    m.body("ball", position=(0.0, 1.0), mass=0.1, inertia=1e-4)
    m.contact_line(
        "floor", "ball", "ground", radius=0.05, at=(0, 0), axis=(1, 0), stiffness=5000.0, law="lankarani_nikravesh", restitution=0.8
    )  # fmt: skip
    general, written = both_ways(monkeypatch, m, 1.5, samples=31)
    assert len(straight._made) > 1
    assert numbers(general) == numbers(written)


def with_state(m):
    m.state("z", rate="-z + crank.phi", initial=0.2)
    m.force("push", m["crank"].at(0.1, 0.0), vector=("-2*z", "z^2"))


def with_controller(m):
    m.controller("u", lambda angle, rate: -5.0 * angle - rate, every=0.05, inputs=["crank.phi", "crank.omega"])
    m.motor("motor", first="ground", second="crank", torque="u")


@pytest.mark.parametrize(
    ("add", "event"),
    [
        (with_state, None),
        (with_controller, None),
        (lambda m: None, tm.Event("heavier", "t - 0.2", change={"crank": {"mass": 5.0}})),
        (lambda m: None, tm.Event("let go", "t - 0.2", release=["A"])),
    ],
    ids=["states", "controller", "changed numbers", "released joint"],
)
def test_so_it_is_with_what_acts_between_and_beside_the_bodies(add, event, monkeypatch):
    m = plane.four_bar_release()
    add(m)
    general, written = both_ways(monkeypatch, m, 0.4, samples=9, events=[event] if event else [])
    assert numbers(general) == numbers(written)


def test_whether_they_pay_is_counted_over_runs(monkeypatch):
    m = plane.four_bar_release()
    once = m.simulate(0.2, samples=3, progress=False).dynamics.statistics.evaluations
    monkeypatch.setattr(straight, "PAYS", 2 * once)
    m.simulate(0.2, samples=3, progress=False)
    assert not straight._made
    m.simulate(0.2, samples=3, progress=False)
    assert len(straight._made) == 1
    plane.four_bar_release().simulate(0.2, samples=3, progress=False)  # the same numbers are the same model
    assert len(straight._made) == 1


def test_a_long_run_changes_to_them_on_the_way(monkeypatch):
    m = plane.four_bar_release()
    monkeypatch.setattr(straight, "PAYS", NEVER)
    general = m.simulate(20.0, samples=11, progress=False)
    monkeypatch.setattr(straight, "_evaluations", {})
    monkeypatch.setattr(straight, "PAYS", 4000)  # the kernel comes back after 400 steps of 12 evaluations
    written = m.simulate(20.0, samples=11, progress=False)
    assert len(straight._made) == 1
    assert numbers(general) == numbers(written)


def test_numbers_that_vary_are_read_from_the_model(monkeypatch):
    """Rates written out once serve models that differ in those numbers."""
    options = Options(method_named("dop853"), 1e-8, 1e-10, 0.0, np.inf, "projection", 0.0, 0.0, 10)
    first, second = plane.four_bar_release(), plane.four_bar_release().copy(changes={"crank": {"mass": 3.0}})
    runs = [Simulation(m, np.array([0.0, 1.0]), options, (), (), None, True) for m in (first, second)]
    tables = [run.equations.table(run, run._look_out().system) for run in runs]
    varying = np.flatnonzero(runs[0].floats != runs[1].floats)
    assert varying.size
    code = straight.written_out(tables[0], varying=tuple(int(k) for k in varying))
    for run, table in zip(runs, tables, strict=True):
        y = run.equations.vector(run)
        found = [np.zeros_like(y) for _ in range(2)]
        rates_repeat_run(table.entries, 0.0, y, found[0], 1)
        straight.put(table, code)
        rates_repeat_run(table.entries, 0.0, y, found[1], 1)
        assert found[0].any() and found[0].tobytes() == found[1].tobytes()


def test_a_model_can_be_prepared_and_says_why_if_it_cannot(monkeypatch):
    found = plane.four_bar_release().prepare()
    assert found.written_out and "written out" in str(found)
    assert len(straight._made) == 1
    massless = tm.PlanarModel("massless", gravity=(0.0, -9.81))
    a = massless.body("a", position=(0.5, 0.0), massless=True)
    b = massless.body("b", position=(1.0, 0.0), mass=1.0, inertia=0.1)
    massless.revolute("O", massless.ground, a, at=(0.0, 0.0))
    massless.revolute("A", a, b, at=(1.0, 0.0))
    massless.spring("s", massless.ground.at(0.0, 1.0), b.at(0.0, 0.0), stiffness=10.0, free_length=0.5)
    assert "some parts have no mass" in str(massless.prepare())
    many = space.chain(40)
    assert not many.prepare().written_out


def test_other_coordinates_and_treatments_keep_their_own_rates(monkeypatch):
    monkeypatch.setattr(straight, "PAYS", 0)
    m = plane.four_bar_release()
    for given in (
        {"formulation": "joint"},
        {"constraints": "baumgarte"},
        {"constraints": "partitioning"},
        {"constraints": "penalty"},
    ):
        m.simulate(0.02, samples=3, progress=False, **given)
        assert not straight._made, given
