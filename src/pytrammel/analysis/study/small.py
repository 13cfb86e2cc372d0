"""Coordinates of each formulation as small motions of the bodies: what `linearize` measures them by."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pytrammel import rotations
from pytrammel.analysis.formulations import Formulation, SmallMotions
from pytrammel.analysis.formulations.points import particle_motion, particle_names
from pytrammel.analysis.runs.engine import vector_size
from pytrammel.analysis.small_motions.reduced import State
from pytrammel.analysis.study.joints import transformation
from pytrammel.analysis.study.relative_equations import names_of, study_of
from pytrammel.system.lowering import System
from pytrammel.system.particles import find_particles
from pytrammel.system.topology import spanning_tree
from pytrammel.system.tree import build_tree, scales

Array = NDArray[np.float64]


def of_bodies(state: State, formulation: Formulation) -> SmallMotions:
    """Columns of the bodies; in formulations I and II Euler parameters in the place of rotations."""
    system, n = state.system, state.system.n_columns
    if formulation.variant == "III":
        return system.columns, np.eye(n), system.column_scales()
    bodies = len(system.model.bodies) - 1
    rows, sizes = np.zeros((n + bodies, n)), np.ones(n + bodies)
    rows[7 * bodies :, 6 * bodies :] = np.eye(n - 6 * bodies)
    sizes[7 * bodies :] = system.column_scales()[6 * bodies :]
    for b in range(bodies):
        at = 7 * b
        rows[at : at + 3, 6 * b : 6 * b + 3] = np.eye(3)
        rows[at + 3 : at + 7, 6 * b + 3 : 6 * b + 6] = 0.5 * rotations.L(state.q[at + 3 : at + 7]).T
        sizes[at : at + 3] = system.length
    return system.coordinates[: n + bodies], rows, sizes


def along_tree(state: State, formulation: Formulation) -> SmallMotions:
    """Joint coordinates; the turns of a ball are about the axes of its body."""
    system = state.system
    topology = spanning_tree(system, list(state.rows), base=str(formulation["base"]), cut=formulation["cut"])
    tree = build_tree(system, topology)
    B, _, _ = transformation(tree, state)
    sizes = np.array([*scales(tree)[1], *_extra_scales(system)], dtype=float)
    return (*tree.speeds, *_extras(system)), np.asarray(np.linalg.pinv(B), dtype=float), sizes


def of_relative(state: State, formulation: Formulation) -> SmallMotions:
    """Relative coordinates that are not known beforehand."""
    system = state.system
    vector = np.zeros(vector_size(system.ints))
    given = np.concatenate([state.q, state.v, state.z])
    vector[: given.size] = given
    study, _ = study_of(system, state.rows, state.floats, state.time, vector, formulation)
    unknown, _ = study.partition()
    names = names_of(study)
    chosen = tuple(names[c] for c in unknown)
    sizes = [system.length if name.endswith((".s1", ".s2", ".s3")) else 1.0 for name in chosen]
    return chosen, np.asarray(np.linalg.pinv(study.P[unknown].T), dtype=float), np.array(sizes, dtype=float)


def of_particles(state: State, formulation: Formulation) -> SmallMotions:
    """Coordinates of the particles that move."""
    system, n = state.system, state.system.n_columns
    found = find_particles(system, state.rows, state.floats, formulation["particles"], formulation["masses"])
    moving = np.array([particle_motion(system, found, state.q, unit)[1][: found.n_free].ravel() for unit in np.eye(n)])
    extras = len(system.extras)
    rows = np.vstack([moving.T, np.eye(n)[n - extras :]])
    sizes = np.array([system.length] * (len(rows) - extras) + _extra_scales(system))
    return (*particle_names(found), *_extras(system)), rows, sizes


def _extras(system: System) -> tuple[str, ...]:
    return system.columns[len(system.columns) - len(system.extras) :]


def _extra_scales(system: System) -> list[float]:
    return [extra.scale for extra in system.extras]
