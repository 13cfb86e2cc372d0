"""Numbers, tables, curves and formulas that a model knows by name."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from pytrammel._util.checks import checked
from pytrammel._util.messages import short
from pytrammel.errors import ModelError
from pytrammel.expressions.expression import Expression, variable
from pytrammel.expressions.tables import Table
from pytrammel.geometry.curves import AnyCurve
from pytrammel.model.arguments.plain_values import as_curve, as_table
from pytrammel.model.builder import Lookup
from pytrammel.model.limits import Stated, kept_as
from pytrammel.model.parameters import TAKEN, numbers_of, read_formula, resolved

_NAME = re.compile(r"[^\W\d]\w*")  # what formulas can read as one name


class Definitions(Lookup):
    """Parameters and what is defined for use in formulas and by builders."""

    @checked("name", "value", "bounds", "tolerance")
    def parameter(
        self,
        name: str,
        value: float | str | Expression,
        *,
        bounds: Sequence[float | str | None] | None = None,
        tolerance: float | str | Sequence[float | str] | None = None,
        note: str = "",
    ) -> Expression:
        """Add a named number that formulas may use, or a formula of other parameters; it is kept as a formula when saved.

        Args:
            name: Unique name.
            value: A number (SI), a number with a unit (``"40 mm"``), or a formula of other parameters (``"0.4*rod"``, ``0.4*rod``).
            bounds: The least and the greatest value that designs may give it, either of them None: ``("20 mm", "60 mm")``.
            tolerance: By how much it may differ when it is made: one number for both sides (``"0.1 mm"``, ``"2 %"`` of its value), or
                (minus, plus).
            note: What it is for.

        Returns:
            Its name as a formula, to be given to builders wherever they take a number or a law: ``0.4*rod``,
            ``amp*tm.functions.sin(tm.time)``.
        """
        found = variable(_checked_name(name, "parameter"))
        if name in self._definitions:
            raise ModelError(f"parameter {name!r}: there is a formula of that name already; choose another.")
        if name in self._parameters:
            raise ModelError(
                f"the parameter {name!r} is there already; m.with_parameters({name}=...) gives a changed model."
            )
        if not isinstance(note, str):
            raise ModelError(f"note of parameter {name!r} must be a text, but it is {short(note)}.")
        said = {key: kept.stated for key, kept in self._parameters.items()}
        self._parameters = resolved({**said, name: Stated(value, note, kept_as(bounds), kept_as(tolerance))})
        return found

    @checked
    def define_table(self, name: str, table: Table | Mapping[str, Any]) -> Table:
        """Make a table known by name, so that the texts of formulas may call it: ``"2*lift(t)"``.

        Args:
            name: How formulas call it.
            table: A table, or its points as plain data: ``{"x": [...], "y": [...], "kind": "periodic"}``.
        """
        what = f"table {name!r}"
        if not isinstance(name, str) or not _NAME.fullmatch(name) or name in self._tables:
            raise ModelError(f"{what} is there already or has no name that formulas can call; choose another name.")
        if not isinstance(table, Table | Mapping):
            raise ModelError(f"{what} must be a table or its points {{x, y}}, but it is {short(table)}.")
        made = as_table(self, table if isinstance(table, Table) else {"name": name, **table}, what, numbers_of(self))
        self._tables[name] = made
        self._defined[("tables", name)] = table
        return made

    @checked
    def define_curve(self, name: str, curve: AnyCurve | Mapping[str, Any]) -> AnyCurve:
        """Make a curve known by name, so that joints and contacts may be given it as ``curve="outline"``.

        Args:
            name: How they call it.
            curve: A curve, or plain data: ``{"type": "circle", "radius": "40 mm"}``.
        """
        what = f"curve {name!r}"
        if name in self._curves or not isinstance(name, str):
            raise ModelError(f"{what} is there already; choose another name.")
        made = curve
        if isinstance(curve, Mapping):
            made = as_curve(self, {"name": name, **curve}, what, numbers_of(self))
        elif not hasattr(curve, "components"):
            raise ModelError(f"{what} must be a curve, for instance tm.curves.circle(0.1), but it is {short(curve)}.")
        self._curves[name] = made
        self._defined[("curves", name)] = curve
        return made  # type: ignore[return-value]

    @checked("formula")
    def define(self, name: str, formula: str | Expression) -> Expression:
        """Give a formula a name by which other formulas may use it: ``m.define("gap", "P.y - 0.1*sin(t)")``, then ``"-5000*min(gap, 0)"``.

        Args:
            name: Unique name, without dots.
            formula: Formula of t, measured quantities, parameters and formulas defined before it.

        Returns:
            Its name as a formula, for laws that are written in Python.
        """
        what = f"formula {short(name)}"
        found = variable(_checked_name(name, "formula"))
        if name in self._definitions or name in self._parameters or name in self._tables:
            kind = "parameter" if name in self._parameters else "table" if name in self._tables else "formula"
            raise ModelError(f"{what} cannot be defined: there is a {kind} of that name already; choose another.")
        if name in self or name in self._groups or name in self._states:  # results are asked for either by this name
            raise ModelError(f"{what} cannot be defined: a part of the model has that name; choose another.")
        if not isinstance(formula, str | Expression):
            raise ModelError(f"{what} must be a formula, but it is {short(formula)}; for a number use m.parameter.")
        made = read_formula(self, formula, what)
        if name in made.names:
            raise ModelError(f"{what} is defined by itself: {made}.")
        self._definitions[name] = made
        self._defined[("formulas", name)] = formula
        return found


def _checked_name(name: object, kind: str) -> str:
    """A name that formulas can use."""
    if not isinstance(name, str) or not _NAME.fullmatch(name) or name in TAKEN:
        raise ModelError(
            f"{short(name)} cannot be the name of a {kind}: use letters, digits and underscores, starting with a letter, and none "
            f"of {', '.join(TAKEN)}, which mean something in formulas."
        )
    return name
