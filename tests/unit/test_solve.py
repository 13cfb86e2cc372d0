"""Equations given as formulas: solutions against closed forms, rates against differences, and plain Newton's failures."""

import math

import numpy as np
import pytest

import pytrammel as tm

pytestmark = pytest.mark.search

CLOSE = 1e-9  # tolerance 1e-10 and quadratic convergence: the last correction leaves far less


def test_a_circle_and_a_line_meet():
    s = tm.textbook.solve(["x^2 + y^2 = 4", "x = y"], {"x": 1, "y": 0.5})
    assert [s["x"], s["y"]] == pytest.approx([math.sqrt(2)] * 2, abs=CLOSE)
    assert s.residual < CLOSE
    assert s.jacobian == pytest.approx(np.array([[2 * s["x"], 2 * s["y"]], [1, -1]]))


def test_formulas_come_in_every_form():
    x = tm.parse("x")
    for equation in ("x^3 - 8", "x^3 = 8", x**3 - 8, ["x^3 - 8"], {"cube": "x^3 = 8"}):
        assert tm.textbook.solve(equation, {"x": 1})["x"] == pytest.approx(2, abs=CLOSE)


def test_the_table_is_newtons_by_hand():
    s = tm.textbook.solve("cos(x) = x", {"x": 1.0}, newton="full")
    x = 1.0
    for k in range(s.iterations + 1):
        residual = math.cos(x) - x
        assert s.history.values[k, 0] == pytest.approx(x, abs=1e-15)
        assert s.history.residuals[k, 0] == pytest.approx(residual, abs=1e-15)
        x += residual / (math.sin(x) + 1)
    assert s.history.order == pytest.approx(2, abs=0.3)


@pytest.mark.parametrize("newton", ["damped", "full"])
def test_rates_agree_with_differences(newton):
    equations = ["x^2 + y*t = 5 + sin(t)", "x*y = exp(-t)*k"]
    start, given, h = {"x": 2.0, "y": 0.5}, {"k": "1 + t^2"}, 1e-4
    now, before, after = (
        tm.textbook.solve(equations, start, given=given, time=0.7 + d, newton=newton, tol=1e-13) for d in (0.0, -h, h)
    )
    for name in start:
        # central differences: errors of h^2 in the first, of rounding over h^2 in the second
        assert now.velocities[name] == pytest.approx((after[name] - before[name]) / (2 * h), abs=1e-7)
        second = (after[name] - 2 * now[name] + before[name]) / h**2
        assert now.accelerations[name] == pytest.approx(second, abs=1e-5)


def test_velocity_and_acceleration_equations_are_shown_as_formulas():
    f = tm.textbook.solve("x^2 = t", {"x": 1}, time=1.0).formulas
    assert f.velocity_equations == ("-1 + 2*x*x.rate = 0",)
    (text,) = f.acceleration_equations
    formula = tm.parse(text.removesuffix(" = 0"))
    values = {"x": 1.3, "x.rate": 0.4, "x.acceleration": 0.7, "t": 1.0}
    assert formula.evaluate(values) == pytest.approx(2 * 1.3 * 0.7 + 2 * 0.4**2)


def test_instants_are_followed_along_one_branch():
    times = np.linspace(0.0, 6.0, 4)  # two radians apart: Newton from the last values would land anywhere
    s = tm.textbook.solve(
        ["cos(a) = cos(p)", "sin(a) + b = sin(p)"], {"a": 0.3, "b": 0.0}, given={"p": "0.3 + t"}, times=times
    )
    assert s["a"] == pytest.approx(0.3 + times, abs=1e-8)
    assert s["a.rate"] == pytest.approx(np.ones(4)) and s["a.acceleration"] == pytest.approx(np.zeros(4), abs=1e-8)
    assert list(s.to_dict())[:3] == ["t", "a", "b"]


@pytest.mark.parametrize("unit", [1e-9, 1.0, 1e6])
def test_the_branch_is_kept_whatever_the_units(unit):
    """A slider-crank in nanometres or micrometres: the angle is followed as well as the length is."""
    loop = [f"{unit}*cos(p) + {3 * unit}*cos(q) = d", f"{unit}*sin(p) + {3 * unit}*sin(q) = 0"]
    times = np.linspace(0.0, 6.0, 7)
    s = tm.textbook.solve(loop, {"q": -0.2, "d": 3.5 * unit}, given={"p": "0.7 + t"}, times=times)
    assert s["q"] == pytest.approx(np.arcsin(-np.sin(0.7 + times) / 3), abs=1e-8)
    assert s["d"] / unit == pytest.approx(np.cos(0.7 + times) + 3 * np.cos(s["q"]), abs=1e-8)


def test_an_unknown_that_stays_zero_does_not_stop_the_run():
    s = tm.textbook.solve(["x - sin(t)", "y*(2 + x) = 0"], {"x": 0, "y": 1e-3}, times=np.linspace(0, 3, 5))
    assert s["y"] == pytest.approx(np.zeros(5), abs=1e-12)


def test_a_branch_that_ends_is_told_with_what_was_found():
    with pytest.raises(tm.TrammelError) as caught:
        tm.textbook.solve("x^2 = 1 - t", {"x": 1}, times=np.linspace(0, 2, 21))
    assert 9 <= len(caught.value.partial) <= 11
    assert caught.value.partial["x"] == pytest.approx(np.sqrt(1 - caught.value.partial.times), abs=1e-4)


# --- failures ----------------------------------------------------------------------------------------------------------


def test_plain_newton_diverges_from_far_away_and_damping_helps():
    with pytest.raises(tm.ConvergenceError, match=r"diverges.*largest residuals were 1\.107") as caught:
        tm.textbook.solve("atan(x)", {"x": 2}, newton="full")
    sizes = np.abs(caught.value.partial.values[:, 0])
    assert (np.diff(sizes) > 0).all()
    s = tm.textbook.solve("atan(x)", {"x": 2})
    assert abs(s["x"]) < CLOSE
    assert s.history.factors[0] == 0.5


def test_a_cycle_is_recognised():
    with pytest.raises(tm.ConvergenceError, match=r"goes round in circles.* 2 iterations before") as caught:
        tm.textbook.solve("x^3 - 2*x + 2", {"x": 0}, newton="full")
    assert caught.value.partial.values[:, 0] == pytest.approx([0, 1, 0])


@pytest.mark.parametrize("root", [0.5, 20.0, -3000.0])
@pytest.mark.parametrize("off", [0.3, -1e-3])
def test_a_cycle_of_any_size_is_recognised(root, off):
    """Newton's step of a root of the distance leads as far to the other side: x - r becomes r - x."""
    with pytest.raises(tm.ConvergenceError, match=r"goes round in circles.* 2 iterations before") as caught:
        tm.textbook.solve(f"sign(x - ({root}))*sqrt(abs(x - ({root})))", {"x": root + off}, newton="full")
    assert caught.value.partial.values[:, 0] == pytest.approx([root + off, root - off, root + off], rel=1e-9)


def test_a_maximum_has_no_step():
    with pytest.raises(tm.SingularError, match="equation 1 does not change with any unknown there"):
        tm.textbook.solve("x^2 - 1", {"x": 0})
    with pytest.raises(tm.SingularError, match="no equation changes with y there"):
        tm.textbook.solve(["x + y^2", "x - y^2 + 1"], {"x": 1, "y": 0})
    with pytest.raises(tm.SingularError, match="the equations are dependent there"):
        tm.textbook.solve(["x + y = 1", "2*x + 2*y = 2"], {"x": 1, "y": 3})


def test_what_has_no_solution_is_not_solved():
    with pytest.raises(tm.ConvergenceError, match=r"no step lowers the residuals.*misses by 1"):
        tm.textbook.solve("x^2 + 1", {"x": 0.3})
    with pytest.raises(tm.ConvergenceError, match="after 20 iterations"):
        tm.textbook.solve("x^2 + 1", {"x": 0.3}, newton="full", max_iterations=20)


def test_where_a_formula_is_not_defined_is_told():
    with pytest.raises(tm.ConvergenceError, match="not a finite number at the start, x = -1"):
        tm.textbook.solve("log(x) = 1", {"x": -1})
    with pytest.raises(tm.ConvergenceError, match=r"after 1 iteration.*not a finite number, at x = -3\.02"):
        tm.textbook.solve("log(x) = 1", {"x": 10}, newton="full")
    assert tm.textbook.solve("log(x) = 1", {"x": 10})["x"] == pytest.approx(math.e, abs=CLOSE)


def test_a_multiple_root_converges_linearly_and_loses_digits():
    with pytest.warns(tm.RunWarning, match="multiple root: rounding leaves x to about") as told:
        s = tm.textbook.solve("x^2 - 2*x + 1", {"x": 3})
    assert s.warnings == (told[0].message,)
    assert s["x"] == pytest.approx(1, abs=1e-6)
    assert s.history.order == pytest.approx(1, abs=0.05)
    assert "linear" in str(s)


def test_small_and_large_numbers_are_solved_alike():
    for size in (1e-12, 1.0, 1e12):
        s = tm.textbook.solve(f"{size}*x^2 = {9 * size}", {"x": 1})
        assert s["x"] == pytest.approx(3, rel=CLOSE)
        s = tm.textbook.solve(f"x^2 = {(3 * size) ** 2}", {"x": size})
        assert s["x"] == pytest.approx(3 * size, rel=CLOSE)


def test_a_long_sum_is_solved():
    assert tm.textbook.solve(" + ".join(["x"] * 3000) + " = 3000", {"x": 0})["x"] == pytest.approx(1)


@pytest.mark.parametrize(
    ("equations", "start", "options", "sentence"),
    [
        (["x + y = 1"], {"x": 0, "y": 0}, {}, r"1 equation for 2 unknowns \(x, y\); add equations, or move"),
        (["x = 1", "x = 2"], {"x": 0}, {}, r"2 equations for 1 unknown"),
        (["x + angel = 1"], {"x": 0}, {"given": {"angle": 1}}, "names 'angel', which is neither.*Did you mean 'angle'"),
        (["x = 1"], {"t": 0}, {}, "t is the time"),
        (["x = 1"], {"x": 0}, {"given": {"x": 1}}, "'x' is given, but it is an unknown, too"),
        (["x = a"], {"x": 0}, {"given": {"a": "b"}}, "may depend on t only"),
        (["x = 1 = y"], {"x": 0}, {}, "more than one equals sign"),
        (["x = 1 +"], {"x": 0}, {}, "equation 1: "),
        (["x = 1", "x = 2"], {"x": 0, "y": 1}, {}, "no equation depends on 'y'"),
        ([], {"x": 0}, {}, "equations must be formulas in a list"),
        (["x = 1"], {}, {}, "start must give a first guess"),
        (["x = 1"], {"x": "one"}, {}, "start.*'one'"),
        (["x = 1"], {"x": 0}, {"tol": 0}, "tol is 0; it must be at least 1e-14"),
        (["x = 1"], {"x": 0}, {"max_iterations": 0}, "max_iterations is 0"),
        (["x = 1"], {"x": 0}, {"times": [0, 1], "time": 2.0}, "would not be used"),
        (["x = 1"], {"x": 0}, {"times": [1, 0]}, "times must increase"),
        (["sin = 1"], {"sin": 0}, {}, "already means a function"),
    ],
)
def test_bad_input_gets_a_sentence(equations, start, options, sentence):
    with pytest.raises(tm.ModelError, match=sentence):
        tm.textbook.solve(equations, start, **options)


def test_unknown_names_of_a_solution_are_refused():
    with pytest.raises(tm.ModelError, match="no unknown 'z'; there are: x"):
        _ = tm.textbook.solve("x = 1", {"x": 0})["z"]


def test_pictures(tmp_path):
    pytest.importorskip("matplotlib")
    s = tm.textbook.solve("cos(x) = x", {"x": 1.0})
    s.plot(tmp_path / "history.png")
    assert (tmp_path / "history.png").stat().st_size > 1000
    assert tm.textbook.solve("x = t", {"x": 0}, times=[0, 1]).plot() is not None
