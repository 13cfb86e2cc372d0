"""Joints of spatial models: rows and their derivatives, copies, freedoms, motion against closed forms, and bad input."""

from __future__ import annotations

import math
import re

import numpy as np
import pytest

from trammel import rotations as rot
from trammel.analysis.rank import jacobian
from trammel.errors import ModelError
from trammel.kernels import layout as L
from trammel.kernels.jit import prepare
from trammel.kernels.measures import jacobian_run, measures_run
from trammel.model.expression import Expression
from trammel.model.spatial.curve import helix
from trammel.model.spatial.model import SpatialModel
from trammel.model.spatial.registries import spatial_constraint_types, spatial_sample_arguments
from trammel.system.lowering import lower, lower_measures
from trammel.system.positions import moved

KINDS = sorted(spatial_constraint_types())
TURN = 2 * math.pi


# --- samples: every registered type between three bodies drawn anywhere ------------------------------------------------


def random_pose(rng):
    p = rng.normal(size=4)
    return {"position": tuple(rng.normal(size=3)), "rotation": tuple(p / np.linalg.norm(p))}


def sample_model(kind, seed):
    rng = np.random.default_rng(seed)
    model = SpatialModel("sample")
    bodies = [model.body(name, **random_pose(rng)) for name in "abc"]
    given = dict(spatial_sample_arguments(kind, *bodies))
    for key, value in given.items():
        if isinstance(value, tuple) and len(value) == 3 and isinstance(value[2], dict):
            given[key] = getattr(model, value[1])(value[0], **value[2])  # a joint to be made first
    return model, getattr(model, kind)("sample", **given)


def counted(system, q, rng):
    """q with every turn counter on its angle, some turns on: a counter half a turn off would make the angle jump."""
    q = q.copy()
    names = list(system.model.bodies)[1:]
    place = {name: rot.matrix(q[7 * k + 3 : 7 * k + 7]) for k, name in enumerate(names)}
    place["ground"] = np.eye(3)
    first = system.n_coordinates - len(system.model.turns)
    for k, turn in enumerate(system.model.turns.values()):
        x, y, s = np.array(turn.data).reshape(3, 3)
        s = place[turn.first].T @ place[turn.second] @ s
        q[first + k] = math.atan2(y @ s, x @ s) + TURN * rng.integers(-2, 3)
    return q


def random_state(system, seed):
    rng = np.random.default_rng(seed)
    q = system.start.copy()
    for k in range(len(system.model.bodies) - 1):
        pose = random_pose(rng)
        q[7 * k : 7 * k + 7] = [*pose["position"], *pose["rotation"]]
    v, a = rng.normal(size=(2, system.n_columns))
    return counted(system, q, rng), v, a


def along(system, t, q, v, a):
    """Value, rate and second rate of every row."""
    values, rates, seconds = (np.zeros((1, len(system.rows))) for _ in range(3))
    arguments = (np.array([t]), q.reshape(1, -1), v.reshape(1, -1), a.reshape(1, -1))
    measures_run(system.ints, system.floats, *arguments, values, rates, seconds)
    return values[0], rates[0], seconds[0]


class Path:
    """A smooth motion q(e): polynomials, of which those of the Euler parameters are normalised; with its true velocities."""

    def __init__(self, system, t, q, v, a):
        self.system, self.t, self.q, self.v, self.a = system, t, q, v, a
        self.bodies = len(system.model.bodies) - 1

    def __call__(self, e):
        q, v, a = self.q.copy(), self.v + e * self.a, self.a.copy()
        for k in range(self.bodies):
            r, p, c, x = (
                slice(7 * k, 7 * k + 3),
                slice(7 * k + 3, 7 * k + 7),
                slice(6 * k, 6 * k + 3),
                slice(6 * k + 3, 6 * k + 6),
            )
            q[r] += e * self.v[c] + e * e / 2 * self.a[c]
            # p = u/|u| with u quadratic in e; w' = 2 L p', w'' = 2 L p''
            first, second = rot.L(self.q[p]).T @ self.v[x] / 2, rot.L(self.q[p]).T @ self.a[x] / 2
            u, du = self.q[p] + e * first + e * e / 2 * second, first + e * second
            n = np.linalg.norm(u)
            unit = u / n
            dn = unit @ du
            dp = (du - dn * unit) / n
            ddn = (du @ du + u @ second - dn * dn) / n
            ddp = (second - ddn * unit - 2 * dn * dp) / n
            q[p], v[x], a[x] = unit, 2 * rot.L(unit) @ dp, 2 * rot.L(unit) @ ddp
        extras = slice(7 * self.bodies, 7 * self.bodies + len(self.system.extras))
        q[extras] += e * self.v[6 * self.bodies :] + e * e / 2 * self.a[6 * self.bodies :]
        return self.t + e, q, v, a


def difference(function, h):
    """Derivative by eighth-order central differences."""
    weights = (4 / 5, -1 / 5, 4 / 105, -1 / 280)
    return sum(w * (function((k + 1) * h) - function(-(k + 1) * h)) for k, w in enumerate(weights)) / h


@pytest.mark.parametrize("kind", KINDS)
def test_number_of_rows_is_the_documented_one(kind):
    said = re.search(r"\((\d+) rows?\b", spatial_constraint_types()[kind].__doc__ or "")
    assert said, f"the docstring of {kind} does not say how many rows it has"
    assert sample_model(kind, 0)[1].n_rows == int(said[1])


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", range(2))
def test_rows_and_measures_of_every_type_agree_with_differences(kind, seed):
    model, constraint = sample_model(kind, seed)
    system = lower_measures(model, [*(b.quantity for b in constraint.blocks), *constraint.measures.values()])
    prepare(["measures_run", "jacobian_run", *system.primitives])
    q, v, a = random_state(system, 100 + seed)
    t, h = 0.7, 0.01
    value, rate, second = along(system, t, q, v, a)
    # truncation h^8 times a ninth derivative and rounding eps/h are both near 1e-13 for numbers of size one; angles of axes that
    # are nearly along one another, as random states have them, are steeper by some hundreds
    tolerance = 1e-9 * (1 + np.abs(second).max(initial=0.0))

    entries = np.zeros(int(system.ints[L.N_JACOBIAN]) + 1)
    jacobian_run(system.ints, system.floats, np.array([t]), q.reshape(1, -1), v.reshape(1, -1), entries)
    dense = np.zeros((len(system.rows), system.n_columns))
    for row, columns in enumerate(system.row_columns):
        for k, column in enumerate(columns):
            if column >= 0:
                dense[row, column] += entries[system.row_entries[row] + k]
    has_value = np.array([not row.velocity_only for row in system.rows], dtype=bool)
    for column in range(system.n_columns):
        unit = np.eye(system.n_columns)[column]
        slope = difference(lambda e: along(system, t, moved(system, q, e * unit), v, a)[0], h)
        np.testing.assert_allclose(slope[has_value], dense[has_value, column], rtol=0, atol=tolerance)

    path = Path(system, t, q, v, a)
    np.testing.assert_allclose(
        difference(lambda e: along(system, *path(e))[0], h)[has_value], rate[has_value], atol=tolerance
    )
    np.testing.assert_allclose(difference(lambda e: along(system, *path(e))[1], h), second, atol=tolerance)
    np.testing.assert_array_equal(value[~has_value], 0.0)


# --- copies -------------------------------------------------------------------------------------------------------------


def same_rows(model, twin, seed):
    """Equal residuals, rates and second rates at a random state."""
    one, two = lower(model), lower(twin)
    prepare(["measures_run", *one.primitives])
    assert one.columns == two.columns and one.coordinates == two.coordinates and one.rows == two.rows
    q, v, a = random_state(one, seed)
    for first, second in zip(along(one, 0.3, q, v, a), along(two, 0.3, q, v, a), strict=True):
        # points and axes are turned into global components and back: rounding of numbers up to ten
        np.testing.assert_allclose(first, second, rtol=1e-12, atol=1e-12)
    for name, constraint in model.constraints.items():
        for mine, others in zip(constraint.blocks, twin.constraints[name].blocks, strict=True):
            for target, other in zip(mine.targets, others.targets, strict=True):
                if isinstance(target, Expression):
                    assert str(target) == str(other)
                else:
                    assert abs(target - other) < 1e-13 * (1 + abs(target))


@pytest.mark.parametrize("kind", KINDS)
def test_a_copy_has_the_same_rows(kind):
    model, _ = sample_model(kind, 3)
    same_rows(model, model.copy(), 30)
    same_rows(model, model.copy().copy(), 31)


@pytest.mark.parametrize("kind", [k for k in KINDS if k != "fix"])
def test_a_copy_drawn_in_another_pose_has_the_same_rows(kind):
    """What a joint read off the drawing it keeps: leans, lengths, values. (`fix` holds a body where it is drawn, see below.)"""
    rng = np.random.default_rng(40)
    model, _ = sample_model(kind, 4)
    twin = model.copy(changes={name: random_pose(rng) for name in "abc"})
    assert twin["a"].position != model["a"].position
    same_rows(model, twin, 41)


def test_a_fixed_body_is_held_where_the_copy_draws_it():
    model, _ = sample_model("fix", 5)
    twin = model.copy(changes={"a": {"position": (1.0, 2.0, 3.0)}})
    found = twin.assemble()
    np.testing.assert_allclose(found.pose("a")[:3], (1.0, 2.0, 3.0), atol=1e-12)  # closed as drawn: nothing moves


# --- freedoms: no hidden dependence among the rows ------------------------------------------------------------------------


def unit(*v):
    return np.array(v, dtype=float) / np.linalg.norm(v)


def across(u):
    """Two unit vectors across u and each other."""
    g = np.cross(u, np.eye(3)[np.argmin(np.abs(u))])
    g /= np.linalg.norm(g)
    return g, np.cross(u, g)


AT = np.array([0.3, -0.4, 0.6])
HELIX = helix(0.5, 0.2)


def bent(u, w, angle):
    return math.cos(angle) * u + math.sin(angle) * w


# each closes as drawn: u is the joint's axis, w and n are across it and each other
JOINTS = {
    "revolute": lambda m, a, b, u, w, n: m.revolute("J", a, b, at=AT, axis=u),
    "cylindrical": lambda m, a, b, u, w, n: m.cylindrical("J", a, b, at=AT, axis=u),
    "prismatic": lambda m, a, b, u, w, n: m.prismatic("J", a, b, at=AT, axis=u),
    "screw": lambda m, a, b, u, w, n: m.screw("J", a, b, at=AT, axis=u, lead=0.3),
    "planar": lambda m, a, b, u, w, n: m.planar("J", a, b, at=AT, axis=u),
    "parallel_axes": lambda m, a, b, u, w, n: m.parallel_axes("J", a, b, axis=u),
    "weld": lambda m, a, b, u, w, n: m.weld("J", a, b, at=AT, axis=u),
    "free": lambda m, a, b, u, w, n: m.free("J", a, b, at=AT, axis=u),
    "spherical": lambda m, a, b, u, w, n: m.spherical("J", a, b, at=AT),
    "universal": lambda m, a, b, u, w, n: m.universal("J", a, b, at=AT, axis=u, second_axis=w),
    "constant_velocity": lambda m, a, b, u, w, n: m.constant_velocity("J", a, b, at=AT, axis=u, second_axis=bent(u, w, 0.5)),
    "link": lambda m, a, b, u, w, n: m.link("J", a.at_global(*AT), b.at_global(*(AT + 0.7 * u))),
    "revolute_spherical": lambda m, a, b, u, w, n: m.revolute_spherical(
        "J", a.at_global(*AT), b.at_global(*(AT + 0.7 * w)), axis=u
    ),
    "revolute_revolute": lambda m, a, b, u, w, n: m.revolute_revolute(
        "J", a.at_global(*AT), b.at_global(*(AT + 0.7 * w)), axis=u
    ),
    "revolute_revolute perpendicular": lambda m, a, b, u, w, n: m.revolute_revolute(
        "J", a.at_global(*AT), b.at_global(*(AT + 0.7 * w)), axis=u, second_axis=n
    ),
    "revolute_revolute at 53 degrees": lambda m, a, b, u, w, n: m.revolute_revolute(
        "J", a.at_global(*AT), b.at_global(*(AT + 0.7 * w + 0.1 * u)), axis=u, second_axis=bent(u, n, math.radians(53))
    ),
    "revolute_cylindrical": lambda m, a, b, u, w, n: m.revolute_cylindrical(
        "J", a.at_global(*AT), b.at_global(*(AT + 0.4 * w)), axis=u, second_axis=w
    ),
    "point_on_line": lambda m, a, b, u, w, n: m.point_on_line("J", a, b.at_global(*(AT + 0.3 * u)), at=AT, axis=u),
    "point_on_plane": lambda m, a, b, u, w, n: m.point_on_plane("J", a, b.at_global(*(AT + 0.3 * w)), at=AT, axis=u),
    "point_on_curve": lambda m, a, b, u, w, n: m.point_on_curve(
        "J", a, b.at_global(*a.at(*HELIX.points(np.array([2.0]))[0]).drawn), curve=HELIX
    ),
    "rolling_sphere": lambda m, a, b, u, w, n: m.rolling_sphere(
        "J", a, b.at_global(*(AT + 0.3 * u)), radius=0.3, at=AT, axis=u
    ),
    "rolling_disc": lambda m, a, b, u, w, n: m.rolling_disc(
        "J", a, b.at_global(*(AT + 0.3 * math.sin(1.2) * u)), radius=0.3, at=AT, axis=u, disc_axis=bent(u, w, 1.2)
    ),
}  # fmt: skip
# axes along a coordinate axis, nearly so and at large: where the book's cross products must choose their rows (digest 2.13)
AXES = [(1, 0, 0), (0, 1, 0), (0, 0, 1), (1, 2, -2), (1e-4, 1, 0), (1, 0.001, 0), (0.3, -0.5, 0.8)]
# Rows of unit length in coordinates scaled by the model's size: 1 would be orthogonal rows. The weakest are links, whose rows are
# nearly along each other when the bodies' origins are far from the joint; a wrong choice of rows gives 1e-4 or zero (digest 2.13).
INDEPENDENT = 0.02


def weakest(system, q):
    rows = jacobian(system, q, 0.0, range(len(system.rows)))
    rows /= np.linalg.norm(rows, axis=1)[:, None]
    return float(np.linalg.svd(rows, compute_uv=False)[-1]) if len(rows) else 1.0


def two_bodies(rng, *, parallel=False):
    m = SpatialModel("two")
    for name in "ab":
        pose = random_pose(rng)
        m.body(
            name,
            position=tuple(0.5 * np.array(pose["position"])),
            rotation=(1, 0, 0, 0) if parallel else pose["rotation"],
        )
    return m, m["a"], m["b"]


def test_every_joint_between_two_bodies_is_looked_at():
    ratios_drivers_and_single_bodies = {
        "gear",
        "worm",
        "rack",
        "constrain",
        "driver",
        "equation",
        "fix",
        "orientation_driver",
    }
    assert {name.split()[0] for name in JOINTS} == set(KINDS) - ratios_drivers_and_single_bodies


@pytest.mark.parametrize("name", JOINTS)
def test_a_joint_takes_as_many_freedoms_as_it_has_rows(name):
    for k, axis in enumerate(AXES):
        m, a, b = two_bodies(np.random.default_rng(k), parallel=k % 2 == 0)
        u = unit(*axis)
        joint = JOINTS[name](m, a, b, u, *across(u))
        system = lower(m)
        prepare(["measures_run", "jacobian_run", *system.primitives])
        still = np.zeros(system.n_columns)
        targets = system.targets(system.floats)
        # drawn closed: rounding of places of size one, turned twice; the curve's start is the nearest of 721 samples
        open_by = 0.01 if joint.kind == "point_on_curve" else 1e-13
        np.testing.assert_allclose(along(system, 0.0, system.start, still, still)[0], targets, atol=open_by)
        assert weakest(system, system.start) > INDEPENDENT, axis
        mobility = m.mobility()
        assert mobility.dof == 12 + len(joint.extras) - joint.n_rows and not mobility.redundant
        # and at another position that the joint allows
        rng = np.random.default_rng(50 + k)
        pushed = moved(system, system.start, rng.normal(scale=0.15, size=system.n_columns))
        start = {body: m[body].placed_at(pushed[7 * j : 7 * j + 7]) for j, body in enumerate("ab")}
        found = m.copy(changes=start).assemble()
        assert np.abs(np.array(found.pose("b")) - b.coordinates).max() > 1e-3
        assert weakest(found.system, found.q) > INDEPENDENT, axis


@pytest.mark.parametrize("kind, rows", [("fix", 6), ("orientation_driver", 3)])
def test_rows_on_a_single_body_are_independent(kind, rows):
    for seed in range(3):
        m = SpatialModel("one")
        rng = np.random.default_rng(seed)
        angles = rng.uniform(-math.pi, math.pi, 3)
        m.body("a", position=tuple(rng.normal(size=3)), rotation=rot.from_angles(angles, "zxz"))
        arguments = {"angles": tuple(angles), "sequence": "zxz"} if kind == "orientation_driver" else {}
        getattr(m, kind)("J", "a", **arguments)
        system = lower(m)
        prepare(["jacobian_run", *system.primitives])
        assert len(system.rows) == rows
        # these rows are orthonormal as drawn
        assert weakest(system, system.start) > 0.5


# --- angles through many turns --------------------------------------------------------------------------------------------

# closed forms: positions are solved to 1e-13 of the model's size, angles of tens of radians carry some more rounding
CLOSED_FORM = 1e-10
AXIS = unit(1, 2, -2)


def close(found, expected, tolerance=CLOSED_FORM):
    np.testing.assert_allclose(found, expected, rtol=0, atol=tolerance)


def hinge(angle=0.0, *, axis=AXIS, kind="revolute", **given):
    m = SpatialModel("hinge")
    m.body("b", position=(0.2, 0.5, -0.3), rotation=rot.normalised([0.4, -0.2, 0.7, 0.3]))
    getattr(m, kind)("A", m.ground, "b", at=(0.1, 0.4, -0.2), axis=axis, angle=angle, **given)
    return m


def smooth_turns(start, turns):
    """Formula of an angle that leaves `start` at rest and makes so many turns in one second; value, rate, second rate."""
    text = f"{start!r} + {TURN * turns!r}*(t - sin(2*pi*t)/(2*pi))"
    value = lambda t: start + TURN * turns * (t - np.sin(TURN * t) / TURN)  # noqa: E731
    rate = lambda t: TURN * turns * (1 - np.cos(TURN * t))  # noqa: E731
    return text, value, rate, lambda t: TURN * turns * TURN * np.sin(TURN * t)


@pytest.mark.parametrize("start", [0.0, math.pi, -math.pi, 7.0, -20.0])
@pytest.mark.parametrize("turns", [3, -3])
def test_a_hinge_is_driven_through_three_turns_from_any_angle(start, turns):
    text, value, rate, second = smooth_turns(start, turns)
    m = hinge(start)
    drawn = m["b"].rotation
    m.driver("D", "A.angle", text)
    for model in (m, m.copy(), m.assemble().model()):
        r = model.kinematics(1.0, samples=121)
        angle = r.measure("A.angle")
        close(angle.value, value(r.times))
        close(angle.rate, rate(r.times), 1e-9)  # the rate is 38 rad/s at most
        close(angle.second, second(r.times), 1e-7)  # and 118 rad/s² the second rate, from rates squared
        assert not r.passages  # neither 0 nor pi is a singular position
        for k in (0, 40, 80, 120):
            turned = rot.product(rot.from_axis_angle(AXIS, value(r.times[k]) - start), np.array(drawn))
            close(rot.matrix(r.q[k, 3:7]), rot.matrix(turned))


@pytest.mark.parametrize("angle", [0.0, math.pi / 2, math.pi, -math.pi, 7.0])
def test_an_angle_can_be_held_at_any_value(angle):
    m = hinge(angle)
    c = m.constrain("hold", "A.angle")
    assert abs(c.blocks[0].targets[0] - angle) < 1e-14 * (1 + abs(angle))  # drawn there, on the turn that was told
    assert m.mobility().dof == 0 and not m.mobility().singular
    assert m.copy()["hold"].blocks[0].targets == c.blocks[0].targets


@pytest.mark.parametrize("kind", ["revolute", "cylindrical", "planar", "screw"])
def test_angle_of_a_joint_drawn_at_an_angle(kind):
    """The given value is what the measure shows in the drawn pose, whatever its turn."""
    for angle in (0.3, -2.0, math.pi, 7.0, -30.0):
        m = hinge(angle, kind=kind, **({"lead": 0.1} if kind == "screw" else {}))
        assert abs(m.drawn_value(m["A"].angle) - angle) < 1e-13 * (1 + abs(angle))
        assert abs(m.copy().drawn_value(m.copy()["A"].angle) - angle) < 1e-13 * (1 + abs(angle))


@pytest.mark.parametrize("angle", [math.pi, -math.pi, 3 * math.pi])
def test_half_a_turn_keeps_its_sign_in_a_copy(angle):
    """Rounding decides on which side of the cut the drawn angle is found, so the copy must be told: many poses, both sides."""
    for seed in range(20):
        m = SpatialModel("half a turn")
        m.body("b", **random_pose(np.random.default_rng(seed)))
        m.revolute("A", m.ground, "b", at=(0.1, 0.2, 0.3), axis=unit(*AXES[seed % len(AXES)]), angle=angle)
        for twin in (m, m.copy(), m.copy().copy(), m.assemble().model()):
            assert abs(twin.turns["A.angle"].start - angle) < 1e-13 * (1 + abs(angle))


def test_angle_between_bodies_counts_turns_without_a_joint_of_its_own():
    m = hinge()
    q = m.angle_between(m.ground, "b", AXIS, label="turned")
    m.driver("D", "A.angle", "8*pi*t")
    r = m.kinematics(1.0, samples=33)
    close(r.measure(q).value, 8 * math.pi * r.times)


@pytest.mark.parametrize("lead", [0.05, -0.02])
@pytest.mark.parametrize("angle", [0.0, math.pi, 7.0])
def test_a_screw_advances_by_its_lead_per_turn(lead, angle):
    m = hinge(angle, kind="screw", lead=lead)
    text, value, rate, _ = smooth_turns(angle, 6)
    m.driver("D", "A.angle", text)
    r = m.kinematics(1.0, samples=61)
    distance = r.measure("A.distance")
    close(distance.value, lead / TURN * (value(r.times) - angle))
    close(distance.rate, lead / TURN * rate(r.times))
    close(r.q[-1, :3] - r.q[0, :3], 6 * lead * AXIS)


def test_a_screw_can_be_told_where_it_starts():
    m = hinge(kind="screw", lead=0.1, start=0.02)
    m.driver("D", "A.angle", "2*pi*t")
    r = m.kinematics(2.0, samples=9)
    close(r.measure("A.distance").value, 0.02 + 0.1 * r.times)


# --- gears, worms, racks ---------------------------------------------------------------------------------------------------


def train(second_axis="z", *, angle=0.0):
    m = SpatialModel("train")
    m.body("one")
    m.body("two", position=(0.5, 0, 0))
    m.revolute("A", m.ground, "one", at=(0, 0, 0), axis="z", angle=angle)
    m.revolute("B", m.ground, "two", at=(0.5, 0, 0), axis=second_axis)
    return m


@pytest.mark.parametrize(
    "second_axis", ["z", "x", "-z", (0.6, 0, 0.8)], ids=["spur", "bevel", "turned round", "at 37 degrees"]
)
@pytest.mark.parametrize("internal", [False, True])
@pytest.mark.parametrize("angle", [0.0, 7.0])
def test_gears_turn_in_the_inverse_ratio_of_their_radii(second_axis, internal, angle):
    m = train(second_axis, angle=angle)
    m.gear("G", "A", "B", radii=(0.2, 0.3), internal=internal)
    text, value, rate, _ = smooth_turns(angle, 5)
    m.driver("D", "A.angle", text)
    for model in (m, m.copy()):
        r = model.kinematics(1.0, samples=61)
        sign = 1.0 if internal else -1.0
        close(r.measure("B.angle").value, sign * 0.2 / 0.3 * (value(r.times) - angle))
        close(r.measure("B.angle").rate, sign * 0.2 / 0.3 * rate(r.times), 1e-9)  # rates up to 63 rad/s


def test_a_planet_on_a_moving_carrier():
    """Sun at rest, carrier turns by c: against the carrier the sun turns by -c, so the planet by c r_s/r_p, in space by c (1 + r_s/r_p)."""
    m = SpatialModel("planets")
    m.body("carrier")
    m.body("sun")
    m.body("planet", position=(0.5, 0, 0))
    m.revolute("C", m.ground, "carrier", at=(0, 0, 0), axis="z")
    m.revolute("S", "carrier", "sun", at=(0, 0, 0), axis="z")
    m.revolute("P", "carrier", "planet", at=(0.5, 0, 0), axis="z")
    m.gear("G", "S", "P", radii=(0.3, 0.2))
    m.constrain("rest", m.angle_between(m.ground, "sun", "z"), value=0.0)
    seen = m.angle_between(m.ground, "planet", "z")
    m.driver("D", "C.angle", "6*pi*t")
    r = m.kinematics(1.0, samples=41)
    c = 6 * math.pi * r.times
    close(r.measure("S.angle").value, -c)
    close(r.measure("P.angle").value, c * 0.3 / 0.2)
    close(r.measure(seen).value, c * (1 + 0.3 / 0.2))


@pytest.mark.parametrize("ratio", [20.0, -8.0])
def test_a_worm_turns_its_wheel(ratio):
    m = train("x")
    m.worm("W", "A", "B", ratio=ratio)
    m.driver("D", "A.angle", "16*pi*t")
    r = m.kinematics(1.0, samples=41)
    close(r.measure("B.angle").value, 16 * math.pi * r.times / ratio)


@pytest.mark.parametrize("radius", [0.1, -0.1])
def test_a_rack_moves_by_the_pitch_radius_times_the_angle(radius):
    m = SpatialModel("rack")
    m.body("pinion")
    m.body("bar", position=(0.0, -0.1, 0.0))
    m.revolute("A", m.ground, "pinion", at=(0, 0, 0), axis="z", angle=7.0)
    m.prismatic("S", m.ground, "bar", at=(0, -0.1, 0), axis="x")
    m.rack("R", "A", "S", radius=radius)
    m.driver("D", "A.angle", "7 + 8*pi*t")
    r = m.kinematics(1.0, samples=41)
    close(r.measure("S.distance").value, radius * 8 * math.pi * r.times)
    close(r.q[:, 7], radius * 8 * math.pi * r.times)


# --- shafts ------------------------------------------------------------------------------------------------------------------


def shafts(joint, beta):
    """Digest of Nikravesh 6-8, section 3.4: two shafts that meet in the origin, the second one held by a parallel axis only."""
    second = np.array([math.sin(beta), 0.0, math.cos(beta)])
    m = SpatialModel("shafts")
    m.body("one", position=(0, 0, -1))
    m.body("two", position=tuple(second))
    m.revolute("A", m.ground, "one", at=(0, 0, -1), axis="z")
    m.parallel_axes("B", m.ground, "two", axis=second)
    if joint == "universal":
        m.universal("U", "one", "two", at=(0, 0, 0), axis="x", second_axis="y")
    else:
        m.constant_velocity("U", "one", "two", at=(0, 0, 0), axis="z", second_axis=second)
    return m


@pytest.mark.parametrize("degrees", [0.0, 30.0, 60.0])
def test_universal_joint_against_its_closed_form(degrees):
    """tan th2 = tan th1 / cos b; with w1 = 1: w2 = cos b / (1 - sin²b cos²th1), and its derivative."""
    b = math.radians(degrees)
    m = shafts("universal", b)
    m.driver("D", "A.angle", "t")
    r = m.kinematics(2 * TURN, samples=241)
    th1 = r.times
    th2 = np.unwrap(np.arctan2(np.sin(th1), np.cos(th1) * math.cos(b)))
    below = 1 - math.sin(b) ** 2 * np.cos(th1) ** 2
    angle = r.measure("B.angle")
    close(angle.value, th2)
    close(angle.rate, math.cos(b) / below)
    close(
        angle.second, -math.cos(b) * math.sin(b) ** 2 * np.sin(2 * th1) / below**2, 1e-9
    )  # differences of terms up to ten
    assert not r.redundant and not r.passages


def test_universal_joint_has_the_digests_numbers():
    m = shafts("universal", math.radians(30))
    m.driver("D", "A.angle", "t")
    table = {20: (22.795877, 1.1113655, -0.2291874), 45: (49.106605, 0.9897433, -0.2827838)}
    table |= {80: (81.317796, 0.8726035, -0.0751787), 130: (126.005215, 0.9657852, 0.2651685)}
    r = m.kinematics(times=np.radians([0, *table]))
    angle = r.measure("B.angle")
    for k, (degrees, rate, second) in enumerate(table.values(), start=1):
        close(math.degrees(angle.value[k]), degrees, 1e-6)  # six and seven printed decimals
        close(angle.rate[k], rate, 1e-7)
        close(angle.second[k], second, 1e-7)


def test_a_second_bearing_makes_three_rows_redundant():
    b = math.radians(30)
    m = shafts("universal", b).copy(without=["B"])
    m.revolute("B", m.ground, "two", at=m["two"].position, axis=(math.sin(b), 0.0, math.cos(b)))
    mobility = m.mobility()
    assert (mobility.count, mobility.dof, len(mobility.redundant)) == (-2, 1, 3)


@pytest.mark.parametrize("degrees", [0.0, 20.0, 90.0])
def test_constant_velocity_joint_transmits_equal_speeds(degrees):
    m = shafts("constant_velocity", math.radians(degrees))
    text, value, rate, second = smooth_turns(0.0, 3)
    m.driver("D", "A.angle", text)
    r = m.kinematics(1.0, samples=121)
    angle = r.measure("B.angle")
    close(angle.value, value(r.times))
    close(angle.rate, rate(r.times), 1e-9)  # up to 38 rad/s
    close(angle.second, second(r.times), 1e-7)  # up to 118 rad/s²
    close(r.measure("U.bend").value, math.cos(math.radians(degrees)))


def test_the_measured_angles_of_a_universal_joint_are_zero_as_drawn_and_turn_about_the_arms():
    m = SpatialModel("cross")
    m.body("one", rotation=rot.normalised([0.9, 0.1, -0.3, 0.2]))
    m.body("two")
    u, (w, _) = AXIS, across(AXIS)
    m.fix("F", "one")
    m.universal("U", "one", "two", at=(0.1, 0.2, 0.3), axis=u, second_axis=w)
    m.driver("D1", "U.angle", "2*pi*t")
    m.driver("D2", "U.second_angle", "-4*pi*t")
    r = m.kinematics(1.0, samples=33)
    close([r.measure("U.angle").value[0], r.measure("U.second_angle").value[0]], 0.0)
    for k in range(33):
        # first about the arm in space, then about the other arm, which that has turned
        t = r.times[k]
        turn = rot.product(rot.from_axis_angle(u, TURN * t), rot.from_axis_angle(w, -2 * TURN * t))
        close(rot.matrix(r.q[k, 10:14]), rot.matrix(turn))


# --- orientation drivers, curves, rolling --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "sequence, middle",
    [("xyz", "pi/2"), ("zxz", "0"), ("xyz", "0.3 + t"), ("zyx", "pi/2 + 0.2*sin(t)"), ("yxy", "2*t")],
)
def test_an_orientation_is_driven_through_gimbal_lock(sequence, middle):
    """The rows compare matrices, so the positions in which the angles themselves are not unique are nothing special."""
    angle = {"pi/2": lambda t: math.pi / 2, "0": lambda t: 0.0, "0.3 + t": lambda t: 0.3 + t, "2*t": lambda t: 2 * t}
    angle["pi/2 + 0.2*sin(t)"] = lambda t: math.pi / 2 + 0.2 * math.sin(t)
    m = SpatialModel("gimbals")
    m.body("b", rotation=rot.from_angles([0.1, angle[middle](0.0), -0.4], sequence))
    m.spherical("S", m.ground, "b", at=(0.2, 0.1, 0.0))
    m.orientation_driver("D", "b", ("0.1 + 3*t", middle, "2*t - 0.4"), sequence=sequence)
    r = m.kinematics(3.0, samples=31)
    assert not r.passages
    for k, t in enumerate(r.times):
        close(
            rot.matrix(r.q[k, 3:7]), rot.matrix(rot.from_angles([0.1 + 3 * t, angle[middle](t), 2 * t - 0.4], sequence))
        )


def test_a_bead_on_a_helix_of_a_turned_body():
    m = SpatialModel("helix")
    m.body("frame", position=(0.3, -0.2, 0.5), rotation=rot.normalised([0.7, 0.1, -0.5, 0.4]))
    frame = m["frame"]
    m.fix("F", "frame")
    radius, lead = 0.5, 0.2
    curve = helix(radius, lead, turns=3)
    m.body("bead", position=frame.at(radius, 0.02, 0.01).drawn)
    m.point_on_curve("C", "frame", "bead", curve=curve)
    m.orientation_driver("O", "bead", (0.0, 0.0, 0.0))
    m.driver("D", "C.u", "0.1 + 5*t + 2*t^2")
    r = m.kinematics(1.5, samples=31)
    t = r.times
    u, du, ddu = 0.1 + 5 * t + 2 * t**2, 5 + 4 * t, 4.0
    close(r.measure("C.u").value, u)
    rise = lead / TURN
    place = np.column_stack([radius * np.cos(u), radius * np.sin(u), rise * u])
    tangent = np.column_stack([-radius * np.sin(u), radius * np.cos(u), rise + 0 * u])
    normal = np.column_stack([-radius * np.cos(u), -radius * np.sin(u), 0 * u])
    A = frame.matrix
    close(r.q[:, 7:10], np.array(frame.position) + place @ A.T)
    close(r.v[:, 6:9], (tangent * du[:, None]) @ A.T)
    close(r.a[:, 6:9], (normal * du[:, None] ** 2 + tangent * ddu) @ A.T, 1e-9)  # up to 60 m/s²


def contact_velocity(r, body, local_centre, to_contact):
    """Velocity of the body's material at the contact point over a plane at rest, at every instant."""
    out = []
    for q, v in zip(r.q, r.v, strict=True):
        k = list(r.model.bodies).index(body) - 1
        A = rot.matrix(q[7 * k + 3 : 7 * k + 7])
        s = A @ local_centre + to_contact(A)
        out.append(v[6 * k : 6 * k + 3] + np.cross(A @ v[6 * k + 3 : 6 * k + 6], s))
    return np.array(out)


# velocities are projected onto the rows after every step, to rounding of speeds of a few m/s
NO_SLIP = 1e-10


def test_a_sphere_rolls_down_a_slope_without_slipping():
    """Acceleration 5/7 g sin(slope) for a homogeneous ball, whatever it spins about."""
    slope, radius, g = 0.3, 0.25, 9.81
    normal, down = np.array([math.sin(slope), 0, math.cos(slope)]), np.array([math.cos(slope), 0, -math.sin(slope)])
    m = SpatialModel("ball", gravity=(0, 0, -g))
    speed = np.array([0.0, 0.4, 0.0])
    omega = np.cross(normal, speed) / radius + 1.5 * normal  # rolling sideways and spinning about the normal
    m.body(
        "ball", position=tuple(radius * normal), mass=2.0, inertia=0.4 * 2.0 * radius**2, velocity=speed, omega=omega
    )
    m.rolling_sphere("R", m.ground, "ball", radius=radius, at=(0, 0, 0), axis=normal)
    r = m.simulate(1.0, samples=21)
    close(contact_velocity(r, "ball", np.zeros(3), lambda A: -radius * normal), 0.0, NO_SLIP)
    path = radius * normal + np.outer(r.times, speed) + np.outer(5 / 14 * g * math.sin(slope) * r.times**2, down)
    close(r.q[:, :3], path, 1e-7)  # default tolerance of the integrator, 1e-8 or so, over a metre
    close(r.measure("R.height").value, radius)


def test_a_disc_rolls_and_wobbles_without_slipping_and_keeps_its_energy():
    radius, mass = 0.3, 1.5
    m = SpatialModel("coin")
    lean = rot.from_axis_angle([1, 0, 0], -math.pi / 2 + 0.3)  # disc axis is body z, 0.3 rad from horizontal
    axis = rot.matrix(lean)[:, 2]
    up = np.array([0.0, 0.0, 1.0]) - axis[2] * axis
    up /= np.linalg.norm(up)
    spin = np.array([0.2, 0.5, 6.0])  # body components
    velocity = np.cross(rot.matrix(lean) @ spin, radius * up)  # of the centre, with the contact point at rest
    m.body(
        "coin", position=(0, 0, radius * up[2]), rotation=lean, mass=mass,
        inertia=(mass * radius**2 / 4, mass * radius**2 / 4, mass * radius**2 / 2), velocity=velocity, omega=spin,
    )  # fmt: skip
    m.rolling_disc("R", m.ground, "coin", radius=radius, at=(0, 0, 0), axis="z", disc_axis=axis)
    r = m.simulate(1.0, samples=41)

    def to_contact(A):
        w = np.array([0.0, 0.0, 1.0]) - A[2, 2] * A[:, 2]
        return -radius * w / np.linalg.norm(w)

    close(contact_velocity(r, "coin", np.zeros(3), to_contact), 0.0, NO_SLIP)
    lowest = [q[2] + to_contact(rot.matrix(q[3:7]))[2] for q in r.q]
    close(lowest, 0.0)  # the rim stays on the plane
    assert np.ptp(r.measure("R.lean").value) > 0.05  # it does wobble
    omega = r.v[:, 3:6]
    inertia = mass * radius**2 * np.array([0.25, 0.25, 0.5])
    energy = 0.5 * mass * (r.v[:, :3] ** 2).sum(1) + 0.5 * (omega**2 @ inertia) + mass * 9.81 * r.q[:, 2]
    close(energy, energy[0], 1e-6 * energy[0])  # no force does work; the integrator's tolerance over one second


# --- bad input -----------------------------------------------------------------------------------------------------------------


def drawn():
    m = SpatialModel("bad")
    m.body("a", position=(0.1, 0.2, 0.3))
    m.body("b", position=(1.0, 0.0, 0.0))
    m.body("c", position=(0.0, 1.0, 0.0))
    m.revolute("A", "a", "b", at=(0.5, 0, 0), axis="z")
    m.revolute("B", "c", "b", at=(0.5, 0.5, 0), axis="z")
    m.spherical("S", "a", "c", at=(0, 0, 0))
    return m


HERE = {"at": (0, 0, 0)}
# what is wrong, its value, the limit and what to do: all four in one sentence
BAD = [
    # directions
    (lambda m: m.revolute("J", "a", "c", axis=(0, 0, 0), **HERE),
     r"axis of revolute joint 'J' is \(0, 0, 0\).*no direction; give a unit vector such as"),
    (lambda m: m.revolute("J", "a", "c", axis=(1, 1, 0), **HERE),
     r"axis of revolute joint 'J' is \(1, 1, 0\), of length 1\.41421; it must be a unit vector \(length 1 "
     r"within 0\.001\)\. Use \(0\.707106781, 0\.707106781, 0\)"),
    (lambda m: m.prismatic("J", "a", "c", axis="w", **HERE), r"axis of prismatic joint 'J' is 'w'; use 'x', 'y', 'z'"),
    (lambda m: m.cylindrical("J", "a", "c", axis=(0, 1), **HERE),
     r"axis of cylindrical joint 'J' must be three numbers \(x, y, z\), but it is \(0, 1\)"),
    (lambda m: m.planar("J", "a", "c", axis=(0, math.nan, 1), **HERE),
     r"y of axis of planar joint 'J' is nan; it must be a finite number"),
    (lambda m: m.revolute("J", "a", "c", axis="z", x="-z", **HERE),
     r"revolute joint 'J': the x direction \(0, 0, -1\) is parallel to the axis \(0, 0, 1\); give one across it"),
    (lambda m: m["a"].marker(axis=(0, 0, 2)),
     r"the axis of a marker on body 'a' is \(0, 0, 2\), of length 2; it must be a unit vector.*Use \(0, 0, 1\)"),
    (lambda m: m["a"].spin("x", frame="world"),
     r"the axis on body 'a': frame 'world' is not known; use 'space' or 'body'"),
    # orientations
    (lambda m: m.body("n", rotation=np.diag([1, 1, 2.0])),
     r"rotation of body 'n' is not a rotation.*differs from the unit matrix by 3 \(limit 1e-08\)\. Correct"),
    (lambda m: m.body("n", rotation=np.diag([1, 1, -1.0])),
     r"rotation of body 'n' is left-handed: its determinant is -1 and must be \+1\. Reverse one column"),
    (lambda m: m.body("n", rotation=(1, 0.1, 0, 0)),
     r"rotation of body 'n' has Euler parameters \(1, 0\.1, 0, 0\) with p'p = 1\.01; it must be 1 within "
     r"1e-06\. Normalise them with tm\.rotations\.normalised"),
    (lambda m: m.body("n", rotation=(0, 0, 0)),
     r"rotation of body 'n' must be four Euler parameters or a 3x3 rotation matrix, but it has the shape "
     r"\(3,\); see tm\.rotations"),
    (lambda m: m.body("n", rotation="x"),
     r"rotation of body 'n' must be four Euler parameters or a 3x3 rotation matrix, but it is 'x'"),
    # masses
    (lambda m: m.body("n", mass=-2), r"mass of body 'n' is -2 kg; it must be greater than 0\. Leave it out"),
    (lambda m: m.body("n", mass=1, inertia=(1, 1, 3)),
     r"inertia of body 'n' has the principal moments 3, 1 and 1.*3 exceeds the sum of the other two, "
     r"2.*triangle inequality.*Check"),
    (lambda m: m.body("n", mass=1, inertia=(1, 1, -0.5)),
     r"inertia of body 'n'.*-0\.5 is negative, and no moment of inertia can be below 0\. Check"),
    (lambda m: m.body("n", mass=1, massless=True),
     r"body 'n' is said to be massless, but mass or inertia is given; leave one out"),
    (lambda m: m.body("n", density=1000), r"body 'n': density= needs shape="),
    # places
    (lambda m: m.body("n", position=(1, 2)),
     r"position of body 'n' must be three numbers \(x, y, z\), but it is \(1, 2\)"),
    (lambda m: m.body("n", omega=3.0), r"omega of body 'n' must be three numbers \(x, y, z\), but it is 3\.0"),
    (lambda m: m.spherical("J", "a", "c", at=(1, 2, 3, 4)),
     r"spherical joint 'J' must be three numbers \(x, y, z\), but it is \(1, 2, 3, 4\)"),
    (lambda m: m.spherical("J", "a", "c"), r"spherical joint 'J': say where on body 'a', with at=\(x, y, z\)"),
    (lambda m: m.spherical("J", "a", "d", **HERE), r"no body 'd'"),
    # joints
    (lambda m: m.revolute("J", "a", "a", axis="z", **HERE),
     r"joint 'J' connects body 'a' with itself; name two different bodies"),
    (lambda m: m.universal("J", "a", "a", axis="z", second_axis="x", **HERE),
     r"joint 'J' connects body 'a' with itself; name two different bodies"),
    (lambda m: m.rolling_sphere("J", "a", "a", axis="z", radius=1, **HERE),
     r"joint 'J' connects body 'a' with itself; name two different bodies"),
    (lambda m: m.revolute("J", "a", "c", **HERE),
     r"revolute joint 'J': the axis is missing; give axis=\(x, y, z\), global in the drawn pose, or two "
     r"oriented markers"),
    (lambda m: m.point_on_plane("J", "a", "c", **HERE),
     r"point-on-plane 'J': the axis is missing; give it as \(x, y, z\)"),
    (lambda m: m.universal("J", "a", "c", axis="z", **HERE), r"universal joint 'J': give axis= and second_axis="),
    (lambda m: m.universal("J", "a", "c", axis="z", second_axis="-z", **HERE),
     r"universal joint 'J': the arms \(0, 0, 1\) and \(.*-1\) are parallel \(0° apart as drawn\); they must be "
     r"perpendicular \(at least 30° apart in the drawing\)\. Turn one"),
    (lambda m: m.universal("J", "a", "c", axis="z", second_axis=(0.6 * 0.5, 0, math.sqrt(1 - 0.09)), **HERE),
     r"nearly parallel \(17\.5° apart as drawn\)"),
    (lambda m: m.constant_velocity("J", "a", "c", axis="z", second_axis="-z", **HERE),
     r"constant-velocity joint 'J': the shafts are bent by 180° as drawn; it can bend by 120° at most\. Turn one"),
    (lambda m: m.screw("J", "a", "c", axis="z", lead=math.inf, **HERE),
     r"lead of screw joint 'J' is inf; it must be a finite number"),
    (lambda m: m.fix("J", "ground"), r"constraint 'J' fixes the ground, which is fixed already; remove it"),
    # links
    (lambda m: m.link("J", m["a"].at_global(1, 0, 0), "b"),
     r"length of link 'J' is 0 m; it must be greater than 0\. Use a joint with a common point"),
    (lambda m: m.link("J", "a", "b", length=-0.5), r"length of link 'J' is -0\.5 m; it must be greater than 0"),
    (lambda m: m.revolute_revolute("J", m["a"].at_global(1, 0, -1), m["b"].at(0, 0, 0), axis="z"),
     r"link 'J': the link lies along its hinge axes, so they do not hold it; move one end"),
    (lambda m: m.revolute_revolute("J", m["a"].at_global(0, 0, 0), m["b"].at(0, 0, 0), axis="z", second_axis="x"),
     r"link 'J': the hinge axes and the link lie in one plane as drawn, a singular position; turn an axis"),
    (lambda m: m.revolute_revolute("J", m["a"].at_global(0, 0, 0), m["b"].at(0, 0, 0), axis="z", leans=(0.1,)),
     r"leans of revolute-revolute link 'J' must be two numbers"),
    # rolling
    (lambda m: m.rolling_disc("J", "a", "c", axis="z", disc_axis="z", radius=0.3, **HERE),
     r"rolling disc 'J' lies flat on its plane as drawn.*its axis is 0 rad off the normal and must be 0\.001 "
     r"rad at least\. Tilt"),
    (lambda m: m.rolling_sphere("J", "a", "c", axis="z", radius=0, **HERE),
     r"radius of rolling sphere 'J' is 0; it must be greater than 0"),
    # couplings
    (lambda m: m.gear("G", "A", "B", radii=(1, 2)),
     r"gear 'G': joint 'A' starts from 'a' but 'B' from 'c'; both must start from the body that carries the "
     r"gears\. Swap"),
    (lambda m: m.gear("G", "A", "S", radii=(1, 2)),
     r"gear 'G': joint 'S' is a spherical and has no angle; give one that has"),
    (lambda m: m.gear("G", "A", "Q", radii=(1, 2)), r"no joint \(in gear 'G'\) 'Q'"),
    (lambda m: m.gear("G", "A", "A", radii=(1, -2)), r"radius of gear 'G' is -2; it must be greater than 0"),
    (lambda m: m.worm("W", "A", "B", ratio=0), r"ratio of worm 'W' is 0; it must not be"),
    (lambda m: m.rack("R", "A", "B", radius=0.1),
     r"rack 'R': joint 'B' is a revolute and has no distance; give one that has"),
    # formulas
    (lambda m: m.equation("E", "a.rx - 2"),
     r"equation 'E': 'a\.rx' is an angular velocity or slip, which has no value; use constrain or driver"),
    (lambda m: m.orientation_driver("O", "a", ("t", "t")),
     r"orientation driver 'O': give three angles and a sequence of three axes"),
    (lambda m: m.orientation_driver("O", "a", ("t", "t", "a.x")),
     r"orientation driver 'O': the angle a\.x may depend on t only"),
]  # fmt: skip


@pytest.mark.parametrize("build, sentence", BAD, ids=[s for _, s in BAD])
def test_bad_input_is_answered_with_a_sentence_and_leaves_the_model_alone(build, sentence):
    m = drawn()
    before = str(m)
    with pytest.raises(ModelError, match=sentence):
        build(m)
    assert str(m) == before
