"""Initial conditions of a run: values of quantities and rates, held quantities, and whether the start is corrected."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

from pytrammel._util.checks import checked, checked_bool, listed
from pytrammel._util.messages import short
from pytrammel.errors import ModelError
from pytrammel.model.quantities.quantity import Quantity


def checked_values(value: Any, label: str) -> Any:
    """A mapping of initial values by name."""
    if value is not None and (not isinstance(value, Mapping) or any(not isinstance(key, str) for key in value)):
        raise ModelError(f"{label} must be a mapping by name, {{'A': ...}}, but it is {short(value)}.")
    return value


def checked_hold(value: Any, label: str) -> tuple[Any, ...]:
    """Names or measured quantities to hold."""
    if isinstance(value, Mapping):
        raise ModelError(f"{label} must be a list of names or measured quantities, but it is {short(value)}.")
    names = (value,) if isinstance(value, str | Quantity) else listed(value, label)
    for name in names:
        if not isinstance(name, str | Quantity):
            raise ModelError(f"{label} must be a list of names or measured quantities, but it holds {short(name)}.")
    return names


class InitialConditions:
    """Initial values of a run with held quantities; a plain mapping of values is valid for ``initial=`` as well.

        m.simulate(5.0, initial=tm.InitialConditions({"A.angle": 0.3}, hold=["crank.x"]))

    Attributes:
        values: Initial values by name.
        hold: Quantities that keep their design values.
        correct: Whether positions and velocities are made consistent.
    """

    values: Mapping[str, Any]
    hold: tuple[str | Quantity, ...]
    correct: bool

    @checked("values", "hold", "correct")
    def __init__(
        self,
        values: Mapping[str, Any] | None = None,
        *,
        hold: str | Sequence[str | Quantity] = (),
        correct: bool = True,
    ) -> None:
        """Check and store the conditions.

        Args:
            values: Initial values of measured quantities, formulas and rates, which replace the design values:
                ``{"A.angle": 0.3, "A.angle.rate": 10.0, "P.x - Q.x": 0.1}`` [m, rad, m/s, rad/s]; the rate of a formula is
                ``{"(P.x - Q.x).rate": 0.0}``. They are met exactly, or an error is raised.
            hold: Quantities that the correction of the start keeps: coordinates ("crank.phi", "rod.rotation"), velocities
                ("crank.omega", "rod.wx"), any measured quantity, formula or rate ("A.angle", "P.x", "A.angle.rate").
            correct: Whether to make positions and velocities consistent with the constraints; False takes the design configuration.
        """
        values = {} if checked_values(values, "initial") is None else dict(values or {})
        held, corrected = checked_hold(hold, "hold"), checked_bool(correct, "correct")
        if not corrected and (values or held):
            word = "hold=" if held else "values"
            raise ModelError(
                f"InitialConditions: correct=False takes the design configuration, so that {word} would not be used. Remove {word} or "
                "correct=False."
            )
        for name, value in (("values", MappingProxyType(values)), ("hold", held), ("correct", corrected)):
            object.__setattr__(self, name, value)

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError(f"InitialConditions cannot be changed. Make new ones with {name}=.")

    __delattr__ = __setattr__  # type: ignore[assignment]

    def with_values(self, values: Mapping[str, Any]) -> InitialConditions:
        """Return the same conditions with more values."""
        return InitialConditions({**self.values, **values}, hold=self.hold, correct=self.correct)

    def plain(self) -> Any:
        """The mapping of values where it is all there is, else this object."""
        return self if self.hold or not self.correct else dict(self.values)

    def __repr__(self) -> str:
        given = [repr(dict(self.values))] if self.values else []
        given += [f"hold={list(self.hold)!r}"] if self.hold else []
        given += [] if self.correct else ["correct=False"]
        return f"tm.InitialConditions({', '.join(given)})"

    def _identity(self) -> tuple[Any, ...]:
        return dict(self.values), self.hold, self.correct

    def __eq__(self, other: object) -> bool:
        return self._identity() == other._identity() if isinstance(other, InitialConditions) else NotImplemented

    def __hash__(self) -> int:
        return hash((frozenset(self.values), len(self.hold), self.correct))

    def __reduce__(self) -> tuple[Any, ...]:
        return _made_again, self._identity()


def _made_again(values: Mapping[str, Any], hold: tuple[Any, ...], correct: bool) -> InitialConditions:
    return InitialConditions(values, hold=hold, correct=correct)


def initial_conditions(given: Any, label: str = "initial") -> InitialConditions:
    """Return initial conditions from a mapping of values, from themselves, or from None."""
    if isinstance(given, InitialConditions):
        return given
    if given is not None and not isinstance(given, Mapping):
        raise ModelError(
            f"{label} must be a mapping by name, {{'A.angle': 0.3}}, or tm.InitialConditions, but it is {short(given)}."
        )
    return InitialConditions(checked_values(given, label))


def with_values(given: Any, values: Mapping[str, Any]) -> Any:
    """Return initial conditions with more values: a mapping unless quantities are held."""
    return initial_conditions(given).with_values(values).plain()


def read_initial(given: Any, label: str) -> Any:
    """Initial conditions as model files write them: values by name, or a table with ``values``, ``hold`` and ``correct``."""
    if not isinstance(given, Mapping) or not any(
        isinstance(given.get(key), kind) for key, kind in (("values", Mapping), ("hold", list | str), ("correct", bool))
    ):
        return given
    wrong = [key for key in given if key not in ("values", "hold", "correct")]
    if wrong:
        raise ModelError(f"{label} has {wrong[0]!r} next to values, hold and correct. Put it into values = {{...}}.")
    return InitialConditions(given.get("values"), hold=given.get("hold", ()), correct=given.get("correct", True))
