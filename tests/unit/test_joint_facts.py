"""What joints say about themselves as data: where they stand, what they leave free, how large they are."""

from __future__ import annotations

import numpy as np
import pytest

import pytrammel as tm
from moving_samples import ALL, sample_model
from pytrammel.joints.constraint import Constraint, Symbol
from pytrammel.system.lowering import length_scale
from pytrammel.testing.facts import check_counts, check_freedom, check_seats
from registry_samples import JOINTS


@pytest.mark.parametrize("kind", JOINTS, ids=str)
def test_motion_along_the_declared_freedom_violates_no_row_and_nothing_else_is_free(kind):
    check_freedom(kind)


@pytest.mark.parametrize("kind", JOINTS, ids=str)
def test_seats_lie_on_the_bodies_a_joint_connects_and_its_span_is_their_distance(kind):
    check_seats(kind)


@pytest.mark.parametrize(
    ("where", "kind", "turning", "sliding"),
    [
        ("plane", "revolute", True, False), ("plane", "prismatic", False, True), ("plane", "point_on_line", False, False),
        ("plane", "weld", False, False), ("space", "revolute", True, False), ("space", "cylindrical", True, False),
        ("space", "screw", True, False), ("space", "prismatic", False, True), ("space", "planar", False, False),
        ("space", "spherical", False, False),
    ],
)  # fmt: skip
def test_bearings_and_guides_are_known_by_what_they_leave_free(where, kind, turning, sliding):
    _, constraint = sample_model(where, kind, 5)
    assert (constraint.turning, constraint.sliding) == (turning, sliding)


def test_a_picture_does_not_change_the_size_of_a_model():
    m = tm.PlanarModel("pendulum")
    bar = m.body("bar", position=(0.5, 0), mass=1.0, inertia=0.1)
    m.revolute("A", m.ground, bar, at=(0, 0))
    before = length_scale(m)
    pin = m.constraints["A"]
    drawn = Constraint(**{**vars(pin), "symbols": (Symbol("disc", "bar", (0.0, 0.0), radius=50.0),)})
    m._constraints["A"] = drawn
    assert length_scale(m) == before == pytest.approx(0.5)


@pytest.mark.parametrize("kind", JOINTS, ids=str)
def test_the_rows_of_a_sample_are_independent_and_as_many_as_documented(kind):
    check_counts(kind)


def planar_kinds_with(measure):
    return [kind for where, kind in ALL if where == "plane" and measure in sample_model(where, kind, 0)[1].measures]


@pytest.mark.parametrize("seed", [8, 9])
@pytest.mark.parametrize(
    "kind", [kind for kind in planar_kinds_with("angle") if sample_model("plane", kind, 0)[1].seats]
)
def test_measures_of_planar_joints_follow_from_both_poses(kind, seed):
    """The angle between the bodies, the way of the pin along the line, and their rates."""
    model, joint = sample_model("plane", kind, seed)
    run = model.simulate(0.1, samples=4, progress=False)
    first, second = (run[name] for name in joint.bodies)
    assert run["it.angle"] == pytest.approx(second.phi - first.phi, abs=1e-12)
    assert run["it.angle.rate"] == pytest.approx(second.omega - first.omega, abs=1e-12)
    if "distance" in joint.measures:
        base, pin = joint.seats
        along = (np.exp(1j * first.phi) * complex(*base.axis)).conj()
        origin, far = (
            state.position @ [1, 1j] + np.exp(1j * state.phi) * complex(*seat.point)
            for state, seat in ((first, base), (second, pin))
        )
        assert run["it.distance"] == pytest.approx(((far - origin) * along).real, abs=1e-12)


@pytest.mark.parametrize(("where", "kind"), ALL)
def test_what_a_joint_holds_or_drives_itself_is_not_among_its_moving_measures(where, kind):
    """Moved at random, the rows change with their own measures only, and what is prescribed is the one row there is."""
    model, constraint = sample_model(where, kind, 7)
    rows = [block.quantity for block in constraint.blocks]
    assert set(constraint.moving) == {name for name, q in constraint.measures.items() if q not in rows}
    if constraint.prescribes is not None:
        assert constraint.moving == () and rows == [constraint.prescribes] == list(constraint.measures.values())
        assert str(constraint.prescribes) in str(model)


def test_what_a_constraint_prescribes_is_shown_by_the_part_it_belongs_to():
    m = tm.PlanarModel("slide")
    rod, block = (m.body(name, position=(x, 0.0), mass=1.0, inertia=0.1) for name, x in (("rod", 0.5), ("block", 1.0)))
    m.prismatic("T", m.ground, rod, at=(0, 0), axis=(1, 0))
    m.weld("W", rod, block, at=(1, 0))
    m.constrain("level", block.phi)
    m.driver("push", m["T"].distance, "0.1*t")
    result = m.kinematics(1.0, samples=3)
    columns = result._table_names()
    assert {"T.distance", "T.angle", "W.angle"} <= set(columns) and not {"level.value", "push.value"} & set(columns)
    assert "T.distance" in result.summary() and "push.value" not in result.summary()
    assert result._interesting() == ["T.distance"]  # neither slide nor weld lets its angle change
    assert "driver push: rod – ground, 1 row T.distance = 0.1*t" in str(m)
