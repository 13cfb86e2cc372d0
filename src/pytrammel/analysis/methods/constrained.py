"""Methods that treat the constraints of a mechanism themselves."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np

from pytrammel._util.checks import checked, checked_number
from pytrammel.analysis.methods import Array, Method, method, method_named, register
from pytrammel.errors import ModelError
from pytrammel.kernels.engine import OWN
from pytrammel.kernels.methods import index3, index3_formulas, runge_kutta  # noqa: F401 (routines are found by name)
from pytrammel.kernels.methods import rattle as rattle_kernels

HIGHEST = 6  # BDF of higher order is not stable
STARTERS = {5: "dop853", 6: "dop853"}  # by order; the others start with rk4
TREATMENTS = ("projection", "none")


def _index3(
    about: str,
    order: int,
    *,
    past: int = 0,
    velocity_rows: bool = False,
    alpha: tuple[float, float, float, float] | None = None,
    doubt: str = "",
) -> Method:
    """A method for positions and multipliers at once.

    Args:
        past: Past states that its formula takes; 0 for generalised alpha.
        velocity_rows: Whether constraints hold for velocities too.
        alpha: alpha_m, alpha_f, beta, gamma of generalised alpha.
    """

    def numbers(size: int) -> tuple[Array, list[int]]:
        tables, own = method_named(STARTERS.get(past, "rk4")).numbers(0)
        stages = own[runge_kutta.STAGES - OWN]
        tableau, weights = own[runge_kutta.AT_TABLEAU - OWN], own[runge_kutta.AT_WEIGHTS - OWN]
        parts = [
            tables[tableau : tableau + stages * stages],
            tables[weights : weights + runge_kutta.N_WEIGHTS * (stages + 1)],
            np.zeros(stages * size if past else 0),  # rates at the stages of the starter
            np.zeros(max(1, past)),  # times
            np.zeros(past + 1),  # weights of the formula
            np.zeros(max(1, past) * size),  # states
            *(np.zeros(size) for _ in range(4)),  # states and rates at both ends of a step
            np.zeros(2 * size),  # and of the step before
            # accelerations (the method's and true ones), multipliers, accelerations: new, shifted, their jump, true ones before
            *(np.zeros(size) for _ in range(7)),
            np.zeros(6 * size),
        ]
        places = np.cumsum([index3_formulas.FREE, *(part.size for part in parts)])
        out = np.concatenate([np.zeros(index3_formulas.FREE), *parts])
        if alpha is not None:
            out[[index3_formulas.ALPHA_M, index3_formulas.ALPHA_F, index3_formulas.BETA, index3_formulas.GAMMA]] = alpha
        return out, [past, int(velocity_rows), stages, *(int(p) for p in places[:-1])]

    return Method(
        about=about, order=order, family="index3", fixed=True, numbers=numbers, implicit=True, doubt=doubt, treatments=TREATMENTS,
        worst=index3_formulas.WORST, control_order=3 if alpha else None, can_control=alpha is not None,
    )  # fmt: skip


UNDAMPED = "nothing damps what the steps do not resolve: reactions may swing from step to step; choose {remedy}."


@checked
def generalized_alpha(*, rho: float = 0.9) -> Method:
    """Generalised alpha on index 3, for ``method=``, with the damping of high frequencies chosen.

        m.simulate(1.0, method=tm.methods.generalized_alpha(rho=0.8, step=1e-3))

    Without ``step`` the error is controlled, with ``rtol`` and ``atol``.

    Args:
        rho: What one step leaves of vibrations much faster than the step: 1 nothing damped, 0 gone at once.
    """
    rho = checked_number(rho, "rho")
    if not 0.0 <= rho <= 1.0:
        raise ModelError(
            f"rho is {rho:g}; it must be from 0 (fast vibrations vanish in one step) to 1 (nothing is damped)."
        )
    alpha_m, alpha_f = (2.0 * rho - 1.0) / (rho + 1.0), rho / (rho + 1.0)
    gamma = 0.5 + alpha_f - alpha_m
    alpha = (alpha_m, alpha_f, 0.25 * (gamma + 0.5) ** 2, gamma)
    doubt = f"generalized_alpha(rho=1): {UNDAMPED.format(remedy='rho below 1')}" if rho == 1.0 else ""
    about = (
        "Chung and Hulbert's method on index 3, damping what steps do not resolve; `tm.methods.generalized_alpha(rho=...)` chooses "
        "how much."
    )
    return replace(
        _index3(about, 2, alpha=alpha, doubt=doubt),
        name=f"generalized_alpha(rho={rho:g})",
        recipe=("generalized_alpha", {"rho": rho}),
        maker=generalized_alpha,
    )


@checked
def hht(*, alpha: float = -0.1) -> Method:
    """Hilber, Hughes and Taylor's method on index 3, for ``method=``, with its damping chosen.

    Without ``step`` the error is controlled, with ``rtol`` and ``atol``.

    Args:
        alpha: From -1/3 (most damping of high frequencies) to 0 (none).
    """
    alpha = checked_number(alpha, "alpha")
    if not -1.0 / 3.0 - 1e-12 <= alpha <= 0.0:
        raise ModelError(f"alpha is {alpha:g}; it must be from -1/3 (most damping) to 0 (none).")
    doubt = f"hht(alpha=0): {UNDAMPED.format(remedy='alpha below 0')}" if alpha == 0.0 else ""
    about = "Hilber, Hughes and Taylor's method on index 3; `tm.methods.hht(alpha=...)` chooses its damping."
    numbers = (0.0, -alpha, 0.25 * (1.0 - alpha) ** 2, 0.5 - alpha)
    return replace(
        _index3(about, 2, alpha=numbers, doubt=doubt),
        name=f"hht(alpha={alpha:g})",
        recipe=("hht", {"alpha": alpha}),
        maker=hht,
    )


def _bdf(order: int, velocity_rows: bool) -> Method:
    rows = "positions and multipliers (book, 13.3.4)"
    if velocity_rows:
        rows = "positions, velocities and multipliers (index 2, after Gear, Gupta and Leimkuhler)"
    about = f"Backward differences of order {order} on {rows}, scaled; fixed steps."
    return _index3(about, order, past=order, velocity_rows=velocity_rows)


@method
def rattle() -> Method:
    def numbers(size: int) -> tuple[Array, list[int]]:
        # states and rates at both ends of a step, the step before, multipliers, scratch
        ends = np.cumsum([rattle_kernels.FREE, *(size for _ in range(4)), 2 * size, size, 4 * size])
        return np.zeros(int(ends[-1])), [int(p) for p in ends[:-1]]

    about = (
        "Symplectic method of order 2 on positions and velocities; the energy error of machines without losses stays bounded: "
        "for very long runs."
    )
    return Method(
        about=about, order=2, family="rattle", fixed=True, numbers=numbers, treatments=TREATMENTS, worst=rattle_kernels.WORST,
        with_mass_only=True,
    )  # fmt: skip


register("generalized_alpha", generalized_alpha)
register("hht", hht)
for _order in range(1, HIGHEST + 1):
    register(f"bdf{_order}_index3", partial(_bdf, _order, False))
for _order in range(1, HIGHEST + 1):
    register(f"bdf{_order}_ggl", partial(_bdf, _order, True))
