"""Links that are fixed to another become part of it: as bodies of their own they would only cost time."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from pytrammel.io.robots.geometry.shapes import moved_look
from pytrammel.io.robots.poses import Pose, on_axis
from pytrammel.io.robots.rigid import fixed_group, moved_part, together
from pytrammel.io.robots.robot import WORLD, Axis, Joint, Link, Robot, Strand

SAME = 1e-9  # how far two lengths may differ to be one


def fold(robot: Robot) -> Robot:
    """The same robot with links merged into what they are fixed to, masses and shapes added; the conversion report lists them."""
    out = replace(
        robot, links=dict(robot.links), joints=dict(robot.joints), springs=dict(robot.springs), bushings=dict(robot.bushings),
        frames=dict(robot.frames), tendons=dict(robot.tendons),
    )  # fmt: skip
    uses = _Uses(out)
    for name in list(robot.joints):
        joint = out.joints[name]
        if joint.kind != "fixed" or joint.closing:
            continue
        step = joint.on_parent @ joint.on_child.inverse  # the child's frame in the parent's
        child = out.links[joint.child]
        if joint.parent == WORLD:  # what stands on the ground stays a body if there is something to carry or to see
            if child.mass == 0.0 and not child.looks:
                _merge(out, uses, joint, joint.child, WORLD, step)
        elif out.links[joint.parent].mass == 0.0 and child.mass > 0.0:
            _merge(out, uses, joint, joint.parent, joint.child, step.inverse)
        elif child.mass == 0.0 or child.lift == out.links[joint.parent].lift:
            _merge(out, uses, joint, joint.child, joint.parent, step)
    for key, (link, pose) in out.frames.items():
        host, own = uses.host(link)
        out.frames[key] = (host, pose if own is None else own @ pose)
    return _hinged(out)


def _hinged(robot: Robot) -> Robot:
    """Two common points of the same two links are a hinge through both: MJCF says hinges of loops so."""
    balls = [joint for joint in robot.joints.values() if joint.closing and joint.kind == "ball"]
    for k, one in enumerate(balls):
        for two in balls[k + 1 :]:
            if (
                one.name not in robot.joints
                or two.name not in robot.joints
                or {one.parent, one.child} != {two.parent, two.child}
            ):
                continue
            other = two if two.parent == one.parent else replace(two, on_parent=two.on_child, on_child=two.on_parent)
            ways = [
                b.position - a.position for a, b in ((one.on_parent, other.on_parent), (one.on_child, other.on_child))
            ]
            lengths = [float(np.linalg.norm(way)) for way in ways]
            if min(lengths) == 0.0 or abs(lengths[0] - lengths[1]) > SAME * lengths[0]:
                continue
            frames = [
                Pose(end.position, on_axis(way)) for end, way in zip((one.on_parent, one.on_child), ways, strict=True)
            ]
            robot.joints[one.name] = replace(
                one, kind="revolute", on_parent=frames[0], on_child=frames[1], axes=(Axis(),)
            )
            del robot.joints[two.name]
            robot.conversion_report.add(
                "merged",
                f"{two.name!r}",
                f"with {one.name!r} it is one hinge",
                line=two.line,
                file=robot.path.name if robot.path else "",
            )
    return robot


class _Uses:
    """Names of what is on each link, so that a merged link is not looked for everywhere."""

    def __init__(self, robot: Robot) -> None:
        self.joints = _by_link((key, (joint.parent, joint.child)) for key, joint in robot.joints.items())
        self.springs = _by_link((key, (spring.first, spring.second)) for key, spring in robot.springs.items())
        self.bushings = _by_link((key, (bushing.first, bushing.second)) for key, bushing in robot.bushings.items())
        self.tendons = _by_link(
            (key, (end for strand in tendon.strands for end in (strand.first, strand.second)))
            for key, tendon in robot.tendons.items()
        )
        self.merged: dict[str, tuple[str, Pose]] = {}  # links that are gone: into which, and their frame there

    def move(self, gone: str, stays: str) -> None:
        """Enter everything that was on one link as being on another."""
        for names in (self.joints, self.springs, self.bushings, self.tendons):
            names.setdefault(stays, {}).update(names.pop(gone, {}))

    def host(self, link: str) -> tuple[str, Pose | None]:
        """The link that another one became part of at last, and its frame there; None if it is the same link."""
        way = []
        while link in self.merged:
            way.append(link)
            link = self.merged[link][0]
        step = None
        for each in reversed(way):  # later questions find the host directly
            own = self.merged[each][1]
            step = own if step is None else step @ own
            self.merged[each] = link, step
        return link, step


def _by_link(ends: Iterable[tuple[str, Iterable[str]]]) -> dict[str, dict[str, None]]:
    found: dict[str, dict[str, None]] = {}
    for key, links in ends:
        for link in links:
            found.setdefault(link, {})[key] = None
    return found


def _merge(robot: Robot, uses: _Uses, joint: Joint, gone: str, stays: str, step: Pose) -> None:
    """Put everything that is on `gone` onto `stays`; `step` is its frame there."""
    old = robot.links.pop(gone)
    del robot.joints[joint.name]
    for key in uses.joints.get(gone, ()):
        if key not in robot.joints:
            continue
        other = robot.joints[key]
        if other.parent == gone:
            other = replace(other, parent=stays, on_parent=step @ other.on_parent)
        if other.child == gone:
            other = replace(other, child=stays, on_child=step @ other.on_child)
        robot.joints[key] = other
    for key in uses.springs.get(gone, ()):
        spring = robot.springs[key]
        if spring.first == gone:
            spring = replace(spring, first=stays, at_first=step.at(spring.at_first))
        if spring.second == gone:
            spring = replace(spring, second=stays, at_second=step.at(spring.at_second))
        robot.springs[key] = spring
    for key in uses.bushings.get(gone, ()):
        bushing = robot.bushings[key]
        if bushing.first == gone:
            bushing = replace(bushing, first=stays, on_first=step @ bushing.on_first)
        if bushing.second == gone:
            bushing = replace(bushing, second=stays, on_second=step @ bushing.on_second)
        robot.bushings[key] = bushing
    for key in uses.tendons.get(gone, ()):
        tendon = robot.tendons[key]
        robot.tendons[key] = replace(
            tendon, strands=tuple(_moved(strand, gone, stays, step) for strand in tendon.strands)
        )
    uses.move(gone, stays)
    uses.merged[gone] = stays, step
    for key, point in old.points.items():
        robot.frames.setdefault(key, (gone, Pose(point)))
    robot.frames.setdefault(gone, (stays, step))
    if stays != WORLD:
        robot.links[stays] = _together(robot.links[stays], old, step)
    whom = "the ground" if stays == WORLD else repr(stays)
    file = robot.path.name if robot.path else ""
    robot.conversion_report.add(
        "merged",
        f"link {gone!r}",
        f"it is fixed to {whom} and part of it; its origin is a point",
        line=old.line,
        file=file,
    )


def _moved(strand: Strand, gone: str, stays: str, step: Pose) -> Strand:
    if strand.first == gone:
        strand = replace(strand, first=stays, at_first=step.at(strand.at_first))
    if strand.second == gone:
        strand = replace(strand, second=stays, at_second=step.at(strand.at_second))
    return strand


def _together(link: Link, old: Link, step: Pose) -> Link:
    """A link with another one fixed to it; an inertia without mass is added as well."""
    looks = link.looks + tuple(moved_look(look, step) for look in old.looks)
    if old.mass == 0.0 and not old.inertia.any():
        return replace(link, looks=looks)
    added = moved_part((old.mass, old.centroid, old.inertia), step)
    if link.mass > 0.0 or link.inertia.any():
        added = together((link.mass, link.centroid, link.inertia), added)
    mass, centroid, inertia = added
    return replace(link, looks=looks, mass=mass, centroid=centroid, inertia=inertia)


def share_inertias(robot: Robot) -> Robot:
    """The same robot, not merged: an inertia without mass goes to a link with mass that it is fixed to, which moves alike."""
    out = replace(robot, links=dict(robot.links))
    for name, link in robot.links.items():
        if link.mass > 0.0 or not link.inertia.any():
            continue
        hosts = [other for other in fixed_group(robot, name) if other != WORLD and robot.links[other].mass > 0.0]
        if hosts:
            host = out.links[min(hosts)]
            step = host.pose.inverse @ link.pose
            out.links[host.name] = replace(host, inertia=host.inertia + step.rotation @ link.inertia @ step.rotation.T)
            out.links[name] = replace(link, inertia=np.zeros((3, 3)))
    return out
