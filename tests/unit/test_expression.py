"""Formulas: reading, writing, folding, differentiating."""

from __future__ import annotations

import copy
import math
import pickle
import random

import numpy as np
import pytest

import pytrammel as tm
from pytrammel import opcodes
from pytrammel.errors import ExpressionError
from pytrammel.expressions import functions as f
from pytrammel.expressions.expression import ZERO, Expression, as_expression, call, number, parse, time, variable
from pytrammel.expressions.tables import Table

X = variable("x")

# text and its value at t = 0.5, x = 2 by the same arithmetic in Python
VALUES = [
    ("1 + 2*3", 7.0),
    ("(1 + 2)*3", 9.0),
    ("-x^2", -4.0),  # a power binds tighter than the sign before it
    ("2^3^2", 512.0),  # powers group from the right: 2^9
    ("2**-1", 0.5),
    ("x^-2", 0.25),
    ("8/4/2", 1.0),  # divisions group from the left
    ("1 - 2 - 3", -4.0),
    ("--x", 2.0),
    ("+x", 2.0),
    ("1e-3*x", 2e-3),
    (".5 + 1.", 1.5),
    ("2*pi*t", math.pi),
    ("tau", math.tau),
    ("e^t", math.exp(0.5)),
    ("sin(t)^2 + cos(t)^2", 1.0),
    ("atan2(t, x)", math.atan2(0.5, 2.0)),
    ("min(t, x)*max(t, x)", 1.0),
    ("mod(-t, x)", 1.5),  # the remainder has the sign of the period
    ("step(t - 0.5) + step(-t)", 1.0),  # a step is up at zero itself
    ("sign(-x) + abs(-x) + floor(-t)", 0.0),
    ("  t\n* x\t", 1.0),
    ("sqrt(exp(log(x)))", math.sqrt(2.0)),
]


@pytest.mark.parametrize(("text", "value"), VALUES)
def test_reads_formulas(text: str, value: float) -> None:
    # a few roundings of numbers of order one
    assert parse(text).evaluate({"t": 0.5, "x": 2.0}) == pytest.approx(value, rel=1e-15, abs=1e-15)


def test_the_letter_pi_is_the_number() -> None:
    assert parse("2*π*t") == parse("2*pi*t")


def test_dotted_names_are_single_names() -> None:
    assert parse("A.angle + 2*crank.phi - P.x*t_1").names == {"A.angle", "crank.phi", "P.x", "t_1"}


# formula with units, the same formula in SI
UNITS_IN_FORMULAS = [
    ("60 rpm * t", 2 * math.pi * 1.7),
    ("360 deg/s*t", 2 * math.pi * 1.7),
    ("2 rev/s * t + 90 deg", 4 * math.pi * 1.7 + math.pi / 2),
    ("90° * t", math.pi / 2 * 1.7),
    ("-10 mm*sin(2*t)", -0.01 * math.sin(3.4)),
    ("0.5*t^2*(3 rad/s^2)", 1.5 * 1.7**2),
    ("3 kN/m * 2 mm", 6.0),
    ("5 N m/deg * 1 deg", 5.0),
    ("1 m^2 - 1 cm**2", 1 - 1e-4),
    ("2 rad s^-1 * t", 3.4),
    ("60 rev/min*t/2", math.pi * 1.7),
    ("10 N/(2*t)", 10 / 3.4),
    ("30 deg/t", math.pi / 6 / 1.7),
    ("if(t > 500 ms, 1 kg, 2 t_1)", None),
    ("4 min(1, 2)", None),
]


@pytest.mark.parametrize(("text", "value"), UNITS_IN_FORMULAS)
def test_numbers_with_units_in_formulas_are_converted_to_si(text, value):
    if value is None:  # t_1 and min( are no units
        with pytest.raises(ExpressionError, match="side by side"):
            parse(text)
    else:
        assert parse(text).substitute({"t": 1.7}).constant == pytest.approx(
            value, rel=1e-15
        )  # one rounding per product


# text, part of the sentence, column of the caret
MISTAKES = [
    ("2t", "2*t, not 2t", 1),
    ("2*(t+1)(t)", "side by side", 7),
    ("(1 2)", "side by side", 3),
    ("sni(t)", "did you mean sin", 0),
    ("1 + cycloid(t)", "cycloidal", 4),
    ("q(t)", "to multiply write q*(...)", 0),
    ("sin(t", "never closed", 3),
    ("t)", "closes nothing", 1),
    ("1, 2", "comma", 1),
    ("0,5*t", "decimals have a point", 1),
    ("10 deg t", "side by side", 7),
    ("3 m^2.5", "whole number", 3),
    ("2 t", "side by side", 2),
    ("t²", "written with ^", 1),
    ("", "empty", 0),
    ("  ", "empty", 0),
    ("2 +", "ends where a value is expected", 3),
    ("2 + * 3", "found '*'", 4),
    ("t % 2", "mod(x, period)", 2),
    ("t & 2", "write and", 2),
    ("t and", "ends where a value is expected", 5),
    ("and t", "stands between conditions", 0),
    ("if(t > 1, 2)", "takes 3 arguments, but 2", 0),
    ("step(t, 1, 0)", "takes 1 or 5 arguments, but 3", 0),
    ("step(t, 1, 0, 1, 2)", "begins and ends at x0 = x1 = 1", 0),
    ("not " * 100 + "t", "nested more than", 240),
    ("x = 2", "to compare, write ==", 2),
    ("sin", "brackets", 0),
    ("sin'(t)", "Only rise laws and tables", 3),
    ("atan2(t)", "takes 2 arguments, but 1", 0),
    ("sin()", "takes one argument, but 0", 0),
    ("t + 1/0", "Division by zero", 5),
    ("2*log(0 - 1)", "log(-1) is not a finite number", 2),
    ("1e999", "not a finite number", 0),
    ("9^9^9^9", "not a finite number", 3),
    ("__import__('os')", "cannot be read", 11),  # nothing that looks like Python gets further than this
    ("__import__(os)", "There is no function", 0),
    ("(" * 500 + "t" + ")" * 500, "nested more than", 60),
]


@pytest.mark.parametrize(("text", "sentence", "column"), MISTAKES)
def test_mistakes_are_shown_with_a_caret(text: str, sentence: str, column: int) -> None:
    with pytest.raises(ExpressionError) as caught:
        parse(text)
    message, shown, caret = str(caught.value).split("\n")
    assert caret.index("^") - 4 == column, str(caught.value)
    assert shown[4:] == text
    assert sentence in message


def test_as_expression_names_the_purpose() -> None:
    assert as_expression(2, "speed") == number(2.0)
    assert as_expression(np.float64(0.5), "speed") == number(0.5)
    assert as_expression("2*t", "speed") == 2 * time
    assert as_expression(time, "speed") is time
    with pytest.raises(ExpressionError, match=r"^motion of driver 'm': .*side by side"):
        as_expression("2 t", "motion of driver 'm'")
    for wrong in (None, True, [1.0]):
        with pytest.raises(ExpressionError, match="speed: expected a formula"):
            as_expression(wrong, "speed")


def test_names_with_a_meaning_or_bad_letters_are_refused() -> None:
    for bad in ("pi", "sin", "cycloidal", "2x", "a b", "a..b", ""):
        with pytest.raises(ExpressionError):
            variable(bad)


def test_numbers_fold_and_neutral_elements_vanish() -> None:
    assert X * 0 is ZERO
    assert 0 / X is ZERO
    for same in (X * 1, 1 * X, X + 0, 0 + X, X - 0, X / 1, X**1, -(-X), X * -1 * -1):
        assert same == X
    assert (X**0).constant == 1.0
    for written, meant in ((0 - X, -X), (X + -3, X - 3), (X - (-2 * time), X + 2 * time)):
        assert written == meant
    assert parse("2*pi*t") == math.tau * time
    assert f.sin(0.5) == math.sin(0.5) and isinstance(f.cycloidal(0.25), float)
    assert isinstance(f.atan2(1.0, X), Expression)


def test_operators_refuse_what_is_not_a_number() -> None:
    for wrong in ("2", None, [1.0]):
        with pytest.raises(TypeError):
            X + wrong  # type: ignore[operator]
    with pytest.raises(ExpressionError, match="text"):
        f.sin("t")  # type: ignore[call-overload]


def test_numpy_numbers_do_not_make_arrays() -> None:
    assert np.float64(2.0) * X == 2 * X
    assert X / np.int64(4) == X / 4


def test_nodes_cannot_change() -> None:
    with pytest.raises(AttributeError, match="cannot be changed"):
        X.label = ("y",)


def random_expression(choose: random.Random, depth: int) -> Expression:
    """Any tree of the registry, for tests of structure only (its value may not exist)."""
    if depth == 0:
        return choose.choice(
            [time, X, variable("A.angle"), number(choose.choice([2.0, -3.0, 0.1, math.pi, -math.tau]))]
        )
    kind = choose.random()
    if kind < 0.5:
        name, entry = choose.choice(list(opcodes.OPERATORS.items()))
        arity = entry.arity
    elif kind < 0.8:
        name, entry = choose.choice(list(opcodes.FUNCTIONS.items()))
        arity = entry.arity
    else:
        name, arity = choose.choice([*((sign, 2) for sign in opcodes.COMPARISONS), *opcodes.LOGIC.items()])
    while True:
        try:
            return call(name, *(random_expression(choose, depth - 1) for _ in range(arity)))
        except ExpressionError:  # folded to 1/0 or log(-3)
            continue


@pytest.mark.parametrize("seed", range(200))
def test_text_reads_back_to_the_same_tree(seed: int) -> None:
    expression = random_expression(random.Random(seed), 4)
    assert parse(str(expression)) == expression


def test_text_of_tables_and_derivatives_reads_back() -> None:
    lift = Table("lift", [0.0, 1.0, 3.0], [0.0, 1.0, 0.0])
    expression = (2 * lift(time) * f.cycloidal(X)).derivative("t").derivative("x")
    assert str(expression) == "2*lift'(t)*cycloidal'(x)"
    assert parse(str(expression), {"lift": lift}) == expression
    assert expression.tables == (lift,)


def test_copies_and_pickles_are_equal() -> None:
    expression = Table("lift", [0.0, 1.0], [0.0, 1.0])(time) * f.min(X, 0) + parse("sin(3*t)")
    for other in (pickle.loads(pickle.dumps(expression)), copy.deepcopy(expression)):
        assert other == expression and hash(other) == hash(expression)
        assert other - 0 == expression
    assert expression != expression + 1 and expression != 3


def test_long_sums_do_not_exhaust_the_stack() -> None:
    text = " + ".join(["t"] * 5000)
    expression = parse(text)
    assert expression.evaluate({"t": 1.0}) == 5000.0
    assert expression.derivative("t") == number(5000.0)
    assert parse(str(expression)) == expression
    assert pickle.loads(pickle.dumps(expression)) == expression


def test_shared_parts_cost_once() -> None:
    expression = X
    for _ in range(60):  # as a tree this would have 2^60 leaves
        expression = expression * expression + time
    assert len(expression.tape(["x", "t"]).ints) == 4 + 4 * 120
    assert math.isfinite(expression.evaluate({"x": 0.1, "t": 0.1}))
    assert "x" in expression.derivative("x").names


def test_values_may_be_arrays() -> None:
    t = np.linspace(0.0, 1.0, 5)
    assert np.array_equal(parse("2*t + x").evaluate({"t": t, "x": 1}), 2 * t + 1)
    with pytest.raises(ExpressionError, match="'x' has no value; give one of: t"):
        parse("x*t").evaluate({"t": 1.0})


ANALYTIC = [
    "t^3 - 2*t^-2 + t^0.3", "sin(t)*cos(2*t)/tan(t)", "asin(t/3) + acos(t/4)*atan(t)", "sinh(t)*cosh(t) - tanh(t)",
    "sqrt(1 + t^2)*exp(-t)/log(2 + t)", "(1 + t)^t", "2^t", "-t/(1 - t)^2",
]  # fmt: skip


@pytest.mark.parametrize("text", ANALYTIC)
def test_derivative_agrees_with_complex_step(text: str) -> None:
    expression = parse(text)
    step = 1e-30  # no difference is taken, so the step may vanish against t
    for t in (0.3, 0.9):
        stepped = expression.evaluate({"t": complex(t, step)}).imag / step
        # both are rounded a dozen times at conditions near one
        assert expression.derivative("t").evaluate({"t": t}) == pytest.approx(stepped, rel=1e-13)


def test_polynomial_piece_of_nikravesh() -> None:
    # Nikravesh, Computer-Aided Analysis of Mechanical Systems, Example 4.3: printed with three decimals
    piece = parse("6.538*t^3 - 8.538*t^2 + 1.358*t + 3.755")
    slope = piece.derivative("t")
    got = [e.evaluate({"t": 0.3}) for e in (piece, slope, slope.derivative("t"))]
    assert got == pytest.approx([3.570, -2.000, -5.308], abs=1e-3)  # coefficients and answers carry three decimals


def test_corners_differentiate_to_the_branch_in_force() -> None:
    at = {"t": 0.7, "x": 2.0}
    for text, slope in [
        ("abs(t - 1)", -1.0), ("min(t, 1)", 1.0), ("min(1, t^2)", 1.4), ("max(t, x)", 0.0), ("max(t, t)", 1.0),
        # sums of both arguments of either sign
        ("min(t - 3, x)", 1.0), ("min(t + 3, x)", 0.0), ("min(x, t + 3)", 0.0), ("min(x - 9, t)", 0.0), ("min(x, t - 3)", 1.0),
        ("max(t - 3, x)", 0.0), ("max(t + 3, x)", 1.0), ("max(x, t + 3)", 1.0), ("max(x - 9, t)", 1.0), ("max(t - 3, x - 9)", 1.0),
        ("mod(3*t, 2)", 3.0), ("mod(x, t)", -2.0), ("step(t)", 0.0), ("sign(t)", 0.0), ("floor(t)", 0.0),
        ("atan2(t, x)", 2.0 / 4.49), ("atan2(x, t)", -2.0 / 4.49),
    ]:  # fmt: skip
        assert parse(text).derivative("t").evaluate(at) == pytest.approx(slope, rel=1e-15), text


# --- sizes -------------------------------------------------------------------------------------------------------------


def test_long_formulas_are_read_and_written_in_linear_time():
    """Four times the terms take four times the calls (counted, for clocks are noisy), not sixteen times."""
    import sys

    def calls(count, work):
        formula, seen = parse(" + ".join(["sin(t)*2"] * count)), [0]

        def count_one(*_):
            seen[0] += 1

        sys.setprofile(count_one)
        try:
            work(formula, count)
        finally:
            sys.setprofile(None)
        return seen[0]

    for work in (lambda _, n: parse(" + ".join(["t*2"] * n)), lambda f, _: str(f), lambda f, _: f.derivative("t")):
        few = calls(250, work)
        assert few < calls(1000, work) < 4.5 * few


def test_too_long_formulas_and_texts_are_cut_with_a_sentence(monkeypatch):
    from pytrammel.expressions import parser, text

    monkeypatch.setattr(parser, "MAX_SYMBOLS", 1000)
    with pytest.raises(ExpressionError, match="more than 1000 numbers, names and signs; split it up"):
        parse("+".join(["t"] * 600))
    doubled = parse("t")
    for _ in range(80):  # each part twice: the text would have 2^80 letters
        doubled = doubled * doubled + 1
    monkeypatch.setattr(text, "LONGEST", 5000)
    assert len(str(doubled)) < 5100 and str(doubled).endswith("…")


def test_a_mistake_far_inside_a_long_formula_is_shown_with_its_surroundings():
    with pytest.raises(ExpressionError) as caught:
        parse("+".join(["t"] * 5000) + "+)+" + "+".join(["t"] * 5000))
    _, text, caret = str(caught.value).split("\n")
    assert len(text) < 220 and text[caret.index("^")] == ")"


@pytest.mark.parametrize("unit", ["rpm", "deg", "rev", "Hz"])
@pytest.mark.parametrize("form", ["60*{}*t", "{}*60*t", "t*{}", "5 + 60*({})*t"])
def test_a_unit_that_is_used_as_a_factor_is_named(unit, form):
    m = tm.PlanarModel("m")
    m.body("b")
    m.revolute("A", m.ground, "b", at=(0.0, 0.0))
    with pytest.raises(tm.ModelError, match=rf"{unit!r} is a unit and follows a number .*60 {unit}"):
        m.driver("D", "A.angle", form.format(unit))
    m.parameter(unit, 2.0)  # a parameter of that name is no unit
    m.driver("D", "A.angle", form.format(unit))


@pytest.mark.parametrize(("length", "cut"), [(750, False), (751, False), (752, True)])
def test_long_texts_are_cut_round_their_mistake(length, cut):
    """The mistake stands at 749: text and caret have 1500 letters together at the limit."""
    text = "1+" * 374 + "1$"
    text += " " * (length - len(text))
    with pytest.raises(ExpressionError) as caught:
        parse(text)
    _, shown, mark = str(caught.value).split("\n")
    assert shown[mark.index("^")] == "$"
    if cut:
        assert shown.strip() == "…" + text[text.index("$") - 100 :].rstrip()
    else:
        assert shown.strip() == text.rstrip()
