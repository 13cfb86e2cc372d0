"""Chain of rigid rods between two pins: the discrete catenary."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

import pytrammel as tm
from verification.case import Row, case

# distance and height of the second pin: nodes [m], horizontal force and vertical forces at both pins [N]; rods of 1 m and 1 kg
CATENARY = {
    (6.0, 0.0): (
        (0.0, 0.0),
        (0.34040587038772185, -0.9402785988235495),
        (0.7623948694012058, -1.846879550020711),
        (1.308353416475964, -2.684691739521448),
        (2.0440121509759948, -3.3620441045086924),
        (3.0, -3.655450362994185),
        (3.9559878490240052, -3.3620441045086924),
        (4.691646583524036, -2.684691739521448),
        (5.237605130598794, -1.846879550020711),
        (5.6595941296122785, -0.9402785988235495),
        (6.0, -4.591774807899561e-41),
        (15.981664548217537, 49.05, 49.05),
    ),
    (6.0, 2.0): (
        (0.0, 0.0),
        (0.4353066155624842, -0.9002822615421986),
        (0.9983725782616092, -1.726694217923341),
        (1.7538459313501271, -2.3818735924256154),
        (2.7200519246177106, -2.6396447672567094),
        (3.6686394929540933, -2.323129956864417),
        (4.399405711049645, -1.64050214136733),
        (4.945361358980331, -0.802688062652616),
        (5.3695171441630025, 0.10290117640451381),
        (5.712859099099181, 1.0421116437549383),
        (6.0, 2.0),
        (16.33756846429802, 38.693650480611566, 59.406349519388435),
    ),
}

# rods, their length, distance of the pins at one height: horizontal force and force at a pin [N], lowest node [m]
LEVEL = {
    (11, 1.0, 6.0): (14.549492901803807, 53.955, -4.155056004558406),
    (20, 1.0, 12.0): (32.0007302605559, 98.1, -7.2690523213089815),
    (100, 0.1, 6.0): (16.006549569225623, 49.05, -3.628087826013004),
}


def hanging(distance: float, height: float, count: int = 10, length: float = 1.0) -> tm.PlanarModel:
    """Chain of rods of 1 kg per metre, drawn as an arc through both pins."""
    m = tm.PlanarModel("chain", gravity=(0, -9.81))
    chord = math.hypot(distance, height)
    lo, hi = 1e-6, math.pi - 1e-9  # half angle of the arc: sin(x) / x = chord / length
    for _ in range(100):
        half = 0.5 * (lo + hi)
        lo, hi = (half, hi) if math.sin(half) / half > chord / (count * length) else (lo, half)
    radius, tilt = count * length / (2 * half), math.atan2(height, distance)
    angles = -math.pi / 2 - half + 2 * half * np.arange(count + 1) / count
    places = radius * np.exp(1j * angles)
    places = (places - places[0]) * np.exp(1j * tilt)
    last = m.ground
    for k in range(count):
        middle, direction = (places[k] + places[k + 1]) / 2, np.angle(places[k + 1] - places[k])
        rod = m.body(
            f"r{k}", position=(middle.real, middle.imag), angle=float(direction), mass=length, inertia=length**3 / 12
        )
        m.revolute(f"A{k}", last.at(0, 0) if k == 0 else last.at(length / 2, 0), rod.at(-length / 2, 0))
        last = rod
    m.revolute("B", m.ground.at(distance, height), last.at(length / 2, 0))
    return m


@case(
    "Hanging chain", area="Published benchmarks in the plane", source="Closed form of the discrete catenary with 40 digits",
    reason="residual forces of 1e-9 N divided by stiffnesses of some 10 N/m", uses="pins; equilibrium from an arc that is not in balance",
)  # fmt: skip
def catenary() -> Iterator[Row]:
    for (distance, height), table in CATENARY.items():
        nodes, (pull, left, right) = np.array(table[:-1]), table[-1]
        e = hanging(distance, height).equilibrium().result
        found = [e.point(e.model[f"r{k}"].at(-0.5, 0)).position[-1] for k in range(10)]
        name = f"{distance:g} m, {height:g} m"
        for k, axis in enumerate("xy"):
            yield Row(f"{axis} of the nodes ({name})", "m", nodes[:-1, k], np.array(found)[:, k], 1e-8)
        first, last = (e.reaction(joint, on="ground").force[-1] for joint in ("A0", "B"))
        yield Row(f"horizontal force ({name})", "N", pull, float(first[0]), 1e-7)
        yield Row(f"vertical force at the first pin ({name})", "N", left, float(-first[1]), 1e-7)
        yield Row(f"vertical force at the second pin ({name})", "N", right, float(-last[1]), 1e-7)
    for (count, length, distance), (pull, weight, lowest) in LEVEL.items():
        e = hanging(distance, 0.0, count, length).equilibrium().result
        name = f"{count} rods, {distance:g} m"
        heights = [e.point(e.model[f"r{k}"].at(-length / 2, 0)).position[-1][1] for k in range(count)]
        yield Row(f"height of the lowest node ({name})", "m", lowest, min(heights), 1e-8)
        first, last = (e.reaction(joint, on="ground").force[-1] for joint in ("A0", "B"))
        yield Row(f"horizontal forces ({name})", "N", [pull, -pull], [first[0], last[0]], 1e-7)
        yield Row(f"vertical forces ({name})", "N", [-weight, -weight], [first[1], last[1]], 1e-7)
