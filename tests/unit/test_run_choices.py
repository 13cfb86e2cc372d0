"""Run options as objects: methods, enforcement of constraints, formulations, initial conditions, analyses."""

from __future__ import annotations

import inspect
import pickle

import numpy as np
import pytest

import pytrammel as tm
from pytrammel.cli.main import main
from pytrammel.io.models.model_file import loads
from pytrammel.report.model_check import check

REGISTRIES = {"methods": tm.methods, "enforcement": tm.enforcement, "formulations": tm.formulations}
MADE = {
    "method": lambda: tm.methods.rk4(step=1e-3, max_steps=50),
    "method with a starter": lambda: tm.methods.ab4(step=1e-2, starter="dop853"),
    "method with states to begin with": lambda: tm.methods.ab2(step=0.1, starter=[[1.0, 2.0]]),
    "method with a number": lambda: tm.methods.generalized_alpha(rho=0.8, step=1e-3),
    "method of a tableau": lambda: tm.methods.runge_kutta([[], [1]], ["1/2", "1/2"], name="mine", step=0.1),
    "method of coefficients": lambda: tm.methods.multistep(a=[1], b=[0, "3/2", "-1/2"]),
    "enforcement": lambda: tm.enforcement.baumgarte(alpha=10, beta=2.5),
    "partitioning": lambda: tm.enforcement.partitioning(coordinates=["A.angle", "b.x"]),
    "formulation": lambda: tm.formulations.cartesian(rotations="rates", normalize="position"),
    "tree": lambda: tm.formulations.joint(base="trunk", cut=["A", "B"]),
    "initial conditions": lambda: tm.InitialConditions({"A.angle": 0.3}, hold=["b.x"]),
    "start as drawn": lambda: tm.InitialConditions(correct=False),
    "analysis": lambda: tm.Analysis("simulate", 1.0, samples=401, method=tm.methods.rk4(step=1e-3)),
    "analysis at times": lambda: tm.Analysis("kinematics", times=np.linspace(0.0, 1.0, 3)),
    "analysis at rest": lambda: tm.Analysis("modes", time=0.5),
}


def pendulum() -> tm.PlanarModel:
    m = tm.PlanarModel("pendulum", gravity=(0.0, -9.81))
    m.parameter("mass", 1.0, bounds=(0.5, 2.0))
    m.body("b", position=(1.0, 0.0), mass="mass", inertia=0.1)
    m.revolute("A", "ground", "b", at=(0, 0))
    return m


@pytest.mark.parametrize("name", REGISTRIES)
def test_a_registry_lists_its_entries(name: str) -> None:
    registry = REGISTRIES[name]
    names = list(registry)
    assert len(registry) == len(names) > 5 and all(each in registry for each in names)
    assert "nonsense" not in registry and 3 not in registry and registry.get("nonsense") is None
    text, page = repr(registry), registry._repr_html_()
    for each in names:
        entry = registry[each]
        assert entry is getattr(registry, each) and entry.name == each and each in dir(registry)
        assert f"\n{each} " in f"\n{text}" and f"<td>{each}</td>" in page
        assert list(inspect.signature(entry).parameters) == list(entry.takes)
        assert repr(entry) == f"tm.{name}.{each}" and pickle.loads(pickle.dumps(entry)) is entry()
    assert pickle.loads(pickle.dumps(registry)) is registry


@pytest.mark.parametrize("make", MADE.values(), ids=MADE)
def test_objects_are_compared_printed_and_sent(make) -> None:
    one, other = make(), make()
    assert one == other and hash(one) == hash(other) and one != "x"
    assert pickle.loads(pickle.dumps(one)) == one
    again = eval(repr(one), {"tm": tm, "array": np.array})
    assert again == one and repr(again) == repr(one)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (tm.methods.rk4(step=1e-3), tm.methods.rk4(step=2e-3)),
        (tm.methods.rk4(step=1e-3), tm.methods.euler(step=1e-3)),
        (tm.methods.hht, tm.methods.hht(alpha=-0.2)),
        (tm.enforcement.none, tm.enforcement.projection),
        (tm.InitialConditions({"x": 1.0}), tm.InitialConditions({"x": 2.0})),
        (tm.Analysis("simulate", 1.0), tm.Analysis("simulate", 2.0)),
        (tm.Analysis("simulate", 1.0), tm.Analysis("kinematics", 1.0)),
    ],
    ids=str,
)
def test_objects_that_differ_are_not_equal(one, other) -> None:
    assert one != other


def test_objects_do_not_change() -> None:
    method = tm.methods.rk4(step=1e-3)
    with pytest.raises(TypeError):
        method.options["step"] = 1.0
    for made in (tm.InitialConditions({"A.angle": 0.1}), tm.Analysis("simulate", 1.0)):
        with pytest.raises(AttributeError, match="cannot be changed"):
            made.correct = False  # type: ignore[union-attr]
    times = tm.Analysis("kinematics", times=[0.0, 1.0]).times
    with pytest.raises(ValueError, match="read-only"):
        tm.Analysis("kinematics", times=times).options["times"][0] = 3.0


REFUSED = {
    "a step with error control": (lambda: tm.methods.dopri5(step=1e-3), r"'dopri5' has no option 'step'.*rtol= and max_step="),
    "the former word": (lambda: tm.methods.rk4(time_step=1e-3), r"'rk4' has no option 'time_step'.*Use step="),
    "a typing error": (lambda: tm.methods.rk4(stpe=1e-3), "Did you mean 'step'"),
    "a starter of a single-step method": (lambda: tm.methods.rk4(step=1, starter="euler"), "no option 'starter'"),
    "a starter that is none": (lambda: tm.methods.ab4(step=1, starter="ab3"), "no explicit Runge–Kutta method"),
    "a negative step": (lambda: tm.methods.rk4(step=-1), "method 'rk4': step is -1; it must be greater than 0"),
    "half a step": (lambda: tm.methods.dop853(max_steps=0.5), "max_steps is 0.5; it must be a whole number of at least 1"),
    "an unknown entry": (lambda: tm.methods["rk5"], "method 'rk5' is not known.*Did you mean 'rk4'"),
    "a maker as an entry": (lambda: tm.methods["rk2"], r"Use tm\.methods\.rk2\(\.\.\.\)"),
    "a call of the registry": (lambda: tm.methods(), "Remove the parentheses"),
    "gains of projection": (lambda: tm.enforcement.projection(alpha=1), "no option 'alpha'.*belongs to: baumgarte, hybrid"),
    "a negative gain": (lambda: tm.enforcement.baumgarte(alpha=-1), "alpha is -1; it must be at least 0"),
    "two ways of partitioning": (lambda: tm.enforcement.partitioning(method="qr", coordinates=["x"]), "Remove one"),
    "an object of another registry": (lambda: tm.methods[tm.enforcement.none], r"but it is tm\.enforcement\.none"),
    "held without correction": (lambda: tm.InitialConditions(hold=["b.x"], correct=False), "correct=False"),
    "values that are a list": (lambda: tm.InitialConditions([1]), "mapping by name"),  # type: ignore[arg-type]
    "an unknown analysis": (lambda: tm.Analysis("simulat"), "Did you mean 'simulate'"),
    "an option of another analysis": (lambda: tm.Analysis("kinematics", 1.0, rtol=1e-3), "no option 'rtol'"),
    "a misspelt option": (lambda: tm.Analysis("simulate", 1.0, sampels=3), "Did you mean 'samples'"),
    "an option of a single run": (lambda: tm.Analysis("simulate", 1.0, store="x"), "no option 'store'"),
    "an impossible duration": (lambda: tm.Analysis("simulate", -1.0), "duration is -1.0 s; it must be 0 or more"),
    "an option that has no effect": (
        lambda: tm.Analysis("simulate", 1.0, method=tm.methods.rk4(step=0.1), rtol=1e-3), "rtol=0.001 would not be used",
    ),
    "a former option": (lambda: tm.Analysis("simulate", 1.0, method=tm.methods.default(step=0.1)), r"tm\.methods\.rk4\(step="),
}  # fmt: skip


@pytest.mark.parametrize(("make", "message"), REFUSED.values(), ids=REFUSED)
def test_options_that_do_not_apply_are_refused_where_the_object_is_made(make, message: str) -> None:
    with pytest.raises(tm.ModelError, match=message):
        make()


def test_an_unknown_attribute_of_a_registry_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="Did you mean 'baumgarte'"):
        _ = tm.enforcement.baumgart
    assert not hasattr(tm.methods, "shape")


def test_words_and_objects_give_the_same_numbers() -> None:
    m = pendulum()
    for words, objects in (
        ({"method": "dopri5"}, {"method": tm.methods.dopri5}),
        ({"constraints": "baumgarte"}, {"constraints": tm.enforcement.baumgarte(alpha=5.0, beta=5.0)}),
        ({"constraints": "partitioning"}, {"constraints": tm.enforcement.partitioning(method="lu-full")}),
        ({"formulation": "joint"}, {"formulation": tm.formulations.joint(form="articulated")}),
        ({"initial": {"A.angle": 0.3}}, {"initial": tm.InitialConditions({"A.angle": 0.3})}),
    ):
        one, other = (m.simulate(0.3, samples=4, progress=False, **given) for given in (words, objects))
        assert np.array_equal(one.q, other.q), words


def test_gains_of_the_length_of_euler_parameters_are_those_of_the_constraints_unless_set() -> None:
    m = tm.SpatialModel("free", gravity=(0, 0, 0))
    m.body("b", mass=1.0, inertia=(1.0, 2.0, 3.0), omega=(1.0, 2.0, 3.0))

    def length(constraints="projection", **gains: float) -> np.ndarray:
        chosen = tm.formulations.cartesian(rotations="rates", normalize="baumgarte", **gains)
        method = tm.methods.rk4(step=0.05)
        r = m.simulate(1.0, samples=5, method=method, formulation=chosen, constraints=constraints, progress=False)
        return r["b"].norm_error

    strong = tm.enforcement.baumgarte(alpha=2.0, beta=3.0)
    assert np.array_equal(length(strong), length(alpha=2.0, beta=3.0))
    assert np.array_equal(length(), length(alpha=5.0, beta=5.0))
    assert not np.array_equal(length(strong), length(strong, alpha=5.0, beta=5.0))


def test_an_analysis_stands_for_its_options_in_every_function() -> None:
    m, run = pendulum(), tm.Analysis("simulate", 0.2, samples=5, rtol=1e-9, initial={"A.angle": 0.2})
    short = tm.Analysis("simulate", rtol=1e-9, initial={"A.angle": 0.2})
    direct = m.simulate(0.2, samples=5, rtol=1e-9, initial={"A.angle": 0.2}, progress=False)
    assert run.times == pytest.approx(direct.times, abs=0)
    g = m.gradient("b.y[end]", analysis=run, wrt=["mass"])
    assert g.value == direct["b"].y[-1]
    assert m.value_and_grad("b.y[end]", analysis=run, wrt=["mass"]).value([1.0]) == g.value
    best = m.optimize(minimize="0*b.y[end] + (mass - 1.2)^2", analysis=run, progress=False)
    assert best.values["mass"] == pytest.approx(1.2, abs=1e-5)
    assert m.tolerances("b.y[end]", analysis=run, tolerance={"mass": 0.1}, extremes=False).nominal == g.value
    found = m.batch({"mass": [1.0, 1.5]}).run(run, keep=["b.y"])
    assert found.values("b.y")[0, -1] == g.value
    measured = {"b.y": (direct.times, direct["b"].y)}
    assert m.identify(measured, variables=["mass"], analysis=short).values["mass"] > 0
    table = tm.textbook.compare_formulations(
        m, analysis=tm.Analysis("simulate", 0.2, constraints="baumgarte"), progress=False
    )
    assert "cartesian" in str(table)


@pytest.mark.parametrize("key", ["duration", "samples", "times", "initial"])
def test_an_analysis_and_its_short_form_are_not_mixed(key: str) -> None:
    value = {"times": [0.0], "initial": {"A.angle": 0.1}}.get(key, 3)
    with pytest.raises(tm.ModelError, match=rf"{key}= would not be used.*Pass {key} to tm\.Analysis"):
        pendulum().gradient("b.y[end]", analysis=tm.Analysis("simulate", 1.0), wrt=["mass"], **{key: value})


FILE = """
format = 1
[bodies.b]
position = [1.0, 0.0]
mass = 1.0
inertia = 0.1
[constraints.A]
type = "revolute"
first = "ground"
second = "b"
at = [0, 0]
[[analysis]]
type = "simulate"
duration = 0.1
samples = 3
"""


@pytest.mark.parametrize(
    ("lines", "options"),
    [
        ('method = {name = "rk4", step = "1 ms"}', {"method": tm.methods.rk4(step=1e-3)}),
        (
            'constraints = {name = "baumgarte", alpha = 10, beta = 3}',
            {"constraints": tm.enforcement.baumgarte(alpha=10, beta=3)},
        ),
        ('formulation = {name = "joint", form = "bodies"}', {"formulation": tm.formulations.joint(form="bodies")}),
        (
            'initial = {values = {"A.angle.rate" = 2.0}, hold = ["A.angle"]}',
            {"initial": tm.InitialConditions({"A.angle.rate": 2.0}, hold=["A.angle"])},
        ),
        ('initial = {"A.angle" = 0.3}', {"initial": {"A.angle": 0.3}}),
        ("initial = {correct = false}", {"initial": tm.InitialConditions(correct=False)}),
        ('start_time = "1 s"', {"start_time": 1.0}),
    ],
)
def test_model_files_name_choices_with_their_options(lines, options, tmp_path, monkeypatch, capsys) -> None:
    monkeypatch.chdir(tmp_path)
    model = loads(f"{FILE}{lines}\n")
    assert not [f for f in check(model).findings if f.level == "error"]
    (tmp_path / "m.toml").write_text(f"{FILE}{lines}\n", encoding="utf-8")
    assert main(["run", "m.toml", "--quiet", "--no-pictures"]) == 0
    found = tm.load_result(tmp_path / "m_results" / "simulate.trammel")
    assert np.array_equal(found.q, model.simulate(0.1, samples=3, progress=False, **options).q)


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ('method = {name = "dopri5", step = 0.1}', "'dopri5' has no option 'step'"),
        ("method = {step = 0.1}", "must be a name or a table"),
        ('initial = {values = {"A.angle" = 0.3}, "A.angle" = 1}', "next to values, hold and correct"),
        ("time_step = 0.1", "time_step"),
    ],
)
def test_choices_that_cannot_be_are_reported_by_the_check_of_a_file(lines: str, message: str) -> None:
    try:
        model = loads(f"{FILE}{lines}\n")
    except tm.FileFormatError as error:
        assert message in str(error)
        return
    assert any(message in f.sentence for f in check(model).findings if f.level == "error")
