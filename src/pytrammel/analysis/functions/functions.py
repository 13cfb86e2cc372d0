"""The analysis that turns a model into functions of joint coordinates and velocities."""

from __future__ import annotations

from collections.abc import Sequence

from pytrammel.analysis.functions.model_functions import ModelFunctions
from pytrammel.analysis.functions.packing import kernels_needed, pack
from pytrammel.analysis.functions.regular import with_regular_rows
from pytrammel.analysis.options import verb
from pytrammel.analysis.ready import make_ready
from pytrammel.model.base import Model


@verb
def functions(
    model: Model,
    *,
    elements: bool = True,
    actuators: Sequence[str] | None = None,
    base: str = "root",
    cut: Sequence[str] = (),
) -> ModelFunctions:
    """Return the dynamics and kinematics of a model as functions of joint coordinates and velocities.

        f = m.functions()
        tau = f.inverse_dynamics(q, v, a)
        J = f.jacobian("tool0", q)

    The functions evaluate the model as it is now: later changes have no effect. Drivers are ignored, because coordinates and velocities
    are arguments; `inverse_dynamics` computes the efforts of actuators.

    Args:
        model: The model; for the dynamics every body that can move alone needs a mass and an inertia.
        elements: Whether springs, dampers, motors and other force elements act in the dynamics.
        actuators: Velocities along which efforts act, by name. Defaults to all of an open chain or tree; with closed loops to as many as
            there are degrees of freedom, driven joints first, then those nearest to the ground.
        base: Body that carries a floating part: "root" (the first that is not the second body of a joint), "heaviest", "distance", or a
            name.
        cut: Joints that close the loops; chosen automatically by default.
    """
    make_ready(model, kernels_needed(model.space.dimension), forces=True)
    chosen = None if actuators is None else tuple(actuators)
    packed = pack(model, elements, base, cut)
    if packed.dependent:
        packed = with_regular_rows(packed)
    return ModelFunctions(packed, chosen, (base, tuple(cut)))
