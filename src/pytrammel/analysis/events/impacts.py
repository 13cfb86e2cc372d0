"""Impacts of rigid bodies: velocities after blows at points that touch, with restitution, Coulomb friction and all joints acting.

Points that close at the same time are struck together; a blow may close others, which are struck next, as along a row of balls.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
ROUNDS = 500  # of blows at one time before what still closes is stopped without rebound
AT_REST = 1e-12  # share of the fastest approach below which points no longer close
BALANCINGS = 20
BALANCED = 0.1  # deviation of the largest entries from one that does not matter for the rank
IMMOVABLE = 1e-13  # share of what could move: joints and drivers hold it
SLACK = 1e-9  # by which a tangential impulse may exceed the limit of friction before it slides


@dataclass(frozen=True)
class Touching:
    """A place where two rigid bodies touch.

    Attributes:
        normal: Row J with J v = rate of the gap, shape (n,).
        tangents: Rows whose rates are the slip, shape (0, n), (1, n) or (2, n).
        restitution: Coefficient e.
        friction: Coefficient of friction.
        poisson: Impulses, not speeds, are in the ratio e (Poisson's hypothesis instead of Newton's).
    """

    normal: Array
    tangents: Array
    restitution: float
    friction: float
    poisson: bool = False


def admittance(mass: Array, joints: Array) -> Array:
    """Change of velocity per generalised impulse while the joints hold, shape (n, n)."""
    n, m = mass.shape[0], joints.shape[0]
    kkt = np.block(
        [[mass, joints.T], [joints, np.zeros((m, m))]]
    )  # symmetric: the sign of multipliers does not matter here
    scales = balancing(kkt)
    gain = np.linalg.pinv(kkt * np.outer(scales, scales), rcond=1e-13, hermitian=True)[:n, :n]
    gain[np.abs(gain) < IMMOVABLE * np.abs(gain).max(initial=1.0)] = 0.0
    return np.asarray(gain * np.outer(scales[:n], scales[:n]))


def balancing(matrix: Array) -> Array:
    """Factors that bring the largest entries of all rows and columns of a matrix near one, so that its rank has no unit (Ruiz)."""
    factors, rest = np.ones(matrix.shape[0]), np.abs(matrix)
    for _ in range(BALANCINGS):
        largest = rest.max(axis=1, initial=0.0)
        if np.abs(largest[largest > 0.0] - 1.0).max(initial=0.0) < BALANCED:
            break
        size = np.sqrt(np.where(largest > 0.0, largest, 1.0))
        factors /= size
        rest /= size
        rest /= size[:, None]
    return factors


def solved(rows: Array, gain: Array, columns: Array, wanted: Array) -> Array:
    """Sizes of impulses along `columns` that change the rates of `rows` as wanted, however light or heavy what each moves."""
    moved = np.einsum("ij,jk,ik->i", rows, gain, rows)
    least = IMMOVABLE * (rows**2 @ np.abs(np.diag(gain)))
    scales = np.where(moved > least, 1.0 / np.sqrt(np.maximum(moved, 1e-300)), 0.0)
    sizes, *_ = np.linalg.lstsq((rows @ gain @ columns.T) * np.outer(scales, scales), wanted * scales, rcond=1e-12)
    return np.asarray(sizes * scales)


def after_impact(v: Array, gain: Array, touching: Sequence[Touching]) -> tuple[Array, Array, Array]:
    """Velocities after all blows at one time, their generalised impulse, and the work at each point; `gain` is the `admittance`."""
    v, total, works = v.copy(), np.zeros(v.size), np.zeros(len(touching))
    fastest = max((-float(c.normal @ v) for c in touching), default=0.0)
    for k in range(ROUNDS):
        closing = [i for i, c in enumerate(touching) if c.normal @ v < -AT_REST * fastest]
        if not closing:
            break
        for impulses in _blow(v, gain, [touching[i] for i in closing], final=k == ROUNDS - 1):
            after = v + gain @ impulses.sum(axis=0)
            works[closing] += impulses @ (0.5 * (v + after))
            total += impulses.sum(axis=0)
            v = after
    return v, total, works


def _blow(v: Array, gain: Array, closing: list[Touching], *, final: bool) -> list[Array]:
    """Generalised impulses at all closing points that are struck together, shape (points, n), one after the other."""
    e = np.array([0.0 if final else c.restitution for c in closing])
    speeds = np.array([c.normal @ v for c in closing])
    if not any(c.poisson for c in closing):
        return [_impulse_and_normals(v, gain, closing, goals=-e * speeds)[0]]
    # Poisson: compression until nothing closes, then e times its normal impulses once more
    first, normal = _impulse_and_normals(v, gain, closing, goals=np.zeros(len(closing)))
    return [first, _given_normals(v + gain @ first.sum(axis=0), gain, closing, e * normal)]


def _impulse_and_normals(v: Array, gain: Array, closing: list[Touching], goals: Array) -> tuple[Array, Array]:
    """Impulse of each point after which the gaps open at the speeds `goals`, sticking where friction can; and its normal parts."""
    slides: dict[int, Array] = {}  # direction of the slip, per point that slides
    smooth: set[int] = set()  # points that would jam with friction: struck without it
    pushing = list(range(len(closing)))
    solution = np.zeros((len(closing), v.size))
    normals = np.zeros(len(closing))
    for _ in range(4 * len(closing) + 2):
        columns, rows, wanted = [], [], []  # generalised impulses per unknown, and the rates they must bring about
        owners: list[tuple[int, int]] = []  # point, and 0 for its normal or 1, 2 for tangents
        for k in pushing:
            c = closing[k]
            push = c.normal.copy()
            if k in slides:
                push = push - c.friction * (slides[k] @ c.tangents)
            columns.append(push)
            rows.append(c.normal)
            wanted.append(goals[k] - c.normal @ v)
            owners.append((k, 0))
            if c.friction > 0.0 and k not in slides and k not in smooth:
                for i, tangent in enumerate(c.tangents):
                    columns.append(tangent)
                    rows.append(tangent)
                    wanted.append(-tangent @ v)
                    owners.append((k, 1 + i))
        if not columns:
            return np.zeros((len(closing), v.size)), np.zeros(len(closing))
        sizes = solved(np.array(rows), gain, np.array(columns), np.array(wanted))
        solution, normals = np.zeros((len(closing), v.size)), np.zeros(len(closing))
        grips = {k: np.zeros(len(closing[k].tangents)) for k in pushing}
        for (k, i), size, column in zip(owners, sizes, columns, strict=True):
            solution[k] += size * column
            if i == 0:
                normals[k] = size
            else:
                grips[k][i - 1] = size
        pulled = [k for k in pushing if normals[k] < 0.0]
        if pulled:
            worst = min(pulled, key=lambda k: normals[k])
            if worst in slides:
                del slides[worst]
                smooth.add(worst)
            elif (
                np.linalg.norm(grips[worst]) > 0.0
            ):  # sticking alone would pull: the impulse of friction lifts the point
                slides[worst] = _direction(closing[worst], v, grips[worst])
            else:
                pushing.remove(worst)
            continue
        over = [
            k
            for k in pushing
            if k not in slides and np.linalg.norm(grips[k]) > closing[k].friction * normals[k] * (1 + SLACK)
        ]
        over = [k for k in over if k not in smooth and np.linalg.norm(grips[k]) > 0.0]
        if not over:
            break
        for k in over:
            slides[k] = _direction(closing[k], v, grips[k])
    return solution, normals


def _direction(c: Touching, v: Array, grip: Array) -> Array:
    """Unit vector of the slip; where there is none yet, against the impulse that would keep it from beginning."""
    slip = c.tangents @ v
    size = float(np.linalg.norm(slip))
    if size > AT_REST * max(1.0, float(np.abs(v).max())):
        return np.asarray(slip / size)
    return np.asarray(-grip / np.linalg.norm(grip))


def _given_normals(v: Array, gain: Array, closing: list[Touching], normals: Array) -> Array:
    """Impulse of each point with the given normal parts: friction stops the slip as far as it can."""
    total = np.array([n * c.normal for n, c in zip(normals, closing, strict=True)])
    slides: dict[int, Array] = {}
    for _ in range(len(closing) + 1):
        found = total.copy()
        for k, slip in slides.items():
            found[k] -= closing[k].friction * normals[k] * (slip @ closing[k].tangents)
        grippy = [k for k, c in enumerate(closing) if c.friction > 0.0 and len(c.tangents) and k not in slides]
        if not grippy:
            break
        rows = np.vstack([closing[k].tangents for k in grippy])
        sizes = solved(rows, gain, rows, -rows @ (v + gain @ found.sum(axis=0)))
        parts = np.split(sizes, np.cumsum([len(closing[k].tangents) for k in grippy])[:-1])
        over = {
            k: part
            for k, part in zip(grippy, parts, strict=True)
            if np.linalg.norm(part) > closing[k].friction * normals[k] * (1 + SLACK)
        }
        if not over:
            for k, part in zip(grippy, parts, strict=True):
                found[k] += part @ closing[k].tangents
            break
        for k, part in over.items():
            slides[k] = _direction(closing[k], v, part)
    return found
