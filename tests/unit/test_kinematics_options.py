"""Kinematics: options, driver counts, partial results, what the result offers."""

from __future__ import annotations

import csv
import math

import numpy as np
import pytest

import pytrammel as tm


def slider_crank(motion="2*pi*t + 0.3"):
    m = tm.PlanarModel("slider-crank", display_unit="mm")
    crank = m.body("crank", position=(0.05 * math.cos(0.3), 0.05 * math.sin(0.3)), angle=0.3)
    rod = m.body("rod", position=(0.2, 0.01), angle=-0.1)
    slider = m.body("slider", position=(0.3, 0.0))
    m.revolute("A", m.ground.at(0, 0), crank.at(-0.05, 0))
    m.revolute("B", crank.at(0.05, 0), rod.at(-0.12, 0))
    m.revolute("C", rod.at(0.12, 0), slider.at(0, 0))
    m.prismatic("T", m.ground, slider, at=(0.3, 0), axis=(1, 0))
    m.point("P", rod, local=(0.0, 0.05))
    m.driver("motor", m["A"].angle, motion)
    return m


def test_instants_by_samples_step_or_list_are_the_same():
    m = slider_crank()
    a = m.kinematics(1.0, samples=11)
    b = m.kinematics(1.0, output_step=0.1)
    c = m.kinematics(times=np.linspace(0, 1, 11))
    for other in (b, c):
        np.testing.assert_allclose(other.times, a.times, atol=1e-15)
        np.testing.assert_allclose(other.q, a.q, atol=1e-13)
    late = m.kinematics(0.5, samples=6, start_time=0.5)
    np.testing.assert_allclose(late["slider"].x, a["slider"].x[5:], atol=1e-13)
    assert len(m.kinematics(0.0)) == 1


@pytest.mark.parametrize(("duration", "step"), [(1.0, 0.3), (1.0, 3.0), (0.7, 0.1), (2.0, 2.0 / 3.0), (1e-3, 9e-4)])
def test_a_step_that_does_not_divide_the_duration_does_not_shorten_it(duration, step):
    times = slider_crank().kinematics(duration, output_step=step, start_time=0.25).times
    assert times[-1] == pytest.approx(0.25 + duration, abs=1e-15)
    assert np.allclose(np.diff(times)[:-1], step)
    assert 1e-3 * step < times[-1] - times[-2] <= step * (1 + 1e-12)


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({}, "say how long"),
        ({"duration": -1.0}, "duration is -1.0 s"),
        ({"duration": 1.0, "samples": 1}, "samples is 1"),
        ({"duration": 1.0, "output_step": 0.0}, "output_step is 0 s"),
        ({"times": [0.0, 0.2, 0.1]}, r"times must increase, but times\[2\] = 0.1 s follows 0.2 s"),
        ({"times": [0.0, math.nan]}, "finite"),
        ({"times": [0.0], "duration": 1.0}, "would not be used, because times= are given"),
        ({"duration": 1.0, "level": "jerk"}, "level must be one of the words .*but it is 'jerk'"),
    ],
)
def test_bad_options_get_a_sentence(options, sentence):
    with pytest.raises(tm.ModelError, match=sentence):
        slider_crank().kinematics(**options)


def test_levels_stop_where_asked():
    m = slider_crank()
    position = m.kinematics(1.0, level="position")
    assert position.v is None and position.a is None
    with pytest.raises(tm.ModelError, match="level='velocity'"):
        _ = position["slider"].vx
    with pytest.raises(tm.ModelError, match="level='velocity'"):
        _ = position.point("P").velocity
    velocity = m.kinematics(1.0, level="velocity")
    assert velocity["slider"].vx.shape == (201,)
    with pytest.raises(tm.ModelError, match="level='acceleration'"):
        _ = velocity["slider"].ax


def test_too_few_and_too_many_drivers_are_counted():
    m = slider_crank()
    with pytest.raises(tm.MobilityError, match="1 degree of freedom but 0 drivers, which leaves 1 motion free"):
        m.copy(without=["motor"]).kinematics(1.0)
    m.driver("second", "slider.x", 0.3)
    with pytest.raises(tm.MobilityError, match=r"1 degree of freedom but 2 given motions \('motor', 'second'\)"):
        m.kinematics(1.0)
    twice = slider_crank()
    twice.driver("again", "crank.phi", "2*pi*t + 0.3")  # consistent, but still one too many
    with pytest.raises(tm.MobilityError, match="'again' is one too many"):
        twice.kinematics(1.0)


def test_partition_with_chosen_coordinates_equals_appended_drivers():
    m = slider_crank()
    appended = m.kinematics(1.0)
    partition = m.kinematics(1.0, prescribed={"crank.phi": "2*pi*t + 0.3"})
    for a, b in ((appended.q, partition.q), (appended.v, partition.v), (appended.a, partition.a)):
        np.testing.assert_allclose(a, b, atol=1e-12 * np.abs(a).max())  # two solutions of one problem: rounding apart


def test_partition_with_a_bad_choice_is_refused():
    m = slider_crank()
    with pytest.raises(tm.MobilityError, match=r"prescribing slider\.y does not determine|given motions"):
        m.kinematics(1.0, prescribed={"slider.y": 0.0})
    with pytest.raises(tm.ModelError, match=r"no coordinate 'crank\.z' to prescribe"):
        m.kinematics(1.0, prescribed={"crank.z": 0.0})
    with pytest.raises(tm.MobilityError, match="given motions"):
        m.kinematics(1.0, prescribed={"crank.phi": "t", "slider.x": 0.1})


def test_a_dead_point_stops_the_run_and_keeps_what_was_computed():
    """Slider pulled beyond the stretched length 0.1 + 0.24 m: dead point where x reaches 0.34 m."""
    m = slider_crank().copy(without=["motor"])
    m.driver("pull", "slider.x", "0.3 + 0.1*t")
    with pytest.raises(tm.SingularError, match=r"dead point.*slider\.x = 0\.34 m|slider\.x = 0\.34") as error:
        m.kinematics(1.0, samples=101)
    partial = error.value.partial
    assert partial is not None
    assert len(partial) == 40  # t = 0.40 s is the dead point itself
    assert partial["slider"].x[-1] == pytest.approx(0.339, abs=1e-12)
    assert partial.constraint_violation() < 1e-12
    assert "40 of 101 instants" in str(error.value)


def test_a_start_in_a_dead_point_is_refused():
    m = slider_crank().copy(
        without=["motor"],
        changes={
            "crank": {"position": (0.05, 0), "angle": 0.0},
            "rod": {"position": (0.22, 0), "angle": 0.0},
            "slider": {"position": (0.34, 0)},
        },
    )
    m.driver("pull", "slider.x", "0.34 - 0.1*t")
    with pytest.raises(tm.SingularError, match="singular position"):
        m.kinematics(1.0)


def test_a_velocity_jump_of_the_driver_is_no_branch_change():
    m = slider_crank(motion=tm.functions.spline([0.0, 0.5, 1.0], [0.3, 1.3, 0.8], kind="linear")(tm.time))
    k = m.kinematics(1.0, samples=101)
    assert k["crank"].phi[-1] == pytest.approx(0.8, abs=1e-13)
    assert k["crank"].omega[10] == pytest.approx(2.0, abs=1e-12)
    assert k["crank"].omega[90] == pytest.approx(-1.0, abs=1e-12)


def test_a_driver_that_is_not_a_number_later_is_reported_with_partial_result():
    m = slider_crank(motion="sqrt(0.5 - t)")
    with pytest.raises(tm.TrammelError, match="not a number between") as error:
        m.kinematics(1.0, samples=101)
    assert len(error.value.partial) >= 50


def test_named_access_agrees_with_the_columns():
    k = slider_crank().kinematics(1.0)
    np.testing.assert_array_equal(k["slider"].x, k.q[:, k.coordinate_names.index("slider.x")])
    np.testing.assert_array_equal(k["slider"].ax, k.a[:, k.coordinate_names.index("slider.x")])
    np.testing.assert_allclose(k["A"].angle, 2 * math.pi * k.times + 0.3, atol=1e-13)
    np.testing.assert_allclose(k["A"].angle_rate, 2 * math.pi, atol=1e-12)
    np.testing.assert_allclose(k["T"].distance, k["slider"].x - 0.3, atol=1e-15)
    np.testing.assert_array_equal(k.point("P").velocity, k["P"].velocity)
    np.testing.assert_array_equal(k["P.ay"], k.point("P").acceleration[:, 1])
    assert k.series("crank.omega").unit == "rad/s" and k.series("P.ay").unit == "m/s²"
    assert np.all(k["ground"].x == 0.0)
    # rod centre by hand: half way between B and C
    middle = 0.5 * (k.point(k.model["rod"].at(-0.12, 0)).position + k.point(k.model["rod"].at(0.12, 0)).position)
    np.testing.assert_allclose(k["rod"].position, middle, atol=1e-15)
    with pytest.raises(tm.ModelError, match="Did you mean 'slider'"):
        k["slidr"]
    with pytest.raises(AttributeError, match="it measures: angle"):
        _ = k["A"].torque


def test_angles_are_unwrapped_over_many_turns():
    k = slider_crank("20*pi*t + 0.3").kinematics(1.0, samples=11)  # one full turn between instants
    assert k["A"].angle[-1] == pytest.approx(20 * math.pi + 0.3, abs=1e-11)


def test_tables_carry_names_and_units(tmp_path):
    k = slider_crank().kinematics(1.0, samples=5)
    frame = k.to_dataframe()
    assert list(frame.index) == pytest.approx(list(k.times))
    np.testing.assert_array_equal(frame["slider.ax"], k["slider"].ax)
    path = k.to_csv(tmp_path / "run.csv", ["slider.x", "A.angle", "P.vx"])
    rows = list(csv.reader(path.read_text(encoding="utf-8").splitlines()))
    assert rows[0] == ["t [s]", "slider.x [m]", "A.angle [rad]", "P.vx [m/s]"]
    assert float(rows[-1][1]) == k["slider"].x[-1]  # full precision survives the file


def test_summary_speaks_the_models_units():
    text = slider_crank().kinematics(1.0).summary()
    assert "mm" in text and "T.distance" in text and "point P" in text and "peak" in text


def test_pictures_are_written(tmp_path):
    k = slider_crank().kinematics(1.0)
    k.plot("slider.x", "A.angle", path=tmp_path / "a.png")
    k.plot.path("P", path=tmp_path / "b.svg")
    k.draw(time=0.5, ghosts=3, path=tmp_path / "c.png")
    page = k.animate(tmp_path / "d.html")
    for name in ("a.png", "b.svg", "c.png"):
        assert (tmp_path / name).stat().st_size > 2000
    assert "slider-crank" in page.read_text(encoding="utf-8")


def test_progress_is_shown_only_for_long_work(capsys, monkeypatch):
    from pytrammel._util import progress

    slider_crank().kinematics(1.0)
    assert capsys.readouterr().err.count("%") == 0
    monkeypatch.setattr(progress, "SHOWN_AFTER", 0.0)
    monkeypatch.setattr(progress, "WRITTEN_AFTER", 0.0)
    slider_crank().kinematics(1.0, samples=500)
    shown = capsys.readouterr().err
    assert "kinematics" in shown and "%" in shown and "t =" in shown


@pytest.mark.parametrize("name", ["crank.phi", "crank.angle"])
def test_a_prescribed_angle_may_be_called_phi_or_angle(name):
    m = tm.PlanarModel("crank")
    m.revolute("A", m.ground, m.body("crank", position=(1.0, 0.0)), at=(0, 0))
    k = m.kinematics(2.0, samples=5, prescribed={name: "0.5*t"})
    np.testing.assert_allclose(k["crank"].y, np.sin(0.5 * k.times), atol=1e-12)


def test_a_smooth_motion_takes_two_evaluations_an_instant_and_every_level_of_the_constraints_holds():
    # the cubic prediction is good to (omega h)^5 / 30 = 1e-14 of a link at 2000 instants a turn: one correction, one look
    k = slider_crank().kinematics(1.0, samples=2001)
    assert k.newton_iterations.sum() <= 2.01 * len(k)
    angle, rate = k.times * 2 * math.pi + 0.3, 2 * math.pi
    s, c = np.sin(angle), np.cos(angle)
    length, crank = 0.24, 0.1
    below = crank * s / length
    across = np.sqrt(1 - below**2)
    np.testing.assert_allclose(k["slider"].x, crank * c + length * across, rtol=0, atol=1e-14)
    # rod angle t with sin t = -below: t' = -crank c rate / (length across)
    turn = -crank * c * rate / (length * across)
    np.testing.assert_allclose(k["slider"].vx, -crank * s * rate + length * below * turn, rtol=0, atol=1e-13)
    bend = (crank * s * rate**2 - length * below * turn**2) / (length * across)
    speed_up = -crank * c * rate**2 - length * across * turn**2 + length * below * bend
    np.testing.assert_allclose(k["slider"].ax, speed_up, rtol=0, atol=1e-11)


def test_a_driver_that_jumps_in_speed_does_not_mislead_the_prediction():
    kinked = slider_crank("0.3 + 2*pi*t + 5*abs(t - 0.5)").kinematics(1.0, samples=401)
    for part, motion in ((slice(0, 200), "0.3 + 2.5 + (2*pi - 5)*t"), (slice(201, 401), "0.3 - 2.5 + (2*pi + 5)*t")):
        smooth = slider_crank(motion).kinematics(1.0, samples=401)
        np.testing.assert_allclose(kinked["slider"].ax[part], smooth["slider"].ax[part], rtol=0, atol=1e-10)
