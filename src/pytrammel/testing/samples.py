"""Registered types on their samples: between three bodies in fixed poses, in random poses, and with mass."""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from pytrammel import rotations
from pytrammel.errors import ModelError
from pytrammel.expressions.expression import Expression
from pytrammel.forces.force import force_sample, force_types
from pytrammel.joints.constraint import Constraint, constraint_types, sample_arguments
from pytrammel.model.planar import PlanarModel
from pytrammel.model.quantities.quantity import Quantity
from pytrammel.model.spatial import SpatialModel
from pytrammel.model.spatial_registries import (
    spatial_constraint_types,
    spatial_force_sample,
    spatial_force_types,
    spatial_sample_arguments,
)

NAME = "it"  # of the part of a type in the models below
_POSES_IN_SPACE = (
    ((0.2, -0.1, 0.3), (0.3, 0.1, 0.2)), ((2.0, 1.0, -0.5), (-0.4, 0.2, 0.1)), ((0.1, 3.0, 0.6), (1.1, 0.3, -0.2)),
)  # fmt: skip
POSES: dict[bool, tuple[dict[str, Any], ...]] = {
    False: (
        {"position": (0.2, -0.1), "angle": 0.3}, {"position": (2.0, 1.0), "angle": -0.4},
        {"position": (0.1, 3.0), "angle": 1.1},
    ),
    True: tuple(
        {"position": place, "rotation": tuple(rotations.from_angles(angles, "xyz"))}
        for place, angles in _POSES_IN_SPACE
    ),
}  # fmt: skip


@dataclass(frozen=True)
class Type:
    """One registered builder of planar or spatial models.

    Attributes:
        space: Whether it is a builder of `SpatialModel`.
        kind: Name, e.g. "revolute".
        builder: Function (model, name, ...).
        sample: Function (kind, a, b, c) that returns arguments.
    """

    space: bool
    kind: str
    builder: Callable[..., Any]
    sample: Callable[..., Mapping[str, Any]]

    def __str__(self) -> str:
        return f"{'space' if self.space else 'plane'}-{self.kind}"

    @property
    def arguments(self) -> dict[str, inspect.Parameter]:
        return dict(list(inspect.signature(self.builder).parameters.items())[2:])


def joint_types() -> list[Type]:
    """All registered joints, constraints and drivers of the plane, then of space."""
    plane = [Type(False, kind, builder, sample_arguments) for kind, builder in sorted(constraint_types().items())]
    space = sorted(spatial_constraint_types().items())
    return plane + [Type(True, kind, builder, spatial_sample_arguments) for kind, builder in space]


def forces() -> list[Type]:
    """All registered forces of the plane, then of space."""
    plane = [Type(False, kind, builder, force_sample) for kind, builder in sorted(force_types().items())]
    space = sorted(spatial_force_types().items())
    return plane + [Type(True, kind, builder, spatial_force_sample) for kind, builder in space]


def found(given: object, types: list[Type], what: str) -> list[Type]:
    """Types that a name, a builder or a method of a model stands for, in the plane and in space.

    Raises:
        ModelError: It is not registered.
    """
    builder = getattr(given, "__wrapped__", given)
    chosen = [each for each in types if builder is each.builder or given == each.kind]
    if not chosen:
        name = given if isinstance(given, str) else getattr(given, "__name__", repr(given))
        raise ModelError(f"{what} {name!r} is not registered. Import its module, or decorate its builder.")
    return chosen


def fresh(space: bool) -> Any:
    """A model of three bodies, each with a named point."""
    model: Any = SpatialModel("sample") if space else PlanarModel("sample")
    for name, pose in zip("abc", POSES[space], strict=True):
        model.body(name, **pose, points={"tip": (0.15, 0.25, 0.35) if space else (0.15, 0.25)})
    return model


def sample(kind: Type, model: Any) -> dict[str, Any]:
    """The registered sample's arguments; joints that it needs are made first."""
    given = dict(kind.sample(kind.kind, *(model[name] for name in "abc")))
    for key, value in given.items():
        if isinstance(value, tuple) and value and isinstance(value[-1], dict):
            name, joint, arguments = value if len(value) == 3 else ("J", *value)
            if name not in model:
                getattr(model, joint)(name, **arguments)
            given[key] = name
    return given


def add(kind: Type, model: Any, changes: Mapping[str, Any] | None = None) -> Any:
    """Add the part of a type with its sample, with changed arguments."""
    return getattr(model, kind.kind)(NAME, **{**sample(kind, model), **(changes or {})})


def random_pose(rng: np.random.Generator) -> dict[str, tuple[float, ...]]:
    """Pose of a body in space."""
    p = rng.normal(size=4)
    return {"position": tuple(rng.normal(size=3)), "rotation": tuple(p / np.linalg.norm(p))}


def random_sample(kind: Type, seed: int) -> tuple[Any, Any]:
    """Model and part, between three bodies without mass that are drawn anywhere."""
    rng = np.random.default_rng(seed)
    model: Any = SpatialModel("sample") if kind.space else PlanarModel("sample")
    for name in "abc":
        if kind.space:
            model.body(name, **random_pose(rng))
        else:
            model.body(name, position=tuple(rng.normal(size=2)), angle=float(rng.uniform(-np.pi, np.pi)))
    return model, add(kind, model)


def moving_sample(kind: Type, seed: int) -> tuple[Any, Any]:
    """Model and part, between bodies with mass, inertia and an eccentric centroid that are drawn anywhere."""
    rng = np.random.default_rng(seed)
    if not kind.space:
        m: Any = PlanarModel("sample")
        for name in "abc":
            m.body(name, position=rng.normal(size=2), angle=rng.normal(), mass=rng.uniform(1, 2),
                   inertia=rng.uniform(0.3, 0.6), centroid=rng.normal(scale=0.1, size=2))  # fmt: skip
        return m, add(kind, m)
    m = SpatialModel("sample")
    for name in "abc":
        m.body(name, **random_pose(rng), mass=rng.uniform(1, 2), inertia=rng.uniform(0.4, 0.6, size=3),
               centroid=rng.normal(scale=0.1, size=3))  # fmt: skip
    return m, add(kind, m)


def plain(thing: Any) -> Any:
    """Nested tuples of numbers and words, to be compared exactly."""
    if isinstance(thing, Expression):
        return ("formula", str(thing))
    if isinstance(thing, Quantity | Constraint) or (dataclasses.is_dataclass(thing) and not isinstance(thing, type)):
        return (type(thing).__name__, *((f.name, plain(getattr(thing, f.name))) for f in dataclasses.fields(thing)))
    if isinstance(thing, np.ndarray):
        return plain(thing.tolist())
    if isinstance(thing, list | tuple):
        return tuple(plain(item) for item in thing)
    if hasattr(thing, "items"):
        return tuple((key, plain(value)) for key, value in thing.items())
    if isinstance(thing, set | frozenset):
        return tuple(sorted(thing))
    return thing


def plain_model(model: Any) -> tuple[Any, ...]:
    """Everything that describes a model, bodies first."""
    return tuple(
        plain(group)
        for group in (
            model.bodies, model.points, model.constraints, model.forces, model.phases, model.switches, model.turns, model.gravity,
            model.display_unit,
        )
    )  # fmt: skip
