"""Solvability of the equations of motion: kinetic energy along what joints allow, and independent constraints (Haug, section 11.3)."""

from __future__ import annotations

import numpy as np
import pytest

import pytrammel as tm
from pytrammel import inertia
from pytrammel.results.studies.matrices import Matrices, bordered


def equations(mass, rows):
    n, m = len(mass), len(rows)
    matrix, right = bordered(mass, rows, np.ones(n), np.ones(m))
    unknowns = tuple(f"x{k}" for k in range(n)) + tuple(f"l{k}" for k in range(m))
    bodies = tuple(f"x{k}" for k in range(n))
    return Matrices("random", "cartesian", 0.0, (), unknowns, unknowns, matrix, right, bodies, np.eye(n), np.zeros(n))


@pytest.mark.parametrize("seed", range(12))
def test_the_criterion_of_haug(seed):
    """Nonsingular exactly if the energy is positive on the null space of the rows and the rows are independent."""
    rng = np.random.default_rng(seed)
    n, m = 7, 3
    held, extra = int(rng.integers(3, n + 1)), int(rng.integers(0, 3))
    root = rng.normal(size=(n, held))
    mass = root @ root.T  # of rank `held`
    rows = rng.normal(size=(m, n))
    rows = np.vstack([rows, rng.normal(size=(extra, m)) @ rows])
    found = equations(mass, rows).solvability
    null = np.linalg.svd(rows)[2][m:].T
    energies = np.linalg.eigvalsh(null.T @ mass @ null)
    lost = int(np.sum(energies < 1e-10))
    assert found.idle.shape == (n, lost) and found.accelerations == (lost == 0)
    assert found.rank == n + m + extra - lost - extra
    assert bool(found.dependent) == (extra > 0) and found.multipliers == (extra == 0)
    if lost:
        assert np.linalg.matrix_rank(found.idle) == lost
        np.testing.assert_allclose(rows @ found.idle, 0, atol=1e-9)
        np.testing.assert_allclose(mass @ found.idle, 0, atol=1e-9)


def thin_rod():
    m = tm.SpatialModel("rod", gravity=(0, 0, -9.81))
    m.body("rod", position=(0, 0.5, 0), properties=inertia.thin_rod(1.0, mass=1.0))
    return m


@pytest.mark.parametrize("formulation", ["I", "II", "III", "cartesian"])
def test_a_thin_rod_on_a_ball_turns_about_itself_without_energy(formulation):
    m = thin_rod()
    m.spherical("S", m.ground, "rod", at=(0, 0, 0))
    found = m.matrices(formulation=formulation).solvability
    assert not found.accelerations and found.multipliers
    (motion,) = found.idle.T
    assert dict(zip(found.bodies, motion, strict=True))["rod.ry"] == pytest.approx(1.0)
    assert np.abs(np.delete(motion, found.bodies.index("rod.ry"))).max() < 1e-12
    assert "no kinetic energy along rod.ry" in str(found)


def test_joints_that_hold_a_thin_rod_make_a_singular_mass_matrix_solvable():
    m = thin_rod()
    m.universal("U", m.ground, "rod", at=(0, 0, 0), axis="x", second_axis="z")
    equations = m.matrices()
    assert np.linalg.matrix_rank(equations["M"].values) == 5
    assert str(equations.solvability) == "10 equations of rank 10: all unknowns are determined"


def test_constraints_that_depend_on_others_are_named():
    m = tm.PlanarModel("bar")
    m.body("bar", mass=1.0, inertia=0.1)
    m.revolute("A", m.ground, "bar", at=(0, 0))
    m.constrain("again", "bar.x")
    found = m.matrices().solvability
    assert found.accelerations and not found.multipliers
    assert {name.partition(" ")[2].partition(".")[0] for name in found.dependent} == {"A", "again"}
    assert "dependent constraints" in str(found)


def test_a_free_body_with_mass_needs_no_constraint():
    m = tm.PlanarModel("free")
    m.body("b", mass=1.0, inertia=0.1)
    found = m.matrices().solvability
    assert (found.rank, found.size, found.dependent) == (3, 3, ()) and found.accelerations
