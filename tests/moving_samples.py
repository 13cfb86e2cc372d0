"""Every registered joint, constraint and driver on its own sample, between three bodies with mass drawn anywhere."""

from __future__ import annotations

from typing import Any

import numpy as np

import trammel as tm
from spatial_directions import random_pose
from trammel.model.constraint import Constraint, constraint_types, sample_arguments
from trammel.model.spatial.registries import spatial_constraint_types, spatial_sample_arguments

ALL = [
    *(("plane", kind) for kind in sorted(constraint_types())),
    *(("space", kind) for kind in sorted(spatial_constraint_types())),
]


def sample_model(where: str, kind: str, seed: int) -> tuple[Any, Constraint]:
    """A model with the sample of one type, and the constraint; bodies a, b, c have mass, inertia and an eccentric centroid."""
    rng = np.random.default_rng(seed)
    if where == "plane":
        m: Any = tm.PlanarModel("sample")
        bodies = [
            m.body(name, position=rng.normal(size=2), angle=rng.normal(), mass=rng.uniform(1, 2), inertia=rng.uniform(0.3, 0.6),
                   centroid=rng.normal(scale=0.1, size=2))
            for name in "abc"
        ]  # fmt: skip
        return m, getattr(m, kind)("it", **sample_arguments(kind, *bodies))
    m = tm.SpatialModel("sample")
    bodies = [
        m.body(name, **random_pose(rng), mass=rng.uniform(1, 2), inertia=rng.uniform(0.4, 0.6, size=3),
               centroid=rng.normal(scale=0.1, size=3))
        for name in "abc"
    ]  # fmt: skip
    given = dict(spatial_sample_arguments(kind, *bodies))
    for key, value in given.items():
        if isinstance(value, tuple) and len(value) == 3 and isinstance(value[2], dict):  # a joint to be made first
            given[key] = getattr(m, value[1])(value[0], **value[2])
    return m, getattr(m, kind)("it", **given)
