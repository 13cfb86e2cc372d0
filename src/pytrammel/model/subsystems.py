"""Subsystems: the parts of one model added to another under names of their own ("left.crank"), placed somewhere.

Bodies are drawn where the placement puts them; joints and forces stay where they are on their bodies, and what stood on the ground stands
on the body that takes its place. Angles in the plane are those of bodies, so that a turned ground needs a body: a massless one,
"left.base", welded in its place. What is said in global terms stays global: gravity, forces in space, coordinates in force laws.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from pytrammel import rotations
from pytrammel._util.checks import checked_number
from pytrammel._util.messages import short
from pytrammel.errors import ExpressionError, ModelError
from pytrammel.expressions.expression import Expression, variable
from pytrammel.model.arguments.recorded import argument_names
from pytrammel.model.arguments.signatures import role
from pytrammel.model.bodies import GROUND
from pytrammel.model.parameters import read_formula
from pytrammel.model.quantities.quantity import Quantity

if TYPE_CHECKING:
    from pytrammel.model.base import Model

Array = NDArray[np.float64]
GLOBAL_KINDS = (
    "constrain",
    "driver",
    "equation",
    "orientation_driver",
)  # rows on anything measured, also on global coordinates


@dataclass(frozen=True)
class Placement:
    """Where a subsystem goes: a rotation, then a shift."""

    shift: Array
    turn: Array
    angle: float = 0.0
    still: bool = True

    def point(self, place: Any) -> tuple[float, ...]:
        """Where a point of its drawing is in the other one."""
        if self.still:
            return tuple(map(float, place))
        return tuple(map(float, self.shift + self.turn @ np.asarray(place, dtype=float)))

    def pose(self, body: Any) -> dict[str, Any]:
        """Arguments of a body that is moved along."""
        if self.still:
            return {}
        if len(self.shift) == 2:
            return {"position": self.point(body.position), "angle": body.angle + self.angle}
        turned = rotations.parameters(self.turn @ body.matrix)
        return {"position": self.point(body.position), "rotation": tuple(map(float, turned))}

    def velocity(self, given: Any, what: str) -> Any:
        """A starting velocity that is turned along."""
        if given is None or self.still or np.array_equal(self.turn, np.eye(len(self.shift))):
            return given
        if None in given:
            raise ModelError(
                f"{what} is free in some components, which cannot be turned with the subsystem; give all or none."
            )
        return tuple(map(float, self.turn @ np.array(given)))


def placement(model: Model, position: object, angle: object, rotation: object) -> Placement:
    """From what a person says."""
    planar = model.space.dimension == 2
    if (rotation if planar else angle) is not None:
        said, right = ("rotation", "angle=") if planar else ("angle", "rotation=")
        raise ModelError(f"{said}= of a subsystem means nothing here; give {right}.")
    shift = (
        np.zeros(model.space.dimension)
        if position is None
        else np.array(model.vector(position, "position of a subsystem"))
    )
    turn, phi = np.eye(model.space.dimension), 0.0
    if planar and angle is not None:
        phi = checked_number(angle, "angle of a subsystem")
        c, s = math.cos(phi), math.sin(phi)
        turn = np.array([[c, -s], [s, c]])
    elif rotation is not None:
        from pytrammel.model.spatial_bodies import as_parameters

        turn = np.asarray(rotations.matrix(np.array(as_parameters(rotation, "rotation of a subsystem"))))
    return Placement(shift, turn, phi, position is None and angle is None and rotation is None)


def add_subsystem(model: Model, name: str, part: Model, where: Placement, ground: str) -> None:
    """Describe all parts of one model in another."""
    _Assembly(model, name, part, where, ground).add()


class _Assembly:
    def __init__(self, model: Model, name: str, part: Model, where: Placement, ground: str) -> None:
        self.model, self.prefix, self.part, self.where = model, f"{name}.", part, where
        self.ground = model.body_of(ground).name
        self.moved = not where.still or self.ground != GROUND
        self.based = model.space.dimension == 2 and (self.ground != GROUND or where.angle != 0.0)

    def add(self) -> None:
        part, model = self.part, self.model
        if self.based:
            self._add_base()
        for key in part._said:
            if key in part._bodies:
                body = part._bodies[key]
                velocity = self.where.velocity(body.velocity, f"velocity of body {key!r}")
                model.body(self.prefix + key, **{**body.parameters, **self.where.pose(body), "velocity": velocity})
                continue
            kind, given = self._described(key)
            model._redrawing = True
            try:
                getattr(model, kind)(self.prefix + key, **given)
            finally:
                model._redrawing = False
        for key, listed in part.groups.items():
            model.group(self.prefix + key, [self.name(body) for body in listed])

    def _add_base(self) -> None:
        """A body that stands for the part's ground where it is turned or carried."""
        base = f"{self.prefix}base"
        while base.removeprefix(self.prefix) in self.part:
            base += "_"
        shift = tuple(map(float, self.where.shift))
        self.model.body(base, position=shift, angle=self.where.angle, massless=True)
        model: Any = self.model  # in the plane or in space
        if self.ground == GROUND:
            model.fix(f"{base}_fixed", base)
        else:
            model.weld(f"{base}_fixed", self.ground, base)
        self.ground = base

    def _described(self, key: str) -> tuple[str, dict[str, Any]]:
        """Method of the model and arguments that make a part again."""
        part = self.part
        if key in part._points:
            at = self.value(part._points[key], "word")
            return "point", {"body": at.body, "local": at.local}
        if key in part._phases:
            phase = part._phases[key]
            act = [n for n in phase.active if n not in phase.hold]
            return "phase", {"active": [self.prefix + n for n in act], "hold": [self.prefix + n for n in phase.hold]}
        if key in part._switches:
            switch = part._switches[key]
            given = {"leave": self.prefix + switch.leave, "enter": self.prefix + switch.enter}
            return "switch", {**given, "when": self.formula(switch.when), "direction": switch.direction}
        element: Any = part._constraints.get(key) or part._forces[key]
        if self.moved and element.kind in GLOBAL_KINDS:
            self._check_local(element)
        builder = getattr(type(part), element.kind)
        known = argument_names(builder)
        return element.kind, {
            argument: self._stated(element.kind, argument, self.value(value, role(builder, argument)))
            for argument, value in element.parameters.items()
            if argument in known
        }

    def _stated(self, kind: str, argument: str, value: Any) -> Any:
        """Names of what a controller puts out and of states that it looks at."""
        if kind != "controller" or argument not in ("inputs", "outputs"):
            return value
        return tuple(self.prefix + key if key in self.part.states else key for key in value)

    def _check_local(self, element: Any) -> None:
        """Refuse rows on global coordinates, which would pull a placed subsystem back to where it was."""
        for block in element.blocks:
            for quantity in (block.quantity, *block.quantity.inputs.values()):
                spoken = self.part.spoken(quantity)
                owner = spoken.rpartition(".")[0] if isinstance(spoken, str) else ""
                fixed = GROUND in quantity.bodies or quantity.primitive == "linear" or len(quantity.bodies) == 1
                if (
                    owner not in self.part._constraints
                    and owner not in self.part._forces
                    and fixed
                    and not quantity.formula
                ):
                    raise ModelError(
                        f"{element.kind} {element.name!r} of the subsystem holds {quantity}, which is global and would pull the placed "
                        "subsystem back; measure a joint or a distance between points instead."
                    )

    def value(self, value: Any, kind: str) -> Any:
        """An argument in terms of the other model."""
        if isinstance(value, Quantity):
            return self._quantity(value)
        if isinstance(value, Expression):
            return self.formula(value)
        if hasattr(value, "local"):
            return self._point(value)
        if isinstance(value, str):
            return self._text(value, kind)
        if isinstance(value, list | tuple):
            return type(value)(self.value(item, kind) for item in value)
        if hasattr(value, "at_global") or hasattr(value, "blocks") or hasattr(value, "uses"):
            return self.name(value.name)
        return value

    def name(self, name: str) -> str:
        """Name of a part in the other model."""
        return self.ground if name == GROUND else self.prefix + name

    def _point(self, point: Any) -> Any:
        body = self.model._bodies[self.name(point.body)]
        name = self.prefix + point.name if point.name in self.part._points else ""
        if point.body != GROUND or not self.moved or self.based:
            if getattr(point, "oriented", False):
                return body.again(type(point)(body.name, point.local, point.axes, True, name=name))
            return body.at(*point.local, name=name)
        at = self.where.point(point.local)
        if getattr(point, "oriented", False):
            return body.marker_global(at, self.where.turn @ np.array(point.axes), name)
        return body.at_global(*at, name=name)

    def _quantity(self, quantity: Quantity) -> Any:
        spoken = self.part.spoken(quantity)
        if isinstance(spoken, str):
            return self._measure(spoken)
        raise ModelError(
            f"the quantity {quantity} of the subsystem {self.prefix[:-1]!r} has no name; give it one through a joint, a spring or a point."
        )

    def _measure(self, text: str) -> str:
        owner, dot, what = text.rpartition(".")
        return f"{self.name(owner)}{dot}{what}"

    def _text(self, text: str, kind: str) -> Any:
        if text == GROUND or text in self.part:
            return self.name(text)
        if kind == "law":
            try:
                return self.formula(read_formula(self.part, text, "a law"))
            except ExpressionError:
                return text
        return self._measure(text) if self._known(text) else text

    def _known(self, name: str) -> bool:
        """Return True if a dotted name begins with something of the part."""
        pieces = name.split(".")
        return any(".".join(pieces[:k]) in self.part for k in range(1, len(pieces)))

    def formula(self, formula: Expression) -> Expression:
        """A law with the names of what it measures changed."""
        changed: Mapping[str, Expression] = {
            name: variable(self.prefix + name)
            for name in formula.names
            if ("." in name and self._known(name)) or name in self.part.states
        }
        return formula.substitute(changed)


def check_part(model: Model, part: object, name: str) -> Model:
    """A model of the same kind."""
    from pytrammel.model.base import Model as AnyModel

    if not isinstance(part, AnyModel) or part.space is not model.space:
        raise ModelError(f"subsystem {name!r} must be a model of the same kind, but it is {short(part)}.")
    return part
