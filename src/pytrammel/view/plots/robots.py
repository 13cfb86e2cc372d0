"""Pictures of robot analyses: modes, joint coordinates along targets."""

from __future__ import annotations

import math
from os import PathLike
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from pytrammel._util.checks import whole_number
from pytrammel.view.figure import as_given, given_axes, new_figure, saved
from pytrammel.view.plots.panels import Line, Panel, draw_panels
from pytrammel.view.scene.planar_shapes import scene_of_plane
from pytrammel.view.scene.spatial_shapes import scene_of_motion
from pytrammel.view.stills.planar import draw
from pytrammel.view.stills.spatial import draw_space
from pytrammel.view.theme import current

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from pytrammel.model.base import Model
    from pytrammel.results.robotics.inverse import InverseKinematics
    from pytrammel.results.robotics.manipulability import Manipulability
    from pytrammel.results.robotics.modes import Modes
    from pytrammel.results.robotics.time_optimal import TimeOptimal

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


def plot_manipulability(found: Manipulability, *, ax: Any, path: str | PathLike[str] | None) -> Any:
    """Draw the ellipsoid of velocities, or plot measures of several positions; see `Manipulability.plot`."""
    if len(found) > 1:
        number = np.arange(float(len(found)))
        panels = [
            Panel("position", "manipulability [SI]", [Line("index", number, found.index)]),
            Panel(
                "position", "conditioning", [Line("end effector by actuators", number, found.conditioning, colour=1)]
            ),
        ]
        return draw_panels(panels, ax=ax, what="manipulability", path=path)
    space = found.model.space.dimension == 3
    axes = given_axes(ax, 1, "manipulability", space=space)
    if axes is None:
        figure = new_figure(6.0, 5.2)
        axes = [figure.add_subplot(projection="3d") if space else figure.add_subplot()]
    one: Any = axes[0]
    draw_at(found.model, found.bodies, one, 0)
    longest = float(found.velocities[0].max(initial=0.0))
    scale = 0.3 * _extent(found) / longest if longest else 0.0
    half = scale * found.velocities[0][:, None] * found.directions[0]
    centre = found.positions[0]
    names = [name for name in found.components if name in ("x", "y", "z")]
    columns = ["xyz".index(name) for name in names]
    angle = np.linspace(0.0, math.tau, 121)
    for i in range(len(half)):
        for j in range(i + 1, len(half)):
            ring = np.tile(centre, (len(angle), 1))
            ring[:, columns] += np.cos(angle)[:, None] * half[i] + np.sin(angle)[:, None] * half[j]
            one.plot(*ring.T, color=current().alert, linewidth=1.8, zorder=20)
    for axis in half:
        line = np.tile(centre, (2, 1))
        line[1, columns] += axis
        one.plot(*line.T, color=current().alert, linewidth=1.2, zorder=20)
    for k, (get, put) in enumerate(((one.get_xlim, one.set_xlim), (one.get_ylim, one.set_ylim))):
        more = 1.1 * scale * longest
        put(min(get()[0], centre[k] - more), max(get()[1], centre[k] + more))
    sizes = ", ".join(f"{x:.4g}" for x in found.velocities[0])
    one.set_title(
        f"manipulability of {found.place} in {found.model.name}: index {found.index[0]:.4g}\nhalf axes {sizes} (m/s per unit)",
        fontsize=10, parse_math=False,
    )  # fmt: skip
    saved(one.figure, path)
    return as_given(axes)


def _extent(found: Manipulability) -> float:
    """Largest distance between the end effector and an origin of a body [m]."""
    per = found.bodies.shape[1] // (len(found.model.bodies) - 1)
    dimension = found.positions.shape[1]
    origins = found.bodies[0].reshape(-1, per)[:, :dimension]
    return float(np.linalg.norm(origins - found.positions[0], axis=-1).max(initial=0.0)) or 1.0


def plot_time_optimal(found: TimeOptimal, *, ax: Any, path: str | PathLike[str] | None) -> Any:
    """Plot a fastest motion; see `TimeOptimal.plot`."""
    shown = np.where(found.largest_rate > 3.0 * found.rate.max(), np.nan, found.largest_rate)
    phase = [Line("motion", found.s, found.rate)]
    if np.isfinite(shown).any():
        phase.append(Line("largest possible rate", found.s, shown, colour=1, dash=1))
    efforts = [Line(name, found.times, found.efforts[:, k], colour=k) for k, name in enumerate(found.actuators)]
    ends = found.times[[0, -1]]
    for k in range(len(found.actuators)):
        for limit in (found.lower[k], found.upper[k]):
            if np.isfinite(limit):
                efforts.append(Line("", ends, np.full(2, limit), colour=k, dash=2))
    columns = [found.velocities.index(name) for name in found.actuators]
    rates = [
        Line(name, found.times, found.v[:, c], colour=k)
        for k, (name, c) in enumerate(zip(found.actuators, columns, strict=True))
    ]
    panels = [
        Panel("path parameter s", "rate of s [1/s]", phase, legend=True),
        Panel("t [s]", "effort [N, N m]", efforts, legend=len(found.actuators) <= 12),
        Panel("t [s]", "rate [m/s, rad/s]", rates, legend=len(found.actuators) <= 12),
    ]
    title = f"time-optimal motion of {found.model.name}: {found.duration:.4g} s"
    return draw_panels(panels, ax=ax, what="time-optimal motion", title=title, path=path)
