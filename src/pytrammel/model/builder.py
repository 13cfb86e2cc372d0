"""What names, bodies, points and formulas stand for in a model: what builders of joints and forces ask it."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from typing import Any

from pytrammel._util.checks import checked, checked_numbers
from pytrammel._util.messages import short
from pytrammel.errors import ModelError
from pytrammel.expressions.tables import Table
from pytrammel.forces.force import Input
from pytrammel.geometry.curves import AnyCurve
from pytrammel.joints.constraint import Constraint
from pytrammel.model.argument_types import Place
from pytrammel.model.bodies import AnyBody, AnyPoint
from pytrammel.model.contents import Parts
from pytrammel.model.quantities.groups import CENTRE, centre_measures
from pytrammel.model.quantities.measures import measured_formula
from pytrammel.model.quantities.quantity import Quantity
from pytrammel.model.quantities.result_names import kind_in_results

# classes without attributes for type checkers: places are of any kind
POINT: Any = AnyPoint
BODY: Any = AnyBody
PLACES: Any = (AnyPoint, AnyBody)


class Lookup(Parts):
    """Finds places, measured quantities, joints, tables and curves, or refuses with a sentence that names the nearest one."""

    # --- places --------------------------------------------------------------------------------------------------

    def vector(self, value: object, what: str) -> tuple[float, ...]:
        """As many finite numbers as the model has dimensions."""
        return checked_numbers(value, what, self.space.axes)

    def body_of(self, place: Place) -> Any:
        """Body that a body, a point or a name stands for."""
        given: Any = place
        if isinstance(given, PLACES):
            is_point = isinstance(given, POINT)
            where, name = (given.local, given.body) if is_point else (given.position, given.name)
            if len(where) != self.space.dimension:
                raise ModelError(
                    f"{short(place)} has {len(where)} coordinates, but this model has {self.space.dimension}."
                )
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
        """Return True if a place is a body, or the name of one."""
        return isinstance(place, BODY) or (isinstance(place, str) and place in self._bodies)

    def place(self, place: Any, at: Any, what: str, *, origin: bool = False) -> Any:
        """Point that a point, or a body together with global coordinates, stands for.

        Args:
            place: Point, body or name of either.
            at: Global coordinates in the drawn pose, or a point.
            what: What the point is for, used in messages.
            origin: A body alone stands for its origin.
        """
        if isinstance(place, POINT):
            known = self._points.get(place.name)  # a named point and its name mean the same, to the last bit
            return known if known is not None and known == place else self.body_of(place).again(place)
        if isinstance(place, str) and place in self._points and place not in self._bodies:
            return self._points[place]
        body = self.body_of(place)
        if isinstance(at, str) and at in self._points:
            at = self._points[at]
        if at is not None and isinstance(at, POINT):
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
        self.different_bodies(name, p.body, q.body, kind)
        return p, q

    def check_at(self, at: object, what: str, *places: Place) -> None:
        """Refuse a place that would not be used, because everything it could place is a point already."""
        if at is not None and not any(self.is_body(place) for place in places):
            for place in places:
                self.body_of(place)  # refuses what is neither body nor point
            points: tuple[Any, ...] = places
            known = " and ".join(point.label if isinstance(point, POINT) else short(point) for point in points)
            raise ModelError(
                f"{what}: at= is given, but {known} {'is a point' if len(places) == 1 else 'are points'} already, so that it would "
                "not be used; leave at= out, or give a body."
            )

    def different_bodies(self, name: str, first: str, second: str, kind: str = "joint") -> None:
        """Raise `ModelError` if an element of that kind connects a body with itself."""
        if first == second:
            raise ModelError(f"{kind} {name!r} connects body {first!r} with itself; name two different bodies.")

    # --- measured quantities -------------------------------------------------------------------------------------

    @checked
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
                "cannot be measured in constraints and starts; its initial= says where it starts."
            )
        if quantity in self._definitions:
            return measured_formula(self, quantity, self._definitions[quantity])
        owner, _, what = quantity.rpartition(".")
        for_whom = f" (in {user})" if user else ""
        measures = self._measures_of(owner)
        if what not in (measures or ()) and (kind := kind_in_results(self, quantity)):
            known = f"{owner!r} measures: {', '.join(measures)}" if measures else "use positions, angles and distances"
            raise ModelError(
                f"{user or 'a measured quantity'}: {quantity!r} is {kind}, which results have, but which cannot be used here, because it "
                f"does not follow from positions alone; {known}."
            )
        if measures is None or (owner in self._points and what not in measures):
            raise self._unknown(quantity, f"measured quantity{for_whom}", self._all_measures())
        if what not in measures:
            raise ModelError(f"{owner!r} has no {what!r}{for_whom}; it measures: {', '.join(measures) or 'nothing'}.")
        return measures[what]

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

    def spoken(self, quantity: Quantity) -> Quantity | str:
        """Name of a quantity where it has one, so that copies look it up afresh."""
        if quantity.label in self._definitions:
            return quantity.label
        owner, _, what = quantity.label.rpartition(".")
        found = (self._measures_of(owner) or {}).get(what)
        return quantity.label if found is not None and found == quantity else quantity

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
        if what == "rate" and owner in self._states:
            raise ModelError(
                f"{user}: {name!r} is the rate of a state, which results have, but which cannot be used here; write its formula instead."
            )
        if what == "rate":
            place, _, measure = owner.rpartition(".")
            measured = measure in (self._measures_of(place) or ())
            if "." in owner and not measured and (kind := kind_in_results(self, owner)):
                raise ModelError(
                    f"{user}: {name!r} is the rate of {kind}, which cannot be used here; use rates of positions, angles and distances."
                )
            return Input("rate", self.scalar(owner, user))
        if what in self.space.rates and (owner in self._bodies or owner in self._points or owner.endswith(CENTRE)):
            return Input("rate", self.scalar(f"{owner}.{self.space.rates[what]}", user))
        return Input("value", self.scalar(name, user, valued=True))

    def _measures_of(self, owner: str) -> Mapping[str, Quantity] | None:
        """What a body, joint, force or point measures, by name; None if there is nothing of that name."""
        if owner in self._points:
            return {axis: getattr(self._points[owner], axis) for axis in self.space.axes}
        for group in (self._bodies, self._constraints, self._forces):
            if owner in group:
                found: Mapping[str, Quantity] = group[owner].measures
                return found
        return centre_measures(self, owner)

    def _all_measures(self) -> list[str]:
        names = [f"{b.name}.{m}" for b in self._bodies.values() for m in b.measures]
        names += [f"{p}.{m}" for p in self._points for m in self.space.axes]
        names += [f"{c.name}.{m}" for c in self._constraints.values() for m in c.measures]
        names += [f"{f.name}.{m}" for f in self._forces.values() for m in f.measures]
        return names + list(self._definitions)

    # --- joints, tables, curves ----------------------------------------------------------------------------------

    def joint(self, joint: Constraint | str, user: str) -> Constraint:
        """A joint given by itself or by name."""
        return self._constraints[self._constraint_name(joint, user)]

    def _constraint_name(self, constraint: str | Constraint, user: str) -> str:
        name = constraint.name if isinstance(constraint, Constraint) else constraint
        if not isinstance(name, str):
            raise ModelError(f"{user}: a joint is given by itself or by its name, but this is {short(name)}.")
        if name not in self._constraints:
            raise self._unknown(name, f"joint (in {user})", self._constraints)
        return name

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
