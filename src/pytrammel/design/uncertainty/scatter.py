"""How a quantity scatters because of tolerances: contributions, worst case, statistics; it explains itself."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from os import PathLike
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pytrammel._util.checks import checked
from pytrammel._util.messages import brief
from pytrammel.design.uncertainty.worst_case import WorstCase
from pytrammel.errors import ModelError, RunWarning, tell
from pytrammel.model.base import Model

Array = NDArray[np.float64]
FilePath = str | PathLike[str] | None
CURVED = 0.1  # share of the linear range by which true extremes may differ without a word


@brief
@dataclass(frozen=True)
class Contribution:
    """What one tolerance does to the quantity, by its slope.

    Attributes:
        name: Of the parameter, or "pin A".
        tolerance: In words, SI.
        slope: Change of the quantity per unit, SI; for a pin in its worst direction.
        low, high: Changes of the quantity at the ends of the tolerance.
        shift: Change of the mean, where the tolerance is not even.
        half: Half the range.
        factor: Mean square of a pin's direction: 1/2, in space 1/3; 1 for parameters.
    """

    name: str
    tolerance: str
    slope: float
    low: float
    high: float
    shift: float
    half: float
    factor: float = 1.0

    @property
    def reach(self) -> float:
        """The larger of both changes."""
        return max(abs(self.low), abs(self.high))


@brief
@dataclass(frozen=True)
class MonteCarlo:
    """A quantity of many variants.

    Attributes:
        values: Of the quantity, shape (n,).
        table: Values of the variables, SI, shape (samples, n_variables).
        failed: How many variants could not be run.
    """

    values: Array = field(repr=False)
    table: Array = field(repr=False)
    failed: int

    @property
    def mean(self) -> float:
        return float(self.values.mean())

    @property
    def std(self) -> float:
        """Standard deviation."""
        return float(self.values.std(ddof=1))

    @checked
    def percentile(self, share: float) -> float:
        """The value that so many percent of the variants stay below."""
        if not 0.0 <= share <= 100.0:
            raise ModelError(f"share is {share:g}; it must be from 0 to 100 percent.")
        return float(np.percentile(self.values, share))


@brief
@dataclass(frozen=True)
class ToleranceResult:
    """What tolerances do to a quantity.

    Attributes:
        text: The quantity.
        nominal: Its value without deviations.
        contributions: Of each tolerance, by slopes; the largest first.
        sigmas: Standard deviations from the middle of a tolerance to its end.
        distribution: "normal" or "uniform".
        worst_case: Least and greatest value that runs inside all tolerances reach, and how they were searched; or None.
        monte_carlo: Values of many variants, or None.
        model: The model.
        warnings: What is doubtful: warnings of the nominal run, and one for each kind that other runs have, with their number.
    """

    text: str
    nominal: float
    contributions: tuple[Contribution, ...] = field(repr=False)
    sigmas: float = field(repr=False)
    distribution: str = field(repr=False)
    worst_case: WorstCase | None
    monte_carlo: MonteCarlo | None
    model: Model = field(repr=False)
    warnings: tuple[RunWarning, ...] = field(repr=False, default=())

    @property
    def extremes(self) -> tuple[float, float] | None:
        """Least and greatest value that runs inside all tolerances reach, or None."""
        return None if self.worst_case is None else self.worst_case.range

    @property
    def worst(self) -> tuple[float, float]:
        """Least and greatest value if everything deviates in the worst way, by slopes."""
        return (
            self.nominal + sum(part.low for part in self.contributions),
            self.nominal + sum(part.high for part in self.contributions),
        )

    @property
    def mean(self) -> float:
        """Mean, by slopes: the nominal value, moved by tolerances that are not even."""
        return self.nominal + sum(part.shift for part in self.contributions)

    @property
    def std(self) -> float:
        """Standard deviation by slopes (root of the sum of squares): independent deviations, spread as was asked."""
        return math.sqrt(sum(self._variance(part) for part in self.contributions))

    @checked
    def share(self, name: str) -> float:
        """Share of the variance that a parameter or pin ("pin A") brings."""
        own = next((part for part in self.contributions if part.name == name), None)
        if own is None:
            known = ", ".join(part.name for part in self.contributions)
            raise ModelError(f"there is no contribution {name!r}; there are: {known}.")
        return self._variance(own) / self.std**2 if self.std else 0.0

    def _variance(self, part: Contribution) -> float:
        if part.factor != 1.0:
            return part.factor * part.half**2
        return part.half**2 / (self.sigmas**2 if self.distribution == "normal" else 3.0)

    def _checked(self) -> ToleranceResult:
        """With a word where slopes do not tell the whole story; all warnings are printed."""
        out = self
        if self.extremes is not None:
            low, high = self.worst
            off = max(abs(self.extremes[0] - low), abs(self.extremes[1] - high))
            if off > CURVED * (high - low):
                said = RunWarning(
                    "curved", f"worst case of {self.text}: runs inside the tolerances reach {self.extremes[0]:.6g} to "
                    f"{self.extremes[1]:.6g}, but slopes predict {low:.6g} to {high:.6g}. Use the values of runs.",
                )  # fmt: skip
                out = replace(self, warnings=(*self.warnings, said))
        tell(out.warnings, out)
        return out

    def __str__(self) -> str:
        low, high = self.worst
        lines = [
            f"{self.text} of {self.model.name!r}: {self.nominal:.9g}",
            f"  worst case by slopes: {low:.6g} to {high:.6g} ({low - self.nominal:+.3g}, {high - self.nominal:+.3g})",
        ]
        if self.worst_case is not None:
            (a, b), searched = self.worst_case.range, self.worst_case.searched
            lines.append(
                f"  worst case by runs: {a:.6g} to {b:.6g} ({a - self.nominal:+.3g}, {b - self.nominal:+.3g}), both reached"
            )
            lines.append(f"    {searched}")
        lines.append(f"  statistics by slopes: mean {self.mean:.6g}, standard deviation {self.std:.3g}")
        if self.monte_carlo is not None:
            m = self.monte_carlo
            lines.append(
                f"  Monte Carlo, {m.values.size} variants: mean {m.mean:.6g}, standard deviation {m.std:.3g}, 95 % within "
                f"{m.percentile(2.5):.6g} to {m.percentile(97.5):.6g}"
            )
        width = max(len(part.name) for part in self.contributions)
        for part in self.contributions:
            share = 100.0 * self._variance(part) / self.std**2 if self.std else 0.0
            lines.append(
                f"  {part.name:<{width}}  {part.tolerance}: {part.low:+.3g} to {part.high:+.3g}, {share:.1f} % of the variance"
            )
        return "\n".join(lines + [f"  warning: {warning}" for warning in self.warnings])

    @checked
    def plot_tornado(self, path: FilePath = None, *, ax: Any = None) -> Any:
        """What each tolerance does, the largest at the top; returns the axes.

        Args:
            path: File to write (png, svg, pdf).
            ax: Axes to draw on; a figure of its own by default.
        """
        from pytrammel.view.plots.uncertainty import plot_tornado

        return plot_tornado(self, ax=ax, path=path)

    @checked
    def plot_histogram(self, path: FilePath = None, *, ax: Any = None) -> Any:
        """How often values came out in the Monte Carlo run, with the curve by slopes; returns the axes.

        Args:
            path: File to write (png, svg, pdf).
            ax: Axes to draw on; a figure of its own by default.
        """
        from pytrammel.view.plots.uncertainty import plot_histogram

        return plot_histogram(self, ax=ax, path=path)
