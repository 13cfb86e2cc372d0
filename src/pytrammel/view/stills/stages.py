"""Several stages of a motion in one picture: a panel for each, all with the same limits."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from pytrammel._util.checks import checked_number
from pytrammel._util.messages import short, unlike
from pytrammel.errors import ModelError
from pytrammel.view.figure import as_given, new_figure, saved
from pytrammel.view.plots.quantities import Array
from pytrammel.view.result_views import build_scene
from pytrammel.view.scene.spatial_shapes import build_space_scene

if TYPE_CHECKING:
    from pytrammel.results.result import Result

PANEL = 3.6  # largest width and height of a panel [inch]
SHAPE = 1.6  # width of the picture divided by its height, approached by the choice of columns
MOST = 60  # panels


def draw_stages(
    result: Result,
    stages: int | Sequence[float] | Array,
    *,
    traces: Iterable[str] | None = None,
    path: str | Path | None = None,
) -> Any:
    """Draw the mechanism at several times; see `Result.draw_stages`."""
    from pytrammel.results.interpolation import inserted

    times = stage_times(result, stages)
    denser, rows = inserted(result, times.tolist())
    space = result.model.space.dimension == 3
    width, height = (1.0, 1.0) if space else _size(denser, traces)
    columns = _columns(len(times), width / height)
    lines = math.ceil(len(times) / columns)
    scale = PANEL / max(width, height)
    figure = new_figure(max(columns * scale * width, 3.0), lines * (scale * height + 0.45) + 0.4)
    axes = []
    for k, (time, row) in enumerate(zip(times, rows, strict=True)):
        ax = figure.add_subplot(lines, columns, k + 1, **({"projection": "3d"} if space else {}))
        _draw_one(_at(denser, int(row)), int(row), ax, traces)
        ax.set_title(f"t = {time:.6g} s", fontsize=9)
        if not space and k % columns:
            ax.set_ylabel("")
            ax.tick_params(labelleft=False)
        if not space and k + columns < len(times):
            ax.set_xlabel("")
            ax.tick_params(labelbottom=False)
        axes.append(ax)
    figure.suptitle(result.model.name, fontsize=11, parse_math=False)
    saved(figure, path)
    return as_given(axes)


def stage_times(result: Result, stages: int | Sequence[float] | Array) -> Array:
    """Times of the stages [s]: evenly spread over the run, first and last included, or as given."""
    first, last = float(result.times[0]), float(result.times[-1])
    if isinstance(stages, np.ndarray):
        stages = stages.ravel().tolist()
    if isinstance(stages, bool) or not isinstance(stages, int | Sequence):
        raise ModelError(f"stages is {short(stages)}; it must be a number of stages or a list of times [s].")
    if isinstance(stages, int):
        if not 1 <= stages <= MOST:
            raise ModelError(f"stages is {stages}; it must be from 1 to {MOST}.")
        if stages > 1 and last == first:
            raise ModelError(f"stages is {stages}, but this result has one time, {first:g} s. Use draw() or one stage.")
        return np.linspace(first, last, stages)
    given = np.array([checked_number(time, "time of a stage") for time in stages])
    if not 1 <= given.size <= MOST or (np.diff(given) <= 0.0).any():
        raise ModelError(f"stages are {short(list(stages))}; give 1 to {MOST} increasing times [s].")
    slack = 1e-9 * (last - first)
    for time in given:
        if not first - slack <= time <= last + slack:
            texts = unlike(float(time), first, last, digits=9)
            raise ModelError(
                f"stage at t = {texts[0]} s lies outside the run, which is from {texts[1]} s to {texts[2]} s."
            )
    return np.asarray(np.clip(given, first, last), dtype=np.float64)


def _at(result: Result, row: int) -> Result:
    """Result with the model of the segment that holds a row: parts may have been changed by then."""
    for segment in result._segments:
        if segment.first <= row < segment.last:
            return replace(result, model=segment.model)
    return result


def _draw_one(result: Result, row: int, ax: Any, traces: Iterable[str] | None) -> None:
    from pytrammel.view.stills.planar import draw
    from pytrammel.view.stills.spatial import draw_space

    if result.model.space.dimension == 3:
        draw_space(build_space_scene(result, traces=traces), ax, row, labels=False, arrows=False)
    else:
        draw(build_scene(result, traces=traces, arrows=False), ax, frame=row, labels=False, arrows=())
    legend = ax.get_legend()
    if legend is not None:
        legend.remove()


def _size(result: Result, traces: Iterable[str] | None) -> tuple[float, float]:
    """Width and height of the region that a planar motion takes."""
    x0, y0, x1, y1 = build_scene(result, traces=traces, arrows=False).bounds()
    longest = max(x1 - x0, y1 - y0)
    return max(x1 - x0, 0.2 * longest), max(y1 - y0, 0.2 * longest)


def _columns(count: int, ratio: float) -> int:
    """Number of columns with which the picture comes nearest to its shape; `ratio` is width divided by height of a panel."""

    def misfit(columns: int) -> float:
        lines = math.ceil(count / columns)
        return abs(math.log(columns * ratio / (lines * SHAPE))) + 0.3 * (columns * lines - count)

    return min(range(1, count + 1), key=misfit)
