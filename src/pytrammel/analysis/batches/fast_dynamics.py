"""Simulations of many variants: closed, set moving and integrated without Python for each of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pytrammel._util.threads import one_thread
from pytrammel.analysis.analysis import TIMES
from pytrammel.analysis.at_state import in_formulation
from pytrammel.analysis.batches.beginnings import NEEDS, Beginnings, driver_speeds
from pytrammel.analysis.batches.columns import column_of
from pytrammel.analysis.batches.energies import Books, refuse_books
from pytrammel.analysis.batches.fast import (
    NotFast,
    goals_of,
    has_corners,
    may_depend,
    numbers_of,
    refuse_options,
    whole_or,
)
from pytrammel.analysis.batches.loads import LoadColumn, Loads, load_column
from pytrammel.analysis.batches.starts import axes_of
from pytrammel.analysis.batches.varying import Varying, key_of, shared
from pytrammel.analysis.events.breaks import find_breaks
from pytrammel.analysis.events.corners import law_corners, reversal_layers
from pytrammel.analysis.formulations import formulation
from pytrammel.analysis.methods import DEFAULT, chosen_method
from pytrammel.analysis.ready import make_ready
from pytrammel.analysis.runs import straight as written
from pytrammel.analysis.runs.doubts import DRIFT, SINGULAR, WORTH_A_LOOK
from pytrammel.analysis.runs.dynamics import ROUNDING, prepared, simulate
from pytrammel.analysis.runs.options import Options
from pytrammel.analysis.runs.simulation import SLOWEST, Simulation
from pytrammel.analysis.start.given import initial_conditions
from pytrammel.errors import TrammelError
from pytrammel.kernels import engine as seam
from pytrammel.kernels import layout as L
from pytrammel.kernels import run as rk
from pytrammel.kernels import variant_runs as kernels
from pytrammel.kernels import variants
from pytrammel.kernels.calls import NOTHING, STEPPED, can_call, entry_address
from pytrammel.kernels.jit import address_of
from pytrammel.kernels.measures import measures_run, reactions_run
from pytrammel.kernels.sharing import sharing_run
from pytrammel.kernels.structure.as_llvm import MachineCode
from pytrammel.kernels.structure.specialise import NotStraightError
from pytrammel.model.base import Model
from pytrammel.system.parameter_map import ParameterMap, Variants, parameter_map

Array = NDArray[np.float64]
TAKEN = (*TIMES, "method", "rtol", "atol", "max_step", "initial")
MOST_STEPS = 4000.0  # runs that take more are looked at while they go on
MOST_REJECTED = 700.0  # likewise those that try so often
CLOSER = 0.1  # share of what a single run would warn of that is beyond doubt


class FastDynamics:
    """The compiled way of `simulate`, for explicit methods with error control and motions without events."""

    straight = False  # whether kernels are written out
    loose = False
    _varying: Varying
    map: ParameterMap
    measuring: ParameterMap

    def __init__(
        self, model: Model, options: Mapping[str, Any], names: Sequence[str], states: Sequence[str], times: Array, wanted: Sequence[str]
    ) -> None:  # fmt: skip
        if not can_call():
            raise NotFast("kernels cannot call each other by address here")
        self.model, self.names, self.times = model, tuple(names), times
        self.options = self._settled(options)
        given = initial_conditions(options.get("initial"))
        if given.hold or not given.correct:
            raise NotFast("the start is held or taken as it is")
        self._refuse(model)
        try:
            with one_thread():
                run = prepared(model, times, self.options, ())
        except TrammelError as error:
            raise NotFast(f"the model as it is cannot be simulated: {error}") from error
        self._choose(run)
        system = self.system = run.system
        self.books = Books(model)
        self.columns: Any = {}
        for name in wanted:
            column = load_column(system, name) or column_of(model, name, 3)
            if column is None:
                raise NotFast(f"{name!r} takes more than the motion and its forces")
            self.columns[name] = column
        self.reactions = any(isinstance(column, LoadColumn) and column.reaction for column in self.columns.values())
        own = [name for column in self.columns.values() for name in column.measures]
        self.measured = list(dict.fromkeys([*own, *self.books.measured]))
        needs = ["measures_run", "reactions_run", "sharing_run", "jacobian_run", *NEEDS, "integrate_variants"]
        make_ready(model, needs, forces=True, quantities=[model.measure(name) for name in self.measured])
        begin = float(times[0])
        also = {"axes": axes_of, "stored": self.books.numbers, "speeds": driver_speeds(self.rows, begin)}
        self.map = parameter_map(model, dynamics=True, also=also)
        self.measuring = parameter_map(model, constraints=(), measured=self.measured)
        if not np.array_equal(self.map.system.ints, system.ints):
            raise NotFast("the system of a run is another one")
        self.beginnings = Beginnings(self.map, self.rows, self.acting, self.names, begin, given.values, states, SLOWEST)
        self._remember(run)

    @staticmethod
    def _settled(options: Mapping[str, Any]) -> Options:
        refuse_options(simulate, options, TAKEN)
        try:
            method, _, most = chosen_method(options.get("method", DEFAULT))
        except TrammelError as error:
            raise NotFast(str(error)) from error
        if (
            method.family != "runge_kutta"
            or method.fixed
            or method.implicit
            or method.back_end is not None
            or method.doubt
        ):
            raise NotFast(f"method {method.name!r} is looked at while it goes on")
        rtol, atol = float(options.get("rtol", 1e-8)), float(options.get("atol", 1e-10))
        if not (rtol > 0.0 and atol >= 0.0) or rtol + atol < ROUNDING:
            raise NotFast("the tolerances are refused")
        longest = float(options.get("max_step", np.inf))
        return Options(method, rtol, atol, 0.0, longest, "projection", 5.0, 5.0, most, formulation("cartesian"))

    def _refuse(self, model: Model) -> None:
        if model.closure_tolerance:
            raise NotFast("loops close within closure_tolerance")
        if model.phases or model.switches:
            raise NotFast("the model has phases")
        for joint in model.constraints.values():
            if joint.held or joint.separation or joint.presses is not None or joint.extras:
                raise NotFast(f"{joint.kind} {joint.name!r} is looked at while it moves")
            if any(quantity.formula is not None for quantity in joint.aligned):
                raise NotFast("axes are aligned by formulas")
            formulas = [
                f for block in joint.blocks for f in [block.quantity.formula] if f is not None and "t" in f.names
            ]
            if any(map(has_corners, [*goals_of(joint), *formulas])) and may_depend(model, joint, self.names):
                raise NotFast(f"{joint.name!r} has corners that move with the parameters")
        for force in model.forces.values():
            loads = any(given.load is not None or given.joint for use in force.uses for given in use.inputs.values())
            if (
                force.holds
                or force.impact_slot is not None
                or force.impact is not None
                or force.kind == "controller"
                or loads
            ):
                raise NotFast(f"{force.kind} {force.name!r} is looked at while it acts")
            if any(use.role == "contact" for use in force.uses) or law_corners(force):
                raise NotFast(f"{force.kind} {force.name!r} has corners")
            if self.options.method.ends_at_layers and reversal_layers(force):
                raise NotFast(f"steps end where the speed of {force.kind} {force.name!r} reverses")
            if any(use.law is not None and has_corners(use.law) for use in force.uses):
                raise NotFast(f"{force.kind} {force.name!r} has corners in time")
        refuse_books(model)
        if find_breaks(model, float(self.times[0]), float(self.times[-1])).table.size:
            raise NotFast("formulas of time have corners")

    def _choose(self, run: Simulation) -> None:
        """Active equations, as a single run chooses them; what this way does not do is refused."""
        system = run.system
        self.rows = run.acting_rows
        ordered = [k for k in self.rows if not system.rows[k].is_driver] + [
            k for k in self.rows if system.rows[k].is_driver
        ]
        if run.redundant or run.active != tuple(ordered):
            raise NotFast("the rows in use must be found out for every variant")
        if any(row.velocity_only for row in system.rows) or system.laws:
            raise NotFast("velocities are restrained, or laws are written in Python")
        if int(system.ints[L.HAS_MASSLESS]) or int(system.ints[L.N_REACTIONS]):
            raise NotFast("parts without mass, or forces that depend on reactions, are looked at for every variant")
        self.acting = run.pattern

    def _remember(self, run: Simulation) -> None:
        """Equations and method as a single run sets them up."""
        watch = run._look_out()
        if watch.events:
            raise NotFast("something is watched")
        self.lengths = self.options.step_lengths(float(self.times[-1] - self.times[0]))
        table = run.engine(watch, self.lengths, in_formulation(run.system, "III"))
        self.lengths[rk.MAX_STEPS], self.lengths[rk.MAX_STIFF] = MOST_STEPS, run.choice.stiff_steps
        self.control = run.control.copy()
        self.table, self.kept = table.entries.copy(), table
        own = [table.data[place] for place in (seam.WORKSPACE, seam.NUMBERS, seam.WATCH_WORK, seam.TREATMENT)]
        self.memory = np.concatenate(own)
        self.places = dict(
            zip(
                (seam.WORKSPACE, seam.NUMBERS, seam.WATCH_WORK, seam.TREATMENT),
                np.cumsum([0, *map(len, own[:-1])]),
                strict=True,
            )
        )
        self.width = run.rows.shape[1]
        self.size = run.y.size
        self.addresses = np.zeros(kernels.N_ADDRESSES, dtype=np.int64)
        self.addresses[[kernels.INTEGRATE, kernels.MEASURE, kernels.LOADS, kernels.SHARE]] = [
            entry_address(rk.integration_run, STEPPED), entry_address(measures_run, NOTHING), entry_address(reactions_run, NOTHING),
            entry_address(sharing_run, NOTHING),
        ]  # fmt: skip
        self.limits = np.array([MOST_REJECTED, CLOSER * DRIFT, WORTH_A_LOOK, SINGULAR / CLOSER])

    def pays(self, count: int, values: Array, states: Array) -> bool:
        """Return True if writing kernels out saves more time than it takes for so many variants, which are taken to be as these."""
        self.run(values, states)
        return count * self.evaluations >= written.PAYS

    def write_out(self) -> None:
        """Have the rates written out for this structure; raises `NotStraightError` where that cannot be."""
        if not written.may_be_straight(self.kept):
            raise NotStraightError("the rates of this run are not those of bodies as they are")
        self._varying = Varying((self.map,), self.names)
        written.put(self.kept, self._rates(self.map.system.floats[None]))
        self.straight = True

    def _rates(self, floats: Array) -> MachineCode:
        (motion,) = self._varying.structures(floats)

        def make() -> MachineCode:
            found = written.written_out(self.kept, motion.varying)
            if isinstance(found, str):
                raise NotStraightError(found)
            return found

        return shared(("rates", *key_of(self.acting, motion)), make)

    def _tables(self, floats: Array) -> tuple[NDArray[np.int64], Array, Any]:
        """Table of equations and method, the room that it leads to, and what must live as long."""
        rates = self._rates(floats) if self.straight else None
        table = (self.table if rates is None else self.kept.entries).copy()
        room = self.memory.copy()
        for place, offset in self.places.items():
            table[place] = address_of(room) + 8 * int(offset)
        if rates is None or self.kept.written_out is None:
            return table, room, None
        own = np.zeros_like(self.kept.written_out[1])
        table[[seam.STRAIGHT, seam.STRAIGHT_ROOM]] = rates.address, address_of(own)
        return table, room, (rates, own)

    def run(self, values: Array, states: Array) -> tuple[NDArray[np.int64], Loads]:
        """Simulate some variants; returns which went to the end without anything unusual, and their motion."""
        system, instants = self.system, self.times.size
        own, looking = numbers_of(self.map, self.names, values), numbers_of(self.measuring, self.names, values)
        fits = own.fits & looking.fits
        floats, measures = (np.ascontiguousarray(each.floats[fits]) for each in (own, looking))
        count, forces, m = len(floats), len(system.forces), len(self.measured)
        start, beginnings, good_start = self._begin(own, fits, floats, values, states)
        outcome = np.where(good_start, variants.DONE, variants.STOPPED_EARLY)
        widths = (system.n_coordinates, system.n_columns, system.n_columns, len(system.rows))
        entries = int(system.ints[L.N_JACOBIAN]) + 1 if self.reactions else 0
        kept = kernels.Instants(*(np.zeros(count * instants * n) for n in (self.width, *widths, entries)))
        seen = variants.Measured(*(np.zeros(count * instants * m) for _ in range(3)))
        counted = np.zeros((count, rk.N_COUNTERS))
        table, room, _alive = self._tables(floats)
        settings = kernels.Settings(self.memory, room, self.lengths, self.control, self.limits)
        kernels.integrate_variants(
            self.addresses, system.ints, floats, self.acting, self.times, table, settings, start, beginnings, kept, counted,
            self.measuring.system.ints, measures, seen, outcome,
        )  # fmt: skip
        self.evaluations = float(room[seam.EVALUATIONS])  # of the last variant
        ended = outcome == variants.DONE
        good, chosen = np.flatnonzero(ended), whole_or(ended)
        q, v, a, multipliers = (x.reshape(count, instants, n)[chosen] for x, n in zip(kept[1:5], widths, strict=True))
        value, rate, second = (x.reshape(count, instants, m)[chosen] for x in seen)
        rows = kept.rows.reshape(count, instants, self.width)[chosen]
        at = self.size + system.n_columns
        found = Loads(
            self.times, (q, v, a), (value, rate, second), multipliers, rows[:, :, at : at + 2 * forces],
            rows[:, :, at + 2 * forces : at + 2 * forces + 2], kept.does.reshape(count, instants, entries)[chosen],
        )  # fmt: skip
        works = rows[:, :, self.size - forces - 1 : self.size]
        places_of = {name: k for k, name in enumerate(self.measured)}
        closes = self.books.close(
            system, found, works, value, places_of, np.asarray(own.also["stored"])[fits][good], own.length[fits][good], floats[good],
            counted[good, rk.N_STEPS], CLOSER * (self.options.rtol + self.options.atol),
        )  # fmt: skip
        return np.flatnonzero(fits)[good[closes]], found.only(closes)

    def _begin(
        self, own: Variants, fits: NDArray[np.bool_], floats: Array, values: Array, states: Array
    ) -> tuple[Array, kernels.Beginnings, NDArray[np.bool_]]:
        """What is integrated, as it is at the start, first steps and slowest energies, and which variants begin without doubt."""
        nq, n = self.system.n_coordinates, self.system.n_columns
        begun = self.beginnings.at(own, fits, floats, values, states)
        inner = own.inner[fits]
        start = np.zeros((len(floats), self.size))
        start[:, :nq], start[:, nq : nq + n] = begun.places, begun.velocities
        start[:, nq + n : nq + n + inner.shape[1]] = inner
        at = int(self.system.ints[L.AT_COLUMN_SCALES])
        speed = np.abs(begun.velocities / floats[:, at : at + n]).max(axis=1, initial=0.0)
        span = float(self.times[-1] - self.times[0])
        with np.errstate(divide="ignore"):
            first = np.where(speed > 0.0, np.minimum(1e-3 * span, 0.01 / speed), 1e-3 * span)
        return start, kernels.Beginnings(first if span > 0.0 else np.ones(len(floats)), begun.creeps), begun.good
