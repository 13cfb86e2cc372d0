"""Run kernels with their integers known and their numbers open, and note what they compute.

The functions are read as they are written (their syntax trees), so that a branch whose condition is not known can be followed both ways.
Integers, addresses and lengths must be known; loops run as often as they would; `while` loops of unknown length are refused.
"""

from __future__ import annotations

import ast
import inspect
import math
import operator
import sys
import textwrap
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from pytrammel.errors import TrammelError
from pytrammel.kernels import bare as bare_module
from pytrammel.kernels import jit
from pytrammel.kernels.structure.graph import FUNCTIONS, Block, Graph, Open, Value
from pytrammel.kernels.structure.open_numbers import OF_NUMBERS
from pytrammel.kernels.structure.rest import Marker, Repeat, Rest, Turn, after_loop, after_turn, in_front

MOST_OPERATIONS = 60_000


class NotStraightError(TrammelError):
    """A structure whose computation cannot be written out."""


class Buffer:
    """Numbers, known or open, from a place on; writes are noted while a branch is followed."""

    __slots__ = ("at", "cells", "owner")

    def __init__(self, owner: Specialiser, cells: list[Any], at: int = 0) -> None:
        self.owner, self.cells, self.at = owner, cells, at

    @property
    def size(self) -> int:
        return len(self.cells) - self.at

    def read(self, index: int) -> Any:
        return self.cells[self.at + index]

    def write(self, index: int, value: Any) -> None:
        self.owner.note(self.cells, self.at + index)
        self.cells[self.at + index] = value

    def after(self, count: int) -> Buffer:
        return Buffer(self.owner, self.cells, self.at + count)


@dataclass(frozen=True)
class Choice:
    """A whole number out of two, as numbers decide."""

    condition: Open
    yes: int
    no: int


class _Frame:
    """One function that is being run: its names."""

    def __init__(self, function: Callable[..., Any], names: dict[str, Any]) -> None:
        self.globals, self.names = function.__globals__, names
        self.name = function.__name__


class _Left:
    """How a list of statements was left."""

    def __init__(self, kind: str, value: Any = None) -> None:
        self.kind, self.value = kind, value


_ARITHMETIC: dict[type, tuple[str, Callable[[Any, Any], Any]]] = {
    ast.Add: ("+", operator.add), ast.Sub: ("-", operator.sub), ast.Mult: ("*", operator.mul), ast.Div: ("/", operator.truediv),
}  # fmt: skip
_WHOLE: dict[type, Callable[[Any, Any], Any]] = {ast.FloorDiv: operator.floordiv, ast.Mod: operator.mod}
_COMPARE = {ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Eq: "==", ast.NotEq: "!="}
_NUMPY = {"arcsin": "asin", "arccos": "acos", "arctan": "atan", "arctan2": "atan2", "abs": "fabs"}


@cache
def _tree(function: Callable[..., Any]) -> ast.FunctionDef:
    parsed = ast.parse(textwrap.dedent(inspect.getsource(function))).body[0]
    assert isinstance(parsed, ast.FunctionDef)
    return parsed


@cache
def _leaves(statement: ast.stmt) -> bool:
    """Whether something in a statement may leave the block it stands in."""
    return any(isinstance(node, ast.Return | ast.Break | ast.Continue) for node in ast.walk(statement))


class Specialiser:
    """Runs kernels on numbers that are partly open."""

    def __init__(self) -> None:
        self.graph = Graph()
        self._noted: list[dict[tuple[int, int], tuple[list[Any], Any]]] = []
        self._loops = 0
        self._by_address: dict[int, Callable[..., Any]] = {}

    # --- buffers ----------------------------------------------------------------------------------------------------

    def buffer(self, values: Sequence[Any]) -> Buffer:
        return Buffer(self, list(values))

    def zeros(self, count: int) -> Buffer:
        return Buffer(self, [0.0] * count)

    def inputs(self, name: str, count: int, known: dict[int, float] | None = None) -> Buffer:
        """Numbers that the caller of the kernel will give, some of which are known already."""
        fixed = known or {}
        return Buffer(self, [fixed[k] if k in fixed else self.graph.add("input", name, k) for k in range(count)])

    def note(self, cells: list[Any], index: int) -> None:
        if self._noted:
            self._noted[-1].setdefault((id(cells), index), (cells, cells[index]))

    # --- functions --------------------------------------------------------------------------------------------------

    def call(self, function: Any, *arguments: Any) -> Any:
        """Run a function with the given arguments."""
        plain = function
        for attribute in ("py_func", "python"):
            plain = getattr(plain, attribute, plain)
        tree = _tree(plain)
        names = [a.arg for a in tree.args.args]
        given = dict(zip(names, arguments, strict=False))
        defaults = tree.args.defaults
        for name, default in zip(names[len(names) - len(defaults) :], defaults, strict=True):
            if name not in given:
                given[name] = ast.literal_eval(default)
        frame = _Frame(plain, given)
        left = self._run(in_front(tree.body, None), frame)
        return left.value if left is not None and left.kind == "return" else None

    def _run(self, rest: Rest, frame: _Frame) -> _Left | None:
        """Run statements to their end; what is returned if they return something."""
        while rest is not None:
            statement, rest = rest
            kind = type(statement)
            if kind is ast.Expr:
                if not isinstance(statement.value, ast.Constant):
                    self._value(statement.value, frame)
            elif kind is ast.Assign:
                value = self._value(statement.value, frame)
                for target in statement.targets:
                    self._store(target, value, frame)
            elif kind is ast.AugAssign:
                old = self._value(statement.target, frame)
                self._store(
                    statement.target, self._binary(statement.op, old, self._value(statement.value, frame)), frame
                )
            elif kind is ast.If:
                condition = self._truth(self._value(statement.test, frame))
                if not isinstance(condition, Open):
                    rest = in_front(statement.body if condition else statement.orelse, rest)
                elif _leaves(statement):
                    # what follows is done behind either side, as far as it is reached from there
                    return self._fork(
                        condition, in_front(statement.body, rest), in_front(statement.orelse, rest), frame
                    )
                else:
                    left = self._fork(
                        condition, in_front(statement.body, None), in_front(statement.orelse, None), frame
                    )
                    assert left is None
            elif kind is ast.For:
                rest = self._unrolled(statement, rest, frame)
            elif kind is ast.While:
                self._loops += 1
                rest = (Repeat(statement, self._loops), (Marker(self._loops, True), rest))
            elif kind is Repeat:
                condition = self._truth(self._value(statement.test, frame))
                if isinstance(condition, Open):
                    raise NotStraightError(f"{frame.name} repeats something as often as numbers demand")
                if condition:
                    rest = in_front(statement.body, (Marker(statement.loop, False), (statement, rest)))
            elif kind is Marker:
                continue
            elif kind is Turn:
                if statement.limit is not None:
                    limit = statement.limit
                    goes_on = self.graph.chosen(
                        limit.condition, limit.yes > statement.value, limit.no > statement.value
                    )
                    if isinstance(goes_on, Open):
                        inner = (Turn(statement.target, statement.value, None, statement.loop), rest)
                        return self._fork(goes_on, inner, after_loop(rest, statement.loop), frame)
                    if not goes_on:
                        rest = after_loop(rest, statement.loop)
                        continue
                self._store(statement.target, statement.value, frame)
            elif kind is ast.Return:
                return _Left("return", None if statement.value is None else self._value(statement.value, frame))
            elif kind is ast.Break:
                rest = after_loop(rest, None)
            elif kind is ast.Continue:
                rest = after_turn(rest)
            elif kind is not ast.Pass:
                raise NotStraightError(f"{frame.name} has a statement ({kind.__name__}) that cannot be written out")
        return None

    def _unrolled(self, statement: ast.For, rest: Rest, frame: _Frame) -> Rest:
        """The turns of a loop, one behind the other."""
        call = statement.iter
        if not (isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id == "range"):
            raise NotStraightError(f"{frame.name} has a loop over something else than a range")
        limits = [self._value(a, frame) for a in call.args]
        limit = limits[0] if len(limits) == 1 and isinstance(limits[0], Choice) else None
        if limit is not None:
            turns = range(max(limit.yes, limit.no))
        elif any(isinstance(x, Open | Choice) for x in limits):
            raise NotStraightError(f"{frame.name} has a loop whose length numbers decide")
        else:
            turns = range(*[int(x) for x in limits])
        self._loops += 1
        loop = self._loops
        rest = (Marker(loop, True), rest)
        for value in reversed(turns):
            rest = (Marker(loop, False), rest)
            rest = in_front(statement.body, rest)
            rest = (Turn(statement.target, value, limit, loop), rest)
        return rest

    def _fork(self, condition: Open, yes: Rest, no: Rest, frame: _Frame) -> _Left | None:
        """Follow both ways, and join what they leave."""
        graph = self.graph
        if graph.made > MOST_OPERATIONS:
            raise NotStraightError(f"more than {MOST_OPERATIONS} operations")
        known = dict(frame.names)
        sides = []
        for way in (yes, no):
            frame.names = dict(known)
            self._noted.append({})
            graph.blocks.append(Block())
            left = self._run(way, frame)
            block = graph.blocks.pop()
            noted = self._noted.pop()
            cells = {key: (kept[0], kept[0][key[1]]) for key, kept in noted.items()}
            for (_, index), (where, old) in noted.items():
                where[index] = old
            sides.append((block, left, frame.names, cells))
        (yes_block, yes_left, yes_names, yes_cells), (no_block, no_left, no_names, no_cells) = sides
        names = [
            n for n in yes_names if n in no_names and yes_names[n] is not no_names[n] and yes_names[n] != no_names[n]
        ]
        places = {key: pair[0] for key, pair in [*yes_cells.items(), *no_cells.items()]}
        pairs: list[tuple[Any, Any]] = []
        for key, where in places.items():
            old = where[key[1]]
            pairs.append((yes_cells[key][1] if key in yes_cells else old, no_cells[key][1] if key in no_cells else old))
        kept: list[str] = []
        frame.names = {n: v for n, v in yes_names.items() if n in no_names}
        for n in names:
            if type(yes_names[n]) is int and type(no_names[n]) is int:
                frame.names[n] = Choice(condition, yes_names[n], no_names[n])
            elif _number(yes_names[n]) and _number(no_names[n]):
                kept.append(n)
                pairs.append((yes_names[n], no_names[n]))
            else:
                del frame.names[n]  # something else on either side: nobody may ask for it afterwards
        returned = self._returned(yes_left, no_left, frame)
        pairs += returned
        joined = graph.branch(condition, yes_block, no_block, pairs)
        for (key, where), value in zip(places.items(), joined, strict=False):
            self.note(where, key[1])
            where[key[1]] = value
        for n, value in zip(kept, joined[len(places) :], strict=False):
            frame.names[n] = value
        if yes_left is None and no_left is None:
            return None
        values = joined[len(joined) - len(returned) :]
        if isinstance(getattr(yes_left, "value", None), tuple):
            return _Left("return", tuple(values))
        return _Left("return", values[0] if values else None)

    def _returned(self, yes: _Left | None, no: _Left | None, frame: _Frame) -> list[tuple[Any, Any]]:
        if yes is None and no is None:
            return []
        a, b = getattr(yes, "value", None), getattr(no, "value", None)
        if a is None and b is None:
            return []
        if isinstance(a, tuple) and isinstance(b, tuple) and len(a) == len(b):
            return list(zip(a, b, strict=True))
        if _number(a) and _number(b):
            return [(a, b)]
        raise NotStraightError(f"{frame.name} returns different kinds of things, as numbers decide")

    # --- expressions ------------------------------------------------------------------------------------------------

    def _store(self, target: ast.expr, value: Any, frame: _Frame) -> None:
        if isinstance(target, ast.Name):
            frame.names[target.id] = value
        elif isinstance(target, ast.Tuple):
            for part, item in zip(target.elts, value, strict=True):
                self._store(part, item, frame)
        elif isinstance(target, ast.Subscript):
            where = self._value(target.value, frame)
            where.write(self._index(self._value(target.slice, frame), frame), value)
        else:
            raise NotStraightError(f"{frame.name} stores something where that cannot be written out")

    def _index(self, index: Any, frame: _Frame) -> int:
        if isinstance(index, Open | Choice):
            raise NotStraightError(f"{frame.name} looks something up at a place that numbers decide")
        return int(index)

    def _value(self, node: ast.expr, frame: _Frame) -> Any:
        kind = type(node)
        if kind is ast.Constant:
            return node.value  # type: ignore[attr-defined]
        if kind is ast.Name:
            name = node.id  # type: ignore[attr-defined]
            if name in frame.names:
                return frame.names[name]
            return frame.globals[name] if name in frame.globals else _BUILTINS[name]
        if kind is ast.BinOp:
            left, right = self._value(node.left, frame), self._value(node.right, frame)  # type: ignore[attr-defined]
            return self._binary(node.op, left, right)  # type: ignore[attr-defined]
        if kind is ast.Subscript:
            return self._item(node, frame)  # type: ignore[arg-type]
        if kind is ast.Attribute:
            return getattr(self._value(node.value, frame), node.attr)  # type: ignore[attr-defined]
        if kind is ast.Call:
            return self._called(node, frame)  # type: ignore[arg-type]
        if kind is ast.UnaryOp:
            return self._unary(node, frame)  # type: ignore[arg-type]
        if kind is ast.Compare:
            return self._compared(node, frame)  # type: ignore[arg-type]
        if kind is ast.BoolOp:
            return self._logic(node, frame)  # type: ignore[arg-type]
        if kind is ast.IfExp:
            return self._if_else(node, frame)  # type: ignore[arg-type]
        if kind is ast.Tuple:
            return tuple(self._value(part, frame) for part in node.elts)  # type: ignore[attr-defined]
        raise NotStraightError(f"{frame.name} has an expression ({kind.__name__}) that cannot be written out")

    def _item(self, node: ast.Subscript, frame: _Frame) -> Any:
        where = self._value(node.value, frame)
        if isinstance(node.slice, ast.Slice):
            lower = 0 if node.slice.lower is None else self._index(self._value(node.slice.lower, frame), frame)
            return where.after(lower) if isinstance(where, Buffer) else where[lower:]
        place = self._value(node.slice, frame)
        if isinstance(place, Choice) and isinstance(where, Buffer):
            return self.graph.chosen(place.condition, where.read(place.yes), where.read(place.no))
        index = self._index(place, frame)
        if isinstance(where, Buffer):
            return where.read(index)
        found = where[index]
        return found.item() if isinstance(found, np.generic) else found

    def _binary(self, op: ast.operator, a: Any, b: Any) -> Any:
        kind = type(op)
        if isinstance(a, Choice) and type(b) is int:
            return Choice(a.condition, self._binary(op, a.yes, b), self._binary(op, a.no, b))
        if isinstance(b, Choice) and type(a) is int:
            return Choice(b.condition, self._binary(op, a, b.yes), self._binary(op, a, b.no))
        a, b = self._opened(a), self._opened(b)
        if not isinstance(a, Open) and not isinstance(b, Open):
            if kind in _ARITHMETIC:
                try:
                    return _ARITHMETIC[kind][1](a, b)
                except ZeroDivisionError:
                    return math.nan if a == 0 or a != a else math.copysign(math.inf, a)
            return operator.pow(a, b) if kind is ast.Pow else _WHOLE[kind](a, b)
        if kind in _ARITHMETIC:
            return self.graph.arithmetic(_ARITHMETIC[kind][0], a, b)
        if kind is ast.Pow:
            if b == 2:
                return self.graph.arithmetic("*", a, a)
            return self.graph.function("pow", a, b)
        raise NotStraightError("a whole number that numbers decide")

    def _opened(self, value: Any) -> Any:
        """A choice of whole numbers as a number."""
        return self.graph.chosen(value.condition, value.yes, value.no) if isinstance(value, Choice) else value

    def _unary(self, node: ast.UnaryOp, frame: _Frame) -> Any:
        value = self._value(node.operand, frame)
        if isinstance(node.op, ast.Not):
            return self.graph.opposite(self._truth(value))
        if isinstance(node.op, ast.USub):
            return self.graph.add("neg", value) if isinstance(value, Open) else -value
        return value

    def _compared(self, node: ast.Compare, frame: _Frame) -> Any:
        left = self._value(node.left, frame)
        found: Value = True
        for op, other in zip(node.ops, node.comparators, strict=True):
            left, right = self._opened(left), self._opened(self._value(other, frame))
            found = self.graph.both(found, self.graph.compare(_COMPARE[type(op)], left, right))
            left = right
        return found

    def _truth(self, value: Any) -> Any:
        """What decides a branch: a truth."""
        if isinstance(value, Open) and not value.truth:
            return self.graph.compare("!=", value, 0.0)
        return value

    def _logic(self, node: ast.BoolOp, frame: _Frame) -> Any:
        ends = isinstance(node.op, ast.Or)
        found: Value = not ends
        for part in node.values:
            value = self._truth(self._value(part, frame))
            if not isinstance(value, Open) and bool(value) == ends:
                return ends
            found = self.graph.either(found, value) if ends else self.graph.both(found, value)
        return found

    def _if_else(self, node: ast.IfExp, frame: _Frame) -> Any:
        condition = self._truth(self._value(node.test, frame))
        if not isinstance(condition, Open):
            return self._value(node.body if condition else node.orelse, frame)
        yes, no = self._value(node.body, frame), self._value(node.orelse, frame)
        if type(yes) is int and type(no) is int:
            return Choice(condition, yes, no)
        return self.graph.chosen(condition, self._opened(yes), self._opened(no))

    # --- calls ------------------------------------------------------------------------------------------------------

    def _called(self, node: ast.Call, frame: _Frame) -> Any:
        function = self._value(node.func, frame)
        given = [self._value(a, frame) for a in node.args]
        if id(function) in _OWN:
            return _OWN[id(function)](self, *given)
        if id(function) in OF_NUMBERS:
            return OF_NUMBERS[id(function)](self.graph, *given)
        if hasattr(function, "py_func") or hasattr(function, "python"):
            return self.call(function, *given)
        name = getattr(function, "__name__", "")
        name = _NUMPY.get(name, name)
        if name in FUNCTIONS:
            return self.graph.function(name, *given)
        raise NotStraightError(f"{frame.name} calls {name or function!r}, which cannot be written out")

    def _at_address(self, address: int) -> Callable[..., Any]:
        if address not in self._by_address:
            self._by_address = {int(k._compiled.address): _python_of(k) for k in jit.all_kernels() if _has_address(k)}
        if address not in self._by_address:
            raise NotStraightError("a function of the user's own cannot be written out")
        return self._by_address[address]

    def element(self, address: int, *arguments: Any) -> Any:
        return self.call(self._at_address(address), *arguments)

    def apart(self, address: int, arguments: tuple[Any, ...]) -> Any:
        return self.call(self._at_address(address), *arguments)


def _python_of(entry: jit.Kernel) -> Callable[..., Any]:
    found: Callable[..., Any] = getattr(sys.modules[entry.module], entry.name).python
    return found


def _has_address(entry: jit.Kernel) -> bool:
    return entry.is_element and entry._compiled is not None and hasattr(entry._compiled, "address")


def _number(value: Any) -> bool:
    return isinstance(value, Open | int | float | bool)


_BUILTINS: dict[str, Any] = {"abs": abs, "min": min, "max": max, "int": int, "float": float, "range": range}
_OWN: dict[int, Callable[..., Any]] = {
    id(np.zeros): Specialiser.zeros,
    id(jit.call_element): Specialiser.element, id(jit.call_apart): Specialiser.apart,
    id(bare_module.advanced): lambda _, buffer, count: buffer.after(count),
    id(bare_module.tail): lambda _, buffer, count: buffer.after(count),
    id(bare_module.bare): lambda _, buffer: buffer,
}  # fmt: skip
