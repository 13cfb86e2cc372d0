"""Which values parameters take in a batch: tables, grids and samples."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pytrammel._util.messages import brief, short
from pytrammel.analysis.options import MEMORY_SHARE, machine_memory, tool
from pytrammel.errors import ModelError
from pytrammel.model.base import Model
from pytrammel.model.parameters import checked_free, free_parameters
from pytrammel.units import Dimension, in_words, read_measured

Array = NDArray[np.float64]
MOST = 2**62  # of variants, and of seeds
COPIES = 3  # of a table while it is made
METHODS = ("sobol", "halton", "latin", "random")


@brief
@dataclass(frozen=True)
class Grid:
    """Every combination of some values, made by `grid`.

    Attributes:
        axes: Values of each parameter; the last one varies fastest.
        measured: What those measure that were given with a unit.
    """

    axes: Mapping[str, Array]
    measured: Mapping[str, Dimension] = field(default_factory=dict, repr=False)

    def __len__(self) -> int:
        return math.prod(axis.size for axis in self.axes.values())


@brief
@dataclass(frozen=True)
class Sample:
    """Values chosen within bounds or tolerances, made by `sample`."""

    count: int
    method: str
    seed: int
    names: tuple[str, ...] | None
    within: str

    def __len__(self) -> int:
        return self.count

    def of(self, model: Model) -> dict[str, Array]:
        """Values by name, within what the model says of its parameters."""
        names = checked_free(model, self.names, "sample") if self.names is not None else self._limited(model)
        ends = np.array([self._ends(model, name) for name in names])
        unit = self.unit(len(names))
        table = ends[:, 0] + unit * (ends[:, 1] - ends[:, 0])
        return {name: table[:, k] for k, name in enumerate(names)}

    def _limited(self, model: Model) -> tuple[str, ...]:
        """Parameters that have what the values are to be within, those that nothing uses left out."""
        free = [name for name in free_parameters(model) if name not in model.unused_parameters]
        found = tuple(name for name in free if self._known(model, name) is not None)
        if not found:
            option = "bounds=(low, high)" if self.within == "bounds" else "tolerance="
            raise ModelError(
                f"sample: no parameter of model {model.name!r} has {self.within}; give {option} with m.parameter, or "
                f"NAME = {{value = …, {self.within if self.within == 'bounds' else 'tolerance'} = …}} in a model file, or take a table."
            )
        return found

    def _known(self, model: Model, name: str) -> tuple[float, float] | None:
        parameter = model.parameters[name]
        if self.within == "bounds":
            return parameter.bounds if all(map(math.isfinite, parameter.bounds)) else None
        if parameter.tolerance is None:
            return None
        minus, plus = parameter.tolerance
        return parameter.value - minus, parameter.value + plus

    def _ends(self, model: Model, name: str) -> tuple[float, float]:
        found = self._known(model, name)
        if found is None:
            raise ModelError(
                f"sample: the parameter {name!r} has no {'finite bounds' if self.within == 'bounds' else 'tolerance'} to choose values "
                f"within; give {'bounds=(low, high)' if self.within == 'bounds' else 'tolerance='} with m.parameter."
            )
        return found

    def unit(self, columns: int) -> Array:
        """Points in the unit cube, shape (n, columns)."""
        random = np.random.default_rng(self.seed)
        if self.method == "random":
            return random.random((self.count, columns))
        from scipy.stats import qmc

        kinds = {"sobol": qmc.Sobol, "halton": qmc.Halton, "latin": qmc.LatinHypercube}
        # SciPy called the seed so before 1.15, and still takes the generator in the same place by name
        try:
            engine = kinds[self.method](columns, rng=random)
        except TypeError:
            engine = kinds[self.method](columns, seed=random)
        if self.method != "sobol":
            return np.asarray(engine.random(self.count))
        return np.asarray(engine.random_base2(max(0, math.ceil(math.log2(self.count))))[: self.count])


@brief
@dataclass(frozen=True)
class Table:
    """Values of parameters, one row per variant.

    Attributes:
        names: Parameters that vary.
        values: Their values, SI, shape (N, len(names)).
        dims: Names and values of the axes of a grid; empty for a plain list of variants.
    """

    names: tuple[str, ...]
    values: Array
    dims: Mapping[str, Array] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.values)


def grid(**axes: ArrayLike) -> Grid:
    """Every combination of the given values of parameters, for ``m.batch``.

        m.batch(tm.grid(crank=[0.08, 0.1, 0.12], rod=np.linspace(0.3, 0.5, 11)))

    Args:
        **axes: Values of each parameter, numbers or texts with a unit; the last parameter varies fastest.
    """
    if not axes:
        raise ModelError("grid needs at least one parameter and its values: tm.grid(crank=[0.08, 0.1]).")
    measured: dict[str, Dimension] = {}
    found = {name: _column(values, name, measured) for name, values in axes.items()}
    for name, values in found.items():
        if not values.size:
            raise ModelError(f"grid: {name} has no values.")
        if np.unique(values).size < values.size:
            raise ModelError(f"grid: values of {name} stand in it twice; give each once.")
    return Grid(found, measured)


@tool()
def sample(
    n: int,
    *,
    method: Literal["sobol", "halton", "latin", "random"] = "sobol",
    seed: int = 0,
    variables: Sequence[str] | None = None,
    within: Literal["bounds", "tolerance"] = "bounds",
) -> Sample:
    """Values of parameters spread over their bounds or tolerances, for ``m.batch``.

    Args:
        n: How many variants.
        method: "sobol" or "halton" (sequences that fill space evenly, scrambled), "latin" (Latin hypercube) or "random".
        seed: The same seed gives the same values.
        variables: Parameters that vary; by default all that have bounds (or tolerances) and are used.
        within: Their "bounds" or their "tolerance".
    """
    for what, value, least in (("n", n, 1), ("seed", seed, 0)):
        if isinstance(value, bool) or not isinstance(value, int | np.integer) or not least <= value < MOST:
            raise ModelError(
                f"sample: {what} must be a whole number of at least {least} and less than 2**62, but it is {short(value)}."
            )
    if method not in METHODS:
        raise ModelError(f"sample: method {short(method)} is not known; use one of: {', '.join(METHODS)}.")
    if within not in ("bounds", "tolerance"):
        raise ModelError(f"sample: within must be 'bounds' or 'tolerance', but it is {short(within)}.")
    if variables is not None and not list(variables):
        raise ModelError(
            "sample: variables is empty; name the parameters that vary, or leave it out for all that have bounds."
        )
    return Sample(int(n), method, int(seed), None if variables is None else tuple(variables), within)


def table_of(model: Model, given: Any) -> Table | None:
    """Checked values of parameters from whatever was given; None if nothing was."""
    if given is None:
        return None
    dims: Mapping[str, Array] = {}
    measured: dict[str, Dimension] = {}
    if isinstance(given, Grid):
        dims = given.axes
        measured |= given.measured
        _refuse_too_many(len(given), len(given.axes))
        every = np.meshgrid(*given.axes.values(), indexing="ij")
        columns = {name: values.ravel() for name, values in zip(given.axes, every, strict=True)}
    elif isinstance(given, Sample):
        _refuse_too_many(len(given), len(given.names or model.parameters))
        columns = given.of(model)
    else:
        usual = {name: p.value for name, p in model.parameters.items()}
        columns = columns_of(given, "parameters", usual, measured)
    names = checked_free(model, columns, "batch")
    if not names:
        raise ModelError("batch: the table of parameters has no columns; give values by name.")
    values = np.column_stack([columns[name] for name in names])
    for k, name in enumerate(names):
        wanted = model.parameters[name].dimension
        if wanted is not None and measured.get(name, wanted) != wanted:
            raise ModelError(
                f"batch: the parameter {name!r} is {in_words(wanted)}, but it is given values of {in_words(measured[name])}."
            )
        _refuse_beyond(model, name, values[:, k])
    return Table(names, np.ascontiguousarray(values, dtype=float), dims)


def columns_of(
    given: Any, what: str, usual: Mapping[str, float], measured: dict[str, Dimension] | None = None
) -> dict[str, Array]:
    """Columns of equal lengths from a mapping, a list of mappings, a structured array or a data frame.

    Args:
        given: The table.
        what: What it is, as it should stand in an error message.
        usual: Values for what a row of a list does not say.
        measured: Filled with what those measure that are given with a unit.
    """
    measured = {} if measured is None else measured
    if hasattr(given, "columns") and hasattr(given, "to_dict"):
        twice = [name for name in given.columns if list(given.columns).count(name) > 1]
        if twice:
            raise ModelError(
                f"{what} of a batch: the data frame has more than one column {str(twice[0])!r}; keep one of them."
            )
        given = {str(name): given[name].to_numpy() for name in given.columns}
    elif isinstance(given, np.ndarray) and given.dtype.names:
        given = {name: given[name] for name in given.dtype.names}
    elif isinstance(given, Sequence) and not isinstance(given, str) and all(isinstance(x, Mapping) for x in given):
        given = _from_rows(given, what, usual)
    if not isinstance(given, Mapping):
        raise ModelError(
            f"{what} of a batch must be arrays by name, a list of dicts, a structured array, a data frame, tm.grid or tm.sample, but it "
            f"is {short(given)}."
        )
    columns = {name: _column(values, str(name), measured) for name, values in given.items()}
    lengths = {name: values.size for name, values in columns.items() if np.ndim(given[name])}
    if not lengths:
        lengths = dict.fromkeys(columns, 1)
    longest = max(lengths.values(), default=0)
    for name, count in lengths.items():
        if count != longest:
            other = next(key for key, size in lengths.items() if size == longest)
            raise ModelError(
                f"{what} of a batch: {name!r} has {count} values but {other!r} has {longest}; give one for every variant, or a single "
                "number for all."
            )
    if columns and not longest:
        raise ModelError(f"{what} of a batch have no rows: there is nothing to compute.")
    return {name: values if name in lengths else np.full(longest, values[0]) for name, values in columns.items()}


def _from_rows(rows: Sequence[Mapping[str, Any]], what: str, usual: Mapping[str, float]) -> dict[str, list[Any]]:
    names = dict.fromkeys(name for row in rows for name in row)
    for k, row in enumerate(rows):
        for name in names:
            if name not in row and name not in usual:
                raise ModelError(f"{what} of a batch: row {k} says nothing about {name!r}, and others do.")
    return {name: [row.get(name, usual.get(name)) for row in rows] for name in names}


def _column(values: Any, name: str, measured: dict[str, Dimension]) -> Array:
    """Numbers of one parameter, texts with a unit converted."""
    if np.ma.is_masked(values):
        raise ModelError(f"{name}: a value is masked; give a number for every variant.")
    try:
        listed = np.atleast_1d(np.asarray(values))
    except ValueError:
        raise ModelError(
            f"{name}: values must be numbers, one for each variant, but they are {short(values)}."
        ) from None
    if listed.ndim != 1:
        raise ModelError(f"{name}: values must be in one row, but they have the shape {listed.shape}.")
    if listed.dtype.kind in "USO":
        listed = np.array([_number(value, name, measured) for value in listed.tolist()])
    if listed.dtype.kind not in "fiu":
        raise ModelError(f"{name}: values must be numbers, but they are {short(values)}.")
    found = listed.astype(float)
    wrong = np.flatnonzero(~np.isfinite(found))
    if wrong.size:
        raise ModelError(f"{name}: value number {wrong[0]} is {found[wrong[0]]}; it must be a finite number.")
    return found


def _number(value: Any, name: str, measured: dict[str, Dimension]) -> float:
    found = read_measured(value, name) if isinstance(value, str) else None
    if found is not None:
        if measured.setdefault(name, found.dimension) != found.dimension:
            raise ModelError(
                f"{name}: one of its values is {value!r}, {in_words(found.dimension)}, and another {in_words(measured[name])}."
            )
        return found.value
    try:
        if isinstance(value, bool | np.bool_):
            raise ValueError
        return float(value)
    except (TypeError, ValueError):
        raise ModelError(f"{name}: values must be numbers, but one of them is {short(value)}.") from None


def _refuse_too_many(count: int, columns: int) -> None:
    needed, there = 8.0 * COPIES * count * columns, machine_memory()
    if needed > MEMORY_SHARE * there:
        raise ModelError(
            f"batch: {count:.3g} variants of {columns} parameters need {needed / 1e9:.3g} GB of memory for their values alone, more than "
            f"{MEMORY_SHARE:.0%} of the {there / 1e9:.3g} GB of this machine; take fewer, or some at a time."
        )


def _refuse_beyond(model: Model, name: str, values: Array) -> None:
    low, high = model.parameters[name].bounds
    wrong = np.flatnonzero(~((low <= values) & (values <= high)))
    if wrong.size:
        raise ModelError(
            f"batch: the parameter {name!r} is {values[wrong[0]]:g} in variant {wrong[0]}, beyond its bounds {low:g} … {high:g}"
            + (f" (and in {wrong.size - 1} more)" if wrong.size > 1 else "")
            + "; give values within them, or wider bounds."
        )
