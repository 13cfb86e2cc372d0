"""Pictures of workspaces: conditioning in colours, singular loci as lines."""

from __future__ import annotations

from os import PathLike
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import NDArray

from pytrammel.errors import ModelError
from pytrammel.view.figure import as_given, given_axes, new_figure, saved
from pytrammel.view.scene.planar_shapes import scene_of_plane
from pytrammel.view.stills.planar import draw
from pytrammel.view.theme import current, curve_colour

if TYPE_CHECKING:
    from pytrammel.results.robotics.workspace import Workspace

Array = NDArray[np.float64]
LABELS = {
    "dexterity": "dexterity (conditioning of the end effector by the actuators)",
    "manipulability": "manipulability (lengths relative to the model's length)",
    "serial": "conditioning of the end effector (type 1: 0)",
    "parallel": "conditioning of the actuators (type 2: 0)",
}


def plot_workspace(
    space: Workspace, *, of: str, branch: int | None, ax: Any, mechanism: bool, path: str | PathLike[str] | None
) -> Any:
    """Plot a workspace; see `Workspace.plot`."""
    dimension = len(space.over)
    if dimension == 3:
        return _plot_volume(space, of=of, branch=branch, ax=ax, path=path)
    values = best(space, of, branch)
    axes = given_axes(ax, 1, "workspace")
    if axes is None:
        axes = [new_figure(6.4, 5.4 if dimension == 2 else 3.4).subplots()]
    one = axes[0]
    if dimension == 1:
        one.plot(space.axes[0], values, color=curve_colour(0))
        for points, colour, label in (
            (space.type_1, curve_colour(1), "type 1"),
            (space.type_2, curve_colour(2), "type 2"),
        ):
            for k, x in enumerate(np.unique(points.round(9))):
                one.axvline(x, color=colour, label="_" if k else label, linewidth=1)
        one.set_xlabel(f"{space.over[0]} [m]")
        one.set_ylabel(of)
        one.legend(*one.get_legend_handles_labels(), frameon=False)
        saved(cast(Any, one.figure), path)
        return as_given(axes)
    if mechanism and space.model.space.dimension == 2:
        draw(
            scene_of_plane(space.model, np.zeros(1), space.bodies[:1], traces=()),
            one,
            frame=0,
            traces=False,
            labels=False,
        )
    shown = one.pcolormesh(
        *space.axes, _spread(values).T, cmap=current().level_map, shading="nearest", vmin=0.0, zorder=0.1
    )
    shown.set_clip_path(_inside(space), one.transData)
    one.figure.colorbar(shown, ax=one, label=LABELS[of], shrink=0.85)
    _lines(one, space)
    corners = np.concatenate(space.outlines)
    low, high = corners.min(axis=0), corners.max(axis=0)
    for k in range(2):
        (one.set_xlim, one.set_ylim)[k](*(low[k] - 0.08 * (high - low).max(), high[k] + 0.08 * (high - low).max()))
    one.set_aspect("equal")
    one.set_axis_on()
    one.set_xlabel(f"{space.over[0]} [m]")
    one.set_ylabel(f"{space.over[1]} [m]")
    at = ", ".join(f"{name} = {value:.4g} m" for name, value in space.at.items())
    number = f"{len(space)} branches" if len(space) > 1 else "one branch"
    one.set_title(
        f"workspace of {space.place} in {space.model.name}: {number}, {space.size:.4g} m²" + (f"\nat {at}" if at else ""),
        fontsize=10, parse_math=False,
    )  # fmt: skip
    saved(cast(Any, one.figure), path)
    return as_given(axes)


def best(space: Workspace, of: str, branch: int | None) -> Array:
    """Values of a branch, or the largest of all branches; NaN where no branch leads."""
    all_values: Array = getattr(space, of)
    if branch is not None:
        return np.asarray(all_values[branch])
    filled = np.where(np.isnan(all_values), -np.inf, all_values).max(axis=0)
    return np.where(np.isfinite(filled), filled, np.nan)


def _spread(values: Array) -> Array:
    """Values of neighbours at nodes without one, so that colours reach the boundary."""
    shifted = np.full((9, *values.shape), np.nan)
    wide = np.pad(values, 1, constant_values=np.nan)
    for k in range(9):
        i, j = divmod(k, 3)
        shifted[k] = wide[i : i + values.shape[0], j : j + values.shape[1]]
    known = np.isfinite(shifted)
    mean = np.where(known, shifted, 0.0).sum(axis=0) / np.maximum(known.sum(axis=0), 1)
    return np.where(np.isfinite(values), values, np.where(known.any(axis=0), mean, np.nan))


def _inside(space: Workspace) -> Any:
    """The workspace as a path."""
    from matplotlib.path import Path

    return Path.make_compound_path(
        *(Path(np.vstack([one, one[:1]]), closed=True) for one in map(_turned_left, space.outlines))
    )


def _turned_left(polygon: Array) -> Array:
    """A polygon in mathematically positive order, so that overlapping ones add up."""
    x, y = polygon.T
    return polygon if x @ np.roll(y, -1) > y @ np.roll(x, -1) else polygon[::-1]


def _lines(ax: Any, space: Workspace) -> None:
    """Boundary and singular loci."""
    from matplotlib.collections import LineCollection

    entries = []
    for lines, colour, label, width in (
        (space.type_1_lines, current().ink, "boundary (type 1)" if len(space.type_1) else "boundary", 1.4),
        (space.type_2_lines, current().alert, "type 2", 2.0),
    ):
        if len(lines):
            entries.append(ax.add_collection(LineCollection(list(lines), colors=colour, linewidths=width, label=label)))
    if len(space.limited):
        entries.append(ax.scatter(*space.limited.T, s=7, color=current().warn, label="limit of a joint", zorder=3))
    if entries:
        ax.legend(handles=entries, fontsize=8, loc="upper right", framealpha=0.9)


def _plot_volume(space: Workspace, *, of: str, branch: int | None, ax: Any, path: str | PathLike[str] | None) -> Any:
    """Positions at the boundary of a volume in colours, and its singular points of type 2."""
    axes = given_axes(ax, 1, "workspace", space=True)
    if axes is None:
        axes = [new_figure(6.8, 5.6).add_subplot(projection="3d")]
    one: Any = axes[0]
    values = best(space, of, branch)
    inside = np.isfinite(values)
    if not inside.any():
        raise ModelError("there is nothing to plot: no position is reached.")
    inner = inside.copy()
    for k in range(3):
        for shift in (1, -1):
            inner &= np.roll(inside, shift, axis=k)
    grid = np.meshgrid(*space.axes, indexing="ij")
    shell = inside & ~inner
    shown = one.scatter(*(x[shell] for x in grid), c=values[shell], cmap=current().level_map, vmin=0.0, s=14, alpha=0.9)
    one.figure.colorbar(shown, ax=one, label=LABELS[of], shrink=0.7)
    if len(space.type_2):
        one.scatter(*space.type_2.T, s=5, color=current().alert, label="type 2")
        one.legend(fontsize=8)
    one.set_aspect("equal")
    for name, put in zip(space.over, (one.set_xlabel, one.set_ylabel, one.set_zlabel), strict=True):
        put(f"{name} [m]")
    one.set_title(
        f"workspace of {space.place} in {space.model.name}: {space.size:.4g} m³", fontsize=10, parse_math=False
    )
    saved(cast(Any, one.figure), path)
    return as_given(axes)
