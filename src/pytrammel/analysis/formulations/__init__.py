"""In which coordinates equations of motion are written: one registry. A formulation is a function in a file of this folder.

``formulations()`` lists them; the option ``formulation=`` of `simulate`, the command line, documentation and tests read from it. Whatever
the formulation, results are in terms of bodies.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from pytrammel._util.checks import NAMES, checked_names, kind_of
from pytrammel._util.messages import brief, short
from pytrammel.errors import ModelError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from pytrammel.analysis.runs.engine import Cartesian, Table
    from pytrammel.analysis.runs.options import Options
    from pytrammel.analysis.small_motions.reduced import State
    from pytrammel.model.base import Model
    from pytrammel.results.studies.matrices import Matrices
    from pytrammel.system.lowering import System

Variant = Literal["I", "II", "III"]
Cut: TypeAlias = str | Sequence[str] | None
"""Joints at which loops are cut."""
SmallMotions = tuple[tuple[str, ...], "NDArray[np.float64]", "NDArray[np.float64]"]
"""Names of coordinates, what each is of the small motions of bodies (a row each), and what counts as one for each."""
_registry: dict[str, Callable[[], Formulation]] = {}


@brief
@dataclass(frozen=True)
class Formulation:
    """In which coordinates equations of motion are written.

    Attributes:
        about: One line about it.
        equations: Class of the equations.
        needs: Names of the kernels that it needs beside those of all runs, for a plane (2) or a spatial (3) model.
        variant: Which equations in body coordinates it uses (chapter 11).
        values: What its options may be, as annotations.
        conflict: From the options given to the reason why they do not go together; empty if they do.
        takes: Its options with their defaults, see `tm.formulation`.
        choose: For "auto": from a model and the options of the run to the formulation that it takes, and why.
        cannot: From a lowered model and the options of the run to the reason why it cannot be had for them, and what can; empty if it can.
        matrices: From a state and the formulation to its equations there, written out with names; None if they are not to be shown.
        instants: From a system lowered for kinematics (see `analysis.instants`) to the table that solves an instant in these coordinates;
            None if there is none.
        small_motions: From a state and the formulation to its coordinates as small motions of the bodies; None if there are none.
        options: Options given.
        name: Name.
    """

    about: str
    equations: Callable[[Options], Cartesian]
    needs: Callable[[int], tuple[str, ...]] = lambda dimension: ()
    variant: Variant = "III"
    values: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}), repr=False)
    conflict: Callable[[Mapping[str, Any]], str] = field(default=lambda options: "", repr=False)
    takes: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))
    cannot: Callable[[System, Options], str] = field(default=lambda system, options: "", repr=False)
    choose: Callable[[Model, Options], tuple[Formulation, str]] | None = field(default=None, repr=False)
    matrices: Callable[[State, Formulation], Matrices] | None = field(default=None, repr=False)
    instants: Callable[..., Table] | None = field(default=None, repr=False)
    small_motions: Callable[[State, Formulation], SmallMotions] | None = field(default=None, repr=False)
    options: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))
    name: str = ""

    @property
    def in_bodies(self) -> bool:
        """Whether its unknowns are those of the bodies."""
        return self.name in ("cartesian", "I", "II", "III")

    def __getitem__(self, option: str) -> Any:
        return self.options.get(option, self.takes[option])

    def __str__(self) -> str:
        given = ", ".join(f"{key}={value!r}" for key, value in self.options.items())
        return f"{self.name}({given})" if given else self.name


def formulation_type(name: str) -> Callable[[Callable[[], Formulation]], Callable[[], Formulation]]:
    """Register a formulation."""

    def register(build: Callable[[], Formulation]) -> Callable[[], Formulation]:
        _registry[name] = build
        return build

    return register


@cache
def _modules() -> tuple[str, ...]:
    return tuple(module.name for module in pkgutil.iter_modules(__path__))


@cache
def _built(name: str) -> Formulation:
    return replace(_registry[name](), name=name)


@checked_names
def formulations() -> dict[str, Formulation]:
    """All formulations by name."""
    for module in _modules():
        importlib.import_module(f"{__name__}.{module}")
    return {name: _built(name) for name in sorted(_registry)}


def _known(name: str) -> Formulation | None:
    """A formulation by name; one that has a file of its name needs no others."""
    if name in _modules():
        importlib.import_module(f"{__name__}.{name}")
    return _built(name) if name in _registry else formulations().get(name)


@checked_names
def formulation(name: str | Formulation, **options: Any) -> Formulation:
    """A formulation by name, with options of its own: ``formulation=tm.formulation("joint", base="trunk")``.

    Args:
        name: One of ``tm.formulations()``.
        options: What the formulation takes, see there.
    """
    found = name if isinstance(name, Formulation) else _known(name) if isinstance(name, str) else None
    if found is None:
        raise ModelError(f"formulation={short(name)} is not known; use one of: {', '.join(map(repr, formulations()))}.")
    for key in options:
        if key not in found.takes:
            takes = f"it takes: {', '.join(found.takes)}" if found.takes else "it takes none"
            raise ModelError(f"formulation {found.name!r} has no option {key!r}; {takes}.")
        kind = kind_of(found.values.get(key, Any), NAMES)
        if kind is not None:
            kind.check(options[key], f"formulation {found.name!r}: {key}")
    together = {**found.options, **options}
    reason = found.conflict(together)
    if reason:
        raise ModelError(f"formulation {found.name!r}: {reason}")
    return replace(found, options=MappingProxyType(together)) if options else found


def offered(name: str | Formulation, model: Model, verb: str, what: str, why: str) -> Formulation:
    """A formulation for a verb that integrates nothing, or a refusal that says which there are.

    Args:
        name: The formulation; "auto" is body coordinates, for no other is faster where nothing is integrated.
        model: The model.
        verb: The verb, for the sentence.
        what: Field of `Formulation` that the verb needs.
        why: What the verb would need, for the sentence.
    """
    chosen = formulation("cartesian") if formulation(name).choose is not None else formulation(name)
    if chosen.variant != "III" and model.space.dimension == 2:
        raise ModelError(
            f"formulation {chosen.name!r} is for spatial models: model {model.name!r} is planar and has no Euler parameters; use "
            "'cartesian'."
        )
    if getattr(chosen, what) is None:
        known = [each for each, entry in formulations().items() if getattr(entry, what) is not None]
        raise ModelError(
            f"{verb} does not work in formulation {chosen.name!r}: {why}. Use one of: {', '.join(map(repr, known))}."
        )
    return chosen
