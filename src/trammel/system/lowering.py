"""The Cartesian formulation: the coordinates of every moving body, then the curve coordinates, then the turn counters."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from operator import is_
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trammel import reals
from trammel.errors import ModelError
from trammel.kernels import layout as L
from trammel.kernels import space_table
from trammel.kernels.laws import Law
from trammel.kernels.primitives import primitives
from trammel.kernels.primitives._curve import CURVE_SCRATCH
from trammel.kernels.tape import tape_apart
from trammel.model.base import Model
from trammel.model.body import GROUND
from trammel.model.constraint import Constraint, ExtraCoordinate
from trammel.model.expression import Expression
from trammel.model.force import ForceUse
from trammel.model.quantity import LENGTH, Quantity
from trammel.sentences import brief
from trammel.system.masses import is_coupled, pack_weighing
from trammel.system.packing import Buffers

Asked = tuple[Any, ...]  # for what a system was packed
Use = tuple[str, bool, Quantity, tuple[float | Expression, ...]]  # owner, driver or not, what, targets


@dataclass(frozen=True)
class Row:
    """One scalar constraint: where it comes from and what it measures."""

    owner: str
    label: str
    unit: str
    is_driver: bool
    velocity_only: bool = False  # non-holonomic: it restrains velocities, not positions
    by_turns: bool = False  # it acts only when told: a force brings it into play by turns, or it only measures


@brief
@dataclass(frozen=True)
class LoweredForce:
    """A use of a force element: whose it is, and where its constants are in the float buffer."""

    owner: str
    use: ForceUse
    floats: int


@dataclass(frozen=True)
class LoweredElement:
    """A use of a primitive: where its numbers are, and what it depends on.

    Attributes:
        primitive: Name of the primitive.
        at: Offset of its integers.
        output, entry: Its first output and its first Jacobian entry.
        columns: Per output, the unknown column of each Jacobian entry (-1 where it does not count).
        inputs: For a formula, the outputs it is made of.
        of_rates: Whether the formula is one of rates, which is watched and never enforced.
    """

    primitive: str
    at: int
    output: int
    entry: int
    columns: tuple[tuple[int, ...], ...]
    inputs: tuple[int, ...] = ()
    of_rates: bool = False


@brief
@dataclass(frozen=True)
class System:
    """Constants of one model in one formulation. Never changes during a run.

    Attributes:
        model: The model it was made from.
        ints, floats: Buffers for the kernels; see `trammel.kernels.layout`.
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
        return _packed_again, (self.model, *self.recipe, self.floats)

    @property
    def n_columns(self) -> int:
        return len(self.columns)

    @property
    def inner_start(self) -> NDArray[np.float64]:
        """Inner states at the start, shape (n_states,)."""
        return reals.array([force.use.start for force in self.forces if force.use.has_state])  # type: ignore[no-any-return]

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


def length_scale(model: Model) -> float:
    """Size of the mechanism [m]: the largest extent of the joint points on any body, ground included."""
    points: dict[str, list[tuple[float, ...]]] = {}
    for constraint in model.constraints.values():
        for seat in constraint.seats:
            x, *rest = seat.point
            points.setdefault(seat.body, []).extend([seat.point, (x + seat.radius, *rest)])
        for block in constraint.blocks:
            if block.quantity.curve is not None:
                outline = np.asarray(block.quantity.curve.sample(33))
                points.setdefault(block.quantity.bodies[-1], []).extend(map(tuple, outline.tolist()))
    origin = (0.0,) * model.space.dimension
    size = reals.maximum([0.0, *(_extent([*group, origin]) for group in points.values())])
    if size == 0.0:
        size = _extent([body.position for body in model.bodies.values()])
    return size if size > 0.0 else 1.0


def _extent(points: Sequence[tuple[float, ...]]) -> float:
    """Diagonal of the box around some points."""
    return reals.hypot(*(reals.maximum(axis) - reals.minimum(axis) for axis in zip(*points, strict=True)))


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
    known = _lowered.get(model)
    if (
        known is None
        or len(known.parts) != len(parts)
        or not all(map(is_, known.parts, parts))
        or known.gravity != model.gravity
    ):
        known = _lowered[model] = _Lowered(parts, model.gravity)
    for k, (asked, system) in enumerate(known.systems):
        if asked == what:
            known.systems.append(known.systems.pop(k))
            return replace(system, model=model, floats=system.floats.copy())
    system = _sharing_patterns(what, pack(), known.systems)
    if not system.laws:  # these remember what they raised
        # a model in its own entry would never be let go
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
_lowered: weakref.WeakKeyDictionary[Model, _Lowered] = weakref.WeakKeyDictionary()


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


class Packer:
    """Appends primitives to the buffers and remembers where their outputs and Jacobian entries go."""

    def __init__(self, model: Model) -> None:
        self.model = model
        self.buffers = Buffers()
        self.bodies = {name: k for k, name in enumerate(model.bodies)}
        self.extras = tuple(e for c in model.constraints.values() for e in c.extras)
        self.extra_index = {e.name: k for k, e in enumerate(self.extras)}
        self.turn_index = {name: k for k, name in enumerate(model.turns)}
        self.elements: list[LoweredElement] = []
        self.n_outputs = 0
        self.n_entries = 0
        self.per_body = len(model.space.columns)
        spatial = model.space.dimension == 3
        self.body_size = L.SPACE_BODY_SIZE if spatial else L.BODY_SIZE
        self.first_rate = L.RD if spatial else L.XD

    @property
    def first_extra(self) -> int:
        """Column of the first extra coordinate."""
        return self.per_body * (len(self.bodies) - 1)

    @property
    def n_columns(self) -> int:
        return self.first_extra + len(self.extras)

    def state_of_body(self, name: str) -> int:
        return L.FIRST_BODY + self.body_size * self.bodies[name]

    def state_of_extra(self, k: int) -> int:
        return L.FIRST_BODY + self.body_size * len(self.bodies) + L.EXTRA_SIZE * k

    def state_of_turn(self, name: str) -> int:
        """Place of a turn counter, or -1 for an angle that is not counted."""
        return self.state_of_extra(len(self.extras)) + self.turn_index[name] if name in self.turn_index else -1

    def state_of_inner(self, k: int) -> int:
        """Place of an inner state of a force element."""
        return self.state_of_extra(len(self.extras)) + len(self.turn_index) + k

    def inner_place(self, name: str) -> int:
        """Which of the inner states a state of the user is."""
        uses = [use for force in self.model.forces.values() for use in force.uses if use.has_state]
        names = [use.state for use in uses]
        if name not in names:
            raise self.model._unknown(name, "state", [known for known in names if known])
        return names.index(name)

    def rate_place(self, column: int) -> int:
        """Place in the state of the rate of a column."""
        if column < self.first_extra:
            b, k = divmod(column, self.per_body)
            return L.FIRST_BODY + self.body_size * (b + 1) + self.first_rate + k
        return self.state_of_extra(column - self.first_extra) + 1

    def columns_of_body(self, name: str) -> list[int]:
        if name == GROUND:
            return [-1] * self.per_body
        first = self.per_body * (self.bodies[name] - 1)
        return list(range(first, first + self.per_body))

    def columns_of(self, quantity: Quantity, output: int = 0) -> list[int]:
        """Unknown column of each local Jacobian entry of one output; -1 where the entry does not count."""
        touched = primitives()[quantity.primitive].touched
        columns: list[int] = []
        for name in quantity.bodies:
            own = self.columns_of_body(name)
            # an entry that is always zero does not count, unless the mass matrix couples it to the others
            if touched is not None and not is_coupled(self.model.bodies[name]):
                own = [c if k in touched[output] else -1 for k, c in enumerate(own)]
            columns += own
        if quantity.primitive == "linear":
            weights = quantity.data[1:]
            coupled = [is_coupled(self.model.bodies[name]) for name in quantity.bodies for _ in range(self.per_body)]
            columns = [
                c if not reals.always(w, 0.0) or k else -1 for c, w, k in zip(columns, weights, coupled, strict=True)
            ]
        if quantity.extra is not None:
            columns.append(self.first_extra + self.extra_index[quantity.extra])
        return columns

    def add(self, quantity: Quantity) -> tuple[int, int, list[list[int]]]:
        """Append a quantity; return its first output, its first Jacobian entry and the columns of each output."""
        if quantity.formula is not None:
            return self._add_expression(quantity)
        buffers = self.buffers
        floats = buffers.add_floats(quantity.data)
        ints = [floats, *(self.state_of_body(b) for b in quantity.bodies)]
        if quantity.extra is not None:
            ints.append(self.state_of_extra(self.extra_index[quantity.extra]))
        if quantity.turn is not None:
            ints.append(self.state_of_turn(quantity.turn.name))
        if quantity.curve is not None:
            ints += [buffers.add_tape(f, ("u",), CURVE_SCRATCH) for f in quantity.curve.components]
        columns = [self.columns_of(quantity, k) for k in range(len(quantity.units))]
        return self._place(quantity.primitive, buffers.add_ints(ints), columns)

    def add_scalar(self, quantity: Quantity) -> tuple[int, int, list[int]]:
        """Append a quantity with one output."""
        output, entry, columns = self.add(quantity)
        return output, entry, columns[0]

    def _add_expression(self, quantity: Quantity) -> tuple[int, int, list[list[int]]]:
        assert quantity.formula is not None
        children = [(name, *self.add_scalar(q)) for name, q in quantity.inputs.items()]
        own = self._whole_groups({c for *_, columns in children for c in columns if c >= 0})
        tape = self.buffers.add_tape(quantity.formula, [*(name for name, *_ in children), "t"])
        ints = [0, tape, len(own), len(children), *(self.rate_place(c) for c in own)]
        for name, output, entry, columns in children:
            is_rate = int(name in quantity.rates)
            ints += [output, entry, len(columns), is_rate, *(own.index(c) if c >= 0 else -1 for c in columns)]
        inputs = tuple(output for _, output, *_ in children)
        return self._place(quantity.primitive, self.buffers.add_ints(ints), [own], inputs, bool(quantity.rates))

    def _whole_groups(self, columns: set[int]) -> list[int]:
        """Columns in order, completed to the groups that the mass matrix takes together."""
        out = set(columns)
        for column in columns:
            if column < self.first_extra:
                b, k = divmod(column, self.per_body)
                first = self.per_body * b
                if is_coupled(list(self.model.bodies.values())[b + 1]):
                    out |= set(range(first, first + self.per_body))
                elif self.per_body == 6 and k >= 3:
                    out |= set(range(first + 3, first + 6))
        return sorted(out)

    def _place(
        self, primitive: str, at: int, columns: list[list[int]], inputs: tuple[int, ...] = (), of_rates: bool = False
    ) -> tuple[int, int, list[list[int]]]:
        output, entry = self.n_outputs, self.n_entries
        own = tuple(tuple(c) for c in columns)
        self.elements.append(LoweredElement(primitive, at, output, entry, own, inputs, of_rates))
        self.n_outputs += len(columns)
        self.n_entries += sum(map(len, columns))
        return output, entry, columns


def _pack(
    model: Model,
    uses: Sequence[Use],
    prescribed: Mapping[str, Expression],
    dynamics: bool = False,
    steady: int | None = None,
) -> System:
    packer = Packer(model)
    buffers = packer.buffers
    columns, coordinates = column_names(model), coordinate_names(model)
    length = length_scale(model)
    known = primitives()
    rows: list[Row] = []
    row_ints: list[int] = []
    targets: list[float] = []
    scales: list[float] = []
    row_columns: list[tuple[int, ...]] = []
    row_entries: list[int] = []
    for place, (owner, is_driver, quantity, goals) in enumerate(uses):
        by_turns = steady is not None and place >= steady
        output, entry, columns_by_output = packer.add(quantity)
        for k, (unit, goal, local) in enumerate(zip(quantity.units, goals, columns_by_output, strict=True)):
            column_list = buffers.add_ints(local)
            tape = buffers.add_tape(goal, ("t",)) if isinstance(goal, Expression) else -1
            rate_only = known[quantity.primitive].velocity_only or quantity.rate_only
            row_ints += [output + k, entry + k * len(local), len(local), column_list, tape, int(rate_only)]
            targets.append(0.0 if isinstance(goal, Expression) else goal)
            size = length if unit == LENGTH else 1.0
            scales.append(size * quantity.data[0] if quantity.formula is not None else size)
            row_columns.append(tuple(local))
            row_entries.append(entry + k * len(local))
            rows.append(Row(owner, quantity.label, unit, is_driver, rate_only, by_turns))
    n_moving = len(model.bodies) - 1
    extra_scales = [e.scale for e in packer.extras]
    units = list(model.space.units) * n_moving + ["1"] * len(packer.extras)
    column_scales = [length if u == LENGTH else 1.0 for u in model.space.units] * n_moving + extra_scales
    coordinate_scales = [_coordinate_scale(c, length) for c in model.space.positions] * n_moving + extra_scales
    coordinate_scales += [UNWATCHED] * len(model.turns)
    given = []
    for name, motion in prescribed.items():
        if name not in columns:
            raise ModelError(f"there is no coordinate {name!r} to prescribe; choose from: {', '.join(columns)}.")
        if name not in coordinates:
            raise ModelError(
                f"{name!r} is a rotation, which cannot be prescribed by itself; prescribe a joint angle, or the body's orientation."
            )
        given.append((columns.index(name), coordinates.index(name), buffers.add_tape(motion, ("t",))))
    if given or any(isinstance(goal, Expression) for _, _, _, goals in uses for goal in goals):
        buffers.ints[L.TAPE] = tape_apart.address()
    forces: tuple[LoweredForce, ...] = ()
    laws: tuple[Law, ...] = ()
    if dynamics:
        forces, laws = pack_dynamics(packer, rows, length)
        pack_weighing(packer, row_columns, row_entries)
    table = [
        number for e in packer.elements for number in (known[e.primitive].element.address(), e.at, e.output, e.entry)
    ]
    names = sorted({e.primitive for e in packer.elements})
    ints = buffers.ints
    ints[L.N_BODIES] = len(model.bodies)
    ints[L.N_EXTRAS] = len(packer.extras)
    ints[L.N_COLUMNS] = packer.n_columns
    ints[L.N_ELEMENTS] = len(packer.elements)
    ints[L.N_ROWS] = len(rows)
    ints[L.N_OUTPUTS] = packer.n_outputs
    ints[L.N_JACOBIAN] = packer.n_entries
    ints[L.AT_ELEMENTS] = buffers.add_ints(table)
    ints[L.AT_ROWS] = buffers.add_ints(row_ints)
    ints[L.AT_TARGETS] = buffers.add_floats(targets)
    ints[L.AT_ROW_SCALES] = buffers.add_floats(scales)
    ints[L.AT_COLUMN_SCALES] = buffers.add_floats(column_scales)
    ints[L.AT_EXTRA_BOUNDS] = buffers.add_floats(bound for e in packer.extras for bound in (e.low, e.high))
    ints[L.N_PRESCRIBED] = len(given)
    ints[L.AT_PRESCRIBED] = buffers.add_ints(number for pair in given for number in pair)
    if model.space.dimension == 3:
        ints[L.IS_SPATIAL] = 1
        for place, element in (space_table.MOTION | (space_table.INERTIA if dynamics else {})).items():
            ints[place] = element.address()
    ints[L.N_COORDINATES] = len(coordinates)
    ints[L.AT_COORDINATE_SCALES] = buffers.add_floats(coordinate_scales)
    ints[L.N_TURNS] = len(model.turns)
    turns: list[int] = []
    for turn in model.turns.values():
        turns += [packer.state_of_body(turn.first), packer.state_of_body(turn.second), buffers.add_floats(turn.data)]
    ints[L.AT_TURNS] = buffers.add_ints(turns)
    int_array, float_array = buffers.arrays()
    start = [v for body in list(model.bodies.values())[1:] for v in body.coordinates]
    start += [e.start for e in packer.extras]
    start += [turn.start for turn in model.turns.values()]
    return System(
        model, int_array, float_array, tuple(columns), tuple(units), tuple(coordinates), tuple(rows), packer.extras,
        reals.array(start), length, tuple(names), tuple(row_columns), tuple(row_entries),
        tuple(column for column, *_ in given), forces, laws, tuple(packer.elements),
        recipe=(tuple(uses), dict(prescribed), dynamics, steady),
    )  # fmt: skip


def _packed_again(
    model: Model,
    uses: Sequence[Use],
    prescribed: Mapping[str, Expression],
    dynamics: bool,
    steady: int | None,
    floats: NDArray[np.float64],
) -> System:
    """A system as it was in another process, with the addresses of this one."""
    system = _pack(model, uses, prescribed, dynamics, steady)
    system.floats[:] = floats
    return system


def _coordinate_scale(name: str, length: float) -> float:
    """What counts as one: the model's size, a radian, and half of that for Euler parameters, which are half angles."""
    return length if name in ("x", "y", "z") else 1.0 if name == "phi" else 0.5


from trammel.system.forces import pack_dynamics  # noqa: E402  (needs Packer, defined above)
