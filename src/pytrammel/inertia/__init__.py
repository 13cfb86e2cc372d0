"""Mass properties of rigid bodies: shapes, composites, principal axes, meshes.

from pytrammel import inertia
wheel = inertia.cylinder(0.2, 0.03, density=7850) - inertia.cylinder(0.02, 0.03, density=7850)
part = inertia.read_mesh("part.stl", scale=1e-3).properties(density=2700)
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytrammel._util.messages import absent_from_module
from pytrammel.inertia.mesh import Mesh
from pytrammel.inertia.mesh_files import read_mesh
from pytrammel.inertia.mesh_shapes import box_mesh, cone_mesh, cylinder_mesh, sphere_mesh
from pytrammel.inertia.properties import MassProperties, Principal, check_inertia, composite
from pytrammel.inertia.solids import (
    box,
    capsule,
    cone,
    cube,
    cylinder,
    ellipsoid,
    extruded_polygon,
    frustum,
    half_cylinder,
    hemisphere,
    hollow_cylinder,
    hollow_sphere,
    sphere,
    tetrahedron,
    torus,
)
from pytrammel.inertia.thin import (
    particles,
    point_mass,
    polygon_plate,
    spherical_shell,
    thin_disc,
    thin_plate,
    thin_ring,
    thin_rod,
    triangular_plate,
)

__all__ = [
    "MassProperties",
    "Mesh",
    "Principal",
    "box",
    "box_mesh",
    "capsule",
    "check_inertia",
    "composite",
    "cone",
    "cone_mesh",
    "cube",
    "cylinder",
    "cylinder_mesh",
    "ellipsoid",
    "extruded_polygon",
    "frustum",
    "half_cylinder",
    "hemisphere",
    "hollow_cylinder",
    "hollow_sphere",
    "particles",
    "point_mass",
    "polygon_plate",
    "read_mesh",
    "sphere",
    "sphere_mesh",
    "spherical_shell",
    "tetrahedron",
    "thin_disc",
    "thin_plate",
    "thin_ring",
    "thin_rod",
    "torus",
    "triangular_plate",
]

if not TYPE_CHECKING:

    def __getattr__(name):
        raise AttributeError(absent_from_module(__name__, name, __all__), name=name)
