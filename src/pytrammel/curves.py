"""Curves for cams, slots, paths and contacts: ``m.cam_roller("cam", ..., curve=tm.curves.circle(0.05))``.

In the plane, a `Curve`:

* `circle`, `line`: by a radius, by two points.
* `analytic`: by two formulas of u.
* `polar_table`: a spline through radii at angles, as cam profiles are given.
* `cartesian_table`: a spline through points (x, y).

In space, a `SpaceCurve`:

* `helix`: by radius and lead.
* `space_analytic`: by three formulas of u.
* `space_spline`: a spline through points (x, y, z).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytrammel._util.messages import absent_from_module
from pytrammel.geometry.curves import Curve, analytic, cartesian_table, circle, line, polar_table
from pytrammel.geometry.space_curves import SpaceCurve, helix, space_analytic, space_spline

__all__ = [
    "Curve",
    "SpaceCurve",
    "analytic",
    "cartesian_table",
    "circle",
    "helix",
    "line",
    "polar_table",
    "space_analytic",
    "space_spline",
]

if not TYPE_CHECKING:

    def __getattr__(name):
        raise AttributeError(absent_from_module(__name__, name, __all__), name=name)
