"""Which columns each element of a system couples: the one sparse pattern of mass, damping and stiffness, found once per system."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pytrammel.kernels import layout as L
from pytrammel.kernels import linear_layout as N
from pytrammel.kernels import planar_motions, spatial_motions
from pytrammel.kernels.differences import STEPS as SHORTENINGS
from pytrammel.kernels.force_elements._law import INPUT_STATE, INPUT_TIME
from pytrammel.kernels.jit import Element
from pytrammel.kernels.primitives import primitives
from pytrammel.system.forces import LoweredForce
from pytrammel.system.lowering import System
from pytrammel.system.packer import LoweredElement

Integers = NDArray[np.int64]

MOTIONS: dict[int, tuple[Element, Element, Element]] = {
    2: (planar_motions.planar_displace, planar_motions.planar_speed_up, planar_motions.planar_slopes),
    3: (spatial_motions.space_displace, spatial_motions.space_speed_up, spatial_motions.space_slopes),
}
DISTANCES = ("distance", "point_distance")  # primitives without a direction where they are nil


@dataclass(frozen=True)
class Coupling:
    """What `kernels.linearise` needs to know of a system, and where its results belong.

    Attributes:
        ints: Buffer ``T`` of `kernels.linear_layout`.
        rows, columns: Place of each stored entry of mass, damping and stiffness; no place occurs twice.
        force_columns, force_states: Column (-1: none) and inner state of each derivative of a force by an inner state.
        rate_states, rate_columns: Inner state and column of each derivative of its rate by position or velocity.
        local_columns: Per force element, the columns it depends on.
    """

    ints: Integers
    rows: Integers
    columns: Integers
    force_columns: Integers
    force_states: Integers
    rate_states: Integers
    rate_columns: Integers
    local_columns: tuple[tuple[int, ...], ...]


def coupling(system: System) -> Coupling:
    """The coupling of a system lowered for dynamics; kept with it for the next time."""
    if "coupling" not in system.kept:
        system.kept["coupling"] = _Builder(system).build()
    found: Coupling = system.kept["coupling"]
    return found


class _Builder:
    """Collects pieces and forces, then numbers the places of the pattern."""

    def __init__(self, system: System) -> None:
        self.system = system
        self.ints: list[int] = [0] * N.T_HEADER_SIZE
        self.places: dict[tuple[int, int], int] = {}
        self.owner = {e.output + k: n for n, e in enumerate(system.elements) for k in range(len(e.columns))}
        self.at_entry = {
            e.entry + k * len(own): (n, k) for n, e in enumerate(system.elements) for k, own in enumerate(e.columns)
        }
        self.most_local = self.most_values = self.most_second = 12
        self.state_forces: list[tuple[int, int]] = []
        self.state_rates: list[tuple[int, int]] = []
        self.for_laws: set[int] = set()
        self.local_columns: list[tuple[int, ...]] = []

    def build(self) -> Coupling:
        ints, system = self.ints, self.system
        moves = MOTIONS[system.model.space.dimension]
        for place, element in zip((N.T_DISPLACE, N.T_SPEED_UP, N.T_SLOPES), moves, strict=True):
            ints[place] = element.address()
        ints[N.T_AT_COLUMNS] = self.add(self._columns())
        bodies = [
            self.block(range(system.per_body * b, system.per_body * (b + 1)))
            for b in range(len(system.model.bodies) - 1)
        ]
        for k in range(len(system.extras)):
            self.block([system.n_columns - len(system.extras) + k])
        ints[N.T_AT_BODIES] = self.add(bodies)
        loads = [number for k, force in enumerate(system.forces) for number in self._load(k, force)]
        ints[N.T_AT_FORCES] = self.add(loads)
        with_rows = {
            self.owner[int(system.ints[int(system.ints[L.AT_ROWS]) + L.ROW_SIZE * k])] for k in range(len(system.rows))
        }
        pieces = [self._piece(n) for n in sorted(with_rows | self.for_laws)]
        ints[N.T_PIECES] = len(pieces)
        ints[N.T_AT_PIECES] = self.add(number for piece in pieces for number in piece)
        ints[N.T_PLACES] = len(self.places)
        ints[N.T_MOST_LOCAL], ints[N.T_MOST_VALUES] = self.most_local, self.most_values
        ints[N.T_MOST_SECOND] = self.most_second
        ints[N.T_STATE_FORCES], ints[N.T_STATE_RATES] = len(self.state_forces), len(self.state_rates)
        ints[N.T_SIZE] = self._lay_out()
        pairs = (self.places, self.state_forces, self.state_rates)
        (rows, columns), (force_columns, force_states), (rate_states, rate_columns) = (
            np.array(list(p), dtype=np.int64).reshape(-1, 2).T.copy() for p in pairs
        )
        return Coupling(
            np.array(ints, dtype=np.int64), rows, columns, force_columns, force_states, rate_states, rate_columns,
            tuple(self.local_columns),
        )  # fmt: skip

    def _lay_out(self) -> int:
        """Where the parts of the workspace begin; returns its size."""
        ints, header = self.ints, self.system.ints
        values, local = self.most_values + 1, self.most_local + 1
        entries, outputs = int(header[L.N_JACOBIAN]) + 1, L.OUTPUT_SIZE * int(header[L.N_OUTPUTS]) + 1
        state = L.FIRST_BODY + len(self.system.model.bodies) * (
            L.SPACE_BODY_SIZE if header[L.IS_SPATIAL] else L.BODY_SIZE
        )
        state += L.EXTRA_SIZE * len(self.system.extras) + int(header[L.N_TURNS]) + int(header[L.N_STATES])
        inputs = max((len(force.use.inputs) for force in self.system.forces), default=0)
        sizes = {
            N.MASS: len(self.places), N.DAMPING: len(self.places), N.STIFFNESS: len(self.places),
            N.RATE_Q: entries, N.SECOND_Q: entries, N.SECOND_V: entries, N.STATE_FORCE: len(self.state_forces),
            N.STATE_Q: len(self.state_rates), N.STATE_V: len(self.state_rates), N.STATE_Z: int(header[L.N_STATES]),
            N.NOTES: N.NOTE_SIZE * len(self.system.forces), N.RESTING: state, N.MOVING: state, N.OUT: outputs, N.JAC: entries,
            N.LOADED: outputs, N.SECOND: self.most_second, N.BY_TIME: 4 * local, N.LOCAL: 4 * local,
            N.BLOCK: max(108, local * local), N.OLDER: (SHORTENINGS + 1) * values, N.NEWER: (SHORTENINGS + 1) * values,
            N.BEST: values, N.AHEAD: values, N.BEHIND: values, N.MIDDLE: values, N.SAVED: L.SPACE_BODY_SIZE, N.INPUTS: inputs, N.STEP: 1,
        }  # fmt: skip
        total = 0
        for part in range(N.MASS, N.STEP + 1):
            ints[part] = total
            total += sizes[part]
        return total

    def add(self, values: Iterable[int]) -> int:
        at = len(self.ints)
        self.ints.extend(int(v) for v in values)
        return at

    def block(self, columns: Sequence[int]) -> int:
        """Places of all pairs of columns, by rows; new ones are numbered."""
        self.most_local = max(self.most_local, len(columns))
        return self.add(self.places.setdefault((i, j), len(self.places)) for i in columns for j in columns)

    def _columns(self) -> list[int]:
        """Per column: place of its body or extra in the state, size of that, which column of it."""
        system, size = self.system, self.system.per_body
        body_size = L.SPACE_BODY_SIZE if system.model.space.dimension == 3 else L.BODY_SIZE
        bodies = len(system.model.bodies)
        out = []
        for column in range(system.n_columns - len(system.extras)):
            b, k = divmod(column, size)
            out += [L.FIRST_BODY + body_size * (b + 1), body_size, k]
        for k in range(len(system.extras)):
            out += [L.FIRST_BODY + body_size * bodies + L.EXTRA_SIZE * k, L.EXTRA_SIZE, 0]
        return out

    def _runs(self, elements: Iterable[int]) -> list[int]:
        """The elements and all that they are made of, in the order of the tables."""
        found: set[int] = set()
        left = list(elements)
        while left:
            n = left.pop()
            if n not in found:
                found.add(n)
                left += [self.owner[o] for o in self.system.elements[n].inputs]
        return sorted(found)

    def _piece(self, n: int) -> list[int]:
        element = self.system.elements[n]
        known = primitives()[element.primitive]
        local = sorted({c for own in element.columns for c in own if c >= 0})
        entries, outputs = len(element.columns[0]), len(element.columns)
        kind = N.SLIPPING if known.velocity_only else N.TIMED if element.primitive == "expression" else N.HOLONOMIC
        runs = self._runs([n])
        self.most_values = max(self.most_values, outputs * (entries + 1))
        self.most_second = max(self.most_second, outputs * len(local) ** 2)
        where = [local.index(c) if c >= 0 else -1 for own in element.columns for c in own]
        curved = [k for k, c in enumerate(local) if known.curved is None or self._is_curved(c, known.curved)]
        return [
            kind, element.output, outputs, element.entry, entries, len(local), self.add(local), self.block(local), self.add(where),
            self.add(runs), len(runs), int(n in self.for_laws),
            self.add(curved), len(curved),
        ]  # fmt: skip

    def _is_curved(self, column: int, curved: tuple[int, ...]) -> bool:
        """Return True if a column is one of those of its body that bend, or an extra."""
        first_extra = self.system.n_columns - len(self.system.extras)
        return column >= first_extra or column % self.system.per_body in curved

    def _load(self, k: int, force: LoweredForce) -> list[int]:
        """Numbers of one force element; `kernels.force_elements` says what its own integers mean."""
        system, use = self.system, force.use
        at = int(system.ints[L.AT_FORCES]) + L.FORCE_SIZE * k
        _, io, _, _, count, column_list = (int(x) for x in system.ints[at : at + L.FORCE_SIZE])
        own = [int(c) for c in system.ints[column_list : column_list + count]]
        along, inputs = self._sources(force, io)
        depends = [n for n, _ in ([along] if along else [])] + [n for n, *_ in inputs if n >= 0]
        columns = {c for n in depends for c_list in system.elements[n].columns for c in c_list} | set(own)
        local = sorted(c for c in columns if c >= 0)
        self.local_columns.append(tuple(local))
        runs = self._runs(depends)
        exact = use.element in ("law_force", "function_force") and not any(system.elements[n].of_rates for n in runs)
        if use.element == "gauge":
            kind = N.NO_LOAD
        elif exact:
            kind = N.CALLED_LAW if use.function is not None else N.TAPE_LAW
        else:
            kind = N.OWN_GEOMETRY
        self.most_values = max(self.most_values, count + 1)
        where = [local.index(c) if c >= 0 else -1 for c in own]
        records: list[int] = []
        near = -1
        if exact and along is not None:
            self.for_laws.add(along[0])
            self.for_laws |= {n for n, _, is_rate in inputs if n >= 0 and is_rate}
            near = next((e.output for e in map(system.elements.__getitem__, depends) if e.primitive in DISTANCES), -1)
            for n, o, _ in inputs:
                records += self._input(n, o, local)
        state, at_force, at_rate = -1, len(self.state_forces), len(self.state_rates)
        if use.has_state:
            state = sum(f.use.has_state for f in system.forces[:k])
            self.state_forces += [(c, state) for c in own]
            self.state_rates += [(state, c) for c in local]
        direction = system.elements[along[0]].output + along[1] if along else -1
        return [
            kind, len(local), self.add(local), self.block(local), self.add(where), self.add(runs), len(runs), direction,
            self.add(records), near, state, at_force, at_rate,
        ]  # fmt: skip

    def _input(self, n: int, output: int, local: list[int]) -> list[int]:
        """Jacobian start, number of entries and local columns of one input of a law; no entries for time and loads of joints."""
        if n < 0:
            return [0, 0, 0]
        element: LoweredElement = self.system.elements[n]
        own = element.columns[output - element.output]
        start = element.entry + (output - element.output) * len(own)
        return [start, len(own), self.add(local.index(c) if c >= 0 else -1 for c in own)]

    def _sources(self, force: LoweredForce, io: int) -> tuple[tuple[int, int] | None, list[tuple[int, int, bool]]]:
        """The element (and which of its outputs) that a force acts along, and per input of its law: element or -1, output, rate or not."""
        ints, use = self.system.ints, force.use
        if use.along is not None:
            first = io + (4 if use.has_state else 3)
            along = self.at_entry[int(ints[first])]
            at = first + 2 + int(ints[first + 1])
        elif use.law is not None:
            along, at = None, io + 3 + len(use.bodies) + use.has_state
        else:
            return None, []
        inputs = []
        for given in use.inputs.values():
            kind, output, _, entries = (int(x) for x in ints[at : at + 4])
            at += 4 + entries
            n = -1 if kind in (INPUT_TIME, INPUT_STATE) else self.owner.get(output, -1)
            inputs.append((n, output, given.kind == "rate"))
        return along, inputs
