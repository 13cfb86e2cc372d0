"""Animations as glTF: the file is whole, and its nodes move as the bodies did."""

from __future__ import annotations

import base64
import json
import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pytrammel as tm

SIZES = {"SCALAR": 1, "VEC3": 3, "VEC4": 4}


@pytest.fixture(scope="module")
def run() -> Any:
    m = tm.SpatialModel("pendulum with a rod")
    m.body("arm", mass=1.0, inertia=0.1, centroid=(0.2, 0, 0), shape=[tm.Box((0.4, 0.1, 0.1)), tm.Sphere(0.08)])
    m.body("bob", position=(0.5, 0, 0.5), mass=1.0, inertia=0.1, shape=tm.Cylinder((0, 0, 0), (0, 0, 0.2), 0.05))
    m.revolute("A", m.ground, "arm", at=(0, 0, 0), axis="y")
    m.spherical("B", m.ground, "bob", at=(0.5, 0, 0.5))
    m.link("L", m.bodies["arm"].at(0.4, 0, 0), m.bodies["bob"].at(0, 0.1, 0.1))
    m.point("P", "arm", local=(0.4, 0, 0))
    return m.simulate(0.5, samples=21, progress=False)


def opened(path: Path) -> tuple[dict[str, Any], bytes]:
    content = path.read_bytes()
    if path.suffix == ".gltf":
        document = json.loads(content)
        return document, base64.b64decode(document["buffers"][0]["uri"].partition(",")[2])
    magic, version, length = struct.unpack_from("<4sII", content)
    assert (magic, version, length) == (b"glTF", 2, len(content))
    size, kind = struct.unpack_from("<I4s", content, 12)
    assert kind == b"JSON"
    assert size % 4 == 0
    more, second = struct.unpack_from("<I4s", content, 20 + size)
    assert second == b"BIN\0"
    assert 28 + size + more == len(content)
    return json.loads(content[20 : 20 + size]), content[28 + size :]


def numbers(document: dict[str, Any], data: bytes, index: int) -> np.ndarray:
    accessor = document["accessors"][index]
    view = document["bufferViews"][accessor["bufferView"]]
    width = SIZES[accessor["type"]]
    assert view["byteOffset"] % 4 == 0
    assert view["byteOffset"] + view["byteLength"] <= document["buffers"][0]["byteLength"] <= len(data)
    values = np.frombuffer(data, "<f4", accessor["count"] * width, view["byteOffset"]).reshape(-1, width)
    assert values.min(axis=0) == pytest.approx(accessor["min"])
    assert values.max(axis=0) == pytest.approx(accessor["max"])
    return values


@pytest.mark.parametrize("ending", [".glb", ".gltf"])
def test_nodes_move_as_the_bodies_did(run: Any, tmp_path: Path, ending: str) -> None:
    document, data = opened(run.animate(tmp_path / f"motion{ending}"))
    assert document["asset"]["version"] == "2.0"
    names = [node["name"] for node in document["nodes"]]
    (motion,) = document["animations"]
    seen = {}
    for channel in motion["channels"]:
        sampler = motion["samplers"][channel["sampler"]]
        seen[names[channel["target"]["node"]], channel["target"]["path"]] = numbers(document, data, sampler["output"])
        times = numbers(document, data, sampler["input"])[:, 0]
        assert times == pytest.approx(run.times, abs=1e-6)
        assert (np.diff(times) > 0.0).all()
    x, y, z, w = seen["arm", "rotation"][-1]
    turn = tm.rotations.matrix(np.array([w, x, y, z], dtype=float))
    assert turn == pytest.approx(tm.rotations.matrix(run.q[-1][3:7]), abs=1e-6)
    assert np.linalg.norm(seen["bob", "rotation"], axis=1) == pytest.approx(1.0, abs=1e-6)
    stretched = (
        seen["L", "scale"][:, 2]
        if ("L", "scale") in seen
        else np.array(document["nodes"][names.index("L")]["scale"])[2:]
    )
    assert stretched == pytest.approx(np.linalg.norm([0.1, 0.1, 0.6]), abs=1e-5)  # a rod keeps its length


def test_meshes_are_closed_shapes_with_unit_normals_and_y_is_up(run: Any, tmp_path: Path) -> None:
    document, data = opened(run.animate(tmp_path / "motion.glb"))
    for mesh in document["meshes"]:
        for primitive in mesh["primitives"]:
            places = numbers(document, data, primitive["attributes"]["POSITION"])
            assert primitive["material"] < len(document["materials"])
            if primitive["mode"] == 4:
                assert len(places) % 3 == 0
                normals = numbers(document, data, primitive["attributes"]["NORMAL"])
                assert np.linalg.norm(normals, axis=1) == pytest.approx(1.0, abs=1e-5)
    x, y, z, w = document["nodes"][0]["rotation"]
    assert tm.rotations.matrix((w, x, y, z)) @ [0, 0, 1] == pytest.approx([0, 1, 0], abs=1e-12)
    assert document["scenes"] == [{"nodes": [0]}]
    assert sorted(document["nodes"][0]["children"]) == list(range(1, len(document["nodes"])))


def test_the_animation_can_be_stretched(run: Any, tmp_path: Path) -> None:
    document, data = opened(run.animate(tmp_path / "motion.glb", duration=4.0))
    assert numbers(document, data, document["animations"][0]["samplers"][0]["input"])[-1, 0] == pytest.approx(4.0)


def test_planar_motions_are_refused_with_what_to_do(tmp_path: Path) -> None:
    m = tm.PlanarModel("pendulum")
    m.body("arm", mass=1.0, inertia=0.1)
    m.revolute("A", "ground", "arm", at=(0, 0))
    with pytest.raises(tm.FileWriteError, match=r"planar; write \.html"):
        m.simulate(0.1, samples=3, progress=False).animate(tmp_path / "m.glb")
