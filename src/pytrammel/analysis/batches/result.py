"""What comes out of a batch: labelled arrays over variants, times and quantities; reductions; why variants failed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pytrammel._util.checks import checked, with_checked_names
from pytrammel._util.extras import install_command
from pytrammel._util.messages import brief, number_of, short
from pytrammel.analysis.batches.samples import Table
from pytrammel.analysis.batches.work import Task
from pytrammel.errors import ModelError, RunWarning
from pytrammel.io.results.export import needed
from pytrammel.model.base import Model
from pytrammel.results.events import Singularity

Array = NDArray[np.float64]
NAMED = 5  # failures that are shown


@with_checked_names
@brief
@dataclass(frozen=True)
class BatchResult:
    """Results of many variants of one model.

    Attributes:
        parameters: Values of the parameters that vary, SI, each of shape (N,).
        states: Starting values that vary, each of shape (N,).
        times: Instants [s], shape (n,).
        quantities: Names of the series that were kept.
        units: Their units, by name.
        reductions: What was made of each run, by name, each of shape (N,); NaN where a run failed.
        failures: Why a variant has no full result, by its number.
        warnings: What runs know to be doubtful, by the number of the variant.
        singularities: Singular positions (change points) that kinematics passed, by the number of the variant.
        interrupted: Whether Ctrl-C ended the batch early; the variants that are missing are among the failures.
        wall_time: Wall time [s].
        n_fallback: How many variants were run one by one; the others went through compiled chunks, with the same numbers.
        fallback_reason: Why all were, if so, or why others than the kernels that were asked for ran them.
        device: Where they were run, as it was asked for.
        kernels: What ran the compiled chunks: "generic" kernels, or "specialized" ones, which were written out for the model.
    """

    parameters: Mapping[str, Array]
    states: Mapping[str, Array]
    times: Array
    quantities: tuple[str, ...]
    units: Mapping[str, str]
    reductions: Mapping[str, Array]
    failures: Mapping[int, str]
    warnings: Mapping[int, tuple[RunWarning, ...]]
    singularities: Mapping[int, tuple[Singularity, ...]]
    interrupted: bool
    wall_time: float
    n_fallback: int
    fallback_reason: str
    device: str
    kernels: str
    _kept: Array = field(repr=False)
    _task: Task = field(repr=False)
    _values: Array = field(repr=False)
    _states: Array = field(repr=False)
    _table: Table | None = field(repr=False)

    def __len__(self) -> int:
        return len(self._values)

    @property
    def ok(self) -> NDArray[np.bool_]:
        """Which variants have a full result, shape (N,)."""
        good = np.ones(len(self), dtype=bool)
        good[list(self.failures)] = False
        return good

    @checked
    def values(self, name: str) -> Array:
        """Series of a quantity that was kept, shape (N, n); NaN from where a run failed. Or a reduction, shape (N,)."""
        if name in self.quantities:
            return self._kept[:, :, self.quantities.index(name)]
        if name in self.reductions:
            return self.reductions[name]
        if name in self.parameters:
            return self.parameters[name]
        known = ", ".join([*self.quantities, *self.reductions]) or "nothing"
        raise ModelError(
            f"{short(name)} was not kept in this batch; it has: {known}. Ask for it with keep=[{short(name)}], or see single(k)."
        )

    __getitem__ = values

    @checked
    def single(self, k: int) -> Any:
        """The full result of one variant, run by itself; its failure is raised."""
        count = len(self)
        if isinstance(k, bool) or not isinstance(k, int | np.integer) or not -count <= k < count:
            raise ModelError(f"there is no variant {short(k)}; they are numbered 0 to {count - 1}.")
        return self._task.single(self._values[k], self._states[k])

    @checked
    def model(self, k: int) -> Model:
        """The model of one variant."""
        return self._task.variant(self._values[k])

    @checked
    def plot(self, *names: str, x: str | None = None, ax: Any = None, path: str | Path | None = None) -> Any:
        """Plot reductions over a parameter, e.g. an amplitude over a speed; variants that failed leave gaps.

        Args:
            names: Reductions, a set of axes each; defaults to all.
            x: Parameter or starting value on the x axis; defaults to the first one that varies. Each combination of the others has
                a curve.
            ax: Axes to draw on, one set per reduction; a figure of its own by default.
            path: File to write (.png, .svg, .pdf ... by its suffix); None writes nothing.
        """
        from pytrammel.view.plots.batches import plot_reductions

        return plot_reductions(self.reductions, {**self.parameters, **self.states}, names, x, ax, path)

    def to_dataframe(self) -> Any:
        """pandas DataFrame with one row per variant: parameters, starting values, reductions, and why it failed.

        Where series were kept, each variant has one row per instant, with the variant and the time as index. Needs ``pytrammel[table]``.
        """
        try:
            import pandas as pd
        except ImportError as error:
            raise ModelError(f"to_dataframe needs pandas: {install_command('table')}.") from error
        count, n = len(self), self.times.size
        per_variant = {**self.parameters, **self.states, **self.reductions}
        notes = self._notes()
        if not self.quantities:
            return pd.DataFrame({**per_variant, **notes}, index=pd.RangeIndex(count, name="variant"))
        index = pd.MultiIndex.from_product([range(count), self.times], names=["variant", "t"])
        columns = {name: np.repeat(values, n) for name, values in per_variant.items()}
        columns |= {name: self.values(name).ravel() for name in self.quantities}
        return pd.DataFrame({**columns, **{name: np.repeat(x, n) for name, x in notes.items()}}, index=index)

    def _notes(self) -> dict[str, Any]:
        """Failures by variant, and warnings if there are any."""
        count = len(self)
        out = {"failure": np.array([self.failures.get(k, "") for k in range(count)], dtype=object)}
        if self.warnings:
            told = ["; ".join(map(str, self.warnings.get(k, ()))) for k in range(count)]
            out["warning"] = np.array(told, dtype=object)
        return out

    def to_xarray(self) -> Any:
        """xarray Dataset: one variable per quantity over variant and t, one per reduction over variant; a grid has its parameters as axes.

        Units are in ``attrs["units"]``, reasons of failures in the variable "failure", warnings in "warning" if there are any.
        Needs ``pytrammel[xarray]``.
        """
        xr = needed("xarray", "to_xarray")
        axes: dict[str, Any] = {} if self._table is None else dict(self._table.dims)
        shape = tuple(axis.size for axis in axes.values()) or (len(self),)
        dims = tuple(axes) or ("variant",)
        data: dict[str, Any] = {}
        for name in self.quantities:
            table = self.values(name).reshape(*shape, self.times.size)
            data[name] = ((*dims, "t"), table, {"units": self.units[name]})
        for name, numbers in self.reductions.items():
            data[name] = (dims, numbers.reshape(shape), {"formula": dict(self._task.reductions)[name]})
        data |= {name: (dims, notes.reshape(shape)) for name, notes in self._notes().items()}
        coords: dict[str, Any] = {"t": ("t", self.times, {"units": "s"})}
        coords |= axes or {"variant": np.arange(len(self))}
        known = {**self.parameters, **self.states}
        coords |= {name: (dims, numbers.reshape(shape)) for name, numbers in known.items() if name not in axes}
        return xr.Dataset(data, coords=coords, attrs={"model": self._task.model.name, "analysis": self._task.verb})

    def __str__(self) -> str:
        task = self._task
        lines = [
            f"{task.model.name}: {task.verb} of {number_of(len(self), 'variant')} in {self.wall_time:.3g} s"
            + (f", {self.n_fallback} of them one by one" if self.n_fallback else "")
            + (f", not by {self.device} kernels" if self.fallback_reason and not self.n_fallback else "")
            + (f" ({self.fallback_reason})" if self.fallback_reason else "")
            + (", by kernels written out for the model" if self.kernels == "specialized" else "")
        ]
        for name, numbers in {**self.parameters, **self.states}.items():
            lines.append(f"  {name}: {_range(numbers)}")
        for name, numbers in self.reductions.items():
            lines.append(f"  {name}: {_range(numbers)}")
        if self.quantities:
            lines.append(f"  kept at {self.times.size} instants: {', '.join(self.quantities)}")
        if self.failures:
            lines.append(f"  {len(self.failures)} without a full result:")
            lines += [f"    variant {k}: {text}" for k, text in list(self.failures.items())[:NAMED]]
        if self.warnings:
            lines.append(f"  {len(self.warnings)} with warnings")
        return "\n".join(lines)


def _range(numbers: Array) -> str:
    known = numbers[np.isfinite(numbers)]
    return f"{known.min():.6g} … {known.max():.6g}" if known.size else "no numbers"
