"""What a result is differentiated by, and differences of one evaluation along it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pytrammel.errors import ModelError, TrammelError
from pytrammel.model.base import Model
from pytrammel.system.lowering import System, length_scale

Array = NDArray[np.float64]
STEP = 6e-3  # of a value: truncation of the sixth order and rounding meet at about 1e-12
SMALLER = 1.0 / 8.0  # of the step, where the function bends more than that
TRIES = 5
ZERO = 1e-9  # size of a starting value, in units of the model, that is rounding
AGREED = 1e-7  # of two orders with each other: the better one is then good to its square at least
ROUNDING = 1e-13  # of values that are differenced
WORTH = (
    1e-2  # of a value, over what counts as a change: derivatives that are smaller need not be as good for their size
)


class OtherStructure(ModelError):
    """A model that is put together otherwise for other values of a parameter."""


def same_structure(system: System, other: System) -> System:
    """The other system, if it has the integers of the first.

    Raises:
        OtherStructure: It has not, so that numbers cannot be compared.
    """
    if system.laws or np.array_equal(system.ints, other.ints):
        return other
    raise OtherStructure(
        f"model {system.model.name!r} changes its structure with a parameter, so that there is no derivative."
    )


def _largest(table: Array) -> Array:
    """Largest size in each row of a table, or in a vector."""
    rows = table.reshape(len(table) if table.ndim > 1 else 1, -1)
    return np.asarray(np.abs(rows).max(axis=1, initial=0.0))


@dataclass(frozen=True)
class Formula:
    """Weights of samples at whole numbers of steps: of sixth order, and of a lower one that tells how good it is."""

    sixth: Mapping[int, float]
    lower: Mapping[int, float]


CENTRAL = Formula(
    {1: 3 / 4, 2: -3 / 20, 3: 1 / 60, -1: -3 / 4, -2: 3 / 20, -3: -1 / 60},
    {1: 2 / 3, 2: -1 / 12, -1: -2 / 3, -2: 1 / 12},
)
AHEAD = Formula(
    {0: -49 / 20, 1: 6.0, 2: -15 / 2, 3: 20 / 3, 4: -15 / 4, 5: 6 / 5, 6: -1 / 6},
    {0: -137 / 60, 1: 5.0, 2: -5.0, 3: 10 / 3, 4: -5 / 4, 5: 1 / 5},
)
BEHIND = Formula({-k: -w for k, w in AHEAD.sixth.items()}, {-k: -w for k, w in AHEAD.lower.items()})


@dataclass(frozen=True)
class Variant:
    """The problem a little further along a direction.

    Attributes:
        offset: How far, in units of what is varied.
        model: The model there.
        initial: What its start must be, as `simulate` takes it.
    """

    offset: float
    model: Model
    initial: Mapping[str, Any] | None = None


@dataclass
class Direction:
    """One parameter or initial value, and the problem for values near the present one.

    Attributes:
        name: Of the parameter or the quantity that starts with a value.
        value: Now, SI.
        size: What counts as a change worth noticing.
        make: The problem for another value.
    """

    name: str
    value: float
    size: float
    make: Callable[[float], Variant]
    known: dict[float, Variant] = field(default_factory=dict)
    formula: Formula | None = None

    def at(self, offset: float) -> Variant:
        """The problem with the value changed by so much; made once."""
        if offset not in self.known:
            self.known[offset] = self.make(offset)
        return self.known[offset]

    def slope(self, evaluate: Callable[[Variant], Array]) -> Array:
        """Derivative of an evaluation along the direction; the steps are shortened where it bends. Rows of tables are told apart."""
        best, doubt = np.zeros(0), np.array([np.inf])
        for k in range(TRIES):
            step = STEP * self.size * SMALLER**k
            try:
                found, off, allowed = self._difference(evaluate, step)
            except OtherStructure:
                raise
            except TrammelError:
                if np.isfinite(doubt).all() or k == TRIES - 1:
                    break
                continue
            better = off < doubt
            best = np.where(better.reshape(-1, *(1,) * (found.ndim - 1)), found, best) if best.size else found
            doubt = np.minimum(off, doubt)
            if (doubt <= allowed).all():
                break
        if not np.isfinite(doubt).all():
            self._difference(evaluate, STEP * self.size)  # says why
            raise ModelError(
                f"there is no derivative with respect to {self.name!r} at {self.value:g}: it is no number nearby."
            )
        return best

    def _difference(self, evaluate: Callable[[Variant], Array], step: float) -> tuple[Array, Array, Array]:
        """A derivative, by how much two orders disagree about its rows, and by how much they may."""
        formula = self._one_that_fits(step)
        samples = {k: np.asarray(evaluate(self.at(k * step)), dtype=float) for k in formula.sixth}
        # weights add up to nothing: what does not change has no derivative, not even by rounding
        first = next(iter(samples.values()))
        with np.errstate(invalid="ignore"):
            moved = {k: np.where(x == first, 0.0, x - first) for k, x in samples.items()}
        sixth, lower = (
            np.asarray(sum(w * moved[k] for k, w in weights.items())) / step
            for weights in (formula.sixth, formula.lower)
        )
        largest = np.max([_largest(x) for x in samples.values()], axis=0)
        size = np.maximum(_largest(sixth), WORTH * largest / self.size)
        off = _largest(sixth - lower)
        return (
            sixth,
            np.where(np.isfinite(off), off, np.inf),
            AGREED * size + ROUNDING * largest.max(initial=0.0) / step,
        )

    def _one_that_fits(self, step: float) -> Formula:
        """Differences to both sides, or to one where the model is refused on the other."""
        if self.formula is None:
            reasons = []
            for formula in (CENTRAL, AHEAD, BEHIND):
                try:
                    for k in formula.sixth:
                        self.at(k * step)
                except TrammelError as error:
                    reasons.append(str(error))
                    continue
                self.formula = formula
                return formula
            raise ModelError(
                f"there is no derivative with respect to {self.name!r} at {self.value:g}: the model is refused nearby: {reasons[0]}"
            )
        return self.formula


def parameter_direction(model: Model, name: str, initial: Mapping[str, Any] | None) -> Direction:
    """The direction of one parameter."""
    given = model.parameters[name]
    value = float(given.value)
    size = abs(value) or min(1.0, length_scale(model))

    def make(offset: float) -> Variant:
        return Variant(
            offset, model if offset == 0.0 else model._with_parameters({name: value + offset}, bounded=False), initial
        )

    return Direction(name, value, size, make)


def initial_direction(model: Model, name: str, value: float, initial: Mapping[str, Any] | None) -> Direction:
    """The direction of the value that a quantity starts with."""
    usual = min(1.0, length_scale(model))
    size = abs(value) if abs(value) > ZERO * usual else usual  # the start is assembled: zero comes with rounding
    return Direction(
        name, value, size, lambda offset: Variant(offset, model, {**(initial or {}), name: value + offset})
    )


def together(model: Model, directions: Sequence[Direction], shares: Array) -> Direction:
    """All directions at once, each with its share of the size of what it varies."""
    base: dict[str, Any] = {}
    for d in directions:
        base |= dict(d.at(0.0).initial or {})

    def make(offset: float) -> Variant:
        values = {d.name: d.value + offset * s * d.size for d, s in zip(directions, shares, strict=True)}
        parameters = {name: value for name, value in values.items() if name in model.parameters}
        other = model._with_parameters(parameters, bounded=False) if parameters else model
        initial = {**base, **{name: value for name, value in values.items() if name not in parameters}}
        return Variant(offset, other, initial or None)

    return Direction(", ".join(repr(d.name) for d in directions), 0.0, 1.0, make)
