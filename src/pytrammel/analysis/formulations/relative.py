"""Relative coordinates after Kamman: six for each body against its lower body; those that joints lock or drivers prescribe are known."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from pytrammel import rotations
from pytrammel._util.lazy_imports import linalg
from pytrammel.analysis.formulations import Cut, Formulation, SmallMotions, formulation_type
from pytrammel.analysis.freedom.rank import jacobian, rank_of_pivots
from pytrammel.analysis.runs.engine import Table, addresses, vector_size
from pytrammel.analysis.runs.fewer import FewerCoordinates, refusal
from pytrammel.errors import ModelError
from pytrammel.kernels import engine as places
from pytrammel.kernels import layout as L
from pytrammel.kernels import run as rk
from pytrammel.kernels.equations import relative as kernels
from pytrammel.kernels.equations import relative_steps  # noqa: F401 (found by name)
from pytrammel.kernels.links import layout as K
from pytrammel.kernels.links import plane, space
from pytrammel.system.lowering import System
from pytrammel.system.pattern import pattern
from pytrammel.system.relative import Link, Relative, anchored, coordinates, pose_of, relative_structure, relative_turn
from pytrammel.system.topology import spanning_tree

if TYPE_CHECKING:
    from pytrammel.analysis.runs.options import Options
    from pytrammel.analysis.runs.simulation import Simulation
    from pytrammel.analysis.runs.steps import Positions
    from pytrammel.analysis.small_motions.reduced import State
    from pytrammel.results.studies.matrices import Matrices

Array = NDArray[np.float64]
Ints = NDArray[np.int64]

EQUATIONS = ("rates", "settle", "norm", "record", "watch")
IN_PLANE = (2, 3, 4)  # the angle about the normal and two translations
SAME = 1e-9  # how well a prescribed quantity must be a coordinate


def needed_kernels(dimension: int) -> tuple[str, ...]:
    sweep = "plane_sweep" if dimension == 2 else "space_sweep"
    runs = ("relative_to_bodies_run", "relative_study_run", "relative_begin")
    return (sweep, *(f"relative_{part}" for part in EQUATIONS), *runs)


def _cannot(system: System, options: Options) -> str:
    reason = refusal(options, "loops are closed")
    if not reason and system.ints[L.N_REACTIONS]:
        return "some force depends on reactions, which are found only after the motion here; use 'cartesian' or 'joint'"
    return reason


def _matrices(state: State, formulation: Formulation) -> Matrices:
    from pytrammel.analysis.study.relative import write_out

    return write_out(state, formulation)


def _small_motions(state: State, formulation: Formulation) -> SmallMotions:
    from pytrammel.analysis.study.small import of_relative

    return of_relative(state, formulation)


@formulation_type("relative")
def relative() -> Formulation:
    """Relative angles and translations of each body, the known ones eliminated."""
    return Formulation(
        "relative angles and translations of each body, known ones eliminated (Kamman), dense: for study",
        RelativeCoordinates,
        needed_kernels,
        values={
            "base": str,
            "cut": Cut,
            "axes": Mapping[str, Any] | None,
            "rotations": Literal["angles", "parameters"],
        },
        takes={"base": "heaviest", "cut": None, "axes": None, "rotations": "angles"},
        cannot=_cannot,
        matrices=_matrices,
        small_motions=_small_motions,
    )


@dataclass(frozen=True)
class Layout:
    """Which coordinates have columns.

    Attributes:
        structure: The links.
        parameters: Per link, whether its rotation is by Euler parameters.
        unknown: Places (link, number among six) of the unknown coordinates, in the order of their columns.
        driven: Prescribed coordinates: place, row of the driver, sign.
    """

    structure: Relative
    parameters: tuple[bool, ...]
    unknown: tuple[tuple[int, int], ...]
    driven: tuple[tuple[int, int, int, float], ...] = ()

    @property
    def positions(self) -> list[tuple[int, int]]:
        """Entry of the seven of each link, and column (-1 for Euler parameters), of each unknown position."""
        out = []
        for column, (k, i) in enumerate(self.unknown):
            if self.parameters[k] and i < 3:
                out += [(7 * k + e, -1) for e in range(4)] if i == 0 else []
            else:
                out.append((7 * k + (i if i < 3 else i + 1), column))
        return out

    @property
    def n_columns(self) -> int:
        """Columns of bodies' speeds, known and unknown."""
        return len(self.unknown) + len(self.driven)


def structure_of(system: System, rows: Sequence[int], q: Array, chosen: Formulation) -> Relative:
    """The links for the active equations, with joint frames that fit the joints at a pose."""
    topology = spanning_tree(system, rows, base=str(chosen["base"]), cut=chosen["cut"])
    axes = chosen["axes"]
    return relative_structure(system, topology, q, axes)


def layout_of(structure: Relative, chosen: Formulation) -> Layout:
    """Columns for what the joints leave unknown."""
    parameters = tuple(chosen["rotations"] == "parameters" and link.is_ball for link in structure.links)
    unknown = tuple((k, i) for k, link in enumerate(structure.links) for i in range(6) if link.free[i])
    return Layout(structure, parameters, unknown)


def whole_layout(structure: Relative, parameters: Sequence[bool]) -> Layout:
    """Columns for all coordinates, locked ones too."""
    used = IN_PLANE if structure.system.per_body == 3 else range(6)
    return Layout(structure, tuple(parameters), tuple((k, i) for k in range(len(structure.links)) for i in used))


def values_at(layout: Layout, q: Array) -> Array:
    """Seven numbers of each link at a pose, shape (links, 7): angles or Euler parameters, then translations from 4."""
    structure = layout.structure
    out = np.zeros((len(structure.links), K.PER_LINK_X))
    for k, link in enumerate(structure.links):
        lower, own = pose_of(structure.system, q, link.lower), pose_of(structure.system, q, link.body)
        found = coordinates(link, lower, own)
        kept = np.where(link.free, found, link.locked)
        out[k, K.FIRST_SLIDE_X :] = kept[3:]
        if layout.parameters[k]:
            out[k, :4] = rotations.parameters(relative_turn(link, lower, own))
        else:
            out[k, :3] = kept[:3]
    return out


def link_numbers(layout: Layout, q: Array, values: Array) -> Array:
    """Numbers of the links for the kernels: frames, points, and signs of Euler parameters as the bodies have them at a pose."""
    system = layout.structure.system
    out = np.zeros((len(layout.structure.links), K.LINK_NUMBERS))
    index = {name: k - 1 for k, name in enumerate(system.model.bodies)}
    for k, link in enumerate(layout.structure.links):
        numbers = out[k]
        numbers[K.ON_LOWER : K.ON_LOWER + 3], numbers[K.ON_BODY : K.ON_BODY + 3] = link.point, link.own_point
        numbers[K.D : K.D + 9], numbers[K.B : K.B + 9] = link.frame.ravel(), link.own_frame.ravel()
        own, low = index[link.body], index[link.lower]
        if system.per_body == 3:
            below = q[3 * low + 2] if low >= 0 else 0.0
            numbers[K.ANGLE_OFFSET] = q[3 * own + 2] - below - values[k, 2]
            continue
        frame, into = rotations.parameters(link.frame), rotations.conjugate(rotations.parameters(link.own_frame))
        turn = values[k, :4] if layout.parameters[k] else _of_angles(values[k, :3])
        below = q[7 * low + 3 : 7 * low + 7] if low >= 0 else np.array([1.0, 0.0, 0.0, 0.0])
        found = rotations.product(rotations.product(rotations.product(below, frame), turn), into)
        sign = -1.0 if found @ q[7 * own + 3 : 7 * own + 7] < 0.0 else 1.0
        numbers[K.LOWER_FRAME : K.LOWER_FRAME + 4], numbers[K.INTO_BODY : K.INTO_BODY + 4] = frame, sign * into
    return out


def _of_angles(theta: Array) -> Array:
    """Euler parameters of 1-2-3 angles, of the sign that the kernels give them."""
    out = np.array([1.0, 0.0, 0.0, 0.0])
    for k, angle in enumerate(theta):
        turn = np.zeros(4)
        turn[0], turn[k + 1] = np.cos(0.5 * angle), np.sin(0.5 * angle)
        out = np.asarray(rotations.product(out, turn))
    return out


def relative_table(layout: Layout, floats: Array, rows: Sequence[int], q: Array) -> Table:
    """A table that kernels of relative coordinates can be run from, its frames as at a pose.

    Args:
        layout: Which coordinates have columns.
        floats: Numbers of the system as they are now.
        rows: Independent equations that no coordinate stands for.
        q: The pose.
    """
    system = layout.structure.system
    ints, own_pattern = system.ints, pattern(system, list(rows))
    values = values_at(layout, q)
    head, numbers = _header(layout, q, values)
    work = _workspace(head, layout, ints, own_pattern)
    kernels.relative_begin(ints, work[head[K.W_STATE] :])
    work[head[K.W_X] : head[K.W_X] + values.size] = values.ravel()
    table = Table()
    table.shared = work[: kernels.WORK]
    n_turns = len(system.model.turns)
    first = int(head[K.N_POSITIONS]) + len(system.extras) + n_turns
    active = first + int(head[K.N_UNKNOWN]) + int(ints[L.N_STATES])
    table.entries[places.SIZE] = active + int(ints[L.N_FORCES]) + 1
    table.entries[places.N_ACTIVE] = active
    for place, data in (
        (places.INTS, ints), (places.FLOATS, floats), (places.PATTERN, own_pattern), (places.WORKSPACE, work),
        (places.REDUCED, head), (places.REDUCED_NUMBERS, numbers),
    ):  # fmt: skip
        table.put_data(place, data)
    s, u = _scales(layout)
    table.scales = np.ones(active)
    table.scales[:first] = np.concatenate([s, np.full(n_turns, 1e3)])
    table.scales[first : first + u.size] = u
    return table


def _scales(layout: Layout) -> tuple[Array, Array]:
    """What counts as one for each unknown position and each unknown speed, extras included."""
    system = layout.structure.system
    extra = [e.scale for e in system.extras]
    s = [0.5 if column < 0 else 1.0 if x % 7 < 3 else system.length for x, column in layout.positions]
    u = [1.0 if i < 3 else system.length for _, i in layout.unknown]
    return np.array([*s, *extra]), np.array([*u, *extra])


def _header(layout: Layout, q: Array, values: Array) -> tuple[Ints, Array]:
    """Integers and numbers of the links."""
    structure, system = layout.structure, layout.structure.system
    spatial = system.per_body == 6
    head = [0] * K.HEADER_SIZE
    positions, extras = layout.positions, len(system.extras)
    head[K.N_LINKS], head[K.N_POSITIONS], head[K.N_SPEEDS] = len(structure.links), len(positions), len(layout.unknown)
    head[K.N_UNKNOWN] = len(layout.unknown) + extras
    head[K.N_COLUMNS], head[K.N_DRIVEN] = head[K.N_UNKNOWN] + len(layout.driven), len(layout.driven)
    sweep = ("space_sweep", space) if spatial else ("plane_sweep", plane)
    head[K.SWEEP] = addresses((sweep[0],), sweep[1].__name__)[0]
    columns = {place: c for c, place in enumerate(layout.unknown)}
    columns |= {(k, i): head[K.N_UNKNOWN] + c for c, (k, i, _, _) in enumerate(layout.driven)}
    number = {name: k - 1 for k, name in enumerate(system.model.bodies)}
    body_size = L.SPACE_BODY_SIZE if spatial else L.BODY_SIZE
    at_y = {x // 7: at for at, (x, _) in reversed(list(enumerate(positions))) if x % 7 < 3}
    head[K.AT_LINKS] = len(head)
    for k, link in enumerate(structure.links):
        own, low = number[link.body], number[link.lower]
        head += [
            L.FIRST_BODY + body_size * (own + 1), L.FIRST_BODY + body_size * (low + 1), own, low,
            K.PARAMETERS if layout.parameters[k] else K.ANGLES, int(link.is_ball), at_y.get(k, -1),
            *(columns.get((k, i), -1) for i in range(6)), 0,
        ]  # fmt: skip
    head[K.AT_POSITIONS] = len(head)
    head += [entry for position in positions for entry in position]
    head[K.AT_SPEEDS] = len(head)
    head += [6 * k + i for k, i in layout.unknown]
    head[K.AT_DRIVEN] = len(head)
    for c, (k, i, row, _) in enumerate(layout.driven):
        head += [7 * k + (i if i < 3 else i + 1), 6 * k + i, row, head[K.N_UNKNOWN] + c]
    own_numbers = link_numbers(layout, q, values).ravel()
    s, u = _scales(layout)
    head[K.AT_SCALES] = own_numbers.size
    head[K.AT_LAWS] = own_numbers.size + s.size + u.size
    laws = [number for driven in layout.driven for number in (driven[3], 0.0)]
    return np.array(head, dtype=np.int64), np.concatenate([own_numbers, s, u, laws, [0.0]])


def _workspace(head: Ints, layout: Layout, ints: Ints, own_pattern: Ints) -> Array:
    """Room for all that changes, and where each part of it begins."""
    system = layout.structure.system
    n, m = system.n_columns, int(own_pattern[L.P_ROWS])
    links, count, unknown = len(layout.structure.links), int(head[K.N_COLUMNS]), int(head[K.N_UNKNOWN])
    whole = system.n_coordinates + n + int(ints[L.N_STATES]) + int(ints[L.N_FORCES]) + 1
    room = {
        K.W_STATE: int(kernels.relative_begin(ints, np.zeros(0))), K.W_OUT: L.OUTPUT_SIZE * int(ints[L.N_OUTPUTS]),
        K.W_JAC: int(ints[L.N_JACOBIAN]), K.W_WORK: int(ints[L.N_WORK]) + 4, K.W_FORCES: n, K.W_BIAS: n, K.W_P: n * count,
        K.W_MP: n, K.W_A: count * count, K.W_F: count, K.W_X: 7 * links, K.W_Y: 6 * links, K.W_YD: len(layout.driven),
        K.W_B: m * count, K.W_K: (unknown + m) * (unknown + m + 1), K.W_PHI: m, K.W_RATE: m, K.W_GAMMA: m, K.W_TARGET: 3,
        K.W_CARTESIAN: whole, K.W_ENERGY: 4, K.W_STEP: unknown, K.W_LAM: m, K.W_VELOCITY: n, K.W_TURNING: 18, K.W_NORMS: m,
    }  # fmt: skip
    at = kernels.WORK
    for place, size in room.items():
        head[place] = at
        at += size + 1
    return np.zeros(at)


def part(table: Table, place: int, *shape: int) -> Array:
    """A part of the workspace of a table, as an array of some shape."""
    work, at = table.data[places.WORKSPACE], int(table.data[places.REDUCED][place])
    return np.asarray(work[at : at + int(np.prod(shape))]).reshape(shape)


class RelativeCoordinates(FewerCoordinates):
    """Motion in relative coordinates; the equations in body coordinates keep the books."""

    routines = tuple(f"relative_{part}" for part in EQUATIONS)
    named = offers = "relative"

    def __init__(self, options: Options) -> None:
        super().__init__(options)
        self._began = 0.0
        self._structures: dict[tuple[int, ...], Relative] = {}
        # poses that frames were taken from, one after another, and how often the model's numbers had changed before
        self._poses: dict[tuple[int, ...], tuple[int, list[list[float]]]] = {}

    def _structure(self, run: Simulation) -> Relative:
        """The links for the active equations now; frames stay as they are as long as they serve."""
        key, changes = tuple(run.acting_rows), len(run.model_changes)
        if key not in self._structures or self._structures[key].system is not run.system:
            known, poses = self._poses.get(key, (-1, []))
            if known != changes:
                poses = [run.q.tolist()]
            found = structure_of(run.system, key, np.array(poses[0]), run.options.formulation)
            for pose in poses[1:]:
                found = turned_away(found, np.array(pose))
            self._structures[key], self._poses[key] = found, (changes, poses)
        found = self._structures[key]
        if run.options.formulation["rotations"] == "angles":
            turned = turned_away(found, run.q)
            if any(new is not old for new, old in zip(turned.links, found.links, strict=True)):
                self._poses[key][1].append(run.q.tolist())
            found = self._structures[key] = turned
            balls = [link.body for link in found.links if link.is_ball]
            if balls and run.options.method.back_end is not None:
                raise ModelError(
                    f"method {run.options.method.name!r} does not tell when its steps end, where body {balls[0]!r} may need other joint "
                    "frames before its second angle comes to 90°; use tm.formulation('relative', rotations='parameters'), or one of our "
                    "own methods."
                )
        return found

    def table(self, run: Simulation, watch: System) -> Table:
        """The table of these equations, without a method."""
        inner = self.inner.table(run, watch)
        system, q, time = run.system, run.q.copy(), float(run.clock[0])
        layout = layout_of(self._structure(run), run.options.formulation)
        layout = with_known(layout, [k for k in run.active if k in layout.structure.rows], run.floats, q, time)
        known = {row for _, _, row, _ in layout.driven}
        rows = [row for row in layout.structure.rows if row not in known]
        if run.redundant:
            rows = independent_rows(layout, rows, run.floats, q, time)
        table = relative_table(layout, run.floats, rows, q)
        table.shared[:] = self.counted
        self.counted = table.shared
        for entry in (places.N_EVENTS, places.ROW):
            table.entries[entry] = inner.entries[entry]
        table.put_routines(places.RATES, self.routines, kernels.__name__)
        table.put_routines(places.UNTREATED, self.routines[:1], kernels.__name__)
        table.put_data(places.INNER, inner.entries)
        table.keep(inner)
        self._table, self._layout = table, layout
        self._bodies = np.zeros(0)
        assert system is layout.structure.system
        return table

    def positions(self, system: System) -> Positions:
        """How unknown coordinates follow speeds."""
        from pytrammel.analysis.runs.steps import Positions

        found, unknown, extras = self._layout.positions, self._layout.unknown, len(system.extras)
        columns = {place: c for c, place in enumerate(unknown)}
        plain = [(k, c) for k, (_, c) in enumerate(found) if c >= 0]
        plain += [(len(found) + e, len(unknown) + e) for e in range(extras)]
        turning = [(k, columns[x // 7, 0]) for k, (x, c) in enumerate(found) if c < 0 and x % 7 == 0]
        return Positions(plain, turning, len(system.model.turns), len(unknown) + extras)

    def memory(self) -> list[Any]:
        """Poses that frames were taken from."""
        return [[list(key), changes, [list(pose) for pose in poses]] for key, (changes, poses) in self._poses.items()]

    def remember(self, settled: list[Any]) -> None:
        """Take frames from these poses."""
        self._poses = {tuple(key): (changes, poses) for key, changes, poses in settled}

    def vector(self, run: Simulation) -> Array:
        """Unknown coordinates and speeds of the state that the run is in."""
        self._began = float(run.clock[0])
        return super().vector(run)

    def _reduced(self, run: Simulation) -> Array:
        assert self._table is not None
        return vector_at(self._table, self._layout, self._began, run.y)

    def _show(self, table: Table, time: float) -> None:
        kernels.relative_to_bodies_run(table.entries, time, self._y, self._bodies)

    def _measure(self, table: Table, time: float) -> float:
        return float(kernels.relative_study_run(table.entries, time, self._y))

    def _ended(self, run: Simulation) -> float:
        """When the state that an integration has come to is: before a jump of what drives known coordinates, if it ended at one."""
        time = float(run.clock[0])
        passed = run.breaks.after(time) - 1
        if time == self._began or passed < 0:
            return time
        last = run.breaks.table[passed]
        return float(last[rk.BEFORE]) if last[rk.IMPULSIVE] and last[rk.AFTER] == time else time


def turned_away(structure: Relative, q: Array) -> Relative:
    """The same with other joint frames for balls whose second angle is far from zero at a pose."""

    def frame(link: Link) -> Link:
        lower, own = pose_of(structure.system, q, link.lower), pose_of(structure.system, q, link.body)
        if not link.is_ball or abs(np.cos(coordinates(link, lower, own)[1])) > K.TURNED_FAR:
            return link
        return anchored(link, lower, own)

    return replace(structure, links=tuple(map(frame, structure.links)))


def vector_at(table: Table, layout: Layout, time: float, state: Array) -> Array:
    """What is integrated, from a vector in body coordinates."""
    system = layout.structure.system
    nq, n, n_extras = system.n_coordinates, system.n_columns, len(system.extras)
    q, v = state[:nq], state[nq : nq + n]
    carried = n_extras + len(system.model.turns)
    values = values_at(layout, q)
    numbers = table.data[places.REDUCED_NUMBERS]
    own = link_numbers(layout, q, values).ravel()
    numbers[: own.size] = own
    x = [values.ravel()[at] for at, _ in layout.positions]
    y = np.concatenate([x, q[nq - carried :], np.zeros(len(layout.unknown)), state[nq + n - n_extras :]])
    kernels.relative_to_bodies_run(table.entries, time, y, np.zeros(state.size))
    laws = numbers[int(table.data[places.REDUCED][K.AT_LAWS]) :]
    now = part(table, K.W_X, len(values), K.PER_LINK_X)
    for c, (k, i, _, sign) in enumerate(layout.driven):
        at = i if i < 3 else i + 1
        laws[2 * c + 1] += sign * (now[k, at] - values[k, at])
    out = np.zeros(state.size)
    kernels.relative_to_bodies_run(table.entries, time, y, out)
    if layout.unknown:
        partial = part(table, K.W_P, int(table.data[places.REDUCED][K.N_COLUMNS]), n)[: len(layout.unknown)]
        scales, own_scales = system.column_scales(), _scales(layout)[1][: len(layout.unknown)]
        matrix = (partial * own_scales[:, None] / scales).T
        first = len(x) + carried
        u = np.linalg.lstsq(matrix, (v - out[nq : nq + n]) / scales, rcond=None)[0]
        y[first : first + len(layout.unknown)] = u * own_scales
    return y


def at_rest(system: System, q: Array) -> Array:
    """The vector in body coordinates of a pose at rest."""
    return np.concatenate([q, np.zeros(vector_size(system.ints) - q.size)])


def with_known(layout: Layout, rows: Sequence[int], floats: Array, q: Array, time: float) -> Layout:
    """Coordinates that drivers prescribe become known: those of which the driven quantity is the value, up to sign and a constant."""
    system = layout.structure.system
    drivers = []
    for row in rows:
        owner = system.model.constraints.get(system.rows[row].owner)  # None: friction that sticks, a rigid contact
        if (
            owner is not None
            and owner.is_driver
            and owner.prescribes is not None
            and owner.n_rows == 1
            and not owner.extras
        ):
            drivers.append(row)
    if not drivers or not layout.unknown:
        return layout
    table = relative_table(layout, floats, [], q)
    y = vector_at(table, layout, time, at_rest(system, q))
    rng = np.random.default_rng(1)
    entries = [
        _along(layout, table, drivers, y + change, time)
        for change in (0.0, _shake(layout, rng, y.size), _shake(layout, rng, y.size))
    ]
    found: list[tuple[int, int, int, float]] = []
    for k, row in enumerate(drivers):
        along = np.array([each[k] for each in entries])
        column = int(np.argmax(np.abs(along[0])))
        one = np.zeros(len(layout.unknown))
        one[column] = sign = float(np.sign(along[0][column]))
        link, i = layout.unknown[column]
        usable = i >= 3 or not layout.structure.links[link].is_ball
        if usable and np.abs(along - one).max() < SAME and (link, i) not in [(a, b) for a, b, _, _ in found]:
            found.append((link, i, row, sign))
    known = {(k, i) for k, i, _, _ in found}
    return replace(layout, unknown=tuple(place for place in layout.unknown if place not in known), driven=tuple(found))


def _shake(layout: Layout, rng: np.random.Generator, size: int) -> Array:
    """Other values of the unknown coordinates, not too far away."""
    out = np.zeros(size)
    positions = layout.positions
    out[: len(positions)] = [0.0 if c < 0 else rng.uniform(0.1, 0.4) for _, c in positions]
    return out


def _along(layout: Layout, table: Table, rows: Sequence[int], y: Array, time: float) -> Array:
    """Rows along the unknown coordinates, shape (rows, unknown), in their own units."""
    system = layout.structure.system
    nq, n = system.n_coordinates, system.n_columns
    out = np.zeros(nq + n + y.size)
    kernels.relative_to_bodies_run(table.entries, time, y, out)
    partial = part(table, K.W_P, int(table.data[places.REDUCED][K.N_COLUMNS]), n)[: len(layout.unknown)]
    scaled = jacobian(system, out[:nq], time, rows) * system.row_scales()[list(rows), None] / system.column_scales()
    return np.asarray(scaled @ partial.T)


def independent_rows(layout: Layout, rows: Sequence[int], floats: Array, q: Array, time: float) -> list[int]:
    """Rows that are independent of locked and known coordinates and of each other, the largest first."""
    if not rows:
        return []
    system = layout.structure.system
    free = replace(layout, driven=())
    table = relative_table(free, floats, [], q)
    y = vector_at(table, free, time, at_rest(system, q))
    along = (
        _along(free, table, rows, y, time)
        * _scales(free)[1][: len(free.unknown)]
        / system.row_scales()[list(rows), None]
    )
    extras = jacobian(system, q, time, rows)[:, system.n_columns - len(system.extras) :]
    _, sizes, order = linalg.qr(np.hstack([along, extras]).T, mode="economic", pivoting=True)
    rank = rank_of_pivots(layout.structure.system, np.diag(sizes))
    return sorted(rows[k] for k in order[:rank])
