"""The analysis of every variant: its results, without progress bars and printed warnings."""

from __future__ import annotations

import functools
import inspect
import warnings
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, ParamSpec, TypeVar

import numpy as np
from numpy.typing import NDArray

from pytrammel._util.progress import analysis_scope
from pytrammel.analysis.added_names import added_owners
from pytrammel.analysis.analysis import Analysis, chosen_analysis, refuse_options_of_analysis
from pytrammel.analysis.gradients.rest import mode_value
from pytrammel.errors import distinct
from pytrammel.model.base import Model
from pytrammel.results.result import Result

Array = NDArray[np.float64]
P = ParamSpec("P")
R = TypeVar("R")


def with_analysis(function: Callable[P, R]) -> Callable[P, R]:
    """Decorate a function with an argument ``analysis``: options of the analysis itself raise an error that names `Analysis`."""
    parameters = inspect.signature(function).parameters

    @functools.wraps(function)
    def careful(*args: P.args, **given: P.kwargs) -> R:
        analysis = given.get("analysis", parameters["analysis"].default)
        refuse_options_of_analysis(function.__name__, tuple(parameters), analysis, given)
        return function(*args, **given)

    return careful


class VariantAnalysis(Analysis):
    """Analysis of every variant of a model."""

    @property
    def owners(self) -> tuple[str, ...]:
        """Names before the dot of quantities that only this analysis has."""
        return added_owners(self.name, self.options)

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
            found: Any = getattr(model, self.verb)(**(self.quiet | dict(self.options)))
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


def variant_analysis(analysis: object, **given: Any) -> VariantAnalysis:
    """Return the analysis of every variant: an `Analysis`, or a name with ``duration``, ``samples`` and ``times``."""
    found = chosen_analysis(analysis, **given)
    return VariantAnalysis(found.name, **found.options)
