"""Answering in sentences: values of a kind that nobody foresaw must not show the inside of the program."""

from __future__ import annotations

import dataclasses
import difflib
import functools
import html
import inspect
from collections.abc import Callable, Iterable, Sized
from typing import Any, ParamSpec, TypeVar

import numpy as np

from trammel.errors import ModelError

P = ParamSpec("P")
R = TypeVar("R")

SHORT = 60  # letters of a value that are repeated in a message
RAW = (TypeError, ValueError, LookupError, AttributeError, ArithmeticError, RecursionError, MemoryError)


def short(value: object) -> str:
    """A value in a few letters, whatever its repr does."""
    try:
        text = " ".join(repr(value).split())
    except Exception:  # a repr of somebody else's class
        text = f"a {type(value).__name__}"
    return text if len(text) <= SHORT else f"{text[: SHORT - 1]}…"


def number_of(count: int, thing: str) -> str:
    """A number of things: "1 driver", "2 drivers", "0 degrees of freedom"."""
    head, of, tail = thing.partition(" of ")
    return f"{count} {head}{'' if count == 1 else 's'}{of}{tail}"


def in_sentences(make: Callable[P, R]) -> Callable[P, R]:
    """A function that answers with a ModelError where it would have stumbled over its arguments."""

    @functools.wraps(make)
    def careful(*args: P.args, **given: P.kwargs) -> R:
        try:
            with np.errstate(all="ignore"):
                return make(*args, **given)
        except RAW as error:
            name = make.__qualname__.removesuffix(".__init__")
            shown = args if name == make.__qualname__ else args[1:]  # not the half-made object itself
            listed = [*map(short, shown), *(f"{key}={short(value)}" for key, value in given.items())]
            reason = str(error).rstrip(".") or type(error).__name__
            raise ModelError(
                f"{name}({', '.join(listed)}) cannot be made: {reason}. Check the kinds of these values."
            ) from error

    return careful


def unknown_option(name: str, key: str, known: Iterable[str]) -> ModelError:
    """The sentence about an option that a function does not have."""
    names = list(known)
    near = difflib.get_close_matches(key, names, n=1)
    hint = f" Did you mean {near[0]!r}?" if near else ""
    return ModelError(f"{name} has no option {key!r}; it has: {', '.join(names) or 'none'}.{hint}")


def named_options(function: Callable[P, R]) -> Callable[P, R]:
    """A function that answers a misspelt option with the nearest one."""
    parameters = inspect.signature(function).parameters
    known = [key for key, p in parameters.items() if p.kind is not p.VAR_POSITIONAL and key != "self"]

    @functools.wraps(function)
    def careful(*args: P.args, **given: P.kwargs) -> R:
        for key in given:
            if key not in known:
                raise unknown_option(function.__name__, key, known)
        return function(*args, **given)

    return careful


LINE = 200  # letters of a repr
LINES = 60  # of a printed text in a notebook
C = TypeVar("C", bound=type)


def brief(cls: C) -> C:
    """A data class whose repr is one line that fits on a screen: long values are counted, arrays are described."""

    def __repr__(self: Any) -> str:
        parts: list[str] = []
        for each in dataclasses.fields(self):
            if each.repr and each.name in self.__dict__ and sum(map(len, parts)) < LINE:
                parts.append(f"{each.name}={_brief(self.__dict__[each.name])}")
        shown = ", ".join(parts)
        return f"{type(self).__name__}({shown if len(shown) <= LINE else shown[: LINE - 1] + '…'})"

    cls.__repr__ = __repr__  # type: ignore[assignment, method-assign]
    if "__str__" in cls.__dict__ and not hasattr(cls, "_repr_html_"):
        cls._repr_html_ = _printed  # type: ignore[attr-defined]
    return cls


def _printed(self: object) -> str:
    """What a notebook shows: the printed text as it is, cut where it is long."""
    lines = str(self).splitlines()
    more = [f"… and {len(lines) - LINES} lines more: print it"] if len(lines) > LINES else []
    return f'<pre style="font-size:90%;line-height:1.35">{html.escape(chr(10).join(lines[:LINES] + more))}</pre>'


def _brief(value: object) -> str:
    if isinstance(value, np.ndarray):
        return f"array{value.shape}"
    if isinstance(value, Sized) and not isinstance(value, str) and len(value) > 6:
        return f"{len(value)} items"
    return short(value)
