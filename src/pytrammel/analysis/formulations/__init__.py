"""In which coordinates equations of motion are written: one registry. A formulation is a function in a file of this folder.

``tm.formulations`` lists them; the option ``formulation=`` of `simulate`, the command line, documentation and tests read from it. An entry
is called to set its options: ``tm.formulations.joint(base="trunk")``. Whatever the formulation, results are in terms of bodies.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar, Literal, TypeAlias

from pytrammel.analysis.choices import Choice, Registry
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
ROTATIONS: Mapping[str, Any] = MappingProxyType(
    {"rotations": "velocities", "normalize": "corrected", "alpha": None, "beta": None}
)
"""Options about rotations in body coordinates with their defaults; gains that are None are those of the enforcement of constraints."""
_registry: dict[str, Callable[[], Formulation]] = {}


@dataclass(frozen=True, eq=False, repr=False)
class Formulation(Choice):
    """In which coordinates equations of motion are written; called, it sets options.

    Attributes:
        about: One line about it.
        equations: Class of the equations.
        needs: Names of the kernels that it needs beside those of all runs, for a plane (2) or a spatial (3) model.
        variant: Which equations in body coordinates it uses (chapter 11).
        values: What its options may be, as annotations.
        conflict: From the options given to the reason why they do not go together; empty if they do.
        takes: Options with their default values.
        choose: For "auto": from a model and the options of the run to the formulation that it takes, and why.
        cannot: From a lowered model and the options of the run to the reason why it cannot be had for them, and what can; empty if it can.
        matrices: From a state and the formulation to its equations there, written out with names; None if they are not to be shown.
        instants: From a system lowered for kinematics (see `analysis.instants`) to the table that solves an instant in these coordinates;
            None if there is none.
        small_motions: From a state and the formulation to its coordinates as small motions of the bodies; None if there are none.
        options: Options given.
        name: Name.
    """

    registry: ClassVar[str] = "formulations"
    noun: ClassVar[str] = "formulation"

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
    def rotations(self) -> dict[str, Any]:
        """Options that were set about the integration of rotations in body coordinates."""
        if not self.in_bodies and self.choose is None:
            return {}
        return {key: value for key, value in self.options.items() if key in ROTATIONS}

    @property
    def in_bodies(self) -> bool:
        """Whether its unknowns are those of the bodies."""
        return self.name in ("cartesian", "I", "II", "III")

    def kinds(self) -> Mapping[str, Any]:
        """Annotations of the options."""
        return self.values

    def contradiction(self, options: Mapping[str, Any]) -> str:
        """Reason why options cannot be combined."""
        return self.conflict(options)


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


@cache
def _names() -> tuple[str, ...]:
    for module in _modules():
        importlib.import_module(f"{__name__}.{module}")
    return tuple(sorted(_registry))


formulations: Registry[Formulation] = Registry("formulations", "formulation", _names, _built)


def formulation(name: str | Formulation, **options: Any) -> Formulation:
    """Look a formulation up; an object of ``tm.formulations`` is returned unchanged.

    Args:
        name: A name or an object of ``tm.formulations``.
        options: Options to set.
    """
    if isinstance(name, str) and name in _modules():  # a formulation with a file of its name needs no others
        importlib.import_module(f"{__name__}.{name}")
        found = _built(name)
    else:
        found = formulations.chosen(name)
    return found.with_options(options)


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
    given = formulation(name).rotations
    if given:
        key, value = next(iter(given.items()))
        raise ModelError(
            f"formulation {chosen.name!r}: {key}={value!r} is for simulate, not for {verb}. Remove {key}=."
        )
    if chosen.variant != "III" and model.space.dimension == 2:
        raise ModelError(
            f"formulation {chosen.name!r} is for spatial models: model {model.name!r} is planar and has no Euler parameters; use "
            "'cartesian'."
        )
    if getattr(chosen, what) is None:
        known = [each for each, entry in formulations.items() if getattr(entry, what) is not None]
        raise ModelError(
            f"{verb} does not work in formulation {chosen.name!r}: {why}. Use one of: {', '.join(map(repr, known))}."
        )
    return chosen
