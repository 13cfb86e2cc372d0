"""Assembly branches of variants: each start is compared with the branch of the drawn model, continued along its parameters."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from pytrammel.analysis.batches.beginnings import NEEDS, closing_system, read_starts
from pytrammel.analysis.batches.fast import NotFast, numbers_of
from pytrammel.analysis.batches.fast_kinematics import FastKinematics
from pytrammel.analysis.batches.starts import Turning
from pytrammel.analysis.batches.work import Task
from pytrammel.analysis.freedom.rank import SURE, jacobian_places, rank_at
from pytrammel.analysis.positions.assembly import ITERATIONS, TOLERANCE, Newton, assembled
from pytrammel.analysis.positions.phase_at import leaves_first, system_at
from pytrammel.analysis.ready import make_ready
from pytrammel.analysis.start.given import initial_conditions
from pytrammel.errors import RunWarning, TrammelError, untold
from pytrammel.kernels import layout as L
from pytrammel.kernels import variant_runs as kernels
from pytrammel.kernels import variants
from pytrammel.kernels.assembly import assemble_run
from pytrammel.kernels.calls import NOTHING, NUMBER, WHOLE, can_call, entry_address
from pytrammel.kernels.measures import jacobian_run, measures_run
from pytrammel.kernels.rates import rates_run
from pytrammel.model.base import Model
from pytrammel.system.lowering import System, lower
from pytrammel.system.parameter_map import parameter_map
from pytrammel.system.pattern import pattern

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]
Ints = NDArray[np.int64]
STEPS = (4, 16, 64)  # steps along the parameters; more where fewer do not confirm the branch
LONGEST = 0.4  # movement of a step, in scales of the coordinates
AGREEMENT = 0.5  # distance of a step from its prediction, as a fraction of its movement
ALIKE = 1e-2  # difference of starts, in scales of the coordinates, between exact closure and closure within a tolerance
SAME = 1e-6  # difference of positions on one branch, in scales of the coordinates
DOUBLED = np.log(1.8)  # change of a determinant's logarithm beside a step with a zero; log 2 in the linear case
NEARLY_ZERO = np.log(4.0)  # change within the first or last step, where it has a zero next to its end
HELD = 1e-9  # movement of a body whose pose is determined, of motions of unit length in scaled coordinates
NEIGHBOURS = 3  # rounds in which unconfirmed variants are continued from their nearest confirmed neighbour
PART = 20_000  # variants that are followed together
MOST_OPEN = 2_000  # unconfirmed variants up to which their neighbours are looked for


def branch_warnings(task: Task, values: Array, states: Array, failed: Collection[int] = ()) -> dict[int, RunWarning]:
    """Warnings of variants that start on another branch than the drawn model, or whose branch cannot be confirmed.

    Variants that `failed` and motions without an output time are not checked.
    """
    if not (task.names or task.states) or not task.times.size:
        return {}
    done = np.ones(len(values), dtype=bool)
    done[list(failed)] = False
    try:
        if task.model.phases:
            task = in_phase_of_start(task)
        if task.verb == "kinematics" or not (task.states or task.options.get("initial")):
            try:
                return _Branches(task).warnings(values, done)
            except (NotFast, TrammelError, ImportError):
                pass  # not determined by drivers, or with redundant equations
        return _Starts(task).warnings(np.hstack([values, states]), done)
    except (NotFast, TrammelError, ImportError, np.linalg.LinAlgError):
        return {}


@dataclass
class _Branches:
    """Starts of variants and of the branch that the drawn model is on."""

    task: Task

    def __post_init__(self) -> None:
        task = self.task
        self.model = task.model
        exact = self.model.copy(closure_tolerance=0.0) if self.model.closure_tolerance else self.model
        self.fast = FastKinematics(exact, {}, task.names, task.states, task.times[:1], ())
        self.system, self.rows = self.fast.map.system, self.fast.rows
        self.time = float(self.fast.times[0])
        self.turning: Turning = self.fast.turning
        self.tools = _Tools()
        self.scales = np.ones(self.system.n_coordinates)
        if self.system.model.space.dimension == 2:
            scales = self.system.column_scales()
            self.scales[: scales.size] = scales

    def warnings(self, values: Array, done: Mask) -> dict[int, RunWarning]:
        model, names = self.system.model, self.fast.names
        drawn = np.array([[self.fast.model.parameters[name].value for name in names]])
        base, base_good = self._started(drawn)
        if not base_good[0]:
            return {}
        starts, good = self._started(values)
        alone = np.flatnonzero(done & (~good | _start_alone(self.task)))
        starts[alone], good[alone] = starts_alone(self.task, self.model, values[alone])
        good &= done
        sign = self._determinants(drawn, base)[0][0]
        count = len(values)
        reference, known = np.tile(base, (count, 1)), np.zeros(count, dtype=bool)
        own = np.flatnonzero(good)
        reference[own], known[own] = self._followed(reference[own], np.tile(drawn, (own.size, 1)), values[own], sign)
        width = np.where(np.ptp(values, axis=0) > 0.0, np.ptp(values, axis=0), 1.0)
        for _ in range(NEIGHBOURS):
            open_ = np.flatnonzero(good & ~known)
            sure = np.flatnonzero(known)
            if not open_.size or not sure.size:
                break
            near = sure[[int(np.argmin((((values[sure] - values[k]) / width) ** 2).sum(axis=1))) for k in open_]]
            reference[open_], known[open_] = self._followed(reference[near], values[near], values[open_], sign)
        apart = self._apart(starts, reference)
        same = SAME + self.task.model.closure_tolerance / self.system.length
        out = {}
        for k in own.tolist():
            if not known[k]:
                why = "paths from the drawn model to it pass a singular position, or do not close."
                text = f"its assembly branch could not be confirmed: {why}"
                out[k] = RunWarning("assembly branch", f"{text} Draw the model nearer to this variant.")
            elif apart[k] > same:
                far = f"the positions differ by {apart[k]:.3g} of the model's size."
                text = f"it lies on another assembly branch than the drawn model {model.name!r}: {far}"
                out[k] = RunWarning("assembly branch", f"{text} Draw the model nearer to this variant.")
        return out

    def _floats(self, values: Array) -> tuple[Array, Array, Mask]:
        found = numbers_of(self.fast.map, self.fast.names, values)
        floats = np.tile(self.system.floats, (len(values), 1))
        floats[found.fits] = found.floats[found.fits]
        return np.ascontiguousarray(floats), found.start, found.fits

    def _started(self, values: Array) -> tuple[Array, Mask]:
        """Where single runs start."""
        floats, drawn, fits = self._floats(values)
        places, _ = self.turning.begin(floats, np.ascontiguousarray(drawn))
        return places, fits & self._closed(floats, places)

    def _closed(self, floats: Array, places: Array) -> Mask:
        ints = self.system.ints
        return self.tools.close(ints, floats, self.fast.closing, ints, floats, self.fast.following, self.time, places)

    def _determinants(self, values: Array, places: Array) -> tuple[Array, Array]:
        """Signs of the determinants of the rows in use, and logarithms of their sizes."""
        system, n = self.system, self.system.n_columns
        floats = self._floats(values)[0]
        entries, _ = self.tools.look(system, floats, self.time, places)
        row, column, entry = jacobian_places(system, tuple(range(len(system.rows))))
        found = np.zeros((len(places), len(system.rows), n))
        for k in range(len(entry)):
            found[:, row[k], column[k]] += entries[:, entry[k]]
        chosen = found[:, list(self.rows)] * system.column_scales()
        signs, sizes = np.linalg.slogdet(chosen)
        return np.asarray(signs), np.asarray(sizes)

    def _followed(self, q: Array, first: Array, last: Array, sign: float) -> tuple[Array, Mask]:
        """Positions continued along straight lines in the parameters, and whether every step was confirmed."""
        out, known = q.copy(), np.zeros(len(q), dtype=bool)
        for steps in STEPS:
            open_ = np.flatnonzero(~known)
            if not open_.size:
                break
            out[open_], known[open_] = self._stepped(q[open_], first[open_], last[open_], sign, steps)
        return out, known

    def _stepped(self, q: Array, first: Array, last: Array, sign: float, steps: int) -> tuple[Array, Mask]:
        """Positions after a number of steps, and whether each of them was confirmed.

        Where branches cross, Newton's method may turn into a branch whose determinant has the same sign: a determinant that halves in
        the step before and doubles in the step after one has a zero in it.
        """
        good, now, before = np.ones(len(q), dtype=bool), q.copy(), q.copy()
        sizes = [self._determinants(first, q)[1]]
        for j in range(1, steps + 1):
            values = last if j == steps else first + (j / steps) * (last - first)
            floats, _, fits = self._floats(values)
            predicted = self._unit(2.0 * now - before)
            found = predicted.copy()
            good &= fits & self._closed(floats, found)
            moved = np.abs((found - now) / self.scales).max(axis=1)
            missed = np.abs((found - predicted) / self.scales).max(axis=1)
            agrees = (
                (moved <= 1e-9) | (missed <= AGREEMENT * moved) | (moved <= 0.1 * LONGEST)
                if j > 1
                else moved <= LONGEST
            )
            good &= (moved <= LONGEST) & agrees
            if not good.any():
                return now, good
            before, now = now, np.where(good[:, None], found, now)
            signs, size = self._determinants(values, now)
            good &= signs == sign
            sizes.append(size)
        return now, good & ~_has_zero(np.array(sizes))

    def _unit(self, q: Array) -> Array:
        if self.system.model.space.dimension == 3:
            for b in range(len(self.system.model.bodies) - 1):
                own = slice(7 * b + 3, 7 * b + 7)
                q[:, own] /= np.linalg.norm(q[:, own], axis=1)[:, None]
        return q

    def _apart(self, one: Array, other: Array) -> Array:
        """Largest difference of positions, in scales of the coordinates; whole turns do not count."""
        gap = (one - other) / self.scales
        if self.system.model.space.dimension == 2:
            turns = np.flatnonzero(np.array(self.system.column_units) == "rad")
            gap[:, turns] = np.sin(0.5 * (one - other)[:, turns])
            return np.asarray(np.abs(gap).max(axis=1))
        bodies = len(self.system.model.bodies) - 1
        worst = np.zeros(len(gap))
        for b in range(bodies):
            own = slice(7 * b + 3, 7 * b + 7)
            worst = np.maximum(worst, np.abs(gap[:, 7 * b : 7 * b + 3]).max(axis=1))
            worst = np.maximum(worst, 1.0 - np.abs((one[:, own] * other[:, own]).sum(axis=1)))
        return worst


class _Starts:
    """Starts of variants from the drawn pose, followed along lines in what varies: where they jump, the branch is another one.

    This serves motions with degrees of freedom and redundant equations, for which no determinant shows the branch.
    """

    def __init__(self, task: Task) -> None:
        if not can_call():
            raise NotFast("kernels cannot call each other by address here")
        make_ready(task.model, [*NEEDS, "assemble_run", "rates_run", "measures_run", "jacobian_run"])
        self.task, self.time = task, float(task.times[0])
        own = parameter_map(task.model)
        self.system = own.system
        initial = {} if task.verb == "equilibrium" else initial_conditions(task.options.get("initial")).values
        found = [c for c in read_starts(task.model, initial, task.states) if c.on_positions]
        self.sources = [
            (task.states.index(c.label), 0.0) if c.label in task.states else (-1, c.value or 0.0) for c in found
        ]
        self.map = closing_system(self.system, found, own)
        closing = self.map.system
        self.conditions = range(len(self.system.rows), len(closing.rows))
        acting = [k for k, row in enumerate(closing.rows) if not row.by_turns and not row.velocity_only]
        drawn = assembled(task.model, time=self.time).q
        free = [k for k in acting if k not in self.conditions]
        base = rank_at(self.system, drawn, self.time, free).independent
        rows = [free[k] for k in base] + list(self.conditions)
        self.pattern, self.following = pattern(closing, rows), pattern(self.system, [free[k] for k in base])
        self.own, self.rows, self.drawn = own, rows, drawn
        self.turning = Turning(closing, rows, self.time)
        self.tools = _Tools()
        self.held = self._held_bodies()

    def warnings(self, values: Array, done: Mask) -> dict[int, RunWarning]:
        model, names, count = self.task.model, self.task.names, len(values)
        base = np.array([[*(model.parameters[name].value for name in names), *self._values_now()]])
        if not self._begun(base)[1][0]:
            return {}
        places, good, _ = self._begun(values)
        if _start_alone(self.task):
            rows = np.flatnonzero(done & good)
            alone, closed = starts_alone(self.task, self.task.model, values[rows])
            good[rows] = closed & (_difference(self.system, alone, places[rows]) <= ALIKE)
        known = np.zeros(count, dtype=bool)
        jumped = np.zeros(count, dtype=bool)
        own = np.flatnonzero(good)
        known[own], jumped[own] = self._followed(np.tile(base, (own.size, 1)), values[own])
        width = np.where(np.ptp(values, axis=0) > 0.0, np.ptp(values, axis=0), 1.0)
        for _ in range(NEIGHBOURS):
            open_, sure = np.flatnonzero(good & ~known), np.flatnonzero(known)
            if not open_.size or not sure.size or open_.size > MOST_OPEN:
                break
            near = sure[[int(np.argmin((((values[sure] - values[k]) / width) ** 2).sum(axis=1))) for k in open_]]
            known[open_], _ = self._followed(values[near], values[open_])
        out = {}
        for k in np.flatnonzero(~known & done).tolist():
            if jumped[k]:
                text = f"it lies on another assembly branch than the drawn model {model.name!r}: starts jump on the way to it."
            else:
                text = "its assembly branch could not be confirmed: starts do not lead there without a gap."
            out[k] = RunWarning("assembly branch", f"{text} Draw the model nearer to this variant.")
        return out

    def _held_bodies(self) -> list[int]:
        """Bodies whose poses joints and starting values determine: no motion that the rows allow moves them."""
        closing, n = self.map.system, self.map.system.n_columns
        floats = np.ascontiguousarray(self.map.at(self.map.values[None]).floats)
        entries, _ = self.tools.look(closing, floats, self.time, self.drawn[None])
        row, column, entry = jacobian_places(closing, tuple(self.rows))
        dense = np.zeros((len(self.rows), n))
        np.add.at(dense, (row, column), entries[0, entry])
        _, sizes, motions = np.linalg.svd(dense * closing.column_scales())
        free = motions[int((sizes > SURE * sizes.max(initial=0.0)).sum()) :]
        bodies = len(closing.model.bodies) - 1
        width = 3 if closing.model.space.dimension == 2 else 6
        moved = np.abs(free[:, : width * bodies]).reshape(-1, bodies, width).max(axis=(0, 2), initial=0.0)
        return np.flatnonzero(moved < HELD).tolist()

    def _values_now(self) -> list[float]:
        """Values of the states that vary, in the drawn pose."""
        if not self.task.states:
            return []
        floats = np.ascontiguousarray(self.map.at(self.map.values[None]).floats)
        _, seen = self.tools.look(self.map.system, floats, self.time, self.drawn[None])
        found = dict.fromkeys(range(len(self.task.states)), 0.0)
        for row, (column, _) in zip(self.conditions, self.sources, strict=True):
            if column >= 0:
                found[column] = float(seen[0, row])
        return list(found.values())

    def _begun(self, values: Array, begin: Array | None = None) -> tuple[Array, Mask, Array]:
        """Where single runs start, for which variants that is found, and the whole turns they are assembled from.

        With `begin`, where closing from these positions leads.
        """
        n = len(self.task.names)
        targets = np.zeros((len(values), len(self.sources)))
        for k, (column, value) in enumerate(self.sources):
            targets[:, k] = values[:, n + column] if column >= 0 else value
        names = [*self.task.names, *self.map.names[len(self.map.names) - len(self.sources) :]]
        closing = numbers_of(self.map, names, np.hstack([values[:, :n], targets]))
        plain = numbers_of(self.own, self.task.names, values[:, :n])
        fits = closing.fits & plain.fits
        floats, c_floats = (
            np.tile(self.system.floats, (len(values), 1)),
            np.tile(self.map.system.floats, (len(values), 1)),
        )
        floats[plain.fits], c_floats[closing.fits] = plain.floats, closing.floats
        if begin is not None:
            places, sure, turned = begin.copy(), fits.copy(), np.zeros_like(begin)
        else:
            places, sure = self.turning.begin(c_floats, np.ascontiguousarray(closing.start))
            turned = places - closing.start
        good = fits & sure & self.tools.close(
            self.map.system.ints, c_floats, self.pattern, self.system.ints, floats, self.following, self.time, places
        )  # fmt: skip
        return places, good, turned

    def _followed(self, first: Array, last: Array) -> tuple[Mask, Mask]:
        """Whether starts are continuous between two variants, and whether they jump although all close."""
        known, jumped = np.zeros(len(first), dtype=bool), np.zeros(len(first), dtype=bool)
        for steps in STEPS:
            open_ = np.flatnonzero(~known)
            for part in np.array_split(open_, max(1, -(-open_.size // PART))):
                known[part], jumped[part] = self._stepped(first[part], last[part], steps)
        return known, jumped

    def _stepped(self, first: Array, last: Array, steps: int) -> tuple[Mask, Mask]:
        now, closed, turned = self._begun(first)
        smooth, before = closed.copy(), now
        fresh: Mask = np.ones(len(first), dtype=bool)
        for j in range(1, steps + 1):
            values = last if j == steps else first + (j / steps) * (last - first)
            found, good, turning = self._begun(values)
            closed &= good
            # from half a turn on, an angle is reached from its other side: bodies that are free to move may stand elsewhere
            around: Mask = np.asarray((np.abs(turning - turned) > 1.0).any(axis=1))
            moved = _difference(self.system, found, now)
            missed = _difference(self.system, found, 2.0 * now - before)
            agrees = fresh | (moved <= 1e-9) | (missed <= AGREEMENT * moved) | (moved <= 0.1 * LONGEST)
            smooth &= around | ((moved <= LONGEST) & agrees)
            turns = np.flatnonzero(around & smooth & good)
            if turns.size and self.held:
                smooth[turns] = self._continued(values[turns], now[turns], found[turns])
            before, now, turned, fresh = now, found, turning, around
        return smooth & closed, closed & ~smooth

    def _continued(self, values: Array, now: Array, found: Array) -> Mask:
        """Return True where the held bodies of starts stand where they come to from the positions before."""
        places, good, _ = self._begun(values, now)
        moved = _difference(self.system, places, now, self.held)
        return good & (moved <= LONGEST) & (_difference(self.system, places, found, self.held) <= SAME)


def _has_zero(sizes: Array) -> Mask:
    """Return True for paths on which a determinant without change of sign may have a zero between two steps.

    Args:
        sizes: Logarithms of the determinants at every step, shape (steps + 1, n).
    """
    change = np.diff(sizes, axis=0)
    falls, rises = change <= -DOUBLED, change >= DOUBLED
    inside = (falls[:-2] & rises[2:]).any(axis=0)
    first, last = rises[1] | (change[0] >= NEARLY_ZERO), falls[-2] | (change[-1] <= -NEARLY_ZERO)
    return np.asarray(inside | first | last)


def _start_alone(task: Task) -> bool:
    """Return True if single runs start otherwise than the kernel for many variants closes joints."""
    plain = task.verb == "kinematics" and task.options.get("newton", "damped") == "full"
    return plain or bool(task.model.closure_tolerance)


def in_phase_of_start(task: Task) -> Task:
    """The batch at the time from which its runs follow the motion, with the constraints of the phase that acts then."""
    model, time = task.model, float(task.times[0])
    phase = next(iter(model.phases))
    if time > 0.0 and task.verb != "simulate" and leaves_first(model):
        followed = task.verb == "kinematics"
        if not followed:
            system = system_at(model, time, task.verb)
            followed = not np.array_equal(system.start, lower(model).start)
            phase = phase if followed else system.phase or phase
        time = 0.0 if followed else time
    idle = {name for each in model.phases.values() for name in each.active} - set(model.phases[phase].active)
    return replace(task, model=model.copy(without=[*model.switches, *model.phases, *idle]), times=np.array([time]))


def starts_alone(task: Task, model: Model, values: Array) -> tuple[Array, Mask]:
    """Positions in which single runs of variants start, and whether they close.

    Args:
        task: The batch.
        model: The model of the batch, or the model with fewer constraints.
        values: Values of parameters, then of states, shape (N, n).
    """
    newton: Newton = task.options.get("newton", "damped") if task.verb == "kinematics" else "damped"
    initial = {} if task.verb == "equilibrium" else initial_conditions(task.options.get("initial")).values
    n = len(task.names)
    found: list[Array | None] = []
    for row in values:
        wish = {**initial, **dict(zip(task.states, map(float, row[n:]), strict=False))}
        try:
            with untold():
                variant = model.with_parameters(**dict(zip(task.names, map(float, row[:n]), strict=True)))
                found.append(assembled(variant, time=float(task.times[0]), newton=newton, initial=wish or None).q)
        except TrammelError:
            found.append(None)
    closed = np.array([q is not None for q in found], dtype=bool)
    nowhere = np.full(lower(model).n_coordinates, np.nan)
    return np.array([nowhere if q is None else q for q in found]).reshape(-1, nowhere.size), closed


class _Tools:
    """Kernels for the positions of many variants."""

    def __init__(self) -> None:
        self.addresses = np.zeros(kernels.N_ADDRESSES, dtype=np.int64)
        self.addresses[[kernels.CLOSE, kernels.RATES, kernels.MEASURE, kernels.ENTRIES]] = [
            entry_address(assemble_run, WHOLE), entry_address(rates_run, NUMBER), entry_address(measures_run, NOTHING),
            entry_address(jacobian_run, NOTHING),
        ]  # fmt: skip
        self.numbers = np.zeros(variants.N_NUMBERS)
        self.numbers[[variants.ITERATIONS, variants.TOLERANCE, variants.SURE]] = ITERATIONS, TOLERANCE, SURE

    def close(
        self, ints: Ints, floats: Array, closing: Ints, own_ints: Ints, own_floats: Array, following: Ints, time: float, places: Array
    ) -> Mask:  # fmt: skip
        """Close the joints of variants, and return for which of them that succeeds."""
        outcome = np.zeros(len(places), dtype=np.int64)
        kernels.close_variants(
            self.addresses, ints, floats, closing, own_ints, own_floats, following, time, self.numbers, places, outcome
        )
        return np.asarray((outcome == variants.DONE) & np.isfinite(places).all(axis=1))

    def look(self, system: System, floats: Array, time: float, places: Array) -> tuple[Array, Array]:
        """Entries of the Jacobians and values of all rows."""
        entries = np.zeros((len(places), int(system.ints[L.N_JACOBIAN]) + 1))
        seen, rates = (np.zeros((len(places), len(system.rows))) for _ in range(2))
        still = np.zeros((len(places), system.n_columns))
        kernels.rows_of_variants(
            self.addresses, system.ints, floats, time, np.ascontiguousarray(places), still, entries, seen, rates
        )
        return entries, seen


def _difference(system: System, one: Array, other: Array, bodies: Sequence[int] | None = None) -> Array:
    """Largest difference of positions (of some bodies), in scales of the coordinates; whole turns do not count."""
    gap = one - other
    chosen = range(len(system.model.bodies) - 1) if bodies is None else bodies
    if system.model.space.dimension == 2:
        columns = np.array([3 * b + k for b in chosen for k in range(3)], dtype=np.int64)
        turns = np.flatnonzero(np.array(system.column_units) == "rad")
        gap[:, turns] = 2.0 * np.sin(0.5 * gap[:, turns])
        sized = gap[:, columns] / system.column_scales()[columns]
        return np.asarray(np.abs(sized).max(axis=1, initial=0.0))
    worst = np.zeros(len(gap))
    for b in chosen:
        own = slice(7 * b + 3, 7 * b + 7)
        opposite = np.abs(one[:, own] + other[:, own]).max(axis=1)
        turned = 2.0 * np.minimum(np.abs(gap[:, own]).max(axis=1), opposite)
        worst = np.maximum(worst, np.maximum(np.abs(gap[:, 7 * b : 7 * b + 3]).max(axis=1) / system.length, turned))
    return worst


def added(found: dict[int, tuple[RunWarning, ...]], more: dict[int, RunWarning], failed: Sequence[int]) -> None:
    """Add warnings to those of the runs, except of variants that failed."""
    for k, warning in more.items():
        if k not in failed:
            found[k] = (*found.get(k, ()), warning)
