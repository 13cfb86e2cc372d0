"""Constraint primitives of bodies in space, one file each; see `pytrammel.kernels.primitives` for what a primitive is.

Jacobian entries are six per body: three for the velocity of its origin, three for its angular velocity in body components (the
omega' form, Table 11.1 of the book). A file here that calls `spatial_primitive(...)` is found by itself.
"""

from __future__ import annotations

from functools import partial

from pytrammel.kernels.primitives import primitive

spatial_primitive = partial(primitive, spatial=True)

ALL = (0, 1, 2, 3, 4, 5)
ROTATION = (3, 4, 5)
