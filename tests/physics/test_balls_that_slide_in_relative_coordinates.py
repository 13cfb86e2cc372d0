"""A ball whose centre slides on a line or plane: relative coordinates move as body coordinates do, however the body is turned."""

from __future__ import annotations

import numpy as np
import pytest

import pytrammel as tm

TURNS = [(0.0, 0.0, 0.0), (0.4, np.pi / 2.0, 0.3), (2.5, 1.2, -2.0), (-0.3, -1.4, 0.9)]
AXES = [(0.0, 0.0, 1.0), (1.0, 0.0, 0.0), (0.6, 0.0, 0.8)]


def slider(kind, turn, axis, *, plane_on_body=False):
    m = tm.SpatialModel(kind)
    m.body(
        "a", position=(0.1, 0.2, 0.3), rotation=tuple(tm.rotations.from_angles(turn, "xyz")), mass=1.0, inertia=(0.01, 0.02, 0.03),
        omega=(0.5, 1.0, 1.5),
    )  # fmt: skip
    ends = ("a", m.ground) if plane_on_body else (m.ground, "a")
    getattr(m, kind)("P", *ends, at=(0.15, 0.25, 0.3), axis=axis)
    return m


@pytest.mark.parametrize("plane_on_body", [False, True])
@pytest.mark.parametrize("axis", AXES)
@pytest.mark.parametrize("turn", TURNS)
@pytest.mark.parametrize("kind", ["point_on_plane", "point_on_line"])
def test_relative_and_body_coordinates_give_the_same_motion(kind, turn, axis, plane_on_body):
    model = slider(kind, turn, axis, plane_on_body=plane_on_body)
    one, other = (
        model.simulate(0.05, samples=3, rtol=1e-9, formulation=f, progress=False) for f in ("cartesian", "relative")
    )
    assert not other.warnings
    # both follow the motion to rtol per step of some ten steps, with speeds near 1
    np.testing.assert_allclose(other.q, one.q, atol=1e-7)
    np.testing.assert_allclose(other.v, one.v, atol=1e-6)
