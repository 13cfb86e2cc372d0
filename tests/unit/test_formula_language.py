"""Comparisons, choices, smooth steps and named formulas, wherever a model takes a formula."""

from __future__ import annotations

import math

import numpy as np
import pytest

import trammel as tm
from trammel.errors import ExpressionError, ModelError
from trammel.model.expression import parse

X = tm.parse("x")


@pytest.mark.parametrize(
    "text, at, worth",
    [
        ("2 < 3", {}, 1.0),
        ("x >= 1", {"x": 1.0}, 1.0),
        ("x > 1", {"x": 1.0}, 0.0),
        ("0 < x < 1", {"x": 0.5}, 1.0),
        ("0 < x < 1", {"x": 1.5}, 0.0),
        ("x == 1 or x == 2", {"x": 2.0}, 1.0),
        ("not x and x != 3", {"x": 0.0}, 1.0),
        ("if(x > 0, 5, 7)", {"x": -1.0}, 7.0),
        ("if(x, 5, 7)", {"x": -1.0}, 5.0),
        ("1 + 2*(x < 0)", {"x": -1.0}, 3.0),
        ("a and b or c", {"a": 1.0, "b": 0.0, "c": 1.0}, 1.0),
        ("a and (b or c)", {"a": 0.0, "b": 0.0, "c": 1.0}, 0.0),
    ],
)
def test_comparisons_are_one_where_they_hold(text, at, worth):
    assert parse(text).evaluate(at) == worth


def test_comparisons_in_python_and_in_texts_are_the_same():
    assert (X < 2) == parse("x < 2") and (X > 2) == parse("x > 2")
    assert ((X >= 0) & (X <= 1)) == parse("x >= 0 and x <= 1")
    assert ((X > 0) | (X < -1)) == parse("x > 0 or x < -1")
    assert ~(X > 0) == parse("not x > 0")
    assert tm.where(X > 0, X, 0) == parse("if(x > 0, x, 0)")
    assert tm.where(3, 1, 2) == 1.0
    assert tm.step(X, 1, 2, 3, 4) == parse("step(x, 1, 2, 3, 4)") and tm.step(2.0, 1, 2, 3, 4) == 3.0


def test_a_comparison_is_no_truth_value_of_python():
    with pytest.raises(ExpressionError, match="is not known before a run; write a chain of comparisons with &"):
        assert 0 < X < 1
    with pytest.raises(ExpressionError, match="takes x, or x, x0, h0, x1, h1, but 3"):
        tm.step(X, 1, 2)


def test_what_is_not_chosen_may_be_undefined():
    root = parse("if(x >= 0, sqrt(x), 0)")
    with np.errstate(invalid="ignore"):
        assert root.evaluate({"x": -4.0}) == 0.0
        assert root.derivative("x").evaluate({"x": -4.0}) == 0.0
    assert root.derivative("x").evaluate({"x": 4.0}) == 0.25


def test_what_is_not_a_number_spreads_through_comparisons():
    with np.errstate(invalid="ignore"):
        for text in ("sqrt(x) < 1", "sqrt(x) != 1", "if(sqrt(x) > 0, 1, 2)", "not sqrt(x) >= 0"):
            assert math.isnan(parse(text).evaluate({"x": -1.0})), text


def test_the_smooth_step_of_adams():
    """Adams' STEP is h0 + (h1 - h0) u² (3 - 2u) with u = (x - x0)/(x1 - x0) inside, constant outside."""
    x = np.array([-1.0, 1.0, 1.5, 2.0, 2.5, 3.0, 9.0])
    u = np.clip((x - 1) / 2, 0, 1)
    assert parse("step(x, 1, 5, 3, -2)").evaluate({"x": x}) == pytest.approx(5 - 7 * u**2 * (3 - 2 * u), abs=1e-14)
    moving = parse("step(x, a, 5, b, -2)").evaluate({"x": x, "a": 1.0, "b": 3.0})
    assert moving == pytest.approx(5 - 7 * u**2 * (3 - 2 * u), abs=1e-14)


# --- named formulas ----------------------------------------------------------------------------------------------------


def pendulum(space=False):
    m = tm.SpatialModel("pendulum") if space else tm.PlanarModel("pendulum")
    if space:
        m.body("b", mass=2.0, inertia=(0.1, 0.1, 0.1), position=(0.5, 0.0, 0.0))
        m.revolute("A", "ground", "b", at=(0.0, 0.0, 0.0), axis="y")
    else:
        m.body("b", mass=2.0, inertia=0.1, position=(0.5, 0.0))
        m.revolute("A", "ground", "b", at=(0.0, 0.0))
    m.define_table("hill", {"x": [0.0, 1.0, 2.0], "y": [0.0, 1.0, 0.0], "kind": "natural"})
    m.parameter("k", 3.0)
    m.define("swing", "A.angle + 0.1*hill(t)")
    m.define("pull", "if(swing < 0, -k*swing, 0) - 0.2*A.angle.rate")
    return m


@pytest.mark.parametrize("space", [False, True])
def test_named_formulas_act_like_what_they_stand_for(space):
    named, plain = pendulum(space), pendulum(space)
    named.user_force("f", "A.angle", "2*pull")
    plain.user_force(
        "f", "A.angle", "2*(if(A.angle + 0.1*hill(t) < 0, -3*(A.angle + 0.1*hill(t)), 0) - 0.2*A.angle.rate)"
    )
    events = [tm.Event("low", "swing + 0.5"), tm.Event("late", "hill(t) - 0.5", direction=1)]
    a = named.simulate(1.0, samples=11, events=events, initial={"swing": 0.2})
    b = plain.simulate(1.0, samples=11, initial={"A.angle": 0.2})
    # steps of one end at events, so that both agree to the tolerance of the run
    assert a["A.angle"] == pytest.approx(b["A.angle"], abs=1e-6)
    assert a["swing"] == pytest.approx(b.formula("A.angle + 0.1*hill(t)"), abs=1e-6)
    assert a.formula("if(swing > 0, k, pull)")[0] == 3.0
    assert "swing" in a.quantities()


def test_named_formulas_are_kept_in_files_copies_and_changed_parameters(tmp_path):
    m = pendulum()
    m.user_force("f", "A.angle", "2*pull")
    for twin in (m.copy(), tm.load(m.save(tmp_path / "m.toml")), m.with_parameters(k=3.0)):
        assert twin.definitions == m.definitions
        assert twin.forces["f"].uses[0].law == m.forces["f"].uses[0].law
    changed = m.with_parameters(k=5.0).forces["f"].uses[0].law
    assert changed.evaluate({"A.angle": -1.0, "A.angle.rate": 0.0, "t": 0.0}) == pytest.approx(10.0)
    outer = tm.PlanarModel("two")
    outer.assembly("left", m)
    assert "left.A.angle" in outer.forces["left.f"].uses[0].law.names


def test_named_formulas_can_be_driven_and_held():
    m = pendulum()
    m.define("turn", "2*A.angle")
    m.driver("drive", "turn", "t")
    k = m.kinematics(1.0, samples=3)
    assert k["A.angle"] == pytest.approx([0.0, 0.25, 0.5], abs=1e-9)


@pytest.mark.parametrize(
    "name, formula, sentence",
    [
        ("swing", "t", "there is a formula of that name already"),
        ("k", "t", "there is a parameter of that name already"),
        ("hill", "t", "there is a table of that name already"),
        ("t", "1 + t", "cannot be the name of a formula"),
        ("a.b", "t", "cannot be the name of a formula"),
        ("loop", "loop + 1", "is defined by itself"),
        ("new", 3.0, "for a number use m.parameter"),
    ],
)
def test_wrong_definitions_are_explained(name, formula, sentence):
    with pytest.raises(ModelError, match=sentence):
        pendulum().define(name, formula)


def test_words_of_formulas_are_no_names():
    for word in ("if", "and", "or", "not", "poly23"):
        with pytest.raises(ExpressionError, match="already means"):
            tm.PlanarModel("m").parameter(word, 1.0)


def test_a_force_that_is_chosen_by_time_is_met_exactly():
    """A mass pushed by 3 N in 1 s < t < 2 s: v = 3/m (t - 1) inside, constant outside."""
    m = tm.PlanarModel("m", gravity=(0.0, 0.0))
    m.body("b", mass=1.5, inertia=1.0)
    m.force("push", "b", ("if(1 < t < 2, 3, 0)", 0.0))
    r = m.simulate(3.0, samples=31)
    assert r["b.vx"] == pytest.approx(2.0 * np.clip(r.times - 1.0, 0.0, 1.0), abs=1e-9)


def test_a_formula_and_a_part_cannot_share_a_name():
    m = tm.PlanarModel("m")
    m.body("arm")
    with pytest.raises(tm.ModelError, match="formula 'arm' cannot be defined: a part of the model has that name"):
        m.define("arm", "2*t")
    m.define("gap", "2*t")
    with pytest.raises(tm.ModelError, match="the name 'gap' is taken already"):
        m.body("gap")
