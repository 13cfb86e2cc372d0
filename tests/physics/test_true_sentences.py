"""Sentences about runs that cannot go on name the true cause: a law, a change point."""

from __future__ import annotations

import math

import numpy as np
import pytest

import pytrammel as tm


def parallel_cranks(rng, count, angle=0.0):
    """Equal cranks at random places on the ground, all on one coupler; at 0 and 180° they lie flat: a change point."""
    m = tm.PlanarModel("cranks")
    length, places = rng.uniform(0.3, 2.0), np.sort(rng.uniform(0.0, 3.0, count))
    m.body("coupler", position=(length * math.cos(angle), length * math.sin(angle)))
    for k, x in enumerate(places):
        m.body(f"c{k}", position=(float(x), 0.0), angle=angle)
        m.revolute(f"A{k}", m.ground.at(float(x), 0.0), m[f"c{k}"].at(0.0, 0.0))
        m.revolute(f"B{k}", m[f"c{k}"].at(length, 0.0), m["coupler"].at(float(x), 0.0))
    m.driver("motor", "c0.phi", f"{angle!r} + t")
    return m


@pytest.mark.parametrize("count", [2, 3, 4, 5])
@pytest.mark.parametrize("angle", [0.0, math.pi])
@pytest.mark.parametrize("seed", range(3))
def test_cranks_drawn_at_a_change_point_are_not_short_of_a_driver(count, angle, seed):
    m = parallel_cranks(np.random.default_rng(seed), count, angle)
    with pytest.raises(tm.SingularError, match=r"singular position \(a change point"):
        m.kinematics(0.2, samples=3)
    assert "nearby the mechanism has 1 degree of freedom" in str(m.mobility())
    assert "nearby" not in str(parallel_cranks(np.random.default_rng(seed), count, 0.7).mobility())


def driven_crank(law, **given):
    m = tm.PlanarModel("crank")
    m.body("c", position=(0.5, 0.0), mass=1.0, inertia=0.1)
    m.revolute("A", "ground", "c", at=(0, 0))
    m.driver("motor", "c.phi", "t")
    m.user_force("u", "c.phi", law, **given)
    return m


@pytest.mark.parametrize("law", ["sqrt(0.55 - t)", "log(0.55 - t)", "1/max(0, 0.55 - t) - 1/max(0, 0.55 - t)"])
def test_a_law_that_gives_no_number_is_named_with_its_time_in_every_analysis(law):
    """At t = 0.6 s, the seventh of eleven instants, it has no value; the six before are handed over."""
    m = driven_crank(law)
    with pytest.raises(tm.ConvergenceError, match=r"force 'u\.force' of 'u' is not a number .*t = 0\.6 s") as stopped:
        m.inverse_dynamics(1.0, samples=11)
    assert len(stopped.value.partial) == 6
    assert np.isfinite(stopped.value.partial.effort("motor")).all()
    with pytest.raises(tm.ConvergenceError, match=r"force 'u\.force' of 'u' is not a number .*t = 0\.7 s"):
        m.statics(time=0.7)
    with pytest.raises(
        tm.ConvergenceError, match=r"stopped at t = 0\.5[45]\d* s: the force 'u\.force' of 'u' is not a number"
    ):
        m.simulate(1.0, samples=11)


def raises_late(t):
    if t > 0.55:
        raise ValueError("the table ends")
    return 1.0


def test_what_a_law_raises_is_said_in_every_analysis():
    m = driven_crank(raises_late, inputs=("t",))
    said = r"'u'.*raised ValueError: the table ends"
    with pytest.raises(tm.ConvergenceError, match=r"t = 0\.6 s.*" + said[3:]) as stopped:
        m.inverse_dynamics(1.0, samples=11)
    assert len(stopped.value.partial) == 6 and isinstance(stopped.value.__cause__, ValueError)
    with pytest.raises(tm.ConvergenceError, match=said):
        m.statics(time=0.7)
    with pytest.raises(tm.ConvergenceError, match=said) as stopped:
        m.simulate(1.0, samples=11)
    assert "singular" not in str(stopped.value)


def test_inverse_dynamics_claims_no_work_that_it_did_not_integrate():
    """Kinetic energy and gravity follow from the state; what was put in is not known, and no table pretends it is."""
    r = driven_crank("0.1").inverse_dynamics(1.0, samples=11)
    assert r.energy.kinetic == pytest.approx(0.5 * (0.1 + 0.25))
    assert np.isnan(r.energy.input).all() and np.isnan(r.energy.balance).all()
    assert [name for name in r._table_names() if name.startswith("energy.")] == ["energy.kinetic", "energy.gravity"]


# --- iterations that do not converge --------------------------------------------------------------------------------------------

ITERATING = [
    name
    for name, each in tm.methods.items()
    if each.back_end is None and (each.implicit or each.worst is not None or name.startswith("am"))
]


def two_arms(size):
    """Two arms; from 0.05 s on a moment that is no function of anything turns one of them, so that no iteration settles."""
    m = tm.PlanarModel("arms")
    for name, y in (("steady", 0), ("wild", -2)):
        arm = m.body(name, position=(1, y), mass=1.0, inertia=0.1)
        m.revolute(f"J_{name}", m.ground, arm, at=(0, y))
    calls = []

    def law(t, angle):
        calls.append(repr(angle))
        return 0.0 if t < 0.05 else size * (-1.0) ** len(calls) * (1.0 + 0.1 * (len(calls) % 7))

    m.user_force("noise", "J_wild.angle", law, inputs=["t", "J_wild.angle"])
    return m


@pytest.mark.parametrize("name", ITERATING)
def test_an_iteration_that_does_not_converge_names_method_equation_and_body(name):
    fixed = tm.methods[name].fixed
    method = tm.methods[name](step=0.01) if fixed else name
    with pytest.raises(tm.ConvergenceError, match=r"does not converge, worst in [^.]*'wild\.\w+'") as caught:
        two_arms(1e4 if fixed else 1e25).simulate(0.2, samples=21, method=method, progress=False)
    assert "steady" not in str(caught.value)
    assert 4 <= len(caught.value.partial) <= 7  # until the noise begins


@pytest.mark.parametrize("name", ["am4", "bdf3", "radau5"])
def test_in_joint_coordinates_the_joint_and_its_body_are_named(name):
    fixed = tm.methods[name].fixed
    method = tm.methods[name](step=0.01) if fixed else name
    with pytest.raises(tm.ConvergenceError, match=r"does not converge, worst in [^;]*'J_wild\.angle' of body 'wild'"):
        two_arms(1e4 if fixed else 1e25).simulate(0.2, samples=21, method=method, formulation="joint", progress=False)


@pytest.mark.parametrize(
    "name", [n for n in ITERATING if tm.methods[n].fixed and not tm.methods[n].own_constraints] + ["radau5"]
)
def test_an_iteration_on_plain_equations_names_the_equation(name):
    fixed = tm.methods[name].fixed
    calls = []

    def rates(t, y):
        calls.append(t)
        return [-y[0], (1e4 if fixed else 1e25) * (-1.0) ** len(calls) if t > 0.05 else 0.0]

    with pytest.raises(tm.ConvergenceError, match=r"does not converge, worst in the equation of y1"):
        tm.textbook.integrate(rates, [1.0, 0.0], duration=0.2, method=tm.methods[name](step=0.01) if fixed else name)


@pytest.mark.parametrize("name", ["euler", "rk4", "ab3"])
def test_a_fixed_step_that_is_far_too_long_is_told_so(name):
    """The model is regular where it stops: the step is to blame, not a singular position."""
    m = tm.PlanarModel("stiff pendulum")
    b = m.body("b", position=(1, 0), mass=1.0, inertia=0.1)
    m.revolute("A", m.ground, b, at=(0, 0))
    m.torsion_spring("S", first=m.ground, second=b, stiffness=1e7)
    with pytest.raises(tm.ConvergenceError, match=r"a step of 0\.01 s from there leads to .*; shorten the step"):
        m.simulate(10.0, method=tm.methods[name](step=0.01), progress=False)
