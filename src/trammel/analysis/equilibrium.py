"""Static equilibrium: positions in which all forces balance, and whether they are stable."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from trammel.analysis.assembly import active_rows, assemble
from trammel.analysis.at_state import evaluate_state, mass_matrix
from trammel.analysis.rank import jacobian, rank_of
from trammel.analysis.ready import make_ready
from trammel.errors import AssemblyError, ConvergenceError
from trammel.model.base import Model
from trammel.model.quantity import ANGLE
from trammel.system.lowering import System, lower
from trammel.system.pattern import pattern
from trammel.system.positions import drawn_at, moved

Array = NDArray[np.float64]
ITERATIONS = 100
TOLERANCE = 1e-11


@dataclass(frozen=True)
class Equilibrium:
    """A position in which the model rests.

    Attributes:
        model: The model, drawn in that position.
        q: Coordinates [m, rad].
        stable: True if no small displacement leads away: the potential energy has a minimum there.
        neutral: Directions in which nothing resists and nothing pushes (a car that may roll, a wheel that may turn).
        stiffness: Eigenvalues of the projected stiffness, ascending, in scaled units.
        frequencies: Natural frequencies of the undamped system [rad/s], ascending; negative for an unstable mode's growth rate.
        iterations: Newton iterations.
        residual: Largest unbalanced generalised force against the forces at work.
    """

    model: Model
    q: Array
    stable: bool
    neutral: int
    stiffness: Array
    frequencies: Array
    iterations: int
    residual: float

    def pose(self, body: str) -> tuple[float, ...]:
        """Coordinates of a body: x, y [m] and phi [rad], or x, y, z and the Euler parameters in space."""
        coordinates: tuple[float, ...] = self.model.bodies[body].coordinates
        return coordinates

    @property
    def step_advice(self) -> float:
        """A twentieth of the shortest natural period [s]: the book's rule for fixed-step integration."""
        fastest = float(np.abs(self.frequencies).max(initial=0.0))
        return 2.0 * math.pi / fastest / 20.0 if fastest > 0.0 else math.inf

    def __str__(self) -> str:
        kind = "stable" if self.stable else "unstable"
        if self.neutral:
            kind += f" (neutral in {self.neutral} direction(s))"
        lines = [f"{kind} equilibrium of {self.model.name!r} after {self.iterations} iterations"]
        for body in list(self.model.bodies.values())[1:]:
            place = ", ".join(f"{x:.6g}" for x in body.position)
            lines.append(f"  {body.name}: ({place}) m, {body.turned}")
        for w in self.frequencies:
            lines.append(
                f"  natural frequency {w / (2 * math.pi):.6g} Hz"
                if w >= 0
                else f"  unstable mode, grows with {-w:.6g} 1/s"
            )
        return "\n".join(lines)


def equilibrium(model: Model, *, time: float = 0.0, nearest: bool = False) -> Equilibrium:
    """Find the position of rest nearest to the drawn one (a stable one if steps downhill lead there).

    Newton's method on the force balance along the free directions, with the constraints closed at every step. Where the
    stiffness is not positive the step goes downhill instead, so that it leaves unstable positions unless it starts in one.

    Args:
        model: The model; drivers hold their coordinates.
        time: Time at which drivers and loads are read [s].
        nearest: Follow Newton's method to the nearest balance, stable or not, instead of going downhill.
    """
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
            return problem.finished(q, basis, iteration, residual)
        stiffness = problem.stiffness(q, basis)
        values, vectors = np.linalg.eigh(0.5 * (stiffness + stiffness.T))
        # downhill along directions without resistance, Newton along the others
        modal = vectors.T @ force
        sizes = np.maximum(np.abs(values), 1e-6 * max(1e-300, float(np.abs(values).max())))
        step = vectors @ (modal / (np.copysign(sizes, values) if nearest else sizes))
        length = float(np.abs(basis @ step).max())
        shrink = min(1.0, 0.3 / length) if length > 0.0 else 1.0
        q, moved = problem.move(q, basis @ step * shrink)
        if not moved:
            break
    raise ConvergenceError(
        f"no equilibrium of model {model.name!r} was found near the drawn pose: {100 * residual:.3g} % of the forces stay unbalanced after "
        f"{ITERATIONS} iterations. Draw it closer to rest, or check whether anything holds it."
    )


class _Balance:
    """Force balance of a system along the directions its constraints leave free."""

    def __init__(self, system: System, rows: list[int], time: float) -> None:
        self.system, self.rows, self.time = system, rows, time
        self.scales = system.column_scales().copy()
        self.pattern = pattern(system, ())

    def generalised(self, q: Array) -> Array:
        """Applied forces at rest, in scaled coordinates."""
        return self._forces(q)[0]

    def _forces(self, q: Array) -> tuple[Array, float]:
        """Applied forces at rest in scaled coordinates, and the size of the forces at work: they may cancel without any constraint."""
        system = self.system
        state = evaluate_state(system, system.floats, self.pattern, self.time, q, np.zeros(system.n_columns))
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
        """Minus the change of the free force along each free direction, constraints closed: the projected Hessian."""
        h = 1e-5
        out = np.zeros((basis.shape[1], basis.shape[1]))
        for k in range(basis.shape[1]):
            plus, minus = (
                self.close(moved(self.system, q, sign * h * basis[:, k] * self.scales)) for sign in (1.0, -1.0)
            )
            # multipliers turn with the constraints: compare the balance, not the applied force
            out[:, k] = -(self._tangential(plus, basis) - self._tangential(minus, basis)) / (2.0 * h)
        return out

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
        stiffness = self.stiffness(q, basis) if basis.shape[1] else np.zeros((0, 0))
        stiffness = 0.5 * (stiffness + stiffness.T)
        values = np.asarray(np.linalg.eigvalsh(stiffness), dtype=float) if stiffness.size else np.zeros(0)
        mass = basis.T @ (mass_matrix(system, q) * np.outer(self.scales, self.scales)) @ basis
        frequencies = _frequencies(stiffness, mass)
        # stiffnesses come from differences: what is this small against the largest is zero
        nothing = 1e-8 * max(1e-300, float(np.abs(values).max(initial=0.0)))
        return Equilibrium(
            model=system.model.copy(changes=drawn_at(system, q)),
            q=q,
            stable=bool((values > -nothing).all()),
            neutral=int((np.abs(values) <= nothing).sum()),
            stiffness=values,
            frequencies=np.where(
                np.abs(frequencies) < 1e-4 * float(np.abs(frequencies).max(initial=0.0)), 0.0, frequencies
            ),
            iterations=iteration,
            residual=residual,
        )


def _frequencies(stiffness: Array, mass: Array) -> Array:
    """Square roots of the generalised eigenvalues; modes without mass are left out."""
    if not stiffness.size:
        return np.zeros(0)
    m, u = np.linalg.eigh(0.5 * (mass + mass.T))
    keep = m > 1e-12 * max(1e-300, float(m.max()))
    root = u[:, keep] / np.sqrt(m[keep])
    values = np.linalg.eigvalsh(root.T @ stiffness @ root)
    return np.asarray(np.sign(values) * np.sqrt(np.abs(values)))
