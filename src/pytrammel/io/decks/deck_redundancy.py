"""Redundant constraint equations of a deck by name (problem 5.16 of Nikravesh, 1988)."""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pytrammel._util.messages import number_of
from pytrammel.errors import TrammelError
from pytrammel.io.decks.deck_records import JointedDeck
from pytrammel.io.decks.kap_quirks import constraint_rows, row_names

DEPENDENT = 1e-7  # remainder of a row in the span of the rows before it, relative to the row
TAKES_PART = 1e-6  # coefficient limit of another row in a dependent one, relative to the dependent row

Array = NDArray[np.float64]


@dataclass(frozen=True)
class RedundantRow:
    """Constraint equation that others imply.

    Attributes:
        name: Row, e.g. "y of revolute6".
        line: Line of its record.
        others: Joints and constraints whose rows imply it.
    """

    name: str
    line: int
    others: tuple[str, ...]

    def __str__(self) -> str:
        follows = f", implied by {', '.join(self.others)}" if self.others else ""
        return f"{self.name} (line {self.line}{follows})"


def redundant_rows(deck: JointedDeck, q: Array, time: float) -> list[RedundantRow]:
    """Rows of the deck's Jacobian that depend on rows before them, in the order of KAP.

    Args:
        deck: The deck.
        q: Position in which the joints are closed, shape (3·NB,).
        time: Time [s].
    """
    jac = constraint_rows(deck, q, time)[1]
    size = float(np.abs(q.reshape(-1, 3)[:, :2]).max(initial=0.0)) or 1.0
    jac = jac * np.tile([size, size, 1.0], deck.counts["NB"])
    norms = np.linalg.norm(jac, axis=1)
    names, lines = row_names(deck), _row_lines(deck)
    kept: list[int] = []
    found = []
    for r, row in enumerate(jac):
        if norms[r] > 0.0 and not kept:
            kept.append(r)
            continue
        basis = (jac[kept] / norms[kept, None]).T
        shares = np.linalg.lstsq(basis, row, rcond=None)[0] if kept else np.zeros(0)
        remainder = np.linalg.norm(row - basis @ shares) if kept else 0.0
        if remainder > DEPENDENT * norms[r]:
            kept.append(r)
            continue
        owners = [_owner(names[k]) for k, share in zip(kept, shares, strict=True) if abs(share) > TAKES_PART * norms[r]]
        own = _owner(names[r])
        found.append(RedundantRow(names[r], lines[r], tuple(o for o in dict.fromkeys(owners) if o != own)))
    return found


def _owner(row: str) -> str:
    return row.rpartition(" of ")[2]


def _row_lines(deck: JointedDeck) -> list[int]:
    lines = [pin.line for pin in deck.revolutes for _ in range(2)]
    lines += [slide.line for slide in deck.translationals for _ in range(2)]
    lines += [line for line, _ in deck.grounded for _ in range(3)]
    return lines + [simple.line for simple in deck.simples] + [driver.line for driver in deck.drivers]


def redundancy_notes(deck: JointedDeck) -> list[str]:
    """Messages that name the redundant equations of a deck and surplus drivers; empty where there are none, or joints do not close."""
    from pytrammel.analysis.freedom.mobility import mobility
    from pytrammel.analysis.positions.assembly import assemble

    model = deck.model()
    try:
        found = mobility(model, time=deck.first)
        try:
            q = assemble(model, time=deck.first).q
        except TrammelError:
            q = assemble(model, drivers=False).q
    except TrammelError:
        return []
    notes = []
    if found.redundant:
        rows = redundant_rows(deck, q[: 3 * deck.counts["NB"]], deck.first)
        named = [str(row) for row in rows if not re.match(r"driver\d", row.name)]
        if named:
            what = "Redundant row" if len(named) == 1 else "Redundant rows"
            where = " in this position, which is singular" if found.singular else ""
            notes.append(f"{what}{where}: {'; '.join(named)}.")
    if found.drivers > found.dof:
        notes.append(f"{number_of(found.drivers, 'driver')} for {number_of(found.dof, 'degree of freedom')}.")
    return notes
