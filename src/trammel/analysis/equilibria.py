"""All positions of rest that a search from many starts finds, and values of parameters that put a model at rest as drawn."""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trammel.analysis.assembly import active_rows
from trammel.analysis.at_rest import Balance
from trammel.analysis.equilibrium import Equilibrium, finished
from trammel.analysis.linear_terms import KERNELS
from trammel.analysis.options import listed, verb, whole_number
from trammel.analysis.ready import make_ready
from trammel.analysis.rest_methods import METHODS, Found, NoRest, Wish
from trammel.errors import AssemblyError, ConvergenceError, ModelError, RunWarning
from trammel.model.base import Model
from trammel.model.quantity import LENGTH
from trammel.sentences import short
from trammel.system.lowering import lower
from trammel.system.positions import difference, moved

Array = NDArray[np.float64]
SAME = 1e-6  # positions this near, in column scales, are one
REST_KERNELS = (*KERNELS, "state_run", "assemble_run", "jacobian_run", "rates_run", "measures_run")


@verb
def equilibria(model: Model, *, time: float = 0.0, starts: int = 60, seed: int = 0) -> tuple[Equilibrium, ...]:
    """Positions of rest found from many starts, stable and unstable ones: stable ones first, then by their energy.

    Starts are the drawn pose, random ones (every body turned and moved at will, joints closed again), and places beside every rest that
    was found, on both sides of its softest directions; from each, Newton's method leads to the nearest balance, and downhill. Nobody can
    promise that none is missed; more starts miss fewer.

    Args:
        model: The model; drivers hold their coordinates.
        time: Time at which drivers and loads are read [s].
        starts: The drawn pose and how many random starts less one.
        seed: Of the random numbers: the same seed gives the same starts.
    """
    count = whole_number(starts, "starts", 1)
    make_ready(model, REST_KERNELS, forces=True)
    system = lower(model, dynamics=True)
    problem = Balance(system, active_rows(system), time)
    rng = np.random.default_rng(whole_number(seed, "seed", 0))
    reach = np.where([unit == LENGTH for unit in system.column_units], 1.0, math.pi) * problem.scales
    left = [system.start]
    left += [moved(system, system.start, reach * rng.uniform(-1.0, 1.0, reach.size)) for _ in range(count - 1)]
    known: list[Array] = []
    while left:
        start = left.pop(0)
        for nearest in (True, False):
            try:
                q = METHODS["newton"](problem, problem.close(start), Wish(nearest=nearest)).q
            except (AssemblyError, NoRest):
                continue
            if all(_apart(problem, q, other) > SAME for other in known):
                known.append(q)
                left += _beside(problem, q)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RunWarning)  # each one carries its own
        found = [finished(problem, Found(q, 0)) for q in known]
    return tuple(sorted(found, key=lambda rest: (not rest.stable, rest.potential.value if rest.potential else 0.0)))


def _beside(problem: Balance, q: Array) -> list[Array]:
    """Starts on both sides of a rest along its softest directions: from a pass two valleys can be seen."""
    here = problem.at(q)
    if not here.stiffness.size:
        return []
    _, vectors = np.linalg.eigh(0.5 * (here.stiffness + here.stiffness.T))
    return [moved(problem.system, q, here.basis @ (s * v)) for v in vectors.T[:2] for s in (0.1, -0.1, 1.0, -1.0)]


def _apart(problem: Balance, q: Array, other: Array) -> float:
    """Distance of two positions in column scales; whole turns count as none."""
    system = problem.system
    step = difference(system, q, other) / problem.scales
    if system.model.space.dimension == 2:
        turns = np.array([unit == "rad" for unit in system.column_units])
        step = np.where(turns, (step + math.pi) % (2.0 * math.pi) - math.pi, step)
    return float(np.abs(step).max(initial=0.0))


@verb
def design_at_rest(model: Model, unknowns: Sequence[str], *, time: float = 0.0) -> Model:
    """A copy of the model that rests as drawn: values of its parameters are found that balance all forces there.

    Vehicle preparation: free lengths that hold a chassis level. As many unknowns as degrees of freedom have one solution; of more, the one
    that changes them least, each against its own size.

    Args:
        model: The model, drawn where it shall rest.
        unknowns: Arguments to find, "S.free_length", "S.stiffness", "b.mass": numbers of forces, joints or bodies.
        time: Time at which drivers and loads are read [s].
    """
    make_ready(model, REST_KERNELS, forces=True)
    places = [_argument(model, name) for name in listed(unknowns, "unknowns")]
    if not places:
        raise ModelError("unknowns is empty; name at least one argument, e.g. 'S.free_length'.")
    x = np.array([value for *_, value in places])
    sizes = np.where(x != 0.0, np.abs(x), 1.0)
    force, size = _along(model, time)
    for _ in range(50):
        residual = float(np.abs(force).max(initial=0.0)) / size
        if residual < 1e-11:
            return _changed(model, places, x)
        slopes = np.array(
            [(_along(_changed(model, places, x + h), time)[0] - force) / h.max() for h in np.diag(1e-6 * sizes)]
        ).T
        step = sizes * np.linalg.lstsq(slopes * sizes, -force, rcond=1e-12)[0]
        x = x + step * min(1.0, 1.0 / max(1e-300, float(np.abs(step / sizes).max())))
        force, size = _along(_changed(model, places, x), time)
    raise ConvergenceError(
        f"no values of {', '.join(unknowns)} put model {model.name!r} at rest as drawn: {100 * residual:.3g} % of the forces stay "
        "unbalanced. Choose unknowns that act along every degree of freedom."
    )


def _along(model: Model, time: float) -> tuple[Array, float]:
    """Forces along the free directions as drawn, and the size of the forces at work."""
    system = lower(model, dynamics=True)
    problem = Balance(system, active_rows(system), time)
    q = problem.close(system.start)
    g, size = problem.forces(q)
    return problem.at(q).left.T @ g, size


def _argument(model: Model, name: str) -> tuple[str, str, float]:
    if not isinstance(name, str):
        raise ModelError(f"unknowns must hold names such as 'S.free_length', but it holds {short(name)}.")
    owner, _, what = name.rpartition(".")
    if owner not in model:
        raise ModelError(f"unknowns names {name!r}, but there is nothing called {owner!r}; give e.g. 'S.free_length'.")
    part: Any = model[owner]
    given = part.parameters if hasattr(part, "parameters") else {}
    value = given.get(what, getattr(part, what, None) if owner in model.bodies else None)
    if not isinstance(value, int | float) or isinstance(value, bool):
        numbers = [key for key, x in given.items() if isinstance(x, int | float) and not isinstance(x, bool)]
        raise ModelError(f"{name!r} is no number that could be found; {owner!r} has: {', '.join(numbers) or 'none'}.")
    return owner, what, float(value)


def _changed(model: Model, places: Sequence[tuple[str, str, float]], x: Array) -> Model:
    changes: dict[str, dict[str, object]] = {}
    for (owner, what, _), value in zip(places, x, strict=True):
        changes.setdefault(owner, {})[what] = float(value)
    return model.copy(changes=changes)
