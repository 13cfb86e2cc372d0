"""Operations in the order in which they are done, with branches: what is left of functions whose integers are all known."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

SMALL_BRANCH = 12  # operations: both sides of so small a branch are computed, and one taken


@dataclass(frozen=True, slots=True, eq=False)
class Open:
    """A number (or a truth) that is not known yet: the result of an operation."""

    number: int
    truth: bool = False


Value = float | int | bool | Open


@dataclass(slots=True)
class Step:
    """One operation."""

    result: Open
    op: str
    arguments: tuple[Any, ...]


@dataclass(slots=True)
class Branch:
    """Two blocks, one of which is done; each result is taken from the block that was."""

    condition: Open
    yes: Block
    no: Block
    results: list[tuple[Open, Value, Value]]


@dataclass(slots=True)
class Block:
    """Operations in order."""

    steps: list[Step | Branch] = field(default_factory=list)
    known: dict[Any, Open] = field(default_factory=dict)

    def count(self) -> int:
        """Operations in it, branches included."""
        return sum(1 if isinstance(s, Step) else s.yes.count() + s.no.count() for s in self.steps)


FUNCTIONS: dict[str, Callable[..., float]] = {
    "sin": math.sin, "cos": math.cos, "tan": math.tan, "asin": math.asin, "acos": math.acos, "atan": math.atan,
    "sinh": math.sinh, "cosh": math.cosh, "tanh": math.tanh, "exp": math.exp, "log": math.log, "sqrt": math.sqrt,
    "floor": math.floor, "fabs": math.fabs, "atan2": math.atan2, "hypot": math.hypot, "pow": math.pow, "fmin": min, "fmax": max,
    "copysign": math.copysign,
}  # fmt: skip
COMPARISONS: dict[str, Callable[[Any, Any], bool]] = {
    "<": lambda a, b: a < b, "<=": lambda a, b: a <= b, ">": lambda a, b: a > b, ">=": lambda a, b: a >= b,
    "==": lambda a, b: a == b, "!=": lambda a, b: a != b,
}  # fmt: skip


class Graph:
    """A graph under construction; operations on known numbers are done at once."""

    def __init__(self) -> None:
        self.blocks = [Block()]
        self.made = 0

    @property
    def whole(self) -> Block:
        return self.blocks[0]

    def opened(self, truth: bool = False) -> Open:
        self.made += 1
        return Open(self.made - 1, truth)

    def add(self, op: str, *arguments: Any, truth: bool = False) -> Open:
        """The result of an operation, which is done once even if asked for twice."""
        key = (op, *((a.number,) if isinstance(a, Open) else a for a in arguments))
        for block in reversed(self.blocks):
            if key in block.known:
                return block.known[key]
        result = self.opened(truth)
        self.blocks[-1].known[key] = result
        self.blocks[-1].steps.append(Step(result, op, arguments))
        return result

    def arithmetic(self, op: str, a: Any, b: Any) -> Value:
        """Sums, differences, products, quotients; zeros and ones are not computed with: numbers are taken to be finite."""
        if not isinstance(a, Open) and not isinstance(b, Open):
            raise TypeError("known numbers are computed with as they are")
        zero, one = _is(a, 0), _is(b, 0)
        if op == "+":
            if zero:
                return b
            if one:
                return a
        elif op == "-":
            if one:
                return a
            if zero:
                return self.add("neg", b)
            if isinstance(a, Open) and isinstance(b, Open) and a.number == b.number:
                return 0.0
        elif op == "*":
            if zero or one:
                return 0.0
            if _is(a, 1):
                return b
            if _is(b, 1):
                return a
            if _is(a, -1):
                return self.add("neg", b)
            if _is(b, -1):
                return self.add("neg", a)
        elif op == "/":
            if zero:
                return 0.0
            if _is(b, 1):
                return a
        return self.add(op, a, b)

    def function(self, name: str, *arguments: Any) -> Value:
        if not any(isinstance(a, Open) for a in arguments):
            return FUNCTIONS[name](*arguments)
        return self.add(name, *arguments)

    def compare(self, op: str, a: Any, b: Any) -> Value:
        if not isinstance(a, Open) and not isinstance(b, Open):
            return COMPARISONS[op](a, b)
        if math.inf in (a, b) and op in ("<", ">"):
            # finite numbers against infinity
            return (op == "<") == (b == math.inf)
        return self.add(op, a, b, truth=True)

    def both(self, a: Value, b: Value) -> Value:
        if isinstance(a, Open) and isinstance(b, Open):
            return self.add("and", a, b, truth=True)
        known, other = (b, a) if isinstance(a, Open) else (a, b)
        return other if known else False

    def either(self, a: Value, b: Value) -> Value:
        if isinstance(a, Open) and isinstance(b, Open):
            return self.add("or", a, b, truth=True)
        known, other = (b, a) if isinstance(a, Open) else (a, b)
        return True if known else other

    def opposite(self, a: Value) -> Value:
        return self.add("not", a, truth=True) if isinstance(a, Open) else not a

    def chosen(self, condition: Value, yes: Value, no: Value) -> Value:
        if not isinstance(condition, Open):
            return yes if condition else no
        if _same(yes, no):
            return yes
        return self.add("select", condition, yes, no, truth=_truth(yes) or _truth(no))

    def branch(self, condition: Open, yes: Block, no: Block, pairs: list[tuple[Value, Value]]) -> list[Value]:
        """What two blocks leave: both are done in passing if they are small."""
        if yes.count() + no.count() <= SMALL_BRANCH:
            for block in (yes, no):
                self.blocks[-1].steps += block.steps
                self.blocks[-1].known.update({k: v for k, v in block.known.items() if k not in self.blocks[-1].known})
            return [self.chosen(condition, a, b) for a, b in pairs]
        results: list[tuple[Open, Value, Value]] = []
        out: list[Value] = []
        for a, b in pairs:
            if _same(a, b):
                out.append(a)
                continue
            result = self.opened(_truth(a) or _truth(b))
            results.append((result, a, b))
            out.append(result)
        self.blocks[-1].steps.append(Branch(condition, yes, no, results))
        return out


def _is(value: Any, number: int) -> bool:
    return not isinstance(value, Open) and value == number


def _truth(value: Value) -> bool:
    return value.truth if isinstance(value, Open) else isinstance(value, bool)


def _same(a: Value, b: Value) -> bool:
    if isinstance(a, Open) or isinstance(b, Open):
        return isinstance(a, Open) and isinstance(b, Open) and a.number == b.number
    return a == b or (a != a and b != b)


def used_only(block: Block, wanted: set[int]) -> set[int]:
    """Leave out, in place, what nobody needs; returns the numbers of what is needed before the block."""
    kept: list[Step | Branch] = []
    for step in reversed(block.steps):
        if isinstance(step, Step):
            if step.result.number not in wanted:
                continue
            wanted |= {a.number for a in step.arguments if isinstance(a, Open)}
        else:
            step.results = [r for r in step.results if r[0].number in wanted]
            if not step.results:
                continue
            inner: set[int] = set()
            for side, which in ((step.yes, 1), (step.no, 2)):
                kept_values: list[Any] = [r[which] for r in step.results]
                own = {value.number for value in kept_values if isinstance(value, Open)}
                inner |= used_only(side, own)
            wanted |= inner | {step.condition.number}
        kept.append(step)
    block.steps = kept[::-1]
    return wanted
