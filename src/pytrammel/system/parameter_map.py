"""From the values of a model's parameters to the numbers of its lowered system, for many variants at once.

A model is lowered once. Other values of its parameters change the float buffer, the drawn coordinates and the length scale; the
integers stay, as long as the structure does. A variant with another structure, or one whose description is refused, says so.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pytrammel._util.messages import brief, short
from pytrammel._util.traced_numbers import Place, Tape, Traced, real
from pytrammel.errors import ModelError, ModelWarning, TrammelError
from pytrammel.expressions.expression import Expression
from pytrammel.joints.constraint import Constraint
from pytrammel.model.base import Model
from pytrammel.model.limits import EVERYTHING
from pytrammel.model.parameters import free_parameters
from pytrammel.model.quantities.quantity import Quantity
from pytrammel.system.lowering import System, lower
from pytrammel.system.tape_runs import STEP, WEIGHTS, TapeRun

Array = NDArray[np.float64]
Also = Mapping[str, Callable[[System], Any]]

PROBES = (1e-3, 0.05, 0.6)  # share of the parameters by which a tape is tried before it is trusted
MANY = 250  # variants at once, of which one is described again to be sure


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

    def repeated(self, count: int) -> Variants:
        """As many of the first variant."""

        def rows(table: Any) -> Any:
            return np.repeat(table[:1], count, axis=0)

        return Variants(
            rows(self.values), rows(self.floats), rows(self.start), rows(self.velocities), rows(self.inner), rows(self.length),
            rows(self.fits), {k: text for text in self.errors.values() for k in range(count)},
            {name: rows(table) for name, table in self.also.items()},
        )  # fmt: skip


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


_OWN = ("floats", "start", "velocities", "inner", "length")
_LIMITED = "limited"  # values of the parameters that have bounds


class ParameterMap:
    """From values of the free parameters to the numbers of the lowered system; made by `parameter_map`.

    Attributes:
        system: The system, lowered at the values that the model has now.
        names: Parameters that were given as numbers; formulas of others follow them.
        values: Their values now, SI, shape (n_parameters,).
        traced: Whether the description could be followed: numbers of variants then come from a tape, else each is described again.
    """

    def __init__(self, model: Model, asked: Mapping[str, Any], also: Also) -> None:
        self._model, self._asked, self._also = model, asked, also
        self.system = _lowered_as(model, asked)
        self.names = free_parameters(model)
        self.values = np.array([model.parameters[name].value for name in self.names], dtype=float)
        self._laws = [law.address for law in self.system.laws]
        pieces = _pieces(self.system, also)
        ends = np.cumsum([0, *map(len, pieces.values())]).tolist()
        self._slices = {name: slice(a, b) for name, a, b in zip(pieces, ends[:-1], ends[1:], strict=True)}
        self._run = self._traced_run() if self.names else None

    @property
    def traced(self) -> bool:
        return self._run is not None

    def at(self, values: Any, *, bounded: bool = True) -> Variants:
        """Numbers for many sets of values.

        Args:
            values: Values of the parameters in the order of `names`, SI, shape (N, n_parameters).
            bounded: Refuse variants in which a parameter is beyond its bounds.
        """
        table = self._checked(values)
        rows, fits = self._from_tape(table, bounded)
        errors: dict[int, str] = {}
        with _quietly():
            for k in np.flatnonzero(~fits).tolist():
                try:
                    found = self._row(table[k], bounded)
                except TrammelError as error:
                    errors[k] = str(error)
                    continue
                if found is not None:
                    rows[k], fits[k] = found, True
        rows[~fits] = np.nan
        return Variants(
            values=table, fits=fits, errors=errors, length=rows[:, self._slices["length"]][:, 0],
            also={name: rows[:, self._slices[name]] for name in self._also},
            **{name: rows[:, self._slices[name]] for name in _OWN[:-1]},
        )  # fmt: skip

    def jacobian(self, values: Any = None) -> Derivatives:
        """Derivatives of the numbers with respect to the parameters at one set of values, by default the present one."""
        at = self.values if values is None else self._checked(values)[0]
        whole = None if self._run is None else self._run.derivatives(at)
        if whole is None:
            with _quietly():
                columns = [self._differences(at, k) for k in range(len(self.names))]
            whole = np.nan_to_num(np.array(columns).reshape(len(columns), self._size).T, nan=0.0)
        return Derivatives(
            **{name: whole[self._slices[name]] for name in _OWN[:-1]},
            length=whole[self._slices["length"]][0],
            also={name: whole[self._slices[name]] for name in self._also},
        )

    def model(self, values: Any, *, bounded: bool = True) -> Model:
        """The model with these values, described again in Python."""
        return self._described(self._checked(values)[0], bounded=bounded)

    @property
    def _size(self) -> int:
        """Number of values of a variant that the parameters can change."""
        return int(max(part.stop for part in self._slices.values()))

    # --- by a tape ---------------------------------------------------------------------------------------------------

    def _traced_run(self) -> TapeRun | None:
        """The description followed with traced numbers; None where it cannot be, or does not agree with descriptions of variants."""
        tape = Tape()
        inputs = {name: tape.input(float(value)) for name, value in zip(self.names, self.values, strict=True)}
        try:
            with _quietly():
                system = _lowered_as(self._model._with_parameters(inputs), self._asked)
                pieces = _pieces(system, self._also)
        except Exception:  # whatever a builder cannot do with traced numbers, it can do with floats
            return None
        numbers = [number for piece in pieces.values() for number in piece]
        if len(numbers) != self._size or not self._same_integers(system):
            return None
        run = TapeRun(tape, [Place(x.place) if isinstance(x, Traced) else float(x) for x in numbers])
        found = [self._agrees(run, size) for size in PROBES]
        return run if True in found and False not in found else None

    def _agrees(self, run: TapeRun, size: float) -> bool | None:
        """Whether tape and description give the same bits for other values: a trace that was lost on the way would show.

        None where the tape holds for no such values: gears must mesh.
        """
        random = np.random.default_rng(len(self.names))
        for share in (1.0, 0.1, 0.01):
            moved = self.values + share * size * random.uniform(0.5, 1.0, len(self.names)) * np.where(
                self.values == 0.0, 1.0, self.values
            ) * random.choice([-1.0, 1.0], len(self.names))
            rows, sound = run.at(moved[None, :])
            if sound[0]:
                return self._same_bits(rows[0], moved)
        return None

    def _same_bits(self, row: Array, values: Array) -> bool:
        try:
            with _quietly():
                alone = self._row(values, bounded=False)
        except TrammelError:
            return False
        return alone is not None and np.array_equal(row, alone, equal_nan=True)

    def _from_tape(self, table: Array, bounded: bool) -> tuple[Array, NDArray[np.bool_]]:
        """Numbers of the variants that the tape can give, and which these are."""
        nothing = np.full((len(table), self._size), np.nan), np.zeros(len(table), dtype=bool)
        if self._run is None:
            return nothing
        rows, sound = self._run.at(table)
        if len(table) >= MANY and sound.any():
            # the farthest one is looked at again: trust, but verify
            far = np.abs(table - self.values).max(axis=1, initial=0.0, where=np.isfinite(table))
            k = int(np.argmax(np.where(sound, far, -1.0)))
            if not self._same_bits(rows[k], table[k]):
                self._run = None
                return nothing
        if bounded:
            low, high = np.array(_bounds(self._model)).reshape(-1, 2).T
            values = rows[:, self._slices[_LIMITED]]
            sound &= ((values >= low) & (values <= high)).all(axis=1)
        return rows, sound

    # --- by description ----------------------------------------------------------------------------------------------

    def _described(self, row: Array, bounded: bool) -> Model:
        return self._model._with_parameters(dict(zip(self.names, map(float, row), strict=True)), bounded=bounded)

    def _row(self, row: Array, bounded: bool) -> Array | None:
        """Numbers of one variant, described and lowered by itself; None if it has another structure."""
        twin = _lowered_as(self._described(row, bounded), self._asked)
        if not self._same_integers(twin):
            return None
        numbers = [number for piece in _pieces(twin, self._also).values() for number in piece]
        return np.array(numbers, dtype=float) if len(numbers) == self._size else None

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


def _pieces(system: System, also: Also) -> dict[str, list[float]]:
    """Everything of a variant that the parameters can change."""
    model = system.model
    given = [body.given_velocities for body in list(model.bodies.values())[1:]]
    velocities = [np.nan if v is None else v for own in given for v in own]
    velocities += [np.nan] * len(system.extras)
    own = {
        "floats": system.floats, "start": system.start, "velocities": velocities, "inner": system.inner_start, "length": system.length,
        _LIMITED: [p.value for p in model.parameters.values() if p.bounds != EVERYTHING],
    }  # fmt: skip
    wanted = {name: function(system) for name, function in also.items()}
    return {name: list(_flat(value)) for name, value in {**own, **wanted}.items()}


def _flat(value: Any) -> Iterator[float]:
    if isinstance(value, list | tuple | np.ndarray) and np.ndim(value):
        for item in value:
            yield from _flat(item)
    else:
        yield real(value)


def _bounds(model: Model) -> list[tuple[float, float]]:
    return [p.bounds for p in model.parameters.values() if p.bounds != EVERYTHING]


@contextmanager
def _quietly() -> Iterator[None]:
    """What is doubtful about a variant is said when it is run, not when its numbers are made."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ModelWarning)
        yield
