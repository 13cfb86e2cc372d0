"""What starts from an equilibrium starts at rest, at the time of the equilibrium."""

from __future__ import annotations

import numpy as np
import pytest

import pytrammel as tm


def pendulum(kind):
    """A pendulum with starting velocities that an equilibrium has no use for, loaded from 1 s on."""
    if kind == "plane":
        m = tm.PlanarModel("pendulum")
        m.body("b", position=(0.1, -1), mass=1.0, inertia=0.1, velocity=(1.0, None), omega=2.0)
        m.revolute("A", m.ground, "b", at=(0, 0))
    else:
        m = tm.SpatialModel("pendulum", gravity=(0, 0, -9.81))
        m.body("b", position=(0.1, 0, -1), mass=1.0, inertia=0.1, velocity=(-2, 0, 0), omega=(0, 2.0, 0))
        m.revolute("A", m.ground, "b", at=(0, 0, 0), axis=(0, 1, 0))
    m.user_force("gust", "A.angle", "if(t < 1, 0, 3)")
    return m


@pytest.mark.parametrize("kind", ["plane", "space"])
@pytest.mark.parametrize("time", [0.0, 2.0])
def test_it_stays_where_it_rests(kind, time):
    rest = pendulum(kind).equilibrium(time=time)
    run = rest.simulate(0.9)
    assert run.times[0] == time
    assert np.abs(run["A.angle.rate"]).max() < 1e-7  # forces balance to 1e-11 of the weight
    assert np.ptp(run["A.angle"]) < 1e-7
    again = rest.model.simulate(times=[time, time + 0.9])
    assert np.abs(again["A.angle.rate"]).max() < 1e-7


def test_another_start_may_be_given():
    rest = pendulum("plane").equilibrium(time=2.0)
    assert rest.simulate(0.5, start_time=0.0, samples=2).times.tolist() == [0.0, 0.5]
    assert rest.simulate(times=[0.0, 0.1]).times.tolist() == [0.0, 0.1]
    run = rest.simulate(0.5, samples=2, initial={"A.angle.rate": 0.3})
    assert run["A.angle.rate"][0] == pytest.approx(0.3)


def test_a_rest_in_a_later_phase_cannot_start_a_run():
    m = tm.PlanarModel("held")
    m.body("b", mass=1.0, inertia=1.0)
    m.constrain("roof", "b.y")
    m.constrain("floor", "b.y")
    m.phase("above", active=["roof"])
    m.phase("below", active=["floor"])
    m.switch("change", "above", "below", when="t - 1", direction=1)
    rest = m.equilibrium(time=2.0)
    with pytest.raises(tm.ModelError, match=r"t = 2 s is one of phase 'below'.*starts in phase 'above'"):
        rest.simulate(1.0)
    assert m.equilibrium(time=0.5).simulate(0.1)["b.y"][-1] == 0.0
