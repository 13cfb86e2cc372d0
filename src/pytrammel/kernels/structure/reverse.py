"""Pieces backwards: from weights of what a piece writes, how their sum changes with all that it reads, at the cost of a few pieces.

Every operation is known, so that it can be gone back over: what pulls at its result pulls at its arguments by its derivatives (reverse
mode). Where a branch is taken, the derivative is that of the branch.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from pytrammel.kernels.structure.graph import Block, Branch, Graph, Open, Step, Value, used_only
from pytrammel.kernels.structure.piece import Piece

Pulls = dict[int, Value]
"""By the number of a result: how the sum changes with it."""


def reverse_piece(piece: Piece, weighed: int) -> Piece:
    """How the weighted sum of the first numbers that a piece writes changes with all that it reads.

    Args:
        piece: The piece.
        weighed: How many of its numbers count. Their weights are read behind the numbers that the piece reads.

    Returns:
        A piece that writes one number for each that the piece reads, then one for each of its varying constants.
    """
    return _Reverse(piece, weighed).piece


class _Reverse:
    """A graph that is continued backwards."""

    def __init__(self, piece: Piece, weighed: int) -> None:
        self.graph = graph = Graph()
        new: dict[int, Value] = {}
        self._again(piece.block, new)
        before = list(graph.whole.steps)
        pulls: Pulls = {}
        written = [_renamed(value, new) for value in piece.outputs[:weighed]]
        for k, value in enumerate(written):
            self._pull(pulls, value, graph.add("input", "x", piece.n_inputs + k))
        self._back(before, pulls, written)
        read = {s.arguments: s.result.number for s in before if isinstance(s, Step) and s.op == "input"}
        wanted = [*(("x", k) for k in range(piece.n_inputs)), *(("F", k) for k in piece.varying)]
        found = tuple(pulls.get(read[place], 0.0) if place in read else 0.0 for place in wanted)
        used_only(graph.whole, {v.number for v in found if isinstance(v, Open)})
        self.piece = Piece(f"{piece.name}_reverse", graph.whole, found, piece.n_inputs + weighed, piece.varying)

    # --- operations --------------------------------------------------------------------------------------------------

    def _do(self, op: str, a: Value, b: Value) -> Value:
        if isinstance(a, Open) or isinstance(b, Open):
            return self.graph.arithmetic(op, a, b)
        return {"+": a + b, "-": a - b, "*": a * b}[op] if op != "/" else a / b

    def _pull(self, pulls: Pulls, value: Any, more: Value) -> None:
        """Something pulls at a value."""
        if isinstance(value, Open) and not value.truth:
            pulls[value.number] = self._do("+", pulls.get(value.number, 0.0), more)

    def _back(self, steps: Sequence[Step | Branch], pulls: Pulls, ends: Sequence[Any]) -> None:
        """Go back over operations from what they end with."""
        sure = _surely_used(steps, ends)
        for step in reversed(steps):
            if isinstance(step, Branch):
                self._branch(step, pulls)
                continue
            pull = pulls.get(step.result.number)
            if pull is None or step.op not in _BACK:
                continue
            # nothing, where nothing pulls: what was computed in passing and not taken may be no number, or have no derivative
            careful = step.op in _NOT_EVERYWHERE or (step.result.number not in sure and not _linear(step))
            idle = self.graph.compare("==", pull, 0.0) if careful else False
            for value, more in zip(step.arguments, _BACK[step.op](self, pull, step), strict=False):
                self._pull(pulls, value, self.graph.chosen(idle, 0.0, more))

    def _branch(self, branch: Branch, pulls: Pulls) -> None:
        """The side that was taken is done again, and gone back over."""
        if not any(result.number in pulls for result, *_ in branch.results):
            return
        sides = []
        for side, which in ((branch.yes, 1), (branch.no, 2)):
            self.graph.blocks.append(Block())
            new: dict[int, Value] = {}
            self._again(side, new)
            steps = list(self.graph.blocks[-1].steps)
            own: Pulls = {}
            ends = [(_renamed(r[which], new), pulls[r[0].number]) for r in branch.results if r[0].number in pulls]
            for value, pull in ends:
                self._pull(own, value, pull)
            self._back(steps, own, [value for value, _ in ends])
            inside = _made_in(steps)
            sides.append((self.graph.blocks.pop(), {k: v for k, v in own.items() if k not in inside}))
        (yes, pulled), (no, pulled_too) = sides
        outside = list(dict.fromkeys([*pulled, *pulled_too]))
        pairs = [(pulled.get(k, 0.0), pulled_too.get(k, 0.0)) for k in outside]
        for k, more in zip(outside, self.graph.branch(branch.condition, yes, no, pairs), strict=True):
            self._pull(pulls, Open(k), more)

    def _again(self, block: Block, new: dict[int, Value]) -> None:
        """Operations of a block once more, here."""
        for step in block.steps:
            if isinstance(step, Step):
                arguments = [_renamed(a, new) for a in step.arguments]
                new[step.result.number] = self.graph.add(step.op, *arguments, truth=step.result.truth)
                continue
            condition = _renamed(step.condition, new)
            sides = []
            for side in (step.yes, step.no):
                self.graph.blocks.append(Block())
                inner = dict(new)
                self._again(side, inner)
                sides.append((self.graph.blocks.pop(), inner))
            (yes, one), (no, other) = sides
            pairs = [(_renamed(a, one), _renamed(b, other)) for _, a, b in step.results]
            for (result, *_), value in zip(step.results, self.graph.branch(condition, yes, no, pairs), strict=True):
                new[result.number] = value

    # --- derivatives -------------------------------------------------------------------------------------------------

    def _times(self, *factors: Value) -> Value:
        out: Value = 1.0
        for factor in factors:
            out = self._do("*", out, factor)
        return out

    def _over(self, a: Value, b: Value) -> Value:
        return self._do("/", a, b)

    def _call(self, name: str, *arguments: Value) -> Value:
        return self.graph.function(name, *arguments)

    def _sign(self, x: Value) -> Value:
        return self._call("copysign", 1.0, x)


Back = Callable[[_Reverse, Value, Step], Sequence[Value]]


def _quotient(g: _Reverse, pull: Value, step: Step) -> Sequence[Value]:
    first = g._over(pull, step.arguments[1])
    return first, g._times(-1.0, first, step.result)


def _power(g: _Reverse, pull: Value, step: Step) -> Sequence[Value]:
    x, p = step.arguments
    less = g._do("-", p, 1.0)
    base = g._times(pull, p, g._call("pow", x, less))
    if not isinstance(p, Open):
        return base, 0.0
    grows = g.graph.compare(">", x, 0.0)
    return base, g.graph.chosen(grows, g._times(pull, step.result, g._call("log", g.graph.chosen(grows, x, 1.0))), 0.0)


def _taken(sign: str) -> Back:
    def back(g: _Reverse, pull: Value, step: Step) -> Sequence[Value]:
        second = g.graph.compare(sign, step.arguments[1], step.arguments[0])
        return g.graph.chosen(second, 0.0, pull), g.graph.chosen(second, pull, 0.0)

    return back


def _select(g: _Reverse, pull: Value, step: Step) -> Sequence[Value]:
    condition = step.arguments[0]
    return 0.0, g.graph.chosen(condition, pull, 0.0), g.graph.chosen(condition, 0.0, pull)


def _angle(g: _Reverse, pull: Value, step: Step) -> Sequence[Value]:
    y, x = step.arguments
    over = g._over(pull, g._do("+", g._times(x, x), g._times(y, y)))
    return g._times(over, x), g._times(-1.0, over, y)


def _length(g: _Reverse, pull: Value, step: Step) -> Sequence[Value]:
    over = g._over(pull, step.result)
    return g._times(over, step.arguments[0]), g._times(over, step.arguments[1])


def _of_one(slope: Callable[[_Reverse, Value, Open], Value]) -> Back:
    """A function of one number by its slope at x, where it is y."""
    return lambda g, pull, step: (g._times(pull, slope(g, step.arguments[0], step.result)),)


def _arc(g: _Reverse, x: Value) -> Value:
    return g._over(1.0, g._call("sqrt", g._do("-", 1.0, g._times(x, x))))


_BACK: dict[str, Back] = {
    "+": lambda g, pull, step: (pull, pull),
    "-": lambda g, pull, step: (pull, g._times(-1.0, pull)),
    "*": lambda g, pull, step: (g._times(pull, step.arguments[1]), g._times(pull, step.arguments[0])),
    "/": _quotient,
    "neg": lambda g, pull, step: (g._times(-1.0, pull),),
    "select": _select,
    "fmin": _taken("<"),
    "fmax": _taken(">"),
    "copysign": lambda g, pull, step: (g._times(pull, g._sign(step.arguments[0]), g._sign(step.arguments[1])), 0.0),
    "atan2": _angle,
    "hypot": _length,
    "pow": _power,
    "fabs": _of_one(lambda g, x, y: g._sign(x)),
    "sin": _of_one(lambda g, x, y: g._call("cos", x)),
    "cos": _of_one(lambda g, x, y: g._times(-1.0, g._call("sin", x))),
    "tan": _of_one(lambda g, x, y: g._do("+", 1.0, g._times(y, y))),
    "atan": _of_one(lambda g, x, y: g._over(1.0, g._do("+", 1.0, g._times(x, x)))),
    "sinh": _of_one(lambda g, x, y: g._call("cosh", x)),
    "cosh": _of_one(lambda g, x, y: g._call("sinh", x)),
    "tanh": _of_one(lambda g, x, y: g._do("-", 1.0, g._times(y, y))),
    "exp": _of_one(lambda g, x, y: y),
    "log": _of_one(lambda g, x, y: g._over(1.0, x)),
    "sqrt": _of_one(lambda g, x, y: g._over(0.5, y)),
    "asin": _of_one(lambda g, x, y: _arc(g, x)),
    "acos": _of_one(lambda g, x, y: g._times(-1.0, _arc(g, x))),
    "floor": lambda g, pull, step: (0.0,),
}
"""By operation: from what pulls at its result, what pulls at each of its arguments."""
_NOT_EVERYWHERE = (
    "sqrt",
    "log",
    "asin",
    "acos",
    "pow",
    "hypot",
    "atan2",
)  # some numbers have values, but no derivative


def _linear(step: Step) -> bool:
    """Whether nothing but known numbers is multiplied by what pulls."""
    known = not all(isinstance(a, Open) for a in step.arguments)
    return step.op in ("+", "-", "neg", "select", "fmin", "fmax") or (step.op == "*" and known)


def _surely_used(steps: Sequence[Step | Branch], ends: Sequence[Any]) -> set[int]:
    """Numbers of what the ends are made of whatever is chosen: it is known to be a number."""
    out = {value.number for value in ends if isinstance(value, Open)}
    for step in reversed(steps):
        if isinstance(step, Step) and step.result.number in out and step.op != "select":
            out |= {a.number for a in step.arguments if isinstance(a, Open)}
    return out


def _renamed(value: Any, new: dict[int, Value]) -> Any:
    return new.get(value.number, value) if isinstance(value, Open) else value


def _made_in(steps: Sequence[Step | Branch]) -> set[int]:
    """Numbers of what operations leave."""
    out: set[int] = set()
    for step in steps:
        out |= {step.result.number} if isinstance(step, Step) else {r[0].number for r in step.results}
    return out
