"""What a model consists of, by name; names are unique."""

from __future__ import annotations

import re
from abc import ABC
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any

from pytrammel._util.messages import nearest, short
from pytrammel.errors import ModelError
from pytrammel.expressions.expression import Expression
from pytrammel.expressions.tables import Table
from pytrammel.forces.force import Force
from pytrammel.joints.constraint import Constraint
from pytrammel.model.arguments.recorded import Said
from pytrammel.model.bodies import GROUND
from pytrammel.model.parameters import Parameter
from pytrammel.model.phases import Phase, Switch
from pytrammel.model.quantities.coordinates import Coordinates
from pytrammel.model.quantities.quantity import Turn
from pytrammel.units import LENGTH_UNITS

RESERVED = {
    "t": "time",
    "energy": "the energies",
    "system": "all moving bodies",
}  # names of results that a part would hide
_DOTTED = re.compile(r"[^\W\d]\w*(?:\.[^\W\d]\w*)*")  # a name, with the names of subsystems before it


class Parts(ABC):
    """Bodies, points, joints, forces, phases and named numbers of a model.

    Attributes:
        name: Title of the model.
        display_unit: Length unit of printed tables and pictures.
        space: Names of the coordinates.
    """

    space: Coordinates

    def __init__(self, name: str, display_unit: str, ground: Any) -> None:
        """Start an empty model.

        Args:
            name: Title of the model.
            display_unit: Length unit of printed tables and pictures.
            ground: The fixed body.
        """
        if not isinstance(name, str):
            raise ModelError(f"the name of a model must be a text, but it is {short(name)}.")
        if not name.isprintable():
            raise ModelError(
                f"the name of a model is {short(name)}, but it must be one line without control characters. Remove them."
            )
        if not isinstance(display_unit, str) or display_unit not in LENGTH_UNITS:
            known = ", ".join(LENGTH_UNITS)
            raise ModelError(f"display_unit of the model is {short(display_unit)} but must be one of: {known}.")
        self.name = name
        self.display_unit = display_unit
        self.folder: Path | None = None  # of the file it was read from, where mesh files are looked for
        self._bodies: dict[str, Any] = {GROUND: ground}
        self._points: dict[str, Any] = {}
        self._constraints: dict[str, Constraint] = {}
        self._forces: dict[str, Force] = {}
        self._phases: dict[str, Phase] = {}
        self._switches: dict[str, Switch] = {}
        self._groups: dict[str, tuple[str, ...]] = {}
        self._turns: dict[str, Turn] = {}
        self._states: dict[str, str] = {}  # name in formulas, and the force that has it
        self._naming = ""  # of a state that is being described
        self._parameters: dict[str, Parameter] = {}
        self._tables: dict[str, Table] = {}
        self._curves: dict[str, Any] = {}
        self._definitions: dict[str, Expression] = {}
        self._defined: dict[tuple[str, str], Any] = {}  # tables, curves and named formulas as they were given
        self._said: dict[str, Said] = {}  # everything that was described, in order
        self._prefixes: set[str] = set()  # of dotted names

    @property
    def ground(self) -> Any:
        """The fixed body; its frame is the global frame."""
        return self._bodies[GROUND]

    @property
    def bodies(self) -> Mapping[str, Any]:
        """All bodies by name, ground first."""
        return MappingProxyType(self._bodies)

    @property
    def points(self) -> Mapping[str, Any]:
        """All named points by name."""
        return MappingProxyType(self._points)

    @property
    def constraints(self) -> Mapping[str, Constraint]:
        """All joints, constraints and drivers by name, in the order they were added."""
        return MappingProxyType(self._constraints)

    @property
    def forces(self) -> Mapping[str, Force]:
        """All force elements by name; gravity is apart."""
        return MappingProxyType(self._forces)

    @property
    def turns(self) -> Mapping[str, Turn]:
        """Angles in space whose turns are counted, by name."""
        return MappingProxyType(self._turns)

    @property
    def phases(self) -> Mapping[str, Phase]:
        """All phases by name, the one a run starts in first."""
        return MappingProxyType(self._phases)

    @property
    def switches(self) -> Mapping[str, Switch]:
        """All switches between phases by name."""
        return MappingProxyType(self._switches)

    @property
    def groups(self) -> Mapping[str, tuple[str, ...]]:
        """Bodies taken together, by name."""
        return self._groups

    @property
    def states(self) -> Mapping[str, str]:
        """Names of quantities that are integrated along with the motion or put out by controllers, and what each belongs to."""
        return self._states

    @property
    def parameters(self) -> Mapping[str, Parameter]:
        """Named numbers, with their formulas and values."""
        return self._parameters

    @property
    def definitions(self) -> Mapping[str, Expression]:
        """Formulas by the names that `define` gave them, with parameters put in."""
        return self._definitions

    @property
    def tables(self) -> Mapping[str, Table]:
        """Tables that texts of formulas may call."""
        return self._tables

    def __getitem__(self, name: str) -> Any:
        """Body, joint, driver or point by name."""
        for group in (self._bodies, self._constraints, self._forces, self._points):
            if isinstance(name, str) and name in group:
                return group[name]
        if not isinstance(name, str):
            raise ModelError(f"the name of a body, joint, driver or point must be a text, but it is {short(name)}.")
        raise self._unknown(name, "body, joint, driver or point", self._all_names())

    def __contains__(self, name: object) -> bool:
        groups = (self._bodies, self._constraints, self._points, self._forces)
        return isinstance(name, str) and any(name in group for group in groups)

    def shown(self, place: Sequence[float], digits: int = 6) -> str:
        """A place in the model's unit of length, e.g. "(40, 0) mm"."""
        factor = LENGTH_UNITS[self.display_unit]
        return f"({', '.join(f'{round(x / factor, 12) + 0.0:.{digits}g}' for x in place)}) {self.display_unit}"

    def _all_names(self) -> list[str]:
        return [*self._bodies, *self._constraints, *self._forces, *self._points]

    def _check_new_name(self, name: str, what: str) -> None:
        if not isinstance(name, str) or not _DOTTED.fullmatch(name):
            raise ModelError(
                f"{name!r} cannot be the name of a {what}: use letters, digits and underscores, starting with a letter "
                "(names appear in formulas such as 'crank.x')."
            )
        if name in RESERVED:
            raise ModelError(
                f"{name!r} cannot be the name of a {what}: it stands for {RESERVED[name]} in formulas and results. Use another name."
            )
        taken = (
            name in self._bodies or name in self._constraints or name in self._points or name in self._forces
            or name in self._phases or name in self._switches or name in self._groups or name in self._states
            or name in self._definitions
        )  # fmt: skip
        if taken:
            raise ModelError(f"the name {name!r} is taken already in model {self.name!r}; names must be unique.")
        if name in self._prefixes:
            raise ModelError(
                f"the name {name!r} is that of a subsystem already in model {self.name!r}; choose another."
            )
        if "." not in name:
            return
        pieces = name.split(".")
        for k in range(1, len(pieces)):
            prefix = ".".join(pieces[:k])
            if prefix in self:
                raise ModelError(
                    f"{name!r} cannot be the name of a {what}: {prefix!r} is not a subsystem, but a part of the model."
                )
            self._prefixes.add(prefix)

    def _unknown(self, name: str, what: str, known: Iterable[str]) -> ModelError:
        names = list(known)
        alike = (known for known in names if abs(len(known) - len(str(name))) <= max(2, len(str(name)) // 2))
        near = nearest(name, alike)  # 'rod' is no slip of 'ground'
        hint = f" Did you mean {near!r}?" if near else f" Known: {', '.join(names[:12]) or 'none'}."
        return ModelError(f"there is no {what} {short(name)} in model {self.name!r}.{hint}")
