"""How rotations in space are integrated: what their state is, and how Euler parameters keep their length of one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from pytrammel.analysis.at_state import in_formulation
from pytrammel.analysis.formulations import ROTATIONS
from pytrammel.analysis.runs.engine import DENSE, Cartesian, Table
from pytrammel.errors import ModelError
from pytrammel.kernels import engine as places
from pytrammel.kernels import layout as L
from pytrammel.kernels.equations import parameters
from pytrammel.kernels.jit import address_of
from pytrammel.rotations import parameter_rate
from pytrammel.system.lowering import System

if TYPE_CHECKING:
    from pytrammel.analysis.runs.options import Options
    from pytrammel.analysis.runs.simulation import Simulation

Array = NDArray[np.float64]
Ints = NDArray[np.int64]

UNWATCHED = 1e30  # scale of what nothing depends on

STATES = {
    "velocities": "Euler parameters and angular velocities (DI-3); the default",
    "rates": "Euler parameters and their rates (DI-2; Haug 11.6)",
}


@dataclass(frozen=True)
class Holding:
    """A way to keep Euler parameters at length one.

    Attributes:
        about: One line about it.
        code: What the kernels call it.
        takes: Gains that it needs.
    """

    about: str
    code: int
    takes: tuple[str, ...] = ()


HOLDINGS = {
    "corrected": Holding(
        "After every step **p** is brought to length one, and the part of its rate along **p** is taken away (13.8–13.11); the default.",
        parameters.BOTH,
    ),
    "position": Holding("After every step **p** is brought to length one (13.8, 13.9).", parameters.POSITION),
    "velocity": Holding(
        "After every step the part of the rate along **p** is taken away (13.10, 13.11).", parameters.VELOCITY
    ),
    "none": Holding("Nothing is put right: the length drifts.", parameters.NONE),
    "baumgarte": Holding(
        "The length is a row like any other, stabilised (CS-1) with `alpha` and `beta`.",
        parameters.STABILISED,
        ("alpha", "beta"),
    ),
    "partitioning": Holding(
        "The length is a row like any other, partitioned (CP): the largest parameter of each body follows from the other three, at "
        "every evaluation; another one where it becomes small.",
        parameters.FOLLOWING,
    ),
}
USUAL = ("velocities", "corrected")


def is_usual(options: Options) -> bool:
    """Return True if rotations are integrated as they are by default; angular velocities need no other correction than that of **p**."""
    return options.rotations == USUAL[0] and options.euler_parameters in ("corrected", "position")


def conflict(options: Mapping[str, Any]) -> str:
    """Reason why options about rotations cannot be combined."""
    given = {**ROTATIONS, **options}
    rotations, normalize = given["rotations"], given["normalize"]
    if (rotations, normalize) == ("velocities", "velocity"):
        return (
            "normalize='velocity' has nothing to correct where angular velocities are integrated: the rate that follows from them "
            "has no part along p. Use 'corrected' or 'none', or rotations='rates'."
        )
    for key in ("alpha", "beta"):
        if given[key] is not None and not takes(rotations, normalize, key):
            also = " with rotations='rates'" if key == "beta" else ""
            return f"{key}={given[key]:g} would not be used without normalize='baumgarte'{also}. Remove {key}=."
    return ""


def takes(rotations: object, euler_parameters: object, option: str) -> bool:
    """Return True if an option means something beside a way to keep the length; angular velocities leave one gain only."""
    known = HOLDINGS.get(euler_parameters) if isinstance(euler_parameters, str) else None
    return known is not None and option in known.takes and (rotations == "rates" or option == "alpha")


def refuse_rotations(dimension: int, name: str, options: Options) -> None:
    """Raise `ModelError` for options that are not supported for a model or a method."""
    said = [
        f"{key}={word!r}"
        for key, word, usual in zip(
            ("rotations", "normalize"), (options.rotations, options.euler_parameters), USUAL, strict=True
        )
        if word != usual
    ]
    if not said:
        return
    if dimension == 2:
        raise ModelError(
            f"{said[0]} is for spatial models: model {name!r} is planar and has no Euler parameters; leave it out."
        )
    if not options.formulation.in_bodies:
        raise ModelError(
            f"{said[0]} is for body coordinates and does not go with formulation='{options.formulation}'; leave one of them out."
        )
    method = options.method
    if method.own_constraints:
        raise ModelError(
            f"method {method.name!r} turns bodies by rotation vectors, which keep Euler parameters at length one, and does not go with "
            f"{said[0]}; leave that out, or use a method such as 'radau5' or 'dop853'."
        )
    if method.back_end is not None and options.euler_parameters == "partitioning":
        raise ModelError(
            f"method {method.name!r} does not tell when its steps end, where another parameter may have to follow, and does not go with "
            "normalize='partitioning'; use 'corrected', or a method such as 'adams' or 'bdf'."
        )


def equations_of(options: Options) -> Cartesian:
    """The equations of a run."""
    return options.formulation.equations(options) if is_usual(options) else InParameters(options)


class InParameters(Cartesian):
    """Constrained motion whose Euler parameters are integrated or held in another way, around any treatment of constraints."""

    own = ("parameters_rates", "parameters_settle", "parameters_norm", "parameters_record")
    needs = (*Cartesian.needs, *own)

    def __init__(self, options: Options) -> None:
        super().__init__(options)
        self.gains = options.parameter_gains
        self.with_rates = options.rotations == "rates"  # behind the usual vector
        self.held = HOLDINGS[options.euler_parameters].code
        self.integers, self.numbers = np.zeros(0, dtype=np.int64), np.zeros(0)

    def more(self, ints: Ints) -> int:
        return 4 * (int(ints[L.N_BODIES]) - 1) if self.with_rates else 0

    def kept(self, ints: Ints) -> int:
        return 2 * (int(ints[L.N_BODIES]) - 1)

    def begin(self, system: System, time: float, whole: Array) -> None:
        bodies, q = int(system.ints[L.N_BODIES]) - 1, system.n_coordinates
        if not self.integers.size:
            self.integers = np.zeros(parameters.DEPENDENT + bodies, dtype=np.int64)
            largest = np.abs(whole[: 7 * bodies].reshape(bodies, 7)[:, 3:]).argmax(axis=1)
            self.integers[parameters.DEPENDENT :] = largest
        if self.held == parameters.FOLLOWING:
            names = tuple(
                f"{body}.e{k}"
                for body, k in zip(
                    list(system.model.bodies)[1:], self.integers[parameters.DEPENDENT :].tolist(), strict=True
                )
            )
            if not self.history or self.history[-1][1] != names:
                self.history.append((time, names))
        if self.with_rates:
            # events may have changed velocities: the part of p' across p is theirs
            unit, across, rates = self._rates(bodies, q, whole)
            rates[:] = across + (unit * rates).sum(axis=1, keepdims=True) * unit

    @staticmethod
    def _rates(bodies: int, q: int, whole: Array) -> tuple[Array, Array, Array]:
        """Unit parameters, their rates by the angular velocities, and a view of p' behind the usual vector, shape (bodies, 4) each."""
        p = whole[: 7 * bodies].reshape(bodies, 7)[:, 3:]
        unit = p / np.linalg.norm(p, axis=1, keepdims=True)
        spin = whole[q : q + 6 * bodies].reshape(bodies, 6)[:, 3:]
        return unit, parameter_rate(unit, spin), whole[whole.size - 4 * bodies :].reshape(bodies, 4)

    def take_over(self, system: System, whole: Array) -> None:
        if self.with_rates:  # others keep parameters of length one, and leave p' behind
            _, across, rates = self._rates(int(system.ints[L.N_BODIES]) - 1, system.n_coordinates, whole)
            rates[:] = across

    def table(self, run: Simulation, watch: System) -> Table:
        table = super().table(run, watch)
        ints, pattern = in_formulation(run.system, run.options.formulation.variant), run.pattern
        bodies = int(ints[L.N_BODIES]) - 1
        entries = table.entries
        size = int(entries[places.SIZE]) + self.more(ints)
        self.numbers = numbers = np.zeros(int(parameters.places(bodies, size)[-1]))
        numbers[[parameters.ALPHA, parameters.BETA]] = self.gains
        self.integers[: parameters.WITH_RATES] = entries[[places.RATES, places.SETTLE, places.NORM, places.RECORD]]
        self.integers[[parameters.WITH_RATES, parameters.HELD, parameters.NUMBERS]] = (
            int(self.with_rates),
            self.held,
            address_of(numbers),
        )
        table.put_data(parameters.ROTATIONS, self.integers)
        table.put_routines(places.RATES, self.own, parameters.__name__)
        entries[places.SIZE] = size
        # multipliers of all rows, acting or not, then what is kept of the parameters
        entries[places.ROW] += int(ints[L.N_ROWS]) - int(pattern[L.P_ROWS]) + self.kept(ints)
        if self.with_rates:
            works = np.full(size - self.more(ints) - table.scales.size, UNWATCHED)
            table.scales = np.concatenate([table.scales, works, np.ones(self.more(ints))])
            entries[places.N_ACTIVE] = size
        return table

    def memory(self) -> list[int]:
        return [int(k) for k in self.integers[parameters.DEPENDENT :]]

    def remember(self, settled: list[int]) -> None:
        if settled and not self.integers.size:
            self.integers = np.zeros(parameters.DEPENDENT + len(settled), dtype=np.int64)
        self.integers[parameters.DEPENDENT :] = settled

    def trouble(self, system: System) -> str:
        lost = int(self.numbers[parameters.LOST])
        if not lost:
            return ""
        which = int(self.integers[parameters.DEPENDENT + lost - 1])
        return (
            f"body {list(system.model.bodies)[lost]!r} turns so far within one step that its Euler parameter e{which} does not follow from "
            "the other three with certainty; take shorter steps, or use normalize='corrected'."
        )

    def matrices(self, system: System, ints: Ints) -> tuple[str, ...]:
        return DENSE
