"""The analysis of every variant: its options, output times and results."""

from __future__ import annotations

import functools
import inspect
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ParamSpec, TypeVar

import numpy as np
from numpy.typing import NDArray

from pytrammel._util.messages import brief, short, unknown_option
from pytrammel._util.progress import analysis_scope
from pytrammel.analysis.added_names import added_owners
from pytrammel.analysis.gradients.rest import mode_value
from pytrammel.analysis.options import instants_of
from pytrammel.errors import ModelError, distinct
from pytrammel.model.base import Model
from pytrammel.results.result import Result

Array = NDArray[np.float64]
P = ParamSpec("P")
R = TypeVar("R")
ANALYSES = ("kinematics", "simulate", "inverse_dynamics", "statics", "equilibrium", "modes")
AT_REST = ("equilibrium", "modes")


def options_of(verb: str) -> list[str]:
    """Return the options of an analysis."""
    return [key for key in inspect.signature(getattr(Model, verb)).parameters if key != "model"]


def with_analysis_options(function: Callable[P, R]) -> Callable[P, R]:
    """Check the names of all options of a function that hands some of them on to the analysis of its argument ``analysis``."""
    parameters = inspect.signature(function).parameters
    own = [key for key, p in parameters.items() if p.kind is not p.VAR_KEYWORD and key != "model"]

    @functools.wraps(function)
    def careful(*args: P.args, **given: P.kwargs) -> R:
        name = given.get("analysis", parameters["analysis"].default)
        if isinstance(name, str) and name in ANALYSES:
            verb = "equilibrium" if name in AT_REST else name
            known = [*own, *(key for key in options_of(verb) if key not in own)]
            for key in given:
                if key not in known:
                    raise unknown_option(function.__name__, key, known)
        return function(*args, **given)

    return careful


@brief
@dataclass(frozen=True)
class Analysis:
    """Analysis of every variant.

    Attributes:
        name: Name of the analysis.
        options: Its arguments.
    """

    name: str
    options: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.name not in ANALYSES:
            raise ModelError(f"analysis is {short(self.name)}; it can be one of: {', '.join(ANALYSES)}.")
        known = options_of(self._verb)
        for key in self.options:
            if key not in known:
                raise unknown_option(self._verb, key, known)

    @property
    def _verb(self) -> str:
        return "equilibrium" if self.at_rest else self.name

    @property
    def at_rest(self) -> bool:
        """Return True if the analysis has no output times."""
        return self.name in AT_REST

    @property
    def owners(self) -> tuple[str, ...]:
        """Names before the dot of quantities that only this analysis has."""
        return added_owners(self.name, self.options)

    @property
    def times(self) -> Array:
        """Output times [s]; none at rest."""
        usual: dict[str, Any] = {"duration": None, "samples": 201, "step": None, "times": None, "start": 0.0}
        if self.at_rest or self.name == "statics":
            return np.zeros(0)
        return instants_of(1, *(self.options.get(key, value) for key, value in usual.items()))

    def at_times(self, times: Array) -> Analysis:
        """Return this analysis at other output times."""
        kept = {key: x for key, x in self.options.items() if key not in ("duration", "samples", "step", "start")}
        return Analysis(self.name, kept | {"times": times})

    @property
    def quiet(self) -> dict[str, Any]:
        """Options that hide the progress of a run."""
        return {"progress": False} if self.name in ("kinematics", "simulate", "inverse_dynamics") else {}

    def run(self, model: Model) -> Result:
        """The result, without its warnings being printed."""
        return self.looked(model, ())[0]

    def looked(self, model: Model, quantities: Sequence[str]) -> tuple[Result, dict[str, Array]]:
        """The result, and quantities of it by name, shape (n,)."""
        with analysis_scope(), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found: Any = getattr(model, self._verb)(**(self.quiet | dict(self.options)))
            result: Result = found.result if self.at_rest else found
            modes = {name: np.array([mode_value(found, name)]) for name in quantities if self.is_of_mode(name)}
        if self.at_rest:
            result = replace(result, warnings=distinct([*found.warnings, *result.warnings]))
        usual = [name for name in quantities if name not in modes]
        columns = result._columns(usual)
        return result, modes | {name: values for name, (values, _) in zip(usual, columns, strict=True)}

    def is_of_mode(self, name: str) -> bool:
        """Return True if a quantity belongs to a mode, which has no column in a result."""
        return self.at_rest and name.partition(".")[0] in self.owners
