"""Residuals, Jacobian, nu and gamma of constraints, gravity, bias and applied forces at a state."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from trammel import rotations
from trammel.analysis.at_state import evaluate_state, mass_matrix
from trammel.analysis.freedom.rank import exact_rows, jacobian, rank_of
from trammel.analysis.options import verb
from trammel.analysis.ready import make_ready
from trammel.analysis.rest.equilibrium import Equilibrium
from trammel.analysis.small_motions.linear_state import state_at
from trammel.analysis.small_motions.reduced import State
from trammel.analysis.study import bodies
from trammel.kernels import layout as L
from trammel.kernels.rows import rows_run
from trammel.model.base import Model
from trammel.results.matrices import Labelled
from trammel.results.result import Result
from trammel.results.terms import Terms
from trammel.system.pattern import pattern

Array = NDArray[np.float64]


@verb
def terms(model: Model, *, at: Result | Equilibrium | None = None, time: float | None = None) -> Terms:
    """Terms of the equations at a state: residuals, Jacobian, nu and gamma of every constraint, gravity, bias and applied forces.

    Args:
        model: The model.
        at: The state: a time of a result of `simulate`, or an equilibrium; the start of a run by default.
        time: Time [s]: of the start (0 by default), or one of the result's instants (the last by default).
    """
    make_ready(model, bodies.KERNELS, forces=True)
    state = state_at(model, at, time, "terms")
    system, rows = state.system, list(state.rows)
    J, phi, nu, gamma = _rows(state, rows)
    exact = exact_rows(system, state.q, state.time, rows)
    independent = rank_of(jacobian(system, state.q, state.time, exact)).independent if exact else ()
    some = pattern(system, [exact[k] for k in independent])
    whole = evaluate_state(system, state.floats, some, state.time, state.q, state.v, state.z).generalised
    gravity, bias = _of_bodies(state)
    names, columns = bodies.row_names(system, rows), tuple(system.columns)

    def by_row(symbol: str, about: str, values: Array) -> Labelled:
        return Labelled(symbol, about, values, names)

    def by_column(symbol: str, about: str, values: Array) -> Labelled:
        return Labelled(symbol, about, values, columns)

    return Terms(
        system.model.name, float(state.time), by_row("Phi", "residuals of the constraints", phi),
        Labelled("J", "Jacobian of the constraints", J, names, columns), by_row("nu", "J v = nu", nu),
        by_row("gamma", "J a = gamma", gamma),
        Labelled("M", "mass matrix", mass_matrix(system, state.q), columns, columns), by_column("g_gravity", "gravity", gravity),
        by_column("g_bias", "centrifugal and gyroscopic terms", bias), by_column("g_applied", "force elements", whole - gravity - bias),
        by_column("v", "velocities", state.v.copy()), tuple(system.rows[k].owner for k in rows),
    )  # fmt: skip


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


def _of_bodies(state: State) -> tuple[Array, Array]:
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
