"""Methods that treat the constraints themselves: generalised alpha, HHT, BDF on index 3 and with velocity rows, RATTLE."""

from __future__ import annotations

import math
import sys
from pathlib import Path

import numpy as np
import pytest

import pytrammel as tm
from pytrammel._util.progress import Progress
from pytrammel.analysis.methods import method_named
from pytrammel.analysis.runs.options import Options
from pytrammel.analysis.runs.simulation import Simulation
from pytrammel.kernels import engine
from pytrammel.kernels import linear_layout as N
from pytrammel.kernels.banded import band_solve
from pytrammel.kernels.equations.exact import exact_places
from pytrammel.system.band import band

sys.path.insert(0, str(Path(__file__).parents[1]))
sys.path.insert(0, str(Path(__file__).parents[1] / "unit"))
sys.path.insert(0, str(Path(__file__).parent))
from test_matrices_of_implicit_methods import call
from test_methods import closed_form, pendulum, stiff_crank

import dynamic_models
import spatial_models

OWN = [name for name, each in tm.methods.items() if each.own_constraints]
MECHANISMS = {
    "open": lambda: dynamic_models.chain([0.3, -0.4]),
    "closed": lambda: dynamic_models.n_four_bar(1),
    "redundant": dynamic_models.double_parallel_crank,
    "redundant in space": spatial_models.bricard,
    "off its centroid in space": lambda: spatial_models.heavy_top((0.0, 0.0, 30.0)),
}


def angle_errors(method, steps=(0.02, 0.01, 0.005)):
    """Errors of the angle at 1 s."""
    runs = (pendulum().simulate(times=[0.0, 1.0], method=tm.methods[method](step=h), progress=False) for h in steps)
    return [float(r["bob"].phi[-1] - closed_form(1.0)[0]) for r in runs]


@pytest.mark.parametrize(
    ("method", "errors"),
    [
        (lambda: tm.methods.generalized_alpha(rho=0.8), [2.44e-3, 6.1e-4, 1.52e-4]),
        (lambda: "rattle", [-1.16e-3, -2.89e-4, -7.2e-5]),
        (lambda: "bdf2_index3", [1.02e-2, 2.44e-3, 5.95e-4]),
        (lambda: "bdf3_index3", [-9.6e-4, -1.3e-4, -1.72e-5]),
    ],
)
def test_errors_are_those_of_an_independent_program(method, errors):
    # digest of chapters 11-14, O-14 and 5.1: three digits are given; BDF began there from exact states, here with Runge and Kutta's
    assert angle_errors(method()) == pytest.approx(errors, rel=0.02)


@pytest.mark.parametrize("mechanism", MECHANISMS)
@pytest.mark.parametrize(
    "name", ["rattle", "generalized_alpha", "hht", "bdf2_index3", "bdf4_index3", "bdf2_ggl", "bdf3_ggl"]
)
def test_mechanisms_move_as_with_an_explicit_method_of_high_order(name, mechanism):
    m = MECHANISMS[mechanism]()
    reference = m.simulate(0.2, samples=5, rtol=1e-11, atol=1e-13, progress=False)
    coarse, fine = (
        np.abs(m.simulate(0.2, samples=5, method=tm.methods[name](step=h), progress=False).q - reference.q).max()
        for h in (2e-3, 1e-3)
    )
    # rounding counts over h²
    assert fine < 1e-9 or math.log2(coarse / fine) == pytest.approx(tm.methods[name].order, abs=0.3)
    assert fine < 1e-3


CONTROLLED = [name for name, each in tm.methods.items() if each.can_control]


@pytest.mark.parametrize("mechanism", MECHANISMS)
@pytest.mark.parametrize("name", CONTROLLED)
def test_without_a_step_the_error_is_controlled_and_steps_that_change_keep_the_order(name, mechanism):
    m = MECHANISMS[mechanism]()
    reference = m.simulate(0.2, samples=5, rtol=1e-11, atol=1e-13, progress=False)
    errors, steps = [], []
    for rtol in (1e-5, 1e-7):
        r = m.simulate(0.2, samples=5, method=name, rtol=rtol, atol=0.01 * rtol, progress=False)
        errors.append(np.abs(r.q - reference.q).max())
        steps.append(r.dynamics.statistics.steps)
        # errors of all steps add up; that of an angle tells in units of a turn as it does in metres
        assert errors[-1] < 5.0 * steps[-1] * rtol
        assert r.constraint_violation() < 1e-12
    assert math.log(errors[0] / errors[1]) / math.log(steps[1] / steps[0]) == pytest.approx(2.0, abs=0.3)
    # the local error goes with h³
    assert math.log(steps[1] / steps[0]) / math.log(100.0) == pytest.approx(1.0 / 3.0, abs=0.06)


@pytest.mark.filterwarnings("ignore:the energy balance")  # of what is stiff most is damped by the method
@pytest.mark.parametrize("name", CONTROLLED)
def test_controlled_steps_pass_over_what_is_stiff(name):
    r = stiff_crank().simulate(1.0, samples=11, method=name, rtol=1e-4, atol=1e-7, progress=False)
    assert r["crank"].phi[-1] == pytest.approx(-9.81 / 1e8 / 0.5, rel=1e-3)
    # an explicit method takes 1241: the spring makes a relaxation time of 1e-4 s
    assert r.dynamics.statistics.steps < 200


@pytest.mark.parametrize("name", CONTROLLED)
def test_a_step_or_a_tolerance_is_honoured_and_both_are_refused(name):
    fixed = pendulum().simulate(0.1, samples=2, method=tm.methods[name](step=0.01), progress=False)
    assert fixed.dynamics.statistics.steps == 10
    short = pendulum().simulate(0.1, samples=2, method=name, max_step=1e-3, progress=False)
    assert short.dynamics.statistics.steps >= 100
    with pytest.raises(tm.ModelError, match=r"rtol.*would not be used, because the method has a fixed step"):
        pendulum().simulate(0.1, method=tm.methods[name](step=0.01), rtol=1e-6)
    with pytest.raises(tm.ModelError, match=f"'{name}'.*constraints='none'; use 'projection', give it a step .*, or"):
        pendulum().simulate(0.1, method=name, constraints="none")


def test_velocities_of_index_3_are_off_the_constraints_and_put_right_for_output():
    """Digest, O-14: the hidden constraint is violated by 5.4e-3 at h = 0.02 with BDF 2; velocity rows hold it."""

    def off(name, constraints):
        r = pendulum().simulate(
            times=[0.0, 1.0], method=tm.methods[name](step=0.02), constraints=constraints, progress=False
        )
        b = r["bob"]
        rates = np.stack([b.vx + b.omega * np.sin(b.phi), b.vy - b.omega * np.cos(b.phi)])
        gaps = np.stack([b.x - np.cos(b.phi), b.y - np.sin(b.phi)])
        assert np.abs(gaps).max() < 1e-14
        return np.abs(rates[:, -1]).max()

    assert off("bdf2_index3", "none") == pytest.approx(5.4e-3, rel=0.05)
    assert off("bdf2_index3", "projection") < 1e-14
    assert off("bdf2_ggl", "none") < 1e-13


@pytest.mark.filterwarnings("ignore:the energy balance")  # what it damps is energy
@pytest.mark.parametrize("rho", [0.3, 0.6, 0.9])
def test_rho_is_what_one_step_leaves_of_fast_vibrations(rho):
    m = tm.PlanarModel("stiff", gravity=(0.0, 0.0))
    m.body("wheel", angle=1e-3, mass=1.0, inertia=1.0)
    m.revolute("O", m.ground, "wheel", at=(0, 0))
    m.torsion_spring("s", first="ground", second="wheel", stiffness=1e12, free_angle=0.0)
    r = m.simulate(12.0, samples=121, method=tm.methods.generalized_alpha(rho=rho, step=0.1), progress=False)
    x = np.abs(r["wheel"].phi)
    # a double root rho: the amplitude goes as k rho^k, or a little slower
    k = 30
    assert (x[2 * k] / x[k]) ** (1.0 / k) == pytest.approx(rho, rel=0.12)


@pytest.mark.parametrize("name", ["generalized_alpha", "bdf3_index3", "bdf3_ggl"])
def test_rows_that_hold_rates_only_are_held(name):
    m = tm.SpatialModel("coin", gravity=(0.0, 0.0, -9.81))
    r = 0.3
    inertia = (r * r / 4, r * r / 2, r * r / 4)
    coin = m.body(
        "coin", position=(0, 0, r), mass=1.0, inertia=inertia, omega=(0.2, 8.0, 0.1), velocity=(8.0 * r, -0.2 * r, 0)
    )
    m.rolling_disc("R", m.ground, coin, radius=r, at=(0, 0, 0), axis="z", disc_axis=(0, 1, 0))
    reference = m.simulate(0.5, samples=6, rtol=1e-11, atol=1e-13, progress=False)
    errors = [
        np.abs(m.simulate(0.5, samples=6, method=tm.methods[name](step=h), progress=False).q - reference.q).max()
        for h in (2e-3, 1e-3)
    ]
    assert math.log2(errors[0] / errors[1]) == pytest.approx(tm.methods[name].order, abs=0.3)
    assert errors[1] < 1e-3


@pytest.mark.parametrize("name", ["generalized_alpha", "bdf3_index3", "bdf3_ggl", "rattle"])
def test_jumps_of_forces_between_steps_keep_the_order(name):
    m = pendulum()
    m.force("F", m["bob"].at(0.0, 0.0), ("20*step(t - 0.3337) + 10*abs(t - 0.5551)", 0.0))
    reference = m.simulate(1.0, samples=4, rtol=1e-11, atol=1e-13, progress=False)
    errors = [
        np.abs(m.simulate(1.0, samples=4, method=tm.methods[name](step=h), progress=False).q - reference.q).max()
        for h in (1e-2, 5e-3)
    ]
    assert math.log2(errors[0] / errors[1]) == pytest.approx(tm.methods[name].order, abs=0.4)


@pytest.mark.parametrize("name", ["hht", "bdf2_index3", "bdf2_ggl"])
def test_driven_and_damped_machines_balance_their_energy(name):
    m = tm.PlanarModel("driven", gravity=(0.0, -9.81))
    m.body("crank", position=(0.1, 0.0), mass=1.0, inertia=0.01)
    m.body("rod", position=(0.4, 0.0), mass=0.5, inertia=0.01)
    m.body("slider", position=(0.6, 0.0), mass=2.0, inertia=0.01)
    m.revolute("O", m.ground, "crank", at=(0, 0))
    m.revolute("A", "crank", "rod", at=(0.2, 0.0))
    m.revolute("B", "rod", "slider", at=(0.6, 0.0))
    m.prismatic("T", m.ground, "slider", at=(0.6, 0.0), axis=(1, 0))
    m.driver("turn", "O.angle", "5*t + t**2")
    m.spring("s", m.ground.at(1.2, 0.0), m["slider"].at(0.0, 0.0), stiffness=50.0, damping=5.0, free_length=0.5)
    reference = m.simulate(1.0, samples=6, rtol=1e-10, progress=False)
    r = m.simulate(1.0, samples=6, method=tm.methods[name](step=1e-3), progress=False)
    works = [each.dynamics.work[:, -1] for each in (r, reference)]
    assert works[0] == pytest.approx(works[1], abs=2e-4 * np.abs(works[1]).max())


@pytest.mark.parametrize("name", ["generalized_alpha", "bdf2_index3", "bdf4_index3"])
def test_the_matrix_of_a_step_does_not_grow_with_short_steps(name):
    """Digest 2.8: the book's matrix has the condition 1.4e7, 1.4e10, 1.4e13 at h = 1e-2, 1e-3, 1e-4; scaled, it stays at 20 or so."""
    book, ours = [], []
    for h in (1e-2, 1e-3, 1e-4):
        m = pendulum()
        m.simulate(5 * h, samples=2, method=tm.methods[name](step=h), progress=False)  # compiles what is needed
        options = Options(method_named(name), 1e-8, 1e-10, h, 1.0, "projection", 0.0, 0.0, 10**6)
        run = Simulation(m, np.array([0.0, 1.0]), options, (), (), None, True)
        watch = run._look_out()
        table = run.equations.table(run, watch.system)
        table.put_method(options.method)
        run.equations.put_matrices(table, run.system, run.system.ints, run.pattern)
        run.equations.put_steps(table, run.system, options.method)
        y, y1, t = run.y, np.zeros_like(run.y), 0.0
        call(table, engine.START, t, 0.0, y)
        for _ in range(5):
            assert call(table, engine.ATTEMPT, t, h, y, y1) == 0.0
            t, y = t + h, y1.copy()
            call(table, engine.ACCEPT, t, 0.0, y)
        n, k = run.system.n_columns, run.system.n_columns + 2
        lin = table.data[engine.COUPLING][N.T_SIZE]
        below, above = band(run.system, run.pattern)[:2]
        width = int(2 * below + above + 1)
        at = int(exact_places(y.size, int(lin), n, 2, width)[1]) + 2 + 3 * n
        matrices = table.data[engine.MATRICES]
        factors, order = matrices[at : at + k * width].reshape(k, width), matrices[at + k * width :][: 3 * k]
        inverse = np.eye(k)
        for column in inverse:
            band_solve(factors, int(below), order, column)
        ours.append(np.linalg.cond(inverse))
        J = np.array([[1.0, 0.0, 0.0], [0.0, 1.0, -1.0]])  # near the start, with its multipliers
        M, c = np.diag([2.0, 2.0, 0.5]), 1.5 / h  # of BDF 2
        none, one = np.zeros((3, 2)), np.eye(3)
        book.append(
            np.linalg.cond(np.block([[c * M, 0 * one, -J.T], [-one, c * one, none], [none.T, J, 0 * J[:, :2]]]))
        )
    assert book == pytest.approx([1.4e7, 1.4e10, 1.4e13], rel=0.05)
    assert max(ours) < 30.0 and max(ours) / min(ours) < 1.05


@pytest.mark.parametrize("name", OWN)
def test_what_does_not_go_with_a_method_is_refused_with_what_does(name):
    with pytest.raises(tm.ModelError, match=rf"'{name}' treats constraints itself.*'projection' or 'none'.*radau5"):
        pendulum().simulate(1.0, method=tm.methods[name](step=0.01), constraints="baumgarte")
    with pytest.raises(tm.ModelError, match=r"angular velocities.*leave it at 'cartesian'"):
        spatial_models.bricard().simulate(1.0, method=tm.methods[name](step=0.01), formulation="I")
    with pytest.raises(tm.ModelError, match=rf"'{name}' is for mechanisms.*radau5"):
        tm.textbook.integrate({"x": "-x"}, {"x": 1.0}, 1.0, method=tm.methods[name](step=0.1))
    m = pendulum()
    m.joint_friction("f", "pivot", friction=0.2, radius=0.02)
    with pytest.raises(tm.ModelError, match="forces that depend on reactions, such as 'f'; use method='radau5'"):
        m.simulate(1.0, method=tm.methods[name](step=0.01))


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda: tm.methods.generalized_alpha(rho=1.2), "rho is 1.2; it must be from 0"),
        (lambda: tm.methods.generalized_alpha(rho="much"), "rho"),
        (lambda: tm.methods.hht(alpha=-0.4), "alpha is -0.4; it must be from -1/3"),
        (lambda: tm.methods.hht(alpha=0.1), "alpha is 0.1; it must be from -1/3"),
    ],
)
def test_impossible_numbers_of_methods_are_refused(make, sentence):
    with pytest.raises(tm.ModelError, match=sentence):
        make()


def test_nothing_damped_is_told():
    with pytest.warns(tm.RunWarning, match=r"rho=1.*may swing from step to step; choose rho below 1"):
        pendulum().simulate(0.1, method=tm.methods.generalized_alpha(rho=1, step=0.01), progress=False)


@pytest.mark.parametrize("name", ["generalized_alpha", "hht", "bdf1_index3"])
def test_a_step_that_cannot_be_solved_names_its_equation(name):
    # a rod whose middle is driven beyond its reach
    m = tm.PlanarModel("reach", gravity=(0.0, 0.0))
    m.body("rod", position=(0.3, 0.4), angle=math.atan2(0.8, 0.6), mass=1.0, inertia=0.1)
    m.revolute("O", m.ground, "rod", at=(0.0, 0.0))
    m.driver("push", "rod.x", "0.3 + t")
    with pytest.raises(
        tm.ConvergenceError, match=r"worst in the (rows of constraint|balance of forces along) '.*the step"
    ) as told:
        m.simulate(2.0, samples=3, method=tm.methods[name](step=0.4), progress=False)
    assert len(told.value.partial.times) == 1


# --- RATTLE --------------------------------------------------------------------------------------------------------------

PERIOD = 2.64732777737798  # of the pendulum, s (digest, O-14)


def energy_errors(model, step, **options):
    """Errors of kinetic and gravity energy at the output instants."""
    r = model.simulate(method=tm.methods.rattle(step=step), progress=False, **options)
    total = r.energy.kinetic + r.energy.gravity
    return np.abs(total - total[0]), r


def test_the_energy_error_of_rattle_stays_where_it_was():
    # digest, 5.1: 0.02105 J at 10, 50 and 100 s
    error, r = energy_errors(pendulum(), 0.02, duration=100.0, output_step=0.02)
    for end in (10.0, 50.0, 100.0):
        assert error[r.times <= end].max() == pytest.approx(0.02105, abs=5e-6)
    assert r.dynamics.statistics.position_violation < 1e-14
    assert r.dynamics.statistics.velocity_violation < 1e-14


@pytest.mark.filterwarnings("ignore:the energy balance")  # which swings, with 20 steps in a period
def test_the_energy_error_of_rattle_does_not_grow_in_ten_thousand_periods():
    h, looks = PERIOD / 20.0, np.arange(2000)
    error, _ = energy_errors(pendulum(), h, times=h * np.concatenate([looks, 198_000 + looks]))
    # the same extremes are met in the first and in the last hundred periods, as far as 20 steps in a period find them
    assert error[2000:].max() == pytest.approx(error[:2000].max(), rel=0.01)
    assert error.max() < 0.1 * 2.0 * 9.81  # of m g d


def test_a_spinning_top_keeps_its_energy_and_moves_alike_wherever_its_frame_is():
    runs = [
        energy_errors(spatial_models.heavy_top((0.0, 0.0, 30.0), frame=frame), 4e-3, duration=40.0, samples=1001)
        for frame in ("tip", "centroid")
    ]
    for error, _ in runs:
        assert error[-100:].max() == pytest.approx(error[:100].max(), rel=0.02)
    turns = [r.q[:100, 3:7] for _, r in runs]
    assert np.abs(turns[0] - turns[1]).max() < 1e-9


def test_a_free_body_keeps_energy_and_angular_momentum():
    """Digest, O-12: J' = (1, 2, 3), tumbling about its middle axis."""
    m = tm.SpatialModel("tumbling", gravity=(0.0, 0.0, 0.0))
    m.body("b", mass=1.0, inertia=(1.0, 2.0, 3.0), omega=(0.01, 1.0, 0.01))
    exact = np.array([-0.005813837, -1.0000330991, 0.008827999])
    errors = []
    for h in (0.1, 0.05):
        r = m.simulate(times=[0.0, 10.0, 20.0], method=tm.methods.rattle(step=h), progress=False)
        assert 2.0 * r.energy.kinetic == pytest.approx(2.0004, abs=1e-12)
        assert np.abs(r.angular_momentum - r.angular_momentum[0]).max() < 1e-12
        errors.append(np.abs(r.v[-1, 3:] - exact).max())
    assert math.log2(errors[0] / errors[1]) == pytest.approx(2.0, abs=0.2)


@pytest.mark.parametrize("make", [lambda: dynamic_models.n_four_bar(1), spatial_models.bricard], ids=["plane", "space"])
def test_rattle_runs_backwards_to_where_it_came_from(make):
    m = make()
    out = m.simulate(0.5, samples=2, method=tm.methods.rattle(step=5e-3), progress=False)
    options = Options(method_named("rattle"), 1e-8, 1e-10, 5e-3, 1.0, "projection", 0.0, 0.0, 10**6)
    back = Simulation(m, np.array([0.0, 0.5]), options, (), (), None, True)
    back.y[: out.q.shape[1]], back.v[:] = out.q[-1], -out.v[-1]
    back.go(Progress("back", enabled=False))
    assert np.abs(back.q - out.q[0]).max() < 1e-10
    assert np.abs(back.v + out.v[0]).max() < 1e-10


def test_forces_that_depend_on_velocities_keep_the_order_of_rattle():
    m = pendulum()
    m.torsion_spring("d", first="ground", second="bob", stiffness=0.0, damping=0.8, free_angle=0.0)
    reference = m.simulate(2.0, samples=3, rtol=1e-11, atol=1e-13, progress=False)
    errors = [
        np.abs(m.simulate(2.0, samples=3, method=tm.methods.rattle(step=h), progress=False).q - reference.q).max()
        for h in (0.01, 0.005)
    ]
    assert math.log2(errors[0] / errors[1]) == pytest.approx(2.0, abs=0.1)


def test_rattle_refuses_what_has_no_momentum_or_no_position():
    m = tm.PlanarModel("bead", gravity=(0.0, -9.81))
    bead = m.body("bead", position=(1.0, 0.0), mass=0.3, inertia=0.01)
    m.slot("slot", m.ground, bead.at(0.0, 0.0), curve=tm.curves.circle(1.0))
    with pytest.raises(tm.ModelError, match=r"'rattle' needs a mass.*places on curves; use method='generalized_alpha'"):
        m.simulate(1.0, method=tm.methods.rattle(step=0.01))
    m = tm.SpatialModel("coin", gravity=(0.0, 0.0, -9.81))
    coin = m.body("coin", position=(0, 0, 0.3), mass=1.0, inertia=(0.02, 0.04, 0.02))
    m.rolling_disc("R", m.ground, coin, radius=0.3, at=(0, 0, 0), axis="z", disc_axis=(0, 1, 0))
    with pytest.raises(tm.ModelError, match=r"'rattle' holds positions, but 'R' is a constraint on velocities"):
        m.simulate(1.0, method=tm.methods.rattle(step=0.01))
