"""Contacts whose bodies overlap too far in one state, asked from Python."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from pytrammel.analysis.at_state import evaluate_state, measured_value
from pytrammel.results.forces.overlaps import Overlap, overlaps_among
from pytrammel.system.lowering import System
from pytrammel.system.pattern import pattern

Array = NDArray[np.float64]


def overlaps_at(
    system: System, time: float, q: Array, v: Array, *, floats: Array | None = None, names: Iterable[str] | None = None
) -> list[Overlap]:
    """Overlaps of all contacts, or of some by their names, in one state."""
    model = system.model
    gaps = {name: model.forces[name].gap for name in (model.forces if names is None else names)}
    depths = {
        name: np.array([gap.closed - measured_value(model, gap.quantity, time, q, v)[0]])
        for name, gap in gaps.items()
        if gap is not None
    }
    if not depths:
        return []
    state = evaluate_state(system, system.floats if floats is None else floats, pattern(system, ()), time, q, v)
    return overlaps_among(system, time, depths, state.forces)
