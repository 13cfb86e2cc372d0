"""The only place where figures are made and written: on an Agg canvas, so that nothing shows and no global state changes.

In a notebook, what was finished by a cell appears below it, once; see `notebook`.
"""

from __future__ import annotations

import weakref
from collections.abc import Iterable
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from pytrammel._util.atomic_write import check_target, whole_file
from pytrammel._util.extras import install_command
from pytrammel._util.messages import short
from pytrammel.errors import FileWriteError, ModelError, TrammelError
from pytrammel.view.notebook import appears
from pytrammel.view.theme import current, themes

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

WRITTEN = {"svg.fonttype": "none", "pdf.fonttype": 42, "ps.fonttype": 42}  # words stay words in files
_own: weakref.WeakSet[Any] = weakref.WeakSet()  # figures made here, not given by a user


def new_figure(width: float, height: float) -> Figure:
    """Empty figure [inch].

    Raises:
        TrammelError: matplotlib is not installed.
    """
    try:
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure
    except ImportError:
        raise TrammelError(f"plots and drawings need matplotlib: {install_command('view')}.") from None
    figure = Figure(figsize=(width, height), layout="constrained")
    FigureCanvasAgg(figure)
    _own.add(figure)
    return figure


def given_axes(ax: Any, count: int, what: str, *, space: bool = False) -> list[Axes] | None:
    """Axes that a user gave, as many as there are panels; None if none were given.

    Args:
        ax: One `Axes`, a list or array of them, or None.
        count: How many panels there are.
        what: What is drawn, for sentences.
        space: Whether axes made with ``projection="3d"`` are needed.
    """
    if ax is None:
        return None
    from matplotlib.axes import Axes

    found = [ax] if isinstance(ax, Axes) else _members(ax)
    for each in found:
        if not isinstance(each, Axes):
            hint = "; give figure.add_subplot() instead of the figure" if hasattr(each, "add_subplot") else ""
            raise ModelError(f"ax= must be axes of matplotlib, but it is {short(each)}{hint}.")
        kind = {"3d": "projection='3d'", "rectilinear": "no projection"}.get(each.name, f"projection={each.name!r}")
        if space != (each.name == "3d") or each.name not in ("3d", "rectilinear"):
            needed = "projection='3d'" if space else "no projection"
            raise ModelError(f"{what} needs axes made with {needed}; those given by ax= have {kind}.")
    if len(found) != count:
        many = f"{count} sets of axes" if count > 1 else "one set of axes"
        raise ModelError(
            f"{what} needs {many}, but ax= gives {len(found)}; leave ax= out, or ask for other quantities."
        )
    return found


def _members(ax: Any) -> list[Any]:
    if isinstance(ax, str) or not isinstance(ax, Iterable) or (isinstance(ax, np.ndarray) and not ax.ndim):
        return [ax]
    return list(np.ravel(np.array(list(ax), dtype=object)))


def as_given(axes: Iterable[Axes]) -> Any:
    """Axes as they are handed to a user: one by itself, several as an array, shape (n,)."""
    found = list(axes)
    if len(found) == 1:
        return found[0]
    out = np.empty(len(found), dtype=object)
    out[:] = found
    return out


def settled(ax: Any) -> Any:
    """The whole figure of some axes, laid out as it will be drawn, so that places on it are known in pixels."""
    figure = ax.figure
    figure = getattr(figure, "figure", None) or figure  # of a part of a figure: the whole
    layout = figure.get_layout_engine()
    if layout is not None:
        layout.execute(figure)
    ax.apply_aspect()
    return figure


def dress(figure: Any) -> None:
    """Give backgrounds, texts and frames that have Matplotlib's default colours those of the active theme."""
    theme = current()
    if (theme.paper, theme.text) == (themes.light.paper, themes.light.text):
        return  # Matplotlib's own
    import matplotlib as mpl
    from matplotlib.colors import same_color
    from matplotlib.text import Text

    figure = getattr(figure, "figure", None) or figure  # of a part of a figure: the whole
    default = mpl.rcParams
    if same_color(figure.get_facecolor(), default["figure.facecolor"]):
        figure.set_facecolor(theme.paper)
    for ax in figure.axes:
        if same_color(ax.get_facecolor(), default["axes.facecolor"]):
            ax.set_facecolor(theme.paper)
        for spine in ax.spines.values():
            if same_color(spine.get_edgecolor(), default["axes.edgecolor"]):
                spine.set_color(theme.frame)
        for name in ax._axis_names:
            if "labelcolor" not in getattr(ax, f"{name}axis").get_tick_params():
                ax.tick_params(axis=name, which="both", labelcolor=theme.text)
        legend = ax.get_legend()
        if legend is not None:
            legend.get_frame().set_facecolor(theme.paper)
            if same_color(legend.get_frame().get_edgecolor()[:3], _edge_of_legends(default)):
                legend.get_frame().set_edgecolor(theme.frame)
    for text in figure.findobj(Text):
        if same_color(text.get_color(), default["text.color"]):
            text.set_color(theme.text)


def _edge_of_legends(default: Any) -> Any:
    edge = default["legend.edgecolor"]
    return default["axes.edgecolor"] if edge == "inherit" else edge


def saved(figure: Figure, path: str | PathLike[str] | None) -> Figure:
    """The figure, written to a file whose suffix says what kind (png if it has none); None writes nothing.

    Raises:
        FileWriteError: The file cannot be written; the figure is in ``error.partial``.
    """
    dress(figure)
    if figure in _own:
        appears(figure)
    if path is None:
        return figure
    import matplotlib as mpl

    try:
        check_target(path)
        target = Path(path)
        kind = target.suffix[1:].lower() or "png"
        known = sorted(figure.canvas.get_supported_filetypes())
        if kind not in known:
            raise FileWriteError(
                f"the file {str(path)!r} cannot be written: its suffix must be one of {', '.join(known)}."
            )
        with (
            whole_file(target if target.suffix else target.with_name(target.name + ".png")) as file,
            mpl.rc_context(WRITTEN),
        ):
            figure.savefig(file, format=kind, dpi=150)
    except FileWriteError as error:
        error.partial = figure
        raise
    return figure
