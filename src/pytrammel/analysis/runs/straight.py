"""Rates written out for the one model that is run (`kernels.structure`): the same numbers, two to four times as fast.

Compiling them takes as long as some hundred thousand evaluations by the general kernel. So they are made once a model has been evaluated
that often in this process, or when asked for (`prepare`), and kept for its next runs. Whether they pay is counted, not timed.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from pytrammel.analysis.runs.engine import Table, addresses
from pytrammel.kernels import engine as places
from pytrammel.kernels import layout as L
from pytrammel.kernels.equations import cartesian, straight
from pytrammel.kernels.jit import HAVE_JIT, address_of

if TYPE_CHECKING:
    from pytrammel.kernels.structure.as_llvm import MachineCode
    from pytrammel.kernels.structure.piece import Piece

PAYS = 500_000  # evaluations by the general kernel that take about as long as the compilation
MOST_INTEGERS = 20_000  # of a model's tables: larger models are not looked at
MOST_OPERATIONS = 15_000  # beyond, compilation takes longer than it pays, and the general kernel is nearly as fast
MOST_KEPT = 64  # models
BY_TURNS = {
    L.N_REACTIONS: "some forces depend on reactions",
    L.HAS_MASSLESS: "some parts have no mass",
    L.FORMULATION: "its rows are solved together with those of Euler parameters",
}

_made: dict[bytes, MachineCode | str] = {}  # or why there are none
_evaluations: dict[bytes, float] = {}


class Rates:
    """Which rates a run takes: chosen before every kernel call, as numbers of the model may have changed since the last."""

    def __init__(self) -> None:
        self._table: Table | None = None
        self._floats, self._key = b"", b""
        self._counted = 0.0

    def choose(self, table: Table) -> None:
        """Enter the fastest rates that there are."""
        if not may_be_straight(table):
            return
        floats = table.data[places.FLOATS].tobytes()
        if table is not self._table or floats != self._floats:
            self._table, self._floats, self._key = table, floats, key_of(table)
            put(table, _made.get(self._key))
        if self._key not in _made and _evaluations.get(self._key, 0.0) >= PAYS:
            put(table, of_table(table))
        self._counted = float(table.shared[places.EVALUATIONS])

    def count(self, table: Table) -> None:
        """Note how often the model was evaluated since rates were chosen."""
        if table is self._table:
            so_far = _evaluations.pop(self._key, 0.0)
            _remember(_evaluations, self._key, so_far + float(table.shared[places.EVALUATIONS]) - self._counted)


def may_be_straight(table: Table) -> bool:
    """Return True if rates of a table are those in body coordinates as they are, of a model that is small enough."""
    ours = table.entries[places.STRAIGHT] or table.entries[places.UNTREATED] == _general()
    return bool(
        HAVE_JIT
        and ours
        and table.entries[places.RATES] in (table.entries[places.UNTREATED], table.entries[places.ON_CONSTRAINTS])
        and not table.shared[[cartesian.ALPHA, cartesian.BETA]].any()
        and table.data[places.INTS].size + table.data[places.PATTERN].size <= MOST_INTEGERS
    )


def key_of(table: Table) -> bytes:
    """What the rates of a table depend on: every number of the model, and the active equations."""
    parts = [table.data[place].tobytes() for place in (places.INTS, places.FLOATS, places.PATTERN)]
    return hashlib.sha256(b"".join([np.array([len(each) for each in parts]).tobytes(), *parts])).digest()


def of_table(table: Table) -> MachineCode | str:
    """Rates for the numbers of a table, made now if there are none yet, or why there are none."""
    key = key_of(table)
    if key not in _made:
        _remember(_made, key, written_out(table))
    return _made[key]


def written_out(table: Table, varying: Sequence[int] = ()) -> MachineCode | str:
    """Rates for exactly the numbers of a table but varying ones (as for `rates_piece`), or why there are none."""
    from pytrammel.kernels.structure.as_llvm import MachineCode

    piece = rates_piece(table, varying)
    if isinstance(piece, str):
        return piece
    count = piece.block.count()
    return (
        MachineCode(piece, in_place=True)
        if count <= MOST_OPERATIONS
        else f"its rates are {count} operations; {MOST_OPERATIONS} pay"
    )


def rates_piece(table: Table, varying: Sequence[int] = ()) -> Piece | str:
    """What the rates of a table compute, operation by operation, or why that cannot be written out.

    Args:
        table: Of equations in body coordinates.
        varying: Places of numbers that are read from the model's, where others may stand in other runs.
    """
    from pytrammel.kernels.structure.piece import make_piece
    from pytrammel.kernels.structure.pieces import piece_vector
    from pytrammel.kernels.structure.specialise import NotStraightError

    ints, floats, pattern = (table.data[place] for place in (places.INTS, places.FLOATS, places.PATTERN))
    for place, why in BY_TURNS.items():
        if ints[place]:
            return why
    size = int(table.entries[places.SIZE])
    try:
        return make_piece(piece_vector, ints, floats, varying, pattern, size, [size, int(pattern[L.P_ROWS])])
    except NotStraightError as error:
        return str(error)


def put(table: Table, code: MachineCode | str | None) -> None:
    """Enter rates written out, or the general ones."""
    general = new = _general()
    if code is not None and not isinstance(code, str):
        new = addresses(("straight_rates",), straight.__name__)[0]
        room = np.zeros(int(table.entries[places.SIZE]) + int(table.data[places.PATTERN][L.P_ROWS]) + 2)
        table.written_out = code, room
        table.entries[[places.STRAIGHT, places.STRAIGHT_ROOM, places.GENERAL]] = code.address, address_of(room), general
    if table.entries[places.RATES] == table.entries[places.UNTREATED]:
        table.entries[places.RATES] = new
    table.entries[places.UNTREATED] = new


def _general() -> int:
    return addresses(("cartesian_rates",), cartesian.__name__)[0]


def _remember(kept: dict[bytes, Any], key: bytes, value: Any) -> None:
    """Keep what the last models had."""
    kept[key] = value
    while len(kept) > MOST_KEPT:
        del kept[next(iter(kept))]
