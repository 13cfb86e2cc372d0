"""Loads: forces at points, torques, motors, and forces along any measured quantity."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Literal

import numpy as np

from pytrammel._util import traced_numbers
from pytrammel._util.checks import checked_number
from pytrammel._util.messages import short, unit_of
from pytrammel.errors import ModelError
from pytrammel.expressions.expression import Expression, as_expression, filled, time
from pytrammel.expressions.tables import Table
from pytrammel.forces.force import Force, ForceUse, Input, check_not_negative, force_type
from pytrammel.joints.constraint import Symbol, SymbolKind, check_positive, symbol_along
from pytrammel.model.bodies import GROUND, checked_vector
from pytrammel.model.quantities.quantity import ANGLE, Quantity, linear
from pytrammel.model.spatial_registries import spatial_force_type

if TYPE_CHECKING:
    from pytrammel.joints.constraint import Constraint
    from pytrammel.model.argument_types import Law, Laws, Length, Place, Pressure, Scalar, Scalars
    from pytrammel.model.base import Model
    from pytrammel.model.planar import PlanarModel


def law_of(
    model: Model, value: Law, what: str, own: Mapping[str, Input] | None = None
) -> tuple[Expression, dict[str, Input]]:
    """Formula and its inputs: names that the force type defines (`own`), and all that the model resolves."""
    law = value(time) if isinstance(value, Table) else as_expression(value, what)
    inputs = dict(own or {})
    for name in sorted(law.names - inputs.keys()):
        try:
            inputs[name] = model.law_input(name, what)
        except ModelError:
            element = name.partition(".")[0]
            if "." in name and element not in model and f" {element!r}" in what:
                remedy = f"Use {', '.join(own)} in its own law" if own else "Write the formula of what it measures"
                raise ModelError(
                    f"{what}: {name!r} belongs to the element that is being described. {remedy}."
                ) from None
            if not own or "." in name:
                raise
            near = difflib.get_close_matches(name, [*own, *model.states], n=1)
            hint = f" Did you mean {near[0]!r}?" if near else ""
            raise ModelError(
                f"{what}: {name!r} is not known there; it may use {', '.join(own)}, measured quantities, their rates, reactions and "
                f"states.{hint}"
            ) from None
    return law, inputs


def component_laws(
    model: Model, what: str, vector: Laws, key: str = "vector"
) -> list[tuple[Expression, dict[str, Input]]]:
    """Formula and inputs of each component of a vector."""
    axes = model.space.axes
    listed = isinstance(vector, Sequence) and not isinstance(vector, str | bytes)
    if not (listed or (isinstance(vector, np.ndarray) and vector.ndim)) or len(vector) != len(axes):
        count = {2: "two", 3: "three"}[len(axes)]
        raise ModelError(
            f"{key} of {what} must have {count} components ({', '.join(axes)}){unit_of(f'{key} of {what}', ' in ')}, but it is "
            f"{short(vector)}; give numbers or formulas."
        )
    return [law_of(model, each, f"{axis} of {key} of {what}") for axis, each in zip(axes, vector, strict=True)]


@force_type(sample=lambda a, b, c: {"point": a.at(0.3, 0.2), "vector": (2.0, "3*cos(t)")})
def force(
    model: PlanarModel, name: str, point: Place, vector: Laws, *, frame: Literal["space", "body"] = "space"
) -> Force:
    """Force at a point, fixed in space or turning with the body.

    Args:
        point: Point of a body (a body alone: its origin).
        vector: Components [N]: numbers, tables of t, or formulas of t and measured quantities.
        frame: "space" for global components, "body" for components in the body's frame (a follower force).
    """
    p = model.place(point, None, f"the point of force {name!r}", origin=True)
    uses = []
    laws = component_laws(model, f"force {name!r}", vector)
    for k, ((law, inputs), axis) in enumerate(zip(laws, ((1.0, 0.0), (0.0, 1.0)), strict=True)):
        label = f"{name}.f{'xy'[k]}"
        if frame == "space":
            uses.append(ForceUse("law_force", "input", p.along(axis), law, inputs=inputs, label=label))
        elif frame == "body":
            uses.append(
                ForceUse(
                    "follower_force",
                    "input",
                    law=law,
                    inputs=inputs,
                    bodies=(p.body,),
                    data=(p.xi, p.eta, *axis),
                    label=label,
                )
            )
        else:
            raise ModelError(f"force {name!r}: frame {frame!r} is not known; use 'space' or 'body'.")
    return Force(
        "force", name, {"point": p, "vector": tuple(vector), "frame": frame}, (p.body,), tuple(uses),
        symbols=(Symbol("load", p.body, (p.xi, p.eta)),),
    )  # fmt: skip


@force_type(sample=lambda a, b, c: {"body": a, "torque": "0.5*t"})
def torque(model: PlanarModel, name: str, body: Place, torque: Law) -> Force:
    """Pure torque on a body [N m], counter-clockwise positive.

    Args:
        body: Body.
        torque: Torque [N m]: a number, a table of t, or a formula of t and measured quantities.
    """
    b = model.body_of(body)
    law, inputs = law_of(model, torque, f"torque of torque {name!r}")
    use = ForceUse("law_force", "input", b.phi, law, inputs=inputs, label=f"{name}.torque")
    symbols = (Symbol("torque", b.name, b.centroid),)
    return Force("torque", name, {"body": b.name, "torque": torque}, (b.name,), (use,), symbols=symbols)


def along_joint(model: Model, joint: Constraint | Quantity | str, user: str, measures: Sequence[str]) -> Quantity:
    """Quantity that a joint measures, by the first of the names that it has, or a measured quantity given as such."""
    if isinstance(joint, Quantity) or (isinstance(joint, str) and "." in joint):
        return model.scalar(joint, user, valued=True)
    target = model.joint(joint, user)
    for key in measures:
        if key in target.measures and _leaves_free(target, key):
            return target.measures[key]
    held = [f"'{target.name}.{key}'" for key in measures if key in target.measures]
    if held:
        raise ModelError(
            f"{user}: joint {target.name!r} is a {target.kind}, which holds {' and '.join(held)}. Use a joint that leaves it free."
        )
    has = ", ".join(f"'{target.name}.{key}'" for key in target.measures) or "nothing"
    raise ModelError(
        f"{user}: joint {target.name!r} is a {target.kind} and has no {' or '.join(measures)} of its own; it measures {has}."
    )


def _leaves_free(joint: Constraint, measure: str) -> bool:
    """Return False if a joint is known to hold the angle or distance that it measures."""
    free = joint.freedom
    kinds = ("rotation",) if measure == "angle" else ("translation", "rotation")  # a screw turns and advances
    return free is None or any(motion.kind in kinds and (motion.kind == kinds[0] or motion.pitch) for motion in free)


def between_bodies(
    model: Model, user: str, name: str, joint: Constraint | Quantity | str | None, first: Place | None, second: Place | None,
    measures: Sequence[str],
) -> tuple[Quantity, dict[str, object]]:  # fmt: skip
    """Quantity along which a motor or torsion spring acts, from its joint or (in the plane) two bodies, and the arguments that state it."""
    bodies = {key: place for key, place in (("first", first), ("second", second)) if place is not None}
    given = " and ".join(f"{key}=" for key in bodies)
    if joint is not None:
        if bodies:
            raise ModelError(f"{user} has both joint= and {given}. Use either a joint or two bodies.")
        along = along_joint(model, joint, user, measures)
        return along, {"joint": model.spoken(along)}
    if model.space.dimension == 3:
        if bodies:
            raise ModelError(
                f"{user}: {given} is not supported in space, where two bodies have no single angle. Use joint=."
            )
        raise ModelError(f"{user} needs joint=, which is missing. Use the name of a joint or of a measured quantity.")
    if first is None or second is None:
        missing = "first=" if second is not None else "second=" if bodies else "joint="
        raise ModelError(f"{user} needs {missing}, which is missing. Use joint=, or two bodies: first= and second=.")
    i, j = model.body_of(first).name, model.body_of(second).name
    model.different_bodies(name, i, j, user.partition(" ")[0])
    return linear({j: (0, 0, 1.0), i: (0, 0, -1.0)}, ANGLE, f"{name}.angle"), {"first": i, "second": j}


def axle_symbols(kind: SymbolKind, along: Quantity, dimension: int, free: float = 0.0) -> tuple[Symbol, ...]:
    """Symbol of a motor or torsion spring: in space where its quantity is measured, in the plane at the pin of its two bodies."""
    if dimension == 3:
        return (symbol_along(kind, along, free=free),)
    if along.unit != ANGLE:
        return _between("actuator", along)
    if along.primitive != "linear" or len(along.bodies) > 2:
        return ()
    turned, carrier = along.bodies[0], along.bodies[1] if len(along.bodies) == 2 else GROUND
    return (Symbol(kind, carrier, (0.0, 0.0), other_body=turned, free=free),)


@force_type(
    sample=lambda a, b, c: {"joint": ("revolute", {"first": a.at(0.3, 0.1), "second": b.at(-0.2, 0.4)}),
    "torque": "1 + t - 0.1*J.angle.rate"}
)  # fmt: skip
@spatial_force_type(
    sample=lambda a, b, c: {"joint": ("cylindrical", {"first": a.marker((0.3, 0.1, 0.2)),
    "second": b.marker((-0.2, 0.4, 0.1))}), "torque": "1 + t - 0.1*J.angle.rate"}
)  # fmt: skip
def motor(
    model: Model,
    name: str,
    joint: Constraint | Quantity | str | None = None,
    torque: Law | None = None,
    *,
    first: Place | None = None,
    second: Place | None = None,
) -> Force:
    """Torque along a joint's angle, or force along its distance if it has no angle; the opposite acts on the first body.

    ``m.motor("M", "A", 5.0)`` acts in joint "A"; ``m.motor("M", first="ground", second="crank", torque=5.0)`` between two bodies.

    Args:
        joint: Joint, or one of its measured quantities such as "C.distance".
        torque: Load that drives the second body forward [N m or N]: a number, a table of t, or a formula of t and measured quantities,
            e.g. ``"5 - 0.1*A.angle.rate"``.
        first, second: Instead of `joint`, in the plane: body that carries the motor, and body that is turned.

    Measures: ``angle`` [rad] or ``distance`` [m].
    """
    user = f"motor {name!r}"
    along, given = between_bodies(model, user, name, joint, first, second, ("angle", "distance"))
    if torque is None:
        raise ModelError(f"{user} needs torque=, which is missing. Use a number, a table or a formula.")
    law, inputs = law_of(model, torque, f"torque of {user}")
    turns = along.unit == ANGLE
    use = ForceUse("law_force", "input", along, law, inputs=inputs, label=f"{name}.{'torque' if turns else 'force'}")
    return Force(
        "motor", name, {**given, "torque": torque}, acting_bodies(along), (use,), {"angle" if turns else "distance": along},
        axle_symbols("motor", along, model.space.dimension),
    )  # fmt: skip


def acting_bodies(along: Quantity) -> tuple[str, ...]:
    """Bodies of a force along a quantity; an angle of the plane counts its second body first."""
    return along.bodies[::-1] if along.primitive == "linear" else along.bodies


@force_type(sample=lambda a, b, c: {"quantity": a.at(0.1, 0.2).y, "law": f"-3*{b.name}.x + {a.name}.omega*t"})
@spatial_force_type(
    sample=lambda a, b, c: {"quantity": a.at(0.1, 0.2, 0.3).y, "law": f"-3*{b.name}.x + {a.name}.wx*t + {a.name}.vz"}
)
def user_force(
    model: Model,
    name: str,
    quantity: Quantity | str,
    law: Law | Callable[..., float],
    *,
    inputs: Sequence[str] = (),
) -> Force:
    """Force along any measured quantity; positive drives the quantity up.

    Args:
        quantity: E.g. ``m["A"].angle`` (a torque in the joint), ``m.point("P").y``, "T.distance".
        law: Force or torque [N or N m]: formula of t and measured quantities ("crank.phi", "P.vx", "A.angle.rate", "A.reaction"), or a
            Python function.
        inputs: For a Python function: names of the quantities it is called with, in order; "t" is time.
    """
    along = model.scalar(quantity, f"force {name!r}")
    if isinstance(inputs, str) or not isinstance(inputs, Sequence) or not all(isinstance(key, str) for key in inputs):
        raise ModelError(
            f"inputs of user_force {name!r} must be a list of names such as ['t', 'A.angle'], but it is {short(inputs)}; leave it out for "
            "a formula."
        )
    if len(set(inputs)) < len(inputs):
        raise ModelError(
            f"inputs of user_force {name!r} name a quantity twice: {short(inputs)}; name each of them once."
        )
    if callable(law) and not isinstance(law, Table):
        named = {key: model.law_input(key, f"force {name!r}") for key in inputs}
        use = ForceUse("function_force", "input", along, function=law, inputs=named, label=f"{name}.force")
    else:
        if inputs:
            raise ModelError(f"user_force {name!r}: inputs= belong to a Python function; a formula names what it uses.")
        formula, found = law_of(model, law, f"law of force {name!r}")
        use = ForceUse("law_force", "input", along, formula, inputs=found, label=f"{name}.force")
    given = {"quantity": model.spoken(along), "law": law, "inputs": tuple(inputs)}
    return Force("user_force", name, given, along.bodies, (use,), {"value": along}, symbols=_between("actuator", along))


@force_type(sample=lambda a, b, c: {"body": a, "coefficient": 0.5, "area": 0.2, "center": (0.1, 0.05)})
def drag(
    model: PlanarModel,
    name: str,
    body: Place,
    *,
    coefficient: Scalar,
    area: Scalar,
    density: Scalar = 1.225,
    center: Scalars = (0.0, 0.0),
    wind: Scalars = (0.0, 0.0),
) -> Force:
    """Aerodynamic drag: half c_d rho A v², against the velocity relative to the wind.

    Args:
        body: Body.
        coefficient: Drag coefficient c_d.
        area: Reference area [m²].
        density: Density of the medium [kg/m³]; air by default.
        center: Centre of pressure in body coordinates [m]; off the centroid it makes a moment.
        wind: Velocity of the medium [m/s].
    """
    b = model.body_of(body)
    at, flow = checked_vector(center, f"center of drag {name!r}"), checked_vector(wind, f"wind of drag {name!r}")
    data = (*at, drag_factor(name, coefficient, area, density), *flow)
    use = ForceUse("drag_force", "damping", bodies=(b.name,), data=data, label=f"{name}.drag")
    given = {
        "body": b.name,
        "coefficient": coefficient,
        "area": area,
        "density": density,
        "center": at,
        "wind": flow,
    }
    return Force("drag", name, given, (b.name,), (use,), symbols=(Symbol("drag", b.name, at),))


@force_type(sample=lambda a, b, c: {"quantity": model_distance(a, b), "area": 0.01, "volume": 0.002, "pressure": 1e5})
@spatial_force_type(sample=lambda a, b, c: {"quantity": a.x, "area": 0.01, "volume": 0.002, "pressure": 1e5})
def gas_spring(
    model: Model, name: str, quantity: Quantity | str, *, area: Scalar, volume: Scalar, pressure: Pressure, outside: Law = 101325.0,
    exponent: Scalar = 1.0, length: Length | None = None,
) -> Force:  # fmt: skip
    """Sealed gas that pushes a measured length apart: F = (p - p_out) A with p V^n constant.

    Args:
        quantity: Length or distance that the gas drives up [m].
        area: Piston area [m²].
        volume: Gas volume at `length` [m³].
        pressure: Absolute gas pressure at `length` [Pa].
        outside: Pressure outside [Pa]: a number, or a formula of t.
        exponent: 1 for isothermal, 1.4 for adiabatic air.
        length: Value of the quantity for which volume and pressure are given [m]; defaults to the initial value.
    """
    along = model.scalar(quantity, f"gas_spring {name!r}", valued=True)
    start = model.drawn_value(along) if length is None else checked_number(length, f"length of gas_spring {name!r}")
    area, volume, pressure, exponent = (
        check_positive(checked_number(value, f"{what} of gas_spring {name!r}"), f"{what} of gas_spring {name!r}")
        for value, what in ((area, "area"), (volume, "volume"), (pressure, "pressure"), (exponent, "exponent"))
    )
    out, inputs = law_of(model, outside, f"outside of gas_spring {name!r}")
    # a logarithm: without volume there is no force, also where n is a whole number
    gas = filled(
        "p*a*exp(-n*log(1 + a*(x - start)/volume))", p=pressure, a=area, start=start, volume=volume, n=exponent
    )
    law = gas - out * area
    use = ForceUse(
        "law_force",
        "input",
        along,
        law,
        inputs={**inputs, "x": Input("value", along)},
        slack=start,
        label=f"{name}.force",
    )
    given = {
        "quantity": model.spoken(along), "area": area, "volume": volume, "pressure": pressure, "outside": outside, "exponent": exponent,
        "length": start,
    }  # fmt: skip
    return Force(
        "gas_spring", name, given, along.bodies, (use,), {"value": along}, symbols=_between("gas-spring", along)
    )


def _between(kind: SymbolKind, along: Quantity) -> tuple[Symbol, ...]:
    """What acts along the distance of two points in the plane is drawn between them."""
    if along.primitive != "distance":
        return ()
    (i, j), (xi, eta, other_xi, other_eta) = along.bodies, along.data
    return (Symbol(kind, i, (xi, eta), other_body=j, other_position=(other_xi, other_eta)),)


def drag_factor(name: str, coefficient: Scalar, area: Scalar, density: Scalar) -> float:
    """Drag per squared speed [N s²/m²], checked."""
    numbers = [
        check_not_negative(checked_number(v, f"{w} of drag {name!r}"), f"{w} of drag {name!r}")
        for v, w in ((coefficient, "coefficient"), (area, "area"), (density, "density"))
    ]
    return 0.5 * traced_numbers.prod(numbers)


def model_distance(a: object, b: object) -> Quantity:
    """Distance between the origins of two bodies, for samples."""
    names = (a.name, b.name)  # type: ignore[attr-defined]
    return Quantity("distance", names, (0.0, 0.0, 0.0, 0.0), ("m",), "distance")
