"""An analysis that can be differentiated: what it gives, and how that changes along directions."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from pytrammel._util.messages import brief
from pytrammel.analysis.gradients.directions import Direction
from pytrammel.errors import ModelError, RunWarning
from pytrammel.model.base import Model

Array = NDArray[np.float64]


class OnlyForwards(ModelError):
    """What cannot be followed from the end to the start, but in the other direction."""


class Problem(Protocol):
    """One analysis of one model, done; `names` are the quantities that are wanted."""

    names: tuple[str, ...]
    times: Array
    moving: Array | None
    """How the instants move along the directions of `alongs`, shape (directions, n); None if they stand still."""
    end_moves: bool
    """True if an event ended the run, so that its last time is a result."""
    warnings: tuple[RunWarning, ...]

    def values(self) -> Array:
        """The wanted quantities, shape (names, n)."""

    def alongs(self, directions: Sequence[Direction]) -> list[Array]:
        """How they change along directions, each of shape (names, n)."""

    def backwards(self, weights: Array, later: float, directions: Sequence[Direction]) -> list[float]:
        """Derivatives of their weighted sum, weights of shape (names, n), along directions; `later` is how what is asked for changes by
        itself with the last time, where that moves."""


@dataclass(frozen=True)
class Kind:
    """A kind of analysis that can be differentiated.

    Attributes:
        name: Of the verb.
        begin: Does the analysis: from the model, the wanted quantities, and the options of the verb.
        initial: Values that quantities have at the start, for names in `wrt` that are no parameters; None where there is no start.
        many: From how many directions on going backwards is worth it, in multiples of the number of columns.
    """

    name: str
    begin: Callable[[Model, tuple[str, ...], Mapping[str, Any]], Problem]
    initial: Callable[[Model, Sequence[str], Mapping[str, Any]], Mapping[str, float]] | None = None
    many: float = 3.0


KINDS: dict[str, Kind] = {}


def analysis_type(analysis: Kind) -> Kind:
    """Offer an analysis by its name."""
    KINDS[analysis.name] = analysis
    return analysis


@brief
@dataclass(frozen=True)
class Gradient:
    """A value of an analysis and its derivatives.

    Attributes:
        quantity: The formula.
        value: A float, or a series of shape (n,).
        derivatives: By parameter or initial state: a float, or a series of shape (n,); SI units of both.
        times: Instants of the analysis [s].
        method: How they were found: "direct" or "adjoint".
        warnings: What is doubtful about them.
    """

    quantity: str
    value: Any
    derivatives: Mapping[str, Any]
    times: Array = field(repr=False)
    method: str = "direct"
    warnings: tuple[RunWarning, ...] = ()

    @property
    def array(self) -> Array:
        """All derivatives in their order along the last axis, shape (p,) or (n, p)."""
        return np.stack([np.asarray(d, dtype=float) for d in self.derivatives.values()], axis=-1)

    def __getitem__(self, name: str) -> Any:
        if name not in self.derivatives:
            raise ModelError(
                f"there is no derivative with respect to {name!r}; there are: {', '.join(self.derivatives)}."
            )
        return self.derivatives[name]

    def __str__(self) -> str:
        if np.ndim(self.value):
            return f"{self.quantity}: {np.size(self.value)} values, with derivatives with respect to {', '.join(self.derivatives)}"
        lines = [f"{self.quantity} = {self.value:.6g}"]
        width = max(map(len, self.derivatives), default=0)
        return "\n".join(lines + [f"  by {name:<{width}}  {d:+.6g}" for name, d in self.derivatives.items()])
