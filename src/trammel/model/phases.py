"""Phases: constraints that act only part of the time (Geneva wheels, walking mechanisms)."""

from __future__ import annotations

from dataclasses import dataclass

from trammel.model.expression import Expression
from trammel.sentences import brief


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
