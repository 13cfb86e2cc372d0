"""Joint and force types of spatial models; a file in `joints` or `forces` is found by itself, like in the plane.

Types that only combine measured quantities (drivers, user equations, springs, stops) are written once and registered for both kinds
of models: their files stand with the planar ones and call the decorators of both.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from pytrammel._util.checks import checked_names
from pytrammel._util.registry import Registry
from pytrammel.forces.force import Force
from pytrammel.joints.constraint import Constraint

_constraints: Registry[Constraint] = Registry("pytrammel.joints.spatial", shared="pytrammel.joints")
spatial_constraint_type = _constraints.register
spatial_sample_arguments = _constraints.sample
follow_spatial_constraint_types = _constraints.follow

_forces: Registry[Force] = Registry("pytrammel.forces.spatial", shared="pytrammel.forces", what="force")
spatial_force_type = _forces.register
spatial_force_sample = _forces.sample
follow_spatial_force_types = _forces.follow


@checked_names
def spatial_constraint_types() -> Mapping[str, Callable[..., Constraint]]:
    """All constraint types of spatial models by name."""
    return _constraints.types


@checked_names
def spatial_force_types() -> Mapping[str, Callable[..., Force]]:
    """All force types of spatial models by name."""
    return _forces.types
