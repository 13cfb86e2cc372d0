"""Lowering of masses and inertias."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from pytrammel._util import traced_numbers
from pytrammel.errors import ModelError
from pytrammel.kernels import layout as L
from pytrammel.kernels import spatial_mass
from pytrammel.kernels.conjugate import solve_by_directions
from pytrammel.kernels.densely import solve_densely
from pytrammel.model.bodies import GROUND

if TYPE_CHECKING:
    from pytrammel.system.packer import Packer

# Mass of massless coordinates in the factorised matrix, against the model's own: the error it makes shrinks by about this
# factor with every correction, and the matrix is worse conditioned by its inverse.
ARTIFICIAL = 5e-3
# The same against what a massless link connects, where that is so light that an artificial mass of the model's size would outweigh it:
# from this share of the model's own mass or inertia on, corrections shrink fast enough.
OUTWEIGHED = 0.1
SLENDER = 1e-2  # share of the largest moment of inertia of a body that its others are taken for at least
# A mass or inertia below this share of the model's own counts as none in the factorised matrix: beside it the others would be lost in
# rounding, and a row with them. The correction uses the true one.
LIGHT = 1e-11


def is_coupled(body: Any) -> bool:
    """Return True if its centroid is off its origin, or may be in other variants of the model."""
    return not all(traced_numbers.always(x, 0.0) for x in body.centroid)


def without_mass(model: Any) -> tuple[str, ...]:
    """Return the names of moving bodies that lack a mass or an inertia and are not massless on purpose."""
    fixed = {c.held_body for c in model.constraints.values()}
    return tuple(
        body.name
        for body in list(model.bodies.values())[1:]
        if body.name not in fixed
        and ((body.mass is None and not body.massless) or (body.mass is not None and body.inertia is None))
    )


def pack_masses(packer: Packer, length: float) -> None:
    """Append mass properties and gravity; note whether some coordinate has no mass of its own."""
    model, buffers = packer.model, packer.buffers
    moving = list(model.bodies.values())[1:]
    fixed = {c.held_body for c in model.constraints.values()}
    for body in moving:
        if body.mass is None and not body.massless and body.name not in fixed:
            raise ModelError(
                f"body {body.name!r} has no mass; give mass= and inertia=, or massless=True if it is meant to have none."
            )
        if body.mass is not None and body.inertia is None and body.name not in fixed:
            raise ModelError(
                f"body {body.name!r} has a mass but no inertia; give inertia= [kg m²] (0 for a point mass)."
            )
    real = [b.mass for b in moving if b.mass]
    typical = sum(real) / len(real) if real else 1.0
    block = _planar_block if model.space.dimension == 2 else _spatial_block
    numbers: list[float] = []
    massless = bool(packer.extras)
    lightest = _lightest_connected(model)
    for body in moving:
        # a fixed body may do without a mass: any value gives the same motion, an honest one the same reactions
        stand_in = 1.0 if body.name in fixed and body.mass is None else ARTIFICIAL
        mass, moment = typical, typical * length * length
        low = lightest.get(body.name, (mass, moment))
        mass = low[0] if 0.0 < low[0] < OUTWEIGHED * mass else mass
        moment = low[1] if 0.0 < low[1] < OUTWEIGHED * moment else moment
        own, incomplete = block(body, stand_in, mass, moment)
        numbers += own
        massless = massless or incomplete
    buffers.ints[L.AT_MASSES] = buffers.add_floats(numbers)
    buffers.ints[L.AT_EXTRA_MASSES] = buffers.add_floats(
        1.0 / (ARTIFICIAL * typical * (length / extra.scale) ** 2) for extra in packer.extras
    )
    buffers.ints[L.AT_GRAVITY] = buffers.add_floats(model.gravity)
    buffers.ints[L.HAS_MASSLESS] = int(massless)
    if massless:
        buffers.ints[L.DENSELY] = solve_densely.address()
        buffers.ints[L.BY_DIRECTIONS] = solve_by_directions.address()


def _lightest_connected(model: Any) -> dict[str, tuple[float, float]]:
    """Per massless body, the least mass and moment of inertia among the bodies that it connects, by way of other massless ones."""
    bodies = {name: body for name, body in model.bodies.items() if name != GROUND}
    empty = {name for name, body in bodies.items() if body.massless}
    around: dict[str, list[str]] = {name: [] for name in empty}
    for constraint in model.constraints.values() if empty else ():
        if len(constraint.bodies) == 2:
            for one, other in (constraint.bodies, constraint.bodies[::-1]):
                if one in empty and other in bodies:
                    around[one].append(other)
    out: dict[str, tuple[float, float]] = {}
    for name in bodies:
        if name not in empty or name in out:
            continue
        group, heavy, waiting = {name}, {}, [name]
        while waiting:
            for other in around[waiting.pop()]:
                if other not in empty:
                    heavy[other] = bodies[other]
                elif other not in group:
                    group.add(other)
                    waiting.append(other)
        found = (
            _least(body.mass for body in heavy.values() if body.mass),
            _least(_least_moment(body.inertia) for body in heavy.values() if body.inertia is not None),
        )
        out.update(dict.fromkeys(sorted(group), found))
    return out


def _least(numbers: Iterable[float]) -> float:
    """The least of some positive numbers; 0 if there is none."""
    kept = [number for number in numbers if number > 0.0]
    return traced_numbers.minimum(kept) if kept else 0.0


def _least_moment(inertia: Any) -> float:
    """About the least moment of inertia of a body."""
    if np.ndim(inertia) == 0:
        return inertia  # type: ignore[no-any-return]
    moments = [inertia[k][k] for k in range(3)]
    return traced_numbers.maximum([_least(moments), SLENDER * traced_numbers.maximum(moments)])


def pack_weighing(packer: Packer, row_columns: Sequence[Sequence[int]], row_entries: Sequence[int]) -> None:
    """Lay out, row by row, how its Jacobian entries are multiplied by the inverse mass matrix."""
    buffers = packer.buffers
    masses, extras = buffers.ints[L.AT_MASSES], buffers.ints[L.AT_EXTRA_MASSES]
    spatial = packer.per_body == 6
    size = L.SPACE_MASS_SIZE if spatial else L.MASS_SIZE
    bodies = list(packer.model.bodies.values())
    starts: list[int] = []
    for columns, entry in zip(row_columns, row_entries, strict=True):
        steps: list[int] = []
        e = 0
        while e < len(columns):
            column, taken = columns[e], 1
            if column >= packer.first_extra:
                steps += [L.WEIGH_ONE, entry + e, extras + column - packer.first_extra, 0]
            elif column >= 0:
                b, k = divmod(column, packer.per_body)
                at, state = masses + size * b, packer.state_of_body(bodies[b + 1].name)
                if is_coupled(bodies[b + 1]):
                    # such rows list all columns of the body side by side
                    steps += [L.WEIGH_SPATIAL if spatial else L.WEIGH_PLANAR, entry + e, at, state]
                    taken = packer.per_body
                elif not spatial:
                    steps += [L.WEIGH_ONE, entry + e, at + (1 if k == 2 else 0), 0]
                elif k < 3:
                    steps += [L.WEIGH_ONE, entry + e, at + spatial_mass.INVERSE_MASS, 0]
                else:
                    principal = buffers.floats[at + spatial_mass.KIND] == spatial_mass.PRINCIPAL
                    kind = L.WEIGH_DIAGONAL if principal else L.WEIGH_MATRIX
                    steps += [kind, entry + e, at + spatial_mass.INVERSE_INERTIA, 0]
                    taken = 3
            e += taken
        starts += [buffers.add_ints(steps), len(steps) // L.WEIGH_SIZE]
    buffers.ints[L.AT_WEIGHING] = buffers.add_ints(starts)


def _planar_block(body: Any, stand_in: float, typical: float, typical_inertia: float) -> tuple[list[float], bool]:
    """Numbers of a planar body, and whether something of it has no mass, or next to none."""
    mass, inertia = body.mass or 0.0, body.inertia or 0.0
    light, slim = mass <= LIGHT * typical, inertia <= LIGHT * typical_inertia
    coupled = 1.0 if is_coupled(body) else 0.0
    used = stand_in * typical if light else mass
    used_inertia = stand_in * typical_inertia if slim else inertia
    return [1.0 / used, 1.0 / used_inertia, *body.centroid, mass, inertia, coupled], light or slim


def _spatial_block(body: Any, stand_in: float, typical: float, typical_inertia: float) -> tuple[list[float], bool]:
    """Numbers of a body in space; directions without inertia (thin rods, point masses) get an artificial one in the inverse."""
    mass = body.mass or 0.0
    light, small_inertia = mass <= LIGHT * typical, stand_in * typical_inertia
    inertia = ((0.0,) * 3,) * 3 if body.inertia is None else body.inertia
    principal = all(traced_numbers.always(inertia[i][k], 0.0) for i in range(3) for k in range(3) if i != k)
    moments, axes = ([inertia[k][k] for k in range(3)], None) if principal else _principal(inertia)
    largest = traced_numbers.maximum(moments)
    least = traced_numbers.maximum((1e-12 * largest, LIGHT * typical_inertia))
    none = [moment <= least for moment in moments]
    if any(none) and not all(none):
        # an axis without inertia in a body that has some elsewhere: measured against the body's own
        small_inertia = ARTIFICIAL * largest
    used_moments = [small_inertia if gone else moment for gone, moment in zip(none, moments, strict=True)]
    if axes is None:
        inverse = [1.0 / used_moments[i] if i == k else 0.0 for i in range(3) for k in range(3)]
    else:
        inverse = ((axes / np.array(used_moments)) @ axes.T).ravel().tolist()
    kind = (
        spatial_mass.COUPLED if is_coupled(body) else spatial_mass.PRINCIPAL if principal else spatial_mass.CENTROIDAL
    )
    used = stand_in * typical if light else mass
    numbers = [1.0 / used, mass, kind, *body.centroid, *(x for row in inertia for x in row), *inverse]
    return numbers, light or any(none)


def _principal(inertia: Sequence[Sequence[float]]) -> tuple[list[float], NDArray[np.float64]]:
    matrix = traced_numbers.array(inertia)
    if matrix.dtype == object:
        raise traced_numbers.UntraceableError("a full inertia matrix of traced numbers")
    moments, axes = np.linalg.eigh(matrix)
    return moments.tolist(), axes
