"""Whether the books of energy close for many variants at once, more surely than a single run asks for."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from pytrammel.analysis.batches.fast import NotFast
from pytrammel.analysis.batches.loads import Loads
from pytrammel.analysis.runs.doubts import EXPLAINED, MOST_EXPLAINED
from pytrammel.expressions.expression import Expression, Number
from pytrammel.forces.force import ForceUse
from pytrammel.kernels import layout as L
from pytrammel.model.base import Model
from pytrammel.results.forces.stored_energy import energy_inputs, is_spring
from pytrammel.system.lowering import System

Array = NDArray[np.float64]


def refuse_books(model: Model) -> None:
    """Refuse springs whose energy has no formula, or one of quantities without a name."""
    for force in model.forces.values():
        for use in force.uses:
            if use.stored is None and is_spring(use):
                raise NotFast(f"what {force.kind} {force.name!r} stores has no formula")
            if use.stored is not None and any(
                not isinstance(model.spoken(q), str) for q in energy_inputs(use).values()
            ):
                raise NotFast(f"what {force.kind} {force.name!r} stores depends on quantities without a name")


class Books:
    """Energies of variants, and what the integration may leave unexplained."""

    def __init__(self, model: Model) -> None:
        self._stored = {k: use.stored for k, use in enumerate(_uses(model)) if use.stored is not None}
        self._inputs = {
            k: {key: str(model.spoken(q)) for key, q in energy_inputs(use).items()}
            for k, use in enumerate(_uses(model)) if use.stored is not None
        }  # fmt: skip
        self.measured = list(dict.fromkeys(name for inputs in self._inputs.values() for name in inputs.values()))

    def numbers(self, system: System) -> list[float]:
        """Numbers in the formulas of stored energy of one variant."""
        return [x for use in _uses(system.model) if use.stored is not None for x in _numbers(use.stored)]

    def close(
        self, system: System, found: Loads, works: Array, measured: Array, places: Mapping[str, int], numbers: Array, length: Array,
        floats: Array, steps: Array, tolerance: float,
    ) -> NDArray[np.bool_]:  # fmt: skip
        """Whether the energy balance of each variant closes beyond doubt, shape (N,).

        Args:
            system, found: The system and what was computed.
            works: Of every force element and of the drivers, shape (N, n, elements + 1).
            measured, places: Measured quantities, and which is which.
            numbers: Of `numbers`, one row per variant.
            length: Length scales [m].
            floats: One row per variant.
            steps: Steps taken.
            tolerance: Of a step, as far as it may be used up.
        """
        count = len(works)
        if not count:
            return np.zeros(0, dtype=bool)
        kinetic, gravity = found.energies[:, :, 0], found.energies[:, :, 1]
        stored, dissipated, given = np.zeros_like(kinetic), np.zeros_like(kinetic), works[:, :, -1].copy()
        at = 0
        for k, force in enumerate(system.forces):
            if k in self._stored:
                known = {key: measured[:, :, places[name]] for key, name in self._inputs[k].items()}
                formula = self._stored[k]
                own = _numbers(formula)
                stored = stored + _evaluated(formula, numbers[:, at : at + len(own)], known)
                at += len(own)
            elif force.use.role == "spring":
                stored = stored - works[:, :, k]
            elif force.use.role == "input":
                given = given + works[:, :, k]
            else:
                dissipated = dissipated - works[:, :, k]
        total = kinetic + gravity + stored
        off = np.abs(total - total[:, :1] - (given - given[:, :1]) + (dissipated - dissipated[:, :1])).max(axis=1)
        turned = np.abs(kinetic).max(axis=1) + np.abs(stored).max(axis=1)
        turned = turned + sum(np.ptp(x, axis=1) for x in (gravity, given, dissipated))
        scale = turned.copy()
        for k, force in enumerate(system.forces):
            along = force.use.along
            arm = 1.0 if along is not None and along.unit == "rad" else length
            scale += arm * np.abs(found.outputs[:, :, 2 * k]).max(axis=1)
        if system.rows:
            first = int(system.ints[L.AT_ROW_SCALES])
            scales = floats[:, first : first + len(system.rows)]
            scale += (np.abs(found.multipliers).max(axis=1) * scales).max(axis=1)
        allowed = EXPLAINED * tolerance * np.maximum(1.0, steps) * scale
        limit = np.minimum(allowed, MOST_EXPLAINED * np.maximum(turned, 1e-9 * scale))
        return np.asarray(off <= limit)


def _uses(model: Model) -> list[ForceUse]:
    return [use for force in model.forces.values() for use in force.uses]


def _numbers(formula: Expression) -> list[float]:
    return [node.value for node in formula.nodes() if isinstance(node, Number)]


def _evaluated(formula: Expression, numbers: Array, known: Mapping[str, Array]) -> Array:
    """A formula with other numbers in it, one set per variant."""
    at = 0
    values: dict[int, object] = {}
    for node in formula.nodes():
        if isinstance(node, Number):
            values[id(node)] = numbers[:, at, None]
            at += 1
        else:
            values[id(node)] = node._evaluate(known, [values[id(child)] for child in node.children])
    return np.asarray(values[id(formula)], dtype=float)
