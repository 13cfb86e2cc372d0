"""What a plot of results shows: quantities, formulas and arrays by name, in the units that a user asks for."""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from os import PathLike
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pytrammel._util.messages import short
from pytrammel.errors import ModelError
from pytrammel.model.quantities.quantity import Quantity
from pytrammel.results.quantities import formula_of, split_unit
from pytrammel.results.result import Result
from pytrammel.units import Dimension, in_words, read_unit

Array = NDArray[np.float64]
Runs = Sequence[tuple[str, Result]]
FilePath = str | PathLike[str] | None
ANGLE: Dimension = read_unit("rad")[1]
_OPERATORS = set("+-*/^()<>,")


@dataclass(frozen=True)
class Column:
    """Values of a quantity as they are shown."""

    label: str
    unit: str
    values: Array


class Shown:
    """Which units are shown: those a user asks for where they fit, the model's elsewhere."""

    def __init__(self, units: Any, first: Result) -> None:
        """Read the option ``units=``; `first` is the run whose display units count."""
        self.first = first
        self.by_name: dict[str, str] = {}
        self.by_kind: dict[Dimension, str] = {}
        self._used: set[str] = set()
        self._seen: dict[str, Dimension] = {}
        if isinstance(units, Mapping):
            self.by_name = {split_unit(str(name))[0]: str(unit) for name, unit in units.items()}
            return
        for unit in [units] if isinstance(units, str) else [] if units is None else texts(units, "units"):
            kind = read_unit(unit)[1]
            if kind in self.by_kind:
                raise ModelError(f"units= has two for {in_words(kind)}: {self.by_kind[kind]!r} and {unit!r}; give one.")
            self.by_kind[kind] = unit

    def column(self, run: Result, asked: Any, wanted: str | None = None) -> Column:
        """A quantity, formula or array along a run, in the unit that is shown; `wanted` where nothing else is asked for."""
        if isinstance(asked, str):
            plain, said = split_unit(asked)
            if _is_formula(plain):
                if said:
                    raise ModelError(
                        f"the formula {short(plain)} has no unit of its own, so that it cannot be shown in {said!r}."
                    )
                return Column(plain, "", formula_of(run, plain))
            values, unit = run._column(plain)
            return Column("time" if plain in ("t", "time") else plain, *self.convert(plain, values, unit, said, wanted))
        if isinstance(asked, Quantity):
            series = run._measure(asked)
            return Column(series.name, *self.convert(series.name, series.value, series.unit, "", wanted))
        return Column("", "", _array(asked, len(run)))

    def of(self, label: str, run: Result, asked: Any, wanted: str | None = None) -> Column:
        """The same of one of several runs; complaints say which it was."""
        try:
            return self.column(run, asked, wanted)
        except ModelError as error:
            if label:
                raise ModelError(f"run {label!r}: {error}") from error
            raise

    def convert(
        self, name: str, values: Array, unit: str, said: str = "", otherwise: str | None = None
    ) -> tuple[str, Array]:
        """Values in SI as they are shown, with their unit: the one said with the name, the option's, or another one."""
        own, kind = read_unit(unit or "1")
        self._seen[name] = kind
        wanted = said or self.by_name.get(name) or self.by_kind.get(kind) or otherwise
        self._used.update((name, self.by_kind.get(kind, "")))
        if not wanted:
            return self.first._shown(values, unit)
        factor, other = read_unit(wanted)
        if other != kind:
            raise ModelError(
                f"{name!r} is {in_words(kind)}; it cannot be shown in {wanted!r}, which is {in_words(other)}."
            )
        return wanted.replace("^2", "²").replace("^3", "³"), values * (own / factor)

    def check(self) -> None:
        """Every unit that was asked for must have been of use."""
        for name in self.by_name:
            if name not in self._used:
                near = difflib.get_close_matches(name, list(self._seen), n=1)
                hint = f"did you mean {near[0]!r}?" if near else f"shown are: {', '.join(self._seen)}."
                raise ModelError(f"units= has a unit for {name!r}, which is not shown; {hint}")
        for kind, unit in self.by_kind.items():
            if unit not in self._used:
                shown = ", ".join(f"{name!r} is {in_words(k)}" for name, k in list(self._seen.items())[:4])
                raise ModelError(f"units={unit!r} is {in_words(kind)} and fits nothing that is shown: {shown}.")


def _is_formula(name: str) -> bool:
    return bool(_OPERATORS & set(name))


def texts(value: Any, what: str) -> list[str]:
    value = list(value) if getattr(value, "ndim", 0) == 1 else value
    if not isinstance(value, Sequence) or not all(isinstance(each, str) for each in value):
        raise ModelError(f"{what}= must be a text or a list of texts, but it is {short(value)}.")
    return list(value)


def _array(value: Any, count: int) -> Array:
    try:
        found = np.asarray(value, dtype=float)
    except (TypeError, ValueError, OverflowError):
        names = not isinstance(value, str) and all(isinstance(each, str) for each in np.asarray(value, object).flat)
        remedy = " Pass names separately: plot('A.angle', 'B.angle')." if names else ""
        raise ModelError(f"{short(value)} is neither the name of a quantity nor a list of numbers.{remedy}") from None
    if found.shape != (count,):
        raise ModelError(
            f"the values {short(value)} have shape {found.shape}, but there are {count} instants; give one for each."
        )
    return found
