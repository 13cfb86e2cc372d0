"""Matrices of particles: the overlapped mass matrix, distances, and what becomes of forces and rows of the bodies."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pytrammel import rotations
from pytrammel.analysis.at_state import evaluate_state
from pytrammel.analysis.formulations import Formulation, formulations
from pytrammel.analysis.formulations.points import particle_motion, particle_names, particle_table, particle_vector
from pytrammel.analysis.freedom.rank import jacobian
from pytrammel.analysis.runs.engine import vector_size
from pytrammel.analysis.small_motions.reduced import State
from pytrammel.analysis.study import joints
from pytrammel.analysis.study.bodies import row_names
from pytrammel.analysis.study.terms import of_bodies
from pytrammel.errors import ModelError
from pytrammel.forces.force import Force
from pytrammel.kernels import engine as places
from pytrammel.kernels import layout as L
from pytrammel.kernels import particles as K
from pytrammel.kernels.equations.points import points_forces_run, points_rows_run, points_to_bodies_run
from pytrammel.kernels.jit import prepare
from pytrammel.results.studies.matrices import Labelled, Matrices, bordered
from pytrammel.system.lowering import lower_measures
from pytrammel.system.particles import BodyParticles, Particles, find_particles
from pytrammel.system.pattern import pattern
from pytrammel.system.topology import spanning_tree
from pytrammel.system.tree import build_tree

Array = NDArray[np.float64]


def write_out(state: State, formulation: Formulation) -> Matrices:
    """M x'' - J'lambda = f, J x'' = gamma: particles, with rows for their distances and what else the model holds."""
    system = state.system
    if system.ints[L.N_REACTIONS]:
        raise ModelError(
            f"some force of model {system.model.name!r} depends on reactions, which particles do not know; use formulation='cartesian'."
        )
    prepare(["points_forces_run"])
    if formulation["variables"] == "joint":
        prepare([*formulations["joint"].needs(system.model.space.dimension)])
        return _along_tree(state, formulation)
    found = find_particles(system, state.rows, state.floats, formulation["particles"], formulation["masses"])
    rows = [row for row in state.rows if row not in found.held]
    look = _look(state, found, rows, list(range(len(found.distances))))
    n, extras = look.forces.size, len(system.extras)
    names = (*_distances(found), *row_names(system, look.order))
    unknowns = (*particle_names(found), *system.columns[system.n_columns - extras :])
    mass, f = _mass(found, extras), distributed(state, found, look.forces)
    parts = (
        Labelled("x'", "velocities of the particles", look.y[int(n + _carried(state)) :][:n], unknowns),
        Labelled("T", "velocities of the bodies are T x'", look.T, system.columns, unknowns),
        Labelled(
            "bias",
            "accelerations of the bodies where the particles have none: a = T x'' + bias",
            look.bias,
            system.columns,
        ),
        Labelled("M", "overlapped masses of the particles, constant", mass, unknowns, unknowns),
        Labelled("f", "forces on the particles by their distribution parameters, couples along the sides", f, unknowns),
        Labelled(
            "J", "distances, then rows of the model: M x'' - J'lambda = f, J x'' = gamma", look.J, names, unknowns
        ),
        Labelled("gamma", "right-hand side of the rows", look.gamma, names),
    )
    matrix, right = bordered(mass, look.J, f, look.gamma)
    return Matrices(
        system.model.name, str(formulation), state.time, parts, (*unknowns, *names), (*unknowns, *(f"lambda {name}" for name in names)),
        matrix, right, system.columns, look.T, look.bias,
    )  # fmt: skip


@dataclass(frozen=True)
class _Look:
    """Kernels of the particles at a state."""

    y: Array
    forces: Array
    J: Array
    gamma: Array
    T: Array
    bias: Array
    order: list[int]


def _look(state: State, found: Particles, rows: list[int], distances: list[int]) -> _Look:
    """Forces, rows and transformation at a state."""
    system = state.system
    table = particle_table(system, found, state.floats, distances, rows)
    head, work = table.data[places.REDUCED], table.data[places.WORKSPACE]
    vector = np.zeros(vector_size(system.ints))
    given = np.concatenate([state.q, state.v, state.z])
    vector[: given.size] = given
    y = particle_vector(system, found, vector)
    n, m = found.fixed.shape[1] * found.n_free + len(system.extras), len(distances) + len(rows)
    forces, flat = np.zeros(n), np.zeros(m * n)
    points_forces_run(table.entries, state.time, y, forces)
    gamma, bias = work[head[K.W_GAMMA] :][:m].copy(), work[head[K.W_BIAS] :][: system.n_columns].copy()
    points_rows_run(table.entries, state.time, y, flat)
    order = table.data[places.PATTERN]
    in_order = [int(row) for row in order[int(order[L.P_AT_ROWS]) :][: len(rows)]]
    return _Look(y, forces, flat.reshape(m, n), gamma, _to_bodies(state, table.entries, y, n), bias, in_order)


def _mass(found: Particles, extras: int) -> Array:
    """The overlapped mass matrix by coordinates; places on curves have none."""
    d, free = found.fixed.shape[1], found.n_free
    out = np.zeros((d * free + extras, d * free + extras))
    out[: d * free, : d * free] = np.kron(found.mass_matrix[:free, :free], np.eye(d))
    return out


def _along_tree(state: State, formulation: Formulation) -> Matrices:
    """B'M B u' - C'nu = B'(f - M Bdot u), C u' = gamma - J Bdot u with the particles of all joints but the cut ones (6.2 to 6.8)."""
    system = state.system
    topology = spanning_tree(system, list(state.rows), base=str(formulation["base"]), cut=formulation["cut"])
    tree = build_tree(system, topology)
    of_bodies, bias_of_bodies, u = joints.transformation(tree, state)
    held = [row for row in state.rows if row not in topology.rows]
    found = find_particles(system, held, state.floats, formulation["particles"], formulation["masses"])
    look = _look(state, found, list(topology.rows), [])
    B = _to_particles(state, found, of_bodies)
    bias = _accelerations(state, found, bias_of_bodies)
    mass = _mass(found, len(system.extras))
    f = distributed(state, found, look.forces)
    H, right_of_speeds = B.T @ mass @ B, B.T @ (f - mass @ bias)
    loops, gamma = look.J @ B, look.gamma - look.J @ bias
    columns = system.columns
    speeds = (*tree.speeds, *columns[len(columns) - len(system.extras) :])
    unknowns = (*particle_names(found), *columns[len(columns) - len(system.extras) :])
    names = row_names(system, look.order)
    parts = (
        Labelled("u", "speeds of the joints", u, speeds),
        Labelled(
            "M",
            "overlapped masses of the particles, constant; bodies at a cut joint have a particle each",
            mass,
            unknowns,
            unknowns,
        ),
        Labelled("f", "forces on the particles by their distribution parameters, couples along the sides", f, unknowns),
        Labelled("B", "velocity transformation to the particles, x' = B u", B, unknowns, speeds),
        Labelled("Bdot u", "accelerations of the particles where the speeds stay as they are", bias, unknowns),
        Labelled("H", "mass matrix B'M B", H, speeds, speeds),
        Labelled("B'f", "forces B'(f - M Bdot u)", right_of_speeds, speeds),
        Labelled("C", "rows that the tree leaves: C u' = gamma", loops, names, speeds),
        Labelled("gamma", "right-hand side of these rows", gamma, names),
    )
    matrix, right = bordered(H, loops, right_of_speeds, gamma)
    return Matrices(
        system.model.name, str(formulation), state.time, parts, (*speeds, *names), (*speeds, *(f"lambda {name}" for name in names)),
        matrix, right, columns, of_bodies, bias_of_bodies,
    )  # fmt: skip


def _to_particles(state: State, found: Particles, of_bodies: Array) -> Array:
    """Velocities of the particles that move by joint speeds, from velocities of the bodies; places on curves come last."""
    system, free = state.system, found.n_free
    extras = len(system.extras)
    moving = [particle_motion(system, found, state.q, column)[1][:free].ravel() for column in of_bodies.T]
    return np.vstack([np.array(moving).reshape(len(moving), -1).T, of_bodies[system.n_columns - extras :]])


def _accelerations(state: State, found: Particles, of_bodies: Array) -> Array:
    """Accelerations of the particles that move where the bodies have given ones."""
    system, free = state.system, found.n_free
    out = np.zeros((found.n_all, found.fixed.shape[1]))
    for b, own in enumerate(found.bodies):
        turn = _turn(state, b)
        arms = own.points @ turn.T
        if system.per_body == 3:
            a, alpha, omega = of_bodies[3 * b : 3 * b + 2], of_bodies[3 * b + 2], state.v[3 * b + 2]
            parts = a + alpha * np.column_stack([-arms[:, 1], arms[:, 0]]) - omega**2 * arms
        else:
            a, alpha = of_bodies[6 * b : 6 * b + 3], turn @ of_bodies[6 * b + 3 : 6 * b + 6]
            omega = turn @ state.v[6 * b + 3 : 6 * b + 6]
            parts = a + np.cross(alpha, arms) + np.cross(omega, np.cross(omega, arms))
        out[list(own.numbers)] = parts
    return np.concatenate([out[:free].ravel(), np.zeros(len(system.extras))])


def _turn(state: State, b: int) -> Array:
    """Rotation matrix of a moving body."""
    if state.system.per_body == 6:
        return np.asarray(rotations.matrix(state.q[7 * b + 3 : 7 * b + 7]))
    c, s = np.cos(state.q[3 * b + 2]), np.sin(state.q[3 * b + 2])
    return np.array([[c, -s], [s, c]])


# --- forces --------------------------------------------------------------------------------------------------------------------


def distributed(state: State, found: Particles, reduced: Array) -> Array:
    """Forces on the particles: of every force at its point by distribution parameters, couples along the sides (Attia 3.1, 3.2).

    Forces without a known point of application act at the origin of the body with their moment about it.

    Args:
        state: The state.
        found: Its particles.
        reduced: Forces on the particles from the kernels, for gravity and for places on curves.
    """
    system = state.system
    d, free, size = found.fixed.shape[1], found.n_free, system.per_body
    out = np.zeros((found.n_all, d))
    gravity = np.array(system.model.gravity)
    out[:] = found.mass_matrix.sum(axis=1)[:, None] * gravity
    left = _applied(state)
    for owner, generalised in _along_quantities(state):
        for b, own in enumerate(found.bodies):
            part = generalised[size * b : size * (b + 1)]
            point = _point_of(state, owner, own.body, b, part)
            if point is not None:
                out[list(own.numbers)] += _spread(state, own, b, part, point)
                left[size * b : size * (b + 1)] -= part
    for b, own in enumerate(found.bodies):
        part = left[size * b : size * (b + 1)]
        if np.abs(part).max() > 1e-13 * max(1.0, float(np.abs(reduced).max(initial=0.0))):
            out[list(own.numbers)] += _spread(state, own, b, part, np.zeros(d))
    return np.concatenate([out[:free].ravel(), reduced[d * free :]])


def _applied(state: State) -> Array:
    """Generalised forces of the force elements alone."""
    system = state.system
    whole = evaluate_state(system, state.floats, pattern(system, ()), state.time, state.q, state.v, state.z).generalised
    gravity, bias = of_bodies(state)
    return np.asarray(whole - gravity - bias)


def _along_quantities(state: State) -> Iterator[tuple[str, Array]]:
    """Generalised force of every force that acts along a measured quantity."""
    system = state.system
    values = evaluate_state(system, state.floats, pattern(system, ()), state.time, state.q, state.v, state.z).forces
    for entry, value in zip(system.forces, values, strict=True):
        if entry.use.along is not None and value:
            small = lower_measures(system.model, [entry.use.along])
            if len(small.rows) == 1 and small.columns == system.columns:
                J = jacobian(small, state.q, state.time, [0])
                yield entry.owner, value * J[0] * small.row_scales()[0] / small.column_scales()


def _point_of(state: State, owner: str, body: str, b: int, part: Array) -> Array | None:
    """Point of application on a body: a place of the force on whose account its moment about the origin is; None if there is none."""
    d = 2 if state.system.per_body == 3 else 3
    size = float(np.abs(part).max())
    if not size > 0.0:
        return None
    turn = _turn(state, b)
    force = turn.T @ part[:d]
    moment = part[d:]  # components in body axes in space, one number in the plane
    for place in _places(state.system.model.forces[owner], body):
        arm = np.array(place)
        own = np.array([arm[0] * force[1] - arm[1] * force[0]]) if d == 2 else np.cross(arm, force)
        if np.abs(own - moment).max() <= 1e-9 * size * max(1.0, float(np.abs(arm).max())):
            return arm
    return None


def _places(force: Force, body: str) -> Iterator[tuple[float, ...]]:
    """Symbol positions of a force on a body."""
    for symbol in force.symbols:
        for name, place in ((symbol.body, symbol.position), (symbol.other_body, symbol.other_position)):
            if name == body and place:
                yield place


def _spread(state: State, own: BodyParticles, b: int, part: Array, point: Array) -> Array:
    """Forces on the particles of a body for a generalised force whose force acts at a point, global, shape (k, d)."""
    d = own.points.shape[1]
    turn = _turn(state, b)
    force = turn.T @ part[:d]
    arm = np.array([point[0] * force[1] - point[1] * force[0]]) if d == 2 else np.cross(point, force)
    return own.forces(force, point, part[d:] - arm) @ turn.T


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
