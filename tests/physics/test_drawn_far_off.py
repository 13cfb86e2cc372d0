"""Joints made of markers close with their z axes the same way, however far off the bodies were drawn."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

import pytrammel as tm
from pytrammel.analysis.positions.alignment import alignments, poses, steered, wrong_way
from pytrammel.analysis.positions.assembly import assemble
from pytrammel.errors import AssemblyError
from pytrammel.system.lowering import lower
from spatial_directions import random_pose

pytestmark = pytest.mark.search

WHOLE_FRAME = ("prismatic", "weld")
ONE_AXIS = ("revolute", "cylindrical", "planar", "screw", "parallel_axes")


def random_marker(body, rng):
    axes = np.asarray(tm.rotations.matrix(random_pose(rng)["rotation"]))
    return body.marker(rng.normal(size=3), axis=tuple(axes[:, 2]), x=tuple(axes[:, 0]))


def drawn_axes(closed, marker):
    """Axes of a marker in the assembled position, from the pose alone."""
    turned = np.asarray(tm.rotations.matrix(np.array(closed.pose(marker.body)[3:])))
    return turned @ np.array(marker.axes)


@pytest.mark.parametrize("kind", [*ONE_AXIS, *WHOLE_FRAME])
@pytest.mark.parametrize("seed", range(6))
def test_a_chain_of_joints_drawn_anyhow_closes_with_axes_the_same_way(kind, seed):
    rng = np.random.default_rng(seed)
    m = tm.SpatialModel("chain")
    bodies = [m.ground, *(m.body(name, **random_pose(rng)) for name in "abc")]
    pairs = []
    for k in range(3):
        pair = random_marker(bodies[k], rng), random_marker(bodies[k + 1], rng)
        getattr(m, kind)(f"J{k}", *pair, **({"lead": 0.1} if kind == "screw" else {}))
        pairs.append(pair)
    closed = assemble(m)
    for i, j in pairs:
        cosines = drawn_axes(closed, i).T @ drawn_axes(closed, j)
        assert cosines[2, 2] == pytest.approx(1.0, abs=1e-9)
        if kind in WHOLE_FRAME:
            assert cosines == pytest.approx(np.eye(3), abs=1e-9)


@pytest.mark.parametrize("off", [100.0, 135.0, 179.0, 180.0])
@pytest.mark.parametrize("kind", ["revolute", "weld", "prismatic"])
def test_a_body_drawn_more_than_a_right_angle_off_is_turned_the_right_way(kind, off):
    m = tm.SpatialModel("off")
    body = m.body("b", rotation=tuple(tm.rotations.from_axis_angle((1.0, 0.0, 0.0), np.radians(off))))
    getattr(m, kind)("J", m.ground.marker((0, 0, 0), axis="z", x="x"), body.marker((0, 0, 0), axis="z", x="x"))
    turned = np.asarray(tm.rotations.matrix(np.array(assemble(m).pose("b")[3:])))
    assert turned[2, 2] == pytest.approx(1.0, abs=1e-9)


def test_a_reversed_marker_is_obeyed_and_not_mirrored_away():
    m = tm.SpatialModel("reversed")
    body = m.body("b", mass=1.0, inertia=0.1)
    m.revolute("J", m.ground.marker((0, 0, 0), axis="z"), body.marker((0, 0, 0), axis="-z"))
    turned = np.asarray(tm.rotations.matrix(np.array(assemble(m).pose("b")[3:])))
    assert turned[2, 2] == pytest.approx(-1.0, abs=1e-9)  # the body is turned over so that its -z axis points up
    run = m.simulate(0.1, samples=2, progress=False)
    assert run["b"].matrix[0, 2, 2] == pytest.approx(-1.0, abs=1e-9)


def test_axes_that_cannot_point_the_same_way_get_a_sentence():
    m = tm.SpatialModel("loop")
    body = m.body("b")
    m.fix("F", body)
    m.revolute("J", m.ground.marker((0, 0, 0), axis="z"), body.marker((0, 0, 0), axis="-z"))
    with pytest.raises(AssemblyError, match=r"only with the axes of revolute 'J' .*opposite ways.*Reverse the axis"):
        assemble(m)


@pytest.mark.parametrize("seed", range(8))
def test_an_orientation_driver_gets_what_it_asks_for_from_any_start(seed):
    rng = np.random.default_rng(seed)
    m = tm.SpatialModel("table")
    body = m.body("b", **random_pose(rng))
    m.spherical("O", m.ground.at(0, 0, 0), body.at(0.1, 0.2, 0.3))
    angles = rng.uniform(-3, 3, size=3)
    m.orientation_driver("D", body, tuple(angles), sequence="zxz")
    turned = np.asarray(tm.rotations.matrix(np.array(assemble(m).pose("b")[3:])))
    goal = np.asarray(tm.rotations.matrix(tm.rotations.from_angles(angles, "zxz")))
    assert turned == pytest.approx(goal, abs=1e-9)


def test_an_orientation_that_cannot_be_reached_gets_a_sentence():
    m = tm.SpatialModel("stuck")
    body = m.body("b")
    m.revolute("H", m.ground, body, at=(0, 0, 0), axis="z")
    m.orientation_driver("D", body, (0.4, 0.0, 0.0))
    with pytest.raises(AssemblyError, match=r"not with driver 'D' .*orientation of b misses its value"):
        assemble(m)


@pytest.mark.parametrize("seed", range(4))
def test_shafts_of_a_constant_velocity_joint_close_untwisted_from_any_start(seed):
    rng = np.random.default_rng(seed)
    m = tm.SpatialModel("shafts")
    body = m.body("b", **random_pose(rng))
    i, j = random_marker(m.ground, rng), random_marker(body, rng)
    m.constant_velocity("C", i, j)
    p = tm.rotations.parameters(np.array(i.axes).T @ drawn_axes(assemble(m), j))
    assert p[3] == pytest.approx(0.0, abs=1e-9)  # swung about an axis across the shaft, never twisted


def hinged_chain(turns):
    """Three bars hinged one after the other about parallel axes; each drawn turned about y by its angle, with its hinge closed."""
    m = tm.SpatialModel("chain")
    bodies, end = [], np.zeros(3)
    for k, turn in enumerate(turns):
        rotation = tm.rotations.from_axis_angle((0.0, 1.0, 0.0), turn)
        half = np.asarray(tm.rotations.matrix(rotation)) @ [0.5, 0.0, 0.0]
        bodies.append(m.body(f"b{k}", position=tuple(end + half), rotation=tuple(rotation), mass=1.0, inertia=0.1))
        end = end + 2.0 * half
    ends = [m.ground.marker(), *(b.marker((0.5, 0.0, 0.0)) for b in bodies)]
    for k, b in enumerate(bodies):
        m.revolute(f"J{k}", ends[k], b.marker((-0.5, 0.0, 0.0)))
    return m


@pytest.mark.parametrize(
    "turns", [(3.0, 0.0, 0.0), (0.0, 3.0, 0.0), (0.0, 3.0, 3.0), (2.5, 0.0, 2.5), (0.1, -0.2, 0.3)]
)
def test_a_start_turns_only_what_points_the_wrong_way_and_about_its_joint(turns):
    """Then hinges that were closed stay closed, and bodies before the first wrong joint stay where they were drawn."""
    m = hinged_chain(turns)
    system = lower(m)
    found = alignments(m, list(m.constraints), 0.0)
    q = system.start
    out = steered(found, system, q, every=False)
    assert not wrong_way(found, system, out)
    wrong = wrong_way(found, system, q)
    first = int(wrong[0][1:]) if wrong else 3
    np.testing.assert_allclose(out[: 7 * first], q[: 7 * first], rtol=0, atol=1e-15)
    places, turned = poses(system, out)
    for k in range(3):
        end = np.zeros(3) if k == 0 else places[f"b{k - 1}"] + turned[f"b{k - 1}"] @ [0.5, 0.0, 0.0]
        np.testing.assert_allclose(places[f"b{k}"] + turned[f"b{k}"] @ [-0.5, 0.0, 0.0], end, atol=1e-12)


@pytest.mark.parametrize("kind", ["revolute", "weld"])
@pytest.mark.parametrize("seed", range(3))
def test_a_start_that_turns_every_joint_closes_a_chain(kind, seed):
    """In a chain without loops the start is the solution: points coincide, and axes point the same way."""
    rng = np.random.default_rng(seed)
    m = tm.SpatialModel("chain")
    bodies = [m.ground, *(m.body(name, **random_pose(rng)) for name in "abcd")]
    pairs = [(random_marker(one, rng), random_marker(two, rng)) for one, two in pairwise(bodies)]
    for k, pair in enumerate(pairs):
        getattr(m, kind)(f"J{k}", *(pair if k % 2 else pair[::-1]))
    system = lower(m)
    places, turned = poses(system, steered(alignments(m, list(m.constraints), 0.0), system, system.start, every=True))
    for i, j in pairs:
        ends = [places[marker.body] + turned[marker.body] @ np.array(marker.local) for marker in (i, j)]
        np.testing.assert_allclose(ends[0], ends[1], atol=1e-12)
        cosines = (turned[i.body] @ np.array(i.axes)).T @ (turned[j.body] @ np.array(j.axes))
        np.testing.assert_allclose(
            cosines if kind == "weld" else cosines[2, 2], np.eye(3) if kind == "weld" else 1.0, atol=5e-3
        )
