"""One check of arguments for every entry point: their names, kinds and numbers, as its signature states them."""

from __future__ import annotations

import ast
import builtins
import difflib
import functools
import importlib
import inspect
import math
import os
import sys
import types
import typing
from collections import abc
from collections.abc import Callable, Mapping, Sequence, Sized
from pathlib import Path
from typing import Any, NamedTuple, ParamSpec, TypeVar, overload

import numpy as np

from pytrammel._util import traced_numbers
from pytrammel._util.messages import measured, short, surplus_values, unit_of, unknown_option, unlike
from pytrammel.errors import ModelError

HUGE = 10**300  # largest whole number that is converted to a float without a check
P = ParamSpec("P")
R = TypeVar("R")
T = TypeVar("T")
F = TypeVar("F", bound=Callable[..., Any])
Check = Callable[[Any, str], Any]
"""From a value and its label to the value, or a `ModelError`."""

LISTS = (abc.Sequence, abc.Iterable, abc.Collection, abc.Set, list)
TABLES = (abc.Mapping, dict)


def checked_number(value: object, what: str) -> float:
    """A finite float, or a sentence that says what is wrong with it."""
    if type(value) is float and traced_numbers.isfinite(value):
        return value
    if traced_numbers.is_varied(value) and traced_numbers.isfinite(value):  # type: ignore[arg-type]
        return value  # type: ignore[return-value]
    if isinstance(value, str | bytes | bool | np.bool_) or (isinstance(value, np.ndarray) and value.ndim):
        raise ModelError(f"{what} must be a number{unit_of(what, ' in ')}, but it is {short(value)}.")
    try:
        number = float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError):
        raise ModelError(f"{what} must be a number{unit_of(what, ' in ')}, but it is {short(value)}.") from None
    if not traced_numbers.isfinite(number):
        raise ModelError(f"{what} is {measured(number, what)}; it must be a finite number.")
    return number


def checked_bool(value: object, what: str) -> bool:
    """True or False, and nothing that merely counts as one of them."""
    if not isinstance(value, bool | np.bool_):
        raise ModelError(f"{what} must be True or False, but it is {short(value)}.")
    return bool(value)


def checked_text(value: object, what: str) -> str:
    """A text."""
    if not isinstance(value, str):
        raise ModelError(f"{what} must be a text, but it is {short(value)}.")
    return value


def whole_number(value: object, what: str, least: int | None = None) -> int:
    """An int, also from 5.0, but not from 2.5 or True."""
    if type(value) is int and least is None and abs(value) < sys.maxsize:
        return value
    number = checked_number(value, what)
    if number != math.floor(number) or (least is not None and number < least):
        limit = "" if least is None else f" of at least {least}"
        raise ModelError(f"{what} is {number:g}; it must be a whole number{limit}.")
    return int(value)  # type: ignore[call-overload, no-any-return]


def number_in(least: float, *, above: bool = False, endless: bool = False, optional: bool = False) -> Check:
    """Return a check for numbers of at least a limit.

    Args:
        least: The limit.
        above: Whether the limit itself is excluded.
        endless: Whether infinity is allowed.
        optional: Whether None is allowed.
    """

    def check(value: Any, what: str) -> Any:
        if (optional and value is None) or (endless and isinstance(value, float) and value == math.inf):
            return value
        number = checked_number(value, what)
        if number < least or (above and number == least):
            texts = unlike(number, least, digits=6)
            raise ModelError(f"{what} is {texts[0]}; it must be {'greater than' if above else 'at least'} {texts[1]}.")
        return number

    return check


def checked_array(value: object, what: str) -> Any:
    """The value, if it is a finite number or an array of them, however nested."""
    if type(value) is float:
        return checked_number(value, what)
    try:
        found = np.asarray(value)
        if found.dtype.kind == "O":  # exact fractions, varied numbers
            found = found.astype(float)
    except (TypeError, ValueError, OverflowError):
        found = np.array("")
    if found.dtype.kind not in "iuf":
        raise ModelError(f"{what} must be a number or an array of numbers, but it is {short(value)}.")
    if not np.isfinite(found).all():
        raise ModelError(f"{what} must have finite numbers only, but it is {short(value)}.")
    return value


def checked_path(value: object, what: str) -> Any:
    """The name of a file, as a text or path."""
    if not isinstance(value, str | os.PathLike):
        raise ModelError(f"{what} must be the name of a file, but it is {short(value)}.")
    return value


def listed(value: Any, what: str) -> tuple[Any, ...]:
    """The members of a list, whatever kind of list it is."""
    if isinstance(value, str | bytes) or not hasattr(value, "__iter__"):
        raise ModelError(f"{what} must be a list, but it is {short(value)}.")
    try:
        return tuple(value)
    except TypeError:  # an array without dimensions, a class
        raise ModelError(f"{what} must be a list, but it is {short(value)}.") from None


# --- from annotations ----------------------------------------------------------------------------------------------------


class Kind(NamedTuple):
    """Values that an annotation allows.

    Attributes:
        check: Function from a value and its label to the value, or a `ModelError`.
        words: Name of the values in messages.
        exact: Types whose values pass unchanged, so that their label need not be written.
    """

    check: Check
    words: str
    exact: frozenset[type] = frozenset()

    def passes(self, value: Any) -> bool:
        """Return True if the value passes the check unchanged, as far as its type shows."""
        kind = type(value)
        return kind in self.exact and (kind is not float or math.isfinite(value))


class _Unknown:
    """A name in an annotation that only type checkers import; objects are recognised by the names of their classes."""

    def __init__(self, name: str, members: tuple[Any, ...] = ()) -> None:
        self.name = name
        self.members = members or (self,)

    def __or__(self, other: Any) -> Any:
        return _Unknown("", (*self.members, other))

    __ror__ = __or__

    def __getitem__(self, item: Any) -> Any:
        return self

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return _Unknown(name)


class _Names(dict[str, Any]):
    """The names of a module and of Python, and unknown ones."""

    def __missing__(self, key: str) -> Any:
        return getattr(builtins, key) if hasattr(builtins, key) else _Unknown(key)


def kind_of(annotation: Any, names: Mapping[str, Any]) -> Kind | None:
    """What an annotation allows; None if that is anything.

    Args:
        annotation: Text or object.
        names: Global names where it is written.
    """
    if isinstance(annotation, str):
        annotation = eval(annotation, {}, _Names(names))  # a text of our own source
    if annotation is Any:
        return None
    if annotation is None or annotation is types.NoneType:
        return Kind(_none, "None", frozenset({types.NoneType}))
    origin, inner = typing.get_origin(annotation), typing.get_args(annotation)
    if origin in (typing.Union, types.UnionType) or (isinstance(annotation, _Unknown) and len(annotation.members) > 1):
        return _union([kind_of(each, names) for each in inner or annotation.members])
    if origin is typing.Literal:
        return Kind(functools.partial(_word, words=inner), "one of the words " + ", ".join(map(repr, inner)))
    if origin is tuple and inner[-1:] != (...,):
        return _tuple([kind_of(each, names) for each in inner])
    if origin in LISTS or origin is tuple:
        return _list(kind_of(inner[0], names))
    if origin in TABLES:
        return _table(kind_of(inner[1], names), text=inner[0] is str)
    if origin is abc.Callable:
        return Kind(_function, "a function")
    if isinstance(annotation, _Unknown):
        return _later(annotation.name, str(names["__name__"]))
    return _simple(origin or annotation)


MANY = {
    "a text": "texts",
    "a number": "numbers",
    "a whole number": "whole numbers",
    "a list of numbers": "lists of numbers",
}
SIMPLE: Mapping[Any, Kind] = {
    bool: Kind(checked_bool, "True or False", frozenset({bool})),
    int: Kind(lambda value, what: whole_number(value, what), "a whole number"),
    float: Kind(checked_number, "a number", frozenset({float})),
    str: Kind(checked_text, "a text", frozenset({str})),
    np.ndarray: Kind(checked_array, "an array of numbers"),
    os.PathLike: Kind(checked_path, "the name of a file"),
    Path: Kind(checked_path, "the name of a file"),
}
NAMES = {  # imported for type checkers only in many files; ArrayLike is a union of protocols
    "ArrayLike": np.ndarray, "Sequence": abc.Sequence, "Mapping": abc.Mapping, "Iterable": abc.Iterable, "Collection": abc.Collection,
    "Callable": abc.Callable, "Literal": typing.Literal, "PathLike": os.PathLike, "Path": Path, "os": os, "Any": object,
}  # fmt: skip
ARRAYS = ("NDArray", "Array", "Floats", "Numbers", "Complexes")


def _simple(kind: Any) -> Kind | None:
    if kind in SIMPLE:
        return SIMPLE[kind]
    if not isinstance(kind, type) or kind is object or getattr(kind, "_is_protocol", False):
        return None
    return _class(kind.__name__, lambda value: isinstance(value, kind))


def _class(name: str, member: Callable[[Any], bool]) -> Kind:

    def check(value: Any, what: str) -> Any:
        if not member(value):
            raise ModelError(f"{what} must be {words}, but it is {short(value)}.")
        return value

    words = _article(name)
    return Kind(check, words)


def _later(name: str, module: str) -> Kind | None:
    """A name that only type checkers import: the class of a value mostly shows its kind, else the name is imported."""
    if name in ARRAYS:
        return SIMPLE[np.ndarray]

    @functools.cache
    def imported() -> Kind | None:
        tree = ast.parse(inspect.getsource(sys.modules[module]))
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom) and name in {each.name for each in node.names}:
                home = importlib.import_module(str(node.module))
                return kind_of(getattr(home, name), {**vars(home), **NAMES})
        return None

    def check(value: Any, what: str) -> Any:
        if name in {each.__name__ for each in type(value).__mro__}:
            return value
        kind = imported()
        return value if kind is None else kind.check(value, what)

    return Kind(check, _article(name))


def _article(name: str) -> str:
    return f"{'an' if name[0] in 'AEIOU' else 'a'} {name}"


def _none(value: Any, what: str) -> Any:
    if value is not None:
        raise ModelError(f"{what} must be None, but it is {short(value)}.")
    return value


def _function(value: Any, what: str) -> Any:
    if not callable(value):
        raise ModelError(f"{what} must be a function, but it is {short(value)}.")
    return value


def _word(value: Any, what: str, words: Sequence[Any]) -> Any:
    if not any(type(value) is type(word) and value == word for word in words):
        near = difflib.get_close_matches(value, [str(word) for word in words], n=1) if isinstance(value, str) else ()
        hint = f" Did you mean {near[0]!r}?" if near else ""
        raise ModelError(
            f"{what} must be one of the words {', '.join(map(repr, words))}, but it is {short(value)}.{hint}"
        )
    return value


def _union(members: Sequence[Kind | None]) -> Kind | None:
    if None in members:
        return None
    kinds = [kind for kind in members if kind is not None]
    if any(kind.words == "a list of numbers" for kind in kinds):  # which may be an array, but not a single number
        kinds = [kind for kind in kinds if kind.check is not checked_array]
    options = [kind for kind in kinds if kind.check is not _none]
    arrays = sorted(
        options, key=lambda kind: "number" not in kind.words or kind.check is checked_number
    )  # messages show all numbers
    words = list(dict.fromkeys(kind.words for kind in options))
    listed_words = " or ".join(filter(None, [", ".join(words[:-1]), words[-1]]))

    def check(value: Any, what: str) -> Any:
        if value is None and len(options) < len(kinds):
            return value
        if len(options) == 1:
            return options[0].check(value, what)
        for kind in arrays if isinstance(value, np.ndarray) else options:
            try:
                return kind.check(value, what)
            except ModelError:
                continue
        raise ModelError(f"{what} must be {listed_words}, but it is {short(value)}.")

    exact = frozenset().union(*(kind.exact for kind in kinds))
    if SIMPLE[int] in kinds:  # 5.0 becomes 5
        exact -= {float}
    return Kind(check, listed_words, exact)


def _list(inner: Kind | None) -> Kind:
    numbers = inner is not None and inner.check is checked_number

    def check(value: Any, what: str) -> Any:
        members = listed(value, what)
        if isinstance(value, Mapping):
            raise ModelError(f"{what} must be a list, but it is {short(value)}.")
        if numbers and isinstance(value, np.ndarray):
            return checked_array(value, what)
        for k, member in enumerate(members if inner is not None else ()):
            inner.check(member, f"{what}: member {k}")  # type: ignore[union-attr]
        return value if isinstance(value, Sized) and not _like_array(value) else members

    return Kind(check, "a list" if inner is None else f"a list of {MANY.get(inner.words, inner.words)}")


def _like_array(value: Any) -> bool:
    """Texts in an array, columns and indices of tables: they have no truth value, and columns count by their labels."""
    if isinstance(value, np.ndarray):
        return value.dtype.kind not in "biufc"
    return hasattr(value, "__array__")


def _tuple(inner: Sequence[Kind | None]) -> Kind:
    def check(value: Any, what: str) -> Any:
        if isinstance(value, str | bytes | Mapping) or not hasattr(value, "__len__") or not hasattr(value, "__iter__"):
            raise ModelError(f"{what} must be {words}, but it is {short(value)}.")
        members = listed(value, what)
        if len(members) != len(inner):
            raise ModelError(f"{what} must be {words}, but it is {short(value)}.")
        for k, (kind, member) in enumerate(zip(inner, members, strict=True)):
            if kind is not None:
                kind.check(member, f"{what}: member {k}")
        return value

    words = f"{len(inner)} values"
    return Kind(check, words)


def _table(inner: Kind | None, *, text: bool) -> Kind:
    def check(value: Any, what: str) -> Any:
        if not isinstance(value, Mapping) or (text and any(not isinstance(key, str) for key in value)):
            raise ModelError(f"{what} must be a mapping by name, {{'A': ...}}, but it is {short(value)}.")
        if inner is not None:
            for key, member in value.items():
                inner.check(member, f"{what}: {key!r}")
        return value

    return Kind(check, "a mapping by name")


# --- entry points --------------------------------------------------------------------------------------------------------


@overload
def checked(entry: F, /) -> F: ...
@overload
def checked(*own: str) -> Callable[[F], F]: ...
def checked(*entry: Any) -> Any:
    """Check the arguments of an entry point against its signature before it begins.

    Unknown and missing names, too many values, and values of other kinds than the annotations state raise a `ModelError` that names
    the argument. For a class, its constructor is checked.

    Args:
        entry: The function or class, or names of arguments whose values the function checks itself.
    """
    if not isinstance(entry[0], str):
        return _checked(entry[0], ())
    return functools.partial(_checked, own=entry)


def checked_names(entry: Callable[P, R]) -> Callable[P, R]:
    """Raise a `ModelError` that names unknown, missing and surplus arguments; values remain unchecked and calls fast."""

    @functools.wraps(entry)
    def careful(*args: P.args, **given: P.kwargs) -> R:
        try:
            return entry(*args, **given)
        except TypeError:
            _Signature.of(entry, tuple(inspect.signature(entry).parameters)).settle(args, dict(given))
            raise

    return careful


def with_checked_names(cls: type[T]) -> type[T]:
    """Apply `checked_names` to all public methods of a class and its bases that do not check their arguments otherwise."""
    for base in cls.__mro__:
        if base.__module__.partition(".")[0] != __name__.partition(".")[0]:
            continue
        for name, entry in list(vars(base).items()):
            if isinstance(entry, types.FunctionType) and not name.startswith("_") and not hasattr(entry, "__wrapped__"):
                setattr(base, name, checked_names(entry))
    return cls


def _checked(entry: Any, own: tuple[str, ...]) -> Any:
    if isinstance(entry, type):
        entry.__init__ = _checked(entry.__init__, own)  # type: ignore[misc]
        return entry
    plan = functools.cache(functools.partial(_Signature.of, entry, own))

    @functools.wraps(entry)
    def careful(*args: Any, **given: Any) -> Any:
        values = plan().settle(args, given)
        return entry(*values, **given)

    return careful


OWNERS = ("self", "cls", "model")  # first arguments of methods; functions of a model are methods of it


class _Signature(NamedTuple):
    """What `checked` compares arguments with.

    Attributes:
        title: Name in messages.
        placed: Names of arguments that may be given without a name; `self` is the first one of a method.
        bound: 1 for a method, 0 for a function.
        more: Name of ``*args``; empty if there is none.
        known: Names that may be given by name.
        free: Whether other names may be given too.
        needed: Names without a default.
        kinds: What values are allowed, by name.
    """

    title: str
    placed: tuple[str, ...]
    bound: int
    more: str
    known: tuple[str, ...]
    free: bool
    needed: tuple[str, ...]
    kinds: Mapping[str, Kind]

    @classmethod
    def of(cls, entry: Any, own: Sequence[str]) -> _Signature:
        parameters = list(inspect.signature(entry).parameters.values())
        bound = int(bool(parameters) and parameters[0].name in OWNERS)
        named = [p for p in parameters[bound:] if p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY)]
        return cls(
            _title(entry),
            tuple(p.name for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)), bound,
            next((p.name for p in parameters if p.kind is p.VAR_POSITIONAL), ""), tuple(p.name for p in named),
            any(p.kind is p.VAR_KEYWORD for p in parameters), tuple(p.name for p in named if p.default is p.empty),
            {name: kind for name, kind in kinds_of(entry).items() if name not in own},
        )  # fmt: skip

    def settle(self, args: Sequence[Any], given: dict[str, Any]) -> list[Any]:
        """Check all arguments; returns those without a name, and puts settled values among those that have one."""
        values, kinds, placed, title = list(args), self.kinds, self.placed, self.title
        if len(values) > len(placed) and not self.more:
            raise surplus_values(title, placed[self.bound :], len(values) - self.bound)
        for k in range(self.bound, len(values)):
            name = placed[k] if k < len(placed) else self.more
            if name in kinds and not kinds[name].passes(values[k]):
                values[k] = kinds[name].check(values[k], f"{title}: {name}")
        taken_names = placed[: len(values)]
        for key, value in given.items():
            if key not in self.known:
                if not self.free:
                    raise unknown_option(title, key, self.known)
            elif key in taken_names:
                raise ModelError(f"{title} is given {key} twice; give it once.")
            elif key in kinds and not kinds[key].passes(value):
                given[key] = kinds[key].check(value, f"{title}: {key}")
        for name in self.needed:
            if name not in given and name not in taken_names:
                raise ModelError(f"{title} needs {name}; it takes: {', '.join(self.known)}.")
        return values


def _title(entry: Any) -> str:
    """Name of a function, method or class in messages: "plot.energy" for a method of a namespace."""
    owner, _, name = entry.__qualname__.rpartition(".")
    if name == "__init__":
        return str(owner.rpartition(".")[2])
    space = TITLES.get((entry.__module__, owner), "")
    return space if name == "__call__" else f"{space}.{name}" if space else str(name)


TITLES: dict[tuple[str, str], str] = {}
"""Names of namespaces in messages, by module and name of their class."""


def titled(title: str) -> Callable[[type[T]], type[T]]:
    """Name the methods of a class in messages as its users write them: ``plot.energy`` instead of ``energy``."""

    def named(cls: type[T]) -> type[T]:
        TITLES[cls.__module__, cls.__qualname__] = title
        return cls

    return named


def kinds_of(entry: Any) -> dict[str, Kind]:
    """What the arguments of a function may be, by name; without those that may be anything."""
    space = {**inspect.unwrap(entry).__globals__, **NAMES}
    annotated = (p for p in inspect.signature(entry).parameters.values() if p.annotation is not p.empty)
    found = {p.name: _allowed(p, space) for p in annotated}
    return {name: kind for name, kind in found.items() if kind is not None}


def _allowed(parameter: inspect.Parameter, names: dict[str, Any]) -> Kind | None:
    kind = kind_of(parameter.annotation, names)
    if kind is None or not isinstance(parameter.default, float) or math.isfinite(parameter.default):
        return kind
    default = parameter.default  # a number without limit

    def check(value: Any, what: str) -> Any:
        return value if isinstance(value, float) and value == default else kind.check(value, what)

    return Kind(check, kind.words)


def checked_numbers(value: object, what: str, names: Sequence[str]) -> tuple[float, ...]:
    """One finite float for each name."""
    if type(value) in (tuple, list) and len(value) == len(names):  # type: ignore[arg-type]
        numbers = [float(x) for x in value if type(x) is float or (type(x) is int and -HUGE < x < HUGE)]  # type: ignore[attr-defined]
        if len(numbers) == len(names) and all(map(traced_numbers.isfinite, numbers)):
            return tuple(numbers)  # as most are: no sentences need to be prepared for them
    plain = isinstance(value, Sequence) or getattr(value, "ndim", 0) == 1  # arrays and columns of tables too
    listed: Sequence[object] = tuple(value) if plain else ()  # type: ignore[arg-type]
    if isinstance(value, str) or len(listed) != len(names):
        count = {2: "two", 3: "three", 4: "four"}.get(len(names), str(len(names)))
        raise ModelError(
            f"{what} must be {count} numbers ({', '.join(names)}){unit_of(what, ' in ')}, but it is {short(value)}."
        )
    return tuple(checked_number(item, f"{name} of {what}") for name, item in zip(names, listed, strict=True))
