"""Where things are in the buffers of a tree.

Integers ``T``: the header below, then the tables it points to. Numbers ``G``: per node what joins it to its parent. The workspace ``W`` is
that of the equations; the ``W_*`` entries of the header say where its parts begin.

A *node* is a body, or a massless frame between two motions of one joint (problem 13.14: a fictitious body). Nodes come parent first.
"""

from __future__ import annotations

# --- header of T
N_NODES = 0
N_POSITIONS = 1  # joint coordinates: numbers in s, extras and turn counters not included
N_SPEEDS = 2  # numbers in u
AT_NODES = 3
AT_NODE_OF_BODY = 4  # per moving body its node
AT_SUPPORT = 5  # per active row in elimination order: start and number of its support
HOW = 6  # 0: articulated bodies; 1: accelerations from the equations in body coordinates (JC-1)
LOAD, FACTOR, INWARD, OUTWARD, ROW, MOVE, JOINT_RATES, STORE = range(
    7, 15
)  # addresses of the routines of the plane or of space
W_STATE, W_OUT, W_JAC, W_WORK, W_FORCES, W_ACCEL, W_VELOCITY = range(15, 22)
W_NODES, W_B, W_U, W_D, W_NU, W_UDOT, W_STEP = range(22, 29)
W_Y, W_WEIGHTED, W_LOWER, W_PIVOTS, W_ROW, W_PHI, W_RATE, W_GAMMA, W_RESIDUAL, W_TARGET, W_CARTESIAN, W_ENERGY = range(
    29, 41
)
W_RATES, W_BODY_ROWS = 41, 44  # derivative of the vector in body coordinates; rows divided by masses
AT_EXTRA_SCALES = 42  # in G: what counts as one, per entry of s, then of u, extras included
UNIT_INERTIA = 43  # in G: inertia of each body where masses are replaced by ones
AT_TURN_SPEEDS = 45  # per turn counter: the speed that it follows and its sign, or -1
HEADER_SIZE = 46

# --- a node
(KIND, PLACE, PARENT, PARENT_PLACE, AT_S, AT_U, SPEEDS, CONSTANTS, BODY, AT_D) = range(10)
NODE_SIZE = 10
FIXED, TURN, SLIDE, BALL, FREE = range(5)  # kinds: none, about an axis (with a pitch), along one, about a point, all

# --- numbers of a node in G: joint's point on the parent and on the node, axis on the node, pitch; in space also the node's Euler
# parameters against its parent where the joint coordinate is zero, and these turned by half a turn about the axis
PLANE_CONSTANTS = 8  # point (2), point (2), axis on the parent (2), angle, pitch unused
POINT, OWN_POINT, AXIS, ANGLE = 0, 2, 4, 6
SPACE_CONSTANTS = 18
SPACE_POINT, SPACE_OWN_POINT, SPACE_AXIS, ZERO, HALF, PITCH = 0, 3, 6, 9, 13, 17

# --- workspace of a node
PLANE_NODE = 18  # from the parent (2), inertia (6: xx, xy, yy, x-phi, y-phi, phi), load (3), bias (3), acceleration (3)
SPACE_NODE = 42  # from the parent (3), inertia (21: M 6, K 9, J 6), load (6), bias (6), acceleration (6)
