"""Units and labels of rows and measures: in a model of another size lengths change by its factor, angles and numbers do not."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np

from pytrammel.model.arguments.signatures import dimensions
from pytrammel.testing.failures import require, require_close
from pytrammel.testing.rows import TIME, along, labels_of, measured_system, random_state
from pytrammel.testing.samples import NAME, POSES, Type, add, fresh, sample

FACTOR = 2.0  # a power of two: scaled numbers keep their bits
_POWERS = {"m": 1, "rad": 0, "1": 0}
_UNSCALED = ("curve", "formula", "quantity")  # arguments that bring units of their own


def check_labels(kind: Type) -> None:
    """Check annotations of arguments, units and labels of rows and measures, and name and kind of the part."""
    for key, parameter in kind.arguments.items():
        require(
            parameter.annotation is not parameter.empty, kind,
            f"argument {key!r} has no annotation. Use float for numbers, which then accept units and parameters, and Place for places.",
        )  # fmt: skip
    model = fresh(kind.space)
    part = add(kind, model)
    quantities = [("row", block.quantity) for block in getattr(part, "blocks", ())]
    quantities += [(f"measure {key!r}", quantity) for key, quantity in part.measures.items()]
    for what, quantity in quantities:
        strange = [unit for unit in quantity.units if unit not in _POWERS]
        require(not strange, kind, f"{what} has the unit {strange[:1]}. Use one of: {', '.join(map(repr, _POWERS))}.")
        require(bool(quantity.label), kind, f"{what} ({quantity.primitive}) has an empty label. Specify label=.")
    require(part.name == NAME, kind, f"its name is {part.name!r} instead of {NAME!r}.")
    require(part.kind == kind.kind, kind, f"its kind is {part.kind!r} instead of {kind.kind!r}.")


def scaled_model(kind: Type) -> Any:
    """A sample with all lengths multiplied by `FACTOR`; None where that is not possible from outside."""
    if set(_UNSCALED) & kind.arguments.keys():
        return None
    model = fresh(kind.space)
    arguments = sample(kind, model)
    if model.constraints:  # a joint of another type, with other arguments
        return None
    large: Any = type(model)("sample")
    for name, pose in zip("abc", POSES[kind.space], strict=True):
        place = tuple(FACTOR * x for x in pose["position"])
        large.body(name, **{**pose, "position": place})
    given = {}
    for key, value in arguments.items():
        known = {each[0] for each in dimensions(kind.builder, key)}
        if isinstance(value, float) and len(known) == 1:
            value = value * FACTOR ** known.pop()
        elif isinstance(value, float) and known:
            return None  # "m or rad"
        given[key] = _scaled(large, value, 1 in known)
    return large, getattr(large, kind.kind)(NAME, **given)


def _scaled(model: Any, value: Any, is_length: bool) -> Any:
    """A point, body or list of lengths in the large model."""
    if hasattr(value, "local"):
        point = model[value.body].at(*(FACTOR * x for x in value.local))
        if not getattr(value, "oriented", False):
            return point
        return dataclasses.replace(point, axes=value.axes, oriented=True, drawn_axes=value.drawn_axes)
    if hasattr(value, "position") and hasattr(value, "name"):
        return model[value.name]
    if isinstance(value, tuple) and value:
        if is_length and all(isinstance(x, float) for x in value):
            return tuple(FACTOR * x for x in value)
        return tuple(_scaled(model, x, is_length) for x in value)
    return value


def check_units(kind: Type) -> None:
    """Compare values and rates of rows and measures in a model of twice the size, as their units require."""
    check_labels(kind)
    scaled = scaled_model(kind)
    small = fresh(kind.space)
    part = add(kind, small)
    if scaled is None or part.extras:
        return
    one, two = measured_system(small, part), measured_system(*scaled)
    labels = labels_of(part)
    q, v, a = random_state(one, 7)
    large = [each.copy() for each in (q, v, a)]
    n, columns = (7, 6) if kind.space else (3, 3)
    dimension = small.space.dimension
    for k in range(3):
        large[0][n * k : n * k + dimension] *= FACTOR
        for each in large[1:]:
            each[columns * k : columns * k + dimension] *= FACTOR
    quantities = [*(block.quantity for block in part.blocks), *part.measures.values()]
    units = [unit for quantity in quantities for unit in quantity.units]
    powers = np.array([FACTOR ** _POWERS[unit] for unit in units])
    named = [f"{label} [{unit}]" for label, unit in zip(labels, units, strict=True)]
    for what, before, after in zip(
        ("value", "rate"), along(one, TIME, q, v, a), along(two, TIME, *large), strict=False
    ):
        limit = 1e-11 * (
            1.0 + np.abs(powers * before)
        )  # rounding; formulas in a large model are evaluated in the same order
        reference = "the unit requires a value that"
        require_close(kind, f"{what} in a model of twice the size", named, after, powers * before, limit, reference)
