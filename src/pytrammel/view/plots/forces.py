"""Plots of forces along results: energies and their balance, reactions and efforts."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from typing import Any

import numpy as np

from pytrammel._util.messages import short
from pytrammel.errors import ModelError
from pytrammel.joints.constraint import Constraint
from pytrammel.results.forces.force_names import ENERGIES
from pytrammel.results.quantities import NO_FORCES
from pytrammel.results.result import Result
from pytrammel.view.plots.panels import Panel, draw_panels
from pytrammel.view.plots.quantities import FilePath, Runs, Shown
from pytrammel.view.plots.results import by_unit, heading, what_of

_ROUNDING = 1e-9
_NIL = 1e-12  # share of the largest energy below which one is not worth a curve


def plot_energies(
    runs: Runs, parts: Sequence[str], *, x: Any, ax: Any, units: Any, title: str | None, path: FilePath
) -> Any:
    """Energies and their balance; see `Plots.energy`."""
    for label, run in runs:
        if run.dynamics is None:
            raise ModelError(f"run {label!r}: {NO_FORCES}" if label else NO_FORCES)
    for part in parts:
        if part not in ENERGIES:
            near = difflib.get_close_matches(str(part), ENERGIES, n=1)
            hint = f"did you mean {near[0]!r}?" if near else f"there are: {', '.join(ENERGIES)}."
            raise ModelError(f"there is no energy {short(part)}; {hint}")
    chosen = list(parts) or _worth_showing(runs[0][1])
    above, below = [p for p in chosen if p != "balance"], [p for p in chosen if p == "balance"]
    shown = Shown(units, runs[0][1])
    panels: list[Panel] = []
    for names in filter(None, (above, below)):
        found = [
            (
                label,
                shown.of(label, run, "t" if x is None else x),
                [shown.of(label, run, f"energy.{name}") for name in names],
            )
            for label, run in runs
        ]
        more = by_unit(found, names, turning=x is not None)
        panels += more if names is below or len(names) == 1 else [_headed(panel, "energy") for panel in more]
    shown.check()
    return draw_panels(panels, ax=ax, what=what_of(panels), title=heading(runs, title), path=path)


def _headed(panel: Panel, head: str) -> Panel:
    return Panel(panel.x_label, f"{head} {panel.y_label}", panel.lines)


def _worth_showing(run: Result) -> list[str]:
    """Energies that are known and not nil all the time."""
    values = {name: np.asarray(getattr(run.energy, name)) for name in ENERGIES}
    sizes = {name: float(np.abs(value).max()) for name, value in values.items() if np.isfinite(value).all()}
    largest = max((size for name, size in sizes.items() if name != "balance"), default=0.0)
    return [name for name, size in sizes.items() if size > _NIL * largest or name == "balance"]


def plot_joint_forces(
    runs: Runs,
    joints: Sequence[str],
    *,
    components: bool,
    x: Any,
    ax: Any,
    units: Any,
    turns: int | None,
    title: str | None,
    path: FilePath,
) -> Any:
    """Forces of joints and efforts of drivers; see `Plots.reactions`."""
    for label, run in runs:
        if run.dynamics is None:
            raise ModelError(f"run {label!r}: {NO_FORCES}" if label else NO_FORCES)
    model = runs[0][1].model
    chosen = [model.joint(name, "reaction") for name in joints] if joints else list(model.constraints.values())
    groups = _force_names(chosen, model.space.dimension, components=components, named=bool(joints))
    if not groups:
        raise ModelError(f"model {model.name!r} has no joint with a reaction and no driver.")
    shown = Shown(units, runs[0][1])
    panels: list[Panel] = []
    for head, names in groups:
        found = [
            (label, shown.of(label, run, "t" if x is None else x), [shown.of(label, run, name) for name in names])
            for label, run in runs
        ]
        short_names = [name.rpartition(".")[2] if components else name.partition(".")[0] for name in names]
        kept_names = [j for j in range(len(names)) if not components or _acts(runs, names[j])] or [0]
        kept = [(label, across, [columns[j] for j in kept_names]) for label, across, columns in found]
        more = by_unit(kept, [short_names[j] for j in kept_names], turns=turns, turning=x is not None)
        panels += [_headed(panel, head) if len(panel.lines) > len(runs) else panel for panel in more] if not components else [
            Panel(p.x_label, f"{head} [{p.y_label.rpartition('[')[2]}", p.lines, legend=True) for p in more
        ]  # fmt: skip
    shown.check()
    return draw_panels(panels, ax=ax, what=what_of(panels), title=heading(runs, title), path=path)


def _acts(runs: Runs, name: str) -> bool:
    """Return True if a component of a reaction is more than rounding beside the joint's force at the arm of the model's size."""
    joint, _, part = name.rpartition(".reaction.")
    for _, run in runs:
        size = float(run._column(f"{joint}.reaction.magnitude")[0].max())
        scale = size * (run._system.length if part.startswith("m") else 1.0)
        if float(np.abs(run._column(name)[0]).max()) > _ROUNDING * scale:
            return True
    return False


def _force_names(
    joints: Sequence[Constraint], dimension: int, *, components: bool, named: bool
) -> list[tuple[str, list[str]]]:
    """Columns of each group of panels, with what the group is called."""
    bearing = [c for c in joints if c.seats and not c.is_driver]
    driving = [f"{c.name}.effort" for c in joints if c not in bearing and c.n_rows == 1 and (c.is_driver or named)]
    for joint in joints:
        if named and joint not in bearing and f"{joint.name}.effort" not in driving:
            raise ModelError(
                f"{joint.kind} {joint.name!r} has neither a place for a reaction nor an effort; leave it out."
            )
    efforts = [("effort", driving)] if driving else []
    if not components:
        return ([("force", [f"{c.name}.reaction" for c in bearing])] if bearing else []) + efforts
    parts = ("x", "y", "moment") if dimension == 2 else ("x", "y", "z", "mx", "my", "mz")
    return [(c.name, [f"{c.name}.reaction.{part}" for part in parts]) for c in bearing] + efforts
