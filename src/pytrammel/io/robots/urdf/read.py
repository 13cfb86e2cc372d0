"""Reading URDF."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from pytrammel._util.messages import unlike
from pytrammel.geometry.shapes import Shape
from pytrammel.io.robots.checks import axis_frame, check_ends, checked_mass, free_name, fresh, inertia_matrix
from pytrammel.io.robots.geometry.meshes import MeshFolder
from pytrammel.io.robots.geometry.shapes import primitive, solid
from pytrammel.io.robots.poses import Pose, from_quaternion, from_rpy
from pytrammel.io.robots.robot import WORLD, Actuator, Axis, Joint, JointKind, Link, Look, Relation, Robot, span_tree
from pytrammel.io.robots.urdf.loops import read_loops
from pytrammel.io.robots.xml_tree import Document, Element

KINDS: dict[str, JointKind] = {
    "fixed": "fixed", "revolute": "revolute", "continuous": "revolute", "prismatic": "prismatic", "planar": "planar",
    "floating": "floating", "spherical": "ball", "ball": "ball", "universal": "universal", "cylindrical": "cylindrical", "screw": "screw",
}  # fmt: skip
PICTURES = "pictures only"
CONTACT = "contacts are not taken over"
PASSED_OVER = {  # tags that do not change how the robot moves
    "material": PICTURES, "collision": CONTACT, "calibration": "homing only", "safety_controller": "control only",
    "hardwareInterface": "control only", "sensor": "sensors are not taken over", "plugin": "plugins are not run",
    "ros2_control": "control only", "drake:proximity_properties": CONTACT, "drake:collision_filter_group": CONTACT,
    "collision_filter_group": CONTACT, "disable_collisions": CONTACT, "self_collision_checking": CONTACT, "collision_checking": CONTACT,
    "mujoco": "settings of MuJoCo's own", "mujoco_extension": "settings of MuJoCo's own",
    "contact": CONTACT, "verbose": PICTURES, "joint_properties": "control only", "actuator": "control only",
    "drake:illustration_properties": PICTURES, "drake:perception_properties": PICTURES, "drake:accepting_renderer": PICTURES,
    "drake:declare_convex": PICTURES, "drake:diffuse_map": PICTURES, "type": "control only",
}  # fmt: skip


def read(document: Document, folder: MeshFolder, robot: Robot) -> None:
    """Fill a robot from a URDF tree."""
    root = document.root
    robot.name = root.get("name") or document.path.stem
    root.get("version")
    _refuse_xacro(root)
    for element in root.all("link"):
        link = _link(element, folder, robot)
        if link.name == WORLD:  # the ground
            robot.world = link
        else:
            robot.links[link.name] = link
    for element in root.all("frame", "fixed_frame"):
        parent = element.child("parent")
        owner = parent.need("link") if parent is not None else element.need("link")
        name = fresh(element, element.need("name"), {*robot.links, *robot.frames}, "frame")
        if owner != WORLD and owner not in robot.links:
            element.complain(f"frame {name!r} names the link {owner!r}, which does not exist")
        else:
            robot.frames[name] = (owner, _origin(element.child("origin") or element))
    joints = [joint for element in root.all("joint", "drake:joint") if (joint := _joint(element, robot)) is not None]
    for joint in span_tree(_balls(root, joints, robot)):
        robot.joints[joint.name] = joint
    _stand(root, robot)
    robot.place()
    for element in root.all("transmission"):
        _transmission(element, robot)
    read_loops(root, robot)
    document.leftovers(_harmless)


def _balls(root: Element, joints: list[Joint], robot: Robot) -> list[Joint]:
    """Joints with a ball joint instead of each three hinges that a tag `<ball_joint>` names."""
    known = {joint.name: joint for joint in joints}
    for element in root.all("ball_joint"):
        dynamics = element.child("dynamics")
        damping = 0.0 if dynamics is None else dynamics.number("damping")
        names = [element.need(key) for key in ("first", "second", "name")]
        three = [known[name] for name in names if name in known]
        linked = len(three) == 3 and three[0].child == three[1].parent and three[1].child == three[2].parent
        if not linked or any(one.kind != "revolute" for one in three):
            element.complain(f"{', '.join(map(repr, names))} are not three hinges one after another")
            continue
        first, _, last = three
        for one in three[:2]:
            del known[one.name], robot.joints[one.name]
            robot.links.pop(one.child, None)
        known[last.name] = Joint(
            last.name, "ball", first.parent, last.child, first.on_parent @ first.on_child.inverse, ball=Axis(damping=damping),
            line=element.line,
        )  # fmt: skip
    return list(known.values())


def _refuse_xacro(root: Element) -> None:
    for element in root.walk():
        if element.tag.startswith("xacro:"):
            element.complain("this is a xacro macro, not URDF yet; run 'xacro robot.urdf.xacro > robot.urdf' first")
            return


def _harmless(element: Element, attribute: str) -> str | None:
    if attribute:
        return PICTURES if attribute in ("name", "type", "drake_ignore") else None
    up: Element | None = element
    while up is not None:
        if up.tag in PASSED_OVER:
            return PASSED_OVER[up.tag]
        up = up.parent
    return None


def _stand(root: Element, robot: Robot) -> None:
    """One root, on the ground."""
    children = {joint.child for joint in robot.joints.values() if not joint.closing}
    roots = [name for name in robot.links if name not in children]
    on_world = any(joint.parent == WORLD for joint in robot.joints.values())
    if len(roots) + on_world > 1 and not root.document.complaints:
        root.complain(
            f"the links {', '.join(map(repr, roots[:6]))} have no parent; a robot has one root. Add joints, or correct a name"
        )
    taken, added = set(robot.joints), dict[str, Joint]()
    for name in roots:
        joint = free_name(f"{name}_base", taken)
        taken.add(joint)
        added[joint] = Joint(joint, "fixed", WORLD, name)
    robot.joints = {**dict(reversed(added.items())), **robot.joints}


def _origin(element: Element | None) -> Pose:
    if element is None:
        return Pose()
    if element.tag == "origin" and "quat_xyzw" in element.attributes:
        x, y, z, w = element.vector("quat_xyzw", 4, (0.0, 0.0, 0.0, 1.0))
        if not any((x, y, z, w)):
            element.complain("the quaternion is zero; write x y z w of a rotation")
            return Pose()
        return Pose(np.array(element.vector("xyz")), from_quaternion((w, x, y, z)))
    return from_rpy(element.vector("xyz"), element.vector("rpy"))


# --- links ---


def _link(element: Element, folder: MeshFolder, robot: Robot) -> Link:
    name = fresh(element, element.need("name"), robot.links, "link")
    element.get("type")
    link = Link(name, line=element.line)
    inertial = element.child("inertial")
    if inertial is not None:
        link = _inertial(inertial, link)
        if name == WORLD:
            inertial.note_ignored("the link 'world' is the ground unless the robot floats", matters=False)
    looks = [look for visual in element.all("visual") for look in _visual(visual, folder)]
    return replace(link, looks=tuple(looks))


def _inertial(element: Element, link: Link) -> Link:
    frame = _origin(element.child("origin"))
    given = element.child("mass")
    mass = 0.0 if given is None else given.need_numbers("value")[0]
    if given is None:
        element.complain(f'the mass of link {link.name!r} is missing; add <mass value="…"/>, or leave <inertial> out')
    moments = element.child("inertia")
    keys = ("ixx", "iyy", "izz", "ixy", "ixz", "iyz")
    if moments is not None and any(key in moments.attributes for key in keys):
        for key in keys[:3]:
            moments.need(key)
    tensor = np.zeros((3, 3)) if moments is None else inertia_matrix(*(moments.number(key) for key in keys))
    mass, tensor = checked_mass(moments or element, link.name, mass, tensor)
    return replace(link, mass=mass, centroid=frame.position, inertia=frame.rotation @ tensor @ frame.rotation.T)


def _visual(element: Element, folder: MeshFolder) -> list[Look]:
    element.get("name")
    pose = _origin(element.child("origin"))
    geometry = element.child("geometry")
    if geometry is None or not geometry.children:
        return []
    shape = geometry.children[0]
    shape.seen = True
    return [Look(made, file) for made, file in _shape(shape, pose, folder)]


def _shape(element: Element, pose: Pose, folder: MeshFolder) -> list[tuple[Shape, str]]:
    kind = element.tag.removeprefix("drake:")
    if kind == "mesh":
        scale = element.vector("scale", 3, (1.0, 1.0, 1.0))
        mesh, file = folder.read(element, element.need("filename"), scale)
        return [] if mesh is None else [(solid(mesh, pose), file)]
    sizes: tuple[float, ...]
    if kind == "box":
        sizes = element.vector("size", 3, (1.0, 1.0, 1.0))
    elif kind == "sphere":
        sizes = (element.number("radius", 1.0),)
    elif kind in ("cylinder", "capsule"):
        sizes = (element.number("radius", 1.0), element.number("length", 1.0))
    elif kind == "ellipsoid":
        sizes = tuple(element.number(key, 1.0) for key in "abc")
    else:
        element.note_ignored("a shape that is not known", matters=False)
        return []
    if min(sizes) <= 0.0:
        element.complain(f"a {kind} with a length of {min(sizes):g} m; lengths must be greater than 0")
        return []
    return [(made, "") for made in primitive(kind, sizes, pose)]


# --- joints ---


def _joint(element: Element, robot: Robot) -> Joint | None:
    name = fresh(element, element.need("name"), robot.joints, "joint")
    said = element.need("type")
    if said not in KINDS:
        element.complain(f"joint {name!r} has the type {said!r}; use one of: {', '.join(KINDS)}")
        return None
    kind = KINDS[said]
    ends = []
    for tag in ("parent", "child"):
        end = element.child(tag)
        ends.append("" if end is None else end.need("link"))
        if end is None:
            element.complain(f'joint {name!r} has no <{tag} link="…"/>')
    frame = _origin(element.child("origin"))
    given = element.child("axis")
    axis: tuple[float, ...] = (1.0, 0.0, 0.0)
    if given is not None and given.need("xyz"):
        axis = given.vector("xyz", 3, axis)
    turn = np.eye(3)
    if kind in ("revolute", "prismatic", "planar", "cylindrical", "screw"):
        turn = axis_frame(given or element, axis)
    on_parent, on_child = frame @ Pose(np.zeros(3), turn), Pose(np.zeros(3), turn)
    if kind == "universal":  # Drake: about x of the parent's frame, then y of the child's
        on_parent = frame @ Pose(np.zeros(3), np.array([[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]))
        on_child = Pose(np.zeros(3), np.array([[1.0, 0.0, 0.0], [0.0, 0.0, 1.0], [0.0, -1.0, 0.0]]))
    lead = element.child("drake:screw_thread_pitch", "screw_thread_pitch")
    joint = Joint(
        name, kind, ends[0], ends[1], on_parent, on_child, _axes(element, kind, said), line=element.line,
        lead=0.0 if lead is None else lead.number("value"),
    )  # fmt: skip
    if kind == "ball":
        dynamics = element.child("dynamics")
        joint = replace(joint, ball=Axis(damping=0.0 if dynamics is None else dynamics.number("damping")))
    mimic = element.child("mimic")
    if mimic is not None and joint.axes:
        terms = (mimic.number("offset"), mimic.number("multiplier", 1.0))
        rule = free_name(f"{name}_mimic", robot.relations)
        robot.relations[rule] = Relation(
            rule, ((1.0, name, 0),), ((1.0, mimic.need("joint"), 0),), terms, line=mimic.line
        )
    robot.joints[name] = joint  # its place in the tree is found when all are known
    return joint if check_ends(element, robot, joint) else None


def _axes(element: Element, kind: JointKind, said: str) -> tuple[Axis, ...]:
    count = {"revolute": 1, "prismatic": 1, "screw": 1, "cylindrical": 2, "universal": 2, "planar": 3}.get(kind, 0)
    axis = Axis()
    limit, dynamics = element.child("limit"), element.child("dynamics")
    for given in (limit, dynamics):
        if given is not None and not count:
            given.skip()  # nothing moves along them
    if limit is not None and count:
        effort = limit.number("effort", math.inf, infinite=True)
        speed = limit.number("velocity", math.inf, infinite=True)
        axis = replace(axis, effort=effort if effort > 0.0 else math.inf, speed=speed if speed > 0.0 else math.inf)
        low, high = limit.number("lower", infinite=True), limit.number("upper", infinite=True)
        limit.get("acceleration"), limit.get("drake:acceleration"), limit.get("jerk")
        if said != "continuous" and count == 1 and low < high:
            axis = replace(axis, low=low, high=high)
        elif low > high and said != "continuous":
            limit.complain(
                "the range is from {} to {}; the lower end must not be above the upper".format(*unlike(low, high))
            )
    if dynamics is not None and count:
        damping, friction = dynamics.number("damping"), dynamics.number("friction")
        for key, value in (("damping", damping), ("friction", friction)):
            if value < 0.0:
                dynamics.complain(f"{key} is {value:g}; it must not be negative")
        axis = replace(
            axis,
            damping=damping,
            friction=friction,
            stiffness=dynamics.number("spring_stiffness"),
            rest=dynamics.number("spring_reference"),
        )
    return (axis,) * count


def _transmission(element: Element, robot: Robot) -> None:
    element.get("name"), element.get("type")
    element.child("type")
    reduction = element.value("mechanicalReduction", 1.0)
    motors = element.all("actuator")
    for joint in element.all("joint"):
        joint.skip()
        name = joint.attributes.get("name", "")
        if name not in robot.joints:
            element.note_ignored(f"it names the joint {name!r}, which does not exist")
            continue
        if len(robot.joints[name].axes) != 1:
            continue
        for motor in motors:
            gear = motor.value("mechanicalReduction", reduction)
            label = free_name(motor.get("name") or f"{name}_motor", robot.actuators)
            robot.actuators[label] = Actuator(label, name, gear=gear, line=element.line)
            inertia, ratio = motor.child("drake:rotor_inertia"), motor.child("drake:gear_ratio")
            if inertia is not None:
                rotor = inertia.number("value") * (1.0 if ratio is None else ratio.number("value", 1.0)) ** 2
                axis = replace(robot.joints[name].axes[0], armature=rotor)
                robot.joints[name] = replace(robot.joints[name], axes=(axis,))
