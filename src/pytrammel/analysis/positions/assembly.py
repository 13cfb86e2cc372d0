"""Assemble: from rough guesses to a position in which all joints close."""

from __future__ import annotations

import functools
import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from pytrammel._util import traced_numbers
from pytrammel._util.checks import checked, with_checked_names
from pytrammel._util.messages import brief, number_of, short
from pytrammel.analysis.freedom.rank import rank_at, slack
from pytrammel.analysis.options import verb
from pytrammel.analysis.positions.alignment import alignments, steered, wrong_way
from pytrammel.analysis.positions.loops import describe_loop, loop_through, reach
from pytrammel.analysis.positions.newton import Ending
from pytrammel.analysis.positions.residuals import residuals as residuals
from pytrammel.analysis.positions.residuals import row_targets as row_targets
from pytrammel.analysis.positions.tolerant import ITERATIONS as ITERATIONS
from pytrammel.analysis.positions.tolerant import ROUNDED, close_within, gap_left_by, gaps_at, too_open
from pytrammel.analysis.positions.tolerant import TOLERANCE as TOLERANCE
from pytrammel.analysis.ready import make_ready
from pytrammel.errors import AssemblyError, ModelError, TrammelError, tell
from pytrammel.joints.constraint import Block
from pytrammel.kernels import layout as L
from pytrammel.kernels.assembly import assemble_run
from pytrammel.model.base import Model
from pytrammel.model.bodies import GROUND
from pytrammel.model.quantities.quantity import Quantity
from pytrammel.model.suggestions import WordedResult
from pytrammel.results.forces.gaps import Gap, gap_warnings
from pytrammel.results.studies.newton import NewtonHistory
from pytrammel.system.lowering import System
from pytrammel.system.pattern import pattern
from pytrammel.system.positions import coordinates_of, difference, drawn_at, moved
from pytrammel.units import LENGTH_UNITS

TRIES = 60  # starts tried before a mechanism is said not to close


class _MirroredError(AssemblyError):
    """All equations hold, but some joint has its axes the wrong way round."""


@dataclass(frozen=True)
class Move:
    """Displacement of a body by assembly: shift of its origin [m] and turn [rad]."""

    body: str
    shift: float
    turn: float


@brief
@dataclass(frozen=True, eq=False)
class Way:
    """From where a position was found, and with which rows: enough to see the iterations again."""

    system: System
    rows: tuple[int, ...]
    time: float
    start: NDArray[np.float64]
    iterations: int


@with_checked_names
@brief
@dataclass(frozen=True)
class Assembly(WordedResult):
    """An assembled position.

    Attributes:
        system: The lowered model.
        q: Coordinates [m, rad].
        time: Time at which the drivers were read [s].
        moves: How far each body was moved from its drawn pose.
        iterations: Newton iterations of the successful try.
        tries: Starts needed; 1 if the drawn pose led there.
        residual: Largest residual in units of the model's size, of redundant equations that stay open within closure_tolerance too.
        gaps: Redundant constraints that stay open, with the gap, its unit and its limit.
        way: From where the successful try began.
    """

    system: System
    q: NDArray[np.float64]
    time: float
    moves: tuple[Move, ...]
    iterations: int
    tries: int
    residual: float
    way: Way | NewtonHistory = field(repr=False, compare=False)
    gaps: tuple[Gap, ...] = ()
    _inner = ("model().draw", "model().save", "model().graph", "model().diagram")

    @functools.cached_property
    def history(self) -> NewtonHistory:
        """The iterations of the successful try: residuals, and the steps that were taken, 0 where one was given up."""
        from pytrammel.analysis.positions.plain_newton import seen_again  # which needs assemblies

        return self.way if isinstance(self.way, NewtonHistory) else seen_again(self.way)

    @checked
    def pose(self, body: str) -> tuple[float, ...]:
        """Coordinates of a body: x, y [m] and phi [rad], or x, y, z and the Euler parameters in space."""
        name = self.system.model.body_of(body).name
        if name == GROUND:
            ground: tuple[float, ...] = self.system.model.ground.coordinates
            return ground
        return tuple(map(float, coordinates_of(self.system, self.q, name)))

    def model(self) -> Model:
        """Copy of the model drawn in the assembled position."""
        return self.system.model.copy(changes=drawn_at(self.system, self.q))

    def __str__(self) -> str:
        unit = self.system.model.display_unit
        factor = 1.0 / LENGTH_UNITS[unit]
        head = f"assembled in {number_of(self.iterations, 'iteration')}"
        if self.tries > 1:
            head += f" from start number {self.tries} (the drawn pose did not lead to a closed position)"
        lines = [f"{head}; largest residual {self.residual:.1e} of the model's size"]
        for move in self.moves:
            lines.append(
                f"  {move.body}: moved {move.shift * factor:.4g} {unit}, turned {math.degrees(move.turn):.4g}°"
            )
        lines += [f"  {gap}" for gap in self.gaps]
        return "\n".join(lines)


Newton = Literal["damped", "full"]
"""Newton–Raphson methods: with shortened steps and several starts, or with full steps from one."""


@verb
def assemble(
    model: Model,
    *,
    time: float = 0.0,
    drivers: bool = True,
    initial: Mapping[str, Any] | None = None,
    hold: Sequence[str | Quantity] = (),
    newton: Newton = "damped",
) -> Assembly:
    """Close all joints, starting from the drawn pose, with the smallest movement that does it.

    Args:
        model: The model.
        time: Time at which drivers are read [s]; of a model with phases, the constraints of the phase that acts then.
        drivers: Let the drivers act too.
        initial: Values that measured quantities and formulas must have, ``{"A.angle": 0.3, "P.x - Q.x": 0.1}`` [m, rad].
        hold: Coordinates and measured quantities that must stay as drawn.
        newton: Newton–Raphson method: "damped" shortens steps and tries other starts; "full" takes full steps from the design
            configuration, one try; where it fails, the iterations are in ``error.partial``.
    """
    return assembled(model, time=time, drivers=drivers, initial=initial, hold=hold, newton=newton)


@verb
def assembled(
    model: Model,
    *,
    time: float = 0.0,
    drivers: bool = True,
    initial: Mapping[str, Any] | None = None,
    hold: Sequence[str | Quantity] = (),
    newton: Newton = "damped",
    system: System | None = None,
    rows: Sequence[int] | None = None,
    start: NDArray[np.float64] | None = None,
) -> Assembly:
    """Assemble a model for other analyses, as `assemble`.

    Args:
        model, time, drivers, initial, hold, newton: As in `assemble`.
        system: Lowered model.
        rows: Constraint equations to satisfy.
        start: Coordinates with which Newton's method begins.
    """
    make_ready(model, ["assemble_run", "jacobian_run", "rates_run", "measures_run"])
    own = system is None
    if system is None:
        from pytrammel.analysis.positions.phase_at import system_at  # which needs positions

        system = system_at(model, time, "assemble")
    if rows is None:
        rows = active_rows(system, drivers=drivers)
    if initial or hold:
        if newton == "full":
            raise ModelError(
                "newton='full' starts from the design configuration; remove initial= and hold=, or use newton='damped'."
            )
        from pytrammel.analysis.start.initial import assembled_start  # which is made of assemblies

        return assembled_start(system, rows, time, hold, initial)
    if start is not None and (np.shape(start) != (system.n_coordinates,) or not np.isfinite(start).all()):
        raise ModelError(f"start must be {system.n_coordinates} finite coordinates, but it is {short(start)}.")
    rows = [k for k in rows if not system.rows[k].velocity_only]
    begin = whole_turns(system, rows, time) if start is None else start
    best_q, best_residual, mirrored = begin, math.inf, None
    found = alignments(model, {system.rows[k].owner for k in rows}, time)
    report = np.zeros(3)
    if newton == "full":
        if slack(system):
            raise ModelError(
                f"newton='full' solves all rows exactly, but closure_tolerance of model {model.name!r} is {model.closure_tolerance:g} m. "
                "Remove newton='full' or the tolerance."
            )
        return _plainly(system, rows, begin, time, found)
    random = np.random.default_rng(12345)  # the same tries every time
    for attempt in range(TRIES):
        # axes that are drawn off, or point the wrong way once closed, are turned the right way first
        q = begin.copy() if attempt == 0 or not found else steered(found, system, begin, every=attempt > 1)
        if attempt > (2 if found else 0):
            # ever wilder guesses: all angles anywhere at the end, all positions within the model's size
            wildness = min(1.0, attempt / (0.5 * TRIES))
            step = (
                random.uniform(-1.0, 1.0, system.n_columns)
                * system.column_scales()
                * wildness
                * np.where(np.array(system.column_units) == "rad", math.pi, 1.0)
            )
            q = moved(system, q, step)
        tried = q.copy()
        status, used = _close(system, rows, time, q, report)
        if status == L.OK:
            wrong = wrong_way(found, system, q)
            if not wrong:
                way = Way(system, used, float(time), tried, int(report[0]))
                done = _finished(system, q, begin, time, report, attempt + 1, way, gaps_at(system, rows, q, time, used))
                if own:
                    tell(gap_warnings(done.gaps), done)
                return done
            mirrored = mirrored or wrong
            continue
        if report[1] < best_residual:
            best_q, best_residual = q, float(report[1])
    if mirrored is not None and not any(system.rows[k].is_driver for k in rows):
        raise _mirrored(model, mirrored)
    raise _explanation(model, system, rows, time, best_q)


def _close(
    system: System, rows: Sequence[int], time: float, q: NDArray[np.float64], report: NDArray[np.float64]
) -> tuple[int, tuple[int, ...]]:
    """Move q until the equations hold; the status, and the equations that hold exactly."""
    if slack(system):
        return close_within(system, rows, time, q, report)
    p = pattern(system, rows)
    status = assemble_run(system.ints, system.floats, p, float(time), q, ITERATIONS, TOLERANCE, report)
    return status, tuple(rows)


def closed_from(
    system: System, rows: Sequence[int], time: float, start: NDArray[np.float64]
) -> NDArray[np.float64] | None:
    """The position in which the given equations hold, from one start; none if that does not lead there."""
    q, report = start.copy(), np.zeros(3)
    p = pattern(system, [k for k in rows if not system.rows[k].velocity_only])
    status = assemble_run(system.ints, system.floats, p, float(time), q, ITERATIONS, TOLERANCE, report)
    return q if status == L.OK else None


def _mirrored(model: Model, names: Sequence[str]) -> _MirroredError:
    return _MirroredError(
        f"the joints close, but only with the axes of {model.constraints[names[0]]} pointing opposite ways; they must point "
        "the same way. Reverse the axis of one of its markers, or draw the bodies nearer to the position that is meant."
    )


def _plainly(system: System, rows: Sequence[int], begin: NDArray[np.float64], time: float, found: Any) -> Assembly:
    """The plain Newton–Raphson method, with its failures."""
    from pytrammel.analysis.positions.plain_newton import failure, plain_newton  # which needs residuals from here

    outcome = plain_newton(system, rows, time, begin)
    if outcome.ending is not Ending.CONVERGED:
        advice = "Draw the mechanism nearer to a closed position, or use newton='damped'."
        raise AssemblyError(failure(outcome, time, advice), partial=outcome.history)
    wrong = wrong_way(found, system, outcome.x)
    if wrong:
        raise _mirrored(system.model, wrong)
    report = np.array([outcome.history.iterations, outcome.history.sizes[-1], 0.0])
    return _finished(system, outcome.x, begin, time, report, 1, outcome.history)


def whole_turns(system: System, rows: Sequence[int], time: float) -> NDArray[np.float64]:
    """Drawn coordinates, with driven angles brought to the turn that their driver is in.

    A crank drawn at 60° and driven from 420° points the right way already: turning it once round on the way to
    assembly could only throw the mechanism onto another branch.
    """
    if system.phase is not None:
        return system.start.copy()  # reached by following the drivers
    start = list(system.start)
    model = system.model
    acting = {system.rows[k].owner for k in rows}
    counted = counted_bodies(system, acting)
    for c in model.constraints.values():
        if not c.is_driver or c.name not in acting or c.prescribes is None:
            continue
        quantity, goal = c.prescribes, c.blocks[0].targets[0]
        if quantity.turn is not None:
            # in space the counter of the angle says which turn it is in
            target = goal if isinstance(goal, int | float) else traced_numbers.real(goal.evaluate({"t": time}))
            if math.isfinite(target):
                first = system.n_coordinates - len(model.turns)
                k = first + list(model.turns).index(quantity.turn.name)
                start[k] += 2.0 * math.pi * round((target - start[k]) / (2.0 * math.pi))
            continue
        if quantity.primitive != "linear":
            continue
        target = goal if isinstance(goal, int | float) else traced_numbers.real(goal.evaluate({"t": time}))
        turns = round((target - model.drawn_value(quantity)) / (2.0 * math.pi)) if math.isfinite(target) else 0
        for k, body in enumerate(quantity.bodies):
            # the second body of a joint, unless that is the ground or counted elsewhere; then the first, the other way round
            x, y, sign = quantity.data[1 + 3 * k : 4 + 3 * k]
            if (x, y, abs(sign)) == (0.0, 0.0, 1.0) and body != GROUND and counted.count(body) == 1:
                start[system.columns.index(f"{body}.phi")] += 2.0 * math.pi * turns * sign
                break
    return traced_numbers.array(start)  # type: ignore[no-any-return]


def counted_bodies(system: System, acting: Collection[str]) -> list[str]:
    """Bodies whose angle stands in a row that counts turns, once for each such row."""
    return [
        body
        for c in system.model.constraints.values()
        if c.name in acting
        for block in c.blocks
        if block.quantity.primitive in ("linear", "expression", "along")
        and "rad" in (*block.quantity.units, _rolls(block))
        for body in set(block.quantity.bodies)
    ]


def _rolls(block: Block) -> str:
    return "rad" if block.quantity.primitive == "along" and block.quantity.data[6] else ""


def active_rows(system: System, *, drivers: bool = True, phase: str | None = None) -> list[int]:
    """Active equations: those in no phase, and those of the given phase; by default of the system's, or the first one."""
    model = system.model
    phases = model.phases
    if phases:
        current = phases[phase or system.phase or next(iter(phases))]
        others = {name for p in phases.values() for name in p.active} - set(current.active)
    else:
        others = set()
    return [
        k
        for k, row in enumerate(system.rows)
        if row.owner not in others and not row.by_turns and (drivers or not row.is_driver)
    ]


def _finished(
    system: System,
    q: NDArray[np.float64],
    begin: NDArray[np.float64],
    time: float,
    report: NDArray[np.float64],
    tries: int,
    way: Way | NewtonHistory,
    gaps: tuple[Gap, ...] = (),
) -> Assembly:
    if tries > 1 and system.model.space.dimension == 2:
        # a wild start may have wound angles up by whole turns: bring them near the drawn ones
        for k, (name, unit) in enumerate(zip(system.columns, system.column_units, strict=True)):
            if unit == "rad" and name.removesuffix(".phi") not in _angles_counted(system.model):
                q[k] -= 2.0 * math.pi * round((q[k] - begin[k]) / (2.0 * math.pi))
    moves = []
    step, size, dimension = difference(system, q, begin), system.per_body, system.model.space.dimension
    for k, name in enumerate(list(system.model.bodies)[1:]):
        d = step[size * k : size * (k + 1)]
        turn = d[dimension:]
        moves.append(
            Move(name, float(np.linalg.norm(d[:dimension])), float(turn[0] if turn.size == 1 else np.linalg.norm(turn)))
        )
    return Assembly(system, q, time, tuple(moves), int(report[0]), tries, float(report[1]), way, gaps)


def _angles_counted(model: Model) -> set[str]:
    """Bodies in rows that count revolutions (gears, driven or constrained angles): a whole turn matters there."""
    return {
        body
        for c in model.constraints.values()
        for block in c.blocks
        if block.quantity.primitive in ("linear", "expression")
        or (block.quantity.primitive == "along" and block.quantity.data[6])
        for body in block.quantity.bodies
    }


def _explanation(
    model: Model, system: System, rows: Sequence[int], time: float, q: NDArray[np.float64]
) -> TrammelError:
    """Which loop cannot close, at which joint, and by how much."""
    gaps = _gaps(system, rows, residuals(system, q, time))
    if not all(math.isfinite(g[0]) for g in gaps.values()):
        bad = next(name for name, g in gaps.items() if not math.isfinite(g[0]))
        return AssemblyError(
            f"{model.constraints[bad]} gives a value that is not a number at t = {time:g} s; check its formula."
        )
    if slack(system):
        off = np.abs(residuals(system, q, time) / system.row_scales())[list(rows)]
        widest = rows[int(np.argmax(off))]
        if off.max() <= ROUNDED and not system.rows[widest].is_driver:
            return AssemblyError(too_open(system, widest, float(off.max() * system.row_scales()[widest]), time))
    blame = _contradiction(system, rows, time, q)
    drivers = [name for name in gaps if model.constraints[name].is_driver]
    if drivers:
        try:
            closed = assembled(
                model, time=time, system=system, rows=[r for r in rows if not system.rows[r].is_driver], start=q
            )
        except _MirroredError as error:
            return error
        except TrammelError:
            closed = None
        if closed is not None:
            remaining = _gaps(system, rows, residuals(system, closed.q, time))
            name = max(drivers, key=lambda d: remaining[d][0] if d in remaining else 0.0)
            size, unit = remaining[name]
            return AssemblyError(
                f"the joints close, but not with driver {name!r} at t = {time:g} s: "
                f"{model.constraints[name].blocks[0].quantity} misses its value by {_amount(size, unit, model)} at the nearest "
                "closed position. The mechanism cannot reach it: change the driver's start or the link lengths." + blame
            )
    joints = {name: g for name, g in gaps.items() if name not in drivers} or gaps
    worst = max(joints, key=lambda n: joints[n][0] / (system.length if joints[n][1] == "m" else 1.0))
    size, unit = joints[worst]
    joint = model.constraints[worst]
    loop = loop_through(model, joint)
    where = f"loop {describe_loop(loop)} cannot close: " if loop else "the constraints cannot all hold: "
    lengths = reach(model, loop) if loop else None
    short = ""
    if lengths and lengths[0] > sum(lengths[1]):
        size = lengths[0] - sum(lengths[1])
        factor = 1.0 / LENGTH_UNITS[model.display_unit]
        sides = " + ".join(f"{v * factor:.4g}" for v in lengths[1])
        short = f" ({sides} < {lengths[0] * factor:.4g} {model.display_unit})"
    elif loop and unit == "m":
        # the compromise spreads the opening over the joints of the loop: together they are what is missing
        size = sum(joints[name][0] for _, name in loop if name in joints and joints[name][1] == "m")
    text = f"{where}gap {_amount(size, unit, model)} at {joint.kind} {worst!r}{short}"
    advice = (
        ". Lengthen a link or move a pin." if joint.span is not None else ". Check its geometry and the drawn poses."
    )
    if blame and not short:
        advice = _tolerance_advice(model, system, rows, time, q, gaps.values()) or advice
    return AssemblyError(text + advice + ("" if short else blame))


def _tolerance_advice(
    model: Model,
    system: System,
    rows: Sequence[int],
    time: float,
    q: NDArray[np.float64],
    gaps: Collection[tuple[float, str]],
) -> str:
    """Remedy for a loop that rounding may have opened; empty if the gap is too large for that."""
    needed = max(size * (1.0 if unit == "m" else system.length) for size, unit in gaps)
    if not needed <= ROUNDED * system.length:
        return ""
    needed = max(needed, gap_left_by(system, rows, time, q, [factor * needed for factor in (2.0, 8.0, 32.0)]))
    need, have = _amount(1.1 * needed, "m", model), _amount(model.closure_tolerance, "m", model)
    return f" (closure_tolerance of the model is {have}). State dimensions with more digits, or use closure_tolerance of {need} or more."


def _contradiction(system: System, rows: Sequence[int], time: float, q: NDArray[np.float64]) -> str:
    """Sentence naming rows that depend on others although their residuals differ."""
    found = rank_at(system, q, time, rows)
    if not found.redundant:
        return ""
    scaled = np.abs(residuals(system, q, time)) / system.row_scales()
    names = list(dict.fromkeys(system.rows[rows[k]].owner for k in found.redundant if scaled[rows[k]] > TOLERANCE))
    if not names:
        return ""
    return (
        f" The rows of {', '.join(map(repr, names))} contradict the other constraints: remove one or make them agree."
    )


def _gaps(system: System, rows: Sequence[int], residual: NDArray[np.float64]) -> Mapping[str, tuple[float, str]]:
    gaps: dict[str, list[tuple[float, str]]] = {}
    for row in rows:
        info = system.rows[row]
        gaps.setdefault(info.owner, []).append((float(residual[row]), info.unit))
    out = {}
    for name, values in gaps.items():
        lengths = [v for v, unit in values if unit == "m"]
        if lengths and (len(lengths) == len(values) or math.hypot(*lengths) > 1e-9 * system.length):
            out[name] = (math.hypot(*lengths), "m")
        else:
            formulas = any(block.quantity.formula is not None for block in system.model.constraints[name].blocks)
            unit = "1" if formulas and all(unit == "1" for _, unit in values) else "rad"
            out[name] = (max(abs(v) for v, unit in values if unit != "m"), unit)
    return out


def _amount(size: float, unit: str, model: Model) -> str:
    if unit == "m":
        return f"{size / LENGTH_UNITS[model.display_unit]:.4g} {model.display_unit}"
    return f"{size:.4g}" if unit == "1" else f"{math.degrees(size):.4g}°"
