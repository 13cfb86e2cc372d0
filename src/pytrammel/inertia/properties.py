"""Mass, centroid and inertia of a rigid body: moving, turning, adding, cutting out, principal axes.

Haug, chapter 11, eqs. 11.2.1-11.2.20; Nikravesh, eqs. 8.24-8.25. Everything follows from two facts: the inertia
matrix turns as R J Rᵀ, and about a point at the distance d from the centroid it grows by m (dᵀd 1 - d dᵀ).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from pytrammel._util.checks import checked
from pytrammel._util.messages import brief, in_sentences, short, unlike
from pytrammel.errors import ModelError
from pytrammel.inertia._checks import (
    Array,
    frozen,
    not_negative,
    number,
    positive,
    rotation_matrix,
    unit_vector,
    vector,
)

# CAD programs print six digits or more. Three numbers rounded to six digits break J_z = J_x + J_y of a thin plate by
# up to 1e-5 of J_z (half a unit in the sixth digit, twice); more than that is a mistake, not rounding.
INERTIA_TOLERANCE = 1e-5

# what is left when a void as heavy as its body is cut out is rounding: a few hundred times 1e-16
NOTHING_LEFT = 1e-13

PAIRS = ((0, 1, "xy"), (0, 2, "xz"), (1, 2, "yz"))


@checked("tensor")
def check_inertia(tensor: ArrayLike, mass: float | None = None, what: str = "the inertia") -> Array:
    """The inertia matrix of a body that can exist, or a sentence that says why there is none.

    A real inertia matrix is symmetric, has no negative principal moment, and none that exceeds the sum of the other
    two. A zero moment is allowed: a thin rod has one. Deviations of 1e-5 of the largest moment are taken for
    rounding in a CAD report (six digits) and repaired: the matrix is made symmetric, and a moment just below zero is
    made zero.

    Args:
        tensor: Matrix [kg m²], shape (3, 3), products with the minus sign (J_xy = -∫xy dm); or three principal
            moments, shape (3,).
        mass: Mass [kg]; a body without mass must not have inertia. None: not looked at.
        what: How to name the thing in a message, such as "inertia of body 'crank'".

    Returns:
        Symmetric matrix [kg m²], shape (3, 3).
    """
    return possible_inertia(tensor, mass, what)


@in_sentences
def possible_inertia(tensor: ArrayLike, mass: float | None, what: str) -> Array:
    """`check_inertia` for arguments that were checked."""
    try:
        J = np.array(tensor, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        raise ModelError(
            f"{what} must be a 3x3 matrix or three principal moments, but it is {short(tensor)}."
        ) from None
    if J.shape == (3,):
        low, middle, high = sorted(J.tolist())
        heavy = mass is None or (type(mass) is float and 0.0 < mass < np.inf)
        if heavy and low >= 0.0 and high <= low + middle < np.inf:
            return np.diag(J)  # nothing to complain about, as mostly
        J = np.diag(J)
    if J.shape != (3, 3):
        raise ModelError(f"{what} must be a 3x3 matrix or three principal moments, but it has the shape {J.shape}.")
    if not np.all(np.isfinite(J)):
        raise ModelError(f"{what} holds a number that is not finite: {J.tolist()}. Give finite moments in kg m².")
    allowed = INERTIA_TOLERANCE * float(np.abs(J).max())
    for i, k, pair in PAIRS:
        if abs(J[i, k] - J[k, i]) > allowed:
            texts = unlike(J[i, k], J[k, i], digits=6)
            raise ModelError(
                f"{what} is not symmetric: J_{pair} = {texts[0]} but J_{pair[::-1]} = {texts[1]} kg m² (they may differ by "
                f"{allowed:.2g}). Write the same product, with its minus sign, in both places."
            )
    J = 0.5 * (J + J.T)
    if mass is not None and not_negative(mass, f"the mass that goes with {what}", "kg") == 0.0 and np.any(J):
        raise ModelError(
            f"{what} is up to {np.abs(J).max():g} kg m², but the mass is 0 kg. Give the body a mass, or leave its inertia out."
        )
    return _with_real_moments(J, what)


def _with_real_moments(J: Array, what: str) -> Array:
    """J if its principal moments are not negative and obey the triangle inequalities."""
    moments, axes = np.linalg.eigh(J)
    small, middle, large = (float(moment) for moment in moments)
    allowed = INERTIA_TOLERANCE * max(abs(small), abs(large))
    named = f"{what} has the principal moments {large:g}, {middle:g} and {small:g} kg m²"
    if small < -allowed:
        raise ModelError(
            f"{named}: {small:g} is negative, and no moment of inertia can be below 0. "
            "Check the signs and sizes of the products of inertia (J_xy = -∫xy dm)."
        )
    if large > middle + small + allowed:
        texts = unlike(large, middle + small, digits=6)
        raise ModelError(
            f"{named}: {texts[0]} exceeds the sum of the other two, {texts[1]}, which no body can reach "
            "(triangle inequality). Check the units and the signs of all six numbers."
        )
    if small < -4.0 * np.finfo(np.float64).eps * large:
        J = (axes * np.maximum(moments, 0.0)) @ axes.T
        J = 0.5 * (J + J.T)
    return J


def steiner(mass: float, d: Array) -> Array:
    """Inertia of a particle at d: m (dᵀd 1 - d dᵀ) [kg m²] (eqs. 11.2.8-11.2.9)."""
    return np.asarray(mass * (float(d @ d) * np.eye(3) - np.outer(d, d)), dtype=np.float64)


@brief
@dataclass(frozen=True, eq=False)
class Principal:
    """Principal moments and axes of inertia about the centroid (eqs. 11.2.13-11.2.17).

    Attributes:
        moments: Principal moments, descending [kg m²], shape (3,).
        axes: Unit vectors of the axes as columns, right-handed, shape (3, 3): J = axes diag(moments) axesᵀ. Where
            moments are equal the axes are one choice of many.
        gyration_radii: Distances at which the whole mass would have the same moments [m], shape (3,).
    """

    moments: Array
    axes: Array
    gyration_radii: Array

    def __str__(self) -> str:
        lines = ["principal moments [kg m²] and axes:"]
        lines += [
            f"  {m:12.6g}  along {_triple(a)}" for m, a in zip(self.moments, _tidy(self.axes, 1.0).T, strict=True)
        ]
        return "\n".join(lines)


@brief
@dataclass(frozen=True, eq=False, init=False)
class MassProperties:
    """Mass, centroid and central inertia of a body, in one frame.

    Attributes:
        mass: Mass [kg].
        centroid: Centre of mass in the frame [m], shape (3,).
        inertia: Inertia matrix about the centroid, in the axes of the frame [kg m²], shape (3, 3). Products carry the
            minus sign: J_xy = -∫xy dm. Three principal moments are taken as a diagonal.
    """

    mass: float
    centroid: Array
    inertia: Array

    @in_sentences
    def __init__(
        self, mass: float, centroid: ArrayLike = (0.0, 0.0, 0.0), inertia: ArrayLike = (0.0, 0.0, 0.0)
    ) -> None:
        weight = not_negative(mass, "the mass", "kg")
        object.__setattr__(self, "mass", weight)
        object.__setattr__(self, "centroid", frozen(vector(centroid, "the centroid")))
        object.__setattr__(self, "inertia", frozen(possible_inertia(inertia, weight, "the inertia about the centroid")))

    @classmethod
    def from_about(
        cls, mass: float, centroid: ArrayLike, inertia: ArrayLike, point: ArrayLike = (0.0, 0.0, 0.0)
    ) -> MassProperties:
        """From an inertia matrix about another point than the centroid: the inverse of `about`.

        Args:
            mass: Mass [kg].
            centroid: Centre of mass [m], shape (3,).
            inertia: Inertia matrix about ``point`` [kg m²], shape (3, 3).
            point: The point [m], shape (3,).
        """
        weight = not_negative(mass, "the mass", "kg")
        centre = vector(centroid, "the centroid")
        about = possible_inertia(inertia, weight, "the inertia about the point")
        rest = about - steiner(weight, centre - vector(point, "the point"))
        return cls(weight, centre, possible_inertia(rest, weight, "the inertia moved from the point to the centroid"))

    # ---- the same body seen from elsewhere ----

    def about(self, point: ArrayLike) -> Array:
        """Inertia matrix about another point, same axes [kg m²], shape (3, 3) (parallel axes)."""
        return self.inertia + steiner(self.mass, self.centroid - vector(point, "the point"))

    def rotated(self, rotation: ArrayLike) -> MassProperties:
        """The body turned about the origin of its frame; equally, the same body in the components of another frame.

        Args:
            rotation: R, shape (3, 3): what was at s is then at R s. Seen from a frame whose axes are the columns of
                R_WB, use R_WB to come from B to W, and its transpose to go from W to B.
        """
        R = rotation_matrix(rotation, "the rotation")
        return MassProperties(self.mass, R @ self.centroid, R @ self.inertia @ R.T)

    def moved(self, translation: ArrayLike, rotation: ArrayLike | None = None) -> MassProperties:
        """The body first turned about the origin, then shifted: what was at s is then at t + R s.

        Args:
            translation: t [m], shape (3,).
            rotation: R, shape (3, 3). None: not turned.
        """
        turned = self if rotation is None else self.rotated(rotation)
        return MassProperties(self.mass, turned.centroid + vector(translation, "the translation"), turned.inertia)

    @checked
    def scaled(self, factor: float | None = None, *, mass: float | None = None) -> MassProperties:
        """The same shape, heavier or lighter.

        Args:
            factor: New density by old density. Give this or ``mass``.
            mass: New mass [kg].
        """
        if (factor is None) == (mass is None):
            given = "both are given" if mass is not None else "none is given"
            raise ModelError(f"scaled() needs either a factor of density or mass= [kg], but {given}.")
        if mass is None:
            ratio = positive(factor, "the factor of density", "")
            return MassProperties(ratio * self.mass, self.centroid, ratio * self.inertia)
        if self.mass == 0.0:
            raise ModelError(
                "a body of mass 0 kg cannot be scaled to a mass; its inertia would stay 0. Give a factor instead."
            )
        weight = positive(mass, "the new mass", "kg")
        return MassProperties(weight, self.centroid, (weight / self.mass) * self.inertia)

    # ---- bodies made of bodies ----

    def __add__(self, other: MassProperties) -> MassProperties:
        """Both bodies as one (eqs. 11.2.18-11.2.20)."""
        if not isinstance(other, MassProperties):
            return NotImplemented
        return composite(self, other)

    def __sub__(self, void: MassProperties) -> MassProperties:
        """The body with a void cut out: mass, first moment and inertia of what filled it are subtracted."""
        if not isinstance(void, MassProperties):
            return NotImplemented
        mass = self.mass - void.mass
        if mass <= NOTHING_LEFT * self.mass:
            texts = unlike(void.mass, self.mass, digits=6)
            raise ModelError(
                f"the void of {texts[0]} kg cannot be cut out of a body of {texts[1]} kg: nothing would be left. "
                "Give both the same density, and only the part of the void that lies inside the body."
            )
        centroid = (self.mass * self.centroid - void.mass * void.centroid) / mass
        # body = rest + void, whose centroids are d apart; so the rest needs no difference of two large shifts
        shift = steiner(mass * void.mass / self.mass, centroid - void.centroid)
        try:
            return MassProperties(mass, centroid, self.inertia - void.inertia - shift)
        except ModelError as error:
            raise ModelError(f"the void does not fit into the body; what would be left is no body: {error}") from None

    # ---- what kind of body it is ----

    @property
    def principal(self) -> Principal:
        """Principal moments, descending, and a right-handed set of axes.

        The first two axes point so that their largest component is positive; the third completes the set.
        """
        if np.array_equal(self.inertia, np.diag(np.diag(self.inertia))):
            values, vectors = np.diag(self.inertia), np.eye(3)  # equal moments keep the axes of the frame
        else:
            values, vectors = np.linalg.eigh(self.inertia)
        order = np.argsort(-values, kind="stable")
        moments = np.maximum(values[order], 0.0)
        axes = vectors[:, order]
        for k in (0, 1):
            column = axes[:, k]
            sizes = np.abs(column)
            leader = int(np.argmax(sizes > (1.0 - 1e-9) * sizes.max()))  # the first among equals
            axes[:, k] = column if column[leader] > 0.0 else -column
        axes[:, 2] = np.cross(axes[:, 0], axes[:, 1])
        return Principal(frozen(moments), frozen(axes + 0.0), frozen(_gyration(moments, self.mass)))

    @property
    def gyration_radii(self) -> Array:
        """Radii of gyration about axes through the centroid, parallel to x, y and z [m], shape (3,)."""
        return _gyration(np.diag(self.inertia), self.mass)

    @checked
    def symmetry(self, rel: float = 1e-9) -> Literal["spherical", "rotational", "none"]:
        """Number of equal principal moments: all three, two, or none.

        Two equal moments make a body move like one of rotational symmetry, whatever its shape: a square bar, say.

        Args:
            rel: Difference of moments that counts as none, by the largest. The default is far above rounding and
                below anything that matters.
        """
        first, second, third = self.principal.moments
        limit = rel * first
        if first - third <= limit:
            return "spherical"
        return "rotational" if first - second <= limit or second - third <= limit else "none"

    @checked
    def is_symmetric_about_plane(
        self, normal: ArrayLike, through: ArrayLike | None = None, *, rel: float = 1e-9
    ) -> bool:
        """Return True if the mass properties are those of a body that is its own mirror image (eqs. 11.2.2, 11.2.10-11.2.12).

        The normal must be a principal axis, so that the products with it vanish, and the centroid must be on the
        plane. Planar motion without moments on the bearings needs this of the plane of motion.

        Args:
            normal: Direction perpendicular to the plane, shape (3,).
            through: A point of the plane [m], shape (3,). None: the centroid.
            rel: Deviation that counts as none, by the largest moment or radius of gyration.
        """
        n = unit_vector(normal, "the normal of the plane")
        Jn = self.inertia @ n
        if np.linalg.norm(Jn - float(n @ Jn) * n) > rel * self._largest_moment:
            return False
        return through is None or abs(float(n @ self._offset(through))) <= rel * self._size

    @checked
    def is_symmetric_about_axis(
        self, direction: ArrayLike, through: ArrayLike | None = None, *, rel: float = 1e-9
    ) -> bool:
        """Return True if the mass properties stay the same when the body is turned about an axis (eq. 11.2.3).

        The axis must be a principal one, through the centroid, and the moments about all lines across it be equal.

        Args:
            direction: Direction of the axis, shape (3,).
            through: A point of the axis [m], shape (3,). None: the centroid.
            rel: Deviation that counts as none, by the largest moment or radius of gyration.
        """
        n = unit_vector(direction, "the direction of the axis")
        along = float(n @ self.inertia @ n)
        across = 0.5 * (float(np.trace(self.inertia)) - along)
        symmetric = across * np.eye(3) + (along - across) * np.outer(n, n)
        if np.linalg.norm(self.inertia - symmetric) > rel * self._largest_moment:
            return False
        return through is None or float(np.linalg.norm(np.cross(n, self._offset(through)))) <= rel * self._size

    @checked
    def is_close(self, other: MassProperties, *, rel: float = 1e-9) -> bool:
        """Return True if mass, centroid and inertia agree: to ``rel`` of the mass, the size and the largest moment."""
        size = max(self._size, float(np.linalg.norm(self.centroid)))
        return (
            abs(self.mass - other.mass) <= rel * self.mass
            and float(np.linalg.norm(self.centroid - other.centroid)) <= rel * size
            and float(np.linalg.norm(self.inertia - other.inertia)) <= rel * self._largest_moment
        )

    def __str__(self) -> str:
        lines = [
            f"mass {self.mass:g} kg, centroid {_triple(_tidy(self.centroid, self._size))} m, inertia about it [kg m²]:"
        ]
        J = _tidy(self.inertia, self._largest_moment)
        lines += ["  " + " ".join(f"{entry:12.6g}" for entry in row) for row in J]
        return "\n".join(lines)

    @property
    def _largest_moment(self) -> float:
        return float(self.principal.moments[0])

    @property
    def _size(self) -> float:
        return float(self.principal.gyration_radii[0])

    def _offset(self, through: ArrayLike) -> Array:
        return self.centroid - vector(through, "the point")


@checked("parts")
@in_sentences
def composite(*parts: MassProperties) -> MassProperties:
    """Several bodies, all given in one frame, as one (eqs. 11.2.18-11.2.20). Cut voids out with ``-``.

    Args:
        parts: The bodies. Use `MassProperties.moved` to bring each into the common frame.
    """
    if not parts:
        raise ModelError("composite() needs at least one part, but none is given.")
    for index, part in enumerate(parts):
        if not isinstance(part, MassProperties):
            raise ModelError(f"part {index} of composite() must be MassProperties, but it is {part!r}.")
    masses = np.array([part.mass for part in parts])
    places = np.array([part.centroid for part in parts])
    mass = number(masses.sum(), "the sum of the masses")
    if mass == 0.0:
        return MassProperties(0.0, places.mean(axis=0))
    # measured from a place among the parts, so that a far origin costs no digits
    origin = places[0]
    centroid = origin + masses @ (places - origin) / mass
    inertia = np.sum([part.about(centroid) for part in parts], axis=0)
    return MassProperties(mass, centroid, inertia)


def _gyration(moments: Array, mass: float) -> Array:
    if mass == 0.0:
        return np.zeros(3)
    with np.errstate(over="ignore"):  # a mass near the smallest number
        return np.sqrt(np.maximum(moments, 0.0) / mass)


def _tidy(values: Array, scale: float) -> Array:
    """For printing: entries that are rounding against the scale become a plain 0."""
    return np.where(np.abs(values) <= 1e-14 * scale, 0.0, values)


def _triple(values: Array) -> str:
    return "(" + ", ".join(f"{value:g}" for value in values) + ")"
