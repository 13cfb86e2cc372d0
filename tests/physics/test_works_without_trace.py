"""Forces whose works leave no trace in the motion: they cancel each other, so that a method takes steps that are too long for them."""

from __future__ import annotations

import numpy as np
import pytest

import pytrammel as tm

CONTROLLED = [name for name, m in tm.methods.items() if m.back_end is None and (not m.fixed or m.can_control)]
SAMPLES = 41


def wheel(speed, torque, frequency):
    """A free wheel at a constant speed, turned by two motors that cancel each other."""
    m = tm.PlanarModel("wheel")
    m.body("w", mass=2.0, inertia=0.5, omega=speed)
    m.revolute("A", "ground", "w", at=(0, 0))
    m.motor("M", first="ground", second="w", torque=f"{torque}*sin({frequency}*t)")
    m.motor("N", first="ground", second="w", torque=f"-{torque}*sin({frequency}*t)")
    return m


def slide(speed, force, wave):
    """A body at a constant speed along a line, between two forces that change with its place and cancel each other."""
    m = tm.PlanarModel("slide")
    m.body("b", mass=2.0, inertia=0.5, velocity=(speed, 0.0))
    m.prismatic("A", "ground", "b", at=(0, 0), axis=(1, 0))
    m.user_force("M", "b.x", f"{force}*sin({wave}*b.x)")
    m.user_force("N", "b.x", f"-{force}*sin({wave}*b.x)")
    return m


def cases(count):
    """Random numbers for both models: amplitude, and how often it changes its sign in a second, up to a hundred times."""
    rng = np.random.default_rng(11)
    for _ in range(count):
        yield rng.uniform(0.5, 3.0), rng.uniform(1.0, 50.0), 10.0 ** rng.uniform(1.0, 2.5)


def check(model, speed, amplitude, rate, **options):
    """Both works against the integral of amplitude sin(rate s) ds along the path s = speed t, in units of what the tolerance allows."""
    r = model.simulate(2.0, samples=SAMPLES, progress=False, **options)
    per_second = rate if model.name == "wheel" else rate * speed
    work = amplitude * speed / per_second * (1.0 - np.cos(per_second * r.times))
    energy = 0.25 * speed**2 + 4.0 * np.abs(work).max() + 10.0
    allowed = options["rtol"] * energy * max(10, r.dynamics.statistics.steps)
    found = r.dynamics.work
    assert np.abs(found[:, 0] - work).max() <= allowed
    assert np.abs(found[:, 1] + work).max() <= allowed
    assert np.abs(r.energy.balance).max() <= allowed
    assert r.warnings == ()


@pytest.mark.parametrize("rtol", [1e-6, 1e-9])
@pytest.mark.parametrize("method", CONTROLLED)
def test_works_that_cancel_are_as_accurate_as_the_motion(method, rtol):
    if rtol < 1e-7 and tm.methods[method].order <= 2:
        pytest.skip("a method of order 2 takes some 100,000 steps")
    for speed, amplitude, rate in cases(3):
        for build in (wheel, slide):
            check(build(speed, amplitude, rate), speed, amplitude, rate, method=method, rtol=rtol, atol=1e-2 * rtol)


@pytest.mark.parametrize("method", ["scipy_dop853", "scipy_lsoda", "scipy_radau", "scipy_bdf"])
def test_works_by_solvers_of_others(method):
    for speed, amplitude, rate in cases(2):
        for build in (wheel, slide):
            check(build(speed, amplitude, rate), speed, amplitude, rate, method=method, rtol=1e-8, atol=1e-10)


@pytest.mark.parametrize("formulation", ["joint", "relative", "points"])
@pytest.mark.parametrize("method", ["default", "radau5", "adams", "scipy_bdf"])
def test_works_in_fewer_coordinates(method, formulation):
    for speed, amplitude, rate in cases(2):
        model = wheel(speed, amplitude, rate)
        check(model, speed, amplitude, rate, method=method, rtol=1e-8, atol=1e-10, formulation=formulation)


@pytest.mark.parametrize("method", CONTROLLED)
def test_steps_do_not_depend_on_works_that_cancel(method):
    """The works are integrated along the same motion: with and without the motors it has the same bits."""
    ((speed, amplitude, rate),) = cases(1)
    free = tm.PlanarModel("wheel")
    free.body("w", mass=2.0, inertia=0.5, omega=speed)
    free.revolute("A", "ground", "w", at=(0, 0))
    alone = free.simulate(1.0, samples=5, rtol=1e-6, method=method, progress=False)
    both = wheel(speed, amplitude, rate).simulate(1.0, samples=5, rtol=1e-6, method=method, progress=False)
    assert both.dynamics.statistics.steps == alone.dynamics.statistics.steps
    np.testing.assert_array_equal(both.q, alone.q)
