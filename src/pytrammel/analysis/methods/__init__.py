"""Integration methods: one registry. A method is a function in a file of this folder, found by itself.

``methods()`` lists them; the option ``method=`` of the verbs, the command line, decks, documentation and tests read from it.
"""

from __future__ import annotations

import difflib
import importlib
import pkgutil
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pytrammel._util.checks import checked_names
from pytrammel._util.messages import brief, short
from pytrammel.errors import ModelError

Array = NDArray[np.float64]
BackEnd = Callable[..., Any]
"""Runs from output instant to output instant: (table, options, instants, clock, y, rows, counters, control) -> (done, status, index);
without a control the run goes through singular positions."""

CONTROLLED_WITH = ("projection",)
"""Treatments under which such a method can control its error: velocities across the rows would swing, the more the shorter steps are."""

DEFAULT = "default"
"""Name of the method that verbs take where none is given."""

_registry: dict[str, Callable[[], Method]] = {}


@brief
@dataclass(frozen=True)
class Method:
    """What makes steps.

    Attributes:
        about: One line about it.
        order: Order of the solution that is carried on.
        family: Routines that make its steps: a file of `kernels.methods`, and the first part of their names.
        fixed: Whether steps have a given length; else the error is controlled.
        can_control: Whether the error is controlled where no length is given.
        numbers: From the size of the integrated vector to the method's numbers and integers.
        places: States at which only the interpolant looks.
        implicit: Whether it needs the matrices of the equations.
        control_order: Power of h with which the error norm goes; the order by default.
        name: Name.
        with_starter: For multistep methods: the same method with another beginning, from its name or from given states, and the number
            of states.
        coefficients: Of multistep methods with fixed steps: a of the states, from the newest back, and b of their rates, from the new
            one back.
        history: States that a step begins with: more than one for multistep methods with fixed steps.
        doubt: What is doubtful about every run with it; empty if nothing is.
        stable: Product of step and fastest rate beyond which an explicit method is unstable, if it notices; else 0.
        stiff: Name of the method to change to where the motion is stiff; empty: never.
        worth_changing: Work left, in evaluations times integrated numbers, below which it does not change all the same.
        back_end: What runs instead of our own kernels; it knows no events.
        treatments: Ways of holding constraints that it goes with (`constraints=`); None for all.
        with_mass_only: Whether every coordinate needs a mass, and every row a position (no rolling).
        worst: Place in its numbers of the equation that could not be solved: a column, or columns + an active equation; -1 for none.
        correction: Where the last correction of its iteration is: the integer that tells the place in its numbers, and how many vectors
            further.
        passes: Whether it passes singular positions by itself: its stages can be put onto the constraints, its error is controlled, and its
            order is so high that steps stay long there.
        ends_at_layers: Whether its steps end where a speed enters or leaves the layer in which regularised friction reverses: they are
            so long that their error estimates may miss it.
        recipe: Of a method made for the occasion: the function that made it, and what it was given, as plain data.
    """

    about: str
    order: int
    family: str
    fixed: bool
    numbers: Callable[[int], tuple[Array, list[int]]] = field(repr=False)
    places: int = 0
    implicit: bool = False
    control_order: int | None = None
    name: str = ""
    with_starter: Callable[[Any, int], Method] | None = field(default=None, repr=False)
    coefficients: tuple[tuple[Fraction, ...], tuple[Fraction, ...]] | None = None
    history: int = 1
    doubt: str = ""
    stable: float = 0.0
    stiff: str = ""
    worth_changing: float = 0.0
    treatments: tuple[str, ...] | None = None
    worst: int | None = None
    correction: tuple[int, int] | None = None
    back_end: BackEnd | None = field(default=None, repr=False)
    with_mass_only: bool = False
    can_control: bool = False
    passes: bool = False
    ends_at_layers: bool = False
    recipe: tuple[str, dict[str, Any]] | None = None

    @property
    def own_constraints(self) -> bool:
        """Whether it treats the constraints of a mechanism itself."""
        return self.treatments is not None

    @property
    def routines(self) -> tuple[str, ...]:
        """Names of the routines of the method, in the order of the engine's table."""
        if self.back_end is not None:
            return ()
        return tuple(f"{self.family}_{part}" for part in ("start", "attempt", "dense", "between", "place", "accept"))


def method(build: Callable[[], Method]) -> Callable[[], Method]:
    """Register a method under the name of the function that builds it."""
    register(build.__name__, build)
    return build


def register(name: str, build: Callable[[], Method]) -> None:
    """Register a method under a name."""
    _registry[name] = build


@cache
def method_names() -> tuple[str, ...]:
    """Names of all methods, in the order of files and of definition."""
    for module in pkgutil.iter_modules(__path__):
        importlib.import_module(f"{__name__}.{module.name}")
    return tuple(_registry)


@cache
def _built(name: str) -> Method:
    """A method by its name; coefficients of some are found by long sums of fractions, when they are asked for."""
    return replace(_registry[name](), name=name)


@checked_names
def methods() -> dict[str, Method]:
    """All methods by name, in the order of files and of definition."""
    return {name: _built(name) for name in method_names()}


def method_named(name: str | Method) -> Method:
    """Look a method up; one that was made for the occasion is itself."""
    if isinstance(name, Method):
        return name
    if name not in method_names():
        near = difflib.get_close_matches(str(name), method_names(), n=1)
        hint = f" Did you mean {near[0]!r}?" if near else ""
        raise ModelError(f"method {name!r} is not known; use one of: {', '.join(method_names())}.{hint}")
    return _built(name)


def made_again(function: str, given: dict[str, Any]) -> Method:
    """A method made for the occasion, from its recipe."""
    home = {
        "generalized_alpha": "constrained",
        "hht": "constrained",
        "multistep": "multistep",
        "rk2": "tableaus",
        "runge_kutta": "tableaus",
    }
    if function not in home:
        raise ModelError(f"no method is made by {function!r}; known: {', '.join(home)}.")
    found: Method = getattr(importlib.import_module(f"{__name__}.{home[function]}"), function)(**given)
    return found


def with_steps(method: Method, time_step: float | None) -> Method:
    """The method with steps of a given length, or with its error controlled where none is given and it can."""
    if time_step is None and method.fixed and method.can_control:
        return replace(method, fixed=False, treatments=CONTROLLED_WITH)
    return method


def unsolved(method: Method, time_step: float, where: str) -> str:
    """The sentence for an implicit step whose equations cannot be solved, worst in one of them."""
    worst = f", worst in {where}" if where else ""
    other = "" if method.implicit else ", or take a method for stiff equations such as 'bdf4'"
    remedy = f"shorten time_step = {time_step:g}{other}" if method.fixed else "look for a force that jumps there"
    return f"the iteration of method {method.name!r} for the next step does not converge{worst}; {remedy}."


def with_named_starter(method: Method, starter: object) -> Method:
    """A multistep method that begins with another method."""
    if starter is None:
        return method
    if method.with_starter is None:
        raise ModelError(
            f"starter={short(starter)} would not be used, because method {method.name!r} starts by itself; leave it out."
        )
    if not isinstance(starter, str):
        raise ModelError(f"starter must be the name of a method, but it is {short(starter)}.")
    return method.with_starter(starter, 0)
