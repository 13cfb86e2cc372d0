"""Runs that end at a dead point: the error states where the drivers stand, the partial result is complete, and its passages are true."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import pytrammel as tm
from mechanisms import four_bar

CRANK, COUPLER, ROCKER, BASE = 2.0, 1.0, 1.2, 2.5
# cosine rule: coupler and rocker lie on one line
DEAD = math.acos((CRANK**2 + BASE**2 - (COUPLER + ROCKER) ** 2) / (2.0 * CRANK * BASE))
START, SPEED = 0.3, 0.5
SHIFTED = f"{START} + {SPEED}*t"


def bars(drive: str | None = None, motion: Any = None) -> tm.PlanarModel:
    return four_bar(CRANK, COUPLER, ROCKER, BASE, crank=START, drive=drive, motion=motion)


def by(quantity: Callable[[tm.PlanarModel], Any], motion: Any = SHIFTED) -> tm.PlanarModel:
    m = bars()
    m.driver("motor", quantity(m), motion)
    return m


TABLE = tm.functions.Table("lift", [0.0, 1.0, 2.0, 3.0], [START + SPEED * t for t in (0.0, 1.0, 2.0, 3.0)])
PLANAR = {
    "coordinate": (lambda: bars("crank.phi", SHIFTED), DEAD),
    "joint angle": (lambda: by(lambda m: m["A"].angle), DEAD),
    "difference of angles": (lambda: by(lambda m: m.angle_between(m.ground, m["crank"])), DEAD),
    "table": (lambda: by(lambda m: m["crank"].phi, TABLE), DEAD),
    "programme": (
        lambda: by(
            lambda m: m["crank"].phi, tm.profiles.motion(START, [tm.profiles.rise(START + 3 * SPEED, 3.0, "uniform")])
        ),
        DEAD,
    ),
    "height of a point": (
        lambda: by(lambda m: m["crank"].at(CRANK / 2, 0).y, f"{CRANK}*sin({SHIFTED})"),
        DEAD,
    ),
    "distance": (
        lambda: by(
            lambda m: m.distance(m["crank"].at(CRANK / 2, 0), m.ground.at(BASE, 0)),
            f"sqrt({CRANK**2 + BASE**2} - {2 * CRANK * BASE}*cos({SHIFTED}))",
        ),
        DEAD,
    ),
}


def stopped(model: tm.Model, **options: Any) -> tm.SingularError:
    with pytest.raises(tm.SingularError) as caught:
        model.kinematics(3.0, progress=False, **options)
    return caught.value


def check(error: tm.SingularError, time: float, step: float) -> None:
    partial = error.partial
    assert isinstance(partial, tm.results.Result)
    assert len(partial) == math.floor(time / step) + 1
    last = partial.singularities[-1]
    assert last.kind == "dead point"
    # a dead point is a square root in time: Newton's method cannot come nearer than that of its accuracy
    assert last.time == pytest.approx(time, abs=1e-6)
    assert all(each.kind == "change point" for each in partial.singularities[:-1])
    assert "passed" not in str(last)
    assert str(last) in partial.summary()
    assert f"t = {time:.3g}"[:-1] in str(error)


@pytest.mark.parametrize("formulation", ["cartesian", "joint"])
@pytest.mark.parametrize("kind", PLANAR)
def test_every_kind_of_driver_ends_at_the_dead_point(kind, formulation):
    build, dead = PLANAR[kind]
    for samples in (2, 4, 61, 301):
        error = stopped(build(), samples=samples, formulation=formulation)
        check(error, (dead - START) / SPEED, 3.0 / (samples - 1))


@pytest.mark.parametrize("formulation", ["cartesian", "joint"])
@pytest.mark.parametrize("name", ["crank.phi", "A.angle"])
def test_independent_coordinates_end_at_the_dead_point(name, formulation):
    error = stopped(bars(), samples=61, prescribed={name: SHIFTED}, formulation=formulation)
    check(error, (DEAD - START) / SPEED, 0.05)


@pytest.mark.parametrize("formulation", ["cartesian", "joint"])
@pytest.mark.parametrize("sequence", ["xyz", "zxz", "zyx"])
def test_an_orientation_driver_ends_at_the_dead_point(sequence, formulation):
    m = tm.SpatialModel("arm and slider")
    m.body("arm")
    m.body("slider", position=(1.5, 0, 0))
    m.spherical("S", m.ground, "arm", at=(0, 0, 0))
    m.prismatic("P", m.ground, "slider", at=(1.5, 0, 0), axis=(1, 0, 0))
    m.link("L", m["arm"].at(1, 0, 0), m["slider"].at(0, 0, 0))  # of 0.5 m
    angles = [0.0, 0.0, 0.0]
    angles[sequence.index("z")] = "0.5*t"
    m.orientation_driver("hand", "arm", angles, sequence=sequence)
    error = stopped(m, samples=61, formulation=formulation)
    check(error, math.asin(0.5) / 0.5, 0.05)  # the arm's tip is a link's length off the guide
    assert "30.0000°" in str(error) and "arm" in str(error)


def test_a_run_that_ends_in_a_singular_position_has_not_passed_it():
    m = four_bar(1.0, 2.0, 1.0, 2.0, crank=0.5, motion=f"0.5 + t*{(math.pi - 0.5)!r}")
    r = m.kinematics(1.0, samples=11, progress=False)
    (last,) = r.singularities
    assert last.bridged or last.kind == "end"  # a bridge looks a little beyond the last output time
    assert last.time == pytest.approx(1.0, abs=1e-6)
    assert "passed" not in str(last)


@pytest.mark.parametrize("formulation", ["cartesian", "joint"])
@pytest.mark.parametrize("seed", range(6))
def test_dead_points_of_random_four_bars_are_where_coupler_and_rocker_are_in_line(seed, formulation):
    g = np.random.default_rng(seed)
    crank, base = g.uniform(1.5, 2.5, 2)
    start = g.uniform(0.4, 0.8)
    reach = math.sqrt(crank**2 + base**2 - 2 * crank * base * math.cos(start + g.uniform(0.2, 0.6)))
    coupler = reach * g.uniform(0.4, 0.6)
    m = four_bar(crank, coupler, reach - coupler, base, crank=start, motion=f"{start!r} + 0.5*t")
    dead = math.acos((crank**2 + base**2 - reach**2) / (2 * crank * base))
    check(stopped(m, samples=61, formulation=formulation), (dead - start) / 0.5, 0.05)


SIMULATIONS = [
    {"method": "auto"},
    {"method": "radau5"},
    {"method": "bdf"},
    {"method": "dopri5"},
    {"method": tm.methods.rk4(step=2e-3)},
    {"constraints": "baumgarte"},
    {"formulation": "joint"},
    {"formulation": "relative"},
]


@pytest.mark.sampled(5)
@pytest.mark.parametrize("options", SIMULATIONS, ids=lambda o: str(next(iter(o.values()))))
@pytest.mark.parametrize("seed", range(2))
def test_a_simulation_ends_at_the_dead_point_of_its_drivers(seed, options):
    """Whether steps come up to the dead point or are lost beyond it: it has not been passed, and tolerances are not to blame."""
    g = np.random.default_rng(100 + seed)
    crank, base = g.uniform(1.5, 2.5, 2)
    start = g.uniform(0.4, 0.8)
    reach = math.sqrt(crank**2 + base**2 - 2 * crank * base * math.cos(start + g.uniform(0.2, 0.4)))
    coupler = reach * g.uniform(0.4, 0.6)
    m = four_bar(crank, coupler, reach - coupler, base, crank=start, motion=f"{start!r} + 0.5*t")
    m = m.copy(changes={name: {"mass": 1.0, "inertia": 0.1} for name in list(m.bodies)[1:]})
    time = (math.acos((crank**2 + base**2 - reach**2) / (2 * crank * base)) - start) / 0.5
    with pytest.raises(tm.ConvergenceError, match="dead point") as caught:
        m.simulate(3.0, samples=61, progress=False, **options)
    assert "rtol" not in str(caught.value)
    partial = caught.value.partial
    assert isinstance(partial, tm.results.Result) and len(partial) == math.floor(time / 0.05) + 1
    (last,) = partial.singularities
    assert last.kind == "dead point" and str(last) in partial.summary()
    # steps become shorter towards it and end a little before
    assert last.time == pytest.approx(time, abs=1e-3)


@pytest.mark.parametrize("formulation", ["cartesian", "joint"])
@pytest.mark.parametrize("samples", [2, 21, 100])
def test_every_analysis_along_a_motion_has_its_change_points(formulation, samples):
    """A parallelogram lies flat at every half turn of its crank."""
    m = four_bar(1.0, 2.0, 1.0, 2.0, crank=0.5, motion="0.5 + 2*t")
    m = m.copy(changes={name: {"mass": 1.0, "inertia": 0.1} for name in list(m.bodies)[1:]})
    flat = [(k * math.pi - 0.5) / 2.0 for k in (1, 2)]
    for verb in ("kinematics", "inverse_dynamics"):
        r = getattr(m, verb)(4.0, samples=samples, formulation=formulation, progress=False)
        assert [p.kind for p in r.singularities] == ["change point"] * 2
        assert [p.time for p in r.singularities] == pytest.approx(flat, abs=1e-6)
        assert all(str(p) in r.summary() for p in r.singularities)
