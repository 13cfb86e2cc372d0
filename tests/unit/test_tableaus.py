"""Runge–Kutta methods from tableaus of the user, and the second-order family of Nikravesh, eq. 12.14."""

from __future__ import annotations

import math

import numpy as np
import pytest

import pytrammel as tm
from pytrammel.analysis.methods import dop853_numbers as DOP853
from pytrammel.analysis.methods import read_method
from pytrammel.analysis.methods.tableaus import order_of, trees

# tableau, weights, order: Butcher, Numerical methods for ordinary differential equations
TABLEAUS = {
    "Euler": ([[]], [1], 1),
    "Heun 3": ([[], ["1/3"], [0, "2/3"]], ["1/4", 0, "3/4"], 3),
    "Kutta 3": ([[], ["1/2"], [-1, 2]], ["1/6", "2/3", "1/6"], 3),
    "RK4": ([[], [0.5], [0, 0.5], [0, 0, 1]], ["1/6", "1/3", "1/3", "1/6"], 4),
    "3/8": ([[], ["1/3"], ["-1/3", 1], [1, -1, 1]], ["1/8", "3/8", "3/8", "1/8"], 4),
    "Kutta and Nystrom 5": (
        [[], ["1/3"], ["4/25", "6/25"], ["1/4", -3, "15/4"], ["2/27", "10/9", "-50/81", "8/81"], ["2/25", "12/25", "2/15", "8/75", 0]],
        ["23/192", 0, "125/192", 0, "-27/64", "125/192"], 5,
    ),
    "a method of order 1": ([[], [1]], ["3/4", "1/4"], 1),
}  # fmt: skip


def error_of(method, h):
    """Error at t = 1 of y' = -y t + sin(t) y^2, whose rate depends on both arguments."""
    y = tm.textbook.integrate(
        {"y": "-y*t + sin(t)*y^2"}, {"y": 0.7}, 1.0, samples=2, method=tm.methods[method](step=h)
    )["y"][-1]
    exact = tm.textbook.integrate({"y": "-y*t + sin(t)*y^2"}, {"y": 0.7}, 1.0, samples=2, rtol=1e-14, atol=1e-15)["y"][
        -1
    ]
    return abs(y - exact)


@pytest.mark.parametrize("name", TABLEAUS)
def test_the_order_of_a_tableau_is_found_and_met(name):
    a, b, order = TABLEAUS[name]
    method = tm.methods.runge_kutta(a, b, name=name)
    assert method.order == order and method.name == name
    steps = (0.1, 0.05)
    measured = math.log2(error_of(method, steps[0]) / error_of(method, steps[1]))
    assert measured == pytest.approx(order, abs=0.35)  # terms of the next order: about h


def test_rooted_trees_and_a_method_of_order_8():
    assert [len(trees(n)) for n in range(1, 9)] == [1, 1, 2, 4, 9, 20, 48, 115]  # Cayley's numbers
    assert order_of(DOP853.A, DOP853.B) == 8


@pytest.mark.parametrize("a", [0.5, 0.75, 1.0, "1/3", 2, -1.0, 10.0])
def test_the_second_order_family_for_any_parameter(a):
    """One step by hand, and the second order."""
    method = tm.methods.rk2(a)
    share = float(eval(a)) if isinstance(a, str) else float(a)

    def f(t, y):
        return -y * t + math.sin(t) * y * y

    y, t, h = 0.7, 0.2, 0.05
    k = f(t, y)
    by_hand = y + h * ((1 - share) * k + share * f(t + h / (2 * share), y + h / (2 * share) * k))
    found = tm.textbook.integrate(
        {"y": "-y*t + sin(t)*y^2"}, {"y": y}, h, start_time=t, samples=2, method=tm.methods[method](step=h)
    )
    assert found["y"][-1] == pytest.approx(by_hand, abs=1e-15)
    assert method.order == 2
    assert math.log2(error_of(method, 0.02) / error_of(method, 0.01)) == pytest.approx(2.0, abs=0.35)


@pytest.mark.parametrize(("a", "name"), [(0.5, "heun"), (1.0, "midpoint"), (0.75, "ralston")])
def test_members_of_the_family_are_the_named_methods(a, name):
    found = [
        tm.textbook.integrate({"y": "-y*t"}, {"y": 1.0}, 1.0, samples=5, method=tm.methods[m](step=0.1))["y"]
        for m in (tm.methods.rk2(a), name)
    ]
    np.testing.assert_allclose(*found, rtol=0, atol=1e-15)


def test_an_embedded_solution_controls_the_error():
    method = tm.methods.runge_kutta(
        [[], ["1/2"], [0, "3/4"], ["2/9", "1/3", "4/9"]], ["2/9", "1/3", "4/9", 0],
        embedded=["7/24", "1/4", "1/3", "1/8"], name="Bogacki and Shampine",
    )  # fmt: skip
    assert (method.order, method.control_order, method.fixed) == (3, 3, False)
    errors = []
    for rtol in (1e-5, 1e-8):
        found = tm.textbook.integrate({"y": "-y*t"}, {"y": 1.0}, 2.0, samples=2, method=method, rtol=rtol, atol=rtol)
        errors.append(abs(found["y"][-1] - math.exp(-2.0)))
    assert errors[0] < 1e-4 and errors[1] < 1e-7 and errors[1] < 0.1 * errors[0]


@pytest.mark.parametrize("dimension", [2, 3])
def test_mechanisms_run_with_a_given_tableau(dimension):
    if dimension == 2:
        m = tm.PlanarModel("pendulum", gravity=(0, -9.81))
        m.body("b", position=(1.0, 0.0), mass=1.0, inertia=0.1)
        m.revolute("A", "ground", "b", at=(0, 0))
    else:
        m = tm.SpatialModel("pendulum", gravity=(0, 0, -9.81))
        m.body("b", position=(1.0, 0.0, 0.0), mass=1.0, inertia=(0.1, 0.1, 0.1))
        m.revolute("A", "ground", "b", at=(0, 0, 0), axis=(0, 1, 0))
    a, b, _ = TABLEAUS["3/8"]
    found = m.simulate(0.5, samples=3, method=tm.methods.runge_kutta(a, b, step=1e-3))
    exact = m.simulate(0.5, samples=3, rtol=1e-11)
    np.testing.assert_allclose(found["A"].angle, exact["A"].angle, rtol=0, atol=1e-9)


def test_a_made_method_is_made_again_from_its_recipe():
    for method in (
        tm.methods.rk2(0.75),
        tm.methods.runge_kutta(*TABLEAUS["3/8"][:2], name="x"),
        tm.methods.runge_kutta([[], [1]], [0.5, 0.5], embedded=[1, 0]),
    ):
        again = read_method(list(method.recipe))
        assert (again.name, again.order, again.fixed) == (method.name, method.order, method.fixed)
        np.testing.assert_array_equal(again.numbers(2)[0], method.numbers(2)[0])


@pytest.mark.parametrize(
    ("a", "b", "embedded", "text"),
    [
        ([[0, 1], [1]], [0.5, 0.5], None, r"implicit: a\[0\]\[1\] = 1"),
        ([["1/2"]], [1], None, r"implicit: a\[0\]\[0\] = 1/2"),
        ([[], [1]], [0.5, 0.4], None, r"not consistent: the sum of b is 0\.9"),
        ([[]], [0.5, 0.5], None, r"a has 1 rows and b 2 weights"),
        ([[], [1]], [0.5, 0.5], [0.5, 0.5], r"embedded estimates no error, because it equals b"),
        ([[], [1]], [0.5, 0.5], [0.5, 0.4], r"embedded .* 0\.9"),
        ([[], [1]], [0.5, 0.5], [1.0], r"embedded has 1 weights and b 2"),
        ([[], ["x"]], [0.5, 0.5], None, r"a\[1\]\[0\].*x"),
        ([[], 1.0], [0.5, 0.5], None, r"a\[1\]"),
        (3.0, [1.0], None, r"\ba\b"),
        ([[], [1]], [], None, r"b is empty"),
        ([[], [float("nan")]], [0.5, 0.5], None, r"a\[1\]\[0\]"),
    ],
)
def test_tableaus_that_make_no_method_are_rejected(a, b, embedded, text):
    with pytest.raises(tm.ModelError, match=text):
        tm.methods.runge_kutta(a, b, embedded=embedded)


@pytest.mark.parametrize("a", [0, 0.0, "0", 1e-9, float("inf"), "x", None, [1.0], 1e9])
def test_parameters_that_make_no_member_are_rejected(a):
    with pytest.raises(tm.ModelError, match="a"):
        tm.methods.rk2(a)
