"""Coupler curves and cam profiles as DXF and SVG."""

from __future__ import annotations

import math
import re
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

import pytrammel as tm


def dxf_polylines(path: Path) -> list[tuple[str, int, np.ndarray]]:
    """Layer, flags and vertices of the polylines of a DXF file."""
    words = path.read_text(encoding="utf-8").splitlines()
    pairs = [(int(code), value) for code, value in zip(words[::2], words[1::2], strict=True)]
    assert pairs[-1] == (0, "EOF")
    out: list[tuple[str, int, list[list[float]]]] = []
    entity = ""
    for code, value in pairs:
        if code == 0:
            entity = value
            if entity == "POLYLINE":
                out.append(("", 0, []))
            elif entity == "VERTEX":
                out[-1][2].append([0.0, 0.0, 0.0])
        elif entity == "POLYLINE" and code in (8, 70):
            layer, flags, points = out[-1]
            out[-1] = (value if code == 8 else layer, int(value) if code == 70 else flags, points)
        elif entity == "VERTEX" and code in (10, 20, 30):
            out[-1][2][-1][code // 10 - 1] = float(value)
    return [(layer, flags, np.array(points)) for layer, flags, points in out]


def test_a_cam_profile_and_a_coupler_curve_go_to_one_drawing(tmp_path: Path) -> None:
    cam = tm.curves.circle(0.04, center=(0.1, 0.02), name="cam")
    path = np.column_stack([np.linspace(0, 0.1, 5), np.zeros(5)])
    (layer, flags, points), (_, other, line) = dxf_polylines(
        tm.save_curves(tmp_path / "both.dxf", cam, path, samples=361)
    )
    assert layer == "CAM"
    assert flags == 1  # closed
    assert other == 0
    assert np.hypot(points[:, 0] - 100.0, points[:, 1] - 20.0) == pytest.approx(40.0)
    assert line[:, :2] == pytest.approx(1000.0 * path)
    # the drawn polygon has nearly the area of the circle: sin(2 pi/n) n/(2 pi) of it
    x, y = points[:, 0], points[:, 1]
    area = 0.5 * abs(float(np.sum(x * np.roll(y, -1) - y * np.roll(x, -1))))
    assert area == pytest.approx(math.pi * 1600.0, rel=1e-3)


def test_the_path_of_a_point_is_written_with_its_name(tmp_path: Path) -> None:
    m = tm.SpatialModel("crank")
    m.body("crank", mass=1.0, inertia=0.1)
    m.revolute("A", m.ground, "crank", at=(0, 0, 0), axis="z")
    m.point("P", "crank", local=(0.2, 0.0, 0.1))
    m.driver("turn", "A.angle", "2*pi*t")
    k = m.kinematics(1.0, samples=73)
    ((layer, flags, points),) = dxf_polylines(tm.save_curves(tmp_path / "p.dxf", k.point("P"), unit="cm"))
    assert layer == "P"
    assert flags == 9  # closed, in space
    assert len(points) == 72
    assert points == pytest.approx(100.0 * k.point("P").position[:-1], abs=1e-9)


def test_svg_is_at_true_size_with_y_up(tmp_path: Path) -> None:
    path = tm.save_curves(tmp_path / "curve.svg", np.array([[0.0, 0.0], [0.1, 0.0], [0.1, 0.05]]))
    root = ElementTree.parse(path).getroot()
    assert root.attrib["width"] == "110mm"
    x, y, width, height = map(float, root.attrib["viewBox"].split())
    assert (x, y, width, height) == pytest.approx((-5.0, -55.0, 110.0, 60.0))
    drawn = root.find("{http://www.w3.org/2000/svg}path")
    assert drawn is not None
    numbers = [float(word) for word in re.findall(r"-?[\d.]+", drawn.attrib["d"])]
    assert numbers == pytest.approx([0, 0, 100, 0, 100, -50])


@pytest.mark.parametrize(
    ("curves", "options", "sentence"),
    [
        ((), {}, "at least one curve"),
        ((np.zeros((1, 2)),), {}, "two or more finite points"),
        (("circle",), {}, "give a point's path"),
        ((np.eye(2),), {"unit": "furlong"}, "unit 'furlong' is not known"),
        ((np.eye(2),), {"samples": 1}, "at least 3"),
    ],
)
def test_what_is_no_curve_is_refused(
    tmp_path: Path, curves: tuple[object, ...], options: dict[str, object], sentence: str
) -> None:
    with pytest.raises(tm.ModelError, match=sentence):
        tm.save_curves(tmp_path / "c.dxf", *curves, **options)


def test_unknown_endings_are_refused(tmp_path: Path) -> None:
    with pytest.raises(tm.FileWriteError, match=r"\.dxf, \.svg"):
        tm.save_curves(tmp_path / "c.png", np.eye(2))
