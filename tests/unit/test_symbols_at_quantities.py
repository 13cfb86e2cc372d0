"""End stops, friction, torsion springs and motors are drawn where their quantity is measured, in the plane and in space."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import pytrammel as tm
from pytrammel import rotations
from pytrammel.view.scene.measured import drawn_pose, where_measured
from pytrammel.view.scene.planar import Mark, Scene, to_global
from pytrammel.view.scene.planar_shapes import scene_of_plane
from pytrammel.view.scene.spatial import Mark3, SpaceScene
from pytrammel.view.scene.spatial_shapes import scene_of_motion
from pytrammel.view.scene.symbols import MOST_TURNS, SPIRAL, spiral_points
from registry_samples import TYPES, build

LIMITS = {"low": -0.4, "high": 0.7}


def drawn(m: tm.PlanarModel | tm.SpatialModel) -> np.ndarray:
    return np.array([[x for body in list(m.bodies.values())[1:] for x in body.coordinates]])


def plane_marks(m: tm.PlanarModel) -> dict[str, tuple[Mark, str]]:
    scene: Scene = scene_of_plane(m, np.zeros(1), drawn(m))
    return {mark.kind: (mark, scene.bodies[mark.body].name) for mark in scene.marks}


def space_marks(m: tm.SpatialModel) -> dict[str, tuple[Mark3, str]]:
    scene: SpaceScene = scene_of_motion(m, np.zeros(1), drawn(m))
    return {mark.kind: (mark, scene.bodies[mark.body].name) for mark in scene.marks}


def arm_of_plane(angle: float, base: float) -> tm.PlanarModel:
    """An arm on a tilted base, each of them drawn at some angle; the arm reaches from the pin at (0.3, 0.2) one metre along its own x."""
    m = tm.PlanarModel("arm")
    m.body("base", position=(0.3, 0.2), angle=base)
    m.body("arm", position=(0.3, 0.2), angle=base + angle)
    m.fix("F", "base")
    m.revolute("A", "base", "arm", at=(0.3, 0.2))
    m.point("tip", "arm", local=(1.0, 0.0))
    return m


@pytest.mark.parametrize(("angle", "base"), [(0.0, 0.0), (0.3, -1.1), (-2.0, 0.7)])
def test_an_arm_lies_along_the_wall_of_a_stop_at_its_limit(angle: float, base: float) -> None:
    m = arm_of_plane(angle, base)
    m.end_stop("S", "A.angle", stiffness=1.0, **LIMITS)
    found = plane_marks(m)
    for side, limit in LIMITS.items():
        mark, body = found[f"stop-turn-{side}"]
        assert body == "base"
        assert mark.position == pytest.approx((0.0, 0.0), abs=1e-12)
        # at the limit the arm's own x axis is turned by it against the base
        assert math.cos(mark.angle - limit) == pytest.approx(1.0, abs=1e-12)


def test_the_angle_of_a_body_has_its_stops_on_the_ground() -> None:
    m = arm_of_plane(0.3, 0.0)
    m.end_stop("S", "arm.phi", high=1.0, stiffness=1.0)
    mark, body = plane_marks(m)["stop-turn-high"]
    assert (body, mark.angle) == ("ground", pytest.approx(1.0))
    assert "stop-turn-low" not in plane_marks(m)


def test_a_wheel_gets_a_finger_that_meets_the_walls() -> None:
    m = tm.PlanarModel("wheel")
    m.body("wheel", position=(0.0, 0.0), mass=1.0, inertia=1.0)
    m.revolute("A", m.ground, "wheel", at=(0, 0))
    m.end_stop("S", "A.angle", low=-1.0, stiffness=1.0)
    assert {"stop-finger", "stop-turn-low"} <= plane_marks(m).keys()


@pytest.mark.parametrize("start", [0.0, 0.25])
def test_walls_of_a_slide_stand_where_its_point_ends(start: float) -> None:
    m = tm.PlanarModel("slide")
    way = np.array([0.6, 0.8])
    x, y = np.array([0.2, -0.1]) + start * way
    m.body("block", position=(x, y), angle=0.4)
    m.prismatic("T", m.ground, m["block"].at(0.0, 0.0), line=(m.ground.at(0.2, -0.1), m.ground.at(0.8, 0.7)))
    m.end_stop("S", "T.distance", stiffness=1.0, **LIMITS)
    found = plane_marks(m)
    for side, limit in LIMITS.items():
        mark, _ = found[f"stop-slide-{side}"]
        assert mark.position == pytest.approx((np.array([0.2, -0.1]) + limit * way).tolist(), abs=1e-12)
        assert mark.angle == pytest.approx(math.atan2(0.8, 0.6))
    (guide,) = (s for b in scene_of_plane(m, np.zeros(1), drawn(m)).bodies for s in b.shapes if s.role == "guide")
    reach = sorted((np.array(guide.points) - [0.2, -0.1]) @ way)
    assert reach[0] < LIMITS["low"] and reach[1] > LIMITS["high"]  # the way leads from wall to wall


def test_coordinates_of_points_and_lengths_of_springs_have_stops_too() -> None:
    m = arm_of_plane(0.0, 0.0)
    m.end_stop("S", "tip.y", high=0.9, stiffness=1.0)
    mark, body = plane_marks(m)["stop-slide-high"]
    assert (body, mark.position) == ("ground", pytest.approx((1.3, 0.9)))
    m.spring("k", m.ground.at(1.3, 2.0), m.point("tip"), stiffness=1.0)
    m.end_stop("bump", "k.length", low=0.1, stiffness=1.0)
    scene = scene_of_plane(m, np.zeros(1), drawn(m))
    assert [(rod.kind, rod.label) for rod in scene.rods] == [("spring", "k"), ("bumper", "bump")]


def test_friction_stands_at_its_joint() -> None:
    m = arm_of_plane(0.2, 0.1)
    m.joint_friction("F1", "A", friction=0.2, radius=0.01)
    m.body("block", position=(0.0, -1.0))
    m.prismatic("T", m.ground, "block", at=(0.0, -1.0), axis=(1, 0))
    m.stick_slip("F2", "T.distance", normal=5.0, friction=0.3)
    found = plane_marks(m)
    assert found["friction-turn"][1] == "arm" and found["friction-slide"][1] == "block"


# ---- spirals


def test_a_spiral_winds_with_the_angle_between_its_ends() -> None:
    outer = (-SPIRAL[1], 0.0)
    for turned in (-9.0, -1.0, 0.0, 0.5, 3.0, 12.0, 500.0):
        wire = np.array(spiral_points(turned))
        assert wire[-1] == pytest.approx(outer, abs=1e-12)  # held
        slack = np.array(spiral_points(0.0))[0]
        c, s = math.cos(turned), math.sin(turned)
        # turns along
        assert wire[0] == pytest.approx([c * slack[0] - s * slack[1], s * slack[0] + c * slack[1]], abs=1e-9)
        swept = np.unwrap(np.arctan2(wire[:, 1], wire[:, 0]))
        assert abs(swept[-1] - swept[0]) <= 2.0 * math.pi * MOST_TURNS + 1e-9


def test_a_torsion_spring_is_slack_at_its_free_angle() -> None:
    m = arm_of_plane(0.5, 0.2)
    m.torsion_spring("T", first="base", second="arm", stiffness=1.0, free_angle=0.1)
    scene = scene_of_plane(m, np.zeros(1), drawn(m))
    (spiral,) = scene.spirals
    assert spiral.free == 0.1
    assert to_global(scene.bodies[spiral.body_i].poses, spiral.point)[0] == pytest.approx([0.3, 0.2])


# ---- in space


def arm_of_space(angle: float) -> tm.SpatialModel:
    """An arm on a tilted base, turned about the base's own y axis; it reaches half a metre along its own x."""
    m = tm.SpatialModel("arm")
    base = rotations.parameters(rotations.matrix(np.array([0.5, 0.5, -0.5, 0.5])))
    c, s = math.cos(angle), math.sin(angle)
    about = np.array([[c, 0.0, s], [0.0, 1.0, 0.0], [-s, 0.0, c]])
    turn = rotations.parameters(rotations.matrix(base) @ about)
    m.body("base", position=(0.3, 0.2, 0.1), rotation=tuple(base))
    m.body("arm", position=(0.3, 0.2, 0.1), rotation=tuple(turn), mass=1.0, inertia=(0.01, 0.01, 0.01))
    m.fix("F", "base")
    axis = tuple(rotations.matrix(base)[:, 1])
    m.revolute("A", "base", "arm", at=(0.3, 0.2, 0.1), axis=axis)
    m.point("tip", "arm", local=(0.5, 0.0, 0.0))
    return m


def at_angle(m: tm.SpatialModel, value: float) -> np.ndarray:
    """The arm's x axis in the base when the joint has this angle, by assembling the mechanism there."""
    there = m.copy()
    there.driver("D", "A.angle", value)
    q = there.assemble().q
    base, arm = (np.asarray(rotations.matrix(q[7 * k + 3 : 7 * k + 7])) for k in (0, 1))
    return base.T @ arm[:, 0]


@pytest.mark.parametrize("angle", [0.0, 0.6])
def test_an_arm_in_space_lies_along_the_post_of_a_stop_at_its_limit(angle: float) -> None:
    m = arm_of_space(angle)
    m.end_stop("S", "A.angle", stiffness=1.0, **LIMITS)
    found = space_marks(m)
    for side, limit in LIMITS.items():
        mark, body = found[f"stop-turn-{side}"]
        assert body == "base" and mark.x_axis is not None
        assert np.array(mark.x_axis) == pytest.approx(at_angle(m, limit), abs=1e-9)


def test_plates_of_a_slide_in_space_stand_beyond_its_body() -> None:
    m = tm.SpatialModel("slide")
    m.body("block", position=(0.2, 0.0, 0.0), shape=tm.Box((0.3, 0.1, 0.1)))
    m.prismatic("T", m.ground, "block", at=(0.2, 0.0, 0.0), axis="x")
    m.end_stop("S", "T.distance", stiffness=1.0, **LIMITS)
    found = space_marks(m)
    assert found["stop-slide-low"][0].position[0] == pytest.approx(0.2 - 0.4 - 0.15)
    assert found["stop-slide-high"][0].position[0] == pytest.approx(0.2 + 0.7 + 0.15)


def test_springs_motors_and_friction_of_a_hinge_are_seen_in_space() -> None:
    m = arm_of_space(0.3)
    m.torsion_spring("T", "A", stiffness=1.0, free_angle=0.0)
    m.motor("M", "A", 1.0)
    m.joint_friction("R", "A", friction=0.1, radius=0.01)
    assert {"torsion", "motor", "friction-turn"} <= space_marks(m).keys()
    start = drawn(m)[0]
    spin = np.linspace(0.0, 3.0 * math.pi, 19)  # one and a half turns about the joint's axis, the base's y
    base = np.asarray(rotations.matrix(start[3:7]))
    arm = np.asarray(rotations.matrix(start[10:14]))
    q = np.tile(start, (len(spin), 1))
    for row, angle in zip(q, spin, strict=True):
        c, s = math.cos(angle), math.sin(angle)
        about = base @ np.array([[c, 0.0, s], [0.0, 1.0, 0.0], [-s, 0.0, c]]) @ base.T
        row[10:14] = rotations.parameters(about @ arm)
    (spiral,) = scene_of_motion(m, spin, q).spirals
    first = m.drawn_value(m["A"].angle)
    assert spiral.turned == pytest.approx(first + spin, abs=1e-9)


# ---- every type


@pytest.mark.parametrize("kind", TYPES, ids=str)
def test_what_is_measured_grows_as_the_body_moves_along_its_place(kind: Any) -> None:
    """The place of a quantity is right if turning or shifting the body there by some amount changes the quantity by just that."""
    model, _ = build(kind)
    for part in (*model.constraints.values(), *model.forces.values()):
        for quantity in part.measures.values():
            place = where_measured(model, quantity) if len(quantity.units) == 1 and quantity.has_value else None
            if place is None or place.other == "ground":
                continue
            step = 1e-3
            (base, tilt), (origin, turn) = drawn_pose(model, place.body), drawn_pose(model, place.other)
            start = model.bodies[place.other].coordinates
            if not place.turns:
                moved = np.array(start)
                moved[: len(origin)] += step * (tilt @ np.array(place.axis))
            elif place.axis:
                pivot = base + tilt @ np.array(place.point)
                about = rotations.matrix(rotations.from_axis_angle(tilt @ np.array(place.axis), step))
                moved = np.concatenate((pivot + about @ (origin - pivot), rotations.parameters(about @ turn)))
            else:
                moved = np.array(start) + [0.0, 0.0, step]
            twin = model.copy(changes={place.other: model.bodies[place.other].placed_at(moved)})
            change = twin.drawn_value(quantity) - model.drawn_value(quantity)
            assert change == pytest.approx(step, rel=1e-2), (part.name, quantity)
