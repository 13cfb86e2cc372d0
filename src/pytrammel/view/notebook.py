"""Pictures in notebooks: what a cell has drawn appears below it, once, without pyplot and without any setting."""

from __future__ import annotations

import base64
import contextlib
import contextvars
import io
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from pytrammel._util.notebook_host import shell

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SHARPNESS = 2.0  # pixels of a picture per pixel of the page, for fine screens
DOTS = 96.0  # pixels of the page per inch
_waiting: list[Any] = []
_unseen: contextvars.ContextVar[bool] = contextvars.ContextVar("unseen", default=False)


@contextlib.contextmanager
def unseen() -> Iterator[None]:
    """While pictures are made for files and tables, they do not appear by themselves."""
    token = _unseen.set(True)
    try:
        yield
    finally:
        _unseen.reset(token)


def appears(figure: Figure) -> None:
    """Show the figure when the cell has run to its end, so that what the cell adds to it is shown as well."""
    running = shell()
    if running is None or _unseen.get():
        return
    if not any(figure is each for each in _waiting):
        _waiting.append(figure)
    if _show not in running.events.callbacks["post_execute"]:
        running.events.register("post_execute", _show)


def _show() -> None:
    from IPython.display import display

    for figure in _waiting[:]:
        _waiting.remove(figure)
        width, height = figure.get_size_inches() * DOTS
        size = {"width": round(width), "height": round(height)}
        picture = base64.b64encode(as_png(figure)).decode("ascii")
        display({"image/png": picture, "text/plain": "<picture>"}, metadata={"image/png": size}, raw=True)


def as_png(figure: Figure, sharpness: float = SHARPNESS) -> bytes:
    """The figure as a file in memory."""
    stream = io.BytesIO()
    figure.savefig(stream, format="png", dpi=sharpness * DOTS)
    return stream.getvalue()


def as_svg(figure: Figure) -> str:
    """The figure as text of an SVG element, to stand in a page."""
    import matplotlib as mpl

    stream = io.StringIO()
    with mpl.rc_context({"svg.fonttype": "none"}):
        figure.savefig(stream, format="svg", metadata={"Date": None, "Creator": None})
    text = stream.getvalue()
    return text[text.index("<svg") :]
