"""Actuators of MJCF: laws from shortcuts and defaults, and what transmits them."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import Any

from pytrammel.io.robots.checks import free_name
from pytrammel.io.robots.mjcf.defaults import ACTUATORS, Settings, View
from pytrammel.io.robots.reference import Mobility
from pytrammel.io.robots.robot import WORLD, Actuator, Lag, Robot
from pytrammel.io.robots.xml_tree import Element

OTHER = {  # kinds without a law that the model has
    "muscle": "muscles are not supported",
    "adhesion": "it presses contacts together, and contacts are not taken over",
    "dcmotor": "DC motors with their electrical state are not supported",
    "plugin": "plugins are not run",
}
SERVO = ("position", "velocity", "general", "intvelocity", "damper")


@dataclass
class Law:
    """Parameters of an actuator, as its defaults and its own shortcut set them one after another."""

    gain: list[float] = field(default_factory=lambda: [1.0, 0.0, 0.0])
    bias: list[float] = field(default_factory=lambda: [0.0, 0.0, 0.0])
    gain_kind: str = "fixed"
    bias_kind: str = "none"
    lag: str = "none"
    time: float = 1.0
    inherit: float = 0.0

    def apply(self, source: Element) -> None:
        """Apply the attributes of one element."""
        if source.tag in OTHER:
            self.gain_kind = self.bias_kind = self.lag = source.tag
        elif source.tag == "general":
            self._general(source)
        elif source.tag == "motor":
            self.gain, self.bias = [1.0, 0.0, 0.0], [0.0, 0.0, 0.0]
            self.gain_kind, self.bias_kind, self.lag = "fixed", "none", "none"
        elif source.tag in ("position", "intvelocity"):
            self._servo(source)
        elif source.tag == "velocity":
            gain = source.number("kv", self.gain[0])
            self.gain, self.bias = [gain, 0.0, 0.0], [0.0, 0.0, -gain]
            self.gain_kind, self.bias_kind, self.lag = "fixed", "affine", "none"
        elif source.tag == "damper":
            self.gain, self.bias = [0.0, 0.0, -source.number("kv")], [0.0, 0.0, 0.0]
            self.gain_kind, self.bias_kind, self.lag = "affine", "none", "none"
        elif source.tag == "cylinder":
            diameter = source.number("diameter")
            area = 0.25 * math.pi * diameter**2 if diameter else source.number("area", self.gain[0])
            self.gain = [area, 0.0, 0.0]
            _set(self.bias, source, "bias")
            self.gain_kind, self.bias_kind, self.lag = "fixed", "affine", "filter"
            self.time = source.number("timeconst", self.time)

    def _general(self, source: Element) -> None:
        _set(self.gain, source, "gainprm")
        _set(self.bias, source, "biasprm")
        time = [self.time]
        _set(time, source, "dynprm")
        self.time = time[0]
        self.gain_kind = source.get("gaintype", self.gain_kind) or "fixed"
        self.bias_kind = source.get("biastype", self.bias_kind) or "none"
        self.lag = source.get("dyntype", self.lag) or "none"

    def _servo(self, source: Element) -> None:
        gain = source.number("kp", self.gain[0])
        self.gain = [gain, *self.gain[1:]]
        self.bias[1] = -gain
        for key in ("kv", "dampratio", "timeconst"):
            source.need_positive(key, source.number(key))
        if source.get("kv") is not None:
            self.bias[2] = -source.number("kv")
        if source.get("dampratio") is not None:
            self.bias[2] = source.number("dampratio")
        if source.get("timeconst") is not None:
            self.time = source.number("timeconst")
            self.lag = "filterexact" if self.time else "none"
        if source.tag == "intvelocity":
            self.lag = "integrator"
        self.inherit = source.number("inheritrange", self.inherit)
        self.gain_kind, self.bias_kind = "fixed", "affine"


def _set(values: list[float], source: Element, key: str) -> None:
    """Replace the first values by those of an attribute that may have more."""
    words = (source.get(key) or "").split()
    if words:
        given = source.numbers(" ".join(words), len(words), tuple(values), key, False)
        values[: len(given)] = given[: len(values)]


def read_actuators(root: Element, robot: Robot, settings: Settings) -> list[str | None]:
    """Motors and servos along hinges, slides and tendons, at sites, ball and free joints.

    Returns:
        Names in the order of the file; None for each that was not taken over.
    """
    groups = _disabled_groups(root)
    order: list[str | None] = []
    made: list[tuple[View, Actuator]] = []
    for section in root.all("actuator"):
        for own in section.children:
            own.seen = True
            order.append(None)
            if own.tag in OTHER or own.tag not in ACTUATORS:
                own.note_ignored(OTHER.get(own.tag, "this kind of actuator is not supported"), what=_shown(own))
                continue
            element = settings.view(own, "")
            name = element.get("name") or free_name(f"actuator_line_{own.line}", robot.actuators)
            if "actuation" in settings.off or int(element.number("group")) in groups:
                own.note_ignored("the options of the file disable it", what=_shown(own), matters=False)
                continue
            one = _actuator(element, robot, settings, name)
            if one is not None:
                robot.actuators[name] = one
                made.append((element, one))
                order[-1] = name
    rated = [(element, one) for element, one in made if one.gain == -one.bias[1] and one.bias[2] > 0.0]
    mobility = Mobility(robot) if rated else None  # with all armatures
    for element, one in rated:
        robot.actuators[one.name] = _by_damping_ratio(element, robot, one, mobility)
    return order


def _shown(element: Element) -> str:
    name = element.attributes.get("name")
    return f"<{element.tag}>" + ("" if name is None else f" {name!r}")


def _disabled_groups(root: Element) -> set[int]:
    out: set[int] = set()
    for option in root.all("option"):
        words = (option.get("actuatorgroupdisable") or "").split()
        if words:
            out |= {int(x) for x in option.numbers(" ".join(words), len(words), (), "actuatorgroupdisable", False)}
    return out


def _actuator(element: View, robot: Robot, settings: Settings, name: str) -> Actuator | None:
    law = Law()
    for source in reversed(element.sources):
        law.apply(source)
    passed = [
        (law.gain_kind not in ("fixed", "affine"), f"its gain has the type {law.gain_kind!r}"),
        (law.bias_kind not in ("none", "affine"), f"its bias has the type {law.bias_kind!r}"),
        (law.lag not in ("none", "integrator", "filter", "filterexact"), f"its dynamics have the type {law.lag!r}"),
    ]
    for wrong, text in passed:
        if wrong:
            element.note_ignored(f"{text}, which is not supported", what=_shown(element))
            return None
    bias = (law.bias[0], law.bias[1], law.bias[2]) if law.bias_kind == "affine" else (0.0, 0.0, 0.0)
    slopes = (law.gain[1], law.gain[2]) if law.gain_kind == "affine" else (0.0, 0.0)
    low, high = _range(element, settings, "force")
    control_low, control_high = (
        (-math.inf, math.inf) if "clampctrl" in settings.off else _range(element, settings, "ctrl")
    )
    plain = Actuator(
        name, gear=1.0, gain=law.gain[0], bias=bias, low=low, high=high, control_low=control_low,
        control_high=control_high, line=element.line, slopes=slopes, lag=_lag(element, settings, law),
    )  # fmt: skip
    made = _transmitted(element, robot, plain)
    if made is None:
        return None
    if law.inherit > 0.0:
        made = _inheriting(element, robot, settings, made, law.inherit)
    return _own_inertia(element, robot, made)


def _lag(element: View, settings: Settings, law: Law) -> Lag | None:
    element.get("actdim"), element.get("actearly")
    if law.lag == "none":
        return None
    if law.lag != "integrator" and law.time <= 0.0:
        element.complain(f"its time constant is {law.time:g} s but must be greater than 0")
        return None
    low, high = _range(element, settings, "act")
    if law.lag == "integrator" and math.isfinite(low + high):
        element.note_approximated(
            "the integrated control is limited where it acts, and may go on beyond its range",
            what="actrange= of an actuator",
        )
    return Lag("integrator" if law.lag == "integrator" else "filter", law.time, low=low, high=high)


def _transmitted(element: View, robot: Robot, made: Actuator) -> Actuator | None:
    """The actuator with what transmits its effort; None if the model has no such transmission."""
    gear = element.overlaid("gear", (1.0, *(0.0,) * 5))
    plain, in_parent = element.get("joint"), element.get("jointinparent")
    joint, tendon, site = plain or in_parent, element.get("tendon"), element.get("site")
    element.get("refsite")
    if joint is not None:
        if joint not in robot.joints:
            element.complain(f"it names the joint {joint!r}, which does not exist")
            return None
        kind: str = robot.joints[joint].kind
        if kind in ("ball", "floating"):
            made = replace(made, joint=joint, wrench=gear[:3] if kind == "ball" else gear, in_parent=plain is None)
            return _without_length(element, made, f"at a {kind} joint")
        return replace(made, joint=joint, gear=gear[0])
    if tendon is not None:
        if tendon in robot.tendons:
            return replace(made, tendon=tendon, gear=gear[0])
        if tendon in robot.unsupported:
            element.note_ignored(f"its tendon {tendon!r} {robot.unsupported[tendon]}", what=_shown(element))
        else:
            element.complain(f"it names the tendon {tendon!r}, which does not exist")
        return None
    if site is not None:
        return _at_site(element, robot, replace(made, site=site, wrench=gear))
    means = next((key for key in ("cranksite", "body", "slidersite") if element.get(key) is not None), "nothing")
    element.note_ignored(f"transmission by {means} is not supported", what=_shown(element))
    return None


def _at_site(element: View, robot: Robot, made: Actuator) -> Actuator | None:
    reference = element.get("refsite") or ""
    for name in (made.site, reference):
        if name and name not in robot.frames:
            element.complain(f"it names the site {name!r}, which does not exist")
            return None
    if not reference:
        return _without_length(element, made, "at a site")
    if robot.frames[reference][0] != WORLD:
        element.note_ignored(
            f"its reference site {reference!r} is not on the ground, which is not supported", what=_shown(element)
        )
        return None
    made = replace(made, reference=reference)
    return _without_length(element, made, "with a torque at a site") if any(made.wrench[3:]) else made


def _without_length(element: View, made: Actuator, where: str) -> Actuator | None:
    """An actuator whose law needs no length, or None: laws of a length or rate need one number along which they act."""
    if any(made.bias[1:]) or any(made.slopes):
        element.note_ignored(f"a law of length or rate {where} is not supported", what=_shown(element))
        return None
    return made


def _inheriting(element: View, robot: Robot, settings: Settings, made: Actuator, share: float) -> Actuator:
    """A servo whose control has the range of its joint, as far as no nearer class gives a range for the control.

    The range of the joint counts also where `limited` takes it out of force, as in MuJoCo.
    """
    for source in element.sources:
        if "inheritrange" in source.attributes:
            break
        if "ctrlrange" in source.attributes:
            return made
    limited = element.get("actlimited" if made.lag and made.lag.kind == "integrator" else "ctrllimited", "auto")
    if limited in ("false", "0"):
        return made
    low, high = -math.inf, math.inf
    if made.tendon:
        low, high = robot.tendon_ranges.get(made.tendon, (low, high))
    elif made.joint:
        low, high = settings.ranges.get(made.joint, (low, high))
    if not math.isfinite(high - low):
        element.note_approximated(
            f"{made.joint or made.tendon or made.site!r} has no range to inherit, so that the control is not limited",
            what=f"inheritrange= of {_shown(element)}",
        )
        return made
    mean, half = 0.5 * (high + low), 0.5 * share * (high - low)
    if made.lag and made.lag.kind == "integrator":
        return replace(made, lag=replace(made.lag, low=mean - half, high=mean + half))
    return replace(made, control_low=mean - half, control_high=mean + half)


def _by_damping_ratio(element: View, robot: Robot, made: Actuator, mobility: Mobility | None) -> Actuator:
    """A servo whose damping is a ratio of the critical one, with the inertia that it moves in the reference pose."""
    parts: tuple[tuple[float, str, int], ...] = ((1.0, made.joint, made.axis),)
    if made.tendon:
        parts = robot.tendons[made.tendon].parts
    if not parts or mobility is None:
        element.note_ignored_part(f"dampratio= of {_shown(element)}", "it needs a joint or a fixed tendon")
        return replace(made, bias=(*made.bias[:2], 0.0))
    moved = mobility.inertia_along([(factor * made.gear, joint, axis) for factor, joint, axis in parts])
    return replace(made, bias=(*made.bias[:2], -2.0 * made.bias[2] * math.sqrt(made.gain * moved)))


def _own_inertia(element: View, robot: Robot, made: Actuator) -> Actuator:
    """Armature and damping of the actuator itself, reflected to its joint by the square of the gear."""
    for key, most in (("armature", 1), ("damping", 3)):
        terms = element.overlaid(key, (0.0,) * most)
        element.need_positive(key, terms[0])
        if not any(terms):
            continue
        if not made.joint or made.wrench:
            element.note_ignored_part(
                f"{key}= of {_shown(element)}", "only along a joint with one coordinate is it supported"
            )
            continue
        joint = robot.joints[made.joint]
        axis = joint.axes[0]
        value, *more = (made.gear**2 * term for term in (*terms, 0.0, 0.0)[:3])
        changes: dict[str, Any] = {key: getattr(axis, key) + value}
        if any(more):
            changes["more_damping"] = tuple(a + b for a, b in zip(axis.more_damping, more, strict=True))
        robot.joints[made.joint] = replace(joint, axes=(replace(axis, **changes),))
    return made


def _range(element: View, settings: Settings, kind: str) -> tuple[float, float]:
    low, high = settings.limits(element, kind) or (-math.inf, math.inf)
    return (low, high) if low < high else (-math.inf, math.inf)
