"""Dyads of Burmester: a fixed pivot A and a pivot B of a moving body that stays at the same distance from A in all poses.

Pose j takes a point z of the first pose to r_j z + t_j. The condition |r B + t - A| = |B - A| is linear in A and linear in B; in
homogeneous coordinates a, b it reads a' N_j b = 0. Pivots at infinity are slides.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from pytrammel.design.synthesis.argument_checks import Complexes, Floats

REAL = 1e-6  # imaginary part of a root that is polished as a real one
SOLVED = 1e-12  # residual of a polished dyad, for poses of size 1


def forms(spin: Complexes, shift: Complexes) -> Floats:
    """Bilinear forms N_j of poses 2, 3, ... against the first, shape (poses - 1, 3, 3), rows for a, columns for b."""
    r = spin[1:] / spin[0]
    t = shift[1:] - r * shift[0]
    out = np.zeros((len(r), 3, 3))
    # Re(r B conj t) - Re((r - 1) B conj A) - Re(t conj A) + |t|^2 / 2
    out[:, 0, 0] = -(r.real - 1.0)
    out[:, 0, 1] = r.imag
    out[:, 0, 2] = -t.real
    out[:, 1, 0] = -r.imag
    out[:, 1, 1] = -(r.real - 1.0)
    out[:, 1, 2] = -t.imag
    turned = r * t.conj()
    out[:, 2, 0] = turned.real
    out[:, 2, 1] = -turned.imag
    out[:, 2, 2] = 0.5 * np.abs(t) ** 2
    return out


def five_pose_dyads(spin: Complexes, shift: Complexes) -> list[tuple[complex, complex]]:
    """All real dyads (A, B of the first pose, in the axes of `shift`) with finite pivots of five poses; at most four.

    B is given in body coordinates: its place in pose j is ``spin[j] * B + shift[j]``.
    """
    return [
        (complex(a[0], a[1]) / a[2], complex(b[0], b[1]) / b[2])
        for a, b in projective_dyads(spin, shift)
        if min(abs(a[2]), abs(b[2])) > 1e-9
    ]


def projective_dyads(spin: Complexes, shift: Complexes) -> list[tuple[Floats, Floats]]:
    """Real dyads of five poses as homogeneous coordinates a of A (fixed axes) and b of B (body axes), each of length 1."""
    middle, size = shift.mean(), float(np.max(np.abs(shift - shift.mean()))) or 1.0
    scaled = (shift - middle) / size
    n = forms(spin, scaled)
    found: list[tuple[Floats, Floats]] = []
    for a, b in _roots(n):
        a, b = _polished(n, a, b)
        if np.max(np.abs(np.einsum("jkl,k,l->j", n, a, b))) > SOLVED:
            continue
        if any(_same(a, a2) and _same(b, b2) for a2, b2 in found):
            continue
        found.append((a, b))
    return [(_unit(_affine(a, size, middle)), _unit(_body(b, size, spin[0], scaled[0]))) for a, b in found]


def _roots(n: Floats) -> Iterator[tuple[Floats, Floats]]:
    """Candidates: two random 3 x 3 parts of the four equations form a two-parameter eigenvalue problem of size 9."""
    from scipy.linalg import eig

    random = np.random.default_rng(5)
    turn, _ = np.linalg.qr(random.normal(size=(3, 3)))  # so that no root lies at infinity
    parts = np.einsum("jkl,lm->mjk", n, turn)  # b = turn @ (x, y, 1)
    mix = random.normal(size=(2, 3, 4))
    (x1, y1, z1), (x2, y2, z2) = ([mix[i] @ parts[m] for m in range(3)] for i in (0, 1))
    # (x X_i + y Y_i + Z_i) a = 0 for i = 1, 2
    delta0 = np.kron(x1, y2) - np.kron(y1, x2)
    delta1 = np.kron(y1, z2) - np.kron(z1, y2)
    values = eig(delta1, delta0, right=False)
    for x in values[np.isfinite(values)]:
        if abs(x.imag) > REAL * (1.0 + abs(x)):
            continue
        # for this x, y makes the 4 x 3 matrix lose rank: x X + Z + y Y
        left, right = x.real * parts[0] + parts[2], parts[1]
        for y in _rank_drops(left, right):
            b = turn @ np.array([x.real, y, 1.0])
            a = np.linalg.svd(np.einsum("jkl,l->jk", n, b))[2][-1]
            yield a, b / np.linalg.norm(b)


def _rank_drops(left: Floats, right: Floats) -> Iterator[float]:
    from scipy.linalg import eig

    values = eig(left[:3], -right[:3], right=False)
    for y in values[np.isfinite(values)]:
        if abs(y.imag) < 1e-3 * (1.0 + abs(y)):
            smallest = np.linalg.svd(left + y.real * right, compute_uv=False)
            if smallest[-1] < 1e-3 * smallest[0]:
                yield float(y.real)


def _polished(n: Floats, a: Floats, b: Floats) -> tuple[Floats, Floats]:
    """Newton's method on the four equations and the two lengths."""
    for _ in range(20):
        at_b, at_a = np.einsum("jkl,l->jk", n, b), np.einsum("jkl,k->jl", n, a)
        jac = np.zeros((6, 6))
        jac[:4, :3], jac[:4, 3:], jac[4, :3], jac[5, 3:] = at_b, at_a, a, b
        step, *_ = np.linalg.lstsq(jac, np.concatenate([at_b @ a, [0.0, 0.0]]), rcond=1e-13)
        a, b = _unit(a - step[:3]), _unit(b - step[3:])
        if np.max(np.abs(step)) < 1e-15:
            break
    return a, b


def _unit(v: Floats) -> Floats:
    out: Floats = v / np.linalg.norm(v)
    return -out if out[2] < 0.0 else out


def _same(u: Floats, v: Floats) -> bool:
    return bool(1.0 - abs(float(u @ v)) < 1e-13)


def _affine(v: Floats, size: float, middle: complex) -> Floats:
    z = complex(v[0], v[1]) * size + v[2] * middle
    return np.array([z.real, z.imag, v[2]])


def _body(v: Floats, size: float, spin: complex, shift: complex) -> Floats:
    """A point of the first pose in scaled fixed axes, in body axes."""
    z = (complex(v[0], v[1]) - v[2] * shift) / spin * size
    return np.array([z.real, z.imag, v[2]])


def four_pose_dyads(spin: Complexes, shift: Complexes, turn: float) -> list[tuple[complex, complex]]:
    """Dyads (A, B in body axes) of four poses whose link AB turns by a given angle from the first pose to the second; at most two.

    W (e^{i beta_j} - 1) + Z (e^{i alpha_j} - 1) = delta_j holds for some W, Z where a determinant vanishes: a triangle of the unknown
    turns beta_3, beta_4 (Sandor and Erdman, Advanced Mechanism Design, ch. 3).
    """
    r = spin[1:] / spin[0]
    delta = shift[1:] - shift[0]
    rows = np.column_stack([r - 1.0, delta])
    minors = [rows[1, 0] * rows[2, 1] - rows[2, 0] * rows[1, 1],
              rows[2, 0] * rows[0, 1] - rows[0, 0] * rows[2, 1],
              rows[0, 0] * rows[1, 1] - rows[1, 0] * rows[0, 1]]  # fmt: skip
    # sum of minors_j (e^{i beta_j} - 1) = 0
    base = minors[0] * np.exp(1j * turn) - sum(minors)
    p, q, d = abs(minors[1]), abs(minors[2]), abs(base)
    scale = p + q + d
    if scale == 0.0 or min(p, q, d) < 1e-14 * scale or d > p + q or d < abs(p - q):
        return []
    cosine = (d * d + p * p - q * q) / (2.0 * d * p)
    out = []
    for side in (1.0, -1.0):
        first = -base / d * p * np.exp(1j * side * math.acos(min(1.0, max(-1.0, cosine))))
        third = -base - first
        unit = np.array([np.exp(1j * turn), first / minors[1], third / minors[2]])
        system = np.column_stack([unit - 1.0, r - 1.0])
        solution, *_ = np.linalg.lstsq(system, delta, rcond=None)
        if np.linalg.cond(system) < 1e12:
            w, z = complex(solution[0]), complex(solution[1])  # A to B, B to the body's origin, both in the first pose
            out.append((complex(shift[0] - z - w), complex(-z / spin[0])))
    return out
