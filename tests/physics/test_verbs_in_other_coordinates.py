"""Kinematics, inverse dynamics, linearisation and matrices in the coordinates of each formulation: the numbers of body coordinates."""

from __future__ import annotations

import inspect
import math

import numpy as np
import pytest

import public_names
import pytrammel as tm
import spatial_models as space
from formulation_models import MODELS, driven_crank, slider_crank
from pytrammel.examples import find

FORMULATIONS = tuple(tm.formulations)
OTHERS = [name for name in FORMULATIONS if name not in ("cartesian", "III", "auto")]


def example(name):
    return lambda: find(name).build()


DRIVEN = {
    "slider-crank": driven_crank,
    "change points": example("slider_crank"),
    "four-bar": example("four_bar"),
    "cam": example("cam_roller"),
    "Geneva wheel by phases": example("geneva"),
    "Oldham coupling": example("oldham"),
    "Peaucellier": example("peaucellier"),
    "planetary gears": example("planetary_gears"),
    "dough kneader": example("dough_kneader"),
    "excavator": example("excavator_arm"),
    "robot arm": example("robot_arm"),
    "Stewart": example("stewart_platform"),
    "universal joint": example("universal_joint"),
    "RSSR": lambda: space.rssr(0.3, drive="0.3 + 2*t"),
    "redundant Sarrus": lambda: space.sarrus(1.2, drive="1.2 - 0.2*t"),
}
WITH_MASSES = ("slider-crank", "excavator", "robot arm", "Stewart", "universal joint", "RSSR")


def off(one, two):
    """Largest difference against the size of what is compared."""
    return np.abs(one - two).max(initial=0.0) / max(1.0, np.abs(one).max(initial=0.0))


@pytest.mark.parametrize("name", DRIVEN)
def test_kinematics_along_a_tree_is_that_of_the_bodies(name):
    m = DRIVEN[name]()
    one, two = (m.kinematics(2.0, samples=41, formulation=f, progress=False) for f in ("cartesian", "joint"))
    # both end at rounding: what the Jacobians' condition makes of it
    assert off(one.q, two.q) < 1e-12
    assert off(one.v, two.v) < 1e-11
    assert off(one.a, two.a) < 1e-10
    assert len(one.events) == len(two.events)
    assert [p.time for p in one.singularities] == pytest.approx([p.time for p in two.singularities], abs=1e-6)


@pytest.mark.parametrize("cut", ["A", "B", "C", "D"])
def test_any_joint_of_a_loop_can_be_the_one_that_is_cut(cut):
    m = driven_crank()
    two = m.kinematics(1.0, samples=11, formulation=tm.formulations.joint(cut=cut), progress=False)
    assert off(m.kinematics(1.0, samples=11, progress=False).a, two.a) < 1e-11


@pytest.mark.parametrize("given", ["crank.phi", "A.angle", "piston.x"])
def test_independent_coordinates_are_prescribed_along_a_tree_too(given):
    motion = "0.7 - 0.02*t" if given == "piston.x" else "pi/4 + 6*t"
    runs = [
        slider_crank().kinematics(0.5, prescribed={given: motion}, samples=11, formulation=f, progress=False)
        for f in ("cartesian", "joint")
    ]
    assert off(runs[0].a, runs[1].a) < 1e-11


@pytest.mark.parametrize("name", WITH_MASSES)
def test_efforts_and_reactions_by_recursive_newton_euler_are_those_of_the_bodies(name):
    m = DRIVEN[name]()
    one, two = (m.inverse_dynamics(1.0, samples=11, formulation=f, progress=False) for f in ("cartesian", "joint"))
    assert off(one.dynamics.multipliers, two.dynamics.multipliers) < 1e-10
    assert two.dynamics.formulation == "joint"


def test_loads_that_redundant_joints_share_are_left_to_body_coordinates():
    with pytest.raises(tm.ModelError, match="'cartesian', which shares the loads out"):
        DRIVEN["redundant Sarrus"]().inverse_dynamics(1.0, formulation="joint", progress=False)


def nearest(one, two):
    """Largest distance of eigenvalues from their partners."""
    left, worst = list(two), 0.0
    for value in one:
        k = min(range(len(left)), key=lambda j: abs(left[j] - value))
        worst = max(worst, abs(left.pop(k) - value))
    return worst / max(1.0, np.abs(one).max(initial=0.0))


@pytest.mark.parametrize("formulation", OTHERS)
@pytest.mark.parametrize(
    "name", ["double pendulum", "slider-crank with a spring", "redundant parallel cranks", "Bricard", "every joint"]
)
@pytest.mark.filterwarnings("ignore::pytrammel.RunWarning")
def test_eigenvalues_do_not_ask_for_coordinates(name, formulation):
    m = MODELS[name][0]()
    if formulation in ("I", "II") and m.space.dimension == 2:
        return  # refused, see below
    assert nearest(m.linearize().eigenvalues, m.linearize(formulation=formulation).eigenvalues) < 1e-8


def test_small_motions_of_a_double_pendulum_in_joint_angles_are_those_of_the_closed_form():
    """Rods of length L and mass m; with relative angles a, b the second rod turns by a + b."""
    m, L, g = 2.0, 0.8, 9.81
    p = tm.PlanarModel("double", gravity=(0, -g))
    for k in range(2):
        p.body(f"r{k}", position=(0, -(k + 0.5) * L), mass=m, inertia=m * L * L / 12)
    p.revolute("A", "ground", "r0", at=(0, 0))
    p.revolute("B", "r0", "r1", at=(0, -L))
    found = p.linearize(formulation="joint")
    assert found.coordinates == ("A.angle", "B.angle")
    absolute = m * L * L * np.array([[4 / 3, 1 / 2], [1 / 2, 1 / 3]])  # of the rods' own angles
    weight = m * g * L * np.diag([1.5, 0.5])
    own = np.array([[1.0, 0.0], [1.0, 1.0]])
    assert found.mass == pytest.approx(own.T @ absolute @ own, rel=1e-12)
    assert found.stiffness == pytest.approx(own.T @ weight @ own, rel=1e-12)
    assert found.mass == pytest.approx(p.matrices(formulation="joint")["H"].values, rel=1e-12)


@pytest.mark.parametrize("name", ["driven crank", "Andrews", "cam", "links and slots", "Bricard", "floating robot"])
def test_matrices_of_particles_have_the_accelerations_of_the_bodies(name):
    m = MODELS[name][0]()
    one, two = m.matrices().accelerations, m.matrices(formulation="points")
    assert off(one, two.accelerations) < 1e-12
    assert off(one, m.matrices(formulation=tm.formulations.points(variables="joint")).accelerations) < 1e-12
    assert two["M"].values == pytest.approx(two["M"].values.T)


def test_matrices_of_a_rod_as_particles_are_those_of_the_paper():
    """A uniform rod between two particles: m/3 and m/6 (Attia); one end is fixed, so that one mass is left, and one distance."""
    m = tm.PlanarModel("rod", gravity=(0, -9.81))
    m.body("rod", position=(0.5, 0.0), mass=6.0, inertia=0.5)
    m.revolute("A", "ground", "rod", at=(0, 0))
    chosen = tm.formulations.points(particles={"rod": [(-0.5, 0.0), (0.5, 0.0)]})
    found = m.matrices(formulation=chosen)
    assert found["M"].values == pytest.approx(2.0 * np.eye(2))
    assert found["f"].values == pytest.approx([0.0, -3.0 * 9.81])
    assert found["J"].values == pytest.approx(np.array([[1.0, 0.0]]))


# --- every verb takes every name, or says what to use -------------------------------------------------------------------------


VERBS = {
    "simulate": lambda m, f: m.simulate(0.05, samples=2, formulation=f, progress=False),
    "kinematics": lambda m, f: m.kinematics(0.05, samples=2, formulation=f, progress=False),
    "inverse_dynamics": lambda m, f: m.inverse_dynamics(0.05, samples=2, formulation=f, progress=False),
    "linearize": lambda m, f: m.linearize(formulation=f),
    "matrices": lambda m, f: m.matrices(formulation=f),
    "relative_equations": lambda m, f: tm.textbook.relative_equations(m, formulation=f),
    "compare_formulations": lambda m, f: tm.textbook.compare_formulations(
        m, 0.05, formulations=[f], tolerances=[1e-6], progress=False
    ),
}
REFUSED = {
    "kinematics": {"I", "II", "points", "relative"},
    "inverse_dynamics": {"I", "II", "points", "relative"},
    "relative_equations": set(FORMULATIONS) - {"relative"},
}


def test_no_verb_with_a_formulation_is_left_out_here():
    functions = [*public_names.public(), *inspect.getmembers(tm.PlanarModel, inspect.isfunction)]
    taking = set()
    for name, function in functions:
        if inspect.isfunction(function) and "formulation" in inspect.signature(function).parameters:
            taking.add(name.rpartition(".")[2])
    assert {"simulate", "relative_equations"} <= taking <= set(VERBS)


@pytest.mark.filterwarnings("ignore::pytrammel.RunWarning")
@pytest.mark.parametrize("formulation", FORMULATIONS)
@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_takes_every_formulation_or_says_what_to_use(verb, formulation):
    m = space.rssr(0.3, drive="0.3 + 2*t")
    if formulation in REFUSED.get(verb, ()):
        with pytest.raises(tm.ModelError, match=r"'cartesian'|'relative'"):
            VERBS[verb](m, formulation)
    else:
        assert VERBS[verb](m, formulation) is not None


@pytest.mark.parametrize("verb", ["simulate", "kinematics", "inverse_dynamics", "linearize", "matrices"])
@pytest.mark.parametrize("formulation", ["I", "II"])
def test_euler_parameters_are_refused_in_the_plane(verb, formulation):
    with pytest.raises(tm.ModelError, match="'cartesian'"):
        VERBS[verb](driven_crank(), formulation)


def test_what_cannot_go_with_joint_coordinates_is_refused():
    m = driven_crank()
    with pytest.raises(tm.ModelError, match="newton='full' works in body coordinates"):
        m.kinematics(1.0, formulation="joint", newton="full")
    with pytest.raises(tm.ModelError, match="leave out formulation='joint'"):
        m.linearize(formulation="joint", coordinates=["A.angle"])
    with pytest.raises(tm.ModelError, match="is not known"):
        m.kinematics(1.0, formulation="joints")
    assert math.isfinite(m.kinematics(1.0, samples=2, formulation="auto", progress=False).q.sum())
