"""Places, quantities, tables, curves and shapes spelled as plain data, as in model files: ``{"body": "crank", "local": (0.1, 0)}``."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from pytrammel._util.atomic_write import unreadable
from pytrammel._util.checks import checked_bool, checked_number, checked_numbers
from pytrammel._util.messages import nearest, short
from pytrammel.errors import ModelError
from pytrammel.expressions.expression import Expression, parse
from pytrammel.expressions.tables import Table
from pytrammel.geometry import curves as plane_curves
from pytrammel.geometry.curves import Curve
from pytrammel.model.arguments.signatures import dimensions
from pytrammel.model.quantities.quantity import Quantity, Turn
from pytrammel.units import LENGTH, Dimension

if TYPE_CHECKING:
    from pytrammel.model.builder import Lookup

# numbers in a value, with units and parameters resolved; the last argument is what they may measure
Evaluate = Callable[[Any, str, tuple[Dimension, ...]], Any]
MEASURES = ("distance", "difference", "angle_between", "cosine", "relative_parameters")
_SHAPE: dict[str, tuple[Dimension, ...]] = {"rotation": ()}  # all else of a shape are lengths
_MASS: dict[str, tuple[Dimension, ...]] = {"mass": ((0, 1, 0, 0),), "centroid": (LENGTH,), "inertia": ((2, 1, 0, 0),)}
# unnamed quantities as they are kept: how many bodies, constants and outputs a primitive has
LAYOUTS = {
    "distance": (2, 4, 1), "projection": (2, 6, 1), "point_distance": (2, 6, 1), "axis_offset": (2, 9, 1), "axis_dot": (2, 6, 1),
    "spin": (1, 4, 1), "drift": (1, 7, 1), "axis_angle": (2, 9, 1), "relative_parameters": (2, 0, 4),
}  # fmt: skip


def from_plain(model: Lookup, given: Mapping[str, Any], what: str, numbers: Evaluate) -> Any:
    """What a table of plain data stands for where a builder takes a place, a quantity or a table."""
    if "body" in given:
        return _place(model, given, what, numbers)
    if "measure" in given:
        return _measure(model, given, what, numbers)
    if "quantity" in given:
        return _quantity(model, given, what)
    if "table" in given or "y" in given:
        return as_table(model, given, what, numbers)
    raise ModelError(
        f"{what} is {short(dict(given))}, which is neither a place {{body, local}}, a quantity {{measure, ...}} nor a table {{x, y}}."
    )


def check_keys(given: Mapping[str, Any], known: tuple[str, ...], what: str, needed: tuple[str, ...] = ()) -> None:
    """Refuse entries that mean nothing, and say what is missing."""
    for key in given:
        if key not in known:
            near = nearest(key, known)
            hint = f"did you mean {near!r}?" if near else f"it has: {', '.join(known)}."
            raise ModelError(f"{what} has no entry {key!r}; {hint}")
    missing = [key for key in needed if key not in given]
    if missing:
        raise ModelError(f"{what} needs {', '.join(missing)}, which {'is' if len(missing) == 1 else 'are'} missing.")


def _place(model: Lookup, given: Mapping[str, Any], what: str, numbers: Evaluate) -> Any:
    oriented = ("axes", "axis", "x") if model.space.dimension == 3 else ()
    check_keys(given, ("body", "local", "at", "name", *oriented), what, ("body",))
    body = model.body_of(given["body"])
    if "at" in given and (len(given) > 2 or "local" in given):
        raise ModelError(
            f"{what}: give either local, in the body's frame, or at, global in the drawn pose, and nothing else."
        )
    if "at" in given:
        return body.at_global(*model.vector(numbers(given["at"], what, (LENGTH,)), f"at of {what}"))
    zero = tuple(0.0 for _ in model.space.axes)
    local = model.vector(numbers(given.get("local", zero), what, (LENGTH,)), f"local of {what}")
    if "axes" in given:
        from pytrammel.model.spatial_bodies import Marker, as_matrix
        from pytrammel.rotations import check_rotation

        axes = [
            checked_numbers(row, f"a row of axes of {what}", model.space.axes)
            for row in numbers(given["axes"], f"axes of {what}", ())
        ]
        check_rotation(np.array(axes, dtype=float), f"axes of {what}")
        x, y, z = local
        return body.again(Marker(body.name, (x, y, z), as_matrix(axes), True, name=str(given.get("name", ""))))
    if "axis" in given:
        axis, across = (
            value if isinstance(value, str) or value is None else numbers(value, f"{key} of {what}", ())
            for key, value in (("axis", given["axis"]), ("x", given.get("x")))
        )
        return body.marker(local, axis=axis, x=across)
    return body.at(*local, name=str(given.get("name", "")))


def _measure(model: Lookup, given: Mapping[str, Any], what: str, numbers: Evaluate) -> Quantity:
    verb = given["measure"]
    if verb not in MEASURES or not hasattr(model, verb):
        offered = [name for name in MEASURES if hasattr(type(model), name)]
        raise ModelError(f"{what} measures {short(verb)}; unnamed quantities are: {', '.join(offered)}.")
    method = getattr(model, verb)
    known = tuple(inspect.signature(method).parameters)
    check_keys(given, ("measure", *known), what)
    arguments = {
        key: from_plain(model, value, what, numbers) if isinstance(value, Mapping) else value
        for key, value in given.items() if key != "measure"
    }  # fmt: skip
    made: Quantity = method(**arguments)
    return made


def _quantity(model: Lookup, given: Mapping[str, Any], what: str) -> Quantity:
    """A quantity as it was kept, to the last bit; its counts must be those of its primitive."""
    check_keys(given, ("quantity", "bodies", "data", "units", "label", "start", "rate_only"), what, ("bodies", "units"))
    kind, bodies = given["quantity"], tuple(model.body_of(name).name for name in given["bodies"])
    data = tuple(checked_number(value, f"data of {what}") for value in given.get("data", ()))
    units = tuple(map(str, given["units"]))
    fits = (len(bodies), len(data), len(units)) == LAYOUTS.get(kind)
    if kind == "linear":
        fits = (
            len(bodies) > 0
            and len(units) == 1
            and data[:1] == (float(len(bodies)),)
            and len(data) == 1 + 3 * len(bodies)
        )
    planar = kind in ("distance", "projection", "linear")
    if not fits or planar != (model.space.dimension == 2) or not set(units) <= {"m", "rad", "1"}:
        raise ModelError(
            f"{what}: there is no quantity {short(kind)} with {len(bodies)} bodies and {len(data)} numbers here."
        )
    label = str(given.get("label", ""))
    turn = None
    if kind == "axis_angle":
        start = checked_number(given.get("start"), f"start of {what}")
        turn = Turn(label, bodies[0], bodies[1], data, start)
    rate_only = kind in ("spin", "drift")
    return Quantity(kind, bodies, data, units, label, turn=turn, rate_only=rate_only)


def as_table(model: Lookup, given: Mapping[str, Any] | Table, what: str, numbers: Evaluate) -> Table:
    """A table from its points, which may be formulas of parameters, or by the name under which the model knows it."""
    if isinstance(given, Table):
        return given
    if "table" in given:
        check_keys(given, ("table",), what)
        return model.table_named(given["table"], what)
    check_keys(given, ("x", "y", "kind", "outside", "name", "note"), what, ("x", "y"))
    options = {key: given[key] for key in ("kind", "outside") if key in given}
    x, y = (_listed(given[key], f"{key} of {what}", numbers) for key in ("x", "y"))
    return Table(given.get("name", "table"), x, y, **options)


def _listed(value: Any, what: str, numbers: Evaluate) -> Any:
    said = isinstance(value, list | tuple) and any(isinstance(item, str | Expression) for item in value)
    return numbers(value, what, ()) if said else value


def as_curve(model: Lookup, given: Mapping[str, Any], what: str, numbers: Evaluate) -> Any:
    """A curve from one of the functions that make curves, or formulas as they were kept."""
    from pytrammel.geometry import space_curves as space_curves
    from pytrammel.geometry.space_curves import SpaceCurve

    planar = {
        name: getattr(plane_curves, name) for name in ("analytic", "polar_table", "cartesian_table", "circle", "line")
    }
    spatial = {name: getattr(space_curves, name) for name in ("space_analytic", "helix", "space_spline")}
    makers: dict[str, Callable[..., Any]] = spatial if model.space.dimension == 3 else planar
    kind = given.get("type")
    rest = {key: value for key, value in given.items() if key != "type"}
    if kind == "curve":
        axes = ("x", "y", "z")[: model.space.dimension]
        check_keys(rest, (*axes, "start", "end", "closed", "name"), what, (*axes, "start", "end"))
        formulas = [_formula(model, rest[axis], f"{axis} of {what}") for axis in axes]
        ends = [checked_number(rest[key], f"{key} of {what}") for key in ("start", "end")]
        closed = checked_bool(rest.get("closed", False), f"closed of {what}")
        cls: Any = SpaceCurve if len(axes) == 3 else Curve
        return cls(*formulas, *ends, closed, rest.get("name", "curve"))
    if kind not in makers:
        raise ModelError(f"{what} has the type {short(kind)}; the types of curves are: {', '.join(makers)} and curve.")
    check_keys(rest, tuple(inspect.signature(makers[kind]).parameters), what)
    for key in ("x", "y", "z"):
        if isinstance(rest.get(key), str):
            rest[key] = _formula(model, rest[key], f"{key} of {what}")
    ready = dict(rest)
    for key, value in rest.items():
        if key not in ("name", "kind", "closed") and not isinstance(value, Expression):
            ready[key] = numbers(value, f"{key} of {what}", dimensions(makers[kind], key))
    return makers[kind](**ready)


def _formula(model: Lookup, given: Any, what: str) -> Expression:
    if not isinstance(given, str):
        raise ModelError(f"{what} must be a formula of u in quotes, but it is {short(given)}.")
    formula = parse(given, model.tables)
    return formula.substitute({name: model.parameters[name].value for name in formula.names & model.parameters.keys()})


def as_shape(model: Lookup, given: Any, what: str, numbers: Evaluate) -> Any:
    """A shape from plain data; a text is a mesh file beside the model's own file."""
    from pytrammel.geometry import shapes
    from pytrammel.inertia import Mesh, read_mesh

    if isinstance(given, str) and model.folder is not None:
        return shapes.Solid(read_mesh(inside(model.folder, given, what)))
    if not isinstance(given, Mapping):
        return given
    kinds: dict[str, Callable[..., Any]] = {"box": shapes.Box, "sphere": shapes.Sphere, "cylinder": shapes.Cylinder}
    kind = given.get("type")
    if kind == "mesh":
        check_keys(given, ("type", "vertices", "triangles", "name"), what, ("vertices", "triangles"))
        return shapes.Solid(Mesh(given["vertices"], given["triangles"], str(given.get("name", "mesh"))))
    if kind not in kinds:
        raise ModelError(
            f"{what} has the type {short(kind)}; the types of shapes are: {', '.join(kinds)}, mesh, or a mesh file."
        )
    known = tuple(inspect.signature(kinds[kind]).parameters)
    check_keys(given, ("type", *known), what)
    return kinds[kind](
        **{
            key: numbers(value, f"{key} of {what}", _SHAPE.get(key, (LENGTH,)))
            for key, value in given.items()
            if key != "type"
        }
    )


def as_properties(given: Mapping[str, Any], what: str, numbers: Evaluate) -> Any:
    """Mass properties from plain data."""
    from pytrammel.inertia import MassProperties

    check_keys(given, ("mass", "centroid", "inertia"), what, ("mass",))
    return MassProperties(**{key: numbers(value, f"{key} of {what}", _MASS[key]) for key, value in given.items()})


def inside(folder: Path, name: str, what: str) -> Path:
    """A file beside a model file; one that lies outside its folder is refused, whatever links and dots lead there."""
    try:
        home, found = folder.resolve(), (folder / name).resolve()
        within = found.is_relative_to(home)
    except (OSError, ValueError, RuntimeError):
        within = False
        found = folder
    if not within or Path(name).is_absolute():
        raise ModelError(
            f"{what} names the file {short(name)}, which is not in the folder of the model file; put it there."
        )
    try:
        is_other = found.exists() and not found.is_file()  # a pipe would be waited for
    except OSError as error:  # a name that is too long
        raise ModelError(f"{what} names the file {short(name)}, which cannot be read: {unreadable(error)}.") from None
    if is_other:
        raise ModelError(f"{what} names {short(name)}, which is a folder, pipe or device, and no file.")
    return found
