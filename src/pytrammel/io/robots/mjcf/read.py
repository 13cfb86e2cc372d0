"""Reading MJCF: bodies in bodies with their joints, geoms and sites."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

import numpy as np

from pytrammel.inertia import MassProperties
from pytrammel.io.robots.checks import checked_mass, free_name, inertia_matrix
from pytrammel.io.robots.geometry.meshes import MeshFolder
from pytrammel.io.robots.mjcf.actuators import read_actuators
from pytrammel.io.robots.mjcf.defaults import Settings, View, read_settings, spliced
from pytrammel.io.robots.mjcf.equalities import read_equalities
from pytrammel.io.robots.mjcf.geoms import Geom, MeshAsset, read_assets, read_geom
from pytrammel.io.robots.mjcf.joints import read_joint, settle_springs
from pytrammel.io.robots.mjcf.keys import read_keys
from pytrammel.io.robots.mjcf.tendons import read_tendons
from pytrammel.io.robots.poses import Pose
from pytrammel.io.robots.robot import WORLD, Joint, Link, Robot
from pytrammel.io.robots.xml_tree import Document, Element

PICTURES, SOLVER, CONTACT = "pictures only", "settings of a solver", "contacts are not taken over"
TAGS = {
    "light": PICTURES, "camera": PICTURES, "visual": PICTURES, "statistic": PICTURES, "texture": PICTURES, "material": PICTURES,
    "skin": PICTURES, "size": SOLVER, "contact": CONTACT, "sensor": "sensors are not taken over", "custom": "numbers for programs",
    "hfield": CONTACT, "extension": "plugins are not run", "lengthrange": SOLVER,
    "bvh": PICTURES, "octree": PICTURES, "flag": SOLVER, "model": PICTURES,
}  # fmt: skip
ATTRIBUTES = {
    "rgba": PICTURES, "material": PICTURES, "group": PICTURES, "solref": SOLVER, "solimp": SOLVER, "solreflimit": SOLVER,
    "solimplimit": SOLVER, "solreffriction": SOLVER, "solimpfriction": SOLVER, "margin": SOLVER, "gap": SOLVER, "condim": CONTACT,
    "friction": CONTACT, "contype": CONTACT, "conaffinity": CONTACT, "priority": CONTACT, "solmix": CONTACT, "user": PICTURES,
    "nuser_geom": PICTURES, "model": PICTURES, "width": PICTURES, "class": PICTURES, "name": PICTURES, "smoothnormal": PICTURES,
    "fluidshape": "no fluid", "fluidcoef": "no fluid", "lengthrange": SOLVER,
    "timestep": SOLVER, "integrator": SOLVER, "cone": CONTACT, "jacobian": SOLVER, "solver": SOLVER, "iterations": SOLVER,
    "tolerance": SOLVER, "ls_iterations": SOLVER, "ls_tolerance": SOLVER, "noslip_iterations": SOLVER, "noslip_tolerance": SOLVER,
    "ccd_iterations": CONTACT, "ccd_tolerance": CONTACT, "impratio": CONTACT, "mpr_iterations": CONTACT, "apirate": SOLVER,
    "sdf_iterations": CONTACT, "sdf_initpoints": CONTACT, "o_margin": CONTACT, "o_solref": CONTACT,
    "o_solimp": CONTACT, "o_friction": CONTACT, "magnetic": "sensors are not taken over", "fusestatic": SOLVER, "discardvisual": PICTURES,
    "usethread": SOLVER, "convexhull": CONTACT, "exactmeshinertia": "all mesh inertias are exact here",
    "saveinertial": SOLVER, "alignfree": SOLVER, "conflict": SOLVER, "maxhullvert": CONTACT, "hfield": CONTACT, "texcoord": PICTURES,
    "normal": PICTURES, "content_type": PICTURES, "builtin": PICTURES, "octree_maxdepth": CONTACT, "sleep": SOLVER,
}  # fmt: skip

SWITCHES = (
    "gravity",
    "equality",
    "constraint",
    "spring",
    "damper",
    "frictionloss",
    "actuation",
    "clampctrl",
)  # of <flag>


@dataclass
class Reading:
    """What is needed while bodies are read."""

    robot: Robot
    settings: Settings
    assets: dict[str, MeshAsset]
    touching: list[Element] = field(default_factory=list)  # geoms that may touch others
    flying: bool = False
    standing: set[str] = field(default_factory=lambda: {WORLD})  # links that cannot move
    loose: int = 0
    timed: dict[str, tuple[float, float]] = field(
        default_factory=dict
    )  # joints whose spring and damper follow from times


def read(document: Document, folder: MeshFolder, robot: Robot) -> None:
    """Fill a robot from an MJCF tree."""
    root = document.root
    robot.name = root.get("model") or document.path.stem
    files = spliced(root, folder)
    settings = read_settings(root, folder)
    _options(root, robot, settings)
    reading = Reading(robot, settings, read_assets(root, settings))
    for world in root.all("worldbody"):
        world.seen = True
        _contents(world, reading, WORLD, Pose(), world.get("childclass") or "")
    _scale(root, robot, settings)
    read_tendons(root, robot, settings)
    read_equalities(root, robot, settings)
    order = read_actuators(root, robot, settings)
    settle_springs(robot, reading.timed, settings.off)
    read_keys(root, robot, order)
    if reading.touching:
        first = reading.touching[0]
        robot.conversion_report.add(
            "ignored", f"contacts of {len(reading.touching)} geoms", f"{CONTACT}: nothing rests on anything", line=first.line,
            file=first.document.name, matters=reading.flying,
        )  # fmt: skip
    for one in (document, *files):
        one.leftovers(_harmless)


def _harmless(element: Element, attribute: str) -> str | None:
    up: Element | None = element
    while up is not None:
        if up.tag in TAGS:
            return TAGS[up.tag]
        up = up.parent
    return ATTRIBUTES.get(attribute) if attribute else None


def _options(root: Element, robot: Robot, settings: Settings) -> None:
    for element in root.all("option"):
        x, y, z = element.vector("gravity", 3, robot.gravity)
        robot.gravity = (x, y, z)
        for key in ("density", "viscosity"):
            if element.number(key):
                element.note_approximated(
                    "there is no fluid in the model: bodies feel no drag", what=f"{key}= of <option>"
                )
        if any(element.vector("wind")):
            element.note_approximated("there is no wind in the model", what="wind= of <option>")
        for flag in element.all("flag"):
            for key in SWITCHES:
                if flag.word(key, ("enable", "disable"), "enable") == "disable":
                    settings.off.add(key)
                    text = "what it disables is omitted"
                    flag.note_ignored_part(f"{key}= of <flag>", text, matters=False)
    if "gravity" in settings.off:
        robot.gravity = (0.0, 0.0, 0.0)
    if not any(section.children for section in root.all("actuator")):  # then MuJoCo passes over what actuators do
        settings.off.add("actuation")
    if "constraint" in settings.off:
        settings.off |= {"equality", "frictionloss"}


# --- bodies ---


def _inside(element: Element, settings: Settings, base: Pose, name: str) -> Iterator[tuple[Element, Pose, str]]:
    """Children of a body, those of <frame> included, with the frame they stand in and their default class."""
    for child in element.children:
        if child.tag == "frame":
            child.seen = True
            child.get("name")
            yield from _inside(child, settings, base @ settings.pose(child), child.get("childclass") or name)
        else:
            yield child, base, name


def _contents(element: Element, reading: Reading, link: str, pose: Pose, name: str) -> None:
    """Bodies, sites and geoms of a body or the world; `link` is the body, `pose` its place in the world."""
    for child, base, inner in _inside(element, reading.settings, Pose(), name):
        if child.tag == "body":
            child.seen = True
            _body(child, reading, link, pose, base, inner)
        elif child.tag == "site":
            child.seen = True
            _site(reading.settings.view(child, inner), reading, link, base)
        elif child.tag == "geom" and link == WORLD:
            child.seen = True
            geom = read_geom(reading.settings.view(child, inner), reading.settings, reading.assets, base, weighs=False)
            reading.touching += [child] if geom.touches else []
        elif child.tag in ("composite", "flexcomp", "replicate", "attach"):
            child.complain(
                f"<{child.tag}> makes bodies by a program; save the compiled model as MJCF (mj_saveLastXML) and load that"
            )


def _site(element: View, reading: Reading, link: str, base: Pose) -> None:
    pose = base @ reading.settings.pose(element)
    ends = element.get("fromto")
    if ends is not None:
        a = np.array(element.vector("fromto", 6))
        pose = base @ Pose(0.5 * (a[:3] + a[3:]))
    element.get("type"), element.get("size")
    name = element.get("name")
    if name is None:
        reading.loose += 1
        name = f"site_{reading.loose}"
    reading.robot.frames[free_name(name, reading.robot.frames)] = (link, pose)


def _body(element: Element, reading: Reading, parent: str, above: Pose, base: Pose, name: str) -> None:
    robot, settings = reading.robot, reading.settings
    own = element.get("name")
    if own is None or own == WORLD or own in robot.links:
        if own is not None:
            element.complain(f"there are two of the body {own!r}; names must be unique")
        reading.loose += 1
        own = free_name(f"body_{reading.loose}", robot.links)
    inner = element.get("childclass") or name
    if inner and inner not in settings.classes:
        element.complain(f"the class {inner!r} has no <default>")
    pose = above @ base @ settings.pose(element)
    joints: list[tuple[Element, Pose, str]] = []
    geoms: list[tuple[Element, Pose, str]] = []
    inertial: Element | None = None
    for child, frame, kind in _inside(element, settings, Pose(), inner):
        if child.tag in ("joint", "freejoint"):
            child.seen = True
            joints.append((child, frame, kind))
        elif child.tag == "geom":
            child.seen = True
            geoms.append((child, frame, kind))
        elif child.tag == "inertial":
            child.seen = True
            inertial = child
    if element.flag("mocap"):
        element.note_approximated("a mocap body stands still", what="mocap= of <body>", matters=False)
    if parent in reading.standing and not joints:
        reading.standing.add(own)
    weighs = settings.from_geoms == "true" or (inertial is None and settings.from_geoms == "auto")
    made = [
        read_geom(
            settings.view(child, kind), settings, reading.assets, frame, weighs=weighs, still=own in reading.standing
        )
        for child, frame, kind in geoms
    ]
    reading.touching += [child for (child, _, _), geom in zip(geoms, made, strict=True) if geom.touches]
    if weighs and inertial is not None:
        inertial.note_ignored("the masses of geoms are taken, as inertiafromgeom='true' says", matters=False)
    link = Link(
        own,
        pose,
        line=element.line,
        lift=element.number("gravcomp"),
        looks=tuple(look for geom in made for look in geom.looks),
    )
    robot.links[own] = _weighed(element, link, None if weighs else inertial, made, settings)
    _joints(element, reading, parent, own, pose, joints)
    _contents(element, reading, own, pose, inner)


def _weighed(element: Element, link: Link, inertial: Element | None, geoms: list[Geom], settings: Settings) -> Link:
    if inertial is not None:
        link = _inertial(inertial, link, settings)
    else:
        total: MassProperties | None = None
        for geom in geoms:
            if geom.mass is not None:
                total = geom.mass if total is None else total + geom.mass
        if total is not None:
            link = replace(link, mass=total.mass, centroid=np.array(total.centroid), inertia=np.array(total.inertia))
    if settings.least_mass or settings.least_inertia:
        moments, axes = np.linalg.eigh(link.inertia)
        least = np.maximum(moments, settings.least_inertia)
        link = replace(link, mass=max(link.mass, settings.least_mass), inertia=(axes * least) @ axes.T)
    return link


def _inertial(element: Element, link: Link, settings: Settings) -> Link:
    element.need("pos")
    frame = settings.pose(element)
    (mass,) = element.need_numbers("mass")
    full = element.get("fullinertia")
    if full is not None:
        tensor = inertia_matrix(*element.vector("fullinertia", 6))
    else:
        tensor = np.diag(element.vector("diaginertia"))
    if settings.balance:
        moments = np.linalg.eigvalsh(tensor)
        if moments[2] > moments[0] + moments[1]:
            tensor = np.eye(3) * float(moments.mean())
    mass, tensor = checked_mass(element, link.name, mass, tensor)
    return replace(link, mass=mass, centroid=frame.position, inertia=frame.rotation @ tensor @ frame.rotation.T)


def _scale(root: Element, robot: Robot, settings: Settings) -> None:
    """settotalmass: all masses by one factor."""
    if settings.total_mass > 0.0 and robot.mass > 0.0:
        factor = settings.total_mass / robot.mass
        for name, link in robot.links.items():
            robot.links[name] = replace(link, mass=factor * link.mass, inertia=factor * link.inertia)


# --- joints ---


def _joints(
    element: Element, reading: Reading, parent: str, link: str, pose: Pose, joints: list[tuple[Element, Pose, str]]
) -> None:
    """Joints of a body, one after the other from its parent; links without mass stand between several."""
    robot = reading.robot
    step = robot.pose_of(parent).inverse @ pose
    if not joints:
        name = free_name(f"{link}_fixed", robot.joints)
        robot.joints[name] = Joint(name, "fixed", parent, link, step, line=element.line)
        return
    for k, (own, frame, kind) in enumerate(joints):
        view = reading.settings.view(own, kind)
        said = "free" if own.tag == "freejoint" else view.get("type", "hinge")
        name = free_name(view.get("name") or f"{link}_{said}{k + 1 if len(joints) > 1 else ''}", robot.joints)
        last = k == len(joints) - 1
        child = link if last else free_name(f"{link}_{name}", robot.links)
        if not last:
            robot.links[child] = Link(child, pose, line=own.line)
        joint = read_joint(view, reading.settings, said or "hinge", name, parent, child, step, frame)
        if joint is not None:
            time, ratio = view.vector("springdamper", 2, (0.0, 0.0))
            if time > 0.0 and ratio > 0.0:
                reading.timed[name] = (time, ratio)
            robot.joints[name] = joint
            reading.flying = reading.flying or joint.kind == "floating"
        parent, step = child, Pose()
