"""Named states of MJCF (<key>): coordinates, rates and controls in the order in which MuJoCo numbers them."""

from __future__ import annotations

from collections.abc import Sequence

from trammel.files.robots.parts import free_name
from trammel.files.robots.robot import Joint, Key, Robot
from trammel.files.robots.xml_tree import Element

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
            values = _by_joint(own, "qpos", joints, POSITIONS)
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
