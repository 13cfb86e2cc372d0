"""Named states of MJCF (<key>): coordinates, rates and controls in the order in which MuJoCo numbers them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from pytrammel.io.robots.checks import free_name
from pytrammel.io.robots.poses import from_quaternion, to_quaternion
from pytrammel.io.robots.robot import Joint, Key, Robot
from pytrammel.io.robots.xml_output import Sink, Tag
from pytrammel.io.robots.xml_tree import Element

POSITIONS = {"ball": 4, "floating": 7}  # numbers per joint; one for each coordinate of the others
RATES = {"ball": 3, "floating": 6}


def read_keys(root: Element, robot: Robot, order: Sequence[str | None]) -> None:
    """All named states.

    Args:
        root: The file.
        robot: The robot, with its joints and actuators.
        order: Actuators in the order of the file; None for each that was not taken over.
    """
    joints = [joint for joint in robot.joints.values() if not joint.closing and joint.kind != "fixed"]
    lagging = [name for name in order if name is not None and robot.actuators[name].lag is not None]
    for section in root.all("keyframe"):
        for own in section.all("key"):
            name = free_name(own.get("name") or f"key_{len(robot.keys)}", robot.keys)
            for ignored in ("time", "mpos", "mquat"):
                own.get(ignored)
            values = _by_joint(own, "qpos", joints, POSITIONS) or {
                joint.name: _initial(robot, joint) for joint in joints
            }
            rates = {key: rate for key, rate in _by_joint(own, "qvel", joints, RATES).items() if any(rate)}
            controls, states = _numbers(own, "ctrl"), _numbers(own, "act")
            if controls and len(controls) != len(order):
                own.complain(f"ctrl= has {len(controls)} numbers, and the file has {len(order)} actuators")
                controls = ()
            given = dict(zip(order, controls, strict=False))
            if states and (None in order or len(states) != len(lagging)):
                own.note_ignored_part(
                    f"act= of key {name!r}", "it does not fit the actuators with dynamics in the model"
                )
                states = ()
            robot.keys[name] = Key(
                values, rates, {key: value for key, value in given.items() if key is not None},
                dict(zip(lagging, states, strict=False)),
            )  # fmt: skip


def write_keys(
    robot: Robot,
    root: Tag,
    world: Tag,
    actuators: Tag,
    names: Mapping[tuple[str, int], str],
    threads: Mapping[str, str],
    sink: Sink,
) -> None:
    """All named states.

    Args:
        robot: The robot.
        root, world, actuators: Sections of the file; the last two are complete.
        names: Joints of the file by coordinate.
        threads: Screw joints by the slides of the file that belong to them.
        sink: Where notes go about states that cannot be written.
    """
    if not robot.keys:
        return
    places = {name: place for place, name in names.items()}
    section = Tag("keyframe")
    for label, key in robot.keys.items():
        qpos: list[float] = []
        qvel: list[float] = []
        lost = [name for name in (*key.values, *key.rates) if name not in robot.joints]
        for tag in _joint_tags(world):
            name = tag.attributes["name"]
            if name in robot.joints and robot.joints[name].kind in POSITIONS:
                joint = robot.joints[name]
                qpos += _ball(joint, key) if joint.kind == "ball" else key.values.get(name, _drawn(robot, joint.child))
                qvel += key.rates.get(name, (0.0,) * RATES[joint.kind])
            elif name in threads or name in places:
                owner, k = (threads[name], 0) if name in threads else places[name]
                joint = robot.joints[owner]
                factor = joint.lead / (2.0 * np.pi) if name in threads else 1.0
                qpos.append(factor * key.values.get(owner, joint.values)[k])
                qvel.append(factor * key.rates.get(owner, (0.0,) * len(joint.axes))[k])
            else:  # the free joint of a root that the file leaves free
                qpos += _drawn(robot, next(link for link in robot.links if name.startswith(link)))
                qvel += (0.0,) * 6
        written = [tag.attributes["name"] for tag in actuators.children]
        lost += [name for name in (*key.controls, *key.states) if name not in written]
        lagging = [name for name in written if robot.actuators[name].lag is not None]
        section.add(
            "key", name=label, qpos=qpos or None, qvel=qvel if any(qvel) else None,
            ctrl=[key.controls.get(name, 0.0) for name in written] if any(key.controls.values()) else None,
            act=[key.states.get(name, 0.0) for name in lagging] if any(key.states.values()) else None,
        )  # fmt: skip
        if lost:
            sink.left_out(f"part of state {label!r}", f"{', '.join(dict.fromkeys(lost))} are not in the file")
    root.children.append(section)


def _initial(robot: Robot, joint: Joint) -> tuple[float, ...]:
    """Coordinates of a joint as drawn."""
    if joint.kind == "floating":
        return _drawn(robot, joint.child)
    return joint.start if joint.kind == "ball" else joint.values


def _joint_tags(tag: Tag) -> Iterator[Tag]:
    """Joints in the order in which MuJoCo numbers them: those of a body, then those of the bodies in it."""
    for child in tag.children:
        if child.name in ("joint", "freejoint"):
            yield child
    for child in tag.children:
        if child.name == "body":
            yield from _joint_tags(child)


def _ball(joint: Joint, key: Key) -> list[float]:
    """Quaternion of a ball joint in axes of its body, from the drawn pose on."""
    drawn = joint.moved(()).rotation
    given = from_quaternion(key.values[joint.name]) if joint.name in key.values else drawn
    own = joint.on_child.rotation
    return [float(x) for x in to_quaternion(own @ drawn.T @ given @ own.T)]


def _drawn(robot: Robot, link: str) -> tuple[float, ...]:
    pose = robot.pose_of(link)
    return tuple(float(x) for x in (*pose.position, *to_quaternion(pose.rotation)))


def _numbers(own: Element, key: str) -> tuple[float, ...]:
    words = (own.get(key) or "").split()
    return own.numbers(" ".join(words), len(words), (), key, False) if words else ()


def _by_joint(own: Element, key: str, joints: list[Joint], sizes: dict[str, int]) -> dict[str, tuple[float, ...]]:
    numbers = _numbers(own, key)
    counts = [sizes.get(joint.kind, len(joint.axes)) for joint in joints]
    if numbers and len(numbers) != sum(counts):
        own.complain(f"{key}= has {len(numbers)} numbers, and the joints of the file have {sum(counts)}")
        return {}
    out, at = {}, 0
    for joint, count in zip(joints, counts, strict=True):
        if numbers:
            out[joint.name] = numbers[at : at + count]
        at += count
    return out
