"""Phases: constraints that act only part of the time (Geneva wheels, walking mechanisms)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from pytrammel._util.messages import brief, short
from pytrammel.errors import ModelError
from pytrammel.expressions.expression import Expression, as_expression

if TYPE_CHECKING:
    from pytrammel.joints.constraint import Constraint
    from pytrammel.model.builder import Lookup


@brief
@dataclass(frozen=True)
class Phase:
    """A set of constraints that act together.

    Attributes:
        name: Name of the phase.
        active: Constraints that act in this phase (and in no phase that does not list them).
        hold: Those of them that keep whatever value they have when the phase begins, instead of their own target.
    """

    name: str
    active: tuple[str, ...]
    hold: tuple[str, ...] = ()


@brief
@dataclass(frozen=True)
class Switch:
    """Change from one phase to another when a formula of measured quantities and t passes zero.

    Attributes:
        name: Name of the switch.
        leave, enter: Names of the phases.
        when: Formula.
        direction: +1 when it rises through zero, -1 when it falls, 0 either way.
    """

    name: str
    leave: str
    enter: str
    when: Expression
    direction: int = 0


def make_phase(
    model: Lookup, name: str, *, active: Iterable[str | Constraint], hold: Iterable[str | Constraint]
) -> Phase:
    """A phase whose constraints are there."""
    for what, listed in (("active", active), ("hold", hold)):
        if isinstance(listed, str):
            raise ModelError(f"phase {name!r}: {what}={listed!r} must be a list of joints; write [{listed!r}].")
        bare = isinstance(listed, np.ndarray) and not listed.ndim
        if bare or not hasattr(listed, "__iter__") or isinstance(listed, type):
            raise ModelError(
                f"{what} of phase {name!r} must be a list of joints or their names, but it is {short(listed)}."
            )
    names = tuple(model._constraint_name(c, f"phase {name!r}") for c in active)
    held = tuple(model._constraint_name(c, f"phase {name!r}") for c in hold)
    for key in held:
        if model._constraints[key].is_driver:
            raise ModelError(
                f"phase {name!r} cannot hold {key!r}: a driver follows its motion. To keep what it drives where it is, hold "
                f"constrain() of the same quantity and list {key!r} in the other phases only."
            )
    return Phase(name, names + tuple(key for key in held if key not in names), held)


def make_switch(model: Lookup, name: str, leave: str, enter: str, *, when: str | Expression, direction: int) -> Switch:
    """A switch between phases that are there."""
    for phase in (leave, enter):
        if phase not in model._phases:
            raise model._unknown(phase, "phase", model._phases)
    expression = as_expression(when, f"condition of switch {name!r}")
    for key in expression.names - {"t"}:
        model.law_input(key, f"switch {name!r}")
    return Switch(name, leave, enter, expression, checked_direction(direction, f"switch {name!r}"))


def checked_direction(value: object, what: str) -> int:
    """+1 for rising, -1 for falling, 0 for either."""
    if (
        isinstance(value, bool)
        or not isinstance(value, int | float | np.integer | np.floating)
        or value not in (-1, 0, 1)
    ):
        raise ModelError(f"direction of {what} is {value!r}; it must be 1 (rising), -1 (falling) or 0 (either).")
    return int(value)
