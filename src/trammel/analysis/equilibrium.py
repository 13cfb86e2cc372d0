"""Static equilibrium: positions in which all forces balance, and whether they are stable."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trammel.analysis.assembly import active_rows, assemble
from trammel.analysis.at_state import StateValues, evaluate_state, mass_matrix
from trammel.analysis.options import verb
from trammel.analysis.rank import jacobian, rank_of
from trammel.analysis.ready import make_ready
from trammel.analysis.small_motions import Derivative, Mode, Pencil, derivative
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
    make_ready(model, ["state_run", "assemble_run", "jacobian_run", "rates_run", "measures_run"], forces=True)
    system = lower(model, dynamics=True)
    rows = active_rows(system)
    q = assemble(model, time=time, system=system, rows=rows).q
    problem = _Balance(system, rows, time)
    residual = math.inf
    for iteration in range(1, ITERATIONS + 1):
        force, basis, size = problem.free_force(q)
        residual = float(np.abs(force).max(initial=0.0)) / size
        if residual < TOLERANCE or not force.size:
            found = problem.finished(q, basis, iteration, residual)
            tell(found.warnings, found)
            return found
        step = _step(problem.stiffness(q, basis), force, nearest)
        length = float(np.abs(basis @ step).max())
        shrink = min(1.0, 0.3 / length) if length > 0.0 else 1.0
        q, moved = problem.move(q, basis @ step * shrink)
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
        self.pattern = pattern(system, ())
        self.loaded = self.pattern  # with the rows whose reactions forces ask for

    def generalised(self, q: Array) -> Array:
        """Applied forces at rest, in scaled coordinates."""
        return self._forces(q)[0]

    def _state(self, q: Array, v: Array) -> StateValues:
        used = self.loaded if v.any() else self.pattern
        return evaluate_state(self.system, self.system.floats, used, self.time, q, v)

    def _forces(self, q: Array) -> tuple[Array, float]:
        """Applied forces at rest in scaled coordinates, and the size of the forces at work: they may cancel without any constraint."""
        system = self.system
        state = self._state(q, np.zeros(system.n_columns))
        g = np.asarray(state.generalised * self.scales)
        weight = sum(body.mass or 0.0 for body in system.model.bodies.values()) * float(
            np.linalg.norm(system.model.gravity)
        )
        parts = [
            abs(value) * (1.0 if use.along is not None and use.along.unit == ANGLE else system.length)
            for value, use in zip(state.forces, (f.use for f in system.forces), strict=True)
        ]
        return g, max([1e-300, weight * system.length, float(np.abs(g).max(initial=0.0)), *parts])

    def basis(self, q: Array) -> Array:
        return rank_of(jacobian(self.system, q, self.time, self.rows)).freedom

    def free_force(self, q: Array) -> tuple[Array, Array, float]:
        g, size = self._forces(q)
        basis = self.basis(q)
        return basis.T @ g, basis, size

    def close(self, q: Array) -> Array:
        return assemble(self.system.model, time=self.time, system=self.system, rows=self.rows, start=q).q

    def stiffness(self, q: Array, basis: Array) -> Array:
        """Minus the change of the free force along each free direction, constraints closed, good enough for Newton's method."""
        h = 1e-5
        columns = [
            (self.beside(q, basis, k, h) - self.beside(q, basis, k, -h)) / (2.0 * h) for k in range(basis.shape[1])
        ]
        return -np.array(columns).T

    def beside(self, q: Array, basis: Array, k: int, h: float) -> Array:
        """Free force a step h along a free direction, the constraints closed again."""
        return self._tangential(self.close(moved(self.system, q, h * basis[:, k] * self.scales)), basis)

    def moving(self, q: Array, basis: Array, k: int, h: float) -> Array:
        """Free force at q while it moves with the velocity h along a free direction; friction sees the reactions."""
        return np.asarray(basis.T @ (self._state(q, h * basis[:, k] * self.scales).generalised * self.scales))

    def _tangential(self, q: Array, reference: Array) -> Array:
        """Free force at q expressed in the basis of a neighbouring position."""
        own = self.basis(q)
        g = self.generalised(q)
        return np.asarray(np.linalg.lstsq(reference.T @ own, np.eye(reference.shape[1]), rcond=None)[0].T @ (own.T @ g))

    def move(self, q: Array, step: Array) -> tuple[Array, bool]:
        for shrink in (1.0, 0.5, 0.25, 0.1, 0.02):
            try:
                return self.close(moved(self.system, q, shrink * step * self.scales)), True
            except AssemblyError:
                continue
        return q, False

    def finished(self, q: Array, basis: Array, iteration: int, residual: float) -> Equilibrium:
        system = self.system
        pencil, warnings = self._small_motions(q, basis)
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
            warnings=tuple(warnings),
        )

    def _small_motions(self, q: Array, basis: Array) -> tuple[Pencil, list[RunWarning]]:
        """Mass, damping and stiffness along the free directions, and what is doubtful about them."""
        n = basis.shape[1]
        if int(self.system.ints[L.N_REACTIONS]):
            independent = rank_of(jacobian(self.system, q, self.time, self.rows)).independent
            self.loaded = pattern(self.system, [self.rows[k] for k in independent])
        g, size = self._forces(q)
        force = basis.T @ g
        places = [derivative(lambda h, k=k: self.beside(q, basis, k, h), force, size) for k in range(n)]  # type: ignore[misc]
        speeds = [derivative(lambda h, k=k: self.moving(q, basis, k, h), force, size) for k in range(n)]  # type: ignore[misc]
        mass = basis.T @ (mass_matrix(self.system, q) * np.outer(self.scales, self.scales)) @ basis
        pencil = Pencil(
            mass,
            -np.array([d.value for d in speeds]).reshape(n, n).T,
            -np.array([d.value for d in places]).reshape(n, n).T,
            max((d.error for d in places), default=0.0),
            max((d.error for d in speeds), default=0.0),
        )
        return pencil, [*self._kinks(basis, places, speeds), *self._inner_states()]

    def _kinks(self, basis: Array, places: list[Derivative], speeds: list[Derivative]) -> Iterator[RunWarning]:
        for what, found in (("position", places), ("velocity", speeds)):
            bent = [k for k, d in enumerate(found) if d.sides is not None]
            if bent:
                name = self.system.columns[int(np.argmax(np.abs(basis[:, bent[0]])))]
                cause = "a contact that just touches, a stop, a slack rope" if what == "position" else "dry friction"
                yield RunWarning(
                    "kink",
                    f"the forces have a kink in the {what} along {name} here ({cause}): small motions are not linear, and stability and "
                    "frequencies are those of the mean of both sides. Look at a simulation.",
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
