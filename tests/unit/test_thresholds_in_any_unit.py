"""Limits of descriptions are relative: a fit or a symmetry in metres is one in millimetres and kilometres."""

from __future__ import annotations

import numpy as np
import pytest

import pytrammel as tm

UNITS = [1e-6, 1e-3, 1.0, 1e3, 1e6]


@pytest.mark.parametrize("unit", UNITS)
@pytest.mark.parametrize("key", ["stiffness", "rotational_stiffness", "damping", "rotational_damping"])
def test_matrices_of_bushings_are_symmetric_in_any_unit(unit: float, key: str) -> None:
    """Mirrored entries may differ by rounding, 1e-12 of the largest, but not by 1e-6 of it."""

    def described(skew: float, pushing: float) -> object:
        m = tm.SpatialModel("one")
        m.body("a", mass=1.0, inertia=(1.0, 1.0, 1.0))
        matrix = [[4.0, 1.0 + skew, 0.0], [1.0, 6.0, 0.5], [0.0, 0.5, 2.0 - pushing]]
        return m.bushing("B", "ground", "a", **{key: unit * np.array(matrix)})

    described(4e-12, 0.0)
    with pytest.raises(tm.ModelError, match="symmetric"):
        described(6e-6, 0.0)
    with pytest.raises(tm.ModelError, match="negative eigenvalue"):
        described(0.0, 2.0)  # the lowest of [[6, 0.5], [0.5, 0]] is -0.04


@pytest.mark.parametrize("unit", UNITS)
def test_gears_in_space_fit_in_any_unit(unit: float) -> None:
    def meshing(gap: float) -> object:
        m = tm.SpatialModel("two")
        for name, x in (("a", 0.0), ("b", gap)):
            m.body(name, mass=1.0, inertia=(1.0, 1.0, 1.0), position=(x * unit, 0.0, 0.0))
            m.revolute(name.upper(), "ground", name, at=(x * unit, 0.0, 0.0), axis=(0, 0, 1))
        return m.gear("G", "A", "B", radii=(0.2 * unit, 0.3 * unit))

    meshing(0.5 * (1 + 1e-7))
    for gap in (0.5 * 1.02, 0.5 * 0.98):
        with pytest.raises(tm.ModelError):
            meshing(gap)


@pytest.mark.parametrize("seed", range(4))
def test_parameters_of_any_rotation_begin_with_a_positive_number(seed: int) -> None:
    """Half turns and more about any axis: the matrix is met, and of both signs the one with a positive cosine is returned."""
    random = np.random.default_rng(seed)
    p = random.normal(size=(200, 4)) * [[0.1, 1, 1, 1]] if seed % 2 else random.normal(size=(200, 4))
    p /= np.linalg.norm(p, axis=1)[:, None]
    matrices = np.asarray(tm.rotations.matrix(p))
    found = np.asarray(tm.rotations.parameters(matrices))
    assert (found[:, 0] >= 0.0).all()
    assert found == pytest.approx(p * np.sign(p[:, :1]), abs=1e-12)


def test_a_torsion_spring_is_slack_at_the_drawn_difference() -> None:
    m = tm.PlanarModel("two")
    m.body("a", mass=1.0, inertia=1.0, position=(0.0, 0.0), angle=0.3)
    m.body("b", mass=1.0, inertia=1.0, position=(1.0, 0.0), angle=-0.5)
    spring = m.torsion_spring("S", first="a", second="b", stiffness=2.0)
    assert spring.parameters["free_angle"] == pytest.approx(-0.8, rel=1e-15)
