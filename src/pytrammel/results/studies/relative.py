"""The equations of motion in relative coordinates at one state, as they are looked at: matrices, partition, loads of joints."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from pytrammel._util.checks import checked
from pytrammel._util.messages import brief

Array = NDArray[np.float64]


@brief
@dataclass(frozen=True)
class JointLoad:
    """What a lower body does to a body through their joint, driver included; the opposite acts on the lower body.

    Attributes:
        body, lower: Names.
        force_lower, force_body: Force in the axes of the lower body and of the body [N], shape (3,).
        moment_lower, moment_body: Moment about the joint's point on the body, likewise [N m].
    """

    body: str
    lower: str
    force_lower: Array
    moment_lower: Array
    force_body: Array
    moment_body: Array


@brief
@dataclass(frozen=True)
class RelativeEquations:
    """[A]{y'} = {f} at one state, with the partition into known and unknown coordinates and what follows from it.

    Attributes:
        time: Time [s].
        bodies: Bodies, lower ones first.
        lower: Body-connection array: number of each body's lower body, 0 for the ground, numbers from 1.
        joints: What joins each body to its lower one, in Kamman's words.
        coordinates: Values of the relative coordinates by name [rad, m]; Euler parameters where these stand for angles.
        names: Names of the speeds, n of them: six for each body (three in the plane), then places on curves.
        y, rates: Speeds and their rates, shape (n,).
        known, unknown: Names of the coordinates that joints lock or drivers prescribe, and of the others.
        A: Generalised mass matrix, shape (n, n).
        f: Generalised forces, velocity terms included, shape (n,).
        rows: Names of the rows b.y + b0 = 0 that act besides: cut joints, gears, formulas, and those given.
        b: Their coefficients, shape (rows, n).
        right: What b.y' must be, shape (rows,).
        row_multipliers: Their multipliers.
        multipliers: Of the known coordinates by name, from the eliminated equations: force [N] along a translation, and what multiplies the
            rate of an angle [N m].
        loads: Force and moment of every joint, by its name.
        efforts: What drivers of known coordinates must do, by name: torque or force along the quantity that they drive.
        angular, linear: Partial angular velocities and partial velocities of the centres of mass by body, body components, shape (3, n).
        notes: What to know about this state.
    """

    time: float
    bodies: tuple[str, ...]
    lower: tuple[int, ...]
    joints: tuple[str, ...]
    coordinates: Mapping[str, float]
    names: tuple[str, ...]
    y: Array
    rates: Array
    known: tuple[str, ...]
    unknown: tuple[str, ...]
    A: Array
    f: Array
    rows: tuple[str, ...]
    b: Array
    right: Array
    row_multipliers: Array
    multipliers: Mapping[str, float]
    loads: Mapping[str, JointLoad]
    efforts: Mapping[str, float]
    angular: Mapping[str, Array] = field(repr=False)
    linear: Mapping[str, Array] = field(repr=False)
    notes: tuple[str, ...] = ()

    @checked
    def part(self, rows: Literal["u", "k"], columns: Literal["u", "k"]) -> Array:
        """A part of A: "u" for the unknown, "k" for the known coordinates."""
        places_of = {"u": self.unknown, "k": self.known}
        at = [[self.names.index(name) for name in places_of[which]] for which in (rows, columns)]
        return np.asarray(self.A[np.ix_(*at)])

    def __str__(self) -> str:
        lines = [f"relative coordinates at t = {self.time:g} s: {len(self.unknown)} unknown, {len(self.known)} known"]
        lines += ["", "body-connection array"]
        named = ("ground", *self.bodies)
        lines += _table(
            ("", "body", "lower body", "joint"),
            [(str(k + 1), body, named[self.lower[k]], self.joints[k]) for k, body in enumerate(self.bodies)],
        )
        lines += ["", "coordinates: value, speed y, its rate, multiplier of the known ones"]
        free = set(self.unknown)
        lines += _table(
            ("", "value", "y", "y'", "f", "multiplier"),
            [
                (name, _number(self.coordinates.get(name)), _number(self.y[k]), _number(self.rates[k]), _number(self.f[k]),
                 "unknown" if name in free else _number(self.multipliers[name]))
                for k, name in enumerate(self.names)
            ],
        )  # fmt: skip
        at = [self.names.index(name) for name in self.unknown]
        if 0 < len(at) <= 12:
            lines += ["", "A of the unknown ones"]
            lines += _table(("", *self.unknown), [(self.names[r], *(_number(self.A[r, c]) for c in at)) for r in at])
        if self.rows:
            lines += ["", "rows b.y' = right, with multipliers"]
            shown = list(zip(self.rows, self.right, self.row_multipliers, strict=True))
            lines += _table(("", "right", "multiplier"), [(n, _number(r), _number(m)) for n, r, m in shown])
        if self.loads:
            lines += [
                "",
                "loads of joints on the outer body at its joint point: in axes of the lower body and of the body",
            ]
            lines += _table(
                ("", "force (lower)", "moment (lower)", "force (body)", "moment (body)"),
                [
                    (name, *map(_vector, (load.force_lower, load.moment_lower, load.force_body, load.moment_body)))
                    for name, load in self.loads.items()
                ],
            )
        if self.efforts:
            lines += ["", *(f"driver {name}: {value:.9g}" for name, value in self.efforts.items())]
        return "\n".join([*lines, *(f"note: {note}" for note in self.notes)])


def _number(value: float | None) -> str:
    return "" if value is None else f"{value + 0.0:.9g}"


def _vector(value: Array) -> str:
    return "(" + ", ".join(f"{x + 0.0:.6g}" for x in value) + ")"


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    widths = [max(len(line[k]) for line in (head, *rows)) for k in range(len(head))]
    return [
        "  " + "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip()
        for line in (head, *rows)
    ]
