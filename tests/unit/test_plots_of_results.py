"""Plots of results: what is drawn is what was computed, in the units that are asked for; what cannot be is said."""

from __future__ import annotations

import functools
import inspect
import math
import operator
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pytrammel as tm
from pytrammel.results.plots import Plots

pytest.importorskip("matplotlib")
from matplotlib.axes import Axes
from matplotlib.figure import Figure

R, W = 0.1, 4.0  # crank radius [m] and speed [rad/s]


@functools.cache
def crank() -> Any:
    """A crank of radius R at speed W over two turns; its tip runs on a circle."""
    m = tm.PlanarModel("crank", display_unit="mm")
    arm = m.body("arm", position=(0.0, 0.0), mass=2.0, inertia=0.01)
    m.revolute("A", m.ground, arm, at=(0.0, 0.0))
    m.point("P", arm, at=(R, 0.0))
    m.driver("motor", m["A"].angle, f"{W}*t")
    return m.inverse_dynamics(duration=4.0 * math.pi / W, samples=401)


@functools.cache
def swing() -> Any:
    m = tm.PlanarModel("swing")
    m.body("b", position=(0.4, 0.0), mass=2.0, inertia=0.05)
    m.revolute("A", m.ground, "b", at=(0.0, 0.0))
    m.point("P", "b", at=(0.8, 0.0))
    return m.simulate(2.0, samples=101)


@functools.cache
def top() -> Any:
    m = tm.SpatialModel("bob")
    m.body("b", position=(0.3, 0.2, -0.4), mass=1.0, inertia=0.01)
    m.spherical("S", m.ground, "b", at=(0.0, 0.0, 0.0))
    m.point("P", "b", at=(0.3, 0.2, -0.4))
    return m.simulate(1.0, samples=51)


def data(ax: Any, k: int = 0) -> tuple[np.ndarray, np.ndarray]:
    x, y = ax.lines[k].get_data()
    return np.asarray(x, dtype=float), np.asarray(y, dtype=float)


def test_quantities_over_time_are_drawn_in_the_models_units_one_panel_per_unit() -> None:
    above, below = crank().plot("P.x", "A.angle", "P.y")
    t, x = data(above)
    np.testing.assert_allclose(t, crank().times)
    np.testing.assert_allclose(x, 1e3 * R * np.cos(W * crank().times), atol=1e-9)  # mm
    np.testing.assert_allclose(data(below)[1], np.degrees(W * crank().times), atol=1e-8)
    assert (above.get_ylabel(), below.get_ylabel(), below.get_xlabel()) == ("[mm]", "A.angle [°]", "time [s]")
    assert above.get_xlabel() == "" and above.figure.get_layout_engine() is not None
    assert [text.get_text() for text in above.get_legend().get_texts()] == ["P.x", "P.y"]


def test_one_quantity_is_drawn_against_another_or_against_an_array() -> None:
    ax = crank().plot("P.y", x="P.x")
    np.testing.assert_allclose(np.hypot(*data(ax)), 1e3 * R, rtol=1e-12)  # a circle
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("P.x [mm]", "P.y [mm]")
    own = np.linspace(3.0, 4.0, 401)
    np.testing.assert_array_equal(data(crank().plot("P.y", x=own))[0], own)


def test_formulas_are_drawn_on_both_axes_as_in_a_pressure_volume_diagram() -> None:
    ax = crank().plot("1e5*(0.2/(0.2 + P.x))^1.3", x="0.2 + P.x")
    volume, pressure = data(ax)
    np.testing.assert_allclose(pressure * volume**1.3, 1e5 * 0.2**1.3, rtol=1e-12)
    assert len(ax.lines) == 2  # the curve and the dot where it starts


def test_measured_quantities_can_be_given_themselves() -> None:
    angle = crank().model["A"].angle
    np.testing.assert_array_equal(data(crank().plot(angle))[1], data(crank().plot("A.angle"))[1])


@pytest.mark.parametrize(
    ("units", "factors"),
    [
        ("m", (1.0, 180.0 / math.pi)), (["cm", "rad"], (100.0, 1.0)), ({"A.angle": "rev"}, (1000.0, 0.5 / math.pi)),
        ({"P.x": "km", "A.angle": "mrad"}, (1e-3, 1e3)), (["ms"], (1000.0, 180.0 / math.pi)),
    ],
)  # fmt: skip
def test_units_are_those_asked_for_wherever_they_fit(units: Any, factors: tuple[float, float]) -> None:
    above, below = crank().plot("P.x", "A.angle", units=units)
    np.testing.assert_allclose(data(above)[1], factors[0] * R * np.cos(W * crank().times), atol=1e-9 * factors[0])
    np.testing.assert_allclose(data(below)[1], factors[1] * W * crank().times, atol=1e-9 * factors[1])
    scale = 1e3 if units == ["ms"] else 1.0
    np.testing.assert_allclose(data(below)[0], scale * crank().times, rtol=1e-12)


@pytest.mark.parametrize("turns", [1, 2])
def test_a_crank_angle_folds_into_turns_and_loses_nothing_at_the_edges(turns: int) -> None:
    ax = crank().plot("P.y", x="A.angle", turns=turns)
    x, y = data(ax)
    known = np.isfinite(x)
    assert x[known].min() == 0.0 and x[known].max() == pytest.approx(360.0 * turns, abs=1e-9)
    np.testing.assert_allclose(y[known], 1e3 * R * np.sin(np.radians(x[known])), atol=1e-3)  # edges are interpolated
    steps = np.diff(ax.xaxis.get_major_locator().tick_values(0.0, 360.0 * turns))
    assert set(np.round(steps % 15.0, 9)) == {0.0}


def test_a_phase_portrait_of_a_harmonic_swing_is_an_ellipse() -> None:
    m = tm.PlanarModel("cart")
    m.body("c", position=(0.0, 0.0), mass=1.0, inertia=1.0)
    m.prismatic("T", m.ground, "c", at=(0.0, 0.0), axis=(1, 0))
    m.driver("D", m["T"].distance, "0.2*sin(5*t)")
    ax = m.kinematics(1.3).plot.phase("c.x", units="mm")
    x, v = data(ax)
    np.testing.assert_allclose((x / 200.0) ** 2 + (v / 1000.0) ** 2, 1.0, rtol=1e-9)
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("c.x [mm]", "c.x, rate [mm/s]")


def test_paths_and_hodographs_of_a_turning_point_are_circles() -> None:
    for ax, radius in (
        (crank().plot.path("P"), 1e3 * R),
        (crank().plot.hodograph("P"), 1e3 * R * W),
        (crank().plot.hodograph("P", of="acceleration", units="m/s^2"), R * W**2),
    ):
        np.testing.assert_allclose(np.hypot(*data(ax)), radius, rtol=1e-9)
        assert ax.get_aspect() == 1.0


def test_the_force_of_a_bearing_is_drawn_as_a_hodograph() -> None:
    ax = crank().plot.hodograph("A", of="force")
    # the arm turns about its centroid: it bears the weight
    np.testing.assert_allclose(data(ax)[1], 2.0 * 9.81, rtol=1e-9)


def test_paths_in_space_are_drawn_in_space_or_in_a_plane() -> None:
    ax = top().plot.path("P")
    assert ax.name == "3d"
    np.testing.assert_allclose(np.column_stack(ax.lines[0].get_data_3d()), top().point("P").position)
    flat = top().plot.path("P", "b", plane="xz")
    np.testing.assert_allclose(data(flat)[1], top().point("P").position[:, 2])
    assert (flat.get_xlabel(), flat.get_ylabel()) == ("x [m]", "z [m]")
    assert top().plot.hodograph("P").name == "3d"


def test_energies_are_drawn_with_their_balance_below() -> None:
    above, below = swing().plot.energy()
    shown = {line.get_label(): line.get_ydata() for line in above.lines}
    assert set(shown) == {"kinetic", "gravity", "total"}  # nothing is stored, dissipated or put in
    np.testing.assert_allclose(shown["kinetic"], swing().energy.kinetic)
    np.testing.assert_array_equal(below.lines[0].get_ydata(), swing().energy.balance)
    assert swing().plot.energy("kinetic", units="kJ").get_ylabel() == "kinetic [kJ]"


def test_reactions_are_drawn_as_sizes_with_efforts_or_as_components() -> None:
    force, effort = crank().plot.reactions()
    np.testing.assert_allclose(data(force)[1], 2.0 * 9.81, rtol=1e-9)
    np.testing.assert_allclose(data(effort)[1], 0.0, atol=1e-9)
    ax = swing().plot.reactions("A", components=True)
    np.testing.assert_allclose(data(ax, 0)[1], swing().reaction("A").force[:, 0])
    np.testing.assert_allclose(data(ax, 1)[1], swing().reaction("A").force[:, 1])
    assert ax.get_ylabel() == "A [N]"  # a pin's moment is rounding, and is left out


def test_the_spectrum_of_whole_periods_has_the_amplitudes_of_its_tones() -> None:
    found = crank().spectrum("P.x")
    assert found.peak == pytest.approx((W / (2.0 * math.pi), R), rel=1e-9)
    assert np.sort(found.amplitude)[-2] < 1e-9 * R
    orders = crank().spectrum("P.y", over="A.angle")
    assert orders.peak == pytest.approx((1.0, R), rel=1e-6)  # instants between samples are interpolated
    ax = crank().plot.spectrum("P.x", top=5.0)
    assert np.nanmax(data(ax)[1]) == pytest.approx(1e3 * R)
    assert ax.get_xlabel() == "frequency [Hz]"


@pytest.mark.parametrize("samples", [17, 18])
def test_the_power_of_a_spectrum_is_that_of_its_samples(samples: int) -> None:
    """Parseval; with an even number the last harmonic changes its sign at every instant, and its mean square is the amplitude squared."""
    m = tm.PlanarModel("runner")
    m.body("b", position=(0.0, 0.0))
    m.prismatic("T", m.ground, "b", at=(0.0, 0.0), axis=(1.0, 0.0))
    n = samples - 1
    last = math.pi * (n // 2) * 2 / n
    m.driver("d", "b.x", f"0.3 + 0.2*cos(2*pi*t/{n}) + 0.5*cos({last!r}*t + 0.1) - 0.1*sin(6*pi*t/{n})")
    run = m.kinematics(float(n), samples=samples)
    found, x = run.spectrum("b.x"), run["b.x"][:-1]
    shares = np.full(found.amplitude.size, 0.5)
    shares[0] = 1.0
    if n % 2 == 0:
        shares[-1] = 1.0
    assert shares @ found.amplitude**2 == pytest.approx(float(np.mean(x**2)), rel=1e-9)
    assert found.amplitude[-1] == pytest.approx(0.5 * math.cos(0.1) if n % 2 == 0 else 0.5, rel=1e-9)


@pytest.mark.parametrize(("window", "loss"), [("none", 0.4), ("hann", 0.16), ("flattop", 0.003)])
def test_windows_keep_the_amplitude_between_two_harmonics_as_well_as_they_should(window: str, loss: float) -> None:
    m = crank().model
    run = m.kinematics(5.5 * 2.0 * math.pi / W, samples=501)  # five periods and a half: the worst case
    assert R * (1.0 - loss) < run.spectrum("P.x", window=window).peak[1] < 1.002 * R


def test_a_waterfall_of_a_shaft_that_runs_up_follows_its_speed() -> None:
    m = tm.PlanarModel("run-up")
    m.body("arm", position=(0.0, 0.0))
    m.revolute("A", m.ground, "arm", at=(0.0, 0.0))
    m.point("P", "arm", at=(R, 0.0))
    m.driver("motor", m["A"].angle, "20*t^2")
    run = m.kinematics(4.0, samples=4001)
    spectra = run.spectra("P.x", slices=9)
    for each in spectra:
        # the speed changes by 5 Hz within a slice
        assert each.peak[0] == pytest.approx(40.0 * each.time / (2.0 * math.pi), abs=4.0)
    ax = run.plot.waterfall("P.x", slices=9, top=40.0)
    assert len(ax.lines) == 9 and ax.get_ylabel() == "time [s]"


def test_several_runs_are_laid_over_each_other_with_their_labels() -> None:
    other = crank().model.kinematics(1.0)
    both = tm.overlay({"slow": crank(), "short": other})
    ax = both.plot("P.x")
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["slow", "short"]
    np.testing.assert_allclose(data(ax, 1)[0], other.times)
    pair = both.plot("P.x", "P.y", x="A.angle")
    assert [line.get_label() for line in pair.lines] == ["P.x, slow", "P.y, slow", "P.x, short", "P.y, short"]
    assert list(tm.overlay([crank(), other])) == ["crank 1", "crank 2"]
    assert len(both.plot.waterfall("P.x").lines) == 2 and len(both.plot.path().lines) == 4
    with pytest.raises(tm.ModelError, match=r"slices = 9 .* 2 runs"):
        both.plot.waterfall("P.x", slices=9)


def test_plots_go_onto_the_axes_of_the_user() -> None:
    axes = Figure().subplots(2, 1)
    assert crank().plot("P.x", ax=axes[0]) is axes[0]
    found = crank().plot("P.x", "A.angle", ax=axes)
    assert list(found) == list(axes) and len(axes[0].lines) == 2
    deep = Figure().add_subplot(projection="3d")
    assert top().plot.path(ax=deep) is deep


PLOTS: dict[str, Callable[[], Any]] = {
    "plot": lambda: crank().plot("P.x"), "phase": lambda: crank().plot.phase("A.angle"), "path": lambda: crank().plot.path(),
    "hodograph": lambda: crank().plot.hodograph(), "energy": lambda: swing().plot.energy("kinetic"),
    "reactions": lambda: swing().plot.reactions(), "spectrum": lambda: crank().plot.spectrum("P.x"),
    "waterfall": lambda: crank().plot.waterfall("P.x"),
}  # fmt: skip


@pytest.mark.parametrize("name", PLOTS)
def test_every_plot_returns_axes_with_units_on_both_of_them(name: str) -> None:
    ax = PLOTS[name]()
    assert isinstance(ax, Axes)
    assert ax.get_xlabel().endswith("]") and ax.get_ylabel().endswith("]")


METHODS = {
    "plot": lambda r: r.plot,
    **{f"plot.{name}": operator.attrgetter(f"plot.{name}") for name in dir(Plots) if not name.startswith("_")},
    **{name: operator.attrgetter(name) for name in dir(tm.results.Result) if name.startswith("spectr")},
}


@pytest.mark.parametrize("method", METHODS)
def test_a_misspelt_option_of_a_plot_gets_a_suggestion(method: str) -> None:
    called = METHODS[method](crank())
    known = [key for key in inspect.signature(called).parameters if key not in ("self", "names")]
    wrong = known[-1][:-1] + "xx"
    with pytest.raises(tm.ModelError, match=rf"{method} has no option '{wrong}'; it has: .*{known[-1]}"):
        called(**{wrong: 1})


BAD: dict[str, tuple[Callable[[], Any], str]] = {
    "unknown": (lambda: crank().plot("P.q"), r"no quantity 'P\.q'.*did you mean 'P\."),
    "unknown x": (lambda: crank().plot("P.x", x="A.angel"), r"did you mean 'A\.angle'"),
    "unknown in a formula": (lambda: crank().plot("2*P.q"), r"no quantity 'P\.q'"),
    "x too short": (lambda: crank().plot("P.x", x=[1.0, 2.0]), r"shape \(2,\), but there are 401 instants"),
    "x of no kind": (lambda: crank().plot("P.x", x=object()), "neither the name of a quantity nor a list of numbers"),
    "ax a number": (lambda: crank().plot("P.x", ax=3), "ax= must be axes of matplotlib, but it is 3"),
    "ax a figure": (lambda: crank().plot("P.x", ax=Figure()), r"give figure\.add_subplot\(\) instead of the figure"),
    "ax in space": (lambda: crank().plot("P.x", ax=Figure().add_subplot(projection="3d")), "needs axes made with no projection"),
    "ax flat": (lambda: top().plot.path(ax=Figure().add_subplot()), r"a view in space needs axes made with projection='3d'"),
    "ax polar": (lambda: crank().plot("P.x", ax=Figure().add_subplot(projection="polar")), "have projection='polar'"),
    "one ax for two": (lambda: crank().plot("P.x", "A.angle", ax=Figure().add_subplot()), r"2 units.* needs 2 sets of axes, but"),
    "unit of another kind": (lambda: crank().plot("P.x", units="kg"), r"units='kg' is a mass.* fits nothing that is shown: 't' is a time"),
    "unit of a name": (lambda: crank().plot("P.x", units={"P.x": "N"}), r"'P\.x' is a length.*cannot be shown in 'N', which is a force"),
    "unit of another name": (lambda: crank().plot("P.x", units={"P.xx": "mm"}), r"unit for 'P\.xx', which is not shown; did you mean"),
    "no unit": (lambda: crank().plot("P.x", units="furlong"), "furlong"),
    "units a number": (lambda: crank().plot("P.x", units=3), "units must be a text, .*but it is 3"),
    "two lengths": (lambda: crank().plot("P.x", units=["mm", "cm"]), "two for a length"),
    "unit of a formula": (lambda: crank().plot("2*P.x [mm]"), "has no unit of its own"),
    "labels": (lambda: crank().plot("P.x", labels=["a", "b"]), "labels= has 2 names for 1 quantities"),
    "turns of time": (lambda: crank().plot("P.x", turns=1), "folds angles, but the x axis is 'time'"),
    "half a turn": (lambda: crank().plot("P.x", x="A.angle", turns=0.5), "turns is 0.5; it must be a whole number"),
    "no point": (lambda: crank().plot.path("Q"), "no point or body 'Q'"),
    "no plane": (lambda: top().plot.path(plane="xx"), "plane='xx' is not known"),
    "z in the plane": (lambda: crank().plot.path(plane="xz"), "use two different ones of x, y"),
    "no vector": (lambda: crank().plot.hodograph("P", of="speed"), "of must be one of the words 'velocity', .*but it is 'speed'"),
    "no energy": (lambda: swing().plot.energy("kinetik"), "no energy 'kinetik'; did you mean 'kinetic'"),
    "energy of kinematics": (lambda: crank().model.kinematics(1.0).plot.energy(), "comes from kinematics and has no forces"),
    "force of kinematics": (lambda: crank().model.kinematics(1.0).plot.reactions(), "comes from kinematics and has no forces"),
    "no joint": (lambda: swing().plot.reactions("Z"), "no joint 'Z'|'Z'"),
    "no window": (lambda: crank().spectrum("P.x", window="kaiser"), "window='kaiser' is not known; use one of: 'none', 'hann'"),
    "no slices": (lambda: crank().spectra("P.x", slices=0), "slices is 0; it must be a whole number of at least 1"),
    "many slices": (lambda: crank().spectra("P.x", slices=200), "needs at least 8 instants in each slice"),
    "orders over a length": (lambda: crank().spectrum("P.x", over="P.y"), r"over='P\.y' is not an angle"),
    "orders to and fro": (lambda: swing().spectrum("P.x", over="A.angle"), "does not turn in one direction"),
    "top too low": (lambda: crank().plot.spectrum("P.x", top=1e-6), "nothing would be shown"),
    "one instant": (lambda: crank().at(0.0).spectrum("P.x"), "single instant"),
    "no runs": (lambda: tm.overlay([]), "at least one result"),
    "no list": (lambda: tm.overlay(crank()), "needs a list of results"),
    "no result": (lambda: tm.overlay([crank(), 3]), "one of them is 3"),
    "twice the same": (lambda: tm.overlay([crank(), crank()], labels=["a", "a"]), "must be 2 different names"),
    "which run": (lambda: tm.overlay({"a": crank(), "b": swing()}).plot("motor.effort"), "run 'b': .*"),
}  # fmt: skip


@pytest.mark.parametrize("case", BAD)
def test_what_cannot_be_drawn_is_said(case: str) -> None:
    draw, sentence = BAD[case]
    with pytest.raises(tm.ModelError, match=sentence):
        draw()


def test_plots_are_written_with_words_as_words(tmp_path: Path) -> None:
    crank().plot("P.x", x="A.angle", title="crank & arm", path=tmp_path / "p.svg")
    text = (tmp_path / "p.svg").read_text(encoding="utf-8")
    assert "A.angle [°]" in text and "crank &amp; arm" in text
