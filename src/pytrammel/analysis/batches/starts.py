"""Where variants start: in which turn driven angles are, and whether axes point the way they are meant to."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from pytrammel import rotations
from pytrammel.analysis.positions.assembly import counted_bodies
from pytrammel.kernels import layout as L
from pytrammel.kernels.variants import targets_of_variants
from pytrammel.model.bodies import GROUND
from pytrammel.system.lowering import System

Array = NDArray[np.float64]
SURELY_ALIGNED = 1e-6  # a scalar product of axes that is larger is positive whatever rounding does
SURE = 1e-6  # of a turn: nearer to half a turn, rounding decides


class Turning:
    """What `whole_turns` does, on arrays: drawn coordinates with driven angles in the turn that their driver is in."""

    def __init__(self, system: System, rows: Sequence[int], time: float) -> None:
        self.system, self.time = system, time
        model = system.model
        acting = {system.rows[k].owner for k in rows}
        counted = counted_bodies(system, acting)
        self.counters: list[tuple[int, int]] = []  # driver's row, coordinate
        # row, columns of its bodies, floats, column, sign
        self.angles: list[tuple[int, list[int], int, int, float]] = []
        for c in model.constraints.values():
            if not c.is_driver or c.name not in acting or c.prescribes is None:
                continue
            quantity, row = c.prescribes, system.rows_of([c.name])[0]
            if quantity.turn is not None:
                first = system.n_coordinates - len(model.turns)
                self.counters.append((row, first + list(model.turns).index(quantity.turn.name)))
                continue
            if quantity.primitive != "linear":
                continue
            places = [system.columns.index(f"{b}.x") if b != GROUND else -1 for b in quantity.bodies]
            for k, body in enumerate(quantity.bodies):
                x, y, sign = quantity.data[1 + 3 * k : 4 + 3 * k]
                if (x, y, abs(sign)) == (0.0, 0.0, 1.0) and body != GROUND and counted.count(body) == 1:
                    self.angles.append((row, places, self._floats(row), places[k] + 2, sign))
                    break

    def _floats(self, row: int) -> int:
        """Where the weights of a row's quantity are."""
        ints = self.system.ints
        output = int(ints[int(ints[L.AT_ROWS]) + L.ROW_SIZE * row])
        element = next(e for e in self.system.elements if e.output == output)
        return int(ints[element.at])

    def begin(self, floats: Array, drawn: Array) -> tuple[Array, NDArray[np.bool_]]:
        """Where assembly begins, shape (N, n_coordinates), and whether that is beyond doubt."""
        start, sure = drawn.copy(), np.ones(len(drawn), dtype=bool)
        rows = np.array([row for row, *_ in [*self.counters, *self.angles]], dtype=np.int64)
        targets = np.zeros((len(drawn), rows.size))
        if rows.size:
            targets_of_variants(self.system.ints, floats, rows, self.time, targets)
        sure &= np.isfinite(targets).all(axis=1)
        for k, (_, place) in enumerate(self.counters):
            start[:, place] += 2.0 * math.pi * self._turns(targets[:, k] - drawn[:, place], sure)
        for k, (_, places, at, column, sign) in enumerate(self.angles, start=len(self.counters)):
            weights = floats[:, at + 1 : at + 1 + 3 * len(places)]
            sure &= (weights == self.system.floats[at + 1 : at + 1 + 3 * len(places)]).all(axis=1)
            value = np.zeros(len(drawn))
            for j, place in enumerate(places):
                if place >= 0:
                    value += (weights[:, 3 * j : 3 * j + 3] * drawn[:, place : place + 3]).sum(axis=1)
            start[:, column] += 2.0 * math.pi * self._turns(targets[:, k] - value, sure) * sign
        return start, sure

    @staticmethod
    def _turns(angle: Array, sure: NDArray[np.bool_]) -> Array:
        turns = angle / (2.0 * math.pi)
        whole = np.round(np.where(np.isfinite(turns), turns, 0.0))
        sure &= np.abs(np.abs(turns - whole) - 0.5) > SURE
        return np.asarray(whole)


def axes_of(system: System) -> list[float]:
    """Axes that must point the same way, as numbers."""
    return [x for joint in system.model.constraints.values() for quantity in joint.aligned for x in quantity.data[:6]]


def surely_aligned(system: System, rows: Sequence[int], axes: Array, places: Array) -> NDArray[np.bool_]:
    """Whether all axes point the way they are meant to, beyond doubt.

    Args:
        system: The system.
        rows: Active equations.
        axes: Of `axes_of`, one row per variant.
        places: Coordinates, one row per variant.
    """
    good = np.ones(len(places), dtype=bool)
    acting = {system.rows[k].owner for k in rows}
    names = list(system.model.bodies)
    at = 0
    for joint in system.model.constraints.values():
        for quantity in joint.aligned:
            pair = axes[:, at : at + 3], axes[:, at + 3 : at + 6]
            at += 6
            if joint.name in acting:
                bodies = (names.index(body) - 1 for body in quantity.bodies)
                first, second = (_axis(places, body, own) for body, own in zip(bodies, pair, strict=True))
                good &= (first * second).sum(axis=1) > SURELY_ALIGNED
    return good


def _axis(places: Array, body: int, local: Array) -> Array:
    """A direction on a body in space, global, shape (N, 3)."""
    if body < 0:
        return local
    matrices = np.asarray(rotations.matrix(places[:, 7 * body + 3 : 7 * body + 7]))
    return np.asarray(np.einsum("nij,nj->ni", matrices, local))
