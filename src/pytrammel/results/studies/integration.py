"""Solutions of plain differential equations."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pytrammel._util.checks import checked
from pytrammel._util.messages import brief, number_of, short
from pytrammel.errors import ModelError, RunWarning
from pytrammel.results.events import EventReport
from pytrammel.results.forces.dynamics import MethodUse

Array = NDArray[np.float64]


@brief
@dataclass(frozen=True)
class Effort:
    """How an integration went.

    Attributes:
        steps, rejected, evaluations: Accepted steps, rejected steps, evaluations of the rates.
        seconds: Time of the machine [s].
    """

    steps: int
    rejected: int
    evaluations: int
    seconds: float


@brief
@dataclass(frozen=True, eq=False)
class Integration:
    """A solution of differential equations at many instants.

    Attributes:
        names: States.
        times: Instants, shape (n,).
        y, rates: States and their derivatives, shape (n, states).
        method: Name of the method.
        statistics: How it went.
        events: What happened when.
        warnings: What is doubtful.
        interrupted: The run was ended by Ctrl-C.
        methods: What made the steps, from when on and why: more than one for ``method="auto"``.
        others: Quantities without derivatives, of implicit equations, shape (n,) each.
    """

    names: tuple[str, ...]
    times: Array
    y: Array
    rates: Array = field(repr=False)
    method: str
    statistics: Effort = field(repr=False)
    events: tuple[EventReport, ...] = ()
    warnings: tuple[RunWarning, ...] = ()
    interrupted: bool = False
    methods: tuple[MethodUse, ...] = field(default=(), repr=False)
    others: Mapping[str, Array] = field(default_factory=dict, repr=False)

    def __len__(self) -> int:
        return len(self.times)

    def __getitem__(self, name: str | int) -> Array:
        """A state along the instants by name or number; with a prime more than a state has, its derivative: "x", "x'", 0."""
        if name in self.names:
            return self.y[:, self.names.index(str(name))]
        if isinstance(name, str) and name.endswith("'") and name[:-1] in self.names:
            return self.rates[:, self.names.index(name[:-1])]
        if name in self.others:
            return self.others[str(name)]
        number = isinstance(name, int | np.integer) and not isinstance(name, bool)
        if number and -len(self.names) <= int(name) < len(self.names):
            return self.y[:, int(name)]
        raise ModelError(
            f"there is no state {short(name)}; there are: {', '.join(self.names)}, and their derivatives (')."
        )

    @property
    def final(self) -> dict[str, float]:
        """States at the last instant by name."""
        return dict(zip(self.names, map(float, self.y[-1]), strict=True))

    def to_dict(self) -> dict[str, Array]:
        """Columns by name, "t" first; states, then derivatives that are not states themselves."""
        more = [name + "'" for name in self.names if name + "'" not in self.names]
        return {"t": self.times, **{name: self[name] for name in (*self.names, *more)}, **self.others}

    @checked
    def plot(self, *names: str | int, ax: Any = None, path: str | Path | None = None) -> Any:
        """Plot states over time, all of them by default; returns the axes.

        Args:
            names: States or derivatives; see `__getitem__`.
            ax: Axes to draw on; a figure of its own by default.
            path: File to write (png, svg, pdf).
        """
        from pytrammel.view.plots.numbers import plot_series

        chosen = names or self.names
        wrong = [name for name in chosen if not isinstance(name, str) and not 0 <= name < len(self.names)]
        if wrong:
            raise ModelError(f"plot: there is no state {wrong[0]}; there are {len(self.names)}, counted from 0.")
        label = [name if isinstance(name, str) else self.names[name] for name in chosen]
        series = [(text, "", self[name]) for text, name in zip(label, chosen, strict=True)]
        return plot_series(self.times, series, ax=ax, path=path, time_unit="–")

    def __str__(self) -> str:
        s = self.statistics
        lines = [
            f"{number_of(len(self), 'instant')} from t = {self.times[0]:g} to {self.times[-1]:g} by {self.method}: "
            f"{number_of(s.steps, 'step')}, {s.rejected} rejected, {number_of(s.evaluations, 'evaluation')}"
        ]
        for name in self.names:
            values = self[name]
            lines.append(f"  {name}: {values.min():.6g} … {values.max():.6g}, at the end {values[-1]:.10g}")
        changes = self.methods if len(self.methods) > 1 else ()
        return "\n".join([*lines, *(f"  {each}" for each in (*self.events, *changes))])
