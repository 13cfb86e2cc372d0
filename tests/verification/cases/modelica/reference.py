"""Published results of Modelica's models, and cases that compare them with Trammel's."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from verification.case import Row, case

from .columns import Columns
from .network import Network, Part

DATA = Path(__file__).parents[3] / "data" / "modelica"
AREA = "Modelica mechanics library"
TOLERANCE = 1e-3
REASON = (
    "1e-3 of the quantity's largest value: Dymola's DASSL integrated with a relative tolerance of 1e-6 per step, "
    "and errors of many steps add up"
)


def up_to(time: float, why: str) -> str:
    """Reason of the tolerance of a case that ends before the published result does."""
    return f"1e-3 of the quantity's largest value up to {time:g} s: {why}"


UNITS = {
    "phi": "rad", "phi_a": "rad", "phi_b": "rad", "angles": "rad", "angle": "rad", "theta1": "rad", "theta2": "rad", "phi_rel": "rad",
    "w": "rad/s", "w_a": "rad/s", "w_b": "rad/s", "w_rel": "rad/s", "w_rel_b": "rad/s", "phi_d": "rad/s", "angle_d": "rad/s",
    "der_angles": "rad/s", "der_theta1": "rad/s", "der_theta2": "rad/s", "z": "rad/s²",
    "s": "m", "s_x": "m", "s_y": "m", "r": "m", "r_0": "m", "r_rel_a": "m", "s_damper": "m", "distance": "m", "x": "m", "y": "m",
    "s_rel": "m", "rRod_0": "m",
    "v": "m/s", "v_x": "m/s", "v_y": "m/s", "v_0": "m/s", "v_rel_a": "m/s", "v_rel": "m/s", "a": "m/s²",
    "f": "N", "force": "N", "t": "N m", "torque": "N m", "tau": "N m", "T": "K",
}  # fmt: skip
Maker = Callable[[Columns], np.ndarray]


class Values:
    """Values of columns at compared times, and between them.

    Args:
        of: Returns the values of a column at all computed times.
        computed: Computed times [s].
        times: Compared times, all of them computed [s].
    """

    def __init__(self, of: Callable[[str], Any], computed: np.ndarray, times: np.ndarray) -> None:
        self.of, self.computed = of, np.asarray(computed)
        self.at = np.searchsorted(self.computed, times)

    def curve(self, column: str) -> tuple[np.ndarray, np.ndarray]:
        """Return computed times and values of a column."""
        return self.computed, np.asarray(self.of(column), float)

    def __call__(self, column: str) -> np.ndarray:
        return self.curve(column)[1][self.at]


@cache
def table(group: str) -> dict[str, Any]:
    """Sampled results of a group of models, by name."""
    return json.loads((DATA / f"{group}.json").read_text(encoding="utf-8"))


def quantity_of(column: str) -> str:
    """Name of the quantity of a column, without its index."""
    return (
        re.sub(r"(\[\d+\]|_\d)$", "", column)
        if re.search(r"(\[\d+\]|(r_rel_a|v_rel_a|angle|angle_d|w_rel_b)_\d)$", column)
        else column
    )


def rows(
    name: str,
    times: np.ndarray,
    reference: Mapping[str, Sequence[float]],
    value: Callable[[str], np.ndarray],
    tolerance: float = TOLERANCE,
) -> Iterator[Row]:
    """Compare columns, the components of a vector in one row."""
    groups: dict[str, list[str]] = {}
    for column in reference:
        groups.setdefault(quantity_of(column), []).append(column)
    for quantity, columns in groups.items():
        expected = np.array([reference[c] for c in columns], float).T
        computed = np.column_stack([value(c) for c in columns])
        size = float(np.abs(expected).max())
        unit = UNITS.get(quantity.rsplit(".", 1)[-1], "")
        if len(columns) == 1:
            expected, computed = expected[:, 0], computed[:, 0]
        yield Row(
            quantity,
            unit,
            expected,
            computed,
            tolerance,
            size if size > 1e-6 else 1.0,
            at=times,
            curve=value.curve(columns[0]) if len(columns) == 1 and isinstance(value, Values) else None,
        )


def compare(
    group: str,
    name: str,
    value: Callable[[np.ndarray], Callable[[str], np.ndarray]],
    *,
    reason: str = "",
    uses: str = "",
) -> None:
    """Register a case: `value` takes the times and returns what gives a column's values there."""

    def compute() -> Iterator[Row]:
        data = table(group)[name]
        times = np.array(data["times"])
        return rows(name, times, data["columns"], value(times))

    source = f"MAP-LIB reference results v4.1.0, {name}"
    case(f"modelica/{name}", area=AREA, source=source, reason=reason or REASON, uses=uses)(compute)


def define(
    group: str,
    name: str,
    parts: Mapping[str, Part],
    connections: str,
    *,
    more: Mapping[str, Maker] | None = None,
    run: Mapping[str, Any] | None = None,
    reason: str = "",
    uses: str = "",
    **options: Any,
) -> None:
    """Register a model of parts and connections; `more` makes columns that belong to no part, `run` holds options of `simulate`."""

    def value(times: np.ndarray) -> Callable[[str], np.ndarray]:
        found = solve(name, parts, connections, times, run, **options)

        def column(c: str) -> np.ndarray:
            return np.asarray(more[c](found) if more and c in more else found[c])

        return Values(column, found.result.times, times)

    kinds = ", ".join(sorted({type(part).__name__ for part in parts.values()}))
    compare(
        group,
        name,
        value,
        reason=reason,
        uses=uses or f"{kinds}; default method",
    )


def solve(
    name: str,
    parts: Mapping[str, Part],
    connections: str,
    times: np.ndarray,
    run: Mapping[str, Any] | None = None,
    **options: Any,
) -> Columns:
    """Simulate a network at the given times and at others between them, so that angles can be followed."""
    net = Network(name, parts, connections, **options)
    settings = {"rtol": 1e-8, "progress": False, **(run or {})}
    dense = np.union1d(times, np.linspace(0.0, times[-1], settings.pop("samples", 401)))
    if settings.pop("at_rest", False):  # all is led: inverse dynamics at every output time
        return Columns(net, net.model.inverse_dynamics(times=dense, progress=False))
    result = net.model.simulate(times=dense, initial=net.initial or None, **settings)
    return Columns(net, result)
