"""Writing actuators of MJCF."""

from __future__ import annotations

import math
from collections.abc import Mapping

from pytrammel.io.robots.robot import Actuator, Robot
from pytrammel.io.robots.xml_output import Sink, Tag


def write_actuators(
    robot: Robot, section: Tag, names: Mapping[tuple[str, int], str], ropes: Mapping[str, str], sink: Sink
) -> None:
    """All actuators of a robot.

    Args:
        robot: The robot.
        section: Where they are added.
        names: Joints of the file by coordinate.
        ropes: Tendons of the file by name.
        sink: Where notes go about those that cannot be written.
    """
    for motor in robot.actuators.values():
        where = _transmission(robot, motor, names, ropes)
        if where is None:
            sink.left_out(
                f"actuator {motor.name!r}", f"{motor.joint or motor.tendon!r} is not a joint or tendon in MJCF"
            )
            continue
        plain = motor.gain == 1.0 and not any((*motor.bias, *motor.slopes)) and motor.lag is None
        if plain:
            section.add("motor", name=motor.name, **where, **_ranges(motor))
        else:
            section.add("general", name=motor.name, **where, **_law(motor), **_ranges(motor))


def _transmission(
    robot: Robot, motor: Actuator, names: Mapping[tuple[str, int], str], ropes: Mapping[str, str]
) -> dict[str, object] | None:
    if motor.site:
        return {"site": motor.site, "refsite": motor.reference or None, "gear": motor.wrench}
    if motor.tendon:
        return {"tendon": ropes[motor.tendon], "gear": motor.gear} if motor.tendon in ropes else None
    if motor.wrench:
        gear = (*motor.wrench, *(0.0,) * (6 - len(motor.wrench)))
        return {"jointinparent" if motor.in_parent else "joint": motor.joint, "gear": gear}
    joint = names.get((motor.joint, motor.axis))
    return None if joint is None else {"joint": joint, "gear": motor.gear}


def _law(motor: Actuator) -> dict[str, object]:
    b0, b1, b2 = motor.bias
    out: dict[str, object] = {"gaintype": "fixed", "gainprm": motor.gain, "biastype": "affine", "biasprm": (b0, b1, b2)}
    if any(motor.slopes):
        out |= {"gaintype": "affine", "gainprm": (motor.gain, *motor.slopes)}
    if motor.lag is not None:
        integrator = motor.lag.kind == "integrator"
        out["dyntype"] = "integrator" if integrator else "filterexact"
        if not integrator:
            out["dynprm"] = motor.lag.time
    return out


def _ranges(motor: Actuator) -> dict[str, object]:
    lag = motor.lag
    limits = [("force", motor.low, motor.high), ("ctrl", motor.control_low, motor.control_high)]
    limits += [("act", lag.low, lag.high)] if lag is not None else []
    return {f"{what}range": (low, high) for what, low, high in limits if math.isfinite(low) and math.isfinite(high)}
