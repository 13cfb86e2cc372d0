"""Particles: bodies are a few particles at fixed distances, and joined ones have particles in common (Attia).

What is integrated are their coordinates or, along a tree, joint variables.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from pytrammel import rotations
from pytrammel._util.lazy_imports import linalg
from pytrammel.analysis.at_state import mass_matrix
from pytrammel.analysis.formulations import Cut, Formulation, SmallMotions, formulation, formulation_type, formulations
from pytrammel.analysis.formulations.joint import JointCoordinates
from pytrammel.analysis.freedom.rank import exact_rows, jacobian, rank_of, rank_of_pivots
from pytrammel.analysis.runs.engine import Cartesian, Table, addresses
from pytrammel.analysis.runs.fewer import FewerCoordinates, refusal
from pytrammel.errors import ModelError
from pytrammel.kernels import engine as places
from pytrammel.kernels import layout as L
from pytrammel.kernels import particles as T
from pytrammel.kernels.equations import points as K
from pytrammel.kernels.equations import points_joint, points_parts, points_steps  # noqa: F401 (found by name)
from pytrammel.kernels.jit import prepare
from pytrammel.system.lowering import System
from pytrammel.system.particles import Particles, find_particles
from pytrammel.system.pattern import pattern

if TYPE_CHECKING:
    from pytrammel.analysis.runs.options import Options
    from pytrammel.analysis.runs.simulation import Simulation
    from pytrammel.analysis.runs.steps import Positions
    from pytrammel.analysis.small_motions.reduced import State
    from pytrammel.results.studies.matrices import Matrices

Array = NDArray[np.float64]
Ints = NDArray[np.int64]

EQUATIONS = ("rates", "settle", "norm", "record", "watch")
PARTS = ("points_load", "points_rows", "points_independence", "points_forces", "points_solve")
IDLE = 1e-12  # of the largest inertia of any motion: one with less has none, and rounding would drive it


def _needs(dimension: int) -> tuple[str, ...]:
    runs = ("points_to_bodies_run", "points_rows_run", "points_begin")
    return (*PARTS, *(f"points_{part}" for part in EQUATIONS), *runs)


def _cannot(system: System, options: Options) -> str:
    return refusal(options, "distances are held")


def _conflict(options: Mapping[str, Any]) -> str:
    unused = [key for key in ("base", "cut") if key in options and options.get("variables") != "joint"]
    return f"{unused[0]}= belongs to joint variables. Remove it, or add variables='joint'." if unused else ""


@formulation_type("points")
def points() -> Formulation:
    """Coordinates of particles that have the masses, centroids and inertias of the bodies."""
    return Formulation(
        "coordinates of particles that stand for the bodies, pins are common particles (Attia), dense: for study",
        _equations,
        _needs,
        values={
            "particles": Mapping[str, Any] | None,
            "masses": Mapping[str, Any] | None,
            "variables": Literal["particles", "joint"],
            "base": str,
            "cut": Cut,
        },
        conflict=_conflict,
        takes={"particles": None, "masses": None, "variables": "particles", "base": "heaviest", "cut": None},
        cannot=_cannot,
        matrices=_matrices,
        small_motions=_small_motions,
    )


def _matrices(state: State, formulation: Formulation) -> Matrices:
    from pytrammel.analysis.study.particles import write_out

    return write_out(state, formulation)


def _small_motions(state: State, formulation: Formulation) -> SmallMotions:
    from pytrammel.analysis.study.small import along_tree, of_particles

    if formulation["variables"] == "joint":
        return along_tree(state, formulation)
    return of_particles(state, formulation)


def _equations(options: Options) -> Cartesian:
    """Equations in the variables that are asked for."""
    chosen = options.formulation
    if chosen["variables"] == "joint":
        return ParticlesAlongTree(options)
    return ParticleCoordinates(options)


class ParticleCoordinates(FewerCoordinates):
    """Motion in coordinates of particles; the equations in body coordinates keep the books."""

    routines = tuple(f"points_{part}" for part in EQUATIONS)
    named, misfit = "points", "where its particles put it"
    offers = "points"

    def __init__(self, options: Options) -> None:
        super().__init__(options)
        self.chosen = options.formulation["particles"]
        self.masses = options.formulation["masses"]

    def table(self, run: Simulation, watch: System) -> Table:
        """The table of these equations, without a method."""
        _refuse_idle(run)
        inner = self.inner.table(run, watch)
        system = run.system
        self._particles = find_particles(system, run.acting_rows, run.floats, self.chosen, self.masses)
        rows = [row for row in run.acting_rows if row not in self._particles.held]
        distances = list(range(len(self._particles.distances)))
        table = particle_table(system, self._particles, run.floats, distances, rows)
        if run.redundant:
            distances, rows = self._independent(table, run, rows)
            table = particle_table(system, self._particles, run.floats, distances, rows)
        table.shared[:] = self.counted
        self.counted = table.shared
        for entry in (places.N_EVENTS, places.ROW):
            table.entries[entry] = inner.entries[entry]
        table.put_routines(places.RATES, self.routines, K.__name__)
        table.put_routines(places.UNTREATED, self.routines[:1], K.__name__)
        table.put_data(places.INNER, inner.entries)
        table.keep(inner)
        self._table = table
        self._bodies = np.zeros(0)
        return table

    def equation(self, system: System, k: int) -> str:
        """What an entry of the integrated vector stands for, in words."""
        d, n = self._particles.fixed.shape[1], _unknowns(system, self._particles)
        first = n + len(system.model.turns) + len(self._particles.bodies) * (1 if d == 2 else 4)
        for begin, what in ((0, "the place"), (first, "the balance of forces")):
            if begin <= k < begin + d * self._particles.n_free:
                owners = ", ".join(map(repr, self._particles.owners[(k - begin) // d]))
                return f"{what} along {'xyz'[(k - begin) % d]} of a particle of {owners}"
        return "a state behind those of the particles"

    def positions(self, system: System) -> Positions:
        """Particles follow their velocities; what tells the turns of bodies is carried along."""
        from pytrammel.analysis.runs.steps import Positions

        n = _unknowns(system, self._particles)
        references = len(self._particles.bodies) * (1 if system.per_body == 3 else 4)
        return Positions([(c, c) for c in range(n)], [], len(system.model.turns) + references, n)

    def row_in_words(self, system: System, table: Table, k: int) -> str:
        """What an active equation stands for: distances come first."""
        distances = int(table.data[places.REDUCED][T.N_DISTANCES])
        return "a distance between particles" if k < distances else super().row_in_words(system, table, k - distances)

    def n_rows(self, table: Table) -> int:
        """Distances between particles are rows, too."""
        return super().n_rows(table) + int(table.data[places.REDUCED][T.N_DISTANCES])

    def _independent(self, table: Table, run: Simulation, rows: list[int]) -> tuple[list[int], list[int]]:
        """Distances and rows that are independent of each other: the largest come first."""
        n = _unknowns(run.system, self._particles)
        flat = np.zeros((len(self._particles.distances) + len(rows)) * n)
        K.points_rows_run(table.entries, float(run.clock[0]), particle_vector(run.system, self._particles, run.y), flat)
        J = flat.reshape(-1, n) * table.scales[:n]
        J /= np.maximum(np.linalg.norm(J, axis=1), 1e-300)[:, None]
        _, sizes, order = linalg.qr(J.T, mode="economic", pivoting=True)
        kept = sorted(order[: rank_of_pivots(run.system, np.diag(sizes))])
        m = len(self._particles.distances)
        in_order = table.data[places.PATTERN][int(table.data[places.PATTERN][L.P_AT_ROWS]) :]
        return [int(k) for k in kept if k < m], sorted(int(in_order[k - m]) for k in kept if k >= m)

    def _reduced(self, run: Simulation) -> Array:
        """Particles and their velocities in the state that the run is in."""
        return particle_vector(run.system, self._particles, run.y)

    def _show(self, table: Table, time: float) -> None:
        K.points_to_bodies_run(table.entries, time, self._y, self._bodies)

    def _measure(self, table: Table, time: float) -> float:
        return float(K.points_rows_run(table.entries, time, self._y, np.zeros(0)))


def _refuse_idle(run: Simulation) -> None:
    """Particles whose masses cancel let a body turn without any inertia: in rounding, nothing holds it where it is."""
    system = run.system
    if not system.ints[L.HAS_MASSLESS]:
        return
    time = float(run.clock[0])
    free = rank_of(jacobian(system, run.q, time, exact_rows(system, run.q, time, run.acting_rows))).freedom
    by = free * system.column_scales()[:, None]
    inertias, motions = np.linalg.eigh(by.T @ mass_matrix(system, run.q) @ by)
    if inertias.size and not inertias[0] > IDLE * inertias[-1]:
        name = system.columns[int(np.abs(free @ motions[:, 0]).argmax())]
        raise ModelError(
            f"formulation='points' cannot tell a motion without inertia: nothing resists along {name!r}. Give that body an inertia there, "
            "or use formulation='cartesian', which leaves it as it is."
        )


class ParticlesAlongTree(JointCoordinates):
    """Motion in joint variables, accelerations from the particles."""

    named = "points"

    def __init__(self, options: Options) -> None:
        chosen = options.formulation
        along = formulation("joint", base=chosen["base"], cut=chosen["cut"])
        super().__init__(replace(options, formulation=along))
        self.chosen = chosen["particles"]
        self.masses = chosen["masses"]

    def table(self, run: Simulation, watch: System) -> Table:
        """The table of these equations, without a method."""
        _refuse_idle(run)
        system = run.system
        dimension = system.model.space.dimension
        prepare([*formulations["joint"].needs(dimension), *PARTS, "points_joint_rates"])
        table = super().table(run, watch)
        acting = table.data[places.PATTERN]
        rows = acting[int(acting[L.P_AT_ROWS]) :][: int(acting[L.P_ROWS])].tolist()
        held = set(run.acting_rows) - set(self._tree.topology.rows)  # bodies at a cut joint have a particle each
        particles = find_particles(system, sorted(held), run.floats, self.chosen, self.masses)
        n, m, nt = _unknowns(system, particles), len(rows), self._tree.n_speeds + len(system.extras)
        more = 4 * run.y.size + 2 * int(table.entries[places.SIZE]) + n * (2 * nt + 8) + (nt + m + 1) ** 2 + 16
        own = particle_table(system, particles, run.floats, [], rows, more)
        own.put_data(places.INNER, table.data[places.INNER])
        table.put_data(points_joint.PARTICLES, own.entries)
        table.keep(own)
        name = ("points_joint_rates",)
        table.put_routines(places.RATES, name, points_joint.__name__)
        table.put_routines(places.UNTREATED, name, points_joint.__name__)
        return table


def _unknowns(system: System, particles: Particles) -> int:
    return int(particles.fixed.shape[1]) * particles.n_free + len(system.extras)


def particle_vector(system: System, particles: Particles, y: Array) -> Array:
    """What is integrated, from the vector in body coordinates."""
    nq, n, n_extras, n_turns = system.n_coordinates, system.n_columns, len(system.extras), len(system.model.turns)
    q, free = y[:nq], particles.n_free
    x, v = particle_motion(system, particles, q, y[nq : nq + n])
    per_body = len(system.model.space.positions)
    bodies = q[: nq - n_extras - n_turns].reshape(-1, per_body)
    turned = bodies[:, 2:] if per_body == 3 else bodies[:, 3:]
    tail = y[nq + n - n_extras :]
    return np.concatenate([x[:free].ravel(), q[nq - n_extras - n_turns :], turned.ravel(), v[:free].ravel(), tail])


def particle_motion(system: System, particles: Particles, q: Array, v: Array) -> tuple[Array, Array]:
    """Places and velocities of all primary particles, global, shape (all, dimension) each [m, m/s]."""
    d = particles.fixed.shape[1]
    x, rates = np.zeros((particles.n_all, d)), np.zeros((particles.n_all, d))
    for b, own in enumerate(particles.bodies):
        if d == 2:
            c, s = np.cos(q[3 * b + 2]), np.sin(q[3 * b + 2])
            arms = own.points @ np.array([[c, s], [-s, c]])
            place, speed = q[3 * b : 3 * b + 2], v[3 * b : 3 * b + 2]
            turning = v[3 * b + 2] * np.column_stack([-arms[:, 1], arms[:, 0]])
        else:
            A = np.asarray(rotations.matrix(q[7 * b + 3 : 7 * b + 7]))
            arms = own.points @ A.T
            place, speed = q[7 * b : 7 * b + 3], v[6 * b : 6 * b + 3]
            turning = np.cross(A @ v[6 * b + 3 : 6 * b + 6], arms)
        x[list(own.numbers)], rates[list(own.numbers)] = place + arms, speed + turning
    x[particles.n_free :], rates[particles.n_free :] = particles.fixed, 0.0
    return x, rates


def particle_names(particles: Particles) -> tuple[str, ...]:
    """Names of the coordinates of the particles that move: "P1.x"; the number is that of `tm.textbook.particles`."""
    axes = "xyz"[: particles.fixed.shape[1]]
    return tuple(f"P{k + 1}.{axis}" for k in range(particles.n_free) for axis in axes)


def particle_table(
    system: System, particles: Particles, floats: Array, distances: list[int], rows: list[int], more: int = 0
) -> Table:
    """A table that kernels of particles can be run from.

    Args:
        system: The system.
        particles: Its bodies as particles.
        floats: Its numbers as they are now.
        distances, rows: Those that are to act.
        more: Room behind the workspace.
    """
    ints, order = system.ints, pattern(system, rows)
    head, numbers = _header(system, particles, distances)
    work = _workspace(head, system, len(distances) + len(rows), more)
    K.points_begin(ints, work[head[T.W_STATE] :])
    table = Table()
    table.shared = work[: K.WORK]
    n = _unknowns(system, particles)
    carried = len(system.model.turns) + len(particles.bodies) * (1 if system.per_body == 3 else 4)
    active = 2 * n + carried + int(ints[L.N_STATES])
    table.entries[places.SIZE] = active + int(ints[L.N_FORCES]) + 1
    table.entries[places.N_ACTIVE] = active
    for place, data in (
        (places.INTS, ints), (places.FLOATS, floats), (places.PATTERN, order), (places.WORKSPACE, work),
        (places.REDUCED, head), (places.REDUCED_NUMBERS, numbers),
    ):  # fmt: skip
        table.put_data(place, data)
    own = numbers[int(head[T.AT_SCALES]) :][:n]
    table.scales = np.ones(active)
    table.scales[:n] = table.scales[n + carried : 2 * n + carried] = own
    return table


def _header(system: System, particles: Particles, distances: list[int]) -> tuple[Ints, Array]:
    """Integers and numbers of the particles."""
    head = [0] * T.HEADER_SIZE
    numbers: list[float] = []
    head[T.LOAD : T.LOAD + len(PARTS)] = addresses(PARTS, points_parts.__name__)
    head[T.N_FREE], head[T.N_ALL], head[T.N_DISTANCES] = particles.n_free, particles.n_all, len(distances)
    head[T.AT_BODIES] = len(head)
    for own in particles.bodies:
        head += [len(own.numbers), *own.numbers, *[0] * (T.MOST - len(own.numbers)), len(numbers)]
        numbers += own.weights.ravel().tolist()
    head[T.AT_PAIRS] = len(head)
    for k in distances:
        head += particles.distances[k][:2]
    head[T.AT_LENGTHS] = len(numbers)
    numbers += [particles.distances[k][2] for k in distances]
    head[T.AT_FIXED] = len(numbers)
    numbers += particles.fixed.ravel().tolist()
    head[T.AT_MASS] = len(numbers)
    numbers += particles.mass_matrix.ravel().tolist()
    head[T.AT_POINTS] = len(numbers)
    for own in particles.bodies:
        numbers += np.pad(own.points, ((0, T.MOST - len(own.points)), (0, 0))).ravel().tolist()
    head[T.AT_SCALES] = len(numbers)
    numbers += [system.length] * (particles.fixed.shape[1] * particles.n_free) + [e.scale for e in system.extras]
    return np.array(head, dtype=np.int64), np.array([*numbers, system.length])


def _workspace(head: Ints, system: System, m: int, more: int) -> Array:
    """Room for all that changes, and where each part of it begins."""
    ints = system.ints
    d = 2 if system.per_body == 3 else 3
    all_particles, columns = int(head[T.N_ALL]), system.n_columns
    n = d * int(head[T.N_FREE]) + len(system.extras)
    whole = system.n_coordinates + columns + int(ints[L.N_STATES]) + int(ints[L.N_FORCES]) + 1
    room = {
        T.W_STATE: int(K.points_begin(ints, np.zeros(0))), T.W_OUT: L.OUTPUT_SIZE * int(ints[L.N_OUTPUTS]),
        T.W_JAC: int(ints[L.N_JACOBIAN]), T.W_WORK: int(ints[L.N_WORK]) + 4, T.W_BODY: whole, T.W_X: d * all_particles,
        T.W_V: d * all_particles, T.W_T: system.per_body * d * T.MOST * len(system.model.bodies), T.W_BIAS: columns, T.W_J: m * n,
        T.W_Q: m * n, T.W_R: m * m, T.W_K: (n + m) * (n + m + 1), T.W_G: columns, T.W_F: n, T.W_PHI: m, T.W_NU: m, T.W_GAMMA: m,
        T.W_STEP: n, T.W_RATES: whole, T.W_TARGET: 3 + 9, T.W_ENERGY: 4, T.W_END: more,
    }  # fmt: skip
    at = K.WORK
    for place, size in room.items():
        head[place] = at
        at += size + 1
    return np.zeros(at)
