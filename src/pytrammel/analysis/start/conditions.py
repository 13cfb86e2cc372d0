"""Conditions on the start of a run: values and rates of measured quantities and formulas, given or held."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pytrammel._util.checks import checked_number
from pytrammel.analysis.at_state import measured_value
from pytrammel.analysis.freedom.rank import jacobian
from pytrammel.analysis.start.staged import Conditions
from pytrammel.errors import ModelError
from pytrammel.expressions.expression import Expression, as_expression
from pytrammel.kernels.measures import measures_run
from pytrammel.model.base import Model
from pytrammel.model.parameters import read_formula
from pytrammel.model.quantities.measures import formula_quantity, measured_inputs
from pytrammel.model.quantities.quantity import Quantity
from pytrammel.system.lowering import System, lower_measures

Array = NDArray[np.float64]
Wanted = Mapping[str, Any]


@dataclass(frozen=True)
class Condition:
    """A formula that must have a value at the start.

    Attributes:
        label: How the user calls it.
        formula: Of the inputs and t.
        inputs: Measured quantities by the name used in the formula.
        rates: Those of the inputs whose rate is meant; without any, the condition is one on positions.
        value: What it must be, or None: what it is as drawn.
        held: It was named in hold=.
    """

    label: str
    formula: Expression
    inputs: Mapping[str, Quantity]
    rates: frozenset[str]
    value: float | None
    held: bool

    @property
    def on_positions(self) -> bool:
        return not self.rates

    @property
    def quantity(self) -> Quantity:
        """What is measured, as one quantity."""
        names = self.formula.names
        if len(names) == 1 and str(self.formula) in names and "t" not in names:
            return replace(next(iter(self.inputs.values())), label=self.label)
        return formula_quantity(self.label, self.formula, self.inputs, self.rates)

    @property
    def wish(self) -> str:
        return f"{self.label} as drawn" if self.value is None else f"{self.label} = {self.value:g}"


def read_conditions(model: Model, initial: Wanted | None, hold: Sequence[Any]) -> list[Condition]:
    """Conditions from ``initial={"A.angle": 0.3, "A.angle.rate": 10.0}`` and ``hold=["P.x"]``.

    Raises:
        ModelError: Something unknown, without a value, or not a number.
    """
    out: list[Condition] = []
    if initial is not None and not isinstance(initial, Mapping):
        raise ModelError(f'initial must be names and values such as {{"A.angle": 0.3}}, but it is {initial!r}.')
    for name, value in (initial or {}).items():
        parts = _parts(model, name)
        values = [value] if len(parts) == 1 else value
        if not hasattr(values, "__len__") or isinstance(values, str) or len(values) != len(parts):
            raise ModelError(f"initial value of {name!r} must be {len(parts)} numbers, but it is {value!r}.")
        for part, number in zip(parts, values, strict=True):
            out.append(_read(model, part, checked_number(number, f"initial value of {part!r}"), held=False))
    out += [_read(model, name, None, held=True) for name in hold]
    return out


def _parts(model: Model, name: object) -> list[str]:
    """A vector of a body by its components, anything else as it is."""
    if not isinstance(name, str):
        raise ModelError(f"initial values go by name, such as 'A.angle' or 'P.x', not {name!r}.")
    owner, _, what = name.rpartition(".")
    space = model.space
    groups = {"position": space.axes, "velocity": tuple(space.rates)[: space.dimension]}
    if space.dimension == 3:
        groups["omega"] = tuple(space.rates)[space.dimension :]
    if owner in model.bodies and what in groups:
        return [f"{owner}.{part}" for part in groups[what]]
    return [name]


def _read(model: Model, name: Any, value: float | None, *, held: bool) -> Condition:
    user = "hold=" if held else "initial="
    if isinstance(name, Quantity):
        model.measure(name, user)
        label = str(name)
        return _checked(Condition(label, as_expression("q", user), {"q": name}, frozenset(), value, held))
    text = str(name).strip()
    of_formula = text.endswith(").rate")
    formula = read_formula(model, text.removesuffix(".rate") if of_formula else text, f"{user} {text!r}")
    inputs, rates = measured_inputs(model, f"{user} {text!r}", formula, "the start cannot be asked for")
    if not inputs:
        raise ModelError(f"{user} {text!r} names no measured quantity, such as 'A.angle' or 'P.x'.")
    if of_formula:
        if rates:
            raise ModelError(
                f"{user} {text!r}: the rate of a formula of rates is an acceleration, which follows from the forces."
            )
        inner = _checked(Condition(text, formula, inputs, frozenset(), value, held)).quantity
        return Condition(text, as_expression("f", user), {"f": inner}, frozenset({"f"}), value, held)
    return _checked(Condition(text, formula, inputs, rates, value, held))


def _checked(condition: Condition) -> Condition:
    for key, quantity in condition.inputs.items():
        if key not in condition.rates and not quantity.has_value:
            raise ModelError(
                f"{condition.label!r}: {quantity} is a rotation or a slip, which has a rate but no value; give its rate, or the "
                "angle of a joint."
            )
        if len(quantity.units) != 1:
            raise ModelError(f"{condition.label!r} has {len(quantity.units)} components; name one that is a number.")
    return condition


# --- positions -----------------------------------------------------------------------------------------------------------


def with_conditions(
    model: Model, conditions: Sequence[Condition], time: float, q: Array
) -> tuple[Model, dict[str, Condition]]:
    """A copy of the model in which drivers keep the conditions on positions, and the conditions by the drivers' names."""
    twin = model.copy()
    names: dict[str, Condition] = {}
    for k, condition in enumerate(conditions):
        quantity = condition.quantity
        value = condition.value
        if value is None:
            value = measured_value(model, quantity, time, q, np.zeros(_columns(model)))[0]
        name = f"start_{k}"
        while name in twin:
            name += "_"
        twin.driver(name, quantity, value)
        names[name] = condition
    return twin, names


def _columns(model: Model) -> int:
    extras = sum(len(c.extras) for c in model.constraints.values())
    return len(model.space.columns) * (len(model.bodies) - 1) + extras


# --- velocities ----------------------------------------------------------------------------------------------------------


class RateConditions:
    """Conditions on rates at one position, linear in the velocities or made so step by step."""

    def __init__(self, model: Model, conditions: Sequence[Condition], time: float, q: Array) -> None:
        self.conditions, self.time = list(conditions), time
        self.names = [(k, key) for k, c in enumerate(conditions) for key in sorted(c.inputs)]
        self.small: System = lower_measures(model, [conditions[k].inputs[key] for k, key in self.names])
        self.q = q
        rows = range(len(self.names))
        self.rows = jacobian(self.small, q, time, rows) * self.small.row_scales()[list(rows)][:, None]
        self.values, self.drifts = self._measured(np.zeros(self.small.n_columns))

    def _measured(self, v: Array) -> tuple[Array, Array]:
        values, rates, seconds = (np.zeros((1, len(self.names))) for _ in range(3))
        measures_run(
            self.small.ints, self.small.floats, np.array([float(self.time)]), self.q.reshape(1, -1).copy(), v.reshape(1, -1).copy(),
            np.zeros((1, v.size)), values, rates, seconds,
        )  # fmt: skip
        return values[0], rates[0]

    def known_from(self, k: int, given: Sequence[int]) -> bool:
        """True if the velocities in some columns alone make up the rates in a condition."""
        own = [j for j, (owner, key) in enumerate(self.names) if owner == k and key in self.conditions[k].rates]
        free = np.ones(self.rows.shape[1], dtype=bool)
        free[list(given)] = False
        return bool((np.abs(self.rows[own][:, free]) <= 1e-12 * np.abs(self.rows[own]).max(initial=1e-300)).all())

    def now(self, v: Array) -> Array:
        """What the formulas are with velocities v."""
        return np.array([c.formula.evaluate(self._point(k, v)) for k, c in enumerate(self.conditions)], dtype=float)

    def _point(self, k: int, v: Array) -> dict[str, float]:
        x = v / self.small.column_scales()
        rates = self.drifts + self.rows @ x
        out = {"t": self.time}
        for j, (owner, key) in enumerate(self.names):
            if owner == k:
                out[key] = float(rates[j] if key in self.conditions[k].rates else self.values[j])
        return out

    def linear(self, v: Array, targets: Array) -> Conditions:
        """The conditions as rows near velocities v."""
        x = v / self.small.column_scales()
        rows = np.zeros((len(self.conditions), x.size))
        with np.errstate(all="ignore"):  # the caller looks for what is not a number
            for k, condition in enumerate(self.conditions):
                point = self._point(k, v)
                for j, (owner, key) in enumerate(self.names):
                    if owner == k and key in condition.rates:
                        rows[k] += float(condition.formula.derivative(key).evaluate(point)) * self.rows[j]
            values = targets - self.now(v) + rows @ x
        sizes = np.linalg.norm(rows, axis=1)
        sizes[sizes == 0.0] = 1.0
        return Conditions(rows / sizes[:, None], values / sizes)
