"""A mechanism that stands still, to be drawn: as it is described, or assembled."""

from __future__ import annotations

from os import PathLike
from typing import TYPE_CHECKING

import numpy as np

from pytrammel.analysis.positions.assembly import assemble
from pytrammel.errors import TrammelError
from pytrammel.model.base import Model
from pytrammel.results.result import Result
from pytrammel.system.lowering import lower
from pytrammel.view.figure import saved

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def still(model: Model) -> Result:
    """One instant without velocities."""
    try:
        found = assemble(model)
        system, q, time = found.system, found.q, found.time
    except TrammelError:
        system, time = lower(model), 0.0
        q = system.start
    return Result(model, system, np.array([time]), np.atleast_2d(q), None, None, _notes=np.zeros((1, 4)))


def draw_model(model: Model, ax: Axes | None, *, labels: bool, path: str | PathLike[str] | None) -> Axes:
    """Draw a model as it is described; see `Model.draw`."""
    from pytrammel.view.result_views import check_axes
    from pytrammel.view.scene.planar_shapes import scene_of_plane
    from pytrammel.view.scene.spatial_shapes import scene_of_motion
    from pytrammel.view.stills.planar import draw
    from pytrammel.view.stills.spatial import draw_space

    times, q = np.zeros(1), np.array([[x for body in list(model.bodies.values())[1:] for x in body.coordinates]])
    check_axes(ax, model.space.dimension)
    if model.space.dimension == 3:
        drawn: Axes = draw_space(scene_of_motion(model, times, q), ax, labels=labels)
    else:
        drawn = draw(scene_of_plane(model, times, q), ax, labels=labels)
    saved(drawn.figure, path)  # type: ignore[arg-type]
    return drawn
