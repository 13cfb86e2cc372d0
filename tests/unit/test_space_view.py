"""Pictures of spatial mechanisms: the scene's arithmetic, the page and the drawing."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any, get_args

import numpy as np
import pytest

from pytrammel.errors import ModelError
from pytrammel.view.animation.spatial import space_data, write_space_html
from pytrammel.view.scene.planar import Array
from pytrammel.view.scene.spatial import (
    Arrow3,
    Mark3,
    MarkKind,
    Rod3,
    Shape3,
    SpaceBody,
    SpaceScene,
    Trace3,
    rotation_matrices,
)
from pytrammel.view.scene.spatial_parts import (
    Part3,
    arrow_parts,
    axes_of,
    mark_parts,
    rod_parts,
    shape_parts,
    triangles,
)
from pytrammel.view.stills.spatial import arrow_scales, draw_space, solids
from pytrammel.view.theme import current
from space_scenes import ARM, about, crane, embedded, unpacked, without_frames


def one_body(*shapes: Shape3, **pose: Any) -> SpaceScene:
    at = {"positions": np.zeros((1, 3)), "parameters": np.array([[1.0, 0.0, 0.0, 0.0]])} | pose
    return SpaceScene("one", np.zeros(1), (SpaceBody("b", shapes, **at),))


def volume(parts: list[Part3], sides: int = 16) -> float:
    """Volume inside closed parts: positive only where the faces look outwards."""
    corners = np.vstack([triangles(part, sides) for part in parts])
    return float(np.einsum("ij,ij->i", corners[:, 0], np.cross(corners[:, 1], corners[:, 2])).sum() / 6.0)


# ---- scene


def test_a_quarter_turn_about_each_axis_moves_points_as_the_right_hand_says() -> None:
    quarter = np.array([np.pi / 2])
    for axis, start, end in (
        ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
        ((0, 1, 0), (0, 0, 1), (1, 0, 0)),
        ((0, 0, 1), (1, 0, 0), (0, 1, 0)),
    ):
        np.testing.assert_allclose(rotation_matrices(about(axis, quarter))[0] @ start, end, atol=1e-15)


def test_points_travel_with_their_body() -> None:
    scene = crane()
    np.testing.assert_allclose(scene.trace_points(1)[-1], (ARM, 0.0, 0.3), atol=1e-12)
    np.testing.assert_allclose(scene.trace_points(1)[15], (0.0, ARM, 0.3), atol=1e-12)


def test_bounds_of_a_turned_box_and_of_a_ball() -> None:
    eighth = tuple(about((0, 0, 1), np.array([np.pi / 4]))[0].tolist())
    low, high = one_body(Shape3.box((2.0, 2.0, 4.0), (0.0, 0.0, 1.0), eighth)).bounds()
    np.testing.assert_allclose(low, (-np.sqrt(2.0), -np.sqrt(2.0), -1.0))
    np.testing.assert_allclose(high, (np.sqrt(2.0), np.sqrt(2.0), 3.0))
    low, high = one_body(Shape3.sphere(0.5), positions=np.array([[1.0, 2.0, 3.0]])).bounds()
    np.testing.assert_allclose((low, high), ((0.5, 1.5, 2.5), (1.5, 2.5, 3.5)))


def test_bounds_are_never_empty() -> None:
    low, high = one_body(Shape3.polyline([(0, 0, 0), (1, 0, 0)])).bounds()
    np.testing.assert_allclose(high - low, (1.0, 0.1, 0.1))
    low, high = SpaceScene("nothing", np.zeros(1), (), length_factor=1000.0).bounds()
    np.testing.assert_allclose(high - low, 1e-3)
    low, high = without_frames(crane()).bounds()
    assert (high > low).all()


def test_a_large_mesh_keeps_its_bounds() -> None:
    vertices = np.random.default_rng(1).uniform(-1.0, 1.0, (500, 3))
    low, high = one_body(Shape3.mesh(vertices, [(0, 1, 2)])).bounds()
    np.testing.assert_allclose((low, high), (vertices.min(axis=0), vertices.max(axis=0)))


N = 61


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"times": -np.linspace(0.0, 1.0, N)}, "never decrease"),
        ({"times": np.linspace(0.0, 1.0, 7)}, r"positions of body 'ground' has shape \(61, 3\), must be \(7, 3\)"),
        ({"length_factor": 0.0}, "length_factor is 0.0"),
        ({"up": (0.0, 0.0, 0.0)}, "up of scene 'crane'"),
        ({"marks": (Mark3("point", 9, (0.0, 0.0, 0.0), label="X"),)}, "mark 'X' is on body 9"),
        ({"rods": (Rod3(0, (0, 0, 0), 7, (0, 0, 0), "r"),)}, "rod 'r' is on body 7"),
        ({"rods": (Rod3(0, (0, 0, 0), 1, (0, 0, 0), "r", "rope"),)}, "'rope', which is not known"),  # type: ignore[arg-type]
        ({"traces": (Trace3("Q", np.zeros((3, 3))),)}, "trace 'Q' has shape"),
        ({"traces": (Trace3("Q", np.full((N, 3), np.nan)),)}, "not finite at frame 0"),
        ({"traces": (Trace3("Q"),)}, "trace 'Q' needs either"),
        ({"traces": (Trace3("Q", body=5),)}, "trace 'Q' is on body 5"),
        ({"arrows": (Arrow3("F", np.zeros((N, 3)), np.zeros((2, 3))),)}, "vector of arrow 'F'"),
        ({"arrows": (Arrow3("F", np.zeros((N, 3)), np.zeros((N, 3)), "N", "push"),)}, "not known; there are force"),  # type: ignore[arg-type]
    ],
)
def test_a_scene_that_cannot_be_drawn_says_why(changes: dict[str, Any], words: str) -> None:
    with pytest.raises(ModelError, match=words):
        crane(n=N, **changes)


def test_euler_parameters_must_have_length_one() -> None:
    turn = about((0, 0, 1), np.zeros(3))
    turn[1] *= 1.2
    body = SpaceBody("wheel", (), np.zeros((3, 3)), turn)
    with pytest.raises(ModelError, match=r"parameters of body 'wheel'.* length 1\.2 at frame 1, must be 1"):
        SpaceScene("s", np.arange(3.0), (body,))
    with pytest.raises(ModelError, match=r"rotation of shape 'box'.* length 2"):
        Shape3.box((1.0, 1.0, 1.0), rotation=(2.0, 0.0, 0.0, 0.0))


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: Shape3("torus", np.zeros((1, 3))), "shape 'torus' is not known; there are box"),  # type: ignore[arg-type]
        (lambda: Shape3.link([(0, 0, 0)]), "has 1 points and needs at least 2"),
        (lambda: Shape3.polyline(np.zeros((4, 2))), r"points of shape \(4, 2\)"),
        (lambda: Shape3.sphere(0.0), "radius 0"),
        (lambda: Shape3.sphere(np.nan), "not a finite length"),
        (lambda: Shape3.box((1.0, 0.0, 1.0)), "three positive lengths"),
        (lambda: Shape3.cylinder((1, 2, 3), (1, 2, 3), 0.1), "begins and ends at the same point"),
        (lambda: Shape3.mesh(np.eye(3), [(0, 1, 3)]), "triangle at vertex 3, but vertices 0 to 2"),
        (lambda: Shape3.mesh(np.eye(3), np.zeros((0, 3), dtype=int)), "triangles of shape"),
        (lambda: Shape3.mesh(np.eye(3), [(0.0, 1.0, 2.0)]), "must be whole numbers"),
        (lambda: Mark3("hinge", 0, (0.0, 0.0, 0.0)), "'hinge', which is not known"),  # type: ignore[arg-type]
        (lambda: Mark3("revolute", 0, (0.0, 0.0, 0.0), (0.0, 0.0, 0.0), "A"), "axis of mark 'A'"),
        (lambda: Mark3("point", 0, (0.0, np.inf, 0.0)), "must be finite"),
        (lambda: SpaceBody("b", (), np.zeros((1, 3)), np.zeros((1, 4)), colour="red;"), "color of body 'b' is 'red;'"),
    ],
)
def test_a_shape_or_mark_that_cannot_be_drawn_says_why(make: Any, words: str) -> None:
    with pytest.raises(ModelError, match=words):
        make()


# ---- parts


def test_shapes_have_the_volume_they_say_and_look_outwards() -> None:
    turn = (0.5, 0.5, 0.5, 0.5)
    assert volume(shape_parts(Shape3.box((1.0, 2.0, 3.0), (5.0, 0.0, 0.0), turn), 0.1)) == pytest.approx(6.0)
    ell = [(0, 0, 7), (2, 0, 7), (2, 1, 7), (1, 1, 7), (1, 3, 7), (0, 3, 7)]
    assert volume(shape_parts(Shape3.plate(ell, 0.5), 0.1)) == pytest.approx(2.0)
    fine = 400  # an n-sided tube has 1 - 2/3 (pi/n)^2 of the round one's area
    assert volume(shape_parts(Shape3.sphere(1.0, (3, 2, 1)), 0.1), fine) == pytest.approx(4 / 3 * np.pi, rel=1e-3)
    assert volume(shape_parts(Shape3.cylinder((0, 0, 0), (1, 1, 1), 0.5), 0.1), fine) == pytest.approx(
        0.25 * np.pi * np.sqrt(3.0), rel=1e-3
    )
    assert volume(shape_parts(Shape3.cone((0, 0, 0), (3, 0, 0), 1.0), 0.1), fine) == pytest.approx(np.pi, rel=1e-3)


def test_a_sheet_without_thickness_has_only_its_own_triangles() -> None:
    (part,) = shape_parts(Shape3.plate([(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0)]), 0.1)
    assert triangles(part).shape == (2, 3, 3)


def test_a_link_is_rounded_at_every_point_and_a_closed_one_has_a_web() -> None:
    points = [(0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (0.0, 1.0, 0.0)]
    kinds = [[part.kind for part in shape_parts(Shape3.link(points, closed=c), 0.01)] for c in (False, True)]
    assert (kinds[0].count("tube"), kinds[0].count("sphere"), kinds[0].count("mesh")) == (2, 3, 0)
    assert (kinds[1].count("tube"), kinds[1].count("sphere"), kinds[1].count("mesh")) == (3, 3, 1)
    assert {part.radii[0] for part in shape_parts(Shape3.link(points, 0.3), 0.01)} == {0.3}


@pytest.mark.parametrize("kind", get_args(MarkKind))
def test_marks_turn_and_move_with_axis_and_position(kind: Any) -> None:
    here = mark_parts(Mark3(kind, 0, (0.0, 0.0, 0.0), x_axis=(1.0, 0.0, 0.0)), 0.1)
    there = mark_parts(Mark3(kind, 0, (3.0, 4.0, 5.0), (2.0, 0.0, 0.0), x_axis=(0.0, 1.0, 0.0)), 0.1)
    assert here
    for a, b in zip(here, there, strict=True):
        np.testing.assert_allclose(b.points, np.array([3.0, 4.0, 5.0]) + a.points[:, [2, 0, 1]], atol=1e-14)
        assert a.radii == b.radii
        np.testing.assert_allclose(np.abs(a.points).max(), 0.0, atol=0.7)  # a few symbol radii, no more


def test_axes_are_right_handed_even_when_the_second_direction_is_of_no_use() -> None:
    for axis, x_axis in (((0, 0, 2), None), ((1, 2, 3), (1, 2, 3)), ((1, 0, 0), (1, 1, 0))):
        turn = axes_of(axis, x_axis)
        np.testing.assert_allclose(turn.T @ turn, np.eye(3), atol=1e-14)
        assert np.linalg.det(turn) == pytest.approx(1.0)
        np.testing.assert_allclose(turn[:, 2], np.array(axis) / np.linalg.norm(axis))


@pytest.mark.parametrize("kind", ["rod", "spring", "damper"])
def test_rods_reach_from_end_to_end(kind: Any) -> None:
    a, b = np.array([0.1, 0.2, 0.3]), np.array([0.4, -0.2, 0.9])
    points = np.vstack([part.points for part in rod_parts(kind, a, b, 0.01)])
    along = (points - a) @ (b - a) / ((b - a) @ (b - a))
    assert (along.min(), along.max()) == pytest.approx((0.0, 1.0))
    assert np.linalg.norm(points - a - along[:, None] * (b - a), axis=1).max() == pytest.approx(
        0.017 if kind == "spring" else 0.0, abs=1e-12
    )
    assert [part.kind for part in rod_parts(kind, a, a, 0.01)] == ["sphere"]  # of no length, but still there


def test_arrows_end_where_their_vector_ends() -> None:
    for heads in (1, 2):
        parts = arrow_parts((1.0, 0.0, 0.0), (0.0, 0.0, 0.5), 0.01, heads)
        assert len(parts) == 1 + heads
        assert max(part.points[:, 2].max() for part in parts) == pytest.approx(0.5)
    assert arrow_parts((0.0, 0.0, 0.0), (0.0, 0.0, 0.0), 0.01) == []


# ---- the page


def test_page_is_one_file_that_asks_for_nothing(tmp_path: Path) -> None:
    page = write_space_html(crane(), tmp_path / "run.html").read_text(encoding="utf-8")
    assert "://" not in page
    assert not re.findall(r"(?:src|href)\s*=\s*[\"'](?!data:)|@import|url\(|fetch\(|XMLHttp|import\(", page)
    assert "default-src 'none'" in page and "connect-src 'none'" in page
    assert page.count("new EventSource") == 1 and embedded(page)["live"] is False


def test_every_control_of_the_page_has_a_name(tmp_path: Path) -> None:
    page = write_space_html(crane(), tmp_path / "run.html").read_text(encoding="utf-8")
    body = page[: page.index('<script type="application/json"')]
    controls = re.findall(r"<(button|input|select)\b([^>]*)>\s*([^<]*)", body)
    assert len(controls) > 12
    for kind, attributes, text in controls:
        assert "aria-label=" in attributes or (kind == "button" and text.strip()), attributes


def test_page_holds_the_poses_in_display_units(tmp_path: Path) -> None:
    scene = crane()
    data = embedded(write_space_html(scene, tmp_path / "run.html").read_text(encoding="utf-8"))
    ground, boom, ball = data["bodies"]
    np.testing.assert_allclose(ball["p"][2], 1000.0 * scene.bodies[2].positions[:, 2], atol=5e-4)
    np.testing.assert_allclose(
        np.array([boom["e"][0], boom["e"][3]]).T, scene.bodies[1].parameters[:, [0, 3]], atol=1e-6
    )
    assert ground["p"] == [[0.0], [0.0], [0.0]] and boom["e"][1] == [0.0]  # what stands still is stored once
    np.testing.assert_allclose(data["times"], scene.times, atol=1e-6)
    assert (data["unit"], data["up"]) == ("mm", [0.0, 0.0, 1.0])
    assert (ground["colour"], ball["colour"], boom["colour"]) == ("stone", "#112233", 0)
    assert current().colour(boom["colour"]) == scene.colour(1)
    np.testing.assert_allclose(data["traces"][0]["xyz"][2], 1000.0 * scene.traces[0].xyz[:, 2], atol=5e-4)  # type: ignore[index]
    assert data["traces"][1]["body"] == 1 and data["traces"][1]["at"] == [200.0, 0.0, 0.0]
    assert data["rods"][0] == {
        "label": "s",
        "kind": "spring",
        "role": "spring",
        "bodies": [1, 2],
        "at": [[200.0, 0.0, 0.0], [0.0, 0.0, 30.0]],
    }
    np.testing.assert_array_equal(unpacked(data["arrows"][0]["v"][2]), np.full(61, -12.5))
    assert data["arrows"][1]["unit"] == "N m"


def test_page_holds_parts_with_rounded_numbers() -> None:
    rough = Shape3.mesh(np.eye(3) / 3.0, [(0, 1, 2)])
    (part,) = space_data(one_body(rough))["bodies"][0]["parts"]
    assert part == {
        "kind": "mesh",
        "style": "body",
        "v": [0.33333333, 0, 0, 0, 0.33333333, 0, 0, 0, 0.33333333],
        "f": [0, 1, 2],
    }
    (tube, *_) = space_data(crane())["bodies"][0]["marks"]
    assert tube["kind"] == "tube" and tube["style"] == "joint" and len(tube["v"]) == 6 and len(tube["r"]) == 2


def test_page_names_the_middle_of_a_link_and_never_the_ground() -> None:
    ground, boom, ball = space_data(crane())["bodies"]
    assert (ground["anchor"], boom["anchor"], ball["anchor"]) == (None, [100, 0, 0, 1, 0, 0], [0, 0, 0])
    assert [label["text"] for label in space_data(crane())["labels"]] == ["A", "B"]


@pytest.mark.parametrize(
    "name", ['</script><script>alert("x")</script>', "<!-- <script>", 'it\'s "B" & \u2028 {{DATA}} {{CONNECT}}']
)
def test_page_is_safe_with_any_name(tmp_path: Path, name: str) -> None:
    plain = write_space_html(crane(), tmp_path / "plain.html").read_text(encoding="utf-8")
    zero = np.zeros((N, 3))
    scene = crane(
        n=N,
        name=name,
        title=name,
        length_unit=name,
        traces=(Trace3(name, zero),),
        marks=(Mark3("point", 1, (0, 0, 0), label=name),),
        arrows=(Arrow3(name, zero, zero, unit=name),),
    )
    page = write_space_html(scene, tmp_path / "run.html").read_text(encoding="utf-8")
    data = embedded(page)
    assert data["bodies"][1]["name"] == data["title"] == data["unit"] == data["traces"][0]["name"] == name
    assert data["labels"][0]["text"] == data["arrows"][0]["name"] == data["arrows"][0]["unit"] == name
    for tag in ("<script", "</script", "<!--"):
        assert page.count(tag) == plain.count(tag)
    assert ".innerHTML" not in page and "insertAdjacentHTML" not in page and "document.write" not in page


def test_page_thins_long_runs_and_keeps_both_ends() -> None:
    data = space_data(crane(n=5001))
    assert len(data["times"]) == len(data["bodies"][2]["p"][0]) == len(data["traces"][0]["xyz"][0]) == 1500
    assert (data["times"][0], data["times"][-1]) == (0.0, 2.0)
    assert len(unpacked(space_data(crane(n=5001), max_frames=10)["arrows"][1]["v"][2])) == 10


def test_page_refuses_what_it_cannot_play(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="fps is 0"):
        write_space_html(crane(), tmp_path / "run.html", fps=0)
    with pytest.raises(ModelError, match="scene 'crane' has no frames"):
        write_space_html(without_frames(crane()), tmp_path / "run.html")


# ---- matplotlib


def axes() -> Any:
    from matplotlib.figure import Figure

    return Figure().add_subplot(projection="3d")


def faces(ax: Any) -> Array:
    (collection,) = ax.collections
    return np.array([path[:3] for path in np.asarray(collection._faces)])


def test_drawing_has_all_triangles_where_they_belong() -> None:
    ax = draw_space(one_body(Shape3.box((1.0, 2.0, 3.0), (0.0, 0.0, 0.5))), axes(), labels=False)
    corners = faces(ax)
    np.testing.assert_allclose(corners.reshape(-1, 3).min(axis=0), (-0.5, -1.0, -1.0))
    np.testing.assert_allclose(corners.reshape(-1, 3).max(axis=0), (0.5, 1.0, 2.0))
    area = 0.5 * np.linalg.norm(np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]), axis=1).sum()
    assert area == pytest.approx(22.0)  # cutting triangles up keeps their area
    edges = np.linalg.norm(np.roll(corners, -1, axis=1) - corners, axis=2)
    assert edges.max() <= 0.05 * 3.0 and len(corners) >= 22.0 / (0.5 * 0.15**2)


def test_drawing_moves_with_the_frame_and_is_in_display_units() -> None:
    scene = replace(crane(), marks=(), rods=(), arrows=(), traces=(), bodies=crane().bodies[1:2])
    along = [faces(draw_space(scene, axes(), frame=i, labels=False)).reshape(-1, 3).mean(axis=0) for i in (0, 15)]
    np.testing.assert_allclose(along[0], (100.0, 0.0, 300.0), atol=0.1)
    np.testing.assert_allclose(along[1], (0.0, 100.0, 300.0), atol=0.1)


def test_drawing_has_equal_scales_names_and_units(tmp_path: Path) -> None:
    ax = draw_space(crane(), frame=-1, view=(20.0, 30.0), frames=True)
    ax.figure.savefig(tmp_path / "crane.png")
    assert (tmp_path / "crane.png").stat().st_size > 10000
    sides = np.ptp([ax.get_xlim(), ax.get_ylim(), ax.get_zlim()], axis=1)
    np.testing.assert_allclose(sides / sides[0], ax._box_aspect / ax._box_aspect[0])
    assert (ax.get_xlabel(), ax.get_zlabel(), ax.get_title()) == ("x [mm]", "z [mm]", "crane")
    assert {text.get_text() for text in ax.texts} == {"A", "B", "boom", "ball", "12.5 N", "2 N m"}
    assert len(ax.lines) == 2 + 2 * 3  # paths, and three axes for each body that moves
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["ball", "B"]
    assert (ax.elev, ax.azim) == (20.0, 30.0)


def test_drawing_leaves_out_what_it_is_told_to() -> None:
    given = axes()
    scene = crane(title="cost $5 and $6", name="_x $y$")
    assert draw_space(scene, given, traces=False, labels=False, arrows=False) is given
    assert not given.texts and not given.lines and given.get_legend() is None
    with_arrows = sum(1 for _ in solids(scene, -1))
    assert with_arrows - sum(1 for _ in solids(scene, -1, arrows=False)) == 2 + 3  # a force has one head, a moment two


def test_arrows_share_one_scale_for_each_kind() -> None:
    scales = arrow_scales(crane())
    low, high = crane().bounds()
    assert scales["force"] * 12.5 == pytest.approx(scales["moment"] * 2.0) == pytest.approx(0.18 * (high - low).max())
    assert arrow_scales(crane(arrows=())) == dict.fromkeys(scales, 0.0)


@pytest.mark.parametrize(("up", "vertical"), [((0, 1, 0), 1), ((1, 0, 0), 0), ((0, 0, -1), 2)])
def test_drawing_has_up_where_the_scene_has_it(up: Any, vertical: int) -> None:
    from mpl_toolkits.mplot3d import proj3d

    ax = draw_space(crane(up=up), axes())
    ends = np.zeros((2, 3))
    ends[1] = 100.0 * np.array(up)
    _, y, _ = proj3d.proj_transform(*ends.T, ax.get_proj())
    assert y[1] > y[0]
    assert ax._vertical_axis == vertical


def test_drawing_takes_a_scene_of_lines_and_of_nothing(tmp_path: Path) -> None:
    ax = draw_space(one_body(Shape3.polyline([(0, 0, 0), (1, 0, 0), (1, 1, 0)])), axes())
    assert faces(ax).reshape(-1, 3).max(axis=0)[:2] == pytest.approx((1.0, 1.0), abs=0.02)
    assert not draw_space(SpaceScene("nothing", np.zeros(1), ()), axes()).collections


def test_drawing_names_a_frame_that_does_not_exist() -> None:
    with pytest.raises(IndexError, match="frames 0 to 60"):
        draw_space(crane(), axes(), frame=61)
    with pytest.raises(ModelError, match="has no frames"):
        draw_space(without_frames(crane()), axes())
