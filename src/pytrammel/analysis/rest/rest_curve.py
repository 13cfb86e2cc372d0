"""Rests of a mechanism with one degree of freedom: its positions are a curve, along which the force changes its sign at every rest."""

from __future__ import annotations

import math
from collections.abc import Generator, Iterator

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq

from pytrammel.analysis.rest.at_rest import TOLERANCE, Balance
from pytrammel.analysis.rest.rest_methods import METHODS, NoRest, Wish
from pytrammel.errors import AssemblyError
from pytrammel.kernels import layout as L
from pytrammel.system.positions import difference, moved

Array = NDArray[np.float64]
LONGEST, SHORTEST = 0.04, 1e-5  # steps along the curve, in column scales
FAR = 30.0  # column scales from the start: a curve that goes so far is not followed further
BEND = 0.9  # least cosine between directions at both ends of a step
LOST = 0.5  # of a step: a correction that long leads to another branch
MOST = 20_000  # steps
LAPS = 3  # turns each way, where forces depend on the number of turns
ALIKE = 1e-6  # difference of forces at the same place after a turn, relative to their size


class Curve:
    """Positions that can be reached from one another, walked through once."""

    def __init__(self, problem: Balance) -> None:
        self.problem = problem
        self.points: list[Array] = []

    def knows(self, q: Array) -> bool:
        """Return True if a position lies on what was walked through."""
        return any(distance(self.problem, q, other) < 1.5 * LONGEST for other in self.points)

    def rests(self, start: Array) -> Iterator[Array]:
        """Rests on the curve through a position."""
        begin = self._direction(start)
        if begin is None:
            return
        for way in (1.0, -1.0):
            closed = yield from self._walk(start, way * begin)
            if closed:
                return

    def _walk(self, q: Array, t: Array) -> Generator[Array, None, bool]:
        """Go one way; returns whether that led back to the beginning, with the same forces there."""
        problem, start, first, h, laps = self.problem, q, t, LONGEST, 0
        self.points.append(q)
        for k in range(MOST):
            ahead = self._step(q, t, h)
            turned = None if ahead is None else self._direction(ahead)
            if turned is not None and turned @ t < 0.0:
                turned = -turned
            if ahead is None or turned is None or turned @ t < BEND:
                h *= 0.5
                if h < SHORTEST:
                    return False
                continue
            if self._changes(self._pull(q, t), self._pull(ahead, turned)):
                yield from self._between(q, t, h)
            q, t, h = ahead, turned, min(LONGEST, 1.5 * h)
            self.points.append(q)
            off = distance(problem, q, start)
            if k > 2 and off <= h and t @ first > BEND and self._ahead_of(start, q, t):
                if not self._same_forces(start, q):
                    laps += 1
                    if laps == LAPS:
                        return False
                    continue
                if self._changes(self._pull(q, t), self._pull(start, first)):
                    yield from self._between(q, t, 1.2 * off)
                return True
            if off > FAR:
                return False
        return False

    def _ahead_of(self, start: Array, q: Array, t: Array) -> bool:
        return bool(wound(self.problem, start, q) @ t >= 0.0)

    def _same_forces(self, start: Array, q: Array) -> bool:
        """Return True if forces at the beginning do not depend on the turns made since (springs on unwrapped angles)."""
        problem = self.problem
        back = problem.close(moved(problem.system, q, problem.scales * wound(problem, start, q)))
        (force, size), (now, other) = problem.forces(start), problem.forces(back)
        return float(np.abs(problem.scales * (now - force)).max(initial=0.0)) <= ALIKE * max(size, other)

    def _direction(self, q: Array) -> Array | None:
        """Unit tangent in column scales; None where there is not one way to go."""
        basis = self.problem.at(q).basis / self.problem.scales[:, None]
        if basis.shape[1] != 1 or not np.isfinite(basis).all():
            return None
        return np.asarray(basis[:, 0] / np.linalg.norm(basis[:, 0]))

    def _pull(self, q: Array, t: Array) -> float:
        """Force along the curve against the forces at work."""
        force, size = self.problem.forces(q)
        return float((self.problem.scales * t) @ force) / size

    @staticmethod
    def _changes(before: float, after: float) -> bool:
        """Return True if there is a rest between; where there is no force at all, everything is one."""
        return before * after <= 0.0 and max(abs(before), abs(after)) > TOLERANCE

    def _step(self, q: Array, t: Array, h: float) -> Array | None:
        problem = self.problem
        guess = moved(problem.system, q, h * problem.scales * t)
        try:
            found = problem.close(guess)
        except AssemblyError:
            return None
        return found if distance(problem, found, guess) < LOST * h else None

    def _between(self, q: Array, t: Array, h: float) -> Iterator[Array]:
        """The rest at which the force along a step vanishes."""

        def pull(share: float) -> float:
            here = self._step(q, t, share * h) if share > 0.0 else q
            turned = None if here is None else self._direction(here)
            if here is None or turned is None:
                raise AssemblyError("lost")
            return self._pull(here, turned if turned @ t > 0.0 else -turned)

        try:
            if pull(0.0) * pull(1.0) > 0.0:
                return
            share = brentq(pull, 0.0, 1.0, xtol=1e-12)
            near = self._step(q, t, share * h) if share > 0.0 else q
            if near is None:
                return
            found = METHODS["newton"](self.problem, near, Wish(nearest=True)).q
        except (AssemblyError, NoRest):
            return
        if distance(self.problem, found, near) < 2.0 * LONGEST and self.problem.off(found) < TOLERANCE:
            yield found


def one_way(problem: Balance, q: Array) -> bool:
    """Return True if there is one degree of freedom, and positions are all there is to it."""
    held = any(problem.system.rows[k].velocity_only for k in problem.rows)
    return not held and problem.at(q).basis.shape[1] == 1 and not int(problem.system.ints[L.N_STATES])


def wound(problem: Balance, q: Array, other: Array) -> Array:
    """The way from one position to another in column scales, without whole turns."""
    system = problem.system
    step = difference(system, q, other) / problem.scales
    if system.model.space.dimension == 2:
        turns = np.array([unit == "rad" for unit in system.column_units])
        step = np.where(turns, (step + math.pi) % (2.0 * math.pi) - math.pi, step)
    return np.asarray(step)


def distance(problem: Balance, q: Array, other: Array) -> float:
    """Largest part of that way."""
    return float(np.abs(wound(problem, q, other)).max(initial=0.0))
