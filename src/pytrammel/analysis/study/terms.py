"""Residuals, Jacobian, nu and gamma of constraints, gravity, bias and applied forces at a state."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pytrammel import rotations
from pytrammel._util.messages import short
from pytrammel.analysis.at_state import evaluate_state, mass_matrix
from pytrammel.analysis.freedom.rank import exact_rows, jacobian, rank_of
from pytrammel.analysis.options import verb
from pytrammel.analysis.positions.assembly import active_rows, assembled
from pytrammel.analysis.positions.phase_at import alike, system_at
from pytrammel.analysis.ready import make_ready
from pytrammel.analysis.rest.equilibrium import Equilibrium
from pytrammel.analysis.small_motions.linear_state import instant_of, state_at
from pytrammel.analysis.small_motions.reduced import State
from pytrammel.analysis.start.initial import drawn_velocity
from pytrammel.analysis.start.start_velocities import rates_missing
from pytrammel.analysis.study import bodies
from pytrammel.analysis.study.parameter_rows import parameter_terms
from pytrammel.errors import ModelError
from pytrammel.kernels import layout as L
from pytrammel.kernels.rows import rows_run
from pytrammel.model.base import Model
from pytrammel.results.result import Result
from pytrammel.results.studies.matrices import Labelled
from pytrammel.results.studies.terms import Terms
from pytrammel.system.lowering import lower
from pytrammel.system.masses import without_mass
from pytrammel.system.pattern import pattern

Array = NDArray[np.float64]


@verb
def terms(model: Model, *, at: Result | Equilibrium | None = None, time: float | None = None) -> Terms:
    """Terms of the equations at a state: residuals, Jacobian, nu and gamma of every constraint, gravity, bias and applied forces.

    A model without masses has the terms of its constraints only.

    Args:
        model: The model.
        at: The state: a time of a result of `simulate` or `kinematics`, or an equilibrium; the start of a run by default. Without
            masses the start has the given velocities, changed as little as constraints and drivers demand.
        time: Time [s]: of the start (0 by default), or one of the result's instants (the last by default).
    """
    complete = not without_mass(model)
    make_ready(model, [*bodies.KERNELS, "assemble_run", "jacobian_run", "rates_run"], forces=complete)
    if isinstance(at, Result) and at.dynamics is None:
        state = _of_kinematics(model, at, time, complete)
    elif complete:
        state = state_at(model, at, time, "terms")
    else:
        state = _without_masses(model, at, time)
    system, rows = state.system, list(state.rows)
    J, phi, nu, gamma = _rows(state, rows)
    names, columns = bodies.row_names(system, rows), tuple(system.columns)

    def by_row(symbol: str, about: str, values: Array) -> Labelled:
        return Labelled(symbol, about, values, names)

    mass, gravity, bias, applied = _dynamics(state, rows) if complete else (None, None, None, None)
    return Terms(
        system.model.name, float(state.time), by_row("Phi", "residuals of the constraints", phi),
        Labelled("J", "Jacobian of the constraints", J, names, columns), by_row("nu", "J v = nu", nu),
        by_row("gamma", "J a = gamma", gamma), mass, gravity, bias, applied,
        Labelled("v", "velocities", state.v.copy(), columns), tuple(system.rows[k].owner for k in rows),
        parameter_terms(state, rows) if model.space.dimension == 3 and rows else None,
    )  # fmt: skip


def _dynamics(state: State, rows: list[int]) -> tuple[Labelled, Labelled, Labelled, Labelled]:
    """Mass matrix, gravity, bias and applied forces."""
    system, columns = state.system, tuple(state.system.columns)
    exact = exact_rows(system, state.q, state.time, rows)
    independent = rank_of(jacobian(system, state.q, state.time, exact)).independent if exact else ()
    some = pattern(system, [exact[k] for k in independent])
    whole = evaluate_state(system, state.floats, some, state.time, state.q, state.v, state.z).generalised
    gravity, bias = of_bodies(state)
    return (
        Labelled("M", "mass matrix", mass_matrix(system, state.q), columns, columns),
        Labelled("g_gravity", "gravity", gravity, columns),
        Labelled("g_bias", "centrifugal and gyroscopic terms", bias, columns),
        Labelled("g_applied", "force elements", whole - gravity - bias, columns),
    )


def _without_masses(model: Model, at: object, time: float | None) -> State:
    """The start of a model that has no masses."""
    if at is not None:
        raise ModelError(f"at must be a result of kinematics for a model without masses, but it is {short(at)}.")
    when = 0.0 if time is None else time
    system = system_at(model, when, "terms")
    rows = active_rows(system)
    q = assembled(model, time=when, system=system).q
    v, scales = drawn_velocity(system), system.column_scales()
    J = jacobian(system, q, when, rows)
    v = v + scales * np.linalg.lstsq(J, rates_missing(system, rows, when, q, v), rcond=1e-9)[0]
    return State(system, system.floats, tuple(rows), when, q, v, np.zeros(0))


def _of_kinematics(model: Model, result: Result, time: float | None, complete: bool) -> State:
    """A time of a result of kinematics, with masses and forces where the model has them."""
    k, piece = instant_of(model, result, time)
    if result.v is None:
        raise ModelError("the result has no velocities; run kinematics with level='velocity' or more.")
    system = alike(lower(result.model, dynamics=True), piece.system) if complete else piece.system
    floats = system.floats if complete else piece.floats
    inner = system.inner_start if complete else np.zeros(0)
    return State(
        system, floats, tuple(piece.rows), float(result.times[k]), result.q[k].copy(), result.v[k].copy(), inner
    )


def _rows(state: State, rows: list[int]) -> tuple[Array, Array, Array, Array]:
    """J, residuals, nu and gamma of some rows, in their order."""
    system = state.system
    J, gamma = bodies.rows_at(state, rows)
    P = pattern(system, rows)
    entries = np.zeros(int(system.ints[L.N_JACOBIAN]) + 1)
    phi, nu, right = (np.zeros(max(1, len(rows))) for _ in range(3))
    rows_run(system.ints, state.floats, P, float(state.time), state.q.copy(), state.v.copy(), entries, phi, nu, right)
    order = {int(row): k for k, row in enumerate(P[int(P[L.P_AT_ROWS]) :][: len(rows)])}
    places = [order[row] for row in rows]
    return J, phi[places], nu[places], gamma


def of_bodies(state: State) -> tuple[Array, Array]:
    """Generalised forces of gravity, and what is left of the inertia with all accelerations zero."""
    system, size = state.system, state.system.per_body
    pull = np.array(system.model.gravity)
    gravity, bias = np.zeros(system.n_columns), np.zeros(system.n_columns)
    width = len(system.model.space.positions)
    for b, body in enumerate(list(system.model.bodies.values())[1:]):
        q, v = state.q[width * b : width * (b + 1)], state.v[size * b : size * (b + 1)]
        mass, centroid = body.mass or 0.0, np.array(body.centroid)
        own = slice(size * b, size * (b + 1))
        if size == 3:
            c, s = np.cos(q[2]), np.sin(q[2])
            arm = np.array([c * centroid[0] - s * centroid[1], s * centroid[0] + c * centroid[1]])
            gravity[own] = mass * np.array([*pull, arm[0] * pull[1] - arm[1] * pull[0]])
            bias[own] = mass * v[2] ** 2 * np.array([*arm, 0.0])
        else:
            turn, omega = rotations.matrix(q[3:7]), v[3:6]
            skew = rotations.skew(centroid)
            inertia = (np.zeros((3, 3)) if body.inertia is None else np.array(body.inertia)) - mass * skew @ skew
            gravity[own] = np.concatenate([mass * pull, np.cross(centroid, turn.T @ (mass * pull))])
            away = -mass * turn @ np.cross(omega, np.cross(omega, centroid))
            bias[own] = np.concatenate([away, -np.cross(omega, inertia @ omega)])
    return gravity, bias
