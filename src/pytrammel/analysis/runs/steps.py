"""What methods that treat the constraints themselves are told of equations (`kernels.equations.steps`)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from pytrammel.kernels import engine as places
from pytrammel.kernels import layout as L
from pytrammel.kernels.equations import cartesian_steps, fewer_steps, steps
from pytrammel.kernels.jit import address_of, prepare
from pytrammel.kernels.methods import index3_differenced, index3_exact, rattle_fewer

if TYPE_CHECKING:
    from pytrammel.analysis.methods import Method
    from pytrammel.analysis.runs.engine import Table
    from pytrammel.system.lowering import System

Ints = NDArray[np.int64]

IN_BODIES = {
    steps.BALANCE: ("cartesian_balance", cartesian_steps),
    steps.ONTO: ("cartesian_onto", cartesian_steps),
    steps.MULTIPLIERS: ("cartesian_multipliers", cartesian_steps),
    steps.MATRIX: ("index3_exact_matrix", index3_exact),
    steps.SOLVE: ("index3_exact_solve", index3_exact),
}
IN_FEWER = {
    steps.BALANCE: ("fewer_balance", fewer_steps),
    steps.ONTO: ("fewer_onto", fewer_steps),
    steps.MATRIX: ("index3_differenced_matrix", index3_differenced),
    steps.SOLVE: ("index3_differenced_solve", index3_differenced),
}
OFFERS = {steps.LOOK: "look", steps.PULL: "pull", steps.RESPOND: "respond", steps.BODIES: "bodies"}


@dataclass(frozen=True)
class Positions:
    """How the positions of an integrated vector follow its speeds.

    Attributes:
        plain: Pairs of a position and its speed.
        turning: Pairs of the first of four Euler parameters and the first of their three speeds.
        carried: Numbers between positions and speeds: turn counters, references of angles.
        n: Speeds.
    """

    plain: Sequence[tuple[int, int]]
    turning: Sequence[tuple[int, int]]
    carried: int
    n: int

    @property
    def first(self) -> int:
        """Where the speeds begin."""
        return len(self.plain) + 4 * len(self.turning) + self.carried


def of_bodies(system: System) -> Positions:
    """Positions of bodies and places on curves."""
    extras, turns, nq, n = len(system.extras), len(system.model.turns), system.n_coordinates, system.n_columns
    if system.per_body == 3:
        return Positions([(c, c) for c in range(n)], [], turns, n)
    bodies = (n - extras) // 6
    plain = [(7 * b + i, 6 * b + i) for b in range(bodies) for i in range(3)]
    plain += [(nq - turns - extras + e, n - extras + e) for e in range(extras)]
    return Positions(plain, [(7 * b + 3, 6 * b + 3) for b in range(bodies)], turns, n)


def step_kernels(method: Method, *, in_bodies: bool) -> list[str]:
    """Kernels that a method needs of equations, but for those of one formulation."""
    if method.family == "rattle":
        return [] if in_bodies else ["rattle_fewer_attempt"]
    return [name for name, _ in (IN_BODIES if in_bodies else IN_FEWER).values()]


def put_steps(table: Table, positions: Positions, method: Method, offers: str = "", distances: int = 0) -> None:
    """Enter what a method asks for.

    Args:
        table: The table of the equations, with their pattern and, for fewer coordinates, the table of the bodies.
        positions: Its positions.
        method: The method.
        offers: How the routines of fewer coordinates are called ("tree"); empty for body coordinates.
        distances: Rows before those of the pattern.
    """
    ints, pattern = table.data[places.INTS], table.data[places.PATTERN]
    order = pattern[int(pattern[L.P_AT_ROWS]) :][: int(pattern[L.P_ROWS])]
    flags = [0] * distances + [int(ints[int(ints[L.AT_ROWS]) + L.ROW_SIZE * int(row) + 5]) for row in order]
    pairs = [entry for pair in (*positions.plain, *positions.turning) for entry in pair]
    head = np.zeros(steps.HEADER_SIZE + len(pairs) + len(flags) + 1, dtype=np.int64)
    head[[steps.N, steps.FIRST, steps.ROWS, steps.CARRIED]] = (
        positions.n,
        positions.first,
        len(flags),
        positions.carried,
    )
    head[[steps.N_PLAIN, steps.N_TURNING]] = len(positions.plain), len(positions.turning)
    head[steps.AT_PAIRS], head[steps.AT_FLAGS] = steps.HEADER_SIZE, steps.HEADER_SIZE + len(pairs)
    head[steps.HEADER_SIZE : -1] = [*pairs, *flags]
    chosen = {place: (name, module.__name__) for place, (name, module) in (IN_FEWER if offers else IN_BODIES).items()}
    if offers:
        module = f"pytrammel.kernels.equations.{offers}_steps"
        chosen |= {place: (f"{offers}_{part}", module) for place, part in OFFERS.items()}
    attempt = ["rattle_fewer_attempt"] if offers and method.family == "rattle" else []
    prepare([name for name, _ in chosen.values()] + attempt)
    for place, (name, module) in chosen.items():
        table.put_routines(steps.STEPS, (name,), module)
        head[place] = table.entries[steps.STEPS]
    if attempt:
        table.put_routines(places.ATTEMPT, tuple(attempt), rattle_fewer.__name__)
    count, size = positions.n + len(flags), int(table.entries[places.SIZE])
    room = 2 * size + 2 * count + 8
    if offers:
        whole = int(table.data[places.INNER][places.SIZE])
        room += max(count * (count + 1), rattle_fewer.BODY_VECTORS * (whole + 1))
    numbers = np.zeros(room)
    numbers[: positions.n] = table.scales[positions.first : positions.first + positions.n]
    head[steps.ROOM] = address_of(numbers)
    table.put_data(steps.STEPS, head)
    table.data[-steps.STEPS] = numbers  # kept alive
