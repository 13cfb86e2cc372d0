"""What a page can plot beside its picture, and which of it can be driven."""

from __future__ import annotations

import numpy as np
import pytest

import trammel as tm
from trammel.view.quantities import MOST, SAMPLES, quantities_of


def crank() -> tm.PlanarModel:
    m = tm.PlanarModel("crank", units="mm")
    m.body("crank", position=(0.0, 0.0), mass=1.0, inertia=0.1)
    m.revolute("A", m.ground, "crank", at=(0, 0))
    m.point("P", "crank", at=(0.1, 0.0))
    return m


def driven(samples: int = 21) -> tm.Result:
    m = crank()
    m.driver("motor", m["A"].angle, "2*t")
    return m.kinematics(1.0, samples=samples)


def test_every_column_can_be_plotted_in_the_units_of_the_model() -> None:
    result = driven()
    found = quantities_of(result)
    assert set(result.column_names()) <= set(found.names) and "A.angle.rate" in found.names
    k = found.names.index("P.x")
    assert found.units[k] == "mm"
    np.testing.assert_allclose(found.values[k], 100.0 * np.cos(2.0 * result.times), atol=1e-6)


def test_the_driver_of_a_prescribed_motion_can_be_moved_and_that_of_a_simulation_cannot() -> None:
    found = quantities_of(driven())
    ((name, k),) = found.drivers
    assert (name, found.units[k]) == ("motor", "°")
    np.testing.assert_allclose(found.values[k][[0, -1]], np.degrees([0.0, 2.0]), atol=1e-9)
    assert quantities_of(crank().simulate(0.1, samples=3, progress=False)).drivers == ()


def test_any_quantity_can_be_asked_for_and_an_unknown_one_is_named() -> None:
    result = driven()
    assert quantities_of(result, shown=["P.vy", "A.angle.second"]).shown == ("P.vy", "A.angle.second")
    with pytest.raises(tm.ModelError, match="nonsense"):
        quantities_of(result, shown=["nonsense"])


def test_long_runs_are_thinned_and_rounding_is_left_out() -> None:
    found = quantities_of(driven(5001))
    assert found.values.shape[1] == len(found.times) == SAMPLES and len(found.names) <= MOST
    assert (found.values[found.names.index("crank.x")] == 0.0).all()  # the pin holds it to rounding
