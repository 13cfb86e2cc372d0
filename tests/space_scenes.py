"""Scenes in space for several test files."""

from __future__ import annotations

import base64
import json
import re
from dataclasses import replace
from typing import Any

import numpy as np

from pytrammel.view.scene.planar import Array
from pytrammel.view.scene.spatial import (
    Arrow3,
    Mark3,
    Rod3,
    Shape3,
    SpaceBody,
    SpaceScene,
    Trace3,
)

ARM = 0.2


def about(axis: tuple[float, float, float], angle: Array) -> Array:
    """Euler parameters of a rotation about an axis."""
    unit = np.array(axis) / np.linalg.norm(axis)
    return np.column_stack((np.cos(angle / 2), np.sin(angle / 2)[:, None] * unit))


def crane(n: int = 61, name: str = "boom", **changes: Any) -> SpaceScene:
    """A boom that turns about z on a box, with a ball hanging from it on a spring."""
    times = np.linspace(0.0, 2.0, n)
    turn = about((0, 0, 1), np.pi * times)
    still = np.tile([1.0, 0.0, 0.0, 0.0], (n, 1))
    tip = ARM * np.column_stack((np.cos(np.pi * times), np.sin(np.pi * times), np.zeros(n))) + [0.0, 0.0, 0.3]
    ball = tip - np.column_stack((np.zeros((n, 2)), 0.1 + 0.02 * np.sin(5.0 * times)))
    bodies = (
        SpaceBody("ground", (Shape3.box((0.1, 0.1, 0.3), (0.0, 0.0, 0.15)),), np.zeros((n, 3)), still, is_ground=True),
        SpaceBody(name, (Shape3.link([(0, 0, 0), (ARM, 0, 0)]),), np.tile([0.0, 0.0, 0.3], (n, 1)), turn),
        SpaceBody("ball", (Shape3.sphere(0.03),), ball, still, colour="#112233"),
    )
    marks = (Mark3("revolute", 0, (0.0, 0.0, 0.3), label="A"), Mark3("point", 1, (ARM, 0.0, 0.0), label="B"))
    traces = (Trace3("ball", ball), Trace3("B", body=1, point=(ARM, 0.0, 0.0)))
    rods = (Rod3(1, (ARM, 0.0, 0.0), 2, (0.0, 0.0, 0.03), "s", "spring"),)
    arrows = (
        Arrow3("pull", tip, np.tile([0.0, 0.0, -12.5], (n, 1))),
        Arrow3("drive", np.zeros((n, 3)), np.column_stack((np.zeros((n, 2)), times)), "N m", "moment"),
    )
    return replace(SpaceScene("crane", times, bodies, marks, traces, rods, arrows, "mm", 1000.0), **changes)


def without_frames(scene: SpaceScene) -> SpaceScene:
    none = np.zeros((0, 3))
    return replace(
        scene,
        times=np.zeros(0),
        bodies=tuple(replace(b, positions=none, parameters=np.zeros((0, 4))) for b in scene.bodies),
        traces=tuple(t for t in scene.traces if t.body is not None),
        arrows=tuple(replace(a, origin=none, vector=none) for a in scene.arrows),
    )


def embedded(page: str) -> Any:
    found = re.search(r'<script type="application/json" id="scene">(.*?)</script>', page, re.DOTALL)
    assert found
    return json.loads(found[1])


def unpacked(text: str) -> Array:
    """Numbers of a series as the player reads them."""
    return np.frombuffer(base64.b64decode(text), dtype="<f4").astype(float)
