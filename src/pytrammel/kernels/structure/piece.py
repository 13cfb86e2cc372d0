"""A piece: one of the functions in `pieces` for one structure, ready to be written as text."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pytrammel import opcodes as op
from pytrammel.kernels import layout as L
from pytrammel.kernels.structure.constants import Structure
from pytrammel.kernels.structure.graph import Block, Open, Step, Value, used_only
from pytrammel.kernels.structure.pieces import piece_measures
from pytrammel.kernels.structure.specialise import Buffer, Specialiser
from pytrammel.kernels.tape import tape_run


@dataclass(frozen=True)
class Piece:
    """A straight function of the time, of the varying constants of a variant and of some numbers.

    Attributes:
        name: Name of the function.
        block: What it computes.
        outputs: What it writes, in order.
        n_inputs: Numbers that it reads.
        varying: Which constants of the structure it reads from the variant; the others are written into it.
        places: Where what it writes belongs: "out" or, in place, "x", and how far behind its beginning. Empty: one behind the other in out.
    """

    name: str
    block: Block
    outputs: tuple[Value, ...]
    n_inputs: int
    varying: tuple[int, ...]
    places: tuple[tuple[str, int], ...] = ()


def make_piece(
    function: Callable[..., Any],
    ints: NDArray[np.int64],
    floats: NDArray[np.float64],
    varying: Sequence[int],
    pattern: NDArray[np.int64] | None,
    n_inputs: int,
    outputs: Sequence[int],
) -> Piece:
    """A function of `pieces` for one structure.

    Args:
        function: Its arguments are I, F, (P,) t, the numbers read, and a buffer for each entry of `outputs`.
        ints, floats, pattern: The structure, and the constants of one variant.
        varying: Constants that differ between variants.
        n_inputs: Numbers read.
        outputs: How many numbers each buffer holds; what is returned is written behind them.
    """
    run, t, x, F = _begun(floats, varying, n_inputs)
    places = [] if pattern is None else [[int(k) for k in pattern]]
    written = [run.zeros(count) for count in outputs]
    returned = run.call(function, [int(k) for k in ints], F, *places, t, x, *written)
    more = returned if isinstance(returned, tuple) else () if returned is None else (returned,)
    return _ended(run, function.__name__, [*(v for buffer in written for v in buffer.cells), *more], n_inputs, varying)


@dataclass
class Memory:
    """What parts of one computation share: a place (x), and a workspace (out) in which some cells pass from one part to another.

    Attributes:
        n_x, n_out: Their sizes.
        passed: Cells of the workspace that are passed on from one part to others.
        returned: Cells in which each part takes or returns numbers. All others are scratch.
        known: Cells that were passed on with the same number whatever was computed.
        functions: Cells with a sine or cosine of a number of the place, by its name and the place of that number.
    """

    n_x: int
    n_out: int
    passed: tuple[int, ...]
    returned: tuple[int, ...]
    known: dict[int, float] = field(default_factory=dict)
    functions: dict[tuple[str, int], int] = field(default_factory=dict)


def make_part(
    function: Callable[..., Any], motion: Structure, pattern: NDArray[np.int64], memory: Memory, only: Sequence[int] | None = None
) -> Piece:  # fmt: skip
    """A function with the arguments I, F, P, t, x, out for one structure, which reads and writes x and out in place.

    Constants are read where the whole row of a variant has them. What it always leaves in a cell is known to later parts. With `only`
    these cells are written and no others, and the place is as it was for the first part: its sines and cosines are known.
    """
    run, t, x, F = _begun(motion.floats, motion.varying, memory.n_x)
    left = [*memory.passed, *memory.returned, *memory.functions.values()]
    scratch = dict.fromkeys(set(range(memory.n_out)) - set(left), 0.0)
    out = run.inputs("out", memory.n_out, scratch | memory.known)
    before = list(x.cells), list(out.cells)
    if only is not None:
        run.graph.whole.known |= {
            (op, (before[0][k].number,)): before[1][cell] for (op, k), cell in memory.functions.items()
        }
    run.call(function, motion.ints.tolist(), F, pattern.tolist(), t, x, out)
    if not memory.functions:
        memory.functions = _functions(run, before[0], out.cells)
        left += memory.functions.values()
    places = [("x", k) for k in range(memory.n_x) if x.cells[k] is not before[0][k]]
    places += [("out", k) for k in (left if only is None else only) if out.cells[k] is not before[1][k]]
    found = [(x if name == "x" else out).cells[k] for name, k in places]
    if only is None:
        memory.known |= {k: float(out.cells[k]) for k in memory.passed if not isinstance(out.cells[k], Open)}
    made = _ended(run, function.__name__, found, memory.n_x, range(motion.floats.size))
    return replace(made, places=tuple(places))


def _functions(run: Specialiser, x: Sequence[Any], cells: Sequence[Any]) -> dict[tuple[str, int], int]:
    """Cells that hold sines and cosines of inputs."""
    place_of = {value.number: k for k, value in enumerate(x)}
    cell_of = {value.number: k for k, value in enumerate(cells) if isinstance(value, Open)}
    steps = [
        s
        for s in run.graph.whole.steps
        if isinstance(s, Step) and s.op in ("sin", "cos") and s.result.number in cell_of
    ]
    return {
        (s.op, place_of[s.arguments[0].number]): cell_of[s.result.number]
        for s in steps
        if s.arguments[0].number in place_of
    }


@dataclass(frozen=True)
class Wanted:
    """One number that is kept of every instant.

    Attributes:
        place: Place among q, v, a of one instant; or -1.
        row, order: Row of the measuring system, and 0 for its value, 1 for its rate, 2 for its second rate.
        formula: Tape of a formula of the instant and of other numbers, whose integers and constants these are; or None.
        of: What the formula is made of, after the instant.
    """

    place: int = -1
    row: int = -1
    order: int = 0
    formula: tuple[tuple[int, ...], tuple[float, ...]] | None = None
    of: tuple[Wanted, ...] = ()


def make_keeper(
    wanted: Sequence[Wanted],
    n_inputs: int,
    ints: NDArray[np.int64] | None = None,
    floats: NDArray[np.float64] | None = None,
    varying: Sequence[int] = (),
) -> Piece:
    """What is kept of an instant, of a place and of a measuring system (ints, floats, varying) where there is one."""
    run, t, x, F = _begun(np.zeros(0) if floats is None else floats, varying, n_inputs)
    n_rows = 0 if ints is None else int(ints[L.N_ROWS])
    values = run.zeros(3 * n_rows)
    if ints is not None:
        run.call(piece_measures, [int(k) for k in ints], F, t, x, values)

    def number(one: Wanted) -> Value:
        if one.formula is None:
            found: Value = x.read(one.place) if one.place >= 0 else values.read(n_rows * one.order + one.row)
            return found
        tape, constants = one.formula
        slots = [[number(each), 0.0, 0.0, 0.0] for each in one.of]
        work = run.buffer(
            [t, 0.0, 0.0, 0.0, *(v for slot in slots for v in slot), *[0.0] * 4 * tape[op.TAPE_N_INSTRUCTIONS]]
        )
        # of a tape that stands alone the constants begin with the first
        own = [*tape]
        own[op.TAPE_FLOAT_OFFSET] = 0
        result: Value = work.read(run.call(tape_run, own, 0, run.buffer(constants), work, 0))
        return result

    return _ended(run, "piece_kept", [number(each) for each in wanted], n_inputs, varying)


def _begun(
    floats: NDArray[np.float64], varying: Sequence[int], n_inputs: int
) -> tuple[Specialiser, Open, Buffer, Buffer]:
    """A specialiser with instant, numbers read and constants."""
    run = Specialiser()
    open_ones = set(varying)
    F = run.inputs("F", floats.size, {k: float(x) for k, x in enumerate(floats) if k not in open_ones})
    return run, run.graph.add("input", "t", 0), run.inputs("x", n_inputs), F


def _ended(run: Specialiser, name: str, found: Sequence[Value], n_inputs: int, varying: Sequence[int]) -> Piece:
    used_only(run.graph.whole, {v.number for v in found if isinstance(v, Open)})
    return Piece(name, run.graph.whole, tuple(found), n_inputs, tuple(varying))
