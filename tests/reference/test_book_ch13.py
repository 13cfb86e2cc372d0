"""Chapter 13: constrained integration of pendula, and rotations in space by DI-2 and DI-3 with their corrections.

[N11] is the digest of chapters 11-14 of Nikravesh, with its oracles O-9 to O-18 and problems 13.2 to 13.8.
"""

from __future__ import annotations

import math

import numpy as np
import pytest

import pytrammel as tm
from pytrammel.analysis.runs.rotations import HOLDINGS
from verification.cases.book.haug import SPHERE, on_a_sphere
from verification.cases.book.space import THRUST

QUIET = {"progress": False}
TIGHT = {"rtol": 1e-12, "atol": 1e-14, **QUIET}
STATES = [
    (rotations, held) for rotations in ("velocities", "rates") for held in HOLDINGS if (rotations, held) != ("velocities", "velocity")
]  # fmt: skip


def box() -> tm.SpatialModel:
    """[N11] O-10, problem 13.2: a corner thruster of 12 N along the box's own zeta axis."""
    m = tm.SpatialModel("box", gravity=(0, 0, 0))
    J = 50 / 12 * np.array([0.4**2 + 0.2**2, 0.6**2 + 0.2**2, 0.6**2 + 0.4**2])
    b = m.body("b", position=(0, 5, 4), mass=50.0, inertia=J)
    m.force("thrust", b.at(0.3, 0.2, 0.1), (0, 0, 12.0), frame="body")
    return m


def free(inertia, omega) -> tm.SpatialModel:
    m = tm.SpatialModel("free", gravity=(0, 0, 0))
    m.body("b", mass=1.0, inertia=inertia, omega=omega)
    return m


def stepped(h: float, **options) -> tm.results.Result:
    """The box with RK4, every step kept, for the 5 s of the digest."""
    return box().simulate(5.0, samples=round(5 / h) + 1, method=tm.methods.rk4(step=h), **options, **QUIET)


# --- the motion is the same ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("formulation", ["I", "II", "III"])
@pytest.mark.parametrize(("rotations", "held"), STATES)
def test_a_box_under_a_follower_force_moves_as_in_problem_13_2(rotations, held, formulation):
    options = {"formulation": tm.formulations[formulation](rotations=rotations, normalize=held)}
    r = box().simulate(times=[0.0, *THRUST], **options, **TIGHT)
    for k, (place, _, w) in enumerate(THRUST.values(), start=1):
        np.testing.assert_allclose(r["b"].position[k], place, atol=1e-9)
        np.testing.assert_allclose(r["b"].omega_body[k], w, atol=1e-8)


@pytest.mark.parametrize(("rotations", "held"), STATES)
def test_a_symmetric_top_without_torque_and_a_tumbling_body(rotations, held):
    options = {"formulation": tm.formulations.cartesian(rotations=rotations, normalize=held), **TIGHT}
    top = free((1, 1, 2), (0.1, 0, 1)).simulate(times=[0.0, 3.0], **options)["b"]  # O-11
    np.testing.assert_allclose(top.parameters[1], [0.0668274322, 0.0004853896, 0.0068446825, 0.9977409529], atol=1e-9)
    np.testing.assert_allclose(top.omega_body[1], [0.1 * math.cos(3), 0.1 * math.sin(3), 1], atol=1e-9)
    r = free((1, 2, 3), (0.01, 1, 0.01)).simulate(times=[0.0, 10.0, 20.0], **options)  # O-12
    np.testing.assert_allclose(r["b"].omega_body[1], [-0.8745734379, 0.4849961873, 0.5050012205], atol=1e-8)
    # errors grow like exp(t / sqrt 3) about the middle axis: ten digits at 10 s leave seven at 20 s
    np.testing.assert_allclose(r["b"].omega_body[2], [-0.005813837, -1.0000330991, 0.008827999], atol=1e-7)
    np.testing.assert_allclose(2 * r.energy.kinetic, 2.0004, rtol=1e-9)
    np.testing.assert_allclose((r["b"].spin_momentum ** 2).sum(axis=1), 4.001, rtol=1e-9)


@pytest.mark.parametrize("formulation", ["I", "II", "III"])
@pytest.mark.parametrize("held", HOLDINGS)
def test_a_constrained_body_with_rates_as_state(held, formulation):
    """[H] 11.6: p'' from 11.3.29 (A30) or from the form in angular velocities by 11.3.21 (A31); numbers of example 11.1.1 in the manual."""
    options = {"formulation": tm.formulations[formulation](rotations="rates", normalize=held)}
    r = on_a_sphere("link").simulate(times=list(SPHERE), **options, **TIGHT)
    d = r.point("P").position
    for k, (place, p, w, multiplier) in enumerate(SPHERE.values()):
        np.testing.assert_allclose(r["b"].position[k], place, atol=1e-8)
        np.testing.assert_allclose(r["b"].omega_body[k], w, atol=1e-8)
        got = r["b"].parameters[k]
        np.testing.assert_allclose(got * np.sign(got @ p), p, atol=1e-8)
        np.testing.assert_allclose(r.reaction("hold", on="b").force[k], -2 * multiplier * d[k], atol=1e-7)


# --- lengths: problems 13.2 to 13.6 ----------------------------------------------------------------------------------------

DRIFT = {  # [N11] O-10: |p'p - 1| at 5 s, uncorrected, RK4, h = .1, .05, .025
    ("rates", "I"): (4.6e-2, 1.3e-3, 4.6e-5),
    ("velocities", "III"): (1.8e-2, 5.9e-4, 1.9e-5),
}


@pytest.mark.filterwarnings("ignore::pytrammel.RunWarning")  # h = .1 is coarse: energy is lost
@pytest.mark.parametrize(("rotations", "formulation"), DRIFT)
def test_uncorrected_lengths_drift_as_the_digest_says(rotations, formulation):
    options = {"formulation": tm.formulations[formulation](rotations=rotations, normalize="none")}
    drifts = [abs(stepped(h, **options)["b"].norm_error[-1]) for h in (0.1, 0.05, 0.025)]
    np.testing.assert_allclose(drifts, DRIFT[rotations, formulation], rtol=0.04)  # two digits are given
    order = math.log2(drifts[1] / drifts[2])
    assert order == pytest.approx(5.0, abs=0.3)


ROUNDING = 2e-15


@pytest.mark.parametrize("formulation", ["I", "III"])
@pytest.mark.parametrize(
    ("held", "length", "rate"),
    [("none", True, True), ("position", False, True), ("velocity", True, False), ("corrected", False, False),
     ("baumgarte", True, True), ("partitioning", False, False)],
)  # fmt: skip
def test_each_correction_puts_right_what_it_says(held, length, rate, formulation):
    """Problems 13.2 to 13.6: p'p - 1 and p.p' for each method of correction; what is not put right shows."""
    r = stepped(0.025, formulation=tm.formulations[formulation](rotations="rates", normalize=held))["b"]
    assert (np.abs(r.norm_error).max() > ROUNDING) == length
    assert (np.abs(r.norm_rate).max() > ROUNDING) == rate
    assert np.abs(r.norm_error).max() < 1e-3
    assert np.abs(np.linalg.norm(r.parameters, axis=1) - 1).max() < ROUNDING  # what is told has length one


def test_angular_velocities_leave_nothing_to_correct_in_the_rate():
    """Problem 13.7."""
    r = stepped(0.05, formulation=tm.formulations.cartesian(normalize="none"))["b"]
    assert np.abs(r.norm_error).max() > 1e-4
    assert not r.norm_rate.any()


def test_the_length_as_a_stabilised_row_is_held_where_it_drifts_otherwise():
    """Problem 13.4 on a long run: uncorrected the length leaves without end, stabilised it stays."""
    far = {"method": tm.methods.rk4(step=0.02), "samples": 3, **QUIET}
    rates = tm.formulations.I(rotations="rates")
    m = free((1, 2, 3), (3.0, 4.0, 2.0))
    left = m.simulate(40.0, formulation=rates(normalize="none"), **far)["b"].norm_error
    held = m.simulate(40.0, formulation=rates(normalize="baumgarte", alpha=5.0, beta=5.0), **far)["b"].norm_error
    assert abs(left[2]) > 1.8 * abs(left[1]) > 1e-4  # grows like t or faster
    assert np.abs(held[1:]).max() < 0.02 * abs(left[2])


@pytest.mark.parametrize("rotations", ["velocities", "rates"])
def test_the_dependent_parameter_is_switched_before_it_vanishes(rotations):
    """Problem 13.5: a body that spins about x has p = (cos wt/2, sin wt/2, 0, 0); e0 cannot follow from the others where it is zero."""
    w, h = 4.0, 0.01
    r = free((1, 2, 3), (w, 0, 0)).simulate(
        3.0,
        samples=301,
        method=tm.methods.rk4(step=h),
        formulation=tm.formulations.cartesian(rotations=rotations, normalize="partitioning"),
        **QUIET,
    )
    half = 0.5 * w * r.times
    # 300 steps of RK4 are each wrong by (wh/2)^5/120 = 3e-11, which rates add up twice
    np.testing.assert_allclose(r["b"].parameters[:, :2], np.column_stack([np.cos(half), np.sin(half)]), atol=2e-7)
    assert np.abs(r["b"].norm_error).max() < ROUNDING
    switched = r.dynamics.statistics.dependent_parameters
    names = [name for _, (name,) in switched]
    assert f"chosen anew {len(names) - 1} times" in r.summary()
    assert names == (["b.e0", "b.e1"] * 4)[: len(names)]
    # e0 gives way where it is below 0.8 e1, at the end of that step, and so on every half turn
    due = [0.0, *(2 / w * (math.atan(1 / 0.8) + k * math.pi / 2) for k in range(len(names) - 1))]
    assert len(names) == 1 + sum(2 / w * (math.atan(1 / 0.8) + k * math.pi / 2) < 3.0 for k in range(99))
    for (time, _), earliest in zip(switched[1:], due[1:], strict=True):
        assert earliest - 1e-12 <= time <= earliest + h + 1e-12


def test_a_body_that_turns_too_far_in_a_step_stops_the_run_with_its_name():
    with pytest.raises(
        tm.ConvergenceError, match=r"body 'b' turns so far within one step that its Euler parameter e\d"
    ):
        stepped(0.1, formulation=tm.formulations.cartesian(rotations="rates", normalize="partitioning"))


# --- pendula: DI-4, CS-1, CP and those that replace them -------------------------------------------------------------------

HOLDING = [name for name in tm.enforcement if name != "penalty"]  # a penalty yields a little


def double_pendulum() -> tm.PlanarModel:
    """[N11] O-18: uniform rods, m = 2, 1.5, l = 1, .8; relative angles .3, -.7 with rates 1.2, -.4."""
    m = tm.PlanarModel("double pendulum")
    joint = np.zeros(2)
    for name, mass, length, angle, spin in (("one", 2.0, 1.0, 0.3, 1.2), ("two", 1.5, 0.8, -0.4, 0.8)):
        half = 0.5 * length * np.array([math.cos(angle), math.sin(angle)])
        m.body(name, position=joint + half, angle=angle, omega=spin, mass=mass, inertia=mass * length**2 / 12)
        joint = joint + 2 * half
    m.revolute("O", m.ground.at(0.0, 0.0), m["one"].at(-0.5, 0.0))
    m.revolute("A", m["one"].at(0.5, 0.0), m["two"].at(-0.4, 0.0))
    return m


O18 = {0.5: (-0.47259961, 0.51615919, -4.203347, 4.76152077), 1.0: (-2.29613596, -0.48339107, -5.14416027, 5.58468196),
       2.0: (-1.95370429, -0.803464, 2.88512158, 5.92271778)}  # fmt: skip


@pytest.mark.parametrize("treatment", HOLDING)
def test_the_double_pendulum_of_the_digest_under_every_treatment(treatment):
    hold = ["one.phi", "two.phi", "one.omega", "two.omega"]
    r = double_pendulum().simulate(
        times=[0.0, *O18], constraints=treatment, initial=tm.InitialConditions(hold=hold), **TIGHT
    )
    np.testing.assert_allclose(r.q[0], [0.47766824, 0.1477601, 0.3, 1.32376089, 0.13975287, -0.4], atol=6e-9)
    np.testing.assert_allclose(r.v[0], [-0.17731212, 0.57320189, 1.2, -0.23001038, 1.44114331, 0.8], atol=6e-9)
    want = [0.94793986, -5.50081348, -11.07052644, 1.76501807, -10.65375314, 0.6736327]
    np.testing.assert_allclose(r.a[0], want, atol=6e-9)
    np.testing.assert_allclose(r.reaction("O", on="one").force[0], [4.54340683, 7.35274334], atol=6e-9)
    np.testing.assert_allclose(r.reaction("A", on="one").force[0], [-2.64752711, 1.26562971], atol=6e-9)
    np.testing.assert_allclose(r.energy.total, 7.0584658054, atol=1e-8)
    one, two = r["one"], r["two"]
    for k, angles in enumerate(O18.values(), start=1):
        found = (one.phi[k], two.phi[k] - one.phi[k], one.omega[k], two.omega[k] - one.omega[k])
        np.testing.assert_allclose(found, angles, atol=1e-6)
