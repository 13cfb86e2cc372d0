"""What begins and ends within one step: friction that exceeds its limit for a moment, and events, for every method of integration."""

from __future__ import annotations

import math

import numpy as np
import pytest

import pytrammel as tm

OWN = {name: m for name, m in tm.methods.items() if m.back_end is None}
CONTROLLED = [
    name for name, m in OWN.items() if not m.fixed and name not in ("auto", "default")
]  # fmt: skip
MASS, LIMIT = 2.0, 0.2 * 2.0 * 9.81
SLOWLY = 1e-5  # stick speed [m/s]: where friction is below its limit, some thousandth of the fastest slide


def block(amplitude, frequency, *, spin=False):
    """A body on a line (or on a pin with the same inertia) that sticks up to 3.924 N (N m) under a load amplitude sin(frequency t)."""
    load = f"{amplitude!r}*sin({frequency!r}*t)"
    if spin:
        m = tm.PlanarModel("pin")
        m.body("b", mass=1.0, inertia=MASS)
        m.revolute("A", "ground", "b", at=(0, 0))
        m.stick_slip("F", "A.angle", normal=LIMIT, friction=1.0, stick_speed=SLOWLY)
        m.motor("P", first="ground", second="b", torque=load)
        return m
    m = tm.PlanarModel("block")
    m.body("b", mass=MASS, inertia=1.0)
    m.prismatic("A", "ground", "b", at=(0, 0), axis=(1, 0))
    m.stick_slip("F", "b.x", normal=5.0 * LIMIT, friction=0.2, stick_speed=SLOWLY)
    m.force("P", m["b"].at(0, 0), (load, "0"))
    return m


def slide(amplitude, frequency):
    """Begin and way of the first slide: m v' = amplitude sin(frequency t) - limit from the instant at which that is zero, until v = 0."""
    begin = math.asin(LIMIT / amplitude) / frequency

    def speed(t):
        swing = (math.cos(frequency * begin) - math.cos(frequency * t)) / frequency
        return (amplitude * swing - LIMIT * (t - begin)) / MASS

    low, high = math.pi / frequency - begin, math.pi / frequency + begin
    for _ in range(80):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if speed(middle) > 0.0 else (low, middle)
    rise = math.sin(frequency * low) - math.sin(frequency * begin)
    way = amplitude / frequency * (math.cos(frequency * begin) * (low - begin) - rise / frequency)
    return begin, (way - 0.5 * LIMIT * (low - begin) ** 2) / MASS


def windows():
    """Loads that exceed the limit for 6 to 84 ms, once within a run of a little more than half a period."""
    rng = np.random.default_rng(4)
    yield 4.1, 7.0
    for _ in range(2):
        yield LIMIT * (1.0 + 10.0 ** rng.uniform(-2.0, -1.2)), float(rng.uniform(7.0, 20.0))


@pytest.mark.parametrize("spin", [False, True], ids=["line", "pin"])
@pytest.mark.parametrize("method", CONTROLLED)
def test_a_short_slide_is_not_missed(method, spin):
    for amplitude, frequency in windows():
        begin, way = slide(amplitude, frequency)
        end = (math.pi + 1.2) / frequency
        r = block(amplitude, frequency, spin=spin).simulate(
            times=[0.0, begin - 1e-3 / frequency, end], method=method, rtol=1e-7, progress=False
        )
        moved = r["b"].phi if spin else r["b"].x
        fastest = amplitude / frequency / MASS
        # below the stick speed friction is less than its limit: the slide is longer by some stick speeds times its duration
        assert abs(moved[1]) < 1e-9
        assert moved[2] == pytest.approx(way, abs=30.0 * SLOWLY / frequency + 1e-6 * fastest)
        assert way > 0.0


@pytest.mark.parametrize("formulation", ["joint", "relative", "points"])
@pytest.mark.parametrize("spin", [False, True], ids=["line", "pin"])
@pytest.mark.parametrize("method", ["dop853", "bs32", "radau5", "adams", "bdf"])
def test_a_short_slide_in_fewer_coordinates(method, spin, formulation):
    """Steps that are taken back go on from the same coordinates: the history of a multistep method lies in them."""
    for amplitude, frequency in windows():
        begin, way = slide(amplitude, frequency)
        r = block(amplitude, frequency, spin=spin).simulate(
            times=[0.0, begin - 1e-3 / frequency, (math.pi + 1.2) / frequency], method=method, formulation=formulation, rtol=1e-7,
            progress=False,
        )  # fmt: skip
        moved = r["b"].phi if spin else r["b"].x
        assert abs(moved[1]) < 1e-9
        assert moved[2] == pytest.approx(way, abs=30.0 * SLOWLY / frequency + 1e-6 * amplitude / frequency / MASS)


@pytest.mark.parametrize("rtol", [1e-2, 1e-3])
@pytest.mark.parametrize("method", ["radau5", "esdirk43", "trbdf2", "bdf"])
def test_a_short_slide_at_a_loose_tolerance(method, rtol):
    """Implicit steps as long as the slide damp friction and their estimated error: radau5 did not move at all."""
    for amplitude, frequency in ((4.1, 7.0), (7.0, 12.0)):
        begin, way = slide(amplitude, frequency)
        end = math.pi / frequency + begin
        r = block(amplitude, frequency).simulate(times=[0.0, begin, end], method=method, rtol=rtol, progress=False)
        assert r["b"].x[-1] == pytest.approx(way, rel=20.0 * rtol)


# methods with steps of a given length: they pass through friction that rises within 2e-5 m/s, and stop where it falls
ONE_STEP = [
    name for name, m in OWN.items() if m.fixed and m.order >= 2 and name in ("heun", "midpoint", "rk4", "ralston")
]
STARTED = [f"{family}{k}" for family in ("ab", "abm") for k in (3, 4, 5, 6)]
# implicit ones whose equations must be solved although no step of theirs may become shorter
SOLVED = [f"{family}{k}" for family in ("am", "bdf") for k in range(2, 7)]


@pytest.mark.parametrize("spin", [False, True], ids=["line", "pin"])
@pytest.mark.parametrize("method", [*ONE_STEP, *STARTED])
def test_a_short_slide_by_steps_of_a_given_length(method, spin):
    """Slides of 9 to 80 steps: with whole first and last steps rk4 erred by 6 to 120 %."""
    for amplitude, frequency in ((4.1, 7.0), (5.0, 9.0), (7.0, 12.0)):
        begin, way = slide(amplitude, frequency)
        r = block(amplitude, frequency, spin=spin).simulate(
            times=[0.0, begin - 1e-3 / frequency, math.pi / frequency + begin], method=tm.methods[method](step=0.004), progress=False
        )  # fmt: skip
        moved = r["b"].phi if spin else r["b"].x
        # methods of order 2 and 3 take 20 steps for the slide: some thousandths of its length
        assert abs(moved[1]) < 1e-9
        assert moved[2] == pytest.approx(way, rel=0.02, abs=30.0 * SLOWLY / frequency)


@pytest.mark.parametrize("spin", [False, True], ids=["line", "pin"])
@pytest.mark.parametrize("method", SOLVED)
def test_a_short_slide_by_implicit_steps_of_a_given_length(method, spin):
    """Iterations did not converge where sliding begins (bdf) or ends (am), with any length of steps."""
    for amplitude, frequency, length in ((4.1, 7.0, 0.004), (3.96, 11.0, 0.004), (7.0, 12.0, 0.001)):
        begin, way = slide(amplitude, frequency)
        end = math.pi / frequency + begin
        r = block(amplitude, frequency, spin=spin).simulate(
            times=[0.0, begin - 1e-3 / frequency, end], method=tm.methods[method](step=length), progress=False
        )  # fmt: skip
        moved = r["b"].phi if spin else r["b"].x
        assert abs(moved[1]) < 1e-9
        assert moved[2] == pytest.approx(way, rel=0.02, abs=30.0 * SLOWLY / frequency)  # as above


@pytest.mark.parametrize("method", ["rk4", "heun", "abm4"])
def test_friction_that_turns_inside_a_step_keeps_its_work(method):
    """A block swings on a spring and sticks in the end: each half swing is shorter by 2 mu g / w^2."""
    m = tm.PlanarModel("swing")
    m.body("b", mass=1.0, inertia=1.0, position=(0.31, 0.0))
    m.prismatic("A", "ground", "b", at=(0, 0), axis=(1, 0))
    m.spring("S", m.ground.at(-1, 0), m["b"].at(0, 0), stiffness=100.0, free_length=1.0)
    m.stick_slip("F", "b.x", normal=9.81, friction=0.2, stick_speed=SLOWLY)
    loss = 2.0 * 0.2 * 9.81 / 100.0
    r = m.simulate(times=np.arange(9) * math.pi / 10.0, method=tm.methods[method](step=0.004), progress=False)
    expected = [0.31]
    while abs(expected[-1]) > 0.5 * loss:
        expected.append(-math.copysign(1.0, expected[-1]) * (abs(expected[-1]) - loss))
    expected += [expected[-1]] * (9 - len(expected))
    np.testing.assert_allclose(r["b"].x, expected, atol=1e-4)


@pytest.mark.parametrize("method", ["radau5", "esdirk43", "dop853"])
def test_a_block_below_its_limit_does_not_move(method):
    r = block(0.999 * LIMIT, 7.0).simulate(1.5, samples=4, method=method, progress=False)
    assert np.abs(r["b"].x).max() < 1e-12


@pytest.mark.parametrize("method", OWN)
def test_an_event_that_begins_and_ends_within_a_step_stops_the_run(method):
    """A body at a constant speed passes a place within a hundredth of a step: 1e-6 m on both sides of it count."""
    rng = np.random.default_rng(2)
    for _ in range(3):
        place, reach = float(rng.uniform(0.2, 0.8)), 10.0 ** float(rng.uniform(-4.0, -2.5))
        m = tm.PlanarModel("passing")
        m.body("b", mass=1.0, inertia=1.0, velocity=(1.0, 0.0))
        m.prismatic("A", "ground", "b", at=(0, 0), axis=(1, 0))
        stop = tm.Event("there", f"(b.x-{place!r})^2 - {reach!r}^2", stop=True)
        chosen = tm.methods[method](step=0.1) if OWN[method].fixed and not OWN[method].can_control else method
        r = m.simulate(1.0, samples=3, method=chosen, events=[stop], progress=False)
        assert r.times[-1] == pytest.approx(place - reach, abs=1e-8)
