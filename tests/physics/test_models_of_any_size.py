"""The same mechanism hundreds of metres or micrometres long: counts, gaps, refusals and warnings do not depend on units."""

from __future__ import annotations

import math
import re
from types import SimpleNamespace

import numpy as np
import pytest

import pytrammel as tm
from pytrammel.analysis.runs import doubts
from pytrammel.errors import AssemblyError, RunWarning
from pytrammel.kernels import run as rk
from pytrammel.kernels import step_control

SIZES = [1e-5, 1e-2, 1.0, 300.0]


def cranks(size, *, count=3, off=0.0, tolerance=None, turn=0.6, **body):
    """A table on cranks of one length, the last of which is too long by a part of it."""
    pins = size * np.array([[0.0, 0.0], [0.4, 0.02], [0.2, 0.15], [0.7, -0.1]])[:count]
    given = {} if tolerance is None else {"closure_tolerance": tolerance}
    m = tm.PlanarModel("cranks", gravity=(0, 0), **given)
    tip = 0.2 * size * np.array([math.cos(turn), math.sin(turn)])
    m.body("table", position=tuple(tip), **body)
    for k, pin in enumerate(pins):
        crank = m.body(f"crank{k}", position=tuple(pin), angle=turn, **body)
        m.revolute(f"G{k}", m.ground.at(*pin), crank.at(0, 0))
        m.revolute(f"T{k}", crank.at(0.2 * size * (1.0 + off * (k == count - 1)), 0), m["table"].at(*pin))
    return m


def frames(size, count):
    """Parallelograms side by side on one ground, each with a crank too many; one of them lies flat."""
    m = tm.PlanarModel("frames")
    for k in range(count):
        turn = 0.4 + 0.03 * k
        at = size * np.array([2.0 * k, 0.0])
        tip = 0.5 * size * np.array([math.cos(turn), math.sin(turn)])
        m.body(f"table{k}", position=tuple(at + tip))
        for j, x in enumerate((0.0, 0.6, 0.9)):
            pin = at + size * np.array([x, 0.1 * x])
            m.body(f"crank{k}{j}", position=tuple(pin), angle=turn)
            m.revolute(f"G{k}{j}", "ground", f"crank{k}{j}", at=tuple(pin))
            m.revolute(f"T{k}{j}", f"crank{k}{j}", f"table{k}", at=tuple(pin + tip))
    return m


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("count", [2, 3, 4])
def test_cranks_too_many_are_redundant_and_flat_ones_singular(count, size):
    found = cranks(size, count=count).mobility()
    assert (found.dof, found.generic_dof, found.singular) == (1, 1, False)
    assert found.constraints - found.rank == count - 2
    flat = cranks(size, count=2, turn=math.atan2(0.02, 0.4)).mobility()
    assert (flat.dof, flat.generic_dof, flat.singular) == (2, 1, True)


@pytest.mark.parametrize("size", SIZES)
def test_large_models_of_any_size_have_their_freedom(size):
    """Ten of them have 120 coordinates, more than what is decomposed at once."""
    found = frames(size, 10).mobility()
    assert (found.dof, found.generic_dof, found.constraints - found.rank, found.singular) == (10, 10, 10, False)


@pytest.mark.filterwarnings("ignore::pytrammel.errors.RunWarning")
@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("off", [1e-6, 3e-5])
def test_loops_close_within_a_tolerance_in_any_unit(off, size):
    """One of four cranks is too long by `off`: joints open by about that, less is no tolerance, and messages lead to one."""
    gap = 0.2 * size * off
    loose = cranks(size, count=4, off=off, tolerance=3.0 * gap)
    assert loose.mobility().dof == 1
    with pytest.warns(RunWarning) as told:
        loose.assemble()
    stated = [float(re.search(r"open by (\S+) m", str(one.message))[1]) for one in told]
    assert 0.3 * gap < max(stated) < 1.1 * gap
    tolerance, refused = None, []
    for _ in range(4):
        try:
            cranks(size, count=4, off=off, tolerance=tolerance).assemble()
        except AssemblyError as error:
            tolerance = float(re.search(r"closure_tolerance of (\S+) m or more", str(error))[1])
            refused.append(tolerance)
    assert len(refused) == 1  # the first message names a tolerance that suffices
    assert 0.3 * gap < refused[0] < 1.2 * gap


@pytest.mark.parametrize("size", SIZES)
def test_rows_that_contradict_others_are_named_in_any_unit(size):
    m = tm.PlanarModel("held twice")
    m.body("a", position=(size, 0.0))
    m.revolute("A", "ground", "a", at=(0.0, 0.0))
    m.constrain("once", "a.x", value=0.8 * size)
    m.constrain("again", "a.x", value=0.81 * size)
    with pytest.raises(AssemblyError) as caught:
        m.assemble()
    assert "contradict" in str(caught.value) and re.search("'(once|again)'", str(caught.value))


@pytest.mark.parametrize("seed", range(6))
def test_what_is_found_from_wild_guesses_is_turned_no_further_than_needed(seed):
    """Wherever bodies are drawn, their angles end within half a turn of those."""
    random = np.random.default_rng(seed)
    m = tm.PlanarModel("five-bar")
    lengths, angles = random.uniform(0.5, 1.0, 4), random.uniform(-20.0, 20.0, 4)
    end = m.ground.at(0, 0)
    for k, length in enumerate(lengths):
        body = m.body(f"b{k}", position=tuple(3.0 * random.normal(size=2)), angle=angles[k])
        m.revolute(f"J{k}", end, body.at(0, 0))
        end = body.at(length, 0)
    m.revolute("J4", end, m.ground.at(1.1, 0.2))
    found = m.assemble()
    assert np.abs(found.q[2::3] - angles).max() <= math.pi + 1e-9


@pytest.mark.parametrize("from_flat", [0.3, 1e-3])
def test_an_instant_is_singular_against_the_largest_measure(from_flat):
    """The same instants are singular beside measures that were far larger, and are not beside smaller ones."""
    m = cranks(1.0, count=2, turn=math.atan2(0.02, 0.4) + from_flat, mass=1.0, inertia=0.1)
    result = m.simulate(times=[0.0, 1e-9], progress=False)

    def told(reference):
        control = np.zeros(64)
        control[step_control.REFERENCE] = reference
        counters = np.zeros(64)
        run = SimpleNamespace(control=control, counters=counters, redundant=())
        return [warning.kind for warning in doubts._singular_instants(run, result)]

    assert rk.SMALLEST_ANGLE < 64 and step_control.REFERENCE < 64
    assert told(1e-9) == told(1e-6) == told(1.0) == []
    assert told(1e7) == told(1e9) == ["singular position"]


@pytest.mark.parametrize("speed", [0.02, 0.5])
def test_a_block_that_stops_within_the_first_step_stops_where_it_should(speed):
    """Friction of 3 N on 2 kg, steps of 0.1 s from time zero: v² m / (2 F)."""
    m = tm.PlanarModel("block", gravity=(0, 0))
    m.body("b", mass=2.0, inertia=0.1, velocity=(speed, 0.0))
    m.prismatic("T", "ground", "b", at=(0, 0), axis=(1, 0))
    m.stick_slip("F", "b.x", friction=0.3, normal=10.0)
    for method in (tm.methods.rk4(step=0.1), "dopri5"):
        run = m.simulate(0.6, samples=7, method=method, progress=False)
        assert run["b.x"][-1] == pytest.approx(speed**2 / 3.0, rel=2e-2)


def polar_arm(size):
    """A slide on a turning base, its tip 0.9 lengths off the pivot as drawn."""
    m = tm.PlanarModel("polar", gravity=(0, 0))
    m.body("base", mass=1.0, inertia=0.1 * size**2)
    m.body("slide", position=(0.7 * size, 0), mass=2.0, inertia=0.1 * size**2)
    m.revolute("A", "ground", "base", at=(0, 0))
    m.prismatic("S", "base", "slide", at=(0, 0), axis=(1, 0))
    m.point("P", "slide", at=(0.9 * size, 0.0))
    return m


@pytest.mark.parametrize("size", SIZES)
def test_a_turning_and_sliding_arm_is_conditioned_alike_in_any_unit(size):
    """Half axes of velocities are the distance of the tip and one; conditioning is their ratio in lengths of the model."""
    reach = np.array([0.9, 0.4, 1.3]) * size
    q = np.column_stack([[0.3, -1.2, 2.0], reach - 0.9 * size])
    found = polar_arm(size).manipulability("P", q)
    exact = np.sort(np.column_stack([reach, np.ones(3)]), axis=1)[:, ::-1]
    np.testing.assert_allclose(found.velocities, exact, rtol=1e-12)
    np.testing.assert_allclose(found.index, reach, rtol=1e-12)
    plain = polar_arm(1.0).manipulability("P", q / np.array([1.0, size]))
    for name in ("conditioning", "serial", "parallel"):
        np.testing.assert_allclose(getattr(found, name), getattr(plain, name), rtol=1e-9)
    np.testing.assert_allclose(found.parallel, 1.0)


@pytest.mark.parametrize("size", SIZES)
def test_working_modes_of_any_size_are_found_and_conditioned_alike(size):
    """The tip at a point can be reached forwards and backwards, and the modes are conditioned as the tip is there."""
    m = polar_arm(size)
    target = 0.8 * size * np.array([math.cos(0.5), math.sin(0.5)])
    modes = m.working_modes("P", target, limits={"S.distance": (-3.0 * size, 3.0 * size)}, progress=False)
    assert len(modes) == 2
    angles, ways = modes["A.angle"], modes["S.distance"]
    order = np.argsort(np.cos(angles - 0.5))
    np.testing.assert_allclose(np.cos(angles - 0.5)[order], [-1.0, 1.0], atol=1e-9)
    np.testing.assert_allclose(np.diff(ways[order]), [1.6 * size], rtol=1e-7)
    serial = m.manipulability("P", modes.q).serial
    np.testing.assert_allclose(modes.conditioning, serial, rtol=1e-6)
