"""Batches by straight kernels: written out for the structure of the model, on this processor or on a graphics card.

Newton's method and the steps are those of general kernels up to the tolerance, not to the last bit. Whatever is unusual in a variant is
left to its single run.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pytrammel._util.messages import short
from pytrammel.analysis.batches.columns import Column
from pytrammel.analysis.batches.fast import NotFast, numbers_of
from pytrammel.analysis.batches.fast_dynamics import FastDynamics
from pytrammel.analysis.batches.fast_kinematics import FastKinematics
from pytrammel.analysis.batches.starts import surely_aligned
from pytrammel.analysis.batches.varying import Varying, key_of, shared
from pytrammel.analysis.ready import make_ready
from pytrammel.errors import ModelError
from pytrammel.expressions.expression import Expression, Name, variable
from pytrammel.kernels import variant_runs, variants
from pytrammel.kernels.assembly import assemble_run
from pytrammel.kernels.calls import NUMBER, WHOLE, entry_address
from pytrammel.kernels.methods import runge_kutta
from pytrammel.kernels.rates import rates_run
from pytrammel.kernels.structure.gpu import why_no_card
from pytrammel.kernels.structure.many import Kept, Many, Variants, why_not_straight
from pytrammel.kernels.structure.piece import Wanted
from pytrammel.kernels.structure.specialise import NotStraightError
from pytrammel.model.base import Model
from pytrammel.results.formulas.series_functions import mean_weights
from pytrammel.system.parameter_map import ParameterMap

Array = NDArray[np.float64]
Done = NDArray[np.int64]
DEVICES = ("auto", "cpu", "specialized", "gpu")
FIRST = 4  # of what is left of a series


def checked_device(device: object) -> str:
    """A device that is there, or a sentence."""
    if not isinstance(device, str) or device not in DEVICES:
        raise ModelError(
            f"device {short(device)} is not known; use 'auto' (this processor, equal to single runs to the last bit), 'cpu' (the same "
            "without kernels written out for the model), 'specialized' (these whatever they cost, to the tolerance) "
            "or 'gpu' (a graphics card)."
        )
    if device == "gpu" and (why := why_no_card()):
        raise ModelError(f"device='gpu': {why}. device='specialized' needs no card.")
    return str(device)


@dataclass(frozen=True)
class Series:
    """What was kept of some variants, shape (variants, times, quantities)."""

    times: Array
    kept: Array


@dataclass(frozen=True)
class StraightColumn:
    """Where a named quantity is found among what was kept."""

    column: Column
    place: int

    @property
    def measures(self) -> tuple[str, ...]:
        return self.column.measures

    def of(self, motion: Series, measured: list[str]) -> Array:
        """Values for all variants, shape (N, n)."""
        return self.column.as_asked(motion.kept[:, :, self.place])


class Straight(ABC):
    """What straight ways share: which numbers are kept of a time, and kernels for them."""

    straight, loose = True, True
    model: Model
    names: tuple[str, ...]
    times: Array
    map: ParameterMap
    measuring: ParameterMap
    measured: list[str]
    rows: list[int]
    columns: Any

    def _settle(self, columns: Mapping[str, Any], device: str, pattern: NDArray[np.int64]) -> None:
        """Look whether straight kernels can be had."""
        system = self.map.system
        if why := why_not_straight(system.ints):
            raise NotFast(f"straight kernels do without {why}")
        if (np.diff(self.times) <= 0.0).any():
            raise NotFast("instants do not increase")
        for name, column in columns.items():
            if not isinstance(column, Column):
                raise NotFast(
                    f"{name!r} takes more than the motion or more than one measure, which straight kernels leave to single runs"
                )
        self._asked: dict[str, Column] = dict(columns)
        self._device, self._pattern = "gpu" if device == "gpu" else "cpu", pattern
        self._varying = Varying((self.map, self.measuring), self.names)
        # where axes must point one way, the first place is looked at
        aligned = any(joint.aligned for joint in self.model.constraints.values())
        self._looked = tuple(Wanted(place=k) for k in range(system.n_coordinates)) if aligned else ()
        self.columns = {name: StraightColumn(column, k) for k, (name, column) in enumerate(self._asked.items())}
        try:
            self._many(
                tuple(self._wanted(c) for c in self._asked.values()),
                system.floats[None],
                self.measuring.system.floats[None],
            )
        except NotStraightError as error:
            raise NotFast(f"{error}") from error

    def run(self, values: Array, states: Array) -> tuple[Done, Any]:
        """Which variants were done, and their series; the others are to be run one by one."""
        done, kept = self._go(values, states, [self._wanted(c) for c in self._asked.values()], reduced=False)
        return done, Series(self.times, kept)

    def reduced(self, values: Array, states: Array, parts: Sequence[Expression]) -> tuple[Done, Array]:
        """Which variants were done, and what is left of series of each, shape (variants, series, 6); series are formulas."""
        return self._go(values, states, [self._formula(part) for part in parts], reduced=True)

    def _wanted(self, column: Column) -> Wanted:
        if column.measure:
            return Wanted(row=self.measured.index(column.measure), order=column.order)
        if column.place < 0:
            return Wanted(formula=_tape(variable("t"), ()))
        system = self.map.system
        first = (0, system.n_coordinates, system.n_coordinates + system.n_columns)[column.order]
        return Wanted(place=first + column.place)

    def _formula(self, part: Expression) -> Wanted:
        names = [name for name in self._asked if name in part.names]
        if isinstance(part, Name) and names:
            return self._wanted(self._asked[part.name])
        inputs = [f"q{k}" for k in range(len(names))]
        renamed = part.substitute({name: variable(new) for name, new in zip(names, inputs, strict=True)})
        return Wanted(formula=_tape(renamed, inputs), of=tuple(self._wanted(self._asked[name]) for name in names))

    def _go(self, values: Array, states: Array, wanted: Sequence[Wanted], reduced: bool) -> tuple[Done, Array]:
        own, looking = numbers_of(self.map, self.names, values), numbers_of(self.measuring, self.names, values)
        fits = own.fits & looking.fits
        floats, measures = (np.ascontiguousarray(each.floats[fits]) for each in (own, looking))
        starts, sure = self._starts(own, fits, floats, values, states)
        many = self._many((*wanted, *self._looked), floats, measures)
        found = self._kernel(many, Variants(floats, starts, measures), reduced)
        good = (found.status == 0) & sure
        kept = found.values
        if self._looked:
            first = kept[:, len(wanted) :, FIRST] if reduced else kept[:, 0, len(wanted) :]
            axes = np.asarray(own.also["axes"])[fits]
            good &= surely_aligned(self.map.system, self.rows, axes, np.nan_to_num(first))
            kept = kept[:, : len(wanted)] if reduced else kept[:, :, : len(wanted)]
        return np.flatnonzero(fits)[good], kept[good]

    @abstractmethod
    def _starts(
        self, own: Any, fits: NDArray[np.bool_], floats: Array, values: Array, states: Array
    ) -> tuple[Array, NDArray[np.bool_]]:
        """Numbers with which the kernels begin, one row per variant, and whether these are beyond doubt."""

    @abstractmethod
    def _kernel(self, many: Many, given: Variants, reduced: bool) -> Kept:
        """Run the kernel."""

    def _many(self, wanted: tuple[Wanted, ...], floats: Array, measures: Array) -> Many:
        """Kernels that keep these numbers."""
        motion, measured = self._varying.structures(floats, measures)
        own = measured if self.measured else None
        key = (*key_of(self._pattern, motion, own), wanted, self._device)
        many = shared(key, lambda: Many(motion, self._pattern, wanted, own, self._device))
        self._written(many)
        return many

    @abstractmethod
    def _written(self, many: Many) -> None:
        """Write the kernels out, so that what cannot be is known before a run."""


class StraightKinematics(Straight, FastKinematics):
    """Kinematics of many variants by straight kernels."""

    def __init__(self, *given: Any, device: str) -> None:
        FastKinematics.__init__(self, *given)
        if given[1].get("level", "acceleration") != "acceleration":
            raise NotFast("level= is given")
        make_ready(self.model, ["close_variants"])
        self.closing_kernels = np.zeros(variant_runs.N_ADDRESSES, dtype=np.int64)
        self.closing_kernels[[variant_runs.CLOSE, variant_runs.RATES]] = (
            entry_address(assemble_run, WHOLE),
            entry_address(rates_run, NUMBER),
        )
        self._settle(self.columns, device, self.following)

    def _written(self, many: Many) -> None:
        assert many.following

    def _starts(
        self, own: Any, fits: NDArray[np.bool_], floats: Array, values: Array, states: Array
    ) -> tuple[Array, NDArray[np.bool_]]:
        places, sure = self.turning.begin(floats, np.ascontiguousarray(own.start[fits]))
        outcome = np.zeros(len(places), dtype=np.int64)
        ints, time = self.map.system.ints, float(self.times[0])
        variant_runs.close_variants(  # joints close as in single runs: undamped steps may lead to another assembly branch
            self.closing_kernels, ints, floats, self.closing, ints, floats, self.following, time, self.numbers, places, outcome
        )  # fmt: skip
        return places, sure & (outcome == variants.DONE)

    def _kernel(self, many: Many, given: Variants, reduced: bool) -> Kept:
        return many.follow(given, self.times, mean_weights(self.times), reduced=reduced)


class StraightDynamics(Straight, FastDynamics):
    """Motions of many variants by straight kernels."""

    def __init__(self, *given: Any, device: str) -> None:
        if "max_step" in given[1] or "max_steps" in getattr(given[1].get("method"), "options", ()):
            raise NotFast("max_step= or max_steps= is given")
        FastDynamics.__init__(self, *given)
        numbers, own = self.options.method.numbers(self.system.n_coordinates + self.system.n_columns)
        self.tableau, self.weights = numbers[own[3] : own[4]].copy(), numbers[own[4] : own[5]].copy()
        ends = self.weights.reshape(runge_kutta.N_WEIGHTS, own[0] + 1)[:, -1]
        if ends[[runge_kutta.E5_ROW, runge_kutta.E3_ROW]].any():
            raise NotFast(f"method {self.options.method.name!r} judges a step by the rates at its end; dop853 does not")
        self.steps = np.array([own[0], self.options.method.order, self.options.rtol, self.options.atol])
        self._settle(self.columns, device, self.acting)

    def _written(self, many: Many) -> None:
        assert many.moving

    def _starts(
        self, own: Any, fits: NDArray[np.bool_], floats: Array, values: Array, states: Array
    ) -> tuple[Array, NDArray[np.bool_]]:
        start, _, good = self._begin(own, fits, floats, values, states)
        return start[:, : self.system.n_coordinates + self.system.n_columns].copy(), good

    def _kernel(self, many: Many, given: Variants, reduced: bool) -> Kept:
        return many.integrate(
            given, self.times, mean_weights(self.times), self.tableau, self.weights, self.steps, reduced=reduced
        )


def _tape(formula: Expression, inputs: Sequence[str]) -> tuple[tuple[int, ...], tuple[float, ...]]:
    tape = formula.tape(["t", *inputs])
    return tape.ints, tape.floats
