"""Where things are in the buffers of relative coordinates.

Integers ``R``: the header below, then the tables it points to. Numbers ``G``: per link what joins a body to its lower body. The ``W_*``
entries of the header say where the parts of the workspace begin.
"""

from __future__ import annotations

from pytrammel.kernels import engine
from pytrammel.kernels.jit import floats_at, ints_at, kernel

# header of the integers R
(
    N_LINKS,
    N_POSITIONS,
    N_SPEEDS,
    N_UNKNOWN,
    N_COLUMNS,
    N_DRIVEN,
    AT_LINKS,
    AT_POSITIONS,
    AT_SPEEDS,
    AT_DRIVEN,
    SWEEP,
) = range(11)
(W_STATE, W_OUT, W_JAC, W_WORK, W_FORCES, W_BIAS, W_P, W_MP, W_A, W_F, W_X, W_Y, W_YD, W_B, W_K) = range(11, 26)
(W_PHI, W_RATE, W_GAMMA, W_TARGET, W_CARTESIAN, W_ENERGY, W_STEP, W_LAM, W_VELOCITY, W_TURNING, W_NORMS) = range(26, 37)
AT_SCALES = 37  # in G: what counts as one, per unknown position, extras, per unknown speed, extras
AT_LAWS = 38  # in G: sign and offset of each driven coordinate
HEADER_SIZE = 39

# a link: a body with its lower body; columns of its six speeds, -1 for those that are locked
PLACE, LOWER_PLACE, BODY, LOWER, KIND, IS_BALL, AT_Y, COLUMNS = range(8)
LINK_SIZE = 14
ANGLES, PARAMETERS = 0, 1
PER_LINK_X, PER_LINK_Y = (
    7,
    6,
)  # angles (3, or 4 Euler parameters) from 0, translations from 4; their rates from 0 and from 3
FIRST_SLIDE_X, FIRST_SLIDE_Y = 4, 3

# numbers of a link in G: origin of the joint frame on the lower body and on the body, Euler parameters of that frame on the lower body and
# of the body in its own joint frame, the frames themselves
ON_LOWER, ON_BODY, LOWER_FRAME, INTO_BODY, D, B = 0, 3, 6, 10, 14, 23
LINK_NUMBERS = 32
ANGLE_OFFSET = LOWER_FRAME  # in the plane: angle of the body where its coordinate is zero

TURNED_FAR = 0.5  # cosine of the second angle of a ball below which other joint frames are asked for: 60 degrees
DRIVEN_SIZE = 4  # coordinate, speed, row, column


@kernel(spread=True)
def relative_at(E):
    """Integers of the relative coordinates."""
    return ints_at(E[engine.REDUCED])


@kernel(spread=True)
def numbers_at(E):
    """Numbers of the relative coordinates."""
    return floats_at(E[engine.REDUCED_NUMBERS])


@kernel(spread=True)
def workspace_of(E):
    """Workspace of the equations."""
    return floats_at(E[engine.WORKSPACE])
