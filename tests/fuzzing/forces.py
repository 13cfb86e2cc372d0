"""Random forces: text for the script, law for the check."""

from __future__ import annotations

import numpy as np

from fuzzing.case import Case, number
from fuzzing.conditions import Along, Angle
from fuzzing.laws import Bushing, Contact, Drag, Grip, JointFriction, Push, Spring, Stop, Torsion
from fuzzing.motion import GROUND, Array, turn
from fuzzing.oracles import wrench_of

Z = np.array([0.0, 0.0, 1.0])


def add_forces(case: Case) -> None:
    rng = case.rng
    if rng.random() < 0.2:
        return
    quiet = rng.random() < 0.4  # nothing but springs and gravity: energy is kept
    kinds = [spring, torsion] if quiet else [spring, torsion, push, drag, motor, friction, friction]
    if not case.planar:
        kinds.append(bushing)
    for k in range(int(rng.integers(1, 4))):
        kinds[int(rng.integers(len(kinds)))](case, f"F{k}", quiet)
    if rng.random() < 0.25:
        (touch, stop)[int(rng.integers(2))](case, "touch", quiet)


def _spot(case: Case) -> Array:
    p = case.size * case.rng.uniform(-0.5, 0.5, 3)
    if case.planar:
        p[2] = 0.0
    return p


def _units(case: Case, *, length: float = 0, time: int = 0) -> float:
    """A force-like unit: mass times the given powers of length and time."""
    s = case.scale
    return s.mass * s.length**length * s.time**time


def _pair(case: Case) -> tuple[str, str]:
    a, b = case.rng.choice([GROUND, *case.bodies], 2, replace=False)
    return str(a), str(b)


def _quantity(case: Case, *kinds: type) -> tuple[str, str, object] | None:
    """A measure of a joint: its name, the joint's, and what it is; None if there is none of the kinds."""
    found = [
        q for q, part in case.measures.items() if isinstance(part, kinds) and q.partition(".")[0] not in case.bodies
    ]
    if not found:
        return None
    quantity = str(case.rng.choice(found))
    return quantity, quantity.partition(".")[0], case.measures[quantity]


def _damping(case: Case, quiet: bool, unit: float, low: float, high: float) -> tuple[float, str]:
    c = 0.0 if quiet or case.rng.random() < 0.5 else unit * case.rng.uniform(low, high)
    case.conservative &= c == 0.0
    return c, f", damping={number(c)}" if c else ""


def spring(case: Case, name: str, quiet: bool) -> None:
    rng = case.rng
    a, b = _pair(case)
    p, q = _spot(case), _spot(case)
    k, free = _units(case, time=-2) * rng.uniform(2.0, 60.0), case.size * rng.uniform(0.2, 1.0)
    c, damping = _damping(case, quiet, _units(case, time=-1), 0.1, 2.0)
    case.write(
        f'm.spring("{name}", {case.place(a, p)}, {case.place(b, q)}, stiffness={number(k)}, free_length={number(free)}{damping})',
        name, [a, b],
    )  # fmt: skip
    case.laws.append(Spring(name, a, p, b, q, k, free, c))


def _on_angle(case: Case, part: Angle, joint: str) -> str:
    return f'first="{part.a}", second="{part.b}"' if case.planar else f'"{joint}"'


def torsion(case: Case, name: str, quiet: bool) -> None:
    """Along the angle of a joint."""
    rng, found = case.rng, _quantity(case, Angle)
    if not found:
        return spring(case, name, quiet)
    quantity, joint, part = found
    free = case.start(quantity) + rng.uniform(-1.0, 1.0)
    k = _units(case, length=2, time=-2) * rng.uniform(0.5, 8.0)
    c, damping = _damping(case, quiet, _units(case, length=2, time=-1), 0.05, 0.5)
    case.write(
        f'm.torsion_spring("{name}", {_on_angle(case, part, joint)}, stiffness={number(k)}, free_angle={number(free)}{damping})',
        name, [part.a, part.b, joint],
    )  # fmt: skip
    case.laws.append(Torsion(name, part, k, free, c))
    return None


def motor(case: Case, name: str, quiet: bool) -> None:
    rng, T, found = case.rng, case.scale.time, _quantity(case, Angle)
    if not found:
        return push(case, name, quiet)
    _, joint, part = found
    torque, rate = _units(case, length=2, time=-2) * rng.uniform(-2.0, 2.0), rng.uniform(0.5, 3.0) / T
    text = f'm.motor("{name}", {_on_angle(case, part, joint)}, torque="{number(torque)}*cos({number(rate)}*t)")'
    case.write(text, name, [part.a, part.b, joint])
    case.laws.append(Torsion(name, part, drive=lambda t: torque * np.cos(rate * t)))
    case.conservative = False
    return None


def push(case: Case, name: str, quiet: bool) -> None:
    rng = case.rng
    body, follows = str(rng.choice(list(case.bodies))), bool(rng.random() < 0.5)
    p, f = _spot(case), _units(case, length=1, time=-2) * rng.uniform(-3.0, 3.0, 3)
    if case.planar:
        f[2] = 0.0
    frame = "body" if follows else "space"
    case.write(f'm.force("{name}", {case.place(body, p)}, {case.vector(f)}, frame="{frame}")', name, [body])
    case.laws.append(Push(name, body, p, f, follows))
    case.conservative = False


def drag(case: Case, name: str, quiet: bool) -> None:
    rng, s = case.rng, case.scale
    body = str(rng.choice(list(case.bodies)))
    p = _spot(case)
    density, area = s.mass / s.length**3 * rng.uniform(0.5, 2.0), s.length**2 * rng.uniform(0.1, 0.5)
    case.write(
        f'm.drag("{name}", m["{body}"], coefficient=0.9, area={number(area)}, density={number(density)}, center={case.vector(p)})',
        name, [body],
    )  # fmt: skip
    case.laws.append(Drag(name, body, p, 0.5 * 0.9 * density * area))
    case.conservative = False


def bushing(case: Case, name: str, quiet: bool) -> None:
    """Between markers up to a quarter turn apart: beyond half a turn the rotation vector jumps."""
    rng = case.rng
    a, b = _pair(case)
    at, A = case.spot(), turn(case.heading(), rng.uniform(-3.0, 3.0))
    B = A @ turn(case.heading(), rng.uniform(-0.8, 0.8))
    p, q = case.local(a, at), case.local(b, at + 0.2 * case.size * rng.uniform(-1.0, 1.0, 3))
    own = [np.column_stack([case.within(body, e) for e in frame.T]) for body, frame in ((a, A), (b, B))]
    k, kr = (_units(case, length=n, time=-2) * rng.uniform(1.0, 9.0, 3) for n in (0, 2))
    c, cr = (_units(case, length=n, time=-1) * rng.uniform(0.1, 0.5, 3) * (0.0 if quiet else 1.0) for n in (0, 2))
    ends = [
        f"m{case.owner(body)}.marker({case.vector(local)}, axis={case.vector(M[:, 2])}, x={case.vector(M[:, 0])})"
        for body, local, M in ((a, p, own[0]), (b, q, own[1]))
    ]
    damping = "" if quiet else f", damping={case.vector(c)}, rotational_damping={case.vector(cr)}"
    case.write(
        f'm.bushing("{name}", {", ".join(ends)}, stiffness={case.vector(k)}, rotational_stiffness={case.vector(kr)}{damping})',
        name, [a, b],
    )  # fmt: skip
    case.laws.append(Bushing(name, a, p, own[0], b, q, own[1], k, kr, c, cr))
    case.conservative &= quiet


def friction(case: Case, name: str, quiet: bool) -> None:
    """In a bearing or guide; the speed below which it fades is not small, so that nothing is stiff."""
    rng, T, size = case.rng, case.scale.time, case.size
    seats = {joint: place for joint, place in case.seats.items() if f"{joint}.friction" not in case.taken}
    if not seats:
        return drag(case, name, quiet)
    joint = str(rng.choice(list(seats)))
    case.taken.add(f"{joint}.friction")
    part = case.measures.get(f"{joint}.angle") or case.measures[f"{joint}.distance"]
    turns = isinstance(part, Angle)
    mu, radius, length = rng.uniform(0.05, 0.3), size * rng.uniform(0.02, 0.1), size * rng.uniform(0.3, 1.0)
    stick = rng.uniform(0.1, 0.5) * (1.0 if turns else size) / T
    viscous = _units(case, length=2 if turns else 0, time=-1) * rng.uniform(0.01, 0.1)
    sizes = {
        "radius": radius if turns or not case.planar else None,
        "length": None if turns and case.planar else length,
    }
    given = "".join(f", {key}={number(value)}" for key, value in sizes.items() if value is not None)
    case.write(
        f'm.joint_friction("{name}", "{joint}", friction={number(mu)}{given}, viscous={number(viscous)}, stick_speed={number(stick)})',
        name, [joint],
    )  # fmt: skip
    case.laws.append(JointFriction(name, joint, part, seats[joint], mu, radius, length, stick, viscous, wrench_of))
    case.conservative = False
    return None


def stop(case: Case, name: str, quiet: bool) -> None:
    """One end stop of a measured angle or distance, a little away from where it begins."""
    rng, found = case.rng, _quantity(case, Angle, Along)
    if not found:
        return touch(case, name, quiet)
    quantity, joint, part = found
    turns = isinstance(part, Angle)
    unit, side = 1.0 if turns else case.size, float(rng.choice([-1.0, 1.0]))
    start = case.start(quantity)
    limit = start + side * unit * rng.uniform(0.02, 0.5)
    k = _units(case, length=2 if turns else 0, time=-2) * 10.0 ** rng.uniform(2.0, 4.0)
    c, damping = _damping(case, quiet, case.scale.time / unit, 0.1, 1.0)
    end = "high" if side > 0.0 else "low"
    text = f'm.end_stop("{name}", "{quantity}", {end}={number(limit)}, stiffness={number(k)}{damping})'
    case.write(text, name, [part.a, part.b, joint])
    case.laws.append(Stop(name, part, start, limit, side, k, c))
    case.smooth = False
    return None


def touch(case: Case, name: str, quiet: bool) -> None:
    """A disc or sphere over a line or plane, of the ground or of another body, or near another disc or sphere."""
    rng = case.rng
    body = str(rng.choice(list(case.bodies)))
    other = str(rng.choice([n for n in [GROUND, GROUND, *case.bodies] if n != body]))
    p, normal, radius = _spot(case), case.heading(), case.size * rng.uniform(0.05, 0.3)
    centre = case.point(body, p)
    gap = case.size * rng.uniform(0.05, 0.6)
    rule = str(rng.choice(["linear", "hertz"] if quiet else ["linear", "hertz", "hunt_crossley"]))
    exponent = 1.0 if rule == "linear" else 1.5
    k = _units(case, length=1.0 - exponent, time=-2) * 10.0 ** rng.uniform(3.0, 5.0)
    c, damping = 0.0, ""
    if rule != "hertz":
        unit = _units(case, time=-1) if rule == "linear" else case.scale.time / case.size
        c, damping = _damping(case, quiet, unit, 0.1, 1.0)
    grip, rough = Grip(), ""
    if not quiet and rng.random() < 0.7:
        dynamic, speed = rng.uniform(0.1, 0.4), rng.uniform(0.2, 0.6) * case.size / case.scale.time
        grip = Grip(dynamic * rng.uniform(1.0, 1.3), dynamic, speed, _units(case, time=-1) * rng.uniform(0.0, 0.1))
        rough = f", friction=({number(grip.static)}, {number(dynamic)}), stick_speed={number(speed)}, viscous={number(grip.viscous)}"
        case.conservative = False
    shared = f'stiffness={number(k)}, law="{rule}"{damping}{rough}'
    if rng.random() < 0.5:
        second = case.size * rng.uniform(0.05, 0.3)
        q = case.local(other, centre - (radius + second + gap) * normal)
        kind, facing = "contact_discs" if case.planar else "contact_sphere_sphere", None
        text = f'm.{kind}("{name}", {case.place(body, p)}, {case.place(other, q)}, radii=({number(radius)}, {number(second)}), {shared})'
    else:
        second, q, facing = 0.0, case.local(other, centre - (radius + gap) * normal), case.within(other, normal)
        if case.planar:
            u = np.cross(facing, Z)  # the free side is on its left
            where = f"m{case.owner(other)}, line=({case.place(other, q)}, {case.place(other, q + 0.5 * case.size * u)})"
            text = f'm.contact_line("{name}", {case.place(body, p)}, {where}, radius={number(radius)}, {shared})'
        else:
            across = np.cross(facing, [1.0, 0.0, 0.0] if abs(facing[0]) < 0.7 else [0.0, 1.0, 0.0])
            across /= np.linalg.norm(across)
            plane = (
                f"m{case.owner(other)}.marker({case.vector(q)}, axis={case.vector(facing)}, x={case.vector(across)})"
            )
            text = (
                f'm.contact_sphere_plane("{name}", {case.place(body, p)}, {plane}, radius={number(radius)}, {shared})'
            )
    case.write(text, name, [body, other])
    case.laws.append(Contact(name, body, p, radius, other, q, facing, second, k, exponent, rule, c, grip))
    case.smooth = False
