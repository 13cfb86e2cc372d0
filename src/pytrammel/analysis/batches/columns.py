"""Which named quantities of a run follow from its motion by numbers alone, for many variants at once."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pytrammel.errors import ModelError
from pytrammel.model.base import Model
from pytrammel.results.quantities import in_unit, split_unit

Array = NDArray[np.float64]
RATES = ("", "/s", "/s²")


@dataclass(frozen=True)
class Motion:
    """What was computed of some variants.

    Attributes:
        times: Instants [s], shape (n,).
        tables: Coordinates, velocities and accelerations, shape (N, n, columns).
        measured: Values, rates and second rates of measured quantities, shape (N, n, quantities).
    """

    times: Array
    tables: tuple[Array, Array, Array]
    measured: tuple[Array, Array, Array]


@dataclass(frozen=True)
class Column:
    """Where a named quantity of a variant is found.

    Attributes:
        unit: Its unit.
        order: 0 for a value, 1 for its rate, 2 for its second rate.
        place: Place among the coordinates or velocities, or -1.
        measure: Name of the measured quantity, or "".
        shown_in: Another unit in which it is asked for, or "".
        summed: Whether results measure it as a sum that begins with zero, which has no sign.
    """

    name: str
    unit: str
    order: int
    place: int = -1
    measure: str = ""
    shown_in: str = ""
    summed: bool = False

    @property
    def measures(self) -> tuple[str, ...]:
        """Measured quantities that it is made of."""
        return (self.measure,) if self.measure else ()

    def of(self, motion: Motion, measured: list[str]) -> Array:
        """Values for all variants, shape (N, n)."""
        if self.measure:
            values = motion.measured[self.order][:, :, measured.index(self.measure)]
        elif self.place < 0:
            values = np.broadcast_to(motion.times, motion.tables[0].shape[:2])
        else:
            values = motion.tables[self.order][:, :, self.place]
        return self.as_asked(values)

    def as_asked(self, values: Array) -> Array:
        """Values as results show them."""
        if self.summed:
            values = values + 0.0
        return in_unit(self.name, (values, self.unit), self.shown_in)[0] if self.shown_in else values

    @property
    def shown(self) -> str:
        """The unit in which it is asked for."""
        return self.shown_in or self.unit


@dataclass(frozen=True)
class Speed:
    """Speed of a point or of the origin of a body, from its components; see `Column`."""

    name: str
    components: tuple[Column, ...]
    shown_in: str = ""
    unit: str = "m/s"

    @property
    def measures(self) -> tuple[str, ...]:
        """Measured quantities that it is made of."""
        return tuple(name for column in self.components for name in column.measures)

    def of(self, motion: Motion, measured: list[str]) -> Array:
        """Values for all variants, shape (N, n)."""
        parts = np.stack([column.of(motion, measured) for column in self.components], axis=-1)
        values = np.asarray(np.linalg.norm(parts, axis=-1))
        return in_unit(self.name, (values, self.unit), self.shown_in)[0] if self.shown_in else values

    @property
    def shown(self) -> str:
        """The unit in which it is asked for."""
        return self.shown_in or self.unit


def column_of(model: Model, name: str, levels: int) -> Column | Speed | None:
    """Where a quantity is found, or None if it takes more than the motion: forces, masses, formulas.

    Args:
        model: The model.
        name: The quantity as results name it, perhaps with a unit in brackets.
        levels: 1 where only positions are computed, 2 with velocities, 3 with accelerations.
    """
    plain, shown_in = split_unit(name)
    if plain in ("t", "time"):
        return Column(plain, "s", 0, shown_in=shown_in)
    owner, _, what = plain.rpartition(".")
    space = model.space
    if what == "speed" and (owner in model.points or owner in list(model.bodies)[1:]) and levels > 1:
        components = [column_of(model, f"{owner}.v{axis}", levels) for axis in space.axes]
        parts = tuple(column for column in components if isinstance(column, Column))
        return Speed(plain, parts, shown_in) if len(parts) == len(components) else None
    measuring: dict[str, Any] = {**model.constraints, **model.forces}
    found = None
    if owner in model.bodies:
        found = _of_body(model, plain, owner, what)
    elif owner in model.points:
        level = {**dict.fromkeys(space.axes, 0), **{f"v{a}": 1 for a in space.axes}, **{f"a{a}": 2 for a in space.axes}}
        if what in level:
            found = _measured(model, plain, f"{owner}.{what[-1]}", level[what])
    elif owner in measuring and what not in ("work", "power", "force"):
        found = _measured(model, plain, plain, 0) if what in measuring[owner].measures else None
    elif what in ("rate", "acceleration"):
        part, _, measure = owner.rpartition(".")
        if part in measuring and measure in measuring[part].measures:
            found = _measured(model, plain, owner, 1 if what == "rate" else 2)
    if found is None or found.order >= levels:
        return None
    return replace(found, shown_in=shown_in)


def _of_body(model: Model, name: str, owner: str, what: str) -> Column | None:
    space = model.space
    k = list(model.bodies).index(owner) - 1
    if k < 0:
        return None
    planar = space.dimension == 2
    if planar and what == "angle":
        return Column(name, "rad", 0, 3 * k + 2)
    if what in space.positions:
        place = space.positions.index(what)
        unit = space.units[place] if planar or place < 3 else "1"
        return Column(name, unit, 0, len(space.positions) * k + place, summed=planar)
    for order, named in ((1, space.rates), (2, space.accelerations)):
        if what in named:
            place = space.columns.index(named[what])
            return Column(name, space.units[place] + RATES[order], order, len(space.columns) * k + place, summed=planar)
    return None


def _measured(model: Model, name: str, measure: str, order: int) -> Column | None:
    try:
        quantity = model.measure(measure)
    except ModelError:
        return None
    if len(quantity.units) != 1 or not quantity.has_value:
        return None
    return Column(name, quantity.units[0] + RATES[order], order, measure=measure)
