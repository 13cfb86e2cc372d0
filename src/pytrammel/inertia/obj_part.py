"""The first part of an OBJ file, with polygons cut into triangles as MuJoCo does."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from pytrammel.errors import FileFormatError
from pytrammel.inertia.mesh import Mesh
from pytrammel.inertia.mesh_files import corner_index, joined_lines, numbered_lines, vertex

Array = NDArray[np.float32]
EPS = float(np.finfo(np.float32).eps)  # cross products below this determine no plane
CORNERS = 100  # limit of MuJoCo 4.0.0, which omits polygons with more


def read_obj_part(path: Path) -> Mesh:
    """Read the faces of an OBJ file up to its second object or group; its name states how many parts there are."""
    source = f"the mesh {str(path)!r}"
    points: list[list[float]] = []
    faces: list[tuple[list[int], int]] = []
    part, used = 0, -1  # numbers of parts, counted at their names
    for number, words in numbered_lines(joined_lines(path.read_bytes().decode("utf-8", "replace"))):
        if words[0] == "v":
            points.append(vertex(words, source, number, exactly=False))
        elif words[0] in ("o", "g"):
            part += 1
        elif words[0] == "f" and used in (-1, part):
            used = part
            if len(words) < 4:
                raise FileFormatError(
                    f"{source}, line {number}: the face has {len(words) - 1} corners; it needs three or more."
                )
            faces.append(([corner_index(word, len(points), source, number) for word in words[1:]], number))
    single = np.array(points, dtype=np.float32).reshape(-1, 3)
    triangles: list[tuple[int, int, int]] = []
    for face, number in faces:
        if max(face) >= len(points):
            raise FileFormatError(
                f"{source}, line {number}: vertex {max(face) + 1} does not exist; there are {len(points)}."
            )
        if len(face) <= CORNERS:
            triangles += CUTS.get(len(face), _ears)(face, single)
    if not triangles:
        raise FileFormatError(f"{source} holds no triangles. Export the part again as a surface.")
    return Mesh(np.array(points, dtype=np.float64), np.array(triangles, dtype=np.int64), path.name)


def count_parts(path: Path) -> int:
    """Return the number of objects and groups with faces in an OBJ file."""
    parts, part = set[int](), 0
    for line in path.read_bytes().splitlines():
        head = line[:2].rstrip()
        if head in (b"o", b"g"):
            part += 1
        elif head == b"f":
            parts.add(part)
    return len(parts)


def _quad(face: Sequence[int], points: Array) -> list[tuple[int, int, int]]:
    """Two triangles along the shorter diagonal, compared in single precision."""
    a, b, c, d = face
    one, two = points[c] - points[a], points[d] - points[b]
    if one @ one < two @ two:
        return [(a, b, c), (a, c, d)]
    return [(a, b, d), (b, c, d)]


def _same(face: Sequence[int], points: Array) -> list[tuple[int, int, int]]:
    """The face itself, which is a triangle."""
    return [(face[0], face[1], face[2])]


def _ears(face: Sequence[int], points: Array) -> list[tuple[int, int, int]]:
    """Triangles of a polygon, ear by ear, in the coordinate plane nearest to its first corner that is not straight.

    The sense of a corner is compared with the area between its first edge and the origin, as the reader of MuJoCo 4.0.0 does. Polygons
    that are not flat or far from the origin are therefore cut differently than by their own sense, and the last corners can be omitted.
    """
    flat = points[:, _plane(face, points)]
    rest, at, count = list(face), 0, len(face)
    attempts = count
    found: list[tuple[int, int, int]] = []
    while len(rest) > 3 and attempts > 0:
        at = at - len(rest) if at >= len(rest) else at
        attempts = attempts - 1 if count == len(rest) else len(rest)
        count = len(rest)
        corner = [rest[(at + k) % count] for k in range(3)]
        a, b, c = (flat[k] for k in corner)
        sense = (b[0] - a[0]) * (c[1] - b[1]) - (b[1] - a[1]) * (c[0] - b[0])
        if sense * (a[0] * b[1] - a[1] * b[0]) < 0.0 or _covers((a, b, c), flat[np.roll(rest, -at)[3:]]):
            at += 1
            continue
        found.append((corner[0], corner[1], corner[2]))
        del rest[(at + 1) % count]
    return [*found, (rest[0], rest[1], rest[2])] if len(rest) == 3 else found


def _plane(face: Sequence[int], points: Array) -> list[int]:
    """Numbers of the two coordinates in which a polygon is cut."""
    for k in range(len(face)):
        a, b, c = (points[face[(k + i) % len(face)]] for i in range(3))
        x, y, z = np.abs(np.cross(b - a, c - b))
        if max(x, y, z) > EPS:
            if x > y and x > z:
                return [1, 2]
            return [0, 1] if z > x and z > y else [0, 2]
    return [1, 2]


def _covers(corners: tuple[Array, Array, Array], points: Array) -> bool:
    """Return True if the ray from a point crosses the sides of a triangle an odd number of times, for one of the points."""
    odd = np.zeros(len(points), dtype=bool)
    x, y = points.T
    for k in range(3):
        one, two = corners[k], corners[k - 1]
        between = (one[1] > y) != (two[1] > y)
        with np.errstate(divide="ignore", invalid="ignore"):  # level sides lie between no points
            odd ^= between & (x < one[0] + (two[0] - one[0]) * (y - one[1]) / (two[1] - one[1]))
    return bool(odd.any())


CUTS = {3: _same, 4: _quad}
