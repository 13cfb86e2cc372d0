"""Results of many runs carry the warnings of the runs that their numbers rest on, printed once per call."""

from __future__ import annotations

import itertools
import re
import warnings

import numpy as np
import pytest

import pytrammel as tm
from pytrammel.errors import RunWarning


def coarse():
    """A spring whose fixed steps are too long for it: the energy balance does not close."""
    m = tm.PlanarModel("coarse")
    m.parameter("k", 1000.0, bounds=(800.0, 1200.0), tolerance=10.0)
    m.body("a", position=(0.0, -1.0), mass=1.0, inertia=0.1)
    m.prismatic("guide", m.ground, "a", at=(0, 0), axis=(0, 1))
    m.spring("S", m.ground.at(0.0, 0.0), m["a"].at(0, 0), stiffness="k", free_length=0.5)
    options = {"duration": 0.5, "samples": 6, "method": tm.methods.rk4(step=0.03)}
    return m, "a.y", "simulate", options


def deep():
    """A disc that starts deep in a line."""
    m = tm.PlanarModel("deep")
    m.parameter("k", 1000.0, bounds=(800.0, 1200.0), tolerance=10.0)
    m.body("b", position=(0.0, 0.05), mass=1.0, inertia=0.01)
    m.contact_line("c", "b", m.ground, radius=0.1, at=(0.0, 0.0), axis=(1.0, 0.0), stiffness="k")
    return m, "b.y", "simulate", {"duration": 0.01, "samples": 5}


def sunk():
    """A driver holds a disc deep in the floor, and the disc a weight on a spring."""
    m = tm.PlanarModel("sunk")
    m.parameter("k", 1000.0, bounds=(800.0, 1200.0), tolerance=10.0)
    for name, y in (("b", 0.1), ("weight", 0.5)):
        m.body(name, position=(0.0, y), mass=1.0, inertia=0.01)
        m.prismatic(f"guide_{name}", m.ground, name, at=(0.0, y), axis=(0.0, 1.0))
    m.driver("D", "guide_b.distance", "-0.02*t")
    m.contact_line("c", "b", m.ground, radius=0.1, at=(0.0, 0.0), axis=(1.0, 0.0), stiffness=1e7)
    m.spring("S", m["b"].at(0, 0), m["weight"].at(0, 0), stiffness="k", free_length=0.4)
    return m, "weight.y", "equilibrium", {"time": 1.0}


def unmeshed():
    """Two gears, one of which leaves the other."""
    m = tm.PlanarModel("unmeshed", gravity=(0.0, 0.0))
    m.parameter("speed", 1.0, bounds=(0.5, 1.5), tolerance=0.01)
    arm = m.body("arm")
    sun, planet = m.body("sun"), m.body("planet", position=(0.3, 0.0))
    for name, body, at in (("A", arm, (0, 0)), ("S", sun, (0, 0))):
        m.revolute(name, m.ground, body, at=at)
    m.revolute("P", arm, planet, at=(0.3, 0.0))
    m.gear("forgot", sun, planet, radii=(0.2, 0.1))
    m.driver("turn", m["A"].angle, "speed*t")
    m.driver("other", m["S"].angle, "0.5*t")
    return m, "planet.phi", "kinematics", {"duration": 1.0, "samples": 6}


def rounded():
    """A parallelogram with a crank too many whose points are rounded to 3 digits."""
    m = tm.PlanarModel("rounded", closure_tolerance=1e-3)
    m.parameter("load", 2.0, bounds=(1.0, 3.0), tolerance=0.01)
    turn, length = 0.7, 0.2137
    pins = np.array([[0.0, 0.0], [0.4, 0.02], [0.2, 0.15]])
    tips = np.round(pins + length * np.array([np.cos(turn), np.sin(turn)]), 3) + [[0, 0], [2e-4, 0], [0, 0]]
    m.body("table", position=tuple(tips[0]), mass="load", inertia=0.1)
    for k, pin in enumerate(pins):
        m.body(f"crank{k}", position=tuple(pin), angle=turn, mass=0.1, inertia=0.01)
        m.revolute(f"G{k}", m.ground, f"crank{k}", at=tuple(pin))
        m.revolute(f"T{k}", f"crank{k}", "table", at=tuple(tips[k]))
    m.driver("motor", m["G0"].angle, "0.5*t")
    return m, "motor.effort", "inverse_dynamics", {"duration": 0.5, "samples": 6}


MODELS = {"energy": coarse, "overlap": deep, "overlap at rest": sunk, "mesh": unmeshed, "closure gap": rounded}


def optimized(m, quantity, analysis, options):
    goal = f"({quantity}[end] - 0.1)**2"
    return m.optimize(minimize=goal, analysis=tm.Analysis(analysis, **options), progress=False, max_iterations=3)


def fitted(m, quantity, analysis, options):
    goals = [f"{quantity}[end] - 0.1"]
    return m.optimize(least_squares=goals, analysis=tm.Analysis(analysis, **options), progress=False, max_iterations=3)


def by_evolution(m, quantity, analysis, options):
    goal = f"({quantity}[end] - 0.1)**2"
    return m.optimize(
        minimize=goal, analysis=tm.Analysis(analysis, **options), method="cma", progress=False, max_iterations=2
    )


def identified(m, quantity, analysis, options):
    own = {key: x for key, x in options.items() if key not in ("duration", "samples")}
    times = np.linspace(0.0, options["duration"], 5)
    return m.identify(
        {quantity: (times, 0.1 + 0.0 * times)}, sigma=1.0, analysis=tm.Analysis(analysis, **own), max_iterations=3
    )


def nominal(m, quantity, analysis, options):
    return m.tolerances(f"{quantity}[end]", analysis=tm.Analysis(analysis, **options), extremes=False)


def front(m, quantity, analysis, options):
    (name,) = m.parameters
    goals = [f"{quantity}[end]**2", f"{name}/1000"]
    return m.optimize(
        minimize=goals, points=3, analysis=tm.Analysis(analysis, **options), progress=False, max_iterations=3
    )


def generations(m, quantity, analysis, options):
    (name,) = m.parameters
    goals = [f"{quantity}[end]**2", f"{name}/1000"]
    return m.optimize(
        minimize=goals, method="nsga2", analysis=tm.Analysis(analysis, **options), progress=False, max_iterations=1
    )


def many(m, quantity, analysis, options):
    return m.tolerances(f"{quantity}[end]", analysis=tm.Analysis(analysis, **options), monte_carlo=16, extremes=False)


def worst(m, quantity, analysis, options):
    return m.tolerances(f"{quantity}[end]", analysis=tm.Analysis(analysis, **options))


def gradient(m, quantity, analysis, options):
    return m.gradient(f"{quantity}[end]", analysis=tm.Analysis(analysis, **options))


def value_and_grad(m, quantity, analysis, options, points=((1.0, True), (1.001, True))):
    f = m.value_and_grad(f"{quantity}[end]", analysis=tm.Analysis(analysis, **options))
    for share, slopes in points:
        (f if slopes else f.value)(share * f.x0)
    return f


def value(m, quantity, analysis, options):
    return value_and_grad(m, quantity, analysis, options, points=[(1.0, False), (1.001, False), (1.002, True)])


SINGLE = [optimized, fitted, by_evolution, identified, nominal, gradient, value_and_grad, value]
POPULATIONS = [front, generations, many]
# searches inside tolerances go on for long where slopes mislead them
SEARCHED = [(kind, worst) for kind in MODELS if kind != "energy"]


def asked(kind, consumer):
    if consumer is identified and MODELS[kind]()[2] not in ("simulate", "kinematics"):
        pytest.skip("nothing is measured over time there")
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always", RunWarning)
        result = consumer(*MODELS[kind]())
    return result, [w.message for w in seen if isinstance(w.message, RunWarning)]


@pytest.mark.parametrize("consumer", SINGLE, ids=lambda f: f.__name__)
@pytest.mark.parametrize("kind", MODELS)
def test_a_result_carries_the_warning_of_its_run_printed_once(kind, consumer):
    result, printed = asked(kind, consumer)
    kinds = [w.kind for w in result.warnings]
    assert kind.removesuffix(" at rest") in kinds
    assert len({(w.kind, str(w)) for w in result.warnings}) == len(kinds)
    assert sorted(w.kind for w in printed) == sorted(kinds)


@pytest.mark.parametrize(("kind", "consumer"), [*itertools.product(MODELS, POPULATIONS), *SEARCHED])
def test_many_runs_with_a_warning_give_one_with_their_number(kind, consumer):
    result, printed = asked(kind, consumer)
    assert sorted(map(str, printed)) == sorted(map(str, result.warnings))
    own = [w for w in result.warnings if w.kind == kind.removesuffix(" at rest")]
    counts = [re.match(r"(\d+) of (\d+) ", str(w)) for w in own]
    (count,) = [c for c in counts if c]
    told, among = int(count[1]), int(count[2])
    assert 1 <= told <= among
    if consumer in (many, worst):  # with the warning of the nominal run
        assert len(own) == 2 and among >= (17 if consumer is many else result.worst_case.runs)
    else:
        assert among == len(result)
    assert str(own[-1]) in str(result)


def test_the_warning_is_that_of_the_design_found():
    best, _ = asked("energy", optimized)
    with pytest.warns(RunWarning) as seen:
        run = best.model.simulate(0.5, samples=6, method=tm.methods.rk4(step=0.03))
    assert str(seen[0].message) in {str(w) for w in best.warnings} & {str(w) for w in run.warnings}


@pytest.mark.parametrize("consumer", [optimized, nominal, gradient, value_and_grad], ids=lambda f: f.__name__)
def test_a_warning_raised_as_an_error_hands_over_the_answer(consumer):
    with warnings.catch_warnings():
        warnings.simplefilter("error", RunWarning)
        with pytest.raises(RunWarning, match=r"energy|slope") as raised:
            consumer(*coarse())
    assert type(raised.value.partial).__name__ in ("Optimum", "ToleranceResult", "Gradient", "ValueAndGrad")


@pytest.mark.parametrize("consumer", [*SINGLE, *POPULATIONS], ids=lambda f: f.__name__)
def test_runs_in_order_give_no_warning(consumer):
    m, quantity, _, _ = coarse()
    options = {"duration": 0.02, "samples": 5}
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always", RunWarning)
        result = consumer(m, quantity, "simulate", options)
    assert not {w.kind for w in result.warnings} - {"not converged", "curved", "bound"}
    assert len(seen) == len(result.warnings)
