"""The only place where figures are made and written: on an Agg canvas, so that nothing shows and no global state changes."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from trammel.errors import FileWriteError, TrammelError
from trammel.whole_file import check_target, whole_file

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def new_figure(width: float, height: float) -> Figure:
    """Empty figure [inch].

    Raises:
        TrammelError: matplotlib is not installed.
    """
    try:
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure
    except ImportError:
        raise TrammelError("plots and drawings need matplotlib: pip install 'trammel[view]'.") from None
    figure = Figure(figsize=(width, height), layout="constrained")
    FigureCanvasAgg(figure)
    return figure


def saved(figure: Figure, path: str | Path | None) -> Figure:
    """The figure, written to a file whose suffix says what kind (png if it has none); None writes nothing.

    Raises:
        FileWriteError: The file cannot be written; the figure is in ``error.partial``.
    """
    if path is None:
        return figure
    try:
        check_target(path)
        target = Path(path)
        kind = target.suffix[1:].lower() or "png"
        known = sorted(figure.canvas.get_supported_filetypes())
        if kind not in known:
            raise FileWriteError(
                f"the file {str(path)!r} cannot be written: its suffix must be one of {', '.join(known)}."
            )
        with whole_file(target if target.suffix else target.with_name(target.name + ".png")) as file:
            figure.savefig(file, format=kind, dpi=150)
    except FileWriteError as error:
        error.partial = figure
        raise
    return figure
