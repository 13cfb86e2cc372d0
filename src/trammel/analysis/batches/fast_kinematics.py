"""Kinematics of many variants in one kernel call."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trammel import rotations
from trammel.analysis.assembly import ITERATIONS, TOLERANCE, active_rows
from trammel.analysis.batches.columns import Column, Motion, column_of
from trammel.analysis.batches.fast import NotFast, goals_of, has_corners, may_depend
from trammel.analysis.batches.turns import Turning
from trammel.analysis.breaks import refuse_jumps
from trammel.analysis.kinematics import WORK_PER_CALL
from trammel.analysis.rank import SURE
from trammel.analysis.ready import make_ready
from trammel.analysis.too_fast import refuse_endless
from trammel.errors import TrammelError
from trammel.kernels import variants as kernels
from trammel.kernels.assembly import assemble_run
from trammel.kernels.calls import NOTHING, NUMBER, STOPPED, WHOLE, entry_address
from trammel.kernels.jit import HAVE_JIT
from trammel.kernels.kinematics import kinematics_run
from trammel.kernels.measures import measures_run
from trammel.kernels.rates import rates_run
from trammel.model.base import Model
from trammel.system.lowering import System
from trammel.system.parameter_map import ParameterMap, parameter_map
from trammel.system.pattern import pattern

Array = NDArray[np.float64]
SURELY_ALIGNED = 1e-6  # a scalar product of axes that is larger is positive whatever rounding does
USUAL = {"independent": None, "damping": True, "formulation": "cartesian"}
LEVELS = {"position": 1, "velocity": 2, "acceleration": 3}


class FastKinematics:
    """The compiled way of `kinematics`: no Python per variant."""

    def __init__(
        self, model: Model, options: Mapping[str, Any], names: Sequence[str], states: Sequence[str], times: Array, wanted: Sequence[str]
    ) -> None:  # fmt: skip
        if not HAVE_JIT:
            raise NotFast("kernels are not compiled here")
        self.model, self.names, self.times = model, tuple(names), times
        self._refuse(model, options)
        levels = LEVELS.get(options.get("level", "acceleration"), 0)
        found = {name: column_of(model, name, levels) for name in wanted}
        other = [name for name, column in found.items() if column is None]
        if other:
            raise NotFast(f"{other[0]!r} takes more than the motion")
        self.columns: dict[str, Column] = {name: column for name, column in found.items() if column is not None}
        self.measured = list(dict.fromkeys(column.measure for column in self.columns.values() if column.measure))
        own = [
            "kinematics_run",
            "assemble_run",
            "rates_run",
            "measures_run",
            "targets_of_variants",
            "kinematics_of_variants",
        ]
        make_ready(model, own, quantities=[model.measure(name) for name in self.measured])
        self.map = parameter_map(model, also={"aligned": _aligned})
        self.measuring = parameter_map(model, constraints=(), measured=self.measured)
        system = self.map.system
        self._choose(system)
        self.turning = Turning(system, self.rows, float(times[0]))
        self.addresses = np.array(
            [
                entry_address(assemble_run, WHOLE), entry_address(rates_run, NUMBER), entry_address(kinematics_run, STOPPED),
                entry_address(measures_run, NOTHING),
            ]
        )  # fmt: skip
        span = float(times[-1] - times[0])
        self.numbers = np.array(
            [ITERATIONS, TOLERANCE, SURE, span if span > 0.0 else 1.0, WORK_PER_CALL // max(1, system.n_columns)]
        )

    def _refuse(self, model: Model, options: Mapping[str, Any]) -> None:
        for key, usual in USUAL.items():
            if options.get(key, usual) != usual:
                raise NotFast(f"{key}= is given")
        if model.phases:
            raise NotFast("the model has phases")
        if any(joint.held for joint in model.constraints.values()):
            raise NotFast("meshes of gears are watched")
        if any(quantity.formula is not None for joint in model.constraints.values() for quantity in joint.aligned):
            raise NotFast("axes are aligned by formulas")
        try:
            refuse_jumps(model, float(self.times[0]), float(self.times[-1]))
            refuse_endless(model, self.times, {})
        except TrammelError as error:
            raise NotFast(str(error)) from error
        for joint in model.constraints.values():
            if any(has_corners(goal) for goal in goals_of(joint)) and may_depend(model, joint, self.names):
                raise NotFast(f"{joint.name!r} has corners that move with the parameters")

    def _choose(self, system: System) -> None:
        """Rows to close and rows to follow, as a single run chooses them."""
        self.rows = active_rows(system)
        if any(row.velocity_only for row in system.rows):
            raise NotFast("velocities are restrained")
        ordered = [k for k in self.rows if not system.rows[k].is_driver] + [
            k for k in self.rows if system.rows[k].is_driver
        ]
        if len(ordered) != system.n_columns or not ordered or system.laws:
            raise NotFast("the rows in use must be found out for every variant")
        self.closing, self.following = pattern(system, self.rows), pattern(system, ordered)

    def run(self, values: Array, states: Array) -> tuple[NDArray[np.int64], Motion]:
        """Follow some variants; returns which were followed to the end without anything unusual, and their motion."""
        system, instants = self.map.system, self.times.size
        own, looking = numbers_of(self.map, self.names, values), numbers_of(self.measuring, self.names, values)
        fits = own.fits & looking.fits
        floats, measures = (np.ascontiguousarray(each.floats[fits]) for each in (own, looking))
        places, sure = self.turning.begin(floats, np.ascontiguousarray(own.start[fits]))
        count = len(places)
        tables = tuple(
            np.zeros(count * instants * n) for n in (system.n_coordinates, system.n_columns, system.n_columns)
        )
        seen = tuple(np.zeros(count * instants * len(self.measured)) for _ in range(3))
        outcome = np.full(count, -1, dtype=np.int64)
        kernels.kinematics_of_variants(
            self.addresses, system.ints, floats, self.closing, self.following, self.times, self.numbers, places, *tables,
            self.measuring.system.ints, measures, *seen, outcome,
        )  # fmt: skip
        good = (outcome == kernels.DONE) & sure & self._aligned(np.asarray(own.also["aligned"])[fits], places)
        shaped = tuple(table.reshape(count, instants, -1)[good] for table in tables)
        measured = tuple(table.reshape(count, instants, len(self.measured))[good] for table in seen)
        motion = Motion(self.times, shaped, measured)
        return np.flatnonzero(fits)[good], motion

    def _aligned(self, data: Array, places: Array) -> NDArray[np.bool_]:
        """Whether all axes point the way they are meant to, beyond doubt."""
        good = np.ones(len(places), dtype=bool)
        acting = {self.map.system.rows[k].owner for k in self.rows}
        names = list(self.model.bodies)
        at = 0
        for joint in self.model.constraints.values():
            for quantity in joint.aligned:
                u, w = data[:, at : at + 3], data[:, at + 3 : at + 6]
                at += 6
                if joint.name not in acting:
                    continue
                first, second = (
                    _axis(places, names.index(body) - 1, x) for body, x in zip(quantity.bodies, (u, w), strict=True)
                )
                good &= (first * second).sum(axis=1) > SURELY_ALIGNED
        return good


def numbers_of(parameters: ParameterMap, names: Sequence[str], values: Array) -> Any:
    """Numbers of variants in which some of the free parameters vary."""
    table = np.tile(parameters.values, (len(values), 1))
    table[:, [parameters.names.index(name) for name in names]] = values
    return parameters.at(table)


def _aligned(system: System) -> list[float]:
    """Axes that must point the same way, as numbers."""
    return [x for joint in system.model.constraints.values() for quantity in joint.aligned for x in quantity.data[:6]]


def _axis(places: Array, body: int, local: Array) -> Array:
    """A direction on a body in space, global, shape (N, 3)."""
    if body < 0:
        return local
    matrices = np.asarray(rotations.matrix(places[:, 7 * body + 3 : 7 * body + 7]))
    return np.asarray(np.einsum("nij,nj->ni", matrices, local))
