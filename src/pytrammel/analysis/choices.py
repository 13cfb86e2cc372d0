"""Choices of a run as objects: registries such as ``tm.methods``, and their entries, which are called to set options.

    tm.methods                         # a table of all methods
    tm.methods["rk4"].order            # 4
    tm.methods.rk4(step=1e-3)          # the method with its step, for ``method=``

An option that an entry does not have is rejected where the object is made.
"""

from __future__ import annotations

import html
import inspect
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any, ClassVar, Generic, TypeVar

from pytrammel._util.checks import NAMES, kind_of
from pytrammel._util.former_names import renamed_option
from pytrammel._util.messages import meant, short, unknown_option
from pytrammel.errors import ModelError

C = TypeVar("C", bound="Choice")
EXAMPLES = 4  # entries named in a message that have an option


class Choice:
    """Entry of a registry, with the options that were set; entries are called to set more of them.

    Attributes:
        registry: Name of the registry in the package.
        noun: Kind of the entry for messages.
        name: Name of the entry.
        about: One line about it.
        takes: Options with their default values.
        options: Options that were set.
    """

    registry: ClassVar[str]
    noun: ClassVar[str]
    name: str
    about: str
    takes: Any
    options: Any

    def __call__(self: C, **options: Any) -> C:
        """Return this choice with options."""
        return self.with_options(options)

    def with_options(self: C, options: Mapping[str, Any]) -> C:
        """Return this choice with options; raise `ModelError` for one that it does not have or that is wrong."""
        kinds = self.kinds()
        settled = {}
        for key, value in options.items():
            if key not in self.takes:
                raise ModelError(self._no_option(key))
            settled[key] = _settled(kinds.get(key, Any), value, f"{self.noun} {self.name!r}: {key}")
        together = {**self.options, **settled}
        reason = self.contradiction(together)
        if reason:
            raise ModelError(f"{self.noun} {self.name!r}: {reason}")
        made: C = replace(self, options=MappingProxyType(together)) if options else self  # type: ignore[type-var]
        return made

    def kinds(self) -> Mapping[str, Any]:
        """Annotations or checks of the options by name."""
        return {}

    def contradiction(self, options: Mapping[str, Any]) -> str:
        """Reason why options cannot be combined; empty if they can."""
        return ""

    def advice(self, key: str) -> str:
        """Remedy for an option that this entry does not have; empty where only other entries can help."""
        return ""

    def plain(self) -> Any:
        """The name alone where no options are set, else this object."""
        return self if self.options else self.name

    def __getitem__(self, option: str) -> Any:
        return self.options.get(option, self.takes[option])

    def __str__(self) -> str:
        given = ", ".join(f"{key}={value!r}" for key, value in self.made_with().items())
        return f"{self.made_by()}({given})" if given else self.name

    def __repr__(self) -> str:
        return f"tm.{self.registry}.{self}"

    def made_by(self) -> str:
        """Name under which the registry has it."""
        return self.name

    def made_with(self) -> Mapping[str, Any]:
        """Arguments that make this object again."""
        return self.options  # type: ignore[no-any-return]

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Choice):
            return NotImplemented
        return self._identity() == other._identity()

    def __hash__(self) -> int:
        return hash((self.registry, self.name, *sorted(self.made_with())))

    def _identity(self) -> tuple[Any, ...]:
        return self.registry, self.name, self.made_by(), dict(self.made_with())

    def __reduce__(self) -> tuple[Any, ...]:
        return made_again, (self.registry, self.made_by(), dict(self.made_with()))

    @property
    def __signature__(self) -> inspect.Signature:
        """Signature of the call, for editors."""
        kind = inspect.Parameter.KEYWORD_ONLY
        return inspect.Signature([inspect.Parameter(key, kind, default=value) for key, value in self.takes.items()])

    def _no_option(self, key: str) -> str:
        listed = f"it takes: {', '.join(self.takes)}" if self.takes else "it takes none"
        remedy = renamed_option(key, self.takes) or self.advice(key) or meant(key, self.takes)
        if not remedy:
            others = [name for name, each in registries()[self.registry].items() if key in each.takes]
            if others:
                more = ", …" if len(others) > EXAMPLES else ""
                remedy = f" Option {key!r} belongs to: {', '.join(others[:EXAMPLES])}{more}."
        return f"{self.noun} {self.name!r} has no option {key!r}; {listed}.{remedy}"


def _settled(kind: Any, value: Any, label: str) -> Any:
    """A checked value that does not change: lists become tuples."""
    if inspect.isroutine(kind):
        value = kind(value, label)
    else:
        allowed = kind_of(kind, NAMES)
        value = value if allowed is None else allowed.check(value, label)
    return tuple(value) if isinstance(value, list) else value


class Maker:
    """Function of a registry that makes an entry from the user's numbers, such as ``tm.methods.runge_kutta``."""

    def __init__(self, registry: str, function: Callable[..., Any], generic: tuple[str, ...]) -> None:
        self._registry, self._function, self._generic = registry, function, generic
        self.__name__, self.__doc__, self.__wrapped__ = function.__name__, function.__doc__, function

    def __call__(self, *args: Any, **given: Any) -> Any:
        own = {key: value for key, value in given.items() if key not in self._generic}
        known = self.__signature__.parameters
        for key in own:
            if key not in known:
                raise unknown_option(self.__name__, key, known)
        return self._function(*args, **own).with_options({key: x for key, x in given.items() if key in self._generic})

    def __repr__(self) -> str:
        return f"tm.{self._registry}.{self.__name__}{inspect.signature(self._function)}"

    @property
    def __signature__(self) -> inspect.Signature:
        """Signature of the call, for editors."""
        signature = inspect.signature(self._function)
        kind = inspect.Parameter.KEYWORD_ONLY
        more = [inspect.Parameter(key, kind, default=None) for key in self._generic if key not in signature.parameters]
        return signature.replace(parameters=[*signature.parameters.values(), *more])


def _listed_options(entry: Choice) -> str:
    return ", ".join(entry.takes)


class Registry(Mapping[str, C], Generic[C]):
    """All entries of a kind by name: a mapping whose entries are also attributes; its repr is a table.

    Args:
        name: Name in the package.
        noun: Kind of an entry for messages.
        names: Function that returns the names of all entries.
        entry: Function that returns the entry of a name.
        makers: Functions that make entries from the user's numbers.
        columns: Columns of the table between name and description, from an entry.
    """

    def __init__(
        self,
        name: str,
        noun: str,
        names: Callable[[], tuple[str, ...]],
        entry: Callable[[str], C],
        *,
        makers: Callable[[], Mapping[str, Maker]] = lambda: {},
        columns: Mapping[str, Callable[[C], str]] | None = None,
    ) -> None:
        self._name, self._noun, self._names, self._entry, self._makers = name, noun, names, entry, makers
        self._columns: dict[str, Callable[[C], str]] = {**(columns or {}), "options": _listed_options}
        _registries[name] = self

    def __getitem__(self, name: str) -> C:
        """Return the entry of a name; an entry stands for itself."""
        if isinstance(name, Choice):
            return self.chosen(name)
        if name in self:
            return self._entry(name)
        if isinstance(name, str) and name in self._makers():
            raise ModelError(f"{self._noun} {name!r} is made from numbers of yours. Use tm.{self._name}.{name}(...).")
        raise ModelError(
            f"{self._noun} {short(name)} is not known; use one of: {', '.join(self._names())}.{meant(name, self._names())}"
        )

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and name in self._names()

    def get(self, name: str, default: Any = None) -> Any:
        """Return the entry of a name, or a default."""
        return self._entry(name) if name in self else default

    def __iter__(self) -> Iterator[str]:
        return iter(self._names())

    def __len__(self) -> int:
        return len(self._names())

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(f"tm.{self._name} has no attribute {name!r}")
        if name in self._makers():
            return self._entry(name) if name in self else self._makers()[name]
        try:
            return self[name]
        except ModelError as error:
            raise AttributeError(str(error)) from None

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *self._names(), *self._makers()})

    def __call__(self, name: object = None) -> None:
        """Raise `ModelError`: the registry itself is the list."""
        entry = f"tm.{self._name}[{'name' if name is None else short(name)}]"
        raise ModelError(f"tm.{self._name} is an object. Remove the parentheses, or write {entry}.")

    def chosen(self, value: Any) -> C:
        """Return the entry that a name or an object of this registry stands for."""
        if isinstance(value, Choice) and value.registry == self._name:
            return value  # type: ignore[return-value]
        if isinstance(value, Maker | Choice):
            given = f"tm.{value._registry}.{value.__name__}" if isinstance(value, Maker) else repr(value)
            raise ModelError(f"{self._noun} must be a name or an object of tm.{self._name}, but it is {given}.")
        if not isinstance(value, str):
            raise ModelError(f"{self._noun} must be a word or an object of tm.{self._name}, but it is {short(value)}.")
        return self[value]

    __eq__, __hash__ = object.__eq__, object.__hash__  # a registry is one object, not its content

    def __reduce__(self) -> tuple[Any, ...]:
        return registry, (self._name,)

    def makers(self) -> Mapping[str, Callable[..., Any]]:
        """Functions that make entries from the user's numbers, by name."""
        return self._makers()

    def _rows(self) -> list[list[str]]:
        head = ["name", *self._columns, "about"]
        return [head, *([name, *(f(each) for f in self._columns.values()), each.about] for name, each in self.items())]

    def __repr__(self) -> str:
        rows = self._rows()
        widths = [max(len(row[k]) for row in rows) for k in range(len(rows[0]) - 1)]
        lines = [
            "  ".join([*(cell.ljust(width) for cell, width in zip(row, widths, strict=False)), row[-1]]) for row in rows
        ]
        makers = self._makers()
        made = ", ".join(f"tm.{self._name}.{name}" for name in makers)
        return "\n".join(lines) + (f"\nmade from numbers: {made}" if makers else "")

    def _repr_html_(self) -> str:
        cells = ["".join(f"<td>{html.escape(cell)}</td>" for cell in row) for row in self._rows()]
        head, rows = cells[0], cells[1:]
        body = "".join(f"<tr>{row}</tr>" for row in rows)
        return f"<table><thead><tr>{head.replace('td>', 'th>')}</tr></thead><tbody>{body}</tbody></table>"


_registries: dict[str, Registry[Any]] = {}


def registries() -> Mapping[str, Registry[Any]]:
    """All registries by name."""
    return _registries


def registry(name: str) -> Registry[Any]:
    """A registry by name; its module is imported first."""
    import pytrammel

    found: Registry[Any] = getattr(pytrammel, name)
    return found


def made_again(where: str, name: str, given: Mapping[str, Any]) -> Any:
    """Return the object that a registry makes from a name and arguments."""
    return getattr(registry(where), name)(**given)


def read_choice(where: str, given: Any, label: str) -> Any:
    """A choice as model files write it: a name, or a table with ``name`` and options."""
    if not isinstance(given, Mapping):
        return given
    if not isinstance(given.get("name"), str):
        raise ModelError(f"{label} must be a name or a table {{name = ..., ...}}, but it is {short(dict(given))}.")
    return made_again(where, given["name"], {key: value for key, value in given.items() if key != "name"})
