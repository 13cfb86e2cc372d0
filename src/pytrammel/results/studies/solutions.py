"""Solutions of equations given as formulas, at one instant or at many."""

from __future__ import annotations

import functools
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pytrammel._util.checks import checked
from pytrammel._util.messages import brief, number_of
from pytrammel.errors import RunWarning
from pytrammel.results.studies.equations import ACCELERATION, RATE, Formulas
from pytrammel.results.studies.newton import NewtonHistory

Array = NDArray[np.float64]


@brief
@dataclass(frozen=True, eq=False)
class Solution:
    """A solution of equations, with the way that led to it.

    Attributes:
        formulas: The equations and their derivatives as formulas.
        time: Value of t [s].
        x: Unknowns in the order of `formulas.unknowns`.
        history: The iterations.
        warnings: What is doubtful: digits lost at a multiple root.
    """

    formulas: Formulas = field(repr=False)
    time: float
    x: Array
    history: NewtonHistory = field(repr=False)
    warnings: tuple[RunWarning, ...] = ()

    def __getitem__(self, name: str) -> float:
        return float(self.x[self.formulas.index(name)])

    @property
    def values(self) -> dict[str, float]:
        """Unknowns by name."""
        return dict(zip(self.formulas.unknowns, map(float, self.x), strict=True))

    @property
    def iterations(self) -> int:
        """Number of iterations."""
        return self.history.iterations

    @property
    def residual(self) -> float:
        """Largest residual."""
        return float(np.abs(self.history.residuals[-1]).max())

    @property
    def jacobian(self) -> Array:
        """∂Φ/∂x at the solution."""
        return self.formulas.evaluated(self.x, self.time)[1]

    @functools.cached_property
    def _rates(self) -> tuple[Array, Array]:
        return self.formulas.rates(self.x, self.time)

    @property
    def velocities(self) -> dict[str, float]:
        """Rates of the unknowns by name; zero where nothing depends on t."""
        return dict(zip(self.formulas.unknowns, map(float, self._rates[0]), strict=True))

    @property
    def accelerations(self) -> dict[str, float]:
        """Second rates of the unknowns by name."""
        return dict(zip(self.formulas.unknowns, map(float, self._rates[1]), strict=True))

    @checked
    def plot(self, path: str | Path | None = None, *, ax: Any = None) -> Any:
        """Residuals and corrections over the iterations; see `NewtonHistory.plot`."""
        return self.history.plot(path, ax=ax)

    def __str__(self) -> str:
        found = ", ".join(f"{name} = {value:.10g}" for name, value in self.values.items())
        return f"{self.history}\nsolution after {number_of(self.iterations, 'iteration')}: {found}"


@brief
@dataclass(frozen=True, eq=False)
class Solutions:
    """Solutions at many instants.

    Attributes:
        formulas: The equations and their derivatives as formulas.
        times: Instants [s], shape (n,).
        x, v, a: Unknowns, rates and second rates, shape (n, unknowns).
        histories: The iterations at every instant, the last step of each.
    """

    formulas: Formulas = field(repr=False)
    times: Array
    x: Array
    v: Array = field(repr=False)
    a: Array = field(repr=False)
    histories: tuple[NewtonHistory, ...] = field(repr=False)

    def __len__(self) -> int:
        return len(self.times)

    def __getitem__(self, name: str) -> Array:
        """An unknown along the instants, or its rate: "phi2", "phi2.rate", "phi2.acceleration"."""
        table = self.v if name.endswith(RATE) else self.a if name.endswith(ACCELERATION) else self.x
        return table[:, self.formulas.index(name.removesuffix(RATE).removesuffix(ACCELERATION))]

    @property
    def iterations(self) -> NDArray[np.int64]:
        """Newton iterations at every instant."""
        return np.array([h.iterations for h in self.histories])

    def to_dict(self) -> dict[str, Array]:
        """Columns by name, "t" first."""
        names = self.formulas.unknowns
        return {
            "t": self.times,
            **{name + kind: self[name + kind] for kind in ("", RATE, ACCELERATION) for name in names},
        }

    @checked
    def plot(self, *names: str, ax: Any = None, path: str | Path | None = None) -> Any:
        """Plot unknowns over time, all of them by default; returns the axes.

        Args:
            names: Unknowns or their rates; see `__getitem__`.
            ax: Axes to draw on; a figure of its own by default.
            path: File to write (png, svg, pdf).
        """
        from pytrammel.view.plots.numbers import plot_series

        chosen = names or self.formulas.unknowns
        return plot_series(self.times, [(name, "", self[name]) for name in chosen], ax=ax, path=path)

    def __str__(self) -> str:
        lines = [
            f"{number_of(len(self), 'instant')} from t = {self.times[0]:g} to {self.times[-1]:g}, "
            f"{number_of(self.iterations.sum(), 'iteration')}"
        ]
        for name in self.formulas.unknowns:
            values = self[name]
            lines.append(f"  {name}: {values.min():.6g} … {values.max():.6g}")
        return "\n".join(lines)
