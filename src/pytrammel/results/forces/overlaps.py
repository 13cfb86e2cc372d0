"""Contacts whose bodies overlap so far that their force says nothing about a real contact."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from pytrammel._util.messages import apart
from pytrammel.errors import RunWarning
from pytrammel.forces.force import Force, Gap
from pytrammel.model.quantities.quantity import ANGLE, LENGTH
from pytrammel.results.forces.contacts import contact_of
from pytrammel.results.segments import part
from pytrammel.system.lowering import System

if TYPE_CHECKING:
    from pytrammel.results.result import Result

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]
# fraction of the smallest radius: the patch of a Hertz contact is then a third of the radius wide, and contact laws presume small ones
THICK = 0.1
SUDDEN = 2.0  # times the static indentation: a load that is applied suddenly presses no deeper
POINT = 0.01  # fraction of the model's size: points have no radius
ROUNDING = 1e-9  # relative: a depth that equals its limit is not above it
RIGID = 1e-6  # fraction of the model's size: rigid bodies overlap by rounding only
NO_FORCE = ("gauge", "user_state")  # force elements whose value is not a force
SIDES = ("side", "line", "plane", "radius", "radii", "low", "high")  # arguments that place the surfaces
FOOT = {"contact_curve": "disc"}  # kinds that act up to some distance only, and the argument of their disc
MOST_NAMES = 4


@dataclass(frozen=True)
class Overlap:
    """Bodies of a contact that overlap too far.

    Attributes:
        force: The contact.
        since: First output time [s].
        time: Output time of the deepest overlap [s].
        depth, limit: Overlap there and its limit [m].
        push: Contact force there [N].
        load, static: Weights and other forces there [N], and the indentation under them [m].
        length: Size of the model [m].
    """

    force: Force
    since: float
    time: float
    depth: float
    limit: float
    push: float
    load: float
    static: float
    length: float

    @property
    def gap(self) -> Gap:
        return _gap(self.force)

    @property
    def unit(self) -> str:
        return self.gap.quantity.units[0]

    @property
    def force_unit(self) -> str:
        return "N m" if self.unit == ANGLE else "N"


def about_overlaps(result: Result, *, start_only: bool = False) -> list[RunWarning]:
    """A warning about contacts that act although their bodies overlap too far.

    Args:
        result: A result with forces.
        start_only: Only the first output time: a motion that forces determine may press deep later.
    """
    names = [force.name for force in result.model.forces.values() if force.gap is not None]
    if not names or not len(result):
        return []
    first: dict[str, Overlap] = {}
    for piece in (part(result, 0, 1) if start_only else result)._pieces:
        for overlap in _found(piece, names):
            first.setdefault(overlap.force.name, overlap)
    return warnings_about(list(first.values()))


def overlaps_among(system: System, time: float, depths: dict[str, Array], values: Array) -> list[Overlap]:
    """Contacts that overlap too far in one state, by their depths [m], shape (1,), and the values of all force elements."""
    return list(_judged(system, np.array([time]), depths, values.reshape(1, -1)))


def warnings_about(found: list[Overlap]) -> list[RunWarning]:
    """One warning about all overlaps."""
    if not found:
        return []
    worst = max(found, key=lambda o: o.depth / o.limit)
    force, unit = worst.force, worst.unit
    depth, limit = apart(worst.depth, worst.limit)
    what = "the bodies overlap by" if worst.gap.radii else "its quantity is beyond its limit by"
    text = f"{force.kind} {force.name!r}: {what} {depth} {unit} at t = {worst.time:.6g} s"
    text += f" (from t = {worst.since:.6g} s)" if worst.since < worst.time else ""
    text += f", where the contact pushes with {worst.push:.4g} {worst.force_unit}. " if worst.push else ". "
    text += f"The limit is {limit} {unit}: {_reason(worst)}. "
    others = [f"{o.force.name!r} ({o.depth:.3g} {o.unit} at t = {o.time:.6g} s)" for o in found if o is not worst]
    if others:
        more = f" and {len(others) - MOST_NAMES} more" if len(others) > MOST_NAMES else ""
        text += f"Further overlaps: {', '.join(others[:MOST_NAMES])}{more}. "
    check = [f"{key}=" for key in SIDES if key in force.parameters]
    remedy = f"Draw the bodies apart, or check {' and '.join(check)}." if check else "Draw the bodies apart."
    return [RunWarning("overlap", text + remedy, time=min(o.since for o in found))]


def _reason(o: Overlap) -> str:
    """How the limit follows from the contact."""
    if o.gap.stiffness is None:
        return f"{RIGID:g} of the model's size {o.length:.4g} m, because the bodies are rigid"
    radius = min(o.gap.radii, default=0.0)
    if radius and o.limit == radius:
        return "the smallest radius, beyond which the centre has passed the surface"
    if o.limit == SUDDEN * o.static:
        return f"{SUDDEN:g} times the static indentation {o.static:.3g} {o.unit} under {o.load:.4g} {o.force_unit}"
    if radius:
        return f"{THICK:g} of the radius {radius:.4g} m"
    if o.gap.travel and not o.gap.radii:
        return f"{THICK:g} of the travel {o.gap.travel:.4g} {o.unit}"
    return f"{POINT:g} of the model's size {o.length:.4g} m" if o.unit == LENGTH else f"{POINT:g} rad"


def _depths(result: Result, names: list[str]) -> dict[str, Array]:
    """Overlap of the bodies of contacts, negative where they are apart [m], shape (n,)."""
    gaps = [_gap(result.model.forces[name]) for name in names]
    series = result._measures([gap.quantity for gap in gaps])
    return {name: gap.closed - each.value for name, gap, each in zip(names, gaps, series, strict=True)}


def _gap(force: Force) -> Gap:
    assert force.gap is not None
    return force.gap


def _found(result: Result, names: list[str]) -> Iterator[Overlap]:
    """Overlaps along a run with one model."""
    assert result.dynamics is not None
    values = result.dynamics.outputs[:, : 2 * len(result._system.forces) : 2]
    depths = _depths(result, names)
    behind = {name: _behind(result, name, depth) for name, depth in depths.items()}
    yield from _judged(result._system, result.times, depths, values, behind)


def _behind(result: Result, name: str, depth: Array) -> Mask:
    """Where a disc lies beyond a curve, farther than its contact reaches: shape (n,)."""
    force = result.model.forces[name]
    found = np.zeros(len(depth), dtype=bool)
    radius = min(_gap(force).radii, default=0.0)
    if force.kind in FOOT and (depth > radius).any():
        centre, place = result.point(force.parameters[FOOT[force.kind]]).position, contact_of(result, name).point
        # beyond an end of an open curve the nearest place is not a foot of the perpendicular
        away = np.linalg.norm(centre - place, axis=1)
        found = (depth > radius) & (depth - radius > 0.999 * away)
    return found


def _judged(
    system: System, times: Array, depths: dict[str, Array], values: Array, behind: dict[str, Mask] | None = None
) -> Iterator[Overlap]:
    """Where depths exceed their limits although the contact acts."""
    for name, depth in depths.items():
        force = system.model.forces[name]
        push = np.zeros_like(depth)
        for k, lowered in enumerate(system.forces):
            if lowered.owner == name and lowered.use.role == "contact":
                push = push + values[:, k]
        gap = _gap(force)
        load = _loads(system, values, turning=gap.quantity.units[0] == ANGLE)
        limit, static = _limits(system, gap, load)
        # the force of discs and spheres vanishes where their centres coincide
        concentric = len(gap.radii) > 1 and depth >= sum(gap.radii)
        acts = (push != 0.0) | concentric | (force.impact is not None)
        if behind is not None:
            acts |= behind[name]
        deep = (depth > limit * (1.0 + ROUNDING)) & acts
        if deep.any():
            k = int(np.argmax(np.where(deep, depth / limit, 0.0)))
            since = float(times[int(np.argmax(deep))])
            at, most, allowed, pressed, loaded, rests = (float(x[k]) for x in (times, depth, limit, push, load, static))
            yield Overlap(force, since, at, most, allowed, pressed, loaded, rests, system.length)


def _limits(system: System, gap: Gap, load: Array) -> tuple[Array, Array]:
    """Deepest overlaps without a warning, and indentations under the load, shape (n,)."""
    if gap.stiffness is None or gap.exponent is None:
        return np.full_like(load, RIGID * system.length), np.zeros_like(load)
    static = (load / gap.stiffness) ** (1.0 / gap.exponent)
    limit = np.maximum(thin(gap, min(gap.radii, default=0.0), gap.travel, system.length), SUDDEN * static)
    # beyond the radius the centre has passed the surface, however soft the contact is
    return np.minimum(limit, min(gap.radii, default=0.0) or np.inf), static


def thin(gap: Gap, radius: Any, travel: Any, length: Any) -> Any:
    """Overlap up to which no load matters [m or rad]; sizes may be arrays over variants."""
    size = radius if gap.radii else travel
    return np.where(size > 0.0, THICK * size, POINT * (length if gap.quantity.units[0] == LENGTH else 1.0))


def _loads(system: System, values: Array, *, turning: bool) -> Array:
    """Sizes of all weights and of all forces except contacts together [N, or N m about the model's size], shape (n,)."""
    masses = sum(body.mass or 0.0 for body in system.model.bodies.values())
    total = np.full(len(values), masses * float(np.linalg.norm(system.model.gravity)))
    couples = np.zeros(len(values))
    for k, lowered in enumerate(system.forces):
        use = lowered.use
        if use.role == "contact" or use.element in NO_FORCE or use.state:
            continue
        size = np.abs(np.nan_to_num(values[:, k]))
        if use.along is not None and use.along.unit == ANGLE:
            couples += size
        else:
            total += size
    return total * system.length + couples if turning else total
