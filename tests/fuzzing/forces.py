"""Random forces: text for the script, law for the check."""

from __future__ import annotations

import numpy as np

from fuzzing.case import Case, number
from fuzzing.conditions import Angle
from fuzzing.laws import Drag, Push, Spring, Torsion, Touch
from fuzzing.motion import GROUND

Z = np.array([0.0, 0.0, 1.0])


def add_forces(case: Case) -> None:
    rng = case.rng
    if rng.random() < 0.25:
        return
    quiet = rng.random() < 0.4  # nothing but springs and gravity: energy is kept
    for k in range(int(rng.integers(1, 4))):
        kinds = [spring, torsion] if quiet else [spring, torsion, push, drag, motor]
        kinds[int(rng.integers(len(kinds)))](case, f"F{k}", quiet)
    if rng.random() < 0.15:
        touch(case, "touch")


def _spot(case: Case, body: str) -> np.ndarray:
    p = case.size * case.rng.uniform(-0.5, 0.5, 3)
    if case.planar:
        p[2] = 0.0
    return p


def _units(case: Case, *, length: int = 0, time: int = 0) -> float:
    """A force-like unit: mass times the given powers of length and time."""
    s = case.scale
    return s.mass * s.length**length * s.time**time


def _pair(case: Case) -> tuple[str, str]:
    a, b = case.rng.choice([GROUND, *case.bodies], 2, replace=False)
    return str(a), str(b)


def _angles(case: Case) -> list[str]:
    """Measured angles of joints."""
    return [
        q for q, part in case.measures.items() if isinstance(part, Angle) and q.partition(".")[0] not in case.bodies
    ]


def spring(case: Case, name: str, quiet: bool) -> None:
    rng = case.rng
    a, b = _pair(case)
    p, q = _spot(case, a), _spot(case, b)
    k, free = _units(case, time=-2) * rng.uniform(2.0, 60.0), case.size * rng.uniform(0.2, 1.0)
    c = 0.0 if quiet or rng.random() < 0.5 else _units(case, time=-1) * rng.uniform(0.1, 2.0)
    damping = f", damping={number(c)}" if c else ""
    case.write(
        f'm.spring("{name}", {case.place(a, p)}, {case.place(b, q)}, stiffness={number(k)}, free_length={number(free)}{damping})',
        name, [a, b],
    )  # fmt: skip
    case.laws.append(Spring(name, a, p, b, q, k, free, c))
    case.conservative &= c == 0.0


def torsion(case: Case, name: str, quiet: bool) -> None:
    """Along the angle of a joint."""
    rng = case.rng
    angles = _angles(case)
    if not angles:
        return spring(case, name, quiet)
    quantity = str(rng.choice(angles))
    joint, part = quantity.partition(".")[0], case.measures[quantity]
    free = case.start(quantity) + rng.uniform(-1.0, 1.0)
    k = _units(case, length=2, time=-2) * rng.uniform(0.5, 8.0)
    c = 0.0 if quiet or rng.random() < 0.5 else _units(case, length=2, time=-1) * rng.uniform(0.05, 0.5)
    damping = f", damping={number(c)}" if c else ""
    where = f'"{part.a}", "{part.b}"' if case.planar else f'"{joint}"'
    case.write(
        f'm.torsion_spring("{name}", {where}, stiffness={number(k)}, free_angle={number(free)}{damping})',
        name,
        [part.a, part.b, joint],
    )
    case.laws.append(Torsion(name, part.a, part.axis, part.b, part, k, free, c))
    case.conservative &= c == 0.0
    return None


def motor(case: Case, name: str, quiet: bool) -> None:
    rng, T = case.rng, case.scale.time
    angles = _angles(case)
    if not angles:
        return push(case, name, quiet)
    quantity = str(rng.choice(angles))
    joint, part = quantity.partition(".")[0], case.measures[quantity]
    torque, rate = _units(case, length=2, time=-2) * rng.uniform(-2.0, 2.0), rng.uniform(0.5, 3.0) / T
    where = f'"{part.a}", "{part.b}"' if case.planar else f'"{joint}"'
    case.write(f'm.motor("{name}", {where}, "{number(torque)}*cos({number(rate)}*t)")', name, [part.a, part.b, joint])
    case.laws.append(Torsion(name, part.a, part.axis, part.b, part, drive=lambda t: torque * np.cos(rate * t)))
    case.conservative = False
    return None


def push(case: Case, name: str, quiet: bool) -> None:
    rng = case.rng
    body, follows = str(rng.choice(list(case.bodies))), bool(rng.random() < 0.5)
    p, f = _spot(case, body), _units(case, length=1, time=-2) * rng.uniform(-3.0, 3.0, 3)
    if case.planar:
        f[2] = 0.0
    frame = "body" if follows else "space"
    case.write(f'm.force("{name}", {case.place(body, p)}, {case.vector(f)}, frame="{frame}")', name, [body])
    zero = np.zeros(3)
    case.laws.append(
        Push(name, body, p, lambda t: np.tile(f, (len(t), 1)), lambda t: np.tile(zero, (len(t), 1)), follows)
    )
    case.conservative = False


def drag(case: Case, name: str, quiet: bool) -> None:
    rng, s = case.rng, case.scale
    body = str(rng.choice(list(case.bodies)))
    p = _spot(case, body)
    density, area = s.mass / s.length**3 * rng.uniform(0.5, 2.0), s.length**2 * rng.uniform(0.1, 0.5)
    case.write(
        f'm.drag("{name}", m["{body}"], coefficient=0.9, area={number(area)}, density={number(density)}, center={case.vector(p)})',
        name, [body],
    )  # fmt: skip
    case.laws.append(Drag(name, body, p, 0.5 * 0.9 * density * area))
    case.conservative = False


def touch(case: Case, name: str) -> None:
    """A frictionless disc or sphere over a line or plane of the ground."""
    rng = case.rng
    body = str(rng.choice(list(case.bodies)))
    p, normal, radius = _spot(case, body), case.heading(), case.size * rng.uniform(0.05, 0.3)
    exponent = float(rng.choice([1.0, 1.5]))
    law = "linear" if exponent == 1.0 else "hertz"
    k = _units(case, length=1, time=-2) * case.size**-exponent * 10.0 ** rng.uniform(3.0, 5.0)
    centre = case.bodies[body].r + case.bodies[body].R @ p
    place = centre - normal * (radius + case.size * rng.uniform(0.05, 1.0))
    if case.planar:
        kind, where = "contact_line", f"direction={case.vector(np.cross(normal, Z))}"
    else:
        kind, where = "contact_sphere_plane", f"normal={case.vector(normal)}"
    case.write(
        f'm.{kind}("{name}", {case.place(body, p)}, m.ground, radius={number(radius)}, at={case.vector(place)}, {where}, '
        f'stiffness={number(k)}, law="{law}")',
        name, [body],
    )  # fmt: skip
    case.laws.append(Touch(name, body, p, radius, place, normal, k, exponent))
    case.smooth = False
