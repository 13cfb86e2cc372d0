"""The Cartesian formulation: the coordinates of every moving body, then the curve coordinates, then the turn counters."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from operator import is_
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pytrammel._util import traced_numbers
from pytrammel._util.messages import brief
from pytrammel.errors import ModelError
from pytrammel.expressions.expression import Expression
from pytrammel.joints.constraint import Constraint, ExtraCoordinate
from pytrammel.kernels import layout as L
from pytrammel.kernels import space_table
from pytrammel.kernels.laws import Law
from pytrammel.kernels.tape import tape_apart
from pytrammel.model.base import PACKED, Model
from pytrammel.model.display_unit import warn_of_size
from pytrammel.model.quantities.quantity import LENGTH, Quantity
from pytrammel.system.forces import LoweredForce, pack_dynamics
from pytrammel.system.masses import pack_weighing
from pytrammel.system.packer import LoweredElement, PackedRows, Packer, Row, Use

Asked = tuple[Any, ...]  # for what a system was packed


@brief
@dataclass(frozen=True)
class System:
    """Constants of one model in one formulation. Never changes during a run.

    Attributes:
        model: The model it was made from.
        ints, floats: Buffers for the kernels; see `pytrammel.kernels.layout`.
        columns: Names of the velocities after the coordinate they change, e.g. "crank.x", "rod.rx".
        column_units: Units of small motions along them.
        coordinates: Names of the coordinates, e.g. "crank.x", "rod.e0".
        rows: The scalar constraints.
        extras: Curve coordinates.
        start: Coordinates in the drawn pose, shape (n_coordinates,).
        length: Length scale of the model [m].
        primitives: Names of the primitives in use.
        row_columns: Per row, the unknown columns it depends on (-1 for ground), aligned with its Jacobian entries.
        forces: Uses of force elements, in the order of the kernels' tables (empty unless lowered for dynamics).
        laws: Compiled user functions, kept alive as long as their addresses are in the buffers.
        elements: Uses of primitives, in the order of the kernels' tables.
        phase: Phase whose constraints act; None for the first one of the model.
    """

    model: Model
    ints: NDArray[np.int64]
    floats: NDArray[np.float64]
    columns: tuple[str, ...]
    column_units: tuple[str, ...]
    coordinates: tuple[str, ...]
    rows: tuple[Row, ...]
    extras: tuple[ExtraCoordinate, ...]
    start: NDArray[np.float64]
    length: float
    primitives: tuple[str, ...]
    row_columns: tuple[tuple[int, ...], ...]
    row_entries: tuple[int, ...]
    prescribed: tuple[int, ...] = ()
    forces: tuple[LoweredForce, ...] = ()
    laws: tuple[Law, ...] = ()
    elements: tuple[LoweredElement, ...] = ()
    phase: str | None = None
    patterns: dict[tuple[tuple[int, ...], ...], NDArray[np.int64]] = field(
        default_factory=dict, compare=False, repr=False
    )
    recipe: tuple[tuple[Use, ...], Mapping[str, Expression], bool, int | None] = field(
        default=((), {}, False, None), compare=False, repr=False
    )
    places: dict[tuple[int, ...], tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]] = field(
        default_factory=dict, compare=False, repr=False
    )
    kept: dict[str, Any] = field(default_factory=dict, compare=False, repr=False)

    def __reduce__(self) -> tuple[Any, ...]:
        # addresses of compiled functions in the buffers are true in this process only, so the model is lowered again elsewhere
        return _packed_again, (self.model, *self.recipe, self.floats, self.phase)

    @property
    def n_columns(self) -> int:
        return len(self.columns)

    @property
    def inner_start(self) -> NDArray[np.float64]:
        """Inner states at the start, shape (n_states,)."""
        return traced_numbers.array([force.use.start for force in self.forces if force.use.has_state])  # type: ignore[no-any-return]

    @property
    def state_places(self) -> dict[str, int]:
        """Which of the inner states each state of the user is, by its name."""
        uses = [force.use for force in self.forces if force.use.has_state]
        return {use.state: k for k, use in enumerate(uses) if use.state}

    @property
    def n_coordinates(self) -> int:
        return len(self.coordinates)

    @property
    def per_body(self) -> int:
        """Velocities per body."""
        return len(self.model.space.columns)

    def rows_of(self, owners: Iterable[str]) -> list[int]:
        """Indices of the rows of the named constraints, in order."""
        wanted = set(owners)
        return [k for k, row in enumerate(self.rows) if row.owner in wanted]

    def column_scales(self) -> NDArray[np.float64]:
        at = int(self.ints[L.AT_COLUMN_SCALES])
        return self.floats[at : at + self.n_columns]

    def row_scales(self) -> NDArray[np.float64]:
        at = int(self.ints[L.AT_ROW_SCALES])
        return self.floats[at : at + len(self.rows)]

    def targets(self, floats: NDArray[np.float64]) -> NDArray[np.float64]:
        """View of the constant parts of the rows' targets in a (copied) float buffer."""
        at = int(self.ints[L.AT_TARGETS])
        return floats[at : at + len(self.rows)]


def column_names(model: Model) -> list[str]:
    names = [f"{body}.{c}" for body in list(model.bodies)[1:] for c in model.space.columns]
    return names + [extra.name for constraint in model.constraints.values() for extra in constraint.extras]


def coordinate_names(model: Model) -> list[str]:
    names = [f"{body}.{c}" for body in list(model.bodies)[1:] for c in model.space.positions]
    names += [extra.name for constraint in model.constraints.values() for extra in constraint.extras]
    return names + [f"turns of {turn}" for turn in model.turns]


ROUNDED = 1e-14  # size that is rounding of coordinates [m]


def length_scale(model: Model) -> float:
    """Size of the mechanism [m]: the largest extent of the joint points on any body, ground included.

    Assembly weighs translations against rotations by it, so it is a smooth function of the model's numbers: where two extents tie, the
    maximum would switch and the assembled position of an open sketch would have a kink.
    """
    points: dict[str, list[tuple[float, ...]]] = {}
    for constraint in model.constraints.values():
        for seat in constraint.seats:
            x, *rest = seat.point
            points.setdefault(seat.body, []).extend([seat.point, (x + seat.radius, *rest)])
        for block in constraint.blocks:
            if block.quantity.curve is not None:
                axes = np.asarray(block.quantity.curve.sample(33)).T.tolist()
                box = [
                    tuple(map(pick, axes)) for pick in (traced_numbers.smooth_maximum, traced_numbers.smooth_minimum)
                ]
                points.setdefault(block.quantity.bodies[-1], []).extend(box)
    origin = (0.0,) * model.space.dimension
    size = traced_numbers.smooth_maximum([0.0, *(_extent([*group, origin]) for group in points.values())])
    if size <= ROUNDED:
        size = _extent([body.position for body in model.bodies.values()])
    return size if size > ROUNDED else 1.0


def _extent(points: Sequence[tuple[float, ...]]) -> float:
    """Diagonal of the box around some points."""
    axes = [list(axis) for axis in zip(*points, strict=True)]
    return traced_numbers.hypot(
        *(traced_numbers.smooth_maximum(axis) - traced_numbers.smooth_minimum(axis) for axis in axes)
    )


def lower(
    model: Model,
    *,
    constraints: Sequence[Constraint] | None = None,
    prescribed: Mapping[str, Expression] | None = None,
    dynamics: bool = False,
    measured: Sequence[Quantity] = (),
) -> System:
    """Pack a model's constraints and, for dynamics, its masses and forces.

    Args:
        model: The model.
        constraints: Those to pack; all by default.
        prescribed: Coordinates given as functions of time by column name (coordinate partitioning).
        dynamics: Pack masses and forces too.
        measured: Quantities of one number each whose rows come last and do not act.

    A model that has not changed since is not packed again; the caller gets a copy of the numbers and may change it.
    """
    own = None if constraints is None else tuple(constraints)
    what = ("model", dynamics, own, tuple((prescribed or {}).items()), tuple(measured))
    return _remembered(model, what, lambda: _lower_anew(model, own, prescribed, dynamics, measured))


@dataclass
class _Lowered:
    """What was packed of a model as it was: its parts and its gravity then, and the systems by what was asked for, latest last."""

    parts: tuple[Any, ...]
    gravity: tuple[float, ...]
    systems: list[tuple[Asked, System]] = field(default_factory=list)


def _remembered(model: Model, what: Asked, pack: Callable[[], System]) -> System:
    """What was packed before, if the model has not changed since; with numbers that the caller may change.

    All parts of a model are frozen, so that one that has changed is another object.
    """
    parts = (*model.bodies.values(), *model.constraints.values(), *model.forces.values(), *model.turns.values())
    known: _Lowered | None = model.__dict__.get(PACKED)
    if (
        known is None
        or len(known.parts) != len(parts)
        or not all(map(is_, known.parts, parts))
        or known.gravity != model.gravity
    ):
        known = model.__dict__[PACKED] = _Lowered(parts, model.gravity)
        warn_of_size(model)
    for k, (asked, system) in enumerate(known.systems):
        if asked == what:
            known.systems.append(known.systems.pop(k))
            return replace(system, model=model, floats=system.floats.copy())
    system = _sharing_patterns(what, pack(), known.systems)
    if not system.laws:  # these remember what they raised
        # without the model, so that reference counting frees it
        known.systems.append((what, replace(system, model=_NOBODY, floats=system.floats.copy())))
        del known.systems[:-MOST_KEPT]
    return system


def _sharing_patterns(what: Asked, system: System, others: Sequence[tuple[Asked, System]]) -> System:
    """A system for dynamics begins with the rows of that for kinematics: elimination patterns of one serve the other."""
    whole = [("model", dynamics, None, (), ()) for dynamics in (False, True)]
    if what in whole:
        for asked, other in others:
            known = min(len(system.rows), len(other.rows))
            if asked in whole and all(
                getattr(system, part)[:known] == getattr(other, part)[:known]
                for part in ("rows", "row_entries", "row_columns")
            ):
                return replace(system, patterns=other.patterns)
    return system


MOST_KEPT = 48  # systems of one model: itself, and quantities measured along its motion
_NOBODY: Any = None


def _lower_anew(
    model: Model,
    constraints: Sequence[Constraint] | None,
    prescribed: Mapping[str, Expression] | None,
    dynamics: bool,
    measured: Sequence[Quantity] = (),
) -> System:
    uses = [
        (c.name, c.is_driver, block.quantity, block.targets)
        for c in (model.constraints.values() if constraints is None else constraints)
        for block in c.blocks
    ]
    holds = [hold for force in model.forces.values() for hold in force.holds] if dynamics else []
    held = [(hold.name, False, block.quantity, block.targets) for hold in holds for block in hold.blocks]
    looked_at: list[Use] = [(str(quantity), False, quantity, (0.0,)) for quantity in measured]
    return _pack(model, [*uses, *held, *looked_at], prescribed or {}, dynamics, len(uses))


def lower_measures(model: Model, quantities: Sequence[Quantity]) -> System:
    """Pack measured quantities only: one row per output, targets zero."""
    uses = [(str(q), False, q, (0.0,) * len(q.units)) for q in quantities]
    return _remembered(model, ("measures", tuple(quantities)), lambda: _pack(model, uses, {}))


UNWATCHED = 1e30  # scale of turn counters: they follow from the others, so their errors must not shorten steps


def _pack(
    model: Model,
    uses: Sequence[Use],
    prescribed: Mapping[str, Expression],
    dynamics: bool = False,
    steady: int | None = None,
) -> System:
    """Pack uses of quantities as rows; those from `steady` on act only when told."""
    packer = Packer(model)
    buffers, ints = packer.buffers, packer.buffers.ints
    columns, coordinates = column_names(model), coordinate_names(model)
    length = length_scale(model)
    rows = PackedRows()
    for place, use in enumerate(uses):
        rows.add(packer, use, length, by_turns=steady is not None and place >= steady)
    given = _pack_prescribed(packer, prescribed, columns, coordinates)
    if given or any(isinstance(goal, Expression) for _, _, _, goals in uses for goal in goals):
        ints[L.TAPE] = tape_apart.address()
    forces: tuple[LoweredForce, ...] = ()
    laws: tuple[Law, ...] = ()
    if dynamics:
        forces, laws = pack_dynamics(packer, rows.rows, length)
        pack_weighing(packer, rows.columns, rows.entries)
    packer.finish()
    rows.finish(packer)
    _pack_scales(packer, length)
    ints[L.N_PRESCRIBED] = len(given)
    ints[L.AT_PRESCRIBED] = buffers.add_ints(number for pair in given for number in pair)
    if model.space.dimension == 3:
        ints[L.IS_SPATIAL] = 1
        for place, element in (space_table.MOTION | (space_table.INERTIA if dynamics else {})).items():
            ints[place] = element.address()
    _pack_turns(packer)
    int_array, float_array = buffers.arrays()
    moving = list(model.bodies.values())[1:]
    start = [value for body in moving for value in body.coordinates]
    start += [extra.start for extra in packer.extras]
    start += [turn.start for turn in model.turns.values()]
    return System(
        model=model, ints=int_array, floats=float_array, columns=tuple(columns),
        column_units=(*model.space.units * len(moving), *["1"] * len(packer.extras)),
        coordinates=tuple(coordinates), rows=tuple(rows.rows), extras=packer.extras, start=traced_numbers.array(start), length=length,
        primitives=tuple(sorted({e.primitive for e in packer.elements})), row_columns=tuple(rows.columns),
        row_entries=tuple(rows.entries), prescribed=tuple(column for column, *_ in given), forces=forces, laws=laws,
        elements=tuple(packer.elements), recipe=(tuple(uses), dict(prescribed), dynamics, steady),
    )  # fmt: skip


def _pack_prescribed(
    packer: Packer, prescribed: Mapping[str, Expression], columns: list[str], coordinates: list[str]
) -> list[tuple[int, int, int]]:
    """Column, coordinate and tape of every coordinate that is a function of time."""
    given = []
    for name, motion in prescribed.items():
        if name not in columns:
            raise ModelError(f"there is no coordinate {name!r} to prescribe; choose from: {', '.join(columns)}.")
        if name not in coordinates:
            raise ModelError(
                f"{name!r} is a rotation, which cannot be prescribed by itself; prescribe a joint angle, or the body's orientation."
            )
        given.append((columns.index(name), coordinates.index(name), packer.buffers.add_tape(motion, ("t",))))
    return given


def _pack_scales(packer: Packer, length: float) -> None:
    """What counts as one in every column and coordinate, and the bounds of curve coordinates."""
    space, buffers, ints = packer.model.space, packer.buffers, packer.buffers.ints
    n_moving, extras = len(packer.bodies) - 1, [extra.scale for extra in packer.extras]
    columns = [length if unit == LENGTH else 1.0 for unit in space.units] * n_moving
    coordinates = [_coordinate_scale(name, length) for name in space.positions] * n_moving
    ints[L.AT_COLUMN_SCALES] = buffers.add_floats(columns + extras)
    ints[L.AT_EXTRA_BOUNDS] = buffers.add_floats(bound for e in packer.extras for bound in (e.low, e.high))
    ints[L.AT_COORDINATE_SCALES] = buffers.add_floats(coordinates + extras + [UNWATCHED] * len(packer.model.turns))


def _pack_turns(packer: Packer) -> None:
    """Which angles are counted: two bodies, and where their axes are."""
    turns: list[int] = []
    for turn in packer.model.turns.values():
        places = [packer.state_of_body(turn.first), packer.state_of_body(turn.second)]
        turns += [*places, packer.buffers.add_floats(turn.data)]
    packer.buffers.ints[L.N_TURNS] = len(packer.model.turns)
    packer.buffers.ints[L.AT_TURNS] = packer.buffers.add_ints(turns)


def _packed_again(
    model: Model,
    uses: Sequence[Use],
    prescribed: Mapping[str, Expression],
    dynamics: bool,
    steady: int | None,
    floats: NDArray[np.float64],
    phase: str | None,
) -> System:
    """A system as it was in another process, with the addresses of this one."""
    system = _pack(model, uses, prescribed, dynamics, steady)
    system.floats[:] = floats
    return replace(system, phase=phase)


def _coordinate_scale(name: str, length: float) -> float:
    """What counts as one: the model's size, a radian, and half of that for Euler parameters, which are half angles."""
    return length if name in ("x", "y", "z") else 1.0 if name == "phi" else 0.5
