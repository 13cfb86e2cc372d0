"""The answer of an optimisation, which explains itself."""

from __future__ import annotations

import functools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from os import PathLike
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pytrammel._util.checks import checked
from pytrammel._util.messages import brief, number_of
from pytrammel.design.analysis import VariantAnalysis
from pytrammel.design.optimization.problem import History
from pytrammel.errors import RunWarning, TrammelError
from pytrammel.model.base import Model
from pytrammel.results.result import Result

Array = NDArray[np.float64]
FilePath = str | PathLike[str] | None


@brief
@dataclass(frozen=True)
class Varied:
    """A parameter of an optimum.

    Attributes:
        name: Of the parameter.
        before, after: Its values, SI.
        low, high: Its bounds, SI; infinite where there are none.
        at_bound: "lower", "upper" or "".
        multiplier: By how much the objective changes per unit by which that bound is moved outwards, SI; 0 away from bounds.
    """

    name: str
    before: float
    after: float
    low: float
    high: float
    at_bound: str = ""
    multiplier: float = 0.0

    def __str__(self) -> str:
        span = f"  ({self.low:.6g} … {self.high:.6g})" if math.isfinite(self.low) or math.isfinite(self.high) else ""
        held = ""
        if self.at_bound:
            held = f", at its {self.at_bound} bound"
            if self.multiplier:
                held += f": moving it outwards changes the objective by {self.multiplier:.3g} per unit"
        return f"{self.name}: {self.before:.6g} → {self.after:.6g}{span}{held}"


@brief
@dataclass(frozen=True)
class Held:
    """A limit at an optimum.

    Attributes:
        text: As it was written.
        before, after: Its left side: the value that comes nearest to breaking it, SI; before is NaN if the model could not be run.
        limit: Its right side, SI.
        missed: By how much it is missed, SI; 0 if it holds.
        active: Whether it holds the design back.
        multiplier: By how much the objective changes per unit by which it is loosened, SI (for an equality: by which the right side grows).
    """

    text: str
    before: float
    after: float
    limit: float
    missed: float
    active: bool
    multiplier: float

    def __str__(self) -> str:
        if self.missed:
            return f"{self.text}: {self.after:.6g}, missed by {self.missed:.3g}"
        if not self.active:
            return f"{self.text}: {self.after:.6g}, holds"
        if not self.multiplier:
            return f"{self.text}: {self.after:.6g}, active"
        what = "raising its right side" if "==" in self.text else "loosening it"
        return f"{self.text}: {self.after:.6g}, active: {what} changes the objective by {self.multiplier:.3g} per unit"


@brief
@dataclass(frozen=True)
class Optimum:
    """The best design that was found.

    Attributes:
        model: The model with the values found.
        values: Values of the parameters that were varied, SI, by name.
        objective: What was asked for, at these values; half the sum of squares for least_squares.
        converged: Whether the design keeps all limits and no slope is left that they do not hold (or the search came to rest).
        message: Why the search ended.
        text: What was asked for.
        before: The objective of the model as it was; NaN if that could not be run.
        parameters: Before and after of each, and which bound it is at.
        limits: Before and after of each limit, whether it is active and what it costs.
        kkt_residual: Slope of the objective that nothing holds, as a share of that at the start, per range of a parameter.
        history: Everything that was tried.
        runs: How many variants were run; derivatives were found at `n_gradients` of them.
        n_gradients: See there.
        failed: What happened to variants that could not be run, with how often.
        inexact: Why derivatives were differences of whole runs; "" if they were exact.
        method: Of the search.
        original: The model as it was.
        analysis: What was run.
        warnings: What is doubtful, with the warnings of the run of the design found.
    """

    model: Model = field(repr=False)
    values: Mapping[str, float]
    objective: float
    converged: bool
    message: str
    text: str
    before: float = field(repr=False)
    parameters: tuple[Varied, ...] = field(repr=False)
    limits: tuple[Held, ...] = field(repr=False)
    kkt_residual: float = field(repr=False)
    history: History = field(repr=False)
    runs: int = field(repr=False)
    n_gradients: int = field(repr=False)
    failed: Mapping[str, int] = field(repr=False)
    method: str = field(repr=False)
    original: Model = field(repr=False)
    analysis: VariantAnalysis = field(repr=False)
    sign: float = field(repr=False, default=1.0)
    inexact: str = field(repr=False, default="")
    warnings: tuple[RunWarning, ...] = field(repr=False, default=())

    @functools.cached_property
    def result(self) -> Result:
        """The run of the design found."""
        return self.analysis.run(self.model)

    @functools.cached_property
    def result_before(self) -> Result:
        """The run of the model as it was, as far as it goes."""
        try:
            return self.analysis.run(self.original)
        except TrammelError as error:
            if not isinstance(error.partial, Result):
                raise
            return error.partial

    @property
    def active(self) -> tuple[str, ...]:
        """Limits and bounds that hold the design back."""
        bounds = [f"{p.name} at its {p.at_bound} bound" for p in self.parameters if p.at_bound]
        return (*(limit.text for limit in self.limits if limit.active), *bounds)

    def __str__(self) -> str:
        lines = [f"{self.text} of {self.original.name!r}: {self.objective:.9g}{self._gain()}"]
        state = "converged" if self.converged else "not converged"
        lines.append(f"  {state}: {self.message}")
        lines.append(f"  {self.method}, {self._counted()}")
        lines += [f"  {each}" for each in self.parameters]
        lines += [f"  {each}" for each in self.limits]
        if not self.active:
            lines.append("  no limit or bound is active")
        return "\n".join(lines + [f"  warning: {warning}" for warning in self.warnings])

    def _gain(self) -> str:
        if not math.isfinite(self.before):
            return ", before: the model could not be run"
        if not self.before:
            return f", before {self.before:.6g}"
        change = (self.objective - self.before) / abs(self.before)
        return f", before {self.before:.6g} ({100 * change:+.3g} %)"

    def _counted(self) -> str:
        lost = ", ".join(f"{count} {what}" for what, count in self.failed.items())
        told = f"; of those that could not be run, {lost}" if lost else ""
        how = " (by differences of whole runs)" if self.inexact else ""
        return f"{number_of(self.runs, 'run')}, {self.n_gradients} with derivatives{how}{told}"

    # --- pictures --------------------------------------------------------------------------------------------------------

    @checked
    def plot_convergence(self, path: FilePath = None, *, ax: Any = None) -> Any:
        """Objective of every variant that was tried, the best so far, and how much limits were missed; returns the axes.

        Args:
            path: File to write (png, svg, pdf).
            ax: Axes to draw on, one set, or two where there are limits; a figure of its own by default.
        """
        from pytrammel.view.plots.designs import plot_convergence

        return plot_convergence(self.history, self.text, self.sign, bool(self.limits), ax=ax, path=path)

    @checked
    def plot_design_space(self, path: FilePath = None, *, kind: str = "scatter") -> Any:
        """All that was tried: every parameter over every other, coloured by the objective; returns the axes.

        Args:
            path: File to write (png, svg, pdf).
            kind: "scatter" for a matrix of plots, "parallel" for one line per variant across all parameters.
        """
        from pytrammel.view.plots.designs import plot_design_space

        spans = [(p.low, p.high) for p in self.parameters]
        best = np.array([p.after for p in self.parameters])
        names = [p.name for p in self.parameters]
        return plot_design_space(self.history, names, spans, best, self.text, kind=kind, path=path)

    @checked
    def draw(self, path: FilePath = None, *, ax: Any = None, time: float | None = None) -> Any:
        """Both designs beside each other, as it was and as it is; returns the axes.

        Args:
            path: File to write (png, svg, pdf).
            ax: Two sets of axes to draw on; a figure of its own by default.
            time: The instant [s]; the first one by default.
        """
        from pytrammel.view.plots.designs import draw_pair

        return draw_pair(self.result_before, self.result, ax=ax, time=time, path=path)

    @checked
    def animate(
        self, path: FilePath = None, *, traces: Sequence[str] | None = None, duration: float | None = None
    ) -> Any:
        """Both designs in motion beside each other, before and after, as one HTML page.

        Args:
            path: File to write (.html). Without a path the animation comes back, and plays in a notebook.
            traces: Points whose paths are shown; all points of interest by default.
            duration: Length of the animation [s], as in `Result.animate`.
        """
        from pytrammel.view.plots.designs import animate_pair

        runs = {"before": self.result_before, "after": self.result}
        return animate_pair(runs, self.original.name, path, traces=traces, duration=duration)
