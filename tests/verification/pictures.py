"""Pictures of the verification manual: errors and tolerances, and curves with their references."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from verification.case import Case, Row

CURVES = 6  # panels in a picture of curves
LABEL, TITLE = 34, 48  # characters per line of labels and titles
MARKERS = 60  # largest number of markers of a panel
DENSE = 15  # least number of values that a line may join
FLOOR = 1e-17  # least error shown on the logarithmic scale


def margins(cases: Sequence[Case], path: Path) -> None:
    """Draw errors over tolerances of all comparisons of an area, both logarithmic."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    rows = [row for case in cases for row in case.rows]
    tolerance = np.array([row.tolerance for row in rows])
    error = np.array([max(row.error, FLOOR) for row in rows])
    figure, axes = plt.subplots(figsize=(6.4, 4.0), layout="constrained")
    if tolerance.min() == tolerance.max():
        _counts(axes, error, tolerance[0])
        figure.savefig(path, dpi=90)
        plt.close(figure)
        return
    span = np.array([tolerance.min() / 3, tolerance.max() * 3])
    axes.fill_between(span, FLOOR / 3, span, color="#e8f1e4", linewidth=0)
    axes.plot(span, span, color="#3f8f3f", linewidth=1, label="error equals tolerance")
    agree = error <= tolerance
    axes.plot(
        tolerance[agree], error[agree], "o", markersize=3.5, color="#1f6fb4", alpha=0.6, label=f"agree ({agree.sum()})"
    )
    if not agree.all():
        axes.plot(tolerance[~agree], error[~agree], "x", color="#c9541a", label=f"differ ({(~agree).sum()})")
    axes.set(xscale="log", yscale="log", xlabel="tolerance", ylabel="error", xlim=span, ylim=(FLOOR / 3, None))
    axes.legend(loc="lower right", frameon=False)
    figure.savefig(path, dpi=90)
    plt.close(figure)


def _counts(axes: Any, error: np.ndarray, tolerance: float) -> None:
    """Draw the number of comparisons per decade of the error, where all comparisons have one tolerance."""
    low, high = np.floor(np.log10(error.min())), np.ceil(np.log10(max(error.max(), tolerance)))
    axes.hist(error, bins=10.0 ** np.arange(low, high + 0.5), color="#1f6fb4", edgecolor="white", label="comparisons")
    axes.axvline(tolerance, color="#3f8f3f", linewidth=1.5, label=f"tolerance {tolerance:.0e}")
    axes.set(xscale="log", xlabel="error", ylabel="comparisons")
    axes.margins(y=0.25)  # room for the legend above the bars
    axes.legend(loc="upper left", frameon=False)


def with_curves(cases: Sequence[Case]) -> list[tuple[Case, Row]]:
    """Return rows with an abscissa, at most one per case, evenly spread over the cases."""
    found = [(case, row) for case in cases for row in case.rows if row.at is not None and np.ndim(row.reference) == 1]
    first = list({case.name: (case, row) for case, row in reversed(found)}.values())[::-1]
    if len(first) <= CURVES:
        return first
    return [first[k] for k in np.linspace(0, len(first) - 1, CURVES).round().astype(int)]


def curves(cases: Sequence[Case], path: Path) -> bool:
    """Draw references as circles and computed values as crosses over their abscissa; return False if no row has one."""
    chosen = with_curves(cases)
    if not chosen:
        return False
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    columns = min(3, len(chosen))
    rows = -(-len(chosen) // columns)
    figure, grid = plt.subplots(rows, columns, figsize=(3.4 * columns, 2.5 * rows), layout="constrained", squeeze=False)
    for axes in grid.flat[len(chosen) :]:
        axes.set_axis_off()
    for axes, (case, row) in zip(grid.flat, chosen, strict=False):
        order = np.argsort(row.at)
        at, reference, computed = (np.asarray(x, float)[order] for x in (row.at, row.reference, row.computed))
        marked = slice(None, None, -(-len(at) // MARKERS))
        axes.plot(at[marked], computed[marked], "x", color="#1f6fb4", markersize=4, label="Trammel")
        if row.curve is not None or len(at) >= DENSE:
            axes.plot(*(row.curve or (at, computed)), "-", color="#1f6fb4", linewidth=0.8)
        axes.plot(
            at[marked], reference[marked], "o", markersize=6, markerfacecolor="none", color="#c9541a", label="reference"
        )
        axes.set_title(textwrap.fill(case.name, TITLE), fontsize=8)
        axes.set_xlabel(row.axis, fontsize=8)
        label = f"{row.quantity} [{row.unit}]" if row.unit else row.quantity
        axes.set_ylabel(textwrap.fill(label, LABEL), fontsize=8)
        axes.tick_params(labelsize=7)
    grid.flat[0].legend(fontsize=7, framealpha=0.9)
    figure.savefig(path, dpi=90)
    plt.close(figure)
    return True
