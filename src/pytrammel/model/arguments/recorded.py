"""What a user said, kept beside what was worked out from it: arguments are checked by name here, and copies replay them."""

from __future__ import annotations

import ast
import inspect
import itertools
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache, partial
from typing import Any, get_args

import numpy as np

from pytrammel._util.checks import checked_bool
from pytrammel._util.messages import RAW, brief, meant, short, surplus_values, units_from
from pytrammel._util.not_numbers import NotNumber
from pytrammel.errors import ModelError
from pytrammel.model.arguments.signatures import annotation, unit_of_named

PLAIN = frozenset((float, int, str, bool, type(None)))  # types of values that need no copy
LONGEST = 1_000_000  # items taken from an iterator that is given instead of a list


@brief
@dataclass(frozen=True)
class Said:
    """The arguments of one body, point, joint, force, phase or switch as they were given.

    Attributes:
        arguments: By name; what was left out is not there.
        redrawn: Its bodies have been drawn elsewhere since (in a copy): places and directions in it are no longer true.
    """

    arguments: Mapping[str, Any]
    redrawn: bool = False


@cache
def argument_names(builder: Callable[..., Any]) -> tuple[str, ...]:
    """Arguments of a builder ``(model, name, ...)`` beside the first two."""
    return tuple(inspect.signature(builder).parameters)[2:]


@cache
def _arguments(builder: Callable[..., Any]) -> tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]:
    """All arguments of a builder, those that may be given without a name, and those that must be given."""
    known, parameters = argument_names(builder), inspect.signature(builder).parameters
    spoken = tuple(key for key in known if parameters[key].kind is not inspect.Parameter.KEYWORD_ONLY)
    return known, spoken, tuple(key for key in known if parameters[key].default is inspect.Parameter.empty)


def unknown_argument(what: str, key: str, known: tuple[str, ...]) -> ModelError:
    """The sentence about an argument that does not exist."""
    return ModelError(f"{what} has no argument {key!r}; it has: {', '.join(known) or 'none'}.{meant(key, known)}")


def bound(builder: Callable[..., Any], what: str, args: tuple[Any, ...], given: Mapping[str, Any]) -> dict[str, Any]:
    """Arguments by name, as a builder would read them; copies, so that nobody can change them afterwards."""
    known, spoken, needed = _arguments(builder)
    if len(args) > len(spoken):
        raise surplus_values(what, spoken, len(args))
    out = dict(zip(spoken, args, strict=False))
    for key, value in given.items():
        if key not in known:
            raise unknown_argument(what, key, known)
        if key in out:
            raise ModelError(f"{what}: the argument {key!r} is given twice.")
        out[key] = value
    missing = [key for key in needed if key not in out]
    if missing:
        raise ModelError(
            f"{what} needs {', '.join(f'{key}=' for key in missing)}, which {'is' if len(missing) == 1 else 'are'} missing."
        )
    return {key: _kept(value, f"{key} of {what}") for key, value in out.items()}


def built(builder: Callable[..., Any], what: str, model: Any, name: str, given: Mapping[str, Any]) -> Any:
    """What a builder makes, or a sentence: a value of a kind that a builder did not foresee must not show its inside."""
    for key, value in given.items():
        _check_kind(builder, key, value, f"{key} of {what}")
    try:
        with np.errstate(all="ignore"), units_from(partial(unit_of_named, builder)):
            return builder(model, name, **given)
    except RAW as error:
        values = ", ".join(f"{key}={short(value)}" for key, value in given.items())
        reason = str(error).rstrip(".") or type(error).__name__
        raise ModelError(
            f"{what} cannot be made from {values}: {reason}. Check the kinds of these values in the help of {builder.__name__}."
        ) from error


def _check_kind(builder: Callable[..., Any], key: str, value: Any, what: str) -> None:
    """Refuse what is no truth value or no word where a builder asks for one: anything else would count as true, or equal no word."""
    kind, optional = _asked(builder, key)
    if kind == "bool":
        checked_bool(value, what)
    elif kind is not None and not isinstance(value, str) and not (optional and value is None):
        raise ModelError(f"{what} must be {kind}, but it is {short(value)}.")


@cache
def _asked(builder: Callable[..., Any], key: str) -> tuple[str | None, bool]:
    """What an argument must be by its annotation: "bool", words or a text, else None; and whether it may be None."""
    text = annotation(builder, key)
    text, optional = text.removesuffix(" | None"), text.endswith(" | None")
    if text in ("bool", "str"):
        return ("a text" if text == "str" else text), optional
    if text.startswith("Literal["):
        words = ast.literal_eval(f"({text[8:-1]},)")
    else:
        words = get_args(builder.__globals__.get(text))
    if words and all(isinstance(word, str) for word in words):
        return f"one of the words {', '.join(map(repr, words))}", optional
    return None, optional


def _kept(value: Any, what: str) -> Any:
    if type(value) in PLAIN or isinstance(value, NotNumber):
        return value
    if isinstance(value, Iterator):
        items = tuple(itertools.islice(value, LONGEST + 1))
        if len(items) > LONGEST:
            raise ModelError(f"{what} is an iterator of more than {LONGEST} items; give a list.")
        return _kept(items, what)
    if isinstance(value, np.ndarray):
        return value.copy()
    if getattr(value, "ndim", 0) == 1 and hasattr(value, "__array__"):  # a column of a table
        return tuple(value)
    if type(value) in (list, tuple):
        return type(value)(_kept(item, what) for item in value)
    if type(value) is dict:
        return {key: _kept(item, what) for key, item in value.items()}
    return value
