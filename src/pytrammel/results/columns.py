"""Columns of tables: any quantity of a result by its name, and measured quantities along its motion."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from pytrammel._util.messages import short
from pytrammel._util.progress import in_pieces
from pytrammel.errors import ModelError
from pytrammel.joints.constraint import Constraint
from pytrammel.kernels.jit import prepare
from pytrammel.kernels.measures import measures_run
from pytrammel.model.quantities.quantity import Quantity
from pytrammel.results.forces.dynamics import reaction_of
from pytrammel.results.forces.force_names import dynamics_column
from pytrammel.results.quantities import Column, in_unit, more_columns, split_unit, unknown_quantity
from pytrammel.results.segments import per_model
from pytrammel.results.series import Series
from pytrammel.system.lowering import lower_measures
from pytrammel.units import read_unit

if TYPE_CHECKING:
    from pytrammel.results.result import Result


class Columns:
    """Columns of one table; what several of them have in common is found when it is first needed, and once."""

    def __init__(self, result: Result) -> None:
        self.result = result
        self._found: dict[tuple[str, str], Any] = {}

    def column(self, name: str) -> Column:
        """Values and unit of a named quantity."""
        result, model = self.result, self.result.model
        plain, unit = split_unit(name) if isinstance(name, str) else (name, "")
        if unit:
            return in_unit(plain, self.column(plain), unit)
        owner, _, what = name.rpartition(".") if isinstance(name, str) else ("", "", "")
        if result.dynamics is not None:
            found = dynamics_column(result, name, self._reaction)
            if found is not None:
                return found
        found = more_columns(result, owner, what, self._reaction)
        if found is not None:
            return found
        if what in ("rate", "acceleration"):
            series = self._measure(owner, name)
            values = series.rate if what == "rate" else series.acceleration
            if values is None:
                level, number = ("velocity", 2) if what == "rate" else ("acceleration", 3)
                raise ModelError(
                    f"{name!r} was not computed. Use level={level!r} in kinematics, or --level {number} for a KAP deck."
                )
            return values, series.unit + ("/s" if what == "rate" else "/s²")
        space = model.space
        if space.dimension == 3 and owner in model.bodies:
            columns = self._of_body(owner)
            if what in columns:
                return columns[what]
        if (
            what in {**space.rates, **space.accelerations}
            and owner in model
            and not isinstance(model[owner], Constraint)
        ):
            base = {**space.rates, **space.accelerations}[what]
            if base not in space.axes and owner in model.points:
                raise ModelError(f"point {owner!r} has no {what!r}; it has {', '.join(result._suffixes(points=True))}.")
            return self.column(f"{owner}.{base}.{'rate' if what in space.rates else 'acceleration'}")
        series = self._measure(name)
        return series.value, series.unit

    def _once(self, kind: str, name: str, find: Callable[[], Any]) -> Any:
        if (kind, name) not in self._found:
            self._found[kind, name] = find()
        return self._found[kind, name]

    def _measure(self, name: str, requested: str = "") -> Series:
        try:
            self.result.model.measure(name)
        except ModelError:
            raise unknown_quantity(self.result, requested or name) from None
        found: Series = self._once("measure", name, lambda: self.result._measure(name))
        return found

    def _of_body(self, name: str) -> dict[str, Column]:
        found: dict[str, Any] = self._once("body", name, lambda: self.result._body(name).columns)
        return found

    def _reaction(self, result: Result, joint: Constraint, body: str) -> Any:
        return self._once("reaction", f"{joint.name} on {body}", lambda: reaction_of(result, joint, body))


@per_model
def measured(result: Result, quantities: Sequence[Quantity | str]) -> list[Series]:
    """Measured quantities along a run with one model."""
    if not quantities:
        return []
    model, n = result.model, len(result)
    system = lower_measures(model, [model.measure(quantity) for quantity in quantities])
    if system.n_coordinates != result.q.shape[1]:
        raise ModelError(
            f"model {model.name!r} has changed since this run (it has {system.n_coordinates} coordinates now, the run has "
            f"{result.q.shape[1]}); add bodies and angles before the run, or run again."
        )
    prepare(["measures_run", *system.primitives])
    zeros = np.zeros((n, system.n_columns))
    values, rates, seconds = (np.zeros((n, len(system.rows))) for _ in range(3))
    v = result.v if result.v is not None else zeros
    a = result.a if result.a is not None else zeros
    tables = (*map(np.ascontiguousarray, (result.times, result.q, v, a)), values, rates, seconds)
    in_pieces(measures_run, (system.ints, system.floats), tables, system.n_columns)
    return [
        Series(
            row.label, row.unit, values[:, k],
            rates[:, k] if result.v is not None else None,
            seconds[:, k] if result.a is not None else None,
        )
        for k, row in enumerate(system.rows)
    ]  # fmt: skip


def named_in_unit(result: Result, key: tuple[Any, ...]) -> str:
    """Name with unit, "P.x [mm]", from the pair of ``r["P.x", "mm"]``."""
    if len(key) != 2 or not all(isinstance(each, str) for each in key):
        raise ModelError(f"a result is indexed by a name, or by a name and a unit, but the key is {short(key)}.")
    name, unit = key
    if name in result.model and name not in result.model.states:
        raise ModelError(f"{name!r} is not a quantity, so it has no unit. Use a quantity of it, e.g. '{name}.x'.")
    if split_unit(name)[1]:
        raise ModelError(f"{name!r} already names a unit. Use it without the unit {unit!r}.")
    return f"{name} [{unit}]"


def series_of(result: Result, name: str | Quantity) -> Series:
    """A quantity with its rate and acceleration, as far as they are known, in SI or the unit of its name."""
    if not isinstance(name, str):
        return result._measure(name)
    plain, unit = split_unit(name)
    column, own = result._column(name)
    try:
        result.model.measure(plain)
    except ModelError:
        base = plain.removesuffix(".rate")
        rate, acceleration = (derived(result, base, order + (base != plain)) for order in (1, 2))
    else:
        found = result._measure(plain)
        rate, acceleration = found.rate, found.acceleration
    if unit:
        factor = read_unit(result._column(plain)[1] or "1")[0] / read_unit(unit)[0]
        rate = None if rate is None else rate * factor
        acceleration = None if acceleration is None else acceleration * factor
    return Series(plain, own, column, rate, acceleration)


def derived(result: Result, name: str, order: int) -> NDArray[np.float64] | None:
    """Rate (order 1) or acceleration (order 2) of a quantity in SI; None where results have none."""
    owner, _, what = name.rpartition(".")
    space = result.model.space
    if what in space.rates and owner in result.model and not isinstance(result.model[owner], Constraint):
        name, order = f"{owner}.{space.rates[what]}", order + 1
    try:
        return None if order > 2 else result._column(f"{name}.{'rate' if order == 1 else 'acceleration'}")[0]
    except ModelError:
        return None
