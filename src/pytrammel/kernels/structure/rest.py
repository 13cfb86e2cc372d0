"""What is left to run of a function: its statements, with the turns of its loops written one behind the other."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Any

Rest = Any  # None, or (statement, rest)


class Marker(ast.stmt):
    """A place in the rest of a function: the end of one turn of a loop, or of the loop."""

    def __init__(self, loop: int, ends: bool) -> None:
        self.loop, self.ends = loop, ends


class Turn(ast.stmt):
    """Begin of a turn of a loop: its variable gets a value; perhaps the loop ends before it."""

    def __init__(self, target: ast.expr, value: int, limit: Any, loop: int) -> None:
        self.target, self.value, self.limit, self.loop = target, value, limit, loop


class Repeat(ast.stmt):
    """A `while` loop before its next turn."""

    def __init__(self, loop: ast.While, number: int) -> None:
        self.test, self.body, self.loop = loop.test, loop.body, number


def in_front(statements: Sequence[ast.stmt], rest: Rest) -> Rest:
    """Statements, then the rest."""
    for statement in reversed(statements):
        rest = (statement, rest)
    return rest


def after_loop(rest: Rest, loop: int | None) -> Rest:
    """What follows the innermost loop, or a given one."""
    while rest is not None:
        statement, rest = rest
        if isinstance(statement, Marker) and statement.ends and (loop is None or statement.loop == loop):
            return rest
    return None


def after_turn(rest: Rest) -> Rest:
    """What follows the present turn of the innermost loop."""
    while rest is not None:
        statement, rest = rest
        if isinstance(statement, Marker) and not statement.ends:
            return rest
    return None
