"""Every quantity of a result by its name, in any unit, and formulas of them."""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from trammel.errors import ModelError
from trammel.model.constraint import Constraint
from trammel.model.dimensions import in_words, read_unit
from trammel.model.parameters import read_formula
from trammel.results.dynamics import dynamics_data
from trammel.results.dynamics_text import dynamics_columns
from trammel.results.segments import part, per_model
from trammel.sentences import short

if TYPE_CHECKING:
    from trammel.results.result import Result

Array = NDArray[np.float64]
Column = tuple[Array, str]
_IN_UNIT = re.compile(r"(.*\S)\s*\[([^\[\]]*)\]\s*", re.DOTALL)
_OF_FORCES = ("reaction", "fx", "fy", "fz", "mx", "my", "mz", "moment", "effort", "power", "force")
NO_FORCES = "this result comes from kinematics and has no forces; use simulate or inverse_dynamics."


def split_unit(name: str) -> tuple[str, str]:
    """A name and the unit it is asked for in, "" for SI: "crank.omega [rpm]"."""
    match = _IN_UNIT.fullmatch(name)
    return (match[1], match[2].strip()) if match else (name, "")


def in_unit(name: str, column: Column, wanted: str) -> Column:
    """A column in another unit of the same kind."""
    values, unit = column
    factor, kind = read_unit(wanted)
    own, what = read_unit(unit or "1")
    if kind != what:
        raise ModelError(f"{name!r} is {in_words(what)}; it cannot be shown in {wanted!r}, which is {in_words(kind)}.")
    return values * (own / factor), wanted


def more_columns(result: Result, owner: str, what: str, reaction: Callable[..., Any]) -> Column | None:
    """Columns that no table holds by itself: speeds, components of reactions, powers, other words; None if it is none of them."""
    model = result.model
    if not owner and what in ("t", "time"):
        return result.times, "s"
    if not owner and what in model.definitions:
        return formula_of(result, what), "1"
    if what == "speed" and (owner in model.bodies or owner in model.points):
        velocity = result.body(owner).velocity if owner in model.bodies else result.point(owner).velocity
        return np.asarray(np.linalg.norm(velocity, axis=1)), "m/s"
    if what == "angle" and model.space.dimension == 2 and owner in model.bodies:
        return result.body(owner).phi, "rad"
    joint_name, _, kind = owner.rpartition(".")
    if kind == "reaction" and joint_name in model.constraints:
        return _of_reaction(result, model.constraints[joint_name], what, reaction)
    if what == "power" and owner in model.constraints:
        return _power_of_driver(result, model.constraints[owner])
    force = model.forces.get(owner)
    if force is not None and what in ("force", "power") and what not in force.measures:
        if what == "force":
            along = next((use.along for use in force.uses if use.along is not None), None)
            unit = next((use.unit for use in force.uses if use.unit), None)
            return result.force(owner), unit or ("N m" if along is not None and along.unit == "rad" else "N")
        return _power_of_force(result, owner), "W"
    return None


def _of_reaction(result: Result, joint: Constraint, what: str, reaction: Callable[..., Any]) -> Column | None:
    axes = result.model.space.axes
    moments = ("moment",) if len(axes) == 2 else ("mx", "my", "mz")
    if what not in (*axes, *moments, "size"):
        return None
    if result.dynamics is None:
        raise ModelError(NO_FORCES)
    found = reaction(result, joint, joint.second)
    if what == "size":
        return found.size, "N"
    if what in axes:
        return found.force[:, axes.index(what)], "N"
    return (found.moment if found.moment.ndim == 1 else found.moment[:, moments.index(what)]), "N m"


def _power_of_driver(result: Result, joint: Constraint) -> Column | None:
    if joint.n_rows != 1 or "power" in joint.measures:
        return None
    rate = result.measure(joint.blocks[0].quantity).rate
    if rate is None:
        raise ModelError(f"'{joint.name}.power' needs velocities; run with level='velocity' or more.")
    return result.effort(joint.name) * rate, "W"


@per_model
def _power_of_force(result: Result, name: str) -> Array:
    """What all elements of a force put into the bodies [W], shape (n,)."""
    powers = dynamics_data(result).outputs[:, 1::2]
    own = [k for k, force in enumerate(result.system.forces) if force.owner == name]
    return np.asarray(powers[:, own].sum(axis=1))


def quantity_names(result: Result) -> list[str]:
    """Names of everything that can be asked for, as far as the run went."""
    model = result.model
    names = ["t", *result.column_names(), *model.definitions]
    moving = [*list(model.bodies)[1:], *model.points] if result.v is not None else []
    names += [f"{owner}.speed" for owner in moving]
    if model.space.dimension == 2:
        names += [f"{body}.angle" for body in list(model.bodies)[1:]]
    measured = [f"{c.name}.{m}" for c in model.constraints.values() for m in c.measures]
    measured += [f"{f.name}.{m}" for f in model.forces.values() for m, given in f.measures.items() if given.has_value]
    names += measured
    names += [f"{name}.rate" for name in measured if result.v is not None]
    names += [f"{name}.second" for name in measured if result.a is not None]
    if result.dynamics is not None:
        names += _force_names(result)
    return list(dict.fromkeys(names))


def _force_names(result: Result) -> list[str]:
    space = result.model.space
    parts = [*space.axes, *(("moment",) if space.dimension == 2 else ("mx", "my", "mz")), "size"]
    names = list(dynamics_columns(result))
    for joint in result.model.constraints.values():
        if joint.second and joint.seats:
            names += [f"{joint.name}.reaction", *(f"{joint.name}.reaction.{p}" for p in parts)]
        if joint.n_rows == 1:
            names += [f"{joint.name}.effort", f"{joint.name}.power"]
    return names + [f"{force}.{what}" for force in result.model.forces for what in ("force", "power")]


def units_of(result: Result) -> dict[str, str]:
    """Unit of every quantity by name; found at one instant, whatever the length of the run."""
    one = part(result, 0, min(1, len(result)))
    names = quantity_names(one)
    return {name: unit for name, (_, unit) in zip(names, one._columns(names), strict=True)}


def unknown_quantity(result: Result, name: object) -> ModelError:
    """The sentence about a name that means nothing here."""
    owner, _, what = str(name).rpartition(".")
    if (
        result.dynamics is None
        and (owner in result.model.constraints or owner in result.model.forces)
        and what in _OF_FORCES
    ):
        return ModelError(NO_FORCES)
    known = quantity_names(result)
    own = [each for each in known if each.rpartition(".")[0] == owner]
    near = difflib.get_close_matches(str(name), known, n=1)
    if near:
        hint = f"did you mean {near[0]!r}?"
    elif owner and own:
        hint = f"{owner!r} has: {', '.join(each.rpartition('.')[2] for each in own[:20])}."
    else:
        hint = f"it has: {', '.join(known[:12])}, …; quantities() lists all."
    return ModelError(f"there is no quantity {short(name)} in this result of model {result.model.name!r}; {hint}")


def formula_of(result: Result, text: str) -> Array:
    """Values of a formula over quantities, parameters and t, shape (n,)."""
    expression = read_formula(result.model, text, "the formula")
    names = sorted(expression.names)
    columns: Sequence[Column] = result._columns(names)
    values: dict[str, Any] = {name: column for name, (column, _) in zip(names, columns, strict=True)}
    with np.errstate(all="ignore"):
        found = np.asarray(expression.evaluate(values), dtype=float) + np.zeros(len(result))
    wrong = ~np.isfinite(found)
    if wrong.any():
        k = int(np.argmax(wrong))
        raise ModelError(f"the formula {short(text)} is no number at t = {result.times[k]:.6g} s; it gives {found[k]}.")
    return found
