"""Geoms of MJCF: their shapes, and the mass that a body gets from them."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from pytrammel._util.atomic_write import is_file
from pytrammel._util.messages import RAW
from pytrammel.errors import ModelError, ModelWarning, TrammelError
from pytrammel.inertia import MassProperties, Mesh
from pytrammel.inertia.obj_part import count_parts
from pytrammel.io.robots.geometry.meshes import scaled
from pytrammel.io.robots.geometry.shapes import SOLIDS, primitive, solid
from pytrammel.io.robots.geometry.shells import shell
from pytrammel.io.robots.mjcf.defaults import Settings, View, shortest_turn
from pytrammel.io.robots.poses import Array, Pose, from_quaternion
from pytrammel.io.robots.robot import Look
from pytrammel.io.robots.xml_tree import Element

FLAT = ("plane", "hfield")


@dataclass(frozen=True)
class MeshAsset:
    """A mesh that geoms may name."""

    element: Element
    file: str
    scale: tuple[float, ...]
    vertices: Array | None
    faces: Array | None
    frame: Pose
    rule: str = "legacy"  # rule of MuJoCo for its mass: exact, convex, shell or legacy


def read_assets(root: Element, settings: Settings) -> dict[str, MeshAsset]:
    """Meshes of all <asset> sections by name."""
    out: dict[str, MeshAsset] = {}
    for section in root.all("asset"):
        for own in section.all("mesh"):
            element = settings.view(own, "")
            file = element.get("file") or ""
            name = element.get("name") or file.replace("\\", "/").rpartition("/")[2].rpartition(".")[0]
            scale = element.vector("scale", 3, (1.0, 1.0, 1.0))
            vertices, faces = _numbers(element, "vertex"), _numbers(element, "face")
            frame = Pose(np.array(element.vector("refpos")), _turned(element))
            rule = element.word("inertia", ("legacy", "exact", "convex", "shell"), "legacy")
            if own.document.exact_meshes and rule != "shell":
                rule = "exact"
            if settings.strip:
                file = file.replace("\\", "/").rpartition("/")[2]
            out[name] = MeshAsset(own, file, scale, vertices, faces, frame.inverse, rule)
    return out


def _turned(element: Element) -> Array:
    q = element.vector("refquat", 4, (1.0, 0.0, 0.0, 0.0))
    return from_quaternion(q) if any(q) else np.eye(3)


def _numbers(element: Element, key: str) -> Array | None:
    text = element.get(key)
    if text is None:
        return None
    words = len(text.split())
    if words == 0 or words % 3:
        element.complain(f"{key}= has {words} numbers; three make one")
        return None
    return np.array(element.numbers(text, words, (0.0,) * words, key, False)).reshape(-1, 3)


def mesh_of(asset: MeshAsset, settings: Settings, *, needed: bool) -> tuple[Mesh | None, str]:
    """The triangles of an asset; None if they cannot be had, which is told or, where a mass needs them, complained about."""
    if asset.vertices is not None:
        name = asset.element.attributes.get("name", "mesh")
        mesh = (
            hull(asset.vertices, name)
            if asset.faces is None
            else Mesh(asset.vertices, asset.faces.astype(np.int64), name)
        )
    else:
        wanted, settings.folder.wanted = settings.folder.wanted, settings.folder.wanted or needed
        found, _ = settings.folder.read(asset.element, asset.file, (1.0, 1.0, 1.0), _mesh_folder(asset, settings))
        settings.folder.wanted = wanted
        if found is None:
            if needed:
                asset.element.complain(
                    f"the mesh {asset.file!r} is needed for the mass of a body, but it cannot be read; give <inertial>"
                )
            return None, ""
        mesh = found
    if not asset.element.document.exact_meshes:  # MuJoCo stores vertices in single precision
        mesh = Mesh(mesh.vertices.astype(np.float32).astype(np.float64), mesh.triangles, mesh.name)
    # the frame of the reference pose first, then the scale along its axes, as MuJoCo 4.0.0 does
    points = mesh.vertices @ asset.frame.rotation.T + asset.frame.position
    return scaled(Mesh(points, mesh.triangles, mesh.name), asset.scale), asset.file


def _mesh_folder(asset: MeshAsset, settings: Settings) -> Path | None:
    """Folder of meshes: the one that the file names, or the folder of an included file that names meshes next to it."""
    beside = asset.element.document.path.resolve().parent
    if settings.mesh_folder is None and not is_file(settings.folder.home / asset.file):
        return beside
    return settings.mesh_folder


def hull(points: Array, name: str) -> Mesh:
    """The convex hull of points, facing outwards."""
    from scipy.spatial import ConvexHull, QhullError

    try:
        found = ConvexHull(points)
    except (QhullError, ValueError):
        raise ModelError(
            f"the points of mesh {name!r} lie in one plane, or are fewer than four; they have no hull."
        ) from None
    a, b, c = (points[found.simplices[:, k]] for k in range(3))
    inward = np.einsum("ij,ij->i", np.cross(b - a, c - a), found.equations[:, :3]) < 0.0
    faces = np.where(inward[:, None], found.simplices[:, ::-1], found.simplices)
    return Mesh(points, faces.astype(np.int64), name)


@dataclass(frozen=True)
class Geom:
    """A geom on its body: its looks, its mass properties (None if it has none), whether it can touch others."""

    looks: tuple[Look, ...]
    mass: MassProperties | None
    touches: bool


def read_geom(
    element: View, settings: Settings, assets: dict[str, MeshAsset], base: Pose, *, weighs: bool, still: bool = False
) -> Geom:
    """One geom.

    Args:
        element: The geom with its defaults.
        settings: How to read it.
        assets: Meshes.
        base: Frame of the element in its body.
        weighs: The body's mass comes from its geoms.
        still: The body stands on the ground, so that its mass may be missing.
    """
    kind = element.get("type") or "sphere"
    element.get("mesh")
    touches = element.number("contype", 1.0) != 0.0 or element.number("conaffinity", 1.0) != 0.0
    group = element.number("group")
    fitted = kind in SOLIDS and element.get("mesh") is not None
    pose, sizes = (settings.pose(element), ()) if fitted else _place(element, settings, kind)
    if pose is None or kind in FLAT:
        return Geom((), None, touches)
    pose = base @ pose
    if fitted:
        found = _fitted(element, settings, assets, kind)
        if found is None:
            return Geom((), None, touches)
        pose, sizes = pose @ found[0], found[1]
    given = element.get("mass")
    density, mass = element.number("density", 1000.0), element.number("mass", 0.0)
    heavy = (
        weighs
        and settings.groups[0] <= group <= settings.groups[1]
        and (mass > 0.0 if given is not None else density > 0.0)
    )
    how = {"mass": mass} if given is not None else {"density": density}
    for key, value in how.items():
        if value < 0.0:
            element.complain(f"{key} is {value:g}; it must not be negative")
    hollow = heavy and element.flag("shellinertia")
    if hollow and kind not in SOLIDS:
        element.note_approximated("mass and inertia follow inertia= of the mesh", what="shellinertia= of <geom>")
    if kind in SOLIDS:
        properties = None
        if heavy:
            try:
                whole = shell(kind, sizes, **how) if hollow else SOLIDS[kind](*sizes, **how)
                properties = whole.moved(pose.position, pose.rotation)
            except (TrammelError, *RAW) as error:
                element.complain(f"it has no mass that can be: {str(error).rstrip('.')}")
        return Geom(tuple(Look(shape) for shape in primitive(kind, sizes, pose)), properties, touches)
    return _mesh_geom(element, settings, assets, pose, how if heavy else None, touches, still)


def _fitted(
    element: View, settings: Settings, assets: dict[str, MeshAsset], kind: str
) -> tuple[Pose, tuple[float, ...]] | None:
    """Place and sizes of a simple shape that replaces a mesh; None without the mesh, which is noted.

    The shape has the size of the box with the moments of inertia of the mesh, or with fitaabb of the box round its vertices.
    """
    asset = assets.get(element.get("mesh") or "")
    if asset is None:
        element.complain(f"the mesh {element.get('mesh')!r} is not an <asset>")
        return None
    mesh, _ = mesh_of(asset, settings, needed=False)
    if mesh is None:
        return None
    try:
        about = _weighed(mesh, asset.rule, {"density": 1.0})
    except (TrammelError, *RAW) as error:
        element.note_approximated(f"no {kind} can be fitted: {str(error).rstrip('.')}", matters=False)
        return None
    moments, axes = np.linalg.eigh(np.array(about.inertia))
    axes = axes[:, ::-1] if np.linalg.det(axes[:, ::-1]) > 0.0 else -axes[:, ::-1]
    half = np.sqrt(np.maximum(1.5 * (moments.sum() - 2.0 * moments[::-1]) / about.mass, 0.0))
    center = np.array(about.centroid)
    if settings.fit_box:
        inside = (mesh.vertices - center) @ axes
        half = 0.5 * np.ptp(inside, axis=0)
        center = center + axes @ (0.5 * (inside.min(axis=0) + inside.max(axis=0)))
    half = half * element.number("fitscale", 1.0)
    a, b, c = (float(x) for x in half)
    radius = max(a, b) if settings.fit_box else 0.5 * (a + b)
    sizes: tuple[float, ...] = (2 * a, 2 * b, 2 * c) if kind == "box" else (a, b, c)
    if kind == "sphere":
        sizes = (max(a, b, c) if settings.fit_box else (a + b + c) / 3.0,)
    elif kind == "cylinder":
        sizes = (radius, 2.0 * c)
    elif kind == "capsule":
        sizes = (radius, 2.0 * max(0.0, c - (radius if settings.fit_box else 0.5 * radius)))
    return Pose(center, axes), sizes


def _mesh_geom(
    element: View,
    settings: Settings,
    assets: dict[str, MeshAsset],
    pose: Pose,
    how: dict[str, float] | None,
    touches: bool,
    still: bool,
) -> Geom:
    asset = assets.get(element.get("mesh") or "")
    if asset is None:
        element.complain(f"the mesh {element.get('mesh')!r} is no <asset>")
        return Geom((), None, touches)
    mesh, file = mesh_of(asset, settings, needed=how is not None and not still)
    if mesh is None:
        return Geom((), None, touches)
    properties = None
    if how is not None:
        try:
            properties = _weighed(mesh, asset.rule, how).moved(pose.position, pose.rotation)
        except (TrammelError, *RAW) as error:
            reason = str(error).rstrip(".")
            if still:
                element.note_approximated(f"{reason}; it stands on the ground and is taken without mass", matters=False)
            elif element.document.repair:
                properties = hull(mesh.vertices, mesh.name).properties(**how).moved(pose.position, pose.rotation)
                element.note_approximated(
                    f"{reason}; the mass is that of its hull", what=f"mass from mesh {mesh.name!r}"
                )
            else:
                element.complain(
                    f"the mass cannot be found from its mesh: {reason}; or give <inertial>, or take its hull with repair=True"
                )
        else:
            _tell_parts(element, asset, settings)
            if asset.rule == "legacy":
                _tell_overcount(element, mesh)
    looks = (Look(solid(mesh, pose), file),) if settings.folder.wanted else ()
    return Geom(looks, properties, touches)


def _weighed(mesh: Mesh, rule: str, how: dict[str, float]) -> MassProperties:
    """Mass properties of a mesh by one of MuJoCo's rules."""
    if rule == "exact":
        return mesh.properties(**how)
    if rule == "shell":
        return _shell(mesh, how)
    if rule == "convex":
        return hull(mesh.vertices, mesh.name).properties(**how)
    centroid, volume, second = counted(mesh)
    if not volume > 0.0:
        raise ModelError(f"mesh {mesh.name!r} has the volume {volume:g} m³; it must be greater than 0.")
    density = how["mass"] / volume if "mass" in how else how["density"]
    return MassProperties(density * volume, centroid, density * (np.trace(second) * np.eye(3) - second))


def _shell(mesh: Mesh, how: dict[str, float]) -> MassProperties:
    """Mass properties of the surface alone; a density is a mass per area."""
    corners = np.stack([mesh.vertices[mesh.triangles[:, k]] for k in range(3)])
    areas = 0.5 * np.linalg.norm(np.cross(corners[1] - corners[0], corners[2] - corners[0]), axis=1)
    area = float(areas.sum())
    if not area > 0.0:
        raise ModelError(f"mesh {mesh.name!r} has the area {area:g} m²; it must be greater than 0.")
    centroid = (corners.mean(axis=0) * areas[:, None]).sum(axis=0) / area
    corners = corners - centroid
    total = corners.sum(axis=0)
    second = np.einsum("i,kim,kin->mn", areas, corners, corners) + np.einsum("i,im,in->mn", areas, total, total)
    density = how["mass"] / area if "mass" in how else how["density"]
    second *= density / 12.0
    return MassProperties(density * area, centroid, np.trace(second) * np.eye(3) - second)


def counted(mesh: Mesh) -> tuple[Array, float, Array]:
    """Centroid, volume and second moments about the centroid by the rule that MuJoCo 4.0.0 takes if a file names none ("legacy").

    Pyramids on all triangles with a common tip count as positive: with the tip at the centroid of the surface for the centroid, with the
    tip at that one for the rest. It is exact where the mesh is convex, counts parts twice elsewhere, and does not mind holes.
    """
    a, b, c = (mesh.vertices[mesh.triangles[:, k]] for k in range(3))
    normals = np.cross(b - a, c - a)
    areas = np.linalg.norm(normals, axis=1)
    tip = ((a + b + c) / 3.0 * areas[:, None]).sum(axis=0) / areas.sum()
    sizes = np.abs(np.einsum("ij,ij->i", a - tip, normals)) / 6.0
    centroid = ((a + b + c + tip) / 4.0 * sizes[:, None]).sum(axis=0) / sizes.sum()
    corners = np.stack([a, b, c]) - centroid
    sizes = np.abs(np.einsum("ij,ij->i", corners[0], normals)) / 6.0
    total = corners.sum(axis=0)
    second = np.einsum("i,kim,kin->mn", sizes, corners, corners) + np.einsum("i,im,in->mn", sizes, total, total)
    return centroid, float(sizes.sum()), second / 20.0


def _tell_parts(element: View, asset: MeshAsset, settings: Settings) -> None:
    """Report parts of an OBJ file that MuJoCo omits."""
    if asset.vertices is not None or not asset.file.lower().endswith(".obj") or asset.element.document.exact_meshes:
        return
    parts = count_parts(settings.folder.find(asset.file, _mesh_folder(asset, settings)))
    if parts > 1:
        element.note_approximated(
            f'the file has {parts} objects; MuJoCo reads the first one, which is taken; mesh_masses="exact" takes all',
            what=f"mass from mesh {asset.file!r}",
        )


def _tell_overcount(element: View, mesh: Mesh) -> None:
    """Tell where MuJoCo's rule counts another volume than the true one."""
    _, volume, _ = counted(mesh)
    try:
        with warnings.catch_warnings():  # the sense of the triangles does not matter to the rule
            warnings.simplefilter("ignore", ModelWarning)
            true = abs(mesh.properties(density=1.0).mass)
    except (TrammelError, *RAW) as error:
        text = f"{str(error).rstrip('.')}; MuJoCo's rule counts {volume:.6g} m³"
    else:
        if abs(volume - true) <= 1e-6 * true:
            return
        text = f"the mesh is not convex: its true volume is {true:.6g} m³, MuJoCo's rule counts {volume:.6g} m³"
    element.note_approximated(
        f'{text}, which is taken; inertia="exact" in the file or mesh_masses="exact" takes the true one',
        what=f"mass from mesh {mesh.name!r}",
    )


def _place(element: View, settings: Settings, kind: str) -> tuple[Pose | None, tuple[float, ...]]:
    """Pose on the body and sizes as `SOLIDS` takes them."""
    if kind in FLAT or kind == "mesh":
        return settings.pose(element), ()
    if kind not in SOLIDS:
        element.note_ignored(f"a geom of type {kind!r} is neither drawn nor weighed")
        return None, ()
    sizes = element.overlaid("size", (0.0, 0.0, 0.0))
    ends = element.get("fromto")
    if ends is not None and kind != "sphere":
        a = np.array(element.vector("fromto", 6))
        way = a[:3] - a[3:]
        length = float(np.linalg.norm(way))
        if length == 0.0:
            element.complain("both ends of fromto are the same point")
            return None, ()
        pose = Pose(0.5 * (a[:3] + a[3:]), shortest_turn(way))
        across = sizes[:1] if kind in ("capsule", "cylinder") else (sizes[0], sizes[0])
        sizes = (*across, 0.5 * length)
    else:
        pose = settings.pose(element)
    needed = {"sphere": 1, "capsule": 2, "cylinder": 2, "box": 3, "ellipsoid": 3}[kind]
    if min(sizes[:needed]) <= 0.0:
        element.complain(f"a {kind} needs {needed} sizes greater than 0, but size={element.get('size') or ''!r}")
        return None, ()
    sizes = sizes[:needed]
    if kind in ("capsule", "cylinder"):
        return pose, (sizes[0], 2.0 * sizes[1])
    return pose, tuple(2.0 * s for s in sizes) if kind == "box" else sizes
