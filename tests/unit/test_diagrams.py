"""Kinematic diagrams and joint graphs of models, in the plane and in space."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pytrammel as tm
from pytrammel.examples import find, geneva, names

pytest.importorskip("matplotlib")
from matplotlib.figure import Figure

from pytrammel.view.diagrams.labels import Name, place_labels
from pytrammel.view.diagrams.skeleton import skeleton_of


@pytest.mark.parametrize("name", names())
def test_every_example_has_a_diagram_with_all_its_names(name: str, tmp_path: Path) -> None:
    model = find(name).build()
    model.diagram(tmp_path / "d.svg")
    text = (tmp_path / "d.svg").read_text(encoding="utf-8")
    shown = " ".join(re.findall(r"<text[^>]*>([^<]*)</text>", text))
    for body in list(model.bodies)[1:]:
        assert body in shown, body
    for joint in model.constraints.values():
        if joint.seats and not joint.is_driver:
            assert joint.name in shown, joint.name
    assert len(text) < 200_000


def test_joints_are_drawn_where_they_are_with_the_letters_of_their_freedom(tmp_path: Path) -> None:
    model = find("slider_crank").build()
    ax = model.diagram(tmp_path / "d.svg")
    text = (tmp_path / "d.svg").read_text(encoding="utf-8")
    assert "A (R)" in text and "bore (P)" in text
    pins = {tuple(np.round(patch.center, 6)) for patch in ax.patches if hasattr(patch, "center")}
    assert {(0.0, 0.0), (0.0, 40.0), (0.0, 180.0)} <= pins  # mm


def test_a_diagram_is_drawn_on_the_axes_of_the_user_and_without_names_where_they_are_not_wanted() -> None:
    flat = Figure().add_subplot()
    assert find("rssr").build().diagram(ax=flat, labels=False) is flat
    assert not any(text.get_text() for text in flat.texts if len(text.get_text()) > 1)
    with pytest.raises(tm.ModelError, match="needs axes made with no projection"):
        find("rssr").build().diagram(ax=Figure().add_subplot(projection="3d"))
    with pytest.raises(tm.ModelError, match="has no moving body yet"):
        tm.PlanarModel("empty").diagram()


def boxes_touch(boxes: Any) -> int:
    return sum(
        a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3] for k, a in enumerate(boxes) for b in boxes[k + 1 :]
    )


def test_names_do_not_cover_each_other_where_many_stand_close() -> None:
    ax = Figure(figsize=(6, 6)).add_subplot()
    ax.set_xlim(0, 1)
    ax.set_ylim(0, 1)
    rng = np.random.default_rng(7)
    items = [Name(f"joint {k}", 0.25 + 0.5 * rng.random(2)) for k in range(25)]
    assert boxes_touch(place_labels(ax, items)) == 0


def loops_by_rank(graph: Any) -> int:
    """Independent loops: the nullity of the incidence matrix."""
    incidence = np.zeros((len(graph.joints), len(graph.bodies)))
    for k, (_, bodies) in enumerate(graph.joints):
        incidence[k, graph.bodies.index(bodies[0])] = 1.0
        incidence[k, graph.bodies.index(bodies[1])] = -1.0
    return len(graph.joints) - int(np.linalg.matrix_rank(incidence))


@pytest.mark.parametrize(
    "name", ["four_bar", "andrews", "planetary_gears", "stewart_platform", "jansen_leg", "suspension"]
)
def test_a_joint_graph_counts_loops_and_mobility(name: str) -> None:
    model = find(name).build()
    graph = model.graph()
    assert len(graph.loops) == loops_by_rank(graph)
    assert graph.mobility is not None and graph.mobility.dof == model.mobility().dof
    ends = dict(graph.joints)
    for loop in graph.loops:  # every body on the way is entered and left
        met = [body for joint in loop for body in ends[joint][:2]]
        assert all(met.count(body) == 2 for body in met), loop
    assert "mobility" in graph.plot().get_title()


def test_a_model_that_does_not_assemble_still_has_a_graph(tmp_path: Path) -> None:
    m = tm.PlanarModel("apart")
    a, b = m.body("a"), m.body("b", position=(5.0, 0.0))
    m.revolute("A", m.ground, a, at=(0.0, 0.0))
    m.revolute("B", m.ground, b, at=(5.0, 0.0))
    m.link("rod", a.at(1.0, 0.0), b.at(1.0, 0.0), length=40.0)
    graph = m.graph(tmp_path / "g.svg")
    assert graph.mobility is None and "mobility is not known" in str(graph)
    assert (tmp_path / "g.svg").stat().st_size > 2000


# ---- slots, gears in space, and what acts at one place


def test_the_slots_of_a_geneva_wheel_lead_through_its_middle_to_its_rim() -> None:
    skeleton = skeleton_of(geneva.build())
    assert [body for body, _ in skeleton.slots] == ["wheel", "wheel"]
    middle = 1000.0 * np.array([geneva.CENTRES, 0.0])
    for _, ends in skeleton.slots:
        arms = ends - middle
        assert arms[0] == pytest.approx(-arms[1], abs=1e-9)
        assert np.hypot(*arms[0]) == pytest.approx(1000.0 * geneva.CRANK, rel=0.02)  # the rim
    assert any(body == "wheel" for body, _ in skeleton.curves)  # the outline


def test_a_slot_without_an_outline_is_as_long_as_its_pin_needs() -> None:
    m = tm.PlanarModel("yoke")
    m.body("rocker", position=(0.0, 0.0))
    m.body("crank", position=(0.0, 1.0))
    m.revolute("O", m.ground, "rocker", at=(0, 0))
    m.revolute("A", m.ground, "crank", at=(0, 1))
    m.point_on_line(
        "slot", "rocker", m["crank"].at(0.3, 0.0), line=(m["rocker"].at(0.0, 0.0), m["rocker"].at(0.3, 1.0))
    )
    ((body, ends),) = skeleton_of(m).slots
    assert body == "rocker" and ends[0] == pytest.approx([0.0, 0.0], abs=1e-12)
    assert ends[1] == pytest.approx([0.375, 1.25])  # a quarter beyond the pin


@pytest.mark.parametrize(
    ("axis", "place", "radii"), [("z", (0.5, 0.0, 0.0), (0.2, 0.3)), ("y", (0.0, 0.2, 0.3), (0.3, 0.2))]
)
def test_gears_in_space_are_circles_of_their_radii_that_touch(
    axis: str, place: Any, radii: tuple[float, float]
) -> None:
    m = tm.SpatialModel("gears")
    m.body("one", position=(0, 0, 0))
    m.body("two", position=place)
    m.revolute("A", m.ground, "one", at=(0, 0, 0), axis="z")
    m.revolute("B", m.ground, "two", at=place if axis == "z" else (0.0, 0.0, 0.3), axis=axis)
    m.gear("mesh", "A", "B", radii=radii)
    circles = dict(skeleton_of(m).curves)
    for name, radius in zip(("one", "two"), radii, strict=True):
        xy = circles[name]
        middle = 0.5 * (xy.min(axis=0) + xy.max(axis=0))
        # however a circle is seen, its longest half is its radius
        assert np.linalg.norm(xy - middle, axis=1).max() == pytest.approx(radius, rel=1e-3)
    gaps = np.linalg.norm(circles["one"][:, None] - circles["two"][None], axis=2)
    assert gaps.min() < 1e-9  # the pitch point


def test_a_rack_in_space_is_a_line_that_touches_its_pinion() -> None:
    m = tm.SpatialModel("rack")
    m.body("pinion", position=(0, 0, 0))
    m.body("rack", position=(0.0, 0.1, 0.0))
    m.revolute("A", m.ground, "pinion", at=(0, 0, 0), axis="z")
    m.prismatic("T", m.ground, "rack", at=(0.0, 0.1, 0.0), axis="x")
    m.rack_and_pinion("R", pinion="A", rack="T", radius=0.1)
    curves = dict(skeleton_of(m).curves)
    a, b = curves["rack"]
    assert np.hypot(*(curves["pinion"] - 0.5 * (a + b)).T).min() < 1e-9


def test_torsion_springs_and_motors_stand_at_their_axle_in_diagrams() -> None:
    m = tm.PlanarModel("arm")
    m.body("arm", position=(0.5, 0.0), mass=1.0, inertia=1.0)
    m.revolute("A", m.ground, "arm", at=(0.2, 0.1))
    m.torsion_spring("spring", first=m.ground, second="arm", stiffness=1.0)
    m.motor("motor", first=m.ground, second="arm", torque=1.0)
    m.end_stop("stop", "A.angle", low=-1.0, stiffness=1.0)
    skeleton = skeleton_of(m)
    assert not skeleton.springs
    assert {name: tuple(at) for name, _, at in skeleton.acting} == dict.fromkeys(
        ("spring", "motor", "stop"), pytest.approx((0.2, 0.1))
    )
    texts = {text.get_text() for text in m.diagram().texts}
    assert {"spring", "motor", "stop"} <= texts


@pytest.mark.parametrize("scale", [1e-3, 1.0, 1e3])
def test_centrodes_of_a_body_without_joints_are_in_the_picture(scale):
    pytest.importorskip("matplotlib")
    m = tm.PlanarModel("wheel")
    m.body("disc", position=(0, 0.2 * scale))
    m.equation("level", f"disc.y - {0.2 * scale}")
    m.equation("rolls", f"disc.x + {0.2 * scale}*disc.phi")
    m.driver("motor", "disc.phi", "-3*t")
    result = m.kinematics(times=np.linspace(0.0, 1.0, 21))
    ax = result.diagram.centrodes("disc").plot()
    line, circle = (np.column_stack(each.get_data()) for each in ax.lines[-3:-1])
    np.testing.assert_allclose(
        line, np.column_stack([0.6 * scale * result.times, 0.0 * result.times]), atol=1e-9 * scale
    )
    np.testing.assert_allclose(np.hypot(*(circle - [0.0, 0.2 * scale]).T), 0.2 * scale, rtol=1e-9)
    low, high = np.array([ax.get_xlim(), ax.get_ylim()]).T
    assert ((low < line.min(axis=0)) & (high > circle.max(axis=0))).all()


@pytest.mark.filterwarnings("error")
def test_polygons_of_one_body_need_no_legend():
    pytest.importorskip("matplotlib")
    m = tm.PlanarModel("wheel")
    m.body("disc", position=(0, 0.2))
    m.equation("level", "disc.y - 0.2")
    m.equation("rolls", "disc.x + 0.2*disc.phi")
    m.point("P", "disc", local=(0, -0.2))
    m.driver("motor", "disc.phi", "-3*t")
    result = m.kinematics(times=[0.0, 0.5])
    for polygon in (result.diagram.velocity_polygon(0.5), result.diagram.acceleration_polygon(0.5)):
        assert polygon.plot()[1].get_legend() is None


# a wheel of 200 m in mm is drawn on purpose
@pytest.mark.filterwarnings("ignore:model .wheel.. its size is:pytrammel.errors.ModelWarning")
@pytest.mark.parametrize("scale", [1e-3, 1.0, 1e3])
def test_the_inflection_circle_is_drawn_where_it_is(scale):
    m = tm.PlanarModel("wheel", display_unit="mm")
    m.body("disc", position=(0, 0.2 * scale))
    m.equation("level", f"disc.y - {0.2 * scale}")
    m.equation("rolls", f"disc.x + {0.2 * scale}*disc.phi")
    m.driver("motor", "disc.phi", "-3*t")
    result = m.kinematics(times=[0.0, 0.4, 0.5])
    ax = result.diagram.inflection_circle("disc").plot(0.45)
    (circle,) = [patch for patch in ax.patches if patch.get_label() == "inflection circle"]
    # a rolling disc: the circle is half as large as the disc and leads from the contact to the axle
    np.testing.assert_allclose(circle.get_center(), 1e3 * scale * np.array([0.27, 0.1]), rtol=1e-9)
    assert circle.get_radius() == pytest.approx(100.0 * scale, rel=1e-9)
    poles = [np.ravel(line.get_xydata()) for line in ax.lines if line.get_label() in ("pole", "inflection pole")]
    np.testing.assert_allclose(poles, 1e3 * scale * np.array([[0.27, 0.0], [0.27, 0.2]]), atol=1e-8 * scale)
    low, high = np.array([ax.get_xlim(), ax.get_ylim()]).T
    assert low[1] < 0.0 and high[1] > 200.0 * scale and low[0] < 170.0 * scale and high[0] > 370.0 * scale
