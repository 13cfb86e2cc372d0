"""Assembly and mobility: what they report and what they refuse."""

from __future__ import annotations

import math

import numpy as np
import pytest

import pytrammel as tm

pytestmark = pytest.mark.search


def open_chain(*lengths, ground):
    """Pinned bars drawn along x from (0, 0), to be closed on (ground, 0)."""
    m = tm.PlanarModel("chain", display_unit="mm")
    previous, x = m.ground.at(0, 0), 0.0
    for k, length in enumerate(lengths):
        bar = m.body(f"bar{k + 1}", position=(x + length / 2, 0.01 * (k + 1)), angle=0.1 * k)
        m.revolute(f"J{k}", previous, bar.at(-length / 2, 0))
        previous, x = bar.at(length / 2, 0), x + length
    m.revolute("close", previous, m.ground.at(ground, 0))
    return m


def test_assembly_closes_to_rounding_and_says_how_far_bodies_moved():
    m = open_chain(0.04, 0.09, 0.07, ground=0.1)
    assembly = m.assemble()
    assert assembly.residual < 1e-15  # relative to the model's size: rounding level
    x, y, phi = assembly.pose("bar1")
    drawn = m["bar1"]
    move = assembly.moves[0]
    assert move.body == "bar1"
    assert move.shift == pytest.approx(math.hypot(x - drawn.position[0], y - drawn.position[1]), abs=1e-15)
    assert move.turn == pytest.approx(phi - drawn.angle, abs=1e-15)
    assert "bar3: moved" in str(assembly)


def test_the_assembled_model_is_drawn_closed():
    twin = open_chain(0.04, 0.09, 0.07, ground=0.1).assemble().model()
    assert all(move.shift < 1e-14 for move in twin.assemble().moves)


def test_a_chain_that_cannot_reach_names_loop_joint_gap_and_lengths():
    with pytest.raises(tm.AssemblyError) as error:
        open_chain(0.04, 0.09, ground=0.14).assemble()
    text = str(error.value)
    assert "loop ground–bar1–bar2 cannot close" in text
    assert "0.04" not in text and "40" in text and "90" in text and "< 140 mm" in text  # in the model's own units
    assert "at revolute '" in text and "Lengthen a link or move a pin" in text
    gap = float(text.split("gap ")[1].split(" mm")[0])
    assert gap == pytest.approx(10.0)  # 140 - 40 - 90


@pytest.mark.parametrize("angle", [1.2, 1.5, 1.8, 4.4, 4.7, 5.0])
def test_of_all_compromises_the_nearest_to_closed_is_reported(angle):
    """A crank of 1 m whose tip must reach a ring r(u) = 1.3 + 0.15 cos 3u + 0.1 cos u around its pin: searches end where r is least,
    0.05 m away, or at local minima 0.197 m away, in which the drawn crank lies."""
    m = tm.PlanarModel("crank")
    m.body("b", position=(0.0, 0.0), angle=angle)
    m.revolute("A", m.ground, "b", at=(0.0, 0.0))
    r = "(1.3 + 0.15*cos(3*u) + 0.1*cos(u))"
    ring = tm.curves.analytic(f"{r}*cos(u)", f"{r}*sin(u)", 0.0, 2.0 * math.pi, closed=True, name="ring")
    m.slot("track", m.ground, m["b"].at(1.0, 0.0), curve=ring)
    u = np.linspace(0.0, 2.0 * math.pi, 100_001)
    gap = np.min(1.3 + 0.15 * np.cos(3 * u) + 0.1 * np.cos(u)) - 1.0
    with pytest.raises(tm.AssemblyError, match="cannot close") as error:
        m.assemble()
    assert float(str(error.value).split("gap ")[1].split(" m ")[0]) == pytest.approx(gap, rel=1e-3)  # four digits


def test_an_unreachable_driver_is_named_with_what_it_misses():
    m = open_chain(0.04, 0.03, ground=0.05)
    m.driver("push", "bar1.phi", "2.0")
    m2 = open_chain(0.04, 0.03, 0.02, ground=0.08)
    m2.driver("push", "bar1.phi", "2.5")
    with pytest.raises(
        tm.AssemblyError, match=r"the joints close, but not with driver 'push' at t = 0 s: bar1\.phi misses"
    ):
        m2.assemble()


def test_contradictory_constraints_are_named():
    m = tm.PlanarModel()
    b = m.body("b")
    m.constrain("here", b.x, value=0.0)
    m.constrain("there", b.x, value=0.1)
    with pytest.raises(tm.AssemblyError, match=r"'there' contradict the other constraints"):
        m.assemble()


def test_a_formula_without_a_value_is_named():
    m = tm.PlanarModel()
    b = m.body("b", position=(-1.0, 0.0))
    m.equation("root", "sqrt(b.x) - 2")
    with pytest.raises(tm.AssemblyError, match=r"equation 'root'.*not a number"):
        m.assemble()
    assert b.name == "b"


def test_assembly_moves_as_little_as_it_can():
    """A free body drawn off a line must go straight to it, not slide along: the step is the smallest one."""
    m = tm.PlanarModel()
    b = m.body("b", position=(3.0, 0.5))
    m.constrain("on_axis", b.y, value=0.0)
    x, y, phi = m.assemble().pose("b")
    assert (x, y, phi) == (pytest.approx(3.0, abs=1e-15), pytest.approx(0.0, abs=1e-15), 0.0)


def parallel_cranks(angle=math.pi / 2):
    """Double parallel crank (Nikravesh fig. 3.8; data from the digest, section 3.3)."""
    m = tm.PlanarModel("double parallel crank")
    c, s = math.cos(angle), math.sin(angle)
    c1 = m.body("c1", position=(0.5 * c, 0.5 * s), angle=angle)
    c2 = m.body("c2", position=(2 + 0.5 * c, 0.5 * s), angle=angle)
    k1 = m.body("k1", position=(1 + c, s))
    k2 = m.body("k2", position=(1 + 0.6 * c, 0.6 * s))
    m.revolute("O1", m.ground, c1, at=(0, 0))
    m.revolute("O2", m.ground, c2, at=(2, 0))
    m.revolute("A1", c1, k1, at=(c, s))
    m.revolute("A2", c2, k1, at=(2 + c, s))
    m.revolute("B1", c1, k2, at=(0.6 * c, 0.6 * s))
    m.revolute("B2", c2, k2, at=(2 + 0.6 * c, 0.6 * s))
    return m


def test_double_parallel_crank_has_twelve_rows_rank_eleven():
    found = parallel_cranks().mobility()
    assert (found.coordinates, found.constraints, found.rank) == (12, 12, 11)
    assert found.count == 0 and found.dof == 1
    assert found.redundant_joints == ("B2",)
    assert not found.singular
    assert "redundant: a row of 'B2'" in str(found)


def test_a_change_point_is_told_from_a_redundant_constraint():
    """All bars of the parallelogram in line: rank drops here only, nothing is redundant."""
    m = parallel_cranks(angle=0.0).copy(without=["B1", "B2"])
    m = m.copy(changes={"k2": {}})
    m.fix("parked", "k2")
    found = m.mobility()
    assert found.singular
    assert found.dof == found.generic_dof + 1
    assert found.redundant == ()
    assert "singular" in str(found)


def test_consistent_redundant_constraints_are_solved():
    m = parallel_cranks()
    m.driver("motor", "c1.phi", "pi/2 + t")
    k = m.kinematics(1.0, samples=51)
    assert k.redundant == ("B2",)
    np.testing.assert_allclose(k["c2"].phi, math.pi / 2 + k.times, atol=1e-13)
    np.testing.assert_allclose(k["k2"].phi, 0.0, atol=1e-13)
    assert k.constraint_violation() < 1e-14


def test_redundancy_that_becomes_a_contradiction_is_caught():
    """Drawn vertical, a slightly shorter second coupler pin fits; turned, it does not."""
    m = parallel_cranks().copy(without=["B1", "B2"])
    m.link("tie", m["c1"].at(0.1, 0.0), m["c2"].at(0.3, 0.0))
    m.fix("parked", "k2")
    m.driver("motor", "c1.phi", "pi/2 + t")
    m.driver("second", "c2.phi", "pi/2 + t")
    with pytest.raises(tm.MobilityError):
        m.kinematics(1.0)


@pytest.mark.parametrize("swapped", [False, True])
@pytest.mark.parametrize("turns", [-2, 0, 1])
def test_a_driven_joint_may_name_the_ground_first_or_last(swapped, turns):
    """Its angle then counts the other way round, and a driver some turns off still means the pose as drawn."""
    m = tm.PlanarModel("crank")
    m.body("crank", angle=0.5)
    places = (m.ground.at(0, 0), m["crank"].at(0, 0))
    m.revolute("A", *(reversed(places) if swapped else places))
    sign = -1.0 if swapped else 1.0
    m.driver("motor", "A.angle", sign * 0.6 + 2 * math.pi * turns)
    found = m.assemble()
    assert found.pose("crank")[2] == pytest.approx(0.6 + sign * 2 * math.pi * turns, abs=1e-12)


@pytest.mark.parametrize("length", [1.0, 1.02, 1.05, 1.3, 0.97, 0.5])
def test_a_third_link_is_redundant_only_if_it_is_as_long_as_its_neighbours(length):
    """Two links of 1 m let the coupler move on circles of 1 m; a third one, parallel as drawn, follows a circle of its own."""
    m = tm.PlanarModel("frame")
    m.body("coupler", position=(0, 0))
    for k, (x, size) in enumerate(((-1.0, 1.0), (0.5, length), (1.0, 1.0))):
        m.body(f"link{k}", position=(x, -size / 2))
        m.revolute(f"A{k}", m.ground, f"link{k}", at=(x, -size))
        m.revolute(f"B{k}", f"link{k}", "coupler", at=(x, 0))
    found = m.mobility()
    assert (found.dof, found.generic_dof) == (1, 1 if length == 1.0 else 0)
    assert (bool(found.redundant), found.singular) == (length == 1.0, length != 1.0)
