"""Tendons of MJCF: sums of coordinates, and straight strands between sites."""

from __future__ import annotations

import math
from dataclasses import replace

from pytrammel.io.robots.checks import free_name
from pytrammel.io.robots.mjcf.defaults import Settings, View
from pytrammel.io.robots.mjcf.joints import OFF
from pytrammel.io.robots.reference import length_of
from pytrammel.io.robots.robot import Robot, Spring, Strand, Tendon
from pytrammel.io.robots.xml_tree import Element

Sum = tuple[tuple[float, str, int], ...]
ACTING = {"stiffness": 3, "damping": 3, "frictionloss": 1, "armature": 1}  # most coefficients of each


def read_tendons(root: Element, robot: Robot, settings: Settings) -> None:
    """All tendons, with springs, dampers, friction and inertia along them."""
    slack: Robot | None = None
    for section in root.all("tendon"):
        for own in section.all("fixed", "spatial"):
            element = View(
                own, settings.view(Element("tendon", dict(own.attributes), own.line, own.document), "").sources[1:]
            )
            own.asked.add("class")
            name = element.get("name") or free_name(f"tendon_line_{own.line}", {**robot.tendons, **robot.unsupported})
            tendon = _fixed(element, robot, name) if own.tag == "fixed" else _spatial(element, robot, name)
            acting = _acting(element, settings, tendon or Tendon(name, ()))
            _range(element, robot, settings, name)
            if tendon is None:
                if (acting.is_elastic or acting.friction or acting.armature) and name in robot.unsupported:
                    element.note_ignored(f"it {robot.unsupported[name]}", what=f"what acts along tendon {name!r}")
                continue
            if acting.stiffness or any(acting.more_stiffness):
                slack = slack or _at_rest(robot)
                acting = _rested(element, acting, slack)
            robot.tendons[name] = acting
            _as_spring(robot, name)


def _fixed(element: View, robot: Robot, name: str) -> Tendon | None:
    parts = tuple((joint.need_numbers("coef")[0], joint.need("joint"), 0) for joint in element.all("joint"))
    for _, joint, _ in parts:
        if joint not in robot.joints or len(robot.joints[joint].axes) != 1:
            element.complain(f"it names {joint!r}, which is no hinge or slide")
            return None
    return Tendon(name, parts, line=element.line)


def _spatial(element: View, robot: Robot, name: str) -> Tendon | None:
    """Straight strands from site to site; one that is wound round a geom is not supported."""
    strands: list[Strand] = []
    before: str | None = None
    share = 1.0
    for child in element.children:
        child.seen = True
        if child.tag == "pulley":
            (divisor,), before = child.need_numbers("divisor"), None
            if divisor <= 0.0:
                child.complain(f"divisor is {divisor:g} but must be greater than 0")
            share = 1.0 / divisor if divisor > 0.0 else 1.0
        elif child.tag == "geom":
            for one in element.children:
                one.skip()
            robot.unsupported[name] = (
                f"is wound round the geom {child.attributes.get('geom')!r}, which is not supported"
            )
            return None
        elif child.tag == "site":
            site = child.need("site")
            if site not in robot.frames:
                child.complain(f"it names the site {site!r}, which does not exist")
                return None
            if before is not None:
                (first, p), (second, q) = robot.frames[before], robot.frames[site]
                strands.append(Strand(first, second, p.position, q.position, share))
            before = site
    return Tendon(name, (), line=element.line, strands=tuple(strands))


def _acting(element: View, settings: Settings, tendon: Tendon) -> Tendon:
    terms = {key: element.overlaid(key, (0.0,) * most) for key, most in ACTING.items()}
    for key, values in terms.items():
        element.need_positive(key, values[0])
        if OFF.get(key) in settings.off:
            terms[key] = (0.0,) * len(values)
    (k, *more_k), (d, *more_d) = terms["stiffness"], terms["damping"]
    low, high = settings.limits(element, "actuatorfrc") or (-math.inf, math.inf)
    return replace(
        tendon, stiffness=k, damping=d, friction=terms["frictionloss"][0], armature=terms["armature"][0], drive_low=low,
        drive_high=high, more_stiffness=(more_k[0], more_k[1]), more_damping=(more_d[0], more_d[1]),
    )  # fmt: skip


def _range(element: View, robot: Robot, settings: Settings, name: str) -> None:
    ends = settings.limits(element)
    if ends is not None and element.get("range") is not None:
        robot.tendon_ranges[name] = ends
        element.note_approximated("the range of a tendon is not enforced", what="range= of <tendon>", matters=False)


def _rested(element: View, tendon: Tendon, slack: Robot) -> Tendon:
    """The tendon with the lengths between which its spring is slack."""
    numbers = element.numbers_up_to("springlength", element.get("springlength") or "", 2)
    if not numbers or (numbers[0], numbers[-1]) == (-1.0, -1.0):  # MuJoCo's mark for a missing length
        numbers = (length_of(slack, tendon),)
    return replace(tendon, low=numbers[0], high=numbers[-1])


def _at_rest(robot: Robot) -> Robot:
    """The robot with its joints where their springs are slack."""
    moved = {
        name: tuple(axis.rest for axis in joint.axes)
        for name, joint in robot.joints.items()
        if not joint.closing and any(axis.rest != axis.value for axis in joint.axes)
    }
    if not moved:
        return robot
    slack = replace(robot, joints=dict(robot.joints), links=dict(robot.links))
    slack.place(moved)
    return slack


def _as_spring(robot: Robot, name: str) -> None:
    """Make the spring of one straight strand a spring between two points, which all formats have."""
    tendon = robot.tendons[name]
    if len(tendon.strands) != 1 or tendon.low != tendon.high or not (tendon.stiffness or tendon.damping):
        return
    if any(tendon.more_stiffness) or any(tendon.more_damping):
        return
    strand = tendon.strands[0]
    if strand.share != 1.0 or strand.first == strand.second:
        return
    robot.springs[name] = Spring(
        name, strand.first, strand.second, strand.at_first, strand.at_second, tendon.stiffness, tendon.damping,
        tendon.low, line=tendon.line,
    )  # fmt: skip
    robot.tendons[name] = replace(tendon, stiffness=0.0, damping=0.0, low=0.0, high=0.0)
