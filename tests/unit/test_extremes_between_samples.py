"""Extremes of results against closed forms whose peaks lie between samples."""

import importlib
import math
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pytrammel as tm
from pytrammel.results.formulas.extremes import Extremes


def disc(motion: str) -> tm.PlanarModel:
    """A disc of 2 kg m² whose angle follows a formula."""
    m = tm.PlanarModel("disc", gravity=(0, 0))
    m.body("disc", mass=1.0, inertia=2.0)
    m.revolute("A", m.ground, "disc", at=(0, 0))
    m.driver("motor", "A.angle", motion)
    return m


def bell(at: float, width: float) -> str:
    return f"exp(-((t - {at!r})/{width!r})^2)"


# largest values of exp(-x²) and of its first two derivatives: 1, sqrt(2/e), 4 exp(-3/2) and least -2
BELL = {
    "A.angle": (0.0, 1.0),
    "disc.omega": (-math.sqrt(2 / math.e), math.sqrt(2 / math.e)),
    "disc.alpha": (-2.0, 4 * math.exp(-1.5)),
}


@pytest.mark.parametrize("seed", range(5))
def test_sharp_peaks_of_kinematics_do_not_depend_on_samples(seed: int) -> None:
    """Bells of a fiftieth to a fifth of the run, with as few as 15 samples."""
    random = np.random.default_rng(seed)
    at, width = float(random.uniform(0.3, 0.7)), float(random.uniform(0.02, 0.2))
    k = disc(bell(at, width)).kinematics(duration=1.0, samples=int(random.integers(15, 120)))
    for order, (name, (low, high)) in enumerate(BELL.items()):
        found = k.extremes(name)
        assert found.maximum == pytest.approx(high / width**order, rel=1e-6)
        if order:
            assert found.minimum == pytest.approx(low / width**order, rel=1e-6)
        assert found.warnings == ()
    assert k.extremes("A.angle").maximum_time == pytest.approx(at, abs=1e-6)


def test_a_hump_between_two_samples_of_a_rising_quantity_is_found() -> None:
    """Rates are positive at all samples: 0.5 t + sin(20 pi t) sampled at every period."""
    found = disc("0.5*t + 0.05*sin(20*pi*t)").kinematics(duration=0.5, samples=6).extremes("A.angle")
    t = math.acos(-0.5 / math.pi) / (20 * math.pi)  # where 0.5 + pi cos(20 pi t) vanishes
    peak = 0.4 + t
    assert found.maximum_time == pytest.approx(peak, abs=1e-8)
    assert found.maximum == pytest.approx(0.5 * peak + 0.05 * math.sin(20 * math.pi * t), abs=1e-9)


@pytest.mark.parametrize("seed", range(4))
def test_efforts_between_samples_are_those_of_the_closed_form(seed: int) -> None:
    """Torque of inverse dynamics: 2 kg m² times the acceleration; waves of 15 to 40 samples per period."""
    random = np.random.default_rng(seed)
    speed, phase = float(random.uniform(4.0, 9.0)), float(random.uniform(0.0, 6.0))
    i = disc(f"0.3*sin({speed!r}*t + {phase!r})").inverse_dynamics(duration=2.0, samples=46)
    found, peak = i.extremes("motor.effort"), 0.6 * speed**2
    assert (found.minimum, found.maximum) == (pytest.approx(-peak, rel=1e-6), pytest.approx(peak, rel=1e-6))
    assert found.between is False
    assert i.extremes("disc.omega").maximum == pytest.approx(0.3 * speed, rel=1e-7)


@pytest.mark.parametrize("samples", [37, 101])
def test_peaks_of_an_oscillator_are_those_of_its_amplitude(samples: int) -> None:
    m = tm.PlanarModel("oscillator", gravity=(0, 0))
    m.body("b", mass=1.0, inertia=1.0, position=(0.3, 0))
    m.prismatic("guide", m.ground, "b", at=(0, 0), axis=(1, 0))
    m.spring("s", m.ground.at(-1, 0), m["b"].at(0, 0), stiffness=100.0, free_length=1.0)
    s = m.simulate(duration=2.0, samples=samples, initial={"b.vx": 1.7})
    amplitude = math.hypot(0.3, 0.17)
    for name, peak, share in (
        ("b.x", amplitude, 1e-5),
        ("b.vx", 10 * amplitude, 1e-4),
        ("s.force", 100 * amplitude, 1e-3),
    ):
        found = s.extremes(name)
        assert (found.minimum, found.maximum) == (pytest.approx(-peak, rel=share), pytest.approx(peak, rel=share))


def test_the_size_of_a_reaction_that_changes_its_sign_falls_to_nil() -> None:
    """The size has a kink between samples, |3 sin(5 t)|; its square is smooth."""
    m = disc("0")
    m.force("push", m["disc"].at(0, 0), ("3*sin(5*t)", 0))
    found = m.inverse_dynamics(start_time=0.1, duration=1.0, samples=60).extremes("A.reaction")
    assert found.minimum == pytest.approx(0.0, abs=3e-3)  # samples alone: 0.04
    assert found.maximum == pytest.approx(3.0, rel=1e-4)


@pytest.mark.parametrize("least", [0.03, 0.3])
def test_the_size_of_a_reaction_that_stays_above_nil_is_right_or_a_warning(least: float) -> None:
    """Its square, 9 sin² + least², undershoots between samples: a least value of nil that this makes is uncertain."""
    m = disc("0").copy(without=["motor"])
    m.force("push", m["disc"].at(0, 0), ("3*sin(17*t)", least))
    for samples in range(20, 60, 5):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", tm.RunWarning)
            found = m.simulate(duration=2.0, samples=samples).extremes("A.reaction")
        assert found.warnings or found.minimum == pytest.approx(least, abs=0.04)
        assert found.warnings or found.maximum == pytest.approx(math.hypot(3.0, least), abs=0.04)


@pytest.mark.parametrize("name", ["quick_return", "geneva", "cam_roller", "flat_follower"])
def test_rounding_has_no_extremes_between_samples(name: str) -> None:
    """Cranks turn evenly: their accelerations are rounding, and were solved again at 20,000 times with as many turning points."""
    m = importlib.import_module(f"pytrammel.examples.{name}").build()
    k = m.kinematics(1.0, samples=13, progress=False)
    names = [f"{body}.{rate}" for body in m.bodies if body != "ground" for rate in ("ax", "ay", "alpha")]
    still = [quantity for quantity in names if np.abs(k[quantity]).max() < 1e-9]
    assert still
    for quantity in still:
        found = k.extremes(quantity)
        assert found.turning == ()
        assert max(abs(found.minimum), abs(found.maximum)) < 1e-9


def test_a_force_that_rests_at_nil_does_not_undershoot() -> None:
    """A push that begins and ends: max(0, sin) has no negative value, whatever polynomials do."""
    m = disc("0")
    m.force("push", m["disc"].at(0, 0), ("max(0, 40*sin(9*t))", 0))
    for samples in range(20, 60, 7):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", tm.RunWarning)
            found = m.inverse_dynamics(duration=2.0, samples=samples).extremes("A.reaction")
        assert found.minimum == 0.0


def lifted(motion: str) -> tm.SpatialModel:
    """In space a weight of 3 kg is lifted by a formula."""
    m = tm.SpatialModel("lift", gravity=(0, 0, -9.81))
    m.body("cage", mass=3.0, inertia=(1.0, 1.0, 1.0))
    m.prismatic("rail", m.ground, "cage", at=(0, 0, 0), axis=(0, 0, 1))
    m.driver("motor", "cage.z", motion)
    return m


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("samples", [7, 21, 41])
def test_peaks_of_efforts_do_not_depend_on_samples(seed: int, samples: int) -> None:
    """Bells of a twentieth to a fifth of the run, in the plane and in space, of drivers, actuators and joints."""
    random = np.random.default_rng(seed)
    at, width = float(random.uniform(0.3, 0.7)), float(random.uniform(0.05, 0.2))
    low, high = (x / width**2 for x in BELL["disc.alpha"])
    for options in ({}, {"actuators": {"motor": "A.angle"}}, {"formulation": "joint"}):
        found = (
            disc(bell(at, width)).inverse_dynamics(duration=1.0, samples=samples, **options).extremes("motor.effort")
        )
        assert (found.minimum, found.maximum) == (pytest.approx(2 * low, rel=1e-6), pytest.approx(2 * high, rel=1e-6))
    run = lifted(bell(at, width)).inverse_dynamics(duration=1.0, samples=samples)
    weight = 3.0 * 9.81
    found = run.extremes("motor.effort")
    assert (found.minimum, found.maximum) == (
        pytest.approx(weight + 3 * low, rel=1e-6),
        pytest.approx(weight + 3 * high, rel=1e-6),
    )


def test_efforts_of_phases_are_solved_again_between_samples() -> None:
    """Two rise laws one after the other: torque 2 alpha, the second one with a peak that no sample meets."""
    m = tm.PlanarModel("relay", gravity=(0, 0))
    m.body("disc", mass=1.0, inertia=2.0)
    m.revolute("A", m.ground, "disc", at=(0, 0))
    m.driver("first", "A.angle", "0.1*sin(3*t)")
    m.driver("second", "A.angle", "0.1*sin(3) + 0.3*cos(3)*(t - 1) + 0.05*(1 - cos(11*(t - 1)))")
    m.phase("one", active=["first"])
    m.phase("two", active=["second"])
    m.switch("change", "one", "two", when="t - 1", direction=1)
    for samples in (9, 24):
        r = m.inverse_dynamics(duration=2.0, samples=samples)
        assert r.extremes("first.effort").minimum == pytest.approx(-1.8, rel=1e-6)  # at 3 t = pi/2
        assert r.extremes("second.effort").minimum == pytest.approx(-12.1, rel=1e-6)  # at 11 (t - 1) = pi


def test_extremes_hold_what_was_run_not_what_the_model_became() -> None:
    """A force that is added to the model after the run does not change the run."""
    m = disc("0.3*sin(5*t)")
    run = m.inverse_dynamics(duration=2.0, samples=9)
    m.torsion_spring("late", first=m.ground, second="disc", stiffness=100.0)
    assert run.extremes("motor.effort").maximum == pytest.approx(15.0, rel=1e-6)


def test_samples_too_far_apart_are_a_warning(tmp_path: Path) -> None:
    """Stored results are interpolated."""
    run = disc(bell(0.507, 0.05)).inverse_dynamics(duration=1.0, samples=21)
    i = tm.load_result(run.save(tmp_path / "run.trammel"))
    with pytest.warns(
        tm.RunWarning, match=r"motor.effort: the largest value .* uncertain by about .* Use more samples"
    ):
        found = i.extremes("motor.effort")
    assert "warning: motor.effort" in str(found)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("formula", [False, True], ids=["switch", "corner of a formula"])
def test_values_just_before_a_change_are_found(seed: int, formula: bool) -> None:
    """Acceleration 6 a t up to a change between samples, then none."""
    random = np.random.default_rng(seed)
    a, at = float(random.uniform(0.02, 0.3)), float(random.uniform(0.6, 1.4))
    ramp, level = f"{a!r}*t^3", f"{a * at**3!r} + {3 * a * at**2!r}*(t - {at!r})"
    m = disc(f"if(t < {at!r}, {ramp}, {level})" if formula else ramp)
    if not formula:
        m.driver("on", "A.angle", level)
        m.phase("one", active=["motor"])
        m.phase("two", active=["on"])
        m.switch("change", "one", "two", when=f"t - {at!r}", direction=1)
    for samples in (6, 11):
        k, i = (getattr(m, verb)(duration=2.0, samples=samples) for verb in ("kinematics", "inverse_dynamics"))
        # a corner is enclosed to a five-hundredth of its interval
        share = 1e-3 if formula else 1e-6
        for run, name, peak in ((k, "disc.alpha", 6 * a * at), (i, "motor.effort", 12 * a * at)):
            assert run.extremes(name).maximum == pytest.approx(peak, rel=share)
            assert run.extremes(name).maximum <= peak * (1 + 1e-9)


@pytest.mark.parametrize("seed", range(3))
def test_extremes_at_events_are_found(seed: int) -> None:
    """A block is pushed by 2 N and hit at a time between samples: v = 2 t just before."""
    at = float(np.random.default_rng(seed).uniform(0.3, 0.9))
    m = tm.PlanarModel("block", gravity=(0, 0))
    m.body("b", mass=1.0, inertia=1.0)
    m.prismatic("guide", "ground", "b", at=(0, 0), axis=(1, 0))
    m.force("push", m["b"].at(0, 0), (2, 0))
    hit = tm.Event("hit", f"t - {at!r}", impulse=[("b", (-5.0, 0.0))])
    for samples in (5, 12):
        found = m.simulate(duration=1.0, samples=samples, events=[hit]).extremes("b.vx")
        assert (found.minimum, found.maximum) == (pytest.approx(2 * at - 5, abs=1e-7), pytest.approx(2 * at, abs=1e-7))


@pytest.mark.parametrize("samples", [6, 11, 51])
@pytest.mark.parametrize("space", [False, True], ids=["plane", "space"])
def test_extremes_at_impacts_whose_time_is_not_stored_are_a_warning(samples: int, space: bool) -> None:
    """A ball falls by 1 m: its speed at the floor is sqrt(2 g), reached between samples."""
    m: tm.PlanarModel | tm.SpatialModel
    if space:
        m = tm.SpatialModel("ball", gravity=(0, 0, -9.81))
        m.body("ball", mass=1.0, inertia=(0.1, 0.1, 0.1), position=(0, 0, 1.1))
        m.contact_sphere_plane(
            "floor", "ball", m.ground, radius=0.1, at=(0, 0, 0), normal=(0, 0, 1), law="rigid", restitution=0.5
        )
    else:
        m = tm.PlanarModel("ball", gravity=(0, -9.81))
        m.body("ball", mass=1.0, inertia=0.1, position=(0, 1.1))
        m.contact_line("floor", "ball", m.ground, radius=0.1, at=(0, 0), axis=(1, 0), law="rigid", restitution=0.5)
    run = m.simulate(duration=0.7, samples=samples)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", tm.RunWarning)
        found = run.extremes("ball.vz" if space else "ball.vy")
    assert found.minimum > -math.sqrt(2 * 9.81)
    bounds = [float(str(w).split("up to ")[1].split()[0]) for w in found.warnings if "smallest" in str(w)]
    assert min(bounds) <= -math.sqrt(2 * 9.81)
    assert {w.kind for w in found.warnings} == {"extremes"}


def sliding(speed: float, *, space: bool) -> tm.PlanarModel | tm.SpatialModel:
    """A body of 1 kg that slides along x, and another one far away that rests."""
    m: tm.PlanarModel | tm.SpatialModel
    if space:
        m = tm.SpatialModel("slide", gravity=(0, 0, 0))
        m.body("b", mass=1.0, inertia=(1.0, 1.0, 1.0), velocity=(speed, 0, 0))
        m.body("idle", position=(0, 5, 0), mass=1.0, inertia=(1.0, 1.0, 1.0))
        m.prismatic("guide", m.ground, "b", at=(0, 0, 0), axis=(1, 0, 0))
        return m
    m = tm.PlanarModel("slide", gravity=(0, 0))
    m.body("b", mass=1.0, inertia=1.0, velocity=(speed, 0))
    m.body("idle", position=(0, 5), mass=1.0, inertia=1.0)
    m.prismatic("guide", "ground", "b", at=(0, 0), axis=(1, 0))
    return m


def hidden(m: tm.PlanarModel | tm.SpatialModel, name: str, samples: int, **options: Any) -> Extremes:
    run = m.simulate(duration=1.0, samples=samples, progress=False, **options)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", tm.RunWarning)
        return run.extremes(name)


@pytest.mark.parametrize("space", [False, True], ids=["plane", "space"])
@pytest.mark.parametrize("seed", range(4))
def test_forces_that_act_between_two_samples_only_are_a_warning(seed: int, space: bool) -> None:
    """A rope becomes tight, pulls for half a period and slackens again: its largest force is v sqrt(k)."""
    random = np.random.default_rng(seed)
    speed, stiffness = float(random.uniform(0.5, 2.0)), 10.0 ** float(random.uniform(3.5, 6.0))
    m = sliding(speed, space=space)
    rest = (0,) if space else ()
    reach = float(random.uniform(0.4, 0.6)) * speed
    law = f"{stiffness!r}*max(l - {1.0 + reach!r}, 0)"
    m.spring("rope", m.ground.at(-1, 0, *rest), m["b"].at(0, 0, *rest), stiffness=law, free_length=1.0 + reach)
    peak = speed * math.sqrt(stiffness)
    for samples in (5, 9, 14):
        for name, truth in (("rope.force", peak), ("b.ax", peak), ("b.x", reach + speed / math.sqrt(stiffness))):
            found = hidden(m, name, samples)
            largest = max(found.maximum, -found.minimum)
            if abs(largest / truth - 1.0) > 0.05:
                assert [w.kind for w in found.warnings if "velocity of 'b.x' changes" in str(w)] == ["extremes"]
        assert hidden(m, "idle.x", samples).warnings == ()
    assert hidden(m, "rope.force", 4001).maximum == pytest.approx(peak, rel=0.05)
    assert hidden(m, "rope.force", 4001).warnings == ()


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("samples", [5, 9])
def test_waves_are_resolved_or_a_warning(samples: int, seed: int) -> None:
    """A tenth of a period to twelve periods between two samples; x = sin(w t)/w and a force of w sin(w t) from a period on."""
    rate = 2 * math.pi * 10.0 ** float(np.random.default_rng(seed).uniform(0.05, 1.7))
    m = sliding(1.0, space=False)
    m.spring("s", m.ground.at(-1, 0), m["b"].at(0, 0), stiffness=rate**2, free_length=1.0)
    for name, peak in (("s.force", rate), ("b.x", 1 / rate), ("b.vx", 1.0)):
        found = hidden(m, name, samples)
        right = abs(found.maximum / peak - 1.0) < 0.05 and abs(found.minimum / peak + 1.0) < 0.05
        assert right or found.warnings


@pytest.mark.parametrize("samples", [7, 13, 40])
def test_resolved_waves_and_jumps_at_events_hide_nothing(samples: int) -> None:
    """Six samples per period and more; a blow is an event, whose time is known."""
    m = sliding(1.0, space=False)
    m.spring("s", m.ground.at(-1, 0), m["b"].at(0, 0), stiffness=(2 * math.pi) ** 2, free_length=1.0)
    blow = tm.Event("blow", "t - 0.411", impulse=[("b", (-3.0, 0.0))])
    for events in ([], [blow]):
        told = hidden(m, "b.x", samples, events=events).warnings
        assert not [w for w in told if "velocity of" in str(w)]


def _hanging(stiffness, space):
    """A body of 2 kg on a pin and a stiff spring: up to 90 rad/s."""
    m = tm.SpatialModel("hanging", gravity=(0, 0, 0)) if space else tm.PlanarModel("hanging", gravity=(0, 0))
    zero = (0.0, 0.0, 0.0)[: m.space.dimension]
    m.body("b", mass=2, inertia=0.1, position=zero, centroid=(0.5, *zero[1:]))
    m.revolute("A", m.ground, "b", at=zero, **({"axis": (0, 0, 1)} if space else {}))
    m.user_force("S", "A.angle", f"-{stiffness}*(A.angle - 0.3)")
    return m


@pytest.mark.sampled(6)
@pytest.mark.parametrize("stiffness", [50, 500, 900, 1700, 5000])
@pytest.mark.parametrize("space", [False, True])
@pytest.mark.filterwarnings("ignore::pytrammel.RunWarning")
def test_extremes_of_runs_with_few_samples_are_right_or_carry_a_warning(stiffness, space):
    """phi = 0.3 (1 - cos(w t)) with w² = k / (0.1 + 2·0.5²) is between 0 and 0.6."""
    rate = (stiffness / 0.6) ** 0.5
    m = _hanging(stiffness, space)
    for samples in (4, 5, 6, 7, 9, 12, 16):
        r = m.simulate(3.0, samples=samples, progress=False)
        for name, low, high in (("A.angle", 0.0, 0.6), ("A.angle.rate", -0.3 * rate, 0.3 * rate)):
            e = r.extremes(name)
            off = max(abs(e.minimum - low), abs(e.maximum - high)) / (high - low)
            assert off < 0.05 or e.warnings, (samples, name, off)
            assert all(w.kind == "extremes" and w.time is not None for w in e.warnings)


@pytest.mark.parametrize("space", [False, True])
def test_extremes_of_runs_with_enough_samples_carry_no_warning(space):
    r = _hanging(50, space).simulate(3.0, samples=61, progress=False)  # 14 per period
    assert not r.extremes("A.angle").warnings
    assert not r.extremes("A.angle.rate").warnings
