"""Comparisons, choices, smooth steps and named formulas, wherever a model takes a formula."""

from __future__ import annotations

import math

import numpy as np
import pytest

import pytrammel as tm
from pytrammel.errors import ExpressionError, ModelError
from pytrammel.expressions.expression import parse
from pytrammel.units import UNITS, read_measured

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
    assert tm.functions.where(X > 0, X, 0) == parse("if(x > 0, x, 0)")
    assert tm.functions.where(3, 1, 2) == 1.0
    assert (
        tm.functions.step(X, 1, 2, 3, 4) == parse("step(x, 1, 2, 3, 4)") and tm.functions.step(2.0, 1, 2, 3, 4) == 3.0
    )


def test_a_comparison_is_no_truth_value_of_python():
    with pytest.raises(ExpressionError, match="is not known before a run; write a chain of comparisons with &"):
        assert 0 < X < 1
    with pytest.raises(ExpressionError, match="takes x, or x, x0, h0, x1, h1, but 3"):
        tm.functions.step(X, 1, 2)


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
    assert "swing" in a.names()


def test_named_formulas_are_kept_in_files_copies_and_changed_parameters(tmp_path):
    m = pendulum()
    m.user_force("f", "A.angle", "2*pull")
    for twin in (m.copy(), tm.load(m.save(tmp_path / "m.toml")), m.with_parameters(k=3.0)):
        assert twin.definitions == m.definitions
        assert twin.forces["f"].uses[0].law == m.forces["f"].uses[0].law
    changed = m.with_parameters(k=5.0).forces["f"].uses[0].law
    assert changed.evaluate({"A.angle": -1.0, "A.angle.rate": 0.0, "t": 0.0}) == pytest.approx(10.0)
    outer = tm.PlanarModel("two")
    outer.subsystem("left", m)
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


PRODUCTS = [("2 kg", 2.0, (0, 1, 0)), ("500 g", 0.5, (0, 1, 0)), ("9.81 m/s^2", 9.81, (1, 0, -2)), ("10 mm", 0.01, (1, 0, 0)),
            ("3 s", 3.0, (0, 0, 1)), ("4", 4.0, (0, 0, 0)), ("0.5", 0.5, (0, 0, 0)), ("20 N", 20.0, (1, 1, -2))]  # fmt: skip


@pytest.mark.parametrize("second", PRODUCTS, ids=lambda each: each[0])
@pytest.mark.parametrize("first", PRODUCTS[:5], ids=lambda each: each[0])
@pytest.mark.parametrize("sign", ["*", "/", " * ", " / "])
def test_products_of_numbers_with_units_have_their_value_and_dimension(first, second, sign):
    """Values and dimensions by hand; a mass accepts masses alone."""
    way = 1 if "*" in sign else -1
    value = first[1] * second[1] ** way
    dimension = tuple(p + way * q for p, q in zip(first[2], second[2], strict=True))
    text = f"{first[0]}{sign}{second[0]}"
    m = tm.PlanarModel("product")
    assert m.body("any", position=(0, 0), mass=1.0, inertia=1.0).name == "any"
    m.parameter("p", text)
    assert m.parameters["p"].value == pytest.approx(value, rel=1e-14)
    if dimension == (0, 1, 0):
        assert m.body("b", mass=text, inertia=1.0).mass == pytest.approx(value, rel=1e-14)
    else:
        with pytest.raises(tm.ModelError, match="mass"):
            m.body("b", mass=text, inertia=1.0)


@pytest.mark.parametrize("text", ["10 mm/0", "10 mm/0 s", "2 kg*", "2 kg*/3", "2 kq*3"])
def test_products_that_are_no_number_are_rejected(text):
    with pytest.raises(tm.ModelError):
        tm.PlanarModel("product").parameter("p", text)


# SI units and definitions: the inch and the pound are exact (1959), the pound-force is the pound times standard gravity
IN_SI = {
    "m": ("1 m", "mm 1e-3, cm 1e-2, dm 0.1, km 1000, µm 1e-6, um 1e-6, in 0.0254, inch 0.0254, ft 0.3048"),
    "kg": ("1 kg", "g 1e-3, mg 1e-6, t 1000, lb 0.45359237"),
    "s": ("1 s", "ms 1e-3, min 60, h 3600"),
    "1/s": ("1 s^-1", "Hz 1, kHz 1000"),
    "rad": ("1 rad", f"mrad 1e-3, deg {math.tau / 360!r}, ° {math.tau / 360!r}, rev {math.tau!r}"),
    "rad/s": ("1 rad s^-1", f"rpm {math.tau / 60!r}"),
    "N": ("1 kg m/s^2", f"N 1, mN 1e-3, kN 1e3, MN 1e6, lbf {0.45359237 * 9.80665!r}"),
    "N m": ("1 kg m^2/s^2", "Nm 1, kNm 1e3, J 1, mJ 1e-3, kJ 1e3, MJ 1e6"),
    "W": ("1 kg m^2/s^3", "W 1, kW 1e3, MW 1e6"),
    "Pa": ("1 kg/m/s^2", "Pa 1, kPa 1e3, MPa 1e6, GPa 1e9, bar 1e5"),
    "1": ("1 m/m", "% 0.01"),
}


@pytest.mark.parametrize("base", IN_SI)
def test_units_are_their_multiples_of_base_units(base):
    """Every unit is a number of base units and measures the same kind of quantity."""
    in_base_units, multiples = IN_SI[base]
    expected = read_measured(in_base_units, "x")
    for unit, factor in (each.split() for each in multiples.split(", ")):
        found = read_measured(f"3 {unit}", "x")
        assert found.dimension == expected.dimension, unit
        assert found.value == pytest.approx(3 * float(factor), rel=1e-15), unit  # the last digit of a product


def test_every_unit_has_a_known_multiple():
    known = {each.split()[0] for _, multiples in IN_SI.values() for each in multiples.split(", ")}
    assert set(UNITS) == known | {"m", "kg", "s", "rad", "1"}


def lever():
    m = tm.PlanarModel("lever", gravity=(0, 0))
    m.parameter("load", 3.0)
    m.body("w", mass=1, inertia=0.1, position=(1, 0))
    m.revolute("A", m.ground, "w", at=(0, 0))
    m.state("u", "1 - u", initial=0.5)
    return m


@pytest.mark.parametrize(
    ("text", "worth"),
    [
        ("5 N m - 2 N m s/rad*A.angle.rate", 5.0),
        ("-5 N m - 2 N m s*A.angle.rate", -5.0),
        ("2 kN m*A.angle + 3 N m", 3.0),
        ("3 N m*u", 1.5),
        ("3 N m*load", 9.0),
        ("6 N m/load", 2.0),
        ("3 N m*u - 0.5 N m", 1.0),
        ("1 N m*(1 - A.angle.rate/(20 rpm))", 1.0),
        ("2 N m - 500 mN m", 1.5),
        ("2 N m^1 - 500 N mm^1", 1.5),
        ("4 N m", 4.0),
    ],
)
def test_a_formula_may_begin_with_a_number_and_its_unit(text, worth):
    for add in (
        lambda m: m.user_force("F", "A.angle", text),
        lambda m: m.motor("F", first=m.ground, second="w", torque=text),
    ):
        m = lever()
        add(m)
        s = m.simulate(1e-6, samples=2, progress=False)
        assert s.force("F")[0] == pytest.approx(worth, abs=1e-5)


LAWS = {
    "user_force": lambda m, law: m.user_force("F", "A.angle", law),
    "motor": lambda m, law: m.motor("F", first=m.ground, second="w", torque=law),
    "torque": lambda m, law: m.torque("F", "w", law),
    "force": lambda m, law: m.force("F", "w", (law, 0)),
    "state": lambda m, law: m.state("F", law),
    "driver": lambda m, law: m.driver("F", "A.angle", law),
    "spring": lambda m, law: m.spring("F", m.ground.at(0, 1), m["w"].at(0, 0), stiffness=law),
}


@pytest.mark.parametrize("kind", LAWS)
@pytest.mark.parametrize("text", ["3t", "3 t", "2.5t", "1e3 t"])
def test_t_after_a_number_is_no_time_and_no_tonne_in_a_law(kind, text):
    with pytest.raises(ModelError) as error:
        LAWS[kind](lever(), text)
    assert repr(text) in str(error.value) and f"{text.rstrip('t').rstrip()}*t" in str(error.value)


@pytest.mark.parametrize("kind", ["user_force", "motor", "torque", "force"])
@pytest.mark.parametrize("text", ["3 kg", "3 m", "2 rpm", "5 s"])
def test_a_force_is_no_mass_length_or_time(kind, text):
    with pytest.raises(ModelError, match="it must be") as error:
        LAWS[kind](lever(), text)
    assert repr(text) in str(error.value)


@pytest.mark.parametrize(
    ("text", "unit"),
    [("60 RPM*t", "rpm"), ("3 turns*t", "rev"), ("3 degrees*t", "deg"), ("3 seconds + t", "s"), ("5 newton*t", "N"), ("5 KN*t", "kN")],
)  # fmt: skip
def test_a_word_for_a_unit_gets_the_unit(text, unit):
    with pytest.raises(ModelError) as error:
        lever().user_force("F", "A.angle", text)
    assert f"did you mean {unit!r}?" in str(error.value)


@pytest.mark.parametrize("text", ["2*pi rad/s*t", "(2 + 1) N m*t", "A.angle N m", "u N"])
def test_a_unit_after_something_else_than_a_number_is_named(text):
    with pytest.raises(ModelError, match="A unit follows a number"):
        lever().user_force("F", "A.angle", text)
