"""Animations as films: GIF with Pillow, MP4 with ffmpeg; drawn frame by frame like a drawing."""

from __future__ import annotations

import io
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from trammel.errors import FileWriteError
from trammel.view.figure import new_figure
from trammel.view.page import kept_frames, player_options
from trammel.whole_file import check_target, write_whole

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PAGES = (".html", ".htm")
FILMS = (".gif", ".mp4")
SCENES = (".glb", ".gltf")
MAX_FRAMES = 150  # a picture each: ten seconds at fifteen per second
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


def write_film(
    path: str | Path, times: NDArray[np.float64], draw_frame: Callable[[Figure, int], Any], *, duration: float | None
) -> Path:
    """Draw every frame and write them as one film.

    Args:
        path: File, .gif or .mp4.
        times: Instants of the motion [s], shape (n,).
        draw_frame: Draws one instant on an empty figure.
        duration: Length of the film [s]; None is real time, but at least 2 s and at most 20 s.
    """
    shown = float(player_options(times, 30.0, duration, None, MAX_FRAMES)["duration"] or 2.0)
    frames = kept_frames(len(times), min(MAX_FRAMES, max(2, int(15.0 * shown))))
    pictures = [_picture(draw_frame, int(frame)) for frame in frames]
    if Path(path).suffix.lower() == ".mp4":
        return write_whole(path, _encoded(pictures, len(frames) / shown))
    from PIL import Image

    images = [Image.fromarray(picture) for picture in pictures]
    memory = io.BytesIO()
    # a GIF counts in hundredths of a second, and viewers slow down below two of them
    pause = max(20, round(1000.0 * shown / len(images) / 10.0) * 10)
    images[0].save(memory, format="GIF", save_all=True, append_images=images[1:], duration=pause, loop=0)
    return write_whole(path, memory.getvalue())


def _picture(draw_frame: Callable[[Figure, int], Any], frame: int) -> NDArray[np.uint8]:
    figure = new_figure(8.0, 6.0)
    figure.set_dpi(DOTS)
    draw_frame(figure, frame)
    figure.set_layout_engine("none")  # it is laid out already, for the labels
    figure.canvas.draw()
    pixels: NDArray[np.uint8] = np.asarray(figure.canvas.buffer_rgba())[..., :3]  # type: ignore[attr-defined]
    return np.ascontiguousarray(pixels)


def _film_writer() -> Any:
    try:
        from matplotlib.animation import FFMpegWriter
    except ImportError:
        raise FileWriteError("films need matplotlib: pip install 'trammel[view]'.") from None
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
