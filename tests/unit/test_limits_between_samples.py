"""Limits of optimisations hold between samples: peaks of closed forms that no sample meets."""

import math

import numpy as np
import pytest

import pytrammel as tm


def shaker(motion: str) -> tm.PlanarModel:
    """A block of 1 kg that is led along x; its motion is proportional to the parameter a."""
    m = tm.PlanarModel("shaker", gravity=(0, 0))
    m.parameter("a", 0.01, bounds=(0.001, 1.0))
    m.body("b", mass=1.0, inertia=1.0)
    m.prismatic("guide", "ground", "b", at=(0, 0), axis=(1, 0))
    m.driver("lead", "b.x", motion)
    return m


@pytest.mark.parametrize("samples", [11, 41])
@pytest.mark.parametrize(
    "limit",
    ["max(abs(b.ax)) <= 3", "-3 <= b.ax <= 3", "range(b.ax) <= 3", "max(b.ax) - min(b.ax) <= 3", "3 >= max(b.ax)"],
)
def test_two_waves_keep_their_limit_between_samples(samples: int, limit: str) -> None:
    """The greatest amplitude by dense evaluation of the closed form."""
    found = shaker("a*sin(7*t) + 0.3*a*sin(19*t + 1)").optimize(
        maximize="a", subject_to=limit, duration=2.0, samples=samples
    )
    t = np.linspace(0.0, 2.0, 200_001)  # peaks of 361 a between its points: 1e-8 of them
    wave = -49.0 * np.sin(7.0 * t) - 0.3 * 361.0 * np.sin(19.0 * t + 1.0)
    size = {"r": np.ptp(wave), "3": wave.max()}.get(limit[0] if "max(b.ax) -" not in limit else "r", np.abs(wave).max())
    assert found.converged
    assert found.values["a"] == pytest.approx(3.0 / size, rel=2e-7)
    assert all(not each.missed for each in found.limits)
    assert found.history.violation[-1] <= 1e-7
    assert max(found.history.violation) > 1e-4  # designs that keep the limit at samples only are not counted as good


@pytest.mark.parametrize("seed", range(3))
def test_a_sharp_peak_between_samples_holds_a_design(seed: int) -> None:
    """Bells a fiftieth of the run wide; their greatest speed is a sqrt(2/e)/width."""
    random = np.random.default_rng(seed)
    at, width = float(random.uniform(0.3, 0.7)), float(random.uniform(0.02, 0.04))
    found = shaker(f"a*exp(-((t - {at!r})/{width!r})^2)").optimize(
        maximize="a",
        subject_to="max(b.vx) <= 2",
        duration=1.0,
        samples=31,
    )
    assert found.values["a"] == pytest.approx(2.0 * width / math.sqrt(2.0 / math.e), rel=2e-7)
    assert found.converged


def test_the_least_force_of_a_simulation_holds_between_samples() -> None:
    """A spring that must not slacken: its least extension is preload minus amplitude, between samples of the swing."""
    m = tm.PlanarModel("swing", gravity=(0, 0))
    m.parameter("preload", 0.5, bounds=(0.0, 1.0))
    m.body("b", mass=1.0, inertia=1.0, position=(0.3, 0))
    m.prismatic("guide", "ground", "b", at=(0, 0), axis=(1, 0))
    m.spring("left", m.ground.at(-1, 0), m["b"].at(0, 0), stiffness=50.0, free_length="1 - preload")
    m.spring("right", m.ground.at(1, 0), m["b"].at(0, 0), stiffness=50.0, free_length="1 - preload")
    for samples in (9, 16):
        found = m.optimize(minimize="preload", subject_to="min(left.length) >= 1 - preload",
            analysis=tm.Analysis("simulate", 2.0, samples=samples, rtol=1e-9, atol=1e-11),
        )  # fmt: skip
        assert found.converged
        assert found.values["preload"] == pytest.approx(0.3, abs=1e-7)


@pytest.mark.parametrize("limit", ["min(b.vy) >= -3", "b.vy >= -3", "b.vy[end] >= -3"])
@pytest.mark.parametrize("samples", [5, 11])
def test_limits_hold_in_runs_that_an_event_ends(samples: int, limit: str) -> None:
    """A body falls until it is 0.1 m above the floor: v² = 2 g (h - 0.1); higher starts reach more output times."""
    m = tm.PlanarModel("fall", gravity=(0, -9.81))
    m.parameter("h", 0.3, bounds=(0.2, 3.0))
    m.body("b", mass=1.0, inertia=0.1, position=(0, "h"))
    found = m.optimize(maximize="h", subject_to=limit, progress=False,
        analysis=tm.Analysis("simulate", 1.0, samples=samples, events=[tm.Event("landing", "b.y - 0.1", stop=True)]),
    )  # fmt: skip
    assert found.converged
    assert found.values["h"] == pytest.approx(0.1 + 9.0 / (2.0 * 9.81), rel=2e-7)


def test_efforts_hold_between_samples() -> None:
    found = shaker("a*sin(5*t)").optimize(
        maximize="a",
        subject_to="max(lead.effort) <= 4",
        analysis="inverse_dynamics",
        duration=2.0,
        samples=8,
    )
    assert found.values["a"] == pytest.approx(4.0 / 25.0, rel=2e-7)


def test_limits_that_hold_between_samples_leave_the_search_as_it_was() -> None:
    """Extremes at samples: the search over samples is the answer, without further runs."""
    found = shaker("a*t").optimize(maximize="a", subject_to="b.x <= 0.5", duration=1.0, samples=11)
    assert found.values["a"] == pytest.approx(0.5, rel=1e-7)
    many = shaker("a*t").optimize(maximize="a", subject_to="b.x[end] <= 0.5", duration=1.0, samples=11)
    assert found.runs == many.runs


def test_formulas_of_samples_keep_their_samples() -> None:
    """A sum over samples counts each of them; data have one value per sample."""
    m = shaker("a*sin(3*t)")
    by_sum = m.optimize(maximize="a", subject_to=["sum(b.x) <= 1", "max(b.x) <= 10"], duration=1.0, samples=11)
    assert by_sum.values["a"] == pytest.approx(1.0 / np.sin(3.0 * np.linspace(0, 1, 11)).sum(), rel=1e-6)
    roof = np.full(11, 0.2)
    by_data = m.optimize(maximize="a", subject_to="b.x <= roof", data={"roof": roof}, duration=1.0, samples=11)
    assert by_data.values["a"] == pytest.approx(0.2 / np.sin(3.0 * np.linspace(0, 1, 11)).max(), rel=1e-6)


def test_an_objective_keeps_its_samples_where_a_limit_has_more() -> None:
    found = shaker("a*sin(7*t)").optimize(maximize="sum(b.x^2)", subject_to="max(b.ax) <= 3", duration=2.0, samples=11)
    assert found.values["a"] == pytest.approx(3.0 / 49.0, rel=2e-7)
    assert found.objective == pytest.approx(
        float(np.sum((found.values["a"] * np.sin(7.0 * np.linspace(0, 2, 11))) ** 2)), rel=1e-9
    )


@pytest.mark.parametrize("seed", range(4))
def test_peaks_are_the_samples_next_to_which_all_are_smaller(seed: int) -> None:
    """Ends count, of equal neighbours the last one; under a limit those within reach of it, otherwise of the largest."""
    from pytrammel.design.optimization.refinement import _peaks

    v = np.random.default_rng(seed).integers(-3, 4, 40).astype(float)
    whole = [-math.inf, *v, -math.inf]
    tops = [k - 1 for k in range(1, 41) if whole[k - 1] <= whole[k] > whole[k + 1]]
    assert _peaks(v, False, 0.5).tolist() == [k for k in tops if v[k] > -0.5]
    assert _peaks(v, True, 1.5).tolist() == [k for k in tops if v[k] > v.max() - 1.5]


@pytest.mark.parametrize("seed", range(4))
def test_uneven_samples_open_where_a_parabola_passes_its_limit_and_nowhere_on_a_line(seed: int) -> None:
    """A line has no peak between its samples; the top of a parabola lies above its limit 0 while all samples lie below."""
    from pytrammel.design.optimization.refinement import _open

    t = np.cumsum(np.random.default_rng(seed).uniform(0.5, 1.5, 30))
    for slope in (-1.0, 0.3, 2.0):
        line = slope * (t - t[-1] if slope > 0.0 else t - t[0])  # it ends or begins at the limit
        assert _open(t, line, 1.0, False).size == 0
        assert _open(t, line, 1.0, True).size == 0
    for k in range(5, 25):
        top, half = 0.5 * (t[k] + t[k + 1]), 0.5 * (t[k + 1] - t[k])
        v = 0.5 * half**2 - (t - top) ** 2
        assert v.max() < 0.0
        new = _open(t, v, 1.0, False)
        assert ((new > t[k]) & (new < t[k + 1])).any()
