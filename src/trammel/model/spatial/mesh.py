"""Teeth in mesh: where gears of a drawing touch, and how a body on a joint moves there along a direction.

Everything is in the frame of the carrier, the body that both joints stand on: there the pitch point and the line of action rest.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from trammel.errors import ModelError
from trammel.model.constraint import Constraint, Seat
from trammel.model.expression import as_expression
from trammel.model.quantity import LENGTH, NUMBER, Quantity

if TYPE_CHECKING:
    from trammel.model.spatial.model import SpatialModel

Array = NDArray[np.float64]
PARALLEL = 1e-6  # sine of the angle between axes below which they count as parallel
FIT = 1e-3  # how far the drawing may be off, against the pitch radii


@dataclass(frozen=True)
class Shaft:
    """A gear, worm or rack on its joint: the joint, the seats on carrier and gear, and the gear's place in the carrier's frame."""

    joint: Constraint
    carrier: Seat
    gear: Seat
    body_place: Array

    @property
    def point(self) -> Array:
        return np.array(self.carrier.point)

    @property
    def axis(self) -> Array:
        return np.array(self.carrier.axis)

    def side(self, corner: Array, direction: Array, size: float) -> float:
        """On which side of a corner the gear is along a direction: where its joint stands, else where its body is; 0 if at the corner."""
        for place in (self.point, self.body_place):
            way = float((place - corner) @ direction)
            if abs(way) > FIT * size:
                return float(np.sign(way))
        return 0.0

    def moved(self, at: Array, along: Array) -> list[tuple[float, Quantity]]:
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
        moment = np.cross(at - self.point, along)
        about = float(moment @ self.axis)
        across = np.cross(moment, self.axis)  # x . z' of the gear's axis grows with the turn about z x x
        if np.linalg.norm(across) > 1e-12 * (1.0 + np.linalg.norm(moment)):
            tilt = Quantity("axis_dot", bodies, (*across, *self.gear.axis), (NUMBER,), f"tilt of {self.joint.name}")
            terms.append((1.0, tilt))
        sideways = along - float(along @ self.axis) * self.axis
        if "distance" in self.joint.measures and np.linalg.norm(sideways) > 1e-12:
            # as the gear slides along its axis, the point stays behind: its arm changes
            slid = Quantity("axis_offset", bodies, (*self.axis, *self.point, *self.gear.point), (LENGTH,), "slid")
            lean = Quantity("axis_dot", bodies, (*sideways, *self.gear.axis), (NUMBER,), "lean")
            inputs = {"slid": slid, "lean": lean}
            arm = Quantity(
                "expression", bodies, (1.0,), (LENGTH,), "arm", formula=as_expression("slid*lean", "arm"), inputs=inputs
            )
            terms.append((-1.0, arm))
        if "angle" in self.joint.measures:
            sign = 1.0 if self.joint.bodies[0] == self.carrier.body else -1.0
            terms.append((sign * about, self.joint.measures["angle"]))
        else:
            y = tuple(np.cross(self.gear.axis, self.gear.x))
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
        out.append(Shaft(joint, carrier, gear, np.array(place)))
    return out[0], out[1]


@dataclass(frozen=True)
class Mesh:
    """Pitch point, unit line of action along the pitch surfaces, and the direction in which teeth push the first gear off."""

    at: Array
    along: Array
    apart: Array


def spur_or_bevel(what: str, one: Shaft, two: Shaft, radii: tuple[float, float], internal: bool) -> Mesh:
    """Where two gears touch: parallel axes, or axes that meet."""
    r1, r2 = radii
    cross = np.cross(one.axis, two.axis)
    sine = float(np.linalg.norm(cross))
    pinion_is_second = internal and r1 > r2
    if sine < PARALLEL:
        way = two.point - one.point
        axial = float(way @ one.axis)
        way = way - axial * one.axis
        gap = float(np.linalg.norm(way))
        expected = abs(r1 - r2) if internal else r1 + r2
        if abs(gap - expected) > FIT * (r1 + r2) or gap <= FIT * (r1 + r2):
            how = f"|{r2:g} - {r1:g}|" if internal else f"{r1:g} + {r2:g}"
            raise ModelError(
                f"{what}: the axes are drawn {gap:g} m apart, but the pitch circles touch at {how} = {expected:g} m. Move a joint, "
                "change a radius, or set internal=True for a ring gear."
            )
        e = way / gap
        outward = -e if internal and not pinion_is_second else e
        at = one.point + 0.5 * axial * one.axis + r1 * outward
        return Mesh(at, np.cross(one.axis, e), outward if pinion_is_second else -outward)
    apart = abs(float((two.point - one.point) @ cross)) / sine
    if apart > FIT * (r1 + r2):
        raise ModelError(
            f"{what}: the axes of {one.joint.name!r} and {two.joint.name!r} neither are parallel nor meet (they pass {apart:.4g} m "
            "from each other), so that no pitch cones touch. Move a joint, or use worm for crossed axes."
        )
    apex = one.point + one.axis * float(np.cross(two.point - one.point, two.axis) @ cross) / sine**2
    sides = [shaft.side(apex, shaft.axis, r1 + r2) for shaft in (one, two)]
    for shaft, side in zip((one, two), sides, strict=True):
        if side == 0.0:
            raise ModelError(
                f"{what}: the axes meet in joint {shaft.joint.name!r}, and its body lies there too, so that the drawing does not say on "
                "which side its bevel gear meshes. Place the joint (at=) or the body where the gear is."
            )
    s1, s2 = sides[0] * one.axis, sides[1] * two.axis
    if internal:
        s1, s2 = (-s1, s2) if pinion_is_second else (s1, -s2)
    at = apex + (r2 * s1 + r1 * s2) / sine
    cone = (at - apex) / np.linalg.norm(at - apex)
    normal = cross / sine
    off = np.cross(normal, cone)
    pinion = two if pinion_is_second else one
    towards = pinion.axis * float((at - apex) @ pinion.axis) + apex - at
    sign = float(np.sign(off @ towards)) * (-1.0 if pinion_is_second else 1.0)
    return Mesh(at, normal, sign * off)


def worm_mesh(what: str, worm: Shaft, wheel: Shaft, ratio: float, radius: float | None) -> tuple[Mesh, float]:
    """Where a worm touches its wheel, and the worm's pitch radius. The hand of the thread decides the sense."""
    z1, z2 = worm.axis, wheel.axis
    cross = np.cross(z1, z2)
    sine = float(np.linalg.norm(cross))
    way = wheel.point - worm.point
    apart = abs(float(way @ cross)) / sine if sine > PARALLEL else 0.0
    size = max(float(np.linalg.norm(way)), 1e-300)
    if apart < FIT * size:
        raise ModelError(
            f"{what}: the axes of {worm.joint.name!r} and {wheel.joint.name!r} {'meet' if sine > PARALLEL else 'are parallel'}; a worm "
            "passes its wheel at the sum of their pitch radii, with its axis across the wheel's. Move a joint."
        )
    e = cross / sine * np.sign(way @ cross)
    foot = worm.point + z1 * float(np.cross(way, z2) @ cross) / sine**2
    r1 = 0.2 * apart if radius is None else radius
    if not 0.0 < r1 < apart:
        raise ModelError(
            f"{what}: the worm's pitch radius is {r1:g} m; it must be greater than 0 and less than the {apart:g} m between the axes."
        )
    t, c2 = np.cross(z1, e), np.cross(z2, (r1 - apart) * e)
    hand = float(np.sign(ratio))
    along_axis, across_axis = float(z1 @ c2), float(t @ c2)
    rise = abs(along_axis) / (abs(ratio) * r1 + np.sign(along_axis) * hand * across_axis)
    if not rise > 0.0:
        raise ModelError(
            f"{what}: no thread has a ratio of {ratio:g} with its axes at this angle. Turn an axis or change the ratio."
        )
    # the thread of a right-hand worm that turns without advancing moves back along its axis
    n = z1 - hand * rise * t
    return Mesh(foot + r1 * e, n / np.linalg.norm(n), -e), r1


def rack_mesh(what: str, pinion: Shaft, rack: Shaft, radius: float) -> Mesh:
    """Where a pinion touches its rack: on the side of its axis on which the rack is drawn."""
    if abs(float(pinion.axis @ rack.axis)) > FIT:
        raise ModelError(f"{what}: the rack must slide across the pinion's axis; turn the axis of {rack.joint.name!r}.")
    e = np.cross(pinion.axis, rack.axis)
    e /= np.linalg.norm(e)
    side = rack.side(pinion.point, e, radius)
    if side == 0.0:
        raise ModelError(
            f"{what}: joint {rack.joint.name!r} and its body lie on the pinion's axis, so that the drawing does not say on which side the "
            "rack meshes. Place the joint (at=) or the body where the rack is."
        )
    return Mesh(pinion.point + radius * side * e, rack.axis, -side * e)


def relative_motion(name: str, label: str, one: Shaft, two: Shaft, at: Array, along: Array) -> Quantity:
    """How far the first gear has moved against the second at a point along a direction [m]: its Jacobian is a force there."""
    terms = one.moved(at, along) + [(-weight, quantity) for weight, quantity in two.moved(at, along)]
    terms = [(float(weight), quantity) for weight, quantity in terms if abs(weight) > 1e-14]
    keys = [f"x{k}" for k in range(len(terms))]
    formula = " + ".join(f"({weight!r})*{key}" for key, (weight, _) in zip(keys, terms, strict=True))
    bodies = tuple(dict.fromkeys((one.carrier.body, one.gear.body, two.gear.body)))
    inputs = {key: quantity for key, (_, quantity) in zip(keys, terms, strict=True)}
    return Quantity(
        "expression",
        bodies,
        (1.0,),
        (LENGTH,),
        f"{label} of {name}",
        formula=as_expression(formula, name),
        inputs=inputs,
    )


def drawn_roll(model: SpatialModel, one: Shaft, two: Shaft, mesh: Mesh) -> float:
    """Value of the mesh's row as drawn [m]: of the angles and the rack's travel, which alone are left once the joints are closed."""
    total = 0.0
    for sign, shaft in ((1.0, one), (-1.0, two)):
        for weight, quantity in shaft.moved(mesh.at, mesh.along):
            if quantity.turn is not None:
                total += sign * weight * model.drawn_value(quantity)
        if "angle" not in shaft.joint.measures:
            way = 1.0 if shaft.joint.bodies[0] == shaft.carrier.body else -1.0
            total += sign * way * float(mesh.along @ shaft.axis) * model.drawn_value(shaft.joint.measures["distance"])
    return total
