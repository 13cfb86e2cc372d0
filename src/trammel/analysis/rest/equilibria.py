"""All positions of rest that a search from many starts finds."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from trammel.analysis.options import verb, whole_number
from trammel.analysis.positions.assembly import active_rows
from trammel.analysis.ready import make_ready
from trammel.analysis.rest.at_rest import TOLERANCE, Balance
from trammel.analysis.rest.equilibrium import Equilibrium, finished
from trammel.analysis.rest.rest_curve import Curve, distance, one_way
from trammel.analysis.rest.rest_methods import METHODS, Found, NoRest, Wish, newton_step
from trammel.analysis.runs.controllers import refuse_states
from trammel.analysis.small_motions.linear_terms import KERNELS
from trammel.errors import AssemblyError, RunWarning
from trammel.model.base import Model
from trammel.model.quantity import ANGLE, LENGTH
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
    refuse_states(model, "equilibria")
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
    here = problem.at(q)
    values = np.linalg.svd(here.stiffness, compute_uv=False)
    return bool(values.size) and bool(values[-1] <= max(1e-8 * values[0], 100.0 * here.rounding))


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
