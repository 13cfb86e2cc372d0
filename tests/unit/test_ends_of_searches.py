"""Searches end the same on every processor: without an end, at an optimum, never worse than they began.

Another processor rounds otherwise, and a search then takes another path; here noise of a few roundings stands in for it.
"""

from __future__ import annotations

import re
import warnings

import numpy as np
import pytest

import pytrammel as tm
from pytrammel.design.optimization.problem import Problem

pytestmark = pytest.mark.search
FREE = {"a": (None, None)}
BOTH = {"a": (None, None), "b": (None, None)}


def two(a: float = -1.2, b: float = 1.0) -> tm.PlanarModel:
    """Two parameters; formulas of them alone need no runs."""
    m = tm.PlanarModel("two")
    m.parameter("a", a, bounds=(-2, 2))
    m.parameter("b", b, bounds=(-2, 2))
    m.body("block", mass="1 + a^2", inertia="b^2 + 1")
    return m


def with_noise(monkeypatch: pytest.MonkeyPatch, seed: int) -> None:
    """Values and slopes that a search receives, off by up to eight roundings."""
    random = np.random.default_rng(seed)
    fun, gradient = Problem.fun, Problem.gradient

    def shaken(value):
        return value * (1.0 + 8.0 * np.finfo(float).eps * random.uniform(-1.0, 1.0, np.shape(value)))

    monkeypatch.setattr(Problem, "fun", lambda self, z: float(shaken(fun(self, z))))
    monkeypatch.setattr(Problem, "gradient", lambda self, z: shaken(gradient(self, z)))


NO_END = [
    ({"maximize": "a"}, FREE),
    ({"minimize": "a + b^2"}, FREE),
    ({"minimize": "1e-3*a + b^2"}, FREE),
    ({"maximize": "a + b^2*a^2"}, FREE),
    ({"minimize": "a^3 + a*b"}, FREE),
    ({"minimize": "a^5"}, FREE),
    ({"maximize": "exp(a/10)"}, FREE),  # overflows on the way
    ({"minimize": "a*exp(b)"}, FREE),
    ({"maximize": "log(3 + a) + b"}, {"a": (-2, None)}),  # ever flatter, but without a limit
    ({"maximize": "sqrt(3 + a) + b"}, {"a": (-2, None)}),
    ({"minimize": "1/(3 + a) + b^2"}, {"a": (-2, None)}),  # bounded, but its least value is nowhere reached
    ({"minimize": "a - 1e-3*b^4"}, BOTH),
    ({"minimize": "a*sin(b)"}, BOTH),
    ({"maximize": "a + b", "subject_to": "a^2 - b^2 <= 1"}, BOTH),
    ({"maximize": "b", "subject_to": "a >= b^2"}, BOTH),  # along a curve
    ({"maximize": "b", "subject_to": "a == b^2"}, BOTH),
]
AN_END = [
    ({"minimize": "(a - 300)^2 + b^2"}, FREE, (300.0, 0.0)),
    ({"minimize": "(a - 3e5)^2 + b^2"}, FREE, (3e5, 0.0)),
    ({"minimize": "100*(b - a^2)^2 + (1 - a)^2"}, BOTH, (1.0, 1.0)),
    ({"minimize": "sqrt(1 + a^2) + b^2"}, FREE, (0.0, 0.0)),
    ({"maximize": "a + b", "subject_to": "a^2 + b^2 <= 2"}, BOTH, (1.0, 1.0)),
    # a shallow way down to minus infinity beyond a hill: a search along slopes ends in the hollow
    ({"minimize": "1e-4*a + (a - 1)^2/(1 + (a - 1)^2) + b^2"}, FREE, (0.99995, 0.0)),
]


@pytest.mark.parametrize(("method", "seed"), [("slsqp", None), ("slsqp", 0), ("slsqp", 1), ("trust-constr", None)])
@pytest.mark.parametrize(("ask", "bounds"), NO_END, ids=lambda each: "-".join(map(str, each.values())))
def test_an_objective_without_an_end_is_reported_on_every_path(ask, bounds, method, seed, monkeypatch):
    if seed is not None:
        with_noise(monkeypatch, seed)
    with pytest.raises(tm.ConvergenceError) as caught:
        two().optimize(bounds=bounds, method=method, max_iterations=25, progress=False, **ask)
    kind, text = next(iter(ask.items()))
    assert f"{kind[:5]}" in str(caught.value) and text in str(caught.value) and "no end" in str(caught.value)
    assert any(f"at {name} = " in str(caught.value) and f"bounds={{'{name}'" in str(caught.value) for name in bounds)
    assert not caught.value.partial.converged


@pytest.mark.parametrize("seed", [None, 0, 1])
@pytest.mark.parametrize(("ask", "bounds", "best"), AN_END, ids=lambda each: str(each))
def test_an_objective_with_an_end_is_not_taken_for_endless(ask, bounds, best, seed, monkeypatch):
    if seed is not None:
        with_noise(monkeypatch, seed)
    found = two().optimize(bounds=bounds, progress=False, **ask)
    assert found.converged
    assert list(found.values.values()) == pytest.approx(best, rel=1e-4, abs=1e-4)  # where the slope left counts as none


def in_units_of(unit: float, ask: dict[str, str], bounds: dict) -> tuple[tm.PlanarModel, dict[str, str], dict]:
    """The same task with both parameters in another unit."""
    m = tm.PlanarModel("two")
    for name, value in {"a": -1.2, "b": 1.0}.items():
        m.parameter(name, unit * value, bounds=(-2 * unit, 2 * unit))
    m.body("block", mass=f"1 + (a/{unit})^2", inertia=f"(b/{unit})^2 + 1")
    asked = {kind: re.sub(r"\b([ab])\b", rf"(\1/{unit})", text) for kind, text in ask.items()}
    return m, asked, {name: tuple(x and x * unit for x in ends) for name, ends in bounds.items()}


@pytest.mark.parametrize("unit", [1e-5, 1e5])
@pytest.mark.parametrize(("ask", "bounds"), NO_END[:2] + NO_END[8:11] + NO_END[13:14], ids=str)
def test_units_of_parameters_do_not_give_an_objective_an_end(ask, bounds, unit):
    model, asked, ends = in_units_of(unit, ask, bounds)
    with pytest.raises(tm.ConvergenceError, match="no end"):
        model.optimize(bounds=ends, max_iterations=25, progress=False, **asked)


@pytest.mark.parametrize("unit", [1e-5, 1e5])
@pytest.mark.parametrize(("ask", "bounds", "best"), [AN_END[0], *AN_END[2:]], ids=str)
def test_units_of_parameters_do_not_take_the_end_away(ask, bounds, best, unit):
    model, asked, ends = in_units_of(unit, ask, bounds)
    found = model.optimize(bounds=ends, progress=False, **asked)
    assert found.converged
    values = np.array(list(found.values.values())) / unit
    assert values == pytest.approx(best, rel=1e-4, abs=1e-4)  # where the slope left counts as none


def test_a_search_that_is_stopped_on_a_long_way_is_not_called_endless():
    with pytest.warns(tm.RunWarning, match="slope"):
        found = two().optimize(minimize="(a - 3e5)^2", bounds=FREE, method="trust-constr", max_iterations=40)
    assert not found.converged and found.objective < (3e5 + 1.2) ** 2


def test_the_design_next_to_limits_is_the_nearest_one():
    """A search that ends beside its limits is put onto them by the shortest way."""
    from pytrammel.design.analysis import VariantAnalysis
    from pytrammel.design.optimization.arguments import Task
    from pytrammel.design.optimization.feasibility import nearest

    run = {"analysis": VariantAnalysis("kinematics"), "variables": None, "bounds": None, "data": None}
    task = Task(two(1.5, 2.0), minimize="a", subject_to="a^2 + b^2 <= 1", **run)
    problem = task.problem(lambda _: None)
    found = nearest(problem, problem.trials.at(np.array([1.5, 2.0])))
    assert found.x == pytest.approx([0.6, 0.8], rel=1e-6)  # along the radius


METHODS = ["slsqp", "trust-constr", "differential_evolution", "cma"]
FLAT_OR_ROUGH = [
    "a^2 + b^2",
    "max(abs(a), abs(b))",
    "sin(40*a)*sin(40*b) + a^2",
    "a^4 + b^4",
    "100*(b - a^2)^2 + (1 - a)^2",
]


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("text", FLAT_OR_ROUGH)
def test_a_search_never_returns_something_worse_than_its_start(method, text):
    """Also where it begins at the optimum, and where rounding or kinks lead it astray."""
    for a, b in [(0.0, 0.0), (1.0, 1.0), (1e-9, -1e-9), (-0.0392699, 0.0392699), (0.3, -1.1)]:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", tm.RunWarning)
            found = two(a, b).optimize(minimize=text, method=method, max_iterations=3, progress=False)
            most = two(a, b).optimize(maximize=text, method=method, max_iterations=3, progress=False)
        assert found.objective <= found.before and most.objective >= most.before


@pytest.mark.parametrize("limit", ["sqrt(b.x) <= 2", "log(b.x + 0.1) >= -9", "asin(3*b.x) <= 9"])
def test_a_series_that_is_no_number_at_some_times_is_no_value(limit):
    """b.x = r cos(2 t + 1.1) comes to -r: each formula is a number at the first time."""
    m = tm.PlanarModel("crank")
    m.parameter("r", 0.45, bounds=(0.4, 1.0))
    m.body("b", position=("r", 0))
    m.revolute("A", "ground", "b", at=(0, 0))
    m.driver("D", "A.angle", "2*t + 1.1")
    with pytest.raises(tm.ConvergenceError, match=r"no value: the formula .* is no number"):
        m.optimize(minimize="r", subject_to=limit, analysis="kinematics", duration=2.0, samples=21)
