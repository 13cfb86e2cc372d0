"""Positions of rest of many variants: Newton's method on all of them at once, as `equilibrium` does it for one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from pytrammel import rotations
from pytrammel.analysis.batches.columns import Motion, column_of
from pytrammel.analysis.batches.fast import NotFast, numbers_of, refuse_options
from pytrammel.analysis.batches.loads import LoadColumn, Loads, load_column
from pytrammel.analysis.batches.starts import Turning, axes_of, surely_aligned
from pytrammel.analysis.driven.statics import KERNELS as EFFORTS
from pytrammel.analysis.driven.statics import UNBALANCED
from pytrammel.analysis.freedom.rank import SURE, jacobian_places
from pytrammel.analysis.freedom.rank import TOLERANCE as DEPENDENT
from pytrammel.analysis.positions.assembly import ITERATIONS as CLOSING
from pytrammel.analysis.positions.assembly import TOLERANCE as CLOSED
from pytrammel.analysis.positions.assembly import active_rows
from pytrammel.analysis.ready import make_ready
from pytrammel.analysis.rest.at_rest import LONGEST, TOLERANCE
from pytrammel.analysis.rest.equilibrium import GROWING, equilibrium
from pytrammel.analysis.rest.rest_methods import CIRCULATORY, ITERATIONS
from pytrammel.analysis.runs.controllers import refuse_states
from pytrammel.analysis.small_motions.linear_terms import KERNELS as DERIVATIVES
from pytrammel.analysis.small_motions.small_motions import MASSLESS, Pencil
from pytrammel.analysis.small_motions.small_motions import NOTHING as TOO_SMALL
from pytrammel.analysis.stacks import largest, least_squares, times, transposed
from pytrammel.errors import TrammelError
from pytrammel.kernels import layout as L
from pytrammel.kernels import linear_layout as N
from pytrammel.kernels import variant_rests as kernels
from pytrammel.kernels import variant_runs, variants
from pytrammel.kernels.assembly import assemble_run
from pytrammel.kernels.balance import balance_run
from pytrammel.kernels.calls import NOTHING, NUMBER, WHOLE, can_call, entry_address
from pytrammel.kernels.efforts import efforts_run
from pytrammel.kernels.linearise import linearise_run
from pytrammel.kernels.measures import jacobian_run, measures_run, reactions_run
from pytrammel.kernels.rates import rates_run
from pytrammel.kernels.state import state_run
from pytrammel.model.base import Model
from pytrammel.model.quantities.quantity import ANGLE
from pytrammel.results.forces.overlaps import thin
from pytrammel.system.coupling import coupling
from pytrammel.system.lowering import System
from pytrammel.system.parameter_map import parameter_map
from pytrammel.system.pattern import pattern
from pytrammel.system.positions import moved

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]
SURELY = 0.99  # fraction of a limit below which rounding does not matter
LARGEST = 60  # columns of a model of which many are treated at once
VERDICTS = ("stable", "neutral", "frequency")
OWN = (
    "state_run",
    "close_variants",
    "targets_of_variants",
    "forces_of_variants",
    "derivatives_of_variants",
    "efforts_of_variants",
)


@dataclass(frozen=True)
class Verdicts(Loads):
    """Loads at rest, and whether variants are stable, their free directions and lowest natural frequencies, shape (N, 3)."""

    verdicts: Array

    def only(self, chosen: Mask) -> Self:
        """What was found of some of these."""
        return replace(super().only(chosen), verdicts=self.verdicts[chosen])


@dataclass(frozen=True)
class VerdictColumn:
    """One of `VERDICTS` among the quantities of a batch; see `Column`."""

    place: int
    shown: str
    measures: tuple[str, ...] = ()

    def of(self, motion: Motion, measured: list[str]) -> Array:
        """Values for all variants, shape (N, 1)."""
        assert isinstance(motion, Verdicts)
        return motion.verdicts[:, self.place, None]


@dataclass(frozen=True)
class _Here:
    """Variants in some place: free motions (twice, laid out as those of a single run are), applied forces along them, the size of all
    forces at work, and what the equations carry."""

    basis: Array
    left: Array
    force: Array
    size: Array
    carried: Array
    good: Mask


class FastRest:
    """The compiled way of `equilibrium`, for its usual method."""

    straight, loose = False, False

    def __init__(
        self, model: Model, options: Mapping[str, Any], names: Sequence[str], states: Sequence[str], instants: Array, wanted: Sequence[str]
    ) -> None:  # fmt: skip
        self._refuse(model, options)
        self.nearest = bool(options.get("allow_unstable", False))
        self.model, self.names = model, tuple(names)
        self.times, self.time = instants, float(instants[0])
        self.map = parameter_map(
            model, dynamics=True, also={"axes": axes_of, "mass": _mass, "gravity": _gravity, "gaps": _gaps}
        )
        self.system = self.map.system
        self._choose()
        self.columns: dict[str, Any] = {name: self._column(name) for name in wanted}
        self.judged = any(name in VERDICTS for name in wanted)
        self.reactions = any(isinstance(column, LoadColumn) and column.reaction for column in self.columns.values())
        self.measured = list(dict.fromkeys(name for column in self.columns.values() for name in column.measures))
        needs = [*DERIVATIVES, *EFFORTS, *OWN]
        make_ready(model, needs, forces=True, quantities=[model.measure(name) for name in self.measured])
        self.measuring = parameter_map(model, constraints=(), measured=self.measured)
        self.weight = float(np.linalg.norm(model.gravity))
        self.coupling = coupling(self.system)
        self.addresses = np.array(
            [
                entry_address(jacobian_run, NOTHING), entry_address(state_run, NUMBER), entry_address(balance_run, NOTHING),
                entry_address(linearise_run, WHOLE), entry_address(efforts_run, NOTHING), entry_address(reactions_run, NOTHING),
                entry_address(measures_run, NOTHING),
            ]
        )  # fmt: skip
        self.closing = np.zeros(variant_runs.N_ADDRESSES, dtype=np.int64)
        self.closing[[variant_runs.CLOSE, variant_runs.RATES]] = (
            entry_address(assemble_run, WHOLE),
            entry_address(rates_run, NUMBER),
        )
        self.numbers = np.zeros(variants.N_NUMBERS)
        self.numbers[[variants.ITERATIONS, variants.TOLERANCE, variants.SURE]] = CLOSING, CLOSED, SURE

    @staticmethod
    def _refuse(model: Model, options: Mapping[str, Any]) -> None:
        if not can_call():
            raise NotFast("kernels cannot call each other by address here")
        refuse_options(equilibrium, options, ("time", "allow_unstable", "method"))
        if options.get("method", "newton") != "newton":
            raise NotFast(f"method={options['method']!r} is looked at while it searches")
        if model.closure_tolerance:
            raise NotFast("loops close within closure_tolerance")
        if model.phases or any(force.impact is not None for force in model.forces.values()):
            raise NotFast("the model has phases or rigid contacts")
        try:
            refuse_states(model, "equilibrium")
        except TrammelError as error:
            raise NotFast(str(error)) from error
        for joint in model.constraints.values():
            if joint.held or joint.separation or joint.presses is not None:
                raise NotFast(f"{joint.kind} {joint.name!r} is looked at where it rests")
            if any(quantity.formula is not None for quantity in joint.aligned):
                raise NotFast("axes are aligned by formulas")

    def _choose(self) -> None:
        system = self.system
        if system.n_columns > LARGEST:
            raise NotFast(f"the model has more than {LARGEST} columns")
        ints = system.ints
        if any(row.velocity_only for row in system.rows) or system.laws:
            raise NotFast("velocities are restrained, or laws are written in Python")
        if int(ints[L.N_REACTIONS]) or int(ints[L.N_STATES]):
            raise NotFast("forces depend on reactions, or have states of their own")
        self.rows = active_rows(system)
        self.turning = Turning(system, self.rows, self.time)
        ordered = [k for k in self.rows if not system.rows[k].is_driver] + [
            k for k in self.rows if system.rows[k].is_driver
        ]
        self.free, self.acting, self.holding = pattern(system, ()), pattern(system, self.rows), pattern(system, ordered)

    def _column(self, name: str) -> Any:
        if name in VERDICTS:
            return VerdictColumn(VERDICTS.index(name), "rad/s" if name == "frequency" else "")
        found = load_column(self.system, name) or column_of(self.system.model, name, 3)
        if found is None:
            raise NotFast(f"{name!r} takes more than the position and its forces")
        return found

    def pays(self, count: int, values: Array, states: Array) -> bool:
        """Kernels are not written out for positions of rest."""
        return False

    def write_out(self) -> None:
        """See `pays`."""

    # --- the search --------------------------------------------------------------------------------------------------

    def run(self, values: Array, states: Array) -> tuple[NDArray[np.int64], Loads]:
        """Positions of rest of some variants; returns which were found without anything unusual, and their loads."""
        own, looking = numbers_of(self.map, self.names, values), numbers_of(self.measuring, self.names, values)
        which = np.flatnonzero(own.fits & looking.fits)
        search = _Search(self, np.ascontiguousarray(own.floats[which]), np.asarray(own.also["axes"])[which])
        begin, sure = self.turning.begin(
            np.ascontiguousarray(own.floats[which]), np.ascontiguousarray(own.start[which])
        )
        places, good = search.closed(begin)
        good &= sure & (np.asarray(own.also["gravity"])[which] == self.model.gravity).all(axis=1)
        weights = np.asarray(own.also["mass"])[which, 0] * self.weight
        with np.errstate(all="ignore"):  # in variants that are given up
            places, found = search.rests(places, good, weights, own.length[which])
        chosen = which[found]
        indices, rests = self._kept(chosen, search.only(found), places[found], looking.floats[chosen])
        shallow = self._are_shallow(rests.outputs[:, 0], np.asarray(own.also["gaps"])[indices], own.length[indices])
        return indices[shallow], rests.only(shallow)

    def _are_shallow(self, outputs: Array, gaps: Array, lengths: Array) -> Mask:
        """Which variants have no contact so deep that a single run would warn of it."""
        shallow, at = np.ones(len(outputs), dtype=bool), 0
        for name, force in self.system.model.forces.items():
            if force.gap is None:
                continue
            (stiffness, exponent, travel), radii = (
                gaps[:, at : at + 3].T,
                gaps[:, at + 3 : at + 3 + len(force.gap.radii)],
            )
            at += 3 + len(force.gap.radii)
            limits = thin(force.gap, radii.min(axis=1, initial=np.inf), travel, lengths)
            for k, lowered in enumerate(self.system.forces):
                if lowered.owner == name and lowered.use.role == "contact":
                    shallow &= np.abs(outputs[:, 2 * k]) <= SURELY * stiffness * limits**exponent
        return shallow

    def _kept(
        self, which: NDArray[np.int64], search: _Search, places: Array, measures: Array
    ) -> tuple[NDArray[np.int64], Loads]:
        """What is asked for of variants at rest."""
        system, count = self.system, len(places)
        entries = int(system.ints[L.N_JACOBIAN]) + 1 if self.reactions else 0
        m = len(self.measured)
        widths = (len(system.rows), max(1, 2 * len(system.forces)), 2, 2, entries, m, m, m)
        kept = kernels.Resting(*(np.zeros((count, width)) for width in widths))
        kernels.efforts_of_variants(
            self.addresses, system.ints, search.floats, self.holding, self.time, places, self.measuring.system.ints,
            np.ascontiguousarray(measures), kept,
        )  # fmt: skip
        verdicts, sound = search.verdicts(places)
        sound &= np.isfinite(kept.outputs).all(axis=1) & (kept.notes[:, 1] <= UNBALANCED)
        still = np.zeros((count, 1, system.n_columns))
        value, rate, second = (table[:, None] for table in (kept.values, kept.rates, kept.seconds))
        found = Verdicts(
            self.times, (places[:, None], still, still), (value, rate, second), kept.multipliers[:, None], kept.outputs[:, None],
            kept.energies[:, None], kept.does[:, None], verdicts,
        )  # fmt: skip
        return which[sound], found.only(sound)


class _Search:
    """Variants of a `FastRest` with their floats and axes."""

    def __init__(self, rest: FastRest, floats: Array, axes: Array) -> None:
        self.rest, self.floats, self.axes = rest, floats, axes
        at = int(rest.system.ints[L.AT_COLUMN_SCALES])
        self.scales = floats[:, at : at + rest.system.n_columns]

    def only(self, chosen: Mask) -> _Search:
        """Some of the variants."""
        return _Search(self.rest, np.ascontiguousarray(self.floats[chosen]), self.axes[chosen])

    def closed(self, drawn: Array) -> tuple[Array, Mask]:
        """Places in which the joints close, and whether they do so at once."""
        rest = self.rest
        places, outcome = np.ascontiguousarray(drawn).copy(), np.zeros(len(drawn), dtype=np.int64)
        ints = rest.system.ints
        variant_runs.close_variants(
            rest.closing, ints, self.floats, rest.acting, ints, self.floats, rest.acting, rest.time, rest.numbers, places, outcome
        )  # fmt: skip
        good = outcome == variants.DONE
        return places, good & surely_aligned(rest.system, rest.rows, self.axes, np.where(good[:, None], places, drawn))

    def rests(self, places: Array, good: Mask, weights: Array, lengths: Array) -> tuple[Array, Mask]:
        """Where variants come to rest from closed places, and which do so by whole steps."""
        places, found, going = places.copy(), np.zeros_like(good), good.copy()
        for _ in range(ITERATIONS):
            if not going.any():
                break
            some = self.only(going)
            at = places[going]
            here = some.here(at, weights[going], lengths[going])
            done = here.good & (largest(here.force) / here.size < TOLERANCE)
            found[going] = done
            steps, sure = some.steps(at, here)
            length = largest(steps / some.scales)
            share = np.where(length > 0.0, np.minimum(1.0, LONGEST / length), 1.0)
            going_on = here.good & sure & ~done
            after, closes = some.closed(moved(self.rest.system, at, share[:, None] * steps))
            at[going_on] = after[going_on]
            places[going] = at
            going[going] = going_on & closes
        return places, found

    def here(self, places: Array, weights: Array, lengths: Array) -> _Here:
        """Free motions and forces in some places."""
        rest, system, count = self.rest, self.rest.system, len(places)
        entries = np.zeros((count, int(system.ints[L.N_JACOBIAN]) + 1))
        applied, left = np.zeros_like(self.scales), np.zeros_like(self.scales)
        outputs = np.zeros((count, max(1, len(system.forces))))
        kernels.forces_of_variants(
            rest.addresses, system.ints, self.floats, rest.free, rest.acting, rest.time, places, entries, applied, outputs, left
        )  # fmt: skip
        rows = self._jacobian(entries)
        good = np.isfinite(rows).all(axis=(1, 2)) & np.isfinite(applied).all(axis=1) & np.isfinite(left).all(axis=1)
        rows[~good], left[~good], applied[~good] = 0.0, 0.0, 0.0
        basis, independent = self._free(rows)
        along = basis @ np.tile(np.eye(basis.shape[2]), (count, 1, 1))
        order = rest.acting[int(rest.acting[L.P_AT_ROWS]) :][: len(rest.rows)]
        by_order = rows[:, [rest.rows.index(int(k)) for k in order]]
        first = int(system.ints[L.AT_ROW_SCALES])
        carried = least_squares(transposed(by_order), left * self.scales) / self.floats[:, first + order]
        parts = [weights * lengths, largest(applied * self.scales, 1e-300)]
        for k, element in enumerate(system.forces):
            turning = element.use.along is not None and element.use.along.unit == ANGLE
            parts.append(np.abs(outputs[:, k]) * (1.0 if turning else lengths))
        force = times(transposed(along), applied)
        return _Here(basis, along, force, np.max(parts, axis=0), carried, good & independent)

    def _jacobian(self, entries: Array) -> Array:
        """Scaled Jacobians of the active equations."""
        rest = self.rest
        row, column, entry = jacobian_places(rest.system, tuple(rest.rows))
        first = int(rest.system.ints[L.AT_ROW_SCALES])
        sized = (
            entries[:, entry] * self.scales[:, column] / self.floats[:, first + np.array(rest.rows, dtype=int)][:, row]
        )
        found = np.zeros((len(entries), len(rest.rows), rest.system.n_columns))
        for k in range(len(entry)):
            found[:, row[k], column[k]] += sized[:, k]
        return found

    def _free(self, rows: Array) -> tuple[Array, Mask]:
        """Motions that no row forbids, and whether all rows are independent."""
        count, m, n = rows.shape
        if not m:
            return self.scales[:, :, None] * np.tile(np.eye(n), (count, 1, 1)), np.ones(count, dtype=bool)
        sizes = np.linalg.norm(rows, axis=2)
        unit = rows / np.where(sizes > DEPENDENT, sizes, np.inf)[:, :, None]
        _, values, right = np.linalg.svd(unit, full_matrices=True)
        ranks = (values > DEPENDENT * np.maximum(1.0, values[:, :1])).sum(axis=1)
        return self.scales[:, :, None] * transposed(right[:, m:]), ranks == m

    def _derivatives(self, places: Array, carried: Array, asked: int) -> tuple[list[Array], Array, Mask]:
        """Mass, damping and stiffness of all columns, notes about kinks, and whether all are numbers."""
        rest, system = self.rest, self.rest.system
        found = np.zeros((len(places), int(rest.coupling.ints[N.T_SIZE])))
        left, status = np.zeros_like(self.scales), np.zeros(len(places), dtype=np.int64)
        kernels.derivatives_of_variants(
            rest.addresses, system.ints, self.floats, rest.acting, rest.coupling.ints, rest.time, places, carried, asked, left, found,
            status,
        )  # fmt: skip
        out = []
        for part in (N.MASS, N.DAMPING, N.STIFFNESS):
            at = int(rest.coupling.ints[part])
            dense = np.zeros((len(places), system.n_columns, system.n_columns))
            dense[:, rest.coupling.rows, rest.coupling.columns] = found[:, at : at + rest.coupling.rows.size]
            out.append(dense)
        if system.per_body == 6:
            for b in range(len(system.model.bodies) - 1):
                angle = slice(6 * b + 3, 6 * b + 6)
                out[2][:, angle, angle] -= 0.5 * rotations.skew(left[:, angle])
        notes = found[:, int(rest.coupling.ints[N.NOTES]) : int(rest.coupling.ints[N.NOTES + 1])]
        return out, notes, status == L.OK

    def steps(self, places: Array, here: _Here) -> tuple[Array, Mask]:
        """Newton's steps of all columns, downhill where nothing resists unless the nearest balance is asked for; and which are sure."""
        if not here.force.shape[1]:
            return np.zeros_like(self.scales), here.good
        (_, _, full), _, finite = self._derivatives(places, here.carried, 0)
        full[~finite] = 0.0
        stiffness = transposed(here.left) @ (full @ here.basis)
        turned = transposed(stiffness)
        sure = finite & (largest(stiffness - turned) <= CIRCULATORY * largest(stiffness))
        values, vectors = np.linalg.eigh(0.5 * (stiffness + turned))
        modal = times(transposed(vectors), here.force)
        sizes = np.maximum(np.abs(values), 1e-6 * largest(values, 1e-300)[:, None])
        return times(
            here.basis, times(vectors, modal / (np.copysign(sizes, values) if self.rest.nearest else sizes))
        ), sure

    def verdicts(self, places: Array) -> tuple[Array, Mask]:
        """Stability where variants rest, if that is asked for, and which ones have no kink there."""
        nothing = np.zeros(len(places))
        here = self.here(places, nothing, nothing)
        (mass, damping, stiffness), notes, sure = self._derivatives(places, here.carried, N.KINKS)
        kinks = (notes[:, :: N.NOTE_SIZE] != 0.0).any(axis=1) | (notes[:, 1 :: N.NOTE_SIZE] != 0.0).any(axis=1)
        if not self.rest.judged:
            return np.zeros((len(places), len(VERDICTS))), sure & here.good & ~kinks
        basis, left = here.basis, transposed(here.left)
        reduced = left @ mass @ basis, left @ (damping @ basis), left @ (stiffness @ basis)
        errors = np.finfo(float).eps * largest(np.abs(left) @ np.abs(stiffness) @ np.abs(basis))
        out, judged = _judged_alike(*reduced, errors)
        for k in np.flatnonzero(~judged):
            m, c, s = (matrix[k] for matrix in reduced)
            out[k] = _judged(Pencil(m, c, s, float(errors[k])))
        return out, sure & here.good & ~kinks


def _judged_alike(mass: Array, damping: Array, stiffness: Array, errors: Array) -> tuple[Array, Mask]:
    """What `_judged` says of many variants, and of which it does: those without damping in which every direction has mass and energy."""
    turned, noise = transposed(stiffness), 100.0 * errors
    alike = largest(damping) <= TOO_SMALL * np.sqrt(largest(stiffness) * largest(mass))
    alike &= largest(stiffness - turned) <= np.maximum(noise, 1e-8 * largest(stiffness))
    masses, axes = np.linalg.eigh(0.5 * (mass + transposed(mass)))
    alike &= (masses > MASSLESS * largest(masses, 1e-300)[:, None]).all(axis=1)
    normal = axes / np.sqrt(np.where(masses > 0.0, masses, 1.0))[:, None, :]
    condensed = transposed(normal) @ stiffness @ normal
    squares = np.linalg.eigvalsh(0.5 * (condensed + transposed(condensed)))
    zero = np.maximum(noise * largest(normal) ** 2, TOO_SMALL * largest(condensed))
    squares[np.abs(squares) <= zero[:, None]] = 0.0
    frequencies = np.sort(np.sign(squares) * np.sqrt(np.abs(squares)), axis=1)
    sizes = np.linalg.svd(stiffness, compute_uv=False)
    neutral = (sizes <= np.maximum(noise[:, None], TOO_SMALL * sizes[:, :1])).sum(axis=1)
    lowest = frequencies[:, 0] if frequencies.shape[1] else np.full(len(mass), np.nan)
    return np.column_stack([(squares >= 0.0).all(axis=1), neutral, lowest]), alike


def _judged(pencil: Pencil) -> tuple[float, float, float]:
    """Whether a variant is stable, in how many directions it is free, and its lowest natural frequency, as `Equilibrium` has them."""
    squares, _ = pencil.undamped()
    frequencies = np.sort(np.where(squares.imag == 0.0, np.sign(squares.real), 1.0) * np.sqrt(np.abs(squares)))
    stable = not any(mode.kind in GROWING for mode in pencil.modes())
    return float(stable), float(pencil.stiffnesses()[1]), float(frequencies[0]) if len(frequencies) else np.nan


def _mass(system: System) -> list[Any]:
    return [sum(body.mass or 0.0 for body in system.model.bodies.values())]


def _gaps(system: System) -> list[Any]:
    gaps = [force.gap for force in system.model.forces.values() if force.gap is not None]
    return [number for gap in gaps for number in (gap.stiffness, gap.exponent, gap.travel, *gap.radii)]


def _gravity(system: System) -> list[Any]:
    return list(system.model.gravity)
