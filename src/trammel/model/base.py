"""What planar and spatial models share: names, joints and forces as data, phases, copies, verbs."""

from __future__ import annotations

import copy
import difflib
import functools
import pickle
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from os import PathLike
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Self, TypeVar

import numpy as np

from trammel.errors import ModelError
from trammel.model import helpers
from trammel.model.assemblies import add_assembly, check_part, placement
from trammel.model.body import GROUND, checked_numbers
from trammel.model.constraint import Constraint
from trammel.model.coordinates import Coordinates
from trammel.model.copies import fill_copy, replay_all
from trammel.model.curve import AnyCurve
from trammel.model.expression import Expression, as_expression, variable
from trammel.model.force import Force, Input
from trammel.model.groups import CENTRE, SYSTEM, centre_measures, checked_group
from trammel.model.limits import Stated, kept_as
from trammel.model.measured import measured_formula
from trammel.model.parameters import (
    TAKEN,
    Parameter,
    evaluated,
    names_used,
    numbers_of,
    read_formula,
    resolved,
    restated,
)
from trammel.model.phases import Phase, Switch
from trammel.model.plain_values import as_curve, as_table
from trammel.model.quantity import Quantity, Turn
from trammel.model.said import Said, bound, built
from trammel.model.tables import Table
from trammel.model.units import LENGTH_UNITS
from trammel.model.verbs import Verbs
from trammel.sentences import short

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from trammel.view.diagrams.graph import JointGraph

B = TypeVar("B")
Place = Any  # a body, a point, or the name of one
_NAME = re.compile(r"[^\W\d]\w*")  # what formulas can read as one name
_DEFINED_BY = {"tables": "define_table", "curves": "define_curve", "formulas": "define"}
_DOTTED = re.compile(r"[^\W\d]\w*(?:\.[^\W\d]\w*)*")  # with the names of assemblies before it


class Model(Verbs, ABC):
    """Bodies, joints, drivers and forces of a mechanism; see `PlanarModel` and `SpatialModel`.

    Attributes:
        name: Title of the model.
        units: Length unit of printed tables and pictures.
        space: Names of the coordinates.
        account: For a model that was loaded from a robot file, what was ignored, approximated, renamed or merged; else None.
    """

    space: Coordinates

    def __init__(self, name: str, gravity: object, units: str, ground: Any) -> None:
        """Start an empty model.

        Args:
            name: Title of the model.
            gravity: Acceleration of gravity [m/s²].
            units: Length unit of printed tables and pictures.
            ground: The fixed body.
        """
        if not isinstance(name, str):
            raise ModelError(f"the name of a model must be a text, but it is {short(name)}.")
        if not isinstance(units, str) or units not in LENGTH_UNITS:
            raise ModelError(f"units {short(units)} are not known; use one of: {', '.join(LENGTH_UNITS)}.")
        self.name = name
        self.units = units
        self._bodies: dict[str, Any] = {GROUND: ground}
        self._points: dict[str, Any] = {}
        self._constraints: dict[str, Constraint] = {}
        self._forces: dict[str, Force] = {}
        self._phases: dict[str, Phase] = {}
        self._switches: dict[str, Switch] = {}
        self._turns: dict[str, Turn] = {}
        self._said: dict[str, Said] = {}  # everything that was described, in order
        self._parameters: dict[str, Parameter] = {}
        self._tables: dict[str, Table] = {}
        self._curves: dict[str, Any] = {}
        self._definitions: dict[str, Expression] = {}
        self._groups: dict[str, tuple[str, ...]] = {}
        self._naming = ""  # of a state that is being described
        self._states: dict[str, str] = {}  # name in formulas, and the force that has it
        self._defined: dict[tuple[str, str], Any] = {}  # tables, curves and named formulas as they were given
        self._placed_by: set[str] = set()  # parameters with which assemblies were made
        self._prefixes: set[str] = set()  # of dotted names
        self.folder: Path | None = None  # of the file it was read from, where mesh files are looked for
        self.analyses: dict[
            str, dict[str, Any]
        ] = {}  # what `trammel run` does with it: a verb and its options, by name
        self.gravity = gravity
        self.account: Any = None  # of a model from a robot file: what was not taken over as it stands
        self._redrawing = False  # a joint is being put on bodies that are drawn elsewhere than when it was described

    if TYPE_CHECKING:  # the joint methods are attached from the registry below

        def __getattr__(self, kind: str) -> Callable[..., Any]: ...

    # --- describing ----------------------------------------------------------------------------------------------

    @abstractmethod
    def body(self, name: str, **given: Any) -> Any:
        """Add a body."""

    @property
    def ground(self) -> Any:
        """The fixed body; its frame is the global frame."""
        return self._bodies[GROUND]

    def point(self, name: str, body: Place | None = None, *, at: object = None, local: object = None) -> Any:
        """Add a named point of interest, or look one up if only the name is given.

        Args:
            name: Unique name.
            body: Body it is fixed to.
            at: Global coordinates in the drawn pose [m], or
            local: body coordinates [m].
        """
        if body is None:
            if at is not None or local is not None:
                raise ModelError(f"point {name!r}: say on which body it is, with body=; 'ground' is one, too.")
            if not isinstance(name, str) or name not in self._points:
                raise self._unknown(name, "point", self._points)
            return self._points[name]
        places = {key: value for key, value in (("at", at), ("local", local)) if value is not None}
        return self._add(Model._make_point, "point", name, (), {"body": body, **places}, self._points)

    def _make_point(self, name: str, body: Place, *, at: object = None, local: object = None) -> Any:
        owner = self.body_of(body)
        if (at is None) == (local is None):
            axes = ", ".join(self.space.axes)
            raise ModelError(f"point {name!r}: give either at=({axes}), global, or local= in the body's frame.")
        if at is not None:
            return owner.at_global(*self.vector(at, f"at of point {name!r}"), name=name)
        return owner.at(*self.vector(local, f"local of point {name!r}"), name=name)

    def phase(self, name: str, *, active: Iterable[str | Constraint], hold: Iterable[str | Constraint] = ()) -> Phase:
        """Add a phase: constraints that act only while it lasts. The first phase added is the one a run starts in.

        Args:
            name: Name of the phase.
            active: Constraints that act in it, by name.
            hold: Those that keep the value they have when the phase begins (a foot that stays where it landed, a wheel
                that stays locked).
        """
        given = {"active": active, "hold": hold}
        made: Phase = self._add(Model._make_phase, "phase", name, (), given, self._phases)
        return made

    def _make_phase(self, name: str, *, active: Iterable[str | Constraint], hold: Iterable[str | Constraint]) -> Phase:
        for what, listed in (("active", active), ("hold", hold)):
            if isinstance(listed, str):
                raise ModelError(f"phase {name!r}: {what}={listed!r} must be a list of joints; write [{listed!r}].")
            bare = isinstance(listed, np.ndarray) and not listed.ndim
            if bare or not hasattr(listed, "__iter__") or isinstance(listed, type):
                raise ModelError(
                    f"{what} of phase {name!r} must be a list of joints or their names, but it is {short(listed)}."
                )
        names = tuple(self._constraint_name(c, f"phase {name!r}") for c in active)
        held = tuple(self._constraint_name(c, f"phase {name!r}") for c in hold)
        for key in held:
            if self._constraints[key].is_driver:
                raise ModelError(
                    f"phase {name!r} cannot hold {key!r}: a driver follows its motion. To keep what it drives where it is, hold "
                    f"constrain() of the same quantity and list {key!r} in the other phases only."
                )
        return Phase(name, names + tuple(key for key in held if key not in names), held)

    def switch(self, name: str, leave: str, enter: str, *, when: str | Expression, direction: int = 0) -> Switch:
        """Change phase when a formula of measured quantities and t passes zero.

        Args:
            name: Name of the switch.
            leave, enter: Names of the phases.
            when: Formula, e.g. ``"A.angle - pi/4"``.
            direction: +1 if it must rise through zero, -1 if it must fall, 0 either way.
        """
        given = {"leave": leave, "enter": enter, "when": when, "direction": direction}
        made: Switch = self._add(Model._make_switch, "switch", name, (), given, self._switches)
        return made

    def _make_switch(self, name: str, leave: str, enter: str, *, when: str | Expression, direction: int) -> Switch:
        for phase in (leave, enter):
            if phase not in self._phases:
                raise self._unknown(phase, "phase", self._phases)
        expression = as_expression(when, f"condition of switch {name!r}")
        for key in expression.names - {"t"}:
            self.law_input(key, f"switch {name!r}")
        return Switch(name, leave, enter, expression, checked_direction(direction, f"switch {name!r}"))

    def _add(
        self, builder: Callable[..., Any], kind: str, name: str, args: tuple[Any, ...], given: Mapping[str, Any],
        keep: dict[str, Any],
    ) -> Any:  # fmt: skip
        """Build something, keep it under its name, and remember how it was said."""
        self._check_new_name(name, kind)
        what = f"{kind} {name!r}"
        arguments = bound(builder, what, args, given)
        self._naming = name if kind == "state" else ""
        try:
            made = built(builder, what, self, name, evaluated(self, builder, what, arguments))
        finally:
            self._naming = ""
        keep[name] = made
        self._said[name] = Said(arguments)
        return made

    def parameter(
        self,
        name: str,
        value: float | str | Expression,
        *,
        bounds: Sequence[float | str | None] | None = None,
        tolerance: float | str | Sequence[float | str] | None = None,
        note: str = "",
    ) -> Expression:
        """Add a named number that formulas may use, or a formula of other parameters; it is kept as a formula when saved.

        Args:
            name: Unique name.
            value: A number (SI), a number with a unit (``"40 mm"``), or a formula of other parameters (``"0.4*rod"``, ``0.4*rod``).
            bounds: The least and the greatest value that designs may give it, either of them None: ``("20 mm", "60 mm")``.
            tolerance: By how much it may differ when it is made: one number for both sides (``"0.1 mm"``, ``"2 %"`` of its value), or
                (minus, plus).
            note: What it is for.

        Returns:
            Its name as a formula, to be given to builders wherever they take a number or a law: ``0.4*rod``, ``amp*tm.sin(tm.time)``.
        """
        if not isinstance(name, str) or not _NAME.fullmatch(name) or name in TAKEN:
            raise ModelError(
                f"{short(name)} cannot be the name of a parameter: use letters, digits and underscores, starting with a letter, and none "
                f"of {', '.join(TAKEN)}, which mean something in formulas."
            )
        found = variable(name)
        if name in self._definitions:
            raise ModelError(f"parameter {name!r}: there is a formula of that name already; choose another.")
        if name in self._parameters:
            raise ModelError(
                f"the parameter {name!r} is there already; m.with_parameters({name}=...) gives a changed model."
            )
        if not isinstance(note, str):
            raise ModelError(f"note of parameter {name!r} must be a text, but it is {short(note)}.")
        said = {key: kept.stated for key, kept in self._parameters.items()}
        self._parameters = resolved({**said, name: Stated(value, note, kept_as(bounds), kept_as(tolerance))})
        return found

    @property
    def parameters(self) -> Mapping[str, Parameter]:
        """Named numbers, with their formulas and values."""
        return self._parameters

    def assembly(
        self,
        name: str,
        part: Model,
        *,
        position: object = None,
        angle: object = None,
        rotation: object = None,
        ground: Place = GROUND,
    ) -> None:
        """Add all parts of another model under names of their own: ``m.assembly("left", leg)`` brings "left.crank", "left.A", ...

        Bodies are drawn where the placement puts them, joints and forces stay where they are on their bodies. What is said in global
        terms stays global: gravity, forces in space, coordinates in force laws.

        Args:
            name: What stands before the names of its parts.
            part: The model; it may be added several times.
            position: Where its origin goes, global, drawn pose [m].
            angle: By how much it is turned (in the plane) [rad].
            rotation: The same in space: Euler parameters or a rotation matrix.
            ground: Body that takes the place of its ground.
        """
        self._check_new_name(name, "assembly")
        check_part(self, part, name)
        given = {"position": position, "angle": angle, "rotation": rotation}
        found = evaluated(self, Model.assembly, f"assembly {name!r}", given)
        where = placement(self, **found)
        before = {key: copy.copy(value) for key, value in self.__dict__.items()}
        try:
            add_assembly(self, name, part, where, self.body_of(ground).name)
        except Exception:
            self.__dict__.update(before)  # all or nothing
            raise
        self._placed_by |= names_used(list(given.values()), self._parameters)

    def define_table(self, name: str, table: Table | Mapping[str, Any]) -> Table:
        """Make a table known by name, so that the texts of formulas may call it: ``"2*lift(t)"``.

        Args:
            name: How formulas call it.
            table: A table, or its points as plain data: ``{"x": [...], "y": [...], "kind": "periodic"}``.
        """
        what = f"table {name!r}"
        if not isinstance(name, str) or not _NAME.fullmatch(name) or name in self._tables:
            raise ModelError(f"{what} is there already or has no name that formulas can call; choose another name.")
        if not isinstance(table, Table | Mapping):
            raise ModelError(f"{what} must be a table or its points {{x, y}}, but it is {short(table)}.")
        made = as_table(self, table if isinstance(table, Table) else {"name": name, **table}, what, numbers_of(self))
        self._tables[name] = made
        self._defined[("tables", name)] = table
        return made

    def define_curve(self, name: str, curve: AnyCurve | Mapping[str, Any]) -> AnyCurve:
        """Make a curve known by name, so that joints and contacts may be given it as ``curve="outline"``.

        Args:
            name: How they call it.
            curve: A curve, or plain data: ``{"type": "circle", "radius": "40 mm"}``.
        """
        what = f"curve {name!r}"
        if name in self._curves or not isinstance(name, str):
            raise ModelError(f"{what} is there already; choose another name.")
        made = curve
        if isinstance(curve, Mapping):
            made = as_curve(self, {"name": name, **curve}, what, numbers_of(self))
        self._curves[name] = made
        self._defined[("curves", name)] = curve
        return made  # type: ignore[return-value]

    def define(self, name: str, formula: str | Expression) -> Expression:
        """Give a formula a name by which other formulas may use it: ``m.define("gap", "P.y - 0.1*sin(t)")``, then ``"-5000*min(gap, 0)"``.

        Args:
            name: Unique name, without dots.
            formula: Formula of t, measured quantities, parameters and formulas defined before it.

        Returns:
            Its name as a formula, for laws that are written in Python.
        """
        what = f"formula {short(name)}"
        if not isinstance(name, str) or not _NAME.fullmatch(name) or name in TAKEN:
            raise ModelError(
                f"{short(name)} cannot be the name of a formula: use letters, digits and underscores, starting with a letter, and none "
                f"of {', '.join(TAKEN)}, which mean something in formulas."
            )
        found = variable(name)
        if name in self._definitions or name in self._parameters or name in self._tables:
            kind = "parameter" if name in self._parameters else "table" if name in self._tables else "formula"
            raise ModelError(f"{what} cannot be defined: there is a {kind} of that name already; choose another.")
        if name in self or name in self._groups or name in self._states:  # results are asked for either by this name
            raise ModelError(f"{what} cannot be defined: a part of the model has that name; choose another.")
        if not isinstance(formula, str | Expression):
            raise ModelError(f"{what} must be a formula, but it is {short(formula)}; for a number use m.parameter.")
        made = read_formula(self, formula, what)
        if name in made.names:
            raise ModelError(f"{what} is defined by itself: {made}.")
        self._definitions[name] = made
        self._defined[("formulas", name)] = formula
        return found

    def group(self, name: str, bodies: Iterable[Place]) -> tuple[str, ...]:
        """Name some bodies together, to ask for their centre of mass, momentum and energy: "arm.com.x", "arm.momentum.x", "arm.kinetic".

        All moving bodies together are "system" without being named.

        Args:
            name: Unique name.
            bodies: Moving bodies.
        """
        self._check_new_name(name, "group")
        if name in self._groups or name == SYSTEM:
            raise ModelError(f"group {name!r} is there already; choose another name.")
        found = checked_group(self, name, bodies)
        self._groups[name] = found
        return found

    @property
    def states(self) -> Mapping[str, str]:
        """Names of quantities that are integrated along with the motion or put out by controllers, and what each belongs to."""
        return self._states

    @property
    def groups(self) -> Mapping[str, tuple[str, ...]]:
        """Bodies taken together, by name."""
        return self._groups

    def bar(self, name: str, start: Any, end: Any, *, mass: float, radius: float | None = None) -> Any:
        return helpers.bar(self, name, start, end, mass=mass, radius=radius)

    def disc(self, name: str, centre: Any, *, radius: float, mass: float) -> Any:
        return helpers.disc(self, name, centre, radius=radius, mass=mass)

    def beam(
        self,
        name: str,
        start: Any,
        end: Any,
        *,
        EI: float,
        mass: float,
        parts: int = 5,
        root: Place | None = GROUND,
        damping: float = 0.0,
    ) -> tuple[str, ...]:
        return helpers.beam(self, name, start, end, EI=EI, mass=mass, parts=parts, root=root, damping=damping)

    bar.__doc__, disc.__doc__, beam.__doc__ = helpers.bar.__doc__, helpers.disc.__doc__, helpers.beam.__doc__

    @property
    def definitions(self) -> Mapping[str, Expression]:
        """Formulas by the names that `define` gave them, with parameters put in."""
        return self._definitions

    @property
    def tables(self) -> Mapping[str, Table]:
        """Tables that texts of formulas may call."""
        return self._tables

    def table_named(self, name: object, user: str) -> Table:
        """Table by name."""
        if not isinstance(name, str) or name not in self._tables:
            raise self._unknown(str(name), f"table (in {user})", self._tables)
        return self._tables[name]

    def curve_named(self, name: str, user: str) -> AnyCurve:
        """Curve by name."""
        if name not in self._curves:
            raise self._unknown(name, f"curve (in {user})", self._curves)
        found: AnyCurve = self._curves[name]
        return found

    @property
    def unused_parameters(self) -> tuple[str, ...]:
        """Parameters that nothing uses, directly or through others."""
        known = self._parameters
        used = names_used([list(said.arguments.values()) for said in self._said.values()], known)
        used |= names_used([self._gravity_given, list(self._defined.values())], known) | self._placed_by
        waiting = list(used)
        while waiting:
            more = names_used(known[waiting.pop()].given, known) - used
            used |= more
            waiting += more
        return tuple(name for name in known if name not in used)

    def with_parameters(self, **values: float | str | Expression) -> Self:
        """The model that would have been described with other values of some parameters, within their bounds."""
        return self._with_parameters(values)

    def _with_parameters(self, values: Mapping[str, float | str | Expression], *, bounded: bool = True) -> Self:
        for name in values:
            if name not in self._parameters:
                raise self._unknown(name, "parameter", self._parameters)
        found = resolved(
            restated({key: kept.stated for key, kept in self._parameters.items()}, values), bounded=bounded
        )
        stale = [key for key in sorted(self._placed_by) if found[key].value != self._parameters[key].value]
        if stale:
            raise ModelError(
                f"assemblies were placed or made with the parameter {stale[0]!r}, and do not follow it; describe the model again, or "
                f"read its file with other values: tm.load(path, parameters={{...}})."
            )
        twin = type(self)(self.name, units=self.units)  # type: ignore[call-arg]
        twin._parameters = found
        twin.folder = self.folder
        for (section, key), given in self._defined.items():
            getattr(twin, _DEFINED_BY[section])(key, given)
        twin.gravity = self._gravity_given
        twin.analyses = dict(self.analyses)
        replay_all(self, twin)
        return twin

    @property
    def gravity(self) -> tuple[float, ...]:
        """Acceleration of gravity [m/s²]; units ("9.81 m/s^2") and formulas of parameters may be given."""
        return self._gravity

    @gravity.setter
    def gravity(self, gravity: object) -> None:
        given = evaluated(self, Model.__init__, "the model", {"gravity": gravity})["gravity"]
        self._gravity = self.vector(given, "gravity")
        self._gravity_given = gravity

    def save(self, path: str | PathLike[str]) -> Path:
        """Write the model as a file that `trammel.load` reads back to the same model: .toml, .json or .yaml.

        Raises:
            ModelError: Something in it cannot be written, such as a Python function as a force law; the sentence says what to do.
        """
        from trammel.files.model_file import save

        return save(self, path)

    # --- looking things up ---------------------------------------------------------------------------------------

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

    def __getitem__(self, name: str) -> Any:
        """Body, joint, driver or point by name."""
        for group in (self._bodies, self._constraints, self._forces, self._points):
            if isinstance(name, str) and name in group:
                return group[name]
        raise self._unknown(name, "body, joint, driver or point", self._all_names())

    def __contains__(self, name: object) -> bool:
        groups = (self._bodies, self._constraints, self._points, self._forces)
        return isinstance(name, str) and any(name in group for group in groups)

    def measure(self, quantity: Quantity | str, user: str = "") -> Quantity:
        """Measured quantity by name: "crank.x", "crank.phi", "P.y", "A.angle", "T.distance"."""
        if isinstance(quantity, Quantity):
            for body in quantity.bodies:
                if body not in self._bodies:
                    raise self._unknown(body, "body", self._bodies)
            return quantity
        if not isinstance(quantity, str):
            raise ModelError(f"{quantity!r} is not a measured quantity; give e.g. body.phi, m['A'].angle or 'A.angle'.")
        if quantity.removesuffix(".value") in self._states:
            raise ModelError(
                f"{user or 'a quantity'}: {quantity!r} is a state, which laws of forces, rates of states and results may use, but which "
                "cannot be measured in constraints, events and starts; its initial= says where it starts."
            )
        if quantity in self._definitions:
            return measured_formula(self, quantity, self._definitions[quantity])
        owner, _, what = quantity.rpartition(".")
        for_whom = f" (in {user})" if user else ""
        measures = self._measures_of(owner)
        if measures is None or (owner in self._points and what not in measures):
            raise self._unknown(quantity, f"measured quantity{for_whom}", self._all_measures())
        if what not in measures:
            raise ModelError(f"{owner!r} has no {what!r}{for_whom}; it measures: {', '.join(measures) or 'nothing'}.")
        return measures[what]

    def _measures_of(self, owner: str) -> Mapping[str, Quantity] | None:
        """What a body, joint, force or point measures, by name; None if there is nothing of that name."""
        if owner in self._points:
            return {axis: getattr(self._points[owner], axis) for axis in self.space.axes}
        for group in (self._bodies, self._constraints, self._forces):
            if owner in group:
                found: Mapping[str, Quantity] = group[owner].measures
                return found
        return centre_measures(self, owner)

    def scalar(self, quantity: Quantity | str, user: str, *, valued: bool = False) -> Quantity:
        """Measured quantity of one number; with `valued`, one that has a value and not only a rate."""
        found = self.measure(quantity, user)
        if len(found.units) != 1:
            raise ModelError(f"{user}: {found} has {len(found.units)} components; give a quantity of one number.")
        if found.rates:
            raise ModelError(
                f"{user}: {found} is a formula of rates, which has no rows of its own; name what it is made of instead."
            )
        if valued and not found.has_value:
            raise ModelError(
                f"{user}: {found} has a rate but no value (an angular velocity or slip is not the derivative of anything); "
                "use its rate, or constrain and driver."
            )
        return found

    @abstractmethod
    def distance(self, first: Place, second: Place, label: str = "") -> Quantity:
        """Distance between two points [m]."""

    @abstractmethod
    def drawn_value(self, quantity: Quantity) -> float:
        """Value of a scalar quantity in the drawn pose."""

    # --- for the builders of joints ------------------------------------------------------------------------------

    def vector(self, value: object, what: str) -> tuple[float, ...]:
        """As many finite numbers as the model has dimensions."""
        return checked_numbers(value, what, self.space.axes)

    def body_of(self, place: Place) -> Any:
        """Body that a body, a point or a name stands for."""
        if hasattr(place, "local") or hasattr(place, "at_global"):
            where = place.local if hasattr(place, "local") else place.position
            if len(where) != self.space.dimension:
                raise ModelError(
                    f"{short(place)} has {len(where)} coordinates, but this model has {self.space.dimension}."
                )
            name = place.body if hasattr(place, "local") else place.name
            if name not in self._bodies:
                raise ModelError(
                    f"body {name!r} does not belong to model {self.name!r}; add it with m.body({name!r}, …)."
                )
            return self._bodies[name]
        if isinstance(place, str):
            if place in self._bodies:
                return self._bodies[place]
            if place in self._points:
                return self._bodies[self._points[place].body]
            raise self._unknown(place, "body", [*self._bodies, *self._points])
        raise ModelError(f"{place!r} is not a body; give a body, a point or a name.")

    def is_body(self, place: Place) -> bool:
        """Whether a place is a body, or the name of one."""
        return hasattr(place, "at_global") or (isinstance(place, str) and place in self._bodies)

    def place(self, place: Place, at: Any, what: str, *, origin: bool = False) -> Any:
        """Point that a point, or a body together with global coordinates, stands for.

        Args:
            place: Point, body or name of either.
            at: Global coordinates in the drawn pose, or a point.
            what: What the point is for, used in messages.
            origin: A body alone stands for its origin.
        """
        if hasattr(place, "local"):
            known = self._points.get(place.name)  # a named point and its name mean the same, to the last bit
            return known if known is not None and known == place else self.body_of(place).again(place)
        if isinstance(place, str) and place in self._points and place not in self._bodies:
            return self._points[place]
        body = self.body_of(place)
        if isinstance(at, str) and at in self._points:
            at = self._points[at]
        if at is not None and hasattr(at, "local"):
            return body.at(*at.local) if at.body == body.name else body.at_global(*self.body_of(at).again(at).drawn)
        if at is not None:
            return body.at_global(*self.vector(at, f"the place of {what}"))
        if origin:
            return body.at(*(0.0 for _ in self.space.axes))
        axes = ", ".join(self.space.axes)
        raise ModelError(f"{what}: say where on body {body.name!r}, with at=({axes}), or give {body.name}.at({axes}).")

    def two_points(self, name: str, kind: str, first: Place, second: Place, at: object) -> tuple[Any, Any]:
        """The points that a joint brings together."""
        self.check_at(at, f"{kind} {name!r}", first, second)
        p = self.place(first, at, f"{kind} {name!r}")
        q = self.place(second, at, f"{kind} {name!r}")
        self.different_bodies(name, p.body, q.body)
        return p, q

    def check_at(self, at: object, what: str, *places: Place) -> None:
        """Refuse a place that would not be used, because everything it could place is a point already."""
        if at is not None and not any(self.is_body(place) for place in places):
            for place in places:
                self.body_of(place)  # refuses what is neither body nor point
            known = " and ".join(place.label if hasattr(place, "local") else short(place) for place in places)
            raise ModelError(
                f"{what}: at= is given, but {known} {'is a point' if len(places) == 1 else 'are points'} already, so that it would "
                "not be used; leave at= out, or give a body."
            )

    def different_bodies(self, name: str, first: str, second: str) -> None:
        """Refuse a joint between a body and itself."""
        if first == second:
            raise ModelError(f"joint {name!r} connects body {first!r} with itself; name two different bodies.")

    def joint(self, joint: Constraint | str, user: str) -> Constraint:
        """A joint given by itself or by name."""
        return self._constraints[self._constraint_name(joint, user)]

    def law_input(self, name: str, user: str) -> Input:
        """What a name in a force law stands for: a quantity, its rate, a reaction, or time.

        Rates are "A.angle.rate", "crank.omega", "crank.vx", "P.vy"; reactions are "A.reaction".
        """
        if name == "t":
            return Input("time")
        if name.removesuffix(".value") in self._states:
            return Input("state", joint=name.removesuffix(".value"))
        owner, _, what = name.rpartition(".")
        if what == "reaction" and owner in self._constraints:
            return Input("reaction", joint=owner)
        if what == "rate":
            return Input("rate", self.scalar(owner, user))
        if what in self.space.rates and (owner in self._bodies or owner in self._points or owner.endswith(CENTRE)):
            return Input("rate", self.scalar(f"{owner}.{self.space.rates[what]}", user))
        return Input("value", self.scalar(name, user, valued=True))

    def spoken(self, quantity: Quantity) -> Quantity | str:
        """Name of a quantity where it has one, so that copies look it up afresh."""
        if quantity.label in self._definitions:
            return quantity.label
        owner, _, what = quantity.label.rpartition(".")
        found = (self._measures_of(owner) or {}).get(what)
        return quantity.label if found is not None and found == quantity else quantity

    # --- copies and text -----------------------------------------------------------------------------------------

    def copy(
        self,
        name: str | None = None,
        *,
        without: Iterable[str] = (),
        changes: Mapping[str, Mapping[str, Any]] | None = None,
        gravity: object = None,
        units: str | None = None,
    ) -> Self:
        """Copy the model, with changes: what is changed is described again with the other arguments as they were given.

        Joints and forces whose bodies are drawn elsewhere in the copy stay where they are on their bodies, unless they are
        changed themselves; a new ``at`` counts in the pose that the copy is drawn in.

        Args:
            name: Name of the copy; the same by default.
            without: Bodies, joints, forces, points, phases and switches to leave out; nothing that stays may need them.
            changes: Per name the arguments to change:
                ``m.copy(changes={"crank": {"mass": 2.0}, "L": {"length": 0.3}, "B": {"at": (0.1, 0.2)}})``.
            gravity: Acceleration of gravity [m/s²]; the same by default.
            units: Length unit of printed tables; the same by default.
        """
        twin = type(self)(  # type: ignore[call-arg]
            self.name if name is None else name, units=self.units if units is None else units
        )
        twin._parameters, twin.folder = dict(self._parameters), self.folder
        twin._placed_by = set(self._placed_by)
        twin._tables, twin._curves, twin._defined = dict(self._tables), dict(self._curves), dict(self._defined)
        twin._definitions = dict(self._definitions)
        twin.gravity = self._gravity_given if gravity is None else gravity
        twin.analyses = dict(self.analyses)
        fill_copy(self, twin, without, changes)
        return twin

    def __str__(self) -> str:
        lines = [f"{self.name}: {len(self._bodies) - 1} moving bodies, {len(self._constraints)} constraints"]
        for body in list(self._bodies.values())[1:]:
            mass = "" if body.mass is None else f", {body.mass:g} kg"
            lines.append(f"  body {body.name}: at {self.shown(body.position)}, {body.turned}{mass}")
        for constraint in self._constraints.values():
            rows = "row" if constraint.n_rows == 1 else "rows"
            detail = f" = {constraint.parameters['motion']}" if "motion" in constraint.parameters else ""
            what = "" if constraint.prescribes is None else f" {constraint.prescribes}"
            lines.append(
                f"  {constraint.kind} {constraint.name}: {' – '.join(constraint.bodies)}, {constraint.n_rows} {rows}{what}{detail}"
            )
        for force in self._forces.values():
            lines.append(f"  {force.kind} {force.name}: {' – '.join(force.bodies)}")
        for point in self._points.values():
            lines.append(f"  point {point.name}: on {point.body} at {self.shown(point.local)}")
        for phase in self._phases.values():
            lines.append(f"  phase {phase.name}: {', '.join(phase.active)}")
        for switch in self._switches.values():
            lines.append(f"  switch {switch.name}: {switch.leave} → {switch.enter} when {switch.when} passes 0")
        lines += [f"  parameter {parameter}" for parameter in self._parameters.values()]
        return "\n".join(lines)

    def shown(self, place: Sequence[float], digits: int = 6) -> str:
        """A place in the model's unit of length, e.g. "(40, 0) mm"."""
        factor = LENGTH_UNITS[self.units]
        return f"({', '.join(f'{round(x / factor, 12) + 0.0:.{digits}g}' for x in place)}) {self.units}"

    def __copy__(self) -> Self:
        return self.copy()  # what is added to the one must not show up in the other

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        twin = object.__new__(type(self))
        memo[id(self)] = twin
        twin.__dict__.update(copy.deepcopy(self.__dict__, memo))
        return twin

    def __getstate__(self) -> dict[str, Any]:
        for force in self._forces.values():
            for use in force.uses:
                if use.function is not None:
                    _check_travels(use.function, force.name)
            if callable(force.parameters.get("function")):
                _check_travels(force.parameters["function"], force.name)
        return self.__dict__

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {short(self.name)}: {len(self._bodies) - 1} bodies, {len(self._constraints)} constraints>"

    # --- looking -------------------------------------------------------------------------------------------------

    def draw(self, ax: Axes | None = None, *, labels: bool = True, path: str | PathLike[str] | None = None) -> Axes:
        """Draw the mechanism as it is described, before any analysis: nothing is assembled, nothing is compiled.

        Args:
            ax: Where to draw, made with ``projection="3d"`` for a model in space; a figure of its own by default.
            labels: Whether to write the names of bodies and joints.
            path: File to write (png, svg, pdf).

        Returns:
            The axes drawn on; ``ax.figure`` is the figure.
        """
        from trammel.view.still import draw_model

        return draw_model(self, ax, labels=labels, path=path)

    def diagram(self, path: str | PathLike[str] | None = None, *, ax: Axes | None = None, labels: bool = True) -> Axes:
        """Draw the kinematic diagram: skeleton of the bodies, joints by convention, all with names; as described, before any analysis.

        Letters beside joints say what they leave free: R turns, P slides, RP both, C cylinder, U universal, S ball, H screw, E plane.

        Args:
            path: File to write: svg, png or pdf.
            ax: Where to draw, plain axes also for models in space, which are seen from above; a figure of its own by default.
            labels: Whether to write names.

        Returns:
            The axes drawn on.
        """
        from trammel.view.diagrams.kinematic import draw_diagram

        return draw_diagram(self, ax=ax, labels=labels, path=path)  # type: ignore[no-any-return]

    def _repr_html_(self) -> str:
        from trammel.view.html import model_html

        return model_html(self)

    def graph(self, path: str | PathLike[str] | None = None) -> JointGraph:
        """Which bodies are joined by what, with loops and mobility: numbers with names, printed as a list, drawn by ``.plot()``.

        Args:
            path: File to write the picture to: svg, png or pdf.
        """
        from trammel.view.diagrams.graph import joint_graph

        found = joint_graph(self)
        if path is not None:
            found.plot(path=path)
        return found

    # --- inside --------------------------------------------------------------------------------------------------

    def _all_names(self) -> list[str]:
        return [*self._bodies, *self._constraints, *self._forces, *self._points]

    def _all_measures(self) -> list[str]:
        names = [f"{b.name}.{m}" for b in self._bodies.values() for m in b.measures]
        names += [f"{p}.{m}" for p in self._points for m in self.space.axes]
        names += [f"{c.name}.{m}" for c in self._constraints.values() for m in c.measures]
        names += [f"{f.name}.{m}" for f in self._forces.values() for m in f.measures]
        return names + list(self._definitions)

    def _check_new_name(self, name: str, what: str) -> None:
        if not isinstance(name, str) or not _DOTTED.fullmatch(name):
            raise ModelError(
                f"{name!r} cannot be the name of a {what}: use letters, digits and underscores, starting with a letter "
                "(names appear in formulas such as 'crank.x')."
            )
        taken = (
            name in self
            or name in self._phases
            or name in self._switches
            or name in self._groups
            or name in self._states
            or name in self._definitions
        )
        if taken:
            raise ModelError(f"the name {name!r} is taken already in model {self.name!r}; names must be unique.")
        if name in self._prefixes:
            raise ModelError(
                f"the name {name!r} is that of an assembly already in model {self.name!r}; choose another."
            )
        pieces = name.split(".")
        for k in range(1, len(pieces)):
            prefix = ".".join(pieces[:k])
            if prefix in self:
                raise ModelError(
                    f"{name!r} cannot be the name of a {what}: {prefix!r} is no assembly, but a part of the model."
                )
            self._prefixes.add(prefix)

    def _constraint_name(self, constraint: str | Constraint, user: str) -> str:
        name = constraint.name if isinstance(constraint, Constraint) else constraint
        if not isinstance(name, str):
            raise ModelError(f"{user}: a joint is given by itself or by its name, but this is {short(name)}.")
        if name not in self._constraints:
            raise self._unknown(name, f"joint (in {user})", self._constraints)
        return name

    def _unknown(self, name: str, what: str, known: Iterable[str]) -> ModelError:
        names = list(known)
        near = difflib.get_close_matches(str(name), names, n=1)
        hint = f" Did you mean {near[0]!r}?" if near else f" Known: {', '.join(names[:12]) or 'none'}."
        return ModelError(f"there is no {what} {short(name)} in model {self.name!r}.{hint}")


def checked_direction(value: object, what: str) -> int:
    """+1 for rising, -1 for falling, 0 for either."""
    if not isinstance(value, int | np.integer) or isinstance(value, bool) or value not in (-1, 0, 1):
        raise ModelError(f"direction of {what} is {value!r}; it must be 1 (rising), -1 (falling) or 0 (either).")
    return int(value)


def _check_travels(function: Callable[..., float], force: str) -> None:
    """Functions are pickled by name, so that they must have one."""
    try:
        pickle.dumps(function)
    except Exception as error:
        raise ModelError(
            f"force {force!r} cannot be pickled with its Python function {getattr(function, '__qualname__', short(function))}; "
            "define that at the top of a module, or write the law as a formula."
        ) from error


def _numbers(values: Sequence[float]) -> str:
    return "(" + ", ".join(f"{v:g}" for v in values) + ")"


def _as_method(builder: Callable[..., Any], keep: str) -> Callable[..., Any]:
    """A builder as a method that checks the name and adds what was built to the model's dictionary `keep`."""

    @functools.wraps(builder)
    def method(self: Model, name: str, *args: Any, **kwargs: Any) -> Any:
        made = self._add(builder, builder.__name__, name, args, kwargs, getattr(self, keep))
        for turn in made.turns:
            self._turns.setdefault(turn.name, turn)
        if keep == "_forces":
            self._states.update({use.state: name for use in made.uses if use.state})
        return made

    return method


def body_method(make: Callable[..., B]) -> Callable[..., B]:
    """A function that makes a body as a method that adds it, with its named points, to the model."""

    @functools.wraps(make)
    def method(self: Model, name: str, *args: Any, **given: Any) -> B:
        body: B = self._add(make, "body", name, args, given, self._bodies)
        for key in body.points:  # type: ignore[attr-defined]
            point = body[key]  # type: ignore[index]
            self._points[point.name] = point
        return body

    return method


def attach_builders(
    model: type[Model], constraints: Mapping[str, Callable[..., Constraint]], forces: Mapping[str, Callable[..., Force]]
) -> None:
    """Give a model a method for every registered joint and force."""
    for kind, builder in constraints.items():
        setattr(model, kind, _as_method(builder, "_constraints"))
    for kind, force_builder in forces.items():
        setattr(model, kind, _as_method(force_builder, "_forces"))
