"""Numbers, vectors and rotations as the user gives them, or a sentence that says what is wrong."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pytrammel._util.checks import checked_number
from pytrammel._util.messages import short, unlike
from pytrammel.errors import ModelError

Array = NDArray[np.float64]

AXES = ("x", "y", "z")

# a rotation computed in double precision is orthogonal to 1e-15; one typed with three digits is not, and would
# change the moments without a word
ROTATION_TOLERANCE = 1e-9
LEAST = 1e-150  # length of a direction below which squares underflow; its inverse overflows


def frozen(array: Array) -> Array:
    """A copy that cannot be written to."""
    copy = np.array(array, dtype=np.float64)
    copy.flags.writeable = False
    return copy


def number(value: object, what: str) -> float:
    """A finite float."""
    return float(checked_number(value, what))


def positive(value: object, what: str, unit: str = "m") -> float:
    """A float above zero."""
    result = number(value, what)
    if result <= 0.0:
        raise ModelError(f"{what} is {f'{result:g} {unit}'.rstrip()}; it must be positive.")
    return result


def not_negative(value: object, what: str, unit: str = "m") -> float:
    """A float that is zero or more."""
    result = number(value, what)
    if result < 0.0:
        raise ModelError(f"{what} is {result:g} {unit}; it must not be negative.")
    return result


def table(value: ArrayLike, what: str, shape: str) -> Array:
    """Any array of finite floats; ``shape`` says in words what was expected."""
    try:
        array = np.array(value, dtype=np.float64)
        if np.asarray(value).dtype.kind in "SU":
            raise ValueError
    except (TypeError, ValueError, OverflowError):
        raise ModelError(f"{what} must be {shape}, but it is {short(value)}.") from None
    if not np.all(np.isfinite(array)):
        raise ModelError(f"{what} holds a number that is not finite: {array.tolist()}.")
    return array


def vector(value: ArrayLike, what: str) -> Array:
    """Three finite floats."""
    array = table(value, what, "three numbers (x, y, z)")
    if array.shape != (3,):
        raise ModelError(f"{what} must be three numbers (x, y, z), but it has the shape {array.shape}.")
    return array


def unit_vector(value: ArrayLike, what: str) -> Array:
    """A direction, made one long."""
    array = vector(value, what)
    largest = float(np.abs(array).max())
    if largest == 0.0:
        raise ModelError(f"{what} is (0, 0, 0); a direction needs a length. Give for instance (0, 0, 1).")
    if not LEAST < largest < 1.0 / LEAST:  # squares would vanish or overflow; powers of two are exact
        array = np.ldexp(array, -math.frexp(largest)[1])
    return array / float(np.linalg.norm(array))


def rotation_matrix(value: ArrayLike, what: str) -> Array:
    """A right-handed orthogonal 3x3 matrix."""
    matrix = table(value, what, "a 3x3 rotation matrix")
    if matrix.shape != (3, 3):
        raise ModelError(f"{what} must be a 3x3 rotation matrix, but it has the shape {matrix.shape}.")
    error = float(np.abs(matrix.T @ matrix - np.eye(3)).max())
    if error > ROTATION_TOLERANCE:
        texts = unlike(error, ROTATION_TOLERANCE, digits=2)
        raise ModelError(
            f"{what} is not orthogonal: RᵀR differs from the unit matrix by {texts[0]} (at most {texts[1]} is "
            "allowed). Compute it from angles or Euler parameters instead of typing rounded numbers."
        )
    if np.linalg.det(matrix) < 0.0:
        raise ModelError(
            f"{what} is a reflection (its determinant is -1); a body can only be turned. Change the sign of a column."
        )
    return matrix


def axis_turn(axis: str, what: str) -> Array:
    """The cyclic permutation that takes z to ``axis``: exact, and right-handed."""
    if not isinstance(axis, str) or axis not in AXES:
        raise ModelError(f"the axis of {what} is {short(axis)}; it must be 'x', 'y' or 'z'.")
    return np.roll(np.eye(3), AXES.index(axis) + 1, axis=0)


def one_of(density: float | None, mass: float | None, measure: float, unit: str, what: str) -> float:
    """The mass [kg], from a density times the measure of the shape, or as given."""
    if (density is None) == (mass is None):
        given = "both are given" if mass is not None else "none is given"
        raise ModelError(f"{what} needs either density= [{unit}] or mass= [kg], but {given}.")
    if mass is not None:
        return positive(mass, f"the mass of {what}", "kg")
    return positive(density, f"the density of {what}", unit) * measure
