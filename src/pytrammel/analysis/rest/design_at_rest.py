"""Values of parameters that put a model at rest as drawn: vehicle preparation (L.14900, 14-12)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pytrammel._util.messages import short
from pytrammel.analysis.options import listed, verb
from pytrammel.analysis.positions.assembly import active_rows
from pytrammel.analysis.positions.phase_at import system_at
from pytrammel.analysis.ready import make_ready
from pytrammel.analysis.rest.at_rest import Balance
from pytrammel.analysis.rest.equilibria import REST_KERNELS
from pytrammel.analysis.runs.controllers import refuse_states
from pytrammel.errors import ConvergenceError, ModelError
from pytrammel.model.base import Model
from pytrammel.system.lowering import length_scale

Array = NDArray[np.float64]
ITERATIONS = 50
AT_REST = 1e-11  # unbalanced force against the forces at work
SHORTER = (1.0, 0.5, 0.2, 0.05, 0.01)  # shares of a step that are tried where values are refused


@verb
def trim(model: Model, unknowns: Sequence[str], *, time: float = 0.0) -> Model:
    """Return a copy in equilibrium in its design configuration, with values of `unknowns` that balance all forces.

        m = m.trim(["front.free_length", "rear.free_length"])

    Vehicle preparation: free lengths or attachment points that hold a chassis level. As many unknowns as degrees of freedom have one
    solution. With more unknowns the solution changes them least, relative to their sizes (places: to the size of the model).

    Args:
        model: The model, drawn where it shall rest.
        unknowns: What to find: numbers of forces, joints or bodies ("S.free_length", "S.stiffness", "b.mass"), body coordinates of the
            points at which forces are attached ("S.second.x", "P.point.y") or of points with a name of their own ("hook.x"), and
            components of loads ("P.vector.x").
        time: Time at which drivers and loads are read [s].

    Raises:
        ConvergenceError: No values put the model at rest as drawn.
    """
    refuse_states(model, "trim")
    make_ready(model, REST_KERNELS, forces=True)
    names = listed(unknowns, "unknowns")
    places = [_argument(model, name) for name in names]
    if not places:
        raise ModelError("unknowns is empty; name at least one argument, e.g. 'S.free_length'.")
    if len(set(names)) < len(names):
        raise ModelError(f"unknowns names something twice: {', '.join(names)}; name each once.")
    x = np.array([place.value for place in places])
    sizes = np.array([place.size for place in places])
    force, size = _along(model, time)
    residual = refusal = None
    for _ in range(ITERATIONS):
        residual = float(np.abs(force).max(initial=0.0)) / size
        if residual < AT_REST:
            return _changed(model, places, x)
        step = sizes * np.linalg.lstsq(_slopes(model, places, x, sizes, force, time) * sizes, -force, rcond=1e-12)[0]
        step *= min(1.0, 1.0 / max(1e-300, float(np.abs(step / sizes).max())))
        for share in SHORTER:
            try:
                force, size = _along(_changed(model, places, x + share * step), time)
            except ModelError as error:
                refusal = error
                continue
            x = x + share * step
            break
        else:
            break
    raise ConvergenceError(
        f"no values of {', '.join(names)} put model {model.name!r} at rest as drawn: {100 * (residual or 0.0):.3g} % of the forces stay "
        f"unbalanced{'' if refusal is None else f' where values are allowed ({refusal})'}. Choose other unknowns, or more, so that "
        "every degree of freedom is reached."
    )


def _slopes(model: Model, places: Sequence[_Place], x: Array, sizes: Array, force: Array, time: float) -> Array:
    """Change of the forces per unit of each unknown, by differences to the side on which values are allowed."""
    columns = []
    for h in np.diag(1e-6 * sizes):
        try:
            columns.append((_along(_changed(model, places, x + h), time)[0] - force) / h.max())
        except ModelError:
            columns.append((force - _along(_changed(model, places, x - h), time)[0]) / h.max())
    return np.array(columns).T


def _along(model: Model, time: float) -> tuple[Array, float]:
    """Forces along the free directions as drawn, and the size of the forces at work."""
    system = system_at(model, time, "trim", dynamics=True)
    problem = Balance(system, active_rows(system), time)
    q = problem.close(problem.drawn())
    g, size = problem.forces(q)
    return problem.at(q).left.T @ g, size


@dataclass(frozen=True)
class _Place:
    """An unknown: a number of a part, or one component of a list of numbers or of a point.

    Attributes:
        owner, argument: Where it stands.
        component: Which component; None for a number.
        value, size: Its value now, and what counts as a large change.
    """

    owner: str
    argument: str
    component: int | None
    value: float
    size: float


def _argument(model: Model, name: str) -> _Place:
    if not isinstance(name, str):
        raise ModelError(f"unknowns must hold names such as 'S.free_length', but it holds {short(name)}.")
    owner, _, what = name.rpartition(".")
    axes = model.space.axes
    if owner in model:
        part: Any = model[owner]
        if hasattr(part, "local"):
            return _on_point(model, name, owner, what, part)
        value: Any = _given(model, part).get(what)
        if _is_number(value):
            return _Place(owner, what, None, float(value), abs(float(value)) or 1.0)
        raise ModelError(f"{name!r} is no number that could be found; {owner!r} has: {_choices(model, part)}.")
    owner, _, argument = owner.rpartition(".")
    if owner not in model:
        first = name.partition(".")[0]
        raise ModelError(f"unknowns names {name!r}, but there is nothing called {first!r}; give e.g. 'S.free_length'.")
    part = model[owner]
    value = _given(model, part).get(argument)
    numbers = value.local if hasattr(value, "local") else value
    if what not in axes or not isinstance(numbers, list | tuple) or not all(map(_is_number, numbers)):
        raise ModelError(f"{name!r} is no number that could be found; {owner!r} has: {_choices(model, part)}.")
    k = axes.index(what)
    if hasattr(value, "local"):
        if owner not in model.forces:
            raise ModelError(
                f"{name!r}: a joint that is moved on its body would move the body; find points of forces, or numbers."
            )
        if value.name in model.points:
            raise ModelError(f"{name!r} belongs to the point {value.name!r}; find '{value.name}.{what}' instead.")
        return _Place(owner, argument, k, float(numbers[k]), length_scale(model))
    return _Place(owner, argument, k, float(numbers[k]), max(map(abs, numbers)) or 1.0)


def _on_point(model: Model, name: str, owner: str, what: str, point: Any) -> _Place:
    """A coordinate of a point with a name."""
    if what not in model.space.axes:
        raise ModelError(f"{name!r} is no number that could be found; {owner!r} has: {', '.join(model.space.axes)}.")
    users = [
        joint.name for joint in model.constraints.values() if any(_is_at(x, owner) for x in joint.parameters.values())
    ]
    if users:
        raise ModelError(
            f"{name!r}: joint {users[0]!r} is there too, and would move its body; find points of forces, or numbers."
        )
    k = model.space.axes.index(what)
    return _Place(owner, "local", k, float(point.local[k]), length_scale(model))


def _is_at(value: Any, point: str) -> bool:
    return hasattr(value, "local") and value.name == point


def _given(model: Model, part: Any) -> Mapping[str, Any]:
    """Arguments of a joint or force, or numbers of a body."""
    if hasattr(part, "parameters"):
        return part.parameters  # type: ignore[no-any-return]
    return {key: getattr(part, key, None) for key in ("mass", "inertia", "centroid")}


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _choices(model: Model, part: Any) -> str:
    """What can be found of a part, for messages."""
    out = []
    for key, value in _given(model, part).items():
        if _is_number(value):
            out.append(key)
        elif hasattr(value, "local") or (isinstance(value, list | tuple) and value and all(map(_is_number, value))):
            out.append(f"{key}.{model.space.axes[0]} …")
    return ", ".join(out) or "none"


def _changed(model: Model, places: Sequence[_Place], x: Array) -> Model:
    """A copy with these values; numbers that a force once read off the drawing stay."""
    changes: dict[str, dict[str, Any]] = {}
    for place, value in zip(places, x, strict=True):
        own = changes.setdefault(place.owner, {})
        if place.component is None:
            own[place.argument] = float(value)
            continue
        part: Any = model[place.owner]
        before = part.local if place.argument == "local" else _given(model, part)[place.argument]
        now = own.get(place.argument, before)
        numbers = [*(now.local if hasattr(now, "local") else now)]
        numbers[place.component] = float(value)
        attached = [place.owner]
        if hasattr(before, "local"):
            body: Any = model.bodies[before.body]
            own[place.argument] = body.at(*numbers)
        else:
            own[place.argument] = tuple(numbers)
            attached = _forces_at(model, place.owner) if place.argument == "local" else []
        for force in attached:
            for key, number in model.forces[force].parameters.items():
                if _is_number(number):
                    changes.setdefault(force, {}).setdefault(key, number)
    return model.copy(changes=changes)


def _forces_at(model: Model, point: str) -> list[str]:
    return [force.name for force in model.forces.values() if any(_is_at(x, point) for x in force.parameters.values())]
