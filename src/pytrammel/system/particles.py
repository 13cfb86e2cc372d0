"""Bodies as a few particles (Attia): which points, their masses, which of them bodies have in common, and which distances stay the same.

In the plane a body is three primary particles and one half way between the first and the third; a rod, whose centroid lies on the line of
its two particles, has the third half way between them. In space there are four primary particles and six half way along the edges.
Further primary particles have masses of any size that the user gives; the masses of the others follow from them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from pytrammel._util.checks import checked_number
from pytrammel._util.messages import short
from pytrammel.errors import ModelError
from pytrammel.joints.constraint import Constraint
from pytrammel.kernels import layout as L
from pytrammel.model.bodies import GROUND
from pytrammel.system.lowering import System

Array = NDArray[np.float64]
Chosen = Mapping[str, Sequence[Sequence[float]]]
Masses = Mapping[str, Sequence[float | None]]

SAME = 1e-9  # of a body's size: points so near to each other are one, and so near to a line lie on it
# of a body's size: how far a particle that is chosen for the user must be from the line or plane of the others
APART = 0.1
MOST = 8  # primary particles of a body
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
        out = np.zeros((k, 4))
        if d == 3:
            out[:4] = np.linalg.inv(np.vstack([np.ones(4), self.points[:4].T]))
            return out
        if k == 2:
            s = self.points @ [1.0, 1.0j]
            along = 1.0 / (s[1] - s[0])
            origin, axis = np.array([1.0 + s[0] * along, -s[0] * along]), np.array([-along, along])
        else:
            found = np.linalg.inv(np.vstack([np.ones(3), self.points[:3].T]))
            origin, axis = found[:, 0] + 0.0j, found[:, 1] - 1.0j * found[:, 2]
        out[: origin.size] = np.column_stack([origin.real, origin.imag, axis.real, axis.imag])
        return out

    def shares(self, point: Array) -> Array:
        """Distribution parameters of a force at a point of the body, shape (k,) (Attia 3.1, 3.2): they sum to 1, their centre is the point.

        A rod has a second, perpendicular force for a point off its line; see `forces`. Further particles carry no force.
        """
        k, d = self.points.shape
        out = np.zeros(k)
        if k == 2 and d == 2:
            way = self.points[1] - self.points[0]
            out[1] = float((point - self.points[0]) @ way / (way @ way))
            out[0] = 1.0 - out[1]
        else:
            first = self.points[: d + 1]
            out[: d + 1] = np.linalg.solve(np.vstack([np.ones(d + 1), first.T]), np.append(1.0, point))
        return out

    def forces(self, force: Array, point: Array, couple: Array) -> Array:
        """Forces on the primary particles for a force at a point and a couple, all in body axes, shape (k, d) [N].

        Args:
            force: Force [N], shape (d,).
            point: Its point of application, body coordinates [m].
            couple: Moment [N m], one number in the plane, three in space.
        """
        k, d = self.points.shape
        out = np.outer(self.shares(point), force)
        moment = np.array(couple, dtype=float).reshape(-1)
        if d == 2 and k == 2:
            arm = point - self.shares(point) @ self.points  # off the line
            moment = moment + arm[0] * force[1] - arm[1] * force[0]
        if d == 2:
            out += moment[0] * self._turning_forces()[:, :, 0]
        else:
            out += self._turning_forces() @ moment
        return out

    def _turning_forces(self) -> Array:
        """Forces on the particles per unit of a couple, without resultant, shape (k, d, moments).

        Rods: two opposite forces. In the plane: along the sides of the triangle, one after the other. In space: the smallest ones on
        the first four particles.
        """
        k, d = self.points.shape
        out = np.zeros((k, d, 1 if d == 2 else 3))
        if d == 2 and k == 2:
            way = self.points[1] - self.points[0]
            across = np.array([-way[1], way[0]]) / float(way @ way)
            out[0, :, 0], out[1, :, 0] = -across, across
        elif d == 2:
            r1, r2, r3 = self.points[:3]
            area = float(np.cross(np.append(r2 - r1, 0.0), np.append(r3 - r1, 0.0))[2])
            out[:3, :, 0] = np.array([r2 - r1, r3 - r2, r1 - r3]) / area
        else:
            arms = self.points[:4] - self.points[:4].mean(axis=0)
            inertia = np.trace(arms.T @ arms) * np.eye(3) - arms.T @ arms
            turns = np.linalg.inv(inertia)
            for i, arm in enumerate(arms):
                out[i] = np.cross(turns, arm, axis=0)
        return out

    @property
    def held_pairs(self) -> tuple[tuple[int, int], ...]:
        """Pairs of primary particles at fixed distances that hold the body together, independent of each other."""
        k, d = self.points.shape
        first = min(k, d + 1)
        pairs = list(combinations(range(first), 2))
        for extra in range(first, k):
            sets = list(combinations(range(first), d))
            sizes = [abs(np.linalg.det(self.points[list(each)] - self.points[extra])) for each in sets]
            pairs += [(i, extra) for i in sets[int(np.argmax(sizes))]]
        return tuple(pairs)


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


def equivalent(body: str, points: Array, inertia: Inertia, given: Sequence[float | None] = ()) -> BodyParticles:
    """Masses of the particles of a body at given places: mass, centroid and moments are those of the body (Attia 2.1).

    Nothing makes them positive: particles far out carry too much moment for their mass, and one in between takes it off again.

    Args:
        body: Name of the body.
        points: Primary particles, body coordinates [m].
        inertia: Mass properties of the body.
        given: Masses of primary particles that the user chose [kg]; None for masses to find. Further particles have none by default.
    """
    k, d = points.shape
    base = 2 if k == 2 else d + 1
    pairs = {2: ((0, 1),), 3: ((0, 2),)}.get(base, tuple(combinations(range(4), 2)))
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
        rows = [np.ones(len(s)), *s.T, (s**2).sum(axis=1)]
        right = [m, *first, np.trace(shifted)]
    else:
        rows = [np.ones(len(s)), *s.T, *(s[:, i] * s[:, j] for i in range(3) for j in range(i, 3))]
        right = [m, *first, *(shifted[i, j] for i in range(3) for j in range(i, 3))]
    chosen = list(given) if any(x is not None for x in given) else [None] * base + [0.0] * (k - base)
    known = np.array([*(x is not None for x in chosen), *(False for _ in pairs)])
    masses = np.array([*(0.0 if x is None else float(x) for x in chosen), *(0.0 for _ in pairs)])
    matrix, wanted = np.array(rows), np.array(right)
    unknown = matrix[:, ~known]
    if np.linalg.matrix_rank(unknown, tol=SAME * float(np.abs(unknown).max())) < len(rows):
        raise ModelError(
            f"masses of the particles of body {body!r}: no masses of the others have its mass, centroid and moments. Choose the masses of "
            "other particles."
        )
    masses[~known] = np.linalg.solve(unknown, wanted - matrix[:, known] @ masses[known])
    return BodyParticles(body, points, pairs, masses)


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
    """Distance of a hinge's second particle along its axis: as far as its bodies reach from it."""
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
    least, most = (2, "two (a rod), three") if d == 2 else (4, "four")
    try:
        points = np.array(given, dtype=np.float64)
    except (TypeError, ValueError):
        points = np.zeros(0)
    if points.ndim != 2 or points.shape[1] != d or not least <= len(points) <= MOST:
        raise ModelError(
            f"particles of body {name!r} are {short(given)}; give {most} or up to {MOST} points of it, {d} body coordinates each [m]."
        )
    if not np.isfinite(points).all():
        raise ModelError(f"particles of body {name!r} are {short(given)}; they must be finite numbers.")
    size = float(np.abs(points - points.mean(axis=0)).max())
    for k in range(1, min(len(points), d + 1)):
        if not _off_span(list(points[:k]), points[k]) > 1e-6 * size:
            where = ("at one place", "on one line", "in one plane")[k - 1]
            raise ModelError(
                f"particles of body {name!r} lie {where}; move one of the first {min(len(points), d + 1)} off it."
            )
    for k in range(d + 1, len(points)):
        if not np.linalg.norm(points[:k] - points[k], axis=1).min() > 1e-6 * size:
            raise ModelError(f"particle {k} of body {name!r} is where another one is; move it.")
    if len(points) == 2 and inertia.mass and _off_span(list(points), inertia.centroid) > SAME * size:
        raise ModelError(
            f"body {name!r} cannot be a rod of two particles: its centroid is {_off_span(list(points), inertia.centroid):.3g} m off their "
            "line. Give three particles."
        )
    return list(points)


def _masses_of_the_user(name: str, given: object, points: int, d: int) -> list[float | None]:
    """Masses that the user chose: one number or None per primary particle, as many numbers as are free."""
    free = max(0, points - d - 1)
    listed = list(given) if isinstance(given, Sequence) and not isinstance(given, str | bytes) else []
    if len(listed) != points or sum(x is not None for x in listed) != free:
        raise ModelError(
            f"masses of the particles of body {name!r} are {short(given)}; give {points} entries, {free} of them numbers [kg] and the "
            "others None."
        )
    return [None if x is None else checked_number(x, f"masses[{name!r}][{k}]") for k, x in enumerate(listed)]


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
    system: System,
    rows: Sequence[int],
    floats: Array | None = None,
    chosen: Chosen | None = None,
    masses: Masses | None = None,
) -> Particles:
    """A model as particles.

    Args:
        system: The system.
        rows: Rows that act.
        floats: Its numbers as they are now.
        chosen: Particles of bodies that are to have them at certain places, body coordinates [m].
        masses: Masses of particles that are free to choose, by body [kg].
    """
    model, d = system.model, 2 if system.per_body == 3 else 3
    floats = system.floats if floats is None else floats
    moving = list(model.bodies)[1:]
    if chosen is not None and not isinstance(chosen, Mapping):
        raise ModelError(f"particles={short(chosen)}; give places by the names of bodies: {{'rod': [(0, 0), (1, 0)]}}.")
    for name in chosen or ():
        if name not in moving:
            raise ModelError(f"particles={{{name!r}: ...}}: there is no such body; there are: {', '.join(moving)}.")
    if masses is not None and not isinstance(masses, Mapping):
        raise ModelError(
            f"masses={short(masses)}; give them by the names of bodies: {{'plate': [None, None, None, 0.2]}}."
        )
    for name in masses or ():
        if name not in (chosen or ()):
            raise ModelError(
                f"masses={{{name!r}: ...}} belongs to particles={{{name!r}: ...}}, which is missing. Add it."
            )
    common = _common_points(system, rows)
    found: dict[str, BodyParticles] = {}
    for b, name in enumerate(moving):
        inertia = inertia_of(system, floats, b)
        if chosen and name in chosen:
            points = _of_the_user(name, chosen[name], d, inertia)
        else:
            at = [place for each in common for body, place in each.points if body == name]
            points = _chosen(at, inertia, d, system.length)
        own = _masses_of_the_user(name, masses[name], len(points), d) if masses and name in masses else []
        found[name] = equivalent(name, np.array(points), inertia, own)
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
        for i, j in own.held_pairs:
            pair = (min(numbers[i], numbers[j]), max(numbers[i], numbers[j]))
            if pair[0] < len(free):
                distances.setdefault(pair, float(np.linalg.norm(own.points[i] - own.points[j])))
    fixed = np.array(list(grounded.values())).reshape(-1, d)
    return Particles(
        tuple(bodies), len(free), fixed, tuple(map(tuple, owners)),
        tuple((i, j, length) for (i, j), length in distances.items()), frozenset(held), tuple(dict.fromkeys(joints)),
    )  # fmt: skip
