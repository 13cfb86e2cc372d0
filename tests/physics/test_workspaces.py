"""Workspaces, singular loci, manipulability and time-optimal motions against closed forms and independent computations."""

import itertools
import math

import numpy as np
import pytest
from scipy.optimize import brentq, linprog

import pytrammel as tm
from pytrammel.analysis.robotics.time_optimal import _extreme_x
from pytrammel.errors import AssemblyError, ModelError, RunWarning
from pytrammel.examples import delta_robot, stewart_platform
from robot_mechanisms import arm, five_bar, ur5, ur5_branches

# The boundary is where Newton's method fails; near singularities its residual of 1e-12 moves positions by its root, 1e-6.
BOUNDARY = 1e-6

QUIET = {"progress": False}


def elbows(point, crank, rod, pivot):
    """Both elbows of a crank and a rod that ends at a point."""
    way = np.subtract(point, pivot)
    r = float(np.hypot(*way))
    cosine = np.clip((crank**2 + r**2 - rod**2) / (2 * crank * r), -1.0, 1.0)
    turn = math.atan2(way[1], way[0])
    return [
        np.add(pivot, crank * np.array((math.cos(turn + s * a), math.sin(turn + s * a))))
        for s in (1, -1)
        for a in [math.acos(cosine)]
    ]


# --- workspaces ------------------------------------------------------------------------------------------------------------


def test_the_workspace_of_two_links_is_a_ring():
    w = arm(0.5, 0.3).workspace("P", near={"J2.angle": 0.7}, cells=40, **QUIET)
    assert w.size == pytest.approx(math.pi * (0.8**2 - 0.2**2), rel=2e-4)  # polygons of 40 cells: about (h / r)^3
    r = np.linalg.norm(w.type_1, axis=1)
    assert np.minimum(abs(r - 0.8), abs(r - 0.2)).max() < BOUNDARY
    assert not len(w.type_2) and not len(w.limited) and not w.warnings
    length = np.linalg.norm(np.diff(w.type_1_lines, axis=1), axis=2).sum()  # of chords: short by (h / r)² / 24
    assert length == pytest.approx(2.0 * math.pi * (0.8 + 0.2), rel=5e-3)
    # conditioning of J without units at the nodes: lengths over the model's length
    q = w.q[w.reached]
    c = np.cos(q[:, 1])
    J = np.zeros((len(q), 2, 2))
    s1, s12 = np.sin(q[:, 0]), np.sin(q[:, 0] + q[:, 1])
    c1, c12 = np.cos(q[:, 0]), np.cos(q[:, 0] + q[:, 1])
    J[:, 0], J[:, 1] = (
        np.stack([-0.5 * s1 - 0.3 * s12, -0.3 * s12], -1),
        np.stack([0.5 * c1 + 0.3 * c12, 0.3 * c12], -1),
    )
    sizes = np.linalg.svd(J, compute_uv=False)
    assert np.allclose(w.dexterity[w.reached], sizes[:, 1] / sizes[:, 0], rtol=1e-9)
    assert np.allclose(w.manipulability[w.reached] * w.length**2, 0.15 * np.sqrt(1 - c**2), rtol=1e-9)


@pytest.mark.parametrize(("turn", "elbow"), [(0.0, 0.0), (0.6, 0.0), (0.2, math.pi)])
def test_workspaces_of_arms_that_are_drawn_in_a_singular_position(turn, elbow):
    """Both branches meet in the design configuration; one of them is followed with a warning, and both have the same ring."""
    m, near = arm(0.5, 0.3), {"J1.angle": turn, "J2.angle": elbow}
    with pytest.warns(RunWarning, match=r"branches meet.*near="):
        one = m.workspace("P", near=near, cells=12, **QUIET)
    both = m.workspace("P", near=near, cells=12, branches="all", **QUIET)
    assert len(one) == 1 and len(both) == 2 and not both.warnings
    for size in (one.size, both.size):
        assert size == pytest.approx(math.pi * (0.8**2 - 0.2**2), rel=5e-3)


def test_limits_of_joints_bound_the_workspace():
    w = arm(0.5, 0.3).workspace("P", near={"J2.angle": 0.7}, limits={"J2.angle": (0.5, 2.0)}, cells=40, **QUIET)
    reach = [math.sqrt(0.34 + 0.3 * math.cos(angle)) for angle in (0.5, 2.0)]  # law of cosines
    assert w.size == pytest.approx(math.pi * (reach[0] ** 2 - reach[1] ** 2), rel=5e-4)
    r = np.linalg.norm(w.limited, axis=1)
    assert np.minimum(abs(r - reach[0]), abs(r - reach[1])).max() < BOUNDARY
    assert not len(w.type_1)


@pytest.mark.parametrize(
    ("one", "two", "error"),
    [((-1.1, 1.0), (0.38, 0.95), 0.03), ((0.2, 1.5), (0.3, 1.9), 0.01), ((-0.4, 0.1), (-1.6, -0.7), 0.02)],
)
def test_limits_of_two_joints_give_sectors_of_a_ring(one, two, error):
    """Area between radii from the law of cosines; corners are cut off, so that it is too small."""
    reach = [0.25 + 0.0625 + 0.25 * math.cos(angle) for angle in two]
    exact = 0.5 * (one[1] - one[0]) * abs(reach[0] - reach[1])
    near = {"J1.angle": sum(one) / 2, "J2.angle": sum(two) / 2}
    w = arm(0.5, 0.25).workspace("P", near=near, limits={"J1.angle": one, "J2.angle": two}, cells=40, **QUIET)
    assert not w.warnings
    assert (1.0 - error) * exact < w.size < exact


def test_a_workspace_as_narrow_as_the_cells_is_reported():
    """A part of a ring 50 mm wide on cells of 50 mm, of which neighbours reach one row only."""
    limits = {"J1.angle": (-1.1, 1.0), "J2.angle": (0.38, 0.95)}
    with pytest.warns(RunWarning, match="as narrow as the cells"):
        arm(0.5, 0.245).workspace("P", near={"J2.angle": 0.67}, limits=limits, cells=20, **QUIET)


def test_the_workspace_of_a_five_bar_with_loci_of_both_types():
    crank, rod, base = 0.3, 0.35, 0.2
    w = five_bar().workspace("P", cells=40, branches="all", **QUIET)
    assert len(w) == 4  # working modes
    outer, inner = rod + crank, rod - crank
    lens = 2 * outer**2 * math.acos(base / 2 / outer) - base / 2 * math.sqrt(4 * outer**2 - base**2)
    assert np.allclose(w.sizes, lens - 2 * math.pi * inner**2, rtol=2e-3)  # the holes have a radius of two cells
    away = np.abs(np.linalg.norm(w.type_1[:, None] - [(0, 0), (base, 0)], axis=-1)[..., None] - (outer, inner))
    assert away.min(axis=(1, 2)).max() < BOUNDARY
    assert len(w.type_2) > 100
    for point in w.type_2:  # a rod over the other one, in one of the working modes
        pairs = itertools.product(elbows(point, crank, rod, (0, 0)), elbows(point, crank, rod, (base, 0)))
        sines = [np.cross([*(point - b), 0], [*(point - d), 0])[2] / rod**2 for b, d in pairs]
        assert np.abs(sines).min() < BOUNDARY


def test_without_crossing_the_workspace_ends_at_type_2():
    w = five_bar().workspace("P", cells=40, cross=False, **QUIET)
    whole = five_bar().workspace("P", cells=40, **QUIET)
    assert w.size < whole.size and len(w.type_2)
    f = five_bar().functions()
    q = w.q[0][w.reached[0]]
    b, c, d = (f.position(place, q) for place in ("one", "P", "two"))
    sines = np.cross(np.pad(c - b, ((0, 0), (0, 1))), np.pad(c - d, ((0, 0), (0, 1))))[
        :, 2
    ]  # origins: middles of the rods
    assert (sines > 0).all() or (sines < 0).all()


def test_the_workspace_of_a_stewart_platform_is_where_its_legs_are_long_enough():
    m = stewart_platform.build()
    stroke = 0.2
    legs = [f"slide{k}.distance" for k in range(1, 7)]
    w = m.workspace(
        "centre",
        orientation=np.eye(3),
        actuators=legs,
        limits=dict.fromkeys(legs, (-stroke, stroke)),
        cells=14,
        **QUIET,
    )
    feet = np.array(stewart_platform.ring(stewart_platform.BASE, 0.0, 30))
    heads = np.array(stewart_platform.ring(stewart_platform.TOP, 0.0, 90))
    drawn = np.linalg.norm(heads + (0, 0, stewart_platform.HEIGHT) - feet, axis=1)

    def strokes(points):
        places = np.stack([points[:, 0], np.zeros(len(points)), points[:, 1] - 0.08], axis=-1)
        return np.linalg.norm(heads + places[:, None] - feet, axis=-1) - drawn

    nodes = np.stack(np.meshgrid(*w.axes, indexing="ij"), axis=-1).reshape(-1, 2)
    assert ((np.abs(strokes(nodes)) <= stroke).all(axis=1) & (nodes[:, 1] > 0)).sum() == w.reached.sum()
    assert (np.abs(strokes(nodes[w.reached[0].ravel()])) <= stroke + 1e-9).all()
    assert len(w.limited) and np.abs(np.abs(strokes(w.limited)).max(axis=1) - stroke).max() < BOUNDARY
    assert np.allclose(w.at["y"], 0.0)


def test_the_boundary_of_a_delta_robot_is_where_an_arm_is_stretched_or_folded():
    d = delta_robot
    actuators = [f"shoulder{k}.angle" for k in (1, 2, 3)]
    w = d.build().workspace("tool", actuators=actuators, cells=24, cross=False, **QUIET)
    points = np.stack([w.type_1[:, 0], np.zeros(len(w.type_1)), w.type_1[:, 1]], axis=-1)
    away = []
    for k in range(3):
        out = np.array((math.cos(2 * math.pi * k / 3), math.sin(2 * math.pi * k / 3)))
        e = points[:, :2] @ out + d.PLATE - d.BASE
        aside = points[:, :2] @ (-out[1], out[0])
        rod = np.sqrt(d.ROD**2 - aside**2)  # in the plane of the arm
        away.append(np.abs(np.hypot(e, points[:, 2])[:, None] - np.stack([rod + d.ARM, rod - d.ARM], -1)).min(axis=1))
    assert len(points) > 20
    # the far horns of the region end at singular positions of the plate's rotation
    assert np.mean(np.min(away, axis=0) < BOUNDARY) > 0.9


def test_a_ur5_reaches_every_place_with_a_real_solution():
    near = dict(zip([f"J{k}.angle" for k in range(1, 7)], (0.3, -1.1, 1.4, -0.7, 0.9, 0.2), strict=True))
    turn = ur5().functions().pose("tool0", np.array(list(near.values())))[1]
    w = ur5().workspace("tool0", orientation=turn, near=near, cells=16, **QUIET)
    y = w.at["y"]
    for (i, j), reached in np.ndenumerate(w.reached[0]):
        tool = np.eye(4)
        tool[:3, :3], tool[:3, 3] = turn, (w.axes[0][i], y, w.axes[1][j])
        try:
            solutions = len(ur5_branches(tool))
        except (ValueError, ZeroDivisionError):  # acos: too near to the column
            solutions = 0
        assert not reached or solutions, (w.axes[0][i], w.axes[1][j])
    assert w.reached.sum() > 50


def test_a_volume_and_a_length(tmp_path):
    m = tm.SpatialModel("gantry")
    m.body("a", position=(0, 0, 0), mass=1.0, inertia=0.1)
    m.body("b", position=(0, 0, 0), mass=1.0, inertia=0.1)
    m.body("c", position=(0, 0, 0), mass=1.0, inertia=0.1)
    for name, first, second, axis in (("X", "ground", "a", "x"), ("Y", "a", "b", "y"), ("Z", "b", "c", "z")):
        m.prismatic(name, first, second, at=(0, 0, 0), axis=axis)
    limits = {"X.distance": (-0.5, 0.5), "Y.distance": (-0.3, 0.3), "Z.distance": (-0.2, 0.2)}
    w = m.workspace("c", over=("x", "y", "z"), limits=limits, cells=20, **QUIET)
    assert w.size == pytest.approx(1.0 * 0.6 * 0.4, rel=1e-6)  # boxes around nodes fill a box
    line = m.workspace("c", over=("x",), limits=limits, cells=50, **QUIET)
    assert line.size == pytest.approx(1.0, rel=1e-6)
    assert np.allclose(np.abs(w.limited / (0.5, 0.3, 0.2)).max(axis=1), 1.0, atol=BOUNDARY)
    for name, space in (("volume", w), ("line", line)):
        space.plot(tmp_path / f"{name}.png")
        assert (tmp_path / f"{name}.png").stat().st_size > 5_000


def test_a_box_that_cuts_is_reported():
    with pytest.warns(RunWarning, match="faces of the box"):
        w = arm(0.5, 0.3).workspace("P", near={"J2.angle": 0.7}, box={"x": (0.0, 1.0)}, cells=16, **QUIET)
    assert w.size == pytest.approx(math.pi * (0.8**2 - 0.2**2) / 2, rel=0.02)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"over": ("x", "q")}, "not one of x, y"),
        ({"over": ("x",), "at": {"x": 1.0}}, "component outside of over="),
        ({"box": {"x": (1.0, 0.0)}}, "lower bound 1 m"),
        ({"box": {"z": (0.0, 1.0)}}, "not a component of the grid"),
        ({"orientation": 0.0}, "exceed 2 degrees of freedom"),
        ({"over": ("x",), "at": {"y": 3.0}}, "cannot be reached"),
    ],
)
def test_wrong_options_of_workspaces(options, message):
    with pytest.raises((ModelError, AssemblyError), match=message):
        arm(0.5, 0.3).workspace("P", near={"J2.angle": 0.7}, cells=4, **QUIET, **options)


def test_workspaces_can_be_plotted(tmp_path):
    w = five_bar().workspace("P", cells=20, **QUIET)
    for of in ("dexterity", "manipulability", "serial", "parallel"):
        w.plot(tmp_path / f"{of}.png", of=of)
        assert (tmp_path / f"{of}.png").stat().st_size > 10_000
    with pytest.raises(ModelError, match="dexterity"):
        w.plot(of="beauty")
    with pytest.raises(ModelError, match="branch 3 does not exist"):
        w.plot(branch=3)
    assert "type 2" in str(w)


# --- manipulability --------------------------------------------------------------------------------------------------------


def test_manipulability_of_two_links_is_yoshikawas():
    # Yoshikawa, Manipulability of robotic mechanisms, Int. J. Robotics Research 4 (1985), eq. (24): w = l1 l2 |sin(theta_2)|
    angles = np.linspace(-3.0, 3.0, 13)
    found = arm(0.5, 0.3).manipulability("P", np.stack([np.full(13, 0.4), angles], axis=-1))
    assert np.allclose(found.index, 0.15 * np.abs(np.sin(angles)), rtol=1e-12, atol=1e-15)
    assert np.allclose(np.prod(found.velocities, axis=1), found.index)
    assert np.allclose(found.forces * found.velocities, 1.0)


def test_manipulability_of_a_five_bar_by_its_rods():
    m, point = five_bar(), np.array((0.12, 0.45))
    q = m.working_modes("P", point, **QUIET).q[0]
    found = m.manipulability("P", q)
    f = m.functions()
    b, d = (2 * f.position(body, q) - np.array(pivot) for body, pivot in (("left", (0, 0)), ("right", (0.2, 0))))
    rods = np.array([point - b, point - d])  # rods keep their lengths: (P - B) P' = (P - B) B'
    cranks = np.diag([rods[0] @ (-b[1], b[0]), rods[1] @ (-d[1], d[0] - 0.2)])
    assert found.actuators == ("A.angle", "E.angle")
    assert np.allclose(found.jacobian[0], np.linalg.solve(rods, cranks), rtol=1e-9, atol=1e-12)


def test_a_manipulability_in_space_is_drawn(tmp_path):
    near = dict(zip([f"J{k}.angle" for k in range(1, 7)], (0.3, -1.1, 1.4, -0.7, 0.9, 0.2), strict=True))
    found = ur5().manipulability("tool0", near)
    found.plot(tmp_path / "ur5.png")
    assert (tmp_path / "ur5.png").stat().st_size > 10_000
    J = ur5().functions().jacobian("tool0", found.q[0])[:3]
    assert found.index[0] == pytest.approx(math.sqrt(np.linalg.det(J @ J.T)), rel=1e-9)


# --- time-optimal motion ---------------------------------------------------------------------------------------------------

GRAVITY, MASS, WAY, FORCE = 9.81, 2.0, 0.7, 50.0


def lift(damping=0.0):
    """A mass on a vertical slide."""
    m = tm.PlanarModel("lift", gravity=(0, -GRAVITY))
    m.body("b", position=(0, 0), mass=MASS, inertia=1.0)
    m.prismatic("A", "ground", "b", at=(0, 0), axis=(0, 1))
    if damping:
        m.spring("D", m.ground.at(0.0, -5.0), m["b"].at(0, 0), stiffness=0.0, damping=damping)
    return m


def test_a_mass_is_lifted_with_one_switch():
    fast = lift().time_optimal({"A.distance": [0.0, WAY]}, {"A.distance": FORCE}, points=400)
    up, down = FORCE / MASS - GRAVITY, FORCE / MASS + GRAVITY
    assert fast.duration == pytest.approx(
        math.sqrt(2 * WAY * (up + down) / (up * down)), rel=1e-5
    )  # switch within a cell: 1 / n^2
    assert fast.active[:, 0].mean() > 0.99
    assert np.abs(fast.effort("A.distance")).max() <= FORCE * (1 + 1e-9)


def test_a_limit_of_the_rate_gives_a_trapezoid():
    fast = lift().time_optimal({"A.distance": [0.0, WAY]}, {"A.distance": FORCE}, rates={"A.distance": 1.5}, points=800)
    up, down = FORCE / MASS - GRAVITY, FORCE / MASS + GRAVITY
    ends = 1.5**2 / 2 * (1 / up + 1 / down)
    assert fast.duration == pytest.approx(1.5 / up + 1.5 / down + (WAY - ends) / 1.5, rel=1e-4)
    assert fast.v.max() <= 1.5 * (1 + 1e-9)


@pytest.mark.parametrize("angle", [0.4, 1.3, -2.0])
def test_a_wheel_without_weight_turns_with_one_switch(angle):
    """Without weight and velocity terms, only acceleration needs effort: T = 2 sqrt(J angle / M)."""
    m = tm.PlanarModel("wheel", gravity=(0.0, 0.0))
    m.body("wheel", mass=2.0, inertia=0.6)
    m.revolute("A", "ground", "wheel", at=(0.0, 0.0))
    fast = m.time_optimal({"A.angle": np.linspace(0.0, angle, 5)}, efforts={"A.angle": 4.0})
    assert fast.duration == pytest.approx(2.0 * math.sqrt(0.6 * abs(angle) / 4.0), rel=1e-9)


@pytest.mark.parametrize("way", [0.02, -0.02, -3.0])
def test_a_limit_of_the_rate_holds_on_ways_of_any_length(way):
    up, down = FORCE / MASS - GRAVITY, FORCE / MASS + GRAVITY
    rate = 0.4 * math.sqrt(2 * abs(way) * up * down / (up + down))  # of the largest rate without a limit
    fast = lift().time_optimal(
        {"A.distance": [0.0, way]}, {"A.distance": FORCE}, rates={"A.distance": rate}, points=200
    )
    ends = rate**2 / 2 * (1 / up + 1 / down)
    assert fast.duration == pytest.approx(rate / up + rate / down + (abs(way) - ends) / rate, rel=1e-3)
    assert np.abs(fast.v).max() <= rate * (1 + 1e-9)


def test_a_damper_is_part_of_the_effort():
    c = 12.0
    fast = lift(c).time_optimal({"A.distance": [0.0, WAY]}, {"A.distance": FORCE}, points=800)

    def place(t, v, force):  # m v' = force - c v
        end = force / c
        return end * t + (v - end) * MASS / c * (1 - math.exp(-c * t / MASS)), end + (v - end) * math.exp(-c * t / MASS)

    def braked(t):
        s, v = place(t, 0.0, FORCE - MASS * GRAVITY)
        low = -FORCE - MASS * GRAVITY
        stop = MASS / c * math.log((v - low / c) / (-low / c))
        return s + place(stop, v, low)[0] - WAY, t + stop

    switch = brentq(lambda t: braked(t)[0], 0.01, 2.0)
    assert fast.duration == pytest.approx(braked(switch)[1], rel=1e-4)


def test_two_links_move_as_in_the_phase_plane():
    """Bobrow, Dubowsky and Gibson, Int. J. Robotics Research 4 (1985): largest acceleration, then largest deceleration."""
    l1, l2, limits = 0.5, 0.4, np.array((25.0, 9.0))
    begin, end = np.array((0.3, 1.0)), np.array((1.1, -0.4))
    fast = arm(l1, l2).time_optimal(
        {"J1.angle": [begin[0], end[0]], "J2.angle": [begin[1], end[1]]},
        dict(zip(("J1.angle", "J2.angle"), limits, strict=True)),
    )
    way = end - begin

    def coefficients(s):  # textbook equations of two uniform links of 1 kg
        q = begin + s * way
        c2, s2 = math.cos(q[1]), math.sin(q[1])
        i1, i2 = l1**2 / 3, l2**2 / 3
        M = np.array([[i1 + i2 + l1**2 + l1 * l2 * c2, i2 + l1 * l2 * c2 / 2], [i2 + l1 * l2 * c2 / 2, i2]])
        h = l1 * l2 * s2 / 2
        b = np.array([-h * (2 * way[0] * way[1] + way[1] ** 2), h * way[0] ** 2])
        g2 = GRAVITY * l2 / 2 * math.cos(q.sum())
        return M @ way, b, np.array([GRAVITY * 1.5 * l1 * math.cos(q[0]) + g2, g2])

    def extremes(s, x):
        a, b, c = coefficients(s)
        ends = np.sort(((np.array((-1, 1))[:, None] * limits) - b * x - c) / a, axis=0)
        return ends[0].max(), ends[1].min()

    n = 4000
    step = 1 / n

    def swept(side, places):
        x = [0.0]
        for s in places:  # Heun's method in x(s), x' = 2 u
            one = 2 * extremes(s, x[-1])[side]
            two = 2 * extremes(s + (step if side else -step), max(x[-1] + (step if side else -step) * one, 0.0))[side]
            x.append(max(x[-1] + (step if side else -step) * (one + two) / 2, 0.0))
        return np.array(x)

    grid = np.linspace(0, 1, n + 1)
    x = np.minimum(swept(1, grid[:-1]), swept(0, grid[:0:-1])[::-1])
    rate = np.sqrt(x)
    assert fast.duration == pytest.approx(
        (2 * step / (rate[1:] + rate[:-1])).sum(), rel=5e-4
    )  # 400 points: (1 / n)^1.5
    assert (np.abs(fast.efforts[1:-1]) <= limits * (1 + 1e-9)).all()
    assert fast.active.any(axis=1).mean() > 0.98


def test_the_work_along_a_closed_path_is_zero():
    m = five_bar()
    s = np.linspace(0, 2 * math.pi, 61)
    circle = np.column_stack([0.12 + 0.05 * np.cos(s), 0.4 + 0.05 * np.sin(s)])
    way = m.inverse_kinematics("P", circle, near=m.working_modes("P", circle[0], **QUIET).q[0], **QUIET)
    fast = m.time_optimal(way, {"A.angle": 10.0, "E.angle": 10.0}, points=800)
    f = m.functions()
    assert np.abs(f.constraint_residuals(fast.q)).max() < 1e-9
    assert np.allclose(f.position("P", fast.q[[0, -1]]), circle[0], atol=1e-9)
    assert (
        np.abs(np.linalg.norm(f.position("P", fast.q) - (0.12, 0.4), axis=1) - 0.05).max() < 2e-6
    )  # splines through 61 places
    columns = [fast.velocities.index(name) for name in fast.actuators]
    power = (fast.efforts * fast.v[:, columns]).sum(axis=1)
    # midpoint rule over the intervals, whose ends are not output
    length = np.diff(np.concatenate([[0.0], 0.5 * (fast.times[1:-2] + fast.times[2:-1]), fast.times[-1:]]))
    assert abs(power[1:-1] @ length) < 2e-3 * (np.abs(power[1:-1]) @ length)
    kinetic = f.kinetic_energy(fast.q, fast.v) + f.potential_energy(fast.q)
    assert (
        np.abs(np.cumsum(power[1:-1] * length)[:-1] - 0.5 * (kinetic[1:-2] + kinetic[2:-1]) + kinetic[0]).max()
        < 0.01 * kinetic.max()
    )


def test_a_weight_that_cannot_be_held_is_named():
    with pytest.raises(ModelError, match=r"takes 19\.62 of A\.distance, but the limit is 15"):
        lift().time_optimal({"A.distance": [0.0, WAY]}, {"A.distance": 15.0})


@pytest.mark.parametrize(
    ("path", "efforts", "message"),
    [
        ({"A.distance": [0.0, 1.0]}, {"B": 1.0}, "not an actuator"),
        ({"A.distance": [0.0, 1.0]}, {}, "efforts are empty"),
        ({"A.distance": [0.0, 0.0]}, {"A.distance": 30.0}, "are equal"),
        ({"A.distance": [0.0]}, {"A.distance": 30.0}, "at least two positions"),
        ({"A.distance": [0.0, 1.0]}, {"A.distance": (3.0, -3.0)}, "lower limit 3"),
        ([[0.0, 1.0]], {"A.distance": 30.0}, "path"),
    ],
)
def test_wrong_paths_and_limits(path, efforts, message):
    with pytest.raises(ModelError, match=message):
        lift().time_optimal(path, efforts)


def test_the_range_of_rates_is_the_one_of_linear_programming():
    """Smallest and largest x in a range for which some u satisfies a u + b x <= h, or none; rows without u or x among them."""
    rng = np.random.default_rng(3)
    kinds = {"inside": 0, "cut": 0, "empty": 0}
    for _ in range(80):
        a, b, h = rng.normal(size=(3, 5))
        a[rng.random(5) < 0.2] = 0.0
        b[rng.random(5) < 0.2] = 0.0
        h += rng.uniform(0.0, 1.5)
        low, high = sorted(rng.uniform(-2.0, 2.0, size=2))
        ends = [
            linprog([sign, 0.0], np.column_stack([b, a]), h, bounds=[(low, high), (None, None)]) for sign in (1.0, -1.0)
        ]
        found = _extreme_x(a, b, h, low, high)
        if ends[0].status == 2:
            assert found == (math.inf, -math.inf)
            kinds["empty"] += 1
            continue
        assert found == pytest.approx((ends[0].fun, -ends[1].fun), abs=1e-7)
        kinds["inside" if found == (low, high) else "cut"] += 1
    assert min(kinds.values()) > 5


def test_a_fastest_motion_is_plotted(tmp_path):
    fast = lift().time_optimal({"A.distance": [0.0, WAY]}, {"A.distance": FORCE}, points=40)
    fast.plot(tmp_path / "fast.png")
    assert (tmp_path / "fast.png").stat().st_size > 10_000
    assert "at a limit" in str(fast)
