"""One motion in several formulations, and by several methods, for rows of the verification manual."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import pytrammel as tm

FORMULATIONS = ("cartesian", "joint", "points", "relative")
TIGHT = {"rtol": 1e-12, "atol": 1e-13, "progress": False}


def each_formulation(
    m: tm.PlanarModel | tm.SpatialModel, names: Sequence[str] = FORMULATIONS, **options: Any
) -> Iterator[tuple[str, tm.results.Result]]:
    """Yield the name of each formulation and its run."""
    for name in names:
        yield name, m.simulate(formulation=name, **{"progress": False, **options})


def listed(names: Sequence[str] = FORMULATIONS) -> str:
    """Return the text for `uses` of a case."""
    return f"formulations {', '.join(names)}"
