"""Bodies taken together by name, and their centre of mass as something to measure: "system.com.x", "arm.com.y", "crank.com.x"."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from pytrammel._util.checks import listed
from pytrammel._util.messages import short
from pytrammel.errors import ModelError
from pytrammel.expressions.expression import Expression, number, variable
from pytrammel.model.bodies import GROUND, counted_mass
from pytrammel.model.quantities.quantity import LENGTH, Quantity

if TYPE_CHECKING:
    from pytrammel.model.builder import Lookup

SYSTEM = "system"  # all moving bodies
CENTRE = ".com"


def checked_group(model: Lookup, name: str, bodies: Iterable[object]) -> tuple[str, ...]:
    """Names of the bodies of a group."""
    if isinstance(bodies, str) or not isinstance(bodies, Iterable):
        raise ModelError(
            f"group {name!r}: bodies must be a list of bodies or their names, but it is {short(bodies)}; write [{bodies!r}]."
        )
    names = [model.body_of(body).name for body in listed(bodies, f"group {name!r}: bodies")]
    if not names or GROUND in names or len(set(names)) < len(names):
        raise ModelError(f"group {name!r} must name moving bodies, each once and at least one, not {short(names)}.")
    return tuple(names)


def members(model: Lookup, name: str) -> tuple[str, ...] | None:
    """Moving bodies that a name stands for: a body, a group, or "system" for all of them; None for anything else."""
    if name in model.bodies:
        return None if name == GROUND else (name,)
    if name in model.groups:
        return model.groups[name]
    return tuple(list(model.bodies)[1:]) if name == SYSTEM else None


def centre_measures(model: Lookup, owner: str) -> Mapping[str, Quantity] | None:
    """Coordinates of a centre of mass as quantities, by axis; None if the owner is none."""
    name, dot, _ = owner.rpartition(CENTRE)
    bodies = members(model, name) if dot and owner == name + CENTRE else None
    if bodies is None:
        return None
    heavy = [model.bodies[body] for body in bodies if body in model.bodies and counted_mass(model.bodies[body])]
    total = sum(body.mass for body in heavy)
    if not heavy:
        raise ModelError(f"{owner!r}: nothing there has a mass, so that there is no centre of mass.")
    out: dict[str, Quantity] = {}
    for axis in model.space.axes:
        inputs = {f"c{k}": getattr(body.at(*body.centroid), axis) for k, body in enumerate(heavy)}
        formula: Expression = number(0.0)
        for key, body in zip(inputs, heavy, strict=True):
            formula = formula + (body.mass / total) * variable(key)
        names = tuple(dict.fromkeys(name for quantity in inputs.values() for name in quantity.bodies))
        out[axis] = Quantity("expression", names, (1.0,), (LENGTH,), f"{owner}.{axis}", formula=formula, inputs=inputs)
    return out
