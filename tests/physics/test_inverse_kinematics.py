"""Inverse kinematics, working modes and assembly modes against closed forms and independent computations."""

import itertools
import math

import numpy as np
import pytest
from scipy.optimize import brentq

import pytrammel as tm
from pytrammel.errors import AssemblyError, ModelError, RunWarning, SingularError
from pytrammel.examples import delta_robot, stewart_platform
from robot_mechanisms import arm, five_bar, octahedron, ur5, ur5_branches, ur5_frame

SAME = 1e-9  # m or rad: Newton's method ends at rounding, 1e-12 of the scales


def turned(angles):
    """Angles within half a turn."""
    return np.angle(np.exp(1j * np.asarray(angles)))


def same_sets(first, second, tolerance=SAME):
    """Return True if two lists of angles are equal up to order and whole turns."""
    if len(first) != len(second):
        return False
    away = np.abs(turned(np.asarray(first)[:, None] - np.asarray(second)[None])).max(axis=-1)
    return bool((away.min(axis=0) < tolerance).all() and (away.min(axis=1) < tolerance).all())


def crank_angles(point, crank, rod, pivot):
    """Both angles of a crank whose rod ends at a point: the law of cosines."""
    way = np.subtract(point, pivot)
    r = float(np.hypot(*way))
    inside = math.acos((crank**2 + r**2 - rod**2) / (2 * crank * r))
    return [math.atan2(way[1], way[0]) + sign * inside for sign in (1, -1)]


def test_a_five_bar_has_four_working_modes():
    point = (0.12, 0.45)
    found = five_bar().working_modes("P", point)
    expected = itertools.product(crank_angles(point, 0.3, 0.35, (0, 0)), crank_angles(point, 0.3, 0.35, (0.2, 0)))
    assert same_sets(np.column_stack([found["A.angle"], found["E.angle"]]), list(expected))
    assert np.allclose(found.positions, point, rtol=0, atol=SAME)
    assert found.hits.sum() <= found.starts and not found.warnings


def test_a_five_bar_has_two_assembly_modes():
    a, e = 1.9, 1.1
    found = five_bar().assembly_modes({"A.angle": a, "E.angle": e}, place="P")
    left, right = (
        0.3 * np.array((math.cos(a), math.sin(a))),
        np.array((0.2, 0.0)) + 0.3 * np.array((math.cos(e), math.sin(e))),
    )
    way = right - left
    half = np.hypot(*way) / 2
    across = np.array((-way[1], way[0])) / (2 * half) * math.sqrt(0.35**2 - half**2)
    expected = np.array([left + way / 2 + across, left + way / 2 - across])
    assert len(found) == 2
    away = np.linalg.norm(found.positions[:, None] - expected[None], axis=-1)
    assert away.min(axis=0).max() < SAME and away.min(axis=1).max() < SAME


def test_the_eight_branches_of_a_ur5():
    angles = (0.3, -1.1, 1.4, -0.7, 0.9, 0.2)
    tool = ur5_frame(angles)
    closed = ur5_branches(tool)
    assert all(np.allclose(ur5_frame(branch), tool, rtol=0, atol=1e-12) for branch in closed)  # the closed form itself
    found = ur5().working_modes("tool0", tool[:3, 3], orientation=tool[:3, :3])
    assert len(closed) == 8
    assert same_sets(found.q, closed)
    assert np.abs(found.q).max() <= math.pi + SAME


def corners_of_an_octahedron(base, lengths, sides):
    """Positions of the first corner: each corner turns about an edge of the base; the last distance is a function of one angle.

    Griffis and Duffy, A forward displacement analysis of a class of Stewart platforms, J. Robotic Systems 6 (1989): up to 16 positions.
    """
    base = np.column_stack([base, np.zeros(3)])
    circles = []
    for k in range(3):
        a, b = base[k], base[(k + 1) % 3]
        span = np.linalg.norm(b - a)
        along = (b - a) / span
        foot = (lengths[k][0] ** 2 - lengths[k][1] ** 2 + span**2) / (2 * span)
        circles.append((a + foot * along, np.cross(along, (0, 0, 1)), math.sqrt(lengths[k][0] ** 2 - foot**2)))
    distance = [[np.linalg.norm(np.subtract(sides[i], sides[j])) for j in range(3)] for i in range(3)]

    def corner(k, angle):
        centre, level, radius = circles[k]
        return centre + radius * (math.cos(angle) * level + math.sin(angle) * np.array((0, 0, 1.0)))

    def at_distance(k, point, d, sign):
        """Angle of corner k at a distance from a point."""
        centre, level, radius = circles[k]
        way = point - centre
        x, y = way @ level, way[2]
        cosine = (way @ way + radius**2 - d**2) / (2 * radius * math.hypot(x, y))
        return math.nan if abs(cosine) > 1 else math.atan2(y, x) + sign * math.acos(cosine)

    def misfit(angle, signs):
        first = corner(0, angle)
        second, third = (at_distance(k, first, distance[0][k], signs[k - 1]) for k in (1, 2))
        return (
            math.nan
            if math.isnan(second + third)
            else np.linalg.norm(corner(1, second) - corner(2, third)) - distance[1][2]
        )

    grid = np.linspace(-math.pi, math.pi, 1441) + 0.001
    found = []
    for signs in itertools.product((1, -1), repeat=2):
        values = np.array([misfit(angle, signs) for angle in grid])
        for k in np.flatnonzero(values[:-1] * values[1:] < 0):
            found.append(corner(0, brentq(misfit, grid[k], grid[k + 1], args=(signs,), xtol=1e-14)))
    return np.array(found)


OCTAHEDRA = {
    "tall": (
        ((1.0, 0.0), (-0.5, 0.9), (-0.6, -0.8)),
        ((1.25, 1.3), (1.2, 1.35), (1.3, 1.2)),
        ((0.5, 0.1), (-0.3, 0.45), (-0.2, -0.5)),
    ),
    "flat": (
        ((1.0, 0.0), (-0.5, 0.9), (-0.6, -0.8)),
        ((1.05, 1.2), (1.0, 1.15), (1.1, 1.0)),
        ((0.9, 0.1), (-0.5, 0.75), (-0.4, -0.9)),
    ),
}


@pytest.mark.parametrize("name", OCTAHEDRA)
def test_assembly_modes_of_a_platform_on_three_corners(name):
    base, lengths, sides = OCTAHEDRA[name]
    expected = corners_of_an_octahedron(base, lengths, sides)
    assert len(expected) >= 4
    m = octahedron(base, lengths, sides)
    m.point("first", "platform", local=(*sides[0], 0.0))
    found = m.assembly_modes(place="first")
    assert len(found) == len(expected)
    away = np.linalg.norm(found.positions[:, None] - expected[None], axis=-1)
    assert away.min(axis=0).max() < 1e-7 and away.min(axis=1).max() < 1e-7  # brentq on a square root
    assert np.allclose(
        np.sort(found.positions[:, 2]), np.sort(-found.positions[:, 2]), rtol=0, atol=1e-8
    )  # mirrored in the base


def test_assembly_modes_of_the_stewart_platform():
    m = stewart_platform.build()
    legs = {f"slide{k}.distance": 0.02 * k - 0.05 for k in range(1, 7)}
    found = m.assembly_modes(legs, actuators=list(legs), place="centre")
    feet, heads = (np.array(stewart_platform.ring(*args)) for args in ((0.8, 0.0, 30), (0.5, 0.9, 90)))
    drawn = np.linalg.norm(heads - feet, axis=1)
    lengths = drawn + np.array(list(legs.values()))
    for k in range(len(found)):
        rotation = tm.rotations.matrix(found.bodies[k][3:7])  # the platform is the first body
        ends = found.bodies[k][:3] + (heads - (0, 0, 0.9)) @ rotation.T
        reached = np.linalg.norm(ends - feet, axis=1)
        assert np.allclose(reached, lengths, rtol=0, atol=1e-8)
    assert len(found) % 2 == 0  # base and platform are plane: each position has a mirrored one


def test_the_branch_is_kept_along_a_path():
    s = np.linspace(0, math.tau, 41)
    path = np.column_stack([0.1 + 0.05 * np.cos(s), 0.45 + 0.05 * np.sin(s)])
    m = five_bar()
    modes = m.working_modes("P", path[0])
    for start in modes.q:
        found = m.inverse_kinematics("P", path, near=start)
        branch = [
            int(np.argmin([abs(turned(start[k] - angle)) for angle in crank_angles(path[0], 0.3, 0.35, pivot)]))
            for k, pivot in ((0, (0, 0)), (1, (0.2, 0)))
        ]
        for name, sign, pivot in (("A.angle", branch[0], (0, 0)), ("E.angle", branch[1], (0.2, 0))):
            expected = [crank_angles(point, 0.3, 0.35, pivot)[sign] for point in path]
            assert np.abs(turned(found[name] - expected)).max() < SAME
        assert np.abs(np.diff(found.q, axis=0)).max() < 0.1  # no jump by a turn
        assert np.allclose(found.q[0], found.q[-1], rtol=0, atol=SAME)


def test_few_targets_keep_the_branch_too():
    tool = ur5_frame((0.3, -1.1, 1.4, -0.7, 0.9, 0.2))
    end = ur5_frame((0.8, -0.8, 1.1, -0.4, 1.2, 0.5))
    m = ur5()
    for start in ur5_branches(tool):
        try:
            found = m.inverse_kinematics(
                "tool0", [tool[:3, 3], end[:3, 3]], orientation=[tool[:3, :3], end[:3, :3]], near=start
            )
        except SingularError as error:
            assert len(error.partial) == 1
            continue
        signs = [[math.copysign(1, math.sin(q[k])) for k in (2, 4)] for q in found.q]  # elbow and wrist
        assert signs[0] == signs[1]
        assert np.allclose(ur5_frame(found.q[1]), end, rtol=0, atol=1e-8)


def test_a_path_that_leaves_the_workspace_hands_over_a_partial_result():
    path = [(0.1, 0.45), (0.1, 0.55), (0.1, 0.9)]
    with pytest.raises(SingularError, match=r"target 2 \(0.1, 0.9\) cannot be reached on this branch") as caught:
        five_bar().inverse_kinematics("P", path)
    assert np.allclose(caught.value.partial.positions, path[:2], rtol=0, atol=SAME)


def test_a_singularity_of_type_2_is_reported():
    # rods in line: the modes of assembly meet where the cranks' ends are 2 x 0.35 apart: x = -0.15 and y = 0.26 at the left
    m = five_bar(crank=0.3, base=0.4, rod=0.35)
    near = {"A.angle": 2.0, "E.angle": 1.14, "B.angle": -1.6, "D.angle": 1.6}
    with pytest.warns(RunWarning, match="crosses a singularity of type 2"):
        found = m.inverse_kinematics("P", [(0.2, 0.4), (0.2, 0.15)], near=near)
    assert found.parallel.min() > 0.0


def test_a_redundant_arm_moves_with_the_smallest_displacements():
    m = arm(0.4, 0.3, 0.2)
    near = np.array((0.4, 0.5, 0.6))
    f = m.functions()
    here = f.position("P", near)
    found = m.inverse_kinematics("P", [here, here + (1e-4, 2e-4)], near=near)
    step = np.linalg.pinv(f.jacobian("P", near)[:2]) @ (1e-4, 2e-4)
    assert np.allclose(found.q[1] - near, step, rtol=0, atol=1e-6)  # terms of second order in 1e-3
    with pytest.raises(ModelError, match="infinitely many"):
        m.working_modes("P", here)


def test_orientation_in_the_plane_and_in_space():
    m = arm(0.4, 0.3, 0.2)
    found = m.working_modes("P", (0.5, 0.3), orientation=0.4)
    assert len(found) == 2  # elbow up and down
    assert np.abs(turned(found.q.sum(axis=1) - 0.4)).max() < SAME
    tool = ur5_frame((0.3, -1.1, 1.4, -0.7, 0.9, 0.2))
    level = tm.rotations.matrix(tm.rotations.exp([0.1, -0.2, 0.3])) @ tool[:3, :3]
    motion = ur5().inverse_kinematics("tool0", tool[:3, 3], orientation=level, near=(0.3, -1.1, 1.4, -0.7, 0.9, 0.2))
    assert np.allclose(ur5_frame(motion.q[0])[:3, :3], level, rtol=0, atol=SAME)


def test_limits_choose_branches():
    m, point = five_bar(), (0.12, 0.45)
    every = m.working_modes("P", point)
    some = m.working_modes("P", point, limits={"A.angle": (1.6, 3.2), "E.angle": (-1.57, 1.57)})
    expected = [q for q in every.q if 1.6 < q[0] < 3.2 and abs(q[1]) < 1.57]
    assert len(some) == len(expected) > 0
    with pytest.raises(AssemblyError, match=r"none of \d+ starts"):
        m.working_modes("P", point, limits={"A.angle": (3.0, 3.1)})
    with pytest.raises(AssemblyError, match="cannot be reached within the limits of the joints"):
        m.inverse_kinematics("P", point, limits={"A.angle": (3.0, 3.1)})


def test_a_delta_robot_follows_a_circle():
    s = np.linspace(0, math.tau, 13)
    path = np.column_stack([0.1 * np.cos(s), 0.1 * np.sin(s), np.full(13, -0.45)])
    arms = [f"shoulder{k}.angle" for k in (1, 2, 3)]
    found = delta_robot.build().inverse_kinematics("tool", path, actuators=arms)
    reach, rod, length, plate = delta_robot.BASE, delta_robot.ROD, delta_robot.ARM, delta_robot.PLATE
    for k, name in enumerate(arms):
        a = math.tau * k / 3
        out, side = np.array((math.cos(a), math.sin(a), 0)), np.array((-math.sin(a), math.cos(a), 0))
        for point, angle in zip(path, found[name], strict=True):
            elbow = (reach + length * math.cos(angle)) * out + length * math.sin(angle) * np.array((0, 0, 1.0))
            rods = point + plate * out - elbow
            assert abs(math.sqrt(rods @ rods) - rod) < SAME
            assert abs((rods @ side) - point @ side) < SAME


def test_drawn_models_stand_where_the_modes_are():
    found = five_bar().assembly_modes({"A.angle": 1.9, "E.angle": 1.1})
    for k in range(len(found)):
        copy = found.drawn(k)
        assert copy.assemble().iterations <= 2
        assert np.allclose(
            copy.functions().position("P", copy.functions().start), five_bar().functions().position("P", found.q[k])
        )


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda m: m.inverse_kinematics("Q", (0.1, 0.45)), "Q"),
        (lambda m: m.inverse_kinematics("P", (0.1, 0.45, 0.0)), r"shape \(3,\), but must be \(2,\)"),
        (lambda m: m.inverse_kinematics("P", (0.1, math.nan)), "finite"),
        (lambda m: m.inverse_kinematics("P", (0.1, 0.45), orientation=0.3), "exceed 2 degrees of freedom"),
        (lambda m: m.inverse_kinematics("P", (0.1, 0.45), components=("z",)), "not one of x, y"),
        (lambda m: m.inverse_kinematics("P", (0.1, 0.45), near={"Z": 1}), "not a coordinate"),
        (
            lambda m: m.inverse_kinematics("P", (0.1, 0.45), limits={"A.angle": (2, 1)}),
            "lower limit 2, but its upper limit is 1",
        ),
        (lambda m: m.inverse_kinematics("P", (0.1, 0.45), limits={"C.angle": (1, 2)}), "not a coordinate of a joint"),
        (lambda m: m.working_modes("P", [(0.1, 0.45), (0.1, 0.46)]), "2 targets are given, but must be one"),
        (lambda m: m.working_modes("P", (0.1, 1.45)), "none of"),
        (lambda m: m.assembly_modes({"B.angle": 1.0}), "not an actuator"),
        (lambda m: m.assembly_modes(actuators=["A.angle"]), "1 actuator .* for 2 degrees of freedom"),
        (lambda m: m.assembly_modes({"A.angle": math.pi, "E.angle": 0.0}, n_starts=300), "none of 300 starts"),
        (lambda m: m.assembly_modes(n_starts=0), "at least 1"),
    ],
)
def test_bad_input_has_a_message(call, message):
    with pytest.raises(tm.TrammelError, match=message):
        call(five_bar(base=0.4))
