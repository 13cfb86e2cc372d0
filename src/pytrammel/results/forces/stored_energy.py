"""Potential energy of force elements: formulas where there are, otherwise the integral of the law along its quantity."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pytrammel.expressions.breakpoints import corners_of
from pytrammel.expressions.expression import Expression
from pytrammel.forces.force import ForceUse
from pytrammel.model.quantities.quantity import Quantity

Array = NDArray[np.float64]
PANELS = 64  # at least, between the ends of an integral
GRADED = 50  # panels towards an end, each half as long as the one before
NODES, WEIGHTS = np.polynomial.legendre.leggauss(8)


def own_names(use: ForceUse) -> tuple[str, ...]:
    """Names in a law that stand for the very quantity it acts along."""
    return tuple(key for key, given in use.inputs.items() if given.kind == "value" and given.quantity == use.along)


def has_potential(use: ForceUse) -> bool:
    """Return True if the force does work that depends on the position alone (and on time, which may be held)."""
    if use.stored is not None:
        return True
    if use.element != "law_force" or use.along is None or use.law is None:
        return False
    if not use.along.has_value:
        # along a direction fixed in space a constant force has one, too
        return use.along.primitive == "drift" and use.along.data[6] == 0.0 and not (use.law.names - {"t"})
    return not (use.law.names - {"t", *own_names(use)})


def is_spring(use: ForceUse) -> bool:
    """Return True if what a spring without a formula stores can be told from its position alone."""
    return use.role == "spring" and has_potential(use) and use.law is not None and "t" not in use.law.names


def energy_inputs(use: ForceUse) -> dict[str, Quantity]:
    """Quantities that the energy depends on."""
    if use.stored is not None:
        return use.stored_inputs()
    return {"x": use.along} if use.along is not None and use.along.has_value else {}


def stored_energy(use: ForceUse, values: Mapping[str, Any], *, time: float = 0.0) -> Array:
    """Potential energy for values of `energy_inputs` [J].

    Zero where a spring is slack; for a constant force where its quantity is zero; for other laws likewise.
    """
    if use.stored is not None:
        return np.asarray(use.stored.evaluate(dict(values)), dtype=float)
    assert use.law is not None
    x = np.asarray(values["x"], dtype=float)
    names = own_names(use)
    if not use.law.names & set(names):
        return np.asarray(-_law(use.law, names, x, time) * x)
    return -_integral(use.law, names, 0.0 if use.slack is None else use.slack, x, time)


def _law(law: Expression, names: tuple[str, ...], x: Array, time: float) -> Array:
    with np.errstate(all="ignore"):  # what is no number is told by what comes of it
        return np.asarray(law.evaluate({**dict.fromkeys(names, x), "t": time}), dtype=float) + np.zeros_like(x)


def _integral(law: Expression, names: tuple[str, ...], start: float, x: Array, time: float) -> Array:
    """Integral of a law from `start` to each x, by Gauss's rule between its corners."""
    ends = np.unique(np.concatenate([[start], x.ravel()]))
    low, high = ends[0], ends[-1]
    inside = [c for c in _corners(law, names, time) if low < c < high]
    nodes = np.unique(np.concatenate([ends, inside, np.linspace(low, high, PANELS + 1)]))
    if x.size == 1:  # panels shrink towards both ends: a gas has a pole close behind one
        shares = 0.5 ** np.arange(1, GRADED) / PANELS
        nodes = np.unique(np.concatenate([nodes, low + shares * (high - low), high - shares * (high - low)]))
    half, middle = 0.5 * np.diff(nodes), 0.5 * (nodes[1:] + nodes[:-1])
    points = middle[:, None] + half[:, None] * NODES
    pieces = half * (_law(law, names, points, time) @ WEIGHTS)
    total = np.concatenate([[0.0], np.cumsum(pieces)])
    at = np.searchsorted(nodes, x)
    return np.asarray(total[at] - total[int(np.searchsorted(nodes, start))])


def _corners(law: Expression, names: tuple[str, ...], time: float) -> list[float]:
    """Values of the quantity at which the law has a corner, where its argument is a straight line."""
    found = []
    for corner in (corner for node in law.nodes() for corner in corners_of(node)):
        if corner.argument.names & set(names):
            at = _law(corner.argument, names, np.array([0.0, 1.0, 2.0]), time)
            slope = at[1] - at[0]
            if slope != 0.0 and abs(at[2] - at[1] - slope) <= 1e-12 * abs(slope):
                found += [float((level - at[0]) / slope) for level in corner.listed]
    return found
