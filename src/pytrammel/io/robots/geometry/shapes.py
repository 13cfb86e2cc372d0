"""Shapes of robot files as shapes of bodies, put where they stand on their link."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from pytrammel import inertia
from pytrammel.geometry.shapes import Box, Cylinder, Shape, Solid, Sphere
from pytrammel.inertia import MassProperties, Mesh
from pytrammel.inertia.mesh_shapes import sphere_mesh
from pytrammel.io.robots.poses import Pose
from pytrammel.io.robots.robot import Look
from pytrammel.model.spatial_bodies import as_matrix


def vector(array: object) -> tuple[float, float, float]:
    """Three plain floats."""
    x, y, z = (float(v) for v in array)  # type: ignore[attr-defined]
    return x, y, z


def box(size: tuple[float, ...], pose: Pose) -> Shape:
    """Block of full side lengths [m]."""
    return Box(vector(size), vector(pose.position), as_matrix(pose.rotation))


def cylinder(radius: float, length: float, pose: Pose) -> Shape:
    """Cylinder along z of its pose, centred [m]."""
    half = np.array([0.0, 0.0, 0.5 * length])
    return Cylinder(vector(pose.at(-half)), vector(pose.at(half)), radius)


def capsule(radius: float, length: float, pose: Pose) -> list[Shape]:
    """Cylinder with two balls."""
    ends = [vector(pose.at((0.0, 0.0, s * length))) for s in (-0.5, 0.5)]
    return [cylinder(radius, length, pose), *(Sphere(radius, end) for end in ends)]


def ellipsoid(radii: tuple[float, ...], pose: Pose) -> Shape:
    """Ball stretched to three half axes [m]; a mesh."""
    ball = sphere_mesh(1.0, subdivisions=2)
    return solid(Mesh(ball.vertices * np.array(radii), ball.triangles, "ellipsoid"), pose)


def solid(mesh: Mesh, pose: Pose) -> Shape:
    """A mesh in its place."""
    return Solid(Mesh(mesh.vertices @ pose.rotation.T + pose.position, mesh.triangles, mesh.name))


# full sides of a box, radius of a sphere, radius and length of a cylinder or capsule, half axes of an ellipsoid
SOLIDS: dict[str, Callable[..., MassProperties]] = {
    "box": inertia.box, "sphere": inertia.sphere, "cylinder": inertia.cylinder, "capsule": inertia.capsule, "ellipsoid": inertia.ellipsoid,
}  # fmt: skip


def primitive(kind: str, sizes: tuple[float, ...], pose: Pose) -> list[Shape]:
    """Shapes of one of `SOLIDS`."""
    if kind == "box":
        return [box(sizes, pose)]
    if kind == "sphere":
        return [Sphere(sizes[0], vector(pose.position))]
    if kind == "capsule":
        return capsule(sizes[0], sizes[1], pose)
    return [ellipsoid(sizes, pose)] if kind == "ellipsoid" else [cylinder(sizes[0], sizes[1], pose)]


def moved_look(look: Look, step: Pose) -> Look:
    """The same look, seen from another frame; `step` is its old frame there."""
    return replace(look, shape=moved(look.shape, step))


def moved(shape: Shape, step: Pose) -> Shape:
    """The same shape, seen from another frame."""
    if isinstance(shape, Box):
        turned = np.eye(3) if shape.rotation is None else np.array(shape.rotation)
        return Box(shape.size, vector(step.at(shape.center)), as_matrix(step.rotation @ turned))
    if isinstance(shape, Sphere):
        return Sphere(shape.radius, vector(step.at(shape.center)))
    if isinstance(shape, Cylinder):
        return Cylinder(vector(step.at(shape.start)), vector(step.at(shape.end)), shape.radius)
    return solid(shape.mesh, step)
