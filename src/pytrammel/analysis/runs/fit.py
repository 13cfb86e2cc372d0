"""Which methods go with which equations: what is not offered is refused with the reason and the nearest that is."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytrammel.analysis.methods import Method
from pytrammel.errors import ModelError
from pytrammel.kernels import layout as L
from pytrammel.system.lowering import System

if TYPE_CHECKING:
    from pytrammel.analysis.runs.options import Options

HOPELESS = 1e9  # steps that nobody waits for
INSTEAD = "use method='radau5', or an explicit one such as 'dop853'"


def refuse_treatment(method: Method, options: Options) -> None:
    """Refuse a way of holding constraints, or a formulation, that a method does not go with."""
    if method.back_end is not None and options.treatment.partitioned:
        raise ModelError(
            f"method {method.name!r} does not tell when its steps end, where other coordinates may have to be chosen, and does not go with "
            f"constraints={options.constraints!r}; use 'projection', or a method such as 'adams' or 'bdf'."
        )
    if method.treatments is not None and options.constraints not in method.treatments:
        offered = " or ".join(repr(each) for each in method.treatments)
        offered += (
            f", give it a step (tm.methods.{method.made_by()}(step=...))"
            if method.can_control and not method.fixed
            else ""
        )
        raise ModelError(
            f"method {method.name!r} treats constraints itself and does not go with constraints={options.constraints!r}; use {offered}, "
            "or a method such as 'radau5' or 'dop853'."
        )
    if method.own_constraints and options.formulation.variant != "III":
        raise ModelError(
            f"method {method.name!r} has its equations in body coordinates with angular velocities and does not go with "
            f"formulation='{options.formulation}'; leave it at 'cartesian', or use a method such as 'dop853'."
        )


def refuse_countless_steps(
    method: Method, span: float, time_step: float, max_step: float, max_steps: int, unit: str = ""
) -> None:
    """Raise `ModelError` for step lengths with which a run would never end."""
    name, step = ("step", time_step) if method.fixed else ("max_step", max_step)
    count = span / step if step > 0.0 else 0.0
    if count > max(HOPELESS, 10.0 * max_steps):
        raise ModelError(
            f"{name} = {step:g}{unit} would take {count:.2g} steps for a run of {span:g}{unit}, and max_steps = {max_steps} ends it long "
            "before; use a longer one."
        )


def fewer_steps(method: Method, span: float, steps: tuple[float, float], max_steps: int, rtol: float) -> str:
    """Remedy for a run that ended at its largest number of steps: the option that makes them short (step, max_step or rtol)."""
    time_step, max_step = steps
    if method.fixed:
        return f"use a longer step than {time_step:g}"
    if span > max_step * max_steps:
        return f"use a longer max_step than {max_step:g}"
    return f"loosen rtol = {rtol:g}"


def refuse_hasty_gains(options: Options, span: float) -> None:
    """Refuse gains of stabilisation that no step could follow."""
    if "alpha" not in options.treatment.takes:
        return
    for name, gain in (("alpha", options.alpha), ("beta", options.beta)):
        if gain * span > max(HOPELESS, 10.0 * options.max_steps):
            raise ModelError(
                f"{name} = {gain:g} 1/s would make errors die away within {1.0 / gain:.2g} s, and steps would have to be as short: "
                f"{gain * span:.2g} of them for a run of {span:g} s. Gains from 1 to 10 do; they must stay below 1 / step."
            )


def refuse_forces(method: Method, system: System) -> None:
    """Refuse forces that a method with its own treatment of constraints does not know."""
    if not method.own_constraints:
        return
    if method.with_mass_only:
        _refuse_what_has_no_momentum(method, system)
    if system.ints[L.N_STATES]:
        owners = dict.fromkeys(repr(f.owner) for f in system.forces if f.use.has_state)
        raise ModelError(
            f"method {method.name!r} does not integrate inner states, which {', '.join(owners)} has; {INSTEAD}."
        )
    if system.ints[L.N_REACTIONS]:
        owners = dict.fromkeys(
            repr(f.owner) for f in system.forces if any(given.kind == "reaction" for given in f.use.inputs.values())
        )
        raise ModelError(
            f"method {method.name!r} does not know forces that depend on reactions, such as {', '.join(owners)}; {INSTEAD}."
        )


def _refuse_what_has_no_momentum(method: Method, system: System) -> None:
    """Refuse coordinates without mass, and equations that hold rates only, where a method needs momenta and positions."""
    instead = "use method='generalized_alpha', or 'dop853'"
    if system.ints[L.HAS_MASSLESS]:
        raise ModelError(
            f"method {method.name!r} needs a mass and an inertia for every coordinate, but there are parts without mass or places on "
            f"curves; {instead}."
        )
    for k, row in enumerate(system.rows):
        if system.ints[int(system.ints[L.AT_ROWS]) + L.ROW_SIZE * k + 5]:
            raise ModelError(
                f"method {method.name!r} holds positions, but {row.owner!r} is a constraint on velocities; {instead}."
            )


def refuse_plain(method: Method) -> None:
    """Refuse methods for mechanisms where there are plain equations only."""
    if method.own_constraints:
        raise ModelError(
            f"method {method.name!r} is for mechanisms: it treats their constraints. For plain equations use 'radau5', 'dop853' "
            "or 'adams'."
        )
