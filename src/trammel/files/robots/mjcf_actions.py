"""Tendons, equalities and actuators of MJCF."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from trammel.files.robots.mjcf_defaults import ACTUATORS, Settings, View
from trammel.files.robots.parts import free_name
from trammel.files.robots.poses import Pose, from_quaternion
from trammel.files.robots.robot import WORLD, Actuator, Joint, Relation, Robot, Spring, Tendon
from trammel.files.robots.xml_tree import Element

SOFT = "it holds exactly here, where MuJoCo lets it give a little"
Sum = tuple[tuple[float, str, int], ...]


def read_tendons(root: Element, robot: Robot, settings: Settings) -> None:
    """Tendons: springs along straight ones; what equalities and actuators need of the others."""
    tendons = _tendons(root, settings)
    for name, (element, value) in tendons.items():
        stiffness, damping = (_first(element, key) for key in ("stiffness", "damping"))
        if element.number("frictionloss") or element.number("armature"):
            element.note_approximated("friction and armature of tendons are left out")
        if element.get("range") is not None:
            element.note_approximated("the range of a tendon is not enforced", what="range= of <tendon>", matters=False)
        element.get("limited")
        rest = element.get("springlength")
        if not (stiffness or damping):
            continue
        sites = _sites(robot, value)
        words = (rest or "").split()
        numbers = list(element.numbers(" ".join(words), len(words), (), "springlength", False)) if words else []
        if sites is None:
            _along(element, robot, name, value, stiffness, damping, numbers)
            continue
        if len(set(numbers)) > 1:
            element.note_approximated(
                "it is slack at the middle of its two lengths only", what="springlength= of <spatial>"
            )
            numbers = [0.5 * (numbers[0] + numbers[-1])]
        (first, p), (second, q) = sites
        length = float(np.linalg.norm(robot.pose_of(first).at(p) - robot.pose_of(second).at(q)))
        free = numbers[0] if numbers and numbers[0] >= 0.0 else length
        robot.springs[name] = Spring(name, first, second, p, q, stiffness, damping, free, line=element.line)


def _along(
    element: View, robot: Robot, name: str, value: object, stiffness: float, damping: float, rest: list[float]
) -> None:
    """Spring and damper along a sum of coordinates; along what is wound round something they are told."""
    parts = _sum(element, robot, value)
    if parts is None:
        element.note_ignored("a spring or damper along a tendon that is wound round something")
        return
    drawn = _drawn(robot, parts)
    low, high = (rest[0], rest[-1]) if rest and rest[0] >= 0.0 else (drawn, drawn)
    robot.tendons[name] = Tendon(name, parts, stiffness, damping, low, high, line=element.line)


def _first(element: View, key: str) -> float:
    words = (element.get(key) or "0").split()
    numbers = element.numbers(" ".join(words), len(words), (0.0,), key, False) if words else (0.0,)
    return numbers[0] if numbers else 0.0


def _tendons(root: Element, settings: Settings) -> dict[str, tuple[View, object]]:
    out: dict[str, tuple[View, object]] = {}
    for section in root.all("tendon"):
        for own in section.all("fixed", "spatial"):
            element = View(
                own, settings.view(Element("tendon", dict(own.attributes), own.line, own.document), "").sources[1:]
            )
            own.asked.add("class")
            name = element.get("name") or free_name(f"tendon_line_{own.line}", out)
            if own.tag == "fixed":
                value: object = tuple((joint.number("coef"), joint.need("joint"), 0) for joint in own.all("joint"))
            else:
                sites = tuple(site.need("site") for site in own.all("site"))
                others = [child for child in own.children if child.tag in ("geom", "pulley")]
                for child in others:
                    child.skip()
                value = sites if len(sites) == 2 and not others else "wound"
            out[name] = (element, value)
    return out


def _sites(robot: Robot, value: object) -> tuple[tuple[str, np.ndarray], tuple[str, np.ndarray]] | None:
    """Links and points of the two sites of a straight tendon."""
    if not (
        isinstance(value, tuple) and len(value) == 2 and all(isinstance(v, str) and v in robot.frames for v in value)
    ):
        return None
    one, two = (robot.frames[v] for v in value)
    return (one[0], one[1].position), (two[0], two[1].position)


def _sum(element: Element, robot: Robot, value: object) -> Sum | None:
    """A fixed tendon as a sum of coordinates that exist."""
    if not (isinstance(value, tuple) and value and all(isinstance(part, tuple) for part in value)):
        return None
    for _, name, _ in value:
        if name not in robot.joints or len(robot.joints[name].axes) != 1:
            element.complain(f"it names {name!r}, which is no hinge or slide")
            return None
    return value


def _drawn(robot: Robot, parts: Sum) -> float:
    return math.fsum(factor * robot.joints[name].axes[axis].value for factor, name, axis in parts)


# --- equalities ---


def read_equalities(root: Element, robot: Robot, settings: Settings) -> None:
    """Loops and couplings."""
    tendons = _tendons(root, settings)
    for section in root.all("equality"):
        for own in section.children:
            own.seen = True
            element = settings.view(own, "")
            behind = settings.view(Element("equality", dict(own.attributes), own.line, own.document), "").sources[1:]
            element.sources += behind
            name = element.get("name") or free_name(f"{own.tag}_line_{own.line}", {**robot.joints, **robot.relations})
            if not element.flag("active", True):
                element.note_ignored("it is not active", matters=False)
            elif own.tag in ("connect", "weld"):
                _loop(element, robot, name)
            elif own.tag == "joint":
                first, second = element.need("joint1"), element.get("joint2")
                left = _sum(element, robot, ((1.0, first, 0),))
                right = () if second is None else _sum(element, robot, ((1.0, second, 0),))
                _relate(element, robot, name, left, right)
            elif own.tag == "tendon":
                _tendon(element, robot, name, tendons)
            else:
                element.note_ignored("this kind of equality is not taken over")


def _relate(element: View, robot: Robot, name: str, left: Sum | None, right: Sum | None) -> None:
    words = (element.get("polycoef") or "0 1 0 0 0").split()
    terms = element.numbers(" ".join(words), len(words), (0.0, 1.0), "polycoef", False)[:5]
    if left is None or right is None:
        return
    if not right:
        terms = terms[:1]
    name = free_name(name, {**robot.relations, **robot.joints})
    robot.relations[name] = Relation(
        name, left, right, tuple(terms), _drawn(robot, left), _drawn(robot, right), line=element.line
    )
    element.note_approximated(SOFT, matters=False)


def _tendon(element: View, robot: Robot, name: str, tendons: dict[str, tuple[View, object]]) -> None:
    values: list[object] = []
    for key in ("tendon1", "tendon2"):
        given = element.get(key)
        if given is None and key == "tendon2":
            values.append(None)
        elif given not in tendons:
            element.complain(f"{key}={given!r} is no tendon")
            return
        else:
            values.append(tendons[given][1])
    sites = _sites(robot, values[0])
    if sites is not None and values[1] is None:
        words = (element.get("polycoef") or "0").split()
        (first, p), (second, q) = sites
        drawn = float(np.linalg.norm(robot.pose_of(first).at(p) - robot.pose_of(second).at(q)))
        offset = element.numbers(words[0], 1, (0.0,), "polycoef", False)[0]
        joint = Joint(
            name, "rod", first, second, Pose(p), Pose(q), lead=drawn + offset, closing=True, line=element.line
        )
        if first == second or joint.lead <= 0.0:
            element.complain("the tendon must have a length and end on two different bodies")
            return
        robot.joints[name] = joint
        element.note_approximated(SOFT, matters=False)
        return
    left = _sum(element, robot, values[0])
    right = () if values[1] is None else _sum(element, robot, values[1])
    if left is None or right is None:
        element.note_ignored("a tendon that is wound round something")
        return
    _relate(element, robot, name, left, right)


def _loop(element: View, robot: Robot, name: str) -> None:
    """<connect> and <weld>, by bodies or by sites."""
    ends: list[tuple[str, Pose]] = []
    by_sites = element.get("site1") is not None
    for number in ("1", "2"):
        given = element.get(f"site{number}") if by_sites else element.get(f"body{number}")
        if by_sites:
            spot = robot.frames.get(given or "")
        else:
            spot = (given or WORLD, Pose()) if given is None or given == WORLD or given in robot.links else None
        if spot is None:
            element.complain(f"{'site' if by_sites else 'body'}{number}={given!r} does not exist")
            return
        ends.append(spot)
    (first, one), (second, two) = ends
    if first == second:
        element.complain(f"it connects {first!r} with itself; name two different bodies")
        return
    step = robot.pose_of(second).inverse @ robot.pose_of(first)  # the first body seen from the second, as drawn
    if element.tag == "connect":
        if not by_sites:
            one = Pose(np.array(element.vector("anchor")))
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


# --- actuators ---


def read_actuators(root: Element, robot: Robot, settings: Settings) -> None:
    """Motors and servos along hinges, slides and fixed tendons of one joint."""
    tendons = _tendons(root, settings)
    for section in root.all("actuator"):
        for own in section.children:
            own.seen = True
            if own.tag not in ACTUATORS:
                own.note_ignored("this kind of actuator is not taken over")
                continue
            element = settings.view(own, "")
            name = element.get("name") or free_name(f"actuator_line_{own.line}", robot.actuators)
            target = element.get("joint") or element.get("jointinparent")
            factor = 1.0
            tendon = element.get("tendon")
            if tendon in tendons:
                parts = tendons[tendon][1]
                if isinstance(parts, tuple) and len(parts) == 1 and isinstance(parts[0], tuple):
                    factor, target = parts[0][0], parts[0][1]
            if target is None:
                own.note_ignored(
                    "it acts along something else than a joint", matters=own.tag in ("position", "velocity", "general")
                )
            elif target not in robot.joints:
                own.complain(f"it names the joint {target!r}, which does not exist")
            elif len(robot.joints[target].axes) != 1:
                own.note_ignored(
                    "it acts on a ball or free joint", matters=own.tag in ("position", "velocity", "general")
                )
            else:
                made = _actuator(element, settings, name, target, factor)
                if made is not None and element.tag == "position":
                    made = _inheriting(element, made, None if tendon in tendons else robot.joints[target])
                if made is not None:
                    robot.actuators[name] = made


def _actuator(element: View, settings: Settings, name: str, joint: str, factor: float) -> Actuator | None:
    gear = element.get("gear")
    number = element.numbers(gear, len(gear.split()), (1.0,), "gear", False)[0] if gear and gear.split() else 1.0
    gain, bias = 1.0, (0.0, 0.0, 0.0)
    tag = element.tag
    if tag == "position":
        gain = element.number("kp", 1.0)
        bias = (0.0, -gain, -element.number("kv"))
        for key in ("timeconst", "dampratio"):
            if element.number(key):
                element.note_approximated("it is left out", what=f"{key}= of <position>")
    elif tag == "velocity":
        gain = element.number("kv", 1.0)
        bias = (0.0, 0.0, -gain)
    elif tag == "general":
        if element.get("dyntype", "none") != "none" or element.get("gaintype", "fixed") != "fixed":
            element.note_ignored("an actuator with dynamics of its own, or whose gain varies")
            return None
        gain = _numbers(element, "gainprm", (1.0,))[0]
        kind = element.get("biastype", "none")
        if kind == "affine":
            b = (*_numbers(element, "biasprm", (0.0,)), 0.0, 0.0, 0.0)
            bias = (b[0], b[1], b[2])
        elif kind != "none":
            element.note_ignored("an actuator whose bias is a muscle's or a program's")
            return None
        element.get("dynprm")
    elif tag != "motor":
        element.note_ignored(f"actuators of the kind {tag!r} are not taken over")
        return None
    low, high = _range(element, settings, "force")
    control_low, control_high = _range(element, settings, "ctrl")
    return Actuator(
        name, joint, 0, number * factor, gain, bias, low, high, control_low, control_high, line=element.line
    )


def _inheriting(element: View, actuator: Actuator, joint: Joint | None) -> Actuator:
    """A servo whose control has the range of its joint (inheritrange), as far as no nearer class gives a range for the control."""
    share = 0.0
    element.get("inheritrange")
    for source in element.sources:
        if "inheritrange" in source.attributes:
            share = source.number("inheritrange")
            break
        if "ctrlrange" in source.attributes:
            return actuator
    if share <= 0.0 or element.get("ctrllimited", "auto") in ("false", "0"):
        return actuator
    if joint is None or not math.isfinite(joint.axes[0].high - joint.axes[0].low):
        element.note_approximated(
            f"{actuator.joint!r} has no range to take over, so that the control is not limited",
            what="inheritrange= of <position>",
        )
        return actuator
    axis = joint.axes[0]
    mean, half = 0.5 * (axis.high + axis.low), 0.5 * share * (axis.high - axis.low)
    return replace(actuator, control_low=mean - half, control_high=mean + half)


def _numbers(element: View, key: str, default: tuple[float, ...]) -> tuple[float, ...]:
    words = (element.get(key) or "").split()
    return element.numbers(" ".join(words), len(words), default, key, False) if words else default


def _range(element: View, settings: Settings, what: str) -> tuple[float, float]:
    given, limited = element.get(f"{what}range"), element.get(f"{what}limited", "auto")
    low, high = element.vector(f"{what}range", 2, (0.0, 0.0))
    on = limited in ("true", "1") or (limited == "auto" and given is not None and settings.autolimits)
    return (low, high) if on and low < high else (-math.inf, math.inf)
