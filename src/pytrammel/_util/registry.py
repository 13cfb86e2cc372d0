"""Registries: every file in a folder is found by itself, and every type brings a sample that the tests use."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from pytrammel._util import plugins
from pytrammel._util.not_numbers import NotNumber

if TYPE_CHECKING:
    from pytrammel.joints.constraint import Symbol
    from pytrammel.model.quantities.quantity import Quantity
    from pytrammel.model.typed_methods import Measures
else:

    class Measures:
        """Names of the measures of all registered types, for type checkers."""

        __slots__ = ()


T = TypeVar("T")
B = TypeVar("B", bound=Callable[..., Any])
Sample = Callable[[Any, Any, Any], Mapping[str, Any]]


class Registry(Generic[T]):
    """Builders ``(model, name, ...) -> T`` by name; the model gets a method for each."""

    def __init__(self, package: str, *, shared: str | None = None, what: str = "joint") -> None:
        """Look in one package, and in another whose types may be registered for both kinds of models.

        Args:
            package: Package whose files register types.
            shared: Another one.
            what: Word for a type in messages.
        """
        self.packages = [package] if shared is None else [package, shared]
        self.what = what
        self._builders: dict[str, Callable[..., T]] = {}
        self._samples: dict[str, Sample] = {}
        self._followers: list[Callable[[Callable[..., T]], None]] = []
        self._listed: Mapping[str, Callable[..., T]] | None = None  # until another type is registered
        self._own_imported = False

    def register(self, *, sample: Sample) -> Callable[[B], B]:
        """Decorator for a builder.

        Args:
            sample: Arguments for a typical use between three bodies drawn anywhere. Tests check every registered type on its
                sample, so a new type is tested without anyone writing a list.
        """

        def keep(builder: B) -> B:
            name = builder.__name__
            known = self._builders.get(name)
            if known is not None and known.__module__ != builder.__module__:
                raise plugins.clash(self.what, name, plugins.defined_by(known), plugins.defined_by(builder))
            for follow in self._followers:
                follow(builder)
            self._builders[name] = builder
            self._samples[name] = sample
            self._listed = None
            return builder

        return keep

    @property
    def types(self) -> Mapping[str, Callable[..., T]]:
        """All builders by name, those of plugins included; the same mapping until another type is registered."""
        self._import_own()
        plugins.load(plugins.JOINTS, plugins.FORCES)
        if self._listed is None:
            self._listed = MappingProxyType(dict(self._builders))
        return self._listed

    def follow(self, follower: Callable[[Callable[..., T]], None]) -> None:
        """Call a function for every builder: now for those of the package, later for every other one.

        Args:
            follower: May raise an error to reject a builder.
        """
        self._import_own()
        for builder in self._builders.values():
            follower(builder)
        self._followers.append(follower)

    def _import_own(self) -> None:
        if self._own_imported:
            return
        for name in self.packages:
            package = importlib.import_module(name)
            for module in pkgutil.iter_modules(package.__path__):
                importlib.import_module(f"{name}.{module.name}")
        self._own_imported = True

    def sample(self, kind: str, a: Any, b: Any, c: Any) -> Mapping[str, Any]:
        """Arguments of a typical use between three bodies."""
        assert kind in self.types
        return self._samples[kind](a, b, c)


class Measured(Measures, NotNumber):
    """Something with measures that read like attributes: ``m["A"].angle``, ``m["s"].length``."""

    kind: str
    name: str
    bodies: tuple[str, ...]
    parameters: Mapping[str, Any]
    measures: Mapping[str, Quantity]
    symbols: tuple[Symbol, ...]

    if not TYPE_CHECKING:  # type checkers know the measures of all registered types

        def __getattr__(self, name):
            measures = self.__dict__.get("measures", {})
            if name in measures:
                return measures[name]
            if name.startswith("_"):
                raise AttributeError(name)
            known = ", ".join(measures) or "nothing"
            raise AttributeError(f"{self.kind} {self.name!r} has no {name!r}; it measures: {known}.")
