"""Polygons of OBJ files: triangles cover them once, in every plane; parts are counted at their names."""

from __future__ import annotations

import numpy as np
import pytest

import pytrammel as tm
from pytrammel.inertia.obj_part import CORNERS, count_parts, read_obj_part


def written(folder, points, *faces, more=""):
    lines = [f"v {x!r} {y!r} {z!r}" for x, y, z in np.asarray(points, dtype=float).tolist()]
    lines += ["f " + " ".join(str(k + 1) for k in face) for face in faces]
    path = folder / "part.obj"
    path.write_text("\n".join([*lines, more, ""]), encoding="utf-8")
    return path


def star(n, seed):
    """Corners of a polygon round the origin, with notches, counterclockwise."""
    rng = np.random.default_rng(seed)
    angles = 2.0 * np.pi * (np.arange(n) + 0.6 * rng.random(n)) / n
    return rng.uniform(0.4, 1.0, n)[:, None] * np.column_stack([np.cos(angles), np.sin(angles)])


def signed_area(polygon):
    x, y = polygon.T
    return 0.5 * float(x @ np.roll(y, -1) - y @ np.roll(x, -1))


PLANES = {"xy": [0, 1, 2], "yz": [1, 2, 0], "xz": [0, 2, 1]}


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("plane", PLANES)
def test_triangles_cover_a_polygon_round_the_origin_once(tmp_path, plane, seed):
    n = 5 + seed
    flat = star(n, seed)
    points = np.zeros((n, 3))
    points[:, PLANES[plane]] = np.column_stack([flat, np.full(n, 0.3)])
    faces = read_obj_part(written(tmp_path, points, range(n))).triangles
    assert len(faces) == n - 2 and sorted(set(faces.ravel().tolist())) == list(range(n))
    areas = [signed_area(flat[list(face)]) for face in faces]
    assert min(areas) > 0.0 and sum(areas) == pytest.approx(
        signed_area(flat), rel=1e-6
    )  # coordinates in single precision


def test_quadrilaterals_are_cut_along_the_shorter_diagonal(tmp_path):
    points = [(0, 0, 0), (2, 0, 0), (2.5, 2, 0), (0, 1, 0)]  # diagonals of 3.2 and 2.2
    assert read_obj_part(written(tmp_path, points, (0, 1, 2, 3))).triangles.tolist() == [[0, 1, 3], [1, 2, 3]]
    assert read_obj_part(written(tmp_path, points, (1, 2, 3, 0))).triangles.tolist() == [[1, 2, 3], [1, 3, 0]]
    square = [(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0)]
    assert read_obj_part(written(tmp_path, square, (0, 1, 2, 3))).triangles.tolist() == [[0, 1, 3], [1, 2, 3]]


def test_the_first_part_ends_at_the_second_name_with_faces(tmp_path):
    points = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]
    later = "o empty\ng first\nf 1 2 4\nf 1 3 4\ng second\nf 2 3 4"
    path = written(tmp_path, points, more=later)
    assert read_obj_part(path).triangles.tolist() == [[0, 1, 3], [0, 2, 3]] and count_parts(path) == 2
    path = written(tmp_path, points, (0, 1, 2), more=later)
    assert read_obj_part(path).triangles.tolist() == [[0, 1, 2]] and count_parts(path) == 3


def test_polygons_up_to_a_limit_of_corners_are_read(tmp_path):
    for n, count in ((CORNERS, CORNERS - 2), (CORNERS + 1, 0)):
        angles = 2.0 * np.pi * np.arange(n) / n
        points = np.column_stack([np.cos(angles), np.sin(angles), np.zeros(n)])
        faces = read_obj_part(written(tmp_path, [*points, (0, 0, 1)], range(n), (0, 1, n))).triangles
        assert len(faces) == count + 1


@pytest.mark.parametrize(
    ("faces", "message"),
    [
        ([(0, 1)], "the face has 2 corners"),
        ([(0, 1, 3)], "vertex 4 does not exist; there are 3"),
        ([], "holds no triangles"),
    ],
)
def test_faces_that_cannot_be_are_reported_with_their_line(tmp_path, faces, message):
    with pytest.raises(tm.FileFormatError, match=message) as caught:
        read_obj_part(written(tmp_path, [(0, 0, 0), (1, 0, 0), (0, 1, 0)], *faces))
    assert ("line 4" in str(caught.value)) is bool(faces)
