"""Extremes of results against closed forms whose peaks lie between samples."""

import math
import warnings

import numpy as np
import pytest

import trammel as tm


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
    assert (found.minimum, found.maximum) == (pytest.approx(-peak, rel=2e-4), pytest.approx(peak, rel=2e-4))
    assert found.between is False
    rate = i.extremes("disc.omega")  # its rate is known, its second rate is not
    assert rate.maximum == pytest.approx(0.3 * speed, rel=1e-4)


@pytest.mark.parametrize("samples", [37, 101])
def test_peaks_of_an_oscillator_are_those_of_its_amplitude(samples: int) -> None:
    m = tm.PlanarModel("oscillator", gravity=(0, 0))
    m.body("b", mass=1.0, inertia=1.0, position=(0.3, 0))
    m.translational("guide", m.ground, "b", at=(0, 0), direction=(1, 0))
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
    found = m.inverse_dynamics(start=0.1, duration=1.0, samples=60).extremes("A.reaction")
    assert found.minimum == pytest.approx(0.0, abs=3e-3)  # samples alone: 0.04
    assert found.maximum == pytest.approx(3.0, rel=1e-4)


def test_a_force_that_rests_at_nil_does_not_undershoot() -> None:
    """A push that begins and ends: max(0, sin) has no negative value, whatever polynomials do."""
    m = disc("0")
    m.force("push", m["disc"].at(0, 0), ("max(0, 40*sin(9*t))", 0))
    for samples in range(20, 60, 7):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", tm.RunWarning)
            found = m.inverse_dynamics(duration=2.0, samples=samples).extremes("A.reaction")
        assert found.minimum == 0.0


def test_samples_too_far_apart_are_a_warning() -> None:
    i = disc(bell(0.507, 0.05)).inverse_dynamics(duration=1.0, samples=21)
    with pytest.warns(
        tm.RunWarning, match=r"motor.effort: the largest value .* uncertain by about .* Use more samples"
    ):
        found = i.extremes("motor.effort")
    assert "warning: motor.effort" in str(found)
