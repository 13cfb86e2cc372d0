"""Pictures of uncertainty: tornado charts, histograms, and fits to measurements."""

from __future__ import annotations

from collections.abc import Mapping
from os import PathLike
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from pytrammel.errors import ModelError
from pytrammel.view.figure import as_given, given_axes, new_figure, saved
from pytrammel.view.plots.panels import finish, in_lines
from pytrammel.view.theme import current, curve_colour

if TYPE_CHECKING:
    from pytrammel.design.uncertainty.scatter import ToleranceResult

Array = NDArray[np.float64]
FilePath = str | PathLike[str] | None
LONGEST = 25  # bars of a tornado


def plot_tornado(scatter: ToleranceResult, *, ax: Any = None, path: FilePath = None) -> Any:
    """What each tolerance does; see `ToleranceResult.plot_tornado`."""
    parts = scatter.contributions[:LONGEST]
    (axes,) = given_axes(ax, 1, "a tornado chart") or [new_figure(7.2, 1.3 + 0.38 * len(parts)).add_subplot()]
    places = np.arange(len(parts))[::-1]
    for side, colour in (("low", curve_colour(0)), ("high", curve_colour(1))):
        lengths = [getattr(part, side) for part in parts]
        axes.barh(places, lengths, left=scatter.nominal, color=colour, height=0.62, alpha=0.85)
    for place, part in zip(places, parts, strict=True):
        share = 100.0 * scatter.share(part.name)
        axes.annotate(
            "< 1 %" if 0.0 < share < 0.5 else f"{share:.0f} %",
            (scatter.nominal + part.high, place),
            (4, 0),
            textcoords="offset points",
            va="center",
            fontsize=8,
        )
    axes.axvline(scatter.nominal, color=current().ink, lw=1.0)
    axes.set_yticks(places, [in_lines(f"{part.name}  {part.tolerance}", 34, most=2) for part in parts], fontsize=9)
    for label in axes.get_yticklabels():
        label.set_parse_math(False)
    axes.set_xlabel(in_lines(scatter.text, 60), parse_math=False, fontsize=10)
    axes.margins(x=0.12)
    finish(axes, 0)
    axes.grid(False, axis="y")
    saved(axes.figure, path)  # type: ignore[arg-type]
    return axes


def plot_histogram(scatter: ToleranceResult, *, ax: Any = None, path: FilePath = None) -> Any:
    """How often values came out; see `ToleranceResult.plot_histogram`."""
    if scatter.monte_carlo is None:
        raise ModelError("there was no Monte Carlo run; ask tolerances for monte_carlo=1024.")
    values = scatter.monte_carlo.values
    (axes,) = given_axes(ax, 1, "a histogram") or [new_figure(7.2, 3.8).add_subplot()]
    axes.hist(
        values,
        bins="auto",
        density=True,
        color=curve_colour(5),
        edgecolor=current().paper,
        lw=0.5,
        label=f"{values.size} variants",
    )
    if scatter.std > 0.0:
        x = np.linspace(values.min(), values.max(), 200)
        bell = np.exp(-0.5 * ((x - scatter.mean) / scatter.std) ** 2) / (scatter.std * np.sqrt(2.0 * np.pi))
        axes.plot(x, bell, color=curve_colour(1), lw=1.8, label="normal, by slopes")
    for k, end in enumerate(scatter.extremes or scatter.worst):
        axes.axvline(end, color=current().ink, ls="--", lw=1.2, label="worst case" if k == 0 else "_")
    axes.set_xlabel(in_lines(scatter.text, 60), parse_math=False, fontsize=10)
    axes.set_ylabel("density", fontsize=10)
    finish(axes, 3)
    saved(axes.figure, path)  # type: ignore[arg-type]
    return axes


def plot_fit(
    measured: Mapping[str, tuple[Array, Array]], fitted: Mapping[str, Array], sigma: Mapping[str, float], *, ax: Any, path: FilePath
) -> Any:  # fmt: skip
    """Measurements with what the model gives, and what is left, in standard deviations; see `Identification.plot_fit`."""
    count = 2 * len(measured)
    axes = given_axes(ax, count, "a plot of a fit")
    if axes is None:
        figure = new_figure(7.2, 0.6 + 3.8 * len(measured))
        ratios = {"height_ratios": [2, 1] * len(measured)}
        axes = list(np.ravel(figure.subplots(count, 1, squeeze=False, gridspec_kw=ratios)))
    for k, (name, (times, values)) in enumerate(measured.items()):
        top, below = axes[2 * k], axes[2 * k + 1]
        top.plot(times, values, "o", ms=3.5, color=curve_colour(0), alpha=0.7, label="measured")
        top.plot(times, fitted[name], color=curve_colour(1), lw=1.6, label="model")
        top.set_ylabel(in_lines(name, 28), parse_math=False, fontsize=10)
        finish(top, 2)
        below.axhline(0.0, color=current().ink, lw=0.8)
        below.plot(times, (values - fitted[name]) / sigma[name], "o", ms=3.0, color=curve_colour(0))
        below.axhspan(-2.0, 2.0, color=curve_colour(0), alpha=0.08, lw=0)
        below.set_ylabel("left over [σ]", fontsize=10)
        below.set_xlabel("t [s]", fontsize=10)
        finish(below, 0)
    saved(axes[0].figure, path)  # type: ignore[arg-type]
    return as_given(axes)
