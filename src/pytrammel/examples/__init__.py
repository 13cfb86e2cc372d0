"""Mechanisms that come with Trammel.

Each module has a docstring whose first line describes it, ``build()`` that makes the model, ``run()`` that analyses it, and
the names of what to trace (``TRACES``) and plot (``PLOTS``). The folder ``decks`` holds decks of the programs KAP and
DAP, which are examples too, named ``kap_…`` and ``dap_…``.
"""

from __future__ import annotations

import difflib
import importlib
import pkgutil
from collections.abc import Callable
from dataclasses import dataclass
from importlib import resources
from importlib.resources.abc import Traversable
from typing import TYPE_CHECKING, Any

from pytrammel.errors import ModelError

if TYPE_CHECKING:
    from pytrammel.model.base import Model
    from pytrammel.results.result import Result


@dataclass(frozen=True)
class Example:
    """One example.

    Attributes:
        name: Its name.
        description: One line.
        build, run: Make the model; analyse it.
        traces: Points whose paths are shown.
        plots: Columns that are plotted.
        file: Where its source is.
    """

    name: str
    description: str
    build: Callable[[], Model]
    run: Callable[[], Result]
    traces: tuple[str, ...] | None
    plots: tuple[str, ...]
    file: Traversable

    def source(self) -> str:
        return self.file.read_text(encoding="utf-8")


def names() -> list[str]:
    """Names of all examples, the Python ones first."""
    modules = sorted(module.name for module in pkgutil.iter_modules(__path__) if not module.name.startswith("_"))
    return modules + sorted(_decks())


def catalogue() -> dict[str, str]:
    """Description of every example by name."""
    return {name: find(name).description for name in names()}


def find(name: str) -> Example:
    """Example by name."""
    if name not in names():
        near = difflib.get_close_matches(name, names(), n=1)
        hint = f" Did you mean {near[0]!r}?" if near else ""
        raise ModelError(f"there is no example {name!r}.{hint} 'pytrammel example' lists them.")
    deck = _decks().get(name)
    if deck is not None:
        return _deck_example(name, deck)
    module = importlib.import_module(f"{__name__}.{name}")
    description = (module.__doc__ or name).splitlines()[0].rstrip(".")
    file = resources.files(__name__) / f"{name}.py"
    return Example(name, description, module.build, module.run, module.TRACES, module.PLOTS, file)


def _decks() -> dict[str, Traversable]:
    """Bundled decks by example name: kap_…, dap_…"""
    folder = resources.files(__name__) / "decks"
    out = {}
    for file in folder.iterdir():
        stem, _, program = file.name.rpartition(".")
        if program in ("kap", "dap"):
            out[f"{program}_{stem}"] = file
    return out


def _deck_example(name: str, file: Traversable) -> Example:
    text = file.read_text(encoding="utf-8")
    program = name[:3]

    def read() -> Any:
        if program == "kap":
            from pytrammel.io.decks.kap_deck import read_kap

            return read_kap(text, name=name)
        from pytrammel.io.decks.dap_deck import read_dap

        return read_dap(text, name=name)

    description = f"{program.upper()} deck: " + text.splitlines()[0].lstrip("! ")
    return Example(name, description, lambda: read().model(), lambda: read().run(), None, (), file)
