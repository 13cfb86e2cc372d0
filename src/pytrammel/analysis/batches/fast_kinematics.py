"""Kinematics of many variants in one kernel call."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pytrammel.analysis.batches.columns import Motion, column_of
from pytrammel.analysis.batches.fast import NotFast, goals_of, has_corners, may_depend, numbers_of, whole_or
from pytrammel.analysis.batches.starts import Turning, axes_of, surely_aligned
from pytrammel.analysis.batches.varying import Varying, key_of, shared
from pytrammel.analysis.driven.kinematics import WORK_PER_CALL
from pytrammel.analysis.driven.too_fast import refuse_endless
from pytrammel.analysis.driven.trouble import SINGULAR
from pytrammel.analysis.events.breaks import refuse_jumps
from pytrammel.analysis.freedom.rank import SURE
from pytrammel.analysis.positions.assembly import ITERATIONS, TOLERANCE, active_rows
from pytrammel.analysis.ready import make_ready
from pytrammel.errors import TrammelError
from pytrammel.kernels import variants as kernels
from pytrammel.kernels.assembly import assemble_run
from pytrammel.kernels.calls import NOTHING, NUMBER, STOPPED, WHOLE, can_call, entry_address
from pytrammel.kernels.kinematics import kinematics_run
from pytrammel.kernels.measures import measures_run
from pytrammel.kernels.rates import rates_run
from pytrammel.kernels.structure.instants import StraightInstants
from pytrammel.model.base import Model
from pytrammel.system.lowering import System
from pytrammel.system.parameter_map import parameter_map
from pytrammel.system.pattern import pattern

Array = NDArray[np.float64]
USUAL = {"prescribed": None, "newton": "damped", "formulation": "cartesian"}
PAYS = 60_000  # times of all variants together from which on kernels are written out
NO_PIECES = np.zeros(0, dtype=np.int64)
LEVELS = {"position": 1, "velocity": 2, "acceleration": 3}


class FastKinematics:
    """The compiled way of `kinematics`: no Python per variant."""

    straight = False  # whether kernels are written out
    loose = False
    _varying: Varying

    def __init__(
        self, model: Model, options: Mapping[str, Any], names: Sequence[str], states: Sequence[str], times: Array, wanted: Sequence[str]
    ) -> None:  # fmt: skip
        if not can_call():
            raise NotFast("kernels cannot call each other by address here")
        self.model, self.names, self.times = model, tuple(names), times
        self._refuse(model, options)
        levels = LEVELS.get(options.get("level", "acceleration"), 0)
        found = {name: column_of(model, name, levels) for name in wanted}
        other = [name for name, column in found.items() if column is None]
        if other:
            raise NotFast(f"{other[0]!r} takes more than the motion")
        self.columns: Any = {name: column for name, column in found.items() if column is not None}
        self.measured = list(dict.fromkeys(name for column in self.columns.values() for name in column.measures))
        own = [
            "kinematics_run",
            "assemble_run",
            "rates_run",
            "measures_run",
            "targets_of_variants",
            "kinematics_of_variants",
        ]
        make_ready(model, own, quantities=[model.measure(name) for name in self.measured])
        self.map = parameter_map(model, also={"axes": axes_of})
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
        most = WORK_PER_CALL // max(1, system.n_columns)
        self.numbers = np.array([ITERATIONS, TOLERANCE, SURE, span if span > 0.0 else 1.0, most, SINGULAR])

    def _refuse(self, model: Model, options: Mapping[str, Any]) -> None:
        for key, usual in USUAL.items():
            if options.get(key, usual) != usual:
                raise NotFast(f"{key}= is given")
        if model.closure_tolerance:
            raise NotFast("loops close within closure_tolerance")
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

    def pays(self, count: int, values: Array, states: Array) -> bool:
        """Return True if writing kernels out saves more time than it takes for so many variants."""
        return count * self.times.size >= PAYS

    def write_out(self) -> None:
        """Have kernels written out for this structure; raises `NotStraightError` where that cannot be."""
        self._varying = Varying((self.map, self.measuring), self.names)
        self._pieces(self.map.system.floats[None], self.measuring.system.floats[None])
        self.straight = True

    def _pieces(self, floats: Array, measures: Array) -> StraightInstants:
        motion, looking = self._varying.structures(floats, measures)
        own = looking if self.measured else None
        return shared(
            ("instants", *key_of(self.following, motion, own)), lambda: StraightInstants(motion, self.following, own)
        )

    def run(self, values: Array, states: Array) -> tuple[NDArray[np.int64], Motion]:
        """Follow some variants; returns which were followed to the end without anything unusual, and their motion."""
        system, instants = self.map.system, self.times.size
        own, looking = numbers_of(self.map, self.names, values), numbers_of(self.measuring, self.names, values)
        fits = own.fits & looking.fits
        floats, measures = (np.ascontiguousarray(each.floats[fits]) for each in (own, looking))
        pieces = self._pieces(floats, measures) if self.straight else None
        places, sure = self.turning.begin(floats, np.ascontiguousarray(own.start[fits]))
        count = len(places)
        widths = (system.n_coordinates, system.n_columns, system.n_columns)
        tables = kernels.Motions(*(np.empty(count * instants * n) for n in widths))
        seen = kernels.Measured(*(np.empty(count * instants * len(self.measured)) for _ in range(3)))
        outcome = np.full(count, -1, dtype=np.int64)
        kernels.kinematics_of_variants(
            self.addresses, system.ints, floats, self.closing, self.following, self.times, self.numbers, places, tables,
            self.measuring.system.ints, measures, seen, outcome, NO_PIECES if pieces is None else pieces.table,
        )  # fmt: skip
        good = (outcome == kernels.DONE) & sure
        good &= surely_aligned(system, self.rows, np.asarray(own.also["axes"])[fits], places)
        chosen = whole_or(good)
        q, v, a = (table.reshape(count, instants, n)[chosen] for table, n in zip(tables, widths, strict=True))
        value, rate, second = (table.reshape(count, instants, len(self.measured))[chosen] for table in seen)
        return np.flatnonzero(fits)[good], Motion(self.times, (q, v, a), (value, rate, second))
