"""What the arguments of builders are: names, numbers or formulas, and in which unit; read off annotations and docstrings."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, Literal

from pytrammel.errors import ModelError
from pytrammel.model.argument_types import ALIASES
from pytrammel.units import LENGTH, Dimension, read_unit

Role = Literal["word", "number", "law", "points", "curve", "shape", "properties"]
_TYPES: dict[Role, str] = {
    "points": "Mapping",
    "curve": "(?:Space)?Curve",
    "shape": "Shape",
    "properties": "MassProperties",
}
_WORD = re.compile(r"\w+")
_BRACKET = re.compile(r"\[([^\[\]]+)\]")
_ENTRY = re.compile(r"^ {4}(\w+(?:, \w+)*): (.*(?:\n {5,}.*)*)", re.MULTILINE)
_AS_FOR = re.compile(r"As for `(\w+)`")
_PLACES = ("at", "local", "position", "points")  # lengths, also where a builder does not repeat it


def annotation(builder: Callable[..., Any], key: str) -> str:
    """Annotation of an argument as `expanded` writes it."""
    return expanded(inspect.signature(builder).parameters[key].annotation)


def expanded(annotation: Any) -> str:
    """Text of an annotation, with what aliases stand for when the builder is called."""
    text = str(annotation)
    return _WORD.sub(lambda found: ALIASES[found[0]].plain if found[0] in ALIASES else found[0], text)


def _alias_unit(builder: Callable[..., Any], key: str) -> str:
    """Unit that an alias in the annotation of an argument states; empty if there is none."""
    words = _WORD.findall(str(inspect.signature(builder).parameters[key].annotation))
    return next((ALIASES[word].unit for word in words if word in ALIASES), "")


@cache
def role(builder: Callable[..., Any], key: str) -> Role:
    """Whether texts given for an argument are names and words, numbers, or formulas of what is measured."""
    text = annotation(builder, key)
    for found, word in _TYPES.items():
        if re.search(rf"\b{word}\b", text):
            return found
    if re.search(r"\bLaw\b|\bExpression\b", text):
        return "law"
    if re.search(r"\bobject\b|\bfloat\b|\bAny\b", text):
        return "number"
    return "word"


@cache
def may_be_named(builder: Callable[..., Any], key: str) -> bool:
    """Return True if a text for a number could be the name of a point or joint instead."""
    text = annotation(builder, key)
    return key == "at" or ("object" in text and not dimensions(builder, key))


@cache
def dimensions(builder: Callable[..., Any], key: str) -> tuple[Dimension, ...]:
    """Dimensions that an argument may have, by its type or the first unit in its documentation; () if unknown."""
    text = _stated_unit(builder, key)
    if not text:
        return (LENGTH,) if key in _PLACES else ()
    try:
        return tuple(read_unit(part.strip())[1] for part in text.split(" or "))
    except ModelError:  # a unit with a variable exponent, or no unit at all
        return ()


@cache
def unit(builder: Callable[..., Any], key: str) -> str:
    """Unit of an argument as its documentation states it; "N m/rad or N/m" if it depends on the use, "" if there is none."""
    text = _stated_unit(builder, key)
    if not text:
        return "m" if key in _PLACES else ""
    return text if dimensions(builder, key) or "^" in text else ""


def _stated_unit(builder: Callable[..., Any], key: str) -> str:
    """Unit of an argument by its type, else the first one in its documentation; empty if there is none."""
    if key in inspect.signature(builder).parameters and (known := _alias_unit(builder, key)):
        return known
    found = _BRACKET.search(_documented(builder).get(key, ""))
    return "" if found is None else found[1]


def unit_of_named(builder: Callable[..., Any], what: str) -> str:
    """Unit of the argument that a message names: "first of radii of gear 'G'", "stick speed of contact 'C'"."""
    known = inspect.signature(builder).parameters
    words = (part.removeprefix("the ").replace(" ", "_") for part in what.split(" of "))
    return next(filter(None, (unit(builder, key) for key in words if key in known)), "")


@cache
def _documented(builder: Callable[..., Any]) -> Mapping[str, str]:
    """Text of each argument in the docstring; of another builder in the same file where it refers to that one."""
    text = inspect.getdoc(builder) or ""
    _, _, arguments = text.partition("Args:\n")
    found = {key: entry[2] for entry in _ENTRY.finditer(arguments) for key in entry[1].split(", ")}
    for key, words in found.items():
        if (other := _AS_FOR.match(words)) and other[1] in builder.__globals__:
            found[key] = _documented(builder.__globals__[other[1]]).get(key, words)
    return found


def explained(builder: Callable[..., Any], key: str) -> str:
    """What the documentation says about an argument, on one line."""
    return " ".join(_documented(builder).get(key, "").split())
