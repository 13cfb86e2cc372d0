"""Numbers of rows and degrees of freedom, seats, declared freedoms and spans."""

from __future__ import annotations

import inspect
import re
from typing import Any, get_args

import numpy as np
from numpy.typing import NDArray

from pytrammel import rotations
from pytrammel.analysis.freedom.rank import jacobian, rank_of
from pytrammel.analysis.positions.assembly import active_rows, assemble
from pytrammel.joints.constraint import SymbolKind
from pytrammel.system.lowering import lower
from pytrammel.testing.failures import require, require_close
from pytrammel.testing.samples import NAME, Type, moving_sample

Array = NDArray[np.float64]
_ROWS = re.compile(r"\((\d+) rows?\b")


def documented_rows(kind: Type) -> int | None:
    """Number of rows in the docstring of a type, e.g. "(2 rows)"; None where it depends on the arguments."""
    found = _ROWS.search(inspect.getdoc(kind.builder) or "")
    return None if found is None else int(found[1])


def check_counts(kind: Type, seed: int = 6) -> None:
    """Check the documented number of rows, and that these rows take as many degrees of freedom."""
    model, constraint = moving_sample(kind, seed)
    stated = documented_rows(kind)
    require(
        stated is None or constraint.n_rows == stated, kind,
        f"the docstring states {stated} rows, but the sample has {constraint.n_rows}.",
    )  # fmt: skip
    system = lower(model)
    rows = [k for k in active_rows(system) if system.rows[k].owner == constraint.name]
    redundant = rank_of(jacobian(system, system.start, 0.3, rows)).redundant
    require(
        not redundant, kind,
        f"{len(redundant)} of {len(rows)} rows depend on the others in a random pose; the limit is 0.",
    )  # fmt: skip


def own_rows(model: Any, constraint: Any) -> tuple[Any, Array]:
    """The assembled sample, and the Jacobian of the sample's rows alone with rows of size one."""
    closed = assemble(model)
    system = closed.system
    rows = [k for k, row in enumerate(system.rows) if row.owner == constraint.name]
    dense = jacobian(system, closed.q, 0.0, rows) / system.column_scales() * system.row_scales()[rows][:, None]
    return closed, np.asarray(dense)


def twist_of(model: Any, closed: Any, constraint: Any, free: Any) -> Array:
    """Velocities (all columns) of the second body that moves along a declared freedom while everything else rests."""
    system, size = closed.system, closed.system.per_body
    seat, body = constraint.seats[free.seat], constraint.seats[1].body
    where = {name: closed.pose(name) for name in model.bodies}
    v = np.zeros(system.n_columns)
    at = size * (list(model.bodies).index(body) - 1)
    if size == 3:
        x, y, phi = where[seat.body]
        turn = np.array([[np.cos(phi), -np.sin(phi)], [np.sin(phi), np.cos(phi)]])
        if free.kind == "translation":
            v[at : at + 2] = turn @ free.axis
        else:
            arm = np.array(where[body][:2]) - (np.array([x, y]) + turn @ seat.point)
            v[at : at + 3] = -arm[1], arm[0], 1.0
        return v
    matrices = {name: np.asarray(rotations.matrix(np.array(pose[3:]))) for name, pose in where.items()}
    axis = matrices[seat.body] @ np.array(free.axis)
    if free.kind == "translation":
        v[at : at + 3] = axis
        return v
    arm = np.array(where[body][:3]) - (np.array(where[seat.body][:3]) + matrices[seat.body] @ np.array(seat.point))
    v[at : at + 3] = np.cross(axis, arm) + free.pitch * axis
    v[at + 3 : at + 6] = matrices[body].T @ axis
    return v


def check_freedom(kind: Type, seed: int = 3) -> None:
    """Check that motion along the declared freedom violates no row, and that nothing else is free."""
    model, constraint = moving_sample(kind, seed)
    if constraint.freedom is None:
        return  # cams, gears, formulas, drivers: their free motions are not about axes fixed in a body
    closed, dense = own_rows(model, constraint)
    full = 6 if kind.space else 3
    twists = np.array([twist_of(model, closed, constraint, f) for f in constraint.freedom]).reshape(-1, dense.shape[1])
    off = float(np.abs(dense @ twists.T).max(initial=0.0))
    # rows of size one, closed to 1e-11 of the model's size
    require(off < 1e-9, kind, f"a motion along its freedom= violates its rows by {off:.3g}; the limit is 1e-9.")
    rank = np.linalg.matrix_rank(dense, tol=1e-7) if dense.size else 0
    require(
        len(constraint.freedom) == full - rank, kind,
        f"freedom= has {len(constraint.freedom)} motions, but rows of rank {rank} leave {full - rank} of {full} free.",
    )  # fmt: skip
    independent = np.linalg.matrix_rank(twists, tol=1e-7)
    require(
        independent == len(constraint.freedom), kind,
        f"freedom= has {len(constraint.freedom)} motions, of which {independent} are independent.",
    )  # fmt: skip


def check_seats(kind: Type, seed: int = 4) -> None:
    """Check that seats lie on the bodies that a joint connects, and that its span is their distance."""
    model, constraint = moving_sample(kind, seed)
    strange = sorted({seat.body for seat in constraint.seats} - set(constraint.bodies))
    require(not strange, kind, f"a seat is on body {strange}, which is not among its bodies {constraint.bodies}.")
    for seat in constraint.seats:
        found = len(seat.point)
        require(
            found == model.space.dimension, kind, f"a seat has {found} coordinates instead of {model.space.dimension}."
        )
        length = float(np.linalg.norm(seat.axis)) if seat.axis else 1.0
        require(abs(length - 1.0) <= 1e-12, kind, f"the axis of a seat has the length {length:.15g} instead of 1.")
    if constraint.span is not None:
        drawn = assemble(model).model()
        there = [np.array(drawn.bodies[seat.body].at(*seat.point).drawn) for seat in constraint.seats]
        distance = np.linalg.norm(there[1] - there[0])
        require_close(kind, "span", [NAME], constraint.span, distance, 1e-9, "the distance of its seats")


def check_symbols(kind: Type, model: Any, part: Any) -> None:
    """Check kinds, bodies and places of the symbols of a joint or force."""
    dimension = model.space.dimension
    for symbol in part.symbols:
        require(
            symbol.kind in get_args(SymbolKind), kind,
            f"symbol {symbol.kind!r} is unknown. Use one of: {', '.join(get_args(SymbolKind))}.",
        )  # fmt: skip
        for body in filter(None, (symbol.body, symbol.other_body)):
            require(
                body in model.bodies,
                kind,
                f"symbol {symbol.kind!r} is on body {body!r}, which the model does not have.",
            )
        place = np.asarray(symbol.position, dtype=float)
        require(
            symbol.along is not None or (place.shape == (dimension,) and bool(np.isfinite(place).all())), kind,
            f"symbol {symbol.kind!r} is at {symbol.position}, which is not a place of {dimension} finite coordinates.",
        )  # fmt: skip
