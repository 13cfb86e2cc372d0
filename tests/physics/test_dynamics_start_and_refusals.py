"""Consistent starts, redundant constraints, and what a simulation refuses."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import settings
from hypothesis import strategies as st

import pytrammel as tm
from dynamic_models import (
    double_parallel_crank,
    four_bar_release,
    imbalance,
    pendulum,
    place,
)

few = settings(max_examples=12, deadline=None, derandomize=True)
seeds = st.integers(0, 10**6)
QUIET = {"progress": False}
TIGHT = {"rtol": 1e-11, "atol": 1e-13, **QUIET}

# --- the start -----------------------------------------------------------------------------------------------------------------


def test_contradicting_velocities_are_corrected_and_reported() -> None:
    m = four_bar_release(spin=2.0).copy(changes={"coupler": {"omega": 7.0}})  # the crank makes it turn at another speed
    with pytest.warns(tm.RunWarning, match=r"crank.omega was given as 2 and.*coupler.omega was given as 7 and.*hold="):
        found = m.simulate(0.0)
    assert any("velocity of coupler.phi changed from 7" in line for line in found.dynamics.changed)
    assert [w.kind for w in found.warnings] == ["start"]

    def speed(p: Any) -> complex:
        if p.body == "ground":
            return 0j
        b = found[p.body]
        return complex(*b.velocity[0]) + 1j * b.omega[0] * (
            place(found, p.body, p.xi, p.eta)[0] - complex(*b.position[0])
        )

    for joint in m.constraints.values():
        assert abs(speed(joint.parameters["first"]) - speed(joint.parameters["second"])) < 1e-13


def test_a_consistent_start_is_left_alone() -> None:
    found = pendulum(0.3, spin=2.0).simulate(0.0)
    assert found.dynamics.changed == ()
    assert found["rod"].omega[0] == pytest.approx(2.0, abs=1e-14)


def test_a_held_velocity_stays_as_given() -> None:
    m = four_bar_release(spin=2.0).copy(changes={"coupler": {"omega": 7.0}})
    with pytest.warns(tm.RunWarning, match=r"coupler.omega was given as 7 and starts at"):
        found = m.simulate(0.0, initial=tm.InitialConditions(hold=["crank.omega"]))
    assert found["crank"].omega[0] == pytest.approx(2.0, abs=1e-9)
    assert not any("crank.phi" in line for line in found.dynamics.changed)


def test_a_held_coordinate_stays_as_given_while_the_rest_closes() -> None:
    m = four_bar_release().copy(changes={"coupler": {"angle": 0.2}, "rocker": {"angle": 2.0, "position": (0.8, 0.4)}})
    found = m.simulate(0.0, initial=tm.InitialConditions(hold=["crank.phi"]))
    assert found["crank"].phi[0] == pytest.approx(math.pi / 3, abs=1e-9)
    assert any("rocker.phi" in line for line in found.dynamics.changed)


def test_a_hold_that_the_joints_do_not_allow_is_refused() -> None:
    # the joints close without the holds
    m = four_bar_release().copy(changes={"rocker": {"angle": -1.5}})
    m.simulate(0.0)
    with pytest.raises(tm.AssemblyError):
        m.simulate(0.0, initial=tm.InitialConditions(hold=["rocker.phi", "crank.phi"]))


def test_the_refusal_of_a_hold_names_it() -> None:
    m = four_bar_release().copy(changes={"rocker": {"angle": -1.5}})
    with pytest.raises(tm.AssemblyError, match=r"held"):
        m.simulate(0.0, initial=tm.InitialConditions(hold=["rocker.phi", "crank.phi"]))


def test_a_held_velocity_that_the_joints_do_not_allow_is_refused() -> None:
    m = four_bar_release(spin=2.0).copy(changes={"rocker": {"omega": 0.0}})
    with pytest.raises(tm.AssemblyError, match="held"):
        m.simulate(0.0, initial=tm.InitialConditions(hold=["crank.omega", "rocker.omega"]))


def test_an_unknown_coordinate_to_hold_is_named() -> None:
    with pytest.raises(tm.ModelError, match=r"crank\.psi"):
        four_bar_release().simulate(0.0, initial=tm.InitialConditions(hold=["crank.psi"]))


STICKING: dict[str, Callable[[tm.PlanarModel], object]] = {
    "joint friction": lambda m: m.joint_friction("f", "A", friction=0.3, radius=0.02, stick=True),
    "stick and slip": lambda m: m.stick_slip("f", "A.angle", normal=0.1, friction=0.3),
    "bristles": lambda m: m.stick_slip("f", "A.angle", normal=0.1, friction=0.3, bristle_stiffness=1e4),
    "a rigid contact": lambda m: m.contact_line(
        "c",
        "arm",
        "ground",
        radius=0.1,
        at=(0, -3),
        axis=(1, 0),
        law="rigid",
        restitution=0.2,
        friction=0.3,
        stick=True,
    ),
}


@pytest.mark.parametrize("kind", STICKING)
def test_a_start_is_met_where_forces_bring_rows_into_play(kind: str) -> None:
    m = tm.PlanarModel("pendulum")
    m.body("arm", position=(0.5, 0.0), mass=1.0, inertia=0.1)
    m.revolute("A", "ground", "arm", at=(0, 0))
    STICKING[kind](m)
    r = m.simulate(1e-3, samples=2, initial={"A.angle": 0.7, "A.angle.rate": 1.2})
    assert (r["A.angle"][0], r["A.angle.rate"][0]) == (pytest.approx(0.7), pytest.approx(1.2))


def test_the_start_of_a_driven_model_takes_the_velocity_of_the_driver() -> None:
    m = four_bar_release()
    m.driver("motor", m["crank"].phi, f"{math.pi / 3!r} + 5*t")
    found = m.simulate(0.0)
    assert found["crank"].omega[0] == pytest.approx(5.0, abs=1e-12)
    assert found.dynamics.changed == ()  # nothing else was asked for


def test_an_uncorrected_start_is_taken_as_drawn() -> None:
    m = four_bar_release().copy(changes={"rocker": {"angle": 2.0, "omega": 1.0}})
    found = m.simulate(0.0, initial=tm.InitialConditions(correct=False))
    assert found["rocker"].phi[0] == 2.0
    assert found["rocker"].omega[0] == 1.0
    assert found.dynamics.changed == ()


# --- redundant constraints ------------------------------------------------------------------------------------------------------


def test_a_redundant_crank_is_named_and_the_motion_is_right() -> None:
    m = double_parallel_crank()
    found = m.simulate(1.0, samples=21, rtol=1e-10, atol=1e-12, **QUIET)
    assert len(found.redundant) == 1
    assert set(found.redundant) <= {f"{k}{i}" for k in "gt" for i in range(3)}
    assert np.abs(found.energy.balance).max() < 1e-7
    # one pendulum: (3/3 + 3) phi'' = -(3/2 + 3) g cos phi; energy gives its speed at every angle
    phi, omega = found["c0"].phi, found["c0"].omega
    assert 2.0 * omega**2 == pytest.approx(4.5 * 9.81 * (math.sin(math.pi / 3) - np.sin(phi)), abs=1e-7)
    for k in (1, 2):
        assert found[f"c{k}"].phi == pytest.approx(phi, abs=1e-9)


def test_reactions_of_a_redundant_mechanism_still_balance() -> None:
    m = double_parallel_crank()
    found = m.simulate(0.5, samples=6, **QUIET)
    for body in list(m.bodies)[1:]:
        s = found[body]
        weight = m[body].mass * complex(*m.gravity) * np.ones(len(found))
        force, moment, size = imbalance(found, body, [(weight, s.x + 1j * s.y, np.zeros(len(found)))])
        assert np.abs(force).max() < 1e-10 * size
        assert np.abs(moment).max() < 1e-10 * size


def test_redundant_supports_share_the_load_alike() -> None:
    """A block on three equal vertical supports that slides sideways: by symmetry each carries a third of its weight."""
    m = tm.PlanarModel("three supports")
    block = m.body("block", mass=3.0, inertia=1.0, velocity=(1.0, 0.0))
    for name, x in (("a", -1.0), ("b", 0.0), ("c", 1.0)):
        m.constrain(name, block.at(x, 0.0).y)
    found = m.simulate(1.0, samples=3, **QUIET)
    assert found.redundant == ("c",)
    for name in "abc":
        np.testing.assert_allclose(found.effort(name), 9.81, atol=1e-10)  # rounding of 30 N
    np.testing.assert_allclose(found["block"].x, found.times, atol=1e-12)


# --- what is refused ---------------------------------------------------------------------------------------------------------------


def test_a_missing_mass_is_named() -> None:
    m = tm.PlanarModel("no mass")
    m.body("rod")
    with pytest.raises(tm.ModelError, match=r"'rod' has no mass.*mass=.*massless"):
        m.simulate(1.0)


def test_a_missing_inertia_is_named() -> None:
    m = tm.PlanarModel("no inertia")
    m.body("rod", mass=1.0)
    with pytest.raises(tm.ModelError, match=r"'rod' has a mass but no inertia"):
        m.simulate(1.0)


def test_a_massless_body_that_nothing_holds_is_refused() -> None:
    m = tm.PlanarModel("ghost")
    m.body("real", mass=1.0, inertia=1.0)
    m.body("ghost", massless=True)
    m.force("push", "ghost", (1.0, 0.0))
    with pytest.raises(tm.TrammelError, match="mass"):
        m.simulate(1.0, samples=5, **QUIET)


def test_a_massless_arm_that_swings_freely_is_refused() -> None:
    # 0 · alpha = couple has no solution
    m = tm.PlanarModel("weathercock")
    m.body("arm", massless=True)
    m.revolute("O", m.ground, "arm", at=(0, 0))
    m.torque("wind", "arm", 1.0)
    with pytest.raises(tm.TrammelError, match="no inertia"):
        m.simulate(1.0, samples=5, **QUIET)


def test_a_point_mass_that_is_turned_by_a_couple_is_refused() -> None:
    m = tm.PlanarModel("point")
    m.body("point", mass=1.0, inertia=0.0)
    m.torque("turn", "point", 1.0)
    with pytest.raises(tm.TrammelError, match=r"inertia|mass"):
        m.simulate(1.0, samples=5, **QUIET)


@pytest.mark.parametrize("method", ["dop853", "dopri5"])
def test_a_tolerance_below_rounding_is_reported_with_what_was_computed(method: str) -> None:
    with pytest.raises(tm.ConvergenceError, match="rtol") as caught:
        four_bar_release().simulate(10.0, samples=101, rtol=1e-17, atol=0.0, method=method, **QUIET)
    partial = caught.value.partial
    assert 1 <= len(partial) < 101
    assert partial.q[0] == pytest.approx(four_bar_release().simulate(0.0).q[0], abs=1e-12)


def test_too_many_steps_are_reported_with_what_was_computed() -> None:
    with pytest.raises(tm.ConvergenceError, match="max_steps") as caught:
        four_bar_release().simulate(10.0, samples=101, method=tm.methods.default(max_steps=100), progress=False)
    partial = caught.value.partial
    right = four_bar_release().simulate(10.0, samples=101)
    assert 1 < len(partial) < 101
    assert partial.q == pytest.approx(right.q[: len(partial)], abs=1e-12)


@pytest.mark.parametrize(
    ("options", "words"),
    [({"rtol": 0.0}, "rtol"), ({"method": "rk4"}, r"rk4\(step=\.\.\.\)"),
     ({"atol": -1.0}, "atol"), ({"method": "euler"}, "euler"), ({"constraints": "springs"}, "springs")],
)  # fmt: skip
def test_impossible_options_are_refused(options: dict[str, Any], words: str) -> None:
    with pytest.raises(tm.ModelError, match=words):
        four_bar_release().simulate(1.0, **options)
