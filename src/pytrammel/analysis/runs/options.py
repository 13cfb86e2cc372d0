"""Options of a run: the method, its tolerances, and how constraints are held."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from pytrammel.analysis.formulations import Formulation, formulation
from pytrammel.analysis.methods import Method
from pytrammel.analysis.treatments import Treatment, treatment_named
from pytrammel.kernels import run as rk
from pytrammel.model.quantities.quantity import Quantity

Array = NDArray[np.float64]
OPEN = 1e-8  # of a row's scale: an opening that is put right in runs without error control


@dataclass(frozen=True)
class Options:
    """What `simulate` was told, checked."""

    method: Method
    rtol: float
    atol: float
    time_step: float
    max_step: float
    constraints: str
    alpha: float
    beta: float
    max_steps: int
    formulation: Formulation = field(default_factory=lambda: formulation("cartesian"))
    partition: str | tuple[str | Quantity, ...] = "lu-full"
    penalty: float = 1e10
    rotations: str = "velocities"
    euler_parameters: str = "corrected"
    corrected: bool = True
    formulation_reason: str = ""
    normalize_gains: tuple[float | None, float | None] = (None, None)

    @property
    def parameter_gains(self) -> tuple[float, float]:
        """Gains that stabilise the length of Euler parameters [1/s]; where they are not set, the gains of the constraints."""
        alpha, beta = self.normalize_gains
        return self.alpha if alpha is None else alpha, self.beta if beta is None else beta

    @property
    def said_formulation(self) -> str:
        """The formulation, and why it was chosen where that was left open."""
        return f"{self.formulation} ({self.formulation_reason})" if self.formulation_reason else str(self.formulation)

    @property
    def treatment(self) -> Treatment:
        """How constraints are held."""
        return treatment_named(self.constraints)

    @property
    def bound(self) -> float:
        """Opening of joints above which the hybrid treatment puts dependent coordinates right, in row scales."""
        if "alpha" not in self.treatment.takes:
            return 0.0
        return OPEN if self.method.fixed else self.rtol + self.atol

    def step_lengths(self, span: float) -> Array:
        """Step lengths as the kernel takes them."""
        options = np.zeros(rk.N_OPTIONS)
        options[rk.FIXED_STEP] = self.time_step if self.method.fixed else 0.0
        options[rk.LARGEST_STEP] = min(self.max_step, span or 1.0)
        return options
