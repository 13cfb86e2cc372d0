"""The instruction numbers of expression tapes, and the functions an expression may call.

A leaf module: the model writes tapes with these numbers, the kernels read them, and neither imports the other.
Numbers are never reused or renumbered: compiled kernels hold them as constants.

A tape instruction is ``(opcode, a, b, c)``; a, b, c are slot numbers unless said otherwise.
"""

from __future__ import annotations

from typing import NamedTuple

# values and arithmetic
COPY = 0  # slot a
CONSTANT = 1  # a: index in the tape's floats
ADD = 2
SUBTRACT = 3
MULTIPLY = 4
DIVIDE = 5
NEGATE = 6
POWER = 7  # a ^ b, both slots; a > 0
POWER_INTEGER = 8  # b: the exponent itself
POWER_CONSTANT = 9  # b: index in the tape's floats

# smooth functions
SIN = 10
COS = 11
TAN = 12
ASIN = 13
ACOS = 14
ATAN = 15
ATAN2 = 16
SINH = 17
COSH = 18
TANH = 19
SQRT = 20
EXP = 21
LOG = 22

# functions with corners or jumps
ABS = 30
SIGN = 31
MIN = 32
MAX = 33
MOD = 34
STEP = 35
FLOOR = 36
CHOOSE = 37  # slot b where slot a is not zero, else slot c

# rise laws and tables; b: where the pieces start in the tape's floats, c: order of the derivative
PIECEWISE = 40

# layout of a tape's integers
TAPE_N_INSTRUCTIONS = 0
TAPE_N_INPUTS = 1
TAPE_FLOAT_OFFSET = 2
TAPE_N_SLOTS = 3
TAPE_HEADER = 4
INSTRUCTION_SIZE = 4

# layout of the pieces: this header, n + 1 breaks, then per piece its coefficients c0..c_degree of powers of the
# distance h from the left break and, if has_sine, (amplitude, frequency, phase) of a term A sin(w h + p)
PIECES_N = 0
PIECES_DEGREE = 1
PIECES_HAS_SINE = 2
PIECES_OUTSIDE = 3
PIECES_HEADER = 4

# what happens outside the breaks
OUTSIDE_LINEAR = 0  # value and slope go on
OUTSIDE_PERIODIC = 1  # the argument wraps
OUTSIDE_HOLD = 2  # the value stays


class Function(NamedTuple):
    """What may stand in a formula: its instruction and its number of arguments."""

    opcode: int
    arity: int


# `^` with a constant exponent is lowered to POWER_INTEGER or POWER_CONSTANT
OPERATORS: dict[str, Function] = {
    "+": Function(ADD, 2),
    "-": Function(SUBTRACT, 2),
    "*": Function(MULTIPLY, 2),
    "/": Function(DIVIDE, 2),
    "^": Function(POWER, 2),
    "neg": Function(NEGATE, 1),
}

# worth 1 where they hold, else 0; lowered to signs of differences, so that they need no instructions of their own
COMPARISONS: tuple[str, ...] = ("<", "<=", ">", ">=", "==", "!=")
LOGIC: dict[str, int] = {"and": 2, "or": 2, "not": 1}  # with their number of arguments

FUNCTIONS: dict[str, Function] = {
    "sin": Function(SIN, 1),
    "cos": Function(COS, 1),
    "tan": Function(TAN, 1),
    "asin": Function(ASIN, 1),
    "acos": Function(ACOS, 1),
    "atan": Function(ATAN, 1),
    "atan2": Function(ATAN2, 2),
    "sinh": Function(SINH, 1),
    "cosh": Function(COSH, 1),
    "tanh": Function(TANH, 1),
    "sqrt": Function(SQRT, 1),
    "exp": Function(EXP, 1),
    "log": Function(LOG, 1),
    "abs": Function(ABS, 1),
    "sign": Function(SIGN, 1),
    "min": Function(MIN, 2),
    "max": Function(MAX, 2),
    "mod": Function(MOD, 2),
    "step": Function(STEP, 1),
    "floor": Function(FLOOR, 1),
    "if": Function(CHOOSE, 3),
}

SMOOTH_STEP = 5  # arguments of step(x, x0, h0, x1, h1), which is written with a rise law


def arities(function: str) -> tuple[int, ...]:
    """Numbers of arguments that a function may have."""
    return (1, SMOOTH_STEP) if function == "step" else (FUNCTIONS[function].arity,)


# normalised rises from 0 at u = 0 to 1 at u = 1; their pieces travel in the tape, so a new law needs no new opcode
LAW_NAMES: tuple[str, ...] = (
    "uniform",
    "harmonic",
    "poly23",
    "cycloidal",
    "poly345",
    "poly4567",
    "modified_sine",
    "modified_trapezoid",
)
