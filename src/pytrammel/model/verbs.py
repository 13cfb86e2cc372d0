"""What a model can do: the analyses as methods, each with the options and the help of the function that does it."""

from __future__ import annotations

import functools
import importlib
import inspect
from collections.abc import Callable, Mapping
from types import MethodType
from typing import Any

from pytrammel.errors import ModelError


class Verb:
    """A function of a model as a method; its module is imported when the method is first looked at."""

    def __init__(
        self,
        home: str,
        given: Callable[[Any], tuple[Any, Mapping[str, Any]]] | None = None,
        usual: Callable[[Any], Mapping[str, Any]] | None = None,
    ) -> None:
        """Say where the function is.

        Args:
            home: Its module; its name is that of the method.
            given: For objects other than models: which model it is about, and the options that the object fixes.
            usual: Default values of other options for that object.
        """
        self.home = home
        self.given = given
        self.usual = usual

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    def __get__(self, owner: Any, kind: type | None = None) -> Any:
        function = getattr(importlib.import_module(self.home), self.name)
        if owner is None:
            return function
        if self.given is None:
            return MethodType(function, owner)
        return _with_options(function, *self.given(owner), {} if self.usual is None else self.usual(owner))


def _with_options(
    function: Callable[..., Any], model: Any, fixed: Mapping[str, Any], usual: Mapping[str, Any]
) -> Callable[..., Any]:
    """A verb whose model and some of whose options are given already."""

    @functools.wraps(function)
    def method(*args: Any, **given: Any) -> Any:
        for key in fixed:
            if key in given:
                raise ModelError(f"{function.__name__} is about this position already; leave {key}= out.")
        # output times have their own start
        unsaid = {key: value for key, value in usual.items() if key != "start_time" or given.get("times") is None}
        return function(model, *args, **fixed, **{**unsaid, **given})

    known = inspect.signature(function)
    kept = [
        p.replace(default=usual.get(key, p.default))
        for key, p in list(known.parameters.items())[1:]
        if key not in fixed
    ]
    method.__signature__ = known.replace(parameters=kept)  # type: ignore[attr-defined]
    return method


class Verbs:
    """Methods of `Model`; `typed_methods.pyi` gives them the types of their functions."""

    assemble = Verb("pytrammel.analysis.positions.assembly")
    mobility = Verb("pytrammel.analysis.freedom.mobility")
    partition = Verb("pytrammel.analysis.freedom.partition")
    kinematics = Verb("pytrammel.analysis.driven.kinematics")
    simulate = Verb("pytrammel.analysis.runs.dynamics")
    statics = Verb("pytrammel.analysis.driven.statics")
    inverse_dynamics = Verb("pytrammel.analysis.driven.statics")
    equilibrium = Verb("pytrammel.analysis.rest.equilibrium")
    equilibria = Verb("pytrammel.analysis.rest.equilibria")
    potential_energy = Verb("pytrammel.analysis.rest.potential")
    trim = Verb("pytrammel.analysis.rest.design_at_rest")
    continue_equilibrium = Verb("pytrammel.analysis.rest.continuation")
    linearize = Verb("pytrammel.analysis.small_motions.linearize")
    matrices = Verb("pytrammel.analysis.study.matrices")
    batch = Verb("pytrammel.analysis.batches.batch")
    terms = Verb("pytrammel.analysis.study.terms")
    gradient = Verb("pytrammel.analysis.gradients.verbs")
    value_and_grad = Verb("pytrammel.analysis.gradients.verbs")
    prepare = Verb("pytrammel.analysis.runs.prepare")
    functions = Verb("pytrammel.analysis.functions.functions")
    assembly_modes = Verb("pytrammel.analysis.robotics.modes")
    working_modes = Verb("pytrammel.analysis.robotics.modes")
    inverse_kinematics = Verb("pytrammel.analysis.robotics.inverse_kinematics")
    workspace = Verb("pytrammel.analysis.robotics.workspace")
    manipulability = Verb("pytrammel.analysis.robotics.manipulability")
    time_optimal = Verb("pytrammel.analysis.robotics.time_optimal")
    optimize = Verb("pytrammel.design.optimization.optimize")
    tolerances = Verb("pytrammel.design.uncertainty.tolerances")
    identify = Verb("pytrammel.design.uncertainty.identify")
    live = Verb("pytrammel.view.animation.live_callback")
