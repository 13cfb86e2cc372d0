"""Where simulations of many variants begin: closed and moving, as `consistent_start` finds it for one, in a few calls for all."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pytrammel._util import traced_numbers
from pytrammel.analysis.at_state import energies_by, mass_blocks_of_variants, mass_roots_of_variants, momenta_by
from pytrammel.analysis.batches.fast import NotFast, numbers_of
from pytrammel.analysis.batches.starts import Turning, surely_aligned
from pytrammel.analysis.freedom.rank import SURE, jacobian_places
from pytrammel.analysis.positions.assembly import ITERATIONS, TOLERANCE
from pytrammel.analysis.ready import make_ready
from pytrammel.analysis.stacks import largest, times
from pytrammel.analysis.start.conditions import Condition, read_conditions
from pytrammel.analysis.start.initial import MOVED, PASSES
from pytrammel.analysis.start.staged import (
    CONTRADICTION,
    Conditions,
    Stages,
    body_roots,
    fits_rows,
    in_own_units,
    scaled_blocks,
)
from pytrammel.analysis.start.start_velocities import DENSE
from pytrammel.errors import ModelError
from pytrammel.kernels import layout as L
from pytrammel.kernels import variant_runs as kernels
from pytrammel.kernels import variants
from pytrammel.kernels.assembly import assemble_run
from pytrammel.kernels.calls import NOTHING, NUMBER, WHOLE, entry_address
from pytrammel.kernels.measures import jacobian_run, measures_run
from pytrammel.kernels.rates import rates_run
from pytrammel.model.base import Model
from pytrammel.model.quantities.quantity import Quantity
from pytrammel.system.lowering import System
from pytrammel.system.parameter_map import ParameterMap, Variants, parameter_map
from pytrammel.system.pattern import pattern

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]
NEEDS = ("close_variants", "rows_of_variants", "targets_of_variants")


def driver_speeds(rows: Sequence[int], time: float) -> Callable[[System], list[Any]]:
    """Rates of the targets of some equations at one time, for all variants."""

    def speeds(system: System) -> list[Any]:
        goals = [goal for c in system.model.constraints.values() for block in c.blocks for goal in block.targets]
        own = [goals[row] if row < len(goals) else 0.0 for row in rows]
        still = (int, float, traced_numbers.Traced)
        return [0.0 if isinstance(goal, still) else goal.derivative("t").evaluate({"t": time}) for goal in own]

    return speeds


@dataclass(frozen=True)
class Begun:
    """Where variants begin.

    Attributes:
        places, velocities: Coordinates and velocities, one row per variant.
        creeps: Kinetic energy of the slowest motion that counts, where there are drivers [J].
        good: Whether all of it is beyond doubt.
    """

    places: Array
    velocities: Array
    creeps: Array
    good: Mask


class Beginnings:
    """Starts of the variants of one system, with conditions on them (`initial=` and `states=`) or without."""

    def __init__(
        self, parameters: ParameterMap, rows: Sequence[int], acting: NDArray[np.int64], names: Sequence[str], time: float,
        initial: Mapping[str, Any], states: Sequence[str], creep: float,
    ) -> None:  # fmt: skip
        """Active equations and their pattern; parameters and states that vary; speed that counts as slow, in scales per second."""
        self.system = system = parameters.system
        if system.n_columns > DENSE:
            raise NotFast("starting velocities of so large a model are found by themselves")
        self.rows, self.acting, self.names, self.time, self.creep = list(rows), acting, tuple(names), time, creep
        self.driven = any(row.is_driver for row in system.rows)
        found = read_starts(system.model, initial, states)
        self._sources = [(states.index(c.label), 0.0) if c.label in states else (-1, c.value or 0.0) for c in found]
        self._on_places = [k for k, c in enumerate(found) if c.on_positions]
        self._on_rates = [k for k, c in enumerate(found) if not c.on_positions]
        self._closing = closing_system(system, [found[k] for k in self._on_places], parameters)
        rows_closed = [*self.rows, *range(len(system.rows), len(self._closing.system.rows))]
        if len(rows_closed) != len(self.rows) + len(self._on_places):
            raise NotFast("forces bring rows of their own")
        self._closed = pattern(self._closing.system, rows_closed)
        self._turning = Turning(self._closing.system, rows_closed, time)
        measured = [_spoken(system.model, found[k]) for k in self._on_rates]
        self._measuring = parameter_map(system.model, constraints=(), measured=measured)
        self._addresses = np.zeros(kernels.N_ADDRESSES, dtype=np.int64)
        self._addresses[[kernels.CLOSE, kernels.RATES, kernels.MEASURE, kernels.ENTRIES]] = [
            entry_address(assemble_run, WHOLE), entry_address(rates_run, NUMBER), entry_address(measures_run, NOTHING),
            entry_address(jacobian_run, NOTHING),
        ]  # fmt: skip
        self._numbers = np.zeros(variants.N_NUMBERS)
        self._numbers[[variants.ITERATIONS, variants.TOLERANCE, variants.SURE]] = ITERATIONS, TOLERANCE, SURE

    def at(self, own: Variants, fits: Mask, floats: Array, values: Array, states: Array) -> Begun:
        """Starts of the variants that fit.

        Args:
            own: Numbers of all variants, with their "axes" and the "speeds" of their drivers.
            fits, floats: Which ones fit, and their floats.
            values, states: Of all variants.
        """
        system = self.system
        targets = self._targets(states[fits])
        c_floats, drawn, closes = floats, own.start[fits], np.ones(len(floats), dtype=bool)
        if self._on_places:
            names = [*self.names, *self._closing.names[-len(self._on_places) :]]
            closing = numbers_of(self._closing, names, np.hstack([values[fits], targets[:, self._on_places]]))
            c_floats, drawn, closes = np.ascontiguousarray(closing.floats), closing.start, closing.fits
        places, good = self._turning.begin(c_floats, np.ascontiguousarray(drawn))
        good &= closes & np.isfinite(targets).all(axis=1)
        outcome = np.zeros(len(places), dtype=np.int64)
        if int(self._closed[L.P_ROWS]):
            kernels.close_variants(
                self._addresses, self._closing.system.ints, c_floats, self._closed, system.ints, floats, self.acting, self.time,
                self._numbers, places, outcome,
            )  # fmt: skip
        good &= outcome == variants.DONE
        good &= surely_aligned(system, self.rows, np.asarray(own.also["axes"])[fits], places)
        scales = _scales(system, floats)
        which = np.flatnonzero(good)
        blocks = mass_blocks_of_variants(system, floats[which], places[which])
        creeps, velocities = np.zeros(len(places)), np.zeros((len(places), system.n_columns))
        if self.driven:
            creeps[which] = energies_by(blocks, self.creep * scales[which])
        given, speeds = own.velocities[fits][which], np.asarray(own.also["speeds"])[fits][which]
        if self._on_rates or speeds.any() or np.isfinite(given).any():
            start = _Start(self, floats[which], places[which], given, speeds, blocks)
            looking = numbers_of(self._measuring, self.names, values[fits][which])
            velocities[which], good[which] = start.velocities(looking, targets[which][:, self._on_rates])
        return Begun(places, velocities, creeps, good)

    def _targets(self, states: Array) -> Array:
        """What the conditions demand, one row per variant."""
        out = np.zeros((len(states), len(self._sources)))
        for k, (column, value) in enumerate(self._sources):
            out[:, k] = states[:, column] if column >= 0 else value
        return out

    def look(self, system: System, floats: Array, places: Array, velocities: Array) -> tuple[Array, Array, Array]:
        """Scaled Jacobians of all rows of a system, and the values and rates of the rows, one of each per variant."""
        entries = np.zeros((len(places), int(system.ints[L.N_JACOBIAN]) + 1))
        seen, rates = (np.zeros((len(places), len(system.rows))) for _ in range(2))
        kernels.rows_of_variants(
            self._addresses, system.ints, floats, self.time, places, velocities, entries, seen, rates
        )
        row, column, entry = jacobian_places(system, tuple(range(len(system.rows))))
        first = int(system.ints[L.AT_ROW_SCALES])
        sized = entries[:, entry] * _scales(system, floats)[:, column] / floats[:, first + row]
        found = np.zeros((len(places), len(system.rows), system.n_columns))
        for k in range(len(entry)):
            found[:, row[k], column[k]] += sized[:, k]
        return found, seen, rates


def _scales(system: System, floats: Array) -> Array:
    at = int(system.ints[L.AT_COLUMN_SCALES])
    return floats[:, at : at + system.n_columns]


class _Start:
    """Velocities of some variants, closed already: those of `start_velocity` and of the conditions on rates around it."""

    def __init__(
        self, begin: Beginnings, floats: Array, places: Array, given: Array, speeds: Array, blocks: Array
    ) -> None:
        self._begin, self._floats, self._places, self._blocks = begin, floats, places, blocks
        self.scales = _scales(begin.system, floats)
        self.columns = [int(c) for c in np.flatnonzero(np.isfinite(given).all(axis=0))]
        self.given = given[:, self.columns]
        self.good = np.isfinite(given).sum(axis=1) == len(self.columns)
        self.drawn = np.zeros_like(self.scales)
        self.drawn[:, self.columns] = self.given
        first = int(begin.system.ints[L.AT_ROW_SCALES])
        jacobians, _, rates = begin.look(begin.system, floats, places, self.drawn)
        self._rows = jacobians[:, begin.rows]
        self._missing = (speeds - rates[:, begin.rows]) / floats[:, [first + row for row in begin.rows]]
        finite = np.isfinite(self._rows).all(axis=(1, 2)) & np.isfinite(self._missing).all(axis=1)
        self.good &= finite
        self._rows[~finite], self._missing[~finite] = 0.0, 0.0
        self._sizes = largest(self.drawn / self.scales, 1e-300)
        self._rates = self._missing + times(self._rows, self.drawn / self.scales)

    def velocities(self, looking: Variants, targets: Array) -> tuple[Array, Mask]:
        """Velocities, and whether a single run would find them and have nothing to say about them."""
        v, scales = self._under(looking, targets) if targets.shape[1] else self._free(), self.scales
        moved = np.abs(v[:, self.columns] - self.given) / scales[:, self.columns]
        self.good &= (moved <= MOVED * largest(v / scales, 1e-300)[:, None]).all(axis=1)
        return v, self.good

    def _free(self) -> Array:
        """Without conditions; what was given stays if that is a motion already, with the least energy."""
        v = self.drawn.copy()
        others = np.ones(v.shape[1], dtype=bool)
        others[self.columns] = False
        alone = ~momenta_by(self._blocks, v)[:, others].any(axis=1) | ~v.any(axis=1)
        moving = ~((largest(self._missing) <= 1e-15 * self._sizes) & alone) & self.good
        if moving.any():
            v[moving] = self._found(self._stages(moving), None, moving)
        return v

    def _stages(self, chosen: Mask) -> Stages:
        blocks = scaled_blocks(self._blocks[chosen], self.scales[chosen])
        given = self.given[chosen] / self.scales[chosen][:, self.columns]
        roots = mass_roots_of_variants(self._begin.system, self._floats[chosen], self._places[chosen])
        roots = body_roots(roots, blocks, self.scales[chosen])
        return Stages(self._rows[chosen], self._rates[chosen], self.columns, given, blocks, roots)

    def _found(self, stages: Stages, hard: Conditions | None, chosen: Mask, part: Mask | slice = slice(None)) -> Array:
        """Velocities of chosen variants, of which stages may know more; those that fit nothing are marked."""
        x, alike = stages.under(hard, part)
        missing = self._rates[chosen] - times(self._rows[chosen], x)
        self.good[chosen] &= alike & fits_rows(missing, x)
        return in_own_units(x, self.scales[chosen], self.columns, self.given[chosen], self._sizes[chosen])

    def _under(self, looking: Variants, targets: Array) -> Array:
        """Under conditions on rates, each on one of them."""
        small, scales = self._begin._measuring.system, self.scales
        floats = np.ascontiguousarray(looking.floats)
        rows, _, drifts = self._begin.look(small, floats, self._places, np.zeros_like(scales))
        first = int(small.ints[L.AT_ROW_SCALES])
        rows *= floats[:, first : first + rows.shape[1], None]
        sizes = np.linalg.norm(rows, axis=2)
        self.good &= looking.fits & np.isfinite(rows).all(axis=(1, 2)) & (sizes > 0.0).all(axis=1)

        def now(v: Array, chosen: Mask) -> Array:
            return np.asarray(drifts[chosen] + times(rows[chosen], v / scales[chosen]))

        v, begun = self.drawn.copy(), self.good.copy()
        if not begun.any():
            return v
        stages, going = self._stages(begun), begun.copy()
        for _ in range(PASSES):
            before, own = v[going], rows[going]
            values = targets[going] - now(before, going) + times(own, before / scales[going])
            hard = Conditions(own / sizes[going][:, :, None], values / sizes[going])
            v[going] = after = self._found(stages, hard, going, going[begun])
            still = largest((after - before) / scales[going]) > 1e-14 * largest(after / scales[going], 1e-300)
            going[going] = still & self.good[going]
            if not going.any():
                break
        limits = np.maximum(np.abs(targets), largest(v / scales)[:, None])
        self.good &= (np.abs(now(v, np.ones(len(v), dtype=bool)) - targets) <= CONTRADICTION * limits).all(axis=1)
        return v


def read_starts(model: Model, initial: Mapping[str, Any], states: Sequence[str]) -> list[Condition]:
    """Conditions on the start; those that vary stand for whatever their values are."""
    try:
        return read_conditions(model, {**initial, **dict.fromkeys(states, 0.0)}, ())
    except ModelError as error:
        raise NotFast(str(error)) from error


def _spoken(model: Model, condition: Condition) -> str:
    """Name of the quantity that a condition is about; formulas have none that variants could find."""
    quantity = next(iter(condition.inputs.values()))
    named = model.spoken(quantity)
    if isinstance(named, Quantity) or str(condition.formula) not in condition.inputs:
        raise NotFast(f"the start at {condition.label!r} is one of a formula of rates")
    return named


def closing_system(system: System, conditions: Sequence[Condition], parameters: ParameterMap) -> ParameterMap:
    """The system that is closed at the start: with drivers that keep conditions on positions, whose values are its last parameters."""
    if not conditions:
        return parameters
    twin = system.model.copy()
    for k, condition in enumerate(conditions):
        name, value, formula = f"start_{k}", f"value_at_start_{k}", f"formula_at_start_{k}"
        while {name, value, formula} & {*twin.constraints, *twin.parameters, *twin.definitions}:
            name, value, formula = name + "_", value + "_", formula + "_"
        twin.parameter(value, 0.0)
        if str(condition.formula) in condition.inputs:
            formula = _spoken(twin, condition)
        else:
            twin.define(formula, condition.label)
        twin.driver(name, formula, value)
    make_ready(twin, ["assemble_run"])
    return parameter_map(twin)
