"""Mechanisms used by several test files, drawn closed, and the plane geometry that draws them.

Points are complex numbers here: a rotation is a product, and a distance is ``abs``. None of this uses the code under
test, so `circles_meet` and `derivatives` also serve as independent closed forms.
"""

from __future__ import annotations

import cmath
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import mpmath
import numpy as np

import pytrammel as tm


@dataclass(frozen=True)
class Frame:
    """Where a mechanism stands: builders draw in their own axes and place everything through a frame."""

    shift: complex = 0j
    turn: float = 0.0

    def __call__(self, z: complex) -> complex:
        return self.shift + cmath.exp(1j * self.turn) * z

    def direction(self, z: complex) -> tuple[float, float]:
        return xy(cmath.exp(1j * self.turn) * z)


HOME = Frame()


def xy(z: complex) -> tuple[float, float]:
    return z.real, z.imag


def circles_meet(p: complex, q: complex, from_p: float, from_q: float, side: int = 1) -> complex:
    """Point at given distances from p and q, to the left of the way from p to q for side = +1."""
    d = abs(q - p)
    along = (from_p**2 - from_q**2 + d**2) / (2 * d)
    across = math.sqrt(max(from_p**2 - along**2, 0.0))
    return p + (along + 1j * side * across) * (q - p) / d


def turned(angle: Any) -> Any:
    """Angle reduced to the turn about zero."""
    return np.angle(np.exp(1j * np.asarray(angle, dtype=float)))


def rod(m: tm.PlanarModel, name: str, p: complex, q: complex, *, angle: float | None = None) -> Any:
    """Body drawn from p to q: origin halfway, x axis towards q; an angle may be given to count whole turns."""
    return m.body(name, position=xy((p + q) / 2), angle=cmath.phase(q - p) if angle is None else angle)


def derivatives(f: Callable[[Any], Any], times: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Value and first two derivatives of a closed form written with mpmath functions.

    30 digits are carried, so that differences lose nothing a double can show.
    """
    with mpmath.workdps(30):
        rows = [[float(mpmath.diff(f, mpmath.mpf(float(t)), n)) for n in range(3)] for t in times]
    value, rate, second = np.array(rows).T
    return value, rate, second


def turning(start: float, rate: float = 1.0) -> str:
    """Constant speed as a formula, with every digit of the numbers."""
    return f"{float(start)!r} + {float(rate)!r}*t"


# --- four-bars ---------------------------------------------------------------------------------------------------------


def four_bar(
    a: float, b: float, c: float, d: float, *, crank: float = math.pi / 2, side: int = 1, motion: Any = None,
    frame: Frame = HOME, drive: str | None = "crank.phi", name: str = "four-bar",
) -> tm.PlanarModel:  # fmt: skip
    """Crank a from A, coupler b, rocker c from D, frame d = AD; angles of A→B, B→C, D→C; driven at 1 rad/s."""
    A, D = frame(0), frame(d)
    B = frame(cmath.rect(a, crank))
    C = circles_meet(B, D, b, c, side)
    m = tm.PlanarModel(name)
    bodies = rod(m, "crank", A, B, angle=crank + frame.turn), rod(m, "coupler", B, C), rod(m, "rocker", D, C)
    m.revolute("A", m.ground, bodies[0], at=xy(A))
    m.revolute("B", bodies[0], bodies[1], at=xy(B))
    m.revolute("C", bodies[1], bodies[2], at=xy(C))
    m.revolute("D", m.ground, bodies[2], at=xy(D))
    if drive is not None:
        m.driver("motor", drive, turning(m["crank"].angle) if motion is None else motion)
    return m


def four_bar_angles(a: float, b: float, c: float, d: float, crank: Any, side: int = 1) -> tuple[Any, Any]:
    """Angles of coupler (B→C) and rocker (D→C), any kind of number; independent of the builder's complex numbers."""
    cos, sin, atan2, acos = mpmath.cos, mpmath.sin, mpmath.atan2, mpmath.acos
    x, y = d - a * cos(crank), -a * sin(crank)  # from B to D
    BD = mpmath.sqrt(x * x + y * y)
    diagonal = atan2(y, x)
    at_B = acos((b * b + BD * BD - c * c) / (2 * b * BD))
    at_D = acos((c * c + BD * BD - b * b) / (2 * c * BD))
    return diagonal + side * at_B, diagonal + mpmath.pi - side * at_D


# --- sliders -----------------------------------------------------------------------------------------------------------


def slider_crank(
    r: float, length: float, *, offset: float = 0.0, crank: float = math.pi / 3, motion: Any = None,
    frame: Frame = HOME, drive: str | None = "crank.phi",
) -> tm.PlanarModel:  # fmt: skip
    """Crank r, rod, slider on the line y = offset; slider ahead of the crank."""
    B = cmath.rect(r, crank)
    C = complex(B.real + math.sqrt(length**2 - (B.imag - offset) ** 2), offset)
    m = tm.PlanarModel("slider-crank")
    rod(m, "crank", frame(0), frame(B), angle=crank + frame.turn)
    rod(m, "rod", frame(B), frame(C))
    m.body("slider", position=xy(frame(C)), angle=frame.turn)
    m.revolute("A", m.ground, "crank", at=xy(frame(0)))
    m.revolute("B", "crank", "rod", at=xy(frame(B)))
    m.revolute("C", "rod", "slider", at=xy(frame(C)))
    m.prismatic("guide", m.ground, m["slider"].at(0, 0), at=xy(frame(1j * offset)), axis=frame.direction(1))
    if drive is not None:
        m.driver("motor", drive, turning(m["crank"].angle) if motion is None else motion)
    return m


def inverted_slider_crank(
    r: float, d: float, *, crank: float = 0.7, motion: Any = None, frame: Frame = HOME
) -> tm.PlanarModel:
    """Crank r about the origin; its rod slides through a swivel at (d, 0)."""
    B = frame(cmath.rect(r, crank))
    D = frame(d)
    m = tm.PlanarModel("inverted slider-crank")
    rod(m, "crank", frame(0), B, angle=crank + frame.turn)
    m.body("rod", position=xy(B), angle=cmath.phase(D - B))
    m.body("swivel", position=xy(D), angle=cmath.phase(D - B))
    m.revolute("A", m.ground, "crank", at=xy(frame(0)))
    m.revolute("B", "crank", "rod", at=xy(B))
    m.prismatic("slide", "rod", "swivel", line=(m["rod"].at(0, 0), m["rod"].at(1, 0)), at=xy(D))
    m.revolute("D", m.ground, "swivel", at=xy(D))
    m.driver("motor", "crank.phi", turning(m["crank"].angle) if motion is None else motion)
    return m


def quick_return(
    r: float, d: float, lever: float, link: float, height: float, *, crank: float = 0.0, motion: Any = None,
    frame: Frame = HOME, blocks: bool = True,
) -> tm.PlanarModel:  # fmt: skip
    """Crank r about (0, d) turns a slotted lever about the origin; a link moves the ram on y = height.

    Args:
        blocks: Model the sliding block and the ram as bodies; else as pins on lines.
    """
    pin = 1j * d + cmath.rect(r, crank)
    tip = lever * pin / abs(pin)
    ram = complex(tip.real - math.sqrt(link**2 - (height - tip.imag) ** 2), height)
    P, C, R = frame(pin), frame(tip), frame(ram)
    m = tm.PlanarModel("quick return")
    rod(m, "crank", frame(1j * d), P, angle=crank + frame.turn)
    rod(m, "lever", frame(0), C)
    rod(m, "link", C, R)
    m.revolute("A", m.ground, "crank", at=xy(frame(1j * d)))
    m.revolute("O", m.ground, "lever", at=xy(frame(0)))
    m.revolute("C", "lever", "link", at=xy(C))
    slot = (m["lever"].at(-lever / 2, 0), m["lever"].at(lever / 2, 0))
    if blocks:
        m.body("block", position=xy(P), angle=m["lever"].angle)
        m.body("ram", position=xy(R), angle=frame.turn)
        m.revolute("B", "crank", "block", at=xy(P))
        m.prismatic("slot", "lever", m["block"].at(0, 0), line=slot)
        m.revolute("E", "link", "ram", at=xy(R))
        m.prismatic("guide", m.ground, m["ram"].at(0, 0), at=xy(frame(1j * height)), axis=frame.direction(1))
    else:
        m.point_on_line("slot", "lever", m["crank"].at(r / 2, 0), line=slot)
        start, end = frame(1j * height), frame(1 + 1j * height)
        m.point_on_line(
            "guide", m.ground, m["link"].at(link / 2, 0), line=(m.ground.at(*xy(start)), m.ground.at(*xy(end)))
        )
    m.point("ram_pin", "link", local=(link / 2, 0.0))
    m.driver("motor", "crank.phi", turning(m["crank"].angle) if motion is None else motion)
    return m


def scotch_yoke(r: float, *, crank: float = 0.4, motion: Any = None, frame: Frame = HOME) -> tm.PlanarModel:
    """Crank pin in a slot of a yoke that slides along x."""
    P = cmath.rect(r, crank)
    m = tm.PlanarModel("Scotch yoke")
    rod(m, "crank", frame(0), frame(P), angle=crank + frame.turn)
    m.body("yoke", position=xy(frame(P.real)), angle=frame.turn)
    m.revolute("A", m.ground, "crank", at=xy(frame(0)))
    m.prismatic("guide", m.ground, m["yoke"].at(0, 0), at=xy(frame(0)), axis=frame.direction(1))
    m.point_on_line("slot", "yoke", m["crank"].at(r / 2, 0), line=(m["yoke"].at(0, 0), m["yoke"].at(0, 1)))
    m.driver("motor", "crank.phi", turning(m["crank"].angle) if motion is None else motion)
    return m


def oldham(distance: float, *, start: float = 0.3, motion: Any = None, frame: Frame = HOME) -> tm.PlanarModel:
    """Two parallel shafts a distance apart, joined by a disc that slides in both at right angles."""
    u = cmath.exp(1j * start)
    centre = distance * u.real * u
    m = tm.PlanarModel("Oldham coupling")
    angle = start + frame.turn
    m.body("input", position=xy(frame(0)), angle=angle)
    m.body("output", position=xy(frame(distance)), angle=angle)
    m.body("disc", position=xy(frame(centre)), angle=angle)
    m.revolute("A", m.ground, "input", at=xy(frame(0)))
    m.revolute("B", m.ground, "output", at=xy(frame(distance)))
    m.prismatic("first", "input", m["disc"].at(0, 0), line=(m["input"].at(0, 0), m["input"].at(1, 0)))
    m.prismatic("second", "output", m["disc"].at(0, 0), line=(m["output"].at(0, 0), m["output"].at(0, 1)))
    m.driver("motor", "input.phi", turning(angle) if motion is None else motion)
    return m


def elliptic_trammel(length: float, *, angle: float = 0.5, motion: Any = None, frame: Frame = HOME) -> tm.PlanarModel:
    """Bar KL: K slides on the x axis, L on the y axis; body origin at K, L at (length, 0)."""
    K = complex(-length * math.cos(angle), 0.0)
    m = tm.PlanarModel("elliptic trammel")
    m.body("bar", position=xy(frame(K)), angle=angle + frame.turn)
    m.point_on_line("K", m.ground, m["bar"].at(0, 0), at=xy(frame(0)), axis=frame.direction(1))
    m.point_on_line("L", m.ground, m["bar"].at(length, 0), at=xy(frame(0)), axis=frame.direction(1j))
    m.driver("motor", "bar.phi", turning(m["bar"].angle) if motion is None else motion)
    return m


# --- linkages with more loops --------------------------------------------------------------------------------------------


def pinned(m: tm.PlanarModel, places: dict[str, complex], bars: str, pins: str, frame: Frame = HOME) -> None:
    """Rods named by their two end places, and pins given as "place:body,body ..."."""
    for bar in bars.split():
        rod(m, bar, frame(places[bar[0]]), frame(places[bar[1]]))
    for pin in pins.split():
        place, _, pair = pin.partition(":")
        first, second = pair.split(",")
        m.revolute(f"{place}_{first}_{second}", first, second, at=xy(frame(places[place])))


def peaucellier(
    base: float, crank: float, arm: float, side: float, *, angle: float = 0.3, motion: Any = None, frame: Frame = HOME
) -> tm.PlanarModel:  # fmt: skip
    """Inversor: F at the origin, crank pivot E at (base, 0), arms F–P, F–Q, rhombus R–P–S–Q."""
    R = base + cmath.rect(crank, angle)
    P, Q = circles_meet(0j, R, arm, side, 1), circles_meet(0j, R, arm, side, -1)
    places = {"F": 0j, "E": complex(base), "R": R, "P": P, "Q": Q, "S": P + Q - R}
    m = tm.PlanarModel("Peaucellier")
    pinned(
        m, places, "ER FP FQ RP RQ SP SQ",
        "E:ground,ER F:ground,FP F:ground,FQ R:ER,RP R:ER,RQ P:FP,RP P:FP,SP Q:FQ,RQ Q:FQ,SQ S:SP,SQ", frame,
    )  # fmt: skip
    m.point("S", "SP", local=(-side / 2, 0.0))
    m.point("R", "ER", local=(crank / 2, 0.0))
    m.driver("motor", "ER.phi", turning(m["ER"].angle) if motion is None else motion)
    return m


def pantograph(
    inner: float, outer: float, ratio: float, tracer: complex, *, x: Any, y: Any, driven: str = "T"
) -> tm.PlanarModel:  # fmt: skip
    """F fixed at the origin; F, T and D stay in line with FD = ratio FT; T or D is driven along x(t), y(t)."""
    A = circles_meet(0j, tracer, inner, outer, 1)
    B, D = ratio * A, ratio * tracer
    places = {"F": 0j, "A": A, "B": B, "T": tracer, "C": tracer + B - A, "D": D}
    m = tm.PlanarModel("pantograph")
    pinned(m, places, "FB BD AT TC", "F:ground,FB A:FB,AT B:FB,BD T:AT,TC C:TC,BD")
    m.point("T", "AT", at=xy(tracer))
    m.point("D", "BD", at=xy(D))
    m.driver("along_x", f"{driven}.x", x)
    m.driver("along_y", f"{driven}.y", y)
    return m


def geneva(n: int, rho: float = 1.0) -> tm.PlanarModel:
    """Geneva wheel with n slots, the crank turning at 1 rad/s from the side away from the wheel."""
    beta = math.pi / n
    d, limit = rho / math.sin(beta), math.pi / 2 - beta
    m = tm.PlanarModel("Geneva")
    m.body("crank", angle=math.pi)
    m.body("wheel", position=(d, 0.0))
    m.revolute("A", m.ground, "crank", at=(0, 0))
    m.revolute("B", m.ground, "wheel", at=(d, 0))
    m.driver("motor", "crank.phi", "pi + t")
    m.constrain("lock", "wheel.phi")
    entry = cmath.phase(cmath.rect(rho, -limit) - d)
    for k in range(n):
        slot = cmath.exp(1j * (entry + 2 * beta * k))
        m.point_on_line(
            f"slot{k}", "wheel", m["crank"].at(rho, 0), line=(m["wheel"].at(0, 0), m["wheel"].at(*xy(slot)))
        )
        m.phase(f"dwell{k}", active=["lock"], hold=["lock"])
        m.phase(f"index{k}", active=[f"slot{k}"])
    for k in range(n):
        m.switch(f"enter{k}", f"dwell{k}", f"index{k}", when=f"sin(A.angle + {limit!r})", direction=1)
        m.switch(f"leave{k}", f"index{k}", f"dwell{(k + 1) % n}", when=f"sin(A.angle - {limit!r})", direction=1)
    return m


# --- cams and gears ------------------------------------------------------------------------------------------------------


def cam(
    kind: str, curve: Any, *, start: float = 0.0, rate: float = 2.0, radius: float = 0.3, height: float = 1.5,
    offset: float = 0.0,
) -> tm.PlanarModel:  # fmt: skip
    """Disc cam about the origin with a follower that slides along y at x = offset; kind: point, roller or flat."""
    m = tm.PlanarModel(f"cam with {kind} follower")
    m.body("cam", angle=start)
    m.body("follower", position=(offset, height))
    m.revolute("O", m.ground, "cam", at=(0, 0))
    m.prismatic("guide", m.ground, "follower", at=(offset, height), axis=(0, 1))
    tip = m["follower"].at(0, 0)
    if kind == "roller":
        m.cam_roller("contact", "cam", tip, curve=curve, radius=radius)
    elif kind == "point":
        m.cam_point("contact", "cam", tip, curve=curve)
    else:
        m.cam_flat("contact", "cam", tip, curve=curve, axis=(1, 0))
    m.driver("motor", "cam.phi", turning(start, rate))
    return m


# every builder once, with ordinary numbers and a stretch of its motion free of singular positions [s]
BUILDERS: dict[str, tuple[Callable[..., tm.PlanarModel], float]] = {
    "four-bar, crank-rocker": (lambda **k: four_bar(0.8, 2.1, 1.6, 2.5, **k), 7.0),
    "four-bar, double crank": (lambda **k: four_bar(2.1, 1.6, 2.6, 0.9, **k), 7.0),
    "slider-crank, in line": (lambda **k: slider_crank(0.1, 0.25, **k), 7.0),
    "slider-crank, offset": (lambda **k: slider_crank(0.1, 0.25, offset=0.04, **k), 7.0),
    "inverted slider-crank": (lambda **k: inverted_slider_crank(0.4, 1.0, **k), 7.0),
    "quick return, blocks": (lambda **k: quick_return(0.1, 0.25, 0.5, 0.2, 0.55, **k), 7.0),
    "quick return, pins": (lambda **k: quick_return(0.1, 0.25, 0.5, 0.2, 0.55, blocks=False, **k), 7.0),
    "Scotch yoke": (lambda **k: scotch_yoke(0.3, **k), 7.0),
    "Oldham coupling": (lambda **k: oldham(0.2, **k), 7.0),
    "elliptic trammel": (lambda **k: elliptic_trammel(1.5, **k), 7.0),
    "Peaucellier": (lambda **k: peaucellier(1.2, 1.2, 3.0, 1.4, **k), 1.2),
}


def double_parallel_crank() -> tm.PlanarModel:
    """Ground pivots (0, 0) and (2, 0), vertical cranks of length 1, couplers at heights 1 and 0.6: one row is redundant."""
    m = tm.PlanarModel("double parallel crank")
    m.body("left", position=(0, 0.5), angle=math.pi / 2)
    m.body("right", position=(2, 0.5), angle=math.pi / 2)
    m.body("upper", position=(1, 1))
    m.body("lower", position=(1, 0.6))
    pins = [
        ("ground", "left", (0, 0)), ("ground", "right", (2, 0)), ("left", "upper", (0, 1)), ("right", "upper", (2, 1)),
        ("left", "lower", (0, 0.6)), ("right", "lower", (2, 0.6)),
    ]  # fmt: skip
    for k, (first, second, at) in enumerate(pins):
        m.revolute(f"pin{k}", first, second, at=at)
    return m
