"""Columns of tables: any quantity of a result by its name, and measured quantities along its motion."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

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
        if what in ("rate", "second"):
            series = self._measure(owner, name)
            values = series.rate if what == "rate" else series.second
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
                raise ModelError(f"point {owner!r} has no {what!r}; it has {', '.join(result.suffixes(points=True))}.")
            return self.column(f"{owner}.{base}.{'rate' if what in space.rates else 'second'}")
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
        found: Series = self._once("measure", name, lambda: self.result.measure(name))
        return found

    def _of_body(self, name: str) -> dict[str, Column]:
        found: dict[str, Any] = self._once("body", name, lambda: self.result.body(name).columns)
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
