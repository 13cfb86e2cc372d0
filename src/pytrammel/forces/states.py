"""Quantities that are integrated along with the motion (filters, controllers, pressures), and controllers that are sampled."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from pytrammel._util.checks import checked_number
from pytrammel._util.messages import short
from pytrammel.errors import ModelError
from pytrammel.expressions.expression import Expression, as_expression, is_taken, number
from pytrammel.expressions.tables import Table
from pytrammel.forces.force import Force, ForceUse, Input, force_type
from pytrammel.joints.constraint import check_positive
from pytrammel.model.spatial_registries import spatial_force_type

if TYPE_CHECKING:
    from pytrammel.model.argument_types import Law, Scalar
    from pytrammel.model.base import Model


@force_type(sample=lambda a, b, c: {"rate": f"{a.name}.x - 2*t + {b.name}.omega*t", "initial": 0.5})
@spatial_force_type(sample=lambda a, b, c: {"rate": f"{a.name}.x - 2*t + {b.name}.wz*t", "initial": 0.5})
def state(model: Model, name: str, rate: Law, *, initial: Scalar = 0.0, scale: Scalar = 1.0) -> Force:
    """A quantity of the user that is integrated along with the motion: the integral of an error, a filter, a pressure, a current.

    Laws of forces and rates of other states use it by its name; states may name each other before they are described.

    Args:
        rate: Its rate per second: a number, a table of t, or a formula of t, measured quantities, their rates and states.
        initial: Its value at the start.
        scale: Size that counts as one: the error of each step stays below rtol times its value, or times this where it is smaller.
    """
    start = checked_number(initial, f"initial of state {name!r}")
    size = check_positive(checked_number(scale, f"scale of state {name!r}"), f"scale of state {name!r}")
    law, inputs = _rate(model, name, rate)
    use = ForceUse(
        "user_state", "input", law=law, inputs=inputs, has_state=True, label=name, unit="1", state=name, start=start, scale=size
    )  # fmt: skip
    return Force("state", name, {"rate": rate, "initial": start, "scale": size}, (), (use,))


def _rate(model: Model, name: str, rate: Law) -> tuple[Expression, dict[str, Input]]:
    what = f"rate of state {name!r}"
    if callable(rate) and not isinstance(rate, Table):
        raise ModelError(
            f"{what} is a Python function; write it as a formula, or use controller(), which calls a function at fixed intervals."
        )
    law = rate(as_expression("t", what)) if isinstance(rate, Table) else as_expression(rate, what)
    inputs = {}
    for key in sorted(law.names):
        if key == f"{name}.value":
            inputs[key] = Input("state", joint=name)
            continue
        # a name alone, or behind that of a subsystem, can only be a state, perhaps one that is described later
        owner = key.rpartition(".")[0]
        later = (
            key != "t" and key not in model.states and (not owner or (owner in model._prefixes and owner not in model))
        )
        inputs[key] = Input("state", joint=key) if later else model.law_input(key, what)
    return law, inputs


def _zero(*_: float) -> float:
    return 0.0


@force_type(
    sample=lambda a, b, c: {"function": _zero, "every": 0.01, "inputs": (f"{a.name}.x", "t"), "outputs": ("u",)}
)
@spatial_force_type(
    sample=lambda a, b, c: {"function": _zero, "every": 0.01, "inputs": (f"{a.name}.x", "t"), "outputs": ("u",)}
)
def controller(
    model: Model, name: str, function: Callable[..., Any], *, every: Scalar, inputs: Sequence[str], outputs: Sequence[str] | None = None,
    initial: Scalar = 0.0,
) -> Force:  # fmt: skip
    """A Python function that is called at fixed intervals between steps; what it returns is held until the next call.

    Laws of forces use its outputs by name: ``m.motor("M", "A", "u")``. It is called once per instant and in order,
    the first time at the start of the run; an object with a method ``reset`` is reset there.

    Args:
        function: Called with the values of the inputs, in order; returns a number, or as many numbers as there are outputs.
        every: Interval between calls [s].
        inputs: Measured quantities, their rates, states, other controllers' outputs and "t".
        outputs: Names for what it returns; by default one with the name of the controller.
        initial: What it puts out where nothing has been computed yet, as in statics of other tools.
    """
    if not callable(function):
        raise ModelError(f"controller {name!r}: function= must be something to call, but it is {short(function)}.")
    interval = check_positive(checked_number(every, f"every of controller {name!r}"), f"every of controller {name!r}")
    start = checked_number(initial, f"initial of controller {name!r}")
    names = _names(outputs if outputs is not None else (name,), name, "outputs")
    if not names:
        raise ModelError(f"controller {name!r}: outputs= is empty; name at least one value that it puts out.")
    for key in names:
        if is_taken(key):
            raise ModelError(
                f"controller {name!r}: {key!r} already means something in formulas; choose another output."
            )
        if key != name:
            model._check_new_name(key, "output")
    given: Mapping[str, Input] = {
        key: model.law_input(key, f"controller {name!r}") for key in _names(inputs, name, "inputs")
    }
    for key, one in given.items():
        if one.kind == "reaction":
            raise ModelError(
                f"controller {name!r}: {key!r} is a reaction, which is known after the forces only; measure positions and rates, or put a "
                "spring where a force is to be measured."
            )
    # the first use carries the inputs, so that whatever they need is there; they do not act
    uses = tuple(
        ForceUse(
            "user_state", "input", law=number(0.0), inputs=given if k == 0 else {}, has_state=True, label=key, unit="1", state=key,
            start=start,
        )
        for k, key in enumerate(names)
    )  # fmt: skip
    kept = {"function": function, "every": interval, "inputs": tuple(given), "outputs": names, "initial": start}
    return Force("controller", name, kept, (), uses)


def _names(listed: object, name: str, what: str) -> tuple[str, ...]:
    plain = isinstance(listed, Sequence) and not isinstance(listed, str)
    if not plain or not all(isinstance(key, str) for key in listed):  # type: ignore[attr-defined]
        raise ModelError(
            f"controller {name!r}: {what}= must be a list of names such as ['A.angle'], but it is {short(listed)}."
        )
    names: tuple[str, ...] = tuple(listed)  # type: ignore[arg-type]
    if len(set(names)) < len(names):
        raise ModelError(f"controller {name!r}: {what}= names something twice: {short(listed)}; name each once.")
    return names
