"""What the original KAP would have done with a deck: its Newton iteration, its LU factors, its limits.

Nikravesh (1988), sections 3.3, 3.4 and 5.1: undamped Newton–Raphson that stops on the size of the corrections (FEPS, the
same for lengths and radians), Crout factors with column pivoting, an absolute pivot threshold (EPS) and an untested last
pivot, work arrays of fixed size. Run in double precision; KAP itself used single.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from pytrammel._util.messages import number_of
from pytrammel.io.decks.deck_lines import PRINTED, asterisks
from pytrammel.io.decks.deck_records import DIRECTIONS, JointedDeck
from pytrammel.io.decks.kap_deck import KapDeck

if TYPE_CHECKING:
    from pytrammel.results.result import Result

REALS, INTEGERS = 500, 200  # sizes of the work arrays A and IA
MOST_EMULATED = 400  # reports followed; the emulation is plain NumPy
TRULY_SINGULAR = 1e-10  # reciprocal condition number of the equilibrated Jacobian
SINGLE = 6e-8  # rounding of single precision, relative
UNITS = sorted((10.0**k for k in range(-6, 7) if k), key=lambda factor: abs(math.log(factor)))  # factors of lengths

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Constants:
    """Constants that KAP's main routine sets before the analysis (section 5.1).

    Attributes:
        nrmax: Largest number of Newton iterations per position.
        feps: Largest correction after which Newton's iteration ends, lengths and radians alike.
        epslu: Smallest pivot of a regular matrix.
    """

    nrmax: int = 20
    feps: float = 1e-3
    epslu: float = 1e-3


def constraint_rows(deck: JointedDeck, q: Array, time: float) -> tuple[Array, Array]:
    """Constraints and Jacobian as the book writes them, unscaled, in the row order of KAP and DAP."""
    targets = _targets(deck, time)
    m = 2 * (len(deck.revolutes) + len(deck.translationals)) + len(targets)
    phi, jac = np.zeros(m), np.zeros((m, q.size))
    r = 0
    for pin in deck.revolutes:
        i, j = 3 * (pin.i - 1), 3 * (pin.j - 1)
        si, sj = _turned(q[i + 2], pin.p_i), _turned(q[j + 2], pin.p_j)
        phi[r : r + 2] = q[i : i + 2] + si - q[j : j + 2] - sj
        jac[r, [i, i + 2, j, j + 2]] = 1.0, -si[1], -1.0, sj[1]
        jac[r + 1, [i + 1, i + 2, j + 1, j + 2]] = 1.0, si[0], -1.0, -sj[0]
        r += 2
    for slide in deck.translationals:
        i, j = 3 * (slide.i - 1), 3 * (slide.j - 1)
        si, sj = _turned(q[i + 2], slide.p_i), _turned(q[j + 2], slide.p_j)
        a = si - _turned(q[i + 2], slide.q_i)
        d = q[j : j + 2] + sj - q[i : i + 2] - si
        phi[r] = a[0] * d[1] - a[1] * d[0]
        jac[r, i : i + 3] = a[1], -a[0], -a @ (d + si)
        jac[r, j : j + 3] = -a[1], a[0], a @ sj
        phi[r + 1] = q[i + 2] - q[j + 2] - (deck.estimates[slide.i - 1][2] - deck.estimates[slide.j - 1][2])
        jac[r + 1, [i + 2, j + 2]] = 1.0, -1.0
        r += 2
    for column, target in targets:
        phi[r] = q[column] - target
        jac[r, column] = 1.0
        r += 1
    return phi, jac


def _turned(angle: float, point: tuple[float, float]) -> Array:
    c, s = math.cos(angle), math.sin(angle)
    return np.array([c * point[0] - s * point[1], s * point[0] + c * point[1]])


def _targets(deck: JointedDeck, time: float) -> list[tuple[int, float]]:
    """Column and value of the ground, simple and driver rows."""
    rows = [(3 * (b - 1) + k, deck.estimates[b - 1][k]) for _, b in deck.grounded for k in range(3)]
    rows += [(3 * (s.body - 1) + s.direction - 1, deck.estimates[s.body - 1][s.direction - 1]) for s in deck.simples]
    return rows + [(3 * (d.body - 1) + d.direction - 1, d.at(time)) for d in deck.drivers]


def row_names(deck: JointedDeck) -> list[str]:
    """What each row belongs to, for messages."""
    names = [f"{xy} of revolute{k}" for k in range(1, len(deck.revolutes) + 1) for xy in "xy"]
    names += [f"{w} of slider{k}" for k in range(1, len(deck.translationals) + 1) for w in ("line", "angle")]
    names += [f"{w} of fix{k}" for k in range(1, len(deck.grounded) + 1) for w in DIRECTIONS]
    names += [f"simple{k}" for k in range(1, len(deck.simples) + 1)]
    return names + [f"driver{k}" for k in range(1, len(deck.drivers) + 1)]


@dataclass(frozen=True)
class Factors:
    """LU factors in one matrix, order of the columns, and the row whose pivot was below the threshold (-1: none)."""

    lu: Array
    order: NDArray[np.int64]
    singular_row: int

    def solve(self, rhs: Array) -> Array:
        n = rhs.size
        y = rhs.copy()
        for k in range(n):
            y[k] -= self.lu[k, :k] @ y[:k]
        with np.errstate(all="ignore"):  # the last pivot may be zero: KAP divides by it all the same
            for k in range(n - 1, -1, -1):
                y[k] = (y[k] - self.lu[k, k + 1 :] @ y[k + 1 :]) / self.lu[k, k]
        x = np.empty(n)
        x[self.order] = y
        return x


def factor(jac: Array, eps: float = Constants.epslu) -> Factors:
    """Factors with column pivoting and fixed row order; every pivot but the last is tested against `eps`."""
    a = jac.copy()
    n = a.shape[0]
    order = np.arange(n)
    for k in range(n - 1):
        best = k + int(np.argmax(np.abs(a[k, k:])))
        a[:, [k, best]] = a[:, [best, k]]
        order[[k, best]] = order[[best, k]]
        if abs(a[k, k]) < eps:
            return Factors(a, order, k)
        a[k + 1 :, k] /= a[k, k]
        a[k + 1 :, k + 1 :] -= np.outer(a[k + 1 :, k], a[k, k + 1 :])
    return Factors(a, order, -1)


@dataclass(frozen=True)
class KapRun:
    """How KAP's own run would have gone.

    Attributes:
        outcome: "finished", "singular" (***THE MATRIX IS SINGULAR***) or "diverged" (***CONVERGENCE FAILED***).
        time: Time of the last report, or of the failure [s].
        q, v, a: Position, velocity and acceleration at each report, shape (n, 3·NB).
        iterations: Newton iterations at each report.
        jac: Last Jacobian.
        row: Row at which the factors broke down.
        last_pivot: Smallest size of the pivot that is never tested.
    """

    outcome: str
    time: float
    q: Array
    iterations: tuple[int, ...]
    jac: Array
    row: int = -1
    last_pivot: float = math.inf
    v: Array = field(default_factory=lambda: np.zeros((0, 0)))
    a: Array = field(default_factory=lambda: np.zeros((0, 0)))


def emulate(
    deck: KapDeck,
    constants: Constants = Constants(),  # noqa: B008 frozen
    *,
    most: int = MOST_EMULATED,
    change: Array | float = 0.0,
) -> KapRun:
    """Follow the deck as KAP would, from the typed estimates on: each position is the start for the next.

    Args:
        deck: Deck with as many constraints as coordinates.
        constants: NRMAX, FEPS and EPSLU.
        most: Reports after which to stop.
        change: Changes of all estimates where the iteration starts, relative to the largest length, and in rad.
    """
    q = np.array(deck.estimates, dtype=float).ravel()  # INDRVR stores the driver and leaves the typed angle as it is
    lengths = float(np.abs(np.delete(q, np.s_[2::3])).max(initial=0.0))
    q += change * np.where(np.arange(q.size) % 3 == 2, 1.0, lengths)
    positions: list[tuple[Array, Array, Array]] = []
    counts: list[int] = []
    last_pivot = math.inf
    step = Step("finished", q, np.eye(q.size), 0)
    time = deck.first
    for instant in deck.times()[:most]:
        time = float(instant)
        step = _newton(deck, step.q, time, constants)
        last_pivot = min(last_pivot, step.last_pivot)
        if step.outcome != "finished":
            break
        positions.append((step.q, step.v, step.a))
        counts.append(step.iterations)
    q_table, v_table, a_table = (np.array([row[k] for row in positions]).reshape(-1, q.size) for k in range(3))
    return KapRun(step.outcome, time, q_table, tuple(counts), step.jac, step.row, last_pivot, v_table, a_table)


@dataclass(frozen=True)
class Step:
    """One Newton solution; see `KapRun` for the words."""

    outcome: str
    q: Array
    jac: Array
    iterations: int
    row: int = -1
    last_pivot: float = math.inf
    v: Array = field(default_factory=lambda: np.zeros(0))
    a: Array = field(default_factory=lambda: np.zeros(0))


def _newton(deck: KapDeck, q: Array, time: float, constants: Constants) -> Step:
    """NUTON2: the last correction is applied, and no residual is looked at."""
    last_pivot, jac = math.inf, np.eye(q.size)
    for iteration in range(1, constants.nrmax + 1):
        phi, jac = constraint_rows(deck, q, time)
        factors = factor(jac, constants.epslu)
        if factors.singular_row >= 0:
            return Step("singular", q, jac, iteration, factors.singular_row, last_pivot)
        last_pivot = min(last_pivot, abs(float(factors.lu[-1, -1])))
        correction = factors.solve(phi)
        if not np.isfinite(correction).all():
            return Step("diverged", q, jac, iteration, last_pivot=last_pivot)
        q = q - correction
        if np.abs(correction).max() <= constants.feps:
            return _with_rates(deck, Step("finished", q, jac, iteration, last_pivot=last_pivot), time, constants)
    return Step("diverged", q, jac, constants.nrmax, last_pivot=last_pivot)


def _with_rates(deck: KapDeck, step: Step, time: float, constants: Constants) -> Step:
    """KINEM: the velocity analysis factors the Jacobian again, at the corrected position; accelerations use the same factors."""
    jac = constraint_rows(deck, step.q, time)[1]
    factors = factor(jac, constants.epslu)
    if factors.singular_row >= 0:
        return replace(step, outcome="singular", jac=jac, row=factors.singular_row)
    first = jac.shape[0] - len(deck.drivers)
    nu = np.zeros(jac.shape[0])
    nu[first:] = [driver.velocity + driver.acceleration * time for driver in deck.drivers]
    v = factors.solve(nu)
    gamma = constraint_gamma(deck, step.q, v)
    gamma[first:] = [driver.acceleration for driver in deck.drivers]
    a = factors.solve(gamma)
    outcome = "finished" if np.isfinite(v).all() and np.isfinite(a).all() else "diverged"
    last_pivot = min(step.last_pivot, abs(float(factors.lu[-1, -1])))
    return replace(step, outcome=outcome, jac=jac, v=v, a=a, last_pivot=last_pivot)


def constraint_gamma(deck: JointedDeck, q: Array, v: Array) -> Array:
    """Right side of the acceleration equations as the book writes it, in the row order of KAP and DAP; 0 for drivers."""
    gamma = np.zeros(2 * (len(deck.revolutes) + len(deck.translationals)) + len(_targets(deck, 0.0)))
    r = 0
    for pin in deck.revolutes:
        i, j = 3 * (pin.i - 1), 3 * (pin.j - 1)
        gamma[r : r + 2] = _turned(q[i + 2], pin.p_i) * v[i + 2] ** 2 - _turned(q[j + 2], pin.p_j) * v[j + 2] ** 2
        r += 2
    for slide in deck.translationals:
        i, j = 3 * (slide.i - 1), 3 * (slide.j - 1)
        ax, ay = _turned(q[i + 2], slide.p_i) - _turned(q[i + 2], slide.q_i)
        (x, y), (xd, yd), spin = q[i : i + 2] - q[j : j + 2], v[i : i + 2] - v[j : j + 2], v[i + 2]
        gamma[r] = -spin * (2.0 * (ax * xd + ay * yd) + spin * (ax * y - ay * x))
        r += 2
    return gamma


def storage(deck: KapDeck) -> tuple[int, int]:
    """Reals and integers that KAP's work arrays A and IA must hold (Fig. 5.1 of the book)."""
    c = deck.counts
    n = m = 3 * c["NB"]
    reals = 4 * c["NR"] + 7 * c["NT"] + 3 * c["NG"] + c["NS"] + 3 * c["ND"] + 2 * c["NB"] + 2 * c["NP"]
    reals += 3 * n + m * n + m + n
    integers = 2 * c["NR"] + 2 * c["NT"] + 6 * c["NG"] + 2 * c["NS"] + 2 * c["ND"] + c["NP"] + n
    return reals, integers


def compatibility_notes(
    deck: KapDeck,
    result: Result | None = None,
    constants: Constants = Constants(),  # noqa: B008 frozen
    *,
    is_own: bool = False,
) -> list[str]:
    """Sentences about what KAP would have done differently, and which estimates it takes as data.

    Args:
        deck: The deck.
        result: Our own result; without it (the run failed) only KAP's side is told.
        constants: NRMAX, FEPS and EPSLU.
        is_own: The result is that of KAP's own algorithm, whose failure was reported.
    """
    from pytrammel.io.decks.deck_redundancy import redundancy_notes

    notes = [*deck.notes, *_data_note(deck)]
    if deck.excess or result is None or not len(result):
        notes += redundancy_notes(deck)
    if deck.excess:
        n = 3 * deck.counts["NB"]
        notes.append(
            f"KAP would have printed ***INPUT ERROR*** N= {n} M= {n + deck.excess} and asked for the counts again."
        )
        return notes + (_overflow_notes(deck, result) if result is not None and len(result) else [])
    run = emulate(deck, constants)
    notes += _storage_notes(deck)
    found = [] if is_own and run.outcome != "finished" else failure_notes(deck, run, constants)
    if result is not None and len(result):
        found += _position_notes(run, result, constants)
    sensitive = bool(found) and not is_own and run.last_pivot != 0.0
    notes += (_rounding_notes(deck, run, constants) if sensitive else []) or found
    return notes + (_overflow_notes(deck, result) if result is not None and len(result) else [])


def held_data(deck: JointedDeck) -> str:
    """Typed coordinates that are data, not guesses; empty if there are none."""
    data = [f"x, y, phi of body {body} (grounded)" for _, body in deck.grounded]
    data += [f"{DIRECTIONS[s.direction - 1]} of body {s.body} (simple constraint)" for s in deck.simples]
    data += [
        f"phi of body {s.j} minus phi of body {s.i} (slider{k})" for k, s in enumerate(deck.translationals, start=1)
    ]
    return "; ".join(data)


def _data_note(deck: KapDeck) -> list[str]:
    data = held_data(deck)
    return [f"These estimates are data, not guesses, as in KAP: {data}."] if data else []


def _storage_notes(deck: KapDeck) -> list[str]:
    reals, integers = storage(deck)
    if reals <= REALS and integers <= INTEGERS:
        return []
    return [
        f"KAP would have stopped at once: the deck needs {reals} reals and {integers} integers, and its arrays A and IA hold "
        f"{REALS} and {INTEGERS}."
    ]


def failure_notes(deck: KapDeck, run: KapRun, constants: Constants) -> list[str]:
    """Sentence on where KAP stops or divides by a pivot that it never tests; empty for a sound run."""
    if run.outcome == "singular":
        text = (
            f"KAP would have printed ***THE MATRIX IS SINGULAR*** at t = {run.time:g} s: the pivot of the row {row_names(deck)[run.row]} "
            f"is smaller than {constants.epslu:g}"
        )
        if _reciprocal_condition(run.jac) > TRULY_SINGULAR:
            text += ". The matrix is not singular: KAP's threshold is absolute"
            unit = _regular_unit(deck, run.jac, constants.epslu)
            text += f", and no pivot is below it with all lengths multiplied by {unit:g}" if unit else ""
        return [text + "."]
    if run.outcome == "diverged" and run.last_pivot == 0.0:
        return [
            f"KAP would have divided by zero at t = {run.time:g} s: its last pivot ({row_names(deck)[-1]}), the only one it never "
            "tests, is 0 there, in a singular position or for a redundant last row."
        ]
    if run.outcome == "diverged":
        return [
            f"KAP would have printed ***CONVERGENCE FAILED*** at t = {run.time:g} s: its undamped Newton iteration does not get "
            f"there in {constants.nrmax} steps from {'the estimates' if not run.iterations else 'the report before'}."
        ]
    if run.last_pivot < constants.epslu:
        return [
            f"KAP never tests its last pivot ({row_names(deck)[-1]}), which is {run.last_pivot:.1e} here, below its threshold "
            f"{constants.epslu:g}: it would have gone on in silence, even with a redundant last row."
        ]
    return []


def _rounding_notes(deck: KapDeck, run: KapRun, constants: Constants) -> list[str]:
    """Message on where the rounding of single precision decides how KAP's iteration ends; empty where it does not."""
    signs = np.where(np.arange(3 * deck.counts["NB"]) % 2, -1.0, 1.0)
    ends = []
    for change in (SINGLE, -SINGLE, SINGLE * signs):
        other = emulate(deck, constants, change=change)
        both = min(len(run.q), len(other.q))
        difference = run.q[:both] - other.q[:both]
        difference[:, 2::3] -= 2.0 * math.pi * np.round(difference[:, 2::3] / (2.0 * math.pi))
        apart = np.abs(difference).max(axis=1, initial=0.0) > constants.feps
        if apart.any():
            ends.append(int(np.argmax(apart)))
        elif run.outcome != other.outcome or len(run.q) != len(other.q):
            ends.append(both)
    if not ends:
        return []
    return [
        f"What KAP would have reported from t = {float(deck.times()[min(ends)]):g} s on depends on the rounding of its single precision: "
        f"its undamped Newton iteration from {'the report before' if min(ends) else 'the estimates'} ends elsewhere when the estimates "
        f"change by {SINGLE:g} of their size. Type estimates closer to a position of the mechanism."
    ]


def _regular_unit(deck: JointedDeck, jac: Array, eps: float) -> float:
    """Factor of all lengths with which no pivot of a Jacobian is below `eps`, the nearest power of ten to 1; 0 if there is none."""
    plain = np.zeros(jac.shape[0])  # powers of length in the rows
    pins, slides = 2 * len(deck.revolutes), 2 * len(deck.translationals)
    plain[:pins] = 1.0
    plain[pins : pins + slides : 2] = 2.0
    plain[pins + slides :] = [float(column % 3 != 2) for column, _ in _targets(deck, 0.0)]
    columns = np.where(np.arange(jac.shape[1]) % 3 == 2, 0.0, 1.0)
    for unit in UNITS:
        if factor(jac * unit ** (plain[:, None] - columns), eps).singular_row < 0:
            return unit
    return 0.0


def _reciprocal_condition(jac: Array) -> float:
    rows = np.abs(jac).max(axis=1, keepdims=True)
    if not rows.all():
        return 0.0
    scaled = jac / rows
    columns = np.abs(scaled).max(axis=0, keepdims=True)
    if not columns.all():
        return 0.0
    values = np.linalg.svd(scaled / columns, compute_uv=False)
    return float(values[-1] / values[0])


def _position_notes(run: KapRun, result: Result, constants: Constants) -> list[str]:
    """Other branch, whole turns, or an error that would show in the printed digits."""
    both = min(len(run.q), len(result))
    difference = run.q[:both] - result.q[:both, : run.q.shape[1]]
    turns = np.round(difference[:, 2::3] / (2.0 * math.pi))
    difference[:, 2::3] -= 2.0 * math.pi * turns
    worst = np.abs(difference).max(axis=1, initial=0.0)
    notes = []
    if (worst > constants.feps).any():
        k = int(np.argmax(worst > constants.feps))
        column = int(np.abs(difference[k]).argmax())
        what = f"{DIRECTIONS[column % 3]} of body {column // 3 + 1}"
        notes.append(
            f"KAP would have reported another position from t = {result.times[k]:g} s on: {what} = {run.q[k, column]:.4f} instead "
            f"of {result.q[k, column]:.4f}. Its Newton iteration lands on another branch, or stops early."
        )
    elif (worst > PRINTED).any():
        lengths = np.delete(np.abs(difference), np.s_[2::3], axis=1).max(initial=0.0)
        angles = np.abs(difference[:, 2::3]).max(initial=0.0)
        notes.append(
            f"KAP stops when corrections are below {constants.feps:g}, lengths and radians alike, and would have left errors of up to "
            f"{lengths:.1e} in length and {angles:.1e} rad."
        )
    elif turns.any():
        body = int(np.argmax(np.abs(turns).max(axis=0))) + 1
        notes.append(f"KAP would have counted the turns of body {body} otherwise; the position is the same.")
    return notes


def _overflow_notes(deck: KapDeck, result: Result) -> list[str]:
    count = asterisks(deck, result)
    if not count:
        return []
    return [
        f"{number_of(count, 'value')} too wide for the columns of the report, with asterisks instead; --json and --csv have them all."
    ]
