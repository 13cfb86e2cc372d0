"""Disc cams from lift programmes: pitch curve, profile, pressure angle, curvature, stress, smallest base circle.

The cam turns counter-clockwise by u about the origin. A translating follower moves along y at x = offset; an oscillating one turns
about (pivot, 0), its arm or flat face at the angle psi from the line to the cam's centre. With the roller's centre z(u) in fixed axes the
pitch curve is z exp(-i u) in the cam's axes, and the profile lies a roller's radius inside it. A flat face touches where the normal
through the instant centre of cam and follower meets it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Literal, get_args

import numpy as np

from pytrammel._util.checks import checked, checked_number
from pytrammel._util.messages import in_sentences, short, unlike
from pytrammel.design.synthesis.argument_checks import Floats, degrees, positive
from pytrammel.errors import ModelError
from pytrammel.expressions.expression import Expression, as_expression, call, number
from pytrammel.expressions.profiles import Segment, motion
from pytrammel.expressions.tables import Table
from pytrammel.geometry.curves import PARAMETER, Curve, analytic

if TYPE_CHECKING:
    from pytrammel.model.planar import PlanarModel

Follower = Literal["point", "roller", "flat"]
STEEL = 210e9 / (2 * (1 - 0.3**2))  # of two steel bodies in contact [Pa]
SAMPLES = 1441
DIP = 0.01  # largest distance of the least lift from 0, relative to the stroke: splines through measured lifts dip


@dataclass(frozen=True)
class Cam:
    """A disc cam and its follower.

    Attributes:
        lift: Lift as a formula of the cam's angle u: [m], of an oscillating follower [rad].
        follower: "point", "roller" or "flat".
        base: Radius of the base circle, the smallest of the profile [m].
        roller: Radius of the roller [m]; 0 for others.
        offset: x of a translating follower's axis; how far an oscillating face stands off its pivot, away from the cam [m].
        arm: Length of an oscillating follower's arm [m]; 0 for a flat face or a translating one.
        pivot: Distance of an oscillating follower's pivot from the cam's centre [m]; 0 for a translating one.
    """

    lift: Expression
    follower: Follower
    base: float
    roller: float = 0.0
    offset: float = 0.0
    arm: float = 0.0
    pivot: float = 0.0

    def __post_init__(self) -> None:
        reach = self.base + self.roller
        if self.arm:
            if not abs(self.pivot - self.arm) < reach < self.pivot + self.arm:
                raise ModelError(
                    f"an arm of {self.arm:g} m on a pivot {self.pivot:g} m off the centre does not reach a pitch circle of {reach:g} m."
                )
        elif self.pivot:
            if not 0.0 < self.base - self.offset < self.pivot:
                raise ModelError(
                    f"a face that stands {self.offset:g} m off a pivot {self.pivot:g} m from the centre touches base circles between "
                    f"{max(0.0, self.offset):g} and {self.pivot + self.offset:g} m, not one of {self.base:g} m."
                )
            if self.start + self._largest(lambda u: self._value(self.lift, number(0.0), u).real) >= math.pi / 2:
                raise ModelError(
                    f"with a base circle of {self.base:g} m the face is lifted past the right angle to the line of centres; take a smaller "
                    "base circle or a smaller lift."
                )
            if (steepest := self._largest(lambda u: -self._rates(u))) >= 1.0:
                raise ModelError(
                    f"the follower falls by {steepest:.4g} rad per radian of the cam; a flat face leaves the cam at 1: fall slower."
                )
        elif reach <= abs(self.offset):
            texts = unlike(self.offset, reach, digits=6)
            raise ModelError(
                f"the offset {texts[0]} m is not within the pitch circle of {texts[1]} m; enlarge the base circle."
            )

    # geometry ----------------------------------------------------------------------------------------------------

    @property
    def start(self) -> float:
        """Height of a translating follower on the base circle, angle psi of an oscillating one [m or rad]."""
        reach = self.base + self.roller
        if self.arm:
            return math.acos((self.pivot**2 + self.arm**2 - reach**2) / (2 * self.pivot * self.arm))
        if self.pivot:
            return math.asin((self.base - self.offset) / self.pivot)
        return self.base if self.follower == "flat" else math.sqrt(reach**2 - self.offset**2)

    @cached_property
    def _path(self) -> tuple[Expression, Expression]:
        """z(u): place of the follower's point, or of the contact of a flat face, in fixed axes."""
        value = self.start + self.lift
        if self.arm:
            return self.pivot - self.arm * call("cos", value), self.arm * call("sin", value)
        if self.pivot:
            c, s, along = call("cos", value), call("sin", value), self._along
            return self.pivot - along * c + self.offset * s, along * s + self.offset * c
        if self.follower == "flat":
            return self.lift.derivative("u"), value
        return number(self.offset), value

    @cached_property
    def _along(self) -> Expression:
        """How far from the pivot an oscillating face is touched, along it."""
        return self.pivot * call("cos", self.start + self.lift) / (1.0 + self.lift.derivative("u"))

    def _rates(self, u: Floats) -> Floats:
        """Derivative of the lift with respect to the cam's angle."""
        return np.asarray(self._value(self.lift.derivative("u"), number(0.0), u).real, dtype=float)

    @cached_property
    def pitch(self) -> Curve:
        """Path of the follower's point (the roller's centre) in the cam's axes; of a flat follower the profile itself."""
        return self._seen_from_cam(*self._path, "pitch")

    @cached_property
    def profile(self) -> Curve:
        """The outline, for `m.cam_point`, `m.cam_roller` and `m.cam_flat`; u is the cam's angle at the contact."""
        x, y = self._path
        if self.roller:
            along, across = self._tangent
            speed = call("sqrt", along * along + across * across)
            x, y = x + self.roller * across / speed, y - self.roller * along / speed
        return self._seen_from_cam(x, y, "profile")

    @cached_property
    def _tangent(self) -> tuple[Expression, Expression]:
        """dz/du - i z: along the pitch curve, in fixed axes."""
        x, y = self._path
        return x.derivative("u") + y, y.derivative("u") - x

    def _seen_from_cam(self, x: Expression, y: Expression, name: str) -> Curve:
        c, s = call("cos", PARAMETER), call("sin", PARAMETER)
        return analytic(x * c + y * s, y * c - x * s, 0.0, math.tau, closed=True, name=name)

    # quality -----------------------------------------------------------------------------------------------------

    @checked
    def pressure_angle(self, u: Floats | float) -> Floats:
        """Angle between the follower's motion and the common normal [rad], for angles of the cam [rad]; 0 for a face through its pivot."""
        at = np.asarray(u, dtype=float)
        if self.follower == "flat":
            if not self.pivot:
                return np.zeros(at.shape)
            return np.asarray(np.arctan2(self.offset, self._value(self._along, number(0.0), at).real), dtype=float)
        normal = 1j * self._value(*self._tangent, at)
        if self.arm:
            psi = self.start + self._value(self.lift, number(0.0), at).real
            way = np.sin(psi) + 1j * np.cos(psi)
        else:
            way = np.full(at.shape, 1j)
        return np.asarray(-np.angle(normal / way), dtype=float)

    @checked
    def curvature_radius(self, u: Floats | float) -> Floats:
        """Radius of curvature of the profile [m], negative where it is hollow."""
        at = np.asarray(u, dtype=float)
        if self.follower == "flat":
            if self.pivot:
                # the contact moves along the face by a speed that its turning in the cam's axes, 1 + psi', makes a radius
                psi = self.start + self._value(self.lift, number(0.0), at).real
                speed = (self._value(*self._tangent, at) * np.conj(-np.cos(psi) + 1j * np.sin(psi))).real
                return np.asarray(-speed / (1.0 + self._rates(at)), dtype=float)
            _, y = self._path
            x_rate = self._path[0].derivative("u")
            return np.asarray(self._value(x_rate + y, number(0.0), at).real, dtype=float)
        bend = self._pitch_bend(at)
        with np.errstate(divide="ignore"):
            return np.asarray(1.0 / bend - self.roller, dtype=float)

    @cached_property
    def worst_pressure_angle(self) -> float:
        """Largest pressure angle of a turn, without its sign [rad]."""
        return self._largest(lambda u: np.abs(self.pressure_angle(u)))

    @cached_property
    def sharpest(self) -> float:
        """Smallest radius of the convex parts of the profile [m]; 0 or less: it is undercut, or hollow under a flat face."""
        if self.follower == "flat":
            return -self._largest(lambda u: -self.curvature_radius(u))
        # the largest curvature of the pitch curve; smooth where the radius jumps through infinity
        return 1.0 / self._largest(self._pitch_bend) - self.roller

    def _pitch_bend(self, u: Floats) -> Floats:
        """Curvature of the pitch curve [1/m], positive where it is convex: it runs clockwise, with dp/du = t exp(-i u)."""
        x, y = self._tangent
        t, rate = self._value(x, y, u), self._value(x.derivative("u"), y.derivative("u"), u)
        return np.asarray(-(t.conj() * (rate - 1j * t)).imag / np.abs(t) ** 3, dtype=float)

    @property
    def face_reach(self) -> tuple[float, float]:
        """How far the contact wanders along a flat face to both sides of the axis, or from the foot of the pivot [m]."""
        x = self._along if self.pivot else self._path[0]

        def place(u: Floats) -> Floats:
            return np.asarray(self._value(x, number(0.0), u).real, dtype=float)

        return -self._largest(lambda u: -place(u)), self._largest(place)

    @checked
    def stress(self, load: float, width: float, *, modulus: float = STEEL) -> float:
        """Largest pressure of Hertz between profile and roller or face [Pa].

        Args:
            load: Force along the follower's motion [N].
            width: Width of the contact [m].
            modulus: Contact modulus E*, 1/E* = (1 - nu1²)/E1 + (1 - nu2²)/E2 [Pa]; steel on steel by default.
        """
        force, wide = positive(load, "the load of the cam"), positive(width, "the width of the cam")
        if self.follower == "point":
            raise ModelError(
                "a point touches a cam with no area, so its stress has no bound; use a roller or a flat face."
            )
        if self.sharpest <= 0.0:
            return math.inf

        def pressure(u: Floats) -> Floats:
            bend = 1.0 / self.curvature_radius(u) + (1.0 / self.roller if self.roller else 0.0)
            line = force / np.cos(self.pressure_angle(u)) / wide
            squared = line * positive(modulus, "the contact modulus") * np.maximum(bend, 0.0) / math.pi
            return np.asarray(np.sqrt(squared), dtype=float)

        return self._largest(pressure)

    @property
    def defects(self) -> tuple[str, ...]:
        """What makes it a bad cam, as sentences; () if nothing does."""
        out = []
        if self.sharpest <= 0.0:
            hollow = (
                "is hollow or pointed under its flat face" if self.follower == "flat" else "is undercut by the roller"
            )
            out.append(
                f"the profile {hollow}; enlarge the base circle"
                + (" or take a smaller roller." if self.roller else ".")
            )
        values = _samples(self.lift)
        if values.min() < -1e-6 * float(np.ptp(values)):
            out.append(
                f"the lift dips {-values.min():.3g} {'rad' if self.pivot else 'm'} below the base circle; "
                "check the measured lift near its dwell."
            )
        if self.worst_pressure_angle >= math.pi / 2:
            out.append("the pressure angle reaches 90°: the cam cannot push the follower; enlarge the base circle.")
        return tuple(out)

    def _value(self, x: Expression, y: Expression, u: Floats) -> np.ndarray[tuple[int, ...], np.dtype[np.complex128]]:
        real, imag = (np.broadcast_to(each.evaluate({"u": u}), u.shape) for each in (x, y))
        return np.asarray(real + 1j * imag, dtype=complex)

    def _largest(self, value: Callable[[Floats], Floats]) -> float:
        """Largest value of a turn, looked for again close to the largest samples."""
        u = np.linspace(0.0, math.tau, SAMPLES)
        best = value(u)
        for k in np.argsort(best)[-4:]:
            near = np.linspace(u[max(0, k - 1)], u[min(SAMPLES - 1, k + 1)], 201)
            best = np.append(best, np.max(value(near)))
        return float(np.max(best))

    # confirmation ------------------------------------------------------------------------------------------------

    @checked
    def model(self, *, speed: float = math.tau) -> PlanarModel:
        """A model: bodies "cam" and "follower", joints "shaft", "guide" (pin of an oscillating follower), "contact"; driver "motor".

        Args:
            speed: Angular velocity of the cam [rad/s].
        """
        from pytrammel.expressions.expression import time
        from pytrammel.model.planar import PlanarModel

        m = PlanarModel("cam")
        m.body("cam")
        m.revolute("shaft", m.ground, "cam", at=(0.0, 0.0))
        z = complex(self._value(*self._path, np.array(0.0)))
        translates_flat = self.follower == "flat" and not self.pivot
        at = (0.0, z.imag) if translates_flat else (z.real, z.imag)
        if self.pivot:
            m.body("follower", position=(self.pivot, 0.0))
            m.revolute("guide", m.ground, "follower", at=(self.pivot, 0.0))
        else:
            m.body("follower", position=at)
            m.prismatic("guide", m.ground, "follower", at=at, axis=(0.0, 1.0))
        if self.follower == "flat":
            psi = self.start + float(self._value(self.lift, number(0.0), np.array(0.0)).real)
            face = (-math.cos(psi), math.sin(psi)) if self.pivot else (1.0, 0.0)
            m.cam_flat("contact", "cam", "follower", curve=self.profile, at=at, axis=face)
        elif self.follower == "roller":
            m.cam_roller("contact", "cam", "follower", curve=self.profile, radius=self.roller, at=at)
        else:
            m.cam_point("contact", "cam", "follower", curve=self.profile, at=at)
        m.driver("motor", m["shaft"].angle, speed * time)
        return m

    def __str__(self) -> str:
        kind = f"{self.follower} follower" + (f" of radius {self.roller:.6g} m" if self.roller else "")
        moves = f"on an arm of {self.arm:.6g} m, {self.pivot:.6g} m off" if self.arm else f"offset {self.offset:.6g} m"
        moves += f", on a pivot {self.pivot:.6g} m off" if self.pivot and not self.arm else ""
        lines = [f"cam with {kind}, {moves}: base circle {self.base:.6g} m"]
        if self.follower == "flat":
            lines.append("  the contact wanders {:.6g} to {:.6g} m along the face".format(*self.face_reach))
        if self.follower != "flat" or self.pivot:
            lines.append(f"  pressure angle at most {degrees(self.worst_pressure_angle)}")
        lines.append(f"  sharpest convex radius {self.sharpest:.6g} m")
        return "\n".join([*lines, *(f"  {sentence}" for sentence in self.defects)])


@checked
@in_sentences
def cam(
    lift: Sequence[Segment] | Table | Expression | str, *, follower: Follower = "roller", roller: float | None = None,
    base: float | None = None, offset: float = 0.0, arm: float | None = None, pivot: float | None = None,
    pressure_limit: float | None = None, least_radius: float = 0.0, stress_limit: float | None = None, load: float | None = None,
    width: float | None = None, largest: float | None = None,
) -> Cam:  # fmt: skip
    """A disc cam that moves its follower by a lift programme, with the smallest base circle that keeps the limits.

    Args:
        lift: Segments made by `rise`, `fall` and `dwell` of `tm.profiles`, whose durations are angles of the cam [rad] that make a full
            turn and whose lifts begin at 0; a table over a full turn; or a formula of u. In metres, of an oscillating follower in radians.
        follower: "point", "roller" or "flat".
        roller: Radius of the roller [m].
        base: Radius of the base circle [m]; None: the smallest one that keeps the limits.
        offset: x of a translating follower's axis [m]; for a translating flat face it changes nothing and is refused. Of an oscillating
            face how far it stands off its pivot, away from the cam.
        arm: Length of an oscillating follower's arm [m]; a flat face has none.
        pivot: Distance of an oscillating follower's pivot from the cam's centre [m].
        pressure_limit: Largest pressure angle [rad]; 30° by default.
        least_radius: Smallest convex radius of the profile [m].
        stress_limit: Largest pressure of Hertz [Pa], with `load` [N] and `width` [m].
        load: Force along the follower's motion [N].
        width: Width of the contact [m].
        largest: Largest base circle that is tried [m]; by default 100 times the lift, or what the arm reaches.
    """
    if follower not in get_args(Follower):
        raise ModelError(f"follower must be one of {', '.join(get_args(Follower))}, but it is {short(follower)}.")
    formula = _lift_formula(lift, "m" if pivot is None else "rad")
    made = _Limits(pressure_limit, least_radius, stress_limit, load, width)
    size = _checked_sizes(follower, roller, offset, arm, pivot)
    if base is not None:
        return made.checked(Cam(formula, follower, positive(base, "the base circle"), **size))
    rise = float(np.ptp(_samples(formula)))
    if rise == 0.0:
        raise ModelError("the lift is 0 all the way round; a cam that moves nothing has no smallest base circle.")
    top = 100.0 * rise if largest is None else positive(largest, "the largest base circle")
    low = max(
        1e-4 * (size["pivot"] or rise), (size["offset"] if size["pivot"] else abs(size["offset"])) - size["roller"]
    )
    if size["pivot"] and not size["arm"]:
        # the face must not pass the right angle
        widest = size["pivot"] * math.sin(max(1e-3, math.pi / 2 - 1.001 * rise)) + size["offset"]
        top = min(top if largest is not None else math.inf, widest)
        low *= 1 + 1e-9
    if size["arm"]:
        top = min(top if largest is not None else math.inf, (size["pivot"] + size["arm"] - size["roller"]) * (1 - 1e-9))
        low = max(low, abs(size["pivot"] - size["arm"]) - size["roller"]) * (1 + 1e-9)
    return _smallest(lambda kind, r: kind(formula, follower, r, **size), made, low * (1 + 1e-9), top)


def _lift_formula(lift: object, unit: str) -> Expression:
    if isinstance(lift, Sequence) and not isinstance(lift, str):
        if not lift or not all(isinstance(each, Segment) for each in lift):
            raise ModelError(
                f"lift must be segments made by rise, fall and dwell, or a formula of u, but it is {short(lift)}."
            )
        turn = math.fsum(each.duration for each in lift)
        if abs(turn - math.tau) > 1e-9:
            raise ModelError(
                f"the angles of the lift programme make {degrees(turn)}; a cam needs a full turn, 360° (durations are in radians)."
            )
        formula = motion(0.0, lift, repeat=True, variable=PARAMETER)
    elif isinstance(lift, Table):
        formula = lift(PARAMETER)
    else:
        formula = as_expression(lift, "the lift of the cam")
    unknown = sorted(formula.names - {"u"})
    if unknown:
        raise ModelError(f"the lift of a cam may use only the cam's angle u, but it uses {', '.join(unknown)}.")
    values = _samples(formula)
    if not np.all(np.isfinite(values)):
        raise ModelError("the lift of the cam is not a finite number at every angle.")
    span = float(np.ptp(values))
    if abs(values[-1] - values[0]) > 1e-9 * (span or 1.0):
        texts = unlike(values[0], values[-1], digits=6)
        raise ModelError(
            f"the lift must end as it begins after a turn, but it goes from {texts[0]} to {texts[1]} {unit}."
        )
    if abs(values.min()) > DIP * (span or 1.0):
        raise ModelError(
            f"the lift counts from the base circle, so its least value must be 0 (within {DIP:.0%} of the largest lift), but it is "
            f"{values.min():g} {unit}. Subtract it from the lift."
        )
    return formula


def _samples(formula: Expression) -> Floats:
    u = np.linspace(0.0, math.tau, SAMPLES)
    return np.asarray(np.broadcast_to(formula.evaluate({"u": u}), u.shape), dtype=float)


def _checked_sizes(
    follower: str, roller: float | None, offset: float, arm: float | None, pivot: float | None
) -> dict[str, float]:
    out = {"roller": 0.0, "offset": checked_number(offset, "the offset"), "arm": 0.0, "pivot": 0.0}
    if (roller is None) == (follower == "roller"):
        raise ModelError(
            "a roller follower needs roller=, its radius."
            if roller is None
            else f"a {follower} follower has no roller; leave roller= out."
        )
    if roller is not None:
        out["roller"] = positive(roller, "the radius of the roller")
    if follower == "flat":
        if arm is not None:
            raise ModelError("a flat face has no arm; an oscillating one needs pivot= only.")
        if pivot is None and out["offset"]:
            raise ModelError("the offset of a flat face changes nothing; leave offset= out.")
    elif (arm is None) != (pivot is None):
        raise ModelError("an oscillating follower needs both arm= and pivot=.")
    elif arm is not None and out["offset"]:
        raise ModelError("an oscillating follower with an arm has no offset; leave offset= or arm= and pivot= out.")
    if arm is not None:
        out["arm"] = positive(arm, "the arm")
    if pivot is not None:
        out["pivot"] = positive(pivot, "the distance of the pivot")
    return out


class _Limits:
    """What a cam must keep."""

    def __init__(
        self, pressure: float | None, radius: float, stress: float | None, load: float | None, width: float | None
    ) -> None:
        self.pressure = (
            math.radians(30.0) if pressure is None else positive(pressure, "the limit of the pressure angle")
        )
        self.radius = checked_number(radius, "the least radius")
        self.stress = None if stress is None else positive(stress, "the limit of stress")
        self.load, self.width, self.asked = load, width, pressure is not None
        if self.radius < 0.0:
            raise ModelError(f"the least radius is {self.radius:g} m; it cannot be negative.")
        if self.pressure >= math.pi / 2:
            raise ModelError(
                f"the limit of the pressure angle is {degrees(self.pressure)}; it must be below 90°. Angles are in radians."
            )
        if self.stress is not None and (load is None or width is None):
            raise ModelError("a limit of stress needs load= [N] and width= [m].")

    def margin(self, cam: Cam) -> float:
        """How far a cam is from breaking a limit, of that limit; negative where it breaks one."""
        slack = [1.0 - cam.worst_pressure_angle / self.pressure]
        if cam.follower != "point":
            slack.append((cam.sharpest - self.radius) / cam.base)
            if self.stress is not None:
                slack.append(1.0 - cam.stress(self.load or 0.0, self.width or 0.0) / self.stress)
        return max(-1.0, min(slack))

    def broken(self, cam: Cam) -> str:
        """The limit that a cam breaks, in words; empty if it keeps all."""
        if cam.worst_pressure_angle > self.pressure:
            texts = unlike(math.degrees(cam.worst_pressure_angle), math.degrees(self.pressure), digits=4)
            return f"its pressure angle reaches {texts[0]}°, above {texts[1]}°"
        if cam.follower != "point" and cam.sharpest <= self.radius:
            texts = unlike(cam.sharpest, self.radius, digits=4)
            return f"its sharpest radius is {texts[0]} m, not above {texts[1]} m"
        if self.stress is not None and cam.stress(self.load or 0.0, self.width or 0.0) > self.stress:
            return f"its stress is above {self.stress:g} Pa"
        return ""

    def checked(self, cam: Cam) -> Cam:
        """A cam of given size; refused where it breaks a limit that was asked for."""
        keep = _Limits(self.pressure if self.asked else 1.57, self.radius, self.stress, self.load, self.width)
        if (self.asked or self.radius or self.stress) and (broken := keep.broken(cam)):
            raise ModelError(
                f"a base circle of {cam.base:g} m is too small: {broken}; leave base= out to find the smallest one."
            )
        return cam


class _Sketch(Cam):
    """A cam looked at in few positions, to find out about where its limits are kept."""

    def _largest(self, value: Callable[[Floats], Floats]) -> float:
        return float(np.max(value(np.linspace(0.0, math.tau, 181))))


def _smallest(cam: Callable[[type[Cam], float], Cam], limits: _Limits, low: float, high: float) -> Cam:
    """From the smallest cam upwards until all limits are kept, then back: first sketched, then exactly."""
    from scipy.optimize import brentq

    if not low < high:
        texts = unlike(high, low, digits=6)
        raise ModelError(f"the largest base circle, {texts[0]} m, is below the smallest possible one, {texts[1]} m.")
    sizes = np.geomspace(low, high, 60).tolist()
    kept = next((k for k, size in enumerate(sizes) if not limits.broken(cam(_Sketch, size))), len(sizes) - 1)
    if kept == 0 and not limits.broken(cam(Cam, low)):
        return cam(Cam, low)
    above, below = sizes[kept], sizes[max(kept - 1, 0)]
    while above > below * 1.001:
        middle = math.sqrt(above * below)
        above, below = (above, middle) if limits.broken(cam(_Sketch, middle)) else (middle, below)
    step = 1.001
    while words := limits.broken(cam(Cam, above)):
        if above >= high:
            raise ModelError(
                f"no base circle up to {high:g} m keeps the limits: with the largest {words}; relax the limits or raise largest=."
            )
        below, above, step = above, min(high, above * step), step**2
    while limits.margin(cam(Cam, below)) > 0.0 and below > low:
        above, below = below, max(low, below / 1.001)
    if limits.margin(cam(Cam, below)) >= 0.0:
        return cam(Cam, above)
    found = float(brentq(lambda size: limits.margin(cam(Cam, size)), below, above, xtol=1e-11 * above, rtol=1e-11))
    while limits.broken(cam(Cam, found)):
        found *= 1.0 + 1e-10
    return cam(Cam, min(found, above))
