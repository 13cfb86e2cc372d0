"""Rotations in space: Euler parameters, axes and angles, angle sequences, rates, frames and screws.

    from pytrammel import rotations
    p = rotations.from_axis_angle([0, 0, 1], 0.5)
    rotations.matrix(p) @ [1, 0, 0]

Euler parameters are scalar first, p = [e0, e1, e2, e3]. The matrix A = G L^T maps body components to global ones,
s = A s'. Angular velocities are in body components unless `frame="global"` is asked for. Angles are in radians.
Functions take one item or a stack of them with leading axes; stacks broadcast as NumPy arrays do.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytrammel._util.messages import absent_from_module
from pytrammel.rotations.algebra import (
    G,
    L,
    conjugate,
    corrected_rate,
    matrix,
    minus,
    normalised,
    parameters,
    plus,
    product,
    semi_rotating,
    skew,
    unskew,
)
from pytrammel.rotations.axes import axis_angle, exp, from_axis_angle, log, rotate
from pytrammel.rotations.checks import check_rotation, nearest_rotation
from pytrammel.rotations.frames import from_axes, from_axis_and_plane, from_points
from pytrammel.rotations.inertias import (
    formulation_i_inverse,
    formulation_i_matrix,
    formulation_ii_inverse,
    formulation_ii_matrix,
)
from pytrammel.rotations.pairs import between, from_relative, intermediate_axis, relative, relative_axis
from pytrammel.rotations.screws import Screw, screw_between, screw_displacement
from pytrammel.rotations.sequences import (
    AngleSet,
    angles,
    angular_velocity_from_rates,
    from_angles,
    rate_matrix,
    rates_from_angular_velocity,
)
from pytrammel.rotations.velocities import (
    angular_acceleration,
    angular_velocity,
    parameter_acceleration,
    parameter_rate,
)

__all__ = [
    "AngleSet",
    "G",
    "L",
    "Screw",
    "angles",
    "angular_acceleration",
    "angular_velocity",
    "angular_velocity_from_rates",
    "axis_angle",
    "between",
    "check_rotation",
    "conjugate",
    "corrected_rate",
    "exp",
    "formulation_i_inverse",
    "formulation_i_matrix",
    "formulation_ii_inverse",
    "formulation_ii_matrix",
    "from_angles",
    "from_axes",
    "from_axis_and_plane",
    "from_axis_angle",
    "from_points",
    "from_relative",
    "intermediate_axis",
    "log",
    "matrix",
    "minus",
    "nearest_rotation",
    "normalised",
    "parameter_acceleration",
    "parameter_rate",
    "parameters",
    "plus",
    "product",
    "rate_matrix",
    "rates_from_angular_velocity",
    "relative",
    "relative_axis",
    "rotate",
    "screw_between",
    "screw_displacement",
    "semi_rotating",
    "skew",
    "unskew",
]

if not TYPE_CHECKING:

    def __getattr__(name):
        raise AttributeError(absent_from_module(__name__, name, __all__), name=name)
