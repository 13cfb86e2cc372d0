"""Every registered joint and force of both kinds of models on its sample, and other values for each of its arguments."""

import dataclasses
import inspect
import math
from dataclasses import dataclass

import numpy as np

import pytrammel as tm
from pytrammel.expressions.expression import Expression
from pytrammel.forces.force import force_sample
from pytrammel.geometry.curves import analytic
from pytrammel.geometry.space_curves import helix
from pytrammel.geometry.space_curves import space_analytic as space_curve
from pytrammel.joints.constraint import Constraint, sample_arguments
from pytrammel.model.quantities.quantity import Quantity
from pytrammel.model.spatial_registries import spatial_force_sample, spatial_sample_arguments


@dataclass(frozen=True)
class Type:
    """One registered builder of planar or spatial models."""

    space: bool
    kind: str
    builder: object
    sample: object

    def __str__(self):
        return f"{'space' if self.space else 'plane'}-{self.kind}"

    @property
    def arguments(self):
        return dict(list(inspect.signature(self.builder).parameters.items())[2:])


TYPES = [
    Type(space, kind, builder, sample)
    for space, kinds, sample in (
        (False, tm.constraint_types(), sample_arguments),
        (False, tm.force_types(), force_sample),
        (True, tm.spatial_constraint_types(), spatial_sample_arguments),
        (True, tm.spatial_force_types(), spatial_force_sample),
    )
    for kind, builder in sorted(kinds.items())
]

POSES = {
    False: ({"position": (0.2, -0.1), "angle": 0.3}, {"position": (2.0, 1.0), "angle": -0.4}, {"position": (0.1, 3.0), "angle": 1.1}),
    True: tuple(
        {"position": place, "rotation": tuple(tm.rotations.from_angles(angles, "xyz"))}
        for place, angles in (
            ((0.2, -0.1, 0.3), (0.3, 0.1, 0.2)), ((2.0, 1.0, -0.5), (-0.4, 0.2, 0.1)), ((0.1, 3.0, 0.6), (1.1, 0.3, -0.2))
        )
    ),
}  # fmt: skip


def fresh(space):
    """A model of three bodies, one of them with a named point."""
    model = tm.SpatialModel("sample") if space else tm.PlanarModel("sample")
    for name, pose in zip("abc", POSES[space], strict=True):
        model.body(name, **pose, points={"tip": (0.15, 0.25, 0.35) if space else (0.15, 0.25)})
    return model


def sample(kind, model):
    """The registered sample's arguments; joints that it needs are made first."""
    given = dict(kind.sample(kind.kind, *(model[name] for name in "abc")))
    for key, value in given.items():
        if isinstance(value, tuple) and value and isinstance(value[-1], dict):
            name, what, arguments = value if len(value) == 3 else ("J", *value)
            if name not in model:
                getattr(model, what)(name, **arguments)
            given[key] = name
    return given


def by_places(kind, model):
    """The same spelled with bodies, and places and directions of the drawing; None where the type does not know them."""
    given = sample(kind, model)
    places = {"at": (0.4, 0.3, 0.2), "axis": (0.6, 0.0, 0.8) if kind.space else (0.6, 0.8), "second_axis": (0.8, 0.0, -0.6),
              "disc_axis": (0.8, 0.0, -0.6), "normal": (0.6, 0.0, 0.8)}  # fmt: skip
    found = {key: value[: 3 if kind.space else 2] for key, value in places.items() if key in kind.arguments}
    if not found:
        return None
    bodies = {k: v.body if hasattr(v, "local") else v for k, v in given.items() if k not in ("line", "face")}
    return {**bodies, **found}


def build(kind, given=None, spelling=sample):
    """Model and part; `given` replaces or adds arguments of the sample."""
    model = fresh(kind.space)
    arguments = spelling(kind, model)
    if arguments is None:
        return None
    return model, getattr(model, kind.kind)("it", **{**arguments, **(given(model) if callable(given) else given or {})})


# --- other values ------------------------------------------------------------------------------------------------------

EGG = analytic("1.1*cos(u)", "0.9*sin(u)", 0.0, 2.0 * math.pi, closed=True, name="other")
PLACES = {"first", "second", "cam", "follower", "slotted", "pin", "rack", "pinion", "track", "wheel", "disc", "terrain", "body", "point",
          "sphere", "plane", "carrier", "reaction_on"}  # fmt: skip


def other_values(kind, key, value):
    """Values that an argument might be changed to, as functions of the model where they need one."""
    space = kind.space
    axes = 3 if space else 2
    named = {
        "at": [(0.5, -0.2, 0.7)[:axes]],
        "local": [(0.5, -0.2, 0.7)[:axes]],
        "axis": [(0.0, 0.6, 0.8), "y"] if space else [(1.0, -0.3)],
        "second_axis": [(0.6, 0.64, -0.48), "x"],
        "disc_axis": [(0.0, 0.8, -0.6)],
        "normal": [(0.0, 0.6, 0.8)] if space else [7.0, "3 + t"],
        "x": [(0.8, 0.0, -0.6)],
        "line": [lambda m: (m["a"].at(0.1, 0.1), m["a"].at(0.2, 0.7)), ((0.1, 0.2), (0.4, 0.9))],
        "face": [lambda m: (m["b"].at(0.1, 0.1), m["b"].at(0.2, 0.7))],
        "curve": [helix(0.7, 0.1), space_curve("u", "u^2", "0.1")] if space else [EGG],
        "quantity": [lambda m: m["b"].y, "c.x", lambda m: m["a"].at(*(0.3,) * axes).x],
        "formula": ["a.x - 2*b.y"],
        "motion": ["0.2*t", 0.7, tm.functions.Table("path", (0.0, 1.0, 2.0), (0.0, 0.3, 0.1))],
        "angles": [("t", 0.1, "2*t")],
        "sequence": ["zxz"],
        "unit": ["rad"],
        "law": ["hertz", "hunt_crossley", "lankarani_nikravesh"] if "stiffness" in kind.arguments else ["2*t", 3.0],
        "frame": ["body", "space"],
        "side": ["right"],
        "vector": [(1.0, "t", 2.0)[:axes]],
        "moment": [2.0],
        "torque": [3.0, "t^2", tm.functions.Table("push", (0.0, 1.0, 2.0), (0.0, 3.0, 1.0))],
        "force": [3.0, "t^2"],
        "outside": [9e4, "9e4 + t"],
        "inputs": [("t",)],
        "outputs": [("u", "v"), None],
        "function": [lambda m: math.sin],
        "rate": [2.0, "b.y - t"],
        "worm": ["B"],
        "damping": [4.0],
        "joint": ["J"],
        "friction": [0.4, (0.5, 0.1), (0.6, 0.2)],
        "center": [(0.3, 0.4, 0.5)[:axes]],
        "wind": [(0.3, 0.4, 0.5)[:axes]],
        "leans": [(0.1, 0.2)],
        "radii": [(0.25, 0.35)],
        "stiffness": [70.0, "30*l" if kind.kind == "spring" else 55.0, (4.0, 5.0, 6.0)],
        "rotational_stiffness": [7.0],
        "rotational_damping": [7.0],
    }  # fmt: skip
    if key in PLACES:
        found = ["c", lambda m: m["b"]["tip"], lambda m: m["a"].at(*(0.35,) * axes), lambda m: m["c"]]
        return [*found, lambda m: m["b"].marker((0.1, 0.2, 0.3), axis="x")] if space else found
    if key in named:
        return named[key]
    if isinstance(value, bool):
        return [not value]
    if isinstance(value, int | float) or value is None:
        return [0.37, 2.0, -0.4]
    raise AssertionError(f"no other value is known for {kind} {key}={value!r}: add one")


def changed(kind, spelling=sample):
    """Argument and value, one changed at a time."""
    arguments = spelling(kind, fresh(kind.space)) or {}
    for key, parameter in kind.arguments.items():
        value = arguments.get(key, parameter.default)
        for other in other_values(kind, key, value):
            if callable(other) and not isinstance(other, tm.functions.Table):
                yield key, other
            elif plain(other) != plain(value):
                yield key, lambda model, other=other: other


def plain(thing):
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


def plain_model(model):
    """Everything that a model says, bodies first."""
    return tuple(plain(group) for group in (model.bodies, model.points, model.constraints, model.forces, model.phases, model.switches,
                                            model.turns, model.gravity, model.display_unit))  # fmt: skip
