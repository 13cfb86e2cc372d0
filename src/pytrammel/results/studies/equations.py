"""Equations as formulas, with their derivatives by the unknowns and by time."""

from __future__ import annotations

import functools
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pytrammel._util.least_norm import smallest_solution
from pytrammel._util.messages import short
from pytrammel.errors import ModelError, SingularError
from pytrammel.expressions.expression import Expression, variable

Array = NDArray[np.float64]
RATE, ACCELERATION = ".rate", ".acceleration"


@dataclass(frozen=True, eq=False)
class Formulas:
    """Equations Φ(x, t) = 0 with their derivatives as formulas.

    Attributes:
        names: Names of the equations.
        unknowns: Names of the unknowns x.
        residuals: Φ as formulas of the unknowns and t; given values are put in.
    """

    names: tuple[str, ...]
    unknowns: tuple[str, ...]
    residuals: tuple[Expression, ...]

    @functools.cached_property
    def jacobian(self) -> tuple[tuple[Expression, ...], ...]:
        """∂Φ/∂x as formulas, row by row."""
        return tuple(tuple(f.derivative(x) for x in self.unknowns) for f in self.residuals)

    @functools.cached_property
    def velocity_equations(self) -> tuple[str, ...]:
        """The first time derivatives as text; the rate of x is written x.rate."""
        return tuple(f"{f} = 0" for f in self._once)

    @functools.cached_property
    def acceleration_equations(self) -> tuple[str, ...]:
        """The second time derivatives as text; the second rate of x is written x.acceleration."""
        full = [
            functools.reduce(
                lambda a, b: a + b, (d * variable(x + ACCELERATION) for d, x in zip(row, self.unknowns, strict=True))
            )
            for row in self.jacobian
        ]
        return tuple(f"{f + g} = 0" for f, g in zip(full, self._twice, strict=True))

    @functools.cached_property
    def _once(self) -> tuple[Expression, ...]:
        return tuple(self._derived(f) for f in self.residuals)

    @functools.cached_property
    def _twice(self) -> tuple[Expression, ...]:
        """Second time derivatives without the term of the accelerations."""
        return tuple(self._derived(f) for f in self._once)

    def _derived(self, f: Expression) -> Expression:
        """Time derivative in which rates are known numbers."""
        total = f.derivative("t")
        for x in self.unknowns:
            total = total + f.derivative(x) * variable(x + RATE)
        return total

    def at(self, x: Array, time: float) -> dict[str, float]:
        """Values of all names at an iterate."""
        return {**dict(zip(self.unknowns, map(float, x), strict=True)), "t": time}

    def evaluated(self, x: Array, time: float) -> tuple[Array, Array]:
        """Residuals and Jacobian."""
        values = self.at(x, time)
        phi = np.array([f.evaluate(values) for f in self.residuals], dtype=float)
        return phi, np.array([[d.evaluate(values) for d in row] for row in self.jacobian], dtype=float)

    def rates(self, x: Array, time: float) -> tuple[Array, Array]:
        """Velocities and accelerations of the unknowns (eq. 3.14, 3.16)."""
        _, J = self.evaluated(x, time)
        values = self.at(x, time) | {name + RATE: 0.0 for name in self.unknowns}
        v = smallest_solution(J, -np.array([f.evaluate(values) for f in self._once], dtype=float), unique=True)
        if v is None:
            raise SingularError(
                f"the Jacobian is singular at {self.place(x)}, so that velocities are not determined there."
            )
        values |= {name + RATE: float(rate) for name, rate in zip(self.unknowns, v, strict=True)}
        a = smallest_solution(J, -np.array([f.evaluate(values) for f in self._twice], dtype=float), unique=True)
        assert a is not None  # the same Jacobian
        return v, a

    def place(self, x: Array) -> str:
        """Values of the unknowns in a sentence."""
        return ", ".join(f"{name} = {value:.6g}" for name, value in zip(self.unknowns, x, strict=True))

    def index(self, name: object) -> int:
        """Place of an unknown."""
        if name not in self.unknowns:
            raise ModelError(f"there is no unknown {short(name)}; there are: {', '.join(self.unknowns)}.")
        return self.unknowns.index(str(name))
