"""The planar Cartesian formulation: three coordinates per moving body, then the curve coordinates."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from trammel.errors import ModelError
from trammel.kernels import layout as L
from trammel.kernels.jit import Law
from trammel.kernels.primitives import primitives
from trammel.kernels.primitives._curve import CURVE_SCRATCH
from trammel.model.body import GROUND
from trammel.model.constraint import Constraint, ExtraCoordinate
from trammel.model.expression import Expression
from trammel.model.force import ForceUse
from trammel.model.model import PlanarModel
from trammel.model.quantity import LENGTH, Quantity
from trammel.system.packing import Buffers

COMPONENTS = ("x", "y", "phi")


@dataclass(frozen=True)
class Row:
    """One scalar constraint: where it comes from and what it measures."""

    owner: str
    label: str
    unit: str
    is_driver: bool


@dataclass(frozen=True)
class LoweredForce:
    """A use of a force element: whose it is, and where its constants are in the float buffer."""

    owner: str
    use: ForceUse
    floats: int


@dataclass(frozen=True)
class System:
    """Constants of one model in one formulation. Never changes during a run.

    Attributes:
        model: The model it was made from.
        ints, floats: Buffers for the kernels; see `trammel.kernels.layout`.
        columns: Names of the unknown coordinates, e.g. "crank.x".
        column_units: Their units.
        rows: The scalar constraints.
        extras: Curve coordinates.
        start: Coordinates in the drawn pose, shape (n_columns,).
        length: Length scale of the model [m].
        primitives: Names of the primitives in use.
        row_columns: Per row, the unknown columns it depends on (-1 for ground), aligned with its Jacobian entries.
        forces: Uses of force elements, in the order of the kernels' tables (empty unless lowered for dynamics).
        laws: Compiled user functions, kept alive as long as their addresses are in the buffers.
    """

    model: PlanarModel
    ints: NDArray[np.int64]
    floats: NDArray[np.float64]
    columns: tuple[str, ...]
    column_units: tuple[str, ...]
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
    patterns: dict[tuple[int, ...], NDArray[np.int64]] = field(default_factory=dict, compare=False, repr=False)

    @property
    def n_columns(self) -> int:
        return len(self.columns)

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


def body_column(model: PlanarModel, name: str) -> int:
    """First column of a moving body."""
    return 3 * (list(model.bodies).index(name) - 1)


def column_names(model: PlanarModel) -> list[str]:
    names = [f"{body}.{c}" for body in list(model.bodies)[1:] for c in COMPONENTS]
    return names + [extra.name for constraint in model.constraints.values() for extra in constraint.extras]


def length_scale(model: PlanarModel) -> float:
    """Size of the mechanism [m]: the largest extent of the joint points on any body, ground included."""
    points: dict[str, list[tuple[float, float]]] = {}
    for constraint in model.constraints.values():
        for symbol in constraint.symbols:
            points.setdefault(symbol.body, []).append(symbol.position)
            if symbol.other_body:
                points.setdefault(symbol.other_body, []).append(symbol.other_position)
            if symbol.radius:
                points.setdefault(symbol.body, []).append((symbol.position[0] + symbol.radius, symbol.position[1]))
        for block in constraint.blocks:
            if block.quantity.curve is not None:
                outline = np.asarray(block.quantity.curve.sample(33))
                points.setdefault(block.quantity.bodies[-1], []).extend((float(x), float(y)) for x, y in outline)
    size = 0.0
    for group in points.values():
        array = np.array([*group, (0.0, 0.0)])
        size = max(size, float(np.hypot(*(array.max(axis=0) - array.min(axis=0)))))
    if size == 0.0:
        drawn = np.array([body.position for body in model.bodies.values()])
        size = float(np.hypot(*(drawn.max(axis=0) - drawn.min(axis=0))))
    return size if size > 0.0 else 1.0


def lower(
    model: PlanarModel,
    *,
    constraints: Sequence[Constraint] | None = None,
    prescribed: Mapping[str, Expression] | None = None,
    dynamics: bool = False,
) -> System:
    """Pack a model's constraints and, for dynamics, its masses and forces.

    Args:
        model: The model.
        constraints: Those to pack; all by default.
        prescribed: Coordinates given as functions of time by column name (coordinate partitioning).
        dynamics: Pack masses and forces too.
    """
    uses = [
        (c.name, c.is_driver, block.quantity, block.targets)
        for c in (model.constraints.values() if constraints is None else constraints)
        for block in c.blocks
    ]
    return _pack(model, uses, prescribed or {}, dynamics)


def lower_measures(model: PlanarModel, quantities: Sequence[Quantity]) -> System:
    """Pack measured quantities only: one row per output, targets zero."""
    uses = [(str(q), False, q, (0.0,) * len(q.units)) for q in quantities]
    return _pack(model, uses, {})


Use = tuple[str, bool, Quantity, tuple[float | Expression, ...]]


class Packer:
    """Appends primitives to the buffers and remembers where their outputs and Jacobian entries go."""

    def __init__(self, model: PlanarModel) -> None:
        self.model = model
        self.buffers = Buffers()
        self.bodies = {name: k for k, name in enumerate(model.bodies)}
        self.extras = tuple(e for c in model.constraints.values() for e in c.extras)
        self.extra_index = {e.name: k for k, e in enumerate(self.extras)}
        self.elements: list[tuple[str, int, int, int]] = []
        self.n_outputs = 0
        self.n_entries = 0

    @property
    def n_columns(self) -> int:
        return 3 * (len(self.bodies) - 1) + len(self.extras)

    def state_of_body(self, name: str) -> int:
        return L.FIRST_BODY + L.BODY_SIZE * self.bodies[name]

    def state_of_extra(self, name: str) -> int:
        return L.FIRST_BODY + L.BODY_SIZE * len(self.bodies) + L.EXTRA_SIZE * self.extra_index[name]

    def rate_place(self, column: int) -> int:
        """Place in the state of the rate of a column."""
        moving = 3 * (len(self.bodies) - 1)
        if column < moving:
            return L.FIRST_BODY + L.BODY_SIZE * (column // 3 + 1) + L.XD + column % 3
        return L.FIRST_BODY + L.BODY_SIZE * len(self.bodies) + L.EXTRA_SIZE * (column - moving) + 1

    def columns_of(self, quantity: Quantity) -> list[int]:
        """Unknown column of each local Jacobian entry of one output; -1 where the entry does not count."""
        columns: list[int] = []
        for name in quantity.bodies:
            first = 3 * (self.bodies[name] - 1)
            columns += [-1] * 3 if name == GROUND else [first, first + 1, first + 2]
        if quantity.primitive == "linear":
            # a coordinate without weight does not count, unless the mass matrix couples it to the others
            weights = quantity.data[1:]
            coupled = [self.model.bodies[name].centroid != (0.0, 0.0) for name in quantity.bodies for _ in range(3)]
            columns = [c if w != 0.0 or k else -1 for c, w, k in zip(columns, weights, coupled, strict=True)]
        if quantity.extra is not None:
            columns.append(3 * (len(self.bodies) - 1) + self.extra_index[quantity.extra])
        return columns

    def add(self, quantity: Quantity) -> tuple[int, int, list[int]]:
        """Append a quantity; return its first output, its first Jacobian entry and the columns of each output."""
        if quantity.primitive == "expression":
            return self._add_expression(quantity)
        buffers = self.buffers
        floats = buffers.add_floats(quantity.data)
        ints = [floats, *(self.state_of_body(b) for b in quantity.bodies)]
        if quantity.extra is not None:
            ints.append(self.state_of_extra(quantity.extra))
        if quantity.curve is not None:
            ints.append(buffers.add_tape(quantity.curve.x, ("u",), CURVE_SCRATCH))
            ints.append(buffers.add_tape(quantity.curve.y, ("u",), CURVE_SCRATCH))
        columns = self.columns_of(quantity)
        return self._place(quantity.primitive, buffers.add_ints(ints), len(quantity.units), columns)

    def _add_expression(self, quantity: Quantity) -> tuple[int, int, list[int]]:
        assert quantity.formula is not None
        children = [(name, *self.add(q)) for name, q in quantity.inputs.items()]
        own = sorted({c for *_, columns in children for c in columns if c >= 0})
        tape = self.buffers.add_tape(quantity.formula, [*(name for name, *_ in children), "t"])
        ints = [0, tape, len(own), len(children), *(self.rate_place(c) for c in own)]
        for name, output, entry, columns in children:
            is_rate = int(name in quantity.rates)
            ints += [output, entry, len(columns), is_rate, *(own.index(c) if c >= 0 else -1 for c in columns)]
        return self._place("expression", self.buffers.add_ints(ints), 1, own)

    def _place(self, primitive: str, at: int, n_outputs: int, columns: list[int]) -> tuple[int, int, list[int]]:
        output, entry = self.n_outputs, self.n_entries
        self.elements.append((primitive, at, output, entry))
        self.n_outputs += n_outputs
        self.n_entries += n_outputs * len(columns)
        return output, entry, columns


def _pack(
    model: PlanarModel, uses: Sequence[Use], prescribed: Mapping[str, Expression], dynamics: bool = False
) -> System:
    packer = Packer(model)
    buffers = packer.buffers
    columns = column_names(model)
    length = length_scale(model)
    known = primitives()
    rows: list[Row] = []
    row_ints: list[int] = []
    targets: list[float] = []
    scales: list[float] = []
    row_columns: list[tuple[int, ...]] = []
    row_entries: list[int] = []
    for owner, is_driver, quantity, goals in uses:
        output, entry, local = packer.add(quantity)
        column_list = buffers.add_ints(local)
        for k, (unit, goal) in enumerate(zip(quantity.units, goals, strict=True)):
            tape = buffers.add_tape(goal, ("t",)) if isinstance(goal, Expression) else -1
            row_ints += [output + k, entry + k * len(local), len(local), column_list, tape]
            targets.append(0.0 if isinstance(goal, Expression) else goal)
            size = length if unit == LENGTH else 1.0
            scales.append(size * quantity.data[0] if quantity.primitive == "expression" else size)
            row_columns.append(tuple(local))
            row_entries.append(entry + k * len(local))
            rows.append(Row(owner, quantity.label, unit, is_driver))
    units = [LENGTH, LENGTH, "rad"] * (len(model.bodies) - 1)
    column_scales = [length, length, 1.0] * (len(model.bodies) - 1) + [e.scale for e in packer.extras]
    units += ["1"] * len(packer.extras)
    given = []
    for name, motion in prescribed.items():
        if name not in columns:
            raise ModelError(f"there is no coordinate {name!r} to prescribe; choose from: {', '.join(columns)}.")
        given.append((columns.index(name), buffers.add_tape(motion, ("t",))))
    forces: tuple[LoweredForce, ...] = ()
    laws: tuple[Law, ...] = ()
    if dynamics:
        forces, laws = pack_dynamics(packer, rows, length)
    table = [
        number
        for name, at, output, entry in packer.elements
        for number in (known[name].element.address(), at, output, entry)
    ]
    names = sorted({name for name, *_ in packer.elements})
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
    int_array, float_array = buffers.arrays()
    start = [v for body in list(model.bodies.values())[1:] for v in (*body.position, body.angle)]
    start += [e.start for e in packer.extras]
    return System(
        model, int_array, float_array, tuple(columns), tuple(units), tuple(rows), packer.extras,
        np.array(start, dtype=float), length, tuple(names), tuple(row_columns), tuple(row_entries),
        tuple(column for column, _ in given), forces, laws,
    )  # fmt: skip


from trammel.system.forces import pack_dynamics  # noqa: E402  (needs Packer, defined above)
