"""Force balance at rest, along the directions that closed joints leave free: what all methods of equilibrium work on."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from pytrammel.analysis.at_state import evaluate_state
from pytrammel.analysis.freedom.rank import exact_rows, jacobian, rank_of
from pytrammel.analysis.positions.assembly import assembled, whole_turns
from pytrammel.analysis.small_motions.reduced import Reduced, State, reduced
from pytrammel.errors import AssemblyError
from pytrammel.kernels.measures import measures_run
from pytrammel.model.quantities.quantity import ANGLE
from pytrammel.system.lowering import System
from pytrammel.system.pattern import pattern
from pytrammel.system.positions import difference, moved

Array = NDArray[np.float64]
TOLERANCE = 1e-11  # unbalanced force against the forces at work
LONGEST = 0.3  # step, in column scales
STILL = 1e-12  # step in column scales that is rounding of positions
ROUNDED = 1e-13  # rounding of positions, which a stiffness turns into forces, in column scales
PROBE = 0.1  # displacement, in column scales, at which the resistance of laws is evaluated
FLAT = 1e-11  # stiffness as a fraction of the resistance at a displacement, below which it vanishes
STEADY = 5  # such steps one after the other that end a search
SHORTER = (1.0, 0.5, 0.25, 0.1, 0.02)  # shares of a step that are tried where joints do not close


class Balance:
    """Forces of a system at rest; its rows are kept closed."""

    def __init__(self, system: System, rows: Sequence[int], time: float) -> None:
        self.system, self.rows, self.time = system, list(rows), time
        self.scales = system.column_scales().copy()
        self.still = np.zeros(system.n_columns)

    def exact(self, q: Array) -> list[int]:
        """Equations that hold exactly: all, unless the model has a closure_tolerance."""
        return exact_rows(self.system, q, self.time, self.rows)

    def state(self, q: Array) -> State:
        inner = self.system.inner_start
        return State(self.system, self.system.floats, tuple(self.rows), self.time, q, self.still, inner)

    def at(self, q: Array, *, kinks: bool = False) -> Reduced:
        """Small motions about a position, as if it were one of rest."""
        return reduced(self.state(q), kinks=kinks, held=True)

    def forces(self, q: Array) -> tuple[Array, float]:
        """Applied forces along all columns, and the size of the forces at work, in column scales: they may cancel each other."""
        system = self.system
        state = evaluate_state(system, system.floats, pattern(system, ()), self.time, q, self.still)
        masses = sum(body.mass or 0.0 for body in system.model.bodies.values())
        weight = masses * float(np.linalg.norm(system.model.gravity))
        parts = [
            abs(value) * (1.0 if use.along is not None and use.along.unit == ANGLE else system.length)
            for value, use in zip(state.forces, (f.use for f in system.forces), strict=True)
        ]
        largest = float(np.abs(state.generalised * self.scales).max(initial=0.0))
        return state.generalised, max([1e-300, weight * system.length, largest, *parts])

    def drawn(self) -> Array:
        """Drawn coordinates, with driven angles in the turn of their driver, from which assembly starts in every analysis."""
        return whole_turns(self.system, self.rows, self.time)

    def close(self, q: Array) -> Array:
        return assembled(self.system.model, time=self.time, system=self.system, rows=self.rows, start=q).q

    def move(self, q: Array, step: Array, *, limit: float = LONGEST) -> tuple[Array, bool]:
        """Return the closed position after a step of at most `limit` scales, shortened until forces are finite, and its success."""
        length = float(np.abs(step / self.scales).max(initial=0.0))
        own = min(1.0, limit / length) if length > 0.0 else 1.0
        for share in SHORTER:
            try:
                there = self.close(moved(self.system, q, share * own * step))
            except AssemblyError:
                continue
            if np.isfinite(self.forces(there)[0]).all():
                return there, True
        return q, False

    def residual(self, q: Array, *, resisting: bool = False) -> float:
        """Largest unbalanced force along the free directions against the forces at work, or against those that resist a displacement."""
        here, (g, size) = self.at(q), self.forces(q)
        size = max(size, self.resistance(q)) if resisting else size
        return float(np.abs(here.left.T @ g).max(initial=0.0)) / size

    def off(self, q: Array) -> float:
        """The residual; where all forces vanish, against the forces that a displacement by the model's size would cause."""
        here, (g, size) = self.at(q), self.forces(q)
        force = float(np.abs(here.left.T @ g).max(initial=0.0))
        if force <= TOLERANCE * size:
            return force / size
        return force / max(size, float(np.abs(here.stiffness).max(initial=0.0)), self.resistance(q))

    def free(self, q: Array) -> Array:
        """Motions that closed joints permit, orthonormal in column scales."""
        return np.asarray(rank_of(jacobian(self.system, q, self.time, self.exact(q))).freedom)

    def resistance(self, q: Array) -> float:
        """Stiffness that a displacement of `PROBE` to either side shows, the smaller of both, in column scales.

        The tangent stiffness of a linear law agrees with it; where a cubic law vanishes, its tangent vanishes as well.
        """
        free = self.free(q)
        if not free.shape[1]:
            return 0.0
        share = np.cos(np.arange(free.shape[1]))  # unequal parts: equal ones may cancel
        step = PROBE * self.scales * (free @ share) / float(np.linalg.norm(share))
        return min(self._resistance(q, step), self._resistance(q, -step))

    def _resistance(self, q: Array, step: Array) -> float:
        there, went = self.move(q, step)
        apart = float(np.linalg.norm(difference(self.system, there, q) / self.scales))
        if not went or not apart:
            return 0.0
        g, size = self.forces(there)
        force = float(np.linalg.norm(self.free(there).T @ (self.scales * g)))
        return force / apart if force > TOLERANCE * size else 0.0

    def rounding(self, q: Array, here: Reduced) -> float:
        """Error of entries of the stiffness: rounding, and what is negligible next to the resistance at a displacement.

        A stiffness below a hundred such errors vanishes.
        """
        return max(here.rounding, 0.01 * FLAT * self.resistance(q))

    def flat(self, q: Array, force: Array, stiffness: Array) -> bool:
        """Return True if force and stiffness along the free directions, in units of the scales, vanish next to the resistance."""
        resistance = self.resistance(q)
        return (
            float(np.abs(stiffness).max(initial=0.0)) <= FLAT * resistance
            and float(np.abs(force).max(initial=0.0)) <= ROUNDED * resistance
        )


class Standstill:
    """Detects that a search moves by rounding only: where all forces vanish, they are no measure of what is left of them."""

    def __init__(self, scales: Array | float) -> None:
        self.scales, self.count = scales, 0

    def reached(self, step: Array, vanishing: bool = True) -> bool:
        """Return True after several steps of all columns that are rounding, with forces that `vanish`."""
        small = float(np.abs(step / self.scales).max(initial=0.0)) < STILL
        self.count = self.count + 1 if small and vanishing else 0
        return self.count >= STEADY


def vanish(force: Array, stiffness: Array, size: float) -> bool:
    """Return True if unbalanced forces are rounding of positions: a force along a direction without stiffness causes no step.

    Args:
        force: Unbalanced forces along the free directions, in units of the scales.
        stiffness: Stiffness along the free directions, likewise.
        size: Size of the forces at work.
    """
    return (
        float(np.abs(force).max(initial=0.0)) <= ROUNDED * float(np.abs(stiffness).max(initial=0.0)) + TOLERANCE * size
    )


def row_gaps(system: System, rows: Sequence[int], time: float, q: Array) -> Array:
    """Value less target of the given rows, in their own units."""
    values, rates, seconds = (np.zeros((1, len(system.rows))) for _ in range(3))
    still = np.zeros((1, system.n_columns))
    measures_run(
        system.ints, system.floats, np.array([time]), q.reshape(1, -1).copy(), still, still, values, rates, seconds
    )
    goals = [goal for use in system.recipe[0] for goal in use[3]]
    targets = system.targets(system.floats)
    wanted = [goals[k] for k in rows]
    moving = [0.0 if isinstance(goal, int | float) else float(goal.evaluate({"t": time})) for goal in wanted]
    return np.asarray(values[0, list(rows)] - targets[list(rows)] - moving)
