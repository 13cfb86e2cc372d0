"""Rates written out for a model before its first run."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pytrammel._util.messages import brief
from pytrammel.analysis.methods import method_named
from pytrammel.analysis.options import verb
from pytrammel.analysis.runs import straight
from pytrammel.analysis.runs.dynamics import prepared
from pytrammel.analysis.runs.options import Options
from pytrammel.kernels.jit import HAVE_JIT
from pytrammel.model.base import Model


@brief
@dataclass(frozen=True)
class Prepared:
    """What simulations of a model run on; print it.

    Attributes:
        name: Name of the model.
        reason: Why there are no kernels of its own; empty if there are.
    """

    name: str
    reason: str = ""

    @property
    def written_out(self) -> bool:
        """Whether kernels were written out for this very model."""
        return not self.reason

    def __str__(self) -> str:
        if self.written_out:
            return f"{self.name!r}: rates are written out for this model; its simulations in this process use them, with the same numbers."
        return f"{self.name!r}: the general kernels serve this model as they are: {self.reason}."


@verb
def prepare(model: Model) -> Prepared:
    """Compile kernels for this very model now, so that its simulations take about half the time.

    Simulations do so by themselves once a model has been evaluated half a million times in a process; numbers are the same to the last bit
    either way. It takes 0.3 s for a four-bar and some seconds for ten bodies in space, once for a model as it is: with other
    dimensions or masses it is another model.

    Args:
        model: The model, as it will be simulated from its start on, in body coordinates.

    Returns:
        Whether kernels were written out, and why not.
    """
    if not HAVE_JIT:
        return Prepared(model.name, "Numba is missing or disabled")
    run = prepared(
        model,
        np.array([0.0, 1.0]),
        Options(method_named("dop853"), 1e-8, 1e-10, 0.0, np.inf, "projection", 0.0, 0.0, 1),
        (),
    )
    table = run.equations.table(run, run._look_out().system)
    if not straight.may_be_straight(table):
        return Prepared(model.name, "it is too large")
    found = straight.of_table(table)
    return Prepared(model.name, found if isinstance(found, str) else "")
