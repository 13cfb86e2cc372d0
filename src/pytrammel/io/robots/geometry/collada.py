"""Triangles of a COLLADA file (.dae), placed by its scene, in metres, in the axes it is drawn in."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from pytrammel.errors import FileFormatError
from pytrammel.inertia import Mesh
from pytrammel.io.robots.conversion_report import ConversionReport
from pytrammel.io.robots.poses import turn
from pytrammel.io.robots.xml_tree import Element, parse

Array = NDArray[np.float64]
DEEPEST = 50  # nodes in nodes, instances included


def read_collada(path: Path) -> Mesh:
    """The surface of a COLLADA file [m]."""
    complaints: list[str] = []
    root = parse(path, ConversionReport(), complaints).root
    if root.tag != "COLLADA":
        raise FileFormatError(f"the mesh {str(path)!r} is no COLLADA file: it begins with <{root.tag}>.")
    meshes: dict[str, tuple[Array, NDArray[np.int64]]] = {}
    nodes: dict[str, Element] = {}
    unit = 1.0
    for element in root.walk():
        if element.tag == "geometry":
            meshes[element.attributes.get("id", "")] = _geometry(element)
        elif element.tag == "node" and "id" in element.attributes:
            nodes[element.attributes["id"]] = element
        elif element.tag == "unit" and element.parent is not None and element.parent.tag == "asset":
            unit = element.number("meter", 1.0)
    parts: list[tuple[Array, NDArray[np.int64]]] = []
    scenes = [element for element in root.walk() if element.tag == "visual_scene"]
    for scene in scenes:
        for node in scene.all("node"):
            _place(node, np.eye(4), meshes, nodes, parts, 0)
    if not scenes:
        parts = list(meshes.values())
    if complaints:
        raise FileFormatError(complaints[0])
    if not any(len(faces) for _, faces in parts):
        raise FileFormatError(f"the mesh {str(path)!r} holds no triangles.")
    offsets = np.cumsum([0, *(len(points) for points, _ in parts)])
    points = np.vstack([p for p, _ in parts]) * unit
    faces = np.vstack([f + k for (_, f), k in zip(parts, offsets, strict=False)])
    return Mesh(points, faces, path.name)


def _geometry(geometry: Element) -> tuple[Array, NDArray[np.int64]]:
    mesh = geometry.child("mesh")
    nothing = np.zeros((0, 3)), np.zeros((0, 3), dtype=np.int64)
    if mesh is None:
        return nothing
    sources = {source.attributes.get("id", ""): source for source in mesh.all("source")}
    corners = {v.attributes.get("id", ""): v for v in mesh.all("vertices")}
    points: list[Array] = []
    faces: list[NDArray[np.int64]] = []
    for part in mesh.all("triangles", "polylist", "polygons"):
        inputs = part.all("input")
        stride = 1 + max((int(i.number("offset")) for i in inputs), default=0)
        vertex = next((i for i in inputs if i.attributes.get("semantic") == "VERTEX"), None)
        holder = corners.get(vertex.need("source").lstrip("#")) if vertex is not None else None
        position = (
            next((i for i in holder.all("input") if i.attributes.get("semantic") == "POSITION"), None)
            if holder
            else None
        )
        source = sources.get(position.need("source").lstrip("#")) if position is not None else None
        array = source.child("float_array") if source is not None else None
        if vertex is None or array is None:
            part.complain("its vertices cannot be found")
            continue
        offset = int(vertex.number("offset"))
        coordinates = np.array(array.text.split(), dtype=float)
        here = coordinates[: 3 * (len(coordinates) // 3)].reshape(-1, 3)
        counts = [int(word) for word in part.said("vcount").split()] if part.tag == "polylist" else None
        start = sum(len(p) for p in points)
        for p in part.all("p"):
            index = np.array(p.text.split(), dtype=np.int64)
            index = index[: stride * (len(index) // stride)].reshape(-1, stride)[:, offset]
            if len(index) and (index.min() < 0 or index.max() >= len(here)):
                wrong = min(int(index.min()), 0) or int(index.max())
                part.complain(f"it names vertex {wrong}, but there are {len(here)}")
                continue
            sizes = (
                [len(index)] if part.tag == "polygons" else counts if counts is not None else [3] * (len(index) // 3)
            )
            faces.append(_fans(index, sizes) + start)
        points.append(here)
    return (np.vstack(points), np.vstack(faces)) if faces else nothing


def _fans(index: NDArray[np.int64], sizes: list[int]) -> NDArray[np.int64]:
    if all(size == 3 for size in sizes):
        return index[: 3 * len(sizes)].reshape(-1, 3)
    out, at = [], 0
    for size in sizes:
        face = index[at : at + size]
        out += [(face[0], face[k], face[k + 1]) for k in range(1, len(face) - 1)]
        at += size
    return np.array(out, dtype=np.int64).reshape(-1, 3)


def _place(
    node: Element, frame: Array, meshes: dict[str, tuple[Array, NDArray[np.int64]]], nodes: dict[str, Element],
    parts: list[tuple[Array, NDArray[np.int64]]], depth: int,
) -> None:  # fmt: skip
    if depth > DEEPEST or len(parts) > 10_000:
        raise FileFormatError(f"{node.where}: nodes are nested or repeated without end.")
    for child in node.children:
        frame = frame @ _transform(child)
    for child in node.all("instance_geometry"):
        points, faces = meshes.get(child.need("url").lstrip("#"), (np.zeros((0, 3)), np.zeros((0, 3), dtype=np.int64)))
        if len(faces):
            parts.append((points @ frame[:3, :3].T + frame[:3, 3], faces))
    for child in node.all("node"):
        _place(child, frame, meshes, nodes, parts, depth + 1)
    for child in node.all("instance_node"):
        target = nodes.get(child.need("url").lstrip("#"))
        if target is not None:
            _place(target, frame, meshes, nodes, parts, depth + 1)


def _transform(element: Element) -> Array:
    out = np.eye(4)
    if element.tag == "matrix":
        out = np.array(element.numbers(element.text, 16, tuple(np.eye(4).ravel()), "matrix", False)).reshape(4, 4)
    elif element.tag == "translate":
        out[:3, 3] = element.numbers(element.text, 3, (0.0,) * 3, "translate", False)
    elif element.tag == "scale":
        out[:3, :3] = np.diag(element.numbers(element.text, 3, (1.0,) * 3, "scale", False))
    elif element.tag == "rotate":
        x, y, z, angle = element.numbers(element.text, 4, (0.0, 0.0, 1.0, 0.0), "rotate", False)
        if np.hypot(np.hypot(x, y), z) > 0.0:
            out[:3, :3] = turn(np.array([x, y, z]) / np.linalg.norm([x, y, z]), np.radians(angle))
    return out
