"""What planar and spatial models share: names, joints and forces as data, phases, copies, verbs."""

from __future__ import annotations

import difflib
import functools
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Self

from trammel.errors import ModelError
from trammel.model.body import GROUND, checked_numbers
from trammel.model.constraint import Constraint
from trammel.model.coordinates import Coordinates
from trammel.model.expression import Expression, as_expression
from trammel.model.force import Force, Input
from trammel.model.phases import Phase, Switch
from trammel.model.quantity import Quantity, Turn
from trammel.model.units import LENGTH_UNITS

if TYPE_CHECKING:
    from trammel.analysis.assembly import Assembly
    from trammel.analysis.equilibrium import Equilibrium
    from trammel.analysis.mobility import Mobility
    from trammel.results.result import Result

Place = Any  # a body, a point, or the name of one
_NAME = re.compile(r"[^\W\d]\w*")  # what formulas can read as one name


class Model(ABC):
    """Bodies, joints, drivers and forces of a mechanism; see `PlanarModel` and `SpatialModel`.

    Attributes:
        name: Title of the model.
        gravity: Acceleration of gravity [m/s²].
        units: Length unit of printed tables and pictures.
        space: Names of the coordinates.
    """

    space: Coordinates

    def __init__(self, name: str, gravity: object, units: str, ground: Any) -> None:
        if units not in LENGTH_UNITS:
            raise ModelError(f"units {units!r} are not known; use one of: {', '.join(LENGTH_UNITS)}.")
        self.name = name
        self.units = units
        self.gravity = self.vector(gravity, "gravity")
        self._bodies: dict[str, Any] = {GROUND: ground}
        self._points: dict[str, Any] = {}
        self._constraints: dict[str, Constraint] = {}
        self._forces: dict[str, Force] = {}
        self._phases: dict[str, Phase] = {}
        self._switches: dict[str, Switch] = {}
        self._turns: dict[str, Turn] = {}

    if TYPE_CHECKING:  # the joint methods are attached from the registry below

        def __getattr__(self, kind: str) -> Callable[..., Any]: ...

    # --- describing ----------------------------------------------------------------------------------------------

    @abstractmethod
    def body(self, name: str, **given: Any) -> Any:
        """Add a body."""

    def _keep_body(self, body: Any) -> None:
        self._bodies[body.name] = body
        for key in body.points:
            point = body[key]
            self._points[point.name] = point

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
            if name not in self._points:
                raise self._unknown(name, "point", self._points)
            return self._points[name]
        self._check_new_name(name, "point")
        owner = self.body_of(body)
        if (at is None) == (local is None):
            axes = ", ".join(self.space.axes)
            raise ModelError(f"point {name!r}: give either at=({axes}), global, or local= in the body's frame.")
        if at is not None:
            point = owner.at_global(*self.vector(at, f"at of point {name!r}"), name=name)
        else:
            point = owner.at(*self.vector(local, f"local of point {name!r}"), name=name)
        self._points[name] = point
        return point

    def phase(self, name: str, *, active: Iterable[str | Constraint], hold: Iterable[str | Constraint] = ()) -> Phase:
        """Add a phase: constraints that act only while it lasts. The first phase added is the one a run starts in.

        Args:
            name: Name of the phase.
            active: Constraints that act in it, by name.
            hold: Those that keep the value they have when the phase begins (a foot that stays where it landed, a wheel
                that stays locked).
        """
        self._check_new_name(name, "phase")
        names = tuple(self._constraint_name(c, f"phase {name!r}") for c in active)
        held = tuple(self._constraint_name(c, f"phase {name!r}") for c in hold)
        for key in held:
            if key not in names:
                names += (key,)
        phase = Phase(name, names, held)
        self._phases[name] = phase
        return phase

    def switch(self, name: str, leave: str, enter: str, *, when: str | Expression, direction: int = 0) -> Switch:
        """Change phase when a formula of measured quantities and t passes zero.

        Args:
            name: Name of the switch.
            leave, enter: Names of the phases.
            when: Formula, e.g. ``"A.angle - pi/4"``.
            direction: +1 if it must rise through zero, -1 if it must fall, 0 either way.
        """
        self._check_new_name(name, "switch")
        for phase in (leave, enter):
            if phase not in self._phases:
                raise self._unknown(phase, "phase", self._phases)
        expression = as_expression(when, f"condition of switch {name!r}")
        for key in expression.names - {"t"}:
            self.law_input(key, f"switch {name!r}")
        switch = Switch(name, leave, enter, expression, int(direction))
        self._switches[name] = switch
        return switch

    # --- looking things up ---------------------------------------------------------------------------------------

    @property
    def bodies(self) -> Mapping[str, Any]:
        """All bodies by name, ground first."""
        return MappingProxyType(self._bodies)

    @property
    def points(self) -> Mapping[str, Any]:
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
        return MappingProxyType(self._phases)

    @property
    def switches(self) -> Mapping[str, Switch]:
        return MappingProxyType(self._switches)

    def __getitem__(self, name: str) -> Any:
        """Body, joint, driver or point by name."""
        for group in (self._bodies, self._constraints, self._forces, self._points):
            if name in group:
                return group[name]
        raise self._unknown(name, "body, joint, driver or point", self._all_names())

    def __contains__(self, name: object) -> bool:
        return name in self._bodies or name in self._constraints or name in self._points or name in self._forces

    def measure(self, quantity: Quantity | str, user: str = "") -> Quantity:
        """Measured quantity by name: "crank.x", "crank.phi", "P.y", "A.angle", "T.distance"."""
        if isinstance(quantity, Quantity):
            for body in quantity.bodies:
                if body not in self._bodies:
                    raise self._unknown(body, "body", self._bodies)
            return quantity
        if not isinstance(quantity, str):
            raise ModelError(f"{quantity!r} is not a measured quantity; give e.g. body.phi, m['A'].angle or 'A.angle'.")
        owner, _, what = quantity.rpartition(".")
        for_whom = f" (in {user})" if user else ""
        if owner in self._points and what in self.space.axes:
            found: Quantity = getattr(self._points[owner], what)
            return found
        measures: dict[str, Quantity]
        if owner in self._bodies:
            measures = dict(self._bodies[owner].measures)
        elif owner in self._constraints:
            measures = dict(self._constraints[owner].measures)
        elif owner in self._forces:
            measures = dict(self._forces[owner].measures)
        else:
            raise self._unknown(quantity, f"measured quantity{for_whom}", self._all_measures())
        if what not in measures:
            raise ModelError(f"{owner!r} has no {what!r}{for_whom}; it measures: {', '.join(measures) or 'nothing'}.")
        return measures[what]

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
            return self.body_of(place).again(place)
        if isinstance(place, str) and place in self._points and place not in self._bodies:
            return self._points[place]
        body = self.body_of(place)
        if isinstance(at, str) and at in self._points:
            at = self._points[at]
        if at is not None and hasattr(at, "local"):
            return body.at(*at.local) if at.body == body.name else body.at_global(*at.drawn)
        if at is not None:
            return body.at_global(*self.vector(at, f"the place of {what}"))
        if origin:
            return body.at(*(0.0 for _ in self.space.axes))
        axes = ", ".join(self.space.axes)
        raise ModelError(f"{what}: say where on body {body.name!r}, with at=({axes}), or give {body.name}.at({axes}).")

    def two_points(self, name: str, kind: str, first: Place, second: Place, at: object) -> tuple[Any, Any]:
        """The points that a joint brings together."""
        p = self.place(first, at, f"{kind} {name!r}")
        q = self.place(second, at, f"{kind} {name!r}")
        self.different_bodies(name, p.body, q.body)
        return p, q

    def different_bodies(self, name: str, first: str, second: str) -> None:
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
        owner, _, what = name.rpartition(".")
        if what == "reaction" and owner in self._constraints:
            return Input("reaction", joint=owner)
        if what == "rate":
            return Input("rate", self.measure(owner, user))
        if what in self.space.rates and (owner in self._bodies or owner in self._points):
            return Input("rate", self.measure(f"{owner}.{self.space.rates[what]}", user))
        return Input("value", self.measure(name, user))

    def spoken(self, quantity: Quantity) -> Quantity | str:
        """Name of a quantity where it has one, so that copies look it up afresh."""
        return quantity.label if quantity.label in self._all_measures() else quantity

    # --- copies and text -----------------------------------------------------------------------------------------

    def copy(
        self,
        name: str | None = None,
        *,
        without: Iterable[str] = (),
        changes: Mapping[str, Mapping[str, Any]] | None = None,
    ) -> Self:
        """Copy the model, with changes.

        Args:
            name: Name of the copy; the same by default.
            without: Constraints, points and phases to leave out.
            changes: Per body, point or joint name the arguments to change:
                ``m.copy(changes={"crank": {"mass": 2.0}, "L": {"length": 0.3}})``.
        """
        left_out = set(without)
        changes = changes or {}
        for key in [*changes, *left_out]:
            if key not in self and key not in self._phases and key not in self._switches:
                raise self._unknown(key, "body or joint", self._all_names())
        twin = type(self)(name or self.name, gravity=self.gravity, units=self.units)  # type: ignore[call-arg]
        for body in list(self._bodies.values())[1:]:
            given: dict[str, Any] = dict(body.parameters)
            given.update(_known_only(changes.get(body.name, {}), given, body.name))
            twin.body(body.name, **given)
        for key, point in self._points.items():
            if key not in twin._points and key not in left_out:
                twin.point(key, point.body, **{"local": point.local, **changes.get(key, {})})
        for constraint in self._constraints.values():
            if constraint.name not in left_out:
                given = dict(constraint.parameters)
                given.update(changes.get(constraint.name, {}))
                getattr(twin, constraint.kind)(constraint.name, **given)
        for force in self._forces.values():
            if force.name not in left_out:
                given = dict(force.parameters)
                given.update(changes.get(force.name, {}))
                getattr(twin, force.kind)(force.name, **given)
        for phase in self._phases.values():
            if phase.name not in left_out:
                twin.phase(phase.name, active=phase.active, hold=phase.hold)
        for switch in self._switches.values():
            if switch.name not in left_out:
                twin.switch(switch.name, switch.leave, switch.enter, when=switch.when, direction=switch.direction)
        return twin

    def __str__(self) -> str:
        lines = [f"{self.name}: {len(self._bodies) - 1} moving bodies, {len(self._constraints)} constraints"]
        for body in list(self._bodies.values())[1:]:
            mass = "" if body.mass is None else f", {body.mass:g} kg"
            lines.append(f"  body {body.name}: at {_numbers(body.position)} m, {body.turned}{mass}")
        for constraint in self._constraints.values():
            rows = "row" if constraint.n_rows == 1 else "rows"
            detail = f" = {constraint.parameters['motion']}" if constraint.is_driver else ""
            what = f" {constraint.measures['value']}" if constraint.kind in ("driver", "constrain") else ""
            lines.append(
                f"  {constraint.kind} {constraint.name}: {' – '.join(constraint.bodies)}, {constraint.n_rows} {rows}{what}{detail}"
            )
        for force in self._forces.values():
            lines.append(f"  {force.kind} {force.name}: {' – '.join(force.bodies)}")
        for point in self._points.values():
            lines.append(f"  point {point.name}: on {point.body} at {_numbers(point.local)} m")
        for phase in self._phases.values():
            lines.append(f"  phase {phase.name}: {', '.join(phase.active)}")
        for switch in self._switches.values():
            lines.append(f"  switch {switch.name}: {switch.leave} → {switch.enter} when {switch.when} passes 0")
        return "\n".join(lines)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.name!r}: {len(self._bodies) - 1} bodies, {len(self._constraints)} constraints>"

    # --- verbs ---------------------------------------------------------------------------------------------------

    def assemble(self, *, time: float = 0.0, drivers: bool = True) -> Assembly:
        """Close all joints from the drawn pose; see `trammel.analysis.assembly.assemble`."""
        from trammel.analysis.assembly import assemble

        return assemble(self, time=time, drivers=drivers)

    def mobility(self, *, time: float = 0.0) -> Mobility:
        """Count degrees of freedom and find redundant rows; see `trammel.analysis.mobility.mobility`."""
        from trammel.analysis.mobility import mobility

        return mobility(self, time=time)

    def kinematics(self, duration: float | None = None, **options: Any) -> Result:
        """Positions, velocities and accelerations; see `trammel.analysis.kinematics.kinematics` for the options."""
        from trammel.analysis.kinematics import kinematics

        return kinematics(self, duration, **options)

    def simulate(self, duration: float | None = None, **options: Any) -> Result:
        """Motion under forces; see `trammel.analysis.dynamics.simulate` for the options."""
        from trammel.analysis.dynamics import simulate

        return simulate(self, duration, **options)

    def statics(self, **options: Any) -> Result:
        """Reactions and holding efforts at rest; see `trammel.analysis.statics.statics`."""
        from trammel.analysis.statics import statics

        return statics(self, **options)

    def inverse_dynamics(self, duration: float | None = None, **options: Any) -> Result:
        """Actuator efforts and reactions of a driven motion; see `trammel.analysis.statics.inverse_dynamics`."""
        from trammel.analysis.statics import inverse_dynamics

        return inverse_dynamics(self, duration, **options)

    def equilibrium(self, *, time: float = 0.0, nearest: bool = False) -> Equilibrium:
        """Position of rest, and whether it is stable; see `trammel.analysis.equilibrium.equilibrium`."""
        from trammel.analysis.equilibrium import equilibrium

        return equilibrium(self, time=time, nearest=nearest)

    # --- inside --------------------------------------------------------------------------------------------------

    def _all_names(self) -> list[str]:
        return [*self._bodies, *self._constraints, *self._forces, *self._points]

    def _all_measures(self) -> list[str]:
        names = [f"{b.name}.{m}" for b in self._bodies.values() for m in b.measures]
        names += [f"{p}.{m}" for p in self._points for m in self.space.axes]
        names += [f"{c.name}.{m}" for c in self._constraints.values() for m in c.measures]
        return names + [f"{f.name}.{m}" for f in self._forces.values() for m in f.measures]

    def _check_new_name(self, name: str, what: str) -> None:
        if not isinstance(name, str) or not _NAME.fullmatch(name):
            raise ModelError(
                f"{name!r} cannot be the name of a {what}: use letters, digits and underscores, starting with a letter "
                "(names appear in formulas such as 'crank.x')."
            )
        taken = name in self or name in self._phases or name in self._switches
        if taken:
            raise ModelError(f"the name {name!r} is taken already in model {self.name!r}; names must be unique.")

    def _constraint_name(self, constraint: str | Constraint, user: str) -> str:
        name = constraint.name if isinstance(constraint, Constraint) else constraint
        if name not in self._constraints:
            raise self._unknown(name, f"joint (in {user})", self._constraints)
        return name

    def _unknown(self, name: str, what: str, known: Iterable[str]) -> ModelError:
        names = list(known)
        near = difflib.get_close_matches(str(name), names, n=1)
        hint = f" Did you mean {near[0]!r}?" if near else f" Known: {', '.join(names[:12]) or 'none'}."
        return ModelError(f"there is no {what} {name!r} in model {self.name!r}.{hint}")


def _known_only(changes: Mapping[str, Any], given: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    for key in changes:
        if key not in given:
            raise ModelError(f"body {name!r} has no {key!r} to change; it has: {', '.join(given)}.")
    return changes


def _numbers(values: Sequence[float]) -> str:
    return "(" + ", ".join(f"{v:g}" for v in values) + ")"


def _as_method(builder: Callable[..., Any], keep: str) -> Callable[..., Any]:
    """A builder as a method that checks the name and adds what was built to the model's dictionary `keep`."""

    @functools.wraps(builder)
    def method(self: Model, name: str, *args: Any, **kwargs: Any) -> Any:
        self._check_new_name(name, builder.__name__)
        built = builder(self, name, *args, **kwargs)
        getattr(self, keep)[name] = built
        for turn in built.turns:
            self._turns.setdefault(turn.name, turn)
        return built

    return method


def attach_builders(
    model: type[Model], constraints: Mapping[str, Callable[..., Constraint]], forces: Mapping[str, Callable[..., Force]]
) -> None:
    """Give a model a method for every registered joint and force."""
    for kind, builder in constraints.items():
        setattr(model, kind, _as_method(builder, "_constraints"))
    for kind, force_builder in forces.items():
        setattr(model, kind, _as_method(force_builder, "_forces"))
