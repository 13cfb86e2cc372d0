"""Pictures of robot analyses: modes, joint coordinates along targets."""

from __future__ import annotations

import math
from os import PathLike
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from trammel.checks import whole_number
from trammel.view.drawing import draw
from trammel.view.figure import new_figure, saved
from trammel.view.from_model import scene_of_plane
from trammel.view.panels import Line, Panel, draw_panels
from trammel.view.space_drawing import draw_space
from trammel.view.space_from_result import scene_of_motion

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from trammel.model.base import Model
    from trammel.results.robotics.inverse import InverseKinematics
    from trammel.results.robotics.modes import Modes

Array = NDArray[np.float64]
ACROSS = 4  # drawings side by side


def plot_modes(modes: Modes, *, most: int, path: str | PathLike[str] | None) -> Figure:
    """Draw a mechanism in several positions; see `Modes.plot`."""
    shown = min(len(modes), whole_number(most, "most", 1))
    across = min(ACROSS, shown)
    figure = new_figure(3.4 * across, 3.4 * math.ceil(shown / across))
    space = modes.model.space.dimension == 3
    for k in range(shown):
        place = (math.ceil(shown / across), across, k + 1)
        ax = figure.add_subplot(*place, projection="3d") if space else figure.add_subplot(*place)
        draw_at(modes.model, modes.bodies[:shown], ax, k)
        ax.set_title(f"{k}", fontsize=9)
    left = f", the first {shown} shown" if shown < len(modes) else ""
    figure.suptitle(f"{len(modes)} {modes.kind} of {modes.model.name}{left}", fontsize=11, parse_math=False)
    return saved(figure, path)


def draw_at(model: Model, bodies: Array, ax: Any, frame: int, *, ghosts: int = 0) -> None:
    """Draw a model at one of several positions on given axes, all with the same limits."""
    times = np.arange(float(len(bodies)))
    if model.space.dimension == 3:
        draw_space(
            scene_of_motion(model, times, bodies, traces=()), ax, frame=frame, ghosts=ghosts, traces=False, labels=False
        )
    else:
        draw(
            scene_of_plane(model, times, bodies, traces=()), ax, frame=frame, ghosts=ghosts, traces=False, labels=False
        )


def plot_inverse(found: InverseKinematics, *, ax: Any, path: str | PathLike[str] | None) -> Any:
    """Plot joint coordinates and conditioning over the targets; see `InverseKinematics.plot`."""
    number = np.arange(float(len(found)))
    panels = []
    for unit, label, factor in (
        ("rad", "angle [°]", 180.0 / math.pi),
        ("m", "displacement [m]", 1.0),
        ("", "Euler parameter", 1.0),
    ):
        lines = [
            Line(name, number, factor * found.q[:, k], colour=k)
            for k, name in enumerate(found.coordinates)
            if found.units[k] == unit
        ]
        if lines:
            panels.append(Panel("target", label, lines, legend=len(lines) <= 12))
    conditioning = [Line("type 1 (end effector)", number, found.serial, colour=0)]
    if found.parallel.min() < 0.999:
        conditioning.append(Line("type 2 (actuators)", number, found.parallel, colour=1, dash=1))
    panels.append(Panel("target", "conditioning", conditioning, legend=True))
    return draw_panels(panels, ax=ax, what="inverse kinematics", path=path)
