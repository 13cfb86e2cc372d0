"""All positions with given actuators (assembly modes) or a given pose of the end effector (working modes)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pytrammel._util.checks import checked_number
from pytrammel._util.messages import number_of, short
from pytrammel._util.progress import Progress
from pytrammel.analysis.options import verb, whole_number
from pytrammel.analysis.robotics.mechanism import Mechanism, mechanism_of
from pytrammel.analysis.robotics.task import (
    POSITIONS,
    TURNS,
    Target,
    Task,
    label_of,
    read_orientation,
    read_target,
)
from pytrammel.errors import AssemblyError, ModelError, RunWarning, tell
from pytrammel.model.base import Model
from pytrammel.results.robotics.modes import Modes

Array = NDArray[np.float64]
BATCH = 256  # starts of Newton's method that are iterated together
SAME = 1e-5  # distance of positions that are one, in model lengths and radians
ENOUGH = 3  # starts that lead to the rarest position before the search stops early
FEWEST = 512  # starts before the search may stop early
FLAT = 1e-7  # conditioning below which a position is singular
MOST = 500  # positions kept; more belong to a continuum


@verb
def assembly_modes(
    model: Model,
    values: Mapping[str, float] | None = None,
    *,
    actuators: Sequence[str] | None = None,
    place: Any = None,
    limits: Mapping[str, tuple[float | None, float | None]] | None = None,
    n_starts: int = 4096,
    seed: int = 0,
    progress: bool = True,
) -> Modes:
    """Find the positions that a mechanism can have with locked actuators (forward kinematics with all solutions).

    Newton's method starts from random positions of all joints, until every position has been found several times or the starts are used
    up. Positions that few starts lead to can be missed; a warning states where that is likely.

    Args:
        model: The mechanism; drivers are ignored.
        values: Values of actuators by name [m, rad]. Defaults to the design configuration for actuators that are not named.
        actuators: Joint coordinates that are locked, as many as there are degrees of freedom. Defaults to the actuators of `m.functions`.
        place: End effector, a point or body. Positions in which its body has the same pose are then one mode, e.g. modes of a platform
            whose legs can also be assembled with their joints turned over.
        limits: Lower and upper limits of joint coordinates by name; None for no limit.
        n_starts: Largest number of starts.
        seed: Seed of the random starts.
        progress: Whether to show progress after a second.

    Returns:
        The positions, best conditioned first.
    """
    mechanism = mechanism_of(model, actuators, limits)
    mechanism.need_actuators("assembly modes")
    f = mechanism.f
    q = f.start.copy()
    chosen: dict[str, float] = {}
    for name in f.actuators:
        if name not in f.coordinates:
            raise ModelError(
                f"assembly modes of model {model.name!r}: actuator {name!r} is an angular velocity, which has no position to lock. Use "
                f"actuators among: {', '.join(n for n in f.coordinates if n in f.velocities)}."
            )
        chosen[name] = float(q[f.coordinates.index(name)])
    for name, value in ({} if values is None else values).items():
        if name not in chosen:
            raise ModelError(
                f"assembly modes of model {model.name!r}: values name {short(name)}, which is not an actuator. Use some of: "
                f"{', '.join(chosen) or 'none'}, or pass actuators=."
            )
        chosen[name] = checked_number(value, f"values: {name}")
    at = {f.coordinates.index(name): value for name, value in chosen.items()}
    search = Search(mechanism, None, None, at, seed, f"assembly modes of {model.name!r}", progress)
    search.only = place
    return _finished(search, "assembly modes", chosen, n_starts, place)


@verb
def working_modes(
    model: Model,
    place: Any,
    target: ArrayLike,
    *,
    orientation: ArrayLike | None = None,
    components: Sequence[str] | None = None,
    limits: Mapping[str, tuple[float | None, float | None]] | None = None,
    n_starts: int = 4096,
    seed: int = 0,
    progress: bool = True,
) -> Modes:
    """Find the positions of a mechanism with the end effector at a target (inverse kinematics with all solutions).

        six = m.working_modes("tool0", (0.4, 0.1, 0.3), orientation=R)  # all branches of an arm
        motion = m.inverse_kinematics("tool0", path, near=six.q[2])  # one of them along a path

    Args:
        model: The mechanism; drivers are ignored.
        place: End effector: a named point or a body.
        target: Position [m], one number for each of the position components.
        orientation: Angle in the plane [rad], rotation matrix (3, 3) in space. Defaults to a free orientation.
        components: Position components of the target. Defaults to all: "x", "y", and in space "z".
        limits: Lower and upper limits of joint coordinates by name; None for no limit.
        n_starts: Largest number of starts.
        seed: Seed of the random starts.
        progress: Whether to show progress after a second.

    Returns:
        The positions, best conditioned first.
    """
    mechanism = mechanism_of(model, None, limits)
    task, goal = target_of(mechanism, place, target, orientation, components)
    if len(goal) > 1:
        raise ModelError(f"working modes of {label_of(place)}: {len(goal)} targets are given, but must be one.")
    spare = mechanism.freedoms - len(task.components)
    if spare > 0:
        raise ModelError(
            f"working modes of {label_of(place)}: {number_of(len(task.components), 'component')} ({', '.join(task.components)}) for "
            f"{number_of(mechanism.freedoms, 'degree of freedom')} leave infinitely many positions. Prescribe more components, or use "
            "m.inverse_kinematics for one of them."
        )
    values = dict(zip(task.components, map(float, goal.values[0]), strict=False))
    search = Search(mechanism, task, goal, {}, seed, f"working modes of {model.name!r}", progress)
    return _finished(search, "working modes", values, n_starts, place)


def target_of(
    mechanism: Mechanism, place: Any, target: Any, orientation: Any, components: Sequence[str] | None
) -> tuple[Task, Target]:
    """The task and its targets from arguments."""
    dimension = mechanism.f.model.space.dimension
    known = POSITIONS[:dimension]
    names = known if components is None else tuple(components)
    wrong = [name for name in names if name not in known]
    if wrong:
        raise ModelError(
            f"components of {label_of(place)}: {short(wrong[0])} is not one of {', '.join(known)}. Pass orientation= for angles."
        )
    task = Task(mechanism.f, place, names if orientation is None else (*names, *TURNS[dimension]))
    ordered = [name for name in known if name in names]
    values, _ = read_target(place, target, len(ordered), ordered)
    turns = None if orientation is None else read_orientation(place, orientation, len(values), dimension)
    return task, Target(values, turns)


class Search:
    """Newton's method from random starts, and the positions it led to."""

    def __init__(
        self, mechanism: Mechanism, task: Task | None, target: Target | None, locked: Mapping[int, float], seed: int, title: str,
        progress: bool,
    ) -> None:  # fmt: skip
        self.mechanism, self.task, self.target, self.locked = mechanism, task, target, locked
        self.held = [mechanism.f.velocities.index(mechanism.f.coordinates[k]) for k in locked]
        self.rng = np.random.default_rng(whole_number(seed, "seed", 0))
        self.only: Any = None
        self.title, self.shown = title, progress
        self.found = np.zeros((0, mechanism.nq))
        self.places = np.zeros((0, 0))
        self.hits: list[int] = []
        self.tried = 0

    def run(self, starts: int) -> None:
        with Progress(self.title, enabled=self.shown) as bar:
            while self.tried < starts:
                self._batch(min(BATCH, starts - self.tried))
                bar.update(self.tried / starts, f"{len(self.found)} found")
                if self.tried >= FEWEST and (not self.hits or min(self.hits) >= ENOUGH):
                    break
                if len(self.hits) >= MOST:
                    break

    def _batch(self, count: int) -> None:
        q = self.mechanism.random(self.rng, count)
        if not self.tried:
            q[0] = self.mechanism.f.start
        self.tried += count
        for k, value in self.locked.items():
            q[:, k] = value
        many = None if self.target is None else self.target.take(np.zeros(count, dtype=int))
        q, good = self.mechanism.solve(q, self.task, many, held=self.held)
        self._sort_in(q[good])

    def _sort_in(self, q: Array) -> None:
        if not len(q):
            return
        places = self.mechanism.places(q, self.only)
        for one, place in zip(q, places, strict=True):
            if len(self.found):
                away = np.abs(self.places - place).max(axis=-1)
                near = int(np.argmin(away))
                if away[near] < SAME:
                    self.hits[near] += 1
                    continue
                self.found, self.places = np.vstack([self.found, one]), np.vstack([self.places, place])
            else:
                self.found, self.places = one[None], place[None]
            self.hits.append(1)
            if len(self.hits) >= MOST:
                return


def _finished(search: Search, kind: str, given: dict[str, float], starts: int, place: Any) -> Modes:
    count = whole_number(starts, "n_starts", 1)
    search.run(count)
    mechanism, model = search.mechanism, search.mechanism.f.model
    if not len(search.found):
        values = ", ".join(f"{name} = {value:.6g}" for name, value in given.items())
        limits = " within the limits" if mechanism.limited else ""
        raise AssemblyError(
            f"{kind} of model {model.name!r}: none of {search.tried} starts led to a position{limits} at {values or 'these dimensions'}. "
            "Choose values within the workspace (m.workspace), or use more n_starts=."
        )
    q = mechanism.nearest_turns(search.found, mechanism.f.start)
    many = None if search.target is None else search.target.take(np.zeros(len(q), dtype=int))
    residual, J = mechanism.equations(q, search.task, many)
    free = np.ones(mechanism.nv, dtype=bool)
    free[search.held] = False
    sizes = np.linalg.svd(J[..., free], compute_uv=False)
    if sizes.shape[-1] and J.shape[-2] >= free.sum():
        conditioning = sizes[:, -1] / np.maximum(sizes[:, 0], 1e-300)
    else:
        conditioning = np.ones(len(q))
    order = np.argsort(-conditioning, kind="stable")
    hits = np.array(search.hits)[order]
    warnings = _warnings(kind, model, hits, conditioning[order], search.tried)
    name, where = "", np.zeros((len(q), 0))
    if place is not None:
        name, where = label_of(place).strip("'"), mechanism.f.position(place, q[order])
    result = Modes(
        kind, model, mechanism.f.coordinates, mechanism.units, q[order], given, hits, search.tried, conditioning[order],
        float(np.abs(residual).max(initial=0.0)), name, where, mechanism.body_coordinates(q[order]), warnings,
    )  # fmt: skip
    tell(warnings, result)
    return result


def _warnings(
    kind: str, model: Model, hits: NDArray[np.int64], conditioning: Array, tried: int
) -> tuple[RunWarning, ...]:
    found = []
    if len(hits) >= MOST:
        found.append(
            RunWarning(
                "continuum",
                f"{kind} of {model.name!r}: {len(hits)} positions were found and the search stopped; they probably belong to a continuum "
                "(self-motion). Check the mobility with these values.",
            )
        )
    elif (hits < ENOUGH).any():
        rare = int((hits < ENOUGH).sum())
        found.append(
            RunWarning(
                "search",
                f"{kind} of {model.name!r}: {rare} of {len(hits)} positions were found by fewer than {ENOUGH} of {tried} starts; others "
                "may be missing. Use more n_starts=.",
            )
        )
    flat = int((conditioning < FLAT).sum())
    if flat and len(hits) < MOST:
        found.append(
            RunWarning(
                "singular",
                f"{kind} of {model.name!r}: {flat} of {len(hits)} positions are singular (conditioning below {FLAT:g}); their coordinates "
                "have about half the digits, or they belong to a continuum.",
            )
        )
    return tuple(found)
