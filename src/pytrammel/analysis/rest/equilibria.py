"""All positions of rest that a search from many starts finds."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from pytrammel.analysis.options import verb, whole_number
from pytrammel.analysis.positions.assembly import active_rows
from pytrammel.analysis.positions.phase_at import system_at
from pytrammel.analysis.ready import make_ready
from pytrammel.analysis.rest.at_rest import TOLERANCE, Balance, Standstill, vanish
from pytrammel.analysis.rest.equilibrium import Equilibrium, finished
from pytrammel.analysis.rest.rest_curve import Curve, distance, one_way, wound
from pytrammel.analysis.rest.rest_methods import METHODS, Found, NoRest, Wish, newton_step
from pytrammel.analysis.runs.controllers import refuse_states
from pytrammel.analysis.small_motions.linear_terms import KERNELS
from pytrammel.errors import AssemblyError, RunWarning
from pytrammel.model.base import Model
from pytrammel.model.quantities.quantity import ANGLE, LENGTH
from pytrammel.system.positions import difference, moved

Array = NDArray[np.float64]
SAME = 1e-6  # positions this near, in column scales, are one
BLURRED = 0.01  # at most, where the stiffness vanishes
NEAREST = 3  # known rests to which a walk along neutral directions is tried, beside one of each family
WALK, STRIDE = 60, 0.2  # steps of such a walk, and their length in column scales
LEAST = 1e-3  # part of the way that neutral directions must allow
DEFLATED = 40  # iterations after which nothing new is expected from a start
REST_KERNELS = (*KERNELS, "state_run", "assemble_run", "jacobian_run", "rates_run", "measures_run")


@verb
def equilibria(
    model: Model, *, time: float = 0.0, n_starts: int = 30, seed: int = 0, deflation: bool = True
) -> tuple[Equilibrium, ...]:
    """Positions of rest found from many starts, stable and unstable ones: stable ones first, then by their energy.

    Starts are the drawn pose, random ones (every body turned and moved at will, joints closed again), and places beside every rest that
    was found, on both sides of its softest directions; from each, Newton's method leads to the nearest balance, and downhill. With
    deflation it then goes on from the same start to others: rests that are known repel it, until it finds no new one. Positions of a
    mechanism with one degree of freedom are a curve for every way to assemble it: the curve through each start is walked through, and
    every change of sign of the force is a rest. Rests that lead into each other along a
    neutral direction are listed once. Equilibria can be missed; use more starts to miss fewer.

    Args:
        model: The model; drivers hold their coordinates.
        time: Time at which drivers and loads are read [s].
        n_starts: Number of starts: the design configuration and random ones.
        seed: Of the random numbers: the same seed gives the same starts.
        deflation: Look for further rests from every start, away from those that are known.
    """
    refuse_states(model, "equilibria")
    count = whole_number(n_starts, "n_starts", 1)
    make_ready(model, REST_KERNELS, forces=True)
    system = system_at(model, time, "equilibria", dynamics=True)
    problem = Balance(system, active_rows(system), time)
    rng = np.random.default_rng(whole_number(seed, "seed", 0))
    reach = np.where([unit == LENGTH for unit in system.column_units], 1.0, math.pi) * problem.scales
    drawn = problem.drawn()
    random = [moved(system, drawn, reach * rng.uniform(-1.0, 1.0, reach.size)) for _ in range(count - 1)]
    left = [(q, deflation) for q in (drawn, *random)]
    known: list[Array] = []
    apart: list[Array] = []  # one of each family of rests that lead into each other
    curve = Curve(problem)
    while left:
        start, further = left.pop(0)
        try:
            start = problem.close(start)
        except AssemblyError:
            continue
        for q in _reached(problem, start, known, further, curve):
            if _new(problem, q, known):
                if not _leads_to_any(problem, q, known, apart):
                    apart.append(q)
                known.append(q)
                left += [(beside, False) for beside in _beside(problem, q)]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RunWarning)  # each one carries its own
        found = [finished(problem, Found(q, 0)) for q in apart]
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
    still = Standstill(problem.scales)
    for _ in range(DEFLATED):
        here, (g, size) = problem.at(q), problem.forces(q)
        force = here.left.T @ g
        if not force.size:
            return None
        if float(np.abs(force).max()) / size < TOLERANCE:
            return q if _new(problem, q, known) else None
        step = here.basis @ newton_step(here.stiffness, force, nearest=True)
        if still.reached(step, vanish(force, here.stiffness, size)):
            return q if _new(problem, q, known) else None
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
    """Return True if a rest has neighbours without end that are rests, too."""
    return bool(_neutral_directions(problem, q).size)


def _neutral_directions(problem: Balance, q: Array) -> Array:
    """Small motions, in column scales, along which no force arises."""
    here = problem.at(q)
    if not here.stiffness.size:
        return np.zeros((problem.scales.size, 0))
    _, values, vectors = np.linalg.svd(here.stiffness)
    none = values <= max(1e-8 * values[0], 100.0 * here.rounding)
    return np.asarray(here.basis @ vectors[none].T / problem.scales[:, None])


def _leads_to_any(problem: Balance, q: Array, known: Sequence[Array], apart: Sequence[Array]) -> bool:
    """Return True if rests without a gap lead from one rest to a known one."""
    freedom = _neutral_directions(problem, q).shape[1]
    if not freedom:
        return False
    near = sorted(known, key=lambda other: distance(problem, q, other))[:NEAREST]
    return any(
        _leads_to(problem, q, other)
        for other in [*near, *apart]
        if _neutral_directions(problem, other).shape[1] == freedom
    )


def _leads_to(problem: Balance, q: Array, goal: Array) -> bool:
    """Return True if a walk along neutral directions, back to a balance after every step, reaches another rest."""
    along = _neutral_directions(problem, q)
    if along.shape[1] > 1:
        return _walk(problem, q, goal, None)
    return _walk(problem, q, goal, along[:, 0]) or _walk(problem, q, goal, -along[:, 0])


def _walk(problem: Balance, q: Array, goal: Array, ahead: Array | None) -> bool:
    """Walk towards another rest, or straight ahead where there is one way only."""
    for _ in range(WALK):
        way = wound(problem, goal, q)
        off = float(np.abs(way).max(initial=0.0))
        if off < BLURRED:
            return True
        along = _neutral_directions(problem, q)
        if ahead is None or off < STRIDE:
            step = along @ np.linalg.lstsq(along, way, rcond=1e-10)[0]
        elif along.shape[1] == 1:
            step = ahead = along[:, 0] * np.copysign(STRIDE / np.abs(along).max(), float(along[:, 0] @ ahead))
        else:
            return False
        size = float(np.abs(step).max(initial=0.0))
        if size < LEAST * off:
            return False
        beside, went = problem.move(q, step * problem.scales * min(1.0, STRIDE / size))
        try:
            there = METHODS["newton"](problem, beside, Wish(nearest=True)).q if went else q
        except (AssemblyError, NoRest):
            return False
        if not went or distance(problem, there, beside) > STRIDE:
            return False
        q = there
    return False


def _beside(problem: Balance, q: Array) -> list[Array]:
    """Starts on both sides of a rest along its softest directions: from a pass two valleys can be seen, from a plain nothing new."""
    here = problem.at(q)
    if not here.stiffness.size or _neutral(problem, q):
        return []
    _, vectors = np.linalg.eigh(0.5 * (here.stiffness + here.stiffness.T))
    return [moved(problem.system, q, here.basis @ (s * v)) for v in vectors.T[:2] for s in (0.1, -0.1, 1.0, -1.0)]


def _new(problem: Balance, q: Array, known: Sequence[Array]) -> bool:
    """Return True if a rest is none of those known; where little resists, forces within their tolerance leave it blurred."""
    if not known:
        return True
    here, (_, size) = problem.at(q), problem.forces(q)
    softest = np.linalg.svd(here.stiffness, compute_uv=False).min(initial=math.inf)
    reach = float(np.abs(here.basis / problem.scales[:, None]).max(initial=0.0))
    blur = BLURRED if softest == 0.0 else min(BLURRED, max(SAME, 10.0 * TOLERANCE * size * reach / float(softest)))
    return all(distance(problem, q, other) > blur for other in known)
