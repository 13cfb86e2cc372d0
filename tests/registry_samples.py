"""Every registered joint and force of both kinds of models on its sample, and other values for each of its arguments."""

import math

import pytrammel as tm
from pytrammel.geometry.curves import analytic
from pytrammel.geometry.space_curves import helix
from pytrammel.geometry.space_curves import space_analytic as space_curve
from pytrammel.testing.samples import forces, fresh, joint_types, plain, sample

JOINTS, FORCES = joint_types(), forces()
TYPES = [each for space in (False, True) for types in (JOINTS, FORCES) for each in types if each.space is space]


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
