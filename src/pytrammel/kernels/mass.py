"""The mass matrix, applied body by body: planar or spatial blocks, then the extra coordinates."""

from __future__ import annotations

from pytrammel.kernels import layout as L
from pytrammel.kernels.jit import call_element, kernel
from pytrammel.kernels.planar_mass import (
    planar_apply_inverse_mass,
    planar_apply_mass,
    planar_inertia_forces,
    planar_mechanical_energy,
    planar_weigh,
)


@kernel()
def apply_inverse_mass(I, F, state, f, x):
    """x = M^-1 f, with artificial masses where there is none."""
    if I[L.IS_SPATIAL] == 0:
        planar_apply_inverse_mass(I, F, state, f, x)
    else:
        call_element(I[L.SPACE_INVERSE_MASS], I, 0, F, state, f, 0, x, 0, x)
    first = I[L.N_COLUMNS] - I[L.N_EXTRAS]
    for e in range(I[L.N_EXTRAS]):
        x[first + e] = f[first + e] * F[I[L.AT_EXTRA_MASSES] + e]


@kernel()
def apply_mass(I, F, state, a, f):
    """f = M a, with true masses: zero where a coordinate has none."""
    if I[L.IS_SPATIAL] == 0:
        planar_apply_mass(I, F, state, a, f)
    else:
        call_element(I[L.SPACE_MASS], I, 0, F, state, a, 0, f, 0, f)
    for c in range(I[L.N_COLUMNS] - I[L.N_EXTRAS], I[L.N_COLUMNS]):
        f[c] = 0.0


@kernel()
def weigh_by_mass(I, F, P, state, jac, weighted):
    """J M^-1 for the active rows, by steps that lowering has laid out: entries of one body at a time, zero ones left out."""
    table = I[L.AT_WEIGHING]
    for r in range(P[L.P_ROWS]):
        row = table + 2 * P[P[L.P_AT_ROWS] + r]
        at = I[row]
        for _ in range(I[row + 1]):
            kind = I[at]
            j = I[at + 1]
            f = I[at + 2]
            if kind == L.WEIGH_ONE:
                weighted[j] = jac[j] * F[f]
            elif kind == L.WEIGH_DIAGONAL:
                weighted[j] = jac[j] * F[f]
                weighted[j + 1] = jac[j + 1] * F[f + 4]
                weighted[j + 2] = jac[j + 2] * F[f + 8]
            elif kind == L.WEIGH_MATRIX:
                for k in range(3):
                    weighted[j + k] = (
                        F[f + 3 * k] * jac[j] + F[f + 3 * k + 1] * jac[j + 1] + F[f + 3 * k + 2] * jac[j + 2]
                    )
            elif kind == L.WEIGH_PLANAR:
                planar_weigh(F, f, state, I[at + 3], jac, weighted, j)
            else:
                call_element(I[L.SPACE_WEIGH], I, f, F, state, jac, I[at + 3], jac, j, weighted)
            at += L.WEIGH_SIZE


@kernel()
def inertia_forces(I, F, state, g):
    """Gravity and velocity terms: start of the force vector."""
    if I[L.IS_SPATIAL] == 0:
        planar_inertia_forces(I, F, state, g)
    else:
        call_element(I[L.SPACE_INERTIA], I, 0, F, state, g, 0, g, 0, g)
    for c in range(I[L.N_COLUMNS] - I[L.N_EXTRAS], I[L.N_COLUMNS]):
        g[c] = 0.0


@kernel()
def mechanical_energy(I, F, state, energy):
    """Kinetic energy and potential energy of gravity (zero at the global origin)."""
    if I[L.IS_SPATIAL] == 0:
        planar_mechanical_energy(I, F, state, energy)
    else:
        call_element(I[L.SPACE_ENERGY], I, 0, F, state, energy, 0, energy, 0, energy)
