"""What comes and goes with the phases of a model: which parts act at which instant, in the plane and in space."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from pytrammel.forces.force import Force
from pytrammel.joints.constraint import Constraint
from pytrammel.model.base import Model
from pytrammel.results.result import Result

Active = tuple[bool, ...] | None


def phases_of(result: Result) -> list[str] | None:
    """Phase in force at each instant of a result; None for a model without phases."""
    if not result.model.phases:
        return None
    starts = [(-np.inf, next(iter(result.model.phases)))] + [(s.time, s.enter) for s in result._switches]
    return [[name for since, name in starts if since <= time][-1] for time in result.times.tolist()]


def comes_and_goes(model: Model, part: Constraint | Force) -> bool:
    """Return True if a part acts in some phases only."""
    return isinstance(part, Constraint) and any(part.name in phase.active for phase in model.phases.values())


def activity(model: Model, part: Constraint | Force, phases: Sequence[str] | None, n: int) -> Active:
    """Whether a part acts at each of ``n`` instants; None if it always does. Without ``phases`` the first one is in force."""
    if not comes_and_goes(model, part):
        return None
    now = phases or [next(iter(model.phases))] * n
    return tuple(part.name in model.phases[phase].active for phase in now)


def always_held(model: Model) -> set[str]:
    """Bodies that a joint fixes to the ground in every phase."""
    return {c.held_body for c in model.constraints.values() if c.held_body and not comes_and_goes(model, c)}
