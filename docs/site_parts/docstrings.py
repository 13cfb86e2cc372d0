"""Docstrings and signatures as Markdown."""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Callable
from typing import Any

SECTIONS = {"Args": "", "Attributes": "Attributes:", "Raises": "Raises:", "Returns": "Returns:", "Yields": "Yields:"}
ENTRY = re.compile(r"(\*{0,2}[\w.*, ]+): (.*)")


def as_markdown(text: str, *, title: bool = True) -> list[str]:
    """Lines of Markdown: named arguments, attributes and errors become lists; `title` puts the word above other lists than arguments."""
    out: list[str] = []
    inside = ""
    for line in inspect.cleandoc(text).splitlines():
        words = line.strip().replace("``", "`")
        if words.rstrip(":") in SECTIONS and words.endswith(":") and not line.startswith(" "):
            inside = words.rstrip(":")
            if title and SECTIONS[inside]:
                out += [SECTIONS[inside], ""]
        elif inside and line.startswith("    "):
            entry = ENTRY.match(words) if not line.startswith("     ") else None
            if entry:
                names = ", ".join(f"`{name.strip()}`" for name in entry[1].split(","))
                out.append(f"* {names}: {entry[2]}")
            else:
                out.append(f"  {words}")
        else:
            inside = inside if not words else ""
            out.append(words)
    return out


def safe(lines: list[str]) -> list[str]:
    """The same where raw HTML would vanish and dollars would begin a formula: outside of code, both are escaped."""
    return [
        "".join(part if k % 2 else part.replace("<", "\\<").replace("$", "\\$") for k, part in enumerate(pieces))
        for pieces in (re.split(r"(`[^`]*`)", line) for line in lines)
    ]


def of(thing: Any) -> list[str]:
    """The docstring of anything."""
    return safe(as_markdown(inspect.getdoc(thing) or ""))


def signature(function: Callable[..., Any], *, skip: int = 0, types: bool = True) -> str:
    """The arguments, as the Python domain of Sphinx can read them; `skip` leaves out the first ones."""
    try:
        found = inspect.signature(function)
    except (TypeError, ValueError):
        return "()"
    parameters = [
        each.replace(
            annotation=_text(each.annotation) if types else each.empty,
            default=each.default if each.default is each.empty else _Shown(each.default),
        )
        for each in list(found.parameters.values())[skip:]
    ]
    gives = _text(found.return_annotation) if types else found.empty
    return str(found.replace(parameters=parameters, return_annotation=gives)).replace("'", "'")


class _Written:
    """An annotation that stands in the signature as it is written."""

    def __init__(self, text: str) -> None:
        self.text = text

    def __repr__(self) -> str:
        return self.text


class _Shown:
    """A default that is shown as it is written, or as an ellipsis where that is no Python."""

    def __init__(self, value: object) -> None:
        self.value = value

    def __repr__(self) -> str:
        text = repr(self.value)
        try:
            ast.parse(text, mode="eval")
        except SyntaxError:
            return "..."
        return text


def _text(annotation: Any) -> Any:
    if annotation is inspect.Parameter.empty:
        return annotation
    return _Written(annotation if isinstance(annotation, str) else inspect.formatannotation(annotation))
