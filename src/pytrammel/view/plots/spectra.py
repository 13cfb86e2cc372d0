"""Pictures of spectra: amplitudes over frequency, and spectra behind each other."""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike
from typing import Any

import numpy as np

from pytrammel._util.checks import checked_number
from pytrammel._util.messages import short
from pytrammel.errors import ModelError
from pytrammel.results.formulas.spectra import Spectrum, spectra_of, spectrum_of
from pytrammel.results.quantities import split_unit
from pytrammel.view.figure import given_axes, new_figure, saved
from pytrammel.view.plots.panels import Line, Panel, axis_label, draw_panels, finish
from pytrammel.view.plots.quantities import Array, Column, Runs, Shown
from pytrammel.view.plots.results import chosen_labels
from pytrammel.view.theme import current, curve_colour

FEW = 80  # harmonics that are shown as strokes rather than as a line
SLICES = 16  # parts of a run in a waterfall
TALLEST = 2.6  # of a spectrum in a waterfall, in distances of their base lines


def plot_spectra(
    runs: Runs,
    names: Sequence[str],
    *,
    over: str | None,
    window: str,
    top: float | None,
    log: bool,
    ax: Any,
    units: Any,
    labels: Any,
    title: str | None,
    path: str | PathLike[str] | None,
) -> Any:
    """Amplitudes over frequency; see `Plots.spectrum`."""
    asked = list(names) or list(runs[0][1]._interesting())
    texts = chosen_labels(labels, asked)
    shown = Shown(units, runs[0][1])
    members: dict[str, list[tuple[int, int, Spectrum, Column]]] = {}
    for r, (_, run) in enumerate(runs):
        for j, name in enumerate(asked):
            found, column = _in_units(shown, spectrum_of(run, split_unit(name)[0], over=over, window=window), name)
            members.setdefault(column.unit, []).append((r, j, found, column))
    shown.check()
    panels = []
    for unit, entries in members.items():
        places = list(dict.fromkeys(j for _, j, _, _ in entries))
        lines = []
        for r, j, found, column in entries:
            head = texts[j] or column.label
            name = head if len(runs) == 1 else runs[r][0] if len(places) == 1 else f"{head}, {runs[r][0]}"
            colour, dash = (r, 0) if len(places) == 1 else (places.index(j), r)
            kept = _kept(found, top)
            x, y = found.frequency[kept], column.values[kept]
            if len(x) <= FEW and not log:
                x, y = _stems(x, y)
            lines.append(Line(name, x, y, colour=colour, dash=dash))
        heads = [texts[j] or entries[0][3].label if len(places) == 1 else "amplitude" for j in places]
        panels.append(Panel(_x_label(over), axis_label(heads, unit), lines, scale="y" if log else ""))
    heading = str(title) if title is not None else runs[0][1].model.name
    return draw_panels(panels, ax=ax, title=heading, path=path)


def _stems(x: Array, y: Array) -> tuple[Array, Array]:
    """A stroke for each harmonic, from nil to its amplitude."""
    nil = np.zeros_like(y)
    return np.repeat(x, 3), np.column_stack([nil, y, np.full_like(y, np.nan)]).ravel()


def _in_units(shown: Shown, found: Spectrum, name: str) -> tuple[Spectrum, Column]:
    plain, said = split_unit(name)
    return found, Column(plain, *shown.convert(plain, found.amplitude, found.unit, said))


def _kept(found: Spectrum, top: float | None) -> Any:
    """Harmonics that are shown: not the mean, and none above the top."""
    if top is None:
        return slice(1, None)
    limit = checked_number(top, "top")
    kept = (found.frequency > 0.0) & (found.frequency <= limit * (1.0 + 1e-12))
    if not kept.any():
        raise ModelError(
            f"top is {limit:g}; the lowest harmonic of {found.name!r} is at {found.frequency[1]:.4g}, so that nothing would be shown."
        )
    return kept


def _x_label(over: str | None) -> str:
    return "frequency [Hz]" if over is None else f"order [per turn of {over}]"


def plot_waterfall(
    runs: Runs,
    name: str,
    *,
    slices: int | None,
    over: str | None,
    window: str,
    top: float | None,
    ax: Any,
    units: Any,
    title: str | None,
    path: str | PathLike[str] | None,
) -> Any:
    """Spectra behind each other; see `Plots.waterfall`."""
    plain = split_unit(name)[0]
    if len(runs) > 1:
        if slices is not None:
            raise ModelError(
                f"plot.waterfall: slices = {short(slices)} is not used for {len(runs)} runs, which show one spectrum each. Remove slices=, "
                "or plot one run."
            )
        found = [spectrum_of(run, plain, over=over, window=window) for _, run in runs]
    else:
        found = spectra_of(runs[0][1], plain, slices=SLICES if slices is None else slices, over=over, window=window)
    shown = Shown(units, runs[0][1])
    columns = [_in_units(shown, spectrum, name)[1] for spectrum in found]
    shown.check()
    (axes,) = given_axes(ax, 1, "a waterfall") or [new_figure(7.2, 5.0).add_subplot()]
    places = np.arange(len(found), dtype=float) if len(runs) > 1 else np.array([s.time for s in found])
    distance = float(np.diff(places).mean()) if len(places) > 1 else 1.0
    kept = [_kept(spectrum, top) for spectrum in found]
    largest = max(float(column.values[k].max()) for column, k in zip(columns, kept, strict=True))
    height = TALLEST * distance / largest if largest > 0.0 else 0.0
    for i in reversed(range(len(found))):
        x, y = found[i].frequency[kept[i]], places[i] + height * columns[i].values[kept[i]]
        level = 3.0 + 0.01 * (len(found) - i)
        axes.fill_between(x, places[i] - 0.02 * distance, y, color=current().paper, alpha=0.92, lw=0.0, zorder=level)
        axes.plot(x, y, color=curve_colour(0), lw=1.2, zorder=level)
    axes.set_xlabel(_x_label(over), fontsize=10, parse_math=False)
    axes.set_ylabel("time [s]" if len(runs) == 1 else "run", fontsize=10)
    if len(runs) > 1:
        axes.set_yticks(places, [label for label, _ in runs])
    ends = [spectrum.frequency[k][[0, -1]] for spectrum, k in zip(found, kept, strict=True)]
    axes.set_xlim(min(low for low, _ in ends), max(high for _, high in ends))
    finish(axes, 0)
    note = f"{plain}, tallest {largest:.3g} {columns[0].unit or ''}".rstrip()
    axes.text(
        0.99,
        0.99,
        note,
        transform=axes.transAxes,
        ha="right",
        va="top",
        fontsize=9,
        color=current().ink,
        parse_math=False,
        zorder=9,
    )
    axes.set_title(str(title) if title is not None else runs[0][1].model.name, fontsize=12, parse_math=False)
    saved(axes.figure, path)  # type: ignore[arg-type]
    return axes
