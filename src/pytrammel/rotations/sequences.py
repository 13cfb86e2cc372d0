"""Three angles about three axes: Euler, Bryant and the other ten sequences (app. A and B)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from pytrammel._util.checks import checked
from pytrammel._util.messages import brief, in_sentences
from pytrammel.errors import ModelError, SingularError
from pytrammel.rotations.algebra import normalised, parameters, product
from pytrammel.rotations.axes import from_axis_angle, turned_by
from pytrammel.rotations.inputs import Floats, Frame, apply, as_numbers, as_vectors, check_frame, check_stacks

# sine below which the rates of the first and third angle cannot be told apart: ten of sixteen digits are lost
SINGULAR = 1e-10
QUARTER = 0.5 * np.pi


@brief
@dataclass(frozen=True)
class AngleSet:
    """Angles of an orientation, and whether they are the only ones.

    Attributes:
        values: Angles in the order of the sequence [rad], shape (..., 3). The second is from 0 to pi if the first
            and third axis are the same, from -pi/2 to pi/2 otherwise; the others are from -pi to pi.
        singular: Whether the first and third axis are parallel, so that only the sum or the difference of their
            angles is determined, shape (...).
        note: How the angle was divided there; empty if nothing is singular.
    """

    values: Floats
    singular: np.bool_ | np.ndarray[tuple[int, ...], np.dtype[np.bool_]]
    note: str


def _axes(sequence: str) -> tuple[int, int, int]:
    """Numbers 0 to 2 of the three axes."""
    known = isinstance(sequence, str) and len(sequence) == 3 and set(sequence) <= set("xyz")
    if not known or sequence[0] == sequence[1] or sequence[1] == sequence[2]:
        raise ModelError(
            f"unknown sequence {sequence!r}: give three of the letters x, y and z in lower case, no two neighbours the "
            f"same, such as 'zxz' (Euler) or 'xyz' (Bryant). For turns about the fixed axes add fixed=True."
        )
    i, j, k = ("xyz".index(letter) for letter in sequence)
    return i, j, k


def _unit(k: int) -> Floats:
    return np.array([float(k == n) for n in range(3)])


@checked("values", "sequence")
@in_sentences
def from_angles(values: ArrayLike, sequence: str, *, fixed: bool = False) -> Floats:
    """Euler parameters from three angles.

    Args:
        values: Angles in the order of the sequence [rad], shape (..., 3).
        sequence: Three of the letters x, y, z: "zxz" for Euler angles psi, theta, sigma (eq. A.1), "xyz" for Bryant
            angles (eq. A.5). Each turn is about an axis of the body as the turns before have left it:
            A = R(first) R(second) R(third). (SciPy writes this in upper case.)
        fixed: Turn about the fixed global axes instead: A = R(third) R(second) R(first).

    Returns:
        Unit vectors, shape (..., 4).
    """
    axes = _axes(sequence)
    values = as_vectors(values, 3, "angles")
    first, second, third = (from_axis_angle(_unit(k), values[..., n]) for n, k in enumerate(axes))
    if fixed:
        first, third = third, first
    return product(product(first, second), third)


@checked("sequence")
@in_sentences
def angles(orientation: ArrayLike, sequence: str, *, fixed: bool = False, tolerance: float = SINGULAR) -> AngleSet:
    """Three angles of an orientation (eq. A.2, A.6, B.5-B.11), right at and near the singular positions, too.

    Args:
        orientation: Euler parameters, shape (..., 4), or rotation matrices, shape (..., 3, 3).
        sequence: Three of the letters x, y, z, as in `from_angles`.
        fixed: Turns about the fixed global axes, as in `from_angles`.
        tolerance: How near to parallel the first and third axis count as parallel [rad]. For data with few digits
            give their error.

    Returns:
        The angles. Where they are singular, the third angle is zero (with fixed=True the first) and the other takes all.
    """
    i, j, k = _axes(sequence[::-1] if fixed and isinstance(sequence, str) else sequence)
    given = as_numbers(orientation, "orientation")
    p = parameters(given) if given.ndim >= 2 and given.shape[-2:] == (3, 3) else normalised(given)
    # three different axes: a quarter turn about the second makes the third the first, A Rj(90) = Ri(a) Rj(b+90) Ri(c)
    proper = i == k
    if not proper:
        p = product(p, from_axis_angle(_unit(j), QUARTER))
    k_free = 3 - i - j
    hand = 1.0 if (j - i) % 3 == 1 else -1.0
    e0, ei, ej, ek = p[..., 0], p[..., 1 + i], p[..., 1 + j], hand * p[..., 1 + k_free]
    # e0 = cos(b/2) cos((a+c)/2), ei = cos(b/2) sin((a+c)/2), ej = sin(b/2) cos((a-c)/2), ek = sin(b/2) sin((a-c)/2)
    at_0, at_pi = np.hypot(ej, ek), np.hypot(e0, ei)
    total, difference = np.arctan2(ei, e0), np.arctan2(ek, ej)
    no_difference, no_total = at_0 < 0.5 * tolerance, at_pi < 0.5 * tolerance
    difference, total = np.where(no_difference, total, difference), np.where(no_total, difference, total)
    middle = 2.0 * np.arctan2(at_0, at_pi)
    third = _wrapped(total - difference)
    if not proper:
        middle, third = middle - QUARTER, -hand * third + 0.0  # adding zero turns -0 into 0
    values = np.stack([_wrapped(total + difference), middle, third], axis=-1)
    singular = no_difference | no_total
    note = _note(sequence, singular, fixed)
    return AngleSet(values[..., ::-1] if fixed else values, singular, note)


def _wrapped(angle: Floats) -> Floats:
    """The same angle from -pi to pi."""
    return angle - 2.0 * np.pi * np.round(angle / (2.0 * np.pi))


def _note(sequence: str, singular: np.bool_ | np.ndarray[tuple[int, ...], np.dtype[np.bool_]], fixed: bool) -> str:
    if not np.any(singular):
        return ""
    where = "" if np.ndim(singular) == 0 else f" for {np.count_nonzero(singular)} of {np.size(singular)} orientations"
    zero, other = ("first", "third") if fixed else ("third", "first")
    return (
        f"'{sequence}' angles are singular{where}: the first and third axis are parallel, and only the sum or the "
        f"difference of their angles is determined. The {zero} angle was set to zero; the {other} takes all."
    )


@checked("values", "sequence")
@in_sentences
def rate_matrix(values: ArrayLike, sequence: str, *, frame: Frame = "body", fixed: bool = False) -> Floats:
    """The matrix that makes angular velocities of angle rates (eq. A.3, A.7): its columns are the three axes.

    Args:
        values: Angles in the order of the sequence [rad], shape (..., 3).
        sequence: Three of the letters x, y, z, as in `from_angles`.
        frame: "body" for omega', "global" for omega.
        fixed: Turns about the fixed global axes, as in `from_angles`.

    Returns:
        Shape (..., 3, 3).
    """
    check_frame(frame)
    axes = _axes(sequence)
    values = as_vectors(values, 3, "angles")
    order = (2, 1, 0) if fixed else (0, 1, 2)
    turns = [(n, _unit(axes[n]), values[..., n]) for n in order]
    columns: dict[int, Floats] = {}
    for at, (n, axis, _) in enumerate(turns):
        # global: the turns before this one carry its axis; body: those after it are undone
        passed = turns[at + 1 :] if frame == "body" else turns[:at][::-1]
        u = np.broadcast_to(axis, values.shape)
        for _, about, angle in passed:
            u = u + turned_by(u, about, -angle if frame == "body" else angle)
        columns[n] = u
    return np.stack([columns[n] for n in range(3)], axis=-1)


@checked("values", "rates", "sequence")
@in_sentences
def angular_velocity_from_rates(
    values: ArrayLike, rates: ArrayLike, sequence: str, *, frame: Frame = "body", fixed: bool = False
) -> Floats:
    """Angular velocity from the rates of three angles (eq. A.3, A.7).

    Args:
        values: Angles in the order of the sequence [rad], shape (..., 3).
        rates: Their rates [rad/s], shape (..., 3).
        sequence: Three of the letters x, y, z, as in `from_angles`.
        frame: "body" for omega', "global" for omega.
        fixed: Turns about the fixed global axes, as in `from_angles`.

    Returns:
        Angular velocities [rad/s], shape (..., 3).
    """
    values, rates = as_vectors(values, 3, "angles"), as_vectors(rates, 3, "angle rates")
    check_stacks(values=values.shape[:-1], rates=rates.shape[:-1])
    return apply(rate_matrix(values, sequence, frame=frame, fixed=fixed), rates)


@checked("values", "omega", "sequence")
@in_sentences
def rates_from_angular_velocity(
    values: ArrayLike, omega: ArrayLike, sequence: str, *, frame: Frame = "body", fixed: bool = False
) -> Floats:
    """Rates of three angles from the angular velocity (eq. A.4, A.8).

    Args:
        values: Angles in the order of the sequence [rad], shape (..., 3).
        omega: Angular velocities [rad/s], shape (..., 3).
        sequence: Three of the letters x, y, z, as in `from_angles`.
        frame: In which components omega is given.
        fixed: Turns about the fixed global axes, as in `from_angles`.

    Returns:
        Rates [rad/s], shape (..., 3).

    Raises:
        SingularError: The first and third axis are parallel.
    """
    values, omega = as_vectors(values, 3, "angles"), as_vectors(omega, 3, "angular velocity")
    check_stacks(values=values.shape[:-1], omega=omega.shape[:-1])
    to_omega = rate_matrix(values, sequence, frame=frame, fixed=fixed)
    # the second axis is a unit vector at right angles to the others, so the determinant is the sine between those
    sine = np.abs(np.linalg.det(to_omega))
    if np.any(sine < SINGULAR):
        at = float(values[..., 1].flat[int(np.argmin(sine))])
        # with the same first two letters and the other kind of third one, the axes are at right angles here
        proper = sequence[0] == sequence[2]
        other = sequence[:2] + ("".join(set("xyz") - set(sequence)) if proper else sequence[0])
        raise SingularError(
            f"rates of '{sequence}' angles are not determined: at a second angle of {at:.6g} rad the first and third axis "
            f"are parallel (sine {sine.min():.3g}, limit {SINGULAR:g}). Use another sequence there, such as '{other}', "
            f"or Euler parameters."
        )
    return np.asarray(np.linalg.solve(to_omega, omega[..., None])[..., 0], dtype=np.float64)
