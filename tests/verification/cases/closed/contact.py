"""Contact, impact and friction with closed forms."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

import pytrammel as tm
from verification.case import Row, case

AREA = "Closed forms: contact and friction"
G = 9.81
TIGHT = {"rtol": 1e-11, "atol": 1e-13, "progress": False}
QUIET = {"progress": False}
FLOOR = {"at": (0, 0), "axis": (1, 0)}


@case("Elastic ball on a stiff floor", area=AREA,
      source="impact at √(2 h / g), half a period of the contact, apex at the old height; six decimals",
      reason="the ball moves 4.3e-6 m in 1e-6 s, the digits of the times",
      uses="contact_line, linear law; dop853, dopri5, radau5")  # fmt: skip
def elastic_ball() -> Iterator[Row]:
    for method in ("dop853", "dopri5", "radau5"):
        m = tm.PlanarModel("ball")
        m.body("ball", position=(0.0, 1.0), mass=0.1, inertia=1e-4)
        m.contact_line("floor", "ball", "ground", radius=0.05, stiffness=5000.0, **FLOOR)
        r = m.simulate(times=[0.0, 0.440091, 0.454231, 0.894322], method=method, **TIGHT)
        y, v = r["ball"].y, r["ball"].vy
        yield Row(f"speeds at both ends of the contact ({method})", "m/s", [-4.317291, 4.317291], v[1:3], 2e-5)
        yield Row(f"heights at both ends of the contact ({method})", "m", [0.05, 0.05], y[1:3], 5e-6)
        yield Row(f"apex ({method})", "m", 1.0, y[3], 1e-7)


@case("Contact after Hertz", area=AREA, source="m v² / 2 = 2/5 k d^(5/2)", reason="sampled every 5 μs: 1e-4 of the depth",
      uses="contact_line, law='hertz'")  # fmt: skip
def hertz() -> Iterator[Row]:
    m = tm.PlanarModel("hertz", gravity=(0.0, 0.0))
    m.body("b", position=(0.0, 0.11), velocity=(0.0, -2.0), mass=0.5, inertia=1.0)
    m.contact_line("c", "b", "ground", radius=0.1, stiffness=1e6, law="hertz", **FLOOR)
    r = m.simulate(0.02, samples=4001, **TIGHT)
    depth = (5.0 * 0.5 * 2.0**2 / (4.0 * 1e6)) ** 0.4
    yield Row("depth", "m", depth, float(0.1 - r["b"].y.min()), 1e-4, depth)
    yield Row("largest force", "N", 1e6 * depth**1.5, float(r.force("c.normal").max()), 1e-4, 1e6 * depth**1.5)
    yield Row("speed afterwards", "m/s", 2.0, r["b"].vy[-1], 2e-7)


@case("Coefficient of restitution of compliant laws", area=AREA, source="speed after the impact is e times the speed before",
      reason="1e-11 per step over some 100 steps of stiff contact", uses="contact_line, hunt_crossley and lankarani_nikravesh")  # fmt: skip
def restitution() -> Iterator[Row]:
    for law in ("hunt_crossley", "lankarani_nikravesh"):
        for e in (0.02, 0.2, 0.5, 0.8, 1.0):
            found = []
            for speed in (0.3, 3.0):
                m = tm.PlanarModel("strike", gravity=(0.0, 0.0))
                m.body("b", position=(0.0, 0.11), velocity=(0.0, -speed), mass=0.5, inertia=1.0)
                m.contact_line("c", "b", "ground", radius=0.1, stiffness=1e6, law=law, restitution=e, **FLOOR)
                found.append(m.simulate(0.01 / speed + 0.3 / speed, samples=2, **TIGHT)["b"].vy[-1] / speed)
            yield Row(f"ratio of speeds at 0.3 and 3 m/s, e = {e:g} ({law})", "", [e, e], found, 1e-5)


@case("Rigid ball bounces to rest", area=AREA, source="flights shorten by e; they end at √(2 h / g) (1 + e) / (1 - e)",
reason="location of each impact",
      uses="contact_line, law='rigid', impact newton and poisson")  # fmt: skip
def bouncing() -> Iterator[Row]:
    for impact in ("newton", "poisson"):
        for e in (0.9, 0.6, 0.2, 0.0):
            fall = math.sqrt(2.0 / G)
            end = fall * (1.0 + e) / (1.0 - e)
            times = np.linspace(0.0, 1.2 * end + 1.0, 41)
            m = tm.PlanarModel("ball", gravity=(0, -G))
            m.body("b", position=(0, 1.1), mass=0.5, inertia=0.002)
            m.contact_line("floor", "b", "ground", radius=0.1, law="rigid", restitution=e, impact=impact, **FLOOR)
            fine = np.linspace(0.0, times[-1], 641)  # every 16th is compared
            r = m.simulate(times=fine, **QUIET)
            want = np.zeros(times.size)
            touch, speed = fall, math.sqrt(2.0 * G)
            want[times <= touch] = 1.0 - 0.5 * G * times[times <= touch] ** 2
            while e > 0.0 and speed > 1e-9:
                speed *= e
                flight = (times > touch) & (times <= touch + 2.0 * speed / G)
                want[flight] = speed * (times[flight] - touch) - 0.5 * G * (times[flight] - touch) ** 2
                touch += 2.0 * speed / G
            yield Row(
                f"height, e = {e:g} ({impact})",
                "m",
                want,
                r["b"].y[::16] - 0.1,
                1e-8,
                at=times,
                curve=(fine, r["b"].y - 0.1),
            )
            yield Row(f"energy lost, e = {e:g} ({impact})", "J", 0.5 * G, r.energy.dissipated[-1], 1e-7)


@case("Friction of an impact", area=AREA, source="the impulse stops the slip if (2/7) |s| ≤ μ P / m, else it changes vx by μ P / m",
reason="location of the impact",
      uses="contact_line, law='rigid' with friction")  # fmt: skip
def friction_of_impact() -> Iterator[Row]:
    for mu in (0.05, 0.1, 0.4):
        m = tm.PlanarModel("ball", gravity=(0, -G))
        m.body("b", position=(0, 1.1), velocity=(2.0, 0.0), omega=3.0, mass=0.5, inertia=0.002)
        m.contact_line("floor", "b", "ground", radius=0.1, law="rigid", restitution=0.5, friction=mu, **FLOOR)
        r = m.simulate(times=[0.0, 0.5], **QUIET)
        change = -min(mu * 1.5 * math.sqrt(2.0 * G), 2.0 / 7.0 * 2.3)
        want = [2.0 + change, 3.0 + 0.5 * change * 0.1 / 0.002]
        yield Row(
            f"velocity and spin afterwards, μ = {mu:g}", "m/s, rad/s", want, [r["b"].vx[-1], r["b"].omega[-1]], 1e-8
        )


@case("Sliding and rolling", area=AREA,
      source="g (sin α - μ cos α); 5/7 and 2/3 of the speed of a thrown ball and disc; g sin α / (1 + J / m r²)",
      reason="stick speeds of 1e-4 to 1e-3 m/s", uses="contact_line with friction, compliant and rigid")  # fmt: skip
def sliding() -> Iterator[Row]:
    angle, mu, stiffness = math.radians(30), 0.3, 1e6
    c, s = math.cos(angle), math.sin(angle)
    m = tm.PlanarModel("incline", gravity=(0, -G))
    sunk = -G * c / stiffness
    m.body("b", position=(sunk * s, sunk * c), mass=1.0, inertia=0.004, velocity=(c, -s))
    m.contact_line("c", "b", "ground", at=(0, 0), axis=(c, -s), stiffness=stiffness, friction=mu)
    r = m.simulate(1.0, samples=11, **TIGHT)
    way = r.times + 0.5 * G * (s - mu * c) * r.times**2
    yield Row("way of a sliding point", "m", way, r["b"].x * c - r["b"].y * s, 1e-7, at=r.times)
    yield Row("energy of its friction", "J", mu * G * c * way, r.energy.dissipated, 1e-6, at=r.times)
    for factor, share, name in ((0.4, 5 / 7, "ball"), (0.5, 2 / 3, "disc")):
        m = tm.PlanarModel("thrown", gravity=(0, -G))
        m.body("b", position=(0, 0.1), velocity=(2.0, 0.0), mass=1.0, inertia=factor * 0.01)
        m.contact_line("c", "b", "ground", radius=0.1, law="rigid", restitution=0.0, friction=0.3, **FLOOR)
        roll = (1 - share) * 2.0 / (0.3 * G)
        r = m.simulate(times=[0.0, 0.5 * roll, 0.9 * roll, 2.0 * roll], **QUIET)
        yield Row(f"speed of a thrown {name} while it slides", "m/s", 2.0 - 0.3 * G * r.times[:3], r["b"].vx[:3], 2e-5)
        yield Row(f"speed of a thrown {name} that rolls", "m/s", share * 2.0, r["b"].vx[3], 2e-5)


@case("Block with dry friction", area=AREA, source="breaks away at μ_s N; stops after v / μ g at v² / (2 μ g) and stays",
reason="location of sticking and slipping",
      uses="stick_slip on a prismatic joint")  # fmt: skip
def stick_slip() -> Iterator[Row]:
    m = tm.PlanarModel("pulled", gravity=(0.0, 0.0))
    m.body("b", mass=2.0, inertia=1.0)
    m.prismatic("T", "ground", "b", at=(0, 0), axis=(1, 0))
    m.user_force("pull", "T.distance", law="0.5*t")
    m.stick_slip("f", "T.distance", normal=10.0, friction=(0.5, 0.3))
    r = m.simulate(times=np.array([0.0, 0.5, 0.9, 0.998]) * 10.0, rtol=1e-7, **QUIET)
    yield Row("place below the static limit", "m", np.zeros(4), r["b"].x, 1e-12)
    yield Row("friction just below the static limit", "N", -4.99, r.force("f.force")[3], 1e-8)
    m = tm.PlanarModel("thrown", gravity=(0, -G))
    m.body("b", mass=2.0, inertia=1.0, velocity=(2.0, 0.0))
    m.prismatic("T", "ground", "b", at=(0, 0), axis=(1, 0))
    m.stick_slip("f", "T.distance", normal="T.reaction", friction=(0.3, 0.3), stick_speed=1e-4)
    stop = 2.0 / (0.3 * G)
    r = m.simulate(times=[0.0, 0.5 * stop, 2.0 * stop, 300.0], **QUIET)
    want = [stop - 0.15 * G * (0.5 * stop) ** 2, 4.0 / (0.6 * G), 4.0 / (0.6 * G)]
    yield Row("place while it slides, after it stops and after 300 s", "m", want, r["b"].x[1:], 1e-6)


@case("Discs that collide", area=AREA, source="(m₁ - m₂) / (m₁ + m₂) and 2 m₁ / (m₁ + m₂); one in, one out along a row",
reason="1e-11 per step of stiff contact; impulses",
      uses="contact_discs, linear and rigid")  # fmt: skip
def discs() -> Iterator[Row]:
    m = tm.PlanarModel("head on", gravity=(0.0, 0.0))
    m.body("one", velocity=(1.0, 0.0), mass=3.0, inertia=1.0)
    m.body("two", position=(0.5, 0.0), mass=1.0, inertia=1.0)
    m.contact_discs("c", "one", "two", radii=(0.2, 0.2), stiffness=1e4)
    yield Row(
        "speeds after an elastic impact", "m/s", [0.5, 1.5], m.simulate(times=[0.0, 0.2], **TIGHT).v[-1, ::3], 1e-8
    )
    m = tm.PlanarModel("row", gravity=(0.0, 0.0))
    for k in range(5):
        m.body(
            f"d{k}",
            position=(0.2 * k if k else -0.5, 0.0),
            velocity=(1.5 if k == 0 else 0.0, 0.0),
            mass=1.0,
            inertia=1.0,
        )
        if k:
            m.contact_discs(f"c{k}", f"d{k - 1}", f"d{k}", radii=(0.1, 0.1), law="rigid", restitution=1.0)
    yield Row(
        "speeds of a row of five touching discs",
        "m/s",
        [0, 0, 0, 0, 1.5],
        m.simulate(2.0, samples=3, **QUIET).v[-1, ::3],
        1e-12,
    )
