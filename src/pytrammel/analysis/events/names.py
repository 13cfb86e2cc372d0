"""Names in formulas of events: measured quantities, and what only a result has."""

from __future__ import annotations

from pytrammel.errors import ModelError
from pytrammel.expressions.expression import Expression
from pytrammel.model.base import Model
from pytrammel.results.quantities import history_of


def is_measured(model: Model, formula: Expression) -> bool:
    """Return True if a formula uses only measured quantities, their rates and t."""
    for key in formula.names - {"t"}:
        try:
            if model.law_input(key, "an event").quantity is None:
                return False
        except ModelError:
            return False
    return True


def check_names(model: Model, user: str, formula: Expression) -> None:
    """Raise `ModelError` if a name stands for what is collected along a run."""
    for key in sorted(formula.names - {"t"}):
        reason = history_of(model, key)
        if reason:
            raise ModelError(f"{user}: {key!r} cannot be watched, because it {reason}. Watch a quantity of one state.")
