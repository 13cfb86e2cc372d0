"""Pictures of searches for designs: how they went, what they tried, fronts, and designs before and after."""

from __future__ import annotations

import html
import time as clock
from collections.abc import Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from pytrammel._util.messages import short
from pytrammel.errors import FileWriteError, ModelError
from pytrammel.view.figure import as_given, given_axes, new_figure, saved
from pytrammel.view.plots.panels import finish, in_lines
from pytrammel.view.theme import current, curve_colour

if TYPE_CHECKING:
    from pytrammel.design.optimization.problem import History
    from pytrammel.results.result import Result

Array = NDArray[np.float64]
FilePath = str | PathLike[str] | None
WIDEST = 8  # parameters of a matrix of plots
EVERY = 1.0  # seconds between pictures of a search that goes on
IN_STEP = """
const frames = [...document.querySelectorAll("iframe")], say = (frame, what) => frame.contentWindow.postMessage({trammel: what}, "*");
let leader = 0;
addEventListener("message", event => {
  const from = frames.findIndex(frame => frame.contentWindow === event.source), said = event.data && event.data.trammel;
  if (from < 0 || !said) return;
  if (said.lead) leader = from;
  else if (from === leader) frames.forEach((frame, k) => { if (k !== from) say(frame, {time: said.time}); });
});
for (const frame of frames) { frame.addEventListener("load", () => say(frame, {join: true})); say(frame, {join: true}); }
"""  # of players on one page, as company.mjs expects it: the one touched last leads
_KINDS = ("scatter", "parallel")


def plot_convergence(
    history: History, text: str, sign: float, limits: bool, *, ax: Any = None, path: FilePath = None
) -> Any:
    """Objective over variants; see `Optimum.plot_convergence`."""
    count = 2 if limits else 1
    axes = given_axes(ax, count, "a plot of convergence")
    if axes is None:
        figure = new_figure(7.2, 3.6 if count == 1 else 4.8)
        ratios = {"height_ratios": [2, 1]} if count == 2 else {}
        axes = list(np.ravel(figure.subplots(count, 1, sharex=True, squeeze=False, gridspec_kw=ratios)))
    tried = np.arange(1, len(history) + 1)
    objective, missed = np.array(history.objective), np.array(history.violation)
    kept, best = missed <= 1e-7, history.best(sign)
    missed[kept] = 0.0  # rounding
    top = axes[0]
    for chosen, colour, label in (
        (~kept & np.isfinite(objective), curve_colour(4), "misses a limit"),
        (kept, curve_colour(0), "tried"),
    ):
        if chosen.any():
            top.plot(tried[chosen], objective[chosen], "o", ms=3.5, color=colour, alpha=0.6, label=label)
    lost = ~np.isfinite(objective)
    if np.isfinite(best).any():
        top.step(tried, best, where="post", color=curve_colour(1), lw=1.8, label="best so far")
    if (
        (objective[~lost] > 0.0).all()
        and objective[~lost].size
        and objective[~lost].max() > 50.0 * objective[~lost].min()
    ):
        top.set_yscale("log")
    if lost.any():
        top.plot(
            tried[lost],
            np.full(lost.sum(), 0.02),
            "x",
            ms=4,
            color=current().plot_frame,
            transform=top.get_xaxis_transform(),
            label="could not be run",
        )
    top.set_ylabel(in_lines(text.partition(" of ")[2] or text, 34), parse_math=False, fontsize=10)
    if count == 2:
        below = axes[1]
        shown = np.isfinite(missed)
        below.plot(tried[shown], missed[shown], "o", ms=3.5, color=curve_colour(4))
        below.set_yscale("symlog", linthresh=1e-6)
        below.set_ylim(-2e-7, 2.0 * max(missed[shown].max(initial=0.0), 5e-6))
        below.set_ylabel("limits missed [–]", fontsize=10)
        finish(below, 0)
    axes[-1].set_xlabel("variant", fontsize=10)
    finish(top, 2)
    saved(top.figure, path)  # type: ignore[arg-type]
    return as_given(axes)


def plot_design_space(
    history: History,
    names: Sequence[str],
    spans: Sequence[tuple[float, float]],
    best: Array,
    text: str,
    *,
    kind: str,
    path: FilePath,
) -> Any:
    """What was tried, in the space of the parameters; see `Optimum.plot_design_space`."""
    if kind not in _KINDS:
        raise ModelError(f"kind is {short(kind)}; it can be {' or '.join(_KINDS)}.")
    table, objective = np.array(history.values), np.array(history.objective)
    label = text.partition(" of ")[2] or text
    if kind == "parallel":
        return _parallel(table, objective, names, spans, best, label, path)
    n = min(len(names), WIDEST)
    figure = new_figure(1.6 + 2.1 * n, 1.0 + 2.0 * n)
    axes = figure.subplots(n, n, squeeze=False)
    order = np.argsort(np.where(np.isfinite(objective), objective, -np.inf))[::-1]  # the best are drawn last
    norm = _norm(objective)
    for i in range(n):
        for j in range(n):
            _cell(axes[i, j], table[order], objective[order], i, j, names, spans, best, norm)
            first = int(i == 0 and n > 1)  # the first of a row that shows the parameter upwards
            axes[i, j].tick_params(labelbottom=i == n - 1, labelleft=j == first)
            upwards = label if n == 1 else names[i] if j == first else ""
            axes[i, j].set_ylabel(in_lines(upwards, 18), parse_math=False, fontsize=10)
    _bar(figure, axes.ravel().tolist(), norm, in_lines(label, 20 * n))
    saved(figure, path)
    return axes


def plot_front(objectives: Array, texts: Sequence[str], *, ax: Any = None, path: FilePath = None) -> Any:
    """Designs of a front in the plane of their first two objectives, or a matrix of planes for more."""
    m = objectives.shape[1]
    pairs = [(i, j) for j in range(1, m) for i in range(j)]
    axes = given_axes(ax, len(pairs), "a plot of a front")
    if axes is None:
        figure = new_figure(1.0 + 4.6 * len(pairs), 4.4)
        axes = list(np.ravel(figure.subplots(1, len(pairs), squeeze=False)))
    for each, (i, j) in zip(axes, pairs, strict=True):
        order = np.argsort(objectives[:, i])
        each.plot(
            objectives[order, i], objectives[order, j], "o-" if m == 2 else "o", ms=4.5, lw=1.0, color=curve_colour(0)
        )
        each.set_xlabel(in_lines(texts[i], 44), parse_math=False, fontsize=10)
        each.set_ylabel(in_lines(texts[j], 38), parse_math=False, fontsize=10)
        finish(each, 0)
    saved(axes[0].figure, path)  # type: ignore[arg-type]
    return as_given(axes)


def draw_pair(before: Result, after: Result, *, ax: Any, time: float | None, path: FilePath) -> Any:
    """Two designs beside each other at the same scale."""
    space = after.model.space.dimension == 3
    axes = given_axes(ax, 2, "a drawing before and after", space=space)
    if axes is None:
        figure = new_figure(11.0, 5.2)
        more = {"projection": "3d"} if space else {}
        axes = [figure.add_subplot(1, 2, k + 1, **more) for k in range(2)]
    for each, run, title in zip(axes, (before, after), ("before", "after"), strict=True):
        run.draw(each, time=time)
        each.set_title(title, fontsize=12)
    if not space:
        low = np.min([[a.get_xlim()[0], a.get_ylim()[0]] for a in axes], axis=0)
        high = np.max([[a.get_xlim()[1], a.get_ylim()[1]] for a in axes], axis=0)
        for each in axes:
            each.set_xlim(low[0], high[0])
            each.set_ylim(low[1], high[1])
        if ax is None:  # no higher than what is drawn, titles and legends beside it
            high_by_wide = (high[1] - low[1]) / (high[0] - low[0])
            figure.set_size_inches(11.0, min(max(1.4 + 4.6 * high_by_wide, 2.4), 8.0))
    saved(axes[0].figure, path)  # type: ignore[arg-type]
    return as_given(axes)


def animate_pair(
    runs: Mapping[str, Result], name: str, path: FilePath, *, traces: Sequence[str] | None, duration: float | None
) -> Any:
    """Runs in motion beside each other, as one page."""
    from pytrammel._util.atomic_write import write_whole
    from pytrammel.view.html import Animation
    from pytrammel.view.result_views import animation_of

    frames = []
    for label, run in runs.items():
        one = animation_of(run, traces=traces, duration=duration, plots=())
        frame = (
            one._repr_html_().replace('loading="lazy" ', "", 1).replace("height:520px", "height:calc(100vh - 3em)", 1)
        )
        frames.append(f"<section><h2>{html.escape(label)}</h2>{frame}</section>")
    page = (
        f'<!doctype html><html lang="en"><meta charset="utf-8"><title>{html.escape(name)}</title>'
        "<style>body{margin:0;font:15px system-ui,sans-serif;display:flex;gap:6px;flex-wrap:wrap}"
        "section{flex:1 1 360px;min-width:0}iframe{box-sizing:border-box;min-height:480px}h2{font-size:1rem;margin:.4em .6em}</style>"
        f"{''.join(frames)}<script>{IN_STEP}</script></html>"
    )
    if path is None:
        return Animation(name, page, 600)
    target = Path(path)
    if target.suffix not in ("", ".html", ".htm"):
        raise FileWriteError(
            f"the file {str(path)!r} cannot be written: designs beside each other are a page; write .html."
        )
    if not target.name:
        raise FileWriteError(f"the file {str(path)!r} cannot be written: it has no name.")
    return write_whole(target if target.suffix else target.with_name(target.name + ".html"), page)


class LiveConvergence:
    """A picture of a search below the cell of a notebook, redrawn while it goes on."""

    def __init__(self, text: str, sign: float, limits: bool) -> None:
        self._asked = (text, sign, limits)
        self._cell: Any = None
        self._last = clock.perf_counter()
        self._wait = EVERY

    def update(self, history: History) -> None:
        """Draw anew, at most once a second, and so seldom that a fifth of the time goes into pictures."""
        now = clock.perf_counter()
        if now - self._last < self._wait:
            return
        from IPython.display import display

        from pytrammel.view.html import drawn
        from pytrammel.view.notebook import unseen

        with unseen():
            axes = plot_convergence(history, *self._asked)
        data = {"text/html": drawn(np.ravel(axes)[0].figure), "text/plain": f"{len(history)} variants"}
        if self._cell is None:
            self._cell = display(data, raw=True, display_id=True)
        else:
            self._cell.update(data, raw=True)
        self._last = clock.perf_counter()
        self._wait = max(EVERY, 4.0 * (self._last - now))

    def close(self) -> None:
        """Take the picture away: the answer has its own."""
        if self._cell is not None:
            self._cell.update({"text/html": "", "text/plain": ""}, raw=True)


# --- inside ----------------------------------------------------------------------------------------------------------------


def _norm(objective: Array) -> Any:
    """Colours from the best to the median: bad designs are all alike."""
    from matplotlib.colors import Normalize

    known = objective[np.isfinite(objective)]
    if not known.size:
        return Normalize(0.0, 1.0)
    low, high = float(known.min()), float(np.quantile(known, 0.9))
    return Normalize(low, high if high > low else low + 1.0)


def _cell(
    ax: Any, table: Array, objective: Array, i: int, j: int, names: Sequence[str], spans: Sequence[tuple[float, float]], best: Array,
    norm: Any,
) -> None:  # fmt: skip
    from matplotlib.ticker import MaxNLocator

    known = np.isfinite(objective)
    if i == j:
        ax.scatter(table[known, j], objective[known], c=objective[known], cmap=current().heat_map, norm=norm, s=9)
        ax.axvline(best[j], color=curve_colour(1), lw=1.2)
        ax.set_yticks([])
    else:
        ax.scatter(table[~known, j], table[~known, i], marker="x", s=12, lw=0.7, color=current().plot_frame)
        ax.scatter(table[known, j], table[known, i], c=objective[known], cmap=current().heat_map, norm=norm, s=9)
        ax.plot(best[j], best[i], "*", ms=11, color=curve_colour(1), mec=current().paper, mew=0.6)
        if np.isfinite(spans[i]).all():
            ax.set_ylim(*_wider(spans[i]))
    if np.isfinite(spans[j]).all():
        ax.set_xlim(*_wider(spans[j]))
    finish(ax, 0)
    ax.tick_params(labelsize=8)
    for axis in (ax.xaxis, ax.yaxis) if i != j else (ax.xaxis,):
        axis.set_major_locator(MaxNLocator(4))
        axis.set_major_formatter("{x:.4g}")  # powers of ten with each number: beside the axis they hit names
    ax.set_xlabel(in_lines(names[j], 18) if i == min(len(names), WIDEST) - 1 else "", parse_math=False, fontsize=10)


def _wider(span: tuple[float, float]) -> tuple[float, float]:
    more = 0.04 * (span[1] - span[0])
    return span[0] - more, span[1] + more


def _bar(figure: Any, axes: Any, norm: Any, label: str) -> None:
    from matplotlib.cm import ScalarMappable

    bar = figure.colorbar(ScalarMappable(norm, current().heat_map), ax=axes, shrink=0.8, extend="max")
    bar.set_label(label, fontsize=10, parse_math=False)
    bar.ax.tick_params(labelsize=8)


def _parallel(
    table: Array, objective: Array, names: Sequence[str], spans: Sequence[tuple[float, float]], best: Array, label: str, path: FilePath
) -> Any:  # fmt: skip
    """One line per variant across all parameters, each scaled to its range."""
    import matplotlib as mpl

    figure = new_figure(max(5.0, 1.4 * len(names) + 2.0), 4.2)
    ax = figure.add_subplot()
    known = np.isfinite(objective)
    seen = table[known] if known.any() else table
    low = np.array([s[0] if np.isfinite(s).all() else seen[:, k].min() for k, s in enumerate(spans)])
    high = np.array([s[1] if np.isfinite(s).all() else seen[:, k].max() for k, s in enumerate(spans)])
    width = np.where(high > low, high - low, 1.0)
    norm, colours = _norm(objective), mpl.colormaps[current().heat_map]
    places = np.arange(len(names))
    for k in np.argsort(objective[known])[::-1]:
        value = objective[known][k]
        ax.plot(places, (table[known][k] - low) / width, color=colours(norm(value)), lw=0.8, alpha=0.5)
    ax.plot(places, (best - low) / width, color=curve_colour(1), lw=2.2, marker="o", ms=5)
    for k, name in enumerate(names):
        ax.plot([k, k], [0.0, 1.0], color=current().plot_frame, lw=0.8)
        for y, value in ((-0.04, low[k]), (1.04, high[k])):
            ax.text(k, y, f"{value:.4g}", ha="center", va="top" if y < 0.0 else "bottom", fontsize=8)
        ax.text(k, -0.13, in_lines(name, 15), ha="center", va="top", fontsize=10, parse_math=False)
    ax.set_ylim(-0.33, 1.1)
    ax.set_axis_off()
    _bar(figure, [ax], norm, in_lines(label, 34))
    saved(figure, path)
    return ax
