"""Two orientations: of two bodies, or of one body at two times (sec. 6.5)."""

from __future__ import annotations

from numpy.typing import ArrayLike

from pytrammel.rotations.algebra import conjugate, matrix, normalised, product
from pytrammel.rotations.axes import axis_angle, exp, log
from pytrammel.rotations.inputs import Floats, Frame, apply, as_numbers, as_vectors, check_frame, check_stacks


def relative(p_i: ArrayLike, p_j: ArrayLike) -> Floats:
    """Euler parameters p_ij of body i seen from body j: A_ij = A_j^T A_i (eq. 6.122).

    The turn carries frame j onto frame i. Its e0 is p_j . p_i and its e is L_j p_i.

    Args:
        p_i: Euler parameters of body i, shape (..., 4).
        p_j: Euler parameters of body j, shape (..., 4).

    Returns:
        Shape (..., 4); e0 < 0 stands for an angle above pi (the long way round).
    """
    p_i, p_j = as_vectors(p_i, 4, "Euler parameters of i"), as_vectors(p_j, 4, "Euler parameters of j")
    check_stacks(p_i=p_i.shape[:-1], p_j=p_j.shape[:-1])
    return product(conjugate(p_j), p_i)


def from_relative(p_ij: ArrayLike, p_j: ArrayLike) -> Floats:
    """Orientation of body i from that of body j and the relative one: A_i = A_j A_ij (problem 6.32).

    Args:
        p_ij: Euler parameters of body i seen from body j, shape (..., 4).
        p_j: Euler parameters of body j, shape (..., 4).

    Returns:
        Euler parameters of body i, shape (..., 4).
    """
    p_ij, p_j = as_vectors(p_ij, 4, "relative Euler parameters"), as_vectors(p_j, 4, "Euler parameters of j")
    check_stacks(p_ij=p_ij.shape[:-1], p_j=p_j.shape[:-1])
    return product(p_j, p_ij)


def relative_axis(p_i: ArrayLike, p_j: ArrayLike, *, frame: Frame = "body") -> tuple[Floats, Floats]:
    """Axis and angle of the turn that carries frame j onto frame i, the short way round.

    Args:
        p_i: Euler parameters of body i, shape (..., 4).
        p_j: Euler parameters of body j, shape (..., 4).
        frame: "body" for components along the axes of body i, which are also those along the axes of body j;
            "global" for global components.

    Returns:
        Unit axes, shape (..., 3), and angles [rad] from 0 to pi, shape (...).
    """
    check_frame(frame)
    axis, angle = axis_angle(relative(p_i, p_j))
    if frame == "global":
        axis = apply(matrix(normalised(p_j)), axis)
    return axis, angle


def intermediate_axis(start: ArrayLike, end: ArrayLike, *, frame: Frame = "body") -> tuple[Floats, Floats]:
    """Axis and angle of the turn that carries a body from its orientation at one time to that at another.

    The book's p^kl (eq. 6.126) carries the frame at time l onto that at time k, which is the way back if k is earlier.
    Here the turn goes from start to end.

    Args:
        start: Euler parameters before, shape (..., 4).
        end: Euler parameters after, shape (..., 4).
        frame: "body" for components along the body axes, which are the same before and after; "global" for global ones.

    Returns:
        Unit axes, shape (..., 3), and angles [rad] from 0 to pi, shape (...).
    """
    return relative_axis(end, start, frame=frame)


def between(p0: ArrayLike, p1: ArrayLike, fraction: ArrayLike) -> Floats:
    """Orientation on the way from one to another: a turn at constant speed, the short way round.

    Args:
        p0: Euler parameters at fraction 0, shape (..., 4).
        p1: Euler parameters at fraction 1, shape (..., 4).
        fraction: How far to go, shape (...); values outside 0 to 1 go on at the same speed.

    Returns:
        Unit vectors, shape (..., 4), with the sign of p0; at fraction 1 this may be -p1.
    """
    start, end, fraction = normalised(p0), normalised(p1), as_numbers(fraction, "fraction")
    check_stacks(p0=start.shape[:-1], p1=end.shape[:-1], fraction=fraction.shape)
    return product(start, exp(fraction[..., None] * log(relative(end, start))))
