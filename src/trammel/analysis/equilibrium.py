"""Static equilibrium: positions in which all forces balance, and whether they are stable."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trammel.analysis.assembly import active_rows, assemble
from trammel.analysis.at_state import evaluate_state
from trammel.analysis.linear_terms import KERNELS
from trammel.analysis.options import verb
from trammel.analysis.ready import make_ready
from trammel.analysis.reduced import Reduced, State, doubts, reduced
from trammel.analysis.small_motions import Mode, Pencil
from trammel.errors import AssemblyError, ConvergenceError, ModelError, RunWarning, tell
from trammel.kernels import layout as L
from trammel.model.base import Model
from trammel.model.quantity import ANGLE
from trammel.sentences import brief
from trammel.system.lowering import System, lower
from trammel.system.pattern import pattern
from trammel.system.positions import drawn_at, moved

Array = NDArray[np.float64]
ITERATIONS = 100
TOLERANCE = 1e-11
CIRCULATORY = 1e-5  # asymmetry of the stiffness above which there is no potential energy
GROWING = ("divergence", "flutter")


@brief
@dataclass(frozen=True)
class Equilibrium:
    """A position in which the model rests.

    Attributes:
        model: The model, drawn in that position.
        q: Coordinates [m, rad].
        stable: True if no small disturbance grows: no mode is a divergence or flutter.
        neutral: Directions in which nothing resists and nothing pushes (a car that may roll, a wheel that may turn).
        stiffness: Eigenvalues of the projected stiffness, ascending, in scaled units; complex if forces are not conservative.
        frequencies: Natural frequencies, damping left out [rad/s], ascending; negative for the growth rate of a divergence [1/s].
        modes: Modes of small motions, damping and all forces included; growing ones first.
        iterations: Newton iterations.
        residual: Largest unbalanced generalised force against the forces at work.
        warnings: What is doubtful about stability and modes, e.g. a contact that just touches.
        time: Time at which drivers and loads were read [s].
    """

    model: Model
    q: Array
    stable: bool
    neutral: int
    stiffness: NDArray[Any]
    frequencies: Array
    modes: tuple[Mode, ...]
    iterations: int
    residual: float
    warnings: tuple[RunWarning, ...] = ()
    time: float = 0.0

    def pose(self, body: str) -> tuple[float, ...]:
        """Coordinates of a body: x, y [m] and phi [rad], or x, y, z and the Euler parameters in space."""
        coordinates: tuple[float, ...] = self.model.bodies[body].coordinates
        return coordinates

    @property
    def damping_ratios(self) -> Array:
        """Damping ratio of each mode, in their order; negative for those that grow."""
        return np.array([mode.damping_ratio for mode in self.modes])

    @property
    def step_advice(self) -> float:
        """A twentieth of the shortest natural period [s]: the book's rule for fixed-step integration."""
        fastest = float(np.abs(self.frequencies).max(initial=0.0))
        return 2.0 * math.pi / fastest / 20.0 if fastest > 0.0 else math.inf

    def __str__(self) -> str:
        growing = dict.fromkeys(mode.kind for mode in self.modes if mode.kind in GROWING)
        kind = "stable" if self.stable else f"unstable ({', '.join(growing)})"
        if self.neutral:
            kind += f" (neutral in {self.neutral} direction(s))"
        lines = [f"{kind} equilibrium of {self.model.name!r} after {self.iterations} iterations"]
        for body in list(self.model.bodies.values())[1:]:
            place = ", ".join(f"{x:.6g}" for x in body.position)
            lines.append(f"  {body.name}: ({place}) m, {body.turned}")
        lines += [f"  {mode}" for mode in self.modes if mode.kind != "neutral"]
        return "\n".join(lines + [f"  warning: {warning}" for warning in self.warnings])


@verb
def equilibrium(model: Model, *, time: float = 0.0, nearest: bool = False) -> Equilibrium:
    """Find the position of rest nearest to the drawn one (a stable one if steps downhill lead there).

    Newton's method on the force balance along the free directions, with the constraints closed at every step. Where the
    stiffness is not positive the step goes downhill instead, so that it leaves unstable positions unless it starts in one.

    Args:
        model: The model; drivers hold their coordinates.
        time: Time at which drivers and loads are read [s].
        nearest: Follow Newton's method to the nearest balance, stable or not, instead of going downhill.
    """
    rigid = [force.name for force in model.forces.values() if force.impact is not None]
    if rigid:
        raise ModelError(
            f"equilibrium does not know rigid contacts ({', '.join(map(repr, rigid))}); use a compliant law there, or simulate until "
            "everything rests."
        )
    make_ready(model, [*KERNELS, "state_run", "assemble_run", "jacobian_run", "rates_run", "measures_run"], forces=True)
    system = lower(model, dynamics=True)
    rows = active_rows(system)
    q = assemble(model, time=time, system=system, rows=rows).q
    problem = _Balance(system, rows, time)
    residual = math.inf
    for iteration in range(1, ITERATIONS + 1):
        here = problem.at(q)
        force, size = problem.free_force(here)
        residual = float(np.abs(force).max(initial=0.0)) / size
        if residual < TOLERANCE or not force.size:
            found = problem.finished(q, iteration, residual)
            tell(found.warnings, found)
            return found
        step = here.basis @ _step(here.stiffness, force, nearest)
        length = float(np.abs(step / problem.scales).max())
        shrink = min(1.0, 0.3 / length) if length > 0.0 else 1.0
        q, moved = problem.move(q, step * shrink)
        if not moved:
            break
    raise ConvergenceError(
        f"no equilibrium of model {model.name!r} was found near the drawn pose: {100 * residual:.3g} % of the forces stay unbalanced after "
        f"{ITERATIONS} iterations. Draw it closer to rest, or check whether anything holds it."
    )


def _step(stiffness: Array, force: Array, nearest: bool) -> Array:
    """Newton's step; downhill along directions without resistance where there is a potential energy to go down."""
    if float(np.abs(stiffness - stiffness.T).max()) > CIRCULATORY * float(np.abs(stiffness).max()):
        return np.asarray(np.linalg.lstsq(stiffness, force, rcond=1e-6)[0])
    values, vectors = np.linalg.eigh(0.5 * (stiffness + stiffness.T))
    modal = vectors.T @ force
    sizes = np.maximum(np.abs(values), 1e-6 * max(1e-300, float(np.abs(values).max())))
    return np.asarray(vectors @ (modal / (np.copysign(sizes, values) if nearest else sizes)))


class _Balance:
    """Force balance of a system along the directions its constraints leave free."""

    def __init__(self, system: System, rows: list[int], time: float) -> None:
        self.system, self.rows, self.time = system, rows, time
        self.scales = system.column_scales().copy()

    def at(self, q: Array, *, kinks: bool = False) -> Reduced:
        """Small motions about a position, as if it were one of rest."""
        still, inner = np.zeros(self.system.n_columns), np.zeros(int(self.system.ints[L.N_STATES]))
        state = State(self.system, self.system.floats, tuple(self.rows), self.time, q, still, inner)
        return reduced(state, kinks=kinks, held=True)

    def free_force(self, here: Reduced) -> tuple[Array, float]:
        """Force along the free directions, and the size of the forces at work, which may cancel without any constraint."""
        system = self.system
        state = evaluate_state(
            system, system.floats, pattern(system, ()), self.time, here.state.q, np.zeros(system.n_columns)
        )
        weight = sum(body.mass or 0.0 for body in system.model.bodies.values()) * float(
            np.linalg.norm(system.model.gravity)
        )
        parts = [
            abs(value) * (1.0 if use.along is not None and use.along.unit == ANGLE else system.length)
            for value, use in zip(state.forces, (f.use for f in system.forces), strict=True)
        ]
        largest = float(np.abs(state.generalised * self.scales).max(initial=0.0))
        return here.left.T @ state.generalised, max([1e-300, weight * system.length, largest, *parts])

    def move(self, q: Array, step: Array) -> tuple[Array, bool]:
        for shrink in (1.0, 0.5, 0.25, 0.1, 0.02):
            try:
                start = moved(self.system, q, shrink * step)
                return assemble(
                    self.system.model, time=self.time, system=self.system, rows=self.rows, start=start
                ).q, True
            except AssemblyError:
                continue
        return q, False

    def finished(self, q: Array, iteration: int, residual: float) -> Equilibrium:
        system, here = self.system, self.at(q, kinks=True)
        pencil = Pencil(here.mass, here.damping, here.stiffness)
        stiffness, neutral = pencil.stiffnesses()
        squares, _ = pencil.undamped()
        modes = pencil.modes()
        return Equilibrium(
            model=system.model.copy(changes=drawn_at(system, q)),
            q=q,
            stable=not any(mode.kind in GROWING for mode in modes),
            neutral=neutral,
            stiffness=stiffness,
            frequencies=np.sort(np.where(squares.imag == 0.0, np.sign(squares.real), 1.0) * np.sqrt(np.abs(squares))),
            modes=modes,
            iterations=iteration,
            residual=residual,
            warnings=(*doubts(here), *self._inner_states()),
            time=self.time,
        )

    def _inner_states(self) -> Iterator[RunWarning]:
        if int(self.system.ints[L.N_STATES]):
            names = ", ".join(dict.fromkeys(repr(f.owner) for f in self.system.forces if f.use.has_state))
            yield RunWarning(
                "inner states",
                f"{names} has a state of its own (bristles), which rests at zero here and takes no part in the modes.",
                time=self.time,
            )
