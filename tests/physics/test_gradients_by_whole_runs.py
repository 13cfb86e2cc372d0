"""Derivatives of runs are compared with differences of whole runs: wrong ones raise, motions that are not smooth are warned of."""

from __future__ import annotations

import numpy as np
import pytest

import pytrammel as tm
from pytrammel.analysis.gradients.adjoint import Backwards
from pytrammel.analysis.gradients.runs import OfRun

pytestmark = pytest.mark.slow
WAYS = ["direct", "adjoint"]


def oscillator(law, **parameters):
    """A body on a line under a force law; parameters are named in it."""
    m = tm.PlanarModel("oscillator")
    for name, value in parameters.items():
        m.parameter(name, value)
    m.body("b", mass=1.0, inertia=1.0, position=(0.3, 0.0))
    m.prismatic("T", "ground", "b", at=(0, 0), axis=(1, 0))
    m.user_force("F", "b.x", law)
    return m


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("case", range(4))
def test_a_law_with_a_corner_in_a_parameter_has_no_derivative(case, way):
    """The larger (or smaller) one of two equal stiffnesses: derivatives to both sides differ by that of one spring."""
    rng = np.random.default_rng(case)
    k, which = float(rng.uniform(20.0, 80.0)), ("max", "min")[case % 2]
    m = oscillator(f"-{which}(k, {k!r})*b.x", k=k)
    with pytest.raises(tm.ModelError, match=r"'b\.x'.*'k'.*whole runs.*0\.0001.*0\.0004"):
        m.gradient("b.x[end]", 0.8, samples=11, method=way)
    with pytest.raises(tm.ModelError, match=r"whole runs"):
        m.value_and_grad("b.x[end]", 0.8, samples=11, method=way)([k])


@pytest.mark.parametrize("stop", [False, True], ids=["at a time", "at an event"])
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("case", range(3))
def test_wrong_derivatives_raise(case, way, stop, monkeypatch):
    """A derivative that is off by a hundredth, wherever the run ends."""
    k, off = float(np.random.default_rng(case).uniform(20.0, 80.0)), 1.0 + 0.01 * (-1) ** case
    m = oscillator("-k*b.x", k=k)
    options = {"events": [tm.Event("there", "b.x + 0.1", stop=True)]} if stop else {}

    def found():
        return m.gradient(
            ["b.vx[end]", "mean(b.x)"], method=way, analysis=tm.Analysis("simulate", 0.8, samples=11, **options)
        )

    right = found()
    assert all(g.warnings == () for g in right)
    tangents, along = OfRun.tangents, Backwards.along

    def changed(self, directions):
        states = tangents(self, directions)
        if self.moving is not None:
            self.moving *= off
        return off * states

    monkeypatch.setattr(OfRun, "tangents", changed)
    monkeypatch.setattr(Backwards, "along", lambda *given: [off * x for x in along(*given)])
    with pytest.raises(tm.ModelError, match="whole runs"):
        found()


def test_a_chaotic_motion_is_warned_of():
    """Two bars turn over for 40 s: changes grow by many decades, so that runs at two distances disagree with each other."""
    m = tm.PlanarModel("double pendulum")
    m.parameter("mass", 1.0)
    for name, x in (("a", 0.0), ("b", 1.0)):
        m.body(name, position=(x + 0.5, 0.0), mass="mass" if name == "b" else 1.0, inertia=1 / 12)
    m.revolute("A", "ground", "a", at=(0, 0)), m.revolute("B", "a", "b", at=(1.0, 0))
    with pytest.warns(tm.RunWarning, match="not smooth"):
        g = m.gradient("b.x[end]", 40.0, samples=5, method="direct")
    assert [w.kind for w in g.warnings] == ["gradient"]


def test_a_closed_form_at_an_event_that_ends_the_run():
    """x = x0 cos(w t) ends at x = -0.1: v = -w sqrt(x0² - 0.01)."""
    k, x0 = 37.0, 0.3
    m = oscillator("-k*b.x", k=k)
    for way in WAYS:
        g = m.gradient(
            ["b.vx[end]", "t[end]"], method=way,
            analysis=tm.Analysis("simulate", 0.8, samples=11, events=[tm.Event("there", "b.x + 0.1", stop=True)]),
        )  # fmt: skip
        assert g[0]["k"] == pytest.approx(-np.sqrt(x0**2 - 0.01) / (2 * np.sqrt(k)), rel=1e-8)
        assert g[1]["k"] == pytest.approx(-np.arccos(-1 / 3) / (2 * k**1.5), rel=1e-8)
        assert g[0].warnings == ()
