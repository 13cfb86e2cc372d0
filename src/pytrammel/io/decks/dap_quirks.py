"""What the original DAP would have done with a deck: what it does not check, its LU factors, its limits.

Nikravesh (1988), section 10.2: fixed-step Runge-Kutta without any look at the constraints, the full (N+M)² matrix factorised
with an absolute threshold and an untested last pivot, work arrays of fixed size.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from pytrammel._util.messages import number_of
from pytrammel.io.decks.dap_deck import DapDeck
from pytrammel.io.decks.dap_report import element_table, reaction_tables
from pytrammel.io.decks.deck_lines import asterisks, too_wide
from pytrammel.io.decks.kap_quirks import constraint_rows, factor, held_data, row_names

if TYPE_CHECKING:
    from pytrammel.results.result import Result

EPSLU = 1e-5
REALS, INTEGERS = 3000, 500  # sizes of the work arrays A and IA
MOST_FACTORED = 200  # reports whose matrix is factorised; the emulation is plain NumPy
ROUNDING = 1e-9  # typed numbers that satisfy the constraints to this are exact

Array = NDArray[np.float64]


def storage(deck: DapDeck) -> tuple[int, int]:
    """Reals and integers that DAP's work arrays A and IA must hold (section 10.2.1)."""
    c, n, m = deck.counts, deck.n_coordinates, deck.n_constraints
    reals = 4 * c["NR"] + 7 * c["NT"] + 3 * c["NG"] + c["NS"] + 12 * c["NSP"] + 7 * c["NB"] + 2 * c["NP"]
    reals += 3 * n + m + n * m + m + (n + m) + n + m + (n + m) ** 2 + 8 * n
    integers = 2 * c["NR"] + 2 * c["NT"] + 6 * c["NG"] + 2 * c["NS"] + 2 * c["NSP"] + c["NP"] + (n + m)
    return reals, integers


def residuals(deck: DapDeck) -> tuple[Array, Array]:
    """How far the typed coordinates and velocities violate the constraints, in DAP's row order, shape (M,) each."""
    q, v = deck.typed()
    phi, jac = constraint_rows(deck, q, deck.first)
    return phi, jac @ v


def dap_matrix(deck: DapDeck, q: Array) -> Array:
    """The matrix DAP factorises: masses and Jacobian, or the transposed Jacobian of a structure."""
    _, jac = constraint_rows(deck, q, 0.0)
    if deck.is_static:
        return jac.T
    mass = np.diag([x for b in deck.bodies for x in (b.mass, b.mass, b.inertia)])
    return np.block([[mass, jac.T], [jac, np.zeros((jac.shape[0],) * 2)]])


def compatibility_notes(deck: DapDeck, result: Result | None = None, epslu: float = EPSLU) -> list[str]:
    """Sentences about what DAP would have done differently, and what was done to the typed start.

    Args:
        deck: The deck.
        result: Our own result; without it (the run failed) only DAP's side is told.
        epslu: Smallest pivot of DAP's factors.
    """
    from pytrammel.io.decks.deck_redundancy import redundancy_notes

    notes = [*deck.notes, *_data_note(deck), *_storage_notes(deck), *_start_notes(deck, result)]
    if result is None or result.redundant:
        notes += redundancy_notes(deck)
    if deck.n_constraints == 0:
        notes.append("DAP cannot run a deck without constraints (M = 0); Trammel can.")
    notes += _factor_notes(deck, result, epslu)
    notes += _end_notes(deck)
    if deck.n_constraints:
        notes.append(
            "N in the table of reactions is about the centroid of that body, as in DAP: a pin shows one too. DAP leaves out the "
            "forces that hold grounded bodies."
        )
    if result is not None and len(result):
        notes += _overflow_notes(deck, result)
    return notes


def _end_notes(deck: DapDeck) -> list[str]:
    if deck.is_static:
        return []
    if deck.step == 0.0:
        return ["DAP would never have ended: with DT = 0 its time stands still."]
    after = deck.times()[-1] + deck.step
    return [f"DAP would have printed one more report, at t = {after:g} s: it tests the time after printing."]


def _data_note(deck: DapDeck) -> list[str]:
    data = held_data(deck)
    return [f"These typed coordinates are constants of the constraints, as in DAP: {data}."] if data else []


def _storage_notes(deck: DapDeck) -> list[str]:
    reals, integers = storage(deck)
    if reals <= REALS and integers <= INTEGERS:
        return []
    return [
        f"DAP would have stopped at once: the deck needs {reals} reals and {integers} integers, and its arrays A and IA hold "
        f"{REALS} and {INTEGERS}."
    ]


def _start_notes(deck: DapDeck, result: Result | None) -> list[str]:
    """Residual of the typed start, that DAP does not look at it, and what was changed."""
    phi, rate = (np.abs(r) for r in residuals(deck))
    notes = []
    parts = []
    for values, what in ((phi, "joints are open by up to"), (rate, "constraint velocities are off by up to")):
        if values.max(initial=0.0) > ROUNDING:
            parts.append(f"{what} {values.max():.2e} ({row_names(deck)[int(values.argmax())]})")
    if parts:
        notes.append(
            f"The typed state does not satisfy the constraints: {'; '.join(parts)}. DAP would not have noticed."
        )
    if result is None:
        return notes
    changed = _changes(deck, result)
    if changed:
        notes.append(f"The start was changed before the analysis: {'; '.join(changed)}.")
    elif parts:
        notes.append("It was taken as typed, as DAP did.")
    return notes


def _changes(deck: DapDeck, result: Result) -> list[str]:
    """Coordinates and velocities with which the analysis begins, where they are not those typed."""
    if not len(result) or result.v is None:
        return []
    q, v = deck.typed()
    tables = ((q, result.q[0], "{} moved"), (v, result.v[0], "velocity of {} changed"))
    return [
        f"{words.format(name)} from {typed[k]:.6g} to {used[k]:.6g}"
        for typed, used, words in tables
        for k, name in enumerate(result.coordinate_names)
        if abs(used[k] - typed[k]) > ROUNDING
    ]


def _factor_notes(deck: DapDeck, result: Result | None, epslu: float) -> list[str]:
    """Where DAP's factors break down, or get past a last pivot that it never tests."""
    if result is None or not len(result):
        times, states = [deck.first], [deck.typed()[0]]
    else:
        times, states = result.times[:MOST_FACTORED].tolist(), list(result.q[:MOST_FACTORED, : deck.n_coordinates])
    last_pivot = math.inf
    for time, q in zip(times, states, strict=True):
        factors = factor(dap_matrix(deck, q), epslu)
        if factors.singular_row >= 0:
            return [
                f"DAP would have printed ***THE MATRIX IS SINGULAR*** at t = {time:g} s: a pivot is smaller than {epslu:g}, its absolute "
                "threshold."
            ]
        last_pivot = min(last_pivot, abs(float(factors.lu[-1, -1])))
    if last_pivot < epslu:
        return [
            f"DAP never tests its last pivot, which is {last_pivot:.1e} here, below its threshold {epslu:g}: it would have divided by "
            "it in silence, even with a redundant last row."
        ]
    return []


def _overflow_notes(deck: DapDeck, result: Result) -> list[str]:
    count = asterisks(deck, result)
    tables = [table for sides in reaction_tables(deck, result).values() for _, table in sides]
    tables += [element_table(deck, result, k) for k in range(1, len(deck.elements) + 1)]
    count += sum(too_wide(table, 10) for table in tables)
    if not count:
        return []
    return [
        f"{number_of(count, 'value')} too wide for the columns of the report, with asterisks instead; --json has them all."
    ]
