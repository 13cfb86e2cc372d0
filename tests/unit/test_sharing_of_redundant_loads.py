"""Redundant rows share a load with the smallest sum of squares, each in its own scale, also where the rows in use are dependent."""

from __future__ import annotations

import numpy as np
import pytest

import pytrammel as tm
from pytrammel.analysis.freedom.sharing import smallest_multipliers
from pytrammel.analysis.ready import make_ready
from pytrammel.system.lowering import lower

pytestmark = pytest.mark.search

ARM = 0.7


def twice_held(*, arm=ARM):
    """A body on a pin whose turning is stopped twice: by its angle (a row in radians) and by the height of a point (one in metres)."""
    m = tm.PlanarModel("twice held")
    m.body("bar", mass=1.0, inertia=1.0)
    m.revolute("pin", m.ground, "bar", at=(-4.0, 3.0))
    m.constrain("angle", m["bar"].phi)
    m.constrain("height", m["bar"].at(arm - 4.0, 0).y)
    make_ready(m, ["rates_run", "jacobian_run", "sharing_run"], forces=True)
    system = lower(m, dynamics=True)
    assert abs(system.length - 1.0) > 0.5  # otherwise scales would not show
    return system


def shared(system, active, load, *, on="angle"):
    """Multipliers of the rows when one row carried everything."""
    rows = list(range(len(system.rows)))
    lam = np.zeros((1, len(rows)))
    lam[0, [k for k in rows if system.rows[k].owner == on]] = load
    found = smallest_multipliers(system, rows, active, np.zeros(1), system.start.reshape(1, -1), lam)[0]
    return {system.rows[k].owner: found[k] for k in rows if system.rows[k].owner != "pin"}


@pytest.mark.parametrize("moment", [3.0, -40.0])
@pytest.mark.parametrize("arm", [0.2, 0.7, 2.5])
@pytest.mark.parametrize("dependent", [True, False])
def test_a_moment_is_shared_by_rows_of_different_scale(dependent, arm, moment):
    """A force f at the point needs -f at the pin: with l the model's length, a² + 2 (l f)² is least under a + f arm = moment (Lagrange).

    With all rows in use they are dependent, as in a singular position, and the sparse factors are of no use.
    """
    system = twice_held(arm=arm)
    rows = [k for k in range(len(system.rows)) if dependent or system.rows[k].owner != "height"]
    found = shared(system, rows, moment)
    ratio = arm / system.length
    assert found["angle"] == pytest.approx(moment / (1.0 + ratio**2 / 2.0), rel=1e-9)
    assert found["height"] == pytest.approx(moment * ratio / (2.0 + ratio**2) / system.length, rel=1e-9)


@pytest.mark.parametrize("arm", [0.2, 0.7, 2.5])
def test_a_force_is_shared_by_rows_of_different_scale(arm):
    """Of a force F at the point the pin takes p, and the angle p arm: p² arm² + l² (F - p)² + l² p² is least."""
    system = twice_held(arm=arm)
    found = shared(system, range(len(system.rows)), 5.0, on="height")
    ratio = arm / system.length
    assert found["height"] == pytest.approx(5.0 * (1.0 + ratio**2) / (2.0 + ratio**2), rel=1e-9)
    assert found["angle"] == pytest.approx(5.0 * arm / (2.0 + ratio**2), rel=1e-9)


@pytest.mark.parametrize("count", [2, 3, 5])
def test_equal_supports_carry_equal_shares(count):
    m = tm.PlanarModel("shelf")
    m.body("shelf", mass=2.0, inertia=1.0)
    for k in range(count):
        m.weld(f"w{k}", m.ground, "shelf", at=(0, 0))
    make_ready(m, ["rates_run", "jacobian_run", "sharing_run"], forces=True)
    system = lower(m, dynamics=True)
    rows = list(range(len(system.rows)))
    lam = np.zeros((1, len(rows)))
    lam[0, :3] = (1.0, -2.0, 3.0)
    found = smallest_multipliers(system, rows, rows, np.zeros(1), system.start.reshape(1, -1), lam)[0]
    assert found.reshape(count, 3) == pytest.approx(np.tile(np.array([1.0, -2.0, 3.0]) / count, (count, 1)), abs=1e-9)
