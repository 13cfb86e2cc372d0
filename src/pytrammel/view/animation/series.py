"""Series that the player plots beside the picture, and the drivers that its reader can move: the same in the plane and in space."""

from __future__ import annotations

import base64
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from pytrammel.joints.constraint import Constraint
from pytrammel.results.result import Result
from pytrammel.view.animation.thinning import extreme_rows, is_coarse
from pytrammel.view.scene.planar import Array

MOST = 240
"""Most quantities that a page carries."""
ROUNDING = 1e-9
"""A quantity smaller than this share of the largest one of its unit is rounding."""
NARROW = 0.01
"""Range of a series, relative to its largest value, below which 32-bit floats store differences."""


@dataclass(frozen=True, eq=False)
class Quantities:
    """Quantities of a run for its player.

    Attributes:
        times: Times of the samples [s], shape (m,) for all quantities, or (n_quantities, m) after thinning of a long run.
        names, units: Name and displayed unit of each quantity.
        values: Shape (n_quantities, m). A thinned series holds the least and the greatest value of each part of the run.
        shown: Names that are plotted from the start.
        first: Name that is plotted when plots are opened and none was asked for.
        drivers: Driven quantities as (name of the driver, place among the quantities), of a motion that is prescribed.
        left_out: How many quantities there was no room for.
        coarse: Series whose values between samples are known as a range only, shape (n_quantities,).
    """

    times: Array
    names: tuple[str, ...]
    units: tuple[str, ...]
    values: Array
    shown: tuple[str, ...] = ()
    first: str = ""
    drivers: tuple[tuple[str, int], ...] = ()
    left_out: int = 0
    coarse: tuple[bool, ...] = ()

    def data(self) -> dict[str, Any]:
        """Data for JSON: numbers as base64 of 32-bit floats, times from the first one on, which keeps their digits."""
        start = float(self.times.flat[0]) if self.times.size else 0.0
        return {
            "start": start,
            "times": [packed(row - start) for row in np.atleast_2d(self.times)],
            "coarse": "".join("1" if coarse else "0" for coarse in self.coarse),
            "names": list(self.names),
            "units": list(self.units),
            "values": [packed(row) for row in self.values],
            "shown": list(self.shown),
            "first": self.first or (self.names[0] if self.names else ""),
            "drivers": [{"name": name, "index": k} for name, k in self.drivers],
            "left_out": self.left_out,
        }


def packed(values: Array) -> str:
    """Base64 of little-endian 32-bit floats: seven digits, a third of the size of text.

    Values that vary little are stored as differences from one of them, which then precedes the base64 text and a colon.
    """
    values = np.asarray(values, dtype=float)
    finite = values[np.isfinite(values)]
    varies = float(np.ptp(finite)) if finite.size else 0.0
    base = float(finite[0]) if 0.0 < varies < NARROW * float(np.abs(finite).max()) else 0.0
    text = base64.b64encode((values - base).astype("<f4").tobytes()).decode("ascii")
    return f"{base!r}:{text}" if base else text


def quantities_of(result: Result, *, shown: Iterable[str] = ()) -> Quantities:
    """All columns of a run and the rates of its measures; ``shown`` may name any other quantity, too."""
    wanted = tuple(shown)
    model = result.model
    drivers = driver_list(result)
    driven = [f"{c.name}.value" for c in drivers]
    rates = ("", ".rate") if result.v is not None else ("",)
    measured = [
        f"{c.name}.{m}{r}"
        for c in model.constraints.values()
        if c.prescribes is None
        for m in c.measures
        for r in rates
    ]
    names = list(dict.fromkeys((*wanted, *driven, *result._table_names(), *measured)))
    kept = names[:MOST]
    columns = [result._displayed(name, column) for name, column in zip(kept, result._columns(kept), strict=True)]
    finite = [k for k, (_, values) in enumerate(columns) if np.isfinite(values).all()]
    chosen = tuple(kept[k] for k in finite)
    interesting = [name for name in result._interesting() if name in chosen]
    times, values = np.asarray(result.times), _without_rounding([columns[k] for k in finite])
    rows = extreme_rows(times, values)
    thinned = rows.shape[1] < len(times)
    return Quantities(
        times[rows] if thinned else times,
        chosen,
        tuple(columns[k][0] for k in finite),
        np.take_along_axis(values, rows, axis=1),
        tuple(name for name in wanted if name in chosen),
        interesting[0] if interesting else "",
        tuple((c.name, chosen.index(f"{c.name}.value")) for c in drivers if f"{c.name}.value" in chosen),
        len(names) - len(kept),
        tuple(thinned and is_coarse(times, v, r) for v, r in zip(values, rows, strict=True)),
    )


def driver_list(result: Result) -> list[Constraint]:
    """Drivers of one number, where they and not forces make the motion."""
    prescribed = result.dynamics is None or not _is_simulated(result)
    drivers = [c for c in result.model.constraints.values() if c.is_driver and c.n_rows == 1 and "value" in c.measures]
    return drivers if prescribed and len(result) > 1 else []


def _without_rounding(columns: list[tuple[str, Array]]) -> Array:
    """Values, shape (n_columns, n); one that is nothing beside others of its unit is zero, and no plot of digits that mean nothing."""
    largest: dict[str, float] = {}
    for unit, values in columns:
        largest[unit] = max(largest.get(unit, 0.0), float(np.abs(values).max(initial=0.0)))
    n = len(columns[0][1]) if columns else 0
    out = [v if np.abs(v).max(initial=0.0) > ROUNDING * largest[unit] else np.zeros(n) for unit, v in columns]
    return np.array(out).reshape(len(columns), n)


def _is_simulated(result: Result) -> bool:
    """Return True if forces made the motion (work was integrated), and not drivers alone."""
    data = result.dynamics
    return data is not None and bool(np.isfinite(data.work).all())
