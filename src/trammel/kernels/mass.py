"""The mass matrix, applied body by body: planar or spatial blocks, then the extra coordinates."""

from __future__ import annotations

from trammel.kernels import layout as L
from trammel.kernels.jit import kernel
from trammel.kernels.planar_mass import (
    planar_apply_inverse_mass,
    planar_apply_mass,
    planar_inertia_forces,
    planar_mechanical_energy,
    planar_weigh,
)
from trammel.kernels.spatial_mass import (
    spatial_apply_inverse_mass,
    spatial_apply_mass,
    spatial_inertia_forces,
    spatial_mechanical_energy,
    spatial_weigh,
)


@kernel()
def apply_inverse_mass(I, F, state, f, x):
    """x = M^-1 f, with artificial masses where there is none."""
    if I[L.IS_SPATIAL] == 0:
        planar_apply_inverse_mass(I, F, state, f, x)
    else:
        spatial_apply_inverse_mass(I, F, state, f, x)
    first = I[L.N_COLUMNS] - I[L.N_EXTRAS]
    for e in range(I[L.N_EXTRAS]):
        x[first + e] = f[first + e] * F[I[L.AT_EXTRA_MASSES] + e]


@kernel()
def apply_mass(I, F, state, a, f):
    """f = M a, with true masses: zero where a coordinate has none."""
    if I[L.IS_SPATIAL] == 0:
        planar_apply_mass(I, F, state, a, f)
    else:
        spatial_apply_mass(I, F, state, a, f)
    for c in range(I[L.N_COLUMNS] - I[L.N_EXTRAS], I[L.N_COLUMNS]):
        f[c] = 0.0


@kernel()
def weigh_by_mass(I, F, P, state, jac, weighted):
    """J M^-1 for the active rows."""
    per_body = 3 if I[L.IS_SPATIAL] == 0 else 6
    moving = per_body * (I[L.N_BODIES] - 1)
    for r in range(P[L.P_ROWS]):
        row = I[L.AT_ROWS] + L.ROW_SIZE * P[P[L.P_AT_ROWS] + r]
        j = I[row + 1]
        columns = I[row + 3]
        e = 0
        while e < I[row + 2]:
            column = I[columns + e]
            if column < 0:
                e += 1
            elif column >= moving:
                weighted[j + e] = jac[j + e] * F[I[L.AT_EXTRA_MASSES] + column - moving]
                e += 1
            elif per_body == 3:
                e += planar_weigh(I, F, state, column // 3, columns, e, jac, weighted, j + e)
            else:
                e += spatial_weigh(I, F, state, column // 6, columns, e, jac, weighted, j + e)


@kernel()
def inertia_forces(I, F, state, g):
    """Gravity and velocity terms: start of the force vector."""
    if I[L.IS_SPATIAL] == 0:
        planar_inertia_forces(I, F, state, g)
    else:
        spatial_inertia_forces(I, F, state, g)
    for c in range(I[L.N_COLUMNS] - I[L.N_EXTRAS], I[L.N_COLUMNS]):
        g[c] = 0.0


@kernel()
def mechanical_energy(I, F, state, energy):
    """Kinetic energy and potential energy of gravity (zero at the global origin)."""
    if I[L.IS_SPATIAL] == 0:
        planar_mechanical_energy(I, F, state, energy)
    else:
        spatial_mechanical_energy(I, F, state, energy)
