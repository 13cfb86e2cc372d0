"""Closed surfaces of triangles: checks, and mass properties of what they enclose.

The integrals over the enclosed volume are sums over signed tetrahedra between one point and each triangle, exact for
the polyhedron. This holds for any shape and any number of shells; a shell turned inside out within another is a void.
"""

from __future__ import annotations

import struct
import warnings
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pytrammel._util.atomic_write import write_whole
from pytrammel._util.checks import checked
from pytrammel._util.messages import brief, in_sentences
from pytrammel.errors import ModelError, ModelWarning
from pytrammel.inertia._checks import Array, frozen, one_of, positive, rotation_matrix, table, vector
from pytrammel.inertia._moments import from_moments, simplex_moments
from pytrammel.inertia.properties import MassProperties

Indices = NDArray[np.int64]

# volumes are sums of products of three coordinates, good to some 1e-16 of the cubed size for each of many triangles
NO_VOLUME = 1e-13


@brief
@dataclass(frozen=True, eq=False, init=False)
class Mesh:
    """A surface of triangles, each counter-clockwise seen from outside.

    Attributes:
        vertices: Corner points [m], shape (n, 3).
        triangles: Three indices into the vertices per triangle, shape (m, 3).
        name: How messages call it.
    """

    vertices: Array
    triangles: Indices
    name: str = "mesh"

    @checked("vertices", "triangles")
    @in_sentences
    def __init__(self, vertices: ArrayLike, triangles: ArrayLike, name: str = "mesh") -> None:
        points = table(vertices, f"the vertices of {name}", "a list of points (x, y, z)")
        faces = np.array(triangles)
        if points.size == 0 or faces.size == 0:
            points, faces = points.reshape(-1, 3), np.zeros((0, 3), dtype=np.int64)
        if points.ndim != 2 or points.shape[1] != 3:
            raise ModelError(
                f"the vertices of {name} must be points (x, y, z), but the array has the shape {points.shape}."
            )
        if faces.ndim != 2 or faces.shape[1] != 3 or faces.dtype.kind not in "iu":
            raise ModelError(
                f"the triangles of {name} must be three whole numbers each, but the array has the shape {faces.shape} "
                f"and holds {faces.dtype}."
            )
        if faces.size and (faces.min() < 0 or faces.max() >= len(points)):
            raise ModelError(
                f"the triangles of {name} use the vertices {faces.min()} to {faces.max()}, but there are only 0 to {len(points) - 1}."
            )
        corners = faces.astype(np.int64)
        corners.flags.writeable = False
        object.__setattr__(self, "vertices", frozen(points))
        object.__setattr__(self, "triangles", corners)
        object.__setattr__(self, "name", name)

    # ---- what it is ----

    @property
    def volume(self) -> float:
        """Enclosed volume [m³]; negative where the triangles face inwards. Means nothing unless the mesh is closed."""
        return float(self._tetrahedra(self._middle)[1].sum())

    @property
    def area(self) -> float:
        """Area of the surface [m²]."""
        a, b, c = self._corners(np.zeros(3))
        return 0.5 * float(np.linalg.norm(np.cross(b - a, c - a), axis=1).sum())

    @property
    def bounds(self) -> Array:
        """Smallest and largest coordinates [m], shape (2, 3)."""
        if len(self.vertices) == 0:
            raise ModelError(f"{self.name} is empty: it has no vertices, so it has no bounds.")
        return np.array([self.vertices.min(axis=0), self.vertices.max(axis=0)])

    def check(self) -> None:
        """Raise a `ModelError` unless the surface is closed and its triangles all face the same way.

        Vertices with equal coordinates count as one, and triangles without area are passed over. An edge may belong
        to more than two triangles (parts that touch along it), if half of them run through it either way. Surfaces
        that cut through each other are not looked for: a volume enclosed twice counts twice.
        """
        if len(self.triangles) == 0:
            raise ModelError(f"{self.name} is empty: it has no triangles. Export the part again as a surface.")
        merged = self.merged()
        a, b = merged.triangles.ravel(), np.roll(merged.triangles, -1, axis=1).ravel()
        # an edge as one number, smaller index first
        keys = np.minimum(a, b) * len(merged.vertices) + np.maximum(a, b)
        unique, which, count = np.unique(keys, return_inverse=True, return_counts=True)
        balance = np.bincount(which, weights=np.where(a < b, 1.0, -1.0), minlength=len(unique))
        odd = np.flatnonzero(count % 2)
        if len(odd):
            raise ModelError(
                f"{self.name} is not closed: {len(odd)} of its {len(unique)} edges lack a neighbouring triangle, the first "
                f"{merged._edge(unique[odd[0]])}. Close the holes and weld the vertices where the part was drawn, and export it again."
            )
        twisted = np.flatnonzero(balance)
        if len(twisted):
            raise ModelError(
                f"{self.name} is not consistently oriented: at {len(twisted)} of its {len(unique)} edges the triangles on both "
                f"sides face opposite ways, first at the edge {merged._edge(unique[twisted[0]])}. "
                "Let the program that drew the part make all normals point outwards, and export it again."
            )

    @checked
    def properties(self, *, density: float | None = None, mass: float | None = None) -> MassProperties:
        """Mass properties of the enclosed solid, in the frame of the vertices; exact for the polyhedron.

        A closed mesh whose volume is negative is taken to be inside out, and turned with a `ModelWarning`.

        Args:
            density: Density [kg/m³].
            mass: Mass [kg].
        """
        self.check()
        origin = self._middle
        corners, volumes = self._tetrahedra(origin)
        volume, first, second = simplex_moments(corners, volumes)
        size = float(np.linalg.norm(np.ptp(self.vertices, axis=0)))
        if abs(volume) <= NO_VOLUME * size**3:
            raise ModelError(
                f"{self.name} encloses no volume ({abs(volume):.2g} m³ at a size of {size:.3g} m). "
                "A flat part needs a thickness; or use polygon_plate."
            )
        if volume < 0.0:
            warnings.warn(
                f"{self.name} is inside out: its volume is {volume:.4g} m³. Its triangles are taken the other way round.",
                ModelWarning,
                stacklevel=2,
            )
            volume, first, second = -volume, -first, -second
        return from_moments(one_of(density, mass, volume, "kg/m³", self.name), origin, volume, first, second)

    # ---- the same surface, changed ----

    def merged(self) -> Mesh:
        """Vertices of equal coordinates made one, and triangles that have lost a side left out."""
        # sorted by x, y, z, equal vertices are neighbours; 0.0 is added because -0.0 is equal, too
        order = np.lexsort((self.vertices + 0.0).T[::-1])
        points = self.vertices[order] + 0.0
        fresh = np.ones(len(points), dtype=np.bool_)
        fresh[1:] = np.any(points[1:] != points[:-1], axis=1)
        index = np.empty(len(points), dtype=np.int64)
        index[order] = np.cumsum(fresh) - 1
        points, faces = points[fresh], index[self.triangles]
        a, b, c = faces.T
        return Mesh(points, faces[(a != b) & (b != c) & (c != a)], self.name)

    @checked
    def scaled(self, factor: float) -> Mesh:
        """All lengths times a factor about the origin: 1e-3 for a part drawn in millimetres."""
        return Mesh(self.vertices * positive(factor, f"the scale of {self.name}", ""), self.triangles, self.name)

    @checked
    def moved(self, translation: ArrayLike = (0.0, 0.0, 0.0), rotation: ArrayLike | None = None) -> Mesh:
        """First turned about the origin, then shifted: what was at s is then at t + R s.

        Args:
            translation: t [m], shape (3,).
            rotation: R, shape (3, 3). None: not turned.
        """
        points = self.vertices if rotation is None else self.vertices @ rotation_matrix(rotation, "the rotation").T
        return Mesh(points + vector(translation, "the translation"), self.triangles, self.name)

    def flipped(self) -> Mesh:
        """Every triangle facing the other way: a solid becomes a void."""
        return Mesh(self.vertices, self.triangles[:, ::-1], self.name)

    @checked
    def write_stl(self, path: str | Path) -> None:
        """Write a binary STL file. It holds single precision: seven digits, no units.

        Args:
            path: The file; it is overwritten.
        """
        a, b, c = self._corners(np.zeros(3))
        normals = np.cross(b - a, c - a)
        lengths = np.linalg.norm(normals, axis=1, keepdims=True)
        records = np.zeros(len(a), dtype=STL_RECORD)
        records["normal"] = np.divide(normals, lengths, out=np.zeros_like(normals), where=lengths > 0.0)
        records["corners"] = np.stack([a, b, c], axis=1)
        header = b"binary STL, written by Trammel".ljust(80)  # must not begin with "solid"
        write_whole(path, header + struct.pack("<I", len(records)) + records.tobytes())

    # ---- inner helpers ----

    @property
    def _middle(self) -> Array:
        """A point near all triangles: volumes measured from it lose no digits when the origin is far away."""
        return self.vertices[self.triangles.ravel()].mean(axis=0) if len(self.triangles) else np.zeros(3)

    def _corners(self, origin: Array) -> tuple[Array, Array, Array]:
        points = self.vertices - origin
        return points[self.triangles[:, 0]], points[self.triangles[:, 1]], points[self.triangles[:, 2]]

    def _tetrahedra(self, origin: Array) -> tuple[Array, Array]:
        """Corners from ``origin``, shape (m, 4, 3), and signed volumes [m³] of one tetrahedron per triangle."""
        a, b, c = self._corners(origin)
        return np.stack([np.zeros_like(a), a, b, c], axis=1), np.einsum("ij,ij->i", a, np.cross(b, c)) / 6.0

    def _edge(self, key: int) -> str:
        ends = divmod(int(key), len(self.vertices))
        p, q = (", ".join(f"{value:g}" for value in self.vertices[k]) for k in ends)
        return f"from ({p}) to ({q}) m"


STL_RECORD = np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("attribute", "<u2")])
