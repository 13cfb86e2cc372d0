"""Parts of results: every table is cut alike, and what a run did not compute stays absent."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import pytrammel as tm
from pytrammel.results.segments import joined, part


def crank():
    m = tm.PlanarModel("crank")
    m.revolute("A", m.ground, m.body("b", position=(1.0, 0.0), mass=2.0, inertia=0.1), at=(0, 0))
    return m


@pytest.mark.parametrize("level, known", [("position", ()), ("velocity", ("v",)), ("acceleration", ("v", "a"))])
@pytest.mark.parametrize("first, last", [(0, 9), (2, 5), (8, 9)])
def test_a_part_has_the_rows_of_the_whole(level, known, first, last):
    m = crank()
    m.driver("motor", m["A"].angle, "0.3 + 2*t^2")
    whole = m.kinematics(1.0, samples=9, level=level)
    cut = part(whole, first, last)
    for name in ("times", "q", "_notes", *known):
        np.testing.assert_array_equal(getattr(cut, name), getattr(whole, name)[first:last])
    assert all(getattr(cut, name) is None for name in {"v", "a"} - set(known))
    np.testing.assert_allclose(cut["b"].y, np.sin(0.3 + 2.0 * whole.times**2)[first:last], atol=1e-9)


def test_a_part_of_a_simulation_has_its_loads_and_energies():
    whole = crank().simulate(1.0, samples=9)
    cut = part(whole, 3, 7)
    np.testing.assert_array_equal(cut.a, whole.a[3:7])
    np.testing.assert_array_equal(cut.reaction("A").force, whole.reaction("A").force[3:7])
    np.testing.assert_array_equal(cut.energy.kinetic, whole.energy.kinetic[3:7])
    np.testing.assert_array_equal(cut.dynamics.work, whole.dynamics.work[3:7])


def test_answers_are_joined_in_time_and_the_rest_is_that_of_the_first():
    parts = [{"x": np.arange(2.0), "unit": "m"}, {"x": np.arange(3.0), "unit": "rad"}]
    assert joined(parts)["x"].tolist() == [0, 1, 0, 1, 2] and joined(parts)["unit"] == "m"
    assert [x.tolist() for x in joined([(np.zeros(1), np.ones(1)), (np.ones(1), np.zeros(1))])] == [[0, 1], [1, 0]]


@pytest.mark.parametrize("off", [1e-9, 1e-3, 0.2])
@pytest.mark.parametrize("moved, column", [("pin", 0), ("pin", 1), ("driver", 2)])
def test_closure_is_the_largest_gap_at_any_instant(off, moved, column):
    """One body is put aside by hand at one instant: the pin opens by that length, or the driver is off by that angle."""
    m = crank()
    m.driver("motor", m["A"].angle, "0.3 + 2*t^2")
    r = m.kinematics(1.0, samples=9)
    assert r.constraint_violation() < 1e-12
    q = r.q.copy()
    q[5, column] += off
    # the pin is 1 m from the body's origin, so that a turn opens it by the chord
    gap = off / r._system.length if moved == "pin" else max(off, 2.0 * np.sin(0.5 * off) / r._system.length)
    assert replace(r, q=q).constraint_violation() == pytest.approx(gap, rel=2e-2, abs=1e-12)


def test_closure_leaves_out_rows_that_restrain_velocities_only():
    """A wheel put elsewhere along its track is where it might have rolled; lifted off the track it is not."""
    m = tm.SpatialModel("coin")
    disc = m.body("disc", position=(0.0, 0.0, 0.5), mass=1.0, inertia=(0.1, 0.1, 0.2), velocity=(0.0, 1.0, 0.0))
    m.constrain("level", disc.z)
    m.constrain("straight", disc.angular_velocity_about("z", frame="space"))
    r = m.simulate(0.1, samples=3)
    aside, lifted = r.q.copy(), r.q.copy()
    aside[:, 0] += 0.3
    lifted[:, 2] += 0.3
    assert r.constraint_violation() < 1e-12 and replace(r, q=aside).constraint_violation() < 1e-12
    assert replace(r, q=lifted).constraint_violation() == pytest.approx(0.3 / r._system.length, rel=1e-9)


def test_kinetic_energies_of_bodies_add_up_to_that_of_the_run_in_the_plane():
    m = tm.PlanarModel("two", gravity=(0, -9.81))
    m.body("a", position=(0.5, 0), mass=1.0, inertia=0.1, centroid=(0.1, 0.2))
    m.body("b", position=(1.5, 0), mass=2.0, inertia=0.3, centroid=(0.0, -0.1))
    m.revolute("A", "ground", "a", at=(0, 0))
    m.revolute("B", "a", "b", at=(1, 0))
    r = m.simulate(0.5, samples=6)
    assert r["a"].kinetic_energy() + r["b"].kinetic_energy() == pytest.approx(r.energy.kinetic, rel=1e-12, abs=1e-12)
    assert r["ground"].kinetic_energy() == pytest.approx(np.zeros(6))


@pytest.mark.parametrize("form", ["body", "space", "parameters"])
def test_the_three_forms_of_kinetic_energy_in_space_are_equal(form):
    """Problem 11.5: w'.J'w' = w.J w = p'.J*p'; the bodies add up to the energy that the run recorded by itself."""
    m = tm.SpatialModel("two", gravity=(0, 0, -9.81))
    pose = tm.rotations.from_angles((0.4, -0.7, 1.1), "xyz")
    m.body("a", mass=2.0, inertia=(0.3, 0.4, 0.6), centroid=(0.1, 0.2, -0.1), rotation=pose, omega=(1.0, -2.0, 3.0))
    m.body("b", position=(1, 1, 0), mass=1.0, inertia=(0.2, 0.1, 0.15), velocity=(1, 2, 3), omega=(0.2, 0.4, -3.0))
    m.spherical("S", "a", "b", at=(0.5, 0.5, 0.0))
    r = m.simulate(0.3, samples=5)
    assert r["a"].kinetic_energy(form) + r["b"].kinetic_energy(form) == pytest.approx(r.energy.kinetic, rel=1e-12)
    assert r["ground"].kinetic_energy(form) == pytest.approx(np.zeros(5))
    with pytest.raises(tm.ModelError, match="form='momentum' is not known"):
        r["a"].kinetic_energy("momentum")
