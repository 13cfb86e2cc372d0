"""Bars, discs and beams in one line; terms of the equations at a state; normals of curves; models printed in their units."""

from __future__ import annotations

import math

import numpy as np
import pytest

import pytrammel as tm
from pytrammel.errors import ModelError


def test_a_bar_has_the_moments_of_a_rod():
    m = tm.PlanarModel("m")
    rod = m.bar("rod", (1.0, 1.0), (4.0, 5.0), mass=3.0)
    assert rod.mass == 3.0 and rod.inertia == pytest.approx(3.0 * 25.0 / 12.0)
    assert m.point("rod.a").drawn == pytest.approx((1.0, 1.0)) and m.point("rod.b").drawn == pytest.approx((4.0, 5.0))
    m.bar("next", "rod.b", (0.0, 0.0), mass=1.0)
    assert m.point("next.a").drawn == pytest.approx((4.0, 5.0))
    s = tm.SpatialModel("s")
    s.bar("rod", (0.0, 0.0, 0.0), (1.0, 2.0, 2.0), mass=3.0, radius=0.1)
    assert s.point("rod.b").drawn == pytest.approx((1.0, 2.0, 2.0))
    exact = tm.inertia.cylinder(0.1, 3.0, mass=3.0).inertia
    assert np.linalg.eigvalsh(np.array(s["rod"].inertia)) == pytest.approx(np.linalg.eigvalsh(exact))
    assert m.disc("wheel", (0.0, 0.0), radius=0.5, mass=4.0).inertia == 0.5


@pytest.mark.parametrize("parts", [1, 2, 5, 12])
def test_the_tip_of_a_beam_sinks_as_it_should(parts):
    """F l³ / 3EI for a load at the tip, whatever the number of links; l = 2 m, EI = 500 N m², F = 0.1 N."""
    m = tm.PlanarModel("beam", gravity=(0.0, 0.0))
    links = m.beam("b", (0.0, 0.0), (2.0, 0.0), EI=500.0, mass=1.0, parts=parts)
    m.force("F", m.point(f"{links[-1]}.b"), (0.0, -0.1))
    rest = m.equilibrium()
    tip = rest.model.point(f"{links[-1]}.b").drawn
    assert tip[1] == pytest.approx(-0.1 * 8.0 / 1500.0, rel=1e-6)  # angles of 4e-4 leave their squares


def test_a_beam_of_many_links_swings_like_a_beam():
    """First frequency of a clamped beam: (1.8751)² sqrt(EI / (m/l) l⁴) rad/s; links come near it as 1/n."""
    errors = []
    for parts in (4, 8, 16):
        m = tm.PlanarModel("beam", gravity=(0.0, 0.0))
        m.beam("b", (0.0, 0.0), (2.0, 0.0), EI=500.0, mass=4.0, parts=parts)
        lowest = min(mode.frequency for mode in m.linearize().modes if mode.frequency)
        errors.append(abs(lowest / (1.875104**2 * math.sqrt(500.0 / (2.0 * 2.0**4))) - 1.0))
    assert errors[2] < errors[1] < errors[0] < 0.1


def test_beams_and_bars_are_kept_in_files(tmp_path):
    m = tm.PlanarModel("beam")
    m.beam("b", (0.0, 0.0), (2.0, 0.0), EI=500.0, mass=1.0, parts=3)
    again = tm.load(m.save(tmp_path / "m.toml"))
    assert list(again.bodies) == list(m.bodies) and list(again.forces) == list(m.forces)


@pytest.mark.parametrize(
    "make, sentence",
    [
        (lambda m: m.bar("r", (0, 0), (0, 0), mass=1.0), "has no length"),
        (lambda m: m.bar("r", (0, 0), (1, 0), mass=-1.0), "mass of bar 'r' is -1 kg"),
        (lambda m: m.bar("r", "A", (1, 0), mass=1.0), r"there is no point \(in bar 'r'\) 'A'"),
        (lambda m: m.bar("r", (0, 0), (1, 0), mass=1.0, radius=0.1), "is for bars in space"),
        (lambda m: m.beam("b", (0, 0), (1, 0), EI=1.0, mass=1.0, parts=0), "must be a whole number from 1"),
        (lambda m: m.beam("b", (0, 0), (1, 0), EI=0.0, mass=1.0), "EI of beam 'b' is 0"),
    ],
)
def test_wrong_helpers_are_explained(make, sentence):
    with pytest.raises(ModelError, match=sentence):
        make(tm.PlanarModel("m"))


def test_normals_point_to_the_left():
    circle = tm.curves.circle(2.0)
    u = np.linspace(0.1, 6.0, 7)
    assert circle.normal(u) == pytest.approx(-circle.point(u) / 2.0)
    assert circle.normal(0.0) == pytest.approx([-1.0, 0.0])


def test_models_and_equilibria_are_printed_in_their_units():
    m = tm.PlanarModel("pendulum", display_unit="mm")
    m.body("b", mass=1.0, inertia=0.01, position=(0.25, 0.0))
    m.point("P", "b", local=(0.04, 0.0))
    m.revolute("A", "ground", "b", at=(0.0, 0.0))
    assert "body b: at (250, 0) mm" in str(m) and "on b at (40, 0) mm" in str(m)
    assert ", -250) mm, -90°" in str(m.equilibrium())


@pytest.mark.parametrize("space", [False, True])
def test_terms_are_those_of_the_motion(space):
    """Along a run: J v = nu, J a = gamma, M a - J'lam = gravity + bias + applied; J by differences of the residuals."""
    if space:
        m = tm.SpatialModel("top")
        m.body(
            "b",
            mass=2.0,
            inertia=(0.1, 0.2, 0.3),
            position=(0.0, 0.0, 0.0),
            centroid=(0.1, 0.2, 0.3),
            omega=(1.0, 2.0, 3.0),
        )
        m.spherical("A", "ground", "b", at=(0.0, 0.0, 0.0))
        m.spring("s", m["b"].at(0.1, 0.5, 0.2), m.ground.at(1.0, 0.0, 0.0), stiffness=10.0)
    else:
        m = tm.PlanarModel("pendulum")
        m.body("b", mass=2.0, inertia=0.1, position=(0.5, 0.0), centroid=(0.1, 0.05), omega=2.0)
        m.revolute("A", "ground", "b", at=(0.0, 0.0))
        m.spring("s", m["b"].at(0.1, 0.5), m.ground.at(1.0, 0.0), stiffness=10.0)
        m.driver("d", "b.phi", "2*t + 0.3*t^2")
    r = m.simulate(0.5, samples=3)
    found = m.terms(at=r)
    a, v = r.a[-1], r.v[-1]
    assert found.velocities.values == pytest.approx(v)
    assert found.jacobian.values @ v == pytest.approx(found.nu.values, abs=1e-9)
    assert found.jacobian.values @ a == pytest.approx(found.gamma.values, abs=1e-8)
    assert found.residuals.values == pytest.approx(np.zeros(len(found.owners)), abs=1e-9)
    lam = r.dynamics.multipliers[-1]
    balance = found.mass.values @ a - found.jacobian.values.T @ lam
    assert balance == pytest.approx(found.gravity.values + found.bias.values + found.applied.values, abs=1e-8)
    own = found.of("A")
    assert own["jacobian"].shape == (3 if space else 2, len(v)) and set(own) == {"residuals", "jacobian", "nu", "gamma"}
    pull = r.resultant("b", gravity=False)
    d = m.space.dimension
    assert found.applied.values[:d] == pytest.approx(pull.force[-1], abs=1e-9)
    assert found.gravity.values[:d] == pytest.approx(2.0 * np.array(m.gravity))
    assert "g_bias" in str(found)
    with pytest.raises(ModelError, match="there are no rows of 'B'"):
        found.of("B")
