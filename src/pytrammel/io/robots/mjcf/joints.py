"""Joints of MJCF, with what acts along their coordinates."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from pytrammel._util.messages import unlike
from pytrammel.io.robots.checks import axis_frame
from pytrammel.io.robots.mjcf.defaults import Settings, View
from pytrammel.io.robots.poses import Pose
from pytrammel.io.robots.reference import Mobility
from pytrammel.io.robots.robot import Axis, Joint, JointKind, Robot

KINDS: dict[str, JointKind] = {"hinge": "revolute", "slide": "prismatic", "ball": "ball", "free": "floating"}
OFF = {"damping": "damper", "stiffness": "spring", "frictionloss": "frictionloss"}  # flags that switch them off
UNUSED_BY_FREE = (
    "pos", "axis", "limited", "range", "ref", "springref", "springdamper", "actuatorfrcrange", "actuatorfrclimited",
)  # fmt: skip


def read_joint(
    element: View, settings: Settings, kind_name: str, name: str, parent: str, child: str, step: Pose, frame: Pose
) -> Joint | None:
    """One joint between two links; `step` is the child's frame in the parent's, `frame` the element's frame in the child's."""
    if kind_name not in KINDS:
        element.complain(f"joint {name!r} has the type {kind_name!r}; use one of: {', '.join(KINDS)}")
        return None
    kind = KINDS[kind_name]
    element.get("align")
    if kind == "floating":
        return Joint(name, kind, parent, child, step, ball=_free(element, settings, name), line=element.line)
    place = frame @ Pose(np.array(element.vector("pos")))
    axis = _axis(element, settings, kind, name)
    if kind == "ball":
        element.get("axis")
        return Joint(name, kind, parent, child, step @ place, place, ball=axis, line=element.line)
    turned = Pose(place.position, frame.rotation @ axis_frame(element, element.vector("axis", 3, (0.0, 0.0, 1.0))))
    low, high = element.vector("range", 2, (0.0, 0.0))
    if low < high:  # MuJoCo takes degrees as radians where the range is not in force
        own = math.isfinite(axis.high - axis.low)
        settings.ranges[name] = (axis.low, axis.high) if own else (low, high)
    joint = Joint(name, kind, parent, child, step @ turned, turned, (axis,), line=element.line)
    return replace(joint, on_parent=joint.on_parent @ joint.moved((axis.value,)).inverse)


def _free(element: View, settings: Settings, name: str) -> Axis:
    """Damping of a free joint, in all its directions."""
    if element.tag == "freejoint":
        return Axis()
    for key in UNUSED_BY_FREE:
        element.get(key)
    for key in ("stiffness", "armature", "frictionloss"):
        if (element.get(key) or "0").split() != ["0"] and any(_terms(element, settings, key, name)):
            element.note_approximated("a free joint has none here", what=f"{key}= of joint {name!r}")
    damping = _terms(element, settings, "damping", name)
    if any(damping[1:]):
        element.note_approximated("only the linear term is taken", what=f"damping= of joint {name!r}")
    return Axis(damping=damping[0])


def _axis(element: View, settings: Settings, kind: JointKind, name: str) -> Axis:
    turning = kind == "revolute"

    def angle(value: float) -> float:
        return settings.angle(value) if turning else value

    low, high = _limits(element, settings, kind, name)
    damping, stiffness = (_terms(element, settings, key, name) for key in ("damping", "stiffness"))
    friction, armature = (_terms(element, settings, key, name)[0] for key in ("frictionloss", "armature"))
    if kind == "ball":
        element.get("springref"), element.get("ref")
        for key, value in (("frictionloss", friction), ("armature", armature)):
            if value:
                element.note_approximated("a ball joint has none here", what=f"{key}= of joint {name!r}")
        if any((*damping[1:], *stiffness[1:])):
            element.note_approximated(
                "only the linear terms are taken", what=f"damping= or stiffness= of joint {name!r}"
            )
    drive_low, drive_high = settings.limits(element, "actuatorfrc") or (-math.inf, math.inf)
    if element.flag("actuatorgravcomp") and "actuation" in settings.off:
        element.note_approximated(
            "the weight is compensated although no actuator is active", what=f"actuatorgravcomp= of joint {name!r}"
        )
    if kind == "ball" and math.isfinite(drive_low):
        element.note_approximated(
            "the effort at a ball joint is not limited", what=f"actuatorfrcrange= of joint {name!r}"
        )
    return Axis(
        value=angle(element.number("ref")), low=angle(low), high=angle(high), damping=damping[0], friction=friction,
        stiffness=stiffness[0], rest=angle(element.number("springref")), armature=armature, drive_low=drive_low,
        drive_high=drive_high, drive_lifts=element.flag("actuatorgravcomp") and math.isfinite(drive_low),
        more_stiffness=stiffness[1:], more_damping=damping[1:],
    )  # fmt: skip


def _limits(element: View, settings: Settings, kind: JointKind, name: str) -> tuple[float, float]:
    low, high = settings.limits(element) or (-math.inf, math.inf)
    if not math.isfinite(low):
        return low, high
    if kind == "ball":
        element.note_approximated(
            "the range of a ball joint is omitted", what=f"range= of joint {name!r}", matters=False
        )
    if low > high:
        element.complain(
            "the range is from {} to {}; the lower end must not be above the upper".format(*unlike(low, high))
        )
    return low, high


def _terms(element: View, settings: Settings, key: str, name: str) -> tuple[float, float, float]:
    """Coefficients of the first, second and third power; missing ones are zero."""
    given = element.overlaid(key, (0.0,) * (3 if key in ("stiffness", "damping") else 1))
    element.need_positive(f"{key} of joint {name!r}", given[0])
    if OFF.get(key) in settings.off:
        return 0.0, 0.0, 0.0
    a, b, c = (*given, 0.0, 0.0)[:3]
    return a, b, c


def settle_springs(robot: Robot, timed: Mapping[str, tuple[float, float]], off: Collection[str]) -> None:
    """Springs and dampers that a time constant and a damping ratio define, with the inertia that the coordinate moves.

    Args:
        robot: The robot.
        timed: Time constant [s] and damping ratio by joint.
        off: Flags that the file disables.
    """
    mobility = Mobility(robot) if timed else None
    for name, (time, ratio) in timed.items():
        joint = robot.joints[name]
        moved = mobility.inertia_at(joint) if mobility is not None else 0.0
        laws: dict[str, Any] = {"stiffness": moved / (time * ratio) ** 2, "damping": 2.0 * moved / time}
        laws = {key: 0.0 if OFF[key] in off else value for key, value in laws.items()}
        if joint.kind == "ball":
            robot.joints[name] = replace(joint, ball=replace(joint.ball, **laws))
        else:
            robot.joints[name] = replace(joint, axes=(replace(joint.axes[0], **laws),))
