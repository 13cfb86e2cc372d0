"""Responses of linear models: frequency responses, and eigenvalues along a parameter."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import linear_sum_assignment

from pytrammel._util.checks import checked, checked_number
from pytrammel._util.messages import short
from pytrammel.analysis.options import listed
from pytrammel.errors import ModelError
from pytrammel.results.responses import FrequencyResponse, RootLocus

if TYPE_CHECKING:
    from pytrammel.analysis.small_motions.linearize import LinearModel

Array = NDArray[np.float64]
Complex = NDArray[np.complex128]
RESONANT = 1e-14  # relative distance of i omega from an eigenvalue that counts as none
LEVEL = 1e-7  # of the largest eigenvalue: growth that small is none


def frequency_response(
    A: Array, B: Array, C: Array, D: Array, inputs: Sequence[str], outputs: Sequence[str], frequencies: ArrayLike
) -> FrequencyResponse:
    """H(i omega) = C (i omega - A)^-1 B + D."""
    if not len(inputs):
        raise ModelError("there is no input to respond to; linearise with inputs=['cart.x'] or the like.")
    try:
        omega = np.atleast_1d(np.asarray(frequencies, dtype=float))
    except (TypeError, ValueError, OverflowError):
        omega = np.zeros((0, 0))
    if omega.ndim != 1 or omega.size == 0 or not np.isfinite(omega).all() or (omega < 0.0).any():
        raise ModelError(f"frequencies must be a list of numbers [rad/s], at least 0, but it is {short(frequencies)}.")
    n = len(A)
    poles = np.linalg.eigvals(A) if n else np.zeros(0, dtype=complex)
    H = np.zeros((omega.size, len(outputs), len(inputs)), dtype=complex)
    for k, w in enumerate(omega):
        if n and np.abs(1j * w - poles).min() <= RESONANT * max(w, float(np.abs(poles).max())):
            H[k] = np.inf
        else:
            H[k] = C @ np.linalg.solve(1j * w * np.eye(n) - A, B) + D
    return FrequencyResponse(omega, H, tuple(inputs), tuple(outputs))


@checked("linear_at", "values", "name")
def root_locus(
    linear_at: Callable[[float], LinearModel], values: Sequence[float], *, name: str = "parameter"
) -> RootLocus:
    """Eigenvalues while a parameter changes, each branch followed by nearness, and where stability changes.

    Args:
        linear_at: Linear model for a value of the parameter: ``lambda load: column(load).linearize()``.
        values: Values of the parameter, ascending or descending, at least two.
        name: What to call it.
    """
    if not callable(linear_at):
        raise ModelError(
            f"root_locus needs a function that gives a linear model for a value, but it is given {short(linear_at)}."
        )
    numbers = [checked_number(x, f"values[{k}]") for k, x in enumerate(listed(values, "values"))]
    if len(numbers) < 2:
        raise ModelError(f"root_locus needs at least two values, but {len(numbers)} are given.")
    if not isinstance(name, str):
        raise ModelError(f"name must be a word, but it is {short(name)}.")
    rows: list[Complex] = []
    for value in numbers:
        found = linear_at(value)
        if not hasattr(found, "eigenvalues"):
            raise ModelError(f"at {name} = {value:g} the function gives {short(found)}; it must give a linear model.")
        roots = np.asarray(found.eigenvalues, dtype=complex)
        if rows and roots.size != rows[0].size:
            raise ModelError(
                f"at {name} = {value:g} there are {roots.size} eigenvalues, before there were {rows[0].size}; the degrees of freedom must "
                "stay the same."
            )
        if rows:
            # where the branch would go on straight, so that crossing branches keep their names
            guess = rows[-1] if len(rows) < 2 else 2.0 * rows[-1] - rows[-2]
            _, order = linear_sum_assignment(np.abs(guess[:, None] - roots[None, :]))
            roots = roots[order]
        rows.append(roots)
    table = np.array(rows)
    return RootLocus(name, np.array(numbers), table, tuple(_crossings(np.array(numbers), table)))


def _crossings(values: Array, roots: Complex) -> list[tuple[float, str]]:
    """Values at which the largest growth leaves or reaches zero.

    Of an undamped system growth leaves zero like a square root, so its square is what is interpolated.
    """
    level = LEVEL * float(np.abs(roots).max(initial=0.0))
    found = []
    growing = roots.real.max(axis=1) > level
    for k in range(len(values) - 1):
        if growing[k] == growing[k + 1]:
            continue
        worst = roots[k + 1 if growing[k + 1] else k]
        which = int(np.argmax(worst.real))
        kind = "flutter" if abs(worst[which].imag) > level else "divergence"
        found.append((_nil(values, roots, k, bool(growing[k + 1]), level), kind))
    return found


def _nil(values: Array, roots: Complex, k: int, ahead: bool, level: float) -> float:
    """Where growth is nil between two neighbours: by its sign if it has one on both sides, by its square if it is nil on one."""
    low, high = roots[k].real.max(), roots[k + 1].real.max()
    if min(low, high) < -level:
        return float(values[k] - low * (values[k + 1] - values[k]) / (high - low))
    first, second = (k + 1, k + 2) if ahead else (k, k - 1)
    if not 0 <= second < len(values):
        return float(0.5 * (values[k] + values[k + 1]))
    f, s = roots[first].real.max() ** 2, roots[second].real.max() ** 2
    at = values[first] - f * (values[second] - values[first]) / (s - f) if s != f else values[first]
    lowest, highest = sorted((values[k], values[k + 1]))
    return float(min(max(at, lowest), highest))
