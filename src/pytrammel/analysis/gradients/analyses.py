"""Driven motions and structures as analyses that can be differentiated."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pytrammel.analysis.driven.kinematics import kinematics
from pytrammel.analysis.driven.statics import efforts_of, inverse_dynamics, statics
from pytrammel.analysis.freedom.rank import rank_at
from pytrammel.analysis.gradients.directions import Direction
from pytrammel.analysis.gradients.lines import Line, lines
from pytrammel.analysis.gradients.motions import Motion, Span, driven_motion, refuse_later_phase
from pytrammel.analysis.gradients.problem import Kind, analysis_type
from pytrammel.analysis.positions.assembly import active_rows
from pytrammel.errors import ModelError
from pytrammel.kernels.jit import prepare
from pytrammel.model.base import Model
from pytrammel.results.result import Result
from pytrammel.system.lowering import lower

Array = NDArray[np.float64]


class OfMotion:
    """Quantities of a motion that follows from constraints and drivers."""

    moving: Array | None = None
    end_moves = False

    def __init__(self, motion: Motion, result: Result) -> None:
        prepare(["closure_run"])
        self.motion, self.result = motion, result
        self.names, self.times, self.warnings = motion.names, motion.times, result.warnings

    def values(self) -> Array:
        return np.array([column for column, _unit in self.result._columns(self.names)]).reshape(
            len(self.names), self.times.size
        )

    def alongs(self, directions: Sequence[Direction]) -> list[Array]:
        return [self.motion.along(d, line) for d, line in zip(directions, self._lines(directions), strict=True)]

    def backwards(self, weights: Array, later: float, directions: Sequence[Direction]) -> list[float]:
        multipliers, short = self.motion.pulled(weights), self._lines(directions)
        return [self.motion.pull(d, weights, multipliers, line) for d, line in zip(directions, short, strict=True)]

    def _lines(self, directions: Sequence[Direction]) -> Sequence[Line | None]:
        """How the system changes along directions, where that is known."""
        return lines(self.motion.system, directions, dynamics=False) or [None] * len(directions)


def _plainly(options: Mapping[str, Any], *unknown: str) -> None:
    for key in unknown:
        if options.get(key) is not None:
            raise ModelError(f"there are no derivatives with {key}=; describe drivers in the model instead.")


def _positions_only(result: Result) -> Result:
    owners = sorted({row.owner for row in result._system.rows if row.velocity_only})
    if owners:
        raise ModelError(
            f"there are no derivatives of positions that follow from velocities ({', '.join(map(repr, owners))}); write the integrated "
            "equation, or take differences of runs."
        )
    return result


def _of_kinematics(model: Model, names: tuple[str, ...], options: Mapping[str, Any]) -> OfMotion:
    _plainly(options, "prescribed")
    result = _positions_only(kinematics(model, progress=False, **options))
    return OfMotion(driven_motion(result, names, lower), result)


def _of_inverse_dynamics(model: Model, names: tuple[str, ...], options: Mapping[str, Any]) -> OfMotion:
    _plainly(options, "prescribed")
    result = inverse_dynamics(model, progress=False, **options)
    given = {key: options[key] for key in ("actuators", "weights") if key in options}
    run = _positions_only(
        kinematics(model, progress=False, **{key: value for key, value in options.items() if key not in given})
    )

    def look(variant: Model, q: Array, v: Array, a: Array) -> Result:
        return efforts_of(variant, result.times, q, v, a, **given)

    return OfMotion(driven_motion(run, names, lower, look), result)


def _of_statics(model: Model, names: tuple[str, ...], options: Mapping[str, Any]) -> OfMotion:
    result = statics(model, **options)
    refuse_later_phase(result._segments[0].system)
    system, q = lower(model), result.q[0]
    rows = active_rows(system)
    time = float(result.times[0])
    independent = [rows[k] for k in rank_at(system, q, time, rows).independent]
    given = {key: options[key] for key in ("actuators", "weights") if key in options}

    def look(variant: Model, q: Array, v: Array, a: Array) -> Result:
        return efforts_of(variant, result.times, q, v, a, **given)

    rest = np.zeros((1, system.n_columns))
    motion = Motion(
        system,
        result.times,
        result.q,
        rest,
        rest,
        [Span(slice(0, 1), tuple(independent))],
        lower,
        look,
        names,
        levels=1,
    )
    return OfMotion(motion, result)


analysis_type(Kind("kinematics", _of_kinematics))
analysis_type(Kind("inverse_dynamics", _of_inverse_dynamics))
analysis_type(Kind("statics", _of_statics))
