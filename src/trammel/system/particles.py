"""Bodies as a few particles (Attia): which points, their masses, which of them bodies have in common, and which distances stay the same.

In the plane a body is three primary particles and one half way between the first and the third; a rod, whose centroid lies on the line of
its two particles, has the third half way between them. In space there are four primary particles and six half way along the edges.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from trammel.errors import ModelError
from trammel.kernels import layout as L
from trammel.model.body import GROUND
from trammel.model.constraint import Constraint
from trammel.sentences import short
from trammel.system.lowering import System

Array = NDArray[np.float64]
Chosen = Mapping[str, Sequence[Sequence[float]]]

SAME = 1e-9  # of a body's size: points so near to each other are one, and so near to a line lie on it
# of a body's size: how far a particle that is chosen for the user must be from the line or plane of the others
APART = 0.1
GAPS = ("point_difference", "point_offset")  # quantities whose rows make two points one


@dataclass(frozen=True)
class Inertia:
    """Mass properties of a body about its frame's origin: mass [kg], centroid [m], second moments of mass ∫ s s' dm [kg m²].

    In the plane only the trace of the second moments counts: the polar moment of inertia.
    """

    mass: float
    centroid: Array
    moments: Array

    @property
    def gyration(self) -> float:
        """Radius of gyration about the centroid [m]; zero without a mass."""
        central = self.moments - self.mass * np.outer(self.centroid, self.centroid)
        return float(np.sqrt(max(0.0, np.trace(central)) / self.mass)) if self.mass > 0.0 else 0.0


@dataclass(frozen=True)
class BodyParticles:
    """The particles of one body.

    Attributes:
        body: Name of the body.
        points: Primary particles, body coordinates [m], shape (k, dimension).
        pairs: Pairs of primary particles half way between which a secondary one sits.
        masses: Masses of the primary and then of the secondary particles; some may be negative [kg].
        numbers: Numbers of the primary particles in the whole model.
    """

    body: str
    points: Array
    pairs: tuple[tuple[int, int], ...]
    masses: Array
    numbers: tuple[int, ...] = ()

    @property
    def places(self) -> Array:
        """All particles, the secondary ones too, body coordinates [m]."""
        return np.vstack([self.points, *(0.5 * (self.points[i] + self.points[j]) for i, j in self.pairs)])

    @property
    def mass_matrix(self) -> Array:
        """Masses of the primary particles once the secondary ones follow from them, shape (k, k) [kg]."""
        k = len(self.points)
        out = np.diag(self.masses[:k])
        for (i, j), mass in zip(self.pairs, self.masses[k:], strict=True):
            out[np.ix_([i, j], [i, j])] += 0.25 * mass
        return out

    @property
    def weights(self) -> Array:
        """How the frame follows from the particles, shape (k, 4).

        In space: origin = sum w0 x, axis i = sum wi x. In the plane complex, two numbers each: origin = sum a z, axis along sum c z.
        """
        k, d = self.points.shape
        if d == 3:
            return np.asarray(np.linalg.inv(np.vstack([np.ones(k), self.points.T])))
        if k == 2:
            s = self.points @ [1.0, 1.0j]
            along = 1.0 / (s[1] - s[0])
            origin, axis = np.array([1.0 + s[0] * along, -s[0] * along]), np.array([-along, along])
        else:
            found = np.linalg.inv(np.vstack([np.ones(3), self.points.T]))
            origin, axis = found[:, 0] + 0.0j, found[:, 1] - 1.0j * found[:, 2]
        return np.column_stack([origin.real, origin.imag, axis.real, axis.imag])


@dataclass(frozen=True)
class Particles:
    """A model as particles.

    Attributes:
        bodies: Particles of each moving body.
        n_free: Particles that move; the others are fixed to the ground and have the numbers from here on.
        fixed: Their places [m], shape (fixed, dimension).
        owners: Per particle, the bodies that have it; the ground among them for fixed ones.
        distances: Pairs of particles that stay at the same distance, and that distance [m].
        held: Rows of joints that hold because bodies have particles in common.
        joints: Joints that make particles common, by name.
    """

    bodies: tuple[BodyParticles, ...]
    n_free: int
    fixed: Array
    owners: tuple[tuple[str, ...], ...]
    distances: tuple[tuple[int, int, float], ...]
    held: frozenset[int]
    joints: tuple[str, ...]

    @property
    def n_all(self) -> int:
        return self.n_free + len(self.fixed)

    @property
    def mass_matrix(self) -> Array:
        """The overlapped mass matrix: one number for each pair of particles, shape (all, all) [kg]."""
        out = np.zeros((self.n_all, self.n_all))
        for own in self.bodies:
            out[np.ix_(own.numbers, own.numbers)] += own.mass_matrix
        return out


def inertia_of(system: System, floats: Array, b: int) -> Inertia:
    """Mass properties of a moving body as the kernels have them."""
    at = int(system.ints[L.AT_MASSES])
    if system.per_body == 3:
        _, _, xi, eta, m, mu, _ = floats[at + L.MASS_SIZE * b : at + L.MASS_SIZE * (b + 1)]
        c = np.array([xi, eta])
        return Inertia(float(m), c, 0.5 * mu * np.eye(2) + m * np.outer(c, c))
    own = floats[at + L.SPACE_MASS_SIZE * b : at + L.SPACE_MASS_SIZE * (b + 1)]
    m, c, J = float(own[1]), own[3:6].copy(), own[6:15].reshape(3, 3)
    return Inertia(m, c, 0.5 * np.trace(J) * np.eye(3) - J + m * np.outer(c, c))


def equivalent(body: str, points: Array, inertia: Inertia) -> BodyParticles:
    """Masses of the particles of a body at given places: mass, centroid and moments are those of the body (Attia 2.1).

    Nothing makes them positive: particles far out carry too much moment for their mass, and one in between takes it off again.
    """
    k, d = points.shape
    pairs = {2: ((0, 1),), 3: ((0, 2),)}.get(k, tuple(combinations(range(k), 2)))
    middle = points.mean(axis=0)
    size = float(np.abs(points - middle).max())
    s = (np.vstack([points, *(0.5 * (points[i] + points[j]) for i, j in pairs)]) - middle) / size
    m, first = inertia.mass, inertia.mass * (inertia.centroid - middle) / size
    shifted = (
        inertia.moments - m * np.outer(inertia.centroid, middle) - m * np.outer(middle, inertia.centroid)
        + m * np.outer(middle, middle)
    ) / size**2  # fmt: skip
    if k == 2:
        along = s[1] - s[0]
        along /= np.linalg.norm(along)
        rows = [np.ones(3), s @ along, (s**2).sum(axis=1)]
        right = [m, first @ along, np.trace(shifted)]
    elif d == 2:
        rows = [np.ones(4), *s.T, (s**2).sum(axis=1)]
        right = [m, *first, np.trace(shifted)]
    else:
        rows = [np.ones(10), *s.T, *(s[:, i] * s[:, j] for i in range(3) for j in range(i, 3))]
        right = [m, *first, *(shifted[i, j] for i in range(3) for j in range(i, 3))]
    return BodyParticles(body, points, pairs, np.linalg.solve(np.array(rows), np.array(right)))


# --- which points --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Common:
    """A point that two bodies have in common by a joint, and the rows that need not be written then.

    Attributes:
        joint: Name of the joint.
        points: Body and local place, for both bodies.
        rows: Rows that hold by this; for the second point of an axis, those that hold by both.
        second: Whether it is the second point of an axis.
    """

    joint: str
    points: tuple[tuple[str, Array], tuple[str, Array]]
    rows: tuple[int, ...]
    second: bool = False


def _common_points(system: System, rows: Sequence[int]) -> list[_Common]:
    """What joints could make common, in the order of the joints."""
    acting, out = set(rows), []
    d = 2 if system.per_body == 3 else 3
    for name, joint in system.model.constraints.items():
        own = system.rows_of([name])
        if not joint.blocks or joint.is_driver or not set(own) <= acting:
            continue
        gap = joint.blocks[0].quantity
        if gap.primitive not in GAPS or any(target != 0.0 for target in joint.blocks[0].targets):
            continue
        first, second = np.array(gap.data[:d]), np.array(gap.data[d : 2 * d])
        one, two = gap.bodies[:2]
        out.append(_Common(name, ((one, first), (two, second)), tuple(own[:d])))
        free = joint.freedom or ()
        if d == 3 and len(free) == 1 and free[0].kind == "rotation" and len(own) == 5:
            axes = _axis_of(system, joint, one, two)
            reach = _reach(system, joint)
            ahead = ((one, first + reach * axes[0]), (two, second + reach * axes[1]))
            out.append(_Common(name, ahead, tuple(own), second=True))
    return out


def _axis_of(system: System, joint: Constraint, one: str, two: str) -> tuple[Array, Array]:
    """A hinge's axis in both of its bodies."""
    seats = [joint.seat_on(one), joint.seat_on(two)]
    axes = [np.array(seat.axis) for seat in seats if seat is not None]
    return axes[0], axes[1]


def _reach(system: System, joint: Constraint) -> float:
    """How far along a hinge's axis its second particle sits: as far as its bodies reach from it."""
    names = list(system.model.bodies)
    far = 0.0
    for seat in joint.seats:
        if seat.body != GROUND:
            centroid = np.array(system.model.bodies[seat.body].centroid)
            own = inertia_of(system, system.floats, names.index(seat.body) - 1)
            far = max(far, float(np.linalg.norm(centroid - np.array(seat.point))), own.gyration)
    return far or 0.3 * system.length


def _off_span(points: Sequence[Array], new: Array) -> float:
    """Distance of a point from the point, line or plane of others."""
    if not points:
        return np.inf
    arms = np.array([p - points[0] for p in points[1:]]).reshape(len(points) - 1, new.size)
    way = new - points[0]
    if len(arms):
        basis = np.linalg.qr(arms.T)[0]
        way = way - basis @ (basis.T @ way)
    return float(np.linalg.norm(way))


def _of_the_user(name: str, given: object, d: int, inertia: Inertia) -> list[Array]:
    """The particles that the user wants, body coordinates."""
    most = "two (a rod) or three" if d == 2 else "four"
    try:
        points = np.array(given, dtype=np.float64)
    except (TypeError, ValueError):
        points = np.zeros(0)
    if points.ndim != 2 or points.shape[1] != d or len(points) not in ((2, 3) if d == 2 else (4,)):
        raise ModelError(
            f"particles of body {name!r} are {short(given)}; give {most} points of it, {d} body coordinates each [m]."
        )
    if not np.isfinite(points).all():
        raise ModelError(f"particles of body {name!r} are {short(given)}; they must be finite numbers.")
    size = float(np.abs(points - points.mean(axis=0)).max())
    for k in range(1, len(points)):
        if not _off_span(list(points[:k]), points[k]) > 1e-6 * size:
            where = ("at one place", "on one line", "in one plane")[k - 1]
            raise ModelError(f"particles of body {name!r} lie {where}; move one of them off it.")
    if len(points) == 2 and inertia.mass and _off_span(list(points), inertia.centroid) > SAME * size:
        raise ModelError(
            f"body {name!r} cannot be a rod of two particles: its centroid is {_off_span(list(points), inertia.centroid):.3g} m off their "
            "line. Give three particles."
        )
    return list(points)


def _chosen(common: Sequence[Array], inertia: Inertia, d: int, length: float) -> list[Array]:
    """Particles of a body: at its joints as far as they lie well apart, then where the masses come out well."""
    G, radius = inertia.centroid, inertia.gyration
    radius = radius or max((float(np.linalg.norm(p - G)) for p in common), default=0.0) or 0.3 * length
    points: list[Array] = []
    for place in common:
        size = max(radius, *(float(np.linalg.norm(p - place)) for p in points)) if points else radius
        if len(points) <= d and _off_span(points, place) > APART * size:
            points.append(place)
    if d == 2:
        return _completed_in_the_plane(points, G, radius)
    base = points[0] if points else G
    reach = max([radius, *(float(np.linalg.norm(p - base)) for p in points)])
    while len(points) < 4:
        arms = np.array([p - points[0] for p in points[1:]]).reshape(-1, 3)
        beside = np.linalg.svd(arms)[2][len(arms)] if len(arms) else np.array([0.0, 0.0, 1.0])
        points.append(base + reach * beside if points else G)
    return points


def _completed_in_the_plane(points: list[Array], G: Array, radius: float) -> list[Array]:
    """A rod where the centroid is on the line of the particles, else a third particle on its side of them."""
    x = np.array([1.0, 0.0])
    if not points:
        return [G - radius * x, G + radius * x]  # two halves, and nothing between them
    if len(points) == 1:
        arm = G - points[0]
        far = float(np.linalg.norm(arm))
        if far < SAME * radius:
            return [points[0], points[0] + radius * x]
        # at the centre of percussion nothing is left for the particle between them
        return [points[0], G + arm / far * min(max(radius**2 / far, 0.5 * far), 2.0 * max(far, radius))]
    if len(points) == 2:
        way = points[1] - points[0]
        size = float(np.linalg.norm(way))
        across = np.array([-way[1], way[0]]) / size
        off = float((G - points[0]) @ across)
        if abs(off) > SAME * size:
            points.append(0.5 * (points[0] + points[1]) + np.copysign(0.75**0.5 * size, off) * across)
    return points


def find_particles(
    system: System, rows: Sequence[int], floats: Array | None = None, chosen: Chosen | None = None
) -> Particles:
    """A model as particles.

    Args:
        system: The system.
        rows: Rows that act.
        floats: Its numbers as they are now.
        chosen: Particles of bodies that are to have them at certain places, body coordinates [m].
    """
    model, d = system.model, 2 if system.per_body == 3 else 3
    floats = system.floats if floats is None else floats
    moving = list(model.bodies)[1:]
    if chosen is not None and not isinstance(chosen, Mapping):
        raise ModelError(f"particles={short(chosen)}; give places by the names of bodies: {{'rod': [(0, 0), (1, 0)]}}.")
    for name in chosen or ():
        if name not in moving:
            raise ModelError(f"particles={{{name!r}: ...}}: there is no such body; there are: {', '.join(moving)}.")
    common = _common_points(system, rows)
    found: dict[str, BodyParticles] = {}
    for b, name in enumerate(moving):
        inertia = inertia_of(system, floats, b)
        if chosen and name in chosen:
            points = _of_the_user(name, chosen[name], d, inertia)
        else:
            at = [place for each in common for body, place in each.points if body == name]
            points = _chosen(at, inertia, d, system.length)
        found[name] = equivalent(name, np.array(points), inertia)
    return _joined(found, common, d)


def _joined(found: dict[str, BodyParticles], common: Sequence[_Common], d: int) -> Particles:
    """Number the particles, those that bodies have in common once, and find what distances and joints remain."""
    places = {(name, k): own.points[k] for name, own in found.items() for k in range(len(own.points))}
    group = {key: key for key in places}
    on_ground: dict[tuple[str, int], Array] = {}

    def root(key: tuple[str, int]) -> tuple[str, int]:
        while group[key] != key:
            key = group[key]
        return key

    def index(name: str, place: Array) -> tuple[str, int] | None:
        size = float(np.abs(found[name].points - found[name].points.mean(axis=0)).max())
        off = np.linalg.norm(found[name].points - place, axis=1)
        return (name, int(off.argmin())) if off.min() <= SAME * size else None

    held: set[int] = set()
    joints: list[str] = []
    whole: set[str] = set()
    for each in common:
        keys = [None if name == GROUND else index(name, place) for name, place in each.points]
        if any(key is None and name != GROUND for key, (name, _) in zip(keys, each.points, strict=True)):
            continue
        if each.second and each.joint not in whole:
            continue
        real = [key for key in keys if key is not None]
        if len(real) == 2:
            group[root(real[1])] = root(real[0])
        elif real:
            on_ground[real[0]] = next(place for name, place in each.points if name == GROUND)
        held.update(each.rows)
        whole.add(each.joint)
        joints.append(each.joint)
    grounded = {root(key): place for key, place in on_ground.items()}
    free = list(dict.fromkeys(root(key) for key in places if root(key) not in grounded))
    number = {key: k for k, key in enumerate([*free, *grounded])}
    owners = [[GROUND] if key in grounded else [] for key in number]
    for name, k in places:
        mine = owners[number[root((name, k))]]
        if name not in mine:
            mine.append(name)
    bodies: list[BodyParticles] = []
    distances: dict[tuple[int, int], float] = {}
    for name, own in found.items():
        numbers = tuple(number[root((name, k))] for k in range(len(own.points)))
        bodies.append(BodyParticles(name, own.points, own.pairs, own.masses, numbers))
        for i, j in combinations(range(len(numbers)), 2):
            pair = (min(numbers[i], numbers[j]), max(numbers[i], numbers[j]))
            if pair[0] < len(free):
                distances.setdefault(pair, float(np.linalg.norm(own.points[i] - own.points[j])))
    fixed = np.array(list(grounded.values())).reshape(-1, d)
    return Particles(
        tuple(bodies), len(free), fixed, tuple(map(tuple, owners)),
        tuple((i, j, length) for (i, j), length in distances.items()), frozenset(held), tuple(dict.fromkeys(joints)),
    )  # fmt: skip
