"""Equations between velocities in kinematics: whether they are integrable, and positions that follow by integrating them.

Rows w(q, t) (v, 1) = 0, holonomic ones among them, leave directions X = (v, tau) of positions and time. They hold between positions if
and only if for any two of these directions (Frobenius)

    d w(X, Y) = X(w Y) - Y(w X) - w [X, Y] = 0 .

Drivers do not count: with them the motion is a single curve, on which every equation is integrable, but where it leads would depend on
the way that the drivers took before.
"""

from __future__ import annotations

import math
import time as clock
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pytrammel.analysis.positions.assembly import closed_from
from pytrammel.errors import MobilityError
from pytrammel.kernels import layout as L
from pytrammel.kernels.instant import NOTE_ANGLE, NOTE_SIZE
from pytrammel.kernels.jit import prepare
from pytrammel.kernels.kinematics import CURSOR_SIZE, CURSOR_STARTED, CURSOR_TIME, LAST_ANGLE, begin_cursor
from pytrammel.kernels.rows import rows_run
from pytrammel.system.lowering import System
from pytrammel.system.pattern import pattern
from pytrammel.system.positions import coordinate_steps, moved

Array = NDArray[np.float64]
Kernel = Callable[[Array, Array, Array, Array, Array, Array, Array, Array], tuple[int, int, float]]

STEP = 1e-4  # step of positions in scales, for differences of fourth order with errors of about 1e-12
CURVED = 1e-7  # largest curvature of an integrable equation, relative to the equation
RANK = 1e-7  # singular values of independent rows of norm one
LEAST_TIME = 1e-6  # share of time in a direction along which time passes, speeds of order one
SAMPLES = 4  # further positions for the test: curvature can vanish at a special position
REACH = 0.5  # distance of further positions, in scales
ALONG = 16  # output times of a run for the test
ACCURACY, SMALLEST = 1e-11, 1e-13  # relative error of a step, and absolute error in scales
FARTHEST = 0.8  # largest rotation in a step [rad]: turn counters need less than half a turn
HEARD = 0.1  # seconds that Ctrl-C may have to wait


@dataclass(frozen=True)
class Curvature:
    """By how much a row fails to be integrable, along which two coordinates, at which row."""

    size: float
    row: int
    columns: tuple[str, str]


def velocity_rows(system: System, rows: Sequence[int]) -> list[int]:
    """Return the constraint equations that restrain velocities only."""
    return [k for k in rows if system.rows[k].velocity_only]


def refuse_not_integrable(system: System, rows: Sequence[int], q: Array, time: float) -> None:
    """Raise a MobilityError if the constraints on velocities among some rows cannot be integrated.

    Args:
        system: The system.
        rows: Active constraint equations, drivers included.
        q, time: Assembled position; positions near it are checked as well.
    """
    owners = sorted({system.rows[k].owner for k in velocity_rows(system, rows)})
    if not owners:
        return
    prepare(["rows_run", "assemble_run"])
    lasting = [k for k in rows if not system.rows[k].is_driver or system.rows[k].velocity_only]
    refuse_contradicting(system, lasting, q, time)
    for place, at in ((q, time), *_places_near(system, lasting, q, time)):
        _refuse_curvature(system, lasting, place, at)


def refuse_curved(system: System, rows: Sequence[int], q: Array, time: float) -> None:
    """Raise a MobilityError if the distribution that some rows leave is curved or empty at one position."""
    lasting = [k for k in rows if not system.rows[k].is_driver or system.rows[k].velocity_only]
    refuse_contradicting(system, lasting, q, time)
    _refuse_curvature(system, lasting, q, time)


def _refuse_curvature(system: System, lasting: Sequence[int], q: Array, time: float) -> None:
    found = curvature(system, lasting, q, time)
    if found is None or found.size <= CURVED:
        return
    first, second = found.columns
    raise MobilityError(
        f"{system.rows[found.row].owner!r} restrains velocities only and is not integrable: after small steps along {first} and {second} "
        f"the mechanism is elsewhere than after the same steps in the other order (off by {found.size:.3g} of their product at t = "
        f"{time:.6g} s; the limit is {CURVED:g}). So positions depend on the way taken and kinematics cannot place the bodies; use "
        "simulate, in which drivers act too."
    )


def refuse_contradicting(system: System, rows: Sequence[int], q: Array, time: float) -> None:
    """Raise a MobilityError if no velocities satisfy some rows at one position, where one of them restrains velocities only."""
    forms = _forms(system, rows, q, time)
    if _lets_time_pass(forms):
        return
    among = [k for k, row in enumerate(rows) if system.rows[row].velocity_only]
    blamed = [k for k in among if _lets_time_pass(np.delete(forms, k, axis=0))]
    if not blamed:
        return
    v, *_ = np.linalg.lstsq(*_without(forms, blamed[-1]), rcond=RANK)
    row = system.rows[rows[blamed[-1]]]
    off = abs(float(forms[blamed[-1], :-1] @ v + forms[blamed[-1], -1]))
    off *= float(system.row_scales()[rows[blamed[-1]]])
    raise MobilityError(
        f"constraint {row.owner!r} contradicts the others at t = {time:.6g} s: with velocities that satisfy them it is off by "
        f"{off:.3g} {row.unit}/s. Remove it, or let it agree with the others."
    )


def speed_gaps(system: System, rows: Sequence[int], q: Array, v: Array, time: float) -> Array:
    """Violation of some rows by velocities, relative to the sum of the magnitudes of their terms, shape (rows,)."""
    forms = _forms(system, rows, q, time)
    terms = forms * np.append(v / system.column_scales(), 1.0)
    sizes = np.abs(terms).sum(axis=1)
    return np.asarray(np.abs(terms.sum(axis=1)) / np.where(sizes > 0.0, sizes, 1.0))


def _without(forms: Array, k: int) -> tuple[Array, Array]:
    """Matrix and right side of all rows but one."""
    others = np.delete(forms, k, axis=0)
    return others[:, :-1], -others[:, -1]


def _lets_time_pass(forms: Array) -> bool:
    """Return True if some velocities satisfy all rows (J, -nu)."""
    sizes = np.linalg.norm(forms[:, :-1], axis=1)
    most = float(np.abs(forms[:, -1] / np.maximum(sizes, 1e-300)).max(initial=0.0))
    if most == 0.0:
        return True
    free = _directions(forms / np.append(np.ones(forms.shape[1] - 1), most))
    return bool(np.abs(free[-1]).max(initial=0.0) > LEAST_TIME)


def curvature(system: System, rows: Sequence[int], q: Array, time: float) -> Curvature | None:
    """Return the largest curvature of the velocity equations on the distribution of all given equations, in scaled coordinates."""
    slipping = velocity_rows(system, rows)
    free = _directions(_forms(system, rows, q, time))
    if free.shape[1] < 2 or not slipping:
        return None
    found = _curvatures(system, slipping, free, q, time)
    r, first, second = (int(k) for k in np.unravel_index(int(found.argmax()), found.shape))
    names = (*system.columns, "t")
    x, y = free[:, first], free[:, second]
    most = np.abs(np.outer(x, y) - np.outer(y, x))
    one, two = (int(k) for k in np.unravel_index(int(most.argmax()), most.shape))
    return Curvature(float(found[r, first, second]), slipping[r], (names[one], names[two]))


def nonholonomic_rows(system: System, rows: Sequence[int], q: Array, time: float) -> list[int]:
    """Return the constraint equations on velocities that are not integrable together with some rows, near an assembled position."""
    slipping = velocity_rows(system, rows)
    if not slipping:
        return []
    prepare(["rows_run", "assemble_run"])
    curved = np.zeros(len(slipping), dtype=bool)
    for place, at in ((q, time), *_places_near(system, rows, q, time)):
        free = _directions(_forms(system, rows, place, at))
        if free.shape[1] > 1:
            curved |= _curvatures(system, slipping, free, place, at).max(axis=(1, 2)) > CURVED
    return [row for row, is_curved in zip(slipping, curved, strict=True) if is_curved]


def _curvatures(system: System, slipping: Sequence[int], free: Array, q: Array, time: float) -> Array:
    """Curvature of velocity equations along pairs of directions, relative to the equations, shape (equations, k, k)."""
    columns, scales = system.n_columns, system.column_scales()
    own = _forms(system, slipping, q, time)
    sizes = np.maximum(np.linalg.norm(own, axis=1), 1e-300)
    changes = np.array([_slope(system, slipping, q, time, x) for x in free.T])  # direction, row, column
    pairs = np.einsum("irc,cj->rij", changes, free)
    found = pairs - pairs.swapaxes(1, 2)
    for i, x in enumerate(free.T):
        for j, y in enumerate(free.T[:i]):
            bracket = own[:, :columns] @ _bracket(system, x[:columns] * scales, y[:columns] * scales, scales)
            found[:, i, j] -= bracket
            found[:, j, i] += bracket
    return np.asarray(np.abs(found) / sizes[:, None, None])


def _forms(system: System, rows: Sequence[int], q: Array, time: float) -> Array:
    """Rows (J, -nu) in scaled coordinates and time, shape (rows, columns + 1)."""
    order = pattern(system, rows)
    entries = np.zeros(int(system.ints[L.N_JACOBIAN]) + 1)
    phi, nu, gamma = (np.zeros(max(1, len(rows))) for _ in range(3))
    rows_run(
        system.ints, system.floats, order, float(time), q.copy(), np.zeros(system.n_columns), entries, phi, nu, gamma
    )
    place = {int(row): k for k, row in enumerate(order[int(order[L.P_AT_ROWS]) :][: len(rows)])}
    out = np.zeros((len(rows), system.n_columns + 1))
    for k, row in enumerate(rows):
        for e, column in enumerate(system.row_columns[row]):
            if column >= 0:
                out[k, column] += entries[system.row_entries[row] + e]
        out[k, -1] = -nu[place[row]]
    out[:, :-1] *= system.column_scales()
    return np.asarray(out / system.row_scales()[list(rows)][:, None])


def _directions(forms: Array) -> Array:
    """Orthonormal basis of what the rows leave, shape (columns + 1, k)."""
    sizes = np.linalg.norm(forms, axis=1)
    _, values, right = np.linalg.svd(forms / np.maximum(sizes, 1e-300)[:, None])
    return np.asarray(right[int((values > RANK).sum()) :].T)


def _slope(system: System, rows: Sequence[int], q: Array, time: float, x: Array) -> Array:
    """Derivative of the rows along a direction of positions and time, by central differences of fourth order."""
    step = x[:-1] * system.column_scales()

    def at(h: float) -> Array:
        return _forms(system, rows, moved(system, q, h * step), time + h * float(x[-1]))

    return np.asarray((8.0 * (at(STEP) - at(-STEP)) - (at(2.0 * STEP) - at(-2.0 * STEP))) / (12.0 * STEP))


def _bracket(system: System, x: Array, y: Array, scales: Array) -> Array:
    """Bracket of two constant fields of velocities: rotations about body axes do not commute."""
    out = np.zeros(x.size)
    if system.model.space.dimension == 3:
        n = 6 * (len(system.model.bodies) - 1)
        turns = np.cross(x[:n].reshape(-1, 6)[:, 3:], y[:n].reshape(-1, 6)[:, 3:])
        out[:n].reshape(-1, 6)[:, 3:] = turns
    return np.asarray(out / scales)


def _places_near(system: System, rows: Sequence[int], q: Array, time: float) -> list[tuple[Array, float]]:
    """Some positions and times that the rows allow, off the given one."""
    draw, out = np.random.default_rng(1), []
    for _ in range(SAMPLES):
        free = _directions(_forms(system, rows, q, time))
        if not free.shape[1]:
            break
        way = free @ draw.normal(size=free.shape[1])
        way *= REACH / max(float(np.abs(way[:-1]).max()), abs(float(way[-1])), 1e-300)
        at = time + abs(float(way[-1]))
        place = closed_from(system, rows, at, moved(system, q, way[:-1] * system.column_scales()))
        if place is not None and np.isfinite(place).all():
            out.append((place, at))
    return out


# --- following -----------------------------------------------------------------------------------------------------------


class Follower:
    """Follows positions by integrating velocities, DOP853; every position is put onto the constraints on positions.

    It calls the kernel of kinematics for each single position.
    """

    def __init__(self, system: System, kernel: Kernel) -> None:
        self.system, self.kernel = system, kernel
        self.step: float | None = None
        self.status = L.OK

    def run(
        self, times: Array, cursor: Array, at: Array, Q: Array, V: Array, A: Array, notes: Array
    ) -> tuple[int, int, float]:
        """Follow the motion from the cursor, filling one row per time, for as long as Ctrl-C can wait."""
        began = clock.perf_counter()
        for k, goal in enumerate(map(float, times)):
            if cursor[CURSOR_STARTED] == 0.0:
                found = self._solved(goal, at[0])
                if found is None:
                    return k, self.status, goal
                at[:], note = found
                begin_cursor(cursor, goal, note[NOTE_ANGLE])
            if cursor[CURSOR_TIME] != goal and not self._go(goal, cursor, at):
                return k, self.status, float(cursor[CURSOR_TIME])
            found = self._solved(goal, at[0])
            if found is None:
                return k, self.status, goal
            at[:], notes[k] = found
            n = self.system.n_columns
            Q[k], V[k], A[k] = at[0], at[1, :n], at[2, :n]
            cursor[LAST_ANGLE] = notes[k, NOTE_ANGLE]
            if clock.perf_counter() - began > HEARD and k + 1 < times.size:
                return k + 1, L.PAUSED, goal
        return times.size, L.OK, float(cursor[CURSOR_TIME])

    def _solved(self, t: float, q: Array) -> tuple[Array, Array] | None:
        """Rows q, v, a and note at a time, from a position close by; None where there is no motion."""
        system, cursor = self.system, np.zeros(CURSOR_SIZE)
        begin = np.zeros((3, system.n_coordinates))
        begin[0] = _normed(system, q)
        place, speed, change = (np.zeros((1, n)) for n in (system.n_coordinates, system.n_columns, system.n_columns))
        note = np.zeros((1, NOTE_SIZE))
        count, status, _ = self.kernel(np.array([t]), cursor, begin, place, speed, change, note, np.zeros((0, 2)))
        if count == 0 or not all(np.isfinite(table).all() for table in (place, speed, change)):
            self.status = status if status not in (L.OK, L.PAUSED) else L.SINGULAR
            return None
        out = np.zeros((3, system.n_coordinates))
        out[0], out[1, : system.n_columns], out[2, : system.n_columns] = place[0], speed[0], change[0]
        return out, note[0]

    def _rates(self, t: float, q: Array) -> Array:
        found = self._solved(t, q) if np.isfinite(q).all() else None
        if found is None:
            return np.full(q.size, np.nan)  # the step is shortened
        return coordinate_steps(self.system, found[0][0], found[0][1, : self.system.n_columns])

    def _go(self, goal: float, cursor: Array, at: Array) -> bool:
        """Follow the motion to a time, back or forth; False where it ends before."""
        from scipy.integrate import DOP853

        scales = self._scales()
        while cursor[CURSOR_TIME] != goal:
            t, n = float(cursor[CURSOR_TIME]), self.system.n_columns
            left = abs(goal - t)
            turning = float(np.abs(at[1, :n][self._turns]).max(initial=0.0))
            longest = min(left, FARTHEST / turning if turning > 0.0 and self._counted else math.inf)
            first = min(longest, self.step or math.inf)
            solver = DOP853(
                self._rates, t, at[0], goal, rtol=ACCURACY, atol=SMALLEST * scales, max_step=longest,
                first_step=first if math.isfinite(first) and self.step else None,
            )  # fmt: skip
            while solver.status == "running":
                with np.errstate(all="ignore"):
                    solver.step()
                if solver.status == "failed":
                    return False
                found = self._solved(solver.t, solver.y)
                if found is None:
                    return False
                at[:], note = found
                cursor[CURSOR_TIME], cursor[LAST_ANGLE] = solver.t, note[NOTE_ANGLE]
                if solver.t != goal:
                    self.step = float(solver.h_abs)
                if self._counted:
                    break  # a new solver with new turn counters and speeds
        return True

    @property
    def _counted(self) -> bool:
        return bool(self.system.model.turns)

    @property
    def _turns(self) -> NDArray[np.bool_]:
        return np.array([unit == "rad" for unit in self.system.column_units], dtype=bool)

    def _scales(self) -> Array:
        """Sizes of the coordinates."""
        system, scales = self.system, self.system.column_scales()
        if system.model.space.dimension == 2:
            return np.asarray(scales)
        out = np.ones(system.n_coordinates)
        bodies = len(system.model.bodies) - 1
        own = out[: 7 * bodies].reshape(bodies, 7)
        own[:, :3] = scales[: 6 * bodies].reshape(bodies, 6)[:, :3]
        extras = len(system.extras)
        out[7 * bodies : 7 * bodies + extras] = scales[6 * bodies :]
        return out


def _normed(system: System, q: Array) -> Array:
    """A position with Euler parameters of norm one."""
    if system.model.space.dimension == 2:
        return q
    out, bodies = q.copy(), len(system.model.bodies) - 1
    own = out[: 7 * bodies].reshape(bodies, 7)
    own[:, 3:] /= np.linalg.norm(own[:, 3:], axis=1)[:, None]
    return out
