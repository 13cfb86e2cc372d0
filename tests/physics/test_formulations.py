"""Formulations I, II and III of chapter 11 are the same mechanics: equal accelerations, multipliers and motions."""

from __future__ import annotations

import numpy as np
import pytest

import pytrammel as tm
from pytrammel.analysis.at_state import evaluate_state, mass_matrix
from pytrammel.analysis.freedom.rank import best_rows, jacobian, rank_of
from pytrammel.analysis.ready import make_ready
from pytrammel.analysis.start.initial import consistent_start
from pytrammel.system.lowering import lower
from pytrammel.system.pattern import pattern
from spatial_models import bricard, chain, haug_pendulum, heavy_top, rssr

KERNELS = ["state_run", "assemble_run", "jacobian_run", "rates_run", "measures_run"]


def spinning(model: tm.SpatialModel) -> tm.SpatialModel:
    """The model with every body turning, so that the velocity terms of the formulations count."""
    rng = np.random.default_rng(3)
    bodies = list(model.bodies)[1:]
    return model.copy(changes={b: {"velocity": rng.normal(size=3), "omega": rng.normal(size=3)} for b in bodies})


def off_centre() -> tm.SpatialModel:
    """Two bodies with full inertia matrices and frames away from their centroids, a spring, a motor and a driven hinge."""
    m = tm.SpatialModel("off-centre")
    a = m.body(
        "a",
        position=(0.1, 0, 0),
        mass=2.0,
        inertia=[[0.3, 0.02, 0.01], [0.02, 0.4, -0.03], [0.01, -0.03, 0.25]],
        centroid=(0.3, -0.1, 0.2),
    )
    b = m.body(
        "b",
        position=(1.0, 0.2, 0.1),
        rotation=(0.8, 0, 0, 0.6),
        mass=1.0,
        inertia=(0.2, 0.3, 0.4),
        centroid=(0, 0.2, -0.1),
    )
    m.universal("U", m.ground, a, at=(0, 0, 0), axis="x", second_axis="y")
    m.revolute("R", a, b, at=(0.8, 0, 0), axis="z")
    m.spring("s", m.ground.at(0, 0, 1), b.at(0.1, 0.2, 0.3), stiffness=30.0, damping=2.0)
    m.driver("d", "R.angle", "0.3*sin(2*t) + 0.2*t")
    return m


MODELS = {
    "RSSR": lambda: rssr(0.7),
    "RSSR with a coupler": lambda: rssr(0.7, coupler="body"),
    "chain": lambda: chain(4),
    "heavy top, frame at the tip": lambda: heavy_top((1.0, 2.0, 30.0)),
    "pendulum of Haug": lambda: haug_pendulum(),
    "off-centre": off_centre,
    "Bricard": bricard,
}


@pytest.mark.parametrize("name", MODELS)
def test_formulations_give_the_same_accelerations_and_reactions(name):
    model = spinning(MODELS[name]())
    make_ready(model, KERNELS, forces=True)
    system = lower(model, dynamics=True)
    rows = list(range(len(system.rows)))
    start = consistent_start(system, rows, 0.4, ())
    q, v = start.q, start.v
    dense = jacobian(system, q, 0.4, rows)
    active = [rows[k] for k in best_rows(dense, rank_of(dense).rank)]  # Bricard has a redundant row
    P = pattern(system, active)
    three, one, two = (evaluate_state(system, system.floats, P, 0.4, q, v, formulation=f) for f in ("III", "I", "II"))
    size, force = np.abs(three.accelerations).max(), np.abs(three.multipliers).max()
    for other in (one, two):
        # the 1e-12; the systems are well conditioned (below 1e3), so rounding leaves about 1e-14
        np.testing.assert_allclose(other.accelerations, three.accelerations, rtol=0, atol=1e-12 * size)
        np.testing.assert_allclose(other.multipliers, three.multipliers, rtol=0, atol=1e-12 * force)
    assert size > 1.0 and force > 1e-3  # something is moving, something is held


@pytest.mark.parametrize("formulation", ["I", "II"])
def test_simulation_in_another_formulation_is_the_same_motion(formulation):
    model = off_centre()
    right = model.simulate(0.5, samples=6, rtol=1e-10)
    other = model.simulate(0.5, samples=6, rtol=1e-10, formulation=formulation)
    # the same steps from accelerations that differ by rounding
    np.testing.assert_allclose(other.q, right.q, rtol=0, atol=1e-10)
    np.testing.assert_allclose(other.effort("d"), right.effort("d"), rtol=1e-8)


@pytest.mark.filterwarnings("ignore:the given starting velocities contradict")  # they are arbitrary
def test_mass_matrix_gives_the_kinetic_energy():
    """v'Mv/2 against the energy that the kernels book, with coupled blocks."""
    model = spinning(off_centre())
    r = model.simulate(0.0)
    M = mass_matrix(r._system, r.q[0])
    np.testing.assert_allclose(M, M.T, rtol=0, atol=1e-14)
    assert 0.5 * r.v[0] @ M @ r.v[0] == pytest.approx(r.energy.kinetic[0], rel=1e-13)


def test_equations_of_motion_hold_with_the_dense_mass_matrix():
    model = spinning(off_centre())
    make_ready(model, KERNELS, forces=True)
    system = lower(model, dynamics=True)
    rows = list(range(len(system.rows)))
    start = consistent_start(system, rows, 0.4, ())
    q, v = start.q, start.v
    state = evaluate_state(system, system.floats, pattern(system, rows), 0.4, q, v)
    J = jacobian(system, q, 0.4, rows) / system.column_scales() * system.row_scales()[:, None]
    P = pattern(system, rows)
    lam = np.zeros(len(rows))
    lam[P[P[1] :][: len(rows)]] = state.multipliers
    left = mass_matrix(system, q) @ state.accelerations - J.T @ lam - state.generalised
    assert np.abs(left).max() < 1e-11 * np.abs(state.generalised).max()


def test_formulations_are_for_space_and_have_names():
    planar = tm.PlanarModel()
    planar.body("b", mass=1.0, inertia=1.0)
    with pytest.raises(tm.ModelError, match="planar and has no Euler parameters"):
        planar.simulate(0.1, formulation="I")
    with pytest.raises(tm.ModelError, match=r"'IV' is not known; use one of: I, II, III, "):
        off_centre().simulate(0.1, formulation="IV")


def test_rows_of_an_over_constrained_loop_are_chosen_anew_where_they_weaken():
    """Bennett's linkage: the rows that are independent at the start are not all the way round; no singular position is reported."""
    from spatial_models import bennett

    m = bennett(0.3, drive="0.3 + t")
    r = m.kinematics(2 * np.pi, samples=121)
    assert r.singularities == ()
    assert r.constraint_violation() < 1e-12
    swing = bennett(0.5).simulate(4.0, samples=41, rtol=1e-9)
    assert len(swing._segments) > 1  # rows were changed on the way
    # every step is within 1e-9; energy is of the order of 10 J
    assert np.abs(swing.energy.balance).max() < 1e-7


@pytest.mark.parametrize("build", [bricard, lambda: rssr_on_full_hinges()], ids=["Bricard", "planar loops in space"])
def test_redundant_rows_share_the_load_with_the_smallest_sum_of_squares(build):
    """The smallest of all solutions of J'lam = f is the one in the range of J, each row in its own scale."""
    r = build().simulate(0.6, samples=4, rtol=1e-9)
    assert r.redundant
    rows = list(range(len(r._system.rows)))
    for k in range(len(r)):
        dense = jacobian(r._system, r.q[k], r.times[k], rows)
        load = r.dynamics.multipliers[k] * r._system.row_scales()
        u, values, _ = np.linalg.svd(dense)
        outside = u[:, int((values > 1e-9 * values[0]).sum()) :]
        assert outside.shape[1] > 0
        # rounding of the factors, whose condition is about 1e5
        assert np.abs(outside.T @ load).max() < 1e-9 * np.abs(load).max()


def rssr_on_full_hinges() -> tm.SpatialModel:
    from spatial_models import four_bar

    return four_bar()
