"""Frequency responses and root loci: arrays with names, and their pictures."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pytrammel._util.checks import checked
from pytrammel._util.messages import brief
from pytrammel.errors import ModelError

Array = NDArray[np.float64]
Complex = NDArray[np.complex128]


@brief
@dataclass(frozen=True, eq=False)
class FrequencyResponse:
    """What outputs do when inputs oscillate: w = H(i omega) u.

    Attributes:
        frequencies: Angular frequencies [rad/s], shape (n,).
        values: H, complex, shape (n, outputs, inputs); infinite at an undamped resonance.
        inputs, outputs: Their names.
    """

    frequencies: Array
    values: Complex = field(repr=False)
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]

    @checked
    def between(self, output: str, given: str) -> Complex:
        """H of one output for one input, shape (n,)."""
        for name, known, what in ((output, self.outputs, "output"), (given, self.inputs, "input")):
            if not isinstance(name, str) or name not in known:
                raise ModelError(f"there is no {what} {name!r}; there are: {', '.join(known) or 'none'}.")
        return self.values[:, self.outputs.index(output), self.inputs.index(given)]

    @property
    def amplitude(self) -> Array:
        """|H|, output per unit of input."""
        return np.abs(self.values)

    @property
    def phase(self) -> Array:
        """Phase of H [rad], without jumps along the frequencies."""
        return np.unwrap(np.angle(self.values), axis=0)

    @checked
    def plot(self, path: str | Path | None = None, *, ax: Any = None) -> Any:
        """Amplitudes and phases over frequency (Bode).

        Args:
            path: File to write (png, svg, pdf).
            ax: Two sets of axes to draw on; a figure of its own by default.

        Returns:
            The axes of amplitudes and of phases, shape (2,).
        """
        from pytrammel.view.plots.linear import plot_response

        pairs = [(o, i) for o in self.outputs for i in self.inputs]
        series = [(f"{o} / {i}", self.between(o, i)) for o, i in pairs]
        return plot_response(self.frequencies, series, ax=ax, path=path)


@brief
@dataclass(frozen=True, eq=False)
class RootLocus:
    """Eigenvalues of a linear model while a parameter changes, each followed from value to value.

    Attributes:
        name: What the parameter is called.
        values: Its values, shape (n,).
        eigenvalues: Shape (n, states); a column is one branch.
        critical: Values between which stability changes, interpolated to where the largest growth is nil, with what begins or ends there:
            "divergence" or "flutter".
    """

    name: str
    values: Array
    eigenvalues: Complex = field(repr=False)
    critical: tuple[tuple[float, str], ...]

    @property
    def growth(self) -> Array:
        """Largest real part at each value [1/s]."""
        return np.asarray(self.eigenvalues.real.max(axis=1))

    @checked
    def plot(self, path: str | Path | None = None, *, ax: Any = None) -> Any:
        """The branches in the complex plane, and real and imaginary parts over the parameter.

        Args:
            path: File to write (png, svg, pdf).
            ax: Three sets of axes to draw on; a figure of its own by default.

        Returns:
            The axes of the complex plane, of real and of imaginary parts, shape (3,).
        """
        from pytrammel.view.plots.linear import plot_locus

        return plot_locus(self.name, self.values, self.eigenvalues, ax=ax, path=path)
