"""Operators, conversions and functions given things that are not numbers: errors that name the remedy."""

import math
import operator

import numpy as np
import pytest

import pytrammel as tm
from pytrammel.expressions import functions

BINARY = [
    operator.add,
    operator.sub,
    operator.mul,
    operator.truediv,
    operator.pow,
    operator.floordiv,
    operator.mod,
    operator.lt,
    operator.ge,
]
SINGLE = [
    operator.neg,
    operator.pos,
    abs,
    float,
    int,
    complex,
    round,
    math.sin,
    math.floor,
    tm.functions.sin,
    tm.functions.step,
]


def things():
    m = tm.PlanarModel("m")
    a = m.body("a", mass=1.0, inertia=0.1)
    m.revolute("A", "ground", a, at=(0, 0))
    m.spring("S", "ground", a.at(1, 1), stiffness=1.0)
    p = m.point("P", a, at=(0.2, 0))
    s = tm.SpatialModel("s")
    b = s.body("b", mass=1.0, inertia=(1, 1, 1))
    return {
        "quantity": m["A"].angle, "coordinate": p.x, "unnamed": a.at(0.1, 0.2).x, "joint": m["A"], "force": m["S"], "point": p, "body": a,
        "spatial body": b, "marker": b.at(0, 0, 1), "in space": b.z,
    }  # fmt: skip


@pytest.mark.parametrize("thing", things().values(), ids=things())
def test_quantities_and_parts_are_not_numbers(thing):
    for use in BINARY:
        for other in (3, 2.5, np.float64(2.0), tm.time):
            for pair in ((thing, other), (other, thing)):
                with pytest.raises(tm.ModelError, match="Use") as caught:
                    use(*pair)
                assert isinstance(caught.value, TypeError)
    for use in SINGLE:
        with pytest.raises(tm.ModelError, match="Use"):
            use(thing)
    assert thing == thing and thing != 3 and bool(thing)
    assert not np.any(np.array([1.0, 2.0]) == thing)


def test_the_remedy_names_the_quantity_and_works():
    with pytest.raises(tm.ModelError, match=r"'A.angle \+ 3'"):
        _ = things()["quantity"] + 3
    assert tm.parse("A.angle") + 3 == tm.parse("A.angle + 3")


@pytest.mark.parametrize(
    "use", [float, int, complex, round, math.sin, lambda x: x % 2, lambda x: 2 // x, lambda x: x @ x]
)
def test_formulas_are_not_numbers(use):
    for formula in (tm.time, 2 * tm.time, tm.functions.sin(tm.time)):
        with pytest.raises(tm.ModelError, match=r"Use (evaluate|tm\.|\*)"):
            use(formula)


@pytest.mark.parametrize("other", ["3", b"3", None, True, 1j, [1], (1, 2), {}])
def test_an_operand_of_another_kind_is_named(other):
    for use in (operator.add, operator.mul, operator.pow, operator.lt):
        with pytest.raises(tm.ModelError, match="must be a formula or a number"):
            use(tm.time, other)
    with pytest.raises(tm.ModelError, match="must be a formula or a number"):
        _ = other / tm.time


@pytest.mark.parametrize("name", [name for name in functions.__all__ if name != "step"])
def test_functions_name_the_arguments_that_they_take(name):
    function = getattr(functions, name)
    for count in (0, 4):
        with pytest.raises(tm.ModelError, match=name):
            function(*[0.1] * count)
    with pytest.raises(tm.ModelError, match="y"):
        function(0.1, y=2)
    if isinstance(function, functions.Unary):
        assert function(x=0.25) == function(0.25)
    elif name != "where":
        assert function(a=0.5, b=0.25) == function(0.5, 0.25)


@pytest.mark.parametrize("other", [1.5, -2.0, tm.parse("u")])
def test_hypot_and_remainder_of_numpy_are_those_of_numbers(other):
    for t, u in ((3.7, 0.4), (-0.31, -1.1), (0.35, 2.0)):
        number = u if isinstance(other, tm.Expression) else other
        values = {"t": t, "u": u}
        for function in (np.hypot, np.remainder, np.mod):
            for pair, numbers in (((tm.time, other), (t, number)), ((other, tm.time), (number, t))):
                assert function(*pair).evaluate(values) == pytest.approx(function(*numbers), abs=1e-14)
        assert np.hypot(tm.time, other).derivative("t").evaluate(values) == pytest.approx(t / math.hypot(t, number))


def test_hypot_of_a_formula_and_an_array_is_no_formula():
    with pytest.raises(TypeError):
        np.hypot(tm.time, np.ones(2))
