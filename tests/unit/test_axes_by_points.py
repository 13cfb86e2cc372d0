"""Axes in space: vectors of any length, or two points."""

import numpy as np
import pytest

import pytrammel as tm
from pytrammel.errors import ModelError
from pytrammel.io.models.model_file import dumps, loads

AXIS = np.array([0.6, -0.6, 0.8])


def model():
    m = tm.SpatialModel("axes")
    m.body("a", position=(0.3, -0.2, 0.5), rotation=tm.rotations.from_axis_angle((0.6, 0.0, 0.8), 0.7))
    m.body("b", position=(0.1, 0.4, -0.3), rotation=tm.rotations.from_axis_angle((0.0, 0.6, 0.8), -0.4))
    m.point("P", m["a"], at=(0.1, 0.2, 0.3))
    m.point("Q", m["b"], at=(0.7, -0.4, 1.1))
    return m


def global_axis(m, name="J"):
    seat = m[name].seats[0]
    return tm.rotations.matrix(np.array(m.bodies[seat.body].rotation)) @ seat.axis


@pytest.mark.parametrize("joint", ["revolute", "cylindrical", "prismatic", "planar"])
@pytest.mark.parametrize(
    "axis",
    [
        tuple(AXIS),
        tuple(1e-3 * AXIS),
        AXIS * 250.0,
        ((0.1, 0.2, 0.3), (0.7, -0.4, 1.1)),
        ([0.1, 0.2, 0.3], tuple(AXIS + (0.1, 0.2, 0.3))),
        ("P", "Q"),
    ],
    ids=["vector", "short", "long", "points", "list", "names"],
)
def test_an_axis_has_the_same_direction_however_it_is_given(joint, axis):
    m = model()
    getattr(m, joint)("J", m["a"], m["b"], at=(0.1, 0.2, 0.3), axis=axis)
    for each in (m, loads(dumps(m))):
        # the drawn rotation turns the axis in the body into the global one: two roundings
        np.testing.assert_allclose(global_axis(each), AXIS / np.linalg.norm(AXIS), atol=1e-14)


def test_points_of_bodies_may_end_an_axis():
    m = model()
    m.revolute("J", m["a"], m["b"], at=(0, 0, 0), axis=(m["a"].at(0, 0, 0), m["b"].at(0, 0, 0)))
    expected = np.array((0.1, 0.4, -0.3)) - (0.3, -0.2, 0.5)
    np.testing.assert_allclose(global_axis(m), expected / np.linalg.norm(expected), atol=1e-14)


@pytest.mark.parametrize("axis", [((1, 2, 3), (1, 2, 3)), ("P", "P"), (0, 0, 0)])
def test_an_axis_without_length_is_rejected(axis):
    m = model()
    with pytest.raises(ModelError, match=r"axis of revolute joint 'J' is \(0, 0, 0\)"):
        m.revolute("J", m["a"], m["b"], at=(0, 0, 0), axis=axis)
