"""Plots of vectors along results: paths of points, and hodographs of velocities, accelerations and forces."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from pytrammel._util.messages import short
from pytrammel.errors import ModelError
from pytrammel.results.quantities import NO_FORCES
from pytrammel.results.result import Result
from pytrammel.view.figure import saved
from pytrammel.view.plots.panels import Line, Panel, draw_panels
from pytrammel.view.plots.quantities import Array, FilePath, Runs, Shown
from pytrammel.view.plots.results import entry, heading
from pytrammel.view.stills.space_lines import draw_space_lines
from pytrammel.view.theme import current


def plot_point_paths(
    runs: Runs, points: Sequence[str], *, plane: str | None, ax: Any, units: Any, title: str | None, path: FilePath
) -> Any:
    """Paths of points and bodies; see `Plots.path`."""
    chosen = list(points) or list(runs[0][1].model.points)
    if not chosen:
        raise ModelError("there is nothing to plot: give at least one point, or a body.")
    found = {(r, name): _mover(run, name).position for r, (_, run) in enumerate(runs) for name in chosen}
    heads = ("x", "y", "z")
    return _draw_vectors(runs, chosen, found, "m", heads, plane=plane, ax=ax, units=units, title=title, path=path)


def plot_hodographs(
    runs: Runs,
    names: Sequence[str],
    *,
    of: str,
    plane: str | None,
    ax: Any,
    units: Any,
    title: str | None,
    path: FilePath,
) -> Any:
    """Tips of vectors; see `Plots.hodograph`."""
    kinds = {"velocity": ("m/s", "v"), "acceleration": ("m/s²", "a"), "force": ("N", "F")}
    if of not in kinds:
        raise ModelError(f"of={short(of)} is not known; use one of: {', '.join(map(repr, kinds))}.")
    unit, letter = kinds[of]
    chosen = list(names) or _default_vectors(runs[0][1], of)
    if not chosen:
        raise ModelError(f"there is nothing to plot: name {'a joint' if of == 'force' else 'a point or a body'}.")
    found = {(r, name): _vector(run, name, of) for r, (_, run) in enumerate(runs) for name in chosen}
    heads = tuple(f"{letter}{axis}" for axis in "xyz")
    drawn = _draw_vectors(runs, chosen, found, unit, heads, plane=plane, ax=ax, units=units, title=title, path=None)
    drawn.plot(*[[0.0]] * (3 if drawn.name == "3d" else 2), "+", color=current().ink, ms=9, label="_")
    saved(drawn.figure, path)
    return drawn


def _default_vectors(run: Result, of: str) -> list[str]:
    if of == "force":
        return [c.name for c in run.model.constraints.values() if c.seats and not c.is_driver]
    return list(run.model.points)


def _vector(run: Result, name: str, of: str) -> Array:
    if of == "force":
        if run.dynamics is None:
            raise ModelError(NO_FORCES)
        return np.asarray(run.reaction(name).force)
    return np.asarray(getattr(_mover(run, name), of))


def _mover(run: Result, name: str) -> Any:
    """Motion of a point or of a body's origin, by name."""
    model = run.model
    if name in model.points:
        return run.point(name)
    if name in model.bodies:
        return run._body(name)
    raise model._unknown(name, "point or body", [*model.points, *list(model.bodies)[1:]])


def _draw_vectors(
    runs: Runs,
    names: Sequence[str],
    found: Mapping[tuple[int, str], Array],
    unit: str,
    heads: Sequence[str],
    *,
    plane: str | None,
    ax: Any,
    units: Any,
    title: str | None,
    path: FilePath,
) -> Any:
    shown = Shown(units, runs[0][1])
    tables = {key: shown.convert(key[1], table, unit) for key, table in found.items()}
    shown.check()
    unit = next(iter(tables.values()))[0]
    places = _plane(plane, runs[0][1].model.space.dimension)
    curves = [
        (
            entry(name, run, len(names), len(runs)),
            k if len(names) > 1 else r,
            r if len(names) > 1 else 0,
            tables[r, name][1],
        )
        for r, (run, _) in enumerate(runs)
        for k, name in enumerate(names)
    ]
    head = heading(runs, title)
    if len(places) == 3:
        return draw_space_lines(curves, [f"{head} [{unit}]" for head in heads], ax=ax, title=head, path=path)
    i, j = places
    lines = [Line(text, xyz[:, i], xyz[:, j], colour=k, dash=dash, way=True) for text, k, dash, xyz in curves]
    panel = Panel(f"{heads[i]} [{unit}]", f"{heads[j]} [{unit}]", lines, equal=True, legend=True)
    return draw_panels([panel], ax=ax, title=head, path=path)


def _plane(plane: Any, dimension: int) -> tuple[int, ...]:
    """Columns that are shown."""
    if plane is None:
        return tuple(range(dimension))
    axes = "xyz"[:dimension]
    if not isinstance(plane, str) or len(plane) != 2 or len(set(plane)) != 2 or not set(plane) <= set(axes):
        raise ModelError(
            f"plane={short(plane)} is not known; use two different ones of {', '.join(axes)}, such as {axes[:2]!r}."
        )
    return tuple(axes.index(letter) for letter in plane)
