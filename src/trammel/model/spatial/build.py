"""Putting a spatial joint together from its markers and rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from trammel.model.constraint import Block, Constraint, Symbol, SymbolKind
from trammel.model.quantity import Quantity
from trammel.model.spatial.body import Marker

Row = Quantity | tuple[Quantity, float]


def joint(
    kind: str,
    name: str,
    parameters: Mapping[str, Any],
    i: Marker,
    j: Marker,
    rows: Sequence[Row],
    measures: Mapping[str, Quantity] | None = None,
    symbol: SymbolKind | None = None,
    extra_symbols: Sequence[Symbol] = (),
) -> Constraint:
    """A joint between two markers whose rows are zero, or have the given value."""
    blocks = []
    for row in rows:
        quantity, value = row if isinstance(row, tuple) else (row, 0.0)
        blocks.append(Block(quantity, (value,) * len(quantity.units)))
    symbols = list(extra_symbols)
    if symbol is not None:
        symbols.append(Symbol(symbol, i.body, i.local, other_body=j.body, other_position=j.local, axis=i.axis(2)))
    return Constraint(
        kind, name, {"first": i, "second": j, **parameters}, (i.body, j.body), tuple(blocks), dict(measures or {}),
        symbols=tuple(symbols),
    )  # fmt: skip
