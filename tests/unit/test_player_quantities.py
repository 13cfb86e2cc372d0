"""What a page can plot beside its picture, and which of it can be driven."""

from __future__ import annotations

import base64
import itertools

import numpy as np
import pytest

import pytrammel as tm
from pytrammel.io.models.job import Outcome
from pytrammel.report.page import _ranges
from pytrammel.view.animation.series import MOST, quantities_of
from pytrammel.view.animation.thinning import MOST as KEPT
from pytrammel.view.animation.thinning import PARTS, extreme_rows, is_coarse


def crank() -> tm.PlanarModel:
    m = tm.PlanarModel("crank", display_unit="mm")
    m.body("crank", position=(0.0, 0.0), mass=1.0, inertia=0.1)
    m.revolute("A", m.ground, "crank", at=(0, 0))
    m.point("P", "crank", at=(0.1, 0.0))
    return m


def driven(samples: int = 21) -> tm.results.Result:
    m = crank()
    m.driver("motor", m["A"].angle, "2*t")
    return m.kinematics(1.0, samples=samples)


def test_every_column_can_be_plotted_in_the_units_of_the_model() -> None:
    result = driven()
    found = quantities_of(result)
    assert set(result._table_names()) <= set(found.names) and "A.angle.rate" in found.names
    k = found.names.index("P.x")
    assert found.units[k] == "mm"
    np.testing.assert_allclose(found.values[k], 100.0 * np.cos(2.0 * result.times), atol=1e-6)


def test_the_driver_of_a_prescribed_motion_can_be_moved_and_that_of_a_simulation_cannot() -> None:
    found = quantities_of(driven())
    ((name, k),) = found.drivers
    assert (name, found.units[k]) == ("motor", "°")
    np.testing.assert_allclose(found.values[k][[0, -1]], np.degrees([0.0, 2.0]), atol=1e-9)
    assert quantities_of(crank().simulate(0.1, samples=3, progress=False)).drivers == ()


def test_any_quantity_can_be_asked_for_and_an_unknown_one_is_named() -> None:
    result = driven()
    assert quantities_of(result, shown=["P.vy", "A.angle.acceleration"]).shown == ("P.vy", "A.angle.acceleration")
    with pytest.raises(tm.ModelError, match="nonsense"):
        quantities_of(result, shown=["nonsense"])


@pytest.mark.parametrize(
    ("name", "unit", "truth"),
    [
        ("A.angle [rad]", "rad", lambda t: 2.0 * t),
        ("crank.omega [rpm]", "rpm", lambda t: 60.0 / np.pi + 0.0 * t),
        ("P.x [in]", "in", lambda t: 0.1 * np.cos(2.0 * t) / 0.0254),
        ("P.vy [m/s]", "m/s", lambda t: 0.2 * np.cos(2.0 * t)),
        ("P.ax[m/s^2]", "m/s^2", lambda t: -0.4 * np.cos(2.0 * t)),
        ("P.y", "mm", lambda t: 100.0 * np.sin(2.0 * t)),
    ],
)
def test_a_unit_in_the_name_is_the_unit_of_the_plot(name, unit, truth) -> None:
    result = driven()
    found = quantities_of(result, shown=[name])
    k = found.names.index(found.shown[0])
    assert found.units[k] == unit
    np.testing.assert_allclose(found.values[k], truth(result.times), atol=1e-7)
    outcome = Outcome("run", "kinematics", found=result, plots=(name,))
    ((label, shown, least, largest, *_),) = _ranges(outcome)
    assert (label, shown) == (name.split("[")[0].strip(), unit)
    t = truth(result.times)
    np.testing.assert_allclose([float(least), float(largest)], [t.min(), t.max()], rtol=1e-5, atol=1e-6)


def test_long_runs_are_thinned_and_rounding_is_left_out() -> None:
    found = quantities_of(driven(5001))
    assert found.values.shape == found.times.shape == (len(found.names), KEPT) and len(found.names) <= MOST
    assert (found.values[found.names.index("crank.x")] == 0.0).all()  # the pin holds it to rounding


def test_short_runs_are_complete() -> None:
    result = driven(KEPT)
    found = quantities_of(result)
    np.testing.assert_array_equal(found.times, result.times)
    assert not any(found.coarse)


def test_no_peak_of_a_long_run_is_lost() -> None:
    """A bearing force of 100 N with a bell of 96.5 N, a hundred samples wide of 100,001; and a fast oscillation without a beat."""
    t = np.linspace(0.0, 10.0, 100_001)
    peak = 100.0 + 96.5 * np.exp(-(((t - 6.1237) / 0.005) ** 2))
    fast = np.sin(2.0 * np.pi * 60.1 * t)
    rows = extreme_rows(t, np.array([peak, fast]))
    assert peak[rows[0]].max() == peak.max() == pytest.approx(196.5, abs=1e-3)
    # 601 periods in 400 parts: every part has a crest and a trough, to half a sample: 1 - cos(2 pi 60.1 * 0.5e-4) = 1.8e-4
    parts = fast[rows[1]][1:-1].reshape(PARTS, 2)
    assert parts.max(axis=1).min() > 1.0 - 2e-4 and parts.min(axis=1).max() < -1.0 + 2e-4


@pytest.mark.parametrize("seed", range(8))
def test_every_part_of_a_series_keeps_its_extremes(seed: int) -> None:
    random = np.random.default_rng(seed)
    n = int(random.integers(KEPT + 1, 20 * KEPT))
    series = np.array([
        random.normal(size=n).cumsum(), random.normal(size=n), np.where(random.random(n) < 1e-3, 1e6, 0.0), np.full(n, 3.0),
        np.sin(np.linspace(0.0, random.uniform(1.0, n), n)), np.linspace(0.0, 1.0, n) ** 3,
    ])  # fmt: skip
    t = TIMES[seed % len(TIMES)](n, random)
    rows = extreme_rows(t, series)
    assert (np.diff(rows, axis=1) >= 0).all() and (rows[:, 0] == 0).all() and (rows[:, -1] == n - 1).all()
    edges = [*np.searchsorted(t, np.linspace(t[0], t[-1], PARTS + 1)[:-1]), n]
    for values, kept in zip(series, rows, strict=True):
        for first, last in itertools.pairwise(edges):
            if first == last:
                continue
            own = values[kept[(first <= kept) & (kept < last)]]
            assert (own.min(), own.max()) == (values[first:last].min(), values[first:last].max())
    coarse = [is_coarse(t, v, r) for v, r in zip(series, rows, strict=True)]
    assert coarse[1] and not coarse[3]


@pytest.mark.parametrize("seed", range(4))
def test_gaps_of_a_series_hide_no_extremes(seed: int) -> None:
    """Values that are not numbers: while a contact is open, in another phase, in a singular position."""
    random = np.random.default_rng(seed)
    n = int(random.integers(KEPT + 1, 20 * KEPT))
    t, values = TIMES[seed % len(TIMES)](n, random), random.normal(size=n).cumsum()
    values[random.random(n) < 0.3] = np.nan
    first = int(random.integers(n // 2))
    values[first : first + n // 4] = np.nan  # longer than a part
    kept = extreme_rows(t, values[None, :])[0]
    edges = [*np.searchsorted(t, np.linspace(t[0], t[-1], PARTS + 1)[:-1]), n]
    for low, high in itertools.pairwise(edges):
        part, own = values[low:high], values[kept[(low <= kept) & (kept < high)]]
        if np.isfinite(part).any():
            assert (np.nanmin(own), np.nanmax(own)) == (np.nanmin(part), np.nanmax(part))
        elif part.size:
            assert np.isnan(own).all()  # the gap stays open


@pytest.mark.parametrize("timing", range(4))
def test_a_thinned_series_fills_every_column_of_a_picture_as_its_samples_do(timing: int) -> None:
    """Also where most samples of a run lie in a small part of its time: no beat appears, no peak is lost."""
    random = np.random.default_rng(timing)
    t = TIMES[timing](40_000, random)
    t = (t - t[0]) / (t[-1] - t[0])
    spikes = sum(
        a * np.exp(-(((t - c) / 1e-3) ** 2)) for a, c in zip(random.normal(size=9), random.uniform(size=9), strict=True)
    )
    for values in (np.sin(300.0 * t), np.sin(9000.0 * t) * t, spikes):
        rows, columns = extreme_rows(t, values[None, :])[0], np.linspace(0.0, 1.0, PARTS + 1)
        drawn, true = [band(t[r], values[r], columns) for r in (rows, slice(None))]
        for one, other in ((drawn, true), (true, drawn)):  # one column further is half a dot
            low, high = (f(np.pad(x, 1, "edge"), 3) for f, x in zip((least, greatest), other, strict=True))
            assert (one[0] >= low - 1e-9).all() and (one[1] <= high + 1e-9).all()


TIMES = (
    lambda n, _: np.arange(n) * 1e-3,
    lambda n, random: np.sort(
        np.r_[0.0, 1.0, random.uniform(size=n // 10), random.uniform(0.5, 0.51, n - n // 10 - 2)]
    ),
    lambda n, _: np.geomspace(1e-5, 1.0, n),
    lambda n, random: np.sort(random.integers(0, n // 2, n)) * 1e-3,  # times that stand twice
)


def band(times: np.ndarray, values: np.ndarray, edges: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Least and greatest value of the line through samples between successive edges."""
    k = np.clip(np.searchsorted(edges, times, side="right") - 1, 0, len(edges) - 2)
    at = np.interp(edges, times, values)
    low, high = np.minimum(at[:-1], at[1:]), np.maximum(at[:-1], at[1:])
    np.minimum.at(low, k, values)
    np.maximum.at(high, k, values)
    return low, high


def least(values: np.ndarray, width: int) -> np.ndarray:
    return np.lib.stride_tricks.sliding_window_view(values, width).min(axis=1)


def greatest(values: np.ndarray, width: int) -> np.ndarray:
    return np.lib.stride_tricks.sliding_window_view(values, width).max(axis=1)


def test_a_late_start_keeps_the_digits_of_times() -> None:
    m = crank()
    m.driver("motor", m["A"].angle, "2*t")
    data = quantities_of(m.kinematics(start_time=1e6, duration=1.0, samples=11)).data()
    assert data["start"] == 1e6
    times = np.frombuffer(base64.b64decode(data["times"][0]), dtype="<f4")
    np.testing.assert_allclose(times, np.linspace(0.0, 1.0, 11), atol=1e-7)  # 32-bit floats of the run, 1.0 s
