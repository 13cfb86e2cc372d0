"""A mechanism that stands still, to be drawn: assembled, or as it was drawn if it cannot be."""

from __future__ import annotations

import numpy as np

from trammel.analysis.assembly import assemble
from trammel.errors import TrammelError
from trammel.model.base import Model
from trammel.results.result import Result
from trammel.system.lowering import lower


def still(model: Model) -> Result:
    """One instant without velocities."""
    try:
        found = assemble(model)
        system, q, time = found.system, found.q, found.time
    except TrammelError:
        system, time = lower(model), 0.0
        q = system.start
    return Result(model, system, np.array([time]), np.atleast_2d(q), None, None, notes=np.zeros((1, 4)))
