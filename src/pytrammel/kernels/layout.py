"""Where things are in the flat buffers that lowering packs and kernels read.

Integer buffer ``I``: a header of `HEADER_SIZE` numbers (the ``N_*`` counts and the ``AT_*`` offsets below), then the
tables they point to. Float buffer ``F``: targets, scales and weights at the ``AT_*`` offsets, then the constants of the
primitives and the tapes. Buffer ``P`` holds the elimination pattern of one chosen set of rows.

State of a system: time, then per body (ground is body 0) `BODY_SIZE` numbers in the plane or `SPACE_BODY_SIZE` in space, then
`EXTRA_SIZE` per extra coordinate (the curve parameter of a cam or slot), then one per turn counter (space only), then the inner
states of force elements.

Coordinates q and velocities v are not the same things in space: q holds r and the Euler parameters p of each body (7 numbers), then
the extras, then the turn counters; v holds r' and the angular velocity in body components (6 numbers), then the rates of the extras.
In the plane both have 3 numbers per body.
"""

from __future__ import annotations

# --- header of I -----------------------------------------------------------------------------------------------------
N_BODIES = 0  # ground included
N_EXTRAS = 1  # extra (curve) coordinates
N_COLUMNS = 2  # velocities: 3 (plane) or 6 (space) per moving body, then the extras
N_ELEMENTS = 3
N_ROWS = 4
N_OUTPUTS = 5
N_JACOBIAN = 6  # stored Jacobian entries
N_WORK = 7  # scratch numbers for tapes
AT_ELEMENTS = 8  # per element: address, offset of its integers, first output, first Jacobian entry
AT_ROWS = 9  # per row: output, Jacobian start, number of entries, offset of its column list, tape or -1, 1 if only its rate counts
AT_TARGETS = 10  # in F: constant part of each row's target
AT_ROW_SCALES = 11  # in F: what counts as "one" for each row [m or rad]
AT_COLUMN_SCALES = 12  # in F: what counts as "one" for each column [m or rad]
N_PRESCRIBED = 13  # coordinates given as functions of time (coordinate partitioning)
AT_PRESCRIBED = 14  # per prescribed coordinate: column, coordinate, tape
N_FORCES = 15
AT_FORCES = 16  # per force element: address, offset of its integers, output, block start, entries, column list
AT_MASSES = 17  # in F: per moving body its mass properties, see `planar_mass` and `spatial_mass`
AT_EXTRA_MASSES = 18  # in F: per extra coordinate its inverse (artificial) mass
AT_GRAVITY = 19  # in F: gravity x, y (z)
N_STATES = 20  # inner states of force elements (friction bristles)
AT_STATES = 21  # per inner state: output whose PARTIAL_T entry is its rate
N_REACTIONS = 22  # reaction magnitudes that forces depend on (joint friction)
AT_REACTIONS = 23  # per reaction: output to write, first row, number of rows, kind, first column and state of the body, state of the
# body that carries place and axis, constants in F
HAS_MASSLESS = 24  # 1 if some coordinate has only an artificial mass
AT_EXTRA_BOUNDS = 25  # in F: lowest and highest value of each extra coordinate
IS_SPATIAL = 26
N_COORDINATES = 27  # numbers in q
N_TURNS = 28  # turn counters: angles about an axis that must not jump by whole turns
AT_TURNS = 29  # per turn counter: state offsets of its two bodies, offset of its constants in F
AT_COORDINATE_SCALES = 30  # in F: what counts as "one" for each coordinate
AT_WEIGHING = 32  # per row: start and number of the steps that multiply it by M^-1, see `mass.weigh_by_mass`
FORMULATION = 31  # 0 angular velocities (III), 1 Euler parameters (I), 2 mixed (II)
# addresses of the elements that know bodies in space (zero in the plane); see `bodies` and `mass`
SPACE_LOAD, SPACE_MOVE, SPACE_DIFFERENCE, SPACE_RATES, SPACE_TO_RATES, SPACE_FROM_RATES, SPACE_SETTLE = range(33, 40)
SPACE_INVERSE_MASS, SPACE_MASS, SPACE_WEIGH, SPACE_INERTIA, SPACE_ENERGY = range(40, 45)
N_PUSHES = 45  # teeth that push each other off, where forces depend on what bearings carry
AT_PUSHES = 46  # per push: row of the teeth, Jacobian start, entries and column list of its direction, its share of the row's force in F
# addresses of what few models need, zero in the others: formulas of time, loads of joints that forces depend on, Euler parameters as
# unknowns, massless coordinates that matter: by conjugate gradients, then by elimination
TAPE, READ_LOADS, IN_PARAMETERS, DENSELY, BY_DIRECTIONS = range(47, 52)
HEADER_SIZE = 52

ELEMENT_SIZE = 4
ROW_SIZE = 6
FORCE_SIZE = 6
MASS_SIZE = 7
SPACE_MASS_SIZE = 24
REACTION_SIZE = 8
PUSH_SIZE = 5
TURN_SIZE = 3
WEIGH_SIZE = 4  # per step: kind, first Jacobian entry, offset of the body's constants in F, offset of its state
WEIGH_ONE, WEIGH_DIAGONAL, WEIGH_MATRIX, WEIGH_PLANAR, WEIGH_SPATIAL = range(5)

# --- state -----------------------------------------------------------------------------------------------------------
TIME = 0
FIRST_BODY = 1
BODY_SIZE = 8
X, Y, PHI, COS, SIN, XD, YD, W = range(8)
EXTRA_SIZE = 2
# a body in space: origin r, Euler parameters, rotation matrix by rows, velocity, angular velocity in body and in global components
SPACE_BODY_SIZE = 25
R = 0
E0 = 3
ROT = 7
RD = 16
WB = 19
WG = 22

# --- outputs: each primitive output is three numbers ------------------------------------------------------------------
OUTPUT_SIZE = 3
VALUE = 0
PARTIAL_T = 1  # partial derivative by time (only expressions depend on time explicitly)
QUADRATIC = 2  # second time derivative with all accelerations zero

# a force element's three numbers: the force, the rate of its inner state, the power it gives to the bodies
FORCE = 0
STATE_RATE = 1
POWER = 2

# --- a primitive's integers, at offset io ------------------------------------------------------------------------------
FLOATS = 0  # offset of its constants in F
BODIES = 1  # state offsets of its bodies follow; then extras; then tapes

# --- header of P -----------------------------------------------------------------------------------------------------
P_ROWS = 0  # number of active rows
P_AT_ROWS = 1  # active rows in elimination order
P_AT_S = 2  # row starts of the lower triangle of S
P_AT_S_COLUMN = 3
P_AT_TERM = 4  # term starts of each entry of S
P_AT_TERMS = 5  # pairs of Jacobian entries that share a column
P_AT_L_ROW = 6  # row starts of L
P_AT_L_ROW_COLUMN = 7
P_AT_L_ROW_PLACE = 8  # place of that entry in the column-wise storage
P_AT_L_COLUMN = 9  # column starts of L
P_AT_L_ROW_INDEX = 10
P_L_SIZE = 11
P_LEFT_OUT = 12  # redundant rows that share the load without taking part in the solution
P_AT_LEFT_OUT = 13
P_HEADER_SIZE = 14

# --- status codes ------------------------------------------------------------------------------------------------------
OK = 0
NOT_CONVERGED = 1
SINGULAR = 2
NOT_FINITE = 3
BRANCH_LOST = 4
CURVE_END = 5
WEAK_ROWS = 6  # the rows chosen among redundant ones have become nearly dependent: choose others
PAUSED = 7  # enough work for one call: to be called again
