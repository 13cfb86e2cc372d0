"""Energies at the start of a run, for results that begin later: works and balances count from there."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pytrammel.results.result import Result

ENERGIES = ("total", "input", "dissipated")


@dataclass(frozen=True)
class Origin:
    """Start of a run.

    Attributes:
        start: The result at the start alone; None for a stored result.
        stored: Energies by name, as `numbers` returned them before.
    """

    start: Result | None = None
    stored: Mapping[str, float] | None = None

    @cached_property
    def numbers(self) -> dict[str, float]:
        """Kinetic energy of every body ("b.kinetic"), and the energies of the whole ("energy.total") [J]."""
        if self.start is None:
            return dict(self.stored or {})
        run = self.start
        out: dict[str, Any] = {}
        if run.v is not None:
            out = {f"{b}.kinetic": run._body(b).kinetic_energy()[0] for b in list(run.model.bodies)[1:]}
        if run.dynamics is not None:
            out |= {f"energy.{name}": getattr(run.energy, name)[0] for name in ENERGIES}
        return {name: float(value) for name, value in out.items()}
