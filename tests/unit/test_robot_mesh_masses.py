"""Masses of MJCF meshes: by MuJoCo's rule unless the file or the caller asks for the true volume."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import pytrammel as tm
from robot_files import mjcf, written

CORNERS = [(0, 0), (2, 0), (2, 1), (1, 1), (1, 3), (0, 3)]  # an L, 0.1 m thick, in units of 0.1 m: 4 dm³
TOP, BOTTOM = 6, 0


def prism(*, hole: bool = False, sink: float = 0.0) -> tuple[str, str]:
    vertices = [(x, y, z) for z in (0, 1) for x, y in CORNERS]
    plane = [(0, 1, 2), (0, 2, 3), (0, 3, 4), (0, 4, 5)]
    faces = [(a, c, b) for a, b, c in plane] + [(a + TOP, b + TOP, c + TOP) for a, b, c in plane]
    for i in range(6):
        j = (i + 1) % 6
        faces += [(i, j, j + TOP), (i, j + TOP, i + TOP)]
    return (
        " ".join(f"{0.1 * x:.17g}" for v in vertices for x in v),
        " ".join(str(k) for face in (faces[1:] if hole else faces) for k in face),
    )


SINGLE = 2e-7  # vertices of meshes are stored in single precision, as by MuJoCo (6e-8 each), unless mesh_masses="exact"


def link_of(tmp_path: Path, rule: str = "", hole: bool = False, geom: str = 'density="1000"', **options: object):
    vertices, faces = prism(hole=hole)
    rule = f'inertia="{rule}"' if rule else ""
    assets = f'<asset><mesh name="m" vertex="{vertices}" face="{faces}" {rule}/></asset>'
    text = mjcf(f'<body name="b"><joint/><geom type="mesh" mesh="m" {geom}/></body>', assets)
    return tm.read_robot(written(tmp_path, text, "r.xml"), **options).links["b"]


@pytest.mark.parametrize(
    ("rule", "options"), [("exact", {}), ("", {"mesh_masses": "exact"}), ("legacy", {"mesh_masses": "exact"})]
)
def test_the_true_volume_is_taken_where_it_is_asked_for(tmp_path: Path, rule: str, options: dict[str, str]) -> None:
    link = link_of(tmp_path, rule, **options)
    close = 1e-12 if options else SINGLE
    assert link.mass == pytest.approx(4.0, rel=close)  # 2 · 1 + 1 · 2 dm², 1 dm thick, 1 kg/dm³
    assert link.centroid == pytest.approx([0.075, 0.125, 0.05], abs=close)


@pytest.mark.parametrize("rule", ["", "legacy"])
def test_mujocos_rule_is_the_default(tmp_path: Path, rule: str) -> None:
    link = link_of(tmp_path, rule)
    # MuJoCo 4.0.0, which stores vertices in single precision: body_mass, body_ipos, body_inertia
    assert link.mass == pytest.approx(4.161340825122681, rel=1e-6)
    assert link.centroid == pytest.approx([0.07751967, 0.12420109, 0.05], abs=1e-6)
    assert np.linalg.eigvalsh(link.inertia)[::-1] == pytest.approx([0.04234054, 0.0369727, 0.01219585], rel=1e-6)


def test_the_hull_is_taken_where_the_file_says_so(tmp_path: Path) -> None:
    assert link_of(tmp_path, "convex").mass == pytest.approx(5.0, rel=SINGLE)  # 4 and the triangle of 1 · 2 / 2


def test_a_given_mass_is_spread_by_the_same_rule(tmp_path: Path) -> None:
    one, two = link_of(tmp_path), link_of(tmp_path, geom='mass="2"')
    assert two.mass == pytest.approx(2.0, rel=1e-15)
    assert two.inertia == pytest.approx(one.inertia * 2.0 / one.mass, rel=1e-12)


def test_a_mesh_with_a_hole_is_weighed_by_mujocos_rule_alone(tmp_path: Path) -> None:
    assert 3.5 < link_of(tmp_path, hole=True).mass < 4.5
    with pytest.raises(tm.FileFormatError, match="mesh"):
        link_of(tmp_path, "exact", hole=True)


def test_an_unknown_rule_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(tm.ModelError, match=r"mesh_masses.*'hull'.*'exact'"):
        link_of(tmp_path, mesh_masses="hull")


TETRAHEDRON = np.array([(0, 0, 0), (0.3, 0, 0), (0, 0.2, 0), (0, 0, 0.4)])
FACES = ((0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3))


@pytest.mark.parametrize("rule", ["", "exact", "convex", "legacy"])
@pytest.mark.parametrize("scale", [(1, 1, 1), (2, 0.5, 1), (1, 1, -1), (-1.5, 0.7, -2)])
@pytest.mark.parametrize("inline", [True, False])
def test_meshes_are_moved_to_their_reference_pose_before_they_are_scaled(
    tmp_path: Path, rule: str, scale: tuple[float, ...], inline: bool
) -> None:
    """Centroid and second moments of a tetrahedron are sums over its corners: MuJoCo 4.0.0 moves, turns, then scales them."""
    half = 0.35  # of the angle of refquat about x
    quat = (np.cos(half), np.sin(half), 0.0, 0.0)
    c, s = np.cos(2 * half), np.sin(2 * half)
    turn = np.array([(1, 0, 0), (0, c, -s), (0, s, c)])
    corners = (TETRAHEDRON.astype(np.float32).astype(float) - (0.1, -0.2, 0.3)) @ turn * scale
    numbers = " ".join(f"{x:.17g}" for x in TETRAHEDRON.ravel())
    where = f'vertex="{numbers}" face="{" ".join(str(k) for face in FACES for k in face)}"'
    if not inline:
        lines = [
            *(f"v {x!r} {y!r} {z!r}" for x, y, z in TETRAHEDRON.tolist()),
            *(f"f {a + 1} {b + 1} {c + 1}" for a, b, c in FACES),
        ]
        (tmp_path / "m.obj").write_text("\n".join(lines) + "\n", encoding="utf-8")
        where = 'file="m.obj"'
    about = f'{where} refpos="0.1 -0.2 0.3" refquat="{" ".join(map(repr, map(float, quat)))}" scale="{" ".join(map(str, scale))}"'
    rule = f'inertia="{rule}"' if rule else ""
    text = mjcf(
        '<body name="b"><joint/><geom type="mesh" mesh="m"/></body>', f'<asset><mesh name="m" {about} {rule}/></asset>'
    )
    link = tm.read_robot(written(tmp_path, text, "r.xml")).links["b"]
    volume = 0.3 * 0.2 * 0.4 / 6 * abs(np.prod(scale))
    assert link.mass == pytest.approx(1000 * volume, rel=SINGLE)
    assert link.centroid == pytest.approx(corners.mean(axis=0), abs=1e-12)
    out = corners - corners.mean(axis=0)
    second = link.mass / 20.0 * out.T @ out
    assert link.inertia == pytest.approx(np.trace(second) * np.eye(3) - second, abs=1e-12)


# --- OBJ files ---

CUBE = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0 0 1\nv 1 0 1\nv 1 1 1\nv 0 1 1\n"
SIDES = ("4 3 2 1", "5 6 7 8", "1 2 6 5", "2 3 7 6", "3 4 8 7", "4 1 5 8")


def obj_link(tmp_path: Path, text: str, rule: str = "legacy", **options: object):
    (tmp_path / "m.obj").write_text(text, encoding="utf-8")
    assets = f'<asset><mesh name="m" file="m.obj" scale="0.1 0.1 0.1" inertia="{rule}"/></asset>'
    body = '<body name="b"><joint/><geom type="mesh" mesh="m" density="1000"/></body>'
    path = written(tmp_path, mjcf(body, assets), "r.xml")
    return path, tm.read_robot(path, **options)


@pytest.mark.parametrize("head", ["o", "g"])
def test_the_first_object_of_a_file_is_weighed_and_others_are_reported(tmp_path: Path, head: str) -> None:
    faces = "".join(f"f {side}\n" for side in SIDES)
    shifted = "".join(f"f {' '.join(str(int(k) + 8) for k in side.split())}\n" for side in SIDES)
    text = f"{head} one\n{CUBE}{faces}{head} two\n{CUBE.replace('1', '2')}{shifted}"
    _, robot = obj_link(tmp_path, text)
    assert robot.links["b"].mass == pytest.approx(1.0, rel=SINGLE)  # 1 dm³
    assert any("2 objects" in str(note) for note in robot.conversion_report)
    _, robot = obj_link(tmp_path, text, mesh_masses="exact")
    assert robot.links["b"].mass == pytest.approx(9.0, rel=1e-12)  # 1 and 8 dm³
    assert not any("objects" in str(note) for note in robot.conversion_report)


def polygons(seed: int) -> str:
    """A tent over a polygon that is not flat and may cross itself."""
    random = np.random.default_rng(seed)
    n = int(random.integers(4, 11))
    if seed % 2:
        angles, radius = np.sort(random.uniform(0.0, 2.0 * np.pi, n)), random.uniform(0.3, 1.0, n)
        points = np.stack([radius * np.cos(angles), radius * np.sin(angles), 0.1 * random.normal(size=n)], axis=1)
        points = points @ np.linalg.qr(random.normal(size=(3, 3)))[0].T + random.normal(size=3)
    else:
        points = random.normal(size=(n, 3)) * [1.0, 1.0, 0.05]
    points = np.vstack([points, points.mean(axis=0) + [0.3, 0.4, 1.5]])
    face = list(range(1, n + 1))[:: 1 if random.random() < 0.5 else -1]
    sides = [face, *([face[(k + 1) % n], face[k], n + 1] for k in range(n))]
    return "".join("v " + " ".join(f"{x:.6f}" for x in p) + "\n" for p in points) + "".join(
        "f " + " ".join(map(str, side)) + "\n" for side in sides
    )


@pytest.mark.peers
@pytest.mark.parametrize("seed", range(30))
def test_polygons_are_cut_as_in_mujoco(tmp_path: Path, seed: int) -> None:
    mujoco = pytest.importorskip("mujoco", reason="MuJoCo is not installed (extra 'peers')")
    path, robot = obj_link(tmp_path, polygons(seed))
    theirs = mujoco.MjModel.from_xml_path(str(path))
    assert robot.links["b"].mass == pytest.approx(theirs.body_mass[1], rel=1e-12)
    assert robot.links["b"].centroid == pytest.approx(theirs.body_ipos[1], abs=1e-12)


def test_a_polygon_with_a_notch_is_cut_inside(tmp_path: Path) -> None:
    """An L of six corners as floor and ceiling: the cut determines the volume that the rule counts, as with triangles made by hand."""
    corners = CORNERS
    points = "".join(f"v {x} {y} {z}\n" for z in (0, 1) for x, y in corners)
    sides = "".join(f"f {i + 1} {(i + 1) % 6 + 1} {(i + 1) % 6 + 7} {i + 7}\n" for i in range(6))
    _, robot = obj_link(tmp_path, points + "f 6 5 4 3 2 1\nf 7 8 9 10 11 12\n" + sides, "exact")
    assert robot.links["b"].mass == pytest.approx(4.0, rel=SINGLE)


def test_polygons_with_more_than_a_hundred_corners_are_omitted_as_by_mujoco(tmp_path: Path) -> None:
    angles = 2.0 * np.pi * np.arange(101) / 101
    points = "".join(f"v {np.cos(a):.6f} {np.sin(a):.6f} 0\n" for a in angles) + "v 0 0 1\n"
    sides = "".join(f"f {k + 1} {(k + 1) % 101 + 1} 102\n" for k in range(101))
    floor = "f " + " ".join(str(k) for k in range(101, 0, -1)) + "\n"
    _, with_floor = obj_link(tmp_path, points + sides + floor)
    _, without = obj_link(tmp_path, points + sides)
    assert with_floor.links["b"].mass == without.links["b"].mass


# --- simple shapes in the place of a mesh ---

BAR = np.array([0.1, 0.2, 0.5])  # half sizes of a block [m]
BLOCK = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]) * BAR[[1, 2, 0]]


def fitted(folder: Path, kind: str, box: bool, scale: float) -> object:
    points = " ".join(f"{float(x)!r}" for x in (BLOCK + [0.3, -0.1, 0.2]).ravel())
    geom = f'<geom type="{kind}" mesh="m" density="700" fitscale="{scale}"/>'
    assets = f'<compiler fitaabb="{str(box).lower()}"/><asset><mesh name="m" vertex="{points}"/></asset>'
    text = mjcf(f'<body name="b"><freejoint/>{geom}</body>', assets)
    return tm.read_robot(written(folder, text, "robot.xml"), mesh_masses="exact").links["b"]


@pytest.mark.parametrize("box", [False, True])
@pytest.mark.parametrize("kind", ["box", "ellipsoid", "sphere", "cylinder", "capsule"])
def test_a_shape_is_fitted_to_the_mesh_of_a_block(tmp_path: Path, kind: str, box: bool) -> None:
    """The longest side is the axis; round shapes take means of the half sizes, with fitaabb the largest."""
    a, b, c = 1.2 * BAR
    radius = max(a, b) if box else (a + b) / 2
    ball = max(a, b, c) if box else (a + b + c) / 3
    straight = 2 * (c - radius) if box else 2 * c - radius
    volume, across, along = {  # squared radii of gyration about the first short and the long axis
        "box": (8 * a * b * c, (b * b + c * c) / 3, (a * a + b * b) / 3),
        "ellipsoid": (4 / 3 * np.pi * a * b * c, (b * b + c * c) / 5, (a * a + b * b) / 5),
        "sphere": (4 / 3 * np.pi * ball**3, 2 / 5 * ball**2, 2 / 5 * ball**2),
        "cylinder": (2 * np.pi * radius**2 * c, radius**2 / 4 + c * c / 3, radius**2 / 2),
        "capsule": (np.pi * radius**2 * (straight + 4 / 3 * radius), None, None),
    }[kind]
    link = fitted(tmp_path, kind, box, 1.2)
    assert link.mass == pytest.approx(700 * volume, rel=1e-12)
    assert link.centroid == pytest.approx([0.3, -0.1, 0.2], abs=1e-12)
    if across is not None:
        # the block's short side lies along z, its long one along y
        assert link.inertia[2, 2] == pytest.approx(link.mass * across, rel=1e-12)
        assert link.inertia[1, 1] == pytest.approx(link.mass * along, rel=1e-12)
        assert abs(link.inertia[0, 1]) < 1e-12 * link.mass
