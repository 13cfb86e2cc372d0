"""Animations as films: GIF with Pillow, MP4 with ffmpeg; drawn frame by frame like a drawing."""

from __future__ import annotations

import io
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from pytrammel._util.atomic_write import check_target, write_whole
from pytrammel._util.extras import install_command
from pytrammel.errors import FileWriteError
from pytrammel.view.animation.page import length_of, player_options
from pytrammel.view.figure import dress, new_figure
from pytrammel.view.scene.planar import Array
from pytrammel.view.theme import current

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PAGES = (".html", ".htm")
FILMS = (".gif", ".mp4")
SCENES = (".glb", ".gltf")
MAX_FRAMES = 151  # pictures of a film: ten seconds at fifteen per second
DOTS = 100  # per inch


def animation_kind(path: str | Path) -> str:
    """The words "page" or "scene", or the suffix of a film; a sentence at once for anything else, before any work."""
    check_target(path)
    suffix = Path(path).suffix.lower()
    if suffix in PAGES or not suffix:
        return "page"
    if suffix in SCENES:
        return "scene"
    if suffix not in FILMS:
        known = ", ".join((*PAGES, *FILMS, *SCENES))
        raise FileWriteError(
            f"the file {str(path)!r} cannot be written: an animation's suffix must be one of {known}, not {suffix!r}."
        )
    if suffix == ".mp4" and not _film_writer().isAvailable():
        raise FileWriteError(
            f"the file {str(path)!r} cannot be written: films need the program ffmpeg, which is not there; install it, or write a "
            ".gif or .html."
        )
    return suffix


def film_times(times: Array, duration: float | None) -> Array:
    """Times of the pictures of a film [s]: evenly spread, as many as there are samples but no more than a film can show."""
    number = min(len(times), MAX_FRAMES, max(2, 1 + round(15.0 * _length(times, duration))))
    even = np.linspace(times[0], times[-1], number)
    near = times[np.minimum(np.searchsorted(times, even), len(times) - 1)]
    return np.unique(
        np.where(np.abs(near - even) <= 1e-9 * (times[-1] - times[0]), near, even)
    )  # samples without rounding


def write_film(
    path: str | Path,
    times: Array,
    draw_frame: Callable[[Figure, int], Any],
    *,
    frames: NDArray[np.int64],
    duration: float | None,
) -> Path:
    """Draw some frames of a motion, evenly spread over time, and write them as one film.

    Args:
        path: File, .gif or .mp4.
        times: Times of the motion [s], shape (n,).
        draw_frame: Draws one row of the motion on an empty figure.
        frames: Rows that are drawn, from `film_times`.
        duration: Length of the film [s]; None is real time, but at least 2 s and at most 20 s.
    """
    shown = _length(times, duration)
    pace = length_of(times) / shown
    words = f"{float(f'{pace:.3g}'):g}× real time" if abs(pace - 1.0) > 5e-3 and pace > 0.0 else ""
    pictures = [_picture(draw_frame, int(frame), words) for frame in frames]
    if Path(path).suffix.lower() == ".mp4":
        return write_whole(path, _encoded(pictures, max(len(frames) - 1, 1) / shown))
    from PIL import Image

    images = [Image.fromarray(picture) for picture in pictures]
    memory = io.BytesIO()
    images[0].save(memory, "GIF", save_all=True, append_images=images[1:], duration=pauses(len(images), shown), loop=0)
    return write_whole(path, memory.getvalue())


def _length(times: Array, duration: float | None) -> float:
    return float(player_options(times, 30.0, duration, None, MAX_FRAMES)["duration"] or 2.0)


def pauses(number: int, shown: float) -> list[int]:
    """Time for which each picture of a GIF stands [ms], the first and the last one half as long as the others: ``shown`` [s] together.

    A GIF counts in hundredths of a second, and viewers slow down below two of them. Rounding does not add up.
    """
    ends = np.concatenate([[0.0], (np.arange(number - 1) + 0.5) / max(number - 1, 1), [1.0]])
    return np.maximum(10 * np.diff(np.round(100.0 * shown * ends).astype(int)), 20).tolist()  # type: ignore[no-any-return]


def _picture(draw_frame: Callable[[Figure, int], Any], frame: int, words: str) -> NDArray[np.uint8]:
    figure = new_figure(8.0, 6.0)
    figure.set_dpi(DOTS)
    draw_frame(figure, frame)
    figure.text(0.99, 0.985, words, ha="right", va="top", fontsize=8, color=current().soft)
    dress(figure)
    figure.set_layout_engine("none")  # it is laid out already, for the labels
    figure.canvas.draw()
    pixels: NDArray[np.uint8] = np.asarray(figure.canvas.buffer_rgba())[..., :3]  # type: ignore[attr-defined]
    return np.ascontiguousarray(pixels)


def _film_writer() -> Any:
    try:
        from matplotlib.animation import FFMpegWriter
    except ImportError:
        raise FileWriteError(f"films need matplotlib: {install_command('view')}.") from None
    return FFMpegWriter


def _encoded(pictures: list[NDArray[np.uint8]], rate: float) -> bytes:
    figure = new_figure(8.0, 6.0)
    axes = figure.add_axes((0.0, 0.0, 1.0, 1.0))
    axes.set_axis_off()
    shown = axes.imshow(pictures[0])
    writer = _film_writer()(fps=rate)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "film.mp4"
        with writer.saving(figure, str(file), DOTS):
            for picture in pictures:
                shown.set_data(picture)
                writer.grab_frame()
        return file.read_bytes()
