"""Vectors and matrices of three as tuples of numbers, which may be traced; sums go from left to right, whoever adds."""

from __future__ import annotations

from collections.abc import Sequence

from pytrammel._util import traced_numbers

Vector = tuple[float, float, float]
Matrix = tuple[Vector, Vector, Vector]
Three = Sequence[float]
Rows = Sequence[Sequence[float]]


def dot(a: Three, b: Three) -> float:
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def cross(a: Three, b: Three) -> Vector:
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


def plus(a: Three, b: Three) -> Vector:
    return a[0] + b[0], a[1] + b[1], a[2] + b[2]


def minus(a: Three, b: Three) -> Vector:
    return a[0] - b[0], a[1] - b[1], a[2] - b[2]


def times(size: float, a: Three) -> Vector:
    return size * a[0], size * a[1], size * a[2]


def over(a: Three, size: float) -> Vector:
    return a[0] / size, a[1] / size, a[2] / size


def length(a: Three) -> float:
    return traced_numbers.hypot(*a)


def transposed(m: Rows) -> Matrix:
    (a, b, c), (d, e, f), (g, h, i) = m
    return (a, d, g), (b, e, h), (c, f, i)


def turned(m: Rows, v: Three) -> Vector:
    """A matrix times a vector."""
    return dot(m[0], v), dot(m[1], v), dot(m[2], v)


def product(m: Rows, n: Rows) -> Matrix:
    """A matrix times a matrix."""
    columns = transposed(n)
    a, b, c = (turned(columns, row) for row in m)
    return a, b, c


def column(m: Rows, k: int) -> Vector:
    return m[0][k], m[1][k], m[2][k]


def rotation(e0: float, e1: float, e2: float, e3: float) -> Matrix:
    """Rotation matrix of Euler parameters: G L', as `rotations.matrix`."""
    g = ((-e1, e0, -e3, e2), (-e2, e3, e0, -e1), (-e3, -e2, e1, e0))
    t = ((-e1, e0, e3, -e2), (-e2, -e3, e0, e1), (-e3, e2, -e1, e0))
    a, b, c = ((_four(row, t[0]), _four(row, t[1]), _four(row, t[2])) for row in g)
    return a, b, c


def parameters(m: Rows) -> tuple[float, float, float, float]:
    """Euler parameters of a rotation matrix, by way of the largest of the four; e0 is not negative."""
    (a, b, c), (d, e, f), (g, h, i) = m
    trace = a + e + i
    rows = (  # 4 p p': any row is p times a number
        (1.0 + trace, h - f, c - g, d - b),
        (h - f, 1.0 + 2.0 * a - trace, b + d, c + g),
        (c - g, b + d, 1.0 + 2.0 * e - trace, f + h),
        (d - b, c + g, f + h, 1.0 + 2.0 * i - trace),
    )
    best = rows[max(range(4), key=lambda k: rows[k][k])]
    size = traced_numbers.hypot(*best)
    if best[0] < 0.0:
        size = -size
    return best[0] / size, best[1] / size, best[2] / size, best[3] / size


def sign(x: float) -> float:
    """1, -1 or 0; which one it is, is a guard."""
    return 1.0 if x > 0.0 else -1.0 if x < 0.0 else 0.0


def _four(a: Sequence[float], b: Sequence[float]) -> float:
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3]
