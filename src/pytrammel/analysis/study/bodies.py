"""Matrices of the equations of motion in body coordinates: formulations I, II and III of chapter 11."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pytrammel import rotations
from pytrammel.analysis.at_state import evaluate_state, mass_matrix
from pytrammel.analysis.formulations import Formulation
from pytrammel.analysis.freedom.rank import exact_rows, jacobian, rank_of
from pytrammel.analysis.small_motions.reduced import State
from pytrammel.kernels import layout as L
from pytrammel.kernels.rows import rows_run
from pytrammel.results.studies.matrices import Labelled, Matrices, bordered
from pytrammel.system.lowering import System
from pytrammel.system.pattern import pattern

Array = NDArray[np.float64]
KERNELS = ("rows_run",)


@dataclass(frozen=True)
class InBodies:
    """M a - J'lam = g, J a = gamma at a state, along the columns of the bodies; all active equations, redundant ones too.

    Attributes:
        names: Names of the rows.
    """

    mass: Array
    rows: Array
    forces: Array
    gamma: Array
    names: tuple[str, ...]


def row_names(system: System, rows: Sequence[int]) -> tuple[str, ...]:
    """The owner of each row, numbered where it has several."""
    several = Counter(system.rows[k].owner for k in rows)
    met: Counter[str] = Counter()
    out = []
    for k in rows:
        owner = system.rows[k].owner
        met[owner] += 1
        out.append(f"{owner}.{met[owner]}" if several[owner] > 1 else owner)
    return tuple(out)


def in_bodies(state: State) -> InBodies:
    """The equations along the columns of the bodies."""
    system, rows = state.system, list(state.rows)
    exact = exact_rows(system, state.q, state.time, rows)
    independent = rank_of(jacobian(system, state.q, state.time, exact)).independent if exact else ()
    some = pattern(system, [exact[k] for k in independent])
    forces = evaluate_state(system, state.floats, some, state.time, state.q, state.v, state.z).generalised
    J, gamma = rows_at(state, rows)
    return InBodies(mass_matrix(system, state.q), J, forces, gamma, row_names(system, rows))


def rows_at(state: State, rows: Sequence[int]) -> tuple[Array, Array]:
    """J and gamma of some rows, in their order: J a = gamma."""
    system = state.system
    P = pattern(system, rows)
    entries = np.zeros(int(system.ints[L.N_JACOBIAN]) + 1)
    phi, nu, right = (np.zeros(max(1, len(rows))) for _ in range(3))
    rows_run(system.ints, state.floats, P, float(state.time), state.q.copy(), state.v.copy(), entries, phi, nu, right)
    order = {int(row): k for k, row in enumerate(P[int(P[L.P_AT_ROWS]) :][: len(rows)])}
    J = np.zeros((len(rows), system.n_columns))
    for k, row in enumerate(rows):
        for e, column in enumerate(system.row_columns[row]):
            if column >= 0:
                J[k, column] += entries[system.row_entries[row] + e]
    return J, np.array([right[order[row]] for row in rows])


def write_out(state: State, formulation: Formulation) -> Matrices:
    """The matrices of a formulation in body coordinates."""
    if formulation.variant == "III":
        return _angular_velocities(state, formulation)
    return _parameters(state, formulation)


def _lam(names: Sequence[str]) -> tuple[str, ...]:
    return tuple(f"lambda {name}" for name in names)


def _angular_velocities(state: State, formulation: Formulation) -> Matrices:
    found, system = in_bodies(state), state.system
    columns = system.columns
    parts = (
        Labelled("M", "mass matrix", found.mass, columns, columns),
        Labelled("g", "forces, gravity and velocity terms included", found.forces, columns),
        Labelled("J", "rows of the constraints: M a - J'lambda = g, J a = gamma", found.rows, found.names, columns),
        Labelled("gamma", "right-hand side of the rows", found.gamma, found.names),
    )
    matrix, right = bordered(found.mass, found.rows, found.forces, found.gamma)
    n = system.n_columns
    return Matrices(
        system.model.name, str(formulation), state.time, parts, (*columns, *found.names), (*columns, *_lam(found.names)),
        matrix, right, columns, np.eye(n), np.zeros(n),
    )  # fmt: skip


def _parameters(state: State, formulation: Formulation) -> Matrices:
    """With Euler parameters: I has T'M T and a multiplier sigma for each norm, II has M T and no sigma."""
    found, system = in_bodies(state), state.system
    names = list(system.model.bodies)[1:]
    bodies, columns = len(names), system.columns
    n, nq = system.n_columns, system.n_columns + bodies
    coordinates = system.coordinates[:nq]
    T, P, norm, more = np.zeros((n, nq)), np.zeros((bodies, nq)), np.zeros(bodies), np.zeros(nq)
    T[6 * bodies :, 7 * bodies :] = np.eye(n - 6 * bodies)
    for b in range(bodies):
        own, p = slice(7 * b + 3, 7 * b + 7), state.q[7 * b + 3 : 7 * b + 7]
        w = state.v[6 * b + 3 : 6 * b + 6]
        T[6 * b : 6 * b + 3, 7 * b : 7 * b + 3] = np.eye(3)
        T[6 * b + 3 : 6 * b + 6, own] = 2.0 * rotations.L(p)
        P[b, own], norm[b] = p, -0.25 * float(w @ w)
        more[own] = 2.0 * float(w @ system_inertia(system, b) @ w) * p
    JT = found.rows @ T
    first = formulation.variant == "I"
    mass = T.T @ found.mass @ T if first else found.mass @ T
    forces = T.T @ found.forces + more if first else found.forces
    equations, sigma = (coordinates, tuple(f"sigma {b}" for b in names)) if first else (columns, ())
    norms = tuple(f"norm of {b}" for b in names)
    m, s = len(JT), len(sigma)
    matrix = np.zeros((len(equations) + bodies + m, nq + s + m))
    e = len(equations)
    matrix[:e, :nq] = mass
    matrix[e : e + bodies, :nq] = P
    matrix[e + bodies :, :nq] = JT
    matrix[:e, nq + s :] = -JT.T if first else -found.rows.T
    if first:
        matrix[:e, nq : nq + s] = P.T
    said = "T'M T" if first else "M T"
    parts = (
        Labelled("T", "from accelerations q'' to those of the bodies, 2 L in its blocks", T, columns, coordinates),
        Labelled(said.replace(" ", ""), f"mass matrix {said}", mass, equations, coordinates),
        Labelled("g", "forces" + (" T'g + 2 (w'J'w') p" if first else ""), forces, equations),
        Labelled("P", "rows of the norms, p.p'' = -p'.p'" + ("; sigma are their multipliers" if first else ""), P, norms, coordinates),
        Labelled("c", "right-hand side of the norms", norm, norms),
        Labelled("JT", "rows of the constraints: J T q'' = gamma", JT, found.names, coordinates),
        Labelled("gamma", "right-hand side of the rows", found.gamma, found.names),
    )  # fmt: skip
    return Matrices(
        system.model.name, str(formulation), state.time, parts, (*equations, *norms, *found.names),
        (*coordinates, *sigma, *_lam(found.names)), matrix, np.concatenate([forces, norm, found.gamma]), columns, T, np.zeros(n),
    )  # fmt: skip


def system_inertia(system: System, b: int) -> Array:
    """Inertia of a body about its centroid, in body axes."""
    at = int(system.ints[L.AT_MASSES]) + L.SPACE_MASS_SIZE * b
    return np.array(system.floats[at + 6 : at + 15].reshape(3, 3))
