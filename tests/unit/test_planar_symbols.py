"""What is drawn for each part of a planar model: symbols that joints and forces ask for themselves."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest

import pytrammel as tm
from pytrammel.view.animation.planar import scene_data
from pytrammel.view.figure import new_figure
from pytrammel.view.scene.planar import Mark, Scene
from pytrammel.view.scene.planar_shapes import scene_of_plane
from pytrammel.view.scene.symbols import mark_kinds, mark_parts, place_stretched, stretched_kinds, stretched_parts
from pytrammel.view.scene.teeth import Wheel, fitted, gear_outline, ring_outline, teeth_of
from pytrammel.view.stills.labels import CROWD, Places, Wanted, free_place, place_labels, room_for
from registry_samples import TYPES, build


def scene_of(m: tm.PlanarModel, q: list[list[float]] | None = None, **more: object) -> Scene:
    drawn = [[x for body in list(m.bodies.values())[1:] for x in body.coordinates]] if q is None else q
    return scene_of_plane(m, np.arange(len(drawn), dtype=float), np.array(drawn), **more)  # type: ignore[arg-type]


def marks(scene: Scene, kind: str) -> list[Mark]:
    return [mark for mark in scene.marks if mark.kind == kind]


def bar(m: tm.PlanarModel, name: str = "bar", **given: object) -> tm.Body:
    return m.body(name, position=(1.0, 0.0), **given)  # type: ignore[return-value]


@pytest.mark.parametrize("kind", [t for t in TYPES if not t.space], ids=str)
def test_every_joint_and_force_can_be_drawn(kind):
    model, _ = build(kind)
    scene = scene_of(model)
    assert {mark.kind for mark in scene.marks} <= set(mark_kinds())
    assert {rod.kind for rod in scene.rods} <= set(stretched_kinds())
    assert scene_data(scene)["bodies"]


# ---- masses


def test_lumps_grow_with_their_mass_and_none_is_lost() -> None:
    m = tm.PlanarModel("five masses")
    masses = (0.1, 1.0, 2.0, 5.0, 20.0)
    for k, mass in enumerate(masses):
        m.body(f"b{k}", position=(float(k), 0.0), mass=mass, inertia=0.0)
    sizes = [mark.size or 0.0 for mark in marks(scene_of(m), "mass")]
    assert len(sizes) == 5 and all(b > a > 0.0 for a, b in pairwise(sizes))


def test_a_link_shows_its_centroid_and_a_pendulum_its_bob() -> None:
    m = tm.PlanarModel("links")
    bar(m, "rod", mass=1.0, inertia=0.1)
    m.body("bob", position=(2.0, -1.0), mass=1.0, inertia=0.0)
    m.revolute("A", m.ground, "rod", at=(0, 0))
    m.revolute("B", "rod", "bob", at=(2, 0))
    scene = scene_of(m)
    bodies = [b.name for b in scene.bodies]
    assert [bodies[mark.body] for mark in marks(scene, "centroid")] == ["rod"]
    assert [bodies[mark.body] for mark in marks(scene, "mass")] == ["bob"]
    link = next(b for b in scene.bodies if b.name == "bob").shapes[0]
    assert link.role == "link" and {(0.0, 0.0), (0.0, 1.0)} == {tuple(np.round(p, 12)) for p in link.points}


def test_what_is_welded_on_is_reached_by_its_link() -> None:
    m = tm.PlanarModel("sling")
    bar(m, "sling")
    m.body("stone", position=(2.0, 0.0), mass=4.0, inertia=0.01)
    m.revolute("A", m.ground, "sling", at=(0, 0))
    m.weld("pouch", "sling", "stone", at=(2, 0))
    sling = next(b for b in scene_of(m).bodies if b.name == "sling")
    assert {p[0] for p in sling.shapes[0].points} == {-1.0, 1.0}


# ---- springs and what stretches


@pytest.mark.parametrize(
    ("given", "kind"),
    [
        ({"stiffness": 5.0}, "spring"),
        ({"damping": 5.0}, "damper"),
        ({"stiffness": 5.0, "damping": 1.0}, "spring-damper"),
        ({"force": "3*sin(t)"}, "actuator"),
        ({"stiffness": "max(0, 50*(l - 1))"}, "rope"),
        ({"stiffness": tm.functions.Table("pull", [-1.0, 0.0, 1.0], [0.0, 0.0, 8.0], kind="linear")}, "rope"),
        ({"stiffness": "50*(l - 1)"}, "spring"),
    ],
)
def test_what_pulls_between_two_points_looks_like_what_it_is(given: dict[str, object], kind: str) -> None:
    m = tm.PlanarModel("pull")
    b = bar(m)
    m.spring("s", m.ground.at(0.0, 0.0), b.at(0.0, 0.0), free_length=1.0, **given)
    assert [rod.kind for rod in scene_of(m).rods] == [kind]


@pytest.mark.parametrize("kind", stretched_kinds())
@pytest.mark.parametrize("length", [0.0, 0.02, 0.5, 3.0])
def test_stretched_symbols_begin_and_end_at_their_points(kind: str, length: float) -> None:
    a, b, u = (0.2, 0.1), (0.2 + 0.6 * length, 0.1 + 0.8 * length), 0.03
    placed = [p for part in stretched_parts(kind) for p in place_stretched(part, a, b, u, 2.0)]
    for end in (a, b):
        assert min(math.dist(end, p) for p in placed) < 1e-12 + 0.06 * u
    along = [0.6 * (x - a[0]) + 0.8 * (y - a[1]) for x, y in placed]
    if kind != "rope" and length > 0.0:  # a slack rope hangs beside the line, and no length has no direction
        assert min(along) > -u and max(along) < length + u


def test_a_slack_rope_is_as_long_as_it_is_said_to_be() -> None:
    # the parabola's formula is the first term of a series in the sag: good to a percent at a fifth of the length
    (part,) = stretched_parts("rope")
    points = np.array(place_stretched(part, (0.0, 0.0), (1.0, 0.0), 0.01, 1.05))
    assert np.hypot(*np.diff(points, axis=0).T).sum() == pytest.approx(1.05, rel=0.01)
    taut = np.array(place_stretched(part, (0.0, 0.0), (1.0, 0.0), 0.01, 0.9))
    assert (taut[:, 1] == 0.0).all()


# ---- motors, drivers, loads


def test_motors_and_torsion_springs_stand_at_the_pin_of_their_bodies() -> None:
    m = tm.PlanarModel("motor")
    bar(m, mass=1.0, inertia=1.0)
    m.revolute("A", m.ground, "bar", at=(0.5, 0.25))
    m.motor("M", first=m.ground, second="bar", torque=2.0)
    m.torsion_spring("T", first=m.ground, second="bar", stiffness=1.0)
    scene = scene_of(m)
    for kind in ("motor", "torsion"):
        (mark,) = marks(scene, kind)
        assert scene.bodies[mark.body].is_ground and mark.position == (0.5, 0.25)


def test_a_driven_angle_and_a_driven_way_have_arrows() -> None:
    m = tm.PlanarModel("driven")
    bar(m)
    m.body("block", position=(3.0, 0.0))
    m.revolute("A", m.ground, "bar", at=(0, 0))
    m.prismatic("T", m.ground, "block", at=(3, 0), axis=(1, 0))
    m.driver("a", m["A"].angle, "t")
    m.driver("b", m["T"].distance, "t")
    scene = scene_of(m)
    assert len(marks(scene, "drive-turn")) == len(marks(scene, "drive-slide")) == 1


def test_loads_that_know_time_have_arrows_before_any_simulation() -> None:
    from pytrammel.view.result_views import build_scene

    m = tm.PlanarModel("load")
    b = bar(m, mass=1.0, inertia=1.0)
    m.revolute("A", m.ground, "bar", at=(0, 0))
    m.driver("a", m["A"].angle, "t")
    m.force("F", b.at(1.0, 0.0), (0.0, "-2*t"))
    scene = build_scene(m.kinematics(1.0, samples=3))
    (arrow,) = [a for a in scene.arrows if a.kind == "load"]
    np.testing.assert_allclose(arrow.vector, [[0, 0], [0, -1], [0, -2]], atol=1e-15)
    assert scene.gravity == (0.0, -9.81)


def test_velocity_and_acceleration_arrows_are_those_of_turning() -> None:
    from pytrammel.view.result_views import build_scene

    m = tm.PlanarModel("turning")
    bar(m)
    m.revolute("A", m.ground, "bar", at=(0, 0))
    m.point("P", "bar", at=(2.0, 0.0))
    m.driver("a", m["A"].angle, "3*t")
    scene = build_scene(m.kinematics(1.0, samples=5))
    found = {(a.name, a.kind): a.vector for a in scene.arrows}
    # v = omega r across, a = omega² r inwards
    np.testing.assert_allclose(found["P", "velocity"][0], [0.0, 6.0], atol=1e-9)
    np.testing.assert_allclose(found["P", "acceleration"][0], [-18.0, 0.0], atol=1e-9)
    np.testing.assert_allclose(np.hypot(*found["bar", "velocity"].T), 3.0, rtol=1e-9)


# ---- guides, phases, gears


def test_a_ground_guide_is_as_long_as_the_way_and_hatched_below() -> None:
    m = tm.PlanarModel("slide")
    m.body("block", position=(0.0, 0.0))
    m.prismatic("T", m.ground, "block", at=(0, 0), axis=(1, 0))
    scene = scene_of(m, [[0.0, 0.0, 0.0], [2.0, 0.0, 0.0]])
    (guide,) = [s for s in scene.bodies[0].shapes if s.role == "guide"]
    assert guide.points[0][0] < 0.0 and guide.points[1][0] > 2.0
    hatch = [p for p in scene_data(scene)["bodies"][0]["parts"] if p["style"] == "hatch"]
    line = [p for p in scene_data(scene)["bodies"][0]["parts"] if p["style"] == "line"]
    assert max(y for p in hatch for path in p["paths"] for y in path[1::2]) <= line[0]["paths"][0][1] < 0.0


def test_what_a_phase_switches_off_is_marked_as_off() -> None:
    m = tm.PlanarModel("phases")
    bar(m)
    m.revolute("A", m.ground, "bar", at=(0, 0))
    m.revolute("B", m.ground, "bar", at=(2, 0))
    m.phase("left", active=["A"])
    m.phase("right", active=["B"])
    scene = scene_of(m, [[1.0, 0.0, 0.0]] * 3, phases=["left", "left", "right"])
    found = {mark.label: mark.active for mark in scene.marks}
    assert found == {"A": (True, True, False), "B": (False, False, True)}
    assert [mark["on"] for mark in scene_data(scene)["marks"]] == ["110", "001"]


def _inside(point: tuple[float, float], polygon: list[tuple[float, float]]) -> bool:
    x, y = point
    crossings = 0
    for (xa, ya), (xb, yb) in pairwise([*polygon, polygon[0]]):
        if (ya > y) != (yb > y) and x < xa + (y - ya) / (yb - ya) * (xb - xa):
            crossings += 1
    return crossings % 2 == 1


@pytest.mark.parametrize("radii", [(0.02, 0.03), (0.05, 0.02), (0.031, 0.047)])
@pytest.mark.parametrize("angle", [0.0, 0.7, 2.5])
def test_teeth_of_meshing_gears_do_not_cross(radii: tuple[float, float], angle: float) -> None:
    r1, r2 = radii
    centre = ((r1 + r2) * math.cos(angle), (r1 + r2) * math.sin(angle))
    wheels = {"a": Wheel((0.0, 0.0), 0.3, r1), "b": Wheel(centre, -1.1, r2)}
    module, phases = fitted(wheels, {"a": ["b"], "b": ["a"]})
    outlines = []
    for name, wheel in wheels.items():
        c, s = math.cos(wheel.angle), math.sin(wheel.angle)
        local = gear_outline((0.0, 0.0), wheel.radius, module, phases[name])
        outlines.append([(wheel.centre[0] + c * x - s * y, wheel.centre[1] + s * x + c * y) for x, y in local])
    first, second = outlines
    assert not any(_inside(p, second) for p in first) and not any(_inside(p, first) for p in second)
    # and they do reach into each other's gaps
    assert min(math.dist(p, centre) for p in first) < r2


@pytest.mark.parametrize("first", ["ring", "pinion"])
@pytest.mark.parametrize("radii", [(0.02, 0.05), (0.03, 0.08), (0.031, 0.062)])
@pytest.mark.parametrize("angle", [0.0, 0.7, 2.5])
def test_teeth_of_a_pinion_do_not_cross_those_of_its_ring(radii: tuple[float, float], angle: float, first: str) -> None:
    small, large = radii
    centre = ((large - small) * math.cos(angle), (large - small) * math.sin(angle))
    wheels = {"ring": Wheel((0.0, 0.0), 0.4, large, ring=True), "pinion": Wheel(centre, -1.1, small)}
    if first == "pinion":
        wheels = dict(reversed(wheels.items()))
    module, phases = fitted(wheels, {"ring": ["pinion"], "pinion": ["ring"]})
    outlines = {}
    for name, wheel in wheels.items():
        c, s = math.cos(wheel.angle), math.sin(wheel.angle)
        outline = ring_outline if wheel.ring else gear_outline
        local = outline((0.0, 0.0), wheel.radius, module, phases[name])
        outlines[name] = [(wheel.centre[0] + c * x - s * y, wheel.centre[1] + s * x + c * y) for x, y in local]
    # the pinion lies in the hole of the ring, and no tooth of the ring lies in the pinion
    assert all(_inside(p, outlines["ring"]) for p in outlines["pinion"])
    assert not any(_inside(p, outlines["pinion"]) for p in outlines["ring"])
    # and they do reach into each other's gaps
    assert max(math.dist(p, (0.0, 0.0)) for p in outlines["pinion"]) > large


def test_gears_with_whole_ratios_get_whole_teeth() -> None:
    wheels = {k: Wheel((float(k), 0.0), 0.0, r) for k, r in enumerate((0.02, 0.03, 0.05))}
    module, _ = fitted(wheels, {0: [1], 1: [0, 2], 2: [1]})
    counts = [2.0 * w.radius / module for w in wheels.values()]
    assert [round(n) for n in counts] == [teeth_of(w.radius, module) for w in wheels.values()]
    assert max(abs(n - round(n)) for n in counts) < 1e-9


def test_smaller_bodies_lie_on_larger_ones_and_bars_on_top() -> None:
    m = tm.PlanarModel("coaxial")
    for name in ("bar", "small", "large"):
        m.body(name, position=(0.0, 0.0))
        m.revolute(f"pin_{name}", m.ground, name, at=(0, 0))
    m.point("tip", "bar", at=(0.5, 0.0))
    m.body("other", position=(0.3, 0.0))
    m.revolute("pin_other", m.ground, "other", at=(0.3, 0))
    m.body("far", position=(0.0, 0.5))
    m.revolute("pin_far", m.ground, "far", at=(0, 0.5))
    m.gear("g1", "small", "other", radii=(0.1, 0.2))
    m.gear("g2", "large", "far", radii=(0.4, 0.1))
    names = [b.name for b in scene_of(m).bodies]
    assert names.index("large") < names.index("small") < names.index("bar")
    scene = scene_of(m)
    assert len({scene.colour(names.index(n)) for n in ("large", "small", "bar")}) == 3


# ---- drawings of results


def _turning() -> tm.PlanarModel:
    m = tm.PlanarModel("turning")
    bar(m)
    m.revolute("A", m.ground, "bar", at=(0, 0))
    m.point("P", "bar", at=(2.0, 0.0))
    m.driver("a", m["A"].angle, "3*t")
    return m


def test_a_drawing_shows_the_arrows_that_are_asked_for_and_their_values() -> None:
    result = _turning().kinematics(1.0, samples=3)
    words = {text.get_text() for text in result.draw(arrows=["velocity"]).texts}
    assert "6 m/s" in words  # omega r = 3 rad/s times 2 m
    assert not any("m/s" in text.get_text() for text in result.draw().texts)
    with pytest.raises(tm.ModelError, match="arrows can be load, reaction, velocity, acceleration, not 'speed'"):
        result.draw(arrows=["speed"])
    with pytest.raises(tm.ModelError, match="t = 99 s lies outside this run"):
        result.draw(time=99)


def test_labels_of_a_film_stay_where_they_were() -> None:
    ax = new_figure(4.0, 3.0).add_subplot()
    ax.set_xlim(0.0, 1.0)
    ax.set_ylim(0.0, 1.0)
    names = [Wanted(text, (0.5, 0.5), 2.0, "k", 9.0) for text in ("first", "second")]
    places: Places = {}
    place_labels(ax, names, places)
    assert places == {"first": 0, "second": 1}  # the second one finds the best place taken
    place_labels(ax, names[1:], places)  # next frame: the first has gone, and the second does not hop
    assert places["second"] == 1
    fresh: Places = {}
    place_labels(ax, names[1:], fresh)
    assert fresh["second"] == 0


def test_in_a_crowd_lesser_names_need_room() -> None:
    assert room_for(1, CROWD) == 0.0 < room_for(1, CROWD + 1) < room_for(2, CROWD + 1)
    beside = (60.0, 40.0, 90.0, 60.0)
    assert free_place(50.0, 50.0, 10.0, 10.0, 2.0, None, [beside]) is not None
    number, box = free_place(50.0, 50.0, 10.0, 10.0, 2.0, None, [beside], room=7.0) or (0, beside)
    assert beside[0] - box[2] >= 7.0 and number > 0


def test_labels_stay_within_the_frame_and_off_the_legend() -> None:
    ax = new_figure(4.0, 3.0).add_subplot()
    ax.plot([0.0, 1.0], [0.0, 1.0], label="path")
    legend = ax.legend(loc="upper left")
    place_labels(
        ax,
        [Wanted("at the right edge", (0.98, 0.5), 2.0, "k", 9.0), Wanted("on the legend", (0.1, 0.85), 2.0, "k", 9.0)],
    )
    right, off = (text.get_window_extent() for text in ax.texts)
    assert right.x1 <= ax.bbox.x1
    assert not off.overlaps(legend.get_window_extent())


def test_the_label_of_a_driven_pin_stands_beside_its_arrow() -> None:
    m = tm.PlanarModel("crank")
    m.body("bar", position=(1.0, 0.0))
    m.revolute("A", m.ground, "bar", at=(0.0, 0.0))
    m.driver("motor", "A.angle", "t")
    scene = scene_of(m)
    (label,) = (mark for mark in scene.marks if mark.label)
    (turn,) = marks(scene, "drive-turn")
    arrow = next(part for part in mark_parts(turn, 1.0) if len(part.points) > 10)
    assert label.label == "A, motor"
    assert math.hypot(label.gap, label.gap) > max(math.dist(point, turn.position) for point in arrow.points)


def test_labels_of_a_drawing_do_not_collide() -> None:
    m = tm.PlanarModel("crowd")
    for k in range(14):  # pins closer to each other than their names are wide
        m.body(f"body{k}", position=(0.05 * k, 1.0))
        m.revolute(f"a_long_name_{k}", m.ground, f"body{k}", at=(0.05 * k, 0.0))
        m.point(f"P{k}", f"body{k}", at=(0.05 * k, 1.0))
    ax = m.draw()
    ax.figure.canvas.draw()
    boxes = [text.get_window_extent() for text in ax.texts if text.get_text()]
    assert len(boxes) > 6
    pairs = [(a, b) for i, a in enumerate(boxes) for b in boxes[:i] if a.overlaps(b)]
    assert not pairs


def test_a_machine_that_goes_far_keeps_its_symbols_small() -> None:
    m = _turning()
    near = scene_of(m, [[1.0, 0.0, 0.0]])
    far = scene_of(m, [[1.0, 0.0, 0.0], [101.0, 0.0, 0.0]])
    # a quarter of what the picture alone would give
    assert near.symbol_size() < far.symbol_size() < 0.25 * 0.0125 * 103 + 1e-9


def test_bars_that_lie_on_each_other_are_told_apart_by_width_and_colour() -> None:
    m = tm.PlanarModel("parallelogram folded")
    for name in ("lower", "upper"):
        m.body(name, position=(0.5, 0.0))
        m.revolute(f"{name}_pin", m.ground, name, at=(0, 0))
        m.point(f"{name}_tip", name, at=(1.0, 0.0))
    scene = scene_of(m)
    widths = [shape.width for body in scene.bodies for shape in body.shapes if shape.role == "link"]
    assert widths == [1.0, 0.6]
    assert scene.colour(1) != scene.colour(2)


def test_a_contact_pushes_at_the_place_that_touches() -> None:
    from pytrammel.view.result_views import build_scene

    m = tm.PlanarModel("ball on a floor")
    m.body("ball", position=(0.0, 0.5), mass=2.0, inertia=0.2)
    m.contact_line("floor", "ball", m.ground, radius=0.5, at=(0, 0), axis=(1, 0), stiffness=1e4, damping=300.0)
    scene = build_scene(m.simulate(3.0, samples=11, progress=False))
    (arrow,) = [a for a in scene.arrows if a.kind == "load" and a.name == "floor"]
    np.testing.assert_allclose(arrow.vector[-1], [0.0, 2.0 * 9.81], rtol=1e-3)  # at rest it carries the weight
    assert arrow.origin is not None
    # the floor gives way by weight over stiffness, 2 mm
    np.testing.assert_allclose(arrow.origin[-1], [0.0, 0.0], atol=3e-3)


def test_a_symbol_that_pictures_do_not_know_is_named() -> None:
    from dataclasses import replace

    m = _turning()
    m._constraints["A"] = replace(m["A"], symbols=(replace(m["A"].symbols[0], kind="universal"),))
    with pytest.raises(tm.ModelError, match=r"revolute 'A' .*asks for the symbol 'universal'"):
        m.draw()
