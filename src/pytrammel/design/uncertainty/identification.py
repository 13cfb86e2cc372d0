"""Parameters found from measurements, with what the data say about them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from os import PathLike
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pytrammel._util.checks import checked
from pytrammel._util.messages import brief, number_of
from pytrammel.errors import RunWarning
from pytrammel.model.base import Model

Array = NDArray[np.float64]
FilePath = str | PathLike[str] | None


@brief
@dataclass(frozen=True)
class Identification:
    """Values of parameters for which a model gives what was measured.

    Attributes:
        model: The model with these values.
        values: By parameter, SI.
        std: Standard deviation of each; infinite where the data say nothing about it.
        intervals: Confidence interval of each.
        confidence: Probability with which an interval holds the true value.
        covariance, correlation: Of the values, in their order, shape (p, p).
        sigma: Standard deviation of the measurements, given or estimated, by series; of several runs: "rod.phi of experiment 2".
        p_value: Probability that measurements of the given sigma fit as badly or worse; NaN where sigma was estimated.
        measured: Times [s] and values, by series.
        fitted: What the model gives at these times, by series.
        converged: Whether the search came to rest.
        original: The model as it was.
        runs: How many variants were run.
        warnings: What is doubtful, e.g. parameters that the data cannot tell apart, with the warnings of the fitted runs.
    """

    model: Model = field(repr=False)
    values: Mapping[str, float]
    std: Mapping[str, float]
    intervals: Mapping[str, tuple[float, float]] = field(repr=False)
    confidence: float = field(repr=False)
    covariance: Array = field(repr=False)
    correlation: Array = field(repr=False)
    sigma: Mapping[str, float] = field(repr=False)
    p_value: float = field(repr=False)
    measured: Mapping[str, tuple[Array, Array]] = field(repr=False)
    fitted: Mapping[str, Array] = field(repr=False)
    converged: bool
    original: Model = field(repr=False)
    runs: int = field(repr=False)
    warnings: tuple[RunWarning, ...] = field(repr=False, default=())

    @property
    def residuals(self) -> dict[str, Array]:
        """Measured less fitted, by series, SI."""
        return {name: values - self.fitted[name] for name, (_, values) in self.measured.items()}

    def __str__(self) -> str:
        count = sum(values.size for _, values in self.measured.values())
        lines = [
            f"parameters of {self.original.name!r} from {number_of(count, 'measurement')}, {number_of(self.runs, 'run')}"
        ]
        for name, value in self.values.items():
            low, high = self.intervals[name]
            wide = (
                f"{100 * self.confidence:g} % within {low:.6g} to {high:.6g}"
                if math.isfinite(high)
                else "not told by the data"
            )
            lines.append(
                f"  {name}: {self.original.parameters[name].value:.6g} → {value:.6g} ± {self.std[name]:.3g}, {wide}"
            )
        for name, left in self.residuals.items():
            lines.append(
                f"  {name}: left over {np.sqrt(np.mean(left**2)):.3g} (root mean square), sigma {self.sigma[name]:.3g}"
            )
        if math.isfinite(self.p_value):
            lines.append(f"  p-value of the goodness of fit: {self.p_value:.2g}")
        return "\n".join(lines + [f"  warning: {warning}" for warning in self.warnings])

    @checked
    def plot_fit(self, path: FilePath = None, *, ax: Any = None) -> Any:
        """Measurements with what the model gives, and what is left over in standard deviations; returns the axes.

        Args:
            path: File to write (png, svg, pdf).
            ax: Axes to draw on, two sets per series; a figure of its own by default.
        """
        from pytrammel.view.plots.uncertainty import plot_fit

        return plot_fit(self.measured, self.fitted, self.sigma, ax=ax, path=path)
