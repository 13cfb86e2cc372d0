"""Writing URDF: loops as the constraint that is proposed for it, what URDF lacks in Drake's and Gazebo's tags."""

from __future__ import annotations

import math

import numpy as np

from pytrammel.geometry.shapes import Box, Cylinder, Sphere
from pytrammel.io.robots.checks import free_name
from pytrammel.io.robots.loops_out import cut_at_frames
from pytrammel.io.robots.poses import Pose, on_axis, to_rpy
from pytrammel.io.robots.robot import WORLD, Actuator, Axis, Joint, Link, Robot, in_order
from pytrammel.io.robots.xml_output import LoopsText, Sink, Tag, as_mimic, on_axis_line, split, text, zeroed

NO_LIMIT = 1e9  # URDF wants numbers for effort and speed
ON_DRAKE = {"universal": "universal", "screw": "screw", "planar": "planar"}
IN_LOOPS_FILE = {"universal": "UJOINT_XY", "ball": "SPHERICAL"}
CLOSING = {"revolute": "continuous", "ball": "spherical", "rod": "distance"}
# Drake's universal joint turns about x of the parent's frame, then about y of the child's
TO_DRAKE_CHILD = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, 1.0, 0.0]])


def write(robot: Robot, sink: Sink) -> str:
    """A robot as URDF."""
    robot = split(zeroed(robot if sink.loops is None else cut_at_frames(robot, sink), sink), ("cylindrical",))
    root = Tag("robot", {"name": robot.name, "xmlns:drake": "http://drake.mit.edu"})
    if tuple(robot.gravity) != (0.0, 0.0, -9.81):
        sink.left_out(f"gravity {text(robot.gravity)}", "URDF does not say gravity", matters=True)
    if _needs_world(robot):
        root.add("link", name=WORLD)
    for link in robot.links.values():
        _link(root, link, sink)
    taken = {*robot.links, *robot.frames}
    for joint in in_order(robot):
        if not (_is_stand(joint) and not _needs_world(robot)):
            _joint(root, robot, joint, taken, sink)
    for name in _adrift(robot):
        joint = Joint(free_name(f"{name}_free", robot.joints), "floating", WORLD, name, robot.pose_of(name))
        _joint(root, robot, joint, taken, sink)
    for joint in robot.loops:
        if sink.loops is None:
            _constraint(root, joint, sink)
        else:
            _frames(root, joint, taken, sink.loops)
    _rest(root, robot, sink)
    sink.check()
    return root.document()


def _is_stand(joint: Joint) -> bool:
    return joint.kind == "fixed" and joint.parent == WORLD and (joint.on_parent @ joint.on_child.inverse).near(Pose())


def _adrift(robot: Robot) -> list[str]:
    children = {joint.child for joint in robot.joints.values() if not joint.closing}
    return [name for name in robot.links if name not in children]


def _needs_world(robot: Robot) -> bool:
    """The ground is written as a link unless the robot simply stands on it with one link."""
    on_world = [joint for joint in robot.joints.values() if WORLD in (joint.parent, joint.child)]
    return (
        bool(_adrift(robot))
        or len(on_world) != 1
        or not _is_stand(on_world[0])
        or any(o == WORLD for o, _ in robot.frames.values())
    )


def _origin(tag: Tag, pose: Pose, name: str = "origin") -> None:
    tag.add(name, xyz=pose.position, rpy=to_rpy(pose.rotation))


def _link(root: Tag, link: Link, sink: Sink) -> None:
    tag = root.add("link", name=link.name)
    if link.mass > 0.0:
        inertial = tag.add("inertial")
        _origin(inertial, Pose(link.centroid))
        inertial.add("mass", value=link.mass)
        J = link.inertia
        inertial.add("inertia", ixx=J[0, 0], iyy=J[1, 1], izz=J[2, 2], ixy=J[0, 1], ixz=J[0, 2], iyz=J[1, 2])
    for k, look in enumerate(link.looks):
        shape = look.shape
        visual = tag.add("visual")
        if isinstance(shape, Box):
            _origin(
                visual, Pose(np.array(shape.center), np.eye(3) if shape.rotation is None else np.array(shape.rotation))
            )
            visual.add("geometry").add("box", size=shape.size)
        elif isinstance(shape, Sphere):
            _origin(visual, Pose(np.array(shape.center)))
            visual.add("geometry").add("sphere", radius=shape.radius)
        elif isinstance(shape, Cylinder):
            frame, length = cylinder_pose(shape)
            _origin(visual, frame)
            visual.add("geometry").add("cylinder", radius=shape.radius, length=length)
        else:
            visual.add("geometry").add("mesh", filename=sink.mesh(link.name, k, shape.mesh))
    for name, point in link.points.items():
        root.add("frame", name=name, link=link.name, xyz=point, rpy=(0.0, 0.0, 0.0))
    if link.lift == 1.0:
        root.add("gazebo", reference=link.name).add("turnGravityOff", "true")
    elif link.lift:
        sink.left_out(f"compensated weight of {link.name!r}", "URDF cannot say a part of it")


def cylinder_pose(shape: Cylinder) -> tuple[Pose, float]:
    """Frame in the middle of a cylinder, z along it, and its length."""
    start, end = np.array(shape.start), np.array(shape.end)
    return Pose(0.5 * (start + end), on_axis(end - start)), float(np.linalg.norm(end - start))


def _joint(root: Tag, robot: Robot, joint: Joint, taken: set[str], sink: Sink) -> None:
    """A joint of the tree; where the child's own frame is off the joint, a link without mass carries it."""
    child, step = joint.child, Pose()
    on_child = joint.on_child
    if joint.kind == "universal":
        step = on_child @ Pose(np.zeros(3), TO_DRAKE_CHILD.T)
    elif (joint.kind in ("revolute", "screw") and not on_axis_line(joint)) or (
        joint.kind == "ball" and joint.on_child.position.any()
    ):
        step = Pose(on_child.position)
    if not step.near(Pose(), 0.0):
        child = free_name(f"{joint.child}_at_{joint.name}", taken)
        taken.add(child)
        root.add("link", name=child)
        fixed = root.add("joint", name=free_name(f"{child}_fixed", robot.joints), type="fixed")
        _origin(fixed, step.inverse)
        fixed.add("parent", link=child)
        fixed.add("child", link=joint.child)
    frame = joint.on_parent @ joint.moved(joint.values) @ on_child.inverse @ step  # of the child, as drawn
    kind = joint.kind
    if kind == "ball" and sink.loops is None:
        _ball(root, robot, joint, child, frame, taken, sink)
        return
    ranged = bool(joint.axes) and math.isfinite(joint.axes[0].low + joint.axes[0].high)
    said = "continuous" if kind == "revolute" and not ranged else ON_DRAKE.get(kind, kind)
    plain = kind not in ("universal", "ball", "screw")
    if sink.loops is not None and kind in IN_LOOPS_FILE:
        sink.loops.joints[joint.name] = IN_LOOPS_FILE[kind]
        said, plain = "continuous", True
    tag = root.add("joint" if plain else "drake:joint", name=joint.name, type=said)
    _origin(tag, frame)
    tag.add("parent", link=joint.parent)
    tag.add("child", link=child)
    if kind in ("revolute", "prismatic", "screw", "planar"):
        tag.add("axis", xyz=step.rotation.T @ on_child.rotation[:, 2])
    elif said == "continuous":
        tag.add("axis", xyz=(1.0, 0.0, 0.0))
    if kind == "screw":
        tag.add("drake:screw_thread_pitch", value=joint.lead)
    axis = joint.axes[0] if joint.axes else joint.ball
    if kind in ("revolute", "prismatic") and (ranged or kind == "prismatic" or math.isfinite(axis.effort + axis.speed)):
        limits = {"lower": axis.low, "upper": axis.high} if ranged else {}
        tag.add("limit", effort=min(axis.effort, NO_LIMIT), velocity=min(axis.speed, NO_LIMIT), **limits)
    if axis.damping or axis.friction:
        tag.add("dynamics", damping=axis.damping, friction=axis.friction)
    if joint.ball.stiffness:
        sink.left_out(f"spring of ball joint {joint.name!r}", "URDF cannot say it")
    if len(set(joint.axes)) > 1:
        sink.left_out(
            f"unlike coordinates of joint {joint.name!r}", "URDF says damping and ranges once for all coordinates"
        )
    for relation in robot.relations.values():
        mimic = as_mimic(relation)
        if mimic is not None and mimic[0] == joint.name and not any(child.name == "mimic" for child in tag.children):
            tag.add("mimic", joint=mimic[2], multiplier=mimic[4], offset=mimic[5])
    if len(joint.axes) == 1 and axis.stiffness:
        spring = root.add("gazebo", reference=joint.name)
        spring.add("springStiffness", axis.stiffness)
        spring.add("springReference", axis.rest)
    if len(joint.axes) == 1:
        _transmission(root, robot, joint, axis)


def _ball(root: Tag, robot: Robot, joint: Joint, child: str, frame: Pose, taken: set[str], sink: Sink) -> None:
    """A ball joint as three hinges on links without mass, which every reader takes, and a tag that names them for ours."""
    names = [free_name(f"{joint.name}_{axis}", {*robot.joints, *taken}) for axis in "xy"]
    links = [free_name(f"{joint.name}_{axis}_link", taken) for axis in "xy"]
    taken.update(names, links)
    for link in links:
        root.add("link", name=link)
    chain, axes = (joint.parent, *links, child), np.eye(3)
    for k, name in enumerate((*names, joint.name)):
        tag = root.add("joint", name=name, type="continuous")
        _origin(tag, frame if k == 0 else Pose())
        tag.add("parent", link=chain[k])
        tag.add("child", link=chain[k + 1])
        tag.add("axis", xyz=axes[k])
    ball = root.add("ball_joint", name=joint.name, first=names[0], second=names[1])
    if joint.ball.damping:
        ball.add("dynamics", damping=joint.ball.damping)
        sink.report.add(
            "approximated", f"damping of ball joint {joint.name!r}", "only the tag <ball_joint> has it, which other programs ignore",
            matters=True,
        )  # fmt: skip
    if joint.ball.stiffness:
        sink.left_out(f"spring of ball joint {joint.name!r}", "URDF cannot say it")


def _transmission(root: Tag, robot: Robot, joint: Joint, axis: Axis) -> None:
    motors: list[Actuator | None] = [a for a in robot.actuators.values() if a.joint == joint.name]
    for motor in motors or ([None] if axis.armature else []):
        name = f"{joint.name}_rotor" if motor is None else motor.name
        tag = root.add("transmission", name=f"{name}_transmission")
        tag.add("type", "transmission_interface/SimpleTransmission")
        tag.add("joint", name=joint.name)
        actuator = tag.add("actuator", name=name)
        actuator.add("mechanicalReduction", 1.0 if motor is None else motor.gear)
        if axis.armature:
            actuator.add("drake:rotor_inertia", value=axis.armature)
            axis = Axis()


def _constraint(root: Tag, joint: Joint, sink: Sink) -> None:
    if joint.kind == "no_turning" or joint.kind == "screw":
        sink.refuse(f"the loop joint {joint.name!r} keeps only orientations; no tag of URDF does that")
        return
    tag = root.add("constraint", name=joint.name, type=CLOSING.get(joint.kind, joint.kind))
    if joint.kind == "rod":
        tag.attributes["length"] = text(joint.lead)
    for side, link, pose in (("parent", joint.parent, joint.on_parent), ("child", joint.child, joint.on_child)):
        tag.add(side, link=link)
        _origin(tag, pose, f"{side}_origin")
        if joint.kind not in ("fixed", "ball", "rod"):
            tag.add(f"{side}_axis", xyz=(0.0, 0.0, 1.0))
    if any(axis != Axis(value=axis.value) for axis in joint.axes):
        sink.left_out(
            f"what acts in the loop joint {joint.name!r}", "the constraint tag carries no damping, spring or range"
        )


def _frames(root: Tag, joint: Joint, taken: set[str], loops: LoopsText) -> None:
    """Frames of a loop joint as links without mass, and their names for the file of loops."""
    names = []
    for letter, link, pose in (("A", joint.parent, joint.on_parent), ("B", joint.child, joint.on_child)):
        if link != WORLD and pose.near(Pose()):
            names.append(link)
            continue
        name = free_name(f"{joint.name}_{letter}", taken)
        taken.add(name)
        names.append(name)
        root.add("link", name=name)
        fixed = root.add("joint", name=free_name(f"{name}_frame", taken), type="fixed")
        _origin(fixed, pose)
        fixed.add("parent", link=link)
        fixed.add("child", link=name)
    loops.pairs.append((names[0], names[1]))
    loops.types.append("6d" if joint.kind == "fixed" else "3d")


def _rest(root: Tag, robot: Robot, sink: Sink) -> None:
    for relation in robot.relations.values():
        mimic = as_mimic(relation)
        if mimic is None or robot.joints[mimic[0]].closing:
            sink.refuse(f"the relation {relation.name!r} is no mimic of one joint by another; write MJCF instead")
    for name, (owner, pose) in robot.frames.items():
        root.add("frame", name=name, link=owner, xyz=pose.position, rpy=to_rpy(pose.rotation))
    drake_elastic(root, robot, attributes=True)
    for name in robot.tendons:
        sink.left_out(f"tendon {name!r}", "URDF has no springs along several joints")
    for name in robot.keys:
        sink.left_out(f"state {name!r}", "URDF has no named states", matters=False)
    tags = [part for tag in root.children if tag.name == "transmission" for part in tag.children]
    if sink.loops is not None:
        driven = dict.fromkeys(motor.joint for motor in robot.actuators.values())
        sink.loops.motors += [name for name in driven if not robot.joints[name].closing]
    written = {tag.attributes["name"] for tag in tags if tag.name == "actuator"}
    for motor in robot.actuators.values():
        if motor.name not in written:
            sink.left_out(f"actuator {motor.name!r}", "URDF has motors at joints of the tree with one coordinate only")
        elif any(motor.bias) or motor.gain != 1.0:
            sink.left_out(f"servo of {motor.name!r}", "URDF says a motor without its law")


def drake_elastic(root: Tag, robot: Robot, *, attributes: bool) -> None:
    """Springs and bushings in Drake's tags: values as attributes (URDF) or as text (SDF)."""

    def put(tag: Tag, name: str, key: str, value: object) -> None:
        if attributes:
            tag.add(name, **{key: value})
        else:
            tag.add(name, value)

    for spring in robot.springs.values():
        tag, head = root.add("drake:linear_spring_damper"), "drake:linear_spring_damper_"
        for side, link, at, point in (
            ("A", spring.first, "p_AP", spring.at_first),
            ("B", spring.second, "p_BQ", spring.at_second),
        ):
            put(tag, f"{head}body_{side}", "name", link)
            put(tag, f"{head}{at}", "value", point)
        for what, value in (("free_length", spring.rest), ("stiffness", spring.stiffness), ("damping", spring.damping)):
            put(tag, f"{head}{what}", "value", value)
    for bushing in robot.bushings.values():
        frames = []
        for side, link, pose in (("A", bushing.first, bushing.on_first), ("C", bushing.second, bushing.on_second)):
            name = free_name(f"{bushing.name}_{side}", {*robot.frames, *robot.links})
            frames.append(name)
            if attributes:
                root.add("frame", name=name, link=link, xyz=pose.position, rpy=to_rpy(pose.rotation))
            else:
                root.add("frame", name=name, attached_to=link).add("pose", (*pose.position, *to_rpy(pose.rotation)))
        tag, head = root.add("drake:linear_bushing_rpy"), "drake:bushing_"
        for side, name in zip("AC", frames, strict=True):
            put(tag, f"{head}frame{side}", "name", name)
        for what, numbers in (
            ("torque_stiffness", bushing.turning_stiffness), ("torque_damping", bushing.turning_damping),
            ("force_stiffness", bushing.stiffness), ("force_damping", bushing.damping),
        ):  # fmt: skip
            put(tag, f"{head}{what}", "value", numbers)
