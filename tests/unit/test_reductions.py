"""Formulas over whole results: what they are worth, and how they change with every sample."""

import numpy as np
import pytest

import pytrammel as tm
from pytrammel.results.formulas.reductions import Reduction
from pytrammel.results.formulas.series_functions import OVER_TIME

TIMES = np.array([0.0, 0.1, 0.25, 0.3, 0.5, 0.8, 1.0])
FORMULAS = [
    "max(abs(A.reaction))",
    "rms(P.y - 0.3)",
    "mean(P.x^2) - 2*min(P.y)",
    "P.x[end] + at(P.y, 0.42)*P.x[start]",
    "range(P.x)/deviation(P.y)",
    "integral(P.x*sin(t))",
    "sum((P.y - target)^2)",
    "sqrt(mean((P.x - mean(P.x))^2)) + arm^2*P.y[3]",
    "max(P.x, P.y)[2] + max(min(P.x, P.y))",
    "arm^max(P.y)",
    "last(if(P.x > 0.2, P.x*P.y, P.y)) + sample(P.y, -2)",
]


@pytest.fixture
def model():
    m = tm.PlanarModel("arm")
    m.parameter("arm", 0.7)
    m.body("bar", mass=1.0, inertia=0.1)
    m.revolute("A", "ground", "bar", at=(0.0, 0.0))
    m.point("P", "bar", local=("arm", 0.0))
    m.driver("motor", "A.angle", "2*t")
    return m


def series(shape=()):
    rng = np.random.default_rng(3)
    return {name: rng.uniform(0.1, 0.9, (*shape, TIMES.size)) for name in ("P.x", "P.y", "A.reaction")}


def read(model, text):
    return Reduction.parse(text, model, data={"target": np.linspace(0.0, 1.0, TIMES.size)})


def slope_seen(reduction, given, name, direction, step=1e-6):
    """Eighth-order differences of the value along a direction of one quantity."""
    weights = {1: 4 / 5, 2: -1 / 5, 3: 4 / 105, 4: -1 / 280}

    def value(h):
        moved = {**given, name: given[name] + h * direction}
        return reduction.of(moved, TIMES)

    return sum(w * (value(k * step) - value(-k * step)) for k, w in weights.items()) / step


@pytest.mark.parametrize("text", FORMULAS)
def test_the_gradient_of_a_formula_is_what_small_changes_of_its_series_do(model, text):
    reduction, given = read(model, text), series()
    _, gradient = reduction.gradient(given, TIMES)
    rng = np.random.default_rng(8)
    for name in reduction.quantities:
        direction = rng.normal(size=TIMES.size)
        seen = slope_seen(reduction, given, name, direction)
        assert gradient[name] @ direction == pytest.approx(seen, rel=1e-8, abs=1e-8)  # rounding over the step
        _, forwards = reduction.along(given, TIMES, {name: direction})
        assert forwards == pytest.approx(gradient[name] @ direction, rel=1e-12, abs=1e-14)


@pytest.mark.parametrize("text", FORMULAS)
def test_many_runs_are_reduced_like_each_of_them(model, text):
    reduction, given = read(model, text), series((4,))
    arms = np.array([0.5, 0.6, 0.7, 0.8])
    together, slopes = reduction.gradient(given, TIMES, {"arm": arms})
    assert together.shape == (4,)
    for k in range(4):
        alone = {name: x[k] for name, x in given.items()}
        value, gradient = reduction.gradient(alone, TIMES, {"arm": arms[k]})
        assert together[k] == value
        for name in gradient:
            np.testing.assert_array_equal(slopes[name][k], gradient[name])


def test_parameters_in_a_formula_have_their_own_derivative(model):
    reduction = Reduction.parse("arm^2*mean(P.x)", model)
    given = series()
    value, gradient = reduction.gradient(given, TIMES)
    assert gradient["arm"] == pytest.approx(2 * value / 0.7)
    assert reduction.along(given, TIMES, {"arm": 1.0})[1] == pytest.approx(2 * value / 0.7)


def test_one_sample_of_a_series_has_a_gradient(model):
    reduction = Reduction.parse("P.x*P.y - mean(P.x)", model)
    given = series()
    value, gradient = reduction.gradient(given, TIMES, sample=2)
    assert reduction.is_series and value == reduction.of(given, TIMES)[2]
    direction = np.random.default_rng(1).normal(size=TIMES.size)
    _, along = reduction.along(given, TIMES, {"P.x": direction})
    assert gradient["P.x"] @ direction == pytest.approx(along[2])
    with pytest.raises(tm.ModelError, match="is a series"):
        reduction.gradient(given, TIMES)


def test_values_at_instants_are_exact_for_cubics_and_never_cross_a_jump(model):
    reduction = Reduction.parse("at(P.x, 0.42)", model)
    assert reduction.of({"P.x": TIMES**3 - TIMES}, TIMES) == pytest.approx(0.42**3 - 0.42)
    times = np.array([0.0, 0.1, 0.2, 0.3, 0.3, 0.4, 0.5, 0.6])
    jumped = np.where(np.arange(8) < 4, times**3, 5.0 - times)
    assert Reduction.parse("at(P.x, 0.27)", model).of({"P.x": jumped}, times) == pytest.approx(0.27**3)
    assert Reduction.parse("at(P.x, 0.33)", model).of({"P.x": jumped}, times) == pytest.approx(4.67)


def test_formulas_over_a_run_agree_with_what_results_say_themselves(model):
    run = model.kinematics(1.0, samples=21)
    statistics = run.statistics("P.x")["P.x"]
    for text, truth in {
        "mean(P.x)": statistics.mean,
        "rms(P.x)": statistics.rms,
        "deviation(P.x)": statistics.deviation,
        "range(P.x)": statistics.span,
        "max(P.x[mm])": 1e3 * statistics.maximum,
        "P.x[end] - arm*cos(2)": 0.0,
        "A.angle[10]": 1.0,
    }.items():
        assert Reduction.parse(text, model).on(run) == pytest.approx(truth, abs=1e-12)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("max(Q.x)", "there is no quantity 'Q.x' in model 'arm'; names begin with one of: bar, P, A, motor"),
        ("max(motr.effort)", "did you mean 'motor'"),
        ("maxx(P.x)", "did you mean max"),
        ("at(P.x)", "'at' takes a series and a number"),
        ("at(P.x, arm)", "plain number"),
        ("P.x[nonsense]", "nonsense"),
        ("(P.x + 1)[mm]", r"x\[end\]"),
        ("max(P.x, 1, 2)", "takes a series, or two values"),
        ("mean()", "0 arguments"),
        ("mean(P.x", "never closed"),
    ],
)
def test_a_formula_that_means_nothing_gets_a_sentence(model, text, says):
    with pytest.raises(tm.TrammelError, match=says):
        Reduction.parse(text, model)


@pytest.mark.parametrize(
    ("data", "says"),
    [
        ({"target": [1.0, 2.0]}, "has 2 values, but the run has 7"),
        ({"P": 1.0}, "has something of that name"),
        ({"target": "x"}, "must be numbers"),
    ],
)
def test_data_that_do_not_fit_get_a_sentence(model, data, says):
    with pytest.raises(tm.ModelError, match=says):
        Reduction.parse("rms(P.x - target)", model, data=data).of(series(), TIMES)


def test_instants_outside_the_run_are_refused(model):
    with pytest.raises(tm.ModelError, match="the run covers"):
        Reduction.parse("at(P.x, 1.5)", model).of(series(), TIMES)
    with pytest.raises(tm.ModelError, match="no sample"):
        Reduction.parse("P.x[7]", model).of(series(), TIMES)


def test_every_function_over_time_is_explained():
    assert all(function.about for function in OVER_TIME.values())
