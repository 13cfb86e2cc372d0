"""Integration methods: one registry. A method is a function in a file of this folder, found by itself.

``tm.methods`` lists them; the option ``method=`` of the verbs, the command line, decks, documentation and tests read from it. An entry is
called to set its options: ``tm.methods.rk4(step=1e-3)``.
"""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cache
from types import MappingProxyType
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pytrammel._util.checks import number_in, whole_number
from pytrammel._util.messages import short
from pytrammel.analysis.choices import Choice, Maker, Registry
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


MAX_STEPS = 10_000_000  # default limit of a run
GENERIC = ("step", "starter", "max_steps")  # options that methods made from numbers of the user have as well


def _positive_count(value: Any, label: str) -> int:
    return whole_number(value, label, 1)


@dataclass(frozen=True, eq=False, repr=False)
class Method(Choice):
    """What makes steps.

    A call sets options:

    * `step`: length of the steps [s], of methods with fixed steps.
    * `starter`: explicit Runge–Kutta method for the first steps of a multistep method; for `integrate` also the states after them.
    * `max_steps`: number of steps at which a run stops.
    * numbers of the method, such as `rho` of ``tm.methods.generalized_alpha``.

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
        maker: Function that makes the same method with other numbers.
        options: Options that were set.
    """

    registry: ClassVar[str] = "methods"
    noun: ClassVar[str] = "method"

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
    maker: Callable[..., Method] | None = field(default=None, repr=False)
    options: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))

    @property
    def takes(self) -> Mapping[str, Any]:
        """Options with their default values."""
        numbers = {} if self.maker is None else inspect.signature(self.maker).parameters
        found = {key: parameter.default for key, parameter in numbers.items()}
        found |= {"step": None} if self.fixed or self.can_control else {}
        found |= {"starter": None} if self.with_starter is not None else {}
        return {**found, "max_steps": MAX_STEPS}

    def kinds(self) -> Mapping[str, Any]:
        """Checks of the options."""
        return {
            "step": number_in(0.0, above=True, optional=True),
            "starter": self._starter,
            "max_steps": _positive_count,
        }

    def with_options(self, options: Mapping[str, Any]) -> Method:
        """Return this method with options; numbers of the method itself make another one."""
        numbers = (
            {} if self.maker is None else {k: x for k, x in options.items() if k in self.takes and k not in GENERIC}
        )
        if self.maker is None or self.recipe is None or not numbers:
            return super().with_options(options)
        rest = {key: value for key, value in options.items() if key not in numbers}
        return self.maker(**{**self.recipe[1], **numbers}).with_options({**self.options, **rest})

    def _starter(self, value: Any, label: str) -> Any:
        """Starter of a multistep method: a name, or states after the first steps."""
        if value is None:
            return None
        if isinstance(value, str):
            if self.with_starter is not None:
                self.with_starter(value, 0)  # raises for a name that is not a starter
            return value
        try:
            listed = np.asarray(value, dtype=float).tolist()
        except (TypeError, ValueError, OverflowError):
            listed = None
        if not isinstance(listed, list) or not np.isfinite(np.asarray(listed)).all():
            raise ModelError(
                f"{label} must be the name of a method or the states after the first steps, but it is {short(value)}."
            )
        return tuple(tuple(row) if isinstance(row, list) else row for row in listed)

    def advice(self, key: str) -> str:
        """Remedy for an option that this method does not have."""
        if key == "step":
            return " It controls its error: use rtol= and max_step=, or a method with fixed steps such as tm.methods.rk4(step=...)."
        return " It needs no starting values: remove it." if key == "starter" else ""

    def plain(self) -> Any:
        """The name alone of a registered method without options, else this object."""
        return self.name if methods.get(self.name) is self else self

    def made_by(self) -> str:
        """Name under which `tm.methods` has it."""
        return self.name if self.recipe is None else self.recipe[0]

    def made_with(self) -> Mapping[str, Any]:
        """Arguments that make this object again."""
        registered = self.name in method_names()
        return self.options if self.recipe is None or registered else {**self.recipe[1], **self.options}

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


# functions that make methods from numbers of the user, and their files
MAKERS = {
    "generalized_alpha": "constrained", "hht": "constrained", "multistep": "multistep", "rk2": "tableaus", "runge_kutta": "tableaus",
}  # fmt: skip


@cache
def _makers() -> dict[str, Maker]:
    homes = {name: importlib.import_module(f"{__name__}.{home}") for name, home in MAKERS.items()}
    return {name: Maker("methods", getattr(home, name), GENERIC) for name, home in homes.items()}


methods: Registry[Method] = Registry(
    "methods", "method", method_names, _built, makers=_makers, columns={"order": lambda each: str(each.order)}
)


def method_named(name: str | Method) -> Method:
    """Look a method up; an object of ``tm.methods`` is returned unchanged."""
    return methods.chosen(name)


def stored_method(method: Method) -> str | list[Any]:
    """Return a method without its options as plain data; raise `ModelError` for one that was made by hand."""
    known = methods.get(method.name)
    if known is not None and known.recipe == method.recipe:
        return method.name
    if method.recipe is None:
        raise ModelError(
            f"method {method.name!r} was made by hand, and its run cannot be stored. Use one of tm.methods."
        )
    return list(method.recipe)


def read_method(stored: str | list[Any]) -> Method:
    """Return the method that `stored_method` has written."""
    if isinstance(stored, str):
        return method_named(stored)
    if stored[0] not in MAKERS:
        raise ModelError(f"no method is made by {stored[0]!r}; known: {', '.join(MAKERS)}.")
    found: Method = getattr(methods, stored[0])(**stored[1])
    return found


class Chosen(NamedTuple):
    """A method for a run with the options that were set.

    Attributes:
        method: The method with its starter, its error controlled where it has no step.
        step: Length of its steps [s], or None.
        max_steps: Number of steps at which the run stops.
    """

    method: Method
    step: float | None
    max_steps: int


def chosen_method(method: str | Method, size: int = 0) -> Chosen:
    """Return a method ready for a run.

    Args:
        method: A name or an object of ``tm.methods``.
        size: Number of integrated states, where the states after the first steps may be the starter.
    """
    found = method_named(method)
    step, starter = (found.options.get(key) for key in ("step", "starter"))
    if starter is not None and not isinstance(starter, str) and not size:
        raise ModelError(
            f"{found.noun} {found.name!r}: starter must be the name of a method here, but it is {short(starter)}."
        )
    ready = found if starter is None or found.with_starter is None else found.with_starter(starter, size)
    if ready.fixed and not ready.can_control and step is None:
        shown = repr(found)
        given = f"{shown[:-1]}, step=...)" if shown.endswith(")") else f"{shown}(step=...)"
        raise ModelError(f"method {found.name!r} has no error control. Give the length of its steps: method={given}.")
    return Chosen(with_steps(ready, step), step, found["max_steps"])


def with_steps(method: Method, time_step: float | None) -> Method:
    """The method with steps of a given length, or with its error controlled where none is given and it can."""
    if time_step is None and method.fixed and method.can_control:
        return replace(method, fixed=False, treatments=CONTROLLED_WITH)
    return method


def unsolved(method: Method, time_step: float, where: str) -> str:
    """The sentence for an implicit step whose equations cannot be solved, worst in one of them."""
    worst = f", worst in {where}" if where else ""
    other = "" if method.implicit else ", or take a method for stiff equations such as 'bdf4'"
    remedy = f"shorten the step of {time_step:g}{other}" if method.fixed else "look for a force that jumps there"
    return f"the iteration of method {method.name!r} for the next step does not converge{worst}; {remedy}."
