"""What was asked of an optimisation, checked: formulas, limits, parameters and their bounds."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pytrammel.design.analysis import VariantAnalysis
from pytrammel.design.argument_checks import by_name, listed
from pytrammel.design.argument_checks import names as names_of
from pytrammel.design.optimization.goals import (
    Objective,
    Words,
    read_formula,
    read_limits,
    read_objective,
    refuse_constant,
)
from pytrammel.design.optimization.problem import Problem
from pytrammel.design.optimization.units import refuse_other_units
from pytrammel.design.variant_runs import Trials
from pytrammel.errors import ModelError
from pytrammel.model.base import Model
from pytrammel.model.limits import check_within, kept_as, read_bounds
from pytrammel.model.parameters import checked_free, following, free_parameters
from pytrammel.results.formulas.reductions import Reduction

Array = NDArray[np.float64]

WITHIN = (
    2e-7  # margin of limits that stand for bounds, above what searches may miss: values beyond bounds raise an error
)


class Task:
    """What was asked for, checked: formulas, limits, parameters and their bounds."""

    def __init__(
        self,
        model: Model,
        *,
        analysis: VariantAnalysis,
        variables: Sequence[str] | None,
        bounds: Mapping[str, Sequence[Any]] | None,
        data: Mapping[str, Any] | None,
        subject_to: str | Sequence[str] = (),
        minimize: str | None = None,
        maximize: str | None = None,
        least_squares: Sequence[str] | None = None,
        allow_singular: bool = False,
    ) -> None:
        self.model, self.analysis, self.words = model, analysis, Words(model, data, analysis)
        asked = {"minimize": minimize, "maximize": maximize, "least_squares": least_squares}
        given = [key for key, what in asked.items() if what is not None]
        if len(given) != 1:
            told = f"{' and '.join(given)} are given" if given else "none is given"
            raise ModelError(f"optimize takes one of minimize=, maximize= and least_squares=; {told}.")
        self.objective: Objective | None = None
        self.residuals: tuple[Reduction, ...] = ()
        if least_squares is not None:
            wanted = listed(least_squares, "least_squares")
            self.residuals = tuple(read_formula(self.words, each, "least_squares") for each in wanted)
            if not wanted:
                raise ModelError("least_squares= is empty; give formulas whose squares should be small.")
            for formula in self.residuals:
                refuse_constant(formula, "least_squares")
        else:
            what, sign = (minimize, 1.0) if minimize is not None else (maximize, -1.0)
            self.objective = read_objective(self.words, what, sign=sign)
        read = [limit for wish in listed(subject_to, "subject_to") for limit in read_limits(self.words, wish)]
        self.limits = list({limit.text: limit for limit in read}.values())  # said twice is said once
        self.names, self.low, self.high = bounded_parameters(model, variables, bounds, self.used)
        own = [limit for wish in bounds_of_followers(model, self.names) for limit in read_limits(self.words, wish)]
        self.limits = list({limit.text: limit for limit in [*self.limits, *own]}.values())
        scales = ranges(model, self.names, self.low, self.high)
        self.trials = Trials(model, self.names, analysis, self.formulas, scales, singular=allow_singular)

    @property
    def formulas(self) -> list[Reduction]:
        """Everything that is wanted of a run."""
        out = list(self.residuals)
        if self.objective is not None:
            out += [self.objective.formula, *self.objective.tops]
        for limit in self.limits:
            out += [limit.left, limit.right, *limit.parts]
        return out

    @property
    def used(self) -> set[str]:
        """Parameters that formulas use directly."""
        return {name for formula in self.formulas for name in formula.parameters}

    @property
    def text(self) -> str:
        """What is asked for, in words."""
        if self.objective is None:
            return f"half the sum of squares of {', '.join(f.text for f in self.residuals)}"
        return f"{self.objective.verb} of {self.objective.text}"

    @property
    def sign(self) -> float:
        """-1 if large is good."""
        return self.objective.sign if self.objective is not None else 1.0

    def refuse_other_units(self) -> None:
        """Limits whose numbers have units that do not fit what they limit; the model can be run."""
        spoken = [limit for limit in self.limits if limit.unit is not None]
        names = sorted({name for limit in spoken for side in (limit.left, limit.right) for name in side.quantities})
        usual = [name for name in names if not self.analysis.is_of_mode(name)]
        columns = self.analysis.run(self.model)._columns(usual) if usual else []
        units = {name: unit for name, (_, unit) in zip(usual, columns, strict=True)}
        for limit in spoken:
            refuse_other_units(limit, units, self.model.parameters)

    @property
    def idle(self) -> bool:
        """Whether the objective is a formula of parameters alone, none of which changes with what is varied."""
        formulas = self.residuals if self.objective is None else (self.objective.formula,)
        used = {name for formula in formulas for name in formula.parameters}
        if any(formula.quantities for formula in formulas):
            return False
        now, other = (self.trials._numbers(self.trials.start + share * self.trials.scales) for share in (0.0, 1e-3))
        return all(now[name] == other[name] for name in used)

    def problem(self, notice: Callable[[Problem], None] | None = None) -> Problem:
        return Problem(self.trials, self.objective, self.residuals, self.limits, (self.low, self.high), notice)

    def need_finite_bounds(self, why: str) -> None:
        for name, low, high in zip(self.names, self.low, self.high, strict=True):
            if not math.isfinite(high - low):
                raise ModelError(
                    f"{why} searches whole ranges, but the parameter {name!r} has none; give bounds={{{name!r}: (least, greatest)}}."
                )


def bounded_parameters(
    model: Model,
    variables: Sequence[str] | None,
    bounds: Mapping[str, Sequence[Any]] | None,
    used: set[str],
    *,
    what: str = "optimize",
) -> tuple[tuple[str, ...], Array, Array]:
    """Parameters to vary and their bounds, SI; infinite where there are none."""
    given = by_name(bounds, "bounds", "(least, greatest)")
    if variables is None:
        free = free_parameters(model)
        own = [name for name in free if any(map(math.isfinite, model.parameters[name].bounds))]
        names = [name for name in free if name in own or name in given]
        names += [name for name in given if name not in names]  # refused below, with the reason
        bounded = names
        names = [name for name in names if name in given or name in used or name not in model.unused_parameters]
        if bounded and not names:
            raise ModelError(
                f"{what}: model {model.name!r} does not use {', '.join(map(repr, bounded))}; no other parameter has bounds, so that there "
                "is nothing to vary. Use a bounded parameter in the model, or give bounds to a parameter that it uses."
            )
        if not names:
            raise ModelError(
                f"{what}: no parameter of model {model.name!r} has bounds, so that there is nothing to vary; give them with "
                "m.parameter(…, bounds=(least, greatest)), as NAME = {value = …, bounds = […, …]} in a model file or as bounds=, or "
                "name parameters in variables=."
            )
    else:
        names = names_of(variables, "variables")
        if not names:
            raise ModelError(f"{what}: variables= is empty, so that there is nothing to vary; name parameters in it.")
    checked_free(model, [name for name in names if name not in used or name not in model.unused_parameters], what)
    for name in given:
        if name not in names:
            raise ModelError(f"bounds= are given for {name!r}, which is not varied; name it in variables= as well.")
    found = []
    for name in names:
        said = model.parameters[name]
        owner = f"parameter {name!r}"
        own_bounds = read_bounds(kept_as(given[name]), owner, said.dimension) if name in given else said.bounds
        check_within(said.value, own_bounds, owner)
        found.append(own_bounds)
    low, high = np.array(found, dtype=float).reshape(-1, 2).T
    return tuple(names), low, high


def bounds_of_followers(model: Model, names: Sequence[str]) -> list[str]:
    """Bounds of parameters that follow the varied ones by formulas, as limits."""
    found = []
    for name in following(model, names):
        low, high = model.parameters[name].bounds
        margin = WITHIN * max(abs(x) for x in (low, high, model.parameters[name].value) if math.isfinite(x))
        found += [f"{name} >= {low + margin!r}"] if math.isfinite(low) else []
        found += [f"{name} <= {high - margin!r}"] if math.isfinite(high) else []
    return found


def ranges(model: Model, names: Sequence[str], low: Array, high: Array) -> Array:
    """Largest change of each parameter: its range, or its magnitude."""
    now = np.abs([model.parameters[name].value for name in names])
    width = np.where(np.isfinite(high - low), high - low, np.where(now > 0.0, now, 1.0))
    return np.asarray(width, dtype=float)
