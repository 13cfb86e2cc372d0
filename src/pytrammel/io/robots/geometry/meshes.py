"""Mesh files that a robot file names: looked for in its own folder and in those that are given, nowhere else."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from pytrammel._util.messages import RAW
from pytrammel.errors import FileFormatError, TrammelError
from pytrammel.inertia import Mesh, read_mesh
from pytrammel.inertia.obj_part import read_obj_part
from pytrammel.io.robots.geometry.collada import read_collada
from pytrammel.io.robots.xml_tree import Element

LARGEST = 256_000_000  # bytes of a mesh file


def _read_msh(path: Path) -> Mesh:
    """MuJoCo's own binary format: four counts, then vertices, normals, texture places and faces."""
    data = path.read_bytes()
    counts = np.frombuffer(data, "<i4", 4) if len(data) >= 16 else np.zeros(4, dtype=np.int32)
    points, normals, places, faces = (int(n) for n in counts)
    if min(points, normals, places, faces) < 0 or len(data) != 16 + 12 * (points + normals) + 8 * places + 12 * faces:
        raise FileFormatError(f"{path.name} is no MSH file: its counts do not fit its {len(data)} bytes")
    vertices = np.frombuffer(data, "<f4", 3 * points, 16).reshape(-1, 3).astype(float)
    triangles = np.frombuffer(data, "<i4", 3 * faces, len(data) - 12 * faces).reshape(-1, 3)
    return Mesh(vertices, triangles.astype(np.int64), path.name)


READERS: dict[str, Callable[[Path], Mesh]] = {".dae": read_collada, ".msh": _read_msh}  # besides those of `read_mesh`
MUJOCO_READERS = READERS | {".obj": read_obj_part}


@dataclass
class MeshFolder:
    """Where meshes may be read from.

    Attributes:
        home: Folder of the robot file.
        roots: Further folders that may be read; ``package://name/…`` is ``name/…`` in one of them, or … in one that is called so.
        wanted: Meshes are read at all.
        readers: Readers by the ending of a file, before the usual ones.
    """

    home: Path
    roots: Sequence[Path] = ()
    wanted: bool = True
    known: dict[Path, Mesh] = field(default_factory=dict)
    readers: Mapping[str, Callable[[Path], Mesh]] = field(default_factory=lambda: READERS)

    def find(self, name: str, base: Path | None = None) -> Path:
        """The file that a name stands for, or a `FileFormatError` that says why it is not read."""
        for prefix in ("package://", "model://"):
            if name.startswith(prefix):
                return self._in_package(name.removeprefix(prefix))
        if "://" in name and not name.startswith("file://"):
            raise FileFormatError(f"{name!r} is no file in the robot's folder")
        path = (base or self.home) / name.removeprefix("file://")
        return self._allowed(path, name)

    def _in_package(self, name: str) -> Path:
        package, _, rest = name.partition("/")
        homes = [folder for folder in (self.home, *self.home.parents) if folder.name == package][:1]
        for root in self.roots:
            homes += [root / package, *([root] if root.name == package else [])]
        for folder in homes:
            path = (folder / rest).resolve()
            if path.is_relative_to(folder.resolve()) and path.is_file():
                return path
        raise FileFormatError(
            f"package://{name} is not there; name the folder that holds {package or rest!r} with package_dirs=[…]"
        )

    def _allowed(self, path: Path, name: str) -> Path:
        found = path.resolve()
        if not any(found.is_relative_to(root.resolve()) for root in (self.home, *self.roots)):
            raise FileFormatError(f"{name!r} is outside of the robot's folder; allow its folder with package_dirs=[…]")
        if not found.is_file():
            raise FileFormatError(f"{name!r} is not there")
        return found

    def read(
        self, element: Element, name: str, scale: tuple[float, ...], base: Path | None = None
    ) -> tuple[Mesh | None, str]:
        """A mesh and its file, or None and a note if it cannot be had: a robot moves without its pictures."""
        if not self.wanted:
            return None, name
        try:
            path = self.find(name, base)
            if path not in self.known:
                if path.stat().st_size > LARGEST:
                    raise FileFormatError(f"{name!r} has more than {LARGEST} bytes")
                self.known[path] = self.readers.get(path.suffix.lower(), read_mesh)(path)
            mesh = self.known[path]
            return scaled(mesh, scale), str(path)
        except (TrammelError, OSError, *RAW) as error:
            element.document.report.add(
                "ignored", f"mesh {name!r}", f"{str(error).rstrip('.')}; the link is drawn without it", line=element.line,
                file=element.document.name,
            )  # fmt: skip
            return None, name


def scaled(mesh: Mesh, scale: tuple[float, ...]) -> Mesh:
    """The mesh in other units; where the scale mirrors it, triangles are turned round, so that they face outwards as before."""
    factors = np.array(scale)
    return Mesh(
        mesh.vertices * factors, mesh.triangles[:, ::-1] if np.prod(factors) < 0.0 else mesh.triangles, mesh.name
    )


def package_dirs(given: object) -> list[Path]:
    """Folders as a user gives them: one, several, or by package name."""
    if given is None:
        return []
    if isinstance(given, str | Path):
        return [Path(given)]
    if isinstance(given, Mapping):
        return [Path(folder) for folder in given.values()]
    return [Path(folder) for folder in given]  # type: ignore[attr-defined]
