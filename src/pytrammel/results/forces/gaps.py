"""Gaps that redundant constraints keep within the closure_tolerance of their model."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pytrammel._util.messages import apart
from pytrammel.errors import RunWarning
from pytrammel.results.constraint_check import violations

if TYPE_CHECKING:
    from pytrammel.results.result import Result

OPEN = 0.1  # fraction of the largest gap from which on a constraint is open
ROUNDING = 1e-10  # gap in row scales that is rounding


@dataclass(frozen=True)
class Gap:
    """Constraint with redundant rows that stays open within closure_tolerance.

    Attributes:
        constraint: Name of the constraint.
        size: Gap [m, rad, 1].
        unit: Unit of the gap.
        limit: Largest gap that the model's closure_tolerance accepts, in the same unit.
        time: Time of the gap [s].
    """

    constraint: str
    size: float
    unit: str
    limit: float
    time: float

    def __str__(self) -> str:
        unit = "" if self.unit == "1" else f" {self.unit}"
        size, limit = apart(self.size, self.limit, 3)
        return f"{self.constraint!r} stays open by {size}{unit} (closure_tolerance accepts {limit}{unit})"


def largest_gaps(result: Result) -> tuple[Gap, ...]:
    """Largest gap of every redundant constraint of a run, if its model has a closure_tolerance."""
    if not result.model.closure_tolerance or not result.redundant or not len(result):
        return ()
    found: dict[str, tuple[float, Gap]] = {}
    # along joints other rows may be the exact ones than in body coordinates
    least = max(ROUNDING, OPEN * max((off for piece in result._pieces for _, off, _ in violations(piece)), default=0.0))
    for piece in result._pieces:
        slack = piece.model.closure_tolerance / piece._system.length
        for row, off, time in violations(piece):
            owner, unit = piece._system.rows[row].owner, piece._system.rows[row].unit
            scale = float(piece._system.row_scales()[row])
            large = off > (ROUNDING if owner in result.redundant else least)
            if large and off > found.get(owner, (0.0,))[0]:
                found[owner] = off, Gap(owner, off * scale, unit, slack * scale, time)
    return tuple(gap for _, gap in found.values())


def gap_warnings(gaps: Iterable[Gap]) -> tuple[RunWarning, ...]:
    """One warning per redundant constraint that stays open."""
    return tuple(
        RunWarning(
            "closure gap",
            f"constraint {gap} at t = {gap.time:.6g} s; the independent rows hold exactly, so that positions and shared "
            "reactions are uncertain by about the gap. State dimensions with more digits to reduce it.",
            time=gap.time,
        )
        for gap in gaps
    )
