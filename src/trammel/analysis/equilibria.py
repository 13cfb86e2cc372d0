"""All positions of rest that a search from many starts finds, and values of parameters that put a model at rest as drawn."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trammel.analysis.assembly import active_rows
from trammel.analysis.at_rest import TOLERANCE, Balance
from trammel.analysis.equilibrium import Equilibrium, finished
from trammel.analysis.linear_terms import KERNELS
from trammel.analysis.options import listed, verb, whole_number
from trammel.analysis.ready import make_ready
from trammel.analysis.rest_curve import Curve, distance, one_way
from trammel.analysis.rest_methods import METHODS, Found, NoRest, Wish, newton_step
from trammel.errors import AssemblyError, ConvergenceError, ModelError, RunWarning
from trammel.model.base import Model
from trammel.model.quantity import ANGLE, LENGTH
from trammel.sentences import short
from trammel.system.lowering import lower
from trammel.system.positions import difference, moved

Array = NDArray[np.float64]
SAME = 1e-6  # positions this near, in column scales, are one
BLURRED = 0.01  # at most, where the stiffness vanishes
DEFLATED = 40  # iterations after which nothing new is expected from a start
REST_KERNELS = (*KERNELS, "state_run", "assemble_run", "jacobian_run", "rates_run", "measures_run")


@verb
def equilibria(
    model: Model, *, time: float = 0.0, starts: int = 30, seed: int = 0, deflation: bool = True
) -> tuple[Equilibrium, ...]:
    """Positions of rest found from many starts, stable and unstable ones: stable ones first, then by their energy.

    Starts are the drawn pose, random ones (every body turned and moved at will, joints closed again), and places beside every rest that
    was found, on both sides of its softest directions; from each, Newton's method leads to the nearest balance, and downhill. With
    deflation it then goes on from the same start to others: rests that are known repel it, until it finds no new one. Positions of a
    mechanism with one degree of freedom are a curve for every way to assemble it: the curve through each start is walked through, and
    every change of sign of the force is a rest. Nobody can promise that none is missed; more starts miss fewer.

    Args:
        model: The model; drivers hold their coordinates.
        time: Time at which drivers and loads are read [s].
        starts: The drawn pose and how many random starts less one.
        seed: Of the random numbers: the same seed gives the same starts.
        deflation: Look for further rests from every start, away from those that are known.
    """
    count = whole_number(starts, "starts", 1)
    make_ready(model, REST_KERNELS, forces=True)
    system = lower(model, dynamics=True)
    problem = Balance(system, active_rows(system), time)
    rng = np.random.default_rng(whole_number(seed, "seed", 0))
    reach = np.where([unit == LENGTH for unit in system.column_units], 1.0, math.pi) * problem.scales
    random = [moved(system, system.start, reach * rng.uniform(-1.0, 1.0, reach.size)) for _ in range(count - 1)]
    left = [(q, deflation) for q in (system.start, *random)]
    known: list[Array] = []
    curve = Curve(problem)
    while left:
        start, further = left.pop(0)
        try:
            start = problem.close(start)
        except AssemblyError:
            continue
        for q in _reached(problem, start, known, further, curve):
            if _new(problem, q, known):
                known.append(q)
                left += [(beside, False) for beside in _beside(problem, q)]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RunWarning)  # each one carries its own
        found = [finished(problem, Found(q, 0)) for q in known]
    return tuple(sorted(found, key=lambda rest: (not rest.stable, rest.potential.value if rest.potential else 0.0)))


def _reached(problem: Balance, start: Array, known: list[Array], deflation: bool, curve: Curve) -> Iterator[Array]:
    """Rests that are reached from one start: those on its curve, the nearest, one downhill, and those beyond the known ones."""
    if one_way(problem, start):
        if curve.knows(start):
            return
        yield from curve.rests(start)
    for nearest in (True, False):
        try:
            yield METHODS["newton"](problem, start, Wish(nearest=nearest)).q
        except (AssemblyError, NoRest):
            continue
    while deflation and known:
        q = _deflated(problem, start, known)
        if q is None:
            return
        yield q
        if _neutral(problem, q):
            return


def _deflated(problem: Balance, q: Array, known: Sequence[Array]) -> Array | None:
    """A balance that is not known, or None: Newton's method on forces times m = prod(1 / distance² + 1), which known ones repel.

    Its step is Newton's own, d, over 1 - (grad ln m) d (Farrell, Birkisson and Funke 2015).
    """
    for _ in range(DEFLATED):
        here, (g, size) = problem.at(q), problem.forces(q)
        force = here.left.T @ g
        if not force.size:
            return None
        if float(np.abs(force).max()) / size < TOLERANCE:
            return q if _new(problem, q, known) else None
        step = here.basis @ newton_step(here.stiffness, force, nearest=True)
        rise = sum(_rise(problem, q, other, step) for other in known)
        q, went = problem.move(q, step / (1.0 - rise if abs(1.0 - rise) > 1e-9 else 1e-9))
        if not went:
            return None
    return None


def _rise(problem: Balance, q: Array, root: Array, step: Array) -> float:
    """Change of ln(1 / distance² + 1) from a root along a step."""
    way, along = difference(problem.system, q, root) / problem.scales, step / problem.scales
    if problem.system.model.space.dimension == 2:  # whole turns count as none
        turns = np.array([unit == ANGLE for unit in problem.system.column_units])
        along = np.where(turns, np.cos(way / 2.0), 1.0) * along
        way = np.where(turns, 2.0 * np.sin(way / 2.0), way)
    square = max(float(way @ way), 1e-24)
    return -2.0 * float(way @ along) / (square * (1.0 + square))


def _neutral(problem: Balance, q: Array) -> bool:
    """Whether a rest has neighbours without end that are rests, too."""
    values = np.linalg.svd(problem.at(q).stiffness, compute_uv=False)
    return bool(values.size) and bool(values[-1] <= 1e-8 * values[0])


def _beside(problem: Balance, q: Array) -> list[Array]:
    """Starts on both sides of a rest along its softest directions: from a pass two valleys can be seen, from a plain nothing new."""
    here = problem.at(q)
    if not here.stiffness.size or _neutral(problem, q):
        return []
    _, vectors = np.linalg.eigh(0.5 * (here.stiffness + here.stiffness.T))
    return [moved(problem.system, q, here.basis @ (s * v)) for v in vectors.T[:2] for s in (0.1, -0.1, 1.0, -1.0)]


def _new(problem: Balance, q: Array, known: Sequence[Array]) -> bool:
    """Whether a rest is none of those known; where little resists, forces within their tolerance leave it blurred."""
    if not known:
        return True
    here, (_, size) = problem.at(q), problem.forces(q)
    softest = np.linalg.svd(here.stiffness, compute_uv=False).min(initial=math.inf)
    reach = float(np.abs(here.basis / problem.scales[:, None]).max(initial=0.0))
    blur = BLURRED if softest == 0.0 else min(BLURRED, max(SAME, 10.0 * TOLERANCE * size * reach / float(softest)))
    return all(distance(problem, q, other) > blur for other in known)


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
