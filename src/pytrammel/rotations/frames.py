"""Orientations from measured points and directions (eq. 6.30-6.33; problems 6.4, 6.5, 6.23)."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from pytrammel._util.checks import checked
from pytrammel._util.messages import unlike
from pytrammel.errors import ModelError
from pytrammel.rotations.inputs import Floats, as_directions, as_vectors, check_stacks, dot

# sine of the smallest angle between two directions; below, the plane they span is nothing but rounding
PARALLEL = 1e-8
AXES = ("xi", "eta", "zeta")


@checked("origin", "on_xi", "on_eta")
def from_points(origin: ArrayLike, on_xi: ArrayLike, on_eta: ArrayLike, *, tolerance: float | None = None) -> Floats:
    """Rotation matrix of a frame from three points of it.

    Args:
        origin: Origin of the frame [m], global components, shape (..., 3).
        on_xi: A point on the positive xi axis [m], shape (..., 3).
        on_eta: A point on the positive eta axis [m], shape (..., 3). What it has along xi is left out, so it may lie
            anywhere in the half of the xi-eta plane with eta > 0.
        tolerance: Largest cosine of the angle between the two lines, as a test of measured points; None is no test.

    Returns:
        Shape (..., 3, 3).
    """
    origin = as_vectors(origin, 3, "origin")
    on_xi, on_eta = as_vectors(on_xi, 3, "point on xi"), as_vectors(on_eta, 3, "point on eta")
    check_stacks(origin=origin.shape[:-1], on_xi=on_xi.shape[:-1], on_eta=on_eta.shape[:-1])
    return _frame(
        0, on_xi - origin, 1, on_eta - origin, tolerance, ("line to the point on xi", "line to the point on eta")
    )


@checked("xi", "eta", "zeta")
def from_axes(
    *,
    xi: ArrayLike | None = None,
    eta: ArrayLike | None = None,
    zeta: ArrayLike | None = None,
    tolerance: float | None = None,
) -> Floats:
    """Rotation matrix of a frame from two of its axes.

    The first of the two, in the order xi, eta, zeta, is kept; what the second has along the first is left out.

    Args:
        xi: Vector along xi, global components, shape (..., 3).
        eta: Vector along eta, shape (..., 3).
        zeta: Vector along zeta, shape (..., 3).
        tolerance: Largest cosine of the angle between the two, as a test of measured vectors; None is no test.

    Returns:
        Shape (..., 3, 3).
    """
    given = [(k, v) for k, v in enumerate((xi, eta, zeta)) if v is not None]
    if len(given) != 2:
        names = ", ".join(AXES[k] for k, _ in given) or "none"
        raise ModelError(f"from_axes needs exactly two of xi, eta and zeta, but {names} given. The third follows.")
    (k0, a), (k1, b) = given
    return _frame(k0, a, k1, b, tolerance, (AXES[k0], AXES[k1]))


@checked("xi", "in_plane")
def from_axis_and_plane(xi: ArrayLike, in_plane: ArrayLike, *, eta_positive: bool = True) -> Floats:
    """Rotation matrix of a frame from its xi axis and a vector in its xi-eta plane (problem 6.5).

    Args:
        xi: Vector along xi, global components, shape (..., 3).
        in_plane: Any vector in the xi-eta plane that is not along xi, shape (..., 3).
        eta_positive: Whether that vector has a positive eta component. The other choice turns the frame half round xi.

    Returns:
        Shape (..., 3, 3).
    """
    in_plane = as_vectors(in_plane, 3, "vector in the plane")
    return _frame(0, xi, 1, in_plane if eta_positive else -in_plane, None, ("xi", "vector in the plane"))


def _frame(k0: int, a: ArrayLike, k1: int, b: ArrayLike, tolerance: float | None, names: tuple[str, str]) -> Floats:
    """Gram-Schmidt: column k0 along a, column k1 along what is left of b, the third by the right-hand rule."""
    u, v = as_directions(a, names[0]), as_directions(b, names[1])
    check_stacks(**{names[0]: u.shape[:-1], names[1]: v.shape[:-1]})
    cosine = dot(u, v)
    sine = np.linalg.norm(np.cross(u, v), axis=-1)
    if np.any(sine < PARALLEL):
        texts = unlike(sine.min(), PARALLEL, digits=3)
        raise ModelError(
            f"{names[0]} and {names[1]} are parallel (sine of the angle {texts[0]}, limit {texts[1]}) and do not "
            f"fix a frame. Give a second vector in another direction."
        )
    if tolerance is not None and np.any(np.abs(cosine) > tolerance):
        worst = np.abs(cosine).max()
        texts = unlike(worst, tolerance, digits=3)
        raise ModelError(
            f"{names[0]} and {names[1]} are not at right angles: the cosine of the angle is {texts[0]} "
            f"(limit {texts[1]}). Measure again, or raise the tolerance."
        )
    w = v - cosine[..., None] * u
    w = w - dot(u, w)[..., None] * u  # once more: nearly parallel vectors leave rounding along u
    w = w / np.linalg.norm(w, axis=-1)[..., None]
    third = np.cross(u, w) if (k1 - k0) % 3 == 1 else np.cross(w, u)
    columns: list[Floats] = [third, third, third]
    columns[k0], columns[k1] = np.broadcast_to(u, w.shape), w
    return np.stack(columns, axis=-1)
