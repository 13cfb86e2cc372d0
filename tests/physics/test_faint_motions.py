"""Free motions whose kinetic energy is lost in rounding are named."""

import pytest

import pytrammel as tm
from pytrammel.analysis.positions.assembly import active_rows
from pytrammel.analysis.start.idle import faintest_motion
from pytrammel.system.lowering import lower

PLACES = [(0.1, 0.0, 0.0), (0.02, -0.11, 0.0), (0.05, 0.05, 0.05)]


def neck(inertia, centroid):
    """A point mass on three axes, as in robots whose files give links a mass and a placeholder of an inertia."""
    m = tm.SpatialModel("neck")
    m.body("arm", mass=1.0, inertia=(0.1, 0.1, 0.1))
    m.revolute("A", m.ground, "arm", at=(0.3, 0.0, 0.0), axis="y")
    last = "arm"
    for name, axis in (("one", "x"), ("two", "y"), ("head", "z")):
        m.body(name, mass=0.5, inertia=inertia, centroid=centroid if name == "head" else (0.0, 0.0, 0.0))
        m.revolute(f"to_{name}", last, name, at=(0.0, 0.0, 0.0), axis=axis)
        last = name
    return m


@pytest.mark.parametrize("inertia", [1e-25, 1e-22, 1e-18])
@pytest.mark.parametrize("centroid", PLACES)
def test_inertias_that_are_lost_next_to_their_mass_are_named(inertia, centroid):
    with pytest.raises(tm.ModelError, match=r"is so light .* lost in rounding"):
        neck(inertia, centroid).simulate(0.01, samples=2, progress=False)


@pytest.mark.parametrize("inertia", [1e-25, 1e-18, 1e-4])
@pytest.mark.parametrize("centroid", PLACES)
def test_the_motion_of_least_energy_is_the_turn_about_the_line_to_the_mass(inertia, centroid):
    system = lower(neck(inertia, centroid), dynamics=True)
    column, share = faintest_motion(system, active_rows(system), 0.0, system.start)
    assert column.split(".")[0] in ("one", "two", "head")
    assert (share < 1e-13) == (inertia < 1e-10)
