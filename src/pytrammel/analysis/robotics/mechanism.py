"""A mechanism in joint coordinates: scales, limits, allowed velocities, and positions that satisfy loops and a task."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pytrammel._util.checks import checked_number
from pytrammel._util.messages import number_of, short
from pytrammel.analysis.functions.functions import functions
from pytrammel.analysis.functions.loops import Loops
from pytrammel.analysis.functions.model_functions import ModelFunctions
from pytrammel.analysis.robotics.task import Target, Task
from pytrammel.errors import ModelError
from pytrammel.kernels.trees import layout as T
from pytrammel.model.base import Model

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]
ITERATIONS = 50
LONGEST = 0.5  # largest step of an iteration, in scales of the coordinates
CLOSED = 1e-12  # residual, relative to the scales of the equations, of a solution
NEARLY = 1e-9  # residual accepted where iterations stagnate at rounding
SMALL = 1e-14  # regularisation of least-norm steps, relative to the trace
RANK = 1e-9  # singular value, relative to the largest, below which rows are dependent


class Mechanism:
    """Functions of a model with the scales, limits and allowed velocities that robot analyses need.

    Attributes:
        f: Functions of the model.
        of_speeds: Scale of each velocity: 1 for angles, the model's length for displacements.
        length: The model's length [m].
        freedoms: Degrees of freedom.
        lower, upper: Limits of the coordinates, infinite where none is given.
    """

    def __init__(self, f: ModelFunctions, limits: Mapping[str, Any] | None = None) -> None:
        self.f = f
        self.loops = f._loops or Loops(f)
        self.of_speeds: Array = self.loops.of_speeds
        self.length = float(f._packed.system.length)
        self.nq, self.nv = len(f.coordinates), len(f.velocities)
        self.freedoms = self.nv - len(f.constraints)
        self.acting = [f.velocities.index(name) for name in f.actuators]
        self._units()
        self.lower, self.upper = np.full(self.nq, -np.inf), np.full(self.nq, np.inf)
        self._read_limits({} if limits is None else limits)
        self.wrappable = self._wrappable()

    def _wrappable(self) -> Mask:
        """Return True for angles that may be changed by whole turns: hinges without pitch and without coupled coordinates."""
        trial = np.tile(self.f.start, (self.nq, 1)) + math.tau * np.eye(self.nq)
        away = np.abs(self.places(trial) - self.places(self.f.start[None])).max(axis=-1)
        turning: Mask = np.array([unit == "rad" for unit in self.units])
        return np.asarray(turning & (away < 1e-9))

    def _units(self) -> None:
        """Units of coordinates, which velocities are angular, and where a coordinate has a velocity with the same name."""
        tree, kept = self.f._packed.tree, self.f._packed.couplings.kept
        at_s = {node.at_s: node.kind for node in tree.nodes if node.kind in (T.TURN, T.SLIDE)}
        at_u = {node.at_u: node.kind for node in tree.nodes if node.kind in (T.TURN, T.SLIDE)}
        planar = self.f.model.space.dimension == 2
        units = []
        for name, s in zip(self.f.coordinates, self.f._packed.at_q, strict=True):
            last = name.rpartition(".")[2]
            length = at_s[s] == T.SLIDE if s in at_s else last in ("x", "y", "z")
            units.append("m" if length else "rad" if s in at_s or planar else "")
        self.units = tuple(units)
        self.angular: Mask = np.array(
            [at_u[u] == T.TURN if u in at_u else name.rpartition(".")[2] not in ("x", "y", "z")
             for name, u in zip(self.f.velocities, kept, strict=True)]
        )  # fmt: skip
        self.at_velocity = {
            k: self.f.velocities.index(name) for k, name in enumerate(self.f.coordinates) if name in self.f.velocities
        }

    def _read_limits(self, limits: Mapping[str, Any]) -> None:
        where = f"limits of model {self.f.model.name!r}"
        for name, pair in limits.items():
            if name not in self.f.coordinates or name not in self.f.velocities:
                known = ", ".join(self.f.coordinates[k] for k in self.at_velocity)
                raise ModelError(f"{where}: {short(name)} is not a coordinate of a joint. Use some of: {known}.")
            if isinstance(pair, str) or not hasattr(pair, "__len__") or len(pair) != 2:
                raise ModelError(f"{where}: {name} must be a pair (lower, upper), but it is {short(pair)}.")
            low, high = (-np.inf if x is None else checked_number(x, f"{where}: {name}") for x in pair)
            high = np.inf if pair[1] is None else high
            if not low < high:
                raise ModelError(
                    f"{where}: {name} has the lower limit {low:g}, but its upper limit is {high:g}. Exchange them."
                )
            k = self.f.coordinates.index(name)
            self.lower[k], self.upper[k] = low, high

    # --- kinematics ------------------------------------------------------------------------------------------------------

    @property
    def limited(self) -> bool:
        """Return True if a coordinate has limits."""
        return bool(np.isfinite(self.lower).any() or np.isfinite(self.upper).any())

    def wrapped(self, q: Array) -> Array:
        """Angles moved by whole turns into their limits where that is possible; others unchanged."""
        q = q.copy()
        for k in np.flatnonzero(np.isfinite(self.lower) | np.isfinite(self.upper)):
            if self.wrappable[k]:
                turns = np.where(q[..., k] > self.upper[k], -np.ceil((q[..., k] - self.upper[k]) / math.tau), 0.0)
                turns = np.where(q[..., k] < self.lower[k], np.ceil((self.lower[k] - q[..., k]) / math.tau), turns)
                q[..., k] += math.tau * turns
        return q

    def nearest_turns(self, q: Array, to: Array) -> Array:
        """Angles without limits moved by whole turns to within half a turn of given ones."""
        free = self.wrappable & ~np.isfinite(self.lower) & ~np.isfinite(self.upper)
        return np.where(free, q - math.tau * np.round((q - to) / math.tau), q)

    def allowed(self, q: Array, slack: float = 1e-9) -> Mask:
        """Return True for positions within the limits."""
        return np.asarray(((q >= self.lower - slack) & (q <= self.upper + slack)).all(axis=-1))

    def basis(self, q: Array) -> Array:
        """Velocities that the loops allow, an orthonormal basis in scaled velocities, shape (..., velocities, n)."""
        lead = q.shape[:-1]
        if not self.f.constraints:
            return np.broadcast_to(np.eye(self.nv), (*lead, self.nv, self.nv)) * self.of_speeds[:, None]
        J = self.loops.scaled(q, 0.0)[1]
        V = np.linalg.svd(J)[2]
        return np.swapaxes(V, -1, -2)[..., len(self.f.constraints) :] * self.of_speeds[:, None]

    def equations(self, q: Array, task: Task | None, target: Target | None) -> tuple[Array, Array]:
        """Residuals of loops and task, and their Jacobian in scaled velocities, without units."""
        parts, rows = [], []
        if self.f.constraints:
            phi, J = self.loops.scaled(q, 0.0)
            parts.append(phi)
            rows.append(J)
        if task is not None and target is not None:
            parts.append(task.residual(q, target) / task.scales(self.length))
            rows.append(task.jacobian(q) * self.of_speeds / task.scales(self.length)[:, None])
        if not parts:
            return np.zeros((len(q), 0)), np.zeros((len(q), 0, self.nv))
        return np.concatenate(parts, axis=-1), np.concatenate(rows, axis=-2)

    def moved(self, q: Array, step: Array) -> Array:
        """Coordinates after a step in scaled velocities."""
        return self.f.integrate(q, step * self.of_speeds)

    def solve(
        self,
        q: Array,
        task: Task | None = None,
        target: Target | None = None,
        *,
        held: Sequence[int] = (),
        iterations: int = ITERATIONS,
        keep_limits: bool = True,
    ) -> tuple[Array, Mask]:
        """Positions near given ones that close the loops and meet the targets, by Newton's method with the smallest steps.

        Args:
            q: Estimates, shape (n, nq).
            task, target: Equations of the end effector; None for the loops alone.
            held: Velocities whose coordinates keep their values.
            iterations: Largest number of iterations.
            keep_limits: Whether coordinates stop at their limits.

        Returns:
            Positions, and where the iteration has converged.
        """
        q = self.moved(q, np.zeros((len(q), self.nv)))
        limiting = keep_limits and self.limited
        if limiting:
            q = self._clamped(self.wrapped(q))
        free = np.ones(self.nv)
        free[list(held)] = 0.0
        left, worst, good = np.arange(len(q)), np.full(len(q), np.inf), np.zeros(len(q), dtype=bool)
        for _ in range(iterations):
            part = None if target is None else target.take(left)
            residual, J = self.equations(q[left], task, part)
            size = np.abs(residual).max(axis=-1, initial=0.0)
            done = (size <= CLOSED) | (size >= 0.5 * worst[left]) & (size <= NEARLY)
            good[left[done]] = True
            worst[left] = size
            left, residual, J = left[~done], residual[~done], J[~done]
            if not left.size:
                break
            step = least_norm(J * free, -residual)
            if limiting:
                step = self._within(q[left], step, J * free, residual)
            length = np.abs(step).max(axis=-1, initial=0.0)
            step *= np.minimum(1.0, LONGEST / np.maximum(length, 1e-300))[:, None]
            q[left] = self.moved(q[left], step)
            if limiting:
                q[left] = self._clamped(q[left])
        if limiting:
            q = self.wrapped(q)
            good &= self.allowed(q)
        return q, good

    def _clamped(self, q: Array) -> Array:
        return np.clip(q, self.lower, self.upper)

    def _within(self, q: Array, step: Array, J: Array, residual: Array) -> Array:
        """Steps again without the coordinates that would leave their limits."""
        stuck = np.zeros(step.shape, dtype=bool)
        for k, u in self.at_velocity.items():
            stuck[:, u] = (q[:, k] >= self.upper[k]) & (step[:, u] > 0.0) | (q[:, k] <= self.lower[k]) & (
                step[:, u] < 0.0
            )
        some = stuck.any(axis=-1)
        if some.any():
            step = step.copy()
            step[some] = least_norm(J[some] * ~stuck[some][:, None, :], -residual[some])
        return step

    def random(self, rng: np.random.Generator, count: int) -> Array:
        """Positions of the joints at random, loops open: within limits, else a whole turn or the model's length."""
        shift = rng.uniform(-1.0, 1.0, (count, self.nv)) * np.where(self.angular, math.pi, 1.5)
        q = self.moved(np.tile(self.f.start, (count, 1)), shift)
        for k in np.flatnonzero(np.isfinite(self.lower) & np.isfinite(self.upper)):
            q[:, k] = rng.uniform(self.lower[k], self.upper[k], count)
        return q

    def places(self, q: Array, only: Any = None) -> Array:
        """Poses of all bodies, or of one place, without units, equal for equal positions, shape (n, numbers)."""
        parts = []
        for body in list(self.f.model.bodies)[1:] if only is None else [only]:
            r, turn = self.f.pose(body, q)
            flat = [np.cos(turn)[:, None], np.sin(turn)[:, None]] if turn.ndim == 1 else [turn.reshape(len(q), 9)]
            parts += [r / self.length, *flat]
        return np.concatenate(parts, axis=-1)

    def body_coordinates(self, q: Array) -> Array:
        """Coordinates of the bodies for pictures: x, y, angle, or position and Euler parameters, shape (n, numbers)."""
        from pytrammel import rotations

        parts = []
        for body in list(self.f.model.bodies)[1:]:
            r, turn = self.f.pose(body, q)
            parts += [r, turn[:, None] if turn.ndim == 1 else np.asarray(rotations.parameters(turn)).reshape(len(q), 4)]
        return np.concatenate(parts, axis=-1)

    def need_actuators(self, analysis: str) -> None:
        """Raise `ModelError` unless there are as many actuators as degrees of freedom."""
        if len(self.acting) != self.freedoms:
            raise ModelError(
                f"{analysis} of model {self.f.model.name!r}: {number_of(len(self.acting), 'actuator')} "
                f"({', '.join(self.f.actuators) or 'none'}) for {number_of(self.freedoms, 'degree of freedom')}. Pass actuators= with "
                f"{self.freedoms} of: {', '.join(self.f.velocities)}."
            )


def least_norm(J: Array, right: Array) -> Array:
    """Solutions of J x = right with the smallest norm."""
    rows, columns = J.shape[-2:]
    if rows > columns:
        return np.asarray(np.einsum("nvm,nm->nv", np.linalg.pinv(J, rcond=RANK), right))
    A = J @ np.swapaxes(J, -1, -2)
    trace = np.trace(A, axis1=-2, axis2=-1) if rows else np.zeros(len(J))
    A = A + (SMALL * trace + 1e-300)[:, None, None] * np.eye(rows)
    return np.asarray(np.einsum("nmv,nm->nv", J, np.linalg.solve(A, right[..., None])[..., 0]))


def mechanism_of(
    model: Model,
    actuators: Sequence[str] | None = None,
    limits: Mapping[str, Any] | None = None,
    *,
    elements: bool = False,
) -> Mechanism:
    """The functions of a model with their scales and limits."""
    return Mechanism(functions(model, elements=elements, actuators=actuators), limits)


def coordinates_from(mechanism: Mechanism, given: Any, label: str) -> Array:
    """Starting coordinates: an array, values by name over the design configuration, or None for the design configuration.

    Raises:
        ModelError: Unknown names, wrong shapes, numbers that are not finite.
    """
    f = mechanism.f
    if given is None:
        return f.start.copy()
    if isinstance(given, Mapping):
        q = f.start.copy()
        for name, value in given.items():
            if name not in f.coordinates:
                raise ModelError(
                    f"{label} of model {f.model.name!r}: {short(name)} is not a coordinate. Use some of: {', '.join(f.coordinates)}."
                )
            q[f.coordinates.index(name)] = checked_number(value, f"{label}: {name}")
        return q
    array = f._array(label, given, mechanism.nq, "coordinates")
    if array.ndim != 1:
        raise ModelError(f"{label} of model {f.model.name!r} must be one state, but it has shape {array.shape}.")
    return array.copy()
