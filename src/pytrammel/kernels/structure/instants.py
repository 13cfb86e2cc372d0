"""One instant of a kinematic run by straight pieces: `instant.solve_instant` with everything that takes time written out.

Each piece is one of its functions for one structure. It reads and writes the workspace of the run and a place (q, v, a, as many numbers
apart as there are coordinates), so that pieces are called in the order in which the general kernels work, with the same numbers to the
last bit. What one piece leaves that is always the same is known to the others.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from pytrammel.kernels import engine
from pytrammel.kernels import layout as L
from pytrammel.kernels.bodies import load_ground, load_state, settle
from pytrammel.kernels.continuation import is_continuation, predict_on
from pytrammel.kernels.instant import (
    END,
    GAMMA,
    INVERSE_SCALES,
    JAC,
    LOWER,
    N_PIECES,
    NU,
    PHI,
    PIVOTS,
    RESIDUAL,
    RETURNED,
    STATE,
    STEP,
    WEIGHTED,
    WEIGHTS,
    Y,
    correct_position,
    evaluate_at,
    fill_scales,
    instant_places,
    instant_workspace,
)  # fmt: skip
from pytrammel.kernels.jit import kernel
from pytrammel.kernels.kinematics import AHEAD, GOES_ON, MEASURES, PIECES, SINES, STRAIGHT
from pytrammel.kernels.schur import factor, rates_pass, row_sines, weigh
from pytrammel.kernels.structure.as_llvm import MachineCode
from pytrammel.kernels.structure.constants import Ints, Structure
from pytrammel.kernels.structure.instant_routine import straight_instant
from pytrammel.kernels.structure.piece import Memory, Piece, make_part, make_piece
from pytrammel.kernels.structure.pieces import piece_measures
from pytrammel.kernels.structure.specialise import Specialiser

REMEMBERED = (JAC, WEIGHTED, LOWER, PIVOTS, PHI, NU, GAMMA)  # parts of the workspace that one piece leaves to another


@kernel()
def part_evaluate(I, F, P, t, place, W):
    """Elements, rows and weighted Jacobian."""
    ws = instant_workspace(I, P, W)
    fill_scales(I, F, ws)
    load_ground(I, ws[STATE])
    ws[RETURNED][0] = evaluate_at(I, F, P, t, place, place[I[L.N_COORDINATES] :], ws)
    weigh(I, P, ws[JAC], ws[WEIGHTS], ws[WEIGHTED])


@kernel()
def part_again(I, F, P, t, place, W):
    """Quadratic terms where nothing but the velocities has changed."""
    ws = instant_workspace(I, P, W)
    load_ground(I, ws[STATE])
    evaluate_at(I, F, P, t, place, place[I[L.N_COORDINATES] :], ws)


@kernel()
def part_factor(I, F, P, t, place, W):
    """Factors, and the singularity measure."""
    ws = instant_workspace(I, P, W)
    ws[RETURNED][0] = factor(P, ws[JAC], ws[WEIGHTED], 0.0, ws[Y], ws[LOWER], ws[PIVOTS])


@kernel()
def part_correct(I, F, P, t, place, W):
    """A correction of the position, and its size."""
    ws = instant_workspace(I, P, W)
    fill_scales(I, F, ws)
    ws[RETURNED][0] = correct_position(I, P, place, ws)


@kernel()
def correct_rates_once(I, F, P, ws, rhs, x):
    fill_scales(I, F, ws)
    change, size = rates_pass(
        I, P, ws[JAC], ws[WEIGHTED], ws[INVERSE_SCALES], ws[LOWER], ws[PIVOTS], rhs, x, ws[RESIDUAL], ws[STEP]
    )
    ws[RETURNED][0] = change
    ws[RETURNED][1] = size


@kernel()
def part_velocities(I, F, P, t, place, W):
    """A pass towards the velocities, its size and theirs."""
    ws = instant_workspace(I, P, W)
    correct_rates_once(I, F, P, ws, ws[NU], place[I[L.N_COORDINATES] :])


@kernel()
def part_accelerations(I, F, P, t, place, W):
    """A pass towards the accelerations, its size and theirs."""
    ws = instant_workspace(I, P, W)
    correct_rates_once(I, F, P, ws, ws[GAMMA], place[2 * I[L.N_COORDINATES] :])


@kernel()
def part_settle(I, F, P, t, place, W):
    """Euler parameters of length one, counted turns."""
    ws = instant_workspace(I, P, W)
    load_ground(I, ws[STATE])
    load_state(I, t, place, place[I[L.N_COORDINATES] :], ws[STATE])
    settle(I, F, ws[STATE], place)


@kernel()
def part_sines(I, F, P, t, sines, W):
    """Sines of the rows."""
    ws = instant_workspace(I, P, W)
    row_sines(P, ws[JAC], ws[WEIGHTED], ws[PIVOTS], sines)


@kernel()
def part_ahead(I, F, P, h, at, places):
    """Estimate of the place a time h ahead by the last two."""
    nq = I[L.N_COORDINATES]
    to = places[3 * nq :]
    predict_on(I, h, places[12 * nq], at, places, to, to[nq:], to[2 * nq :], np.zeros(I[L.N_COLUMNS]))


@kernel()
def part_goes_on(I, F, P, h, at, places):
    """Whether the motion leads from one place to the other in the time h."""
    nq = I[L.N_COORDINATES]
    to = places[3 * nq :]
    ws = instant_workspace(I, P, np.zeros(instant_places(I, P)[END]))
    fill_scales(I, F, ws)
    places[12 * nq] = 1.0 if is_continuation(I, h, at, at[nq:], at[2 * nq :], to, to[nq:], ws) else 0.0


# as `solve_instant` numbers them
PARTS = (part_evaluate, part_again, part_factor, part_correct, part_velocities, part_accelerations, part_settle)
assert len(PARTS) == N_PIECES


class StraightInstants:
    """Straight pieces of one structure, and the table that `kinematics_run` and `kinematics_of_variants` take to use them.

    Args:
        motion: The system, whose variants have their constants in whole rows.
        pattern: Elimination pattern of the rows that are followed.
        measured: A system of measured quantities, where some are wanted.
    """

    def __init__(self, motion: Structure, pattern: Ints, measured: Structure | None = None) -> None:
        ints = motion.ints
        made = [*solving_parts(motion, pattern), *following_parts(motion, pattern)]
        if measured is not None:
            made.append(measuring_piece(measured))
        self._code = MachineCode(*made)
        self._kept = ints, pattern, np.array(self._code.addresses)
        self.table = np.zeros(engine.TABLE_SIZE, dtype=np.int64)
        self.table[STRAIGHT] = straight_instant.address()
        for place, data in zip((engine.INTS, engine.PATTERN, PIECES), self._kept, strict=True):
            self.table[place] = data.ctypes.data
        others = self._code.addresses[len(PARTS) :]
        self.table[[SINES, AHEAD, GOES_ON, MEASURES][: len(others)]] = others


def solving_parts(motion: Structure, pattern: Ints) -> list[Piece]:
    """Parts that `solve_instant` is made of, and the sines that follow it."""
    at = Specialiser().call(instant_places, motion.ints.tolist(), pattern.tolist())
    passed = tuple(k for part in REMEMBERED for k in range(at[part], at[part + 1]))
    memory = Memory(3 * int(motion.ints[L.N_COORDINATES]), at[END], passed, (at[RETURNED], at[RETURNED] + 1))
    return [
        make_part(part, motion, pattern, memory, range(at[GAMMA], at[GAMMA + 1]) if part is part_again else None)
        for part in (*PARTS, part_sines)
    ]


def following_parts(motion: Structure, pattern: Ints) -> list[Piece]:
    """Parts that lead from place to place."""
    n = 3 * int(motion.ints[L.N_COORDINATES])
    parts = ((part_ahead, range(n, 2 * n)), (part_goes_on, None))
    return [
        make_part(part, motion, pattern, Memory(n, 4 * n + 1, (*range(2 * n),), (4 * n,)), left) for part, left in parts
    ]


def measuring_piece(measured: Structure) -> Piece:
    """Values, rates and second rates of the rows of a system, whose constants are in whole rows."""
    ints = measured.ints
    n_place = int(ints[L.N_COORDINATES]) + 2 * int(ints[L.N_COLUMNS])
    outputs = [3 * int(ints[L.N_ROWS])]
    made = make_piece(piece_measures, ints, measured.floats, measured.varying, None, n_place, outputs)
    return replace(made, varying=tuple(range(measured.floats.size)))
