"""Planar linkages by places and bars."""

from __future__ import annotations

import cmath
import math
from collections.abc import Iterable, Mapping, Sequence
from numbers import Real
from typing import TYPE_CHECKING, Any

from pytrammel._util.checks import checked, checked_bool, checked_number, checked_numbers
from pytrammel._util.messages import short
from pytrammel.errors import ModelError
from pytrammel.model.bodies import GROUND
from pytrammel.units import LENGTH, in_words, read_measured

if TYPE_CHECKING:
    from pytrammel.model.planar import PlanarModel

Place = complex | Sequence[float | str]


@checked("first", "second", "a", "b", "side")
def meet(first: Place, second: Place, a: float | str, b: float | str, side: int = 1) -> Any:
    """Return the place at the distance `a` from the first place and `b` from the second.

    Args:
        first, second: Places as complex numbers or as (x, y) [m], also with units ("60 mm", 0); the result has the form of the
            first. Where neither is (x, y), a real number is a place on the x axis.
        a, b: Distances from the first and the second place [m], also with units: "50 mm".
        side: 1 for the place to the left of the way from the first to the second, -1 for the place to the right.

    Raises:
        ModelError: The circles do not meet.

    Example:
        >>> import pytrammel as tm
        >>> tm.meet((0.0, 0.0), (6.0, 0.0), 5.0, 5.0)
        (3.0, 4.0)
    """
    numbers = _are_numbers((first, second))
    p, q = _complex(first, "meet: first", numbers), _complex(second, "meet: second", numbers)
    a, b = (_distance(value, f"meet: {name}") for name, value in (("a", a), ("b", b)))
    if isinstance(side, bool) or side not in (1, -1):
        raise ModelError(f"meet: side is {short(side)}; it must be 1 (left) or -1 (right).")
    way = q - p
    gap = abs(way)
    largest = max(a, b, gap)
    if gap == 0.0 or a + b < gap * (1 - ROUNDING) or abs(a - b) > gap + ROUNDING * largest:
        raise ModelError(
            f"meet: no place is {a:.6g} m from {_pair(p)} and {b:.6g} m from {_pair(q)}, which are {gap:.6g} m apart. "
            "The longest of the three lengths must be at most the sum of the others, and the places must differ."
        )
    along = (gap**2 + a**2 - b**2) / (2 * gap)
    place = p + complex(along, side * math.sqrt(max(a**2 - along**2, 0.0))) * way / gap
    return place if isinstance(first, complex | Real) else (place.real, place.imag)


@checked("places", "bars", "massless")
def linkage(
    self: PlanarModel, places: Mapping[str, Place], bars: Mapping[str, Iterable[str]], *, massless: bool = False
) -> None:
    """Add bodies through their places and pins where bodies meet.

    Each body lies at its first place, turned towards its second. Bodies that share a place are pinned there to the first of them: the
    pin at A is "A", several are "A1", "A2" and so on. A place of a single body becomes a point.

    Args:
        places: Places by name, as complex numbers or as (x, y) [m], also with units ("60 mm", 0). Without (x, y), real numbers
            are places on the x axis.
        bars: Names of the places of each body, at least two; "ground" lists the fixed places. A text such as "ABC" stands for
            places of one letter.
        massless: Whether the bodies have no mass, for simulations; kinematics needs no masses.

    Example:
        >>> import pytrammel as tm
        >>> m = tm.PlanarModel("four-bar")
        >>> A, B, D = (0.0, 0.0), (0.03, 0.02), (0.1, 0.0)
        >>> places = {"A": A, "B": B, "C": tm.meet(B, D, 0.09, 0.06), "D": D}
        >>> m.linkage(places, {"ground": "AD", "crank": "AB", "coupler": "BC", "rocker": "CD"})
        >>> list(m.constraints)
        ['A', 'D', 'B', 'C']
    """
    checked_bool(massless, "linkage: massless")
    numbers = _are_numbers(_mapping(places, "places").values())
    at = {name: _complex(place, f"linkage: place {name!r}", numbers) for name, place in places.items()}
    users: dict[str, list[str]] = {}
    members = {bar: _members(bar, held, at) for bar, held in _mapping(bars, "bars").items()}
    for bar, held in members.items():
        if bar != GROUND:
            start, way = at[held[0]], at[held[1]] - at[held[0]]
            self.body(bar, position=(start.real, start.imag), angle=cmath.phase(way), massless=massless)
        for place in held:
            users.setdefault(place, []).append(bar)
    for place, (first, *others) in users.items():
        pair = (at[place].real, at[place].imag)
        for k, other in enumerate(others, start=1):
            self.revolute(place if len(others) == 1 else f"{place}{k}", first, other, at=pair)
        if not others and first != GROUND:
            self.point(place, first, at=pair)


ROUNDING = 1e-12  # relative excess of a length that rounding explains


def _are_numbers(places: Iterable[object]) -> bool:
    """Return True if no place is a pair (x, y), so that a real number is a complex one without an imaginary part."""
    return all(isinstance(place, complex | Real) for place in places)


def _complex(place: object, label: str, numbers: bool) -> complex:
    """Return a place as a complex number."""
    if numbers and isinstance(place, Real) and not isinstance(place, bool):
        place = complex(float(place))
    if isinstance(place, complex):
        checked_numbers((place.real, place.imag), label, ("x", "y"))
        return place
    if isinstance(place, Sequence) and not isinstance(place, str):
        place = [_in_metres(item, f"{label}: {axis}") for axis, item in zip("xy", place, strict=False)] + list(
            place[2:]
        )
    x, y = checked_numbers(place, label, ("x", "y"))
    return complex(x, y)


def _in_metres(value: object, label: str) -> object:
    """Return the number [m] of a text with a unit; other values unchanged."""
    if not isinstance(value, str):
        return value
    measured = read_measured(value, label)
    if measured is None:
        raise ModelError(
            f"{label} is {short(value)}; it must be a number [m] or a number with a unit, such as '60 mm'."
        )
    if measured.dimension != LENGTH:
        raise ModelError(
            f"{label} is {short(value)}, which is {in_words(measured.dimension)}; it must be {in_words(LENGTH)}."
        )
    return measured.value


def _pair(place: complex) -> str:
    return f"({place.real:.6g}, {place.imag:.6g})"


def _distance(value: object, label: str) -> float:
    number = checked_number(_in_metres(value, label), label)
    if number < 0.0:
        raise ModelError(f"{label} is {number:g} m; it must be at least 0.")
    return number


def _mapping(value: object, label: str) -> Mapping[str, Any]:
    if not isinstance(value, Mapping) or not value:
        raise ModelError(
            f"linkage: {label} must be a mapping by name with at least one entry, but it is {short(value)}."
        )
    return value


def _members(bar: str, held: object, at: Mapping[str, complex]) -> list[str]:
    """Return the places of a bar."""
    if not isinstance(held, Iterable):
        raise ModelError(f"linkage: bar {bar!r} must list names of places, but it is {short(held)}.")
    names = list(held)
    unknown = [name for name in names if name not in at]
    if unknown:
        raise ModelError(
            f"linkage: bar {bar!r} names the place {short(unknown[0])}; known places: {', '.join(map(str, at))}."
        )
    if len(set(names)) != len(names):
        raise ModelError(f"linkage: bar {bar!r} names a place twice: {', '.join(names)}.")
    if bar != GROUND and len(names) < 2:
        raise ModelError(f"linkage: bar {bar!r} has {len(names)} places; it needs at least 2.")
    if bar != GROUND and at[names[0]] == at[names[1]]:
        raise ModelError(
            f"linkage: the places {names[0]!r} and {names[1]!r} of bar {bar!r} coincide; move one of them."
        )
    return names
