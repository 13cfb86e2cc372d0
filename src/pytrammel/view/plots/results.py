"""Plots of results: quantities against time or each other, and phase portraits.

Every function takes runs as (label, result): one, or several that are laid over each other.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from pytrammel._util.messages import short
from pytrammel.errors import ModelError
from pytrammel.results.quantities import split_unit
from pytrammel.units import read_unit
from pytrammel.view.plots.panels import Line, Panel, axis_label, draw_panels
from pytrammel.view.plots.quantities import ANGLE, Array, Column, FilePath, Runs, Shown, texts


def heading(runs: Runs, title: str | None) -> str:
    return str(title) if title is not None else runs[0][1].model.name


def entry(name: str, run: str, names: int, runs: int) -> str:
    """Entry of the legend for one of several quantities of one of several runs."""
    if runs == 1:
        return name
    return run if names == 1 else f"{name}, {run}"


def _line(name: str, run: str, k: int, r: int, names: int, runs: int, x: Array, y: Array, way: bool = False) -> Line:
    """Colours tell quantities apart and dashes runs; a single quantity has a colour per run."""
    colour, dash = (r, 0) if names == 1 else (k, r)
    return Line(entry(name, run, names, runs), x, y, colour=colour, dash=dash, way=way)


def chosen_labels(labels: Any, names: Sequence[Any]) -> list[str | None]:
    """Labels of the user, or None for each quantity that keeps its own."""
    if labels is None:
        return [None] * len(names)
    given = texts([labels] if isinstance(labels, str) else labels, "labels")
    if len(given) != len(names):
        raise ModelError(f"labels= has {len(given)} names for {len(names)} quantities; give one for each.")
    return list(given)


def plot_quantities(
    runs: Runs,
    names: Sequence[Any],
    *,
    x: Any = None,
    ax: Any = None,
    units: Any = None,
    labels: Any = None,
    turns: int | None = None,
    title: str | None = None,
    path: FilePath = None,
) -> Any:
    """Quantities over another one; see `Result.plot`."""
    asked = list(names) or list(runs[0][1]._interesting())
    texts = chosen_labels(labels, asked)
    shown = Shown(units, runs[0][1])
    found: list[tuple[str, Column, list[Column]]] = []
    for label, run in runs:
        across = shown.of(label, run, "t" if x is None else x)
        columns = [shown.of(label, run, name) for name in asked]
        found.append((label, across, columns))
    shown.check()
    panels = by_unit(found, texts, turns=turns, turning=x is not None)
    return draw_panels(panels, ax=ax, what=what_of(panels), title=heading(runs, title), path=path)


def what_of(panels: Sequence[Panel]) -> str:
    if len(panels) == 1:
        return "this plot"
    return f"a plot of {len(panels)} units ({', '.join(panel.y_label for panel in panels)})"


def by_unit(
    found: Sequence[tuple[str, Column, list[Column]]],
    texts: Sequence[str | None],
    *,
    turns: int | None = None,
    turning: bool = False,
) -> list[Panel]:
    """Panels with one unit each, from columns per run."""
    first = found[0][2]
    members: dict[str, list[int]] = {}
    for j, column in enumerate(first):
        members.setdefault(column.unit, []).append(j)
    panels = []
    for unit, places in members.items():
        lines, names = [], [texts[j] or first[j].label for j in places]
        for r, (run, across, columns) in enumerate(found):
            for k, j in enumerate(places):
                xs, ys = across.values, columns[j].values
                if turns is not None:
                    xs, ys = folded(across, ys, turns)
                way = turning and turns is None and _turns_back(xs)
                lines.append(_line(names[k], run, k, r, len(places), len(found), xs, ys, way))
        label = found[0][1].label
        panels.append(Panel(axis_label([label], found[0][1].unit), axis_label(names, unit), lines))
    return panels


def _turns_back(x: Array) -> bool:
    steps = np.diff(x)
    return bool((steps > 0.0).any() and (steps < 0.0).any())


def folded(across: Column, y: Array, turns: Any) -> tuple[Array, Array]:
    """An angle within so many turns, with the curve cut where it starts anew."""
    kind = read_unit(across.unit)[1] if across.unit else None
    if kind != ANGLE:
        raise ModelError(
            f"turns={short(turns)} folds angles, but the x axis is {across.label or 'no quantity'!r}; give x= an angle."
        )
    if isinstance(turns, bool) or not isinstance(turns, int) or turns < 1:
        raise ModelError(f"turns is {short(turns)}; it must be a whole number of at least 1.")
    period = 2.0 * math.pi * turns / read_unit(across.unit)[0]
    x = across.values
    turn = np.floor(x / period + 1e-12)
    inside = x - turn * period
    xs, ys = [inside[0]], [y[0]]
    for k in range(1, x.size):
        if turn[k] == turn[k - 1] + 1 or turn[k] == turn[k - 1] - 1:
            edge = max(turn[k], turn[k - 1]) * period
            share = (edge - x[k - 1]) / (x[k] - x[k - 1])
            ends = (period, 0.0) if turn[k] > turn[k - 1] else (0.0, period)
            at = y[k - 1] + share * (y[k] - y[k - 1])
            xs += [ends[0], math.nan, ends[1]]
            ys += [at, math.nan, at]
        elif turn[k] != turn[k - 1]:
            xs.append(math.nan)
            ys.append(math.nan)
        xs.append(inside[k])
        ys.append(y[k])
    return np.array(xs), np.array(ys)


def plot_phases(
    runs: Runs, names: Sequence[Any], *, ax: Any, units: Any, labels: Any, title: str | None, path: FilePath
) -> Any:
    """Rates over values; see `Plots.phase`."""
    asked = list(names) or list(runs[0][1]._interesting())
    texts = chosen_labels(labels, asked)
    shown = Shown(units, runs[0][1])
    pairs: list[list[tuple[Column, Column]]] = []
    for label, run in runs:
        own = []
        for name in asked:
            value = shown.of(label, run, name)
            plain = split_unit(str(name))[0]
            rate = shown.of(label, run, f"{plain}.rate", f"{value.unit}/s" if value.unit else None)
            own.append((value, rate))
        pairs.append(own)
    shown.check()
    members: dict[tuple[str, str], list[int]] = {}
    for j, (value, rate) in enumerate(pairs[0]):
        members.setdefault((value.unit, rate.unit), []).append(j)
    panels = []
    for (unit, per_second), places in members.items():
        heads = [texts[j] or pairs[0][j][0].label for j in places]
        lines = [
            _line(heads[k], run, k, r, len(places), len(runs), pairs[r][j][0].values, pairs[r][j][1].values, way=True)
            for r, (run, _) in enumerate(runs)
            for k, j in enumerate(places)
        ]
        y_label = axis_label([f"{head}, rate" for head in heads], per_second)
        panels.append(Panel(axis_label(heads, unit), y_label, lines, tight=False))
    return draw_panels(panels, ax=ax, what=what_of(panels), title=heading(runs, title), path=path)
