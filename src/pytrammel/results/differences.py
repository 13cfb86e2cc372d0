"""Two results side by side: which quantities differ, by how much, and when most."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from pytrammel._util.messages import brief, short
from pytrammel.errors import ModelError
from pytrammel.results.interpolation import resampled

if TYPE_CHECKING:
    from pytrammel.results.result import Result

Array = NDArray[np.float64]
SHOWN = 10  # lines of a printed comparison


@dataclass(frozen=True)
class Difference:
    """One quantity of two results.

    Attributes:
        name, unit: The quantity.
        largest: Largest difference, second less first, with its sign.
        time: When [s].
        relative: Its size as a share of the largest value that any quantity of this unit has in either result.
    """

    name: str
    unit: str
    largest: float
    time: float
    relative: float

    def __str__(self) -> str:
        return f"{self.name}: {self.largest:+.4g} {self.unit} at t = {self.time:.6g} s ({self.relative:.2g} of the largest)"


@brief
@dataclass(frozen=True)
class Differences:
    """Two results compared at the instants of the first that both cover.

    Attributes:
        entries: Every quantity that both have, the largest relative difference first.
        only_first, only_second: Quantities that only one of them has.
        span: First and last instant compared [s].
        interpolated: Whether the second was interpolated to the instants of the first.
    """

    entries: tuple[Difference, ...] = field(repr=False)
    only_first: tuple[str, ...]
    only_second: tuple[str, ...]
    span: tuple[float, float]
    interpolated: bool

    @property
    def largest(self) -> Difference:
        """The quantity with the largest relative difference."""
        return self.entries[0]

    @property
    def identical(self) -> bool:
        """Whether every number that both have is the same, to the last bit."""
        return all(entry.largest == 0.0 for entry in self.entries)

    def __getitem__(self, name: str) -> Difference:
        for entry in self.entries:
            if entry.name == name:
                return entry
        raise ModelError(f"{short(name)} was not compared; there are: {', '.join(e.name for e in self.entries[:30])}.")

    def __str__(self) -> str:
        how = ", the second one interpolated" if self.interpolated else ""
        lines = [f"{len(self.entries)} quantities from t = {self.span[0]:g} s to {self.span[1]:g} s{how}"]
        differing = [entry for entry in self.entries if entry.largest != 0.0]
        lines += [f"  {entry}" for entry in differing[:SHOWN]] or ["  no difference"]
        if len(differing) > SHOWN:
            lines.append(f"  … and {len(differing) - SHOWN} smaller ones")
        for which, names in (("first", self.only_first), ("second", self.only_second)):
            if names:
                lines.append(f"  only in the {which}: {', '.join(names[:SHOWN])}{', …' if len(names) > SHOWN else ''}")
        return "\n".join(lines)


def differences(first: Result, second: Result) -> Differences:
    """Compare all columns that both results have."""
    if not hasattr(second, "_table_names") or not len(first) or not len(second):
        raise ModelError("two results with instants are needed for a comparison.")
    low, high = max(first.times[0], second.times[0]), min(first.times[-1], second.times[-1])
    inside = (first.times >= low) & (first.times <= high)
    if not inside.any():
        raise ModelError(
            f"the results have no instants in common: one goes from {first.times[0]:g} s to {first.times[-1]:g} s, the other from "
            f"{second.times[0]:g} s to {second.times[-1]:g} s."
        )
    times = first.times[inside]
    interpolated = not np.array_equal(times, second.times)
    other = resampled(second, times) if interpolated else second
    mine, theirs = first._table_names(), second._table_names()
    names = [name for name in mine if name in set(theirs)]
    a = [(values[inside], unit) for values, unit in first._columns(names)]
    b = [values for values, _ in other._columns(names)]
    sizes: dict[str, float] = {}
    for (x, unit), y in zip(a, b, strict=True):
        sizes[unit] = max(sizes.get(unit, 0.0), float(np.abs(x).max()), float(np.abs(y).max()))
    entries = [
        _difference(name, unit, times, x, y, sizes[unit]) for name, (x, unit), y in zip(names, a, b, strict=True)
    ]
    entries.sort(key=lambda entry: -entry.relative)
    return Differences(
        tuple(entries), tuple(n for n in mine if n not in set(theirs)), tuple(n for n in theirs if n not in set(mine)),
        (float(times[0]), float(times[-1])), interpolated,
    )  # fmt: skip


def _difference(name: str, unit: str, times: Array, x: Array, y: Array, size: float) -> Difference:
    off = y - x
    k = int(np.abs(off).argmax())
    return Difference(name, unit, float(off[k]), float(times[k]), abs(float(off[k])) / size if size > 0.0 else 0.0)
