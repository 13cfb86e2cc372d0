"""Consistent starting positions and velocities."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pytrammel._util.messages import unlike
from pytrammel.analysis.freedom.rank import exact_rows
from pytrammel.analysis.positions.assembly import Assembly, assembled, whole_turns
from pytrammel.analysis.positions.phase_at import alike
from pytrammel.analysis.start.conditions import Condition, RateConditions, Wanted, read_conditions, with_conditions
from pytrammel.analysis.start.staged import CONTRADICTION, Conditions
from pytrammel.analysis.start.start_velocities import rates_missing, start_velocity
from pytrammel.errors import AssemblyError, ModelError, RunWarning
from pytrammel.kernels import layout as L
from pytrammel.model.quantities.quantity import Quantity
from pytrammel.system.lowering import System, lower
from pytrammel.system.positions import difference

Array = NDArray[np.float64]
HELD = 1e-9  # a held coordinate moves this much less readily than the others
ROUNDING = 1e-13  # share of the speeds of a model that is rounding
MOVED = 1e-9  # what moved by less than this share of its scale stayed where it was
PASSES = 30  # of linearising conditions that are formulas of rates
NAMED = 4  # at most, in one sentence


@dataclass(frozen=True)
class Start:
    """Where a run starts.

    Attributes:
        q, v: Coordinates and velocities.
        changed: What of the drawn positions and given velocities had to be changed, as sentences.
        warnings: Given velocities that contradict each other or the joints.
    """

    q: Array
    v: Array
    changed: list[str] = field(default_factory=list)
    warnings: list[RunWarning] = field(default_factory=list)


def given_velocities(system: System) -> dict[int, float]:
    """Velocities that were given with the bodies, by column."""
    bodies = list(system.model.bodies.values())[1:]
    numbers = [x for body in bodies for x in body.given_velocities]
    return {k: float(x) for k, x in enumerate(numbers) if x is not None}


def drawn_velocity(system: System) -> Array:
    """Velocities as given with the bodies, zero where nothing was said."""
    v = np.zeros(system.n_columns)
    for k, x in given_velocities(system).items():
        v[k] = x
    return v


def velocity_target(system: System, rows: Sequence[int], time: float, q: Array) -> Array:
    """Right-hand side nu of J v = nu, in row scales."""
    return rates_missing(system, rows, time, q, np.zeros(system.n_columns))


def consistent_start(
    system: System, rows: Sequence[int], time: float, hold: Sequence[Any] = (), initial: Wanted | None = None
) -> Start:
    """Positions and velocities that satisfy the constraints, with what was given kept wherever they allow it.

    Args:
        hold: What must stay as given: coordinates ("crank.phi"), velocities ("crank.omega"), any measured quantity or formula
            ("A.angle", "P.x"), or its rate.
        initial: Values that measured quantities, formulas and rates must have.
    """
    held_q, held_v, others = _held_columns(system, hold)
    conditions = read_conditions(system.model, initial, others)
    places = [c for c in conditions if c.on_positions]
    q, changed = _consistent_position(system, rows, time, held_q, places)
    v, more, warnings = _consistent_velocity(
        system, exact_rows(system, q, time, rows), time, q, held_v, [c for c in conditions if not c.on_positions]
    )
    return Start(q, v, changed + more, warnings)


# --- positions -----------------------------------------------------------------------------------------------------------


def _consistent_position(
    system: System, rows: Sequence[int], time: float, held: Sequence[int], conditions: Sequence[Condition]
) -> tuple[Array, list[str]]:
    drawn = system.start
    q = drawn.copy()
    if rows or conditions:
        q = assembled_with(system, rows, time, held, conditions).q
    _check_held(system, q, held)
    changed = []
    for name, step in _steps(system, q).items():
        if name in system.coordinates:
            where = system.coordinates.index(name)
            changed.append(f"{name} moved from {drawn[where]:.6g} to {q[where]:.6g}")
        else:
            owner, _, axis = name.rpartition(".r")
            changed.append(f"{owner} turned by {np.degrees(step):.6g}° about its {axis} axis")
    return q, changed


def _steps(system: System, q: Array) -> dict[str, float]:
    """By how much the columns moved from the drawn pose, those that did."""
    step, scales = difference(system, q, system.start), system.column_scales()
    return {name: float(step[k]) for k, name in enumerate(system.columns) if abs(step[k]) > MOVED * scales[k]}


def _check_held(system: System, q: Array, held: Sequence[int]) -> None:
    steps = _steps(system, q)
    for name in (system.columns[k] for k in held):
        if name in steps:
            known = name in system.coordinates
            how = f"at {system.start[system.coordinates.index(name)]:g}" if known else "as drawn"
            raise AssemblyError(f"{name} is held {how}, but the joints do not close there; hold another coordinate.")


def assembled_start(
    system: System, rows: Sequence[int], time: float, hold: Sequence[Any], initial: Wanted | None
) -> Assembly:
    """Assembled position with conditions, for `assemble`."""
    held, rates, others = _held_columns(system, hold)
    conditions = read_conditions(system.model, initial, others)
    for label in [*(_rate_name(system, k) for k in rates), *(c.label for c in conditions if not c.on_positions)]:
        raise ModelError(f"{label} is a velocity, which assembly has nothing to do with; give it to simulate.")
    found = assembled_with(system, rows, time, held, conditions)
    _check_held(system, found.q, held)
    return replace(found, system=system)


def assembled_with(
    system: System, rows: Sequence[int], time: float, held: Sequence[int], conditions: Sequence[Condition]
) -> Assembly:
    """Assembled position in which some columns are held and conditions on positions hold."""
    acting = system
    names: dict[str, Condition] = {}
    if conditions:
        twin, names = with_conditions(system.model, conditions, time, system.start)
        acting = alike(lower(twin), system)
        rows = [*rows, *(k for k, row in enumerate(acting.rows) if row.owner in names)]
    floats = acting.floats.copy()
    at = int(acting.ints[L.AT_COLUMN_SCALES])
    floats[[at + k for k in held]] *= HELD
    try:
        return assembled(
            acting.model,
            time=time,
            system=replace(acting, floats=floats),
            rows=rows,
            start=whole_turns(acting, rows, time),
        )
    except AssemblyError as error:
        if not held and not conditions:
            raise
        text = str(error)
        for name, condition in names.items():
            text = text.replace(f"driver {name!r}", f"the start at {condition.wish}").replace(
                repr(name), condition.wish
            )
        kept = [f"{system.columns[k]} held as drawn" for k in held]
        kept += [f"{c.label} held as drawn" if c.held else c.wish for c in conditions]
        raise AssemblyError(f"with {', '.join(kept)}: {text} Or ask for less.") from None


# --- velocities ----------------------------------------------------------------------------------------------------------


def _consistent_velocity(
    system: System, rows: Sequence[int], time: float, q: Array, held: Sequence[int], conditions: Sequence[Condition]
) -> tuple[Array, list[str], list[RunWarning]]:
    given = given_velocities(system)
    for k in held:
        if k not in given:
            raise ModelError(
                f"the velocity of {system.columns[k]} was not given, so there is nothing to hold; give it with its body, or "
                f'initial={{"{_rate_name(system, k)}": …}}.'
            )
    scales = system.column_scales()
    chosen = np.zeros((len(held), system.n_columns))
    chosen[range(len(held)), list(held)] = 1.0
    pick = Conditions(chosen, np.array([given[k] / scales[k] for k in held]))
    soft = {k: x for k, x in given.items() if k not in held}
    if conditions:
        v = _with_rates(system, rows, time, q, soft, pick, conditions)
    else:
        v = start_velocity(system, rows, time, q, soft, pick if held else None)
    size = max(float(np.abs(v / scales).max()), 1e-300) if v.size else 1.0
    # a start at rest is rounding of the speeds with which weights would move the model
    nothing = max(MOVED * size, ROUNDING * math.sqrt(float(np.linalg.norm(system.model.gravity)) / system.length))
    changed, moved = [], []
    set_moving = {condition.label.partition(".")[0] for condition in conditions}
    for k, x in given.items():
        if x == 0.0 and k not in held and system.columns[k].rpartition(".")[0] in set_moving:
            continue  # at rest unless initial= names the body
        if abs(v[k] - x) / scales[k] > nothing:
            if k in held:
                raise AssemblyError(
                    f"the velocity of {system.columns[k]} is held at {x:g}, but the constraints do not allow it; hold another one."
                )
            changed.append(f"velocity of {system.columns[k]} changed from {x:.6g} to {v[k]:.6g}")
            moved.append((_rate_name(system, k), x, float(v[k]) if abs(v[k]) / scales[k] > 1e-12 * size else 0.0))
    return v, changed, _contradiction(moved, time)


def _contradiction(moved: Sequence[tuple[str, float, float]], time: float) -> list[RunWarning]:
    if not moved:
        return []
    told = "; ".join(f"{name} was given as {asked:.6g} and starts at {used:.6g}" for name, asked, used in moved[:NAMED])
    if len(moved) > NAMED:
        told += f"; and {len(moved) - NAMED} more"
    return [
        RunWarning(
            "start",
            f"the given starting velocities contradict each other, the joints or initial=, so the closest ones are used: {told}. Leave "
            f'out what should follow from the others, or keep what matters with hold=["{moved[0][0]}"].',
            time=time,
        )
    ]


def _with_rates(
    system: System, rows: Sequence[int], time: float, q: Array, given: dict[int, float], pick: Conditions,
    conditions: Sequence[Condition],
) -> Array:  # fmt: skip
    """Velocities under conditions on rates; formulas that are not linear in them are solved step by step."""
    wanted = RateConditions(system.model, conditions, time, q)
    targets = np.zeros(len(conditions))
    drawn = wanted.now(drawn_velocity(system))
    for k, condition in enumerate(conditions):
        if condition.value is None and not wanted.known_from(k, list(given_velocities(system))):
            raise ModelError(
                f"{condition.label} does not follow from the velocities given with the bodies, so there is nothing to hold; say what "
                f'it must be: initial={{"{condition.label}": …}}.'
            )
        targets[k] = drawn[k] if condition.value is None else condition.value
    v = drawn_velocity(system)
    random = np.random.default_rng(3)
    scales = system.column_scales()
    for _ in range(PASSES):
        hard = wanted.linear(v, targets)
        if not np.isfinite(hard.rows).all() or not np.abs(hard.rows).max(axis=1).all():
            # a formula such as hypot(P.vx, P.vy) has no direction at rest: try from some motion
            v = random.normal(size=v.size) * scales
            continue
        both = Conditions(np.vstack([pick.rows, hard.rows]), np.r_[pick.values, hard.values])
        before, v = v, start_velocity(system, rows, time, q, given, both)
        if np.abs((v - before) / scales).max(initial=0.0) <= 1e-14 * np.abs(v / scales).max(initial=1e-300):
            break
    found = wanted.now(v)
    for k, condition in enumerate(conditions):
        if not abs(found[k] - targets[k]) <= CONTRADICTION * max(
            abs(targets[k]), float(np.abs(v / scales).max(initial=0.0))
        ):
            kind = "held at" if condition.held else "asked to start at"
            texts = unlike(targets[k], found[k], digits=6)
            raise AssemblyError(
                f"{condition.label} is {kind} {texts[0]}, but the constraints and the other conditions allow {texts[1]}; ask for "
                "less, or for another value."
            )
    return v


# --- names ---------------------------------------------------------------------------------------------------------------


def _rate_name(system: System, column: int) -> str:
    """What a velocity is called: "crank.omega" for the column "crank.phi"."""
    owner, _, what = system.columns[column].rpartition(".")
    return next(
        (f"{owner}.{rate}" for rate, c in system.model.space.rates.items() if c == what), system.columns[column]
    )


def _held_columns(system: System, hold: Sequence[Any]) -> tuple[list[int], list[int], list[Any]]:
    """Columns whose position and whose velocity must stay as given, and what else is named."""
    if isinstance(hold, str):
        hold = [hold]
    space = system.model.space
    translations, rotations = space.columns[: space.dimension], space.columns[space.dimension :]
    positions = {
        **{c: (c,) for c in space.columns},
        "angle": rotations,
        "rotation": rotations,
        "position": translations,
    }
    velocities = {**{v: (c,) for v, c in space.rates.items()}, "omega": rotations, "velocity": translations}
    held_q: list[int] = []
    held_v: list[int] = []
    others: list[Any] = []
    for name in hold:
        if isinstance(name, Quantity):
            others.append(name)
            continue
        owner, _, what = str(name).rpartition(".")
        chosen = [f"{owner}.{c}" for c in {**positions, **velocities}.get(what, ("",))]
        if name in system.columns:
            chosen = [name]
        if all(column in system.columns for column in chosen):
            (held_v if what in velocities else held_q).extend(system.columns.index(column) for column in chosen)
        else:
            others.append(name)
            if str(name).rpartition(".")[0] in system.model.bodies and not _measured(system, str(name)):
                raise ModelError(
                    f"there is no coordinate {name!r} to hold; choose from: {', '.join(system.columns)} (or {', '.join(velocities)})."
                )
    return held_q, held_v, others


def _measured(system: System, name: str) -> bool:
    try:
        system.model.law_input(name, "hold=")
    except ModelError:
        return False
    return True
