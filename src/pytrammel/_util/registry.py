"""Registries: every file in a folder is found by itself, and every type brings a sample that the tests use."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Any, Generic, TypeVar

from pytrammel._util.not_numbers import NotNumber

T = TypeVar("T")
Sample = Callable[[Any, Any, Any], Mapping[str, Any]]


class Registry(Generic[T]):
    """Builders ``(model, name, ...) -> T`` by name; the model gets a method for each."""

    def __init__(self, package: str, *, shared: str | None = None) -> None:
        """Look in one package, and in another whose types may be registered for both kinds of models."""
        self.packages = [package] if shared is None else [package, shared]
        self._builders: dict[str, Callable[..., T]] = {}
        self._samples: dict[str, Sample] = {}

    def register(self, *, sample: Sample) -> Callable[[Callable[..., T]], Callable[..., T]]:
        """Decorator for a builder.

        Args:
            sample: Arguments for a typical use between three bodies drawn anywhere. Tests check every registered type on its
                sample, so a new type is tested without anyone writing a list.
        """

        def keep(builder: Callable[..., T]) -> Callable[..., T]:
            self._builders[builder.__name__] = builder
            self._samples[builder.__name__] = sample
            return builder

        return keep

    @cached_property
    def types(self) -> Mapping[str, Callable[..., T]]:
        """All builders by name: the files of the package are imported once."""
        for name in self.packages:
            package = importlib.import_module(name)
            for module in pkgutil.iter_modules(package.__path__):
                importlib.import_module(f"{name}.{module.name}")
        return dict(self._builders)

    def sample(self, kind: str, a: Any, b: Any, c: Any) -> Mapping[str, Any]:
        """Arguments of a typical use between three bodies."""
        assert kind in self.types
        return self._samples[kind](a, b, c)


class Measured(NotNumber):
    """Something with measures that read like attributes: ``m["A"].angle``, ``m["s"].length``."""

    kind: str
    name: str

    def __getattr__(self, name: str) -> Any:
        measures = self.__dict__.get("measures", {})
        if name in measures:
            return measures[name]
        if name.startswith("_"):
            raise AttributeError(name)
        known = ", ".join(measures) or "nothing"
        raise AttributeError(f"{self.kind} {self.name!r} has no {name!r}; it measures: {known}.")
