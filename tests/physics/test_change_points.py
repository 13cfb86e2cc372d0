"""Machines that run through change points: the error follows the tolerance, however many loops stretch out at once."""

from __future__ import annotations

import math
import warnings

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import dynamic_models as plane
import pytrammel as tm
from pytrammel.errors import RunWarning

TIMES = np.linspace(0.0, 10.0, 11)


def crank_angles(loops: int) -> np.ndarray:
    """Of n windows of rods of 1 m and 1 kg, which move as one pendulum: posts turn, beams move along."""
    inertia = (loops + 1) / 3 + loops
    push = 9.81 * ((loops + 1) / 2 + loops)
    found = solve_ivp(
        lambda t, y: [y[1], push / inertia * math.sin(y[0])],
        (0.0, 10.0),
        [0.0, 1.0],
        "DOP853",
        TIMES,
        rtol=1e-13,
        atol=1e-14,
    )
    return np.asarray(found.y[0])


@pytest.mark.parametrize("formulation", ["cartesian", "joint"])
@pytest.mark.parametrize("loops", [1, 2, 10, 40])
def test_the_error_falls_with_the_tolerance_although_all_loops_stretch_out_ten_times(loops, formulation):
    truth = crank_angles(loops)
    errors = []
    for rtol in (1e-6, 1e-8, 1e-10):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RunWarning)  # at 1e-10 a step over forty loops may be doubted
            k = plane.n_four_bar(loops).simulate(
                times=TIMES, rtol=rtol, atol=rtol, formulation=formulation, progress=False
            )
        errors.append(np.abs(np.pi / 2 - k["v0"].phi - truth).max())
    # ten change points in 10 s: between upright and back, errors grow a thousandfold
    assert errors[0] < 1e-3
    assert errors[1] < 0.1 * errors[0]
    assert errors[2] < 0.2 * errors[1]
    assert errors[2] < 3e-7  # forty loops in body coordinates; the others are a hundred times better


def test_stages_of_explicit_methods_are_put_onto_the_constraints_close_to_a_change_point():
    # with stages as they are, three steps over change points are doubted at this tolerance
    truth = crank_angles(1)
    for method in ("dop853", "dopri5"):
        k = plane.n_four_bar(1).simulate(times=TIMES, rtol=1e-9, atol=1e-9, method=method, progress=False)
        assert np.abs(np.pi / 2 - k["v0"].phi - truth).max() < 1e-6
        assert not k.warnings


def test_a_spatial_loop_of_the_same_kind_keeps_its_energy_through_change_points():
    m = tm.SpatialModel("parallelogram in space")
    rods = {}
    for name, start, end, velocity, spin in (
        ("left", (0, 0, 0), (0, 0, 1), (0.5, 0, 0), (0, 1, 0)),
        ("right", (1, 0, 0), (1, 0, 1), (0.5, 0, 0), (0, 1, 0)),
        ("beam", (0, 0, 1), (1, 0, 1), (1, 0, 0), (0, 0, 0)),
    ):
        along = np.subtract(end, start)
        # a thin rod of 1 m and 1 kg
        inertia = (1 - along**2) / 12 + 1e-6
        rods[name] = m.body(
            name,
            position=tuple(np.add(start, end) / 2),
            mass=1.0,
            inertia=tuple(inertia),
            velocity=velocity,
            omega=spin,
        )
    m.gravity = (0, 0, -9.81)
    m.revolute("A", m.ground, rods["left"], at=(0, 0, 0), axis=(0, 1, 0))
    m.revolute("B", m.ground, rods["right"], at=(1, 0, 0), axis=(0, 1, 0))
    m.revolute("C", rods["left"], rods["beam"], at=(0, 0, 1), axis=(0, 1, 0))
    m.spherical("D", rods["right"], rods["beam"], at=(1, 0, 1))
    k = m.simulate(times=TIMES[:6], rtol=1e-9, atol=1e-9, progress=False)
    fast = np.hypot(k["left"].vx, k["left"].vz) * 2
    inertia = 2 * (1 / 3 + 1e-6) + 1.0
    energy = 0.5 * inertia * fast**2 + 9.81 * 4 * (k["left"].z - 0.5)
    np.testing.assert_allclose(energy, energy[0], rtol=0, atol=1e-6)


@pytest.mark.parametrize("rocker", [1.0, 1.2, 1.5])
def test_kinematics_a_hairs_breadth_beside_a_change_point_comes_to_an_end(rocker):
    for away in (1e-4, -1e-5, 1e-6, -1e-6, 1e-7, 1e-8):
        m = tm.PlanarModel("four-bar")
        m.body("crank", angle=1.0)
        m.body("link", position=(math.cos(1.0), math.sin(1.0)))
        m.body("arm", position=(4, 0), angle=1.0)
        m.revolute("A", "ground", "crank", at=(0, 0))
        m.revolute("B", m["crank"].at(1, 0), m["link"].at(0, 0))
        m.revolute("C", m["link"].at(3 + rocker + away, 0), m["arm"].at(rocker + 0.5 * away, 0))
        m.revolute("D", "ground", "arm", at=(4, 0))
        m.driver("motor", "A.angle", "1 + 2*pi*t")
        try:
            assert m.kinematics(1.0, samples=25, progress=False).singularities or abs(away) > 1e-7
        except tm.SingularError as error:
            assert "reaches a dead point there" in str(error)
