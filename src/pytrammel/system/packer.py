"""Packing of measured quantities and of the rows made of them: which element, where its outputs and Jacobian entries go."""

from __future__ import annotations

from dataclasses import dataclass, field

from pytrammel._util import traced_numbers
from pytrammel.expressions.expression import Expression
from pytrammel.kernels import layout as L
from pytrammel.kernels.primitives import primitives
from pytrammel.kernels.primitives._curve import CURVE_SCRATCH
from pytrammel.model.base import Model
from pytrammel.model.bodies import GROUND
from pytrammel.model.quantities.quantity import LENGTH, Quantity
from pytrammel.system.masses import is_coupled
from pytrammel.system.packing import Buffers

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

    @property
    def n_coordinates(self) -> int:
        return len(self.model.space.positions) * (len(self.bodies) - 1) + len(self.extras) + len(self.turn_index)

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
                c if not traced_numbers.always(w, 0.0) or k else -1
                for c, w, k in zip(columns, weights, coupled, strict=True)
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

    def finish(self) -> None:
        """Write the table of elements, and how many there are of everything."""
        known, ints = primitives(), self.buffers.ints
        ints[L.N_BODIES] = len(self.bodies)
        ints[L.N_EXTRAS] = len(self.extras)
        ints[L.N_COLUMNS] = self.n_columns
        ints[L.N_COORDINATES] = self.n_coordinates
        ints[L.N_ELEMENTS] = len(self.elements)
        ints[L.N_OUTPUTS] = self.n_outputs
        ints[L.N_JACOBIAN] = self.n_entries
        ints[L.AT_ELEMENTS] = self.buffers.add_ints(
            number for e in self.elements for number in (known[e.primitive].element.address(), e.at, e.output, e.entry)
        )


@dataclass
class PackedRows:
    """Scalar constraints as they are packed, one after the other.

    Attributes:
        rows: What each is.
        columns: Per row, the unknown columns it depends on (-1 for ground).
        entries: Per row, its first Jacobian entry.
    """

    rows: list[Row] = field(default_factory=list)
    columns: list[tuple[int, ...]] = field(default_factory=list)
    entries: list[int] = field(default_factory=list)
    _ints: list[int] = field(default_factory=list)
    _targets: list[float] = field(default_factory=list)
    _scales: list[float] = field(default_factory=list)

    def add(self, packer: Packer, use: Use, length: float, *, by_turns: bool) -> None:
        """Pack a quantity, one row for each of its numbers."""
        owner, is_driver, quantity, goals = use
        buffers = packer.buffers
        output, first, columns = packer.add(quantity)
        rate_only = primitives()[quantity.primitive].velocity_only or quantity.rate_only
        for k, (unit, goal, local) in enumerate(zip(quantity.units, goals, columns, strict=True)):
            entry = first + k * len(local)
            column_list = buffers.add_ints(local)
            tape = buffers.add_tape(goal, ("t",)) if isinstance(goal, Expression) else -1
            size = length if unit == LENGTH else 1.0
            self._ints += [output + k, entry, len(local), column_list, tape, int(rate_only)]
            self._targets.append(0.0 if isinstance(goal, Expression) else goal)
            self._scales.append(size * quantity.data[0] if quantity.formula is not None else size)
            self.columns.append(tuple(local))
            self.entries.append(entry)
            self.rows.append(Row(owner, quantity.label, unit, is_driver, rate_only, by_turns))

    def finish(self, packer: Packer) -> None:
        """Write their tables."""
        buffers, ints = packer.buffers, packer.buffers.ints
        ints[L.N_ROWS] = len(self.rows)
        ints[L.AT_ROWS] = buffers.add_ints(self._ints)
        ints[L.AT_TARGETS] = buffers.add_floats(self._targets)
        ints[L.AT_ROW_SCALES] = buffers.add_floats(self._scales)
