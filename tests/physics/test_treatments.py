"""Every treatment of constraints, on mechanisms that tell them apart (digest of chapters 11-14, O-14, 2.7)."""

from __future__ import annotations

import math

import numpy as np
import pytest
from test_methods import closed_form, pendulum

import dynamic_models
import pytrammel as tm
import spatial_models

TREATMENTS = tm.enforcement
METHODS = {name: each for name, each in tm.methods.items() if each.back_end is None}
EXACT = [name for name in TREATMENTS if name not in ("none", "penalty")]  # these hold joints to the tolerance

MECHANISMS = {
    "open": lambda: dynamic_models.chain([0.3, -0.4, 1.0]),
    "closed": lambda: dynamic_models.four_bar_release(spin=6.0),
    "redundant": dynamic_models.double_parallel_crank,
    "spatial": lambda: spatial_models.rssr(0.3),
}


def offered(method, treatment: str) -> bool:
    return method.treatments is None or treatment in method.treatments


@pytest.fixture(scope="module")
def truths():
    return {
        name: build().simulate(0.4, samples=3, rtol=1e-12, atol=1e-14, progress=False)
        for name, build in MECHANISMS.items()
    }


@pytest.mark.filterwarnings("ignore::pytrammel.errors.RunWarning")  # of rough methods
@pytest.mark.parametrize("mechanism", MECHANISMS)
@pytest.mark.parametrize("treatment", TREATMENTS)
def test_every_pair_of_treatment_and_method_finds_the_same_motion(treatment, mechanism, truths):
    truth = truths[mechanism]
    speed = np.abs(truth.v).max()
    for name, method in METHODS.items():
        # over 0.4 s at up to 18 rad/s. Fixed steps: a constant times h^order, down to what penalties yield. Error control: what
        # some 30 steps of 1e-6 add up to, with multistep methods 100, with order 2 1000
        options = {"method": tm.methods[name](step=2e-3)} if method.fixed else {"method": name, "rtol": 1e-6}
        if method.fixed:
            allowed = {1: 0.1, 2: 4e-3, 3: 3e-4, 4: 5e-5, 5: 5e-6}.get(method.order, 2e-6)
        else:
            allowed = {"trbdf2": 2e-4, "bdf": 4e-5, "adams": 4e-5}.get(name, 1e-5)
        m = MECHANISMS[mechanism]()
        if not offered(method, treatment):
            with pytest.raises(tm.ModelError, match=r"does not go with constraints='.*; use '"):
                m.simulate(0.4, constraints=treatment, progress=False, **options)
            continue
        r = m.simulate(0.4, samples=3, constraints=treatment, progress=False, **options)
        assert np.abs(r.q - truth.q).max() < allowed, name
        assert np.abs(r.v - truth.v).max() < allowed * speed, name


@pytest.mark.parametrize("mechanism", MECHANISMS)
@pytest.mark.parametrize("treatment", EXACT)
def test_treatments_agree_to_the_tolerance_in_motion_and_reactions(treatment, mechanism, truths):
    truth = truths[mechanism]
    r = MECHANISMS[mechanism]().simulate(0.4, samples=3, constraints=treatment, progress=False)
    # some 60 steps of rtol = 1e-8, positions against sizes up to 4 m
    assert np.abs(r.q - truth.q).max() < 1e-6
    loads = truth.dynamics.multipliers
    assert np.abs(r.dynamics.multipliers - loads).max() < 1e-6 * np.abs(loads).max()


# --- O-14: the pendulum with fixed steps of 0.02 s for 10 s ---------------------------------------------------------------


def swing(treatment: str, **options) -> tuple[float, tm.results.Result]:
    r = pendulum().simulate(
        times=[0.0, 10.0],
        method=tm.methods.rk4(step=0.02),
        constraints=tm.enforcement[treatment](**options),
        progress=False,
    )
    return float(r["bob"].phi[-1] - closed_form(10.0)[0]), r


@pytest.mark.filterwarnings("ignore:the joints come apart")
def test_direct_integration_drifts_and_partitioning_has_its_angle_without_the_drift():
    error, r = swing("none")
    assert r.dynamics.statistics.position_violation == pytest.approx(3.07e-5, rel=0.01)
    assert error == pytest.approx(-1.0e-6, rel=0.02)
    same, closed = swing("partitioning", coordinates=["bob.phi"])
    assert same == pytest.approx(error, rel=1e-6)
    assert closed.constraint_violation() < 1e-14


@pytest.mark.parametrize(("gain", "violation"), [(1.0, 6.7e-7), (5.0, 9.6e-7), (10.0, 4.1e-6)])
def test_stabilisation_holds_the_pendulum_as_the_digest_says(gain, violation):
    _, r = swing("baumgarte", alpha=gain, beta=gain)
    assert r.dynamics.statistics.position_violation == pytest.approx(violation, rel=0.02)


@pytest.mark.filterwarnings("ignore:the joints come apart")
def test_gains_near_one_over_the_step_are_warned_of():
    with pytest.warns(tm.RunWarning, match=r"alpha = 50 and beta = 50 1/s are near 1 / step = 50 1/s .* Use 5 1/s"):
        _, r = swing("baumgarte", alpha=50.0, beta=50.0)
    assert r.dynamics.statistics.position_violation == pytest.approx(1.6e-4, rel=0.04)  # digest: two digits


@pytest.mark.filterwarnings("ignore:the joints come apart")
@pytest.mark.parametrize("treatment", TREATMENTS)
def test_backward_differences_solve_every_treatment_with_coarse_steps(treatment):
    # what stabilises, 5 1/s, is no small part of what changes in a step of 0.02 s
    r = pendulum().simulate(2.0, method=tm.methods.bdf4(step=0.02), constraints=treatment, progress=False)
    assert r["bob"].phi[-1] == pytest.approx(closed_form(2.0)[0], abs=2e-3)


def test_the_hybrid_keeps_the_joints_closer_than_stabilisation_alone():
    error, r = swing("hybrid")
    assert abs(error) < 1e-5
    assert r.constraint_violation() < 1e-8 < swing("baumgarte")[1].constraint_violation()


# --- partitioning ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("way", tm.textbook.linear.METHODS)
def test_a_bob_on_a_link_changes_its_independent_coordinate_every_quarter(way):
    m = dynamic_models.simple_pendulum(kind="link")  # released at (-1, 0); x² + y² = 1 leaves x or y
    truth = m.simulate(5.0, samples=11, rtol=1e-12, atol=1e-14, progress=False)
    r = m.simulate(5.0, samples=11, constraints=tm.enforcement.partitioning(method=way), progress=False)
    assert np.abs(r.q - truth.q).max() < 1e-6
    partitions = r.dynamics.statistics.partitions
    assert len(partitions) > 5
    assert all(set(names) in ({"bob.x", "bob.phi"}, {"bob.y", "bob.phi"}) for _, names in partitions)
    assert "chosen anew" in r.summary()


def test_switching_keeps_the_order_of_a_method():
    m = dynamic_models.simple_pendulum(kind="link")
    truth = m.simulate(2.0, samples=3, rtol=1e-12, atol=1e-14, progress=False)
    errors = [
        np.abs(
            m.simulate(2.0, samples=3, constraints="partitioning", method=tm.methods.rk4(step=h), progress=False).q
            - truth.q
        ).max()
        for h in (0.01, 0.005)
    ]
    assert math.log2(errors[0] / errors[1]) == pytest.approx(4.0, abs=0.6)


def test_a_given_coordinate_that_ceases_to_determine_the_others_ends_the_run_with_its_name():
    m = dynamic_models.four_bar_release(spin=6.0)  # the rocker stands still where crank and coupler are in line
    for options in ({}, {"method": tm.methods.rk4(step=1e-3)}):
        with pytest.raises(
            tm.ConvergenceError, match=r"do not follow from 'rocker.phi' there: the partition is singular"
        ):
            m.simulate(
                2.0, constraints=tm.enforcement.partitioning(coordinates=["rocker.phi"]), progress=False, **options
            )
    given = m.simulate(
        1.0, samples=5, constraints=tm.enforcement.partitioning(coordinates=["crank.phi"]), progress=False
    )
    assert np.abs(given.q - m.simulate(1.0, samples=5, progress=False).q).max() < 1e-6


def test_units_do_not_change_the_choice():
    chosen = set()
    for scale in (1e-3, 1.0, 1e3):
        lengths = tuple(scale * length for length in (0.3, 0.9, 0.7, 1.0))
        m = dynamic_models.four_bar_release(lengths)
        r = m.simulate(times=[0.0], constraints="partitioning", progress=False)
        chosen.add(r.dynamics.statistics.partitions[0][1])
    assert len(chosen) == 1


@pytest.mark.parametrize(
    ("partition", "sentence"),
    [
        (["crank.phi", "rocker.phi"], r"2 independent columns named .* leave 1 independent"),
        (["O.angle", "crank.phi"], r"2 independent columns named"),
        (["O.angle", "O.angle"], r"names a column twice"),
        (["O.force"], r"partition: 'O.force' cannot be integrated by itself\. Name coordinates such as 'rocker.phi'"),
        (["tip.x"], r"partition: 'tip.x' cannot be integrated by itself.*such as a joint's angle"),
        (["crank.omega"], r"partition: 'crank.omega' cannot be integrated by itself"),
    ],
)
def test_partitions_that_cannot_be_are_refused(partition, sentence):
    with pytest.raises(tm.ModelError, match=sentence):
        dynamic_models.four_bar_release().simulate(
            1.0, constraints=tm.enforcement.partitioning(coordinates=partition), progress=False
        )


def test_an_unknown_way_to_choose_coordinates_is_refused():
    with pytest.raises(tm.ModelError, match=r"'partitioning': method is 'best'; use one of: 'gauss'"):
        tm.enforcement.partitioning(method="best")


def slide_and_swing() -> tm.PlanarModel:
    """A slider on an inclined guide with a pendulum on it: two freedoms."""
    m = tm.PlanarModel("slider and pendulum", gravity=(0.0, -9.81))
    m.body("slider", position=(0.3, 0.4), mass=2.0, inertia=0.1)
    m.body("rod", position=(0.8, 0.4), mass=1.0, inertia=0.1)
    m.prismatic("slide", "ground", "slider", at=(0.0, 0.0), axis=(0.6, 0.8))
    m.revolute("A", "slider", "rod", at=(0.3, 0.4))
    return m


def arm_in_space() -> tm.SpatialModel:
    """A turret, an arm that slides in a cylindrical joint, and a ball on its end: six freedoms."""
    m = tm.SpatialModel("arm", gravity=(0.0, 0.0, -9.81))
    inertia = (0.2, 0.3, 0.4)
    m.body("turret", position=(0.0, 0.0, 0.5), mass=3.0, inertia=inertia)
    m.body("arm", position=(0.5, 0.0, 1.0), mass=2.0, inertia=inertia)
    m.body("ball", position=(1.4, 0.0, 0.7), mass=1.0, inertia=inertia, omega=(1.0, 0.5, 2.0))
    m.revolute("turn", "ground", "turret", at=(0.0, 0.0, 0.0), axis=(0.0, 0.0, 1.0))
    m.cylindrical("arm_joint", "turret", "arm", at=(0.0, 0.0, 1.0), axis=(0.8, 0.6, 0.0))
    m.spherical("wrist", "arm", "ball", at=(1.0, 0.0, 1.0))
    m.spring("s", m["turret"], m["arm"], stiffness=300.0)
    return m


NAMED = {
    "angles of a chain": (MECHANISMS["open"], None),
    "closed, crank's joint": (MECHANISMS["closed"], ["O.angle"]),
    "closed, coupler's joint": (MECHANISMS["closed"], ["A.angle"]),
    "closed, body's angle": (MECHANISMS["closed"], ["crank.angle"]),
    "redundant": (MECHANISMS["redundant"], ["g1.angle"]),
    "space, joint angle": (MECHANISMS["spatial"], ["A.angle"]),
    "space, turn of the body": (MECHANISMS["spatial"], ["crank.rz"]),
    "slide and angle": (slide_and_swing, ["slide.distance", "A.angle"]),
    "slide and coordinate": (slide_and_swing, ["slide.distance", "rod.phi"]),
    "joints of a robot": (
        arm_in_space,
        ["turn.angle", "arm_joint.angle", "arm_joint.distance", "ball.orientation"],
    ),
    "joints and turns": (arm_in_space, ["turn.angle", "arm.rx", "arm.x", "ball.rx", "ball.ry", "ball.rz"]),
}


@pytest.mark.parametrize("case", NAMED)
@pytest.mark.parametrize("treatment", ["partitioning", "hybrid"])
def test_joint_angles_displacements_and_turns_can_be_the_independent_coordinates(case, treatment):
    build, named = NAMED[case]
    m = build()
    if named is None:
        named = [f"{joint}.angle" for joint in m.constraints]
    truth = m.simulate(0.4, samples=3, rtol=1e-12, atol=1e-14, progress=False)
    r = m.simulate(0.4, samples=3, constraints=tm.enforcement[treatment](coordinates=named), progress=False)
    # some 60 steps of rtol = 1e-8, positions against sizes up to 4 m
    assert np.abs(r.q - truth.q).max() < 1e-6
    assert len(r.dynamics.statistics.partitions) == 1
    assert len(r.dynamics.statistics.partitions[0][1]) == m.mobility().dof
    # in units of the row scales: rounding by Newton's method, or what the hybrid treatment leaves
    opened = r.dynamics.statistics.velocity_violation
    assert opened < (1e-12 if treatment == "partitioning" else 1e-6)


def test_a_joint_angle_in_space_is_integrated_through_many_turns():
    m = spatial_models.rssr(0.3)
    m.torque("M", "crank", (0.0, 0.0, 40.0))
    truth = m.simulate(1.5, samples=4, rtol=1e-11, progress=False)
    r = m.simulate(
        1.5, samples=4, rtol=1e-10, constraints=tm.enforcement.partitioning(coordinates=["A.angle"]), progress=False
    )
    assert np.ptp(truth.series("A.angle").value) > 4.0 * math.pi
    assert np.abs(r.q - truth.q).max() < 1e-6


def test_fixed_steps_in_a_joint_angle_keep_their_order():
    m = spatial_models.rssr(0.3)
    truth = m.simulate(0.4, samples=2, rtol=1e-12, progress=False).q[-1]
    off = [
        np.abs(
            m.simulate(
                0.4,
                samples=2,
                constraints=tm.enforcement.partitioning(coordinates=["A.angle"]),
                method=tm.methods.rk4(step=h),
                progress=False,
            ).q[-1]
            - truth
        ).max()
        for h in (0.02, 0.01)
    ]
    assert 10.0 < off[0] / off[1] < 25.0  # 2^4, with what higher powers of h add


def test_a_joint_angle_that_stops_to_determine_the_others_ends_the_run_with_its_name():
    m = dynamic_models.four_bar_release(spin=6.0)
    with pytest.raises(tm.ConvergenceError, match=r"do not follow from 'D.angle' there: the partition is singular"):
        m.simulate(2.0, constraints=tm.enforcement.partitioning(coordinates=["D.angle"]), progress=False)


def test_a_joint_angle_stays_independent_when_an_event_changes_a_number():
    m = dynamic_models.four_bar_release(spin=6.0)
    event = tm.Event("heavier", "t - 0.2", change={"crank": {"mass": 2.0}})
    runs = [
        m.simulate(0.4, samples=5, rtol=1e-10, events=[event], progress=False, **options)
        for options in ({}, {"constraints": tm.enforcement.partitioning(coordinates=["O.angle"])})
    ]
    assert np.abs(runs[0].q - runs[1].q).max() < 1e-6


def test_an_euler_parameter_alone_is_refused():
    with pytest.raises(tm.ModelError, match=r"'crank.e1' alone does not turn a body; name turns .*'crank.rx'"):
        spatial_models.rssr(0.3).simulate(
            1.0, constraints=tm.enforcement.partitioning(coordinates=["crank.e1"]), progress=False
        )


def test_without_constraints_all_coordinates_are_independent():
    m = tm.SpatialModel("stone", gravity=(0.0, 0.0, -9.81))
    m.body("stone", position=(0.0, 0.0, 1.0), mass=1.0, inertia=(0.1, 0.2, 0.3), omega=(1.0, 2.0, 3.0))
    r = m.simulate(0.5, samples=3, constraints="partitioning", progress=False)
    assert r["stone"].z[-1] == pytest.approx(1.0 - 0.5 * 9.81 * 0.25, abs=1e-9)
    assert len(r.dynamics.statistics.partitions[0][1]) == 6


def test_solvers_of_others_which_do_not_tell_when_steps_end_are_refused():
    with pytest.raises(tm.ModelError, match=r"does not go with constraints='partitioning'; use 'projection'"):
        pendulum().simulate(1.0, method="scipy_lsoda", constraints="partitioning", progress=False)


# --- penalties ------------------------------------------------------------------------------------------------------------


def test_joints_yield_by_their_load_over_the_penalty_and_not_at_all_with_multipliers(truths):
    truth = truths["closed"]
    off = {}
    for name, value in (("penalty", 1e6), ("penalty", 1e7), ("augmented", 1e6)):
        with pytest.warns(tm.RunWarning) if name == "penalty" else _quietly():
            r = MECHANISMS["closed"]().simulate(
                0.4, samples=3, constraints=tm.enforcement[name](factor=value), rtol=1e-10, progress=False
            )
        off[name, value] = np.abs(r.q - truth.q).max()
    assert off["penalty", 1e6] == pytest.approx(10.0 * off["penalty", 1e7], rel=0.1)
    assert off["augmented", 1e6] < 1e-4 * off["penalty", 1e6]


def _quietly():
    from contextlib import nullcontext

    return nullcontext()


@pytest.mark.parametrize("name", ["penalty", "augmented"])
def test_penalties_are_refused_where_they_would_tear_something_off(name):
    m = tm.PlanarModel("bead")
    bead = m.body("bead", position=(1.0, 0.0), mass=0.3, inertia=0.01)
    m.slot("slot", m.ground, bead.at(0.0, 0.0), curve=tm.curves.circle(1.0))
    with pytest.raises(
        tm.ModelError, match=rf"constraints='{name}' cannot be had here: a coordinate without mass.*'baumgarte'"
    ):
        m.simulate(1.0, constraints=name, progress=False)
    with pytest.raises(tm.ModelError, match=r"formulation 'III' only, not for 'I'"):
        spatial_models.rssr(0.3).simulate(1.0, constraints=name, formulation="I", progress=False)


def test_a_penalty_too_small_for_its_multipliers_says_so():
    with pytest.raises(tm.ConvergenceError, match=r"do not settle within 100 passes; raise penalty = 0.01"):
        pendulum().simulate(1.0, constraints=tm.enforcement.augmented(factor=0.01), progress=False)


# --- options --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("option", [{"alpha": 3.0}, {"method": "qr"}, {"factor": 1e6}])
@pytest.mark.parametrize("treatment", TREATMENTS)
def test_options_that_a_treatment_does_not_take_are_refused(treatment, option):
    key = next(iter(option))
    if key in TREATMENTS[treatment].takes:
        pendulum().simulate(times=[0.0], constraints=tm.enforcement[treatment](**option), progress=False)
        return
    with pytest.raises(tm.ModelError, match=rf"constraints '{treatment}' has no option '{key}'; it takes"):
        tm.enforcement[treatment](**option)


def test_an_unknown_treatment_is_answered_with_the_known_ones():
    with pytest.raises(tm.ModelError, match=r"constraints 'magic' is not known; use one of: projection, baumgarte"):
        pendulum().simulate(1.0, constraints="magic")


@pytest.mark.parametrize("name", ["ggl", "index3", "rattle"])
def test_what_methods_do_by_themselves_is_no_treatment(name):
    with pytest.raises(
        tm.ModelError, match=rf"constraints='{name}' is part of some methods and is not combined.*method='\w*{name}'"
    ):
        pendulum().simulate(0.1, constraints=name, progress=False)
