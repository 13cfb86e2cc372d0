"""Whole turns of angles at the start and end of an assembly, displacements of bodies, and counted angles."""

import math

import numpy as np
import pytest

import pytrammel as tm
from pytrammel.analysis.positions.assembly import _finished, active_rows, assemble, counted_bodies, whole_turns
from pytrammel.system.lowering import lower

TAU = math.tau


def two_hinges(first, second):
    """Two hinges about different axes in space, both driven."""
    m = tm.SpatialModel("arms")
    m.body("one", position=(0.5, 0, 0))
    m.body("two", position=(1.5, 0, 0))
    m.revolute("A", m.ground, "one", at=(0, 0, 0), axis="z")
    m.revolute("B", "one", "two", at=(1, 0, 0), axis="y")
    m.driver("first", m["A"].angle, first)
    m.driver("second", m["B"].angle, second)
    return m


@pytest.mark.parametrize(
    ("first", "second", "goals"),
    [(0.2, 20.0, (0, 3)), (-15.0, 0.1, (-2, 0)), (7.0, -14.0, (1, -2)), ("7 + 3*t", "2*t", (3, 1))],
)
def test_driven_angles_in_space_are_counted_from_the_turn_of_their_drivers(first, second, goals):
    """The number of turns is the angle at t = 3 s over 2π, rounded."""
    m, time = two_hinges(first, second), 3.0
    system = lower(m)
    start = whole_turns(system, active_rows(system), time)
    counters = start[system.n_coordinates - 2 :]
    assert counters / TAU == pytest.approx(goals, abs=1e-12)
    assert np.array_equal(start[: system.n_coordinates - 2], system.start[: system.n_coordinates - 2])


def wheels():
    """A hanging body, a driven one, and two wheels with teeth."""
    m = tm.PlanarModel("wheels")
    for k, name in enumerate(("free", "turned", "big", "small")):
        m.body(name, position=(float(k), 0.0), mass=1.0, inertia=1.0)
        m.revolute(f"J{name}", m.ground, name, at=(float(k), 0.0))
    m.driver("motor", m["Jturned"].angle, 30.0)
    m.gear("teeth", "big", "small", radii=(0.6, 0.4))
    return m


def test_driven_angles_in_the_plane_begin_in_the_turn_of_their_driver():
    system = lower(wheels())
    start = whole_turns(system, active_rows(system), 0.0)
    turned = system.columns.index("turned.phi")
    assert start[turned] == pytest.approx(round(30.0 / TAU) * TAU, rel=1e-15)
    assert np.array_equal(np.delete(start, turned), np.delete(system.start, turned))


@pytest.mark.parametrize("angle", [-2.9, 0.0, 2.9])
@pytest.mark.parametrize("turned_round", [False, True])
@pytest.mark.parametrize("target", [30.0, -30.0, "30/(t - 1)"])
def test_turns_are_those_nearest_to_the_drawn_angle(angle, turned_round, target):
    """The angle of a hinge is the angle of its second body less the angle of the first: the ground first, or second."""
    m = tm.PlanarModel("wheel")
    m.body("wheel", angle=angle)
    pair = ("wheel", m.ground) if turned_round else (m.ground, "wheel")
    m.revolute("J", *pair, at=(0, 0))
    m.driver("motor", m["J"].angle, target)
    system = lower(m)
    sign, goal = -1.0 if turned_round else 1.0, -30.0 if target == "30/(t - 1)" else target
    turn = whole_turns(system, active_rows(system), 0.0)[2] - angle
    assert turn / TAU == pytest.approx(sign * round((goal - m.drawn_value(m["J"].angle)) / TAU), abs=1e-12)
    if target == "30/(t - 1)":
        with np.errstate(all="ignore"):
            assert whole_turns(system, active_rows(system), 1.0)[2] == angle


def test_a_driver_between_two_bodies_turns_the_second():
    m = tm.PlanarModel("arm")
    m.body("one")
    m.body("two", position=(1.0, 0.0))
    m.revolute("A", m.ground, "one", at=(0, 0))
    m.revolute("B", "one", "two", at=(1, 0))
    m.driver("motor", m["B"].angle, 30.0)
    m.driver("base", m["A"].angle, 0.1)
    system = lower(m)
    assert whole_turns(system, active_rows(system), 0.0)[[2, 5]] / TAU == pytest.approx((0.0, 5.0), abs=1e-12)


def test_rows_of_angles_count_turns_while_teeth_roll_in_metres():
    system = lower(wheels())
    assert set(counted_bodies(system, {"motor", "teeth"})) - {"ground"} == {"turned"}
    assert not counted_bodies(system, {"Jfree", "teeth"})


@pytest.mark.parametrize(("tries", "unwound"), [(1, 0), (2, 1)])
def test_wound_angles_are_unwound_after_wild_starts_unless_turns_count(tries, unwound):
    system = lower(wheels())
    begin = np.asarray(system.start, dtype=float)
    begin[2::3] += 2.0
    q = begin.copy()
    q[::3] += 7.0 * TAU  # x, metres
    q[2::3] += 2.0 * TAU + 0.3
    found = _finished(system, q.copy(), begin, 0.0, np.array([4.0, 1e-12, 0.0]), tries, None)
    names = ("free", "turned", "big", "small")
    for name in names:
        k = system.columns.index(f"{name}.phi")
        left = 2.0 * TAU * (1 - unwound) if name == "free" else 2.0 * TAU
        assert found.q[k] - begin[k] == pytest.approx(0.3 + left, abs=1e-12)
        assert found.q[k - 2] - begin[k - 2] == pytest.approx(7.0 * TAU, abs=1e-12)
    assert (found.iterations, found.tries, found.residual) == (4, tries, 1e-12)


def test_displacements_of_bodies_are_shift_with_turn():
    m = tm.PlanarModel("plane")
    m.body("a", position=(1.0, 2.0), angle=0.1)
    m.body("b", position=(0.0, 0.0))
    system = lower(m)
    begin = np.asarray(system.start, dtype=float)
    found = _finished(system, begin + (3.0, 4.0, -0.5, 0.0, -2.0, 0.25), begin, 0.0, np.zeros(3), 1, None)
    assert [(move.body, move.shift, move.turn) for move in found.moves] == [
        ("a", pytest.approx(5.0), pytest.approx(-0.5)),
        ("b", pytest.approx(2.0), pytest.approx(0.25)),
    ]


def test_turns_of_bodies_in_space_are_angles_of_rotation():
    """The body is drawn off its hinge by a shift and a rotation about an axis across."""
    m = tm.SpatialModel("space")
    turn = tm.rotations.from_axis_angle((1.0, 0.0, 0.0), 0.4)
    m.body("one", position=(0.0, 0.0, 0.0))
    m.body("two", position=(0.0, 0.3, 0.4), rotation=tuple(turn))
    m.weld("W", m.ground, "one", at=(0, 0, 0))
    m.revolute("A", m.ground.marker((0, 0, 0), axis="z", x="x"), m["two"].marker((0, 0, 0), axis="z", x="x"))
    one, two = assemble(m).moves
    assert (one.body, one.shift, one.turn) == ("one", 0.0, 0.0)
    assert (two.body, two.shift, two.turn) == ("two", pytest.approx(0.5, abs=1e-9), pytest.approx(0.4, abs=1e-9))
