"""Momentum and angular momentum of a whole model along a motion, in the plane and in space."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from pytrammel.results.segments import per_model
from pytrammel.results.series import BodySeries
from pytrammel.results.spatial_series import SpaceBodySeries

if TYPE_CHECKING:
    from pytrammel.results.result import Result

Array = NDArray[np.float64]


def momenta(result: Result) -> tuple[Array, Array]:
    """Momentum of all bodies [kg m/s], and angular momentum about the global origin [kg m²/s]."""
    return _in_space(result) if result.model.space.dimension == 3 else _in_plane(result)


@per_model
def _in_plane(result: Result) -> tuple[Array, Array]:
    """Shapes (n, 2) and (n,)."""
    linear, angular = np.zeros((len(result), 2)), np.zeros(len(result))
    for body in list(result.model.bodies.values())[1:]:
        series = BodySeries(result, body)
        c, s = np.cos(series.phi), np.sin(series.phi)
        arm = np.column_stack(
            [c * body.centroid[0] - s * body.centroid[1], s * body.centroid[0] + c * body.centroid[1]]
        )
        velocity = series.velocity + series.omega[:, None] * np.column_stack([-arm[:, 1], arm[:, 0]])
        place, p = series.position + arm, (body.mass or 0.0) * velocity
        linear += p
        angular += place[:, 0] * p[:, 1] - place[:, 1] * p[:, 0] + (body.inertia or 0.0) * series.omega
    return linear, angular


def _in_space(result: Result) -> tuple[Array, Array]:
    """Shapes (n, 3) each."""
    linear, angular = np.zeros((len(result), 3)), np.zeros((len(result), 3))
    for body in list(result.model.bodies.values())[1:]:
        series = SpaceBodySeries(result, body)
        p = series.momentum
        linear += p
        angular += np.cross(series.centroid, p) + series.spin_momentum
    return linear, angular
