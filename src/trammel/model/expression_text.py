"""The text of an expression: readable, and read back by `parse` to an equal tree."""

from __future__ import annotations

from trammel.model.expression import CONSTANTS, Call, Expression, Name, Number, PiecewiseCall

# how tightly the text of a node binds: sums, products, minus sign, powers, everything that needs no brackets
_SUM, _PRODUCT, _MINUS, _POWER, _ATOM = range(5)
_BINDING = {"+": _SUM, "-": _SUM, "*": _PRODUCT, "/": _PRODUCT, "neg": _MINUS, "^": _POWER}

_Text = tuple[str, int]  # a text and how tightly it binds


def write_text(expression: Expression) -> str:
    texts: dict[int, _Text] = {}
    for node in expression.nodes():
        texts[id(node)] = _text(node, [texts[id(child)] for child in node.children])
    return texts[id(expression)][0]


def _text(node: Expression, arguments: list[_Text]) -> _Text:
    if isinstance(node, Number):
        return _number_text(node.value)
    if isinstance(node, Name):
        return node.name, _ATOM
    if isinstance(node, PiecewiseCall):
        primes = "'" * node.order
        return f"{node.function.name}{primes}({arguments[0][0]})", _ATOM
    assert isinstance(node, Call)
    if node.function not in _BINDING:
        return f"{node.function}({', '.join(text for text, _ in arguments)})", _ATOM
    own = _BINDING[node.function]
    if node.function == "neg":
        return f"-{_bracketed(arguments[0], _POWER)}", own
    # powers group from the right, all others from the left
    left = _bracketed(arguments[0], own + 1 if node.function == "^" else own)
    right = _bracketed(arguments[1], own if node.function == "^" else own + 1)
    if own == _PRODUCT and arguments[1][1] == _MINUS:  # a*-b is correct, but a*(-b) is easier on the eye
        right = f"({arguments[1][0]})"
    sign = f" {node.function} " if own == _SUM else node.function
    return f"{left}{sign}{right}", own


def _number_text(value: float) -> _Text:
    for name, constant in CONSTANTS.items():
        if abs(value) == constant:
            return (name, _ATOM) if value > 0.0 else (f"-{name}", _MINUS)
    text = repr(value).removesuffix(".0")
    return text, _MINUS if value < 0.0 else _ATOM


def _bracketed(argument: _Text, at_least: int) -> str:
    text, binding = argument
    return text if binding >= at_least else f"({text})"
