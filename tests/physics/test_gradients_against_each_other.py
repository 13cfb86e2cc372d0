"""Gradients of runs forwards and backwards, of both verbs, and by differences of whole runs."""

from __future__ import annotations

import numpy as np
import pytest

import pytrammel as tm

pytestmark = pytest.mark.slow
STEP = 1e-4  # of differences of whole runs
SAME = 2e-7  # differences of the second order, of runs at rtol 1e-11


def double_pendulum(case):
    """Two bars of random proportions that start at rest, drawn level, or with a spin."""
    rng = np.random.default_rng(case)
    sizes = rng.uniform(0.3, 0.8, 2)
    m = tm.PlanarModel("double pendulum")
    one, two = (m.parameter(name, value) for name, value in zip(("m1", "m2"), rng.uniform(0.5, 2.0, 2), strict=True))
    length = m.parameter("length", sizes[0])
    a = m.body("a", position=(length, 0), mass=one, inertia=0.1)
    b = m.body("b", position=(2 * length + sizes[1], 0.1 * case), mass=two, inertia=0.05, omega=0.4)
    m.revolute("A", m.ground.at(0, 0), a.at(-length, 0)), m.revolute("B", a.at(length, 0), b.at(-sizes[1], -0.1 * case))
    return m


LAST = [{}, {"impulse": [("b", (0.2, -0.3))]}, {"impulse": [("a", 0.1), ("b", (0.3, 0.0))]}, {"release": "B"}]


def stops(case):
    return [tm.Event("s", f"A.angle + {0.15 + 0.05 * case}", stop=True, **LAST[case])]


@pytest.mark.parametrize("case", range(len(LAST)))
def test_backwards_as_forwards_where_an_event_ends_the_run(case):
    """The end of the run at its own tolerance and of the finer run that is gone back over differ by rounding.

    What the event does to the state comes after the end has moved.
    """
    m, formulas = double_pendulum(case), ["b.phi[end]", "mean(b.phi)", "b.omega[end]", "A.angle[end]", "b.ax[end]"]
    run = tm.Analysis("simulate", 0.83, samples=31, events=stops(case))
    forwards = m.gradient(formulas, method="direct", analysis=run)
    backwards = m.gradient(formulas, method="adjoint", analysis=run)
    for one, other in zip(forwards, backwards, strict=True):
        # runs at 1e-10; what an event does to single coordinates, off the constraints, is found by differences
        np.testing.assert_allclose(other.array, one.array, rtol=5e-8, atol=1e-9, err_msg=one.quantity)
    np.testing.assert_allclose(forwards[3].array, 0.0, atol=1e-12)  # the event holds this angle


STARTS = [
    ["A.angle"],
    ["A.angle", "length"],
    ["b.phi", "m1"],
    ["a.omega", "b.omega"],
    ["A.angle", "B.angle", "a.omega"],
]


@pytest.mark.filterwarnings("ignore:the given starting velocities")
@pytest.mark.parametrize("wrt", STARTS, ids=", ".join)
@pytest.mark.parametrize("case", range(2))
def test_both_verbs_give_the_derivatives_of_the_same_function(case, wrt):
    """All names are independent: where one is varied, starting values of the others are held."""
    m, options = double_pendulum(case), {"wrt": wrt, "analysis": tm.Analysis("simulate", 0.5, samples=11, rtol=1e-11)}
    g, f = m.gradient("b.x[end]", **options), m.value_and_grad("b.x[end]", **options)
    value, slopes = f(f.x0)
    assert g.value == value
    np.testing.assert_array_equal(g.array, slopes)
    found = [(f.value(f.x0 + STEP * e) - f.value(f.x0 - STEP * e)) / (2 * STEP) for e in np.eye(len(wrt))]
    np.testing.assert_allclose(slopes, found, rtol=SAME, atol=SAME)
    assert np.abs(slopes).min() > 1e-3  # a starting angle of 1e-18 rad is no scale of its changes
