"""Recursive Newton–Euler: efforts of joints from a known motion, against inverse dynamics in body coordinates."""

from __future__ import annotations

import numpy as np
import pytest

import dynamic_models as plane
import pytrammel as tm
import spatial_models as space


def arm():
    m = tm.SpatialModel("arm", gravity=(0, 0, -9.81))
    m.body("table", position=(0.1, 0, 0.5), mass=3.0, inertia=(0.2, 0.3, 0.4))
    m.body("arm", position=(0.6, 0.05, 1.0), mass=1.2, inertia=(0.02, 0.09, 0.08), centroid=(0.02, 0.0, 0.01))
    m.body("slide", position=(1.2, 0, 1.0), mass=0.4, inertia=(0.01, 0.01, 0.01))
    m.revolute("A", "ground", "table", at=(0, 0, 0), axis="z")
    m.revolute("B", "table", "arm", at=(0.2, 0, 1.0), axis="y")
    m.prismatic("C", "arm", "slide", at=(1.0, 0, 1.0), axis="x")
    m.spring("s", m.ground.at(1.0, 1.0, 2.0), "slide", stiffness=30.0, free_length=0.5)
    m.driver("a", "A.angle", "0.5*sin(3*t)")
    m.driver("b", "B.angle", "0.4*sin(2*t)")
    m.driver("c", "C.distance", "0.1*sin(5*t)")
    return m


def test_efforts_along_joints_are_those_of_the_drivers():
    m = arm()
    r = m.inverse_dynamics(1.0, samples=7, progress=False)
    found = tm.textbook.joint_efforts(r)
    assert len(found) == 3
    for driver, effort in zip("abc", found.values(), strict=True):
        assert effort == pytest.approx(r.effort(driver), rel=1e-9, abs=1e-9)


@pytest.mark.parametrize(
    "build", [lambda: plane.chain([0.3, 1.0, 0.2]), lambda: space.chain(3), lambda: space.heavy_top((1.0, 0.5, 20.0))]
)
def test_nothing_acts_along_the_joints_of_a_free_motion(build):
    r = build().simulate(0.3, samples=4, rtol=1e-10, progress=False)
    found = tm.textbook.joint_efforts(r)
    assert found
    # against moments of the weights, which are of the order of 10
    assert max(np.abs(effort).max() for effort in found.values()) < 1e-9


def test_loops_and_motions_without_forces_are_refused():
    with pytest.raises(tm.ModelError, match="is no open chain or tree"):
        tm.textbook.joint_efforts(plane.n_four_bar(1).simulate(0.01, samples=2, progress=False))
    with pytest.raises(tm.ModelError, match="no forces"):
        tm.textbook.joint_efforts(arm().kinematics(0.1, samples=2))
    with pytest.raises(tm.ModelError, match="result must be a Result, but it is 3"):
        tm.textbook.joint_efforts(3)
