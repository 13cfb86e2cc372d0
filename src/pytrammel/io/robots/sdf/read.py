"""Reading SDF: worlds, models in models, frames, links and joints."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from pytrammel.errors import FileFormatError
from pytrammel.geometry.shapes import Shape
from pytrammel.inertia import MassProperties
from pytrammel.io.robots.checks import checked_mass, free_name, fresh, inertia_matrix
from pytrammel.io.robots.geometry.meshes import MeshFolder
from pytrammel.io.robots.geometry.shapes import SOLIDS, primitive, solid
from pytrammel.io.robots.poses import Pose
from pytrammel.io.robots.robot import WORLD, Joint, Link, Look, Robot, span_tree
from pytrammel.io.robots.sdf.joints import sdf_joint, sdf_pose
from pytrammel.io.robots.urdf.loops import READERS
from pytrammel.io.robots.xml_tree import Document, Element, parse

PICTURES, CONTACT = "pictures only", "contacts are not taken over"
PASSED_OVER = {
    "material": PICTURES, "light": PICTURES, "scene": PICTURES, "gui": PICTURES, "road": PICTURES, "collision": CONTACT,
    "self_collide": CONTACT, "sensor": "sensors are not taken over", "plugin": "plugins are not run", "physics": "settings of a solver",
    "audio": "no sound", "state": "a stored state", "transparency": PICTURES, "cast_shadows": PICTURES, "laser_retro": PICTURES,
    "meta": PICTURES, "visibility_flags": PICTURES, "magnetic_field": "sensors are not taken over", "kinematic": "a setting of a solver",
    "allow_auto_disable": "a setting of a solver", "atmosphere": "no aerodynamics", "spherical_coordinates": "sensors are not taken over",
    "projector": PICTURES, "particle_emitter": PICTURES, "battery": "no batteries", "enable_wind": "no wind", "audio_source": "no sound",
    "submesh": PICTURES, "drake:proximity_properties": CONTACT, "drake:collision_filter_group": CONTACT, "must_be_base_link": "no motion",
    "drake:visual": PICTURES, "drake:illustration_properties": PICTURES, "drake:perception_properties": PICTURES,
}  # fmt: skip
DEEPEST = 8  # includes in includes


@dataclass
class _Scope:
    """Named frames of a file, by full name, and how models are read."""

    robot: Robot
    folder: MeshFolder
    version: str
    # full name: what it is relative to, and the pose there
    frames: dict[str, tuple[str, Pose]] = field(default_factory=dict)
    # full name of a frame: that of the link or frame it is attached to
    links: dict[str, str] = field(default_factory=dict)
    jobs: list[tuple[Element, str]] = field(default_factory=list)  # joints and loops, with their scope
    # world poses and links of frames, kept once all frames are known
    complete: bool = False
    poses: dict[str, Pose | None] = field(default_factory=dict)
    owners: dict[str, str | None] = field(default_factory=dict)

    def place(self, name: str) -> Pose | None:
        """World pose of a frame; None if it is not known or leads round in a circle."""
        way, seen = [], set[str]()
        while name not in self.poses and name != WORLD and name in self.frames and name not in seen:
            way.append(name)
            seen.add(name)
            name = self.frames[name][0]
        found = Pose() if name == WORLD else None if name in seen else self.poses.get(name)
        for frame in reversed(way):
            found = None if found is None else found @ self.frames[frame][1]
            if self.complete:
                self.poses[frame] = found
        return found

    def link_of(self, name: str) -> str | None:
        """The link that a frame is on."""
        way, seen = [], set[str]()
        while name not in self.owners and name != WORLD and name not in self.robot.links and name in self.links:
            if name in seen:
                return None
            way.append(name)
            seen.add(name)
            name = self.links[name]
        found = name if name == WORLD or name in self.robot.links else self.owners.get(name)
        if self.complete:
            self.owners.update(dict.fromkeys(way, found))
        return found

    def full(self, scope: str, name: str) -> str:
        return name if name == WORLD else f"{scope}{name}"

    def spot(self, scope: str, name: str) -> tuple[str, Pose] | None:
        """Link of a name in a scope, and the place on it."""
        full = self.full(scope, name)
        link, frame = self.link_of(full), self.place(full)
        return None if link is None or frame is None else (link, self.robot.pose_of(link).inverse @ frame)


def read(document: Document, folder: MeshFolder, robot: Robot) -> None:
    """Fill a robot from an SDF tree."""
    root = document.root
    scope = _Scope(robot, folder, (root.get("version") or "1.6").strip())
    worlds = root.all("world")
    models = root.all("model", "include")
    if worlds:
        world = worlds[0]
        robot.name = world.get("name") or document.path.stem
        robot.gravity = world.values("gravity", 3, (0.0, 0.0, -9.8))  # type: ignore[assignment]
        wind = world.child("wind")
        if wind is not None and any(wind.values("linear_velocity")):
            wind.note_ignored("there is no wind in the model")
        for frame in world.all("frame"):
            _frame(frame, scope, "", WORLD)
        models = world.all("model", "include")
        scope.jobs += [(joint, "") for joint in world.all("joint")]
    elif models:
        robot.name = models[0].get("name") or document.path.stem
    if not models:
        root.complain("there is no <model> in it")
    single = len(models) == 1 and not scope.jobs
    for model in models:
        _model(model, scope, "", WORLD, 0, bare=single)
    scope.complete = True
    _settle(scope, root)
    for element, inside in scope.jobs:
        _job(element, scope, inside)
    joints = span_tree(list(robot.joints.values()))
    robot.joints = {joint.name: joint for joint in joints}
    _check_relations(root, robot)
    document.leftovers(_harmless)


def _harmless(element: Element, attribute: str) -> str | None:
    if attribute:
        return PICTURES if attribute in ("name", "type") else None
    return PASSED_OVER.get(element.tag)


def _model(
    element: Element,
    scope: _Scope,
    outer: str,
    base: str,
    depth: int,
    *,
    bare: bool = False,
    pose: Element | None = None,
) -> None:
    if element.tag == "include":
        _include(element, scope, outer, base, depth, bare)
        return
    name = element.need("name")
    inner = "" if bare else f"{outer}{name}::"
    frame = f"{inner}__model__"
    given = pose if pose is not None else element.child("pose")
    relative = given.get("relative_to") if given is not None else None
    scope.frames[frame] = (scope.full(outer, relative) if relative else base, sdf_pose(given))
    if not bare:
        scope.frames[f"{outer}{name}"] = (frame, Pose())
        scope.links[f"{outer}{name}"] = frame
    links = element.all("link")
    for link in links:
        _link(link, scope, inner, frame)
    for child in element.all("frame"):
        _frame(child, scope, inner, frame)
    for child in element.all("model", "include"):
        _model(child, scope, inner, frame, depth)
    canonical = element.get("canonical_link") or (links[0].attributes.get("name", "") if links else "")
    scope.links[frame] = scope.full(inner, canonical)
    placement = element.get("placement_frame")
    if placement:
        _put_placement(scope, element, frame, scope.full(inner, placement))
    for child in element.all("joint", "drake:joint", *(tag for tag in READERS if tag.startswith("drake:"))):
        scope.jobs.append((child, inner))
        _joint_frame(child, scope, inner)
    if element.said("static").lower() in ("true", "1"):
        for link in links:
            full = f"{inner}{link.attributes.get('name', '')}"
            held = free_name(f"{full}_static", scope.robot.joints)
            scope.robot.joints[held] = Joint(held, "fixed", WORLD, full, line=element.line)


def _put_placement(scope: _Scope, element: Element, frame: str, placement: str) -> None:
    """The model's pose is that of one of its frames."""
    outside, inside = scope.place(frame), scope.place(placement)
    if outside is None or inside is None:
        element.complain(f"the placement frame {placement!r} is not known")
        return
    base, pose = scope.frames[frame]
    scope.frames[frame] = (base, pose @ inside.inverse @ outside)


def _include(element: Element, scope: _Scope, outer: str, base: str, depth: int, bare: bool) -> None:
    uri = element.said("uri")
    document = element.document
    try:
        if depth > DEEPEST:
            raise FileFormatError("files include each other without end")
        path = _included(scope.folder, uri)
        inner = parse(path, document.report, document.complaints)
    except (FileFormatError, OSError) as error:
        element.note_ignored(f"{uri!r} is not read: {str(error).rstrip('.')}")
        return
    models = inner.root.all("model")
    if not models:
        element.note_ignored(f"{uri!r} holds no model")
        return
    model = models[0]
    name = element.said("name")
    if name:
        model.attributes["name"] = name
    if element.said("static"):
        element.child("static")
        model.children.append(Element("static", {}, element.line, document, model, text=element.said("static")))
    _model(model, scope, outer, base, depth + 1, bare=bare, pose=element.child("pose"))
    inner.leftovers(_harmless)


def _included(folder: MeshFolder, uri: str) -> Path:
    """The file of a model: itself, or model.sdf in its folder."""
    if uri.lower().endswith((".sdf", ".xml")):
        return folder.find(uri)
    return folder.find(f"{uri.rstrip('/')}/model.sdf")


def _frame(element: Element, scope: _Scope, inner: str, model: str) -> None:
    name = f"{inner}{element.need('name')}"
    attached = element.get("attached_to")
    given = element.child("pose")
    relative = given.get("relative_to") if given is not None else None
    holder = scope.full(inner, attached) if attached else model
    scope.links[name] = holder
    scope.frames[name] = (scope.full(inner, relative) if relative else holder, sdf_pose(given))


def _joint_frame(element: Element, scope: _Scope, inner: str) -> None:
    """A joint's name stands for its frame too, which is on its child."""
    child, given = element.child("child", "drake:child"), element.child("pose")
    if "name" not in element.attributes or child is None:
        return
    relative = given.get("relative_to") if given is not None else None
    name = f"{inner}{element.attributes['name']}"
    scope.frames.setdefault(name, (scope.full(inner, relative or child.text.strip()), sdf_pose(given)))
    scope.links.setdefault(name, scope.full(inner, child.text.strip()))


def _settle(scope: _Scope, root: Element) -> None:
    """Draw the links where their poses say, and keep named frames."""
    robot = scope.robot
    for name, link in robot.links.items():
        pose = scope.place(name)
        if pose is None:
            root.complain(
                f"the pose of link {name!r} (line {link.line}) is relative to a frame that is not known, or to itself"
            )
        else:
            robot.links[name] = replace(link, pose=pose)
    joints = {inside + job.attributes.get("name", "") for job, inside in scope.jobs}
    for name in sorted(scope.frames.keys() - joints):
        owner, frame = scope.link_of(name), scope.place(name)
        known = name in robot.links or "__model__" in name or (owner == WORLD and name not in scope.links)
        if owner and frame is not None and not known:
            robot.frames.setdefault(name, (owner, robot.pose_of(owner).inverse @ frame))


def _job(element: Element, scope: _Scope, inside: str) -> None:
    if element.tag in READERS:
        if inside:
            element.note_ignored("read at the top model only")
        else:
            READERS[element.tag](element, scope.robot)
        return
    made = sdf_joint(
        element, scope.robot, scope.version, scope=inside,
        spot=lambda name: scope.spot(inside, name), place=lambda name: scope.place(scope.full(inside, name)),
    )  # fmt: skip
    if made is not None:
        scope.robot.joints[made.name] = made


def _check_relations(root: Element, robot: Robot) -> None:
    for relation in robot.relations.values():
        for _, name, axis in (*relation.left, *relation.right):
            if name not in robot.joints or axis >= len(robot.joints[name].axes):
                root.complain(
                    f"relation {relation.name!r} (line {relation.line}) names {name!r}, which is no joint with such a coordinate"
                )


# --- links ---


def _link(element: Element, scope: _Scope, inner: str, model: str) -> None:
    name = fresh(element, f"{inner}{element.need('name')}", scope.robot.links, "link")
    given = element.child("pose")
    relative = given.get("relative_to") if given is not None else None
    scope.frames[name] = (scope.full(inner, relative) if relative else model, sdf_pose(given))
    link = Link(name, line=element.line, lift=1.0 if element.said("gravity").lower() in ("false", "0") else 0.0)
    decay = element.child("velocity_decay")
    if decay is not None:
        decay.note_ignored("velocities do not decay by themselves here")
    inertial = element.child("inertial")
    if inertial is not None and inertial.flag("auto"):
        link = _automatic(element, inertial, link, scope)
    else:
        link = _inertial(element, inertial, link)
    looks = []
    for visual in element.all("visual"):
        visual.get("name")
        look = _geometry(visual, scope.folder)
        looks += [] if look is None else [Look(shape, file) for shape, file in look[0]]
    scope.robot.links[name] = replace(link, looks=tuple(looks))


def _inertial(element: Element, inertial: Element | None, link: Link) -> Link:
    """Mass properties; SDF counts 1 kg and 1 kg m² where nothing is said."""
    if inertial is None:
        return replace(link, mass=1.0, inertia=np.eye(3))
    frame = sdf_pose(inertial.child("pose"))
    mass = inertial.value("mass", 1.0)
    moments = inertial.child("inertia")
    keys = (("ixx", 1.0), ("iyy", 1.0), ("izz", 1.0), ("ixy", 0.0), ("ixz", 0.0), ("iyz", 0.0))
    tensor = np.eye(3) if moments is None else inertia_matrix(*(moments.value(key, default) for key, default in keys))
    added = inertial.child("fluid_added_mass")
    if added is not None:
        added.note_ignored("there is no fluid in the model")
    mass, tensor = checked_mass(moments or inertial, link.name, mass, tensor)
    return replace(link, mass=mass, centroid=frame.position, inertia=frame.rotation @ tensor @ frame.rotation.T)


def _automatic(element: Element, inertial: Element, link: Link, scope: _Scope) -> Link:
    """Mass properties of the collision shapes."""
    total: MassProperties | None = None
    general = inertial.value("density", 1000.0)
    for collision in element.all("collision"):
        made = _geometry(collision, scope.folder, collision.value("density", general))
        if made is not None and made[1] is not None:
            total = made[1] if total is None else total + made[1]
        collision.skip()
    if total is None:
        element.complain(
            f"the mass of link {link.name!r} is to come from its collision shapes, but there is none that has a volume"
        )
        return link
    return replace(link, mass=total.mass, centroid=total.centroid, inertia=total.inertia)


def _geometry(
    element: Element, folder: MeshFolder, density: float = 0.0
) -> tuple[list[tuple[Shape, str]], MassProperties | None] | None:
    """Shapes of a <visual> or <collision>, and their mass properties if a density is given."""
    pose = sdf_pose(element.child("pose"))
    geometry = element.child("geometry")
    if geometry is None or not geometry.children:
        return None
    shape = geometry.children[0]
    shape.seen = True
    kind = shape.tag.removeprefix("drake:")
    mass: MassProperties | None = None
    if kind == "mesh":
        mesh, file = folder.read(shape, shape.said("uri"), shape.values("scale", 3, (1.0, 1.0, 1.0)))
        if mesh is None:
            return None
        return [(solid(mesh, pose), file)], mesh.properties(density=density).moved(
            pose.position, pose.rotation
        ) if density else None
    sizes: tuple[float, ...]
    if kind == "box":
        sizes = shape.values("size", 3, (1.0, 1.0, 1.0))
    elif kind == "sphere":
        sizes = (shape.value("radius", 1.0),)
    elif kind in ("cylinder", "capsule"):
        sizes = (shape.value("radius", 1.0), shape.value("length", 1.0))
    elif kind == "ellipsoid":
        sizes = shape.values("radii", 3, (1.0, 1.0, 1.0))
    elif kind in ("plane", "empty", "heightmap", "polyline", "image"):
        shape.note_ignored("a shape that is not drawn", matters=False)
        return None
    else:
        shape.note_ignored("a shape that is not known", matters=False)
        return None
    if min(sizes) <= 0.0:
        shape.complain(f"a {kind} with a length of {min(sizes):g} m; lengths must be greater than 0")
        return None
    if density > 0.0:
        mass = SOLIDS[kind](*sizes, density=density).moved(pose.position, pose.rotation)
    return [(made, "") for made in primitive(kind, sizes, pose)], mass
