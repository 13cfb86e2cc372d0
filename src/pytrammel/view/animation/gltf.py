"""Animations as glTF 2.0: bodies as nodes with meshes, their motion as animated translations and rotations.

One file, .glb (binary) or .gltf (text with its numbers inside), that Blender, three.js, browsers and slides open. glTF counts in
metres with y up; a root node turns the scene so that its own up direction is that.
"""

from __future__ import annotations

import base64
import json
import struct
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from pytrammel._util.atomic_write import write_whole
from pytrammel._util.colors import rgb
from pytrammel.view.animation.spatial import continuous, moving_in_space
from pytrammel.view.animation.thinning import faithful_frames
from pytrammel.view.scene.planar import Array
from pytrammel.view.scene.spatial import SpaceScene
from pytrammel.view.scene.spatial_parts import ROD_ROLES, Part3, axes_of, mark_parts, shape_parts, triangles
from pytrammel.view.stills.spatial import part_colour
from pytrammel.view.theme import current

FLOAT = 5126  # component type of 32-bit floats
TRIANGLES, LINE_STRIP = 4, 3
FRAMES, MAX_FRAMES = 2000, 8000  # frames in any case, and where linear interpolation needs more
ROUND = 24  # sides of round parts


def write_gltf(scene: SpaceScene, path: str | Path, *, duration: float | None = None) -> Path:
    """Write a scene with its motion.

    Args:
        scene: What to write.
        path: File, .glb or .gltf.
        duration: Length of the animation [s]; real time by default.
    """
    return write_whole(path, gltf_bytes(scene, binary=Path(path).suffix.lower() == ".glb", duration=duration))


def gltf_bytes(scene: SpaceScene, *, binary: bool, duration: float | None = None) -> bytes:
    """The content of a .glb or .gltf file."""
    return _Writer(scene, duration).content(binary)


class _Writer:
    def __init__(self, scene: SpaceScene, duration: float | None) -> None:
        self.scene = scene
        self.data = bytearray()
        self.views: list[dict[str, Any]] = []
        self.accessors: list[dict[str, Any]] = []
        self.meshes: list[dict[str, Any]] = []
        self.materials: dict[str, int] = {}
        self.samplers: list[dict[str, Any]] = []
        self.channels: list[dict[str, Any]] = []
        self.nodes: list[dict[str, Any]] = [
            {"name": scene.title, "rotation": _quaternion(_to_y_up(scene.up)), "children": []}
        ]
        self.frames, self.times = _instants(scene, duration)
        self.clock = self.accessor(self.times[:, None], "SCALAR") if len(self.frames) > 1 else -1
        for number, _ in enumerate(scene.bodies):
            self.body(number)
        for rod in scene.rods:
            if rod.active is None:  # nothing in such a file comes and goes
                self.rod(rod)
        for trace in scene.traces:
            if trace.body is not None:
                self.trace(trace.name, scene.global_points(trace.body, trace.point)[self.frames])
            elif trace.xyz is not None:
                self.trace(trace.name, trace.xyz[self.frames])

    # --- numbers ---

    def accessor(self, values: Array, kind: str) -> int:
        numbers = np.ascontiguousarray(values, dtype="<f4")
        self.views.append({"buffer": 0, "byteOffset": len(self.data), "byteLength": numbers.nbytes})
        self.data += numbers.tobytes()
        self.accessors.append({
            "bufferView": len(self.views) - 1, "componentType": FLOAT, "count": len(numbers), "type": kind,
            "min": numbers.min(axis=0).tolist(), "max": numbers.max(axis=0).tolist(),
        })  # fmt: skip
        return len(self.accessors) - 1

    def material(self, colour: str) -> int:
        if colour not in self.materials:
            self.materials[colour] = len(self.materials)
        return self.materials[colour]

    # --- what is seen ---

    def mesh(self, name: str, parts: list[tuple[Part3, str]]) -> int | None:
        """One mesh with a primitive per colour; lines are left out."""
        by_colour: dict[str, list[Array]] = {}
        for part, colour in parts:
            corners = triangles(part, ROUND)
            if len(corners):
                by_colour.setdefault(colour, []).append(corners)
        primitives = []
        for colour, found in by_colour.items():
            corners = np.vstack(found)
            normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
            sizes = np.linalg.norm(normals, axis=1)
            corners, normals = corners[sizes > 0.0], normals[sizes > 0.0] / sizes[sizes > 0.0, None]
            if not len(corners):
                continue
            places = {
                "POSITION": self.accessor(corners.reshape(-1, 3), "VEC3"),
                "NORMAL": self.accessor(np.repeat(normals, 3, axis=0), "VEC3"),
            }
            primitives.append({"attributes": places, "material": self.material(colour), "mode": TRIANGLES})
        if not primitives:
            return None
        self.meshes.append({"name": name, "primitives": primitives})
        return len(self.meshes) - 1

    def node(self, name: str, mesh: int | None) -> int:
        node: dict[str, Any] = {"name": name}
        if mesh is not None:
            node["mesh"] = mesh
        self.nodes.append(node)
        self.nodes[0]["children"].append(len(self.nodes) - 1)
        return len(self.nodes) - 1

    def body(self, number: int) -> None:
        body, u = self.scene.bodies[number], self.scene.symbol_size()
        own = self.scene.colour(number)
        parts = [part for shape in body.shapes for part in shape_parts(shape, u)]
        marks = [mark for mark in self.scene.marks if mark.body == number and mark.active is None]
        parts += [part for mark in marks for part in mark_parts(mark, u)]
        coloured = [(part, part_colour(part, own)) for part in parts]
        node = self.node(body.name, self.mesh(body.name, coloured))
        self.move(node, "translation", body.positions[self.frames])
        self.move(node, "rotation", continuous(body.parameters[self.frames])[:, [1, 2, 3, 0]])

    def rod(self, rod: Any) -> None:
        """A bar of length one that is stretched to where its ends are."""
        u = self.scene.symbol_size()
        bar = Part3(
            "tube", np.array([[0.0, 0.0, 0.0], [0.0, 0.0, 1.0]]), (1.0, 1.0), style="joint", role=ROD_ROLES[rod.kind]
        )
        node = self.node(rod.label or rod.kind, self.mesh(rod.label or rod.kind, [(bar, part_colour(bar))]))
        start, end = (
            self.scene.global_points(body, point)[self.frames]
            for body, point in ((rod.body_i, rod.point_i), (rod.body_j, rod.point_j))
        )
        lengths = np.maximum(np.linalg.norm(end - start, axis=1), 1e-9)
        turns = np.array([_quaternion(axes_of(way) if way.any() else np.eye(3)) for way in end - start])
        self.move(node, "translation", start)
        self.move(node, "rotation", continuous(turns))
        self.move(node, "scale", np.column_stack([np.full_like(lengths, 0.5 * u)] * 2 + [lengths]))

    def move(self, node: int, path: str, values: Array) -> None:
        """Where a node is: fixed if it never changes, else a channel of the animation."""
        self.nodes[node][path] = np.asarray(values[0], dtype=float).tolist()
        if self.clock < 0 or np.ptp(values, axis=0).max() == 0.0:
            return
        out = self.accessor(values, f"VEC{values.shape[1]}")
        self.samplers.append({"input": self.clock, "output": out, "interpolation": "LINEAR"})
        self.channels.append({"sampler": len(self.samplers) - 1, "target": {"node": node, "path": path}})

    def trace(self, name: str, points: Array) -> None:
        if len(points) < 2:
            return
        line = {
            "attributes": {"POSITION": self.accessor(points, "VEC3")},
            "material": self.material(current().iron),
            "mode": LINE_STRIP,
        }
        self.meshes.append({"name": name, "primitives": [line]})
        self.node(f"path of {name}", len(self.meshes) - 1)

    # --- the file ---

    def content(self, binary: bool) -> bytes:
        buffer: dict[str, Any] = {"byteLength": len(self.data)}
        if not binary:
            buffer["uri"] = "data:application/octet-stream;base64," + base64.b64encode(bytes(self.data)).decode()
        document: dict[str, Any] = {
            "asset": {"version": "2.0", "generator": "Trammel"}, "scene": 0, "scenes": [{"nodes": [0]}], "nodes": self.nodes,
            "meshes": self.meshes, "materials": [_look(colour) for colour in self.materials], "accessors": self.accessors,
            "bufferViews": self.views, "buffers": [buffer],
        }  # fmt: skip
        if self.channels:
            document["animations"] = [{"name": "motion", "samplers": self.samplers, "channels": self.channels}]
        document = {key: value for key, value in document.items() if value != []}
        if not self.data:
            del document["buffers"]
        text = json.dumps(document, allow_nan=False, separators=(",", ":")).encode()
        if not binary:
            return text
        text += b" " * (-len(text) % 4)
        data = bytes(self.data) + b"\0" * (-len(self.data) % 4)
        head = struct.pack("<4sII", b"glTF", 2, 12 + 8 + len(text) + 8 + len(data))
        return head + struct.pack("<I4s", len(text), b"JSON") + text + struct.pack("<I4s", len(data), b"BIN\0") + data


def _instants(scene: SpaceScene, duration: float | None) -> tuple[Array, Array]:
    """Frames that are kept, and when they are shown [s]: rising from zero."""
    times = np.asarray(scene.times, dtype=float)
    moving = moving_in_space(replace(scene, arrows=()), linear=True)
    frames, _ = faithful_frames(times, moving, FRAMES, MAX_FRAMES)
    chosen = times[frames]
    rising = np.concatenate([[True], np.diff(chosen) > 0.0])  # of two frames at one time, the first one is shown
    shown = chosen[rising] - chosen[0]
    if duration is not None and len(shown) > 1:
        shown = shown * (duration / shown[-1])
    return frames[rising], shown


def _to_y_up(up: tuple[float, float, float]) -> Array:
    """Rotation that brings a direction to y."""
    frame = axes_of(up)  # its z is up
    return np.asarray(np.array([[1.0, 0.0, 0.0], [0.0, 0.0, 1.0], [0.0, -1.0, 0.0]]) @ frame.T)


def _quaternion(rotation: Array) -> list[float]:
    """x, y, z, w of a rotation matrix."""
    from pytrammel import rotations

    w, x, y, z = (float(v) for v in rotations.parameters(rotation))
    return [x, y, z, w]


def _look(colour: str) -> dict[str, Any]:
    """A material; glTF counts colours linearly."""
    linear = [round(c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4, 6) for c in rgb(colour)]
    factors = {"baseColorFactor": [*linear, 1.0], "metallicFactor": 0.1, "roughnessFactor": 0.7}
    return {"name": colour, "pbrMetallicRoughness": factors, "doubleSided": True}
