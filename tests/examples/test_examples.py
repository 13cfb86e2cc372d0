"""Every bundled example runs, closes, and shows what its description claims."""

import math

import numpy as np
import pytest

from pytrammel.examples import find, names
from pytrammel.io.models.analyses import run_analysis
from pytrammel.io.models.model_file import loads
from pytrammel.io.models.templates import example_files


@pytest.mark.filterwarnings("ignore:the given starting velocities contradict")  # the platform's deck has three digits
@pytest.mark.parametrize("name", names())
def test_every_example_runs_closes_and_can_be_watched(name, tmp_path):
    example = find(name)
    result = example.run()
    assert len(result) >= 1
    same_from_its_file(name, result)
    if not result.model.phases:
        # in units of the mechanism's size: Newton goes on to rounding level
        assert result.constraint_violation() < 1e-11
    film = result.animate(tmp_path / f"{name}.html", traces=example.traces)
    assert film.stat().st_size > 10_000
    result.plot(*example.plots, path=tmp_path / f"{name}.png")
    assert (tmp_path / f"{name}.png").stat().st_size > 5_000
    assert result.summary()


def same_from_its_file(name, result):
    """The model file of an example does the same, to the last bit (tools/make_example_files.py writes them)."""
    model = loads(example_files()[name].read_text(encoding="utf-8"))
    (job,) = model.analyses.values()
    other = run_analysis(model, job, progress=False)
    for ours, theirs in ((result.times, other.times), (result.q, other.q), (result.v, other.v), (result.a, other.a)):
        assert (ours is None) == (theirs is None)
        assert ours is None or np.array_equal(ours, theirs)


@pytest.mark.parametrize("name", [n for n in names() if not n.startswith("kap_")])
def test_every_example_is_short_and_described(name):
    example = find(name)
    assert len(example.source().splitlines()) < 60
    assert 20 < len(example.description) < 110


def test_the_crank_of_the_four_bar_turns_round():
    result = find("four_bar").run()
    assert np.ptp(result["crank"].phi) == pytest.approx(2 * math.pi)
    assert np.ptp(result["rocker"].phi) < math.pi
    # P's figure of eight crosses itself, so its winding number is zero: the tangent turns back as much as it turns
    direction = np.unwrap(np.arctan2(result.point("P").vy, result.point("P").vx))
    assert direction[-1] - direction[0] == pytest.approx(0.0, abs=1e-9)


def test_the_slider_crank_has_the_classical_dead_centre_acceleration():
    r, rod, speed = 0.04, 0.14, 3000 * math.pi / 30
    assert find("slider_crank").run()["piston"].ay[0] == pytest.approx(-r * speed**2 * (1 + r / rod), rel=1e-12)


def test_the_quick_return_has_its_stroke():
    tool = find("quick_return").run()["tool"]
    # exactly 1000/3 mm; 241 samples miss each end by at most a T²/8 with a = 2.5 m/s², T = 8.7 ms
    assert np.ptp(tool.x) == pytest.approx(1 / 3, abs=2 * 2.5 * 8.73e-3**2 / 8)


def test_peaucellier_draws_a_straight_line():
    s = find("peaucellier").run().point("S")
    assert s.x == pytest.approx(np.full(len(s.x), (3.0**2 - 1.4**2) / 2.4), abs=1e-12)
    assert np.ptp(s.y) > 4.0


def test_the_geneva_wheel_follows_its_closed_form():
    result = find("geneva").run()
    # psi = atan2(sin phi, m - cos phi) with m = d / rho = sqrt 2 (Nikravesh, problem 5.37), phi from the line of centres
    phi = result["crank"].phi
    engaged = np.cos(phi) > math.cos(math.pi / 4) + 1e-9
    m = math.sqrt(2.0)
    ratio = (m * np.cos(phi) - 1) / (1 + m**2 - 2 * m * np.cos(phi))
    assert result["wheel"].omega[engaged] == pytest.approx(-2 * math.pi * ratio[engaged], abs=1e-8)
    resting = np.cos(phi) < math.cos(math.pi / 4) - 1e-9
    assert result["wheel"].omega[resting] == pytest.approx(np.zeros(resting.sum()), abs=1e-9)
    assert result["wheel"].phi[-1] == pytest.approx(-2 * math.pi, abs=1e-9)
    assert len(result.events) == 8


def test_the_follower_of_the_cam_dwells():
    follower = find("cam_roller").run()["follower"]
    # base radius 35 + roller 10, lift 15 mm
    assert follower.y.min() == pytest.approx(0.045, abs=1e-9)
    assert follower.y.max() == pytest.approx(0.060, abs=1e-9)
    assert np.sum(np.abs(follower.y - 0.060) < 1e-9) > 20
    assert np.sum(np.abs(follower.y - 0.045) < 1e-9) > 20


def test_the_planetary_train_has_its_ratio():
    result = find("planetary_gears").run()
    # Willis: carrier / sun = r_sun / (r_sun + r_ring) with the ring fixed
    assert result["carrier"].omega / result["sun"].omega == pytest.approx(np.full(len(result), 20 / 70), rel=1e-12)
    assert result.redundant


def test_the_shafts_of_the_oldham_coupling_turn_alike():
    result = find("oldham").run()
    assert result["second"].phi == pytest.approx(result["first"].phi, abs=1e-12)
    assert np.hypot(result.point("M").x - 0.01, result.point("M").y) == pytest.approx(
        np.full(len(result), 0.01), abs=1e-12
    )


def test_the_trammel_draws_ellipses():
    p = find("elliptic_trammel").run().point("P")
    # P lies 60 mm beyond one end and 160 mm from the other
    assert (p.x / 0.06) ** 2 + (p.y / 0.16) ** 2 == pytest.approx(np.ones(len(p.x)), abs=1e-12)


def test_the_scotch_yoke_is_harmonic():
    result = find("scotch_yoke").run()
    assert result["yoke"].x == pytest.approx(0.05 * np.cos(2 * math.pi * result.times), abs=1e-12)
    assert result["yoke"].ax == pytest.approx(-((2 * math.pi) ** 2) * result["yoke"].x, abs=1e-10)


def test_the_kneading_arm_stays_parallel_to_the_rocker():
    result = find("dough_kneader").run()
    swing = result["arm"].phi - result["rocker"].phi
    assert swing == pytest.approx(np.full(len(result), swing[0]), abs=1e-12)
    assert np.ptp(result["crank"].phi) == pytest.approx(2 * math.pi)
