"""Positions of rest, what joints carry there, and the modes of small motions about them.

At rest the balance r(q, lam, p) = M a - g - J'lam with v = a = 0 and the rows Phi(q, p) vanish. Along a direction

    [K  -J'] [s   ]     [r_p  ]
    [J   0 ] [lam.] = - [Phi_p],    K = r_q.

A mode x, mu with eigenvalue z satisfies G(z) [x, mu] = 0, G = [M z² + C z + K, -J'; J, 0]. With the left vector y of G

    z. = -(y G. [x, mu]) / (y G_z [x, mu]),

in which G. is taken along the rest that moves. An eigenvalue that comes twice has no derivative.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pytrammel._util.messages import number_of
from pytrammel.analysis.freedom.rank import rank_at
from pytrammel.analysis.freedom.sharing import smallest_multipliers
from pytrammel.analysis.gradients.directions import CENTRAL, STEP, Direction, Variant, same_structure
from pytrammel.analysis.gradients.motions import refuse_later_phase
from pytrammel.analysis.gradients.problem import Kind, OnlyForwards, analysis_type
from pytrammel.analysis.gradients.runs import Evaluation
from pytrammel.analysis.positions.assembly import active_rows
from pytrammel.analysis.rest.equilibrium import Equilibrium, equilibrium
from pytrammel.analysis.small_motions.linear_terms import left_over
from pytrammel.analysis.small_motions.reduced import State, balancing
from pytrammel.errors import ModelError, SingularError, distinct
from pytrammel.kernels import layout as L
from pytrammel.model.base import Model
from pytrammel.results.result import Result
from pytrammel.system.lowering import System, lower
from pytrammel.system.pattern import pattern
from pytrammel.system.positions import coordinate_steps

Array = NDArray[np.float64]
Complex = NDArray[np.complex128]
_MODE = re.compile(r"mode(\d+)\.(\w+)")
_OF_MODES: dict[str, Callable[[complex, complex], float]] = {  # from the eigenvalue and its change
    "frequency": lambda z, dz: (z.conjugate() * dz).real / abs(z),
    "growth": lambda z, dz: dz.real,
    "damping_ratio": lambda z, dz: -dz.real / abs(z) + z.real * (z.conjugate() * dz).real / abs(z) ** 3,
}
REPEATED = 1e-6  # share of the largest eigenvalue by which eigenvalues must differ
SINGULAR = 1e-10  # smallest singular value of the balance, in scales, against its largest


class OfRest:
    """Quantities at a position of rest, and of its modes."""

    moving: Array | None = None
    end_moves = False

    def __init__(self, model: Model, names: tuple[str, ...], options: Mapping[str, Any]) -> None:
        self.model, self.names = model, names
        self.rest = equilibrium(model, **options)
        refuse_later_phase(self.rest._system)
        self.time = self.rest.time
        self.times = np.array([self.time])
        self.system = lower(model, dynamics=True)
        self.q, self.n = self.rest.q, self.system.n_columns
        rows = active_rows(self.system)
        self.rows = tuple(rows)
        self.independent = [rows[k] for k in rank_at(self.system, self.q, self.time, rows).independent]
        self.P = pattern(self.system, self.independent)
        self.m = len(self.independent)
        self.still, self.z = np.zeros(self.n), self.system.inner_start
        self.lam = balancing(
            State(self.system, self.system.floats, self.rows, self.time, self.q, self.still, self.z), self.P
        )
        self.scales = self.system.column_scales()
        self.load = max(float(np.abs(self.lam).max(initial=0.0)), 1.0)
        self.modes = {name: self._mode(name) for name in names if _MODE.fullmatch(name)}
        self.usual = tuple(name for name in names if name not in self.modes)
        self.warnings = distinct([*self.rest.warnings, *(self.rest.result.warnings if self.usual else ())])
        self.evaluation = Evaluation(self.system, self.system.floats, self.P)
        self.tangents: dict[str, Array] = {}
        self._matrix: Array | None = None

    # --- one evaluation ----------------------------------------------------------------------------------------------------

    def _lowered(self, model: Model) -> System:
        return same_structure(self.system, lower(model, dynamics=True))

    def _left(self, system: System, q: Array, v: Array, a: Array, lam: Array) -> Array:
        """What is left of the balance, then what is left of the rows."""
        left, _ = left_over(system, self.P, self.time, q, v, a, lam, z=self.z, floats=system.floats)
        state = np.concatenate([q, v, np.zeros(self.evaluation.size - q.size - v.size)])
        phi, _, _ = self.evaluation.gaps(self.times, state[None, :], system.floats[None, :])
        return np.concatenate([left, phi[0]])

    def _beside(self, system: System, q: Array, lam: Array, x: Array, speed: Array, faster: Array, mu: Array) -> Array:
        """Derivative of that along small motions, velocities, accelerations and multipliers."""
        none, still = np.zeros(self.m), np.zeros(self.n)
        total = np.zeros(self.n + self.m)
        # each with steps of its own: what is fast must not make the others tiny
        for motion, rate, load in ((x, still, none), (still, speed, none), (still, still, mu)):
            size = max(
                float(np.abs(np.append(motion, rate) / np.tile(self.scales, 2)).max(initial=0.0)),
                float(np.abs(load).max(initial=0.0)) / self.load,
            )
            if size > 0.0:
                step, way = STEP / size, coordinate_steps(self.system, q, motion)
                for k, w in CENTRAL.sixth.items():
                    h = k * step
                    total += w / step * self._left(system, q + h * way, h * rate, still, lam + h * load)
        if faster.any():  # linear
            total += self._left(system, q, still, faster, lam) - self._left(system, q, still, still, lam)
        return total

    def matrix(self) -> Array:
        """Derivatives of balance and rows by small motions and multipliers, shape (n + m, n + m)."""
        if self._matrix is None:
            none, free = np.zeros(self.m), np.zeros(self.n)
            by_motion = [self._beside(self.system, self.q, self.lam, e, free, free, none) for e in np.eye(self.n)]
            by_load = [self._beside(self.system, self.q, self.lam, free, free, free, e) for e in np.eye(self.m)]
            found = np.array([*by_motion, *by_load]).reshape(self.n + self.m, self.n + self.m).T
            scaled = found * self._sizes() * self._sizes()[:, None]
            values = np.linalg.svd(scaled, compute_uv=False) if scaled.size else np.ones(1)
            if values[-1] <= SINGULAR * values[0]:
                raise SingularError(
                    f"the rest of model {self.model.name!r} is neutral: nothing resists one of its motions, so that where it rests has no "
                    "derivative. Hold that motion by a driver or a weak spring."
                )
            self._matrix = found
        return self._matrix

    def _sizes(self) -> Array:
        """What makes rows and columns of the matrix comparable."""
        force = max(
            self.load,
            float(
                np.abs(self._left(self.system, self.q, self.still, self.still, 0.0 * self.lam)[: self.n]).max(
                    initial=0.0
                )
            ),
        )
        return np.concatenate([self.scales, np.full(self.m, force)]) if self.m else self.scales

    # --- values ------------------------------------------------------------------------------------------------------------

    def values(self) -> Array:
        usual = [column for column, _unit in self.rest.result._columns(self.usual)]
        found = {name: float(column[0]) for name, column in zip(self.usual, usual, strict=True)}
        for name, (mode, what) in self.modes.items():
            found[name] = float(getattr(self.rest.modes[mode], what))
        return np.array([[found[name]] for name in self.names]).reshape(len(self.names), 1)

    def look(self, model: Model, q: Array, lam: Array) -> Array:
        """The wanted quantities of a variant in a position with given loads, those of modes left out."""
        system = self._lowered(model)
        nq, nf = q.size, len(system.forces)
        state = np.concatenate([q, np.zeros(self.evaluation.size - nq)])
        state[nq + self.n : nq + self.n + self.z.size] = self.z
        row = self.evaluation.recorded(self.times, state[None, :], system.floats[None, :])[
            0, self.evaluation.size + self.n :
        ]
        base = self.rest.result
        data = base.dynamics
        assert data is not None
        multipliers = np.zeros_like(data.multipliers)
        order = [int(k) for k in self.P[int(self.P[L.P_AT_ROWS]) :][: self.m]]
        multipliers[0, order] = lam
        if self.m < len(self.rows):
            multipliers[:, list(self.rows)] = smallest_multipliers(
                system, list(self.rows), order, self.times, q[None, :], multipliers
            )
        outputs = np.zeros_like(data.outputs)
        outputs[0, : 2 * nf] = row[: 2 * nf]
        other = replace(
            data,
            multipliers=multipliers,
            outputs=outputs,
            kinetic=row[2 * nf : 2 * nf + 1],
            gravity=row[2 * nf + 1 : 2 * nf + 2],
            made={},
        )
        segments = tuple(replace(s, model=model, system=system, floats=system.floats) for s in base._segments)
        result: Result = replace(
            base, model=model, _system=system, q=q[None, :].copy(), dynamics=other, _segments=segments
        )
        return np.array([column[0] for column, _unit in result._columns(self.usual)])

    # --- forwards ----------------------------------------------------------------------------------------------------------

    def tangent(self, direction: Direction) -> Array:
        """How small motions of the position and multipliers change along a direction, shape (n + m,)."""
        if direction.name not in self.tangents:
            open_by = direction.slope(
                lambda variant: self._left(self._lowered(variant.model), self.q, self.still, self.still, self.lam)
            )
            sizes = self._sizes()
            scaled = self.matrix() * sizes * sizes[:, None]
            self.tangents[direction.name] = -sizes * np.linalg.solve(scaled, sizes * open_by)
        return self.tangents[direction.name]

    def _moved(self, offset: float, change: Array) -> tuple[Array, Array]:
        step = coordinate_steps(self.system, self.q, change[: self.n])
        return self.q + offset * step, self.lam + offset * change[self.n :]

    def alongs(self, directions: Sequence[Direction]) -> list[Array]:
        out = []
        for direction in directions:
            change = self.tangent(direction)
            found: dict[str, float] = {}
            if self.usual:
                slopes = direction.slope(self._looked_along(change))
                found = dict(zip(self.usual, map(float, slopes), strict=True))
            for name, (mode, what) in self.modes.items():
                z = self.rest.modes[mode].eigenvalue
                found[name] = _OF_MODES[what](z, self._eigenvalue_along(z, direction, change))
            out.append(np.array([[found[name]] for name in self.names]).reshape(len(self.names), 1))
        return out

    def _looked_along(self, change: Array) -> Callable[[Variant], Array]:
        return lambda variant: self.look(variant.model, *self._moved(variant.offset, change))

    # --- backwards ---------------------------------------------------------------------------------------------------------

    def backwards(self, weights: Array, later: float, directions: Sequence[Direction]) -> list[float]:
        if self.modes:
            raise OnlyForwards("method='adjoint' is not offered for modes; use method='direct'.")
        own = weights[:, 0]
        pulls = np.zeros(self.n + self.m)
        for c, size in enumerate([*self.scales, *np.full(self.m, self.load)]):
            change = np.eye(self.n + self.m)[c]
            for k, w in CENTRAL.sixth.items():
                moved = self._moved(k * STEP * size, change)
                pulls[c] += w / (STEP * size) * float(own @ self.look(self.model, *moved))
        sizes = self._sizes()
        scaled = self.matrix() * sizes * sizes[:, None]
        multipliers = sizes * np.linalg.solve(scaled.T, sizes * pulls)

        def follow(direction: Direction) -> float:
            def lagrangian(variant: Variant) -> Array:
                left = self._left(self._lowered(variant.model), self.q, self.still, self.still, self.lam)
                return np.array([own @ self.look(variant.model, self.q, self.lam) - multipliers @ left])

            return float(direction.slope(lagrangian)[0])

        return [follow(direction) for direction in directions]

    # --- modes -------------------------------------------------------------------------------------------------------------

    def _mode(self, name: str) -> tuple[int, str]:
        k, what = _mode_of(self.rest, name)
        z = self.rest.modes[k].eigenvalue
        every = [w for mode in self.rest.modes for w in {mode.eigenvalue, mode.eigenvalue.conjugate()}]
        size = max(abs(w) for w in every)
        if not 1e-9 * size < abs(z) < np.inf:
            raise ModelError(f"{name!r} has the eigenvalue {z:.4g}, which has no derivative.")
        if sum(abs(w - z) <= REPEATED * size for w in every) > 1:
            raise SingularError(
                f"{name!r}: the eigenvalue {z:.6g} comes more than once, and then it has no derivative: its modes can be mixed at will. "
                "Ask for a model without that symmetry."
            )
        return k, what

    def _at_eigenvalue(self, system: System, q: Array, lam: Array, z: complex, x: Complex) -> Complex:
        """G(z) times a vector."""
        free, mu = x[: self.n], x[self.n :]
        parts = [
            self._beside(system, q, lam, *(np.ascontiguousarray(part(w)) for w in (free, z * free, z * z * free, mu)))
            for part in (np.real, np.imag)
        ]
        return np.asarray(parts[0] + 1j * parts[1])

    def _eigenvalue_along(self, z: complex, direction: Direction, change: Array) -> complex:
        z = complex(z)
        sizes = self._sizes()
        eye = np.eye(self.n + self.m, dtype=complex)
        G = np.array([self._at_eigenvalue(self.system, self.q, self.lam, z, e) for e in eye]).T
        left, _, right = np.linalg.svd(G * sizes * sizes[:, None])
        y, x = sizes * left[:, -1].conj(), sizes * right[-1].conj()

        def along(variant: Variant) -> Array:
            q, lam = self._moved(variant.offset, change)
            value = y @ self._at_eigenvalue(self._lowered(variant.model), q, lam, z, x)
            return np.array([value.real, value.imag])

        slope = direction.slope(along)
        step = STEP * abs(z)
        by_z = (
            sum(
                w * (y @ self._at_eigenvalue(self.system, self.q, self.lam, z + k * step, x))
                for k, w in CENTRAL.sixth.items()
            )
            / step
        )
        return complex(-(slope[0] + 1j * slope[1]) / by_z)


def _mode_of(rest: Equilibrium, name: str) -> tuple[int, str]:
    """Which mode a name such as "mode1.frequency" means, from 0, and what of it."""
    number, _, what = name.removeprefix("mode").partition(".")
    if what not in _OF_MODES:
        raise ModelError(f"{name!r}: a mode has {', '.join(_OF_MODES)}.")
    k = int(number) - 1
    if k >= len(rest.modes):
        raise ModelError(
            f"there is no {name!r}: model {rest.model.name!r} has {number_of(len(rest.modes), 'mode')} at rest, from mode1 on."
        )
    return k, what


def mode_value(rest: Equilibrium, name: str) -> float:
    """What a name such as "mode1.frequency" is worth at a position of rest, SI."""
    k, what = _mode_of(rest, name)
    return float(getattr(rest.modes[k], what))


analysis_type(Kind("equilibrium", OfRest))
analysis_type(Kind("modes", OfRest))
