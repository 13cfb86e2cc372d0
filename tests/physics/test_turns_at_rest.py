"""Positions of rest beyond half a turn in space: the model drawn there remembers its turns."""

from __future__ import annotations

import math

import numpy as np
import pytest

import pytrammel as tm
from moving_samples import sample_model
from pytrammel.model.spatial_registries import spatial_constraint_types
from pytrammel.system.lowering import lower
from pytrammel.system.positions import drawn_at

pytestmark = pytest.mark.search

KINDS = ("revolute", "cylindrical", "between", "formula")


def weight_on_a_spring(kind, free, stiffness=5.0):
    """A weight on an arm about a level axis, with a torsion spring that is slack at some turn."""
    m = tm.SpatialModel("weight")
    m.body("w", position=(0.1, 0, 0), mass=1.0, inertia=0.01)
    if kind == "cylindrical":
        m.cylindrical("A", m.ground, "w", at=(0, 0, 0), axis="y")
        m.constrain("place", "A.distance")
    else:
        m.revolute("A", m.ground, "w", at=(0, 0, 0), axis="y")
    if kind in ("between", "formula"):
        angle = m.angle_between(m.ground, "w", "y")
        if kind == "between":
            m.torsion_spring("S", angle, stiffness=stiffness, free_angle=free)
        else:
            m.user_force("S", angle, f"-{stiffness}*(A.angle - ({free}))")
    else:
        m.torsion_spring("S", "A", stiffness=stiffness, free_angle=free)
    return m


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("free", [0.5, 2.0, 4.0, 7.0, 10.0, -20.0])
def test_a_model_let_go_where_it_rests_stays_there(kind, free):
    rest = weight_on_a_spring(kind, free).equilibrium()
    assert rest.stable
    for model in (rest.model, rest.model.copy()):
        r = model.simulate(1.0, samples=11, progress=False)
        angle = r["A"].angle
        assert np.ptp(angle) < 1e-8
        # turned by a about y the weight stands at z = -0.1 sin a: k (a - free) = m g 0.1 cos a
        assert 5.0 * (angle[0] - free) == pytest.approx(9.81 * 0.1 * math.cos(angle[0]), abs=1e-7)


@pytest.mark.parametrize("kind", sorted(spatial_constraint_types()))
def test_a_redrawn_model_tells_every_joint_which_turn_it_is_in(kind):
    model, _ = sample_model("space", kind, 3)
    system = lower(model)
    q = system.start.copy()
    first = system.n_coordinates - len(model.turns)
    q[first:] += 2 * math.pi * np.arange(1, 1 + len(model.turns))
    twin = model.copy(changes=drawn_at(system, q))
    np.testing.assert_allclose(lower(twin).start[first:], q[first:], atol=1e-9)


def place_on(wire, turns):
    return tuple(map(float, wire.points(np.array([2.0 * math.pi * turns]))[0]))


@pytest.mark.parametrize("turns", [0.3, 1.4, 2.6])
def test_a_bead_let_go_where_it_rests_on_a_helix_stays_on_its_turn(turns):
    """The model drawn at rest forgets where on its curve the bead was drawn at first."""
    m = tm.SpatialModel("bead")
    wire = tm.curves.helix(0.2, 0.1, turns=3.0)
    m.body("bead", position=place_on(wire, 1.5), mass=0.1, inertia=1e-4)
    m.point_on_curve("wire", m.ground, "bead", curve=wire)
    m.spring("pull", m.ground.at(*place_on(wire, turns)), "bead", stiffness=500.0, free_length=0.0)
    rest = m.equilibrium()
    again = rest.model.assemble()
    assert again.q[7] == pytest.approx(rest.q[7], abs=1e-9)  # the place on the curve
    assert np.asarray(again.pose("bead")[:3]) == pytest.approx(np.asarray(rest.pose("bead")[:3]), abs=1e-12)


def test_a_bead_that_is_moved_in_a_copy_is_found_where_it_is_drawn_now():
    wire = tm.curves.helix(0.2, 0.1, turns=3.0)
    places = [place_on(wire, turns) for turns in (0.4, 2.4)]

    def drawn(place):
        m = tm.SpatialModel("bead")
        m.body("bead", position=place, mass=0.1, inertia=1e-4)
        m.point_on_curve("wire", m.ground, "bead", curve=wire)
        return m

    moved = drawn(places[0]).copy(changes={"bead": {"position": places[1]}})
    assert moved.assemble().q == pytest.approx(drawn(places[1]).assemble().q, abs=1e-12)
