"""Closed loops in joint coordinates: positions, dependent velocities, and efforts of chosen actuators."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from pytrammel._util.checks import listed
from pytrammel._util.messages import short
from pytrammel.errors import AssemblyError, ModelError, SingularError
from pytrammel.joints.constraint import Constraint
from pytrammel.kernels.equations import tree_functions as kernels
from pytrammel.system.tree import scales

if TYPE_CHECKING:
    from pytrammel.analysis.functions.model_functions import ModelFunctions

Array = NDArray[np.float64]
RANK = 1e-9  # singular value of scaled rows, relative to the largest, below which they are dependent
CLOSED = 1e-12  # residual, relative to the scales of the rows, of closed loops
ITERATIONS = 60
LONGEST = 0.5  # step of an iteration, in scales of the coordinates
LEFT = 1e-8  # fraction of the efforts that actuators may miss


class Loops:
    """Operations on the loop equations of functions of a model."""

    def __init__(self, f: ModelFunctions) -> None:
        self.f = f
        packed = f._packed
        self.of_speeds = scales(packed.tree)[1][list(packed.couplings.kept)]
        of_rows = packed.system.row_scales()
        names = packed.rows
        from pytrammel.analysis.functions.packing import row_order

        self.of_rows = np.array([of_rows[row] for row in row_order(f._local.table, len(names))])

    def scaled(self, q: Any, t: Any) -> tuple[Array, Array]:
        """Residuals and rows without units."""
        phi, J = self.f._rows(q, t)
        return phi / self.of_rows, J * self.of_speeds / self.of_rows[:, None]

    def motions(self, q: Any) -> Array:
        """Velocities that the loops allow, orthonormal in scaled speeds."""
        if not self.f._m:
            lead = self.f._array("q", q, self.f._nq, "coordinates").shape[:-1]
            return np.broadcast_to(np.eye(self.f._nv), (*lead, self.f._nv, self.f._nv)).copy()
        J = self.scaled(q, 0.0)[1]
        _, sizes, V = np.linalg.svd(J)
        ranks = (sizes > RANK * sizes[..., :1]).sum(axis=-1)
        if np.unique(ranks).size > 1:
            raise SingularError(
                f"functions of model {self.f.model.name!r}: the degrees of freedom differ between the given states, because some are "
                "singular. Evaluate these states separately."
            )
        free = np.swapaxes(V, -1, -2)[..., int(ranks.flat[0]) :] * self.of_speeds[:, None]
        return np.asarray(np.linalg.qr(free)[0])

    def efforts(self, q: Any, v: Any, a: Any, t: Any) -> Array:
        """Efforts of the actuators: N'(S'tau) = N'(M a + b) along the motions N that the loops allow."""
        f = self.f
        needed = f._any(kernels.INVERSE, t, q, v, a, np.zeros(0), f._v_shape)
        N = np.swapaxes(self.motions(q), -1, -2)
        asked = np.einsum("...dn,...n->...d", N, needed)
        acting = N[..., f._acting]
        tau = np.einsum("...ad,...d->...a", np.linalg.pinv(acting, rcond=RANK), asked)
        missed = np.abs(np.einsum("...da,...a->...d", acting, tau) - asked).max(axis=-1, initial=0.0)
        size = np.abs(needed).max(axis=-1, initial=0.0)
        if np.any(missed > LEFT * size + 1e-300):
            raise SingularError(
                f"inverse dynamics of model {f.model.name!r}: the actuators ({', '.join(f.actuators)}) cannot produce this motion; "
                f"{float(np.max(missed)):.3g} N or N m remain of {float(np.max(size)):.3g}. Name as many independent actuators as there "
                "are degrees of freedom, or leave the singular position."
            )
        return np.asarray(tau)

    def sharing(self, acting: Sequence[int]) -> Array:
        """Arguments of the task `ACTUATORS`: number of passive velocities, all velocities in that order, scales of speeds and rows."""
        passive = [k for k in range(self.f._nv) if k not in acting]
        return np.array([len(passive), *passive, *acting, *self.of_speeds, *self.of_rows], dtype=float)

    def held(self, names: Sequence[str]) -> NDArray[np.bool_]:
        """Which velocities keep their values."""
        names = listed((names,) if isinstance(names, str) else names, f"functions of model {self.f.model.name!r}: hold")
        out = np.zeros(self.f._nv, dtype=bool)
        for name in names:
            if not isinstance(name, str) or name not in self.f.velocities:
                raise ModelError(
                    f"functions of model {self.f.model.name!r}: {short(name)} is not a velocity of the model. Use some of: "
                    f"{', '.join(self.f.velocities)}."
                )
            out[self.f.velocities.index(name)] = True
        return out

    def close(self, q: Any, hold: Sequence[str], t: Any) -> Array:
        """Newton's method with the smallest steps in scaled coordinates, all states together."""
        f = self.f
        places = f._array("q", q, f._nq, "coordinates")
        free = ~self.held(hold)
        times = f._times(t)
        lead = f._leading({"q": places}, times)
        many = np.broadcast_to(places, (*lead, f._nq)).reshape(-1, f._nq).copy()
        at = np.broadcast_to(times, lead).ravel()
        done = f.integrate(many, np.zeros(f._nv)) if many.size else many
        if not f._m or not many.size:
            return done.reshape(*lead, f._nq)
        left = np.arange(len(many))
        worst = np.full(len(many), np.inf)
        for _ in range(ITERATIONS):
            phi, J = self.scaled(done[left], at[left] if times.ndim else float(times))
            size = np.abs(phi).max(axis=-1)
            settled = (size <= CLOSED) | (size >= 0.9 * worst[left]) & (size <= 1e3 * CLOSED)
            worst[left] = size
            phi, J, left = phi[~settled], J[~settled], left[~settled]
            if not left.size:
                break
            step = -np.einsum("kvm,km->kv", np.linalg.pinv(J[:, :, free], rcond=RANK), phi)
            length = np.abs(step).max(axis=-1, initial=0.0)
            step *= np.minimum(1.0, LONGEST / np.maximum(length, 1e-300))[:, None]
            whole = np.zeros((len(left), f._nv))
            whole[:, free] = step
            done[left] = f.integrate(done[left], whole * self.of_speeds)
        if left.size and not lead:
            phi = self.scaled(done[0], float(times))[0]
            k = int(np.argmax(np.abs(phi)))
            raise AssemblyError(
                f"functions of model {f.model.name!r}: the loops do not close from these coordinates: {f.constraints[k]} stays open by "
                f"{float(abs(phi[k]) * self.of_rows[k]):.3g}. Hold fewer coordinates, or begin nearer to a closed position."
            )
        done[left] = np.nan
        return done.reshape(*lead, f._nq)

    def complete(self, q: Any, v: Any, a: Any, hold: Sequence[str] | None, t: Any) -> Any:
        """Dependent velocities, and accelerations where independent ones are given."""
        f = self.f
        held = self.held(f.actuators if hold is None else hold)
        J = self.f._rows(q, t)[1]
        nu = np.zeros(J.shape[:-1])
        speeds = self._solved(J, nu, f._array("v", v, f._nv, "velocities"), held)
        if a is None:
            return speeds
        bias = f._row_bias(q, speeds, t) if f._m else nu
        return speeds, self._solved(J, bias, f._array("a", a, f._nv, "velocities"), held)

    def _solved(self, J: Array, right: Array, given: Array, held: NDArray[np.bool_]) -> Array:
        out = np.broadcast_to(given, (*np.broadcast_shapes(J.shape[:-2], given.shape[:-1]), self.f._nv)).copy()
        if not self.f._m:
            return out
        rest = right - np.einsum("...mh,...h->...m", J[..., held], out[..., held])
        A = J[..., ~held] * self.of_speeds[~held] / self.of_rows[:, None]
        found = np.einsum("...vm,...m->...v", np.linalg.pinv(A, rcond=RANK), rest / self.of_rows)
        missed = np.abs(np.einsum("...mv,...v->...m", A, found) - rest / self.of_rows).max(initial=0.0)
        if missed > LEFT * max(float(np.abs(rest / self.of_rows).max(initial=0.0)), 1e-300):
            raise SingularError(
                f"functions of model {self.f.model.name!r}: the loops do not allow these velocities at this position. Hold independent "
                "velocities, as many as there are degrees of freedom."
            )
        if np.linalg.matrix_rank(A, tol=None).min(initial=A.shape[-1]) < A.shape[-1]:
            names = ", ".join(np.array(self.f.velocities)[held])
            raise SingularError(
                f"functions of model {self.f.model.name!r}: the held velocities ({names}) do not determine the others. Hold independent "
                "velocities, as many as there are degrees of freedom."
            )
        out[..., ~held] = found * self.of_speeds[~held]
        return out


def default_actuators(f: ModelFunctions) -> tuple[str, ...]:
    """As many velocities as there are degrees of freedom: of driven joints first, then from the ground on."""
    assert f._loops is not None
    regular = f._packed.regular
    N = f._loops.motions(regular if regular.size else f.start) / f._loops.of_speeds[:, None]
    driven = _driven(f)
    order = sorted(range(f._nv), key=lambda k: (f.velocities[k] not in driven, k))
    chosen: list[int] = []
    for k in order:
        trial = N[[*chosen, k]]
        sizes = np.linalg.svd(trial, compute_uv=False)
        if sizes.size == len(trial) and sizes[-1] > 1e-6 * np.abs(N).max():
            chosen.append(k)
        if len(chosen) == N.shape[1]:
            break
    return tuple(f.velocities[k] for k in sorted(chosen))


def _driven(f: ModelFunctions) -> set[str]:
    """Labels of the quantities that drivers prescribe."""
    drivers: list[Constraint] = [c for c in f.model.constraints.values() if c.is_driver]
    return {block.quantity.label for driver in drivers for block in driver.blocks}
