"""Models of every registered type with parameters in the place of all their numbers."""

import math

import numpy as np

import pytrammel as tm
from pytrammel.model.arguments.signatures import role
from registry_samples import POSES, by_places, fresh, sample

DIRECTIONS = ("axis", "second_axis", "disc_axis", "normal", "x")
BODY = {
    False: {"mass": 2.0, "inertia": 0.3, "centroid": (0.1, -0.2), "velocity": (0.3, 0.1), "omega": 0.4},
    True: {"mass": 2.0, "inertia": (0.3, 0.4, 0.5), "centroid": (0.1, -0.2, 0.3), "velocity": (0.3, 0.1, 0.2), "omega": (0.1, 0.4, 0.2)},
}  # fmt: skip


class Names:
    """Turns numbers into parameters of a model, or leaves them as they are."""

    def __init__(self, model, use):
        self.model, self.use, self.count, self.direction = model, use, 0, False

    def called(self, key, value):
        """An argument by its name: directions must stay unit vectors."""
        self.direction = key in DIRECTIONS and isinstance(value, tuple)
        made = self.of(value)
        self.direction = False
        return made

    def of(self, value):
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
            return (tm.functions.cos(half), *(v / size * tm.functions.sin(half) for v in value[1:]))
        if isinstance(value, tuple) and self.direction:
            x, y, *z = value
            turn = self.of(0.01)
            return (
                x * tm.functions.cos(turn) - y * tm.functions.sin(turn),
                x * tm.functions.sin(turn) + y * tm.functions.cos(turn),
                *z,
            )
        if isinstance(value, tuple) and np.shape(value) == (3, 3):  # a stiffness: its mirrored entries stay equal
            size = self.of(1.1)
            return tuple(tuple(size * entry for entry in row) for row in value)
        if isinstance(value, list | tuple):
            return type(value)(self.of(item) for item in value)
        if hasattr(value, "local") and not getattr(value, "oriented", False):
            return {"body": value.body, "local": self.of(tuple(map(float, value.local)))}
        return value


def model_of(kind, *, use, spelling=sample):
    """A model with one part of a type; with `use`, all numbers are parameters. None where the type has no such spelling."""
    plain = fresh(kind.space)
    arguments = spelling(kind, plain)
    if arguments is None:
        return None
    model = tm.SpatialModel("sample") if kind.space else tm.PlanarModel("sample")
    names = Names(model, use)
    for name, pose in zip("abc", POSES[kind.space], strict=True):
        made = {**pose, **BODY[kind.space], "points": {"tip": (0.15, 0.25, 0.35) if kind.space else (0.15, 0.25)}}
        model.body(
            name,
            **{
                key: ({k: names.of(v) for k, v in value.items()} if key == "points" else names.of(value))
                for key, value in made.items()
            },
        )
    for joint in plain.constraints.values():
        given = plain._said[joint.name].arguments
        getattr(model, joint.kind)(joint.name, **{key: names.of(value) for key, value in given.items()})
    numeric = ("number", "law", "points")
    ready = {
        key: names.called(key, value) if role(kind.builder, key) in numeric or hasattr(value, "local") else value
        for key, value in arguments.items()
    }
    getattr(model, kind.kind)("it", **ready)
    return model


# links whose ends are points have no place of their own; the normal of stick_slip is a force
ONE_SPELLING = ("stick_slip", "revolute_revolute", "revolute_spherical", "revolute_cylindrical")


def cases(types):
    """Types with the spellings that they know."""
    out = [(kind, sample) for kind in types]
    more = [kind for kind in types if kind.kind not in ONE_SPELLING]
    return out + [(kind, by_places) for kind in more if by_places(kind, fresh(kind.space)) is not None]
