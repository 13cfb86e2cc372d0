"""COLLADA files: transformations in their order, instances, strides and offsets of indices, polygons as fans, messages."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import pytrammel as tm
from pytrammel.io.robots.geometry.collada import DEEPEST, read_collada

CORNERS = np.array([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.2, 1.0, 0.1], [0.4, 1.5, 0.2], [-0.5, 0.8, 0.3]])
VERTEX = "<input semantic='VERTEX' source='#v' offset='{}'/>"
NORMAL = "<input semantic='NORMAL' source='#n' offset='{}'/>"


def geometry(faces, name="g", corners=CORNERS):
    numbers = " ".join(map(repr, np.asarray(corners).ravel().tolist()))
    return (
        f"<geometry id='{name}'><mesh><source id='s'><float_array>{numbers}</float_array></source>"
        f"<vertices id='v'><input semantic='NORMAL' source='#n'/><input semantic='POSITION' source='#s'/></vertices>{faces}"
        "</mesh></geometry>"
    )


TRIANGLE = f"<triangles>{VERTEX.format(0)}<p>0 1 2</p></triangles>"
INSTANCE = "<instance_geometry url='#g'/>"


def read(folder, geometries, scene=None, before="", root="COLLADA"):
    shown = (
        "" if scene is None else f"<library_visual_scenes><visual_scene>{scene}</visual_scene></library_visual_scenes>"
    )
    path = folder / "part.dae"
    text = f"<{root}>{before}<library_geometries>{geometries}</library_geometries>{shown}</{root}>"
    path.write_text(text, encoding="utf-8")
    return read_collada(path)


STEPS = {
    "translate": ("<translate>1 -2 3</translate>", lambda x: x + [1.0, -2.0, 3.0]),
    "scale": ("<scale>2 0.5 -1</scale>", lambda x: x * [2.0, 0.5, -1.0]),
    "rotate": ("<rotate>1 2 -2 40</rotate>", lambda x: Rotation.from_rotvec(np.radians(40) * np.array([1, 2, -2]) / 3).apply(x)),
    "no axis": ("<rotate>0 0 0 40</rotate>", lambda x: x),
    "matrix": ("<matrix>0 -1 0 5 1 0 0 6 0 0 2 7 0 0 0 1</matrix>", lambda x: np.column_stack([5 - x[:, 1], 6 + x[:, 0], 7 + 2 * x[:, 2]])),
}  # fmt: skip
ORDERS = [[name] for name in STEPS] + [
    ["translate", "rotate", "scale"],
    ["scale", "matrix"],
    ["rotate", "translate", "rotate"],
]


@pytest.mark.parametrize("order", ORDERS, ids=" ".join)
def test_the_last_transformation_of_a_node_acts_first(tmp_path, order):
    one = f"<node>{''.join(STEPS[name][0] for name in order)}{INSTANCE}</node>"
    nested = f"{''.join(f'<node>{STEPS[name][0]}' for name in order)}{INSTANCE}{'</node>' * len(order)}"
    expected = CORNERS
    for name in reversed(order):
        expected = STEPS[name][1](expected)
    for scene in (one, nested):
        np.testing.assert_allclose(read(tmp_path, geometry(TRIANGLE), scene).vertices, expected, atol=1e-14)


def test_nodes_are_placed_once_for_each_instance_in_the_unit_of_the_file(tmp_path):
    shared = f"<library_nodes><node id='n'><translate>0 0 1</translate>{INSTANCE}</node></library_nodes>"
    scene = (
        "<node><translate>10 0 0</translate><instance_node url='#n'/><instance_node url='#none'/></node>"
        "<node><scale>2 2 2</scale><instance_node url='#n'/><instance_geometry url='#none'/></node>"
    )
    unit = "<asset><unit meter='0.001'/></asset>"
    mesh = read(tmp_path, geometry(TRIANGLE), scene, unit + shared)
    expected = 1e-3 * np.vstack([CORNERS + [10, 0, 1], 2 * CORNERS + [0, 0, 2]])
    np.testing.assert_allclose(mesh.vertices, expected, atol=1e-15)
    assert mesh.triangles.tolist() == [[0, 1, 2], [5, 6, 7]]
    # without a scene all geometries are taken as they are; a unit that is not the file's is not used
    other = geometry(TRIANGLE, "h", CORNERS + 1.0)
    mesh = read(tmp_path, geometry(TRIANGLE) + other, None, "<extra><unit meter='7'/></extra>")
    np.testing.assert_allclose(mesh.vertices, np.vstack([CORNERS, CORNERS + 1.0]), atol=1e-15)


FACES = {
    "triangles": (f"<triangles>{VERTEX.format(0)}<p>0 1 2 0 2 3 1</p></triangles>", [[0, 1, 2], [0, 2, 3]]),
    "stride": (f"<triangles>{NORMAL.format(0)}{VERTEX.format(1)}<p>9 0 9 1 9 2 8</p></triangles>", [[0, 1, 2]]),
    "first of three": (
        f"<triangles>{VERTEX.format(0)}{NORMAL.format(2)}<p>4 9 9 1 9 9 2 9 9</p></triangles>", [[4, 1, 2]],
    ),
    "polygons": (f"<polygons>{VERTEX.format(0)}<p>0 1 2 3 4</p><p>3 1 0</p></polygons>", [[0, 1, 2], [0, 2, 3], [0, 3, 4], [3, 1, 0]]),
    "polylist": (f"<polylist>{VERTEX.format(0)}<vcount>4 3</vcount><p>4 0 1 2 1 2 3</p></polylist>", [[4, 0, 1], [4, 1, 2], [1, 2, 3]]),
    "polylist of triangles": (f"<polylist>{VERTEX.format(0)}<vcount>3 3</vcount><p>4 0 1 1 2 3</p></polylist>", [[4, 0, 1], [1, 2, 3]]),
    "two parts": (TRIANGLE + f"<triangles>{VERTEX.format(0)}<p>2 3 4</p></triangles>", [[0, 1, 2], [7, 8, 9]]),
}  # fmt: skip


@pytest.mark.parametrize("kind", FACES)
def test_indices_are_read_with_their_stride_and_offset(tmp_path, kind):
    mesh = read(tmp_path, geometry(FACES[kind][0]))
    assert mesh.triangles.tolist() == FACES[kind][1]
    assert mesh.vertices[mesh.triangles] == pytest.approx(CORNERS[np.array(FACES[kind][1]) % 5])


def deep(levels):
    return "<node>" * levels + INSTANCE + "</node>" * levels


def test_nodes_are_nested_up_to_a_limit(tmp_path):
    assert len(read(tmp_path, geometry(TRIANGLE), deep(DEEPEST + 1)).triangles) == 1
    with pytest.raises(tm.FileFormatError, match="nested or repeated without end"):
        read(tmp_path, geometry(TRIANGLE), deep(DEEPEST + 2))
    with pytest.raises(tm.FileFormatError, match="nested or repeated without end"):
        read(tmp_path, geometry(TRIANGLE), "<node id='n'><instance_node url='#n'/></node>")


WRONG = [
    (f"<triangles>{VERTEX.format(0)}<p>0 1 5</p></triangles>", "it names vertex 5, but there are 5"),
    (f"<triangles>{VERTEX.format(0)}<p>0 1 -1</p></triangles>", "it names vertex -1, but there are 5"),
    (f"<triangles>{NORMAL.format(0)}<p>0 1 2</p></triangles>", "its vertices cannot be found"),
    (
        "<triangles><input semantic='VERTEX' source='#w' offset='0'/><p>0 1 2</p></triangles>",
        "its vertices cannot be found",
    ),
    ("", "holds no triangles"),
    (f"<polygons>{VERTEX.format(0)}<p>0 1</p></polygons>", "holds no triangles"),
]


@pytest.mark.parametrize(("faces", "message"), WRONG)
def test_faces_without_corners_are_reported(tmp_path, faces, message):
    with pytest.raises(tm.FileFormatError, match=message):
        read(tmp_path, geometry(faces))


def test_other_files_and_geometries_without_a_mesh(tmp_path):
    with pytest.raises(tm.FileFormatError, match="is no COLLADA file: it begins with <other>"):
        read(tmp_path, geometry(TRIANGLE), root="other")
    mesh = read(
        tmp_path,
        "<geometry id='spline'/>" + geometry(TRIANGLE),
        f"<node><instance_geometry url='#spline'/>{INSTANCE}</node>",
    )
    assert mesh.triangles.tolist() == [[0, 1, 2]]
