"""Attributes that a model, body or point does not have: the word of the other dimension, of other programs, or the nearest one."""

from __future__ import annotations

import difflib
import functools
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, ClassVar

import pytrammel
from pytrammel._util.former_names import ALIAS, former, new_word
from pytrammel._util.messages import nearest

# words of models, bodies and points in space, and what does the same in the plane; "" where nothing does
IN_THE_PLANE: Mapping[str, str] = {
    "angular_velocity_about": "phi", "armature": "", "axes": "phi", "axis": "along", "bushing": "spring", "constant_velocity": "revolute",
    "contact_sphere_plane": "contact_line", "contact_sphere_sphere": "contact_discs", "cosine": "angle_between",
    "cylindrical": "point_on_line", "drawn_axes": "", "drawn_axis": "", "free": "", "intersecting_axes": "",
    "marker": "at", "marker_global": "at", "matrix": "phi", "orientation_driver": "driver", "oriented": "along",
    "parallel_axes": "", "parallel_frames": "constrain", "planar": "", "point_on_curve": "cam_point",
    "point_on_plane": "point_on_line", "relative_parameter": "constrain",
    "relative_parameters": "constrain", "revolute_cylindrical": "point_on_line", "revolute_revolute": "bar",
    "revolute_spherical": "bar", "rolling_disc": "rolling", "rolling_sphere": "rolling", "rotation": "phi", "screw": "",
    "shapes": "outlines", "spherical": "revolute", "universal": "revolute", "velocity_along": "along", "worm": "gear", "z": "y",
}  # fmt: skip
# words of the plane, and what does the same in space
IN_SPACE: Mapping[str, str] = {
    "angle": "rotation", "cam_flat": "point_on_plane", "cam_point": "point_on_curve", "cam_roller": "point_on_curve",
    "contact_curve": "", "contact_discs": "contact_sphere_sphere", "contact_line": "contact_sphere_plane",
    "eta": "local", "linkage": "", "outline": "shapes", "outlines": "shapes", "phi": "rotation", "rolling": "rolling_disc",
    "slot": "point_on_curve", "x0": "local", "xi": "local", "y0": "local",
}  # fmt: skip
# words of other programs, and ours in the plane and in space, best first; a class uses the first that it has
SYNONYMS: Mapping[str, tuple[str, ...]] = {
    "hinge": ("revolute",), "pin": ("revolute",), "pivot": ("revolute",), "slider": ("prismatic",), "slide": ("prismatic",),
    "ball": ("spherical", "revolute"), "ball_and_socket": ("spherical", "revolute"), "hooke": ("universal", "revolute"),
    "fixed": ("weld",), "rigid": ("weld",), "lock": ("weld",), "clamp": ("weld",), "anchor": ("fix",),
    "damper": ("spring",), "spring_damper": ("spring",), "rotational_spring": ("torsion_spring",), "moment": ("torque",),
    "rigid_body": ("body",), "part": ("body",), "particle": ("body",), "mass": ("body",), "element": ("body",),
    "run": ("simulate",), "solve": ("simulate",), "integrate": ("simulate",), "step": ("simulate",), "dynamics": ("simulate",),
    "forward_dynamics": ("simulate",), "static": ("statics",), "inverse": ("inverse_dynamics",), "id": ("inverse_dynamics",),
    "motion": ("driver",), "actuator": ("motor",), "plot": ("draw",), "show": ("draw",), "render": ("draw",), "animate": ("draw",),
    "dof": ("mobility",), "ndof": ("mobility",), "degrees_of_freedom": ("mobility",), "modes": ("linearize",),
    "linearise": ("linearize",), "eigenvalues": ("linearize",), "contact": ("contact_line", "contact_sphere_plane"),
    "friction": ("joint_friction",), "limit": ("end_stop",), "world": ("ground",), "frame": ("ground",),
    "cam": ("cam_roller", "point_on_curve"), "load": ("force",), "gears": ("gear",), "belt": ("gear",), "rod": ("bar",),
    "length": ("distance",), "sensor": ("measure",), "variable": ("parameter",), "formula": ("define",),
    "position": ("place",), "initial_conditions": ("simulate",), "assembly_analysis": ("assemble",), "export": ("save",),
    "rope": ("spring",), "cable": ("spring",), "tendon": ("spring",), "collision": ("contact_line", "contact_sphere_plane"),
    "ik": ("inverse_kinematics",), "energy": ("potential_energy",), "write": ("save",), "save_model": ("save",), "to_toml": ("save",),
    "to_json": ("save",), "to_file": ("save",), "turn": ("revolute",), "jacobian": ("matrices",), "modal": ("linearize",),
    "inertia_matrix": ("matrices",), "mass_matrix": ("matrices",), "equations": ("terms",),
}  # fmt: skip
# words of other programs, and ours in results
OF_RESULTS: Mapping[str, tuple[str, ...]] = {
    "time": ("times",), "x": ("q",), "positions": ("q",), "position": ("q", "pose"), "velocity": ("v",),
    "velocities": ("v",), "acceleration": ("a",), "accelerations": ("a",), "energies": ("energy",), "potential_energy": ("energy",),
    "kinetic_energy": ("energy",), "keys": ("names",), "show": ("draw", "plot"),
    "render": ("animate", "draw"),
    "quantity": ("series",), "column": ("series",), "measure": ("series",), "quantities": ("names",), "column_names": ("names",),
    "columns": ("coordinate_names",), "switches": ("events",), "passages": ("singularities",), "closure": ("constraint_violation",),
    "seconds": ("wall_time",), "messages": ("log",), "velocity_polygon": ("diagram",), "acceleration_polygon": ("diagram",),
    "centrodes": ("diagram",), "inflection_circle": ("diagram",), "instant_centres": ("diagram",), "instant_centers": ("diagram",),
    "transmission_angle": ("diagram",), "curvature": ("diagram",), "plot_energy": ("plot",), "plot_path": ("plot",),
    "export": ("save",), "write": ("save",), "csv": ("to_csv",), "df": ("to_dataframe",), "pandas": ("to_dataframe",),
    "dataframe": ("to_dataframe",), "stability": ("stable",), "eigenvalues": ("frequencies", "linearize"), "angle": ("pose",),
}  # fmt: skip
_PLANE = IN_THE_PLANE, "in the plane", "in space", "tm.SpatialModel"
_SPACE = IN_SPACE, "in space", "in the plane", "tm.PlanarModel"
MEMBERS = ("method", "attribute")  # kinds of former names of objects
_FRONT = ("add_", "create_", "make_", "new_", "set_", "get_", "apply_", "joint_", "compute_", "calc_", "calculate_")
_BACK = ("_joint", "_constraint", "_element", "_analysis", "s")
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


@functools.cache
def absent(cls: type, own: frozenset[str], dimension: int, name: str) -> str:
    """Message about a public attribute that neither a class nor its object has; `own` are the object's attributes."""
    words = {word for word in (*dir(cls), *own) if not word.startswith("_")}
    head = f"{cls.__name__} has no attribute {name!r}"
    if (new := new_word(name, words)) is not None:
        return f"{head}. Use {new!r}."
    other, here, there, model = _PLANE if dimension == 2 else _SPACE
    if name in other:
        ours = other[name]
        remedy = f"Use {ours!r} {here}." if ours in words else f"Use {model} if the machine needs it."
        return f"{head}, which exists {there} only. {remedy}"
    if replaced := former(name, *MEMBERS, owners=(base.__name__ for base in cls.__mro__)):
        return f"{head}. {replaced.remedy}"
    for word in _bare_words(name):
        found = next((ours for ours in (word, *SYNONYMS.get(word, ()), other.get(word, "")) if ours in words), None)
        if found is not None:
            return f"{head}. Use {found!r}."
    if place := _public_place(name):
        return f"{head}. Use {place}."
    near = difflib.get_close_matches(name, sorted(words), n=1)
    return f"{head}. Did you mean {near[0]!r}?" if near else f"{head}. See dir({cls.__name__}) for its attributes."


@functools.cache
def absent_from_package(name: str) -> str:
    """Message about a public name that the package does not have: a method of models, or the nearest name."""
    head = f"module 'pytrammel' has no attribute {name!r}"
    if replaced := former(name, "name"):
        return f"{head}. {replaced.remedy}"
    replaced = former(name, "function")
    if replaced is not None and replaced.hand:
        return f"{head}. {replaced.remedy}"
    method = name if replaced is None else replaced.new
    models = [cls for cls in (pytrammel.PlanarModel, pytrammel.SpatialModel) if hasattr(cls, method)]
    if models:
        return f"{head}. Use the method {method!r} of {' or '.join(cls.__name__ for cls in models)}."
    if other := next((public for public in pytrammel.__all__ if public.lower() == name.lower()), ""):
        return f"{head}. Did you mean {other!r}?"
    if place := _public_place(name):
        return f"{head}. Use {place}."
    near = nearest(name, [*pytrammel.__all__, *(each for space in pytrammel._MODULES for each in _names_of(space))])
    if near is None:
        return f"{head}. See dir(pytrammel) for its names."
    return f"{head}. Did you mean {_public_place(near).removeprefix(f'{ALIAS}.')!r}?"


def _names_of(space: str) -> list[str]:
    """Return the public names of a namespace."""
    names: list[str] = getattr(pytrammel, space).__all__
    return names


def _public_place(name: str) -> str:
    """Return a name with its namespace, "tm.functions.sin", or ""."""
    if name in pytrammel.__all__:
        return f"{ALIAS}.{name}"
    spaces = (space for space in pytrammel._MODULES if name in _names_of(space))
    return next((f"{ALIAS}.{space}.{name}" for space in spaces), "")


def _bare_words(name: str) -> list[str]:
    """The name in our spelling, with and without what other programs put before and after it."""
    word = _HUMP.sub("_", name).lower()
    found = [word]
    for front in _FRONT:
        found += [word.removeprefix(front)] if word.startswith(front) else []
    for back in _BACK:
        found += [each.removesuffix(back) for each in tuple(found) if each.endswith(back)]
    return list(dict.fromkeys(found))


PROBED = frozenset(
    ("local", "ndim")
)  # attributes that builders look for to recognise points and arrays; a message takes 2 µs


class WordedResult:
    """A result that names the right word for a missing attribute."""

    _inner: ClassVar[tuple[str, ...]] = ()  # public names by which it has the rest, as "result.draw"

    if not TYPE_CHECKING:  # type checkers know all attributes

        def __getattr__(self, name):
            if name.startswith("_") or name in PROBED:
                raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
            words = tuple(
                sorted(word for word in {*dir(type(self)), *vars(self), *self._inner} if not word.startswith("_"))
            )
            raise AttributeError(absent_from_result(type(self).__name__, words, name))


@functools.cache
def absent_from_result(title: str, words: tuple[str, ...], name: str) -> str:
    """Message about a public attribute that a result of those words does not have."""
    if replaced := former(name, *MEMBERS, owners=(title,)):
        return f"{title} has no attribute {name!r}. {replaced.remedy}"
    by_last = {word.rpartition(".")[2]: word for word in reversed(words)}
    for word in _bare_words(name):
        found = next((ours for ours in (word, *OF_RESULTS.get(word, ())) if ours in by_last), None)
        if found is not None:
            return f"{title} has no attribute {name!r}. Use {by_last[found]!r}."
    near = difflib.get_close_matches(name, sorted(by_last), n=1)
    return f"{title} has no attribute {name!r}. " + (
        f"Did you mean {by_last[near[0]]!r}?" if near else f"See dir({title}) for its attributes."
    )


class Worded:
    """Something that answers a missing attribute with the right word."""

    _dimension: ClassVar[int] = 2

    if not TYPE_CHECKING:  # type checkers know all attributes

        def __getattr__(self, name):
            if name in PROBED or name.startswith("_"):
                raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
            raise AttributeError(absent(type(self), frozenset(vars(self)), self._dimension, name))
