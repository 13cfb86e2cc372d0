"""Mechanisms whose motion has a closed form; the forms are differentiated with 30 digits."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any

import mpmath
import numpy as np

import pytrammel as tm
from mechanisms import (
    cam,
    derivatives,
    elliptic_trammel,
    four_bar,
    four_bar_angles,
    inverted_slider_crank,
    oldham,
    scotch_yoke,
    slider_crank,
)  # fmt: skip
from verification.case import Row, case

AREA = "Closed forms: kinematics"
REASON = "some hundred roundings, relative to the largest value"
QUIET = {"progress": False}
RELATIVE = 1e-12


def motion(
    name: str, unit: str, found: tuple[Any, Any, Any], form: Callable[[Any], Any], times: np.ndarray
) -> Iterator[Row]:
    """Rows of value, rate and second derivative against a closed form; angles without whole turns."""
    for k, (got, want) in enumerate(zip(found, derivatives(form, times), strict=True)):
        if unit == "rad" and k == 0:
            got = got - math.tau * np.round((got - want) / math.tau)
        size = max(1.0, float(np.abs(want).max()))
        what = ("", "rate of the ", "second derivative of the ")[k] + name
        yield Row(what, unit + ("", "/s", "/s²")[k], want, got, RELATIVE, size, at=times)


def along(body: Any, axis: str = "x") -> tuple[Any, Any, Any]:
    return tuple(getattr(body, q + axis) for q in ("", "v", "a"))


def turn(body: Any) -> tuple[Any, Any, Any]:
    return body.phi, body.omega, body.alpha


@case("Slider-crank with offset", area=AREA, source="x = r cos φ + √(l² - (r sin φ - e)²), sin rod = (e - r sin φ) / l", reason=REASON,
      uses="revolute, prismatic; kinematics")  # fmt: skip
def slider_cranks() -> Iterator[Row]:
    for offset in (0.0, 0.04, -0.1):
        k = slider_crank(0.1, 0.25, offset=offset, crank=0.0, motion="2*t + 0.3*t^2").kinematics(
            4.0, samples=21, **QUIET
        )

        def x(t: Any, e: float = offset) -> Any:
            angle = 2 * t + mpmath.mpf("0.3") * t**2
            return 0.1 * mpmath.cos(angle) + mpmath.sqrt(0.25**2 - (0.1 * mpmath.sin(angle) - e) ** 2)

        yield from motion(f"slider, offset {offset:g} m", "m", along(k["slider"]), x, k.times)
    k = slider_crank(0.1, 0.25, offset=0.04, crank=0.0).kinematics(7.0, samples=21, **QUIET)
    yield from motion(
        "angle of the rod", "rad", turn(k["rod"]), lambda t: mpmath.asin((0.04 - 0.1 * mpmath.sin(t)) / 0.25), k.times
    )


@case("Scotch yoke and Oldham coupling", area=AREA,
      source="x = r cos 5t; the coupling transmits the angle, its disc runs round at twice the speed",
      reason=REASON, uses="prismatic joints between moving bodies; kinematics")  # fmt: skip
def yoke_and_coupling() -> Iterator[Row]:
    k = scotch_yoke(0.3, crank=0.0, motion="5*t").kinematics(2.0, samples=31, **QUIET)
    yield from motion("yoke", "m", along(k["yoke"]), lambda t: 0.3 * mpmath.cos(5 * t), k.times)
    k = oldham(0.2, motion="0.3 + 4*t + sin(t)").kinematics(3.0, samples=31, **QUIET)
    yield from motion(
        "angle of the output", "rad", turn(k["output"]), lambda t: mpmath.mpf("0.3") + 4 * t + mpmath.sin(t), k.times
    )
    k = oldham(0.2, motion="0.3 + 4*t").kinematics(3.0, samples=31, **QUIET)
    yield from motion(
        "x of the disc",
        "m",
        along(k["disc"]),
        lambda t: 0.1 * (1 + mpmath.cos(2 * (mpmath.mpf("0.3") + 4 * t))),
        k.times,
    )
    yield from motion(
        "y of the disc",
        "m",
        along(k["disc"], "y"),
        lambda t: 0.1 * mpmath.sin(2 * (mpmath.mpf("0.3") + 4 * t)),
        k.times,
    )


@case("Inverted slider-crank", area=AREA, source="angle atan2(-r sin φ, d - r cos φ), distance √(r² + d² - 2 r d cos φ)", reason=REASON,
      uses="revolute, prismatic between moving bodies; kinematics")  # fmt: skip
def inverted() -> Iterator[Row]:
    k = inverted_slider_crank(0.4, 1.0, crank=0.0).kinematics(7.0, samples=31, **QUIET)
    form = lambda t: mpmath.atan2(-0.4 * mpmath.sin(t), 1 - 0.4 * mpmath.cos(t))  # noqa: E731
    yield from motion("angle of the swinging rod", "rad", turn(k["rod"]), form, k.times)
    s = k["slide"].series("distance")
    yield from motion(
        "sliding distance",
        "m",
        (s.value, s.rate, s.acceleration),
        lambda t: mpmath.sqrt(1.16 - 0.8 * mpmath.cos(t)),
        k.times,
    )


@case("Elliptic trammel", area=AREA, source="x = -l cos φ", reason=REASON, uses="sliders; kinematics")  # fmt: skip
def trammel() -> Iterator[Row]:
    k = elliptic_trammel(1.5, angle=0.5, motion="0.5 + t + 0.2*t^2").kinematics(6.0, samples=31, **QUIET)
    yield from motion(
        "end of the bar", "m", along(k["bar"]), lambda t: -1.5 * mpmath.cos(0.5 + t + mpmath.mpf("0.2") * t**2), k.times
    )


@case("Eight random crank-rockers", area=AREA, source="Freudenstein's equation by the two triangles of the diagonal", reason=REASON,
      uses="revolute; kinematics of both branches")  # fmt: skip
def crank_rockers() -> Iterator[Row]:
    random, found = np.random.default_rng(1988), []
    while len(found) < 8:
        a, b, c, d = (float(x) for x in np.exp(random.uniform(np.log(0.2), np.log(5.0), 4)))
        longest = max(b, c, d)
        if a < min(b, c, d) and a + longest < 0.95 * (b + c + d - longest):
            found.append((a, b, c, d))
    for side in (1, -1):
        for body, index in (("coupler", 0), ("rocker", 1)):
            rows: list[list[np.ndarray]] = [[], [], [], []]
            for sides in found:
                k = four_bar(*sides, crank=0.4, side=side).kinematics(math.tau, samples=25, **QUIET)

                def form(t: Any, s: tuple = sides, side: int = side, index: int = index) -> Any:
                    return four_bar_angles(*map(mpmath.mpf, s), mpmath.mpf(0.4) + t, side)[index]

                rows[3].extend(derivatives(form, k.times))
                for j, series in enumerate(turn(k[body])):
                    rows[j].append(series)
            for j, (what, unit) in enumerate((("angle", "rad"), ("speed", "rad/s"), ("acceleration", "rad/s²"))):
                want, got = np.array(rows[3][j::3]), np.array(rows[j])
                if j == 0:
                    got = got - math.tau * np.round((got - want) / math.tau)
                size = np.abs(want).max(axis=1, keepdims=True)
                yield Row(
                    f"{what} of the {body} of eight linkages, branch {side:+d}",
                    f"largest value ({unit})",
                    want / size,
                    got / size,
                    RELATIVE,
                )


@case("Gears and racks", area=AREA, source="ratio of radii; Willis; x = r φ",
reason=REASON, uses="gear, internal gear, rack_and_pinion; kinematics")  # fmt: skip
def gears() -> Iterator[Row]:
    for internal, sign in ((False, -1), (True, 1)):
        m = tm.PlanarModel("gear pair")
        m.body("first")
        m.body("second", position=(0.2 if internal else 0.4, 0))
        m.revolute("A", m.ground, "first", at=(0, 0))
        m.revolute("B", m.ground, "second", at=m["second"].position)
        m.gear("mesh", "first", "second", radii=(0.1, 0.3), internal=internal)
        m.driver("motor", "first.phi", "2*t + 0.5*t^2")
        k = m.kinematics(10.0, samples=11, **QUIET)
        form = lambda t, s=sign: s * (2 * t + t**2 / 2) / 3  # noqa: E731
        yield from motion(
            f"angle of the {'ring' if internal else 'second gear'}", "rad", turn(k["second"]), form, k.times
        )
    m = tm.PlanarModel("planetary train")
    for name in ("sun", "ring"):
        m.body(name)
        m.revolute(f"pin_{name}", m.ground, name, at=(0, 0))
    m.body("carrier", position=(0.15, 0))
    m.body("planet", position=(0.3, 0))
    m.revolute("pin_carrier", m.ground, "carrier", at=(0, 0))
    m.revolute("pin_planet", "carrier", "planet", at=(0.3, 0))
    m.gear("sun_planet", "sun", "planet", radii=(0.2, 0.1), carrier="carrier")
    m.gear("planet_ring", "planet", "ring", radii=(0.1, 0.4), carrier="carrier", internal=True)
    m.driver("drive_sun", "sun.phi", "3*t")
    m.driver("drive_ring", "ring.phi", "-1.25*t")
    k = m.kinematics(20.0, samples=6, **QUIET)
    carrier = (0.2 * 3 + 0.4 * -1.25) / (0.2 + 0.4)
    yield Row("speed of the carrier by Willis", "rad/s", np.full(6, carrier), k["carrier"].omega, 1e-12)
    yield Row(
        "speed of the planet by Willis", "rad/s", np.full(6, carrier + 4 * (-1.25 - carrier)), k["planet"].omega, 1e-12
    )
    m = tm.PlanarModel("rack")
    m.body("rack")
    m.body("pinion", position=(0, 0.1))
    m.prismatic("bed", m.ground, m["rack"].at(0, 0), at=(0, 0), axis=(1, 0))
    m.revolute("A", m.ground, "pinion", at=(0, 0.1))
    m.rack_and_pinion("mesh", rack="rack", pinion="pinion", radius=0.1, axis=(1, 0))
    m.driver("motor", "pinion.phi", "t^2")
    k = m.kinematics(3.0, samples=4, **QUIET)
    yield from motion("rack", "m", along(k["rack"]), lambda t: t**2 / 10, k.times)


@case("Cams with an eccentric circle", area=AREA,
      source="roller, point: R cos γ + e sin φ with sin γ = e cos φ / R; flat face: R + e sin φ",
      reason=REASON, uses="cam_roller, cam_point, cam_flat; kinematics")  # fmt: skip
def cams() -> Iterator[Row]:
    e, rho, roller, speed = 0.5, 1.0, 0.3, 2.0
    for kind in ("roller", "point", "flat"):
        reach = rho + (roller if kind == "roller" else 0.0)

        def height(t: Any, kind: str = kind, reach: float = reach) -> Any:
            phi = speed * t
            if kind == "flat":
                return rho + e * mpmath.sin(phi)
            return reach * mpmath.cos(mpmath.asin(e * mpmath.cos(phi) / reach)) + e * mpmath.sin(phi)

        k = cam(kind, tm.curves.circle(rho, (e, 0.0), name="eccentric")).kinematics(
            2 * math.tau / speed, samples=25, **QUIET
        )
        yield from motion(f"height of the follower ({kind})", "m", along(k["follower"], "y"), height, k.times)
