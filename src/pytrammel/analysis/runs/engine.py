"""An integration as the kernels take it: equations and a method in one table."""

from __future__ import annotations

import importlib
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from pytrammel.analysis.at_state import in_formulation
from pytrammel.analysis.methods import Method
from pytrammel.kernels import engine as places
from pytrammel.kernels import layout as L
from pytrammel.kernels import linear_layout as N
from pytrammel.kernels.equations import cartesian, exact, matrices, on_constraints, partitioned, penalty, steps  # noqa: F401 (found by name)
from pytrammel.kernels.jit import Element, address_of
from pytrammel.kernels.recording import PythonWatch
from pytrammel.system.band import band
from pytrammel.system.coupling import coupling
from pytrammel.system.lowering import System

if TYPE_CHECKING:
    from pytrammel.analysis.events.from_results import FromResults
    from pytrammel.analysis.runs.options import Options
    from pytrammel.analysis.runs.simulation import Simulation

Array = NDArray[np.float64]
Ints = NDArray[np.int64]

EXACT = ("exact_linearise", "exact_factor", "exact_solve")
DENSE = ("dense_linearise", "dense_factor", "dense_solve")  # matrices of any equations
EQUATIONS = ("rates", "settle", "norm", "record", "watch")


class Cartesian:
    """Constrained motion in body coordinates; what it counts goes on when rows or numbers change."""

    routines = tuple(f"cartesian_{part}" for part in EQUATIONS)
    needs = ("cartesian_begin", *routines)
    differenced = DENSE

    def __init__(self, options: Options) -> None:
        treatment = self.treatment = options.treatment
        self.history: list[tuple[float, tuple[str, ...]]] = []  # since when which parameters followed from others
        self.counted = np.zeros(cartesian.WORK)
        self.counted[[places.RTOL, places.ATOL]] = options.rtol, options.atol
        gains = (options.alpha, options.beta)
        self.counted[[cartesian.ALPHA, cartesian.BETA]] = gains if "alpha" in treatment.takes else 0.0
        self.counted[cartesian.PROJECT] = float(treatment.project)

    def more(self, ints: Ints) -> int:
        """Entries that the integrated vector has behind those of `cartesian`."""
        return 0

    def kept(self, ints: Ints) -> int:
        """Numbers that are kept of a time behind those of `cartesian`."""
        return 0

    def begin(self, system: System, time: float, whole: Array) -> None:
        """Bring what the integrated vector has behind that of `cartesian` up to date with it."""

    def take_over(self, system: System, whole: Array) -> None:
        """Bring the rest of the integrated vector up to date after other equations have moved its usual part on."""

    def trouble(self, system: System) -> str:
        """What to say where a run stops and these equations know why; empty if they do not."""
        return ""

    def memory(self) -> Any:
        """What these equations have settled beside their numbers, as plain data for a checkpoint."""
        return None

    def remember(self, settled: Any) -> None:
        """Go on with what a checkpoint says was settled."""

    def equation(self, system: System, k: int) -> str:
        """What an entry of the integrated vector stands for, in words."""
        nq, columns = system.n_coordinates, system.columns
        if k < nq:
            return f"the place {system.coordinates[k]!r}"
        if k < nq + len(columns):
            return f"the balance of forces along {columns[k - nq]!r}"
        return "a state behind those of the bodies"

    def n_rows(self, table: Table) -> int:
        """How many equations hold by equations."""
        return int(table.data[places.PATTERN][L.P_ROWS])

    def vector(self, run: Simulation) -> Array:
        """What is integrated, in the state that the run is in."""
        return run.whole

    def give_back(self, run: Simulation) -> None:
        """Tell the run the state that an integration has come to: it is the run's own."""

    def keep(self) -> Any:
        """The integrated vector, for `restore`; these equations integrate that of the run."""
        return None

    def restore(self, kept: Any) -> None:
        """Go back to a vector of `keep` together with the run's state, so that the history of a method remains valid."""

    def table(self, run: Simulation, watch: System) -> Table:
        """The table of these equations, without a method."""
        ints, floats, pattern = in_formulation(run.system, run.options.formulation.variant), run.floats, run.pattern
        watch_ints, watch_floats = watch.ints, watch.floats
        sizes = cartesian.cartesian_begin(ints, pattern, np.zeros(0), watch_ints, np.zeros(0))
        work, watch_work = (np.zeros(int(size)) for size in sizes)
        cartesian.cartesian_begin(ints, pattern, work, watch_ints, watch_work)
        work[: cartesian.WORK] = self.counted
        self.counted = work[: cartesian.WORK]
        table = Table()
        table.shared = self.counted
        table.entries[places.SIZE] = size = vector_size(ints)
        table.entries[places.N_EVENTS] = watch_ints[L.N_ROWS]
        outputs = 2 * int(ints[L.N_FORCES])
        table.entries[places.ROW] = size + int(ints[L.N_COLUMNS]) + outputs + 2 + int(pattern[L.P_ROWS])
        table.put_routines(places.RATES, self.routines, cartesian.__name__)
        table.put_routines(places.UNTREATED, self.routines[:1], cartesian.__name__)
        for place, (file, name) in ((places.RATES, self.treatment.rates), (places.SETTLE, self.treatment.settle)):
            table.put_routines(place, (name,), f"pytrammel.kernels.equations.{file}")
        for place, data in (
            (places.INTS, ints), (places.FLOATS, floats), (places.PATTERN, pattern), (places.WORKSPACE, work),
            (places.WATCH_INTS, watch_ints), (places.WATCH_FLOATS, watch_floats), (places.WATCH_WORK, watch_work),
        ):  # fmt: skip
            table.put_data(place, data)
        table.entries[places.N_ACTIVE] = active = size - 1 - int(ints[L.N_FORCES])
        n, nq = int(ints[L.N_COLUMNS]), int(ints[L.N_COORDINATES])
        table.scales = np.ones(active)
        at = int(ints[L.AT_COORDINATE_SCALES])
        table.scales[:nq] = np.minimum(floats[at : at + nq], 1e3)
        at = int(ints[L.AT_COLUMN_SCALES])
        table.scales[nq : nq + n] = floats[at : at + n]
        return table

    def matrices(self, system: System, ints: Ints) -> tuple[str, ...]:
        """Routines for the matrices of implicit methods: exact ones where derivatives of everything are known."""
        other = self.treatment.rates != ("cartesian", "cartesian_rates")
        differenced = other or ints[L.N_STATES] or ints[L.N_REACTIONS] or ints[L.FORMULATION]
        return DENSE if differenced else EXACT

    def put_matrices(self, table: Table, system: System, ints: Ints, pattern: Ints) -> None:
        """Enter exact matrices, where they are known, in the place of differences."""
        if self.matrices(system, ints) != EXACT:
            return
        found = coupling(system)
        table.put_routines(places.LINEARISE, EXACT, exact.__name__)
        table.entries[places.AT_PATTERN] = found.ints.size
        near = band(system, pattern)
        table.put_data(places.COUPLING, np.concatenate([found.ints, found.rows, found.columns, near]))
        lin, n, m = int(found.ints[N.T_SIZE]), system.n_columns, int(pattern[L.P_ROWS])
        width = int(2 * near[0] + near[1] + 1)
        table.put_data(places.MATRICES, np.zeros(int(exact.exact_places(vector_size(ints), lin, n, m, width)[-1])))

    def put_steps(self, table: Table, system: System, method: Method) -> None:
        """Enter what a method asks for that treats the constraints itself."""
        from pytrammel.analysis.runs.steps import of_bodies, put_steps

        put_steps(table, of_bodies(system), method)

    def worst_equation(self, system: System, table: Table, k: int) -> str:
        """What an equation of a step stands for: of a speed, or behind them of a row."""
        head = table.data[steps.STEPS]
        if k < head[steps.N]:
            return self.equation(system, int(head[steps.FIRST]) + k)
        return self.row_in_words(system, table, k - int(head[steps.N]))

    def row_in_words(self, system: System, table: Table, k: int) -> str:
        """What an active equation stands for."""
        order = table.data[places.PATTERN]
        return f"the rows of constraint {system.rows[int(order[int(order[L.P_AT_ROWS]) + k])].owner!r}"


class Table:
    """What `integration_run` is run from; keeps alive what its addresses lead to."""

    def __init__(self) -> None:
        self.entries = np.zeros(places.TABLE_SIZE, dtype=np.int64)
        self.data: dict[int, NDArray[Any]] = {}
        self._kept: list[Table] = []
        self._python_watch: PythonWatch | None = None
        # rates for this one model: machine code, and room for what it returns
        self.written_out: tuple[object, Array] | None = None
        self.numbers = np.zeros(places.N_METHOD)  # of the method
        self.shared = np.zeros(places.N_SHARED)  # what equations, methods and we have in common: tolerances, counts
        self.allowed = np.zeros(0)  # absolute errors, where they do not follow from the scales
        self.scales = np.zeros(0)  # what counts as one for each entry that the rates depend on
        self.method: Method | None = None

    def put_routines(self, first: int, names: tuple[str, ...], module: str) -> None:
        """Enter addresses of routines, one after another."""
        self.entries[first : first + len(names)] = addresses(names, module)

    def put_python_watch(self, others: FromResults) -> None:
        """Have some of the watched formulas evaluated in Python, from the state of the bodies."""
        of_bodies = self
        while of_bodies._kept:
            of_bodies = of_bodies._kept[0]
        entries = of_bodies.entries
        own = int(entries[places.WATCH])
        self._python_watch = PythonWatch(int(entries[places.SIZE]), others.places, others.value, own)
        for table in (self, of_bodies):
            if int(table.entries[places.WATCH]) == own:
                table.entries[places.WATCH] = self._python_watch.address

    def put_data(self, place: int, data: NDArray[np.generic]) -> None:
        """Enter the address of an array."""
        self.data[place] = data
        self.entries[place] = address_of(data)

    def keep(self, other: Table) -> None:
        """Keep alive what another table leads to."""
        self._kept.append(other)

    def worst(self) -> int | None:
        """Entry of the integrated vector in which the method's last iteration moved most; None if it has none, or it converged."""
        if self.method is None or self.method.correction is None or not self.numbers[places.UNSOLVED]:
            return None
        at, further = self.method.correction
        first = int(self.entries[at]) + further * int(self.entries[places.SIZE])
        active = int(self.entries[places.N_ACTIVE])
        change = np.abs(self.numbers[first : first + active]) / (self.scales if self.scales.size == active else 1.0)
        return int(np.argmax(np.where(np.isnan(change), np.inf, change)))

    def put_rates_on_constraints(self, wanted: bool) -> None:
        """Offer rates for the neighbourhood of singular positions, where states are projected and rates are nothing special."""
        if self.entries[places.ON_CONSTRAINTS] == self.entries[places.RATES]:
            self.entries[places.RATES] = self.entries[places.UNTREATED]
        self.entries[places.ON_CONSTRAINTS] = 0
        if wanted and self.entries[places.RATES] == self.entries[places.UNTREATED]:
            self.put_routines(places.ON_CONSTRAINTS, ("rates_on_constraints",), on_constraints.__name__)
            self.put_data(places.TREATMENT, np.zeros(int(self.entries[places.SIZE])))

    def put_method(self, method: Method) -> None:
        """Enter a method with room for its numbers."""
        if method.back_end is not None:
            return
        self.method = method
        numbers, own = method.numbers(int(self.entries[places.SIZE]))
        numbers[places.ORDER], numbers[places.FIXED] = method.control_order or method.order, float(method.fixed)
        numbers[places.STABLE] = method.stable
        self.numbers = numbers
        self.entries[places.N_PLACES] = method.places
        self.entries[places.OWN : places.OWN + len(own)] = own
        self.put_routines(places.START, method.routines, f"pytrammel.kernels.methods.{method.family}")
        self.put_data(places.NUMBERS, numbers)
        if method.implicit:
            self.put_routines(places.LINEARISE, DENSE, matrices.__name__)
            size, active = int(self.entries[places.SIZE]), int(self.entries[places.N_ACTIVE])
            room = np.zeros(int(matrices.places(size, active)[-1]))
            room[:active] = self.scales
            self.put_data(places.MATRICES, room)


@cache
def addresses(names: tuple[str, ...], module: str) -> list[int]:
    """Addresses of routines of a module."""
    found = importlib.import_module(module)
    routines: list[Element] = [getattr(found, name) for name in names]
    return [routine.address() for routine in routines]


def vector_size(ints: Ints) -> int:
    """Entries of the integrated vector: positions, velocities, inner states, works."""
    return int(ints[[L.N_COORDINATES, L.N_COLUMNS, L.N_STATES, L.N_FORCES]].sum()) + 1
