"""Open curves in a simulation: the run stops at their ends with a sentence, or does there what an event says."""

from __future__ import annotations

import math

import numpy as np
import pytest

import pytrammel as tm
from pytrammel.analysis.events.curve_ends import nearest_end
from pytrammel.system.lowering import lower

G = 9.81


def bead(curve, start, **given):
    """A bead under gravity on a curve fixed to the ground."""
    m = tm.PlanarModel("bead")
    m.body("b", position=tuple(float(x) for x in curve.point(start)), mass=0.5, inertia=0.01, **given)
    m.constrain("upright", "b.phi", value=0.0)
    m.slot("S", "ground", "b", curve=curve, at=tuple(float(x) for x in curve.point(start)))
    return m


def slope(length, angle, start):
    """A straight slot that falls at an angle, from the origin; the parameter is the length along it."""
    end = (length * math.cos(angle), -length * math.sin(angle))
    return bead(tm.curves.line((0.0, 0.0), end), start * length)


@pytest.mark.parametrize("length, angle, start", [(1.0, 0.5, 0.0), (0.3, 1.2, 0.4), (2.0, 0.1, 0.9)])
def test_a_bead_that_slides_off_its_slope_stops_the_run_at_the_end(length, angle, start):
    """It gets there after sqrt(2 s / g sin a), and the partial result ends with that instant."""
    m = slope(length, angle, start)
    due = math.sqrt(2.0 * (1.0 - start) * length / (G * math.sin(angle)))
    with pytest.raises(
        tm.SingularError, match=rf"slot 'S': the pin leaves its curve at t = .* runs from 0 to {length:g}\)"
    ) as stopped:
        m.simulate(3.0 * due, samples=31)
    r = stopped.value.partial
    assert r.times[-1] == pytest.approx(due, rel=1e-6)
    assert r["S"].parameter[-1] == pytest.approx(length, abs=1e-6)
    assert r["S"].parameter.max() < length * (1.0 + 1e-8)
    assert f"{len(r)} instants were computed (error.partial), 31 were asked for" in str(stopped.value)


def test_the_sentence_offers_what_works():
    """The condition it names, typed as it stands: with stop the run ends there, with release the bead flies on as a parabola."""
    m = slope(1.0, 0.5, 0.0)
    with pytest.raises(tm.SingularError) as stopped:
        m.simulate(1.0)
    text = str(stopped.value)
    assert 'when="S.parameter - 1.0" and stop=True' in text and 'release=["S"]' in text
    due = math.sqrt(2.0 / (G * math.sin(0.5)))
    ended = m.simulate(1.0, samples=21, events=[tm.Event("end", "S.parameter - 1", stop=True)])
    assert ended.times[-1] == pytest.approx(due, abs=1e-8)
    free = m.simulate(1.5, samples=16, events=[tm.Event("off", "S.parameter - 1", release=["S"])])
    late = free.times > due
    t, v = free.times[late] - due, G * math.sin(0.5) * due
    np.testing.assert_allclose(free["b"].x[late], (1.0 + v * t) * math.cos(0.5), atol=1e-6)
    np.testing.assert_allclose(free["b"].y[late], -(1.0 + v * t) * math.sin(0.5) - 0.5 * G * t**2, atol=1e-6)
    assert free.reaction("S").magnitude[late].max() == 0.0
    assert free.reaction("S").magnitude[~late] == pytest.approx(0.5 * G * math.cos(0.5), rel=1e-6)
    assert np.abs(free.energy.balance).max() < 1e-7 and free.warnings == ()
    assert free.events[0].velocity_jump < 1e-12  # to let go is no blow


@pytest.mark.parametrize("seed", range(6))
def test_nothing_ever_moves_beyond_the_end_of_a_random_curve(seed):
    """Arcs of random valleys: energy says whether a bead reaches the other end; either all instants are inside or the run stops."""
    rng = np.random.default_rng(seed)
    a, tilt, start = rng.uniform(0.2, 1.0), rng.uniform(-0.3, 0.3), rng.uniform(-0.95, 0.95)
    valley = tm.curves.analytic("u", f"{a!r}*u^2 + {tilt!r}*u", -1.0, 1.0)
    m = bead(valley, start)
    height = lambda u: a * u**2 + tilt * u  # noqa: E731
    # it climbs to where it began on the other side of the lowest place, unless that is beyond the end
    other = -tilt / a - start
    leaves = abs(other) > 1.0
    if leaves:
        with pytest.raises(tm.SingularError, match="the pin leaves its curve") as stopped:
            m.simulate(6.0, samples=121)
        r = stopped.value.partial
        end = math.copysign(1.0, other)
        speed = math.sqrt(2.0 * G * (height(start) - height(end)))
        assert np.linalg.norm(r["b"].velocity[-1]) == pytest.approx(speed, rel=1e-5)
        assert r["S"].parameter[-1] == pytest.approx(end, abs=1e-6)
    else:
        r = m.simulate(6.0, samples=121)
    assert np.abs(r["S"].parameter).max() < 1.0 + 1e-8


def test_a_bead_drawn_at_the_end_may_slide_inwards_but_not_outwards():
    assert slope(1.0, 0.5, 0.0).simulate(0.2).warnings == ()
    with pytest.raises(tm.SingularError, match="the pin leaves its curve at t = "):
        slope(1.0, 0.5, 1.0).simulate(0.2)


def test_a_curve_without_values_beyond_its_end_is_left_with_the_same_sentence():
    """The formula sqrt(1 - u) ends where the curve ends: steps beyond it have no value."""
    m = bead(tm.curves.analytic("u", "-1 + 0.5*sqrt(1 - u)", 0.0, 1.0), 0.2, velocity=(1.0, 0.0))
    with pytest.raises(tm.SingularError, match="slot 'S': the pin leaves its curve"):
        m.simulate(2.0)


def test_a_point_on_a_space_curve_stops_at_its_end():
    """Half a turn of a helix of radius 0.5 and lead 2: 1 m deep."""
    m = tm.SpatialModel("slide", gravity=(0.0, 0.0, -G))
    m.body("b", position=(0.5, 0.0, 0.0), mass=0.5, inertia=0.1)
    m.point_on_curve("P", "ground", "b", curve=tm.curves.helix(0.5, -2.0, turns=0.5))
    with pytest.raises(tm.SingularError, match=r"point_on_curve 'P': the pin leaves its curve") as stopped:
        m.simulate(5.0)
    r = stopped.value.partial
    assert r["b"].z[-1] == pytest.approx(-1.0, abs=1e-6)
    assert np.linalg.norm(r["b"].velocity[-1]) == pytest.approx(math.sqrt(2.0 * G), rel=1e-5)
    free = m.simulate(2.0, samples=21, events=[tm.Event("off", f"P.u - {m['P'].extras[0].high!r}", release="P")])
    assert free["b"].z[-1] < -2.0 and np.abs(free.energy.balance).max() < 1e-6


def test_release_names_joints_that_exist():
    with pytest.raises(tm.ModelError, match=r"'T' \(in release of event 'off'\)|release of event 'off'"):
        slope(1.0, 0.5, 0.0).simulate(0.1, events=[tm.Event("off", "t - 1", release=["T"])])


@pytest.mark.parametrize(
    "starts, nearest", [((0.5, 0.9), "right"), ((0.05, 0.8), "left"), ((1.1, 0.5), "left"), ((0.5, -0.3), "right")]
)
def test_the_nearest_end_is_looked_for_among_the_joints_that_act(starts, nearest):
    """How far inside, in scales of the curve: negative where the pin has left it."""
    m = tm.PlanarModel("two slots")
    for name, start, level in zip(("left", "right"), starts, (0.0, 1.0), strict=True):
        m.body(name[0], position=(0.5, level))
        m.slot(name, "ground", name[0], curve=tm.curves.line((0.0, level), (1.0, level)), at=(0.5, level))
    system = lower(m)
    q = system.start.copy()
    q[-2:] = starts
    inside = {name: min(u, 1.0 - u) for name, u in zip(("left", "right"), starts, strict=True)}
    for acting in (["left"], ["right"], ["left", "right"]):
        extra, u, far = nearest_end(system, q, acting)
        owner = extra.name.rpartition(".")[0]
        assert owner == (nearest if len(acting) == 2 else acting[0])
        assert (u, far * extra.scale) == (pytest.approx(starts[owner == "right"]), pytest.approx(inside[owner]))
    assert nearest_end(system, q, []) is None
