"""Whole runs a little to both sides, with which derivatives are compared: where these disagree, nothing is smooth."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pytrammel.analysis.gradients.directions import Direction, Variant, together
from pytrammel.errors import ModelError, RunWarning, TrammelError
from pytrammel.model.base import Model

Array = NDArray[np.float64]
SAME = 1e-3  # share by which whole runs may differ from what derivatives say
ROUNDING = 1e-12  # of the largest quantity
STANDING = 1e-15  # size of quantities in SI units that is rounding of zero
NEARBY = 1e-4  # how far they are, in sizes of what is varied
FARTHER = 4.0 * NEARBY  # a second distance, where the first one disagrees: rounding counts less there
CLOSEST = 1e-7  # where times are counted otherwise at the distances before
CLEARLY = 5.0  # a derivative is wrong if it is off by more than this many times what differences are good to


@dataclass(frozen=True)
class _Differences:
    """Differences of whole runs at one distance.

    Attributes:
        distance: In sizes of what is varied.
        quantities: Rates of change of the quantities, shape (names, n).
        end: Rate of change of the last time.
    """

    distance: float
    quantities: Array
    end: float


class Nearby:
    """Runs along all directions at once, each with a share of its own.

    Args:
        model: The model.
        directions: Along which derivatives were found.
        run_at: The quantities of a whole run of a variant, shape (names, n), and its last time.
        rtol: Tolerance of these runs.
        sure: Whether these runs and derivatives approximate the same motion, so that a derivative can be called wrong.
    """

    def __init__(
        self,
        model: Model,
        directions: Sequence[Direction],
        run_at: Callable[[Variant], tuple[Array, float]],
        rtol: float,
        *,
        sure: bool = True,
    ) -> None:
        rng = np.random.default_rng(len(directions))
        shares = rng.uniform(0.5, 1.0, len(directions)) * rng.choice([-1.0, 1.0], len(directions))
        self._along = np.array([share * d.size for share, d in zip(shares, directions, strict=True)])
        self._both, self._run_at, self._rtol, self._sure = together(model, directions, shares), run_at, rtol, sure
        self._made: dict[float, _Differences | None] = {}
        self._at_work = 0.0

    def doubts(
        self,
        names: Sequence[str],
        values: Array,
        found: Sequence[Array],
        weights: Array | None = None,
        later: float = 0.0,
        at_work: float = 0.0,
    ) -> list[RunWarning]:
        """What runs nearby say against derivatives.

        Args:
            names, values: Quantities of the run itself, shape (names, n).
            at_work: Size of terms that cancel in a quantity, such as energies in their balance.
            found: Derivatives along each direction, of all quantities, shape (names, n), or of a sum of them, shape (1,).
            weights: Of that sum, shape (names, n).
            later: How that sum changes by itself with the last time.

        Raises:
            ModelError: Runs at two distances agree with each other and not with a derivative.
        """
        try:
            near = next((d for d in map(self._differences, (NEARBY, CLOSEST)) if self._fits(d, values)), None)
        except TrammelError as error:
            text = f"a run nearby fails, so that the derivatives could not be compared with it: {error}"
            return [RunWarning("gradient", text)]
        if near is None:
            text = "runs nearby end at another output time, so that the derivatives could not be compared with them."
            return [RunWarning("gradient", text)]
        self._at_work = at_work
        slope = np.tensordot(self._along, np.array(found), 1)
        labels = [repr(name) for name in names]
        if weights is not None:
            labels = [f"the sum of samples of {', '.join(labels)}"]
        out, seen = [], self._seen(near, weights, later)
        for k, (label, one, other, good) in enumerate(
            zip(labels, slope, seen, self._good(near, slope, values, weights), strict=True)
        ):
            off = _largest(one - other)
            if off <= good:
                continue
            along = f"along {self._both.name}"
            self._refuse(k, label, along, slope, near, values, weights, later)
            text = (
                f"derivatives of {label} give a change of {_largest(one):.6g} at most {along}, but runs nearby differ from it by "
                f"{off:.3g}: the motion is not smooth there (dry friction, chaos)."
            )
            out.append(RunWarning("gradient", text))
        return out

    def _refuse(
        self, k: int, label: str, along: str, slope: Array, near: _Differences, values: Array, weights: Array | None,
        later: float,
    ) -> None:  # fmt: skip
        """Raise where a second distance agrees with the first one and not with the derivative of a quantity."""
        if not self._sure or near.distance == CLOSEST:
            return
        try:
            far = self._differences(FARTHER)
        except TrammelError:
            return
        if far is None or not self._fits(far, values):
            return
        seen = self._seen(far, weights, later)
        first, second = self._seen(near, weights, later)[k], seen[k]
        good = self._good(far, seen, values, weights)[k]
        apart = _largest(first - second)
        off = min(_largest(slope[k] - first), _largest(slope[k] - second))
        if apart <= self._good(near, seen, values, weights)[k] and off > CLEARLY * max(good, apart):
            raise ModelError(
                f"the derivative of {label} {along} is {_largest(slope[k]):.6g}, but differences of whole runs are {_largest(first):.6g} "
                f"at a relative distance of {near.distance:g} and {_largest(second):.6g} at {far.distance:g}. The motion has a kink "
                "there, or a force law has one. Change the value slightly, or differentiate by other names."
            )

    def _differences(self, distance: float) -> _Differences | None:
        """Differences at a distance, made once; None if the runs to both sides have another number of times."""
        if distance not in self._made:
            ends = [self._run_at(self._both.at(sign * distance)) for sign in (1.0, -1.0)]
            (ahead, later), (behind, sooner) = ends
            self._made[distance] = None
            if ahead.shape == behind.shape:
                width = 2.0 * distance
                self._made[distance] = _Differences(distance, (ahead - behind) / width, (later - sooner) / width)
        return self._made[distance]

    @staticmethod
    def _fits(differences: _Differences | None, values: Array) -> bool:
        return differences is not None and differences.quantities.shape == values.shape

    @staticmethod
    def _seen(differences: _Differences, weights: Array | None, later: float) -> Array:
        """Rates of change of what derivatives are of, one row each."""
        if weights is None:
            return differences.quantities
        return np.array([[(weights * differences.quantities).sum() + later * differences.end]])

    def _good(self, differences: _Differences, slopes: Array, values: Array, weights: Array | None) -> list[float]:
        """What differences of each are good to."""
        size = max(float(np.abs(values).max(initial=0.0)), self._at_work)
        if weights is not None:
            size *= float(np.abs(weights).sum())
            values = np.array([np.abs(weights * values).sum()])
        return [
            SAME * _largest(one)
            + (1e3 * self._rtol * _largest(value) + ROUNDING * size + STANDING) / differences.distance
            for one, value in zip(slopes, values, strict=True)
        ]


def _largest(values: Array) -> float:
    """Largest size; infinite where one is not a number."""
    found = float(np.abs(values).max(initial=0.0))
    return found if np.isfinite(found) else np.inf
