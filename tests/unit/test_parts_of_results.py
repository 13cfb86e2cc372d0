"""Parts of results: every table is cut alike, and what a run did not compute stays absent."""

from __future__ import annotations

import numpy as np
import pytest

import trammel as tm
from trammel.results.segments import joined, part


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
    for name in ("times", "q", "notes", *known):
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
