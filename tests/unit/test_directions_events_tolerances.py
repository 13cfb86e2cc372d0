"""Directions of any length, names of events, and tolerances that have no effect."""

import itertools
import math
import warnings

import numpy as np
import pytest

import pytrammel as tm
from pytrammel.model.bodies import unit_vector
from pytrammel.model.spatial_bodies import direction

SIZES = [5e-324, 1e-310, 1e-200, 1e-151, 1e-149, 1.0, 1e149, 1e151, 1e200, 1.6e308]


@pytest.mark.parametrize("size", SIZES)
def test_directions_may_have_any_length(size):
    for signs in itertools.product((-1.0, 0.0, 1.0), repeat=3):
        expected = np.array(signs)
        if not expected.any():
            continue
        given = tuple(float(s) * size for s in signs)
        np.testing.assert_allclose(direction(given, "axis"), expected / math.sqrt(np.abs(expected).sum()), rtol=1e-15)
        np.testing.assert_allclose(
            tm.inertia._checks.unit_vector(given, "normal"), direction(given, "axis"), rtol=1e-15
        )
        if any(signs[:2]):
            flat = expected[:2] / math.sqrt(np.abs(expected[:2]).sum())
            np.testing.assert_allclose(unit_vector(given[:2], "along"), flat, rtol=1e-15)
    ends = [(-size, 0.0, 0.0), (size, size, 0.0)]
    np.testing.assert_allclose(direction(ends, "axis"), np.array((2.0, 1.0, 0.0)) / math.sqrt(5.0), rtol=1e-15)


@pytest.mark.parametrize("count", [1, 3, 4])
@pytest.mark.parametrize("kind", [list, tuple, np.array])
def test_a_list_of_points_that_is_not_an_axis_names_the_remedy(count, kind):
    points = kind([(0.0, 0.0, float(k)) for k in range(count)])
    m = tm.SpatialModel()
    b = m.body("b", mass=1.0, inertia=(1, 1, 1))
    with pytest.raises(tm.ModelError, match=rf"axis of revolute joint 'R'.*{count} point.*two points.*Use"):
        m.revolute("R", "ground", b, at=(0, 0, 0), axis=points)


def pendulum():
    m = tm.PlanarModel("pendulum")
    a = m.body("a", mass=1.0, inertia=0.1, position=(0.2, 0))
    m.revolute("A", "ground", a, at=(0, 0))
    return m


@pytest.mark.parametrize("name", ["", " ", "\u2003"])
def test_an_event_needs_a_name(name):
    with pytest.raises(tm.ModelError, match="name of an event is"):
        tm.Event(name, "A.angle + 1")


def test_events_have_different_names():
    twice = [tm.Event("e", "A.angle + 1"), tm.Event("f", "A.angle"), tm.Event("e", "A.angle + 2")]
    m = pendulum()
    for run in (
        lambda: m.simulate(0.1, events=twice),
        lambda: m.gradient("a.phi[end]", wrt=["a.mass"], analysis=tm.Analysis("simulate", 0.1, events=twice)),
        lambda: tm.textbook.integrate(
            {"x": "-x"}, {"x": 1.0}, 1.0, events=[tm.Event("e", "x - 0.5"), tm.Event("e", "x - 0.6")]
        ),
    ):
        with pytest.raises(tm.ModelError, match=r"two events with the name 'e', members 0 and \d. Use"):
            run()


@pytest.mark.parametrize("method", ["dop853", "dopri5", "radau5"])
def test_a_tolerance_without_effect_is_reported(method):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        pendulum().simulate(0.05, rtol=1e-12, method=method)
        pendulum().simulate(0.05, rtol=1e-14, atol=1e-12, method=method)
    with pytest.warns(UserWarning, match=r"rtol = 1e-14 has no effect.*atol = 1e-10.*Pass atol=1e-14"):
        pendulum().simulate(0.05, rtol=1e-14, method=method)
    for atol in (0.0, 1e-15, 1e-10):
        with pytest.raises(tm.ConvergenceError, match=r"rtol = 1e-30.*the limit is 1e-15"):
            pendulum().simulate(0.05, rtol=1e-30, atol=atol, method=method)
