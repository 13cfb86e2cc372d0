"""How constraints are held during a run: one registry. A treatment is a function in a file of this folder, found by itself.

``treatments()`` lists them; the option ``constraints=`` of `simulate`, the command line, decks, documentation and tests read from it.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cache

from pytrammel._util.checks import checked_names
from pytrammel.errors import ModelError
from pytrammel.system.lowering import System

_registry: dict[str, Callable[[], Treatment]] = {}


@dataclass(frozen=True)
class Treatment:
    """How constraints are held.

    Attributes:
        about: One line about it.
        takes: Options of `simulate` that mean something beside it.
        project: Whether states are projected onto the constraints after each step.
        rates, settle: Routines of the equations, each with the file of `kernels.equations` that it is in.
        partitioned: Whether some coordinates are independent and the others follow from them.
        iterated: For penalties: whether the multipliers are put right until the constraints hold.
        cannot: From a lowered model and the formulation to the reason why it cannot be had for them, and what can; empty if it can.
        remedy: What helps where joints come apart.
        name: Name.
    """

    about: str
    takes: tuple[str, ...] = ()
    project: bool = False
    rates: tuple[str, str] = ("cartesian", "cartesian_rates")
    settle: tuple[str, str] = ("cartesian", "cartesian_settle")
    partitioned: bool = False
    iterated: bool = False
    cannot: Callable[[System, str], str] = field(default=lambda system, formulation: "", repr=False)
    remedy: str = "use constraints='projection'"
    name: str = ""

    @property
    def routines(self) -> tuple[str, ...]:
        """Names of its routines, beside those of all equations."""
        return tuple(name for file, name in (self.rates, self.settle) if file != "cartesian")


def treatment(build: Callable[[], Treatment]) -> Callable[[], Treatment]:
    """Register a treatment under the name of the function that builds it."""
    _registry[build.__name__] = build
    return build


@checked_names
@cache
def treatments() -> dict[str, Treatment]:
    """All treatments of constraints by name."""
    for module in pkgutil.iter_modules(__path__):
        importlib.import_module(f"{__name__}.{module.name}")
    return {name: replace(build(), name=name) for name, build in _registry.items()}


def treatment_named(name: str) -> Treatment:
    """Look a treatment up."""
    known = treatments()
    if name not in known:
        from pytrammel.analysis.methods import methods

        doing = [repr(each) for each, method in methods().items() if method.own_constraints and name in each.split("_")]
        if doing:
            raise ModelError(
                f"constraints={name!r} is what some methods do by themselves, and goes with no other: leave it out and use one of them, "
                f"method={' or '.join(doing)}; or constraints='projection'."
            )
        raise ModelError(f"constraints={name!r} is not known; use one of: {', '.join(map(repr, known))}.")
    return known[name]
