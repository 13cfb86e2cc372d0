"""From a result to pictures: scenes with everything that is known, drawings, pages and films."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytrammel._util.checks import checked_number, whole_number
from pytrammel._util.messages import unlike
from pytrammel.errors import FileWriteError, ModelError
from pytrammel.results.interpolation import inserted
from pytrammel.results.result import Result
from pytrammel.view.animation.series import quantities_of
from pytrammel.view.figure import saved
from pytrammel.view.scene.arrows import arrows_of
from pytrammel.view.scene.phases import phases_of
from pytrammel.view.scene.planar import Scene
from pytrammel.view.scene.planar_shapes import scene_of_plane
from pytrammel.view.scene.spatial import SpaceScene
from pytrammel.view.scene.spatial_shapes import build_space_scene

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from pytrammel.view.html import Animation


def build_scene(result: Result, *, traces: Iterable[str] | None = None, arrows: bool = True) -> Scene:
    """Scene of a planar result: bodies drawn from their outlines, or from their joints where there are none."""
    scene = scene_of_plane(result.model, result.times, result.q, traces=traces, phases=phases_of(result))
    return replace(scene, arrows=arrows_of(result, scene)) if arrows else scene


ARROWS = ("load", "reaction", "velocity", "acceleration")
"""What can be drawn as arrows."""


def _with_time(result: Result, time: float) -> tuple[Result, int]:
    """The run with a row at any time within it [s], and the number of that row."""
    first, last, now = float(result.times[0]), float(result.times[-1]), checked_number(time, "time")
    if not first <= now <= last + 1e-9 * (last - first):
        texts = unlike(now, first, last, digits=9)
        raise ModelError(f"t = {texts[0]} s lies outside this run, which goes from {texts[1]} s to {texts[2]} s.")
    denser, rows = inserted(result, [min(now, last)])
    return denser, int(rows[0])


def draw_result(
    result: Result,
    ax: Axes | None,
    *,
    time: float | None,
    ghosts: int,
    traces: Iterable[str] | None,
    arrows: Iterable[str] | None,
    path: str | Path | None,
) -> Axes:
    """Static drawing of one instant; see `Result.draw`."""
    from pytrammel.view.stills.planar import draw
    from pytrammel.view.stills.spatial import draw_space

    wanted = None if arrows is None else _kinds(arrows)
    ghosts = whole_number(ghosts, "draw: ghosts", 0)
    result, frame = (result, 0) if time is None else _with_time(result, time)
    for segment in result._segments:  # parts may have been changed by then
        if segment.first <= frame < segment.last:
            result = replace(result, model=segment.model)
    check_axes(ax, result.model.space.dimension)
    if result.model.space.dimension == 3:
        space = build_space_scene(result, traces=traces)
        shown = space.show_arrows if wanted is None else wanted
        drawn: Axes = draw_space(space, ax, frame, ghosts=ghosts, arrows=shown)
    else:
        scene = build_scene(result, traces=traces)
        drawn = draw(scene, ax, frame=frame, ghosts=ghosts, arrows=("load", "moment") if wanted is None else wanted)
    saved(drawn.figure, path)  # type: ignore[arg-type]
    return drawn


def _kinds(arrows: Iterable[str]) -> tuple[str, ...]:
    """Kinds of arrows in a scene, of the plane or of space, for the words that people use."""
    more = {"load": ("moment",), "reaction": ("reaction-moment", "force", "moment")}
    given = (arrows,) if isinstance(arrows, str) else tuple(arrows)
    for word in given:
        if word not in ARROWS:
            raise ModelError(f"arrows can be {', '.join(ARROWS)}, not {word!r}; name some of these.")
    return tuple(kind for word in given for kind in (word, *more.get(word, ())))


def check_axes(ax: Axes | None, dimension: int) -> None:
    """Raise unless axes are of the kind that a model is drawn on."""
    if ax is not None and hasattr(ax, "get_zlim") != (dimension == 3):
        if dimension == 3:
            raise ModelError("a model in space is drawn on axes made with projection='3d'; these are flat.")
        raise ModelError("a planar model is drawn on plain axes; these were made with projection='3d'.")


def animation_of(
    result: Result, *, traces: Iterable[str] | None, duration: float | None, plots: Iterable[str]
) -> Animation:
    """The page that plays the motion, for a notebook."""
    from pytrammel.view.html import Animation

    with tempfile.TemporaryDirectory() as folder:
        page = write_animation(result, Path(folder) / "page.html", traces=traces, duration=duration, plots=plots)
        return Animation(result.model.name, page.read_text(encoding="utf-8"))


def _charts(result: Result, scene: Scene | SpaceScene) -> dict[str, Any] | None:
    """Positions for sliders that move one driver by itself, where there are several."""
    from pytrammel.view.animation.driver_charts import charts_of

    found = charts_of(result)
    return None if found is None else found.data(result, [body.name for body in scene.bodies], scene.length_factor)


def write_animation(
    result: Result, path: str | Path, *, traces: Iterable[str] | None, duration: float | None, plots: Iterable[str] = ()
) -> Path:
    """Page or film that plays the motion, as the suffix says."""
    from pytrammel.view.animation.gltf import write_gltf
    from pytrammel.view.animation.planar import write_html
    from pytrammel.view.animation.spatial import write_space_html
    from pytrammel.view.stills.film import FILMS, animation_kind, film_times, write_film
    from pytrammel.view.stills.planar import draw
    from pytrammel.view.stills.spatial import draw_space

    kind = animation_kind(path)
    places: dict[str, int] = {}  # labels of a film stay where they are from frame to frame
    film: dict[str, Any] = {"duration": duration}
    if kind in FILMS:
        result, film["frames"] = inserted(result, film_times(result.times, duration))
    if not Path(path).suffix:
        path = Path(path).with_name(Path(path).name + ".html")
    if result.model.space.dimension == 3:
        space = build_space_scene(result, traces=traces)
        if kind == "page":
            more: dict[str, Any] = {"quantities": quantities_of(result, shown=plots), "charts": _charts(result, space)}
            return write_space_html(space, path, duration=duration, **more)
        if kind == "scene":
            return write_gltf(space, path, duration=duration)
        return write_film(
            path,
            result.times,
            lambda f, k: draw_space(space, f.add_subplot(projection="3d"), k, places=places),
            **film,
        )
    if kind == "scene":
        raise FileWriteError(
            f"the file {str(path)!r} cannot be written: glTF shows models in space, and {result.model.name!r} is planar; write .html, .gif "
            "or .mp4."
        )
    scene = build_scene(result, traces=traces)
    if kind == "page":
        also: dict[str, Any] = {"quantities": quantities_of(result, shown=plots), "charts": _charts(result, scene)}
        return write_html(scene, path, duration=duration, **also)
    return write_film(path, result.times, lambda f, k: draw(scene, f.add_subplot(), k, places=places), **film)
