"""Tolerances, clearances and identified parameters against closed forms."""

import itertools
import math
import statistics
import warnings
from pathlib import Path
from statistics import NormalDist

import numpy as np
import pytest

import pytrammel as tm
from pytrammel.design.uncertainty.scatter import MonteCarlo

pytestmark = pytest.mark.search

UP = 0.3  # angle of the upper arm


def arm() -> tm.PlanarModel:
    """Two links in a row, held by two drivers: the height of P is a sin(0.3) + b sin(0.3 + phi)."""
    m = tm.PlanarModel("arm")
    m.parameter("a", 0.4, tolerance="1 mm")
    m.parameter("b", 0.3, tolerance=(0.0005, 0.002))
    m.parameter("phi", 0.5, tolerance=0.002)
    m.body("upper", position=(0, 0))
    m.body("lower", position=("a", 0))
    m.point("P", "lower", local=("b", 0))
    m.revolute("A", "ground", "upper", at=(0, 0))
    m.revolute("B", "upper", "lower", at=("a", 0))
    m.driver("d1", "A.angle", UP)
    m.driver("d2", "B.angle", "phi")
    return m


def height(a: float = 0.4, b: float = 0.3, phi: float = 0.5) -> float:
    return a * math.sin(UP) + b * math.sin(UP + phi)


SLOPES = {"a": math.sin(UP), "b": math.sin(UP + 0.5), "phi": 0.3 * math.cos(UP + 0.5)}


@pytest.fixture(scope="module")
def scattered() -> tm.results.ToleranceResult:
    return arm().tolerances("P.y[end]", times=[0.0], monte_carlo=512)


def test_slopes_and_worst_case_are_those_of_the_closed_form(scattered: tm.results.ToleranceResult) -> None:
    assert scattered.nominal == pytest.approx(height(), rel=1e-14)
    assert {part.name: part.slope for part in scattered.contributions} == pytest.approx(SLOPES, rel=1e-9)
    low = -SLOPES["a"] * 0.001 - SLOPES["b"] * 0.0005 - SLOPES["phi"] * 0.002
    high = SLOPES["a"] * 0.001 + SLOPES["b"] * 0.002 + SLOPES["phi"] * 0.002
    assert scattered.worst == pytest.approx((height() + low, height() + high), rel=1e-12)
    corners = [height(a, b, p) for a, b, p in itertools.product((0.399, 0.401), (0.2995, 0.302), (0.498, 0.502))]
    assert scattered.extremes == pytest.approx((min(corners), max(corners)), rel=1e-12)


def test_statistics_by_slopes_and_by_many_variants(scattered: tm.results.ToleranceResult) -> None:
    sizes = np.array([SLOPES["a"] * 0.001, SLOPES["b"] * 0.00125, SLOPES["phi"] * 0.002]) / 3.0
    assert scattered.mean == pytest.approx(height() + SLOPES["b"] * 0.00075, rel=1e-12)
    assert scattered.std == pytest.approx(float(np.linalg.norm(sizes)), rel=1e-9)
    assert scattered.share("b") == pytest.approx(sizes[1] ** 2 / (sizes**2).sum(), rel=1e-9)
    many = scattered.monte_carlo
    assert many is not None
    # Sobol points: errors of a mean fall nearly with their number; the tails are cut between 1/512 and 511/512
    assert many.mean == pytest.approx(scattered.mean, abs=0.01 * scattered.std)
    assert many.std == pytest.approx(scattered.std, rel=0.03)
    assert many.percentile(97.5) - many.mean == pytest.approx(1.96 * scattered.std, rel=0.06)
    flat = arm().tolerances("P.y[end]", times=[0.0], distribution="uniform", extremes=False)
    assert flat.std == pytest.approx(math.sqrt(3.0) * scattered.std, rel=1e-9)  # the root of 1/3 against 1/3


def test_pins_in_wide_holes_move_the_end_by_their_clearance() -> None:
    m = arm()
    found = m.tolerances("P.y[end]", times=[0.0], variables=[], clearance={"A": "0.1 mm", "B": 0.0002})
    assert [(part.name, part.high) for part in found.contributions] == [
        ("pin B", pytest.approx(2e-4, rel=1e-8)),  # all that follows is carried along, whole
        ("pin A", pytest.approx(1e-4, rel=1e-8)),
    ]
    assert found.extremes == pytest.approx((height() - 3e-4, height() + 3e-4), rel=1e-12)
    assert found.std == pytest.approx(math.hypot(1e-4, 2e-4) / math.sqrt(2.0), rel=1e-8)


def test_pins_and_balls_in_space_move_what_they_carry_across_their_axes_and_all_round() -> None:
    """An arm on a tilted axis carries a platform that does not turn: what the ball does to its height it does whole, the pin across
    its axis only; a direction by chance has a mean square of 1/2 in a plane, of 1/3 in space."""
    tilt, pin, ball = 0.4, 1e-4, 2e-4
    m = tm.SpatialModel("platform")
    m.body("arm", position=(0.3, 0, 0))
    m.body("platform", position=(0.7, 0.1, 0.2))
    m.revolute("A", m.ground, "arm", at=(0, 0, 0), axis=(math.sin(tilt), 0, math.cos(tilt)))
    m.spherical("S", "arm", "platform", at=(0.6, 0, 0))
    m.parallel_frames("level", m.ground, "platform")
    m.driver("motor", "A.angle", "0.3 + t")
    found = m.tolerances("platform.z[end]", times=[0.0], clearance={"A": pin, "S": ball}, monte_carlo=256)
    across = math.sin(tilt)  # of the upward direction, what lies across the axis
    assert {part.name: part.high for part in found.contributions} == pytest.approx(
        {"pin S": ball, "pin A": pin * across}, rel=1e-8
    )
    assert found.extremes == pytest.approx(
        (found.nominal - ball - pin * across, found.nominal + ball + pin * across), rel=1e-12
    )
    assert found.std == pytest.approx(math.sqrt(ball**2 / 3 + (pin * across) ** 2 / 2), rel=1e-8)
    assert found.monte_carlo.std == pytest.approx(found.std, rel=0.02)
    with pytest.raises(tm.ModelError, match="'level' is no revolute or spherical joint; pins are: A, S"):
        m.tolerances("platform.z[end]", times=[0.0], clearance={"level": pin})


def test_where_slopes_mislead_the_range_of_runs_is_reported() -> None:
    m = arm().with_parameters(phi=math.pi / 2 - UP)  # the lower arm stands upright
    with pytest.warns(tm.RunWarning, match=r"worst case of P\.[xy]\[end\]: runs .* but slopes predict"):
        found = m.tolerances("P.y[end]", times=[0.0], variables=["phi"], tolerance={"phi": 0.2})
    assert found.extremes == pytest.approx(
        (height(phi=math.pi / 2 - UP + 0.2), height(phi=math.pi / 2 - UP)), rel=1e-12
    )


def boxed(**given: tuple[float, float]) -> tm.PlanarModel:
    """Parameters alone, (value, tolerance): quantities are formulas of them, so that thousands of runs cost nothing."""
    m = tm.PlanarModel("box")
    for name, (value, tolerance) in given.items():
        m.parameter(name, value, tolerance=tolerance)
    m.body("block", position=(" + ".join(given), 0))
    return m


def quiet(model: tm.PlanarModel, quantity: str, **options: object) -> tm.results.ToleranceResult:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", tm.RunWarning)
        return model.tolerances(quantity, **options)  # type: ignore[arg-type]


def test_a_worst_case_inside_the_tolerance_is_found() -> None:
    """An arm that passes its upright position within the tolerance: neither end of it is the highest position."""
    m = arm().with_parameters(phi=math.pi / 2 - UP - 0.15)
    found = quiet(m, "P.y[end]", times=[0.0], variables=["phi"], tolerance={"phi": (0.1, 0.25)})
    assert found.extremes == pytest.approx(
        (height(phi=math.pi / 2 - UP - 0.25), height(phi=math.pi / 2 - UP)), rel=1e-12
    )
    case = found.worst_case
    assert case is not None
    assert case.turning == ("phi",)
    assert case.at_high["phi"] == pytest.approx(math.pi / 2 - UP, abs=1e-6)
    assert "both reached\n    searched at 2 corners, 80 interior points" in str(found)


@pytest.mark.parametrize("seed", range(6))
def test_worst_cases_of_sums_of_waves_are_those_of_each_wave(seed: int) -> None:
    """Sums of cos(w (x - c)), with up to two waves within each tolerance: the truth is that of each term."""
    random = np.random.default_rng(seed)
    count = 1 + seed % 3
    given, terms, low, high = {}, [], 0.0, 0.0
    for k in range(count):
        value, half, waves, at = (
            random.uniform(-1, 1),
            random.uniform(0.5, 1.0),
            random.uniform(1.0, 5.0),
            random.uniform(-1, 1),
        )
        given[f"p{k}"] = (value, half)
        terms.append(f"cos({waves!r}*(p{k} - ({at!r})))")
        ends = waves * (np.array([value - half, value + half]) - at)
        peaks = [k * math.pi for k in range(math.ceil(ends[0] / math.pi), math.floor(ends[1] / math.pi) + 1)]
        values = np.cos([*ends, *peaks])
        low, high = low + values.min(), high + values.max()
    assert quiet(boxed(**given), " + ".join(terms)).extremes == pytest.approx((low, high), abs=1e-9)


@pytest.mark.parametrize("seed", range(4))
def test_worst_cases_on_an_edge_and_inside_are_those_of_convex_programming(seed: int) -> None:
    """A coupled concave quadratic: its maximum over the box is that of bounded least squares, its minimum lies at a corner."""
    from scipy.optimize import lsq_linear

    random = np.random.default_rng(10 + seed)
    rows, goal = random.normal(size=(3, 3)), random.normal(size=3)
    names = ["p0", "p1", "p2"]
    parts = [
        "(" + " + ".join(f"({r!r})*{name}" for r, name in zip(row.tolist(), names, strict=True)) + f" - ({g!r}))^2"
        for row, g in zip(rows, goal.tolist(), strict=True)
    ]
    found = quiet(boxed(**dict.fromkeys(names, (0.1, 0.8))), "-(" + " + ".join(parts) + ")")
    truth = lsq_linear(rows, goal, bounds=(-0.7, 0.9), tol=1e-14)
    corners = [-float(np.sum((rows @ np.array(z) - goal) ** 2)) for z in itertools.product((-0.7, 0.9), repeat=3)]
    assert found.extremes == pytest.approx((min(corners), -2.0 * truth.cost), abs=1e-8)


def test_worst_cases_at_a_kink_are_found() -> None:
    found = quiet(boxed(p=(0.3, 0.5), q=(0.0, 0.4)), "abs(p - 0.41) + abs(q + p - 0.3)")
    assert found.extremes == pytest.approx((0.0, 0.61 + 0.9), abs=1e-4)  # the pattern search ends at steps of 1e-6


@pytest.mark.parametrize(("spread", "law"), [("normal", NormalDist().cdf), ("uniform", lambda u: 0.5 * (1.0 + u))])
def test_variants_of_a_monte_carlo_run_fill_their_law_evenly(spread: str, law) -> None:
    """Of n = 2^k Sobol points each n-th part of the probability holds one; three deviations reach the ends of a tolerance."""
    many = arm().tolerances("P.y[end]", times=[0.0], distribution=spread, extremes=False, monte_carlo=64).monte_carlo
    assert many is not None
    ends = ((0.399, 0.401), (0.2995, 0.302), (0.498, 0.502))
    for values, (low, high) in zip(many.table.T, ends, strict=True):
        unit = (values - 0.5 * (low + high)) / (0.5 * (high - low)) * (3.0 if spread == "normal" else 1.0)
        parts = [int(64 * law(float(u))) for u in unit]
        assert sorted(parts) == list(range(64))


@pytest.mark.parametrize("count", [2, 3, 5, 40])
def test_deviations_of_a_monte_carlo_run_are_those_of_a_sample(count: int) -> None:
    """The sum of squares is divided by one less than the number of variants."""
    values = np.random.default_rng(count).normal(3.0, 2.0, count)
    found = MonteCarlo(values, np.zeros((count, 1)), 0)
    assert found.std == pytest.approx(statistics.stdev(values.tolist()), rel=1e-12)
    assert found.mean == pytest.approx(statistics.fmean(values.tolist()), rel=1e-12)


def test_a_narrow_peak_that_a_monte_carlo_run_meets_counts() -> None:
    """A peak of a hundredth of the tolerance: 16 interior points pass it by, thousands do not."""
    found = quiet(boxed(p=(0.0, 1.0)), "exp(-((p - 0.7123)/0.01)^2)", monte_carlo=1024, distribution="uniform")
    assert found.monte_carlo is not None
    assert found.monte_carlo.values.max() > 0.9
    assert found.extremes == pytest.approx((0.0, 1.0), abs=1e-9)


def test_many_parameters_need_no_run_of_every_corner() -> None:
    """Twelve parameters, one of which peaks inside."""
    given = {f"p{k}": (0.0, 1.0) for k in range(12)}
    found = quiet(boxed(**given), "cos(2*p0 - 0.3) + " + " + ".join(f"{k}*p{k}" for k in range(1, 12)))
    assert found.extremes == pytest.approx((math.cos(-2.3) - 66.0, 1.0 + 66.0), abs=1e-8)
    case = found.worst_case
    assert case is not None
    assert (case.corners, case.turning) == (2, ("p0",))


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        ({"quantity": "P.y"}, "'P.y' has a value at every instant; say what counts, as in P.y[end]"),
        ({"quantity": "Q.y[end]"}, "there is no quantity 'Q.y'"),
        ({"variables": ["c"]}, "'c' is no parameter"),
        ({"tolerance": {"a": -1}}, "must not be negative"),
        ({"variables": ["rate"]}, "the parameter 'rate' has no tolerance"),
        ({"clearance": {"d1": 1e-4}}, "'d1' is no revolute joint; pins are: A, B"),
        ({"clearance": {"A": 0}}, "clearance of 'A' is 0; it must be a positive radius"),
        ({"monte_carlo": 1}, "monte_carlo is 1"),
        ({"distribution": "flat"}, "distribution is 'flat'; it can be normal or uniform"),
        ({"sigmas": 0}, "sigmas is 0; it must be a positive number"),
    ],
)
def test_tolerances_that_cannot_be_are_said(asked: dict[str, object], told: str) -> None:
    m = arm()
    m.parameter("rate", 1.0)
    m.body("wheel", position=("rate", 0))
    with pytest.raises(tm.ModelError) as caught:
        m.tolerances(**{"quantity": "P.y[end]", "times": [0.0], **asked})  # type: ignore[arg-type]
    assert told in str(caught.value)


def test_nothing_that_scatters_is_said() -> None:
    m = tm.PlanarModel("plain")
    m.body("block")
    with pytest.raises(tm.ModelError, match="no parameter of model 'plain' has a tolerance, and no pin a clearance"):
        m.tolerances("block.x[end]", times=[0.0])


# --- identification ----------------------------------------------------------------------------------------------------------

TIMES = np.linspace(0.0, 2.0, 15)


def yoke(stroke: float = 0.2, middle: float = 0.1) -> tm.PlanarModel:
    """A block that is led as middle + stroke sin(2 t)."""
    m = tm.PlanarModel("yoke")
    m.parameter("stroke", stroke, bounds=(0.05, 1.0))
    m.parameter("middle", middle, bounds=(-1.0, 1.0))
    m.parameter("lift", 0.0, bounds=(-1.0, 1.0))
    m.body("block", position=("middle", "lift"))
    m.prismatic("guide", "ground", "block", at=(0, "lift"), axis=(1, 0))
    m.driver("lead", "block.x", "middle + stroke*sin(2*t)")
    return m


def measured(seed: int, sigma: float = 0.01) -> np.ndarray:
    return 0.15 + 0.3 * np.sin(2.0 * TIMES) + np.random.default_rng(seed).normal(0.0, sigma, TIMES.size)


def test_identified_values_are_those_of_linear_least_squares() -> None:
    found = yoke().identify(
        {"block.x": (TIMES, measured(1))}, variables=["stroke", "middle"], sigma=0.01, analysis="kinematics"
    )
    table = np.column_stack([np.sin(2.0 * TIMES), np.ones(TIMES.size)])
    truth = np.linalg.lstsq(table, measured(1), rcond=None)[0]
    assert list(found.values.values()) == pytest.approx(list(truth), rel=1e-8)
    assert found.covariance == pytest.approx(1e-4 * np.linalg.inv(table.T @ table), rel=1e-8)
    low, high = found.intervals["stroke"]
    assert high - low == pytest.approx(2 * 1.959964 * found.std["stroke"], rel=1e-5)
    assert 0.0 < found.p_value < 1.0
    assert found.model.parameters["stroke"].value == found.values["stroke"]


@pytest.mark.parametrize(
    ("count", "quantile"),
    # Student's quantiles of 97.5 % in closed form: tan(0.475 pi) with 1 degree of freedom, with 2 (2 p - 1)/sqrt(2 p (1 - p))
    [(3, math.tan(0.475 * math.pi)), (4, 0.95 / math.sqrt(2 * 0.975 * 0.025))],
)
def test_intervals_of_few_measurements_are_as_wide_as_students(count: int, quantile: float) -> None:
    times = np.linspace(0.1, 1.9, count)
    values = 0.15 + 0.3 * np.sin(2.0 * times) + np.random.default_rng(count).normal(0.0, 0.01, count)
    found = yoke().identify({"block.x": (times, values)}, variables=["stroke", "middle"], analysis="kinematics")
    table = np.column_stack([np.sin(2.0 * times), np.ones(count)])
    left = values - table @ np.linalg.lstsq(table, values, rcond=None)[0]
    scatter = math.sqrt(float(left @ left) / (count - 2))
    deviations = scatter * np.sqrt(np.diag(np.linalg.inv(table.T @ table)))
    assert found.std == pytest.approx(dict(zip(("stroke", "middle"), deviations, strict=True)), rel=1e-6)
    for name, (low, high) in found.intervals.items():
        assert high - low == pytest.approx(2.0 * quantile * found.std[name], rel=1e-9)


@pytest.mark.parametrize("count", [4, 6])
def test_the_chance_of_a_fit_is_that_of_its_degrees_of_freedom(count: int) -> None:
    """Survival function of chi square in closed form: exp(-s/2) with 2 degrees of freedom, exp(-s/2) (1 + s/2) with 4."""
    times = np.linspace(0.1, 1.9, count)
    values = 0.15 + 0.3 * np.sin(2.0 * times) + np.random.default_rng(count).normal(0.0, 0.01, count)
    found = yoke().identify(
        {"block.x": (times, values)}, variables=["stroke", "middle"], analysis="kinematics", sigma=0.01
    )
    table = np.column_stack([np.sin(2.0 * times), np.ones(count)])
    left = values - table @ np.linalg.lstsq(table, values, rcond=None)[0]
    half = 0.5 * float(left @ left) / 0.01**2
    assert found.p_value == pytest.approx(math.exp(-half) * (1.0 + half * (count == 6)), rel=1e-7)


def test_intervals_hold_the_true_values_as_often_as_they_say() -> None:
    held = 0
    for seed in range(10):
        found = yoke().identify(
            {"block.x": (TIMES, measured(seed))}, variables=["stroke", "middle"], analysis="kinematics"
        )
        held += found.intervals["stroke"][0] <= 0.3 <= found.intervals["stroke"][1]
        held += found.intervals["middle"][0] <= 0.15 <= found.intervals["middle"][1]
    assert held >= 17  # of 20 with 95 % each: fewer have a chance of 1 in 60, and not for these seeds


def oscillator(stiffness: float, damping: float) -> tm.PlanarModel:
    m = tm.PlanarModel("oscillator")
    m.gravity = (0, 0)
    m.parameter("stiffness", stiffness)
    m.parameter("damping", damping)
    m.parameter("mass", 2.0)
    m.body("block", mass="mass", inertia=1.0, position=(0.3, 0))
    m.prismatic("guide", "ground", "block", at=(0, 0), axis=(1, 0))
    m.spring("s", m.ground.at(-1, 0), m["block"].at(0, 0), stiffness="stiffness", damping="damping", free_length=1.0)
    return m


def swing(times: np.ndarray) -> np.ndarray:
    """Of a mass of 2 kg on 40 N/m and 0.8 N s/m, from 0.3 m at rest."""
    fade, turn = 0.2, math.sqrt(20.0 - 0.04)
    return 0.3 * np.exp(-fade * times) * (np.cos(turn * times) + fade / turn * np.sin(turn * times))


def test_a_simulated_oscillator_is_recovered_and_mass_is_not_told() -> None:
    times = np.linspace(0.1, 1.2, 12)  # the run begins before the measurements do
    data = {"block.x": (times, swing(times))}
    found = oscillator(39.0, 0.78).identify(data, variables=["stiffness", "damping"], sigma=1e-3)
    assert found.values == pytest.approx({"stiffness": 40.0, "damping": 0.8}, rel=1e-6)
    with pytest.warns(tm.RunWarning, match=r"cannot tell stiffness and damping and mass apart: .* by \+1 %"):
        blind = oscillator(40.0, 0.8).identify(data, variables=["stiffness", "damping", "mass"], sigma=1e-3)
    assert math.isinf(blind.std["mass"])
    assert "not told by the data" in str(blind)


def test_what_does_not_show_in_the_data_is_said() -> None:
    with pytest.warns(tm.RunWarning, match="the data say nothing about lift"):
        yoke().identify(
            {"block.x": (TIMES, measured(2))}, variables=["stroke", "lift"], sigma=0.01, analysis="kinematics"
        )


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        ({"measured": {}}, "measured= must give (times, values) by quantity"),
        ({"measured": {"block.x[end]": ([0.0], [1.0])}}, "is one number, not a series"),
        ({"measured": {"blok.x": ([0.0], [1.0])}}, "there is no quantity 'blok.x'"),
        ({"measured": {"block.x": ([0.0, 1.0], [1.0])}}, "has 2 times and 1 values"),
        ({"measured": {"block.x": ([0.0], [math.nan])}}, "entries that are no numbers"),
        ({"measured": {"block.x": ([-1.0], [1.0])}}, "before the run does at 0 s; give start_time=-1"),
        ({"measured": {"block.x": ([0.0], [1.0])}}, "1 measurements cannot tell 3 parameters"),
        ({"sigma": -1.0}, "sigma of 'block.x' is -1.0; it must be a standard deviation from"),
        ({"sigma": {"block.x": 1.0, "block.y": 1.0}}, "sigma is given for 'block.y', which was not measured"),
        (
            {"analysis": tm.Analysis("kinematics", 1.0)},
            "identify runs at the instants of the measurements; remove duration=",
        ),
        ({"analysis": "statics"}, "series are measured of 'simulate' or 'kinematics'"),
        ({"confidence": 95}, "confidence is 95; it must be between 0 and 1"),
        ({"variables": ["strok"]}, "Did you mean 'stroke'?"),
    ],
)
def test_measurements_that_cannot_be_are_said(asked: dict[str, object], told: str) -> None:
    usual = {"measured": {"block.x": (TIMES, measured(1))}, "analysis": "kinematics"}
    with pytest.raises(tm.ModelError) as caught:
        yoke().identify(**{**usual, **asked})  # type: ignore[arg-type]
    assert told in str(caught.value)


# --- several measured runs ----------------------------------------------------------------------------------------------------


def test_runs_that_tell_the_parameters_only_together_do() -> None:
    """A swing tells stiffness over mass; the push of a block that is let loose tells its mass."""
    m = tm.PlanarModel("block", gravity=(0, 0))
    for name, value in (("stiffness", 35.0), ("mass", 2.3), ("load", 0.0), ("held", 1.0)):
        m.parameter(name, value)
    m.body("block", mass="mass", inertia=1.0)
    m.prismatic("guide", "ground", "block", at=(0, 0), axis=(1, 0))
    m.spring("s", m.ground.at(-1, 0), m["block"].at(0, 0), stiffness="held*stiffness", free_length=1.0)
    m.force("push", m["block"].at(0, 0), ("load", 0))
    swung, pushed = np.linspace(0.1, 1.2, 9), np.linspace(0.2, 0.6, 4)
    swing = tm.Experiment(
        {"block.x": (swung, 0.3 * np.cos(math.sqrt(20.0) * swung))}, options={"initial": {"block.x": 0.3}}
    )
    push = tm.Experiment(
        {"block.x": (pushed, 0.1 * pushed + 0.5 * 3.0 / 2.0 * pushed**2)},
        parameters={"load": 3.0, "held": 0.0},
        options={"initial": {"block.vx": 0.1}},
    )

    def found(*runs: tm.Experiment) -> tm.results.Identification:
        return m.identify(
            list(runs),
            variables=["stiffness", "mass"],
            sigma=1e-3,
            analysis=tm.Analysis("simulate", rtol=1e-12, atol=1e-13),
        )

    with pytest.warns(tm.RunWarning, match="cannot tell stiffness and mass apart"):
        found(swing)
    with pytest.warns(tm.RunWarning, match="the data say nothing about stiffness"):
        found(push)
    both = found(swing, push)
    assert both.values == pytest.approx({"stiffness": 40.0, "mass": 2.0}, rel=1e-8)
    assert both.warnings == ()
    assert list(both.residuals) == ["block.x of experiment 1", "block.x of experiment 2"]
    assert "block.x of experiment 2: left over" in str(both)


LATER = np.linspace(0.5, 1.5, 11)


def test_intervals_of_several_runs_are_those_of_linear_least_squares() -> None:
    """Only the second run has a sensor whose zero is not known."""
    m = yoke()
    m.parameter("zero", 0.0, bounds=(-1.0, 1.0))
    noise = np.random.default_rng(3).normal(0.0, 0.01, LATER.size)
    shifted = 0.25 + 0.3 * np.sin(2.0 * LATER) + noise
    runs = [{"block.x": (TIMES, measured(1))}, {"block.x + zero": (LATER, shifted)}]
    found = m.identify(runs, variables=["stroke", "middle", "zero"], sigma=0.01, analysis="kinematics")
    second = np.arange(TIMES.size + LATER.size) >= TIMES.size
    table = np.column_stack([np.sin(2.0 * np.concatenate([TIMES, LATER])), np.ones(second.size), second])
    truth = np.linalg.lstsq(table, np.concatenate([measured(1), shifted]), rcond=None)[0]
    assert list(found.values.values()) == pytest.approx(list(truth), rel=1e-8)
    assert found.covariance == pytest.approx(1e-4 * np.linalg.inv(table.T @ table), rel=1e-8)


def test_what_is_left_over_in_all_runs_together_tells_the_scatter_of_a_quantity() -> None:
    """Two runs, the second with one measurement, about middles that are known."""
    runs = [
        tm.Experiment({"block.x": (TIMES, measured(1))}, parameters={"middle": 0.15}),
        tm.Experiment({"block.x": ([0.7], [0.35])}, parameters={"middle": 0.05}),
    ]
    found = yoke().identify(runs, variables=["stroke"], analysis="kinematics")
    waves = np.sin(2.0 * np.append(TIMES, 0.7))
    values = np.append(measured(1) - 0.15, 0.35 - 0.05)
    stroke = waves @ values / (waves @ waves)
    scatter = math.sqrt(np.sum((values - stroke * waves) ** 2) / (values.size - 1))
    assert found.values["stroke"] == pytest.approx(stroke, rel=1e-8)
    assert found.sigma == pytest.approx(dict.fromkeys(found.sigma, scatter), rel=1e-6)
    assert found.std["stroke"] == pytest.approx(scatter / math.sqrt(waves @ waves), rel=1e-6)


@pytest.mark.parametrize(
    ("second", "told"),
    [
        ({"blok.x": ([0.0], [1.0])}, "experiment 2: identify: there is no quantity 'blok.x'"),
        ({"block.x": ([0.0, 1.0], [1.0])}, "experiment 2: measured 'block.x' has 2 times and 1 values"),
        (([0.0], [1.0]), "experiment 2: measured= must give (times, values) by quantity"),
        (tm.Experiment({"block.x": ([-1.0], [1.0])}), "experiment 2: measurements begin at t = -1 s"),
        (tm.Experiment({"block.x": ([0.0], [1.0])}, parameters={"strok": 1.0}), "Did you mean 'stroke'?"),
        (tm.Experiment({"block.x": ([0.0], [1.0])}, parameters={"stroke": 0.1}), "give 'stroke', which is to be found"),
        (tm.Experiment({"block.x": ([0.0], [1.0])}, options={"duration": 1.0}), "experiment 2: identify runs at the"),
        (tm.Experiment({"block.x": ([0.0], [1.0])}, options={"samples_": 1}), "has no option 'samples_'"),
    ],
)
def test_experiments_that_cannot_be_are_named_by_their_number(second: object, told: str) -> None:
    with pytest.raises(tm.ModelError) as caught:
        yoke().identify([{"block.x": (TIMES, measured(1))}, second], variables=["stroke"], analysis="kinematics")  # type: ignore[list-item]
    assert str(caught.value).startswith("experiment 2: ")
    assert told in str(caught.value)


def test_values_of_an_experiment_are_given_by_name() -> None:
    with pytest.raises(tm.ModelError, match=r"Experiment: parameters must be a mapping by name, .*but it is 3"):
        tm.Experiment({"block.x": ([0.0], [1.0])}, parameters=3)  # type: ignore[arg-type]


def test_an_experiment_that_cannot_be_run_is_named_and_none_is_too_few() -> None:
    with pytest.raises(tm.ModelError, match="measured= is an empty list"):
        yoke().identify([], variables=["stroke"])
    stuck = tm.Experiment({"ball.y": ([1.0], [1.0])}, options={"method": tm.methods.default(max_steps=1)})
    with pytest.raises(tm.TrammelError, match="experiment 2: "):
        thrown().identify([{"ball.x": ([0.5, 1.0], [0.5, 1.0])}, stuck], variables=["vx"])


def test_scatter_and_fit_are_drawn(scattered: tm.results.ToleranceResult, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    tornado = scattered.plot_tornado(tmp_path / "tornado.png")
    assert [label.get_text().split()[0] for label in tornado.get_yticklabels()] == ["b", "phi", "a"]
    assert scattered.plot_histogram(tmp_path / "histogram.png").get_xlabel() == "P.y[end]"
    assert str(scattered).splitlines()[0] == "P.y[end] of 'arm': 0.33341491"
    found = yoke().identify({"block.x": (TIMES, measured(1))}, variables=["stroke"], analysis="kinematics")
    top, below = found.plot_fit(tmp_path / "fit.png")
    assert (top.get_ylabel(), below.get_xlabel()) == ("block.x", "t [s]")
    plain = arm().tolerances("P.y[end]", times=[0.0], extremes=False)
    with pytest.raises(tm.ModelError, match="ask tolerances for monte_carlo=1024"):
        plain.plot_histogram()


# --- what data and tolerances cannot tell ------------------------------------------------------------------------------------


def thrown() -> tm.PlanarModel:
    """A ball under a constant force: its places are linear in vx, vy and pull, so that normal equations give the truth."""
    m = tm.PlanarModel("ball", gravity=(0, 0))
    for name, value in (("vx", 1.0), ("vy", 2.0), ("pull", 9.0)):
        m.parameter(name, value)
    m.body("ball", mass=1, inertia=1, velocity=("vx", "vy"))
    m.force("weight", m["ball"].at(0, 0), (0, "-pull"))
    return m


@pytest.mark.parametrize("count", [2, 3, 7])
def test_a_scatter_that_nothing_tells_makes_no_interval(count: int) -> None:
    times = np.linspace(0.3, 1.0, count)
    noise = np.random.default_rng(count).normal(0, 0.02, count)
    rows = np.column_stack([times, -0.5 * times**2])
    height = rows @ [3.0, 9.81] + noise
    measured = {"ball.y": (times, height), "ball.x": ([0.5], [0.7])}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", tm.RunWarning)
        found = thrown().identify(measured, variables=["vx", "vy", "pull"])
    told = [str(warning) for warning in found.warnings]
    assert any("how much ball.x scatters cannot be told: its only measurement is met" in each for each in told)
    best = np.linalg.lstsq(rows, height, rcond=None)[0]
    assert [found.values[name] for name in ("vx", "vy", "pull")] == pytest.approx([1.4, *best], rel=1e-6)
    assert found.std["vx"] == math.inf
    assert math.isfinite(found.std["pull"]) == (count > 2)


def test_a_parameter_at_its_bound_is_told() -> None:
    times = np.linspace(0.0, 1.0, 9)
    for bounds, side in (((8.0, 9.5), "upper bound 9.5"), ((8.5, 12.0), "lower bound 8.5")):
        pull = 9.81 if side.startswith("upper") else 7.0
        data = {"ball.y": (times, 3.0 * times - 0.5 * pull * times**2)}
        with pytest.warns(tm.RunWarning, match=f"pull ends at its {side}: the data would have it beyond"):
            thrown().identify(data, variables=["vy", "pull"], bounds={"pull": bounds}, sigma=0.01)


def test_what_is_no_measurement_and_no_clearance_is_refused() -> None:
    with pytest.raises(tm.ModelError, match="two lists of numbers"):
        thrown().identify({"ball.y": ([0.1, 0.2, 0.3], [1.0, 2.0j, 3.0])}, variables=["vy"])
    with pytest.raises(tm.ModelError, match="there is no quantity 'ball"):
        thrown().identify({"ball.q": ([0.1, 0.2, 0.3], [1.0, 2.0, 3.0])}, variables=["vy"])
    m = thrown()
    m.revolute("A", "ground", "ball", at=(0, 0))
    with pytest.raises(tm.ModelError, match="clearance of 'A' is '1 kg'; it must be a positive radius"):
        m.tolerances("vy", clearance={"A": "1 kg"})
    with pytest.raises(tm.ModelError, match="variables= is empty, so that nothing deviates"):
        m.tolerances("vy", variables=[])


def test_worst_cases_with_clearance_are_found_where_slopes_vanish() -> None:
    m = tm.PlanarModel("rocker")
    m.parameter("turn", 0.0, tolerance=(0.1, 0.4))
    m.body("arm", position=(0, 0))
    m.point("P", "arm", local=(1.0, 0.0))
    m.revolute("A", "ground", "arm", at=(0, 0))
    m.driver("motor", "A.angle", "turn")
    with pytest.warns(tm.RunWarning, match=r"worst case of P\.[xy]\[end\]: runs .* but slopes predict"):
        found = m.tolerances("P.x[end]", times=[0.0], clearance={"A": 0.01})
    # the pin leans along x, not along the arm
    assert found.extremes == pytest.approx((math.cos(0.4) - 0.01, 1.01), abs=2e-4)


def test_a_percentage_lets_a_value_pass_through_nothing() -> None:
    m = tm.PlanarModel("offset")
    m.parameter("away", 0.01, bounds=(-0.02, 0.02), tolerance="3 %")
    m.body("block", position=("away", 0))
    assert m.with_parameters(away=0.0).parameters["away"].tolerance is None
    assert m.with_parameters(away=-0.02).parameters["away"].tolerance == pytest.approx((6e-4, 6e-4))
    assert m.optimize(minimize="away^2").values["away"] == pytest.approx(0.0, abs=1e-9)
