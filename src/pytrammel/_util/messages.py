"""Answering in sentences: values of a kind that nobody foresaw must not show the inside of the program."""

from __future__ import annotations

import contextvars
import dataclasses
import functools
import html
import inspect
import itertools
import math
from collections.abc import Callable, Iterable, Sequence, Sized
from typing import Any, ParamSpec, TypeVar

import numpy as np

from pytrammel._util.former_names import former, new_word, renamed_option
from pytrammel._util.lazy_names import is_inner
from pytrammel.errors import ModelError

P = ParamSpec("P")
R = TypeVar("R")
C = TypeVar("C", bound=type)

SHORT = 60  # letters of a value that are repeated in a message
RAW = (TypeError, ValueError, LookupError, AttributeError, ArithmeticError, RecursionError, MemoryError)


MODELS = ("PlanarModel", "SpatialModel")  # owners of former arguments of methods
COMPARED = 500  # known words of similar length that are compared with an unknown one


def short(value: object) -> str:
    """A value in a few letters, whatever its repr does."""
    try:
        text = " ".join(repr(value).split())
    except Exception:  # a repr of somebody else's class
        text = f"a {type(value).__name__}"
    return text if len(text) <= SHORT else f"{text[: SHORT - 1]}…"


def number_of(count: int, thing: str) -> str:
    """A number of things: "1 driver", "2 bodies", "0 degrees of freedom"."""
    head, of, tail = thing.partition(" of ")
    if count != 1:
        head = f"{head[:-1]}ies" if head.endswith("dy") else f"{head}s"
    return f"{count} {head}{of}{tail}"


def listing(space: object, owner: str) -> str:
    """Repr of a namespace: its methods, and what it belongs to."""
    cls = type(space)
    names = ", ".join(name for name in dir(cls) if not name.startswith("_"))
    return f"<{cls.__name__} of {owner}: {'call it, or use ' if callable(space) else ''}{names}>"


def surplus_values(title: str, places: Sequence[str], count: int, *, after: str = "") -> ModelError:
    """Error about a call with more values without a name than its arguments have places, after one that is not counted."""
    most = (
        f"{number_of(len(places), 'value')} without a name ({', '.join(places)})"
        if places
        else "no value without a name"
    )
    return ModelError(f"{title} takes {most}{after}, but {count} are given. Omit the others or pass them by name.")


def unlike(*values: float, digits: int = 6) -> tuple[str, ...]:
    """Numbers with so many digits that those that differ are printed unlike each other."""
    for more in range(digits, 18):
        texts = tuple(f"{value:.{more}g}" for value in values)
        if len(set(texts)) == len({float(value) for value in values}):
            return texts
    return tuple(f"{value:.{digits}g}" for value in values)


def apart(value: float, limit: float, digits: int = 4) -> tuple[str, str]:
    """A value and its limit with so many digits that a reader sees which is larger."""
    one, other = unlike(value, limit, digits=digits)
    return one, other


_unit_of: contextvars.ContextVar[Callable[[str], str] | None] = contextvars.ContextVar("unit of", default=None)


class units_from:
    """Let messages inside print units; `unit_of` finds the unit of "stiffness of spring 'S'"."""

    __slots__ = ("_before", "_unit_of")

    def __init__(self, unit_of: Callable[[str], str]) -> None:
        self._unit_of = unit_of

    def __enter__(self) -> None:
        self._before = _unit_of.set(self._unit_of)

    def __exit__(self, *_: object) -> None:
        _unit_of.reset(self._before)


def in_degrees(value: float, unit: str) -> str:
    """A value with its unit for messages, angles in degrees."""
    return f"{math.degrees(value):.4f}°" if unit == "rad" else f"{value:.6g} {unit}"


def unit_of(what: str, before: str = "") -> str:
    """Unit of the argument that a text names, after a word: " in N/m"; "" if it has none."""
    lookup = _unit_of.get()
    unit = lookup(what) if lookup is not None else ""
    return f"{before}{unit}" if unit else ""


def measured(value: float, what: str) -> str:
    """A number with the unit of the argument that a text names: "-5 N/m", "-5 (rad or m)"."""
    unit = unit_of(what)
    return f"{value:g}{f' ({unit})' if ' or ' in unit else f' {unit}' if unit else ''}"


def in_sentences(make: Callable[P, R]) -> Callable[P, R]:
    """A function that answers with a ModelError where it would have stumbled over its arguments."""

    @functools.wraps(make)
    def careful(*args: P.args, **given: P.kwargs) -> R:
        try:
            with np.errstate(all="ignore"):
                return make(*args, **given)
        except RAW as error:
            refuse_unknown_options(make, given)
            name = make.__qualname__.removesuffix(".__init__")
            shown = args if name == make.__qualname__ else args[1:]  # not the half-made object itself
            listed = [*map(short, shown), *(f"{key}={short(value)}" for key, value in given.items())]
            reason = str(error).rstrip(".") or type(error).__name__
            raise ModelError(
                f"{name}({', '.join(listed)}) cannot be made: {reason}. Check the kinds of these values."
            ) from error

    return careful


def edits(one: str, other: str, most: int) -> int:
    """Number of letters to change, insert, remove or exchange with a neighbour; ``most + 1`` where more are needed."""
    if abs(len(one) - len(other)) > most:
        return most + 1
    before, row = [0] * (len(other) + 1), list(range(len(other) + 1))
    for i, a in enumerate(one, 1):
        last, before, row = before, row, [i]
        for j, b in enumerate(other, 1):
            cost = min(before[j] + 1, row[j - 1] + 1, before[j - 1] + (a != b))
            if i > 1 and j > 1 and a == other[j - 2] and one[i - 2] == b:
                cost = min(cost, last[j - 2] + 1)
            row.append(cost)
    return min(row[-1], most + 1)


def nearest(word: object, known: Iterable[str]) -> str | None:
    """The known word that a misspelt one stands for, up to three edits away by its length; else None.

    Any two single letters are one edit apart, so that a single letter stands for the same letter only.
    """
    word = str(word)[:SHORT].lower()
    most = 0 if len(word) < 2 else 1 if len(word) < 4 else 2 if len(word) < 8 else 3
    alike = itertools.islice((each for each in known if abs(len(each) - len(word)) <= most), COMPARED)
    found = [(edits(word, each.lower(), most), k, each) for k, each in enumerate(alike)]
    best = min(found, default=(most + 1, 0, ""))
    return best[2] if best[0] <= most else None


def meant(word: object, known: Iterable[str]) -> str:
    """Remedy at the end of a message about an unknown word: the word that replaced it or the nearest one, or ""."""
    words = list(known)
    if (new := new_word(word, words)) is not None:
        return f" Use {new!r}."
    near = nearest(str(word), words)
    return f" Did you mean {near!r}?" if near else ""


def absent_from_module(module: str, name: str, known: Iterable[str]) -> str:
    """Message about a name that a module does not have, with the nearest public one; submodules are looked for later and have no remedy."""
    head = f"module {module!r} has no attribute {name!r}"
    if is_inner(module, name):
        return head
    return f"{head}.{meant(name, known) or ' It has: ' + ', '.join(known) + '.'}"


def refuse_unknown_options(function: Callable[..., Any], given: Iterable[str]) -> None:
    """Raise `ModelError` if a call gives an option that the function does not have."""
    known = _options_of(function)
    for key in given:
        if known is not None and key not in known:
            raise unknown_option(function.__qualname__.removesuffix(".__init__").rpartition(".")[2], key, known)


@functools.cache
def _options_of(function: Callable[..., Any]) -> tuple[str, ...] | None:
    """Names of a function's arguments; None if it takes any."""
    parameters = inspect.signature(function).parameters
    if any(p.kind is p.VAR_KEYWORD for p in parameters.values()):
        return None
    return tuple(key for key, p in parameters.items() if p.kind is not p.VAR_POSITIONAL and key not in ("self", "cls"))


def unknown_option(name: str, key: str, known: Iterable[str]) -> ModelError:
    """The sentence about an option that a function does not have."""
    names = list(known)
    remedy = renamed_option(key, names)
    replaced = former(key, "argument", owners=(name, *(f"{model}.{name}" for model in MODELS)))
    if not remedy and replaced:
        return ModelError(f"{name} has no option {key!r}. {replaced.remedy}")
    return ModelError(
        f"{name} has no option {key!r}; it has: {', '.join(names) or 'none'}.{remedy or meant(key, names)}"
    )


LINE = 200  # letters of a repr
LINES = 60  # of a printed text in a notebook


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
