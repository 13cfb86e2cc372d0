"""Equalities of MJCF: loops and couplings."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from pytrammel.io.robots.checks import free_name
from pytrammel.io.robots.mjcf.defaults import Settings, View
from pytrammel.io.robots.mjcf.tendons import Sum
from pytrammel.io.robots.poses import Pose, from_quaternion
from pytrammel.io.robots.reference import length_of
from pytrammel.io.robots.robot import WORLD, Joint, Relation, Robot, Tendon
from pytrammel.io.robots.xml_tree import Element

SOFT = "it holds exactly here, where MuJoCo lets it give a little"


def read_equalities(root: Element, robot: Robot, settings: Settings) -> None:
    """Loops and couplings."""
    off = settings.off & {"equality", "constraint"}
    for section in root.all("equality"):
        for own in section.children:
            own.seen = True
            element = settings.view(own, "")
            behind = settings.view(Element("equality", dict(own.attributes), own.line, own.document), "").sources[1:]
            element.sources += behind
            name = element.get("name") or free_name(f"{own.tag}_line_{own.line}", {**robot.joints, **robot.relations})
            if not element.flag("active", True):
                element.note_ignored("it is not active", matters=False)
            elif off:
                element.note_ignored(f"the flag {min(off)}='disable' of the file switches it off", matters=False)
            elif own.tag in ("connect", "weld"):
                _loop(element, robot, name)
            elif own.tag == "joint":
                first, second = element.need("joint1"), element.get("joint2")
                left = _coordinate(element, robot, first)
                right = () if second is None else _coordinate(element, robot, second)
                _relate(element, robot, name, left, right)
            elif own.tag == "tendon":
                _tendon(element, robot, name)
            else:
                element.note_ignored("this kind of equality is not taken over")


def _coordinate(element: Element, robot: Robot, name: str) -> Sum | None:
    """One coordinate that exists, as a sum."""
    if name not in robot.joints or len(robot.joints[name].axes) != 1:
        element.complain(f"it names {name!r}, which is no hinge or slide")
        return None
    return ((1.0, name, 0),)


def _drawn(robot: Robot, parts: Sum) -> float:
    return math.fsum(factor * robot.joints[name].axes[axis].value for factor, name, axis in parts)


def _relate(element: View, robot: Robot, name: str, left: Sum | None, right: Sum | None) -> None:
    terms = element.overlaid("polycoef", (0.0, 1.0, 0.0, 0.0, 0.0))
    if left is None or right is None:
        return
    if not right:
        terms = terms[:1]
    name = free_name(name, {**robot.relations, **robot.joints})
    robot.relations[name] = Relation(
        name, left, right, tuple(terms), _drawn(robot, left), _drawn(robot, right), line=element.line
    )
    element.note_approximated(SOFT, matters=False)


def _tendon(element: View, robot: Robot, name: str) -> None:
    tendons: list[Tendon | None] = []
    for key in ("tendon1", "tendon2"):
        given = element.get(key)
        if given is None and key == "tendon2":
            tendons.append(None)
        elif given in robot.unsupported:
            element.note_ignored(f"its tendon {given!r} {robot.unsupported[given]}")
            return
        elif given not in robot.tendons:
            element.complain(f"{key}={given!r} is no tendon")
            return
        else:
            tendons.append(robot.tendons[given])
    first, second = tendons
    if first is not None and len(first.strands) == 1 and first.strands[0].share == 1.0 and second is None:
        _rod(element, robot, name, first)
        return
    if any(tendon is not None and tendon.strands for tendon in tendons):
        element.note_ignored("a constraint of tendons with several strands is not supported")
        return
    left = first.parts if first is not None else ()
    _relate(element, robot, name, left, () if second is None else second.parts)


def _rod(element: View, robot: Robot, name: str, tendon: Tendon) -> None:
    """One straight strand of constant length."""
    strand = tendon.strands[0]
    offset = element.overlaid("polycoef", (0.0,) * 5)[0]
    ends = Pose(strand.at_first), Pose(strand.at_second)
    length = length_of(robot, tendon) + offset
    joint = Joint(name, "rod", strand.first, strand.second, *ends, lead=length, closing=True, line=element.line)
    if joint.parent == joint.child or joint.lead <= 0.0:
        element.complain("the tendon must have a length and end on two different bodies")
        return
    robot.joints[name] = joint
    element.note_approximated(SOFT, matters=False)


def _loop(element: View, robot: Robot, name: str) -> None:
    """<connect> and <weld>, by bodies or by sites."""
    ends: list[tuple[str, Pose]] = []
    by_sites = element.get("site1") is not None
    for number in ("1", "2"):
        key = f"{'site' if by_sites else 'body'}{number}"
        given = element.get(key) if key == "body2" else element.need(key)
        if by_sites:
            spot = robot.frames.get(given or "")
        else:
            spot = (given or WORLD, Pose()) if given is None or given == WORLD or given in robot.links else None
        if spot is None:
            if given:
                element.complain(f"{key}={given!r} does not exist")
            return
        ends.append(spot)
    (first, one), (second, two) = ends
    if first == second:
        element.complain(f"it connects {first!r} with itself; name two different bodies")
        return
    step = robot.pose_of(second).inverse @ robot.pose_of(first)  # the first body seen from the second, as drawn
    if element.tag == "connect":
        if not by_sites:
            one = Pose(np.array(element.need_numbers("anchor", 3)))
            two = step @ one
        joint = Joint(name, "ball", first, second, one, two, closing=True, line=element.line)
    else:
        element.get("anchor")
        if element.number("torquescale", 1.0) == 0.0:
            element.note_approximated(
                "it turns with the body although its torques are scaled to zero", what="torquescale= of <weld>"
            )
        if not by_sites:
            pose = element.vector("relpose", 7, (0.0,) * 7)
            one = Pose(np.array(pose[:3]), from_quaternion(pose[3:])) if any(pose[3:]) else step.inverse
            two = Pose()
        joint = Joint(name, "fixed", first, second, one, two, closing=True, line=element.line)
    robot.joints[free_name(name, robot.joints)] = replace(joint, name=free_name(name, robot.joints))
    element.note_approximated(SOFT, matters=False)
