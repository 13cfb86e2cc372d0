"""Teeth in mesh: where gears of a drawing touch, and how a body on a joint moves there along a direction.

Everything is in the frame of the carrier, the body that both joints stand on: there the pitch point and the line of action rest.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pytrammel._util import traced_numbers
from pytrammel._util.messages import unlike
from pytrammel.errors import ModelError
from pytrammel.expressions.expression import as_expression, variable
from pytrammel.geometry.vectors import Vector, cross, dot, length, minus, over, plus, sign, times
from pytrammel.joints.constraint import Constraint, Seat, Symbol
from pytrammel.model.quantities.quantity import LENGTH, NUMBER, Quantity

if TYPE_CHECKING:
    from pytrammel.model.spatial import SpatialModel

PARALLEL = 1e-6  # sine of the angle between axes below which they count as parallel
FIT = 1e-3  # how far the drawing may be off, against the pitch radii


@dataclass(frozen=True)
class Shaft:
    """A gear, worm or rack on its joint: the joint, the seats on carrier and gear, and the gear's place in the carrier's frame."""

    joint: Constraint
    carrier: Seat
    gear: Seat
    body_place: Vector

    @property
    def point(self) -> Vector:
        x, y, z = self.carrier.point
        return x, y, z

    @property
    def axis(self) -> Vector:
        x, y, z = self.carrier.axis
        return x, y, z

    def side(self, corner: Vector, direction: Vector, size: float) -> float:
        """On which side of a corner the gear is along a direction: where its joint stands, else where its body is; 0 if at the corner."""
        for place in (self.point, self.body_place):
            way = dot(minus(place, corner), direction)
            if abs(way) > FIT * size:
                return sign(way)
        return 0.0

    def pitch_disc(self, at: Vector, *, ring: bool = False) -> Symbol:
        """What the gear looks like where its body has no shape: a disc about its axis, out to the pitch point, or a ring beyond it."""
        way = minus(at, self.point)
        along = dot(way, self.axis)
        centre = plus(self.gear.point, times(along, self.gear.axis))
        radius = length(minus(way, times(along, self.axis)))
        return Symbol("ring" if ring else "disc", self.gear.body, centre, radius=radius, axis=self.gear.axis)

    def moved(self, at: Vector, along: Vector) -> list[tuple[float, Quantity]]:
        """How far the gear has moved against the carrier at a point along a direction: weighted quantities, right for small motions."""
        bodies = (self.carrier.body, self.gear.body)
        terms = [
            (
                1.0,
                Quantity(
                    "axis_offset",
                    bodies,
                    (*along, *self.point, *self.gear.point),
                    (LENGTH,),
                    f"way of {self.joint.name}",
                ),
            )
        ]
        moment = cross(minus(at, self.point), along)
        about = dot(moment, self.axis)
        across = cross(moment, self.axis)  # x . z' of the gear's axis grows with the turn about z x x
        if length(across) > 1e-12 * (1.0 + length(moment)):
            tilt = Quantity("axis_dot", bodies, (*across, *self.gear.axis), (NUMBER,), f"tilt of {self.joint.name}")
            terms.append((1.0, tilt))
        sideways = minus(along, times(dot(along, self.axis), self.axis))
        if "distance" in self.joint.measures and length(sideways) > 1e-12:
            # as the gear slides along its axis, the point stays behind: its arm changes
            slid = Quantity("axis_offset", bodies, (*self.axis, *self.point, *self.gear.point), (LENGTH,), "slid")
            lean = Quantity("axis_dot", bodies, (*sideways, *self.gear.axis), (NUMBER,), "lean")
            inputs = {"slid": slid, "lean": lean}
            arm = Quantity(
                "expression", bodies, (1.0,), (LENGTH,), "arm", formula=as_expression("slid*lean", "arm"), inputs=inputs
            )
            terms.append((-1.0, arm))
        if "angle" in self.joint.measures:
            sense = 1.0 if self.joint.bodies[0] == self.carrier.body else -1.0
            terms.append((sense * about, self.joint.measures["angle"]))
        else:
            y = cross(self.gear.axis, self.gear.x)
            terms.append(
                (-about, Quantity("axis_dot", bodies, (*self.carrier.x, *y), (NUMBER,), f"twist of {self.joint.name}"))
            )
        return terms


def shafts(
    model: SpatialModel, what: str, first: object, second: object, needs: tuple[str, str]
) -> tuple[Shaft, Shaft]:
    """The two joints of a mesh, seen from the body that both stand on."""
    joints = [model.joint(joint, what) for joint in (first, second)]  # type: ignore[arg-type]
    for joint, measure in zip(joints, needs, strict=True):
        if measure not in joint.measures or len(joint.seats) != 2 or not joint.seats[0].axis:
            raise ModelError(f"{what}: joint {joint.name!r} is a {joint.kind} and has no {measure}; give one that has.")
    one, two = joints
    common = [body for body in one.bodies if body in two.bodies]
    if one.name == two.name or len(common) != 1:
        raise ModelError(
            f"{what}: joint {one.name!r} connects {' and '.join(one.bodies)}, {two.name!r} connects {' and '.join(two.bodies)}; exactly "
            "one of these bodies must be common to both, the one that carries the gears. Use joints to that body."
        )
    out = []
    for joint in joints:
        carrier, gear = joint.seats if joint.seats[0].body == common[0] else joint.seats[::-1]
        body = model.bodies[gear.body]
        place = model.bodies[carrier.body].at_global(*body.at(*body.centroid).drawn).local
        out.append(Shaft(joint, carrier, gear, place))
    return out[0], out[1]


@dataclass(frozen=True)
class Mesh:
    """Pitch point, unit line of action along the pitch surfaces, and the direction in which teeth push the first gear off."""

    at: Vector
    along: Vector
    apart: Vector


def spur_or_bevel(what: str, one: Shaft, two: Shaft, radii: tuple[float, float], internal: bool) -> Mesh:
    """Where two gears touch: parallel axes, or axes that meet."""
    r1, r2 = radii
    across = cross(one.axis, two.axis)
    sine = length(across)
    pinion_is_second = internal and r1 > r2
    if sine < PARALLEL:
        way = minus(two.point, one.point)
        axial = dot(way, one.axis)
        way = minus(way, times(axial, one.axis))
        gap = length(way)
        expected = abs(r1 - r2) if internal else r1 + r2
        if abs(gap - expected) > FIT * (r1 + r2) or gap <= FIT * (r1 + r2):
            how = f"|{r2:g} - {r1:g}|" if internal else f"{r1:g} + {r2:g}"
            texts = unlike(gap, expected, digits=6)
            raise ModelError(
                f"{what}: the axes are drawn {texts[0]} m apart, but the pitch circles touch at {how} = {texts[1]} m. Move a joint, "
                "change a radius, or set internal=True for a ring gear."
            )
        e = over(way, gap)
        outward = times(-1.0, e) if internal and not pinion_is_second else e
        at = plus(plus(one.point, times(0.5 * axial, one.axis)), times(r1, outward))
        return Mesh(at, cross(one.axis, e), outward if pinion_is_second else times(-1.0, outward))
    between = minus(two.point, one.point)
    apart = abs(dot(between, across)) / sine
    if apart > FIT * (r1 + r2):
        raise ModelError(
            f"{what}: the axes of {one.joint.name!r} and {two.joint.name!r} neither are parallel nor meet (they pass {apart:.4g} m "
            "from each other), so that no pitch cones touch. Move a joint, or use worm for crossed axes."
        )
    apex = plus(one.point, times(dot(cross(between, two.axis), across) / (sine * sine), one.axis))
    sides = [shaft.side(apex, shaft.axis, r1 + r2) for shaft in (one, two)]
    for shaft, side in zip((one, two), sides, strict=True):
        if side == 0.0:
            raise ModelError(
                f"{what}: the axes meet in joint {shaft.joint.name!r}, and its body lies there too, so that the drawing does not say on "
                "which side its bevel gear meshes. Place the joint (at=) or the body where the gear is."
            )
    first, second = (
        side * (-1.0 if internal and pinion_is_second is (k == 0) else 1.0) for k, side in enumerate(sides)
    )
    reach = over(plus(times(r2 * first, one.axis), times(r1 * second, two.axis)), sine)
    at = plus(apex, reach)
    normal = over(across, sine)
    off = cross(normal, over(reach, length(reach)))
    pinion = two if pinion_is_second else one
    towards = minus(times(dot(reach, pinion.axis), pinion.axis), reach)
    sense = sign(dot(off, towards)) * (-1.0 if pinion_is_second else 1.0)
    return Mesh(at, normal, times(sense, off))


def worm_mesh(what: str, worm: Shaft, wheel: Shaft, ratio: float, radius: float | None) -> tuple[Mesh, float]:
    """Where a worm touches its wheel, and the worm's pitch radius. The hand of the thread decides the sense."""
    z1, z2 = worm.axis, wheel.axis
    across = cross(z1, z2)
    sine = length(across)
    way = minus(wheel.point, worm.point)
    apart = abs(dot(way, across)) / sine if sine > PARALLEL else 0.0
    size = traced_numbers.maximum((length(way), 1e-300))
    if apart < FIT * size:
        raise ModelError(
            f"{what}: the axes of {worm.joint.name!r} and {wheel.joint.name!r} {'meet' if sine > PARALLEL else 'are parallel'}; a worm "
            "passes its wheel at the sum of their pitch radii, with its axis across the wheel's. Move a joint."
        )
    e = times(sign(dot(way, across)) / sine, across)
    foot = plus(worm.point, times(dot(cross(way, z2), across) / (sine * sine), z1))
    r1 = 0.2 * apart if radius is None else radius
    if not 0.0 < r1 < apart:
        texts = unlike(r1, apart, digits=6)
        raise ModelError(
            f"{what}: the worm's pitch radius is {texts[0]} m; it must be greater than 0 and less than the {texts[1]} m between the axes."
        )
    t, c2 = cross(z1, e), cross(z2, times(r1 - apart, e))
    hand = sign(ratio)
    along_axis, across_axis = dot(z1, c2), dot(t, c2)
    below = abs(ratio) * r1 + sign(along_axis) * hand * across_axis
    rise = abs(along_axis) / below if below > 0.0 else 0.0
    if not rise > 0.0:
        raise ModelError(
            f"{what}: no thread has a ratio of {ratio:g} with its axes at this angle. Turn an axis or change the ratio."
        )
    # the thread of a right-hand worm that turns without advancing moves back along its axis
    n = minus(z1, times(hand * rise, t))
    return Mesh(plus(foot, times(r1, e)), over(n, length(n)), times(-1.0, e)), r1


def rack_mesh(what: str, pinion: Shaft, rack: Shaft, radius: float) -> Mesh:
    """Where a pinion touches its rack: on the side of its axis on which the rack is drawn."""
    if abs(dot(pinion.axis, rack.axis)) > FIT:
        raise ModelError(f"{what}: the rack must slide across the pinion's axis; turn the axis of {rack.joint.name!r}.")
    e = cross(pinion.axis, rack.axis)
    e = over(e, length(e))
    side = rack.side(pinion.point, e, radius)
    if side == 0.0:
        raise ModelError(
            f"{what}: joint {rack.joint.name!r} and its body lie on the pinion's axis, so that the drawing does not say on which side the "
            "rack meshes. Place the joint (at=) or the body where the rack is."
        )
    return Mesh(plus(pinion.point, times(radius * side, e)), rack.axis, times(-side, e))


def relative_motion(name: str, label: str, one: Shaft, two: Shaft, at: Vector, along: Vector) -> Quantity:
    """How far the first gear has moved against the second at a point along a direction [m]: its Jacobian is a force there."""
    terms = one.moved(at, along) + [(-weight, quantity) for weight, quantity in two.moved(at, along)]
    terms = [(weight, quantity) for weight, quantity in terms if abs(weight) > 1e-14]
    keys = [f"x{k}" for k in range(len(terms))]
    formula = as_expression(0.0, name)
    for key, (weight, _) in zip(keys, terms, strict=True):
        formula = formula + weight * variable(key)
    bodies = tuple(dict.fromkeys((one.carrier.body, one.gear.body, two.gear.body)))
    inputs = {key: quantity for key, (_, quantity) in zip(keys, terms, strict=True)}
    return Quantity(
        "expression",
        bodies,
        (1.0,),
        (LENGTH,),
        f"{label} of {name}",
        formula=formula,
        inputs=inputs,
    )


def drawn_roll(model: SpatialModel, one: Shaft, two: Shaft, mesh: Mesh) -> float:
    """Value of the mesh's row as drawn [m]: of the angles and the rack's travel, which alone are left once the joints are closed."""
    total = 0.0
    for sense, shaft in ((1.0, one), (-1.0, two)):
        for weight, quantity in shaft.moved(mesh.at, mesh.along):
            if quantity.turn is not None:
                total += sense * weight * model.drawn_value(quantity)
        if "angle" not in shaft.joint.measures:
            way = 1.0 if shaft.joint.bodies[0] == shaft.carrier.body else -1.0
            total += sense * way * dot(mesh.along, shaft.axis) * model.drawn_value(shaft.joint.measures["distance"])
    return total
