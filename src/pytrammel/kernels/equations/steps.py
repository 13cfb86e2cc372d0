"""What methods that treat the constraints themselves ask of equations: the seam beside that of `engine`.

The integrated vector is [positions, what is carried (turn counters), speeds, ...]. Positions are plain numbers that follow a speed, or
Euler parameters that turn with three. The table M, reached through E[STEPS], says which, and has the addresses of these routines, with the
arguments of all routines, (M's equations) ``(E, t, h, a, b, c)``:

============  =================  ====================================================================================================
equations     arguments          meaning
============  =================  ====================================================================================================
BALANCE       scratch, moving    what the equations of a step lack at (t, q, v, a, lam) of the scratch, into its fifth vector: balance
                                 along the speeds, then -Phi; (nu - J moving)/h for rows of rates. Returns the worst one
ONTO          q, v               v onto J v = nu by the smallest step in the mass metric
MULTIPLIERS   lam                those of the last evaluation; none where they are counted from there (`fewer_steps`)
MATRIX        y                  of a method: factors of the derivatives of BALANCE along its formula; y: room
SOLVE         r                  of a method: solve with them, in place
============  =================  ====================================================================================================

Fewer coordinates than those of the bodies offer four things, from which `fewer_steps` makes the above:

============  =================  ====================================================================================================
LOOK          y, phi, off        residuals of the rows and nu - J v at (t, y); leaves the factors that PULL needs
PULL          delta, out         accelerations along the speeds, by forces of the rows alone, with which J a is delta
RESPOND       y, forces, out     accelerations along the speeds by forces on bodies at rest, as if no row were there
BODIES        y, out             the vector in body coordinates
============  =================  ====================================================================================================
"""

from __future__ import annotations

import math

from pytrammel.kernels import engine
from pytrammel.kernels.bare import bare
from pytrammel.kernels.jit import floats_at, ints_at, kernel
from pytrammel.kernels.turning import turn, turn_between

STEPS = engine.REDUCED - 1  # entry of the table
# entries of M: speeds, where they begin, rows, how many carried numbers stand before the speeds; plain positions and Euler parameters, and
# where their pairs (position, speed) stand; where the flags of rows of rates stand; routines; address of the room
(N, FIRST, ROWS, CARRIED, N_PLAIN, N_TURNING, AT_PAIRS, AT_FLAGS) = range(8)
(BALANCE, ONTO, MULTIPLIERS, MATRIX, SOLVE, LOOK, PULL, RESPOND, BODIES, ROOM, HEADER_SIZE) = range(8, 19)


@kernel(spread=True)
def steps_of(E):
    """The table M."""
    return bare(ints_at(E[STEPS]))


@kernel(spread=True)
def room_of(M):
    """What counts as one along each speed, then room of the equations."""
    return bare(floats_at(M[ROOM]))


@kernel()
def move(M, q, step, out):
    """out = q moved by a step that has the meaning of speeds times a time; what is carried stays. q and out may be the same."""
    pair = M[AT_PAIRS]
    for _ in range(M[N_PLAIN]):
        out[M[pair]] = q[M[pair]] + step[M[pair + 1]]
        pair += 2
    for _ in range(M[N_TURNING]):
        u = M[pair + 1]
        turn(q, M[pair], step[u], step[u + 1], step[u + 2], out)
        pair += 2
    for c in range(M[FIRST] - M[CARRIED], M[FIRST]):
        out[c] = q[c]


@kernel()
def difference(M, q_to, q_from, out):
    """The step that leads from one position to another."""
    pair = M[AT_PAIRS]
    for _ in range(M[N_PLAIN]):
        out[M[pair + 1]] = q_to[M[pair]] - q_from[M[pair]]
        pair += 2
    for _ in range(M[N_TURNING]):
        w, x, y, z = turn_between(q_to, q_from, M[pair])
        sine = math.sqrt(x * x + y * y + z * z)
        scale = 2.0 * math.atan2(sine, w) / sine if sine > 1e-9 else 2.0 / w
        u = M[pair + 1]
        out[u] = scale * x
        out[u + 1] = scale * y
        out[u + 2] = scale * z
        pair += 2
