"""The iterations of Newton's method, as a table and a picture."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pytrammel._util.checks import checked
from pytrammel._util.messages import brief
from pytrammel._util.worked_steps import check_digits

Array = NDArray[np.float64]
WIDE = 12  # columns that a table has at most
SMALL = 1e-6  # share of the largest residual: what ends above it has not converged
SETTLED = 1e-12  # corrections below this share of the first are rounding


@brief
@dataclass(frozen=True, eq=False)
class NewtonHistory:
    """What Newton's method did, iteration by iteration; entry 0 is the start.

    Attributes:
        unknowns, equations: Names.
        columns: Names of the corrections; those of the unknowns, but in space rotations have three for four Euler parameters.
        values: Unknowns, shape (iterations + 1, unknowns).
        residuals: Left by the equations there, shape (iterations + 1, equations).
        corrections: Newton's correction from each iterate, shape (iterations + 1, columns); not a number where none was made.
        factors: Share of the correction that was taken: 1 for the plain method, 0 where a step was given up.
        sizes: Largest residual in units of the equations' scales, shape (iterations + 1,).
        lengths: Largest correction in units of the unknowns' scales, shape (iterations + 1,).
    """

    unknowns: tuple[str, ...]
    equations: tuple[str, ...]
    columns: tuple[str, ...] = field(repr=False)
    values: Array = field(repr=False)
    residuals: Array = field(repr=False)
    corrections: Array = field(repr=False)
    factors: Array = field(repr=False)
    sizes: Array
    lengths: Array = field(repr=False)

    @property
    def iterations(self) -> int:
        """Corrections made."""
        return len(self.values) - 1

    def __len__(self) -> int:
        return len(self.values)

    @property
    def order(self) -> float | None:
        """Order of convergence seen in the last corrections: 2 where Newton's method is at its best, 1 at a multiple root.

        None if there are too few, or the residuals did not become small.
        """
        if not self.sizes[-1] <= SMALL * np.nanmax(self.sizes):
            return None
        steps = [float(s) for s in self.lengths if math.isfinite(s) and s > 0.0]
        steps = [s for s in steps if s > SETTLED * max(steps, default=0.0)]
        if len(steps) < 3 or not steps[-3] > steps[-2] > steps[-1]:
            return None
        return math.log(steps[-1] / steps[-2]) / math.log(steps[-2] / steps[-3])

    def to_dict(self) -> dict[str, Array]:
        """Columns by name: unknowns, residuals ("residual of …"), corrections ("correction of …"), factor."""
        out = {name: self.values[:, k] for k, name in enumerate(self.unknowns)}
        out |= {f"residual of {name}": self.residuals[:, k] for k, name in enumerate(self.equations)}
        out |= {f"correction of {name}": self.corrections[:, k] for k, name in enumerate(self.columns)}
        return out | {"factor": self.factors}

    @checked
    def table(self, *, digits: int = 6) -> str:
        """One line per iteration: unknowns, residuals and corrections, or the largest of them where there are many."""
        if len(self.unknowns) + len(self.equations) + len(self.columns) <= WIDE:
            heads = [*self.unknowns, *(f"Φ({e})" for e in self.equations), *(f"Δ{c}" for c in self.columns)]
            rows = np.hstack([self.values, self.residuals, self.corrections])
            cells = [[_text(v, digits) for v in row] for row in rows]
        else:
            heads = ["largest residual", "of", "largest correction", "of"]
            cells = []
            for k in range(len(self)):
                worst = self.equations[int(np.abs(self.residuals[k]).argmax())] if self.equations else ""
                known = np.isfinite(self.corrections[k]).all()
                moving = self.columns[int(np.abs(self.corrections[k]).argmax())] if known and self.columns else ""
                cells.append([_text(self.sizes[k], 3), worst, _text(self.lengths[k], 3), moving])
        damped = any(f != 1.0 for f in self.factors if math.isfinite(f))
        if damped:
            heads.append("taken")
            cells = [[*row, _text(f, 3)] for row, f in zip(cells, self.factors, strict=True)]
        heads.insert(0, "iteration")
        lines = [heads, *([str(k), *row] for k, row in enumerate(cells))]
        widths = [max(len(line[c]) for line in lines) for c in range(len(heads))]
        return "\n".join(
            "  ".join(cell.rjust(width) for cell, width in zip(line, widths, strict=True)).rstrip() for line in lines
        )

    def __str__(self) -> str:
        order = self.order
        if order is None:
            return self.table()
        kind = (
            "quadratic or better" if order > 1.6 else "superlinear" if order > 1.1 else "linear, as at a multiple root"
        )
        return f"{self.table()}\nconvergence: {kind} (order {order:.2g})"

    @checked
    def plot(self, path: str | Path | None = None, *, ax: Any = None) -> Any:
        """Largest residual and correction over the iterations, on a logarithmic scale; returns the axes.

        Args:
            path: File to write (png, svg, pdf).
            ax: Axes to draw on; a figure of its own by default.
        """
        from pytrammel.view.plots.numbers import plot_iterations

        return plot_iterations(
            [("largest residual", self.sizes), ("largest correction", self.lengths)], ax=ax, path=path
        )


def _text(value: float, digits: int) -> str:
    check_digits(digits)
    return "" if math.isnan(value) else f"{value + 0.0:.{digits}g}"
