"""Designs found by `optimize` against closed forms; its sentences, counts, costs of limits and pictures."""

import math
import warnings
from pathlib import Path

import numpy as np
import pytest

import pytrammel as tm

pytestmark = pytest.mark.search

CRANK = {
    "analysis": "inverse_dynamics",
    "duration": 0.6,
    "samples": 7,
}  # a third of a turn and more: both directions count
MASS, ARM, WEIGHT, SPEED = 2.0, complex(0.05, 0.02), 1.5, 10.0


def unbalanced_crank() -> tm.PlanarModel:
    """A crank of 2 kg, and a counterweight of 1.5 kg on it whose place is free."""
    m = tm.PlanarModel("crank")
    m.gravity = (0, 0)
    m.parameter("radius", 0.1, bounds=(0.0, 1.0))
    m.parameter("angle", 2.5, bounds=(0.5, 6.0))
    m.body("crank", mass=MASS, inertia=0.01, position=(ARM.real, ARM.imag))
    m.body("weight", mass=WEIGHT, inertia=0.001, position=("radius*cos(angle)", "radius*sin(angle)"))
    m.revolute("A", "ground", "crank", at=(0, 0))
    m.weld("W", "crank", "weight", at=(0, 0))
    m.driver("motor", "A.angle", f"{SPEED}*t")
    return m


@pytest.fixture(scope="module")
def crank() -> tm.PlanarModel:
    return unbalanced_crank()


def balanced(found: tm.results.Optimum) -> None:
    place = found.values["radius"] * np.exp(1j * found.values["angle"])
    # the objective is flat to rounding within about 1e-8 of its range
    assert place == pytest.approx(-MASS / WEIGHT * ARM, abs=3e-7)


def test_a_counterweight_balances_a_crank(crank: tm.PlanarModel) -> None:
    found = crank.optimize(least_squares=["A.reaction.x", "A.reaction.y"], **CRANK)
    assert found.converged
    balanced(found)
    assert found.model.parameters["radius"].value == found.values["radius"]
    assert found.before > 1.0 > 1e-3 > found.objective >= 0.0


def test_limits_and_bounds_say_what_they_cost(crank: tm.PlanarModel) -> None:
    found = crank.optimize(minimize="mean(A.reaction^2)", subject_to=["radius <= 40 mm"], **CRANK)
    (limit,) = found.limits
    left = MASS * abs(ARM) - WEIGHT * 0.04
    assert found.objective == pytest.approx(SPEED**4 * left**2, rel=1e-9)
    assert limit.active and limit.after == pytest.approx(0.04, rel=1e-9)
    slope = -2.0 * WEIGHT * SPEED**4 * left
    assert limit.multiplier == pytest.approx(slope, rel=1e-5)  # slopes by differences
    bound = crank.with_parameters(radius=0.01).optimize(
        minimize="mean(A.reaction^2)", bounds={"radius": (0, "40 mm")}, **CRANK
    )
    assert bound.parameters[0].at_bound == "upper"
    assert bound.parameters[0].multiplier == pytest.approx(slope, rel=1e-5)
    assert bound.active == ("radius at its upper bound",)
    assert "at its upper bound: moving it outwards changes the objective by" in str(bound)


def test_maximize_with_samples_under_a_level(crank: tm.PlanarModel) -> None:
    found = crank.optimize(maximize="min(A.reaction)", subject_to="0.05 <= radius <= 0.06", **CRANK)
    angle = math.atan2(ARM.imag, ARM.real)  # not within its bounds: the nearer one is best
    worst = MASS * ARM + WEIGHT * 0.06 * np.exp(0.5j)
    assert angle < 0.5 == pytest.approx(found.values["angle"], rel=1e-12)
    assert found.objective == pytest.approx(SPEED**2 * abs(worst), rel=1e-9)
    assert str(found).startswith("maximum of min(A.reaction) of 'crank': 19")


def test_a_spring_of_no_free_length_balances_a_pendulum() -> None:
    m = tm.PlanarModel("lamp")
    m.parameter("stiffness", 100.0, bounds=(0.0, 2000.0))
    m.body("arm", mass=3.0, inertia=0.1, position=(0.0, -0.4), angle=0.0)
    m.revolute("A", "ground", "arm", at=(0, 0))
    m.spring("s", m.ground.at(0, 0.3), m["arm"].at_global(0, -0.5), stiffness="stiffness", free_length=0.0)
    m.driver("hand", "A.angle", "0.5 + t")  # steadily, so that nothing accelerates about the pin
    found = m.optimize(minimize="max(abs(hand.effort))", analysis="inverse_dynamics", duration=1.5, samples=6)
    # moments: m g r sin = k a b sin, with the spring from a above the pin to b along the arm
    assert found.values["stiffness"] == pytest.approx(3.0 * 9.81 * 0.4 / (0.3 * 0.5), rel=1e-9)


def test_the_smallest_flywheel_of_a_wanted_fluctuation() -> None:
    m = tm.PlanarModel("wheel")
    m.gravity = (0, 0)
    m.parameter("inertia", 1.0, bounds=(0.1, 5.0))
    m.body("wheel", mass=1.0, inertia="inertia")
    m.revolute("A", "ground", "wheel", at=(0, 0))
    m.torque("load", "wheel", torque="3*sin(2*pi*t)")
    found = m.optimize(
        minimize="inertia", subject_to="range(wheel.omega) <= 0.5", analysis="simulate", duration=1.0, samples=5
    )
    # speeds differ by the work of half a period: 3/pi, at the sampled instants 0 and 0.5 s
    assert found.values["inertia"] == pytest.approx(3.0 / math.pi / 0.5, rel=1e-6)
    assert found.limits[0].active


def test_a_spring_that_holds_a_weight_at_a_wanted_height() -> None:
    m = tm.PlanarModel("scale")
    m.parameter("stiffness", 200.0, bounds=(50.0, 1000.0))
    m.body("pan", mass=2.0, inertia=0.1, position=(0, -0.5))
    m.prismatic("guide", "ground", "pan", at=(0, 0), axis=(0, 1))
    m.spring("s", m.ground.at(0, 0), m["pan"].at(0, 0), stiffness="stiffness", free_length=0.5)
    found = m.optimize(minimize="stiffness", subject_to="pan.y >= -0.55", analysis="equilibrium")
    assert found.values["stiffness"] == pytest.approx(2.0 * 9.81 / 0.05, rel=1e-8)
    # k = m g / sag: a sag longer by one unit saves k / sag
    assert found.limits[0].multiplier == pytest.approx(-2.0 * 9.81 / 0.05**2, rel=1e-6)


def test_an_offset_slider_crank_of_wanted_stroke() -> None:
    m = tm.PlanarModel("quick return")
    m.parameter("crank", 0.06, bounds=(0.02, 0.12))
    m.parameter("rod", 0.3, bounds=(0.15, 0.5))
    m.body("crank", position=(0, 0))
    m.body("ram", position=("crank + sqrt(rod^2 - 0.06^2)", 0.06))
    m.revolute("A", "ground", "crank", at=(0, 0))
    m.link("rod", m.point("B", "crank", local=("crank", 0)), m["ram"].at(0, 0), length="rod")
    m.prismatic("guide", "ground", "ram", at=(0, 0.06), axis=(1, 0))
    m.driver("motor", "A.angle", "2*pi*t")
    found = m.optimize(minimize="rod + crank", subject_to="range(ram.x) == 160 mm", duration=1.0, samples=73)
    crank, rod = found.values["crank"], found.values["rod"]
    stroke = math.sqrt((rod + crank) ** 2 - 0.06**2) - math.sqrt((rod - crank) ** 2 - 0.06**2)
    # dead centres lie between instants, 5 degrees apart: at most a thousandth of the crank is lost at each
    assert stroke == pytest.approx(0.16, abs=2e-3 * crank)
    assert found.active == ("range(ram.x) == 0.16", "rod at its lower bound")


def crossed_four_bar(crank: float = 4.4, coupler: float = 1.5) -> tm.PlanarModel:
    """Crossed four-bar of base 4 whose coupler's middle is driven along x, from above one pin of the base over its middle to the other."""
    m = tm.PlanarModel("four-bar")
    m.parameter("crank", crank, bounds=(3.5, 7.0))
    m.parameter("coupler", coupler, bounds=(0.5, 4.0))
    m.body("coupler", position=(0, 4))
    m.point("P", "coupler", local=(0, 0))
    m.link("a", m.ground.at(-2, 0), m.point("A", "coupler", local=("coupler/2", 0)), length="crank")
    m.link("b", m.ground.at(2, 0), m.point("B", "coupler", local=("-coupler/2", 0)), length="crank")
    m.driver("slide", "P.x", "2*t")
    return m


def test_chebyshevs_straight_line_is_found_from_random_starts() -> None:
    # base 4, cranks 5, coupler 2: the middle of the coupler is at height 4 above the middle of the base and above both of its pins
    found = crossed_four_bar().optimize(
        least_squares=["P.y - 4"], analysis="kinematics", times=[0.0, 1.0], n_starts=3, seed=2
    )
    assert sum(found.failed.values()) > 0  # cranks too short for their coupler point to reach over a pin
    assert "of those that could not be run, " in str(found)
    assert [found.values["crank"], found.values["coupler"]] == pytest.approx([5.0, 2.0], abs=1e-7)


def valley(**said: object) -> tm.PlanarModel:
    """Two parameters, as masses and inertias of a block; formulas of parameters alone need no runs."""
    m = tm.PlanarModel("valley")
    m.parameter("a", -1.2, bounds=(-2, 2))
    m.parameter("b", 1.0, bounds=(-2, 2))
    m.body("block", mass="1 + a^2", inertia="b^2 + 1")
    return m


@pytest.mark.parametrize("method", ["slsqp", "trust-constr", "differential_evolution", "cma"])
def test_every_method_finds_the_end_of_rosenbrocks_valley(method: str) -> None:
    found = valley().optimize(minimize="100*(b - a^2)^2 + (1 - a)^2", method=method, max_iterations=60)
    assert found.converged
    assert [found.values["a"], found.values["b"]] == pytest.approx([1.0, 1.0], abs=1e-5)


@pytest.mark.parametrize("method", ["slsqp", "trust-constr", "differential_evolution", "cma"])
def test_every_method_keeps_limits(method: str) -> None:
    found = valley().optimize(minimize="a + b", subject_to=["a^2 + b^2 <= 2"], method=method, max_iterations=30)
    # the point of the circle farthest down the diagonal; its multiplier is 1/2
    assert [found.values["a"], found.values["b"]] == pytest.approx([-1.0, -1.0], abs=1e-5)
    assert found.limits[0].multiplier == pytest.approx(-0.5, abs=1e-5)
    equal = valley().optimize(maximize="a*b", subject_to=["a + b == 1"], method=method, max_iterations=30)
    assert [equal.values["a"], equal.values["b"]] == pytest.approx([0.5, 0.5], abs=1e-5)
    assert equal.limits[0].multiplier == pytest.approx(0.5, abs=1e-4)  # the best is s^2/4 for a sum of s


TWO = ["(a - 1)^2 + b^2", "(a + 1)^2 + b^2"]  # squared distances from two points: the front is the way between them


@pytest.mark.parametrize("space", [False, True])
def test_the_fastest_pendulum_hangs_at_its_radius_of_gyration(space: bool) -> None:
    m = tm.SpatialModel("bar") if space else tm.PlanarModel("bar")
    m.parameter("away", 0.3, bounds=(0.05, 1.0))
    if space:
        m.body("rod", mass=2.0, inertia=(0.1, 0.1, 0.1), position=(0, 0, "-away"))
        m.revolute("A", "ground", "rod", at=(0, 0, 0), axis=(0, 1, 0))
    else:
        m.body("rod", mass=2.0, inertia=0.1, position=(0, "-away"))
        m.revolute("A", "ground", "rod", at=(0, 0))
    found = m.optimize(maximize="mode1.frequency", analysis="modes")
    k = math.sqrt(0.1 / 2.0)  # the period 2 pi sqrt((k^2 + a^2) / (g a)) is least at a = k
    assert found.values["away"] == pytest.approx(k, rel=1e-6)
    assert found.objective == pytest.approx(math.sqrt(9.81 / (2 * k)), rel=1e-9)
    with pytest.raises(tm.ModelError, match=r"there is no 'mode2\.frequency': model 'bar' has 1 mode"):
        m.optimize(maximize="mode2.frequency", analysis="modes")


def change_point_four_bar(coupler: float, rocker: float) -> tm.PlanarModel:
    """Ground 4, crank 1: flat when coupler - rocker = 3 (crank beyond A) or, with coupler + rocker = 5 too, on both sides."""
    m = tm.PlanarModel("four-bar")
    m.parameter("coupler", coupler, bounds=(3.0, 5.0))
    m.parameter("rocker", rocker, bounds=(0.8, 1.5))
    crank = m.body("crank", angle=1.0)
    m.body("link", position=(math.cos(1.0), math.sin(1.0)))
    m.body("arm", position=(4, 0), angle=1.0)
    m.revolute("A", "ground", crank, at=(0, 0))
    m.revolute("B", crank.at(1, 0), m["link"].at(0, 0))
    m.revolute("C", m["link"].at("coupler", 0), m["arm"].at("rocker", 0))
    m.revolute("D", "ground", "arm", at=(4, 0))
    m.driver("motor", "A.angle", "1 + 2*pi*t")
    return m


@pytest.mark.parametrize(("coupler", "rocker"), [(4.0, 1.0), (4.1, 1.1), (4.4, 1.4)])
@pytest.mark.parametrize("method", ["slsqp", "differential_evolution"])
def test_a_design_that_passes_a_change_point_has_no_value(coupler: float, rocker: float, method: str) -> None:
    m = change_point_four_bar(coupler, rocker)
    run = {"maximize": "range(arm.phi)", "duration": 1.0, "samples": 25, "max_iterations": 2}
    narrow = {"coupler": (coupler - 1e-7, coupler + 1e-7), "rocker": (rocker - 1e-7, rocker + 1e-7)}  # all are near by
    with pytest.raises(tm.ConvergenceError, match="singular position"):
        m.optimize(method=method, bounds=narrow, **run)  # type: ignore[arg-type]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", tm.RunWarning)  # its neighbours move otherwise: slopes may lead nowhere
        counted = m.optimize(allow_singular=True, **run)  # type: ignore[arg-type]
    assert counted.before > 3.0


def test_equalities_that_follow_from_others_do_no_harm() -> None:
    found = valley().optimize(minimize="b", subject_to=["a == 0.5", "2*a == 1", "a == 0.5"])
    assert found.converged
    assert [found.values["a"], found.values["b"]] == pytest.approx([0.5, -2.0], abs=1e-9)
    m = tm.PlanarModel("crane")  # level at every instant: as many equalities as instants, for one parameter
    m.parameter("slope", 0.3, bounds=(-1, 1))
    m.body("hook")
    m.prismatic("way", "ground", "hook", at=(0, 0), axis=("cos(slope)", "sin(slope)"))
    m.driver("winch", "hook.x", "t")
    level = m.optimize(minimize="slope", subject_to="hook.y == 0", duration=1.0, samples=7)
    assert level.converged and level.values["slope"] == pytest.approx(0.0, abs=1e-7)


@pytest.mark.parametrize("asked", [{"minimize": "a + b^2"}, {"maximize": "a + b"}, {"maximize": "a + b^2*a^2"}])
def test_an_objective_without_end_is_said(asked: dict[str, str]) -> None:
    with pytest.raises(
        tm.ConvergenceError, match=r"of a \+ b.* has no end: it still gets better at a = .*bounds="
    ) as caught:
        valley().optimize(bounds={"a": (None, None)}, **asked)  # type: ignore[arg-type]
    assert not caught.value.partial.converged


def test_a_front_of_two_objectives_is_exact() -> None:
    front = valley().optimize(minimize=TWO, points=7)
    assert len(front) == 7
    assert np.sqrt(front.objectives).sum(axis=1) == pytest.approx(np.full(7, 2.0), abs=1e-8)
    assert front.values["b"] == pytest.approx(np.zeros(7), abs=1e-5)
    assert (np.diff(front.objectives[:, 0]) > 0.0).all() and (np.diff(front.objectives[:, 1]) < 0.0).all()
    middle = front.model(front.knee)
    assert abs(middle.parameters["a"].value) < 0.2


def test_generations_come_near_the_front_and_keep_limits() -> None:
    front = valley().optimize(minimize=TWO, method="nsga2", max_iterations=30, subject_to="a <= 0.5")
    assert len(front) > 20
    assert np.sqrt(front.objectives).sum(axis=1) == pytest.approx(np.full(len(front), 2.0), abs=0.1)
    assert front.values["a"].max() <= 0.5 and front.values["a"].max() > 0.4
    three = valley().optimize(minimize=[*TWO, "a^2 + (b - 1)^2"], max_iterations=10)
    assert three.objectives.shape[1] == 3


def test_a_front_that_cannot_be_is_said() -> None:
    with pytest.raises(tm.ModelError, match="a list of two or more"):
        valley().optimize(minimize=["a"])
    with pytest.raises(tm.ModelError, match="for 3 objectives it can be one of: auto, nsga2"):
        valley().optimize(minimize=["a", "b", "a + b"], method="slsqp")
    with pytest.raises(tm.ModelError, match="points is 1"):
        valley().optimize(minimize=["a", "b"], points=1)
    with pytest.raises(tm.ModelError, match="stands alone"):
        valley().optimize(minimize=["a", "b"], maximize="a")
    with pytest.raises(tm.ConvergenceError, match=r"In the nearest one, a \+ b >= 6 is missed by 2"):
        valley().optimize(minimize=TWO, subject_to="a + b >= 6", method="nsga2", max_iterations=40)
    for unused in ({"points": 5}, {"n_starts": 2}):
        with pytest.raises(tm.ModelError, match=f"{next(iter(unused))}= is not for method='nsga2'"):
            valley().optimize(minimize=TWO, method="nsga2", **unused)
    with pytest.raises(tm.ModelError, match="callback= watches the search for one objective"):
        valley().optimize(minimize=TWO, callback=print)


def test_the_command_writes_the_best_model(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from pytrammel.cli.main import main

    monkeypatch.chdir(tmp_path)
    valley().save("valley.toml")
    asked = ["optimize", "valley.toml", "--do", "kinematics", "duration=1", "--minimize", "a + b"]
    assert main([*asked, "--subject-to", "a^2 + b^2 <= 2"]) == 0
    assert "model: valley_best.toml" in capsys.readouterr().out
    assert tm.load("valley_best.toml").parameters["a"].value == pytest.approx(-1.0, abs=1e-5)
    assert main([*asked, "--minimize", "a^2 + b^2", "--quiet"]) == 0
    assert Path("valley_front.csv").read_text(encoding="utf-8").startswith("a + b,a^2 + b^2,a,b")
    assert main([*asked, "--subject-to", "a + b >= 6", "--json"]) == 1
    assert main([*asked, "--allow-singular", "--quiet"]) == 0
    assert main(["optimize", "valley.toml", "--do", "kinematics", "duration=1"]) == 2


# --- sentences ---------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        ({"minimize": "a", "bounds": {"a": (2, -2)}}, "bounds of parameter 'a' are the wrong way round: 2 and -2"),
        ({"minimize": "a", "bounds": {"a": (2, 3)}}, "parameter 'a' is -1.2, below its lower bound 2"),
        ({"minimize": "a", "bounds": {"c": (2, 3)}}, "optimize: 'c' is no parameter"),
        ({"minimize": "a", "variables": ["a", "spare"]}, "nothing in the model uses the parameter 'spare'"),
        ({"minimize": "a", "variables": ["twice"]}, "is given by the formula '2*a' and follows it"),
        ({"minimize": "a", "variables": ["a"], "bounds": {"b": (0, 1)}}, "bounds= are given for 'b', which is not varied"),
        ({"minimize": "blok.x[end]"}, "minimize: there is no quantity 'blok.x' in model 'valley'; did you mean 'block'?"),
        ({"minimize": "block.x"}, "minimize: 'block.x' has a value at every instant; say what counts, as in block.x[end]"),
        ({"minimize": "max(block.x"}, "minimize: "),
        ({"minimize": ""}, "minimize has an empty formula"),
        ({"minimize": "3 kg"}, "is always the same"),
        ({}, "optimize takes one of minimize=, maximize= and least_squares=; none is given"),
        ({"minimize": "a", "maximize": "b"}, "minimize and maximize are given"),
        ({"minimize": "a", "subject_to": "b"}, "must compare two formulas by <=, >= or =="),
        ({"minimize": "a", "subject_to": "1 <= 2"}, "both sides of '1 <= 2' are numbers"),
        ({"minimize": "a", "subject_to": "b <="}, "one side of 'b <=' is empty"),
        ({"minimize": "a", "subject_to": [3]}, "a limit must be a text such as"),
        ({"minimize": "a", "method": "newton"}, "method is 'newton'; it can be one of: auto, slsqp"),
        ({"minimize": "a", "method": "least_squares"}, "needs least_squares=[formulas]"),
        ({"minimize": "a", "n_starts": 0}, "n_starts is 0; it must be a whole number of at least 1"),
        ({"minimize": "a", "analysis": "dream"}, "analysis is 'dream'; use one of: kinematics"),
        ({"minimize": "a", "variables": ["free"], "n_starts": 3}, "n_starts=3 searches whole ranges, but the parameter 'free' has none"),
        ({"minimize": "block.x[end]", "durration": 1}, "optimize has no option 'durration'"),
        ({"minimize": "a", "startz": 2}, "optimize has no option 'startz'"),
        ({"minimize": 3}, "minimize must be a formula, or a list of two or more, but it is 3"),
        ({"minimize": "a", "subject_to": 5}, "subject_to= must be a list of texts, but it is 5"),
        ({"minimize": "a", "bounds": [1, 2]}, "bounds= must give (least, greatest) by name"),
        ({"minimize": "a", "variables": []}, "variables= is empty, so that there is nothing to vary"),
        ({"minimize": "a", "seed": -1}, "seed is -1; it must be a whole number of at least 0"),
        ({"minimize": "a", "points": 3}, "points= is for a front of two objectives"),
        ({"minimize": "a", "allow_singular": "no"}, "allow_singular must be True or False, but it is 'no'"),
        ({"least_squares": ["3"]}, "least_squares: '3' is always the same"),
        ({"minimize": "a", "callback": 3}, "callback must be a function of the history"),
    ],
)  # fmt: skip
def test_what_cannot_be_is_said(asked: dict[str, object], told: str) -> None:
    m = valley()
    m.parameter("spare", 1.0)
    m.parameter("twice", "2*a")
    m.parameter("free", 1.0)
    m.body("other", position=("free", "twice"))
    with pytest.raises(tm.ModelError) as caught:
        m.optimize(**asked)  # type: ignore[arg-type]
    assert told in str(caught.value)


def test_a_start_without_a_value_is_said() -> None:
    with pytest.raises(
        tm.ConvergenceError, match=r"the design to begin with has no value: the formula 'log\(a\)' is no number"
    ):
        valley().optimize(minimize="log(a)")


def test_nothing_to_vary_is_said() -> None:
    m = tm.PlanarModel("plain")
    m.parameter("a", 1.0)
    m.body("block", position=("a", 0))
    with pytest.raises(
        tm.ModelError, match="no parameter of model 'plain' has bounds, so that there is nothing to vary"
    ):
        m.optimize(minimize="a")


def test_what_no_design_can_keep_is_said_with_the_nearest_one() -> None:
    with pytest.raises(tm.ConvergenceError) as caught:
        valley().optimize(minimize="a^2", subject_to=["a + b >= 6", "a - b <= 1"])
    assert "a + b >= 6 is missed by 2 (it is 4)" in str(caught.value)
    assert "widen the bounds of a, b" in str(caught.value)
    nearest = caught.value.partial
    assert not nearest.converged
    assert nearest.values == pytest.approx({"a": 2.0, "b": 2.0}, abs=1e-6)


def test_a_start_that_does_not_close_is_said_and_others_are_tried() -> None:
    m = crossed_four_bar()
    m.link("c", m.ground.at(0, 9), m["P"], length="2.5*coupler")  # the higher the shorter the coupler
    with pytest.raises(tm.TrammelError, match=r"the design to begin with cannot be run: .* n_starts=20"):
        m.optimize(minimize="P.y[end]", times=[0.0])


@pytest.mark.parametrize(
    ("limit", "told"),
    [
        ("range(P.y) >= 100 g", "compares a length [m] with a mass [kg]"),
        ("20 deg <= max(abs(P.y)) <= 3 m", "compares a length [m] with an angle [rad]"),
        ("coupler.omega <= 3 Hz", "compares an angular velocity [rad/s] with a frequency [1/s]"),
        ("max(P.y[mm]) <= 3 mm", "'max(P.y[mm])' is a plain number in its own unit"),
        ("P.y - reach <= 3 s", "compares a length [m] with a time [s]"),
    ],
)
def test_limits_in_units_of_something_else_are_refused(limit: str, told: str) -> None:
    m = crossed_four_bar()
    m.parameter("reach", "1 m")
    with pytest.raises(tm.ModelError) as caught:
        m.optimize(minimize="coupler", subject_to=limit, times=[0.0, 0.1])
    assert told in str(caught.value)


def test_an_objective_that_nothing_varied_changes_is_told() -> None:
    with pytest.warns(
        tm.RunWarning, match="minimum of crank does not change with coupler; vary something that it is made of"
    ):
        crossed_four_bar().optimize(minimize="crank", variables=["coupler"], times=[0.0])


def test_searches_on_batches_take_parameters_that_formulas_alone_use() -> None:
    m = crossed_four_bar()
    m.parameter("price", 1.0, bounds=(0.5, 2.0))
    found = m.optimize(minimize="range(P.y)*0 + (price - 1.3)^2", times=[0.0, 0.1], method="cma", max_iterations=3)
    assert found.values["price"] == pytest.approx(1.3, abs=1e-6)
    alone = m.optimize(minimize="max(P.y)*0 + (price - 1.2)^2", variables=["price"],
        times=[0.0, 0.1], method="differential_evolution", max_iterations=3
    )  # fmt: skip
    assert alone.values["price"] == pytest.approx(1.2, abs=1e-6)


# --- pictures ----------------------------------------------------------------------------------------------------------------


def test_long_names_and_formulas_go_on_below_and_are_cut_after_a_few_lines() -> None:
    from pytrammel.view.plots.panels import in_lines

    name = "stiffness_of_the_return_spring + max(abs(ram.ax))*1e-9"
    lines = in_lines(name, 14, most=9).split("\n")
    assert "".join(lines).replace(" ", "") == name.replace(" ", "")
    assert max(map(len, lines)) <= 14 < len(name)
    assert in_lines(name, 14).count("\n") == 2 and in_lines(name, 14).endswith("…")
    assert in_lines("crank", 14) == "crank" and in_lines("unbreakablename", 4) == "unbreakablename"


def test_an_optimum_shows_how_it_was_found(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    seen: list[int] = []
    found = crossed_four_bar().optimize(minimize="rms(P.y - 4)", subject_to="coupler >= 2.5", times=[0.0, 0.7], n_starts=2,
        callback=lambda history: seen.append(len(history)),
    )  # fmt: skip
    assert seen[-1] == len(found.history) == len(seen)
    top, below = found.plot_convergence(tmp_path / "convergence.png")
    assert [text.get_text() for text in top.get_legend().get_texts()][-1] in ("best so far", "could not be run")
    assert below.get_xlabel() == "variant"
    matrix = found.plot_design_space(tmp_path / "space.png")
    assert matrix.shape == (2, 2)
    assert (matrix[1, 0].get_xlabel(), matrix[1, 0].get_ylabel()) == ("crank", "coupler")
    found.plot_design_space(tmp_path / "parallel.png", kind="parallel")
    left, right = found.draw(tmp_path / "pair.png")
    assert left.get_xlim() == right.get_xlim()
    page = found.animate(tmp_path / "pair.html").read_text(encoding="utf-8")
    assert page.count("<iframe") == 2 and "before" in page
    assert 'loading="lazy"' not in page.split("srcdoc=")[0]  # both begin at once
    assert "{join: true}" in page and "function keepStep" in page  # and stay in step
    assert "<pre" in found._repr_html_()
    with pytest.raises(tm.ModelError, match="kind is 'pie'; it can be scatter or parallel"):
        found.plot_design_space(kind="pie")


def test_children_of_equal_parents_differ_from_them_by_small_changes_alone() -> None:
    """Crossing keeps the middle of both parents; of n variables one on average changes, mostly by less than a tenth."""
    from pytrammel.design.optimization.front import _children

    rng = np.random.default_rng(0)
    count, n = 400, 25
    parent = rng.uniform(0.3, 0.7, n)
    people = np.tile(parent, (count, 1))
    off = np.abs(_children(people, np.zeros(count, dtype=int), np.ones(count), rng) - parent)
    changed = off > 1e-12
    assert changed.mean() == pytest.approx(1 / n, abs=4 * math.sqrt(1 / n / off.size))  # four deviations of a share
    assert np.median(off[changed]) < 0.1


def test_children_of_two_parents_lie_around_them() -> None:
    """Each pair of children of a simulated binary crossover has the parents' mean: the mean of many lies in the middle."""
    from pytrammel.design.optimization.front import _children

    rng = np.random.default_rng(1)
    count, n = 4000, 10
    people = np.where(rng.random((count, 1)) < 0.5, 0.4, 0.6) * np.ones((1, n))
    children = _children(people, np.zeros(count, dtype=int), np.ones(count), rng)
    assert children.mean() == pytest.approx(
        people.mean(), abs=4 * 0.1 / math.sqrt(count)
    )  # children of one pair go together
    assert children.std() == pytest.approx(0.1, rel=0.2)


def test_a_bounded_parameter_that_the_model_does_not_use_is_named() -> None:
    m = tm.PlanarModel("plain")
    m.parameter("a", 1.0)
    m.parameter("width", 1.0, bounds=(0, 2))
    m.body("block", position=("a", 0))
    with pytest.raises(tm.ModelError, match="'plain' does not use 'width'; no other parameter has bounds"):
        m.optimize(minimize="a")


@pytest.mark.parametrize("method", ["slsqp", "differential_evolution"])
@pytest.mark.parametrize("by", ["a", "b"])
def test_designs_stay_within_the_bounds_of_parameters_that_follow(method, by, tmp_path):
    """c = 2 a, or c = 2 b with b = a: 0.1 at most, which allows a = 0.05 of 0.06; the best model can be read again."""
    m = tm.PlanarModel("placed")
    m.parameter("a", 0.04, bounds=(0.02, 0.06))
    m.parameter("b", "a")
    m.parameter("c", "2*a" if by == "a" else "2*b", bounds=(None, 0.1))
    m.body("x", position=("a", "c"), mass=1.0, inertia=1.0)
    m.fix("f", "x")
    m.point("P", "x", local=("b", 0))
    best = m.optimize(maximize="x.y[end]", analysis="kinematics", times=[0.0], method=method)
    assert best.values["a"] == pytest.approx(0.05, rel=1e-6)
    best.model.save(tmp_path / "best.toml")
    assert tm.load(tmp_path / "best.toml").parameters["c"].value <= 0.1
