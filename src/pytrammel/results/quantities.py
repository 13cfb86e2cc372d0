"""Every quantity of a result by its name, in any unit, and formulas of them."""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from pytrammel._util.messages import short
from pytrammel.errors import ModelError
from pytrammel.joints.constraint import Constraint
from pytrammel.model.bodies import counted_mass
from pytrammel.model.parameters import read_formula
from pytrammel.model.quantities.groups import SYSTEM, members
from pytrammel.model.quantities.result_names import kind_in_results
from pytrammel.results.forces.contacts import PLACES, contact_of
from pytrammel.results.forces.dynamics import dynamics_data
from pytrammel.results.forces.force_names import dynamics_columns
from pytrammel.results.segments import part, per_model
from pytrammel.units import in_words, read_unit

if TYPE_CHECKING:
    from pytrammel.expressions.expression import Expression
    from pytrammel.model.base import Model
    from pytrammel.results.forces.groups import GroupSeries
    from pytrammel.results.result import Result

Array = NDArray[np.float64]
Column = tuple[Array, str]
_IN_UNIT = re.compile(r"(.*\S)\s*\[([^\[\]]*)\]\s*", re.DOTALL)
_OF_FORCES = ("reaction", "fx", "fy", "fz", "mx", "my", "mz", "moment", "effort", "power", "force")
FRAMES = ("in_joint_frame", "moment_in_joint_frame")  # of "A.reaction.in_joint_frame.x"
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
        raise ModelError(
            f"{name!r} is {in_words(what)}; it cannot be shown in {wanted!r}, which is {in_words(kind)}. "
            f"Use {unit or '1'!r} or a multiple of it."
        )
    return values * (own / factor), wanted


def more_columns(result: Result, owner: str, what: str, reaction: Callable[..., Any]) -> Column | None:
    """Columns that no table holds by itself: speeds, components of reactions, powers, other words; None if it is none of them."""
    model = result.model
    if not owner and what in ("t", "time"):
        return result.times, "s"
    if result.dynamics is not None and (found := _of_state(result, owner, what)) is not None:
        return found
    if not owner and what in model.definitions:
        return formula_of(result, what), "1"
    if what == "speed" and (owner in model.bodies or owner in model.points):
        velocity = result._body(owner).velocity if owner in model.bodies else result.point(owner).velocity
        return np.asarray(np.linalg.norm(velocity, axis=1)), "m/s"
    if what == "angle" and model.space.dimension == 2 and owner in model.bodies:
        return result._body(owner).phi, "rad"
    found = _of_group(result, owner, what)
    if found is not None:
        return found
    if what in _PARTS and result.dynamics is not None:
        found = _of_load(result, owner, what)
        if found is not None:
            return found
    joint_name, _, kind = owner.rpartition(".")
    if kind == "reaction" and joint_name in model.constraints:
        return _of_reaction(result, model.constraints[joint_name], what, reaction)
    of_frame, _, loads = joint_name.rpartition(".")
    if kind in FRAMES and loads == "reaction" and of_frame in model.constraints:
        return _in_joint_frame(result, model.constraints[of_frame], kind, what, reaction)
    if what == "work" and owner in model.constraints:
        return _work_of_driver(result, model.constraints[owner])
    if what == "power" and owner in model.constraints:
        return _power_of_driver(result, model.constraints[owner])
    found = _of_contact(result, owner, what)
    if found is not None:
        return found
    force = model.forces.get(owner)
    if force is not None and what == "work" and what not in force.measures:
        return _work_of_force(result, owner), "J"
    if force is not None and what in ("force", "power") and what not in force.measures:
        if what == "force":
            along = next((use.along for use in force.uses if use.along is not None), None)
            unit = next((use.unit for use in force.uses if use.unit), None)
            return result.force(owner), unit or ("N m" if along is not None and along.unit == "rad" else "N")
        return _power_of_force(result, owner), "W"
    return None


def _of_state(result: Result, owner: str, what: str) -> Column | None:
    """A state of the user: "x" or "x.value", and its rate "x.rate"."""
    name = f"{owner}.{what}" if owner else what
    states = result.model.states
    if name in states or (what == "value" and owner in states):
        return _value_of_state(result, name if name in states else owner), "1"
    if what == "rate" and owner in states:
        law = next(use.law for use in result.model.forces[states[owner]].uses if use.state == owner)
        return formula_of(result, str(law)), "1/s"
    return None


@per_model
def _value_of_state(result: Result, name: str) -> Array:
    table = dynamics_data(result).inner_states
    if not table.size:
        raise ModelError(f"the state {name!r} is not known here: it is integrated by simulate only.")
    return table[:, result._system.state_places[name]].copy()


_PARTS = ("fx", "fy", "fz", "moment", "mx", "my", "mz", "magnitude")
APPLIED = ".applied"  # resultant of the loads on a body


def _of_group(result: Result, owner: str, what: str) -> Column | None:
    """Of a body, a group or the system: centre of mass, momenta, kinetic energy, power, work."""
    model, axes = result.model, result.model.space.axes
    name, _, kind = owner.rpartition(".")
    whole = members(model, owner)
    if kind == "com" and members(model, name) is not None:
        level = {**dict.fromkeys(axes, 0), **{f"v{a}": 1 for a in axes}, **{f"a{a}": 2 for a in axes}}
        if what not in level:
            return None
        group = result.group(name)
        table = (lambda: group.centre, lambda: group.velocity, lambda: group.acceleration)[level[what]]()
        return table[:, axes.index(what[-1])], ("m", "m/s", "m/s²")[level[what]]
    if (
        kind in ("momentum", "angular_momentum", "angular_momentum_com")
        and what in axes
        and members(model, name) is not None
    ):
        group = result.group(name)
        table = group.momentum if kind == "momentum" else _turning(group, kind)
        if table.ndim == 1:
            return None
        return table[:, axes.index(what)], "kg m/s" if kind == "momentum" else "kg m²/s"
    if whole is None or not whole:
        return None
    if what in ("angular_momentum", "angular_momentum_com") and len(axes) == 2:
        return _turning(result.group(owner), what), "kg m²/s"
    if what in ("kinetic", "power", "work"):
        return getattr(result.group(owner), what), "W" if what == "power" else "J"
    return None


def _turning(group: GroupSeries, kind: str) -> Array:
    """Angular momentum about the centre of mass, or about the global origin."""
    return group.angular_momentum_com if kind == "angular_momentum_com" else group.angular_momentum()


def _of_load(result: Result, owner: str, what: str) -> Column | None:
    """Components of what a force or a joint does to a body ("s.rod.fx", "A.rod.fy"), or of all loads on one ("rod.applied.fx")."""
    model = result.model
    found: Any = None
    body = owner.removesuffix(APPLIED)
    if owner.endswith(APPLIED) and body in model.bodies:
        found = result.resultant(body)
    pieces = owner.split(".")
    for k in range(1, len(pieces)):
        name, body = ".".join(pieces[:k]), ".".join(pieces[k:])
        if body in model.bodies and name in model.forces:
            found = result.force_on(name, body)
        elif body in model.bodies and name in model.constraints and body in model.constraints[name].bodies:
            found = result.reaction(name, on=body)
    if found is None:
        return None
    if what == "magnitude":
        return found.magnitude, "N"
    if what[0] == "f":
        k = "xyz".index(what[1])
        return (found.force[:, k], "N") if k < found.force.shape[1] else None
    if (what == "moment") != (found.moment.ndim == 1):
        return None
    return (found.moment if what == "moment" else found.moment[:, "xyz".index(what[1])]), "N m"


def _of_contact(result: Result, owner: str, what: str) -> Column | None:
    """Place, slip and friction of a contact: "c.point.x", "c.slip", "c.friction", and their global components "c.slip.x"."""
    model, axes = result.model, result.model.space.axes
    name, _, kind = owner.rpartition(".")
    scalar = owner in model.forces and what in ("slip", "friction") and what not in model.forces[owner].measures
    vector = name in model.forces and kind in ("point", "slip", "friction") and what in axes
    if not (scalar or vector):
        return None
    name, kind = (owner, what) if scalar else (name, kind)
    if model.forces[name].kind not in PLACES:
        return None
    if kind == "friction" and result.dynamics is None:
        raise ModelError(NO_FORCES)
    found = contact_of(result, name)
    table = getattr(found, kind)
    unit = {"point": "m", "slip": "m/s", "friction": "N"}[kind]
    return (found.across(table) if scalar else table[:, axes.index(what)]), unit


@per_model
def _work_of_force(result: Result, name: str) -> Array:
    """What all elements of a force have put into the bodies [J], shape (n,)."""
    data = dynamics_data(result)
    if not np.isfinite(data.work).all():
        raise ModelError(f"'{name}.work' is not known: statics and inverse dynamics integrate no work; use simulate.")
    own = [k for k, force in enumerate(result._system.forces) if force.owner == name]
    return np.asarray(data.work[:, own].sum(axis=1))


def _of_reaction(result: Result, joint: Constraint, what: str, reaction: Callable[..., Any]) -> Column | None:
    axes = result.model.space.axes
    moments = ("moment",) if len(axes) == 2 else ("mx", "my", "mz")
    if what not in (*axes, *moments, "magnitude"):
        return None
    if result.dynamics is None:
        raise ModelError(NO_FORCES)
    found = reaction(result, joint, joint.second)
    if what == "magnitude":
        return found.magnitude, "N"
    if what in axes:
        return found.force[:, axes.index(what)], "N"
    return (found.moment if found.moment.ndim == 1 else found.moment[:, moments.index(what)]), "N m"


def _in_joint_frame(
    result: Result, joint: Constraint, kind: str, what: str, reaction: Callable[..., Any]
) -> Column | None:
    """Components of a reaction in the joint frame, as `in_joint_frame` of `result.reaction` has them."""
    axes = result.model.space.axes
    if what not in axes or (kind == FRAMES[1] and len(axes) == 2):
        return None
    if result.dynamics is None:
        raise ModelError(NO_FORCES)
    table = getattr(reaction(result, joint, joint.second), kind)
    return table[:, axes.index(what)], "N" if kind == FRAMES[0] else "N m"


def _power_of_driver(result: Result, joint: Constraint) -> Column | None:
    if joint.n_rows != 1 or "power" in joint.measures:
        return None
    rate = result._measure(joint.blocks[0].quantity).rate
    if rate is None:
        raise ModelError(f"'{joint.name}.power' needs velocities; run with level='velocity' or more.")
    return result.effort(joint.name) * rate, "W"


def _work_of_driver(result: Result, joint: Constraint) -> Column | None:
    """What a driver has put in, where it is the only one: runs integrate the work of all drivers together."""
    if not joint.is_driver or joint.n_rows != 1 or "work" in joint.measures:
        return None
    drivers, work = _drivers(result), dynamics_data(result).work[:, -1]
    if len(drivers) > 1 or not np.isfinite(work).all():
        raise ModelError(
            f"'{joint.name}.work' is not known: a run integrates the work of all drivers together ({', '.join(drivers)}), and statics and "
            f"inverse dynamics none; ask for '{joint.name}.power'."
        )
    return work.copy(), "J"


def _drivers(result: Result) -> list[str]:
    return [c.name for c in result.model.constraints.values() if c.is_driver]


@per_model
def _power_of_force(result: Result, name: str) -> Array:
    """What all elements of a force put into the bodies [W], shape (n,)."""
    powers = dynamics_data(result).outputs[:, 1::2]
    own = [k for k, force in enumerate(result._system.forces) if force.owner == name]
    return np.asarray(powers[:, own].sum(axis=1))


def quantity_names(result: Result) -> list[str]:
    """Names of everything that can be asked for, as far as the run went."""
    model = result.model
    names = ["t", *result._table_names(), *model.definitions]
    if result.dynamics is not None and result.dynamics.inner_states.size:
        names += [*model.states, *(f"{name}.rate" for name in model.states)]
    names += _group_names(result)
    moving = [*list(model.bodies)[1:], *model.points] if result.v is not None else []
    names += [f"{owner}.speed" for owner in moving]
    if model.space.dimension == 2:
        names += [f"{body}.angle" for body in list(model.bodies)[1:]]
    measured = [f"{c.name}.{m}" for c in model.constraints.values() for m in c.measures]
    measured += [f"{f.name}.{m}" for f in model.forces.values() for m, given in f.measures.items() if given.has_value]
    names += measured
    names += [f"{name}.rate" for name in measured if result.v is not None]
    names += [f"{name}.acceleration" for name in measured if result.a is not None]
    if result.dynamics is not None:
        names += _force_names(result)
    return list(dict.fromkeys(names))


def _group_names(result: Result) -> list[str]:
    """Names about centres of mass, momenta and energies."""
    model, axes = result.model, result.model.space.axes
    owners = [b.name for b in list(model.bodies.values())[1:] if counted_mass(b)]
    owners += [*model.groups, SYSTEM] if owners else []
    names: list[str] = []
    for owner in owners:
        names += [f"{owner}.com.{level}{a}" for level in ("", "v", "a")[: result._levels] for a in axes]
        if result.v is not None:
            names += [f"{owner}.momentum.{a}" for a in axes]
            turned = ("angular_momentum", "angular_momentum_com")
            names += (
                [f"{owner}.{w}" for w in turned]
                if len(axes) == 2
                else [f"{owner}.{w}.{a}" for w in turned for a in axes]
            )
            names += [f"{owner}.kinetic", f"{owner}.work"]
        if result.a is not None:
            names.append(f"{owner}.power")
    return names


def _load_names(result: Result) -> list[str]:
    """Names of what forces do to bodies, and of contacts."""
    model = result.model
    axes = model.space.axes
    parts = [f"f{a}" for a in axes] + (["moment"] if len(axes) == 2 else ["mx", "my", "mz"])
    names = [f"{b}{APPLIED}.{p}" for b in list(model.bodies)[1:] for p in parts]
    for force in model.forces.values():
        names += [f"{force.name}.{body}.{p}" for body in force.bodies for p in parts]
        if force.kind in PLACES:
            names += [f"{force.name}.point.{a}" for a in axes]
            names += [f"{force.name}.{w}" for w in ("slip", "friction")]
    return names


def _force_names(result: Result) -> list[str]:
    space = result.model.space
    parts = [*space.axes, *(("moment",) if space.dimension == 2 else ("mx", "my", "mz")), "magnitude"]
    names = list(dynamics_columns(result))
    known = ("force", "power", "work") if np.isfinite(dynamics_data(result).work).all() else ("force", "power")
    for joint in result.model.constraints.values():
        if joint.second and joint.seats:
            names += [f"{joint.name}.reaction", *(f"{joint.name}.reaction.{p}" for p in parts)]
            frames = FRAMES[: space.dimension - 1]
            names += [f"{joint.name}.reaction.{frame}.{axis}" for frame in frames for axis in space.axes]
        if joint.n_rows == 1:
            names += [f"{joint.name}.effort", f"{joint.name}.power"]
            names += [f"{joint.name}.work"] if "work" in known and _drivers(result) == [joint.name] else []
    acting = [force.name for force in result.model.forces.values() if not any(use.state for use in force.uses)]
    names += [f"{force}.{what}" for force in acting for what in known]
    return names + _load_names(result)


def history_of(model: Model, name: str) -> str:
    """Reason why a quantity has no value at a single state of a run, as the end of a message; empty if it has one."""
    plain = split_unit(name)[0]
    owner, _, what = plain.rpartition(".")
    if plain == "energy.balance":
        return "compares the energies with those at the start of a run"
    if what == "work" and members(model, owner):
        return "is collected along a run"
    if plain in model.definitions:
        for inner in sorted(model.definitions[plain].names - {"t", plain}):
            if reason := history_of(model, inner):
                return f"uses {inner!r}, which {reason}"
    return ""


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
    if what in ("rate", "acceleration") and (kind := kind_in_results(result.model, owner)):
        return ModelError(
            f"there is no quantity {short(name)}: {owner!r} is {kind}, of which results have no {_DERIVATIVES[what]}. "
            f"{_derivative(result, owner, what)}"
        )
    known = quantity_names(result)
    own = [each for each in known if each.rpartition(".")[0] == owner]
    near = difflib.get_close_matches(str(name), known, n=1)
    if near:
        hint = f"did you mean {near[0]!r}?"
    elif owner and own:
        hint = f"{owner!r} has: {', '.join(each.rpartition('.')[2] for each in own[:20])}."
    else:
        hint = f"it has: {', '.join(known[:12])}, …; names() lists all."
    return ModelError(f"there is no quantity {short(name)} in this result of model {result.model.name!r}; {hint}")


_DERIVATIVES = {"rate": "rate", "acceleration": "second derivative"}


def _derivative(result: Result, owner: str, order: str) -> str:
    """Remedy: name of the derivative where results have one, else a numerical one."""
    space = result.model.space
    base, _, last = owner.rpartition(".")
    if order == "rate" and last == "rate" and base not in result.model.states:
        return f"Use '{base}.acceleration'."
    if order == "rate" and last in space.rates:
        return f"Use '{base}.{next(k for k, v in space.accelerations.items() if v == space.rates[last])}'."
    return f"Differentiate its values, e.g. numpy.gradient(result[{owner!r}], result.times)."


def formula_values(result: Result, expression: Expression) -> Array:
    """Values of a formula over quantities and t, shape (n,); not a number where it has none."""
    names = sorted(expression.names)
    columns: Sequence[Column] = result._columns(names)
    values: dict[str, Any] = {name: column for name, (column, _) in zip(names, columns, strict=True)}
    with np.errstate(all="ignore"):
        return np.asarray(expression.evaluate(values), dtype=float) + np.zeros(len(result))


def formula_of(result: Result, text: str) -> Array:
    """Values of a formula over quantities, parameters and t, shape (n,)."""
    found = formula_values(result, read_formula(result.model, text, "the formula"))
    wrong = ~np.isfinite(found)
    if wrong.any():
        k = int(np.argmax(wrong))
        raise ModelError(f"the formula {short(text)} is no number at t = {result.times[k]:.6g} s; it gives {found[k]}.")
    return found
