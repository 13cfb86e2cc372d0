"""What MJCF says about how to read itself: includes, compiler settings, default classes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from pytrammel.errors import FileFormatError
from pytrammel.io.robots.geometry.meshes import MUJOCO_READERS, MeshFolder
from pytrammel.io.robots.poses import Array, Pose, about, from_quaternion, on_axis, turn
from pytrammel.io.robots.xml_tree import Document, Element, parse

DEEPEST = 20  # files that include files
MAIN = "main"
ACTUATORS = (
    "general",
    "motor",
    "position",
    "velocity",
    "intvelocity",
    "damper",
    "cylinder",
    "muscle",
    "adhesion",
    "dcmotor",
)


class View(Element):
    """An element with the defaults of its class behind it."""

    def __init__(self, own: Element, defaults: list[Element]) -> None:
        super().__init__(own.tag, own.attributes, own.line, own.document, own.parent, own.children, own.text, own.asked)
        self.sources = [own, *defaults]

    def get(self, key: str, default: str | None = None) -> str | None:
        self.document.last = self
        for source in self.sources:  # a default that is overridden is read all the same
            source.asked.add(key)
        return next((source.attributes[key] for source in self.sources if key in source.attributes), default)

    def values_of(self, key: str) -> list[str]:
        self.get(key)
        return [source.attributes[key] for source in reversed(self.sources) if key in source.attributes]


@dataclass
class Settings:
    """The compiler's settings, and default classes."""

    folder: MeshFolder
    degrees: bool = True
    sequence: str = "xyz"
    autolimits: bool = True
    mesh_folder: Path | None = None
    strip: bool = False
    from_geoms: str = "auto"
    groups: tuple[float, ...] = (0.0, 5.0)
    least_mass: float = 0.0
    least_inertia: float = 0.0
    balance: bool = False
    total_mass: float = -1.0
    fit_box: bool = False  # shapes that replace meshes have the size of their bounding box
    off: set[str] = field(default_factory=set)  # flags that the file disables
    classes: dict[str, tuple[str, list[Element]]] = field(default_factory=lambda: {MAIN: ("", [])})
    ranges: dict[str, tuple[float, float]] = field(
        default_factory=dict
    )  # of joints by name, in force or not [rad or m]

    def angle(self, value: float) -> float:
        """An angle of the file [rad]."""
        return float(np.radians(value)) if self.degrees else value

    def view(self, element: Element, name: str) -> View:
        """An element with the defaults of its own class, or of the one that holds where it stands."""
        own = element.get("class")
        if own is not None and own not in self.classes:
            element.complain(f"the class {own!r} has no <default>")
            own = None
        chosen = own or name or MAIN
        tags = (
            (element.tag, *(t for t in ACTUATORS if t != element.tag)) if element.tag in ACTUATORS else (element.tag,)
        )
        behind: list[Element] = []
        while chosen:
            up, elements = self.classes.get(chosen, ("", []))
            behind += [found for tag in tags for found in elements if found.tag == tag]
            chosen = up
        return View(element, behind)

    def limits(self, element: Element, kind: str = "") -> tuple[float, float] | None:
        """Ends of a range (`<kind>range=`) that is active; None otherwise."""
        given = element.get(f"{kind}range")
        limited = element.word(f"{kind}limited", ("auto", "true", "false", "1", "0"), "auto")
        low, high = element.vector(f"{kind}range", 2, (0.0, 0.0))
        active = limited in ("true", "1") or (limited == "auto" and given is not None and self.autolimits)
        return (low, high) if active else None

    # --- places ---

    def pose(self, element: Element) -> Pose:
        """Position and orientation that an element says in its parent's frame."""
        return Pose(np.array(element.vector("pos")), self.rotation(element))

    def rotation(self, element: Element) -> Array:
        for key in ("quat", "axisangle", "xyaxes", "zaxis", "euler"):
            if element.get(key) is not None:
                turned = self._rotation(element, key)
                if turned is not None:
                    return turned
        return np.eye(3)

    def _rotation(self, element: Element, key: str) -> Array | None:
        if key == "quat":
            q = element.vector("quat", 4, (1.0, 0.0, 0.0, 0.0))
            if not any(q):
                element.complain("quat is zero; write w x y z of a rotation")
                return None
            return from_quaternion(q)
        if key == "euler":
            out = np.eye(3)
            for axis, value in zip(self.sequence, element.vector("euler"), strict=True):
                one = about(axis.lower(), self.angle(value))
                out = out @ one if axis.islower() else one @ out
            return out
        if key == "axisangle":
            x, y, z, angle = element.vector("axisangle", 4, (0.0, 0.0, 1.0, 0.0))
            size = float(np.linalg.norm((x, y, z)))
            if size == 0.0:
                element.complain("the axis of axisangle is zero")
                return None
            return turn(np.array([x, y, z]) / size, self.angle(angle))
        if key == "xyaxes":
            numbers = np.array(element.vector("xyaxes", 6, (1.0, 0.0, 0.0, 0.0, 1.0, 0.0)))
            normal = np.cross(numbers[:3], numbers[3:])
            if np.linalg.norm(normal) == 0.0:
                element.complain("the axes of xyaxes have the same direction or none")
                return None
            return on_axis(normal, numbers[:3])
        up = np.array(element.vector("zaxis", 3, (0.0, 0.0, 1.0)))
        if not up.any():
            element.complain("zaxis is zero")
            return None
        return shortest_turn(up)


def shortest_turn(z: Array) -> Array:
    """The smallest rotation that takes the z axis to a direction."""
    z = z / np.linalg.norm(z)
    across = np.cross((0.0, 0.0, 1.0), z)
    sine = float(np.linalg.norm(across))
    if sine < 1e-15:
        return np.eye(3) if z[2] > 0.0 else np.diag([1.0, -1.0, -1.0])
    return turn(across / sine, float(np.arctan2(sine, z[2])))


def spliced(root: Element, folder: MeshFolder) -> list[Document]:
    """Put the elements of included files where they are included; the files, for what is left over in them."""
    found: list[Document] = []

    def expanded(children: list[Element], depth: int) -> Iterator[tuple[Element, int]]:
        for child in children:
            if child.tag == "include":
                child.seen = True
                inner = _included(child, folder, depth, found)
                yield from expanded([] if inner is None else inner.children, depth + 1)
            else:
                yield child, depth

    waiting = [(root, 0)]
    while waiting:
        element, depth = waiting.pop()
        inside = list(expanded(element.children, depth))
        element.children = [child for child, _ in inside]
        for child, _ in inside:
            child.parent = element
        waiting += inside
    return found


def _found(folder: MeshFolder, name: str, document: Document) -> Path:
    """An included file, from the folder of the main file or of the file that includes it."""
    try:
        return folder.find(name)
    except FileFormatError:
        beside = document.path.resolve().parent
        if beside == folder.home:
            raise
        return folder.find(name, beside)


def _included(element: Element, folder: MeshFolder, depth: int, found: list[Document]) -> Element | None:
    name = element.need("file")
    document = element.document
    try:
        if depth >= DEEPEST or len(found) > 200:
            raise FileFormatError("files include each other without end")
        inner = parse(_found(folder, name, document), document.report, document.complaints)
    except (FileFormatError, OSError) as error:
        element.complain(f"the file {name!r} cannot be included: {str(error).rstrip('.')}")
        return None
    inner.repair, inner.doubts, inner.exact_meshes = document.repair, document.doubts, document.exact_meshes
    if inner.root.tag not in ("mujoco", "mujocoinclude"):
        element.complain(f"the file {name!r} begins with <{inner.root.tag[:60]}>, not with <mujoco> or <mujocoinclude>")
        return None
    inner.root.get("model")
    found.append(inner)
    return inner.root


def read_settings(root: Element, folder: MeshFolder) -> Settings:
    """Compiler settings and default classes of a file."""
    settings = Settings(folder)
    if not root.document.exact_meshes:
        folder.readers = MUJOCO_READERS
    for element in root.all("compiler"):
        _compiler(element, settings)
    for element in root.all("default"):
        _default(element, settings, "", MAIN)
    return settings


def _compiler(element: Element, settings: Settings) -> None:
    angle = "degree" if settings.degrees else "radian"
    settings.degrees = element.word("angle", ("degree", "radian"), angle) == "degree"
    if element.get("coordinate", "local") == "global":
        element.complain("coordinate='global' is no longer part of MJCF; save the file with coordinate='local'")
    sequence = element.get("eulerseq", settings.sequence) or "xyz"
    if len(sequence) == 3 and set(sequence.lower()) <= set("xyz"):
        settings.sequence = sequence
    else:
        element.complain(f"eulerseq={sequence!r} must be three of the letters x, y, z (capitals for fixed axes)")
    settings.autolimits = element.flag("autolimits", settings.autolimits)
    name = element.get("meshdir") or element.get("assetdir")
    element.get("assetdir"), element.get("texturedir")
    if name is not None:
        settings.mesh_folder = settings.folder.home / name
    settings.strip = element.flag("strippath", settings.strip)
    settings.from_geoms = element.word("inertiafromgeom", ("auto", "true", "false"), settings.from_geoms)
    settings.groups = element.vector("inertiagrouprange", 2, settings.groups)
    settings.least_mass = element.number("boundmass", settings.least_mass)
    settings.least_inertia = element.number("boundinertia", settings.least_inertia)
    settings.balance = element.flag("balanceinertia", settings.balance)
    settings.fit_box = element.flag("fitaabb", settings.fit_box)
    settings.total_mass = element.number("settotalmass", settings.total_mass)


def _default(element: Element, settings: Settings, up: str, name: str) -> None:
    name = element.get("class") or name
    known = settings.classes.get(name, (up, []))[1]
    inner = [child for child in element.children if child.tag != "default"]
    for child in inner:
        child.seen = True
    settings.classes[name] = (up, known + inner)
    for child in element.all("default"):
        if child.get("class") is None:
            child.complain('a <default> inside another one needs class="…"')
        else:
            _default(child, settings, name, name)
