"""Matrices of particles: the overlapped mass matrix, distances, and what becomes of forces and rows of the bodies."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from trammel.analysis.formulations import Formulation, formulations
from trammel.analysis.formulations.points import particle_names, particle_table, particle_vector
from trammel.analysis.runs.engine import vector_size
from trammel.analysis.small_motions.reduced import State
from trammel.analysis.study import joints
from trammel.analysis.study.bodies import row_names
from trammel.errors import ModelError
from trammel.kernels import engine as places
from trammel.kernels import layout as L
from trammel.kernels import particles as K
from trammel.kernels.equations.points import points_forces_run, points_rows_run, points_to_bodies_run
from trammel.kernels.jit import prepare
from trammel.results.matrices import Labelled, Matrices, bordered
from trammel.system.particles import Particles, find_particles

Array = NDArray[np.float64]


def write_out(state: State, formulation: Formulation) -> Matrices:
    """M x'' - J'lambda = f, J x'' = gamma: particles, with rows for their distances and what else the model holds."""
    system = state.system
    if formulation["variables"] == "joint":
        prepare([*formulations()["joint"].needs(system.model.space.dimension)])
        return joints.write_out(state, formulation)
    if system.ints[L.N_REACTIONS]:
        raise ModelError(
            f"some force of model {system.model.name!r} depends on reactions, which particles do not know; use formulation='cartesian'."
        )
    prepare(["points_forces_run"])
    found = find_particles(system, state.rows, state.floats, formulation["particles"])
    rows = [row for row in state.rows if row not in found.held]
    table = particle_table(system, found, state.floats, list(range(len(found.distances))), rows)
    head, work = table.data[places.REDUCED], table.data[places.WORKSPACE]
    vector = np.zeros(vector_size(system.ints))
    given = np.concatenate([state.q, state.v, state.z])
    vector[: given.size] = given
    y = particle_vector(system, found, vector)
    extras, d = len(system.extras), found.fixed.shape[1]
    n, m = d * found.n_free + extras, len(found.distances) + len(rows)
    forces, flat = np.zeros(n), np.zeros(m * n)
    points_forces_run(table.entries, state.time, y, forces)
    gamma, bias = work[head[K.W_GAMMA] :][:m].copy(), work[head[K.W_BIAS] :][: system.n_columns].copy()
    points_rows_run(table.entries, state.time, y, flat)
    T = _to_bodies(state, table.entries, y, n)
    order = table.data[places.PATTERN]
    in_order = [int(row) for row in order[int(order[L.P_AT_ROWS]) :][: len(rows)]]
    names = (*_distances(found), *row_names(system, in_order))
    unknowns = (*particle_names(found), *system.columns[system.n_columns - extras :])
    mass = np.zeros((n, n))
    mass[: n - extras, : n - extras] = np.kron(found.mass_matrix[: found.n_free, : found.n_free], np.eye(d))
    J = flat.reshape(m, n)
    parts = (
        Labelled("x'", "velocities of the particles", y[int(n + _carried(state)) :][:n], unknowns),
        Labelled("T", "velocities of the bodies are T x'", T, system.columns, unknowns),
        Labelled(
            "bias", "accelerations of the bodies where the particles have none: a = T x'' + bias", bias, system.columns
        ),
        Labelled("M", "overlapped masses of the particles, constant", mass, unknowns, unknowns),
        Labelled("f", "forces on the particles, T'g and their weights", forces, unknowns),
        Labelled("J", "distances, then rows of the model: M x'' - J'lambda = f, J x'' = gamma", J, names, unknowns),
        Labelled("gamma", "right-hand side of the rows", gamma, names),
    )
    matrix, right = bordered(mass, J, forces, gamma)
    return Matrices(
        system.model.name, str(formulation), state.time, parts, (*unknowns, *names), (*unknowns, *(f"lambda {name}" for name in names)),
        matrix, right, system.columns, T, bias,
    )  # fmt: skip


def _carried(state: State) -> int:
    """Numbers between the coordinates and the rates in the vector of particles: turn counters, then angles or Euler parameters."""
    system = state.system
    return len(system.model.turns) + (len(system.model.bodies) - 1) * (1 if system.per_body == 3 else 4)


def _to_bodies(state: State, entries: NDArray[np.int64], y: Array, n: int) -> Array:
    """T, a column for each rate: velocities of the bodies are linear in them."""
    system = state.system
    first, nq, columns = n + _carried(state), system.n_coordinates, system.n_columns
    out, probe, T = np.zeros(vector_size(system.ints)), y.copy(), np.zeros((columns, n))
    for c in range(n):
        probe[first : first + n] = 0.0
        probe[first + c] = 1.0
        points_to_bodies_run(entries, state.time, probe, out)
        T[:, c] = out[nq : nq + columns]
    return T


def _distances(found: Particles) -> tuple[str, ...]:
    return tuple(f"P{i + 1}-P{j + 1}" for i, j, _ in found.distances)
