"""From a model to plain data: everything that was said, in the words in which builders take it."""

from __future__ import annotations

import inspect
import math
import numbers
import os
from collections.abc import Iterable, Mapping
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np

from pytrammel._util.messages import short
from pytrammel.analysis.choices import Choice
from pytrammel.analysis.start.given import InitialConditions
from pytrammel.errors import ModelError
from pytrammel.expressions.expression import Expression, PiecewiseCall
from pytrammel.expressions.rise_laws import LAWS
from pytrammel.expressions.tables import Table
from pytrammel.expressions.text import LONGEST
from pytrammel.geometry.curves import Curve
from pytrammel.geometry.shapes import Box, Cylinder, Solid, Sphere
from pytrammel.geometry.space_curves import SpaceCurve
from pytrammel.inertia import MassProperties, Mesh
from pytrammel.io.models.words import (
    ELEMENTS,
    FORMAT,
    FREE,
    MAY_BE_FREE,
    SINGLE,
    in_order,
    kind_of,
    section_of,
    types,
)
from pytrammel.model.arguments.plain_values import LAYOUTS
from pytrammel.model.arguments.recorded import Said
from pytrammel.model.arguments.signatures import role
from pytrammel.model.base import Model
from pytrammel.model.parameters import Parameter
from pytrammel.model.quantities.quantity import Quantity

Data = dict[str, Any]


def as_data(model: Model, folder: Path | None = None) -> Data:
    """Plain data that `pytrammel.io.models.reader` makes into the same model, to the last bit.

    Args:
        model: The model.
        folder: Where the file will stand; mesh files in it are named, others are written into it.
    """
    return _Writer(model, folder).data()


class _Writer:
    def __init__(self, model: Model, folder: Path | None) -> None:
        self.model = model
        self.folder = folder
        self.tables: dict[str, Any] = {}
        self.curves: dict[str, Any] = {}
        self.formulas: dict[str, Any] = {}
        self.table_names: dict[Table, str] = {}
        self.curve_names: dict[int, str] = {}

    def data(self) -> Data:
        model = self.model
        for (section, name), given in model._defined.items():
            self._define(section, name, given)
        elements: dict[str, Data] = {section: {} for section in ELEMENTS}
        for name, said in model._said.items():
            section = section_of(model, name)
            elements[section][name] = self._element(section, name, said)
        out: Data = {"format": FORMAT, "model": kind_of(model), "name": model.name, "display_unit": model.display_unit}
        out["gravity"] = self.value(model._gravity_given, "gravity of the model")
        if model._closure_tolerance_given != 0.0:
            out["closure_tolerance"] = self.value(model._closure_tolerance_given, "closure_tolerance of the model")
        if not _orders_agree(model, elements):
            out["order"] = list(model._said)
        out["parameters"] = {p.name: self._parameter(p) for p in model.parameters.values()}
        out |= {"tables": self.tables, "curves": self.curves, "formulas": self.formulas, **elements}
        out["groups"] = {name: list(bodies) for name, bodies in model.groups.items()}
        out["analysis"] = [
            {"name": name, **self.value(options, f"analysis {name!r}")} for name, options in model.analyses.items()
        ]
        return {key: value for key, value in out.items() if value not in ({}, [])}

    def _parameter(self, parameter: Parameter) -> Any:
        what, said = f"parameter {parameter.name!r}", parameter.stated
        value = self.value(said.value, what)
        rest: Data = {"note": said.note} if said.note else {}
        if said.bounds is not None:
            ends = [None if isinstance(end, float) and math.isinf(end) else end for end in said.bounds]
            rest["bounds"] = [FREE if end is None else self.value(end, f"bounds of {what}") for end in ends]
        if said.tolerance is not None:
            rest["tolerance"] = self.value(said.tolerance, f"tolerance of {what}")
        return {"value": value, **rest} if rest else value

    def _define(self, section: str, name: str, given: Any) -> None:
        if section == "tables":
            self.table_names[self.model.tables[name]] = name
            self.tables[name] = (
                self._table(given, name) if isinstance(given, Table) else self.value(given, f"table {name!r}")
            )
        elif section == "formulas":
            self.formulas[name] = self.value(given, f"formula {name!r}")
        else:
            self.curve_names[id(given)] = name
            plain = isinstance(given, Mapping)
            self.curves[name] = self.value(given, f"curve {name!r}") if plain else self._curve(given, name)

    def _element(self, section: str, name: str, said: Said) -> Data:
        model = self.model
        part = model._constraints.get(name) or model._forces.get(name)
        kind = SINGLE.get(section) or part.kind  # type: ignore[union-attr]
        builder = types(kind_of(model), section)[kind]
        what = f"{kind} {name!r}"
        arguments = said.arguments
        entry: Data = {} if section in SINGLE else {"type": kind}
        if said.redrawn:  # what was said is true in an older drawing only; what it meant on the bodies is kept
            arguments = (
                {"body": model.points[name].body, "local": model.points[name].local}
                if part is None
                else part.parameters
            )
            entry["redrawn"] = True
        signature = inspect.signature(builder).parameters
        for key, value in arguments.items():
            if value is None and signature[key].default is None:
                continue
            if role(builder, key) == "shape":
                entry[key] = self._shape(value, name, what)
            else:
                entry[key] = self.value(value, f"{key} of {what}", key=key)
        return entry

    # --- values ------------------------------------------------------------------------------------------------------

    def value(self, value: Any, what: str, *, key: str = "") -> Any:
        """Any argument as plain data."""
        if isinstance(value, np.generic):
            value = value.item()
        if isinstance(value, np.ndarray):
            value = value.tolist()
        if isinstance(value, bool | str):
            return self._encodable(value, what)
        if isinstance(value, int | float):
            if not math.isfinite(value):
                raise ModelError(f"{what} is {value}, which a model file cannot hold; give a finite number.")
            return value
        if value is None and key in MAY_BE_FREE:
            return FREE
        if isinstance(value, list | tuple):
            return [self.value(item, what, key=key) for item in value]
        if isinstance(value, Mapping):
            return {str(name): self.value(item, what) for name, item in value.items()}
        if isinstance(value, numbers.Number | Decimal) and not isinstance(value, complex):
            return self.value(float(value), what)  # type: ignore[arg-type]
        if isinstance(value, Iterable) and not hasattr(value, "name"):
            return [self.value(item, what, key=key) for item in value]
        return self._object(value, what)

    def _encodable(self, value: bool | str, what: str) -> bool | str:
        if isinstance(value, str):
            try:
                value.encode()
            except UnicodeEncodeError:
                raise ModelError(
                    f"{what} is {short(value)}, which no file can hold as text; use other characters."
                ) from None
        return value

    def _object(self, value: Any, what: str) -> Any:
        if isinstance(value, Expression):
            return self._formula(value, what)
        if isinstance(value, Table):
            return {"table": self._table_name(value)}
        if isinstance(value, Quantity):
            return self._quantity(value, what)
        if hasattr(value, "local"):
            return self._point(value)
        if isinstance(value, Curve | SpaceCurve):
            return self._curve_name(value)
        if isinstance(value, InitialConditions):
            given = {
                "values": dict(value.values),
                "hold": list(value.hold),
                **({} if value.correct else {"correct": False}),
            }
            return self.value({key: item for key, item in given.items() if item or key == "correct"}, what)
        if isinstance(value, Choice):  # a name, or a table with its options
            return self.value({"name": value.name, **value.options}, what) if value.options else value.name
        if isinstance(value, MassProperties):
            return {"mass": value.mass, "centroid": value.centroid.tolist(), "inertia": value.inertia.tolist()}
        if hasattr(value, "at_global") or hasattr(value, "parameters"):  # a body, joint or force
            return value.name
        if callable(value):
            name = getattr(value, "__qualname__", short(value))
            raise ModelError(
                f"{what} is the Python function {name}, which a model file cannot hold, because opening a file never runs code; write the "
                'law as a formula such as "-20*A.angle - 0.5*A.angle.rate", or as a table (tm.functions.spline).'
            )
        raise ModelError(f"{what} is {short(value)} of type {type(value).__name__}, which a model file cannot hold.")

    def _formula(self, formula: Expression, what: str) -> str:
        """Text that is read back to the same formula; tables get the names that they have in the file."""
        calls = [node for node in formula.nodes() if isinstance(node, PiecewiseCall)]
        for call in calls:
            if not isinstance(call.function, Table) and call.function != LAWS.get(call.function.name):
                raise ModelError(
                    f"{what} calls {call.function.name!r}, which a model file cannot hold; use a table (tm.functions.spline)."
                )
        named = {table: self._table_name(table) for table in formula.tables}
        text = str(_renamed(formula, named) if any(table.name != name for table, name in named.items()) else formula)
        if len(text) >= LONGEST:
            raise ModelError(
                f"{what} is a formula of more than {LONGEST} letters, which a model file cannot hold; use a table."
            )
        return text

    def _quantity(self, quantity: Quantity, what: str) -> Any:
        spoken = self.model.spoken(quantity)
        if isinstance(spoken, str):
            return spoken
        if quantity.primitive not in (*LAYOUTS, "linear") or quantity.curve is not None or quantity.formula is not None:
            raise ModelError(
                f"{what} is the quantity {quantity}, which has no name in the model; use a named one such as 'A.angle'."
            )
        out: Data = {"quantity": quantity.primitive, "bodies": list(quantity.bodies), "data": list(quantity.data)}
        out |= {"units": list(quantity.units), "label": quantity.label}
        return out if quantity.turn is None else {**out, "start": quantity.turn.start}

    def _point(self, point: Any) -> Any:
        if point.name and self.model.points.get(point.name) == point:
            return point.name
        out: Data = {"body": point.body, "local": list(point.local)}
        if getattr(point, "oriented", False):
            out["axes"] = [list(row) for row in point.axes]
        return {**out, "name": point.name} if point.name else out

    def _table_name(self, table: Table) -> str:
        if table not in self.table_names:
            self.table_names[table] = name = _free_name(table.name, self.tables)
            self.tables[name] = self._table(table, name)
        return self.table_names[table]

    def _table(self, table: Table, name: str) -> Data:
        out: Data = {"kind": table.kind, "outside": table.outside, "x": list(table.x), "y": list(table.y)}
        return out if table.name == name else {"name": table.name, **out}

    def _curve_name(self, curve: Curve | SpaceCurve) -> str:
        if id(curve) not in self.curve_names:
            name = _free_name(curve.name, self.curves)
            self.curve_names[id(curve)] = name
            self.curves[name] = self._curve(curve, name)
        return self.curve_names[id(curve)]

    def _curve(self, curve: Any, name: str) -> Data:
        axes = zip(("x", "y", "z"), curve.components, strict=False)
        out: Data = {"type": "curve", **{axis: self._formula(part, f"curve {name!r}") for axis, part in axes}}
        out |= {"start": curve.start, "end": curve.end, "closed": curve.closed}
        return out if curve.name == name else {**out, "name": curve.name}

    # --- shapes ------------------------------------------------------------------------------------------------------

    def _shape(self, value: Any, body: str, what: str) -> Any:
        if isinstance(value, list | tuple):
            return [self._shape(item, body, what) for item in value]
        if isinstance(value, Mapping):
            return self.value(value, what)
        if isinstance(value, str | os.PathLike):
            return self._mesh_file(Path(value), body)
        if isinstance(value, Mesh):
            return _mesh(value)
        if isinstance(value, Solid):
            return _mesh(value.mesh)
        kinds: dict[type, tuple[str, ...]] = {
            Box: ("size", "center", "rotation"), Sphere: ("radius", "center"), Cylinder: ("start", "end", "radius"),
        }  # fmt: skip
        if type(value) not in kinds:
            raise ModelError(f"shape of {what} is {short(value)}, which a model file cannot hold.")
        fields = {
            key: self.value(getattr(value, key), what) for key in kinds[type(value)] if getattr(value, key) is not None
        }
        return {"type": type(value).__name__.lower(), **fields}

    def _mesh_file(self, path: Path, body: str) -> Any:
        """A mesh beside the file is named; one that lies elsewhere is written into it."""
        from pytrammel.inertia import read_mesh

        at = (path if self.model.folder is None else self.model.folder / path).resolve()
        home = None if self.folder is None else self.folder.resolve()
        if home is not None and at.is_relative_to(home):
            return at.relative_to(home).as_posix()
        return _mesh(read_mesh(at))


def _renamed(formula: Expression, names: Mapping[Table, str]) -> Expression:
    """The formula with other names of its tables."""
    made: dict[int, Expression] = {}
    for node in formula.nodes():
        children = tuple(made[id(child)] for child in node.children)
        label = node.label
        if isinstance(node, PiecewiseCall) and isinstance(node.function, Table):
            table = node.function
            label = (Table(names[table], table.x, table.y, kind=table.kind, outside=table.outside), node.order)
        made[id(node)] = type(node)(label, children) if children else node
    return made[id(formula)]


def _mesh(mesh: Mesh) -> Data:
    return {"type": "mesh", "name": mesh.name, "vertices": mesh.vertices.tolist(), "triangles": mesh.triangles.tolist()}


def _free_name(name: str, taken: Mapping[str, Any]) -> str:
    """The name, with a number behind it where it is taken."""
    number, found = 1, name
    while found in taken:
        number += 1
        found = f"{name}_{number}"
    return found


def _orders_agree(model: Model, elements: Mapping[str, Data]) -> bool:
    """Return True if a reader that goes section by section meets named points and counted turns in the order of the model."""
    points: list[str] = []
    turns: dict[str, None] = {}
    for section, name in in_order(elements):
        if section == "bodies":
            points += [model.bodies[name][key].name for key in model.bodies[name].points]
        elif section == "points":
            points.append(name)
        else:
            part: Any = model._constraints.get(name) or model._forces.get(name)
            turns.update(dict.fromkeys(turn.name for turn in part.turns) if part is not None else {})
    known = [name for name in model.turns if name in turns]
    return points == list(model.points) and list(turns) == known
