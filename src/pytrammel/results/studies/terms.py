"""What constraints and forces are at one state, row by row and column by column, with names: for study and for other programs."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pytrammel._util.checks import checked
from pytrammel._util.messages import brief, short
from pytrammel.errors import ModelError
from pytrammel.results.studies.matrices import Labelled

Array = NDArray[np.float64]


@brief
@dataclass(frozen=True, eq=False)
class ParameterTerms:
    """Constraints in space by coordinates r and p: Phi_q q' = -Phi_t, Phi_q q'' = gamma (Nikravesh, tables 7.1 and 7.2).

    Attributes:
        jacobian: Derivatives with A = (2 e0² - 1) I + 2 (e e' + e0 e~), table 7.1.
        gamma: Right-hand side of the accelerations for it.
        modified_jacobian: Derivatives with A = G L', table 7.2.
        modified_gamma: Right-hand side of the accelerations for it.
    """

    jacobian: Labelled
    gamma: Labelled
    modified_jacobian: Labelled
    modified_gamma: Labelled

    def __str__(self) -> str:
        return "\n".join(map(str, (self.jacobian, self.gamma, self.modified_jacobian, self.modified_gamma)))


@brief
@dataclass(frozen=True, eq=False)
class Terms:
    """Terms of the equations at one state: M a - J'lam = gravity + bias + applied, J a = gamma, J v = nu, residuals = 0.

    A model without masses has no terms of dynamics: mass, gravity, bias and applied are None.

    Attributes:
        model: Name of the model.
        time: Time of the state [s].
        residuals: What every row is open [m, rad or 1]; constraints on velocities have none.
        jacobian: J, one row per scalar constraint, one column per velocity.
        nu: Right-hand side of the velocities, J v = nu.
        gamma: Right-hand side of the accelerations, J a = gamma.
        mass: M along the velocities.
        gravity: Generalised forces of gravity: force, and moment about the origin of the body's frame (in space in body components).
        bias: The same of centrifugal and gyroscopic terms, with the sign of a force.
        applied: The same of all force elements.
        velocities: v of the state, by column.
        owners: Constraint of every row.
        parameters: In space, the constraints by coordinates r and p.
    """

    model: str
    time: float
    residuals: Labelled
    jacobian: Labelled
    nu: Labelled
    gamma: Labelled
    mass: Labelled | None
    gravity: Labelled | None
    bias: Labelled | None
    applied: Labelled | None
    velocities: Labelled
    owners: tuple[str, ...]
    parameters: ParameterTerms | None = None

    @checked
    def of(self, constraint: str) -> dict[str, Array]:
        """Residuals, Jacobian, nu and gamma of one constraint, by these names."""
        own = [k for k, owner in enumerate(self.owners) if owner == constraint]
        if not own:
            raise ModelError(
                f"there are no rows of {short(constraint)}; there are: {', '.join(dict.fromkeys(self.owners)) or 'none'}."
            )
        return {what: getattr(self, what).values[own].copy() for what in ("residuals", "jacobian", "nu", "gamma")}

    def __str__(self) -> str:
        parts = (self.residuals, self.jacobian, self.nu, self.gamma, self.mass, self.gravity, self.bias, self.applied)
        given = [str(part) for part in parts if part is not None]
        return "\n".join([f"terms of {self.model!r} at t = {self.time:g} s", *given])
