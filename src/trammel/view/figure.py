"""The only place where figures are made: on an Agg canvas, so that nothing shows and no global state changes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trammel.errors import TrammelError

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
