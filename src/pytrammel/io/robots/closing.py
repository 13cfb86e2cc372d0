"""Closing of loops along the tree: a pose of the tree in which the joints that close loops fit.

Unlike the general assembly, which moves bodies, this search keeps all joints of the tree closed, so that no weld can end up reversed
and a robot whose loops are far open in the file still closes.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from pytrammel._util.messages import number_of
from pytrammel._util.threads import one_thread
from pytrammel.io.robots.poses import Array, Pose, to_quaternion, turn
from pytrammel.io.robots.robot import WORLD, Joint, Relation, Robot, in_order

CLOSED = 1e-12  # misfit up to which loops are closed, angles in rad, lengths relative to the robot's size
FINAL = 1e-15  # misfit at which the search ends
OPEN = 1e-9  # misfit from which on loops are open
TRIES = 2  # random starts, all joints free
STEPS = 150  # limit of steps of one search
LONGEST = 0.5  # limit of one step [rad, lengths relative to the robot's size]
SMALLEST = 1e-12  # damping near the solution
RANK = 1e-10  # singular values below this fraction of the largest are rounding
STALL = 0.995  # ratio of squared misfits above which a step does not help
STALLED = 10  # limit of such steps in succession
PATIENT = 0.99999  # the same ratio for the pose whose gaps are reported
# coordinates that are distances, by kind of joint
SLIDES = {"prismatic": (0,), "cylindrical": (1,), "planar": (0, 1)}
Row = tuple[bool, Array, Array]  # whether lengths, misfits, derivatives


@dataclass(frozen=True)
class Gap:
    """Misfit of a joint that closes a loop: distance [m] and angle [rad]."""

    name: str
    distance: float
    angle: float

    def __str__(self) -> str:
        turned = f" and {math.degrees(self.angle):.3g}°" if self.angle > OPEN else ""
        return f"{self.name!r} by {1e3 * self.distance:.4g} mm{turned}"


@dataclass(frozen=True)
class Closure:
    """A closed pose, or the nearest one to it that was found.

    Attributes:
        robot: The robot, drawn in this pose.
        before, after: Misfits of the loops in the initial pose and in this one.
        alone: Misfits of the loops that do not close even where all other loops are cut.
        held: Joints that kept their values.
        moved: Movement by joint [rad or m].
    """

    robot: Robot
    before: tuple[Gap, ...]
    after: tuple[Gap, ...]
    alone: tuple[Gap, ...]
    held: tuple[str, ...]
    moved: dict[str, float]


def close(robot: Robot, hold: Sequence[Collection[str]] = ((),)) -> Closure | None:
    """Close the loops of a robot; None if they are closed already.

    Args:
        robot: The robot.
        hold: Groups of joints that keep their values; where the loops do not close with one group, the next one is tried.
    """
    if not any(joint.closing for joint in robot.joints.values()):
        return None
    with one_thread():
        return _closed(_Tree(robot), hold)


def _closed(tree: _Tree, hold: Sequence[Collection[str]]) -> Closure | None:
    if tree.misfit(tree.start) <= OPEN:
        return None
    best: tuple[float, _State, tuple[str, ...]] | None = None
    random = np.random.default_rng(20)
    for attempt in range(TRIES + 1):
        for group in hold if not attempt else hold[-1:]:
            free = tree.free(group)
            wild = np.zeros(tree.count)
            wild[free] = attempt / TRIES * math.pi * random.uniform(-1.0, 1.0, free.size)
            state = tree.search(tree.moved(tree.start, wild), free)
            size = tree.misfit(state)
            if best is None or size < 0.99 * best[0]:
                best = size, state, tuple(group)
            if size <= CLOSED:
                return tree.closure(*best[1:], closed=True)
    assert best is not None
    nearest = tree.search(best[1], tree.free(best[2]), PATIENT)
    return tree.closure(nearest, best[2], closed=False)


def drawn_closed(robot: Robot, posed: Collection[str], tolerance: float) -> Robot:
    """Robot in a pose with closed loops; the conversion report states which joints moved and which loops stay open.

    Args:
        robot: The robot.
        posed: Joints whose values the user gave.
        tolerance: Gap of loops that is accepted [m].
    """
    motors = {motor.joint for motor in robot.actuators.values()}
    found = close(robot, [(*motors, *posed), tuple(posed), ()])
    if found is None:
        return robot
    report = robot.conversion_report
    file = "" if robot.path is None else robot.path.name
    if found.moved:
        report.add("moved", number_of(len(found.moved), "joint"), _movement(found, motors, posed), file=file)
    missed = [gap for gap in found.after if gap.distance > tolerance]
    if missed:
        together = f"{number_of(len(missed), 'loop')} cannot close together; in the nearest pose found they miss: {_listed(missed)}"
        alone = f". Of these, the following cannot close even alone: {_listed(found.alone)}" if found.alone else ""
        report.add("approximated", "loops", together + alone, file=file, matters=True)
    return found.robot


def _movement(found: Closure, motors: Collection[str], posed: Collection[str]) -> str:
    """Text of what moved, and how open the loops were before."""
    gap = max(found.before, key=lambda gap: (gap.distance, gap.angle))
    robot = found.robot
    sizes = sorted(found.moved.items(), key=lambda item: -item[1])
    shown = ", ".join(f"{name!r} by {size:.3g} {_unit(robot, name)}" for name, size in sizes[:3])
    kept = []
    for word, names in (("motors", motors), ("joints of pose=", posed)):
        moved = [name for name in names if name in found.moved]
        if names:
            kept.append(f"{word} moved: {', '.join(sorted(moved))}" if moved else f"{word} keep their values")
    return "; ".join([f"to close the loops, which are open as drawn (loop {gap})", f"most {shown}", *kept])


def _unit(robot: Robot, name: str) -> str:
    return "m" if robot.joints[name].kind == "prismatic" else "rad"


def _listed(gaps: Sequence[Gap]) -> str:
    return ", ".join(map(str, gaps))


@dataclass(frozen=True)
class _State:
    """Values of the tree's coordinates, and rotations of its ball joints, which have three coordinates without values."""

    values: Array
    balls: dict[str, Array]


class _Tree:
    """Coordinates of the tree, poses along it, and misfits of loops. Distances count relative to the robot's size."""

    def __init__(self, robot: Robot) -> None:
        self.robot = robot
        self.joints = in_order(robot)
        self.loops = [joint for joint in robot.joints.values() if joint.closing]
        self.links = {name: k for k, name in enumerate([WORLD, *robot.links])}
        self.size = (
            max((float(np.linalg.norm(j.on_parent.position)) for j in robot.joints.values()), default=0.0) or 1.0
        )
        self.backwards = {joint.name: joint.on_child.inverse for joint in self.joints}
        counts = [3 if joint.kind == "ball" else len(joint.axes) for joint in self.joints]
        ends = np.cumsum([0, *counts])
        self.own = {joint.name: slice(a, b) for joint, a, b in zip(self.joints, ends[:-1], ends[1:], strict=True)}
        self.count = int(ends[-1])
        self.slides, self.leads, values = np.zeros(self.count, dtype=bool), np.zeros(self.count), np.zeros(self.count)
        self.moves = np.zeros((len(self.links), self.count), dtype=bool)  # coordinates that move each link
        for joint in self.joints:
            own, child = self.own[joint.name], self.links[joint.child]
            self.slides[[own.start + k for k in SLIDES.get(joint.kind, ())]] = True
            self.moves[child] = self.moves[self.links[joint.parent]]
            self.moves[child, own] = True
            if joint.axes:
                values[own] = joint.values
            if joint.kind == "screw":
                self.leads[own] = joint.lead / (2.0 * math.pi)
        self.units = np.where(self.slides, self.size, 1.0)
        self.start = _State(
            values, {joint.name: joint.moved(()).rotation for joint in self.joints if joint.kind == "ball"}
        )

    def free(self, held: Collection[str]) -> NDArray[np.int64]:
        """Coordinates of the joints that are not held."""
        keep = np.ones(self.count, dtype=bool)
        for name in held:
            if name in self.own:
                keep[self.own[name]] = False
        return np.flatnonzero(keep)

    def moved(self, state: _State, step: Array) -> _State:
        """A state after a step of all coordinates."""
        balls = {}
        for name, rotation in state.balls.items():
            vector = step[self.own[name]]
            angle = float(np.linalg.norm(vector))
            balls[name] = turn(vector / angle, angle) @ rotation if angle else rotation
        return _State(state.values + step * self.units, balls)

    # --- poses and misfits ---

    def poses(self, state: _State) -> tuple[dict[str, Pose], Array, Array]:
        """Poses of the links, and per coordinate its axis and a point on it, in the world."""
        found = {WORLD: Pose()}
        axes, points = np.zeros((self.count, 3)), np.zeros((self.count, 3))
        for joint in self.joints:
            own = self.own[joint.name]
            base = found.get(joint.parent)
            frame = (self.robot.pose_of(joint.parent) if base is None else base) @ joint.on_parent
            if joint.kind == "ball":
                inner = Pose(np.zeros(3), state.balls[joint.name])
            else:
                inner = joint.moved(tuple(state.values[own].tolist()))
            if own.stop > own.start:
                axes[own], points[own] = _lines(joint, frame, frame @ inner)
            found[joint.child] = frame @ inner @ self.backwards[joint.name]
        return found, axes, points

    def frames(self, joint: Joint, poses: dict[str, Pose]) -> tuple[Pose, Pose]:
        """Both frames of a joint."""
        first, second = poses.get(joint.parent), poses.get(joint.child)
        return (
            (self.robot.pose_of(joint.parent) if first is None else first) @ joint.on_parent,
            (self.robot.pose_of(joint.child) if second is None else second) @ joint.on_child,
        )

    def rows(self, state: _State) -> tuple[Array, Array]:
        """Misfits of loops and relations, and their derivatives by the coordinates."""
        poses, axes, points = self.poses(state)
        spins = np.where(self.slides[:, None], 0.0, axes)
        moments = self.leads[:, None] * axes - np.cross(axes, points)
        values, slopes = [np.zeros(0)], [np.zeros((0, self.count))]
        for joint in self.loops:
            one, two = self.frames(joint, poses)
            # coordinates before both frames move both alike; those before the parent's frame only move the child's backwards
            sign = self.moves[self.links[joint.child]].astype(float) - self.moves[self.links[joint.parent]]
            shifts = np.where(self.slides[:, None], axes, axes @ _cross(two.position) + moments)
            shift, spin = (one.rotation.T @ (sign[:, None] * table).T for table in (shifts, spins))
            for is_length, value, slope in _misfits(joint, one.inverse @ two, shift, spin):
                scale = 1.0 / self.size if is_length else 1.0
                values.append(scale * value)
                slopes.append(scale * slope * self.units)
        for relation in self.robot.relations.values():
            found = self.relation(relation, state.values)
            if found is not None:
                values.append(found[0])
                slopes.append(found[1] * self.units)
        return np.concatenate(values), np.vstack(slopes)

    def relation(self, relation: Relation, x: Array) -> tuple[Array, Array] | None:
        """Misfit of a relation between coordinates of the tree, and its derivatives."""
        if any(name not in self.own for _, name, _ in (*relation.left, *relation.right)):
            return None
        left, right = np.zeros(self.count), np.zeros(self.count)
        for slope, side in ((left, relation.left), (right, relation.right)):
            for factor, name, axis in side:
                slope[self.own[name].start + axis] += factor
        law = np.polynomial.Polynomial(relation.coefficients or (0.0,))
        base = float(right @ x) - relation.right0 if relation.right else 0.0
        scale = 1.0 / self.size if self.slides[left != 0.0].all() else 1.0
        value = float(left @ x) - relation.left0 - float(law(base))
        return np.array([scale * value]), (scale * (left - float(law.deriv()(base)) * right))[None]

    def misfit(self, state: _State) -> float:
        """Largest misfit."""
        return float(np.abs(self.rows(state)[0]).max(initial=0.0))

    def gaps(self, state: _State) -> tuple[Gap, ...]:
        """Misfits of relations that do not hold and of joints that close loops and are open."""
        poses = self.poses(state)[0]
        out = []
        for relation in self.robot.relations.values():
            row = self.relation(relation, state.values)
            if row is not None and abs(row[0][0]) > OPEN:
                is_length = bool(self.slides[row[1][0] != 0.0].all())
                size = abs(float(row[0][0]))
                out.append(Gap(relation.name, self.size * size if is_length else 0.0, 0.0 if is_length else size))
        for joint in self.loops:
            one, two = self.frames(joint, poses)
            found = list(_misfits(joint, one.inverse @ two, np.zeros((3, 0)), np.zeros((3, 0))))
            squares = [sum(float(value @ value) for kind, value, _ in found if kind is wide) for wide in (True, False)]
            sizes = [math.sqrt(square) for square in squares]
            if max(sizes[0] / self.size, sizes[1]) > OPEN:
                out.append(Gap(joint.name, *sizes))
        return tuple(out)

    # --- search ---

    def search(self, state: _State, free: NDArray[np.int64], stall: float = STALL) -> _State:
        """State found by Levenberg–Marquardt steps of the free coordinates."""
        rows, slopes = self.rows(state)
        cost, damping, stalled = float(rows @ rows), 1e-3, 0
        step = np.zeros(self.count)
        for _ in range(STEPS):
            if np.abs(rows).max(initial=0.0) <= FINAL or damping > 1e6 or stalled > STALLED or not free.size:
                break
            step[free], used = _damped_step(rows, slopes[:, free], damping)
            new = self.moved(state, step)
            tried = self.rows(new)
            found = float(tried[0] @ tried[0])
            if not found < cost:
                if math.sqrt(cost) < CLOSED:
                    break
                damping = 10.0 * used
                continue
            stalled = stalled + 1 if found > stall * cost else 0
            state, (rows, slopes), cost = new, tried, found
            damping = max(SMALLEST, 0.1 * damping)
        return state

    def single_gaps(self) -> Iterator[Gap]:
        """Misfits of loops that do not close where all other loops are cut."""
        loops, everything = self.loops, self.free(())
        for joint in loops:
            self.loops = [joint]
            state = self.search(self.start, everything, PATIENT)
            if self.misfit(state) > OPEN:
                yield from self.gaps(state)
        self.loops = loops

    def closure(self, state: _State, held: tuple[str, ...], *, closed: bool) -> Closure:
        """The robot drawn in a state, and what moved."""
        robot = replace(self.robot, joints=dict(self.robot.joints), links=dict(self.robot.links))
        moved, values = {}, {}
        for joint in self.joints:
            if joint.kind == "ball":
                rotation = state.balls[joint.name]
                values[joint.name] = tuple(to_quaternion(rotation).tolist())
                cosine = 0.5 * (float(np.trace(rotation @ joint.moved(()).rotation.T)) - 1.0)
                change = math.acos(min(1.0, max(-1.0, cosine)))
            elif joint.axes:
                now = state.values[self.own[joint.name]]
                values[joint.name] = tuple(now.tolist())
                change = float(np.abs(now - joint.values).max())
            else:
                continue
            if change > OPEN:
                moved[joint.name] = change
        robot.place(values)
        return Closure(
            robot, self.gaps(self.start), self.gaps(state), () if closed else tuple(self.single_gaps()), held, moved
        )


def _damped_step(rows: Array, slopes: Array, damping: float) -> tuple[Array, float]:
    """Levenberg–Marquardt step of at most `LONGEST`, and its damping.

    Singular values keep the step free of rounding along coordinates that close no loop: normal equations divide this rounding by the
    damping, so that the pose would depend on the processor. A shorter step has a larger damping and thus turns to the gradient.
    """
    left, sizes, right = np.linalg.svd(slopes, full_matrices=False)
    kept = sizes > RANK * sizes.max(initial=0.0)
    sizes, right = sizes[kept], right[kept]
    weighted = sizes * (left.T[kept] @ rows)
    while True:
        step = -(right.T @ (weighted / (sizes * sizes + damping)))
        if not np.abs(step).max() > LONGEST:
            return step, damping
        damping *= 2.0


def _lines(joint: Joint, frame: Pose, inner: Pose) -> tuple[Array, Array]:
    """Axes of a joint's coordinates and points on them, from its frames on the parent and on the child."""
    z, here, there = frame.rotation[:, 2], frame.position, inner.position
    if joint.kind == "ball":
        return frame.rotation.T, np.array([here, here, here])
    if joint.kind == "cylindrical":
        return np.array([z, z]), np.array([here, here])
    if joint.kind == "universal":
        return np.array([z, inner.rotation[:, 2]]), np.array([here, here])
    if joint.kind == "planar":
        return frame.rotation.T, np.array([here, here, there])
    return z[None], here[None]


def _misfits(joint: Joint, inner: Pose, shift: Array, spin: Array) -> Iterator[Row]:
    """Misfits of a joint whose child's frame is `inner` in its parent's frame, with derivatives.

    `shift` and `spin` are the derivatives of its position and its angular displacement, shape (3, n).
    """
    place, kind = inner.position, joint.kind
    if kind in ("fixed", "ball", "revolute", "universal"):
        yield True, place, shift
    elif kind in ("prismatic", "cylindrical", "screw"):
        yield True, place[:2], shift[:2]
    elif kind == "planar":
        yield True, place[2:], shift[2:]
    elif kind == "rod":
        length = float(np.linalg.norm(place))
        yield True, np.array([length - joint.lead]), (place / max(1e-300, length) @ shift)[None]
    if kind in ("fixed", "prismatic", "no_turning"):
        vector = _rotation_vector(inner.rotation)
        yield False, vector, _inverse_jacobian(vector) @ spin
    elif kind in ("revolute", "cylindrical", "planar", "screw"):
        axis = inner.rotation[:, 2]  # z axis of the child, along z where closed
        sine = math.hypot(axis[0], axis[1])
        stretch = math.atan2(sine, axis[2]) / sine if sine > 1e-8 else 1.0
        change = np.cross(spin.T, axis)  # derivative of this axis
        yield False, stretch * axis[:2], stretch * change.T[:2]
    elif kind == "universal":
        axis = inner.rotation[:, 2]
        yield False, axis[2:], np.cross(spin.T, axis).T[2:]
    if kind == "screw":
        angle = math.atan2(inner.rotation[1, 0], inner.rotation[0, 0])
        per = joint.lead / (2.0 * math.pi)
        turns = round((place[2] / joint.lead - angle / (2.0 * math.pi)) if joint.lead else 0.0)
        yield True, np.array([place[2] - per * (angle + 2.0 * math.pi * turns)]), (shift[2] - per * spin[2])[None]


def _cross(vector: Array) -> Array:
    """Matrix of the cross product with a vector."""
    x, y, z = vector.tolist()
    return np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])


def _rotation_vector(rotation: Array) -> Array:
    """Rotation vector of a rotation [rad], also near a half turn."""
    vector = 0.5 * np.array(
        [rotation[2, 1] - rotation[1, 2], rotation[0, 2] - rotation[2, 0], rotation[1, 0] - rotation[0, 1]]
    )
    sine, cosine = math.sqrt(vector @ vector), 0.5 * (float(rotation.trace()) - 1.0)
    if cosine > -0.9:
        return vector * (math.atan2(sine, cosine) / sine if sine > 1e-8 else 1.0)
    from pytrammel import rotations

    return np.asarray(rotations.log(rotations.parameters(rotation)), dtype=np.float64)


def _inverse_jacobian(vector: Array) -> Array:
    """Derivative of a rotation vector by an angular displacement."""
    angle = float(np.linalg.norm(vector))
    cross = _cross(vector)
    if angle < 1e-4:
        factor = 1.0 / 12.0
    else:
        half = 0.5 * angle
        factor = (1.0 - half / math.tan(half)) / (angle * angle)
    return np.asarray(np.eye(3) - 0.5 * cross + factor * (cross @ cross), dtype=np.float64)
