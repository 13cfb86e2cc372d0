"""Plots of the reductions of a batch over a parameter: the amplitude of a machine over its speed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pytrammel._util.messages import short
from pytrammel.errors import ModelError
from pytrammel.view.plots.panels import Line, Panel, draw_panels

Array = NDArray[np.float64]
MOST_CURVES = 12  # combinations of the other parameters in one plot


def plot_reductions(
    reductions: Mapping[str, Array],
    varied: Mapping[str, Array],
    names: Sequence[str],
    x: str | None,
    ax: Any,
    path: Any,
) -> Any:
    """Plot reductions, a panel each, over a varied value; one curve for each combination of the other varied values."""
    if not reductions:
        raise ModelError("this batch has no reductions to plot. Pass reduce={'name': 'formula'} to its analysis.")
    unknown = next((name for name in names if name not in reductions), None)
    if unknown is not None:
        raise ModelError(f"plot: there is no reduction {short(unknown)}; they are {', '.join(reductions)}.")
    moving = [name for name, values in varied.items() if np.unique(values).size > 1]
    over = x if x is not None else next(iter(moving), next(iter(varied), None))
    if over is None or over not in varied:
        raise ModelError(f"plot: x is {short(over)}; it must be one of the values that vary: {', '.join(varied)}.")
    others = [name for name in moving if name != over]
    labels, curves = _curves(varied, over, others)
    if len(curves) > MOST_CURVES:
        raise ModelError(
            f"plot: {', '.join(others)} have {len(curves)} combinations, a curve each; the limit is {MOST_CURVES}. Vary fewer values."
        )
    panels = []
    for name in names or reductions:
        lines = [
            Line(label, varied[over][rows], np.asarray(reductions[name])[rows], colour=k, marker="o")
            for k, (label, rows) in enumerate(zip(labels, curves, strict=True))
        ]
        panels.append(Panel(over, name, lines, legend=bool(others), tight=False))
    return draw_panels(panels, ax=ax, path=path)


def _curves(varied: Mapping[str, Array], over: str, others: Sequence[str]) -> tuple[list[str], list[NDArray[np.int64]]]:
    """Labels and variants of each curve, in the order of the x axis."""
    table = np.column_stack([np.zeros(varied[over].size), *(varied[name] for name in others)])
    combinations, number = np.unique(table, axis=0, return_inverse=True)
    number = number.ravel()
    labels, curves = [], []
    for k, values in enumerate(combinations):
        rows = np.flatnonzero(number == k)
        labels.append(", ".join(f"{name} = {value:.6g}" for name, value in zip(others, values[1:], strict=True)))
        curves.append(rows[np.argsort(varied[over][rows], kind="stable")])
    return labels, curves
