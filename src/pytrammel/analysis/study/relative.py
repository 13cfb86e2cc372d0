"""Matrices of relative coordinates: partial velocities, and what they make of the equations in body coordinates."""

from __future__ import annotations

import numpy as np

from pytrammel.analysis.formulations import Formulation
from pytrammel.analysis.positions.plain_newton import row_names
from pytrammel.analysis.runs.engine import vector_size
from pytrammel.analysis.small_motions.reduced import State
from pytrammel.analysis.study.relative_equations import names_of, study_of
from pytrammel.results.studies.matrices import Labelled, Matrices, bordered


def write_out(state: State, formulation: Formulation) -> Matrices:
    """A_uu y_u' - B_u'lambda = f_u - A_uk y_k', B_u y_u' = right - B_k y_k', for the unknown ones of all relative coordinates."""
    system = state.system
    vector = np.zeros(vector_size(system.ints))
    given = np.concatenate([state.q, state.v, state.z])
    vector[: given.size] = given
    study, _ = study_of(system, state.rows, state.floats, state.time, vector, formulation)
    names, rows, columns = names_of(study), row_names(system, study.rows), system.columns
    unknown, rates = study.partition()
    free = tuple(names[c] for c in unknown)
    parts = (
        Labelled("y", "speeds of all relative coordinates, known ones too", study.y, names),
        Labelled("P", "partial velocities: velocities of the bodies are P y", study.P.T, columns, names),
        Labelled("b", "accelerations of the bodies where the speeds stay as they are", study.bias, columns),
        Labelled("A", "generalised mass matrix P'M P", study.A, names, names),
        Labelled("f", "generalised forces P'(g - M b)", study.f, names),
        Labelled("A_uu", "its part of the unknown coordinates", study.A[np.ix_(unknown, unknown)], free, free),
        Labelled("y'_k", "rates of the known speeds, zero where they are locked or to be found", rates, names),
        Labelled("B", "rows that no coordinate stands for, along all coordinates", study.B, rows, names),
        Labelled("right", "right-hand side of these rows: B y' = right", study.right, rows),
    )
    forces, right = study.f[unknown] - study.A[unknown] @ rates, study.right - study.B @ rates
    matrix, whole = bordered(study.A[np.ix_(unknown, unknown)], study.B[:, unknown], forces, right)
    return Matrices(
        system.model.name, str(formulation), state.time, parts, (*free, *rows), (*free, *(f"lambda {name}" for name in rows)),
        matrix, whole, columns, study.P[unknown].T, study.bias + rates @ study.P,
    )  # fmt: skip
