"""Derivatives written with primes, as in x'' = -x: formulas have names without them."""

from __future__ import annotations

import re
from typing import Any

from pytrammel.expressions.expression import Expression, as_expression

PRIMED = re.compile(r"(?<![^\W\d])([^\W\d]\w*(?:\.\w+)*)('+)(?!\s*\()")


def inner_name(name: str) -> str:
    """Name in a formula: x.d2 for x''."""
    base = name.rstrip("'")
    return name if base == name else f"{base}.d{len(name) - len(base)}"


def outer_name(name: str) -> str:
    """Name as people write it."""
    base, _, order = name.rpartition(".d")
    return base + "'" * int(order) if base and order.isdigit() else name


def read_formula(text: Any, what: str) -> Expression:
    """A formula in which primes behind a name are derivatives."""
    if isinstance(text, str):
        text = PRIMED.sub(lambda found: inner_name(found[0]), text)
    return as_expression(text, what)
