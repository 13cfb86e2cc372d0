"""Enforcement of constraints during a run: one registry. A treatment is a function in a file of this folder, found automatically.

``tm.enforcement`` lists them; the option ``constraints=`` of `simulate`, the command line, decks, documentation and tests read from it. An
entry is called to set its options: ``tm.enforcement.baumgarte(alpha=10)``.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from types import MappingProxyType
from typing import Any, ClassVar

from pytrammel._util.checks import listed, number_in
from pytrammel._util.messages import short
from pytrammel.analysis.choices import Choice, Registry
from pytrammel.analysis.column_partition import METHODS as PIVOTING
from pytrammel.errors import ModelError
from pytrammel.model.quantities.quantity import Quantity
from pytrammel.system.lowering import System

_registry: dict[str, Callable[[], Treatment]] = {}


GAINS = {"alpha": 5.0, "beta": 5.0}  # gains of stabilisation [1/s]
PARTITION = {"method": None, "coordinates": ()}  # options of partitioning; without either: "lu-full"
PENALTY = {"factor": 1e10}  # inertia of the joints relative to the parts


def _pivoting(value: Any, label: str) -> Any:
    if value is not None and (not isinstance(value, str) or value not in PIVOTING):
        raise ModelError(
            f"{label} is {short(value)}; use one of: {', '.join(map(repr, PIVOTING))}, or coordinates=[...] for given coordinates."
        )
    return value


def _coordinates(value: Any, label: str) -> tuple[Any, ...]:
    names = (value,) if isinstance(value, str | Quantity) else listed(value, label)
    for name in names:
        if not isinstance(name, str | Quantity):
            raise ModelError(f"{label} must be a list of names or measured quantities, but it holds {short(name)}.")
    return names


KINDS = {
    "alpha": number_in(0.0), "beta": number_in(0.0), "factor": number_in(0.0, above=True), "method": _pivoting,
    "coordinates": _coordinates,
}  # fmt: skip


@dataclass(frozen=True, eq=False, repr=False)
class Treatment(Choice):
    """Enforcement of constraints during a run.

    A call sets options:

    * `alpha`, `beta`: gains of stabilisation [1/s]; errors die away within a few 1/alpha.
    * `method`: pivoting rule of partitioning ("lu-full", "lu-column", "gauss", "gauss-full", "gram-schmidt", "qr", "svd").
    * `coordinates`: independent coordinates for the whole run: coordinates of bodies ("rod.x"), turns ("rod.rx", all three:
      "rod.orientation"), joint angles and other measured quantities of one number ("A.angle").
    * `factor`: inertia of the joints under penalties, relative to the parts.

    Attributes:
        about: One line about it.
        takes: Options with their default values.
        project: Whether states are projected onto the constraints after each step.
        rates, settle: Routines of the equations, each with the file of `kernels.equations` that it is in.
        partitioned: Whether some coordinates are independent and the others follow from them.
        iterated: For penalties: whether the multipliers are put right until the constraints hold.
        cannot: From a lowered model and the formulation to the reason why it cannot be had for them, and what can; empty if it can.
        remedy: What helps where joints come apart.
        name: Name.
        options: Options that were set.
    """

    registry: ClassVar[str] = "enforcement"
    noun: ClassVar[str] = "constraints"

    about: str
    takes: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))
    project: bool = False
    rates: tuple[str, str] = ("cartesian", "cartesian_rates")
    settle: tuple[str, str] = ("cartesian", "cartesian_settle")
    partitioned: bool = False
    iterated: bool = False
    cannot: Callable[[System, str], str] = field(default=lambda system, formulation: "", repr=False)
    remedy: str = "use constraints='projection'"
    name: str = ""
    options: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))

    def kinds(self) -> Mapping[str, Any]:
        """Checks of the options."""
        return KINDS

    def contradiction(self, options: Mapping[str, Any]) -> str:
        """Reason why options cannot be combined."""
        if options.get("method") is not None and options.get("coordinates"):
            return "method= chooses the independent coordinates, but coordinates= names them. Remove one."
        return ""

    @property
    def partition(self) -> str | tuple[str | Quantity, ...]:
        """Pivoting rule for independent coordinates, or their names."""
        given = {**PARTITION, **self.options}
        return given["coordinates"] or given["method"] or "lu-full"

    @property
    def routines(self) -> tuple[str, ...]:
        """Names of its routines, beside those of all equations."""
        return tuple(name for file, name in (self.rates, self.settle) if file != "cartesian")


def treatment(build: Callable[[], Treatment]) -> Callable[[], Treatment]:
    """Register a treatment under the name of the function that builds it."""
    _registry[build.__name__] = build
    return build


@cache
def _treatments() -> dict[str, Treatment]:
    for module in pkgutil.iter_modules(__path__):
        importlib.import_module(f"{__name__}.{module.name}")
    return {name: replace(build(), name=name) for name, build in _registry.items()}


enforcement: Registry[Treatment] = Registry(
    "enforcement", "constraints", lambda: tuple(_treatments()), lambda name: _treatments()[name]
)


def treatment_named(name: str | Treatment) -> Treatment:
    """Look an enforcement of constraints up; an object of ``tm.enforcement`` is returned unchanged."""
    if isinstance(name, str) and name not in enforcement:
        from pytrammel.analysis.methods import methods

        doing = [repr(each) for each, method in methods.items() if method.own_constraints and name in each.split("_")]
        if doing:
            raise ModelError(
                f"constraints={name!r} is part of some methods and is not combined with others. Remove it and use "
                f"method={' or '.join(doing)}; or use constraints='projection'."
            )
    return enforcement.chosen(name)
