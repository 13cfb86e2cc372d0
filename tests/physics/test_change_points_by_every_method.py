"""Runs through change points by every method, treatment and choice of coordinates, with output times in the change points."""

from __future__ import annotations

import cmath
import math
from typing import Any

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.optimize import brentq

import pytrammel as tm
from mechanisms import xy

G = 9.81
END = 1.5


def parallelogram(seed: int) -> tuple[tm.PlanarModel, np.ndarray, Any, list[float]]:
    """A random parallelogram, the pendulum that its crank is (rods: m a²/3, coupler: m a²), and when it is flat."""
    g = np.random.default_rng(seed)
    a, d = g.uniform(0.3, 1.5), g.uniform(0.5, 3.0)
    crank, rocker, coupler = g.uniform(0.2, 3.0, 3)
    start, spin = g.uniform(0.5, math.pi - 0.5), g.uniform(4.0, 8.0) * g.choice([-1, 1])
    tip, m = cmath.rect(a, start), tm.PlanarModel("parallelogram")
    fast = 1j * spin * tip
    for name, base, mass in (("crank", 0.0, crank), ("rocker", d, rocker)):
        m.body(
            name, position=xy(base + tip / 2), angle=start, mass=mass, inertia=mass * a * a / 12, omega=spin,
            velocity=xy(fast / 2),
        )  # fmt: skip
    m.body("coupler", position=xy(tip + d / 2), mass=coupler, inertia=coupler * d * d / 12, velocity=xy(fast))
    m.revolute("A", m.ground, "crank", at=(0, 0))
    m.revolute("B", "crank", "coupler", at=xy(tip))
    m.revolute("C", "coupler", "rocker", at=xy(d + tip))
    m.revolute("D", m.ground, "rocker", at=(d, 0))
    inertia = (crank + rocker) * a * a / 3 + coupler * a * a
    push = G * ((crank + rocker) * a / 2 + coupler * a)
    found = solve_ivp(
        lambda t, y: [y[1], -push / inertia * math.cos(y[0])], (0, END), [start, spin], "DOP853", rtol=1e-12, atol=1e-13,
        dense_output=True,
    )  # fmt: skip
    grid = np.linspace(0.0, END, 501)
    height = np.sin(found.sol(grid)[0])
    flat = [
        brentq(lambda t: math.sin(found.sol(t)[0]), grid[k], grid[k + 1])
        for k in np.flatnonzero(height[:-1] * height[1:] < 0.0)
    ]
    return m, np.sort(np.r_[np.linspace(0.0, END, 16), flat]), found.sol, flat


def off(seed: int, formulation: str, method: str, **options: Any) -> tuple[float, float, tm.results.Result]:
    """Largest errors of angles [rad] and of speeds, relative to the fastest, with output times in the change points themselves."""
    m, times, truth, _ = parallelogram(seed)
    fixed = tm.methods[method].fixed
    steps: dict[str, Any] = (
        {"method": tm.methods[method](step=1e-3)} if fixed else {"method": method, "rtol": 1e-9, "atol": 1e-9}
    )
    r = m.simulate(times=times, formulation=formulation, progress=False, **steps, **options)
    angle, speed = truth(times)
    place = max(np.abs(r[name].phi - angle).max() for name in ("crank", "rocker"))
    return place, float(np.abs(r["crank"].omega - speed).max() / np.abs(speed).max()), r


@pytest.mark.filterwarnings("ignore::pytrammel.errors.RunWarning")
@pytest.mark.parametrize("formulation", ["cartesian", "joint", "relative", "points"])
@pytest.mark.parametrize("method", ["dop853", "radau5", "adams", "rk4"])
@pytest.mark.parametrize("seed", range(3))
def test_every_formulation_passes_change_points(seed, method, formulation):
    place, speed, r = off(seed, formulation, method)
    # the tolerance 1e-9 over some 100 steps; rk4 with h = 1 ms and rates of 10 rad/s: (h w)^4
    assert place < 1e-6
    assert speed < 1e-3  # in the change point itself, where the constraints do not determine it
    assert np.abs(r.energy.balance).max() < 1e-3 * np.ptp(r.energy.kinetic)
    assert r.dynamics.formulation == formulation


def other_linkage(kind: str, seed: int) -> tuple[tm.PlanarModel, np.ndarray, np.ndarray, np.ndarray]:
    """A random antiparallelogram or kite, with output times in its flat positions, and both angles from Lagrange's equation."""
    g = np.random.default_rng(seed)
    a = float(g.uniform(0.3, 1.0))
    if kind == "kite":
        base, c = a, a * float(g.uniform(1.2, 2.2))
        bar = c

        def rocker(f: Any) -> Any:
            return f / 2 + math.pi / 2 + np.arccos(a * np.sin(f / 2) / c)

        def slope(f: Any) -> Any:
            return 0.5 - a * np.cos(f / 2) / (2 * c) / np.sqrt(1 - (a * np.sin(f / 2) / c) ** 2)
    else:
        base = bar = a * float(g.uniform(1.4, 2.5))
        c, k = a, (base + a) / (base - a)

        def rocker(f: Any) -> Any:
            turns = np.round(f / (2 * math.pi))
            x = f / 2 - math.pi * turns
            return -2 * np.arctan2(k * np.sin(x), np.cos(x)) - 2 * math.pi * turns

        def slope(f: Any) -> Any:
            return -k / (np.cos(f / 2) ** 2 + (k * np.sin(f / 2)) ** 2)

    masses, start = g.uniform(0.3, 2.5, 3), float(g.uniform(0.6, 2.4))
    spin = float(g.uniform(4.0, 8.0) * g.choice([-1, 1]))

    def motion(f: Any) -> tuple[Any, ...]:
        """Points B and C, and their derivatives by the crank's angle."""
        turned = 1j * c * np.exp(1j * rocker(f)) * slope(f)
        return a * np.exp(1j * f), base + c * np.exp(1j * rocker(f)), 1j * a * np.exp(1j * f), turned

    def inertia(f: Any) -> Any:
        B, C, dB, dC = motion(f)
        turning = ((dC - dB) / (C - B)).imag ** 2 * bar**2 / 12
        both = masses[0] * abs(dB) ** 2 / 3 + masses[1] * abs(dC) ** 2 / 3
        return both + masses[2] * (abs((dB + dC) / 2) ** 2 + turning)

    def rates(_t: float, y: np.ndarray) -> list[float]:
        """Angle and momentum; gravity along the derivatives of the points, the inertia by a difference of the fourth order."""
        _, _, dB, dC = motion(y[0])
        push = G * (masses[0] * dB.imag + masses[1] * dC.imag + masses[2] * (dB + dC).imag) / 2
        e = 1e-3
        near = [inertia(y[0] + n * e) for n in (-2, -1, 1, 2)]
        change = (8 * (near[2] - near[1]) - (near[3] - near[0])) / (12 * e)
        speed = y[1] / inertia(y[0])
        return [speed, 0.5 * change * speed**2 - push]

    found = solve_ivp(
        rates, (0, END), [start, inertia(start) * spin], "DOP853", rtol=1e-10, atol=1e-10, dense_output=True
    )
    period = 2.0 if kind == "kite" else 1.0
    grid = np.linspace(0.0, END, 501)
    height = np.sin(found.sol(grid)[0] / period)
    flat = [
        brentq(lambda t: math.sin(found.sol(t)[0] / period), grid[k], grid[k + 1])
        for k in np.flatnonzero(height[:-1] * height[1:] < 0.0)
    ]
    B, C, dB, dC = motion(start)
    m = tm.PlanarModel(kind)
    for name, one, other, angle, rate, mass, fast, size in (
        ("crank", 0.0, B, start, 1.0, masses[0], dB / 2, a),
        ("rocker", base, C, rocker(start), slope(start), masses[1], dC / 2, c),
        ("coupler", B, C, np.angle(C - B), ((dC - dB) / (C - B)).imag, masses[2], (dB + dC) / 2, bar),
    ):
        m.body(
            name, position=xy((one + other) / 2), angle=float(angle), mass=float(mass), inertia=float(mass) * size**2 / 12,
            velocity=xy(fast * spin), omega=float(rate * spin),
        )  # fmt: skip
    m.revolute("A", m.ground, "crank", at=(0, 0)), m.revolute("B", "crank", "coupler", at=xy(B))
    m.revolute("C", "coupler", "rocker", at=xy(C)), m.revolute("D", m.ground, "rocker", at=(base, 0))
    times = np.sort(np.r_[np.linspace(0.0, END, 16), flat])
    angles = np.array([found.sol(t)[0] for t in times])
    return m, times, angles, rocker(angles)


@pytest.mark.filterwarnings("ignore::pytrammel.errors.RunWarning")
@pytest.mark.parametrize("formulation", ["cartesian", "joint", "relative", "points"])
@pytest.mark.parametrize("method", ["dop853", "radau5", "adams", "bdf"])
@pytest.mark.parametrize("kind, seed", [("antiparallelogram", 0), ("antiparallelogram", 1), ("kite", 0), ("kite", 1)])
def test_other_linkages_pass_their_flat_positions(kind, seed, method, formulation):
    m, times, crank, rocker = other_linkage(kind, seed)
    r = m.simulate(times=times, method=method, formulation=formulation, rtol=1e-9, atol=1e-9, progress=False)
    np.testing.assert_allclose(r["crank"].phi, crank, rtol=0, atol=2e-6)  # 1e-9 over some 100 steps, as above
    np.testing.assert_allclose(r["rocker"].phi, rocker, rtol=0, atol=2e-6)


@pytest.mark.filterwarnings("ignore::pytrammel.errors.RunWarning")
@pytest.mark.parametrize("seed", [11, 12])
def test_fixed_steps_that_cannot_be_solved_near_flat_positions_are_handed_over(seed):
    """Some steps before a flat position the iteration of implicit methods with a given step does not converge."""
    m, times, crank, rocker = other_linkage("antiparallelogram", seed)
    for method in ("am2", "am3", "bdf2"):
        for formulation in ("cartesian", "joint"):
            r = m.simulate(times=times, method=tm.methods[method](step=1e-3), formulation=formulation, progress=False)
            # errors of order 2 before the first flat position are some 1e-5 rad, and grow with the speed
            np.testing.assert_allclose(r["crank"].phi, crank, rtol=0, atol=1e-3, err_msg=f"{method}, {formulation}")
            np.testing.assert_allclose(r["rocker"].phi, rocker, rtol=0, atol=1e-3, err_msg=f"{method}, {formulation}")


@pytest.mark.filterwarnings("ignore::pytrammel.errors.RunWarning")
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("kind", ["antiparallelogram", "kite"])
@pytest.mark.parametrize("method", [name for name, each in tm.methods.items() if each.passes or name == "bs32"])
def test_explicit_methods_pass_flat_positions_at_tight_tolerances(method, kind, seed):
    """Short steps of low orders stay so near to a flat position that rounding, which it magnifies, exceeds the tolerance."""
    m, times, crank, rocker = other_linkage(kind, seed)
    r = m.simulate(times=times, method=method, rtol=1e-9, atol=1e-9, progress=False)
    np.testing.assert_allclose(r["crank"].phi, crank, rtol=0, atol=2e-6)  # as above
    np.testing.assert_allclose(r["rocker"].phi, rocker, rtol=0, atol=2e-6)


@pytest.mark.filterwarnings("ignore::pytrammel.errors.RunWarning")
@pytest.mark.parametrize(
    "formulation, constraints", [("cartesian", "baumgarte"), ("cartesian", "none"), ("joint", "penalty")]
)
@pytest.mark.parametrize("seed", range(2))
def test_treatments_that_drift_stay_on_the_branch(seed, constraints, formulation):
    place, _, r = off(seed, formulation, "dop853", constraints=constraints)
    assert place < 1e-3  # what has drifted by 1e-6 before; another branch is off by radians
    assert len({use.name for use in r.dynamics.methods}) == 1


@pytest.mark.filterwarnings("ignore::pytrammel.errors.RunWarning")
@pytest.mark.parametrize("formulation", ["cartesian", "joint", "relative", "points"])
@pytest.mark.parametrize("method", ["dop853", "radau5", "bdf"])
def test_every_passage_of_a_simulation_is_where_the_mechanism_is_flat(method, formulation):
    for seed in range(3):
        *_, flat = parallelogram(seed)
        _, _, r = off(seed, formulation, method)
        # bdf at rtol 1e-9 is off by 1e-7 rad at some 5 rad/s
        np.testing.assert_allclose([each.time for each in r.singularities], flat, rtol=0, atol=1e-6)
        assert {each.kind for each in r.singularities} == {"change point"}
        assert all(str(each) in r.summary() for each in r.singularities)


@pytest.mark.parametrize("method", ["rk4", "abm4", "am2", "rattle"])
def test_a_passage_with_fixed_steps_carries_a_warning(method):
    """Without an error estimate no step near a flat position is rejected, so errors there depend on where steps happen to end."""
    m, *_, flat = parallelogram(0)
    with pytest.warns(tm.RunWarning, match="fixed steps"):
        r = m.simulate(END, samples=4, method=tm.methods[method](step=2e-3), progress=False)
    found = next(each for each in r.warnings if each.kind == "fixed steps")
    assert found.time == pytest.approx(flat[0], abs=1e-4)
    assert method in str(found) and "0.002 s" in str(found)


def test_a_pendulum_has_no_passages_and_needs_no_other_method():
    m = tm.PlanarModel("pendulum")
    m.body("rod", position=(0.5, 0), mass=1.0, inertia=1 / 12)
    m.revolute("O", m.ground, "rod", at=(0, 0))
    for method in ("dop853", "radau5"):
        r = m.simulate(1.0, samples=5, method=method, progress=False)
        assert not r.singularities
        assert len(r.dynamics.methods) == 1


@pytest.mark.filterwarnings("ignore::pytrammel.errors.RunWarning")
@pytest.mark.parametrize("formulation", ["cartesian", "joint", "relative", "points"])
@pytest.mark.parametrize("method", ["scipy_dop853", "scipy_lsoda", "scipy_radau", "scipy_bdf"])
def test_solvers_of_others_give_way_at_change_points(method, formulation):
    for seed in range(2):
        *_, flat = parallelogram(seed)
        place, speed, r = off(seed, formulation, method)
        assert place < 1e-6  # as for our own methods, above
        assert speed < 2e-3  # in the change point itself, from an interpolant across it
        assert np.abs(r.energy.balance).max() < 1e-4 * np.ptp(r.energy.kinetic)
        assert len(r.singularities) <= len(flat)  # explicit methods may step over a position without a trace


def coupled_wheels(seed: int) -> tuple[tm.PlanarModel, np.ndarray, Any]:
    """Random equal cranks under one rod, a pin of which closes each further loop: redundant rows. Truth: one pendulum."""
    g = np.random.default_rng([7, seed])
    count, a, pitch = int(g.integers(3, 6)), g.uniform(0.2, 0.8), g.uniform(0.6, 1.5)
    mass, bar = g.uniform(0.3, 2.0, 2)
    start, spin = g.uniform(0.5, math.pi - 0.5), g.uniform(5.0, 8.0) * g.choice([-1, 1])
    tip, m = cmath.rect(a, start), tm.PlanarModel("wheels")
    m.body("rod", position=xy(tip), mass=bar, inertia=0.3, velocity=xy(1j * spin * tip))
    for k in range(count):
        base = k * pitch
        m.body(
            f"c{k}", position=xy(base + tip / 2), angle=start, mass=mass, inertia=mass * a * a / 12, omega=spin,
            velocity=xy(1j * spin * tip / 2),
        )  # fmt: skip
        m.revolute(f"A{k}", m.ground, f"c{k}", at=(base, 0))
        m.revolute(f"B{k}", f"c{k}", "rod", at=xy(base + tip))
    inertia, push = count * mass * a * a / 3 + bar * a * a, G * a * (count * mass / 2 + bar)
    found = solve_ivp(
        lambda t, y: [y[1], -push / inertia * math.cos(y[0])], (0, END), [start, spin], "DOP853", rtol=1e-12, atol=1e-13,
        dense_output=True,
    )  # fmt: skip
    grid = np.linspace(0.0, END, 501)
    height = np.sin(found.sol(grid)[0])
    flat = [
        brentq(lambda t: math.sin(found.sol(t)[0]), grid[k], grid[k + 1])
        for k in np.flatnonzero(height[:-1] * height[1:] < 0.0)
    ]
    return m, np.sort(np.r_[np.linspace(0.0, END, 16), flat]), found.sol


@pytest.mark.filterwarnings("ignore::pytrammel.errors.RunWarning")
@pytest.mark.parametrize("formulation, constraints", [
    ("cartesian", "projection"), ("joint", "projection"), ("relative", "baumgarte"), ("points", "none"), ("cartesian", "penalty"),
])  # fmt: skip
@pytest.mark.parametrize("method", ["default", "radau5", "adams", "esdirk43", "gbs12"])
def test_all_speeds_and_energies_are_right_in_change_points_of_many_loops(method, formulation, constraints):
    """In the change point each crank could turn at another speed, and what is recorded must be of one state."""
    for seed in range(3):
        m, times, truth = coupled_wheels(seed)
        r = m.simulate(
            times=times,
            method=method,
            formulation=formulation,
            constraints=constraints,
            rtol=1e-9,
            atol=1e-9,
            progress=False,
        )
        angle, speed = truth(times)
        for name in (name for name in m.bodies if name.startswith("c")):
            np.testing.assert_allclose(r[name].phi, angle, rtol=0, atol=1e-6)  # as above
            np.testing.assert_allclose(r[name].omega, speed, rtol=0, atol=2e-3 * np.abs(speed).max())
        assert np.abs(r.energy.balance).max() < 1e-4 * np.ptp(r.energy.kinetic)


def equal_slider_crank(seed: int) -> tuple[tm.PlanarModel, np.ndarray, np.ndarray]:
    """A crank and a rod of the same length, whose slider passes the crank's pin, and the crank's angle by Lagrange's equation."""
    g = np.random.default_rng([8, seed])
    a, (mc, mr, ms) = g.uniform(0.3, 1.0), g.uniform(0.3, 2.0, 3)
    start, spin = g.uniform(0.3, 1.2), g.uniform(6.0, 9.0) * g.choice([-1, 1])
    ic, ir, push = mc * a * a / 12, mr * a * a / 12, G * a * (mc + mr) / 2

    def rates(_t: float, y: np.ndarray) -> list[float]:
        s, c = math.sin(y[0]), math.cos(y[0])
        inertia = ic + mc * a * a / 4 + ir + mr * a * a * (2.25 * s * s + 0.25 * c * c) + 4 * ms * a * a * s * s
        return [y[1], -(push * c + (2 * mr + 4 * ms) * a * a * s * c * y[1] ** 2) / inertia]

    found = solve_ivp(rates, (0, END), [start, spin], "DOP853", rtol=1e-12, atol=1e-13, dense_output=True).sol
    grid = np.linspace(0.0, END, 501)
    level = np.cos(found(grid)[0])
    flat = [
        brentq(lambda t: math.cos(found(t)[0]), grid[k], grid[k + 1])
        for k in np.flatnonzero(level[:-1] * level[1:] < 0.0)
    ]
    s, c, m = math.sin(start), math.cos(start), tm.PlanarModel("slider")
    end = (2 * a * c, 0.0)
    m.body(
        "crank", position=(a * c / 2, a * s / 2), angle=start, mass=mc, inertia=ic, omega=spin,
        velocity=(-a * s / 2 * spin, a * c / 2 * spin),
    )  # fmt: skip
    m.body(
        "rod", position=(1.5 * a * c, a * s / 2), angle=-start, mass=mr, inertia=ir, omega=-spin,
        velocity=(-1.5 * a * s * spin, a * c / 2 * spin),
    )  # fmt: skip
    m.body("slider", position=end, mass=ms, inertia=0.01, velocity=(-2 * a * s * spin, 0.0))
    m.revolute("A", m.ground, "crank", at=(0, 0))
    m.revolute("B", "crank", "rod", at=(a * c, a * s))
    m.revolute("C", "rod", "slider", at=end)
    m.prismatic("D", m.ground, "slider", at=(0, 0), axis=(1, 0))
    times = np.sort(np.r_[np.linspace(0.0, END, 16), flat])
    return m, times, found(times)[0]


@pytest.mark.filterwarnings("ignore::pytrammel.errors.RunWarning")
@pytest.mark.parametrize("formulation", ["cartesian", "joint", "relative", "points"])
@pytest.mark.parametrize("method", ["default", "radau5", "bdf", "scipy_lsoda"])
def test_a_slider_passes_the_pin_of_an_equally_long_crank(method, formulation):
    for seed in range(2):
        m, times, angle = equal_slider_crank(seed)
        r = m.simulate(times=times, method=method, formulation=formulation, rtol=1e-9, atol=1e-9, progress=False)
        np.testing.assert_allclose(r["crank"].phi, angle, rtol=0, atol=1e-5)  # bdf: 1e-9 over some 1000 steps
        np.testing.assert_allclose(r["rod"].phi, -angle, rtol=0, atol=1e-5)


def parallelogram_in_space(seed: int, joint: str) -> tuple[tm.SpatialModel, np.ndarray, Any]:
    """A parallelogram in a random plane of space, the last joint of another kind, and the pendulum that its crank is."""
    g = np.random.default_rng([9, seed])
    axes = np.linalg.qr(g.normal(size=(3, 3)))[0]
    axes *= np.sign(np.linalg.det(axes))
    shift, (a, d) = g.uniform(-1.0, 1.0, 3), g.uniform(0.5, 1.5, 2)
    mass, bar = g.uniform(0.4, 2.0, 2)
    start, spin = g.uniform(0.5, math.pi - 0.5), g.uniform(5.0, 7.0) * g.choice([-1, 1])
    inertia, push = 2 * mass * a * a / 3 + bar * a * a, G * a * (mass + bar)
    found = solve_ivp(
        lambda t, y: [y[1], -push / inertia * math.cos(y[0])], (0, END), [start, spin], "DOP853", rtol=1e-12, atol=1e-13,
        dense_output=True,
    ).sol  # fmt: skip
    grid = np.linspace(0.0, END, 501)
    height = np.sin(found(grid)[0])
    flat = [
        brentq(lambda t: math.sin(found(t)[0]), grid[k], grid[k + 1])
        for k in np.flatnonzero(height[:-1] * height[1:] < 0.0)
    ]

    def along(z: complex) -> Any:
        return axes @ (z.real, z.imag, 0.0)

    c, s, tip = math.cos(start), math.sin(start), cmath.rect(a, start)
    m = tm.SpatialModel("parallelogram", gravity=tuple(axes @ (0.0, -G, 0.0)))
    for name, base in (("crank", 0.0), ("rocker", d)):
        m.body(
            name, position=shift + along(base + tip / 2), rotation=axes @ [[c, -s, 0], [s, c, 0], [0, 0, 1]], mass=mass,
            inertia=(0.01, mass * a * a / 12, mass * a * a / 12), velocity=along(1j * spin * tip / 2), omega=(0, 0, spin),
        )  # fmt: skip
        m.revolute("A" if name == "crank" else "D", m.ground, name, at=shift + along(base + 0j), axis=axes[:, 2])
    m.body(
        "coupler", position=shift + along(tip + d / 2), rotation=axes, mass=bar, inertia=(0.01, 0.3, 0.3),
        velocity=along(1j * spin * tip),
    )  # fmt: skip
    m.revolute("B", "crank", "coupler", at=shift + along(tip), axis=axes[:, 2])
    more = {} if joint == "spherical" else {"axis": axes[:, 2]}
    getattr(m, joint)("C", "rocker", "coupler", at=shift + along(tip + d), **more)
    return m, np.sort(np.r_[np.linspace(0.0, END, 16), flat]), found


@pytest.mark.filterwarnings("ignore::pytrammel.errors.RunWarning")
@pytest.mark.parametrize("options", [
    {}, {"formulation": tm.formulations.cartesian(rotations="rates")},
    {"formulation": tm.formulations.cartesian(rotations="rates", normalize="position")},
    {"constraints": "baumgarte"}, {"formulation": "joint"}, {"formulation": "I"},
], ids=str)  # fmt: skip
@pytest.mark.parametrize("method", ["default", "radau5", "scipy_dop853"])
@pytest.mark.parametrize("joint", ["revolute", "spherical", "cylindrical"])
def test_parallelograms_in_space_pass_their_flat_positions(joint, method, options):
    """Rates of Euler parameters must have followed the bodies across."""
    m, times, truth = parallelogram_in_space(0, joint)
    r = m.simulate(times=times, method=method, rtol=1e-9, atol=1e-9, progress=False, **options)
    angle, speed = truth(times)
    for name in ("A", "D"):
        np.testing.assert_allclose(r[name].angle - r[name].angle[0], angle - angle[0], rtol=0, atol=2e-6)
    turning = np.linalg.norm(r["crank"].omega, axis=1)
    np.testing.assert_allclose(turning, np.abs(speed), rtol=0, atol=2e-3 * np.abs(speed).max())  # as above
    assert np.abs(r.energy.balance).max() < 1e-4 * np.ptp(r.energy.kinetic)
