"""Inverse kinematics along targets by continuation, which keeps the branch."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pytrammel._util.messages import number_of
from pytrammel._util.progress import Progress
from pytrammel.analysis.options import verb
from pytrammel.analysis.robotics.measures import maps, measures
from pytrammel.analysis.robotics.mechanism import Mechanism, coordinates_from, least_norm, mechanism_of
from pytrammel.analysis.robotics.modes import target_of
from pytrammel.analysis.robotics.task import Target, Task, label_of
from pytrammel.errors import AssemblyError, ModelError, RunWarning, SingularError, tell
from pytrammel.model.base import Model
from pytrammel.results.robotics.inverse import InverseKinematics

Array = NDArray[np.float64]
SMALLEST = 2.0**-20  # part of the way between two targets, below which the path is singular
FARTHEST = 0.3  # largest predicted step, in scales of the coordinates
CONTRACTION = 0.25  # largest ratio of the second Newton step to the first on the same branch
ROUNDING = 1e-9
TRIES = 64  # random starts for the first target


@verb
def inverse_kinematics(
    model: Model,
    place: Any,
    targets: ArrayLike,
    *,
    orientation: ArrayLike | None = None,
    components: Sequence[str] | None = None,
    near: Any = None,
    actuators: Sequence[str] | None = None,
    limits: Mapping[str, tuple[float | None, float | None]] | None = None,
    progress: bool = True,
) -> InverseKinematics:
    """Find joint coordinates that put an end effector at targets, on one branch.

    The first target is reached from `near` by Newton's method. From target to target the solution is continued along straight lines
    (and rotations about fixed axes) in steps that Newton's method confirms, so that neither the elbow nor the assembly mode changes.
    Redundant mechanisms move with the smallest joint displacements.

    Args:
        model: The mechanism, an open chain or with closed loops; drivers are ignored.
        place: End effector: a named point or a body.
        targets: Positions [m], shape (k,) or (n, k) with the k position components.
        orientation: Angles in the plane [rad], (n,) or one; rotation matrices in space, (n, 3, 3) or one. Defaults to a free orientation.
        components: Position components of the targets. Defaults to all: "x", "y", and in space "z".
        near: Joint coordinates near the solution at the first target: an array, or values by name. Defaults to the design
            configuration.
        actuators: Joint coordinates whose conditioning is reported. Defaults to the actuators of `m.functions`.
        limits: Lower and upper limits of joint coordinates by name; None for no limit.
        progress: Whether to show progress after a second.

    Raises:
        AssemblyError: The first target cannot be reached.
        SingularError: A later target cannot be reached on the branch; `error.partial` holds the targets before it.
    """
    mechanism = mechanism_of(model, actuators, limits)
    task, goals = target_of(mechanism, place, targets, orientation, components)
    if len(task.components) > mechanism.freedoms:
        raise ModelError(
            f"inverse kinematics of {label_of(place)}: {number_of(len(task.components), 'component')} ({', '.join(task.components)}) "
            f"exceed {number_of(mechanism.freedoms, 'degree of freedom')}. Pass components= with at most {mechanism.freedoms}, or a free "
            "orientation."
        )
    q = _first(mechanism, task, goals.take([0]), coordinates_from(mechanism, near, "near"))
    found, steps = [q], 1
    with Progress(f"inverse kinematics of {model.name!r}", enabled=progress) as bar:
        for k in range(1, len(goals)):
            route = _Continuation(mechanism, task, goals.take([k - 1]), goals.take([k]))
            last = found[-1]
            q_next = route.follow(last)
            steps += route.steps
            if q_next is None:
                partial = _result(mechanism, task, goals.take(slice(0, k)), np.concatenate(found), steps)
                raise SingularError(_lost(mechanism, task, goals, k, route, last), partial=partial)
            found.append(q_next)
            bar.update(k / len(goals))
    result = _result(mechanism, task, goals, np.concatenate(found), steps)
    tell(result.warnings, result)
    return result


def _first(mechanism: Mechanism, task: Task, goal: Target, start: Array) -> Array:
    """Position at the first target: from the start, else the nearest one from random starts."""
    f = mechanism.f
    q, good = mechanism.solve(start[None], task, goal)
    if not good[0]:
        trials = mechanism.random(np.random.default_rng(0), TRIES)
        beside = np.random.default_rng(1).uniform(-0.3, 0.3, (TRIES // 2, mechanism.nv))
        trials[: TRIES // 2] = mechanism.moved(np.tile(start, (TRIES // 2, 1)), beside)
        q, good = mechanism.solve(trials, task, goal.take(np.zeros(TRIES, dtype=int)))
        q = mechanism.nearest_turns(q, start)[good]
        if not len(q):
            loose = mechanism.solve(trials, task, goal.take(np.zeros(TRIES, dtype=int)), keep_limits=False)[1]
            reason = "within the limits of the joints" if mechanism.limited and loose.any() else "from any start"
            values = ", ".join(f"{x:.6g}" for x in goal.values[0])
            raise AssemblyError(
                f"inverse kinematics of {label_of(task.place)} in model {f.model.name!r}: the first target ({values}) cannot be reached "
                f"{reason}. Choose a target within the workspace (m.workspace), or pass near= near the solution."
            )
        away = np.abs(mechanism.places(q) - mechanism.places(start[None])).max(axis=-1)
        q = q[[int(np.argmin(away))]]
    return mechanism.nearest_turns(q, start)


class _Continuation:
    """The way from one target to the next."""

    def __init__(self, mechanism: Mechanism, task: Task, begin: Target, end: Target) -> None:
        self.mechanism, self.task, self.begin, self.end = mechanism, task, begin, end
        self.part, self.steps = 0.0, 0
        self.square = len(task.components) == mechanism.freedoms

    def follow(self, q: Array) -> Array | None:
        """Coordinates at the next target, or None where the branch ends."""
        h = 1.0
        while self.part < 1.0:
            part = min(1.0, self.part + h)
            q_next = self._step(q, self.begin.between(self.end, part))
            if q_next is None:
                h *= 0.5
                if h < SMALLEST:
                    return None
                continue
            q, self.part = q_next, part
            h *= 2.0
        return q

    def _step(self, q: Array, goal: Target) -> Array | None:
        """Coordinates at an intermediate target if prediction and solution agree, else None."""
        self.steps += 1
        mechanism = self.mechanism
        residual, J = mechanism.equations(q, self.task, goal)
        step = least_norm(J, -residual)
        size = float(np.abs(step).max(initial=0.0))
        if size > FARTHEST:
            return None
        predicted = mechanism.moved(q, step)
        residual, J = mechanism.equations(predicted, self.task, goal)
        second = float(np.abs(least_norm(J, -residual)).max(initial=0.0))
        if second > CONTRACTION * size + ROUNDING and not mechanism.limited:
            return None
        solved, good = mechanism.solve(predicted, self.task, goal, iterations=12)
        if not good[0] or self._changed(q, solved):
            return None
        return mechanism.nearest_turns(solved, q)

    def _changed(self, q: Array, other: Array) -> bool:
        """Return True if the determinant of the end effector's motion changes its sign between two positions."""
        if not self.square:
            return False
        signs = measures(self.mechanism, self.task, np.concatenate([q, other])).serial_sign
        return bool(signs[0] * signs[1] < 0.0)


def _lost(mechanism: Mechanism, task: Task, goals: Target, k: int, route: _Continuation, last: Array) -> str:
    """Message about a target that cannot be reached."""
    target = ", ".join(f"{x:.6g}" for x in goals.values[k])
    head = f"inverse kinematics of {label_of(task.place)} in model {mechanism.f.model.name!r}: target {k} ({target}) cannot be reached"
    if mechanism.limited:
        _, good = mechanism.solve(last, task, goals.take([k]), keep_limits=False)
        at = [
            n
            for n, x, a, b in zip(mechanism.f.coordinates, last[0], mechanism.lower, mechanism.upper, strict=True)
            if min(x - a, b - x) < 0.05
        ]
        if at and not good[0]:
            return f"{head}: {', '.join(at)} near its limit. Widen limits=, or choose another branch with near= (m.working_modes)."
    T, _ = maps(mechanism, task, last)
    sizes = np.linalg.svd(T[0], compute_uv=False)
    return (
        f"{head} on this branch: {100.0 * route.part:.3g} % of the way from target {k - 1} a singular position or the end of the workspace "
        f"follows (conditioning {sizes[-1] / max(float(sizes[0]), 1e-300):.2g} at target {k - 1}). Choose another branch with near= "
        "(m.working_modes), or move the path."
    )


def _result(mechanism: Mechanism, task: Task, goals: Target, q: Array, steps: int) -> InverseKinematics:
    f = mechanism.f
    found = measures(mechanism, task, q)
    warnings = []
    crossed = np.flatnonzero(found.parallel_sign[:-1] * found.parallel_sign[1:] < 0.0)
    if crossed.size:
        k = int(crossed[0])
        more = f" and {crossed.size - 1} more times" if crossed.size > 1 else ""
        warnings.append(
            RunWarning(
                "singular",
                f"inverse kinematics of {label_of(task.place)}: between targets {k} and {k + 1}{more} the path crosses a singularity of "
                f"type 2, where the actuators ({', '.join(f.actuators)}) cannot control the end effector. Choose another path or"
                " branch.",
            )
        )
    residual, _ = mechanism.equations(q, task, goals)
    return InverseKinematics(
        f.model, label_of(task.place).strip("'"), task.components, f.coordinates, mechanism.units, q, goals.values,
        f.position(task.place, q), float(np.abs(residual).max()), found.serial, found.parallel, f.actuators, steps,
        mechanism.body_coordinates(q), tuple(warnings),
    )  # fmt: skip
