"""What every motion must satisfy: Newton and Euler body by body, conservation laws, independence of frames, units and sampling."""

from __future__ import annotations

import cmath
import math
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import pytrammel as tm
from dynamic_models import (
    bar,
    chain,
    double_pendulum,
    four_bar_release,
    imbalance,
    pendulum,
    place,
    slider_crank_release,
)
from mechanisms import circles_meet, xy

# velocities are drawn at random, so the joints change them
pytestmark = pytest.mark.filterwarnings("ignore:the given starting velocities contradict")

few = settings(max_examples=12, deadline=None, derandomize=True)
seeds = st.integers(0, 10**6)
QUIET = {"progress": False}
TIGHT = {"rtol": 1e-11, "atol": 1e-13, **QUIET}

# --- random machines -----------------------------------------------------------------------------------------------------


class Machine:
    """Three bodies in a chain from the ground, with every kind of joint and force element, and the same forces by hand.

    The chain is pin – pin or slide – pin; the last body is held by a link to the ground in half of the cases.
    """

    def __init__(self, seed: int, *, dissipative: bool = True, shift: bool = True) -> None:
        rng = np.random.default_rng(seed)
        self.m = m = tm.PlanarModel(f"machine {seed}", gravity=tuple(rng.uniform(-10, 10, 2)))
        spots = [complex(*rng.uniform(-1, 1, 2)) + k for k in range(4)]
        before = m.ground
        for k in range(3):
            frame = complex(*rng.uniform(-0.3, 0.3, 2)) if shift else 0j
            mass, inertia = rng.uniform(0.5, 3.0, 2)
            body = m.body(
                f"b{k}", position=xy((spots[k] + spots[k + 1]) / 2), angle=rng.uniform(-3, 3), mass=mass, inertia=inertia,
                centroid=xy(frame), velocity=rng.uniform(-0.3, 0.3, 2), omega=rng.uniform(-1, 1),
            )  # fmt: skip
            if k == 1 and seed % 2:
                m.prismatic("j1", before, body, at=xy(spots[1]), axis=xy(cmath.rect(1, rng.uniform(0, 6))))
            else:
                m.revolute(f"j{k}", before, body, at=xy(spots[k]))
            before = body
        if seed % 3 == 0:
            m.link("loop", m.ground.at(3.5, 1.0), before.at(0.4, 0.3))
        damping = 2.0 if dissipative else None
        self.k, self.c, self.pull = 30.0, damping or 0.0, 1.5 if dissipative else 0.0
        m.spring("S", m.ground.at(0.5, 2), m["b1"].at(0.2, -0.4), stiffness=self.k, damping=damping,
                 free_length=0.8, force=self.pull if dissipative else None)  # fmt: skip
        m.torsion_spring("R", first="b0", second="b2", stiffness=4.0, damping=0.3 if dissipative else None)
        self.free_angle = m["b2"].angle - m["b0"].angle
        self.dissipative = dissipative
        if dissipative:
            m.motor("M", first="b0", second="b1", torque="0.7*cos(3*t)")
            m.force("F", m["b2"].at(0.1, 0.5), (2.0, "3*t"))
            m.force("follower", m["b1"].at(-0.3, 0.2), (1.0, -2.0), frame="body")
            m.torque("C", "b0", "0.4*sin(t)")
            m.drag("air", "b2", coefficient=0.8, area=0.5, center=(0.1, 0.2))

    def loads(self, found: tm.results.Result) -> dict[str, list[tuple[np.ndarray, np.ndarray | None, np.ndarray]]]:
        """Per body: (force, point or None for a pure couple, couple), all as complex or real series, without any kernel."""
        m, t = self.m, found.times
        out: dict[str, list[Any]] = {b: [] for b in list(m.bodies)[1:]}
        zero = np.zeros(len(found))

        def speed(body: str, point: np.ndarray) -> np.ndarray:
            s = found[body]
            return s.vx + 1j * s.vy + 1j * s.omega * (point - (s.x + 1j * s.y))

        for b, body in list(m.bodies.items())[1:]:
            weight = body.mass * complex(*m.gravity) * np.ones(len(found))
            out[b].append((weight, place(found, b, *body.centroid), zero))
        P, Q = place(found, "ground", 0.5, 2.0), place(found, "b1", 0.2, -0.4)
        L = Q - P
        length = np.abs(L)
        rate = (np.conj(L) * speed("b1", Q)).real / length
        tension = self.k * (length - 0.8) + self.c * rate + self.pull
        out["b1"].append((-tension * L / length, Q, zero))
        theta = found["b2"].phi - found["b0"].phi
        turning = found["b2"].omega - found["b0"].omega
        couple = 4.0 * (theta - self.free_angle) + (0.3 if self.dissipative else 0.0) * turning
        out["b0"].append((0 * L, None, couple))
        out["b2"].append((0 * L, None, -couple))
        if self.dissipative:
            torque = 0.7 * np.cos(3 * t)
            out["b0"].append((0 * L, None, -torque + 0.4 * np.sin(t)))
            out["b1"].append((0 * L, None, torque))
            out["b2"].append((2.0 + 3j * t, place(found, "b2", 0.1, 0.5), zero))
            out["b1"].append(((1 - 2j) * np.exp(1j * found["b1"].phi), place(found, "b1", -0.3, 0.2), zero))
            A = place(found, "b2", 0.1, 0.2)
            v = speed("b2", A)
            out["b2"].append((-0.5 * 0.8 * 0.5 * 1.225 * np.abs(v) * v, A, zero))
        return out


@few
@given(seeds)
def test_every_body_obeys_newton_and_euler(seed: int) -> None:
    machine = Machine(seed)
    found = machine.m.simulate(0.5, samples=6, **QUIET)
    loads = machine.loads(found)
    for body in loads:
        force, moment, size = imbalance(found, body, loads[body])
        # the equations are solved at every output instant: roundings of the largest force
        assert np.abs(force).max() < 1e-10 * size
        assert np.abs(moment).max() < 1e-10 * size


@few
@given(seeds)
def test_a_joint_does_opposite_things_to_its_bodies(seed: int) -> None:
    found = Machine(seed).m.simulate(0.3, samples=4, **QUIET)
    origin = np.zeros((len(found), 2))
    for joint in found.model.constraints.values():
        one, other = (found.reaction(joint.name, on=b) for b in joint.bodies)
        size = 1.0 + np.abs(one.force).max()
        assert one.force == pytest.approx(-other.force, abs=1e-12 * size)
        assert one.moment_about(origin) == pytest.approx(-other.moment_about(origin), abs=1e-11 * size)


@few
@given(seeds)
def test_energy_is_kept_without_dissipation(seed: int) -> None:
    found = Machine(seed, dissipative=False).m.simulate(1.0, rtol=1e-9, atol=1e-11, **QUIET)
    size = float(np.abs(found.energy.total).max() + found.energy.kinetic.max())
    assert not found.energy.dissipated.any()
    # 1e-9 per step and some hundred steps
    assert np.abs(found.energy.total - found.energy.total[0]).max() < 1e-7 * size


@few
@given(seeds)
def test_energy_balances_with_dampers_motors_and_loads(seed: int) -> None:
    found = Machine(seed).m.simulate(1.0, rtol=1e-9, atol=1e-11, **QUIET)
    size = float(np.abs(found.energy.total).max() + found.energy.kinetic.max())
    assert np.abs(found.energy.balance).max() < 1e-7 * size
    # dampers and drag only ever take
    assert np.all(np.diff(found.energy.dissipated) > -1e-9 * size)


@few
@given(seeds)
def test_energy_balances_with_a_driver(seed: int) -> None:
    m = Machine(seed - seed % 3 + 1).m  # no link: three freedoms, one of them driven
    m.driver("drive", m["b0"].phi, f"{m['b0'].angle!r} + 0.5*sin(4*t)")
    found = m.simulate(1.0, rtol=1e-9, atol=1e-11, **QUIET)
    size = float(np.abs(found.energy.total).max() + found.energy.kinetic.max())
    assert np.abs(found.energy.balance).max() < 1e-7 * size
    work = found.reaction("drive", on="b0").moment * found["b0"].omega
    assert np.abs(work).max() > 1e-3  # the driver does something


@few
@given(seeds)
def test_stored_energy_of_a_linear_spring_is_half_k_x_squared(seed: int) -> None:
    machine = Machine(seed, dissipative=False)
    found = machine.m.simulate(1.0, rtol=1e-9, atol=1e-11, **QUIET)
    x = found.series("S.length").value - 0.8
    theta = found["b2"].phi - found["b0"].phi - machine.free_angle
    direct = 0.5 * machine.k * x**2 + 2.0 * theta**2
    assert found.energy.stored == pytest.approx(direct, abs=1e-7 * (1 + direct.max()))


# --- free flight -----------------------------------------------------------------------------------------------------------


def free_flight(seed: int) -> tm.PlanarModel:
    """Three pinned bars, not connected to the ground, with a spring, dampers and a motor among themselves."""
    rng = np.random.default_rng(seed)
    m = tm.PlanarModel("flight", gravity=(0, 0))
    ends = np.cumsum(rng.uniform(0.5, 1.0, 4) * np.exp(1j * rng.uniform(-1, 1, 4)))
    drift, spin = complex(*rng.uniform(-1, 1, 2)), rng.uniform(-2, 2)
    for k in range(3):
        middle = (ends[k] + ends[k + 1]) / 2
        bar(m, f"b{k}", ends[k], ends[k + 1], rng.uniform(0.5, 2), spin=spin, velocity=xy(drift + 1j * spin * middle))
        if k:
            m.revolute(f"p{k}", f"b{k - 1}", f"b{k}", at=xy(ends[k]))
    m.spring("S", m["b0"].at(0.1, 0.1), m["b2"].at(0, 0.2), stiffness=20.0, damping=1.0, free_length=0.7)
    m.torsion_spring("R", first="b0", second="b1", stiffness=2.0, damping=0.1)
    m.motor("M", first="b1", second="b2", torque="sin(5*t)")
    return m


@few
@given(seeds)
def test_free_bodies_keep_linear_and_angular_momentum(seed: int) -> None:
    m = free_flight(seed)
    found = m.simulate(2.0, samples=21, **TIGHT)
    linear, angular = 0, 0
    for name, body in list(m.bodies.items())[1:]:
        s = found[name]
        p = body.mass * (s.vx + 1j * s.vy)
        linear = linear + p
        angular = angular + body.inertia * s.omega + (np.conj(s.x + 1j * s.y) * p).imag
    # internal forces cancel exactly, every step is linear in them: roundings only; the angle's error is the tolerance
    assert np.abs(linear - linear[0]).max() < 1e-11
    assert np.abs(angular - angular[0]).max() < 1e-8


@few
@given(seeds)
def test_the_centre_of_mass_of_free_bodies_moves_straight(seed: int) -> None:
    m = free_flight(seed)
    found = m.simulate(2.0, samples=21, **TIGHT)
    moving = list(m.bodies.items())[1:]
    total = sum(b.mass for _, b in moving)
    centre = sum(b.mass * (found[n].x + 1j * found[n].y) for n, b in moving) / total
    speed = sum(b.mass * (found[n].vx[0] + 1j * found[n].vy[0]) for n, b in moving) / total
    assert np.abs(centre - centre[0] - speed * found.times).max() < 1e-11


def test_a_free_body_falls_on_a_parabola() -> None:
    m = tm.PlanarModel("stone")
    m.body("stone", position=(1, 2), velocity=(3, 4), omega=5.0, mass=0.3, inertia=0.1)
    found = m.simulate(2.0, samples=9)
    t = found.times
    # a polynomial of degree 2: every method is exact
    assert found["stone"].x == pytest.approx(1 + 3 * t, abs=1e-12)
    assert found["stone"].y == pytest.approx(2 + 4 * t - 0.5 * 9.81 * t**2, abs=1e-12)
    assert found["stone"].phi == pytest.approx(5 * t, abs=1e-12)


# --- the same thing said differently ------------------------------------------------------------------------------------------


def off_centre(m: tm.PlanarModel, offsets: dict[str, complex]) -> tm.PlanarModel:
    """The same four-bar with body frames moved (body coordinates) away from the centroids."""
    twin = tm.PlanarModel(m.name, gravity=m.gravity)
    for name, body in list(m.bodies.items())[1:]:
        d = cmath.exp(1j * body.angle) * offsets[name]
        twin.body(name, position=xy(complex(*body.position) + d), angle=body.angle, mass=body.mass, inertia=body.inertia,
                  centroid=xy(-offsets[name]), omega=body.omega)  # fmt: skip
    for joint in m.constraints.values():
        p = joint.parameters["first"]
        twin.revolute(joint.name, *joint.bodies, at=(p.x0, p.y0))
    return twin


OFFSETS = {"crank": 0.1 + 0.2j, "coupler": -0.3 + 0.1j, "rocker": 0.05 - 0.4j}


def test_a_frame_off_the_centroid_gives_the_same_accelerations_and_reactions() -> None:
    m = four_bar_release(spin=3.0)
    both = [k.simulate(0.0, initial=tm.InitialConditions(hold=["crank.omega"])) for k in (m, off_centre(m, OFFSETS))]
    one, other = both
    # not the same start: each is corrected in its own coordinates, but the held crank speed leaves no choice
    assert other["crank"].alpha == pytest.approx(one["crank"].alpha, rel=1e-10)
    for joint in m.constraints:
        force = one.reaction(joint).force
        assert other.reaction(joint).force == pytest.approx(force, abs=1e-10 * np.abs(force).max())
    assert other.energy.total == pytest.approx(one.energy.total, rel=1e-12)


def test_a_frame_off_the_centroid_gives_the_same_motion() -> None:
    m = four_bar_release()
    one, other = (k.simulate(2.0, samples=21, rtol=1e-13, atol=1e-15, **QUIET) for k in (m, off_centre(m, OFFSETS)))
    for name in ("crank", "coupler", "rocker"):
        # 1e-13 per step in either, a few hundred steps, and the growth of two seconds
        assert other[name].phi == pytest.approx(one[name].phi, abs=1e-10)
        b = other.model[name]
        centre = place(other, name, *b.centroid)
        assert centre.real == pytest.approx(one[name].x, abs=1e-10)
    for joint in m.constraints:
        # kg · m/s² of the order of 100 N, and accelerations feel ω²
        assert other.reaction(joint).force == pytest.approx(one.reaction(joint).force, abs=1e-8)


def crank_rocker(coupler: str, mass: float = 0.0) -> tm.PlanarModel:
    """The four-bar with a coupler of no mass: a link, a massless body, or a light bar."""
    A = cmath.rect(0.3, math.pi / 3)
    B = circles_meet(A, 1.0, 0.9, 0.7)
    m = tm.PlanarModel(f"coupler: {coupler}")
    bar(m, "crank", 0, A, 1.0)
    bar(m, "rocker", 1.0, B, 2.3)
    m.revolute("O", m.ground, "crank", at=(0, 0))
    m.revolute("D", m.ground, "rocker", at=(1, 0))
    if coupler == "link":
        m.link("B", m["crank"].at_global(*xy(A)), m["rocker"].at_global(*xy(B)))
        return m
    if coupler == "massless":
        m.body("coupler", position=xy((A + B) / 2), angle=cmath.phase(B - A), massless=True)
    else:
        bar(m, "coupler", A, B, mass)
    m.revolute("A", "crank", "coupler", at=xy(A))
    m.revolute("B", "coupler", "rocker", at=xy(B))
    return m


def test_a_massless_body_is_a_link() -> None:
    one, other = (crank_rocker(kind).simulate(1.0, samples=21, **TIGHT) for kind in ("link", "massless"))
    # both are exact up to 1e-11 per step, over some hundred steps
    assert other["crank"].phi == pytest.approx(one["crank"].phi, abs=1e-8)
    assert other["rocker"].phi == pytest.approx(one["rocker"].phi, abs=1e-8)


def test_a_massless_body_carries_the_force_of_the_link() -> None:
    one, other = (crank_rocker(kind).simulate(0.0) for kind in ("link", "massless"))
    force = one.reaction("B", on="rocker").force
    # the same linear equations, solved with corrections for the missing mass until they hold to rounding
    assert other.reaction("B", on="rocker").force == pytest.approx(force, abs=1e-10 * np.abs(force).max())
    assert other.reaction("A", on="coupler").force == pytest.approx(force, abs=1e-10 * np.abs(force).max())


@pytest.mark.parametrize("arm", [1.0, 0.1, 0.01])
def test_a_point_mass_on_a_short_arm_falls_freely(arm: float) -> None:
    # A horizontal beam of 2 m, at its end an arm with a point mass. The arm has no inertia: the pin between them carries nothing,
    # beam and point fall on their own: alpha = -m g l / (m l² + I), and 2 alpha + arm · beta = -g.
    m = tm.PlanarModel("short arm")
    bar(m, "beam", 0, 2, 1.0)
    m.body("point", position=(2 + arm, 0), mass=1.0, inertia=0.0)
    m.revolute("O", m.ground, "beam", at=(0, 0))
    m.revolute("P", "beam", "point", at=(2, 0))
    found = m.simulate(0.0)
    alpha = -0.75 * 9.81
    assert found["beam"].alpha[0] == pytest.approx(alpha, rel=1e-10)
    assert found["point"].alpha[0] == pytest.approx((-9.81 - 2 * alpha) / arm, rel=1e-10)
    assert found.reaction("P").force[0] == pytest.approx([0.0, 0.0], abs=1e-9)


@pytest.mark.parametrize("kind", ["link", "pin"])
@pytest.mark.parametrize(("theta", "rate"), [(1.0, 1.0), (0.01, 100.0), (0.001, 1000.0)])
def test_a_light_cart_under_a_heavy_point_mass(kind: str, theta: float, rate: float) -> None:
    # closed form: x'' = sin θ (g cos θ + θ'²) / (M + sin² θ), m = l = 1
    M, s, c = 1e-6, math.sin(theta), math.cos(theta)
    drift = -rate * c / (1 + M)
    m = tm.PlanarModel("cart")
    m.body("cart", mass=M, inertia=M, velocity=(drift, 0))
    m.prismatic("rail", m.ground, m["cart"].at(0, 0), at=(0, 0), axis=(1, 0))
    pinned = kind == "pin"
    m.body("point", position=(s, -c), angle=theta, mass=1.0, inertia=0.0 if pinned else 1.0, omega=rate if pinned else 0.0,
           velocity=(drift + rate * c, rate * s))  # fmt: skip
    if pinned:
        m.revolute("pole", "cart", "point", at=(0, 0))
    else:
        m.link("pole", m["cart"].at(0, 0), m["point"].at(0, 0))
    found = m.simulate(0.0, initial=tm.InitialConditions(correct=False))
    # M is 1e-6 of the rest: that many roundings
    assert found["cart"].ax[0] == pytest.approx(s * (9.81 * c + rate**2) / (M + s * s), rel=1e-9)


def test_a_light_coupler_approaches_a_link_as_its_mass_goes() -> None:
    right = crank_rocker("link").simulate(1.0, samples=2, **TIGHT)["crank"].phi[-1]
    masses = (1e-3, 1e-4, 1e-5)
    off = [crank_rocker("bar", m).simulate(1.0, samples=2, **TIGHT)["crank"].phi[-1] - right for m in masses]
    # linear in the mass
    assert off[0] / off[1] == pytest.approx(10.0, rel=0.05)
    assert off[1] / off[2] == pytest.approx(10.0, rel=0.05)


def test_a_driven_mechanism_moves_as_in_kinematics() -> None:
    m = four_bar_release()
    m.driver("motor", m["crank"].phi, f"{math.pi / 3!r} + 2*t + 0.3*sin(3*t)")
    one, other = m.kinematics(2.0, samples=11), m.simulate(2.0, samples=11)
    for name, size in (("q", 1.0), ("v", 3.0), ("a", 10.0)):
        # no freedom left: projection puts q and v onto the constraints, a follows from them
        assert getattr(other, name) == pytest.approx(getattr(one, name), abs=1e-11 * size)


def test_a_driver_of_the_joint_is_a_driver_of_the_body() -> None:
    runs = []
    for quantity in ("crank.phi", "O.angle"):
        m = four_bar_release()
        m.driver("motor", quantity, f"{math.pi / 3!r} + 2*t")
        runs.append(m.simulate(1.0, samples=5).reaction("motor", on="crank").moment)
    assert runs[1] == pytest.approx(runs[0], abs=1e-10)


def test_the_torque_of_a_driver_reproduces_its_motion() -> None:
    # crank driven at 3 rad/s, start on the driver's motion; then the same start with the torque as a motor's law
    rate = 3.0
    m = pendulum(0.2)
    m.driver("motor", "rod.phi", f"0.2 + {rate}*t")
    driven = m.simulate(1.0, samples=11)
    torque = driven.reaction("motor", on="rod").moment
    # closed form: m g (l/2) cos(phi) at constant speed
    assert torque == pytest.approx(0.5 * 9.81 * np.cos(0.2 + rate * driven.times), abs=1e-11)
    free = pendulum(0.2, spin=rate)
    free.motor("motor", first=free.ground, second="rod", torque=f"0.5*9.81*cos(0.2 + {rate}*t)")
    found = free.simulate(1.0, samples=11, **TIGHT)
    assert found["rod"].phi == pytest.approx(0.2 + rate * found.times, abs=1e-9)


# --- numbers that must not matter ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("build", [slider_crank_release, four_bar_release, lambda: chain([0.0, 0.5, 1.0])])
def test_output_instants_do_not_change_the_motion(build: Any) -> None:
    few_, many = (build().simulate(2.0, samples=n) for n in (11, 1001))
    assert few_.dynamics.statistics.steps == many.dynamics.statistics.steps
    # the same steps and the same interpolant: nothing but roundings may differ
    assert many.q[::100] == pytest.approx(few_.q, abs=1e-13)
    assert many.v[::100] == pytest.approx(few_.v, abs=1e-12)


def test_values_between_the_steps_are_as_good_as_those_at_them() -> None:
    rough = four_bar_release().simulate(2.0, samples=401)
    right = four_bar_release().simulate(2.0, samples=401, rtol=1e-12, atol=1e-14)
    error = np.abs(rough["crank"].phi - right["crank"].phi)
    # default 1e-8 per step, about a hundred steps of a motion that amplifies little in 2 s
    assert error.max() < 2e-6


def error_at(end: float, **options: Any) -> float:
    return abs(float(four_bar_release().simulate(times=[0.0, end], **options)["crank"].phi[-1]) - CRANK_AT_1)


# crank angle of the released four-bar after 1 s: the peers' high-precision reference
CRANK_AT_1 = -4.560718473757635


@pytest.mark.parametrize("method", ["dop853", "dopri5"])
def test_the_error_follows_the_tolerance(method: str) -> None:
    errors = [error_at(1.0, method=method, rtol=r, atol=0.01 * r, **QUIET) for r in (1e-4, 1e-6, 1e-8, 1e-10)]
    # a hundred times tighter, at least ten times better; and at the end near the tolerance itself
    assert all(a > 10 * b for a, b in pairwise(errors))
    assert errors[-1] < 1e-8


@pytest.mark.parametrize("constraints", ["projection", "none"])
def test_rk4_is_of_fourth_order(constraints: str) -> None:
    options = {"constraints": constraints, "output_step": 0.2, **QUIET}
    right = pendulum(0.0).simulate(2.0, **{**options, **TIGHT})["rod"].phi
    errors = []
    for h in (0.02, 0.01, 0.005):
        found = pendulum(0.0).simulate(2.0, method=tm.methods.rk4(step=h), **options)["rod"].phi
        errors.append(np.abs(found - right).max())
    for a, b in pairwise(errors):
        # 16 in the limit; the next term, h⁵, is still visible
        assert 13 < a / b < 26


def test_the_three_methods_agree() -> None:
    options: list[dict[str, Any]] = [
        {"method": "dop853", **TIGHT}, {"method": "dopri5", **TIGHT}, {"method": tm.methods.rk4(step=2e-4)},
    ]  # fmt: skip
    runs = [slider_crank_release().simulate(1.0, samples=6, **given) for given in options]
    for other in runs[1:]:
        assert other["crank"].phi == pytest.approx(runs[0]["crank"].phi, abs=1e-8)
        assert other.reaction("B").force == pytest.approx(runs[0].reaction("B").force, abs=1e-5)


def test_the_three_ways_to_hold_constraints_agree() -> None:
    runs = [
        slider_crank_release().simulate(1.0, samples=6, constraints=c, **TIGHT)
        for c in ("projection", "baumgarte", "none")
    ]
    for other in runs[1:]:
        # without projection the constraints drift by the error of the steps
        assert other["crank"].phi == pytest.approx(runs[0]["crank"].phi, abs=1e-8)


@pytest.mark.parametrize("scale", [1e-3, 1e3])
def test_a_model_in_other_units_of_length_moves_the_same(scale: float) -> None:
    lengths = (0.3, 0.9, 0.7, 1.0)
    one = four_bar_release(lengths).simulate(2.0, samples=11)
    big = tm.PlanarModel("scaled", gravity=(0.0, -9.81 * scale))
    m = four_bar_release([scale * a for a in lengths])
    for name, body in list(m.bodies.items())[1:]:
        big.body(name, position=body.position, angle=body.angle, mass=body.mass, inertia=body.inertia)
    for joint in m.constraints.values():
        p = joint.parameters["first"]
        big.revolute(joint.name, *joint.bodies, at=(p.x0, p.y0))
    other = big.simulate(2.0, samples=11)
    # tolerances are relative to the model's size: the same steps, only roundings differ (and grow a little)
    assert other.dynamics.statistics.steps == one.dynamics.statistics.steps
    assert other["crank"].phi == pytest.approx(one["crank"].phi, abs=1e-9)
    assert other.reaction("B").force / scale == pytest.approx(one.reaction("B").force, abs=1e-7)


@pytest.mark.parametrize("scale", [1e-6, 1e6])
def test_a_model_in_other_units_of_mass_moves_the_same(scale: float) -> None:
    one = four_bar_release().simulate(2.0, samples=11)
    other = four_bar_release(masses=[scale * m for m in (1.0, 3.0, 2.3)]).simulate(2.0, samples=11)
    assert other["crank"].phi == pytest.approx(one["crank"].phi, abs=1e-9)
    assert other.reaction("B").force / scale == pytest.approx(one.reaction("B").force, abs=1e-7)


def test_a_model_in_other_units_of_time_moves_the_same() -> None:
    fast = double_pendulum("rods", (1.0, 0.5))
    one = fast.simulate(2.0, samples=11)
    slow = tm.PlanarModel("slow", gravity=(0.0, -9.81e-4))
    for name, body in list(fast.bodies.items())[1:]:
        slow.body(name, position=body.position, angle=body.angle, mass=body.mass, inertia=body.inertia)
    for joint in fast.constraints.values():
        p = joint.parameters["first"]
        slow.revolute(joint.name, *joint.bodies, at=(p.x0, p.y0))
    other = slow.simulate(200.0, samples=11)
    # the velocity tolerance has a floor of 1e-3 lengths per second: the slow run may take other steps
    assert other["r0"].phi == pytest.approx(one["r0"].phi, abs=1e-6)


def test_a_turned_model_under_turned_gravity_moves_the_same() -> None:
    turn = cmath.exp(0.7j)
    m = four_bar_release()
    twin = tm.PlanarModel("turned", gravity=xy(turn * -9.81j))
    for name, body in list(m.bodies.items())[1:]:
        twin.body(
            name,
            position=xy(turn * complex(*body.position)),
            angle=body.angle + 0.7,
            mass=body.mass,
            inertia=body.inertia,
        )
    for joint in m.constraints.values():
        p = joint.parameters["first"]
        twin.revolute(joint.name, *joint.bodies, at=xy(turn * complex(p.x0, p.y0)))
    one, other = (k.simulate(2.0, samples=11, **TIGHT) for k in (m, twin))
    assert other["crank"].phi - 0.7 == pytest.approx(one["crank"].phi, abs=1e-9)
    force = one.reaction("B").force @ [1, 1j] * turn
    assert other.reaction("B").force @ [1, 1j] == pytest.approx(force, abs=1e-7)


def test_the_order_of_the_bodies_does_not_matter() -> None:
    m = four_bar_release()
    twin = tm.PlanarModel("reversed")
    for body in reversed(list(m.bodies.values())[1:]):
        twin.body(body.name, position=body.position, angle=body.angle, mass=body.mass, inertia=body.inertia)
    for joint in reversed(list(m.constraints.values())):
        p = joint.parameters["first"]
        twin.revolute(joint.name, *reversed(joint.bodies), at=(p.x0, p.y0))
    one, other = (k.simulate(2.0, samples=11, **TIGHT) for k in (m, twin))
    assert other["crank"].phi == pytest.approx(one["crank"].phi, abs=1e-9)
    assert other.reaction("B", on="rocker").force == pytest.approx(one.reaction("B", on="rocker").force, abs=1e-7)
