"""Contact and friction with closed forms (examples of Siconos)."""

from __future__ import annotations

import json
import math
import warnings
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from scipy.optimize import brentq

import pytrammel as tm
from pytrammel.errors import RunWarning
from verification.case import Row, case

AREA = "Published benchmarks in the plane"
SICONOS = "Siconos tutorials, examples/mechanics"
DATA = Path(__file__).parents[3] / "data"
NOTES = {
    AREA: "Results of Siconos come from time stepping of first order. These examples, or parts of them, are not compared:\n\n"
    "- impacting stick with friction: its slip reverses during the impact. Trammel's friction acts against the slip before the "
    "impact, friction of Siconos against the slip after the impact. For this reason the woodpecker toy is compared until its beak "
    "hits the pole at 0.081 s.\n"
    "- slider-crank with clearance: compared until 0.02 s, as every further impact amplifies the error of the reference's steps.\n"
    "- rocking block: a law for simultaneous impacts (Liu, Zhao and Brogliato).\n"
    "- four-bar with three clearances: its motor follows a control law that a program of Siconos states, and the published rows are "
    "meant for its shape only.\n"
    "- complementarity and friction-contact problems of Siconos as matrices: Trammel solves such problems only for the contacts of a "
    "model, and reads no matrices.\n\n"
    "The 1442 complex solutions of the nine-point problem are not computed: `synthesis` searches real four-bars."
}


def sampled(folder: str, name: str, case: str | None = None) -> np.ndarray:
    """Return the rows of a sampled result in `tests/data`."""
    data = json.loads((DATA / folder / f"{name}.json").read_text(encoding="utf-8"))
    return np.array((data if case is None else data[case])["rows"])


@case(
    "Bouncing ball", area=AREA, source=f"{SICONOS}; bounces end at (1 + e)/(1 - e) √(2 h / g)",
    reason="rounding at each impact, eight decimals of Siconos; the time at rest is read from samples every 1 ms",
    uses="contact_line with impact='newton'; events",
)  # fmt: skip
def ball() -> Iterator[Row]:
    m = tm.PlanarModel("ball", gravity=(0, -9.81))
    m.body("ball", position=(0, 1.0), mass=1.0, inertia=1.0)
    m.contact_line("floor", "ball", m.ground, at=(0, 0), axis=(1, 0), law="rigid", restitution=0.9, impact="newton")
    fall = math.sqrt(2 / 9.81)
    times = np.concatenate([np.linspace(0, 8.5, 851), np.arange(8.501, 8.7, 1e-3)])
    r = m.simulate(times=times, progress=False)
    moving = times[np.abs(r["ball"].vy) > 0]
    rows = sampled("siconos", "results", "bouncing_ball")
    found = m.simulate(times=np.array([0.0, *rows[:, 0]]), progress=False)["ball"]
    yield Row("height, located impacts of Siconos", "m", rows[:, 1], found.y[1:], 1e-6, at=rows[:, 0])
    yield Row("time at rest", "s", 8.578949178728886, float(moving[-1]), 2e-3)
    apexes = [fall * (1 + 2 * sum(0.9**j for j in range(1, k)) + 0.9**k) for k in range(1, 6)]
    for k, time in enumerate(apexes, start=1):
        yield Row(f"height of bounce {k}", "m", 0.81**k, float(r.at(time)["ball"].y[-1]), 1e-9)


@case(
    "Friction oscillator", area=AREA, source=f"{SICONOS}; half waves about ±μN/k",
    reason="location of sticking; the turning point is read from samples every 10 ms; Siconos takes steps of 10 ms of order one",
    uses="stick_slip, spring; events",
)  # fmt: skip
def oscillator() -> Iterator[Row]:
    m = tm.PlanarModel("oscillator", gravity=(0, 0))
    m.body("block", position=(12.0, 0), velocity=(6.0, 0), mass=1.0, inertia=1.0)
    m.prismatic("T", m.ground, "block", at=(0, 0), axis=(1, 0))
    m.spring("S", m.ground.at(-100, 0), "block", stiffness=1.0, free_length=100.0)
    m.stick_slip("F", "T.distance", normal=1.0, friction=(1.0, 1.0))
    r = m.simulate(60.0, samples=6001, progress=False)
    rows = sampled("siconos", "results", "friction_oscillator")
    found = m.simulate(times=rows[:, 0], progress=False)["block"]
    for k, (name, unit, ours) in enumerate([("position", "m", found.x), ("speed", "m/s", found.vx)], start=1):
        yield Row(f"{name}, time stepping of Siconos", unit, rows[:, k], ours, 1e-2, 12.0, at=rows[:, 0])
    yield Row("first turning point", "m", 13.317821063276353, float(r["block"].x.max()), 5e-5)
    yield Row("final position", "m", 0.6821789367236466, float(r["block"].x[-1]), 1e-6)


@case(
    "BouncingBall of the Reference-FMUs", area=AREA, source="modelica/Reference-FMUs, BouncingBall_out.csv",
    reason="the reference takes steps of 10 ms of order one, at up to 4.4 m/s after two impacts",
    uses="contact_line with impact='newton'; events",
)  # fmt: skip
def reference_fmu() -> Iterator[Row]:
    m = tm.PlanarModel("ball", gravity=(0, -9.81))
    m.body("ball", position=(0, 1.0), mass=1.0, inertia=1.0)
    m.contact_line("floor", "ball", m.ground, at=(0, 0), axis=(1, 0), law="rigid", restitution=0.7, impact="newton")
    times, height = sampled("reference_fmus", "bouncing_ball")[:, :2].T
    r = m.simulate(times=np.array([0.0, *times]), progress=False)
    yield Row("height", "m", height, r["ball"].y[1:], 0.03, at=times)


def stick_by_hand(times: np.ndarray, mu: float) -> np.ndarray:
    """Rod that falls on its lower tip: free flight, and impacts with e = 1 and sliding friction; rows x, y, θ and their rates."""
    inertia, half = 1 / 12, 0.5
    start, state = (
        0.0,
        np.array([half * math.sin(math.pi / 4), half * math.cos(math.pi / 4) + 0.01, math.pi / 4, -0.5, 0.1, 0.1]),
    )

    def flight(t: float) -> np.ndarray:
        x, y, theta, vx, vy, omega = state
        s = t - start
        return np.array([x + vx * s, y + vy * s - 5 * s * s, theta + omega * s, vx, vy - 10 * s, omega])

    def height(t: float) -> float:
        now = flight(t)
        return now[1] - half * math.cos(now[2])

    found = []
    for t in times:
        # the tip leaves the floor after an impact, so the next root lies beyond the next maximum of its height
        grid = np.linspace(start + 1e-6, t, 400)
        below = [k for k in range(1, len(grid)) if height(grid[k]) < 0 < height(grid[k - 1])]
        if t > start and below:
            hit = brentq(height, grid[below[0] - 1], grid[below[0]], xtol=1e-15)
            x, y, theta, vx, vy, omega = flight(hit)
            arm = half * np.array([math.sin(theta), -math.cos(theta)])  # vector from the centre to the tip
            normal = vy + arm[0] * omega
            friction = -mu * math.copysign(1.0, vx - arm[1] * omega)  # against the slip before the impact
            turn = arm[0] - arm[1] * friction
            impulse = -2 * normal / (1 + arm[0] * turn / inertia)
            start, state = (
                hit,
                np.array([x, y, theta, vx + friction * impulse, vy + impulse, omega + turn * impulse / inertia]),
            )
        found.append(flight(t))
    return np.array(found)


@case(
    "Impacting stick", area=AREA, source=f"{SICONOS}, ImpactingStick; by hand: free flight and two impacts with e = 1",
    reason="location of the impacts, rtol 1e-10", uses="contact_line at a point with friction, impact='newton'; events",
)  # fmt: skip
def stick() -> Iterator[Row]:
    times, half = np.linspace(0.025, 0.2, 8), 0.5
    for mu in (0.0, 0.01):
        m = tm.PlanarModel("stick", gravity=(0, -10))
        place = (half * math.sin(math.pi / 4), half * math.cos(math.pi / 4) + 0.01)
        m.body("stick", position=place, angle=math.pi / 4, mass=1.0, inertia=1 / 12, velocity=(-0.5, 0.1), omega=0.1)
        m.contact_line(
            "floor",
            m["stick"].at(0, -half),
            m.ground,
            at=(0, 0),
            axis=(1, 0),
            law="rigid",
            restitution=1.0,
            friction=mu,
        )
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "the impact of 'floor'", RunWarning)  # friction reverses the slip
            r = m.simulate(times=np.array([0.0, *times]), progress=False, rtol=1e-10, atol=1e-12)["stick"]
        found, hand = np.column_stack([r.x, r.y, r.phi, r.vx, r.vy, r.omega])[1:], stick_by_hand(times, mu)
        names = [("x", "m"), ("y", "m"), ("angle", "rad"), ("vx", "m/s"), ("vy", "m/s"), ("angular speed", "rad/s")]
        for k, (name, unit) in enumerate(names):
            yield Row(f"{name}, friction {mu:g}", unit, hand[:, k], found[:, k], 1e-8, at=times)


def slider_crank_with_clearance() -> tm.PlanarModel:
    """Slider with a clearance of 1 mm in its guide (Flores, Leine and Glocker 2010); it stays level, as in the reference."""
    crank, rod, half, clearance, speed, rate = 0.153, 0.306, 0.025, 0.001, 150.0, -75.0
    m = tm.PlanarModel("slider-crank", gravity=(0, -9.81))
    m.body("crank", position=(crank / 2, 0), mass=0.038, inertia=7.4e-5, velocity=(0, speed * crank / 2), omega=speed)
    place, velocity = (crank + rod / 2, 0), (0, speed * crank + rate * rod / 2)
    m.body("rod", position=place, mass=0.038, inertia=5.9e-4, velocity=velocity, omega=rate)
    m.body("slider", position=(crank + rod, 0), mass=0.076, inertia=2.7e-6)
    m.revolute("O", m.ground, "crank", at=(0, 0))
    m.revolute("A", "crank", "rod", at=(crank, 0))
    m.revolute("B", "rod", "slider", at=(crank + rod, 0))
    m.constrain("level", "slider.phi")
    law = {"law": "rigid", "restitution": 0.4, "friction": 0.01, "impact": "newton"}
    for name, side in (("upper", 1), ("lower", -1)):
        guide = (0, side * (half + clearance))
        m.contact_line(name, m["slider"].at(0, side * half), m.ground, at=guide, axis=(-side, 0), **law)
    return m


@case(
    "Slider-crank with clearance", area=AREA, source=f"{SICONOS}, SliderCrank: Flores, Leine and Glocker (2010)",
    reason="Siconos takes steps of 0.1 ms of order one: 1e-2 of each quantity's largest value after the impacts, and two "
    "steps at 0.6 m/s across the guide", uses="revolute, constrain, contact_line with friction, impact='newton'; events",
)  # fmt: skip
def clearance() -> Iterator[Row]:
    rows = sampled("siconos", "results", "slider_crank_clearance")
    times = rows[:, 0]
    r = slider_crank_with_clearance().simulate(times=times, rtol=1e-10, atol=1e-12, progress=False)
    found = [r["crank"].phi / math.tau, r["rod"].phi, r["crank"].omega, r["rod"].omega]
    names = [
        ("turns of the crank", ""),
        ("angle of the rod", "rad"),
        ("speed of the crank", "rad/s"),
        ("speed of the rod", "rad/s"),
    ]
    for k, ((name, unit), ours) in enumerate(zip(names, found, strict=True), start=1):
        yield Row(name, unit, rows[:, k], ours, 1e-2, float(np.abs(rows[:, k]).max()), at=times)
    yield Row("height of the slider", "m", 1e-3 * rows[:, 5], r["slider"].y, 1.2e-4, at=times)


def woodpecker() -> tm.PlanarModel:
    """Woodpecker toy with linearised kinematics (Glocker): points of bodies of 1 µg carry the linear gaps and slips."""
    mass_m, mass_s, inertia_m, inertia_s, stiffness = 3e-4, 4.5e-3, 5e-9, 7e-7, 0.0056
    r_o, r_m, h_m, l_m, l_g, h_s, l_s = 2.5e-3, 3.1e-3, 5.8e-3, 0.010, 0.015, 0.02, 0.0201
    phi, theta, fall, rate = -(r_m - r_o) / h_m, -0.2788, -0.3411, -7.4583
    m = tm.PlanarModel("woodpecker", gravity=(0, -9.81))
    m.body("sleeve", angle=phi, mass=mass_m, inertia=inertia_m, velocity=(0, fall))
    m.body("bird", position=(0, l_m * phi + l_g * theta), angle=theta, mass=mass_s, inertia=inertia_s,
           velocity=(0, fall + l_g * rate), omega=rate)  # fmt: skip
    m.constrain("sleeve_x", "sleeve.x")
    m.constrain("bird_x", "bird.x")
    m.equation("hinge", f"bird.y - sleeve.y - {l_m}*sleeve.phi - {l_g}*bird.phi", unit="m")
    m.torsion_spring("spring", first="sleeve", second="bird", stiffness=stiffness, free_angle=0.0)
    arm = l_g - l_s
    for name, x, y, place, velocity, gap, restitution in (
        ("lower", f"{h_m}*sleeve.phi", f"sleeve.y + {r_m}*sleeve.phi", (h_m * phi, r_m * phi), (0, fall), r_m - r_o, 0.0),
        ("upper", f"-{h_m}*sleeve.phi", f"sleeve.y + {r_m}*sleeve.phi", (-h_m * phi, r_m * phi), (0, fall), r_m - r_o, 0.0),
        ("beak", f"-{h_s}*bird.phi", f"sleeve.y + {l_m}*sleeve.phi + {arm}*bird.phi", (-h_s * theta, l_m * phi + arm * theta),
         (-h_s * rate, fall + arm * rate), l_m + l_g - l_s - r_o, 0.5),
    ):  # fmt: skip
        m.body(name, position=place, velocity=velocity, mass=1e-9, inertia=1e-12)
        m.constrain(f"{name}_phi", f"{name}.phi")
        m.equation(f"{name}_x", f"{name}.x - ({x})", unit="m")
        m.equation(f"{name}_y", f"{name}.y - ({y})", unit="m")
        m.contact_line(f"{name}_pole", m[name].at(0, 0), m.ground, at=(-gap, 0), axis=(0, -1), law="rigid",
                       restitution=restitution, friction=0.3, impact="newton")  # fmt: skip
    return m


@case(
    "Woodpecker toy", area=AREA, source=f"{SICONOS}, Woodpecker",
    reason="Siconos takes steps of 0.02 ms of order one and starts with an overlap of 1e-6 m; 1e-2 of each quantity's largest value",
    uses="equation, torsion_spring, contact_line with friction, impact='newton': jamming, sticking, release; events",
)  # fmt: skip
def toy() -> Iterator[Row]:
    rows = sampled("siconos", "results", "woodpecker")
    times = rows[:, 0]
    r = woodpecker().simulate(times=times, rtol=1e-9, atol=1e-12, progress=False)
    sleeve, bird = r["sleeve"], r["bird"]
    names = [
        ("height of the sleeve", "m", sleeve.y), ("speed of the sleeve", "m/s", sleeve.vy), ("angle of the sleeve", "rad", sleeve.phi),
        ("angular speed of the sleeve", "rad/s", sleeve.omega), ("angle of the bird", "rad", bird.phi),
        ("angular speed of the bird", "rad/s", bird.omega),
    ]  # fmt: skip
    for k, (name, unit, ours) in enumerate(names, start=1):
        yield Row(name, unit, rows[:, k], ours, 1e-2, float(np.abs(rows[:, k]).max()), at=times)


@case(
    "Cam of arcs with a point follower", area=AREA, source=f"{SICONOS}, CamFollower: profile of two arcs at 358 rpm",
    reason="nine digits of the reference, whose π has nine digits", uses="link between cam and follower, prismatic, driver; kinematics",
)  # fmt: skip
def cam() -> Iterator[Row]:
    rows, speed = sampled("siconos", "results", "cam_follower"), 358 * math.tau / 60
    base, nose_start, nose_end = (
        0.3,
        1.050328174371336,
        1.22173047639603,
    )  # least height, angles of the nose from the flank's start
    # time: angle from the middle of the base circle; the profile is symmetric, and the way back mirrors the way up
    angle = (speed * rows[:, 0] + math.pi / 2) % math.tau
    back = angle > math.pi
    angle = np.where(back, math.tau - angle, angle)
    for name, distance, radius, turn, part in (
        ("flank", 0.45, 0.85, 0.0, angle <= math.pi / 2 + nose_start),
        ("nose", 0.40393320723821, 0.15, math.pi / 9 + math.pi / 2, angle > math.pi / 2 + nose_start),
    ):
        if (angle[part] > math.pi / 2 + nose_end).any():
            raise ValueError("the follower rests on the circle behind the nose, which has no arc here")
        for side in (False, True):
            chosen = part & (back == side)
            degrees = np.degrees(angle[chosen])
            # the cam turns clockwise on the way up: its arc's centre lies at the angle -(angle + turn)
            m = tm.PlanarModel("cam")
            start, rate = float(angle[chosen][0]), -speed if side else speed
            m.body("cam", angle=-start)
            m.revolute("shaft", m.ground, "cam", at=(0, 0))
            place = distance * np.array([math.cos(start + turn), -math.sin(start + turn)])
            height = place[1] + math.sqrt(radius**2 - place[0] ** 2)
            m.body("follower", position=(0, height))
            m.prismatic("guide", m.ground, "follower", at=(0, 0), axis=(0, 1))
            centre = (distance * math.cos(turn), -distance * math.sin(turn))
            m.link("arc", m["cam"].at(*centre), m["follower"].at(0, 0), length=radius)
            first = float(rows[chosen, 0][0])
            m.driver("motor", "cam.phi", f"{-start!r} - ({rate!r})*(t - {first!r})")
            times = rows[chosen, 0]
            k = m.kinematics(times=times, progress=False)
            way = "back" if side else "up"
            yield Row(
                f"height, {name}, {way}",
                "m",
                rows[chosen, 1],
                k["follower"].y - base,
                2e-8,
                at=degrees,
                axis="angle [deg]",
            )
            yield Row(
                f"speed, {name}, {way}", "m/s", rows[chosen, 2], k["follower"].vy, 1e-6, at=degrees, axis="angle [deg]"
            )
