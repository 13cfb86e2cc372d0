"""Small motions of an unsteady motion, where free directions change with time.

With x = N y the columns follow as x' = N s + D y and x'' = N s' + P s + Q y. D, P and Q solve the linearised rates and accelerations of
all rows, and of the quantities that y measures, so that s stays the rate of y.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from pytrammel.analysis.small_motions.linear_signals import change_of_rate, measured_rows
from pytrammel.analysis.small_motions.linear_terms import linear_terms
from pytrammel.analysis.small_motions.reduced import Reduced, State
from pytrammel.model.quantities.quantity import Quantity
from pytrammel.system.positions import moved

Array = NDArray[np.float64]
STEP = 1e-5  # step of central differences in column scales: errors about 1e-10 of the second derivative


def with_changing_directions(found: Reduced, measuring: Array, coordinates: Sequence[str | Quantity] | None) -> Reduced:
    """Add the effect of changing free directions on speeds and accelerations; rolling keeps its directions.

    Args:
        found: Small motions in labelled coordinates.
        measuring: Rows of x that the coordinates measure.
        coordinates: The quantities that were asked for, if any; else the rows are constant.
    """
    if not found.holonomic or not found.basis.size:
        return found
    state, N, T, axes = found.state, found.basis, found.turning, found.axes
    terms = linear_terms(
        state.system, found.terms.pattern, state.time, state.q, state.v, found.a, found.lam, z=state.z, floats=state.floats,
        accelerations=True,
    )  # fmt: skip
    J, rates, (by_q, by_v) = terms.jacobian @ axes, terms.rate_rows, terms.second_rows
    rows, scales = np.vstack([J, measuring]), state.system.column_scales()
    whirl, press = 2.0 * T - found.spin, (T - found.spin) @ T

    def solved(right: Array, own: Array) -> Array:
        wanted = np.vstack([right, own])
        return np.asarray(scales[:, None] * np.linalg.lstsq(rows * scales, wanted, rcond=None)[0])

    own = np.zeros((len(measuring), N.shape[1]))
    place = axes @ N
    if coordinates is not None:
        own = -measuring @ T @ N - _changes(state, coordinates) @ place
    D = solved(-rates @ place - J @ T @ N, own)
    turned = axes @ (D + T @ N)
    if coordinates is not None:
        own = -measuring @ whirl @ N - _slopes(found, coordinates, np.zeros_like(place), place)
    P = solved(-J @ whirl @ N - by_v @ place, own)
    spun = whirl @ D + press @ N
    if coordinates is not None:
        own = -measuring @ spun - _slopes(found, coordinates, place, turned)
    Q = solved(-J @ spun - by_v @ turned - by_q @ place, own)
    return replace(found, changing=(D, P, Q))


def _changes(state: State, coordinates: Sequence[str | Quantity]) -> Array:
    """Derivatives by position of the rates of the coordinates."""
    model = state.system.model
    return np.array([change_of_rate(state, model.scalar(one, "coordinates", valued=True)) for one in coordinates])


def _slopes(found: Reduced, coordinates: Sequence[str | Quantity], places: Array, speeds: Array) -> Array:
    """Change of the second rates of the coordinates along motions and speeds of all columns, accelerations held."""
    state, scales = found.state, found.state.system.column_scales()

    def second(place: Array, speed: Array) -> Array:
        there = replace(state, q=moved(state.system, state.q, place), v=state.v + speed)
        rows = measured_rows(there, coordinates, "coordinates")[0]
        return np.asarray(rows @ found.a + _changes(there, coordinates) @ there.v)

    out = []
    for place, speed in zip(places.T, speeds.T, strict=True):
        h = STEP / max(float(np.abs(place / scales).max()), float(np.abs(speed / scales).max()), 1e-300)
        out.append((second(h * place, h * speed) - second(-h * place, -h * speed)) / (2.0 * h))
    return np.array(out).T
