"""Numbers that follow parameters: models with parameters in the place of all numbers of a type."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from pytrammel.expressions.functions import cos, sin
from pytrammel.model.arguments.signatures import role
from pytrammel.model.planar import PlanarModel
from pytrammel.model.spatial import SpatialModel
from pytrammel.system.lowering import lower
from pytrammel.system.parameter_map import ParameterMap, parameter_map
from pytrammel.testing.failures import require
from pytrammel.testing.samples import NAME, POSES, Type, fresh, sample

_DIRECTIONS = ("axis", "second_axis", "disc_axis", "normal", "x")
_BODY: dict[bool, dict[str, Any]] = {
    False: {"mass": 2.0, "inertia": 0.3, "centroid": (0.1, -0.2), "velocity": (0.3, 0.1), "omega": 0.4},
    True: {"mass": 2.0, "inertia": (0.3, 0.4, 0.5), "centroid": (0.1, -0.2, 0.3), "velocity": (0.3, 0.1, 0.2), "omega": (0.1, 0.4, 0.2)},
}  # fmt: skip


class Names:
    """Turns numbers into parameters of a model, or leaves them as they are."""

    def __init__(self, model: Any, use: bool) -> None:
        self.model, self.use, self.count, self.direction = model, use, 0, False

    def called(self, key: str, value: Any) -> Any:
        """An argument by its name: directions must stay unit vectors."""
        self.direction = key in _DIRECTIONS and isinstance(value, tuple)
        made = self.of(value)
        self.direction = False
        return made

    def of(self, value: Any) -> Any:
        """A parameter for a number, a list or a point of them."""
        if isinstance(value, bool | int | str) or value is None:
            return value
        if isinstance(value, float | np.floating):
            self.count += 1
            # no two numbers are the same, none is one: formulas would fold them
            value = float(value) * (1.0 + 1e-6 * self.count)
            return self.model.parameter(f"p{self.count}", value) if self.use else value
        if isinstance(value, tuple) and len(value) == 4:  # Euler parameters: half the angle may differ
            half = self.of(math.acos(value[0]))
            size = math.hypot(*value[1:])
            return (cos(half), *(v / size * sin(half) for v in value[1:]))
        if isinstance(value, tuple) and self.direction:
            x, y, *z = value
            turn = self.of(0.01)
            return (x * cos(turn) - y * sin(turn), x * sin(turn) + y * cos(turn), *z)
        if isinstance(value, tuple) and tuple(np.shape(value)) == (
            3,
            3,
        ):  # a stiffness: its mirrored entries stay equal
            size = self.of(1.1)
            return tuple(tuple(size * entry for entry in row) for row in value)
        if isinstance(value, list | tuple):
            return type(value)(self.of(item) for item in value)
        if hasattr(value, "local") and not getattr(value, "oriented", False):
            return {"body": value.body, "local": self.of(tuple(map(float, value.local)))}
        return value


def model_of(kind: Type, *, use: bool, spelling: Any = sample) -> Any:
    """A model with one part of a type; with `use`, all numbers are parameters. None where the type has no such spelling."""
    plain = fresh(kind.space)
    arguments = spelling(kind, plain)
    if arguments is None:
        return None
    model: Any = SpatialModel("sample") if kind.space else PlanarModel("sample")
    names = Names(model, use)
    for name, pose in zip("abc", POSES[kind.space], strict=True):
        made = {**pose, **_BODY[kind.space], "points": {"tip": (0.15, 0.25, 0.35) if kind.space else (0.15, 0.25)}}
        given = {
            key: ({k: names.of(v) for k, v in value.items()} if key == "points" else names.of(value))
            for key, value in made.items()
        }
        model.body(name, **given)
    for joint in plain.constraints.values():
        given = plain._said[joint.name].arguments
        getattr(model, joint.kind)(joint.name, **{key: names.of(value) for key, value in given.items()})
    numeric = ("number", "law", "points")
    ready = {
        key: names.called(key, value) if role(kind.builder, key) in numeric or hasattr(value, "local") else value
        for key, value in arguments.items()
    }
    getattr(model, kind.kind)(NAME, **ready)
    return model


def require_traced(kind: Type, made: ParameterMap) -> None:
    """Check that the builder kept the trace of its numbers."""
    require(
        made.traced, kind,
        "numbers of the part do not follow parameters: float(), math.sin() or an array of floats loses them. "
        "Use reals.real() and the functions of pytrammel._util.traced_numbers.",
    )  # fmt: skip


def check_parameters(kind: Type) -> None:
    """Check that parameters in place of numbers are lowered as the numbers, and that variants have the bits of their own descriptions."""
    made = parameter_map(model_of(kind, use=True), dynamics=True)
    plain = lower(model_of(kind, use=False), dynamics=True)
    same = np.array_equal(made.system.start, plain.start) and made.system.length == plain.length
    require(same, kind, "the design configuration with parameters differs from the one with numbers.")
    # formulas take the sign of a plain number out of it, and a number that is there twice only once
    lost = set(np.abs(plain.floats)) ^ set(np.abs(made.system.floats))
    require(not lost, kind, f"constants with parameters and with numbers differ, e.g. {next(iter(lost), 0.0):.12g}.")
    require_traced(kind, made)
    values = made.values * (1.0 + np.random.default_rng(5).uniform(-2e-4, 2e-4, (2, len(made.names))))
    found = made.at(values)
    for k in np.flatnonzero(found.fits)[:1]:
        alone = lower(made.model(values[k]), dynamics=True)
        with np.errstate(invalid="ignore"):  # infinite limits
            worst = float(np.nanmax(np.abs(found.floats[k] - alone.floats), initial=0.0))
        equal = np.array_equal(found.floats[k], alone.floats) and np.array_equal(found.start[k], alone.start)
        require(equal, kind, f"a variant differs from its own description by {worst:.3g}; the limit is 0.")
