"""The matrices of any formulation at a state, with names."""

from __future__ import annotations

from pytrammel.analysis.formulations import Formulation, offered
from pytrammel.analysis.options import verb
from pytrammel.analysis.ready import make_ready
from pytrammel.analysis.rest.equilibrium import Equilibrium
from pytrammel.analysis.small_motions.linear_state import state_at
from pytrammel.analysis.study import bodies
from pytrammel.model.base import Model
from pytrammel.results.result import Result
from pytrammel.results.studies.matrices import Matrices


@verb
def matrices(
    model: Model,
    *,
    formulation: str | Formulation = "cartesian",
    at: Result | Equilibrium | None = None,
    time: float | None = None,
) -> Matrices:
    """The equations of motion of a formulation at a state, written out with names: for study.

        print(m.matrices(formulation="joint"))
        m.matrices(formulation="joint")["H"].values

    Accelerations that solve them (``.accelerations``) are those of a run.

    Args:
        model: The model; every body needs a mass and an inertia.
        formulation: One of ``tm.formulations`` that has matrices to show; options by `tm.formulation`.
        at: The state: a time of a result of `simulate`, or an equilibrium; the start of a run by default.
        time: Time [s]: of the start (0 by default), or one of the result's instants (the last by default).
    """
    chosen = offered(formulation, model, "matrices", "matrices", "it has no matrices to show")
    assert chosen.matrices is not None
    make_ready(model, [*bodies.KERNELS, *chosen.needs(model.space.dimension)], forces=True)
    return chosen.matrices(state_at(model, at, time, "matrices"), chosen)
