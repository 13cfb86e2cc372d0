"""From the values of a model's parameters to the numbers of its lowered system, for many variants at once.

A model is lowered once. Other values of its parameters change the float buffer, the drawn coordinates and the length scale; the
integers stay, as long as the structure does. A variant with another structure, or one whose description is refused, says so.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trammel.errors import ModelError, TrammelError
from trammel.model.base import Model
from trammel.model.constraint import Constraint
from trammel.model.expression import Expression
from trammel.model.parameters import free_parameters
from trammel.model.quantity import Quantity
from trammel.sentences import brief, short
from trammel.system.lowering import System, lower

Array = NDArray[np.float64]
Also = Mapping[str, Callable[[System], Any]]

# sixth-order central differences of smooth closed forms: rounding and truncation meet at about 1e-12 of the entry
STEP = 6e-3
WEIGHTS = ((1, 45.0 / 60.0), (2, -9.0 / 60.0), (3, 1.0 / 60.0))


@brief
@dataclass(frozen=True)
class Variants:
    """The numbers of many variants of one lowered system.

    Attributes:
        values: Of the parameters, shape (N, n_parameters).
        floats: Float buffers, shape (N, n_floats); bit for bit what lowering each variant would give.
        start: Drawn coordinates, shape (N, n_coordinates).
        velocities: Starting velocities that were given with the bodies, NaN where nothing was said, shape (N, n_columns).
        inner: Inner states at the start, shape (N, n_states).
        length: Length scales [m], shape (N,).
        fits: Whether a variant has the integers of the system, shape (N,); where not, its numbers are NaN and it must be run by itself.
        errors: Why the description of a variant is refused, by its row.
        also: What else was asked for, by its name, each of shape (N, ...).
    """

    values: Array
    floats: Array
    start: Array
    velocities: Array
    inner: Array
    length: Array
    fits: NDArray[np.bool_]
    errors: Mapping[int, str]
    also: Mapping[str, Array] = field(default_factory=dict)


@brief
@dataclass(frozen=True)
class Derivatives:
    """How the numbers of a lowered system change with the parameters; the last axis counts them.

    Attributes:
        floats: Of the float buffer, shape (n_floats, n_parameters).
        start: Of the drawn coordinates, shape (n_coordinates, n_parameters).
        velocities: Of the given starting velocities, 0 where nothing was said, shape (n_columns, n_parameters).
        inner: Of inner states at the start, shape (n_states, n_parameters).
        length: Of the length scale, shape (n_parameters,).
        also: Of what else was asked for, by its name.
    """

    floats: Array
    start: Array
    velocities: Array
    inner: Array
    length: Array
    also: Mapping[str, Array] = field(default_factory=dict)


@dataclass(frozen=True)
class _Numbers:
    """Everything of one variant that the parameters can change, in one row."""

    sizes: tuple[int, ...]
    names: tuple[str, ...]

    def split(self, table: Array) -> dict[str, Array]:
        ends = np.cumsum((0, *self.sizes))
        return {name: table[..., a:b] for name, a, b in zip(self.names, ends[:-1], ends[1:], strict=True)}


_OWN = ("floats", "start", "velocities", "inner", "length")


class ParameterMap:
    """From values of the free parameters to the numbers of the lowered system; made by `parameter_map`.

    Attributes:
        system: The system, lowered at the values that the model has now.
        names: Parameters that were given as numbers; formulas of others follow them.
        values: Their values now, SI, shape (n_parameters,).
    """

    def __init__(self, model: Model, asked: Mapping[str, Any], also: Also) -> None:
        self._model, self._asked, self._also = model, asked, also
        self.system = _lowered_as(model, asked)
        self.names = free_parameters(model)
        self.values = np.array([model.parameters[name].value for name in self.names])
        self._laws = [law.address for law in self.system.laws]
        own = _pieces(self.system, also)
        self._numbers = _Numbers(tuple(piece.size for piece in own.values()), tuple(own))

    def at(self, values: Any, *, bounded: bool = True) -> Variants:
        """Numbers for many sets of values.

        Args:
            values: Values of the parameters in the order of `names`, SI, shape (N, n_parameters).
            bounded: Refuse variants in which a parameter is beyond its bounds.
        """
        table = self._checked(values)
        rows = np.full((len(table), sum(self._numbers.sizes)), np.nan)
        fits, errors = np.zeros(len(table), dtype=bool), {}
        for k, own in enumerate(table):
            try:
                found = self._row(own, bounded)
            except TrammelError as error:
                errors[k] = str(error)
                continue
            if found is not None:
                rows[k], fits[k] = found, True
        parts = self._numbers.split(rows)
        also = {name: parts[name] for name in self._also}
        shown = {name: parts[name] for name in _OWN}
        shown["length"] = shown["length"][:, 0]
        return Variants(values=table, fits=fits, errors=errors, also=also, **shown)

    def jacobian(self, values: Any = None) -> Derivatives:
        """Derivatives of the numbers with respect to the parameters at one set of values, by default the present one."""
        at = self.values if values is None else self._checked(values)[0]
        columns = [self._differences(at, k) for k in range(len(self.names))]
        whole = np.array(columns).reshape(len(columns), sum(self._numbers.sizes)).T
        parts = {name: part.T for name, part in self._numbers.split(whole.T).items()}
        parts["velocities"] = np.nan_to_num(parts["velocities"], nan=0.0)
        return Derivatives(
            **{name: parts[name] for name in _OWN[:-1]},
            length=parts["length"][0],
            also={name: parts[name] for name in self._also},
        )

    def model(self, values: Any) -> Model:
        """The model with these values, described again in Python."""
        return self._described(self._checked(values)[0], bounded=True)

    def _described(self, row: Array, bounded: bool) -> Model:
        return self._model._with_parameters(dict(zip(self.names, map(float, row), strict=True)), bounded=bounded)

    def _row(self, row: Array, bounded: bool) -> Array | None:
        """Numbers of one variant, described and lowered by itself; None if it has another structure."""
        twin = _lowered_as(self._described(row, bounded), self._asked)
        if not self._same_integers(twin):
            return None
        pieces = _pieces(twin, self._also)
        if tuple(piece.size for piece in pieces.values()) != self._numbers.sizes:
            return None
        return np.concatenate(list(pieces.values()))

    def _same_integers(self, other: System) -> bool:
        if other.ints.shape != self.system.ints.shape:
            return False
        ints = other.ints
        if self._laws:  # functions of the user are compiled anew each time, and are elsewhere then
            ints = ints.copy()
            for here, there in zip(self._laws, other.laws, strict=True):
                ints[(self.system.ints == here) & (ints == there.address)] = here
        return bool(np.array_equal(ints, self.system.ints))

    def _differences(self, at: Array, k: int) -> Array:
        name = self.names[k]
        total: Array | float = 0.0
        step = STEP * (abs(at[k]) or 1.0)
        for ahead, weight in WEIGHTS:
            for sign in (1.0, -1.0):
                moved = at.copy()
                moved[k] += sign * ahead * step
                try:
                    found = self._row(moved, bounded=False)
                except TrammelError as error:
                    raise ModelError(
                        f"there is no derivative with respect to {name!r} at {at[k]:g}, because the model is refused nearby: {error}"
                    ) from error
                if found is None:
                    raise ModelError(
                        f"there is no derivative with respect to {name!r} at {at[k]:g}, because the model changes its structure nearby."
                    )
                total = total + sign * weight * found
        return np.asarray(total) / step

    def _checked(self, values: Any) -> Array:
        try:
            table = np.array(values, dtype=float)
        except (TypeError, ValueError):
            raise ModelError(f"values of parameters must be numbers, but they are {short(values)}.") from None
        table = table[None, :] if table.ndim == 1 else table
        if table.ndim != 2 or table.shape[1] != len(self.names):
            raise ModelError(
                f"values of parameters must be a table of {len(self.names)} columns ({', '.join(self.names) or 'none'}), but its shape is "
                f"{np.shape(values)}."
            )
        return table


def parameter_map(
    model: Model,
    *,
    constraints: Sequence[Constraint] | None = None,
    prescribed: Mapping[str, Expression] | None = None,
    dynamics: bool = False,
    measured: Sequence[Quantity | str] = (),
    also: Also | None = None,
) -> ParameterMap:
    """Make the map from a model's parameters to the numbers of its lowered system.

    Args:
        model: The model.
        constraints, prescribed, dynamics, measured: What to lower, as for `lower`; measured quantities may be names.
        also: More numbers that are wanted of each variant: functions of its lowered system, by name.
    """
    names = None if constraints is None else tuple(c.name for c in constraints)
    spoken = tuple(q if isinstance(q, str) else model.spoken(q) for q in measured)
    for quantity in spoken:
        if not isinstance(quantity, str):
            raise ModelError(
                f"the measured quantity {quantity} has no name by which variants could find it; m.define a formula or add a point for it."
            )
    asked = {"constraints": names, "prescribed": prescribed, "dynamics": dynamics, "measured": spoken}
    return ParameterMap(model, asked, also or {})


def _lowered_as(twin: Model, asked: Mapping[str, Any]) -> System:
    """A variant lowered as was asked; joints and measured quantities are its own of the same names."""
    names = asked["constraints"]
    return lower(
        twin,
        constraints=None if names is None else [twin.constraints[name] for name in names],
        prescribed=asked["prescribed"],
        dynamics=asked["dynamics"],
        measured=[twin.measure(name) for name in asked["measured"]],
    )


def _pieces(system: System, also: Also) -> dict[str, Array]:
    given = [body.given_velocities for body in list(system.model.bodies.values())[1:]]
    velocities = [np.nan if v is None else v for own in given for v in own]
    velocities += [np.nan] * len(system.extras)
    own = {
        "floats": system.floats, "start": system.start, "velocities": velocities, "inner": system.inner_start, "length": system.length,
    }  # fmt: skip
    wanted = {name: function(system) for name, function in also.items()}
    return {name: np.atleast_1d(np.asarray(value, dtype=float)) for name, value in {**own, **wanted}.items()}
