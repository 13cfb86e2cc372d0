"""Statics, equilibrium, inverse dynamics and vibration: books and closed forms."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
from scipy.linalg import eigh

import pytrammel as tm
from spatial_models import heavy_top
from static_models import MOTORS, bar, dump_truck, four_bar, platform, robot
from verification.case import Row, case
from verification.cases.book.kap import BOOK

AREA = "Statics and vibration"
G = 9.81
DIGITS = "half a unit of the last digit given"
QUIET = {"progress": False}


@case("Two-bar truss", area=AREA, source=f"{BOOK}, ch. 10, recomputed; by hand: 50 N in both directions", reason="rounding of 100 N",
      uses="massless bars, revolute, force; statics")  # fmt: skip
def truss() -> Iterator[Row]:
    m = tm.PlanarModel("truss", gravity=(0, 0))
    one, two = bar(m, "one", (0, 0), (1, 1), massless=True), bar(m, "two", (1, 1), (2, 0), massless=True)
    m.revolute("left", m.ground, one, at=(0, 0))
    m.revolute("apex", one, two, at=(1, 1))
    m.revolute("right", m.ground, two, at=(2, 0))
    m.force("load", one.at(math.sqrt(2) / 2, 0), (0.0, -100.0))
    s = m.statics()
    for joint, body, want in (
        ("left", "one", [50, 50]),
        ("apex", "two", [50, -50]),
        ("right", "two", [-50, 50]),
        ("left", "ground", [-50, -50]),
    ):
        yield Row(f"force of the pin {joint} on {body}", "N", want, s.reaction(joint, on=body).force[0], 1e-11)
    yield Row("force and moment on the ground", "N, N m", [0.0, -100.0, -100.0], s.ground_reaction[0], 1e-11)


@case("Beam on three supports and block on an incline", area=AREA, source="m g / 3 by symmetry of the smallest sum of squares; m g cos 25°",
      reason="rounding", uses="constrain, redundant supports, prismatic; statics, simulate")  # fmt: skip
def supports() -> Iterator[Row]:
    m = tm.PlanarModel("beam")
    beam = m.body("beam", mass=3.0, inertia=1.0)
    m.constrain("side", beam.x)
    for name, x in (("a", -1.0), ("b", 0.0), ("c", 1.0)):
        m.constrain(name, beam.at(x, 0.0).y)
    s = m.statics()
    yield Row("forces of three equal supports", "N", [G] * 3, [s.effort(name)[0] for name in "abc"], 1e-10)
    m, slope = tm.PlanarModel("incline"), math.radians(25)
    block = m.body("block", mass=2.0, inertia=0.1, angle=slope)
    m.prismatic("T", m.ground, block, at=(0, 0), axis=(math.cos(slope), math.sin(slope)))
    found = m.simulate(1.0, samples=3, **QUIET).reaction("T", on="block").in_joint_frame
    yield Row("force of the slide in its frame", "N", [[0.0, 2.0 * G * math.cos(slope)]] * 3, found, 1e-12)


@case("Four-bar, holding and driving torque", area=AREA, source=f"{BOOK}, section 10.3.1, recomputed: 7 digits", reason=DIGITS,
      uses="driver; statics, inverse_dynamics")  # fmt: skip
def torques() -> Iterator[Row]:
    yield Row("holding torque", "N m", 39.76453, four_bar().statics().effort("motor")[0], 5e-6)
    times = np.array([0, 0.025, 0.05, 0.25, 0.5, 0.75, 1])
    want = [214.0073, 136.8211, 78.3161, -138.1192, -94.9074, 1165.885, 214.0073]
    s = four_bar().inverse_dynamics(times=times, **QUIET)
    yield Row(
        "torque at a constant speed of one turn per second", "N m", want, s.effort("motor"), 5e-7, 1165.885, at=times
    )


@case("Dump truck, force of the strut", area=AREA,
      source=f"{BOOK}, section 10.3.3, exactly assembled, in three ways (printed, rounded: 3916 N)",
      reason=DIGITS, uses="statics with an actuator along a distance")  # fmt: skip
def strut() -> Iterator[Row]:
    m = dump_truck()
    length = m.distance(m.ground.at(0, 0), m["b3"].at(0.3, 0))
    s = m.statics(actuators={"strut": length})
    yield Row("compression of the strut", "N", 3920.1811, s.effort("strut")[0], 1e-4)
    yield Row("length of the strut", "m", 0.975614, s.series(length).value[0], 5e-7)


@case("Arm of three links", area=AREA, source=f"{BOOK}, ch. 10, recomputed with eight digits: 1, .8, .4 m; 4, 3, 1 kg; the hand on a line",
      reason=DIGITS, uses="drivers of the hand, motors at the joints; inverse_dynamics and statics with actuators=")  # fmt: skip
def arm() -> Iterator[Row]:
    times = np.array([0, 0.25, 0.5, 0.75, 1])
    s = robot().inverse_dynamics(times=times, actuators=MOTORS, **QUIET)
    yield Row(
        "torque of the shoulder",
        "N m",
        [44.92277, 39.000581, 32.146795, 24.345337, 15.872512],
        s.effort("shoulder"),
        5e-6,
        at=times,
    )
    yield Row(
        "torque of the elbow",
        "N m",
        [6.845073, 7.940542, 9.635339, 11.903604, 14.548274],
        s.effort("elbow"),
        5e-7,
        at=times,
    )
    yield Row("torque of the wrist", "N m", np.full(5, 1.699142), s.effort("wrist"), 5e-7, at=times)
    for t, want in ((0.0, (44.527799, 6.994600)), (0.5, (31.734868, 9.825979)), (1.0, (16.103754, 14.684631))):
        s = robot().statics(time=t, actuators=MOTORS)
        yield Row(f"torques at rest, {t:g} s", "N m", [*want, 1.699142], [s.effort(k)[0] for k in MOTORS], 5e-7)


@case("Platform on a spring, equilibria", area=AREA, source=f"{BOOK}, section 10.3.2, recomputed: both roots of the virtual work, 8 digits",
      reason=DIGITS, uses="spring; equilibrium, stable and nearest")  # fmt: skip
def equilibria() -> Iterator[Row]:
    found = platform(math.radians(20)).equilibrium()
    yield Row("angle of the legs", "rad", -0.31155471, found.pose("left")[2], 5e-9)
    yield Row("height of the platform", "m", 0.47592907, found.pose("top")[1], 5e-9)
    yield Row("frequency", "rad/s", 12.7501, float(found.frequencies[0]), 5e-5)
    length = found.model.drawn_value(found.model["spring"].length)
    yield Row("force of the spring", "N", -7.813177, 700 * (length - 0.6), 5e-6)
    yield Row(
        "angle of the unstable equilibrium",
        "rad",
        1.42411012,
        platform(1.4).equilibrium(allow_unstable=True).pose("left")[2],
        1e-7,
    )


@case("Coupled oscillators, frequency response", area=AREA,
      source="inverse of the impedance Z = M s² + C s + K; base excitation (c s + k) / (m s² + c s + k)",
      reason="rounding of the linearised matrices", uses="springs with damping; linearize, frequency_response")  # fmt: skip
def response() -> Iterator[Row]:
    m = tm.PlanarModel("oscillators", gravity=(0, 0))
    for k, (x, mass) in enumerate(((1.0, 1.0), (2.0, 2.0)), start=1):
        m.body(f"m{k}", position=(x, 0), mass=mass, inertia=0.1)
        m.prismatic(f"T{k}", m.ground, f"m{k}", at=(0, 0), axis=(1, 0))
    m.spring("a", m.ground.at(0, 0), m["m1"].at(0, 0), stiffness=20.0, damping=0.3, free_length=1.0)
    m.spring("b", m["m1"].at(0, 0), m["m2"].at(0, 0), stiffness=30.0, damping=0.2, free_length=1.0)
    omega = np.array([0.0, 0.5, 2.2, 5.0, 9.0])
    H = m.linearize(inputs=["m1.x"], outputs=["m2.x", "m1.vx"]).frequency_response(omega).values[:, :, 0]
    s = 1j * omega
    Z = np.array([[s * s + 0.5 * s + 50.0, -0.2 * s - 30.0], [-0.2 * s - 30.0, 2.0 * s * s + 0.2 * s + 30.0]])
    x = np.linalg.inv(np.moveaxis(Z, 2, 0))[:, :, 0]
    for k, (name, want) in enumerate((("m2.x", x[:, 1]), ("m1.vx", s * x[:, 0]))):
        yield Row(
            f"amplitude of {name} per force",
            "",
            np.abs(want),
            np.abs(H[:, k]),
            1e-9,
            at=omega,
            axis="frequency [rad/s]",
        )
        yield Row(
            f"real and imaginary part of {name} per force",
            "",
            [want.real, want.imag],
            [H[:, k].real, H[:, k].imag],
            1e-9,
        )
    m = tm.PlanarModel("base", gravity=(0, 0))
    for name, place in (("base", 0.0), ("load", 1.0)):
        m.body(name, position=(place, 0), mass=2.0, inertia=0.1)
        m.prismatic(f"T_{name}", m.ground, name, at=(0, 0), axis=(1, 0))
    m.spring("S", m["base"].at(0, 0), m["load"].at(0, 0), stiffness=50.0, damping=3.0, free_length=1.0)
    m.driver("shaker", "base.x", "0")
    found = m.linearize(inputs=["shaker"], outputs=["load.x"]).frequency_response(omega).between("load.x", "shaker")
    want = (3.0 * s + 50.0) / (2.0 * s * s + 3.0 * s + 50.0)
    yield Row(
        "amplitude of a load on a shaken base",
        "",
        np.abs(want),
        np.abs(found),
        1e-9,
        at=omega,
        axis="frequency [rad/s]",
    )


@case("Chain of five pendulums", area=AREA,
      source="eigenvalues of the matrices in absolute angles", reason="rounding of the linearised matrices",
      uses="revolute in the plane and in space; linearize")  # fmt: skip
def pendulums() -> Iterator[Row]:
    n, mass, length = 5, 0.7, 0.4
    left = mass * (n - np.arange(n))
    M = length**2 * np.array([[left[max(i, j)] for j in range(n)] for i in range(n)])
    want = np.sqrt(eigh(np.diag(left * G * length), M, eigvals_only=True))
    for space in (False, True):
        m = tm.SpatialModel("chain", gravity=(0, 0, -G)) if space else tm.PlanarModel("chain", gravity=(0, -G))
        before = m.ground
        for k in range(n):
            if space:
                link = m.body(f"l{k}", position=(0, 0, -(k + 1) * length), mass=mass, inertia=1e-12)
                m.revolute(f"J{k}", before, link, at=(0, 0, -k * length), axis=(0.6, 0.8, 0))
            else:
                link = m.body(f"l{k}", position=(0, -(k + 1) * length), mass=mass, inertia=0.0)
                m.revolute(f"J{k}", before, link, at=(0, -k * length))
            before = link
        found = m.linearize(coordinates=[f"J{k}.angle" for k in range(n)]).frequencies
        yield Row(f"frequencies ({'space' if space else 'plane'})", "rad/s", want, found, 1e-9, float(want.max()))


@case("Cantilever of links and springs", area=AREA,
      source="(1.8751)² and (4.6941)² of √(EI / ρA L⁴)", reason="one Richardson extrapolation of 20 and 40 links",
      uses="torsion_spring, revolute; linearize")  # fmt: skip
def beam() -> Iterator[Row]:
    found = []
    for n in (20, 40):
        m = tm.PlanarModel("beam", gravity=(0, 0))
        before, h = m.ground, 1.0 / n
        for k in range(n):
            link = m.body(f"l{k}", position=((k + 0.5) * h, 0), mass=h, inertia=h**3 / 12.0)
            m.revolute(f"J{k}", before, link, at=(k * h, 0))
            # the clamped end is half a link away from the middle of the first
            m.torsion_spring(f"S{k}", first=before, second=link, stiffness=(2.0 if k == 0 else 1.0) / h, free_angle=0.0)
            before = link
        found.append(np.array(m.linearize().frequencies[:2]))
    want = np.square([1.8751040687119611, 4.694091132974174])
    yield Row("first two frequencies", "rad/s", want, (4.0 * found[1] - found[0]) / 3.0, 2e-4, float(want.max()))


@case("Sleeping top and hanging rod, eigenvalues", area=AREA,
      source="I₁ z'' - i I₃ ω z' - m g l z = 0; period 1.6379466 s", reason="rounding of the linearised matrices; digits",
      uses="spherical; linearize, equilibrium")  # fmt: skip
def eigenvalues() -> Iterator[Row]:
    for spin in (60.0, 30.0):  # stable above 44.3 rad/s
        lin = heavy_top((0, 0, spin), tilt=0.0).linearize()
        want = np.sort_complex(np.roots([0.05, -1j * 0.01 * spin, -1.0 * G * 0.2]))
        found = np.array([lin.eigenvalues[np.abs(lin.eigenvalues - s).argmin()] for s in want])
        yield Row(
            f"eigenvalues of a top of {spin:g} rad/s", "1/s", [want.real, want.imag], [found.real, found.imag], 1e-6
        )
    m = tm.PlanarModel("pendulum")
    b = bar(m, "b", (0, 0), (1, 0), 1.0)
    m.revolute("A", m.ground, b, at=(0, 0))
    yield Row(
        "period of a hanging rod of 1 m", "s", 1.6379466, 2 * math.pi / float(m.equilibrium().frequencies[0]), 5e-7
    )
