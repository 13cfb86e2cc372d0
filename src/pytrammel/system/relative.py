"""Relative coordinates after Kamman: which body hangs on which lower body, by which joint frames, and which coordinates a joint locks.

Each body has six coordinates against its lower body: three 1-2-3 angles between a joint frame on the lower body and one on the body
itself, and three translations of the body's joint point along the axes of the lower frame. A joint is what it leaves unknown of these.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pytrammel import rotations
from pytrammel.errors import ModelError
from pytrammel.joints.constraint import Constraint, Freedom
from pytrammel.model.bodies import GROUND
from pytrammel.system.lowering import System
from pytrammel.system.topology import Branch, Topology

Array = NDArray[np.float64]
STRAIGHT = 1e-9  # how far two directions may be apart to count as one
ZERO = 1e-9  # locked values below this, in radians or of the model's size, are zero
NAMES = ("theta1", "theta2", "theta3", "s1", "s2", "s3")
SPEEDS = ("omega1", "omega2", "omega3", "s1", "s2", "s3")


class Pose(NamedTuple):
    """Place of a body: origin and rotation matrix; bodies of the plane turn about the third axis."""

    r: Array
    A: Array


@dataclass(frozen=True)
class Link:
    """A body and how it hangs on its lower body.

    Attributes:
        body, lower: Names.
        joint: The joint between them; "" for a body that is free.
        kind: In Kamman's words: "hinge 1", "universal 1-3", "prismatic 2", "spherical", "rigid", "free", ...
        free: Which of its six coordinates the joint leaves unknown: three angles, three translations.
        frame: Axes of the joint frame on the lower body, its components, columns (D).
        own_frame: Axes of the joint frame on the body, its components, columns (B).
        point, own_point: Origins of these frames, body components [m].
        locked: Values of the six coordinates where they are locked [rad, m].
    """

    body: str
    lower: str
    joint: str
    kind: str
    free: tuple[bool, ...]
    frame: Array
    own_frame: Array
    point: Array
    own_point: Array
    locked: Array

    @property
    def is_ball(self) -> bool:
        """All three angles are unknown."""
        return all(self.free[:3])


@dataclass(frozen=True)
class Relative:
    """The structure of a mechanism in relative coordinates.

    Attributes:
        links: Bodies with their lower bodies, lower ones first.
        rows: Rows that no locked coordinate stands for: cut joints, gears, cams, formulas, drivers.
    """

    system: System
    links: tuple[Link, ...]
    rows: tuple[int, ...]

    @property
    def lower(self) -> tuple[int, ...]:
        """The body-connection array: number of each body's lower body, 0 for the ground, numbers from 1 in the order of the links."""
        number = {GROUND: 0, **{link.body: k + 1 for k, link in enumerate(self.links)}}
        return tuple(number[link.lower] for link in self.links)

    def names(self, *, parameters: bool = False) -> tuple[str, ...]:
        """Names of the 6N speeds, six for each link; with Euler parameters the rotational ones are angular velocities."""
        return tuple(
            f"{link.body}.{name}"
            for link in self.links
            for name in (SPEEDS if parameters and link.is_ball else NAMES)
        )  # fmt: skip


def relative_structure(
    system: System, topology: Topology, q: Array, axes: Mapping[str, int | Sequence[int]] | None = None
) -> Relative:
    """Links of a spanning tree with joint frames that fit its joints at a pose.

    A joint that is not one of Kamman's is cut: its body is free, and its rows act.

    Args:
        system: The system.
        topology: The tree.
        q: A pose in which the joints are closed.
        axes: Which axes of the joint frames a joint turns about or slides along, by joint: 1, 2 or 3 for one with one axis, two of them for
            a universal joint. The bodies' own axes are used where they fit, and the third (1 and 3 for a universal joint) elsewhere.
    """
    wanted = _checked_axes(system, axes or {})
    links: list[Link] = []
    left: set[str] = set()
    for branch in topology.branches:
        link = _link(system, branch, q, wanted.get(branch.joint)) if branch.joint else None
        if link is None:
            if branch.joint in wanted:
                raise ModelError(
                    f"axes={{{branch.joint!r}: ...}}: this joint is none that relative coordinates hold by locking some of them; "
                    "leave it out of axes=."
                )
            left.add(branch.joint)
            links.append(_free(branch.body, system.per_body == 3))
        else:
            links.append(link)
    inside = {link.joint for link in links if link.joint}
    unused = [name for name in wanted if name not in inside]
    if unused:
        raise ModelError(
            f"axes={{{unused[0]!r}: ...}}: this joint closes a loop and has no coordinates here; leave it out of axes=."
        )
    owners = {branch.joint for branch in topology.branches} - left
    acting = {*topology.rows, *(k for k, row in enumerate(system.rows) if row.owner in left)}
    assert not any(system.rows[k].owner in owners for k in topology.rows)
    return Relative(system, tuple(links), tuple(sorted(acting)))


def _checked_axes(system: System, axes: Mapping[str, int | Sequence[int]]) -> dict[str, tuple[int, ...]]:
    out = {}
    for name, value in axes.items():
        if name not in system.model.constraints:
            raise ModelError(f"axes={{{name!r}: ...}}: model {system.model.name!r} has no joint of this name.")
        given = tuple(value) if isinstance(value, list | tuple) else (value,)
        fits = len(given) in (1, 2) and all(isinstance(a, int) and a in (1, 2, 3) for a in given)
        if not fits or (len(given) == 2 and not given[0] < given[1]):
            raise ModelError(
                f"axes={{{name!r}: {value!r}}}: give 1, 2 or 3, or for a universal joint (1, 2), (1, 3) or (2, 3)."
            )
        out[name] = given
    return out


def _free(body: str, plane: bool) -> Link:
    zero, unknown = np.zeros(3), (False, False, True, True, True, False) if plane else (True,) * 6
    return Link(body, GROUND, "", "free", unknown, np.eye(3), np.eye(3), zero, zero, np.zeros(6))


def _in_space(point: Sequence[float]) -> Array:
    return np.asarray(point if len(point) == 3 else (*point, 0.0), dtype=np.float64)


def _link(system: System, branch: Branch, q: Array, wanted: tuple[int, ...] | None) -> Link | None:
    """How a joint of the tree holds its body, or None if it does not lock relative coordinates."""
    joint = system.model.constraints[branch.joint]
    lower, own = pose_of(system, q, branch.parent), pose_of(system, q, branch.body)
    first = 1 if branch.turned_round else 0  # the seat on the lower body
    free = joint.freedom or ()
    turns = [f for f in free if f.kind == "rotation"]
    slides = [f for f in free if f.kind == "translation"]
    poses = (lower, own) if first == 0 else (own, lower)

    plane = system.per_body == 3

    def direction(f: Freedom) -> Array:
        """Of a motion, in the lower body's components."""
        axis = (*f.axis, 0.0) if plane and f.axis else f.axis or (0.0, 0.0, 1.0)
        return np.asarray(lower.A.T @ poses[f.seat].A @ np.asarray(axis))

    if any(f.pitch for f in turns) or (len(turns) == 2 and (slides or turns[0].seat == turns[1].seat)):
        return None
    turned = [direction(f) for f in sorted(turns, key=lambda f: f.seat != first)]
    slid = [direction(f) for f in slides]
    carried = all(f.seat == first for f in slides)
    if not _slides_fit(turned, slid, carried):
        return None
    chosen = _frames(turned, slid, lower, own, wanted, branch.joint, plane)
    if chosen is None:
        return None
    frame, own_frame, angles = chosen
    along = [any(abs(abs(frame[:, j] @ s) - 1.0) < STRAIGHT for s in slid) or len(slid) == 3 for j in range(3)]
    if len(slid) == 2:
        normal = np.cross(slid[0], slid[1])
        along = [abs(float(frame[:, j] @ normal)) < STRAIGHT * float(np.linalg.norm(normal)) for j in range(3)]
    if sum(along) != len(slid):
        return None
    unknown = (*(k in angles for k in range(3)), *along)
    if plane:
        unknown = (*unknown[:5], False)
    seats = (joint.seats[first], joint.seats[1 - first])
    link = Link(
        branch.body, branch.parent, branch.joint, _kind(joint, angles, along), unknown, frame, own_frame,
        _in_space(seats[0].point), _in_space(seats[1].point), np.zeros(6),
    )  # fmt: skip
    found = coordinates(link, lower, own)
    locked = np.where(unknown, 0.0, found)
    locked[np.abs(locked) < ZERO * np.array([1.0, 1.0, 1.0, *(3 * [system.length])])] = 0.0
    return replace(link, locked=locked)


def _slides_fit(turned: Sequence[Array], slid: Sequence[Array], carried: bool) -> bool:
    """Return True if translations along axes of the lower body are what the joint's slides are."""
    if len(slid) in (0, 3) or not turned:
        return True
    if len(slid) == 2:
        normal = np.cross(slid[0], slid[1])
        return carried or (len(turned) == 1 and _parallel(normal / np.linalg.norm(normal), turned[0]))
    return carried or (len(turned) == 1 and _parallel(slid[0], turned[0]))


def _parallel(a: Array, b: Array) -> bool:
    return bool(np.linalg.norm(np.cross(a, b)) < STRAIGHT)


def _frames(
    turned: Sequence[Array],
    slid: Sequence[Array],
    lower: Pose,
    own: Pose,
    wanted: tuple[int, ...] | None,
    joint: str,
    plane: bool,
) -> tuple[Array, Array, tuple[int, ...]] | None:
    """Joint frames on the lower body and on the body, and the numbers of the free angles; None if no frame fits."""
    normal = [np.cross(slid[0], slid[1])] if len(slid) == 2 else list(slid) if len(slid) == 1 else []
    normal = [n / np.linalg.norm(n) for n in normal]
    relative = lower.A.T @ own.A  # of the body in the lower body's components
    if len(turned) == 2:
        if abs(turned[0] @ turned[1]) > STRAIGHT:
            return None
        # the second arm is carried by the body: is it one of its axes, as the first is one of the lower body's?
        natural = _axis_number(turned[0]), _axis_number(relative.T @ turned[1])
        fits = None not in natural and natural[0] < natural[1]  # type: ignore[operator]
        pair = wanted or (natural if fits else (1, 3))
        if len(pair) != 2:
            raise ModelError(
                f"axes={{{joint!r}: {pair[0]}}}: a universal joint turns about two axes; give (1, 2), (1, 3) or (2, 3)."
            )
        a, b = (int(k or 0) - 1 for k in pair)
        if fits and tuple(pair) == natural and np.abs(_locked_angles(relative, (a, b))).max() < ZERO:
            return np.eye(3), np.eye(3), (a, b)
        frame = _triad({a: turned[0], b: turned[1]})
        return frame, relative.T @ frame, (a, b)
    if wanted is not None and len(wanted) != 1:
        raise ModelError(f"axes={{{joint!r}: {wanted}}}: this joint has one axis; give 1, 2 or 3.")
    mains = list(turned) if len(turned) == 1 else normal
    if wanted is not None and not mains:
        raise ModelError(f"axes={{{joint!r}: {wanted[0]}}}: this joint has no axis to choose; leave it out of axes=.")
    number = _axis_number(mains[0]) if mains else 1
    extra = [n for n in normal if mains and not _parallel(n, mains[0])]
    aligned = number is not None and (wanted is None or wanted == (number,)) and all(_axis_number(n) for n in extra)
    if aligned:
        frame = np.eye(3)
    else:
        number = wanted[0] if wanted else 1 if plane and not turned else 3
        if plane and (number == 3) == (not turned):
            raise ModelError(
                f"axes={{{joint!r}: {number}}}: in the plane joints turn about axis 3 and slide along 1 or 2."
            )
        given = {number - 1: mains[0]}
        if plane and not turned:
            given[2] = np.array([0.0, 0.0, 1.0])
        if extra:
            given[number % 3] = extra[0]
        frame = _triad(given)
    assert number is not None
    angles = (0, 1, 2) if len(turned) == 3 else (number - 1,) if turned else ()
    if aligned and (len(turned) == 3 or (turned and np.abs(_locked_angles(relative, angles)).max() < ZERO)):
        return frame, np.eye(3), angles
    return frame, relative.T @ frame, angles


def _axis_number(direction: Array) -> int | None:
    """1, 2 or 3 if a direction lies along an axis, whichever way."""
    k = int(np.argmax(np.abs(direction)))
    return k + 1 if _parallel(direction, np.eye(3)[k]) else None


def _triad(given: Mapping[int, Array]) -> Array:
    """Right-handed axes, columns, of which one or two are given."""
    (a, first), *more = given.items()
    frame = np.zeros((3, 3))
    frame[:, a] = first / np.linalg.norm(first)
    if more:
        b, second = more[0]
    else:
        b, second = (a + 1) % 3, np.eye(3)[int(np.argmin(np.abs(first)))]
    second = second - frame[:, a] * (frame[:, a] @ second)
    frame[:, b] = second / np.linalg.norm(second)
    c = 3 - a - b
    frame[:, c] = np.cross(frame[:, (c + 1) % 3], frame[:, (c + 2) % 3])
    return frame


def _kind(joint: Constraint, angles: Sequence[int], along: Sequence[bool]) -> str:
    """A joint in Kamman's words."""
    turning = "-".join(str(a + 1) for a in angles)
    sliding = "-".join(str(k + 1) for k in range(3) if along[k])
    names = {(0, 0): "rigid", (1, 0): f"hinge {turning}", (2, 0): f"universal {turning}", (3, 0): "spherical"}
    names |= {(0, 1): f"prismatic {sliding}", (3, 3): "free"}
    if turning == sliding and turning:
        names[1, 1] = f"cylindrical {turning}"
    return names.get((len(angles), sum(along)), f"{joint.kind}: theta {turning or 'none'}, s {sliding or 'none'}")


# --- coordinates at a pose ------------------------------------------------------------------------------------------------


def pose_of(system: System, q: Array, body: str) -> Pose:
    """Where a body is."""
    if body == GROUND:
        return Pose(np.zeros(3), np.eye(3))
    k = list(system.model.bodies).index(body) - 1
    if system.per_body == 3:
        x, y, phi = q[3 * k : 3 * k + 3]
        return Pose(np.array([x, y, 0.0]), angle_matrix((0.0, 0.0, phi)))
    return Pose(q[7 * k : 7 * k + 3], np.asarray(rotations.matrix(rotations.normalised(q[7 * k + 3 : 7 * k + 7]))))


def angle_matrix(theta: Sequence[float] | Array) -> Array:
    """Rotation by 1-2-3 angles: columns are the turned axes."""
    (c1, c2, c3), (s1, s2, s3) = np.cos(theta), np.sin(theta)
    one = np.array([[1.0, 0.0, 0.0], [0.0, c1, -s1], [0.0, s1, c1]])
    two = np.array([[c2, 0.0, s2], [0.0, 1.0, 0.0], [-s2, 0.0, c2]])
    three = np.array([[c3, -s3, 0.0], [s3, c3, 0.0], [0.0, 0.0, 1.0]])
    return np.asarray(one @ two @ three)


def _angles(turn: Array, free: Sequence[int]) -> Array:
    """1-2-3 angles of a rotation. Where some are locked at zero the others have their whole range."""
    theta = np.zeros(3)
    if len(free) == 3:
        theta[1] = np.arctan2(turn[0, 2], np.hypot(turn[0, 0], turn[0, 1]))
        theta[0], theta[2] = np.arctan2(-turn[1, 2], turn[2, 2]), np.arctan2(-turn[0, 1], turn[0, 0])
        return theta
    known = set(free)
    if 0 in known:
        theta[0] = np.arctan2(turn[2, 1], turn[1, 1]) if 2 not in known else np.arctan2(-turn[1, 2], turn[2, 2])
    if 1 in known:
        theta[1] = np.arctan2(turn[0, 2], turn[2, 2] if 2 in known else turn[0, 0])
    if 2 in known:
        theta[2] = np.arctan2(-turn[0, 1], turn[0, 0]) if 1 not in known else np.arctan2(turn[1, 0], turn[1, 1])
    return theta


def _locked_angles(turn: Array, free: Sequence[int]) -> Array:
    """What is left of a rotation beside its free angles."""
    return np.asarray(turn - angle_matrix(_angles(turn, free)))


def relative_turn(link: Link, lower: Pose, own: Pose) -> Array:
    """Rotation of the body's joint frame against the one on its lower body, columns."""
    return np.asarray(link.frame.T @ lower.A.T @ own.A @ link.own_frame)


def coordinates(link: Link, lower: Pose, own: Pose) -> Array:
    """The six relative coordinates of a body at a pose [rad, m]."""
    reach = lower.A.T @ (own.r + own.A @ link.own_point - lower.r) - link.point
    turn = relative_turn(link, lower, own)
    return np.concatenate([_angles(turn, [k for k in range(3) if link.free[k]]), link.frame.T @ reach])


def anchored(link: Link, lower: Pose, own: Pose) -> Link:
    """The same ball with joint frames that have all angles zero at this pose."""
    if any(link.free[3:]) and not all(link.free[3:]):
        # translations along axes of the lower frame are locked: the other frame turns
        return replace(link, own_frame=own.A.T @ lower.A @ link.frame)
    return replace(link, frame=lower.A.T @ own.A @ link.own_frame)
