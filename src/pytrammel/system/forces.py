"""Lowering of masses and forces."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pytrammel._util.messages import brief
from pytrammel.errors import ModelError
from pytrammel.forces.force import ForceUse, Input, Load
from pytrammel.kernels import layout as L
from pytrammel.kernels.force_elements import force_elements
from pytrammel.kernels.force_elements._law import INPUT_RATE, INPUT_STATE, INPUT_TIME, INPUT_VALUE
from pytrammel.kernels.joint_loads import BEARING, FORCE_SIZE, SLIDE, write_reactions
from pytrammel.kernels.laws import Law
from pytrammel.kernels.primitives._curve import CURVE_SCRATCH
from pytrammel.model.bodies import GROUND
from pytrammel.system.masses import pack_masses

if TYPE_CHECKING:
    from pytrammel.system.packer import Packer, Row


@brief
@dataclass(frozen=True)
class LoweredForce:
    """A use of a force element: whose it is, and where its constants are in the float buffer."""

    owner: str
    use: ForceUse
    floats: int


def pack_dynamics(
    packer: Packer, rows: Sequence[Row], length: float
) -> tuple[tuple[LoweredForce, ...], tuple[Law, ...]]:
    """Append masses and forces to the buffers; returns the forces and the compiled laws to keep alive."""
    pack_masses(packer, length)
    return _pack_forces(packer, rows)


class _Reactions:
    """Pseudo-outputs that hold what joints carry for the laws that ask for it."""

    def __init__(self, packer: Packer, rows: Sequence[Row]) -> None:
        self.packer, self.rows = packer, rows
        self.outputs: dict[tuple[str, Load | None], int] = {}
        self.table: list[int] = []

    def _bodies_of(self, owner: str) -> tuple[str, ...]:
        model = self.packer.model
        if owner in model.constraints:
            return model.constraints[owner].bodies
        return next(hold.bodies for force in model.forces.values() for hold in force.holds if hold.name == owner)

    def output(self, joint: str, load: Load | None) -> int:
        key = (joint, load)
        if key not in self.outputs:
            own = [k for k, row in enumerate(self.rows) if row.owner == joint]
            if not any(self.rows[k].unit == "m" for k in own):
                raise ModelError(f"joint {joint!r} has no reaction force that a law could use.")
            bodies = self._bodies_of(joint)
            body = load.body if load is not None else next(b for b in reversed(bodies) if b != GROUND)
            kind, floats = FORCE_SIZE, 0
            if load is not None:
                kind = SLIDE if load.slides else BEARING
                shares = [0.0 if size is None else 1.0 / size for size in (load.length, load.radius)]
                floats = self.packer.buffers.add_floats((*load.point, *load.axis, *shares))
            self.outputs[key] = self.packer.n_outputs
            self.packer.n_outputs += 1
            first = self.packer.columns_of_body(body)[0]
            self.table += [
                self.outputs[key], own[0], len(own), kind, first, self.packer.state_of_body(body),
                self.packer.state_of_body(load.carrier if load is not None else body), floats,
            ]  # fmt: skip
        return self.outputs[key]


def _pack_forces(packer: Packer, rows: Sequence[Row]) -> tuple[tuple[LoweredForce, ...], tuple[Law, ...]]:
    buffers = packer.buffers
    elements = force_elements()
    reactions = _Reactions(packer, rows)
    table: list[int] = []
    states: list[int] = []
    lowered: list[LoweredForce] = []
    laws: list[Law] = []
    uses = [(force.name, use) for force in packer.model.forces.values() for use in force.uses]
    scales: list[int] = []
    for owner, use in uses:
        floats = buffers.add_floats(use.data)
        if use.along is not None:
            ints, columns = _along_ints(packer, reactions, use, floats, laws, owner, len(states))
        else:
            ints, columns = _body_ints(packer, reactions, use, floats, len(states))
        at = buffers.add_ints(ints)
        output, entry = packer.n_outputs, packer.n_entries
        packer.n_outputs += 1
        packer.n_entries += len(columns)
        table += [elements[use.element].address(), at, output, entry, len(columns), buffers.add_ints(columns)]
        if use.has_state:
            states.append(output)
            scales.append(-1 if use.scale is None else buffers.add_floats((use.scale,)))
        lowered.append(LoweredForce(owner, use, floats))
    buffers.ints[L.N_FORCES] = len(lowered)
    buffers.ints[L.AT_FORCES] = buffers.add_ints(table)
    buffers.ints[L.N_STATES] = len(states)
    buffers.ints[L.AT_STATES] = buffers.add_ints([*states, *scales])
    buffers.ints[L.N_REACTIONS] = len(reactions.outputs)
    buffers.ints[L.AT_REACTIONS] = buffers.add_ints(reactions.table)
    if reactions.outputs:
        buffers.ints[L.READ_LOADS] = write_reactions.address()
        _pack_pushes(packer, rows)
    return tuple(lowered), tuple(laws)


def _pack_pushes(packer: Packer, rows: Sequence[Row]) -> None:
    """How teeth push each other off, for forces that depend on what bearings carry."""
    first = {row.owner: k for k, row in reversed(list(enumerate(rows)))}
    table: list[int] = []
    for joint in packer.model.constraints.values():
        if joint.separation is None or not joint.separation[1] > 0.0 or joint.name not in first:
            continue
        direction, share = joint.separation
        _, entry, columns = packer.add_scalar(direction)
        listed, share_at = packer.buffers.add_ints(columns), packer.buffers.add_floats((share,))
        table += [first[joint.name], entry, len(columns), listed, share_at]
    packer.buffers.ints[L.N_PUSHES] = len(table) // L.PUSH_SIZE
    packer.buffers.ints[L.AT_PUSHES] = packer.buffers.add_ints(table)


def _along_ints(
    packer: Packer,
    reactions: _Reactions,
    use: ForceUse,
    floats: int,
    laws: list[Law],
    owner: str,
    state: int,
) -> tuple[list[int], list[int]]:
    """Integers of a scalar force along a quantity, and the columns it acts on."""
    assert use.along is not None
    _, entry, columns = packer.add_scalar(use.along)
    inputs = _input_ints(packer, reactions, use)
    if use.function is not None:
        law = Law(use.function, tuple(use.inputs), owner)
        laws.append(law)
        head = law.address
    else:
        assert use.law is not None
        head = packer.buffers.add_tape(use.law, list(use.inputs))
    packer.buffers.work = max(packer.buffers.work, 4 * len(use.inputs) + 4)
    places = [packer.rate_place(c) if c >= 0 else -1 for c in columns]
    if use.has_state:
        return [
            floats,
            head,
            len(use.inputs),
            packer.state_of_inner(state),
            entry,
            len(columns),
            *places,
            *inputs,
        ], columns
    return [floats, head, len(use.inputs), entry, len(columns), *places, *inputs], columns


def _body_ints(
    packer: Packer, reactions: _Reactions, use: ForceUse, floats: int, state: int
) -> tuple[list[int], list[int]]:
    """Integers of a force with a geometry of its own, and the columns of its bodies."""
    columns = [column for name in use.bodies for column in packer.columns_of_body(name)]
    places = [packer.state_of_body(name) for name in use.bodies]
    if use.law is not None:
        inputs = _input_ints(packer, reactions, use)
        packer.buffers.work = max(packer.buffers.work, 4 * len(use.inputs) + 4)
        places += [packer.state_of_inner(state)] if use.has_state else []
        return [floats, packer.buffers.add_tape(use.law, list(use.inputs)), len(use.inputs), *places, *inputs], columns
    if use.curve is not None:
        x = packer.buffers.add_tape(use.curve.x, ("u",), CURVE_SCRATCH)
        y = packer.buffers.add_tape(use.curve.y, ("u",), CURVE_SCRATCH)
        return [floats, *places, x, y], columns
    return [floats, *places], columns


def _input_ints(packer: Packer, reactions: _Reactions, use: ForceUse) -> list[int]:
    out: list[int] = []
    for given in use.inputs.values():
        out += _one_input(packer, reactions, given)
    return out


def _one_input(packer: Packer, reactions: _Reactions, given: Input) -> list[int]:
    if given.kind == "time":
        return [INPUT_TIME, 0, 0, 0]
    if given.kind == "state":
        return [INPUT_STATE, packer.state_of_inner(packer.inner_place(given.joint)), 0, 0]
    if given.kind == "reaction":
        return [INPUT_VALUE, reactions.output(given.joint, given.load), 0, 0]
    assert given.quantity is not None
    output, entry, columns = packer.add_scalar(given.quantity)
    if given.kind == "value":
        return [INPUT_VALUE, output, 0, 0]
    places = [packer.rate_place(c) if c >= 0 else -1 for c in columns]
    return [INPUT_RATE, output, entry, len(columns), *places]
