"""Shapes of curves as numbers that do not know where, how large, how turned a curve is, where it starts and which way it runs.

Closed curves are told by their Fourier series over arc length (normalised Fourier descriptors), open ones by the direction of their
tangent over arc length. Curves are rows of complex numbers.
"""

from __future__ import annotations

import numpy as np

from pytrammel.design.synthesis.argument_checks import Complexes, Floats

EVEN = 64  # points of a closed curve, at equal steps of arc length
ARC = 17  # points of an open one
HARMONICS = 6


def evenly(curves: Complexes, count: int, *, closed: bool) -> tuple[Complexes, Floats]:
    """Points at equal steps of arc length along curves, one in each row, and where they lie between their samples."""
    path = np.concatenate([curves, curves[:, :1]], axis=1) if closed else curves
    shares = np.arange(count) / count if closed else np.linspace(0.0, 1.0, count)
    place = spots(path, shares)
    return between(path, place), place


def spots(path: Complexes, shares: Floats) -> Floats:
    """Where shares of the arc length of polygons, one in each row, lie between their corners."""
    length = np.cumsum(np.abs(np.diff(path, axis=1)), axis=1)
    along = np.concatenate([np.zeros((len(path), 1)), length], axis=1) / length[:, -1:]
    rows = np.arange(len(path))[:, None]
    # one interpolation for all rows, which lie behind each other
    corner = np.broadcast_to(np.arange(path.shape[1], dtype=float), along.shape)
    flat = np.interp((shares + 2.0 * rows).ravel(), (along + 2.0 * rows).ravel(), corner.ravel())
    return np.asarray(flat.reshape(len(path), -1))


def between(path: Complexes, place: Floats) -> Complexes:
    """Points of polygons at places between their corners."""
    corner = np.minimum(place.astype(int), path.shape[-1] - 2)
    share = place - corner
    start, end = (np.take_along_axis(path, each, axis=-1) for each in (corner, corner + 1))
    return np.asarray(start * (1.0 - share) + end * share)


def smooth(points: Complexes, *, closed: bool, count: int = 256) -> Complexes:
    """Points of a smooth curve through some points; a closed one does not repeat its first."""
    from scipy.interpolate import CubicSpline

    path = np.append(points, points[0]) if closed else points
    along = np.concatenate([[0.0], np.cumsum(np.abs(np.diff(path)))])
    curve = CubicSpline(along, np.column_stack([path.real, path.imag]), bc_type="periodic" if closed else "not-a-knot")
    xy = curve(along[-1] * np.linspace(0.0, 1.0, count, endpoint=not closed))
    return np.asarray(xy[:, 0] + 1j * xy[:, 1])


def closed_shape(even: Complexes) -> Floats:
    """Descriptors of closed curves at equal steps of arc length, one row each.

    A turn of the curve and another start multiply c_k by exp(i (a + k b)): magnitudes and products with a + k b = 0 stay. The
    larger one of c_1 and c_-1 is c_1, which settles the direction and is the unit of size.
    """
    c = np.fft.fft(even, axis=-1) / even.shape[-1]
    order = np.arange(-HARMONICS, HARMONICS + 1)
    c = c[:, order % even.shape[-1]]
    back = np.abs(c[:, HARMONICS - 1]) > np.abs(c[:, HARMONICS + 1])
    c = np.where(back[:, None], c[:, ::-1], c)
    first = c[:, [HARMONICS + 1]]
    with np.errstate(divide="ignore", invalid="ignore"):
        c = c / np.abs(first)
        unit = first / np.abs(first)

    def at(k: int) -> Complexes:
        return np.asarray(c[:, HARMONICS + k] / unit[:, 0])

    kept = [np.abs(c[:, k]) for k in range(2 * HARMONICS + 1) if k not in (HARMONICS, HARMONICS + 1)]
    # c3 c-1 / c1², c4 c-2 / c1², c2² c-1 / c1³, as large as their factors
    for product, power in ((at(3) * at(-1), 2), (at(4) * at(-2), 2), (at(2) ** 2 * at(-1), 3)):
        size = np.abs(product)
        phase = np.where(size > 0.0, product / np.where(size > 0.0, size, 1.0), 0.0) * size ** (1.0 / power)
        kept += [phase.real, phase.imag]
    return np.asarray(np.nan_to_num(np.stack(kept, axis=-1), nan=0.0, posinf=0.0, neginf=0.0))


def open_shape(even: Complexes) -> Floats:
    """Direction of the tangent along open curves at equal steps of arc length, without its mean, one row each [rad]."""
    steps = np.diff(even, axis=-1)
    turning = np.unwrap(np.angle(steps), axis=-1)
    return np.asarray(turning - turning.mean(axis=-1, keepdims=True))


def lay(curves: Complexes, wanted: Complexes) -> tuple[Complexes, Complexes, Floats]:
    """Similarities ``corner + turn * z`` that bring curves nearest to a wanted one, point for point, and the mean squared errors left."""
    middle, goal = curves.mean(axis=-1, keepdims=True), wanted.mean(axis=-1, keepdims=True)
    c, w = curves - middle, wanted - goal
    spread = np.sum(np.abs(c) ** 2, axis=-1)
    turn = np.sum(w * c.conj(), axis=-1) / np.where(spread > 0.0, spread, np.nan)
    left = np.mean(np.abs(w - turn[..., None] * c) ** 2, axis=-1)
    return turn, np.asarray(goal[..., 0] - turn * middle[..., 0]), left


def best_shift(even: Complexes, wanted: Complexes) -> tuple[np.ndarray[tuple[int, ...], np.dtype[np.intp]], Floats]:
    """For closed curves: by how many steps to shift each so that it can be laid nearest to the wanted one, and the mean squared error."""
    c, w = even - even.mean(axis=-1, keepdims=True), wanted - wanted.mean()
    # sum over k of w_k conj(c_{k+s}) for all s at once
    match = np.abs(np.fft.ifft(np.fft.fft(c, axis=-1) * np.fft.fft(w).conj(), axis=-1))
    shift = np.argmax(match, axis=-1)
    spread = np.sum(np.abs(c) ** 2, axis=-1)
    most = np.take_along_axis(match, shift[:, None], axis=-1)[:, 0]
    with np.errstate(divide="ignore", invalid="ignore"):
        left = np.sum(np.abs(w) ** 2) - most**2 / spread
    return shift, np.nan_to_num(left / len(w), nan=np.inf)


def slid(ring: Complexes, at: Floats, turn: complex, corner: complex, wanted: Complexes) -> tuple[complex, complex]:
    """A better similarity for a closed curve that may slide along itself: only the gaps across it count."""
    z = between(ring, at)
    ahead = between(ring, np.minimum(at + 0.5, len(ring) - 1.0)) - between(ring, np.maximum(at - 0.5, 0.0))
    across = 1j * turn * ahead / np.maximum(np.abs(turn * ahead), 1e-300)
    middle = z.mean()
    lever = turn * (z - middle) * across.conj()
    rows = np.column_stack([across.real, across.imag, lever.real, -lever.imag])
    gap = ((wanted - corner - turn * z) * across.conj()).real
    (x, y, grow, swing), *_ = np.linalg.lstsq(rows, gap, rcond=1e-4)
    factor = 1.0 + complex(grow, swing)
    if not 0.5 < abs(factor) < 2.0:
        return turn, corner
    return complex(turn * factor), complex(corner + turn * middle * (1.0 - factor) + complex(x, y))
