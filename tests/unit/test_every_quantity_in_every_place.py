"""Every name of `result.names()` in every place that takes a quantity: the number of the result, or a true message."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pytest

import pytrammel as tm

SPAN, SAMPLES = 0.2, 5
UNTRUE = ("there is no", "has no", "unknown", "not known")  # of a name that the result has


def plane() -> tm.PlanarModel:
    m = tm.PlanarModel("plane")
    m.parameter("m", 2.0, bounds=(1.0, 3.0))
    m.body("b", mass="m", inertia=0.1, position=(0.3, 0.0))
    m.body("c", mass=1.0, inertia=0.2, centroid=(0.2, -0.3), position=(-1.0, 0.0))
    m.revolute("A", "ground", "c", at=(-1.0, 0.0))
    m.prismatic("P", "ground", "b", axis=(1.0, 0.2), at=(0.3, 0.0))
    m.point("Q", "c", at=(-0.8, -0.2))
    m.spring("S", m.ground.at(0.0, 0.4), m["b"].at(0.0, 0.0), stiffness=40.0, damping=1.0, free_length=0.4)
    m.state("lag", "(b.x - lag)/0.1", initial=0.2)
    m.user_force("U", "A.angle", "0.3*lag - 0.1*A.angle.rate")
    m.define("both", "b.x + 2*c.phi")
    m.group("pair", ["b", "c"])
    return m


def driven() -> tm.PlanarModel:
    m = tm.PlanarModel("driven")
    m.parameter("m", 2.0, bounds=(1.0, 3.0))
    m.body("b", mass="m", inertia=0.1, centroid=(0.3, 0.0))
    m.revolute("A", "ground", "b", at=(0.0, 0.0))
    m.driver("D", "A.angle", "0.3*sin(2*t) + 0.2")
    m.spring("S", m.ground.at(0.0, 0.4), m["b"].at(0.3, 0.0), stiffness=40.0, damping=1.0, free_length=0.4)
    return m


def space() -> tm.SpatialModel:
    m = tm.SpatialModel("space", gravity=(0.0, 0.0, -9.81))
    m.parameter("m", 2.0, bounds=(1.0, 3.0))
    m.body("b", mass="m", inertia=(0.1, 0.2, 0.15), position=(0.0, 0.3, -0.4))
    m.universal("U", "ground", "b", at=(0.0, 0.0, 0.0), axis=(1.0, 0.0, 0.0), second_axis=(0.0, 1.0, 0.0))
    m.spring("S", m.ground.at(1.0, 0.2, 0.0), m["b"].at(0.0, 0.0, 0.0), stiffness=30.0, damping=1.0, free_length=0.9)
    return m


def contact() -> tm.PlanarModel:
    m = tm.PlanarModel("contact")
    m.parameter("m", 2.0, bounds=(1.0, 3.0))
    m.body("b", mass="m", inertia=0.1, position=(0.0, 0.0998), velocity=(0.3, 0.0))
    line = {"at": (0.0, 0.0), "axis": (1.0, 0.0)}
    m.contact_line("C", "b", "ground", radius=0.1, **line, stiffness=1e5, damping=200.0, friction=0.2)
    return m


def phases() -> tm.PlanarModel:
    m = tm.PlanarModel("phases")
    m.parameter("m", 2.0, bounds=(1.0, 3.0))
    m.body("b", mass="m", inertia=0.1, centroid=(0.5, 0.0))
    m.revolute("A", "ground", "b", at=(0.0, 0.0))
    m.constrain("latch", "b.phi", value=0.0)
    m.phase("held", active=["latch"])
    m.phase("free", active=[])
    m.switch("release", "held", "free", when="t - 0.05")
    return m


@dataclass
class Case:
    """A model, its analysis with options, the result and its quantities."""

    model: Any
    analysis: str
    options: dict[str, Any]
    result: Any
    names: list[str]

    @property
    def body(self) -> str:
        return list(self.model.bodies)[1]


def made(make: Callable[[], Any], analysis: str = "simulate", **options: Any) -> Case:
    m = make()
    quiet = {"progress": False} if analysis == "simulate" else {}
    result = getattr(m, analysis)(SPAN, samples=SAMPLES, **quiet, **options)
    return Case(m, analysis, options, result, list(result.names()))


CASES: dict[str, Callable[[], Case]] = {
    "plane": lambda: made(plane),
    "driven": lambda: made(driven),
    "inverse": lambda: made(driven, "inverse_dynamics", actuators={"lift": "A.angle"}),
    "space": lambda: made(space),
    "contact": lambda: made(contact),
    "phases": lambda: made(phases),
}
RUNS = [name for name in CASES if name != "inverse"]
_made: dict[str, Case] = {}


def case_of(name: str) -> Case:
    if name not in _made:
        _made[name] = CASES[name]()
    return _made[name]


def some(names: list[str], count: int, complete: bool) -> list[str]:
    """All names, or that many, one of each kind first: the last parts of names differ."""
    if complete or len(names) <= count:
        return names
    kinds: dict[str, str] = {}
    for name in names:
        kinds.setdefault(name.rpartition(".")[2], name)
    first = list(kinds.values())
    return [first[k] for k in np.linspace(0, len(first) - 1, min(count, len(first))).astype(int)]


def same(found: Any, truth: Any, name: str, rtol: float = 1e-9) -> None:
    found, truth = np.asarray(found, dtype=float), np.asarray(truth, dtype=float)
    size = 1e-3 + float(np.abs(truth).max(initial=0.0))
    assert np.allclose(found, truth, rtol=rtol, atol=rtol * size), (name, found, truth)


def works_or_is_explained(run: Callable[[str], None], names: Iterable[str], place: str) -> list[str]:
    """Names that work; others must be rejected by a message with the name and the place, without denying that they exist."""
    good = []
    for name in names:
        try:
            run(name)
        except tm.ModelError as error:
            text = str(error)
            assert repr(name) in text and place in text, (name, text)
            assert not any(word in text for word in UNTRUE), (name, text)
        else:
            good.append(name)
    return good


# --- what reads results: every name, the same number -----------------------------------------------------------------------


@pytest.mark.parametrize("which", CASES)
def test_everything_that_reads_a_result_has_the_same_number(which: str, tmp_path: Path) -> None:
    c = case_of(which)
    r = c.result
    table = r.to_dict(c.names)
    r.to_csv(tmp_path / "all.csv", c.names)
    lines = np.genfromtxt(tmp_path / "all.csv", delimiter=",", skip_header=1)
    r.save(tmp_path / "run.trammel")
    stored, whole, middle = tm.load_result(tmp_path / "run.trammel"), r.resample(r.times), r.at(r.times[2])
    middle.save(tmp_path / "middle.trammel")
    late = tm.load_result(tmp_path / "middle.trammel")
    for k, name in enumerate(c.names):
        x, unit = r[name], r.series(name).unit
        for found in (table[name], lines[:, 1 + k], stored[name], whole[name]):
            same(found, x, name)
        same(middle[name], x[2:3], name)
        same(late[name], x[2:3], name)
        same(r[f"{name} [{unit or '1'}]"], x, name)
        same(r.formula(f"1 + 2*{name}"), 1.0 + 2.0 * x, name)
        assert set(r.statistics(name)) == {name}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", tm.RunWarning)  # few samples
            extreme = r.extremes(name)
        assert extreme.minimum <= x.min() + 1e-12 * abs(x.min()) and extreme.maximum >= x.max() - 1e-12 * abs(x.max())


@pytest.mark.parametrize("which", CASES)
def test_plots_take_every_quantity(which: str, complete: bool) -> None:
    c = case_of(which)
    for name in some(c.names, 6, complete):
        axes = np.atleast_1d(c.result.plot(name))
        assert any(len(ax.lines) for ax in axes.ravel()) or axes.size == 0
        plt.close("all")


@pytest.mark.parametrize("which", CASES)
def test_gradients_reductions_and_tolerances_take_every_quantity(which: str, complete: bool) -> None:
    c = case_of(which)
    names = [name for name in some(c.names, 14, complete) if name != "t"]
    given = {"analysis": tm.Analysis(c.analysis, SPAN, samples=SAMPLES, **c.options)}
    found = c.model.gradient([f"({name})[end]" for name in names], wrt=["m"], **given)
    for name, value in zip(names, (g.value for g in found), strict=True):
        same(value, c.result[name][-1], name, 1e-6)  # a run of its own, at its own tolerance
    value, _ = c.model.value_and_grad([f"({name})[end]" for name in names], wrt=["m"], **given)([2.0])
    same(value, [g.value for g in found], which, 1e-6)
    for name in names[:: len(names) // 2]:
        scatter = c.model.tolerances(f"({name})[end]", tolerance={"m": 0.01}, extremes=False, **given,
        )  # fmt: skip
        same(scatter.nominal, c.result[name][-1], name, 1e-6)


@pytest.mark.parametrize("which", RUNS)
def test_batches_keep_and_reduce_every_quantity(which: str) -> None:
    c = case_of(which)
    names = [name for name in c.names if name != "t"]
    reduce = {f"e{k}": f"({name})[end]" for k, name in enumerate(names)}
    b = c.model.batch({"m": [2.0, 2.0]}).simulate(SPAN, samples=SAMPLES, keep=names, reduce=reduce)
    for k, name in enumerate(names):
        x = c.result[name]
        same(b.values(name)[0], x, name)
        same(b.reductions[f"e{k}"][1], x[-1], name)


@pytest.mark.parametrize("which", ["plane", "inverse"])
def test_optimize_and_identify_take_quantities_of_every_kind(which: str, complete: bool) -> None:
    c = case_of(which)
    r = c.result
    asked = ["S.force", "b.ay", "A.reaction", "energy.kinetic", "lag" if which == "plane" else "lift.effort"]
    run = tm.Analysis(c.analysis, SPAN, samples=SAMPLES, **c.options)
    measured = tm.Analysis("simulate", **c.options) if which == "plane" else None
    for name in asked if complete else asked[-2:]:
        x = r[name]
        best = c.model.optimize(minimize=f"(({name})[end] - ({float(x[-1])!r}))^2", bounds={"m": (1.9, 2.1)}, analysis=run, variables=["m"],
            max_iterations=3, progress=False,
        )  # fmt: skip
        assert best.objective <= 1e-6 * (1.0 + float(x[-1]) ** 2)  # the design of the result is among them
        # series are measured along motions only
        found = None
        if measured is not None:
            found = c.model.identify({name: (r.times, x)}, variables=["m"], max_iterations=3, analysis=measured)
        assert found is None or abs(found.values["m"] - 2.0) < 1e-3


# --- what watches or linearises runs ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("which", RUNS)
def test_events_fire_between_the_samples_where_the_result_passes(which: str, complete: bool) -> None:
    c = case_of(which)
    times = c.result.times

    def run(name: str) -> None:
        x = c.result[name]
        k = int(np.argmax(np.abs(np.diff(x))))
        level = 0.5 * float(x[k] + x[k + 1])
        event = tm.Event("e", f"{name} - ({level!r})")
        s = c.model.simulate(SPAN, samples=2, events=[event], progress=False)
        reports = [report.time for report in s.events if report.name == "e"]
        passes = abs(x[k + 1] - x[k]) > 1e-9 * (1.0 + np.abs(x).max())
        assert not passes or any(times[k] <= t <= times[k + 1] for t in reports), (name, reports)

    asked = some(c.names, 4 if which == "contact" else 8, complete)  # small steps in contact
    good = works_or_is_explained(run, asked, "event 'e'")
    assert all(name.endswith(("work", "balance")) for name in set(asked) - set(good))


@pytest.mark.parametrize("which", RUNS)
def test_linear_outputs_have_a_row_or_a_reason(which: str, complete: bool) -> None:
    c = case_of(which)
    state = c.model.simulate(0.1, samples=2, progress=False)

    def run(name: str) -> None:
        lin = c.model.linearize(at=state, outputs=[name])
        assert np.isfinite(lin.C).all()

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", tm.RunWarning)  # kinks of magnitudes, frozen matrices
        asked = some(c.names, 12, complete)
        good = works_or_is_explained(run, asked, "outputs")
    rest = {name.rpartition(".")[2] for name in set(asked) - set(good)}
    assert rest <= {"t", "work", "balance", "dissipated", "input", "stored", "total"}


# --- what a model is made of ------------------------------------------------------------------------------------------------


def force_law(c: Case, name: str) -> None:
    w = c.model.copy()
    w.user_force("X", f"{c.body}.x", f"1e-3*{name}")
    s = w.simulate(0.01, samples=2, progress=False)
    same(s["X.force"], 1e-3 * s[name], name)


def spring_law(c: Case, name: str) -> None:
    w, zero = c.model.copy(), (0.0,) * c.model.space.dimension
    far = tuple(3.0 + x for x in zero)
    w.spring("X", w.ground.at(*far), w[c.body].at(*zero), stiffness=f"1e-3*{name}", free_length=1.0)


def rate_of_a_state(c: Case, name: str) -> None:
    w = c.model.copy()
    w.state("X", f"{name} - X", initial=0.0)
    s = w.simulate(0.01, samples=2, progress=False)
    same(s["X.rate"][0], s[name][0], name)


def controller(c: Case, name: str) -> None:
    c.model.copy().controller("X", lambda *values: 0.0, every=0.01, inputs=[name])


def driver(c: Case, name: str) -> None:
    c.model.copy().driver("X", name, "0.1*t")


def start(c: Case, name: str) -> None:
    value = float(c.result[name][0])
    s = c.model.simulate(0.001, samples=2, initial={name: value}, progress=False)
    same(s[name][0], value, name, 1e-7)  # the start is corrected to the tolerance of the assembly


PLACES = {
    "force 'X'": force_law, "spring 'X'": spring_law, "rate of state 'X'": rate_of_a_state, "controller 'X'": controller,
    "driver 'X'": driver, "initial=": start,
}  # fmt: skip


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("which", RUNS)
def test_a_part_of_a_model_takes_a_quantity_or_says_why_it_cannot(which: str, place: str, complete: bool) -> None:
    c = case_of(which)
    asked = c.names if complete else [*some(c.names, 25, complete), f"{c.body}.x"]
    good = works_or_is_explained(lambda name: PLACES[place](c, name), asked, place)
    assert f"{c.body}.x" in good
