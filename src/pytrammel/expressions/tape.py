"""Lower an expression to the tape that the kernels run; the layout is written down in `pytrammel.opcodes`."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from dataclasses import dataclass

from pytrammel import opcodes
from pytrammel._util import traced_numbers
from pytrammel.errors import ExpressionError
from pytrammel.expressions.expression import Call, Expression, Name, Number, PiecewiseCall
from pytrammel.expressions.piecewise import PiecewiseFunction

# beyond this, products are slower than a power and integers lose nothing by becoming floats
LARGEST_INTEGER_EXPONENT = 1024


@dataclass(frozen=True)
class Tape:
    """Instructions of one expression.

    Attributes:
        ints: Header and instructions; the place of the floats (``opcodes.TAPE_FLOAT_OFFSET``) is 0 until packed.
        floats: Constants and pieces.
        inputs: Names of the first slots, in order.
        n_slots: Slots of four floats that a run needs, inputs included; the last one receives the result.
    """

    ints: tuple[int, ...]
    floats: tuple[float, ...]
    inputs: tuple[str, ...]
    n_slots: int


def write_tape(expression: Expression, inputs: Sequence[str]) -> Tape:
    """Write the instructions; equal parts are computed once.

    Raises:
        ExpressionError: The formula uses a name that is not among the inputs.
    """
    return _Writer(tuple(inputs)).write(expression)


class _Writer:
    def __init__(self, inputs: tuple[str, ...]) -> None:
        self.inputs = inputs
        self.slot_of_input = {name: slot for slot, name in enumerate(inputs)}
        self.slot_of_instruction: dict[tuple[int, int, int, int], int] = {}
        self.floats: list[float] = []
        self.place_of_number: dict[float, int] = {}
        self.place_of_varied: dict[int, int] = {}  # by identity
        self.place_of_pieces: dict[PiecewiseFunction, int] = {}

    def write(self, expression: Expression) -> Tape:
        slots: dict[int, int] = {}
        exponents = _constant_exponents(expression)
        for node in expression.nodes():
            if id(node) not in exponents:
                slots[id(node)] = self._node(node, [slots.get(id(child), -1) for child in node.children])
        if isinstance(expression, Name):  # the result must be the last slot, so a bare input is copied there
            self._instruction(opcodes.COPY, slots[id(expression)])
        instructions = list(self.slot_of_instruction)
        n_slots = len(self.inputs) + len(instructions)
        header = (len(instructions), len(self.inputs), 0, n_slots)
        ints = header + tuple(value for instruction in instructions for value in instruction)
        return Tape(ints, tuple(self.floats), self.inputs, n_slots)

    def _node(self, node: Expression, slots: list[int]) -> int:
        if isinstance(node, Name):
            if node.name not in self.slot_of_input:
                raise _unknown_name(node.name, self.inputs)
            return self.slot_of_input[node.name]
        if isinstance(node, Number):
            return self._instruction(opcodes.CONSTANT, self._number(node.value))
        if isinstance(node, PiecewiseCall):
            return self._instruction(opcodes.PIECEWISE, slots[0], self._pieces(node.function), node.order)
        assert isinstance(node, Call)
        if node.function == "^" and isinstance(node.children[1], Number):
            exponent = node.children[1].value
            if (
                not traced_numbers.is_varied(exponent)
                and exponent.is_integer()
                and abs(exponent) <= LARGEST_INTEGER_EXPONENT
            ):
                return self._instruction(opcodes.POWER_INTEGER, slots[0], int(exponent))
            return self._instruction(opcodes.POWER_CONSTANT, slots[0], self._number(exponent))
        if node.function in opcodes.COMPARISONS or node.function in opcodes.LOGIC:
            return self._truth(node.function, *slots)
        entry = opcodes.OPERATORS.get(node.function) or opcodes.FUNCTIONS[node.function]
        return self._instruction(entry.opcode, *slots)

    def _truth(self, function: str, a: int, b: int = 0) -> int:
        """1 or 0 by the sign of a difference: max(0, sign(d)) is 1 above zero, and not a number where d is none."""
        one, nothing = (self._instruction(opcodes.CONSTANT, self._number(value)) for value in (1.0, 0.0))
        if function == "and":
            return self._instruction(opcodes.MULTIPLY, a, b)
        if function == "or":
            both = self._instruction(opcodes.MULTIPLY, a, b)
            return self._instruction(opcodes.SUBTRACT, self._instruction(opcodes.ADD, a, b), both)
        if function == "not":
            return self._instruction(opcodes.SUBTRACT, one, a)
        d = self._instruction(opcodes.SUBTRACT, *((a, b) if function in (">", "<=", "==", "!=") else (b, a)))
        side = self._instruction(opcodes.SIGN, d)
        if function in ("==", "!="):
            found = self._instruction(opcodes.ABS, side)
        else:
            found = self._instruction(opcodes.MAX, nothing, side)
        return found if function in ("<", ">", "!=") else self._instruction(opcodes.SUBTRACT, one, found)

    def _instruction(self, opcode: int, a: int, b: int = 0, c: int = 0) -> int:
        instruction = (opcode, a, b, c)
        if instruction not in self.slot_of_instruction:
            self.slot_of_instruction[instruction] = len(self.inputs) + len(self.slot_of_instruction)
        return self.slot_of_instruction[instruction]

    def _number(self, value: float) -> int:
        if traced_numbers.is_varied(
            value
        ):  # equal ones need not be equal in other variants: only the same one shares its place
            return self._varied(value)
        if value not in self.place_of_number:
            self.place_of_number[value] = len(self.floats)
            self.floats.append(value)
        return self.place_of_number[value]

    def _varied(self, value: float) -> int:
        if id(value) not in self.place_of_varied:
            self.place_of_varied[id(value)] = len(self.floats)
            self.floats.append(value)
        return self.place_of_varied[id(value)]

    def _pieces(self, function: PiecewiseFunction) -> int:
        if function not in self.place_of_pieces:
            self.place_of_pieces[function] = len(self.floats)
            self.floats.extend(function.pieces.floats())
        return self.place_of_pieces[function]


def _constant_exponents(expression: Expression) -> set[int]:
    """Number nodes that are only exponents: they live inside the power instruction and need no slot."""
    exponents: set[int] = set()
    elsewhere: set[int] = {id(expression)}
    for node in expression.nodes():
        for place, child in enumerate(node.children):
            is_exponent = isinstance(node, Call) and node.function == "^" and place == 1 and isinstance(child, Number)
            (exponents if is_exponent else elsewhere).add(id(child))
    return exponents - elsewhere


def _unknown_name(name: str, allowed: tuple[str, ...]) -> ExpressionError:
    near = difflib.get_close_matches(name, allowed, n=1, cutoff=0.5)
    hint = f" Did you mean '{near[0]}'?" if near else ""
    known = ", ".join(allowed) if allowed else "no names at all"
    return ExpressionError(f"The name '{name}' is not known here; this formula may use {known}.{hint}")
