"""Where things are in the buffer ``T`` that `system.coupling` builds for `linearise`, whose workspace is one float array ``lin``.

Every element of a system couples few columns: its *local* columns. ``T`` says which, and where each pair of them lies in the one
sparse pattern that mass, damping and stiffness share.
"""

from __future__ import annotations

# --- header of T -----------------------------------------------------------------------------------------------------
T_PLACES = 0  # entries of the pattern
T_AT_COLUMNS = 1  # per column: where its body (or extra) is in the state, size of that, which column of it
T_DISPLACE, T_SPEED_UP, T_SLOPES = 2, 3, 4  # addresses of what knows bodies: see `planar_motions`, `spatial_motions`
T_AT_BODIES = 5  # per moving body: offset of the places of its block
T_PIECES = 6
T_AT_PIECES = 7  # per piece of constraint geometry, `PIECE_SIZE` numbers
T_AT_FORCES = 8  # per force element, `LOAD_SIZE` numbers
T_MOST_LOCAL = 9  # most local columns
T_MOST_VALUES = 10  # most numbers that one piece or force is differentiated for
T_MOST_SECOND = 11  # most second derivatives of one piece
T_STATE_FORCES = 12  # entries of d force / d inner state
T_STATE_RATES = 13  # entries of d rate of inner state / d position or velocity
T_SIZE = 14  # numbers of the workspace
# where its parts begin: results first, then scratch
(
    MASS, DAMPING, STIFFNESS, RATE_Q, SECOND_Q, SECOND_V, STATE_FORCE, STATE_Q, STATE_V, STATE_Z, NOTES,
    RESTING, MOVING, OUT, JAC, LOADED, SECOND, BY_TIME, LOCAL, BLOCK, OLDER, NEWER, BEST, AHEAD, BEHIND, MIDDLE, SAVED, INPUTS, STEP,
) = range(15, 44)  # fmt: skip
T_HEADER_SIZE = 44

# a piece: the outputs of one primitive that rows or laws use
PIECE_KIND, PIECE_OUTPUT, PIECE_OUTPUTS, PIECE_ENTRY, PIECE_ENTRIES, PIECE_LOCAL, PIECE_COLUMNS, PIECE_PLACES = range(8)
PIECE_MAP, PIECE_RUNS, PIECE_N_RUNS, PIECE_FOR_LAWS, PIECE_CURVED, PIECE_N_CURVED = range(8, 14)
PIECE_SIZE = 14
HOLONOMIC, TIMED, SLIPPING = 0, 1, 2  # polarised; polarised with terms in time taken apart; by differences

# a force element
LOAD_KIND, LOAD_LOCAL, LOAD_COLUMNS, LOAD_PLACES, LOAD_MAP, LOAD_RUNS, LOAD_N_RUNS, LOAD_ALONG = range(8)
LOAD_INPUTS, LOAD_NEAR, LOAD_STATE, LOAD_AT_FORCE, LOAD_AT_RATE = range(8, 13)
LOAD_SIZE = 13
NO_LOAD, TAPE_LAW, CALLED_LAW, OWN_GEOMETRY = range(4)
LAW_INPUT_SIZE = 3  # per input of a law: Jacobian start, number of entries, offset of their local columns

NOTE_SIZE = 4  # per force: kink in a position and in a velocity (local column + 1), errors of stiffness and damping

# what is asked for, as a sum
ACCELERATION_ROWS = 1  # derivatives of J a - gamma too
KINKS = 2  # look for kinks of laws, and take the mean of both sides there
LAWS_ONLY = 4  # leave out what rows and directions of laws change with: good enough, and much faster, for iterations
