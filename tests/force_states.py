"""What the kernels compute at one state of a model with forces; for the tests of planar and of spatial forces."""

from __future__ import annotations

import numpy as np

from pytrammel.kernels import layout as L
from pytrammel.kernels.bodies import load_ground
from pytrammel.kernels.dynamics import FORCES, JAC, OUT, STATE, accelerations, workspace
from pytrammel.system.lowering import lower
from pytrammel.system.pattern import pattern


class At:
    """Everything the kernels compute at one state of a model."""

    def __init__(self, model, t, q, v, z=None):
        self.system = lower(model, dynamics=True)
        self.z = np.zeros(int(self.system.ints[L.N_STATES])) if z is None else z
        self.q, self.v, self.t = q, v, t
        ints, P = self.system.ints, pattern(self.system, range(len(self.system.rows)))
        self.ws = workspace(ints, P)
        load_ground(ints, self.ws[STATE])
        accelerations(
            ints, self.system.floats, P, t, q, v, self.z, 0.0, 0.0, np.zeros(v.size), np.zeros(len(self.system.rows)),
            self.ws,
        )  # fmt: skip
        self.generalised = self.ws[FORCES].copy()
        self.table = ints[ints[L.AT_FORCES] :][: L.FORCE_SIZE * ints[L.N_FORCES]].reshape(-1, L.FORCE_SIZE)

    def output(self, use, what):
        return float(self.ws[OUT][L.OUTPUT_SIZE * self.table[use, 2] + what])

    def block(self, use):
        """Generalised force of one use, over all columns."""
        _, _, _, first, n, columns = self.table[use]
        out = np.zeros(self.v.size)
        for e in range(n):
            column = self.system.ints[columns + e]
            if column >= 0:
                out[column] += self.ws[JAC][first + e]
        return out

    @property
    def total(self):
        return sum(self.block(k) for k in range(len(self.table)))
