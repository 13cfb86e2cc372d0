"""Friction in joints, friction with sticking, and stops."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from pytrammel._util import traced_numbers
from pytrammel._util.checks import checked_number
from pytrammel._util.messages import apart, unit_of
from pytrammel.errors import ModelError
from pytrammel.expressions.expression import Expression, as_expression, filled
from pytrammel.expressions.functions import abs as abs_
from pytrammel.forces.force import (
    Force,
    ForceUse,
    Gap,
    Hold,
    Input,
    Load,
    check_not_negative,
    force_type,
    friction_pair,
)
from pytrammel.joints.constraint import Block, check_positive, symbol_along
from pytrammel.model.bodies import GROUND
from pytrammel.model.quantities.quantity import Quantity
from pytrammel.model.spatial_registries import spatial_force_type

if TYPE_CHECKING:
    from pytrammel.joints.constraint import Constraint
    from pytrammel.model.argument_types import Length, Scalar, Scalars, Speed
    from pytrammel.model.base import Model

SLIDES = 7  # place among the constants of dry friction that says whether it slides
SLOW_SHARE = 0.1  # of the stick speed: a motion that is slower may be caught
# below it sliding friction fades: so far below that no load short of the limit creeps without being caught
LEAST_SHARE = 0.2 * SLOW_SHARE


@force_type(sample=lambda a, b, c: {"joint": ("revolute", {"first": a.at(0.3, 0.1), "second": b.at(-0.2, 0.4)}),
    "friction": 0.2, "radius": 0.05})  # fmt: skip
@spatial_force_type(sample=lambda a, b, c: {"joint": ("revolute", {"first": a.marker((0.3, 0.1, 0.2)),
    "second": b.marker((-0.2, 0.4, 0.1))}), "friction": 0.2, "radius": 0.05})  # fmt: skip
def joint_friction(
    model: Model,
    name: str,
    joint: Constraint | str,
    *,
    friction: Scalar | Scalars = 0.0,
    radius: Length | None = None,
    length: Length | None = None,
    viscous: Scalar = 0.0,
    stick_speed: Scalar | None = None,
    stick: bool = False,
) -> Force:
    """Friction in a revolute or sliding joint, proportional to what presses its surfaces together (Coulomb) and to its rate.

    What presses is the joint's reaction as it is reported. A bearing or guide of a given length carries the couple across its axis by
    forces at its two ends, which press too; a bearing adds its thrust, a guide the couple about its axis over its radius.

    Args:
        joint: The joint.
        friction: Coefficient of friction, or (static, dynamic).
        radius: Pin radius of a revolute joint [m]; in space of a guide: distance from its axis at which it carries a couple about it.
        length: Length of the bearing or guide, its middle at the joint's point on the second body [m]. Without it couples add no
            friction, and a run in which there are any says so.
        viscous: Viscous friction [N m s/rad or N s/m].
        stick_speed: Rate below which Coulomb friction fades [rad/s or m/s]; 1e-3 by default. With `stick`, rate over which it falls from
            static to dynamic.
        stick: Friction truly sticks, without creeping, up to its static limit.

    Columns: ``force``, and with `stick` ``limit``, the largest that sticking can bear.
    """
    target = model.joint(joint, f"friction {name!r}")
    if not target.turning and not target.sliding:
        raise ModelError(
            f"friction {name!r}: joint {target.name!r} is a {target.kind}; friction acts in joints that turn (revolute, "
            "cylindrical, screw) and in sliding joints."
        )
    mu_s, mu_d = friction_pair(friction, f"friction of joint_friction {name!r}")
    sizes = [
        None if size is None else check_positive(checked_number(size, f"{what} of friction {name!r}"), f"{what} of friction {name!r}")
        for size, what in ((radius, "radius"), (length, "length"))
    ]  # fmt: skip
    if target.turning and mu_s > 0.0 and radius is None:
        raise ModelError(f"friction {name!r}: a revolute joint needs radius=, the radius of its pin.")
    plane = model.space.dimension == 2
    if plane and (length is not None if target.turning else radius is not None):
        what = "length" if target.turning else "radius"
        raise ModelError(
            f"friction {name!r}: {what}= says nothing about a {target.kind} joint in the plane; leave it out."
        )
    along = target.measures["angle" if target.turning else "distance"]
    arm = sizes[0] if target.turning and sizes[0] is not None else 1.0
    rate = check_positive(
        checked_number(1e-3 if stick_speed is None else stick_speed, f"stick_speed of friction {name!r}"),
        f"stick_speed of friction {name!r}",
    )
    c = check_not_negative(checked_number(viscous, f"viscous of friction {name!r}"), f"viscous of friction {name!r}")
    load = Input("reaction", joint=target.name, load=_load_of(target, plane, *sizes))
    given = {
        "joint": target.name, "friction": (mu_s, mu_d), "radius": radius, "length": length, "viscous": viscous, "stick_speed": rate,
        "stick": stick,
    }  # fmt: skip
    if stick:
        if not mu_s > 0.0:
            raise ModelError(f"friction {name!r}: stick=True needs friction= greater than 0.")
        normal = filled("arm*pressed", arm=arm)
        uses, hold = sticking(name, along, normal, {"pressed": load}, (mu_s, mu_d), rate, viscous=c)
        return Force(
            "joint_friction",
            name,
            given,
            target.bodies,
            uses,
            symbols=(symbol_along("friction", along),),
            holds=(hold,),
        )
    mu = "(mu + more*exp(-(0.5*v/rate)^2))" if mu_s > mu_d else "mu"
    law = filled(
        f"-{mu}*arm*pressed*tanh(v/rate) - viscous*v", mu=mu_d, more=mu_s - mu_d, arm=arm, rate=rate, viscous=c
    )
    inputs = {"pressed": load, "v": Input("rate", along)}
    use = ForceUse(
        "law_force",
        "damping",
        along,
        law,
        inputs={k: i for k, i in inputs.items() if k in law.names},
        label=f"{name}.force",
    )
    return Force("joint_friction", name, given, target.bodies, (use,), symbols=(symbol_along("friction", along),))


def _load_of(joint: Constraint, plane: bool, radius: float | None, length: float | None) -> Load | None:
    """How the joint's reaction presses: None where only the size of the force counts."""
    if plane and joint.turning:
        return None
    seat = joint.seats[1]
    body = next(name for name in reversed(joint.bodies) if name != GROUND)
    return Load(body, seat.body, seat.point, seat.axis, length, radius if joint.sliding else None, joint.sliding)


@force_type(sample=lambda a, b, c: {"quantity": a.at(0.1, 0.0).x, "normal": 10.0, "friction": (0.4, 0.3)})
@spatial_force_type(sample=lambda a, b, c: {"quantity": a.at(0.1, 0.0, 0.2).x, "normal": 10.0, "friction": (0.4, 0.3)})
def stick_slip(
    model: Model,
    name: str,
    quantity: Quantity | str,
    *,
    normal: float | str | Expression,
    friction: Scalar | Scalars,
    stick_speed: Speed = 1e-3,
    bristle_stiffness: Scalar | None = None,
    bristle_damping: Scalar | None = None,
) -> Force:
    """Friction along a measured quantity that truly sticks: it holds without creeping and breaks away at the static limit.

    Args:
        quantity: What slides, e.g. "T.distance".
        normal: Normal force [N]: a number or a formula ("T.reaction", "10 + t").
        friction: Coefficient of friction, or (static, dynamic).
        stick_speed: Speed over which friction falls from static to dynamic [m/s].
        bristle_stiffness: Stiffness while sticking [N/m]: a bristle bends and breaks away at the static limit. By default none bends: the
            quantity is held rigidly.
        bristle_damping: Damping of the bristle while sticking [N s/m].

    Columns: ``force``, and ``limit``, the largest that sticking can bear.
    """
    along = model.scalar(quantity, f"friction {name!r}")
    mu_s, mu_d = friction_pair(friction, f"friction of stick_slip {name!r}")
    law = as_expression(normal, f"normal of friction {name!r}")
    speed = check_positive(
        checked_number(stick_speed, f"stick_speed of friction {name!r}"), f"stick_speed of friction {name!r}"
    )
    if bristle_stiffness is None and bristle_damping is not None:
        raise ModelError(f"friction {name!r}: bristle_damping= needs bristle_stiffness=; without it nothing bends.")
    bristle = None
    if bristle_stiffness is not None:
        what = f"bristle_stiffness of friction {name!r}", f"bristle_damping of friction {name!r}"
        bristle = (
            check_positive(checked_number(bristle_stiffness, what[0]), what[0]),
            check_not_negative(checked_number(0.0 if bristle_damping is None else bristle_damping, what[1]), what[1]),
        )
    inputs = {key: model.law_input(key, f"friction {name!r}") for key in sorted(law.names)}
    uses, hold = sticking(name, along, law, inputs, (mu_s, mu_d), speed, bristle=bristle)
    given = {
        "quantity": model.spoken(along), "normal": normal, "friction": (mu_s, mu_d), "stick_speed": stick_speed,
        "bristle_stiffness": bristle_stiffness, "bristle_damping": bristle_damping,
    }  # fmt: skip
    return Force(
        "stick_slip",
        name,
        given,
        along.bodies,
        uses,
        {"value": along},
        symbols=(symbol_along("friction", along),),
        holds=(hold,),
    )


def sticking(
    name: str, along: Quantity, normal: Expression, inputs: Mapping[str, Input], coefficients: tuple[float, float], speed: float, *,
    viscous: float = 0.0, bristle: tuple[float, float] | None = None,
) -> tuple[tuple[ForceUse, ForceUse], Hold]:  # fmt: skip
    """Dry friction along a quantity with a normal force: what acts while it slides, its static limit, and the row that holds it."""
    least = LEAST_SHARE * speed
    data = (*coefficients, speed, least, viscous, *(bristle or (0.0, 0.0)), 1.0)
    slide = ForceUse(
        "dry_friction", "damping", along, normal, inputs=inputs, has_state=True, data=data, label=f"{name}.force"
    )
    limit = ForceUse("gauge", "damping", along, coefficients[0] * abs_(normal), inputs=inputs, label=f"{name}.limit")
    hold = Hold(
        f"{name}.stick", along.bodies, (Block(along, (0.0,)),), reported=(0,), limit=1, slow=SLOW_SHARE * speed,
        bristle=None if bristle is None else SLIDES,
    )  # fmt: skip
    return (slide, limit), hold


@force_type(sample=lambda a, b, c: {"quantity": a.phi, "low": -0.2, "high": 0.1, "stiffness": 20.0, "damping": 1.0})
@spatial_force_type(
    sample=lambda a, b, c: {"quantity": a.x, "low": -0.2, "high": 0.1, "stiffness": 20.0, "damping": 1.0}
)
def end_stop(
    model: Model,
    name: str,
    quantity: Quantity | str,
    *,
    low: Scalar | None = None,
    high: Scalar | None = None,
    stiffness: Scalar,
    damping: Scalar = 0.0,
) -> Force:
    """End stops of a measured quantity: a stiff spring beyond the limits, with damping that grows with the penetration.

    Args:
        quantity: E.g. ``m["A"].angle`` or "T.distance".
        low, high: Limits [rad or m]; leave one out for a stop on one side.
        stiffness: [N m/rad or N/m].
        damping: Force is k d (1 + damping d'), which neither jumps at touch nor pulls [s/rad or s/m].
    """
    along = model.scalar(quantity, f"end_stop {name!r}", valued=True)
    if low is None and high is None:
        raise ModelError(f"end_stop {name!r}: give low=, high= or both.")
    low = None if low is None else checked_number(low, f"low of end_stop {name!r}")
    high = None if high is None else checked_number(high, f"high of end_stop {name!r}")
    if low is not None and high is not None and not low < high:
        (less, more), unit = apart(low, high), unit_of(f"low of end_stop {name!r}", ", in ")
        raise ModelError(f"end_stop {name!r}: low = {less} must be smaller than high = {more}{unit}.")
    k = check_positive(checked_number(stiffness, f"stiffness of end_stop {name!r}"), f"stiffness of end_stop {name!r}")
    c = check_not_negative(checked_number(damping, f"damping of end_stop {name!r}"), f"damping of end_stop {name!r}")
    parts = []
    if low is not None:
        parts.append(filled("k*max(0, low - x)*max(0, 1 - c*v)", k=k, low=low, c=c))
    if high is not None:
        parts.append(filled("-k*max(0, x - high)*max(0, 1 + c*v)", k=k, high=high, c=c))
    law = parts[0] if len(parts) == 1 else parts[0] + parts[1]
    inputs = {"x": Input("value", along), "v": Input("rate", along)}
    use = ForceUse(
        "law_force",
        "contact",
        along,
        law,
        inputs={key: i for key, i in inputs.items() if key in law.names},
        label=f"{name}.force",
    )
    given = {"quantity": model.spoken(along), "low": low, "high": high, "stiffness": k, "damping": c}
    limits = -traced_numbers.inf if low is None else low, traced_numbers.inf if high is None else high
    symbol = symbol_along("end-stop", along, limits=limits)
    gap = Gap(_room(name, along, low, high), 0.0, k, 1.0, travel=0.0 if low is None or high is None else high - low)
    return Force("end_stop", name, given, along.bodies, (use,), {"value": along}, symbols=(symbol,), gap=gap)


def _room(name: str, along: Quantity, low: float | None, high: float | None) -> Quantity:
    """Distance of a quantity from the nearer of its stops."""
    ends = {key: end for key, end in (("low", low), ("high", high)) if end is not None}
    formula = filled({1: "x - low" if high is None else "high - x", 2: "min(x - low, high - x)"}[len(ends)], **ends)
    return Quantity(
        "expression", along.bodies, (1.0,), along.units, f"room of {name}", formula=formula, inputs={"x": along}
    )
