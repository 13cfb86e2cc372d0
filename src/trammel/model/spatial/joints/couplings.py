"""Gears, worms, racks: fixed ratios between joint coordinates."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trammel.errors import ModelError
from trammel.model.body import checked_number
from trammel.model.constraint import Block, Constraint, check_positive
from trammel.model.expression import as_expression
from trammel.model.quantity import LENGTH, Quantity
from trammel.model.spatial.registries import spatial_constraint_type

if TYPE_CHECKING:
    from trammel.model.spatial.model import SpatialModel


def _hinge(joint: str, a: object, b: object) -> tuple[str, str, dict[str, object]]:
    """A joint to be made first, for samples: name, kind, arguments."""
    kind = "prismatic" if joint == "slide" else "revolute"
    first = a.marker((0.1, 0.0, 0.2), axis="x" if kind == "prismatic" else "z")  # type: ignore[attr-defined]
    return joint, kind, {"first": first, "second": b.marker((0.0, 0.3, 0.1))}  # type: ignore[attr-defined]


def _measure(model: SpatialModel, name: str, joint: object, what: str) -> tuple[str, Quantity, tuple[str, ...]]:
    target = model.joint(joint, name)  # type: ignore[arg-type]
    if what not in target.measures:
        raise ModelError(f"{name}: joint {target.name!r} is a {target.kind} and has no {what}; give one that has.")
    return target.name, target.measures[what], target.bodies


def _coupled(
    model: SpatialModel, kind: str, name: str, given: dict[str, object], first: Quantity, second: Quantity, weights: tuple[float, float],
    value: float | None,
) -> Constraint:  # fmt: skip
    bodies = tuple(dict.fromkeys((*first.bodies, *second.bodies)))
    roll = Quantity(
        "expression", bodies, (1.0,), (LENGTH,), f"roll of {name}", formula=as_expression(f"{weights[0]!r}*a + {weights[1]!r}*b", name),
        inputs={"a": first, "b": second},
    )  # fmt: skip
    start = model.drawn_value(roll) if value is None else checked_number(value, f"value of {kind} {name!r}")
    return Constraint(kind, name, {**given, "value": start}, bodies, (Block(roll, (start,)),))


@spatial_constraint_type(
    sample=lambda a, b, c: {"first": _hinge("A", c, a), "second": _hinge("B", c, b), "radii": (0.2, 0.3)}
)
def gear(
    model: SpatialModel, name: str, first: object, second: object, *, radii: tuple[float, float], internal: bool = False,
    value: float | None = None,
) -> Constraint:  # fmt: skip
    """Meshing gears: spur, bevel or on a moving carrier (1 row).

    The gears' own joints say what they turn on: two joints to the same body make a simple train on that body, which may be the
    ground or a moving carrier; the axes may be parallel (spur) or not (bevel).

    Args:
        first, second: Joints of the two gears, each from the carrier (first body) to the gear (second body).
        radii: Pitch radii [m]; only their ratio matters, the scale sets what the row measures.
        internal: One gear runs inside the other, so that both turn the same way.
        value: Value of the row r1 a1 + r2 a2 [m]; by default the drawn one.
    """
    a, angle_a, bodies_a = _measure(model, f"gear {name!r}", first, "angle")
    b, angle_b, bodies_b = _measure(model, f"gear {name!r}", second, "angle")
    if bodies_a[0] != bodies_b[0]:
        raise ModelError(
            f"gear {name!r}: joint {a!r} starts from {bodies_a[0]!r} but {b!r} from {bodies_b[0]!r}; both must start from the body that "
            "carries the gears. Swap the bodies of a joint, or use a joint to the carrier."
        )
    r1, r2 = (check_positive(checked_number(r, f"radius of gear {name!r}"), f"radius of gear {name!r}") for r in radii)
    given = {"first": a, "second": b, "radii": (r1, r2), "internal": internal}
    return _coupled(model, "gear", name, given, angle_a, angle_b, (r1, -r2 if internal else r2), value)


@spatial_constraint_type(sample=lambda a, b, c: {"worm": _hinge("A", c, a), "wheel": _hinge("B", c, b), "ratio": 20.0})
def worm(
    model: SpatialModel, name: str, worm: object, wheel: object, *, ratio: float, value: float | None = None
) -> Constraint:
    """Worm and wheel (1 row): the wheel's angle is the worm's divided by the ratio.

    Args:
        worm, wheel: Joints of the worm and of the wheel.
        ratio: Turns of the worm per turn of the wheel; negative for a left-hand worm.
        value: Value of the row; by default the drawn one.
    """
    a, angle_a, _ = _measure(model, f"worm {name!r}", worm, "angle")
    b, angle_b, _ = _measure(model, f"worm {name!r}", wheel, "angle")
    i = checked_number(ratio, f"ratio of worm {name!r}")
    if i == 0.0:
        raise ModelError(f"ratio of worm {name!r} is 0; it must not be.")
    given = {"worm": a, "wheel": b, "ratio": i}
    return _coupled(model, "worm", name, given, angle_a, angle_b, (1.0 / i, -1.0), value)


@spatial_constraint_type(
    sample=lambda a, b, c: {"pinion": _hinge("A", c, a), "rack": _hinge("slide", c, b), "radius": 0.1}
)
def rack(
    model: SpatialModel, name: str, pinion: object, rack: object, *, radius: float, value: float | None = None
) -> Constraint:
    """Rack and pinion (1 row): the rack moves by the pitch radius times the pinion's angle.

    Args:
        pinion: Joint of the pinion, which measures an angle.
        rack: Joint of the rack, which measures a distance.
        radius: Pitch radius [m]; negative if a positive angle moves the rack back.
        value: Value of the row [m]; by default the drawn one.
    """
    a, angle, _ = _measure(model, f"rack {name!r}", pinion, "angle")
    b, distance, _ = _measure(model, f"rack {name!r}", rack, "distance")
    r = checked_number(radius, f"radius of rack {name!r}")
    if r == 0.0:
        raise ModelError(f"radius of rack {name!r} is 0; it must not be.")
    return _coupled(model, "rack", name, {"pinion": a, "rack": b, "radius": r}, angle, distance, (r, -1.0), value)
