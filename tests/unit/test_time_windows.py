"""Time windows in formulas over results, time ratios, steady motion, digits of tables."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.optimize import minimize_scalar

import pytrammel as tm
from mechanisms import quick_return, turning
from pytrammel.cli.commands.optimize import write_front
from pytrammel.cli.main import main
from pytrammel.examples import find
from pytrammel.results.formulas.reductions import Reduction


def wave(t):
    return np.sin(3 * t) + 0.4 * t


def runner(motion: str = "sin(3*t) + 0.4*t") -> tm.PlanarModel:
    m = tm.PlanarModel("runner")
    m.body("b", mass=1.0, inertia=1.0)
    m.prismatic("T", m.ground, "b", at=(0, 0), axis=(1, 0))
    m.driver("d", "b.x", motion)
    return m


MODEL = runner()
RUN = MODEL.kinematics(5.0, samples=2001)


def value(text: str) -> float:
    return float(Reduction.parse(text, MODEL).on(RUN))


def peak(low: float, high: float, sign: float) -> float:
    grid = np.linspace(low, high, 2001)
    at = grid[np.argmax(sign * wave(grid))]
    found = minimize_scalar(
        lambda t: -sign * wave(t), bounds=(max(low, at - 0.01), min(high, at + 0.01)), method="bounded"
    )
    return max(sign * np.array([wave(low), wave(high), wave(found.x)])) * sign


# samples every 2.5 ms: straight lines between samples err by h²/8 of the curvature 9, peaks likewise
NEAR = 1e-5


@pytest.mark.parametrize(
    "low, high", [(0.0, 5.0), (2.0, 3.0), (1.003, 4.0071), (0.0, 0.4), (4.9971, 5.0), (2.0001, 2.0002)]
)
def test_functions_of_a_window_are_those_of_the_motion_within_it(low, high):
    window = f"from={low!r}, to={high!r}"
    area, square = quad(wave, low, high)[0], quad(lambda t: wave(t) ** 2, low, high)[0]
    mean = area / (high - low)
    assert value(f"integral(b.x, {window})") == pytest.approx(area, abs=NEAR)
    assert value(f"mean(b.x, {window})") == pytest.approx(mean, abs=NEAR)
    assert value(f"rms(b.x, {window})") == pytest.approx(math.sqrt(square / (high - low)), abs=NEAR)
    if high - low > 0.5:  # shorter windows have too few samples for the trapezoids of squares
        spread = quad(lambda t: (wave(t) - mean) ** 2, low, high)[0] / (high - low)
        assert value(f"deviation(b.x, {window})") == pytest.approx(math.sqrt(spread), abs=NEAR)
    top, bottom = peak(low, high, 1), peak(low, high, -1)
    assert value(f"max(b.x, {window})") == pytest.approx(top, abs=NEAR)
    assert value(f"min(b.x, {window})") == pytest.approx(bottom, abs=NEAR)
    assert value(f"range(b.x, {window})") == pytest.approx(top - bottom, abs=2 * NEAR)


@pytest.mark.parametrize("open_end", ["from=4", "to=1.7", "from=0", "to=5"])
def test_a_window_may_be_open(open_end):
    word, _, number = open_end.partition("=")
    closed = f"from={number}, to=5" if word == "from" else f"from=0, to={number}"
    assert value(f"mean(b.x, {open_end})") == value(f"mean(b.x, {closed})")


def test_a_result_evaluates_formulas_over_time():
    assert RUN.formula("range(b.x, from=4)") == value("range(b.x, from=4)")
    assert RUN.formula("b.x[end] - b.x[0]") == pytest.approx(wave(5.0) - wave(0.0), abs=1e-12)
    series = RUN.formula("b.x - mean(b.x)")
    assert series.shape == (len(RUN),)
    assert series == pytest.approx(RUN["b"].x - value("mean(b.x)"), abs=1e-15)
    assert RUN.formula("max(b.x, 0)") == pytest.approx(np.maximum(RUN["b"].x, 0), abs=0)
    with pytest.raises(tm.ModelError, match="from="):
        RUN.formula("mean(b.x, from=b.x)")


def test_the_text_of_a_window_is_read_back():
    text = "range(b.x - 2, from=1.5, to=4) + mean(b.vx, to=3)"
    found = Reduction.parse(text, MODEL)
    assert str(found.expression) == text
    assert Reduction.parse(str(found.expression), MODEL).expression == found.expression


@pytest.mark.parametrize("name", ["max", "min", "range", "mean", "integral", "rms", "deviation"])
def test_derivatives_of_a_window_are_differences(name):
    t = np.array([0.0, 0.3, 0.5, 0.9, 1.0, 1.0, 1.3, 1.7, 2.0])  # an event at 1 s
    x = np.array([0.1, 0.9, 0.2, -0.7, 0.3, 1.4, 0.8, -0.2, 0.5])
    for window in ("from=0.4, to=1.6", "from=1", "to=1", "from=0.5, to=1.7"):
        found = Reduction.parse(f"{name}(b.x, {window})", MODEL)
        got, by = found.gradient({"b.x": x}, t)
        h = 1e-6
        for k in range(x.size):
            step = h * (np.arange(x.size) == k)
            want = (found.of({"b.x": x + step}, t) - found.of({"b.x": x - step}, t)) / (2 * h)
            assert by["b.x"][k] == pytest.approx(float(want), abs=1e-8)
        same, change = found.along({"b.x": x}, t, {"b.x": np.cos(x)})
        assert float(same) == pytest.approx(float(got), abs=1e-15)
        assert float(change) == pytest.approx(float(by["b.x"] @ np.cos(x)), abs=1e-12)


def test_a_window_at_an_event_lies_on_one_side_of_it():
    t, x = np.array([0.0, 1.0, 1.0, 2.0]), np.array([0.0, 1.0, 5.0, 6.0])
    assert float(Reduction.parse("max(b.x, to=1)", MODEL).of({"b.x": x}, t)) == 1.0
    assert float(Reduction.parse("min(b.x, from=1)", MODEL).of({"b.x": x}, t)) == 5.0


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("mean(b.x, from=9)", ["from=9", "5 s"]),
        ("mean(b.x, to=-1)", ["to=-1", "0 s"]), ("mean(b.x, from=3, to=2)", ["empty", "3 s", "2 s"]),
        ("sin(b.x, from=2)", ["whole series"]), ("at(b.x, 2, from=1)", ["'at'"]), ("mean(from=2, b.x)", ["behind"]),
        ("max(b.x, b.vx, from=2)", ["'max'"]), ("mean(b.x, from=b.x)", ["from="]), ("mean(b.x, from=1, from=2)", ["twice"]),
        ("mean(b.x, since=2)", ["'since='", "from= and to="]), ("rms(b.x, From=2)", ["'From='"]), ("b.x = 2", ["=="]),
        ("deviations(b.x, from=2)", ["no function 'deviations'", "deviation"]),
        ("from=2", ["whole series"]), ("mean(from=2)", ["'mean'", "0 arguments"]),
    ],
)  # fmt: skip
def test_wrong_windows_are_reported(text, words):
    for evaluate in (value, RUN.formula):
        with pytest.raises(tm.ModelError) as caught:
            evaluate(text)
        assert all(word in str(caught.value) for word in words)


def test_a_batch_and_a_gradient_take_windows():
    m = tm.PlanarModel("runner")
    m.parameter("a", 1.0, bounds=(0.5, 2.0))
    m.body("b", mass=1.0, inertia=1.0)
    m.prismatic("T", m.ground, "b", at=(0, 0), axis=(1, 0))
    m.driver("d", "b.x", "a*sin(3*t)")
    k = m.kinematics(5.0, samples=501)
    want = float(Reduction.parse("range(b.x, from=4)", m).on(k))
    batch = m.batch({"a": [1.0, 2.0]}).kinematics(5.0, samples=501, reduce={"r": "range(b.x, from=4)"})
    assert np.asarray(batch.reductions["r"]) == pytest.approx([want, 2 * want], rel=1e-14)
    slope = m.gradient("range(b.x, from=4)", wrt=["a"], analysis="kinematics", duration=5.0, samples=501)
    assert float(slope["a"]) == pytest.approx(want, rel=1e-9)  # proportional to a


@pytest.mark.parametrize("samples", [11, 40])
def test_a_limit_on_a_window_holds_between_samples(samples):
    m = tm.PlanarModel("runner")
    m.parameter("a", 0.5, bounds=(0.1, 3.0))
    m.body("b", mass=1.0, inertia=1.0)
    m.prismatic("T", m.ground, "b", at=(0, 0), axis=(1, 0))
    m.driver("d", "b.x", "a*t*sin(7*t)")
    best = m.optimize(
        maximize="a",
        subject_to=["max(b.x, from=1, to=3) <= 1"],
        analysis="kinematics",
        duration=5.0,
        samples=samples,
    )
    fine = np.linspace(1.0, 3.0, 200_001)
    largest = float(np.max(fine * np.sin(7 * fine)))
    assert best.values["a"] == pytest.approx(1 / largest, rel=1e-4)


# --- strokes and steady motion ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("turns", [1.0, 3.3])
def test_the_time_ratio_of_a_quick_return(turns):
    m = quick_return(0.1, 0.25, 0.5, 0.2, 0.55, motion=turning(0.0, 10.0), blocks=True)
    k = m.kinematics(turns * 2 * math.pi / 10, samples=181)
    tilt = math.acos(0.1 / 0.25)
    assert k.time_ratio("lever.phi") == pytest.approx(
        (math.pi - tilt) / tilt, rel=1e-7
    )  # roots between samples of 0.1 rad


def test_a_run_shorter_than_two_strokes_has_no_time_ratio():
    with pytest.raises(tm.ModelError, match=r"b\.x.*turning points"):
        runner("sin(t)").kinematics(2.0, samples=51).time_ratio("b.x")


@pytest.mark.parametrize("tolerance", [0.02, 0.05])
def test_a_forced_oscillator_becomes_steady_as_its_free_part_decays(tolerance):
    m = tm.PlanarModel("oscillator", gravity=(0, 0))
    m.body("b", mass=1.0, inertia=1.0)
    m.prismatic("T", m.ground, "b", at=(0, 0), axis=(1, 0))
    m.spring("s", m.ground.at(-1, 0), m["b"].at(0, 0), stiffness=100.0, damping=2.0, free_length=1.0)
    m.user_force("f", "b.x", "5*sin(7*t)")
    r = m.simulate(20.0, samples=4001)
    steady = r.steady_from("b.x", tolerance=tolerance)
    amplitude = 5 / math.hypot(100 - 49, 14)
    # the free part decays as exp(-t): it starts near the amplitude, and a cycle may begin 0.9 s earlier or later
    assert abs(steady - math.log(1 / tolerance)) < 2.0
    window = f"from={steady + 6!r}"
    assert float(Reduction.parse(f"range(b.x, {window})/2", m).on(r)) == pytest.approx(amplitude, rel=2e-3)


@pytest.mark.parametrize(("motion", "since"), [("exp(-t)", 3.9), ("0.3", 0.0), ("2 + (t < 1)*0", 0.0)])
def test_a_motion_that_ends_is_steady(motion, since):
    k = runner(motion).kinematics(20.0, samples=2001)
    assert k.steady_from("b.x") == pytest.approx(since, abs=0.1)


@pytest.mark.parametrize(("tolerance", "since"), [(0.005, 3.0), (0.02, 2.0), (0.05, 1.0)])
def test_a_shaft_that_keeps_turning_is_steady_once_its_turns_are_alike(tolerance, since):
    """2πt + exp(-t) sin(2πt)/2: turn k begins at t = k and differs from an even one by at most 0.394 exp(-k), which must be within the
    tolerance of 2π."""
    m = tm.PlanarModel("shaft")
    m.body("b", mass=1.0, inertia=1.0)
    m.revolute("A", m.ground, "b", at=(0, 0))
    m.driver("d", "b.phi", "2*pi*t + 0.5*exp(-t)*sin(2*pi*t)")
    s = np.linspace(0.0, 1.0, 10001)
    most = np.max(np.abs(0.5 * np.exp(-s) * np.sin(2 * math.pi * s)))
    assert since == max(0, math.ceil(math.log(most / (tolerance * 2 * math.pi))))
    r = m.kinematics(10.25, samples=4101)
    assert r.steady_from("b.phi", tolerance=tolerance) == pytest.approx(since, abs=1e-6)


def test_a_run_of_one_cycle_cannot_be_compared():
    with pytest.raises(tm.ModelError, match=r"b\.x: the run from 0 s to 1\.2 s has fewer than two whole cycles"):
        runner("sin(2*pi*t)").kinematics(1.2, samples=1001).steady_from("b.x")


def test_a_motion_that_settles_late_is_steady_from_then():
    """1 - (1 - t/1.8)^2 up to 1.8 s: within 2 % of its range from 1.8 (1 - sqrt(0.02)) = 1.545 s."""
    k = runner("if(t < 1.8, 1 - (1 - t/1.8)^2, 1)").kinematics(2.0, samples=2001)
    assert k.steady_from("b.x") == pytest.approx(1.8 * (1 - math.sqrt(0.02)), abs=2e-3)


@pytest.mark.parametrize("samples", [801, 201], ids=["fine", "six samples a cycle"])
@pytest.mark.parametrize(("level", "since"), [(1.5, 3.0), (15.0, 15.0), (-4.0, 8.0)])
def test_cycles_after_a_long_start_are_steady(level, since, samples):
    """The mean of the whole run lies outside the cycles at its end; the first whole cycle begins within one of them."""
    k = runner(f"if(t < {since}, {level}*t/{since}, {level}) + 0.2*sin(10*t)").kinematics(20.0, samples=samples)
    found = k.steady_from("b.x")
    assert since - 0.02 <= found <= since + 0.2 * math.pi + 0.02


def test_a_motion_that_stops_after_its_cycles_is_steady_from_then():
    k = runner("if(t < 8, sin(2.5*pi*t), 0)").kinematics(10.0, samples=1001)
    assert k.steady_from("b.x") == pytest.approx(8.0, abs=0.02)


def test_a_growing_motion_is_not_steady():
    with pytest.raises(tm.ModelError, match=r"b\.x is not steady"):
        runner("t*sin(5*t)").kinematics(10.0, samples=1001).steady_from("b.x")


# --- digits of tables --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("digits", [1, 6, 12, 17, None])
def test_a_table_has_the_digits_asked_for(digits, tmp_path):
    path = RUN.to_csv(tmp_path / "run.csv", ["b.x [mm]"], digits=digits)
    head, *lines = path.read_text(encoding="utf-8").splitlines()
    assert head == "t [s],b.x [mm]"
    read = np.array([[float(x) for x in line.split(",")] for line in lines])
    exact = RUN["b.x", "mm"]
    if digits in (17, None):
        assert (read[:, 1] == exact).all()
    else:
        assert np.abs(read[:, 1] - exact) == pytest.approx(
            np.zeros(len(RUN)), abs=np.abs(exact).max() * 10.0 ** (1 - digits)
        )
        assert (
            max(
                len(x.split("e")[0].replace("-", "").replace(".", "").strip("0"))
                for line in lines
                for x in line.split(",")
            )
            <= digits
        )


@pytest.mark.parametrize("digits", [0, 18, -3])
def test_impossible_digits_are_reported(digits, tmp_path):
    with pytest.raises(tm.ModelError, match=rf"{digits}.*1 to 17"):
        RUN.to_csv(tmp_path / "run.csv", digits=digits)
    assert not (tmp_path / "run.csv").exists()


def significant(text):
    return len(text.split("e")[0].lstrip("-").replace(".", "").strip("0"))


def kap_table(folder, words):
    (folder / "four_bar.kap").write_text(find("kap_four_bar").source(), encoding="utf-8")
    return main(["kap", str(folder / "four_bar.kap"), "--quiet", "--csv", str(folder / "table.csv"), *words])


def run_table(folder, words):
    (folder / "four_bar.kap").write_text(find("kap_four_bar").source(), encoding="utf-8")
    return main(["run", str(folder / "four_bar.kap"), "--quiet", "--no-pictures", "--out", str(folder), *words])


def converted_table(folder, words):
    RUN.save(folder / "run.trammel")
    return main(["convert", str(folder / "run.trammel"), str(folder / "table.csv"), "--quiet", *words])


def crank_file(folder):
    m = tm.PlanarModel("crank")
    r = m.parameter("r", 0.1, bounds=(0.05, 0.2))
    m.body("arm")
    m.point("P", "arm", local=(r, 0.0))
    m.revolute("A", m.ground, "arm", at=(0, 0))
    m.driver("motor", "A.angle", "2*pi*t")
    return str(m.save(folder / "crank.toml"))


ONE_TURN = ["--do", "kinematics", "duration=1", "samples=5", "--quiet"]


def batch_table(folder, words):
    own = ["--sample", "3", "--keep", "P.x", "--reduce", "mean=rms(P.y)", "--out", str(folder / "table.csv")]
    return main(["batch", crank_file(folder), *ONE_TURN, *own, *words])


@pytest.mark.parametrize("write", [kap_table, run_table, converted_table, batch_table])
def test_commands_write_tables_with_few_digits(write, tmp_path):
    tables = []
    for k, words in enumerate(([], ["--digits", "6"])):
        folder = tmp_path / f"out{k}"
        folder.mkdir()
        assert write(folder, words) == 0
        (table,) = folder.glob("*.csv")
        tables.append([line.split(",") for line in table.read_text(encoding="utf-8").splitlines()])
    full, short = tables
    assert full[0] == short[0]
    assert max(significant(x) for line in short[1:] for x in line) == 6
    a, b = (np.array([[x or "0" for x in line] for line in table[1:]], dtype=float) for table in tables)
    # half a unit of the sixth digit, with room for the rounding of the differences
    assert np.all(np.abs(a - b) <= 0.501e-5 * 10.0 ** np.floor(np.log10(np.abs(a) + 1e-300)))


def test_the_table_of_a_front_has_the_digits_asked_for(tmp_path):
    class Front(list):
        texts, values = ("f", "g"), {"r": np.array([1 / 3, 2 / 3])}
        objectives = np.array([[0.1 / 3, 7e4 / 9], [1.0, 2.0]])

    lines = write_front(Front("ab"), tmp_path / "front.csv", 3).read_text(encoding="utf-8").splitlines()
    assert lines == ["f,g,r", "0.0333,7.78e+03,0.333", "1,2,0.667"]


@pytest.mark.parametrize("words", [["convert", "run.toml"], ["optimize", "--minimize", "r"]])
def test_digits_without_a_table_are_rejected(words, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    command, *own = words
    extra = ONE_TURN if command == "optimize" else []
    assert main([command, crank_file(tmp_path), *own, *extra, "--digits", "3"]) == 2
    assert "--digits is for the table" in capsys.readouterr().err
