"""What integration methods cost and how accurate they are, side by side."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pytrammel._util.checks import checked
from pytrammel._util.messages import brief
from pytrammel.errors import ModelError

Array = NDArray[np.float64]


@brief
@dataclass(frozen=True)
class Trial:
    """One run of one method.

    Attributes:
        method: Its name.
        setting: Tolerance rtol, or the length of fixed steps [s].
        fixed: Whether the setting is a length.
        error: Largest distance from the reference; not a number if the run failed.
        seconds, steps, evaluations: What it cost.
        drift, energy: Of models: largest violation of a constraint before it was put right [m, rad], largest error of the balance of
            energies [J]; else not a number.
        failure: Why the run failed; empty if it did not.
    """

    method: str
    setting: float
    fixed: bool
    error: float
    seconds: float
    steps: int
    evaluations: int
    drift: float = math.nan
    energy: float = math.nan
    failure: str = ""


@brief
@dataclass(frozen=True)
class MethodComparison:
    """Runs of several methods on the same problem.

    Attributes:
        trials: The runs.
        what: What the error is measured in.
        reference: How the reference was found.
        uncertainty: What the reference itself may be off by: smaller errors are not known.
    """

    trials: tuple[Trial, ...]
    what: str
    reference: str
    uncertainty: float

    def __len__(self) -> int:
        return len(self.trials)

    @checked
    def of(self, method: str) -> tuple[Trial, ...]:
        """Runs of one method."""
        found = tuple(trial for trial in self.trials if trial.method == method)
        if not found:
            raise ModelError(f"there is no method {method!r} here; there are: {', '.join(self.methods)}.")
        return found

    @property
    def methods(self) -> tuple[str, ...]:
        """Names of what was compared."""
        return tuple(dict.fromkeys(trial.method for trial in self.trials))

    @checked
    def cheapest(self, error: float) -> Trial | None:
        """The run with the fewest evaluations that is at least so accurate; None if there is none."""
        good = [trial for trial in self.trials if trial.error <= error]
        return min(good, key=lambda trial: trial.evaluations, default=None)

    def to_dict(self) -> dict[str, list[object]]:
        """Columns by name, one entry per run."""
        names = ("method", "setting", "error", "seconds", "steps", "evaluations", "drift", "energy", "failure")
        return {name: [getattr(trial, name) for trial in self.trials] for name in names}

    def table(self) -> str:
        """One line per run."""
        heads = ["method", "setting", "error", "time [s]", "steps", "evaluations"]
        model = any(math.isfinite(trial.drift) for trial in self.trials)
        heads += ["drift", "energy"] if model else []
        lines = [heads]
        for t in self.trials:
            setting = f"h = {t.setting:g}" if t.fixed else f"rtol = {t.setting:g}"
            error = (
                "failed"
                if t.failure
                else f"< {self.uncertainty:.1e}"
                if t.error < self.uncertainty
                else f"{t.error:.2e}"
            )
            line = [t.method, setting, error, f"{t.seconds:.2g}", str(t.steps), str(t.evaluations)]
            lines.append(line + ([f"{t.drift:.1e}", f"{t.energy:.1e}"] if model else []))
        return _aligned(lines)

    def __str__(self) -> str:
        return f"error: {self.what}, against {self.reference}\n{self.table()}"

    @checked
    def plot(self, path: str | Path | None = None, *, ax: Any = None) -> Any:
        """Work–precision picture: evaluations and time against the error, one line per method.

        Args:
            path: File to write (png, svg, pdf).
            ax: Axes to draw on, one set per panel; a figure of its own by default.

        Returns:
            The axes: one, or an array of them.
        """
        from pytrammel.view.plots.numbers import plot_lines

        def series(of: str) -> list[tuple[str, Array, Array]]:
            found = []
            for name in self.methods:
                runs = [t for t in self.of(name) if math.isfinite(t.error) and t.error > 0.0]
                found.append((name, np.array([t.error for t in runs]), np.array([float(getattr(t, of)) for t in runs])))
            return found

        panels = [("evaluations", series("evaluations")), ("time [s]", series("seconds"))]
        return plot_lines(panels, f"error ({self.what})", ax=ax, path=path)


@brief
@dataclass(frozen=True)
class FormulationComparison(MethodComparison):
    """Runs of the same motion in several formulations; `of`, `cheapest` and `to_dict` go by the name of the formulation.

    Attributes:
        sizes: By formulation: how many numbers are integrated, and how many rows hold by equations.
        refused: By formulation that cannot hold the model: why.
    """

    sizes: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    refused: Mapping[str, str] = field(default_factory=dict)

    @property
    def formulations(self) -> tuple[str, ...]:
        """Names of the formulations that were compared."""
        return self.methods

    def table(self) -> str:
        """One line per run, then the formulations that cannot hold the model."""
        lines = [
            ["formulation", "numbers", "rows", "rtol", "error", "time [s]", "steps", "evaluations", "drift", "energy"]
        ]
        for t in self.trials:
            error = (
                "failed"
                if t.failure
                else f"< {self.uncertainty:.1e}"
                if t.error < self.uncertainty
                else f"{t.error:.2e}"
            )
            numbers, rows = self.sizes[t.method]
            lines.append(
                [t.method, str(numbers), str(rows), f"{t.setting:g}", error, f"{t.seconds:.2g}", str(t.steps), str(t.evaluations),
                 f"{t.drift:.1e}", f"{t.energy:.1e}"]
            )  # fmt: skip
        return "\n".join([_aligned(lines), *(f"{name}: {why}" for name, why in self.refused.items())])

    @checked
    def plot(self, path: str | Path | None = None, *, ax: Any = None) -> Any:
        """Time and drift of the constraints against the error, one line per formulation with its size.

        Args:
            path: File to write (png, svg, pdf).
            ax: Axes to draw on, one set per panel; a figure of its own by default.

        Returns:
            The axes: one, or an array of them.
        """
        from pytrammel.view.plots.numbers import plot_lines

        def series(of: str, sizes: bool) -> list[tuple[str, Array, Array]]:
            found = []
            for name in self.methods:
                runs = [t for t in self.of(name) if math.isfinite(t.error) and t.error > 0.0]
                numbers, rows = self.sizes[name]
                label = f"{name}: {numbers} numbers, {rows} rows" if sizes else name
                xy = [np.array([float(getattr(t, key)) for t in runs]) for key in ("error", of)]
                found.append((label, xy[0], xy[1]))
            return found

        panels = [("time [s]", series("seconds", False)), ("drift of the constraints [m, rad]", series("drift", True))]
        return plot_lines(panels, f"error ({self.what})", ax=ax, path=path)


@brief
@dataclass(frozen=True, eq=False)
class ConvergenceStudy:
    """Errors of a method with fixed steps against their length.

    Attributes:
        method, order: The method.
        time_steps: Lengths, shape (n,).
        truncation: Largest error of a single step from the true solution, shape (n,).
        total: Largest error at the end of the run, from all steps (global error), shape (n,).
        rounding: What rounding does to the end of the run, shape (n,): the same run in other units differs by nothing else.
        uncertainty: What the reference itself may be off by.
    """

    method: str
    order: int
    time_steps: Array
    truncation: Array
    total: Array
    rounding: Array
    uncertainty: float = field(repr=False)

    def __len__(self) -> int:
        return len(self.time_steps)

    @property
    def best(self) -> float:
        """Length of the step with the smallest error at the end."""
        return float(self.time_steps[int(np.nanargmin(self.total))])

    @property
    def measured_order(self) -> float:
        """Slope of the global error where neither rounding nor the reference count; not a number if that is nowhere."""
        floor = np.maximum(100.0 * self.rounding, 100.0 * self.uncertainty)
        clean = np.isfinite(self.total) & (self.total > floor)
        chosen = np.flatnonzero(clean)[-3:]
        if chosen.size < 2:
            return math.nan
        return float(np.polyfit(np.log(self.time_steps[chosen]), np.log(self.total[chosen]), 1)[0])

    def to_dict(self) -> dict[str, Array]:
        """Columns by name."""
        names = ("time_steps", "truncation", "total", "rounding")
        return {name: getattr(self, name) for name in names}

    def table(self) -> str:
        """One line per length of step."""
        rows = zip(self.time_steps, self.truncation, self.total, self.rounding, strict=True)
        lines = [["time step", "of one step", "at the end", "by rounding"]]
        lines += [[f"{h:.3g}", *(f"{e:.2e}" for e in errors)] for h, *errors in rows]
        return _aligned(lines)

    def __str__(self) -> str:
        seen = f"order {self.order}, measured {self.measured_order:.2f}"
        return f"errors of {self.method} ({seen}); smallest at time_step = {self.best:.3g}\n{self.table()}"

    @checked
    def plot(self, path: str | Path | None = None, *, ax: Any = None) -> Any:
        """The three errors against the length of the steps.

        Args:
            path: File to write (png, svg, pdf).
            ax: Axes to draw on, one set per panel; a figure of its own by default.

        Returns:
            The axes: one, or an array of them.
        """
        from pytrammel.view.plots.numbers import plot_lines

        named = (("one step", self.truncation), ("whole run", self.total), ("rounding", self.rounding))
        lines = [(name, self.time_steps, errors) for name, errors in named]
        return plot_lines([("error", lines)], "time step", ax=ax, path=path)


def _aligned(lines: Sequence[Sequence[str]]) -> str:
    widths = [max(len(line[c]) for line in lines) for c in range(len(lines[0]))]
    return "\n".join(
        "  ".join(cell.rjust(width) for cell, width in zip(line, widths, strict=True)).rstrip() for line in lines
    )
