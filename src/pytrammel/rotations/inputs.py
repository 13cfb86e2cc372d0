"""What comes in becomes arrays of finite numbers of the right shape, or a sentence."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pytrammel._util.messages import short
from pytrammel.errors import ModelError

Floats = NDArray[np.float64]
Frame = Literal["body", "global"]


def as_numbers(values: ArrayLike, what: str) -> Floats:
    """An array of finite numbers of any shape."""
    try:
        array = np.asarray(values)
        if array.dtype.kind not in "biuf":  # complex numbers, texts, ragged lists
            raise TypeError
    except (TypeError, ValueError, OverflowError):
        raise ModelError(
            f"{what} must be real numbers, but {short(values)} is given. Give a list or an array."
        ) from None
    numbers = array.astype(np.float64)
    if not np.isfinite(numbers).all():
        at = tuple(int(k) for k in np.argwhere(~np.isfinite(numbers))[0])
        place = f" at index {at}" if at else ""
        raise ModelError(f"{what}: {numbers[at]} is given{place}, but all entries must be finite. Correct the number.")
    return numbers


def as_vectors(values: ArrayLike, size: int, what: str) -> Floats:
    """Vectors, shape (..., size)."""
    array = as_numbers(values, what)
    if array.ndim < 1 or array.shape[-1] != size:
        raise ModelError(
            f"{what}: the shape is {array.shape}, but {size} components are needed. "
            f"Give one with shape ({size},), or a stack with shape (..., {size})."
        )
    return array


def as_matrices(values: ArrayLike, what: str) -> Floats:
    """Matrices, shape (..., 3, 3)."""
    array = as_numbers(values, what)
    if array.ndim < 2 or array.shape[-2:] != (3, 3):
        raise ModelError(
            f"{what}: the shape is {array.shape}, but a matrix of three rows and columns is needed. "
            f"Give one with shape (3, 3), or a stack with shape (..., 3, 3)."
        )
    return array


def check_stacks(**leading: tuple[int, ...]) -> None:
    """Complain if the leading axes of several inputs do not go together."""
    try:
        np.broadcast_shapes(*leading.values())
    except ValueError:
        shapes = ", ".join(f"{name} {shape}" for name, shape in leading.items())
        raise ModelError(
            f"stacks do not go together: the leading axes are {shapes}. "
            f"Give stacks of the same shape, or a single item with a stack."
        ) from None


def check_frame(frame: Frame) -> None:
    """Complain about a frame that is neither "body" nor "global"."""
    if not isinstance(frame, str) or frame not in ("body", "global"):
        raise ModelError(f"frame is {short(frame)}, but must be 'body' or 'global'.")


def apply(matrices: Floats, vectors: Floats) -> Floats:
    """Matrix times vector over stacks."""
    out: Floats = np.einsum("...ij,...j->...i", matrices, vectors)
    return out


def dot(a: Floats, b: Floats) -> Floats:
    """Scalar product over stacks."""
    out: Floats = np.einsum("...i,...i->...", a, b)
    return out


def lengths(vectors: Floats) -> Floats:
    """Euclidean lengths, right even where the squares would underflow or overflow."""
    largest = np.abs(vectors).max(axis=-1)
    scaled = vectors / np.where(largest > 0.0, largest, 1.0)[..., None]
    out: Floats = largest * np.linalg.norm(scaled, axis=-1)
    return out


def units(vectors: Floats) -> Floats:
    """Vectors of length one along others that are not zero; tiny and huge ones have directions, too."""
    scaled = vectors / np.abs(vectors).max(axis=-1)[..., None]
    out: Floats = scaled / np.linalg.norm(scaled, axis=-1)[..., None]
    return out


def as_directions(values: ArrayLike, what: str) -> Floats:
    """Unit vectors along the given ones, shape (..., 3)."""
    vectors = as_vectors(values, 3, what)
    if not np.all(np.any(vectors != 0.0, axis=-1)):
        raise ModelError(f"{what} is zero and has no direction. Give a vector of any other length.")
    return units(vectors)
