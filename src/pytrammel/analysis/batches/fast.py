"""Compiled ways through many variants at once: what they need, and when they cannot be had."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from pytrammel.analysis.batches.columns import Motion
from pytrammel.expressions.breakpoints import corners_of
from pytrammel.expressions.expression import Expression
from pytrammel.forces.force import Force
from pytrammel.joints.constraint import Constraint
from pytrammel.model.base import Model
from pytrammel.model.parameters import free_parameters, names_used
from pytrammel.system.parameter_map import ParameterMap, Variants

Array = NDArray[np.float64]


class NotFast(Exception):
    """The compiled way does not do this: all variants are run one by one, which gives the same."""


class Fast(Protocol):
    """A compiled way through many variants of one model.

    Attributes:
        columns: Where the wanted quantities are found: objects with `of(motion, measured)` and `measure`.
        measured: Names of the measured quantities.
        straight: Whether its kernels are written out for the structure of the model.
        loose: Whether its answers are those of single runs to what the tolerance leaves, not to the last bit.
    """

    columns: Mapping[str, Any]
    measured: list[str]
    straight: bool
    loose: bool

    def pays(self, count: int, values: Array, states: Array) -> bool:
        """Return True if writing kernels out saves more time than it takes for so many variants as these: counted, not measured."""

    def write_out(self) -> None:
        """Have kernels written out for this structure, which give the same numbers; `NotStraightError` where that cannot be."""

    def run(self, values: Array, states: Array) -> tuple[NDArray[np.int64], Motion]:
        """Which variants were done, and their motion; the others are to be run one by one."""


def fast_ways(device: str) -> list[Mapping[str, Any]]:
    """Makers of compiled ways by the name of the verb, the best first; each raises `NotFast` where it cannot be had."""
    from pytrammel.analysis.batches.fast_dynamics import FastDynamics
    from pytrammel.analysis.batches.fast_kinematics import FastKinematics
    from pytrammel.analysis.batches.fast_rest import FastRest

    general = {"kinematics": FastKinematics, "simulate": FastDynamics, "equilibrium": FastRest}
    if device not in ("specialized", "gpu"):
        return [general]
    from pytrammel.analysis.batches.straight import StraightDynamics, StraightKinematics

    loose = {
        "kinematics": partial(StraightKinematics, device=device), "simulate": partial(StraightDynamics, device=device),
    }  # fmt: skip
    return [loose, general]


def refuse_options(verb: Callable[..., Any], options: Mapping[str, Any], taken: Sequence[str]) -> None:
    """Refuse options other than some, unless they say what a verb does anyway."""
    for key, parameter in inspect.signature(verb).parameters.items():
        given, usual = options.get(key, parameter.default), parameter.default
        nothing = usual == () and isinstance(given, Sequence) and not given
        if (
            key not in taken
            and given is not usual
            and not nothing
            and not (type(given) is type(usual) and given == usual)
        ):
            raise NotFast(f"{key}= is given")


def has_corners(formula: Expression) -> bool:
    """Return True if a formula of time may have corners or jumps."""
    return any("t" in corner.argument.names for node in formula.nodes() for corner in corners_of(node))


def goals_of(constraint: Constraint) -> list[Expression]:
    """Targets of a constraint that depend on time."""
    return [goal for block in constraint.blocks for goal in block.targets if isinstance(goal, Expression)]


def may_depend(model: Model, part: Constraint | Force, names: Sequence[str]) -> bool:
    """Return True if what was said about a constraint or force may depend on some parameters."""
    said = model._said.get(part.name)
    if said is None:
        return True
    own = list(said.arguments.values())
    # named formulas, tables and parameters that follow others may hide them
    hidden = {*model.definitions, *model.tables, *(model.parameters.keys() - set(free_parameters(model)))}
    known = dict.fromkeys([*names, *hidden])
    return bool(names_used(own, known))


def numbers_of(parameters: ParameterMap, names: Sequence[str], values: Array) -> Variants:
    """Numbers of variants in which some of the free parameters vary."""
    if not names:
        return parameters.at(parameters.values[None]).repeated(len(values))
    table = np.tile(parameters.values, (len(values), 1))
    table[:, [parameters.names.index(name) for name in names]] = values
    return parameters.at(table)


def whole_or(chosen: NDArray[np.bool_]) -> NDArray[np.bool_] | slice:
    """An index for what is chosen; where that is everything, one that copies nothing."""
    return slice(None) if chosen.all() else chosen
