"""Surfaces from files: STL (text and binary) and Wavefront OBJ."""

from __future__ import annotations

import math
import struct
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from pytrammel._util.atomic_write import unreadable
from pytrammel._util.checks import checked
from pytrammel._util.messages import in_sentences
from pytrammel.errors import FileFormatError
from pytrammel.inertia.mesh import STL_RECORD, Mesh

STL_HEADER = 84  # 80 bytes of text, then the number of triangles


@checked
@in_sentences
def read_mesh(path: str | Path, *, scale: float = 1.0) -> Mesh:
    """Read a surface from an STL or OBJ file.

    STL may be text or binary. Of OBJ the vertices and faces are read, in all forms of indices; faces with four
    corners are cut along their shorter diagonal, larger ones into a fan of triangles (right for every flat polygon as far
    as mass is concerned), and texture, normals, groups and materials are passed over. Neither format knows units.

    Args:
        path: The file, ending in .stl or .obj.
        scale: Metres per unit of the file: 1e-3 if it was drawn in millimetres.
    """
    file = Path(path)
    kind = file.suffix.lower()
    if kind not in (".stl", ".obj"):
        raise FileFormatError(f"the mesh {str(path)!r} ends in {kind!r}; it must be an .stl or .obj file.")
    try:
        data = file.read_bytes()
    except (OSError, ValueError) as error:
        raise FileFormatError(f"the mesh {str(path)!r} cannot be read: {unreadable(error)}.") from None
    source = f"the mesh {str(path)!r}"
    mesh = _read_stl(data, source, file.name) if kind == ".stl" else _read_obj(data, source, file.name)
    if len(mesh.triangles) == 0:
        raise FileFormatError(f"{source} holds no triangles. Export the part again as a surface.")
    return mesh if scale == 1.0 else mesh.scaled(scale)


# ---- STL ----


def _read_stl(data: bytes, source: str, name: str) -> Mesh:
    # many binary files begin with "solid" too, so the length decides first
    announced = struct.unpack_from("<I", data, 80)[0] if len(data) >= STL_HEADER else None
    if announced is not None and len(data) == STL_HEADER + STL_RECORD.itemsize * announced:
        return _read_binary_stl(data, source, name)
    if data.lstrip()[:5].lower() == b"solid" and b"\0" not in data:
        return _read_text_stl(data.decode("utf-8", "replace"), source, name)
    if announced is None:
        raise FileFormatError(
            f"{source} is no STL file: it has {len(data)} bytes and does not begin with 'solid'; a binary file needs {STL_HEADER} or more."
        )
    raise FileFormatError(
        f"{source} announces {announced} triangles and should have {STL_HEADER + STL_RECORD.itemsize * announced} bytes, but it has "
        f"{len(data)}. It was cut short or is no STL file; export it again."
    )


def _read_binary_stl(data: bytes, source: str, name: str) -> Mesh:
    corners = np.frombuffer(data, dtype=STL_RECORD, offset=STL_HEADER)["corners"].astype(np.float64)
    broken = np.flatnonzero(~np.isfinite(corners).all(axis=(1, 2)))
    if len(broken):
        raise FileFormatError(f"{source}, triangle {broken[0] + 1}: a coordinate is not a finite number.")
    return _soup(corners.reshape(-1, 3), name)


def _read_text_stl(text: str, source: str, name: str) -> Mesh:
    points: list[list[float]] = []
    corners = -1  # of the loop being read; -1 outside loops
    ended = False
    number = 0
    for number, words in numbered_lines(text.splitlines()):
        word = words[0].lower()
        if word == "vertex":
            if corners < 0:
                raise FileFormatError(f"{source}, line {number}: 'vertex' stands outside 'outer loop' and 'endloop'.")
            points.append(vertex(words, source, number, exactly=True))
            corners += 1
        elif corners >= 0 and word != "endloop":
            raise FileFormatError(
                f"{source}, line {number}: {words[0]!r} stands inside a loop; 'endloop' is missing above it."
            )
        elif word == "outer":
            corners = 0
        elif word == "endloop":
            if corners != 3:
                raise FileFormatError(
                    f"{source}, line {number}: the loop has {max(corners, 0)} vertices; STL needs three."
                )
            corners = -1
        elif word not in ("solid", "endsolid", "facet", "endfacet"):
            raise FileFormatError(f"{source}, line {number}: {words[0]!r} is no word of STL.")
        ended = word == "endsolid"
    if not ended:
        raise FileFormatError(f"{source} ends at line {number} without 'endsolid'. It was cut short; export it again.")
    return _soup(np.array(points, dtype=np.float64).reshape(-1, 3), name)


def _soup(points: np.ndarray[tuple[int, ...], np.dtype[np.float64]], name: str) -> Mesh:
    """Triangles that list their corners one after another, with the repeated corners made one."""
    return Mesh(points, np.arange(len(points)).reshape(-1, 3), name).merged()


# ---- OBJ ----


def _read_obj(data: bytes, source: str, name: str) -> Mesh:
    text = data.decode("utf-8", "replace")
    points: list[list[float]] = []
    triangles: list[tuple[int, int, int]] = []
    faces: list[tuple[list[int], int]] = []  # corners and line
    for number, words in numbered_lines(joined_lines(text)):
        if words[0] == "v":
            points.append(vertex(words, source, number, exactly=False))
        elif words[0] == "f":
            if len(words) < 4:
                raise FileFormatError(
                    f"{source}, line {number}: the face has {len(words) - 1} corners; it needs three or more."
                )
            face = [corner_index(word, len(points), source, number) for word in words[1:]]
            faces.append((face, number))
    # a face may come before its vertices, so the upper limit is known only now
    for face, number in faces:
        if max(face) >= len(points):
            raise FileFormatError(
                f"{source}, line {number}: vertex {max(face) + 1} does not exist; there are {len(points)}."
            )
        triangles += _triangles(face, points)
    return Mesh(
        np.array(points, dtype=np.float64).reshape(-1, 3), np.array(triangles, dtype=np.int64).reshape(-1, 3), name
    )


def _triangles(face: list[int], points: list[list[float]]) -> list[tuple[int, int, int]]:
    """Triangles of a face: one of four corners is cut along its shorter diagonal, larger ones from their first corner."""
    if len(face) == 4:
        a, b, c, d = face
        if math.dist(points[a], points[c]) >= math.dist(points[b], points[d]):
            return [(a, b, d), (b, c, d)]
    return [(face[0], face[k], face[k + 1]) for k in range(1, len(face) - 1)]


def corner_index(word: str, known: int, source: str, number: int) -> int:
    """Index from 0 of a corner written v, v/vt, v//vn or v/vt/vn; negative numbers count back from the last vertex."""
    text = word.split("/", 1)[0]
    try:
        index = int(text)
    except ValueError:
        raise FileFormatError(
            f"{source}, line {number}: {word!r} is no corner of a face; write v, v/vt, v//vn or v/vt/vn."
        ) from None
    if index == 0 or index < -known:
        reason = "vertices are counted from 1" if index == 0 else f"there are only {known} vertices above this line"
        raise FileFormatError(f"{source}, line {number}: vertex {index} does not exist; {reason}.")
    return index - 1 if index > 0 else known + index


def joined_lines(text: str) -> list[str]:
    """Lines, those ending in a backslash joined with the next; numbers of lines stay true."""
    lines = text.splitlines()
    for k in range(len(lines) - 1):
        if lines[k].endswith("\\"):
            lines[k + 1] = lines[k][:-1] + " " + lines[k + 1]
            lines[k] = ""
    return lines


# ---- both ----


def numbered_lines(lines: Sequence[str]) -> Iterator[tuple[int, list[str]]]:
    """Numbers from 1 and words of the lines that say something; # begins a comment."""
    for number, line in enumerate(lines, start=1):
        words = line.split("#", 1)[0].split()
        if words:
            yield number, words


def vertex(words: list[str], source: str, number: int, *, exactly: bool) -> list[float]:
    """Three finite coordinates after the first word; OBJ may add a weight or a colour."""
    if len(words) < 4 or (exactly and len(words) > 4):
        raise FileFormatError(
            f"{source}, line {number}: a vertex needs three coordinates, but {len(words) - 1} are given."
        )
    try:
        point = [float(word) for word in words[1:4]]
    except ValueError:
        raise FileFormatError(f"{source}, line {number}: {' '.join(words[1:4])!r} are not three numbers.") from None
    if not np.all(np.isfinite(point)):
        raise FileFormatError(f"{source}, line {number}: a coordinate is not a finite number.")
    return point
