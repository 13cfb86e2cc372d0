"""Masses of MJCF meshes: by MuJoCo's rule unless the file or the caller asks for the true volume."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import trammel as tm
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
