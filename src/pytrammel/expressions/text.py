"""The text of an expression: readable, and read back by `parse` to an equal tree."""

from __future__ import annotations

import functools
import math
from fractions import Fraction

from pytrammel import opcodes
from pytrammel.expressions.expression import Call, Expression, Name, Number, PiecewiseCall

# how tightly the text of a node binds: or, and, not, comparisons, sums, products, minus sign, powers, and what needs no brackets
_OR, _AND, _NOT, _COMPARISON, _SUM, _PRODUCT, _MINUS, _POWER, _ATOM = range(9)
_BINDING = {
    "or": _OR, "and": _AND, "not": _NOT, **dict.fromkeys(opcodes.COMPARISONS, _COMPARISON),
    "+": _SUM, "-": _SUM, "*": _PRODUCT, "/": _PRODUCT, "neg": _MINUS, "^": _POWER,
}  # fmt: skip

LARGEST_MULTIPLE = 1000  # largest multiple of π that is written as such
LARGEST_DIVISOR = 180  # steps of such multiples: π/180
LONG = 16  # digits of a number that may be a fraction, "1/3", or a multiple of a root, "sqrt(3)/2"
LARGEST_ROOT = 100  # largest number under a root
LARGEST_SQUARE = 2500  # denominator of the square of a multiple of a root
LONGEST = 2_000_000  # letters; parts that a formula uses again and again could make its text longer than any memory

_Place = tuple[Expression, int]  # a node and how tightly its text must bind where it stands


def write_text(expression: Expression, longest: int | None = None) -> str:
    """The text, written from left to right; one of more than two million letters, or as many as are asked for, is cut."""
    limit = LONGEST if longest is None else longest
    pieces: list[str] = []
    length = 0
    waiting: list[str | _Place] = [(expression, _OR)]
    while waiting:
        item = waiting.pop()
        if isinstance(item, str):
            pieces.append(item)
            length += len(item)
            if length > limit:
                return "".join(pieces)[:limit] + " …"
        else:
            node, at_least = item
            parts = _parts(node)
            if _binding(node) < at_least:
                parts = ["(", *parts, ")"]
            waiting.extend(reversed(parts))
    return "".join(pieces)


def _parts(node: Expression) -> list[str | _Place]:
    """What the text of a node is made of."""
    if isinstance(node, Number):
        return [_number_text(node.value)]
    if isinstance(node, Name):
        return [node.name]
    if isinstance(node, PiecewiseCall):
        return [f"{node.function.name}{chr(39) * node.order}(", (node.children[0], _OR), ")"]
    if not isinstance(node, Call) or node.function not in _BINDING:
        parts: list[str | _Place] = [f"{node.label[0]}("]
        for k, child in enumerate(node.children):
            parts += [", ", (child, _OR)] if k else [(child, _OR)]
        return [*parts, *(f", {option}" for option in node.options), ")"]
    own = _BINDING[node.function]
    if node.function == "neg":
        return ["-", (node.children[0], _POWER)]
    if node.function == "not":
        return ["not ", (node.children[0], _NOT)]
    if own == _COMPARISON:  # they do not chain
        return [(node.children[0], _SUM), f" {node.function} ", (node.children[1], _SUM)]
    # powers group from the right, all others from the left
    left = (node.children[0], own + 1 if node.function == "^" else own)
    right = (node.children[1], own if node.function == "^" else own + 1)
    if own == _PRODUCT and _binding(node.children[1]) == _MINUS:  # a*-b is correct, but a*(-b) is easier on the eye
        right = (node.children[1], _ATOM)
    return [left, f" {node.function} " if own <= _SUM else node.function, right]


def _binding(node: Expression) -> int:
    """Return how tightly the text of a node binds."""
    if isinstance(node, Number):
        if "*" in (text := _number_text(node.value)) or "/" in text:
            return _PRODUCT
        return _MINUS if node.value < 0.0 else _POWER if "^" in text else _ATOM
    return _BINDING.get(node.function, _ATOM) if isinstance(node, Call) else _ATOM


@functools.lru_cache(maxsize=10_000)
def _number_text(value: float) -> str:
    """Return the text of a number: a simple multiple of π, π² or a root, or a fraction, as such ("4*pi", "sqrt(3)/2", "1/3")."""
    if abs(value) == math.e:
        return "e" if value > 0.0 else "-e"
    for power, text in ((math.pi, "pi"), (math.pi**2, "pi^2")):
        ratio = value / power
        if ratio != 0.0 and abs(ratio) < LARGEST_MULTIPLE:
            found = _multiple(value, Fraction(ratio).limit_denominator(LARGEST_DIVISOR), power, text)
            if found:
                return found
    text = repr(value).removesuffix(".0")
    if len(text) < LONG or not 1e-3 < abs(value) < LARGEST_MULTIPLE:
        return text
    n, d = Fraction(value).limit_denominator(LARGEST_DIVISOR).as_integer_ratio()
    return f"{n}/{d}" if n / d == value else _root_text(value) or text


def _multiple(value: float, ratio: Fraction, base: float, text: str) -> str:
    """Return the text n*base/d of a number, or "" if the number is another one when operations are done in this order."""
    n, d = ratio.as_integer_ratio()
    if not n or n * base / d != value:
        return ""
    times = {1: "", -1: "-"}.get(n, f"{n}*")
    return f"{times}{text}" + (f"/{d}" if d > 1 else "")


def _root_text(value: float) -> str:
    """Return the text of a simple multiple of a square root ("2*sqrt(3)", "sqrt(2)/2", "1/sqrt(2)"), or "" if there is none."""
    square = Fraction(value * value).limit_denominator(LARGEST_SQUARE)
    (n, over), (d, under) = map(_squares, square.as_integer_ratio())
    root = over * under  # value = n*sqrt(root)/(d*under) = n*over/(d*sqrt(root))
    if not 1 < root <= LARGEST_ROOT:
        return ""
    sign = -1 if value < 0.0 else 1
    found = _multiple(value, sign * Fraction(n, d * under), math.sqrt(root), f"sqrt({root})")
    if not found and d == 1 and sign * n * over / math.sqrt(root) == value:
        return f"{sign * n * over}/sqrt({root})"
    return found


def _squares(number: int) -> tuple[int, int]:
    """Return (a, b) of a number a² b, with b free of squares up to those of `LARGEST_ROOT`."""
    a = 1
    for k in range(2, LARGEST_ROOT):
        while number > 0 and number % (k * k) == 0:
            number //= k * k
            a *= k
    return a, number
