"""Independent coordinates of a kinematic run: what takes the place of the drivers (algorithm K-I)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from pytrammel._util.messages import short
from pytrammel.errors import ModelError
from pytrammel.expressions.expression import Expression
from pytrammel.model.arguments.dimensions import check_formula, dimension_of
from pytrammel.model.base import Model
from pytrammel.model.bodies import GROUND
from pytrammel.model.parameters import read_formula
from pytrammel.system.lowering import column_names, coordinate_names
from pytrammel.units import ANGLES, Dimension

ORIENTATION = ".orientation"


@dataclass
class Prescribed:
    """A model in which independent coordinates are prescribed.

    Attributes:
        model: The model without its drivers. Joint angles and other measured quantities, which are no coordinates of ours, and
            orientations are given by a row each (or three).
        columns: Coordinates that are given directly, by name of their column.
        motions: All formulas of time, by what they are for.
    """

    model: Model
    columns: dict[str, Expression] = field(default_factory=dict)
    motions: dict[str, Expression] = field(default_factory=dict)


def without_drivers(model: Model) -> Model:
    """Copy of a model without its drivers, in phases too."""
    drivers = {c.name for c in model.constraints.values() if c.is_driver}
    changes = {
        phase.name: {"active": [name for name in phase.active if name not in drivers]}
        for phase in model.phases.values()
        if drivers & set(phase.active)
    }
    free = model.copy(changes=changes) if changes else model  # phases first: they need what they list
    return free.copy(without=[c.name for c in model.constraints.values() if c.is_driver])


def with_prescribed(model: Model, independent: Mapping[str, Any], *, rows: bool = False) -> Prescribed:
    """The model with its drivers replaced by independent coordinates.

    Args:
        model: The model.
        independent: Motions by name.
        rows: Give coordinates of bodies by rows, too, for equations that know no such coordinates.
    """
    out = Prescribed(without_drivers(model))
    simple = set(column_names(model)) & set(coordinate_names(model))
    for name, motion in independent.items():
        owner, _, _ = name.rpartition(".")
        if name.endswith(ORIENTATION) and name not in simple:
            _orientation(out, owner, name, motion)
            continue
        formula = read_formula(model, motion, f"motion of {name!r}")
        check_formula(model, motion, f"motion of {name!r}", _dimension(model, name))
        if formula.names - {"t"}:
            raise ModelError(f"motion of {name!r}: {formula} may depend on t only.")
        out.motions[name] = formula
        column = f"{owner}.phi" if name.endswith(".angle") and owner in model.bodies else name
        if (column in simple and not rows) or not _measured(model, name):
            out.columns[column] = formula  # a wrong name is told where columns are known
        else:
            out.model.driver(_free_name(out.model, name), name, formula)
    return out


def _orientation(out: Prescribed, body: str, name: str, angles: Any) -> None:
    """Three angles about the body's own axes in turn (xyz) for a body in space."""
    if out.model.space.dimension == 2:
        raise ModelError(f"{name!r}: a body in the plane turns by one angle; prescribe {body + '.phi'!r}.")
    if body not in out.model.bodies or body == GROUND:
        raise ModelError(f"there is no moving body {short(body)} whose orientation could be prescribed.")
    if isinstance(angles, str) or not isinstance(angles, list | tuple) or len(angles) != 3:
        raise ModelError(
            f"{name!r} needs three angles as formulas of t [rad], about x, y and z in turn, not {short(angles)}."
        )
    formulas = [read_formula(out.model, angle, f"motion of {name!r}") for angle in angles]
    for angle in angles:
        check_formula(out.model, angle, f"motion of {name!r}", ANGLES)
    model: Any = out.model  # in space
    model.orientation_driver(_free_name(out.model, name), body, formulas)
    out.motions |= {f"{body}.{axis} angle": formula for axis, formula in zip("xyz", formulas, strict=True)}


def _dimension(model: Model, name: str) -> Dimension | None:
    """Dimension of a coordinate or measured quantity; None if it is unknown."""
    return dimension_of(model.measure(name)) if _measured(model, name) else None


def _measured(model: Model, name: str) -> bool:
    try:
        model.scalar(name, "prescribed", valued=True)
    except ModelError:
        return False
    return True


def _free_name(model: Model, name: str) -> str:
    plain = name.replace(".", "_")
    while plain in model:
        plain += "_"
    return plain
