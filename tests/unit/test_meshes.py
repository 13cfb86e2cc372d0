"""Meshes: closed forms, convergence to the solids, files, and every sentence."""

from __future__ import annotations

import math
import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inertia_bodies import CORNERS3, ELL, LOOSE, TAU, TURN, bodies, ell, rotations, same
from pytrammel import inertia
from pytrammel.errors import FileFormatError, FileWriteError, ModelError, ModelWarning
from pytrammel.inertia import MassProperties, Mesh

# ---- meshes ----


def tetrahedron_mesh() -> Mesh:
    return Mesh(CORNERS3, [(0, 2, 1), (0, 1, 3), (1, 2, 3), (2, 0, 3)], "tet")


def regular_polygon(n: int, radius: float) -> tuple[float, float]:
    """Area and ∫x² dA of a regular polygon with the corners at the radius.

    The half polar moment of n congruent triangles with the tip in the middle. A square of edge a = √2 R has a⁴/12 by
    it, and n → ∞ gives the circle's π R⁴/4.
    """
    angle = TAU / n
    area = 0.5 * n * radius**2 * math.sin(angle)
    return area, n * radius**4 * math.sin(angle) * (2 + math.cos(angle)) / 24


def test_box_and_tetrahedron_meshes_are_exact() -> None:
    mesh = inertia.box_mesh(1, 2, 3)
    mesh.check()
    assert mesh.volume == pytest.approx(6.0, rel=1e-15) and mesh.area == pytest.approx(22.0, rel=1e-15)
    assert np.array_equal(mesh.bounds, [[-0.5, -1, -1.5], [0.5, 1, 1.5]])
    assert same(mesh.properties(density=2.0), inertia.box(1, 2, 3, density=2.0))
    assert same(mesh.properties(mass=5.0), inertia.box(1, 2, 3, mass=5.0))
    assert same(tetrahedron_mesh().properties(density=2.0), inertia.tetrahedron(*CORNERS3, density=2.0))


def test_moving_a_mesh_moves_its_properties() -> None:
    mesh = tetrahedron_mesh()
    expected = mesh.properties(density=3.0).moved((1, -2, 5), TURN)
    assert same(mesh.moved((1, -2, 5), TURN).properties(density=3.0), expected)
    # lengths times 2: mass times 8, moments times 32
    twice = mesh.scaled(2.0).properties(density=3.0)
    once = mesh.properties(density=3.0)
    assert same(twice, MassProperties(8 * once.mass, 2 * once.centroid, 32 * once.inertia))
    far = mesh.moved((1e5, 0, 0)).properties(density=3.0)
    assert far.inertia == pytest.approx(once.inertia, rel=1e-9, abs=1e-9)  # vertices at 1e5 carry 1e-11


def test_icosahedron_in_closed_form() -> None:
    mesh = inertia.sphere_mesh(1.0, subdivisions=0)
    edge = 4.0 / math.sqrt(10 + 2 * math.sqrt(5))  # circumradius 1
    golden = (1 + math.sqrt(5)) / 2
    body = mesh.properties(density=1.0)
    assert len(mesh.triangles) == 20
    assert body.mass == pytest.approx(5 / 12 * (3 + math.sqrt(5)) * edge**3, rel=1e-14)
    assert body.inertia == pytest.approx(body.mass * edge**2 * golden**2 / 10 * np.eye(3), rel=1e-13, abs=1e-14)


def test_sphere_mesh_converges_with_the_square_of_its_edges() -> None:
    exact = inertia.sphere(0.7, density=1.0)
    errors = []
    for n in (2, 3, 4):
        mesh = inertia.sphere_mesh(0.7, subdivisions=n)
        assert len(mesh.triangles) == 20 * 4**n and len(mesh.vertices) == 10 * 4**n + 2  # Euler: V - E + F = 2
        body = mesh.properties(density=1.0)
        errors.append([1 - body.mass / exact.mass, 1 - body.inertia[0, 0] / exact.inertia[0, 0]])
    ratios = np.array(errors[:-1]) / errors[1:]
    assert ratios == pytest.approx(4.0, rel=0.05)  # next term of the series is of fourth order
    assert errors[1][0] < 0.009


@pytest.mark.parametrize("n", [3, 4, 48])
@pytest.mark.parametrize("axis", ["x", "y", "z"])
def test_prism_and_pyramid_meshes_in_closed_form(n: int, axis: str) -> None:
    R, h = 0.6, 1.5
    area, second = regular_polygon(n, R)
    order = {"x": [2, 0, 1], "y": [1, 2, 0], "z": [0, 1, 2]}[axis]
    prism = MassProperties(area * h, (0, 0, 0), np.array([second * h + area * h**3 / 12] * 2 + [2 * second * h])[order])
    assert same(inertia.cylinder_mesh(R, h, sides=n, axis=axis).properties(density=1.0), prism)
    # pyramid: sections shrink with (1 - z/h); ∫(1-u)⁴ = 1/5, and along the axis the cone's 3/80 h²
    mass = area * h / 3
    centroid = np.array([0, 0, h / 4])[order]
    pyramid = MassProperties(
        mass, centroid, np.array([second * h / 5 + 3 / 80 * h * h * mass] * 2 + [2 * second * h / 5])[order]
    )
    assert same(inertia.cone_mesh(R, h, sides=n, axis=axis).properties(density=1.0), pyramid)


@pytest.mark.parametrize("axis", ["x", "y", "z"])
def test_the_faces_of_round_meshes_meet_on_their_axis(axis: str) -> None:
    """Ends fan out from points of the axis: a corner off it would keep volume and moments."""
    along = np.eye(3)["xyz".index(axis)]
    cylinder, cone = (
        inertia.cylinder_mesh(0.6, 1.5, sides=7, axis=axis),
        inertia.cone_mesh(0.6, 1.5, sides=7, axis=axis),
    )
    assert cylinder.vertices[-2:] == pytest.approx(np.array([-0.75 * along, 0.75 * along]), abs=1e-15)
    assert cone.vertices[-2:] == pytest.approx(np.array([0 * along, 1.5 * along]), abs=1e-15)
    for mesh, rings in ((cylinder, 2), (cone, 1)):
        ring = mesh.vertices[: 7 * rings]
        assert np.linalg.norm(ring - np.outer(ring @ along, along), axis=1) == pytest.approx(0.6, rel=1e-14)


def test_round_meshes_converge_to_the_solids() -> None:
    # a polygon of n sides misses 2π²/(3n²) of the circle's area, and twice that of its second moment: 1e-4 for 400
    assert same(
        inertia.cylinder_mesh(0.6, 1.5, sides=400).properties(density=1.0),
        inertia.cylinder(0.6, 1.5, density=1.0),
        1e-4,
    )
    assert same(
        inertia.cone_mesh(0.6, 1.5, sides=400).properties(density=1.0), inertia.cone(0.6, 1.5, density=1.0), 1e-4
    )


@settings(deadline=None)  # a busy machine is no failure
@given(bodies.map(lambda body: body.centroid), rotations(), st.floats(0.2, 3), st.floats(0.2, 3))
def test_mesh_of_a_moved_prism_is_the_moved_prism(shift: np.ndarray, turn: np.ndarray, r: float, h: float) -> None:
    mesh = inertia.cylinder_mesh(r, h, sides=5)
    outline = mesh.vertices[:5, :2]
    expected = inertia.extruded_polygon(outline, h, density=1.0).moved((0, 0, -h / 2)).moved(shift, turn)
    assert same(mesh.moved(shift, turn).properties(density=1.0), expected, rel=LOOSE)


def joined(*meshes: Mesh) -> Mesh:
    starts = np.cumsum([0, *[len(mesh.vertices) for mesh in meshes]])
    triangles = [mesh.triangles + start for mesh, start in zip(meshes, starts, strict=False)]
    return Mesh(np.concatenate([mesh.vertices for mesh in meshes]), np.concatenate(triangles), "joined")


def test_shell_inside_out_within_another_is_a_void() -> None:
    mesh = joined(inertia.box_mesh(3, 3, 3), inertia.box_mesh(1, 1, 2).moved((0.5, 0, 0)).flipped())
    void = inertia.box(1, 1, 2, density=2.0).moved((0.5, 0, 0))
    assert same(mesh.properties(density=2.0), inertia.cube(3, density=2.0) - void)


def test_boxes_that_touch_along_an_edge_are_two_boxes() -> None:
    mesh = joined(inertia.box_mesh(1, 1, 1), inertia.box_mesh(1, 1, 1).moved((1, 1, 0)))
    expected = inertia.cube(1, density=2.0) + inertia.cube(1, density=2.0).moved((1, 1, 0))
    assert same(mesh.properties(density=2.0), expected)


def test_mesh_inside_out_is_turned_with_a_warning() -> None:
    mesh = tetrahedron_mesh().flipped()
    assert mesh.volume < 0.0
    with pytest.warns(ModelWarning, match="tet is inside out: its volume is -"):
        body = mesh.properties(density=2.0)
    assert same(body, inertia.tetrahedron(*CORNERS3, density=2.0))


BOX = inertia.box_mesh(1, 1, 1)
LIDLESS = Mesh(BOX.vertices, BOX.triangles[1:], "lidless")
TWISTED = Mesh(BOX.vertices, np.concatenate([BOX.triangles[:1, ::-1], BOX.triangles[1:]]), "twisted")


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: LIDLESS.check(), "lidless is not closed: 3 of its 18 edges lack a neighbouring triangle, the first from"),
        (lambda: TWISTED.check(), "twisted is not consistently oriented: at 3 of its 18 edges"),
        (lambda: Mesh([], [], "void").properties(mass=1.0), "void is empty: it has no triangles"),
        (lambda: Mesh([], []).bounds, "mesh is empty: it has no vertices"),
        (lambda: Mesh([(0, 0, 0), (1, 0, 0), (0, 1, 0)], [(0, 1, 2), (0, 2, 1)], "sheet").properties(mass=1.0), "sheet encloses no volume"),
        (lambda: Mesh([(0, 0), (1, 0), (0, 1)], [(0, 1, 2)]), r"must be points \(x, y, z\), but the array has the shape \(3, 2\)"),
        (lambda: Mesh(BOX.vertices, [(0, 1, 8)]), "use the vertices 0 to 8, but there are only 0 to 7"),
        (lambda: Mesh(BOX.vertices, [(0.0, 1.0, 2.0)]), "must be three whole numbers each, .* holds float64"),
        (lambda: Mesh([(0, 0, math.nan)], [(0, 0, 0)]), "the vertices of mesh holds a number that is not finite"),
        (lambda: BOX.properties(), "box needs either density= .* none is given"),
        (lambda: BOX.scaled(0.0), "the scale of box is 0; it must be positive"),
        (lambda: BOX.moved((0, 0, 0), np.ones((3, 3))), "not orthogonal"),
        (lambda: inertia.box_mesh(1, 0, 1), "the edge of the box along y is 0 m"),
        (lambda: inertia.sphere_mesh(1, subdivisions=9), "subdivided 9 times; it must be between 0 and 8"),
        (lambda: inertia.cylinder_mesh(1, 1, sides=2), "the cylinder is to have 2 sides; it must be three or more"),
        (lambda: inertia.cone_mesh(1, -1), "the height of the cone is -1 m"),
    ],
)  # fmt: skip
def test_misuse_of_meshes_is_a_sentence(call: Callable[[], Any], words: str) -> None:
    with pytest.raises(ModelError, match=words):
        call()


# ---- files ----


def ascii_stl(mesh: Mesh) -> str:
    lines = ["solid part"]
    for triangle in mesh.vertices[mesh.triangles]:
        lines += ["  facet normal 0 0 0", "    outer loop"]
        lines += [f"      vertex {x!r} {y!r} {z!r}" for x, y, z in triangle.tolist()]
        lines += ["    endloop", "  endfacet"]
    return "\n".join([*lines, "endsolid part", ""])


def test_binary_stl_round_trip(tmp_path: Path) -> None:
    path = tmp_path / "part.STL"
    mesh = inertia.cone_mesh(0.6, 1.5, sides=7).moved((1, 2, 3), TURN)
    mesh.write_stl(path)
    data = path.read_bytes()
    assert len(data) == 84 + 50 * len(mesh.triangles) and not data.startswith(b"solid")
    # the first normal is a unit vector along the (right-handed) normal of the first triangle
    a, b, c = mesh.vertices[mesh.triangles[0]]
    normal = np.cross(b - a, c - a)
    assert struct.unpack_from("<3f", data, 84) == pytest.approx(normal / np.linalg.norm(normal), abs=1e-7)
    read = inertia.read_mesh(path)
    assert read.name == "part.STL" and len(read.vertices) == len(mesh.vertices)
    # single precision: 6e-8 of coordinates up to 4.5
    assert same(read.properties(density=1.0), mesh.properties(density=1.0), rel=2e-6)
    # coordinates that single precision holds come back as they were
    inertia.box_mesh(1, 2, 3).write_stl(path)
    assert same(inertia.read_mesh(path).properties(density=1.0), inertia.box(1, 2, 3, density=1.0))


def test_binary_stl_that_begins_with_solid(tmp_path: Path) -> None:
    path = tmp_path / "part.stl"
    inertia.box_mesh(1, 2, 3).write_stl(path)
    path.write_bytes(b"solid by some CAD program".ljust(80) + path.read_bytes()[80:])
    assert len(inertia.read_mesh(path).triangles) == 12


def test_text_stl_and_millimetres(tmp_path: Path) -> None:
    path = tmp_path / "part.stl"
    path.write_text(ascii_stl(tetrahedron_mesh().scaled(1000.0)), encoding="utf-8")
    body = inertia.read_mesh(path, scale=1e-3).properties(density=2700.0)
    assert same(body, inertia.tetrahedron(*CORNERS3, density=2700.0))
    path.write_text(ascii_stl(BOX) + ascii_stl(BOX.moved((2, 0, 0))), encoding="utf-8")  # two solids in one file
    assert inertia.read_mesh(path).volume == pytest.approx(2.0, rel=1e-14)


def test_triangles_without_area_do_no_harm(tmp_path: Path) -> None:
    triangles = np.concatenate([BOX.triangles, [[0, 0, 1], [2, 2, 2]]])
    assert same(Mesh(BOX.vertices, triangles).properties(density=1.0), inertia.cube(1, density=1.0))


OBJ_BOX = """# a cube of edge 2 with quadrilateral faces
mtllib cube.mtl
o cube
v -1 -1 -1
v  1 -1 -1 1.0
v  1  1 -1
v -1  1 -1
v -1 -1  1
v  1 -1  1
v  1  1  1
v -1  1  1
vt 0 0
vn 0 0 1
usemtl steel
s off
f 1 4 3 2
f 5/1 6/1 7/1 8/1
f 1//1 2//1 6//1 5//1
f 3/1/1 4/1/1 8/1/1 \\
  7/1/1
f -8 -4 -1 -5   # 1 5 8 4
f -7 -6 -2 -3
"""


def test_obj_in_all_its_forms(tmp_path: Path) -> None:
    path = tmp_path / "cube.obj"
    path.write_text(OBJ_BOX, encoding="utf-8")
    mesh = inertia.read_mesh(path)
    assert len(mesh.vertices) == 8 and len(mesh.triangles) == 12
    assert same(mesh.properties(density=3.0), inertia.cube(2, density=3.0))
    assert same(inertia.read_mesh(path, scale=0.5).properties(density=3.0), inertia.cube(1, density=3.0))


def test_obj_with_hollow_faces_is_right_by_signed_triangles(tmp_path: Path) -> None:
    n = len(ELL)
    lines = [f"v {x} {y} {z}" for z in (0, 0.5) for x, y in ELL]
    lines += ["f " + " ".join(str(k) for k in range(n, 0, -1)), "f " + " ".join(str(n + k) for k in range(1, n + 1))]
    lines += [f"f {k + 1} {(k + 1) % n + 1} {n + (k + 1) % n + 1} {n + k + 1}" for k in range(n)]
    path = tmp_path / "ell.obj"
    path.write_text("\n".join(lines), encoding="utf-8")
    assert same(inertia.read_mesh(path).properties(density=1.0), ell((0, 0.5)))


def test_obj_faces_may_come_first(tmp_path: Path) -> None:
    vertices = [line for line in OBJ_BOX.splitlines() if line.startswith("v ")]
    path = tmp_path / "cube.obj"
    path.write_text("\n".join(["f 1 2 3", *vertices]), encoding="utf-8")
    assert inertia.read_mesh(path).triangles.tolist() == [[0, 1, 2]]


GOOD_STL = ascii_stl(BOX)
LOOP = "solid\nfacet normal 0 0 1\nouter loop\n"
BINARY = b"x" * 80 + struct.pack("<I", 2) + bytes(100)
NAN_STL = b"x" * 80 + struct.pack("<I", 1) + struct.pack("<12fH", *[math.nan] * 12, 0)


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("a.step", b"", "ends in '.step'; it must be an .stl or .obj file"),
        ("a.stl", None, "cannot be read: No such file or directory"),
        ("a.stl", b"", "is no STL file: it has 0 bytes and does not begin with 'solid'"),
        ("a.stl", BINARY[:-1], "announces 2 triangles and should have 184 bytes, but it has 183. It was cut short"),
        ("a.stl", b"x" * 80 + struct.pack("<I", 0), "holds no triangles"),
        ("a.stl", NAN_STL, "triangle 1: a coordinate is not a finite number"),
        ("a.stl", GOOD_STL[: len(GOOD_STL) // 2].rsplit("\n", 1)[0].encode(), r"ends at line \d+ without 'endsolid'. It was cut short"),
        ("a.stl", b"solid\nendsolid\n", "holds no triangles"),
        ("a.stl", b"solid\nvertex 0 0 0\n", "line 2: 'vertex' stands outside 'outer loop'"),
        ("a.stl", (LOOP + "vertex 0 0 0\nendloop\n").encode(), "line 5: the loop has 1 vertices; STL needs three"),
        ("a.stl", b"solid\nendloop\n", "line 2: the loop has 0 vertices"),
        ("a.stl", (LOOP + "vertex 0 0 0\nendsolid\n").encode(), "line 5: 'endsolid' stands inside a loop; 'endloop' is missing"),
        ("a.stl", (LOOP + "vertex 0 0\n").encode(), "line 4: a vertex needs three coordinates, but 2 are given"),
        ("a.stl", (LOOP + "vertex 0 0 zero\n").encode(), "line 4: '0 0 zero' are not three numbers"),
        ("a.stl", (LOOP + "vertex 0 0 inf\n").encode(), "line 4: a coordinate is not a finite number"),
        ("a.stl", b"solid\nsphere 1\n", "line 2: 'sphere' is no word of STL"),
        ("a.obj", b"", "holds no triangles"),
        ("a.obj", b"v 0 0\n", "line 1: a vertex needs three coordinates, but 2 are given"),
        ("a.obj", b"v 0 0 0\nf 1 1\n", "line 2: the face has 2 corners; it needs three or more"),
        ("a.obj", b"v 0 0 0\nf 1 1 0\n", "line 2: vertex 0 does not exist; vertices are counted from 1"),
        ("a.obj", b"v 0 0 0\nf 1 1 -2\n", "line 2: vertex -2 does not exist; there are only 1 vertices above this line"),
        ("a.obj", b"v 0 0 0\n\nf 1 1 2\n", "line 3: vertex 2 does not exist; there are 1"),
        ("a.obj", b"v 0 0 0\nf 1 1 a/1\n", "line 2: 'a/1' is no corner of a face"),
    ],
)  # fmt: skip
def test_bad_file_is_a_sentence(tmp_path: Path, name: str, content: bytes | None, words: str) -> None:
    path = tmp_path / name
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(FileFormatError, match=words) as caught:
        inertia.read_mesh(path)
    assert name in str(caught.value)


def test_stl_that_cannot_be_written_is_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(FileWriteError, match="cannot be written: there is no folder"):
        BOX.write_stl(tmp_path / "nowhere" / "a.stl")
