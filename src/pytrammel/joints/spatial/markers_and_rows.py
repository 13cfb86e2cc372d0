"""Putting a spatial joint together from its markers and rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pytrammel.joints.constraint import Block, Constraint, Freedom, Seat, Symbol, SymbolKind
from pytrammel.model.quantities.quantity import Quantity
from pytrammel.model.spatial_bodies import Marker

X, Y, Z = 0, 1, 2
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
    *,
    freedom: Sequence[Freedom] | None = None,
    span: float | None = None,
    aligned: Sequence[Quantity] = (),
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
        symbols=tuple(symbols), seats=(seat(i), seat(j)), freedom=None if freedom is None else tuple(freedom), span=span,
        aligned=tuple(aligned),
    )  # fmt: skip


def seat(marker: Marker, *, radius: float = 0.0) -> Seat:
    """A joint's seat on the marker's body."""
    if not marker.oriented:
        return Seat(marker.body, marker.local, radius=radius)
    return Seat(marker.body, marker.local, marker.axis(Z), marker.axis(X), radius)


def turns(markers: tuple[Marker, Marker], seat: int, *axes: int) -> tuple[Freedom, ...]:
    """Free rotations about axes of one of a joint's markers, through its point."""
    return tuple(Freedom("rotation", seat, markers[seat].axis(k)) for k in axes)


def slides(markers: tuple[Marker, Marker], seat: int, *axes: int) -> tuple[Freedom, ...]:
    """Free translations along axes of one of a joint's markers."""
    return tuple(Freedom("translation", seat, markers[seat].axis(k)) for k in axes)
