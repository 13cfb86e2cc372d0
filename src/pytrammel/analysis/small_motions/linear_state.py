"""States to linearise about: which, in what axes, and whether anything stays the same there."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from pytrammel import rotations
from pytrammel._util.checks import checked_number
from pytrammel._util.messages import short, unlike
from pytrammel.analysis.positions.assembly import active_rows
from pytrammel.analysis.positions.phase_at import alike, system_at
from pytrammel.analysis.ready import make_ready
from pytrammel.analysis.rest.equilibrium import Equilibrium
from pytrammel.analysis.runs.controllers import refuse_states
from pytrammel.analysis.small_motions.linear_terms import KERNELS
from pytrammel.analysis.small_motions.reduced import Reduced, State, reduced
from pytrammel.analysis.start.initial import consistent_start
from pytrammel.errors import ModelError, RunWarning
from pytrammel.kernels import layout as L
from pytrammel.model.base import Model
from pytrammel.results.result import Result
from pytrammel.results.segments import Segment
from pytrammel.system.lowering import System, lower
from pytrammel.system.positions import moved

Array = NDArray[np.float64]
SLOWEST = 1e-12  # [rad/s] rotation of axes that counts, and inverse of the fastest
ADVANCE = 1e-4  # of the scale of its motion: how far a state moves to see whether the matrices stay
STEADY = 1e-4  # share by which they may change, per scale of motion


def state_at(model: Model, at: object, time: float | None, verb: str = "linearize") -> State:
    """The state asked for: a time of a result, an equilibrium, or the start."""
    kernels = [*KERNELS, "state_run", "assemble_run", "jacobian_run", "rates_run", "measures_run"]
    refuse_states(model, verb, controllers_only=True)
    rigid = [force.name for force in model.forces.values() if force.impact is not None]
    if rigid:
        raise ModelError(
            f"{verb} does not know rigid contacts ({', '.join(map(repr, rigid))}); use a compliant law there, or a joint."
        )
    make_ready(model, kernels, forces=True)
    if isinstance(at, Result):
        return _instant(model, at, time)
    if at is not None and not isinstance(at, Equilibrium):
        raise ModelError(f"at must be an equilibrium or a result, but it is {short(at)}.")
    if isinstance(at, Equilibrium):
        system = alike(lower(at.model, dynamics=True), at._system)
        rows, inner = tuple(active_rows(system)), system.inner_start
        if time is not None and time != at.time:
            texts = unlike(at.time, time, digits=6)
            raise ModelError(f"the equilibrium is one at time = {texts[0]} s, not {texts[1]} s; leave time= out.")
        return State(system, system.floats, rows, at.time, at.q, np.zeros(system.n_columns), inner)
    when = 0.0 if time is None else time
    system = system_at(model, when, verb, dynamics=True)
    rows, inner = tuple(active_rows(system)), system.inner_start
    start = consistent_start(system, rows, when)
    return State(system, system.floats, rows, when, start.q, start.v, inner)


def instant_of(model: Model, result: Result, time: float | None) -> tuple[int, Segment]:
    """Return the number of an output time of a result of the model, the last by default, and its segment."""
    if result.model.name != model.name or set(result.model.bodies) != set(model.bodies):
        raise ModelError(f"the result is one of model {result.model.name!r}, not of {model.name!r}.")
    k = len(result) - 1 if time is None else int(np.argmin(np.abs(result.times - time)))
    if time is not None and abs(result.times[k] - time) > 1e-9 * max(1.0, float(np.ptp(result.times))):
        texts = unlike(time, result.times[k], digits=9)
        raise ModelError(
            f"the result has no instant at time = {texts[0]} s; the nearest is {texts[1]} s. Ask simulate for that instant."
        )
    return k, next(s for s in reversed(result._segments) if s.first <= k)


def _instant(model: Model, result: Result, time: float | None) -> State:
    if result.v is None or result.dynamics is None:
        raise ModelError("the result has no forces; take a result of simulate.")
    k, piece = instant_of(model, result, time)
    z = result.dynamics.inner_states[k] if result.dynamics.inner_states.size else np.zeros(0)
    states = int(piece.system.ints[L.N_STATES])
    z = z[:states] if z.size >= states else np.zeros(states)
    return State(
        piece.system, piece.floats, tuple(piece.rows), float(result.times[k]), result.q[k].copy(), result.v[k].copy(), z.copy()
    )  # fmt: skip


def about(state: State, rotating: Sequence[float] | float | None) -> tuple[Reduced, tuple[float, ...], bool]:
    """Small motions in axes in which they are steady, if such axes are given or found; the angular velocity of these axes."""
    space = state.system.model.space.dimension == 3
    if rotating is not None:
        numbers = np.atleast_1d(np.asarray(rotating, dtype=object))
        if numbers.shape != ((3,) if space else (1,)):
            raise ModelError(
                f"rotating must be {'three numbers' if space else 'one number'} [rad/s], but it is {short(rotating)}."
            )
        turn = tuple(checked_number(x, "rotating") for x in numbers)
        if any(x and not SLOWEST <= abs(x) <= 1.0 / SLOWEST for x in turn):
            raise ModelError(
                f"rotating is {short(rotating)} rad/s; it must be 0, or from {SLOWEST:g} to {1.0 / SLOWEST:g} rad/s in size."
            )
        found = reduced(state, turn=turn, kinks=True)
        return found, turn, _is_steady(state, found, turn)
    found = reduced(state, kinks=True)
    still = (0.0, 0.0, 0.0) if space else (0.0,)
    if state.at_rest:
        return found, still, _balanced(state, found)
    if _is_steady(state, found, still):
        return found, still, True
    for turn in _turns(state):
        other = reduced(state, turn=turn, kinks=True)
        if _is_steady(state, other, turn):
            return other, turn, True
    return found, still, False


def _turns(state: State) -> list[tuple[float, ...]]:
    """Angular velocities of the bodies, each once."""
    size = state.system.per_body
    found: list[tuple[float, ...]] = []
    own: tuple[float, ...]
    for b in range(len(state.system.model.bodies) - 1):
        if size == 3:
            own = (float(state.v[3 * b + 2]),)
        else:
            own = tuple(map(float, rotations.matrix(state.q[7 * b + 3 : 7 * b + 7]) @ state.v[6 * b + 3 : 6 * b + 6]))
        if any(own) and not any(np.allclose(own, other, rtol=1e-9, atol=0.0) for other in found):
            found.append(own)
    return found


def _balanced(state: State, found: Reduced) -> bool:
    """Return True if what rests stays at rest: accelerations that a hundredth of gravity would hide count as none."""
    pushed = np.abs(found.left.T @ (found.full_mass @ found.a)).max(initial=0.0)
    at_work = (
        np.abs(found.terms.jacobian.T @ found.lam).max(initial=0.0) + np.abs(found.full_mass).max(initial=0.0) * 9.81
    )
    return bool(pushed <= 1e-6 * max(at_work, 1e-300))


def _is_steady(state: State, here: Reduced, turn: tuple[float, ...]) -> bool:
    """Return True if the matrices and the free directions are the same a little earlier and a little later, in the turned axes."""
    scales = state.system.column_scales()
    pace = max(float(np.abs(state.v / scales).max(initial=0.0)), *(abs(x) for x in turn), 0.0)
    if pace == 0.0:
        return _balanced(state, here)
    # in the coordinates that the basis here measures
    pick = here.basis / scales[:, None] ** 2
    earlier, later = (_matrices(state, here, turn, side * ADVANCE / pace, pick) for side in (-1.0, 1.0))
    if not earlier or not later:
        return False
    inertia = float(np.abs(earlier[0]).max(initial=0.0))
    for power, (before, after) in enumerate(zip(earlier, later, strict=True)):
        size = float(np.abs(before).max(initial=0.0)) + (pace**power * inertia if power < 3 else 0.0)
        if float(np.abs(after - before).max(initial=0.0)) > 2.0 * STEADY * ADVANCE * size:
            return False
    return True


def _matrices(state: State, here: Reduced, turn: tuple[float, ...], dt: float, pick: Array) -> list[Array]:
    """Mass, damping, stiffness and free directions a time dt later; none if the degrees of freedom are others there."""
    step, v = dt * state.v + 0.5 * dt * dt * here.a, state.v + dt * here.a
    q = moved(state.system, state.q, step)
    there = reduced(replace(state, time=state.time + dt, q=q, v=v), turn=turn)
    back = _turned(state.system, dt, turn)
    basis = back.T @ there.basis
    if basis.shape != here.basis.shape:
        return []
    basis = basis @ np.linalg.inv(pick.T @ basis)
    full = [
        (back @ basis).T @ one @ back @ basis for one in (there.full_mass, there.full_damping, there.full_stiffness)
    ]
    return [*full, basis / state.system.column_scales()[:, None]]


def _turned(system: System, dt: float, turn: tuple[float, ...]) -> Array:
    """What turning axes do to small motions of all columns meanwhile."""
    angle, size = np.zeros(3), system.per_body
    angle[3 - len(turn) :] = dt * np.array(turn)
    Q = np.eye(3) if not angle.any() else rotations.matrix(rotations.from_axis_angle(angle, np.linalg.norm(angle)))
    out = np.eye(system.n_columns)
    width = 3 if size == 6 else 2
    for b in range(len(system.model.bodies) - 1):
        for first in (0, 3) if size == 6 else (0,):
            own = slice(size * b + first, size * b + first + width)
            out[own, own] = Q[:width, :width]
    return out


def unsettled(state: State, at: object) -> Iterator[RunWarning]:
    """Dry friction outside a run, where nobody knows whether it sticks."""
    dry = dict.fromkeys(repr(f.owner) for f in state.system.forces if f.use.element == "dry_friction")
    if dry and not isinstance(at, Result):
        yield RunWarning(
            "friction",
            f"whether {', '.join(dry)} sticks is known in a run only; here it is taken to slide, with its smooth law at small speeds. "
            "Linearise about a result of simulate.",
            time=state.time,
        )


def passing(state: State) -> RunWarning:
    if state.at_rest:
        why = "the forces do not balance here, so that the model does not stay"
        remedy = "linearise about its equilibrium()"
    else:
        why = "this is no steady motion: the matrices change along it"
        remedy = "give rotating= if the motion is steady in turning axes"
    return RunWarning(
        "instant", f"{why}; modes and stability are those of matrices frozen at this instant. For more, {remedy}.", time=state.time
    )  # fmt: skip
