"""Joints of spatial models: rows and their derivatives, copies, and freedoms."""

from __future__ import annotations

import math
import re

import numpy as np
import pytest

from pytrammel import rotations as rot
from pytrammel.analysis.freedom.rank import jacobian
from pytrammel.geometry.space_curves import helix
from pytrammel.kernels.jit import prepare
from pytrammel.model.spatial import SpatialModel
from pytrammel.model.spatial_registries import spatial_constraint_types, spatial_sample_arguments
from pytrammel.system.lowering import lower
from pytrammel.system.positions import moved
from pytrammel.testing.copies import check_copies
from pytrammel.testing.rows import along, check_rows
from pytrammel.testing.samples import joint_types
from spatial_directions import AXES, across, random_pose, unit

KINDS = sorted(spatial_constraint_types())
JOINTS = [each for each in joint_types() if each.space]


# --- samples: every registered type between three bodies drawn anywhere ------------------------------------------------


def sample_model(kind, seed):
    rng = np.random.default_rng(seed)
    model = SpatialModel("sample")
    bodies = [model.body(name, **random_pose(rng)) for name in "abc"]
    given = dict(spatial_sample_arguments(kind, *bodies))
    for key, value in given.items():
        if isinstance(value, tuple) and len(value) == 3 and isinstance(value[2], dict):
            given[key] = getattr(model, value[1])(value[0], **value[2])  # a joint to be made first
    return model, getattr(model, kind)("sample", **given)


@pytest.mark.parametrize("kind", KINDS)
def test_number_of_rows_is_the_documented_one(kind):
    said = re.search(r"\((\d+) rows?\b", spatial_constraint_types()[kind].__doc__ or "")
    assert said, f"the docstring of {kind} does not say how many rows it has"
    assert sample_model(kind, 0)[1].n_rows == int(said[1])


@pytest.mark.parametrize("kind", JOINTS, ids=str)
@pytest.mark.parametrize("seed", range(2))
def test_rows_and_measures_of_every_type_agree_with_differences(kind, seed):
    check_rows(kind, seed)


# --- copies -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", JOINTS, ids=str)
def test_a_copy_has_the_same_rows_as_drawn_and_in_another_pose(kind):
    """What a joint read off the drawing it keeps: leans, lengths, values."""
    check_copies(kind)


def test_a_fixed_body_is_held_where_the_copy_draws_it():
    model, _ = sample_model("fix", 5)
    twin = model.copy(changes={"a": {"position": (1.0, 2.0, 3.0)}})
    found = twin.assemble()
    np.testing.assert_allclose(found.pose("a")[:3], (1.0, 2.0, 3.0), atol=1e-12)  # closed as drawn: nothing moves


# --- freedoms: no hidden dependence among the rows ------------------------------------------------------------------------

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
    "intersecting_axes": lambda m, a, b, u, w, n: m.intersecting_axes("J", a, b, at=AT, axis=u, second_axis=bent(u, w, 0.5)),
    "parallel_frames": lambda m, a, b, u, w, n: m.parallel_frames("J", a, b),
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
        "rack_and_pinion",
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
